"""Rows -> CSV, JSON (one object a line), parquet or a table for people, written as they come."""

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TextIO

from sdanalysis.codebook.columns import ARROW_TYPES, LOG_COLUMNS
from sdanalysis.errors import missing_extra
from sdanalysis.paths import write_whole, writing
from sdanalysis.text_tables import text_table

FORMATS = {".csv": "csv", ".json": "json", ".parquet": "parquet"}  # by the ending of a file
Rows = Iterable[Sequence[tuple]]  # as they come: those of a log, or many of a long one, together
_BATCH = 50_000  # rows that become a group of a parquet file
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # as OWASP's page on CSV injection lists them
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def write(
    rows: Rows, types: Mapping[str, str], kind: str, output: Path | None, *, whole: bool = False
) -> None:
    """Write rows of columns with these types into a file, or to standard output.

    There they stand as they come; `whole`, or as parquet, when the last one was read.
    """
    if output is None and not whole and kind != "parquet":
        write_text(sys.stdout, rows, list(types), kind)
        return
    with writing(output) if output else _at_the_end(kind) as file:
        if kind == "parquet":
            _write_parquet(file, rows, types)
        else:  # a byte of a file's name, which is no UTF-8, as its code
            text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
            write_text(text, rows, list(types), kind)
            text.detach()  # flushes it


def write_text(file: TextIO, rows: Rows, names: Sequence[str], kind: str) -> None:
    """Write rows of these names as CSV, JSON, or a table for people."""
    if kind == "table":
        for some in rows:
            file.writelines(f"{line}\n" for line in _table(some))
    elif kind == "json":
        for row in chain.from_iterable(rows):
            cells = dict(zip(names, row, strict=True))
            file.write(f"{json.dumps(cells, ensure_ascii=False)}\n")
    else:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for some in rows:
            writer.writerows(some)


# --- a table for people --------------------------------------------------------------------------

TABLE = "table"
# What two figures of one result may differ in.
_OF_A_FIGURE = ("line", "column", "metric", "stat", "raw", "raw_unit")
_OF_A_FIGURE += ("value", "value_low", "value_high", "remarks")
_SCALES = {"bandwidth": 1e6, "iops": 1, "latency": 1e-3}
_HEADS = ("line", "tool", "test", "MB/s", "IOPS", "ms", "")


def _table(rows: Sequence[tuple]) -> Iterator[str]:
    """Yield the lines of a log's rows: one a result, its rate, operations and time side by side."""
    found: list[tuple[tuple, dict[str, Any], dict[str, str]]] = []
    left = 0
    for cells in rows:
        row = dict(zip(LOG_COLUMNS, cells, strict=True))
        test = tuple(row[name] for name in LOG_COLUMNS if name not in _OF_A_FIGURE)
        if row["stat"] not in ("single", "mean") or row["metric"] not in _SCALES:
            left += 1
            continue
        if not found or found[-1][0] != test or row["metric"] in found[-1][2]:
            found.append((test, row, {}))
        value = row["value"]
        scaled = None if value is None else value / _SCALES[row["metric"]]
        digits = ",.0f" if scaled and scaled >= 100 else ".3g"
        found[-1][2][row["metric"]] = row["raw"] if scaled is None else format(scaled, digits)
    if not rows:
        return
    yield str(row["file"])
    lines = [
        (str(row["line"]), row["tool"], _test_words(row), *(figures.get(m, "") for m in _SCALES),
         "" if row["status"] == "measured" else row["status"])
        for _, row, figures in found
    ]  # fmt: skip
    columns = zip(_HEADS, *lines, strict=True)
    if shown := [column for column in columns if any(column[1:])]:
        heads, *lines = zip(*shown, strict=True)
        yield from (f"  {line}" for line in text_table(heads, lines, numbers_right=True))
    if left:
        yield f"  and {left:,} more figures, such as extremes: --format csv"


def _test_words(row: Mapping[str, Any]) -> str:
    words = [row["op"]]
    if row["block_size"]:
        words.append(_size(row["block_size"]))
    if row["file_size"]:
        words.append(f"of {_size(row['file_size'])}")
    if (row["iodepth"] or 1) > 1:
        words.append(f"depth {row['iodepth']}")
    if (row["numjobs"] or 1) > 1:
        words.append(f"{row['numjobs']} jobs")
    return " ".join(words)


def _size(number: int) -> str:
    power = min((number.bit_length() - 1) // 10, 3)
    return f"{number / 1024**power:.4g} {('B', 'KiB', 'MiB', 'GiB')[power]}"


# --- standard output, parquet --------------------------------------------------------------------


@contextmanager
def _at_the_end(kind: str) -> Iterator[BinaryIO]:
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


def defused(row: Iterable[object]) -> tuple:
    """Return a row with an apostrophe before each text that a spreadsheet takes for a formula."""
    return tuple(
        f"'{cell}"
        if isinstance(cell, str) and cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell)
        else cell
        for cell in row
    )


def defused_table(text: str) -> str:
    """Return CSV whose rows are `defused`; numbers stay as they are, the negative too."""
    written = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(written, lineterminator="\n").writerows(map(defused, rows))
    return written.getvalue()


def encoded(text: str) -> bytes:
    """Return text as UTF-8; what is no character (a byte of a file's name) as its code."""
    return text.encode("utf-8", "backslashreplace")


def write_document(text: str, output: Path | None, holds: str) -> None:
    """Write text whole into a file, and say what it holds, or to standard output."""
    if output is None:
        sys.stdout.write(encoded(text).decode())
    else:
        write_whole(output, encoded(text))
        print(f"{output}: {holds}", file=sys.stderr)
