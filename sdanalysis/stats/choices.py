"""The products that may be the best of a board, in the order in which to buy them.

The cards that may be the best are specimens; what is sold is a product. Specimens of one name are
one choice, whoever measured them and however it is spelt. A name of which another specimen is
clearly slower is no advice without saying so, and a card that no shop can find by its name is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdanalysis.stats.names import briefly, speed_in_words
from sdanalysis.stats.same_test import MAIN_TESTS

if TYPE_CHECKING:
    from sdanalysis.stats.boards import Case

_CHOICE = ["name_key", "card", "part_number", "value", "people", "buyable", "contested"]
_WORTH = {"fast": 1.0, "middle": 0.5, "slow": 0.0}  # of a card in the tests that do not decide
_AVOIDED = 3  # cards that a figure warns of
_REGISTER = "[A-Z0-9]{5}"  # a product's name in the register of a card: on no pack


def name_key(name: str) -> str:
    """Return one word for all spellings of a name: capitals and blanks tell no products apart.

    Examples
    --------
    >>> name_key("Samsung Evo+ 32 GB") == name_key("Samsung EVO Plus 32GB")
    True
    """
    return re.sub(r"[^a-z0-9]", "", str(name).casefold().replace("+", " plus"))


def is_buyable(rows: pd.DataFrame) -> pd.Series:
    """Return whether a shop could find the cards: by their size and a name or a number."""
    printed = ~rows["product"].str.fullmatch(_REGISTER).fillna(False)
    named = (rows["product"] != "unknown") | rows["application_class"].isin(["A1", "A2"])
    return rows["capacity"].notna() & printed & (named | rows["part_number"].notna())


def order_choices(
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
            "people": (best if linked else lead)["measured_by"].nunique(),
            "buyable": lead["buyable"].any(),
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
    mark = ages.mask(ranked["best"] & ~ranked["buyable"], "no name to buy")
    if case.taken is not None:
        taken = ranked["best"] & (ranked["name_key"] == case.taken["name_key"])
        mark = mark.mask(taken, "take")
    last = ranked.index[ranked["group"] == "slow"][-_AVOIDED:]
    mark[last] = "avoid"
    middle = len(ranked) // 2
    here = mark.isna() & (ranked.index == middle) & (ranked["group"] == "middle")
    mark = mark.mask(here, "in the middle")
    marked = [*mark.index[mark == "take"], *last, *ranked.index[contested], middle]
    order = dict.fromkeys([*marked, *ranked.index])
    chosen = sorted([place for place in order if place in ranked.index][:rows])
    return ranked.assign(mark=mark.fillna("")).loc[chosen].reset_index(drop=True)


def board_table(case: Case) -> pd.DataFrame:
    """Return all cards of the board in the four tests, as words: a row a `specimen`, in MB/s.

    A figure has its group behind it; one that is missing or doubted is predicted where the model
    can, behind `≈` with its interval. Cards that were measured on other boards alone are left out.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-2b", "system")
    >>> table = stats.board_table(case).set_index("card")
    >>> table.loc["Samsung Pro 16 GB", "small writes"]
    '≈ 1.58 (1.28 to 1.93)'
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
