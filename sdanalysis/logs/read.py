"""One log of a user (a file, standard input) -> measurements, and what was not read."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from sdanalysis import parsers
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.parsers import NAMED, PARSERS, REPEATS, TOTALS, Parser
from sdanalysis.paths import STANDARD_INPUT, printable

# A number with the unit of a rate: such a line looks like a result.
_LOOKS_LIKE_A_RESULT = re.compile(
    r"\d\s?(?:[kKMGT]i?)?(?:B|bytes|Bytes)(?:/s(?:ec)?\b|ps\b)|\biops\b\D{0,3}\d|\d\s*iops\b", re.I
)
_REPEATS = re.compile("|".join(REPEATS.values()))


class Log(NamedTuple):
    """What one file held: its results, and the lines that gave none with the reason."""

    path: str
    measurements: tuple[Measurement, ...]
    problems: tuple[Problem, ...]


def read_log(path: str, most: int = MOST_BYTES) -> Log:
    """Read one file (or `-`, standard input); never raises for what is in it."""
    try:
        return parse_log(path, read_bytes(path, most), most)
    except (OSError, SdAnalysisError) as error:
        return unread(path, error)


def unread(path: str, error: OSError | SdAnalysisError) -> Log:
    """Return the log of a file that the system did not give, or that is none to read."""
    if isinstance(error, OSError):
        return without_rows(path, f"found {error.strerror}, expected a file to read")
    return without_rows(path, str(error))


def without_rows(path: str, text: str) -> Log:
    """Return the log of a file that cannot be read at all."""
    return Log(path, (), (Problem(line=1, text=text),))


def parse_log(path: str, content: bytes, most: int = MOST_BYTES) -> Log:
    """Return what a log's bytes hold: gzip, any of the encodings, any tools, in any order."""
    return parse_with_lines(path, content, most)[0]


def parse_with_lines(path: str, content: bytes, most: int = MOST_BYTES) -> tuple[Log, list[Line]]:
    """Return what `parse_log` returns, and the lines that it read; none of an unreadable log."""
    try:
        lines = lines_of(content, most)
    except SdAnalysisError as error:
        return without_rows(path, str(error)), []
    return parse_lines(path, lines), lines


def lines_of(content: bytes, most: int = MOST_BYTES) -> list[Line]:
    """Return the lines of a log; SdAnalysisError where it is damaged, too long or no text."""
    return parsers.split_lines(parsers.decode(unpacked(content, most)))


def parse_lines(path: str, lines: Sequence[Line]) -> Log:
    """Return what the lines of a log hold, with a word on each that nobody claims."""
    measurements, problems = items(path, lines, PARSERS)
    problems = with_notes(lines, measurements, problems)
    if not measurements:
        problems = problems_or_nothing(problems, lines)
    name = printable(path)
    return Log(path, tuple(found._replace(file=name) for found in measurements), tuple(problems))


def with_notes(
    lines: Sequence[Line], rows: Sequence[Measurement], problems: Sequence[Problem]
) -> list[Problem]:
    """Return the problems, and a note on each line that looks like a result and has neither."""
    notes = _unclaimed(lines, rows, problems)
    return sorted([*problems, *notes], key=attrgetter("line"))


def _unclaimed(
    lines: Sequence[Line], rows: Sequence[Measurement], problems: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield a note on each line that looks like a result and that has no row and no problem."""
    spoken = {row.line for row in rows} | {problem.line for problem in problems}
    totals = [
        (pattern, min((row.line for row in rows if row.tool == tool), default=sys.maxsize))
        for tool, pattern in TOTALS.items()
    ]
    for number, whole in lines:
        text = whole[:2000]
        letters = text.casefold()  # a pattern costs ten times as much as these
        if ("/s" not in letters and "ps" not in letters) or number in spoken:
            continue
        if not _LOOKS_LIKE_A_RESULT.search(text) or _REPEATS.search(text):
            continue
        if any(number > first and re.search(pattern, text) for pattern, first in totals):
            continue
        shown = text.strip() if len(text) <= 120 else f"{text.strip()[:117]}..."
        note = f"found {shown!r}, which looks like a result and which no parser claims"
        yield Problem(line=number, kind="note", text=note)


def items(
    path: str, lines: Sequence[Line], readers: Mapping[str, Parser]
) -> tuple[list[Measurement], list[Problem]]:
    """Return what the parsers of the tools in a log find, and what they could not read."""
    measurements: list[Measurement] = []
    problems: list[Problem] = []
    for tool in parsers.tools_in(lines) if lines else NAMED:
        named = {"name": path} if tool in NAMED and path != STANDARD_INPUT else {}
        for item in readers[tool](lines, **named):
            if isinstance(item, Problem):
                problems.append(item)
            else:
                measurements.append(item)
    measurements.sort(key=attrgetter("line", "column"))
    measurements, repeats = parsers.own_first(measurements)
    problems += repeats
    if twice := parsers.claimed_twice(measurements):  # such a line is nobody's
        problems += [Problem(line=line, text=text) for line, text in twice.items()]
        measurements = [item for item in measurements if item.line not in twice]
    return measurements, problems


def problems_or_nothing(problems: Sequence[Problem], lines: Sequence[Line]) -> list[Problem]:
    """Return the problems of a log without results; where there are none, that it is no log."""
    tools = f"found no benchmark in it, expected the output of {', '.join(sorted(PARSERS))}"
    text = tools if lines else "found an empty file, expected a benchmark log"
    return list(problems) or [Problem(line=1, text=text)]


def row_of(measurement: Measurement) -> dict[str, object]:
    """Return a measurement as a row of `LOG_COLUMNS`; None is missing, remarks are one text."""
    row = {name: getattr(measurement, name) for name in LOG_COLUMNS}
    return {**row, "remarks": " ".join(measurement.remarks) or None}
