"""iozone's table in automatic mode: `kB  reclen  write  rewrite ...` and rows of whole numbers.

Rows are read by position (`layouts`). Whole rows of plain numbers stay together as a `Table`,
which costs a tenth; `expand` makes of it the measurements that any other row gives one by one.

What is not a number stays none: a zero under `-+n` or `-+E` was not measured (iozone.c 3.471:8176,
9640), a zero under `-N` is less than a microsecond, any other zero is refused. A row that ends
early keeps its whole results with the status `error`, `interrupted` or `partial`, if its line end
is there. Foreign lines between rows (a kernel's) end no table; a header without a row is an error.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import KIB, Unit, counted, figure, unit_of
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.iozone.layouts import FIRST, Columns, Fields, by_edges, columns_of
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, TIMES, Run, why_ended

_CANDIDATE = re.compile(r"\s*+[-+]?(?:[0-9]|nan\b)\S{0,40}\s+[-+]?(?:[0-9]|nan|inf)")
_SIZES = re.compile(r"(?=.{15}[0-9] .{6}[0-9]) *[0-9]{1,12} +[0-9]{1,7}")
_LABELLED = re.compile(r".{0,99}\s[0-9]{1,12}\s+[0-9]{1,9}(?:\s+[0-9]{3,12}){2,21}\s*$")
_ENDS = ("Iozone:", "Command line", "Excel", "iozone", "exiting", "kB", "KB", "Children see")
_MESSAGE = "Allocate buffer"  # libasync's, of -H in some builds, which end with a line end
_RETESTS = frozenset({"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"})
_LONGEST = 4096  # characters of a row
_BETWEEN = 4  # foreign lines between two rows
_CHUNK = 256  # lines that are looked at together, at first
_SHAPE = bytes.maketrans(bytes(range(256)), b"x" * 10 + b" " + b"x" * 21 + b" " + b"x" * 223)
_SHAPE = _SHAPE[:48] + b"1" * 10 + _SHAPE[58:]  # of a digit, a blank or line end, anything else


class Table(NamedTuple):
    """Whole rows below one another that share everything but line, sizes and numbers.

    `text` has `rows` lines, from line `first` on: the file size and the record size in kB and a
    number for each of `ops`, plain digits between blanks that end at the columns `ends`. Every
    number was cut to an integer of `unit`. `shared` are the fields of the measurements from `tool`
    on, whose sizes are the rows'.
    """

    first: int
    rows: int
    text: str
    ops: tuple[str, ...]
    ends: tuple[int, ...]
    stat: str
    printed: str
    unit: Unit
    shared: tuple[Any, ...]


class Row(NamedTuple):
    """A row: file and record size in kB, and its cells: operation, digits, column from 1.

    `expected` counts the results that the tests should have printed.
    """

    size: int
    record: int
    cells: tuple[tuple[str, str, int], ...]
    expected: int


def expand(table: Table) -> Iterator[Measurement]:
    """Yield the measurements of a table."""
    _, _, _, ops, ends, stat, printed, unit, shared = table
    metric, factor = unit.metric, unit.factor
    parts = round(1 / factor)  # a division keeps 7 us at 7e-06
    tool, version, script, _, _, *others = shared
    for number, text in enumerate(table.text.split("\n"), table.first):
        size, record, *figures = text.split()
        sizes = int(record) * KIB, int(size) * KIB
        same = (unit, tool, version, script, *sizes, *others)
        for op, end, raw in zip(ops, ends, figures, strict=True):
            digits = int(raw)
            value = digits * float(factor) if factor >= 1 else digits / parts
            high = (digits + 1) * float(factor) if factor >= 1 else (digits + 1) / parts
            place = (number, end - len(raw) + 1, op, metric, stat)
            yield Measurement(*place, raw, printed, value, value, high, *same)


def read_table(capture: Capture, index: int, run: Run) -> Generator[Item | Table, None, int]:
    """Yield what stands below the header at `index`; return the index of the line after it."""
    lines, before = capture.lines, run.results
    run.is_over = True
    columns = columns_of(lines[index], run)
    if isinstance(columns, str):
        yield run.refuse(index + 1, columns)
        return index + 1
    printed = run.unit or DEFAULT_UNIT
    fields = columns.fields[0] if columns.known and len(columns.fields) == 1 else ()
    ends = tuple(span.end + columns.margin for span in fields)
    stat, unit = "mean" if printed == TIMES else "single", unit_of("iozone", printed)
    ops, shared = tuple(span.op for span in fields), run.shared(None, None)
    empty = Table(0, 0, "", ops, ends, stat, printed, unit, shared)
    place = yield from _rows(capture, index + 1, run, columns, empty)
    if run.results == before and not run.refused and not why_ended(lines[place : place + 1]):
        text = "found the header of iozone's table and no row below it, expected rows of numbers"
        yield run.refuse(index + 1, text)
    elif run.unit is None and run.results > before:
        text = "no line says the unit of this table: read as iozone's default, kB/s"
        yield Problem(index + 1, text, "note")
    return place


def _rows(
    capture: Capture, place: int, run: Run, columns: Columns, empty: Table
) -> Generator[Item | Table, None, int]:
    """Yield what the rows from `place` on hold; return the index of the line that ends them."""
    after, others = place, 0
    while place < len(capture.lines) and others <= _BETWEEN:
        text = capture.lines[place][: _LONGEST + 1]
        if table := _table_at(capture, place, columns, empty):
            run.results += table.rows
            yield table
            place = after = place + table.rows
            others = 0
        elif text.lstrip().startswith(_ENDS) or why_ended([text]):
            break
        elif _CANDIDATE.match(text) and (not others or _has_sizes(text, columns)):
            row, last = _row_at(capture, place, columns)
            status = yield from _status(row, capture, place, run)
            if status and isinstance(row, Row):
                rest = (last + 1, len(text) - max(columns.margin, 0))
                places = [(place + 1, 0)] + ([rest] if last > place else [])
                yield from _figures(row, places, run, empty, status)
            place = after = last + 1
            others = 0
        else:
            if _LABELLED.match(text):
                found = (
                    f"found {text.strip()[:80]!r} in iozone's table, expected rows of numbers alone"
                )
                yield run.refuse(place + 1, found)
            others += bool(text.strip())
            place += 1
    return after


def _table_at(capture: Capture, place: int, columns: Columns, empty: Table) -> Table | None:
    """Return the whole rows of one length from `place` on; None when there are none.

    The last line of a file may be cut and a zero means something else: they are no such rows.
    """
    stop = len(capture.lines) - (not capture.is_whole)
    width, end, chunk = len(capture.lines[place]), place, _CHUNK
    while empty.ops and end < stop:
        lines = most = capture.lines[end : min(end + chunk, stop)]
        if set(map(len, most)) != {width}:
            lines = list(takewhile(lambda text: len(text) == width, most))
        count = _plain(lines, columns)
        end, chunk = end + count, 2048  # which the processor's cache holds
        if count < len(most):
            break
    text = "\n".join(capture.lines[place:end])
    return empty._replace(first=place + 1, rows=end - place, text=text) if text else None


def _plain(lines: Sequence[str], columns: Columns) -> int:
    """Return how many lines of one length, from the first on, are whole rows."""
    if not lines or _are_plain(lines, columns):
        return len(lines)
    half = len(lines) // 2
    count = _plain(lines[:half], columns)
    return half + _plain(lines[half:], columns) if half and count == half else count


def _are_plain(lines: Sequence[str], columns: Columns) -> bool:
    """Tell whether lines have plain numbers at the edges of a whole row, and no others.

    All lines together cost a tenth: a step of their length takes the same column of each.
    """
    text, count, step = "\n".join([*lines, ""]), len(lines), len(lines[0]) + 1
    digits, blanks = _places(columns.fields[0], columns.margin)
    if step <= digits[-1] or not text.isascii() or " 0" in text:
        return False
    shape = text.encode("ascii").translate(_SHAPE)
    return (
        b"x" not in shape
        and shape.count(b" 1") == count * len(digits)
        and all(shape[place::step] == b"1" * count for place in digits)
        and all(shape[place::step] == b" " * count for place in blanks)
    )


@lru_cache(maxsize=64)
def _places(fields: Fields, margin: int) -> tuple[list[int], list[int]]:
    """Return where each row has a digit, and where a blank: behind that, and before each field.

    Nine digits at most: a number too large for any device is looked at alone.
    """
    spans = [(0, 16), (16, FIRST), *((span.start, span.end) for span in fields)]
    digits = [end - 1 + margin for _, end in spans]
    starts = {max(start, end - 10, -margin) + margin for start, end in spans}
    return digits, sorted(starts | {place + 1 for place in digits})


def _row_at(capture: Capture, place: int, columns: Columns) -> tuple[Row | str, int]:
    """Return the row at a line, or in words why it is none, and where it ends: below messages."""
    lines, last = capture.lines, place + 1
    is_cut = last == len(lines) and not capture.is_whole
    row = _read_row(lines[place], columns, is_cut=is_cut)
    if not is_cut and isinstance(row, Row) and len(row.cells) < row.expected:
        while last < len(lines) - 1 and lines[last].strip()[:15] in ("", _MESSAGE):
            last += 1
        if last > place + 1:
            rest = lines[last][max(columns.margin, 0) :]
            whole = _read_row(lines[place] + rest, columns, is_cut=False)
            if isinstance(whole, Row) and len(whole.cells) == whole.expected:
                return whole, last
    return row, place


def _read_row(text: str, columns: Columns, *, is_cut: bool) -> Row | str:
    """Return the row whose edges are those of a layout, or in words why it is none.

    Of a cut row of unknown tests the edges may be those of a run of fewer tests.
    """
    if len(text) > _LONGEST:
        return f"found a line of {len(text)} characters, expected a row of iozone's table"
    row = _shifted(text.replace("^C", "  "), columns).rstrip()  # what a terminal shows of the key
    words = row.split()
    wrong = next((word for word in words if not re.fullmatch("[0-9]+", word)), None)
    if wrong:
        return f"found {wrong[:40]!r} in a row of iozone's table, expected whole numbers"
    fields = [(part, len(part)) for part in columns.fields]
    if columns.known:  # or a row that ends early
        fields = [(part[:end], size) for part, size in fields for end in range(size + 1)]
    elif not is_cut:
        edges = tuple(match.end() for match in re.compile(r"\S+").finditer(row, FIRST))
        fields += [(part, len(part)) for part in by_edges(columns.layouts).get(edges, ())]
    is_row = _has_sizes(text, columns)
    found = {_row(row, part, columns, size) for part, size in fields if is_row and _fits(row, part)}
    if len(found) == 1:
        return found.pop()
    if is_cut:
        last = f"found a row that ends with the file after {words[-1][:40]!r}"
        return f"{last}, which may be cut, expected a whole row"
    return (
        f"found {counted(max(len(words) - 2, 0), 'result')} not in the columns of the tests that "
        "ran, expected iozone's own output, with all its blanks and its command line"
    )


def _shifted(text: str, columns: Columns) -> str:
    """Return the row as iozone printed it: without a margin, with the blanks that it lost."""
    return text[columns.margin :] if columns.margin >= 0 else " " * -columns.margin + text


def _has_sizes(text: str, columns: Columns) -> bool:
    """Whether two numbers end below the header's kB and reclen.

    The blanks that a header lost are not those of each row: `128  16` begins where `64  4` did.
    """
    row = _shifted(text, columns)[: FIRST + 1]
    is_clear = columns.margin >= 0 or not row[FIRST:].strip()
    return is_clear and _SIZES.fullmatch(row[:FIRST]) is not None


def _fits(row: str, fields: Fields) -> bool:
    """Whether digits stand right-aligned in every field and nowhere else."""
    place = FIRST
    for span in fields:
        if row[place : span.start].strip() or not row[span.start : span.end].lstrip().isdigit():
            return False
        place = span.end
    return len(row) == place


def _row(row: str, fields: Fields, columns: Columns, expected: int) -> Row:
    raws = [(span.op, row[span.start : span.end].lstrip(), span.end) for span in fields]
    cells = tuple((op, raw, end - len(raw) + 1 + columns.margin) for op, raw, end in raws)
    return Row(int(row[:16]), int(row[16:FIRST]), cells, expected)


def _status(
    row: Row | str, capture: Capture, place: int, run: Run
) -> Generator[Problem, None, str]:
    """Return the status of the results of a row, empty for none; yield what is wrong with it."""
    if isinstance(row, str):
        yield run.refuse(place + 1, row)
        return ""
    if len(row.cells) == row.expected:
        return "measured"
    status = why_ended(capture.lines[place : place + 4]) or "partial"
    found = f"found {counted(len(row.cells), 'result')} in a row that ends early ({status})"
    yield run.refuse(place + 1, f"{found}, expected {row.expected}")
    return status if place + 1 < len(capture.lines) or capture.is_whole else ""


def _figures(
    row: Row, places: Sequence[tuple[int, int]], run: Run, empty: Table, status: str
) -> Iterator[Item]:
    """Yield the measurements of a row, and what is to be said about its zeros.

    `places` are the numbers of its lines, with what stands before them in the row.
    """
    tool, version, script, _, _, *others = empty.shared
    sizes = row.record * KIB or None, row.size * KIB  # a record of 0 where a file sets it (-V)
    zeros = []
    for op, raw, column in row.cells:
        line, before = max(place for place in places if place[1] < column)
        if not int(raw) and empty.unit.metric != "latency":
            zeros.append(op)
            continue
        try:
            reading = figure("iozone", raw, empty.printed)
        except SdAnalysisError as error:
            yield run.refuse(line, str(error))
            continue
        run.results += 1
        # under 1 us: an upper bound and no value, in a row that ends early too
        others[-2] = status if int(raw) else "below_resolution"
        cell: tuple[Any, ...] = (line, column - before, op, empty.unit.metric, empty.stat, *reading)
        cell += (tool, version, script, *sizes, *others)
        yield Measurement(*cell)
    if zeros:
        yield _of_zeros(", ".join(zeros), places[0][0], run)


def _of_zeros(ops: str, number: int, run: Run) -> Problem:
    """Return a note on zeros that stand for tests not run, an error on any other."""
    why = ""
    if _RETESTS.issuperset(ops.split(", ")) and not run.retested:
        why = "the run has no retests (-+n)"
    elif run.options and "+E" in run.options and ops == "randwrite":
        why = "the run does not write (-+E)"
    if why:
        return Problem(number, f"0 under {ops} means not measured: {why}", "note")
    return run.refuse(number, f"found 0 under {ops}, expected a number above zero")
