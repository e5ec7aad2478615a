"""Figures that differ in one condition only: the same card on two hosts, in two readers, ..."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from sdanalysis.codebook.columns import OPS
from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import check_known, require
from sdanalysis.stats.intervals import MINIMUM, holm, paired_summary, two_sided_p
from sdanalysis.stats.names import plainly
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason
from sdanalysis.stats.same_test import average_repeats, columns, size_in_words
from sdanalysis.stats.sides import CARD, RESULTS, pair_sides, ratios, without_partner

# The factors, and the columns that a level is made of: a reader's name means something on its
# host only. The two figures of a contrast share all of `_SAME` but these.
FACTORS = {
    **{"host": ["host"], "reader": ["host", "reader"], "numjobs": ["numjobs"]},
    **{"iodepth": ["iodepth"], "file_size": ["file_size"]},
}
_SAME = columns("laboratory", "card", "place", "quantity", "test")
_ACCESS = {"random": "at random", "sequential": "in sequence"}


def contrast_pairs(
    measurements: pd.DataFrame,
    factor: str,
    noise: pd.DataFrame,
    *,
    metric: str = "bandwidth",
    across_laboratories: bool = False,
    levels: Sequence[object] | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Pair the figures of one card that differ in one condition and agree in all others.

    `factor` is `host` (in the same kind of reader), `reader` (host and reader together: the levels
    are `host/reader`), `numjobs`, `iodepth` or `file_size`; `metric` `bandwidth` (B/s), `iops`
    (1/s) or `latency` (s). `across_laboratories` also pairs different laboratories' specimens of
    one medium; their kind is `cross-laboratory`, and their ratio holds the difference of the
    specimens too. `levels` are compared, the base first; without them all, in sorted order.

    Returns one row a pair: the conditions that both share, `base`, `other` (the two levels),
    `value_base`, `value_other` (geometric means over `runs_base` and `runs_other` runs).
    `measured_by_other` and `specimen_other` differ for cross-laboratory pairs only. `sides.ratios`
    adds: `ratio` (other over base), its ends by rounding, the run noise (of these numbers of runs),
    `kind`, `test`, `label`, `ids`, `warnings`.
    """
    pairs = _pairs(measurements, factor, metric, across_laboratories, levels)
    pairs = ratios(pairs, noise, confidence)
    order = [*(name for name in _SAME if name in pairs), *(f"{name}_other" for name in CARD)]
    pairs = pairs.sort_values([*order, "rank_base", "rank_other"], ignore_index=True)
    return pairs[[*order, *RESULTS]]


def contrast_reasons(
    measurements: pd.DataFrame,
    factor: str,
    *,
    metric: str = "bandwidth",
    across_laboratories: bool = False,
    levels: Sequence[object] | None = None,
) -> pd.Series:
    """Return the code of why `contrast_pairs` leaves a row out; missing where it does not."""
    level = _levels(measurements, factor)
    elsewhere = pd.Series(False, index=level.index) if levels is None else ~level.isin(levels)
    codes = first_reason(
        measurements.index,
        [(level.isna(), Reason.NO_LEVEL), (elsewhere, Reason.OTHER_LEVEL)],
        after=figure_reasons(measurements, metric=metric),
    )
    pairs = partial(_pairs, measurements, factor, metric, across_laboratories, levels)
    return without_partner(measurements, codes, pairs)


def _pairs(
    measurements: pd.DataFrame,
    factor: str,
    metric: str,
    across_laboratories: bool,
    levels: Sequence[Any] | None,
    across_sizes: bool = False,
) -> pd.DataFrame:
    """Return the pairs of the figures that may be paired, with their level and its rank."""
    level = _levels(measurements, factor)
    counts = figure_reasons(measurements, metric=metric).isna() & level.notna()
    order = sorted(set(level[counts])) if levels is None else list(levels)
    rank = level.map({name: place for place, name in enumerate(order)})
    figures = measurements.assign(level=level, rank=rank)[counts & rank.notna()]
    figures = figures.drop(columns=FACTORS[factor])
    same = [name for name in _SAME if name in figures]
    own = [*same, *(name for name in ("level", "rank", "file_size") if name in figures)]
    keys = [name for name in same if not (across_laboratories and name in CARD)]
    pairs = pair_sides(average_repeats(figures, own), keys, across_sizes=across_sizes)
    if across_laboratories:
        same_card = pairs["specimen_base"] == pairs["specimen_other"]
        pairs = pairs[same_card | (pairs["measured_by_base"] != pairs["measured_by_other"])]
    return pairs


def _levels(measurements: pd.DataFrame, factor: str) -> pd.Series:
    check_known("factor", factor, FACTORS)
    require(measurements, FACTORS[factor])
    if factor == "reader":
        return measurements["host"] + "/" + measurements["reader"]
    return measurements[factor]


def contrast_in_short(pairs: pd.DataFrame, cards: pd.Series, base: str, other: str) -> str:
    """Say in a sentence by how much the cards in both places differ, as far as that is known.

    `pairs` as of `contrast_pairs`, of two levels, without the doubted ones; `cards` as of
    `specimen_names`; `base` and `other` are what a reader calls the two levels.
    """
    if pairs.empty:
        return f"Nobody measured one card in the {base} and in the {other} without a doubt."
    found = list(dict.fromkeys(pairs["specimen"].map(cards)))
    ends = dict.fromkeys(in_two_digits(end) for end in pairs["ratio"].agg(["min", "max"]))
    faster = f"{' to '.join(ends)} times as fast in the {other} as in the {base}."
    if len(found) >= MINIMUM:
        return f"The same {len(found)} cards are {faster}"
    rule = "Two cards are no rule." if len(found) > 1 else "One card is no rule."
    return f"{' and '.join(found)} {'were' if len(found) > 1 else 'was'} {faster} {rule}"


def contrast_in_words(pairs: pd.DataFrame, *, confidence: float = 0.95) -> list[str]:
    """Say, a string an op and person, how many times as fast the other side is, and how sure.

    With `MINIMUM` cards or more it gives the interval of their mean. With fewer it gives the least
    and the greatest, and whether a second run may differ so much. `pairs` as of `contrast_pairs`,
    of one tool and two levels.
    """
    by = ["measured_by", "op"]
    summary = paired_summary(pairs, by, confidence=confidence)
    inside = pairs.groupby(by)["within_noise"].agg(lambda found: bool(found.fillna(False).all()))
    owners, several = summary["measured_by"].nunique() > 1, summary["cards"].gt(1).any()
    order = summary.sort_values("op", key=lambda ops: ops.map(OPS.index), kind="stable")
    lines = []
    for row in order.itertuples():
        ends, undecided = (row.low, row.high), row.verdict == "~"
        if row.verdict == "points":
            ends, undecided = (row.least, row.greatest), inside[row.measured_by, row.op]
        spread = f": {' to '.join(map(in_two_digits, ends))}" if row.cards > 1 else ""
        notes = [people_name(row.measured_by)] if owners else []
        notes += [f"{counted(row.cards, 'card')}{spread}"] if owners or several else []
        notes += ["not certain"] if undecided else []
        sure = f" ({'; '.join(notes)})" if notes else ""
        lines.append(f"{plainly(row.op)} {in_two_digits(row.ratio)} times as fast{sure}")
    return lines


def gains_by_size(
    pairs: pd.DataFrame, spreads: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Say of each card and block size whether it gains, judged by repeats of the same cards.

    The yardstick is the spread of the runs at random or in sequence. It pools reads, writes, cards
    and settings, so repeats of one block size judge all. The p values are adjusted for their number
    (`holm`): that noise alone makes any verdict has a probability of 1 - `confidence`.

    `pairs` as of `contrast_pairs`, of two levels and one laboratory; `spreads` as of
    `repeat_spreads`, of its repeats. Returns one row a pair: `specimen`, `access` (random,
    sequential), `op`, `block_size` (B), `ratio`, `noise_sd` (of the logarithm of one run), `p`
    (adjusted; missing without repeats), `verdict` (`>1`, `<1`, `~`), `ids`.
    """
    access, repeated = (
        rows["op"].isin(["randread", "randwrite"]).map({True: "random", False: "sequential"})
        for rows in (pairs, spreads)
    )
    more = spreads["runs"] - 1
    freedom = more.groupby(repeated).sum()
    variance = (spreads["sd_log"] ** 2 * more).groupby(repeated).sum() / freedom
    noise_sd = access.map(variance) ** 0.5
    width = noise_sd * (1 / pairs["runs_base"] + 1 / pairs["runs_other"]) ** 0.5
    p = holm(two_sided_p(pairs["ratio"].map(math.log) / width, access.map(freedom).astype(float)))
    sides = (pairs["ratio"] > 1).map({True: ">1", False: "<1"}).where(p < 1 - confidence, "~")
    gains = pairs.assign(access=access, noise_sd=noise_sd, p=p, verdict=sides)
    fields = [*columns("op", "block_size"), "ratio", "noise_sd", "p", "verdict", "ids"]
    order = ["access", *columns("op"), "specimen", "block_size"]
    return gains[["specimen", "access", *fields]].sort_values(order, ignore_index=True)


def gains_in_words(gains: pd.DataFrame, cards: pd.Series) -> list[str]:
    """Say, a string an access, which cards gain up to which block size, and that no other does."""
    lines = []
    for access, rows in gains.groupby("access"):
        ends = rows[rows["verdict"] == ">1"].groupby("specimen")["block_size"].max()
        total = counted(rows["specimen"].nunique(), "card")
        names = ends.index.to_series().map(cards).groupby(ends).agg(", ".join)
        which = "; ".join(f"up to {size_in_words(size)} {who}" for size, who in names.items())
        gaining = f"{len(ends)} of {total} gain{'s' * (len(ends) == 1)}: {which}"
        lines.append(f"{_ACCESS[access]} {gaining if which else f'none of {total} gains'}")
    return lines
