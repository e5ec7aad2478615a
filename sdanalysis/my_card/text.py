"""A document -> text for a terminal, no line wider than it has to be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sdanalysis.my_card import document as rows
from sdanalysis.my_card.document import Entry
from sdanalysis.text_tables import text_table

WIDTH = 96


def as_text(document: dict[str, Any]) -> str:
    """Return the document as text that ends with a line end."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    card, files = document["card"], document["card"]["files"]
    host = "not given (--host)"
    if card["host"]:
        bus = f"{card['bus']}, at most {card['bus_limit']:g} MB/s"
        host = f"{card['host_name']} ({card['host']}, {card['reader']}); {bus}"
    logs = ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more"
    yield from (document["question"], "=" * len(document["question"]))
    yield f"label:  {card['label'] or 'not given (--label)'}"
    yield f"host:   {host}"
    yield f"logs:   {logs}: {card['figures_read']} figures, {card['tests']} tests"
    yield ""
    yield from _items(document["answer"])
    for title, lines in _sections(document).items():
        if found := list(lines):
            yield from ("", title, "-" * len(title), *found)


def _sections(document: dict[str, Any]) -> dict[str, Iterable[str]]:
    nearest = ["card (who measured it)", "factor", "tests", "within noise"]
    identity = map(rows.entry_row, document["identity"])
    doubts = ("{at}: {rule}: {evidence}".format(**doubt) for doubt in document["doubts"])
    return {
        "Places": _places(document["places"]),
        "Nearest known cards": _table(nearest, map(rows.nearest_row, document["nearest"])),
        "The name on the card": _name(document["name"]),
        "Classes": _classes(document["classes"]),
        "What the log says of the card": _table(["what", "value", "where"], identity),
        "Doubts": _items(doubts),
        "Not compared": _items(map(_not_compared, document["not_compared"])),
        "Not read": _not_read(document["not_read"]),
    }


def _places(places: list[Entry]) -> Iterator[str]:
    head = ["test", "MB/s", "place", "by noise", "slower", "median", "ratio", "of bus"]
    yield from _table([*head, "compared with"], (rows.place_row(place)[:-1] for place in places))
    if places:
        yield "slower: share of the known cards that are slower. ratio: to the median card; ~ means"
        yield "that the gap lies within run noise. by noise: the places that run noise leaves open."
        yield "MB/s: 10^6 B/s."
    if any(place["tool"] != "same" for place in places):
        yield "* measured with fio, compared with figures of iozone: indicative only"
    for place in places:
        if place["assumed"]:
            yield f"{place['test']}: assumed {place['assumed']}"


def _name(name: Entry) -> Iterator[str]:
    head = ["name", "test", "n", "ratio to nearest", "noise", "verdict"]
    yield from _table(head, map(rows.name_row, name["tests"]))
    if name["tests"]:
        factor = f"{name['yardstick']:.1f}: {name['yardstick_from']}"
        yield f"specimens of one model are known to differ by a factor of {factor}"


def _classes(classes: list[Entry]) -> Iterator[str]:
    found = rows.class_rows(classes)
    head = ["verdict", "write", "random read", "random write", "classes"]
    yield from _table(head, ([*parts, names] for names, *parts, _ in found))
    yield from _items(f"{names}: {why}" for names, *_, why in found if why)


def _not_compared(entry: Entry) -> str:
    count = f" ({entry['figures']} figures)" if entry["figures"] > 1 else ""
    return f"{entry['what']}{count}, {entry['at']}: {entry['why']}"


def _not_read(problems: list[Entry]) -> Iterator[str]:
    yield from _items("{at}: {kind}: {text}".format(**problem) for problem in problems[:20])
    if len(problems) > 20:
        yield f"- and {len(problems) - 20} more, which `sdanalysis parse` lists"


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    cells = list(rows)
    return text_table(head, cells, numbers_right=True) if cells else iter(())
