"""A ledger -> a table to read: sentence, figures and verdict, wrapped to the page."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape

import pandas as pd

WIDTH = 96  # characters of a line of the text form
_COLUMNS = {"": 4, "claim": 31, "what the rows say": 43, "rows, cards": 8, "verdict": 14}  # %
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
        head = "".join(
            f'<th style="width: {width}%">{name}</th>' for name, width in _COLUMNS.items()
        )
        rows = "".join(
            f"<tr>{''.join(_cell(text) for text in _cells(row))}</tr>"
            for row in self.ledger.assign(number=range(1, len(self.ledger) + 1)).to_dict("records")
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
    UNTESTABLE  geerling-random-matters (captured text line 5; 0 rows, 0 cards)
        For a small computer the speed of random access matters far more than that of large
        transfers.
        untestable: no row has metric time of a workload
        no source timed a workload, so no kind of access can be weighed against another
    """
    return Listing(ledger=ledger)


def _cells(row: dict) -> list[str]:
    note = f"\n{row['note']}" if isinstance(row["note"], str) else ""
    return [
        str(row["number"]),
        f"{row['claim']}\n{row['id']}, {row['place']}",
        f"{row['why']}\n{row['test']}: {row['computation']}{note}",
        f"{row['rows']}, {row['cards']}",
        row["verdict"],
    ]


def _cell(text: str) -> str:
    first, *others = text.split("\n")
    small = "".join(f"<br><small>{escape(other)}</small>" for other in others)
    return f"<td>{escape(first)}{small}</td>"


def _lines(row: dict) -> str:
    note = [row["note"]] if isinstance(row["note"], str) else []
    head = f"{row['verdict'].upper()}  {row['id']} ({row['place']}; {row['rows']} rows, "
    texts = [row["claim"], f"{row['test']}: {row['computation']}", row["why"], *note]
    wrapped = [
        textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
        for text in texts
    ]
    return "\n".join([f"{head}{row['cards']} cards)", *wrapped])
