"""The rules: each says what must hold of the whole table, and returns where it looked and doubts.

From how storage works (what a bus carries, what writing costs), from figures that follow from each
other, and from what is printed. What a rule asks is the first line of its docstring.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sdanalysis.audit.finding import Finding, doubts, megabytes, pair, primary_bandwidths
from sdanalysis.stats.published import recomputed
from sdanalysis.stats.read_write import mixed_ratios
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import average_repeats, columns
from sdanalysis.stats.sides import pair_sides, same_as

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

# Three standard deviations of the noisiest repeated test that is published for one card on one
# Pi 4 (random 4K write, 6.7 %, 5 runs): a repeat further off is not that noise.
REPEAT_LIMIT = 1.2
# A card that changes this much more, or less, than its neighbours between two hosts.
NEIGHBOUR_LIMIT = 1.5
SDHC_LIMIT = 32e9  # bytes; SDHC ends at 32 GB, SDXC begins above it (SD Association)
FEWEST = 3  # figures of which a majority or a median says something

_PLACE = columns("place")
_ROW = ["line", *columns("source", "file", "tool", "specimen", "place")]  # of a published table
_RUN = columns("run", "specimen", "place")
_TEST = columns("laboratory", "quantity", "test")
_CASE = ["source", "file", *columns("specimen", "place"), *_TEST, *columns("size")]
_SUMMARIES = {"mean": "average", "weighted_mean": "average, weighted by processes", "max": "max"}


def _with_limits(data: Data) -> pd.DataFrame:
    rows = primary_bandwidths(data)
    limits = data.hosts[[*_PLACE, "bus", "limit"]]
    return rows.merge(limits, on=_PLACE, how="inner", validate="many_to_one")


def _queue(data: Data, rows: pd.DataFrame) -> np.ndarray:
    """Tell for each row whether its place has a command queue."""
    queue = data.hosts.set_index(_PLACE)["command_queue"].fillna(False)
    return queue.reindex(pd.MultiIndex.from_frame(rows[_PLACE]), fill_value=False).to_numpy(bool)


def exchanged_columns(data: Data) -> tuple[int, list[Finding]]:
    """Is, as published, every small random figure of a row above the large sequential one?"""
    published = primary_bandwidths(data)
    reads = pair(published, {"randread": "read"}, _ROW)
    writes = pair(published, {"randwrite": "write"}, _ROW)
    rows = reads.merge(writes, on=_ROW, suffixes=("_read", "_write"), validate="one_to_one")
    rows = rows[rows["block_size_1_read"] < rows["block_size_2_read"]]
    found = rows[
        (rows["value_1_read"] > rows["value_2_read"])
        & (rows["value_1_write"] > rows["value_2_write"])
    ]
    notes = []  # what another tool measured
    for row in found.itertuples():
        other = same_as(published, row, columns("specimen", "host"))
        other = other[(other["tool"] != row.tool) & other["op"].isin(["read", "write"])]
        raw = " / ".join(other.sort_values("op")["raw"])
        notes.append(f"; {other['tool'].iloc[0]} has {raw} for it" if len(other) else "")
    sides = (found[name] for name in ("id_1_read", "id_2_read", "id_1_write", "id_2_write"))
    return len(rows), doubts(
        found.assign(ids=list(zip(*sides, strict=True)), note=notes),
        "4K random {row.raw_1_read} / {row.raw_1_write} stands above 16M sequential "
        "{row.raw_2_read} / {row.raw_2_write}, reads and writes alike{row.note}",
    )


def above_bus_limit(data: Data) -> tuple[int, list[Finding]]:
    """Is a bandwidth above what the bus of its host and reader can carry?"""
    limited = _with_limits(data)
    found = limited[limited["value_low"] > limited["limit"]]
    return len(limited), doubts(
        found.assign(value=found["value"].map(megabytes), limit=found["limit"].map(megabytes)),
        "{row.value} through {row.bus}, which carries {row.limit}: a cache answered, or host and "
        "unit are wrong",
    )


def at_bus_limit(data: Data) -> tuple[int, list[Finding]]:
    """Do most media of a host read as fast as its bus allows, so that the bus was measured?"""
    limited = _with_limits(data)
    reads = limited[(limited["op"] == "read") & (limited["tool"] == "hdparm")]
    groups = reads.groupby(["source", "measured_by", *_PLACE], sort=True)
    found = []
    for (_, _, host, _), group in groups:
        near = group[group["value_high"] >= HIDDEN * group["limit"]]
        if len(group) >= FEWEST and 2 * len(near) > len(group):
            limit, bus = megabytes(group["limit"].iloc[0]), group["bus"].iloc[0]
            evidence = (
                f"{len(near)} of {len(group)} hdparm figures on {host} lie at or above "
                f"{HIDDEN:.0%} of the {limit} that {bus} carries: they do not rank the cards"
            )
            specimens = f"{near['specimen'].nunique()} specimens"
            found.append(Finding(tuple(near["id"]), specimens, evidence))
    return groups.ngroups, found


def random_above_sequential(data: Data) -> tuple[int, list[Finding]]:
    """Is a random figure above a sequential one of its run, at the same or a larger block?"""
    rows = primary_bandwidths(data)
    pairs = pair(rows, {"randread": "read", "randwrite": "write"}, _RUN)
    pairs = pairs[pairs["block_size_1"] <= pairs["block_size_2"]]
    found = pairs[pairs["value_1"] > pairs["value_2"]]
    # A first sequential write also allocates the file.
    allocates = (found["op_1"] == "randwrite") & (found["block_size_1"] == found["block_size_2"])
    allocates_first = ": both at one block size, where the first write also allocates"
    why = allocates.map({True: allocates_first, False: ""})
    return len(pairs), doubts(
        found.assign(ratio=found["value_1"] / found["value_2"], why=why),
        "{row.op_1} {row.raw_1} above {row.op_2} {row.raw_2} (x {row.ratio:.2f}){row.why}",
    )


def write_above_read(data: Data) -> tuple[int, list[Finding]]:
    """Does a medium write faster than it reads, in one run of one tool at one block size?"""
    on = [*_RUN, "block_size"]
    rows = primary_bandwidths(data)
    pairs = pair(rows, {"write": "read", "randwrite": "randread"}, on)
    return len(pairs), doubts(
        pairs[pairs["value_1"] > pairs["value_2"]],
        "{row.op_1} {row.raw_1} above {row.op_2} {row.raw_2}: exchanged, or a medium that writes "
        "through a cache",
    )


def more_than_host_takes(data: Data) -> tuple[int, list[Finding]]:
    """Does a card gain more time on another host than the quickest card takes on its own?

    The time of a request is the card's and what the host adds. The quickest card of the test
    spends both there, so no host adds more, and another host can spare a card no more than that.
    """
    test = [*columns("quantity", "test"), *_PLACE]
    card = [*columns("laboratory"), "specimen"]
    rows = primary_bandwidths(data)
    sides = average_repeats(rows, [*test, *card, *columns("size")])
    sides = sides.assign(queue=_queue(data, sides))  # a queue hides the card's time
    quickest = sides.groupby(test, dropna=False)["low"].transform("max")
    sides = sides.assign(quickest=quickest, level=sides["host"] + "/" + sides["reader"])
    on = [*columns("quantity", "test", "size"), *card, "queue"]
    pairs = sides.merge(sides, on=on, suffixes=("_slow", "_fast"), validate="many_to_many")
    pairs = pairs[pairs["value_slow"] < pairs["value_fast"]]
    gained = 1 / pairs["high_slow"] - 1 / pairs["low_fast"]
    found = pairs.assign(share=gained * pairs["quickest_slow"])
    found = found[found["share"] > 1].sort_values(["specimen", "op", "level_slow", "level_fast"])
    raw = rows.set_index("id")["raw"]
    slow, fast = (
        [", ".join(raw[list(ids)]) for ids in found[f"ids_{side}"]] for side in ("slow", "fast")
    )
    return len(pairs), doubts(
        found.assign(ids=found["ids_slow"] + found["ids_fast"], slow=slow, fast=fast),
        "{row.op} {row.slow} on {row.level_slow}, {row.fast} on {row.level_fast}: saves "
        "{row.share:.1f} times what the quickest card takes on {row.level_slow} in all",
    )


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
    jobs: dict[str, list[str]] = {"read": [], "write": []}
    for row in ratios.itertuples():
        same = same_as(rows[rows["origin"] == "primary"], row, columns("specimen", "tool", "host"))
        same = same[same["metric"] == row.metric.removesuffix("_ratio")]
        for op, counts in jobs.items():
            counts.append(
                ", ".join(map(str, sorted(same[same["op"] == op]["numjobs"].dropna().unique())))
            )
    ratios = ratios.assign(readers=jobs["read"], writers=jobs["write"])
    found = ratios[ratios["readers"] != ratios["writers"]]
    evidence = "{row.raw} compares {row.readers} readers with {row.writers} writers"
    return len(ratios), doubts(found, evidence)


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
    rows = primary_bandwidths(data)
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
    rows = primary_bandwidths(data)
    rows = rows.assign(case=rows.groupby(_CASE, dropna=False).ngroup())
    cases = rows.groupby("case")["value"]
    rows = rows.assign(off=rows["value"] / cases.transform("median") - 1)
    rows = rows[cases.transform("size") >= FEWEST].sort_values("case", kind="stable")
    found = rows[np.log1p(rows["off"]).abs() > np.log(REPEAT_LIMIT)]
    others = [
        ", ".join(rows.loc[(rows["case"] == row.case) & (rows["id"] != row.id), "raw"])
        for row in found.itertuples()
    ]
    evidence = "{row.op} run {row.repeat} is {row.raw}, the others {row.others}: {row.off:+.0%} "
    return len(rows), doubts(found.assign(others=others), f"{evidence}from the median")


def unlike_neighbours(data: Data) -> tuple[int, list[Finding]]:
    """Does a specimen change between two hosts unlike the others of its laboratory?"""
    rows = primary_bandwidths(data)
    level = rows["host"].where(rows["reader"] == "slot", rows["host"] + " (" + rows["reader"] + ")")
    # Of two places the one with a command queue changes just the cards that can use it.
    rows = rows.assign(level=level, rank=level.rank(method="dense"), queue=_queue(data, rows))
    sides = average_repeats(rows, [*_TEST, "specimen", "level", "rank", "queue", *columns("size")])
    pairs = pair_sides(sides, [*_TEST, "specimen", "queue"])
    pairs = pairs.assign(change=np.log(pairs["value_other"] / pairs["value_base"]))
    raw = rows.set_index("id")["raw"]
    checked, found = 0, []
    for _, group in pairs.groupby([*_TEST, "level_base", "level_other"], dropna=False, sort=True):
        checked += len(group) if len(group) >= FEWEST else 0
        for row in group.sort_values("specimen").itertuples() if len(group) >= FEWEST else ():
            middle = group["change"].drop(index=row.Index).median()
            if abs(row.change - middle) <= np.log(NEIGHBOUR_LIMIT):
                continue
            before, after = (", ".join(raw[list(ids)]) for ids in (row.ids_base, row.ids_other))
            evidence = (
                f"{row.op} {before} on {row.level_base}, {after} on {row.level_other}: x "
                f"{np.exp(row.change):.2f}, the {len(group) - 1} others x {np.exp(middle):.2f} "
                "(median)"
            )
            found.append(Finding((row.ids_base[0], row.ids_other[0]), row.specimen, evidence))
    return checked, found


def same_figure(data: Data) -> tuple[int, list[Finding]]:
    """Is the same figure, of three digits or more, printed for two hosts?"""
    same = [*_TEST, "specimen"]
    rows = primary_bandwidths(data).sort_values(same, kind="stable")
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


def decimal_marks(data: Data) -> tuple[int, list[Finding]]:
    """Does a file mix decimal commas and points, so that a row was typed by hand?"""
    rows = data.measurements[data.measurements["raw"].notna()]
    rows = rows.assign(mark=rows["raw"].str.extract(r"\d([.,])\d")[0]).dropna(subset="mark")
    lines = rows.groupby(["source", "file", "line"]).ngroups
    rows = rows[rows.groupby(["source", "file"])["mark"].transform("nunique") > 1]
    found = []
    for _, line in rows.groupby(["source", "file", "line"], sort=True):
        odd, points = (line[line["mark"] == mark] for mark in ",.")
        if len(odd):
            phrase = f"{' '.join(points['raw'])} with points in the same row"
            others = phrase if len(points) else "the other rows with points"
            evidence = f"{' '.join(odd['raw'])} with commas, {others}"
            found.append(Finding(tuple(odd["id"]), str(odd["specimen"].iloc[0]), evidence))
    return lines, found


def type_and_capacity(data: Data) -> tuple[int, list[Finding]]:
    """Is a card of more than 32 GB called SDHC?"""
    labels = _labels(data)
    sdhc = labels[labels["label"].str.contains(r"SDHC\b")]
    found = sdhc[sdhc["capacity"] > SDHC_LIMIT]
    return len(sdhc), doubts(
        found.assign(capacity=found["capacity"] / 1e9),
        "{row.label!r}: SDHC ends at 32 GB, a card of {row.capacity:.0f} GB is SDXC",
    )


def types_disagree(data: Data) -> tuple[int, list[Finding]]:
    """Is one specimen printed with two types?"""
    labels = _labels(data)
    types = labels["label"].str.findall(r"\bm?SD(?:HC|XC)\b|\bUSB \d\.\d\b").str.join(" ")
    once = labels.assign(type=types)[types != ""].drop_duplicates(["specimen", "type"])
    specimens = once.sort_values("type", kind="stable").groupby("specimen", as_index=False)
    found = specimens.agg(types=("type", " and as ".join), many=("type", "size"))
    found["ids"] = once.groupby("specimen")["id"].agg(tuple).to_numpy()
    return len(found), doubts(found[found["many"] > 1], "printed as {row.types}")


def one_name(data: Data) -> tuple[int, list[Finding]]:
    """Does one laboratory have several media of one name and capacity?"""
    labels = _labels(data)
    product = labels["product"].str.lower().str.replace("+", "plus").str.replace(" ", "")
    key = ["measured_by", "maker", "product", "capacity"]
    named = labels.assign(product=product)[labels["product"] != "unknown"]
    once = named.drop_duplicates([*key, "specimen"]).groupby(key, as_index=False)
    found = once.agg(
        ids=("id", tuple), specimen=("specimen", lambda names: ", ".join(sorted(names)))
    )
    found = found.assign(media=found["ids"].str.len())
    return len(found), doubts(
        found[found["media"] > 1],
        "{row.measured_by} has {row.media} media that are called {row.maker} {row.product}: "
        "the part number, form or identifier is the key",
    )


def _labels(data: Data) -> pd.DataFrame:
    """Return one row a label of a line, with its medium's columns."""
    rows = data.measurements.drop_duplicates([*columns("source", "file", "name"), "line"])
    media = data.media[["specimen", "maker", "product", "capacity"]]
    return rows.merge(media, on="specimen", how="left", validate="many_to_one")
