"""What the model of a test says of these specimens, and whether it is right.

All intervals are t intervals with the model's one error. On a scale of times a place adds its own
time to every card's, so a faster card gains more from a faster place. A ratio then holds for one
card or one speed, never for all. A time whose interval reaches zero bounds the speed from below
only: `at_least`.

The share of left-out figures outside their intervals is near its nominal value for wrong models,
too, as the error is estimated from the same residuals. So it stands beside the size of the errors,
the log score, Tukey's test for a product of card and place, and the errors' correlation with speed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

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
    members,
    new_figure_sd,
    remembered,
    solve,
    to_scale,
    to_speed,
)
from sdanalysis.stats.intervals import MINIMUM, holm, t_quantile
from sdanalysis.stats.reasons import HIDDEN, Reason
from sdanalysis.stats.same_test import Scale, columns

_SEED, _DRAWS = 30, 100_000  # of the simulated quantile: known to about 1 %
_DISAGREE = 0.05  # p below which people's figures are not ranked together
_LEAST_CORRELATED = 5  # figures of a place: in fewer no order of ranks is beyond chance


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
    `at_least`), `at_least`, `reason` (why there is no ratio). On the scale of logarithms one row
    holds for every card. On a scale of times there is a row for each specimen of the two places, or
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
    scale = fit.test.scale

    def row(name: str) -> tuple[object, ...]:
        above, below = cell(fit, name, other), cell(fit, name, base)
        speed = to_speed(float(below @ fit.effects), scale)
        return (name, speed, *_ratio(fit, above, below, confidence))

    def at(speed: float) -> Estimate:
        """Return the gain of a card with this speed in the base: its time, and what is added."""
        contrast = cell(fit, fit.specimens[0], other) - cell(fit, fit.specimens[0], base)
        if (reason := _refusal(fit, contrast)) is not None:
            return Estimate(reason=reason)
        added, half = _difference(fit, contrast, confidence)
        times = (
            speed ** -float(scale.power) + more for more in (added, added + half, added - half)
        )
        value, low, high = (to_speed(time, scale) / speed for time in times)
        return Estimate(value, low, high, at_least=math.isinf(high))

    if scale is Scale.LOG:
        rows = [(None, math.nan, *row(fit.specimens[0])[2:])]
    elif speeds:
        rows = [(None, speed, *at(speed)) for speed in speeds]
    else:
        places = fit.figures[PLACE].apply(tuple, axis=1).isin([base, other])
        rows = [row(name) for name in sorted(set(fit.figures.loc[places, "specimen"]))]
    return pd.DataFrame(rows, columns=["specimen", "speed", "ratio", *Estimate._fields[1:]])


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
    return pd.DataFrame(rows, columns=["specimen", *PLACE, *Estimate._fields, "limit"])


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

    The figures of `fit` in the place, with `may_be_best` and `margin`: a card may be as fast as the
    best within this factor. A `reason` to rank nothing leaves `may_be_best` missing.
    """
    mask = (fit.figures["host"] == host) & (fit.figures["reader"] == reader)
    if measured_by is not None:
        mask &= fit.figures["measured_by"] == measured_by
    rows = fit.figures[mask].sort_values("value", ascending=False, ignore_index=True)
    if rows.empty:
        raise SdAnalysisError(f"found no {fit.test.op} in that place, expected one figure or more")
    limit = float(hosts.set_index(columns("place"))["limit"][host, reader])
    reason = None
    if len(rows) < MINIMUM:
        reason = Reason.FEW_CARDS
    elif not fit.freedom:
        reason = Reason.NO_FREEDOM
    elif 2 * (rows["value"] >= HIDDEN * limit).sum() > len(rows):
        reason = Reason.SLOT_LIMITS
    elif rows["measured_by"].nunique() > 1 and people_by_place(fit) < _DISAGREE:
        reason = Reason.PEOPLE_DISAGREE
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


def _refusal(fit: Fit, combination: np.ndarray) -> Reason | None:
    """Return why a combination of effects has no number: outside the row space, or no freedom."""
    if not np.allclose(combination @ fit.row_space, combination, rtol=0, atol=TINY**0.5):
        return Reason.NOT_LINKED
    return None if fit.freedom else Reason.NO_FREEDOM


def _ratio(fit: Fit, above: np.ndarray, below: np.ndarray, confidence: float) -> Estimate:
    """Return the ratio of the speeds of two cells of the design, and its interval.

    On times it is Fieller's: the ratios r for which time_below - r * time_above may be zero. That
    is between the roots of a quadratic, or above the lower one where the time above may be zero.
    """
    log = fit.test.scale is Scale.LOG
    for combination in [above - below] if log else [above, below]:  # not the two cells on logs
        if (reason := _refusal(fit, combination)) is not None:
            return Estimate(reason=reason)
    if log:
        centre, half = _difference(fit, above - below, confidence)
        return Estimate(*(math.exp(end) for end in (centre, centre - half, centre + half)))
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


def _difference(fit: Fit, combination: np.ndarray, confidence: float) -> tuple[float, float]:
    """Return a combination of effects, and half of its interval."""
    root = math.sqrt(float(combination @ fit.covariance @ combination))
    reach = t_quantile(confidence, fit.freedom) * fit.sigma
    return float(combination @ fit.effects), reach * root


# --- whether the model is right ------------------------------------------------------------------


class Score(NamedTuple):
    """How well the model of a test predicts the figures that are left out, one at a time."""

    figures: int  # that could be left out
    unbounded: int  # of them those for which the model predicts no upper end: not in the errors
    rms_factor: float
    place_factor: float  # the same for the mean of the other cards in the place
    specimens_outside: int  # with a figure outside its 95 % interval
    specimens: int
    inside_half: float  # share of figures inside their 50 % interval
    log_score: float  # mean logarithm of the density of the log value: higher is better
    tukey_p: float


@remembered
def left_out(fit: Fit) -> pd.DataFrame:
    """Predict each figure from a model without it.

    One row a figure that others predict (of a specimen in several places, in a place of several
    specimens): `measured_by`, `host`, `reader`, `specimen`, `value`, `predicted`, `error` (log of
    the measured over the predicted), `outside` (of its 95 % interval), `inside_half` (of its 50 %
    interval), `log_density`, `place_error` (log, to the place's other cards).
    """
    from scipy.stats import t as student

    scale, rows = fit.test.scale, {}
    weighted = fit.design * fit.weights[:, None]
    leverage = np.einsum("ij,jk,ik->i", weighted, fit.covariance, weighted)
    values = fit.figures["value"].to_numpy(float)
    measured = to_scale(values, scale)
    for index in np.flatnonzero(leverage < 1 - TINY):  # one of 1 is that of a lonely figure
        others = np.arange(len(values)) != index
        rest = solve(fit.design[others], values[others], scale, fit.weights[others])
        row = fit.design[index]
        if rest.freedom:
            centre = float(row @ rest.effects)
            sd = new_figure_sd(scale, centre, float(row @ rest.covariance @ row), rest.sigma)
            off, predicted = (measured[index] - centre) / sd, to_speed(centre, scale)
            # that of log(value): by the change of variables, whose factor on a scale of times is
            factor = 1.0 if scale is Scale.LOG else scale.power * measured[index]
            rows[index] = {
                "predicted": predicted,
                "error": math.log(values[index] / predicted) if predicted < math.inf else math.nan,
                "outside": abs(off) > t_quantile(0.95, rest.freedom),
                "inside_half": abs(off) <= t_quantile(0.5, rest.freedom),
                "log_density": student.logpdf(off, rest.freedom) + math.log(factor / sd),
            }
    names = ["predicted", "error", "outside", "inside_half", "log_density"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    figures = fit.figures[[*PLACE, "specimen", "value"]]
    logs = np.log(figures["value"])
    place = logs.groupby([figures[name] for name in PLACE])
    others_mean = (place.transform("sum") - logs) / (place.transform("size") - 1)
    errors = figures.join(table, how="inner").join((logs - others_mean).rename("place_error"))
    return errors.reset_index(drop=True)


def score(fit: Fit) -> Score:
    """Sum up `left_out` in the numbers that `sdanalysis check` prints."""
    found = left_out(fit)
    outside = found.groupby("specimen")["outside"].any()
    rms, place = np.exp(np.sqrt((found[["error", "place_error"]] ** 2).mean()))
    return Score(
        figures=len(found),
        unbounded=int(found["error"].isna().sum()),
        rms_factor=float(rms),
        place_factor=float(place),
        specimens_outside=int(outside.sum()),
        specimens=len(outside),
        inside_half=float(found["inside_half"].mean()),
        log_score=float(found["log_density"].mean()),
        tukey_p=tukey(fit),
    )


def score_text(found: Score) -> str:
    """Return a score in the words of `sdanalysis check`."""
    unbounded = f" ({found.unbounded} without a number)" if found.unbounded else ""
    return (
        f"{found.figures} figures left out{unbounded}, rms factor {found.rms_factor:.2f} "
        f"(the place alone {found.place_factor:.2f}), {found.specimens_outside} of "
        f"{found.specimens} specimens outside 95 %, {100 * found.inside_half:.0f} % inside 50 %, "
        f"Tukey p {found.tukey_p:.2g}, log score {found.log_score:.2f}"
    )


def tukey(fit: Fit) -> float:
    """Return p of whether the parts multiply, too: Tukey's one degree of freedom."""
    split = len(fit.specimens)
    of_specimens = fit.design[:, :split] @ fit.effects[:split]
    product = of_specimens * (fit.design[:, split:] @ fit.effects[split:]) * fit.weights
    weighted = fit.design * fit.weights[:, None]
    product = product - weighted @ (fit.covariance @ (weighted.T @ product))
    own, total = product @ product, fit.residuals @ fit.residuals
    explained = (fit.residuals @ product) ** 2 / own if own else 0.0
    return _f_test_p(explained, 1, total - explained, fit.freedom - 1)


def people_by_place(fit: Fit) -> float:
    """Return p of whether one computer instead of another does the same to all people's cards.

    That is the model of specimen + host and reader against the one with who measured in the place.
    Where it is refused, people's figures are not to be pooled. Where it is not, it says nothing of
    a person's whole level, which cannot be told from the cards that only this person has.
    """
    pooled = sorted({place[1:] for place in fit.places})
    of_specimens, of_places = np.split(fit.design, [len(fit.specimens)], axis=1)
    joined = of_places @ members([place[1:] for place in fit.places], pooled)
    smaller = np.hstack([of_specimens, joined]) * fit.weights[:, None]
    wanted = (fit.design @ fit.effects) * fit.weights + fit.residuals
    effects, _, rank, _ = np.linalg.lstsq(smaller, wanted, rcond=TINY)
    residuals, total = wanted - smaller @ effects, fit.residuals @ fit.residuals
    freedom = len(wanted) - int(rank) - fit.freedom
    return _f_test_p(residuals @ residuals - total, freedom, total, fit.freedom)


def _f_test_p(explained: float, freedom: int, rest: float, residual_freedom: int) -> float:
    """Return the p of an F test of nested models; nan without a degree of freedom."""
    from scipy.special import fdtrc

    if freedom < 1 or residual_freedom < 1:
        return math.nan
    statistic = float((explained / freedom) / (rest / residual_freedom))
    return float(fdtrc(freedom, residual_freedom, max(statistic, 0.0)))


def speed_correlations(errors: pd.DataFrame) -> pd.DataFrame:
    """Return how the errors of `left_out` go with the cards' speed, place by place.

    The speed is the predicted one: the measured one has its own error in it. One row a place of
    five figures or more: `measured_by`, `host`, `reader`, `figures`, `correlation` (Kendall's, of
    ranks), `p` (corrected by Holm for the number of places).
    """
    from scipy.stats import kendalltau

    rows = []
    for place, group in errors.dropna(subset="error").groupby(PLACE):
        if len(group) >= _LEAST_CORRELATED:
            found = kendalltau(group["predicted"], group["error"])
            rows.append((*place, len(group), float(found.statistic), float(found.pvalue)))
    table = pd.DataFrame(rows, columns=[*PLACE, "figures", "correlation", "p"])
    return table.assign(p=holm(table["p"]))
