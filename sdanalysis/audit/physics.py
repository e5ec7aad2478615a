"""Rules from how storage works: what a bus carries, what a host can take, what writing costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.audit.finding import Finding, doubts, megabytes, pair, primary_bandwidths
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats, same_as

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_PLACE = columns("place")
_ROW = ["line", *columns("source", "file", "tool", "specimen", "place")]  # of a published table
_RUN = columns("run", "specimen", "place")


def exchanged_columns(data: Data) -> tuple[int, list[Finding]]:
    """Is, as published, every small random figure of a row above the large sequential one?"""
    published = primary_bandwidths(data.measurements)
    reads = pair(published, {"randread": "read"}, _ROW)
    writes = pair(published, {"randwrite": "write"}, _ROW)
    rows = reads.merge(writes, on=_ROW, suffixes=("_read", "_write"), validate="one_to_one")
    rows = rows[rows["block_size_1_read"] < rows["block_size_2_read"]]
    found = rows[
        (rows["value_1_read"] > rows["value_2_read"])
        & (rows["value_1_write"] > rows["value_2_write"])
    ]
    doubted = []
    for row in found.itertuples():
        evidence = (
            f"4K random {row.raw_1_read} / {row.raw_1_write} stands above 16M sequential "
            f"{row.raw_2_read} / {row.raw_2_write}, reads and writes alike"
        )
        other = same_as(published, row, columns("specimen", "host"))
        other = other[(other["tool"] != row.tool) & other["op"].isin(["read", "write"])]
        if len(other):  # what another tool measured
            raw = " / ".join(other.sort_values("op")["raw"])
            evidence += f"; {other['tool'].iloc[0]} has {raw} for it"
        ids = (row.id_1_read, row.id_2_read, row.id_1_write, row.id_2_write)
        doubted.append(Finding(ids, row.specimen, evidence))
    return len(rows), doubted


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
        if len(group) >= 3 and 2 * len(near) > len(group):
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
    rows = primary_bandwidths(data.measurements)
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
    rows = primary_bandwidths(data.measurements)
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
    rows = primary_bandwidths(data.measurements)
    sides = average_repeats(rows, [*test, *card, *columns("size")])
    queue = data.hosts.set_index(_PLACE)["command_queue"].fillna(False).rename("queue")
    sides = sides.join(queue, on=_PLACE).fillna({"queue": False})  # a queue hides the card's time
    quickest = sides.groupby(test, dropna=False)["low"].transform("max")
    sides = sides.assign(quickest=quickest, level=sides["host"] + "/" + sides["reader"])
    on = [*columns("quantity", "test", "size"), *card, "queue"]
    pairs = sides.merge(sides, on=on, suffixes=("_slow", "_fast"), validate="many_to_many")
    pairs = pairs[pairs["value_slow"] < pairs["value_fast"]]
    gained = 1 / pairs["high_slow"] - 1 / pairs["low_fast"]
    found = pairs.assign(share=gained * pairs["quickest_slow"])
    found = found[found["share"] > 1].sort_values(["specimen", "op", "level_slow", "level_fast"])
    raw = rows.set_index("id")["raw"]
    doubted = []
    for row in found.itertuples():
        slow, fast = (", ".join(raw[list(ids)]) for ids in (row.ids_slow, row.ids_fast))
        evidence = (
            f"{row.op} {slow} on {row.level_slow}, {fast} on {row.level_fast}: saves "
            f"{row.share:.1f} times what the quickest card takes on {row.level_slow} in all"
        )
        doubted.append(Finding((*row.ids_slow, *row.ids_fast), row.specimen, evidence))
    return len(pairs), doubted


def _with_limits(data: Data) -> pd.DataFrame:
    rows = primary_bandwidths(data.measurements)
    limits = data.hosts[[*_PLACE, "bus", "limit"]]
    return rows.merge(limits, on=_PLACE, how="inner", validate="many_to_one")
