"""A log of a session of `sdanalysis bench` -> what the session says of it; and exit statuses.

A session's folder has a `session.toml` (card, computer, reader), a `journal.jsonl` (what happened
to each step) and `facts/`; of its logs `paths.expand` gives those of steps that ended well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.parsers.capture import Capture
from sdanalysis.paths import in_session

FLAGGED = "flagged-step"
_RUN = re.compile(r"\d{2,}-run(?P<run>\d{1,4})-")
EXIT = "exit status: "


class Session(NamedTuple):
    """What a session says of all its logs; texts are empty where it says nothing.

    `host` is the id that was given, `model` the computer's own words; `card` are lines of its
    registers, `flagged` the names of the logs whose step was flagged, with the reasons.
    """

    folder: str
    label: str = ""
    host: str = ""
    reader: str = ""
    model: str = ""
    indirect: bool = False
    notes: tuple[str, ...] = ()
    identity: str = ""
    card: tuple[str, ...] = ()
    flagged: tuple[tuple[str, tuple[str, ...]], ...] = ()


def session_of(path: str) -> Session | None:
    """Return the session that a log belongs to, None for a log of its own."""
    folder = in_session(path)
    if folder is None:
        return None
    stamps = [
        (Path(folder) / name).stat().st_mtime_ns for name in ("session.toml", "journal.jsonl")
    ]
    return _session(folder, *stamps)


@lru_cache(maxsize=64)
def _session(folder: str, *_stamps: int) -> Session:
    """Return what a session says; read again when its files have changed."""
    import tomllib  # here, for most logs are of no session

    place = Path(folder)
    said: Mapping[str, Any] = {}
    with suppress(OSError, ValueError):
        said = tomllib.loads((place / "session.toml").read_text(encoding="utf-8"))
    return Session(
        folder=folder,
        **{name: _text(said, name) for name in ("label", "host", "reader", "identity")},
        model=_text(said, "host_model"),
        indirect=said.get("medium") == "indirect",
        notes=_texts(said.get("flags")),
        card=_registers(place, said),
        flagged=tuple(_flagged(place)),
    )


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _registers(place: Path, said: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the card's controller told, as lines that `identity` reads.

    The file has all of it; who may not read it, or got the session without it, has the public part.
    """
    lines = _texts(said.get("card"))
    with suppress(OSError):
        lines = tuple((place / "facts/card.txt").read_text("utf-8", "replace").splitlines()[:50])
    device = _text(said, "device").rpartition("/")[2]
    if not re.fullmatch(r"mmcblk\d+", device):
        return ()
    return tuple(f"/sys/block/{device}/device/{line}" for line in lines)


def _flagged(place: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the logs whose step was flagged, by the last word of the journal on each."""
    last: dict[str, tuple[str, ...]] = {}
    with suppress(OSError):
        for line in (place / "journal.jsonl").read_text("utf-8", "replace").splitlines():
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and isinstance(event.get("log"), str):
                    last[event["log"]] = _texts(event.get("flags"))
    yield from ((log, flags) for log, flags in last.items() if flags)


def amended(path: str, capture: Capture, rows: list[Measurement]) -> list[Measurement]:
    """Return the rows of a log with what its command's exit status and its session say of them.

    What a command printed that then failed is no result. The figures of run k are the k-th repeat.
    """
    if EXIT in capture.text:
        ended = list(_failed(capture))
        rows = [_with_status(row, ended) for row in rows]
    session = session_of(path)
    if session is None or not rows:
        return rows
    name = path.rpartition("/")[2]
    match = _RUN.match(name)
    before = (int(match["run"]) - 1) * max(row.repeat for row in rows) if match else 0
    remarks = (FLAGGED,) if name in dict(session.flagged) else ()
    return [
        row._replace(repeat=before + row.repeat, remarks=(*row.remarks, *remarks)) for row in rows
    ]


def _failed(capture: Capture) -> Iterator[tuple[int, int, str]]:
    """Yield first and last line of each command that did not end well, and the status of its rows.

    A command begins behind the last exit status, or at the last prompt.
    """
    first = 0
    prompts = {command.line for command in capture.commands}
    for number, text in enumerate(capture.lines, 1):
        if text.startswith(EXIT):
            words = text.removeprefix(EXIT).strip()
            if words != "0":
                by_signal = words.startswith(("-", "none"))
                yield first, number, "interrupted" if by_signal else "error"
            first = number
        elif number in prompts:
            first = number


def _with_status(row: Measurement, failed: Sequence[tuple[int, int, str]]) -> Measurement:
    if row.status == "measured":
        for first, last, status in failed:
            if first <= row.line <= last:
                return row._replace(status=status)
    return row
