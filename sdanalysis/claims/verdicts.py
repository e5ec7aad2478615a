"""A claim and the facts -> what its test found: one figure with its interval, and the verdict.

A kind of test chooses rows and makes figures of them. All kinds share the comparison with the range
that the sentence's word allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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
from sdanalysis.stats.intervals import (
    MINIMUM,
    compare_groups,
    geometric_interval,
    geometric_mean,
)
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
    counts the figures that are clearly in the claim's range, those clearly outside, and all.
    `accident`: one would be outside, had it been tested alone. `rows` are the measurements with the
    column `side`. `least` is the number of cards in the claim's smallest group; `few`: they decide
    nothing. `with_doubted` is the verdict with the doubted figures, where it is another.
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
    few: bool = False
    with_doubted: str | None = None


def judge(claim: Claim, facts: Facts) -> Result:
    """Return what a claim's test finds: undecided for a class or a name on too few cards."""
    result = TESTS[claim.test](claim, facts)
    few = claim.about != CARDS and result.least < MINIMUM and claim.test != "untestable"
    return replace(result, few=True, verdict="undecided") if few else result


# --- figures against the range of a claim ---------------------------------------------------------


def each(figures: pd.DataFrame, claim: Claim, confidence: float, summary: str = "every") -> Result:
    """Tell whether every figure (`ratio`, with its error) lies in the claim's range, or some does.

    One outside refutes "every", one inside supports "some": that one has to stand out among the m,
    at 1 - (1 - confidence) / m, which is Bonferroni's. For the other verdict each is asked alone.
    The worst figure is shown, of "some" the best.
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


def _mean(
    claim: Claim, mean: pd.DataFrame, over_cards: Mapping[str, object], confidence: float
) -> Result:
    """Return a mean: over the measured cards with their figures' error, else with that of cards.

    Of fewer than `MINIMUM` cards in a group `over_cards` has no interval: there are only points.
    """
    if claim.about == CARDS:
        return replace(each(mean, claim, confidence), at=None, clear=None)
    computed, low, high = (float(over_cards[name]) for name in ("ratio", "low", "high"))
    interval = "points" if math.isnan(low) else "cards"
    verdict = _verdict(low, high, claim)
    return Result(computed=computed, low=low, high=high, verdict=verdict, interval=interval)


def _verdict(low: float, high: float, claim: Claim) -> str:
    """Return what an interval says of the claim's range; nothing where there is no interval."""
    if claim.low <= low and high <= claim.high:
        return "supported"
    return "contradicted" if high < claim.low or low > claim.high else "undecided"


# --- the kinds of test ----------------------------------------------------------------------------


def ratio(claim: Claim, facts: Facts) -> Result:
    """Divide `of` by `to`: card by card where `pair_by` names the specimen, else by group.

    The mean over pairs has the t interval over cards, that of groups Welch's, as in
    `stats.compare_groups`. Groups of different laboratories decide nothing.
    """
    of, to = (select(facts, claim, key) for key in ("of", "to"))
    by = claim.parameters.get("pair_by", [])
    above, below = unit_figures(claim, "of", of, by), unit_figures(claim, "to", to, by)
    rows = _sided(of=of, to=to)
    if claim.pairs_cards:
        both = _not_empty(claim, "to", ratios(above, below, by))
        summary = claim.parameters.get("summary", "mean")
        if summary != "mean":
            return _each_pair(claim, facts, both, of, _paired(rows, both, by), summary)
        cards = both.groupby("card_other")["ratio"].agg(geometric_mean)
        interval = geometric_interval(cards, confidence=facts.confidence)
        result = _mean(claim, mean_figure(both, "ratio"), interval, facts.confidence)
        return replace(result, rows=_paired(rows, both, by), least=both["card_other"].nunique())
    figures = pd.concat([above.assign(side="above"), below.assign(side="below")])
    groups = compare_groups(figures, "side", "below", "above", confidence=facts.confidence)
    mean = groups.iloc[0]
    if figures["measured_by"].nunique() > 1:
        computed = float(mean["ratio"])
        result = Result(computed=computed, verdict="undecided", interval="two laboratories")
    else:
        result = _mean(claim, ratio_of_means(above, below), mean, facts.confidence)
    least = min(above["specimen"].nunique(), below["specimen"].nunique())
    return replace(result, rows=rows, least=least)


def order(claim: Claim, facts: Facts) -> Result:
    """Compare each figure of a step with each of the next: the steps fall, or rise if `rising`.

    A step leaves out the rows of those before it, so that "X, then all" is X against the others.
    """
    by, own = claim.parameters.get("within", []), claim.parameters["steps"]
    steps: list[pd.DataFrame] = []
    for selection in own:
        rows = select(facts, claim, "steps", selection)
        ids = {figure for step in steps for figure in step["id"]}
        steps.append(_not_empty(claim, "steps", rows[~rows["id"].isin(ids)]))
    units = [unit_figures(claim, "steps", step, by) for step in steps]
    if claim.parameters.get("rising", False):
        units.reverse()
    pairs = [ratios(upper, lower, by) for upper, lower in pairwise(units)]
    both = _not_empty(claim, "steps", pd.concat(pairs, ignore_index=True))
    rows = _sided(**{f"step {number}": step for number, step in enumerate(steps, start=1)})
    rows = _paired(rows, both, by)
    # A step that names no card is a group of them; "all others" are what is left.
    groups = [
        step["specimen"].nunique()
        for selection, step in zip(own, steps, strict=True)
        if selection and "specimen" not in claim.whole(selection)
    ]
    least = min([rows["specimen"].nunique(), *groups])
    summary = claim.parameters.get("summary", "every")
    return replace(_each_pair(claim, facts, both, steps[0], rows, summary), least=least)


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
    rated = facts.classes[facts.classes["class"] == claim.parameters["rating"]]
    rated = rated[[not set(ids).isdisjoint(of["id"]) for ids in rated["ids"]]]
    rated = _not_empty(claim, "rating", rated.reset_index(drop=True))
    passed, missed = (rated["verdict"] == word for word in ("pass", "fail"))
    decisive = rated[missed] if missed.any() else rated[~passed] if not passed.all() else rated
    row = rated.loc[decisive["margin"].idxmin()]
    return Result(
        computed=float(row["margin"]),
        low=float(row["low"] / row["minimum"]),
        high=float(row["high"] / row["minimum"]),
        verdict="contradicted" if missed.any() else "supported" if passed.all() else "undecided",
        interval="one figure",
        clear=(int(passed.sum()), int(missed.sum()), len(rated)),
        case=f"{facts.card(row['specimen'])} {facts.place(row['host'], row['reader'])}",
        rows=_sided(of=of[of["id"].isin(rated["ids"].explode())]),
        least=rated["specimen"].nunique(),
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
    both = _not_empty(claim, "of", ratios(most, least, []))
    return replace(_each_pair(claim, facts, both, of, _sided(of=of), "every"), least=cards)


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
        verdict=_verdict(low, high, claim),
        interval="cards",
    )


def untestable(claim: Claim, facts: Facts) -> Result:
    """Make sure that the rows that the claim would need do not exist."""
    rows = matching(facts, claim.parameters["needs"])
    if len(rows):
        first = rows["id"].iloc[0]
        raise claim.error("needs", f"found {first}: the claim has rows now, expected a test of it")
    return Result(rows=_sided(needs=rows), verdict="untestable", interval="none")


TESTS: dict[str, Callable[[Claim, Facts], Result]] = {
    "ratio": ratio,
    "order": order,
    "bound": bound,
    "class": rating,
    "spread": spread,
    "association": association,
    "untestable": untestable,
}


def _each_pair(
    claim: Claim,
    facts: Facts,
    both: pd.DataFrame,
    of: pd.DataFrame,
    rows: pd.DataFrame,
    summary: str,
) -> Result:
    """Return what `each` says of pairs; `case` names the one that decided, with its figures."""
    result = each(both, claim, facts.confidence, summary)
    row, unit = both.loc[result.at], _unit(of)
    test = f"{plainly(row['op'])}, " if "op" in row else ""
    above, below = (
        in_digits(row[f"value_{side}"], unit) + " MB/s" * (unit == "B/s")
        for side in ("other", "base")
    )
    second = row["card_base"]
    again = "" if row["card_other"] == second else f"{facts.card(second)} "
    case = f"{test}{facts.card(row['card_other'])} {above} over {again}{below}"
    return replace(result, rows=rows, case=case, least=both["card_other"].nunique())


def _paired(rows: pd.DataFrame, both: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the rows that found a partner."""
    keys = list(dict.fromkeys([*CARD, *by]))
    sides = [both.assign(specimen=both[f"card_{side}"])[keys] for side in ("other", "base")]
    partners = pd.concat(sides).drop_duplicates()
    return rows.merge(partners, on=keys, validate="many_to_one")


def _not_empty(claim: Claim, key: str, frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:
        raise claim.error(key, "found no two figures to compare, expected at least one pair")
    return frame


def _sided(**frames: pd.DataFrame) -> pd.DataFrame:
    """Return all rows that were used, and on which side."""
    sides = [frame.assign(side=side) for side, frame in frames.items()]
    return pd.concat(sides, ignore_index=True)


def _unit(rows: pd.DataFrame) -> str:
    return {"bandwidth": "B/s", "iops": "1/s"}.get(rows["metric"].iloc[0], "1")


def in_digits(value: float, unit: str, digits: int = 2) -> str:
    """Return a figure in so many significant digits, a bandwidth in MB/s, a rho in decimals."""
    value = value / 1e6 if unit == "B/s" else value
    first = 0 if unit == "rho" or value == 0 else math.floor(math.log10(abs(value))) + 1
    return f"{round(value, digits - first):.{max(digits - first, 0)}f}"
