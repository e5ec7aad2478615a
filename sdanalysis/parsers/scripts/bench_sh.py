"""bench.sh and its copies: ` I/O Speed(1st run) : 53.1 MB/s`, of three runs, and their mean.

A run is `dd if=/dev/zero of=benchtest_$$ conv=fdatasync` of 1 GiB, with `bs=64k count=16k` and
later with `bs=512k count=2048`: so no block size here. What is printed stood behind the last comma
of dd's report, hence where the locale has a decimal comma (`LC_ALL` outdoes the script's `LANG=C`)
it is a part of the rate. dd prints three digits, or one behind the point: others are such parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.codebook.units import GIB
from sdanalysis.parsers.scripts.row import MARGIN, note, row

SCRIPT = "bench.sh"
_RUNS = {"1st": 1, "2nd": 2, "3rd": 3}
_BETWEEN = r"[\s:|]{1,40}"
_ROW = re.compile(
    rf"{MARGIN}I/O [Ss]peed ?\((?P<run>1st|2nd|3rd) run\){_BETWEEN}"
    r"(?P<result>[^|]{0,60}?)[\s|]{0,40}$"
)
_MEAN = re.compile(
    rf"{MARGIN}(?:I/O [Ss]peed ?\(average\)|Average I/O [Ss]peed){_BETWEEN}[0-9.]{{1,12}}"
)
_RATE = re.compile(r"(?P<rate>[0-9]{1,2}\.[0-9]|[0-9]{3}) (?P<unit>[kMGT]B/s)")
_DD = {"tool": "dd", "script": SCRIPT, "op": "write", "file_size": GIB, "direct": False}


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the rate of each run; the first one begins a session."""
    first = 0
    for line in lines:
        if "I/O" not in line.text:
            continue
        if match := _ROW.match(line.text):
            number = _RUNS[match["run"]]
            first = line.number if number == 1 or not first else first
            yield _run(line, match, first, number)
        elif _MEAN.match(line.text):
            yield note(line, "found the mean of the three runs above it: not counted")


def _run(line: Line, match: re.Match[str], first: int, number: int) -> Item:
    rate = _RATE.fullmatch(line.text, *match.span("result"))
    if rate is None:
        found = match["result"] or "nothing"
        expected = "expected a rate as dd prints it: with a decimal below 100, with none above"
        return note(line, f"found {found} in a summary of {SCRIPT}, {expected}")
    said: dict[str, Any] = {**_DD, "run": f"{first}-dd-{number}", "repeat": number}
    return row(line, rate, "rate", ("dd", rate["unit"]), said)
