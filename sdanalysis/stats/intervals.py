"""How sure is a ratio? Means over cards with t intervals, and the ranks of two samples."""

import math
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError, check_known, require
from sdanalysis.text_tables import ratio_words

MINIMUM = 3  # cards below which points are shown and no interval is computed
_EXAMPLES = 4  # that an error lists of many
_MOST_CARDS = 1000  # more would be no advice
_SUMMARY = [
    *("cards", "pairs", "ratio", "low", "high", "verdict", "cards_to_decide", "least", "greatest"),
    *("above", "below", "p_sign", "p_t"),
]
_GROUPS = ["cards_base", "cards_other", "common", "ratio", "low", "high", "verdict"]
_INFLUENCE = ["cards", "ratio", "verdict", "least", "greatest", "moves_most", "changed_by"]
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


def paired_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group: geometric mean over cards, t interval, tests against 1.

    A group of several contrasts (`base` and `other`) or laboratories is refused: their mean is
    that of nothing. Name them in `by`.

    Returns one row a group: `by`, `cards`, `pairs`, what `geometric_interval` finds of the cards (a
    card's pairs are averaged), `least` and `greatest` card, `p_sign`, `p_t`. `above` and `below`
    count the cards on each side of 1. `p_sign` is an exact two-sided sign test without cards at
    exactly 1.
    """
    from scipy.special import bdtr

    rows = []
    for key, group, cards in _groups(pairs, by):
        above, below = int((cards > 1).sum()), int((cards < 1).sum())
        sign = min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))
        counts = {"cards": len(cards), "pairs": len(group), "above": above, "below": below}
        ends = {"least": cards.min(), "greatest": cards.max(), "p_sign": sign}
        rows.append(key | counts | ends | geometric_interval(cards, confidence=confidence))
    summary = pd.DataFrame(rows, columns=[*by, *_SUMMARY])
    summary.attrs["ratio"] = ratio_words(pairs)  # for the axis of a plot
    return summary


def most_influential(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Leave out each card in turn: how far does the ratio of a group move, and by whom?

    Returns one row a group: `by`, `cards`, `ratio`, `verdict` (of the whole), `least`, `greatest`
    (of the ratios without one). The absence of `moves_most` moves the ratio most. `changed_by` has
    the cards without which the verdict is another; missing where there is none.
    """
    rows = []
    for key, _, cards in _groups(pairs, by):
        whole = geometric_interval(cards, confidence=confidence)
        others = {name: cards.drop(name) for name in (cards.index if len(cards) > 1 else ())}
        found = [geometric_interval(rest, confidence=confidence) for rest in others.values()]
        rest = pd.DataFrame(found, index=[*others], columns=["ratio", "verdict"])
        moved = np.log(rest["ratio"].astype(float) / whole["ratio"]).abs()
        rows.append({
            **key, **whole, "cards": len(cards),
            "least": rest["ratio"].min(), "greatest": rest["ratio"].max(),
            "moves_most": moved.idxmax() if len(rest) else pd.NA,
            "changed_by": ", ".join(rest.index[rest["verdict"] != whole["verdict"]]) or pd.NA,
        })  # fmt: skip
    summary = pd.DataFrame(rows, columns=[*by, *_INFLUENCE])
    summary.attrs["ratio"] = ratio_words(pairs)
    return summary


def _groups(
    pairs: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[dict[str, object], pd.DataFrame, pd.Series]]:
    """Yield of each group its values of `by`, its pairs, and the mean ratio of each card."""
    require(pairs, ["specimen", "ratio", *by])
    for values, group in pairs.groupby(list(by), dropna=False, sort=True):
        key = dict(zip(by, values, strict=True))
        for columns in (["base", "other"], ["measured_by"]):
            several = group[columns].drop_duplicates() if set(columns) <= set(group) else ()
            if len(several) > 1:
                words = [" and ".join(map(str, row)) for row in several.itertuples(index=False)]
                where = ", ".join(f"{name} {word}" for name, word in key.items()) or "all rows"
                examples = "; ".join([*words[:_EXAMPLES], *["..."] * (len(words) > _EXAMPLES)])
                raise SdAnalysisError(
                    f"found {len(words)} of {', '.join(columns)} in {where} ({examples}), "
                    f"expected one: name {' and '.join(map(repr, columns))} in by"
                )
        yield key, group, group.groupby("specimen")["ratio"].agg(geometric_mean)


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
    return pd.DataFrame(rows, columns=[*by, "base", "other", *_GROUPS])


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
    `comparison` (which cards) and the columns of `compare_groups`.
    """
    common = _card_means(figures, factor, (base, other), (), value)[[base, other]].dropna()
    every = compare_groups(figures, factor, base, other, value=value, confidence=confidence)
    counts = dict.fromkeys(("cards_base", "cards_other", "common"), len(common))
    pairs = geometric_interval(common[other] / common[base], confidence=confidence)
    same = pd.DataFrame([{"base": base, "other": other, **counts, **pairs}])[list(every)]
    found = pd.concat([every, same], ignore_index=True)
    found.insert(0, "comparison", ["all cards of each group", "the same cards in both"])
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
    rows = figures[words.isin(groups)].astype({factor: object})
    means = rows.groupby([*by, "specimen", factor], dropna=False)[value].agg(geometric_mean)
    return means.unstack(factor).reindex(columns=list(groups)).reset_index()


def geometric_interval(ratios: Iterable[float], *, confidence: float = 0.95) -> dict[str, Any]:
    """Return the geometric mean of independent ratios and its t interval on the logarithms.

    Keys `ratio`, `low`, `high` and `p_t` (nan below `MINIMUM` ratios), `verdict`, and
    `cards_to_decide` (at how many this mean and spread would exclude 1; missing if decided).
    """
    logs = np.log(np.asarray(list(ratios), dtype=float))
    count = len(logs)
    mean, half, p, needed = float(logs.mean()) if count else math.nan, math.nan, math.nan, pd.NA
    if count >= MINIMUM:
        spread = float(logs.std(ddof=1))
        half = t_quantile(confidence, count - 1) * spread / math.sqrt(count)
        p = float(logs[0] == 0)  # where all are equal: there is no spread to divide by
        if np.ptp(logs):
            p = float(two_sided_p(mean / spread * math.sqrt(count), count - 1))
        if abs(mean) <= half:
            needed = cards_to_decide(mean, spread, confidence=confidence)
    low, high = math.exp(mean - half), math.exp(mean + half)
    found = {"ratio": math.exp(mean), "low": low, "high": high, "p_t": p}
    return found | {"verdict": verdict(low, high), "cards_to_decide": needed}


def verdict(low: float, high: float) -> str:
    """Return what an interval says: `>1`, `<1`, `~` undecided, `points` without one."""
    if math.isnan(low):
        return "points"
    return ">1" if low > 1 else "<1" if high < 1 else "~"


def in_words(row: Any) -> str:
    """Return a row of a summary in words: ratio, interval, cards, and `~` where undecided.

    Of two groups (`cards_base`, `cards_other`) the cards of the other and of the base:
    `2.10 (1.86 to 2.36, n = 3 cards)`.
    """
    both = hasattr(row, "cards_base")
    count = f"{row.cards_other} and {row.cards_base}" if both else f"{row.cards}"
    cards = f"n = {count} card{'' if count == '1' else 's'}"
    known = "" if pd.isna(row.low) else f"{_three(row.low)} to {_three(row.high)}, "
    return f"{_three(row.ratio)} ({known}{cards}){' ~' if row.verdict == '~' else ''}"


def _three(number: float) -> str:
    """Return a number with three digits, or all before the point."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:#.3g}"


def holm(p_values: pd.Series) -> pd.Series:
    """Return p values adjusted for their number (Holm 1979), so that each may be read alone."""
    ordered = p_values.dropna().sort_values(kind="stable")
    adjusted = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
    return adjusted.reindex(p_values.index)


def cards_to_decide(mean: float, spread: float, *, confidence: float = 0.95) -> Any:
    """Return how many cards would exclude 1, if mean and spread of the log ratios stayed so.

    Missing where it would take more than 1000.
    """

    def decided(count: int) -> bool:
        return t_quantile(confidence, count - 1) * spread / math.sqrt(count) < abs(mean)

    counts = range(MINIMUM, _MOST_CARDS + 1)  # the more cards, the narrower: once so, always so
    place = bisect_left(counts, True, key=decided)
    return counts[place] if place < len(counts) else pd.NA


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive values; of one value exactly that."""
    numbers = np.asarray(values, dtype=float)
    return float(numbers[0] if len(numbers) == 1 else np.exp(np.log(numbers).mean()))


def two_sided_p(distance: Any, freedom: Any) -> Any:
    """Return the p value, by Student's t, of a distance from 0 in standard errors; or of many."""
    from scipy.special import stdtr

    return 2 * stdtr(freedom, -np.abs(distance))


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t, for a confidence above 0 and below 1."""
    from scipy.special import stdtrit  # loaded when it is needed: it takes half a second

    if not 0 < confidence < 1:
        raise SdAnalysisError(f"found the confidence {confidence:g}, expected it between 0 and 1")
    return float(stdtrit(freedom, 0.5 + confidence / 2))


def median_interval(values: Numbers, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the median between two order statistics of the sample.

    It is exact for any distribution: its confidence is at least the requested one. It is nan, nan
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

    The estimate is the median ratio of all pairs of results (new over base, all above 0). The
    interval holds the factors that the two-sided test does not reject. So the estimate is inside,
    and 1 is outside exactly where `p` is at most 1 - confidence. Below 4 values a side at 95 %
    nothing is rejected: `low` and `high` are nan. The test is exact up to about 150 results a side
    (50 with ties in a side). Above, it is normal with corrections for continuity and such ties.
    Ties between the sides count against a difference: rounding leaves them open.
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
    repetitions = (np.unique(side, return_counts=True)[1].astype(float) for side in (base, new))
    ties = sum(float((counts**3 - counts).sum()) for counts in repetitions)
    if first * first * second <= (_COUNTED_WITH_TIES if ties else _COUNTED):
        return _exact_tails(first, second).__getitem__
    from scipy.special import ndtr

    both = first + second
    spread = math.sqrt(first * second / 12 * (both + 1 - ties / (both * (both - 1))))
    return lambda u: 2 * float(ndtr((u + 0.5 - first * second / 2) / spread))


@lru_cache(maxsize=256)
def _exact_tails(first: int, second: int) -> np.ndarray:
    """Return twice the probabilities that U is at most 0, 1, ..., up to half of all pairs.

    The coefficients of a Gaussian binomial count the orders of two samples with each U. Each step
    multiplies and divides it by 1 - q^n, and keeps it a distribution.
    """
    share = np.zeros(first * second // 2 + 1)
    share[0] = 1
    for number in range(1, first + 1):
        grown = second + number
        share[grown:] = share[grown:] - share[: max(0, len(share) - grown)]
        rows = np.pad(share, (0, -len(share) % number)).reshape(-1, number)
        share = rows.cumsum(axis=0).ravel()[: len(share)] * (number / grown)
    return 2 * share.cumsum()
