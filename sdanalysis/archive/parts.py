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
from sdanalysis.codebook.columns import ARROW_TYPES, COLUMNS, LOG_COLUMNS
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import read_bytes, unpacked
from sdanalysis.logs.many import Rows, add_log
from sdanalysis.logs.read import unread, without_collector
from sdanalysis.logs.tables import problem_rows
from sdanalysis.parsers.fio import side_logs
from sdanalysis.paths import printable, writing

PROBLEM_TYPES = {"sha256": "str", "file": "str", "line": "Int64", "kind": "str", "text": "str"}
TYPES = {"sha256": "str"} | {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
_IN_FILES = {name: kind for name, kind in TYPES.items() if name != "tool"}  # a folder's name
Contents = dict[tuple[str, str], tuple[str, bytes]]  # by sha256 and kind a log's path and bytes
MEASUREMENTS, PROBLEMS = "measurements", "problems"  # folders of a store
_FIRST = 3  # errors of a part that the one who asked is told


class Row(NamedTuple):
    """What a file holds: a row of the manifest; `mtime` in nanoseconds."""

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

    Without a name all contents were known; else `contents` and `rows` are in it. `errors` counts
    what could not be read, of which `first` has some in words.
    """

    logs: Sequence[Row]
    errors: int
    first: Sequence[str]
    name: str = ""
    contents: int = 0
    rows: int = 0
    is_new: bool = False


def make(
    logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, store: Path, most: int
) -> Part:
    """Hash files, and write the part of those whose content is not known: for a worker."""
    rows, new, errors = _hashed(logs, most)
    if not new:
        return Part(rows, len(errors), errors[:_FIRST])
    files = {content: printable(path) for content, (path, _) in new.items()}
    part = name_of((sha256, file) for (sha256, _), file in files.items())
    is_new = not last_file(store, part).exists()
    if is_new:
        _read(store, part, new, deadly, most)
    for place, row in enumerate(rows):
        if file := files.get((row.sha256 or "", row.kind)):
            rows[place] = row._replace(part=part, file=file)
    count = sum(parquet.read_metadata(path).num_rows for path in measured(store, part))
    found = typed(parquet.ParquetFile(last_file(store, part)).read())
    found = found[found["kind"] == "error"]
    errors += [*(found["file"] + ":" + found["line"].astype("str") + ": " + found["text"])]
    return Part(rows, len(errors), errors[:_FIRST], part, len(new), count, is_new)


def _hashed(logs: Sequence[Log], most: int) -> tuple[list[Row], Contents, list[str]]:
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
    lines = [__version__, *(f"{sha256} {name}" for sha256, name in logs)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def last_file(store: Path, part: str) -> Path:
    """Return the file of a part that is written last: where it is, the part is whole."""
    return store / PROBLEMS / f"{part}.parquet"


def measured(store: Path, part: str = "*") -> list[Path]:
    """Return the files of the measurements of a part, or of all."""
    return sorted((store / MEASUREMENTS).glob(f"*/{part}.parquet"))


def _read(store: Path, part: str, logs: Contents, deadly: frozenset[str], most: int) -> None:
    """Write the part of what logs hold."""
    rows, problems = Rows(most), []
    with without_collector():
        for path, content in logs.values():
            problems += [(path, word) for word in add_log(rows, path, deadly, content)]
        frame = rows.frame()
    contents = {printable(path): sha256 for (sha256, _), (path, _) in logs.items()}
    tables = {}
    for tool, own in frame.groupby("tool", sort=True):
        tables[f"{MEASUREMENTS}/tool={tool}"] = _table(own, contents, _IN_FILES)
    tables[PROBLEMS] = _table(problem_rows(problems), contents, PROBLEM_TYPES)
    _write(store, part, tables)


def _table(frame: pd.DataFrame, contents: dict[str, str], types: dict[str, str]) -> arrow.Table:
    frame = frame.assign(sha256=frame["file"].map(contents))[[*types]]
    return arrow.Table.from_pandas(frame, schema=schema(types), preserve_index=False)


def schema(types: dict[str, str]) -> arrow.Schema:
    """Return the columns of a parquet file."""
    return arrow.schema([(name, ARROW_TYPES[kind]) for name, kind in types.items()])


def _write(store: Path, part: str, tables: dict[str, arrow.Table]) -> None:
    """Write the files of a part, by their folders; the one of problems comes last."""
    for folder, table in tables.items():
        path = store / folder / f"{part}.parquet"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            text = f"found {error.strerror}, expected to write it"
            raise SdAnalysisError(f"{path.parent}: {text}") from error
        with writing(path) as file:  # without pandas' own words, which hold its version
            parquet.write_table(table.replace_schema_metadata(), file, compression="zstd")


def join(store: Path, logs: pd.DataFrame) -> str:
    """Write the part of contents that other parts hold, under other names; return its name.

    `logs` has the columns `sha256`, `part`, `file` (there) and `name` (in the new part).
    """
    name = name_of(zip(logs["sha256"], logs["name"], strict=True))
    if last_file(store, name).exists():
        return name
    parts = sorted(logs["part"].unique())
    folders: dict[str, list[Path]] = {}
    for path in (path for part in parts for path in measured(store, part)):
        folders.setdefault(f"{MEASUREMENTS}/{path.parent.name}", []).append(path)
    tables = {folder: _of_logs(paths, logs) for folder, paths in sorted(folders.items())}
    tables = {folder: rows for folder, rows in tables.items() if len(rows)}
    tables[PROBLEMS] = _of_logs([last_file(store, part) for part in parts], logs)
    _write(store, name, tables)
    return name


def _of_logs(paths: Sequence[Path], logs: pd.DataFrame) -> arrow.Table:
    """Return the rows of logs, in their order, from files with the same columns."""
    table = dataset.dataset([*map(str, paths)], format="parquet").to_table()
    was, names = (
        arrow.array(texts.tolist(), arrow.string()) for texts in (keys(logs), logs["name"])
    )
    places = compute.index_in(row_keys(table["sha256"], table["file"]), was)
    table, places = table.filter(places.is_valid()), places.drop_null()
    order = compute.sort_indices(places)  # stable: the rows of a log stay as they are
    column = names.take(places.combine_chunks().take(order))
    return table.take(order).set_column(table.column_names.index("file"), "file", column)


def keys(logs: pd.DataFrame) -> pd.Series:
    """Return what tells the rows of each log from those of all others: content and name."""
    return logs["sha256"] + " " + logs["file"]


def row_keys(sha256: Any, file: Any) -> Any:
    """Return the `keys` of rows, in terms of pyarrow."""
    return compute.binary_join_element_wise(sha256, file, " ")


def typed(table: arrow.Table) -> pd.DataFrame:
    """Return a table as a frame with the types of the codebook."""
    texts = pd.StringDtype(na_value=float("nan"))
    types = {arrow.int64(): pd.Int64Dtype(), arrow.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=(types | {arrow.string(): texts}).get)


def sweep(store: Path, parts: set[str]) -> None:
    """Remove files that no part of the manifest has: of parts that were replaced, or cut short."""
    for folder in (MEASUREMENTS, PROBLEMS):
        for path in (store / folder).rglob("*"):
            if path.is_file() and path.stem not in parts:
                path.unlink()
