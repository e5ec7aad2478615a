"""Puts the pages of a run in place of those of an earlier one, and the index over them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdanalysis.report.outcome import Outcome
from sdanalysis.report.page import render_index


def publish(
    outcomes: Sequence[Outcome], stamp: Mapping[str, Any], output: Path, title: str
) -> list[Outcome]:
    """Move the pages into the output folder; return the outcomes with their new places.

    With a title the index is a list of the sets of one notebook, without it the front page.
    """
    published = [replace(outcome, page=output / outcome.page.name) for outcome in outcomes]
    index = render_index(
        outcomes=published,
        stamp=stamp,
        title=title,
        missing=[outcome.page.name for outcome in outcomes if not outcome.page.exists()],
        earlier=_earlier(output, {outcome.page.name for outcome in outcomes}),
        above=(output.parent / "index.html").is_file(),
    )
    new_index = outcomes[0].page.with_name("index.html")
    new_index.write_text(index, encoding="utf-8")
    for made in (*(outcome.page for outcome in outcomes), new_index):
        if made.exists():
            made.replace(output / made.name)
        else:  # a page of an earlier run must not pass for one of this run
            (output / made.name).unlink(missing_ok=True)
    return published


def _earlier(output: Path, current: set[str]) -> list[str]:
    """Name what earlier runs left: pages, and the indexes of sets in folders of their own."""
    pages = (page.name for page in output.glob("*.html") if page.name not in current)
    indexes = (index.relative_to(output).as_posix() for index in output.glob("*/index.html"))
    left = (name for name in (*pages, *indexes) if not name.startswith("."))
    return sorted(name for name in left if name != "index.html")
