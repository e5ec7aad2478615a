"""Many logs -> one DataFrame, built once from columns; fio's bins and samples as long tables."""

from __future__ import annotations

import gzip
import io
from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import long_tables as columnar
from sdanalysis.logs import read as logs
from sdanalysis.logs.long_tables import Block, joined, typed
from sdanalysis.parsers.fio import bulk as fast
from sdanalysis.parsers.fio import histograms as fio_bins
from sdanalysis.parsers.fio.job import FIELDS

_CELLS = attrgetter(*FIELDS)
_TOOLS, _REPEATS = attrgetter("tool"), attrgetter("repeat")
_AT_ONCE = 500  # rows that become columns together
_GZIP = b"\x1f\x8b"
_LONGEST = 1000  # bytes that a side log's first line may have
_SAMPLES = ("time_ms", "value", "direction", "block_size", "offset", "priority")


class Rows:
    """The rows of a table to be: a class because they come a file at a time, as columns."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._parts: list[dict[str, Any]] = []
        self._begin_part()

    def _begin_part(self) -> None:
        self._rows: list[tuple] = []  # of FIELDS
        self._rest: dict[str, list] = {"file": [], "tool": [], "repeat": []}

    def add_file(self, path: str) -> Sequence[Problem]:
        """Add the rows of one log; return what could not be read."""
        try:
            content = logs.read_bytes(path)
        except OSError as error:
            return logs.unread(path, error).problems
        rows = fast.rows(content)
        if rows is not None:
            self._add_fast(path, rows)
            return ()
        log, blocks = columnar.parse(path, content)
        self._add_log(path, log, blocks)
        return log.problems

    def frame(self) -> pd.DataFrame:
        """Return the table, with the types of `schema.COLUMNS`."""
        self._close_part()
        parts = self._parts or [typed({name: [] for name in logs.COLUMNS})]
        columns = {
            name: parts[0][name]
            if len(parts) == 1
            else pd.concat([pd.Series(part.pop(name)) for part in parts], ignore_index=True)
            for name in logs.COLUMNS
        }
        return pd.DataFrame(columns, copy=False)

    def _add_fast(self, path: str, rows: list[tuple]) -> None:
        count = len(rows)
        self._rows += rows
        self._rest["file"] += [path] * count
        self._rest["tool"] += ["fio"] * count
        self._rest["repeat"] += [1] * count

    def _add_log(self, path: str, log: logs.Log, blocks: Sequence[Block]) -> None:
        found, place = log.measurements, 0
        for table in log.tables:
            first = table.lines[0].number
            stop = bisect_left(found, first, lo=place, key=attrgetter("line"))
            self._add_measurements(path, found[place:stop])
            place = stop
            self._close_part()
            self._parts.append(columnar.table(path, table, blocks))
        self._add_measurements(path, found[place:])

    def _add_measurements(self, path: str, found: Sequence[Measurement]) -> None:
        self._rows += map(_CELLS, found)
        self._rest["file"] += [path] * len(found)
        self._rest["tool"] += map(_TOOLS, found)
        self._rest["repeat"] += map(_REPEATS, found)

    def _close_part(self) -> None:
        """Make typed columns of the rows so far."""
        if self._rows:
            cells = dict(zip(FIELDS, _columns(self._rows), strict=True))
            cells |= self._rest | {"remarks": list(map(joined, cells["remarks"]))}
            self._parts.append(typed({name: cells[name] for name in logs.COLUMNS}))
            self._begin_part()


def bins(path: Path | str) -> pd.DataFrame:
    """Return the latency histograms of a json+ file of fio: one row a bin.

    Columns `series` (job, jobname, op and kind in one category), `latency_ns` and `count`.

    Raises
    ------
    SdAnalysisError
        The file is not one fio JSON object, or a bin is no pair of whole numbers.
    """
    found = fio_bins.bins(Path(path).read_bytes())
    names = [" ".join(map(str, one)) for one in found["categories"]]
    series = np.frombuffer(found["series"], np.int32) if names else np.array([], np.int32)
    return pd.DataFrame(
        {
            "series": pd.Categorical.from_codes(series, names),
            "latency_ns": np.asarray(found["latency_ns"]),
            "count": np.asarray(found["count"]),
        },
        copy=False,
    )


def samples(path: Path | str) -> pd.DataFrame:
    """Return a side log of fio (`_bw.1.log`): one row a sample, the numbers as printed.

    A last line without its end may be cut and is left out. Columns are those of `_SAMPLES`, as
    many as the first line has; bandwidth is in KiB/s, direction 0 read, 1 write, 2 trim.

    Raises
    ------
    SdAnalysisError
        A line has another number of columns or is not of numbers.
    """
    lines, columns = _whole_lines(Path(path))
    names = _SAMPLES[:columns]
    types = {name: "category" if name == "priority" else "int64" for name in names}
    how = {"header": None, "na_filter": False, "compression": None}
    try:
        frame = pd.read_csv(lines, names=names, dtype=types, **how)
    except ValueError as error:  # pandas' own parser errors are ones
        raise SdAnalysisError(f"{path}: found {error}, expected fio's samples") from error
    if len(names) < 4 or not isinstance(frame.index, pd.RangeIndex):
        raise SdAnalysisError(f"{path}: found {columns} columns, expected 4 to 6 of fio's samples")
    direction = frame["direction"]
    if len(frame) and (min(direction.min(), frame["value"].min()) < 0 or direction.max() > 2):
        raise SdAnalysisError(f"{path}: found a direction or a number that no sample has")
    if columns < 6:
        return frame
    priority = frame["priority"].array
    words = pd.array(priority.categories, dtype="str")
    if not all(map(str.strip, words)):
        raise SdAnalysisError(f"{path}: found a line without its column {columns}, a priority")
    return frame.assign(priority=words.take(priority.codes))


def _whole_lines(path: Path) -> tuple[Path | BinaryIO, int]:
    """Return what pandas shall read, without a last line that may be cut, and its columns.

    A whole file stays a path: pandas reads an open one half as fast.
    """
    with path.open("rb") as file:
        first = file.readline(_LONGEST)
        if file.seekable() and not first.startswith(_GZIP) and _ends_with_a_line(file):
            return path, first.count(b",") + 1
        content = path.read_bytes() if file.seekable() else first + file.read()
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    whole = content[: content.rfind(b"\n") + 1]
    return io.BytesIO(whole), whole[:_LONGEST].partition(b"\n")[0].count(b",") + 1


def _columns(rows: Sequence[tuple]) -> list[list]:
    """Return the columns of rows, some hundred at a time: more would not fit the fast memory."""
    columns: list[list] = [[] for _ in FIELDS]
    for at in range(0, len(rows), _AT_ONCE):
        parts = zip(*rows[at : at + _AT_ONCE], strict=True)
        for column, part in zip(columns, parts, strict=True):
            column.extend(part)
    return columns


def _ends_with_a_line(file: io.BufferedReader) -> bool:
    file.seek(max(file.seek(0, io.SEEK_END) - 1, 0))
    return file.read() == b"\n"
