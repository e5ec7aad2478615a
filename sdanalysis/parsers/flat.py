"""A line of a page that was several of a log -> these lines, each text in the column it had."""

from __future__ import annotations

import re

from sdanalysis.codebook.measurement import Line

_LONGEST = 65_536  # characters
_MOST = 4_000_000  # characters of all parts, which keep their columns by blanks before them


def parted(line: Line, begins: re.Pattern[str]) -> list[Line]:
    """Return a line cut before each match of a pattern; a very long one stays as it is.

    Examples
    --------
    >>> [part.text for part in parted(Line(7, "current rate: 9 Finished"), re.compile("Finished"))]
    ['current rate: 9 ', '                Finished']
    """
    text = line.text
    if len(text) > _LONGEST:
        return [line]
    starts = sorted({0, *(match.start() for match in begins.finditer(text))})
    if len(starts) * len(text) > _MOST:
        return [line]
    stops = [*starts[1:], len(text)]
    parts = [
        Line(line.number, " " * start + text[start:stop])
        for start, stop in zip(starts, stops, strict=True)
    ]
    return [*parts[:-1], type(line)(*parts[-1])]  # a last line stays one
