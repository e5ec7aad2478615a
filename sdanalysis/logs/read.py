"""One log of a user (a file, standard input) -> measurements, and what was not read."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from sdanalysis import parsers
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.errors import BinaryError, LeftOutError, SdAnalysisError
from sdanalysis.logs import session, unclaimed
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.logs.quotations import without_quoted
from sdanalysis.parsers import NAMED, PARSERS, Parser, markup
from sdanalysis.paths import STANDARD_INPUT, InFolder, printable


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
        text = f"found {error.strerror}, expected a file to read"
        return Log(path, (), (Problem(line=1, text=text),))
    no_log = isinstance(error, BinaryError | LeftOutError)
    return Log(path, (), (no_benchmark(path, str(error)) if no_log else Problem(1, str(error)),))


def no_benchmark(path: str, text: str) -> Problem:
    """Return what is said of a file that holds no benchmark: an error only where it was named."""
    return Problem(line=1, text=text, kind="note" if isinstance(path, InFolder) else "error")


def parse_log(path: str, content: bytes, most: int = MOST_BYTES) -> Log:
    """Return what a log's bytes hold: gzip, any of the encodings, any tools, in any order."""
    return parse_with_lines(path, content, most)[0]


def parse_with_lines(path: str, content: bytes, most: int = MOST_BYTES) -> tuple[Log, list[Line]]:
    """Return what `parse_log` returns, and the lines that it read; none of an unreadable log."""
    try:
        lines = lines_of(content, most)
    except SdAnalysisError as error:
        return unread(path, error), []
    return parse_lines(path, lines), lines


def lines_of(content: bytes, most: int = MOST_BYTES) -> list[Line]:
    """Return the lines of a log; SdAnalysisError where it is damaged, too long or no text."""
    return parsers.split_lines(parsers.decode(unpacked(content, most)))


def parse_lines(path: str, lines: Sequence[Line]) -> Log:
    """Return what the lines of a log hold, with a word on each that nobody claims."""
    plain = markup.undone(lines)
    measurements, problems = items(path, plain, PARSERS)
    problems = with_notes(path, plain, measurements, problems)
    name = printable(path)
    return Log(path, tuple(found._replace(file=name) for found in measurements), tuple(problems))


def with_notes(
    path: str, plain: markup.Plain, rows: Sequence[Measurement], problems: Sequence[Problem]
) -> list[Problem]:
    """Return the problems, and a note on what seems to be a result and has no row."""
    silent = list(unclaimed.without_rows(plain, rows, problems))
    notes = unclaimed.unclaimed(plain.lines, rows, [*problems, *silent])
    said = [*problems, *silent] if rows or problems else nothing_read(path, plain, silent)
    if plain.html:
        text = "found the text of this mail again, as HTML: not counted twice"
        said = [*said, Problem(plain.html, text, "note")]
    return sorted([*said, *notes], key=attrgetter("line"))


def items(
    path: str, plain: markup.Plain, readers: Mapping[str, Parser]
) -> tuple[list[Measurement], list[Problem]]:
    """Return what the parsers of the tools in a log find, and what they could not read."""
    measurements: list[Measurement] = []
    problems: list[Problem] = []
    for tool in parsers.tools_in(plain.text) if plain.lines else NAMED:
        named = {"name": path} if tool in NAMED and path != STANDARD_INPUT else {}
        for item in readers[tool](plain.lines, **named):
            if isinstance(item, Problem):
                problems.append(item)
            else:
                measurements.append(item)
    measurements, quoted = without_quoted(measurements, plain)
    if plain.places:
        measurements = [markup.placed(item, plain.places) for item in measurements]
    measurements.sort(key=attrgetter("line", "column"))
    measurements, repeats = parsers.own_first(measurements)
    problems += [*quoted, *repeats]
    if twice := parsers.claimed_twice(measurements):  # such a line is nobody's
        problems += [Problem(line=line, text=text) for line, text in twice.items()]
        measurements = [item for item in measurements if item.line not in twice]
    return session.amended(path, plain, measurements), problems


def nothing_read(path: str, plain: markup.Plain, silent: Iterable[Problem] = ()) -> list[Problem]:
    """Return what is wrong with a log of which no parser said a word."""
    tools = ", ".join(sorted(set(PARSERS) - {"scripts"}))
    text = f"found no benchmark in it, expected the output of {tools} or of a script that runs them"
    text = text if plain.lines else "found an empty file, expected a benchmark log"
    errors = [problem._replace(kind="error") for problem in silent]
    return errors or [no_benchmark(path, text)]


def row_of(measurement: Measurement) -> dict[str, object]:
    """Return a measurement as a row of `LOG_COLUMNS`; None is missing, remarks are one text."""
    row = {name: getattr(measurement, name) for name in LOG_COLUMNS}
    return {**row, "remarks": " ".join(measurement.remarks) or None}
