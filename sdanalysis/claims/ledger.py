"""Claims and measurements -> the ledger: one row a claim, with its figures and its verdict."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis import stats
from sdanalysis.claims.claim import Claim
from sdanalysis.claims.kinds import KINDS
from sdanalysis.claims.selection import MEDIA, Facts
from sdanalysis.claims.summaries import VERDICTS, Result, figure, range_words
from sdanalysis.dataset import Data
from sdanalysis.stats.noise import BOUND
from sdanalysis.stats.same_test import columns

_DOUBTS = ("suspicious", "corrected", "inferred-host", "inferred-tool", "inferred-op")
COLUMNS = [
    *("id", "source", "place", "claim", "test", "rows", "cards", "computation"),
    *("computed", "low", "high", "unit", "stated", "stated_low", "stated_high"),
    *("interval", "verdict", "why", "note"),
]


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
        One row a claim, in their order: `id`, `source`, `place`, `claim`, `test`, `rows` and
        `cards` (how many were used), `computation` (words), `computed`, `low`, `high` in `unit`,
        `stated`, `stated_low`, `stated_high` (the range that the sentence allows, missing where
        there is none), `interval` (what it covers, one of `INTERVALS`), `verdict` (one of
        `VERDICTS`), `why`, `note`.

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
    0      1.48   NaN   NaN         1.6         2.00  undecided
    1      1.09  1.03  1.15         0.0         1.25  supported
    """
    facts = _facts(data, confidence)
    found = [_row(claim, KINDS[claim.test].test(claim, facts)) for claim in claims]
    return pd.DataFrame(found, columns=COLUMNS)


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
    used = KINDS[claim.test].test(claim, _facts(data, 0.95)).rows
    return used[["side", *data.measurements.columns]].reset_index(drop=True)


def counts(table: pd.DataFrame, by: str = "source") -> pd.DataFrame:
    """Count the verdicts of a ledger: one row a source (or test), a column a verdict, and `n`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> sources = ("dramble-2017", "kulesz-2017")
    >>> chosen = [claim for claim in claims.read() if claim.source in sources]
    >>> claims.counts(claims.ledger(sdanalysis.load_data(), chosen))
             source  supported  contradicted  undecided  untestable   n
    0  dramble-2017          3             2          5           2  12
    1   kulesz-2017          1             0          7           3  11
    """
    verdicts = pd.crosstab(table[by], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    return verdicts.assign(n=verdicts.sum(axis=1)).rename_axis(columns=None).reset_index()


def _facts(data: Data, confidence: float) -> Facts:
    """Join what the tests need: the catalogue's columns, the bus limit and the run noise."""
    media = data.media[["specimen", *MEDIA]]
    place = columns("place")
    limits = data.hosts[[*place, "limit"]]
    joined = data.measurements.merge(media, on="specimen", how="left", validate="many_to_one")
    joined = joined.merge(limits, on=place, how="left", validate="many_to_one")
    test = columns("tool", "op", "block_size")  # what noise is known by
    tests = joined[test].drop_duplicates()
    bands = tests.join(stats.noise_band(tests, data.noise, confidence=confidence))
    joined = joined.merge(bands, on=test, how="left", validate="many_to_one")
    return Facts(measurements=joined, confidence=confidence)


def _row(claim: Claim, result: Result) -> dict[str, object]:
    ranged = result.verdict != "untestable"
    said = {name: getattr(claim, name) for name in ("id", "source", "place", "claim", "test")}
    names = ("computation", "computed", "low", "high", "unit", "interval", "verdict")
    return {
        **said,
        **{name: getattr(result, name) for name in names},
        "rows": len(result.rows),
        "cards": result.rows["specimen"].nunique(),
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
    ends = [figure(end, result.unit) for end in (result.computed, result.low, result.high)]
    single = result.low == result.high
    found = ends[0] if single else f"{ends[0]} ({ends[1]} to {ends[2]})"
    if pd.isna(result.low):
        found = f"{ends[0]} (no interval)"
    wanted = range_words(claim, result.unit)
    bound = result.interval == "run noise" and (result.rows["noise_kind"] == BOUND).any()
    basis = f"{result.basis}; the noise is that of another test" if bound else result.basis
    remarks = " ".join(result.rows["remarks"].dropna()).split()
    doubts = [f"{remarks.count(remark)} {remark}" for remark in _DOUBTS if remark in remarks]
    doubt = f"; of {len(result.rows)} figures {', '.join(doubts)}" if doubts else ""
    return f"{found}, wanted {claim.word}: {wanted}; {basis}{doubt}"
