"""Repeats: how far the runs of one card in one test differ, and whether a yardstick holds them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd

from sdanalysis.errors import require
from sdanalysis.stats.noise import noise_band
from sdanalysis.stats.same_test import columns

_TEST = columns("tool", "op", "metric", "block_size")
_NAMES = columns("tool", "op", "block_size")
_ONE = columns("laboratory", "card", "place", "quantity", "test", "size")


def repeat_spreads(figures: pd.DataFrame) -> pd.DataFrame:
    """Return how far the runs of one specimen differ in one test, wherever there are several.

    `figures` has one row a run: `specimen`, `tool`, `op`, `metric`, `block_size`, `run`, `value`,
    and any other columns that make a test.

    Returns
    -------
    DataFrame
        One row a specimen and test: `specimen`, `tool`, `op`, `metric`, `block_size`, `runs`,
        `minimum`, `median`, `maximum`, `sd_log` (of the natural logarithms).
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
    figures: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    without_own: bool = True,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Count the pairs of real repeats whose ratio the yardstick would call more than run noise.

    About 1 - `confidence` of the pairs should be. A card that helped to make the yardstick says
    less of it than one that did not: `without_own` leaves the repeats of the judged card out.

    Returns
    -------
    DataFrame
        One row a test: `tool`, `op`, `block_size`, `noise_band` (the widest of those that
        judged), `pairs`, `outside`.
    """
    runs = _repeated(figures)
    series = runs.drop_duplicates("series")
    bands = [
        noise_band(own, noise[noise["specimen"] != card] if without_own else noise,
                   confidence=confidence)["noise_band"]
        for card, own in series.groupby("specimen")
    ]  # fmt: skip
    width = dict(zip(series["series"], pd.concat(bands).reindex(series.index), strict=True))
    rows = [
        [*(getattr(same.iloc[0], name) for name in _NAMES), width[number], len(logs),
         sum(log > math.log(width[number]) for log in logs)]
        for number, same in runs.groupby("series")
        for logs in [[abs(math.log(a / b)) for a, b in combinations(same["value"], 2)]]
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=[*_NAMES, "noise_band", "pairs", "outside"])
    known = table[table["noise_band"].notna()].groupby(_NAMES, dropna=False)
    return known.agg({"noise_band": "max", "pairs": "sum", "outside": "sum"}).reset_index()


def _repeated(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of tests that one specimen went through more than once, by `series`."""
    require(figures, ["specimen", *_TEST, "run", "value"])
    same = [name for name in _ONE if name in figures]
    series = figures.groupby(same, dropna=False, sort=False)
    runs = figures.assign(series=series.ngroup())
    return runs[series["run"].transform("nunique") > 1]
