"""iozone's reports for a spreadsheet (`-R`): the same numbers again, or all that was kept."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.iozone.layouts import op_named
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, Options, Run

_TEST = re.compile(r"\"\s*(?P<name>[A-Z][A-Za-z -]{3,14}) \"(?P<values>[ 0-9.]+)$")
_RECORD = re.compile(r"\"Record size = (?P<record>[0-9]{1,9}) kBytes")
_UNIT = re.compile(r"\"Output is in (?P<unit>kBytes/sec|ops/sec)\"")
_TITLE = re.compile(r"^\W{0,8}\"(?P<name>[A-Za-z -]{4,20}) report\"\s*$")
_CPU = re.compile(r"\"[A-Za-z -]{4,20} CPU utilization report")
_SIZES = re.compile(r"[\s>]*(?:\"[0-9]{1,9}\"\s*)+$")
_ROW = re.compile(r"^[\s>]{0,8}\"(?P<size>[0-9]{1,16})\"\s(?P<values>.*)$")
_VALUE = re.compile(r"\S+")
_WHOLE = re.compile(r"[0-9]{1,10}")
_TOTAL = re.compile(r"[0-9]+\.[0-9]{2}")
_QUOTED = re.compile(r"\"([0-9]{1,9})\"")


def is_report(text: str) -> bool:
    """Whether a line begins a spreadsheet report, or one block of it."""
    return (
        "Excel output is below" in text
        or '"Throughput report' in text
        or ('report"' in text and _TITLE.search(text) is not None)
    )


def read_report(
    lines: Sequence[Line], index: int, run: Run
) -> Generator[Measurement | Problem, None, int]:
    """Yield the figures of a report that repeats none; return the index of the line after it."""
    end = _end(lines, index)
    if run.results:
        text = "the report repeats the results above: not counted again"
        yield Problem(line=lines[index].number, text=text, kind="note")
        return end
    if "Throughput report" in lines[index].text:
        yield from _throughput(lines[index:end], run)
        return end
    before = run.results
    yield from _blocks(lines, index, end, run)
    if run.results > before and run.unit is None:
        text = "no line says the unit of this report: read as iozone's default, kB/s"
        yield Problem(line=lines[index].number, text=text, kind="note")
    return end


def _end(lines: Sequence[Line], index: int) -> int:
    """Return where the report ends: behind its last line that begins with a quoted word."""
    end = place = index + 1
    while place < len(lines):
        text = lines[place].text.strip(" \t>")
        if text.startswith('"') or text == "Excel output is below:":
            end = place + 1
        elif text:
            break
        place += 1
    return end


def _blocks(
    lines: Sequence[Line], index: int, end: int, run: Run
) -> Iterator[Measurement | Problem]:
    """Yield the figures of a report of automatic mode: a block a test, a row a file size."""
    op: str | None = None
    records: list[int] = []
    for place in range(index, end):
        line = lines[place]
        if title := _TITLE.search(line.text):
            op, records = op_named(title["name"]), []
        elif _CPU.search(line.text):
            op = None
        elif op and _SIZES.fullmatch(line.text):
            records = [int(size) * KIB for size in _QUOTED.findall(line.text)]
        elif op and (row := _ROW.search(line.text)):
            shared = {**run.of_one_process(), "op": op, "file_size": int(row["size"]) * KIB}
            yield from _row(line, row, records, run, shared, last=place + 1 == len(lines))


def _row(
    line: Line,
    row: re.Match[str],
    records: list[int],
    run: Run,
    shared: dict[str, Any],
    *,
    last: bool,
) -> Iterator[Measurement | Problem]:
    found = list(_VALUE.finditer(line.text, row.start("values")))
    cut = last and not line.text[-1:].isspace()
    if (
        cut
        or len(found) > len(records)
        or not all(_WHOLE.fullmatch(match.group()) for match in found)
    ):
        text = f"found {line.text.strip()[:80]!r}, expected whole numbers below the record sizes"
        yield run.refuse(line.number, text + (" and a line end" if cut else ""))
        return
    for record, match in zip(records, found, strict=False):
        # 0 was not tested: above 16 MB small records are left out
        yield from _figure(line, match, run, {**shared, "block_size": record})


def _figure(
    line: Line, match: re.Match[str], run: Run, shared: dict[str, Any], printed: str | None = None
) -> Iterator[Measurement | Problem]:
    """Yield a figure, nothing for 0; the unit of the run was cut to integers, `printed` was not."""
    try:
        unit = printed or run.unit or DEFAULT_UNIT
        reading = figure("iozone", match.group(), unit, truncated=printed is None)
    except SdAnalysisError as error:
        yield run.refuse(line.number, str(error))
        return
    if reading.value:
        run.results += 1
        yield Measurement(line=line.number, column=match.start() + 1, **reading._asdict(), **shared)


def _throughput(lines: Sequence[Line], run: Run) -> Iterator[Measurement | Problem]:
    """Yield the figures of a throughput report: a line a test, a number a count of processes."""
    record: int | None = None
    printed = DEFAULT_UNIT
    for line in lines:
        if match := _RECORD.search(line.text):
            record = int(match["record"]) * KIB
        elif match := _UNIT.search(line.text):
            printed = match["unit"]
        elif match := _TEST.search(line.text):
            op = op_named(match["name"])
            sizes = {"op": op, "block_size": record, "file_size": run.file_size}
            yield from _test(line, match, run, {**run.conditions(), **sizes}, printed)


def _test(
    line: Line, match: re.Match[str], run: Run, shared: dict[str, Any], printed: str
) -> Iterator[Measurement | Problem]:
    found = list(_VALUE.finditer(line.text, match.start("values")))
    if shared["op"] is None or not all(_TOTAL.fullmatch(match.group()) for match in found):
        text = f"found {line.text.strip()[:80]!r}, expected a test's name and its numbers"
        yield run.refuse(line.number, text)
        return
    counts = _counts(run, len(found))
    if len(counts) != len(found):
        text = f"found totals of {len(found)} numbers of processes, expected the command line"
        yield run.refuse(line.number, f"{text} that says them (-t, or -l and -u)")
        return
    for numjobs, total in zip(counts, found, strict=True):
        yield from _figure(line, total, run, {**shared, "numjobs": numjobs}, printed)


def _counts(run: Run, columns: int) -> Sequence[int | None]:
    """Return the number of processes of each column: it tells tests apart that are no repeats."""
    command = run.command or Options({})
    given = command.numbers("t")
    most = command.numbers("u")
    if most or command.numbers("l"):
        least = (command.numbers("l") or [1])[-1]
        given = list(range(least, (most or [least])[-1] + 1))
    return given if len(given) == columns or columns > 1 else [None]
