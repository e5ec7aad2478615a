"""The parts of a store: what a chunk of logs held, as parquet files that are never changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sdanalysis import __version__
from sdanalysis.archive.chunks import Log, chunks
from sdanalysis.codebook.columns import ARROW_TYPES, COLUMNS, LOG_COLUMNS
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES, read_bytes
from sdanalysis.paths import printable, writing

if TYPE_CHECKING:
    import pandas as pd

SHA256 = {"sha256": "str"}
TYPES = SHA256 | {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
PROBLEM_TYPES = SHA256 | {"file": "str", "line": "Int64", "kind": "str", "text": "str"}
MEASUREMENTS, PROBLEMS = "measurements", "problems"  # folders of a store
GONE = "gone.parquet"
_SUMMARY = b"sdanalysis"
_FIRST_PROBLEMS = 3  # of a part, that the one who asked is told
Tables = tuple[dict[str, Any], Any]  # of pyarrow: the measurements of each tool, the problems


class Part(NamedTuple):
    """What a part holds: its logs, and how many rows and errors; `said` are the first of these.

    A log that changed after it was hashed is not among them: the next run finds it new.
    """

    name: str
    logs: tuple[Log, ...]
    rows: int
    errors: int
    said: tuple[str, ...]
    is_new: bool = True


def schema(
    types: dict[str, str],
    metadata: dict[bytes, bytes] | None = None,
    *,
    of_folders: bool = False,
) -> Any:
    """Return the columns of a parquet file; of folders of them also the tool, their name."""
    import pyarrow as arrow

    fields = [(name, ARROW_TYPES[kind]) for name, kind in types.items()]
    found = arrow.schema([field for field in fields if of_folders or field[0] != "tool"])
    return found.with_metadata(metadata)


def alike(logs: Iterable[Log], most: int) -> Iterator[tuple[Log, ...]]:
    """Yield chunks of logs whose sha256 begin with the same digit, each as soon as it is full."""
    return chunks(logs, most, alike=lambda log: log.sha256[:1])


def name_of(logs: Sequence[Log]) -> str:
    """Return the name of the part that holds these logs: of its place, contents and reader."""
    held = [__version__, *(f"{log.sha256} {printable(log.path)}" for log in logs)]
    return hashlib.sha256("\n".join(held).encode()).hexdigest()[:32]


def write(
    logs: Sequence[Log],
    deadly: frozenset[str] = frozenset(),
    *,
    store: str,
    most: int = MOST_BYTES,
) -> Part:
    """Read logs and write their part, unless it is there: for a worker."""
    return _made(Path(store), logs, partial(_read, deadly=deadly, most=most))


def write_again(logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, store: str) -> Part:
    """Write the part of logs that other parts hold, under the names that they have now."""
    return _made(Path(store), logs, partial(_kept, store=Path(store)))


def _made(
    store: Path, logs: Sequence[Log], read: Callable[[Sequence[Log]], tuple[Tables, Sequence[Log]]]
) -> Part:
    if found := _whole(store, logs):
        return found
    (measured, problems), held = read(logs)
    name = name_of(held)
    for tool, rows in measured.items():
        folder = store / MEASUREMENTS / f"tool={tool}"
        _write(folder / _begins(held) / f"{name}.parquet", rows)
    errors = [row for row in problems.to_pylist() if row["kind"] == "error"]
    said = [f"{row['file']}:{row['line']}: {row['text']}" for row in errors[:_FIRST_PROBLEMS]]
    count = sum(rows.num_rows for rows in measured.values())
    if held:  # last, for it says that the part is whole
        summary = {"rows": count, "errors": len(errors), "said": said}
        metadata = {_SUMMARY: json.dumps(summary).encode()}
        _write(_last_file(store, name, held), problems.replace_schema_metadata(metadata))
    return Part(name, tuple(held), count, len(errors), tuple(said))


def _whole(store: Path, logs: Sequence[Log]) -> Part | None:
    """Return the part of these logs where an earlier run wrote it."""
    from pyarrow import parquet

    name = name_of(logs)
    path = _last_file(store, name, logs)
    if not path.exists():
        return None
    found = json.loads(parquet.read_schema(path).metadata[_SUMMARY])
    said = tuple(found["said"])
    return Part(name, tuple(logs), found["rows"], found["errors"], said, is_new=False)


def _begins(logs: Sequence[Log]) -> str:
    return f"hash=x{logs[0].sha256[:1]}"  # the x: a reader would take some digits for numbers


def _last_file(store: Path, name: str, logs: Sequence[Log]) -> Path:
    """Return the file of a part that is written last: where it is, the part is whole."""
    return store / PROBLEMS / _begins(logs) / f"{name}.parquet"


def is_there(store: Path, part: Part) -> bool:
    """Tell whether a part is in a store, as this process sees it."""
    return _last_file(store, part.name, part.logs).exists()


def _write(path: Path, table: Any) -> None:
    from pyarrow import parquet

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"found {error.strerror}, expected to write it"
        raise SdAnalysisError(f"{path.parent}: {text}") from error
    with writing(path) as file:
        parquet.write_table(table, file, compression="zstd")


def _read(
    logs: Sequence[Log], *, deadly: frozenset[str], most: int
) -> tuple[Tables, Sequence[Log]]:
    """Return what logs hold, but for those whose content is another by now."""
    from sdanalysis.logs.many import Rows, add_log
    from sdanalysis.logs.read import without_collector
    from sdanalysis.logs.tables import problem_rows

    rows, held, problems = Rows(most), [], []
    with without_collector():
        for log in logs:
            content = _unchanged(log, most)
            if content is not None:
                held.append(log)
                words = add_log(rows, log.path, deadly, content)
                problems += [(log.path, word) for word in words]
        frame = rows.frame()
    known = {printable(log.path): log.sha256 for log in held}
    found = problem_rows(problems)
    frame, found = (table.assign(sha256=table["file"].map(known)) for table in (frame, found))
    groups = frame.groupby("tool", sort=True)
    measured = {str(tool): _as_table(rows, schema(TYPES)) for tool, rows in groups}
    return (measured, _as_table(found, schema(PROBLEM_TYPES))), held


def _as_table(frame: pd.DataFrame, columns: Any) -> Any:
    import pyarrow as arrow

    table = arrow.Table.from_pandas(frame[columns.names], schema=columns, preserve_index=False)
    return table.replace_schema_metadata()  # pandas' own, which holds its version


def _unchanged(log: Log, most: int) -> bytes | None:
    try:
        content = read_bytes(log.path, most)
    except (OSError, SdAnalysisError):
        return None
    return content if hashlib.sha256(content).hexdigest() == log.sha256 else None


def _kept(logs: Sequence[Log], *, store: Path) -> tuple[Tables, Sequence[Log]]:
    """Return what parts hold of these logs, in their order and under their names."""
    parts = sorted({log.part for log in logs})
    by_tool: dict[str, list[Path]] = {}
    for path in chain.from_iterable(measurements(store, part) for part in parts):
        by_tool.setdefault(_tool_of(path), []).append(path)
    measured = {tool: _of_logs(paths, logs) for tool, paths in sorted(by_tool.items())}
    said = _of_logs([path for part in parts for path in problems(store, part)], logs)
    return ({tool: rows for tool, rows in measured.items() if rows.num_rows}, said), logs


def _of_logs(paths: Sequence[Path], logs: Sequence[Log]) -> Any:
    """Return the rows of logs, from files with the same columns; frames would take far longer."""
    import pyarrow as arrow
    from pyarrow import compute, parquet

    table = arrow.concat_tables([parquet.ParquetFile(path).read() for path in paths])
    table = table.replace_schema_metadata()
    was = arrow.array([f"{log.sha256} {printable(log.was)}" for log in logs], arrow.string())
    names = arrow.array([printable(log.path) for log in logs], arrow.string())
    places = compute.index_in(row_names(table["sha256"], table["file"]), was)
    table, places = table.filter(places.is_valid()), places.drop_null()
    order = compute.sort_indices(places)  # stable: the rows of a log stay as they are
    column = names.take(places.combine_chunks().take(order))
    return table.take(order).set_column(table.column_names.index("file"), "file", column)


def row_names(sha256: Any, file: Any) -> Any:
    """Return what tells the rows of one log from those of all others: content and name."""
    from pyarrow import compute

    return compute.binary_join_element_wise(sha256, file, " ")


def write_gone(logs: Sequence[Log], deadly: frozenset[str] = frozenset(), *, store: str) -> None:
    """Write the table of logs whose rows are in parts and not shown: for a worker."""
    import pyarrow as arrow

    cells = {"file": [printable(log.path) for log in logs], "sha256": [log.sha256 for log in logs]}
    _write(Path(store, GONE), arrow.table(cells, schema(dict.fromkeys(cells, "str"))))


def _tool_of(path: Path) -> str:
    return path.parent.parent.name.removeprefix("tool=")


def measurements(store: Path, part: str = "*") -> list[Path]:
    """Return the files of the measurements of a part, or of all."""
    return sorted((store / MEASUREMENTS).glob(f"*/*/{part}.parquet"))


def problems(store: Path, part: str = "*") -> list[Path]:
    """Return the file of the problems of a part, or those of all."""
    return sorted((store / PROBLEMS).glob(f"*/{part}.parquet"))


def read_file(path: Path, types: dict[str, str]) -> pd.DataFrame:
    """Return the rows of one file, with the tool that its folder names."""
    from pyarrow import parquet

    frame = typed(parquet.ParquetFile(path).read())
    if "tool" in types:
        frame = frame.assign(tool=_tool_of(path))[[*types]]
    return frame


def typed(table: Any) -> pd.DataFrame:
    """Return a table as a frame with the types of the codebook."""
    import pandas as pd
    import pyarrow as arrow

    texts = pd.StringDtype(na_value=float("nan"))
    types = {arrow.int64(): pd.Int64Dtype(), arrow.bool_(): pd.BooleanDtype()}
    return table.to_pandas(types_mapper=(types | {arrow.string(): texts}).get)


def sweep(store: Path, parts: set[str]) -> int:
    """Remove files that no part of the manifest has: of parts that were replaced, or cut short."""
    removed = 0
    for folder in (MEASUREMENTS, PROBLEMS):
        for path in (store / folder).rglob("*"):
            if path.is_file() and path.stem not in parts:
                path.unlink()
                removed += 1
    return removed
