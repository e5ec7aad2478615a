"""What the sources printed: how much, corrected how, summaries recomputed, possible namesakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.stats.read_write import read_write_pairs
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import same_as

_TEST = columns("op", "block_size")  # what corrections change
_SHOWN = ["id", *columns("name", "place"), "raw"]


def coverage(measurements: pd.DataFrame, hosts: Sequence[str]) -> pd.DataFrame:
    """Count the primary measurements of each medium (rows) by `host, tool` (columns, as `hosts`).

    A word in the place of a value (TODO, DNF) is not counted.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> counts = stats.coverage(load(), hosts=["pi-3b", "pi-4b"])
    >>> counts.loc["samsung-evo+-32gb-mc32da", ["pi-3b, iozone", "pi-4b, iozone"]].to_dict()
    {'pi-3b, iozone': 4, 'pi-4b, iozone': 2}
    """
    rows = measurements.query("origin == 'primary' and status == 'measured'")
    counts = rows.groupby(columns("medium", "host", "tool")).size().reset_index(name="figures")
    counts["place"] = counts["host"] + ", " + counts["tool"]
    rank = {host: place for place, host in enumerate(hosts)}
    order = counts.assign(rank=counts["host"].map(rank)).sort_values(["rank", "tool"])["place"]
    table = counts.pivot(index="medium", columns="place", values="figures")
    return table[order.drop_duplicates()].fillna(0).astype(int)


def status_counts(measurements: pd.DataFrame) -> pd.DataFrame:
    """Count the cells of each source and op (rows) by status (columns), primary figures only.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> stats.status_counts(load())[["source", "op", "measured", "not_measured"]].tail(2)
             source     op  measured  not_measured
    16  perrin-2016   read        40             0
    17  perrin-2016  write        23            12
    """
    rows = measurements[measurements["origin"] == "primary"]
    counts = rows.groupby(["source", "op", "status"]).size().unstack(fill_value=0)
    return counts.rename_axis(columns=None).reset_index()


def moved_figures(published: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that a correction moved to another test.

    With `op` and `block_size` (B) as corrected and as published (`op_published`, ...).

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
    of a name were in the same reader, they are two, and are left out. `specimen` and `medium` are
    replaced by the name: maker, product, capacity.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> sorted(set(stats.namesakes(data.measurements, data.media)["specimen"]))
    ['kulesz/Samsung Evo 32 GB']
    """
    size = (media["capacity"] / 1e9).map("{:g} GB".format)
    names = media.assign(name=media["maker"] + " " + media["product"] + " " + size)
    known = names.loc[names["product"] != "unknown", ["specimen", "name"]]
    named = measurements.merge(known, on="specimen", validate="many_to_one")
    key = ["measured_by", "name"]
    here = named.groupby([*key, *columns("place")])["specimen"].nunique().groupby(key).max()
    cards = named.groupby(key)["specimen"].nunique()
    possible = cards.index[(cards > 1) & (here == 1)]
    rows = named[pd.MultiIndex.from_frame(named[key]).isin(possible)]
    renamed = rows.assign(specimen=rows["measured_by"] + "/" + rows["name"], medium=rows["name"])
    return renamed.drop(columns="name").reset_index(drop=True)


def recomputed(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the derived rows that have a value, recomputed from the primary ones.

    A summary is recomputed from the rows of its source, specimen, op and metric (weights are the
    process counts), a read/write ratio from the unrounded summaries. They gain `computed` (same
    unit as `value`) and `inputs` (from how many figures).
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
    >>> from sdanalysis import load, stats
    >>> ratios = stats.printed_beside_matched(load())
    >>> ratios[["specimen", "raw", "computed", "jobs_1", "jobs_4"]].head(2).round(2)
          specimen   raw  computed  jobs_1  jobs_4
    0  perrin/6401  488%      4.88    3.28    6.63
    1  perrin/6404  528%      5.28    4.10    6.27
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
    pairs = pd.concat(read_write_pairs(same, metric=name, across_sizes=True) for name in metrics)
    matched = pairs.pivot(index=["specimen", "metric"], columns="numjobs", values="ratio")
    matched.columns = [f"jobs_{number}" for number in matched.columns]
    wanted = [*columns("card", "metric", "stat"), "raw", "value", "computed", "reproduces"]
    keys = ["specimen", "metric"]
    rows = ratios[wanted].merge(matched.reset_index(), "left", keys, validate="many_to_one")
    return rows.sort_values([*columns("metric", "stat"), "specimen"], ignore_index=True)


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
