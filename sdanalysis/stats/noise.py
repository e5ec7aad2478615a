"""What a repeated run alone may change: pooled over every card whose repeats are known.

A test's variance (of the natural logarithm of one run) is the mean of its cards' variances, and of
that of its kind, all reads or all writes, as one more card: two cards differ in their noise as much
as two tests do, and a card that was steady once is not taken at its word. The degrees of freedom
count cards and not runs, for the same reason. Both choices were checked on repeats that had no part
in the yardstick (`repeats_outside`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import t_quantile
from sdanalysis.stats.same_test import READS, WRITES, columns, group_numbers

# Kinds of a band: of the very test's repeats, of its kind's alone, of the model's error.
OWN, BOUND, MODEL = "own", "bound", "model"
_MEDIA = {"USB stick": "USB medium", "SSD": "SSD"}  # forms with a yardstick of their own
CARD = "SD card"  # that of all other forms, and of figures whose form is not given
_COLUMNS = ["noise_sd", "noise_freedom", "noise_band", "noise_kind", "noise_basis"]


def least_detectable_ratio(
    sd_log: float, freedom: Any, *, runs: tuple[float, float] = (1, 1), confidence: float = 0.95
) -> float:
    """Return the least ratio above 1 that two results show if run noise is all there is.

    Its inverse is the other end of the band; nan where the noise is not known. `sd_log` is that of
    the natural logarithm of one run, with its degrees of freedom; `runs` are behind the two results
    (infinite: a figure without noise).
    """
    if pd.isna(sd_log):
        return math.nan
    spread = sd_log * math.sqrt(1 / runs[0] + 1 / runs[1])
    return math.exp(t_quantile(confidence, freedom) * spread)


def noise_band(
    tests: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    errors: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return, for each test, the band that the ratio of two single runs may fill by noise alone.

    How the spread is pooled stands above. A test that nobody repeated has the spread of its kind,
    with one degree of freedom. An op that neither reads nor writes the medium has none.

    Parameters
    ----------
    tests : DataFrame
        `tool`, `op`, `block_size` (B), and, where it is known, `form` of the medium: USB sticks and
        SSDs have yardsticks of their own.
    noise : DataFrame
        As of `sdanalysis.load_data`: one row a specimen and test that was repeated.
    errors : DataFrame, optional
        As of `figure_errors`: the error of a card's figure, which stands before its repeats.
    confidence : float
        Of the band.

    Returns
    -------
    DataFrame
        Indexed as `tests`: `noise_sd` (of the natural logarithm of one run), `noise_freedom`,
        `noise_band` (a factor above 1: ratios between its inverse and it are no finding),
        `noise_kind` (`own`, `bound` or `model`) and `noise_basis` (words); missing where nothing
        is known.
    """
    keys = [*columns("tool", "op", "block_size"), *(["form"] if "form" in tests else [])]
    group = group_numbers(tests, keys)  # a table has few tests and many figures
    _, begins = np.unique(group, return_index=True)
    names = ["medium", "specimen", *columns("tool", "op", "block_size"), "sd_log"]
    spreads = list(noise[names].itertuples(index=False))
    known = tests[keys].iloc[begins]
    models = [] if errors is None else list(errors.itertuples())
    found = [
        _model_band(models, test, confidence) or _band(spreads, test, confidence)
        for test in known.itertuples()
    ]
    return pd.DataFrame(found, columns=_COLUMNS).iloc[group].set_axis(tests.index)


def second_opinion(
    compared: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Say what run noise measured elsewhere tells of tests that had one run on a side.

    No verdict: the spread is that of other cards, and only of repeated runs.

    Returns
    -------
    DataFrame
        The tests of `compared` without interval, with one run on a side, whose noise is known,
        with the columns of `noise_band` (for that many runs) and `opinion`: `within` or `beyond`
        that noise.
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


def _model_band(models: Sequence[Any], test: Any, confidence: float) -> tuple[object, ...] | None:
    """Return the band of the model's error, of a card in a test that has a model."""
    own = [model for model in models if _same_test(model, test)]
    if not own or medium_kind(getattr(test, "form", None)) != CARD:
        return None
    sd, freedom = own[0].noise_sd, own[0].noise_freedom
    band = least_detectable_ratio(sd, freedom, confidence=confidence)
    return sd, freedom, band, MODEL, f"the model's error, {freedom} degrees of freedom"


def _band(spreads: Sequence[Any], test: Any, confidence: float) -> tuple[object, ...]:
    medium = medium_kind(getattr(test, "form", None))
    family = next((ops for ops in (READS, WRITES) if test.op in ops), ())
    cards = [spread for spread in spreads if spread.medium == medium and spread.op in family]
    if not cards:
        return math.nan, pd.NA, math.nan, pd.NA, pd.NA
    own = _variances(spread for spread in cards if _same_test(spread, test))
    kind = _variances(cards)
    variance = (sum(own) + fmean(kind)) / (len(own) + 1)
    sd, freedom = math.sqrt(variance), max(len(own), 1)
    band = least_detectable_ratio(sd, freedom, confidence=confidence)
    every = f"all {'reads' if family is READS else 'writes'}"
    if not own:
        basis = f"bound: this test was not repeated; {every} of {_counted(len(kind), medium)}"
        return sd, freedom, band, BOUND, basis
    return sd, freedom, band, OWN, f"repeats of {_counted(len(own), medium)}, and {every}"


def medium_kind(form: str | None) -> str:
    """Return which yardstick the form of a medium has; one that is not given is an SD card's."""
    return CARD if pd.isna(form) else _MEDIA.get(form, CARD)


def _same_test(spread: Any, test: Any) -> bool:
    """Tell whether a spread is of a test; a block size that one lacks parts them not."""
    sizes = spread.block_size, test.block_size
    same = (spread.tool, spread.op) == (test.tool, test.op)
    return same and (any(map(pd.isna, sizes)) or sizes[0] == sizes[1])


def _variances(spreads: Iterable[Any]) -> list[float]:
    """Return the variance of each specimen, the mean over its tests."""
    found = defaultdict(list)
    for spread in spreads:
        found[spread.specimen].append(spread.sd_log**2)
    return [fmean(variances) for variances in found.values()]


def _counted(count: int, medium: str) -> str:
    plural = "USB media" if medium == "USB medium" else f"{medium}s"
    return f"{count} {medium if count == 1 else plural}"
