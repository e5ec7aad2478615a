"""What all plots share: sizes, colours, rows with names and notes, axes, labels beside marks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike

from sdanalysis.palette import LIGHT, SERIES
from sdanalysis.plots.svg import lay_out

Kind = TypeVar("Kind")

GOOD, AVOID, REST, FAINT, INK = (LIGHT[name] for name in ("good", "avoid", "rest", "faint", "ink"))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
TITLE, LABEL, SMALL = 12.0, 9.0, 8.6  # pt: 16, 12 and 11.5 px on a page; nothing is smaller
ROW = 0.21  # inches a row of text needs
LETTER = 0.068  # inches of a letter in the names of rows
ABOVE = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}  # a legend
PLAIN = FuncFormatter(lambda value, _: f"{value:g}")
_LINE = 1.2  # height of a line of text, in font sizes


def kinds(words: Iterable[Kind]) -> Iterator[tuple[Kind, str, str]]:
    """Yield each word with a colour and a marker that mean neither yes nor no."""
    return zip(words, cycle(SERIES), cycle(MARKERS), strict=False)


def new_axes(*, width: float, rows: float, margin: float) -> Axes:
    """Return the Axes of a new figure that is high enough for its rows (inches)."""
    return plt.subplots(figsize=(width, margin + ROW * rows), layout="constrained")[1]


def rings(
    ax: Axes, x: ArrayLike, y: ArrayLike, colour: str, marker: str, **style: Any
) -> PathCollection:
    """Draw marks with a coloured edge; they are empty where the style gives no `facecolors`."""
    style = {"facecolors": "none", "s": 30, "linewidths": 1.3, "zorder": 3} | style
    return ax.scatter(x, y, edgecolors=[colour], marker=marker, **style)


def intervals(
    ax: Axes, rows: pd.DataFrame, x: str, y: pd.Series, colour: str, marker: str, **style: Any
) -> PathCollection:
    """Draw dots and the lines from `low` to `high`; hollow where no interval is claimed."""
    known = rows["low"].notna()
    ax.hlines(y[known], rows.loc[known, "low"], rows.loc[known, "high"], color=colour, linewidth=2)
    faces = [colour if decided else "white" for decided in known]
    return rings(ax, rows[x], y, colour, marker, facecolors=faces, **style)


def say(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write a text some points from a place: above it, where the style does not say otherwise."""
    style = {"ha": "center", "va": "bottom", "fontsize": SMALL} | style
    ax.annotate(text, at, xytext=offset, textcoords="offset points", **style)


def finish(ax: Axes, title: str, *, legend: int = 0, **place: Any) -> Axes:
    """Say above a figure what is seen in it, and below that in `legend` columns what marks are."""
    ax.spines[["top", "right"]].set_visible(False)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=SMALL, ncols=legend, **(ABOVE | place))
    if title:
        style = {"x": 0.01, "ha": "left", "fontsize": TITLE, "fontweight": "bold"}
        ax.get_figure(root=True).suptitle(title, **style)
    return ax


def log_axis(ax: Axes, letter: str, label: str, *, few: bool = False) -> None:
    """Make an axis logarithmic with plain numbers, as many as fit; call it after drawing."""
    getattr(ax, f"set_{letter}scale")("log")
    axis = getattr(ax, f"{letter}axis")
    low, high = getattr(ax, f"get_{letter}lim")()
    decades = abs(np.log10(high / low)) * (2 if few else 1)
    steps = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 0.8 else (1, 1.5, 2, 3, 4, 6, 8)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(PLAIN)
    getattr(ax, f"set_{letter}label")(label)


def widen(ax: Axes, letter: str, least: float) -> None:
    """Make an axis logarithmic and span at least this factor: noise must not look like news."""
    getattr(ax, f"set_{letter}scale")("log")
    low, high = getattr(ax, f"get_{letter}lim")()
    missing = max(1.0, least / (high / low)) ** 0.5
    getattr(ax, f"set_{letter}lim")(low / missing, high * missing)


def row_names(rows: pd.DataFrame, label: Sequence[str]) -> pd.Series:
    """Return what the rows are called: the words of the columns of `label`, between commas."""
    return rows[list(label)].astype(str).agg(", ".join, axis=1)


def ratio_label(ratio: str, sides: tuple[str, str] | None = None) -> str:
    """Return the label of an axis of ratios, with arrows to the faster of base and other above."""
    words = f"{ratio} (log scale; 1 = equal)"
    if sides is None:
        return words
    return f"\u2190 {sides[0]} faster  |  {sides[1]} faster \u2192\n{words}"


def row_axis(
    ax: Axes,
    names: Sequence[str],
    label: str,
    *,
    end: float = 0.45,
    equal: bool = True,
    least: float = 1.0,
) -> None:
    """Name the rows from the top, and make the axis below them logarithmic; call it after drawing.

    `end` is the room below the last row, `equal` draws the line of the ratio 1, and the axis spans
    at least the factor `least`.
    """
    name_rows(ax, names)
    ax.set_ylim(len(names) - end, end - 1)
    if equal:
        ax.axvline(1, color=INK, linewidth=0.8)
    widen(ax, "x", least)
    log_axis(ax, "x", label)


def name_rows(ax: Axes, names: Sequence[str], places: Iterable[float] | None = None) -> None:
    """Name the rows, or those places, on an axis that is no line."""
    ax.set_yticks(range(len(names)) if places is None else list(places), names, fontsize=LABEL)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def notes(
    ax: Axes,
    texts: Iterable[str],
    places: Iterable[float] | None = None,
    colours: Iterable[str] | None = None,
) -> None:
    """Write a text right of the axes for each row, or for each of the places."""
    style = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALL}
    texts = list(texts)
    places = range(len(texts)) if places is None else places
    colours = [INK] * len(texts) if colours is None else colours
    for place, text, colour in zip(places, texts, colours, strict=True):
        ax.annotate(text, (1.02, place), color=colour, **style)


def spread_out(places: Sequence[float], gap: float) -> np.ndarray:
    """Return places at least `gap` from each other, in the same order, moved as little as can be.

    Least squares: neighbours that are too close share their displacement.
    """
    from scipy.optimize import isotonic_regression  # here, for it takes a while to load

    values = np.asarray(places, dtype=float)
    order = np.argsort(values, kind="stable")
    steps, result = gap * np.arange(len(values)), np.empty(len(values))
    result[order] = isotonic_regression(values[order] - steps).x + steps if len(values) else values
    return result


def label_right(
    ax: Axes,
    marks: Sequence[tuple[float, float]],
    texts: Sequence[str],
    colours: Sequence[str] | None = None,
) -> None:
    """Write the name of each mark (x and y in data) right of the axes, with a line to the mark.

    Call it when the limits of the axes are final: the texts are placed by them.
    """
    lay_out(ax.get_figure(root=True))
    ax.get_xlim()  # limits that follow the data are final when they are asked for
    inverse = ax.transAxes.inverted()
    starts = [tuple(inverse.transform(ax.transData.transform(mark))) for mark in marks]
    tall = ax.get_window_extent().height / ax.get_figure(root=True).dpi * 72
    placed = spread_out([height for _, height in starts], _LINE * SMALL / tall)
    # They stick out alike above and below.
    placed = placed - (placed.min(initial=0.0) + placed.max(initial=1.0) - 1) / 2
    line = {"arrowstyle": "-", "linewidth": 0.5, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0}
    style = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center"}
    colours = colours or [INK] * len(texts)
    for text, colour, start, end in zip(texts, colours, starts, placed, strict=True):
        style |= {"color": colour, "arrowprops": line | {"color": colour}}
        ax.annotate(text, start, xytext=(1.06, end), fontsize=SMALL, **style)
