"""What is known of cards for a board and a use: one bag of frames, and the products in their order.

The cards that may be the best are specimens; what is sold is a product. Specimens of one name are
one choice, whoever measured them and however it is spelt. A name of which another specimen is
clearly slower is no advice without saying so, and a card that no shop can find by its name is none.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import check_known
from sdanalysis.stats.boards import (
    SLOT,
    USES,
    advising_board,
    board_figures,
    name_standings,
    queue_gains,
    speed_in_words,
)
from sdanalysis.stats.fit import model_figures
from sdanalysis.stats.names import briefly, card_names, place_names
from sdanalysis.stats.products import ProductSpread, product_spread
from sdanalysis.stats.same_test import MAIN_TESTS
from sdanalysis.stats.vintage import generations

_AGE = {"old": "older", "new": "newer"}
_CHOICE = ["name_key", "card", "part_number", "value", "people", "buyable", "contested"]
_WORTH = {"fast": 1.0, "middle": 0.5, "slow": 0.0}  # of a card in the tests that do not decide
_AVOIDED = 3  # cards that a figure warns of
_REGISTER = "[A-Z0-9]{5}"  # a product's name in the register of a card: on no pack


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A board and a use, with what is known of cards for it; `buyer_case` makes it."""

    host: str
    use: str
    board: str  # whose cards are compared: the host's own, or those of the nearest with enough
    figures: pd.DataFrame  # of the board, as of `board_figures`
    own: pd.DataFrame  # of the host
    standings: pd.DataFrame  # of the same names on all boards, in the test that decides
    choices: pd.DataFrame  # products that may be the best, the advice first
    spread: ProductSpread
    gains: pd.DataFrame  # by the host's command queue
    places: pd.Series  # names of the boards
    slot: pd.Series  # row of the host's slot
    age: pd.Series  # older, newer: of a specimen
    doubted: tuple[str, ...]  # cards of the board whose figure in the test that decides is left out

    @property
    def op(self) -> str:
        """The test that decides."""
        return USES[self.use][0]

    @property
    def taken(self) -> pd.Series | None:
        """The product that is the advice; None where none that may be the best can be bought."""
        choices = self.choices[self.choices["buyable"].astype(bool)]
        return choices.iloc[0] if len(choices) else None

    @property
    def ranked(self) -> pd.DataFrame:
        """The measured figures of the test that decides."""
        return self.figures[(self.figures["op"] == self.op) & ~self.figures["predicted"]]

    def lead(self, name: str) -> pd.DataFrame:
        """Return the specimens of a product that may be the best."""
        rows = self.ranked
        return rows[is_best(rows) & (rows["name_key"] == name)]

    def at(self, host: str) -> str:
        """Return what a board is called."""
        return str(self.places[host, SLOT])


def buyer_case(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    host: str,
    use: str,
    *,
    companions: Collection[str] = (),
    confidence: float = 0.95,
) -> Case:
    """Gather what is known of the cards for a board and a use.

    The products that may be the best are in order: first those that can be bought by name, and of
    which no other specimen is clearly slower. Of these one that several people measured, where a
    buyer may expect most of it: the more specimens, the less the next one may be behind. Else the
    one that is fast in the other tests, whose part number is known.

    Parameters
    ----------
    measurements, media, hosts : DataFrame
        As of `sdanalysis.load_data`.
    host : str
        One with a slot; another is an SdAnalysisError.
    use : str
        `system`, `storage` or `camera`; another is an SdAnalysisError.
    companions : collection of str
        The sources that are named as being beyond the five.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> frames = data.measurements, data.media, data.hosts
    >>> case = stats.buyer_case(*frames, "pi-4b", "system")
    >>> case.choices[["card", "part_number", "people"]].head(1)
                               card         part_number  people
    0  SanDisk Extreme PRO 32 GB A1  SDSQXCG-032G-GN6MA       3
    """
    check_known("use", use, USES)
    check_known("host", host, sorted(hosts.loc[hosts["reader"] == SLOT, "host"]))
    op, frames = USES[use][0], (measurements, media, hosts)
    board = advising_board(measurements, hosts, host, op)
    asked = {"companions": companions, "confidence": confidence}
    figures = board_figures(*frames, board, **asked)
    spread = product_spread(model_figures(measurements, op), confidence=confidence)
    standings = name_standings(*frames, op, confidence=confidence)
    return Case(
        host=host,
        use=use,
        board=board,
        figures=figures,
        own=figures if board == host else board_figures(*frames, host, **asked),
        standings=standings,
        choices=_choices(figures, standings, op, spread.sd),
        spread=spread,
        gains=queue_gains(measurements, host, op, confidence=confidence),
        places=place_names(hosts),
        slot=hosts.set_index(["host", "reader"]).loc[(host, SLOT)],
        age=generations(media).set_index("specimen")["generation"].map(_AGE),
        doubted=_doubted(measurements, media, board, op),
    )


def _choices(
    figures: pd.DataFrame, standings: pd.DataFrame, op: str, spread: float
) -> pd.DataFrame:
    """Return the products with a specimen that may be the best of a board, the advice first.

    `spread` is the standard deviation of the logarithms of specimens of one product.
    """
    rows = figures[(figures["op"] == op) & ~figures["predicted"]]
    named = pd.concat([rows, standings[standings["host"] != figures["host"].iloc[0]]])
    linked = rows["test"].isna().all()  # the board's own test is another than that of the standings
    found = []
    for key, lead in rows[is_best(rows)].groupby("name_key"):
        alike = named[named["name_key"] == key]
        best = alike[is_best(alike)]
        slower = alike[alike["may_be_best"].notna() & ~alike["specimen"].isin(best["specimen"])]
        other = figures[figures["specimen"].isin(lead["specimen"]) & (figures["op"] != op)]
        numbered = best if linked else lead
        known = numbered[numbered["part_number"].notna()]
        found.append({
            "name_key": key,
            "card": (known if len(known) else lead)["card"].iloc[0],
            "part_number": known["part_number"].iloc[0] if len(known) else None,
            "value": lead["value"].max(),
            "people": (best if linked else lead)["measured_by"].nunique(),
            "buyable": is_buyable(lead).any(),
            "contested": len(slower) > 0,
            "worth": other["group"].map(_WORTH).fillna(_WORTH["middle"]).mean(),
            "year": lead["year"].min(),
        })  # fmt: skip
    table = pd.DataFrame(found, columns=[*_CHOICE, "worth", "year"])
    table = table.assign(open=~table["contested"].astype(bool), known=table["part_number"].notna())
    behind = np.exp(-spread / np.sqrt(table["people"].astype(float)))
    expected = (table["value"] * behind).where(table["buyable"].astype(bool) & table["open"])
    table = table.assign(several=(table["people"] > 1) & (expected == expected.max()))
    order = ["buyable", "open", "several", "worth", "known", "value"]
    return table.sort_values(order, ascending=False, ignore_index=True)[[*_CHOICE, "year"]]


def _doubted(
    measurements: pd.DataFrame, media: pd.DataFrame, board: str, op: str
) -> tuple[str, ...]:
    """Return the names of the cards of a board that have a doubted figure alone."""
    sure, every = (model_figures(measurements, op, with_doubted=doubts) for doubts in (False, True))
    here = every[(every["host"] == board) & (every["reader"] == SLOT)]
    sure = sure[(sure["host"] == board) & (sure["reader"] == SLOT)]
    left = here[~here["specimen"].isin(sure["specimen"])]
    return tuple(left["specimen"].map(card_names(media, rated=True)))


def is_best(rows: pd.DataFrame) -> pd.Series:
    """Return whether figures are of cards that may be the best; False where nothing is ranked."""
    return rows["may_be_best"].fillna(False).astype(bool)


def is_buyable(rows: pd.DataFrame) -> pd.Series:
    """Return whether a shop could find the cards: by their size and a name or a number."""
    printed = ~rows["product"].str.fullmatch(_REGISTER).fillna(False)
    named = (rows["product"] != "unknown") | rows["application_class"].isin(["A1", "A2"])
    return rows["capacity"].notna() & printed & (named | rows["part_number"].notna())


def shown_figures(case: Case, *, rows: int = 14) -> pd.DataFrame:
    """Return the figures of the deciding test that tell the story: the fast, the middle, the slow.

    Returns
    -------
    DataFrame
        At most `rows` of `case.ranked`, the fastest first, with `mark`: `take`, `avoid` (the last
        of the slow group), `older` or `newer` (where the name is contested), `no name to buy`, `in
        the middle`, or nothing.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-4b", "system")
    >>> shown = stats.shown_figures(case)
    >>> len(shown), shown["mark"].value_counts()[["take", "avoid"]].tolist()
    (14, [2, 3])
    """
    ranked = case.ranked.reset_index(drop=True)
    keys = case.choices.loc[case.choices["contested"].astype(bool), "name_key"]
    contested = ranked["name_key"].isin(keys)
    ages = ranked["specimen"].map(case.age).where(contested)
    mark = ages.mask(is_best(ranked) & ~is_buyable(ranked), "no name to buy")
    if case.taken is not None:
        taken = is_best(ranked) & (ranked["name_key"] == case.taken["name_key"])
        mark = mark.mask(taken, "take")
    last = ranked.index[ranked["group"] == "slow"][-_AVOIDED:]
    mark[last] = "avoid"
    middle = len(ranked) // 2
    mark = mark.mask(mark.isna() & (ranked.index == middle), "in the middle")
    marked = [*mark.index[mark == "take"], *last, *ranked.index[contested], middle]
    order = dict.fromkeys([*marked, *ranked.index])
    chosen = sorted([place for place in order if place in ranked.index][:rows])
    return ranked.assign(mark=mark.fillna("")).loc[chosen].reset_index(drop=True)


def board_table(case: Case) -> pd.DataFrame:
    """Return all cards of the board in the four tests, as words: a row a card, in MB/s.

    A figure has its group behind it; one that is missing or doubted is predicted where the model
    can, behind `≈` with its interval. Cards that were measured on other boards alone are left out.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-2b", "system")
    >>> table = stats.board_table(case).set_index("card")
    >>> table.loc["Samsung Pro 16 GB", "small writes"]
    '≈ 1.55 (1.21 to 1.99)'
    """
    rows = case.figures.sort_values(["predicted", "value"], ascending=[True, False])
    rows = rows[rows["specimen"].isin(rows.loc[~rows["predicted"], "specimen"])]
    rows = rows.assign(text=[_cell(row) for row in rows.itertuples()], last=rows["op"] != case.op)
    rows = rows.sort_values("last", kind="stable")
    wide = rows.pivot(index="specimen", columns="op", values="text")
    wide = wide.reindex(columns=[op for op in MAIN_TESTS if op in wide]).rename(columns=briefly)
    cards = rows.drop_duplicates("specimen").set_index("specimen")
    who = cards["people"] + ", " + cards["year"] + cards["beyond"].map({True: " *", False: ""})
    table = cards[["card"]].assign(**{"measured by": who}).join(wide)
    return table.fillna("-").reset_index(drop=True)


def _cell(row: Any) -> str:
    value, low, high = map(speed_in_words, (row.value, row.low, row.high))
    if row.predicted:
        return f"≈ {value} ({low} to {high})"
    return f"{value} {row.group}" if isinstance(row.group, str) else value
