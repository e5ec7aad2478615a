"""Labels beside marks: moved apart just as far as they need to be read."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from sdanalysis.plots.svg import lay_out

_SMALL = 8
_LINE = 1.2  # height of a line of text, in font sizes


def apart(places: Sequence[float], gap: float) -> np.ndarray:
    """Return places at least `gap` from each other, in the same order, moved as little as can be.

    Least squares: neighbours that are too close share their displacement.

    Examples
    --------
    >>> apart([0.0, 0.1, 5.0], gap=1.0).round(2).tolist()
    [-0.45, 0.55, 5.0]
    """
    values = np.asarray(places, dtype=float)
    order = np.argsort(values, kind="stable")
    wanted = values[order] - gap * np.arange(len(values))
    blocks: list[list[float]] = []  # [mean, size], means rising
    for value in wanted:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, size = blocks.pop()
            above = blocks[-1]
            above[0] = (above[0] * above[1] + mean * size) / (above[1] + size)
            above[1] += size
    spread = np.concatenate([[mean] * int(size) for mean, size in blocks] or [[]])
    result = np.empty(len(values))
    result[order] = spread + gap * np.arange(len(values))
    return result


def label_right(
    ax: Axes, heights: Sequence[float], texts: Sequence[str], colours: Sequence[object]
) -> None:
    """Write a text right of the axes for each height (in data), with a line to it.

    Call it when the limits of the axes are final: the texts are placed by them.
    """
    edge = ax.get_xlim()[1]
    starts = _fractions(ax, [(edge, height) for height in heights])
    _write(ax, [(1.0, height) for _, height in starts], texts, colours)


def label_marks(ax: Axes, marks: Sequence[tuple[float, float]], texts: Sequence[str]) -> None:
    """Write the name of each mark (x and y in data) right of the axes, with a line to the mark.

    Call it when the limits of the axes are final: the texts are placed by them.
    """
    _write(ax, _fractions(ax, marks), texts, ["0.35"] * len(texts))


def _fractions(ax: Axes, marks: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return places in data as fractions of the axes, which are where they will be."""
    lay_out(ax.get_figure(root=True))
    ax.get_xlim()  # limits that follow the data are final when they are asked for
    inverse = ax.transAxes.inverted()
    return [tuple(inverse.transform(ax.transData.transform(mark))) for mark in marks]


def _write(
    ax: Axes,
    starts: Sequence[tuple[float, float]],
    texts: Sequence[str],
    colours: Sequence[object],
) -> None:
    """Write texts right of the axes, apart from each other, each with a line from its start."""
    tall = ax.get_window_extent().height / ax.figure.dpi * 72
    placed = apart([height for _, height in starts], _LINE * _SMALL / tall)
    placed = placed - _overhang(placed.min(initial=0.0), placed.max(initial=1.0))
    line = {"arrowstyle": "-", "linewidth": 0.5, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0}
    style = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center"}
    for text, colour, start, end in zip(texts, colours, starts, placed, strict=True):
        style |= {"color": colour, "arrowprops": line | {"color": colour}}
        ax.annotate(text, start, xytext=(1.08, end), fontsize=_SMALL, **style)


def _overhang(lowest: float, highest: float) -> float:
    """Return how far to move the labels, so that they stick out alike above and below."""
    return (min(0.0, lowest) + max(0.0, highest - 1)) / 2
