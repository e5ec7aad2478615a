"""Two tables of results -> per test the two medians, their ratio, and whether it is decided."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import (
    MINIMUM,
    cards_to_decide,
    geometric_interval,
    geometric_mean,
    verdict,
)
from sdanalysis.stats.ranks import RatioEstimate, fewest_runs, hodges_lehmann, median_interval
from sdanalysis.stats.test_columns import (
    Results,
    checked,
    conditions,
    conditions_that_differ,
    on_both_sides,
    results_by_test,
)

_NAMED = ["tool", "block_size"]  # shown of each test, even where they do not name it
_UNITS = {"card": "specimen", "run": None}
_NUMBERS = [
    *("base", "base_low", "base_high", "new", "new_low", "new_high"),
    *("ratio", "low", "high", "percent", "p"),
]
_RESULTS = ["unit", "base_n", "new_n", *_NUMBERS, "verdict", "why", "needed", "differs"]
UNDECIDED = "~"
# Why a test is undecided; the words stand where it is shown.
EQUAL, TOO_FEW, HOLDS_1, WITHIN_ROUNDING = "equal", "too_few", "holds_1", "within_rounding"
_MORE_HELPS = (TOO_FEW, HOLDS_1)


def compare(
    base: pd.DataFrame,
    new: pd.DataFrame,
    *,
    by: Sequence[str] | None = None,
    pair: str | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare two tables of results, test by test.

    Ratio, interval, p and verdict are of one method: `hodges_lehmann`, or of pairs the t test on
    the logarithms of their ratios. Medians carry exact intervals between order statistics. Where
    a side of any test has several cards, the card is the unit: its runs are averaged (in
    logarithms) before it is counted. Where the sides round differently (another laboratory, tool
    or unit) the interval holds all that digits and units leave open.

    Parameters
    ----------
    pair : str
        A column such as `specimen`: only what both sides tested is compared, each with itself;
        the ratio is then the geometric mean of the pairs' ratios, with its t interval.
    confidence : float
        Of each two-sided interval.

    Returns
    -------
    DataFrame
        One row a test that both sides have: the columns of `by`, `tool` and `block_size`
        (missing where the sides differ in them), `unit` (run, card or pair), `base_n`, `new_n`,
        the medians `base` and `new` in base units with their intervals (missing for too few
        values), `ratio` (new over base) with `low`, `high` and `percent` (100 times what it is
        above 1), `p` (at most 1 - confidence exactly where the interval does not hold 1),
        `verdict` (`>1`, `<1`, `~` undecided: read from the interval), `why` it is undecided (a
        code: `equal`, `too_few`, `holds_1`, `within_rounding`), `needed` (results a side at which
        this ratio and this spread would decide; missing where decided or where none would),
        `differs` (the conditions that differ in this test).

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> mine = load().query("measured_by == 'geerling' and tool == 'iozone'")
    >>> pi_3, pi_4 = mine[mine["host"] == "pi-3b"], mine[mine["host"] == "pi-4b"]
    >>> tests = stats.compare(pi_3, pi_4, pair="specimen")
    >>> tests[["op", "base_n", "ratio", "low", "high", "verdict"]].round(2)
              op  base_n  ratio   low  high verdict
    0   randread       7   1.09  1.03  1.15      >1
    1  randwrite       7   1.08  0.99  1.17       ~
    """
    keys = [name for name in checked(by, base, new) if name != pair]
    if pair:
        checked([pair], base, new)
        base, new = on_both_sides(base, new, on=pair, by=keys)
    bases, news = results_by_test(base, keys), results_by_test(new, keys)
    common = sorted((key for key in bases if key in news), key=_sortable)
    unit = _unit([group for side in (bases, news) for group in side.values()])
    columns = [name for name in (*conditions(), "specimen") if name not in keys]
    named = [name for name in _NAMED if name not in keys]
    rows = [
        {
            **dict(zip(keys, key, strict=True)),
            **{name: _common(bases[key], news[key], name) for name in named},
            **_compared(bases[key], news[key], pair or _UNITS[unit], bool(pair), confidence),
            "unit": "pair" if pair else unit,
            "differs": conditions_that_differ(bases[key], news[key], columns),
        }
        for key in common
    ]
    frame = pd.DataFrame(rows, columns=[*keys, *named, *_RESULTS])
    counts = {"needed": "Int64", "base_n": "int64", "new_n": "int64", "block_size": "Int64"}
    return frame.astype(counts | dict.fromkeys(_NUMBERS, "float64"))


def _unit(groups: Sequence[Results]) -> str:
    return "card" if any(len({*group["specimen"]} - {None}) > 1 for group in groups) else "run"


def _common(base: Results, new: Results, column: str) -> object:
    """Return the one value that all results of both sides have, or None."""
    values = {*base[column], *new[column]}
    return values.pop() if len(values) == 1 else None


def _compared(
    base: Results, new: Results, unit: str | None, paired: bool, confidence: float
) -> dict[str, object]:
    """Return the numbers and the verdict of one test, all of one method."""
    method = _mean_of_pairs if paired else hodges_lehmann
    first, second = _values(base, unit), _values(new, unit)
    nominal = found = method(first, second, confidence=confidence)
    if _printing(base) != _printing(new):
        least, most = (
            method(_values(base, unit, end), _values(new, unit, other), confidence=confidence)
            for end, other in (("value_high", "value_low"), ("value_low", "value_high"))
        )
        found = _with_rounding(nominal, least, most)
    medians = _medians(first, second, confidence)
    why = _why_undecided(found, nominal, medians)
    needed: Any = pd.NA
    if why in _MORE_HELPS:
        needed = (_pairs_needed if paired else _needed)(first, second, found.ratio, confidence)
    said = UNDECIDED if why else verdict(found.low, found.high)
    results = {"percent": 100 * (found.ratio - 1), "verdict": said, "why": why, "needed": needed}
    return medians | found._asdict() | results


def _values(group: Results, unit: str | None, column: str = "value") -> np.ndarray:
    """Return the value of each result or, averaged, of each card (or other unit), in order."""
    if unit is None:
        return np.array(group[column], dtype=float)
    values = defaultdict(list)
    for name, value in zip(group[unit], group[column], strict=True):
        values[name].append(value)
    return np.array([geometric_mean(values[name]) for name in sorted(values, key=str)])


def _mean_of_pairs(base: np.ndarray, new: np.ndarray, *, confidence: float) -> RatioEstimate:
    """Compare each card (or other unit) with itself: the t test on the logarithms of ratios."""
    from scipy.special import stdtr

    logs = np.log(new / base)
    found: dict[str, Any] = geometric_interval(new / base, confidence=confidence)
    ratio, low, high = (found[name] for name in ("ratio", "low", "high"))
    if len(logs) < MINIMUM:
        return RatioEstimate(ratio, low, high, math.nan)
    error = float(logs.std(ddof=1)) / math.sqrt(len(logs))
    distance = abs(float(logs.mean()))
    p = 2 * float(stdtr(len(logs) - 1, -distance / error)) if error else float(distance == 0)
    return RatioEstimate(ratio, low, high, p)


def _with_rounding(
    nominal: RatioEstimate, least: RatioEstimate, most: RatioEstimate
) -> RatioEstimate:
    """Widen the interval to all that holds wherever in their digits the values are."""
    p = least.p if least.ratio > 1 else most.p if most.ratio < 1 else 1.0
    return RatioEstimate(nominal.ratio, least.low, most.high, p)


def _printing(group: Results) -> set[tuple[Any, ...]]:
    """Return who rounds how: where both sides are printed alike, rounding keeps the order."""
    return set(zip(*(group[name] for name in ("measured_by", "tool", "raw_unit")), strict=True))


def _medians(base: np.ndarray, new: np.ndarray, confidence: float) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, values in (("base", base), ("new", new)):
        low, high = median_interval(values, confidence=confidence)
        row |= {f"{name}_n": len(values), name: float(np.median(values))}
        row |= {f"{name}_low": low, f"{name}_high": high}
    return row


def _why_undecided(
    found: RatioEstimate, nominal: RatioEstimate, medians: dict[str, Any]
) -> str | None:
    equal = (found.ratio, medians["new"] / medians["base"])
    if all(math.isclose(ratio, 1, rel_tol=1e-12) for ratio in equal):
        return EQUAL
    if math.isnan(found.low):
        return TOO_FEW
    if not found.low <= 1 <= found.high:
        return None
    return HOLDS_1 if nominal.low <= 1 <= nominal.high else WITHIN_ROUNDING


def _pairs_needed(base: np.ndarray, new: np.ndarray, _: float, confidence: float) -> object:
    found = geometric_interval(new / base, confidence=confidence)
    return MINIMUM if len(base) < MINIMUM else found["cards_to_decide"]


def _needed(base: np.ndarray, new: np.ndarray, ratio: float, confidence: float) -> object:
    """Return at how many results a side the samples would differ, if they went on like this.

    With one result a side nothing is known of the spread: the least number that can decide.
    """
    spreads = [float(np.log(side).std(ddof=1)) for side in (base, new) if len(side) > 1]
    least = fewest_runs(confidence=confidence)
    if not spreads:
        return least
    spread = math.sqrt(2 * float(np.mean(np.square(spreads))))
    needed = cards_to_decide(math.log(ratio), spread, confidence=confidence)
    return needed if needed is pd.NA else max(needed, least, min(len(base), len(new)) + 1)


def _sortable(key: tuple[object, ...]) -> tuple[tuple[bool, bool, object], ...]:
    return tuple((cell is None, isinstance(cell, str), cell or 0) for cell in key)
