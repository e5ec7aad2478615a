"""What plots of rows share: names at the left, notes at the right, a logarithmic axis below."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from sdanalysis.plots.axes import log_axis, rings, widen

LETTER = 0.062  # inches of a letter in the names of rows
_WIDE = 75  # letters from which on the label of an axis needs a second line


def row_names(rows: pd.DataFrame, label: Sequence[str]) -> pd.Series:
    """Return what the rows are called: the words of the columns of `label`, between commas."""
    return rows[list(label)].astype(str).agg(", ".join, axis=1)


def ratio_label(ratio: str, sides: tuple[str, str] | None = None) -> str:
    """Return the label of an axis of ratios, with arrows to the faster of base and other."""
    words = f"{ratio} (log scale; 1 = equal)"
    if sides is None:
        return words
    if len(sides[0] + words + sides[1]) > _WIDE:
        return f"\u2190 {sides[0]} faster  |  {sides[1]} faster \u2192\n{words}"
    return f"\u2190 {sides[0]} faster  |  {words}  |  {sides[1]} faster \u2192"


def row_axis(
    ax: Axes,
    names: Sequence[str],
    label: str,
    *,
    fontsize: float = 8.5,
    end: float | None = 0.4,
    equal: bool = True,
    least: float = 1.0,
) -> None:
    """Name the rows from the top, and make the axis below them logarithmic; call it after drawing.

    `end` is the room below the last row (None: as matplotlib leaves it), `equal` draws the line of
    the ratio 1, and the axis spans at least the factor `least`.
    """
    ax.set_yticks(range(len(names)), names, fontsize=fontsize)
    if end is None:
        ax.invert_yaxis()
    else:
        ax.set_ylim(len(names) - end, end - 1)
    if equal:
        ax.axvline(1, color="black", linewidth=0.8)
    widen(ax, "x", least)
    log_axis(ax, "x", label)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def notes(
    ax: Axes,
    texts: Iterable[str],
    places: Iterable[float] | None = None,
    *,
    right: float = 1.02,
    **style: Any,
) -> None:
    """Write a text right of the axes for each row, or for each of the places."""
    style = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8} | style
    for place, text in zip(places, texts, strict=True) if places is not None else enumerate(texts):
        ax.annotate(text, (right, place), **style)


def intervals(
    ax: Axes, rows: pd.DataFrame, x: str, y: pd.Series, colour: str, marker: str, **style: Any
) -> PathCollection:
    """Draw dots and the lines from `low` to `high`; hollow where no interval is claimed."""
    known = rows["low"].notna()
    ax.hlines(y[known], rows.loc[known, "low"], rows.loc[known, "high"], color=colour, linewidth=2)
    faces = [colour if decided else "white" for decided in known]
    return rings(ax, rows[x], y, colour, marker, facecolors=faces, linewidths=None, **style)
