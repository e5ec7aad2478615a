"""`sdanalysis parse`: logs -> rows, and a word on everything that was not read."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from operator import attrgetter

from sdanalysis.cli.logs import is_empty, named, read_all, report_problem
from sdanalysis.cli.options import format_of
from sdanalysis.cli.write import FORMATS, TABLE, defused, load_arrow, write
from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS
from sdanalysis.codebook.tables import TABLES
from sdanalysis.errors import UsageError
from sdanalysis.logs.json_forms import Forms
from sdanalysis.logs.read import Log, read_log, without_collector
from sdanalysis.paths import printable

_CELLS = attrgetter(*LOG_COLUMNS[1:-1])  # between the file and the remarks
_SOME = 10_000  # rows of a log that are written together


class _NothingWritten(Exception):
    """With --strict, something was not read."""


class _Rows:
    """The rows of logs that are read one after the other.

    `failed` when one was not whole; `count` of them so far, of columns with these `types`.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._options, self._paths = options, named(options)
        self.failed, self.count = False, 0
        columns = {name: COLUMNS[name] for name in LOG_COLUMNS}
        self._read = partial(read_log, most=options.max_bytes, parse=Forms().parse_log)
        self._cells = _cells
        if options.what != "measurements":
            from sdanalysis.logs import tables

            columns, self._cells = TABLES[options.what], tables.cells
            self._read = partial(tables.read_table, options.what, most=options.max_bytes)
        self.types = {name: column.dtype for name, column in columns.items()}

    def __iter__(self) -> Iterator[list[tuple]]:
        """Yield rows, some together; _NothingWritten at the end where all or nothing is wanted."""
        strict, what = self._options.strict, self._options.what
        for log in read_all(self._paths, self._read):
            for problem in log.problems:
                report_problem(log.path, problem)
                self.failed |= problem.kind == "error"
            if not (strict and self.failed):
                for rows in self._cells(log):
                    self.count += len(rows)
                    yield [*map(defused, rows)] if self._options.spreadsheet else rows
        what = "benchmark" if what == "measurements" else what
        self.failed = self.failed or is_empty(self._paths, what, self.count)
        if strict and self.failed:
            raise _NothingWritten


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    is_people = options.what == "measurements" and not options.spreadsheet and sys.stdout.isatty()
    kind = format_of(options, FORMATS, TABLE if is_people and options.output is None else "csv")
    if kind == TABLE and options.what != "measurements":
        raise UsageError(f"found --format table for {options.what}, expected csv, json or parquet")
    if kind == "parquet":  # said before anything is read, which may take long
        if options.output is None and sys.stdout.isatty():
            raise UsageError("found parquet for a terminal, expected -o FILE, or a pipe behind it")
        load_arrow()
    rows = _Rows(options)
    with suppress(_NothingWritten), without_collector():
        write(rows, rows.types, kind, options.output, whole=options.strict)
        if options.output:
            print(f"{options.output}: {rows.count} rows", file=sys.stderr)
    return 1 if rows.failed else 0


def _cells(log: Log) -> Iterator[list[tuple]]:
    name = printable(log.path)
    rows = ((name, *_CELLS(row), " ".join(row.remarks) or None) for row in log.measurements)
    while some := list(islice(rows, _SOME)):
        yield some
