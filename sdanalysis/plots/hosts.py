"""Plots of figures by host: below the roof of the bus, and as a table coloured by value."""

import itertools
from textwrap import wrap

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from sdanalysis.codebook.units import counted
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.plots.axes import ABOVE, beside, cell_axes, entitle, kinds, new_axes, rings
from sdanalysis.plots.marks import as_drawn, describe, number, titles

_SLOWEST = 1000  # B/s: a table whose greatest figure is less is none of B/s
_LANES = 7  # side by side in a column of dots
_SMALL = 8


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
        Columns `specimen`, `measured_by`, `host`, `value` (B/s), and that of `hue` (colour, marker
        and legend). The figures of one card are joined by a thin line.
    limits : DataFrame
        Columns `host`, `limit` (B/s), `place` (its name) and `note` (below the name), one row a
        host, in the order of the axis; as `stats.host_limits` returns it.
    what : str
        What the figures are, before the unit.

    Examples
    --------
    >>> from sdanalysis import load_data, plots, stats
    >>> data = load_data()
    >>> figures = stats.usable(data.measurements).query("tool == 'hdparm' and reader == 'slot'")
    >>> figures = figures[figures["measured_by"] == "geerling"]
    >>> shares = stats.host_limits(figures, data.hosts[data.hosts["reader"] == "slot"])
    >>> ax = plots.bus_roofline(figures, shares, what="large reads")
    >>> ax.get_xticklabels()[-1].get_text().splitlines()
    ['Pi 4 Model B', '15 of 15 cards']
    """
    require(figures, ["measured_by", "specimen", "value", hue], "stats.usable")
    require(figures, ["host"], "stats.usable")
    require(limits, ["host", "limit", "place", "note"], "stats.host_limits")
    hosts = list(limits["host"])
    ax = ax or new_axes(width=max(4.6, 1.6 + 1.3 * len(hosts)), rows=19, margin=1.0)
    places = {host: place for place, host in enumerate(hosts)}
    figures = figures.assign(x=figures["host"].map(places) + _lanes(figures))
    figures = figures.assign(place=figures["host"].map(limits.set_index("host")["place"]))
    for _, card in figures.groupby(["measured_by", "specimen"]):
        steps = card.sort_values("x")
        ax.plot(steps["x"], steps["value"] / 1e6, color="0.8", linewidth=0.7, zorder=1)
    for name, colour, marker in kinds(dict.fromkeys(figures[hue])):
        here = figures[figures[hue] == name]
        dots = rings(ax, here["x"], here["value"] / 1e6, colour, marker, s=26, label=name)
        describe(dots, titles(here, [f"{number(value)} MB/s" for value in here["value"] / 1e6]))
    for at, limit in enumerate(limits["limit"] / 1e6):
        ax.hlines(limit, at - 0.45, at + 0.45, color="black", linewidth=1.6, zorder=2)
        beside(ax, f"limit {limit:g}", (at, limit), (0, 3))
    names = [_column(row.place, row.note) for row in limits.itertuples()]
    ax.set_xticks(range(len(hosts)), names, fontsize=8.5)
    ax.set_xlim(-0.55, len(hosts) - 0.45)
    ax.set_ylim(bottom=0)
    ax.margins(y=0.08)
    ax.set_ylabel(f"{what}, MB/s (10^6 B/s); up is faster \u2192".removeprefix(", "))
    ax.legend(frameon=False, fontsize=_SMALL, ncols=4, **ABOVE)
    ax.spines[["top", "right"]].set_visible(False)
    entitle(ax, title)
    return ax


def _column(place: str, note: str) -> str:
    """Return the words below a column: the computer's name in short lines, then the note."""
    return "\n".join([*wrap(place.removeprefix("Raspberry "), 17), note])


def _lanes(figures: pd.DataFrame) -> pd.Series:
    """Return an offset for each dot, so that neighbours in value stand beside each other."""
    order = figures.groupby("host")["value"].rank(method="first") - 1
    lane = (order * 3) % _LANES  # three lanes on: neighbours are not side by side
    return (lane - (_LANES - 1) / 2) * 0.7 / _LANES


def heat_table(
    table: pd.DataFrame,
    label: str,
    ax: Axes | None = None,
    *,
    by_column: bool = False,
    factor: float | None = None,
    ids: pd.DataFrame | None = None,
    title: str = "",
) -> Axes:
    """Draw a table of figures with the figure in each cell, coloured by its logarithm.

    With `by_column` each column has its own scale of colours, which spans at least a factor of
    two: the columns are different tests. `title` says in words what is seen.

    Parameters
    ----------
    table : DataFrame
        One row a card, one column a host or test, in the base unit (B/s, 1/s); a cell without a
        figure is missing.
    label : str
        What the figures are, with the unit in which they are printed.
    factor : float, optional
        What they are divided by. Without it the label says it: 10^6 where its unit is MB/s, 1
        for any other; for a table that is in MB/s already it is 1.
    ids : DataFrame, optional
        The ids of the figures of each cell, for its title.

    Examples
    --------
    >>> from sdanalysis import load, plots
    >>> table = load()
    >>> writes = table[(table["measured_by"] == "arthur") & (table["op"] == "randwrite")]
    >>> writes = writes.pivot(index="specimen", columns="host", values="value")
    >>> ax = plots.heat_table(writes, "random 4 KiB writes, MB/s (10^6 B/s)")
    >>> [text.get_text() for text in ax.texts[:2]]  # of the first card on both hosts
    ['1.08', '1.34']
    """
    divisor = _divisor(table, label) if factor is None else factor
    unit = "MB/s" if "MB/s" in label else label.rpartition(", ")[2]
    rows, columns = table.shape
    ax = ax or new_axes(width=3.6 + 1.15 * columns, rows=rows * 1.05 + 4, margin=0.7)
    values = np.ma.masked_invalid(table.to_numpy(dtype=float) / divisor)
    # It grows from dark to light: the same order in colour and in grey.
    shades = mpl.colormaps["cividis"].with_extremes(bad="white")
    width = 1 if by_column else columns
    for start in range(0, columns, width or 1):
        part = values[:, start : start + width]
        norm = _scale(part, least=2 if by_column else 1)
        edges = np.arange(start, start + width + 1), np.arange(rows + 1)
        style = {"cmap": shades, "norm": norm, "edgecolors": "white", "linewidth": 1}
        mesh = ax.pcolormesh(*edges, part, **style)
        as_drawn(describe(mesh, _cells(table.iloc[:, start : start + width], part, unit, ids)))
        for row, column in np.argwhere(~np.ma.getmaskarray(part)):
            value = part[row, column]
            at, ink = (start + column + 0.5, row + 0.5), "white" if norm(value) < 0.55 else "black"
            style = {"ha": "center", "va": "center", "fontsize": _SMALL, "color": ink}
            as_drawn(ax.text(*at, f"{value:#.3g}".rstrip("."), **style))
    counts = table.notna().sum()
    names = [
        _column(name, counted(count, "card"))
        for name, count in zip(table.columns, counts, strict=True)
    ]
    cell_axes(ax, table.index, names, _SMALL)
    fast = "light = fast in its column" if by_column else "light = fast"
    ax.set_xlabel(f"{label}; {fast}, blank = not measured", fontsize=_SMALL + 0.5)
    ax.invert_yaxis()
    entitle(ax, title)
    return ax


def _divisor(table: pd.DataFrame, label: str) -> float:
    """Return what B/s are divided by for the unit of a label; SdAnalysisError for what is no B/s.

    A table whose greatest figure is below 1000 is in MB/s already.
    """
    words = [str(name) for name, kind in table.dtypes.items() if kind.kind not in "fiu"]
    if words:
        raise SdAnalysisError(f"found words in the column {words[0]!r}, expected numbers only")
    if "MB/s" not in label:
        return 1.0
    most = table.to_numpy(dtype=float, na_value=np.nan).ravel()
    if (known := most[~np.isnan(most)]).size and known.max() < _SLOWEST:
        text = f"found at most {known.max():g} for the label {label!r}, expected B/s"
        raise SdAnalysisError(f"{text}; a table that is in MB/s takes factor=1")
    return 1e6


def _cells(
    table: pd.DataFrame, values: np.ma.MaskedArray, unit: str, ids: pd.DataFrame | None
) -> list[str]:
    """Return what each cell says, row by row: the card, the column, the figure, its line."""
    rows = pd.DataFrame(itertools.product(table.index, table), columns=["card", "column"])
    if ids is not None:
        rows["ids"] = list(ids.reindex_like(table).to_numpy().ravel())
    columns = (" ".join(str(name).split()) for name in rows["column"])
    words = ("not measured" if v is np.ma.masked else f"{number(v)} {unit}" for v in values.ravel())
    return titles(rows, [f"{column}\n{word}" for column, word in zip(columns, words, strict=True)])


def _scale(values: np.ma.MaskedArray, least: float) -> LogNorm:
    """Return a scale of colours for figures that spans at least the factor `least`.

    What is nearly equal has to look so.
    """
    low, high = (values.min(), values.max()) if values.count() else (1.0, 1.0)
    return LogNorm(min(low, high / least), high if high > low else low * 1.01)
