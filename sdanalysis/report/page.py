"""Fills the templates: the page of an executed notebook, and the index over the pages."""

import base64
import functools
import hashlib
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sdanalysis.pages import BOARDS, USES
from sdanalysis.palette import css
from sdanalysis.paths import TEMPLATES
from sdanalysis.report.answer import opening
from sdanalysis.report.body import headings, tidy
from sdanalysis.report.outcome import Outcome

CARDS, INDEX = "cards.html", "index.html"
_PICKER = "<!-- picker -->"  # around it on the front page
# Where an answer leads to its page; what stands there already is written anew.
_LEADS = re.compile(r"(<!-- page (\S+) (\S+) -->)(?:<p class=\"whole\">.*?</p>)?")


def render(notebook: Any, outcome: Outcome, stamp: Mapping[str, Any]) -> str:
    """Return the page of a notebook as HTML that needs nothing beside it."""
    own = {"outcome": outcome, "stamp": stamp, "page": []}
    _, filled = _exporter().from_notebook_node(notebook, own)
    return "".join(filled["page"])


@functools.cache
def _exporter() -> Any:
    """Return what fills the template, once for all pages of a process.

    The template leaves the page in its resources and gives nothing back: nbconvert would read the
    whole page once more, for what `tidy` has seen to.
    """
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(
        template_name="basic", template_file=str(TEMPLATES / "report.html.j2"),
        exclude_input_prompt=True, exclude_output_prompt=True,
        filters={
            "headings": headings, "tidy": tidy, "opening": opening, "beside": _beside,
            "sha256": _sha256, "command": _command, "choices": _choices,
        },
    )  # fmt: skip
    exporter.environment.globals["palette"] = css()
    return exporter


def render_index(
    outcomes: Sequence[Outcome],
    output: Path,
    stamp: Mapping[str, Any],
    title: str = "",
    picker: str = "",
) -> str:
    """Return the index over the reports of a folder.

    With a title it is a list of the sets of one notebook, without it the front page, which the
    HTML of `picker` opens. Pages that carry no note are listed as left by earlier runs.
    """
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    environment.filters["sha256"] = _sha256
    environment.globals["palette"] = css()
    pages = {page.name for page in output.glob("*.html") if not page.name.startswith(".")}
    known = {page.name for outcome in outcomes for page in (outcome.page, outcome.failed_page)}
    indexes = (index.relative_to(output).as_posix() for index in output.glob("*/index.html"))
    left = {*(pages - known - {CARDS, INDEX}), *indexes}
    answers = {  # the pages that answer for a board and use, by their ids
        tuple(outcome.parameters[name].strip("'") for name in ("host", "use")): outcome.page.name
        for outcome in outcomes
        if outcome.topic == "card" and outcome.page.name in pages
        if {*outcome.values} <= {"host", "use"} <= {*outcome.parameters}
    }

    def lead(found: re.Match[str]) -> str:
        page, words = answers.get((found[2], found[3])), "All reasons, the figure, all cards"
        link = f'<p class="whole"><a href="{quote(page or "")}">{words} in four tests</a></p>'
        return found[1] + (link if page else "")

    return environment.get_template("index.html.j2").render(
        outcomes=outcomes,
        stamp=stamp,
        title=title,
        picker=f"{_PICKER}{_LEADS.sub(lead, picker)}{_PICKER}" if picker else "",
        answered={*answers.values()} if picker else (),
        cards=CARDS in pages,
        there=pages,
        earlier=sorted(name for name in left if not name.startswith(".")),
        above=(output.parent / "index.html").is_file(),
    )


def picker_of(index: Path) -> str:
    """Return what opens a front page that was written before."""
    return index.read_text(encoding="utf-8").split(_PICKER)[1]


def _choices(alike: Mapping[str, Mapping[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Return name and address of the pages of other parameters, in the order of the front page."""
    words = {f"'{id}'": name for id, name in chain(BOARDS.items(), USES.items())}
    order = {source: place for place, source in enumerate(words)}
    return {
        {"host": "board"}.get(name, name): [
            (words.get(source, source.strip("'")), pages[source])
            for source in sorted(pages, key=lambda source: (order.get(source, 99), source))
        ]
        for name, pages in alike.items()
    }


def _sha256(script: str) -> str:
    """Return the digest by which a page's security policy knows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _beside(name: str, pages: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return name and title of the page before and of that after the page of this name."""
    around = [("", ""), *pages.items(), ("", "")]
    for before, (page, _), after in zip(around, around[1:], around[2:], strict=False):
        if page == name:
            return {w: link for w, link in {"Previous": before, "Next": after}.items() if link[0]}
    return {}


def _command(outcome: Outcome) -> str:
    """Return the shell command that makes this page again; empty if -p cannot say a value."""
    if not all(isinstance(value, str | int | float | None) for value in outcome.values.values()):
        return ""
    parameters = (["-p", name, str(value)] for name, value in outcome.values.items())
    return shlex.join(["sdanalysis", "report", outcome.notebook.stem, *chain(*parameters)])
