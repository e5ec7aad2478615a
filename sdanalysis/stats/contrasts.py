"""Figures that differ in one condition only: the same card on two hosts, in two readers, ..."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis import reference
from sdanalysis.stats.read_write import count_reasons, figure_reasons
from sdanalysis.stats.sides import RESULTS, averaged_sides, compared, paired_sides

# What the two figures of a contrast share, except for its factor.
SAME = [
    *("measured_by", "specimen", "medium", "host", "reader", "tool", "op", "metric", "stat"),
    *("block_size", "numjobs", "iodepth"),
]
FACTORS = ("host", "reader", "place", "numjobs", "iodepth", "file_size")
_PLACES = ("reader", "place")  # a reader's name means something on its host only
_CARD = ("measured_by", "specimen")
_MIXED = {"mixed job: the ratio is forced by its mix": "mixed job: its read and write are one"}


def contrast_pairs(
    measurements: pd.DataFrame,
    factor: str,
    *,
    metric: str = "bandwidth",
    across_laboratories: bool = False,
    levels: Sequence[object] | None = None,
    noise: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Pair the figures of one card that differ in one condition and agree in all others.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table; what `contrast_reasons` names is left out.
    factor : str
        `host` (in the same kind of reader), `reader` or `place` (both the same: host and reader
        together, the levels are `host/reader`), `numjobs`, `iodepth` or `file_size`.
    metric : str
        `bandwidth` (B/s), `iops` (1/s) or `latency` (s).
    across_laboratories : bool
        Also pair different laboratories' specimens of one medium; their kind is
        `cross-laboratory`, and their ratio holds the difference of the specimens too.
    levels : sequence, optional
        The levels that are compared, the base first; without it all of them, in sorted order.
    noise : DataFrame, optional
        As `reference.noise` returns it, which is the default.
    confidence : float
        Of the noise band.

    Returns
    -------
    DataFrame
        One row a pair: the columns of `SAME` without the factor, `measured_by_other` and
        `specimen_other` (they differ for cross-laboratory pairs only), `base`, `other` (the two
        levels), `value_base`, `value_other` (geometric means over `runs_base` and `runs_other`
        repeats), `ratio` (other over base), `ratio_low`, `ratio_high` (what rounding and the
        unit's ambiguity allow, no statistics), `noise_band` (for these numbers of runs),
        `noise_basis`, `within_noise` (missing if the noise is unknown), `kind` (clean,
        suspicious, cross-laboratory), `ids` (of the figures), `warnings`.

    Raises
    ------
    ValueError
        The factor is not one of `FACTORS`.

    Examples
    --------
    >>> import sdanalysis
    >>> pairs = contrast_pairs(sdanalysis.load(), "reader")
    >>> clean = pairs[(pairs["kind"] == "clean") & (pairs["tool"] == "iozone")]
    >>> clean = clean[clean["measured_by"] == "kulesz"]
    >>> clean[["specimen", "op", "ratio"]].round(2).reset_index(drop=True)
                       specimen         op  ratio
    0  kulesz/samsung-evo+-32gb   randread   1.52
    1  kulesz/samsung-evo+-32gb  randwrite   1.39
    2  kulesz/samsung-evo+-32gb       read   2.35
    3  kulesz/samsung-evo+-32gb      write   2.42
    """
    figures = _figures(measurements, factor, metric, levels)
    same = [name for name in SAME if name in figures]
    own = [*same, *(name for name in ("level", "rank", "file_size") if name in figures)]
    keys = [name for name in same if not (across_laboratories and name in _CARD)]
    pairs = paired_sides(averaged_sides(figures, own), keys)
    if across_laboratories:
        one = pairs["specimen_base"] == pairs["specimen_other"]
        pairs = pairs[one | (pairs["measured_by_base"] != pairs["measured_by_other"])]
        pairs = pairs.rename(columns={f"{name}_base": name for name in _CARD})
    else:
        pairs = pairs.assign(**{f"{name}_other": pairs[name] for name in _CARD})
    noise = reference.noise() if noise is None else noise
    order = [*same, *(f"{name}_other" for name in _CARD)]
    pairs = compared(pairs, noise, confidence).sort_values([*order, "rank_base", "rank_other"])
    return pairs[[*order, *RESULTS]].reset_index(drop=True)


def contrast_reasons(
    measurements: pd.DataFrame,
    factor: str,
    *,
    metric: str = "bandwidth",
    across_laboratories: bool = False,
    levels: Sequence[object] | None = None,
) -> pd.Series:
    """Return, for each row, why it is in no pair of `contrast_pairs`; missing where it is.

    Returns
    -------
    Series of str
        Aligned with `measurements`. The reasons are exclusive, the first that applies counts.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> reasons = stats.contrast_reasons(sdanalysis.load(), "host")
    >>> int(reasons.isna().sum())
    160
    """
    pairs = contrast_pairs(
        measurements,
        factor,
        metric=metric,
        across_laboratories=across_laboratories,
        levels=levels,
    )
    paired = measurements["id"].isin(set(" ".join(pairs["ids"]).split()))
    level = _levels(measurements, factor)
    reasons = figure_reasons(measurements, metric=metric).replace(_MIXED)
    reasons = reasons.mask(reasons.isna() & level.isna(), f"no {factor} stated")
    if levels is not None:
        reasons = reasons.mask(reasons.isna() & ~level.isin(list(levels)), f"another {factor}")
    return reasons.mask(reasons.isna() & ~paired, f"no such figure at another {factor}")


def contrast_exclusions(
    measurements: pd.DataFrame,
    factor: str,
    *,
    metric: str = "bandwidth",
    across_laboratories: bool = False,
    levels: Sequence[object] | None = None,
) -> pd.DataFrame:
    """Return how many figures went into pairs and how many were left out, for which reason.

    Returns
    -------
    DataFrame
        Columns reason, figures, example (an id); the figures add up to `len(measurements)`.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> excluded = contrast_exclusions(measurements, "reader")
    >>> bool(excluded["figures"].sum() == len(measurements))
    True
    """
    reasons = contrast_reasons(
        measurements,
        factor,
        metric=metric,
        across_laboratories=across_laboratories,
        levels=levels,
    )
    return count_reasons(measurements, reasons)


def _figures(
    measurements: pd.DataFrame, factor: str, metric: str, levels: Sequence[object] | None
) -> pd.DataFrame:
    """Return the figures that may be paired, with their level and its rank."""
    level = _levels(measurements, factor)
    usable = figure_reasons(measurements, metric=metric).isna() & level.notna()
    order = sorted(set(level[usable])) if levels is None else list(levels)
    rank = level.map({one: place for place, one in enumerate(order)})
    parts = ["host", "reader"] if factor in _PLACES else [factor]
    figures = measurements.assign(level=level, rank=rank)
    return figures[usable & rank.notna()].drop(columns=parts)


def _levels(measurements: pd.DataFrame, factor: str) -> pd.Series:
    if factor in _PLACES:
        return measurements["host"] + "/" + measurements["reader"]
    if factor not in FACTORS:
        raise ValueError(f"found the factor {factor!r}, expected one of {', '.join(FACTORS)}")
    return measurements[factor]
