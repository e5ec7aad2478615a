"""Many logs -> frames of a chunk of logs at a time, by this process or by an executor."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import pandas as pd

from sdanalysis.archive.chunks import CHUNK, UNDER_WAY, Log, chunks, map_work
from sdanalysis.codebook.measurement import Problem
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.many import Rows, add_log
from sdanalysis.logs.read import without_collector
from sdanalysis.logs.tables import problem_rows
from sdanalysis.paths import expand

ChunkResult = tuple[pd.DataFrame, list[tuple[str, Problem]]]


def parse_many(
    paths: Iterable[Path | str] | Path | str,
    *,
    executor: Executor | None = None,
    chunk: int = CHUNK,
    under_way: int = UNDER_WAY,
    max_bytes: int = MOST_BYTES,
) -> Frames:
    """Read logs a chunk at a time, and return an iterator of frames as `parse` gives them.

    Files, folders, globs; all workers have to find them under these names. A frame holds `chunk`
    logs, or fewer where they are large. At most `under_way` chunks are read or wait at a time;
    twice the number of workers is enough. Each worker is one of an `executor` of
    `concurrent.futures` or a Dask client's `get_executor()`; without it this process reads. A log
    of more than `max_bytes` is not read.

    The frames together are what `parse` returns, in the order of the paths. Their `problems` are
    those of the logs so far: `file`, `line`, `kind`, `text`; a log that cannot be read is a row
    there. If a worker dies there is a warning, and its chunk is read again in a process of its own.

    Examples
    --------
    >>> import sdanalysis
    >>> frames = sdanalysis.parse_many("data/examples/over-time/*.json", chunk=1)
    >>> [len(rows) for rows in frames], len(frames.problems)
    ([6, 6], 0)
    """
    names = [paths] if isinstance(paths, Path | str) else paths
    logs = map(Log, expand([str(name) for name in names]))
    work, tell = partial(read_chunk, most=max_bytes), partial(warnings.warn, stacklevel=4)
    return Frames(map_work(work, chunks(logs, chunk), executor, under_way=under_way, tell=tell))


class Frames(Iterator[pd.DataFrame]):
    """The frames of `parse_many` as they come, and what could not be read so far."""

    def __init__(self, results: Iterator[ChunkResult]) -> None:
        self._results = results
        self._problems: list[tuple[str, Problem]] = []

    def __next__(self) -> pd.DataFrame:
        """Return the rows of the next chunk."""
        rows, problems = next(self._results)
        self._problems += problems
        return rows

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read, or is worth a word, of the logs so far: one row each."""
        return problem_rows(self._problems)


def read_chunk(
    logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, most: int = MOST_BYTES
) -> ChunkResult:
    """Return the rows of logs, and what could not be read; never raises for what is in them."""
    rows = Rows(most)
    with without_collector():
        found = [(log.path, word) for log in logs for word in add_log(rows, log.path, deadly)]
        return rows.frame(), found
