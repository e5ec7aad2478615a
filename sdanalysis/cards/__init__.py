"""Every card and stick in one page: what it reached where, against whom, and who printed it."""

from __future__ import annotations

from pathlib import Path

from sdanalysis.pages import link
from sdanalysis.paths import DATA

__all__ = ["link", "picker", "render"]


def render(folder: Path = DATA, *, companions: bool = False) -> str:
    """Return the page of all cards as HTML that needs nothing beside it.

    `folder` is that of the tables, the catalogue and the raw files, whose printed lines are shown;
    with `companions` their cards take part, marked as such.
    """
    from sdanalysis.cards.document import as_page, document
    from sdanalysis.dataset import load_data

    return as_page(document(load_data(folder, companions=companions), folder))


def picker(folder: Path = DATA, *, companions: bool = False) -> str:
    """Return which card to take for each board and use, as HTML for the head of the front page.

    Parameters are those of `render`.
    """
    from sdanalysis.cards.answers import as_picker
    from sdanalysis.dataset import load_data

    data, five = load_data(folder, companions=companions), load_data(folder)
    beyond = {*data.measurements["source"]} - {*five.measurements["source"]}
    return as_picker(data, beyond)
