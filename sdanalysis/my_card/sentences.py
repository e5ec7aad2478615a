"""A card in frames -> the sentences of the answer, each with its n and its limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.my_card.computer import hosts_in_words
from sdanalysis.my_card.label import names_like, other_sizes
from sdanalysis.my_card.of_session import sessions_in_words
from sdanalysis.my_card.places import ALL_HOSTS, OTHER_DEPTH, OTHER_TOOL, TOO_FEW, Place, rows_of
from sdanalysis.my_card.words import factor_in_words, megabytes

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card

_INDICATIVE = {
    OTHER_TOOL: " Those were measured with iozone, not with fio: a rough guide only.",
    OTHER_DEPTH: " The queue depth of those is not stated: a rough guide only.",
}
_PROOF = (
    "Registers can be written with any content, and a log can be of another card, so this proves "
    "nothing. Filling the whole card and reading it back does: f3write and f3read (hours), or "
    "f3probe --destructive (minutes); empty the card first, for what is on it may be lost"
)


def sentences(card: Card) -> list[str]:
    """Return the notes that follow the opening of the answer, the most important one first."""
    subjects = (_sessions, _signs, _host, _places, _companions, _nearest, _name, _classes, _doubts)
    return [sentence for subject in subjects for sentence in subject(card)]


def _sessions(card: Card) -> Iterator[str]:
    """Yield how the sessions of `sdanalysis bench` went, as far as a reader has to know."""
    yield from sessions_in_words(card.logs)


def _signs(card: Card) -> Iterator[str]:
    """Yield what speaks against label or registers, what it may mean and what would prove it."""
    differing = {conflict.what for conflict in card.check.conflicts}
    if differing:
        yield (
            "Label and card differ in a log of another card, by a slip in the label, and under a "
            "false name. All else here is about the card that was measured, whatever it is called."
        )
    if card.check.signs:
        yield f"The registers do not fit together: {'; '.join(card.check.signs)}."
    if card.check.signs or differing & {"maker", "capacity"}:
        yield f"{_PROOF}."


def _places(card: Card) -> Iterator[str]:
    count = len(card.figures)
    here = int((card.places["basis"] != ALL_HOSTS).sum())
    where = f"{here} of them among cards on the same host" if card.setting.host else "on all hosts"
    if len(card.places):
        yield (
            f"{len(card.places)} of {counted(count, 'test')} could be compared with known cards, "
            f"{where}."
        )
    for row in rows_of(card.places.head(2)):
        yield _place(row, card.setting.host)


def _place(row: Place, host: str | None) -> str:
    noise = "whatever run noise does"
    if row.rank_low != row.rank_high:
        noise = f"{row.rank_low} to {row.rank_high} within run noise"
    whose = "cards on the same host"
    if row.basis == ALL_HOSTS:
        whose = "cards, measured on other hosts" if host else "cards on all hosts"
    compared = "about as fast as" if row.verdict == "~" else factor_in_words(row.ratio)
    beside = f", {compared} the middle card" if row.verdict != TOO_FEW else ": too few to judge"
    test = row.shown_test
    return (
        f"{test[0].upper()}{test[1:]}: {megabytes(row.value)} MB/s, faster than {row.slower} of "
        f"{row.n} known {whose} (place {row.rank} of {row.n + 1}; {noise}){beside}."
        f"{_INDICATIVE.get(row.level, '')}"
    )


def _companions(card: Card) -> Iterator[str]:
    """Yield whose the known cards are, where they are none of the five sources', and what queue."""
    if card.companions and (card.places["basis"] != ALL_HOSTS).any():
        yield (
            "These are figures beyond the five sources, which have no card on "
            f"{card.setting.name}: {'; '.join(card.companions)}."
        )
    if card.others:
        yield f"Beside the cards of the five sources these took part: {'; '.join(card.others)}."
    for reader, name in card.setting.others:
        yield (
            f"Taken was the {card.setting.reader_name}. If yours was the {name}: --reader {reader}."
        )


def _nearest(card: Card) -> Iterator[str]:
    for near in card.nearest.head(1).to_dict("records"):
        yield (
            f"The known card that behaves most like it is {near['name']}: "
            f"{(near['factor'] - 1) * 100:.0f} % apart on average over "
            f"{counted(near['tests'], 'test')}, {near['within_noise']} of them within run noise."
        )
    for far in card.closest.to_dict("records"):
        if card.nearest.empty:
            yield (
                f"No known card is near it: the least far one, {far['name']}, is a factor of "
                f"{far['factor']:.1f} apart on average over {counted(far['tests'], 'test')}, and "
                f"two cards of one model are known to differ by {card.name.yardstick:.1f} at most."
            )


def _name(card: Card) -> Iterator[str]:
    """Yield what the name on the card was taken for, and whether the figures fit it."""
    if card.name.label is None:
        return
    label = f"The label “{card.name.label}”"
    found = card.name.candidates
    names = [
        name if pd.isna(number) else f"{name} ({number})"
        for name, number in zip(found["name"], found["part_number"], strict=True)
    ]
    if not names:
        sizes = other_sizes(card.name.label, card.media)
        like = [] if sizes else names_like(card.name.label, card.media)
        meant = f" Did you mean {' or '.join(like)}?" if like else ""
        if sizes:
            meant = f" Measured of that name were: {', '.join(sizes)}."
        yield (
            f"{label} names no card of the catalogue (maker, product and capacity are needed as "
            f"printed), so its figures say nothing of its name.{meant}"
        )
        yield from _checked(card)
        return
    read = f"{label}{_read_as(card)}"
    if len(names) > 1:
        yield (
            f"{read} may mean {len(names)} entries of the catalogue: {'; '.join(names)}. None was "
            "taken; the part number would decide."
        )
        yield from _checked(card)
    else:
        yield from _taken(card, f"{read} was taken as {names[0]}")


def _read_as(card: Card) -> str:
    """Return how the label was read where it is not printed so: `, “ulta” read as “ultra”,`."""
    reading = card.name.candidates["reading"].iloc[0]
    changes = [f"“{typed}” read as “{meant}”" for typed, meant in reading.corrected]
    changes += [f"“{word}” passed over" for word in reading.passed_over]
    return f", {', '.join(changes)}," if changes else ""


def _checked(card: Card) -> Iterator[str]:
    """Yield what of the label was held against the registers and agrees."""
    if card.check.agreed:
        yield f"Held against the registers: {'; '.join(card.check.agreed)}."


def _taken(card: Card, taken: str) -> Iterator[str]:
    tests = card.name.tests
    unlike = tests[tests["verdict"] == "unlike"]
    if not tests["same_host"].all():
        taken += " (compared with figures from other hosts: a rough guide only)"
    if not unlike.empty:
        yield from _unlike(card, taken, unlike)
    elif card.check.conflicts:
        yield f"{taken}; that its figures may fit says nothing, for the card names another."
    elif tests.empty and not card.check.agreed:
        yield f"{taken}; no source measured a specimen of it in a test of this log."
    else:
        yield f"{taken}. Nothing here speaks against the name; {_compared(card, tests)}."


def _compared(card: Card, tests: pd.DataFrame) -> str:
    """Return what was checked of a name against which nothing speaks."""
    agreed = "; ".join(card.check.agreed) or "no register of the card is in the log"
    registers = f"checked were: {agreed}; and "
    if tests.empty:
        return f"{registers}no figures, for no source measured a specimen of it in these tests"
    inside = int((tests["verdict"] == "~").sum())
    others = (
        ""
        if inside == len(tests)
        else (", the others no further off than specimens of one model are known to be")
    )
    cards = counted(int(tests["n"].max()), "known card")
    return (
        f"{registers}{counted(len(tests), 'test')} beside {cards} of that name, {inside} within "
        f"run noise{others}"
    )


def _unlike(card: Card, taken: str, unlike: pd.DataFrame) -> Iterator[str]:
    row = unlike.iloc[unlike["ratio"].map(math.log).abs().argmax()]
    yield (
        f"{taken}, but the figures are far from every specimen of that name that we know: "
        f"{row['test']} is {factor_in_words(row['ratio'])} the nearest one, {row['nearest']} "
        f"({row['n']} known). Run noise alone makes a factor of {row['band']:.2f}, and "
        f"specimens of one model are known to differ by {card.name.yardstick:.1f} "
        f"({card.name.source}). Why is not said by figures: another vintage, another product under "
        "the name, wear, or another set-up."
    )
    for near in card.nearest.head(1).to_dict("records"):
        yield (
            f"By its figures it resembles {near['name']} most (factor {near['factor']:.2f} over "
            f"{counted(near['tests'], 'test')})."
        )


def _classes(card: Card) -> Iterator[str]:
    names = card.classes.summary.groupby("verdict")["class"].agg(", ".join)
    reached, missed = names.get("pass"), names.get("fail")
    if reached or missed:
        yield (
            f"Its figures reach what these classes ask: {reached or 'none'}; they miss "
            f"{missed or 'none for certain'}. That is not the classes' own test."
        )


def _doubts(card: Card) -> Iterator[str]:
    if count := len(card.doubts):
        findings = counted(count, "finding")
        yield f"The rules that audit the sources doubt this log: {findings}, listed below."


def _host(card: Card) -> Iterator[str]:
    """Yield how the computer was found, or why none was taken."""
    computer, setting = card.computer, card.setting
    if computer.unknown:
        meant = hosts_in_words(computer.meant, card.hosts)
        known = ", ".join(card.hosts["host"].unique())
        offer = f"did you mean {meant}?" if meant else f"known are {known}."
        yield f"We have neither figures nor the bus of a computer “{computer.typed}”: {offer}"
    if found := computer.found:
        yield (
            f"The computer was taken from the log: {found.words} ({found.at}), and that the card "
            f"sat in its {setting.reader_name}; --host and --reader name another."
        )
    elif not setting.host and (len(card.places) or len(card.buses)):
        yield f"{_no_computer(card)}so the cards of all computers were taken, whose buses differ."


def _no_computer(card: Card) -> str:
    boards = card.computer.boards
    if len(boards) > 1:
        return f"The logs name several computers ({', '.join(board.words for board in boards)}), "
    if boards:
        return f"The log names a computer that we do not know ({boards[0].words}, {boards[0].at}), "
    return "No computer is known, " if card.computer.typed else "No computer was named (--host), "
