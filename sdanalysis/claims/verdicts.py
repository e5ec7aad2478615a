"""A claim and the facts -> what its test found: one figure with its interval, and the verdict.

A kind of test chooses rows and makes figures of them; how figures are held against the range that
the sentence's word allows stands once, for all kinds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import CARDS, Claim
from sdanalysis.claims.figures import (
    Facts,
    half_widths,
    matching,
    mean_figure,
    ratio_of_means,
    ratios,
    select,
    unit_figures,
)  # fmt: skip
from sdanalysis.stats.groups import compare_groups
from sdanalysis.stats.intervals import MINIMUM, geometric_interval, geometric_mean
from sdanalysis.stats.names import plainly
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import CARD

VERDICTS = ("supported", "contradicted", "undecided", "untestable")
# What an interval covers: the error of one figure, another card; nothing where laboratories
# differ, where a group has too few cards, or where nothing was measured.
INTERVALS = ("one figure", "cards", "two laboratories", "points", "none")
LEAST_ORDERED = 4  # specimens below which a rank correlation has no interval


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a test found: a class because words and ledger take it whole.

    `computed`, `low`, `high` are in `unit` (`1` for a ratio); `interval` is one of `INTERVALS`.
    `at` is the place, among the figures, of the one that decided, and `case` names it. `clear`
    counts the figures that are clearly in the claim's range, those that are clearly not, and all;
    `accident` tells that one would be outside, had it been asked alone. `rows` are the measurements
    with the column `side`; `least` is how many cards the claim rests on: those of its smallest
    group. `with_doubted` is the verdict with the doubted figures, where it is another.
    """

    verdict: str
    interval: str
    computed: float = math.nan
    low: float = math.nan
    high: float = math.nan
    unit: str = "1"
    at: int | None = None
    case: str = ""
    clear: tuple[int, int, int] | None = None
    accident: bool = False
    rows: pd.DataFrame = field(default_factory=pd.DataFrame)
    least: int = 0
    with_doubted: str | None = None


# --- figures against the range of a claim ---------------------------------------------------------


def each(figures: pd.DataFrame, claim: Claim, confidence: float, summary: str = "every") -> Result:
    """Say whether every figure lies in the claim's range, or whether some does.

    One outside refutes "every", one inside supports "some": that one has to stand out among the m,
    at 1 - (1 - confidence) / m, which is Bonferroni's. For the other verdict each is asked alone.
    The worst figure is shown, of "some" the best.

    Parameters
    ----------
    figures : DataFrame
        Columns `ratio` (the figure), `sd`, `freedom`, `slack`.
    """
    some = summary == "some"
    beyond = figures["ratio"].map(lambda ratio: _beyond(ratio, claim))
    alone = half_widths(figures, confidence)
    among = half_widths(figures, 1 - (1 - confidence) / len(figures))
    inside = beyond + (among if some else alone) <= 0
    outside = beyond - (alone if some else among) > 0
    holds, fails = (inside.any(), outside.all()) if some else (inside.all(), outside.any())
    accident = not some and not fails and bool((beyond - alone > 0).any())
    half = among if (fails or accident) != some else alone
    reach = beyond - half if fails else beyond - alone if accident else beyond + half
    reach = reach.fillna(math.inf)
    at = int(reach.idxmin() if some else reach.idxmax())
    ratio, width = float(figures.loc[at, "ratio"]), float(half.loc[at])
    return Result(
        computed=ratio,
        low=ratio * math.exp(-width),
        high=ratio * math.exp(width),
        verdict="supported" if holds else "contradicted" if fails else "undecided",
        interval="one figure",
        at=at,
        clear=(int(inside.sum()), int(outside.sum()), len(figures)),
        accident=accident,
    )


def _beyond(ratio: float, claim: Claim) -> float:
    """Return how far a figure is outside the range, in logarithms; negative inside."""
    below = math.log(claim.low / ratio) if claim.low > 0 else -math.inf
    above = math.log(ratio / claim.high) if claim.high < math.inf else -math.inf
    return max(below, above)


def on_average(pairs: pd.DataFrame, claim: Claim, confidence: float) -> Result:
    """Return the geometric mean over cards of pairs of one card.

    That of a sentence about the measured cards has the error of their figures, any other the t
    interval over cards.
    """
    if claim.about == CARDS:
        return _as_one(mean_figure(pairs, "ratio"), claim, confidence)
    cards = pairs.groupby("card_other")["ratio"].agg(geometric_mean)
    return _over_cards(geometric_interval(cards, confidence=confidence), claim)


def between_groups(
    above: pd.DataFrame, below: pd.DataFrame, claim: Claim, confidence: float
) -> Result:
    """Return the ratio of the geometric means of two groups of different cards.

    The interval is Welch's, as in `stats.compare_groups`; of a sentence about the measured cards it
    is the error of their figures. Sides of different laboratories decide nothing.
    """
    figures = pd.concat([above.assign(side="above"), below.assign(side="below")])
    found = compare_groups(figures, "side", "below", "above", confidence=confidence).iloc[0]
    if figures["measured_by"].nunique() > 1:
        ratio = float(found["ratio"])
        return Result(computed=ratio, verdict="undecided", interval="two laboratories")
    if claim.about == CARDS:
        return _as_one(ratio_of_means(above, below), claim, confidence)
    return _over_cards(found, claim)


def _as_one(mean: pd.DataFrame, claim: Claim, confidence: float) -> Result:
    """Return a mean over the measured cards, with the error of their figures."""
    return replace(each(mean, claim, confidence), at=None, clear=None)


def _over_cards(found: pd.Series | dict[str, object], claim: Claim) -> Result:
    """Return a mean over cards; of fewer than `MINIMUM` in a group there are only points."""
    computed, low, high = (float(found[name]) for name in ("ratio", "low", "high"))
    interval = "points" if math.isnan(low) else "cards"
    verdict = verdict_of(low, high, claim)
    return Result(computed=computed, low=low, high=high, verdict=verdict, interval=interval)


def verdict_of(low: float, high: float, claim: Claim) -> str:
    """Return what an interval says of the claim's range; nothing where there is no interval.

    The whole interval inside: supported. All of it outside: contradicted. Otherwise: undecided.
    """
    if claim.low <= low and high <= claim.high:
        return "supported"
    return "contradicted" if high < claim.low or low > claim.high else "undecided"


def too_few(claim: Claim, result: Result) -> bool:
    """Tell whether a sentence about a class or a name rests on fewer than `MINIMUM` cards."""
    return claim.about != CARDS and result.least < MINIMUM


# --- the kinds of test ----------------------------------------------------------------------------


def ratio(claim: Claim, facts: Facts) -> Result:
    """Divide `of` by `to`: card by card where `pair_by` names the specimen, else by group."""
    of, to = (select(facts, claim, key) for key in ("of", "to"))
    by = claim.parameters.get("pair_by", [])
    above, below = unit_figures(claim, "of", of, by), unit_figures(claim, "to", to, by)
    rows = _sided(of=of, to=to)
    if not claim.pairs_cards:
        least = min(above["specimen"].nunique(), below["specimen"].nunique())
        return replace(
            between_groups(above, below, claim, facts.confidence), rows=rows, least=least
        )
    both = _found(claim, "to", ratios(above, below, by))
    summary = claim.parameters.get("summary", "mean")
    if summary == "mean":
        result = on_average(both, claim, facts.confidence)
    else:
        result = each(both, claim, facts.confidence, summary)
        result = replace(result, case=_case(both, result, of, facts))
    least = both["card_other"].nunique()
    return replace(result, rows=_paired(rows, both, by), least=least)


def order(claim: Claim, facts: Facts) -> Result:
    """Compare each figure of a step with each of the next: the steps fall, or rise if `rising`.

    A step leaves out the rows of those before it, so that "X, then all" is X against the others.
    """
    by, own = claim.parameters.get("within", []), claim.parameters["steps"]
    steps: list[pd.DataFrame] = []
    for selection in own:
        rows = select(facts, claim, "steps", selection)
        taken = {figure for step in steps for figure in step["id"]}
        steps.append(_found(claim, "steps", rows[~rows["id"].isin(taken)]))
    units = [unit_figures(claim, "steps", step, by) for step in steps]
    if claim.parameters.get("rising", False):
        units.reverse()
    pairs = [ratios(upper, lower, by) for upper, lower in pairwise(units)]
    both = _found(claim, "steps", pd.concat(pairs, ignore_index=True))
    result = each(both, claim, facts.confidence, claim.parameters.get("summary", "every"))
    rows = _sided(**{f"step {number}": step for number, step in enumerate(steps, start=1)})
    rows = _paired(rows, both, by)
    # A step that names no card is a group of them; "all others" are what is left.
    groups = [
        step["specimen"].nunique()
        for selection, step in zip(own, steps, strict=True)
        if selection and "specimen" not in claim.whole(selection)
    ]
    least = min([rows["specimen"].nunique(), *groups])
    return replace(result, rows=rows, least=least, case=_case(both, result, steps[0], facts))


def bound(claim: Claim, facts: Facts) -> Result:
    """Hold each figure against the range, as it is or as a share of the bus limit."""
    of = select(facts, claim, "of")
    by = columns("place", "quantity", "test", without=("metric",))
    units = unit_figures(claim, "of", of, by)
    share = "share_of" in claim.parameters
    limits = of.groupby(columns("place"))["limit"].first()
    scale = [limits[row.host, row.reader] if share else 1.0 for row in units.itertuples()]
    units = units.assign(ratio=units["value"] / scale)
    result = each(units, claim, facts.confidence, claim.parameters.get("summary", "every"))
    row = units.loc[result.at]
    case = f"{facts.card(row['specimen'])} {facts.place(row['host'], row['reader'])}"
    case += f", {in_digits(row['value'], 'B/s')} MB/s" if share else ""
    unit = "1" if share else _unit(of)
    least = units["specimen"].nunique()
    return replace(result, rows=_sided(of=of), least=least, case=case, unit=unit)


def rating(claim: Claim, facts: Facts) -> Result:
    """Hold each figure against a class's minimum, by the rules of `stats.class_verdicts`.

    What the host may have cost is not held against a card, so a figure below the minimum need not
    be a miss. One miss refutes the claim, and every figure has to pass to support it.
    """
    of = select(facts, claim, "of")
    found = facts.classes[facts.classes["class"] == claim.parameters["rating"]]
    found = found[[not set(ids).isdisjoint(of["id"]) for ids in found["ids"]]]
    found = _found(claim, "rating", found.reset_index(drop=True))
    passed, missed = (found["verdict"] == word for word in ("pass", "fail"))
    decisive = found[missed] if missed.any() else found[~passed] if not passed.all() else found
    row = found.loc[decisive["margin"].idxmin()]
    return Result(
        computed=float(row["margin"]),
        low=float(row["low"] / row["minimum"]),
        high=float(row["high"] / row["minimum"]),
        verdict="contradicted" if missed.any() else "supported" if passed.all() else "undecided",
        interval="one figure",
        clear=(int(passed.sum()), int(missed.sum()), len(found)),
        case=f"{facts.card(row['specimen'])} {facts.place(row['host'], row['reader'])}",
        rows=_sided(of=of[of["id"].isin(found["ids"].explode())]),
        least=found["specimen"].nunique(),
    )


def spread(claim: Claim, facts: Facts) -> Result:
    """Divide the greatest figure by the least, `across` the specimens or another condition."""
    of = select(facts, claim, "of")
    across = claim.parameters.get("across", "specimen")
    units = unit_figures(claim, "of", of, [across])
    cards = units["specimen"].nunique()
    if across != "specimen" and cards > 1:
        raise claim.error("of", f"found several specimens, expected one across {across}")
    most, least = units.loc[[units["value"].idxmax()]], units.loc[[units["value"].idxmin()]]
    both = _found(claim, "of", ratios(most, least, []))
    result = each(both, claim, facts.confidence)
    return replace(result, rows=_sided(of=of), least=cards, case=_case(both, result, of, facts))


def association(claim: Claim, facts: Facts) -> Result:
    """Correlate the ranks of the same cards in two selections (Spearman).

    The interval is Fisher's with the standard error of Fieller, Hartley and Pearson (1957),
    sqrt(1.06 / (n - 3)).
    """
    from scipy.special import ndtri
    from scipy.stats import spearmanr

    of, to = (select(facts, claim, key) for key in ("of", "to"))
    place = columns("place")
    sides = unit_figures(claim, "of", of, place), unit_figures(claim, "to", to, place)
    both = ratios(*sides, ["specimen", *place])
    if len(both) < LEAST_ORDERED:
        expected = f"expected {LEAST_ORDERED} or more"
        raise claim.error("to", f"found {len(both)} common cards, {expected}")
    rho = float(spearmanr(both["value_other"], both["value_base"]).statistic)
    half = ndtri(0.5 + facts.confidence / 2) * math.sqrt(1.06 / (len(both) - 3))
    with np.errstate(divide="ignore"):  # of a perfect order
        low, high = np.tanh(np.arctanh(rho) + np.array([-half, half])).tolist()
    rows = _sided(of=of, to=to)
    return Result(
        rows=rows[rows["specimen"].isin(both["specimen"])],
        least=len(both),
        computed=rho,
        low=low,
        high=high,
        unit="rho",
        verdict=verdict_of(low, high, claim),
        interval="cards",
    )


def untestable(claim: Claim, facts: Facts) -> Result:
    """Make sure that the rows that the claim would need do not exist."""
    found = matching(facts.measurements, claim.parameters["needs"])
    if len(found):
        first = found["id"].iloc[0]
        raise claim.error("needs", f"found {first}: the claim has rows now, expected a test of it")
    return Result(rows=_sided(needs=found), verdict="untestable", interval="none")


TESTS: dict[str, Callable[[Claim, Facts], Result]] = {
    "ratio": ratio,
    "order": order,
    "bound": bound,
    "class": rating,
    "spread": spread,
    "association": association,
    "untestable": untestable,
}


def _paired(rows: pd.DataFrame, both: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the rows that found a partner."""
    keys = list(dict.fromkeys([*CARD, *by]))
    sides = [both.assign(specimen=both[f"card_{side}"])[keys] for side in ("other", "base")]
    partners = pd.concat(sides).drop_duplicates()
    return rows.merge(partners, on=keys, validate="many_to_one")


def _found(claim: Claim, key: str, frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:
        raise claim.error(key, "found no two figures to compare, expected at least one pair")
    return frame


def _sided(**frames: pd.DataFrame) -> pd.DataFrame:
    """Return all rows that were used, and on which side."""
    sides = [frame.assign(side=side) for side, frame in frames.items()]
    return pd.concat(sides, ignore_index=True)


def _case(both: pd.DataFrame, result: Result, rows: pd.DataFrame, facts: Facts) -> str:
    """Name the pair that decided, with its two figures."""
    row, unit = both.loc[result.at], _unit(rows)
    test = f"{plainly(row['op'])}, " if "op" in row else ""
    above, below = (
        in_digits(row[f"value_{side}"], unit) + " MB/s" * (unit == "B/s")
        for side in ("other", "base")
    )
    second = row["card_base"]
    again = "" if row["card_other"] == second else f"{facts.card(second)} "
    return f"{test}{facts.card(row['card_other'])} {above} over {again}{below}"


def _unit(rows: pd.DataFrame) -> str:
    return {"bandwidth": "B/s", "iops": "1/s"}.get(rows["metric"].iloc[0], "1")


def in_digits(value: float, unit: str, digits: int = 2) -> str:
    """Return a figure in so many significant digits, a bandwidth in MB/s, a rho in decimals."""
    value = value / 1e6 if unit == "B/s" else value
    first = 0 if unit == "rho" or value == 0 else math.floor(math.log10(abs(value))) + 1
    return f"{round(value, digits - first):.{max(digits - first, 0)}f}"
