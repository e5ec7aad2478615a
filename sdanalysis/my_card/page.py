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

DOTS_PER_INCH = 120


def as_page(document: dict[str, Any], points: pd.DataFrame) -> str:
    """Return the page: the document's words and tables, and the figure of its places."""
    environment = Environment(
        loader=FileSystemLoader([Path(__file__).parent, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= ROWS
    template = environment.get_template("page.html.j2")
    picture = base64.b64encode(_picture(points)).decode() if len(points) else None
    return template.render(document=document, picture=picture, alt=alt_text(document)) + "\n"


def alt_text(document: dict[str, Any]) -> str:
    """Return what a reader who does not see the figure has to know."""
    places = [
        f"{place['test']}: {place['value']:g} MB/s, place {place['rank']} of "
        f"{place['known_cards'] + 1}"
        for place in document["places"]
    ]
    return "The card among the known cards, one row a test. " + "; ".join(places) + "."


def _picture(points: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    with mpl.rc_context({"backend": "agg"}):
        figure = plots.standing(points).get_figure(root=True)
        assert figure is not None  # an axes of pyplot has one
        figure.savefig(
            content,
            format="png",
            dpi=DOTS_PER_INCH,
            bbox_inches="tight",
            facecolor="white",
            metadata={"Software": None},
        )
    mpl.pyplot.close(figure)
    return content.getvalue()
