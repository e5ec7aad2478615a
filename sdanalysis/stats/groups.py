"""Groups of different cards compared: n of both, Welch's interval, and the same cards beside."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.errors import check_known, require
from sdanalysis.stats.intervals import (
    MINIMUM,
    geometric_interval,
    geometric_mean,
    verdict,
)

ALL_CARDS, SAME_CARDS = "all cards of each group", "the same cards in both"
_RESULTS = ["cards_base", "cards_other", "common", "ratio", "low", "high", "verdict"]


def compare_groups(
    figures: pd.DataFrame,
    factor: str,
    base: object,
    other: object,
    *,
    by: Sequence[str] = (),
    value: str = "value",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare two groups of cards: the ratio of their geometric means with Welch's interval.

    The groups hold different cards, so the ratio is the effect of the factor *and* of whatever
    else differs between the cards; `common` says how many cards are in both.

    Parameters
    ----------
    figures : DataFrame
        Columns `specimen`, `factor`, `value` (positive) and those of `by`. A card's figures are
        averaged (on logarithms) before cards are counted.
    factor : str
        The column that tells the groups apart; `base` and `other` are its two words. Of a
        categorical column a category may be without figures.

    Returns
    -------
    DataFrame
        The columns of `by`, `base`, `other`, `cards_base`, `cards_other`, `common`, `ratio`
        (other over base), `low`, `high` (missing if a group has fewer than `MINIMUM` cards) and
        `verdict` (`>1`, `<1`, `~` undecided, `points`). `plots.ratio_forest` draws it.

    Raises
    ------
    SdAnalysisError
        A column is missing, or no figure is of one of the two groups; the message lists those
        that there are.
    """
    _check(figures, factor, (base, other), [value, *by])
    here = figures[figures[factor].isin([base, other])]
    rows = []
    groups = here.groupby(list(by), dropna=False, sort=True) if len(by) else [((), here)]
    for key, group in groups:
        first, second = _sides(group, factor, value, (base, other))
        counts = len(first), len(second), len(first.index.intersection(second.index))
        names = dict(zip(by, key, strict=True)) | {"base": base, "other": other}
        found = dict(zip(_RESULTS, counts, strict=False))
        rows.append(names | found | _welch(np.log(first), np.log(second), confidence))
    return pd.DataFrame(rows, columns=[*by, "base", "other", *_RESULTS])


def groups_beside_pairs(
    figures: pd.DataFrame,
    factor: str,
    base: object,
    other: object,
    *,
    value: str = "value",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Put the ratio of two groups' means beside the paired ratio of the cards in both groups.

    Where the two disagree, the groups differ because they hold different cards.

    Returns
    -------
    DataFrame
        Two rows: `comparison` (`ALL_CARDS`, `SAME_CARDS`), then the columns of
        `compare_groups`, and `mean_base`, `mean_other` (geometric means of those cards).
    """
    _check(figures, factor, (base, other), [value])
    sides = _sides(figures, factor, value, (base, other))
    common = sides[0].index.intersection(sides[1].index)
    paired = geometric_interval(sides[1][common] / sides[0][common], confidence=confidence)
    same = {"base": base, "other": other, **dict.fromkeys(_RESULTS[:3], len(common)), **paired}
    every = compare_groups(figures, factor, base, other, value=value, confidence=confidence)
    rows = pd.concat([every, pd.DataFrame([same])[list(every)]], ignore_index=True)
    before, after = ([geometric_mean(side), geometric_mean(side[common])] for side in sides)
    rows.insert(0, "comparison", [ALL_CARDS, SAME_CARDS])
    return rows.assign(mean_base=before, mean_other=after)


def _check(
    figures: pd.DataFrame, factor: str, groups: Sequence[object], names: Sequence[str]
) -> None:
    """Refuse columns and groups that the figures do not have; the message lists what they have.

    A group that is named among the categories of a categorical column may be empty.
    """
    require(figures, ["specimen", factor, *names])
    known = sorted(set(figures[factor].dropna()), key=str)
    if isinstance(figures[factor].dtype, pd.CategoricalDtype):
        known = list(figures[factor].cat.categories)
    for group in groups:
        check_known(factor, group, known)


def _sides(
    figures: pd.DataFrame, factor: str, value: str, levels: tuple[object, object]
) -> tuple[pd.Series, pd.Series]:
    """Return the figures of two groups, by specimen; empty where one has none."""
    first, second = (
        figures[figures[factor] == level].groupby("specimen")[value].agg(geometric_mean)
        for level in levels
    )
    return first, second


def _welch(base: pd.Series, other: pd.Series, confidence: float) -> dict[str, object]:
    """Return the ratio of two groups, from the logarithms of their cards' figures."""
    from scipy.stats import ttest_ind

    counts = len(base), len(other)
    difference = float(other.mean() - base.mean()) if min(counts) else math.nan
    low = high = math.nan
    if min(counts) >= MINIMUM:
        low = high = difference  # of groups without any spread
        if base.nunique() > 1 or other.nunique() > 1:
            with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
                test = ttest_ind(other, base, equal_var=False)  # warns where one has no spread
            low, high = test.confidence_interval(confidence)
    low, high = math.exp(low), math.exp(high)
    found = {"ratio": math.exp(difference), "low": low, "high": high}
    return found | {"verdict": verdict(low, high)}
