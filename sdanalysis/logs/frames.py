"""Frames of the tables of `codebook.tables`: typed, empty, and several as one."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
from pandas.api.types import union_categoricals

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.tables import TABLES
from sdanalysis.paths import printable

PROBLEM_COLUMNS = {"file": "str", "line": "Int64", "kind": "str", "text": "str"}
Found = tuple[pd.DataFrame, list[Problem]]


def empty(what: str) -> pd.DataFrame:
    """Return the table without rows, its columns typed."""
    return typed(what, pd.DataFrame({name: [] for name in TABLES[what]}, dtype=object))


def typed(what: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table in their order and types."""
    types = {name: column.dtype for name, column in TABLES[what].items()}
    wrong = {name: dtype for name, dtype in types.items() if frame[name].dtype != dtype}
    return frame[list(types)].astype(wrong)


def together(what: str, frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of one table as one; their categories are united, not spelled out."""
    parts = [frame for frame in frames if len(frame)]
    if len(parts) < 2:
        return parts[0] if parts else empty(what)
    columns: dict[str, Any] = {}
    for name, column in TABLES[what].items():
        cells = [part[name] for part in parts]
        if column.dtype == "category":
            columns[name] = union_categoricals([_of_words(cell) for cell in cells])
        else:
            columns[name] = pd.concat(cells, ignore_index=True)
    return typed(what, pd.DataFrame(columns))


def _of_words(cells: pd.Series) -> pd.Series:
    """Return categories of texts: those of a column without any cell have another type."""
    return cells.cat.set_categories(cells.cat.categories.astype("str"))


def problem_rows(problems: Iterable[tuple[str, Problem]]) -> pd.DataFrame:
    """Return problems that come with their path as a frame of `PROBLEM_COLUMNS`."""
    cells = [(printable(path), found.line, found.kind, found.text) for path, found in problems]
    return pd.DataFrame(cells, columns=[*PROBLEM_COLUMNS]).astype(PROBLEM_COLUMNS)
