"""A store -> frames: the columns and rows of it that are asked for, and no others are read."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as arrow
from pyarrow import compute, dataset, parquet

from sdanalysis.archive import manifest, parts
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.errors import check_known

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
    wanted = list(_COLUMNS if columns is None else columns)
    for name in wanted:
        check_known("column", name, _COLUMNS)
    known = manifest.read(store)
    stored = set(known["part"])
    tool = dataset.partitioning(parts.schema({"tool": "str"}), flavor="hive")
    table = dataset.dataset(
        [str(path) for path in parts.measured(store) if path.stem in stored],
        schema=parts.schema(parts.TYPES),
        format="parquet",
        partitioning=tool,
        partition_base_dir=str(store),
    ).to_table([*dict.fromkeys([*wanted, *_ORDER])], filter=_condition(known, filters, logs))
    return parts.typed(table).sort_values(_ORDER, kind="stable", ignore_index=True)[wanted]


def _condition(known: pd.DataFrame, filters: Any, logs: Sequence[str] | None) -> Any:
    """Return what rows have to meet: what is asked for, and that they are not gone."""
    file, sha256 = compute.field("file"), compute.field("sha256")
    conditions = [parquet.filters_to_expression(filters) if isinstance(filters, list) else filters]
    if logs is not None:
        paths = known["path"].fillna("")
        named = [any(fnmatchcase(path, pattern) for pattern in logs) for path in paths]
        contents = known.loc[named, "sha256"].dropna().tolist()
        conditions.append(sha256.isin(arrow.array(contents, arrow.string())))
    gone = parts.keys(known[known["path"].isna()]).tolist()
    if gone:
        keys = arrow.array(gone, arrow.string())
        conditions.append(~parts.row_keys(sha256, file).isin(keys))
    conditions = [condition for condition in conditions if condition is not None]
    return reduce(and_, conditions) if conditions else None


def problems(store: Path) -> pd.DataFrame:
    """Return what could not be read of the logs: `file`, `line`, `kind`, `text`, `sha256`.

    Of files that are no logs at all there is no sha256.
    """
    known = manifest.read(store)
    files = [str(parts.last_file(store, part)) for part in sorted(known["part"].dropna().unique())]
    table = dataset.dataset(files, parts.schema(parts.PROBLEM_TYPES), "parquet").to_table()
    rows = parts.typed(table)
    rows = rows[~parts.keys(rows).isin(parts.keys(known[known["path"].isna()]))]
    refused = known[known["refused"].notna()]
    cells = {"file": refused["path"], "kind": refused["severity"], "text": refused["refused"]}
    others = pd.DataFrame({**cells, "line": 1, "sha256": None}).astype(parts.PROBLEM_TYPES)
    found = pd.concat([rows, others])[["file", "line", "kind", "text", "sha256"]]
    return found.sort_values(["file", "line"], kind="stable", ignore_index=True)
