"""Whether the model of a test is right: what it predicts of figures that had no part in it.

The share of left-out figures outside their intervals is near its nominal value for wrong models,
too, as the error is estimated from the same residuals. So it stands beside the size of the errors,
the log score, Tukey's test for a product of card and place, and the errors' correlation with speed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.stats.fit import (
    PLACE,
    TINY,
    Fit,
    members,
    new_figure_sd,
    solve,
    to_scale,
    to_speed,
)
from sdanalysis.stats.intervals import holm, t_quantile
from sdanalysis.stats.same_test import Scale

_LEAST_CORRELATED = 5  # figures of a place: in fewer no order of ranks is beyond chance


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


def left_out(fit: Fit) -> pd.DataFrame:
    """Predict each figure from a model without it.

    One row a figure that others predict (of a specimen in several places, in a place of several
    specimens): `measured_by`, `host`, `reader`, `specimen`, `value`, `predicted`, `error` (log of
    the measured over the predicted), `outside` (of its 95 % interval), `inside_half` (of its 50 %
    interval), `log_density`, `place_error` (log, to the place's other cards).
    """
    from scipy.stats import t as student

    scale, rows = fit.test.scale, []
    weighted = fit.design * fit.weights[:, None]
    leverage = np.einsum("ij,jk,ik->i", weighted, fit.covariance, weighted)
    values = fit.figures["value"].to_numpy(float)
    measured = to_scale(values, scale)
    for index in np.flatnonzero(leverage < 1 - TINY):  # one of 1 is that of a lonely figure
        others = np.arange(len(values)) != index
        rest, row = solve(fit.design[others], values[others], scale), fit.design[index]
        if rest.freedom:
            centre = float(row @ rest.effects)
            sd = new_figure_sd(scale, centre, float(row @ rest.covariance @ row), rest.sigma)
            off, predicted = (measured[index] - centre) / sd, to_speed(centre, scale)
            error = math.log(values[index] / predicted) if math.isfinite(predicted) else math.nan
            # that of log(value): by the change of variables, whose factor on a scale of times is
            factor = 1.0 if scale is Scale.LOG else scale.power * measured[index]
            density = student.logpdf(off, rest.freedom) + math.log(factor / sd)
            outside, half = (abs(off) > t_quantile(share, rest.freedom) for share in (0.95, 0.5))
            rows.append((index, predicted, error, outside, not half, density))
    names = ["index", "predicted", "error", "outside", "inside_half", "log_density"]
    table = pd.DataFrame(rows, columns=names).set_index("index")
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
    rms, place = (
        math.exp(math.sqrt(float((found[name] ** 2).mean()))) for name in ("error", "place_error")
    )
    return Score(
        figures=len(found),
        unbounded=int(found["error"].isna().sum()),
        rms_factor=rms,
        place_factor=place,
        specimens_outside=int(outside.sum()),
        specimens=len(outside),
        inside_half=float(found["inside_half"].mean()),
        log_score=float(found["log_density"].mean()),
        tukey_p=tukey(fit),
    )


def score_text(found: Score) -> str:
    r"""Return a score in the words of `sdanalysis check`."""
    unbounded = f" ({found.unbounded} without a number)" if found.unbounded else ""
    return (
        f"{found.figures} figures left out{unbounded}, rms factor {found.rms_factor:.2f} "
        f"(the place alone {found.place_factor:.2f}), {found.specimens_outside} of "
        f"{found.specimens} specimens outside 95 %, {100 * found.inside_half:.0f} % inside 50 %, "
        f"Tukey p {found.tukey_p:.2g}, log score {found.log_score:.2f}"
    )


def tukey(fit: Fit) -> float:
    """Return p of whether the parts multiply, too: Tukey's one degree of freedom."""
    of_specimens, of_places = np.split(fit.effects, [len(fit.specimens)])
    rows_of_specimens, rows_of_places = np.split(fit.design, [len(fit.specimens)], axis=1)
    product = (rows_of_specimens @ of_specimens) * (rows_of_places @ of_places) * fit.weights
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
