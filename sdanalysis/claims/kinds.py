"""The kinds of test by name: the keys that each wants, and its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sdanalysis.claims import comparisons
from sdanalysis.claims.claim import Claim
from sdanalysis.claims.quantities import CONDITIONS
from sdanalysis.claims.result import Result
from sdanalysis.claims.selection import Facts
from sdanalysis.toml import Kinds


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
        test=comparisons.ratio,
        meaning="one selection over another: card by card, or between groups of cards",
        required={"of": dict, "to": dict},
        optional={"pair_by": list[str], "summary": str},
        choices=_SUMMARY,
    ),
    "order": Kind(
        test=comparisons.order,
        meaning="each figure of a step against each of the next: who is fastest, what falls",
        required={"steps": list[dict]},
        optional={"within": list[str], "rising": bool, "summary": str},
        choices=_EACH,
    ),
    "bound": Kind(
        test=comparisons.bound,
        meaning="each figure against a limit, or against the share of the bus limit",
        required={"of": dict},
        optional={"share_of": str, "summary": str},
        choices={**_EACH, "share_of": ("bus",)},
    ),
    "spread": Kind(
        test=comparisons.spread,
        meaning="the greatest figure over the least",
        required={"of": dict},
        optional={"across": str},
        choices=_KEPT,
    ),
    "association": Kind(
        test=comparisons.association,
        meaning="do two selections put the same cards into the same order (Spearman's rho)?",
        required={"of": dict, "to": dict},
    ),
    "untestable": Kind(
        test=comparisons.untestable,
        meaning="the rows that it would need do not exist",
        required={"needs": dict, "reason": str},
    ),
}
