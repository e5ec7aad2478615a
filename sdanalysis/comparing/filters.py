"""Filters such as `host=pi-4b,tool=fio`: what they state, and the rows that meet them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.codebook.units import size_in_bytes
from sdanalysis.errors import SdAnalysisError, UsageError, check_known
from sdanalysis.stats.same_test import SIZES, columns

# What no log states and a user may know.
GIVEN = columns("laboratory", "card", "name", "place", "system")
_BOOLEANS = {"true": True, "false": False}


def conditions(text: str) -> dict[str, list[str]]:
    """Return the conditions of a filter: `name=value,name=value`; a name twice: either value.

    A comma belongs to a value unless a `name=` follows it.
    """
    found: dict[str, list[str]] = {}
    for part in re.split(r",(?=\s*\w*=)", text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"found {part!r}, expected conditions such as host=pi-4b,tool=fio")
        check_known("column", name, COLUMNS, UsageError)
        found.setdefault(name, []).append(value)
    return found


def stated(text: str | None) -> dict[str, str]:
    """Return what a user states about the logs of a side: one value a condition."""
    found = conditions(text) if text is not None else {}
    for name, values in found.items():
        if name not in GIVEN or len(values) > 1:
            expected = f"one value for any of {', '.join(GIVEN)}"
            raise UsageError(f"found {name}={','.join(values)}, expected {expected}")
    return {name: value for name, (value,) in found.items()}


def selected(rows: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the rows that meet the conditions; a remark is met by a row that has it."""
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
            known = ", ".join(map(str, sorted(cells.dropna().unique())[:20]))
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
        if name in SIZES:
            return size_in_bytes(value)
        if kind == "boolean":
            return _BOOLEANS[value.lower()]
        return int(value) if kind == "Int64" else float(value) if kind == "float64" else value
    except (SdAnalysisError, KeyError, ValueError) as error:
        expected = "true or false" if kind == "boolean" else "a number"
        raise UsageError(f"found {name}={value}, expected {expected}") from error
