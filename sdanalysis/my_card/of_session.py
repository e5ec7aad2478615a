"""What sessions of `sdanalysis bench` say of the card whose logs they hold."""

from __future__ import annotations

from collections.abc import Sequence

from sdanalysis.errors import UsageError
from sdanalysis.logs.session import Session


def said_by_sessions(sessions: Sequence[Session], name: str, asked: str | None) -> str | None:
    """Return what was asked for, else what the sessions say: one thing, or it is a UsageError."""
    said = list(dict.fromkeys(filter(None, (getattr(session, name) for session in sessions))))
    if asked or not said:
        return asked
    if len(said) > 1:
        found = " and ".join(map(repr, said))
        raise UsageError(f"found sessions with {found} as their {name}, expected one (--{name})")
    return said[0]
