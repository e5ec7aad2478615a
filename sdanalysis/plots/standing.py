"""Plot of where one card stands among the known ones, test by test."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.errors import require
from sdanalysis.plots.axes import ABOVE, COLOURS, beside, entitle, new_axes, rings
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.rows import notes, row_axis

_QUIET = "#8a8a8a"


def standing(points: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the `points` of a card: of each test the known cards, the card, bus limit and minimums.

    Their columns are `test`, `kind`, `name`, `value` (B/s) and `note`.

    Examples
    --------
    >>> from sdanalysis import my_card, plots
    >>> card = my_card.read("data/examples/plain-file-on-a-server.log")
    >>> plots.standing(card.points).get_xlabel()
    'MB/s (10^6 B/s, log scale; further right is faster)'
    """
    require(points, ["test", "kind", "name", "value", "note"], "my_card.read(...).points")
    tests = list(dict.fromkeys(points["test"]))
    ax = ax or new_axes(width=8.6, rows=len(tests) * 2.9, margin=1.35)
    points = points.assign(row=points["test"].map(tests.index), shown=points["value"] / 1e6)
    _draw_cards(ax, points)
    _draw_limits(ax, points)
    for place in range(1, len(tests)):
        ax.axhline(place - 0.5, color="#dddddd", linewidth=0.8)
    _widen(ax, points["shown"])
    what = "MB/s (10^6 B/s, log scale; further right is faster)"
    row_axis(ax, [_wrapped(test) for test in tests], what, end=0.45, equal=False)
    ax.legend(frameon=False, ncols=4, fontsize=8.5, **ABOVE)
    entitle(ax, title)
    return ax


def _draw_cards(ax: Axes, points: pd.DataFrame) -> None:
    known, card = (points[points["kind"] == kind] for kind in ("known", "card"))
    style = {"s": 26, "linewidths": 1.1, "zorder": 2, "label": "a known card"}
    dots = rings(ax, known["shown"], known["row"] + _spread(known), _QUIET, "o", **style)
    describe(dots, _said(known), known.get("link"))
    style = {"s": 84, "color": [COLOURS[1]], "label": "your card", "zorder": 4}
    describe(ax.scatter(card["shown"], card["row"], marker="D", **style), _said(card))
    notes(ax, card["note"], card["row"], right=1.015, fontsize=8.5)


def _said(cards: pd.DataFrame) -> list[str]:
    """Return what the marks of cards say."""
    return titles(cards, [f"{number(value)} MB/s" for value in cards["shown"]])


def _spread(known: pd.DataFrame) -> np.ndarray:
    """Return small offsets that part dots of a row which lie on one another, the same each time."""
    order = known.groupby("test")["value"].rank(method="first").astype(int)
    return ((order % 5) - 2).to_numpy() * 0.085


def _draw_limits(ax: Axes, points: pd.DataFrame) -> None:
    style = {"color": COLOURS[0], "linewidth": 2, "zorder": 3, "label": "least of a class"}
    for row in points[points["kind"] == "minimum"].itertuples():
        ax.vlines(row.shown, row.row - 0.34, row.row + 0.34, **style)
        beside(ax, row.name, (row.shown, row.row - 0.34), (0, 1), color=style["color"])
        style["label"] = None  # the legend names them once
    for limit in points.loc[points["kind"] == "limit", "shown"].unique():
        ax.axvline(limit, color="black", linewidth=1.2, linestyle="--", label="bus limit")


def _widen(ax: Axes, values: pd.Series) -> None:
    """Leave room left and right of the marks, and more where all of them lie close together."""
    low, high = float(values.min()), float(values.max())
    factor = max(1.25, (3 / (high / low)) ** 0.5)
    ax.set_xlim(low / factor, high * factor)


def _wrapped(test: str) -> str:
    """Break the words of a test after its block size, so that the axis stays wide."""
    parts = test.split(", ")
    half = max(1, len(parts) // 2)
    return ", ".join(parts[:half]) + (",\n" + ", ".join(parts[half:]) if parts[half:] else "")
