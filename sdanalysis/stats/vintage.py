"""Older against newer Samsung Evo+: these cards by the model of a test, and the part numbers.

The older part numbers end in DA, the newer ones in GA. Two answers are told apart: which of two
cards was faster (`vintage_pairs`), and what a part number promises of a card (`vintage_products`).
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.effects import specimen_ratio
from sdanalysis.stats.fit import Fit, Place
from sdanalysis.stats.intervals import verdict
from sdanalysis.stats.names import briefly, capacity_in_words
from sdanalysis.stats.products import product_ratio
from sdanalysis.stats.reasons import WORDS, Reason, doubted, figure_reasons, first_reason
from sdanalysis.stats.same_test import columns

EVIDENCE = ("named", "inferred", "guessed", "linked", "printed")  # the weakest first
_FAMILY = ("Evo+", "EVO +", "Evo Plus", "Evo+ (2017)", "Evo Select")
_OLDER, _NEWER = "DA", ("GA", "2017")
_PLACE = columns("laboratory", "place")
_CARD = ["specimen", "medium", "level", "evidence", "capacity", "value", "ids"]
_ESTIMATE = ["ratio", "low", "high", "at_least", "reason"]


def generations(media: pd.DataFrame) -> pd.DataFrame:
    """Return the cards of the family, with the generation that they belong to.

    Old are the part numbers that end in DA, new those in GA and the model of 2017. A name is no
    vintage: a card of which only one is known (Evo Plus, Evo Select) has no generation.

    Columns `specimen`, `medium`, `generation` (old, new, or missing), `level` (part number, or
    name), `evidence` (an ordered category, the weakest first), `capacity` (B), `why` (the evidence
    in words).
    """
    family = media[(media["maker"] == "Samsung") & media["product"].isin(_FAMILY)]
    newer = family["vintage"].isin(_NEWER)
    known = family.assign(
        generation=newer.map({True: "new"}).mask(family["vintage"] == _OLDER, "old"),
        level=family["part_number"].fillna(family["product"]),
        evidence=pd.Categorical(family["evidence"], categories=EVIDENCE, ordered=True),
        why=family["note"].fillna(family["vintage_evidence"]),
    )
    fields = ["specimen", "medium", "generation", "level", "evidence", "capacity", "why"]
    return known[fields].reset_index(drop=True)


def vintage_pairs(fit: Fit, media: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Compare each older card with each newer one that the same person measured in a place.

    The ratio is the model's, from all figures of both cards; `measured` is that of the two figures
    in this place alone.

    Returns one row a pair of cards and a place, equal sizes first: the place; `specimen`, `medium`,
    `level`, `evidence`, `capacity` (B), `value` (B/s) and `ids` of the older card and (ending in
    `_other`) of the newer; `measured`, `ratio`, `low`, `high` (newer over older), `at_least`,
    `reason`, `verdict` (`>1`, `<1`, `~`; `points` without an interval), `same_capacity`, `weakest`
    (evidence of the pair).
    """
    known = generations(media).drop(columns=["medium", "why"])
    figures = fit.figures.merge(known, on="specimen", validate="many_to_one")
    older, newer = (
        figures.loc[figures["generation"] == age, [*_PLACE, *_CARD]] for age in ("old", "new")
    )
    pairs = older.merge(newer, on=_PLACE, suffixes=("", "_other"))
    rows: list[Any] = [*pairs.itertuples()]
    found = [
        specimen_ratio(fit, row.specimen, row.specimen_other,
                       Place(row.measured_by, row.host, row.reader), confidence=confidence)
        for row in rows
    ]  # fmt: skip
    ranks = pd.DataFrame({name: pairs[name].cat.codes for name in ("evidence", "evidence_other")})
    weakest = pd.Categorical.from_codes(ranks.min(axis=1), EVIDENCE, ordered=True)
    pairs = pairs.assign(measured=pairs["value_other"] / pairs["value"], weakest=weakest)
    pairs = pairs.sort_values([*_PLACE, "specimen", "specimen_other"], kind="stable")
    return _estimated(pairs, found)


def vintage_products(
    figures: pd.DataFrame, media: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Compare the older part numbers with the newer ones, specimens being draws of their product.

    `figures` as of `model_figures`. Returns one row a pair of part numbers, equal sizes first:
    `medium`, `level`, `capacity` (B), `cards` (specimens measured) and `weakest` (evidence) of the
    older and (ending in `_other`) of the newer, `ratio` (newer over older), `low`, `high`,
    `at_least`, `reason`, `verdict`, `same_capacity`.
    """
    known = generations(media).dropna(subset="generation").set_index("specimen")
    measured = known.loc[sorted(set(figures["specimen"]) & set(known.index))]
    measured = measured.groupby(["generation", "medium", "level", "capacity"], as_index=False).agg(
        cards=("why", "size"), weakest=("evidence", "min")
    )
    sides = (measured[measured["generation"] == age].drop(columns="generation")
             for age in ("old", "new"))  # fmt: skip
    rows = next(sides).merge(next(sides), how="cross", suffixes=("", "_other"))
    pairs: list[Any] = [*rows.itertuples()]
    found = [
        product_ratio(figures, row.medium, row.medium_other, confidence=confidence) for row in pairs
    ]
    return _estimated(rows, found)


def _estimated(rows: pd.DataFrame, estimates: Iterable[Any]) -> pd.DataFrame:
    """Return pairs with the model's estimate and what it decides, pairs of equal sizes first."""
    found = pd.DataFrame(estimates, columns=_ESTIMATE)
    ends = zip(found["low"], found["high"], strict=True)
    found = found.assign(verdict=[verdict(low, high) for low, high in ends])
    rows = rows.assign(**found, same_capacity=rows["capacity"] == rows["capacity_other"])
    return rows.sort_values("same_capacity", ascending=False, kind="stable", ignore_index=True)


def vintage_reasons(measurements: pd.DataFrame, media: pd.DataFrame, fit: Fit) -> pd.Series:
    """Return the code of why `vintage_pairs` leaves a row out; missing where it does not."""
    cards, pairs = generations(media), vintage_pairs(fit, media)
    has_pair = measurements["id"].isin({*pairs["ids"].explode(), *pairs["ids_other"].explode()})
    aged = cards.loc[cards["generation"].notna(), "specimen"]
    test = measurements["tool"].eq(fit.test.tool) & measurements["op"].eq(fit.test.op)
    if fit.test.block_size is not None:
        test &= (measurements["block_size"] == fit.test.block_size).fillna(False)
    codes = first_reason(
        measurements.index,
        [
            (~measurements["specimen"].isin(cards["specimen"]), Reason.NOT_IN_FAMILY),
            (~measurements["specimen"].isin(aged), Reason.VINTAGE_UNKNOWN),
            (~test, Reason.OTHER_TEST),
        ],
    ).fillna(figure_reasons(measurements))
    rest = [(~has_pair & doubted(measurements), Reason.DOUBTED), (~has_pair, Reason.NO_PARTNER)]
    return first_reason(measurements.index, rest, after=codes)


def vintage_in_words(
    pairs: pd.DataFrame, products: pd.DataFrame, op: str, cards: pd.Series, places: pd.Series
) -> list[str]:
    """Say, a sentence a pair, what the cards show, and last what the part numbers promise.

    `pairs` and `products` as of `vintage_pairs` and `vintage_products`; `cards` and `places` as of
    `card_names` and `place_names`.
    """
    lines = []
    # The rows of a pair of cards: all its places where one ratio holds in all.
    keys = ["specimen", "specimen_other", pairs["ratio"].astype(float).round(9)]
    for _, rows in pairs.groupby(keys, sort=False, dropna=False):
        row: Any = next(rows.itertuples())
        size, other = map(capacity_in_words, (row.capacity, row.capacity_other))
        sizes = f"{size} each" if row.same_capacity else f"{size} against {other}"
        found = zip(rows["host"], rows["reader"], strict=True)
        where = " and ".join(str(places[place]) for place in found)
        older, newer = (
            f"the {age} {cards[name]}{'' if level in cards[name] else f' ({level})'}"
            for age, name, level in (
                ("older", row.specimen, row.level),
                ("newer", row.specimen_other, row.level_other),
            )
        )
        lines.append(f"{sizes}, {where}: {_compared(row, older, newer)} in {briefly(op)}.")
    for row in products.head(1).itertuples():
        older = f"{row.level} ({counted(row.cards, 'card')})"
        newer = f"{row.level_other} ({counted(row.cards_other, 'card')})"
        says = f"Bought by part number, {_compared(row, older, newer)} in {briefly(op)}."
        if row.verdict == "points":
            promise = f"What {older} and {newer} promise in {briefly(op)} is not known"
            says = f"{promise}: {WORDS[row.reason]}."
        lines.append(says)
    return lines


def _compared(row: Any, older: str, newer: str) -> str:
    """Return which side is faster, and by which factor where the interval decides."""
    if row.verdict == "~":
        return f"{older} is not certainly faster or slower than {newer}"
    fast, slow, factor = (
        (newer, older, row.ratio) if row.ratio > 1 else (older, newer, 1 / row.ratio)
    )
    sure = " by these figures, with an error that is not known" if row.verdict == "points" else ""
    return f"{fast} is {in_two_digits(factor)} times as fast as {slow}{sure}"
