"""A report for people that a page made one line: `... 15:17:24 2026write: IOPS=1814, BW=...`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.flat import parted

_WHOLE = re.compile(r"\(groupid=.{1,200}?(?:read|write|trim|mixed) *: (?:IOPS|io)=")
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
    for line in lines:
        is_flat = "(groupid=" in line.text and _WHOLE.search(line.text)
        found += parted(line, _BEGINS) if is_flat else [line]
    return found
