"""Lets a figure leave a notebook: as a picture, with what its marks say as its text.

Pixels differ between releases of matplotlib; what the marks say does not. nbval compares the text,
so it guards a number in a figure like a printed one. A picture names the text that it was drawn
with, so no other can replace it.
"""

import hashlib
import io
import os
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from sdanalysis.errors import SdAnalysisError, missing_extra
from sdanalysis.plots.marks import parse_gid, sentences
from sdanalysis.plots.narrow import narrow
from sdanalysis.plots.svg import PREFIX, as_svg, fit

LISTED = 200  # marks, or rows of the frame where marks say nothing
DPI = 110  # of a picture
WITH_SVG = "SDANALYSIS_SVG"  # set in the environment: figures leave as SVG too
DRAWN_FROM = "Drawn from"  # the text chunk of a picture that `drawn_from` gives


def show(fig: Figure, *, alt: str, data: pd.DataFrame) -> None:
    """Publish a figure as a PNG with alt text; its text/plain is `spoken(fig, data)`.

    The frame that was drawn goes along as CSV: the report offers it as a download. A report also
    gets the figure as SVG, wide and narrow: it sets `SDANALYSIS_SVG` in the environment of its
    kernels. Stored notebooks have no SVG, and so stay small. The figure is closed afterwards: the
    notebook would show an open one a second time. SdAnalysisError if the alt text, what a reader
    who does not see the picture has to know, is empty.
    """
    try:
        from IPython.display import display
    except ImportError as error:
        raise missing_extra("report", error.name, "show") from error
    if not alt.strip():
        raise SdAnalysisError("found an empty alt text, expected what the figure shows")
    named = not isinstance(data.index, pd.RangeIndex)
    box = fit(fig, dpi=DPI)
    picture, text = _picture(fig, box), spoken(fig, data)
    bundle = {
        "image/png": _signed(picture, text),
        "text/plain": text,
        "text/csv": data.to_csv(index=named, float_format="%.6g", lineterminator="\n"),
    }
    if os.environ.get(WITH_SVG):
        bundle["image/svg+xml"] = drawings(fig, alt=alt, box=box)
    plt.close(fig)
    display(bundle, raw=True, metadata={"image/png": {"alt": " ".join(alt.split())}})


def drawings(fig: Figure, *, alt: str, box: Bbox | None = None) -> str:
    """Return a figure as two `<svg>`, for a wide and for a narrow page; it ends as the narrow."""
    wide = as_svg(fig, alt=alt, box=box or fit(fig, dpi=DPI), width="wide")
    box = fit(narrow(fig), dpi=DPI)
    return wide + as_svg(fig, alt=alt, prefix=f"{PREFIX}narrow-", box=box, width="narrow")


def spoken(fig: Figure, data: pd.DataFrame) -> str:
    """Return what a figure says to a reader who does not see it: titles, axes, a line a mark.

    Where no mark says anything, the rows of the frame stand for them.
    """
    marks = [line for ax in fig.axes for line in sentences(ax)]
    if not marks:
        rows = data.reset_index(drop=isinstance(data.index, pd.RangeIndex)).astype(object)
        marks = [
            ", ".join(f"{name} {_short(cell)}" for name, cell in row.items() if pd.notna(cell))
            for _, row in rows.iterrows()
        ]
    more = len(marks) - LISTED
    listed = [f"- {line}" for line in marks[:LISTED]] + [f"and {more} more"] * (more > 0)
    return "\n".join([*(line for ax in fig.axes for line in _heads(ax)), *listed])


def _heads(ax: Axes) -> Iterator[str]:
    """Yield what stands above and at an axes."""
    titles = (ax.figure.get_suptitle() if ax is ax.figure.axes[0] else "", ax.get_title(loc="left"))
    axes = (f"{letter}: {getattr(ax, f'get_{letter}label')()}" for letter in "xy")
    words = [*titles, ax.get_title(), *(words for words in axes if len(words) > 3)]
    if legend := ax.get_legend():
        words.append("marks: " + "; ".join(text.get_text() for text in legend.get_texts()))
    yield from (" ".join(line.split()) for line in words if line)


def _short(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def drawn_from(picture: Image.Image, text: str) -> str:
    """Return what ties a picture to the text that it was drawn with: a digest of both."""
    digest = hashlib.sha256(text.encode())
    digest.update(picture.convert("RGB").tobytes())
    return digest.hexdigest()


def _picture(fig: Figure, box: Bbox) -> Image.Image:
    """Draw a figure on white, undated, in few colours: a quarter of the bytes, and no eye sees it.

    Colours that stand for values have more of them.
    """
    full = io.BytesIO()
    style = {"bbox_inches": box, "facecolor": "white", "pil_kwargs": {"compress_level": 0}}
    fig.savefig(full, format="png", dpi=DPI, **style)
    picture = Image.open(full).convert("RGB")
    shades = any(parse_gid(artist.get_gid()).get("fixed") for artist in fig.findobj())
    return picture.quantize(
        128 if shades else 40, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )


def _signed(picture: Image.Image, text: str) -> bytes:
    """Return a picture as PNG that names the text it was drawn with.

    The last level of compression would take three times as long, for a hundredth of the bytes.
    """
    content, chunks = io.BytesIO(), PngInfo()
    chunks.add_text(DRAWN_FROM, drawn_from(picture, text))
    picture.save(content, format="png", compress_level=8, pnginfo=chunks)
    return content.getvalue()
