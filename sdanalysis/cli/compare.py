"""`sdanalysis compare`: two sets of results -> which of their tests differ, and by how much."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.options import (
    add_command,
    add_data,
    add_format,
    add_include,
    add_limit,
    add_output,
    add_spreadsheet,
    check_output,
    encoded,
    format_of,
    write_output,
)
from sdanalysis.cli.reading import report_problem
from sdanalysis.cli.spreadsheet import defused_table
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import expand

if TYPE_CHECKING:
    from sdanalysis.comparing.comparison import Side

_ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown"}
_EACH = "for each of its values; repeat it, or separate names by commas"
_LAYOUT = {
    "group": f"a table {_EACH}",
    "row": f"a row {_EACH}",
    "col": f"columns {_EACH}",
    "ignore": "does not tell tests apart, such as file_size; it is still listed where it differs",
}
_EPILOG = """\
BASE and NEW are each one of
  a file of logs (.gz too), a folder, a glob in quotes, or - for standard input
  table:NAME=VALUE,NAME=VALUE  rows of the table; a name given twice takes either value

A test is what both sides measured with the same op, metric and stat. Laboratory, host, reader,
tool, O_DIRECT, block size, file size, processes, queue depth and mix tell tests apart where one
side has several of them (--ignore takes one back); where they only differ between the sides they
are listed as conditions.
The heading names a cause only if exactly one stated condition differs.

statistics: each median carries the exact interval between two order statistics (from 6 results
at 95 %). NEW/BASE is the median of the ratios of all pairs of results (Hodges and Lehmann), with
the interval and the p of the Mann-Whitney test (from 4 results a side; exact up to about 150);
no distribution is assumed. A test is undecided (~) where that interval holds 1. Several cards on
a side: the card counts, its runs are averaged. --pair specimen compares each card with itself
(t interval on the logarithms of the ratios, from 3 pairs). `how many more runs would decide` is
what this ratio and this spread would need, if they stayed so. --noise says, of tests with one
run on a side, whether they differ by more than repeats of other cards do: a second opinion that
changes no verdict. Where the sides round differently (another tool, unit or laboratory) the
interval holds all that their digits leave open.

csv and json hold a row a test, values in base units (B/s, 1/s, s).

exit code: 0 all read, 1 something was not or nothing can be compared, 2 wrong usage,
  130 interrupted
examples:
  sdanalysis compare before/ after/
  sdanalysis compare slot.log usb.log --base-given reader=slot --new-given reader=usb
  sdanalysis compare table:measured_by=geerling,host=pi-3b table:measured_by=geerling,host=pi-4b \\
      --pair specimen --where tool=iozone
  sdanalysis compare before/ after/ --row block_size --col op --format markdown -o change.md"""


def add(commands: argparse._SubParsersAction) -> None:
    """Add `compare` to the commands."""
    summary = "Compare two sets of results, test by test."
    command = add_command(commands, "compare", summary, epilog=_EPILOG)
    command.add_argument("base", metavar="BASE", help="logs, or table:NAME=VALUE,...")
    command.add_argument("new", metavar="NEW", help="the same, of what is compared with it")
    for side in ("base", "new"):
        text = f"what the logs of {side.upper()} do not say, such as host=pi-4b,reader=usb"
        command.add_argument(f"--{side}-given", metavar="NAME=VALUE,...", help=text)
    command.add_argument("--where", metavar="NAME=VALUE,...", help="only these rows of both sides")
    text = "compare each of these (such as specimen) with itself"
    command.add_argument("--pair", metavar="COLUMN", help=text)
    for name, text in _LAYOUT.items():
        command.add_argument(f"--{name}", action="append", default=[], metavar="COLUMN", help=text)
    text = "where a side has one run: a second opinion from the run noise of other cards"
    command.add_argument("--noise", action="store_true", help=text)
    text = "of every interval (default: 0.95)"
    command.add_argument("--confidence", type=float, default=0.95, metavar="LEVEL", help=text)
    text = "the table of table:... (default: that of --data)"
    command.add_argument("--table", type=Path, metavar="FILE", help=text)
    add_data(command, "processed/, reference/")
    add_include(command)
    add_format(command, _ENDINGS, "text")
    text = "write there (.txt, .csv, .json, .md); - is standard output"
    add_output(command, text, stream=True)
    add_spreadsheet(command)
    add_limit(command)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis.codebook.units import counted
    from sdanalysis.comparing import comparison
    from sdanalysis.comparing.text import rendered
    from sdanalysis.dataset import load_noise

    kind = format_of(options, _ENDINGS, "text")
    if options.spreadsheet and kind != "csv":
        raise UsageError(f"found --spreadsheet for {kind}, expected it for csv only")
    if not 0 < options.confidence < 1:
        raise UsageError(f"found the confidence {options.confidence:g}, expected it within 0 and 1")
    if options.base == options.new == "-":
        raise UsageError("found - twice, expected standard input on one side")
    layout = comparison.Layout(*map(_names, (options.group, options.row, options.col)))
    ignore = _names(options.ignore)
    comparison.check_columns(layout, options.pair, ignore)
    where = comparison.conditions(options.where) if options.where is not None else {}
    stated = [comparison.given(text) for text in (options.base_given, options.new_given)]
    check_output(options.output, _inputs(options))
    read = partial(_read, options=options)
    base, new = read(options.base, stated[0]), read(options.new, stated[1])
    for digest in base.files.keys() & new.files.keys():
        print(f"{new.files[digest]}: note: the same file is on both sides", file=sys.stderr)
    found = comparison.compare_sides(
        base._replace(rows=comparison.selected(base.rows, where)),
        new._replace(rows=comparison.selected(new.rows, where)),
        layout,
        ignore=ignore,
        pair=options.pair,
        confidence=options.confidence,
        noise=load_noise(options.data) if options.noise else None,
    )
    text = defused_table(rendered(found, kind)) if options.spreadsheet else rendered(found, kind)
    write_output(encoded(text), options.output, counted(len(found.tests), "test"))
    if found.tests.empty:
        raise SdAnalysisError("found no test that both sides have, expected at least one")
    return 1 if base.failed or new.failed else 0


def _inputs(options: argparse.Namespace) -> list[Path | str]:
    """Return the files that a comparison reads."""
    from sdanalysis.comparing.comparison import TABLE

    logs = [side for side in (options.base, options.new) if not side.startswith(TABLE)]
    return [*expand(logs, options.include), *([options.table] if options.table else [])]


def _read(argument: str, stated: Mapping[str, str], *, options: argparse.Namespace) -> Side:
    """Read a side and say what was not read of it."""
    from sdanalysis.comparing.comparison import TABLE, of_logs, of_table
    from sdanalysis.dataset import load

    if argument.startswith(TABLE):
        if stated:
            raise UsageError(f"found conditions given for {argument}, expected them for logs only")
        return of_table(argument, load(options.table or options.data))
    side = of_logs(argument, stated, options.max_bytes, options.include)
    for path, first in side.copies.items():
        print(f"{path}: note: the same as {first}, counted once", file=sys.stderr)
    for path, problem in side.problems:
        report_problem(path, problem)
    if side.rows.empty:
        raise SdAnalysisError(f"{argument}: found no measurement, expected a benchmark's results")
    return side


def _names(texts: list[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",")]
