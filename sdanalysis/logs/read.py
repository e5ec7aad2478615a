"""Logs of users (files, folders, globs, standard input) -> measurements, and what was not read."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sdanalysis.codebook.columns import LOG_COLUMNS as COLUMNS
from sdanalysis.codebook.columns import LOG_STATUSES as STATUSES
from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.unclaimed import unclaimed
from sdanalysis.parsers import (
    PARSERS,
    Parser,
    claimed_twice,
    decode,
    is_binary,
    split_lines,
    tools_in,
)
from sdanalysis.paths import STANDARD_INPUT

if TYPE_CHECKING:
    from sdanalysis.parsers import iozone

_LONG_TABLE = 200  # rows: from here on a table that stays together costs less

_PIECE = 16_384  # bytes that are read first: most logs are shorter
_READ_ONLY = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows has two kinds of files
_GZIP = b"\x1f\x8b"
__all__ = ["COLUMNS", "STATUSES"]  # until their users take them from the codebook


class Log(NamedTuple):
    """What one file held: a class because a file gives both results and problems.

    `tables` are rows of iozone that stay together, which only `parse_lean` leaves so.
    """

    path: str
    measurements: tuple[Measurement, ...]
    problems: tuple[Problem, ...]
    tables: tuple[iozone.Rows, ...] = ()


def read_log(path: str) -> Log:
    """Read one file (or `-`, standard input); never raises for what is in it."""
    try:
        return parse_log(path, read_bytes(path))
    except OSError as error:
        return unread(path, error)


def read_bytes(path: str) -> bytes:
    """Return what a file, or standard input, holds."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    # by its descriptor, for there are thousands: a fifth of the time of Path's, half of open's
    descriptor = os.open(path, _READ_ONLY)
    try:
        parts, size = [], _PIECE
        while part := os.read(descriptor, size):
            parts.append(part)
            if len(part) == size:  # a long file takes fewer readings
                size *= 2
        return b"".join(parts)
    finally:
        os.close(descriptor)


def unread(path: str, error: OSError) -> Log:
    """Return the log of a file that the system did not give."""
    return _unread(path, f"found {error.strerror}, expected a file to read")


def decoded_lines(content: bytes) -> list[Line]:
    """Return the lines of a text, whatever its encoding."""
    return split_lines(decode(content))


def parse_log(path: str, content: bytes) -> Log:
    """Return what a log's bytes hold: gzip, any of the encodings, any tools, in any order."""
    return parse_with_lines(path, content)[0]


def parse_with_lines(path: str, content: bytes) -> tuple[Log, list[Line]]:
    """Return what `parse_log` returns, and the lines that it read; none of an unreadable log."""
    lines = _lines_of(path, content)
    return (lines, []) if isinstance(lines, Log) else (_parse_lines(path, lines), lines)


def parse_lean(
    path: str, content: bytes, lines_of: Callable[[bytes], list[Line]] = decoded_lines
) -> Log:
    """Return what `parse_log` returns, in a form that costs less, for a table of many logs.

    Long tables of iozone stay together, no measurement holds the path, and there is no word on
    lines that look like results. `lines_of` may leave out rows of a table (`columnar.split`).
    """
    lines = _lines_of(path, content, lines_of)
    if isinstance(lines, Log):
        return lines
    tables: list[iozone.Rows] = []
    parsers = {**PARSERS, "iozone": partial(_keep_tables, tables)}
    measurements, problems = _items(path, lines, parsers)
    if tables and _claim_rows(measurements, tables):
        return _parse_lines(path, lines)  # two tools claim a line
    return Log(
        path=path,
        measurements=tuple(measurements),
        problems=tuple(problems) if measurements or tables else _or_nothing(problems),
        tables=tuple(tables),
    )


def _claim_rows(measurements: Sequence[Measurement], tables: Sequence[iozone.Rows]) -> bool:
    from sdanalysis.parsers import iozone

    return any(iozone.table_at(tables, one.line) for one in measurements)


def _keep_tables(
    tables: list[iozone.Rows], lines: Sequence[Line]
) -> Iterator[Measurement | Problem]:
    from sdanalysis.parsers import iozone

    for item in iozone.scan(lines):
        if not isinstance(item, iozone.Rows):
            yield item
        elif item.lines[-1].number - item.lines[0].number + 1 < _LONG_TABLE:
            yield from iozone.expand(item)
        else:
            tables.append(item)


def _lines_of(
    path: str, content: bytes, lines_of: Callable[[bytes], list[Line]] = decoded_lines
) -> list[Line] | Log:
    """Return the lines of a log, or the log of a file that has none."""
    try:
        if content.startswith(_GZIP):
            content = gzip.decompress(content)
        if not content or content.isspace():
            return _empty(path)
        if is_binary(content):
            return _unread(path, "found binary data, expected the text of a benchmark log")
        return lines_of(content)
    except (OSError, EOFError, zlib.error) as error:
        return _unread(path, f"found a damaged gzip file ({error}), expected a whole one")
    except SdAnalysisError as error:
        return _unread(path, str(error))


def _empty(path: str) -> Log:
    """Say that there is nothing; for a side log of fio that is no error but a short run."""
    from sdanalysis.parsers.fio import side_logs as sidelog

    if sidelog.kind_of(Path(path).name):
        text = "found an empty side log of fio: the run was shorter than its averaging window"
        return Log(path=path, measurements=(), problems=(Problem(line=1, text=text, kind="note"),))
    return _unread(path, "found an empty file, expected a benchmark log")


def _unread(path: str, text: str) -> Log:
    return Log(path=path, measurements=(), problems=(Problem(line=1, text=text),))


def _parse_lines(path: str, lines: Sequence[Line]) -> Log:
    measurements, problems = _items(path, lines, PARSERS)
    noted = list(unclaimed(lines, measurements, problems))
    if not measurements:
        problems = list(_or_nothing(problems))
    problems = sorted(problems + noted, key=lambda one: one.line)
    placed = tuple(one._replace(file=path) for one in measurements)
    return Log(path=path, measurements=placed, problems=tuple(problems))


def _items(
    path: str, lines: Sequence[Line], parsers: Mapping[str, Parser]
) -> tuple[list[Measurement], list[Problem]]:
    measurements: list[Measurement] = []
    problems: list[Problem] = []
    for tool in tools_in(lines):
        # A side log of fio says only in its name what it holds.
        named = {"name": path} if tool == "fio" and path != STANDARD_INPUT else {}
        for item in parsers[tool](lines, **named):
            (problems if isinstance(item, Problem) else measurements).append(item)
    measurements.sort(key=attrgetter("line", "column"))
    twice = claimed_twice(measurements)  # such a line is nobody's
    problems += [Problem(line=line, text=text) for line, text in twice.items()]
    return [one for one in measurements if one.line not in twice], problems


def _or_nothing(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the problems; of a log without any and without results, that there is nothing."""
    text = f"found no benchmark in it, expected the output of {', '.join(sorted(PARSERS))}"
    return tuple(problems) or (Problem(line=1, text=text),)


def row_of(measurement: Measurement) -> dict[str, object]:
    """Return a measurement as a row of `COLUMNS`; None is missing, remarks are one text."""
    row = {name: getattr(measurement, name) for name in COLUMNS}
    return {**row, "remarks": " ".join(measurement.remarks) or None}
