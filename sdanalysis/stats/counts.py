"""How many figures there are, and how many are missing, by place."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis.stats.same_test import columns


def coverage(measurements: pd.DataFrame, hosts: Sequence[str]) -> pd.DataFrame:
    """Count the primary measurements of each medium (rows) by `host, tool` (columns).

    `hosts` gives the order of the columns. A word in the place of a value (TODO, DNF) is not
    counted.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> counts = stats.coverage(sdanalysis.load(), hosts=["pi-3b", "pi-4b"])
    >>> counts.loc["samsung-evo+-32gb-mc32da", ["pi-3b, iozone", "pi-4b, iozone"]].to_dict()
    {'pi-3b, iozone': 4, 'pi-4b, iozone': 2}
    """
    rows = measurements[
        (measurements["origin"] == "primary") & (measurements["status"] == "measured")
    ]
    counts = rows.groupby(columns("medium", "host", "tool")).size().reset_index(name="figures")
    counts["place"] = counts["host"] + ", " + counts["tool"]
    rank = {host: place for place, host in enumerate(hosts)}
    order = counts.sort_values("tool").sort_values(
        "host", key=lambda host: host.map(rank), kind="stable"
    )
    table = counts.pivot(index="medium", columns="place", values="figures")
    return table[order["place"].drop_duplicates()].fillna(0).astype(int)


def status_counts(measurements: pd.DataFrame) -> pd.DataFrame:
    """Count the cells of each source and op (rows) by status (columns), primary figures only.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> counts = stats.status_counts(sdanalysis.load())
    >>> counts[["source", "op", "measured", "did_not_finish", "not_measured"]].tail(4)
             source     op  measured  did_not_finish  not_measured
    14  kulesz-2017   read        32               0             2
    15  kulesz-2017  write        33               0             1
    16  perrin-2016   read        40               0             0
    17  perrin-2016  write        23               0            12
    """
    rows = measurements[measurements["origin"] == "primary"]
    counts = rows.groupby(["source", "op", "status"]).size().reset_index(name="cells")
    return (
        counts.pivot(index=["source", "op"], columns="status", values="cells")
        .fillna(0)
        .astype(int)
        .rename_axis(columns=None)
        .reset_index()
    )
