"""`sdanalysis compare`: sets of results -> which of their tests differ, and by how much."""

import argparse
import sys

from sdanalysis.cli.logs import report_problem
from sdanalysis.cli.options import check_output, format_of
from sdanalysis.cli.write import defused_table, write_document
from sdanalysis.codebook.units import counted
from sdanalysis.comparing import comparison, limits, sets
from sdanalysis.comparing.selection import Side, conditions
from sdanalysis.comparing.text import finding_in_words, rendered
from sdanalysis.dataset import load_noise, tables_in
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.paths import STANDARD_INPUT

_FAILED, _UNDECIDED = 3, 4  # exit codes of --fail-if
_ENDINGS = {".txt": "text", ".csv": "csv", ".json": "json", ".md": "markdown"}
_MOST_SHARED = 10  # files on both sides that are named
_NOT_OF_HISTORY = ("sets", "pair", "noise", "base_given", "new_given", "table", "store")


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
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
    outcomes = {found.outcome for found in findings}
    if limits.FAILED in outcomes:
        return _FAILED
    if not whole:
        return 1
    return _UNDECIDED if options.fail_undecided and limits.UNDECIDED in outcomes else 0


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant."""
    alien = [name for name in _NOT_OF_HISTORY if getattr(options, name)]
    problem = None
    if not 0 < options.confidence < 1:
        problem = f"the confidence {options.confidence:g}, expected it within 0 and 1"
    elif options.sets.count(STANDARD_INPUT) > 1:
        problem = "- twice, expected standard input on one side"
    elif options.fail_undecided and not options.fail_if:
        problem = "--fail-undecided alone, expected --fail-if with it"
    elif options.history is not None and alien:
        name = "sets" if alien[0] == "sets" else f"--{alien[0].replace('_', '-')}"
        problem = f"{name} beside --history, expected the folder of runs alone"
    elif options.history is None and len(options.sets) < 2:
        expected = "a base and at least one more, or --history FOLDER"
        problem = f"{counted(len(options.sets), 'set')}, expected {expected}"
    if problem:
        raise UsageError(f"found {problem}")


def _sets(options: argparse.Namespace) -> tuple[list[Side], bool]:
    """Read the sets and say what was not read of them; tell whether all was."""
    files = [sets.files_of(name, options.include) for name in options.sets]
    tables = [options.table] if options.table else []
    if options.noise or any(name.startswith(sets.TABLE) for name in options.sets):
        tables += tables_in(options.data)
    check_output(options.output, [path for found in (*files, tables) for path in found])
    given = [options.base_given, *options.new_given]
    settings = {"table": options.table or options.data, "store": options.store}
    settings |= {"files": files, "most": options.max_bytes}
    sides = sets.read(options.sets, given, **settings)
    for side in sides:
        _report(side)
    for side in sides:
        if side.rows.empty:
            expected = "expected a benchmark's results"
            raise SdAnalysisError(f"{side.name}: found no measurement, {expected}")
    same = sets.shared(sides)
    for path in same[:_MOST_SHARED]:
        print(f"{path}: note: the same file is on both sides", file=sys.stderr)
    if more := len(same[_MOST_SHARED:]):
        print(f"note: {more} more files are on both sides", file=sys.stderr)
    return sides, not any(side.failed for side in sides)


def _history(options: argparse.Namespace) -> tuple[list[Side], bool]:
    """Read the runs of a history; only what was not read of the last one is a failure."""
    runs = sets.runs_below(options.history, options.include)
    check_output(options.output, [path for files in runs.values() for path in files])
    sides = sets.of_runs(runs, options.max_bytes)
    for side in sides:
        _report(side)
    for side in sides[:-1]:
        if side.rows.empty:
            print(f"{side.name}: note: found no measurement, this run is left out", file=sys.stderr)
    is_first = len(sides) == 1 and not sides[0].rows.empty
    return sides if is_first else sets.earlier_and_last(sides), not sides[-1].failed


def _report(side: Side) -> None:
    """Say what was not read of a side."""
    for path, first in side.copies.items():
        print(f"{path}: note: the same as {first}, counted once", file=sys.stderr)
    for path, problem in side.problems:
        report_problem(path, problem)


def _names(texts: list[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",")]
