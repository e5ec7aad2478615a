"""One log -> its measurements in a form that costs little, for a command that reads many.

Long tables of iozone stay whole: a cell becomes a measurement when it is asked for, and can be
forgotten again. fio's small JSON files are read where their figures stand.
"""

import gc
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement, with_values
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import read, session
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.read import Log
from sdanalysis.logs.unclaimed import without_rows
from sdanalysis.parsers import PARSERS, Parser, markup

if TYPE_CHECKING:  # a log of another tool has no use for it
    from sdanalysis.parsers.iozone import PlainRows

_JSON = b'{\n  "fio version"'
_LONG_TABLE = 200  # rows: from here on a table that stays together costs less


class Lean(NamedTuple):
    """A log whose long tables stay together, in the order of their lines; no row holds the path."""

    log: Log
    tables: Sequence["PlainRows"] = ()

    def measurements(self) -> Iterator[Measurement]:
        """Yield every measurement in the order of the lines, those of the tables as they come."""
        for found, table in self.parts():
            yield from found
            if table:
                from sdanalysis.parsers.iozone import expand

                yield from expand(table)

    def parts(self) -> Iterator[tuple[Sequence[Measurement], "PlainRows | None"]]:
        """Yield the measurements before each table, with it; last, those behind them all."""
        found, place = self.log.measurements, 0
        for table in self.tables:
            first = table.lines[0].number
            stop = bisect_left(found, first, lo=place, key=attrgetter("line"))
            yield found[place:stop], table
            place = stop
        yield found[place:], None


def read_log(path: str, most: int = MOST_BYTES) -> Lean:
    """Read one file (or `-`, standard input) as `read.read_log` does, and say the same of it."""
    try:
        content = read.read_bytes(path, most)
        if content.startswith(_JSON) and (found := _plain_json(content)):
            return Lean(Log(path, found, ()))
        lines = read.lines_of(content, most)
    except (OSError, SdAnalysisError) as error:
        return Lean(read.unread(path, error))
    return parse_lines(path, lines, with_notes=True)


def _plain_json(content: bytes) -> tuple[Measurement, ...]:
    """Return the measurements of sound JSON as fio lays it out, none of other content."""
    from sdanalysis.parsers.fio import bulk

    return of_fio(bulk.rows(content) or ())


def of_fio(rows: Iterable[tuple]) -> tuple[Measurement, ...]:
    """Return rows of `fio.job.FIELDS` as measurements."""
    from sdanalysis.parsers.fio.job import FIELDS

    blank = Measurement(line=0, column=0, tool="fio", op="", metric="", raw=None)
    of_row = with_values(*FIELDS)
    return tuple([of_row(blank, *row) for row in rows])


def parse_lines(path: str, lines: Sequence[Line], *, with_notes: bool = False) -> Lean:
    """Return what lines hold, long tables of iozone whole; notes on lines that nobody claims."""
    tables: list[PlainRows] = []
    plain = markup.undone(lines)
    readers: dict[str, Parser] = dict(PARSERS)
    if not plain.places:  # columns for rows together would be those without the marks
        readers["iozone"] = partial(_keep_tables, tables)
    found, problems = read.items(path, plain, readers)
    if tables and (_is_repeated(found, tables) or session.has_word(path, plain)):
        return Lean(read.parse_lines(path, lines))
    if with_notes:
        problems = read.with_notes(path, plain, [*found, *_first_rows(tables)], problems)
    elif not found and not tables and not problems:
        problems = read.nothing_read(path, plain, without_rows(plain, found, problems))
    return Lean(Log(path, tuple(found), tuple(problems)), tables)


def _first_rows(tables: Iterable["PlainRows"]) -> Iterator[Measurement]:
    for table in tables:
        from sdanalysis.parsers.iozone import expand

        yield from islice(expand(table), 1)


def _keep_tables(tables: list["PlainRows"], lines: Sequence[Line]) -> Iterator[Item]:
    from sdanalysis.parsers import iozone

    for item in iozone.scan(lines):
        if not isinstance(item, iozone.PlainRows):
            yield item
        elif item.lines[-1].number - item.lines[0].number + 1 < _LONG_TABLE:
            yield from iozone.expand(item)
        else:
            tables.append(item)


def _is_repeated(found: Iterable[Measurement], tables: Sequence["PlainRows"]) -> bool:
    """Tell whether two tools claim a line, or a summary may repeat what stands in a table."""
    from sdanalysis.parsers.iozone import table_at

    return any(item.script or table_at(tables, item.line) for item in found)


@contextmanager
def without_collector() -> Iterator[None]:
    """Let Python not search for cycles: parsers make none, and the search takes a sixth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
