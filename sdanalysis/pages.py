"""What the pages of several rooms share: how templates are filled, where a card's entry stands."""

from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sdanalysis.palette import css
from sdanalysis.paths import TEMPLATES

# The boards and uses to choose from, and what a page calls them.
BOARDS = {
    "pi-5": "Pi 5", "pi-4b": "Pi 4", "pi-3b": "Pi 3", "pi-2b": "Pi 2", "pi-zero-2w": "Zero 2 W",
}  # fmt: skip
USES = {"system": "System", "storage": "Large files", "camera": "Camera"}


def environment(folder: Path) -> Environment:
    """Return what fills the templates of a folder, with those of every page beside them."""
    made = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]), autoescape=True, undefined=StrictUndefined
    )
    made.globals["palette"] = css()
    made.trim_blocks = made.lstrip_blocks = True
    return made


def link(specimen: str) -> str:
    """Return the address of a card's entry, for a page in the folder of `cards.html`."""
    return f"cards.html#{quote(specimen, safe='/+')}"
