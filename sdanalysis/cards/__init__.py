"""Every card and stick in one page: what it reached where, against whom, and who printed it."""

from __future__ import annotations

from pathlib import Path

from sdanalysis.pages import link
from sdanalysis.paths import DATA

__all__ = ["link", "picker", "render"]


def render(folder: Path = DATA, *, companions: bool = False) -> str:
    """Return the page of all cards as HTML that needs nothing beside it.

    Parameters
    ----------
    folder : Path
        That of the tables, the catalogue and the raw files: the printed lines are shown, too.
    companions : bool
        With the cards of the companions, marked as such.

    Examples
    --------
    >>> from sdanalysis import cards
    >>> html = cards.render()
    >>> 'id="geerling/samsung-evo+-32gb"' in html
    True
    """
    from sdanalysis.cards.document import document
    from sdanalysis.cards.page import as_page
    from sdanalysis.dataset import load_data

    return as_page(document(load_data(folder, companions=companions), folder))


def picker(folder: Path = DATA, *, companions: bool = False) -> str:
    """Return which card to take for each board and use, as HTML for the head of the front page.

    Parameters are those of `render`.

    Examples
    --------
    >>> from sdanalysis import cards
    >>> html = cards.picker()
    >>> 'id="pi-4b-system"' in html, html.count("<article")
    (True, 15)
    """
    from sdanalysis.cards.answers import as_picker
    from sdanalysis.dataset import load_data

    data, five = load_data(folder, companions=companions), load_data(folder)
    beyond = {*data.measurements["source"]} - {*five.measurements["source"]}
    return as_picker(data, beyond)
