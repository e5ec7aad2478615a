"""Rules that compare a figure with its neighbours: repeats, other hosts, other specimens."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from sdanalysis.audit.finding import Finding, Tables, primary_bandwidths

# Three standard deviations of the noisiest repeated test that is published for one card on one
# Pi 4 (random 4K write, 6.7 %, 5 runs): a repeat further off is not that noise.
REPEAT_LIMIT = 1.2
# A card that changes this much more, or less, than its neighbours between two hosts.
NEIGHBOUR_LIMIT = 1.5

_TEST = ["measured_by", "tool", "op", "block_size", "numjobs"]
_CASE = ["source", "file", "specimen", "host", "reader", *_TEST]


def repeat_outlier(tables: Tables) -> tuple[int, list[Finding]]:
    """Does one of three or more repeated runs lie far from their median?"""
    rows = primary_bandwidths(tables.measurements)
    groups = [group for _, group in rows.groupby(_CASE, dropna=False) if len(group) >= 3]
    found = []
    for group in groups:
        median = group["value"].median()
        far = group[np.abs(np.log(group["value"] / median)) > np.log(REPEAT_LIMIT)]
        for row in far.itertuples():
            others = group.loc[group["id"] != row.id, "raw"]
            found.append(
                Finding(
                    ids=(row.id,),
                    specimen=row.specimen,
                    evidence=f"{row.op} run {row.repeat} is {row.raw}, the others "
                    f"{', '.join(others)}: {row.value / median - 1:+.0%} from the median",
                )
            )
    return sum(len(group) for group in groups), found


def unlike_neighbours(tables: Tables) -> tuple[int, list[Finding]]:
    """Does a specimen change between two hosts unlike the others of its laboratory?"""
    rows = primary_bandwidths(tables.measurements)
    means = (
        rows.assign(log=np.log(rows["value"]))
        .groupby([*_TEST, "host", "reader", "specimen"], dropna=False, sort=True)
        .agg(log=("log", "mean"), raw=("raw", ", ".join), id=("id", "first"))
        .reset_index()
    )
    checked, found = 0, []
    for _, test in means.groupby(_TEST, dropna=False, sort=True):
        places = [
            (place, group.set_index("specimen"))
            for place, group in test.groupby(["host", "reader"])
        ]
        for (one, before), (other, after) in combinations(places, 2):
            both = before.merge(
                after,
                left_index=True,
                right_index=True,
                suffixes=("_1", "_2"),
                validate="one_to_one",
            )
            if len(both) < 3:
                continue
            checked += len(both)
            changes = both.assign(change=both["log_2"] - both["log_1"])
            found.extend(_unlike(changes, one, other))
    return checked, found


def _unlike(changes: pd.DataFrame, one: tuple[str, str], other: tuple[str, str]) -> list[Finding]:
    found = []
    for row in changes.itertuples():
        others = changes.loc[changes.index != row.Index, "change"]
        if abs(row.change - others.median()) <= np.log(NEIGHBOUR_LIMIT):
            continue
        found.append(
            Finding(
                ids=(row.id_1, row.id_2),
                specimen=str(row.Index),
                evidence=f"{row.op_1} {row.raw_1} on {_place(one)}, "
                f"{row.raw_2} on {_place(other)}: x {np.exp(row.change):.2f}, the "
                f"{len(others)} others x {np.exp(others.median()):.2f} (median)",
            )
        )
    return found


def _place(place: tuple[str, str]) -> str:
    host, reader = place
    return host if reader == "slot" else f"{host} ({reader})"


def same_figure(tables: Tables) -> tuple[int, list[Finding]]:
    """Is the same figure, of three digits or more, printed for two hosts?"""
    rows = primary_bandwidths(tables.measurements)
    case = ["measured_by", "specimen", "tool", "op", "block_size"]
    checked, found = 0, []
    for _, group in rows.groupby(case, dropna=False, sort=True):
        for one, other in combinations(group.itertuples(), 2):
            if (one.host, one.reader) == (other.host, other.reader):
                continue
            checked += 1
            digits = sum(character.isdigit() for character in str(one.raw).lstrip("0.,"))
            if one.raw == other.raw and digits >= 3:
                found.append(
                    Finding(
                        ids=(one.id, other.id),
                        specimen=one.specimen,
                        evidence=f"{one.op} ({one.tool}) {one.raw} on {one.host} and on "
                        f"{other.host}: copied, or a coincidence",
                    )
                )
    return checked, found
