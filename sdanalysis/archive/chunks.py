"""Chunks of logs -> what some work makes of them: in this process, in others, on a cluster.

The one seam is `submit` of `concurrent.futures.Executor`. Results come back in the order of the
chunks, a few of which are under way at a time. A worker that dies ends only itself.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from _thread import interrupt_main
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar

from sdanalysis import __version__
from sdanalysis.errors import SdAnalysisError, missing_extra
from sdanalysis.paths import printable

CHUNK = 500  # logs: less work does not pay for the way to another process
CHUNK_BYTES = 2**26  # a chunk ends there, too, so that few large logs are a chunk
UNDER_WAY = 16  # chunks
_A_WORKER = 2  # chunks under way: one that is read, one that waits
# Else a client of Dask keeps its last 1000 messages: the names of all logs that it sent.
_NO_MESSAGES = {"distributed.admin.low-level-log-length": 0}
Result = TypeVar("Result")


class Log(NamedTuple):
    """A log that is to be read; one that was not named itself has an `InFolder` as its path.

    The archive also knows which contents of its size, by sha256 and kind, it holds already.
    """

    path: str
    known: frozenset[tuple[str, str]] = frozenset()


Work = Callable[[Sequence[Log], frozenset[str]], Result]  # the paths are of logs not to be read


def chunks(logs: Iterable[Log], most: int = CHUNK) -> Iterator[tuple[Log, ...]]:
    """Yield so many logs together, or so many bytes as `CHUNK_BYTES`, as soon as they are there."""
    if most < 1:
        raise SdAnalysisError(f"found chunks of {most} logs, expected at least 1")
    batch: list[Log] = []
    weight = 0
    for log in logs:
        size = 0
        with suppress(OSError):  # reading it will say why
            size = os.stat(log.path).st_size  # noqa: PTH116 - there are thousands
        if batch and (len(batch) == most or weight + size > CHUNK_BYTES):
            yield tuple(batch)
            batch, weight = [], 0
        batch.append(log)
        weight += size
    if batch:
        yield tuple(batch)


def map_work(
    work: Work[Result],
    chunks_of_logs: Iterable[Sequence[Log]],
    executor: Executor | None,
    *,
    under_way: int = UNDER_WAY,
    tell: Callable[[str], object],
) -> Iterator[Result]:
    """Yield what some work makes of each chunk, in their order.

    A chunk whose worker dies is told, and done again in a process of its own. A log that kills
    this one, too, is found, and the work is done without it.
    """
    if executor is None:
        yield from (work(chunk, frozenset()) for chunk in chunks_of_logs)
        return
    waiting: deque[tuple[Sequence[Log], Future[Result]]] = deque()
    with Processes(1) as fallback:
        try:
            for chunk in chunks_of_logs:
                try:
                    future = executor.submit(work, chunk, frozenset())
                except BrokenExecutor as error:
                    text = f"found that the executor takes nothing more ({type(error).__name__})"
                    text += " since a worker died: from here on one process reads"
                    tell(f"{_ends(chunk)}: {text}")
                    executor = fallback
                    future = fallback.submit(work, chunk, frozenset())
                waiting.append((chunk, future))
                if len(waiting) >= under_way:
                    yield _result(work, *waiting.popleft(), fallback, tell)
            while waiting:
                yield _result(work, *waiting.popleft(), fallback, tell)
        finally:
            for _, future in waiting:
                future.cancel()


def _result(
    work: Work[Result],
    chunk: Sequence[Log],
    future: Future[Result],
    fallback: Executor,
    tell: Callable[[str], object],
) -> Result:
    """Return what the work makes of a chunk: its future, else a process without deadly logs."""
    try:
        return future.result()
    except SdAnalysisError:
        raise
    except Exception as error:  # of any executor: a pool that broke, a worker killed too often
        text = f"found that its worker died ({type(error).__name__})"
        tell(f"{_ends(chunk)}: {text}, read again in a new process")
    with suppress(BrokenExecutor):
        return fallback.submit(work, chunk, frozenset()).result()
    deadly = []
    for log in chunk:
        try:
            fallback.submit(work, [log], frozenset()).result()
        except BrokenExecutor:
            deadly.append(log.path)
    try:
        return fallback.submit(work, chunk, frozenset(deadly)).result()
    except BrokenExecutor as error:
        text = "found that each process that read them died, expected enough memory for them"
        raise SdAnalysisError(f"{_ends(chunk)}: {text}, or smaller chunks") from error


def _ends(chunk: Sequence[Log]) -> str:
    """Name a chunk by its first and last log."""
    names = dict.fromkeys(printable(log.path) for log in (chunk[0], chunk[-1]))
    return " to ".join(names) + (f" ({len(chunk)} logs)" if len(chunk) > 2 else "")


class Processes(Executor):
    """A pool of processes that is made anew when one of them dies: what it had is lost, no more."""

    def __init__(self, jobs: int) -> None:
        # never by a fork: where there are threads, a fork has what they locked
        settings = {"mp_context": get_context("spawn"), "initializer": _obey}
        self._begin = partial(ProcessPoolExecutor, jobs, **settings)
        self._pool = self._begin()

    def submit(self, *call: Any, **keywords: Any) -> Future:
        """Let a process call a function."""
        try:
            return self._pool.submit(*call, **keywords)
        except BrokenExecutor:
            self._pool.shutdown()
            self._pool = self._begin()
            return self._pool.submit(*call, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _obey() -> None:
    """Let a worker end with the process that started it, however that ends, and only so."""
    is_alone = Event()

    def end_with_parent() -> None:
        if parent := parent_process():
            parent.join()
            is_alone.set()
            interrupt_main()  # what it writes is removed, as after an error
            time.sleep(1)
            os._exit(1)  # the work waits for a queue that nobody fills

    signal.signal(signal.SIGINT, lambda *_: sys.exit(1) if is_alone.is_set() else None)
    logging.getLogger("concurrent.futures").disabled = True  # it would print that exit
    Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def processes(jobs: int) -> Iterator[tuple[Executor | None, int]]:
    """Give processes of this computer, and how many chunks are under way; one is this process."""
    if jobs == 1:
        yield None, 1
        return
    pool = Processes(jobs)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield pool, _A_WORKER * jobs
    finally:  # after SIGTERM, too, else multiprocessing prints that semaphores were left over
        signal.signal(signal.SIGTERM, before)
        pool.shutdown(cancel_futures=True)


@contextmanager
def cluster(scheduler: str) -> Iterator[tuple[Executor, int]]:
    """Give the workers of a Dask scheduler, which are to have the same version of this package."""
    try:
        from dask import config
        from distributed import Client
    except ImportError as error:
        raise missing_extra("dask", "distributed", "--scheduler") from error
    try:
        with config.set(_NO_MESSAGES):
            client = Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        text = f"found no Dask scheduler ({error or type(error).__name__}), expected its address"
        raise SdAnalysisError(f"{scheduler}: {text}, such as tcp://host:8786") from error
    with client:
        versions = client.run(_version)
        if {*versions.values()} != {__version__}:
            numbers = ", ".join(sorted({*versions.values()}))
            text = f"found sdanalysis {numbers} on workers" if numbers else "found no worker"
            raise SdAnalysisError(f"{scheduler}: {text}, expected {__version__} on each, as here")
        yield client.get_executor(), _A_WORKER * sum(client.ncores().values())


def _version() -> str:
    return __version__
