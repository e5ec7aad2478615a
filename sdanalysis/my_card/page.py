"""A document and its points -> one HTML page that holds all it needs and asks no host for more."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

from sdanalysis import pages, plots
from sdanalysis.my_card.document import ROWS
from sdanalysis.my_card.known_cards import listed
from sdanalysis.paths import DATA
from sdanalysis.plots.show import drawings
from sdanalysis.sources.declaration import read_declaration


def as_page(document: dict[str, Any], points: pd.DataFrame, data: Path = DATA) -> str:
    """Return the page: the document's words and tables, and the figure of its places.

    `data` is the folder whose sources measured the known cards.
    """
    environment = pages.environment(Path(__file__).parent)
    environment.filters |= ROWS | {"encoded": lambda text: base64.b64encode(text.encode()).decode()}
    template = environment.get_template("page.html.j2")
    alt, known = alt_text(document), listed(points)
    drawn = points.join(known["link"])
    picture = _picture(drawn, alt) if len(points) else None
    names = {"document": document, "sources": _sources(data), "known_cards": known}
    return template.render(picture=picture, **names) + "\n"


def _sources(data: Path) -> list[tuple[str, str, str]]:
    """Return title, author and address of each source in a folder of data."""
    files = (path for kind in ("raw", "companions") for path in data.glob(f"{kind}/*/source.toml"))
    said = [read_declaration(path.parent) for path in sorted(files)]
    return [(one.title, one.author, one.url) for one in said]


def alt_text(document: dict[str, Any]) -> str:
    """Return what a reader who does not see the figure has to know."""
    places = [
        f"{row['test']}: {row['value']:g} MB/s, place {row['rank']} of {row['known_cards'] + 1}"
        for row in document["places"]
    ]
    return "The card among the known cards, one row a test. " + "; ".join(places) + "."


def _picture(points: pd.DataFrame, alt: str) -> str:
    with mpl.rc_context({"backend": "agg"}):
        figure = plots.standing(points).get_figure(root=True)
        assert figure is not None  # an axes of pyplot has one
        written = drawings(figure, alt=alt)
    mpl.pyplot.close(figure)
    return written
