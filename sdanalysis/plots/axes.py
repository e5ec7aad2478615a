"""What all plots share: colours, the size of a figure, logarithmic axes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
ROW = 0.21  # inches a row of text needs at the size of the reports
ABOVE = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}  # a legend


def colours(count: int) -> list[tuple[float, float, float]]:
    """Return colours that stay apart for the colour-blind, the strongest first."""
    palette = sns.color_palette("colorblind")
    order = [palette[place] for place in (0, 1, 2, 3, 4, 9, 5)] + [(0.0, 0.0, 0.0), palette[7]]
    return [order[place % len(order)] for place in range(count)]


def new_axes(*, width: float, rows: float, margin: float) -> Axes:
    """Return the Axes of a new figure that is high enough for its rows (inches)."""
    return plt.subplots(figsize=(width, margin + ROW * rows), layout="constrained")[1]


def log_axis(ax: Axes, letter: str, label: str) -> None:
    """Make an axis logarithmic with plain numbers, as many as fit; call it after drawing."""
    getattr(ax, f"set_{letter}scale")("log")
    axis = getattr(ax, f"{letter}axis")
    low, high = getattr(ax, f"get_{letter}lim")()
    decades = np.log10(high / low)
    steps = (1.0,) if decades > 3 else (1.0, 2.0, 5.0) if decades > 1 else tuple(range(1, 10))
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    getattr(ax, f"set_{letter}label")(label)


def widen(ax: Axes, letter: str, least: float) -> None:
    """Make an axis logarithmic and span at least this factor: noise must not look like news."""
    getattr(ax, f"set_{letter}scale")("log")
    low, high = getattr(ax, f"get_{letter}lim")()
    missing = max(1.0, least / (high / low)) ** 0.5
    getattr(ax, f"set_{letter}lim")(low / missing, high * missing)
