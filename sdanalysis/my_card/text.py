"""A document -> text for a terminal, no line wider than it has to be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
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
    for sentence in document["answer"]:
        yield from _item(sentence)
    sections = (
        ("Places", _places, "places"),
        ("Nearest known cards", _nearest, "nearest"),
        ("The name on the card", _name, "name"),
        ("Classes", _classes, "classes"),
        ("What the log says of the card", _identity, "identity"),
        ("Doubts", _doubts, "doubts"),
        ("Not compared", _not_compared, "not_compared"),
        ("Not read", _not_read, "not_read"),
    )
    for title, lines, key in sections:
        found = list(lines(document[key]))
        if found:
            yield ""
            yield from _heading(title, "-")
            yield from found


def _heading(title: str, mark: str) -> Iterator[str]:
    yield title
    yield mark * len(title)


def _files(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more"


def _places(places: list[Entry]) -> Iterator[str]:
    head = ["test", "MB/s", "place", "by noise", "slower", "median", "ratio", "of bus"]
    yield from _table([*head, "compared with"], [place_row(place)[:9] for place in places])
    if places:
        yield "slower: share of the known cards that are slower. ratio: to the median card; ~ means"
        yield "that the gap lies within run noise. by noise: the places that run noise leaves open."
        yield "MB/s: 10^6 B/s."
    if any(place["tool"] != "same" for place in places):
        yield "* measured with fio, compared with figures of iozone: indicative only"
    for place in places:
        if place["assumed"]:
            yield f"{place['test']}: assumed {place['assumed']}"


def _nearest(cards: list[Entry]) -> Iterator[str]:
    head = ["card (who measured it)", "factor", "tests", "within noise"]
    return _table(head, [nearest_row(card) for card in cards])


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
    for names, *_, why in rows:
        yield from _item(f"{names}: {why}" if why else "")


def _identity(facts: list[Entry]) -> Iterator[str]:
    return _table(["what", "value", "where"], [entry_row(fact) for fact in facts])


def _doubts(doubts: list[Entry]) -> Iterator[str]:
    for doubt in doubts:
        yield from _item(f"{doubt['at']}: {doubt['rule']}: {doubt['evidence']}")


def _not_compared(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        count = f" ({entry['figures']} figures)" if entry["figures"] > 1 else ""
        yield from _item(f"{entry['what']}{count}, {entry['at']}: {entry['why']}")


def _not_read(problems: list[Entry]) -> Iterator[str]:
    for problem in problems[:20]:
        yield from _item(f"{problem['at']}: {problem['kind']}: {problem['text']}")
    if len(problems) > 20:
        yield f"- and {len(problems) - 20} more, which `sdanalysis parse` lists"


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    return text_table(head, rows, numbers_right=True) if rows else iter(())
