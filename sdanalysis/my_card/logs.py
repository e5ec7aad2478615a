"""Read logs: their rows, what they say of card and computer, and what could not be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sdanalysis.codebook.columns import SPREADS
from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.errors import UsageError
from sdanalysis.logs.files import MOST_BYTES
from sdanalysis.logs.identity import Fact, read_identity
from sdanalysis.logs.read import read_log, row_of
from sdanalysis.logs.session import INDIRECT, Session, session_of
from sdanalysis.paths import PROJECT, STANDARD_INPUT, LeftOut, expand, printable

_BOARD = re.compile(r"Raspberry Pi (?:\d|Zero|Compute|Model)[^,;|\"()]*")


class Logs(NamedTuple):
    """What some logs held: `rows` have the keys `codebook.columns.LOG_COLUMNS`.

    `problems` come with their path, facts and boards (the computer's model as a log names it) with
    the name of their file. Of a side log of fio only the first sample of each operation is a row;
    `samples` are the others, by tool and operation. `sessions` of `sdanalysis bench` are those that
    the logs belong to, `left_out` the logs of their steps that did not end well.
    """

    files: tuple[str, ...] = ()
    rows: tuple[dict[str, object], ...] = ()
    facts: tuple[tuple[str, Fact], ...] = ()
    problems: tuple[tuple[str, Problem], ...] = ()
    boards: tuple[tuple[str, str], ...] = ()
    samples: tuple[tuple[str, int], ...] = ()
    sessions: tuple[Session, ...] = ()
    left_out: tuple[str, ...] = ()


def read_logs(paths: Iterable[str]) -> Logs:
    """Read files, folders, globs or `-`, as `sdanalysis parse` does.

    A path that is not here is looked for below the project's folder.
    """
    files = [
        str(PROJECT / path) if (PROJECT / path).exists() and not Path(path).exists() else path
        for path in paths
    ]
    return join_logs(map(read_file, expand(files)))


def join_logs(parts: Iterable[Logs]) -> Logs:
    """Return several logs as one, and what their sessions say of card and computer."""
    logs = Logs(*(tuple(chain.from_iterable(field)) for field in zip(*parts, strict=True)))
    sessions = tuple(dict.fromkeys(logs.sessions))
    facts = [fact for session in sessions for fact in _session_facts(session)]
    boards = [board for session in sessions for board in _boards("session.toml", [session.model])]
    return logs._replace(
        sessions=sessions,
        facts=(*logs.facts, *dict.fromkeys(facts)),
        boards=(*logs.boards, *dict.fromkeys(boards)),
    )


def value_from_sessions(sessions: Sequence[Session], name: str, given: str | None) -> str | None:
    """Return what was given, else the one value of the sessions; several are a UsageError."""
    values = list(dict.fromkeys(filter(None, (getattr(session, name) for session in sessions))))
    if given or not values:
        return given
    if len(values) > 1:
        found = " and ".join(map(repr, values))
        raise UsageError(f"found sessions with {found} as their {name}, expected one (--{name})")
    return values[0]


def _session_facts(session: Session) -> Iterator[tuple[str, Fact]]:
    """Yield the registers of a session's card, and whether it is a card at all."""
    found, _ = read_identity(session.card)
    once = {(fact.name, fact.value): fact for fact in reversed(found)}  # a register, and its parts
    yield from (("card.txt", fact) for fact in reversed(once.values()))
    if session.indirect:
        medium = f"{INDIRECT}{session.indirect}"
        yield "session.toml", Fact(card="", name="medium", value=medium, line=1)


def read_file(path: str, most: int = MOST_BYTES) -> Logs:
    """Read one log; never raises for what is in it."""
    log = read_log(path, most)
    lines = log.capture.lines if log.capture else []
    facts, problems = read_identity(lines)
    measurements, samples = _without_samples(log.measurements)
    session = session_of(path)
    name = "standard input" if path == STANDARD_INPUT else printable(Path(path).name)
    return Logs(
        files=() if isinstance(path, LeftOut) else (name,),
        rows=tuple(row_of(measurement, path) for measurement in measurements),
        facts=tuple((name, fact) for fact in facts),
        problems=tuple((path, problem) for problem in (*log.problems, *problems)),
        boards=tuple(_boards(name, lines))[:5],
        samples=tuple(samples.items()),
        sessions=(session,) if session else (),
        left_out=(name,) if session and isinstance(path, LeftOut) else (),
    )


def _without_samples(measurements: Iterable[Measurement]) -> tuple[list[Measurement], Counter[str]]:
    """Return the measurements with the first sample of each operation, and a count of the others.

    Spreads of latencies are left out, too.
    """
    rows: list[Measurement] = []
    samples: Counter[str] = Counter()
    for measurement in measurements:
        if measurement.metric == "latency" and measurement.stat in SPREADS:
            continue
        what = f"{measurement.tool} {measurement.op}"
        sampled = measurement.status == "sample"
        samples[what] += sampled
        if not sampled or samples[what] == 1:
            rows.append(measurement)
    return rows, samples - Counter(list(samples))


def _boards(name: str, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(lines, 1):
        if "Raspberry Pi" in text and (match := _BOARD.search(text[:500])):
            yield f"{name}:{number}", match[0].partition(" - ")[0].strip()
