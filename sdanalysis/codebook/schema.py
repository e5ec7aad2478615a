"""A frame of measurements -> the same, checked against the codebook, typed and sorted."""

from __future__ import annotations

import math

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, IDENTITY, KEY, REQUIRED, Column
from sdanalysis.errors import SchemaError


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the codebook's columns and types, checked and sorted by place.

    Raises SchemaError, which names the first row that breaks a rule of the codebook.
    """
    if set(frame.columns) != set(COLUMNS):
        text = f"found the columns {sorted(set(frame.columns) ^ set(COLUMNS))} too many or too few"
        raise SchemaError(f"{text}, expected those of the codebook")
    try:
        types = {name: column.dtype for name, column in COLUMNS.items()}
        frame = frame[list(COLUMNS)].astype(types)
    except (ValueError, TypeError, OverflowError) as error:
        raise SchemaError(f"found a cell of the wrong kind: {error}") from error
    for name, column in COLUMNS.items():
        _check_column(frame, name, column)
    _check_values(frame)
    sums = frame["stat"] != "share"  # the shares of simultaneous processes agree in all but value
    for key, rows in ((KEY, frame), (IDENTITY, frame[sums])):
        _refuse(rows, rows.duplicated(list(key)), f"a second row with the same {', '.join(key)}")
    return frame.sort_values(["source", "file", "line", "column", "id"], ignore_index=True)


def _check_column(frame: pd.DataFrame, name: str, column: Column) -> None:
    cells = frame[name]
    if name in REQUIRED:
        _refuse(frame, cells.isna(), f"an empty cell in {name}")
    if column.dtype == "str":
        _refuse(frame, cells == "", f"an empty text in {name}, expected a missing cell")
    if column.words:
        words = cells.dropna().str.split(" ").explode() if name == "remarks" else cells.dropna()
        unknown = words[~words.isin(column.words)]
        mask = pd.Series(frame.index.isin(unknown.index), index=frame.index)
        problem = f"{sorted(set(unknown))} in {name}, expected some of {', '.join(column.words)}"
        _refuse(frame, mask, problem)


def _check_values(frame: pd.DataFrame) -> None:
    value, low, high = frame["value"], frame["value_low"], frame["value_high"]
    disagree = (frame["status"] == "measured") != value.notna()
    is_outside = value.notna() & ~((low <= value) & (value <= high))
    _refuse(frame, disagree, "a value without the status measured, or none with it")
    _refuse(frame, is_outside, "a value outside its own interval")
    may_be_zero = (frame["stat"] == "stddev") & (value == 0)  # of a run of one operation
    _refuse(frame, (value <= 0) & ~may_be_zero, "a value that is not above zero")
    endless = high.isin([math.inf]) | low.isin([-math.inf])
    _refuse(frame, endless, "a value without an end, expected a number")


def _refuse(frame: pd.DataFrame, mask: pd.Series, problem: str) -> None:
    if mask.any():
        first = frame.loc[mask, "id"].iloc[0]
        raise SchemaError(f"{first}: found {problem} ({int(mask.sum())} rows in all)")
