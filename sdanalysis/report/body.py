"""The body of a page: what is too wide scrolls, headings are linked, appendices are folded."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from sdanalysis.report.tables import dress

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

# The policy of a page has no word on these elements; none of them belongs into its body.
LEADS_AWAY = r"<(?=(?i:meta|base|link)\b)"
NOBODY_READS = "a.anchor-link, style[scoped]"
NOT_DESCRIBED = "A picture of which nothing is said."
CELLS = "div.text_cell, div.text_cell_render, div.text_cell > div.inner_cell"


def tidy(body: str, stem: str = "") -> str:
    """Return the body of the page `stem` as a reader wants it.

    What would take the reader to another page or host, such as a refresh, is shown as text.
    """
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(re.sub(LEADS_AWAY, "&lt;", body), "html.parser")
    for element in soup.select(NOBODY_READS):
        element.decompose()
    for number, table in enumerate(soup.find_all("table"), start=1):
        dress(soup, table, number, stem)
    for element in soup.find_all(["pre", "img"]):
        _help(element)
    for heading in soup.find_all(["h2", "h3", "h4"], id=True):
        _link(soup, heading)
    for element in soup.select(CELLS):
        element.unwrap()
    for heading in soup.find_all("h2", recursive=False):
        if heading.get_text().startswith("Appendix"):
            _fold(soup, heading)
    return soup.decode()


def _help(element: Tag) -> None:
    """Let text that scrolls be reached by keyboard; a picture of which nothing is said says so."""
    if element.name == "pre":
        element["tabindex"] = "0"
    else:
        element["alt"] = element.get("alt", NOT_DESCRIBED)


def headings(body: str) -> list[tuple[str, str]]:
    """Return (id, text) of the second-level headings of a tidy body: its claims."""
    return re.findall(r'<h2 id="([^"]+)">(.*?)(?:<a [^>]*class="anchor"|</h2>)', body, re.DOTALL)


def _link(soup: BeautifulSoup, heading: Tag) -> None:
    """Put a link to a heading behind it, with a name of its own for those who hear it."""
    text = heading.get_text().strip()
    named = {"class": "anchor", "href": f"#{heading['id']}", "aria-label": f"Link to: {text}"}
    link = soup.new_tag("a", attrs=named)
    link.string = "#"
    heading.append(link)


def _fold(soup: BeautifulSoup, heading: Tag) -> None:
    """Fold all from an appendix's heading to the next; one that holds an error stays open.

    The link of the heading stands beside the fold: what opens one must not hold a link.
    """
    following = itertools.takewhile(
        lambda element: element.name not in ("h1", "h2"), list(heading.next_siblings)
    )
    content = list(following)
    section = soup.new_tag("div", attrs={"class": "appendix"})
    heading.insert_before(section)
    fold, summary = soup.new_tag("details"), soup.new_tag("summary")
    summary.append(heading.extract())
    fold.extend([summary, *(element.extract() for element in content)])
    section.extend([fold, *(link.extract() for link in heading.select("a.anchor"))])
    if fold.select(".output_error"):
        fold["open"] = ""
