"""Fills the templates, the page of an executed notebook and the index of a run; publishes them."""

import base64
import functools
import hashlib
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sdanalysis.paths import TEMPLATES
from sdanalysis.report import kept
from sdanalysis.report.answer import opening
from sdanalysis.report.body import headings, tidy
from sdanalysis.report.outcome import Outcome

CARDS = "cards.html"


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

    return HTMLExporter(
        template_name="basic", template_file=str(TEMPLATES / "report.html.j2"),
        exclude_input_prompt=True, exclude_output_prompt=True,
        filters={
            "headings": headings, "tidy": tidy, "opening": opening, "beside": _beside,
            "sha256": _sha256, "command": _command,
        },
    )  # fmt: skip


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
    cards: bool = False,
) -> None:
    """Move the pages of a run from its folder into that of the output, and an index over them.

    With a title the index is a list of the sets of one notebook, without it the front page, which
    links the page of all `cards`. Pages that are kept stay where they are.
    """
    names = [outcome.page.name for outcome in outcomes] + ([CARDS] if cards else [])
    stay = {outcome.page.name for outcome in outcomes if outcome.kept}
    if cards and not (folder / CARDS).exists():
        stay.add(CARDS)
    index = render_index(
        outcomes=outcomes,
        stamp=stamp,
        title=title,
        cards=cards,
        missing=[name for name in names if name not in stay and not (folder / name).exists()],
        earlier=_earlier(output, set(names)),
        above=(output.parent / "index.html").is_file(),
    )
    (folder / "index.html").write_text(index, encoding="utf-8", errors="backslashreplace")
    for name in (*(name for name in names if name not in stay), "index.html"):
        if (folder / name).exists():
            (folder / name).replace(output / name)
        else:  # a page of an earlier run must not pass for one of this run
            (output / name).unlink(missing_ok=True)
        kept.move(name, folder, output)


def _earlier(output: Path, current: set[str]) -> list[str]:
    """Name what earlier runs left: pages, and the indexes of sets in folders of their own."""
    pages = (page.name for page in output.glob("*.html") if page.name not in current)
    indexes = (index.relative_to(output).as_posix() for index in output.glob("*/index.html"))
    left = (name for name in (*pages, *indexes) if not name.startswith("."))
    return sorted(name for name in left if name != "index.html")


def _sha256(script: str) -> str:
    """Return the digest by which a page's security policy knows its one script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _beside(name: str, pages: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return name and title of the page before and of that after the page of this name."""
    names = list(pages)
    place = names.index(name)
    places = {"Previous": place - 1, "Next": place + 1}
    return {
        word: (names[other], pages[names[other]])
        for word, other in places.items()
        if 0 <= other < len(names)
    }


def _command(outcome: Outcome) -> str:
    """Return the shell command that makes this page again; empty if -p cannot say a value."""
    if not all(isinstance(value, str | int | float | None) for value in outcome.values.values()):
        return ""
    parameters = (["-p", name, str(value)] for name, value in outcome.values.items())
    return shlex.join(["sdanalysis", "report", outcome.notebook.stem, *chain(*parameters)])
