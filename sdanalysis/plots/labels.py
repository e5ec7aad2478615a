"""Labels beside marks: moved apart just as far as they need to be read."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

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
    ax.figure.draw_without_rendering()
    tall = ax.get_window_extent().height / ax.figure.dpi * 72
    inverse = ax.transAxes.inverted()
    fractions = [
        inverse.transform(ax.transData.transform((ax.get_xlim()[1], height)))[1]
        for height in heights
    ]
    placed = apart(fractions, _LINE * _SMALL / tall)
    placed = placed - _overhang(placed.min(initial=0.0), placed.max(initial=1.0))
    line = {"arrowstyle": "-", "linewidth": 0.5, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0}
    style = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center"}
    for text, colour, start, end in zip(texts, colours, fractions, placed, strict=True):
        style |= {"color": colour, "arrowprops": line | {"color": colour}}
        ax.annotate(text, (1, start), xytext=(1.08, end), fontsize=_SMALL, **style)


def _overhang(lowest: float, highest: float) -> float:
    """Return how far to move the labels, so that they stick out alike above and below."""
    return (min(0.0, lowest) + max(0.0, highest - 1)) / 2
