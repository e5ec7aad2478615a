"""One row of iozone's table -> sizes and results, by position and never by count alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from sdanalysis.codebook.measurement import LastLine, Line
from sdanalysis.parsers.iozone.layouts import FIRST, Columns, Span, by_edges

MARKS = " \t>|#*"  # what may stand left of a row: blanks, and marks of quotation
LARGEST = 16_384  # kB: the largest record that iozone writes
_MARK = re.compile(r"[>|#*]")
_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"[0-9]+")
_HEAD = re.compile(r" *[0-9]+ +[0-9]+")
_SIZES = re.compile(r"\s*([0-9]{1,16})( +)([0-9]{1,8})(?![^ ])", re.ASCII)


class Cell(NamedTuple):
    """One printed result: its operation, digits, and the column, from 1, where they begin."""

    op: str
    raw: str
    column: int


class Row(NamedTuple):
    """A row that was read: file and record size in kB, and the results in their order.

    `expected` counts the results that the tests should have printed: more than there are when
    the row was cut.
    """

    size: int
    record: int
    cells: tuple[Cell, ...]
    expected: int


def is_last(lines: Sequence[Line], place: int) -> bool:
    """Tell whether nothing follows a line, not even its line end: it may be cut."""
    return place + 1 == len(lines) and not isinstance(lines[place], LastLine)


def may_be_cut(lines: Sequence[Line], place: int) -> bool:
    """Tell whether the last number of a line may be cut: no blank follows it either."""
    return is_last(lines, place) and not lines[place].text[-1:].isspace()


def read_row(text: str, columns: Columns, *, last: bool, aligned: bool = True) -> Row | str:
    """Return the row, or in words why it is none.

    `last`: nothing follows, it may be cut. Not `aligned`: as many results as the tests print are
    a row beside iozone's columns too.
    """
    if _MARK.match(text):
        text = unmarked(text)
    body = text.expandtabs(8)
    wrong = no_number(body.split())
    quoted = columns.margin > 0 and not no_number(body[columns.margin :].split())
    if wrong and not quoted:
        return f"found {wrong[:40]!r} in a row of iozone's table, expected whole numbers"
    margin = _margin(body, columns)
    cut = last and not text[-1:].isspace()
    if margin is not None:
        row = _by_position(body, margin, columns, last=last, cut=cut)
        if row is not None:
            return _with_columns(row, text, body)
    return _by_count(text, columns, cut=cut, aligned=aligned)


def unmarked(text: str) -> str:
    """Return a line with blanks in the place of a mail's marks of quotation."""
    end = len(text) - len(text.lstrip(MARKS))
    return _MARK.sub(" ", text[:end]) + text[end:]


def row_of(found: Sequence[re.Match[str]], columns: Columns) -> Row:
    """Return the row that two sizes and the results of all tests make, wherever they stand."""
    size, record, *results = found
    cells = tuple(
        Cell(op, match[0], match.start() + 1)
        for op, match in zip(columns.ops, results, strict=True)
    )
    return Row(int(size[0]), int(record[0]), cells, expected=len(cells))


def no_number(words: Sequence[str]) -> str | None:
    """Return the first word that is no whole number."""
    together = "".join(words)
    if together.isascii() and together.isdigit():
        return None
    return next((word for word in words if not _NUMBER.fullmatch(word)), None)


def _margin(body: str, columns: Columns) -> int | None:
    """Return where the row begins: the header's place, or its own when its blanks were cut off."""
    if has_sizes(body, columns):
        return columns.margin
    match = _SIZES.match(body)
    if match is None or len(match[2]) + len(match[3]) != 8:
        return None
    return match.end(3) - FIRST


def has_sizes(body: str, columns: Columns) -> bool:
    """Whether two numbers end below the header's kB and reclen."""
    row = _shifted(body, columns.margin) if columns.layouts else ""
    head = row[:FIRST]
    if len(head) < FIRST or head[15] == " " or not _HEAD.fullmatch(head):
        return False
    # the blanks that the header lost are not those of every row: `128  16` begins where `64  4` did
    return columns.margin >= 0 or (head[16] == " " and not row[FIRST : FIRST + 1].strip())


def _shifted(body: str, margin: int) -> str:
    """Return the row as iozone printed it: without a margin, with the blanks that it lost."""
    return body[margin:] if margin >= 0 else " " * -margin + body


def _by_position(
    body: str, margin: int, columns: Columns, *, last: bool, cut: bool
) -> Row | str | None:
    """Return the row when its edges are those of a layout; None when they are of none."""
    row = _shifted(body, margin).rstrip()
    ends = tuple(match.end() for match in _TOKEN.finditer(row, FIRST))
    candidates = columns.fields
    fitting = [fields for fields in candidates if _fits(row, fields)]
    if not fitting:
        if candidates and not _may_be_cut(ends, candidates):
            part = _partial(row, candidates, margin)
            if part is not None:
                return part
        known = by_edges(columns.layouts)
        fitting = sorted(fields for fields in known.get(ends, ()) if _fits(row, fields))
        if candidates and fitting:
            ops, expected = ", ".join(_ops(fitting[0])), ", ".join(columns.ops)
            found = f"found results in the columns of {ops}"
            return f"{found}, expected {expected} as the command line says"
        candidates = list(chain.from_iterable(known.values())) if last else []
    if not fitting:
        return None
    cells = {_row(row, fields, margin, 0).cells for fields in fitting}
    rivals = [*fitting, *(rival for rival in candidates if last and _begins_so(rival, ends))]
    if len(cells) > 1 or len({_ops(rival[: len(ends)]) for rival in rivals}) > 1:
        return (
            "found results that versions of iozone print for different tests or numbers, "
            "expected the version or the command line above the table"
        )
    if cut and _may_be_cut(ends, candidates):
        return _cut_off(body)
    return _row(row, fitting[0], margin, len(fitting[0]))


def _cut_off(body: str) -> str:
    return (
        f"found a row that ends with the file after {body.rsplit(maxsplit=1)[-1][:40]!r}, "
        "which may be cut, expected a whole row"
    )


def _fits(row: str, fields: tuple[Span, ...]) -> bool:
    """Whether digits stand right-aligned in every field and nowhere else."""
    if fields and len(row) != fields[-1].end:
        return False
    place = FIRST
    for span in fields:
        digits = row[span.start : span.end].lstrip(" ")
        if not (digits.isascii() and digits.isdigit()) or row[place : span.start].strip(" "):
            return False
        place = span.end
    return not row[place:]


def _begins_so(fields: tuple[Span, ...], ends: tuple[int, ...]) -> bool:
    """Whether the first of these fields have these edges."""
    return tuple(span.end for span in fields[: len(ends)]) == ends


def _ops(fields: tuple[Span, ...]) -> tuple[str, ...]:
    return tuple(span.op for span in fields)


def _may_be_cut(ends: tuple[int, ...], candidates: Iterable[tuple[Span, ...]]) -> bool:
    """Whether a longer last number, cut off, would leave a row with just these edges."""
    count = len(ends)
    return any(
        _begins_so(fields, ends[:-1]) and fields[count - 1].start < ends[-1] < fields[count - 1].end
        for fields in candidates
        if len(fields) >= count > 0
    )


def _partial(row: str, known: Iterable[tuple[Span, ...]], margin: int) -> Row | None:
    """Return a row that ends early, when every layout agrees on the results it has."""
    found = {
        _row(row, fields[:count], margin, len(fields))
        for fields in known
        for count in range(len(fields))
        if _fits(row, fields[:count])
    }
    return found.pop() if len(found) == 1 else None


def _row(row: str, fields: Iterable[Span], margin: int, expected: int) -> Row:
    cells = []
    for span in fields:
        raw = row[span.start : span.end].lstrip(" ")
        cells.append(Cell(op=span.op, raw=raw, column=span.end - len(raw) + 1 + margin))
    size, record = row[:16].rsplit(maxsplit=1)[-1], row[16:FIRST].rsplit(maxsplit=1)[-1]
    return Row(int(size), int(record), tuple(cells), expected)


def _with_columns(row: Row | str, text: str, body: str) -> Row | str:
    """Give the cells of a row with tabs the columns of the text as it was printed."""
    if isinstance(row, str) or text == body or not row.cells:
        return row
    found = list(_TOKEN.finditer(text))[-len(row.cells) :]
    if [match.group() for match in found] != [cell.raw for cell in row.cells]:
        return "found results that touch in a row with tabs, expected blanks"
    pairs = zip(row.cells, found, strict=True)
    return row._replace(cells=tuple(cell._replace(column=at.start() + 1) for cell, at in pairs))


def _by_count(text: str, columns: Columns, *, cut: bool, aligned: bool) -> Row | str:
    """Return a row whose blanks were lost, where the tests are known and their number agrees."""
    found = list(_TOKEN.finditer(text))
    results = found[2:]
    if len(results) != len(columns.ops) or not (columns.full or columns.tests is not None):
        if cut:
            return _cut_off(text)
        return (
            f"found {len(results)} results at columns of no known layout, expected "
            f"{len(columns.ops)}" + ("" if columns.tests else ", or a command line with its -i")
        )
    if aligned and not _blanks_lost(text, columns):
        return "found results that stand beside iozone's columns, expected them right-aligned"
    words = [match.group() for match in found]
    if max(map(len, words)) > 18 or no_number(words):
        return "found more than a number in a row of iozone's table, expected whole numbers"
    return _cut_off(text) if cut else row_of(found, columns)


def _blanks_lost(text: str, columns: Columns) -> bool:
    """Whether positions say nothing: no layout fits, or tabs and single blanks are all there is."""
    fitting = columns.layouts and (columns.fields or columns.tests is None)
    if not fitting or not all(layout.proven for layout in columns.layouts):
        return True
    return "\t" in text or "  " not in text.strip()
