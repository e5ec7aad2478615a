"""A ledger -> what a reader sees: a table of sentences and verdicts, and how many hold."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import fill

import pandas as pd

from sdanalysis.claims.verdicts import VERDICTS
from sdanalysis.claims.words import outcome
from sdanalysis.codebook.units import counted
from sdanalysis.stats.intervals import MINIMUM

WIDTH = 96  # characters of a line of the text form
_COLUMNS = {"verdict": 13, "sentence": 27, "its test": 31, "what the figures say": 29}  # %
_TABLE = "table-layout: fixed; width: 100%; min-width: 42rem"
_CELL = "text-align: left; vertical-align: top; white-space: normal; overflow-wrap: break-word"
_STYLE = f"<style>table.dataframe.claims td, table.dataframe.claims th {{{_CELL}}}</style>"


@dataclass(frozen=True, kw_only=True)
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
    return Listing(ledger=ledger)


def _texts(row: dict) -> list[list[str]]:
    """Return the lines of each cell of `_COLUMNS`; the first says most."""
    other, close, note = row["with_doubted"], row["would_close"], row["note"]
    verdict = [outcome(row["verdict"], row["undecided_by"])]
    verdict += [f"with doubted figures: {outcome(other)}"] if isinstance(other, str) else []
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
    verdict, (claim, place), [asked], (found, *below) = _texts(row)
    texts = [f"{claim} ({place})", f"Test: {asked}", f"Found: {found}", *below]
    indent = {"initial_indent": "    ", "subsequent_indent": "    "}
    wrapped = [fill(text, WIDTH, **indent) for text in texts]
    return "\n".join([f"{', '.join(verdict).upper()}  {row['id']}", *wrapped])


def ledger_in_words(ledger: pd.DataFrame) -> str:
    """Say how many sentences of the articles hold, are refuted, stay open and why.

    Readers' sentences are counted below, by themselves; ours and bookkeeping are in no count.
    """
    own = ledger[ledger["whose"] == "article"]
    lines = [_counts_in_words(own, "of the articles")]
    if causes := list(own["undecided_by"].value_counts().items()):
        lines.append(f"Open because: {', '.join(f'{why} ({many})' for why, many in causes)}.")
    lines.append(f"A sentence about a class or a name takes {MINIMUM} cards or more.")
    readers = ledger[ledger["whose"] == "reader"]
    if len(readers):
        lines += ["", _counts_in_words(readers, "in readers' comments")]
    return "\n".join(lines)


def _counts_in_words(ledger: pd.DataFrame, whose: str) -> str:
    counts = ledger["verdict"].value_counts()
    right, wrong, unsure, untestable = (int(counts.get(name, 0)) for name in VERDICTS)
    return (
        f"We checked {counted(len(ledger), 'sentence')} {whose}: {right} clearly right, "
        f"{wrong} clearly wrong, {unsure} open, {untestable} without figures."
    )
