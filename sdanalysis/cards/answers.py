"""Answer which card to take, for each Raspberry Pi and use that the front page offers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from sdanalysis import pages, stats
from sdanalysis.cards.figures import number
from sdanalysis.errors import SdAnalysisError
from sdanalysis.pages import BOARDS, USES, link
from sdanalysis.stats.boards import Case

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_FIRST = ("pi-4b", "system")  # chosen when the page opens
_BARS = 8


def as_picker(data: Data, companions: Collection[str] = ()) -> str:
    """Return the boards and uses to choose from, and the answer to each choice, as HTML."""
    template = pages.environment(Path(__file__).parent).get_template("picker.html.j2")
    return template.render(
        answers=answers(data, companions), boards=BOARDS, uses=USES, first=_FIRST
    )


def answers(data: Data, companions: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return what is said of each board and use: sentences, facts, sections and bars.

    `companions` are the sources that are named as being beyond the five.
    """
    frames, found = (data.measurements, data.media, data.hosts), []
    for host in BOARDS:
        for use in ("system", "storage"):
            try:
                case = stats.buyer_case(*frames, host, use, companions=companions)
            except SdAnalysisError:  # no board has enough cards
                found += [_silence(host, name) for name in _alike(use)]
            else:
                found += [_answer(replace(case, use=name)) for name in _alike(use)]
    return found


def _alike(use: str) -> list[str]:
    return [name for name, op in stats.USES.items() if op == stats.USES[use]]


def _silence(host: str, use: str) -> dict[str, Any]:
    test = stats.briefly(stats.USES[use])
    lead = f"No card is the advice: nobody measured {test} of {stats.MINIMUM} cards on one board."
    return _named(host, use) | {
        "lead": lead, "others": [], "facts": [], "sections": [], "cards": 0, "bars": [],
    }  # fmt: skip


def _named(host: str, use: str) -> dict[str, Any]:
    return {"host": host, "use": use, "name": f"{BOARDS[host]}, {USES[use].lower()}"}


def _answer(case: Case) -> dict[str, Any]:
    # the entry of each card that an answer may name; of two of one name, the faster one
    rows = case.figures.sort_values(["predicted", "value"], ascending=[True, False])
    rows = rows.drop_duplicates("card")
    names = dict(zip(rows["card"], map(link, rows["specimen"]), strict=True))
    lead, *others = stats.advice_in_short(case).splitlines()
    sections = stats.advice(case).groupby("section", sort=False)["text"]
    return _named(case.host, case.use) | {
        "lead": with_links(lead, names),
        "others": [with_links(line, names) for line in others],
        "facts": [
            (row.fact, with_links(row.text, names)) for row in stats.advice_facts(case).itertuples()
        ],
        "sections": [
            (section, [with_links(text, names) for text in texts]) for section, texts in sections
        ],
        "cards": len(case.ranked),
        "board": case.board,
        "caption": f"{stats.briefly(case.op).capitalize()} on a {case.at(case.board)}",
        "bars": _bars(case),
    }


def _bars(case: Case) -> list[dict[str, Any]]:
    rows = stats.shown_figures(case, rows=_BARS)
    twice = rows["card"].duplicated(keep=False)
    names = rows["card"].mask(twice, rows["card"] + ", " + rows["people"])
    most = rows["value"].max()
    return [
        {
            "name": name,
            "link": link(row.specimen),
            "value": number(row.value / 1e6),
            "width": round(100 * row.value / most, 1),
            "mark": row.mark,
        }
        for name, row in zip(names, rows.itertuples(), strict=True)
    ]


def with_links(text: str, names: Mapping[str, str]) -> Markup:
    """Return a text as HTML in which each name leads to its address.

    Examples
    --------
    >>> from sdanalysis.cards.answers import with_links
    >>> print(with_links("Take A & B 64 GB.", {"A & B 64 GB": "cards.html#x", "B 64 GB": "y"}))
    Take <a href="cards.html#x">A &amp; B 64 GB</a>.
    """
    longest = sorted(names, key=len, reverse=True)
    parts = re.split(rf"\b({'|'.join(map(re.escape, longest))})(?!\w)", text) if names else [text]
    anchor = Markup('<a href="{}">{}</a>')
    return Markup("").join(
        anchor.format(names[part], part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )
