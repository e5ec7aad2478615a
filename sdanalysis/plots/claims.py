"""Plots of the ledger of claims: how many got which verdict, and what was found against stated."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from sdanalysis.plots.axes import COLOURS, new_axes
from sdanalysis.plots.rows import intervals, notes, row_axis

_STYLES = {  # verdict: colour, hatch of its bar, marker
    "supported": (COLOURS[2], "", "o"),
    "contradicted": (COLOURS[3], "///", "s"),
    "undecided": (COLOURS[0], "...", "^"),
    "untestable": (COLOURS[8], "", "D"),
}
_ALLOWED = "#e3e3e3"


def verdicts(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what `claims.counts` returns: how many claims of a source got which verdict.

    The first column names the bars, and a column a verdict their parts, in this order.

    Examples
    --------
    >>> from sdanalysis import claims, load_data, plots
    >>> chosen = [claim for claim in claims.read() if claim.source == "dramble-2017"]
    >>> ax = plots.verdicts(claims.counts(claims.ledger(load_data(), chosen)))
    >>> [text.get_text() for text in ax.texts]  # in the bar, part by part
    ['3', '2', '5', '2']
    """
    ax = ax or new_axes(width=7.4, rows=2.2 * len(counts), margin=1.1)
    names = counts.iloc[:, 0] + " (n = " + counts["n"].astype(str) + ")"
    left = np.zeros(len(counts))
    for verdict in counts.columns.drop("n")[1:]:
        widths = counts[verdict].to_numpy()
        style = {"color": _STYLES[verdict][0], "hatch": _STYLES[verdict][1], "label": verdict}
        ax.barh(names, widths, left=left, edgecolor="white", linewidth=0, **style)
        for place in np.flatnonzero(widths):
            at, count = (left[place] + widths[place] / 2, place), str(widths[place])
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
            ax.text(*at, count, ha="center", va="center", fontsize=8.5, bbox=box)
        left += widths
    ax.invert_yaxis()
    ax.set(xlabel="claims", ylabel="")
    ax.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def found_against_stated(ledger: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw each ratio that was found, with its interval, over the range that the sentence allows.

    Parameters
    ----------
    ledger : DataFrame
        Rows of `claims.ledger` whose `computed` is a ratio (`unit` 1, above 0). Without an interval
        (sides of two laboratories) the mark is hollow.

    Examples
    --------
    >>> from sdanalysis import claims, load_data, plots
    >>> chosen = [claim for claim in claims.read() if claim.test == "ratio"]
    >>> ax = plots.found_against_stated(claims.ledger(load_data(), chosen[:2]))
    >>> [text.get_text() for text in ax.texts]  # beside the rows
    ['n = 2  undecided', 'n = 7  supported']
    """
    ax = ax or new_axes(width=7.8, rows=1.1 * len(ledger) + 1.5, margin=0.9)
    rows = ledger.reset_index(drop=True)
    ends = rows[["computed", "low", "high", "stated"]].to_numpy(float)
    least, most = np.nanmin(ends) / 1.3, np.nanmax(ends) * 1.3
    for row in rows.itertuples():
        left, right = max(row.stated_low, least), min(row.stated_high, most)
        ax.barh(row.Index, right - left, left=left, height=0.8, color=_ALLOWED)
    notes(ax, "n = " + rows["cards"].astype(str) + "  " + rows["verdict"], right=1.01)
    for verdict in sorted(set(rows["verdict"]), key=list(_STYLES).index):
        here, (colour, _, marker) = rows[rows["verdict"] == verdict], _STYLES[verdict]
        intervals(ax, here, "computed", here.index.to_series(), colour, marker, s=32, label=verdict)
    ax.set_xlim(least, most)
    row_axis(ax, rows["id"], "ratio that was found (log scale; 1 = equal); n = cards", fontsize=8)
    handles = [*ax.get_legend_handles_labels()[0], Patch(color=_ALLOWED, label="allowed")]
    ax.legend(handles=handles, frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1, 1))
    return ax
