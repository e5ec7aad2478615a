"""Lines with figures of fio's report that a page or a mail program broke between two fields.

`write: io=428032KB, bw=3566.2KB/s,` and below it `iops=891, runt=120031msec` become one line, and
each figure keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.markup import Places, Stretch

_QUOTED = " \t>|"
_REST = (
    r"[ \t>|]*+(?:(?:iops|IOPS|bw|BW|runt|max|avg|stdev|pid)= *[0-9]"
    r"|\([0-9.]{1,8}[kMGT]?B/s\)\(|\([0-9.]{1,8}[KMGT]?i?B/[0-9]{1,15}msec\)|[0-9]{1,15}msec\b"
    r"|=?[0-9]{1,2}=[0-9.]{3,5}%)"  # of `>=64=0.1%` the first sign may be a mail's
)
_MAY_BE_BROKEN = re.compile(rf"\n{_REST}")
_RESTS = re.compile(_REST)
_BEGINS = re.compile(
    r"(?:(?:read|write|trim|mixed)\s*: (?:io|IOPS)=|\bc?lat \([num]?sec\)\s*: min="
    r"|\(groupid=|IO depths *:).*(?:,|: ?|=|B/s\)?)[ \t]*$"
)


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
            more = f">{more}" if more.startswith("=") else more
            blank = "" if whole.endswith((")", "=")) else " "
            parts = places.setdefault(last.number, [Stretch(0, last.number, 1)])
            column = len(line.text) - len(more) + 1
            parts.append(Stretch(len(whole) + len(blank), line.number, column))
            found[-1] = type(line)(last.number, f"{whole}{blank}{more}")
        else:
            found.append(line)
    return found, places
