"""nench.sh: `1st run:    894.55 MiB/s` below `dd: sequential write speed`, thrice, and the mean.

Each is `dd if=/dev/zero bs=64k count=16k conv=fdatasync`, whose rate it makes bytes and then MiB:
what dd had rounded to three digits, or to one behind the point, has two more here. It knows no
`kB/s`: such a rate is printed as 0.00.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import GIB, KIB
from sdanalysis.parsers.scripts.row import MARGIN, note, of_runs, place, row

SCRIPT = "nench.sh"
_NEAR = 8  # lines from the heading to its mean, blank ones included
_HEADING = re.compile(rf"{MARGIN}dd: sequential (?P<way>write|read) speed\W{{0,40}}$")
_ROW = re.compile(
    rf"{MARGIN}(?:(?P<run>1st|2nd|3rd) run|average):\s{{0,20}}(?P<result>.{{0,40}}?)[\s|]{{0,40}}$"
)
_IOPING = re.compile(rf"{MARGIN}ioping: se(?:ek rate|quential read speed)\W{{0,40}}$")
_OF_IOPING = re.compile(r"\bmin/avg/max/mdev = |\bgenerated .{1,60} iops\b")
BEGINS = re.compile(r"dd: sequential|(?:1st|2nd|3rd) run:|average:|IPv[46] ")
_RATE = re.compile(r"(?P<rate>[0-9]{1,12}\.[0-9]{2}) MiB/s")
_RUNS = {"1st": 1, "2nd": 2, "3rd": 3}
_SAID = {
    **{"tool": "dd", "script": SCRIPT, "op": "write", "block_size": 64 * KIB},
    **{"file_size": GIB, "direct": False},
}
_STEPS = ((1e9, 1e8), (1e8, 1e6), (1e6, 1e5))  # from which rate on dd rounds to what, in B/s


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the rate of each run below a heading of writes, and a word on what ioping says."""
    heading, name, ioping = -_NEAR - 1, "", -1
    for line in lines:
        if "ioping" in line.text and _IOPING.match(line.text):
            ioping = line.number
        elif ioping == line.number - 1 and _OF_IOPING.search(line.text):
            yield note(line, "found what ioping measured, which is none of the tools: not read")
        elif "speed" in line.text and (title := _HEADING.match(line.text)):
            heading = line.number if title["way"] == "write" else -_NEAR - 1
            name = place(line)
        elif line.number - heading <= _NEAR and (match := _ROW.match(line.text)):
            if match["run"]:
                yield _run(line, match, name)
            else:
                yield of_runs(line)


def _run(line: Line, match: re.Match[str], heading: str) -> Item:
    number = _RUNS[match["run"]]
    rate = _RATE.fullmatch(line.text, *match.span("result"))
    if rate is None:
        found = match["result"] or "nothing"
        return note(line, f"found {found} in a summary of {SCRIPT}, expected `<n.nn> MiB/s`")
    said: dict[str, Any] = {**_SAID, "run": f"{heading}-dd-{number}", "repeat": number}
    found = row(line, rate, "rate", (SCRIPT, "MiB/s"), said)
    return _as_rounded_before(found) if isinstance(found, Measurement) else found


def _as_rounded_before(found: Measurement) -> Measurement:
    """Return a measurement with the range that dd's own rounding leaves open."""
    value, low, high = found.value or 0, found.value_low or 0, found.value_high or 0
    step = next((step for least, step in _STEPS if high >= least), 0)
    return found._replace(value_low=low - step / 2, value_high=high + step / 2) if value else found
