"""The parts of a store: what some hundred logs held, as parquet files that are never changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as arrow
from pyarrow import compute, dataset, parquet

from sdanalysis import __version__
from sdanalysis.archive.chunks import Log
from sdanalysis.archive.manifest import LOG_KEY, MEASUREMENTS, PROBLEMS
from sdanalysis.codebook.columns import ARROW_TYPES, COLUMNS, LOG_COLUMNS
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import read_bytes, unpacked
from sdanalysis.logs.many import Rows, add_log
from sdanalysis.logs.read import unread, without_collector
from sdanalysis.logs.tables import PROBLEM_COLUMNS, problem_rows
from sdanalysis.parsers.fio import side_logs
from sdanalysis.paths import printable, writing

_OWN = {"part": "str", "sha256": "str"}
TYPES = {
    MEASUREMENTS: _OWN | {name: COLUMNS[name].dtype for name in LOG_COLUMNS},
    PROBLEMS: _OWN | PROBLEM_COLUMNS,
}
Contents = dict[tuple[str, str], tuple[str, bytes]]  # by sha256 and kind a log's path and bytes


class Row(NamedTuple):
    """What a file holds: a row of the manifest."""

    path: str
    size: int
    mtime: int
    sha256: str | None = None
    kind: str = ""
    refused: str | None = None
    severity: str | None = None
    part: str | None = None
    file: str | None = None


class Part(NamedTuple):
    """What became of a chunk of logs: their rows of the manifest, and the part that was made of it.

    Without a name all contents were known. `errors` are in words, `rows` are those of the part.
    """

    logs: Sequence[Row]
    errors: Sequence[str]
    name: str = ""
    rows: int = 0
    is_new: bool = False


def make(
    logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, store: Path, most: int
) -> Part:
    """Hash files, and write the part of those whose content is not known: for a worker."""
    rows, new, errors = _hash(logs, most)
    if not new:
        return Part(rows, errors)
    files = {content: printable(path) for content, (path, _) in new.items()}
    part = name_of((sha256, file) for (sha256, _), file in files.items())
    is_new = not last_file(store, part).exists()
    if is_new:
        measured, problems = Rows(most), []
        with without_collector():
            for path, content in new.values():
                problems += [(path, word) for word in add_log(measured, path, deadly, content)]
            frames = measured.frame(), problem_rows(problems)
        digests = {file: sha256 for (sha256, _), file in files.items()}
        _write(store, part, *(rows.assign(sha256=rows["file"].map(digests)) for rows in frames))
    for place, row in enumerate(rows):
        if file := files.get((row.sha256 or "", row.kind)):
            rows[place] = row._replace(part=part, file=file)
    lines = parquet.read_table(last_file(store, part), columns=[*PROBLEM_COLUMNS]).to_pylist()
    errors += ["{file}:{line}: {text}".format(**row) for row in lines if row["kind"] == "error"]
    count = parquet.read_metadata(store / MEASUREMENTS / f"{part}.parquet").num_rows
    return Part(rows, errors, part, count, is_new)


def _hash(logs: Sequence[Log], most: int) -> tuple[list[Row], Contents, list[str]]:
    """Return what files hold, the contents that are not known, and why some cannot be read."""
    rows: list[Row] = []
    new: Contents = {}
    errors: list[str] = []
    for log in logs:
        name = printable(log.path)
        try:
            status = os.stat(log.path)  # noqa: PTH116 - there are thousands
            row = Row(name, status.st_size, status.st_mtime_ns)
            content = read_bytes(log.path, most)
        except (OSError, SdAnalysisError) as error:
            problem = unread(log.path, error).problems[0]
            if problem.kind == "error":
                errors.append(f"{name}:{problem.line}: {problem.text}")
            if isinstance(error, SdAnalysisError):
                rows.append(row._replace(refused=problem.text, severity=problem.kind))
            continue
        sha256, kind = hashlib.sha256(content).hexdigest(), _kind(name, content, most)
        if (sha256, kind) not in log.known:
            new.setdefault((sha256, kind), (log.path, content))
        rows.append(row._replace(sha256=sha256, kind=kind))
    return rows, new, errors


def _kind(path: str, content: bytes, most: int) -> str:
    """Return what a name says of the samples in a log: another says other of the same bytes."""
    # Of all other logs nothing, for it would make one log two.
    match = side_logs.NAME.search(path.rpartition(os.sep)[2])
    try:
        begins = unpacked(content, most).lstrip()[:1] if match else b""
    except SdAnalysisError:
        return ""
    return match[1] if match and begins.isdigit() else ""


def name_of(logs: Iterable[tuple[str, str]]) -> str:
    """Return the name of the part that holds these contents, each under its name."""
    lines = [f"{sha256} {name}" for sha256, name in logs]
    digest = hashlib.sha256("\n".join([__version__, *lines]).encode()).hexdigest()
    return f"{len(lines)}-{digest[:32]}"


def size_of(part: str) -> int:
    """Return how many contents a part was made of."""
    return int(part.partition("-")[0])


def last_file(store: Path, part: str) -> Path:
    """Return the file of a part that is written last: where it is, the part is whole."""
    return store / PROBLEMS / f"{part}.parquet"


def _write(store: Path, part: str, measurements: pd.DataFrame, problems: pd.DataFrame) -> None:
    """Write the files of a part; a group of rows a tool, so that readers can pass over others."""
    groups = [rows for _, rows in measurements.groupby("tool")]
    for folder, frames in ((MEASUREMENTS, groups), (PROBLEMS, [problems])):
        columns = _schema(TYPES[folder])
        with (
            writing(store / folder / f"{part}.parquet") as file,
            parquet.ParquetWriter(file, columns, compression="zstd") as writer,
        ):
            for rows in frames:
                cells = rows.assign(part=part)[columns.names]
                writer.write_table(arrow.Table.from_pandas(cells, columns, preserve_index=False))


def _schema(types: dict[str, str]) -> arrow.Schema:
    return arrow.schema([(name, ARROW_TYPES[kind]) for name, kind in types.items()])


def read(
    store: Path,
    folder: str,
    contents: pd.DataFrame,
    columns: Sequence[str] | None = None,
    filters: Any = None,
) -> pd.DataFrame:
    """Return rows of contents, which have `LOG_KEY`, with the types of the codebook."""
    files = [str(store / folder / f"{part}.parquet") for part in sorted({*contents["part"]})]
    keys = contents["part"] + " " + contents["sha256"] + " " + contents["file"]
    key = compute.binary_join_element_wise(*map(compute.field, LOG_KEY), " ")
    condition = key.isin(arrow.array(keys.tolist(), arrow.string()))
    if filters is not None:
        is_list = isinstance(filters, list)
        condition &= parquet.filters_to_expression(filters) if is_list else filters
    table = dataset.dataset(files, _schema(TYPES[folder]), "parquet").to_table(columns, condition)
    texts = pd.StringDtype(na_value=float("nan"))
    types = {arrow.int64(): pd.Int64Dtype(), arrow.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=(types | {arrow.string(): texts}).get)


def join(store: Path, logs: pd.DataFrame) -> str:
    """Write the part of contents that other parts hold, under other names; return its name.

    `logs` has the columns of `LOG_KEY`, and `name`: in the new part.
    """
    part = name_of(zip(logs["sha256"], logs["name"], strict=True))
    if not last_file(store, part).exists():
        frames = (logs[[*LOG_KEY, "name"]].merge(read(store, folder, logs)) for folder in TYPES)
        _write(store, part, *(rows.assign(file=rows["name"]) for rows in frames))
    return part


def sweep(store: Path, parts: set[str]) -> None:
    """Remove files that no part of the manifest has: of parts that were replaced, or cut short."""
    for folder in TYPES:
        for path in (store / folder).iterdir():
            if path.stem not in parts:
                path.unlink()
