"""Old model against new: pairs of cards of one family, and the evidence for what they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from sdanalysis.codebook.units import counted
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
_SIDES = {
    "old": "the older card is faster",
    "new": "the newer card is faster",
    "alike": "the two differ no more than two runs of one card may",
    "both ways": "now the one is faster, now the other",
}
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
        `noise_band` (what run noise may do to that mean: the more results, the less), `faster`
        (old, new, `alike` within that band, `both ways` where results beyond the run noise
        disagree, `doubted`).

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
    cards = cards.astype({name: pairs[name].dtype for name in shared})
    return cards.sort_values("same_capacity", ascending=False, kind="stable", ignore_index=True)


def pair_in_words(row: Any, cards: pd.Series, places: pd.Series) -> str:
    r"""Say in a sentence what a row of `card_pairs` shows, the sizes first.

    Parameters
    ----------
    row : namedtuple
        Of `card_pairs(...).itertuples()`.
    cards, places : Series
        As `card_names` and `place_names` return them.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> fio = next(stats.card_pairs(stats.of_test(pairs, "fio", "mixed", 4)).itertuples())
    >>> names = stats.card_names(data.media), stats.place_names(data.hosts)
    >>> print(stats.pair_in_words(fio, *names).replace(" (", "\n("))
    32 GB each, Raspberry Pi 3 Model B: the older Samsung Evo+ 32 GB
    (MB-MC32DA) is 3.8 times as fast as the newer Samsung Evo Plus 32 GB
    (MB-MC32GA).
    """
    old = _named("older", cards[row.specimen], row.base)
    new = _named("newer", cards[row.specimen_other], row.other)
    sizes = [capacity_in_words(size) for size in (row.capacity, row.capacity_other)]
    size = f"{sizes[0]} each" if row.same_capacity else f"{sizes[0]} against {sizes[1]}"
    where = " and ".join(str(places[place]) for place in dict.fromkeys(row.places))
    factors = [1 / row.ratio, 1 / row.greatest, 1 / row.least]
    if row.ratio > 1:
        old, new, factors = new, old, [row.ratio, row.least, row.greatest]
    mean, low, high = (f"{factor:.2g}" for factor in factors)
    times = f"{mean} times as fast" if mean != "1" else "as fast"
    spread = f" ({low} to {high})" if low != high else ""
    more = {"alike": ", no more than two runs of one card may differ by", "doubted": " (doubted)"}
    found = f"{old} is {times}{spread} as {new}{more.get(row.faster, '')}"
    return f"{size}, {where}: {found}."


def direction_in_words(cards: pd.DataFrame) -> str:
    """Say which side the rows of `card_pairs` favour, and how many pairs of cards they are.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> direction_in_words(stats.card_pairs(stats.of_test(pairs, "fio", "mixed", 4)))
    'the older card is faster (1 pair of cards)'
    """
    found = {*cards["faster"]} - {"doubted"}
    count = int((cards["faster"] != "doubted").sum())
    if not found:
        return "nothing can be said (no pair of cards)"
    words = _SIDES[found.pop()] if len(found) == 1 else "the pairs disagree"
    return f"{words} ({counted(count, 'pair')} of cards)"


def yardstick_in_words(row: Any) -> str:
    r"""Say how far two cards of one model are known to differ, and by which test.

    Parameters
    ----------
    row : namedtuple
        Of `card_pairs(...).itertuples()`, or of `vintage_pairs`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> pairs = stats.vintage_pairs(data.measurements, data.media, data.noise, data.specimens)
    >>> first = next(pairs[pairs["op"] == "randwrite"].itertuples())
    >>> print(yardstick_in_words(first).replace("; ", ";\n"))
    How far two cards of one model differ in this test, nobody measured;
    in another (writing large files with dd, two SanDisk Ultra PLUS 64 GB) it was 3.2 times.
    """
    unknown = "How far two cards of one model differ in this test, nobody measured"
    if pd.isna(row.specimen_band):
        return f"{unknown}."
    seen, basis = f"{row.specimen_band:.2g} times", row.specimen_basis
    if row.specimen_same_test:
        return f"Two cards of one model differ in this test by as much as {seen} ({basis})."
    return f"{unknown}; in another ({basis}) it was {seen}."


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
    >>> counts[["same_capacity", "card_pairs", "results", "doubted", "old_faster", "alike"]]
       same_capacity  card_pairs  results  doubted  old_faster  alike
    0          False           2        3        1           1      0
    1           True           1        1        0           1      0
    """
    groups = cards.groupby(list(by), dropna=False, sort=True, observed=True)
    return pd.DataFrame(
        [dict(zip(by, key, strict=True)) | _directions(group) for key, group in groups]
    )


def _named(age: str, name: str, level: str) -> str:
    return f"the {age} {name}" if level in name else f"the {age} {name} ({level})"


def _card_pair(group: pd.DataFrame) -> dict[str, object]:
    clean = group[group["kind"] != SUSPICIOUS]
    used = clean if len(clean) else group
    band = used["noise_band"].max() ** (1 / math.sqrt(len(used)))
    return {
        "kind": used["kind"].iloc[0],
        "places": tuple(zip(used["host"], used["reader"], strict=True)),
        "results": len(clean),
        "doubted": len(group) - len(clean),
        "ratio": geometric_mean(used["ratio"]),
        "least": used["ratio"].min(),
        "greatest": used["ratio"].max(),
        "noise_band": band,
        "faster": _faster(used, band) if len(clean) else "doubted",
    }


def _faster(results: pd.DataFrame, band: float) -> str:
    beyond = results.loc[~results["within_noise"].fillna(False).astype(bool), "ratio"]
    if beyond.min() < 1 < beyond.max():
        return "both ways"
    mean = geometric_mean(results["ratio"])
    if 1 / band <= mean <= band:  # never where the noise is not known
        return "alike"
    return "old" if mean < 1 else "new"


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
