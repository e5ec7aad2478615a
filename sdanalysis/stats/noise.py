"""What a repeated run alone may change: from the spread of five runs of one card."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import t_quantile
from sdanalysis.stats.same_test import READS, WRITES, columns

OWN, BOUND = "own", "bound"  # kinds of a band: of the very test, or of the noisiest of its kind
_CARD = "SD card"  # the medium that stands for cards
_COLUMNS = ["noise_sd", "noise_freedom", "noise_band", "noise_kind", "noise_basis"]


def least_detectable_ratio(
    sd_log: float, freedom: Any, *, runs: tuple[float, float] = (1, 1), confidence: float = 0.95
) -> float:
    """Return the least ratio above 1 that two results show if run noise is all there is.

    Its inverse is the other end of the band; nan where the noise is not known. `sd_log` is that of
    the natural logarithm of one run, from `freedom` + 1 runs; `runs` are behind the two results
    (infinite: a figure without noise).
    """
    if pd.isna(sd_log):
        return math.nan
    spread = sd_log * math.sqrt(1 / runs[0] + 1 / runs[1])
    return math.exp(t_quantile(confidence, freedom) * spread)


def noise_band(
    tests: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Return, for each test, the band that the ratio of two single runs may fill by noise alone.

    Where the very test (tool, op, block size) was repeated, its own spread is taken; otherwise
    the largest spread of that card among reads, or among writes, which is a bound. An op that
    neither reads nor writes the medium has none.

    Returns
    -------
    DataFrame
        Indexed as `tests`: `noise_sd` (of the natural logarithm of one run), `noise_freedom`,
        `noise_band` (a factor above 1: ratios between its inverse and it are no finding),
        `noise_kind` (`own` or `bound`) and `noise_basis` (words); missing where nothing is known.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> tests = pd.DataFrame([{"tool": "iozone", "op": "randwrite", "block_size": 4096}])
    >>> bands = stats.noise_band(tests, load_data().noise)
    >>> bands[["noise_band", "noise_kind", "noise_basis"]].round(3)
       noise_band noise_kind                    noise_basis
    0       1.299        own  5 runs of iozone randwrite 4K
    """
    card, keys = noise[noise["medium"] == _CARD], columns("tool", "op", "block_size")
    known = tests[keys].drop_duplicates()  # a table has few tests and many figures
    found = [_band(card, test, confidence) for test in known.itertuples()]
    bands = known.assign(**pd.DataFrame(found, columns=_COLUMNS, index=known.index))
    rows = tests[keys].merge(bands, "left", keys, validate="many_to_one")
    return rows.set_index(tests.index)[_COLUMNS]


def second_opinion(
    compared: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Say what run noise measured elsewhere tells of tests that had one run on a side.

    No verdict: the spread is that of another card, and only of repeated runs.

    Returns
    -------
    DataFrame
        The tests of `compared` without interval, with one run on a side, whose noise is known,
        with the columns of `noise_band` (for that many runs) and `opinion`: `within` or `beyond`
        that noise.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> card = data.measurements.query("specimen == 'geerling/samsung-evo+-32gb'")
    >>> tests = stats.compare(card[card["host"] == "pi-3b"], card[card["host"] == "pi-4b"])
    >>> found = stats.second_opinion(tests, data.noise)
    >>> found[["op", "ratio", "noise_band", "opinion"]].round(3).head(2)
              op  ratio  noise_band opinion
    0   randread  1.118       1.053  beyond
    1  randwrite  1.122       1.299  within
    """
    single = (compared["unit"] == "run") & (compared[["base_n", "new_n"]].min(axis=1) == 1)
    equal = np.isclose(compared["ratio"], 1, rtol=1e-12, atol=0)
    tests = compared[single & compared["low"].isna() & ~equal]
    found = tests.join(noise_band(tests, noise, confidence=confidence))
    found = found[found["noise_band"].notna()]
    runs = zip(found["base_n"], found["new_n"], strict=True)
    found = found.assign(noise_band=widths(found, runs, confidence))
    beyond = (found["ratio"] > found["noise_band"]) | (1 / found["ratio"] > found["noise_band"])
    return found.assign(opinion=beyond.map({True: "beyond", False: "within"}))


def widths(
    bands: pd.DataFrame, runs: Iterable[tuple[float, float]], confidence: float
) -> pd.Series:
    """Return the width of each band of `noise_band` for the runs behind the two results."""
    noises = zip(bands["noise_sd"], bands["noise_freedom"], runs, strict=True)
    found = [
        least_detectable_ratio(sd, freedom, runs=counts, confidence=confidence)
        for sd, freedom, counts in noises
    ]
    return pd.Series(found, index=bands.index, dtype="float64")


def _band(card: pd.DataFrame, test: Any, confidence: float) -> tuple[object, ...]:
    same = card[(card["tool"] == test.tool) & (card["op"] == test.op)]
    if pd.notna(test.block_size):
        same = same[same["block_size"].isna() | (same["block_size"] == test.block_size)]
    family = next((ops for ops in (READS, WRITES) if test.op in ops), ())
    known = card[card["op"].isin(family)] if same.empty else same
    if known.empty:
        return math.nan, pd.NA, math.nan, pd.NA, pd.NA
    row: Any = known.loc[known["sd_log"].idxmax()]
    size = "" if pd.isna(row["block_size"]) else f" {row['block_size'] // 1024}K"
    basis = f"{row['runs']} runs of {row['tool']} {row['op']}{size}"
    if same.empty:
        basis = f"bound: {basis}, the noisiest of the kind; this test was not repeated"
    freedom = int(row["runs"]) - 1
    band = least_detectable_ratio(row["sd_log"], freedom, confidence=confidence)
    return row["sd_log"], freedom, band, BOUND if same.empty else OWN, basis
