"""A figure -> SVG that stands within a page: its marks say what they are, its inks are the page's.

Text stays text (found, copied, read aloud; a third of the size of outlines), in DejaVu Sans or
Verdana, which is drawn to the same widths. Nothing depends on the day or on the machine's ids.
"""

import io
import re
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox

from sdanalysis.palette import LIGHT
from sdanalysis.plots.marks import parse_gid

PREFIX = "drawn-"  # of the ids, where none is given
MANY = 600  # cells of a mesh: more are drawn as pixels

_SVG = "http://www.w3.org/2000/svg"
_NAME, _LINK = f"{{{_SVG}}}", "{http://www.w3.org/1999/xlink}href"
_ROOT = (
    "fill:var(--ink,#000);font-family:'DejaVu Sans',Verdana,sans-serif;"
    "stroke-linejoin:round;stroke-linecap:butt"
)
_INK, _PAPER = "var(--ink,#000)", "var(--paper,#fff)"
_GREY = 0.1  # colours whose channels differ by less are greys
_TINT = 0.5  # colours whose channels are all above this are tints of the paper
_NAMED = {  # the page says what they are on its ground
    LIGHT[name]: f"var(--{name},{LIGHT[name]})"
    for name in ("good", "avoid", "rest", "faint", "ink")
}
_TEXT = 55  # % of its colour that a coloured text keeps: the rest is ink, so that it can be read


def fit(figure: Figure, *, dpi: float) -> Bbox:
    """Lay a figure out for a resolution; return what of it is not empty, in inches.

    What is saved with this as `bbox_inches` is drawn once: "tight" would lay it out each time.
    """
    usual = figure.get_dpi()
    figure.set_dpi(dpi)
    lay_out(figure)
    figure.set_layout_engine(None)
    box = figure.get_tightbbox()
    figure.set_dpi(usual)
    return box.padded(mpl.rcParams["savefig.pad_inches"])


def lay_out(figure: Figure) -> None:
    """Put the axes of a figure where they will be drawn, without drawing anything."""
    engine = figure.get_layout_engine()
    if engine and figure.axes:
        engine.execute(figure)


def as_svg(
    figure: Figure, *, alt: str, prefix: str = PREFIX, box: Bbox | None = None, width: str = ""
) -> str:
    """Return a figure as the text of an `<svg>` for the inside of a page.

    The page's `--ink` and `--paper` give black, white and greys; its `--strength` fades other
    colours. So a dark page has a dark figure; alone it is black on white. The prefix of its ids is
    to be its own in a page. The box is what `fit` has returned. `width` (wide or narrow) is the
    class of one of two drawings of a figure, of which a page shows one.
    """
    meshes = figure.findobj(QuadMesh)  # as they were drawn, or for their many cells, one mark
    large = (mesh for mesh in meshes if mesh.get_rasterized() or np.size(mesh.get_array()) > MANY)
    covers = list(map(_rasterize, large))
    written = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sdanalysis"}):
        style = {"facecolor": "none", "metadata": {"Date": None}}
        figure.savefig(written, format="svg", bbox_inches=box or "tight", **style)
    for cover in covers:
        cover.remove()
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(written.getvalue())
    for parent in list(root.iter()):
        for child in [node for node in parent if node.tag in (f"{_NAME}metadata", f"{_NAME}style")]:
            parent.remove(child)
    linked = _add_titles(root)
    _colour(root, fixed=False)
    _shorten(root, prefix)
    root.attrib |= {
        "role": "group" if linked else "img", "aria-label": " ".join(alt.split()), "style": _ROOT,
    }  # fmt: skip
    if width:
        root.set("class", width)
    return ElementTree.tostring(root, "unicode", short_empty_elements=True)


def _rasterize(mesh: QuadMesh) -> Rectangle:
    """Let a mesh be drawn as pixels, which say nothing, and lay over it a mark that does."""
    mesh.set_rasterized(True)
    box = mesh.get_datalim(mesh.axes.transData)
    cover = Rectangle((box.x0, box.y0), box.width, box.height, facecolor="none", edgecolor="none")
    cover.set_gid(mesh.get_gid())
    return mesh.axes.add_patch(cover)


def _add_titles(root: ElementTree.Element) -> bool:
    """Give the marks of each described group its titles and links; say whether any has a link.

    No link is a stop of the tab key: a hundred of them would stand before what follows.
    """
    linked = False
    for group in list(root.iter(f"{_NAME}g")):
        gid = parse_gid(group.get("id"))
        titles = gid.get("titles", [])
        links = gid.get("links", [None] * len(titles))
        for (parent, mark), title, link in zip(
            _marks(group, len(titles)), titles, links, strict=False
        ):
            mark.set("class", "mark")
            ElementTree.SubElement(mark, f"{_NAME}title").text = title
            if link:
                linked = True
                words = {"href": link, "aria-label": ", ".join(title.splitlines())}
                place = list(parent).index(mark)
                parent[place] = ElementTree.Element(f"{_NAME}a", words | {"tabindex": "-1"})
                parent[place].append(mark)
    return linked


def _marks(
    group: ElementTree.Element, count: int
) -> list[tuple[ElementTree.Element, ElementTree.Element]]:
    """Return each mark with its parent; none where there are not as many as there are titles.

    A wrong title is worse than none.
    """
    elements = [(parent, child) for parent in group.iter(f"{_NAME}g") for child in parent]
    for tag in ("use", "path"):  # a line with dots has a path beside its dots
        marks = [(parent, child) for parent, child in elements if child.tag == _NAME + tag]
        if len(marks) == count:
            return marks
    return []


def _colour(element: ElementTree.Element, *, fixed: bool) -> None:
    """Mix the colours of an element and of all within it from those of the page."""
    if parse_gid(element.get("id")).get("fixed"):
        fixed = True
        element.set("style", "fill:#000")  # what is black is not written
    is_text = element.tag in (f"{_NAME}text", f"{_NAME}tspan")
    if style := element.get("style"):
        colours = "#ffffff" if fixed else "#[0-9a-f]{6}"  # a fixed cell is empty where it is white
        if not (fixed and is_text):
            style = re.sub(colours, lambda match: themed_colour(match[0], is_text), style)
        element.set("style", style)
    for child in element:
        _colour(child, fixed=fixed)


def themed_colour(colour: str, is_text: bool = False) -> str:
    """Return a colour of a white page as CSS for one of any ground."""
    if colour in _NAMED:
        return _NAMED[colour]
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    least, share = min(channels), 100 * (1 - sum(channels) / 3)
    if max(channels) - least < _GREY:
        ends = {0: _PAPER, 100: _INK}
        return ends.get(round(share), f"color-mix(in srgb,{_INK} {share:.0f}%,{_PAPER})")
    if least > _TINT:
        full = (round(255 * (1 - (1 - channel) / (1 - least))) for channel in channels)
        strong = "#{:02x}{:02x}{:02x}".format(*full)
        return f"color-mix(in srgb,{strong} {100 * (1 - least):.0f}%,{_PAPER})"
    if is_text:
        return f"color-mix(in srgb,{colour} {_TEXT}%,{_INK})"
    return f"color-mix(in srgb,{colour} var(--strength,100%),#fff)"


def _shorten(root: ElementTree.Element, prefix: str) -> None:
    """Leave the ids that are referred to, prefixed, and two decimals of each place."""
    used = {element.get(_LINK, "").removeprefix("#") for element in root.iter()}
    for element in root.iter():
        for name in ("clip-path", "style"):
            used.update(re.findall(r"url\(#([^)]+)\)", element.get(name, "")))
    for element in root.iter():
        element.text, element.tail = (
            text if text and text.strip() else None for text in (element.text, element.tail)
        )
        if (own := element.attrib.pop("id", None)) in used:
            element.set("id", prefix + str(own))
        if reference := element.attrib.pop(_LINK, None):
            picture = element.tag == f"{_NAME}image"
            element.set("href", reference if picture else f"#{prefix}{reference[1:]}")
        for name, value in element.attrib.items():
            element.set(name, _shorter(name, value, prefix))


def _shorter(name: str, value: str, prefix: str) -> str:
    if name in ("clip-path", "style"):
        value = value.replace("url(#", f"url(#{prefix}")
    if name == "style":
        plain = re.sub(r"font-family: [^;]*;? ?", "", value)
        return re.sub(r"([:;]) +", r"\1", plain).strip("; ")
    if name in ("d", "x", "y", "transform", "width", "height", "viewBox"):
        # a hundredth of a point is nothing to the eye
        return re.sub(r"\d+\.\d{3,}", _hundredths, " ".join(value.split()))
    return value


def _hundredths(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
