"""Plots of how many figures there are and how many are missing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from sdanalysis.plots.axes import beside, colours, new_axes


def coverage(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw how many figures each medium (row) has on each host with each tool (column).

    Parameters
    ----------
    counts : DataFrame
        As `stats.coverage` returns it.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> counts = stats.coverage(sdanalysis.load(), hosts=["pi-3b", "pi-4b"])
    >>> ax = plots.coverage(counts)
    >>> len(ax.get_yticks()) == len(counts)
    True
    """
    ax = ax or new_axes(width=2.6 + 0.33 * counts.shape[1], rows=len(counts), margin=2.2)
    sns.heatmap(
        counts.where(counts > 0),
        annot=counts,
        fmt="d",
        mask=counts == 0,
        cmap="crest",
        vmin=0,
        vmax=max(12, int(counts.to_numpy().max())),
        cbar=False,
        linewidths=0.6,
        linecolor="#dddddd",
        annot_kws={"size": 7},
        ax=ax,
    )
    ax.set_yticks(np.arange(len(counts)) + 0.5, list(counts.index), fontsize=7.5)
    ax.set_xticks(np.arange(counts.shape[1]) + 0.5, list(counts.columns), fontsize=7.5, rotation=90)
    ax.xaxis.tick_top()
    hosts = [name.partition(", ")[0] for name in counts.columns]
    for place, (left, right) in enumerate(pairwise(hosts), 1):
        if left != right:
            ax.axvline(place, color="#555555", linewidth=0.9)
    ax.tick_params(length=0)
    ax.set(xlabel="", ylabel="")
    return ax


def missing(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the cells without a value of each source and op, by the way they are missing.

    Parameters
    ----------
    counts : DataFrame
        As `stats.status_counts` returns it.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> ax = plots.missing(stats.status_counts(sdanalysis.load()))
    >>> ax.get_xlabel()
    'cells without a value'
    """
    ways = [way for way in ("not_measured", "did_not_finish", "word") if way in counts]
    incomplete = counts[counts[ways].sum(axis=1) > 0]
    ax = ax or new_axes(width=7, rows=len(incomplete), margin=1.1)
    left = np.zeros(len(incomplete))
    names = incomplete["source"] + ", " + incomplete["op"]
    for way, colour in zip(ways, colours(len(ways)), strict=True):
        ax.barh(names, incomplete[way], left=left, color=colour, label=way.replace("_", " "))
        left += incomplete[way].to_numpy()
    totals = incomplete[ways].sum(axis=1) + incomplete["measured"]
    for place, (end, total) in enumerate(zip(left, totals, strict=True)):
        beside(ax, f"of {total}", (end, place), (4, 0), ha="left", va="center")
    ax.invert_yaxis()
    ax.set(xlabel="cells without a value", ylabel="")
    ax.margins(x=0.12)
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    sns.despine(ax=ax)
    return ax
