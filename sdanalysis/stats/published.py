"""What the sources printed: summaries recomputed, figures as corrected, names that may be one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.read_write import read_write_pairs
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import same_as

_TEST = columns("op", "block_size")  # what corrections change
_SHOWN = ["id", *columns("name", "place"), "raw"]


def moved_figures(published: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that a correction moved to another test.

    Returns
    -------
    DataFrame
        `id`, `label`, `host`, `reader`, `raw`, `op_published`, `block_size_published` (B), `op`,
        `block_size` (B).

    Examples
    --------
    >>> from sdanalysis import dataset, stats
    >>> moved = stats.moved_figures(dataset.build(as_published=True), dataset.load())
    >>> moved[["raw", "op_published", "op"]].head(2)
        raw op_published         op
    0  6.41         read   randread
    1  2.27        write  randwrite
    """
    both = measurements[[*_SHOWN, *_TEST]].merge(
        published[["id", *_TEST]], on="id", suffixes=("", "_published"), validate="one_to_one"
    )
    moved = both[both["op"] != both["op_published"]]
    return moved[[*_SHOWN, "op_published", "block_size_published", *_TEST]].reset_index(drop=True)


def namesakes(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of specimens that may be one: same laboratory and name, other places.

    A reader of the tables would take them for one card, and may be wrong. Where two specimens
    of a name were in the same reader, they are two, and are left out.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table, or the table as published.
    media : DataFrame
        The catalogue: that of `sdanalysis.load_data()`; the name is maker, product, capacity.

    Returns
    -------
    DataFrame
        Rows of `measurements`, `specimen` and `medium` replaced by the name.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data = sdanalysis.load_data()
    >>> sorted(set(stats.namesakes(data.measurements, data.media)["specimen"]))
    ['kulesz/Samsung Evo 32 GB']
    """
    size = (media["capacity"] / 1e9).map("{:g} GB".format)
    names = media.assign(name=media["maker"] + " " + media["product"] + " " + size)
    named = measurements.merge(
        names.loc[names["product"] != "unknown", ["specimen", "name"]],
        on="specimen",
        how="inner",
        validate="many_to_one",
    )
    key = ["measured_by", "name"]
    here = named.groupby([*key, *columns("place")])["specimen"].nunique().groupby(key).max()
    cards = named.groupby(key)["specimen"].nunique()
    possible = cards.index[(cards > 1) & (here == 1)]
    rows = named[pd.MultiIndex.from_frame(named[key]).isin(possible)]
    renamed = rows.assign(specimen=rows["measured_by"] + "/" + rows["name"], medium=rows["name"])
    return renamed.drop(columns="name").reset_index(drop=True)


def recomputed(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the derived rows that have a value, recomputed from the primary ones.

    A summary is recomputed from the rows of its source, specimen, op and metric (weights are
    the process counts), a read/write ratio from the unrounded summaries.

    They gain `computed` (same unit as `value`) and `inputs` (from how many figures).

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> derived = stats.recomputed(sdanalysis.load())
    >>> derived[["id", "stat", "value", "computed"]].head(2).round(3)
                                           id  stat  value  computed
    487  perrin-2016/read-write-ratio.txt:5:3  mean   4.89     4.885
    488  perrin-2016/read-write-ratio.txt:5:4  mean   6.53     6.526
    """
    measured = measurements[measurements["status"] == "measured"]
    primary = measured[measured["origin"] == "primary"]
    derived = measured[measured["origin"] == "derived"]
    rows = [_recomputed(row, primary) for row in derived.itertuples()]
    return derived.assign(computed=[row[0] for row in rows], inputs=[row[1] for row in rows])


def printed_beside_matched(measurements: pd.DataFrame) -> pd.DataFrame:
    """Put each printed read/write ratio beside what its figures give at equal process counts.

    As printed, reads and writes of files of different sizes are compared.

    Returns
    -------
    DataFrame
        One row a printed ratio: specimen, medium, metric, stat, raw, `computed` (how it was
        made), `reproduces`, then `jobs_<n>`: the ratio of n readers to n writers.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> ratios = stats.printed_beside_matched(sdanalysis.load())
    >>> ratios[["specimen", "raw", "computed", "jobs_1", "jobs_4"]].head(3).round(2)
          specimen   raw  computed  jobs_1  jobs_4
    0  perrin/6401  488%      4.88    3.28    6.63
    1  perrin/6404  528%      5.28    4.10    6.27
    2  perrin/6405  650%      6.50    5.26    8.20
    """
    ratios = recomputed(measurements).query("op == 'read/write'")
    step = ratios["value_high"] - ratios["value_low"]
    ratios = ratios.assign(
        metric=ratios["metric"].str.removesuffix("_ratio"),
        reproduces=(ratios["computed"] - ratios["value"]).abs() <= step / 2,
    )
    same = measurements[
        measurements["source"].isin(ratios["source"]) & measurements["tool"].isin(ratios["tool"])
    ]
    metrics = sorted(set(ratios["metric"]))
    pairs = pd.concat(
        [read_write_pairs(same, metric=metric, across_sizes=True) for metric in metrics]
    )
    matched = pairs.pivot(index=["specimen", "metric"], columns="numjobs", values="ratio")
    matched.columns = [f"jobs_{number}" for number in matched.columns]
    wanted = [*columns("card", "metric", "stat"), "raw", "value", "computed", "reproduces"]
    return (
        ratios[wanted]
        .merge(matched.reset_index(), on=["specimen", "metric"], how="left", validate="many_to_one")
        .sort_values([*columns("metric", "stat"), "specimen"], ignore_index=True)
    )


def _recomputed(row: Any, primary: pd.DataFrame) -> tuple[float, int]:
    figures = same_as(primary, row, columns("source", "specimen", "tool", "host"))
    figures = figures[figures["metric"] == row.metric.removesuffix("_ratio")]
    if row.op != "read/write":
        figures = figures[figures["op"] == row.op]
        return _summary(figures, row.stat), len(figures)
    reads, writes = (figures[figures["op"] == op] for op in ("read", "write"))
    return _summary(reads, row.stat) / _summary(writes, row.stat), len(reads) + len(writes)


def _summary(figures: pd.DataFrame, stat: str) -> float:
    values = figures["value"].to_numpy(float)
    if stat == "max":
        return float(values.max())
    weights = figures["numjobs"].to_numpy(float) if stat == "weighted_mean" else None
    return float(np.average(values, weights=weights))
