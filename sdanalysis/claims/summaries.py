"""Many ratios or figures -> one: of each of them, on average, or between groups of cards."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim
from sdanalysis.claims.quantities import half_widths
from sdanalysis.claims.result import verdict_of
from sdanalysis.stats import MINIMUM, geometric_interval, geometric_mean
from sdanalysis.stats.intervals import t_quantile

NOISE = "run noise and rounding"


@dataclass(frozen=True, kw_only=True)
class Summary:
    """One figure with its interval: a class because three ways of summing up return it.

    `interval` is one of `result.INTERVALS`, and `basis` says it in words. `at` is the place, in the
    frame that was given, of the one that decided, if one did.
    """

    computed: float
    low: float
    high: float
    verdict: str
    interval: str
    basis: str
    at: int | None = None


def of_each(figures: pd.DataFrame, claim: Claim, confidence: float, *, some: bool) -> Summary:
    """Say whether every figure, or `some` figure, lies in the claim's range.

    "Every" is refuted by one, so one of m has to stand out at 1 - (1 - confidence) / m, which is
    Bonferroni's; to support it each is asked alone. With "some" it is the other way round.

    Parameters
    ----------
    figures : DataFrame
        Columns `ratio` (the figure), `sd`, `freedom`, `slack`.
    """
    strict = 1 - (1 - confidence) / len(figures)
    plain, family = (half_widths(figures, level) for level in (confidence, strict))
    beyond = figures["ratio"].map(lambda ratio: _beyond(ratio, claim))
    inside = beyond + (family if some else plain) <= 0
    outside = beyond - (plain if some else family) > 0
    decided_outside = outside.all() if some else outside.any()
    half = family if decided_outside != some else plain
    reach = beyond - half if decided_outside else beyond + half
    at = reach.fillna(math.inf).idxmin() if some else reach.fillna(math.inf).idxmax()
    ratio, width = float(figures.loc[at, "ratio"]), float(half.loc[at])
    verdict = "contradicted" if decided_outside else "undecided"
    if inside.any() if some else inside.all():
        verdict = "supported"
    many = f" of the {'best' if some else 'worst'} of {len(figures)}; {inside.sum()} inside, "
    many += f"{outside.sum()} outside"
    return Summary(
        computed=ratio,
        low=ratio * math.exp(-width),
        high=ratio * math.exp(width),
        verdict=verdict,
        interval="run noise",
        basis=f"{NOISE}{many if len(figures) > 1 else ''}",
        at=int(at),
    )


def on_average(pairs: pd.DataFrame, claim: Claim, confidence: float) -> Summary:
    """Return the geometric mean over cards of pairs of one card, with its t interval.

    Below `stats.MINIMUM` cards no interval is computed: then each pair has to be in the range.
    """
    cards = pairs.groupby("card_1")["ratio"].agg(geometric_mean)
    if len(cards) < MINIMUM:
        return _few(pairs, claim, confidence, f"{len(cards)} cards")
    mean = geometric_interval(cards, confidence=confidence)
    ends = float(mean["low"]), float(mean["high"])
    return Summary(
        computed=float(mean["ratio"]),
        low=ends[0],
        high=ends[1],
        verdict=verdict_of(*ends, claim),
        interval="cards",
        basis=f"t interval over {len(cards)} cards",
    )


def between_groups(
    above: pd.DataFrame, below: pd.DataFrame, cross: pd.DataFrame, claim: Claim, confidence: float
) -> Summary:
    """Return the ratio of the geometric means of two groups of different cards.

    The interval is Student's t of two samples with equal spread of the logarithms. Groups that
    leave it less than two degrees of freedom are compared card by card; sides of different
    laboratories are only indicative, which leaves the claim undecided.

    Parameters
    ----------
    above, below : DataFrame
        As `unit_figures` returns them.
    cross : DataFrame
        The ratios of each card above to each below.
    """
    cards = [side.groupby("specimen")["value"].agg(geometric_mean) for side in (above, below)]
    words = f"groups of {len(cards[0])} and {len(cards[1])} different cards"
    laboratories = sorted({*above["measured_by"], *below["measured_by"]})
    if len(laboratories) > 1:
        return Summary(
            computed=geometric_mean(cards[0]) / geometric_mean(cards[1]),
            low=math.nan,
            high=math.nan,
            verdict="undecided",
            interval="two laboratories",
            basis=f"{words} of {', '.join(laboratories)}: crosses laboratories, indicative only",
        )
    if len(cards[0]) + len(cards[1]) < 4:
        return _few(cross, claim, confidence, words)
    computed, low, high = _pooled(cards[0], cards[1], confidence)
    return Summary(
        computed=computed,
        low=low,
        high=high,
        verdict=verdict_of(low, high, claim),
        interval="cards",
        basis=f"t interval, {words}",
    )


def _pooled(above: pd.Series, below: pd.Series, confidence: float) -> tuple[float, float, float]:
    """Return the ratio of two geometric means and its t interval, with the spread pooled."""
    logs = [np.log(side) for side in (above, below)]
    freedom = len(above) + len(below) - 2
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in logs)
    error = math.sqrt(squares / freedom * (1 / len(above) + 1 / len(below)))
    difference = float(logs[0].mean() - logs[1].mean())
    half = t_quantile(confidence, freedom) * error
    return math.exp(difference), math.exp(difference - half), math.exp(difference + half)


def _few(pairs: pd.DataFrame, claim: Claim, confidence: float, words: str) -> Summary:
    """Return the mean of too few cards for an interval: all of them have to agree."""
    half = half_widths(pairs, confidence)
    low = float((pairs["ratio"] * np.exp(-half)).min(skipna=False))
    high = float((pairs["ratio"] * np.exp(half)).max(skipna=False))
    return Summary(
        computed=geometric_mean(pairs["ratio"]),
        low=low,
        high=high,
        verdict=verdict_of(low, high, claim),
        interval="run noise",
        basis=f"{NOISE} only, {words}: too few for an interval over cards",
    )


def _beyond(ratio: float, claim: Claim) -> float:
    """Return how far a figure is outside the range, in logarithms; negative inside."""
    below = math.log(claim.low / ratio) if claim.low > 0 else -math.inf
    above = math.log(ratio / claim.high) if claim.high < math.inf else -math.inf
    return max(below, above)
