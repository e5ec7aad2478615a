"""The parts of a store: what some hundred logs held, as parquet files that are never changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as arrow
from pyarrow import compute, parquet

from sdanalysis import __version__
from sdanalysis.archive.chunks import Log
from sdanalysis.codebook.columns import ARROW_TYPES, COLUMNS, LOG_COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.logs.many import Rows, add_log
from sdanalysis.logs.read import unread, without_collector
from sdanalysis.logs.tables import problem_rows
from sdanalysis.parsers.fio import side_logs
from sdanalysis.paths import printable, writing

SHA256 = {"sha256": "str"}
TYPES = SHA256 | {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
PROBLEM_TYPES = SHA256 | {"file": "str", "line": "Int64", "kind": "str", "text": "str"}
MEASUREMENTS, PROBLEMS = "measurements", "problems"  # folders of a store
_SUMMARY = b"sdanalysis"
_FIRST_ERRORS = 3  # of a part, that the one who asked is told


class Found(NamedTuple):
    """What a file holds: a row of the manifest but for its part."""

    path: str
    size: int
    mtime: int  # nanoseconds
    sha256: str | None = None
    kind: str = ""
    refused: str | None = None
    severity: str | None = None


class Part(NamedTuple):
    """What became of a chunk of logs: what each of them holds, and the part that was made of it.

    The part has no name where all of it was known; `held` are the places in `logs` of those whose
    rows are in it. `errors` counts what could not be read, of which `first` has some in words.
    """

    logs: tuple[Found, ...] = ()
    name: str = ""
    held: tuple[int, ...] = ()
    rows: int = 0
    errors: int = 0
    first: tuple[str, ...] = ()
    is_new: bool = True


def schema(
    types: dict[str, str], metadata: dict[bytes, bytes] | None = None, *, of_folders: bool = False
) -> arrow.Schema:
    """Return the columns of a parquet file; of folders of them also the tool, their name."""
    fields = [(name, ARROW_TYPES[kind]) for name, kind in types.items()]
    found = arrow.schema([field for field in fields if of_folders or field[0] != "tool"])
    return found.with_metadata(metadata)


def make(
    logs: Sequence[Log],
    deadly: frozenset[str] = frozenset(),
    *,
    store: str,
    most: int = MOST_BYTES,
) -> Part:
    """Hash files, and write the part of those whose content is not known: for a worker."""
    found: list[Found] = []
    errors: list[str] = []
    new: dict[tuple[str, str], tuple[int, bytes]] = {}  # the place of a content, and its bytes
    for log in logs:
        own, content, problem = _found(log.path, most)
        if problem is not None and problem.kind == "error":
            errors.append(f"{printable(log.path)}:{problem.line}: {problem.text}")
        if own is not None:
            if own.sha256 and (own.sha256, own.kind) not in log.known:
                new.setdefault((own.sha256, own.kind), (len(found), content))
            found.append(own)
    part = Part(tuple(found), errors=len(errors), first=tuple(errors[:_FIRST_ERRORS]))
    if not new:
        return part
    read = [(found[place], content) for place, content in new.values()]
    name = name_of([(log.sha256, printable(log.path)) for log, _ in read])
    there = _summary(Path(store), name)
    summary = there or _write_read(Path(store), name, read, deadly, most)
    return part._replace(
        name=name,
        held=tuple(place for place, _ in new.values()),
        rows=summary["rows"],
        errors=part.errors + summary["errors"],
        first=(*part.first, *summary["first"])[:_FIRST_ERRORS],
        is_new=there is None,
    )


def _found(path: str, most: int) -> tuple[Found | None, bytes, Problem | None]:
    """Return what a file holds, with its bytes, or why it cannot be read, or is no log."""
    try:
        status = os.stat(path)  # noqa: PTH116 - there are thousands
        found = Found(path, status.st_size, status.st_mtime_ns)
        content = read_bytes(path, most)
    except OSError as error:
        return None, b"", unread(path, error).problems[0]
    except SdAnalysisError as error:
        problem = unread(path, error).problems[0]
        return found._replace(refused=problem.text, severity=problem.kind), b"", problem
    sha256 = hashlib.sha256(content).hexdigest()
    return found._replace(sha256=sha256, kind=_kind(path, content, most)), content, None


def _kind(path: str, content: bytes, most: int) -> str:
    """Return what a name says of the samples in a log: of the same bytes another name says other.

    Of all other logs nothing, for it would make one log two.
    """
    match = side_logs.NAME.search(path.rpartition(os.sep)[2])
    if not match:
        return ""
    try:
        begins = unpacked(content, most).lstrip()[:1]
    except SdAnalysisError:
        return ""
    return match[1] if begins.isdigit() else ""


def name_of(logs: Sequence[tuple[str | None, str]]) -> str:
    """Return the name of the part that holds these contents, each under its name."""
    held = [__version__, *(f"{sha256} {name}" for sha256, name in logs)]
    return hashlib.sha256("\n".join(held).encode()).hexdigest()[:32]


def _summary(store: Path, name: str) -> dict[str, Any] | None:
    """Return what a part says of itself; None where it was not written whole."""
    path = _last_file(store, name)
    return json.loads(parquet.read_schema(path).metadata[_SUMMARY]) if path.exists() else None


def _last_file(store: Path, name: str) -> Path:
    """Return the file of a part that is written last: where it is, the part is whole."""
    return store / PROBLEMS / f"{name}.parquet"


def is_there(store: Path, name: str) -> bool:
    """Tell whether a part is in a store, as this process sees it."""
    return _last_file(store, name).exists()


def _write_read(
    store: Path,
    name: str,
    logs: Sequence[tuple[Found, bytes]],
    deadly: frozenset[str],
    most: int,
) -> dict[str, Any]:
    rows, problems = Rows(most), []
    with without_collector():
        for log, content in logs:
            words = add_log(rows, log.path, deadly, content)
            problems += [(log.path, word) for word in words]
        frame = rows.frame()
    known = {printable(log.path): log.sha256 for log, _ in logs}
    said = problem_rows(problems)
    frame, said = (table.assign(sha256=table["file"].map(known)) for table in (frame, said))
    tools = {str(tool): _table(own, TYPES) for tool, own in frame.groupby("tool", sort=True)}
    return _write_part(store, name, tools, _table(said, PROBLEM_TYPES))


def _table(frame: pd.DataFrame, types: dict[str, str]) -> arrow.Table:
    columns = schema(types)
    table = arrow.Table.from_pandas(frame[columns.names], schema=columns, preserve_index=False)
    return table.replace_schema_metadata()  # pandas' own, which holds its version


def _write_part(
    store: Path, name: str, tools: dict[str, arrow.Table], problems: arrow.Table
) -> dict[str, Any]:
    """Write a part, its problems last; return what it says of itself."""
    for tool, rows in tools.items():
        _write(store / MEASUREMENTS / f"tool={tool}" / f"{name}.parquet", rows)
    errors = problems.filter(compute.equal(problems["kind"], "error"))
    first = errors.slice(0, _FIRST_ERRORS).to_pylist()
    words = [f"{row['file']}:{row['line']}: {row['text']}" for row in first]
    count = sum(rows.num_rows for rows in tools.values())
    summary = {"rows": count, "errors": errors.num_rows, "first": words}
    metadata = {_SUMMARY: json.dumps(summary).encode()}
    _write(_last_file(store, name), problems.replace_schema_metadata(metadata))
    return summary


def _write(path: Path, table: arrow.Table) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"found {error.strerror}, expected to write it"
        raise SdAnalysisError(f"{path.parent}: {text}") from error
    with writing(path) as file:
        parquet.write_table(table, file, compression="zstd")


def join(store: Path, logs: pd.DataFrame) -> str:
    """Write the part of contents that other parts hold, under other names; return its name.

    `logs` has the columns `sha256`, `part`, `file` (there) and `name` (in the new part).
    """
    name = name_of(list(zip(logs["sha256"], logs["name"], strict=True)))
    if not is_there(store, name):
        parts = set(logs["part"])
        files = [path for path in measurements(store) if path.stem in parts]
        tools: dict[str, list[Path]] = {}
        for path in files:
            tools.setdefault(path.parent.name.removeprefix("tool="), []).append(path)
        measured = {tool: _of_logs(paths, logs) for tool, paths in tools.items()}
        said = _of_logs([_last_file(store, part) for part in sorted(parts)], logs)
        _write_part(store, name, {tool: rows for tool, rows in measured.items() if len(rows)}, said)
    return name


def _of_logs(paths: Sequence[Path], logs: pd.DataFrame) -> arrow.Table:
    """Return the rows of logs, in their order, from files with the same columns."""
    table = arrow.concat_tables([parquet.ParquetFile(path).read() for path in paths])
    table = table.replace_schema_metadata()
    was, names = (
        arrow.array(texts.tolist(), arrow.string()) for texts in (keys(logs), logs["name"])
    )
    places = compute.index_in(row_names(table["sha256"], table["file"]), was)
    table, places = table.filter(places.is_valid()), places.drop_null()
    order = compute.sort_indices(places)  # stable: the rows of a log stay as they are
    column = names.take(places.combine_chunks().take(order))
    return table.take(order).set_column(table.column_names.index("file"), "file", column)


def keys(logs: pd.DataFrame) -> pd.Series:
    """Return what tells the rows of each log from those of all others: content and name."""
    return logs["sha256"] + " " + logs["file"]


def row_names(sha256: Any, file: Any) -> Any:
    """Return the `keys` of rows, in terms of pyarrow."""
    return compute.binary_join_element_wise(sha256, file, " ")


def measurements(store: Path) -> list[Path]:
    """Return the files of the measurements of all parts."""
    return sorted((store / MEASUREMENTS).glob("*/*.parquet"))


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
