"""A report for people that a page made one line: `... 15:17:24 2026write: IOPS=1814, BW=...`.

Or a mail program, which filled its lines anew: `2026 write: IOPS=1814, BW=...`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.flat import parted

_WHOLE = re.compile(r"\(groupid=.{1,200}?(?:read|write|trim|mixed) *: (?:IOPS|io)=")
# the rest of a date, whose beginning stands in the line above
_FILLED = re.compile(
    r"[\s>|]*+(?:[0-9:]{8} )?[12][0-9]{3} +(?:read|write|trim|mixed) *: (?:IOPS|io)="
)
# `READ: io=1GB, aggrb=9KB/s, ...; WRITE: io=...`, which a script put into a row
_TOTAL = r"[RWTM](?:(?<=R)EAD|(?<=W)RITE|(?<=T)RIM|(?<=M)IXED): (?:bw|io)="
_TOTALS = re.compile(rf"{_TOTAL}.{{1,200}}?{_TOTAL}")
_HEADER = r": \(g=[0-9]"
# A job's name, tried where a word may be one; the other parts begin with a letter, for which a text
# is searched fast
_NAME = r"(?=[^\s:\]]{1,61}+: [(L])(?:[^\s:\]%]{1,60}+|[^\s:\]]{0,60}%)"
_PARTS = (
    rf"(?:All clients|{_NAME}): (?:\(groupid="
    r"|Laying out IO file(?:\(s\))?(?: \([0-9]+ file(?:s|\(s\))? / [0-9]+Mi?B\))?)"
    r"|f(?<![A-Za-z/-]f)io[- ][0-9]|\.(?<=[0-9 ]\.)\.\.(?=[ fS])|terminating on signal [0-9]+"
    r"|Starting (?:1 (?:process|thread)(?!es |s )|[0-9]+ (?:processe|thread)s)"
    r"|Jobs: |[rwtm](?:(?<=r)ead|(?<=w)rite|(?<=t)rim|(?<=m)ixed) *: (?:IOPS|io)="
    r"|[sc]lat \(|l(?<![sc]l)at \(|fsync/fdatasync/|s(?<=\bs)ync \(|b(?<=\bb)w \(|clat percentiles"
    r"|iops *: min=|cpu *:|IO depths *:|submit *:|complete *:|issued "
    r"|latency *:(?: target=[^:]{1,60}, depth=[0-9]+)?|Run status group"
    rf"|{_TOTAL}|Disk stats"
)
_BEGINS = re.compile(rf"{_PARTS}|{_NAME}{_HEADER}")
_ANNOUNCED = re.compile(rf"([^\s:\]]{{1,200}}+){_HEADER}")
_BLOCK = ": (groupid="


def unfolded(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of a text, those with a job block and its result each part for itself."""
    found: list[Line] = []
    above = ""
    for line in lines:
        is_flat = "(groupid=" in line.text and _WHOLE.search(line.text)
        is_row = ": bw=" in line.text or ": io=" in line.text
        is_row = is_row and _TOTALS.search(line.text) is not None
        is_filled = "(groupid=" in above and _FILLED.match(line.text)
        found += _parts(line) if is_flat or is_row or is_filled else [line]
        above = line.text
    return found


def _parts(line: Line) -> list[Line]:
    """Return the parts of a line; headers begin with their names, which the blocks have.

    Without the blanks of lost line ends a name stands right behind the last word of a command.
    """
    parts = _trimmed(parted(line, _BEGINS))
    names = {text.split(_BLOCK)[0].strip() for _, text in parts if _BLOCK in text} - {""}
    announced = _ANNOUNCED.findall(line.text)
    is_glued = not names.issuperset(announced) and all(
        any(map(word.endswith, names)) for word in announced
    )
    if not is_glued:
        return parts
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return _trimmed(parted(line, re.compile(rf"(?:{known}){_HEADER}|{_PARTS}")))


def _trimmed(parts: Sequence[Line]) -> list[Line]:
    """Return parts without the blanks at the end of all but the last, which may be cut."""
    return [*(part._replace(text=part.text.rstrip()) for part in parts[:-1]), parts[-1]]
