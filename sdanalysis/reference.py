"""data/reference/*.csv, facts from outside the five sources, -> checked frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError

# Of each table: its columns in order with their types; an `?` where a cell may be empty.
_TABLES = {
    "noise": dict.fromkeys(("medium", "specimen", "tool", "op", "metric"), "str")
    | {"block_size": "Int64?", "runs": "Int64"}
    | dict.fromkeys(("minimum", "median", "maximum", "sd_log"), "float64")
    | {"source": "str"},
    "specimens": {"model": "str?"}
    | dict.fromkeys(("specimen", "tool", "op"), "str")
    | {"repeat": "Int64", "value": "float64", "source": "str"},
    "classes": {"family": "str", "class": "str", "write": "float64"}
    | dict.fromkeys(("randread", "randwrite"), "float64?")
    | {"source": "str"},
    "prices": {"medium": "str", "price": "float64"}
    | {"currency": "str", "year": "Int64", "source": "str"},
    "promises": {"medium": "str", "host": "str"}
    | dict.fromkeys(("randread", "randwrite"), "float64")
    | {"source": "str"},
}


def read_reference(data: Path, name: str) -> pd.DataFrame:
    """Return the table `data/reference/<name>.csv`; SdAnalysisError where a cell is none of it."""
    path, columns = data / "reference" / f"{name}.csv", _TABLES[name]
    try:
        frame = pd.read_csv(path, dtype=types_of(name))
    except OSError as error:
        raise SdAnalysisError(f"{path}: found {error.strerror}, expected a table") from error
    except (ValueError, TypeError, OverflowError) as error:  # pandas' own parser errors among them
        found = " ".join(str(error).split())
        raise SdAnalysisError(f"{path}: found {found}, expected the table of {name}") from error
    if [*frame] != [*columns] or not isinstance(frame.index, pd.RangeIndex) or frame.empty:
        found, expected = " ".join(", ".join(map(str, frame)).split())[:200], ", ".join(columns)
        text = f"found {len(frame)} rows of {found}, expected rows of {expected}"
        raise SdAnalysisError(f"{path}: {text}")
    for column, kind in columns.items():
        _check_cells(path, frame[column], kind)
    return frame


def types_of(name: str) -> dict[str, str]:
    """Return the types of a table's columns."""
    return {column: kind.rstrip("?") for column, kind in _TABLES[name].items()}


def _check_cells(path: Path, cells: pd.Series, kind: str) -> None:
    """Refuse an empty cell where there is to be something, and a number that measures nothing."""
    wrong = cells.isna().to_numpy(bool) & (not kind.endswith("?"))
    if not kind.startswith("str"):
        numbers = cells.to_numpy(float, na_value=np.nan)
        wrong |= (numbers <= 0) | np.isinf(numbers)
    if wrong.any():
        place = int(wrong.argmax())
        expected = "a text" if kind.startswith("str") else "a number above zero"
        text = f"found {cells.iloc[place]} as {cells.name}, expected {expected}"
        raise SdAnalysisError(f"{path}: row {place + 1}: {text}")
