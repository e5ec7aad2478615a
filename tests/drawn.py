"""What a figure shows, as text: a line for each artist, and what its marks say below it."""

import numpy as np
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text

from sdanalysis.plots.marks import parse_gid


def numbers(values):
    """Numbers in three digits, points in brackets; what is missing is a dash."""
    array = np.ma.filled(np.ma.asarray(values, float), np.nan)
    if array.ndim == 1:
        return " ".join("-" if np.isnan(one) else f"{one + 0:.3g}" for one in array)
    return " ".join(f"({numbers(row)})" for row in array)


def colours(found):
    """The colours of an artist, each once where all are the same."""
    names = [to_hex(one, keep_alpha=one[3] < 1) if one[3] else "none" for one in found]
    return " ".join(dict.fromkeys(names) if len(set(names)) == 1 else names) or "none"


def drawn(figure):
    """The text of a figure: of each axes its title, limits, ticks and legend, and its artists."""
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    lines = [f"figure {width:.3g} x {height:.3g} inches: {figure.get_suptitle()!r}"]
    for ax in figure.axes:
        for letter in "xy":
            axis, limits = getattr(ax, f"{letter}axis"), getattr(ax, f"get_{letter}lim")()
            ticks = [text.get_text() for text in axis.get_ticklabels()]
            label = axis.label.get_text()
            lines.append(f"{letter} {axis.get_scale()} {numbers(limits)}: {label!r} {ticks}")
        if legend := ax.get_legend():
            words = [text.get_text() for text in legend.get_texts()]
            lines.append(f"legend of {legend._ncols} columns: {words}")
        of_scale = ax.get_label() == "<colorbar>"
        for artist in (
            () if of_scale else filter(lambda artist: artist is not ax.patch, ax.get_children())
        ):
            if described := _described(artist):
                lines.append(f"{described}, z {artist.get_zorder():.3g}")
                gid = parse_gid(artist.get_gid())
                links = gid.get("links", [None] * len(gid.get("titles", [])))
                marks = zip(gid.get("titles", []), links, strict=True)
                lines += [f"  {title!r}" + f" -> {link}" * bool(link) for title, link in marks]
                lines += ["  keeps its colours"] * bool(gid.get("fixed"))
    return "\n".join(lines) + "\n"


def _described(artist):
    kind = next((kind for kind in _SAY if isinstance(artist, kind)), None)
    return _SAY[kind](artist) if kind else ""


def _line(line):
    style = f"{to_hex(line.get_color())} {line.get_linestyle()} {line.get_marker()}"
    face = to_hex(line.get_markerfacecolor())
    return f"line {style} {face} {line.get_linewidth():g}: {numbers(line.get_xydata())}"


def _lines(lines):
    ends = " ".join(f"({numbers(segment.ravel())})" for segment in lines.get_segments())
    return f"lines {colours(lines.get_edgecolors())} {numbers(lines.get_linewidths())}: {ends}"


def _dots(dots):
    corners = len(dots.get_paths()[0].vertices)  # of the marker
    faces, edges = colours(dots.get_facecolors()), colours(dots.get_edgecolors())
    places = numbers(dots.get_offsets())
    return f"dots {faces} {edges} {numbers(dots.get_sizes())}, {corners} corners: {places}"


def _cells(mesh):
    mesh.update_scalarmappable()
    return f"cells {colours(mesh.get_facecolors())}: {numbers(mesh.get_array())}"


def _bar(bar):
    box = numbers([*bar.get_xy(), bar.get_width(), bar.get_height()])
    return f"bar {colours([bar.get_facecolor()])} {bar.get_hatch()}: {box}"


def _note(text):
    place = f"{text.xycoords} {text.get_ha()} {text.get_va()}"
    line = " with a line" * bool(text.arrow_patch)
    places = f"at {numbers(text.xy)} {numbers(text.xyann)}{line}"
    return f"text {text.get_color()} {place}: {text.get_text()!r} {places}"


def _text(text):
    at = numbers(text.get_position())
    return f"text {text.get_color()}: {text.get_text()!r} at {at}" if text.get_text() else ""


def _area(area):
    corners = np.concatenate([path.vertices for path in area.get_paths()])
    return f"area {colours(area.get_facecolors())}: {numbers(corners)}"


_SAY = {
    Line2D: _line, LineCollection: _lines, PathCollection: _dots, QuadMesh: _cells,
    PolyCollection: _area, Rectangle: _bar, Annotation: _note, Text: _text,
}  # fmt: skip
