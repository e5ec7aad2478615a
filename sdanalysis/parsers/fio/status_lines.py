"""fio's status line: `Jobs: 12 (f=12): [W(12)][100.0%][w=3063MiB/s][w=765 IOPS][eta 00m:00s]`.

Of a report whose header was not pasted, nothing else tells sequential from random. The letters are
those of `check_str_update` in fio's eta.c: `R` reads in order, `r` at random; `_`, `P`, `f` and
others are states of a process that does no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.interim import Report
from sdanalysis.parsers.fio.options import Conditions

_MODES = {
    "R": "read", "r": "randread", "W": "write", "w": "randwrite",
    "M": "rw", "m": "randrw", "D": "trim", "d": "randtrim",
}  # fmt: skip
_STATUS = re.compile(
    r"Jobs: \d{1,6} \(f=\d{1,6}\)(?:, CR=[^:\[\]]{1,40})?: \[(?P<letters>[^\[\]]{1,2000})\]",
    re.ASCII,
)
_LETTERS = re.compile(r"(?P<letter>[A-Za-z_/-])(?:\((?P<count>\d{1,6})\))?", re.ASCII)
_BEHIND = re.compile(r"^.*\[eta [^\]]{1,20}\]\s*")
_MOST = 100  # lines of statuses above a report


def behind(text: str) -> str:
    """Return what stands behind a status line that the terminal drew nothing over."""
    return _BEHIND.sub("", text)


def with_pattern(
    known: Conditions, report: Report, lines: Sequence[Line], place: int, count: int
) -> Conditions:
    """Return what is known of a job of `count` processes with its pattern, as its statuses show it.

    `report` is the one that the job block at `place` belongs to or begins.
    """
    if known.mode is not None:
        return known
    if not report.jobs:
        report.pattern = _pattern_above(lines, place)
    mode, processes = report.pattern
    return known._replace(mode=mode) if processes >= count else known


def _pattern_above(lines: Sequence[Line], place: int) -> tuple[str | None, int]:
    """Return the pattern of all processes of a report and their number, by its last such status."""
    for index in range(place, max(place - _MOST, 0) - 1, -1):
        text = lines[index].text
        for status in reversed(_STATUS.findall(text) if "Jobs: " in text else []):
            found = _LETTERS.findall(status)
            letters = {letter for letter, _ in found}
            if len(letters) == 1 and letters <= _MODES.keys():
                return _MODES[found[0][0]], sum(int(count or 1) for _, count in found)
        if index < place and text.strip() and "Jobs: " not in text and "[eta " not in text:
            break
    return None, 0
