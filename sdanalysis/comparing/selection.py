"""A set of results, and the conditions that choose rows of it: `host=pi-4b,tool=fio`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import size_in_bytes
from sdanalysis.errors import SdAnalysisError, UsageError, check_known
from sdanalysis.stats.same_test import SIZES

_BOOLEANS = {"true": True, "false": False}


class Side(NamedTuple):
    """One set of results: its rows, and what its files were.

    `files` maps the sha256 of each file to its path. `copies` maps the path of a repeated file to
    that of its first reading. `problems` come with their path.
    """

    name: str
    rows: pd.DataFrame
    files: Mapping[str, str] = {}
    copies: Mapping[str, str] = {}
    problems: Sequence[tuple[str, Problem]] = ()

    @property
    def failed(self) -> bool:
        """Whether something was not read."""
        return any(problem.kind == "error" for _, problem in self.problems)


def conditions(text: str) -> dict[str, list[str]]:
    """Return the conditions of a filter: `name=value,name=value`; a name twice: either value.

    A comma belongs to a value unless a `name=` follows it.
    """
    wanted: dict[str, list[str]] = {}
    for part in re.split(r",(?=\s*\w*=)", text):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not value:
            raise UsageError(f"found {part!r}, expected conditions such as host=pi-4b,tool=fio")
        check_known("column", name, COLUMNS, UsageError)
        wanted.setdefault(name, []).append(value)
    return wanted


def select_rows(
    rows: pd.DataFrame, wanted: Mapping[str, Sequence[str]], where: str = ""
) -> pd.DataFrame:
    """Return the rows that meet the conditions; a remark is met by a row that has it.

    An error of rows that are not there begins with `where`.
    """
    for name, values in wanted.items():
        if name not in rows:
            text = f"found no {name} in these logs, expected it for {name}=..."
            raise SdAnalysisError(where + text)
        cells = rows[name]
        if name == "remarks":
            meets = [not {*values}.isdisjoint(words) for words in cells.fillna("").str.split()]
        else:
            allowed = [_typed(name, value, str(cells.dtype)) for value in values]
            meets = cells.isin(allowed).to_numpy(dtype=bool)
        if not any(meets):
            known = ", ".join(map(str, sorted(cells.dropna().unique())[:20]))
            text = f"found no row with {name}={' or '.join(values)} left"
            expected = f"expected one of {known or 'none: it is not stated'}"
            raise SdAnalysisError(f"{where}{text}, {expected}")
        rows = rows[meets]
    return rows


def _typed(name: str, value: str, kind: str) -> object:
    """Return a value of a condition as the column of that type holds it."""
    try:
        if name in SIZES:
            return size_in_bytes(value)
        if kind == "boolean":
            return _BOOLEANS[value.lower()]
        return int(value) if kind == "Int64" else float(value) if kind == "float64" else value
    except (SdAnalysisError, KeyError, ValueError) as error:
        expected = "true or false" if kind == "boolean" else "a number"
        raise UsageError(f"found {name}={value}, expected {expected}") from error
