"""A document -> text for a terminal, no line wider than it has to be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sdanalysis.my_card.document import (
    Entry,
    class_rows,
    entry_row,
    name_row,
    nearest_row,
    place_row,
)
from sdanalysis.text_tables import text_table

WIDTH = 96


def as_text(document: dict[str, Any]) -> str:
    """Return the document as text that ends with a line end."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: dict[str, Any]) -> Iterator[str]:
    card = document["card"]
    yield from _heading(document["question"], "=")
    host = "not given (--host)"
    if card["host"]:
        bus = f"{card['bus']}, at most {card['bus_limit']:g} MB/s"
        host = f"{card['host_name']} ({card['host']}, {card['reader']}); {bus}"
    yield f"label:  {card['label'] or 'not given (--label)'}"
    yield f"host:   {host}"
    yield f"logs:   {_files(card['files'])}: {card['figures_read']} figures, {card['tests']} tests"
    yield ""
    yield from _items(document["answer"])
    for title, lines in _sections(document).items():
        found = list(lines)
        if found:
            yield ""
            yield from _heading(title, "-")
            yield from found


def _sections(document: dict[str, Any]) -> dict[str, Iterable[str]]:
    nearest = ["card (who measured it)", "factor", "tests", "within noise"]
    return {
        "Places": _places(document["places"]),
        "Nearest known cards": _table(nearest, map(nearest_row, document["nearest"])),
        "The name on the card": _name(document["name"]),
        "Classes": _classes(document["classes"]),
        "What the log says of the card": _table(
            ["what", "value", "where"], map(entry_row, document["identity"])
        ),
        "Doubts": _items(
            "{at}: {rule}: {evidence}".format(**doubt) for doubt in document["doubts"]
        ),
        "Not compared": _items(map(_not_compared, document["not_compared"])),
        "Not read": _not_read(document["not_read"]),
    }


def _heading(title: str, mark: str) -> Iterator[str]:
    yield title
    yield mark * len(title)


def _files(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more"


def _places(places: list[Entry]) -> Iterator[str]:
    head = ["test", "MB/s", "place", "by noise", "slower", "median", "ratio", "of bus"]
    yield from _table([*head, "compared with"], (place_row(place)[:-1] for place in places))
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
    yield from _table(head, [name_row(test) for test in name["tests"]])
    if name["tests"]:
        yield (
            f"specimens of one model are known to differ by a factor of {name['yardstick']:.1f}: "
            f"{name['yardstick_from']}"
        )


def _classes(classes: list[Entry]) -> Iterator[str]:
    rows = class_rows(classes)
    head = ["verdict", "write", "random read", "random write", "classes"]
    yield from _table(head, [[*parts, names] for names, *parts, _ in rows])
    yield from _items(f"{names}: {why}" for names, *_, why in rows if why)


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
