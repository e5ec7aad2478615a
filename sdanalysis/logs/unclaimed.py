"""Lines of a log that look like results and that no parser spoke of."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.parsers import REPEATS, TOTALS

# A number with the unit of a rate: such a line looks like a result.
_LOOKS_LIKE_A_RESULT = re.compile(
    r"\d\s?(?:[kKMGT]i?)?(?:B|bytes|Bytes)(?:/s(?:ec)?\b|ps\b)|\biops\b\D{0,3}\d|\d\s*iops\b", re.I
)
_REPEATS = re.compile("|".join(REPEATS.values()))


def unclaimed(
    lines: Iterable[Line], measurements: Iterable[Measurement], problems: Iterable[Problem]
) -> Iterator[Problem]:
    """Yield a note on each line that looks like a result and that has no row and no problem."""
    rows = list(measurements)
    spoken = {row.line for row in rows} | {problem.line for problem in problems}
    totals = [
        (pattern, min((row.line for row in rows if row.tool == tool), default=sys.maxsize))
        for tool, pattern in TOTALS.items()
    ]
    for number, whole in lines:
        text = whole[:2000]
        if number in spoken or not _LOOKS_LIKE_A_RESULT.search(text) or _REPEATS.search(text):
            continue
        if any(number > first and re.search(pattern, text) for pattern, first in totals):
            continue
        shown = text.strip() if len(text) <= 120 else f"{text.strip()[:117]}..."
        yield Problem(
            line=number,
            kind="note",
            text=f"found {shown!r}, which looks like a result and which no parser claims",
        )
