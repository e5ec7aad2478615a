"""Selected rows -> figures of units, and ratios of two of them, each with its noise.

The unit is the specimen, or the specimen in one of several conditions; repeated runs of a unit are
averaged in logarithms. What a claim does not set apart has to be the same in all rows of a side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim
from sdanalysis.stats import geometric_mean
from sdanalysis.stats.intervals import t_quantile

UNIT = ["measured_by", "specimen"]
_SIDE = ["card", "value", "sd", "freedom", "slack"]
CONDITIONS = [
    *("host", "reader", "tool", "op", "metric", "stat"),
    *("block_size", "numjobs", "iodepth", "read_mix"),
]


def unit_figures(claim: Claim, key: str, rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return one row a unit: a specimen in one combination of the conditions `by`.

    Returns
    -------
    DataFrame
        `UNIT`, `by`, `value`, `runs`, `sd` (of the logarithm of the value, by run noise),
        `freedom`, `slack` (half a step of the last printed digit, relative).

    Raises
    ------
    DeclarationError
        The rows differ in a condition that is not among `by`.
    """
    for condition in set(CONDITIONS) - set(by):
        if rows[condition].nunique(dropna=False) > 1:
            words = ", ".join(sorted(map(str, rows[condition].unique())))
            raise claim.error(
                key, f"found several {condition} ({words}), expected one, or {condition} to be kept"
            )
    keys = list(dict.fromkeys([*UNIT, *by]))
    figures = rows.assign(slack=rows["raw"].map(rounding)).groupby(keys, dropna=False)
    units = figures.agg(
        value=("value", geometric_mean),
        runs=("value", "size"),
        sd=("noise_sd", "max"),
        freedom=("noise_freedom", "min"),
        slack=("slack", "max"),
    ).reset_index()
    return units.assign(sd=units["sd"] / np.sqrt(units["runs"].astype(float)))


def ratios(above: pd.DataFrame, below: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Return the ratio of every unit above to every unit below that agrees with it in `on`.

    Laboratories are never crossed.

    Returns
    -------
    DataFrame
        `on`, `card_1`, `card_2`, `value_1`, `value_2`, `ratio`, `sd`, `freedom`, `slack`.
    """
    keys = list(dict.fromkeys(["measured_by", *on]))
    sides = [side.assign(card=side["specimen"])[[*keys, *_SIDE]] for side in (above, below)]
    both = sides[0].merge(sides[1], on=keys, suffixes=("_1", "_2"), validate="many_to_many")
    return both.assign(
        ratio=both["value_1"] / both["value_2"],
        sd=np.hypot(both["sd_1"], both["sd_2"]),
        freedom=both[["freedom_1", "freedom_2"]].min(axis=1),
        slack=both["slack_1"] + both["slack_2"],
    )


def half_widths(figures: pd.DataFrame, confidence: float) -> pd.Series:
    """Return how far run noise and rounding may move the logarithm of each figure.

    Missing where the noise of the test is not known.
    """
    quantiles = figures["freedom"].map(
        lambda freedom: t_quantile(confidence, int(freedom)) if pd.notna(freedom) else np.nan
    )
    return quantiles.astype(float) * figures["sd"].astype(float) + figures["slack"]


def rounding(raw: str) -> float:
    """Return half a step of the last digit of a printed figure, relative to the figure."""
    digits = raw.strip("%").replace(",", ".")
    decimals = len(digits.partition(".")[2])
    return 0.5 * 10**-decimals / float(digits)
