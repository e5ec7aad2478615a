"""Plots of cells: how many cards were measured where, a figure a host, which minimum is reached."""

import itertools
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap, LogNorm, to_rgb

from sdanalysis.codebook.units import counted
from sdanalysis.errors import SdAnalysisError, require
from sdanalysis.palette import SERIES
from sdanalysis.plots.marks import describe, fix_colours, number, titles
from sdanalysis.plots.style import AVOID, GOOD, LABEL, LETTER, REST, SMALL, finish, new_axes

_SLOWEST = 1000  # B/s: a table whose greatest figure is less is none of B/s
_LIGHT = 0.18  # luminance above which black stands out more than white
# verdict: sign in the cell, its colour, how strong
_SIGNS = {"pass": ("●", GOOD, 0.3), "fail": ("✕", AVOID, 0.4), "cannot tell": ("?", REST, 0.25)}


def coverage(counts: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw what `stats.coverage` returns: how many cards were measured where, with which tool."""
    if not all(kind.kind in "iu" for kind in counts.dtypes):
        found = ", ".join(map(str, counts))
        text = f"found the columns {found}, expected counts; stats.coverage makes such frames"
        raise SdAnalysisError(text)
    width = 0.75 * counts.shape[1] + LETTER * 1.2 * counts.index.str.len().max()
    ax = ax or new_axes(width=max(5.0, width), rows=len(counts) * 1.2, margin=0.9)
    titles = [
        f"{place}\n{tool}: " + (counted(count, "card") if count else "no figure")
        for place, row in counts.iterrows()
        for tool, count in row.items()
    ]
    words = counts.astype(object).where(counts > 0, "")
    style = {"cmap": ramp(), "vmin": 0, "vmax": max(12, int(counts.to_numpy().max()))}
    _table(ax, counts.where(counts > 0), words, titles, counts, **style)
    return finish(ax, title)


def heat_table(
    table: pd.DataFrame,
    label: str,
    ax: Axes | None = None,
    *,
    ids: pd.DataFrame | None = None,
    title: str = "",
) -> Axes:
    """Draw a table of figures with the figure in each cell, coloured by its logarithm.

    Parameters
    ----------
    table : DataFrame
        One row a card, one column a host or test, in the base unit (B/s, 1/s).
    label : str
        What the figures are, with the unit in which they are printed: MB/s, or that of the table.
    ids : DataFrame, optional
        The ids of the figures of each cell, for its title.
    """
    values = table / _divisor(table, label)
    ax = ax or new_axes(width=3.8 + 1.15 * table.shape[1], rows=len(table) * 1.1 + 4, margin=0.7)
    names = [
        "\n".join([*wrap(place, 17), counted(count, "card")])
        for place, count in table.notna().sum().items()
    ]
    words = values.map(lambda value: f"{value:#.3g}".rstrip(".") if pd.notna(value) else "")
    known = values.to_numpy(dtype=float)[values.notna()]
    low, high = (known.min(), known.max()) if known.size else (1.0, 1.0)
    norm = LogNorm(low, high if high > low else low * 1.01) if low > 0 else None
    unit = "MB/s" if "MB/s" in label else label.rpartition(", ")[2]
    style = {"cmap": ramp(), "norm": norm, "vmin": low, "vmax": high}
    _table(ax, values, words, _titles(values, unit, ids), values.set_axis(names, axis=1), **style)
    ax.set_xlabel(f"{label}; dark = fast, blank = not measured")
    return finish(ax, title)


def verdict_matrix(verdicts: pd.DataFrame, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw one cell a card and minimum: reached, missed or undecided, by sign and by shade.

    The frame has a row a cell: `row` and `column` (the words of the axes), `verdict` (pass, fail or
    cannot tell; any other word leaves the cell empty), if there `note` (right of the sign).
    """
    require(verdicts, ["row", "column", "verdict"], "stats.class_cells")
    rows, columns = (list(dict.fromkeys(verdicts[axis])) for axis in ("row", "column"))
    note = verdicts.get("note", pd.Series("", verdicts.index)).fillna("")
    signs = verdicts["verdict"].map({name: sign for name, (sign, *_) in _SIGNS.items()})
    shade = verdicts["verdict"].map({name: place for place, name in enumerate(_SIGNS)})
    cells = verdicts.assign(words=(signs + " " + note).str.strip(), shade=shade)
    shades, words = (
        cells.pivot(index="row", columns="column", values=name).loc[rows, columns]
        for name in ("shade", "words")
    )
    width = 4.2 + (1.0 if "note" in verdicts else 0.75) * len(columns)
    ax = ax or new_axes(width=width, rows=len(rows) * 1.1 + 4, margin=0.8)
    mixed = [1 - part * (1 - np.array(to_rgb(colour))) for _, colour, part in _SIGNS.values()]
    style = {"cmap": ListedColormap(mixed), "vmin": -0.5, "vmax": len(_SIGNS) - 0.5, "fixed": False}
    _table(ax, shades, words.fillna(""), _verdicts(verdicts, rows, columns), shades, **style)
    counts = verdicts["verdict"].value_counts()
    legend = [f"{sign} {name} ({counts.get(name, 0)})" for name, (sign, *_) in _SIGNS.items()]
    ax.set_xlabel("   ".join([*legend, "blank: no figure"]), fontsize=LABEL)
    return finish(ax, title)


def _table(
    ax: Axes,
    values: pd.DataFrame,
    words: pd.DataFrame,
    texts: Iterable[str],
    named: pd.DataFrame,
    *,
    fixed: bool = True,
    **style: Any,
) -> None:
    """Draw cells with words in them, the names of columns above; `fixed` colours are no theme's."""
    import seaborn as sns  # here, for it loads all of scipy.stats

    blank = values.isna()
    style |= {"annot_kws": {"size": SMALL}, "linewidths": 1, "linecolor": "#ffffff"}
    values = values.astype(float).fillna(0) if blank.all(axis=None) else values.astype(float)
    sns.heatmap(
        values, mask=blank, annot=words.to_numpy(), fmt="", cbar=False, ax=ax,
        xticklabels=False, yticklabels=False, **style,
    )  # fmt: skip
    [mesh] = ax.collections
    describe(mesh, texts)
    mesh.update_scalarmappable()
    faces = mesh.get_facecolors()[~blank.to_numpy().ravel()]
    for text, face in zip(ax.texts, faces, strict=True):
        text.set_color("black" if sns.utils.relative_luminance(face[:3]) > _LIGHT else "white")
    for artist in (*ax.collections, *ax.texts) if fixed else ():
        fix_colours(artist)
    ax.set_xticks(np.arange(len(named.columns)) + 0.5, named.columns, fontsize=SMALL)
    ax.set_yticks(np.arange(len(named)) + 0.5, named.index, fontsize=LABEL, rotation=0)
    ax.xaxis.tick_top()
    ax.tick_params(which="both", length=0)
    ax.set(xlabel="", ylabel="")
    ax.spines[:].set_visible(False)


def ramp() -> mpl.colors.Colormap:
    """Return shades from faint to strong, of a colour that means neither yes nor no."""
    ramp = LinearSegmentedColormap.from_list("strength", ["#efe8f4", SERIES[0]])
    return ramp.with_extremes(bad="white")


def _divisor(table: pd.DataFrame, label: str) -> float:
    """Return what B/s are divided by for the unit of a label; refuse what is no B/s."""
    words = [str(name) for name, kind in table.dtypes.items() if kind.kind not in "fiu"]
    if words:
        raise SdAnalysisError(f"found words in the column {words[0]!r}, expected numbers only")
    if "MB/s" not in label:
        return 1.0
    most = table.max(axis=None)
    if pd.notna(most) and most < _SLOWEST:
        raise SdAnalysisError(f"found at most {most:g} for the label {label!r}, expected B/s")
    return 1e6


def _titles(values: pd.DataFrame, unit: str, ids: pd.DataFrame | None) -> list[str]:
    """Return what each cell says, row by row: the card, the column, the figure, its line."""
    rows = pd.DataFrame(itertools.product(values.index, values), columns=["card", "column"])
    if ids is not None:
        cells = ids.reindex_like(values).to_numpy().ravel()
        rows["ids"] = [cell if isinstance(cell, list | tuple | str) else () for cell in cells]
    figures = zip(rows["column"], values.to_numpy(float).ravel(), strict=True)
    return titles(rows, [
        f"{name}: no figure" if np.isnan(value) else f"{name}: {number(value)} {unit}"
        for name, value in figures
    ])  # fmt: skip


def _verdicts(verdicts: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return what each cell of a matrix of verdicts says, row by row."""
    words = [
        f"{' '.join(row.column.split())}\n{row.verdict}"
        + (f": {number(row.margin)} times the minimum" if pd.notna(row.margin) else "")
        for row in verdicts.reindex(columns=[*verdicts, *{"margin"} - {*verdicts}]).itertuples()
    ]
    places = zip(verdicts["row"], verdicts["column"], strict=True)
    known = dict(
        zip(places, titles(verdicts.drop(columns="host", errors="ignore"), words), strict=True)
    )
    return [
        known.get((row, column)) or f"{row}\n{' '.join(column.split())}\nno figure"
        for row, column in itertools.product(rows, columns)
    ]
