"""Old against new: Samsung's Evo+ of the DA part numbers and the cards that came after it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis import reference
from sdanalysis.stats.read_write import count_reasons, figure_reasons
from sdanalysis.stats.sides import RESULTS, averaged_sides, compared, paired_sides
from sdanalysis.stats.specimens import bare_figures, specimen_band, specimen_pairs

EVIDENCE = ("named", "inferred", "guessed", "linked", "printed")  # the weakest first
_FAMILY = ("Evo+", "EVO +", "Evo Plus", "Evo+ (2017)", "Evo Select")
_LATER = ("Evo Plus", "Evo Select")  # names that the DA generation did not have
_OLD, _NEW = "DA", ("GA", "2017")
_TEST = ["host", "reader", "tool", "op", "metric", "stat", "block_size", "numjobs", "iodepth"]
_CARD = ["measured_by", "specimen", "medium", "evidence", "capacity"]
_OWN = [*_CARD, "level", "rank", "file_size"]


def generations(media: pd.DataFrame) -> pd.DataFrame:
    """Return the cards of the family, with the generation that they belong to.

    Old are the part numbers that end in DA, new those in GA and the model of 2017. A card of
    which only a later name is known (Evo Plus, Evo Select) counts as new; its evidence is `named`.

    Parameters
    ----------
    media : DataFrame
        As `dataset.load_media` returns it.

    Returns
    -------
    DataFrame
        `specimen`, `generation` (old, new), `level` (the part number, or the name), `evidence`
        (ordered as `EVIDENCE`), `capacity` (B).

    Examples
    --------
    >>> import sdanalysis
    >>> generations(sdanalysis.load_media())["generation"].value_counts().to_dict()
    {'new': 8, 'old': 4}
    """
    family = media[(media["maker"] == "Samsung") & media["product"].isin(_FAMILY)]
    later = (family["vintage"] == "unknown") & family["product"].isin(_LATER)
    new = family["vintage"].isin(_NEW) | later
    generation = new.map({True: "new"}).mask(family["vintage"] == _OLD, "old")
    level = family["part_number"].where(family["part_number"].notna(), family["product"])
    known = family.assign(
        generation=generation,
        level=level,
        evidence=pd.Categorical(family["evidence"], categories=EVIDENCE, ordered=True),
    )
    columns = ["specimen", "generation", "level", "evidence", "capacity"]
    return known.loc[generation.notna(), columns].reset_index(drop=True)


def vintage_pairs(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    *,
    metric: str = "bandwidth",
    noise: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Pair every old card with every new one that was measured by the same test on the same host.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table; what `vintage_exclusions` names is left out.
    media : DataFrame
        As `dataset.load_media` returns it.
    metric : str
        `bandwidth` (B/s) or `iops` (1/s). A mixed job is one pair in either (op `mixed`, from
        the operations per second of its reads: its writes are forced by them).
    noise : DataFrame, optional
        As `reference.noise` returns it, which is the default.
    confidence : float
        Of the noise band.

    Returns
    -------
    DataFrame
        One row a pair: laboratory, specimen, medium, evidence and capacity of the old card and
        (ending in `_other`) of the new one, `host`, `reader`, the test, the results of
        `contrast_pairs` with `base` the old and `other` the new (`ratio` above 1: the new one is
        faster), `weakest` (evidence of the pair), `same_capacity`, `specimen_band`,
        `specimen_basis`, `within_specimens` (as `specimen_band` returns them). Pairs of two
        laboratories are of the kind `cross-laboratory`.

    Examples
    --------
    >>> import sdanalysis
    >>> pairs = vintage_pairs(sdanalysis.load(), sdanalysis.load_media())
    >>> writes = pairs[(pairs["op"] == "randwrite") & (pairs["kind"] == "clean")]
    >>> writes = writes[["measured_by", "host", "other", "same_capacity", "ratio"]]
    >>> writes.round(2).reset_index(drop=True)
      measured_by                host        other  same_capacity  ratio
    0      arthur               pi-3b    MB-MC32GA          False   1.58
    1      arthur               pi-4b    MB-MC32GA          False   1.39
    2     chilina               pi-3b    MB-MC32GA           True   0.22
    3    geerling               pi-3b   Evo Select           True   0.21
    4    geerling         pi-3b-sd100   Evo Select           True   0.22
    5    geerling               pi-4b     Evo Plus          False   0.62
    6      kulesz  kulesz-workstation  Evo+ (2017)          False   0.58
    """
    figures = _figures(measurements, media, metric)
    pairs = paired_sides(averaged_sides(figures, [*_TEST, *_OWN]), _TEST)
    pairs = pairs.rename(columns={f"{name}_base": name for name in _CARD})
    pairs = compared(pairs, reference.noise() if noise is None else noise, confidence)
    twins = specimen_pairs(measurements, metric=metric)
    band = specimen_band(pairs, reference.specimens(), twins)
    weakest = pairs["evidence"].where(
        pairs["evidence"] <= pairs["evidence_other"], pairs["evidence_other"]
    )
    width = band["specimen_band"]
    inside = (pairs["ratio"] <= width) & (pairs["ratio"] >= 1 / width)
    pairs = pairs.assign(
        **band,
        weakest=weakest,
        same_capacity=pairs["capacity"] == pairs["capacity_other"],
        within_specimens=inside.astype("boolean").mask(width.isna()),
    )
    others = [f"{name}_other" for name in _CARD]
    extra = ["weakest", "same_capacity", "specimen_band", "specimen_basis", "within_specimens"]
    order = ["tool", "op", "kind", "measured_by", "host", "reader", "specimen", "specimen_other"]
    columns = [*_CARD, *others, *_TEST, *RESULTS, *extra]
    return pairs.sort_values(order, kind="stable")[columns].reset_index(drop=True)


def vintage_exclusions(
    measurements: pd.DataFrame, media: pd.DataFrame, *, metric: str = "bandwidth"
) -> pd.DataFrame:
    """Return how many figures went into pairs and how many were left out, for which reason.

    Returns
    -------
    DataFrame
        Columns reason, figures, example (an id); the figures add up to `len(measurements)`.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> excluded = vintage_exclusions(measurements, sdanalysis.load_media())
    >>> bool(excluded["figures"].sum() == len(measurements))
    True
    """
    paired = set(" ".join(vintage_pairs(measurements, media, metric=metric)["ids"]).split())
    family = measurements["specimen"].isin(generations(media)["specimen"])
    usable = measurements["id"].isin(_figures(measurements, media, metric)["id"])
    reasons = figure_reasons(measurements, metric=metric)
    mixed = measurements["read_mix"].notna() & (measurements["status"] == "measured")
    reasons = reasons.mask(mixed, "the other numbers of a mixed job, which are one measurement")
    reasons = reasons.mask(~family, "not a card of the family").mask(usable)
    alone = ~measurements["id"].isin(paired)
    return count_reasons(
        measurements, reasons.mask(reasons.isna() & alone, "no partner in the same test and host")
    )


def direction_counts(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the pairs that favour either side; no p value, for pairs share cards and conditions.

    Parameters
    ----------
    pairs : DataFrame
        As `vintage_pairs` returns it.
    by : sequence of str
        Grouping columns, as `["same_capacity"]`.

    Returns
    -------
    DataFrame
        The columns of `by`, then `pairs`, `card_pairs` (different pairs of cards), `old_cards`,
        `new_cards`, `laboratories`, `suspicious`, `old_faster`, `new_faster`, `within_noise`,
        `within_specimens` (pairs), `least` and `greatest` (ratio).

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> pairs = stats.vintage_pairs(sdanalysis.load(), sdanalysis.load_media())
    >>> counts = stats.direction_counts(pairs, ["same_capacity"])
    >>> counts[["same_capacity", "pairs", "old_faster", "new_faster"]]
       same_capacity  pairs  old_faster  new_faster
    0          False     30          14          16
    1           True     29          27           2
    """
    rows = [
        {**dict(zip(by, key, strict=True)), **_directions(group)}
        for key, group in pairs.groupby(list(by), dropna=False, sort=True, observed=True)
    ]
    return pd.DataFrame(rows)


def _directions(group: pd.DataFrame) -> dict[str, object]:
    cards = group[["specimen", "specimen_other"]].drop_duplicates()
    return {
        "pairs": len(group),
        "card_pairs": len(cards),
        "old_cards": cards["specimen"].nunique(),
        "new_cards": cards["specimen_other"].nunique(),
        "laboratories": len({*group["measured_by"], *group["measured_by_other"]}),
        "suspicious": int(group["warnings"].str.contains("suspicious").sum()),
        "old_faster": int((group["ratio"] < 1).sum()),
        "new_faster": int((group["ratio"] > 1).sum()),
        "within_noise": int(group["within_noise"].sum()),
        "within_specimens": int(group["within_specimens"].sum()),
        "least": group["ratio"].min(),
        "greatest": group["ratio"].max(),
    }


def _figures(measurements: pd.DataFrame, media: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the family's figures that may be paired, with generation, evidence and capacity."""
    cards = generations(media)
    figures = bare_figures(measurements, metric=metric, mixed=True)
    figures = figures.merge(cards, on="specimen", how="inner", validate="many_to_one")
    return figures.assign(rank=figures["generation"].map({"old": 0, "new": 1}))
