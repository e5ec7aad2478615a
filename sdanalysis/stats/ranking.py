"""The cards of each place in the order of their figures; what noise cannot part shares a rank."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.noise import least_detectable_ratio, noise_band, widths
from sdanalysis.stats.reasons import usable
from sdanalysis.stats.same_test import columns, with_test
from sdanalysis.stats.sides import average_repeats, doubted

TOOLS = {"randwrite": "iozone", "randread": "iozone", "write": "dd", "read": "hdparm"}
HIDDEN = 0.85  # of the bus limit: above it the bus is measured as much as the card
_BLOCK = 4096  # B, of the random tests
# The page cache gathers dd's small requests before they go out, and not every table states them.
_GATHERED = ("dd",)
_SIDE = columns("laboratory", "card", "place", "op", "tool", "block_size")
_RANKS = ["n", "rank", "rank_low", "rank_high", "place", "ratio", "band"]
_WHOLE = dict.fromkeys(["n", "rank", "rank_low", "rank_high", "place"], "Int64")
_RANKING = [*_SIDE, "test", "value", "runs", "doubted", *_RANKS, "noise_basis", "ids"]
_TESTS = columns("laboratory", "card", "place", "op", "test")
_RANKINGS = [*_RANKING[:-1], "again_low", "again_high", "ids"]


def rankings(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Rank all cards and sticks wherever they were measured, each only in one place and test.

    In each place (host and reader) an op has one test: that of `TOOLS`, or where nobody ran it the
    one that most cards went through (none in sequence in 4 KiB), of several the one in the largest
    blocks. A card shares the `place` of the best card of its group as long as their ratio lies
    within what two results of their runs may differ by; doubted figures have no place. USB sticks
    and SSDs have the noise of their own kind.

    Parameters
    ----------
    measurements, media, noise : DataFrame
        As of `sdanalysis.load_data`.
    confidence : float
        Of the noise band.

    Returns
    -------
    DataFrame
        One row a card (of one laboratory), place and test, the fastest first, doubted ones last:
        its conditions, `test` (words), `value` (B/s), `runs`, `doubted`, `n` (cards ranked), `rank`
        (by the figure alone), `rank_low` and `rank_high` (what noise leaves open, see
        `rank_among`), `place` (shared; missing below three cards), `ratio` (to the best card of the
        test, at most 1), `band` (what noise may do to that ratio), `noise_basis`, `again_low` and
        `again_high` (between them, in B/s, a further run of the card would be), `ids`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> cards = stats.rankings(data.measurements, data.media, data.noise)
    >>> stick = cards[cards["specimen"] == "kulesz/super-talent-pico-c-8gb"]
    >>> stick[["test", "n", "rank_low", "rank_high"]]
                               test  n  rank_low  rank_high
    275   sequential read, ddrescue  5         2          3
    279  sequential write, ddrescue  5         1          3
    """
    sides = average_repeats(_in_main_tests(usable(measurements)), [*_TESTS, "doubted"])
    sides = sides.merge(media[["specimen", "form"]], "left", validate="many_to_one")
    sides = with_test(sides).join(noise_band(sides, noise, confidence=confidence))
    reach = widths(sides, ((runs, 1) for runs in sides["runs"]), confidence)
    sides = sides.assign(again_low=sides["value"] / reach, again_high=sides["value"] * reach)
    tests = [test for _, test in sides.groupby([*columns("place"), "op"], sort=False)]
    found = pd.concat([_ranked(test, confidence) for test in tests], ignore_index=True)
    return found.astype(_WHOLE)[_RANKINGS]


def rank_among(
    value: float, others: pd.Series | np.ndarray, band: float | np.ndarray
) -> dict[str, int]:
    """Return the rank of a figure among others, and the ranks that noise leaves open.

    `band` is the factor by which two of the figures may differ by noise alone, one for all or one
    for each of the others. `rank` is by the figure alone, 1 the fastest; from `rank_low` (only the
    cards that are faster by more than noise are before it) to `rank_high`.

    Examples
    --------
    >>> rank_among(3.0, pd.Series([5.0, 3.5, 2.9, 1.0]), band=1.5)
    {'rank': 3, 'rank_low': 2, 'rank_high': 4}
    """
    return {
        "rank": int((others > value).sum()) + 1,
        "rank_low": int((others > value * band).sum()) + 1,
        "rank_high": len(others) - int((others < value / band).sum()) + 1,
    }


def bus_shares(ranked: pd.DataFrame, hosts: pd.DataFrame) -> pd.DataFrame:
    """Tell in which tests the bus of the slot hides the cards from each other.

    Returns
    -------
    DataFrame
        One row a test of `rankings`: `op`, `cards`, `limit` (of the bus, B/s), `least`, `most`
        (figures, B/s), `at_limit` (cards at 85 % of the limit or more), `hidden` (most cards are).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> cards = stats.rankings(data.measurements, data.media, data.noise)
    >>> cards = cards[(cards["host"] == "pi-4b") & (cards["reader"] == "slot")]
    >>> stats.bus_shares(cards, data.hosts)[["op", "cards", "at_limit", "hidden"]]
              op  cards  at_limit  hidden
    0       read     24        24    True
    1      write     24         0   False
    2   randread     24         0   False
    3  randwrite     24         0   False
    """
    rows = ranked[~ranked["doubted"]].merge(
        hosts[[*columns("place"), "limit"]], on=columns("place"), validate="many_to_one"
    )
    rows = rows.assign(near=rows["value"] >= HIDDEN * rows["limit"])
    found = rows.groupby(["op", "limit"], sort=False).agg(
        cards=("near", "size"),
        least=("value", "min"),
        most=("value", "max"),
        at_limit=("near", "sum"),
    )
    return found.assign(hidden=found["at_limit"] * 2 > found["cards"]).reset_index()


def _in_main_tests(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of the one test that tells an op in its place.

    Random tests in 4 KiB; those in sequence in larger blocks, for 4 KiB are no large file.
    """
    sizes = figures["block_size"].mask(figures["tool"].isin(_GATHERED))
    figures = figures.assign(doubted=doubted(figures), block_size=sizes)
    random = figures["op"].isin(["randwrite", "randread"])
    small = (sizes == _BLOCK).fillna(False).astype(bool)
    figures = figures[figures["op"].isin(list(TOOLS)) & (random == small)]
    where, test = [*columns("place"), "op"], columns("test")
    cards = figures.groupby([*where, *test], dropna=False)["specimen"].nunique()
    tests = cards.rename("cards").reset_index()
    tests = tests.assign(usual=tests["tool"] == tests["op"].map(TOOLS))
    keys = ["usual", "cards", "block_size"]
    tests = tests.sort_values(keys, ascending=False, kind="stable", na_position="first")
    main = tests.drop_duplicates(where)[[*where, *test]]
    return figures.merge(main, on=[*where, *test], validate="many_to_one")


def _ranked(sides: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return the sides of one test, the fastest first, with their ranks; the doubted ones last."""
    keys, falling = ["doubted", "value", "specimen"], [True, False, True]
    sides = sides.sort_values(keys, ascending=falling, ignore_index=True)
    sure = sides[~sides["doubted"]]
    rows = list(sure.itertuples())
    places = list(_places(rows, confidence)) if len(rows) >= MINIMUM else [pd.NA] * len(rows)
    best = rows[0] if rows else None
    values, runs = sure["value"].to_numpy(float), sure["runs"].to_numpy()
    found = []
    for number, (row, place) in enumerate(zip(rows, places, strict=True)):
        widths = {other: _band(row, other, confidence) for other in set(runs)}
        bands = np.array([widths[other] for other in np.delete(runs, number)])
        ranks = rank_among(row.value, np.delete(values, number), bands)
        beside = {"ratio": row.value / best.value, "band": widths[best.runs]}
        found.append({"n": len(rows), "place": place} | ranks | beside)
    return sides.join(pd.DataFrame(found, columns=_RANKS, index=sure.index))


def _places(rows: list[Any], confidence: float) -> Iterator[int]:
    """Yield the place of each row, the fastest first; the best card of a group lends its own."""
    leader, place = None, 0
    for rank, row in enumerate(rows, start=1):
        if leader is None or leader.value > row.value * _band(row, leader.runs, confidence):
            leader, place = row, rank
        yield place


def _band(row: Any, runs: int, confidence: float) -> float:
    """Return the factor by which a row and another with these runs may differ; unknown: by none."""
    noise = (row.noise_sd, row.noise_freedom)
    band = least_detectable_ratio(*noise, runs=(row.runs, runs), confidence=confidence)
    return 1.0 if math.isnan(band) else band
