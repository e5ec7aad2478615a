"""Means, intervals and tests of ratios: on logarithms, over cards, with n and a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError

_COLUMNS = [
    *("cards", "pairs", "ratio", "low", "high", "verdict", "cards_to_decide"),
    *("least", "greatest"),
]
MINIMUM = 3  # cards below which points are shown and no interval is computed


def ratio_summary(
    pairs: pd.DataFrame, by: Sequence[str], *, confidence: float = 0.95
) -> pd.DataFrame:
    """Summarise the ratios of each group: geometric mean over cards with its t interval.

    Returns
    -------
    DataFrame
        The columns of `by`, then `cards`, `pairs`, `ratio`, `low`, `high` (missing below
        `MINIMUM` cards), `least`, `greatest` (of the cards), `verdict` (`>1`, `<1`, `~` for
        undecided, `points` for too few cards) and `cards_to_decide` where undecided.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> pairs = stats.read_write_pairs(sdanalysis.load())
    >>> at_random = pairs[(pairs["access"] == "random") & (pairs["measured_by"] == "geerling")]
    >>> summary = stats.ratio_summary(at_random, by=["host"])
    >>> summary[["host", "cards", "ratio", "low", "high", "verdict"]].round(2)
              host  cards  ratio   low   high verdict
    0        pi-2b     17   6.55  4.13  10.37      >1
    1        pi-3b      8   4.79  3.69   6.22      >1
    2  pi-3b-sd100      7   5.29  3.94   7.12      >1
    3   pi-3b-sd80      1   7.57   NaN    NaN  points
    4        pi-4b     15   4.40  3.04   6.37      >1
    """
    require(pairs, ["specimen", "ratio", *by])
    rows = []
    for key, group in pairs.groupby(list(by), dropna=False, sort=True):
        cards = group.groupby("specimen")["ratio"].agg(geometric_mean)
        found = geometric_interval(cards, confidence=confidence)
        counts = {"cards": len(cards), "pairs": len(group)}
        ends = {"least": cards.min(), "greatest": cards.max()}
        rows.append(dict(zip(by, key, strict=True)) | counts | found | ends)
    return pd.DataFrame(rows, columns=[*by, *_COLUMNS])


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


def geometric_interval(ratios: Iterable[float], *, confidence: float = 0.95) -> dict[str, object]:
    """Return the geometric mean of independent ratios and its t interval on the logarithms.

    As `ratio`, `low`, `high` (nan below `MINIMUM` ratios), `verdict`, `cards_to_decide` (the
    number of cards at which this mean and spread would exclude 1; missing if decided).

    Examples
    --------
    >>> from sdanalysis import stats
    >>> found = stats.geometric_interval([2, 3, 4])
    >>> round(found["ratio"], 3), round(found["low"], 3), round(found["high"], 3), found["verdict"]
    (2.884, 1.214, 6.851, '>1')
    >>> stats.geometric_interval([2, 3])["verdict"]
    'points'
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
    """Return what an interval of a ratio says: `>1`, `<1`, `~` undecided, `points` without one."""
    if math.isnan(low):
        return "points"
    return ">1" if low > 1 else "<1" if high < 1 else "~"


def in_words(row: Any) -> str:
    """Return a row of a summary in words: ratio, interval, cards, and `~` where undecided.

    Of two groups (`cards_base`, `cards_other`) the cards of the other and of the base.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdanalysis import stats
    >>> pairs = pd.DataFrame({"specimen": list("abcab"), "ratio": [2.0, 2.1, 2.2, 0.5, 3.5]})
    >>> summary = stats.ratio_summary(pairs.assign(op=["read"] * 3 + ["write"] * 2), ["op"])
    >>> [stats.in_words(row) for row in summary.itertuples()]
    ['2.10 (1.86 to 2.36, n = 3 cards)', '1.32 (n = 2 cards)']
    """
    both = hasattr(row, "cards_base")
    count = f"{row.cards_other} and {row.cards_base}" if both else f"{row.cards}"
    cards = f"n = {count} card{'' if count == '1' else 's'}"
    known = [] if pd.isna(row.low) else [f"{_three(row.low)} to {_three(row.high)}"]
    undecided = " ~" if row.verdict == "~" else ""
    return f"{_three(row.ratio)} ({', '.join([*known, cards])}){undecided}"


def _three(number: float) -> str:
    """Return a number with three digits, or all before the point."""
    return f"{number:.0f}" if number >= 100 else f"{number:#.3g}"


def cards_to_decide(mean: float, spread: float, *, confidence: float = 0.95) -> Any:
    """Return how many cards would exclude 1, if mean and spread of the log ratios stayed so.

    Missing where it would take more than 1000.

    Examples
    --------
    A mean of 10 % with a spread of 30 % between cards:

    >>> from sdanalysis import stats
    >>> stats.cards_to_decide(0.1, 0.3)
    38
    """
    for count in range(MINIMUM, 1001):
        if t_quantile(confidence, count - 1) * spread / math.sqrt(count) < abs(mean):
            return count
    return pd.NA


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive values; of one value exactly that.

    Examples
    --------
    >>> from sdanalysis import stats
    >>> stats.geometric_mean([1, 4])
    2.0
    """
    numbers = np.asarray(values, dtype=float)
    return float(numbers[0] if len(numbers) == 1 else np.exp(np.log(numbers).mean()))


def require(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse a frame that lacks one of these columns."""
    if missing := [name for name in names if name not in frame]:
        found = ", ".join(map(str, frame.columns))
        raise SdAnalysisError(f"found no column {missing[0]!r}, expected it among {found}")


def t_quantile(confidence: float, freedom: float) -> float:
    """Return the two-sided quantile of Student's t; scipy is loaded when it is needed."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + confidence / 2))
