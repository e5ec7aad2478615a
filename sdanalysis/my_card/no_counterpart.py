"""Figures of a card that no source can be compared with -> the reason for each."""

from __future__ import annotations

import pandas as pd

from sdanalysis.my_card.same_test import KINDRED_BLOCK, KINDRED_OPS, kindred

_UNKNOWN_CACHE = (
    "with direct=1 it could be placed beside iozone's figures, but the log does not say whether "
    "the page cache was by-passed: fio --output-format=json prints it"
)


def why_alone(figures: pd.DataFrame, placed: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return the figures that have no place: `test`, `value` (B/s), `runs`, `why`, `at`.

    Parameters
    ----------
    figures, placed, known : DataFrame
        As `card_figures`, `place` and `known_figures` return them.
    """
    rows = []
    related = set(kindred(figures).index)
    for index, figure in zip(figures.index, figures.itertuples(), strict=True):
        if figure.test in set(placed["test"]) or index in related:
            continue
        row = {"test": figure.test, "value": figure.value, "runs": figure.runs}
        rows.append({**row, "why": _why(figure, known), "at": figure.at})
    return pd.DataFrame(rows, columns=["test", "value", "runs", "why", "at"])


def _why(figure: tuple, known: pd.DataFrame) -> str:
    same = known[(known["tool"] == figure.tool) & (known["op"] == figure.op)]
    tests = sorted(set(same["test"]))
    if not tests:
        return f"no source measured memory cards so ({figure.tool}, {figure.op})"
    why = f"no source ran exactly this; with this tool and operation they ran: {'; '.join(tests)}"
    single = figure.iodepth == 1 and figure.numjobs == 1 and figure.block_size == KINDRED_BLOCK
    if figure.tool == "fio" and figure.op in KINDRED_OPS and single and pd.notna(figure.assumed):
        why += f"; {_UNKNOWN_CACHE}"
    return why
