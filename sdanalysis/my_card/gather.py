"""Paths of logs -> rows, what they say of card and computer, and what was not read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.logs import read as logs
from sdanalysis.logs.identity import Fact, read_identity
from sdanalysis.parsers.dd.scripts import completed
from sdanalysis.paths import PROJECT, STANDARD_INPUT, expand

_BOARD = re.compile(r"Raspberry Pi (?:\d|Zero|Compute|Model)[^,;|\"()]*")


@dataclass(frozen=True, kw_only=True)
class Found:
    """What some logs held: a class because one reading gives all of it.

    `rows` have the keys `logs.COLUMNS`; `problems` come with their path, facts and boards (the
    computer's model as a log names it) with the name of their file. Of a side log of fio only the
    first sample of each operation is a row; `samples` are the others, by tool and operation.
    """

    files: tuple[str, ...] = ()
    rows: tuple[dict[str, object], ...] = ()
    facts: tuple[tuple[str, Fact], ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()
    boards: tuple[tuple[str, str], ...] = ()
    samples: tuple[tuple[str, int], ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something was not read."""
        return any(problem.kind == "error" for _, problem in self.problems)


def gather(paths: Sequence[str | Path] | str | Path) -> Found:
    """Read files, folders, globs or `-`, as `sdanalysis parse` does.

    Raises
    ------
    SdAnalysisError
        A path names nothing.
    """
    names = [paths] if isinstance(paths, str | Path) else paths
    return together(map(read, expand([str(name) for name in names])))


def from_project(path: str) -> str:
    """Return a path as it is, or below the project's folder where only that exists."""
    inside = PROJECT / path
    return path if Path(path).exists() or not inside.exists() else str(inside)


def together(found: Iterable[Found]) -> Found:
    """Return what several logs held, as one."""
    parts = list(found)
    names = ("files", "rows", "facts", "problems", "boards", "samples")
    sums = {name: tuple(one for part in parts for one in getattr(part, name)) for name in names}
    return Found(**sums)


def read(path: str) -> Found:
    """Read one log; never raises for what is in it."""
    try:
        content = logs.read_bytes(path)
    except OSError as error:
        log, lines = logs.unread(path, error), []
    else:
        log, lines = logs.parse_with_lines(path, content)
    facts, problems = read_identity(lines)
    measurements, samples = _without_samples(log.measurements)
    name = "standard input" if path == STANDARD_INPUT else Path(path).name
    return Found(
        files=(name,),
        rows=tuple(logs.row_of(one) for one in completed(lines, measurements)),
        facts=tuple((name, fact) for fact in facts),
        problems=tuple((path, one) for one in (*log.problems, *problems)),
        boards=tuple(_boards(name, lines)),
        samples=tuple(samples.items()),
    )


def _without_samples(found: Sequence[Measurement]) -> tuple[list[Measurement], Counter[str]]:
    """Return the measurements with one sample of each operation, and how many others there are."""
    kept: list[Measurement] = []
    others: Counter[str] = Counter()
    seen: set[str] = set()
    for one in found:
        what = f"{one.tool} {one.op}"
        if one.status == "sample" and what in seen:
            others[what] += 1
            continue
        if one.status == "sample":
            seen.add(what)
        kept.append(one)
    return kept, others


def _boards(name: str, lines: Sequence[Line]) -> list[tuple[str, str]]:
    found = (
        (f"{name}:{line.number}", match[0].partition(" - ")[0].strip())
        for line in lines
        if "Raspberry Pi" in line.text[:500] and (match := _BOARD.search(line.text[:500]))
    )
    return list(found)[:5]
