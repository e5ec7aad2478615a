"""What the sources printed: how much, corrected how, summaries recomputed, possible namesakes."""

import numpy as np
import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.stats.names import place_names, specimen_names
from sdanalysis.stats.read_write import read_write_pairs
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import same_as

_TEST = columns("op", "block_size")  # what corrections change
_WAYS = {  # status of a cell without a value: why
    "not_measured": "marked as still to come",
    "did_not_finish": "did not finish",
    "word": "a word instead of a number",
}
_FIELDS = ["id", *columns("name", "place"), "raw"]


def coverage(measurements: pd.DataFrame, hosts: pd.DataFrame) -> pd.DataFrame:
    """Count the cards that were measured in each place (rows, as `hosts`) with each tool (columns).

    Primary measurements only; a word in the place of a value (TODO, DNF) is not counted.
    """
    rows = measurements.query("origin == 'primary' and status == 'measured'")
    cards = rows.groupby(columns("host", "reader", "tool"))["specimen"].nunique().unstack()
    names = place_names(hosts)
    names = names[[place in cards.index for place in names.index]]
    table = cards.reindex(names.index).set_axis(names.to_list())
    return table.rename_axis("place").fillna(0).astype(int)


def cards_in_several_places(
    measurements: pd.DataFrame, media: pd.DataFrame, hosts: pd.DataFrame
) -> pd.DataFrame:
    """Return the cards that one person measured in two places or more, the most places first.

    One row a card: `card`, `owner`, `places` (their names, between semicolons), `tools`.
    """
    rows = measurements.query("origin == 'primary' and status == 'measured'")
    places = place_names(hosts)
    where = places.reindex(pd.MultiIndex.from_frame(rows[["host", "reader"]]))
    rows = rows.assign(
        place=where.to_numpy(),
        card=rows["specimen"].map(specimen_names(media, owners=True)),
        owner=rows["measured_by"].map(people_name),
    )
    found = rows.groupby(["card", "owner"], as_index=False).agg(
        places=("place", lambda names: "; ".join(p for p in places if p in set(names))),
        tools=("tool", lambda names: ", ".join(sorted(set(names)))),
        count=("place", "nunique"),
    )
    order = found.sort_values(["count", "card"], ascending=[False, True])
    return order[order["count"] > 1].drop(columns="count").reset_index(drop=True)


def missing_cells(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return what stands where a primary figure should, a row a card and way of missing.

    Columns `card`, `source`, `way` (in words, with what is printed), `cells`, `ops`.
    """
    rows = measurements.query("origin == 'primary' and status != 'measured'")
    blank = rows["raw"].isna() & (rows["status"] == "not_measured")
    way = rows["status"].map(_WAYS).mask(blank, "left blank")
    words = rows.assign(way=way).dropna(subset="raw").groupby("way")["raw"].unique()
    spelled = {name: f"{name} ({', '.join(sorted(found))})" for name, found in words.items()}
    card = rows["specimen"].map(specimen_names(media, owners=True))
    rows = rows.assign(card=card, way=way.replace(spelled))
    found = rows.groupby(["card", "source", "way"], as_index=False).agg(
        cells=("id", "size"), ops=("op", lambda ops: ", ".join(sorted(set(ops))))
    )
    return found.sort_values(["cells", "card"], ascending=[False, True], ignore_index=True)


def moved_figures(published: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that a correction moved to another test.

    With `op` and `block_size` (B) as corrected and as published (`op_published`, ...).
    """
    both = measurements[[*_FIELDS, *_TEST]].merge(
        published[["id", *_TEST]], on="id", suffixes=("", "_published"), validate="one_to_one"
    )
    moved = both[both["op"] != both["op_published"]]
    return moved[[*_FIELDS, "op_published", "block_size_published", *_TEST]].reset_index(drop=True)


def namesakes(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of specimens that may be one: same laboratory and name, other places.

    A reader of the tables would take them for one card, and may be wrong. Where two specimens
    of a name were in the same reader, they are two, and are left out. `specimen` and `medium` are
    replaced by the name: maker, product, capacity.
    """
    size = (media["capacity"] / 1e9).map("{:g} GB".format)
    names = media.assign(name=media["maker"] + " " + media["product"] + " " + size)
    known = names.loc[names["product"] != "unknown", ["specimen", "name"]]
    named = measurements.merge(known, on="specimen", validate="many_to_one")
    key = ["measured_by", "name"]
    twins = named.groupby([*key, *columns("place")])["specimen"].nunique().groupby(key).max()
    cards = named.groupby(key)["specimen"].nunique()
    possible = cards.index[(cards > 1) & (twins == 1)]
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
    computed, inputs = [], []
    for row in derived.itertuples():
        figures = same_as(primary, row, columns("source", "specimen", "tool", "host"))
        figures = figures[figures["metric"] == row.metric.removesuffix("_ratio")]
        sides = [figures[figures["op"] == op] for op in row.op.split("/")]
        summaries = []
        for side in sides:
            values, jobs = (side[name].to_numpy(float) for name in ("value", "numjobs"))
            weights = jobs if row.stat == "weighted_mean" else None
            mean = values.max() if row.stat == "max" else np.average(values, weights=weights)
            summaries.append(float(mean))
        computed.append(summaries[0] / summaries[1] if len(sides) > 1 else summaries[0])
        inputs.append(sum(map(len, sides)))
    return derived.assign(computed=computed, inputs=inputs)


def printed_beside_matched(measurements: pd.DataFrame) -> pd.DataFrame:
    """Put each printed read/write ratio beside what its figures give at equal process counts.

    As printed, reads and writes of files of different sizes are compared. Returns one row a printed
    ratio: specimen, medium, metric, stat, raw, `computed` (how it was made), `reproduces`, then
    `jobs_<n>`: the ratio of n readers to n writers.
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
