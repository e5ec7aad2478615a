"""A store -> frames: the columns and rows of it that are asked for, and no others are read."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pandas as pd

from sdanalysis.archive import manifest, parts
from sdanalysis.archive.manifest import LOG_KEY, MEASUREMENTS, PROBLEMS
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.errors import check_known
from sdanalysis.logs.tables import PROBLEM_COLUMNS

_COLUMNS = (*LOG_COLUMNS, "sha256")
_ORDER = ["file", "line", "column"]


def load(
    store: Path,
    *,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    logs: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return rows of a store, in the order of their logs, typed as those of `parse`.

    `filters` are as of `pandas.read_parquet`; with `logs` only rows of logs one of whose names
    matches one of these patterns. Little is read of what is not asked for.
    """
    fields = list(_COLUMNS if columns is None else columns)
    for name in fields:
        check_known("column", name, _COLUMNS)
    known = manifest.read(store)
    if logs is not None:
        known = known[[any(fnmatchcase(path, name) for name in logs) for path in known["path"]]]
    names = [*dict.fromkeys([*fields, *_ORDER])]
    rows = parts.read(store, MEASUREMENTS, _contents(known), names, filters)
    return rows.sort_values(_ORDER, kind="stable", ignore_index=True)[fields]


def problems(store: Path) -> pd.DataFrame:
    """Return what could not be read of the logs: `file`, `line`, `kind`, `text`, `sha256`.

    Of files that are no logs at all there is no sha256.
    """
    known = manifest.read(store)
    refused = known[known["refused"].notna()]
    cells = {"file": refused["path"], "kind": refused["severity"], "text": refused["refused"]}
    refusals = pd.DataFrame({**cells, "line": 1, "sha256": None}).astype(PROBLEM_COLUMNS)
    columns = [*PROBLEM_COLUMNS, "sha256"]
    rows = pd.concat([parts.read(store, PROBLEMS, _contents(known), columns), refusals[columns]])
    return rows.sort_values(["file", "line"], kind="stable", ignore_index=True)


def _contents(logs: pd.DataFrame) -> pd.DataFrame:
    """Return what is shown of logs, each content once."""
    return logs.dropna(subset="part")[LOG_KEY].drop_duplicates()
