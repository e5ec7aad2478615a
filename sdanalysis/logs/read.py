"""One log of a user (a file, standard input) -> measurements, and what was not read."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from sdanalysis import parsers
from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.errors import BinaryError, LeftOutError, SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.logs.session import EXIT, amended, session_of
from sdanalysis.logs.unclaimed import unclaimed
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.parsers.iozone import Table, expand, scan
from sdanalysis.parsers.scripts import without_repeats
from sdanalysis.paths import STANDARD_INPUT, InFolder, printable

_NOTHING = "found no benchmark in it, expected the output of dd, ddrescue, fio, hdparm, iozone "
_NOTHING += "or of a script that runs them"
_ROWS, _LINE, _SCRIPT = map(attrgetter, ("rows", "line", "script"))
_FEW = 50  # rows of iozone's tables in a log
_EMPTY = "found an empty file, expected a benchmark log"


class Log(NamedTuple):
    """What one file held: its results, the lines that gave none with the reason, and its text."""

    path: str
    parts: Sequence[Measurement | Table]  # long tables of iozone stay whole
    problems: Sequence[Problem]
    capture: Capture | None = None  # None of a file that is none to read

    @property
    def measurements(self) -> Iterator[Measurement]:
        """Yield all rows."""
        for part in self.parts:
            if isinstance(part, Measurement):
                yield part
            else:
                yield from expand(part)


def parse_log(path: str, content: bytes, most: int = MOST_BYTES) -> Log:
    """Return what a log's bytes hold: gzip, any of the encodings, any tools, in any order."""
    try:
        capture = Capture(decode(unpacked(content, most))).without_prefix()
    except SdAnalysisError as error:
        return unread(path, error)
    rows, tables, problems = list[Measurement](), list[Table](), list[Problem]()
    kinds: dict[type, list] = {Measurement: rows, Table: tables, Problem: problems}
    for tool in parsers.tools_in(capture):
        for item in _items(tool, capture, path):
            kinds[type(item)].append(item)
    are_few = sum(map(_ROWS, tables)) < _FEW  # columns of their own would cost more
    if tables and (rows or are_few or session_of(path) or EXIT in capture.text):
        rows, tables = [*rows, *chain.from_iterable(map(expand, tables))], []
    capture.taken.update(map(_LINE, rows))
    if any(map(_SCRIPT, rows)):
        rows, repeats = without_repeats(rows)
        problems += repeats
    rows = amended(path, capture, sorted(rows, key=parsers.PLACE))
    problems += unclaimed(capture, problems)
    if not (rows or tables or problems):
        problems = [no_benchmark(path, _NOTHING if capture.lines else _EMPTY)]
    problems.sort(key=_LINE)
    return Log(path, tables or rows, problems, capture)


def read_log(
    path: str, most: int = MOST_BYTES, parse: Callable[[str, bytes, int], Log] = parse_log
) -> Log:
    """Read one file, or `-`, of at most so many bytes; never raises for what is in it."""
    try:
        return parse(path, read_bytes(path, most), most)
    except (OSError, SdAnalysisError) as error:
        return unread(path, error)


def _items(tool: str, capture: Capture, path: str) -> Iterable[Item | Table]:
    """Return what a tool's reader gives; a side log of fio says only in its name what it holds."""
    if tool == "iozone":
        return scan(capture)
    named = {"name": path} if tool == "fio" and path != STANDARD_INPUT else {}
    return parsers.reader(tool)(capture, **named)


def unread(path: str, error: OSError | SdAnalysisError) -> Log:
    """Return the log of a file that the system did not give, or that is none to read."""
    text = str(error)
    if isinstance(error, OSError):
        text = f"found {error.strerror}, expected a file to read"
    is_none = isinstance(error, BinaryError | LeftOutError)
    return Log(path, (), (no_benchmark(path, text) if is_none else Problem(1, text),))


def no_benchmark(path: str, text: str) -> Problem:
    """Return what is said of a file that holds no benchmark: an error only where it was named."""
    return Problem(1, text, "note" if isinstance(path, InFolder) else "error")


def row_of(measurement: Measurement, path: str) -> dict[str, object]:
    """Return a measurement as a row of `LOG_COLUMNS`; None is missing, remarks are one text."""
    row = {name: getattr(measurement, name) for name in LOG_COLUMNS}
    return {**row, "file": printable(path), "remarks": " ".join(measurement.remarks) or None}


@contextmanager
def without_collector() -> Iterator[None]:
    """Let Python not search for cycles: readers make none, and the search takes a sixth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
