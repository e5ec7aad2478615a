"""Lays a figure out anew for a phone: in a column of 356 px, with letters as large as before.

A row's name stands above its mark with its note at the right, panels stand below each other, and
labels beside an axes become numbers with a list below. Marks, values and titles stay.
"""

from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator, MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sdanalysis.plots.style import ABOVE, LABEL, SMALL, TITLE, log_axis
from sdanalysis.plots.svg import lay_out

WIDTH = 267 / 72  # inches: 356 px
_PX = 1 / 96  # inches
_PLANE = 300  # px, the height of a plane
_LETTERS = 46  # in a line
_CELL = 15  # letters of the name of a row of cells
_LINE = 15  # px


def narrow(figure: Figure) -> Figure:
    """Change the layout of a figure for the column of a phone, and return it.

    Examples
    --------
    >>> figure = Figure(figsize=(8, 3))
    >>> ax = figure.subplots()
    >>> dots = ax.scatter([1, 2], [0, 1])
    >>> ax.set_yticks([0, 1], ["a card", "another"]) and None
    >>> width, height = narrow(figure).get_size_inches()
    >>> [text.get_text() for text in ax.texts], float(round(width, 1))
    (['a card', 'another'], 3.7)
    """
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    old = [ax.get_window_extent().height / figure.dpi / _PX for ax in panels]
    figure.set_layout_engine("constrained")
    heights = [_arranged(ax, px) for ax, px in zip(panels, old, strict=True)]
    if len(panels) > 1:
        grid = GridSpec(len(panels), 1, figure, height_ratios=heights)
        for place, ax in enumerate(panels):
            ax.set_subplotspec(grid[place])
    if title := figure.get_suptitle():
        style = {"x": 0.01, "ha": "left", "fontsize": TITLE - 1, "fontweight": "bold"}
        figure.suptitle(fill(" ".join(title.split()), 36), **style)
    wanted = sum(heights) * _PX
    figure.set_size_inches(WIDTH, wanted + 1)
    for _ in range(3):  # what stands around the axes takes the room that it needs
        lay_out(figure)
        drawn = sum(ax.get_window_extent().height for ax in panels) / figure.dpi
        figure.set_size_inches(WIDTH, figure.get_size_inches()[1] + wanted - drawn)
    return figure


def _arranged(ax: Axes, px: float) -> float:
    """Arrange an axes by what it shows; return the height that it needs."""
    cells = any(isinstance(mesh, QuadMesh) for mesh in ax.collections)
    names = _has_words(ax.yaxis)
    wraps = ((ax.set_xlabel, ax.get_xlabel()), (ax.set_ylabel, ax.get_ylabel()))
    for change, words in wraps:
        change("\n".join(fill(line, _LETTERS) for line in words.splitlines()))
    _list_labels(ax)
    height = _PLANE if not names else _name_cells(ax) if cells else _stack_rows(ax, px)
    if legend := ax.get_legend():
        words = [fill(text.get_text(), _LETTERS) for text in legend.get_texts()]
        place = ABOVE | {"borderaxespad": legend.borderaxespad}
        ax.legend(legend.legend_handles, words, frameon=False, fontsize=SMALL, **place)
    if not cells:
        _thin(ax)
    return height


def _has_words(axis: Axis) -> bool:
    texts = (label.get_text() for label in axis.get_ticklabels())
    is_fixed = isinstance(axis.get_major_locator(), FixedLocator)
    return is_fixed and any(any(map(str.isalpha, text)) for text in texts)


def _stack_rows(ax: Axes, px: float) -> float:
    """Put the name of each row above its mark and its note at the end of that line."""
    ticks, names = ax.get_yticks(), [text.get_text() for text in ax.get_yticklabels()]
    names = [fill(name, _LETTERS) for name in names]
    lines = max((name.count("\n") + 1 for name in names), default=1)
    beside = [text for text in ax.texts if _is_note(text)]
    longest = max((len(text.get_text()) for text in beside), default=0)
    two = bool(beside) and max(map(len, names)) + longest > _LETTERS  # then the note is below
    tall = max((text.get_text().count("\n") + 1 for text in beside), default=1)
    marks = min(max(px / max(len(ticks), 1), 20), 76)
    row = marks + _LINE * max(lines + two, tall) + 4
    for bars in (bars for bars in ax.containers if isinstance(bars, BarContainer)):
        for bar in bars:
            middle = bar.get_y() + bar.get_height() / 2
            bar.set(y=middle - 0.16, height=0.32)
    lift = (marks / 2 - 3) * 0.75  # points
    style = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "bottom"}
    for tick, name in zip(ticks, names, strict=True):
        ax.annotate(name, (0, tick), (0, lift + two * _LINE * 0.75), fontsize=LABEL, **style)
    for note in beside:
        at = (1, note.xy[1] if two or tall == 1 else round(note.xy[1]))
        ax.annotate(
            note.get_text(), at, (0, lift if at[1] in ticks else 2), ha="right", fontsize=SMALL,
            color=note.get_color(), **style,
        )  # fmt: skip
        note.remove()
    ax.set_yticks(ticks, [""] * len(ticks))
    low, high = max(ticks) + (marks / 2 + 2) / row, min(ticks) - (row - marks / 2 + 2) / row
    ax.set_ylim(low, high)
    return (low - high) * row


def _is_note(text: object) -> bool:
    return isinstance(text, Annotation) and text.xycoords == ("axes fraction", "data")


def _name_cells(ax: Axes) -> float:
    """Break the names of rows of cells, and turn those of many columns."""
    names = [fill(text.get_text(), _CELL) for text in ax.get_yticklabels()]
    ax.set_yticks(ax.get_yticks(), names, fontsize=SMALL)
    columns = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
    if _has_words(ax.xaxis):
        turned = {"rotation": 90, "va": "bottom"} if len(columns) > 2 else {}
        columns = [fill(words, 24) for words in columns]
        ax.set_xticks(ax.get_xticks(), columns, fontsize=SMALL, **turned)
    return _LINE * sum(max(2, name.count("\n") + 1.4) for name in names)


def _list_labels(ax: Axes) -> None:
    """Let a label with a line to its mark become a number, with a list below the axes."""
    labels = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    if not labels:
        return
    handles, words = [], []
    for number, text in enumerate(sorted(labels, key=lambda text: -text.xyann[1]), start=1):
        style = {"linestyle": "none", "color": text.get_color(), "markersize": 5 + number // 10 * 4}
        handles.append(Line2D([], [], marker=f"${number}$", **style))
        words.append(fill(text.get_text(), _LETTERS))
        text.set_text(str(number))
    legend = ax.get_legend()
    down = ScaledTranslation(0, -44 / 72, ax.figure.dpi_scale_trans)
    listed = ax.legend(
        handles, words, loc="upper left", bbox_to_anchor=(0, 0), frameon=False, fontsize=SMALL,
        bbox_transform=ax.transAxes + down, borderaxespad=0,
    )  # fmt: skip
    if legend:
        ax.add_artist(listed)
        ax.legend_ = legend


def _thin(ax: Axes) -> None:
    """Leave as many numbers at the axes as have room."""
    if ax.get_xscale() == "log":
        log_axis(ax, "x", ax.get_xlabel(), few=True)
    elif _has_words(ax.xaxis):
        words = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
        if len(words) > 2 and max(map(len, words)) > 8:
            ax.set_xticks(ax.get_xticks(), [fill(w, 26) for w in words], rotation=90, size=SMALL)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(5))
