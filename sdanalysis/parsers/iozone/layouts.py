"""Where iozone's table has its columns: by version, by its header, by the tests that ran.

From the format strings of iozone.c and from runs of 3.308 to 3.508. Columns count from 1; an edge
is the column of a field's last character. The fields `kB` and `reclen` end at 16 and 24 always.
Tests that were not selected leave blanks of a width that depends on the version, and is not always
the width of the values: a row is read with the widths of its era, never by the nearest header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations
from typing import NamedTuple

# The operations of each `-i` number, in the order of the columns whatever the order of the flags.
# 8 (mixed) prints nothing in this mode; 9 to 12 run with -E only.
TESTS: tuple[tuple[str, ...], ...] = (
    *(("write", "rewrite"), ("read", "reread"), ("randread", "randwrite")),
    *(("bkwd_read",), ("record_rewrite",), ("stride_read",)),
    *(("fwrite", "frewrite"), ("fread", "freread"), ()),
    *(("pwrite", "repwrite"), ("pread", "repread")),
    *(("pwritev", "repwritev"), ("preadv", "repreadv")),
)
_LAST = (*accumulate(map(len, TESTS)),)  # column of each test in a header, which may have 4 to 21
_NAMES = (
    "write rewrite read reread read write read rewrite read fwrite frewrite fread freread "
    "pwrite repwrite pread repread pwritev repwritev preadv repreadv"
)
FIRST = 24  # where the results begin: after 16 characters of file size and 8 of record size


Fields = tuple[tuple[str, int, int], ...]  # results of a row: operation and slice, from 0


class Layout(NamedTuple):
    """One era, up to a version: the edges of its header, what a run and a skipped test print."""

    last: float
    header: tuple[int, ...]
    fields: Sequence[Sequence[int]]  # widths of the results of each test
    blanks: Sequence[int]  # what stands for a test that was not selected


# Last version, widths in the header after `reclen`, widths of the results of each test. In the
# first era, known from the source alone, those of `read` and of `record rewrite` varied; of the
# last nobody ran -E. Mixed prints nothing; since its columns are wider, pwrite takes 9 under a
# header of 8 (iozone.c 3.430 and 3.487, a run of 3.489), beside it.
_ERAS = """\
3.303 | 8 8 8 10 8 8 8 8 8 9 9 8 9    | 8+8 9+9 8+8 8 8 8 9+9 8+9 - 8+9 8+9 9+10 10+9
3.303 | 8 8 8 10 8 8 8 8 8 9 9 8 9    | 8+8 9+9 8+8 8 7 8 9+9 8+9 - 8+9 8+9 9+10 10+9
3.303 | 8 8 8 10 8 8 8 8 8 9 9 8 9    | 8+8 8+9 8+8 8 8 8 9+9 8+9 - 8+9 8+9 9+10 10+9
3.303 | 8 8 8 10 8 8 8 8 8 9 9 8 9    | 8+8 8+9 8+8 8 7 8 9+9 8+9 - 8+9 8+9 9+10 10+9
3.427 | 8 8 8 10 8 8 8 9 9 9 9 8 9    | 8+8 9+9 8+8 8 9 9 9+9 8+9 - 8+9 8+9 9+10 10+9
3.430 | 9 9 8 10 8 10 9 10 10 9 9 9 9 | 9+9 9+9 9+9 9 10 10 9+9 9+9 - 9+9 8+9 9+10 10+9
3.497 | 9 9 8 10 8 10 9 10 10 9 9 9 9 | 9+9 9+9 9+9 9 10 10 9+9 9+9 - 9+9 8+9 9+10 10+9
inf   | 9 11 10 10 10 10 10 11 11 10 10 10 10 | 10+10 10+10 10+10 10 11 11 10+10 10+10
"""
_BLANKS = (16, 18, 16, 8, 8, 8, 18, 16, 0, 17, 19, 19, 19)  # up to 3.430
_WIDE = (18, 18, 18, 9, 10, 10, 18, 17, 0, 17, 19, 19, 19)


def _layout(last: str, header: str, fields: str) -> Layout:
    edges = accumulate(map(int, header.split()), initial=FIRST)
    widths = [[int(width) for width in re.findall("[0-9]+", test)] for test in fields.split()]
    return Layout(float(last), tuple(edges), widths, _BLANKS if float(last) <= 3.43 else _WIDE)


LAYOUTS = tuple(_layout(*line.split("|")) for line in _ERAS.splitlines())


class Columns(NamedTuple):
    """What a header and a command line say about the rows below them.

    `margin` is what stands left of iozone's own first column, negative where `cut -c` took blanks;
    `whole` are the fields of a row of all tests that ran, in each layout that the header fits;
    `others` those that may be besides: of a row that ends early, if there is one layout, and where
    no command line is `known`, of a row of any tests.
    """

    margin: int
    whole: tuple[Fields, ...]
    others: tuple[Fields, ...]
    known: bool


@lru_cache(maxsize=64)  # a folder of logs repeats a few
def columns_of(text: str, version: str | None, tests: tuple[int, ...] | None) -> Columns | str:
    """Return what a header and the numbers behind `-i` say of the rows, or what is wrong."""
    kb, *words = re.finditer(r"\S+", text)
    names = [word[0] for word in words[1:]]
    margin = kb.end() - 16
    edges = tuple(word.end() - margin for word in words)
    layouts = tuple(era for era in LAYOUTS if era.header[: len(edges)] == edges[:14])
    if names != _NAMES.split()[: len(names)] or not layouts:
        found = f"found {text.strip()[:80]!r}, which is not as iozone prints the names of its"
        return f"{found} columns, expected its own output, with all blanks"
    if version is not None:
        last = min(era.last for era in LAYOUTS if float(version) <= era.last)
        layouts = tuple(era for era in layouts if era.last == last) or layouts
    printed = [test for test, last in enumerate(_LAST) if last <= len(names) and TESTS[test]]
    run = [test for test in printed if not tests or test in tests]
    whole = tuple(dict.fromkeys(row for era in layouts if (row := _fields(era, run))))
    others: list[Fields] = []
    if tests is None:
        common = printed[:8]
        counts = range(1, len(common) + 1)
        selections = [some for count in counts for some in combinations(common, count)]
        others = [_fields(era, some) for era in layouts for some in selections]
    elif len(whole) == 1:
        others = [whole[0][:count] for count in range(len(whole[0]))]
    others = [row for row in dict.fromkeys(others) if row not in whole]
    return Columns(margin, whole, tuple(others), tests is not None)


def _fields(layout: Layout, tests: Sequence[int]) -> Fields:
    """Return the fields of a row in which only these tests ran; empty when that is not known."""
    found: list[tuple[str, int, int]] = []
    start = FIRST
    for test in range(max(tests, default=-1) + 1):
        if test >= len(layout.fields):
            return ()
        if test not in tests:
            start += layout.blanks[test]
            continue
        for op, width in zip(TESTS[test], layout.fields[test], strict=True):
            found.append((op, start, start + width))
            start += width
    return tuple(found)
