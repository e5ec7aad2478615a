"""Rows -> CSV, JSON (one object a line) or parquet, written as they come."""

import csv
import io
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TextIO

from sdanalysis.codebook.columns import ARROW_TYPES
from sdanalysis.errors import missing_extra

FORMATS = {".csv": "csv", ".json": "json", ".parquet": "parquet"}  # by the ending of a file
Rows = Iterable[Sequence[tuple]]  # as they come: those of a log, or many of a long one, together
_BATCH = 50_000  # rows that become a group of a parquet file


def write_text(file: TextIO, rows: Rows, names: Sequence[str], kind: str) -> None:
    """Write rows of these names as text."""
    if kind == "json":
        for row in chain.from_iterable(rows):
            cells = dict(zip(names, row, strict=True))
            file.write(f"{json.dumps(cells, ensure_ascii=False)}\n")
    else:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for some in rows:
            writer.writerows(some)


def write_binary(file: BinaryIO, rows: Rows, types: Mapping[str, str], kind: str) -> None:
    """Write rows into a file; `types` are those of columns."""
    if kind == "parquet":
        _write_parquet(file, rows, types)
    else:
        with as_text(file) as text:
            write_text(text, rows, list(types), kind)


@contextmanager
def at_the_end(kind: str) -> Iterator[BinaryIO]:
    """Give a file that goes to standard output when it is whole: it may be more than memory."""
    with TemporaryFile() as file:
        yield file
        file.seek(0)
        if kind == "parquet":
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
        else:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            shutil.copyfileobj(text, sys.stdout)
            text.detach()


@contextmanager
def as_text(file: BinaryIO) -> Iterator[TextIO]:
    """Give a file as one of UTF-8, which leaves it open; a byte of a file's name as its code."""
    text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
    yield text
    text.detach()  # flushes it


def load_arrow() -> tuple[Any, Any]:
    """Return pyarrow and what writes parquet; SdAnalysisError where it is not installed."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise missing_extra("parquet", "pyarrow", "parquet") from error
    return arrow, parquet


def _write_parquet(file: BinaryIO, rows: Rows, types: Mapping[str, str]) -> None:
    arrow, parquet = load_arrow()
    schema = arrow.schema([(name, ARROW_TYPES[kind]) for name, kind in types.items()])
    remaining = chain.from_iterable(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(remaining, _BATCH)):
            columns = map(list, zip(*batch, strict=True))
            writer.write_table(arrow.table(dict(zip(types, columns, strict=True)), schema))
