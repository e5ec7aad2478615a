"""How far two specimens of one model differ: the yardstick for any difference of models."""

from __future__ import annotations

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.reasons import usable
from sdanalysis.stats.same_test import READS, WRITES, columns
from sdanalysis.stats.sides import (
    CARD,
    CROSS,
    RESULTS,
    average_repeats,
    pair_sides,
    ratios,
)

_SAME = columns("medium", "place", "quantity", "test")


def bare_figures(measurements: pd.DataFrame, *, mixed: bool = False) -> pd.DataFrame:
    """Return the bandwidths that stand for a measurement each, none of them twice.

    A restated figure stands for one where the table has no primary figure of its specimen. With
    `mixed` a mixed job is one figure too: that of its reads, in operations per second, as op
    `mixed`; without it there is none.
    """
    rows = measurements
    primary = set(rows.loc[rows["origin"] == "primary", "specimen"])
    quoted = (rows["origin"] == "restated") & ~rows["specimen"].isin(primary)
    noted = (rows["remarks"].fillna("") + " restated").str.strip()
    rows = rows.assign(
        origin=rows["origin"].mask(quoted, "primary"),
        remarks=rows["remarks"].mask(quoted, noted),
    )
    if not mixed:
        return usable(rows)
    jobs = usable(rows, metric="iops", mixed=True)
    jobs = jobs[jobs["read_mix"].notna() & jobs["op"].isin(READS)].assign(op="mixed")
    return pd.concat([usable(rows), jobs]).sort_index()


def specimen_pairs(
    measurements: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Pair two specimens of one medium that went through the same test on the same host.

    Returns
    -------
    DataFrame
        One row a pair: the medium, place and test, then as of `contrast_pairs` (`base` and
        `other` are specimens, in alphabetical order), and `spread` (the greater over the lesser).
        Two specimens in two laboratories are of the kind `cross-laboratory`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data = sdanalysis.load_data()
    >>> twins = stats.specimen_pairs(data.measurements, data.noise)
    >>> own = twins[twins["kind"] == "clean"]
    >>> own[["base", "other", "op", "numjobs", "spread"]].round(2)
              base        other     op  numjobs  spread
    0  perrin/6401  perrin/6402  write     <NA>    3.15
    1  perrin/6401  perrin/6402   read        1    1.49
    2  perrin/6401  perrin/6402   read        2    1.76
    3  perrin/6401  perrin/6402   read        4    1.80
    4  perrin/6401  perrin/6402   read        6    1.74
    """
    figures = bare_figures(measurements)
    rank = figures["specimen"].rank(method="dense")
    figures = figures.assign(level=figures["specimen"], rank=rank)
    sides = average_repeats(figures, [*_SAME, *CARD, "level", "rank", "file_size"])
    pairs = ratios(pair_sides(sides, _SAME), noise, confidence)
    pairs = pairs.assign(spread=pairs["ratio"].where(pairs["ratio"] >= 1, 1 / pairs["ratio"]))
    own = [*CARD, *(f"{name}_other" for name in CARD)]
    order = ["kind", "specimen", "specimen_other", *_SAME[1:]]
    return pairs.sort_values(order, ignore_index=True)[[*_SAME, *own, *RESULTS, "spread"]]


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far published specimens of one model differ in the same test.

    Returns
    -------
    DataFrame
        `model`, `tool`, `op`, `cards`, `spread` (greatest over least, of geometric means over
        the repeats).

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> spreads = stats.reference_spreads(sdanalysis.load_data().specimens)
    >>> spreads[["tool", "op", "cards", "spread"]].round(2)
      tool     op  cards  spread
    0   dd   read      2    1.00
    1   dd  write      2    2.99
    """
    means = (
        specimens.dropna(subset="model")
        .groupby(["model", *columns("specimen", "tool", "op")])["value"]
        .agg(geometric_mean)
    )
    spread = means.groupby(["model", "tool", "op"]).agg(["size", "min", "max"]).reset_index()
    spread = spread.assign(cards=spread["size"], spread=spread["max"] / spread["min"])
    return spread.loc[spread["cards"] > 1, ["model", "tool", "op", "cards", "spread"]]


def specimen_band(
    tests: pd.DataFrame, specimens: pd.DataFrame, twins: pd.DataFrame
) -> pd.DataFrame:
    """Return the widest ratio seen between two cards of one model, for reads and for writes.

    It is a yardstick, not an interval: two models are known, and a third may differ more.

    Returns
    -------
    DataFrame
        Indexed as `tests`: `specimen_band` (a factor above 1) and `specimen_basis` (words);
        missing where the op neither reads nor writes.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data = sdanalysis.load_data()
    >>> twins = stats.specimen_pairs(data.measurements, data.noise)
    >>> band = stats.specimen_band(twins[:2], data.specimens, twins)
    >>> band["specimen_band"].round(2).tolist()
    [3.15, 1.8]
    """
    own = twins[twins["kind"] != CROSS].rename(columns={"medium": "model"})
    seen = pd.concat([reference_spreads(specimens), own[["model", "tool", "op", "spread"]]])
    widest = {}
    for ops in (READS, WRITES):
        kind = seen[seen["op"].isin(ops)].sort_values("spread", ascending=False)
        for row in kind.head(1).itertuples():
            basis = f"{row.tool} {row.op} of two {row.model}"
            widest |= dict.fromkeys(ops, (row.spread, basis))
    rows = [widest.get(op, (float("nan"), pd.NA)) for op in tests["op"]]
    return pd.DataFrame(rows, columns=["specimen_band", "specimen_basis"], index=tests.index)
