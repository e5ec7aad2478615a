"""What a logger puts before each line of a tool's output -> how long it is.

`2024-05-01T12:00:00.1234567Z   read: IOPS=84` of a build server, `12:06:53 INFO | [stdout] ` of a
test runner, `Jul 03 10:00:00 host fio[12]: ` of a journal, `bench-1  | ` of a container, and
`build<tab>Run fio<tab>2024-05-01T12:00:00.1234567Z ` of a build server's client. One blank belongs
to it; the others are the tool's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from sdanalysis.codebook.measurement import Line

_CLOCK = r"[0-2][0-9]:[0-5][0-9]:[0-6][0-9](?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_DATE = r"[0-9]{4}[-/][0-1][0-9][-/][0-3][0-9][T ]"
_MARK = "\ufeff?"  # each step of a build begins with the mark of a file
_STAMP = rf"{_MARK}\[?(?:{_DATE})?{_CLOCK}\]?"
_STEP = rf"[^\t\n]{{1,100}}\t[^\t\n]{{1,100}}\t{_MARK}{_DATE}{_CLOCK}"
_LEVEL = (
    r"[ :|-]{1,3}(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|std(?:out|err))\]?"
    r"(?:[ :]?\|:?|[ :]?:)?"
    r"(?: [FP](?= ))?|[0-9]{2}[OE]\+?)"
)
_HOST = r"[\w.-]{1,64} [\w./-]{1,64}"
_PROCESS = r"\[[0-9]{1,9}\]"
_JOURNAL = (
    rf"(?:[A-Z][a-z]{{2}} [ 0-3][0-9] {_CLOCK} {_HOST}(?:{_PROCESS})?|"
    rf"{_DATE}{_CLOCK} {_HOST}{_PROCESS}):"
)
_POD = r"\[pod/[\w./-]{1,200}\]"
_CONTAINER = r"[\w.-]{1,60}[-_][0-9]{1,3} {1,40}\|"
_PREFIX = (
    rf"(?:{_JOURNAL}|{_STAMP}(?:{_LEVEL}){{0,3}}|{_STEP}|(?:{_POD}|{_CONTAINER})(?: {_STAMP})?)"
    "(?: |$)"
)
_LOGGED = rf"^(?:{_MARK}\[?{_DATE}{_CLOCK}|{_STEP}|{_JOURNAL}|{_POD}|{_PREFIX}.*\n{_PREFIX})"
_TIME = re.compile(r":[0-5][0-9]:[0-6][0-9]")  # of any clock: found in no time
_FIRST = 50_000  # characters in which a logger has begun
# A page's numbers of lines, or a list's: `  12. `, `12: `, `12| `, or those of `cat -n`.
_COUNT = re.compile(r"[ \t]{0,8}([0-9]{1,5})(?:[.:)|](?:[ \t]|$)|\t)", re.ASCII)
_COUNTS = re.compile("2(?:[.:)|] |\t)")  # without one of these, found in no time, there are none
_LEAST = 4  # lines in a row


def is_logged(text: str) -> bool:
    r"""Tell whether a logger wrote before lines of a text.

    A date, a journal or a pod before one is enough; a time or a container's name stand before two.

    Examples
    --------
    >>> is_logged("12:06:53 fio-3.33\n12:06:53 Starting 1 process\n")
    True
    """
    return any(_pattern(_LOGGED).match(text, start, _FIRST) for start in set(_starts(text)))


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern when it is needed: to compile these takes as long as to read a log."""
    return re.compile(pattern, re.ASCII | re.MULTILINE)


def _starts(text: str) -> Iterator[int]:
    """Yield where lines begin in which a logger may have written: few, and found in no time."""
    for match in _TIME.finditer(text, 0, _FIRST):
        yield text.rfind("\n", 0, match.start()) + 1
    for sign in (" |", "[pod/"):
        place = text.find(sign, 0, _FIRST) if sign[-1] in text else -1
        while place >= 0:
            yield text.rfind("\n", 0, place) + 1
            end = text.find("\n", place, _FIRST)
            place = text.find(sign, end, _FIRST) if end >= 0 else -1


def before(text: str) -> int:
    """Return how many characters before a line's own text are a logger's.

    Examples
    --------
    >>> before("12:06:53   read: IOPS=84")
    9
    """
    found = _pattern(_PREFIX).match(text)
    return found.end() if found else 0


def numbers(lines: Sequence[Line], text: str) -> dict[int, int]:
    """Return, by their numbers, how long the count is that stands before lines that are counted.

    Examples
    --------
    >>> numbers([Line(n, f"{n}. READ: bw=1") for n in range(1, 6)], "2. READ")
    {1: 3, 2: 3, 3: 3, 4: 3, 5: 3}
    """
    return counted(lines, _COUNT) if _COUNTS.search(text) else {}


def counted(lines: Sequence[Line], pattern: re.Pattern[str]) -> dict[int, int]:
    """Return the same of lines that match a pattern, whose first group is the count.

    Examples
    --------
    >>> counted([Line(n, f"{n} READ") for n in range(1, 5)], re.compile("([0-9]) "))
    {1: 2, 2: 2, 3: 2, 4: 2}
    """
    found: dict[int, int] = {}
    row: list[tuple[int, int]] = []
    expected = -1
    for number, line in lines:
        match = pattern.match(line)
        count = int(match[1]) if match else -1
        if count != expected:
            found.update(row if len(row) >= _LEAST else ())
            row = []
        if match:
            row.append((number, match.end()))
            expected = count + 1
        else:
            expected = -1
    found.update(row if len(row) >= _LEAST else ())
    return found
