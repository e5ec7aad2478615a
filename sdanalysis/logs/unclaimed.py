"""Lines of a log that nobody read although a result may stand there -> a word on each."""

import re
import sys
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from functools import cache

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.parsers import HEADERS, REPEATS, TOTALS
from sdanalysis.parsers.markup import Plain

# A number with the unit of a rate. `Gb/s` and `Mbps` with a small b are bits: a cable's speed.
# Behind the unit a footnote's mark or a letter of another script may stand: no `\b`.
_LOOKS_LIKE_A_RESULT = re.compile(
    r"\d\s?(?:(?:(?:[kKMGT]i?)?B|[kmg]b|[kKMGTmg]?bytes|[KMG]?Bytes)(?:/s(?:ec)?|ps)|iops)"
    r"(?![A-Za-z0-9_])"
    r"|\biops\b\D{0,3}\d".replace("iops", "(?i:iops)")
)
# `### 3.2 IOPS`: the number of a section; a comment of a shell has one mark
_SECTION = re.compile(r"^\s*#{2,6}\s{1,3}1?[0-9](?:\.1?[0-9]){0,3}\s(?=[iI][oO][pP][sS])")
# The head of a table whose cells are numbers alone: a unit behind a border or a name.
_UNITS_ABOVE = re.compile(r"(?:[|,;\t(\[]|\s{2})\s*(?:\w+ ){0,4}[(\[]?(?:[kKMG]i?B(?:/s|ps)|IOPS)")
_CELLS = re.compile(r"(?:^|[|,;\t]|\s{2})\s*[0-9][0-9., ]*(?:$|[|,;\t]|\s{2})")
_RULE = re.compile(r"[\s|:+=-]*$")  # between the head of a table and its rows
# The head of what scripts that test a whole server say of its network: rates of bytes, too.
_NETWORK = re.compile(r"\bIPv[46] speedtests\b|\b(?:Upload|Download) Speed\b|(?:上传|下载)速度")
_BESIDE_NETWORK = re.compile(r"\W*[\w (),./-]{2,40}:(?:\s|$)|\s*$")  # `your IPv4: 192.0.2.xxxx`
_OF_DISKS = re.compile(r"\b(?:I/O|disk|read|write|dd|fio|hdparm|ioping|iozone)\b", re.IGNORECASE)
_NEAR = 2  # lines from one header to the next of the same run: two jobs, `in` and `out` of dd
_NEAR_STATUS = 5  # errors stand between the statuses of a run of fio
_MOST = 12  # notes of one kind that a log gets: a page of tables has hundreds of such lines
_LONGEST = 2000  # characters of a line that are looked at


def without_rows(
    plain: Plain, rows: Sequence[Measurement], problems: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield a note on each announcement of results below which no row was read and none refused."""
    said = sorted(problem.line for problem in problems)
    for tool, headers in HEADERS.items():
        lines = sorted({row.line for row in rows if tool in (row.tool, row.script)})
        for sign, pattern in headers.items():
            if sign not in plain.text:
                continue
            found = list(_headers(plain, sign, re.compile(pattern)))
            ends = [first.number for first, _ in found[1:]] + [sys.maxsize]
            for (first, last), end in zip(found, ends, strict=False):
                begin = first.number - sign.startswith('"')  # a JSON object's brace stands above
                if _any_within(lines, last.number, end) or _any_within(said, begin, end):
                    continue
                text = f"found {shown(first.text)}, which announces results of {tool}"
                yield Problem(first.number, f"{text}, and no row below it was read", "note")


def _headers(plain: Plain, sign: str, pattern: re.Pattern[str]) -> Iterator[tuple[Line, Line]]:
    """Yield the first and the last line of each group of headers that stand together."""
    near = _NEAR_STATUS if sign == "Jobs: " else _NEAR
    first = last = None
    for line in _lines_with(sign, plain):
        if not pattern.search(line.text[:_LONGEST]):
            continue
        if first and last and line.number - last.number > near:
            yield first, last
            first = None
        first, last = first or line, line
    if first and last:
        yield first, last


def _lines_with(sign: str, plain: Plain) -> Iterator[Line]:
    """Yield the lines that hold a sign; the others are not looked at, which takes a tenth."""
    text, index, end = plain.text, 0, 0
    place = text.find(sign)
    while place >= 0:
        index += text.count("\n", end, place)
        yield plain.lines[index]
        end = text.find("\n", place)
        place = text.find(sign, end) if end >= 0 else -1


def _any_within(numbers: Sequence[int], start: int, end: int) -> bool:
    place = bisect_left(numbers, start)
    return place < len(numbers) and numbers[place] < end


def unclaimed(
    lines: Sequence[Line], rows: Sequence[Measurement], problems: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield a note on the lines that look like a result and that have no row and no problem."""
    found = list(_unclaimed(lines, rows, problems))
    network = _of_network(lines, {line.number for line in found}) if found else []
    if network:
        text = f"found rates of a network, {len(network)} in all, the last of them in line"
        yield Problem(network[0], f"{text} {network[-1]}: not read", "note")
        found = [line for line in found if line.number not in network]
    for line in found[:_MOST]:
        note = f"found {shown(line.text)}, which looks like a result and which no parser claims"
        yield Problem(line=line.number, kind="note", text=note)
    if more := found[_MOST:]:
        note = f"found {len(more)} more lines like it, the first at line {more[0].number}"
        yield Problem(line=more[0].number, kind="note", text=note)


def _of_network(lines: Sequence[Line], found: Container[int]) -> list[int]:
    """Return the numbers of those of the found lines that stand in lists of a network's rates."""
    network: list[int] = []
    is_inside = False
    for number, text in lines:
        if _NETWORK.search(text[:_LONGEST]):
            is_inside = True
        elif is_inside and number in found:
            is_inside = not _OF_DISKS.search(text)
            network += [number] if is_inside else []
        elif is_inside:
            is_inside = bool(_BESIDE_NETWORK.match(text))
    return network


def _unclaimed(
    lines: Sequence[Line], rows: Sequence[Measurement], problems: Sequence[Problem]
) -> Iterator[Line]:
    spoken = {row.line for row in rows} | {problem.line for problem in problems}
    said = sorted(spoken)
    totals = [
        (pattern, min((row.line for row in rows if row.tool == tool), default=sys.maxsize))
        for tool, pattern in TOTALS.items()
    ]
    for index, (number, whole) in enumerate(lines):
        text = whole[:_LONGEST]
        letters = text.casefold()  # a pattern costs ten times as much as these
        if ("/s" not in letters and "ps" not in letters) or number in spoken:
            continue
        looks = _LOOKS_LIKE_A_RESULT.search(_SECTION.sub("", text))
        if not looks and not _is_head(text, lines, index, spoken):
            continue
        if _repeats().search(text) or any(
            number > first and re.search(pattern, text) for pattern, first in totals
        ):
            continue
        # the rows of a line that mail broke stand in any of its parts, of which the last may hold
        # the beginning of the next line, if the mail quotes line ends
        is_quoted = index > 0 and lines[index - 1].number == number
        end = lines[index + 1].number + is_quoted if index + 1 < len(lines) else sys.maxsize
        if not _any_within(said, number, end):
            yield Line(number, text)


@cache
def _repeats() -> re.Pattern[str]:
    """Return what repeats a result: compiled for the first line that may be one."""
    return re.compile("|".join(REPEATS.values()))


def _is_head(text: str, lines: Sequence[Line], index: int, spoken: set[int]) -> bool:
    """Tell whether a line names units and the next one, which no parser read, has the numbers.

    A line with numbers of its own is a row: those of a CSV of ours name their unit, too.
    """
    if not _UNITS_ABOVE.search(text) or _CELLS.search(text):
        return False
    below = [line for line in lines[index + 1 : index + 4] if not _RULE.match(line.text)][:1]
    return any(line.number not in spoken and _CELLS.search(line.text[:_LONGEST]) for line in below)


def shown(text: str) -> str:
    """Return a line as a message quotes it."""
    return repr(text.strip() if len(text) <= 120 else f"{text.strip()[:117]}...")
