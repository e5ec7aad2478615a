"""`sdanalysis parse`: logs -> rows, and a word on everything that was not read."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter

from sdanalysis.cli.options import (
    add_command,
    add_format,
    add_limit,
    add_output,
    add_paths,
    add_spreadsheet,
    exit_codes,
    format_of,
)
from sdanalysis.cli.reading import is_empty, named, read_all, report_problem
from sdanalysis.cli.rows import FORMATS, at_the_end, load_arrow, write_binary, write_text
from sdanalysis.cli.spreadsheet import defused
from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, LOG_STATUSES
from sdanalysis.codebook.tables import TABLES, WHAT
from sdanalysis.errors import UsageError
from sdanalysis.logs.read import Log, read_log, without_collector
from sdanalysis.paths import printable, writing

_TYPES = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
_CELLS = attrgetter(*LOG_COLUMNS[1:-1])  # between the file and the remarks


def add(commands: argparse._SubParsersAction) -> None:
    """Add `parse` to the commands."""
    command = add_command(
        commands, "parse", "Read benchmark logs and print their measurements as rows.",
        epilog="The output of iozone, fio, hdparm, dd and ddrescue, alone or mixed in a file, is\n"
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
        "  sdanalysis parse --what samples card_bw.1.log",
    )  # fmt: skip
    add_paths(command)
    output = "write there: .csv, .json (one object a line) or .parquet; - is standard output"
    add_output(command, output, stream=True)
    add_format(command, FORMATS, "csv")
    text = "print no rows and write nothing unless everything was read"
    command.add_argument("--strict", action="store_true", help=text)
    text = "the table to print (default: measurements); the others are of fio, see\n"
    text += "docs/time-and-percentiles.md"
    command.add_argument("--what", choices=WHAT, default="measurements", help=text)
    add_spreadsheet(command)
    add_limit(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    kind = format_of(options, FORMATS, "csv")
    if options.spreadsheet and kind != "csv":
        raise UsageError(f"found --spreadsheet for {kind}, expected it for csv only")
    if kind == "parquet":
        _check_parquet(options)
    run = _Run(options)
    try:
        with without_collector():
            if options.output:
                with writing(options.output) as file:
                    write_binary(file, run.rows(), run.types, kind)
                print(f"{options.output}: {run.count} rows", file=sys.stderr)
            elif options.strict or kind == "parquet":
                with at_the_end(kind) as file:
                    write_binary(file, run.rows(), run.types, kind)
            else:
                write_text(sys.stdout, run.rows(), list(run.types), kind)
    except _NothingWritten:
        pass
    return 1 if run.failed else 0


def _check_parquet(options: argparse.Namespace) -> None:
    """Refuse parquet that could not be written before anything is read, which may take long."""
    if options.output is None and sys.stdout.isatty():
        raise UsageError("found parquet for a terminal, expected -o FILE, or a pipe behind it")
    load_arrow()


class _NothingWritten(Exception):
    """With --strict, something was not read."""


class _Run:
    """The logs that a command names, read one after the other.

    `failed` when one was not whole; `count` are the rows so far, of columns of these `types`.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._paths, self._what = named(options), options.what
        self._strict, self._spreadsheet = options.strict, options.spreadsheet
        self._read = partial(read_log, most=options.max_bytes)
        self.types, self._cells = _TYPES, _rows
        if options.what != "measurements":
            from sdanalysis.logs.tables import cells, read_table

            self._read = partial(read_table, options.what, most=options.max_bytes)
            types = {name: column.dtype for name, column in TABLES[options.what].items()}
            self.types, self._cells = types, cells
        self.failed, self.count = False, 0

    def rows(self) -> Iterator[list[tuple]]:
        """Yield rows, some together; _NothingWritten at the end where all or nothing is wanted."""
        for log in read_all(self._paths, self._read):
            for problem in log.problems:
                report_problem(log.path, problem)
                self.failed |= problem.kind == "error"
            if not (self._strict and self.failed):
                for rows in self._cells(log):
                    self.count += len(rows)
                    yield [*map(_defused, rows)] if self._spreadsheet else rows
        what = "benchmark" if self._what == "measurements" else self._what
        self.failed = self.failed or is_empty(self._paths, what, self.count)
        if self._strict and self.failed:
            raise _NothingWritten


def _rows(log: Log) -> Iterator[list[tuple]]:
    name = printable(log.path)
    yield [(name, *_CELLS(one), " ".join(one.remarks) or None) for one in log.measurements]


def _defused(row: Iterable[object]) -> tuple:
    return tuple(defused(cell) if isinstance(cell, str) else cell for cell in row)
