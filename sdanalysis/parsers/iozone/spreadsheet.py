"""iozone's reports for a spreadsheet (`-R`), which have the numbers of the table or blocks again.

Automatic mode: `"Writer report"`, a line of quoted record sizes in kB, then a line a file size: it
quoted, and its results; above 16 MB those of small records are zeros, which were not tested.
Throughput mode: `"Throughput report Y-axis ..."`, its record size and unit, then a line a test:
its name, and a total for each number of processes. They are read where nothing else was kept.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import KIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, TIMES, Run, numbers
from sdanalysis.parsers.iozone.throughput import op_named

_LINE = re.compile(
    r"\s*(?:\"(?P<title>[A-Za-z -]{4,20}) report\"\s*$"
    r"|\"[A-Za-z -]{4,20} (?P<cpu>CPU utilization report)"
    r"|\"Record size = (?P<record>[0-9]{1,9}) [kK][bB]ytes"
    r"|\"Output is in (?P<unit>[kK][bB]ytes/sec|ops/sec)\""
    r"|(?P<sizes>(?:\"[0-9]{1,9}\"\s{1,9}){0,99}\"[0-9]{1,9}\"\s*$)"
    r"|\"(?P<file>[0-9]{1,12})\"\s(?P<row>.*)"
    r"|\" *(?P<test>[A-Z][A-Za-z -]{3,14}) \"(?P<totals>[ 0-9.]+)$)"
)
_NUMBERS = {"row": re.compile(r"[0-9]{1,10}"), "totals": re.compile(r"[0-9]{1,18}\.[0-9]{2}")}
_LONGEST = 4096  # characters of a line


class _State:
    """What the lines of a report above a line say of it."""

    op: str | None = None  # of automatic mode
    records: Sequence[int] = ()  # of the columns
    record: int | None = None  # of throughput mode
    unit = DEFAULT_UNIT

    def take(self, match: re.Match[str]) -> None:
        """Take a title, the sizes of the columns, or what a report of throughput begins with."""
        if match["title"] or match["cpu"]:
            self.op, self.records = op_named(match["title"] or ""), ()
        elif match["sizes"]:
            self.records = [int(size) * KIB for size in re.findall("[0-9]+", match["sizes"])]
        self.record = int(match["record"]) * KIB if match["record"] else self.record
        self.unit = match["unit"] or self.unit


def read_report(capture: Capture, index: int, run: Run) -> Generator[Item, None, int]:
    """Yield the figures of a report that repeats none; return the index of the line after it."""
    lines = capture.lines
    end = index + 1
    while end < len(lines) and (not lines[end].strip() or lines[end].lstrip()[0] == '"'):
        end += 1
    run.is_over = True
    if run.results:
        text = "the report repeats the results above: not counted again"
        yield Problem(index + 1, text, "note")
        return end
    state = _State()
    for number, line in enumerate(lines[index:end], index + 1):
        match = _LINE.match(line[:_LONGEST])
        if match and (match["test"] or (match["file"] and state.op)):
            may_be_cut = number == len(lines) and not capture.is_whole and line[-1:] != " "
            yield from _figures(match, number, state, run, may_be_cut=may_be_cut)
        elif match:
            state.take(match)
    if not run.results and not run.refused:
        text = "found the first line of a report and no figure below it, expected its numbers"
        yield run.refuse(index + 1, text)
    elif state.op and run.unit is None:
        text = "no line says the unit of this report: read as iozone's default, kB/s"
        yield Problem(index + 1, text, "note")
    return end


def _figures(
    match: re.Match[str], number: int, state: _State, run: Run, *, may_be_cut: bool
) -> Iterator[Item]:
    """Yield the figures of a line, or why there are none."""
    group = "totals" if match["test"] else "row"
    found = list(re.compile(r"\S+").finditer(match.string, *match.span(group)))
    if match["test"]:
        op, printed = op_named(match["test"]), state.unit
        shares = [run.shared(state.record, run.file_size, count) for count in _counts(run, found)]
    else:
        op, printed = state.op, run.unit or DEFAULT_UNIT
        shares = [run.shared(size, int(match["file"]) * KIB) for size in state.records]
    is_sound = all(_NUMBERS[group].fullmatch(value[0]) for value in found)
    if op is None or may_be_cut or not is_sound or len(found) > len(shares):
        text = (
            f"found {match[0].strip()[:80]!r}, expected a test's whole numbers, a record size or a"
        )
        yield run.refuse(number, f"{text} number of processes for each (-t), and a line end")
        return
    stat = "mean" if printed == TIMES else "single"
    for value, shared in zip(found, shares, strict=False):
        try:
            reading = figure("iozone", value[0], printed, truncated=group == "row")
        except SdAnalysisError as error:
            yield run.refuse(number, str(error))
            continue
        if reading.value:  # 0 was not tested
            run.results += 1
            cell = (number, value.start() + 1, op, reading.unit.metric, stat, *reading)
            yield Measurement(*cell, *shared)


def _counts(run: Run, columns: Sequence[object]) -> Sequence[int | None]:
    """Return the number of processes of each column: it tells tests apart that are no repeats."""
    least, most = numbers(run.options, "l"), numbers(run.options, "u")
    given: Sequence[int | None] = numbers(run.options, "t")
    if least or most:
        given = range((least or [1])[-1], (most or least)[-1] + 1)
    return [None] if len(given) != len(columns) == 1 else given[: len(columns) + 1]
