"""iozone's table in automatic mode -> rows, and rows -> measurements.

Rows of plain numbers go many at once, in a form that costs little; `expand` makes of them what is
made of any row one by one: the tests prove it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, counted, unit_of
from sdanalysis.parsers.iozone.figures import Table, figures_of, of_cell, scaled
from sdanalysis.parsers.iozone.flat import flat_rows, headed
from sdanalysis.parsers.iozone.joined import joined, unbroken, unwrapped, wrapped_header
from sdanalysis.parsers.iozone.labels import labelled, plausible, read_labelled, said
from sdanalysis.parsers.iozone.layouts import FIRST, Columns, Span, columns_of
from sdanalysis.parsers.iozone.row import MARKS, Row, has_sizes, is_last, read_row
from sdanalysis.parsers.iozone.run import (
    DEFAULT_UNIT,
    Run,
    ends_table,
    is_complaint,
    was_ended,
    word_on,
)

_CANDIDATE = re.compile(
    r"[-+]?(?:[0-9]|nan\b|inf\b)[^ \t]*\s+[-+]?(?:[0-9]|nan|inf)[^ \t]*(?:\s|$)"
)
_SIZED = re.compile(r"[\s>|#*]*(?P<size>[0-9]{1,12})\s+(?P<record>[0-9]{1,9})\s+[0-9]")
_START = re.compile(r"[-+]?[0-9][^ \t]*\s+\S")
# What somebody wrote behind a row: `(opt disabled)`, `# second run`, `<- ext4`
_REMARK = re.compile(r"(?<=[0-9])\s{1,40}(?P<remark>(?:\(|#|//|<[-=]|[-=]>)[^\n]{0,80}\S)\s{0,40}$")
_LONGEST = 4096  # characters of a row with whatever a logger puts before it
_BETWEEN = 4  # lines of other words between two rows: iozone's own advice has as many


@dataclass(frozen=True, kw_only=True)
class PlainRows:
    """Rows of one table that are whole, and that share everything but line, sizes and numbers.

    Behind `margin` characters every line holds the file size and the record size in kB and then
    a number for each of `ops`: plain digits between blanks, right-aligned at the columns `ends`
    (from 1, the margin included). `factor` makes base units of the numbers, each of which was cut
    to an integer. `shared` are the other fields of their measurements.
    """

    shared: Mapping[str, Any]
    ops: tuple[str, ...]
    ends: tuple[int, ...]
    margin: int
    factor: float
    lines: Sequence[Line]

    def holds(self, number: int) -> bool:
        """Tell whether a line is one of the rows."""
        return self.lines[0].number <= number <= self.lines[-1].number


def table_at(tables: Sequence[PlainRows], number: int) -> PlainRows | None:
    """Return which of some tables, in the order of a log, holds a line."""
    place = bisect_right(tables, number, key=lambda table: table.lines[0].number)
    return tables[place - 1] if place and tables[place - 1].holds(number) else None


def _plain_rows(
    lines: Sequence[Line], place: int, columns: Columns, shared: dict[str, Any], factor: float
) -> PlainRows | None:
    """Return the rows from `place` on that are whole without a doubt, None when there are none.

    The last line of a file may be cut and a zero means something else: they are no such rows.
    """
    if len(columns.fields) != 1 or not -14 < columns.margin < 200:
        return None
    (fields,) = columns.fields
    fullmatch = _pattern(fields, columns.margin).fullmatch
    skip, count = max(columns.margin, 0), len(fields) + 2
    end = place
    while end < len(lines) - 1:
        text = lines[end].text
        if fullmatch(text) is None or " 0" in text or not text.isascii():
            break
        words = text[skip:].split()
        if len(words) != count or not "".join(words).isdigit():
            break
        end += 1
    if end == place:
        return None
    return PlainRows(
        shared=shared,
        ops=tuple(span.op for span in fields),
        ends=tuple(span.end + columns.margin for span in fields),
        margin=skip,
        factor=factor,
        lines=lines[place:end],
    )


@lru_cache(maxsize=64)
def _pattern(fields: tuple[Span, ...], margin: int) -> re.Pattern[str]:
    """Return what the edges of a whole row look like: a digit, and a blank behind it.

    With as many words as edges, each word ends at its edge. Nine digits at most, so that a number
    too large for any device goes the slow way.
    """
    parts = ["." * max(margin, 0), f".{{{15 + min(margin, 0)}}}[0-9] .{{6}}[0-9]"]
    place = FIRST
    for span in fields:
        blanks = max(span.start - place + span.end - span.start - 9, 1)
        parts.append(" " * blanks + f".{{{span.end - place - blanks - 1}}}[0-9]")
        place = span.end
    return re.compile("".join([*parts, " *"]))


def expand(rows: PlainRows) -> Iterator[Measurement]:
    """Yield the measurements of rows in their lean form."""
    same = Measurement(line=0, column=0, op="", raw="", **rows.shared)
    for number, text in rows.lines:
        size, record, *numbers = text[rows.margin :].split()
        of_row = number, int(size) * KIB, int(record) * KIB
        for op, end, raw in zip(rows.ops, rows.ends, numbers, strict=True):
            yield of_cell(same, *of_row, op, raw, end - len(raw) + 1, *scaled(raw, rows.factor))


def read_table(
    lines: Sequence[Line], index: int, run: Run
) -> Generator[Item | PlainRows, None, int]:
    """Yield what stands below the header at `index`; return the index of the line after it."""
    header = lines[index]
    flat = headed(header.text)
    names, more = (flat["names"], 0) if flat else wrapped_header(lines, index)
    if run.prompted and not run.results:
        yield from _without_command_of_another(lines, index + 1 + more, run)
    columns = _columns_at(names, lines, index + 1 + more, run)
    if isinstance(columns, str):
        yield run.refuse(header.number, columns)
        return index + 1
    printed = run.unit or DEFAULT_UNIT
    unit = unit_of("iozone", printed)
    steps = (f"x {unit.factor:,.12g}: {unit.why}",)
    shared = {"metric": unit.metric, "raw_unit": printed, "steps": steps, **run.of_one_process()}
    table = Table(run, columns, unit, shared, {}, wrapped=more > 0)
    before = run.results
    if flat:
        yield from _flat_rows(header, flat, table, last=is_last(lines, index))
        place = index + 1
    else:
        place = yield from _rows(lines, index + 1 + more, table)
    if table.labels:
        yield said(table.labels)
    says_why = place < len(lines) and is_complaint(lines[place].text)
    if run.results == before and not run.refused and not says_why:
        text = "found the header of iozone's table and no row below it, expected rows of numbers"
        yield run.refuse(header.number, text)
    elif run.unit is None and run.results > before:
        text = "no line says the unit of this table: read as iozone's default, kB/s"
        yield Problem(line=header.number, text=text, kind="note")
    return place


def _without_command_of_another(lines: Sequence[Line], place: int, run: Run) -> Iterator[Problem]:
    """Forget the command above a table whose first row has sizes that it does not give."""
    for line in lines[place : place + 3]:
        if found := _SIZED.match(line.text[:_LONGEST]):
            size, record = int(found["size"]), int(found["record"])
            if not run.has_sizes(size, record):
                text = f"found a row of {size} kB in records of {record} kB, which the command"
                text = f"{text} above (line {run.line}) does not give: it is not taken for its own"
                run.forget()
                yield Problem(line.number, text, "note")
            return


def _columns_at(names: str, lines: Sequence[Line], place: int, run: Run) -> Columns | str:
    """Return the columns of a table, whose command is forgotten where its first row is of another.

    That is of one that a sentence told: at a prompt such rows are refused.
    """
    columns = columns_of(names, run)
    if not run.in_prose or run.command is None or isinstance(columns, str):
        return columns
    line = next((one for one in lines[place : place + 3] if is_sized(one.text)), None)
    row = read_row(line.text[:_LONGEST], columns, last=False) if line else ""
    if isinstance(row, Row) and len(row.cells) == row.expected:
        return columns
    run.command = None
    return columns_of(names, run)


def is_sized(text: str) -> bool:
    """Tell whether a line begins as a row: with two sizes and a number."""
    return _SIZED.match(text[:_LONGEST]) is not None


def _flat_rows(line: Line, flat: re.Match[str], table: Table, *, last: bool) -> Iterator[Item]:
    """Yield what the rows hold that stand behind the names of the columns."""
    for row in flat_rows(flat, table.columns, table.run.command, last=last):
        if isinstance(row, str):
            yield table.run.refuse(line.number, row)
        else:
            yield from figures_of(row, line.number, table, "measured")


def _rows(
    lines: Sequence[Line], place: int, table: Table
) -> Generator[Item | PlainRows, None, int]:
    """Yield what the rows from `place` on hold; return the index of the line after the last."""
    columns, run = table.columns, table.run
    while place < len(lines):
        rows = _plain_rows(lines, place, columns, table.shared, table.unit.factor)
        if rows:
            run.results += len(rows.lines)
            place += len(rows.lines)
            yield rows
        elif _is_labelled(lines, place, columns):
            yield from _labelled_row(lines, place, table)
            place += 1
        elif _is_row(lines, place, columns):
            place = yield from _any_row(lines, place, table)
        elif (following := _next_row(lines, place, table)) is not None:
            yield from filter(None, (word_on(line, run) for line in lines[place:following]))
            place = following
        else:
            break
    return place


def _is_labelled(lines: Sequence[Line], place: int, columns: Columns) -> bool:
    """Whether a line is a row with words in front: below a blank line, only a whole row is."""
    found = labelled(lines[place].text[:_LONGEST], columns)
    if found is None:
        return False
    if _behind_margin(lines[place - 1].text, columns):
        return True
    return isinstance(read_labelled(found, columns, last=is_last(lines, place)), Row)


def _labelled_row(lines: Sequence[Line], place: int, table: Table) -> Iterator[Item]:
    """Yield the results of a row with words in front: a label's rows are a run of their own."""
    line = lines[place]
    if len(line.text) > _LONGEST:
        yield _too_long(line, table.run)
        return
    found = labelled(line.text, table.columns)
    if found is None:
        return
    row = read_labelled(found, table.columns, last=is_last(lines, place))
    if isinstance(row, str):
        yield table.run.refuse(line.number, row)
        return
    first = table.labels.setdefault(found.label, line.number)
    shared = {**table.shared, "run": f"{first}-iozone"}
    yield from figures_of(row, line.number, table._replace(shared=shared), "measured")


def _next_row(lines: Sequence[Line], place: int, table: Table) -> int | None:
    """Return where the table goes on behind a few lines of other words; None where it ends.

    A row there is whole, or stands below the sizes; other numbers are words.
    """
    columns, others = table.columns, 0
    for index in range(place, len(lines)):
        text = lines[index].text[:_LONGEST]
        if ends_table(text) or others > _BETWEEN:
            return None
        if _goes_on(text, columns, last=is_last(lines, index)):
            return index
        others += bool(_behind_margin(text, columns))
    return None


def _goes_on(text: str, columns: Columns, *, last: bool) -> bool:
    """Whether a line behind others is a row of the table, with words in front or without."""
    if _CANDIDATE.match(_behind_margin(text, columns)):
        row = read_row(text, columns, last=last)
        whole = isinstance(row, Row) and len(row.cells) == row.expected and plausible(row)
        return whole or has_sizes(text, columns)
    found = labelled(text, columns)
    return found is not None and isinstance(read_labelled(found, columns, last=last), Row)


def _is_row(lines: Sequence[Line], place: int, columns: Columns) -> bool:
    """Whether a line below the header is blank or a row: behind a blank one, two numbers."""
    bare = _behind_margin(lines[place].text[: 400 + max(columns.margin, 0)], columns)
    if not bare or _CANDIDATE.match(bare):
        return True
    return bool(_START.match(bare) and _behind_margin(lines[place - 1].text, columns))


def _behind_margin(text: str, columns: Columns) -> str:
    """Return a line without its blanks and marks of quotation, or what a logger put before it."""
    if columns.margin > 0 and text[: columns.margin].strip(MARKS):
        return text[columns.margin :].strip()
    return text.strip(MARKS)


def _any_row(lines: Sequence[Line], place: int, table: Table) -> Generator[Item, None, int]:
    """Yield the measurements of a row that is not plain; return the index of the next line."""
    line = lines[place]
    if not _behind_margin(line.text, table.columns):
        return place + 1
    if len(line.text) > _LONGEST:
        yield _too_long(line, table.run)
        return place + 1
    after = (yield from _joined_row(lines, place, table)) if table.wrapped else None
    return (yield from _single_row(lines, place, table)) if after is None else after


def _single_row(lines: Sequence[Line], place: int, table: Table) -> Generator[Item, None, int]:
    """Yield the measurements of a row of one line, or of parts; return where the next one is."""
    line, last = lines[place], is_last(lines, place)
    text = unbroken(line.text.replace("^C", "  "))  # what a terminal shows of the key
    row, remark = _with_remark(text, table.columns, last=last)
    if isinstance(row, str):
        yield table.run.refuse(line.number, row)
        return place + 1
    if remark:
        text = f"found {remark!r} behind a row, for which there is no column"
        yield Problem(line=line.number, text=text, kind="note")
    if len(row.cells) == row.expected:
        yield from figures_of(row, line.number, table, "measured")
        return place + 1
    after = yield from _joined_row(lines, place, table)
    if after is not None:
        return after
    status, why = _why_partial(lines, place)
    found = counted(len(row.cells), "result")
    text = f"found {found} in a row that {why}, expected {row.expected}"
    yield table.run.refuse(line.number, text)
    if not last:
        yield from figures_of(row, line.number, table, status)
    return place + 1


def _with_remark(text: str, columns: Columns, *, last: bool) -> tuple[Row | str, str]:
    """Return a row, and the words that somebody wrote behind all the results that it must have."""
    row = read_row(text, columns, last=last)
    if isinstance(row, str) and (match := _REMARK.search(text)):
        before = read_row(text[: match.start()], columns, last=False)
        if isinstance(before, Row) and len(before.cells) == before.expected:
            return before, match["remark"]
    return row, ""


def _too_long(line: Line, run: Run) -> Problem:
    text = f"found a line of {len(line.text)} characters, expected a row of iozone's table"
    return run.refuse(line.number, text)


def _joined_row(
    lines: Sequence[Line], place: int, table: Table
) -> Generator[Item, None, int | None]:
    """Yield the results of a row that messages or mail broke up, if its parts make a whole row."""
    if table.wrapped:
        parts = unwrapped(lines, place, len(table.columns.ops))
    else:
        parts = joined(lines, place) if table.columns.margin <= 0 else None
    if parts is None:
        return None
    row = read_row(parts.text, table.columns, last=is_last(lines, parts.places[-1]))
    if isinstance(row, str) or len(row.cells) < row.expected:
        return None
    for cell in row.cells:
        number, column = parts.at(cell.column)
        number = lines[number].number
        moved = row._replace(cells=(cell._replace(column=column),))
        yield from figures_of(moved, number, table, "measured")
    return parts.places[-1] + 1


def _why_partial(lines: Sequence[Line], place: int) -> tuple[str, str]:
    """Return the status of a row that ends early, and why, from the lines that follow it."""
    for line in lines[place : place + 4]:
        if was_ended(line.text):
            return "interrupted", "was interrupted"
        if re.search(r"\b(?:Error|Can not|error)\b", line.text):
            return "error", f"ends with {line.text.strip()[:80]!r}"
    return "partial", "ends early"
