"""`sdanalysis parse`: logs -> rows, and a word on everything that was not read."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from operator import attrgetter

from sdanalysis.cli.logs import is_empty, named, read_all, report_problem
from sdanalysis.cli.options import (
    LIMIT,
    PATHS,
    SPREADSHEET,
    add_command,
    exit_codes,
    format_of,
    formats,
    output,
)
from sdanalysis.cli.write import FORMATS, TABLE, defused, load_arrow, write
from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, LOG_STATUSES
from sdanalysis.codebook.tables import TABLES, WHAT
from sdanalysis.errors import UsageError
from sdanalysis.logs.read import Log, read_log, without_collector
from sdanalysis.paths import printable

_CELLS = attrgetter(*LOG_COLUMNS[1:-1])  # between the file and the remarks
_EPILOG = (
    "The output of iozone, fio, hdparm, dd and ddrescue, alone or mixed in a file, is\n"
    "found by its own words, and so are the summaries of PiBenchmarks, sdtest.sh and\n"
    "disk-benchmark.sh (column `script`); text around them is skipped. Only whole results are\n"
    "read: a piece of one is an error. Rows go to standard output, what was not read to\n"
    "standard error as path:line: what was found, what was expected.\n"
    "status of a row:\n"
    + "".join(f"  {name:<17} {meaning}\n" for name, meaning in LOG_STATUSES.items())
    + exit_codes("all read", "something was not, or a folder held no benchmark")
    + "examples:\n  sdanalysis parse card.log\n  sdanalysis parse logs/ -o cards.csv\n"
    "  sdanalysis parse card.log --format json | jq .value\n"
    "  sdanalysis parse results/ --include '*.log' --include '*.json'\n"
    "  sudo hdparm -t /dev/mmcblk0 | sdanalysis parse -\n"
    "  sdanalysis parse --what samples card_bw.1.log"
)
_OUTPUT = "write there: .csv, .json (one object a line) or .parquet; - is standard output"
_WHAT = (
    "the table to print (default: measurements); the others are of fio, see\n"
    "docs/time-and-percentiles.md"
)


def add(commands: argparse._SubParsersAction) -> None:
    """Add `parse` to the commands."""
    options = {
        **PATHS,
        **output(_OUTPUT),
        **formats((*FORMATS.values(), TABLE), "a table for people on a terminal, csv in a pipe"),
        "--strict": "print no rows and write nothing unless everything was read",
        "--what": (_WHAT, {"choices": WHAT, "default": "measurements"}),
        **SPREADSHEET,
        **LIMIT,
    }
    summary = "Read benchmark logs and print their measurements as rows."
    add_command(commands, "parse", summary, options, epilog=_EPILOG, run=_run)


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
        self._read, self._cells = partial(read_log, most=options.max_bytes), _cells
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


def _run(options: argparse.Namespace) -> int:
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
    yield [(name, *_CELLS(one), " ".join(one.remarks) or None) for one in log.measurements]
