"""Selected rows -> figures of units, and ratios of two of them, each with its noise.

The unit is the specimen, or the specimen in one of several conditions; repeated runs of a unit are
averaged in logarithms. What a claim does not set apart has to be the same in all rows of a side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim
from sdanalysis.stats.intervals import geometric_mean, t_quantile
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats, pair_sides

CARD = columns("laboratory", "specimen")
CONDITIONS = columns("place", "quantity", "test")


def unit_figures(claim: Claim, key: str, rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return one row a unit: a specimen in one combination of the conditions `by`.

    Returns
    -------
    DataFrame
        As `average_repeats` returns it, by `CARD`, `by`, tool and size of the file; `sd` (of the
        logarithm of the value, by run noise), `freedom`, `slack` (half a step of the last printed
        digit, relative).

    Raises
    ------
    DeclarationError
        The rows differ in a condition that is not among `by`.
    """
    for condition in set(CONDITIONS) - set(by):
        found = rows[condition].array.unique()
        if len(found) > 1:
            words = ", ".join(sorted(map(str, found)))
            raise claim.error(
                key, f"found several {condition} ({words}), expected one, or {condition} to be kept"
            )
    keys = list(dict.fromkeys([*CARD, *by, "tool", "file_size"]))
    units = average_repeats(rows, keys)
    # Run noise is that of a test, which the rows of a unit share.
    places = {one: place for place, one in enumerate(rows["id"])}
    first = [places[ids[0]] for ids in units["ids"]]
    steps = dict(zip(rows["id"], map(rounding, rows["raw"]), strict=True))
    return units.assign(
        sd=rows["noise_sd"].array[first] / np.sqrt(units["runs"].to_numpy(float)),
        freedom=rows["noise_freedom"].array[first],
        slack=[max(steps[one] for one in ids) for ids in units["ids"]],
    )


def ratios(above: pd.DataFrame, below: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Return the ratio of every unit above to every unit below that agrees with it in `on`.

    Laboratories are never crossed; stated file sizes that differ only where the claim itself
    sets one tool against another, each of which has a file of its own.

    Returns
    -------
    DataFrame
        As `pair_sides` returns it (the base is below), with `card_base`, `card_other`, `ratio`,
        `sd`, `freedom` and `slack`.
    """
    sides = pd.concat([below.assign(rank=0), above.assign(rank=1)], ignore_index=True)
    keys = list(dict.fromkeys(["measured_by", *on]))
    two_tools = set(above["tool"]) != set(below["tool"])
    both = pair_sides(sides.assign(card=sides["specimen"]), keys, across_sizes=two_tools)
    return both.assign(
        ratio=both["value_other"] / both["value_base"],
        sd=np.hypot(both["sd_base"], both["sd_other"]),
        freedom=both[["freedom_base", "freedom_other"]].min(axis=1),
        slack=both["slack_base"] + both["slack_other"],
    )


def mean_figure(figures: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the geometric mean of the figures of units, or of ratios, as one with their errors.

    One row: `ratio`, `sd`, `freedom`, `slack`.
    """
    mean = {
        "ratio": geometric_mean(figures[column]),
        "sd": float(np.sqrt((figures["sd"].astype(float) ** 2).sum())) / len(figures),
        "freedom": figures["freedom"].min(),
        "slack": float(figures["slack"].mean()),
    }
    return pd.DataFrame([mean])


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
