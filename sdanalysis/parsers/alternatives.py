"""A mail that holds its text twice, plain and below it as HTML: the plain text counts.

Only HTML whose every number stands in the plain text, too, is left out: some programs put there
that a mail needs a browser.
"""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Sequence
from html import unescape

from sdanalysis.codebook.measurement import Line

_PART = re.compile(
    r"^(?P<boundary>--\S{1,90})\n(?P<head>(?:[\w-]{1,60}:.*\n|[ \t]+\S.*\n)+)(?=\n)", re.M
)
_HIDDEN = re.compile(r"<style[^<>]*>[^<]*|<[^<>]*>")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")


def without_html(lines: Sequence[Line], text: str) -> tuple[Sequence[Line], int]:
    r"""Return the lines, those of HTML that repeats a text empty, and the number of the first.

    The number is 0 where there is none.

    Examples
    --------
    >>> head = "--b\nContent-Type: text/"
    >>> text = f"{head}plain\n\n21.5 MB/s\n{head}html\n\n<p>21.5 MB/s</p>\n--b--"
    >>> lines = [Line(n, line) for n, line in enumerate(text.split("\n"), 1)]
    >>> found, first = without_html(lines, text)
    >>> [line.text for line in found[3:]], first
    (['21.5 MB/s', '--b', 'Content-Type: text/html', '', '', '--b--'], 7)
    """
    if "text/html" not in text or "text/plain" not in text:
        return lines, 0
    kept = list(lines)
    first = 0
    for start, end in _repeats(text):
        for index in range(start, end):
            kept[index] = kept[index]._replace(text="")
        first = first or kept[start].number
    return kept, first


def _repeats(text: str) -> Iterator[tuple[int, int]]:
    """Yield where HTML that repeats the text above it begins and ends, as places of lines."""
    plain = None
    for part in _PART.finditer(text):
        if "text/plain" in part["head"]:
            plain = part
        elif "text/html" in part["head"] and plain:
            if _numbers(part) <= _numbers(plain):
                yield text.count("\n", 0, part.end()), text.count("\n", 0, _end(part)) + 1
            plain = None


def _end(part: re.Match[str]) -> int:
    """Return where the text of a part ends; where the mail was cut, with it."""
    end = part.string.find(f"\n{part['boundary']}", part.end())
    return end if end >= 0 else len(part.string)


def _numbers(part: re.Match[str]) -> set[str]:
    """Return the numbers that a part shows."""
    text = part.string[part.end() : _end(part)]
    if "quoted-printable" in part["head"].lower():
        text = quopri.decodestring(text.encode()).decode("utf-8", "replace")
    if "text/html" in part["head"]:
        text = unescape(_HIDDEN.sub(" ", text))
    return set(_NUMBER.findall(text))
