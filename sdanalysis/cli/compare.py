"""`sdanalysis compare`: sets of results -> which of their tests differ, and by how much."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdanalysis.cli.logs import report_problem
from sdanalysis.cli.options import (
    check_output,
    format_of,
)
from sdanalysis.cli.write import defused_table, write_document
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import STANDARD_INPUT

if TYPE_CHECKING:
    from sdanalysis.comparing.limits import Finding
    from sdanalysis.comparing.sets import Side

_FAILED, _UNDECIDED = 3, 4  # exit codes of --fail-if
_ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown"}
_SAID = 10  # files on both sides that are named


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
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
