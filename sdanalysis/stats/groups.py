"""Two groups of different cards: the ratio of their means, and that of the cards in both."""

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.errors import check_known, require
from sdanalysis.stats.intervals import MINIMUM, geometric_interval, geometric_mean, verdict

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

    The groups hold different cards: the ratio is the effect of the factor and of all else in which
    the cards differ. `figures` has `specimen`, `factor`, `value` (positive) and the columns `by`.

    Returns one row a group of `by`: these, `base`, `other`, `cards_base`, `cards_other`, `common`
    (cards in both), `ratio` (other over base), `low`, `high` (missing below `MINIMUM` cards) and
    `verdict`. A group that no figure has is an SdAnalysisError, unless it is a category.
    """
    from scipy.stats import ttest_ind

    cards = _card_means(figures, factor, (base, other), by, value)
    rows = []
    for key, group in cards.groupby(list(by), dropna=False) if len(by) else [((), cards)]:
        first, second = np.log(group[base].dropna()), np.log(group[other].dropna())
        low = high = difference = second.mean() - first.mean()
        if min(len(first), len(second)) < MINIMUM:
            low = high = np.nan
        elif first.nunique() > 1 or second.nunique() > 1:
            with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
                test = ttest_ind(second, first, equal_var=False)  # warns where one has no spread
            low, high = test.confidence_interval(confidence)
        ratio, low, high = np.exp([difference, low, high])
        counts = len(first), len(second), len(group[[base, other]].dropna())
        rows.append([*key, base, other, *counts, ratio, low, high, verdict(low, high)])
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

    Where the two disagree, the groups differ because they hold different cards. Returns two rows:
    `comparison`, the columns of `compare_groups`, and `mean_base`, `mean_other` of those cards.
    """
    cards = _card_means(figures, factor, (base, other), (), value)
    common = cards[[base, other]].dropna()
    every = compare_groups(figures, factor, base, other, value=value, confidence=confidence)
    counts = dict.fromkeys(("cards_base", "cards_other", "common"), len(common))
    pairs = geometric_interval(common[other] / common[base], confidence=confidence)
    same = pd.DataFrame([{"base": base, "other": other, **counts, **pairs}])[list(every)]
    found = pd.concat([every, same], ignore_index=True)
    found.insert(0, "comparison", [ALL_CARDS, SAME_CARDS])
    for side, group in {"mean_base": base, "mean_other": other}.items():
        found[side] = [geometric_mean(cards[group].dropna()), geometric_mean(common[group])]
    return found


def _card_means(
    figures: pd.DataFrame, factor: str, groups: Sequence[object], by: Sequence[str], value: str
) -> pd.DataFrame:
    """Return a row a card (and `by`), a column a group: the mean of its figures on logarithms."""
    require(figures, ["specimen", factor, value, *by])
    words = figures[factor]
    known = words.cat.categories if isinstance(words.dtype, pd.CategoricalDtype) else words.dropna()
    for group in groups:
        check_known(factor, group, sorted(set(known), key=str))
    here = figures[words.isin(groups)].astype({factor: object})
    means = here.groupby([*by, "specimen", factor], dropna=False)[value].agg(geometric_mean)
    return means.unstack(factor).reindex(columns=list(groups)).reset_index()
