"""Plot of where one card stands among the known ones, test by test."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.plots.axes import colours, new_axes
from sdanalysis.plots.rows import notes, row_axis

_QUIET = "#8a8a8a"


def standing(points: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the known cards of each test as dots, the card among them, bus limit and minimums.

    Parameters
    ----------
    points : DataFrame
        `points` of a card: `test`, `kind`, `name`, `value` (B/s), `note`.

    Examples
    --------
    >>> from sdanalysis import my_card, plots
    >>> card = my_card.read("data/examples/plain-file-on-a-server.log")
    >>> ax = plots.standing(card.points)
    >>> ax.get_xlabel()
    'MB/s (10^6 B/s, log scale; further right is faster)'
    """
    tests = list(dict.fromkeys(points["test"]))
    ax = ax or new_axes(width=8.6, rows=len(tests) * 2.9, margin=1.35)
    rows = {test: place for place, test in enumerate(tests)}
    points = points.assign(row=points["test"].map(rows), shown=points["value"] / 1e6)
    _draw_cards(ax, points)
    _draw_limits(ax, points)
    for place in range(1, len(tests)):
        ax.axhline(place - 0.5, color="#dddddd", linewidth=0.8)
    _widen(ax, points["shown"])
    words = [_wrapped(test) for test in tests]
    label = "MB/s (10^6 B/s, log scale; further right is faster)"
    row_axis(ax, words, label, end=0.45, equal=False)
    ax.legend(
        frameon=False, ncols=4, fontsize=8.5, loc="lower left", bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
    )  # fmt: skip
    return ax


def _draw_cards(ax: Axes, points: pd.DataFrame) -> None:
    known, card = (points[points["kind"] == kind] for kind in ("known", "card"))
    ax.scatter(
        known["shown"],
        known["row"] + _spread(known),
        s=26,
        facecolors="none",
        edgecolors=_QUIET,
        linewidths=1.1,
        label="a known card",
        zorder=2,
    )
    orange = [colours(2)[1]]
    ax.scatter(
        card["shown"], card["row"], marker="D", s=84, color=orange, label="your card", zorder=4
    )
    notes(ax, card["note"], card["row"], right=1.015, fontsize=8.5)


def _draw_limits(ax: Axes, points: pd.DataFrame) -> None:
    _minimums(ax, points[points["kind"] == "minimum"], colours(1)[0])
    for limit in points.loc[points["kind"] == "limit", "shown"].unique():
        ax.axvline(limit, color="black", linewidth=1.2, linestyle="--", label="bus limit")


def _spread(known: pd.DataFrame) -> np.ndarray:
    """Return small offsets that part dots of a row which lie on one another, the same each time."""
    order = known.groupby("test")["value"].rank(method="first").astype(int)
    return ((order % 5) - 2).to_numpy() * 0.085


def _minimums(ax: Axes, minimums: pd.DataFrame, colour: tuple[float, float, float]) -> None:
    named = not minimums.empty
    for row in minimums.itertuples():
        ax.vlines(
            row.shown,
            row.row - 0.34,
            row.row + 0.34,
            color=[colour],
            linewidth=2,
            label="least of a class" if named else None,
            zorder=3,
        )
        ax.annotate(
            row.name,
            (row.shown, row.row - 0.34),
            xytext=(0, 1),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=colour,
            fontsize=8,
        )
        named = False


def _widen(ax: Axes, values: pd.Series) -> None:
    """Leave room left and right of the marks, and more where all of them lie close together."""
    low, high = float(values.min()), float(values.max())
    factor = max(1.25, (3 / (high / low)) ** 0.5 if high / low < 3 else 1.25)
    ax.set_xlim(low / factor, high * factor)


def _wrapped(test: str) -> str:
    """Break the words of a test after its block size, so that the axis stays wide."""
    parts = test.split(", ")
    half = max(1, len(parts) // 2)
    return ", ".join(parts[:half]) + (",\n" + ", ".join(parts[half:]) if parts[half:] else "")
