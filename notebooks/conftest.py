"""Makes nbval compare what a reader can check, and say what differs the right way round.

nbval on its own passes a notebook whose outputs were cleared, skips the pictures and compares
the HTML of tables, which it prints unreadably. Here the text of every output is compared (figures
have their numbers as text, see sdanalysis.plots.show), and that of HTML cell by cell, whose tags
differ between releases of pandas. Pixels differ between releases of matplotlib: a stored picture
has to be the one that was drawn from the stored numbers. The difference is a unified diff.
"""

import base64
import binascii
import difflib
import io
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

PICTURES = {"image/svg+xml", "image/png", "image/jpeg"}


class Texts(HTMLParser):
    """The texts of a page, and where its links lead: a cell of a table is a text of its own."""

    def __init__(self, page: str) -> None:
        """Read a page; the words of style sheets and scripts are no texts."""
        super().__init__()
        self.found: list[str] = []
        self._hidden = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        """Note a link, and where texts that nobody sees begin."""
        self._hidden |= tag in ("style", "script")
        self.found += [f"{name}: {value}" for name, value in attributes if name in ("href", "src")]

    def handle_endtag(self, tag):
        """Note where texts are seen again."""
        self._hidden &= tag not in ("style", "script")

    def handle_data(self, data):
        """Keep a text that is seen."""
        if data.strip() and not self._hidden:
            self.found.append(" ".join(data.split()))


def pytest_itemcollected(item):
    """Replace one method of each cell: `compare_outputs(computed, stored) -> bool` of nbval."""
    if hasattr(item, "compare_outputs"):
        item.compare_outputs = lambda computed, stored: _compare(item, computed, stored)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run the cell for those that follow, and fail where nbval has nothing to compare it with."""
    result = yield
    cell = getattr(item, "cell", None)
    if cell is not None and cell.source.strip() and cell.execution_count is None:
        item.raise_cell_error(f"{_place(item)}: its outputs were cleared; run `make notebooks`")
    return result


def _compare(item, computed, stored) -> bool:
    new, old = (list(_lines(outputs)) for outputs in (computed, stored))
    place = _place(item)
    names = f"stored in {place}", f"computed from {place}"
    difference = list(difflib.unified_diff(old, new, *names, lineterm=""))
    warnings = "".join(output.text for output in computed if output.get("name") == "stderr")
    if warnings:
        difference += [f"{place} wrote to stderr:", warnings]
    item.comparison_traceback = difference  # nbval prints it
    return not difference


def _place(item) -> str:
    return f"{item.path.name}, cell In [{item.cell.execution_count or ' '}]"


def _lines(outputs) -> Iterator[str]:
    for output in outputs:
        if output.output_type == "stream":
            yield f"[{output.name}]"
            yield from output.text.splitlines()
        elif output.output_type == "error":
            yield f"[error] {output.ename}: {output.evalue}"
        else:
            yield "[output]"
            for kind in sorted(output.data.keys() - PICTURES):
                text = str(output.data[kind])
                yield from Texts(text).found if kind == "text/html" else text.splitlines()
            if "image/png" in output.data:
                yield _picture(output.data)
            yield from _alt_texts(output)


def _picture(data) -> str:
    """Tell whether a picture is that of the numbers beside it."""
    # Here, for the process that hands out the tests draws nothing.
    from PIL import Image, UnidentifiedImageError

    from sdanalysis.plots.show import DRAWN_FROM, drawn_from

    try:
        picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
        is_theirs = picture.info.get(DRAWN_FROM) == drawn_from(picture, data["text/plain"])
    except (binascii.Error, UnidentifiedImageError, KeyError):
        is_theirs = False
    return f"picture: {'' if is_theirs else 'not '}drawn from these numbers"


def _alt_texts(output) -> Iterator[str]:
    about = output.get("metadata", {}).values()
    yield from (f"alt: {kind['alt']}" for kind in about if isinstance(kind, dict) and "alt" in kind)
