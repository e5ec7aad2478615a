"""Lays a figure out anew for a phone: in a column of 356 px, with letters as large as before.

A row's name stands above its mark with its note at the right. Panels are stacked. Labels beside an
axes become numbers with a list above. Marks, values and titles stay.
"""

from collections import Counter
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.category import StrCategoryLocator
from matplotlib.collections import QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator, MaxNLocator
from matplotlib.transforms import blended_transform_factory

from sdanalysis.plots.style import ABOVE, LABEL, SMALL, TITLE, log_axis
from sdanalysis.plots.svg import lay_out

WIDTH = 345 / 96  # inches: 356 px with its edge, the column of a page of 390
_PX = 1 / 96  # inches
_PLANE = 300  # px, the height of a plane
_LETTERS = 46  # in a line
_CELL = 20  # letters of the name of a row of cells
_LINE = 15  # px
_POINT = 0.75  # of a px


def narrow(figure: Figure) -> Figure:
    """Change the layout of a figure for the column of a phone, and return it."""
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    old = [ax.get_window_extent().height / figure.dpi / _PX for ax in panels]
    figure.set_layout_engine("constrained")
    heights = [_arranged(ax, px) for ax, px in zip(panels, old, strict=True)]
    if len(panels) > 1:
        grid = GridSpec(len(panels), 1, figure, height_ratios=heights)
        for place, ax in enumerate(panels):
            ax.set_subplotspec(grid[place])
            ax.tick_params(labelleft=True)  # also where it had the axis of its neighbour
    if title := figure.get_suptitle():
        style = {"x": 0.01, "ha": "left", "fontsize": TITLE - 1, "fontweight": "bold"}
        figure.suptitle(fill(" ".join(title.split()), 36), **style)
    wanted = sum(heights) * _PX
    figure.set_size_inches(WIDTH, wanted + 1)
    for _ in range(2):  # what stands around the axes takes the room that it needs
        lay_out(figure)
        height = sum(ax.get_window_extent().height for ax in panels) / figure.dpi
        figure.set_size_inches(WIDTH, figure.get_size_inches()[1] + wanted - height)
    return figure


def _arranged(ax: Axes, px: float) -> float:
    """Arrange an axes by what it shows; return the height that it needs."""
    cells = any(isinstance(mesh, QuadMesh) for mesh in ax.collections)
    names = _has_words(ax.yaxis)
    below = 30 if cells else 40  # letters: the axes alone are above
    ax.set_xlabel(
        "\n".join(fill(" ".join(line.split()), below) for line in ax.get_xlabel().splitlines())
    )
    ax.set_ylabel(fill(ax.get_ylabel(), _LETTERS))
    titles = [ax.get_title(loc=place) for place in ("left", "center", "right")]
    title = fill(" ".join(filter(None, titles)), 34)
    height = _PLANE if not names else _name_cells(ax) if cells else _stack_rows(ax, px)
    legend, (handles, words) = ax.get_legend(), _numbered(ax)
    if legend:
        handles = [*legend.legend_handles, *handles]
        words = [text.get_text() for text in legend.get_texts()] + words
    if words or title:
        for place in ("left", "center", "right"):
            ax.set_title("", loc=place)
        place = ABOVE | ({"borderaxespad": legend.borderaxespad} if legend else {})
        if not names:  # as wide as the figure
            place["bbox_transform"] = blended_transform_factory(ax.figure.transFigure, ax.transAxes)
        bold = {"weight": "bold", "size": SMALL}
        place |= {"title": title, "alignment": "left", "title_fontproperties": bold}
        words = [fill(line, _LETTERS) for line in words]
        ax.legend(handles, words, frameon=False, fontsize=SMALL, **place)
    if not cells:
        _thin(ax)
    return height


def _has_words(axis: Axis) -> bool:
    texts = (label.get_text() for label in axis.get_ticklabels())
    is_fixed = isinstance(axis.get_major_locator(), FixedLocator | StrCategoryLocator)
    return is_fixed and any(any(map(str.isalpha, text)) for text in texts)


def _stack_rows(ax: Axes, px: float) -> float:
    """Put the name of each row above its mark and its note at the end of that line."""
    ticks = [float(tick) for tick in ax.get_yticks()]
    names = [fill(text.get_text(), _LETTERS) for text in ax.get_yticklabels()]
    remarks = [text for text in ax.texts if _is_note(text)]
    words = [", ".join(text.get_text().splitlines()) for text in remarks]
    nearest = Counter(min(ticks, key=lambda tick, y=text.xy[1]: abs(tick - y)) for text in remarks)
    several = max(nearest.values(), default=1)  # notes of a row: each stands above its mark
    room = max(map(len, names), default=0) + max(map(len, words), default=0) > _LETTERS
    below = (several == 1 and bool(remarks) and room) * _LINE  # then the note has its own line
    lines = max((name.count("\n") + 1 for name in names), default=1) * _LINE
    crowded = any(text.get_va() == "bottom" for text in ax.texts if not _is_note(text))
    marks = 38 * several if several > 1 else min(max(px / len(ticks), 20), 70) + 16 * crowded
    row = marks + lines + below + 4
    up = 0.36 * (several - 1) / several * row + 17 if several > 1 else marks / 2 - 3
    up = 0.26 * row + 14 if crowded else up
    for bar in (bar for bars in ax.containers if isinstance(bars, BarContainer) for bar in bars):
        bar.set(y=bar.get_y() + bar.get_height() / 2 - 0.16, height=0.32)
    style = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "bottom"}
    style |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.3}}  # on lines and bands
    style["in_layout"] = False  # they lie within the axes, which have the whole width
    for tick, name in zip(ticks, names, strict=True):
        ax.annotate(name, (0, tick), (0, (up + below) * _POINT), fontsize=LABEL, **style)
    style |= {"ha": "right", "fontsize": SMALL}
    for note, text in zip(remarks, words, strict=True):
        lift = 3 if several > 1 else up * _POINT
        ax.annotate(text, (1, note.xy[1]), (0, lift), color=note.get_color(), **style)
        note.remove()
    ax.set_yticks(ticks, [""] * len(ticks))
    down = row - up - below - lines
    low, high = max(ticks) + down / row, min(ticks) - (up + below + lines) / row
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
    return len(names) * (_LINE * max(name.count("\n") + 1 for name in names) + 4)


def _numbered(ax: Axes) -> tuple[list[Line2D], list[str]]:
    """Let a label with a line to its mark become a number; return what a list says of them."""
    labels = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    handles, words = [], []
    for number, text in enumerate(sorted(labels, key=lambda text: -text.xyann[1]), start=1):
        style = {"linestyle": "none", "color": text.get_color(), "markersize": 5 + number // 10 * 4}
        handles.append(Line2D([], [], marker=f"${number}$", **style))
        words.append(text.get_text())
        text.set_text(str(number))
    return handles, words


def _thin(ax: Axes) -> None:
    """Leave as many numbers at the axes as have room."""
    if _has_words(ax.xaxis):
        words = [" ".join(text.get_text().split()) for text in ax.get_xticklabels()]
        if len(words) > 2 and max(map(len, words)) > 8:
            ax.set_xticks(ax.get_xticks(), [fill(w, 26) for w in words], rotation=90, size=SMALL)
    elif isinstance(ax.xaxis.get_major_locator(), FixedLocator):
        return
    elif ax.get_xscale() == "log":
        log_axis(ax, "x", ax.get_xlabel(), few=True)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(5))
