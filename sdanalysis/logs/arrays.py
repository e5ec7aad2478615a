"""Cells of a log's columns -> arrays of the types of the codebook.

Of a long table with a thousand times the same cell, the cell is kept once.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE

_DTYPES = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
_LONG = 100_000  # rows: from here on the same cell is kept once
_ARROW_TIMES = 10_000  # a text in what all chunks of an arrow array share
_IN_NUMPY = {"str": object, "float64": float}
_WITHOUT_END = 2**40  # rows
_KEPT: dict[tuple[str, object], pd.Series] = {}  # by type and cell


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
    numbers, missing = np.zeros(count, np.int64), np.zeros(count, bool)
    if cell.isna()[0]:  # of zeros that nobody touches the system makes no memory
        missing[:] = True
    else:
        numbers[:] = cell[0]
    return pd.arrays.IntegerArray(numbers, missing)


def constant(cell: object, name: str, count: int) -> Any:
    """Return a column of one cell. Of a long one the cell is kept once, until somebody writes.

    pandas copies what another Series refers to before it writes there ("copy on write"). That
    other Series has to live as long as the column: it is kept for ever, a kilobyte a long log.
    Of arrays with a mask pandas' own functions write into the numbers: these are real.
    """
    dtype = _DTYPES[name]
    array = _array([cell], dtype)
    if dtype == "str" and _is_in_arrow(array):
        return over_and_over([cell if cell is None else str(cell)], count)
    if count < _LONG or dtype not in ("str", "float64"):
        return filled(array, count)
    key = dtype, cell
    if key not in _KEPT:
        # broadcast, numpy goes no step from one cell to the next; the constructor of an array of
        # texts would look at all of them
        one = np.broadcast_to(np.asarray(array, dtype=_IN_NUMPY[dtype]), _WITHOUT_END)
        endless = array._from_backing_data(one) if dtype == "str" else one
        _KEPT[key] = pd.Series(endless, copy=False)
    return _KEPT[key].iloc[:count]


def over_and_over(texts: Sequence[str | None], times: int) -> Any:
    """Return a column of texts, again and again; in arrow's memory chunks of it are the same."""
    array = pd.array(texts, dtype="str")
    if not _is_in_arrow(array):
        return array.take(np.tile(np.arange(len(texts)), times))
    whole, rest = divmod(times, _ARROW_TIMES)
    part = pd.Series(array.take(np.tile(np.arange(len(texts)), min(times, _ARROW_TIMES))))
    return pd.concat([part] * whole + [part.iloc[: rest * len(texts)]], ignore_index=True)


def _is_in_arrow(texts: Any) -> bool:
    return texts.dtype.storage == "pyarrow"
