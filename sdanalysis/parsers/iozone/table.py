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
from sdanalysis.parsers.iozone.layouts import FIRST, Columns, Fields, columns_of
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, TIMES, Run, numbers, why_ended

_SIZES = re.compile(r"(?=.{15}[0-9] .{6}[0-9]) *[0-9]{1,12} +[0-9]{1,7}")
_NUMBERS = re.compile(r"\s*+[0-9]\S{0,40}\s+[-+]?(?:[0-9]|nan|inf)")  # a row in other columns
_LABELLED = re.compile(r".{0,99}\s[0-9]{1,12}\s+[0-9]{1,9}(?:\s+[0-9]{3,12}){2,21}\s*$")
_ENDS = ("Iozone:", "Command line", "Excel", "iozone", "exiting", "kB", "KB", "Children see")
_MESSAGE = "Allocate buffer"  # libasync's, of -H in some builds, which end with a line end
_RETESTS = {"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"}
_LONGEST = 4096  # characters of a row
_BETWEEN = 4  # foreign lines between two rows
_CHUNK = 4096  # rows that are looked at together, which the processor's cache holds
_SHAPE = bytes.maketrans(bytes(range(256)), b"x" * 10 + b" " + b"x" * 21 + b" " + b"x" * 223)
_SHAPE = _SHAPE[:48] + b"1" * 10 + _SHAPE[58:]  # of a digit, a blank or line end, what else


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
    """A row: file and record size in kB, its fields, and their digits; fewer than `expected`?"""

    size: int
    record: int
    fields: Fields
    raws: tuple[str, ...]
    expected: int


def expand(table: Table) -> Iterator[Measurement]:
    """Yield the measurements of a table."""
    _, _, _, ops, ends, stat, printed, unit, shared = table
    metric, factor = unit.metric, unit.factor
    parts = round(1 / factor)  # a division keeps 7 us at 7e-06
    tool, version, script, _, _, *others = shared
    for number, text in enumerate(table.text.splitlines(), table.first):
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
    tests = None if run.options is None else tuple(numbers(run.options, "i"))
    columns = columns_of(lines[index][:_LONGEST], run.version, tests)
    if isinstance(columns, str):
        yield run.refuse(index + 1, columns)
        return index + 1
    printed = run.unit or DEFAULT_UNIT
    stat, unit = "mean" if printed == TIMES else "single", unit_of("iozone", printed)
    empty = Table(0, 0, "", (), (), stat, printed, unit, run.shared())
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
    lines, after, others = capture.lines, place, 0
    while place < len(lines) and others <= _BETWEEN:
        text = lines[place][: _LONGEST + 1]
        if not _is_row(text, columns, others):
            if text.lstrip().startswith(_ENDS) or why_ended([text]):
                break
            others += bool(text.strip())
            place += 1
            continue
        row, last = _row_at(capture, place, columns)
        if isinstance(row, str):
            yield run.refuse(place + 1, row)
        elif last == place and (rows := _plain_rows(capture, place, row, columns.margin)):
            ops, _, ends = zip(*row.fields, strict=True)
            ends = tuple(end + columns.margin for end in ends)
            count = rows.count("\n")
            yield empty._replace(first=place + 1, rows=count, text=rows, ops=ops, ends=ends)
            run.results += count
            last += count - 1
        else:
            yield from _figures(row, capture, (place, last), run, columns.margin, empty)
        place = after = last + 1
        others = 0
    return after


def _is_row(text: str, columns: Columns, others: int) -> bool:
    """Whether a line is meant for a row, as many foreign lines below one."""
    is_row = _shifted(text, columns.margin) or _LABELLED.match(text)
    return bool(is_row or (not others and _NUMBERS.match(text)))


def _shifted(text: str, margin: int) -> str:
    """Return the row as iozone printed it: without a margin, with the blanks that it lost.

    Empty where no two numbers end below the header's kB and reclen. The blanks that a header lost
    are not those of each row: `128  16` begins where `64  4` did.
    """
    row = text[margin:] if margin >= 0 else " " * -margin + text
    is_row = _SIZES.fullmatch(row[:FIRST]) and (margin >= 0 or not row[FIRST : FIRST + 1].strip())
    return row if is_row else ""


def _row_at(capture: Capture, place: int, columns: Columns) -> tuple[Row | str, int]:
    """Return the row at a line, or in words why it is none, and where it ends: below messages."""
    lines, last = capture.lines, place + 1
    is_cut = last == len(lines) and not capture.is_whole
    row = _read_row(lines[place], columns, is_cut=is_cut)
    if isinstance(row, Row) and len(row.raws) < row.expected:
        while last < len(lines) - 1 and lines[last].strip()[:15] in ("", _MESSAGE):
            last += 1
        if place + 1 < last < len(lines):
            rest = lines[last][max(columns.margin, 0) :]
            whole = _read_row(lines[place] + rest, columns, is_cut=False)
            if isinstance(whole, Row) and len(whole.raws) == whole.expected:
                return whole, last
    return row, place


def _read_row(text: str, columns: Columns, *, is_cut: bool) -> Row | str:
    """Return the row whose edges are those of a layout, or in words why it is none.

    Numbers that touch are cut by the widths of a whole row. A cut row of unknown tests may be one
    of more tests, and of several widths nobody knows which number is cut.
    """
    if len(text) > _LONGEST:
        return f"found a line of {len(text)} characters, expected a row of iozone's table"
    text = text.replace("^C", "  ").rstrip()  # what a terminal shows of the key
    words = text.split()
    wrong = next((word for word in words if not (word.isascii() and word.isdigit())), None)
    if wrong:
        return f"found {wrong[:40]!r} in a row of iozone's table, expected whole numbers"
    row = _shifted(text, columns.margin)
    edges = tuple(match.end() for match in re.compile(r"\S+").finditer(row, FIRST))
    possible = columns.rows.get(edges, columns.whole)
    if is_cut:
        possible = columns.whole if len(columns.whole) == 1 else ()
    found = [fields for fields in possible if _fits(row, fields)]
    if len(found) == 1:
        raws = tuple(row[start:end].lstrip() for _, start, end in found[0])
        expected = len(columns.whole[0] if columns.known else raws)
        return Row(int(row[:16]), int(row[16:FIRST]), found[0], raws, expected)
    if is_cut:
        last = f"found a row that ends with the file after {words[-1][:40]!r}"
        return f"{last}, which may be cut, expected a whole row"
    return (
        f"found {counted(max(len(words) - 2, 0), 'result')} not in the columns of the tests that "
        "ran, expected iozone's own output, with all its blanks and its command line"
    )


def _fits(row: str, fields: Fields) -> bool:
    """Whether digits stand right-aligned in every field and nowhere else."""
    place = FIRST
    for _, start, end in fields:
        if row[place:start].strip() or not row[start:end].lstrip().isdigit():
            return False
        place = end
    return len(row) == place


def _plain_rows(capture: Capture, place: int, row: Row, margin: int) -> str:
    """Return the lines from `place` on that are whole rows of plain numbers as the one there is.

    The last line of a file may be cut and a zero means something else: they are no such rows.
    """
    lines, found = capture.lines, []
    stop = len(lines) - (not capture.is_whole)
    is_plain = len(row.raws) == row.expected and all(0 < int(raw) < 10**9 for raw in row.raws)
    length, count, most = len(lines[place]), _CHUNK // 16 if is_plain else 0, _CHUNK
    while count and (part := lines[place : min(place + count, stop)]):
        if {*map(len, part)} != {length}:
            part = [*takewhile(lambda text: len(text) == length, part)]
        text = "\n".join([*part, ""])
        if part and _are_plain(text, len(part), *_places(row.fields, margin)):
            found.append(text)
            place += len(part)
            count = min(count * 16, most)
        else:
            count = most = len(part) // 4
    return "".join(found)


def _are_plain(text: str, count: int, digits: Sequence[int], blanks: Sequence[int]) -> bool:
    """Tell whether lines of a length have plain numbers at the edges of a row, and no others.

    All lines together cost a tenth: a step of their length takes the same column of each.
    """
    if not text.isascii():
        return False
    code, step = text.encode("ascii"), len(text) // count
    shape = code.translate(_SHAPE)
    return (
        b"x" not in shape
        and shape.count(b" 1") == count * len(digits)
        and all(shape[place::step] == b"1" * count for place in digits)
        and all(shape[place::step] == b" " * count for place in blanks)
        and not any(_begins_with_zero(code, step, place) for place in digits)
    )


def _begins_with_zero(code: bytes, step: int, place: int) -> bool:
    """Tell whether a number that ends at a column is 0: a search in all text takes five times."""
    pairs = bytearray(2 * len(code) // step)
    pairs[::2], pairs[1::2] = code[place - 1 :: step], code[place::step]
    return b" 0" in pairs


@lru_cache(maxsize=64)
def _places(fields: Fields, margin: int) -> tuple[list[int], list[int]]:
    """Return where each row has a digit, and where a blank: behind that, and before each field.

    Nine digits at most: a number too large for any device is looked at alone.
    """
    spans = [(0, 16), (16, FIRST), *((start, end) for _, start, end in fields)]
    digits = [end - 1 + margin for _, end in spans]
    starts = {max(start, end - 10, -margin) + margin for start, end in spans}
    return digits, sorted(starts | {place + 1 for place in digits})


def _figures(
    row: Row, capture: Capture, places: tuple[int, int], run: Run, margin: int, empty: Table
) -> Iterator[Item]:
    """Yield the measurements of a row, and what is to be said about it.

    `places` are the indices of its first and last line.
    """
    (first, last), status = places, "measured"
    if len(row.raws) < row.expected:
        status = why_ended(capture.lines[first : first + 4]) or "partial"
        text = f"found {counted(len(row.raws), 'result')} in a row that ends early ({status})"
        yield run.refuse(first + 1, f"{text}, expected {row.expected}")
    broken = len(capture.lines[first])  # the column where a message came
    tool, version, script, _, _, *others = empty.shared
    sizes = row.record * KIB or None, row.size * KIB  # a record of 0 where a file sets it (-V)
    zeros = []
    for (op, _, end), raw in zip(row.fields, row.raws, strict=True):
        line, column = first + 1, end - len(raw) + 1 + margin
        if last > first and column > broken:
            line, column = last + 1, column - broken + max(margin, 0)
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
        cell: tuple[Any, ...] = (line, column, op, empty.unit.metric, empty.stat, *reading)
        cell += (tool, version, script, *sizes, *others)
        yield Measurement(*cell)
    if zeros:
        yield _of_zeros(zeros, first + 1, run)


def _of_zeros(ops: Sequence[str], number: int, run: Run) -> Problem:
    """Return a note on zeros that stand for tests not run, an error on any other."""
    found = f"0 under {', '.join(ops)}"
    if _RETESTS.issuperset(ops) and not run.retested:
        return Problem(number, f"{found} means not measured: the run has no retests (-+n)", "note")
    if run.options and "+E" in run.options and ops == ["randwrite"]:
        return Problem(number, f"{found} means not measured: the run does not write (-+E)", "note")
    return run.refuse(number, f"found {found}, expected a number above zero")
