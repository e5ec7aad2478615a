"""What all plots share: colours, the size of a figure, marks, cells, logarithmic axes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike

Kind = TypeVar("Kind")

# seaborn's palette "colorblind", the strongest first: they stay apart for the colour-blind.
COLOURS = (
    "#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc", "#56b4e9", "#ca9161",
    "#000000", "#949494",
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
ROW = 0.21  # inches a row of text needs at the size of the reports
ABOVE = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}  # a legend


def kinds(words: Iterable[Kind]) -> Iterator[tuple[Kind, str, str]]:
    """Yield each word with a colour and a marker of its own."""
    return zip(words, cycle(COLOURS), cycle(MARKERS), strict=False)


def new_axes(*, width: float, rows: float, margin: float) -> Axes:
    """Return the Axes of a new figure that is high enough for its rows (inches)."""
    return plt.subplots(figsize=(width, margin + ROW * rows), layout="constrained")[1]


def rings(
    ax: Axes, x: ArrayLike, y: ArrayLike, colour: str, marker: str, **style: Any
) -> PathCollection:
    """Draw marks with a coloured edge; they are empty where the style gives no `facecolors`."""
    style = {"facecolors": "none", "s": 30, "linewidths": 1.3, "zorder": 3} | style
    return ax.scatter(x, y, edgecolors=[colour], marker=marker, **style)


def beside(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write a text some points from a place: above it, where the style does not say otherwise."""
    style = {"ha": "center", "va": "bottom", "fontsize": 8} | style
    ax.annotate(text, at, xytext=offset, textcoords="offset points", **style)


def entitle(ax: Axes, words: str) -> None:
    """Say above a figure what is seen in it, left and above the legend; nothing for no words."""
    if words:
        ax.figure.suptitle(words, x=0.01, ha="left", fontsize=10.5, fontweight="bold")


def log_axis(ax: Axes, letter: str, label: str) -> None:
    """Make an axis logarithmic with plain numbers, as many as fit; call it after drawing."""
    getattr(ax, f"set_{letter}scale")("log")
    axis = getattr(ax, f"{letter}axis")
    low, high = getattr(ax, f"get_{letter}lim")()
    decades = np.log10(high / low)
    steps = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 1 else tuple(range(1, 10))
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    getattr(ax, f"set_{letter}label")(label)


def widen(ax: Axes, letter: str, least: float) -> None:
    """Make an axis logarithmic and span at least this factor: noise must not look like news."""
    getattr(ax, f"set_{letter}scale")("log")
    low, high = getattr(ax, f"get_{letter}lim")()
    missing = max(1.0, least / (high / low)) ** 0.5
    getattr(ax, f"set_{letter}lim")(low / missing, high * missing)


def cell_axes(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], fontsize: float, **style: Any
) -> None:
    """Name the rows and columns of a table of cells, the columns above it."""
    ax.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=fontsize, **style)
    ax.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=fontsize)
    ax.xaxis.tick_top()
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
