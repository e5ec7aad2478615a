"""Where iozone's table has its columns: by version, by its header, by the tests that ran.

From the format strings of iozone.c and from runs of 3.308 to 3.508. Columns count from 1; an edge
is the column of a field's last character. The fields `kB` and `reclen` end at 16 and 24 always.
Tests that were not selected leave blanks of a width that depends on the version, and is not always
the width of the values: a row is read with the widths of its era, never by the nearest header.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate, combinations
from math import inf
from typing import NamedTuple

from sdanalysis.parsers.iozone.run import Run, numbers

# The operations of each `-i` number, in the order of the columns whatever the order of the flags.
# 8 (mixed) prints nothing in this mode; 9 to 12 run with -E only.
TESTS: tuple[tuple[str, ...], ...] = (
    *(("write", "rewrite"), ("read", "reread"), ("randread", "randwrite")),
    *(("bkwd_read",), ("record_rewrite",), ("stride_read",)),
    *(("fwrite", "frewrite"), ("fread", "freread"), ()),
    *(("pwrite", "repwrite"), ("pread", "repread")),
    *(("pwritev", "repwritev"), ("preadv", "repreadv")),
)
_LAST = tuple(
    accumulate(map(len, TESTS))
)  # column of each test in a header, which may have 4 to 21
_NAMES = (
    "write rewrite read reread read write read rewrite read fwrite frewrite fread freread "
    "pwrite repwrite pread repread pwritev repwritev preadv repreadv"
)
FIRST = 24  # where the results begin: after 16 characters of file size and 8 of record size


class Span(NamedTuple):
    """One result's field in a row: operation and slice, from 0, of the row without its margin."""

    op: str
    start: int
    end: int


Fields = tuple[Span, ...]


class Layout(NamedTuple):
    """One era: the edges of its header, and what a run and what a skipped test print."""

    last: float  # version
    header: tuple[int, ...]
    fields: tuple[tuple[int, ...], ...]  # widths of the results of each test
    blanks: tuple[int, ...]  # what stands for a test that was not selected


def _edges(*widths: int) -> tuple[int, ...]:
    return tuple(accumulate(widths, initial=FIRST))


# -E: mixed prints nothing, pwritev and preadv where they were built. Since its columns are wider
# pwrite takes 9 under a header of 8 (iozone.c 3.430 and 3.487, a run of 3.489), beside it.
_EXTENDED = ((), (8, 9), (8, 9), (9, 10), (10, 9))
_NARROW = (16, 18, 16, 8, 8, 8, 18, 16, 0, 17, 19, 19, 19)
_WIDE = (18, 18, 18, 9, 10, 10, 18, 17, 0, 17, 19, 19, 19)
_HEADER_A = _edges(8, 8, 8, 10, 8, 8, 8, 8, 8, 9, 9, 8, 9)
_HEADER_B = _edges(8, 8, 8, 10, 8, 8, 8, 9, 9, 9, 9, 8, 9)
_HEADER_C = _edges(9, 9, 8, 10, 8, 10, 9, 10, 10, 9, 9, 9, 9)
_HEADER_D = _edges(9, 11, 10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10)
_FIELDS_B = ((8, 8), (9, 9), (8, 8), (8,), (9,), (9,), (9, 9), (8, 9), *_EXTENDED)
_FIELDS_C = ((9, 9), (9, 9), (9, 9), (9,), (10,), (10,), (9, 9), (9, 9), (), (9, 9), *_EXTENDED[2:])
_FIELDS_D = ((10, 10), (10, 10), (10, 10), (10,), (11,), (11,), (10, 10), (10, 10))
_FIELDS_A = [  # from the source alone: the widths of `read` and of `record rewrite` varied
    ((8, 8), (read, 9), (8, 8), (8,), (record,), (8,), (9, 9), (8, 9), *_EXTENDED)
    for read in (9, 8)
    for record in (8, 7)
]
LAYOUTS = (
    *(Layout(3.303, _HEADER_A, fields, _NARROW) for fields in _FIELDS_A),
    Layout(3.427, _HEADER_B, _FIELDS_B, _NARROW),
    Layout(3.430, _HEADER_C, _FIELDS_C, _NARROW),
    Layout(3.497, _HEADER_C, _FIELDS_C, _WIDE),
    Layout(inf, _HEADER_D, _FIELDS_D, _WIDE[:8]),  # nobody ran -E here
)


class Columns(NamedTuple):
    """What a header and a command line say about the rows below them.

    `margin` is what stands left of iozone's own first column, negative where `cut -c` took blanks;
    `whole` are the fields of a row of all tests that ran, in each layout that the header fits;
    `rows` those and the others that a row may have, by its edges. With one layout and a command
    line those are rows that end early; without a command line (not `known`) rows of fewer tests.
    """

    margin: int
    whole: tuple[Fields, ...]
    rows: Mapping[tuple[int, ...], set[Fields]]
    known: bool


def columns_of(text: str, run: Run) -> Columns | str:
    """Return what a header and the run's command line say about the rows, or what is wrong."""
    tests = None if run.options is None else tuple(numbers(run.options, "i"))
    return _columns(text[:4096], run.version, tests)


@lru_cache(maxsize=64)  # a folder of logs repeats a few
def _columns(text: str, version: str | None, tests: tuple[int, ...] | None) -> Columns | str:
    kb, *words = re.finditer(r"\S+", text)
    names = [word[0] for word in words[1:]]
    margin = kb.end() - 16
    edges = tuple(word.end() - margin for word in words)
    layouts = tuple(era for era in LAYOUTS if era.header[: len(edges)] == edges[:14])
    if names != _NAMES.split()[: len(names)] or not layouts:
        found = (
            f"found {text.strip()[:80]!r}, which is not as iozone prints the names of its columns"
        )
        return f"{found}, expected its own output, with all blanks"
    if version is not None:
        last = min(era.last for era in LAYOUTS if float(version) <= era.last)
        layouts = tuple(era for era in layouts if era.last == last) or layouts
    shown = [test for test, last in enumerate(_LAST) if last <= len(names) and TESTS[test]]
    chosen = tuple(test for test in shown if not tests or test in tests)
    whole = tuple(dict.fromkeys(row for era in layouts if (row := _spans(era, chosen))))
    possible = list(whole)
    if tests is None:
        selections = [tests for count in range(1, 9) for tests in combinations(shown[:8], count)]
        possible += [_spans(era, tests) for era in layouts for tests in selections]
    elif len(whole) == 1:
        possible += [whole[0][:count] for count in range(len(whole[0]))]
    rows: dict[tuple[int, ...], set[Fields]] = {}
    for row in possible:
        rows.setdefault(tuple(span.end for span in row), set()).add(row)
    return Columns(margin, whole, rows, tests is not None)


def _spans(layout: Layout, tests: tuple[int, ...]) -> Fields:
    """Return the fields of a row in which only these tests ran; empty when that is not known."""
    found: list[Span] = []
    start = FIRST
    for test in range(max(tests, default=-1) + 1):
        if test >= len(layout.fields):
            return ()
        if test not in tests:
            start += layout.blanks[test]
            continue
        for op, width in zip(TESTS[test], layout.fields[test], strict=True):
            found.append(Span(op, start, start + width))
            start += width
    return tuple(found)
