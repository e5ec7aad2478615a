"""The body of a page: its tables can be read, headings are linked, appendices are folded."""

from __future__ import annotations

import base64
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape

# The policy of a page has no word on these elements; none of them belongs into its body.
LEADS_AWAY = r"<(?=(?i:meta|base|link)\b)"
NOBODY_READS = r'<a class="anchor-link".*?</a>|<style scoped.*?</style>\s*'
NOT_DESCRIBED = "A picture of which nothing is said."
MISSING = {"NaN", "NaT", "None", "<NA>"}
NUMBER = re.compile(r"[-+−~]?[\d.,]+(e[-+]?\d+)?\s?%?|inf")
LONG = 12  # characters of a word that may be broken, after a sign that joins two
SHORT = 32  # characters of a text that stays on its line
WRAPPED = 18  # characters of a line of a longer text, about
GAP = 3  # characters between two columns, about
# More columns than these, or more characters in a line, are set in smaller type.
MANY_COLUMNS, VERY_MANY_COLUMNS, LINE = 8, 13, 100

_HEADING = re.compile(r'<(h[234]) id="([^"]*)">(.*?)</\1>', re.DOTALL)
_TABLE = re.compile(r"<table([^>]*)>(.*?)</table>", re.DOTALL)
_ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[hd])([^>]*)>(.*?)</t[hd]>", re.DOTALL)


def tidy(body: str, stem: str = "") -> str:
    """Return the body of the page `stem` as a reader wants it.

    What would take the reader to another page or host, such as a refresh, is shown as text. What
    scrolls is reached by keyboard; a picture of which nothing is said says so.
    """
    body = re.sub(NOBODY_READS, "", re.sub(LEADS_AWAY, "&lt;", body), flags=re.DOTALL)
    numbers = itertools.count(1)
    body = _TABLE.sub(lambda table: _dressed(table[1], table[2], next(numbers), stem), body)
    body = re.sub(r"<pre(?=[ >])", '<pre tabindex="0"', body)
    body = re.sub(r"<img(?![^>]*\balt=)", f'<img alt="{NOT_DESCRIBED}"', body)
    return _folded(_HEADING.sub(_linked, body))


def headings(body: str) -> list[tuple[str, str]]:
    """Return (id, text) of the second-level headings of a tidy body: its claims."""
    return re.findall(r'<h2 id="([^"]+)">(.*?)(?:<a [^>]*class="anchor"|</h2>)', body, re.DOTALL)


def _linked(heading: re.Match[str]) -> str:
    """Put a link to a heading behind it, with a name of its own for those who hear it."""
    level, place, content = heading.groups()
    named = f'aria-label="Link to: {escape(_text(content))}" class="anchor" href="#{place}"'
    return f'<{level} id="{place}">{content}<a {named}>#</a></{level}>'


def _folded(body: str) -> str:
    """Fold all from an appendix's heading to the next; one that holds an error stays open.

    The link of the heading stands beside the fold: what opens one must not hold a link. Headings
    that a cell printed stand in its output, and fold nothing.
    """
    sections, depth = [""], 0
    for part in re.split(r"(?=<h[12][ >])", body):
        if depth:
            sections[-1] += part
        else:
            sections.append(part)
        depth += part.count("<div") - part.count("</div>")
    return "".join(map(_fold, sections))


def _fold(section: str) -> str:
    head = re.match(r"(<h2[^>]*>Appendix.*?)(<a [^>]*>#</a>)?</h2>", section, re.DOTALL)
    if not head:
        return section
    is_open = ' open=""' if "output_error" in section else ""
    summary = f"<summary>{head[1]}</h2></summary>"
    fold = f"<details{is_open}>{summary}{section[head.end() :]}</details>"
    return f'<div class="appendix">{fold}{head[2] or ""}</div>'


# --- tables --------------------------------------------------------------------------------------


@dataclass
class _Cell:
    tag: str
    attributes: str
    content: str

    @property
    def text(self) -> str:
        return _text(self.content)

    def spans(self, which: str) -> range:
        """Return the rows or columns that the cell stands in, counted from its own."""
        found = re.search(rf'{which}span="?(\d+)', self.attributes)
        return range(int(found[1]) if found else 1)


_Rows = list[list[_Cell]]


def _dressed(attributes: str, content: str, number: int, stem: str) -> str:
    """Return a table that can be read: fitted, without gaps, with a number and its CSV.

    The counter that pandas puts in front goes, what is missing becomes a dash, True and False
    become words, and long words may wrap. The table scrolls inside itself where it has to; its
    number is a link to it, and beside it stands its text as CSV. A table without a row becomes a
    sentence.
    """
    heads, rows = (
        [[_Cell(*cell) for cell in _CELL.findall(row)] for row in _ROW.findall(part)]
        for part in content.rpartition("</thead>")[::2]
    )
    _join_heads(heads)
    _drop_counter(heads, rows)
    texts = _grid([*heads, *rows])
    if not rows:
        head = escape(", ".join(texts[0]) if texts else "no columns", quote=False)
        return f'<p class="nothing">Nothing to show: this table has no row ({head}).</p>'
    is_even = len({len(row) for row in rows}) == 1
    columns = list(zip(*rows, strict=True)) if is_even else []
    for column in columns:
        _reword(column)
    known = re.search(r'class="([^"]*)"', attributes)
    classes = " ".join([*(known[1].split() if known else []), *_layout(columns)])
    others = re.sub(r'\s*class="[^"]*"', "", attributes)
    named = f'{others} class="{classes}"' if classes else others
    saved = io.StringIO()
    plain = [["" if text in MISSING else text for text in row] for row in texts]
    csv.writer(saved, lineterminator="\n").writerows(plain)
    return (
        f'<div class="table" id="table-{number}">'
        f'<div aria-label="Table {number}" class="scroll" role="region" tabindex="0">'
        f"<table{named}>\n<thead>\n{_html(heads)}</thead>\n<tbody>\n{_html(rows)}</tbody>\n</table>"
        f'</div><p class="below"><a href="#table-{number}">Table {number}</a> '
        f'<a download="{escape(stem)}-table-{number}.csv" href="data:text/csv;charset=utf-8;base64,'
        f'{base64.b64encode(saved.getvalue().encode()).decode()}">Table as CSV</a></p></div>'
    )


def _html(rows: _Rows) -> str:
    lines = (
        "".join(f"<{c.tag}{c.attributes}>{_breakable(c.content)}</{c.tag}>" for c in row)
        for row in rows
    )
    return "".join(f"<tr>{line}</tr>\n" for line in lines)


def _join_heads(heads: _Rows) -> None:
    """Make one row of headings, where pandas writes the names of an index below the others."""
    if len(heads) != 2 or len(heads[0]) != len(heads[1]):
        return
    above, below = heads
    names = list(itertools.takewhile(lambda cell: cell.text, below))
    is_spanned = any("colspan" in cell.attributes for cell in above)
    if names and not is_spanned and not any(cell.text for cell in below[len(names) :]):
        heads[:] = [[*names, *above[len(names) :]]]


def _drop_counter(heads: _Rows, rows: _Rows) -> None:
    """Take the index out where it only counts: numbers below a heading without a name."""
    counts = [[cell.text for cell in row if cell.tag == "th"] for row in rows]
    is_counter = all(len(texts) == 1 and texts[0].isdigit() for texts in counts)
    if is_counter and heads and all(row and not row[0].text for row in heads):
        heads[:] = [row[1:] for row in heads]
        rows[:] = [[cell for cell in row if cell.tag != "th"] for row in rows]


def _grid(rows: _Rows) -> list[list[str]]:
    """Return the texts of each row; a cell that spans several stands in each."""
    grid: list[dict[int, str]] = [{} for _ in rows]
    for place, row in enumerate(rows):
        for cell in row:
            first = next(column for column in itertools.count() if column not in grid[place])
            for below, right in itertools.product(cell.spans("row"), cell.spans("col")):
                grid[place + below][first + right] = cell.text
    return [[texts[column] for column in sorted(texts)] for texts in grid]


def _reword(column: Sequence[_Cell]) -> None:
    """Write what pandas prints as a reader would: dashes, yes and no, whole numbers whole."""
    texts = {cell.text for cell in column} - MISSING
    words = dict.fromkeys(MISSING, "–")
    if texts <= {"True", "False"}:
        words |= {"True": "yes", "False": "no"}
    elif all(re.fullmatch(r"-?\d+\.0", text) for text in texts) and max(map(len, texts)) > 4:
        words |= {text: text.removesuffix(".0") for text in texts}
    for cell in column:
        cell.content = words.get(cell.text, cell.content)


def _breakable(content: str) -> str:
    """Let long words of a text break after the signs that join their parts."""

    def broken(text: re.Match[str]) -> str:
        plain = unescape(text[0])
        if max(map(len, plain.split()), default=0) <= LONG:
            return text[0]
        parts = re.split(r"(?<=[/_:;,|→])(?=\S)", plain)
        return "<wbr/>".join(escape(part, quote=False) for part in parts)

    return re.sub(r"[^<>]+(?![^<>]*>)", broken, content)


def _layout(columns: Sequence[Sequence[_Cell]]) -> Iterator[str]:
    """Name the columns, counted from the right, that hold words or sentences; and a wide table."""
    line = 0
    for place, column in enumerate(reversed(columns), start=1):
        longest = max(len(cell.text) for cell in column)
        line += GAP + (longest if longest <= SHORT else WRAPPED)
        texts = [cell.text for cell in column if cell.tag == "td"]
        if not all(text in ("", "–") or NUMBER.fullmatch(text) for text in texts):
            yield f"{'word' if longest <= SHORT else 'text'}-{place}"
    if len(columns) > MANY_COLUMNS or line > LINE:
        yield "many"
    if len(columns) > VERY_MANY_COLUMNS:
        yield "very-many"


def _text(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
