"""What the figures say of a card that you buy by its name: specimens of one product differ.

The model of a test is about specimens that somebody measured. Here the specimen is a random draw
from its product, and a place is host and reader alone: what another person's card of this name
gave, with that person's system around it, is what a buyer has to expect. Logarithms on all tests.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.errors import check_known
from sdanalysis.stats.fit import Estimate, members
from sdanalysis.stats.intervals import MINIMUM, geometric_mean, t_quantile
from sdanalysis.stats.names import briefly
from sdanalysis.stats.reasons import Reason
from sdanalysis.stats.same_test import columns

_TINY = 1e-8


class ProductSpread(NamedTuple):
    """How far specimens of one product differ: a standard deviation of the natural logarithm."""

    sd: float
    low: float  # of the interval of sd
    high: float
    error_sd: float  # of one figure, of what specimen and place explain
    factor: float  # within which two specimens lie; nan below `MINIMUM` comparisons
    freedom: int  # independent comparisons of specimens of one product
    products: int  # with several specimens
    specimens: int  # of these products
    people: int  # who measured them


def product_spread(figures: pd.DataFrame, *, confidence: float = 0.95) -> ProductSpread:
    """Estimate the variance of specimens within a product, from products with several specimens.

    Henderson's third method: what the residuals of product + place have more than those of
    specimen + place, over how much of it a variance of one would add.

    Parameters
    ----------
    figures : DataFrame
        As of `model_figures`.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> found = stats.product_spread(stats.model_figures(load(), "randwrite"))
    >>> round(found.sd, 2), found.freedom, found.products, found.specimens, found.people
    (0.39, 4, 3, 8, 5)
    """
    product, specimen, place = _designs(figures)
    logs = np.log(figures["value"].to_numpy(float))
    without, rest, free = _left(np.hstack([product, place]), logs)
    _, error, error_free = _left(np.hstack([specimen, place]), logs)
    freedom = free - error_free
    error_variance = error / error_free if error_free else math.nan
    several = figures.groupby("medium")["specimen"].transform("nunique") > 1
    shared = figures[several]
    sd = low = high = factor = math.nan
    if freedom:
        added = float(np.trace(specimen.T @ without @ specimen))
        sd = math.sqrt(max(0.0, (rest - free * error_variance) / added))
        low, high = _ends(sd, freedom, confidence)
    if freedom >= MINIMUM:
        factor = math.exp(t_quantile(confidence, freedom) * math.sqrt(2) * sd)
    return ProductSpread(
        sd=sd,
        low=low,
        high=high,
        error_sd=math.sqrt(error_variance),
        factor=factor,
        freedom=freedom,
        products=shared["medium"].nunique(),
        specimens=shared["specimen"].nunique(),
        people=shared["measured_by"].nunique(),
    )


def name_spread_in_words(spread: ProductSpread | None, op: str) -> str:
    """Say how far another card of the same name may be off in a test; None where no model is.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> spread = stats.product_spread(stats.model_figures(load(), "randwrite"))
    >>> print(stats.name_spread_in_words(spread, "randwrite"))
    Another card of the same name may be 4.6 times as fast or as slow in small writes (8 cards).
    """
    if spread is None or math.isnan(spread.factor):
        return (
            f"How far two cards of one name differ in {briefly(op)} is not known: no pair of cards."
        )
    factor = f"{spread.factor:.2g} times as fast or as slow in {briefly(op)}"
    cards = counted(spread.specimens, "card")
    return f"Another card of the same name may be {factor} ({cards})."


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far published specimens of one model differ in the same test.

    As `spread`: the greatest over the least, of geometric means over the repeats.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> spreads = stats.reference_spreads(load_data().specimens)
    >>> spreads[["tool", "op", "cards", "spread"]].round(2)
      tool     op  cards  spread
    0   dd   read      2    1.00
    1   dd  write      2    2.99
    """
    keys = ["model", *columns("tool", "op")]
    values: dict[tuple[str, ...], dict[str, list[float]]] = {}
    named = specimens.dropna(subset="model")
    for *key, specimen, value in named[[*keys, "specimen", "value"]].itertuples(index=False):
        values.setdefault(tuple(key), {}).setdefault(specimen, []).append(value)
    means = {key: [*map(geometric_mean, values[key].values())] for key in sorted(values)}
    spreads = [(*key, len(of), max(of) / min(of)) for key, of in means.items() if len(of) > 1]
    found = pd.DataFrame(spreads, columns=[*keys, "cards", "spread"])
    return found.astype({**dict.fromkeys(keys, "str"), "cards": "int64", "spread": "float64"})


def product_prediction(
    figures: pd.DataFrame,
    medium: str,
    host: str,
    reader: str = "slot",
    *,
    limit: float = math.inf,
    confidence: float = 0.95,
) -> Estimate:
    """Return what a new specimen of a product would give in a place (B/s), with its interval.

    Generalised least squares with the variances of `product_spread`; its degrees of freedom are
    those of the comparisons of specimens, which the spread rests on. Fewer than `MINIMUM` of them
    give no number.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> figures = stats.model_figures(load(), "randwrite")
    >>> found = stats.product_prediction(figures, "samsung-evo-plus-32gb-mc32ga", "pi-4b")
    >>> [round(number / 1e6, 1) for number in found[:3]]
    [1.5, 0.4, 5.3]
    """
    check_known("medium", medium, sorted(set(figures["medium"])))
    spread = product_spread(figures, confidence=confidence)
    media, places = _levels(figures)
    check_known("place", f"{host}/{reader}", ["/".join(known) for known in places])
    row = np.concatenate([members([medium], media)[0], members([(host, reader)], places)[0]])
    new = spread.sd**2 + spread.error_sd**2
    return _estimate(figures, spread, row, new, limit, confidence)


def product_ratio(
    figures: pd.DataFrame, base: str, other: str, *, confidence: float = 0.95
) -> Estimate:
    """Return by which factor one product is faster than another, over all its specimens.

    Specimens are draws from their product, so that the interval holds for cards that nobody
    measured: of the products' means, not of one card of each.

    Parameters
    ----------
    figures : DataFrame
        As of `model_figures`.
    base, other : str
        Two `medium`; one that is not among the figures is an SdAnalysisError.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> figures = stats.model_figures(load(), "randwrite")
    >>> parts = "samsung-evo+-32gb-mc32da", "samsung-evo-plus-32gb-mc32ga"
    >>> [round(number, 2) for number in stats.product_ratio(figures, *parts)[:3]]
    [0.41, 0.15, 1.11]
    """
    media, places = _levels(figures)
    for medium in (base, other):
        check_known("medium", medium, media)
    row = members([other], media)[0] - members([base], media)[0]
    spread = product_spread(figures, confidence=confidence)
    return _estimate(
        figures, spread, np.concatenate([row, np.zeros(len(places))]), 0.0, math.inf, confidence
    )


def _estimate(
    figures: pd.DataFrame,
    spread: ProductSpread,
    row: np.ndarray,
    new: float,
    limit: float,
    confidence: float,
) -> Estimate:
    """Return a combination of products and places by generalised least squares.

    `new` is the variance of what is not yet measured, beside that of the estimate.
    """
    if spread.freedom < MINIMUM:
        return Estimate(reason=Reason.FEW_PAIRS)
    product, specimen, place = _designs(figures)
    variances = spread.sd**2 * specimen @ specimen.T + spread.error_sd**2 * np.eye(len(figures))
    whiten = np.linalg.inv(np.linalg.cholesky(variances))
    design = whiten @ np.hstack([product, place])
    inverse = np.linalg.pinv(design, rcond=_TINY)
    if not np.allclose(row @ inverse @ design, row, atol=1e-4):
        return Estimate(reason=Reason.NOT_LINKED)
    logs = whiten @ np.log(figures["value"].to_numpy(float))
    centre = float(row @ inverse @ logs)
    sd = math.sqrt(float(row @ inverse @ inverse.T @ row) + new)
    half = t_quantile(confidence, spread.freedom) * sd
    value, low, high = (min(math.exp(end), limit) for end in (centre, centre - half, centre + half))
    return Estimate(value, low, high)


def _levels(figures: pd.DataFrame) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the products and the places (host and reader) of figures, sorted."""
    places = figures[columns("place")].itertuples(index=False, name=None)
    return tuple(sorted(set(figures["medium"]))), tuple(sorted(set(places)))


def _designs(figures: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which product, specimen and place each figure is of, as columns of zeros and ones."""
    media, places = _levels(figures)
    rows = figures[columns("place")].itertuples(index=False, name=None)
    specimens = tuple(sorted(set(figures["specimen"])))
    return (
        members(figures["medium"], media),
        members(figures["specimen"], specimens),
        members(rows, places),
    )


def _left(design: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Return the projection on what a design leaves, the sum of squares there, its freedom."""
    left = np.eye(len(logs)) - design @ np.linalg.pinv(design, rcond=_TINY)
    return left, float(logs @ left @ logs), round(float(np.trace(left)))


def _ends(sd: float, freedom: int, confidence: float) -> tuple[float, float]:
    """Return the interval of a standard deviation, by the chi-squared distribution."""
    from scipy.special import chdtri

    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    low, high = (sd * math.sqrt(freedom / chdtri(freedom, tail)) for tail in tails)
    return low, high
