"""A document and its points -> one HTML page that holds all it needs and asks no host for more."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sdanalysis import plots
from sdanalysis.my_card.document import ROWS
from sdanalysis.paths import TEMPLATES


def as_page(document: dict[str, Any], points: pd.DataFrame) -> str:
    """Return the page: the document's words and tables, and the figure of its places."""
    folders = FileSystemLoader([Path(__file__).parent, TEMPLATES])
    environment = Environment(loader=folders, autoescape=True, undefined=StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= ROWS
    template = environment.get_template("page.html.j2")
    picture = base64.b64encode(_picture(points)).decode() if len(points) else None
    return template.render(document=document, picture=picture, alt=alt_text(document)) + "\n"


def alt_text(document: dict[str, Any]) -> str:
    """Return what a reader who does not see the figure has to know."""
    places = [
        f"{row['test']}: {row['value']:g} MB/s, place {row['rank']} of {row['known_cards'] + 1}"
        for row in document["places"]
    ]
    return "The card among the known cards, one row a test. " + "; ".join(places) + "."


def _picture(points: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    with mpl.rc_context({"backend": "agg"}):
        figure = plots.standing(points).get_figure(root=True)
        assert figure is not None  # an axes of pyplot has one
        options: dict[str, Any] = {"dpi": 120, "bbox_inches": "tight", "facecolor": "white"}
        figure.savefig(content, format="png", metadata={"Software": None}, **options)
    mpl.pyplot.close(figure)
    return content.getvalue()
