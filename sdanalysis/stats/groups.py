"""Groups of different cards compared: n of both, Welch's interval, and the same cards beside."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.intervals import (
    MINIMUM,
    geometric_interval,
    geometric_mean,
    require,
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
        The column that tells the groups apart; `base` and `other` are its two words.
    by : sequence of str
        One comparison for each combination of these columns.
    value : str
        The column that is compared.
    confidence : float
        Of the two-sided interval on the difference of the mean logarithms.

    Returns
    -------
    DataFrame
        The columns of `by`, `base`, `other`, `cards_base`, `cards_other`, `common`, `ratio`
        (other over base), `low`, `high` (missing if a group has fewer than `MINIMUM` cards) and
        `verdict` (`>1`, `<1`, `~` undecided, `points`).

    Examples
    --------
    >>> import pandas as pd
    >>> figures = pd.DataFrame({
    ...     "specimen": list("abcdef"),
    ...     "rated": ["no", "no", "no", "yes", "yes", "yes"],
    ...     "value": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
    ... })
    >>> from sdanalysis import stats
    >>> found = stats.compare_groups(figures, "rated", "no", "yes").round(2)
    >>> found[["cards_base", "cards_other", "common", "ratio", "low", "high", "verdict"]]
       cards_base  cards_other  common  ratio   low  high verdict
    0           3            3       0    8.0  1.66  38.5      >1
    """
    require(figures, ["specimen", factor, value, *by])
    here = figures[figures[factor].isin([base, other])]
    rows = []
    groups = here.groupby(list(by), dropna=False, sort=True) if len(by) else [((), here)]
    for key, group in groups:
        cards = group.groupby([factor, "specimen"])[value].agg(geometric_mean)
        sides = [_side(cards, factor, level) for level in (base, other)]
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "base": base,
                "other": other,
                "cards_base": len(sides[0]),
                "cards_other": len(sides[1]),
                "common": len(sides[0].index.intersection(sides[1].index)),
                **_welch(np.log(sides[0]), np.log(sides[1]), confidence),
            }
        )
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

    Parameters
    ----------
    figures : DataFrame
        As for `compare_groups`, of one laboratory and one test.

    Returns
    -------
    DataFrame
        Two rows: `comparison` (`ALL_CARDS`, `SAME_CARDS`), then the columns of
        `compare_groups`, and `mean_base`, `mean_other` (geometric means of those cards).

    Raises
    ------
    SdAnalysisError
        A column is missing, or nothing is of that group.

    Examples
    --------
    >>> import pandas as pd
    >>> figures = pd.DataFrame({
    ...     "specimen": list("abcabcd"),
    ...     "host": ["new"] * 3 + ["old"] * 4,
    ...     "value": [2.0, 4.0, 8.0, 2.0, 4.0, 8.0, 64.0],
    ... })
    >>> from sdanalysis import stats
    >>> beside = stats.groups_beside_pairs(figures, "host", "old", "new")
    >>> beside[["cards_base", "cards_other", "ratio", "verdict"]].round(2)
       cards_base  cards_other  ratio verdict
    0           4            3    0.5       ~
    1           3            3    1.0       ~
    """
    require(figures, ["specimen", factor, value])
    known = sorted(map(str, set(figures[factor])))
    for group in (base, other):
        if str(group) not in known:
            raise SdAnalysisError(
                f"found no {factor} {group!r}, expected one of {', '.join(known)}"
            )
    here = figures[figures[factor].isin([base, other])]
    cards = here.groupby([factor, "specimen"])[value].agg(geometric_mean)
    sides = [_side(cards, factor, level) for level in (base, other)]
    common = sides[0].index.intersection(sides[1].index)
    count = len(common)
    paired = geometric_interval(sides[1][common] / sides[0][common], confidence=confidence)
    unpaired = compare_groups(here, factor, base, other, value=value, confidence=confidence)
    same = {"base": base, "other": other, "cards_base": count, "cards_other": count}
    same |= {"common": count} | {name: paired[name] for name in _RESULTS[-4:]}
    rows = pd.concat([unpaired, pd.DataFrame([same])], ignore_index=True)
    means = [[geometric_mean(side), geometric_mean(side[common])] for side in sides]
    return rows.assign(comparison=[ALL_CARDS, SAME_CARDS], mean_base=means[0], mean_other=means[1])[
        ["comparison", "base", "other", *_RESULTS, "mean_base", "mean_other"]
    ]


def _side(cards: pd.Series, factor: str, level: object) -> pd.Series:
    """Return the figures of one group, by specimen; empty where it has none."""
    return cards[cards.index.get_level_values(factor) == level].droplevel(factor)


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
