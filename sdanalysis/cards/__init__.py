"""Every card and stick in one page: what it reached where, against whom, and who printed it."""

from __future__ import annotations

from pathlib import Path

from sdanalysis.paths import DATA

__all__ = ["page"]


def page(folder: Path = DATA, *, companions: bool = False) -> str:
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
    >>> html = cards.page()
    >>> 'id="geerling/samsung-evo+-32gb"' in html
    True
    """
    from sdanalysis.cards.document import document
    from sdanalysis.cards.page import as_page

    return as_page(document(folder, companions=companions))
