"""Plots of bars: the cards of a board, the cells that hold no number, how sentences came out."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from sdanalysis.codebook.units import counted
from sdanalysis.errors import require
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.style import (
    AVOID,
    GOOD,
    INK,
    LABEL,
    REST,
    SERIES,
    finish,
    name_rows,
    new_axes,
    notes,
    rings,
    say,
)  # fmt: skip

_GAP = 0.6  # of a bar, between two groups
_COLOURS = {"take": GOOD, "avoid": AVOID}
_OUTCOMES = {  # verdict: word, colour, hatch
    "supported": ("hold", GOOD, ""),
    "contradicted": ("are refuted", AVOID, "///"),
    "undecided": ("stay open", REST, "..."),
    "untestable": ("have no figures", "#d6d6d6", ""),
}
_LISTED = 5  # sentences that a bar says


def speed_bars(
    figures: pd.DataFrame, label: str, ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Draw a bar a card, the fastest on top, with the line on which another run could end.

    The frame is as of `stats.shown_figures`, the label what the figures are, without the unit.
    """
    needed = ["card", "people", "value", "low", "high", "group", "mark"]
    require(figures, needed, "stats.shown_figures")
    rows = figures.reset_index(drop=True)
    rows[["value", "low", "high"]] /= 1e6
    groups = rows["group"].fillna("").ne(rows["group"].fillna("").shift()).cumsum() - 1
    y = rows.index + _GAP * groups
    ax = ax or new_axes(width=8.2, rows=1.32 * (len(rows) + _GAP * groups.max()), margin=0.9)
    colours = rows["mark"].map(_COLOURS).fillna(REST)
    ax.barh(y, rows["value"], height=0.62, color=colours, zorder=2)
    known = rows["low"].notna()
    ax.hlines(y[known], rows["low"][known], rows["high"][known], color=INK, lw=1.2, zorder=3)
    marks = [f"{number(row.value)} MB/s, {row.people}" for row in rows.itertuples()]
    dots = rings(ax, rows["value"], y, INK, "o", facecolors=INK, s=14, zorder=4)
    describe(dots, titles(rows, marks))
    twice = rows["card"].str.casefold().duplicated(keep=False)
    names = rows["card"].mask(twice, rows["card"] + ", " + rows["people"])
    name_rows(ax, names, y)
    values = rows["value"].map(lambda value: f"{value:#.3g}".rstrip("."))
    texts = (values + "  " + rows["mark"]).str.rstrip()
    notes(ax, texts, y, rows["mark"].map(_COLOURS).fillna(INK))
    ax.set_ylim(y.max() + 0.6, -0.6)
    ax.set_xlim(0)
    ax.set_xlabel(f"{label}, MB/s (10^6 B/s)")
    return finish(ax, title)


def missing(cells: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw what `stats.missing_cells` returns: a bar a card, by what stands in the cells' place."""
    require(cells, ["card", "way", "cells", "ops"], "stats.missing_cells")
    cards = list(dict.fromkeys(cells["card"]))
    ax = ax or new_axes(width=7.4, rows=len(cards) * 1.3, margin=1.3)
    ops = cells.groupby("card")["ops"].agg("; ".join)
    left = np.zeros(len(cards))
    for way, colour in zip(dict.fromkeys(cells["way"]), SERIES, strict=False):
        counts = cells[cells["way"] == way].set_index("card")["cells"].reindex(cards, fill_value=0)
        bars = ax.barh(range(len(cards)), counts, left=left, height=0.62, color=colour, label=way)
        for bar, card, count in zip(bars, cards, counts, strict=True):
            describe(bar, [f"{card}\n{counted(count, 'cell')} {way}\n{ops[card]}"] * (count > 0))
        left += counts.to_numpy()
    for place, card in enumerate(cards):
        words = f"{left[place]:.0f}: {ops[card]}"
        say(ax, words, (left[place], place), (4, 0), ha="left", va="center")
    ax.set_yticks(range(len(cards)), cards, fontsize=LABEL)
    ax.invert_yaxis()
    ax.set(xlabel="cells without a number", xlim=(0, left.max(initial=1) * 1.6))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(ax, title, legend=1)


def outcomes(ledger: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw how many sentences hold, are refuted, stay open for which reason, or have no figures.

    The ledger is as `claims.ledger` returns it, or some of its rows.
    """
    require(ledger, ["verdict", "undecided_by"], "claims.ledger")
    causes = ": " + ledger["undecided_by"].astype("str")
    verdicts = ledger["verdict"].map({name: word for name, (word, *_) in _OUTCOMES.items()})
    words = verdicts + causes.where(ledger["verdict"] == "undecided", "")
    counts = words.value_counts()
    order = [  # a bar for each reason to stay open, the commonest first; others have one, if of 0
        (name, *style)
        for word, *style in _OUTCOMES.values()
        for name in [name for name in counts.index if name.startswith(word)] or [word]
    ]
    ax = ax or new_axes(width=8.2, rows=1.6 * len(order), margin=0.9)
    for place, (name, colour, hatch) in enumerate(order):
        count = int(counts.get(name, 0))
        style = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        [bar] = ax.barh(place, count, height=0.7, **style)
        describe(bar, [_sentences(ledger[words == name], name)])
        say(ax, str(count), (count, place), (4, 0), ha="left", va="center")
    ax.set_yticks(range(len(order)), [name for name, *_ in order], fontsize=LABEL)
    ax.invert_yaxis()
    ax.margins(x=0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("sentences")
    return finish(ax, title)


def _sentences(rows: pd.DataFrame, name: str) -> str:
    """Return what a bar says: how many sentences, the first of them, and where each stands."""
    first = [f"{row.claim} ({row.source}, {row.place})" for row in rows.head(_LISTED).itertuples()]
    more = [f"and {len(rows) - _LISTED} more"] if len(rows) > _LISTED else []
    return "\n".join([f"{counted(len(rows), 'sentence')} {name}", *first, *more])
