"""Where iozone's table has its columns: by version, by its header, by the command line.

From the format strings of iozone.c and from runs of 3.308 to 3.508. Columns count from 1; an edge
is the column of a field's last character. The fields `kB` and `reclen` end at 16 and 24 always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, combinations
from math import inf
from typing import NamedTuple

from sdanalysis.parsers.iozone.commands import Options
from sdanalysis.parsers.iozone.run import Run

# The operations of each `-i` number, in the order of the columns whatever the order of the flags.
# 8 (mixed) prints nothing in this mode; 9 to 12 run with -E only.
TESTS: tuple[tuple[str, ...], ...] = (
    *(("write", "rewrite"), ("read", "reread"), ("randread", "randwrite")),
    *(("bkwd_read",), ("record_rewrite",), ("stride_read",)),
    *(("fwrite", "frewrite"), ("fread", "freread"), ()),
    *(("pwrite", "repwrite"), ("pread", "repread")),
    *(("pwritev", "repwritev"), ("preadv", "repreadv")),
)
_OPS = tuple(op for ops in TESTS for op in ops)
STANDARD = tuple(range(8))
# What the lines of throughput mode and the reports of -R call them otherwise.
_NAMES = {op: op for op in _OPS} | {
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
}
_WHO = re.compile(r"(?<=write)rs?$|(?<=read)ers?$")  # `re-readers` are who does `re-read`
FIRST = 24  # where the results begin: after 16 characters of file size and 8 of record size
_HEADER = re.compile(r"\b[kK]B\s+reclen\s+write\b.*")
_WORD = re.compile(r"\S+")
WORDS = (
    *("write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read"),
    *("fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread", "repread"),
    *("pwritev", "repwritev", "preadv", "repreadv"),
)


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


# -E: mixed prints nothing, pwritev and preadv where they were built. Since its columns are wider
# pwrite takes 9 under a header of 8 (iozone.c 3.430 and 3.487, a run of 3.489), beside it.
_EXTENDED = ((), (8, 9), (8, 9), (9, 10), (10, 9))
_EXTENDED_C = ((), (9, 9), (8, 9), (9, 10), (10, 9))
_EXTENDED_BLANKS = (0, 17, 19, 19, 19)
_NARROW = (16, 18, 16, 8, 8, 8, 18, 16, *_EXTENDED_BLANKS)
_WIDE = (18, 18, 18, 9, 10, 10, 18, 17)
_HEADER_C = _edges(9, 9, 8, 10, 8, 10, 9, 10, 10, 9, 9, 9, 9)
_FIELDS_C = ((9, 9), (9, 9), (9, 9), (9,), (10,), (10,), (9, 9), (9, 9), *_EXTENDED_C)
_WIDE_C = _WIDE + _EXTENDED_BLANKS


def _old(read: int, record: int) -> Layout:
    """Return a layout of the years before 3.304: the widths of `read` and `rewrite` varied."""
    return Layout(
        name=f"A{read}{record}",
        last=3.303,
        header=_edges(8, 8, 8, 10, 8, 8, 8, 8, 8, 9, 9, 8, 9),
        fields=((8, 8), (read, 9), (8, 8), (8,), (record,), (8,), (9, 9), (8, 9), *_EXTENDED),
        blanks=_NARROW,
        proven=False,
    )


LAYOUTS = (
    *(_old(read, record) for read in (9, 8) for record in (8, 7)),
    Layout(
        name="B",
        last=3.427,
        header=_edges(8, 8, 8, 10, 8, 8, 8, 9, 9, 9, 9, 8, 9),
        fields=((8, 8), (9, 9), (8, 8), (8,), (9,), (9,), (9, 9), (8, 9), *_EXTENDED),
        blanks=_NARROW,
    ),
    Layout(name="C1", last=3.430, header=_HEADER_C, fields=_FIELDS_C, blanks=_NARROW),
    Layout(name="C2", last=3.497, header=_HEADER_C, fields=_FIELDS_C, blanks=_WIDE_C),
    Layout(  # nobody ran -E here: its fields end with test 7
        name="D",
        last=inf,
        header=_edges(9, 11, 10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10),
        fields=((10, 10), (10, 10), (10, 10), (10,), (11,), (11,), (10, 10), (10, 10)),
        blanks=_WIDE,
    ),
)


@lru_cache(maxsize=512)
def _spans(layout: Layout, tests: tuple[int, ...]) -> tuple[Span, ...]:
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


def _matching(edges: tuple[int, ...], version: str | None) -> tuple[Layout, ...]:
    """Return the layouts whose header has these edges; the version decides between twins."""
    found = tuple(era for era in LAYOUTS if era.header[: len(edges)] == edges[:13])
    if version is None:
        return found
    last = min(era.last for era in LAYOUTS if float(version) <= era.last)
    return tuple(era for era in found if era.last == last) or found


@lru_cache(maxsize=16)
def by_edges(layouts: tuple[Layout, ...]) -> dict[tuple[int, ...], set[tuple[Span, ...]]]:
    """Return, for the edges of a row, the selections of standard tests that would print them."""
    found: dict[tuple[int, ...], set[tuple[Span, ...]]] = {}
    for layout in layouts:
        for count in range(1, len(STANDARD) + 1):
            for tests in combinations(STANDARD, count):
                row = _spans(layout, tests)
                found.setdefault(tuple(span.end for span in row), set()).add(row)
    return found


def op_named(words: str) -> str | None:
    """Return the operation that words mean: `re-readers`, `Re-reader`, `Initial write`."""
    return _NAMES.get(_WHO.sub("", words.strip().lower().replace("-", "")))


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What a header and a command line say about the rows below them.

    `margin` is what stands left of iozone's own first column (negative where blanks were lost);
    `tests` is None when no command line names them; `ops` are those of all columns that the
    header shows, or of the tests.
    """

    layouts: tuple[Layout, ...]
    margin: int
    tests: tuple[int, ...] | None
    ops: tuple[str, ...]
    full: bool

    @cached_property
    def fields(self) -> list[tuple[Span, ...]]:
        """The fields that the known tests have in each layout that the header fits."""
        if self.tests is None:
            return []
        return [row for layout in self.layouts if (row := _spans(layout, self.tests))]


def is_header(text: str) -> bool:
    """Whether a line is the second header line of iozone's table."""
    return "reclen" in text and _HEADER.search(text) is not None


def columns_of(text: str, run: Run) -> Columns | str:
    """Return what a header and the run's command line say about the rows, or what is wrong."""
    header = _header(text)
    if isinstance(header, str):
        return header
    tests = printing_tests(run.command, len(header.edges)) if run.command else None
    return _columns(header, run.version, tests)


def printing_tests(command: Options, columns: int) -> tuple[int, ...]:
    """Return the `-i` numbers of a command line that print in a table of so many columns."""
    shown = _shown(columns, "E" in command.given)
    if "A" in command.given:
        return tuple(test for test in shown if test < 2)
    chosen = command.numbers("i")
    return tuple(test for test in shown if not chosen or test in chosen)


def _shown(columns: int, extended: bool) -> tuple[int, ...]:
    """Return the tests that a table with so many result columns has room for."""
    if columns <= 4:
        return STANDARD[:2]
    if columns == 9:  # memory-mapped and asynchronous runs have no fwrite and fread
        return STANDARD[:6]
    if columns > 17:
        return (*STANDARD, 9, 10, 11, 12)
    return (*STANDARD, 9, 10) if extended or columns == 17 else STANDARD


class _Header(NamedTuple):
    """Where the names of the results end in a header behind `margin`, and whether kB reclen do."""

    margin: int
    edges: tuple[int, ...]
    in_place: bool


@lru_cache(maxsize=64)  # a folder of logs repeats a few headers
def _header(text: str) -> _Header | str:
    body = text.expandtabs(8)
    match = _HEADER.search(body)
    found = list(_WORD.finditer(match[0])) if match else []
    words = tuple(word.group() for word in found[2:])
    if match is None or words != WORDS[: len(words)]:
        return f"found the columns {' '.join(words)[:80]!r}, expected iozone's, write to freread"
    margin = match.start() + 2 - 16
    edges = tuple(match.start() + word.end() - margin for word in found[2:])
    return _Header(margin, edges, found[1].end() + 14 == FIRST)


@lru_cache(maxsize=256)
def _columns(header: _Header, version: str | None, tests: tuple[int, ...] | None) -> Columns:
    count = len(header.edges)
    of_tests = (op for test in sorted(tests or ()) for op in TESTS[test])
    return Columns(
        layouts=_matching(header.edges, version) if header.in_place else (),
        margin=header.margin,
        tests=tests,
        ops=_OPS[:count] if tests is None else tuple(of_tests),
        full=tests is None and count in (4, 9, 13, 17, 21),
    )
