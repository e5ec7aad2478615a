"""Rows of logs -> those that have no place among the known cards, with the reason."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from sdanalysis.logs.read import STATUSES
from sdanalysis.my_card import standing

_COLUMNS = ["what", "figures", "why", "at"]
TOO_FAST = "above what the bus can carry: a cache answered, or this was no card in this slot"


def not_compared(
    rows: pd.DataFrame,
    too_fast: pd.DataFrame,
    possible: pd.DataFrame,
    placed: pd.DataFrame,
    known: pd.DataFrame,
    samples: Iterable[tuple[str, int]] = (),
) -> pd.DataFrame:
    """Return what logs hold and what has no place.

    Parameters
    ----------
    rows : DataFrame
        Columns of `logs.COLUMNS`.
    too_fast, possible : DataFrame
        Rows of `standing.card_figures`: above the bus limit, and not.
    placed, known : DataFrame
        As `standing.place` and `standing.known_figures` return them.
    samples
        Tool with operation, and the number of samples of side logs that are not among the rows.

    Returns
    -------
    DataFrame
        `what` (test, or tool and operation), `figures` (their number), `why`, `at` (of the first).
    """
    why = standing.reasons(rows)
    at = standing.printed_at(rows)
    left = rows.assign(why=why, at=at, what=rows["tool"] + " " + rows["op"])[why.notna()]
    grouped = left.groupby(["what", "why"], sort=False).agg(
        figures=("at", "size"), at=("at", "first")
    )
    fast = too_fast.assign(what=too_fast["test"], why=TOO_FAST, figures=too_fast["runs"])
    alone = standing.why_alone(possible, placed, known)
    alone = alone.rename(columns={"test": "what", "runs": "figures"})
    parts = [fast[_COLUMNS], alone[_COLUMNS], grouped.reset_index()[_COLUMNS]]
    return _with_samples(pd.concat(parts, ignore_index=True), samples)


def _with_samples(left: pd.DataFrame, samples: Iterable[tuple[str, int]]) -> pd.DataFrame:
    """Count the samples of side logs that were read and are not among the rows."""
    others: dict[str, int] = {}
    for what, count in samples:
        others[what] = others.get(what, 0) + count
    figures = [
        int(row.figures) + others.get(row.what, 0) * row.why.endswith(STATUSES["sample"])
        for row in left.itertuples()
    ]
    return left.assign(figures=figures)
