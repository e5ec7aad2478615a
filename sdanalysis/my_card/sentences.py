"""A card in frames -> the notes below its answer: how it came about, and what was checked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.codebook.units import counted

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card


def sentences(card: Card) -> list[str]:
    """Return the notes, the most important one first."""
    subjects = (_sessions, _computer, _companions, _name, _unlike, _doubts)
    return [sentence for subject in subjects for sentence in subject(card)]


def _sessions(card: Card) -> Iterator[str]:
    """Yield what a reader of the figures of `sdanalysis bench` has to know of its sessions."""
    logs = card.logs
    notes = dict.fromkeys(note for session in logs.sessions for note in session.notes)
    if notes:
        yield f"The session did not measure the medium alone: {'; '.join(notes)}."
    flagged = [flags for session in logs.sessions for _, flags in session.flagged]
    if flagged:
        kinds = Counter(flag.partition(":")[0] for flags in flagged for flag in flags)
        each = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common())
        yield (
            f"{counted(len(flagged), 'step')} of {len(logs.files)} ran while something changed or "
            f"others worked: {each}; the journal of the session has the details."
        )
    if logs.left_out:
        names = f"{', '.join(logs.left_out[:3])}{', ...' if len(logs.left_out) > 3 else ''}"
        yield f"{counted(len(logs.left_out), 'log')} of steps that failed: left out ({names})."


def _computer(card: Card) -> Iterator[str]:
    """Yield how the computer was found."""
    if found := card.computer.found:
        yield (
            f"The computer was taken from the log: {found.words} ({found.at}), and that the card "
            f"sat in its {card.setting.reader_name}; --host and --reader name another."
        )
    for reader, name in card.setting.others:
        yield (
            f"The card is taken to have sat in the {card.setting.reader_name}. If it was the "
            f"{name}: --reader {reader}."
        )


def _companions(card: Card) -> Iterator[str]:
    """Yield whose the known cards are, where they are none of the five sources'."""
    if card.companions and len(card.places):
        yield f"Figures beyond the five sources take part: {'; '.join(card.companions)}."
    if card.others:
        yield f"Cards beyond those of the five sources take part: {'; '.join(card.others)}."


def _name(card: Card) -> Iterator[str]:
    """Yield what the label was read as, and what was checked of it."""
    if not card.name.candidates.empty:
        reading = card.name.candidates["reading"].iloc[0]
        changes = [f"“{typed}” read as “{meant}”" for typed, meant in reading.corrected]
        changes += [f"“{word}” passed over" for word in reading.passed_over]
        found = zip(card.name.candidates["name"], card.name.candidates["part_number"], strict=True)
        names = [name if pd.isna(number) else f"{name} ({number})" for name, number in found]
        words = "; ".join([" or ".join(names), *changes])
        yield f"The label “{card.name.label}” was taken as {words}."
    agreed = "; ".join(card.check.agreed)
    if card.name.label and (agreed or len(card.name.tests)):
        cards = int(card.name.tests["n"].max()) if len(card.name.tests) else 0
        yield (
            f"Checked of the label: {agreed or 'no register of the card is in the log'}; figures "
            f"of {counted(cards, 'known card')} of that name."
        )


def _unlike(card: Card) -> Iterator[str]:
    unlike = card.name.tests[card.name.tests["verdict"] == "unlike"]
    if unlike.empty:
        return
    row = unlike.iloc[unlike["ratio"].map(math.log).abs().argmax()]
    yield (
        f"{row['test']}: run noise alone makes a factor of {row['band']:.2f} to {row['nearest']}, "
        f"and specimens of one model are known to differ by {card.name.yardstick:.1f} "
        f"({card.name.source}). Figures do not say why: another vintage, another product under "
        "the name, wear, or another set-up."
    )


def _doubts(card: Card) -> Iterator[str]:
    if count := len(card.doubts):
        findings = counted(count, "finding")
        yield f"The rules that audit the sources doubt this log: {findings}, listed below."
