"""Plots of pairs as lines from one side to the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from sdanalysis.plots.axes import ABOVE, colours, log_axis, new_axes, widen
from sdanalysis.plots.labels import label_right
from sdanalysis.plots.pairs import STYLES
from sdanalysis.plots.rows import LETTER, row_names

_UNITS = {"bandwidth": ("MB/s (10^6 B/s", 1e6), "iops": ("operations per second (1/s", 1.0)}


def pair_slopes(
    pairs: pd.DataFrame,
    label: Sequence[str],
    *,
    sides: tuple[str, str] = ("base", "other"),
    ax: Axes | None = None,
) -> Axes:
    """Draw each pair as a line from the value of its base to that of the other side.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.contrast_pairs` or `stats.vintage_pairs` returns it, of one metric.
    label : sequence of str
        The columns whose words stand right of a line, before its ratio.
    sides : (str, str)
        The names of the two ends.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> places = ["kulesz-workstation/cr0015", "kulesz-workstation/cr0034a"]
    >>> pairs = stats.contrast_pairs(sdanalysis.load(), "reader", levels=places)
    >>> ax = plots.pair_slopes(pairs, ["specimen", "op"], sides=("USB 2.0", "USB 3.0"))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['USB 2.0', 'USB 3.0']
    """
    names = row_names(pairs, label)
    width = 5.4 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=max(14, len(pairs) * 0.8), margin=1.0)
    name, size = _UNITS[pairs["metric"].iloc[0]]
    palette = colours(len(STYLES) + 1)
    shades = [palette[STYLES[kind][3]] for kind in pairs["kind"]]
    _draw_lines(ax, pairs, size)
    ax.set_xlim(-0.12, 1.06)
    ax.margins(y=0.06)
    widen(ax, "y", 3.0)
    ax.legend(frameon=False, fontsize=8, ncols=3, **ABOVE)
    log_axis(ax, "y", f"{name}, log scale)")
    ax.xaxis.set_major_locator(FixedLocator([0, 1]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(sides, fontsize=9)
    sns.despine(ax=ax)
    texts = [
        f"{words}  ×{row.ratio:.2f}" for words, row in zip(names, pairs.itertuples(), strict=True)
    ]
    label_right(ax, list(pairs["value_other"] / size), texts, shades)
    return ax


def _draw_lines(ax: Axes, pairs: pd.DataFrame, size: float) -> None:
    palette = colours(len(STYLES) + 1)
    for kind, (marker, filled, line, place) in STYLES.items():
        here = pairs[pairs["kind"] == kind]
        ends = np.array([here["value_base"], here["value_other"]]) / size
        style = {"color": palette[place], "linestyle": line, "linewidth": 1.5, "marker": marker}
        inside = palette[place] if filled else "white"
        for drawn in ax.plot([0, 1], ends, markerfacecolor=inside, **style)[:1]:
            drawn.set_label(f"{kind} (n = {len(here)})")
