"""What sessions of `sdanalysis bench` say of the card whose logs they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.units import counted
from sdanalysis.errors import UsageError
from sdanalysis.logs.session import Session
from sdanalysis.my_card.gather import Logs


def said_by_sessions(sessions: Sequence[Session], name: str, asked: str | None) -> str | None:
    """Return what was asked for, else what the sessions say: one thing, or it is a UsageError."""
    said = list(dict.fromkeys(filter(None, (getattr(session, name) for session in sessions))))
    if asked or not said:
        return asked
    if len(said) > 1:
        found = " and ".join(map(repr, said))
        raise UsageError(f"found sessions with {found} as their {name}, expected one (--{name})")
    return said[0]


def sessions_in_words(logs: Logs) -> Iterator[str]:
    """Yield what a reader of the figures has to know of how they came to be."""
    if len({session.identity for session in logs.sessions if session.identity}) > 1:
        yield (
            "The sessions are of different media, by their registers or their sizes: all else here "
            "takes them for one card."
        )
    notes = dict.fromkeys(note for session in logs.sessions for note in session.notes)
    if notes:
        yield f"By its session the medium was not measured alone: {'; '.join(notes)}."
    flagged = [(log, flags) for session in logs.sessions for log, flags in session.flagged]
    if flagged:
        kinds = Counter(flag.partition(":")[0] for _, flags in flagged for flag in flags)
        each = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common())
        yield (
            f"{counted(len(flagged), 'step')} of {len(logs.files)} ran while something changed or "
            f"others worked: {each}; the journal of the session has the details."
        )
    if logs.left_out:
        yield (
            f"Left out: {counted(len(logs.left_out), 'log')} of steps that did not end well "
            f"({', '.join(logs.left_out[:3])}{', ...' if len(logs.left_out) > 3 else ''})."
        )
