"""Chunks of logs -> what some work makes of them: in this process, a pool, a cluster.

The one seam is `submit` of `concurrent.futures.Executor`. What is asked for comes back in its
order, a few chunks are under way at a time, and a worker that dies ends nothing but itself.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Generic, NamedTuple, TypeVar

from sdanalysis.errors import SdAnalysisError
from sdanalysis.paths import printable

CHUNK = 500  # logs: less work does not pay for the way to another process
CHUNK_BYTES = 2**26  # a chunk ends there, too, so that few large logs are a chunk
UNDER_WAY = 16  # chunks
Result = TypeVar("Result")
Answer = TypeVar("Answer")


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
    together: list[Log] = []
    weight = 0
    for log in logs:
        size = _size(log.path)
        if together and (len(together) == most or weight + size > CHUNK_BYTES):
            yield tuple(together)
            together, weight = [], 0
        together.append(log)
        weight += size
    if together:
        yield tuple(together)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - there are thousands, as in `read_bytes`
    except OSError:
        return 0  # reading it will say why


def in_order(
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
    waiting: deque[tuple[Sequence[Log], Future[Result] | None]] = deque()
    run = _Run(work, executor, tell)
    try:
        for chunk in chunks_of_logs:
            waiting.append((chunk, run.submitted(chunk)))
            if len(waiting) >= under_way:
                yield run.result(*waiting.popleft())
        while waiting:
            yield run.result(*waiting.popleft())
    finally:
        for _, future in waiting:
            if future:
                future.cancel()
        run.end()


class _Run(Generic[Result]):
    """Some work on an executor, and beside it a process of its own for what a dead worker had."""

    def __init__(
        self, work: Work[Result], executor: Executor, tell: Callable[[str], object]
    ) -> None:
        self._work, self._executor, self._tell = work, executor, tell
        self._pool: ProcessPoolExecutor | None = None
        self._is_broken = False

    def submitted(self, chunk: Sequence[Log]) -> Future[Result] | None:
        """Return the future of a chunk; None where the executor takes nothing more."""
        if self._is_broken:
            return None
        try:
            return self._executor.submit(self._work, chunk, frozenset())
        except BrokenExecutor as error:
            self._is_broken = True
            name = type(error).__name__
            text = f"found that the executor takes nothing more ({name}) since a worker died"
            self._tell(f"{in_words(chunk)}: {text}: from here on one process reads")
            return None

    def result(self, chunk: Sequence[Log], future: Future[Result] | None) -> Result:
        """Return what the work makes of a chunk."""
        if future is None:
            return self._alone(chunk)
        try:
            return future.result()
        except SdAnalysisError:
            raise
        except Exception as error:  # of any executor: a pool that broke, a worker killed too often
            text = f"found that its worker died ({type(error).__name__})"
            self._tell(f"{in_words(chunk)}: {text}, read again in a new process")
            return self._alone(chunk)

    def _alone(self, chunk: Sequence[Log]) -> Result:
        """Do the work in a process of its own, without the logs that kill it."""
        try:
            return self._call(self._work, chunk)
        except BrokenExecutor:
            if not self._starts():  # of a script that begins anew in each process: no log's fault
                return self._work(chunk, frozenset())
            deadly = frozenset(self._deadly(chunk))
        try:
            return self._call(self._work, chunk, deadly)
        except BrokenExecutor as error:
            text = "found that each process that read them died, expected enough memory for them"
            raise SdAnalysisError(f"{in_words(chunk)}: {text}, or smaller chunks") from error

    def _starts(self) -> bool:
        """Tell whether a process can be started at all."""
        try:
            self._call(_nothing, ())
        except BrokenExecutor:
            return False
        return True

    def _deadly(self, chunk: Sequence[Log]) -> Iterator[str]:
        """Yield the logs of a chunk that kills a process which kill it, by halves."""
        if len(chunk) == 1:
            yield chunk[0].path
            return
        middle = len(chunk) // 2
        for half in (chunk[:middle], chunk[middle:]):
            try:
                self._call(self._work, half)
            except BrokenExecutor:
                yield from self._deadly(half)

    def _call(
        self, work: Work[Answer], chunk: Sequence[Log], deadly: frozenset[str] = frozenset()
    ) -> Answer:
        self._pool = self._pool or _processes(1)
        try:
            return self._pool.submit(work, chunk, deadly).result()
        except BrokenExecutor:
            self.end()
            raise

    def end(self) -> None:
        """End the process."""
        if self._pool:
            self._pool.shutdown()
            self._pool = None


def _nothing(chunk: Sequence[Log], deadly: frozenset[str]) -> None:
    """Do nothing: what starts does that."""


def _processes(jobs: int) -> ProcessPoolExecutor:
    # never by a fork: where there are threads, a fork has what they locked
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_obey)


def _obey() -> None:
    """Let a worker end with the process that started it, however that ends, and only so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)  # the work waits for a queue that nobody fills


class Processes(Executor):
    """A pool of processes that is made anew when one of them dies: what it had is lost, no more."""

    def __init__(self, jobs: int) -> None:
        self._jobs, self._pool = jobs, _processes(jobs)

    def submit(self, *call: Any, **named: Any) -> Future:
        """Let a process call a function."""
        try:
            return self._pool.submit(*call, **named)
        except BrokenExecutor:
            self._pool.shutdown()
            self._pool = _processes(self._jobs)
            return self._pool.submit(*call, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def in_words(chunk: Sequence[Log]) -> str:
    """Name a chunk by its first and last log."""
    ends = dict.fromkeys(printable(log.path) for log in (chunk[0], chunk[-1]))
    return " to ".join(ends) + (f" ({len(chunk)} logs)" if len(chunk) > 2 else "")
