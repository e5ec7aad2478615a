"""Where one card stands: the frames and facts that sentences, document and notebook show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from sdanalysis.my_card.gather import Logs
from sdanalysis.my_card.named import Board, Setting

ALL_HOSTS = "all hosts"  # whose figures they are, where the card's own host has none
SAME_TOOL, OTHER_TOOL = "same tool", "other tool"  # fio's figures may stand beside iozone's
WITHHELD = "withheld (--show-serial prints it)"


class Place(NamedTuple):
    """A test of a card among the `n` known cards in the same test.

    `level` is `same tool`, or `other tool` (see `figures`), `basis` whose figures these are.
    `rank` 1 is the fastest; run noise leaves the places `rank_low` to `rank_high`. `percentile` is
    the share of the cards that are slower (%, equal ones half), `ratio` that to the `median` card,
    `band` what noise alone may do to such a ratio, `verdict` `>` or `<` outside of it, else `~`.
    """

    test: str
    tool: str
    op: str
    block_size: int
    level: str
    value: float
    runs: int
    basis: str
    n: int
    slower: int
    rank: int
    rank_low: int
    rank_high: int
    percentile: float
    median: float
    ratio: float
    band: float
    verdict: str
    noise_basis: str
    assumed: str | None
    at: str

    @property
    def shown_test(self) -> str:
        """The words of the test with the tool that really ran, where it was another."""
        return self.test if self.level == SAME_TOOL else self.test.replace(", iozone", ", fio")


class Name(NamedTuple):
    """The name on the card: `candidates` for what it may mean, and `tests` beside those.

    Of the tests: `n` specimens of the `name`, `ratio` of the card to the `nearest` of them, `band`
    (what run noise alone may do to it), `verdict`: `~` inside run noise, `specimens` inside the
    `yardstick` (the factor by which specimens of one model are known to differ, `source`: where
    that was seen), `unlike` beyond it; `same_host`: whether they were measured on the card's host.
    """

    label: str | None
    candidates: pd.DataFrame
    tests: pd.DataFrame
    yardstick: float
    source: str


class Classes(NamedTuple):
    """The classes that figures reach: one row a class, and one a figure held against a minimum."""

    summary: pd.DataFrame
    figures: pd.DataFrame


class Sentence(str):
    """Words in the place of a table, which a notebook shows without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True, kw_only=True)
class Card:
    """Where one card stands.

    `figures` has a row a test of the `logs`, `places` a row `Place` a test that a source ran as
    well, `nearest` a row a known card that behaves alike, `points` a row `Point` a mark of
    the figure, `doubts` what the rules of the audit doubt, `not_compared` what has no place and
    why. `answer` says the most important of it in sentences; `board` is the host that the logs
    name, if none was given.
    """

    logs: Logs
    setting: Setting
    board: Board | None
    figures: pd.DataFrame
    places: pd.DataFrame
    nearest: pd.DataFrame
    points: pd.DataFrame
    name: Name
    classes: Classes
    doubts: pd.DataFrame
    not_compared: pd.DataFrame
    answer: tuple[str, ...] = ()

    @property
    def not_read(self) -> pd.DataFrame:
        """What could not be read in the logs, or is doubtful there; notes are not among it."""
        rows = [
            (f"{path.rpartition('/')[2]}:{problem.line}", problem.kind, problem.text)
            for path, problem in self.logs.problems
            if problem.kind != "note"
        ]
        return pd.DataFrame(rows, columns=["at", "kind", "text"])

    def identity(self, *, show_serial: bool = False) -> pd.DataFrame:
        """Return what the logs say of the card itself; its serial number only when asked for."""
        rows = []
        for file, fact in self.logs.facts:
            value = WITHHELD if fact.private and not show_serial else fact.value
            rows.append((fact.name, value, f"{file}:{fact.line}"))
        return pd.DataFrame(rows, columns=["name", "value", "at"])

    def table(self, name: str) -> pd.DataFrame | Sentence:
        """Return a table as a notebook shows it, MB/s and rounded; where it is empty, why.

        The names are `places`, `nearest`, `candidates`, `name`, `classes`, `not_compared`,
        `not_read`, `doubts` and `identity`.
        """
        value, median = self.places["value"] / 1e6, self.places["median"] / 1e6
        frames = {
            "places": self.places[_PLACES].assign(value=value, median=median),
            "candidates": self.name.candidates,
            "name": self.name.tests,
            "classes": self.classes.summary,
            "not_compared": self.not_compared.drop(columns="reason"),
            "identity": self.identity(),
        }
        frame = frames[name] if name in frames else getattr(self, name)
        if len(frame):
            return frame.round(2)
        unnamed = name in ("candidates", "name") and self.name.label is None
        return Sentence(f"nothing to show: {'no label was given' if unnamed else _ABSENT[name]}")


_PLACES = [
    *("test", "level", "value", "basis", "n", "rank", "rank_low", "rank_high", "median", "ratio"),
    *("band", "verdict"),
]
_ABSENT = {
    "places": "no test of this log was run by a source",
    "nearest": "no test of this log was run by a source with the same tool",
    "candidates": "the catalogue has no card of that name",
    "name": "no source measured a specimen of that name in a test of this log",
    "classes": "no figure of this log can be held against the minimum of a class",
    "not_compared": "all figures have a place",
    "not_read": "all result lines were read",
    "doubts": "no rule of the audit doubts this log",
    "identity": "the log holds no register of the card",
}


def rows_of(places: pd.DataFrame) -> list[Place]:
    """Return the rows of `Card.places` by the names that their type has."""
    return [Place(*row) for row in places[list(Place._fields)].itertuples(index=False)]
