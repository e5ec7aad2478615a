"""Claims and measurements -> the ledger: one row a claim, with its figures and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from sdanalysis.claims.claim import MEDIA, Claim
from sdanalysis.claims.figures import Facts
from sdanalysis.claims.verdicts import TESTS, VERDICTS, Result, too_few
from sdanalysis.claims.words import (
    CAUSES,
    DOUBTED,
    FEW,
    HOST,
    asked,
    cards_in_words,
    caveats,
    closing,
    found,
)  # fmt: skip
from sdanalysis.dataset import Data
from sdanalysis.errors import DeclarationError
from sdanalysis.stats.classes import class_verdicts
from sdanalysis.stats.fit import figure_errors
from sdanalysis.stats.names import place_names, specimen_names
from sdanalysis.stats.noise import noise_band
from sdanalysis.stats.reasons import doubted
from sdanalysis.stats.same_test import columns


def ledger(data: Data, claims: Sequence[Claim], *, confidence: float = 0.95) -> pd.DataFrame:
    """Test every claim.

    A verdict rests on the figures that nobody doubts. Of a sentence about a class or a name it
    rests on three cards or more; one about the measured cards is judged by the error of a figure:
    that of the test's model, or of repeated runs where the test has none. A verdict that the
    doubted figures would leave undecided, or turn round, is undecided: to leave a figure out
    decides nothing.

    Returns
    -------
    DataFrame
        One row a claim, in their order: `id`, `source`, `place`, `whose` (one of `WHOSE`),
        `claim`, `test`, `asked` and `found` (the words of the test and of its result, for a card
        owner), `verdict` (one of `VERDICTS`), `undecided_by` and `would_close` (words),
        `with_doubted` (the verdict with the doubted figures, where it is another), `rows` and
        `cards` (how many were used), `who` (the cards in words), `computed`, `low`, `high` in
        `unit`, `stated`, `stated_low`, `stated_high` (the range that the sentence allows, missing
        where there is none), `interval` (what it covers, one of `INTERVALS`), `caveats`, `note`.

    Raises
    ------
    DeclarationError
        A selection means no row, mixes conditions, or a claim called untestable has its rows.
    """
    facts = _facts(data, claims, confidence)
    clean = facts.without_doubted()
    return pd.DataFrame([_row(claim, facts, clean) for claim in claims])


def rows(data: Data, claim: Claim) -> pd.DataFrame:
    """Return the measurements that test a claim: the tidy columns, and `side`.

    `sdanalysis explain` takes their `id` back to the printed line.
    """
    facts = _facts(data, [claim], 0.95)
    used = _judged(claim, facts, facts.without_doubted())[0].rows
    return used[["side", *data.measurements.columns]].reset_index(drop=True)


def counts(table: pd.DataFrame, by: str = "source") -> pd.DataFrame:
    """Count the verdicts of a ledger: one row a source (or another column), a column a verdict."""
    verdicts = pd.crosstab(table[by], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    return verdicts.assign(n=verdicts.sum(axis=1)).rename_axis(columns=None).reset_index()


def _facts(data: Data, claims: Sequence[Claim], confidence: float) -> Facts:
    """Join what the tests need: the catalogue's columns, the bus limit and the run noise."""
    place = columns("place")
    media, limits = data.media[["specimen", *MEDIA]], data.hosts[[*place, "limit"]]
    joined = data.measurements.merge(media, on="specimen", how="left", validate="many_to_one")
    joined = joined.merge(limits, on=place, how="left", validate="many_to_one")
    settings = {"errors": figure_errors(data.measurements), "confidence": confidence}
    verdicts = pd.DataFrame()
    if any(claim.test == "class" for claim in claims):  # they take their time
        known = (data.classes, data.media, data.hosts, data.noise)
        verdicts = class_verdicts(data.measurements, *known, **settings)
    return Facts(
        measurements=joined.join(noise_band(joined, data.noise, **settings)),
        classes=verdicts,
        cards=specimen_names(data.media).to_dict(),
        places=place_names(data.hosts).to_dict(),
        confidence=confidence,
    )


def _judged(claim: Claim, facts: Facts, clean: Facts) -> tuple[Result, str | None]:
    """Return what a claim's test found, and why it decides nothing, if it does not."""
    test = TESTS[claim.test]
    result = test(claim, facts)
    if claim.test == "untestable":
        return result, None
    other = verdict = _decision(claim, result)
    if doubted(result.rows).any():
        try:
            result = test(claim, clean)
        except DeclarationError:  # nothing is left, or no pair of it
            return replace(result, verdict="undecided", with_doubted=other), DOUBTED
        verdict = _decision(claim, result)
    agreed = verdict if verdict == other else "undecided"
    judged = replace(result, verdict=agreed, with_doubted=None if other == agreed else other)
    if agreed != "undecided":
        return judged, None
    missed = claim.test == "class" and result.high < claim.low  # by no noise, yet it was no miss
    if verdict != "undecided":
        cause = DOUBTED
    elif too_few(claim, result) and result.interval != "two laboratories":
        cause = FEW
    else:
        cause = HOST if missed else CAUSES[result.interval]
    return judged, cause


def _decision(claim: Claim, result: Result) -> str:
    """Return the verdict of a result, which too few cards do not give."""
    return "undecided" if too_few(claim, result) else result.verdict


def _row(claim: Claim, facts: Facts, clean: Facts) -> dict[str, object]:
    result, cause = _judged(claim, facts, clean)
    ranged = claim.test != "untestable"
    return {
        **{name: getattr(claim, name) for name in ("id", "source", "place", "whose", "claim")},
        "test": claim.test,
        "asked": asked(claim, result, facts),
        "found": found(claim, result),
        "verdict": result.verdict,
        "undecided_by": cause,
        "would_close": closing(claim, result, cause) if cause else None,
        "with_doubted": result.with_doubted,
        "rows": len(result.rows),
        "cards": result.rows["specimen"].nunique(),
        "who": cards_in_words(claim, result) if ranged else None,
        **{name: getattr(result, name) for name in ("computed", "low", "high", "unit")},
        "stated": claim.stated if ranged else None,
        "stated_low": claim.low if ranged else None,
        "stated_high": claim.high if ranged else None,
        "interval": result.interval,
        "caveats": caveats(result) or None,
        "note": claim.note or None,
    }
