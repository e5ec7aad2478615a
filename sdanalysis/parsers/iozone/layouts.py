"""Where iozone's table has its columns, by version: widths, blanks and header edges.

From the format strings of iozone.c and from runs of 3.308 to 3.508. Columns count from 1; an edge
is the column of a field's last character. The fields `kB` and `reclen` end at 16 and 24 always.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations
from typing import NamedTuple

# The operations of each `-i` number, in the order of the columns whatever the order of the flags.
# 8 (mixed) prints nothing in this mode; 9 to 12 run with -E only.
TESTS: tuple[tuple[str, ...], ...] = (
    ("write", "rewrite"),
    ("read", "reread"),
    ("randread", "randwrite"),
    ("bkwd_read",),
    ("record_rewrite",),
    ("stride_read",),
    ("fwrite", "frewrite"),
    ("fread", "freread"),
    (),
    ("pwrite", "repwrite"),
    ("pread", "repread"),
    ("pwritev", "repwritev"),
    ("preadv", "repreadv"),
)
STANDARD = tuple(range(8))
# What the lines of throughput mode and the reports of -R call them otherwise.
_NAMES = {
    "initial write": "write",
    "backward read": "bkwd_read",
    "reverse read": "bkwd_read",
    "stride read": "stride_read",
    "random read": "randread",
    "random write": "randwrite",
    "record rewrite": "record_rewrite",
    "mixed workload": "mixed",
    "pwrite write": "pwrite",
    "pread read": "pread",
    "refwrite": "frewrite",
    "refread": "freread",
} | {op: op for ops in TESTS for op in ops}
_WHO = re.compile(r"(?<=write)rs?$|(?<=read)ers?$")  # `re-readers` are who does `re-read`
FIRST = 24  # where the results begin: after 16 characters of file size and 8 of record size


class Span(NamedTuple):
    """One result's field in a row: operation and slice, from 0, of the row without its margin."""

    op: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One era: the edges of its header, and what a run and what a skipped test print.

    `fields` are the widths of each test's results, `blanks` what stands for a test that was not
    selected: their sums differ, which is why values drift away from their headers. `proven` is
    False where the widths were read from the source and not seen in runs of every version.
    """

    name: str
    last: float
    header: tuple[int, ...]
    fields: tuple[tuple[int, ...], ...]
    blanks: tuple[int, ...]
    proven: bool = True


def _edges(*widths: int) -> tuple[int, ...]:
    return tuple(accumulate(widths, initial=FIRST))[1:]


_NARROW = (16, 18, 16, 8, 8, 8, 18, 16)
_WIDE = (18, 18, 18, 9, 10, 10, 18, 17)
# -E: mixed prints nothing, pwrite and pread 8 + 9 (iozone.c 3.4xx), pwritev and preadv where built.
_EXTENDED = ((), (8, 9), (8, 9), (9, 10), (10, 9))
_EXTENDED_BLANKS = (0, 17, 19, 19, 19)
_HEADER_C = _edges(9, 9, 8, 10, 8, 10, 9, 10, 10, 9, 9, 9, 9)


def _old(read: int, record: int) -> Layout:
    """Return a layout of the years before 3.304: the widths of `read` and `rewrite` varied."""
    single = ((8,), (record,), (8,))
    return Layout(
        name=f"A{read}{record}",
        last=3.303,
        header=_edges(8, 8, 8, 10, 8, 8, 8, 8, 8, 9, 9, 8, 9),
        fields=((8, 8), (read, 9), (8, 8), *single, (9, 9), (8, 9), *_EXTENDED),
        blanks=_NARROW + _EXTENDED_BLANKS,
        proven=False,
    )


_FIELDS_C = ((9, 9), (9, 9), (9, 9), (9,), (10,), (10,), (9, 9), (9, 9), *_EXTENDED)

LAYOUTS = (
    *(_old(read, record) for read in (9, 8) for record in (8, 7)),
    Layout(
        name="B",
        last=3.427,
        header=_edges(8, 8, 8, 10, 8, 8, 8, 9, 9, 9, 9, 8, 9),
        fields=((8, 8), (9, 9), (8, 8), (8,), (9,), (9,), (9, 9), (8, 9), *_EXTENDED),
        blanks=_NARROW + _EXTENDED_BLANKS,
    ),
    Layout(
        name="C1", last=3.430, header=_HEADER_C, fields=_FIELDS_C, blanks=_NARROW + _EXTENDED_BLANKS
    ),
    Layout(
        name="C2", last=3.497, header=_HEADER_C, fields=_FIELDS_C, blanks=_WIDE + _EXTENDED_BLANKS
    ),
    Layout(  # nobody ran -E here: its fields end with test 7
        name="D",
        last=float("inf"),
        header=_edges(9, 11, 10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10),
        fields=((10, 10), (10, 10), (10, 10), (10,), (11,), (11,), (10, 10), (10, 10)),
        blanks=_WIDE,
    ),
)


@lru_cache(maxsize=512)
def spans(layout: Layout, tests: tuple[int, ...]) -> tuple[Span, ...]:
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
            found.append(Span(op=op, start=start, end=start + width))
            start += width
    return tuple(found)


def matching(edges: tuple[int, ...], version: str | None) -> tuple[Layout, ...]:
    """Return the layouts whose header has these edges; the version decides between twins."""
    found = tuple(era for era in LAYOUTS if era.header[: len(edges)] == edges[:13])
    if version is None:
        return found
    last = min(era.last for era in LAYOUTS if float(version) <= era.last)
    return tuple(era for era in found if era.last == last) or found


def subsets() -> Iterator[tuple[int, ...]]:
    """Yield every selection of the eight tests of automatic mode."""
    for size in range(1, len(STANDARD) + 1):
        yield from combinations(STANDARD, size)


@lru_cache(maxsize=16)
def by_edges(layouts: tuple[Layout, ...]) -> dict[tuple[int, ...], set[tuple[Span, ...]]]:
    """Return, for the edges of a row, the selections of tests that would print them."""
    found: dict[tuple[int, ...], set[tuple[Span, ...]]] = {}
    for layout in layouts:
        for tests in subsets():
            row = spans(layout, tests)
            found.setdefault(tuple(span.end for span in row), set()).add(row)
    return found


def ops_of(tests: Iterable[int]) -> tuple[str, ...]:
    """Return the operations of these tests in the order of the columns."""
    return tuple(op for test in sorted(tests) if test < len(TESTS) for op in TESTS[test])


def op_named(words: str) -> str | None:
    """Return the operation that words mean: `re-readers`, `Re-reader`, `Initial write`."""
    return _NAMES.get(_WHO.sub("", words.strip().lower().replace("-", "")))
