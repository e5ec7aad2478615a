"""Means, intervals and tests of ratios, over cards; and how much they hang on one card."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.text_tables import ratio_words

_FOUND = ["ratio", "low", "high", "verdict", "cards_to_decide"]
_NOBODY = "(none)"  # is left out of the whole
MINIMUM = 3  # cards below which points are shown and no interval is computed
_SHOWN = 4  # that an error lists of many
_MOST_CARDS = 1000  # more would be no advice


def ratio_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group: geometric mean over cards with its t interval.

    A group of several contrasts (`base` and `other`) or laboratories is refused: their mean is
    that of nothing. Name them in `by`.

    Returns
    -------
    DataFrame
        The columns of `by`, then `cards`, `pairs`, `ratio`, `low`, `high` (missing below
        `MINIMUM` cards), `least`, `greatest` (of the cards), `verdict` (`>1`, `<1`, `~` for
        undecided, `points` for too few cards) and `cards_to_decide` where undecided.
    """
    require(pairs, ["specimen", "ratio", *by])
    rows = []
    for key, group in _groups(pairs, by):
        _refuse_pooling(group, key)
        cards = _cards(group)
        counts = {"cards": len(cards), "pairs": len(group)}
        ends = {"least": cards.min(), "greatest": cards.max()}
        rows.append(key | counts | geometric_interval(cards, confidence=confidence) | ends)
    summary = pd.DataFrame(rows, columns=[*by, "cards", "pairs", *_FOUND, "least", "greatest"])
    summary.attrs["ratio"] = ratio_words(pairs)  # for the axis of a plot
    return summary


def paired_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group as `ratio_summary`, with two tests against 1.

    As there, several contrasts or laboratories in one group are refused.

    Returns
    -------
    DataFrame
        The columns of `ratio_summary`, then `above` and `below` (cards whose ratio is above or
        below 1), `p_sign` (exact two-sided sign test; a card at exactly 1 is left out) and `p_t`
        (t test of the mean log ratio; missing below `MINIMUM` cards).
    """
    summary = ratio_summary(pairs, by, confidence=confidence)
    rows = []
    for _, group in _groups(pairs, by):
        cards = _cards(group)
        above, below = int((cards > 1).sum()), int((cards < 1).sum())
        rows.append((above, below, _sign_test(above, below), _t_test(np.log(cards.to_numpy()))))
    tests = pd.DataFrame(rows, columns=["above", "below", "p_sign", "p_t"])
    return summary.assign(**tests)


def _refuse_pooling(group: pd.DataFrame, key: dict[str, object]) -> None:
    """Refuse a group whose ratios are of several contrasts, or of several laboratories."""
    for columns in (["base", "other"], ["measured_by"]):
        if not set(columns) <= set(group):
            continue
        found = group[columns].drop_duplicates()
        if len(found) > 1:
            words = [" and ".join(map(str, row)) for row in found.itertuples(index=False)]
            where = ", ".join(f"{name} {word}" for name, word in key.items()) or "all rows"
            expected = f"expected one: name {' and '.join(map(repr, columns))} in by"
            shown = "; ".join([*words[:_SHOWN], *(["..."] if len(words) > _SHOWN else [])])
            text = f"found {len(words)} of {', '.join(columns)} in {where} ({shown})"
            raise SdAnalysisError(f"{text}, {expected}")


def holm(p_values: pd.Series) -> pd.Series:
    """Return p values adjusted for their number (Holm 1979), so that each may be read alone.

    At most `alpha` where the family-wise error is kept at `alpha`; aligned with `p_values`.
    """
    ordered = p_values.dropna().sort_values(kind="stable")
    adjusted = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
    return adjusted.reindex(p_values.index)


def _groups(
    rows: pd.DataFrame, by: Sequence[str]
) -> Iterator[tuple[dict[str, object], pd.DataFrame]]:
    """Return the groups of rows, each with its values of `by`."""
    for key, group in rows.groupby(list(by), dropna=False, sort=True):
        yield dict(zip(by, key, strict=True)), group


def _cards(pairs: pd.DataFrame) -> pd.Series:
    return pairs.groupby("specimen")["ratio"].agg(geometric_mean)


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


def geometric_interval(ratios: Iterable[float], *, confidence: float = 0.95) -> dict[str, object]:
    """Return the geometric mean of independent ratios and its t interval on the logarithms.

    Keys `ratio`, `low`, `high` (nan below `MINIMUM` ratios), `verdict`, `cards_to_decide` (the
    number of cards at which this mean and spread would exclude 1; missing if decided).
    """
    logs = np.log(np.asarray(list(ratios), dtype=float))
    count = len(logs)
    mean, half, needed = float(logs.mean()) if count else math.nan, math.nan, pd.NA
    if count >= MINIMUM:
        spread = float(logs.std(ddof=1))
        half = t_quantile(confidence, count - 1) * spread / math.sqrt(count)
        if abs(mean) <= half:
            needed = cards_to_decide(mean, spread, confidence=confidence)
    low, high = math.exp(mean - half), math.exp(mean + half)
    found = {"ratio": math.exp(mean), "low": low, "high": high}
    return found | {"verdict": verdict(low, high), "cards_to_decide": needed}


def verdict(low: float, high: float) -> str:
    """Return what an interval says: `>1`, `<1`, `~` undecided, `points` without one."""
    if math.isnan(low):
        return "points"
    return ">1" if low > 1 else "<1" if high < 1 else "~"


def leave_one_out(
    pairs: pd.DataFrame, *, by: Sequence[str], confidence: float = 0.95
) -> pd.DataFrame:
    """Recompute `ratio_summary` without each card.

    Returns
    -------
    DataFrame
        The columns of `by`, `left_out` (`(none)` in the row of the whole), then `cards`,
        `ratio`, `low`, `high`, `verdict` (`nothing left` where nothing is) and `changes`
        (whether the verdict differs from that of the whole).
    """
    require(pairs, ["specimen", "ratio", *by])
    rows: list[dict[str, object]] = []
    words = set()  # for the axis of a plot: where all groups have the same
    for key, group in _groups(pairs, by):
        _refuse_pooling(group, key)
        rows += [key | found for found in _without_each(_cards(group), confidence)]
        words.add(ratio_words(group))
    columns = [*by, "left_out", "cards", "ratio", "low", "high", "verdict", "changes"]
    left = pd.DataFrame(rows, columns=columns)
    if len(words) == 1:
        left.attrs["ratio"] = words.pop()
    return left


def _without_each(cards: pd.Series, confidence: float) -> Iterator[dict[str, object]]:
    """Yield what the ratios of cards give together, then without each of them."""
    whole = geometric_interval(cards, confidence=confidence)
    yield whole | {"left_out": _NOBODY, "cards": len(cards), "changes": False}
    for left_out in cards.index:
        rest = cards.drop(left_out)
        found = geometric_interval(rest, confidence=confidence)
        if rest.empty:
            found = {"verdict": "nothing left"}
        changes = found["verdict"] != whole["verdict"]
        yield found | {"left_out": left_out, "cards": len(rest), "changes": changes}


def most_influential(left: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sum up `leave_one_out`: one row a group, with the range of the ratio and who moves it most.

    Returns
    -------
    DataFrame
        The columns of `by`, `cards`, `ratio`, `verdict` (of the whole), `least`, `greatest` (of
        the ratios without one), `moves_most` (whose absence moves the ratio most) and `changed_by`
        (the cards without which the verdict is another; missing where there is none).
    """
    rows = []
    for key, group in _groups(left, by):
        whole = group[group["left_out"] == _NOBODY].iloc[0]
        rest = group[(group["left_out"] != _NOBODY) & group["ratio"].notna()]
        moved = (rest["ratio"] / whole["ratio"]).where(lambda r: r >= 1, lambda r: 1 / r)
        changed = group.loc[group["changes"].astype(bool), "left_out"]
        rows.append(
            {
                **key,
                **whole[["cards", "ratio", "verdict"]].to_dict(),
                "least": rest["ratio"].min(),
                "greatest": rest["ratio"].max(),
                "moves_most": rest.loc[moved.idxmax(), "left_out"] if len(rest) else pd.NA,
                "changed_by": ", ".join(changed) or pd.NA,
            }
        )
    columns = ["cards", "ratio", "verdict", "least", "greatest", "moves_most", "changed_by"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def in_words(row: Any) -> str:
    """Return a row of a summary in words: ratio, interval, cards, and `~` where undecided.

    Of two groups (`cards_base`, `cards_other`) the cards of the other and of the base.
    """
    both = hasattr(row, "cards_base")
    count = f"{row.cards_other} and {row.cards_base}" if both else f"{row.cards}"
    cards = f"n = {count} card{'' if count == '1' else 's'}"
    known = [] if pd.isna(row.low) else [f"{_three(row.low)} to {_three(row.high)}"]
    undecided = " ~" if row.verdict == "~" else ""
    return f"{_three(row.ratio)} ({', '.join([*known, cards])}){undecided}"


def _three(number: float) -> str:
    """Return a number with three digits, or all before the point."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:#.3g}"


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


def two_sided_p(distances: pd.Series, freedom: pd.Series) -> pd.Series:
    """Return the p values of distances from 0 in standard errors, by Student's t."""
    from scipy.special import stdtr

    return pd.Series(2 * stdtr(freedom.to_numpy(float), -distances.abs()), distances.index)


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t; scipy is loaded when it is needed.

    SdAnalysisError where the confidence is not above 0 and below 1.
    """
    from scipy.special import stdtrit

    if not 0 < confidence < 1:
        raise SdAnalysisError(f"found the confidence {confidence:g}, expected it between 0 and 1")

    return float(stdtrit(freedom, 0.5 + confidence / 2))
