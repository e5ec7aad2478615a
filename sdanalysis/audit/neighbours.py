"""Rules that compare a figure with its neighbours: repeats, other hosts, other specimens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdanalysis.audit.finding import Finding, doubt, doubts, primary_bandwidths
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats, pair_sides

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

# Three standard deviations of the noisiest repeated test that is published for one card on one
# Pi 4 (random 4K write, 6.7 %, 5 runs): a repeat further off is not that noise.
REPEAT_LIMIT = 1.2
# A card that changes this much more, or less, than its neighbours between two hosts.
NEIGHBOUR_LIMIT = 1.5

_TEST = columns("laboratory", "quantity", "test")
_CASE = ["source", "file", *columns("specimen", "place"), *_TEST, *columns("size")]


def repeat_outlier(data: Data) -> tuple[int, list[Finding]]:
    """Does one of three or more repeated runs lie far from their median?"""
    rows = primary_bandwidths(data.measurements)
    groups = [group for _, group in rows.groupby(_CASE, dropna=False) if len(group) >= 3]
    found = []
    for group in groups:
        median = group["value"].median()
        far = group[np.abs(np.log(group["value"] / median)) > np.log(REPEAT_LIMIT)]
        for row in far.itertuples():
            others = ", ".join(group.loc[group["id"] != row.id, "raw"])
            off = f"{row.value / median - 1:+.0%} from the median"
            evidence = f"{row.op} run {row.repeat} is {row.raw}, the others {others}: {off}"
            found.append(doubt(row, evidence))
    return sum(len(group) for group in groups), found


def unlike_neighbours(data: Data) -> tuple[int, list[Finding]]:
    """Does a specimen change between two hosts unlike the others of its laboratory?"""
    rows = primary_bandwidths(data.measurements)
    level = rows["host"].where(rows["reader"] == "slot", rows["host"] + " (" + rows["reader"] + ")")
    # Of two places the one with a command queue changes just the cards that can use it.
    queue = data.hosts.set_index(columns("place"))["command_queue"].fillna(False)
    places = pd.MultiIndex.from_frame(rows[columns("place")])
    queue = queue.reindex(places, fill_value=False).to_numpy(bool)
    rows = rows.assign(level=level, rank=level.rank(method="dense"), queue=queue)
    sides = average_repeats(rows, [*_TEST, "specimen", "level", "rank", "queue", *columns("size")])
    pairs = pair_sides(sides, [*_TEST, "specimen", "queue"])
    raw = rows.set_index("id")["raw"]
    checked, found = 0, []
    for _, group in pairs.groupby([*_TEST, "level_base", "level_other"], dropna=False, sort=True):
        if len(group) >= 3:
            checked += len(group)
            found += _unlike(group.sort_values("specimen"), raw)
    return checked, found


def _unlike(pairs: pd.DataFrame, raw: pd.Series) -> list[Finding]:
    """Return the specimens that change unlike the others from one place to another."""
    found = []
    changes = np.log(pairs["value_other"] / pairs["value_base"])
    for row in pairs.itertuples():
        own, others = changes[row.Index], changes.drop(index=row.Index)
        if abs(own - others.median()) <= np.log(NEIGHBOUR_LIMIT):
            continue
        before, after = (", ".join(raw[list(ids)]) for ids in (row.ids_base, row.ids_other))
        evidence = (
            f"{row.op} {before} on {row.level_base}, {after} on {row.level_other}: x "
            f"{np.exp(own):.2f}, the {len(others)} others x {np.exp(others.median()):.2f} (median)"
        )
        ids = (row.ids_base[0], row.ids_other[0])
        found.append(Finding(ids=ids, specimen=row.specimen, evidence=evidence))
    return found


def same_figure(data: Data) -> tuple[int, list[Finding]]:
    """Is the same figure, of three digits or more, printed for two hosts?"""
    same = [*_TEST, "specimen"]
    rows = primary_bandwidths(data.measurements).sort_values(same, kind="stable")
    rows = rows.assign(order=range(len(rows)), place=rows["host"] + "/" + rows["reader"])
    both = rows.merge(rows, on=same, suffixes=("_1", "_2"), validate="many_to_many")
    both = both[(both["order_1"] < both["order_2"]) & (both["place_1"] != both["place_2"])]
    digits = both["raw_1"].str.lstrip("0.,").str.count(r"\d")
    found = both[(both["raw_1"] == both["raw_2"]) & (digits >= 3)]
    return len(both), doubts(
        found,
        "{row.op} ({row.tool}) {row.raw_1} on {row.host_1} and on {row.host_2}: copied, or a "
        "coincidence",
    )
