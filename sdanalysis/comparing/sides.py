"""An argument of `compare` (logs, or a filter on the table) -> the rows that it names."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis import paths
from sdanalysis.cli.reading import report_problem
from sdanalysis.codebook.units import size_in_bytes
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.logs import read as logs

if TYPE_CHECKING:
    import pandas as pd

TABLE = "table:"
# What no log states and a user may know.
GIVEN = ("measured_by", "host", "reader", "system", "label", "medium", "specimen")
_SIZES = ("block_size", "file_size")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: a class because its rows come with where they are from.

    `files` maps the sha256 of what was read to its path; `failed` says that something was not.
    """

    name: str
    rows: pd.DataFrame
    files: Mapping[str, str]
    failed: bool = False


def conditions(text: str) -> dict[str, list[str]]:
    """Return the conditions of a filter: `name=value,name=value`; a name twice: either value.

    A comma belongs to a value unless a `name=` follows it.

    Raises
    ------
    UsageError
        A part is no condition, a value is empty, or a name is no column.
    """
    from sdanalysis.codebook import schema

    found: dict[str, list[str]] = {}
    for part in re.split(r",(?=\s*\w*=)", text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"found {part!r}, expected conditions such as host=pi-4b,tool=fio")
        if name not in schema.COLUMNS:
            known = ", ".join(schema.COLUMNS)
            raise UsageError(f"found the column {name!r}, expected one of {known}")
        found.setdefault(name, []).append(value)
    return found


def given(text: str | None) -> dict[str, str]:
    """Return what a user states about the logs of a side: one value a condition.

    Raises
    ------
    UsageError
        A condition that logs state themselves, or two values for one.
    """
    stated = conditions(text) if text is not None else {}
    for name, values in stated.items():
        if name not in GIVEN or len(values) > 1:
            raise UsageError(
                f"found {name}={','.join(values)}, expected one value for any of {', '.join(GIVEN)}"
            )
    return {name: value for name, (value,) in stated.items()}


def read_side(argument: str, name: str, stated: Mapping[str, str], table: Path | None) -> Side:
    """Return the rows that one argument names.

    Raises
    ------
    SdAnalysisError
        There is no such file, it holds no benchmark, or no row meets the filter.
    """
    if argument.startswith(TABLE):
        if stated:
            raise UsageError(f"found conditions given for {argument}, expected them for logs only")
        return Side(name=name, rows=_filtered(argument, table), files={})
    return _read_logs(argument, name, stated)


def selected(rows: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the rows that meet the conditions; a remark is met by a row that has it.

    Raises
    ------
    SdAnalysisError
        None does: the message names a condition and the values that there are.
    """
    import pandas as pd

    for name, values in wanted.items():
        if name not in rows:
            raise SdAnalysisError(f"found no {name} in these logs, expected it for {name}=...")
        cells = rows[name]
        if name == "remarks":
            meets = pd.Series(
                [bool({*values} & {*words}) for words in cells.fillna("").str.split()]
            )
        else:
            meets = cells.isin([_typed(name, value, cells) for value in values])
        if not meets.any():
            known = ", ".join(str(one) for one in sorted(cells.dropna().unique())[:20])
            raise SdAnalysisError(
                f"found no row with {name}={' or '.join(values)} left, "
                f"expected one of {known or 'none: it is not stated'}"
            )
        rows = rows[meets.to_numpy(dtype=bool)]
    return rows


def _typed(name: str, value: str, cells: pd.Series) -> object:
    """Return the value as the column has it: `4k` and `4096` are one block size."""
    kind = str(cells.dtype)
    try:
        if name in _SIZES:
            return size_in_bytes(value)
        if kind == "boolean":
            return _BOOLEANS[value.lower()]
        return int(value) if kind == "Int64" else float(value) if kind == "float64" else value
    except (SdAnalysisError, KeyError, ValueError) as error:
        expected = "true or false" if kind == "boolean" else "a number"
        raise UsageError(f"found {name}={value}, expected {expected}") from error


def _filtered(argument: str, table: Path | None) -> pd.DataFrame:
    import sdanalysis

    wanted = conditions(argument.removeprefix(TABLE))
    try:
        return selected(sdanalysis.load(table), wanted)
    except UsageError:
        raise
    except SdAnalysisError as error:
        raise SdAnalysisError(f"{argument}: {error}") from error


def _read_logs(argument: str, name: str, stated: Mapping[str, str]) -> Side:
    from sdanalysis.logs import bulk as frames

    rows = frames.Rows()
    files: dict[str, str] = {}
    failed = False
    for path in paths.expand([argument]):
        digest = _digest(path)
        if digest in files:
            print(f"{path}: note: the same as {files[digest]}, counted once", file=sys.stderr)  # noqa: T201 - goes with the next step
            continue
        files[digest] = path
        for problem in rows.add_file(path):
            report_problem(path, problem)
            failed |= problem.kind == "error"
    frame = rows.frame()
    if frame.empty:
        raise SdAnalysisError(f"{argument}: found no measurement, expected a benchmark's results")
    return Side(name=name, rows=frame.assign(**stated), files=files, failed=failed)


def _digest(path: str) -> str:
    """Return what tells contents apart; standard input and what cannot be read are themselves."""
    try:
        content = b"" if path == paths.STANDARD_INPUT else logs.read_bytes(path)
    except OSError:
        content = b""
    return hashlib.sha256(content).hexdigest() if content else path
