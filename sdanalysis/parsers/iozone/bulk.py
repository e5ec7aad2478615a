"""Rows of plain numbers in iozone's table, many at once, in a form that costs little.

`expand` makes of them what `table` makes of any row; the tests prove it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sdanalysis.codebook.measurement import Line, Measurement
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.iozone.header import Columns
from sdanalysis.parsers.iozone.layouts import FIRST, Span


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


def plain_rows(
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


def scaled(digits: int, factor: float) -> float:
    """Return a whole number in base units; a division keeps 7 us at 7e-06 exactly."""
    return float(digits * factor) if factor >= 1 else digits / round(1 / factor)


def expand(rows: PlainRows) -> Iterator[Measurement]:
    """Yield the measurements of rows in their lean form."""
    factor = rows.factor
    for line in rows.lines:
        size, record, *numbers = line.text[rows.margin :].split()
        same = {"block_size": int(record) * KIB, "file_size": int(size) * KIB, **rows.shared}
        for op, end, raw in zip(rows.ops, rows.ends, numbers, strict=True):
            digits = int(raw)
            value = scaled(digits, factor)
            yield Measurement(
                line=line.number,
                column=end - len(raw) + 1,
                op=op,
                raw=raw,
                value=value,
                value_low=value,
                value_high=scaled(digits + 1, factor),
                **same,
            )
