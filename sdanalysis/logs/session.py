"""A log of a session of `sdanalysis bench` -> what the session says of it; and exit statuses.

A session's folder has a `session.toml` (card, computer, reader), a `journal.jsonl` (what happened
to each step) and `facts/`; of its logs `paths.expand` gives those of steps that ended well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.bench.journal import Journal
from sdanalysis.codebook.measurement import Measurement
from sdanalysis.parsers.capture import Capture
from sdanalysis.paths import in_session

FLAGGED = "flagged-step"
_RUN = re.compile(r"\d{2,}-run(?P<run>\d{1,4})-")
EXIT = "exit status: "
INDIRECT = "indirect: "  # before what was measured in place of a medium, among the flags


class Session(NamedTuple):
    """What a session says of all its logs; texts are empty where it says nothing."""

    folder: str
    label: str = ""
    host: str = ""  # the id that was given
    reader: str = ""
    model: str = ""  # the computer's own words
    indirect: str = ""  # what was measured, if not the medium itself
    notes: tuple[str, ...] = ()
    identity: str = ""
    card: tuple[str, ...] = ()  # lines of its registers
    flagged: tuple[tuple[str, tuple[str, ...]], ...] = ()  # logs of flagged steps, with reasons


def session_of(path: str) -> Session | None:
    """Return the session that a log belongs to, None for a log of its own."""
    folder = in_session(path)
    if folder is None:
        return None
    place = Path(folder)
    stamps = [(place / name).stat().st_mtime_ns for name in ("session.toml", "journal.jsonl")]
    return _session(place, *stamps)


@lru_cache(maxsize=64)
def _session(place: Path, *_stamps: int) -> Session:
    # read again when the files have changed
    import tomllib  # here, for most logs are of no session

    session: Mapping[str, Any] = {}
    with suppress(OSError, ValueError):
        session = tomllib.loads((place / "session.toml").read_text(encoding="utf-8"))
    texts = {key: value for key, value in session.items() if isinstance(value, str)}
    card, lines = re.search(r"\bmmcblk\d+$", texts.get("device", "")), _texts(session.get("card"))
    with suppress(OSError):  # the file has more than the public part, for who may read it
        lines = tuple((place / "facts/card.txt").read_text("utf-8", "replace").splitlines()[:50])
    flags: dict[str, tuple[str, ...]] = {}  # of each log by the journal's last word on it
    with suppress(OSError):
        for event in Journal(place / "journal.jsonl").events():
            if isinstance(event.get("log"), str):
                flags[event["log"]] = _texts(event.get("flags"))
    notes = _texts(session.get("flags"))
    indirect = [note.removeprefix(INDIRECT) for note in notes if note.startswith(INDIRECT)]
    indirect += ["something else"] * (texts.get("medium") == "indirect")
    return Session(
        folder=str(place),
        **{key: texts.get(key, "") for key in ("label", "host", "reader", "identity")},
        model=texts.get("host_model", ""),
        indirect=next(iter(indirect), ""),
        notes=tuple(note for note in notes if not note.startswith(INDIRECT)),
        card=tuple(f"/sys/block/{card[0]}/device/{line}" for line in lines) if card else (),
        flagged=tuple((log, own) for log, own in flags.items() if own),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def amended(path: str, capture: Capture, rows: list[Measurement]) -> list[Measurement]:
    """Return rows with what exit status and session say: run k is the k-th repeat."""
    if EXIT in capture.text:
        failed = _failed(capture)
        for place, row in enumerate(rows):
            if row.status == "measured" and row.line in failed:
                rows[place] = row._replace(status=failed[row.line])
    session = session_of(path)
    if session is None or not rows:
        return rows
    name = path.rpartition("/")[2]
    match = _RUN.match(name)
    before = (int(match["run"]) - 1) * max(row.repeat for row in rows) if match else 0
    remarks = (FLAGGED,) * (name in dict(session.flagged))
    return [
        row._replace(repeat=before + row.repeat, remarks=(*row.remarks, *remarks)) for row in rows
    ]


def _failed(capture: Capture) -> dict[int, str]:
    """Return, by their numbers, the status of the lines of commands that did not end well."""
    failed: dict[int, str] = {}
    first, prompts = 0, {command.line for command in capture.commands}
    for number, text in enumerate(capture.lines, 1):
        if text.startswith(EXIT):
            words = text.removeprefix(EXIT).strip()
            if words != "0":  # less than 0 of a signal, `none` of one that never ended
                status = "interrupted" if words.startswith(("-", "none")) else "error"
                failed |= dict.fromkeys(range(first, number), status)
            first = number
        elif number in prompts:
            first = number
    return failed
