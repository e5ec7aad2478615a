"""Cells of a log's columns -> arrays of the types of the codebook."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE

_DTYPES = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}


def typed(cells: dict[str, list]) -> dict[str, Any]:
    """Return columns as arrays of the types of `COLUMNS`."""
    return {name: _array(column, _DTYPES[name]) for name, column in cells.items()}


def _array(column: list, dtype: Any) -> Any:
    """Return a column as an array; a cell that fills it (the tool of a folder) is made once."""
    count = len(column)
    if count > 1 and column[-1] == column[0] and column.count(column[0]) == count:
        return filled(_array(column[:1], dtype), count)
    if dtype == "float64":
        return np.array(column, dtype=float)
    try:
        with warnings.catch_warnings(action="error"):
            return pd.array(column, dtype=dtype)
    except (TypeError, OverflowError, RuntimeWarning):  # a size that no machine has is missing
        possible = [cell if cell is None or abs(cell) < NO_SIZE else None for cell in column]
        return pd.array(possible, dtype=dtype)


def filled(cell: Any, count: int) -> Any:
    """Return a column of one cell; pandas' own way takes ten times as long for whole numbers."""
    if not isinstance(cell, pd.arrays.IntegerArray):
        return cell.repeat(count)
    number, missing = cell.to_numpy("int64", na_value=0), cell.isna()
    return pd.arrays.IntegerArray(number.repeat(count), missing.repeat(count))
