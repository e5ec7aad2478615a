"""Tests on paired ratios: sign test, t test, many tests at once, resampled cards."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import MINIMUM, geometric_mean, ratio_summary

_RESAMPLES = 9999
_LEAST = 6  # clusters below which there are too few different draws for an interval
_FEW = 20  # clusters below which resampling them understates the spread


def paired_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group as `ratio_summary`, with two tests against 1.

    Parameters
    ----------
    pairs : DataFrame
        Columns `specimen`, `ratio` and those of `by`. The unit of both tests is the specimen:
        its pairs are averaged (geometric mean) first.
    by : sequence of str
        Grouping columns.
    confidence : float
        Of the two-sided t interval.

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
    >>> summary = paired_summary(pairs, ["host"])
    >>> summary[["cards", "ratio", "low", "high", "verdict", "above", "p_sign", "p_t"]].round(3)
       cards  ratio   low   high verdict  above  p_sign    p_t
    0      5  1.292  1.11  1.505      >1      5   0.062  0.009
    """
    summary = ratio_summary(pairs, by, confidence=confidence)
    rows = []
    for _, group in pairs.groupby(list(by), dropna=False, sort=True):
        cards = group.groupby("specimen")["ratio"].agg(geometric_mean)
        above, below = int((cards > 1).sum()), int((cards < 1).sum())
        rows.append((above, below, sign_test(above, below), _t_test(np.log(cards.to_numpy()))))
    tests = pd.DataFrame(rows, columns=["above", "below", "p_sign", "p_t"])
    return pd.concat([summary, tests], axis=1)


def sign_test(above: int, below: int) -> float:
    """Return the exact two-sided p of so uneven a split, if each side were as likely.

    Examples
    --------
    >>> sign_test(5, 0)
    0.0625
    >>> sign_test(3, 3)
    1.0
    """
    count = above + below
    tail = sum(math.comb(count, few) for few in range(min(above, below) + 1))
    return min(1.0, 2 * tail / 2**count)


def holm(p_values: pd.Series) -> pd.Series:
    """Return p values adjusted for their number (Holm 1979), so that each may be read alone.

    Parameters
    ----------
    p_values : Series of float
        The tests of one family; a missing one is no test and stays missing.

    Returns
    -------
    Series of float
        Aligned with `p_values`: at most `alpha` where the family-wise error is kept at `alpha`.

    Examples
    --------
    >>> holm(pd.Series([0.01, 0.04, 0.03, 0.005])).round(3).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    ordered = p_values.dropna().sort_values(kind="stable")
    factors = np.arange(len(ordered), 0, -1)
    adjusted = (ordered * factors).cummax().clip(upper=1.0)
    return adjusted.reindex(p_values.index)


def cluster_bootstrap(
    pairs: pd.DataFrame,
    cluster: str = "specimen",
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = _RESAMPLES,
) -> dict[str, object]:
    """Return the geometric mean ratio with an interval from resampling whole cards.

    The pairs of one card are not independent, so cards are drawn, each with all of its pairs,
    and each counts once (geometric mean of its pairs) as in `paired_summary`. The interval is
    BCa (bias-corrected and accelerated, Efron 1987), or of plain percentiles where BCa is not
    defined: all cards alike.

    Parameters
    ----------
    pairs : DataFrame
        Columns `ratio` and that of `cluster`.
    cluster : str
        The column whose values are drawn.
    confidence : float
        Of the two-sided interval.
    seed : int
        The same seed gives the same interval.
    resamples : int
        How often cards are drawn.

    Returns
    -------
    dict
        `clusters`, `pairs`, `ratio`, `low`, `high` (nan below 6 clusters, which can be drawn
        in fewer than 500 ways), `method` (BCa, percentile or none) and `warning` (missing, or
        what few clusters do to the interval).

    Examples
    --------
    >>> import pandas as pd
    >>> cards = ["a", "a", "b", "c", "d", "e", "f"]
    >>> pairs = pd.DataFrame({"specimen": cards, "ratio": [1.5, 1.6, 1.2, 1.4, 1.1, 1.3, 1.2]})
    >>> found = cluster_bootstrap(pairs)
    >>> found["clusters"], found["pairs"], found["method"], round(found["ratio"], 3)
    (6, 7, 'BCa', 1.283)
    """
    logs = np.log(pairs.groupby(cluster)["ratio"].agg(geometric_mean).to_numpy())
    count = len(logs)
    mean = float(logs.mean()) if count else math.nan
    low = high = math.nan
    method = "none"
    if count >= _LEAST:
        draws = np.random.default_rng(seed).integers(count, size=(resamples, count))
        means = np.sort(logs[draws].mean(axis=1))
        tails, method = _tails(logs, means, confidence)
        low, high = np.quantile(means, tails)
    few = f"{count} clusters: the interval is rather too narrow"
    none = f"{count} clusters: too few to draw from"
    return {
        "clusters": count,
        "pairs": len(pairs),
        "ratio": math.exp(mean),
        "low": math.exp(low),
        "high": math.exp(high),
        "method": method,
        "warning": none if count < _LEAST else few if count < _FEW else None,
    }


def _tails(logs: np.ndarray, means: np.ndarray, confidence: float) -> tuple[list[float], str]:
    """Return the two quantiles of the resampled means that bound the interval."""
    from scipy.special import ndtr, ndtri

    plain = [0.5 - confidence / 2, 0.5 + confidence / 2]
    below = (np.mean(means < logs.mean()) + np.mean(means <= logs.mean())) / 2
    left_out = (logs.sum() - logs) / (len(logs) - 1)
    away = left_out.mean() - left_out
    scale = 6 * (away**2).sum() ** 1.5
    if not 0 < below < 1 or scale < np.finfo(float).tiny:
        return plain, "percentile"
    bias, acceleration = ndtri(below), (away**3).sum() / scale
    shifted = bias + ndtri(plain)
    return list(ndtr(bias + shifted / (1 - acceleration * shifted))), "BCa"


def _t_test(logs: np.ndarray) -> float:
    from scipy.special import stdtr

    if len(logs) < MINIMUM:
        return math.nan
    error = logs.std(ddof=1) / math.sqrt(len(logs))
    if error == 0:
        return 1.0 if logs.mean() == 0 else 0.0
    return float(2 * stdtr(len(logs) - 1, -abs(logs.mean()) / error))
