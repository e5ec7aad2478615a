"""Plots of classes: which minimum a card reaches, and rated beside unrated cards."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgba_array

from sdanalysis.errors import require
from sdanalysis.plots.axes import ABOVE, COLOURS, beside, cell_axes, entitle, new_axes, rings
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.rows import notes, row_axis

_SMALL = 8
_TOP = ("data", "axes fraction")  # above a value, at the upper end of the axes
# verdict: sign in the cell, place of the colour, strength of the shade
_SIGNS = {"pass": ("●", 0, 0.30), "fail": ("✕", 3, 0.45), "cannot tell": ("?", 8, 0.12)}
# whether a card is rated: the words of the legend, the marker, whether it is filled
_MARKS = {
    "yes": ("rated", "s", True),
    "no": ("not rated", "o", False),
    "unknown": ("not stated", "D", False),
}


def verdict_matrix(verdicts: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw one cell a card and minimum: reached, missed or undecided, by sign and by shade.

    Parameters
    ----------
    verdicts : DataFrame
        Columns `row`, `column` (the words of the axes, in the order of their first appearance)
        and `verdict` (pass, fail or cannot tell; any other word leaves the cell empty), and if
        there `note` (stands right of the sign). One row a cell.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> figures = data.measurements, data.classes, data.media, data.hosts, data.noise
    >>> verdicts = stats.class_verdicts(*figures)
    >>> cells = verdicts[(verdicts["class"] == "A1") & (verdicts["measured_by"] == "arthur")]
    >>> cells = cells[cells["host"] == "pi-4b"].rename(columns={"specimen": "row", "op": "column"})
    >>> plots.verdict_matrix(cells).get_xlabel()
    '● pass (7)   ✕ fail (1)   ? cannot tell (4)   blank: no figure'
    """
    require(verdicts, ["row", "column", "verdict"], "stats.class_cells")
    rows, columns = (list(dict.fromkeys(verdicts[axis])) for axis in ("row", "column"))
    noted = "note" in verdicts
    width = 3.8 + (1.0 if noted else 0.72) * len(columns)
    ax = ax or new_axes(width=width, rows=len(rows) + 4, margin=0.8)
    signs = list(_SIGNS)
    shades = np.full((len(rows), len(columns)), np.nan)
    for cell in verdicts[verdicts["verdict"].isin(signs)].itertuples():
        x, y = columns.index(cell.column), rows.index(cell.row)
        shades[y, x] = signs.index(cell.verdict)
        words = f"{_SIGNS[cell.verdict][0]} {cell.note if noted else ''}".strip()
        ax.text(x + 0.5, y + 0.52, words, ha="center", va="center", fontsize=9)
    limits = {"vmin": -0.5, "vmax": len(signs) - 0.5}
    mesh = ax.pcolormesh(np.ma.masked_invalid(shades), cmap=_shades(), **limits)
    describe(mesh, _cells(verdicts, rows, columns))
    counts = verdicts["verdict"].value_counts()
    words = [f"{sign} {name} ({counts.get(name, 0)})" for name, (sign, *_) in _SIGNS.items()]
    ax.set_xlabel("   ".join([*words, "blank: no figure"]), fontsize=_SMALL + 0.5)
    ax.set_xticks(range(len(columns) + 1), minor=True)
    ax.set_yticks(range(len(rows) + 1), minor=True)
    ax.grid(which="minor", color="0.85", linewidth=0.6)
    cell_axes(ax, rows, columns, _SMALL)
    ax.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    entitle(ax, title)
    return ax


def _cells(verdicts: pd.DataFrame, rows: list[str], columns: list[str]) -> list[str]:
    """Return what each cell says, row by row."""
    margins = verdicts.get("margin", pd.Series(np.nan, verdicts.index))
    words = [
        f"{_line(row.column)}\n{row.verdict}"
        + (f": {number(margin)} times the minimum" if known else "")
        for row, margin, known in zip(verdicts.itertuples(), margins, margins.notna(), strict=True)
    ]
    cells = zip(verdicts["row"], verdicts["column"], titles(verdicts, words, ["host"]), strict=True)
    said = {(row, column): text for row, column, text in cells}
    return [
        said.get((row, column)) or f"{row}\n{_line(column)}\nno figure"
        for row in rows
        for column in columns
    ]


def _line(words: str) -> str:
    return " ".join(words.split())


def _shades() -> ListedColormap:
    """Return the shade of each verdict, mixed with white so that the sign stays legible."""
    palette = to_rgba_array(COLOURS)[:, :3]
    return ListedColormap([1 - part * (1 - palette[place]) for _, place, part in _SIGNS.values()])


def rated_dots(
    figures: pd.DataFrame,
    minimums: pd.DataFrame,
    what: str,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw every card by place, rated and unrated apart, with the minimums as lines.

    Parameters
    ----------
    figures : DataFrame
        Columns `place` (the word of a row), `rated` (yes, no, unknown) and `value`, one row a
        card and place.
    minimums : DataFrame
        Columns `class` and `minimum`, in the unit of `value`.
    what : str
        The label of the axis, with the unit.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> figures = data.measurements, data.classes, data.media, data.hosts, data.noise
    >>> verdicts = stats.class_verdicts(*figures)
    >>> writes = verdicts[(verdicts["class"] == "A1") & (verdicts["op"] == "randwrite")]
    >>> writes = writes[writes["measured_by"] == "arthur"].assign(place=writes["host"])
    >>> lines = data.classes.rename(columns={"randwrite": "minimum"})
    >>> ax = plots.rated_dots(writes, lines, "random 4 KiB writes, 1/s")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['rated', 'not rated', 'not stated']
    """
    require(figures, ["place", "rated", "value"], "stats.class_verdicts")
    require(minimums, ["class", "minimum"])
    places, unit = list(dict.fromkeys(figures["place"])), what.rpartition(", ")[2]
    ax = ax or new_axes(width=7.4, rows=max(len(places) * 2.5, 4), margin=1.2)
    marks = zip(_MARKS.items(), COLOURS, (-0.22, 0, 0.22), strict=False)
    for (name, (words, marker, filled)), colour, shift in marks:
        here = figures[figures["rated"] == name]
        y = here["place"].map(places.index).astype(float) + shift
        faces = [colour] if filled else "none"
        style = {"facecolors": faces, "linewidths": 1.2, "label": words}
        dots = rings(ax, here["value"], y, colour, marker, **style)
        describe(
            dots, titles(here, [f"{number(value)} {unit}, {words}" for value in here["value"]])
        )
    counts = figures.groupby(["place", "rated"]).size()
    texts = [
        "\n".join(
            f"{counts[place, name]} {words}"
            for name, (words, *_) in _MARKS.items()
            if (place, name) in counts
        )
        for place in places
    ]
    notes(ax, texts)
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    for word, minimum in zip(minimums["class"], minimums["minimum"], strict=True):
        ax.axvline(minimum, color="black", linewidth=1, linestyle="--")
        beside(ax, f"{word}: {minimum:g}", (minimum, 1), (0, 3), xycoords=_TOP)
    row_axis(ax, places, f"{what} (log scale); right is faster \u2192", end=0.5, equal=False)
    above = ABOVE | {"borderaxespad": 1.8}  # the minimums' names
    ax.legend(frameon=False, fontsize=_SMALL, ncols=3, **above)
    entitle(ax, title)
    return ax
