"""What the figures say of a card that you buy by its name: specimens of one product differ.

The model of a test is about specimens that somebody measured. Here the specimen is a random draw
from its product, and a place is host and reader alone. A buyer has to expect what another person's
card of this name gave, on that person's system. Logarithms on all tests.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.errors import check_known
from sdanalysis.stats.fit import TINY, Estimate, members, remembered
from sdanalysis.stats.intervals import MINIMUM, geometric_mean, t_quantile
from sdanalysis.stats.names import briefly
from sdanalysis.stats.reasons import Reason
from sdanalysis.stats.same_test import columns


class ProductSpread(NamedTuple):
    """How far specimens of one product differ: a standard deviation of the natural logarithm."""

    sd: float
    error_sd: float  # of one figure, of what specimen and place explain
    factor: float  # within which two specimens lie; nan below `MINIMUM` comparisons
    freedom: int  # independent comparisons of specimens of one product
    products: int  # with several specimens
    specimens: int  # of these products


@remembered
def product_spread(figures: pd.DataFrame, *, confidence: float = 0.95) -> ProductSpread:
    """Estimate how specimens vary within a product, from figures as of `model_figures`.

    Henderson's third method: what the residuals of product + place have more than those of
    specimen + place, over how much of it a variance of one would add.
    """
    product, specimen, place = _designs(figures)
    logs = np.log(figures["value"].to_numpy(float))
    without, rest, free = _left(np.hstack([product, place]), logs)
    _, error, error_free = _left(np.hstack([specimen, place]), logs)
    freedom = free - error_free
    error_variance = error / error_free if error_free else math.nan
    shared = figures[figures.groupby("medium")["specimen"].transform("nunique") > 1]
    sd = factor = math.nan
    if freedom:
        added = float(np.trace(specimen.T @ without @ specimen))
        sd = math.sqrt(max(0.0, (rest - free * error_variance) / added))
    if freedom >= MINIMUM:
        factor = math.exp(t_quantile(confidence, freedom) * math.sqrt(2) * sd)
    products, specimens = shared["medium"].nunique(), shared["specimen"].nunique()
    return ProductSpread(sd, math.sqrt(error_variance), factor, freedom, products, specimens)


def name_spread_in_words(spread: ProductSpread, op: str) -> str:
    """Say how far another card of the same name may be off in a test."""
    test = briefly(op)
    if math.isnan(spread.factor):
        return f"How far two cards of one name differ in {test} is not known: no pair of cards."
    return (
        f"Another card of the same name may be {spread.factor:.2g} times as fast or as slow in "
        f"{test} ({counted(spread.specimens, 'card')})."
    )


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far published specimens of one model differ in the same test.

    Columns `model`, `tool`, `op`, `cards` and `spread`: the greatest over the least, of geometric
    means over the repeats.
    """
    keys = ["model", *columns("tool", "op")]
    means = specimens.groupby([*keys, "specimen"])["value"].agg(geometric_mean).groupby(keys)
    found = pd.DataFrame({"cards": means.size(), "spread": means.max() / means.min()})
    return found[found["cards"] > 1].reset_index()


def product_ratio(
    figures: pd.DataFrame, base: str, other: str, *, confidence: float = 0.95
) -> Estimate:
    """Return by which factor one product (`medium`) is faster than another, over all specimens.

    Specimens are draws from their product, so that the interval holds for cards that nobody
    measured: of the products' means, not of one card of each. Generalised least squares with the
    variances of `product_spread`, and with its degrees of freedom: fewer than `MINIMUM` give no
    number.
    """
    media = sorted(set(figures["medium"]))
    for medium in (base, other):
        check_known("medium", medium, media)
    spread = product_spread(figures, confidence=confidence)
    if spread.freedom < MINIMUM:
        return Estimate(reason=Reason.FEW_PAIRS)
    product, specimen, place = _designs(figures)
    variances = spread.sd**2 * specimen @ specimen.T + spread.error_sd**2 * np.eye(len(figures))
    whiten = np.linalg.inv(np.linalg.cholesky(variances))
    design = whiten @ np.hstack([product, place])
    inverse = np.linalg.pinv(design, rcond=TINY)
    contrast = members([other], media)[0] - members([base], media)[0]
    row = np.concatenate([contrast, np.zeros(place.shape[1])])
    if not np.allclose(row @ inverse @ design, row, atol=1e-4):
        return Estimate(reason=Reason.NOT_LINKED)
    centre = float(row @ inverse @ whiten @ np.log(figures["value"].to_numpy(float)))
    sd = math.sqrt(float(row @ inverse @ inverse.T @ row))
    half = t_quantile(confidence, spread.freedom) * sd
    return Estimate(*(math.exp(end) for end in (centre, centre - half, centre + half)))


def _designs(figures: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which product, specimen and place each figure is of, as columns of zeros and ones."""
    places = list(figures[columns("place")].itertuples(index=False, name=None))
    names = (list(figures["medium"]), list(figures["specimen"]), places)
    product, specimen, place = (members(rows, sorted(set(rows))) for rows in names)
    return product, specimen, place


def _left(design: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Return the projection on what a design leaves, the sum of squares there, its freedom."""
    left = np.eye(len(logs)) - design @ np.linalg.pinv(design, rcond=TINY)
    return left, float(logs @ left @ logs), round(float(np.trace(left)))
