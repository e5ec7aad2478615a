"""The sizes of the files that fio lays out: `job: Laying out IO file (1 file / 1024MiB)`.

A report whose command was not pasted says nothing else of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.text_figures import BEFORE

_LAID = re.compile(
    BEFORE + r"(?P<name>\S.{0,200}?): Laying out IO file(?:\(s\))? "
    r"\(1 file(?:\(s\))? / (?P<size>\d{1,9})Mi?B\)",
    re.ASCII,
)
_OPEN = re.compile(r"\bJobs: (?P<jobs>\d{1,6}) \(f=(?P<files>\d{1,6})\)", re.ASCII)
_MOST = 200  # lines between a header and the first report: a job of 100 processes has a line each


def sizes_above(lines: Sequence[Line], place: int) -> dict[str, int]:
    """Return the sizes of the files (MiB) by job, of those laid out right above a report.

    Of jobs that have more files open than one each, others lay there before.
    """
    found: dict[str, set[str]] = {}
    for index in range(place - 1, max(place - _MOST, 0) - 1, -1):
        text = lines[index].text
        if "(g" in text or "Run status" in text:  # of a header or of the report above
            break
        if "Laying" in text and (match := _LAID.match(text)):
            found.setdefault(match["name"], set()).add(match["size"])
        status = _OPEN.search(text) if "Jobs: " in text else None
        if status and int(status["files"]) > int(status["jobs"]):
            return {}
    return {name: int(next(iter(said))) for name, said in found.items() if len(said) == 1}


def is_whole(size: int) -> bool:
    """Tell whether a number of MiB is what was asked for.

    fio leaves out what is less than one, so 10 GB (953 MiB each) are none: a size that was asked
    for in MiB or GiB is a round number.
    """
    is_round = len(str(size).rstrip("0")) == 1 and size >= 10
    return (size > 0 and size % 512 == 0) or (size & (size - 1) == 0 and size >= 8) or is_round
