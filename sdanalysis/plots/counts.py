"""Plots of how many figures there are and how many are missing."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.codebook.units import counted
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.plots.axes import ABOVE, beside, cell_axes, entitle, kinds, new_axes
from sdanalysis.plots.marks import as_drawn, describe
from sdanalysis.plots.rows import LETTER


def coverage(counts: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw what `stats.coverage` returns: how many cards were measured where, and with which tool.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> counts = stats.coverage(data.measurements, data.hosts)
    >>> ax = plots.coverage(counts)
    >>> len(ax.get_yticks()) == len(counts)
    True
    """
    import seaborn as sns  # here, for it loads all of scipy.stats

    if not all(kind.kind in "iu" for kind in counts.dtypes):
        found = ", ".join(map(str, counts))
        text = f"found the columns {found}, expected counts; stats.coverage makes such frames"
        raise SdAnalysisError(text)
    width = 0.6 * counts.shape[1] + LETTER * 1.2 * counts.index.str.len().max()
    ax = ax or new_axes(width=max(5.0, width), rows=len(counts) * 1.2, margin=0.9)
    sns.heatmap(
        counts.where(counts > 0), mask=counts == 0, annot=counts, fmt="d", annot_kws={"size": 8.5},
        cmap="crest", vmin=0, vmax=max(12, int(counts.to_numpy().max())), cbar=False,
        xticklabels=False, yticklabels=False, linewidths=0.6, linecolor="#dddddd", ax=ax,
    )  # fmt: skip
    said = [
        f"{place}\n{tool}: {counted(counts.loc[place, tool], 'card')}"
        for place in counts.index
        for tool in counts
    ]
    for artist in (describe(ax.collections[0], said), *ax.texts):
        as_drawn(artist)
    cell_axes(ax, counts.index, counts.columns, 8.5)
    ax.set(xlabel="", ylabel="")
    entitle(ax, title)
    return ax


def missing(cells: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw what `stats.missing_cells` returns: a bar a card, by what stands in the cells' place.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> cells = stats.missing_cells(data.measurements, data.media)
    >>> plots.missing(cells).get_xlabel()
    'cells without a number'
    """
    require(cells, ["card", "way", "cells", "ops"], "stats.missing_cells")
    cards = list(dict.fromkeys(cells["card"]))
    ax = ax or new_axes(width=7.4, rows=len(cards) * 1.3, margin=1.3)
    ops = cells.groupby("card")["ops"].agg("; ".join)
    left = np.zeros(len(cards))
    for way, colour, _ in kinds(dict.fromkeys(cells["way"])):
        here = cells[cells["way"] == way].set_index("card")["cells"].reindex(cards, fill_value=0)
        bars = ax.barh(cards, here, left=left, color=colour, label=way)
        for bar, card, count in zip(bars, cards, here, strict=True):
            describe(bar, [f"{card}\n{counted(count, 'cell')} {way}\n{ops[card]}"])
        left += here.to_numpy()
    for place, card in enumerate(cards):
        words = f"{left[place]:.0f}: {ops[card]}"
        beside(ax, words, (left[place], place), (4, 0), ha="left", va="center")
    ax.invert_yaxis()
    ax.set(xlabel="cells without a number", ylabel="")
    ax.set_xlim(0, left.max(initial=1) * 1.5)
    ax.legend(frameon=False, fontsize=8, ncols=1, **ABOVE)
    ax.spines[["top", "right"]].set_visible(False)
    entitle(ax, title)
    return ax
