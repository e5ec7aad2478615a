"""Plots of pairs: one condition changed, all others alike; a ratio a row, or a line a pair."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, LogLocator, NullLocator

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.axes import ABOVE, COLOURS, entitle, log_axis, new_axes, rings, widen
from sdanalysis.plots.labels import label_right
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.rows import LETTER, notes, ratio_label, row_axis, row_names

_BANDS = (
    ("specimen_band", "#ececec", "two cards of one model differed so much"),
    ("noise_band", "#b9c3cf", "two runs of one card may differ so much"),
)
_STYLES = {  # kind of pair: marker, line, colour of the edge, colour of the inside
    "clean": ("o", "-", COLOURS[0], COLOURS[0]),
    "suspicious": ("s", "--", COLOURS[3], "white"),
    "cross-laboratory": ("D", ":", COLOURS[2], "white"),
    "perhaps another card": ("^", "-.", COLOURS[4], "white"),
}
_MADE_BY = "stats.contrast_pairs or vintage_pairs"
_UNITS = {"bandwidth": ("MB/s (10^6 B/s", 1e6), "iops": ("operations per second (1/s", 1.0)}


def pair_forest(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("label",),
    *,
    ratio: str = "other / base",
    note: str | None = None,
    mark: str = "kind",
    sides: tuple[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the ratio of each pair, one row a pair, before the bands of what is no finding.

    The words of the columns of `label` name a row, and `ratio` says what was divided by what.
    `sides` names base and other for the arrows that say which side is faster.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.contrast_pairs` or `stats.vintage_pairs` returns it, in the order of the rows;
        a column `specimen_band` is drawn where there is one.
    note : str, optional
        A column whose words stand right of each row, behind the ratio and, where a side has
        several, the runs.
    mark : str
        The column whose words choose the mark of a row.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> places = ["kulesz-workstation/cr0015", "kulesz-workstation/cr0034a"]
    >>> pairs = stats.contrast_pairs(data.measurements, "reader", data.noise, levels=places)
    >>> ax = plots.pair_forest(pairs, ["specimen", "op"], ratio="USB 3.0 / USB 2.0")
    >>> ax.get_xlabel()
    'USB 3.0 / USB 2.0 (log scale; 1 = equal)'
    """
    needed = [*label, mark, "ratio", "ratio_low", "ratio_high", "runs_base", "runs_other"]
    require(pairs, [*needed, *([note] if note else [])], _MADE_BY)
    names = row_names(pairs, label)
    width = 5.6 + LETTER * names.str.len().max() + (0.8 if note else 0)
    ax = ax or new_axes(width=width, rows=len(pairs) * 1.15, margin=1.35)
    places = np.arange(len(pairs))
    _draw_bands(ax, pairs, places)
    style = {"color": "#333333", "linewidth": 1.2, "label": "rounding and unknown MB"}
    ax.hlines(places, pairs["ratio_low"], pairs["ratio_high"], **style)
    _draw_marks(ax, pairs, places, mark, sides)
    words = [""] * len(pairs) if note is None else pairs[note]
    texts = [
        "  ".join(filter(None, [in_two_digits(row.ratio), _runs(row), word]))
        for row, word in zip(pairs.itertuples(), words, strict=True)
    ]
    notes(ax, texts)
    _ratio_axis(ax, names, ratio, sides)
    ax.legend(frameon=False, fontsize=8, ncols=2, **ABOVE)
    entitle(ax, title)
    return ax


def pair_slopes(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("label",),
    *,
    sides: tuple[str, str] = ("base", "other"),
    mark: str = "kind",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw each pair as a line from the value of its base to that of the other side.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.contrast_pairs` or `stats.vintage_pairs` returns it, of one metric.
    label : sequence of str
        The columns whose words stand right of a line, before its ratio.
    mark : str
        The column whose words choose the mark and the line.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> places = ["kulesz-workstation/cr0015", "kulesz-workstation/cr0034a"]
    >>> pairs = stats.contrast_pairs(data.measurements, "reader", data.noise, levels=places)
    >>> ax = plots.pair_slopes(pairs, ["specimen", "op"], sides=("USB 2.0", "USB 3.0"))
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['USB 2.0', 'USB 3.0']
    """
    require(pairs, [*label, mark, "metric", "value_base", "value_other", "ratio"], _MADE_BY)
    names = row_names(pairs, label)
    width = 5.4 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=max(14, len(pairs) * 0.8), margin=1.0)
    name, size = _UNITS[pairs["metric"].iloc[0]]
    _draw_lines(ax, pairs, size, mark, sides)
    ax.set_xlim(-0.12, 1.06)
    ax.margins(y=0.06)
    widen(ax, "y", 3.0)
    ax.legend(frameon=False, fontsize=8, ncols=2, **ABOVE)
    log_axis(ax, "y", f"{name}, log scale)")
    ax.xaxis.set_major_locator(FixedLocator([0, 1]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticklabels(sides, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    factors = map(in_two_digits, pairs["ratio"])
    texts = [f"{words}  ×{factor}" for words, factor in zip(names, factors, strict=True)]
    styles = _styles(pairs[mark])
    shades = [styles[word][2] for word in pairs[mark]]
    label_right(ax, list(pairs["value_other"] / size), texts, shades)
    entitle(ax, title)
    return ax


def _styles(words: pd.Series) -> dict[str, tuple[str, str, str, str]]:
    """Return a style for each word: that of its kind, or the next one, as they first appear."""
    found = list(dict.fromkeys(words))
    if set(found) <= _STYLES.keys():
        return {kind: style for kind, style in _STYLES.items() if kind in found}
    return dict(zip(found, cycle(_STYLES.values()), strict=False))


def _runs(row: Any) -> str:
    several = max(row.runs_base, row.runs_other) > 1
    return f"({row.runs_base}:{row.runs_other} runs)" if several else ""


def _ratio_axis(
    ax: Axes, names: Sequence[str], ratio: str, sides: tuple[str, str] | None = None
) -> None:
    row_axis(ax, names, ratio_label(ratio, sides), fontsize=8, least=3.0)
    low, high = ax.get_xlim()
    if high / low > 4:  # all of 0.6 to 0.9 do not fit beside 1
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))


def _draw_bands(ax: Axes, pairs: pd.DataFrame, places: np.ndarray) -> None:
    for column, colour, words in _BANDS:
        if column in pairs and pairs[column].notna().any():
            band = pairs[column].fillna(1.0)
            left = 1 / band
            label = f"{words}{_basis(pairs, column)}"
            ax.barh(places, band - left, left=left, height=0.92, color=colour, label=label)


def _counted(word: str, rows: int) -> str:
    """Return a word of the legend with the number of its rows: the results of cards, not cards."""
    return f"{word} ({counted(rows, 'result')})"


def _basis(pairs: pd.DataFrame, band: str) -> str:
    """Return what a band of two cards rests on: mostly another test than that of the rows."""
    found = pairs["specimen_basis"].dropna().unique() if "specimen_basis" in pairs else []
    return f":\n{found[0]}" if band == "specimen_band" and len(found) == 1 else ""


def _draw_marks(
    ax: Axes, pairs: pd.DataFrame, places: np.ndarray, mark: str, sides: tuple[str, str] | None
) -> None:
    for word, (marker, _, colour, inside) in _styles(pairs[mark]).items():
        here = (pairs[mark] == word).to_numpy()
        style = {"facecolors": [inside], "s": 36, "linewidths": 1.4}
        style["label"] = _counted(word, here.sum())
        dots = rings(ax, pairs.loc[here, "ratio"], places[here], colour, marker, **style)
        describe(dots, titles(pairs[here], _changes(pairs[here], sides)))


def _draw_lines(
    ax: Axes, pairs: pd.DataFrame, size: float, mark: str, sides: tuple[str, str]
) -> None:
    for word, (marker, line, colour, inside) in _styles(pairs[mark]).items():
        here = pairs[pairs[mark] == word]
        ends = np.array([here["value_base"], here["value_other"]]) / size
        style = {"color": colour, "linestyle": line, "linewidth": 1.5, "marker": marker}
        lines = ax.plot([0, 1], ends, markerfacecolor=inside, **style)
        for drawn, title in zip(lines, titles(here, _changes(here, sides)), strict=True):
            describe(drawn, [title, title])  # of its two ends
        for first in lines[:1]:
            first.set_label(_counted(word, len(here)))


def _changes(pairs: pd.DataFrame, sides: tuple[str, str] | None) -> list[str]:
    """Return what the pairs say: the factor, and the values of both sides."""
    base, other = (f"{side}: " for side in sides) if sides else ("", "\N{RIGHTWARDS ARROW} ")
    texts = []
    for row in pairs.itertuples():
        words, size = _UNITS.get(row.metric, ("", 1.0))
        unit = "MB/s" if words.startswith("MB/s") else "1/s"
        values = (number(value / size) for value in (row.value_base, row.value_other))
        before, after = (
            f"{side}{value} {unit}" for side, value in zip((base, other), values, strict=True)
        )
        texts.append(f"{in_two_digits(row.ratio)} times\n{before}\n{after}")
    return texts
