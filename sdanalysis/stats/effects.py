"""What the model of a test says of these specimens: contrasts, predictions, the cards that lead.

All intervals are t intervals with the model's one error. On a scale of times a place adds its own
time to every card's, so a faster card gains more from a faster place: a ratio is that of one card
or of one speed, never one factor for all. A time whose interval reaches zero bounds the speed from
below only: `at_least`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.fit import (
    PLACE,
    TINY,
    Estimate,
    Fit,
    Place,
    cell,
    log_sigma,
    new_figure_sd,
    to_speed,
)
from sdanalysis.stats.intervals import MINIMUM, t_quantile
from sdanalysis.stats.reasons import HIDDEN, Reason
from sdanalysis.stats.same_test import Scale, columns
from sdanalysis.stats.validation import people_by_place

_SEED, _DRAWS = 30, 100_000  # of the simulated quantile: known to about 1 %
_DISAGREE = 0.05  # p below which people's figures are not ranked together


def place_ratios(
    fit: Fit,
    base: Place,
    other: Place,
    *,
    speeds: Sequence[float] = (),
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return by which factor a card is faster in another place than in the base.

    `specimen`, `speed` (B/s in the base), `ratio` (other over base), `low`, `high` (infinite where
    `at_least`), `at_least`, `reason` (why there is no ratio). On the scale of logarithms one row,
    which holds for every card; on one of times a row for each specimen of the two places, or for
    each of `speeds` (B/s in the base).

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> old, new = (stats.Place("geerling", host, "slot") for host in ("pi-3b", "pi-4b"))
    >>> fit = stats.fit_model(load(), "write")
    >>> gains = stats.place_ratios(fit, old, new, speeds=[6e6, 12e6, 20e6])
    >>> gains[["speed", "ratio", "low", "high"]].round(2)
            speed  ratio   low  high
    0   6000000.0   1.03  1.02  1.03
    1  12000000.0   1.13  1.11  1.15
    2  20000000.0   1.61  1.46  1.80
    """
    scale, rows = fit.test.scale, []
    if speeds and scale is not Scale.LOG:
        rows = [(None, speed, *_at_speed(fit, base, other, speed, confidence)) for speed in speeds]
    else:
        met = fit.figures[PLACE].apply(tuple, axis=1).isin([base, other])
        every = sorted(set(fit.figures.loc[met, "specimen"]))
        for name in fit.specimens[:1] if scale is Scale.LOG else every:
            below = cell(fit, name, base)
            speed = to_speed(float(below @ fit.effects), scale)
            found = _ratio(fit, cell(fit, name, other), below, confidence)
            rows.append((None, math.nan, *found) if scale is Scale.LOG else (name, speed, *found))
    names = ["specimen", "speed", "ratio", "low", "high", "at_least", "reason"]
    return pd.DataFrame(rows, columns=names)


def specimen_ratio(
    fit: Fit, base: str, other: str, place: Place, *, confidence: float = 0.95
) -> Estimate:
    """Return by which factor one specimen is faster than another in a place, by all figures."""
    return _ratio(fit, cell(fit, other, place), cell(fit, base, place), confidence)


def prediction(
    fit: Fit,
    specimen: str,
    place: Place,
    *,
    limit: float = math.inf,
    confidence: float = 0.95,
) -> Estimate:
    """Return what a specimen would give in a place: one new figure (B/s), with its interval.

    `limit` is what the bus of the place carries (B/s): no end is above it.
    """
    row = cell(fit, specimen, place)
    if (reason := _refusal(fit, row)) is not None:
        return Estimate(reason=reason)
    centre = float(row @ fit.effects)
    sd = new_figure_sd(fit.test.scale, centre, float(row @ fit.covariance @ row), fit.sigma)
    half = t_quantile(confidence, fit.freedom) * sd
    half = half if fit.test.scale is Scale.LOG else -half  # the longer the time, the slower
    ends = [to_speed(end, fit.test.scale) for end in (centre, centre - half, centre + half)]
    value, low, high = (min(end, limit) for end in ends)
    return Estimate(value, low, high, at_least=math.isinf(ends[2]))


def predictions(fit: Fit, hosts: pd.DataFrame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Return what each specimen would give in each place where nobody measured it.

    Other people's places are left out: no card links them. `hosts` has the `limit` (B/s) of each
    host and reader. Columns: `specimen`, `measured_by`, `host`, `reader`, `value`, `low`, `high`
    (B/s; at most `limit`), `at_least` (the model itself has no upper end), `reason` (why there is
    no number), `limit`.
    """
    limits = hosts.set_index(columns("place"))["limit"]
    measured = set(fit.figures[["specimen", *PLACE]].itertuples(index=False, name=None))
    island = dict(zip((*fit.specimens, *fit.places), fit.islands, strict=True))
    rows = []
    for specimen, place in product(fit.specimens, fit.places):
        if island[specimen] == island[place] and (specimen, *place) not in measured:
            limit = float(limits[place.host, place.reader])
            found = prediction(fit, specimen, place, limit=limit, confidence=confidence)
            rows.append((specimen, *place, *found, limit))
    names = ["value", "low", "high", "at_least", "reason", "limit"]
    return pd.DataFrame(rows, columns=["specimen", *PLACE, *names])


def may_be_best(
    fit: Fit,
    hosts: pd.DataFrame,
    host: str,
    reader: str = "slot",
    *,
    measured_by: str | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the specimens of a place, the fastest first, and whether each may be the best of them.

    The set of those that may be holds the truly best one with the given confidence, whichever it
    is (Hsu's comparisons with the best). It compares the figures that were measured there: what a
    card gave elsewhere tells less of it than they do. Without one person (`measured_by`)
    everybody's cards are ranked together, which is refused where people disagree.

    The figures of `fit` in the place, with `may_be_best` (missing where there is a `reason` to rank
    nothing) and `margin` (the factor within which a card may be as fast as the best).
    """
    here = (fit.figures["host"] == host) & (fit.figures["reader"] == reader)
    if measured_by is not None:
        here &= fit.figures["measured_by"] == measured_by
    rows = fit.figures[here].sort_values("value", ascending=False, ignore_index=True)
    limit = float(hosts.set_index(columns("place"))["limit"][host, reader])
    reason = _no_ranking(fit, rows, limit)
    if reason is not None:
        leads = pd.array([pd.NA] * len(rows), dtype="boolean")
        return rows.assign(may_be_best=leads, margin=math.nan, reason=reason.value)
    margin = math.exp(log_sigma(fit) * best_quantile(len(rows), fit.freedom, confidence))
    leads = (rows["value"] * margin >= rows["value"].max()).astype("boolean")
    return rows.assign(may_be_best=leads, margin=margin, reason=None)


@cache
def best_quantile(cards: int, freedom: int, confidence: float) -> float:
    """Return by how many sigmas the best of several cards may be measured behind another one.

    The quantile of the greatest difference of the others' errors to that of the best, over an
    error that is estimated with `freedom`; simulated with a fixed seed.
    """
    generator = np.random.default_rng(_SEED)
    best = generator.standard_normal(_DRAWS)
    others = np.full(_DRAWS, -np.inf)
    for _ in range(cards - 1):
        others = np.maximum(others, generator.standard_normal(_DRAWS))
    sigma = np.sqrt(generator.chisquare(freedom, _DRAWS) / freedom)
    return float(np.quantile((others - best) / sigma, confidence))


def _no_ranking(fit: Fit, rows: pd.DataFrame, limit: float) -> Reason | None:
    """Return why the cards of a place cannot be ranked; None where they can."""
    if rows.empty:
        raise SdAnalysisError(
            f"found no figure of {fit.test.op} in that place, expected one or more"
        )
    if len(rows) < MINIMUM:
        return Reason.FEW_CARDS
    if not fit.freedom:
        return Reason.NO_FREEDOM
    if 2 * (rows["value"] >= HIDDEN * limit).sum() > len(rows):
        return Reason.SLOT_LIMITS
    if rows["measured_by"].nunique() > 1 and people_by_place(fit) < _DISAGREE:
        return Reason.PEOPLE_DISAGREE
    return None


def _refusal(fit: Fit, combination: np.ndarray) -> Reason | None:
    """Return why a combination of effects has no number: outside the row space, or no freedom."""
    if not np.allclose(combination @ fit.row_space, combination, rtol=0, atol=TINY**0.5):
        return Reason.NOT_LINKED
    return None if fit.freedom else Reason.NO_FREEDOM


def _ratio(fit: Fit, above: np.ndarray, below: np.ndarray, confidence: float) -> Estimate:
    """Return the ratio of the speeds of two cells of the design, and its interval."""
    # on logarithms the difference alone has to be known, not the two cells
    log = fit.test.scale is Scale.LOG
    for combination in [above - below] if log else [above, below]:
        if (reason := _refusal(fit, combination)) is not None:
            return Estimate(reason=reason)
    if not log:
        return _fieller(fit, above, below, confidence)
    centre, half = _difference(fit, above - below, confidence)
    return Estimate(*(math.exp(end) for end in (centre, centre - half, centre + half)))


def _difference(fit: Fit, combination: np.ndarray, confidence: float) -> tuple[float, float]:
    """Return a combination of effects, and half of its interval."""
    root = math.sqrt(float(combination @ fit.covariance @ combination))
    reach = t_quantile(confidence, fit.freedom) * fit.sigma
    return float(combination @ fit.effects), reach * root


def _fieller(fit: Fit, above: np.ndarray, below: np.ndarray, confidence: float) -> Estimate:
    """Return the ratio of two speeds from their times, with Fieller's interval.

    The ratios r for which time_below - r * time_above may be zero: between the roots of a
    quadratic; above the lower one alone where the time above may be zero itself.
    """
    reach = (t_quantile(confidence, fit.freedom) * fit.sigma) ** 2
    slow, fast = float(below @ fit.effects), float(above @ fit.effects)
    squares = fast**2 - reach * float(above @ fit.covariance @ above)
    both = slow * fast - reach * float(above @ fit.covariance @ below)
    rest = slow**2 - reach * float(below @ fit.covariance @ below)
    root = math.sqrt(max(both**2 - squares * rest, 0.0))
    power = 1 / fit.test.scale.power
    low = (rest / (both + root)) ** power
    value = (slow / fast) ** power if fast > 0 else math.inf
    if squares <= 0:
        return Estimate(value, low, math.inf, at_least=True)
    return Estimate(value, low, ((both + root) / squares) ** power)


def _at_speed(fit: Fit, base: Place, other: Place, speed: float, confidence: float) -> Estimate:
    """Return the gain of a card with this speed in the base: its time, and what the place adds."""
    apart = cell(fit, fit.specimens[0], other) - cell(fit, fit.specimens[0], base)
    if (reason := _refusal(fit, apart)) is not None:
        return Estimate(reason=reason)
    added, half = _difference(fit, apart, confidence)
    scale, own = fit.test.scale, speed ** -float(fit.test.scale.power)
    times = (own + added, own + added + half, own + added - half)
    value, low, high = (to_speed(time, scale) / speed for time in times)
    return Estimate(value, low, high, at_least=math.isinf(high))
