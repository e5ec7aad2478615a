"""Renders an executed notebook as a page."""

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sdanalysis.report.outcome import Outcome

TEMPLATES = Path(__file__).parents[1] / "templates"
# From the word to the end of its paragraph, bold in prose or plain in what a cell prints.
PARAGRAPH = r"^(?:\*\*)?{}\.(?:\*\*)?\s+(.+?)(?=\n\s*\n|\n\*\*|\Z)"
NUMBER = r"|[-+~]?[\d.,]+(?:e[-+]\d+)?%?|NaN|NaT|None|&lt;NA&gt;"


def passage(notebook: Any, pattern: str) -> str:
    """Return the first match in what the notebook prints, else in its prose, as plain text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = [o.get("text") or o.get("data", {}).get("text/markdown", "") for o in outputs]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for text in (*printed, *prose):
        if match := re.search(pattern, text, re.MULTILINE | re.DOTALL):
            return re.sub(r"[*`]", "", " ".join(match[1].split()))
    return ""


def render(notebook: Any, outcome: Outcome, stamp: Mapping[str, Any]) -> str:
    """Return the page of a notebook as HTML that needs nothing beside it."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(
        template_name="basic",
        template_file=str(TEMPLATES / "report.html.j2"),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        filters={"headings": _headings, "tidy": _tidy},
    )
    html, _ = exporter.from_notebook_node(notebook, {"outcome": outcome, "stamp": stamp})
    return html


def _headings(body: str) -> list[tuple[str, str]]:
    """Return (id, text) of the second-level headings of a page: its claims."""
    return re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body, re.DOTALL)


def _tidy(body: str) -> str:
    """Let what is too wide scroll inside itself, by keyboard too, and drop what nobody reads."""
    number = itertools.count(1)

    def scroll(table: re.Match[str]) -> str:
        label = f'role="region" aria-label="Table {next(number)}" tabindex="0"'
        classes = " ".join(["dataframe", *_text_columns(table[0])])
        aligned = table[0].replace('class="dataframe"', f'class="{classes}"', 1)
        return f'<div class="scroll" {label}>{aligned}</div>'

    body = re.sub(r"<table\b.*?</table>", scroll, body, flags=re.DOTALL)
    body = re.sub(
        r'<a class="anchor-link".*?</a>|<style scoped>.*?</style>', "", body, flags=re.DOTALL
    )
    return body.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")


def _text_columns(table: str) -> Iterator[str]:
    """Name the columns, counted from the right, that hold words or sentences, not numbers."""
    rows = (re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in table.split("</tr>"))
    columns = itertools.zip_longest(*(reversed(row) for row in rows), fillvalue="")
    for place, cells in enumerate(columns, start=1):
        if not all(re.fullmatch(NUMBER, cell) for cell in cells):
            yield f"{'word' if max(map(len, cells)) <= 24 else 'text'}-{place}"
