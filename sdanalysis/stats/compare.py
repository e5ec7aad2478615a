"""Two tables of results -> per test the two medians, their ratio, and whether it is decided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.differences import CONDITIONS, conditions_that_differ
from sdanalysis.stats.intervals import MINIMUM, cards_to_decide, geometric_interval, geometric_mean
from sdanalysis.stats.ranks import fewest_runs, median_interval, ratio_interval
from sdanalysis.stats.test_columns import Results, checked, shared, tests

_TOLD = ["tool", "block_size"]  # told of each test, even where they name none
_UNITS = {"card": "specimen", "run": None}
_NUMBERS = ["base", "base_low", "base_high", "new", "new_low", "new_high", "ratio", "low", "high"]
RESULTS = [
    *("unit", "base_n", "new_n", "base", "base_low", "base_high", "new", "new_low", "new_high"),
    *("ratio", "low", "high", "verdict", "why", "needed", "differs"),
]


def compare(
    base: pd.DataFrame,
    new: pd.DataFrame,
    *,
    by: Sequence[str] | None = None,
    pair: str | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare two tables of results, test by test.

    Medians carry exact intervals between order statistics, ratios the interval of the exact
    Mann-Whitney test: neither assumes a distribution. Where a side of any test has several
    cards, the card is the unit: its runs are averaged (in logarithms) before it is counted.

    Parameters
    ----------
    base, new : DataFrame
        Rows of the tidy table or of `sdanalysis.parse`. What is no result is left out, see
        `not_comparable`.
    by : sequence of str
        What names a test (default: `telling_apart`).
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
        values), `ratio` (new over base) with `low` and `high`, `verdict` (`>1`, `<1`, `~`
        undecided), `why` it is undecided, `needed` (results a side at which these medians and
        this spread would decide; missing where decided or where none would), `differs` (the
        conditions that differ in this test).

    Raises
    ------
    SdAnalysisError
        A name in `by` or `pair` is no column.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> table = sdanalysis.load()
    >>> mine = table[(table["measured_by"] == "geerling") & (table["tool"] == "iozone")]
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
        base, new = shared(base, new, on=pair, by=keys)
    bases, news = tests(base, keys), tests(new, keys)
    common = sorted((key for key in bases if key in news), key=_sortable)
    unit = _unit([group for side in (bases, news) for group in side.values()])
    columns = [name for name in (*CONDITIONS, "specimen") if name not in keys]
    told = [name for name in _TOLD if name not in keys]
    rows = []
    for key in common:
        first, second = bases[key], news[key]
        values = [_values(side, pair or _UNITS[unit]) for side in (first, second)]
        decide = _paired if pair else _unpaired
        result = decide(*values, _overlap(first, second), confidence)
        result |= {name: _common(first, second, name) for name in told}
        differs = conditions_that_differ(first, second, columns)
        row = {**result, "unit": "pair" if pair else unit, "differs": differs}
        rows.append(dict(zip(keys, key, strict=True)) | row)
    frame = pd.DataFrame(rows, columns=[*keys, *told, *RESULTS])
    counts = {"needed": "Int64", "base_n": "int64", "new_n": "int64", "block_size": "Int64"}
    return frame.astype(counts | dict.fromkeys(_NUMBERS, "float64"))


def _unit(groups: Sequence[Results]) -> str:
    return "card" if any(len({*group["specimen"]} - {None}) > 1 for group in groups) else "run"


def _common(base: Results, new: Results, column: str) -> object:
    """Return the one value that all results of both sides have, or None."""
    values = {*base[column], *new[column]}
    return values.pop() if len(values) == 1 else None


def _values(group: Results, unit: str | None) -> dict[Any, float]:
    """Return the value of each result or, averaged, of each card (or other unit)."""
    if unit is None:
        return dict(enumerate(group["value"]))
    values: dict[Any, list[float]] = {}
    for name, value in zip(group[unit], group["value"], strict=True):
        values.setdefault(name, []).append(value)
    return {name: geometric_mean(found) for name, found in values.items()}


def _unpaired(
    base: dict[Any, float], new: dict[Any, float], overlap: bool, confidence: float
) -> dict[str, object]:
    first, second = (np.array(list(side.values()), dtype=float) for side in (base, new))
    low, high = ratio_interval(first, second, confidence=confidence)
    ratio = float(np.median(second) / np.median(first))
    why = _why_undecided(ratio, low, high, overlap)
    needed = _needed(first, second, ratio, confidence) if _more_helps(why) else pd.NA
    return _medians(first, second, confidence) | _decision(ratio, low, high, why, needed)


def _paired(
    base: dict[Any, float], new: dict[Any, float], overlap: bool, confidence: float
) -> dict[str, object]:
    """Compare each card (or other unit) with itself."""
    first, second = (np.array([side[name] for name in base], dtype=float) for side in (base, new))
    found = geometric_interval(second / first, confidence=confidence)
    ratio, low, high = found["ratio"], found["low"], found["high"]
    why = _why_undecided(ratio, low, high, overlap)
    needed = MINIMUM if found["verdict"] == "points" else found["cards_to_decide"]
    medians = _medians(first, second, confidence)
    return medians | _decision(ratio, low, high, why, needed if _more_helps(why) else pd.NA)


def _decision(
    ratio: float, low: float, high: float, why: str | None, needed: object
) -> dict[str, object]:
    verdict = "~" if why else (">1" if ratio > 1 else "<1")
    return {
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": verdict,
        "why": why,
        "needed": needed,
    }


def _medians(base: np.ndarray, new: np.ndarray, confidence: float) -> dict[str, object]:
    row: dict[str, object] = {}
    for name, values in (("base", base), ("new", new)):
        low, high = median_interval(values, confidence=confidence)
        row |= {f"{name}_n": len(values), name: float(np.median(values))}
        row |= {f"{name}_low": low, f"{name}_high": high}
    return row


_EQUAL = "the medians are equal"
_PRINTED = "within what rounding and the units leave open"


def _why_undecided(ratio: float, low: float, high: float, overlap: bool) -> str | None:
    if math.isclose(ratio, 1, rel_tol=1e-12):
        return _EQUAL
    if math.isnan(low):
        return "too few results"
    if low <= 1 <= high:
        return "the interval holds 1"
    return _PRINTED if overlap else None


def _more_helps(why: str | None) -> bool:
    return why not in (None, _EQUAL, _PRINTED)


_PRINTING = ["measured_by", "tool", "raw_unit"]


def _overlap(base: Results, new: Results) -> bool:
    """Tell whether digits and units leave open which of the two medians is the greater.

    Not where one laboratory prints both with one tool in one unit: rounding keeps the order, and
    what a unit leaves open is then the same on both sides.
    """
    first, second = (
        set(zip(*(side[name] for name in _PRINTING), strict=True)) for side in (base, new)
    )
    if first == second:
        return False
    low, high = (
        [float(np.median(side[f"value_{end}"])) for side in (base, new)] for end in ("low", "high")
    )
    return low[0] < high[1] and low[1] < high[0]


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
    if needed is pd.NA:
        return needed
    return max(needed, least, min(len(base), len(new)) + 1)


def _sortable(key: tuple[object, ...]) -> tuple[tuple[bool, bool, object], ...]:
    return tuple((cell is None, isinstance(cell, str), cell or 0) for cell in key)
