"""Plots of reads against writes: a dot a measurement, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from sdanalysis.plots.axes import beside, kinds, log_axis, new_axes


def read_against_write(
    points: pd.DataFrame,
    ratio: float | Sequence[float],
    ax: Axes | None = None,
    *,
    classes: pd.DataFrame | None = None,
    hue: str = "tool",
) -> Axes:
    """Draw reads against writes, with the diagonals of some ratios and the corners of classes.

    Parameters
    ----------
    points : DataFrame
        Columns `read` and `write`, both in B/s, and that of `hue`.
    ratio : float or sequence of float
        The read/write ratios whose diagonals are drawn.
    classes : DataFrame, optional
        Columns `class`, `randread` and `randwrite` (4 KiB, B/s): a card above and to the right
        of the corner reaches both minimums.
    hue : str
        The column that colour and marker stand for.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import plots, stats
    >>> jobs = stats.mixed_ratios(sdanalysis.load())
    >>> points = jobs.assign(read=jobs["read"] * 4096, write=jobs["write"] * 4096)  # B/s
    >>> ax = plots.read_against_write(points, ratio=3)
    >>> ax.get_xlabel()
    'random 4 KiB write, MB/s (10^6 B/s, log scale)'
    """
    ax = ax or new_axes(width=5.6, rows=20, margin=0.8)
    for group, colour, marker in kinds(sorted(set(points[hue]))):
        here = points[points[hue] == group]
        style = {"s": 38, "zorder": 3, "label": f"{group} (n = {len(here)})"}
        ax.scatter(here["write"] / 1e6, here["read"] / 1e6, color=[colour], marker=marker, **style)
    ratios = np.atleast_1d(ratio).astype(float)
    if classes is None:
        ends = np.array([points["write"].min() * 0.7, points["write"].max() * 1.4]) / 1e6
        for slope in ratios:
            _diagonal(ax, ends, slope)
        ax.legend(frameon=False, loc="lower right")
    else:
        _class_corners(ax, points, classes)
        for slope in ratios:
            _diagonal_from_the_edge(ax, slope)
        ax.legend(  # points may lie anywhere
            frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3
        )
    for letter, what in (("x", "write"), ("y", "read")):
        log_axis(ax, letter, f"random 4 KiB {what}, MB/s (10^6 B/s, log scale)")
    sns.despine(ax=ax)
    return ax


def _diagonal(ax: Axes, ends: np.ndarray, ratio: float) -> None:
    ax.plot(ends, ends * ratio, color="black", linewidth=0.8, linestyle="--")
    at = (ends[1], ends[1] * ratio)
    beside(ax, f"read = {ratio:g} x write", at, (-4, 4), ha="right", fontsize=8.5)


def _diagonal_from_the_edge(ax: Axes, ratio: float) -> None:
    """Draw a diagonal across the plot, its ratio written where it comes in, away from the dots."""
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    start, stop = max(left, bottom / ratio), min(right, top / ratio)
    ax.plot([start, stop], [start * ratio, stop * ratio], color="0.5", linewidth=0.8, ls="--")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    at = (start * 1.2, start * 1.2 * ratio)
    ax.annotate(f"{ratio:g} : 1", at, ha="center", va="center", fontsize=8, bbox=box)


def _class_corners(ax: Axes, points: pd.DataFrame, classes: pd.DataFrame) -> None:
    """Draw the corner from which on both minimums of a class are reached, open to the top."""
    right = max(points["write"].max(), classes["randwrite"].max()) * 1.6 / 1e6
    top = max(points["read"].max(), classes["randread"].max()) * 1.6 / 1e6
    style = {"ha": "left", "va": "top", "fontsize": 9, "fontweight": "bold", "color": "0.25"}
    corners = classes[["class", "randwrite", "randread"]]
    for word, *corner in corners.itertuples(index=False, name=None):
        write, read = (minimum / 1e6 for minimum in corner)
        ax.plot([write, write, right], [top, read, read], color="0.35", linewidth=1.1)
        beside(ax, word, (write, top), (3, -2), **style)
    ax.loglog()
    ax.set_xlim(points["write"].min() * 0.7 / 1e6, right)
    ax.set_ylim(min(points["read"].min(), classes["randread"].min()) * 0.7 / 1e6, top)
