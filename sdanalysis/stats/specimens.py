"""How far two specimens of one model differ: the yardstick for any difference of models."""

from __future__ import annotations

import pandas as pd

from sdanalysis import reference
from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.read_write import READS, figure_reasons
from sdanalysis.stats.sides import CROSS, RESULTS, averaged_sides, compared, paired_sides

_TEST = [
    *("medium", "host", "reader", "tool", "op", "metric", "stat", "block_size"),
    *("numjobs", "iodepth"),
]
_OWN = ["measured_by", "specimen", "level", "rank", "file_size"]
_WRITES = ("write", "rewrite", "randwrite")


def bare_figures(
    measurements: pd.DataFrame, *, metric: str = "bandwidth", mixed: bool = False
) -> pd.DataFrame:
    """Return the figures that stand for a measurement each, none of them twice.

    A restated figure stands for one where the table has no primary figure of its specimen. With
    `mixed` a mixed job is one figure too: that of its reads, in operations per second, as op
    `mixed`; without it there is none.
    """
    rows = measurements
    primary = set(rows.loc[rows["origin"] == "primary", "specimen"])
    quoted = (rows["origin"] == "restated") & ~rows["specimen"].isin(primary)
    origin = rows["origin"].mask(quoted, "primary")
    usable = figure_reasons(rows.assign(origin=origin), metric=metric).isna()
    jobs = (
        rows["read_mix"].notna()
        & rows["op"].isin(READS)
        & (rows["metric"] == "iops")
        & (rows["status"] == "measured")
    )
    chosen = rows[usable | (jobs & mixed)]
    noted = chosen["remarks"].where(
        ~quoted, (chosen["remarks"].fillna("") + " restated").str.strip()
    )
    return chosen.assign(op=chosen["op"].mask(jobs, "mixed"), remarks=noted)


def specimen_pairs(
    measurements: pd.DataFrame, *, metric: str = "bandwidth", confidence: float = 0.95
) -> pd.DataFrame:
    """Pair two specimens of one medium that went through the same test on the same host.

    Returns
    -------
    DataFrame
        One row a pair: the medium, the test, `measured_by`, `specimen`, `measured_by_other`,
        `specimen_other`, the results of `contrast_pairs` (`base` and `other` are specimens, in
        alphabetical order), `spread` (the greater over the lesser). Two specimens in two
        laboratories are of the kind `cross-laboratory`.

    Examples
    --------
    >>> import sdanalysis
    >>> twins = specimen_pairs(sdanalysis.load())
    >>> own = twins[twins["kind"] == "clean"]
    >>> own[["base", "other", "op", "numjobs", "spread"]].round(2)
              base        other     op  numjobs  spread
    0  perrin/6401  perrin/6402  write     <NA>    3.15
    1  perrin/6401  perrin/6402   read        1    1.49
    2  perrin/6401  perrin/6402   read        2    1.76
    3  perrin/6401  perrin/6402   read        4    1.80
    4  perrin/6401  perrin/6402   read        6    1.74
    """
    figures = bare_figures(measurements, metric=metric)
    rank = figures["specimen"].rank(method="dense")
    sides = averaged_sides(figures.assign(level=figures["specimen"], rank=rank), [*_TEST, *_OWN])
    pairs = paired_sides(sides, _TEST).rename(
        columns={"measured_by_base": "measured_by", "specimen_base": "specimen"}
    )
    pairs = compared(pairs, reference.noise(), confidence)
    pairs = pairs.assign(spread=pairs["ratio"].where(pairs["ratio"] >= 1, 1 / pairs["ratio"]))
    own = ["measured_by", "specimen", "measured_by_other", "specimen_other"]
    order = ["kind", "specimen", "specimen_other", *_TEST[1:]]
    return pairs.sort_values(order)[[*_TEST, *own, *RESULTS, "spread"]].reset_index(drop=True)


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far the specimens of one model differ that others published.

    Parameters
    ----------
    specimens : DataFrame
        As `reference.specimens` returns it; rows without a model are left out.

    Returns
    -------
    DataFrame
        `model`, `tool`, `op`, `cards`, `spread` (greatest over least, of geometric means over
        the repeats).

    Examples
    --------
    >>> from sdanalysis import reference
    >>> reference_spreads(reference.specimens())[["tool", "op", "cards", "spread"]].round(2)
      tool     op  cards  spread
    0   dd   read      2    1.00
    1   dd  write      2    2.99
    """
    means = (
        specimens.dropna(subset="model")
        .groupby(["model", "tool", "op", "specimen"])["value"]
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

    Parameters
    ----------
    tests : DataFrame
        Column `op`.
    specimens : DataFrame
        As `reference.specimens` returns it.
    twins : DataFrame
        As `specimen_pairs` returns it; pairs of two laboratories are left out.

    Returns
    -------
    DataFrame
        Indexed as `tests`: `specimen_band` (a factor above 1) and `specimen_basis` (words);
        missing where the op neither reads nor writes.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import reference, stats
    >>> twins = stats.specimen_pairs(sdanalysis.load())
    >>> band = stats.specimen_band(twins[:2], reference.specimens(), twins)
    >>> band["specimen_band"].round(2).tolist()
    [3.15, 1.8]
    """
    own = twins[twins["kind"] != CROSS].rename(columns={"medium": "model"})
    seen = pd.concat([reference_spreads(specimens), own[["model", "tool", "op", "spread"]]])
    widest = {}
    for ops in (READS, _WRITES):
        kind = seen[seen["op"].isin(ops)].sort_values("spread", ascending=False)
        for row in kind.head(1).itertuples():
            basis = f"{row.tool} {row.op} of two {row.model}"
            widest |= dict.fromkeys(ops, (row.spread, basis))
    rows = [widest.get(op, (float("nan"), pd.NA)) for op in tests["op"]]
    return pd.DataFrame(rows, columns=["specimen_band", "specimen_basis"], index=tests.index)
