"""What reads the logs of a store: processes of this computer, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import NamedTuple

from sdanalysis import __version__
from sdanalysis.archive.chunks import Processes
from sdanalysis.errors import SdAnalysisError, missing_extra

_A_WORKER = 2  # chunks under way: one that is read, one that waits
_TIMEOUT = "10s"
# Else a client keeps its last 1000 messages, in which are the names of all logs that it sent.
_NO_MESSAGES = {"distributed.admin.low-level-log-length": 0}


class Engine(NamedTuple):
    """An executor, None for this process, and how many chunks are under way on it."""

    executor: Executor | None
    under_way: int


@contextmanager
def processes(jobs: int) -> Iterator[Engine]:
    """Give processes of this computer; one is this process."""
    if jobs == 1:
        yield Engine(None, 1)
        return
    pool = Processes(jobs)
    try:
        yield Engine(pool, _A_WORKER * jobs)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def cluster(scheduler: str) -> Iterator[Engine]:
    """Give the workers of a Dask scheduler, which are to have the same version of this package."""
    try:
        from dask import config
        from distributed import Client
    except ImportError as error:
        raise missing_extra("dask", "distributed", "--scheduler") from error
    try:
        with config.set(_NO_MESSAGES):
            client = Client(scheduler, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        text = f"found no Dask scheduler ({error or type(error).__name__}), expected its address"
        raise SdAnalysisError(f"{scheduler}: {text}, such as tcp://host:8786") from error
    with client:
        workers = sum(client.ncores().values())
        if not workers:
            raise SdAnalysisError(f"{scheduler}: found no worker, expected at least one")
        others = {found for found in client.run(_version).values() if found != __version__}
        if others:
            text = f"found sdanalysis {', '.join(sorted(others))} on workers"
            raise SdAnalysisError(f"{scheduler}: {text}, expected {__version__}, as here")
        yield Engine(client.get_executor(), _A_WORKER * workers)


def _version() -> str:
    return __version__
