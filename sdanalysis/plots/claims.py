"""Plots of the ledger of claims: how many got which verdict, and what was found against stated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from sdanalysis.plots.axes import MARKERS, colours, log_axis, new_axes

VERDICTS = ("supported", "contradicted", "undecided", "untestable")
_HATCHES = ("", "///", "...", "")


def verdicts(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw how many claims of each source got which verdict, as bars with their numbers.

    Parameters
    ----------
    counts : DataFrame
        As `claims.counts` returns it: a first column of names, a column a verdict, and `n`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import claims, plots
    >>> chosen = [claim for claim in claims.read() if claim.source == "dramble-2017"]
    >>> ax = plots.verdicts(claims.counts(claims.ledger(sdanalysis.load_data(), chosen)))
    >>> [text.get_text() for text in ax.texts]  # in the bar, part by part
    ['5', '2', '4', '2']
    """
    ax = ax or new_axes(width=7.4, rows=2.2 * len(counts), margin=1.1)
    names = counts.iloc[:, 0] + " (n = " + counts["n"].astype(str) + ")"
    left = np.zeros(len(counts))
    for verdict, colour, hatch in zip(VERDICTS, _palette(), _HATCHES, strict=True):
        widths = counts[verdict].to_numpy()
        ax.barh(
            names,
            widths,
            left=left,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0,
            label=verdict,
        )
        for place, (start, width) in enumerate(zip(left, widths, strict=True)):
            if width:
                box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
                at = start + width / 2, place
                ax.text(*at, str(width), ha="center", va="center", fontsize=8.5, bbox=box)
        left += widths
    ax.invert_yaxis()
    ax.set(xlabel="claims", ylabel="")
    ax.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    sns.despine(ax=ax)
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
    >>> import sdanalysis
    >>> from sdanalysis import claims, plots
    >>> chosen = [claim for claim in sdanalysis.load_claims() if claim.test == "ratio"]
    >>> ax = plots.found_against_stated(claims.ledger(sdanalysis.load_data(), chosen[:2]))
    >>> [text.get_text() for text in ax.texts]  # beside the rows
    ['n = 2  undecided', 'n = 7  supported']
    """
    ax = ax or new_axes(width=7.8, rows=1.1 * len(ledger) + 1.5, margin=0.9)
    rows = ledger.reset_index(drop=True)
    ends = rows[["computed", "low", "high", "stated"]].to_numpy(float)
    least, most = np.nanmin(ends) / 1.3, np.nanmax(ends) * 1.3
    for place, row in rows.iterrows():
        allowed = max(row["stated_low"], least), min(row["stated_high"], most)
        ax.barh(place, allowed[1] - allowed[0], left=allowed[0], height=0.8, color="#e3e3e3")
        text = f"n = {row['cards']}  {row['verdict']}"
        ax.annotate(
            text, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=8
        )
    for verdict, colour, marker in zip(VERDICTS[:3], _palette(), MARKERS, strict=False):
        _marks(ax, rows[rows["verdict"] == verdict], verdict, colour, marker)
    ax.set_yticks(range(len(rows)), rows["id"], fontsize=8)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(least, most)
    ax.axvline(1, color="black", linewidth=0.8)
    log_axis(ax, "x", "ratio that was found (log scale; 1 = equal); n = cards")
    handles = [*ax.get_legend_handles_labels()[0], Patch(color="#e3e3e3", label="allowed")]
    ax.legend(handles=handles, frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1, 1))
    sns.despine(ax=ax, left=True)
    ax.tick_params(axis="y", length=0)
    return ax


def _marks(ax: Axes, rows: pd.DataFrame, verdict: str, colour: tuple, marker: str) -> None:
    """Draw the ratios of one verdict at the rows' places, hollow where there is no interval."""
    if rows.empty:
        return
    known = rows[rows["low"].notna()]
    ax.hlines(known.index, known["low"], known["high"], color=colour, linewidth=2, zorder=2)
    faces = ["white" if hollow else colour for hollow in rows["low"].isna()]
    ax.scatter(
        rows["computed"],
        rows.index,
        c=faces,
        edgecolors=[colour],
        marker=marker,
        s=32,
        zorder=3,
        label=verdict,
    )


def _palette() -> list[tuple[float, float, float]]:
    blue, _, green, vermilion, *_ = colours(8)
    return [green, vermilion, blue, colours(9)[8]]
