"""Plot of the cards of one host in the order of their figures, shared places shaded."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.errors import require
from sdanalysis.plots.axes import ABOVE, beside, entitle, kinds, new_axes, rings
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.rows import notes, row_axis

_SMALL = 8
_SHADES = ("#e9eef5", "white")  # of neighbouring groups
_NEAR = 2.5  # a bus limit further off than this, times the fastest card, hides nothing


def ranked_dots(
    ranked: pd.DataFrame,
    minimums: pd.DataFrame,
    limit: float,
    label: str,
    ax: Axes | None = None,
    *,
    title: str = "",
) -> Axes:
    """Draw a dot a card, the fastest on top; cards that share a place share a shade.

    Parameters
    ----------
    ranked : DataFrame
        One test of `stats.ranking`, with the names of `stats.with_names`, in their order. Doubted
        figures stand below the others, as crosses.
    minimums : DataFrame
        Columns `class` and `minimum` (B/s): dashed lines.
    limit : float
        Of the bus, B/s: a line, where it is near the figures.
    label : str
        What the figures are, without the unit.
    title : str
        What is seen, in words.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> cards = stats.ranking(data.measurements, data.noise, "pi-4b")
    >>> cards = stats.with_names(cards[cards["op"] == "randwrite"], data.media)
    >>> lines = data.classes.dropna(subset="randwrite")
    >>> lines = lines.assign(minimum=lines["randwrite"] * 4096)
    >>> ax = plots.ranked_dots(cards, lines, 50e6, "random 4 KiB writes")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Geerling (n = 15)', 'Arthur (n = 4)', 'a reader (n = 5)']
    """
    needed = ["card", "people", "value", "place", "rank_low", "rank_high", "doubted"]
    require(ranked, needed, "stats.with_names, of stats.ranking,")
    require(minimums, ["class", "minimum"])
    rows = ranked.reset_index(drop=True).assign(shown=ranked["value"].to_numpy() / 1e6)
    ax = ax or new_axes(width=8.2, rows=len(rows), margin=1.35)
    for nth, (_, group) in enumerate(rows.dropna(subset="place").groupby("place")):
        span = group.index.min() - 0.5, group.index.max() + 0.5
        ax.axhspan(*span, color=_SHADES[nth % len(_SHADES)], zorder=0)
    _draw_cards(ax, rows)
    lines = [*zip(minimums["class"], minimums["minimum"], strict=True)]
    near = [("the Pi's limit", limit)] if limit < _NEAR * rows["value"].max() else []
    for word, value in [*lines, *near]:
        style = "-" if (word, value) in near else "--"
        ax.axvline(value / 1e6, color="black", linewidth=1.1, linestyle=style, zorder=1)
        side = {"ha": "right"} if style == "-" else {}  # beside it stands the head of the places
        at = {"xycoords": ("data", "axes fraction")} | side
        beside(ax, f"{word} {value / 1e6:.3g}", (value / 1e6, 1), (0, 3), **at)
    row_axis(ax, list(rows["card"]), f"{label}, MB/s (10^6 B/s, log scale) → faster", equal=False)
    notes(ax, [_place(row) for row in rows.itertuples()])
    beside(ax, "place (possible)", (1.02, 1), (0, 3), xycoords="axes fraction", ha="left")
    entitle(ax, title)
    return ax


def _draw_cards(ax: Axes, rows: pd.DataFrame) -> None:
    sure, doubted = rows[~rows["doubted"]], rows[rows["doubted"]]
    people = rows["people"].value_counts().index
    order = sorted(people, key=lambda name: name.startswith("a "))  # readers last
    for name, colour, marker in kinds(order):
        here = sure[sure["people"] == name]
        style = {"facecolors": [colour], "label": f"{name} (n = {len(here)})"}
        describe(rings(ax, here["shown"], here.index, colour, marker, **style), _said(here))
    if len(doubted):
        words = {"color": "0.4", "marker": "x", "s": 34, "label": f"doubted (n = {len(doubted)})"}
        describe(ax.scatter(doubted["shown"], doubted.index, **words), _said(doubted))
    above = ABOVE | {"borderaxespad": 1.8}  # the minimums' names
    ax.legend(frameon=False, fontsize=_SMALL, ncols=4, **above)


def _said(rows: pd.DataFrame) -> list[str]:
    """Return what the marks of some cards say."""
    return titles(
        rows, [f"{number(row.shown)} MB/s, place {_place(row)}" for row in rows.itertuples()]
    )


def _place(row: Any) -> str:
    """Return the place of a card with the ranks that noise leaves open."""
    if row.doubted:
        return "doubted: no place"
    if pd.isna(row.place):
        return "too few cards"
    low, high = row.rank_low, row.rank_high
    return f"{row.place} ({low} to {high})" if low < high else f"{row.place}"
