"""A store -> frames: the columns and rows of it that are asked for, and no others are read."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.archive import manifest
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import check_known, missing_extra
from sdanalysis.logs.tables import problem_rows

if TYPE_CHECKING:
    from types import ModuleType

COLUMNS = (*LOG_COLUMNS, "sha256")
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
    parts = _parts()
    from pyarrow import dataset

    wanted = list(COLUMNS if columns is None else columns)
    for name in wanted:
        check_known("column", name, COLUMNS)
    known = manifest.read(store)
    tool = parts.schema({"tool": "str"}, of_folders=True)
    found = dataset.dataset(
        [str(path) for path in parts.measurements(store) if path.stem in set(known["part"])],
        schema=parts.schema(parts.TYPES, of_folders=True),
        format="parquet",
        partitioning=dataset.partitioning(tool, flavor="hive"),
        partition_base_dir=str(store),
    ).to_table(
        columns=list(dict.fromkeys([*wanted, *_ORDER])), filter=_filter(known, filters, logs)
    )
    return parts.typed(found).sort_values(_ORDER, kind="stable", ignore_index=True)[wanted]


def _parts() -> ModuleType:
    try:
        from sdanalysis.archive import parts
    except ImportError as error:
        raise missing_extra("parquet", "pyarrow", "a store") from error
    return parts


def _filter(known: pd.DataFrame, filters: Any, logs: Sequence[str] | None) -> Any:
    """Return what rows have to meet: what is asked for, and that they are not gone."""
    import pyarrow as arrow
    from pyarrow import compute, parquet

    from sdanalysis.archive import parts

    def among(field: Any, texts: pd.Series) -> Any:
        return field.isin(arrow.array(texts.tolist(), arrow.string()))

    file, sha256 = compute.field("file"), compute.field("sha256")
    wanted = [parquet.filters_to_expression(filters) if isinstance(filters, list) else filters]
    if logs is not None:
        paths = known["path"].fillna("")
        named = [any(fnmatchcase(path, pattern) for pattern in logs) for path in paths]
        wanted.append(among(sha256, known.loc[named, "sha256"].dropna()))
    gone = known[known["path"].isna()]
    if len(gone):
        wanted.append(~among(parts.row_names(sha256, file), parts.keys(gone)))
    wanted = [one for one in wanted if one is not None]
    return reduce(and_, wanted) if wanted else None


def problems(store: Path) -> pd.DataFrame:
    """Return what could not be read of the logs: `file`, `line`, `kind`, `text`, `sha256`.

    Of files that are no logs at all there is no sha256.
    """
    parts = _parts()
    from pyarrow import parquet

    known = manifest.read(store)
    names = sorted(known["part"].dropna().unique())
    files = [store / parts.PROBLEMS / f"{name}.parquet" for name in names]
    frames = [parts.typed(parquet.ParquetFile(path).read()) for path in files]
    frames = [rows for rows in frames if len(rows)]
    gone = set(parts.keys(known[known["path"].isna()]))
    frames = [rows[~parts.keys(rows).isin(gone)] for rows in frames]
    refused = known[known["refused"].notna()]
    rows = zip(refused["path"], refused["refused"], refused["severity"], strict=True)
    others = problem_rows((path, Problem(1, text, kind)) for path, text, kind in rows)
    others = others.assign(sha256=pd.array([None] * len(others), dtype="str"))
    found = pd.concat([*frames, others], ignore_index=True)
    return found[[*others]].sort_values(["file", "line"], kind="stable", ignore_index=True)
