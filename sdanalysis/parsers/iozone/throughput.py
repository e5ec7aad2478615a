"""iozone's throughput mode (`-t`, `-l`, `-u`): one block of lines per test, no table."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.iozone.layouts import op_named
from sdanalysis.parsers.iozone.run import Run

_STATS = {"Children": "single", "Parent": "parent", "Min": "min", "Max": "max", "Avg": "mean"}
START = "Children see throughput"
_LINE = re.compile(
    r"\b(?:(?P<who>Children|Parent) sees? throughput for +(?P<count>[0-9]{1,6}) +"
    r"(?P<name>[a-z][a-z -]{0,40}[a-z])"
    r"|(?P<stat>Min|Max|Avg) throughput per (?:process(?:es)?|threads?))\s*="
    r"\s*(?P<value>\S+) +(?P<unit>[kK]B/sec|ops/sec)\s*$"
)
_ANNOUNCED = re.compile(
    r"\b(?:Children|Parent) sees? throughput|\b(?:Min|Max|Avg) throughput per|\bMin xfer"
)
_XFER = re.compile(r"\bMin xfer\s*=\s*(?P<value>[0-9.]+) +(?:[kK]B|ops)\s*$")
_CHILD = re.compile(r"\bChild\[ *[0-9]+\] xfer count|\bCPU [uU]tilization: Wall time")
_EACH = re.compile(
    r"Each (?:process|thread) writes a (?P<file>[0-9]{1,16}) [kK][bB]yte file "
    r"in (?P<record>[0-9]{1,9}) [kK][bB]yte records"
)


def read_sizes(text: str, run: Run) -> bool:
    """Take the sizes of the round of tests that a line introduces; whether it was such a line."""
    match = _EACH.search(text) if "Each " in text else None
    if match is None:
        return False
    run.file_size, run.record = int(match["file"]) * KIB, int(match["record"]) * KIB
    return True


def read_block(
    lines: Sequence[Line], index: int, run: Run
) -> Generator[Measurement | Problem, None, int]:
    """Yield the figures of one block; return the index of the line after it."""
    first = _LINE.search(lines[index].text)
    end = _end(lines, index)
    op = op_named(first["name"]) if first and first["name"] else None
    if first is None or op is None:
        text = f"found {lines[index].text.strip()[:100]!r}, expected a test's name and its kB/sec"
        yield run.refuse(lines[index].number, text)
        return end
    numjobs = int(first["count"])
    shared = {
        **run.conditions(),
        "op": op,
        "numjobs": numjobs,
        "block_size": run.record,
        "file_size": run.file_size,
        "read_mix": run.read_mix if op == "mixed" else None,
        "status": _status(lines, index, end),
    }
    for line in lines[index:end]:
        yield from _figure(line, run, shared)
    yield from _words(lines, index, end, run, shared["status"])
    return end


def _end(lines: Sequence[Line], index: int) -> int:
    """Return where a block ends: behind its last line, blank lines between them allowed."""
    end = place = index + 1
    while place < len(lines) and START not in lines[place].text:
        text = lines[place].text
        if _ANNOUNCED.search(text) or _CHILD.search(text):
            end = place + 1
        elif text.strip(" \t>|#*"):
            break
        place += 1
    return end


def _status(lines: Sequence[Line], index: int, end: int) -> str:
    """Return `measured` for a block with all its lines, else why it has not."""
    found = [match for line in lines[index:end] if (match := _LINE.search(line.text))]
    stats = {match["who"] or match["stat"] for match in found}
    if {"Children", "Min", "Max", "Avg"} <= stats and any(
        _XFER.search(line.text) for line in lines[index:end]
    ):
        return "measured"
    after = (line.text for line in lines[end : end + 3])
    return "interrupted" if any("interrupted" in text for text in after) else "partial"


def _figure(line: Line, run: Run, shared: dict[str, Any]) -> Iterator[Measurement | Problem]:
    match = _LINE.search(line.text)
    if match is None:
        if _ANNOUNCED.search(line.text) and not _XFER.search(line.text):
            text = f"found {line.text.strip()[:100]!r}, expected a number and kB/sec or ops/sec"
            yield run.refuse(line.number, text)
        return
    if match["who"] and op_named(match["name"]) != shared["op"]:
        text = f"found the test {match['name']!r} in the block of {shared['op']}"
        yield Problem(line=line.number, text=f"{text}, expected one test in a block")
        return
    try:
        reading = _reading(match)
    except SdAnalysisError as error:
        yield run.refuse(line.number, str(error))
        return
    run.results += 1
    yield Measurement(
        line=line.number,
        column=match.start("value") + 1,
        stat=_STATS[match["who"] or match["stat"]],
        **{**shared, **reading},
    )


def _reading(match: re.Match[str]) -> dict[str, Any]:
    """Return metric, value and interval; a process that did nothing has no value.

    Raises SdAnalysisError: The printed text is no number above zero that a device can reach.
    """
    rate = figure("iozone", match["value"], match["unit"], truncated=False)
    if not rate.value and match["stat"] == "Min":
        nothing = {"value": None, "value_low": None, "value_high": None, "status": "not_measured"}
        return {**rate._asdict(), **nothing}
    if not rate.value:
        raise SdAnalysisError(f"found {rate.raw} {rate.raw_unit}, expected more than zero")
    return rate._replace(value_low=max(rate.value_low, 0.0))._asdict()


def _words(lines: Sequence[Line], index: int, end: int, run: Run, status: str) -> Iterator[Problem]:
    """Yield what is to be said about a block: cut, a process that did nothing, more lines."""
    if status != "measured":
        text = "found a block that ends early, expected Children, Min, Max, Avg and Min xfer"
        yield run.refuse(lines[end - 1].number, text)
    for line in lines[index:end]:
        match = _LINE.search(line.text)
        if match and match["stat"] == "Min" and not match["value"].strip("0."):
            text = (
                "a process did nothing before the first one ended: `Children see` is too high, "
                "`Parent sees` too low"
            )
            yield Problem(line=line.number, text=text, kind="note")
    spare = [line.number for line in lines[index:end] if _CHILD.search(line.text)]
    if spare:
        text = f"{len(spare)} lines of single processes or CPU times are not read"
        yield Problem(line=spare[0], text=text, kind="note")
