"""iozone's results outside its table: blocks of throughput mode, reports for a spreadsheet.

Throughput mode (`-t`, `-l`, `-u`) prints a block of lines per test; a report (`-R`) has the same
numbers again, or all that was kept.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, LastLine, Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, counted, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.iozone.commands import indent
from sdanalysis.parsers.iozone.joined import KERNEL
from sdanalysis.parsers.iozone.layouts import op_named
from sdanalysis.parsers.iozone.row import MARKS, may_be_cut
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, Run, Test, was_ended

_STATS = {"Children": "single", "Parent": "parent", "Min": "min", "Max": "max", "Avg": "mean"}
_OF_PROCESSES = {"Min", "Max", "Avg"}
_WHOLE_BLOCK = {"Children", "xfer", *_OF_PROCESSES}
START = "Children see throughput"
_LINE = re.compile(
    r"\b(?:(?P<who>Children|Parent) sees? throughput for +(?P<count>[0-9]{1,6}) +"
    r"(?P<name>[a-z][a-z -]{0,40}[a-z])"
    r"|(?P<stat>Min|Max|Avg) throughput per (?:process(?:es)?|threads?))\s*="
    r"\s*(?P<value>\S+) +(?P<unit>[kK]B/sec|ops/sec)(?!\S)"
)
_ANNOUNCED = re.compile(
    r"\b(?:Children|Parent) sees? throughput|\b(?:Min|Max|Avg) throughput per|\bMin xfer"
)
_XFER = re.compile(r"\bMin xfer\s*=\s*(?P<value>[0-9.]+) +(?:[kK]B|ops)(?!\S)")
_CHILD = re.compile(r"\bChild\[ *[0-9]+\] xfer count|\bCPU [uU]tilization: Wall time")
_EACH = re.compile(
    r"Each (?:process|thread) writes a (?P<file>[0-9]{1,16}) [kK][bB]yte file "
    r"in (?P<record>[0-9]{1,9}) [kK][bB]yte records"
)
_TEST = re.compile(r"\"\s*(?P<name>[A-Z][A-Za-z -]{3,14}) \"(?P<values>[ 0-9.]+)$")
_RECORD = re.compile(r"\"Record size = (?P<record>[0-9]{1,9}) [kK][bB]ytes")
_UNIT = re.compile(r"\"Output is in (?P<unit>[kK][bB]ytes/sec|ops/sec)\"")
_TITLE = re.compile(r"^\W{0,8}\"(?P<name>[A-Za-z -]{4,20}) report\"\s*$")
_CPU = re.compile(r"\"[A-Za-z -]{4,20} CPU utilization report")
_SIZES = re.compile(r"[\s>|#*]*(?:\"[0-9]{1,9}\"\s*)+$")
_ROW = re.compile(r"^[\s>|#*]{0,40}\"(?P<size>[0-9]{1,16})\"\s(?P<values>.*)$")
_VALUE = re.compile(r"\S+")
_WHOLE = re.compile(r"[0-9]{1,10}")
_TOTAL = re.compile(r"[0-9]{1,20}\.[0-9]{2}")
_QUOTED = re.compile(r"\"([0-9]{1,9})\"")

_Matches = Sequence[re.Match[str]]
_NOTHING = (
    "a process did nothing before the first one ended: `Children see` is too high, "
    "`Parent sees` too low"
)


def _end_of_report(lines: Sequence[Line], index: int) -> int:
    """Return the index behind the last line of a report, blank lines between them allowed."""
    end = index + 1
    for place in range(index + 1, len(lines)):
        text = lines[place].text.strip(MARKS)
        if _in_report(text):
            end = place + 1
        elif text:
            break
    return end


class _Printed(NamedTuple):
    """A line of a block with what it says: a throughput, or the least that a process wrote."""

    line: Line
    rate: re.Match[str] | None
    least: re.Match[str] | None
    is_announced: bool  # as one of both, however it goes on
    is_spare: bool


def _rate_in(text: str) -> re.Match[str] | None:
    return _LINE.search(text, indent(text)) if "throughput" in text else None


def _printed(line: Line) -> _Printed:
    text = line.text
    rate, is_least = _rate_in(text), "Min xfer" in text
    is_announced = bool(
        rate or ((is_least or "throughput" in text) and _ANNOUNCED.search(text, indent(text)))
    )
    is_spare = ("Child[" in text or "tilization" in text) and bool(_CHILD.search(text))
    least = _XFER.search(text, indent(text)) if is_least else None
    return _Printed(line, rate, least, is_announced, is_spare)


def _block_at(lines: Sequence[Line], index: int) -> list[_Printed]:
    """Return the lines of the block at a line, with blank ones and a kernel's between them."""
    block, size = [_printed(lines[index])], 1
    for place in range(index + 1, len(lines)):
        found = _printed(lines[place])
        block.append(found)
        if (found.is_announced or found.is_spare) and START not in found.line.text:
            size = len(block)
        elif found.line.text.strip(MARKS) and not KERNEL.match(found.line.text.lstrip(MARKS)):
            break
    return block[:size]


def _in_report(text: str) -> bool:
    return text.startswith('"') or text == "Excel output is below:"


def read_sizes(text: str, run: Run) -> bool:
    """Take the sizes of the round of tests that a line introduces; whether it was such a line."""
    match = _EACH.search(text) if "Each " in text else None
    if match is None:
        return False
    run.file_size, run.record = int(match["file"]) * KIB, int(match["record"]) * KIB
    return True


def test_of(text: str, run: Run) -> Test | None:
    """Return what tells the block that a line begins from the other blocks of its run."""
    match = _rate_in(text)
    op = op_named(match["name"]) if match and match["name"] else None
    return Test(op, int(match["count"]), run.record, run.file_size) if match and op else None


def read_block(lines: Sequence[Line], index: int, run: Run) -> Generator[Item, None, int]:
    """Yield the figures of one block; return the index of the line after it."""
    block = _block_at(lines, index)
    first, end = block[0].rate, index + len(block)
    test = test_of(lines[index].text, run)
    if first is None or test is None:
        text = f"found {lines[index].text.strip()[:100]!r}, expected a test's name and its kB/sec"
        yield run.refuse(lines[index].number, text)
        return end
    shape = _shape(block)
    shared = {
        **run.conditions(),
        "op": test.op,
        "numjobs": test.processes,
        "block_size": run.record,
        "file_size": _file_size(block, run),
        "read_mix": run.read_mix if test.op == "mixed" else None,
        "status": "measured" if shape >= _WHOLE_BLOCK else _status(lines, end, block, run),
    }
    run.blocks.add(test)
    run.shapes.add(shape)
    for printed in block:
        yield from _block_figure(printed, run, shared, first)
    if shared["status"] != "measured":
        text = "found a block that ends early, expected Children, Min, Max, Avg and Min xfer"
        yield run.refuse(lines[end - 1].number, text)
    elif not shape >= _WHOLE_BLOCK:
        where = "with other text below them" if _goes_on(lines, end) else "at the log's end"
        text = f"found some lines of a block only, {where}: taken as quoted"
        yield Problem(lines[index].number, text, "note")
    spare = [printed.line.number for printed in block if printed.is_spare]
    if spare:
        text = f"{counted(len(spare), 'line')} of single processes or CPU times not read"
        yield Problem(spare[0], text, "note")
    return end


def _file_size(block: Sequence[_Printed], run: Run) -> int | None:
    """Return what each process had to write, unless one has written more: it is of another run."""
    found = [printed.least["value"] for printed in block if printed.least]
    most = max((float(text) for text in found if _TOTAL.fullmatch(text)), default=0.0)
    is_ops = any(printed.line.text.rstrip().endswith("ops") for printed in block)
    return None if run.file_size and not is_ops and most * KIB > run.file_size else run.file_size


def _status(lines: Sequence[Line], end: int, block: Sequence[_Printed], run: Run) -> str:
    """Return `measured` for a block of which somebody left lines out, else why it has not all.

    A search for some of a block's lines finds them in each: the last block is as whole as others.
    """
    if any(was_ended(line.text) for line in lines[end : end + 3]):
        return "interrupted"
    is_ended = end < len(lines) or isinstance(lines[-1], LastLine)
    is_same = is_ended and _shape(block) in run.shapes
    is_whole = (is_same or _goes_on(lines, end)) and _is_quoted(block)
    return "measured" if is_whole else "partial"


def _goes_on(lines: Sequence[Line], end: int) -> bool:
    """Tell whether other text follows: not the last line alone, which may be cut."""
    whole = len(lines) - (not isinstance(lines[-1], LastLine))
    return any(lines[place].text.strip() for place in range(end, whole))


def _shape(block: Sequence[_Printed]) -> frozenset[str]:
    """Return which of a block's lines there are."""
    rates = {rate["who"] or rate["stat"] for _, rate, *_ in block if rate}
    return frozenset(rates | {"xfer" for printed in block if printed.least})


def _is_quoted(block: Sequence[_Printed]) -> bool:
    """Tell whether somebody left lines of a block out: all of the processes' or their bytes'."""
    read = all(printed.rate for printed in block if printed.is_announced)
    return read and _shape(block) & _OF_PROCESSES in (set(), _OF_PROCESSES)


def _one_was_idle(first: re.Match[str], least: re.Match[str]) -> bool:
    """Tell whether the least process is faster than the mean, which shows that one did nothing.

    iozone takes a throughput of zero for one that it has not seen yet, and prints the next.
    """
    if not all(_TOTAL.fullmatch(match["value"]) for match in (first, least)):
        return False
    return float(least["value"]) > float(first["value"]) / max(int(first["count"]), 1) + 0.01


def _block_figure(
    printed: _Printed, run: Run, shared: dict[str, Any], first: re.Match[str]
) -> Iterator[Item]:
    line, match = printed.line, printed.rate
    if match is None:
        if printed.is_announced and not printed.least:
            text = f"found {line.text.strip()[:100]!r}, expected a number and kB/sec or ops/sec"
            yield run.refuse(line.number, text)
        return
    if match["who"] and op_named(match["name"]) != shared["op"]:
        text = f"found the test {match['name']!r} in the block of {shared['op']}"
        yield Problem(line.number, f"{text}, expected one test in a block")
        return
    try:
        rate = figure("iozone", match["value"], match["unit"], truncated=False)
        if not rate.value and match["stat"] != "Min":
            raise SdAnalysisError(f"found {rate.raw} {rate.raw_unit}, expected more than zero")
    except SdAnalysisError as error:
        yield run.refuse(line.number, str(error))
        return
    run.results += 1
    reading = {**rate._asdict(), "value_low": max(rate.value_low, 0.0)}
    unset = not rate.value or (match["stat"] == "Min" and _one_was_idle(first, match))
    nothing = {"value": None, "value_low": None, "value_high": None, "status": "not_measured"}
    yield Measurement(
        line=line.number,
        column=match.start("value") + 1,
        stat=_STATS[match["who"] or match["stat"]],
        **{**shared, **reading, **(nothing if unset else {})},
    )
    if unset:
        yield Problem(line.number, _NOTHING, "note")


def is_report(text: str) -> bool:
    """Whether a line begins a spreadsheet report, or one block of it."""
    return (
        "Excel output is below" in text
        or '"Throughput report' in text
        or ('report"' in text and _TITLE.search(text) is not None)
    )


def read_report(lines: Sequence[Line], index: int, run: Run) -> Generator[Item, None, int]:
    """Yield the figures of a report that repeats none; return the index of the line after it."""
    end = _end_of_report(lines, index)
    is_throughput = "Throughput report" in lines[index].text
    before = run.results
    if is_throughput:
        yield from _throughput(lines[index:end], run)
    elif not before:
        yield from _blocks(lines, index, end, run)
    if before:
        text = "the report repeats the results above: not counted again"
        yield Problem(lines[index].number, text, "note")
        return end
    is_printed = lines[index].text.strip(MARKS).startswith(('"', "Excel"))
    if run.results == before and is_printed and not run.refused:
        text = "found the first line of a report and no figure below it, expected its numbers"
        yield run.refuse(lines[index].number, text)
    elif not is_throughput and run.unit is None:
        text = "no line says the unit of this report: read as iozone's default, kB/s"
        yield Problem(lines[index].number, text, "note")
    return end


def _blocks(lines: Sequence[Line], index: int, end: int, run: Run) -> Iterator[Item]:
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
            cut = may_be_cut(lines, place)
            shared = {**run.of_one_process(), "op": op, "file_size": int(row["size"]) * KIB}
            found = list(_VALUE.finditer(line.text, row.start("values")))
            yield from _row(line, found, records, run, shared, cut=cut)


def _row(
    line: Line, found: _Matches, records: list[int], run: Run, shared: dict[str, Any], *, cut: bool
) -> Iterator[Item]:
    whole = all(_WHOLE.fullmatch(match.group()) for match in found)
    if cut or not whole or len(found) > len(records):
        text = f"found {line.text.strip()[:80]!r}, expected whole numbers below the record sizes"
        yield run.refuse(line.number, text + (" and a line end" if cut else ""))
        return
    for record, match in zip(records, found, strict=False):
        # 0 was not tested: above 16 MB small records are left out
        yield from _figure(line, match, run, {**shared, "block_size": record})


def _figure(
    line: Line, match: re.Match[str], run: Run, shared: dict[str, Any], printed: str | None = None
) -> Iterator[Item]:
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


def _throughput(lines: Sequence[Line], run: Run) -> Iterator[Item]:
    """Yield the figures of a throughput report: a line a test, a number a count of processes.

    Those of blocks above are repeats; the blocks of the others somebody left out.
    """
    known = {test.op for test in run.blocks}
    record: int | None = None
    printed = DEFAULT_UNIT
    for line in lines:
        if match := _RECORD.search(line.text):
            record = int(match["record"]) * KIB
        elif match := _UNIT.search(line.text):
            printed = match["unit"]
        elif match := _TEST.search(line.text):
            op = op_named(match["name"])
            if op in known:
                continue
            sizes = {"op": op, "block_size": record, "file_size": run.file_size}
            yield from _test(line, match, run, {**run.conditions(), **sizes}, printed)


def _test(
    line: Line, match: re.Match[str], run: Run, shared: dict[str, Any], printed: str
) -> Iterator[Item]:
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


def contradicts(text: str, run: Run) -> bool:
    """Tell whether the block that a line begins has processes that the command did not ask for.

    Whoever pasted it took the command of another run.
    """
    match = _rate_in(text)
    counts = run.command.processes() if run.command else ()
    return match is not None and bool(counts) and int(match["count"] or 0) not in counts


def _counts(run: Run, columns: int) -> Sequence[int | None]:
    """Return the number of processes of each column: it tells tests apart that are no repeats."""
    given = run.command.processes() if run.command else ()
    if len(given) != columns == 1:
        counts = {test.processes for test in run.blocks}
        return list(counts) if len(counts) == 1 else [None]
    return given
