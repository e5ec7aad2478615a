"""Many ratios -> one figure with its interval, held against the range that a word allows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sdanalysis import stats
from sdanalysis.claims.claim import CARDS, Claim
from sdanalysis.claims.quantities import half_widths, mean_figure
from sdanalysis.codebook.units import counted

VERDICTS = ("supported", "contradicted", "undecided", "untestable")
# What an interval covers: the error of one figure, another card; nothing where laboratories
# differ, where a group has too few cards, or where nothing was measured.
INTERVALS = ("one figure", "cards", "two laboratories", "points", "none")
NOISE = "error of one figure and rounding"


@dataclass(frozen=True, kw_only=True)
class Summary:
    """One figure with its interval, which is missing where there are only points.

    `interval` is one of `INTERVALS`, and `basis` says it in words. `at` is the place, in the frame
    that was given, of the figure that decided, if one did. `clear` counts the figures that are
    clearly in the claim's range, those that are clearly not, and all, where each was asked;
    `accident` tells that one would be outside, had it been asked alone.
    """

    computed: float = math.nan
    low: float = math.nan
    high: float = math.nan
    verdict: str
    interval: str
    basis: str
    at: int | None = None
    accident: bool = False
    clear: tuple[int, int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Result(Summary):
    """What a test found, from which measurements (`rows`, with the column `side`) and how.

    `computed`, `low`, `high` are in `unit` (`1` for a ratio). `case` names the figures that
    decided; `least` is how many cards the claim rests on: those of its smallest group, where the
    sentence speaks of groups. `doubts` says what the doubted figures do to the verdict.
    """

    rows: pd.DataFrame
    computation: str
    least: int = 0
    case: str = ""
    unit: str = "1"
    with_doubted: str | None = None


def every(figures: pd.DataFrame, claim: Claim, confidence: float) -> Summary:
    """Say whether every figure lies in the claim's range.

    One outside refutes it: of m it has to stand out at 1 - (1 - confidence) / m, which is
    Bonferroni's. To support it each is asked alone. The worst figure is shown.

    Parameters
    ----------
    figures : DataFrame
        Columns `ratio` (the figure), `sd`, `freedom`, `slack`.
    """
    plain, strict = _half_widths(figures, confidence)
    beyond = figures["ratio"].map(lambda ratio: _beyond(ratio, claim))
    inside, outside = beyond + plain <= 0, beyond - strict > 0
    accident = (beyond - plain > 0).any() and not outside.any()  # alone it would stand out
    half = strict if outside.any() or accident else plain
    reach = beyond - half if outside.any() else beyond - plain if accident else beyond + half
    verdict = "contradicted" if outside.any() else "supported" if inside.all() else "undecided"
    at = reach.fillna(math.inf).idxmax()
    shown = _shown(figures, half, at, verdict, "worst", inside, outside)
    return replace(shown, accident=bool(accident))


def some(figures: pd.DataFrame, claim: Claim, confidence: float) -> Summary:
    """Say whether some figure lies in the claim's range: `every` the other way round.

    One inside supports it, and has to stand out among the m. The best figure is shown.
    """
    plain, strict = _half_widths(figures, confidence)
    beyond = figures["ratio"].map(lambda ratio: _beyond(ratio, claim))
    inside, outside = beyond + strict <= 0, beyond - plain > 0
    half = plain if outside.all() else strict
    reach = beyond - half if outside.all() else beyond + half
    verdict = "supported" if inside.any() else "contradicted" if outside.all() else "undecided"
    return _shown(figures, half, reach.fillna(math.inf).idxmin(), verdict, "best", inside, outside)


def on_average(pairs: pd.DataFrame, claim: Claim, confidence: float) -> Summary:
    """Return the geometric mean over cards of pairs of one card, with its interval.

    That of a sentence about the measured cards is the error of their figures; of any other the t
    interval over cards.
    """
    if claim.about == CARDS:
        words = f"mean of these {counted(pairs['card_other'].nunique(), 'card')}"
        return _of_these(mean_figure(pairs, "ratio"), claim, confidence, words)
    cards = pairs.groupby("card_other")["ratio"].agg(stats.geometric_mean)
    mean = stats.geometric_interval(cards, confidence=confidence)
    return _over_cards(mean, claim, counted(len(cards), "card"))


def between_groups(
    above: pd.DataFrame, below: pd.DataFrame, claim: Claim, confidence: float
) -> Summary:
    """Return the ratio of the geometric means of two groups of different cards.

    The interval is Welch's, as in `stats.compare_groups`; of a sentence about the measured cards it
    is the error of their figures. Sides of different laboratories are only indicative, which
    leaves the claim undecided.

    Parameters
    ----------
    above, below : DataFrame
        As `unit_figures` returns them.
    """
    figures = pd.concat([above.assign(side="above"), below.assign(side="below")])
    found = stats.compare_groups(figures, "side", "below", "above", confidence=confidence).iloc[0]
    words = f"groups of {found['cards_other']} and {found['cards_base']} different cards"
    laboratories = sorted(figures["measured_by"].unique())
    if len(laboratories) > 1:
        return Summary(
            computed=float(found["ratio"]),
            verdict="undecided",
            interval="two laboratories",
            basis=f"{words} of {', '.join(laboratories)}: crosses laboratories, indicative only",
        )
    if claim.about == CARDS:
        sides = mean_figure(above, "value"), mean_figure(below, "value")
        both = pd.DataFrame(
            {
                "ratio": sides[0]["ratio"] / sides[1]["ratio"],
                "sd": np.hypot(sides[0]["sd"], sides[1]["sd"]),
                "freedom": np.minimum(sides[0]["freedom"], sides[1]["freedom"]),
                "slack": sides[0]["slack"] + sides[1]["slack"],
            }
        )
        return _of_these(both, claim, confidence, words.replace("groups", "means"))
    return _over_cards(found, claim, words)


def _of_these(mean: pd.DataFrame, claim: Claim, confidence: float, words: str) -> Summary:
    """Return a mean over the measured cards, with the error of their figures."""
    return replace(every(mean, claim, confidence), basis=f"{words}: {NOISE}", at=None, clear=None)


def _over_cards(found: pd.Series | dict[str, object], claim: Claim, words: str) -> Summary:
    """Return a mean over cards; of fewer than `stats.MINIMUM` in a group there are only points."""
    computed, low, high = (float(found[name]) for name in ("ratio", "low", "high"))
    few = f"points, {words}: fewer than {stats.MINIMUM} in a group decide nothing"
    return Summary(
        computed=computed,
        low=low,
        high=high,
        verdict=verdict_of(low, high, claim),
        interval="points" if math.isnan(low) else "cards",
        basis=few if math.isnan(low) else f"t interval over {words}",
    )


def _half_widths(figures: pd.DataFrame, confidence: float) -> tuple[pd.Series, pd.Series]:
    """Return how far noise may move each figure: asked alone, and as one of all of them."""
    strict = 1 - (1 - confidence) / len(figures)
    return half_widths(figures, confidence), half_widths(figures, strict)


def _shown(
    figures: pd.DataFrame,
    half: pd.Series,
    at: int,
    verdict: str,
    which: str,
    inside: pd.Series,
    outside: pd.Series,
) -> Summary:
    ratio, width = float(figures.loc[at, "ratio"]), float(half.loc[at])
    many = f" of the {which} of {len(figures)}; {inside.sum()} inside, {outside.sum()} outside"
    return Summary(
        computed=ratio,
        low=ratio * math.exp(-width),
        high=ratio * math.exp(width),
        verdict=verdict,
        interval="one figure",
        basis=f"{NOISE}{many if len(figures) > 1 else ''}",
        at=int(at),
        clear=(int(inside.sum()), int(outside.sum()), len(figures)),
    )


def _beyond(ratio: float, claim: Claim) -> float:
    """Return how far a figure is outside the range, in logarithms; negative inside."""
    below = math.log(claim.low / ratio) if claim.low > 0 else -math.inf
    above = math.log(ratio / claim.high) if claim.high < math.inf else -math.inf
    return max(below, above)


def verdict_of(low: float, high: float, claim: Claim) -> str:
    """Return what an interval says of the claim's range.

    The whole interval inside: supported. All of it outside: contradicted. Otherwise, and where
    there is no interval: undecided.
    """
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if claim.low <= low and high <= claim.high:
        return "supported"
    if high < claim.low or low > claim.high:
        return "contradicted"
    return "undecided"


def too_few(claim: Claim, result: Result) -> bool:
    """Tell whether a sentence about a class or a name rests on fewer than `stats.MINIMUM` cards."""
    return claim.about != CARDS and result.least < stats.MINIMUM


def range_words(claim: Claim, unit: str) -> str:
    """Return the claim's range in words."""
    low, high = figure(claim.low, unit), figure(claim.high, unit)
    if math.isinf(claim.high):
        return f"at least {low}"
    if claim.low <= 0 <= claim.high and unit != "rho":
        return f"at most {high}"
    return f"from {low} to {high}" if low != high else f"exactly {low}"


def figure(value: float, unit: str) -> str:
    """Return a figure in words: bandwidths in MB/s (10^6 B/s), all else as it is."""
    return f"{value / 1e6:.3g} MB/s" if unit == "B/s" else f"{value:.3g}"


def figure_with_ends(result: Result) -> str:
    """Return a figure and what else it could be, in no more digits than that leaves.

    Two significant digits; a third where two would hide on which side of the figure the ends lie.
    """
    unit = " MB/s" if result.unit == "B/s" else ""
    if math.isnan(result.low):
        return f"{in_digits(result.computed, result.unit)}{unit}"
    ends = (result.computed, result.low, result.high)
    for digits in (2, 3):
        number, low, high = (in_digits(end, result.unit, digits) for end in ends)
        if low != number != high:
            break
    return f"{number}{unit}{'' if low == number == high else f' ({low} to {high})'}"


def in_digits(value: float, unit: str, digits: int = 2) -> str:
    """Return a figure in so many significant digits, a bandwidth in MB/s, a rho in decimals."""
    value = value / 1e6 if unit == "B/s" else value
    first = 0 if unit == "rho" or value == 0 else math.floor(math.log10(abs(value))) + 1
    return f"{round(value, digits - first):.{max(digits - first, 0)}f}"
