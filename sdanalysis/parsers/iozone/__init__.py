"""iozone: the table of automatic mode and the blocks of throughput mode.

Grammar from iozone.c 3.2xx to 3.508 and from runs of them. A run begins with its banner, or with
the results themselves where only they were kept. `scan` keeps long tables together. The reports of
`-R`, for a spreadsheet, have the numbers of the table or blocks again: they are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdanalysis.codebook.measurement import Item, Problem
from sdanalysis.parsers.capture import Capture, Command
from sdanalysis.parsers.iozone.run import COMPLAINT, FACT, Run
from sdanalysis.parsers.iozone.table import Table, expand, read_table
from sdanalysis.parsers.iozone.throughput import read_block, test_of

__all__ = ["Table", "expand", "parse", "scan"]

_LINE = re.compile(
    r"\s*+(?:(?P<table>[kK]B\s{1,9}reclen\s{1,9}write\b)"
    r"|(?P<block>Children see)"
    r"|(?P<report>Excel output is below|\"Throughput report Y-axis)"
    r"|(?P<title>Iozone: Performance Test of File I/O)"
    r"|Command line used:\s*\S{1,400}(?P<command>.{0,65536})"
    r"|(?P<complete>iozone test complete\.)"
    r"|(?P<doubt>Timer resolution is poor|The test completed too quickly"
    r"|Performance measurements are invalid in this mode)"  # of -V, which verifies what it reads
    rf"|(?P<complaint>{COMPLAINT})|(?P<fact>{FACT}))"
)
_READERS = {"table": read_table, "block": read_block}


def parse(capture: Capture) -> Iterable[Item]:
    """Yield every result of iozone in a capture, and what could not be read, in its order."""
    for found in scan(capture):
        yield from expand(found) if isinstance(found, Table) else [found]


def scan(capture: Capture) -> Iterator[Item | Table]:
    """Yield what `parse` yields, whole rows of a table together."""
    run: Run | None = None
    index = above = 0  # the line of the run above
    while index < len(capture.lines):
        match = _LINE.match(capture.lines[index])
        index += 1
        if match is None:
            continue
        kind, before = match.lastgroup or "", run
        is_known = run and run.options is not None and not run.results
        command = None if is_known or kind not in _READERS else capture.command_above(index)
        run = _run_at(match, kind, index, run, command)
        if before and before is not run:
            above = before.line
            yield from _close(before)
        if command and command.line > above:  # it may have printed that run
            yield from run.adopt(command, capture.lines[index - 1 : index + 8], index)
        if kind in _READERS:
            index = yield from _READERS[kind](capture, index - 1, run)
        else:
            yield from _take(match, kind, index, run)
    yield from _close(run)


def _run_at(
    match: re.Match[str], kind: str, number: int, run: Run | None, command: Command | None
) -> Run:
    """Return the run that a line belongs to: a second table, or the same test, is of another."""
    # So are results below another command at a prompt.
    is_below = run and command and run.line < command.line
    if run is None or kind == "title" or is_below:
        return Run(line=number, titled=kind == "title")
    if kind == "block":
        is_new = run.is_over or test_of(match.string, run) in run.blocks
    else:
        is_new = kind in ("table", "fact", "command") and (run.is_over or run.results > 0)
    return Run(line=number) if is_new else run


def _take(match: re.Match[str], kind: str, number: int, run: Run) -> Iterator[Problem]:
    if kind == "command":
        run.take_command(match["command"].split())
    elif kind == "fact":
        run.take_fact(match)
    elif kind == "complete":
        run.complete = run.is_over = True
    elif kind == "complaint" and not run.complete:
        found = f"found {match.string.strip()[:120]!r}"
        yield run.refuse(number, f"{found}, expected the results of iozone")
    elif kind == "report":
        found = "found a report of -R, which repeats the results above it: not read"
        yield Problem(number, found, "note" if run.results else "error")
    elif kind == "doubt":
        yield Problem(number, f"iozone says: {match.string.strip()[:120]}", "note")


def _close(run: Run | None) -> Iterator[Problem]:
    if run is None or not run.titled:
        return
    if not run.results and not run.refused:
        text = "found a run of iozone without results, expected a table or throughput"
        yield Problem(run.line, text)
    elif not run.complete:
        text = "this run of iozone does not end with `iozone test complete.`: it may be cut"
        yield Problem(run.line, text, "note")
