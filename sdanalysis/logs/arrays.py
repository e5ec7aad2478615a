"""Cells of a log's columns -> arrays of the codebook's types; one cell for all is kept once."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE

_DTYPES = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
_LONG = 10_000  # rows: from here on the same cell is kept once
_WITHOUT_END = 2**40  # rows


def typed(cells: dict[str, list]) -> dict[str, Any]:
    """Return columns as arrays of the types of `COLUMNS`."""
    return {name: _array(column, _DTYPES[name]) for name, column in cells.items()}


def _array(column: list, dtype: Any) -> Any:
    """Return a column as an array; a cell that fills it (the tool of a folder) is made once."""
    count = len(column)
    if count > 1 and column[-1] == column[0] and column.count(column[0]) == count:
        return _filled(_array(column[:1], dtype), count)
    if dtype == "float64":
        return np.array(column, dtype=float)
    try:
        with warnings.catch_warnings(action="error"):
            return pd.array(column, dtype=dtype)
    except (TypeError, OverflowError, RuntimeWarning):  # a size that no machine has is missing
        possible = [cell if cell is None or abs(cell) < NO_SIZE else None for cell in column]
        return pd.array(possible, dtype=dtype)


def _filled(cell: Any, count: int) -> Any:
    """Return a column of one cell; pandas' own way takes ten times as long for whole numbers."""
    if not isinstance(cell, pd.arrays.IntegerArray):
        return cell.repeat(count)
    is_missing = cell.isna()[0]  # of zeros that nobody touches the system makes no memory
    numbers = np.zeros(count, np.int64) if is_missing else np.full(count, cell[0], np.int64)
    missing = np.ones(count, bool) if is_missing else np.zeros(count, bool)
    return pd.arrays.IntegerArray(numbers, missing)


def constant(cell: object, name: str, count: int) -> Any:
    """Return a column of one cell; of a long one the cell is kept once, until somebody writes.

    Of arrays with a mask pandas' own functions write into the numbers: these are real, as are
    arrow's.
    """
    array = _array([cell], _DTYPES[name])
    is_kept = _DTYPES[name] == "float64" or getattr(array.dtype, "storage", "") == "python"
    if count < _LONG or not is_kept:
        return _filled(array, count)
    return _endless(cell, _DTYPES[name]).iloc[:count]


@cache
def _endless(cell: object, dtype: str) -> pd.Series:
    """Return a cell without end: broadcast, numpy goes no step from one to the next.

    pandas copies what another Series refers to before it writes there ("copy on write"). That
    other Series has to live as long as the column: it is kept for ever, a kilobyte a long log.
    """
    array = _array([cell], dtype)
    endless = np.broadcast_to(np.asarray(array), _WITHOUT_END)
    # the constructor of an array of texts would look at all of them
    return pd.Series(array._from_backing_data(endless) if dtype == "str" else endless, copy=False)
