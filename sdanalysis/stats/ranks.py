"""Estimates that assume no distribution: order statistics, and the ranks of two samples."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

# Steps up to which the distribution of U is counted; above it is normal. With ties what is counted
# is a bound, so that the normal one, which knows of ties, is better as soon as it holds.
_COUNTED, _COUNTED_WITH_TIES = 150**3, 50**3
_LISTED = 250_000  # ratios of pairs: up to here listing them all is faster

Numbers = Sequence[float] | np.ndarray


class RatioEstimate(NamedTuple):
    """The factor between two samples: an estimate, its interval and its p, all of one test."""

    ratio: float
    low: float
    high: float
    p: float


def median_interval(values: Numbers, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the median between two order statistics of the sample.

    Exact for any distribution, so its confidence is at least the one that is asked for; nan, nan
    where even least to greatest is not sure enough: below 6 values at 95 %.
    """
    from scipy.special import bdtr

    ordered = np.sort(np.asarray(values, dtype=float))
    below = bdtr(np.arange(len(ordered) // 2), len(ordered), 0.5)
    rank = int(np.searchsorted(below, _slack((1 - confidence) / 2), side="right"))
    if rank == 0:
        return math.nan, math.nan
    return float(ordered[rank - 1]), float(ordered[-rank])


def hodges_lehmann(base: Numbers, new: Numbers, *, confidence: float = 0.95) -> RatioEstimate:
    """Return the factor between two samples, and what the Mann-Whitney test leaves open of it.

    The estimate is the median of the ratios of all pairs of results (new over base, all above 0);
    the interval holds the factors that the two-sided test does not reject. So the estimate is
    inside, and 1 is outside exactly where `p` is at most 1 - confidence; `low` and `high` are nan
    where the samples are too small to reject anything: below 4 values a side at 95 %. Only the
    order of the values enters, no distribution is assumed. The test is exact up to about 150
    results a side (50, where a side has ties); above, it is normal with corrections for continuity
    and for ties within a side. Ties between the sides count against a difference: they are what
    rounding leaves open.
    """
    first, second = np.sort(np.asarray(base, float)), np.sort(np.asarray(new, float))
    pairs = len(first) * len(second)
    tail = _two_sided(first, second)
    rank = bisect_right(range((pairs + 1) // 2), _slack(1 - confidence), key=tail)
    below, above, low, high = _ratios_at(
        first, second, ((pairs + 1) // 2, pairs // 2 + 1, max(rank, 1), pairs - max(rank, 1) + 1)
    )
    ratio = min(below * math.sqrt(above / below), above)
    not_less = int(np.searchsorted(first, second, side="right").sum())  # pairs with new >= base
    not_more = pairs - int(np.searchsorted(first, second, side="left").sum())
    p = min(1.0, float(tail(min(not_less, not_more, pairs // 2))))
    return RatioEstimate(ratio, *((low, high) if rank else (math.nan, math.nan)), p)


def fewest_runs(*, confidence: float = 0.95) -> int:
    """Return how many results a side are the least with which two samples can differ."""
    count = 1
    while 2 / math.comb(2 * count, count) > _slack(1 - confidence):
        count += 1
    return count


def _slack(level: float) -> float:
    """Forgive what 1 - 0.95 is off in binary, so that a level that is just met is met."""
    return level * (1 + 1e-9)


def _ratios_at(base: np.ndarray, new: np.ndarray, ranks: Sequence[int]) -> list[float]:
    """Return the ratios of all pairs that have these ranks, counted from 1; both are sorted."""
    if len(base) * len(new) > _LISTED:
        return [_ratio_at(base, new, rank) for rank in ranks]
    places = [rank - 1 for rank in ranks]
    ratios = np.partition(np.divide.outer(new, base).ravel(), sorted({*places}))
    return [float(ratios[place]) for place in places]


def _ratio_at(base: np.ndarray, new: np.ndarray, rank: int) -> float:
    """Return the ratio of all pairs that has this rank, by halving where it may be."""
    low, high = new[0] / base[-1], new[-1] / base[0]
    for _ in range(64):  # more than a float has digits
        middle = math.sqrt(low * high)
        above = int(np.searchsorted(base, new / middle, side="left").sum())
        low, high = (low, middle) if len(base) * len(new) - above >= rank else (middle, high)
    place = np.clip(np.searchsorted(base, new / high), 1, len(base) - 1)
    near = np.concatenate([new / base[place - 1], new / base[place]])  # one of them it is, exactly
    return float(near[np.abs(near - high).argmin()])


def _two_sided(base: np.ndarray, new: np.ndarray) -> Callable[[int], float]:
    """Return the function of U, up to half of all pairs, that is the two-sided p."""
    first, second = sorted((len(base), len(new)))
    ties = sum(float((counts**3 - counts).sum()) for counts in map(_repetitions, (base, new)))
    if first * first * second <= (_COUNTED_WITH_TIES if ties else _COUNTED):
        return _exact_tails(first, second).__getitem__
    from scipy.special import ndtr

    both = first + second
    spread = math.sqrt(first * second / 12 * (both + 1 - ties / (both * (both - 1))))
    return lambda u: 2 * float(ndtr((u + 0.5 - first * second / 2) / spread))


def _repetitions(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_counts=True)[1].astype(float)


@lru_cache(maxsize=256)
def _exact_tails(first: int, second: int) -> np.ndarray:
    """Return twice the probabilities that U is at most 0, 1, ..., up to half of all pairs.

    The orders of two samples in which U is some number are the coefficients of a Gaussian
    binomial: it is multiplied and divided by 1 - q^n, and kept a distribution, step by step.
    """
    share = np.zeros(first * second // 2 + 1)
    share[0] = 1
    for number in range(1, first + 1):
        grown = second + number
        share[grown:] = share[grown:] - share[: max(0, len(share) - grown)]
        rows = np.pad(share, (0, -len(share) % number)).reshape(-1, number)
        share = rows.cumsum(axis=0).ravel()[: len(share)] * (number / grown)
    return 2 * share.cumsum()
