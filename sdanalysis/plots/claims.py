"""Plots of the ledger of claims: how many got which verdict, and what was found against stated."""

import textwrap
from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.marks import describe
from sdanalysis.plots.style import (
    ABOVE,
    AVOID,
    GOOD,
    LABEL,
    REST,
    SMALL,
    finish,
    intervals,
    new_axes,
    notes,
    row_axis,
    say,
)  # fmt: skip

_OUTCOMES = {  # verdict: word, colour, hatch
    "supported": ("hold", GOOD, ""),
    "contradicted": ("are refuted", AVOID, "///"),
    "undecided": ("stay open", REST, "..."),
    "untestable": ("have no figures", "#d6d6d6", ""),
}
_SAID = 5  # sentences that a bar says
_VERDICTS = {  # verdict: its word, colour, marker
    "supported": ("holds", GOOD, "o"),
    "contradicted": ("refuted", AVOID, "s"),
    "undecided": ("open", REST, "^"),
}
_WIDTH = 60  # letters of a line of a sentence
_ALLOWED = "#e9e9e9"


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


def found_against_stated(ledger: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw each ratio that was found, with its interval, over the range that the sentence allows.

    What holds stands first, then what is refuted, then what is open.

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
    ['holds, 7 cards', 'open, 2 cards']
    """
    found, stated = ["computed", "low", "high"], ["stated", "stated_low", "stated_high"]
    require(ledger, ["claim", "verdict", "who", *found, *stated], "claims.ledger")
    order = ledger["verdict"].map(list(_VERDICTS).index)
    rows = ledger.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    names = [textwrap.fill(sentence, _WIDTH) for sentence in rows["claim"]]
    high = sum(1.1 + 0.8 * name.count("\n") for name in names)
    ax = ax or new_axes(width=9.6, rows=high, margin=1)
    ends = rows[["computed", "low", "high", "stated"]].to_numpy(float)
    least, most = np.nanmin(ends) / 1.3, np.nanmax(ends) * 1.3
    left, right = rows["stated_low"].clip(lower=least), rows["stated_high"].clip(upper=most)
    ax.barh(rows.index, right - left, left=left, height=0.8, color=_ALLOWED)
    words = rows["verdict"].map(lambda verdict: _VERDICTS[verdict][0])
    notes(ax, words + ", " + rows["who"].astype(str))
    for verdict in dict.fromkeys(rows["verdict"]):
        here, (word, colour, marker) = rows[rows["verdict"] == verdict], _VERDICTS[verdict]
        style = {"s": 32, "label": word}
        dots = intervals(ax, here, "computed", here.index.to_series(), colour, marker, **style)
        describe(dots, _found(here))
    ax.set_xlim(least, most)
    row_axis(ax, names, "times as fast (log scale; 1 = equal)")
    ax.tick_params(axis="x", labeltop=True)
    handles = [*ax.get_legend_handles_labels()[0], Patch(color=_ALLOWED, label="allowed")]
    ax.legend(
        handles=handles, frameon=False, ncols=4, fontsize=SMALL, **ABOVE | {"borderaxespad": 2}
    )
    return finish(ax, title)


def _found(rows: pd.DataFrame) -> Iterable[str]:
    """Yield what marks say: the sentence, what was found and allowed, and where it stands."""
    for row in rows.itertuples():
        found = f"{in_two_digits(row.computed)} times"
        if not np.isnan(row.low):
            found += f" ({in_two_digits(row.low)} to {in_two_digits(row.high)})"
        low, high = row.stated_low, row.stated_high
        allowed = f"{low:.3g} and more" if np.isinf(high) else f"{low:.3g} to {high:.3g}"
        allowed = f"the sentence allows {allowed if low else f'at most {high:.3g}'}"
        verdict = f"{_VERDICTS[row.verdict][0]}, {row.who}"
        yield "\n".join([row.claim, found, allowed, verdict, f"{row.source}, {row.place}"])


def _sentences(rows: pd.DataFrame, name: str) -> str:
    """Return what a bar says: how many sentences, the first of them, and where each stands."""
    first = [f"{row.claim} ({row.source}, {row.place})" for row in rows.head(_SAID).itertuples()]
    more = [f"and {len(rows) - _SAID} more"] if len(rows) > _SAID else []
    return "\n".join([f"{counted(len(rows), 'sentence')} {name}", *first, *more])
