"""Rows -> CSV, JSON (one object a line) or parquet, written as they come."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, TextIO

from sdanalysis.errors import SdAnalysisError

FORMATS = (".csv", ".json", ".parquet")
_BATCH = 50_000  # rows that become a group of a parquet file
_ARROW = {"str": "string", "Int64": "int64", "float64": "double", "boolean": "bool"}


def write_text(file: TextIO, rows: Iterable[tuple], names: Sequence[str], kind: str) -> int:
    """Write rows of these names as text, and return how many there were."""
    counter = Counter(rows)
    if kind == ".json":
        for row in counter:
            cells = dict(zip(names, row, strict=True))
            file.write(f"{json.dumps(cells, ensure_ascii=False)}\n")
    else:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(counter)
    return counter.count


def write_binary(file: BinaryIO, rows: Iterable[tuple], types: Mapping[str, str], kind: str) -> int:
    """Write rows into a file, and return how many there were; `types` are those of columns."""
    if kind == ".parquet":
        return _write_parquet(file, rows, types)
    text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
    count = write_text(text, rows, list(types), kind)
    text.detach()  # flushes it, and leaves the file open
    return count


class Counter:
    """An iterator over rows that knows how many went through it."""

    def __init__(self, rows: Iterable[tuple]) -> None:
        """Count from here on."""
        self.count = 0
        self._rows = rows

    def __iter__(self) -> Iterator[tuple]:
        """Yield the rows."""
        for row in self._rows:
            self.count += 1
            yield row


def load_arrow() -> tuple[Any, Any]:
    """Return pyarrow and what writes parquet; SdAnalysisError where it is not installed."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        expected = "expected it to be installed (`pip install pyarrow`), or .csv or .json"
        raise SdAnalysisError(f".parquet: found no pyarrow, {expected}") from error
    return arrow, parquet


def _write_parquet(file: BinaryIO, rows: Iterable[tuple], types: Mapping[str, str]) -> int:
    arrow, parquet = load_arrow()
    schema = arrow.schema([(name, _ARROW[kind]) for name, kind in types.items()])
    counter = Counter(rows)
    remaining = iter(counter)
    with parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(remaining, _BATCH)):
            columns = map(list, zip(*batch, strict=True))
            writer.write_table(arrow.table(dict(zip(types, columns, strict=True)), schema))
    return counter.count
