"""Lines with figures of fio's report that a page or a mail program broke between two fields.

`write: io=428032KB, bw=3566.2KB/s,` and below it `iops=891, runt=120031msec` become one line, and
each figure keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Measurement

_QUOTED = " \t>|"
_REST = (
    r"[ \t>|]*+(?:(?:iops|IOPS|bw|BW|runt|max|avg|stdev|pid)= *[0-9]"
    r"|\([0-9.]{1,8}[kMGT]?B/s\)\(|\([0-9.]{1,8}[KMGT]?i?B/[0-9]{1,15}msec\)|[0-9]{1,15}msec\b"
    r"|[0-9]{1,2}=[0-9.]{3,5}%)"
)
_MAY_BE_BROKEN = re.compile(rf"\n{_REST}")
_RESTS = re.compile(_REST)
_BEGINS = re.compile(
    r"(?:(?:read|write|trim|mixed)\s*: (?:io|IOPS)=|\bc?lat \([num]?sec\)\s*: min="
    r"|\(groupid=|IO depths *:).*(?:,|: ?|=|B/s\)?)[ \t]*$"
)


class _Part(NamedTuple):
    """Where a part of a line begins in it, and its place in the log."""

    start: int
    line: int
    column: int


Places = dict[int, list[_Part]]  # by the number of a line of several parts


def rejoined(lines: Sequence[Line], text: str) -> tuple[Sequence[Line], Places]:
    """Return the lines of a text, those made one that were broken, and where their parts stand."""
    if not _MAY_BE_BROKEN.search(text):
        return lines, {}
    found: list[Line] = []
    places: Places = {}
    for line in lines:
        last = found[-1] if found else None
        if last and _RESTS.match(line.text) and _BEGINS.search(last.text):
            whole, more = last.text.rstrip(), line.text.lstrip(_QUOTED)
            blank = "" if whole.endswith((")", "=")) else " "
            parts = places.setdefault(last.number, [_Part(0, last.number, 1)])
            column = len(line.text) - len(more) + 1
            parts.append(_Part(len(whole) + len(blank), line.number, column))
            found[-1] = type(line)(last.number, f"{whole}{blank}{more}")
        else:
            found.append(line)
    return found, places


def placed(rows: Sequence[Measurement], places: Places) -> Sequence[Measurement]:
    """Return rows at the places of the log where their figures stand."""
    return [_placed(row, places.get(row.line, ())) for row in rows] if places else rows


def _placed(row: Measurement, parts: Sequence[_Part]) -> Measurement:
    for start, line, column in reversed(parts):
        if row.column > start:
            return row._replace(line=line, column=column + row.column - 1 - start)
    return row
