"""Tables of results -> per test the medians, each ratio to the first, and whether it is decided."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.errors import require
from sdanalysis.stats.intervals import (
    MINIMUM,
    RatioEstimate,
    cards_to_decide,
    fewest_runs,
    geometric_interval,
    geometric_mean,
    hodges_lehmann,
    median_interval,
    t_quantile,
    two_sided_p,
    verdict,
)
from sdanalysis.stats.test_columns import (
    Results,
    Table,
    checked,
    conditions,
    conditions_that_differ,
    on_both_sides,
    prepared,
)

_NAMED = ["tool", "block_size"]  # shown of each test, even where they do not name it
_NUMBERS = [
    *("base", "base_low", "base_high", "new", "new_low", "new_high"),
    *("ratio", "low", "high", "percent", "p"),
]
_RESULTS = ["set", "unit", "base_n", "new_n", *_NUMBERS, "verdict", "why", "needed", "differs"]
UNDECIDED = "~"
_TOUCH = 1e-12  # two printed numbers whose ranges of digits touch may be the same
# Why a test is undecided; the words stand where it is shown.
_EQUAL, _TOO_FEW, _HOLDS_1, _WITHIN_ROUNDING = "equal", "too_few", "holds_1", "within_rounding"
EARLIER_RUN = "earlier run"  # what is counted, beside pair, card and run
_Tests = Mapping[tuple[Any, ...], Results]


class _Method(NamedTuple):
    """How a test is decided: what is counted, the column that names it, and the statistics."""

    unit: str
    column: str | None
    estimate: Callable[..., RatioEstimate]


def compare(
    base: Table,
    new: Table,
    *more: Table,
    by: Sequence[str] | None = None,
    pair: str | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare tables of results with the first of them, test by test.

    Ratio, interval, p and verdict are of one method: `hodges_lehmann`, or of pairs the t test on
    the logarithms of their ratios. Medians carry exact intervals between order statistics. Where
    a side of any test has several cards, the card is the unit: its runs are averaged (in
    logarithms) before it is counted. Where the sides round differently (another laboratory, tool
    or unit) the interval holds all that digits and units leave open.

    `pair` is a column such as `specimen`: what both sides tested is compared with itself. The ratio
    is then the geometric mean of the pairs' ratios, with its t interval.

    Returns one row a test and further table that has it as the first does. Its columns: those of
    `by`, `tool` and `block_size` (missing where the tables differ in them), `set` (1 for `new`, 2
    and on for `more`), `unit` (run, card or pair). `base_n`, `new_n` and the medians `base` and
    `new` in base units with their intervals (missing for too few values). `ratio` (new over base)
    with `low`, `high` and `percent` (100 times what it is above 1). `p` is at most 1 - confidence
    exactly where the interval does not hold 1. `verdict` (`>1`, `<1`, `~` undecided) is read from
    the interval. `why` it is undecided is a code: `equal`, `too_few`, `holds_1`, `within_rounding`.
    With `needed` results a side this ratio and spread would decide; missing where decided or where
    none would. `differs` has the conditions that differ in this test.
    """
    sides = [prepared(side) for side in (base, new, *more)]
    keys = [name for name in checked(by, *sides) if name != pair]
    if pair:
        checked([pair], *sides)
        halves = [on_both_sides(base, other, on=pair, by=keys) for other in sides[1:]]
        groups = [(prepared(old).by_test(keys), prepared(new).by_test(keys)) for old, new in halves]
        return _table(groups, keys, _Method("pair", pair, _mean_of_pairs), confidence)
    first, *others = (side.by_test(keys) for side in sides)
    groups = [(first, other) for other in others]
    every = (results for side in (first, *others) for results in side.values())
    cards = any(len({*results["specimen"]} - {None}) > 1 for results in every)
    unit, column = ("card", "specimen") if cards else ("run", None)
    return _table(groups, keys, _Method(unit, column, hodges_lehmann), confidence)


def compare_last(
    earlier: Table,
    last: Table,
    *,
    by: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Compare the last run with the earlier ones, whose differences are the noise of a run.

    The column `run` tells the earlier runs apart; the results of one run are averaged, for what
    differs from day to day is what counts. The interval is that of one more run (t, on logarithms).
    If the last run is like the earlier ones, it misses 1 in one of 20 tests. It holds all that
    digits leave open, so runs that print alike decide nothing.

    Returns rows as of `compare`: `base` is of the earlier runs, `base_n` their number, `unit`
    `earlier run` and `ratio` that of the last to their geometric mean; no verdict below `MINIMUM`
    of them.
    """
    earlier, last = prepared(earlier), prepared(last)
    require(earlier.frame, ["run"])
    keys = checked(by, earlier, last)
    groups = [(earlier.by_test(keys), prepared(last.frame.assign(run="last")).by_test(keys))]
    return _table(groups, keys, _Method(EARLIER_RUN, "run", _one_more_run), confidence)


def mean_over_tests(tests: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return the geometric mean of the ratios of the tests that all sets have, for each set.

    It has no interval: tests are chosen, not drawn, and their ratios share cards and runs. So
    neither their spread nor their own intervals say how sure it is. `tests` as of `compare`.
    Returns one row for each value of `by`, metric, stat and set with two tests or more: `tests`
    (over how many), `ratio` and `percent`.
    """
    names = [name for name in COLUMNS if name in tests]
    keys = list(dict.fromkeys([*by, "metric", "stat", "set"]))
    sets = tests.groupby(names, dropna=False)["set"].transform("nunique")
    whole = tests[sets == tests["set"].nunique()]
    found = whole.groupby(keys, dropna=False, sort=False)["ratio"]
    means = found.agg(tests="size", ratio=geometric_mean).reset_index()
    means = means[means["tests"] > 1].reset_index(drop=True)
    return means.assign(percent=100 * (means["ratio"] - 1))


def _table(
    groups: Sequence[tuple[_Tests, _Tests]],
    keys: Sequence[str],
    method: _Method,
    confidence: float,
) -> pd.DataFrame:
    """Return the row of every test and set; in a test that the base lacks nothing is compared."""
    common = {key for bases, news in groups for key in bases if key in news}
    columns = [name for name in (*conditions(), "specimen") if name not in keys]
    named = [name for name in _NAMED if name not in keys]
    rows = []
    for key in sorted(
        common, key=lambda cells: [(c is None, isinstance(c, str), c or 0) for c in cells]
    ):
        sides = {
            number: (bases[key], news[key])
            for number, (bases, news) in enumerate(groups, 1)
            if key in bases and key in news
        }
        row = dict(zip(keys, key, strict=True)) | {"unit": method.unit}
        for name in named:
            values = {value for both in sides.values() for side in both for value in side[name]}
            row[name] = values.pop() if len(values) == 1 else None
        for number, both in sides.items():
            differs = conditions_that_differ(*both, columns)
            found = _compared(*both, method, confidence)
            rows.append({**row, **found, "set": number, "differs": differs})
    frame = pd.DataFrame(rows, columns=[*keys, *named, *_RESULTS])
    counts = dict.fromkeys(["set", "base_n", "new_n"], "int64")
    counts |= dict.fromkeys(["needed", "block_size"], "Int64")
    return frame.astype(counts | dict.fromkeys(_NUMBERS, "float64"))


def _compared(base: Results, new: Results, method: _Method, confidence: float) -> dict[str, object]:
    """Return the numbers and the verdict of one test, all of one method."""
    unit, estimate = method.column, method.estimate
    first, second = _values(base, unit), _values(new, unit)
    nominal = found = estimate(first, second, confidence=confidence)
    # Who rounds how: where both sides are printed alike, rounding keeps the order.
    printed = (
        set(zip(*(side[name] for name in ("measured_by", "tool", "raw_unit")), strict=True))
        for side in (base, new)
    )
    if method.unit == EARLIER_RUN or next(printed) != next(printed):
        least, most = (
            estimate(_values(base, unit, end), _values(new, unit, other), confidence=confidence)
            for end, other in (("value_high", "value_low"), ("value_low", "value_high"))
        )
        more, less = 1 + _TOUCH, 1 - _TOUCH  # all that holds wherever in their digits they are
        p = least.p if least.ratio > more else most.p if most.ratio < less else 1.0
        found = RatioEstimate(nominal.ratio, least.low * less, most.high * more, p)
    row: dict[str, Any] = found._asdict() | {"percent": 100 * (found.ratio - 1)}
    for name, values in (("base", first), ("new", second)):
        low, high = median_interval(values, confidence=confidence)
        row |= {f"{name}_n": len(values), name: float(np.median(values))}
        row |= {f"{name}_low": low, f"{name}_high": high}
    why = needed = None
    medians = row["new"] / row["base"]
    if all(math.isclose(ratio, 1, rel_tol=1e-12) for ratio in (found.ratio, medians)):
        why = _EQUAL
    elif math.isnan(found.low):
        why = _TOO_FEW
    elif found.low <= 1 <= found.high:
        why = _HOLDS_1 if nominal.low <= 1 <= nominal.high else _WITHIN_ROUNDING
    if why in (_TOO_FEW, _HOLDS_1):  # more would help
        needed = _needed(method, first, second, found.ratio, confidence)
    says = UNDECIDED if why else verdict(found.low, found.high)
    return row | {"verdict": says, "why": why, "needed": needed}


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
    found = geometric_interval(new / base, confidence=confidence)
    return RatioEstimate(*(found[name] for name in ("ratio", "low", "high", "p_t")))


def _one_more_run(earlier: np.ndarray, last: np.ndarray, *, confidence: float) -> RatioEstimate:
    """Compare one run with the mean of earlier ones: the t interval of one more of their kind."""
    ratio, count = geometric_mean(last) / geometric_mean(earlier), len(earlier)
    if count < MINIMUM:
        return RatioEstimate(ratio, math.nan, math.nan, math.nan)
    error = float(np.log(earlier).std(ddof=1)) * math.sqrt(1 + 1 / count)
    band = math.exp(t_quantile(confidence, count - 1) * error)
    distance = math.log(ratio)
    p = float(two_sided_p(distance / error, count - 1) if error else distance == 0)
    return RatioEstimate(ratio, ratio / band, ratio * band, p)


def _needed(
    method: _Method, base: np.ndarray, new: np.ndarray, ratio: float, confidence: float
) -> object:
    """Return at how many results a side the samples would differ, if they went on like this.

    With one result a side nothing is known of the spread: the least number that can decide. More
    earlier runs than the least do not narrow a run's noise.
    """
    if method.unit in ("pair", EARLIER_RUN) and len(base) < MINIMUM:
        return MINIMUM
    if method.unit == EARLIER_RUN:
        return pd.NA
    if method.unit == "pair":
        return geometric_interval(new / base, confidence=confidence)["cards_to_decide"]
    spreads = [float(np.log(side).std(ddof=1)) for side in (base, new) if len(side) > 1]
    least = fewest_runs(confidence=confidence)
    if not spreads:
        return least
    spread = math.sqrt(2 * float(np.mean(np.square(spreads))))
    needed = cards_to_decide(math.log(ratio), spread, confidence=confidence)
    return needed if needed is pd.NA else max(needed, least, min(len(base), len(new)) + 1)
