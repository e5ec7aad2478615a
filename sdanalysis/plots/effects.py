"""Plots of effects: ratios with their intervals, and what they become without one card."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from sdanalysis.plots.axes import kinds, new_axes, rings
from sdanalysis.plots.rows import intervals, notes, row_axis, row_names

_CHANGES = ("without one: same verdict", "without one: another verdict")


def host_effects(
    effects: pd.DataFrame, label: Sequence[str], hue: str, what: str, ax: Axes | None = None
) -> Axes:
    """Draw the ratios `what` with their intervals, one row a place and one colour an estimate.

    Parameters
    ----------
    effects : DataFrame
        Columns `ratio`, `low`, `high`, `cards`, `verdict`, those of `label` (the words of a row),
        that of `hue` (colour and marker), and if there `bus` (the ratio of the bus limits, drawn
        as a bar across the row).

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> hosts = ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=hosts)
    >>> effects = stats.paired_summary(pairs, ["op", "measured_by"])
    >>> ax = plots.host_effects(effects, ["op"], "measured_by", "pi-4b / pi-3b")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['randread', 'randwrite', 'read', 'write']
    """
    names = row_names(effects, label)
    order = list(dict.fromkeys(names))
    estimates = list(dict.fromkeys(effects[hue]))
    step = 0.72 / max(len(estimates), 1)
    ax = ax or new_axes(width=7.6, rows=max(len(order) * 0.95 * len(estimates), 2), margin=1.1)
    for index, (estimate, colour, marker) in enumerate(kinds(estimates)):
        here = effects[effects[hue] == estimate]
        y = names[here.index].map(order.index) + (index - (len(estimates) - 1) / 2) * step
        intervals(ax, here, "ratio", y, colour, marker)
        ax.scatter([], [], color=[colour], marker=marker, s=30, label=estimate)  # for the legend
        texts = [f"n = {row.cards}  {row.ratio:.2f}  {row.verdict}" for row in here.itertuples()]
        notes(ax, texts, y, color=colour)
    if "bus" in effects:
        rows = effects.assign(y=names.map(order.index)).drop_duplicates("y").dropna(subset="bus")
        style = {"linewidth": 2.4, "zorder": 2, "label": "ratio of the bus limits"}
        ax.vlines(rows["bus"], rows["y"] - 0.42, rows["y"] + 0.42, color="black", **style)
    _finish(ax, order, what, legend=len(estimates) > 1 or "bus" in effects)
    return ax


def left_out_dots(
    left: pd.DataFrame, label: Sequence[str], what: str, ax: Axes | None = None
) -> Axes:
    """Draw each ratio `what` as a bar and, as dots, what it is without one card or laboratory.

    Parameters
    ----------
    left : DataFrame
        As `stats.leave_one_out` returns it: `left_out` (in brackets for the whole), `ratio`,
        `changes` (drawn filled), and the columns of `label`, whose words name a row.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> hosts = ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=hosts)
    >>> mine = pairs[pairs["measured_by"] == "arthur"]
    >>> ax = plots.left_out_dots(stats.leave_one_out(mine, by=["op"]), ["op"], "pi-4b / pi-3b")
    >>> [text.get_text() for text in ax.texts]
    ['n = 4  >1', 'n = 4  ~', 'n = 4  >1', 'n = 4  ~']
    """
    names = row_names(left, label)
    order = list(dict.fromkeys(names))
    ax = ax or new_axes(width=7.2, rows=max(len(order) * 1.25, 2), margin=1.1)
    y = names.map(order.index)
    whole = left["left_out"].str.startswith("(")
    bars, style = y[whole], {"color": "black", "linewidth": 2, "label": "all"}
    ax.vlines(left.loc[whole, "ratio"], bars - 0.36, bars + 0.36, **style)
    for changes, (name, colour, marker) in enumerate(kinds(_CHANGES)):
        chosen = ~whole & left["ratio"].notna() & (left["changes"].astype(bool) == bool(changes))
        faces = [colour] if changes else "none"
        rings(
            ax, left.loc[chosen, "ratio"], y[chosen], colour, marker, label=name, facecolors=faces
        )
    notes(ax, [f"n = {row.cards}  {row.verdict}" for row in left[whole].itertuples()], bars)
    _finish(ax, order, what, legend=True)
    return ax


def _finish(ax: Axes, order: list[str], what: str, *, legend: bool) -> None:
    """Name the rows, draw the line at 1, and put the legend where no row is."""
    ax.grid(axis="y", color="#ececec", linewidth=0.6)
    row_axis(ax, order, f"{what} (log scale; 1 = equal)", end=0.45)
    if legend:
        ax.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
