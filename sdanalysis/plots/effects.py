"""Plots of effects: ratios of the same cards with their intervals, one row a place."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import require
from sdanalysis.plots.axes import entitle, kinds, new_axes
from sdanalysis.plots.marks import describe, titles
from sdanalysis.plots.rows import intervals, notes, ratio_label, row_axis, row_names


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
    ax = ax or new_axes(width=8.4, rows=max(len(order) * 0.9 * len(estimates), 2), margin=1.35)
    for index, (estimate, colour, marker) in enumerate(kinds(estimates)):
        here = effects[effects[hue] == estimate]
        y = names[here.index].map(order.index) + (index - (len(estimates) - 1) / 2) * step
        describe(intervals(ax, here, "ratio", y, colour, marker), _said(here, names))
        ax.scatter([], [], color=[colour], marker=marker, s=30, label=estimate)  # for the legend
        notes(ax, here["note"], y, color=colour)
    if "bus" in effects:
        rows = effects.assign(y=names.map(order.index)).drop_duplicates("y").dropna(subset="bus")
        style = {"linewidth": 2.4, "zorder": 2, "label": "ratio of the bus limits"}
        ax.vlines(rows["bus"], rows["y"] - 0.42, rows["y"] + 0.42, color="black", **style)
    if doubted is not None and len(doubted):
        places = row_names(doubted, label).map({name: at for at, name in enumerate(order)})
        words = "a doubted figure, not in the mean"
        style = {"color": "0.35", "marker": "x", "s": 26, "lw": 1, "label": words}
        factors = [f"{in_two_digits(value)} times, doubted" for value in doubted["ratio"]]
        describe(ax.scatter(doubted["ratio"], places, **style), titles(doubted, factors))
    ax.grid(axis="y", color="#ececec", linewidth=0.6)
    row_axis(ax, order, ratio_label(ratio, sides), end=0.45)
    if len(estimates) > 1 or "bus" in effects:
        ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    entitle(ax, title)
    return ax


def gain_curves(
    curves: pd.DataFrame, cards: pd.DataFrame, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how much a card gains on another host over its speed on the first, with its interval.

    Parameters
    ----------
    curves : DataFrame
        Columns `label` (a line of the legend), `speed` (B/s), `ratio`, `low` and `high`.
    cards : DataFrame
        The measured gains: `label`, `speed` and `ratio`, a point a card.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdanalysis import plots
    >>> rows = pd.DataFrame({"label": ["Pi 4"] * 2, "speed": [1e7, 2e7], "ratio": [1.1, 1.6]})
    >>> ax = plots.gain_curves(rows.assign(low=rows["ratio"], high=rows["ratio"]), rows)
    >>> ax.get_xlabel()
    'speed on the first computer, MB/s (10^6 B/s)'
    """
    require(curves, ["label", "speed", "ratio", "low", "high"], "stats.gain_curves")
    require(cards, ["label", "speed", "ratio"], "stats.gains_by_card")
    ax = ax or new_axes(width=8.4, rows=12, margin=1.0)
    for label, colour, marker in kinds(list(dict.fromkeys(curves["label"]))):
        line = curves[curves["label"] == label]
        speed = line["speed"] / 1e6
        ax.fill_between(speed, line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
        ax.plot(speed, line["ratio"], color=colour, linewidth=1.4)
        points = cards[cards["label"] == label]
        style = {"color": colour, "marker": marker, "s": 30, "label": label, "zorder": 3}
        drawn = ax.scatter(points["speed"] / 1e6, points["ratio"], **style)
        words = [f"{in_two_digits(ratio)} times" for ratio in points["ratio"]]
        describe(drawn, titles(points.assign(name=label), words))
    ax.axhline(1, color="0.4", linewidth=0.8)
    ax.grid(color="#ececec", linewidth=0.6)
    ax.set(xlabel="speed on the first computer, MB/s (10^6 B/s)", ylabel="times as fast")
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    entitle(ax, title)
    return ax


def _said(rows: pd.DataFrame, names: pd.Series) -> list[str]:
    """Return what the marks of an estimate say."""
    factors = [
        f"{in_two_digits(row.ratio)} times"
        + ("" if pd.isna(row.low) else f" ({in_two_digits(row.low)} to {in_two_digits(row.high)})")
        for row in rows.itertuples()
    ]
    if "cards" in rows:
        factors = [
            f"{text}, {counted(n, 'card')}" for text, n in zip(factors, rows["cards"], strict=True)
        ]
    return titles(rows.drop(columns="cards", errors="ignore").assign(name=names), factors)
