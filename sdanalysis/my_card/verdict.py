"""A card in frames -> the first sentences of its answer: what contradicts it, where it stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sdanalysis.codebook.units import counted
from sdanalysis.my_card.computer import hosts_in_words
from sdanalysis.my_card.figures import Reason
from sdanalysis.my_card.places import ALL_HOSTS, OTHER_DEPTH, OTHER_TOOL, SAME_TOOL, Place, rows_of
from sdanalysis.my_card.registers import conflicts_in_words
from sdanalysis.my_card.words import megabytes
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import plainly
from sdanalysis.stats.reasons import HIDDEN

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card

_ROUGH = {
    OTHER_TOOL: " (a rough guide: those were measured with iozone, yours with fio)",
    OTHER_DEPTH: " (a rough guide: the queue depth of those is not stated)",
}


def opening(card: Card) -> list[str]:
    """Return the first sentences: contradictions, the verdict, tests that measure the bus."""
    buses = [_bus_in_words(bus, card) for bus in card.buses.itertuples()]
    said = _verdict(card)
    return [*_contradictions(card), said, *(bus for bus in buses if bus != said)]


def _contradictions(card: Card) -> Iterator[str]:
    """Yield where the logs contradict what was said of card and computer, or what a card can be."""
    if card.check.conflicts:
        yield conflicts_in_words(card.name.label or "", card.check)
    if other := card.computer.other:
        right = [other.host] if other.host else []
        say = f"; if the log is right, say {hosts_in_words(right, card.hosts)}" if right else ""
        yield (
            f"The log says that the computer is a {other.words} ({other.at}), and you say "
            f"{card.setting.host_name}: yours was taken{say}."
        )
    fast = int((card.not_compared["reason"] == Reason.BUS_LIMITED).sum())
    if fast and not card.figures["above_bus"].all():  # then it is the verdict
        yield (
            f"{counted(fast, 'test')} {'lies' if fast == 1 else 'lie'} above what the bus can "
            f"carry ({megabytes(card.setting.limit)} MB/s: {card.setting.bus}). A cache answered "
            "there, or it was no card in such a slot; the other figures of the same run are to be "
            "doubted, too."
        )


def _verdict(card: Card) -> str:
    """Return where the card stands, in one sentence."""
    rows = sorted(
        rows_of(card.places), key=lambda row: (row.basis == ALL_HOSTS, row.level != SAME_TOOL)
    )
    enough = [row for row in rows if row.n >= MINIMUM]
    if enough:
        return _standing(enough[0], card)
    if rows:
        most = max(row.n for row in rows)
        return (
            f"Where your card stands cannot be said: no test of this log was run on more than "
            f"{counted(most, 'known card')}, and below {MINIMUM} there is no verdict."
        )
    if len(card.buses):
        return _bus_in_words(next(card.buses.itertuples()), card)
    if card.figures.empty:
        return (
            "This log holds no figure that is surely one of the medium and of a known test, so "
            "nothing can be compared; the list below gives the reason for each."
        )
    count = counted(len(card.figures), "test")
    if card.figures["above_bus"].all():
        return (
            f"Nothing in this log can be a figure of a card in this slot: of {count} none lies "
            f"below what the bus can carry ({megabytes(card.setting.limit)} MB/s: "
            f"{card.setting.bus}), so a cache answered, or it was another slot."
        )
    return (
        f"Nothing in this log can be compared with {_whose(card)}: {count} of a medium found, none "
        "of them run so by a source. The list below says why."
    )


def _whose(card: Card) -> str:
    """Return whose the known cards are."""
    beyond = " or their companions" if card.companions else " and yours" if card.others else ""
    return f"the five sources{beyond}"


def _bus_in_words(bus: Any, card: Card) -> str:
    """Say that a test measures the bus, and by what that is seen."""
    doing = plainly(bus.op)
    test = f"{doing[0].upper()}{doing[1:]} ({bus.test}: {megabytes(bus.value)} MB/s)"
    there, carried = "figures known", "the bus of their computer can carry"
    if bus.same_host:
        there, carried = "cards known there", f"it can carry ({card.setting.limit / 1e6:g} MB/s)"
    come = f"{bus.near} of the {bus.cards} {there} come to {100 * HIDDEN:g} % of what {carried}"
    if bus.free:
        said = f"does not tell where your card stands: {come}, and yours stays below its own"
    elif card.setting.host:
        said = f"measures the bus of the {card.setting.host_name}, not your card: {come}"
    else:
        said = f"measures the computer rather than your card: {come}"
    return f"{test} {said}; run a test of small blocks (iozone or fio) for a place."


def _standing(row: Place, card: Card) -> str:
    """Say by the most important test which card yours is like, and how many it is faster than."""
    near = _like(row, card)
    like = f"about as fast as the {near} and " if near else ""
    slower = "all" if row.slower == row.n else f"{row.slower or 'none'} of the"
    where = card.setting.place
    if row.basis == ALL_HOSTS and card.setting.host:
        where = "on other computers"
    noise = ""
    if row.rank_low != row.rank_high:
        noise = (
            f"; run noise leaves the places {row.rank_low} to {row.rank_high} of {row.n + 1} open"
        )
    return (
        f"In {plainly(row.op)} your card is {like}faster than {slower} {row.n} cards known "
        f"{where}{_ROUGH.get(row.level, '')}{noise}."
    )


def _like(row: Place, card: Card) -> str | None:
    """Return the known card whose figure is nearest, if run noise may make all of the gap."""
    points = card.points
    known = points[(points["kind"] == "known") & (points["test"] == row.test)]
    if row.level != SAME_TOOL or known.empty or math.isnan(row.band):
        return None
    gaps = (known["value"] / row.value).map(math.log).abs()
    near = known.loc[gaps.idxmin(), "name"]
    return near.rpartition(" (")[0] if gaps.min() <= math.log(row.band) else None
