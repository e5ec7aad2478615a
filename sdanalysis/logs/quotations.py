"""Results of a thread that somebody quotes as he answers: each counts where it stands first."""

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers.markup import Plain

_MARKS = re.compile(r"[\s>|]*")


def without_quoted(
    found: list[Measurement], plain: Plain
) -> tuple[list[Measurement], list[Problem]]:
    r"""Return the measurements but those of lines that stand above with fewer marks of quotation.

    A word tells of each line that is left out.

    Examples
    --------
    >>> from sdanalysis.codebook.measurement import Line
    >>> rate = {"column": 1, "tool": "hdparm", "metric": "bandwidth", "op": "read", "raw": "40"}
    >>> found = [Measurement(line=n, raw_unit="MB/sec", value=4e7, **rate) for n in (1, 2)]
    >>> lines = [Line(1, "40 MB/sec"), Line(2, "> 40 MB/sec")]
    >>> kept, words = without_quoted(found, Plain(lines, "40 MB/sec\n> 40 MB/sec", {}))
    >>> [one.line for one in kept], [word.text for word in words]
    ([1], ['found the results of line 1 again, in a quotation: not counted twice'])
    """
    if len(found) < 2 or ("\n>" not in plain.text and "\n >" not in plain.text):
        return found, []
    texts = {line.number: line.text for line in plain.lines}
    quoted = dict(_quoted(sorted({one.line for one in found}), texts))
    kept = [one for one in found if one.line not in quoted]
    text = "found the results of line {} again, in a quotation: not counted twice"
    return kept, [Problem(line, text.format(first), "note") for line, first in quoted.items()]


def _quoted(numbers: Sequence[int], texts: dict[int, str]) -> Iterator[tuple[int, int]]:
    """Yield the lines that quote one above, each with that line."""
    first: dict[str, tuple[int, int]] = {}
    for number in numbers:
        text = texts.get(number, "")
        start = _MARKS.match(text).end()  # type: ignore[union-attr]  # it matches any text
        marks = text.count(">", 0, start)
        before, fewest = first.setdefault(text[start:].rstrip(), (number, marks))
        if marks > fewest:
            yield number, before
