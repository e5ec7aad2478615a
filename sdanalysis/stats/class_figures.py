"""Which figures can be held against a class's minimum, and with which band around them."""

from __future__ import annotations

import math

import pandas as pd

from sdanalysis.stats.noise import least_detectable_ratio, noise_band
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats

PARTS = ("write", "randread", "randwrite")  # the ops that classes promise something of
BLOCK = 4096  # B, of the random tests
CARDS = ("microSD", "SD")
# Without metric and stat: bandwidths and IOPS are brought to the unit of the class.
SIDE = columns("laboratory", "card", "place", "op", "test", "size")


def class_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row, the code of why no class's minimum is held against it; missing where one is.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> reasons = stats.class_reasons(sdanalysis.load(), sdanalysis.load_media())
    >>> int(reasons.isna().sum())
    277
    """
    rows = measurements
    random = rows["op"].isin(["randread", "randwrite"])
    cards = media.loc[media["form"].isin(CARDS), "specimen"]
    in_iops = set(rows.loc[random & (rows["metric"] == "iops"), "run"].dropna())
    also = random & (rows["metric"] == "bandwidth") & rows["run"].isin(in_iops)
    rules = [
        (~rows["specimen"].isin(cards), Reason.NOT_A_CARD),
        (rows["tool"] == "unstated", Reason.TOOL_UNSTATED),
        (~rows["op"].isin(PARTS), Reason.OP_WITHOUT_MINIMUM),
        (random & (rows["block_size"] != BLOCK).fillna(True), Reason.NOT_4K),
        (also, Reason.IN_IOPS),
    ]
    counts = figure_reasons(rows, metric=None, mixed=True)
    return first_reason(rows.index, rules, after=counts)


def class_figures(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figures that classes can be held against, repeats averaged, in their units.

    Returns
    -------
    DataFrame
        The conditions of a figure, `value` (B/s for `write`, 1/s for the random ops), `low`, `high`
        (what rounding and the noise of `runs` runs leave open), `runs`, `ids`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data = sdanalysis.load_data()
    >>> figures = stats.class_figures(data.measurements, data.media, data.noise)
    >>> card = figures["specimen"] == "reader-kingston/samsung-evo-select-64gb"
    >>> rows = figures.loc[card & (figures["op"] != "write")].reset_index(drop=True)
    >>> rows[["op", "value", "low", "high", "runs"]].round(0)
              op   value     low    high  runs
    0   randread  1130.0  1107.0  1155.0     3
    1  randwrite   516.0   464.0   575.0     3
    """
    figures = measurements[class_reasons(measurements, media).isna()]
    in_bytes = (figures["op"] != "write") & (figures["metric"] == "bandwidth")
    scale = figures["block_size"].where(in_bytes, 1).astype(float)
    scaled = {name: figures[name] / scale for name in ("value", "value_low", "value_high")}
    sides = average_repeats(figures.assign(**scaled), SIDE)
    bands = noise_band(sides, noise, confidence=confidence)
    noises = zip(bands["noise_sd"], bands["noise_freedom"], sides["runs"], strict=True)
    widths = [
        least_detectable_ratio(sd, freedom, runs=(runs, math.inf), confidence=confidence)
        for sd, freedom, runs in noises  # the minimum has no noise
    ]
    sides = sides.assign(low=sides["low"] / widths, high=sides["high"] * widths)
    return sides.sort_values(SIDE, ignore_index=True)
