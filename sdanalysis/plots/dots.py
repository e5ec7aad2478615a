"""Plots of dots: cards below the slot's limit, beside class minimums, my card, reads and writes."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.errors import require
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.style import (
    AVOID,
    FAINT,
    INK,
    LABEL,
    REST,
    SMALL,
    finish,
    kinds,
    label_right,
    log_axis,
    new_axes,
    notes,
    rings,
    row_axis,
    say,
)  # fmt: skip

_LANES = 7  # side by side in a column of dots
_TOP = ("data", "axes fraction")  # above a value, at the upper end of the axes
# whether a card is rated: the words of the legend, the marker, whether it is filled
_MARKS = {
    "yes": ("rated", "s", True),
    "no": ("not rated", "o", False),
    "unknown": ("not stated", "D", False),
}


def bus_roofline(
    figures: pd.DataFrame,
    limits: pd.DataFrame,
    *,
    hue: str = "measured_by",
    what: str = "",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw every card's figure on every host, below the line of what the bus can carry.

    Parameters
    ----------
    figures : DataFrame
        Columns `specimen`, `measured_by`, `host`, `value` (B/s), and that of `hue` (marker and
        legend; `doubted` is orange).
    limits : DataFrame
        As `stats.host_limits` returns it, in the order of the axis.
    what : str
        What the figures are, before the unit.
    """
    require(figures, [*("measured_by", "specimen"), "host", "value", hue], "stats.usable")
    require(limits, ["host", "limit", "place", "note"], "stats.host_limits")
    hosts = list(limits["host"])
    ax = ax or new_axes(width=max(4.6, 1.6 + 1.3 * len(hosts)), rows=19, margin=1.0)
    figures = figures.assign(
        x=figures["host"].map(hosts.index) + _lanes(figures, "host"),
        place=figures["host"].map(limits.set_index("host")["place"]),
    )
    for name, colour, marker in kinds(dict.fromkeys(figures[hue])):
        group = figures[figures[hue] == name]
        edge = AVOID if name == "doubted" else colour
        dots = rings(ax, group["x"], group["value"] / 1e6, edge, marker, s=26, label=name)
        describe(dots, titles(group, [f"{number(value)} MB/s" for value in group["value"] / 1e6]))
    for at, limit in enumerate(limits["limit"] / 1e6):
        ax.hlines(limit, at - 0.45, at + 0.45, color=INK, linewidth=1.6, zorder=2)
        say(ax, f"limit {limit:g}", (at, limit), (0, 3))
    places = (wrap(place, 17) for place in limits["place"])
    names = ["\n".join([*words, n]) for words, n in zip(places, limits["note"], strict=True)]
    ax.set_xticks(range(len(hosts)), names, fontsize=SMALL)
    ax.set_xlim(-0.55, len(hosts) - 0.45)
    ax.set_ylim(bottom=0)
    ax.margins(y=0.08)
    ax.set_ylabel(f"{what}, MB/s (10^6 B/s)".removeprefix(", "))
    return finish(ax, title, legend=4)


def _lanes(figures: pd.DataFrame, column: str) -> pd.Series:
    """Return an offset for each dot, so that neighbours in value stand beside each other."""
    order = figures.groupby(column)["value"].rank(method="first") - 1
    lane = (order * 3) % _LANES  # three lanes on: neighbours are not side by side
    return (lane - (_LANES - 1) / 2) * 0.7 / _LANES


def standing(points: pd.DataFrame, ax: Axes | None = None, *, title: str = "") -> Axes:
    """Draw the `points` of a card by test: the known cards, the card, bus limit and minimums."""
    require(points, ["test", "kind", "name", "value", "note"], "my_card.read(...).points")
    tests = list(dict.fromkeys(points["test"]))
    ax = ax or new_axes(width=8.6, rows=len(tests) * 2.9, margin=1.35)
    points = points.assign(row=points["test"].map(tests.index), speed=points["value"] / 1e6)
    known, card = (points[points["kind"] == kind] for kind in ("known", "card"))
    dots = rings(
        ax, known["speed"], known["row"] + 0.6 * _lanes(known, "test"), REST, "o", s=26,
        linewidths=1.1, zorder=2, label="a known card",
    )  # fmt: skip
    describe(dots, titles(known, [f"{number(v)} MB/s" for v in known["speed"]]), known.get("link"))
    style = {"facecolors": INK, "s": 84, "label": "your card", "zorder": 4}
    mine = rings(ax, card["speed"], card["row"], INK, "D", **style)
    describe(mine, titles(card, [f"{number(value)} MB/s" for value in card["speed"]]))
    notes(ax, card["note"], card["row"])
    for row in points[points["kind"] == "minimum"].itertuples():
        ax.vlines(row.speed, row.row - 0.26, row.row + 0.26, color=INK, linewidth=1.4, zorder=3)
        say(ax, row.name, (row.speed, row.row - 0.26), (0, 1))
    for limit in points.loc[points["kind"] == "limit", "speed"].unique():
        ax.axvline(limit, color=INK, linewidth=1.2, linestyle="--", label="the slot's limit")
    low, high = float(points["speed"].min()), float(points["speed"].max())
    factor = max(1.25, (3 / (high / low)) ** 0.5)  # room for the marks, however close they lie
    ax.set_xlim(low / factor, high * factor)
    names = ["\n".join(wrap(test, 24)) for test in tests]
    what = "MB/s (10^6 B/s, log scale; further right is faster)"
    row_axis(ax, names, what, equal=False)
    return finish(ax, title, legend=4)


def rated_dots(
    figures: pd.DataFrame,
    minimums: pd.DataFrame,
    what: str,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw every card by place, rated and unrated apart, with the minimums as lines.

    The figures have `place` (the word of a row), `rated` (yes, no, unknown) and `value`; the
    minimums have `class` and `minimum`. The unit ends `what`, the label of the axis.
    """
    require(figures, ["place", "rated", "value"], "stats.class_verdicts")
    require(minimums, ["class", "minimum"])
    places, unit = list(dict.fromkeys(figures["place"])), what.rpartition(", ")[2]
    ax = ax or new_axes(width=8.2, rows=max(len(places) * 2.5, 4), margin=1.2)
    marks = zip(kinds(_MARKS.items()), (-0.22, 0, 0.22), strict=False)
    for ((name, (words, marker, filled)), colour, _), shift in marks:
        group = figures[figures["rated"] == name]
        y = group["place"].map(places.index).astype(float) + shift
        faces = [colour] if filled else "none"
        dots = rings(ax, group["value"], y, colour, marker, facecolors=faces, label=words)
        texts = [f"{number(value)} {unit}, {words}" for value in group["value"]]
        describe(dots, titles(group, texts))
    counts = figures.groupby(["place", "rated"]).size()
    counted = (
        [f"{counts[place, name]} {words}" for name, (words, *_) in _MARKS.items()
         if (place, name) in counts]
        for place in places
    )  # fmt: skip
    notes(ax, map("\n".join, counted))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    for word, minimum in zip(minimums["class"], minimums["minimum"], strict=True):
        ax.axvline(minimum, color=INK, linewidth=1, linestyle="--")
        say(ax, f"{word}: {minimum:g}", (minimum, 1), (0, 3), xycoords=_TOP)
    row_axis(ax, places, f"{what} (log scale); right is faster \u2192", end=0.5, equal=False)
    return finish(ax, title, legend=3, borderaxespad=1.8)  # above the minimums' names


def read_against_write(
    points: pd.DataFrame,
    ratio: float | Sequence[float],
    ax: Axes | None = None,
    *,
    classes: pd.DataFrame | None = None,
    hue: str = "tool",
    name: str | None = None,
    title: str = "",
) -> Axes:
    """Draw reads against writes, the diagonal of each `ratio` of both, and the corners of classes.

    Parameters
    ----------
    points : DataFrame
        Columns `read` and `write`, both in B/s, and that of `hue` (colour and marker).
    classes : DataFrame, optional
        Columns `class`, `randread` and `randwrite` (4 KiB, B/s): a card above and to the right
        of the corner reaches both minimums.
    name : str, optional
        A column whose words name a mark, right of the axes; a missing one names none.
    """
    require(points, ["read", "write", hue, *([name] if name else [])], "stats.read_write_pairs")
    ax = ax or new_axes(width=8.2 if name else 6.4, rows=20, margin=0.8)
    points = points.assign(x=points["write"] / 1e6, y=points["read"] / 1e6)
    for word, colour, marker in kinds(sorted(set(points[hue]))):
        group = points[points[hue] == word]
        style = {"s": 38, "facecolors": colour, "label": f"{word} (n = {len(group)})"}
        speeds = zip(group["y"], group["x"], strict=True)
        values = [f"reads {number(y)} MB/s, writes {number(x)} MB/s" for y, x in speeds]
        describe(rings(ax, group["x"], group["y"], colour, marker, **style), titles(group, values))
    corners = points[["x", "y"]].to_numpy()
    if classes is not None:
        corners = np.vstack([corners, classes[["randwrite", "randread"]].to_numpy() / 1e6])
    ax.loglog()
    (left, bottom), (right, top) = corners.min(axis=0) * 0.7, corners.max(axis=0) * 1.6
    ax.set(xlim=(left, right), ylim=(bottom, top))
    for row in () if classes is None else classes.rename(columns={"class": "word"}).itertuples():
        write, read = row.randwrite / 1e6, row.randread / 1e6
        ax.plot([write, write, right], [top, read, read], color=INK, linewidth=1.1)
        style = {"ha": "left", "va": "top", "fontsize": LABEL, "fontweight": "bold"}
        say(ax, row.word, (write, top), (3, -2), **style)
    for slope in np.atleast_1d(ratio).astype(float):
        start, stop = max(left, bottom / slope), min(right, top / slope)
        ends = np.array([start, stop])
        ax.plot(ends, ends * slope, color=REST, linewidth=0.8, linestyle="--")
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        at = (start * 1.2, start * 1.2 * slope)  # where it comes in, away from the dots
        say(ax, f"{slope:g} : 1", at, (0, 0), va="center", bbox=box)
    for letter, what in (("x", "write"), ("y", "read")):
        log_axis(ax, letter, f"random 4 KiB {what}, MB/s (10^6 B/s, log scale)")
    finish(ax, title, legend=3)
    if name:
        named = points.dropna(subset=name)
        label_right(ax, list(zip(named["x"], named["y"], strict=True)), list(named[name]))
    return ax
