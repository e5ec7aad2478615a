"""iozone's table in automatic mode: `kB  reclen  write  rewrite ...` and rows of whole numbers.

Rows are read by position (`layouts`). Those of plain numbers stay together as a `Table`, which
costs a tenth; any other row is a `Table` for each status of its numbers. `expand` makes of one the
measurements.

A zero under `-+n` or `-+E` was not measured (iozone.c 3.471:8176, 9640), one under `-N` is less
than a microsecond, any other is refused. A row that ends early keeps its whole results.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.codebook.units import KIB, Unit, counted, unit_of
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.iozone.layouts import FIRST, Columns, Fields, columns_of
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, TIMES, Run, numbers, why_ended

_SIZES = (("", 0, 16), ("", 16, FIRST))  # the fields of a row below kB and reclen
_NUMBERS = re.compile(  # a row in other columns, behind a label or not
    r"\s*+[0-9]\S{0,40}\s+[-+]?(?:[0-9]|nan|inf)"
    r"|.{0,99}\s[0-9]{1,12}\s+[0-9]{1,9}(?:\s+[0-9]{3,12}){2,21}\s*$"
)
_DIGITS = re.compile(r"0|[1-9][0-9]{0,8}")  # no device reaches ten
_ENDS = ("Iozone:", "Command line", "Excel", "iozone", "exiting", "kB", "KB", "Children see")
_RETESTS = {"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"}
_LONGEST = 4096  # characters of a row
_BETWEEN = 4  # foreign lines between two rows
_CHUNK = 4096  # rows that are looked at together, which the processor's cache holds
# a zero, any other digit, a blank or line end, what else
_SHAPE = bytes.maketrans(bytes(range(256)), b"x" * 10 + b" " + b"x" * 21 + b" " + b"x" * 223)
_SHAPE = _SHAPE[:48] + b"0" + b"1" * 9 + _SHAPE[58:]


class Table(NamedTuple):
    """Whole rows below one another that share everything but line, sizes and numbers.

    `text` has `rows` lines, from line `first` on: the file size and the record size in kB and a
    number for each of `ops`, which was cut to an integer of `unit` and ends at one of `ends`.
    `shared` are the fields of the measurements from `tool` on.
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

    @property
    def layout(self) -> tuple[object, ...]:
        """What tables have in common whose numbers can be read together."""
        return self.ops, self.ends, self.stat, self.printed, self.unit


def expand(table: Table) -> Iterator[Measurement]:
    """Yield the measurements of a table."""
    _, _, _, ops, ends, stat, printed, unit, shared = table
    metric = unit.metric
    tool, version, script, _, _, *others = shared
    for number, text in enumerate(table.text.splitlines(), table.first):
        size, record, *figures = text.split()
        sizes = int(record) * KIB, int(size) * KIB
        same = (unit, tool, version, script, *sizes, *others)
        for op, end, raw in zip(ops, ends, figures, strict=True):
            value, high = unit.of(float(raw)), unit.of(float(raw) + 1)
            place = (number, end - len(raw) + 1, op, metric, stat)
            yield Measurement(*place, raw, printed, value, value, high, *same)


def read_table(capture: Capture, index: int, run: Run) -> Generator[Problem | Table, None, int]:
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
) -> Generator[Problem | Table, None, int]:
    """Yield what the rows from `place` on hold; return the index of the line that ends them."""
    lines, after, others = capture.lines, place, 0
    stop = len(lines) - (not capture.is_whole)  # the last line of a file may be cut
    while place < len(lines) and others <= _BETWEEN:
        text = lines[place][:_LONGEST].replace("^C", "  ")  # what a terminal shows of the key
        text = " " * -columns.margin + text
        if not _NUMBERS.match(text):
            if text.lstrip().startswith(_ENDS) or why_ended(lines[place : place + 1]):
                break
            others += bool(text.strip())
            place += 1
            continue
        fields, count = _fields_of(text, columns, is_cut=place == stop), 1
        if isinstance(fields, str):
            yield run.refuse(place + 1, fields)
        elif (table := _plain_rows(capture, place, fields, columns, empty)).rows:
            count = table.rows
            run.results += count
            yield table
        else:
            below = lines[place : place + 4]
            row = empty._replace(first=place + 1, rows=1)
            yield from _odd_row(text, fields, columns, run, row, below)
        place = after = place + count
        others = 0
    return after


def _fields_of(text: str, columns: Columns, *, is_cut: bool) -> Fields | str:
    """Return the fields of a row whose edges are those of a layout, or in words why it is none."""
    # Numbers that touch are cut by the widths of a whole row. A cut row of unknown tests may be one
    # of more tests, and of several widths nobody knows which number is cut.
    words = text.split()
    if wrong := next((word for word in words if not (word.isascii() and word.isdigit())), None):
        return f"found {wrong[:40]!r} in a row of iozone's table, expected whole numbers"
    row = text[max(columns.margin, 0) :].rstrip()
    edges = [match.end() for match in re.compile(r"\S+").finditer(row, FIRST)]
    every = columns.whole + columns.others
    possible = [fields for fields in every if [end for *_, end in fields] == edges] or columns.whole
    if is_cut:
        possible = columns.whole if len(columns.whole) == 1 else ()
    found = [fields for fields in possible if _fits(row, fields)]
    if len(found) == 1:
        raws = [row[start:end].lstrip() for _, start, end in (*_SIZES, *found[0])]
        wrong = next((raw for raw in raws if not _DIGITS.fullmatch(raw)), "0" * ("0" in raws[:2]))
        expected = "expected sizes above zero and numbers that a device reaches"
        return f"found {wrong} in a row of iozone's table, {expected}" if wrong else found[0]
    if is_cut:
        last = f"found a row that ends with the file after {words[-1][:40]!r}"
        return f"{last}, which may be cut, expected a whole row"
    results = counted(max(len(words) - 2, 0), "result")
    expected = "expected iozone's own output, with all its blanks and its command line"
    return f"found {results} not in the columns of the tests that ran, {expected}"


def _fits(row: str, fields: Fields) -> bool:
    place = 0
    for _, start, end in (*_SIZES, *fields):
        if row[place:start].strip() or not row[start:end].lstrip().isdigit():
            return False
        place = end
    return len(row) == place


def _plain_rows(
    capture: Capture, place: int, fields: Fields, columns: Columns, empty: Table
) -> Table:
    """Return the lines from `place` on that are rows of all tests, of plain numbers: no zeros."""
    if columns.known and len(fields) < len(columns.whole[0]):
        return empty
    lines, first, count, found = capture.lines, place, 1, list[str]()
    length, stop = len(lines[place]), len(lines) - (not capture.is_whole)
    digits, blanks = _places(fields, columns.margin)
    while part := lines[place : min(place + count, stop)]:
        text = "\n".join([*part, ""])
        if len(text) != len(part) * (length + 1) or text[length :: length + 1].strip("\n"):
            part = [*takewhile(lambda line: len(line) == length, part)]
            text = "\n".join([*part, ""])
        if not part or not _are_plain(text, len(part), digits, blanks):
            break
        found.append(text)
        place += len(part)
        count = min(count * 16, _CHUNK)
    ops = tuple(op for op, *_ in fields)
    ends, rows = tuple(end + columns.margin for *_, end in fields), place - first
    return empty._replace(first=first + 1, rows=rows, text="".join(found), ops=ops, ends=ends)


def _are_plain(text: str, count: int, digits: Sequence[int], blanks: Sequence[int]) -> bool:
    """Tell whether lines of a length have plain numbers at the edges of a row, and no others."""
    # All lines together cost a tenth: a step of their length takes the same column of each.
    if not text.isascii():
        return False
    shape, step = text.encode("ascii").translate(_SHAPE), len(text) // count
    return (
        b"x" not in shape
        and shape.count(b" 1") == count * len(digits)
        and b" 0" not in shape
        and all(b" " not in shape[place::step] for place in digits)
        and all(shape[place::step] == b" " * count for place in blanks)
    )


@lru_cache(maxsize=64)
def _places(fields: Fields, margin: int) -> tuple[list[int], list[int]]:
    """Return where each row has a digit, and where a blank: behind that, and before each field."""
    # Nine digits at most, as no device reaches more.
    spans = (*_SIZES, *fields)
    digits = [end - 1 + margin for *_, end in spans]
    starts = {max(start, end - 10, -margin) + margin for _, start, end in spans}
    return digits, sorted(starts | {place + 1 for place in digits})


def _odd_row(
    text: str, fields: Fields, columns: Columns, run: Run, row: Table, lines: Sequence[str]
) -> Iterator[Problem | Table]:
    """Yield the numbers of one status together, and what is to be said; `lines` from it on."""
    status, text, expected = "measured", text[max(columns.margin, 0) :], len(columns.whole[0])
    if columns.known and len(fields) < expected:
        status = why_ended(lines) or "partial"
        found = f"found {counted(len(fields), 'result')} in a row that ends early ({status})"
        yield run.refuse(row.first, f"{found}, expected {expected}")

    def status_of(field: tuple[str, int, int]) -> str:
        """Under 1 us is an upper bound and no value, in a row that ends early too."""
        is_zero = text[field[1] : field[2]].lstrip() == "0"
        return status if not is_zero else "below_resolution" * (row.unit.metric == "latency")

    zeros: list[str] = []
    for own, group in groupby(fields, status_of):
        ops, starts, ends = zip(*group, strict=True)
        if not own:
            zeros += ops
            continue
        slices = [(0, FIRST), *zip(starts, ends, strict=True)]
        numbers = " ".join(text[start:end] for start, end in slices)
        shared = (*row.shared[:-2], own, row.shared[-1])
        ends = tuple(end + columns.margin for end in ends)
        run.results += 1
        yield row._replace(text=f" {numbers}\n", ops=ops, ends=ends, shared=shared)
    if zeros:
        yield _of_zeros(zeros, row.first, run)


def _of_zeros(ops: Sequence[str], number: int, run: Run) -> Problem:
    """Return a note on zeros that stand for tests not run, an error on any other."""
    found = f"0 under {', '.join(ops)}"
    if _RETESTS.issuperset(ops) and not run.retested:
        return Problem(number, f"{found} means not measured: the run has no retests (-+n)", "note")
    if run.options and "+E" in run.options and ops == ["randwrite"]:
        return Problem(number, f"{found} means not measured: the run does not write (-+E)", "note")
    return run.refuse(number, f"found {found}, expected a number above zero")
