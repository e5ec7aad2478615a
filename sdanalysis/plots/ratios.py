"""Plots of read/write ratios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sdanalysis.plots.axes import MARKERS, colours, log_axis, new_axes
from sdanalysis.plots.labels import row_names


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
        ax.annotate(
            row.specimen,
            (counts[-1], values[-1]),
            xytext=(8, 0),
            color=colour,
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
        ax.axhline(row.value, color=colour, linestyle=":", linewidth=1.2)
        ax.annotate(
            f"printed {row.raw}",
            (0.01, row.value),
            xytext=(0, 2),
            color=colour,
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="bottom",
            fontsize=8.5,
        )
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
    ax.scatter(
        summary.loc[~decided, "ratio"],
        places[~decided],
        facecolors="white",
        edgecolors=[colour],
        s=34,
        zorder=3,
    )
    ax.set_yticks(places, names, fontsize=8.5)
    for place, row in zip(places, summary.itertuples(), strict=True):
        ax.annotate(
            f"n = {row.cards}  {row.ratio:.2f}  {row.verdict}",
            (1.02, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
        )
    ax.invert_yaxis()
    ax.axvline(1, color="black", linewidth=0.8)
    log_axis(ax, "x", "read / write (log scale; 1 = equal)")
    sns.despine(ax=ax, left=True)
    ax.tick_params(axis="y", length=0)
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
    groups = list(pairs.groupby(["host", "reader"], sort=True))
    palette = colours(len(groups))
    for index, ((host, reader), here) in enumerate(groups):
        ax.scatter(
            here["ratio"],
            here["specimen"].map(places),
            facecolors="none",
            edgecolors=[palette[index]],
            marker=MARKERS[index % len(MARKERS)],
            s=34,
            linewidths=1.4,
            zorder=3,
            label=f"{host}, {reader} (n = {here['specimen'].nunique()})",
        )
    ax.set_yticks(range(len(specimens)), specimens, fontsize=7.5)
    ax.set_ylim(len(specimens) - 0.4, -0.6)
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    ax.axvline(1, color="black", linewidth=0.8)
    log_axis(ax, "x", "read / write (log scale; 1 = equal)")
    ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
    sns.despine(ax=ax, left=True)
    ax.tick_params(axis="y", length=0)
    return ax
