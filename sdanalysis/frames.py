"""Many logs -> one DataFrame, built once from columns; fio's bins and samples as long tables."""

from __future__ import annotations

import gzip
import io
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis import logs, schema
from sdanalysis.errors import SdAnalysisError
from sdanalysis.model import Measurement, Problem
from sdanalysis.parsers import iozone
from sdanalysis.parsers.fio import bins as fio_bins
from sdanalysis.parsers.fio import fast
from sdanalysis.parsers.fio.report import FIELDS

_DTYPES = {name: schema.COLUMNS[name].dtype for name in logs.COLUMNS}
_CELLS = attrgetter(*FIELDS)
_TOOLS, _REPEATS = attrgetter("tool"), attrgetter("repeat")
_AT_ONCE = 500  # rows that become columns together
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
        log = logs.parse_lean(path, content)
        self._add_log(path, log)
        return log.problems

    def frame(self) -> pd.DataFrame:
        """Return the table, with the types of `schema.COLUMNS`."""
        self._close_part()
        parts = self._parts or [_typed({name: [] for name in logs.COLUMNS})]
        columns = {
            name: parts[0][name]
            if len(parts) == 1
            else pd.concat([pd.Series(part[name]) for part in parts], ignore_index=True)
            for name in logs.COLUMNS
        }
        return pd.DataFrame(columns, copy=False)

    def _add_fast(self, path: str, rows: list[tuple]) -> None:
        count = len(rows)
        self._rows += rows
        self._rest["file"] += [path] * count
        self._rest["tool"] += ["fio"] * count
        self._rest["repeat"] += [1] * count

    def _add_log(self, path: str, log: logs.Log) -> None:
        rest = log.measurements
        for table in log.tables:
            first = table.lines[0].number
            before = [one for one in rest if one.line < first]
            self._add_measurements(path, before)
            rest = rest[len(before) :]
            self._close_part()
            self._parts.append(_table(path, table))
        self._add_measurements(path, rest)

    def _add_measurements(self, path: str, found: Sequence[Measurement]) -> None:
        self._rows += map(_CELLS, found)
        self._rest["file"] += [path] * len(found)
        self._rest["tool"] += map(_TOOLS, found)
        self._rest["repeat"] += map(_REPEATS, found)

    def _close_part(self) -> None:
        """Make typed columns of the rows so far."""
        if self._rows:
            cells = dict(zip(FIELDS, _columns(self._rows), strict=True))
            cells |= self._rest | {"flags": list(map(_text, cells["flags"]))}
            self._parts.append(_typed({name: cells[name] for name in logs.COLUMNS}))
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
    content = Path(path).read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if not content.endswith(b"\n"):
        content = content[: content.rfind(b"\n") + 1]
    columns = content[: content.find(b"\n")].count(b",") + 1
    names = _SAMPLES[:columns]
    types = {name: "str" if name == "priority" else "int64" for name in names}
    try:
        frame = pd.read_csv(io.BytesIO(content), header=None, names=names, dtype=types)
    except ValueError as error:  # pandas' own parser errors are ones
        raise SdAnalysisError(f"{path}: found {error}, expected fio's samples") from error
    if len(names) < 4 or not isinstance(frame.index, pd.RangeIndex):
        raise SdAnalysisError(f"{path}: found {columns} columns, expected 4 to 6 of fio's samples")
    direction = frame["direction"]
    if len(frame) and (min(direction.min(), frame["value"].min()) < 0 or direction.max() > 2):
        raise SdAnalysisError(f"{path}: found a direction or a number that no sample has")
    return frame


def _text(flags: tuple[str, ...]) -> str | None:
    return " ".join(flags) or None


def _columns(rows: Sequence[tuple]) -> list[list]:
    """Return the columns of rows, some hundred at a time: more would not fit the fast memory."""
    columns: list[list] = [[] for _ in FIELDS]
    for at in range(0, len(rows), _AT_ONCE):
        parts = zip(*rows[at : at + _AT_ONCE], strict=True)
        for column, part in zip(columns, parts, strict=True):
            column.extend(part)
    return columns


def _typed(cells: Mapping[str, Sequence]) -> dict[str, Any]:
    return {
        name: np.array(column, dtype=float)
        if _DTYPES[name] == "float64"
        else pd.array(column, dtype=_DTYPES[name])
        for name, column in cells.items()
    }


def _table(path: str, rows: iozone.Rows) -> dict[str, Any]:
    """Return the columns of a long table of iozone: what `iozone.expand` gives, all at once."""
    width, count = len(rows.ops), len(rows.lines)
    words = " ".join([line.text[rows.margin :] for line in rows.lines]).split()
    printed = np.array(words, dtype=object).reshape(count, width + 2)
    numbers = np.array(list(map(int, words))).reshape(count, width + 2)
    digits = numbers[:, 2:].ravel()
    lengths = np.searchsorted(10 ** np.arange(1, 12), digits, side="right") + 1
    first = rows.lines[0].number
    ops = pd.array(rows.ops, dtype="str")
    columns = {
        "line": _whole(np.repeat(np.arange(first, first + count), width)),
        "column": _whole(np.tile(rows.ends, count) - lengths + 1),
        "op": ops.take(np.tile(np.arange(width), count)),
        "raw": pd.array(printed[:, 2:].ravel(), dtype="str"),
        "value": _scaled(digits, rows.factor),
        "value_low": _scaled(digits, rows.factor),
        "value_high": _scaled(digits + 1, rows.factor),
        "block_size": _whole(np.repeat(numbers[:, 1] * 1024, width)),
        "file_size": _whole(np.repeat(numbers[:, 0] * 1024, width)),
    }
    same = dict.fromkeys(logs.COLUMNS) | {"stat": "single", "status": "measured", "repeat": 1}
    same |= dict(rows.shared) | {"file": path, "flags": _text(rows.shared.get("flags", ()))}
    cells = _typed({name: [same[name]] for name in logs.COLUMNS if name not in columns})
    return columns | {name: array.repeat(len(digits)) for name, array in cells.items()}


def _whole(numbers: np.ndarray) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(numbers, np.zeros(len(numbers), dtype=bool))


def _scaled(digits: np.ndarray, factor: float) -> np.ndarray:
    """Do as `iozone.whole.scaled` does, for all numbers."""
    return (digits * factor if factor >= 1 else digits / round(1 / factor)).astype(float)
