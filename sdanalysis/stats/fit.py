"""The additive model of one test: each figure is its specimen's part plus its place's part.

A place is who measured, on which host, in which reader. What adds up is the test's `Scale`: the
logarithm of the figure, the time of a byte or its square. The error is relative on each of them,
one for the whole test: on a scale of times the figures are weighted by 1 / fit squared.

Nobody shared a specimen with anybody else, so the places fall into islands: groups that a chain of
common specimens links. Within an island every difference can be estimated, across islands none
(`effects._refusal`). The least-squares solution of least norm would still compare them, and be
wrong by any factor.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError, check_known
from sdanalysis.stats.reasons import Reason, doubted, usable
from sdanalysis.stats.same_test import (
    MAIN_TESTS,
    MainTest,
    Scale,
    average_repeats,
    columns,
    test_in_words,
)

PLACE = columns("laboratory", "place")
_CARD = [*PLACE, *columns("card")]
_OWN_TEST = columns("test", "cache")
_LARGE = 1024**2  # B: smaller requests in sequence are no large file
TINY = 1e-8  # relative: what rounding leaves of a zero
_ROUNDS = 50  # of reweighting; the fit moves no more after ten or so
_LEAST_SHARE = 0.1  # of a measured time that a fitted one is taken as in a weight
_MOST = 500  # results of a function that are remembered; a report asks for some hundred
Call = TypeVar("Call", bound=Callable[..., Any])


def remembered(function: Call) -> Call:
    """Let a function give its result again for frames of the same content.

    The other arguments are hashable. A frame comes as a copy, which is the caller's.
    """
    results: dict[tuple[Any, ...], Any] = {}

    def content(value: Any) -> Any:
        if not isinstance(value, pd.DataFrame):
            return value
        return hashlib.blake2b(pickle.dumps(value, protocol=5), digest_size=16).digest()

    @wraps(function)
    def again(*given: Any, **named: Any) -> Any:
        key = (*map(content, given), *((name, content(named[name])) for name in sorted(named)))
        if key not in results:
            if len(results) >= _MOST:
                results.clear()
            results[key] = function(*given, **named)
        result = results[key]
        return result.copy() if isinstance(result, pd.DataFrame) else result

    return again  # type: ignore[return-value] # it takes what the function takes


class Place(NamedTuple):
    """Where a figure was measured: by whom, on which computer, in which of its readers."""

    measured_by: str
    host: str
    reader: str


class Estimate(NamedTuple):
    """A number with its interval, or the reason why there is none."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    at_least: bool = False  # the interval has no upper end of its own
    reason: Reason | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """Weighted least squares on a design: `covariance` is that of the effects, for a sigma of 1."""

    effects: np.ndarray
    covariance: np.ndarray
    row_space: np.ndarray  # the projection on what can be estimated
    weights: np.ndarray
    residuals: np.ndarray  # relative, as sigma is
    sigma: float  # nan without a degree of freedom
    freedom: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit(Solution):
    """The model of one test, fitted: one effect a specimen and one a place, on the test's scale.

    `figures` has one row a specimen and place, its runs averaged. Effects stand in the order of
    `specimens`, then `places`; `islands` has the number of the island of each of them.
    """

    test: MainTest
    figures: pd.DataFrame
    specimens: tuple[str, ...]
    places: tuple[Place, ...]
    islands: tuple[int, ...]
    design: np.ndarray


@remembered
def model_figures(
    measurements: pd.DataFrame, op: str, *, with_doubted: bool = False
) -> pd.DataFrame:
    """Return the figures of one of `MAIN_TESTS`: a row a specimen and place, its runs averaged.

    Figures that are marked `suspicious` are among them `with_doubted` only. Columns:
    `measured_by`, `host`, `reader`, `specimen`, `medium`, `value` (B/s), `low`, `high` (what
    rounding allows), `runs`, `ids`, `remarks`.
    """
    check_known("main test", op, MAIN_TESTS)
    test, rows = MAIN_TESTS[op], usable(measurements)
    chosen = (rows["op"] == op) & (rows["tool"] == test.tool) & (rows["stat"] == "single")
    if test.block_size is not None:
        chosen &= (rows["block_size"] == test.block_size).fillna(False)
    for alone in ("numjobs", "iodepth"):  # several requests at once are another test
        chosen &= rows[alone].isna() | (rows[alone] == 1).fillna(False)
    rows = rows[chosen.astype(bool)]
    return average_repeats(rows if with_doubted else rows[~doubted(rows)], _CARD)


@remembered
def fit_model(measurements: pd.DataFrame, op: str, *, with_doubted: bool = False) -> Fit:
    """Fit the model of a main test; parameters as of `model_figures`."""
    return fit_figures(model_figures(measurements, op, with_doubted=with_doubted), MAIN_TESTS[op])


def fit_figures(figures: pd.DataFrame, test: MainTest) -> Fit:
    """Fit the model to figures as of `model_figures`; none at all are an SdAnalysisError."""
    if figures.empty:
        raise SdAnalysisError(f"found no figure of {test.tool} {test.op}, expected one or more")
    rows = [Place(*row) for row in figures[PLACE].itertuples(index=False)]
    places, specimens = tuple(sorted(set(rows))), tuple(sorted(set(figures["specimen"])))
    design = np.hstack([members(figures["specimen"], specimens), members(rows, places)])
    return Fit(
        test=test,
        figures=figures.reset_index(drop=True),
        specimens=specimens,
        places=places,
        islands=_islands(design),
        design=design,
        **vars(solve(design, figures["value"].to_numpy(float), test.scale)),
    )


def _islands(design: np.ndarray) -> tuple[int, ...]:
    """Return the number of the island of each effect, as scipy's `connected_components` would.

    The gain: the import of scipy.sparse.csgraph is an eighth of the time of `sdanalysis mine`.
    """
    linked = design.T @ design > 0
    while (farther := linked @ linked).sum() > linked.sum():
        linked = farther
    return tuple(np.unique(linked.argmax(axis=1), return_inverse=True)[1].tolist())


def members(names: Iterable[object], known: Iterable[object]) -> np.ndarray:
    """Return a column of zeros and ones for each known name."""
    return np.array([[name == level for level in known] for name in names], dtype=float)


def solve(
    design: np.ndarray, values: np.ndarray, scale: Scale, weights: np.ndarray | None = None
) -> Solution:
    """Return the least-squares solution of least norm for figures (B/s) on a scale.

    On a scale of times the weights are 1 / fit, found by fitting in rounds until they stay, from
    those of a similar fit where they are given. A fit of next to nothing, or less, would weigh its
    figure as much as all the others.
    """
    wanted = to_scale(values, scale)
    if scale is Scale.LOG:
        weights = np.ones(len(values))
    elif weights is None:
        weights = 1 / wanted
    for _ in range(0 if scale is Scale.LOG else _ROUNDS):
        effects = np.linalg.lstsq(design * weights[:, None], wanted * weights, rcond=TINY)[0]
        before, weights = weights, 1 / np.maximum(design @ effects, _LEAST_SHARE * wanted)
        if np.allclose(weights, before, rtol=1e-10, atol=0):
            break
    weighted = design * weights[:, None]
    inverse = np.linalg.pinv(weighted, rcond=TINY)
    effects = inverse @ (wanted * weights)
    residuals = (wanted - design @ effects) * weights
    row_space = inverse @ weighted
    freedom = len(values) - round(float(np.trace(row_space)))  # of a projection: its rank
    return Solution(
        effects=effects,
        covariance=inverse @ inverse.T,
        row_space=row_space,
        weights=weights,
        residuals=residuals,
        sigma=math.sqrt(float(residuals @ residuals) / freedom) if freedom else math.nan,
        freedom=freedom,
    )


def to_scale(values: np.ndarray, scale: Scale) -> np.ndarray:
    """Return figures (B/s) on the scale on which they add up."""
    return np.log(values) if scale is Scale.LOG else values ** -float(scale.power)


def to_speed(number: float, scale: Scale) -> float:
    """Return the speed (B/s) of a number on the scale; of a time not above 0, an infinite one."""
    if scale is Scale.LOG:
        return math.exp(number)
    return number ** (-1 / scale.power) if number > 0 else math.inf


def new_figure_sd(scale: Scale, centre: float, variance: float, sigma: float) -> float:
    """Return the standard deviation of a new figure about `centre`, on the scale.

    `variance` is that of the centre, for a sigma of 1; the error of the figure itself is relative.
    """
    own = 1.0 if scale is Scale.LOG else centre**2
    return sigma * math.sqrt(own + variance)


def log_sigma(fit: Fit) -> float:
    """Return the standard deviation of a figure's error, of its natural logarithm."""
    return fit.sigma / (fit.test.scale.power or 1)


@remembered
def figure_errors(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return how far one figure of each main test is off, by the test's model.

    One row a test whose model has a degree of freedom: `tool`, `op`, `block_size` (B; missing
    where any is meant), `noise_sd` (of the natural logarithm of a figure), `noise_freedom`.
    """
    rows = []
    for test in MAIN_TESTS.values():
        figures = model_figures(measurements, test.op)
        fit = None if figures.empty else fit_figures(figures, test)
        if fit and fit.freedom:
            rows.append((test.tool, test.op, test.block_size, log_sigma(fit), fit.freedom))
    names = [*columns("tool", "op", "block_size"), "noise_sd", "noise_freedom"]
    return pd.DataFrame(rows, columns=names).astype({"block_size": "Int64"})


def cell(fit: Fit, specimen: str, place: Place) -> np.ndarray:
    """Return the row of the design for a specimen in a place, whether it was measured or not."""
    check_known("specimen", specimen, fit.specimens)
    if place not in fit.places:
        known = ", ".join("/".join(known) for known in fit.places)
        raise SdAnalysisError(f"found the place {'/'.join(place)!r}, expected one of {known}")
    return np.hstack([members([specimen], fit.specimens), members([place], fit.places)])[0]


@remembered
def own_fit(measurements: pd.DataFrame, host: str, op: str, reader: str) -> Fit | None:
    """Return the model of the test that most cards of a board went through, over its runs."""
    rows = usable(measurements)
    rows = rows[(rows["host"] == host) & (rows["reader"] == reader) & (rows["op"] == op)]
    small = rows["block_size"] == MAIN_TESTS[op].block_size
    rows = rows[small if op.startswith("rand") else rows["block_size"] >= _LARGE]
    rows = rows[~doubted(rows)]
    if rows.empty:
        return None
    sizes = rows.groupby(_OWN_TEST, dropna=False)["specimen"].agg(["nunique", "size"])
    most = sizes.reset_index().sort_values(["nunique", "size", "block_size"]).tail(1)[_OWN_TEST]
    rows = rows.merge(most, on=_OWN_TEST)
    size = int(most["block_size"].iloc[0])
    test = MainTest(op, most["tool"].iloc[0], size, Scale.LOG)  # of one place: runs alone differ
    fit = fit_figures(average_repeats(rows, [*_CARD, "id"]), test)
    figures = average_repeats(rows, _CARD).assign(test=test_in_words(next(rows.itertuples())))
    sigma = fit.sigma / math.sqrt(figures["runs"].min())  # of a mean over the runs
    return replace(fit, figures=figures, sigma=sigma)
