"""Exact intervals that assume no distribution: order statistics, and ranks of two samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, takewhile

import numpy as np

_COUNTED = 50**3  # steps: up to here the distribution of U is counted, above it is normal
_LISTED = 4_000_000  # ratios of pairs: up to here they are all in memory at once


def median_interval(values: Sequence[float], *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the median between two order statistics of the sample.

    Exact for any distribution, so its confidence is at least the one that is asked for.

    Parameters
    ----------
    values : sequence of float
        Independent results.
    confidence : float
        Two-sided.

    Returns
    -------
    (float, float)
        nan, nan where even least to greatest is not sure enough: below 6 values at 95 %.

    Examples
    --------
    >>> from sdanalysis import stats
    >>> stats.median_interval([5, 1, 4, 2, 3, 6])
    (1.0, 6.0)
    >>> stats.median_interval([1, 2, 3])
    (nan, nan)
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    rank = _binomial_rank(len(ordered), (1 - confidence) / 2)
    if rank == 0:
        return math.nan, math.nan
    return float(ordered[rank - 1]), float(ordered[-rank])


def ratio_interval(
    base: Sequence[float], new: Sequence[float], *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the factor between two samples, by the Mann-Whitney test.

    All factors are in it that the exact two-sided test does not reject: it excludes 1 exactly
    where that test, without ties, calls the samples different. Only the order of the values
    enters, no distribution is assumed.

    Parameters
    ----------
    base, new : sequence of float
        Independent results above zero.
    confidence : float
        Two-sided.

    Returns
    -------
    (float, float)
        Of new over base; nan, nan where the samples are too small to reject anything: below 4
        values a side at 95 %.

    Examples
    --------
    >>> from sdanalysis import stats
    >>> stats.ratio_interval([10, 10.1, 10.2, 10.4], [20, 20.4, 20.8, 22])
    (1.923076923076923, 2.2)
    >>> stats.ratio_interval([10, 10.1, 10.2], [20, 20.4, 20.8])
    (nan, nan)
    """
    rank = _rank_of_u(len(base), len(new), (1 - confidence) / 2)
    if rank == 0:
        return math.nan, math.nan
    first, second = np.sort(np.asarray(base, float)), np.sort(np.asarray(new, float))
    pairs = len(first) * len(second)
    if pairs > _LISTED:
        return _ratio_at(first, second, rank), _ratio_at(first, second, pairs - rank + 1)
    ratios = np.partition(np.divide.outer(second, first).ravel(), (rank - 1, pairs - rank))
    return float(ratios[rank - 1]), float(ratios[pairs - rank])


def _ratio_at(base: np.ndarray, new: np.ndarray, rank: int) -> float:
    """Return the ratio of all pairs that has this rank, by halving where it may be."""
    low, high = new[0] / base[-1], new[-1] / base[0]
    for _ in range(64):  # more than a float has digits
        middle = math.sqrt(low * high)
        above = int(np.searchsorted(base, new / middle, side="left").sum())
        low, high = (low, middle) if len(base) * len(new) - above >= rank else (middle, high)
    return float(high)


def fewest_runs(*, confidence: float = 0.95) -> int:
    """Return how many results a side are the least with which two samples can differ.

    Parameters
    ----------
    confidence : float
        Two-sided, below 1.

    Returns
    -------
    int
        The same number on both sides.

    Examples
    --------
    >>> from sdanalysis import stats
    >>> stats.fewest_runs(), stats.fewest_runs(confidence=0.99)
    (4, 5)
    """
    count = 1
    while 2 / math.comb(2 * count, count) > _slack(1 - confidence):
        count += 1
    return count


def _slack(level: float) -> float:
    """Forgive what 1 - 0.95 is off in binary, so that a level that is just met is met."""
    return level * (1 + 1e-9)


def _binomial_rank(count: int, level: float) -> int:
    """Return the greatest k with P(at most k - 1 of `count` coins) <= level."""
    from scipy.special import bdtr

    below = bdtr(np.arange(count // 2), count, 0.5)
    return int(np.searchsorted(below, _slack(level), side="right"))


def _rank_of_u(first: int, second: int, level: float) -> int:
    """Return the greatest k with P(U <= k - 1) <= level, 0 where there is none."""
    if first == 0 or second == 0:
        return 0
    if first * second * min(first, second) > _COUNTED:
        return _normal_rank(first, second, level)
    most = _slack(level) * math.comb(first + second, first)
    below = accumulate(_ways(min(first, second), max(first, second)))
    return sum(1 for _ in takewhile(lambda ways: ways <= most, below))


def _normal_rank(first: int, second: int, level: float) -> int:
    from scipy.special import ndtri

    mean = first * second / 2
    spread = math.sqrt(first * second * (first + second + 1) / 12)
    return max(0, math.floor(mean + 0.5 + float(ndtri(level)) * spread))


@cache
def _ways(first: int, second: int) -> tuple[int, ...]:
    """Return in how many orders of two samples U is 0, 1, 2, ...: a Gaussian binomial."""
    ways = [1] + [0] * (first * second)
    for number in range(1, first + 1):
        for place in range(len(ways) - 1, second + number - 1, -1):
            ways[place] -= ways[place - second - number]
        for place in range(number, len(ways)):
            ways[place] += ways[place - number]
    return tuple(ways)
