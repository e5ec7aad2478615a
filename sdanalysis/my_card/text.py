"""A document -> text for a terminal, no line wider than it has to be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.my_card import tables

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
        yield from textwrap.wrap(sentence, WIDTH, initial_indent="- ", subsequent_indent="  ")
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


def _places(places: list[dict[str, Any]]) -> Iterator[str]:
    if not places:
        return
    head = ("test", "MB/s", "place", "by noise", "slower", "median", "ratio", "of bus")
    yield from _table((*head, "compared with"), [tables.place_row(one)[:9] for one in places])
    yield "slower: share of the known cards that are slower. ratio: to the median card; ~ means"
    yield "that the gap lies within run noise. by noise: the places that run noise leaves open."
    yield "MB/s: 10^6 B/s."
    if any(one["tool"] != "same" for one in places):
        yield "* measured with fio, compared with figures of iozone: indicative only"
    for one in places:
        if one["assumed"]:
            yield f"{one['test']}: assumed {one['assumed']}"


def _nearest(nearest: list[dict[str, Any]]) -> Iterator[str]:
    if nearest:
        rows = [tables.nearest_row(one) for one in nearest]
        yield from _table(("card (who measured it)", "factor", "tests", "within noise"), rows)


def _name(name: dict[str, Any]) -> Iterator[str]:
    if not name["tests"]:
        return
    rows = [tables.name_row(one) for one in name["tests"]]
    yield from _table(("name", "test", "n", "ratio to nearest", "noise", "verdict"), rows)
    yield (
        f"specimens of one model are known to differ by a factor of {name['yardstick']:.1f}: "
        f"{name['yardstick_from']}"
    )


def _classes(classes: list[dict[str, Any]]) -> Iterator[str]:
    head = ("verdict", "write", "random read", "random write")
    if classes:
        rows = tables.class_rows(classes)
        yield from _table((*head, "classes"), [[*row[1:5], row[0]] for row in rows])
        for row in rows:
            if row[5]:
                yield from _item(f"{row[0]}: {row[5]}")


def _identity(facts: list[dict[str, Any]]) -> Iterator[str]:
    if facts:
        yield from _table(("what", "value", "where"), [tables.fact_row(one) for one in facts])


def _doubts(doubts: list[dict[str, Any]]) -> Iterator[str]:
    for one in doubts:
        yield from _item(f"{one['at']}: {one['rule']}: {one['evidence']}")


def _not_compared(left: list[dict[str, Any]]) -> Iterator[str]:
    for one in left:
        count = f" ({one['figures']} figures)" if one["figures"] > 1 else ""
        yield from _item(f"{one['what']}{count}, {one['at']}: {one['why']}")


def _not_read(problems: list[dict[str, Any]]) -> Iterator[str]:
    for one in problems[:20]:
        yield from _item(f"{one['at']}: {one['kind']}: {one['text']}")
    if len(problems) > 20:
        yield f"- and {len(problems) - 20} more, which `sdanalysis parse` lists"


def _item(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table, numbers to the right; the last column is as long as it is."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    numeric = [all(row[at][:1] in "0123456789<>~-" for row in rows) for at in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        yield "  ".join(cells).rstrip()
