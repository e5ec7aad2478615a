"""Lines of a log that look like results and that no parser spoke of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sdanalysis.model import Line, Measurement, Problem

# A number with the unit of a rate: such a line looks like a result.
_LOOKS_LIKE_A_RESULT = re.compile(
    r"\d\s?(?:[kKMGT]i?)?(?:B|bytes|Bytes)(?:/s(?:ec)?\b|ps\b)|\biops\b\D{0,3}\d|\d\s*iops\b", re.I
)
# Lines of the tools that repeat a result, show progress or describe the run.
_REPEATS = re.compile(
    r"^\s*(?:READ|WRITE|TRIM|MIXED):|\b(?:bw|iops)\s*(?:\([^)]*\))?\s*:\s*min=|aggrb=|\bJobs: \d"
    r"|Output is in|(?:current|average|error) rate:|\"[a-z_]+\"\s*:"
)


def unclaimed(
    lines: Iterable[Line], measurements: Iterable[Measurement], problems: Iterable[Problem]
) -> Iterator[Problem]:
    """Yield a note on each line that looks like a result and that has no row and no problem."""
    spoken = {one.line for one in measurements} | {one.line for one in problems}
    for line in lines:
        text = line.text[:2000]
        if line.number in spoken or not _LOOKS_LIKE_A_RESULT.search(text) or _REPEATS.search(text):
            continue
        shown = text.strip() if len(text) <= 120 else f"{text.strip()[:117]}..."
        yield Problem(
            line=line.number,
            kind="note",
            text=f"found {shown!r}, which looks like a result and which no parser claims",
        )
