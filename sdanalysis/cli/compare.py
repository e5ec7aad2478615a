"""`sdanalysis compare`: sets of results -> which of their tests differ, and by how much."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.logs import report_problem
from sdanalysis.cli.options import (
    INCLUDE,
    LIMIT,
    MANY,
    SPREADSHEET,
    add_command,
    check_output,
    data,
    format_of,
    formats,
    output,
)
from sdanalysis.cli.write import defused_table, write_document
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import STANDARD_INPUT

if TYPE_CHECKING:
    from sdanalysis.comparing.limits import Finding
    from sdanalysis.comparing.sets import Side

_FAILED, _UNDECIDED = 3, 4  # exit codes of --fail-if
_ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown"}
_EACH = "for each of its values; repeat it, or separate names by commas"
_LAYOUT = {
    "group": f"a table {_EACH}",
    "row": f"a row {_EACH}",
    "col": f"columns {_EACH}",
    "ignore": "does not tell tests apart, such as file_size; it is still listed where it differs",
}
_SAID = 10  # files on both sides that are named
_EPILOG = """\
Each SET, of which the first is the BASE that the others are compared with, is one of
  a file of logs (.gz too), a folder, a glob in quotes, or - for standard input
  table:NAME=VALUE,NAME=VALUE  rows of the table; a name given twice takes either value
  store:NAME=VALUE,NAME=VALUE  rows of the logs in --store; of file=... a pattern is enough

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
The geometric mean is over the tests that all sets have, of one metric and stat. It has no
interval: tests are chosen and not drawn, and they share cards and runs.

--history FOLDER compares the last run with all before it. Each folder and each file right below
FOLDER is a run. They are ordered by name, digits as numbers, never by the times of files, which
a check-out sets anew: call them 2026-11-22 or run-17. Their own differences are the noise: the
results of a run are averaged, and the interval is that of one more run (t, on logarithms), with
all that digits leave open; below 3 earlier runs there is no verdict. An earlier run that cannot
be read is left out and said; of the last run that is exit code 1. A first run is compared with
nothing and ends with 0 (with --fail-undecided: 4), so that a history can begin.

--fail-if 'TEST < PERCENT%' or '>' is a limit of the change of NEW against BASE. TEST is any of:
a tool, an op (randwrite; `random write` too), a metric, a stat, a block size (4k), NAME=VALUE;
without a metric it is about bandwidth and iops, so a latency is named: 'randread latency > 20%'.
It holds for every test that it names, in every set:
  failed     the whole interval lies beyond the limit
  kept       no part of the interval does
  undecided  the interval covers the limit, or there is none (too few results)
A limit that names no test that was compared is an error: a test that is gone is no success.

csv and json hold a row a test and set, values in base units (B/s, 1/s, s).

exit code: 0 all read (and no limit failed), 1 something was not or nothing can be compared,
2 wrong usage, 3 a --fail-if failed, 4 with --fail-undecided: none failed, one is undecided,
130 interrupted; 3 goes before 1, and 1 before 4.
examples:
  sdanalysis compare before/ after/
  sdanalysis compare plain.log ext4.log f2fs.log
  sdanalysis compare slot.log usb.log --base-given reader=slot --new-given reader=usb
  sdanalysis compare table:measured_by=geerling,host=pi-3b table:measured_by=geerling,host=pi-4b \\
      --pair specimen --where tool=iozone
  sdanalysis compare 'store:file=*/run-16/*' 'store:file=*/run-17/*' --store store
  sdanalysis compare before/ after/ --row block_size --col op --format markdown -o change.md
  sdanalysis compare --history runs/ --fail-if 'randwrite < -10%' --format markdown -o comment.md"""


def add(commands: argparse._SubParsersAction) -> None:
    """Add `compare` to the commands."""
    text = "logs, or table:NAME=VALUE,...: the base, then what is compared with it"
    limit = "'randwrite < -10%%': exit with 3 where that is decided; repeat it for further limits"
    options = {
        "sets SET": (text, {"nargs": "*"}),
        "--history FOLDER": "instead of sets: one run each, the last against those before it",
        "--base-given NAME=VALUE,...": "what the logs of the base do not say, such as "
        "host=pi-4b,reader=usb",
        "--new-given NAME=VALUE,...": ("the same of the next set; repeat it for each further one",
                                       MANY),
        "--where NAME=VALUE,...": "only these rows of all sets",
        "--pair COLUMN": "compare each of these (such as specimen) with itself",
        **{f"--{name} COLUMN": (text, MANY) for name, text in _LAYOUT.items()},
        "--noise": "where a side has one run: a second opinion from the run noise of other cards",
        "--confidence LEVEL": ("of every interval (default: 0.95)", {"default": 0.95}),
        "--fail-if LIMIT": (limit, MANY),
        "--fail-undecided": "exit with 4 where no limit of --fail-if failed and one is undecided",
        "--table FILE": "the table of table:... (default: that of --data)",
        "--store DIR": "the store of store:..., as `sdanalysis archive` made it",
        **data("processed/, reference/"),
        **INCLUDE,
        **formats(_ENDINGS.values(), "text"),
        **output("write there (.txt, .csv, .json, .md); - is standard output"),
        **SPREADSHEET,
        **LIMIT,
    }  # fmt: skip
    summary = "Compare sets of results with the first of them, test by test."
    add_command(commands, "compare", summary, options, epilog=_EPILOG, run=_run)


def _run(options: argparse.Namespace) -> int:
    from sdanalysis.codebook.units import counted
    from sdanalysis.comparing import comparison, limits
    from sdanalysis.comparing.sets import conditions
    from sdanalysis.comparing.text import finding_in_words, rendered
    from sdanalysis.dataset import load_noise

    kind = format_of(options, _ENDINGS, "text")
    _check(options)
    layout = comparison.Layout(*map(_names, (options.group, options.row, options.col)))
    ignore = _names(options.ignore)
    comparison.check_columns(layout, options.pair, ignore)
    where = conditions(options.where) if options.where is not None else {}
    wanted = [limits.limit(text) for text in options.fail_if]
    sides, whole = _history(options) if options.history else _sets(options)
    if len(sides) == 1:
        print(f"{sides[0].name}: note: the first run, nothing is before it", file=sys.stderr)
        return _UNDECIDED if options.fail_undecided else int(not whole)
    found = comparison.compare(
        sides,
        layout,
        where=where,
        ignore=ignore,
        pair=options.pair,
        confidence=options.confidence,
        noise=load_noise(options.data) if options.noise else None,
        is_history=options.history is not None,
    )
    if found.tests.empty:
        print(rendered(found), end="", file=sys.stderr)
        raise SdAnalysisError("found no test that both sides have, expected at least one")
    findings = limits.findings(found, wanted)
    text = rendered(found, kind, findings)
    text = defused_table(text) if options.spreadsheet else text
    write_document(text, options.output, counted(len(found.tests), "test"))
    if options.output or kind == "csv":  # else what became of the limits was printed
        for limit in findings:
            print(f"sdanalysis compare: {finding_in_words(limit)}", file=sys.stderr)
    return _exit_code(findings, whole, undecided=options.fail_undecided)


def _exit_code(findings: Sequence[Finding], whole: bool, *, undecided: bool) -> int:
    """Return the exit code: what failed goes before what was not read."""
    from sdanalysis.comparing.limits import FAILED, UNDECIDED

    outcomes = {found.outcome for found in findings}
    if FAILED in outcomes:
        return _FAILED
    if not whole:
        return 1
    return _UNDECIDED if undecided and UNDECIDED in outcomes else 0


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant."""
    from sdanalysis.codebook.units import counted

    if not 0 < options.confidence < 1:
        raise UsageError(f"found the confidence {options.confidence:g}, expected it within 0 and 1")
    if options.sets.count(STANDARD_INPUT) > 1:
        raise UsageError("found - twice, expected standard input on one side")
    if options.fail_undecided and not options.fail_if:
        raise UsageError("found --fail-undecided alone, expected --fail-if with it")
    if options.history is not None:
        _check_history(options)
    elif len(options.sets) < 2:
        expected = "a base and at least one more, or --history FOLDER"
        raise UsageError(f"found {counted(len(options.sets), 'set')}, expected {expected}")


def _check_history(options: argparse.Namespace) -> None:
    """Refuse what a history has no place for."""
    others = ("sets", "pair", "noise", "base_given", "new_given", "table", "store")
    if beside := [name for name in others if getattr(options, name)]:
        name = "sets" if beside[0] == "sets" else f"--{beside[0].replace('_', '-')}"
        raise UsageError(f"found {name} beside --history, expected the folder of runs alone")


def _sets(options: argparse.Namespace) -> tuple[list[Side], bool]:
    """Read the sets and say what was not read of them; tell whether all was."""
    from sdanalysis.comparing.sets import files_of, read, shared

    files = [files_of(name, options.include) for name in options.sets]
    check_output(options.output, [path for found in (*files, _tables(options)) for path in found])
    given = [options.base_given, *options.new_given]
    settings = {"table": options.table or options.data, "store": options.store}
    settings |= {"files": files, "most": options.max_bytes}
    sides = [_told(side) for side in read(options.sets, given, **settings)]
    for side in sides:
        if side.rows.empty:
            expected = "expected a benchmark's results"
            raise SdAnalysisError(f"{side.name}: found no measurement, {expected}")
    same = shared(sides)
    for path in same[:_SAID]:
        print(f"{path}: note: the same file is on both sides", file=sys.stderr)
    if len(same) > _SAID:
        print(f"note: {len(same) - _SAID} more files are on both sides", file=sys.stderr)
    return sides, not any(side.failed for side in sides)


def _tables(options: argparse.Namespace) -> list[Path]:
    """Return the tables that are read beside the logs."""
    from sdanalysis.comparing.sets import TABLE
    from sdanalysis.dataset import tables_in

    is_read = options.noise or any(name.startswith(TABLE) for name in options.sets)
    return [
        *([options.table] if options.table else []),
        *(tables_in(options.data) if is_read else []),
    ]


def _history(options: argparse.Namespace) -> tuple[list[Side], bool]:
    """Read the runs of a history; only what was not read of the last one is a failure."""
    from sdanalysis.comparing.sets import earlier_and_last, of_runs, runs_below

    runs = runs_below(options.history, options.include)
    check_output(options.output, [path for files in runs.values() for path in files])
    sides = [_told(side) for side in of_runs(runs, options.max_bytes)]
    for side in sides[:-1]:
        if side.rows.empty:
            print(f"{side.name}: note: found no measurement, this run is left out", file=sys.stderr)
    whole = not sides[-1].failed
    if len(sides) == 1 and not sides[0].rows.empty:
        return sides, whole
    return earlier_and_last(sides), whole


def _told(side: Side) -> Side:
    """Say what was not read of a side."""
    for path, first in side.copies.items():
        print(f"{path}: note: the same as {first}, counted once", file=sys.stderr)
    for path, problem in side.problems:
        report_problem(path, problem)
    return side


def _names(texts: list[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",")]
