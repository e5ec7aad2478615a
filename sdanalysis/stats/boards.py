"""The figures of the cards in each place: which may be the best there, and what others would give.

A board is the slot of a Raspberry Pi. Its cards are ranked by the figures that were measured
there, in one test each (`effects.may_be_best`); a card that was measured elsewhere has a
prediction. Where nobody ran a main test, the board's own test with most cards stands in for it,
with the error of its repeated runs: it ranks the cards of that board, and no others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.stats.effects import may_be_best, predictions
from sdanalysis.stats.fit import Fit, figure_errors, fit_model, log_sigma, own_fit
from sdanalysis.stats.intervals import t_quantile
from sdanalysis.stats.memory import remembered
from sdanalysis.stats.names import card_names
from sdanalysis.stats.noise import noise_band, widths
from sdanalysis.stats.reasons import Reason, doubted, usable
from sdanalysis.stats.same_test import (
    MAIN_TESTS,
    average_repeats,
    columns,
    test_in_words,
    with_test,
)

SLOT, QUEUE_OFF = "slot", "slot-no-queue"  # the reader that is part of a board
_PLACE = columns("place")
_FIGURES = [
    *("op", "test", *_PLACE, "measured_by", *columns("card"), "value", "low", "high"),
    *("at_least", "runs", "predicted", "may_be_best", "margin", "reason", "group", "limit"),
    *("cards", "rank"),
]
_FLAGS = ["predicted", "doubted", "at_least"]
_WHOLE = {"runs": "Int64", "cards": "Int64", "rank": "Int64", "may_be_best": "boolean"}
_HALF = 0.5  # of the fastest card: below it beyond chance, a card is slow
_BUYER = ["part_number", "capacity", "product", "application_class"]
_REGISTER = "[A-Z0-9]{5}"  # a product's name in the register of a card: on no pack
_BLOCK = 4096  # B, of the random tests
# The page cache gathers dd's small requests before they go out, and not every table states them.
_GATHERED = ("dd",)


@remembered
def measured_figures(
    fit: Fit, hosts: pd.DataFrame, host: str, reader: str, confidence: float
) -> pd.DataFrame:
    """Return the figures of a place with their groups; person by person where people disagree.

    One row a card, the fastest first: `op`, `test` (words, of a board's own test), `host`,
    `reader`, `measured_by`, `specimen`, `medium`, `value` (B/s), `low` and `high` (where another
    try could end, at most `limit`), `at_least`, `runs`, `predicted`, `may_be_best`, `margin`,
    `reason` (why nothing is ranked), `group` (`fast`: may be the best; `slow`: less than half as
    fast, beyond chance; `middle`; missing without a ranking), `limit`, `cards` and `rank` (of
    those ranked together).
    """
    place, asked = (fit, hosts, host, reader), {"confidence": confidence}
    found = [may_be_best(*place, **asked)]
    if found[0]["reason"].iloc[0] == Reason.PEOPLE_DISAGREE:
        people = dict.fromkeys(found[0]["measured_by"])
        found = [may_be_best(*place, measured_by=who, **asked) for who in people]
    rows = pd.concat([_grouped(part) for part in found], ignore_index=True)
    limit = float(hosts.set_index(_PLACE)["limit"][host, reader])
    reach = math.nan
    if fit.freedom:
        reach = math.exp(math.sqrt(2) * t_quantile(confidence, fit.freedom) * log_sigma(fit))
    rows = rows.assign(
        op=fit.test.op,
        limit=limit,
        predicted=False,
        low=rows["value"] / reach,
        high=(rows["value"] * reach).clip(upper=limit),
    )
    rows = rows.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    return rows.reindex(columns=_FIGURES)


def _grouped(ranked: pd.DataFrame) -> pd.DataFrame:
    """Add group, rank and number of the cards that are ranked together."""
    known = ranked["may_be_best"].notna()
    fast = ranked["may_be_best"].fillna(False).astype(bool)
    slow = ranked["value"] * ranked["margin"] < _HALF * ranked["value"].max()
    group = pd.Series("middle", index=ranked.index).mask(slow, "slow").mask(fast, "fast")
    rank = pd.Series(range(1, len(ranked) + 1), index=ranked.index).where(known)
    return ranked.assign(group=group.where(known), rank=rank, cards=len(ranked))


@remembered
def _predicted(fit: Fit, hosts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return what the model predicts for cards where nobody measured them, the fastest first."""
    rows = predictions(fit, hosts, confidence=confidence)
    media = fit.figures.drop_duplicates("specimen").set_index("specimen")["medium"]
    rows = rows[rows["reason"].isna()]
    rows = rows.assign(medium=rows["specimen"].map(media), predicted=True, op=fit.test.op)
    return rows.sort_values("value", ascending=False, ignore_index=True).reindex(columns=_FIGURES)


def board_figures(
    fit: Fit, measurements: pd.DataFrame, hosts: pd.DataFrame, host: str, confidence: float
) -> pd.DataFrame:
    """Return measured and predicted figures of a board in one test; no row where nobody ran it."""
    if host in {place.host for place in fit.places if place.reader == SLOT}:
        others = _predicted(fit, hosts, confidence)
        others = others[(others["host"] == host) & (others["reader"] == SLOT)]
        measured = measured_figures(fit, hosts, host, SLOT, confidence)
        return pd.concat([measured, others], ignore_index=True)
    own = own_fit(measurements, host, fit.test.op, SLOT)
    if own is None:
        return pd.DataFrame(columns=_FIGURES)
    return measured_figures(own, hosts, host, SLOT, confidence)


def with_products(
    parts: Iterable[pd.DataFrame],
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    companions: Collection[str] = (),
) -> pd.DataFrame:
    """Return figures with what a buyer calls the cards, and who measured them where.

    That is `card` (its name), `name_key` (one for all spellings of a name), `people`, `source` and
    `year` (of the oldest with a figure of the card), `beyond` (a companion), `best` (may be it),
    `slower`, `part_number`, `capacity` (B), `product`, `application_class`, and `buyable`: whether
    a shop could find the card, by its size and a name or a number.
    """
    found = [part for part in parts if len(part)] or [pd.DataFrame(columns=_FIGURES)]
    rows = pd.concat(found, ignore_index=True)
    rows = rows.astype({"predicted": bool, "may_be_best": "boolean", "rank": "Int64"})
    years = measurements.assign(year=measurements["source"].str.extract(r"(\d{4})$")[0])
    oldest = years.sort_values("year").drop_duplicates("specimen").set_index("specimen")
    rows = rows.join(media.set_index("specimen")[_BUYER], on="specimen")
    rows = rows.join(oldest[["source", "year"]], on="specimen")
    card = rows["specimen"].map(card_names(media, rated=True))
    printed = ~rows["product"].str.fullmatch(_REGISTER).fillna(False)
    named = (rows["product"] != "unknown") | rows["application_class"].isin(["A1", "A2"])
    return rows.assign(
        card=card,
        name_key=card.map(name_key),
        people=rows["measured_by"].map(people_name),
        beyond=rows["source"].isin(list(companions)),
        best=rows["may_be_best"].fillna(False).astype(bool),
        slower=~rows["may_be_best"].fillna(True).astype(bool),
        buyable=rows["capacity"].notna() & printed & (named | rows["part_number"].notna()),
    )


def name_key(name: str) -> str:
    """Return one word for all spellings of a name: capitals and blanks tell no products apart."""
    return re.sub(r"[^a-z0-9]", "", str(name).casefold().replace("+", " plus"))


def queue_gains(
    measurements: pd.DataFrame, host: str, op: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return what the command queue of a board does to each card, in the board's own test.

    `specimen`, `ratio` (with the queue over without), `low`, `high`: the interval by the repeated
    runs of that test, pooled over the cards. Empty where nobody switched it off.
    """
    fits = [own_fit(measurements, host, op, reader) for reader in (SLOT, QUEUE_OFF)]
    if not all(fit and fit.freedom for fit in fits):
        return pd.DataFrame(columns=["specimen", "ratio", "low", "high"])
    with_queue, without = (fit.figures.set_index("specimen")["value"] for fit in fits)
    freedom = sum(fit.freedom for fit in fits)
    variance = sum(fit.freedom * fit.sigma**2 for fit in fits) / freedom
    reach = math.exp(t_quantile(confidence, freedom) * math.sqrt(2 * variance))
    ratio = (with_queue / without).dropna().rename("ratio").reset_index()
    return ratio.assign(low=ratio["ratio"] / reach, high=ratio["ratio"] * reach)


def standings(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figure of each card in each place and test: measured, doubted or predicted.

    A place is host and reader. An op has one test there: the main one, or where nobody ran it the
    one that most cards went through (none in sequence in 4 KiB), of several the one in the largest
    blocks. Those of a slot without a main test are ranked by their repeated runs; of another
    reader, and doubted ones, they have no rank. Columns of `measured_figures`, and `doubted`.
    """
    fits = [fit_model(measurements, op) for op in MAIN_TESTS]
    slots = hosts[hosts["reader"].str.startswith(SLOT)]  # with their command queue and without
    slots = set(slots[_PLACE].itertuples(index=False, name=None))
    measured = []
    for fit in fits:
        main = {(place.host, place.reader) for place in fit.places}
        measured += [measured_figures(fit, hosts, *place, confidence) for place in sorted(main)]
        for host, reader in sorted(slots - main):
            if own := own_fit(measurements, host, fit.test.op, reader):
                measured.append(measured_figures(own, hosts, host, reader, confidence))
    others = _unranked(measurements, media, hosts, noise, confidence)
    predicted = [_predicted(fit, hosts, confidence) for fit in fits]
    rows = pd.concat([*measured, others, *predicted], ignore_index=True)
    rows = rows.drop_duplicates(["op", *_PLACE, "specimen"], ignore_index=True)
    main_tests = {op: test_in_words(test) for op, test in MAIN_TESTS.items()}
    flags = {name: rows[name].eq(True).fillna(False) for name in _FLAGS}
    rows = rows.assign(test=rows["test"].fillna(rows["op"].map(main_tests)), **flags)
    return rows.astype(_WHOLE)[[*_FIGURES, "doubted"]]


def _unranked(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    confidence: float,
) -> pd.DataFrame:
    """Return the figures of all places in the one test that tells an op there, the sure first.

    Where a place has another test than the main one its figures stand as they are: no model tells
    how far they are off. Random tests in 4 KiB; those in sequence in larger blocks.
    """
    figures = usable(measurements)
    sizes = figures["block_size"].mask(figures["tool"].isin(_GATHERED))
    small = (sizes == _BLOCK).fillna(False).astype(bool)
    random = figures["op"].isin(["randwrite", "randread"])
    figures = figures.assign(doubted=doubted(figures), block_size=sizes)
    figures = figures[figures["op"].isin(list(MAIN_TESTS)) & (random == small)]
    where, test = [*_PLACE, "op"], columns("test")
    tests = figures.groupby([*where, *test], dropna=False)["specimen"].nunique()
    tests = tests.rename("cards").reset_index()
    tests["usual"] = tests["tool"] == tests["op"].map(
        {op: MAIN_TESTS[op].tool for op in MAIN_TESTS}
    )
    keys = ["usual", "cards", "block_size"]
    tests = tests.sort_values(keys, ascending=False, kind="stable", na_position="first")
    chosen = tests.drop_duplicates(where)[[*where, *test]]
    figures = figures.merge(chosen, on=[*where, *test], validate="many_to_one")
    keys = columns("laboratory", "card", "place", "op", "test")
    sides = average_repeats(figures, [*keys, "doubted"])
    sides = sides.sort_values("doubted", kind="stable", ignore_index=True)
    sides = with_test(sides).merge(media[["specimen", "form"]], "left", validate="many_to_one")
    bands = noise_band(sides, noise, errors=figure_errors(measurements), confidence=confidence)
    reach = widths(bands, ((runs, 1) for runs in sides["runs"]), confidence)
    rows = sides.merge(hosts[[*_PLACE, "limit"]], on=_PLACE, validate="many_to_one")
    high = (rows["value"] * reach).clip(upper=rows["limit"])
    return rows.assign(low=rows["value"] / reach, high=high)
