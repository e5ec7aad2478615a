"""Many logs -> one DataFrame: their rows are kept as columns while they come."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.codebook.tables import WHAT
from sdanalysis.codebook.units import KIB
from sdanalysis.errors import check_known
from sdanalysis.logs.arrays import constant, typed
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.json_forms import Forms
from sdanalysis.logs.read import Log, read_log, without_collector
from sdanalysis.logs.tables import read_tables
from sdanalysis.parsers.iozone import Table
from sdanalysis.paths import expand, only_folders, printable

# where the cells of columns stand in a measurement, but for the file, which it does not know
_PLACES = {name: Measurement._fields.index(name) for name in LOG_COLUMNS if name != "file"}
_SHARED = Measurement._fields[Measurement._fields.index("tool") :]  # what a `Table` shares
_POWERS, _MANY = 10 ** np.arange(1, 10), 100_000  # of a figure of iozone; its figures
_DEADLY = "found that the process that read it died, each time; expected a benchmark log"


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


def read_logs(
    paths: Iterable[str], most: int = MOST_BYTES
) -> tuple[pd.DataFrame, list[tuple[str, Problem]]]:
    """Return the rows of logs (of at most `most` bytes) as a frame, and what was not read."""
    rows = Rows(most)
    with without_collector():
        problems = [(path, problem) for path in paths for problem in rows.add_file(path)]
        return rows.frame(), problems


class Rows:
    """The rows of a table to be, which come a log at a time and are kept as columns."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        """Begin without rows; no log may have more than `most` bytes."""
        self._most = most
        self._forms = Forms()
        self._parts: list[dict[str, Any]] = []
        self._tables: list[tuple[str, Table]] = []  # of consecutive logs, each with its path
        self._rows: list[Measurement] = []
        self._files: list[str] = []  # of each row

    def add_file(self, path: str) -> Sequence[Problem]:
        """Add the rows of one log; return what could not be read."""
        return self._add_log(read_log(path, self._most, self._forms.parse_log))

    def add_content(self, path: str, content: bytes) -> Sequence[Problem]:
        """Add the rows of one log, whose bytes are known; return what could not be read."""
        return self._add_log(self._forms.parse_log(path, content, self._most))

    def _add_log(self, log: Log) -> Sequence[Problem]:
        if log.parts and isinstance(log.parts[0], Table):  # then all are
            self._close_rows()
            for table in cast("Sequence[Table]", log.parts):
                if self._tables and self._tables[-1][1].layout != table.layout:
                    self._close_tables()
                self._tables.append((log.path, table))
        else:
            self._close_tables()
            self._rows += cast("Sequence[Measurement]", log.parts)
            self._files += [printable(log.path)] * len(log.parts)
        return log.problems

    def _close_tables(self) -> None:
        """Make typed columns of the tables so far."""
        if self._tables:
            self._parts.append(_columns(self._tables))
            self._tables = []

    def _close_rows(self) -> None:
        """Make typed columns of the rows so far."""
        if self._rows:
            columns = list(zip(*self._rows, strict=True))
            cells: dict[str, list] = {name: list(columns[at]) for name, at in _PLACES.items()}
            cells["remarks"] = [" ".join(words) or None for words in cells["remarks"]]
            self._parts.append(typed({**cells, "file": self._files}))
            self._rows, self._files = [], []

    def frame(self) -> pd.DataFrame:
        """Return the table, with the types of `codebook.COLUMNS`."""
        self._close_rows()
        self._close_tables()
        parts = self._parts or [typed({name: [] for name in LOG_COLUMNS})]
        columns = {
            name: parts[0][name]
            if len(parts) == 1
            else pd.concat([pd.Series(part.pop(name)) for part in parts], ignore_index=True)
            for name in LOG_COLUMNS
        }
        return pd.DataFrame(columns, copy=False)


def _columns(found: Sequence[tuple[str, Table]]) -> dict[str, Any]:
    """Return the columns of tables of one layout, each with the path of its log: `expand` at once.

    The gain: 20 logs of `iozone -a` take 10 ms together instead of 130, 20 MB 0.4 s instead of 6.
    """
    tables = [table for _, table in found]
    rows, first = [table.rows for table in tables], tables[0]
    text, width = "".join(table.text for table in tables), len(first.ops)
    printed = np.fromstring(text, np.int64, sep=" ").reshape(-1, 2 + width)
    results = printed[:, 2:].ravel()
    if len(results) < _MANY:
        raw = pd.array(np.array(text.split(), object).reshape(printed.shape)[:, 2:].ravel(), "str")
    else:  # the text of each number is made once
        codes, numbers = pd.factorize(results)
        raw = pd.array(list(map(str, numbers.tolist())), dtype="str").take(codes)
    ends = np.tile(first.ends, len(printed))
    value = pd.Series(first.unit.of(results * 1.0), copy=False)
    lines = np.concatenate([np.arange(table.first, table.first + table.rows) for table in tables])
    cells = {
        "line": _whole(lines.repeat(width)),
        "column": _whole(ends - np.searchsorted(_POWERS, results, side="right")),
        "file_size": _whole((printed[:, 0] * KIB).repeat(width)),
        "block_size": _whole((printed[:, 1] * KIB).repeat(width)),
        "op": pd.array(first.ops, dtype="str").take(np.tile(np.arange(width), len(printed))),
        "raw": raw,
        "value": value,
        "value_low": value,  # once for both: pandas copies it before somebody writes into one
        "value_high": first.unit.of(results + 1.0),
    }
    same = {"metric": first.unit.metric, "stat": first.stat, "raw_unit": first.printed}
    of_tables = [
        dict(zip(_SHARED, [*table.shared[:-1], " ".join(table.shared[-1]) or None], strict=False))
        | {"file": printable(path), **same}
        for path, table in found
    ]
    for name in [name for name in LOG_COLUMNS if name not in cells]:
        column = [of_table[name] for of_table in of_tables]
        if len(set(column)) == 1:
            cells[name] = constant(column[0], name, len(results))
        else:
            cells[name] = typed({name: column})[name].repeat(np.array(rows) * width)
    return {name: cells[name] for name in LOG_COLUMNS}


def _whole(numbers: np.ndarray) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(numbers, np.zeros(len(numbers), bool))


def add_log(
    rows: Rows, path: str, deadly: frozenset[str], content: bytes | None = None
) -> Sequence[Problem]:
    """Add the rows of a log, or of its content; return what could not be read of it."""
    if path in deadly:
        return (Problem(line=1, text=_DEADLY),)
    try:
        return rows.add_file(path) if content is None else rows.add_content(path, content)
    except Exception as error:  # a defect of ours, which must not end the reading of all others
        text = f"found {error!r} while it was read, a defect of sdanalysis, expected rows"
        return (Problem(line=1, text=text),)
