"""Every card and stick in one page: what it reached where, against whom, and who printed it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from sdanalysis.paths import DATA

__all__ = ["link", "render"]


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


def link(specimen: str) -> str:
    """Return the address of a card's entry, for a page in the folder of `cards.html`.

    Parameters
    ----------
    specimen : str
        As in the column of that name: `geerling/samsung-evo+-32gb`.

    Examples
    --------
    >>> from sdanalysis import cards
    >>> cards.link("geerling/samsung-evo+-32gb")
    'cards.html#geerling/samsung-evo+-32gb'
    """
    return f"cards.html#{quote(specimen, safe='/+')}"
