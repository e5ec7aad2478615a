"""A store -> frames: the columns and rows of it that are asked for, and no others are read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import pandas as pd

from sdanalysis.archive import parts
from sdanalysis.archive.manifest import NAME, Manifest, is_store
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError, check_known, missing_extra
from sdanalysis.logs.tables import problem_rows
from sdanalysis.paths import printable

COLUMNS = (*LOG_COLUMNS, *parts.SHA256)
_ORDER = ("file", "line", "column")


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
    wanted = list(COLUMNS if columns is None else columns)
    for name in wanted:
        check_known("column", name, COLUMNS)
    table = _dataset(store).to_table(
        columns=list(dict.fromkeys([*wanted, *_ORDER])), filter=_expression(store, filters, logs)
    )
    frame = parts.typed(table).sort_values(list(_ORDER), kind="stable", ignore_index=True)
    return frame[wanted]


def problems(store: Path) -> pd.DataFrame:
    """Return what could not be read of the logs: `file`, `line`, `kind`, `text`, `sha256`.

    Of files that are no logs at all there is no sha256.
    """
    with closing(_manifest(store)) as manifest:
        names, refused = manifest.parts(), list(manifest.refused())
        gone = {(printable(log.path), log.sha256) for log in manifest.gone()}
    files = [path for path in parts.problems(store) if path.stem in names]
    frames = [_without(parts.read_file(path, parts.PROBLEM_TYPES), gone) for path in files]
    others = problem_rows((path, Problem(1, text, kind)) for path, kind, text in refused)
    others = others.assign(sha256=pd.array([None] * len(others), dtype="str"))
    found = pd.concat([*frames, others], ignore_index=True)
    return found[[*others]].sort_values(["file", "line"], kind="stable", ignore_index=True)


def _without(rows: pd.DataFrame, gone: set[tuple[str, str]]) -> pd.DataFrame:
    named = zip(rows["file"], rows["sha256"], strict=True)
    return rows[[name not in gone for name in named]] if gone else rows


def _manifest(store: Path) -> Manifest:
    if not is_store(store):
        text = f"found no {NAME} in it, expected a store that `sdanalysis archive` made"
        raise SdAnalysisError(f"{store}: {text}")
    return Manifest(store)


def _dataset(store: Path) -> Any:
    """Return the files of all parts as one dataset of pyarrow."""
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise missing_extra("parquet", "pyarrow", "a store") from error
    with closing(_manifest(store)) as manifest:
        names = manifest.parts()
    files = [str(path) for path in parts.measurements(store) if path.stem in names]
    return dataset.dataset(
        files,
        schema=parts.schema(parts.TYPES, of_folders=True),
        format="parquet",
        partitioning=dataset.partitioning(
            parts.schema({"tool": "str"}, of_folders=True), flavor="hive"
        ),
        partition_base_dir=str(store),
    )


def _expression(store: Path, filters: Any, logs: Sequence[str] | None) -> Any:
    """Return what rows have to meet: what is asked for, and that they are not gone."""
    from pyarrow import compute, parquet

    expression = parquet.filters_to_expression(filters) if isinstance(filters, list) else filters
    file, sha256 = compute.field("file"), compute.field("sha256")
    with closing(_manifest(store)) as manifest:
        gone = [f"{log.sha256} {printable(log.path)}" for log in manifest.gone()]
        named = None if logs is None else sorted(manifest.named(logs))
    wanted = [] if expression is None else [expression]
    if named is not None:
        wanted.append(sha256.isin(_texts(named)))
    if gone:
        wanted.append(~parts.row_names(sha256, file).isin(_texts(gone)))
    return reduce(and_, wanted) if wanted else None


def _texts(texts: Sequence[str]) -> Any:
    import pyarrow as arrow

    return arrow.array(texts, arrow.string())
