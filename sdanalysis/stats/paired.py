"""Tests on paired ratios: sign test, t test, many tests at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import MINIMUM, geometric_mean, ratio_summary


def paired_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group as `ratio_summary`, with two tests against 1.

    Returns
    -------
    DataFrame
        The columns of `ratio_summary` (its `cards_to_decide` is missing where decided), then
        `above` and `below` (cards whose ratio is above or below 1), `p_sign` (exact two-sided
        sign test; a card at exactly 1 is left out) and `p_t` (t test of the mean log ratio;
        missing below `MINIMUM` cards).

    Examples
    --------
    >>> import pandas as pd
    >>> ratios = [1.5, 1.2, 1.4, 1.1, 1.3]
    >>> pairs = pd.DataFrame({"specimen": list("abcde"), "ratio": ratios, "host": "pi"})
    >>> from sdanalysis import stats
    >>> summary = stats.paired_summary(pairs, ["host"])
    >>> summary[["cards", "ratio", "low", "high", "verdict", "above", "p_sign", "p_t"]].round(3)
       cards  ratio   low   high verdict  above  p_sign    p_t
    0      5  1.292  1.11  1.505      >1      5   0.062  0.009
    """
    summary = ratio_summary(pairs, by, confidence=confidence)
    rows = []
    for _, group in pairs.groupby(list(by), dropna=False, sort=True):
        cards = group.groupby("specimen")["ratio"].agg(geometric_mean)
        above, below = int((cards > 1).sum()), int((cards < 1).sum())
        rows.append((above, below, _sign_test(above, below), _t_test(np.log(cards.to_numpy()))))
    tests = pd.DataFrame(rows, columns=["above", "below", "p_sign", "p_t"])
    return pd.concat([summary, tests], axis=1)


def holm(p_values: pd.Series) -> pd.Series:
    """Return p values adjusted for their number (Holm 1979), so that each may be read alone.

    Returns
    -------
    Series of float
        Aligned with `p_values`: at most `alpha` where the family-wise error is kept at `alpha`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdanalysis import stats
    >>> stats.holm(pd.Series([0.01, 0.04, 0.03, 0.005])).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    ordered = p_values.dropna().sort_values(kind="stable")
    factors = np.arange(len(ordered), 0, -1)
    adjusted = (ordered * factors).cummax().clip(upper=1.0)
    return adjusted.reindex(p_values.index)


def _sign_test(above: int, below: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(above, above + below).pvalue) if above + below else 1.0


def _t_test(logs: np.ndarray) -> float:
    from scipy.stats import ttest_1samp

    if len(logs) < MINIMUM:
        return math.nan
    if np.ptp(logs) == 0:  # no spread: scipy would warn of it
        return 0.0 if logs[0] else 1.0
    return float(ttest_1samp(logs, 0).pvalue)
