"""What fills the templates of a page that a room of its own makes: of all cards, of my card."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sdanalysis.palette import css
from sdanalysis.paths import TEMPLATES


def environment(folder: Path) -> Environment:
    """Return what fills the templates of a folder, with those of every page beside them."""
    made = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]), autoescape=True, undefined=StrictUndefined
    )
    made.globals["palette"] = css()
    made.trim_blocks = made.lstrip_blocks = True
    return made
