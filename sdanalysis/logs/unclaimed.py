"""Lines of a log that look like results and that no parser spoke of."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from sdanalysis.codebook.measurement import Line, Measurement, Problem

# A number with the unit of a rate: such a line looks like a result.
_LOOKS_LIKE_A_RESULT = re.compile(
    r"\d\s?(?:[kKMGT]i?)?(?:B|bytes|Bytes)(?:/s(?:ec)?\b|ps\b)|\biops\b\D{0,3}\d|\d\s*iops\b", re.I
)
# Lines of the tools that repeat a result, show progress or describe the run.
_REPEATS = re.compile(
    r"\b(?:bw|iops)\s*(?:\([^)]*\))?\s*:\s*min=|\bJobs: \d"
    r"|Output is in|(?:current|average|error) rate:|\"[a-z_]+\"\s*:"
)
# The total of a group of fio's jobs: it repeats them where they stand above it.
_TOTAL = re.compile(r"^\W*(?:READ|WRITE|TRIM|MIXED):")


def unclaimed(
    lines: Iterable[Line], measurements: Iterable[Measurement], problems: Iterable[Problem]
) -> Iterator[Problem]:
    """Yield a note on each line that looks like a result and that has no row and no problem."""
    rows = list(measurements)
    spoken = {one.line for one in rows} | {one.line for one in problems}
    first_of_fio = min((one.line for one in rows if one.tool == "fio"), default=sys.maxsize)
    for line in lines:
        text = line.text[:2000]
        if line.number in spoken or not _LOOKS_LIKE_A_RESULT.search(text) or _REPEATS.search(text):
            continue
        if _TOTAL.search(text) and line.number > first_of_fio:
            continue
        shown = text.strip() if len(text) <= 120 else f"{text.strip()[:117]}..."
        yield Problem(
            line=line.number,
            kind="note",
            text=f"found {shown!r}, which looks like a result and which no parser claims",
        )
