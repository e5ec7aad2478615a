"""Many logs -> one frame, or frames of a chunk of logs at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import pandas as pd

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.tables import WHAT
from sdanalysis.errors import check_known
from sdanalysis.logs.bulk import Rows, add_log, read_logs
from sdanalysis.logs.chunks import CHUNK, UNDER_WAY, Log, chunks, in_order
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.frames import problem_rows
from sdanalysis.logs.lean import without_collector
from sdanalysis.logs.tables import read_tables
from sdanalysis.paths import expand, only_folders

Found = tuple[pd.DataFrame, list[tuple[str, Problem]]]


def parse(
    paths: Iterable[Path | str] | Path | str,
    what: str = "measurements",
    *,
    max_bytes: int = MOST_BYTES,
) -> pd.DataFrame:
    r"""Return what logs (files, folders, globs) hold: one row a measurement, typed as in `load`.

    `what` may also be percentiles, bins or samples (of fio): tables with the columns of
    `codebook.tables.TABLES`, in seconds, B/s and 1/s. A log of more than `max_bytes`, as it lies or
    unpacked, is not read. One warning tells how many logs were not read to the end, and the first
    reason; other files in a folder are passed over. A path that names nothing is an
    SdAnalysisError.

    Examples
    --------
    >>> import sdanalysis
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> printed = "67108864 bytes (67 MB, 64 MiB) copied, 0.529978 s, 127 MB/s"
    >>> with TemporaryDirectory() as folder:
    ...     log = Path(folder) / "card.log"
    ...     _ = log.write_text(f"64+0 records in\n64+0 records out\n{printed}\n")
    ...     rows = sdanalysis.parse(log)
    >>> rows[["tool", "op", "raw", "raw_unit", "value"]].round(0)
      tool    op  raw raw_unit        value
    0   dd  copy  127     MB/s  126625754.0
    >>> samples = sdanalysis.parse("data/examples/over-time/*.log", what="samples")
    >>> samples[["op", "metric", "time", "value", "raw", "raw_unit"]].tail(1)
            op     metric  time        value     raw raw_unit
    1504  read  bandwidth  1.63  409600000.0  400000    KiB/s
    """
    check_known("what", what, WHAT)
    names = [paths] if isinstance(paths, Path | str) else paths
    files = expand([str(name) for name in names])
    if what == "measurements":
        frame, problems = read_logs(files, max_bytes)
    else:
        frame, problems = read_tables(what, files, max_bytes)
    refused: dict[str, str] = {}  # the first error of each log
    for path, problem in problems:
        if problem.kind == "error":
            refused.setdefault(path, f"{path}:{problem.line}: {problem.text}")
    if refused:
        text = f"{len(refused)} logs were not wholly read (`sdanalysis parse` tells all): "
        warnings.warn(text + next(iter(refused.values())), stacklevel=2)
    elif frame.empty and only_folders(files):
        text = (
            f"found no {what} in any of {len(files)} files, expected a benchmark's log among them"
        )
        warnings.warn(text, stacklevel=2)
    return frame


def parse_many(
    paths: Iterable[Path | str] | Path | str,
    *,
    executor: Executor | None = None,
    chunk: int = CHUNK,
    under_way: int = UNDER_WAY,
    max_bytes: int = MOST_BYTES,
) -> Frames:
    r"""Read logs a chunk at a time, and return an iterator of frames as `parse` gives them.

    Parameters
    ----------
    paths : str, Path or iterable of them
        Files, folders, globs. All workers have to find them under these names.
    executor : concurrent.futures.Executor, optional
        What reads: a `ProcessPoolExecutor`, `get_executor()` of a Dask client, or any other with
        `submit`. Without it this process does.
    chunk : int
        So many logs become a frame; fewer where they are large.
    under_way : int
        So many chunks at most are being read, or wait to be taken: twice the workers are enough.
    max_bytes : int
        A longer log is not read.

    Returns
    -------
    Frames
        Its frames together are what `parse` returns, in the order of the paths, whatever reads
        them. Its `problems` are those of the logs so far: `file`, `line`, `kind`, `text`. A log
        that cannot be read is a row there. If a worker dies there is a warning with the logs of its
        chunk, which is read again in a process of its own.

    Examples
    --------
    >>> import sdanalysis
    >>> frames = sdanalysis.parse_many("data/examples/over-time/*.json", chunk=1)
    >>> [len(rows) for rows in frames]
    [6, 6]
    >>> frames.problems
    Empty DataFrame
    Columns: [file, line, kind, text]
    Index: []
    """
    names = [paths] if isinstance(paths, Path | str) else paths
    logs = map(Log, expand([str(name) for name in names]))
    return Frames(
        in_order(
            partial(read_chunk, most=max_bytes),
            chunks(logs, chunk),
            executor,
            under_way=under_way,
            tell=partial(warnings.warn, stacklevel=4),
        )
    )


class Frames(Iterator[pd.DataFrame]):
    """The frames of `parse_many` as they come, and what could not be read so far."""

    def __init__(self, found: Iterator[Found]) -> None:
        self._found = found
        self._problems: list[tuple[str, Problem]] = []

    def __next__(self) -> pd.DataFrame:
        """Return the rows of the next chunk."""
        rows, problems = next(self._found)
        self._problems += problems
        return rows

    @property
    def problems(self) -> pd.DataFrame:
        """What could not be read, or is worth a word, of the logs so far: one row each."""
        return problem_rows(self._problems)


def read_chunk(
    logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, most: int = MOST_BYTES
) -> Found:
    """Return the rows of logs, and what could not be read; never raises for what is in them."""
    rows = Rows(most)
    with without_collector():
        found = [(log.path, word) for log in logs for word in add_log(rows, log.path, deadly)]
        return rows.frame(), found
