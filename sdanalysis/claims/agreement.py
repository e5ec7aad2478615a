"""Tests that no interval belongs to: what is printed, counted, recomputed or ordered alike."""

from __future__ import annotations

import math

import pandas as pd

from sdanalysis import stats
from sdanalysis.claims.claim import Claim
from sdanalysis.claims.quantities import ratios, rounding, unit_figures
from sdanalysis.claims.result import Result, verdict_of
from sdanalysis.claims.selection import Facts, matching, select, words_of

LEAST_ORDERED = 4  # specimens below which a rank correlation has no interval


def printed(claim: Claim, facts: Facts) -> Result:
    """Count the rows in which the stated figure is printed, digit by digit."""
    of = select(facts, claim, "of", claim.selection("of"))
    same = of["raw"] == claim.parameters["raw"]
    words = f"{words_of(claim.selection('of'))}: prints {', '.join(sorted(set(of['raw'])))}"
    return _share(claim, of.assign(side="of"), same, words, f"stated {claim.parameters['raw']}")


def equal(claim: Claim, facts: Facts) -> Result:
    """Count the figures of `of` that `to` repeats, within the last digits of both."""
    of, to = (select(facts, claim, key, claim.selection(key)) for key in ("of", "to"))
    by = claim.parameters.get("pair_by", ["specimen"])
    sides = [
        side.assign(slack=side["raw"].map(rounding))[[*by, "id", "value", "slack", "raw"]]
        for side in (of, to)
    ]
    both = sides[0].merge(sides[1], on=by, suffixes=("_of", "_to"), validate="one_to_one")
    if both.empty:
        raise claim.error("to", "found no figure of the same card, expected at least one pair")
    apart = (both["value_of"] / both["value_to"] - 1).abs()
    same = apart <= both["slack_of"] + both["slack_to"]
    unlike = [f"{row.raw_of} against {row.raw_to}" for row in both[~same].itertuples()]
    words = f"({words_of(claim.parameters['of'])}) = ({words_of(claim.parameters['to'])})"
    used = pd.concat([of.assign(side="of"), to.assign(side="to")], ignore_index=True)
    used = used[used["id"].isin([*both["id_of"], *both["id_to"]])]
    differ = f"; differ: {', '.join(unlike)}" if unlike else ""
    return _share(claim, used, same, words + differ, "rounding only")


def recomputed(claim: Claim, facts: Facts) -> Result:
    """Count the printed summaries that follow from the figures beside them."""
    of = select(facts, claim, "of", claim.selection("of"))
    sources = facts.measurements["source"].isin(of["source"])
    made = stats.recomputed(facts.measurements[sources])
    made = made[made["id"].isin(of["id"])]
    step = made["value_high"] - made["value_low"]
    same = (made["computed"] - made["value"]).abs() <= step
    words = f"{words_of(claim.selection('of'))}: made again from the single figures"
    return _share(claim, of.assign(side="of"), same, words, "rounding and cut digits only")


def count(claim: Claim, facts: Facts) -> Result:
    """Count the specimens, or the other words of a column, that the rows name."""
    of = select(facts, claim, "of", claim.selection("of"))
    column = claim.parameters.get("column", "specimen")
    number = of[column].nunique()
    return Result(
        rows=of.assign(side="of"),
        computation=f"number of {column} with {words_of(claim.selection('of'))}",
        computed=float(number),
        low=float(number),
        high=float(number),
        unit="1",
        verdict=verdict_of(number, number, claim),
        interval="exact",
        basis="counted, no noise",
    )


def association(claim: Claim, facts: Facts) -> Result:
    """Correlate the ranks of the same cards in two selections (Spearman).

    The interval is Fisher's with the standard error of Fieller, Hartley and Pearson (1957),
    sqrt(1.06 / (n - 3)).
    """
    of, to = (select(facts, claim, key, claim.selection(key)) for key in ("of", "to"))
    kept = ["host", "reader"]
    sides = unit_figures(claim, "of", of, kept), unit_figures(claim, "to", to, kept)
    both = ratios(*sides, ["specimen", *kept])
    number = len(both)
    if number < LEAST_ORDERED:
        raise claim.error("to", f"found {number} common cards, expected {LEAST_ORDERED} or more")
    rho = float(both["value_1"].rank().corr(both["value_2"].rank()))
    low, high = _fisher(rho, number, facts.confidence)
    used = pd.concat([of.assign(side="of"), to.assign(side="to")], ignore_index=True)
    return Result(
        rows=used[used["specimen"].isin(both["specimen"])],
        computation=f"rank correlation of ({words_of(claim.parameters['of'])}) with "
        f"({words_of(claim.parameters['to'])}), same specimen",
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
        computed=math.nan,
        low=math.nan,
        high=math.nan,
        unit="1",
        verdict="untestable",
        interval="none",
        basis=claim.parameters["reason"],
    )


def _fisher(rho: float, number: int, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    if abs(rho) == 1:
        return rho, rho
    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(1.06 / (number - 3))
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


def _share(claim: Claim, rows: pd.DataFrame, same: pd.Series, words: str, basis: str) -> Result:
    """Return the share of figures that agree: the claim wants all of them."""
    share = float(same.mean())
    return Result(
        rows=rows,
        computation=f"{words}; {int(same.sum())} of {len(same)} agree",
        computed=share,
        low=share,
        high=share,
        unit="1",
        verdict=verdict_of(share, share, claim),
        interval="exact",
        basis=basis,
    )
