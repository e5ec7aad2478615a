"""Old model against new: pairs of cards of one family, and the evidence for what they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.names import capacity_in_words, card_in_words
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import (
    CROSS,
    RESULTS,
    SUSPICIOUS,
    average_repeats,
    pair_sides,
    ratios,
    within,
    without_partner,
)
from sdanalysis.stats.specimens import bare_figures, specimen_band, specimen_pairs

_EVIDENCE = ("named", "inferred", "guessed", "linked", "printed")  # the weakest first
_FAMILY = ("Evo+", "EVO +", "Evo Plus", "Evo+ (2017)", "Evo Select")
_OLD, _NEW = "DA", ("GA", "2017")
_TEST = columns("place", "quantity", "test")
_PLACE = columns("place")
_YARDSTICK = ["specimen_band", "specimen_basis", "specimen_same_test", "within_specimens"]
_CARD_OWN = [*columns("laboratory", "card"), "evidence", "capacity"]  # of the two cards of a pair
_CARD_OTHER = [f"{name}_other" for name in _CARD_OWN]
_CARDS = ["base", "other", "weakest", "same_capacity"]
# What one pair of cards and one test share, wherever both went through it.
_CARD_PAIR = [*_CARD_OWN, *_CARD_OTHER, *columns("quantity", "test"), *_CARDS, "test"]


def generations(media: pd.DataFrame) -> pd.DataFrame:
    """Return the cards of the family, with the generation that they belong to.

    Old are the part numbers that end in DA, new those in GA and the model of 2017. A name is no
    vintage: a card of which only one is known (Evo Plus, Evo Select) has no generation.

    Returns
    -------
    DataFrame
        `specimen`, `generation` (old, new, or missing), `level` (the part number, or the name),
        `evidence` (an ordered category, the weakest first), `capacity` (B), `why` (the
        evidence in words).

    Examples
    --------
    >>> from sdanalysis import load_media
    >>> generations(load_media())["generation"].value_counts(dropna=False).to_dict()
    {'new': 6, 'old': 4, nan: 2}
    """
    family = media[(media["maker"] == "Samsung") & media["product"].isin(_FAMILY)]
    new = family["vintage"].isin(_NEW)
    known = family.assign(
        generation=new.map({True: "new"}).mask(family["vintage"] == _OLD, "old"),
        level=family["part_number"].fillna(family["product"]),
        evidence=pd.Categorical(family["evidence"], categories=_EVIDENCE, ordered=True),
        why=family["note"].fillna(family["vintage_evidence"]),
    )
    shown = ["specimen", "generation", "level", "evidence", "capacity", "why"]
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
    writes are forced. Two cards that met on two hosts are two rows: `card_pairs` makes one of them.

    Returns
    -------
    DataFrame
        One row a pair: laboratory, specimen, medium, evidence and capacity of the old card and
        (ending in `_other`) of the new one, the place and the test, the results of
        `contrast_pairs` with `base` the old and `other` the new (`ratio` above 1: the new one is
        faster; `label` is laboratory, place and cards), `weakest` (evidence of the pair),
        `same_capacity`, `specimen_band` (the widest ratio of two cards of one model, with its
        `specimen_basis`, and whether that is of the `specimen_same_test`), `within_specimens`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> printed = pairs[(pairs["weakest"] == "printed") & (pairs["op"] == "randwrite")]
    >>> printed[["measured_by", "host", "same_capacity", "ratio"]].round(2).head(3)
       measured_by   host  same_capacity  ratio
    21      arthur  pi-3b          False   1.58
    22      arthur  pi-4b          False   1.39
    23     chilina  pi-3b           True   0.22
    """
    pairs = ratios(_pairs(measurements, media), noise, confidence)
    pairs = pairs.rename(columns={f"{name}_base": name for name in _CARD_OWN})
    old, new = pairs["evidence"], pairs["evidence_other"]
    names = {row.medium: card_in_words(row) for row in media.itertuples()}
    twins = specimen_pairs(measurements, noise)
    pairs = pairs.assign(
        **specimen_band(pairs, specimens, twins.assign(medium=twins["medium"].map(names))),
        weakest=old.where(old <= new, new).cat.remove_unused_categories(),
        same_capacity=pairs["capacity"] == pairs["capacity_other"],
        label=_labels(pairs),
    )
    pairs = pairs.assign(within_specimens=within(pairs["ratio"], pairs["specimen_band"]))
    order = [*columns("tool", "op"), "kind", "measured_by", *_PLACE, "specimen", "specimen_other"]
    kept = [*_CARD_OWN, *_CARD_OTHER, *_TEST, *RESULTS, "weakest", "same_capacity", *_YARDSTICK]
    return pairs.sort_values(order, kind="stable", ignore_index=True)[kept]


def vintage_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return the code of why `vintage_pairs` leaves a row out; missing where it does not.

    Examples
    --------
    >>> from sdanalysis import load, load_media, stats
    >>> reasons = stats.vintage_reasons(load(), load_media())
    >>> int(reasons.isna().sum())
    50
    """
    rows, cards = measurements, generations(media)
    family = rows["specimen"].isin(cards["specimen"])
    known = rows["specimen"].isin(cards.loc[cards["generation"].notna(), "specimen"])
    counts = rows["id"].isin(bare_figures(rows, mixed=True)["id"])
    codes = first_reason(
        rows.index, [(~family, Reason.NOT_IN_FAMILY), (family & ~known, Reason.VINTAGE_UNKNOWN)]
    )
    codes = codes.fillna(figure_reasons(rows)).mask(known & counts)
    return without_partner(rows, codes, partial(_pairs, rows, media))


def card_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of cards behind `vintage_pairs`: two cards and one test are one row.

    Wherever the two met, on one host or on several, they are one pair. Doubted results are
    counted and left out; a pair that has no others shows what they say, and is `doubted`.

    Returns
    -------
    DataFrame
        What the rows of a pair share (the cards, their capacity and evidence, the test, the
        yardstick), `places` (host and reader of each result), `results` and `doubted` (counts),
        `ratio` (geometric mean of the results, new / old), `least` and `greatest` of them,
        `faster` (old, new, `alike` within the run noise, `both ways`, `doubted`).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> printed = pairs[(pairs["weakest"] == "printed") & (pairs["op"] == "randwrite")]
    >>> cards = stats.card_pairs(printed[printed["kind"] == "clean"])
    >>> cards[["measured_by", "same_capacity", "results", "ratio", "faster"]].round(2)
      measured_by  same_capacity  results  ratio faster
    0     chilina           True        1   0.22    old
    1      arthur          False        2   1.48    new
    """
    shared = [*_CARD_PAIR, *_YARDSTICK[:-1]]
    groups = pairs.groupby([*columns("quantity", "test"), "specimen", "specimen_other"],
                           dropna=False, sort=False)  # fmt: skip
    found = [group.iloc[0][shared].to_dict() | _card_pair(group) for _, group in groups]
    names = [*shared, *_card_pair(pairs)] if len(pairs) else shared
    cards = pd.DataFrame(found, columns=names)
    return cards.sort_values("same_capacity", ascending=False, kind="stable", ignore_index=True)


def direction_counts(cards: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the pairs of cards that favour either side; no p value, for pairs share cards.

    Parameters
    ----------
    cards : DataFrame
        As `card_pairs` returns it.

    Returns
    -------
    DataFrame
        The columns of `by`, then `card_pairs`, `old_cards`, `new_cards`, `laboratories`,
        `results`, `doubted` (results left out), `old_faster`, `new_faster`, `alike`, `both_ways`
        (pairs of cards), `least` and `greatest` (ratio).

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> own = pairs[(pairs["op"] == "randwrite") & (pairs["kind"] != "cross-laboratory")]
    >>> counts = stats.direction_counts(stats.card_pairs(own), ["same_capacity"])
    >>> counts[["same_capacity", "card_pairs", "results", "doubted", "old_faster", "new_faster"]]
       same_capacity  card_pairs  results  doubted  old_faster  new_faster
    0          False           2        3        1           1           1
    1           True           1        1        0           1           0
    """
    groups = cards.groupby(list(by), dropna=False, sort=True, observed=True)
    return pd.DataFrame(
        [dict(zip(by, key, strict=True)) | _directions(group) for key, group in groups]
    )


def _card_pair(group: pd.DataFrame) -> dict[str, object]:
    clean = group[group["kind"] != SUSPICIOUS]
    used = clean if len(clean) else group
    return {
        "kind": used["kind"].iloc[0],
        "places": tuple(zip(used["host"], used["reader"], strict=True)),
        "results": len(clean),
        "doubted": len(group) - len(clean),
        "ratio": geometric_mean(used["ratio"]),
        "least": used["ratio"].min(),
        "greatest": used["ratio"].max(),
        "faster": _faster(used) if len(clean) else "doubted",
    }


def _faster(results: pd.DataFrame) -> str:
    if results["within_noise"].fillna(False).all():
        return "alike"
    if results["ratio"].max() < 1:
        return "old"
    return "new" if results["ratio"].min() > 1 else "both ways"


def _directions(group: pd.DataFrame) -> dict[str, object]:
    counts = group["faster"].value_counts()
    kept = group[group["faster"] != "doubted"]
    return {
        "card_pairs": len(kept),
        "old_cards": kept["specimen"].nunique(),
        "new_cards": kept["specimen_other"].nunique(),
        "laboratories": len({*kept["measured_by"], *kept["measured_by_other"]}),
        "results": int(kept["results"].sum()),
        "doubted": int(group["doubted"].sum()),
        "old_faster": int(counts.get("old", 0)),
        "new_faster": int(counts.get("new", 0)),
        "alike": int(counts.get("alike", 0)),
        "both_ways": int(counts.get("both ways", 0)),
        "least": kept["least"].min(),
        "greatest": kept["greatest"].max(),
    }


def _pairs(
    measurements: pd.DataFrame, media: pd.DataFrame, across_sizes: bool = False
) -> pd.DataFrame:
    """Return the pairs of the family's cards, with their evidence and capacity."""
    known = generations(media).dropna(subset="generation").drop(columns="why")
    figures = bare_figures(measurements, mixed=True)
    figures = figures.merge(known, on="specimen", validate="many_to_one")
    figures = figures.assign(rank=figures["generation"].map({"old": 0, "new": 1}))
    sides = average_repeats(figures, [*_TEST, *_CARD_OWN, "level", "rank", "file_size"])
    return pair_sides(sides, _TEST, across_sizes=across_sizes)


def _labels(pairs: pd.DataFrame) -> pd.Series:
    """Return laboratory, place and cards of each pair: `chilina, pi-3b, DA 32 GB → GA 32 GB`."""
    both = pairs["measured_by"] + " / " + pairs["measured_by_other"]
    laboratory = both.where(pairs["kind"] == CROSS, pairs["measured_by"])
    place = pairs["host"].where(pairs["reader"] == "slot", pairs["reader"])
    old, new = (
        pairs[side] + " " + pairs[capacity].map(capacity_in_words)
        for side, capacity in (("base", "capacity"), ("other", "capacity_other"))
    )
    return laboratory + ", " + place + ", " + old + " → " + new
