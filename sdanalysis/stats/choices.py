"""The case of a buyer: a board, a use, and the products that may be the best, in order.

The cards that may be the best are specimens; what is sold is a product. Specimens of one name are
one choice, whoever measured them and however it is spelt. A name of which another specimen is
clearly slower is no advice without saying so, and a card that no shop can find by its name is none.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError, check_known
from sdanalysis.stats.boards import (
    SLOT,
    board_figures,
    measured_figures,
    queue_gains,
    with_products,
)
from sdanalysis.stats.fit import Fit, fit_model, model_figures
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import briefly, card_names, place_names, speed_in_words
from sdanalysis.stats.products import ProductSpread, product_spread
from sdanalysis.stats.same_test import MAIN_TESTS
from sdanalysis.stats.vintage import generations

USES = {"system": "randwrite", "storage": "write", "camera": "write"}  # and the test that decides
AVOIDED = 3  # of the slowest cards: what is warned of
_CHOICE = ["name_key", "card", "part_number", "value", "people", "buyable", "contested", "year"]
_WORTH = {"fast": 1.0, "middle": 0.5, "slow": 0.0}  # of a card in the tests that do not decide
_AGE = {"old": "older", "new": "newer"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A board and a use, with what is known of cards for it; `buyer_case` makes it."""

    host: str
    use: str
    board: str  # whose cards are compared: the host's own, or those of the nearest with enough
    figures: pd.DataFrame  # of the board in all tests, as of `with_products`
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
        return USES[self.use]

    @cached_property
    def taken(self) -> pd.Series | None:
        """The product that is the advice; None where none that may be the best can be bought."""
        choices = self.choices[self.choices["buyable"].astype(bool)]
        return choices.iloc[0] if len(choices) else None

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """The measured figures of the test that decides."""
        return self.figures[(self.figures["op"] == self.op) & ~self.figures["predicted"]]

    def lead(self, name: str) -> pd.DataFrame:
        """Return the specimens of a product that may be the best."""
        rows = self.ranked
        return rows[rows["best"] & (rows["name_key"] == name)]

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
    """Gather what is known of the cards for a board and a use (`system`, `storage`, `camera`).

    The products that may be the best are in order: first those that can be bought by name, and of
    which no other specimen is clearly slower. Of these one that several people measured, where a
    buyer may expect most of it: the more specimens, the less the next one may be behind. Else the
    one that is fast in the other tests, whose part number is known. `companions` are the sources
    that are named as being beyond the five. A host without a slot is an SdAnalysisError.
    """
    check_known("use", use, USES)
    check_known("host", host, sorted(hosts.loc[hosts["reader"] == SLOT, "host"]))
    fits = {op: fit_model(measurements, op) for op in MAIN_TESTS}

    def of_board(name: str) -> pd.DataFrame:
        asked = measurements, hosts, name, confidence
        parts = [board_figures(fit, *asked) for fit in fits.values()]
        return with_products(parts, measurements, media, companions)

    op, own = USES[use], of_board(host)
    enough = ((own["op"] == op) & ~own["predicted"]).sum() >= MINIMUM
    board = host if enough else _nearest(fits[op], hosts, host)
    figures = own if board == host else of_board(board)
    slots = sorted({place.host for place in fits[op].places if place.reader == SLOT})
    every = [measured_figures(fits[op], hosts, name, SLOT, confidence) for name in slots]
    standings = with_products(every, measurements, media)
    spread = product_spread(model_figures(measurements, op), confidence=confidence)
    doubts = model_figures(measurements, op, with_doubted=True)
    doubts = doubts[(doubts["host"] == board) & (doubts["reader"] == SLOT)]["specimen"]
    sure = fits[op].figures
    sure = sure[(sure["host"] == board) & (sure["reader"] == SLOT)]["specimen"]
    return Case(
        host=host,
        use=use,
        board=board,
        figures=figures,
        own=own,
        standings=standings,
        choices=_choices(figures, standings, op, spread.sd),
        spread=spread,
        gains=queue_gains(measurements, host, op, confidence=confidence),
        places=place_names(hosts),
        slot=hosts.set_index(["host", "reader"]).loc[(host, SLOT)],
        age=generations(media).set_index("specimen")["generation"].map(_AGE),
        doubted=tuple(doubts[~doubts.isin(sure)].map(card_names(media, rated=True))),
    )


def _nearest(fit: Fit, hosts: pd.DataFrame, host: str) -> str:
    """Return the board by whose cards to choose for one where fewer than three were measured.

    Of those whose slot carries as much, the one where most people measured: a board's order of
    cards that several systems share may be expected of another. Of all, where none does.
    """
    boards = fit.figures[fit.figures["reader"] == SLOT].groupby("host")
    slots = hosts[hosts["reader"] == SLOT].set_index("host")
    slots = slots.assign(
        alike=slots["limit"] == slots["limit"][host],
        people=boards["measured_by"].nunique(),
        cards=boards["specimen"].nunique(),
    )
    slots = slots[slots["cards"] >= MINIMUM].drop(host, errors="ignore")
    if slots.empty:
        raise SdAnalysisError(
            f"{fit.test.op}: found no board with {MINIMUM} cards, expected one or more"
        )
    return str(slots.sort_values(["alike", "people", "cards"]).index[-1])


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
    for key, lead in rows[rows["best"]].groupby("name_key"):
        alike = named[named["name_key"] == key]
        best = alike[alike["best"]]
        slower = alike[alike["may_be_best"].notna() & ~alike["specimen"].isin(best["specimen"])]
        other = figures[figures["specimen"].isin(lead["specimen"]) & (figures["op"] != op)]
        numbered = best if linked else lead
        known = numbered[numbered["part_number"].notna()]
        found.append({
            "name_key": key,
            "card": (known if len(known) else lead)["card"].iloc[0],
            "part_number": known["part_number"].iloc[0] if len(known) else None,
            "value": lead["value"].max(),
            "people": numbered["measured_by"].nunique(),
            "buyable": lead["buyable"].any(),
            "contested": len(slower) > 0,
            "worth": other["group"].map(_WORTH).fillna(_WORTH["middle"]).mean(),
            "year": lead["year"].min(),
        })  # fmt: skip
    table = pd.DataFrame(found, columns=[*_CHOICE, "worth"])
    table = table.assign(open=~table["contested"].astype(bool), known=table["part_number"].notna())
    behind = np.exp(-spread / np.sqrt(table["people"].astype(float)))
    expected = (table["value"] * behind).where(table["buyable"].astype(bool) & table["open"])
    table = table.assign(several=(table["people"] > 1) & (expected == expected.max()))
    order = ["buyable", "open", "several", "worth", "known", "value"]
    return table.sort_values(order, ascending=False, ignore_index=True)[_CHOICE]


def shown_figures(case: Case, *, rows: int = 14) -> pd.DataFrame:
    """Return the figures of the deciding test that tell the story: the fast, the middle, the slow.

    At most `rows` of `case.ranked`, the fastest first, with `mark`: `take`, `avoid` (the last of
    the slow group), `older` or `newer` (where the name is contested), `no name to buy`, `in the
    middle`, or nothing.
    """
    ranked = case.ranked.reset_index(drop=True)
    keys = case.choices.loc[case.choices["contested"].astype(bool), "name_key"]
    contested = ranked["name_key"].isin(keys)
    mark = ranked["specimen"].map(case.age).where(contested)
    mark = mark.mask(ranked["best"] & ~ranked["buyable"], "no name to buy")
    if case.taken is not None:
        taken = ranked["best"] & (ranked["name_key"] == case.taken["name_key"])
        mark = mark.mask(taken, "take")
    last = ranked.index[ranked["group"] == "slow"][-AVOIDED:]
    mark[last] = "avoid"
    middle = len(ranked) // 2
    here = mark.isna() & (ranked.index == middle) & (ranked["group"] == "middle")
    mark = mark.mask(here, "in the middle")
    marked = [*mark.index[mark == "take"], *last, *ranked.index[contested], middle]
    chosen = sorted([*dict.fromkeys([*marked, *ranked.index])][:rows])
    return ranked.assign(mark=mark.fillna("")).loc[chosen].reset_index(drop=True)


def board_table(case: Case) -> pd.DataFrame:
    """Return all cards of the board in the four tests, as words: a row a `specimen`, in MB/s.

    A figure has its group behind it; one that is missing or doubted is predicted where the model
    can, behind `≈` with its interval. Cards that were measured on other boards alone are left out.
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
    return table.fillna("-").reset_index()


def _cell(row: Any) -> str:
    value, low, high = map(speed_in_words, (row.value, row.low, row.high))
    if row.predicted:
        return f"≈ {value} ({low} to {high})"
    return f"{value} {row.group}" if isinstance(row.group, str) else value
