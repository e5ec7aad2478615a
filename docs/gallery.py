"""Copies every figure out of the stored notebooks, so that pages and notebooks cannot differ.

Writes docs/figures/<notebook>-<n>.png and docs/gallery.md, which shows each with the command that
makes it. `make notebooks` runs it after the notebooks; tests/test_readme.py compares.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery.md"
FIGURES = ROOT / "docs" / "figures"
HEAD = """\
# Every figure of the notebooks

Each picture is the one that is stored in its notebook. The command makes a page of the notebook
in `reports/`, where each figure can be saved as PNG and its numbers as CSV; `-p NAME VALUE` sets a
parameter, `sdanalysis report --list` lists them. Written by `make notebooks`.
"""


class Figure(NamedTuple):
    """A picture of a notebook: its number there, whether it is the cover, alt text and bytes."""

    notebook: str
    number: int
    cover: bool
    alt: str
    png: bytes

    @property
    def path(self) -> Path:
        """Where the picture is copied to."""
        return FIGURES / f"{self.notebook}-{self.number}.png"


def figures() -> Iterator[Figure]:
    """Yield the figures of all stored notebooks, in their order."""
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        number = 0
        for cell in nbformat.read(notebook, as_version=4).cells:
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    number += 1
                    yield Figure(
                        notebook=notebook.stem,
                        number=number,
                        cover="cover" in cell.metadata.get("tags", []),
                        alt=output.metadata["image/png"]["alt"],
                        png=base64.b64decode(output.data["image/png"]),
                    )


def page() -> str:
    """Return the gallery as Markdown."""
    parts, title = [HEAD], ""
    for figure in figures():
        if figure.notebook != title:
            title = figure.notebook
            command = f"```console\n$ sdanalysis report {title}\n```\n"
            parts.append(f"## [`{title}`](../notebooks/{title}.ipynb)\n\n{command}")
        parts.append(f"![{figure.alt}](figures/{figure.path.name})\n\n{figure.alt}\n")
    return "\n".join(parts)


def write() -> None:
    """Write the pictures and the page; remove the picture of a figure that is no more."""
    FIGURES.mkdir(exist_ok=True)
    kept = {figure.path: figure.png for figure in figures()}
    for path in FIGURES.glob("*.png"):
        if path not in kept:
            path.unlink()
    for path, png in kept.items():
        path.write_bytes(png)
    GALLERY.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
