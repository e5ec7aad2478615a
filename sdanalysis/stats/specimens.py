"""Two cards of one name: how far two specimens of a model differ, and an old model from a new."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason, usable
from sdanalysis.stats.same_test import READS, WRITES, columns
from sdanalysis.stats.sides import (
    CARD,
    CROSS,
    RESULTS,
    SUSPICIOUS,
    average_repeats,
    pair_sides,
    ratios,
    within,
    without_partner,
)

_SAME = columns("medium", "place", "quantity", "test")
_EVIDENCE = ("named", "inferred", "guessed", "linked", "printed")  # the weakest first
_FAMILY = ("Evo+", "EVO +", "Evo Plus", "Evo+ (2017)", "Evo Select")
_LATER = ("Evo Plus", "Evo Select")  # names that the DA generation did not have
_OLD, _NEW = "DA", ("GA", "2017")
_TEST = columns("place", "quantity", "test")
_PLACE = columns("place")
_EXTRA = ["weakest", "same_capacity", "specimen_band", "specimen_basis", "within_specimens"]
_CARD_OWN = [*columns("laboratory", "card"), "evidence", "capacity"]  # of the two cards of a pair


def bare_figures(measurements: pd.DataFrame, *, mixed: bool = False) -> pd.DataFrame:
    """Return the bandwidths that stand for a measurement each, none of them twice.

    A restated figure stands for one where the table has no primary figure of its specimen. With
    `mixed` a mixed job is one figure too: that of its reads, in operations per second, as op
    `mixed`; without it there is none.
    """
    rows = measurements
    primary = set(rows.loc[rows["origin"] == "primary", "specimen"])
    quoted = (rows["origin"] == "restated") & ~rows["specimen"].isin(primary)
    noted = (rows["remarks"].fillna("") + " restated").str.strip()
    rows = rows.assign(
        origin=rows["origin"].mask(quoted, "primary"),
        remarks=rows["remarks"].mask(quoted, noted),
    )
    if not mixed:
        return usable(rows)
    jobs = usable(rows, metric="iops", mixed=True)
    jobs = jobs[jobs["read_mix"].notna() & jobs["op"].isin(READS)].assign(op="mixed")
    return pd.concat([usable(rows), jobs]).sort_index()


def specimen_pairs(
    measurements: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Pair two specimens of one medium that went through the same test on the same host.

    Returns
    -------
    DataFrame
        One row a pair: the medium, place and test, then as of `contrast_pairs` (`base` and
        `other` are specimens, in alphabetical order), and `spread` (the greater over the lesser).
        Two specimens in two laboratories are of the kind `cross-laboratory`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> twins = stats.specimen_pairs(data.measurements, data.noise)
    >>> twins.loc[twins["kind"] == "clean", ["base", "other", "op", "spread"]].round(2).head(2)
              base        other     op  spread
    0  perrin/6401  perrin/6402  write    3.15
    1  perrin/6401  perrin/6402   read    1.49
    """
    figures = bare_figures(measurements)
    level = figures["specimen"]
    figures = figures.assign(level=level, rank=level.rank(method="dense"))
    sides = average_repeats(figures, [*_SAME, *CARD, "level", "rank", "file_size"])
    pairs = ratios(pair_sides(sides, _SAME), noise, confidence)
    pairs = pairs.assign(spread=pairs["ratio"].where(pairs["ratio"] >= 1, 1 / pairs["ratio"]))
    own = [*CARD, *(f"{name}_other" for name in CARD)]
    order = ["kind", "specimen", "specimen_other", *_SAME[1:]]
    return pairs.sort_values(order, ignore_index=True)[[*_SAME, *own, *RESULTS, "spread"]]


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far published specimens of one model differ in the same test.

    As `spread`: the greatest over the least, of geometric means over the repeats.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> spreads = stats.reference_spreads(load_data().specimens)
    >>> spreads[["tool", "op", "cards", "spread"]].round(2)
      tool     op  cards  spread
    0   dd   read      2    1.00
    1   dd  write      2    2.99
    """
    keys = ["model", *columns("specimen", "tool", "op")]
    means = specimens.dropna(subset="model").groupby(keys)["value"].agg(geometric_mean)
    spread = means.groupby(["model", "tool", "op"]).agg(["size", "min", "max"]).reset_index()
    spread = spread.assign(cards=spread["size"], spread=spread["max"] / spread["min"])
    return spread.loc[spread["cards"] > 1, ["model", "tool", "op", "cards", "spread"]]


def specimen_band(
    tests: pd.DataFrame, specimens: pd.DataFrame, twins: pd.DataFrame
) -> pd.DataFrame:
    """Return the widest ratio seen between two cards of one model, for reads and for writes.

    It is a yardstick, not an interval: two models are known, and a third may differ more. Indexed
    as `tests`: `specimen_band` (a factor above 1) and `specimen_basis` (words); missing where the
    op neither reads nor writes.
    """
    own = twins[twins["kind"] != CROSS].rename(columns={"medium": "model"})
    seen = pd.concat([reference_spreads(specimens), own[["model", "tool", "op", "spread"]]])
    widest = {}
    for ops in (READS, WRITES):
        kind = seen[seen["op"].isin(ops)].sort_values("spread", ascending=False)
        for row in kind.head(1).itertuples():
            basis = f"{row.tool} {row.op} of two {row.model}"
            widest |= dict.fromkeys(ops, (row.spread, basis))
    rows = [widest.get(op, (float("nan"), pd.NA)) for op in tests["op"]]
    return pd.DataFrame(rows, columns=["specimen_band", "specimen_basis"], index=tests.index)


def generations(media: pd.DataFrame) -> pd.DataFrame:
    """Return the cards of the family, with the generation that they belong to.

    Old are the part numbers that end in DA, new those in GA and the model of 2017. A card of
    which only a later name is known (Evo Plus, Evo Select) counts as new; its evidence is `named`.

    Returns
    -------
    DataFrame
        `specimen`, `generation` (old, new), `level` (the part number, or the name), `evidence`
        (an ordered category, the weakest first), `capacity` (B).

    Examples
    --------
    >>> from sdanalysis import load_media
    >>> generations(load_media())["generation"].value_counts().to_dict()
    {'new': 8, 'old': 4}
    """
    family = media[(media["maker"] == "Samsung") & media["product"].isin(_FAMILY)]
    later = (family["vintage"] == "unknown") & family["product"].isin(_LATER)
    new = family["vintage"].isin(_NEW) | later
    known = family.assign(
        generation=new.map({True: "new"}).mask(family["vintage"] == _OLD, "old"),
        level=family["part_number"].fillna(family["product"]),
        evidence=pd.Categorical(family["evidence"], categories=_EVIDENCE, ordered=True),
    ).dropna(subset="generation")
    shown = ["specimen", "generation", "level", "evidence", "capacity"]
    return known[shown].reset_index(drop=True)


def vintage_pairs(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    noise: pd.DataFrame,
    specimens: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Pair every old card with every new one that was measured by the same test on the same host.

    A mixed job is one pair (op `mixed`): the operations per second of its reads, by which its
    writes are forced.

    Returns
    -------
    DataFrame
        One row a pair: laboratory, specimen, medium, evidence and capacity of the old card and
        (ending in `_other`) of the new one, the place and the test, the results of
        `contrast_pairs` with `base` the old and `other` the new (`ratio` above 1: the new one is
        faster; `label` is laboratory, place and cards), `weakest` (evidence of the pair),
        `same_capacity`, `specimen_band` (the widest ratio of two cards of one model, and its
        `specimen_basis`), `within_specimens`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> pairs.loc[[35, 37], ["measured_by", "host", "op", "same_capacity", "ratio"]].round(2)
       measured_by   host         op  same_capacity  ratio
    35      arthur  pi-3b  randwrite          False   1.58
    37     chilina  pi-3b  randwrite           True   0.22
    """
    pairs = ratios(_pairs(measurements, media), noise, confidence)
    pairs = pairs.rename(columns={f"{name}_base": name for name in _CARD_OWN})
    old, new = pairs["evidence"], pairs["evidence_other"]
    pairs = pairs.assign(
        **specimen_band(pairs, specimens, specimen_pairs(measurements, noise)),
        weakest=old.where(old <= new, new),
        same_capacity=pairs["capacity"] == pairs["capacity_other"],
        label=_labels(pairs),
    )
    pairs = pairs.assign(within_specimens=within(pairs["ratio"], pairs["specimen_band"]))
    order = [*columns("tool", "op"), "kind", "measured_by", *_PLACE, "specimen", "specimen_other"]
    others = [f"{name}_other" for name in _CARD_OWN]
    kept = [*_CARD_OWN, *others, *_TEST, *RESULTS, *_EXTRA]
    return pairs.sort_values(order, kind="stable", ignore_index=True)[kept]


def vintage_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return the code of why `vintage_pairs` leaves a row out; missing where it does not.

    Examples
    --------
    >>> from sdanalysis import load, load_media, stats
    >>> reasons = stats.vintage_reasons(load(), load_media())
    >>> int(reasons.isna().sum())
    68
    """
    rows = measurements
    family = rows["specimen"].isin(generations(media)["specimen"])
    counts = rows["id"].isin(bare_figures(rows, mixed=True)["id"])
    codes = first_reason(rows.index, [(~family, Reason.NOT_IN_FAMILY)])
    codes = codes.fillna(figure_reasons(rows)).mask(family & counts)
    return without_partner(rows, codes, partial(_pairs, rows, media))


def direction_counts(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the pairs that favour either side; no p value, for pairs share cards and conditions.

    Returns
    -------
    DataFrame
        The columns of `by`, then `pairs`, `card_pairs` (different pairs of cards), `old_cards`,
        `new_cards`, `laboratories`, `suspicious`, `old_faster`, `new_faster`, `within_noise`,
        `within_specimens` (pairs), `least` and `greatest` (ratio).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> counts = stats.direction_counts(pairs, ["same_capacity"])
    >>> counts[["same_capacity", "pairs", "old_faster", "new_faster"]]
       same_capacity  pairs  old_faster  new_faster
    0          False     30          14          16
    1           True     29          27           2
    """
    groups = pairs.groupby(list(by), dropna=False, sort=True, observed=True)
    return pd.DataFrame(
        [dict(zip(by, key, strict=True)) | _directions(group) for key, group in groups]
    )


def _directions(group: pd.DataFrame) -> dict[str, object]:
    cards = group[["specimen", "specimen_other"]].drop_duplicates()
    return {
        "pairs": len(group),
        "card_pairs": len(cards),
        "old_cards": cards["specimen"].nunique(),
        "new_cards": cards["specimen_other"].nunique(),
        "laboratories": len({*group["measured_by"], *group["measured_by_other"]}),
        "suspicious": sum(SUSPICIOUS in warnings for warnings in group["warnings"]),
        "old_faster": int((group["ratio"] < 1).sum()),
        "new_faster": int((group["ratio"] > 1).sum()),
        "within_noise": int(group["within_noise"].sum()),
        "within_specimens": int(group["within_specimens"].sum()),
        "least": group["ratio"].min(),
        "greatest": group["ratio"].max(),
    }


def _pairs(
    measurements: pd.DataFrame, media: pd.DataFrame, across_sizes: bool = False
) -> pd.DataFrame:
    """Return the pairs of the family's cards, with their evidence and capacity."""
    figures = bare_figures(measurements, mixed=True)
    figures = figures.merge(generations(media), on="specimen", validate="many_to_one")
    figures = figures.assign(rank=figures["generation"].map({"old": 0, "new": 1}))
    sides = average_repeats(figures, [*_TEST, *_CARD_OWN, "level", "rank", "file_size"])
    return pair_sides(sides, _TEST, across_sizes=across_sizes)


def _labels(pairs: pd.DataFrame) -> pd.Series:
    """Return laboratory, place and cards of each pair: `chilina, pi-3b, DA 32 GB → GA 32 GB`."""
    both = pairs["measured_by"] + " / " + pairs["measured_by_other"]
    laboratory = both.where(pairs["kind"] == CROSS, pairs["measured_by"])
    place = pairs["host"].where(pairs["reader"] == "slot", pairs["reader"])
    old, new = (
        pairs[side] + (pairs[capacity] / 1e9).map(" {:.0f} GB".format)
        for side, capacity in (("base", "capacity"), ("other", "capacity_other"))
    )
    return laboratory + ", " + place + ", " + old + " → " + new
