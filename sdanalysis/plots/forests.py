"""Plots of ratios, a row each: their intervals, what is no finding, and what a sentence allows."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.marks import describe, number, titles
from sdanalysis.plots.style import (
    ABOVE,
    AVOID,
    FAINT,
    GOOD,
    INK,
    LETTER,
    REST,
    SMALL,
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

_REACH = ["low", "high", "least", "greatest"]
_VERDICTS = {  # verdict: its word, colour, marker
    "supported": ("holds", GOOD, "o"),
    "contradicted": ("refuted", AVOID, "s"),
    "undecided": ("open", REST, "^"),
}
_WIDTH = 60  # letters of a line of a sentence
_ALLOWED = "#e9e9e9"
_COUNTS = (("cards",), ("cards_base", "cards_other"), ("base_n", "new_n"))  # of each frame


def ratio_forest(
    summary: pd.DataFrame,
    label: Sequence[str],
    *,
    sides: tuple[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw ratio, interval and number of cards of each row of a summary of ratios of `stats`.

    The words of the columns of `label` name a row. `sides` names what was divided by and what was
    divided, for the arrows that say which is faster. A thin line goes from the least card to the
    greatest.
    """
    made_by = "stats.paired_summary, compare_groups or compare"
    require(summary, [*label, "ratio", "verdict"], made_by)
    counts = next((count for count in _COUNTS if {*count} <= {*summary}), _COUNTS[0])
    require(summary, counts, made_by)
    rows = summary.reindex(columns=[*summary, *({*_REACH} - {*summary})]).reset_index(drop=True)
    names = row_names(rows, label)
    width = 5.8 + LETTER * names.str.len().max()
    ax = ax or new_axes(width=width, rows=len(rows) * 1.35, margin=1.1)
    numbers = rows[[*counts]].astype(str).agg(" and ".join, axis=1)
    texts = [_times_and_cards(*row) for row in zip(rows.itertuples(), numbers, strict=True)]
    ax.hlines(rows.index, rows["least"], rows["greatest"], color=REST, linewidth=0.8)
    dots = intervals(ax, rows, "ratio", rows.index.to_series(), INK, "o", s=34)
    reach = zip(names, texts, rows[_REACH].to_numpy(float), strict=True)
    words = [
        f"{name}\n{text}" + _ends(low, high, "\nfrom ") + _ends(*single, "\nsingle cards: ")
        for name, text, (low, high, *single) in reach
    ]
    describe(dots, words)
    notes(ax, texts)
    row_axis(ax, names, ratio_label(ratio_words(summary), sides), end=0.5)
    return finish(ax, title)


def _times_and_cards(row: Any, count: str) -> str:
    """Return what stands right of a row: the mean, how sure, and on how many cards."""
    if pd.isna(row.ratio):
        return f"nothing to compare  (n = {count})"
    sure = {"~": ", not certain", "points": ", too few"}.get(row.verdict, "")
    return f"{in_two_digits(row.ratio)} times{sure}  (n = {count})"


def _ends(low: float, high: float, before: str, after: str = "") -> str:
    """Return where something lies, where that is known."""
    if pd.isna(low):
        return ""
    return f"{before}{in_two_digits(low)} to {in_two_digits(high)}{after}"


def ratio_dots(
    pairs: pd.DataFrame,
    label: Sequence[str] = ("specimen",),
    *,
    mark: Sequence[str] = (),
    middle: tuple[float, float] | None = None,
    sides: tuple[str, str] | None = None,
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
        group = pairs[words == word]
        style = {"label": f"{word} (n = {count})" if len(mark) else None}
        style["facecolors"] = [colour if sure else "white" for sure in clean[group.index]]
        dots = rings(ax, group["ratio"], group["specimen"].map(row_of), colour, marker, **style)
        describe(dots, titles(group, _read_write(group)))
    if not clean.all():
        rings(ax, [], [], REST, "o", label="hollow: doubted, not counted")
    row_axis(ax, names, ratio_label(ratio_words(pairs), sides))
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
    sides: tuple[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw ratios with their intervals, one row a place and one colour an estimate.

    The words of the columns of `label` name a row, those of `hue` choose colour and marker, and
    those of `note` stand right of a mark. `ratio` says what was divided by what.
    """
    require(effects, [*label, hue, "ratio", "low", "high", "note"], "stats.host_gains")
    names = row_names(effects, label)
    order = list(dict.fromkeys(names))
    estimates = list(dict.fromkeys(effects[hue]))
    step = 0.72 / max(len(estimates), 1)
    lane = effects.groupby(names).cumcount() - (names.map(names.value_counts()) - 1) / 2
    ax = ax or new_axes(width=8.8, rows=max(len(order) * 0.9 * len(estimates), 2), margin=1.35)
    for estimate, colour, marker in kinds(estimates):
        group = effects[effects[hue] == estimate]
        y = names[group.index].map(order.index) + lane[group.index] * step
        dots = intervals(ax, group, "ratio", y, colour, marker)
        describe(dots, _estimates(group, names[group.index]))
        rings(ax, [], [], colour, marker, facecolors=colour, label=estimate)  # for the legend
        notes(ax, group["note"], y, [colour] * len(group))
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    row_axis(ax, order, ratio_label(ratio, sides))
    return finish(ax, title, legend=3 if len(estimates) > 1 else 0)


def _estimates(rows: pd.DataFrame, names: pd.Series) -> list[str]:
    """Return what the marks of an estimate say."""
    factors = [
        f"{in_two_digits(row.ratio)} times{_ends(row.low, row.high, ' (', ')')}"
        + (f", {counted(row.cards, 'card')}" if "cards" in rows else "")
        for row in rows.itertuples()
    ]
    return titles(rows.drop(columns="cards", errors="ignore").assign(name=names), factors)


def found_against_stated(ledger: pd.DataFrame, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw each ratio that was found, with its interval, over the range that the sentence allows.

    What holds stands first, then what is refuted, then what is open. The rows are those of
    `claims.ledger` whose `computed` is a ratio; without an interval the mark is hollow.
    """
    found, stated = ["computed", "low", "high"], ["stated", "stated_low", "stated_high"]
    require(ledger, ["claim", "verdict", "who", *found, *stated], "claims.ledger")
    order = ledger["verdict"].map(list(_VERDICTS).index)
    rows = ledger.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    names = [textwrap.fill(sentence, _WIDTH) for sentence in rows["claim"]]
    high = sum(1.1 + 0.8 * name.count("\n") for name in names)
    ax = ax or new_axes(width=9.6, rows=high, margin=1)
    ends = rows[["computed", "low", "high", "stated"]].to_numpy(float)
    least, most = np.nanmin(ends) / 1.3, np.nanmax(ends) * 1.3
    left, right = rows["stated_low"].clip(lower=least), rows["stated_high"].clip(upper=most)
    ax.barh(rows.index, right - left, left=left, height=0.8, color=_ALLOWED)
    words = rows["verdict"].map(lambda verdict: _VERDICTS[verdict][0])
    notes(ax, words + ", " + rows["who"].astype(str))
    for verdict in dict.fromkeys(rows["verdict"]):
        group, (word, colour, marker) = rows[rows["verdict"] == verdict], _VERDICTS[verdict]
        style = {"s": 32, "label": word}
        dots = intervals(ax, group, "computed", group.index.to_series(), colour, marker, **style)
        describe(dots, _verdict_titles(group))
    ax.set_xlim(least, most)
    row_axis(ax, names, "times as fast (log scale; 1 = equal)")
    ax.tick_params(axis="x", labeltop=True)
    handles = [*ax.get_legend_handles_labels()[0], Patch(color=_ALLOWED, label="allowed")]
    ax.legend(
        handles=handles, frameon=False, ncols=4, fontsize=SMALL, **ABOVE | {"borderaxespad": 2}
    )
    return finish(ax, title)


def _verdict_titles(rows: pd.DataFrame) -> Iterable[str]:
    """Yield what marks say: the sentence, what was found and allowed, and where it stands."""
    for row in rows.itertuples():
        found = f"{in_two_digits(row.computed)} times{_ends(row.low, row.high, ' (', ')')}"
        low, high = row.stated_low, row.stated_high
        allowed = f"{low:.3g} and more" if np.isinf(high) else f"{low:.3g} to {high:.3g}"
        allowed = f"the sentence allows {allowed if low else f'at most {high:.3g}'}"
        verdict = f"{_VERDICTS[row.verdict][0]}, {row.who}"
        yield "\n".join([row.claim, found, allowed, verdict, f"{row.source}, {row.place}"])
