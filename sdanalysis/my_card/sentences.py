"""A card in frames -> the sentences of the answer, each with its n and its limits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.my_card.figures import Reason
from sdanalysis.my_card.named import printed_size
from sdanalysis.my_card.places import ALL_HOSTS, OTHER_DEPTH, OTHER_TOOL, Place, rows_of

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card

_INDICATIVE = {
    OTHER_TOOL: " Those were measured with iozone, not with fio: a rough guide only.",
    OTHER_DEPTH: " The queue depth of those is not stated: a rough guide only.",
}
_BYTES = re.compile(r"\((\d+) bytes\)")


def megabytes(value: float) -> str:
    """Return a bandwidth as `7.53` (MB/s, 10^6 B/s): three digits, never an exponent."""
    number = value / 1e6
    digits = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:.{min(digits, 6)}f}"


def factor_in_words(ratio: float) -> str:
    """Return a ratio to another card, that follows: `1.8 times as fast as`, `5 % slower than`."""
    if ratio >= 1.5:
        return f"{ratio:.1f} times as fast as"
    if ratio <= 1 / 1.5:
        return f"{1 / ratio:.1f} times slower than"
    return f"{100 * abs(ratio - 1):.0f} % {'faster' if ratio >= 1 else 'slower'} than"


def sentences(card: Card) -> list[str]:
    """Return the sentences of the answer, the most important one first."""
    subjects = (_places, _companions, _nearest, _capacity, _name, _classes, _doubts, _host)
    found = [sentence for subject in subjects for sentence in subject(card)]
    return [sentence.replace(" %", "\u00a0%") for sentence in found]


def _places(card: Card) -> Iterator[str]:
    count = len(card.figures)
    here = int((card.places["basis"] != ALL_HOSTS).sum())
    where = f"{here} of them among cards on the same host" if card.setting.host else "on all hosts"
    if not count:
        yield (
            "This log holds no figure that is surely one of the medium and of a known test, so "
            "nothing can be compared; the list below gives the reason for each."
        )
    elif card.places.empty:
        yield (
            f"Nothing in this log can be compared with {_whose(card)}: {_tests(count)} of a "
            "medium found, none of them run so by a source. The list below says why."
        )
    else:
        yield f"{len(card.places)} of {count} tests could be compared with known cards, {where}."
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
    test = row.shown_test
    return (
        f"{test[0].upper()}{test[1:]}: {megabytes(row.value)} MB/s, faster than {row.slower} of "
        f"{row.n} known {whose} (place {row.rank} of {row.n + 1}; {noise}), {compared} the "
        f"middle card.{_INDICATIVE.get(row.level, '')}"
    )


def _companions(card: Card) -> Iterator[str]:
    """Yield whose the known cards are, where they are none of the five sources', and what queue."""
    if card.companions:
        yield (
            "These are figures beyond the five sources, which have no card on "
            f"{card.setting.name}: {'; '.join(card.companions)}."
        )
    for reader, name in card.setting.others:
        yield (
            f"Taken was the {card.setting.reader_name}. If yours was the {name}: --reader {reader}."
        )


def _nearest(card: Card) -> Iterator[str]:
    for near in card.nearest.head(1).to_dict("records"):
        yield (
            f"The known card that behaves most like it is {near['name']}: "
            f"{(near['factor'] - 1) * 100:.0f} % apart on average over {_tests(near['tests'])}, "
            f"{near['within_noise']} of them within run noise."
        )


def _whose(card: Card) -> str:
    return "the five sources or their companions" if card.companions else "the five sources"


def _tests(count: int) -> str:
    return f"{count} test" if count == 1 else f"{count} tests"


def _capacity(card: Card) -> Iterator[str]:
    """Yield that label and CSD differ in capacity, where they do."""
    printed = printed_size(card.name.label or "")
    for file, fact in card.logs.facts:
        size = _BYTES.search(fact.value) if fact.name == "capacity" else None
        if not (printed and size):
            continue
        ratio = int(size[1]) / printed[1]
        if not 0.85 < ratio < 1.1:
            yield (
                f"The label says {printed[0]}, the card itself (its CSD register, {file}:"
                f"{fact.line}) {int(size[1]) / 1e9:.1f} GB: {ratio:.2f} times as much."
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
        yield (
            f"{label} names no card of the catalogue (maker, product and "
            "capacity are needed as printed), so nothing is said about its name."
        )
    elif len(names) > 1:
        yield (
            f"{label} may mean {len(names)} entries of the catalogue: "
            f"{'; '.join(names)}. None was taken; the part number would decide."
        )
    else:
        yield from _taken(card, f"{label} was taken as {names[0]}")


def _taken(card: Card, taken: str) -> Iterator[str]:
    tests = card.name.tests
    unlike = tests[tests["verdict"] == "unlike"]
    if not tests["same_host"].all():
        taken += " (compared with figures from other hosts: a rough guide only)"
    if tests.empty:
        yield f"{taken}; no source measured a specimen of it in a test of this log."
    elif unlike.empty:
        inside = int((tests["verdict"] == "~").sum())
        yield (
            f"{taken}. Nothing here speaks against the name: {_tests(len(tests))} compared "
            f"with {tests['n'].max()} known of that name, {inside} within run noise, the "
            "others no further off than specimens of one model are known to be."
        )
    else:
        yield from _unlike(card, taken, unlike)


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
            f"{_tests(near['tests'])})."
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
    fast = int((card.not_compared["reason"] == Reason.BUS_LIMITED).sum())
    if fast:
        yield (
            f"{_tests(fast)} {'lies' if fast == 1 else 'lie'} above what the bus can carry "
            f"({megabytes(card.setting.limit)} MB/s: {card.setting.bus}). A cache answered there, "
            "or it was no card in such a slot; the other figures of the same run are to be "
            "doubted, too."
        )
    if count := len(card.doubts):
        findings = "1 finding" if count == 1 else f"{count} findings"
        yield f"The rules that audit the sources doubt this log: {findings}, listed below."


def _host(card: Card) -> Iterator[str]:
    if card.board:
        host, words, at = card.board
        yield f"The log names the computer ({words}, {at}): name it as the host (--host {host})."
    elif not card.setting.host and len(card.places):
        yield (
            "No computer was named (--host): the cards of all computers were taken, whose buses "
            "differ. Figures near the limit of a bus rank computers, not cards."
        )
