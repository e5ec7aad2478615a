"""Plots of how many figures there are and how many are missing."""

from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.plots.axes import COLOURS, beside, cell_axes, new_axes


def coverage(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw what `stats.coverage` returns: how many figures of a medium on a host with a tool.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> counts = stats.coverage(load(), hosts=["pi-3b", "pi-4b"])
    >>> ax = plots.coverage(counts)
    >>> len(ax.get_yticks()) == len(counts)
    True
    """
    import seaborn as sns  # here, for it loads all of scipy.stats

    ax = ax or new_axes(width=2.6 + 0.33 * counts.shape[1], rows=len(counts), margin=2.2)
    sns.heatmap(
        counts.where(counts > 0), mask=counts == 0, annot=counts, fmt="d", annot_kws={"size": 7},
        cmap="crest", vmin=0, vmax=max(12, int(counts.to_numpy().max())), cbar=False,
        linewidths=0.6, linecolor="#dddddd", ax=ax,
    )  # fmt: skip
    cell_axes(ax, counts.index, counts.columns, 7.5, rotation=90)
    hosts = [name.partition(", ")[0] for name in counts.columns]
    for place, (left, right) in enumerate(pairwise(hosts), 1):
        if left != right:
            ax.axvline(place, color="#555555", linewidth=0.9)
    ax.set(xlabel="", ylabel="")
    return ax


def missing(counts: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw, of `stats.status_counts`, the cells without a value, by the way they are missing.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> plots.missing(stats.status_counts(load())).get_xlabel()
    'cells without a value'
    """
    ways = [way for way in ("not_measured", "did_not_finish", "word") if way in counts]
    incomplete = counts[counts[ways].sum(axis=1) > 0]
    ax = ax or new_axes(width=7, rows=len(incomplete), margin=1.1)
    left = np.zeros(len(incomplete))
    names = incomplete["source"] + ", " + incomplete["op"]
    for way, colour in zip(ways, COLOURS, strict=False):
        ax.barh(names, incomplete[way], left=left, color=colour, label=way.replace("_", " "))
        left += incomplete[way].to_numpy()
    totals = incomplete[ways].sum(axis=1) + incomplete["measured"]
    for place, (end, total) in enumerate(zip(left, totals, strict=True)):
        beside(ax, f"of {total}", (end, place), (4, 0), ha="left", va="center")
    ax.invert_yaxis()
    ax.set(xlabel="cells without a value", ylabel="")
    ax.margins(x=0.12)
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
