"""Claims and measurements -> the ledger: one row a claim, with its figures and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from sdanalysis import stats
from sdanalysis.claims.claim import Claim
from sdanalysis.claims.kinds import KINDS
from sdanalysis.claims.plain import asked, cards_in_words, closing, found
from sdanalysis.claims.selection import MEDIA, Facts
from sdanalysis.claims.summaries import VERDICTS, Result, figure_with_ends, range_words, too_few
from sdanalysis.dataset import Data
from sdanalysis.errors import DeclarationError
from sdanalysis.stats.noise import BOUND, MODEL
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import doubted

_DOUBTS = ("suspicious", "corrected", "inferred-host", "inferred-tool", "inferred-op")
COLUMNS = [
    *("id", "source", "place", "whose", "claim", "test", "asked", "found"),
    *("verdict", "undecided_by", "would_close", "with_doubted"),
    *("rows", "cards", "who", "computation"),
    *("computed", "low", "high", "unit", "stated", "stated_low", "stated_high"),
    *("interval", "why", "note"),
]
FEW, DOUBTED = "too few cards", "hangs on a doubted figure"
# Why a claim is undecided, by what its interval covers.
_CAUSES = {
    "one figure": "within the error of the figures",
    "cards": "cards differ too much",
    "two laboratories": "measured by different people",
    "points": FEW,
}
_HOST = "the computer may be to blame"


def ledger(data: Data, claims: Sequence[Claim], *, confidence: float = 0.95) -> pd.DataFrame:
    """Test every claim.

    Parameters
    ----------
    data : Data
        As `sdanalysis.load_data` returns it, the table whole: a selection without rows is an error.
    claims : sequence of Claim
        As `read` returns them.
    confidence : float
        Of every interval.

    Returns
    -------
    DataFrame
        One row a claim, in their order: `id`, `source`, `place`, `whose` (one of `WHOSE`),
        `claim`, `test`, `asked` and `found` (the words of the test and of its result, for a card
        owner), `verdict` (one of `VERDICTS`), `undecided_by` and `would_close` (words),
        `with_doubted` (the verdict with the doubted figures, where it is another), `rows` and
        `cards` (how many were used),
        `who` (the cards in words),
        `computation` (words), `computed`, `low`, `high` in `unit`, `stated`, `stated_low`,
        `stated_high` (the range that the sentence allows, missing where there is none), `interval`
        (what it covers, one of `INTERVALS`), `why`, `note`.

    A verdict rests on the figures that nobody doubts. Of a sentence about a class or a name it
    rests on three cards or more; one about the measured cards is judged by the error of a figure:
    that of the test's model, or of repeated runs where the test has none. A verdict that the
    doubted figures would leave undecided, or turn round, is undecided: to leave a figure out
    decides nothing.

    Raises
    ------
    DeclarationError
        A selection means no row, mixes conditions, or a claim called untestable has its rows.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> chosen = [claim for claim in claims.read() if claim.test == "ratio"]
    >>> ledger = claims.ledger(sdanalysis.load_data(), chosen)
    >>> ledger[["computed", "low", "high", "stated_low", "stated_high", "verdict"]].head(2).round(2)
       computed   low  high  stated_low  stated_high    verdict
    0      1.48  1.18  1.85         1.6         2.00  undecided
    1      1.09  1.03  1.16         0.0         1.25  supported
    """
    facts = _facts(data, claims, confidence)
    clean = facts.without_doubted()
    return pd.DataFrame([_row(claim, facts, clean) for claim in claims], columns=COLUMNS)


def rows(data: Data, claim: Claim) -> pd.DataFrame:
    """Return the measurements that test a claim: the tidy columns, and `side`.

    `sdanalysis explain` takes their `id` back to the printed line.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> claim = next(one for one in claims.read() if one.id == "geerling-a2-no-better-reading")
    >>> used = claims.rows(sdanalysis.load_data(), claim)
    >>> used[["side", "specimen", "value"]]
         side                              specimen       value
    0  step 1  geerling/sandisk-extreme-pro-a1-32gb  10055680.0
    1  step 2      geerling/sandisk-extreme-a2-64gb   7526400.0
    2  step 2     geerling/lexar-professional-128gb   9881600.0
    """
    facts = _facts(data, [claim], 0.95)
    used = _judged(claim, facts, facts.without_doubted())[0].rows
    return used[["side", *data.measurements.columns]].reset_index(drop=True)


def counts(table: pd.DataFrame, by: str = "source") -> pd.DataFrame:
    """Count the verdicts of a ledger: one row a source (or another column), a column a verdict.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> sources = ("dramble-2017", "kulesz-2017")
    >>> chosen = [claim for claim in claims.read() if claim.source in sources]
    >>> claims.counts(claims.ledger(sdanalysis.load_data(), chosen))
             source  supported  contradicted  undecided  untestable   n
    0  dramble-2017          4             3          3           2  12
    1   kulesz-2017          3             0          5           3  11
    """
    verdicts = pd.crosstab(table[by], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    return verdicts.assign(n=verdicts.sum(axis=1)).rename_axis(columns=None).reset_index()


def _facts(data: Data, claims: Sequence[Claim], confidence: float) -> Facts:
    """Join what the tests need: the catalogue's columns, the bus limit and the run noise.

    The verdicts on classes, which take their time, only where a claim asks for them.
    """
    media = data.media[["specimen", *MEDIA]]
    place = columns("place")
    limits = data.hosts[[*place, "limit"]]
    joined = data.measurements.merge(media, on="specimen", how="left", validate="many_to_one")
    joined = joined.merge(limits, on=place, how="left", validate="many_to_one")
    errors = stats.figure_errors(data.measurements)
    bands = stats.noise_band(joined, data.noise, errors=errors, confidence=confidence)
    joined = joined.join(bands)
    verdicts = pd.DataFrame()
    if any(claim.test == "class" for claim in claims):
        known = (data.classes, data.media, data.hosts, data.noise)
        verdicts = stats.class_verdicts(
            data.measurements, *known, errors=errors, confidence=confidence
        )
    return Facts(
        measurements=joined,
        classes=verdicts,
        cards=stats.specimen_names(data.media).to_dict(),
        places=stats.place_names(data.hosts).to_dict(),
        confidence=confidence,
    )


def _judged(claim: Claim, facts: Facts, clean: Facts) -> tuple[Result, str | None]:
    """Return what a claim's test found, and why it decides nothing, if it does not."""
    test = KINDS[claim.test].test
    whole = test(claim, facts)
    if claim.test == "untestable":
        return whole, None
    result, other = whole, _decision(claim, whole)
    if doubted(whole.rows).any():
        try:
            result = test(claim, clean)
        except DeclarationError:  # nothing is left, or no pair of it
            return replace(whole, verdict="undecided", with_doubted=other), DOUBTED
    verdict = _decision(claim, result)
    agreed = verdict if verdict == other else "undecided"
    shown = None if other == agreed else other
    if agreed != "undecided":
        return replace(result, verdict=agreed, with_doubted=shown), None
    return replace(result, verdict=agreed, with_doubted=shown), _cause(claim, result, verdict)


def _cause(claim: Claim, result: Result, verdict: str) -> str:
    """Say why a claim is undecided."""
    if verdict != "undecided":
        return DOUBTED
    if too_few(claim, result) and result.interval != "two laboratories":
        return FEW
    missed = claim.test == "class" and result.high < claim.low  # by no noise, yet it was no miss
    return _HOST if missed else _CAUSES[result.interval]


def _decision(claim: Claim, result: Result) -> str:
    """Return the verdict of a result, which too few cards do not give."""
    return "undecided" if too_few(claim, result) else result.verdict


def _row(claim: Claim, facts: Facts, clean: Facts) -> dict[str, object]:
    result, cause = _judged(claim, facts, clean)
    ranged = result.verdict != "untestable"
    said = {name: getattr(claim, name) for name in ("id", "source", "place", "whose", "claim")}
    names = ("computation", "computed", "low", "high", "unit", "interval", "verdict")
    return {
        **said,
        **{name: getattr(result, name) for name in (*names, "with_doubted")},
        "test": claim.test,
        "asked": asked(claim, result, facts),
        "found": found(claim, result),
        "undecided_by": cause,
        "would_close": closing(claim, result, cause) if cause else None,
        "rows": len(result.rows),
        "cards": result.rows["specimen"].nunique(),
        "who": cards_in_words(claim, result) if ranged else None,
        "stated": claim.stated if ranged else None,
        "stated_low": claim.low if ranged else None,
        "stated_high": claim.high if ranged else None,
        "why": _why(claim, result),
        "note": claim.note or None,
    }


def _why(claim: Claim, result: Result) -> str:
    """Say what was found, what the sentence allows, what the interval covers, and doubts."""
    if result.verdict == "untestable":
        return result.basis
    number = figure_with_ends(result)
    if pd.isna(result.low):
        number = f"{number} (no interval)"
    wanted = range_words(claim, result.unit)
    basis = result.basis
    if result.interval == "one figure":
        kinds = set(result.rows["noise_kind"].dropna())
        basis += "; the error is the model's" if kinds == {MODEL} else ""
        basis += "; the noise is that of another test" if BOUND in kinds else ""
    remarks = " ".join(result.rows["remarks"].dropna()).split()
    doubts = [f"{remarks.count(remark)} {remark}" for remark in _DOUBTS if remark in remarks]
    doubt = f"; of {len(result.rows)} figures {', '.join(doubts)}" if doubts else ""
    few = too_few(claim, result) and result.interval == "one figure"
    basis += f"; fewer than {stats.MINIMUM} cards decide nothing" if few else ""
    decided = f"; decided by {result.case}" if result.case else ""
    return f"{number}, wanted {claim.word}: {wanted}; {basis}{decided}{doubt}"
