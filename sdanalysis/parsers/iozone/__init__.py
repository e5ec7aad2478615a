"""iozone: the table of automatic mode, the blocks of throughput mode, the reports of `-R`.

Grammar from iozone.c 3.2xx to 3.508 and from runs of them. A run begins with its banner, or with
the results themselves where only they were kept. `scan` keeps long tables together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator

from sdanalysis.codebook.measurement import Item, Problem
from sdanalysis.parsers.capture import Capture, Command
from sdanalysis.parsers.iozone.run import COMPLAINT, FACT, Run
from sdanalysis.parsers.iozone.spreadsheet import read_report
from sdanalysis.parsers.iozone.table import Table, expand, read_table
from sdanalysis.parsers.iozone.throughput import read_block, test_of

__all__ = ["Table", "expand", "parse", "scan"]

_SIGNS = ("reclen", "Children see throughput", " report", "ozone:", "Command line used:")
_LINE = re.compile(
    r"\s*+(?:(?P<table>[kK]B\s{1,9}reclen\s{1,9}write\b)"
    r"|(?P<block>Children see)"
    r"|(?P<report>Excel output is below|\"[A-Za-z -]{4,20} report(?:\"| Y-axis))"
    r"|(?P<title>Iozone: Performance Test of File I/O)"
    r"|Command line used:\s*\S{1,400}(?P<command>.{0,65536})"
    r"|(?P<complete>iozone test complete\.)"
    r"|(?P<doubt>Timer resolution is poor|The test completed too quickly"
    r"|Performance measurements are invalid in this mode)"  # of -V, which verifies what it reads
    rf"|(?P<complaint>{COMPLAINT})|(?P<fact>{FACT}))"
)
_BANNER = 8  # lines from the command line in a banner to the table
_Reader = Callable[[Capture, int, Run], Generator[Item | Table, None, int]]
_READERS: dict[str, _Reader] = {"table": read_table, "block": read_block, "report": read_report}


def parse(capture: Capture) -> Iterable[Item]:
    """Yield every result of iozone in a capture, and what could not be read, in its order."""
    for found in scan(capture):
        if isinstance(found, Table):
            yield from expand(found)
        else:
            yield found


def scan(capture: Capture) -> Iterator[Item | Table]:
    """Yield what `parse` yields, whole rows of a table together."""
    if not any(map(capture.text.__contains__, _SIGNS)):
        return
    run: Run | None = None
    taken: set[int] = set()  # commands at a prompt that have their run
    index = 0
    while index < len(capture.lines):
        match = _LINE.match(capture.lines[index])
        index += 1
        if match is None:
            continue
        kind, before = "fact" if match["fact"] else match.lastgroup or "", run
        command = _command_of(capture, index, run) if kind in _READERS else None
        run = _run_at(match, kind, index, run, command)
        if before and before is not run:
            yield from _close(before)
        if kind in _READERS:
            if command and command.line not in taken:
                taken |= run.adopt(command, index, kind)
            index = yield from _READERS[kind](capture, index - 1, run)
        else:
            yield from _take(match, kind, index, run)
    yield from _close(run)


def _command_of(capture: Capture, number: int, run: Run | None) -> Command | None:
    """Return the command at the prompt above results; none is looked for right below a banner."""
    if run and run.options is not None and 0 < number - run.said <= _BANNER:
        lines = capture.lines[run.said : number - 1]
    else:
        lines = [capture.text]
    return capture.command_above(number) if any("iozone " in text for text in lines) else None


def _run_at(
    match: re.Match[str], kind: str, number: int, run: Run | None, command: Command | None
) -> Run:
    """Return the run that a line belongs to: a second table, or the same test, is of another.

    So are results below another command at a prompt.
    """
    if run and command and run.line < command.line and command.of("iozone"):
        run = None
    if run is None or kind == "title":
        return Run(line=number, titled=kind == "title")
    is_new = run.is_over
    if kind == "block":
        is_new = is_new or test_of(match.string, run) in run.blocks
    elif kind == "report":
        is_new = is_new and not run.results
    elif kind == "fact":
        is_new = is_new or (run.results > 0 and match["each"] is None)
    elif kind in ("table", "command"):
        is_new = is_new or run.results > 0 or (run.refused and kind == "table")
    else:
        is_new = False
    return Run(line=number) if is_new else run


def _take(match: re.Match[str], kind: str, number: int, run: Run) -> Iterator[Problem]:
    """Take what a line says of its run; yield what is to be said where iozone complains."""
    text = match.string.strip()[:120]
    run.said = number
    if kind == "command":
        run.take_command(match["command"].split())
    elif kind == "fact":
        run.take_fact(match)
    elif kind == "complete":
        run.complete = run.is_over = True
    elif kind == "complaint" and not run.complete:
        run.is_over = True
        yield run.refuse(number, f"found {text!r}, expected the results of iozone")
    elif kind == "doubt":
        yield Problem(number, f"iozone says: {text}", "note")


def _close(run: Run | None) -> Iterator[Problem]:
    """Yield what is to be said at the end of a run."""
    if run is None or not run.titled:
        return
    if not run.results and not run.refused:
        text = "found a run of iozone without results, expected a table or throughput"
        yield Problem(run.line, text)
    elif not run.complete:
        text = "this run of iozone does not end with `iozone test complete.`: it may be cut"
        yield Problem(run.line, text, "note")
