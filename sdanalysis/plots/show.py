"""Lets a figure leave a notebook: as a picture, with the numbers that were drawn as its text.

Pixels differ between releases of matplotlib, the numbers that were drawn do not. nbval compares
the text, so a number that only a figure shows is guarded like a printed one; and a picture names
the numbers that it was drawn from, so that no other can be put in its place.
"""

import hashlib
import io
import os
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick
from matplotlib.collections import Collection, LineCollection, PathCollection, QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from sdanalysis.errors import SdAnalysisError, missing_extra
from sdanalysis.plots.svg import as_svg, fit

LISTED_POINTS = 60
DPI = 110  # of a picture
WITH_SVG = "SDANALYSIS_SVG"  # set in the environment: figures leave as SVG too
DRAWN_FROM = "Drawn from"  # the text chunk of a picture that `drawn_from` gives

AnyArtist = TypeVar("AnyArtist", bound=Artist)


def show(fig: Figure, *, alt: str, data: pd.DataFrame) -> None:
    """Publish a figure as a PNG with alt text; its text/plain is `drawn_numbers(fig)`.

    The frame that was drawn goes along as CSV: the report offers it as a download. A report also
    wants the figure as SVG, and says so in the environment of its kernels (`SDANALYSIS_SVG`);
    stored notebooks do without it, and so stay small. The figure is closed afterwards: the
    notebook would show an open one a second time.

    Raises
    ------
    SdAnalysisError
        If the alt text, what a reader who does not see the picture has to know, is empty;
        without IPython, which the extra `notebooks` brings.
    """
    try:
        from IPython.display import display
    except ImportError as error:
        raise missing_extra("report", error.name, "show") from error
    if not alt.strip():
        raise SdAnalysisError("found an empty alt text, expected what the figure shows")
    named = not isinstance(data.index, pd.RangeIndex)
    box = fit(fig, dpi=DPI)
    picture = _picture(fig, box)  # first: it draws, and the numbers are read from what is drawn
    numbers = _listed(fig)
    bundle = {
        "image/png": _signed(picture, numbers),
        "text/plain": numbers,
        "text/csv": data.to_csv(index=named, float_format="%.6g", lineterminator="\n"),
    }
    if os.environ.get(WITH_SVG):
        bundle["image/svg+xml"] = as_svg(fig, alt=alt, box=box)
    plt.close(fig)
    display(bundle, raw=True, metadata={"image/png": {"alt": " ".join(alt.split())}})


def drawn_from(picture: Image.Image, numbers: str) -> str:
    """Return what ties a picture to the numbers that were drawn: a digest of both.

    A picture of another figure, or one whose pixels were changed, does not have it.
    """
    digest = hashlib.sha256(numbers.encode())
    digest.update(picture.convert("RGB").tobytes())
    return digest.hexdigest()


def _picture(fig: Figure, box: Bbox) -> Image.Image:
    """Draw a figure on white, undated, in few colours: a third of the bytes, and no eye sees it."""
    full = io.BytesIO()
    style = {"bbox_inches": box, "facecolor": "white", "pil_kwargs": {"compress_level": 0}}
    fig.savefig(full, format="png", dpi=DPI, **style)
    picture = Image.open(full).convert("RGB")
    return picture.quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def _signed(picture: Image.Image, numbers: str) -> bytes:
    """Return a picture as PNG that names the numbers it was drawn from.

    The last level of compression would take three times as long, for a hundredth of the bytes.
    """
    content, chunks = io.BytesIO(), PngInfo()
    chunks.add_text(DRAWN_FROM, drawn_from(picture, numbers))
    picture.save(content, format="png", compress_level=8, pnginfo=chunks)
    return content.getvalue()


def drawn_numbers(fig: Figure) -> str:
    """List what a figure shows, read from its artists, one item a line, 4 significant digits.

    Up to 60 points of an artist are listed; above that their count, quantiles and sum. Colour
    bars are skipped: they repeat the scale of the values that they belong to.
    """
    fig.draw_without_rendering()  # tick labels and automatic limits exist only after drawing
    return _listed(fig)


def _listed(fig: Figure) -> str:
    """List what a figure shows that was drawn just now."""
    panels = _visible(_with_insets(fig.axes))
    colour_bars = _colour_bars(panels)
    lines = [f"text: {_plain(text.get_text())}" for text in _visible(fig.texts)]
    lines += [_legend(legend) for legend in fig.legends]
    for number, axes in enumerate((axes for axes in panels if axes not in colour_bars), start=1):
        lines += [f"axes {number}", *(f"  {line}" for line in _describe(axes))]
    return "\n".join(lines)


def _with_insets(axes_list: Iterable[Artist]) -> Iterator[Axes]:
    """Yield axes and what is nested in them: a figure does not list its insets."""
    for axes in axes_list:
        if isinstance(axes, Axes):
            yield axes
            yield from _with_insets(axes.child_axes)


def _colour_bars(panels: list[Axes]) -> set[Axes]:
    labelled = {axes for axes in panels if axes.get_label() == "<colorbar>"}
    mapped = [artist for axes in panels for artist in (*axes.collections, *axes.images)]
    return labelled | {artist.colorbar.ax for artist in mapped if artist.colorbar}


def _describe(axes: Axes) -> Iterator[str]:
    titles = (axes.get_title(place) for place in ("left", "center", "right"))
    yield from (f"title: {_plain(title)}" for title in titles if title)
    if axes.axison:
        yield from _axis("x", axes.xaxis)
        yield from _axis("y", axes.yaxis)
    if legend := axes.get_legend():
        yield _legend(legend)
    yield from _bars_and_patches(axes)
    for line in _visible(axes.lines):
        # orig=False gives the numbers after dates and categories were turned into positions.
        yield from _points("line", line, np.ma.column_stack(line.get_data(orig=False)))
    for collection in _visible(axes.collections):
        yield from _collection(collection)
    for image in _visible(axes.images):
        yield from _values("image", image.get_array())
    yield from (_text(text) for text in _visible(axes.texts) if text.get_text())


def _legend(legend: Legend) -> str:
    return f"legend: {' | '.join(_plain(text.get_text()) for text in legend.get_texts())}"


def _axis(letter: str, axis: Axis) -> Iterator[str]:
    if not axis.get_visible():
        return
    if axis.get_label_text():
        yield f"{letter} label: {_plain(axis.get_label_text())}"
    low, high = sorted(axis.get_view_interval())
    yield f"{letter} {axis.get_scale()}: {_number(low)} to {_number(high)}"
    ticks = _visible([*axis.get_major_ticks(), *axis.get_minor_ticks()])
    within = [tick for tick in ticks if low <= tick.get_loc() <= high]
    shown = sorted((tick.get_loc(), label) for tick in within for label in _tick_labels(tick))
    if shown:
        yield f"{letter} ticks: {' | '.join(label for _, label in shown)}"


def _tick_labels(tick: Tick) -> list[str]:
    texts = [label.get_text() for label in _visible([tick.label1, tick.label2])]
    return [_plain(text) for text in texts if text]


def _bars_and_patches(axes: Axes) -> Iterator[str]:
    containers = [bars for bars in axes.containers if isinstance(bars, BarContainer)]
    for bars in containers:
        rows = [_bar(bar, bars.orientation) for bar in _visible(bars.patches)]
        yield from _points("bars (at, from, to)", bars, rows)
    in_containers = {bar for bars in containers for bar in bars.patches}
    for patch in _visible(patch for patch in axes.patches if patch not in in_containers):
        corners = patch.get_patch_transform().transform(patch.get_path().vertices)
        yield from _points("patch", patch, corners)


def _bar(bar: Rectangle, orientation: str | None) -> tuple[float, float, float]:
    """Return where a bar stands, where it begins and where it ends."""
    left, bottom, width, height = bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height()
    if orientation == "horizontal":
        return bottom + height / 2, left, left + width
    return left + width / 2, bottom, bottom + height


def _collection(collection: Collection) -> Iterator[str]:
    """Describe points, error bars, meshes or areas, and the values that their colours stand for."""
    if isinstance(collection, PathCollection):
        yield from _points("points", collection, collection.get_offsets())
    elif isinstance(collection, LineCollection):
        segments = collection.get_segments()
        bars = all(len(segment) == 2 for segment in segments)  # error bars: one from-to a line
        points = np.reshape(segments, (-1, 4)) if bars else np.concatenate(segments)
        yield from _points("segments", collection, points)
    elif not isinstance(collection, QuadMesh):
        outlines = [path.vertices for path in collection.get_paths()]
        yield from _points("area", collection, np.concatenate(outlines) if outlines else [])
    colours = collection.get_array()
    if colours is not None:
        yield from _values("colour values", colours)


def _text(text: Text) -> str:
    place = ""
    if isinstance(text, Annotation) and text.xycoords == "data":
        x, y = text.xy
        place = f" at {_row([text.convert_xunits(x), text.convert_yunits(y)])}"
    return f"text: {_plain(text.get_text())}{place}"


def _points(kind: str, artist: Artist | BarContainer, points: ArrayLike) -> Iterator[str]:
    """List points one a line, or summarise each of their coordinates."""
    label = str(artist.get_label())  # matplotlib's own labels for unnamed artists begin with _
    table = _floats(points)
    yield f"{kind}{'' if label.startswith('_') or not label else ' ' + _plain(label)}, {len(table)}"
    if len(table) <= LISTED_POINTS:
        yield from (f"  {_row(point)}" for point in table)
    else:
        yield from (f"  {_summary(coordinate)}" for coordinate in table.T)


def _values(kind: str, values: ArrayLike) -> Iterator[str]:
    """List the values of a mesh row by row, or summarise all of them."""
    table = _floats(values)
    yield f"{kind}, {' x '.join(map(str, table.shape))}"
    if table.size <= LISTED_POINTS:
        yield from (f"  {_row(np.ravel(row))}" for row in table)
    else:
        yield f"  {_summary(table.ravel())}"


def _summary(values: np.ndarray) -> str:
    known = values[~np.isnan(values)]
    missing = f", missing {len(values) - len(known)}" if len(known) < len(values) else ""
    quantiles = _row(np.quantile(known, (0, 0.25, 0.5, 0.75, 1))) if len(known) else "none"
    return f"quantiles {quantiles}, sum {_number(known.sum())}{missing}"


def _floats(values: ArrayLike) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(values).astype(float), np.nan)


def _row(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}"  # + 0.0 turns -0.0 into 0


def _plain(text: str) -> str:
    """Put text on one line, without the markup of powers and with the ASCII minus sign."""
    text = re.sub(r"\$\\mathdefault\{(.*?)\}\$", r"\1", text)
    return " ".join(text.replace("\N{MINUS SIGN}", "-").split())


def _visible(artists: Iterable[AnyArtist]) -> list[AnyArtist]:
    return [artist for artist in artists if artist.get_visible()]
