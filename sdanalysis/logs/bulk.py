"""Many logs -> one DataFrame with the rows that `parse` gives, which tests prove, and less work.

fio's small JSON files are read where their figures stand. The middle of a long table of iozone
never becomes lines: the rows at its ends do. Where the parser takes these for rows of one table,
the rows between, whose numbers end at the same characters, are of it too; where not, all are read.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.codebook.measurement import LastLine, Line, Measurement, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import fio_columns, read
from sdanalysis.logs.arrays import constant, over_and_over, typed
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.lean import Lean, of_fio, parse_lines, without_collector
from sdanalysis.parsers import decode, iozone, split_lines
from sdanalysis.parsers.fio import bulk as fio
from sdanalysis.paths import printable

# where the cells of columns stand in a measurement, but for the file, which it does not know
_PLACES = {name: Measurement._fields.index(name) for name in LOG_COLUMNS if name != "file"}
_DEADLY = "found that the process that read it died, each time; expected a benchmark log"
_AT_ONCE = 500  # rows that become cells of columns together: more would not fit the fast memory
_LONG_RUN = 200  # figures of fio's small logs: so many become columns without a tuple for each
_LEAST = 400  # rows: a shorter block costs little as lines
_KEPT = 50  # rows that stay lines at each end of a block: no parser looks so far around
_CHUNK = 2048  # rows at a time, which the processor's cache holds
_PRODUCT = 2**18  # multiplications at a time: more would start threads, which wait for one another
_SMALL = 2**22  # a result in kB/s, below which a table of all of them is short
_TOO_LARGE = (1e15, 1e9)  # a size, which has to be exact as a float; a result, as for `whole_rows`


class Block(NamedTuple):
    """Rows of plain numbers that were left out of the lines.

    `first` is the number of the first such row, `ends` are the characters (from 1) at which the
    numbers of every row end. Of each row there are two sizes, and the results.
    """

    first: int
    ends: tuple[int, ...]
    sizes: np.ndarray
    results: np.ndarray


class Parsed(NamedTuple):
    """What a log holds, and the blocks of the tables whose lines stand around them."""

    lean: Lean
    blocks: Sequence[Block] = ()


_Found = Parsed | Sequence[fio.Direction]


def read_logs(
    paths: Iterable[str], most: int = MOST_BYTES
) -> tuple[pd.DataFrame, list[tuple[str, Problem]]]:
    """Return the rows of many logs as a frame, and what could not be read, with its path.

    No log may have more than `most` bytes.
    """
    rows = Rows(most)
    with without_collector():
        problems = [(path, problem) for path in paths for problem in rows.add_file(path)]
        return rows.frame(), problems


class Rows:
    """The rows of a table to be, which come a file at a time and are kept as columns."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most  # bytes that a log may have
        self._parts: list[dict[str, Any]] = []
        self._begin_part()

    def _begin_part(self) -> None:
        self._cells: dict[str, list] = {name: [] for name in LOG_COLUMNS}
        self._waiting: list[Measurement] = []  # to become cells
        self._directions: list[fio.Direction] = []  # what fio's small logs measured, after the rows
        self._paths: list[str] = []

    def add_file(self, path: str) -> Sequence[Problem]:
        """Add the rows of one log; return what could not be read."""
        try:  # nobody here keeps the bytes, which may be many
            found = _found(path, read.read_bytes(path, self._most), self._most)
        except (OSError, SdAnalysisError) as error:
            return read.unread(path, error).problems
        return self._add(path, found)

    def add_content(self, path: str, content: bytes) -> Sequence[Problem]:
        """Add the rows of one log, whose bytes are known; return what could not be read."""
        return self._add(path, _found(path, content, self._most))

    def _add(self, path: str, found: _Found) -> Sequence[Problem]:
        if isinstance(found, Parsed):
            self._add_log(path, found.lean, found.blocks)
            return found.lean.log.problems
        self._directions += found
        self._paths += [printable(path)] * len(found)  # one object: it tells files apart
        return ()

    def frame(self) -> pd.DataFrame:
        """Return the table, with the types of `codebook.COLUMNS`."""
        self._settle_directions()
        self._close_part()
        parts = self._parts or [typed({name: [] for name in LOG_COLUMNS})]
        columns = {
            name: parts[0][name]
            if len(parts) == 1
            else pd.concat([pd.Series(part.pop(name)) for part in parts], ignore_index=True)
            for name in LOG_COLUMNS
        }
        return pd.DataFrame(columns, copy=False)

    def _settle_directions(self) -> None:
        """Make columns of many directions, and rows of some: many short parts would cost more."""
        if len(self._directions) >= _LONG_RUN:
            directions, paths = self._directions, self._paths
            self._directions, self._paths = [], []
            self._close_part()
            self._parts.append(fio_columns.columns(paths, directions))
        for path, direction in zip(self._paths, self._directions, strict=True):
            self._add_measurements(path, of_fio(fio.expanded([direction])))
        self._directions, self._paths = [], []

    def _add_log(self, path: str, lean: Lean, blocks: Sequence[Block]) -> None:
        self._settle_directions()
        for found, table in lean.parts():
            self._add_measurements(path, found)
            if table:
                self._close_part()
                self._parts.append(_table_columns(path, table, blocks))

    def _add_measurements(self, path: str, found: Sequence[Measurement]) -> None:
        self._waiting += found
        self._cells["file"] += [printable(path)] * len(found)
        if len(self._waiting) >= _AT_ONCE:
            self._settle_rows()

    def _settle_rows(self) -> None:
        """Make cells of the rows that wait."""
        columns = list(zip(*self._waiting, strict=True))
        for name, place in _PLACES.items() if columns else ():
            self._cells[name] += columns[place]
        self._waiting = []

    def _close_part(self) -> None:
        """Make typed columns of the rows so far."""
        self._settle_rows()
        if self._cells["file"]:
            remarks = list(map(_joined, self._cells["remarks"]))
            self._parts.append(typed(self._cells | {"remarks": remarks}))
            self._begin_part()


def add_log(
    rows: Rows, path: str, deadly: frozenset[str], content: bytes | None = None
) -> Sequence[Problem]:
    """Add the rows of a log, or of its content; return what could not be read of it."""
    if path in deadly:
        return (Problem(line=1, text=_DEADLY),)
    try:
        return rows.add_file(path) if content is None else rows.add_content(path, content)
    except Exception as error:  # a defect of ours, which must not end the reading of all others
        text = f"found {error!r} while it was read, a defect of sdanalysis, expected rows"
        return (Problem(line=1, text=text),)


def _found(path: str, content: bytes, most: int) -> _Found:
    """Return what a log's bytes hold: fio's small JSON files in the form that costs least."""
    directions = fio.directions(content)
    return parse_lean(path, content, most) if directions is None else directions


def parse_lean(path: str, content: bytes, most: int = MOST_BYTES) -> Parsed:
    """Return what a log's bytes hold, without words on lines that look like results."""
    try:
        lines, blocks = split(read.unpacked(content, most))
    except SdAnalysisError as error:
        return Parsed(Lean(read.unread(path, error)))
    lean = parse_lines(path, lines)
    for block in blocks:
        table = iozone.table_at(lean.tables, block.first)
        if table is None or table.ends != block.ends[2:]:
            return Parsed(parse_lines(path, read.lines_of(content, most)))
    return Parsed(lean, blocks)


def split(content: bytes) -> tuple[list[Line], list[Block]]:
    """Return the lines of a log but for the middle of its long blocks of numbers, and those."""
    blocks: list[Block] = []
    pieces: list[bytes] = []
    place = 0
    for block, start, stop in _blocks(content):
        blocks.append(block)
        pieces.append(content[place:start])
        place = stop
    lines = split_lines(decode(b"".join([*pieces, content[place:]]) if blocks else content))
    left_out = 0
    for block, later in zip_longest(blocks, blocks[1:]):
        start = block.first - 1 - left_out
        left_out += len(block.sizes)
        part = slice(start, later.first - 1 - left_out if later else None)
        lines[part] = [Line(number + left_out, text) for number, text in lines[part]]
    if blocks and content.endswith(b"\n"):
        lines[-1] = LastLine(*lines[-1])
    return lines, blocks


def _blocks(content: bytes) -> Iterator[tuple[Block, int, int]]:
    """Yield what to leave out of a log with a table, and the bytes where it begins and ends."""
    if len(content) < 16 * _LEAST or b"reclen" not in content:
        return
    buffer = np.frombuffer(content, np.uint8)
    lengths = np.diff(np.flatnonzero(buffer == ord("\n")), prepend=-1)
    starts = np.cumsum(lengths) - lengths
    for first, stop in _stretches(lengths):
        length, place = lengths[first], starts[first]
        rows = buffer[place : place + (stop - first) * length].reshape(-1, length)
        ends = _ends(rows[len(rows) // 2])
        whole = _are_whole(rows, ends)
        for top, bottom in _stretches(whole) if len(ends) > 2 else ():
            inner = slice(top + _KEPT, bottom - _KEPT)
            cells = _cells(rows[inner], ends) if whole[top] else None
            if cells is not None:
                block = Block(first + inner.start + 1, tuple(ends.tolist()), *cells)
                yield block, place + inner.start * length, place + inner.stop * length


def _stretches(values: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield where long stretches of one value begin, and where they stop."""
    borders = np.concatenate(([0], np.flatnonzero(np.diff(values)) + 1, [len(values)]))
    for place in np.flatnonzero(np.diff(borders) >= _LEAST):
        yield int(borders[place]), int(borders[place + 1])


def _are_digits(text: np.ndarray) -> np.ndarray:
    return text - np.uint8(ord("0")) < 10  # what is below `0` becomes large


def _ends(row: np.ndarray) -> np.ndarray:
    digits = _are_digits(row)
    return np.flatnonzero(digits[:-1] & ~digits[1:]) + 1


def _are_whole(rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Tell which rows hold digits and blanks only, end their numbers so, and begin none with 0."""
    expected = np.zeros(rows.shape[1], dtype=bool)
    expected[ends] = True
    whole = np.empty(len(rows), dtype=bool)
    for at in range(0, len(rows), _CHUNK):
        text = rows[at : at + _CHUNK]
        digits, blanks = _are_digits(text), text == ord(" ")
        zeros = blanks[:, :-1] & (text[:, 1:] == ord("0"))
        same = (digits[:, :-1] & ~digits[:, 1:]) == expected[1:]
        whole[at : at + _CHUNK] = ((digits | blanks)[:, :-1] & same & ~zeros).all(axis=1)
    return whole


def _cells(rows: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return sizes and results of rows, None where one has more digits than it may have."""
    weights = np.zeros((rows.shape[1], len(ends)))
    for column, (start, end) in enumerate(pairwise((0, *ends))):
        weights[start:end, column] = 10 ** np.minimum(np.arange(end - start), 18)[::-1]
    too_large = np.repeat(_TOO_LARGE, (2, len(ends) - 2))
    sizes = np.empty((len(rows), 2), dtype=np.int64)
    results = np.empty((len(rows), len(ends) - 2), dtype=np.int32)
    step = max(_PRODUCT // weights.size, 1)
    for at in range(0, len(rows), step):
        digits = rows[at : at + step] & 15  # of a blank 0
        numbers = digits.astype(float) @ weights
        if (numbers >= too_large).any():
            return None
        sizes[at : at + step], results[at : at + step] = numbers[:, :2], numbers[:, 2:]
    return sizes, results


def _table_columns(path: str, rows: iozone.PlainRows, blocks: Sequence[Block]) -> dict[str, Any]:
    """Return the columns of a table: what `iozone.expand` gives for all its rows."""
    sizes, results = map(np.concatenate, zip(*_parts(rows, blocks), strict=True))
    (count, width), first = results.shape, rows.lines[0].number
    columns = _figures(results.ravel(), rows)
    del results  # a twentieth of what is needed
    columns |= {
        "line": _whole(np.repeat(np.arange(first, first + count), width)),
        "op": over_and_over(rows.ops, count),
        "file_size": _whole(np.repeat(sizes[:, 0] * KIB, width)),
        "block_size": _whole(np.repeat(sizes[:, 1] * KIB, width)),
    }
    same = dict.fromkeys(LOG_COLUMNS) | {"stat": "single", "status": "measured", "repeat": 1}
    same |= dict(rows.shared) | {
        "file": printable(path),
        "remarks": _joined(rows.shared.get("remarks", ())),
    }
    return {
        name: columns[name] if name in columns else constant(same[name], name, count * width)
        for name in LOG_COLUMNS
    }


def _figures(numbers: np.ndarray, rows: iozone.PlainRows) -> dict[str, Any]:
    """Return the columns that hold what stands in the cells of a table, and where."""
    codes, printed = _coded(numbers)
    lengths = np.searchsorted(10 ** np.arange(1, 12), printed, side="right") + 1
    starts = np.tile(rows.ends, len(numbers) // len(rows.ops))
    starts -= (lengths - 1)[codes]
    value = pd.Series(_scaled(numbers, rows.factor), copy=False)
    return {
        "column": _whole(starts),
        "raw": pd.array(list(map(str, printed.tolist())), dtype="str").take(codes),
        "value": value,
        "value_low": value,  # once for both: pandas copies it before somebody writes into one
        "value_high": _scaled(numbers + 1, rows.factor),
    }


def _coded(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each number among those that there are, and these: as pd.factorize.

    Where they are small a table of them takes a quarter of its time.
    """
    largest = numbers.max()
    if largest >= _SMALL:
        return pd.factorize(numbers)
    there = np.zeros(largest + 1, dtype=bool)
    there[numbers] = True
    places = np.cumsum(there, dtype=np.int32) - 1
    return places[numbers], np.flatnonzero(there)


def _parts(rows: iozone.PlainRows, blocks: Sequence[Block]) -> Iterator[Sequence[np.ndarray]]:
    """Yield sizes and results of a table: of its lines, and of the blocks between them."""
    lines, place = rows.lines, 0
    for block in blocks:
        if rows.holds(block.first):
            stop = bisect_left(lines, block.first, key=attrgetter("number"))
            yield _of_lines(rows, lines[place:stop])
            yield block.sizes, block.results
            place = stop
    yield _of_lines(rows, lines[place:])


def _of_lines(rows: iozone.PlainRows, lines: Sequence[Line]) -> tuple[np.ndarray, np.ndarray]:
    words = " ".join([line.text[rows.margin :] for line in lines]).split()
    cells = np.array(list(map(int, words))).reshape(len(lines), -1)
    return cells[:, :2], cells[:, 2:].astype(np.int32)  # a plain row's have nine digits at most


def _joined(remarks: tuple[str, ...]) -> str | None:
    return " ".join(remarks) or None


def _whole(numbers: np.ndarray) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(numbers, np.zeros(len(numbers), dtype=bool))


def _scaled(digits: np.ndarray, factor: float) -> np.ndarray:
    """Do as iozone's own table does, for all numbers."""
    scaled = digits * float(factor) if factor >= 1 else digits / round(1 / factor)
    return scaled.astype(float, copy=False)
