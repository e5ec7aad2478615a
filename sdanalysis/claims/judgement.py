"""The ledger: one row a claim, with its figures and its verdict; as a frame, a listing, counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import fill

import pandas as pd

from sdanalysis.claims import words
from sdanalysis.claims.claim import MEDIA, Claim
from sdanalysis.claims.figures import Facts, rounding
from sdanalysis.claims.verdicts import VERDICTS, Result, judge
from sdanalysis.codebook.units import counted
from sdanalysis.dataset import Data
from sdanalysis.errors import DeclarationError
from sdanalysis.stats.classes import class_verdicts
from sdanalysis.stats.fit import figure_errors
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import place_names, specimen_names
from sdanalysis.stats.noise import noise_band
from sdanalysis.stats.reasons import doubted
from sdanalysis.stats.same_test import columns

WIDTH = 96  # characters of a line of the text form
_COLUMNS = {"verdict": 13, "sentence": 27, "its test": 31, "what the figures say": 29}  # %
_TABLE = "table-layout: fixed; width: 100%; min-width: 42rem"
_CELL = "text-align: left; vertical-align: top; white-space: normal; overflow-wrap: break-word"
_STYLE = f"<style>table.dataframe.claims td, table.dataframe.claims th {{{_CELL}}}</style>"


def ledger(data: Data, claims: Sequence[Claim], *, confidence: float = 0.95) -> pd.DataFrame:
    """Test every claim.

    A verdict rests on the figures that nobody doubts. A sentence about a class or a name needs
    three cards or more. One about the measured cards is judged by the error of a figure: from the
    test's model, else from repeated runs. A verdict that the doubted figures would leave undecided,
    or turn round, is undecided: to leave a figure out decides nothing.

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
    facts = gather(data, claims, confidence)
    return pd.DataFrame([_row(claim, facts) for claim in claims])


def rows(data: Data, claim: Claim) -> pd.DataFrame:
    """Return the measurements that test a claim: the tidy columns, and `side`.

    `sdanalysis explain` takes their `id` back to the printed line.
    """
    used = settle(claim, gather(data, [claim]))[0].rows
    return used[["side", *data.measurements.columns]].reset_index(drop=True)


def counts(table: pd.DataFrame, by: str = "source") -> pd.DataFrame:
    """Count the verdicts of a ledger: one row a source (or another column), a column a verdict."""
    verdicts = pd.crosstab(table[by], table["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    return verdicts.assign(n=verdicts.sum(axis=1)).rename_axis(columns=None).reset_index()


def gather(data: Data, claims: Sequence[Claim], confidence: float = 0.95) -> Facts:
    """Join what the tests need: the catalogue's columns, the bus limit and the run noise."""
    place = columns("place")
    media, limits = data.media[["specimen", *MEDIA]], data.hosts[[*place, "limit"]]
    joined = data.measurements.merge(media, on="specimen", how="left", validate="many_to_one")
    joined = joined.merge(limits, on=place, how="left", validate="many_to_one")
    slack = joined["raw"].where(joined["value"].notna()).map(rounding, na_action="ignore")
    settings = {"errors": figure_errors(data.measurements), "confidence": confidence}
    verdicts = pd.DataFrame()
    if any(claim.test == "class" for claim in claims):  # they take their time
        known = (data.classes, data.media, data.hosts, data.noise)
        verdicts = class_verdicts(data.measurements, *known, **settings)
    return Facts(
        measurements=joined.join(noise_band(joined, data.noise, **settings)).assign(slack=slack),
        classes=verdicts,
        cards=specimen_names(data.media).to_dict(),
        places=place_names(data.hosts).to_dict(),
        confidence=confidence,
    )


def settle(claim: Claim, facts: Facts) -> tuple[Result, str | None]:
    """Return what a claim's test finds, and why it decides nothing, if it does not."""
    result = judge(claim, facts)
    if claim.test == "untestable":
        return result, None
    verdict = with_doubted = result.verdict
    if doubted(result.rows).any():
        try:
            result = judge(claim, facts.without_doubted)
        except DeclarationError:  # nothing is left, or no pair of it
            result = replace(result, verdict="undecided", with_doubted=with_doubted)
            return result, words.DOUBTED
        verdict = result.verdict
    if verdict == with_doubted != "undecided":
        return result, None
    other = None if with_doubted == "undecided" else with_doubted
    if verdict != "undecided":
        cause = words.DOUBTED
    elif result.few and result.interval != "two laboratories":
        cause = words.FEW
    elif claim.test == "class" and result.high < claim.low:  # by no noise, yet it was no miss
        cause = words.HOST
    else:
        cause = words.CAUSES[result.interval]
    return replace(result, verdict="undecided", with_doubted=other), cause


def _row(claim: Claim, facts: Facts) -> dict[str, object]:
    result, cause = settle(claim, facts)
    ranged = claim.test != "untestable"
    return {
        "id": claim.id,
        "source": claim.source,
        "place": f"captured text line {claim.line}",
        **{name: getattr(claim, name) for name in ("whose", "claim", "test")},
        "asked": words.question(claim, result, facts),
        "found": words.found(claim, result),
        "verdict": result.verdict,
        "undecided_by": cause,
        "would_close": words.closing(claim, result, cause) if cause else None,
        "with_doubted": result.with_doubted,
        "rows": len(result.rows),
        "cards": result.rows["specimen"].nunique(),
        "who": words.cards_in_words(claim, result) if ranged else None,
        **{name: getattr(result, name) for name in ("computed", "low", "high", "unit")},
        "stated": claim.stated if ranged else None,
        "stated_low": claim.low if ranged else None,
        "stated_high": claim.high if ranged else None,
        "interval": result.interval,
        "caveats": words.caveats(result) or None,
        "note": claim.note or None,
    }


# --- what a reader sees ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Listing:
    """A ledger to read: a class because a notebook asks one object for its HTML and its text."""

    ledger: pd.DataFrame

    def __repr__(self) -> str:
        """Return the ledger as lines of at most `WIDTH` characters."""
        return "\n".join(map(_lines, self.ledger.to_dict("records"))) or "no claim"

    def _repr_html_(self) -> str:
        if self.ledger.empty:
            return "<p>Nothing to show: no sentence came out so.</p>"
        head = "".join(
            f'<th style="width: {width}%">{name}</th>' for name, width in _COLUMNS.items()
        )
        rows = "".join(
            f"<tr>{''.join(map(_cell, _texts(row)))}</tr>" for row in self.ledger.to_dict("records")
        )
        table = f'<table class="dataframe claims" style="{_TABLE}">'
        return f"{_STYLE}{table}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def listing(ledger: pd.DataFrame) -> Listing:
    """Return a ledger, or some rows of one, as what a notebook shows as a table and prints."""
    return Listing(ledger)


def _texts(row: dict) -> list[list[str]]:
    """Return the lines of each cell of `_COLUMNS`; the first says most."""
    other, close, note = row["with_doubted"], row["would_close"], row["note"]
    verdict = [words.outcome(row["verdict"], row["undecided_by"])]
    verdict += [f"with doubted figures: {words.outcome(other)}"] if isinstance(other, str) else []
    found = [row["found"]]
    found += [f"Needs: {close}."] if isinstance(close, str) else []
    found += [note] if isinstance(note, str) else []
    whose = "" if row["whose"] == "article" else f", {row['whose']}"
    place = f"{row['source']}, line {row['place'].rpartition(' ')[2]}{whose}"
    return [verdict, [row["claim"], place], [row["asked"]], found]


def _cell(texts: list[str]) -> str:
    small = "".join(f"<br><small>{escape(text)}</small>" for text in texts[1:])
    return f"<td>{escape(texts[0])}{small}</td>"


def _lines(row: dict) -> str:
    verdict, (claim, place), [question], (found, *below) = _texts(row)
    texts = [f"{claim} ({place})", f"Test: {question}", f"Found: {found}", *below]
    indent = {"initial_indent": "    ", "subsequent_indent": "    "}
    wrapped = [fill(text, WIDTH, **indent) for text in texts]
    return "\n".join([f"{', '.join(verdict).upper()}  {row['id']}", *wrapped])


def ledger_in_words(ledger: pd.DataFrame) -> str:
    """Say how many sentences of the articles hold, are refuted, stay open and why.

    Readers' sentences are counted below, by themselves; ours and bookkeeping are in no count.
    """
    own, readers = (ledger[ledger["whose"] == whose] for whose in ("article", "reader"))
    lines = [_counts_in_words(own, "of the articles")]
    if causes := list(own["undecided_by"].value_counts().items()):
        lines.append(f"Open because: {', '.join(f'{why} ({many})' for why, many in causes)}.")
    lines.append(f"A sentence about a class or a name takes {MINIMUM} cards or more.")
    if len(readers):
        lines += ["", _counts_in_words(readers, "in readers' comments")]
    return "\n".join(lines)


def _counts_in_words(ledger: pd.DataFrame, whose: str) -> str:
    right, wrong, unsure, untestable = ((ledger["verdict"] == name).sum() for name in VERDICTS)
    return (
        f"We checked {counted(len(ledger), 'sentence')} {whose}: {right} clearly right, "
        f"{wrong} clearly wrong, {unsure} open, {untestable} without figures."
    )
