"""Numbers the pictures of an executed notebook, so that each can be named, saved and cited.

A picture leaves its page sooner or later. It takes along, as text chunks of the PNG, what it shows
and how it was made. This happens after the execution: stored notebooks hold none of it.
"""

import base64
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER_END = len(SIGNATURE) + 25  # the first chunk, IHDR, has always this length
HEADING = re.compile(r"^#{1,6} +(.+?)[ #]*$", re.MULTILINE)
LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture of a report, `png` and `csv` in base64, `svg` as it stands in the page."""

    number: int
    section: str
    alt: str
    png: str
    csv: str  # the frame that was drawn; empty if the cell left none
    name: str
    cover: bool  # whether the cell is tagged so
    svg: str = ""  # empty if the figure left none

    def again(self, place: str) -> str:
        """Return the SVG for another place of the page, with ids of its own."""
        return re.sub(r'(id="|#)figure-', rf"\g<1>{place}-figure-", self.svg)


def number_pictures(notebook: Any, facts: Mapping[str, str]) -> list[Picture]:
    """Return the pictures of an executed notebook, numbered from 1.

    Each output with a PNG gets its Picture as `metadata.picture`, and a PNG that carries the
    facts: keyword and text of what every picture says about itself. An SVG beside it moves into
    the Picture, its ids now its own in the page. A picture stands under the last heading, in prose
    or shown by a cell.
    """
    pictures: list[Picture] = []
    section = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            section = _last_heading(cell.source) or section
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            section = _last_heading(data.get("text/markdown", "")) or section
            if "image/png" not in data:
                continue
            number = len(pictures) + 1
            alt = output.metadata.get("image/png", {}).get("alt", "")
            own = {**facts, "Title": section, "Description": alt, "Figure": str(number)}
            data["image/png"] = _base64(with_texts(base64.b64decode(data["image/png"]), own))
            picture = Picture(
                number=number, section=section, alt=alt, png=data["image/png"],
                csv=_base64(data.get("text/csv", "").encode()),
                name=f"figure-{number}-{slug(section)}".rstrip("-"),
                cover="cover" in cell.metadata.get("tags", []),
                svg=_numbered(data.pop("image/svg+xml", ""), number),
            )  # fmt: skip
            output.metadata["picture"] = picture
            pictures.append(picture)
    return pictures


def with_texts(png: bytes, texts: Mapping[str, str]) -> bytes:
    """Return a PNG with text chunks before its pixels, which stay as they are, byte by byte.

    What is Latin-1 becomes `tEXt`, the rest `iTXt`. Bytes of another format come back unchanged.
    """
    from PIL.PngImagePlugin import PngInfo, putchunk

    if not png.startswith(SIGNATURE):
        return png
    chunks, written = PngInfo(), io.BytesIO()
    for keyword, text in texts.items():
        if text:
            chunks.add_text(keyword, text)
    for kind, content, *_ in chunks.chunks:
        putchunk(written, kind, content)
    return png[:HEADER_END] + written.getvalue() + png[HEADER_END:]


def slug(text: str) -> str:
    """Return text as part of a file name: lower case, digits and hyphens, cut at a word."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words if len(words) <= LONGEST_NAME else words[: LONGEST_NAME + 1].rpartition("-")[0]


def _numbered(svg: str, number: int) -> str:
    """Return an SVG with ids that no other picture of the page has."""
    return re.sub(r'(id="|#)drawn-', rf"\1figure-{number}-", svg)  # plots.svg.PREFIX


def _last_heading(markdown: str) -> str:
    headings = HEADING.findall(markdown)
    return re.sub(r"[*`]", "", headings[-1]) if headings else ""


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
