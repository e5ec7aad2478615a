"""Plots of pairs: the ratio of each, a row a pair, and the line from one side to the other."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.palette import SERIES
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.style import (
    AVOID,
    FAINT,
    INK,
    LETTER,
    finish,
    label_right,
    log_axis,
    new_axes,
    notes,
    ratio_label,
    rings,
    row_axis,
    row_names,
    widen,
)  # fmt: skip

_STYLES = {  # kind of pair: marker, line, colour of the edge, colour of the inside
    "clean": ("o", "-", SERIES[0], SERIES[0]),
    "suspicious": ("s", "--", AVOID, "white"),
    "cross-laboratory": ("D", ":", SERIES[1], "white"),
    "perhaps another card": ("^", "-.", SERIES[3], "white"),
}
_UNITS = {"bandwidth": ("MB/s (10^6 B/s", 1e6), "iops": ("operations per second (1/s", 1.0)}


def pair_forest(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("label",),
    *,
    ratio: str = "other / base",
    mark: str = "kind",
    sides: tuple[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the ratio of each of `stats.contrast_pairs`, a row a pair, before the band of run noise.

    The words of the columns of `label` name a row, those of `mark` choose its mark.
    """
    needed = [*label, mark, "ratio", "ratio_low", "ratio_high", "runs_base", "runs_other"]
    require(pairs, needed, "stats.contrast_pairs")
    names = row_names(pairs, label)
    width = 5.8 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=len(pairs) * 1.15 + 5, margin=1.35)
    places, words = np.arange(len(pairs)), ""
    if "noise_band" in pairs and pairs["noise_band"].notna().any():
        band = pairs["noise_band"].fillna(1.0)
        ax.barh(places, band - 1 / band, left=1 / band, height=0.92, color=FAINT)
        words = "\nband: two runs of one card may differ so much"
    # what rounding and the unknown size of MB allow
    ax.hlines(places, pairs["ratio_low"], pairs["ratio_high"], color=INK, linewidth=1.2)
    for word, (marker, _, colour, inside) in _styles(pairs[mark]).items():
        group = (pairs[mark] == word).to_numpy()
        style = {
            "facecolors": [inside],
            "s": 36,
            "label": f"{word} ({counted(sum(group), 'result')})",
        }
        dots = rings(ax, pairs.loc[group, "ratio"], places[group], colour, marker, **style)
        describe(dots, titles(pairs[group], _changes(pairs[group], sides)))
    several = pairs[["runs_base", "runs_other"]].max(axis=1) > 1
    counts = pairs["runs_base"].astype(str) + ":" + pairs["runs_other"].astype(str)
    notes(ax, pairs["ratio"].map(in_two_digits) + ("  (" + counts + " runs)").where(several, ""))
    row_axis(ax, names, ratio_label(ratio, sides) + words, least=3.0)
    return finish(ax, title, legend=2 if pairs[mark].nunique() > 1 else 0)


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

    The pairs are of `stats.contrast_pairs`, of one metric. The words of the columns of `label`
    stand right of a line, before its ratio; those of `mark` choose the mark and the line.
    """
    needed = [*label, mark, "metric", "value_base", "value_other", "ratio"]
    require(pairs, needed, "stats.contrast_pairs")
    names = row_names(pairs, label)
    width = 5.4 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=max(14, len(pairs) * 0.8), margin=1.0)
    name, size = _UNITS[pairs["metric"].iloc[0]]
    styles = _styles(pairs[mark])
    for word, (marker, line, colour, inside) in styles.items():
        group = pairs[pairs[mark] == word]
        ends = np.array([group["value_base"], group["value_other"]]) / size
        style = {"color": colour, "linestyle": line, "linewidth": 1.5, "marker": marker}
        lines = ax.plot([0, 1], ends, markerfacecolor=inside, **style)
        for drawing, text in zip(lines, titles(group, _changes(group, sides)), strict=True):
            describe(drawing, [text, text])  # of its two ends
        lines[0].set_label(f"{word} ({counted(len(group), 'result')})")
    ax.set_xlim(-0.12, 1.06)
    ax.margins(y=0.06)
    widen(ax, "y", 3.0)
    log_axis(ax, "y", f"{name}, log scale)")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks([0, 1], sides)
    finish(ax, title, legend=2 if len(styles) > 1 else 0)
    factors = map(in_two_digits, pairs["ratio"])
    texts = [f"{words}  ×{factor}" for words, factor in zip(names, factors, strict=True)]
    ends = [(1.0, value) for value in pairs["value_other"] / size]
    label_right(ax, ends, texts, [styles[word][2] for word in pairs[mark]])
    return ax


def _styles(words: pd.Series) -> dict[str, tuple[str, str, str, str]]:
    """Return a style for each word: that of its kind, or the next one, as they first appear."""
    found = list(dict.fromkeys(words))
    if set(found) <= _STYLES.keys():
        return {kind: style for kind, style in _STYLES.items() if kind in found}
    return dict(zip(found, cycle(_STYLES.values()), strict=False))


def _changes(pairs: pd.DataFrame, sides: tuple[str, str] | None) -> list[str]:
    """Return what pairs say: the factor, and the values of both sides."""
    base, other = (f"{side}: " for side in sides) if sides else ("", "\N{RIGHTWARDS ARROW} ")
    texts = []
    for row in pairs.itertuples():
        words, size = _UNITS.get(row.metric, ("", 1.0))
        unit = "MB/s" if words.startswith("MB/s") else "1/s"
        before, after = (number(value / size) for value in (row.value_base, row.value_other))
        texts.append(
            f"{in_two_digits(row.ratio)} times\n{base}{before} {unit}\n{other}{after} {unit}"
        )
    return texts
