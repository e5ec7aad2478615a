"""Which figures can be held against a class's minimum, and with which band around them."""

from __future__ import annotations

import math

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.noise import least_detectable_ratio, noise_band
from sdanalysis.stats.read_write import count_reasons
from sdanalysis.stats.reasons import first_reason

PARTS = ("write", "randread", "randwrite")  # the ops that classes promise something of
BLOCK = 4096  # B, of the random tests
CARDS = ("microSD", "SD")
SIDE = [
    *("measured_by", "specimen", "medium", "host", "reader", "tool", "op"),
    *("block_size", "file_size", "numjobs", "iodepth", "read_mix"),
]


def class_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row, why no class's minimum is held against it; missing where one is.

    Parameters
    ----------
    measurements, media : DataFrame
        The tidy table and the catalogue.

    Returns
    -------
    Series of str
        Aligned with `measurements`. The reasons are exclusive, the first that applies counts.
    """
    rows = measurements
    random = rows["op"].isin(["randread", "randwrite"])
    cards = media.loc[media["form"].isin(CARDS), "specimen"]
    in_iops = set(rows.loc[random & (rows["metric"] == "iops"), "run"].dropna())
    rules = [
        (rows["metric"].str.endswith("_ratio"), "a printed ratio, not a measurement"),
        (rows["origin"] == "derived", "a printed summary of other figures"),
        (rows["origin"] == "restated", "restated: counted where it was measured"),
        (rows["status"] != "measured", "no value: a word or a blank cell"),
        (~rows["specimen"].isin(cards), "no SD card: the classes are those of SD cards"),
        (rows["tool"] == "unstated", "whether sequential or random is not stated"),
        (~rows["op"].isin(PARTS), "an op that no class promises anything of"),
        (random & (rows["block_size"] != BLOCK).fillna(True), "random, but not in 4 KiB blocks"),
        (random & (rows["metric"] == "bandwidth") & rows["run"].isin(in_iops), "is there in IOPS"),
    ]
    return first_reason(rows.index, rules)


def class_exclusions(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return how many figures are held against a minimum, and how many are not, and why.

    Returns
    -------
    DataFrame
        Columns reason, figures, example (an id); the figures add up to `len(measurements)`.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> excluded = class_exclusions(measurements, sdanalysis.load_media())
    >>> bool(excluded["figures"].sum() == len(measurements))
    True
    """
    counted = count_reasons(measurements, class_reasons(measurements, media))
    return counted.replace({"reason": {"(in a pair)": "(held against a minimum)"}})


def class_figures(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figures that classes can be held against, repeats averaged, in their units.

    Parameters
    ----------
    measurements, media, noise : DataFrame
        The tidy table, the catalogue, and the run noise as `reference.noise` returns it.
    confidence : float
        Of the band of run noise.

    Returns
    -------
    DataFrame
        The columns of `SIDE`, `value` (B/s for `write`, 1/s for the random ops), `low`, `high`
        (what rounding and the noise of `runs` runs leave open), `runs`, `ids`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import reference
    >>> figures = class_figures(sdanalysis.load(), sdanalysis.load_media(), reference.noise())
    >>> card = figures["specimen"] == "reader-kingston/samsung-evo-select-64gb"
    >>> rows = figures.loc[card & (figures["op"] != "write")].reset_index(drop=True)
    >>> rows[["op", "value", "low", "high", "runs"]].round(0)
              op   value     low    high  runs
    0   randread  1130.0  1107.0  1155.0     3
    1  randwrite   516.0   464.0   575.0     3
    """
    figures = measurements[class_reasons(measurements, media).isna()]
    scale = figures["block_size"].where(
        (figures["op"] != "write") & (figures["metric"] == "bandwidth"), 1
    )
    scaled = figures.assign(
        **{
            name: figures[name] / scale.astype(float)
            for name in ("value", "value_low", "value_high")
        }
    )
    sides = (
        scaled.groupby(SIDE, dropna=False)
        .agg(
            value=("value", geometric_mean),
            low=("value_low", geometric_mean),
            high=("value_high", geometric_mean),
            runs=("id", "size"),
            ids=("id", " ".join),
        )
        .reset_index()
    )
    widths = _widths(sides, noise, confidence)
    return sides.assign(low=sides["low"] / widths, high=sides["high"] * widths)


def _widths(sides: pd.DataFrame, noise: pd.DataFrame, confidence: float) -> pd.Series:
    """Return the factor by which the mean of so many runs may lie off; the minimum has no noise."""
    band = noise_band(sides, noise, confidence=confidence)
    return pd.Series(
        [
            least_detectable_ratio(sd, freedom, runs=(runs, math.inf), confidence=confidence)
            for sd, freedom, runs in zip(
                band["noise_sd"], band["noise_freedom"], sides["runs"], strict=True
            )
        ],
        index=sides.index,
        dtype="float64",
    )
