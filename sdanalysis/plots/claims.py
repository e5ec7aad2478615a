"""Plots of the ledger of claims: how many got which verdict, and what was found against stated."""

import textwrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.axes import COLOURS, entitle, new_axes
from sdanalysis.plots.marks import describe
from sdanalysis.plots.rows import intervals, notes, row_axis

_STYLES = {  # verdict: colour, hatch of its bar, marker
    "supported": (COLOURS[2], "", "o"),
    "contradicted": (COLOURS[3], "///", "s"),
    "undecided": (COLOURS[0], "...", "^"),
    "untestable": (COLOURS[8], "", "D"),
}
_MADE_BY = "claims.ledger"
_ALLOWED = "#e3e3e3"
_BARS = {
    "supported": "hold",
    "contradicted": "are refuted",
    "undecided": "stay open",
    "untestable": "have no figures",
}
_WIDTH = 52  # letters of a line of a sentence
_SAID = 5  # sentences that a bar says
_WORDS = {"supported": "holds", "contradicted": "refuted", "undecided": "open"}


def outcomes(ledger: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw how many sentences hold, are refuted, stay open for which reason, or have no figures.

    Parameters
    ----------
    ledger : DataFrame
        As `claims.ledger` returns it, or some of its rows.
    title : str
        What is seen, from the figures.

    Examples
    --------
    >>> from sdanalysis import claims, load_data, plots
    >>> chosen = [claim for claim in claims.read() if claim.source == "dramble-2017"]
    >>> ax = plots.outcomes(claims.ledger(load_data(), chosen))
    >>> [tick.get_text() for tick in ax.get_yticklabels()][:3]
    ['hold', 'are refuted', 'stay open: cards differ too much']
    """
    require(ledger, ["verdict", "undecided_by"], _MADE_BY)
    causes = ": " + ledger["undecided_by"].astype("str")
    words = ledger["verdict"].map(_BARS) + causes.where(ledger["verdict"] == "undecided", "")
    counts = words.value_counts()
    order = [  # a bar for each reason to stay open, the commonest first; others have one, if of 0
        (verdict, name)
        for verdict, word in _BARS.items()
        for name in [name for name in counts.index if name.startswith(word)] or [word]
    ]
    ax = ax or new_axes(width=7.4, rows=1.6 * len(order), margin=0.9)
    for place, (verdict, name) in enumerate(order):
        colour, hatch, _ = _STYLES[verdict]
        count = int(counts.get(name, 0))
        bars = ax.barh(place, count, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        describe(bars[0], [_sentences(ledger[words == name], name)])
        ax.annotate(str(count), (count, place), (4, 0), textcoords="offset points", va="center")
    ax.set_yticks(range(len(order)), [name for _, name in order])
    ax.invert_yaxis()
    ax.margins(x=0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="sentences", ylabel="")
    ax.spines[["top", "right"]].set_visible(False)
    entitle(ax, title)
    return ax


def found_against_stated(ledger: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw each ratio that was found, with its interval, over the range that the sentence allows.

    Parameters
    ----------
    ledger : DataFrame
        Rows of `claims.ledger` whose `computed` is a ratio (`unit` 1, above 0). Without an interval
        (sides of two laboratories) the mark is hollow.
    title : str
        What is seen, from the figures.

    Examples
    --------
    >>> from sdanalysis import claims, load_data, plots
    >>> chosen = [claim for claim in claims.read() if claim.test == "ratio"]
    >>> ax = plots.found_against_stated(claims.ledger(load_data(), chosen[:2]))
    >>> [text.get_text() for text in ax.texts]  # beside the rows
    ['open, 2 cards', 'holds, 7 cards']
    """
    found, stated = ["computed", "low", "high"], ["stated", "stated_low", "stated_high"]
    require(ledger, ["claim", "verdict", "who", *found, *stated], _MADE_BY)
    names = [textwrap.fill(sentence, _WIDTH) for sentence in ledger["claim"]]
    ax = ax or new_axes(width=9, rows=sum(1.1 + 0.7 * name.count("\n") for name in names), margin=1)
    rows = ledger.reset_index(drop=True)
    ends = rows[["computed", "low", "high", "stated"]].to_numpy(float)
    least, most = np.nanmin(ends) / 1.3, np.nanmax(ends) * 1.3
    for row in rows.itertuples():
        left, right = max(row.stated_low, least), min(row.stated_high, most)
        ax.barh(row.Index, right - left, left=left, height=0.8, color=_ALLOWED)
    texts = [f"{_WORDS[row.verdict]}, {row.who}" for row in rows.itertuples()]
    notes(ax, texts, right=1.01)
    for verdict in sorted(set(rows["verdict"]), key=list(_STYLES).index):
        here, (colour, _, marker) = rows[rows["verdict"] == verdict], _STYLES[verdict]
        style = {"s": 32, "label": _WORDS[verdict]}
        dots = intervals(ax, here, "computed", here.index.to_series(), colour, marker, **style)
        describe(dots, [_found(row) for row in here.itertuples()])
    ax.set_xlim(least, most)
    row_axis(ax, names, "times as fast (log scale; 1 = equal)", fontsize=8)
    handles = [*ax.get_legend_handles_labels()[0], Patch(color=_ALLOWED, label="allowed")]
    ax.legend(handles=handles, frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1, 1))
    entitle(ax, title)
    return ax


def _sentences(rows: pd.DataFrame, name: str) -> str:
    """Return what a bar says: how many sentences, the first of them, and where each stands."""
    first = [f"{row.claim} ({row.source}, {row.place})" for row in rows.head(_SAID).itertuples()]
    more = [f"and {len(rows) - _SAID} more"] if len(rows) > _SAID else []
    return "\n".join([f"{counted(len(rows), 'sentence')} {name}", *first, *more])


def _found(row: Any) -> str:
    """Return what a mark says: the sentence, what was found and allowed, and where it stands."""
    found = f"{in_two_digits(row.computed)} times"
    if not np.isnan(row.low):
        found += f" ({in_two_digits(row.low)} to {in_two_digits(row.high)})"
    low, high = row.stated_low, row.stated_high
    allowed = f"{low:.3g} and more" if np.isinf(high) else f"{low:.3g} to {high:.3g}"
    allowed = f"the sentence allows {allowed if low else f'at most {high:.3g}'}"
    verdict = f"{_WORDS[row.verdict]}, {row.who}"
    return "\n".join([row.claim, found, allowed, verdict, f"{row.source}, {row.place}"])
