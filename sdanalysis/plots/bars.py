"""Plot of the cards of one board: a bar a card, what to take and what to avoid in colour."""

import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.errors import require
from sdanalysis.plots.axes import COLOURS, entitle, new_axes, rings
from sdanalysis.plots.marks import describe, number, titles

_LETTERS = 10  # pt
_HIGH = 1.32  # rows of text that a bar takes
_GAP = 0.6  # of a bar, between two groups
_COLOURS = {"take": COLOURS[2], "avoid": COLOURS[3]}
_OTHER = COLOURS[8]


def speed_bars(shown: pd.DataFrame, label: str, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw a bar a card, the fastest on top, with the line on which another run could end.

    Parameters
    ----------
    shown : DataFrame
        As of `stats.shown_figures`.
    label : str
        What the figures are, without the unit.
    title : str
        What is seen, in words.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-4b", "system")
    >>> ax = plots.speed_bars(stats.shown_figures(case), "small writes")
    >>> len(ax.patches), ax.get_xlabel()
    (14, 'small writes, MB/s (10^6 B/s)')
    """
    require(
        shown, ["card", "people", "value", "low", "high", "group", "mark"], "stats.shown_figures"
    )
    rows = shown.reset_index(drop=True)
    rows[["value", "low", "high"]] /= 1e6
    rows = rows.assign(shown=rows["value"])
    groups = rows["group"].fillna("").ne(rows["group"].fillna("").shift()).cumsum() - 1
    y = rows.index + _GAP * groups
    ax = ax or new_axes(width=7.4, rows=_HIGH * (len(rows) + _GAP * groups.max()), margin=0.9)
    colours = rows["mark"].map(_COLOURS).fillna(_OTHER)
    ax.barh(y, rows["value"], height=0.62, color=colours, zorder=2)
    known = rows["low"].notna()
    ends = rows.loc[known, "low"], rows.loc[known, "high"]
    ax.hlines(y[known], *ends, color="black", linewidth=1.2, zorder=3)
    marks = [f"{number(row.value)} MB/s, {row.people}" for row in rows.itertuples()]
    dots = rings(ax, rows["value"], y, "black", "o", facecolors="black", s=14, zorder=4)
    describe(dots, titles(rows, marks))
    twice = rows["card"].str.casefold().duplicated(keep=False)
    names = rows["card"].mask(twice, rows["card"] + ", " + rows["people"])
    ax.set_yticks(y, names, fontsize=_LETTERS)
    style = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": _LETTERS}
    for place, row, colour in zip(y, rows.itertuples(), colours, strict=True):
        tone = colour if row.mark in _COLOURS else "0.3"
        words = f"{row.value:#.3g}".rstrip(".") + f"  {row.mark}"
        ax.annotate(words.rstrip(), (1.02, place), color=tone, **style)
    ax.set_ylim(y.max() + 0.6, -0.6)
    ax.set_xlim(0)
    ax.set_xlabel(f"{label}, MB/s (10^6 B/s)", fontsize=_LETTERS)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    entitle(ax, title)
    return ax
