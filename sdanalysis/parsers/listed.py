r"""Output as a list with a string for each line: `"  read: IOPS=84",` in Ansible's `stdout_lines`.

Above it the same may stand as one string, `"stdout": "..."`: where the list is whole, it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Line

_STRING = re.compile(
    r"\s*(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'),?\s*\]?\s*"
)
_ENDS = ('",\n', "',\n")
_ESCAPED = re.compile(r"\\(?P<sign>[\"'\\/t])")
_LEAST = 4  # strings in a row
_LIST = re.compile(r'"(?P<name>\w{1,40})_lines" ?: ?\[\s*$')
_WHOLE = re.compile(r'\s*"(?P<name>\w{1,40})" ?: ?".*\\n')


def strings(lines: Sequence[Line], text: str) -> dict[int, bool]:
    r"""Return the numbers of the lines that hold one string of a list, or again what a list holds.

    The first are True, the others False.

    Examples
    --------
    >>> lines = [Line(n, f'"{n} MB",') for n in range(1, 5)]
    >>> strings(lines, "\n".join(line.text for line in lines))
    {1: True, 2: True, 3: True, 4: True}
    """
    if not any(end[0] in text and end in text for end in _ENDS):  # a letter is found at once
        return {}
    found: dict[int, bool] = {}
    whole = {match["name"]: line.number for line in lines if (match := _WHOLE.match(line.text))}
    for start, end in _runs(lines):
        above, below = lines[max(start - 1, 0)].text, [line.text for line in lines[end : end + 1]]
        match = _LIST.search(above)
        again = whole.get(match["name"]) if match else None
        if again is not None and not any(line.lstrip().startswith("]") for line in below):
            continue  # the list is cut, the string above it is not
        found.update(dict.fromkeys((line.number for line in lines[start:end]), True))
        if again is not None:
            found[again] = False
    return found


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield where strings begin that stand in a row, and where they end."""
    start = 0
    for place, (_, line) in enumerate(lines):
        if line.rstrip()[-1:] in ('"', "'", ",", "]") and _STRING.fullmatch(line):
            continue
        if place - start >= _LEAST:
            yield start, place
        start = place + 1
    if len(lines) - start >= _LEAST:
        yield start, len(lines)


def edits(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what a string of a list loses: what stands around it, and its escapes."""
    match = _STRING.fullmatch(text)
    if match is None:
        return
    start, end = match.span(match.lastgroup or 0)
    yield 0, start, ""
    for escape in _ESCAPED.finditer(text, start, end):
        yield escape.start(), escape.end(), escape["sign"].replace("t", "\t")
    yield end, len(text), ""
