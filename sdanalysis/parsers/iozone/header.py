"""The header of iozone's table -> what it says about the rows below it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from sdanalysis.parsers.iozone.layouts import (
    FIRST,
    STANDARD,
    TESTS,
    Layout,
    Span,
    by_edges,
    matching,
    ops_of,
    spans,
)
from sdanalysis.parsers.iozone.run import Options, Run

_HEADER = re.compile(r"\b[kK]B\s+reclen\s+write\b.*")
_WORD = re.compile(r"\S+")
_WORDS = (
    *("write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read"),
    *("fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread", "repread"),
    *("pwritev", "repwritev", "preadv", "repreadv"),
)


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
        return [row for layout in self.layouts if (row := spans(layout, self.tests))]

    @cached_property
    def known(self) -> Mapping[tuple[int, ...], Set[tuple[Span, ...]]]:
        """The fields of every selection of tests in these layouts, by their edges."""
        return by_edges(self.layouts)


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
    if match is None or words != _WORDS[: len(words)]:
        return f"found the columns {' '.join(words)[:80]!r}, expected iozone's, write to freread"
    margin = match.start() + 2 - 16
    edges = tuple(match.start() + word.end() - margin for word in found[2:])
    return _Header(margin, edges, found[1].end() + 14 == FIRST)


@lru_cache(maxsize=256)
def _columns(header: _Header, version: str | None, tests: tuple[int, ...] | None) -> Columns:
    count = len(header.edges)
    every = tuple(op for ops in TESTS for op in ops)
    return Columns(
        layouts=matching(header.edges, version) if header.in_place else (),
        margin=header.margin,
        tests=tests,
        ops=every[:count] if tests is None else ops_of(tests),
        full=tests is None and count in (4, 9, 13, 17, 21),
    )
