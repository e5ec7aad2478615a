"""Plots of reads against writes: their ratios, and both of them, a dot a measurement."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from sdanalysis.codebook.units import in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.axes import ABOVE, COLOURS, beside, entitle, kinds, log_axis, new_axes, rings
from sdanalysis.plots.labels import label_marks, label_right
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.rows import LETTER, notes, ratio_label, row_axis, row_names
from sdanalysis.text_tables import ratio_words

_ENDS = ("low", "high", "least", "greatest")
_COUNTS = (("cards",), ("cards_base", "cards_other"), ("base_n", "new_n"))  # of each frame


def ratios_by_jobs(
    printed: pd.DataFrame, *, label: str = "specimen", title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw each card's read/write ratio at equal process counts, beside the printed average.

    Parameters
    ----------
    printed : DataFrame
        One row a card, as `stats.printed_beside_matched` returns it: `specimen`, `value` (the
        printed ratio), `raw`, and a column `jobs_<n>` for each process count.
    label : str
        The column whose words name a line.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> printed = stats.printed_beside_matched(load())
    >>> average = (printed["metric"] == "bandwidth") & (printed["stat"] == "mean")
    >>> plots.ratios_by_jobs(printed[average]).get_ylabel()
    'how many times as fast reads are (log scale)'
    """
    require(printed, [label, "value", "raw"], "stats.printed_beside_matched")
    ax = ax or new_axes(width=7.4, rows=16, margin=0.8)
    columns = [name for name in printed if name.startswith("jobs_")]
    counts = [int(name.removeprefix("jobs_")) for name in columns]
    heights, words, colours = [], [], []
    for row, colour, marker in kinds(printed.itertuples()):
        values = [getattr(row, name) for name in columns]
        card = getattr(row, label)
        [line] = ax.plot(counts, values, marker=marker, color=colour)
        pairs = zip(values, counts, strict=True)
        describe(line, [f"{card}\n{value:.3g} times at {n} + {n} processes" for value, n in pairs])
        printed_line = ax.axhline(row.value, color=colour, linestyle=":", linewidth=1.2)
        describe(printed_line, [f"{card}\nprinted: {row.raw}"])
        style = {"ha": "left", "color": colour, "xycoords": ("axes fraction", "data")}
        beside(ax, f"printed {row.raw}", (0.01, row.value), (0, 2), fontsize=8.5, **style)
        heights.append(values[-1])
        words.append(card)
        colours.append(colour)
    ax.set_xscale("log", base=2)
    ax.margins(x=0.12, y=0.12)
    log_axis(ax, "y", "how many times as fast reads are (log scale)")
    ax.xaxis.set_major_locator(FixedLocator(counts))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("readers, and as many writers (processes)")
    ax.spines[["top", "right"]].set_visible(False)
    label_right(ax, heights, words, colours)
    entitle(ax, title)
    return ax


def ratio_forest(
    summary: pd.DataFrame,
    label: Sequence[str],
    *,
    sides: tuple[str, str] | None = None,
    ratio: str | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw ratio, interval and number of cards of each row of a summary.

    The words of the columns of `label` name a row. `sides` names what was divided by and what was
    divided, for the arrows that say which is faster; `ratio` says what was divided by what, where
    the frame is not to say it.

    Parameters
    ----------
    summary : DataFrame
        As `stats.ratio_summary`, `paired_summary`, `compare_groups`, `groups_beside_pairs`,
        `leave_one_out`, `most_influential`, `compare` or `compare_last` returns it. The thin line
        from the least to the greatest is drawn where it has both.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> pairs = stats.read_write_pairs(load())
    >>> summary = stats.ratio_summary(pairs[pairs["access"] == "random"], ["measured_by", "host"])
    >>> ax = plots.ratio_forest(summary, label=["measured_by", "host"], sides=("writes", "reads"))
    >>> ax.get_yticklabels()[0].get_text()
    'arthur, pi-3b'
    """
    made_by = "stats.ratio_summary, paired_summary, compare_groups or compare"
    require(summary, [*label, "ratio", "verdict"], made_by)
    counts = next((count for count in _COUNTS if {*count} <= {*summary}), _COUNTS[0])
    require(summary, counts, made_by)
    words = ratio or ratio_words(summary)
    names = row_names(summary, label)
    known = summary["ratio"].notna().to_numpy()  # else too few to draw from, which the row says
    rows = summary.reindex(columns=[*summary, *({*_ENDS} - {*summary})])
    width = 5.4 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=len(summary) * 1.35, margin=1.1)
    colour, places = COLOURS[0], np.arange(len(summary))
    decided = rows["low"].notna().to_numpy()
    few = ~decided & known
    numbers = summary[[*counts]].astype(str).agg(" and ".join, axis=1)
    texts = [_times_and_cards(*row) for row in zip(rows.itertuples(), numbers, strict=True)]
    said = _means(rows, names, texts)
    ax.hlines(places[decided], *(rows.loc[decided, end] for end in _ENDS[:2]), color=colour, lw=2)
    ax.hlines(places, rows["least"], rows["greatest"], color=colour, linewidth=0.8, alpha=0.5)
    dots = ax.scatter(rows["ratio"][decided], places[decided], color=colour, s=34, zorder=3)
    describe(dots, said[decided])
    style = {"facecolors": "white", "s": 34, "linewidths": None}
    describe(rings(ax, rows["ratio"][few], places[few], colour, "o", **style), said[few])
    notes(ax, texts, fontsize=8.5)
    row_axis(ax, names, ratio_label(words, sides), end=None)
    entitle(ax, title)
    return ax


def ratio_dots(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("specimen",),
    *,
    mark: Sequence[str] | None = None,
    sides: tuple[str, str] | None = None,
    ratio: str | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw every ratio of every card, the lowest card first; a line joins those of one card.

    Parameters
    ----------
    pairs : DataFrame
        `specimen` and `ratio`, as `stats.read_write_pairs` or `contrast_pairs` returns them. Those
        whose `kind`, if there is one, is not clean are hollow: drawn and counted nowhere.
    label : sequence of str
        The columns whose words name a card.
    mark : sequence of str
        The columns whose words choose the marker; the one of most cards comes first. Without them
        host and reader, as far as there are such columns.
    ratio : str, optional
        What was divided by what, where the frame is not to say it.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> pairs = stats.read_write_pairs(load())
    >>> ax = plots.ratio_dots(pairs[pairs["measured_by"] == "arthur"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['pi-3b, slot (n = 4)', 'pi-4b, slot (n = 4)']
    """
    made_by = "stats.read_write_pairs or contrast_pairs"
    places = [name for name in ("host", "reader") if name in pairs]
    mark = mark or places or ["specimen"]
    require(pairs, ["specimen", "ratio", *label, *mark], made_by)
    order = np.log(pairs["ratio"]).groupby(pairs["specimen"]).mean().sort_values(kind="stable")
    row_of = dict(zip(order.index, range(len(order)), strict=True))
    words = row_names(pairs, label).groupby(pairs["specimen"]).first()[order.index]
    ax = ax or new_axes(width=6.2 + LETTER * words.str.len().max(), rows=len(order), margin=1.3)
    ends = pairs.groupby("specimen")["ratio"].agg(["min", "max"]).loc[order.index]
    ax.hlines(range(len(order)), ends["min"], ends["max"], color="#999999", linewidth=1.0)
    marks = row_names(pairs, mark)
    cards = pairs["specimen"].groupby(marks).nunique().sort_values(ascending=False, kind="stable")
    clean = pairs["kind"].eq("clean") if "kind" in pairs else pd.Series(True, index=pairs.index)
    for (word, count), colour, marker in kinds(cards.items()):
        here = pairs[marks == word]
        style = {"linewidths": 1.4, "label": f"{word} (n = {count})"}
        style["facecolors"] = [colour if sure else "white" for sure in clean[here.index]]
        dots = rings(ax, here["ratio"], here["specimen"].map(row_of), colour, marker, **style)
        describe(dots, titles(here, _read_write(here)))
    if not clean.all():
        rings(ax, [], [], "#666666", "o", linewidths=1.4, label="hollow: doubted, not counted")
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    row_axis(ax, words, ratio_label(ratio or ratio_words(pairs), sides), fontsize=7.5)
    ax.legend(frameon=False, fontsize=8, ncols=1 if len(cards) < 3 else 2, **ABOVE)
    entitle(ax, title)
    return ax


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

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> jobs = stats.mixed_ratios(load())
    >>> points = jobs.assign(read=jobs["read"] * 4096, write=jobs["write"] * 4096)  # B/s
    >>> plots.read_against_write(points, ratio=3).get_xlabel()
    'random 4 KiB write, MB/s (10^6 B/s, log scale)'
    """
    require(points, ["read", "write", hue, *([name] if name else [])], "stats.read_write_pairs")
    ax = ax or new_axes(width=7.6 if name else 5.6, rows=20, margin=0.8)
    for group, colour, marker in kinds(sorted(set(points[hue]))):
        here = points[points[hue] == group]
        style = {"s": 38, "zorder": 3, "label": f"{group} (n = {len(here)})"}
        style |= {"color": [colour], "marker": marker}
        dots = ax.scatter(here["write"] / 1e6, here["read"] / 1e6, **style)
        speeds = zip(here["read"] / 1e6, here["write"] / 1e6, strict=True)
        said = [f"reads {number(read)} MB/s, writes {number(write)} MB/s" for read, write in speeds]
        describe(dots, titles(here, said))
    if classes is not None:
        _class_corners(ax, points, classes)
    for slope in np.atleast_1d(ratio).astype(float):
        if classes is None:
            _diagonal(ax, points["write"] / 1e6, slope)
        else:
            _diagonal_from_the_edge(ax, slope)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 3, "fontsize": 8}
    ax.legend(frameon=False, **({"loc": "lower right"} if classes is None else below))
    for letter, what in (("x", "write"), ("y", "read")):
        faster = "" if classes is None else "; faster \u2192"
        log_axis(ax, letter, f"random 4 KiB {what}, MB/s (10^6 B/s, log scale){faster}")
    ax.spines[["top", "right"]].set_visible(False)
    entitle(ax, title)
    if name:
        named = points.dropna(subset=name)
        marks = zip(named["write"] / 1e6, named["read"] / 1e6, strict=True)
        label_marks(ax, list(marks), list(named[name]))
    return ax


def _means(rows: pd.DataFrame, names: pd.Series, texts: Sequence[str]) -> np.ndarray:
    """Return what the means say: of what, how much, between what, on how many cards."""
    said = zip(names, texts, rows.itertuples(), strict=True)
    return np.array([f"{name}\n{text}{_between(row)}" for name, text, row in said], dtype=object)


def _between(row: Any) -> str:
    ends = {"from": (row.low, row.high), "single cards:": (row.least, row.greatest)}
    return "".join(
        f"\n{word} {in_two_digits(low)} to {in_two_digits(high)}"
        for word, (low, high) in ends.items()
        if pd.notna(low)
    )


def _read_write(pairs: pd.DataFrame) -> list[str]:
    """Return what ratios say, with what they were computed from where that is there."""
    factors = [f"reads {in_two_digits(ratio)} times as fast as writes" for ratio in pairs["ratio"]]
    if not {"read", "write", "metric"} <= set(pairs):
        return factors
    sizes = [(1e6, "MB/s") if metric == "bandwidth" else (1, "1/s") for metric in pairs["metric"]]
    speeds = zip(factors, pairs["read"], pairs["write"], sizes, strict=True)
    return [
        f"{text}\nread {number(read / size)} {unit}, write {number(write / size)} {unit}"
        for text, read, write, (size, unit) in speeds
    ]


def _times_and_cards(row: Any, number: str) -> str:
    """Return what stands right of a row: the mean, how sure, and on how many cards."""
    if pd.isna(row.ratio):
        return f"nothing to compare  (n = {number})"
    sure = {"~": ", not certain", "points": ", too few"}.get(row.verdict, "")
    return f"{in_two_digits(row.ratio)} times{sure}  (n = {number})"


def _diagonal(ax: Axes, writes: pd.Series, ratio: float) -> None:
    ends = np.array([writes.min() * 0.7, writes.max() * 1.4])
    ax.plot(ends, ends * ratio, color="black", linewidth=0.8, linestyle="--")
    at = (ends[1], ends[1] * ratio)
    beside(ax, f"read = {ratio:g} x write", at, (-4, 4), ha="right", fontsize=8.5)


def _diagonal_from_the_edge(ax: Axes, ratio: float) -> None:
    """Draw a diagonal across the plot, its ratio written where it comes in, away from the dots."""
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    start, stop = max(left, bottom / ratio), min(right, top / ratio)
    ax.plot([start, stop], [start * ratio, stop * ratio], color="0.5", linewidth=0.8, ls="--")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    at = (start * 1.2, start * 1.2 * ratio)
    ax.annotate(f"{ratio:g} : 1", at, ha="center", va="center", fontsize=8, bbox=box)


def _class_corners(ax: Axes, points: pd.DataFrame, classes: pd.DataFrame) -> None:
    """Draw the corner from which on both minimums of a class are reached, open to the top."""
    right = max(points["write"].max(), classes["randwrite"].max()) * 1.6 / 1e6
    top = max(points["read"].max(), classes["randread"].max()) * 1.6 / 1e6
    style = {"ha": "left", "va": "top", "fontsize": 9, "fontweight": "bold", "color": "0.25"}
    corners = classes[["class", "randwrite", "randread"]]
    for word, *corner in corners.itertuples(index=False, name=None):
        write, read = (minimum / 1e6 for minimum in corner)
        ax.plot([write, write, right], [top, read, read], color="0.35", linewidth=1.1)
        beside(ax, word, (write, top), (3, -2), **style)
    ax.loglog()
    ax.set_xlim(points["write"].min() * 0.7 / 1e6, right)
    ax.set_ylim(min(points["read"].min(), classes["randread"].min()) * 0.7 / 1e6, top)
