"""fio's percentiles of latency, in every format that has them -> one row a percentile.

Each belongs to a figure that `parse` reads in the same place: so the same report counts, with the
same conditions, and what `parse` leaves out (a repeat in another format) is left out here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import LIMITS
from sdanalysis.parsers.fio.escaped import unfolded
from sdanalysis.parsers.fio.job import factor_of
from sdanalysis.parsers.fio.json_objects import Document, documents, places, used
from sdanalysis.parsers.fio.options import DIRECTIONS

_DIRECTION = re.compile(r"\b(read|write|trim|mixed) ?: *(?:IOPS=|io=)")
_TITLE = re.compile(r"(?:^|[\s>])(slat|clat|lat|sync) percentiles \((nsec|usec|msec|sec)\):\s*$")
_LIST = re.compile(r"^[\s>]*(?:<[^<>\s]+>\s*)?\|")
_ITEM = re.compile(r"(\d{1,3}\.\d{1,8})th=\[ *(\d{1,18})\](,?)", re.ASCII)
_PAIR = re.compile(r'"(\d{1,3}\.\d{1,8})"\s*:\s*(\d{1,18})\b', re.ASCII)
_IN_TERSE = re.compile(r"(?:;\d{1,3}(?:\.\d{1,8})?%=\d{1,18}){20}(?=;)", re.ASCII)
_TERSE_ITEM = re.compile(r"(\d{1,3}(?:\.\d{1,8})?)%=(\d{1,18})", re.ASCII)
KINDS = {
    "slat_ns": "ns", "clat_ns": "ns", "lat_ns": "ns", "slat": "us", "clat": "us", "lat": "us"
}  # fmt: skip


_OF_NO_FIGURE = "a report whose figures are not counted (a repeat, or unreadable)"
_OF_FSYNC = "fsync, of which only mean, min, max and stddev are read"


class Percentile(NamedTuple):
    """One printed percentile, and a figure of the job and direction that it belongs to."""

    line: int | None
    figure: Measurement
    entry: int  # the job or process in its file, from 1
    kind: str | None
    percentile: float
    raw: str
    raw_unit: str

    @property
    def latency(self) -> float:
        """The latency in seconds."""
        return int(self.raw) * factor_of("fio", self.raw_unit)


class Figures:
    """The figures that `parse` found, by the place where they stand."""

    def __init__(self, items: Iterable[Measurement | Problem]) -> None:
        """Take what `parse` yields."""
        self.problems: list[Problem] = []
        self.at: dict[tuple[int, int], Measurement] = {}
        self.on: dict[int, list[Measurement]] = {}
        for item in items:
            if isinstance(item, Problem):
                self.problems.append(item)
            elif item.status != "sample" and "summed-jobs" not in item.remarks:
                self.at.setdefault((item.line, item.column), item)
                self.on.setdefault(item.line, []).append(item)

    def of(self, line: int, direction: str = "", column: int = 0) -> Measurement | None:
        """Return a figure that a line prints behind a column, of the direction that is named."""
        found = [item for item in self.on.get(line, []) if item.column > column]
        return next((item for item in found if item.op.endswith(direction)), None)


class Entry(NamedTuple):
    """One direction of one job in a JSON: its content, where it stands, and a figure of it."""

    number: int  # in the text, from 1
    place: int  # in its document, from 0
    direction: str
    part: dict
    offset: int  # in the whole text, of a figure; -1 where none is found
    figure: Measurement | None


def percentiles(lines: Sequence[Line], figures: Figures) -> Iterator[Percentile | Problem]:
    """Yield the percentiles of the reports whose figures count, and what `parse` says of them."""
    yield from figures.problems
    found: list[Percentile | Problem] = []
    text = "\n".join([line.text for line in lines])
    if '"fio version"' in text:
        found += _in_json(text, lines, figures)
    if " percentiles (" in text:
        found += _for_people(lines, figures)
    if "%=" in text:
        found += _in_terse(lines, figures)
    yield from (_checked(item) for item in found)


def _checked(item: Percentile | Problem) -> Percentile | Problem:
    if isinstance(item, Problem) or item.latency <= LIMITS["latency"]:
        return item
    text = f"found {item.raw} {item.raw_unit} for a percentile, expected what a device reaches"
    return Problem(line=item.line or item.figure.line, text=text)


def _left_out(line: int, what: str = _OF_NO_FIGURE) -> Problem:
    return Problem(line=line, text=f"found percentiles of {what}: left out", kind="note")


# --- JSON ----------------------------------------------------------------------------------------


def entries(text: str, lines: Sequence[Line], figures: Figures) -> Iterator[tuple[Document, Entry]]:
    """Yield each direction of each job of all JSON documents, with the figure that `parse` gave."""
    begins = list(accumulate([len(line.text) + 1 for line in lines], initial=0))
    number = 0
    for document in documents(text):
        spots_of = places(document)
        for index, entry in enumerate(document.entries):
            where, number = spots_of[index], number + 1
            for direction in used(entry):
                spots = [spot for (of, *_), spot in where.items() if of == direction]
                offsets = [spot.offset + document.offset for spot in spots]
                found = (figures.at.get(_place(offset, lines, begins)) for offset in offsets)
                figure = next((item for item in found if item), None)
                offset = min(offsets, default=-1)
                yield document, Entry(number, index, direction, entry[direction], offset, figure)


def _place(offset: int, lines: Sequence[Line], begins: Sequence[int]) -> tuple[int, int]:
    """Return line and column, both from 1, of an offset in the text."""
    index = bisect_right(begins, offset) - 1
    return lines[index].number, offset - begins[index] + 1


def _in_json(text: str, lines: Sequence[Line], figures: Figures) -> Iterator[Percentile | Problem]:
    begins = list(accumulate([len(line.text) + 1 for line in lines], initial=0))
    yield from _of_fsync(text, lines, begins)
    for document, entry in entries(text, lines, figures):
        line, _ = _place(max(entry.offset, document.offset + document.start), lines, begins)
        for kind, unit in KINDS.items():
            spread = entry.part.get(kind)
            pairs = _pairs(spread.get("percentile")) if isinstance(spread, dict) else []
            if entry.figure is None:
                yield from [_left_out(line)] if pairs else []
                continue
            offsets = _offsets(text, entry.offset, kind, pairs)
            for pair, offset in zip(pairs, offsets, strict=True):
                at = None if offset is None else _place(offset, lines, begins)[0]
                name = kind.removesuffix("_ns")
                yield Percentile(at, entry.figure, entry.number, name, *pair, unit)


def _of_fsync(text: str, lines: Sequence[Line], begins: Sequence[int]) -> Iterator[Problem]:
    """Say where percentiles of fsync stand, which are left out."""
    for document in documents(text) if '"sync"' in text else ():
        if any(_pairs(_sync(entry)) for entry in document.entries):
            line, _ = _place(document.offset + document.start, lines, begins)
            yield _left_out(line, _OF_FSYNC)


def _sync(entry: dict) -> object:
    """Return the percentiles of a job's fsync, where there are any."""
    part = entry.get("sync")
    spread = part.get("lat_ns") if isinstance(part, dict) else None
    return spread.get("percentile") if isinstance(spread, dict) else None


def _pairs(printed: object) -> list[tuple[float, str]]:
    """Return the percentiles of an object: unused slots of fio 2 are named 0.00."""
    if not isinstance(printed, dict):
        return []
    pairs = []
    for name, value in printed.items():
        try:
            share = float(name)
        except ValueError:
            continue
        if 0 < share <= 100 and type(value) is int and value >= 0:
            pairs.append((share, str(value)))
    return pairs if any(raw != "0" for _, raw in pairs) else []  # all 0: nothing was timed


def _offsets(
    text: str, start: int, kind: str, pairs: Sequence[tuple[float, str]]
) -> Sequence[int | None]:
    """Return where the pairs stand; None for each where the text has another order of keys."""
    label = text.find(f'"{kind}"', start) if start >= 0 else -1
    opened = text.find('"percentile"', label) if label >= 0 else -1
    closed = text.find("}", opened)
    if opened >= 0 and closed >= 0:
        found = [
            (float(match[1]), match[2], match.start(1))
            for match in _PAIR.finditer(text, opened, closed)
            if float(match[1]) > 0
        ]
        if [(share, raw) for share, raw, _ in found] == list(pairs):
            return [offset for _, _, offset in found]
    return [None] * len(pairs)


# --- the report for people -----------------------------------------------------------------------


class _Text:
    """The lists of percentiles of a text: each belongs to the direction above it."""

    def __init__(self, figures: Figures) -> None:
        """Begin outside of a list."""
        self.figures = figures
        self.figure: Measurement | None = None
        self.number = 0
        self.kind = self.unit = ""  # of the list that is being read
        self.goes_on: Line | None = None  # the line of it that ended in a comma

    def read(self, line: Line) -> Iterator[Percentile | Problem]:
        """Take one line."""
        if self.kind and _LIST.match(line.text):
            yield from self._items(line)
            return
        yield from self.end()
        if match := _TITLE.search(line.text):
            yield from self._title(line, match)
        elif match := _DIRECTION.search(line.text):
            self.figure = self.figures.of(line.number, match[1], match.start())
            self.number += 1

    def end(self) -> Iterator[Problem]:
        """End the list; what ended in a comma is cut."""
        if self.goes_on:
            yield _not_read(self.goes_on)
        self.kind, self.goes_on = "", None

    def _title(self, line: Line, match: re.Match[str]) -> Iterator[Problem]:
        self.kind, self.unit = match[1], match[2]
        if self.kind == "sync":
            self.figure = None
            yield _left_out(line.number, _OF_FSYNC)
        elif self.figure is None:
            yield _left_out(line.number)

    def _items(self, line: Line) -> Iterator[Percentile | Problem]:
        text = _LIST.sub("", line.text, count=1)
        items = _ITEM.findall(text)
        if self.figure:
            head, unit = (line.number, self.figure, self.number, self.kind), self.unit
            yield from (Percentile(*head, float(share), raw, unit) for share, raw, _ in items)
        if _ITEM.sub("", text).strip():
            yield _not_read(line)
        self.goes_on = line if items and items[-1][2] else None


def _for_people(lines: Sequence[Line], figures: Figures) -> Iterator[Percentile | Problem]:
    text = _Text(figures)
    for line in unfolded(lines):
        if "=" in line.text or text.kind or "percentiles (" in line.text:
            yield from text.read(line)
    yield from text.end()


def _not_read(line: Line) -> Problem:
    text = f"found {line.text.strip()[:80]!r}, expected percentiles as `99.00th=[ 123],` and more"
    return Problem(line=line.number, text=text)


# --- terse ---------------------------------------------------------------------------------------


def _in_terse(lines: Sequence[Line], figures: Figures) -> Iterator[Percentile | Problem]:
    """Read terse records: whole us, of clat or lat as was asked for, which they do not say."""
    number = 0
    for line in lines:
        if "%=" not in line.text:
            continue
        runs = _IN_TERSE.findall(line.text)
        number += bool(runs)
        for direction, run in zip(DIRECTIONS[:3], runs, strict=False):
            items = [(float(share), raw) for share, raw in _TERSE_ITEM.findall(run)]
            used_slots = [(share, raw) for share, raw in items if 0 < share <= 100]
            if not any(raw != "0" for _, raw in used_slots):
                continue
            figure = figures.of(line.number, direction)
            if figure is None:
                yield _left_out(line.number)
                continue
            for share, raw in used_slots:
                yield Percentile(line.number, figure, number, None, share, raw, "us")
