"""Paths of logs -> rows, what they say of card and computer, and what was not read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sdanalysis.codebook.columns import SPREADS
from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import MOST_BYTES, read_bytes
from sdanalysis.logs.identity import Fact, read_identity
from sdanalysis.logs.read import parse_with_lines, row_of, unread
from sdanalysis.paths import PROJECT, STANDARD_INPUT, expand, printable

_BOARD = re.compile(r"Raspberry Pi (?:\d|Zero|Compute|Model)[^,;|\"()]*")


class Logs(NamedTuple):
    """What some logs held: `rows` have the keys `codebook.columns.LOG_COLUMNS`.

    `problems` come with their path, facts and boards (the computer's model as a log names it) with
    the name of their file. Of a side log of fio only the first sample of each operation is a row;
    `samples` are the others, by tool and operation.
    """

    files: tuple[str, ...] = ()
    rows: tuple[dict[str, object], ...] = ()
    facts: tuple[tuple[str, Fact], ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()
    boards: tuple[tuple[str, str], ...] = ()
    samples: tuple[tuple[str, int], ...] = ()


def gather(paths: Iterable[str]) -> Logs:
    """Read files, folders, globs or `-`, as `sdanalysis parse` does."""
    return together(map(read_file, expand(list(paths))))


def from_project(path: str) -> str:
    """Return a path as it is, or below the project's folder where only that exists."""
    inside = PROJECT / path
    return path if Path(path).exists() or not inside.exists() else str(inside)


def together(parts: Iterable[Logs]) -> Logs:
    """Return what several logs held, as one."""
    return Logs(*(tuple(chain.from_iterable(field)) for field in zip(*parts, strict=True)))


def read_file(path: str, most: int = MOST_BYTES) -> Logs:
    """Read one log; never raises for what is in it."""
    lines: Sequence[Line] = []
    try:
        log, lines = parse_with_lines(path, read_bytes(path, most), most)
    except (OSError, SdAnalysisError) as error:
        log = unread(path, error)
    facts, problems = read_identity(lines)
    measurements, samples = _without_samples(log.measurements)
    name = "standard input" if path == STANDARD_INPUT else printable(Path(path).name)
    return Logs(
        files=(name,),
        rows=tuple(map(row_of, measurements)),
        facts=tuple((name, fact) for fact in facts),
        problems=tuple((path, problem) for problem in (*log.problems, *problems)),
        boards=tuple(_boards(name, lines))[:5],
        samples=tuple(samples.items()),
    )


def _without_samples(measurements: Iterable[Measurement]) -> tuple[list[Measurement], Counter[str]]:
    """Return the measurements with one sample of each operation, and how many others there are.

    Also without what tells only how the operations of one job spread about their mean latency.
    """
    kept: list[Measurement] = []
    samples: Counter[str] = Counter()
    for measurement in measurements:
        if measurement.metric == "latency" and measurement.stat in SPREADS:
            continue
        what = f"{measurement.tool} {measurement.op}"
        if sampled := measurement.status == "sample":
            samples[what] += 1
        if not sampled or samples[what] == 1:
            kept.append(measurement)
    return kept, samples - Counter(list(samples))


def _boards(name: str, lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    for line in lines:
        text = line.text[:500]
        if "Raspberry Pi" in text and (match := _BOARD.search(text)):
            yield f"{name}:{line.number}", match[0].partition(" - ")[0].strip()
