"""A card in frames -> its answer in about eleven lines: warnings, verdict, four tests, the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.my_card.computer import hosts_in_words
from sdanalysis.my_card.figures import Reason
from sdanalysis.my_card.label import names_like, other_sizes
from sdanalysis.my_card.places import ALL_HOSTS, SAME_TOOL, Place, rows_of
from sdanalysis.my_card.registers import conflicts_in_words
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import briefly, speed_in_words
from sdanalysis.stats.same_test import MAIN_TESTS

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card

_BLOCK = 4096  # of the small tests; a large one takes more at once, but for the tools that choose
_WHOLE_FILES = ("dd", "hdparm", "ddrescue")
_GRADES = ("good", "middling", "poor")
_CLASSES = ("C10", "U1", "U3", "V30", "A1", "A2")  # the others are in the table
_RUNS = 5  # from which a yardstick of one's own is worth something
_PROOF = "To prove a false capacity fill the whole card and read it back: f3write, then f3read."


class Line(NamedTuple):
    """One of the four tests in the answer: `value` and `best` (B/s; missing: there is none)."""

    test: str
    value: float
    best: float
    words: str

    @property
    def sentence(self) -> str:
        """The line as a sentence: `Small writes: 3.03 MB/s, faster than 16 of 24.`."""
        value = "" if math.isnan(self.value) else f"{speed_in_words(self.value)} MB/s, "
        return f"{self.test.capitalize()}: {value}{self.words}."


def warnings(card: Card) -> list[str]:
    """Return what speaks against the log itself: label, computer, bus, registers, sessions."""
    return [*_of_the_card(card), *_of_the_computer(card)]


def _of_the_card(card: Card) -> Iterator[str]:
    if card.check.conflicts:
        yield conflicts_in_words(card.name.label or "", card.check)
    if card.check.signs:
        yield f"The registers do not fit together: {'; '.join(card.check.signs)}."
    if card.check.signs or {sign.what for sign in card.check.conflicts} & {"maker", "capacity"}:
        yield _PROOF
    if len({session.identity for session in card.logs.sessions if session.identity}) > 1:
        yield "The sessions are of different media; they are taken for one card."


def _of_the_computer(card: Card) -> Iterator[str]:
    computer, setting = card.computer, card.setting
    if other := computer.other:
        right = hosts_in_words([other.host], card.hosts) if other.host else ""
        meant = f" If the log is right, say {right}." if right else ""
        yield (
            f"The log names a {other.words} ({other.at}), you name a {setting.host_name}, "
            f"which is taken.{meant}"
        )
    if computer.unknown:
        meant = hosts_in_words(computer.meant, card.hosts)
        known = ", ".join(card.hosts["host"].unique())
        offer = f"did you mean {meant}?" if meant else f"known are {known}."
        yield f"We know no computer “{computer.typed}”: {offer}"
    if not setting.host:
        yield f"{_no_computer(card)} Cards of all computers are compared, and their slots differ."
    fast = int((card.not_compared["reason"] == Reason.BUS_LIMITED).sum())
    if fast and not card.figures["above_bus"].all():  # then it is the verdict
        yield (
            f"{counted(fast, 'test')} gave more than the slot can carry "
            f"({setting.limit / 1e6:g} MB/s: {setting.bus}). A cache answered, so doubt the others."
        )


def _no_computer(card: Card) -> str:
    boards = card.computer.boards
    if len(boards) > 1:
        return f"The logs name several computers ({', '.join(board.words for board in boards)})."
    if boards:
        return f"The log names a computer that we do not know ({boards[0].words}, {boards[0].at})."
    return "No computer was named (--host)."


def lines(card: Card) -> tuple[Line, ...]:
    """Return a line for each of the four tests, in their order."""
    return tuple(_line(op, card) for op in MAIN_TESTS)


def place_of(op: str, card: Card) -> Place | None:
    """Return the place that tells most of one of the four tests: here, of the same tool, main."""
    rows = [row for row in rows_of(card.places) if row.op == op and _tells(op, row)]
    main = MAIN_TESTS[op].tool

    def order(row: Place) -> tuple[object, ...]:
        few, far = row.n < MINIMUM, row.basis == ALL_HOSTS
        return few, far, row.level != SAME_TOOL, row.tool != main, -row.block_size

    return min(rows, key=order, default=None)


def _tells(op: str, row: Any) -> bool:
    """Tell whether a row with `tool` and `block_size` is a test of small blocks, or large files."""
    small = op.startswith("rand")
    return bool(
        row.block_size == _BLOCK if small else row.tool in _WHOLE_FILES or row.block_size > _BLOCK
    )


def _line(op: str, card: Card) -> Line:
    test, row = briefly(op), place_of(op, card)
    if row and row.n >= MINIMUM:
        many = "all" if row.slower == row.n else f"{row.slower or 'none'} of"
        elsewhere = row.basis == ALL_HOSTS and card.setting.host
        top = " on other boards" if elsewhere else f"; the best {speed_in_words(row.best)}"
        rough = "" if row.level == SAME_TOOL else " *"
        return Line(test, row.value, row.best, f"faster than {many} {row.n}{top}{rough}")
    for bus in _rows(card.buses):
        if bus.op == op:
            ends = f"the slot ends at {card.setting.limit / 1e6:g} MB/s"
            why = ends if bus.same_host and not bus.free else "boards decide this, not cards"
            return Line(test, bus.value, math.nan, f"no verdict: {why}")
    figures = [figure for figure in _rows(card.figures) if figure.op == op]
    figures = [figure for figure in figures if _tells(op, figure)]
    below = [figure for figure in figures if not figure.above_bus]
    if figures and not below:
        limit = f"{card.setting.limit / 1e6:g} MB/s"
        return Line(test, figures[0].value, math.nan, f"no verdict: the slot ends at {limit}")
    if row:
        few = f"only {counted(row.n, 'known card')}, {MINIMUM} would give a place"
        return Line(test, row.value, math.nan, few)
    if below:
        return Line(test, below[0].value, math.nan, "no known card was run like this")
    return Line(test, math.nan, math.nan, "not in this log")


def verdict(card: Card) -> str:
    """Return how good the card is for its board, in the first of the four tests that tells."""
    found = [(op, place_of(op, card)) for op in MAIN_TESTS]
    places = [(op, row) for op, row in found if row and row.n >= MINIMUM]
    where = f"for a {board_of(card)}" if card.setting.host else "among cards of all boards"
    if places:
        op, row = min(places, key=lambda pair: pair[1].level != SAME_TOOL)
        if row.basis == ALL_HOSTS and card.setting.host:
            where = "beside cards on other boards"
        return f"Your card is {grade(row)} {where}, by its {briefly(op)}."
    if card.figures.empty:
        why = card.not_compared["why"].iloc[0] if len(card.not_compared) else "no figure in it"
        return f"The log was read, but no figure is surely your card's: {why}."
    if card.figures["above_bus"].all():
        return (
            f"No figure here can be a card's: all are above the {card.setting.limit / 1e6:g} MB/s "
            f"of the slot ({card.setting.bus})."
        )
    if len(card.buses) and card.places.empty:
        return "This log shows the slot, not your card: run a test of small blocks (iozone or fio)."
    reached = _classes_with(card, "pass") or "none of the common ones for certain"
    few = "no known card was" if card.places.empty else f"fewer than {MINIMUM} known cards were"
    return f"Your card has no place {where}, for {few} run so; classes that it reaches: {reached}."


def grade(row: Place) -> str:
    """Return the thirds that the places of a row lie in: `good`, `middling to good`, ..."""
    thirds = [min(2, 3 * (rank - 1) // (row.n + 1)) for rank in (row.rank_low, row.rank_high)]
    low, high = _GRADES[thirds[0]], _GRADES[thirds[1]]
    if low == high:
        return low
    middle = _GRADES[min(2, 3 * (row.rank - 1) // (row.n + 1))]
    return f"{high} to {low}" if thirds[1] - thirds[0] == 1 else f"{middle}, as far as one run says"


def board_of(card: Card) -> str:
    """Return the card's board in short: `Pi 4`."""
    return short_board(card.setting.host_name)


def short_board(name: str) -> str:
    """Return a host's name as people say it.

    Examples
    --------
    >>> short_board("Raspberry Pi 4 Model B"), short_board("Raspberry Pi Zero 2 W")
    ('Pi 4', 'Zero 2 W')
    """
    return name.removeprefix("Raspberry ").replace(" Model B", "").replace("Pi Zero", "Zero")


def rest(card: Card) -> Iterator[str]:
    """Yield what follows the four tests: whom it is like, label, classes, what runs would say."""
    yield from _outlook(card)
    if like := " ".join([*_alike(card), *_label(card)]):
        yield like
    words = {"pass": "reached", "fail": "missed"}
    groups = [(names, word) for end, word in words.items() if (names := _classes_with(card, end))]
    groups += _open_classes(card)
    if groups:
        yield ". ".join(f"{names}: {word}" for names, word in groups) + "."
    yield from _more_runs(card)


def _outlook(card: Card) -> Iterator[str]:
    """Yield what is known of tests that no known card went through, and of rough places."""
    rows = [row for op in MAIN_TESTS if (row := place_of(op, card)) and row.n >= MINIMUM]
    rough = sorted({row.level for row in rows if row.level != SAME_TOOL})
    if rough:
        yield f"* a rough guide: {'; '.join(_ROUGH[level] for level in rough)}."
    ranges = [
        f"{briefly(row.op)} {speed_in_words(row.low)} to {speed_in_words(row.high)} ({row.tool})"
        for row in _rows(card.usual)
    ]
    if ranges:
        where = card.usual["where"].iloc[0]
        yield f"Known cards {where}, run otherwise, in MB/s: {', '.join(ranges)}."


_ROUGH = {
    "other tool": "your figure is fio's, the others are iozone's",
    "depth not stated": "nobody states how many requests at once the others got",
}


def _alike(card: Card) -> Iterator[str]:
    for near in _rows(card.closest):
        name, tests = near.name.rpartition(" (")[0], counted(near.tests, "test")
        if near.within_noise and len(card.nearest):
            apart = f"{100 * (near.factor - 1):.0f} % apart in {tests}"
            yield f"It behaves like the {name} ({apart})."
        else:
            apart = f"{near.factor:.1f} times apart"
            yield f"No known card is like it; the nearest, {name}, is {apart}."


def _label(card: Card) -> Iterator[str]:
    """Yield whether the figures fit the name on the card."""
    label, found, tests = card.name.label, card.name.candidates, card.name.tests
    if label is None or card.check.conflicts:
        return
    if found.empty:
        sizes = other_sizes(label, card.media)
        like = [] if sizes else names_like(label, card.media)
        meant = f" Did you mean {' or '.join(like)}?" if like else ""
        meant = f" Measured of that name were: {', '.join(sizes)}." if sizes else meant
        yield f"The label “{label}” is not in the catalogue.{meant}"
        return
    name = str(found["name"].iloc[0]) if len(found) == 1 else card.name.product
    if not name:
        yield f"The label may mean {' or '.join(found['name'])}: add the part number."
    elif tests.empty:
        yield f"The label fits {name}, which nobody ran in these tests."
    elif (unlike := tests[tests["verdict"] == "unlike"]).empty:
        yield "The label fits." if len(found) == 1 else f"The label fits the {name}."
    else:
        row = unlike.iloc[unlike["ratio"].map(math.log).abs().argmax()]
        ratio = row["ratio"]
        ways = (
            f"{ratio:.1f} times as fast as" if ratio > 1 else f"{1 / ratio:.1f} times slower than"
        )
        yield f"The label does not fit: {row['test']} is {ways} every {name} we know."


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    return frame.itertuples()


def _shown_classes(card: Card) -> pd.DataFrame:
    rows = card.classes.summary
    return rows[rows["class"].isin(_CLASSES)]


def _classes_with(card: Card, verdict: str) -> str:
    rows = _shown_classes(card)
    return ", ".join(rows.loc[rows["verdict"] == verdict, "class"])


def _open_classes(card: Card) -> Iterator[tuple[str, str]]:
    """Yield the classes that are open: near the minimum, and those that the board hides."""
    rows = _shown_classes(card)
    rows = rows[rows["verdict"] == "cannot tell"]
    hidden = rows["reason"].fillna("").str.contains("the bus carries less|command queue")
    for chosen, words in ((~hidden, "cannot be told"), (hidden, "this board cannot show it")):
        if names := ", ".join(rows.loc[chosen, "class"]):
            yield names, words


def _more_runs(card: Card) -> Iterator[str]:
    """Yield what one more run could change, and how to get more of them."""
    rows = [row for op in MAIN_TESTS if (row := place_of(op, card)) and row.n >= MINIMUM]
    runs = int(card.figures["runs"].max()) if len(card.figures) else 0
    for row in [row for row in rows if row.level == SAME_TOOL and row.rank_low < row.rank_high][:1]:
        places = f"{_ordinal(row.rank_low)} to {_ordinal(row.rank_high)} of {row.n + 1}"
        many = "One run" if row.runs == 1 else f"{row.runs} runs"
        yield f"{many}: in {briefly(row.op)} another one could place it {places}."
    if runs < _RUNS:
        yield "Five runs say more: sdanalysis bench FOLDER."


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
