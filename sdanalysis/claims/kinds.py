"""The kinds of test: ratio, order, bound, class, spread, association, and what nobody can test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import pandas as pd

from sdanalysis.claims.claim import Claim
from sdanalysis.claims.quantities import CARD, CONDITIONS, ratios, unit_figures
from sdanalysis.claims.selection import Facts, matching, select, words_of
from sdanalysis.claims.summaries import (
    Result,
    Summary,
    between_groups,
    every,
    in_digits,
    on_average,
    some,
    verdict_of,
)
from sdanalysis.stats.names import plainly
from sdanalysis.stats.same_test import columns
from sdanalysis.toml import Kinds

LEAST_ORDERED = 4  # specimens below which a rank correlation has no interval


def ratio(claim: Claim, facts: Facts) -> Result:
    """Divide `of` by `to`: card by card where `pair_by` names the specimen, else by group."""
    of, to = (select(facts, claim, key, claim.selection(key)) for key in ("of", "to"))
    by = claim.parameters.get("pair_by", [])
    above, below = unit_figures(claim, "of", of, by), unit_figures(claim, "to", to, by)
    words = f"({words_of(claim.parameters['of'])}) / ({words_of(claim.parameters['to'])})"
    rows = _sided(of=of, to=to)
    if "specimen" not in by:
        summary = between_groups(above, below, claim, facts.confidence)
        least = min(above["specimen"].nunique(), below["specimen"].nunique())
        return _result(rows, f"{words}, groups of different cards", summary, least)
    both = _found(claim, "to", ratios(above, below, by))
    words += f", same {' and '.join(by)}"
    least = both["card_other"].nunique()
    if claim.parameters.get("summary", "mean") == "mean":
        summary = on_average(both, claim, facts.confidence)
        return _result(_paired(rows, both, by), words, summary, least)
    summary = _each(claim)(both, claim, facts.confidence)
    case = _case(both, summary, _unit(of), facts)
    return _result(_paired(rows, both, by), words, summary, least, case=case)


def order(claim: Claim, facts: Facts) -> Result:
    """Compare each figure of a step with each of the next: the steps fall, or rise if `rising`.

    A step leaves out the rows of those before it, so that "X, then all" is X against the others.
    """
    by = claim.parameters.get("within", [])
    steps = _steps(claim, facts)
    units = [unit_figures(claim, "steps", step, by) for step in steps]
    frames = {f"step {number}": step for number, step in enumerate(steps, start=1)}
    if claim.parameters.get("rising", False):
        units = units[::-1]
    steps_apart = [ratios(upper, lower, by) for upper, lower in pairwise(units)]
    both = _found(claim, "steps", pd.concat(steps_apart, ignore_index=True))
    summary = _each(claim)(both, claim, facts.confidence)
    within = f" within {' and '.join(by)}" if by else ""
    direction = "rises" if claim.parameters.get("rising", False) else "falls"
    names = " > ".join(words_of(step) or "all others" for step in claim.parameters["steps"])
    rows = _paired(_sided(**frames), both, by)
    # A step that names no card is a group of them; "all others" are what is left.
    asked = zip(claim.parameters["steps"], claim.steps(), steps, strict=True)
    groups = [
        step["specimen"].nunique() for own, whole, step in asked if own and "specimen" not in whole
    ]
    return _result(
        rows,
        f"{names}: {direction}{within}",
        summary,
        min([rows["specimen"].nunique(), *groups]),
        case=_case(both, summary, _unit(steps[0]), facts),
    )


def bound(claim: Claim, facts: Facts) -> Result:
    """Hold each figure against the range, as it is or as a share of the bus limit."""
    of = select(facts, claim, "of", claim.selection("of"))
    by = columns("place", "quantity", "test", without=("metric",))
    units = unit_figures(claim, "of", of, by)
    share = claim.parameters.get("share_of") == "bus"
    limits = of.groupby(columns("place"))["limit"].first()
    scale = [limits[row.host, row.reader] if share else 1.0 for row in units.itertuples()]
    units = units.assign(ratio=units["value"] / scale)
    summary = _each(claim)(units, claim, facts.confidence)
    words = f"{words_of(claim.selection('of'))}{', over the bus limit' if share else ''}"
    row = units.loc[summary.at]
    least, unit = units["specimen"].nunique(), "1" if share else _unit(of)
    case = f"{_card(row['specimen'], facts)} {facts.place(row['host'], row['reader'])}"
    case += f", {in_digits(row['value'], 'B/s')} MB/s" if share else ""
    return _result(_sided(of=of), words, summary, least, case=case, unit=unit)


def rating(claim: Claim, facts: Facts) -> Result:
    """Hold each figure against a class's minimum, by the rules of `stats.class_verdicts`.

    What the host may have cost is not held against a card, so a figure below the minimum need not
    be a miss. One miss refutes the claim, and every figure has to pass to support it.
    """
    of = select(facts, claim, "of", claim.selection("of"))
    rows = facts.classes[facts.classes["class"] == claim.parameters["rating"]]
    rows = rows[[not set(ids).isdisjoint(of["id"]) for ids in rows["ids"]]].reset_index(drop=True)
    rows = _found(claim, "rating", rows.assign(ratio=rows["margin"]))
    passed, missed = (rows["verdict"] == word for word in ("pass", "fail"))
    verdict = "contradicted" if missed.any() else "supported" if passed.all() else "undecided"
    decisive = rows[missed] if missed.any() else rows[~passed] if not passed.all() else rows
    row = rows.loc[decisive["ratio"].idxmin()]
    words = f"{words_of(claim.selection('of'))}, over the minimum of {claim.parameters['rating']}"
    counts = rows["verdict"].value_counts()
    summary = Summary(
        computed=float(row["ratio"]),
        low=float(row["low"] / row["minimum"]),
        high=float(row["high"] / row["minimum"]),
        verdict=verdict,
        interval="one figure",
        basis=f"{', '.join(f'{count} {word}' for word, count in counts.items())}; {row['reason']}",
        at=int(row.name),
        clear=(int(passed.sum()), int(missed.sum()), len(rows)),
    )
    case = f"{_card(row['specimen'], facts)} {facts.place(row['host'], row['reader'])}"
    used = _sided(of=of[of["id"].isin(rows["ids"].explode())])
    return _result(used, words, summary, rows["specimen"].nunique(), case=case)


def spread(claim: Claim, facts: Facts) -> Result:
    """Divide the greatest figure by the least, `across` the specimens or another condition."""
    of = select(facts, claim, "of", claim.selection("of"))
    across = claim.parameters.get("across", "specimen")
    units = unit_figures(claim, "of", of, [across])
    if across != "specimen" and units["specimen"].nunique() > 1:
        raise claim.error("of", f"found several specimens, expected one across {across}")
    most, least = units.loc[[units["value"].idxmax()]], units.loc[[units["value"].idxmin()]]
    both = _found(claim, "of", ratios(most, least, []))
    summary = every(both, claim, facts.confidence)
    words = f"greatest over least of {len(units)}: {words_of(claim.selection('of'))}"
    case = _case(both, summary, _unit(of), facts)
    return _result(_sided(of=of), words, summary, units["specimen"].nunique(), case=case)


def association(claim: Claim, facts: Facts) -> Result:
    """Correlate the ranks of the same cards in two selections (Spearman).

    The interval is Fisher's with the standard error of Fieller, Hartley and Pearson (1957),
    sqrt(1.06 / (n - 3)).
    """
    from scipy.stats import spearmanr

    of, to = (select(facts, claim, key, claim.selection(key)) for key in ("of", "to"))
    kept = columns("place")
    sides = unit_figures(claim, "of", of, kept), unit_figures(claim, "to", to, kept)
    both = ratios(*sides, ["specimen", *kept])
    number = len(both)
    if number < LEAST_ORDERED:
        raise claim.error("to", f"found {number} common cards, expected {LEAST_ORDERED} or more")
    rho = float(spearmanr(both["value_other"], both["value_base"]).statistic)
    low, high = _fisher(rho, number, facts.confidence)
    used = _sided(of=of, to=to)
    return Result(
        rows=used[used["specimen"].isin(both["specimen"])],
        computation=f"rank correlation of ({words_of(claim.parameters['of'])}) with "
        f"({words_of(claim.parameters['to'])}), same specimen",
        least=number,
        computed=rho,
        low=low,
        high=high,
        unit="rho",
        verdict=verdict_of(low, high, claim),
        interval="cards",
        basis=f"Fisher interval over {number} cards",
    )


def untestable(claim: Claim, facts: Facts) -> Result:
    """Make sure that the rows that the claim would need do not exist."""
    needs = claim.parameters["needs"]
    found = facts.measurements[matching(facts.measurements, needs)]
    if len(found):
        first = found["id"].iloc[0]
        raise claim.error("needs", f"found {first}: the claim has rows now, expected a test of it")
    return Result(
        rows=found.assign(side=pd.Series(dtype="str")),
        computation=f"no row has {words_of(needs)}",
        verdict="untestable",
        interval="none",
        basis=claim.parameters["reason"],
    )


def _each(claim: Claim) -> Callable[[pd.DataFrame, Claim, float], Summary]:
    return some if claim.parameters.get("summary") == "some" else every


def _steps(claim: Claim, facts: Facts) -> list[pd.DataFrame]:
    steps: list[pd.DataFrame] = []
    for selection in claim.steps():
        taken = {one for step in steps for one in step["id"]}
        rows = select(facts, claim, "steps", selection)
        steps.append(_found(claim, "steps", rows[~rows["id"].isin(taken)]))
    return steps


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


def _case(both: pd.DataFrame, summary: Summary, unit: str, facts: Facts) -> str:
    """Name the pair that decided, with its two figures."""
    row = both.loc[summary.at]
    test = f"{plainly(row['op'])}, " if "op" in row else ""
    units = " MB/s" if unit == "B/s" else ""
    first, second = (_card(row[f"card_{side}"], facts) for side in ("other", "base"))
    above, below = (f"{in_digits(row[f'value_{side}'], unit)}{units}" for side in ("other", "base"))
    again = "" if row["card_other"] == row["card_base"] else f"{second} "
    return f"{test}{first} {above} over {again}{below}"


def _card(specimen: str, facts: Facts) -> str:
    return facts.cards.get(specimen, specimen)


def _sided(**frames: pd.DataFrame) -> pd.DataFrame:
    """Return all rows that were used, and on which side."""
    sides = [frame.assign(side=side.replace("_", " ")) for side, frame in frames.items()]
    return pd.concat(sides, ignore_index=True)


def _unit(rows: pd.DataFrame) -> str:
    return {"bandwidth": "B/s", "iops": "1/s"}.get(rows["metric"].iloc[0], "1")


def _result(
    rows: pd.DataFrame, words: str, summary: Summary, least: int, *, case: str = "", unit: str = "1"
) -> Result:
    return Result(**vars(summary), rows=rows, computation=words, least=least, case=case, unit=unit)


def _fisher(rho: float, number: int, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    if abs(rho) == 1:
        return rho, rho
    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(1.06 / (number - 3))
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of test: its function, what it asks, and the keys that a claim of it has."""

    test: Callable[[Claim, Facts], Result]
    meaning: str
    required: Kinds
    optional: Kinds = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_KEPT = dict.fromkeys(("pair_by", "within", "across"), ("specimen", *CONDITIONS))
_SUMMARY = {**_KEPT, "summary": ("mean", "every", "some")}
_EACH = {**_KEPT, "summary": ("every", "some")}
KINDS: dict[str, Kind] = {
    "ratio": Kind(
        test=ratio,
        meaning="one selection over another: card by card, or between groups of cards",
        required={"of": dict, "to": dict},
        optional={"pair_by": list[str], "summary": str},
        choices=_SUMMARY,
    ),
    "order": Kind(
        test=order,
        meaning="each figure of a step against each of the next: who is fastest, what falls",
        required={"steps": list[dict]},
        optional={"within": list[str], "rising": bool, "summary": str},
        choices=_EACH,
    ),
    "bound": Kind(
        test=bound,
        meaning="each figure against a limit, or against the share of the bus limit",
        required={"of": dict},
        optional={"share_of": str, "summary": str},
        choices={**_EACH, "share_of": ("bus",)},
    ),
    "class": Kind(
        test=rating,
        meaning="each figure against the minimum of a class, as in notebook 06",
        required={"of": dict, "rating": str},
    ),
    "spread": Kind(
        test=spread,
        meaning="the greatest figure over the least",
        required={"of": dict},
        optional={"across": str},
        choices=_KEPT,
    ),
    "association": Kind(
        test=association,
        meaning="do two selections put the same cards into the same order (Spearman's rho)?",
        required={"of": dict, "to": dict},
    ),
    "untestable": Kind(
        test=untestable,
        meaning="the rows that it would need do not exist",
        required={"needs": dict, "reason": str},
    ),
}
