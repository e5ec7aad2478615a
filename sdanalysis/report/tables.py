"""A table of a page -> one that can be read: fitted, without gaps, with a number and its CSV."""

from __future__ import annotations

import base64
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

MISSING = {"NaN", "NaT", "None", "<NA>"}
NUMBER = re.compile(r"[-+−~]?[\d.,]+(e[-+]?\d+)?\s?%?|inf")
LONG = 12  # characters of a word that may be broken, after a sign that joins two
SHORT = 32  # characters of a text that stays on its line
WRAPPED = 18  # characters of a line of a longer text, about
GAP = 3  # characters between two columns, about
# More columns than these, or more characters in a line, are set in smaller type.
MANY_COLUMNS, VERY_MANY_COLUMNS, LINE = 8, 13, 100


def dress(soup: BeautifulSoup, table: Tag, number: int, stem: str) -> None:
    """Make a table of the page `stem` readable, in its place.

    The counter that pandas puts in front goes, what is missing becomes a dash, True and False
    become words, and long words may wrap. The table scrolls inside itself where it has to, by
    keyboard too; its number is a link to it, and beside it stands its text as CSV. A table
    without a row becomes a sentence.
    """
    _join_heads(table)
    _drop_counter(table)
    cells = list(_grid(table))
    if not table.select("tbody tr"):
        head = ", ".join(cells[0]) if cells else "no columns"
        nothing = soup.new_tag("p", attrs={"class": "nothing"})
        nothing.string = f"Nothing to show: this table has no row ({head})."
        table.replace_with(nothing)
        return
    content = _as_csv(cells)
    _reword(soup, table)
    table["class"] = [*table.get_attribute_list("class", []), *_layout(table)]
    scroll = table.wrap(soup.new_tag("div", attrs={"class": "scroll", "role": "region"}))
    scroll["aria-label"], scroll["tabindex"] = f"Table {number}", "0"
    box = scroll.wrap(soup.new_tag("div", attrs={"class": "table", "id": f"table-{number}"}))
    box.append(_below(soup, number, f"{stem}-table-{number}.csv", content))


def _below(soup: BeautifulSoup, number: int, name: str, content: str) -> Tag:
    """Return the line below a table: its number, which links to it, and its download."""
    below = soup.new_tag("p", attrs={"class": "below"})
    place = soup.new_tag("a", attrs={"href": f"#table-{number}"})
    place.string = f"Table {number}"
    address = f"data:text/csv;charset=utf-8;base64,{base64.b64encode(content.encode()).decode()}"
    saved = soup.new_tag("a", attrs={"download": name, "href": address})
    saved.string = "Table as CSV"
    below.extend([place, " ", saved])
    return below


def _join_heads(table: Tag) -> None:
    """Make one row of headings, where pandas writes the names of an index below the others."""
    heads = table.select("thead > tr")
    if len(heads) != 2 or table.select("thead [colspan]"):
        return
    above, below = (head.find_all(["th", "td"], recursive=False) for head in heads)
    names = list(itertools.takewhile(_text, below))
    if len(above) != len(below) or not names or any(map(_text, below[len(names) :])):
        return
    for upper, lower in zip(above, names, strict=False):
        upper.replace_with(lower.extract())
    heads[1].decompose()


def _drop_counter(table: Tag) -> None:
    """Take the index out where it only counts: numbers below a heading without a name."""
    heads, rows = table.select("thead > tr"), table.select("tbody > tr")
    counts = [row.find_all("th", recursive=False) for row in rows]
    counted = all(len(cells) == 1 and _text(cells[0]).isdigit() for cells in counts)
    first = [head.find(["th", "td"], recursive=False) for head in heads]
    if not counted or not heads or any(cell is None or _text(cell) for cell in first):
        return
    for cell in [*first, *itertools.chain(*counts)]:
        cell.decompose()


def _grid(table: Tag) -> Iterator[list[str]]:
    """Yield the texts of each row; a cell that spans several stands in each."""
    spanning: dict[int, tuple[str, int]] = {}
    for row in table.find_all("tr"):
        texts: list[str] = []
        for cell in row.find_all(["th", "td"], recursive=False):
            _carry_on(texts, spanning)
            text, rows = _text(cell), int(str(cell.get("rowspan", 1)))
            for _ in range(int(str(cell.get("colspan", 1)))):
                if rows > 1:
                    spanning[len(texts)] = text, rows - 1
                texts.append(text)
        _carry_on(texts, spanning)
        yield texts


def _carry_on(texts: list[str], spanning: dict[int, tuple[str, int]]) -> None:
    """Append what rows above put into the next columns of this one."""
    while len(texts) in spanning:
        text, rows = spanning.pop(len(texts))
        if rows > 1:
            spanning[len(texts)] = text, rows - 1
        texts.append(text)


def _as_csv(rows: Sequence[Sequence[str]]) -> str:
    written = io.StringIO()
    plain = (["" if text in MISSING else text for text in row] for row in rows)
    csv.writer(written, lineterminator="\n").writerows(plain)
    return written.getvalue()


def _reword(soup: BeautifulSoup, table: Tag) -> None:
    """Write what pandas prints as a reader would: dashes, yes and no, whole numbers whole."""
    for column in _columns(table):
        texts = {_text(cell) for cell in column} - MISSING
        words = {"True": "yes", "False": "no"} if texts <= {"True", "False"} else {}
        whole = all(re.fullmatch(r"-?\d+\.0", text) for text in texts)
        whole = whole and any(len(text) > len("99.0") for text in texts)
        for cell in column:
            text = _text(cell)
            if text in MISSING:
                cell.string = "–"
            elif text in words or (whole and text):
                cell.string = words.get(text, text.removesuffix(".0"))
    for text in list(table.find_all(string=True)):
        _let_wrap(soup, text)


def _let_wrap(soup: BeautifulSoup, text: Tag) -> None:
    """Let long words of a text break after the signs that join their parts."""
    parts = re.split(r"(?<=[/_:;,|→])(?=\S)", str(text))
    if len(parts) > 1 and max(map(len, str(text).split()), default=0) > LONG:
        broken = [part for word in parts for part in (soup.new_tag("wbr"), word)]
        text.replace_with(*broken[1:])


def _layout(table: Tag) -> Iterator[str]:
    """Name the columns, counted from the right, that hold words or sentences; and a wide table."""
    columns = list(_columns(table))
    line = 0
    for place, column in enumerate(reversed(columns), start=1):
        longest = max(len(_text(cell)) for cell in column)
        line += GAP + (longest if longest <= SHORT else WRAPPED)
        texts = [_text(cell) for cell in column if cell.name == "td"]
        if not all(text in ("", "–") or NUMBER.fullmatch(text) for text in texts):
            yield f"{'word' if longest <= SHORT else 'text'}-{place}"
    if len(columns) > MANY_COLUMNS or line > LINE:
        yield "many"
    if len(columns) > VERY_MANY_COLUMNS:
        yield "very-many"


def _columns(table: Tag) -> Iterator[list[Tag]]:
    """Yield the cells of each column from the left; nothing where some rows have fewer."""
    rows = [row.find_all(["th", "td"], recursive=False) for row in table.select("tbody > tr")]
    if len({len(row) for row in rows}) == 1:
        yield from map(list, zip(*rows, strict=True))


def _text(cell: Tag) -> str:
    return " ".join(cell.get_text(" ").split())
