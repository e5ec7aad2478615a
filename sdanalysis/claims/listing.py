"""A ledger -> a table to read: sentence, figures and verdict, wrapped to the page."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

import pandas as pd

from sdanalysis.claims.plain import outcome

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
            f"<tr>{''.join(_cell(text) for text in _cells(row))}</tr>"
            for row in self.ledger.to_dict("records")
        )
        table = f'<table class="dataframe claims" style="{_TABLE}">'
        return f"{_STYLE}{table}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def listing(ledger: pd.DataFrame) -> Listing:
    """Return a ledger as an object that a notebook shows as a table, and prints as wrapped text.

    Parameters
    ----------
    ledger : DataFrame
        As `claims.ledger` returns it, or some of its rows.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims
    >>> chosen = [one for one in claims.read() if one.id == "geerling-random-matters"]
    >>> claims.listing(claims.ledger(sdanalysis.load_data(), chosen))
    NO FIGURES FOR IT  geerling-random-matters
        For a small computer the speed of random access matters far more than that of large
        transfers. (geerling-2019, line 5)
        Test: None: no source timed a workload, so no kind of access can be weighed against another.
        Found: Nothing: there are no such figures.
    """
    return Listing(ledger=ledger)


def _cells(row: dict) -> list[str]:
    below = "".join(f"\n{text}" for text in _below(row))
    return [
        _verdict(row),
        f"{row['claim']}\n{_place(row)}",
        row["asked"],
        f"{row['found']}{below}",
    ]


def _below(row: dict) -> list[str]:
    """Return what stands below what was found: what would close an open sentence, and the note."""
    close = row["would_close"]
    closing = [f"Needs: {close}."] if isinstance(close, str) else []
    return closing + ([row["note"]] if isinstance(row["note"], str) else [])


def _place(row: dict) -> str:
    """Say where a sentence stands, and whose it is if not the article's."""
    whose = "" if row["whose"] == "article" else f", {row['whose']}"
    return f"{row['source']}, line {row['place'].rpartition(' ')[2]}{whose}"


def _verdict(row: dict) -> str:
    other = row["with_doubted"]
    beside = f"\nwith doubted figures: {outcome(other)}" if isinstance(other, str) else ""
    return f"{outcome(row['verdict'], row['undecided_by'])}{beside}"


def _cell(text: str) -> str:
    first, *others = text.split("\n")
    small = "".join(f"<br><small>{escape(other)}</small>" for other in others)
    return f"<td>{escape(first)}{small}</td>"


def _lines(row: dict) -> str:
    texts = [
        f"{row['claim']} ({_place(row)})",
        f"Test: {row['asked']}",
        f"Found: {row['found']}",
        *_below(row),
    ]
    wrapped = [
        textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
        for text in texts
    ]
    head = ", ".join(_verdict(row).split("\n"))
    return "\n".join([f"{head.upper()}  {row['id']}", *wrapped])
