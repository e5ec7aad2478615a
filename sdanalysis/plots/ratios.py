"""Plots of read/write ratios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sdanalysis.plots.axes import MARKERS, beside, colours, kinds, log_axis, new_axes, rings
from sdanalysis.plots.rows import notes, row_axis, row_names

_EQUAL = "read / write (log scale; 1 = equal)"


def ratios_by_jobs(printed: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw each card's read/write ratio at equal process counts, beside the printed average.

    Parameters
    ----------
    printed : DataFrame
        One row a card, as `stats.printed_beside_matched` returns it: `specimen`, `value` (the
        printed ratio), `raw`, and a column `jobs_<n>` for each process count.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> printed = stats.printed_beside_matched(sdanalysis.load())
    >>> average = (printed["metric"] == "bandwidth") & (printed["stat"] == "mean")
    >>> ax = plots.ratios_by_jobs(printed[average])
    >>> ax.get_ylabel()
    'read / write (log scale)'
    """
    ax = ax or new_axes(width=6.4, rows=16, margin=0.6)
    columns = [name for name in printed if name.startswith("jobs_")]
    counts = [int(name.removeprefix("jobs_")) for name in columns]
    palette = colours(len(printed))
    for row, colour, marker in zip(printed.itertuples(), palette, MARKERS, strict=False):
        values = [getattr(row, name) for name in columns]
        ax.plot(counts, values, marker=marker, color=colour)
        style = {"ha": "left", "color": colour, "fontsize": 8.5}
        beside(ax, row.specimen, (counts[-1], values[-1]), (8, 0), va="center", **style)
        ax.axhline(row.value, color=colour, linestyle=":", linewidth=1.2)
        style |= {"xycoords": ("axes fraction", "data")}
        beside(ax, f"printed {row.raw}", (0.01, row.value), (0, 2), **style)
    ax.set_xscale("log", base=2)
    ax.margins(x=0.3, y=0.12)
    log_axis(ax, "y", "read / write (log scale)")
    ax.xaxis.set_major_locator(FixedLocator(counts))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("readers, and as many writers (processes)")
    sns.despine(ax=ax)
    return ax


def ratio_forest(summary: pd.DataFrame, label: Sequence[str], ax: Axes | None = None) -> Axes:
    """Draw geometric mean and interval of each group, with its number of cards.

    Parameters
    ----------
    summary : DataFrame
        As `stats.ratio_summary` returns it.
    label : sequence of str
        The columns whose words name a row.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> pairs = stats.read_write_pairs(sdanalysis.load())
    >>> summary = stats.ratio_summary(pairs[pairs["access"] == "random"], ["measured_by", "host"])
    >>> ax = plots.ratio_forest(summary, label=["measured_by", "host"])
    >>> ax.get_yticklabels()[0].get_text()
    'arthur, pi-3b'
    """
    ax = ax or new_axes(width=7.4, rows=len(summary) * 1.35, margin=0.9)
    colour = colours(1)[0]
    names = row_names(summary, label)
    places = np.arange(len(summary))
    ax.hlines(places, summary["low"], summary["high"], color=colour, linewidth=2)
    ax.hlines(places, summary["least"], summary["greatest"], color=colour, linewidth=0.8, alpha=0.5)
    decided = summary["low"].notna()
    ax.scatter(summary.loc[decided, "ratio"], places[decided], color=colour, s=34, zorder=3)
    points, style = summary[~decided], {"facecolors": "white", "s": 34, "linewidths": None}
    rings(ax, points["ratio"], places[~decided], colour, "o", **style)
    texts = [f"n = {row.cards}  {row.ratio:.2f}  {row.verdict}" for row in summary.itertuples()]
    notes(ax, texts, fontsize=8.5)
    row_axis(ax, names, _EQUAL, end=None)
    return ax


def ratio_dots(pairs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw every pair: one row a specimen, one marker a host and reader.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.read_write_pairs` returns it.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> pairs = stats.read_write_pairs(sdanalysis.load())
    >>> ax = plots.ratio_dots(pairs[pairs["measured_by"] == "arthur"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['pi-3b, slot (n = 4)', 'pi-4b, slot (n = 4)']
    """
    order = pairs.sort_values(["measured_by", "ratio"], kind="stable")
    specimens = list(dict.fromkeys(order["specimen"]))
    ax = ax or new_axes(width=9, rows=len(specimens), margin=0.9)
    places = {name: place for place, name in enumerate(specimens)}
    groups = dict(list(pairs.groupby(["host", "reader"], sort=True)))
    for place, colour, marker in kinds(list(groups)):
        here = groups[place]
        label = f"{', '.join(place)} (n = {here['specimen'].nunique()})"
        style = {"s": 34, "linewidths": 1.4, "label": label}
        rings(ax, here["ratio"], here["specimen"].map(places), colour, marker, **style)
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    row_axis(ax, specimens, _EQUAL, fontsize=7.5)
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax
