"""Rules about a figure and others of the table: what follows from them, repeats, other hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdanalysis.audit.finding import Finding, doubt, doubts, primary_bandwidths
from sdanalysis.stats.published import recomputed
from sdanalysis.stats.read_write import mixed_ratios
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats, pair_sides, same_as

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

# Three standard deviations of the noisiest repeated test that is published for one card on one
# Pi 4 (random 4K write, 6.7 %, 5 runs): a repeat further off is not that noise.
REPEAT_LIMIT = 1.2
# A card that changes this much more, or less, than its neighbours between two hosts.
NEIGHBOUR_LIMIT = 1.5

_TEST = columns("laboratory", "quantity", "test")
_CASE = ["source", "file", *columns("specimen", "place"), *_TEST, *columns("size")]


def iops_times_block(data: Data) -> tuple[int, list[Finding]]:
    """Is the bandwidth of a run its IOPS times the block size?"""
    rows = data.measurements[data.measurements["status"] == "measured"]
    rows = rows[rows["origin"] == "primary"]
    iops, bandwidths = (rows[rows["metric"] == metric] for metric in ("iops", "bandwidth"))
    same = columns("run", "op", "specimen")
    both = iops.merge(bandwidths, on=same, suffixes=("_1", "_2"), validate="one_to_one")
    both = both[both["block_size_1"].notna()]
    block = both["block_size_1"].astype(float)
    low, high = both["value_low_1"] * block, both["value_high_1"] * block
    found = both[(high < both["value_low_2"]) | (low > both["value_high_2"])]
    evidence = "{row.raw_1} IOPS of {row.block_size_1} B do not make {row.raw_2} {row.raw_unit_2}"
    return len(both), doubts(found, evidence)


def forced_ratio(data: Data) -> tuple[int, list[Finding]]:
    """Is the read/write ratio of a mixed job the mix that was asked for, not the medium's?"""
    pairs = mixed_ratios(data.measurements)
    found = pairs[np.abs(np.log(pairs["ratio"] / pairs["forced"])) < 0.05]
    return len(pairs), doubts(
        found.rename(columns={"read_id": "id_1", "write_id": "id_2"}),
        "{row.read:.0f} / {row.write:.0f} IOPS = {row.ratio:.2f}, forced to {row.forced:.2f} "
        "by the mix that was asked for",
    )


_SUMMARIES = {"mean": "average", "weighted_mean": "average, weighted by processes", "max": "max"}


def derived_reproduces(data: Data) -> tuple[int, list[Finding]]:
    """Does a printed average, maximum or ratio follow from the figures beside it?"""
    rows = recomputed(data.measurements)
    step = rows["value_high"] - rows["value_low"]
    # A mean of rounded figures is as uncertain as they are; a ratio of thousands is not.
    share = np.where(rows["stat"] == "max", 0.0, np.where(rows["op"] == "read/write", 0.5, 1.0))
    found = rows[(rows["computed"] - rows["value"]).abs() > step * share + 1e-9 * rows["value"]]
    percent = found["computed"] / found["value"] * 100
    return len(rows), doubts(
        found.assign(summary=found["stat"].map(_SUMMARIES), percent=percent),
        "printed {row.raw}, but the {row.summary} of its {row.inputs} figures is "
        "{row.percent:.2f} % of that",
    )


def unmatched_ratio(data: Data) -> tuple[int, list[Finding]]:
    """Does a printed read/write ratio compare reads and writes under other conditions?"""
    rows = data.measurements
    ratios = rows[(rows["op"] == "read/write") & (rows["status"] == "measured")]
    found = []
    for row in ratios.itertuples():
        same = same_as(rows[rows["origin"] == "primary"], row, columns("specimen", "tool", "host"))
        same = same[same["metric"] == row.metric.removesuffix("_ratio")]
        numbers = {op: sorted(jobs.dropna().unique()) for op, jobs in same.groupby("op")["numjobs"]}
        readers, writers = (", ".join(map(str, numbers.get(op, ()))) for op in ("read", "write"))
        if readers != writers:
            found.append(doubt(row, f"{row.raw} compares {readers} readers with {writers} writers"))
    return len(ratios), found


def restated_differs(data: Data) -> tuple[int, list[Finding]]:
    """Is a restated figure the one that its first source prints?"""
    rows = data.measurements
    restated = rows[(rows["origin"] == "restated") & (rows["status"] == "measured")]
    primary = rows[rows["origin"] == "primary"]
    found = []
    for row in restated.itertuples():
        same = same_as(primary, row, columns("specimen", "tool", "op"))
        first = same_as(same, row, columns("host", "metric"))
        if (first["value"].sub(row.value).abs() < 1e-9 * row.value).any():
            continue
        elsewhere = same[same["host"] != row.host]
        printed = ", ".join(f"{other.raw} on {other.host}" for other in elsewhere.itertuples())
        evidence = (
            f"restated {row.op} {row.raw} differs from {', '.join(first['raw'])} on {row.host}"
            + (f" (elsewhere {printed})" if printed else "")
            if len(first)
            else f"restated {row.op} {row.raw} of {row.measured_by}: no first source in the table"
        )
        found.append(Finding((row.id, *first["id"]), row.specimen, evidence))
    return len(restated), found


def two_tools(data: Data) -> tuple[int, list[Finding]]:
    """Are sequential reads and writes of a source known from different tools only?"""
    rows = primary_bandwidths(data.measurements)
    sequential = rows[rows["op"].isin(["read", "write"]) & rows["tool"].isin(["hdparm", "dd"])]
    found = []
    groups = sequential.groupby("source", sort=True)
    for source, group in groups:
        tools = group.groupby("op")["tool"].agg(lambda names: " and ".join(sorted(set(names))))
        if len(tools) == 2 and tools["read"] != tools["write"]:
            reads = group[group["op"] == "read"]
            evidence = (
                f"{source} has sequential reads by {tools['read']} (raw device) and "
                f"writes by {tools['write']} (file system): no read/write ratio"
            )
            specimens = f"{reads['specimen'].nunique()} specimens"
            ids = tuple(reads.drop_duplicates("file")["id"])
            found.append(Finding(ids, specimens, evidence))
    return groups.ngroups, found


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
        if len(group) < 3:
            continue
        checked += len(group)
        changes = np.log(group["value_other"] / group["value_base"])
        for row in group.sort_values("specimen").itertuples():
            own, others = changes[row.Index], changes.drop(index=row.Index)
            if abs(own - others.median()) <= np.log(NEIGHBOUR_LIMIT):
                continue
            before, after = (", ".join(raw[list(ids)]) for ids in (row.ids_base, row.ids_other))
            evidence = (
                f"{row.op} {before} on {row.level_base}, {after} on {row.level_other}: x "
                f"{np.exp(own):.2f}, the {len(others)} others x {np.exp(others.median()):.2f} "
                "(median)"
            )
            found.append(Finding((row.ids_base[0], row.ids_other[0]), row.specimen, evidence))
    return checked, found


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
