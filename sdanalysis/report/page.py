"""Fills the templates, the page of an executed notebook and the index of a run; publishes them."""

import base64
import hashlib
import itertools
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sdanalysis.paths import TEMPLATES
from sdanalysis.report.outcome import Outcome

# The policy of a page has no word on these elements; none of them belongs into its body.
LEADS_AWAY = r"<(?=(?i:meta|base|link)\b)"
CARDS = "cards.html"
NUMBER = r"|[-+~]?[\d.,]+(?:e[-+]\d+)?%?|NaN|NaT|None|&lt;NA&gt;"


def render(notebook: Any, outcome: Outcome, stamp: Mapping[str, Any]) -> str:
    """Return the page of a notebook as HTML that needs nothing beside it."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(
        template_name="basic", template_file=str(TEMPLATES / "report.html.j2"),
        exclude_input_prompt=True, exclude_output_prompt=True,
        filters={"headings": _headings, "tidy": _tidy, "sha256": _sha256, "command": _command},
    )  # fmt: skip
    html, _ = exporter.from_notebook_node(notebook, {"outcome": outcome, "stamp": stamp})
    return html


def render_index(**named: Any) -> str:
    """Return the index of a run: `index.html.j2`, which says what names it needs."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    environment.filters["sha256"] = _sha256
    return environment.get_template("index.html.j2").render(**named)


def publish(
    outcomes: Sequence[Outcome],
    folder: Path,
    output: Path,
    stamp: Mapping[str, Any],
    title: str,
    cards: str = "",
) -> None:
    """Move the pages of a run from its folder into that of the output, and an index over them.

    With a title the index is a list of the sets of one notebook, without it the front page, which
    links the page of all `cards`.
    """
    names = [outcome.page.name for outcome in outcomes]
    if cards:
        (folder / CARDS).write_text(cards, encoding="utf-8", errors="backslashreplace")
        names = [*names, CARDS]
    index = render_index(
        outcomes=outcomes,
        stamp=stamp,
        title=title,
        cards=bool(cards),
        missing=[name for name in names if not (folder / name).exists()],
        earlier=_earlier(output, set(names)),
        above=(output.parent / "index.html").is_file(),
    )
    (folder / "index.html").write_text(index, encoding="utf-8", errors="backslashreplace")
    for name in (*names, "index.html"):
        if (folder / name).exists():
            (folder / name).replace(output / name)
        else:  # a page of an earlier run must not pass for one of this run
            (output / name).unlink(missing_ok=True)


def _earlier(output: Path, current: set[str]) -> list[str]:
    """Name what earlier runs left: pages, and the indexes of sets in folders of their own."""
    pages = (page.name for page in output.glob("*.html") if page.name not in current)
    indexes = (index.relative_to(output).as_posix() for index in output.glob("*/index.html"))
    left = (name for name in (*pages, *indexes) if not name.startswith("."))
    return sorted(name for name in left if name != "index.html")


def _sha256(script: str) -> str:
    """Return the digest by which a page's security policy knows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _command(outcome: Outcome) -> str:
    """Return the shell command that makes this page again; empty if -p cannot say a value."""
    if not all(isinstance(value, str | int | float | None) for value in outcome.values.values()):
        return ""
    parameters = (["-p", name, str(value)] for name, value in outcome.values.items())
    return shlex.join(["sdanalysis", "report", outcome.notebook.stem, *chain(*parameters)])


def _headings(body: str) -> list[tuple[str, str]]:
    """Return (id, text) of the second-level headings of a page: its claims."""
    return re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body, re.DOTALL)


def _tidy(body: str) -> str:
    """Let what is too wide scroll inside itself, by keyboard too, and drop what nobody reads.

    What would take the reader to another page or host, such as a refresh, is shown as text.
    """
    number = itertools.count(1)

    def scroll(table: re.Match[str]) -> str:
        label = f'role="region" aria-label="Table {next(number)}" tabindex="0"'
        classes = " ".join(["dataframe", *_text_columns(table[0])])
        aligned = table[0].replace('class="dataframe"', f'class="{classes}"', 1)
        return f'<div class="scroll" {label}>{aligned}</div>'

    body = re.sub(LEADS_AWAY, "&lt;", body)
    body = re.sub(r"<table\b.*?</table>", scroll, body, flags=re.DOTALL)
    nobody_reads = r'<a class="anchor-link".*?</a>|<style scoped>.*?</style>'
    body = re.sub(nobody_reads, "", body, flags=re.DOTALL)
    return body.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")


def _text_columns(table: str) -> Iterator[str]:
    """Name the columns, counted from the right, that hold words or sentences, not numbers."""
    rows = (re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in table.split("</tr>"))
    columns = itertools.zip_longest(*(reversed(row) for row in rows), fillvalue="")
    for place, cells in enumerate(columns, start=1):
        if not all(re.fullmatch(NUMBER, cell) for cell in cells):
            yield f"{'word' if max(map(len, cells)) <= 24 else 'text'}-{place}"
