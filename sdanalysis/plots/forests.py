"""Plots of ratios, a row each: their intervals, what is no finding, and what a sentence allows."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.palette import SERIES
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.style import (
    AVOID,
    FAINT,
    INK,
    LETTER,
    REST,
    finish,
    intervals,
    kinds,
    new_axes,
    notes,
    ratio_label,
    rings,
    row_axis,
    row_names,
)  # fmt: skip
from sdanalysis.text_tables import ratio_words

STYLES = {  # kind of pair: marker, line, colour of the edge, colour of the inside
    "clean": ("o", "-", SERIES[0], SERIES[0]),
    "suspicious": ("s", "--", AVOID, "white"),
    "cross-laboratory": ("D", ":", SERIES[1], "white"),
    "perhaps another card": ("^", "-.", SERIES[3], "white"),
}
UNITS = {"bandwidth": ("MB/s (10^6 B/s", 1e6), "iops": ("operations per second (1/s", 1.0)}
_ENDS = ("low", "high", "least", "greatest")
_COUNTS = (("cards",), ("cards_base", "cards_other"), ("base_n", "new_n"))  # of each frame


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
        As `stats.paired_summary`, `compare_groups`, `groups_beside_pairs`, `most_influential`,
        `compare` or `compare_last` returns it. The thin line
        from the least to the greatest is drawn where it has both.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> pairs = stats.read_write_pairs(load())
    >>> summary = stats.paired_summary(pairs[pairs["access"] == "random"], ["measured_by", "host"])
    >>> ax = plots.ratio_forest(summary, label=["measured_by", "host"], sides=("writes", "reads"))
    >>> ax.get_yticklabels()[0].get_text()
    'arthur, pi-3b'
    """
    made_by = "stats.paired_summary, compare_groups or compare"
    require(summary, [*label, "ratio", "verdict"], made_by)
    counts = next((count for count in _COUNTS if {*count} <= {*summary}), _COUNTS[0])
    require(summary, counts, made_by)
    rows = summary.reindex(columns=[*summary, *({*_ENDS} - {*summary})]).reset_index(drop=True)
    names = row_names(rows, label)
    width = 5.8 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=len(rows) * 1.35, margin=1.1)
    numbers = rows[[*counts]].astype(str).agg(" and ".join, axis=1)
    texts = [_times_and_cards(*row) for row in zip(rows.itertuples(), numbers, strict=True)]
    ax.hlines(rows.index, rows["least"], rows["greatest"], color=REST, linewidth=0.8)
    dots = intervals(ax, rows, "ratio", rows.index.to_series(), INK, "o", s=34)
    said = zip(names, texts, rows.itertuples(), strict=True)
    describe(dots, [f"{name}\n{text}{_between(row)}" for name, text, row in said])
    notes(ax, texts)
    row_axis(ax, names, ratio_label(ratio or ratio_words(summary), sides), end=0.5)
    return finish(ax, title)


def _times_and_cards(row: Any, count: str) -> str:
    """Return what stands right of a row: the mean, how sure, and on how many cards."""
    if pd.isna(row.ratio):
        return f"nothing to compare  (n = {count})"
    sure = {"~": ", not certain", "points": ", too few"}.get(row.verdict, "")
    return f"{in_two_digits(row.ratio)} times{sure}  (n = {count})"


def _between(row: Any) -> str:
    ends = {"from": (row.low, row.high), "single cards:": (row.least, row.greatest)}
    return "".join(
        f"\n{word} {in_two_digits(low)} to {in_two_digits(high)}"
        for word, (low, high) in ends.items()
        if pd.notna(low)
    )


def ratio_dots(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("specimen",),
    *,
    mark: Sequence[str] = (),
    middle: tuple[float, float] | None = None,
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
        all marks are alike.
    middle : (low, high), optional
        Between which ratios half of the cards lie: a band behind all rows.
    ratio : str, optional
        What was divided by what, where the frame is not to say it.

    Examples
    --------
    >>> from sdanalysis import load, plots, stats
    >>> pairs = stats.read_write_pairs(load())
    >>> ax = plots.ratio_dots(pairs[pairs["measured_by"] == "arthur"], mark=["host"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['pi-3b (n = 4)', 'pi-4b (n = 4)']
    """
    require(pairs, ["specimen", "ratio", *label, *mark], "stats.read_write_pairs or contrast_pairs")
    order = np.log(pairs["ratio"]).groupby(pairs["specimen"]).mean().sort_values(kind="stable")
    row_of = dict(zip(order.index, range(len(order)), strict=True))
    names = row_names(pairs, label).groupby(pairs["specimen"]).first()[order.index]
    ax = ax or new_axes(width=6.2 + LETTER * names.str.len().max(), rows=len(order), margin=1.3)
    if middle:
        ax.axvspan(*middle, color=FAINT, linewidth=0, zorder=0, label="half of the cards")
    ends = pairs.groupby("specimen")["ratio"].agg(["min", "max"]).loc[order.index]
    ax.hlines(range(len(order)), ends["min"], ends["max"], color=REST, linewidth=1.0)
    words = row_names(pairs, mark) if len(mark) else pd.Series("", pairs.index)
    cards = pairs["specimen"].groupby(words).nunique().sort_values(ascending=False, kind="stable")
    clean = pairs["kind"].eq("clean") if "kind" in pairs else pd.Series(True, index=pairs.index)
    for (word, count), colour, marker in kinds(cards.items()):
        here = pairs[words == word]
        style = {"label": f"{word} (n = {count})" if len(mark) else None}
        style["facecolors"] = [colour if sure else "white" for sure in clean[here.index]]
        dots = rings(ax, here["ratio"], here["specimen"].map(row_of), colour, marker, **style)
        describe(dots, titles(here, _read_write(here)))
    if not clean.all():
        rings(ax, [], [], REST, "o", label="hollow: doubted, not counted")
    row_axis(ax, names, ratio_label(ratio or ratio_words(pairs), sides))
    return finish(ax, title, legend=2)


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


def host_effects(
    effects: pd.DataFrame,
    label: Sequence[str],
    hue: str,
    ratio: str,
    *,
    doubted: pd.DataFrame | None = None,
    sides: tuple[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw ratios with their intervals, one row a place and one colour an estimate.

    Parameters
    ----------
    effects : DataFrame
        Columns `ratio`, `low`, `high`, `note` (what stands right of a mark), those of `label` (the
        words of a row), that of `hue` (colour and marker), and if there `bus` (the ratio of the
        bus limits, drawn as a bar across the row).
    ratio : str
        What was divided by what; `sides` names both for the arrows to the faster one.
    doubted : DataFrame, optional
        Pairs that are in no estimate (`ratio` and the columns of `label`), drawn as crosses.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> gains = stats.host_gains(data.measurements, data.hosts.query("reader == 'slot'"), "pi-3b")
    >>> gains = gains[gains["speed"].isna() & (gains["other"] == "pi-4b")]
    >>> ax = plots.host_effects(gains, ["what"], "measured_by", "Pi 4 / Pi 3")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['small reads', 'small writes']
    """
    needed = [*label, hue, "ratio", "low", "high", "note"]
    require(effects, needed, "stats.host_gains")
    if doubted is not None:
        require(doubted, [*label, "ratio"], "stats.contrast_pairs")
    names = row_names(effects, label)
    order = list(dict.fromkeys(names))
    estimates = list(dict.fromkeys(effects[hue]))
    step = 0.72 / max(len(estimates), 1)
    lane = effects.groupby(names).cumcount() - (names.map(names.value_counts()) - 1) / 2
    ax = ax or new_axes(width=8.8, rows=max(len(order) * 0.9 * len(estimates), 2), margin=1.35)
    for estimate, colour, marker in kinds(estimates):
        here = effects[effects[hue] == estimate]
        y = names[here.index].map(order.index) + lane[here.index] * step
        dots = intervals(ax, here, "ratio", y, colour, marker)
        describe(dots, _estimates(here, names[here.index]))
        rings(ax, [], [], colour, marker, facecolors=colour, label=estimate)  # for the legend
        notes(ax, here["note"], y, [colour] * len(here))
    if "bus" in effects:
        rows = effects.assign(y=names.map(order.index)).drop_duplicates("y").dropna(subset="bus")
        style = {"linewidth": 2.4, "zorder": 2, "label": "ratio of the bus limits"}
        ax.vlines(rows["bus"], rows["y"] - 0.42, rows["y"] + 0.42, color=INK, **style)
    if doubted is not None and len(doubted):
        places = row_names(doubted, label).map({name: at for at, name in enumerate(order)})
        words = "a doubted figure, not in the mean"
        style = {"color": AVOID, "marker": "x", "s": 26, "lw": 1, "label": words}
        factors = [f"{in_two_digits(value)} times, doubted" for value in doubted["ratio"]]
        describe(ax.scatter(doubted["ratio"], places, **style), titles(doubted, factors))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    row_axis(ax, order, ratio_label(ratio, sides))
    return finish(ax, title, legend=3 if len(estimates) > 1 or "bus" in effects else 0)


def _estimates(rows: pd.DataFrame, names: pd.Series) -> list[str]:
    """Return what the marks of an estimate say."""
    factors = [
        f"{in_two_digits(row.ratio)} times"
        + ("" if pd.isna(row.low) else f" ({in_two_digits(row.low)} to {in_two_digits(row.high)})")
        + (f", {counted(row.cards, 'card')}" if "cards" in rows else "")
        for row in rows.itertuples()
    ]
    return titles(rows.drop(columns="cards", errors="ignore").assign(name=names), factors)


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
    """Draw the ratio of each pair, one row a pair, before the band of run noise.

    The words of the columns of `label` name a row, and `ratio` says what was divided by what.
    `sides` names base and other for the arrows that say which side is faster.

    Parameters
    ----------
    pairs : DataFrame
        As `stats.contrast_pairs` returns it, in the order of the rows.
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
    >>> ax.get_xlabel().splitlines()[0]
    'USB 3.0 / USB 2.0 (log scale; 1 = equal)'
    """
    needed = [*label, mark, "ratio", "ratio_low", "ratio_high", "runs_base", "runs_other"]
    needed += [note] if note else []
    require(pairs, needed, "stats.contrast_pairs")
    names = row_names(pairs, label)
    width = 5.8 + LETTER * names.str.len().max() + (0.8 if note else 0)
    ax = ax or new_axes(width=width, rows=len(pairs) * 1.15 + 5, margin=1.35)
    places, words = np.arange(len(pairs)), ""
    if "noise_band" in pairs and pairs["noise_band"].notna().any():
        band = pairs["noise_band"].fillna(1.0)
        ax.barh(places, band - 1 / band, left=1 / band, height=0.92, color=FAINT)
        words = "\nband: two runs of one card may differ so much"
    # what rounding and the unknown size of MB allow
    ax.hlines(places, pairs["ratio_low"], pairs["ratio_high"], color=INK, linewidth=1.2)
    for word, (marker, _, colour, inside) in pair_styles(pairs[mark]).items():
        here = (pairs[mark] == word).to_numpy()
        style = {
            "facecolors": [inside],
            "s": 36,
            "label": f"{word} ({counted(sum(here), 'result')})",
        }
        dots = rings(ax, pairs.loc[here, "ratio"], places[here], colour, marker, **style)
        describe(dots, titles(pairs[here], changes(pairs[here], sides)))
    texts = [
        "  ".join(filter(None, [in_two_digits(row.ratio), _runs(row), note and getattr(row, note)]))
        for row in pairs.itertuples()
    ]
    notes(ax, texts)
    row_axis(ax, names, ratio_label(ratio, sides) + words, least=3.0)
    return finish(ax, title, legend=2 if pairs[mark].nunique() > 1 else 0)


def pair_styles(words: pd.Series) -> dict[str, tuple[str, str, str, str]]:
    """Return a style for each word: that of its kind, or the next one, as they first appear."""
    found = list(dict.fromkeys(words))
    if set(found) <= STYLES.keys():
        return {kind: style for kind, style in STYLES.items() if kind in found}
    return dict(zip(found, cycle(STYLES.values()), strict=False))


def changes(pairs: pd.DataFrame, sides: tuple[str, str] | None) -> list[str]:
    """Return what pairs say: the factor, and the values of both sides."""
    base, other = (f"{side}: " for side in sides) if sides else ("", "\N{RIGHTWARDS ARROW} ")
    texts = []
    for row in pairs.itertuples():
        words, size = UNITS.get(row.metric, ("", 1.0))
        unit = "MB/s" if words.startswith("MB/s") else "1/s"
        before, after = (number(value / size) for value in (row.value_base, row.value_other))
        texts.append(
            f"{in_two_digits(row.ratio)} times\n{base}{before} {unit}\n{other}{after} {unit}"
        )
    return texts


def _runs(row: Any) -> str:
    several = max(row.runs_base, row.runs_other) > 1
    return f"({row.runs_base}:{row.runs_other} runs)" if several else ""
