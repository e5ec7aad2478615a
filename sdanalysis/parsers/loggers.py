"""What a logger puts before each line of a tool's output -> how long it is.

`2024-05-01T12:00:00.1234567Z   read: IOPS=84` of a build server, `12:06:53 INFO | [stdout] ` of a
test runner, `Jul 03 10:00:00 host fio[12]: ` of a journal, `bench-1  | ` of a container, and
`build<tab>Run fio<tab>2024-05-01T12:00:00.1234567Z ` of a build server's client. One blank belongs
to it; the others are the tool's own.

Others tell less: `node1: ` of a shell on many hosts, `[1,0]<stdout>:` of MPI, `[   12.345678] ` of
a kernel, `Bob> ` of a chat. They are a logger's where they stand before all lines of a stretch, and
nowhere else: the lines of two hosts that are mixed belong to two reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise

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
_KLOG = rf"[IWEF][01][0-9][0-3][0-9] {_CLOCK} {{1,9}}[0-9]{{1,9}} [\w./-]{{1,100}}:[0-9]{{1,6}}\]"
_PROCESS = r"\[[0-9]{1,9}\]"
_JOURNAL = (
    rf"(?:[A-Z][a-z]{{2}} [ 0-3][0-9] {_CLOCK} {_HOST}(?:{_PROCESS})?|"
    rf"{_DATE}{_CLOCK} {_HOST}{_PROCESS}):|{_KLOG}"
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
_REPEATED = (
    r"(?:(?P<word>[A-Za-z][\w.-]{0,63}):|\[(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR)\]"
    rf"|[A-Za-z][\w./-]{{0,63}}{_PROCESS}:|\w{{1,32}}>|(?P<nick><[^\s<>]{{1,33}}>)"
    r"|(?P<changing>\[ {0,8}[0-9]{1,8}\.[0-9]{1,9}\]|\[?[0-2]?[0-9]:[0-5][0-9]\]?(?= <))"
    r"(?: <[^\s<>]{1,33}>)?)(?: |$)"
    r"|\[[0-9]{1,5},[0-9]{1,5}\]<std(?:out|err)>:"
)
# A page's numbers of lines, or a list's: `  12. `, `12: `, `12| `, or those of `cat -n`.
_COUNT = re.compile(r"[ \t]{0,8}([0-9]{1,5})(?:[.:)|](?:[ \t]|$)|\t|(?<=^.{6})  )", re.ASCII)
_COUNTS = re.compile("2(?:[.:)|] |\t)")  # without one of these, found in no time, there are none
# of a report that has a word before each line: a blank, or nothing, or dd's records
_OF_FIO = ": (g"  # `(g=0): rw=read`, `(groupid=0, jobs=1)`
_IN_REPORT = re.compile(r"\s|$|[0-9]+\+[0-9]+ [^\W\d]")
# of a report, not of a command over several lines
_RATE = re.compile(r"[0-9]k? ?(?:[kKMGT]?i?B/s|IOPS\b)|\bIOPS=[0-9]|\bis in [kKMG]?[Bb]ytes/sec")
_LEAST = 4  # lines in a row
_Mark = tuple[int, re.Match[str]]  # before the line of a number


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
    is_counted = "\n     2  " in text or _COUNTS.search(text)
    return counted(lines, _COUNT) if is_counted else {}


def repeated(lines: Sequence[Line]) -> dict[int, int]:
    """Return the same of a mark that stands before all lines of a stretch, and nowhere else.

    What a word and a colon stand before must be a report, which has blanks before lines of it: fio
    names a job in four lines, too.

    Examples
    --------
    >>> repeated([Line(n, f"node1:   read {n}") for n in range(1, 5)])
    {1: 7, 2: 7, 3: 7, 4: 7}
    """
    head = pairwise(line.text[:3] for line in lines[: _FIRST // 50])
    if not any(one == other and one[:1] > " " for one, other in head):
        return {}
    pattern = _pattern(_REPEATED)
    matches = ((line.number, pattern.match(line.text)) for line in lines if line.text.strip())
    stretches: dict[str, list[list[_Mark]]] = {}
    for key, group in groupby(matches, _kind):
        if key:
            stretches.setdefault(key, []).append([(number, mark) for number, mark in group if mark])
    found: dict[int, int] = {}
    for row, *others in stretches.values():
        if not others and len(row) >= _LEAST and _is_logger([mark for _, mark in row]):
            found.update((number, mark.end()) for number, mark in row)
    return found


def _kind(marked: tuple[int, re.Match[str] | None]) -> str:
    """Return what of a mark is the same in each line; empty where there is none."""
    mark = marked[1]
    return f"{mark[0].removeprefix(mark['changing'] or '').strip()}." if mark else ""


def _is_logger(marks: Sequence[re.Match[str]]) -> bool:
    """Tell whether a mark may be a logger's; `<name> ` before a job is that of a client of fio."""
    if marks[0]["word"]:
        return any(_IN_REPORT.match(mark.string, mark.end()) for mark in marks)
    return not (marks[0]["nick"] and any(_OF_FIO in mark.string for mark in marks))


def unbroken(lines: Sequence[Line]) -> Sequence[Line]:
    r"""Return lines without the sign of a line break that some editors put behind each, `MB/s\`.

    The lines of a shell's command hold no rate.

    Examples
    --------
    >>> unbroken([Line(n, "1 MB/s" + chr(92)) for n in range(4)])[0]
    Line(number=0, text='1 MB/s')
    """
    found: list[Line] = []
    for is_broken, group in groupby(lines, lambda line: line.text.endswith("\\")):
        row = list(group)
        is_page = len(row) >= _LEAST and any(_RATE.search(line.text) for line in row)
        if is_broken and is_page:
            row = [line._replace(text=line.text[:-1]) for line in row]
        found += row
    return found


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
