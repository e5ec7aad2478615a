"""`sdanalysis compare`: two sets of results -> which of their tests differ, and by how much."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.options import add_command
from sdanalysis.comparing import comparison, sides
from sdanalysis.comparing.text import counted
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import write_whole

if TYPE_CHECKING:
    import pandas as pd

_ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown"}
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
at 95 %), each ratio that of the exact Mann-Whitney test (from 4 results a side), as in benchstat;
no distribution is assumed. A test is undecided (~) where that interval holds 1. Several cards on
a side: the card counts, its runs are averaged. --pair specimen compares each card with itself
(t interval on the logarithms of the ratios, from 3 pairs). `how many more runs would decide` is
what these medians and this spread would need, if they stayed so. --noise says, of tests with one
run on a side, whether they differ by more than five runs of another card did: a second opinion
that changes no verdict.

csv and json hold a row a test, values in base units (B/s, 1/s, s).

exit code: 0 all read, 1 something was not or nothing can be compared, 2 wrong usage
examples:
  sdanalysis compare before/ after/
  sdanalysis compare slot.log usb.log --base-given reader=slot --new-given reader=usb
  sdanalysis compare table:measured_by=geerling,host=pi-3b table:measured_by=geerling,host=pi-4b \\
      --pair specimen --where tool=iozone
  sdanalysis compare before/ after/ --row block_size --col op --format markdown -o change.md"""


def add(commands: argparse._SubParsersAction) -> None:
    """Add `compare` to the commands."""
    command = add_command(
        commands, "compare", "Compare two sets of results, test by test.", epilog=_EPILOG
    )
    command.add_argument("base", metavar="BASE", help="logs, or table:NAME=VALUE,...")
    command.add_argument("new", metavar="NEW", help="the same, of what is compared with it")
    for side in ("base", "new"):
        command.add_argument(
            f"--{side}-given",
            metavar="NAME=VALUE,...",
            help=f"what the logs of {side.upper()} do not say: {', '.join(sides.GIVEN)}",
        )
    command.add_argument("--where", metavar="NAME=VALUE,...", help="only these rows of both sides")
    command.add_argument(
        "--pair", metavar="COLUMN", help="compare each of these (such as specimen) with itself"
    )
    for name, what in (("group", "a table"), ("row", "a row"), ("col", "columns")):
        command.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="COLUMN",
            help=f"{what} for each of its values; repeat it, or separate names by commas",
        )
    command.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="COLUMN",
        help="does not tell tests apart, such as file_size; it is still listed where it differs",
    )
    command.add_argument(
        "--noise",
        action="store_true",
        help="where a side has one run: a second opinion from the run noise of another card",
    )
    command.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help="of every interval (default: 0.95)",
    )
    command.add_argument(
        "--table", type=Path, metavar="FILE", help="the table of table:... (default: the project's)"
    )
    command.add_argument(
        "--format", choices=comparison.FORMATS, help="default: by the ending of FILE, else text"
    )
    command.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write there (.txt, .csv, .json, .md)"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    kind = _kind(options)
    if not 0 < options.confidence < 1:
        raise UsageError(f"found the confidence {options.confidence:g}, expected it within 0 and 1")
    if options.base == options.new == "-":
        raise UsageError("found - twice, expected standard input on one side")
    layout = {name: _names(getattr(options, name)) for name in ("group", "row", "col")}
    options.ignore = _names(options.ignore)
    _check_layout(layout, options.pair, options.ignore)
    where = sides.conditions(options.where) if options.where is not None else {}
    stated = [sides.given(text) for text in (options.base_given, options.new_given)]
    base = sides.read_side(options.base, options.base, stated[0], options.table)
    new = sides.read_side(options.new, options.new, stated[1], options.table)
    for digest in base.files.keys() & new.files.keys():
        print(f"{new.files[digest]}: note: the same file is on both sides", file=sys.stderr)
    rows = [sides.selected(side.rows, where) for side in (base, new)]
    for side in (base, new):
        if options.pair and (options.pair not in side.rows or side.rows[options.pair].isna().all()):
            raise SdAnalysisError(f"{side.name}: found no {options.pair}, expected it for --pair")
    found = _compared(rows, [base.name, new.name], layout, options)
    _write(comparison.rendered(found, kind), options.output, len(found.tests))
    if found.tests.empty:
        raise SdAnalysisError("found no test that both sides have, expected at least one")
    return 1 if base.failed or new.failed else 0


def _compared(
    rows: list[pd.DataFrame],
    names: list[str],
    layout: dict[str, list[str]],
    options: argparse.Namespace,
) -> comparison.Comparison:
    from sdanalysis import reference, stats

    told = [name for names in layout.values() for name in names]
    taken = [*options.ignore, options.pair]
    telling = [name for name in stats.telling_apart(*rows) if name not in taken]
    by = list(dict.fromkeys([*told, *telling]))
    kept = stats.shared(*rows, on=options.pair, by=by) if options.pair else rows
    conditions = stats.differing_conditions(*kept, by=by)
    tests = stats.compare(*kept, by=by, pair=options.pair, confidence=options.confidence)
    rest = [name for name in by if name not in told]
    return comparison.Comparison(
        sides=[
            f"{side}: {name}, {counted(len(one), 'figure')}{_cards(one)}"
            for side, name, one in zip(("BASE", "NEW "), names, kept, strict=True)
        ],
        heading=stats.heading(conditions) if len(tests) else "BASE and NEW have no test in common",
        conditions=conditions,
        not_stated=stats.not_stated(*kept),
        tests=tests,
        left_out=stats.not_comparable(*rows, by=[*by, *([options.pair] if options.pair else [])]),
        groups=layout["group"],
        rows=[*layout["row"], *rest],
        columns=layout["col"],
        confidence=options.confidence,
        paired=options.pair,
        opinions=stats.second_opinion(tests, reference.noise(), confidence=options.confidence)
        if options.noise
        else None,
    )


def _cards(rows: pd.DataFrame) -> str:
    cards = rows["specimen"].nunique() if "specimen" in rows else 0
    return f" of {counted(cards, 'card')}" if cards else ""


def _kind(options: argparse.Namespace) -> str:
    if options.format:
        return options.format
    if options.output is None:
        return "text"
    ending = options.output.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(
            f"{options.output}: found the ending {ending!r}, expected --format or one of "
            f"{', '.join(_ENDINGS)}"
        )
    return _ENDINGS[ending]


def _names(given: list[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",")]


def _check_layout(layout: dict[str, list[str]], pair: str | None, ignore: list[str]) -> None:
    from sdanalysis.codebook import schema
    from sdanalysis.stats.test_columns import TEST

    told = [name for names in layout.values() for name in names]
    told += [*ignore, *([pair] if pair is not None else [])]
    for name in told:
        if name not in schema.COLUMNS:
            raise UsageError(
                f"found the column {name!r}, expected one of {', '.join(schema.COLUMNS)}"
            )
        if told.count(name) > 1:
            raise UsageError(f"found the column {name!r} twice, expected it once")
        if name in ignore and name in TEST:
            raise UsageError(f"found --ignore {name}, expected none of {', '.join(TEST)}")


def _write(text: str, output: Path | None, tests: int) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    write_whole(output, text.encode())
    print(f"{output}: {counted(tests, 'test')}", file=sys.stderr)
