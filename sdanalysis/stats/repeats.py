"""Repeats: how far the runs of one card in one test differ, and whether a yardstick holds them."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import require
from sdanalysis.stats.noise import CARD, noise_band
from sdanalysis.stats.same_test import columns

_TEST = columns("tool", "op", "metric", "block_size")
_NAMES = columns("tool", "op", "block_size")
_ONE = columns("laboratory", "card", "place", "quantity", "test", "size")
# Which cards the yardstick is made without, before it judges the repeats of one.
WITHOUT = {
    "none": "made with the card that is judged",
    "own": "made without the card that is judged",
    "all": "made without all cards that are judged",
}


def repeat_spreads(figures: pd.DataFrame) -> pd.DataFrame:
    """Return how far the runs of one specimen differ in one test, wherever there are several.

    `figures` has one row a run: `specimen`, `tool`, `op`, `metric`, `block_size`, `run`, `value`,
    and any other columns that make a test.

    Returns
    -------
    DataFrame
        One row a specimen and test: `specimen`, `tool`, `op`, `metric`, `block_size`, `runs`,
        `minimum`, `median`, `maximum`, `sd_log` (of the natural logarithms).

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> spreads = stats.repeat_spreads(stats.usable(load()))
    >>> spreads.query("tool == 'dd'")[["specimen", "runs", "sd_log"]].round(3)
                                          specimen  runs  sd_log
    1  reader-kingston/kingston-canvas-select-64gb     3   0.054
    9      reader-kingston/samsung-evo-select-64gb     3   0.117
    """
    runs = _repeated(figures)
    values = runs.assign(log=np.log(runs["value"])).groupby(["series", *_TEST], dropna=False)
    spreads = values.agg(
        specimen=("specimen", "first"),
        runs=("value", "size"),
        minimum=("value", "min"),
        median=("value", "median"),
        maximum=("value", "max"),
        sd_log=("log", "std"),
    ).reset_index()
    return spreads[["specimen", *_TEST, "runs", "minimum", "median", "maximum", "sd_log"]]


def repeats_outside(
    figures: pd.DataFrame, noise: pd.DataFrame, *, without: str = "none", confidence: float = 0.95
) -> pd.DataFrame:
    """Count the pairs of real repeats whose ratio the yardstick would call more than run noise.

    About 1 - `confidence` of the pairs should be. A card that helped to make the yardstick says
    less of it than one that did not: `without` is one of `WITHOUT`. Beside the runs in `figures`
    the SD cards of which `noise` has the summary alone are judged, unless `without` is `all`: all
    their pairs are inside if the extremes are; if these are not, one pair at least is outside.

    Returns
    -------
    DataFrame
        One row a test: `tool`, `op`, `block_size`, `noise_band` (the widest of those that
        judged), `pairs`, `outside`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> runs = stats.usable(data.measurements)
    >>> for without in ("none", "own", "all"):
    ...     found = stats.repeats_outside(runs, data.noise, without=without)
    ...     print(found["outside"].sum(), "of", found["pairs"].sum())
    2 of 172
    8 of 172
    2 of 48
    """
    runs = _repeated(figures)
    judged = set(runs["specimen"])
    series = [
        (test, [abs(math.log(a / b)) for a, b in combinations(same["value"], 2)])
        for _, same in runs.groupby("series")
        for test in same.head(1).itertuples()
    ]
    if without != "all":
        cards = noise[(noise["medium"] == CARD) & ~noise["specimen"].isin(judged)]
        series += [(test, _extremes(test)) for test in cards.itertuples()]
    rows = [[getattr(test, name) for name in _NAMES] for test, _ in series]
    places = pd.DataFrame(rows, columns=_NAMES)
    judging = defaultdict(list)  # the series of each yardstick, by who is left out of it
    for number, (test, _) in enumerate(series):
        left_out = {"none": (), "own": (test.specimen,), "all": tuple(judged)}[without]
        judging[left_out].append(number)
    widths = {}
    for left_out, numbers in judging.items():
        known = noise[~noise["specimen"].isin(left_out)]
        bands = noise_band(places.iloc[numbers], known, confidence=confidence)
        widths |= bands["noise_band"].to_dict()
    outside = [
        sum(log > math.log(widths[number]) for log in logs)
        for number, (_, logs) in enumerate(series)
    ]
    pairs = [len(logs) for _, logs in series]
    table = places.assign(noise_band=pd.Series(widths), pairs=pairs, outside=outside)
    known = table[table["noise_band"].notna()].groupby(_NAMES, dropna=False)
    return known.agg({"noise_band": "max", "pairs": "sum", "outside": "sum"}).reset_index()


def _extremes(spread: Any) -> list[float]:
    """Return the ratios of the pairs of a summary, as far as they count: the widest, and others."""
    widest = math.log(spread.maximum / spread.minimum)
    return [widest, *[0.0] * (math.comb(int(spread.runs), 2) - 1)]


def _repeated(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of tests that one specimen went through more than once, by `series`."""
    require(figures, ["specimen", *_TEST, "run", "value"])
    same = [name for name in _ONE if name in figures]
    series = figures.groupby(same, dropna=False, sort=False)
    runs = figures.assign(series=series.ngroup())
    return runs[series["run"].transform("nunique") > 1]
