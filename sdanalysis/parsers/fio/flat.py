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
_BEGINS = re.compile(
    r"(?:All clients|[^\s:\]]{1,60}): (?:\(g=[0-9]|\(groupid=|Laying out IO file)"
    r"|(?<![A-Za-z/-])fio-[0-9]|Starting [0-9]|Jobs: |(?:read|write|trim|mixed) *: (?:IOPS|io)="
    r"|[sc]lat \(|(?<![sc])lat \(|fsync/fdatasync/|\bsync \(|\bbw \(|clat percentiles"
    r"|iops *: min=|cpu *:|IO depths *:|submit *:|complete *:|issued |latency *:|Run status group"
    r"|(?:READ|WRITE|TRIM|MIXED): (?:bw|io)=|Disk stats"
)


def unfolded(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of a text, those with a job block and its result each part for itself."""
    found: list[Line] = []
    above = ""
    for line in lines:
        is_flat = "(groupid=" in line.text and _WHOLE.search(line.text)
        is_filled = "(groupid=" in above and _FILLED.match(line.text)
        found += parted(line, _BEGINS) if is_flat or is_filled else [line]
        above = line.text
    return found
