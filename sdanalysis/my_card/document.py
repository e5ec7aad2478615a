"""A card in frames -> one document of plain words and numbers, as JSON has it -> its text."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sdanalysis import __version__
from sdanalysis.codebook.units import counted
from sdanalysis.my_card.answer import Line
from sdanalysis.my_card.places import (
    ALL_HOSTS,
    OTHER_DEPTH,
    OTHER_TOOL,
    SAME_TOOL,
    TOO_FEW,
    Place,
    rows_of,
)
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import speed_in_words
from sdanalysis.text_tables import plain, records, text_table

if TYPE_CHECKING:
    from sdanalysis.my_card.card import Card

WIDTH, NARROW = 96, 80  # of the tables, if none is wider, and of the answer

VERDICTS = {
    ">": "faster than the median card by more than run noise",
    "<": "slower than the median card by more than run noise",
    "~": "undecided: the gap to the median card lies within run noise",
    TOO_FEW: f"none: fewer than {MINIMUM} known cards",
}
NAME_VERDICTS = {
    "~": "within run noise",
    "specimens": "further, but not further than specimens of one model are known to differ",
    "unlike": "further than any two specimens of one model that we know",
}
TOOLS = {
    SAME_TOOL: "same",
    OTHER_TOOL: "another (fio against iozone): indicative",
    OTHER_DEPTH: "same, but the queue depth of the known figures is not stated: indicative",
}
# The mark of a place that is indicative only, and why it is.
INDICATIVE = {
    TOOLS[OTHER_TOOL]: ("*", "measured with fio, compared with figures of iozone: a rough guide "
                        "only, for the one source that ran both gave fio a queue and a mix"),
    TOOLS[OTHER_DEPTH]: ("**", "the queue depth of the known figures is not stated: indicative "
                         "only, for a card does more at once in a deeper queue"),
}  # fmt: skip
Entry = Mapping[str, Any]


def document(card: Card, *, show_serial: bool = False) -> dict[str, Any]:
    """Return the answer as plain words, numbers, lists and tables; missing is None.

    Bandwidths are in MB/s (10^6 B/s). Files appear by their names only, without their folders.
    """
    return {
        "question": "Where does this card stand?",
        "warnings": list(card.warnings),
        "verdict": card.verdict,
        "tests": [_test(line) for line in card.tests],
        "rest": list(card.rest),
        "notes": list(card.notes),
        "answer": list(card.answer),
        "card": {
            "label": card.name.label,
            "host": card.setting.host,
            "host_from": _host_from(card),
            "reader": card.setting.reader,
            "host_name": card.setting.name,
            "bus": card.setting.bus,
            "bus_limit": _megabytes(card.setting.limit),
            "files": list(card.logs.files),
            "figures_read": len(card.logs.rows) + sum(count for _, count in card.logs.samples),
            "tests": len(card.figures),
        },
        "identity": records(card.identity(show_serial=show_serial)),
        "places": [_place(row, card) for row in rows_of(card.places)],
        "bus_tests": [_bus(row) for row in card.buses.to_dict("records")],
        "nearest": records(card.nearest.assign(factor=_six_digits(card.nearest["factor"]))),
        "name": _name_of(card),
        "classes": records(card.classes.summary),
        "class_figures": _class_figures(card.classes.figures),
        "doubts": records(card.doubts),
        "not_compared": records(card.not_compared.drop(columns="reason")),
        "not_read": records(card.not_read),
        # A note quotes its line, and a page that is shared should not quote what nobody chose.
        "lines_with_a_note": len(card.logs.problems) - len(card.not_read),
        "made_with": f"sd-card-analysis {__version__}",
    }


def _name_of(card: Card) -> dict[str, Any]:
    """Return what the label was taken for, and how it fits figures and registers."""
    tests = card.name.tests.round({"ratio": 4, "band": 4}).drop(columns="same_host")
    tests = tests.assign(verdict_in_words=tests["verdict"].map(NAME_VERDICTS))
    return {
        "candidates": records(card.name.candidates[["name", "part_number", "specimens"]]),
        "tests": records(tests.rename(columns={"n": "specimens", "band": "noise_band"})),
        "conflicts": [conflict._asdict() for conflict in card.check.conflicts],
        "checked": list(card.check.agreed),
        "signs": list(card.check.signs),
        "yardstick": card.name.yardstick,
        "yardstick_from": card.name.source,
    }


def _test(line: Line) -> dict[str, Any]:
    value, best = (None if math.isnan(value) else value for value in (line.value, line.best))
    return {
        "test": line.test,
        "value": value and _megabytes(value),
        "shown": "-" if value is None else speed_in_words(value),
        "best": best and _megabytes(best),
        "share_of_best": value and best and round(min(1.0, value / best), 2),
        "words": line.words,
    }


def _place(row: Place, card: Card) -> dict[str, Any]:
    host = card.setting.host
    elsewhere = "cards on other hosts" if host else "cards on all hosts"
    return {
        "test": row.shown_test,
        "value": _megabytes(row.value),
        "runs": row.runs,
        "compared_with": elsewhere if row.basis == ALL_HOSTS else f"cards on {row.basis}",
        "tool": TOOLS[row.level],
        "known_cards": row.n,
        "slower_cards": row.slower,
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "percentile": round(row.percentile, 1),
        "median": _megabytes(row.median),
        "ratio": round(row.ratio, 4),
        "noise_band": plain(round(row.band, 4)),
        "noise_from": plain(row.noise_basis),
        "verdict": row.verdict,
        "verdict_in_words": VERDICTS[row.verdict],
        "share_of_bus_limit": round(row.value / card.setting.limit, 4) if host else None,
        "assumed": plain(row.assumed),
        "at": row.at,
    }


def _host_from(card: Card) -> str | None:
    """Return whether the host was given or stood in a log; missing: there is none."""
    if card.setting.host is None:
        return None
    return card.computer.found.at if card.computer.found else "given"


def _bus(row: Entry) -> dict[str, Any]:
    return {
        "test": row["test"],
        "value": _megabytes(row["value"]),
        "known_figures": row["cards"],
        "near_the_limit": row["near"],
        "at": row["at"],
    }


def _class_figures(figures: pd.DataFrame) -> list[dict[str, Any]]:
    """Return which figure was held against which minimum: in MB/s for writes, else in IOPS."""
    columns = ["class", "op", "tool", "value", "minimum", "unit", "verdict", "reason", "caveats"]
    rows = records(figures.assign(unit="")[columns])
    for row in rows:
        row["unit"], scale = ("MB/s", 1e6) if row["op"] == "write" else ("IOPS", 1.0)
        scaled = [np.round(row[name] / scale, 3) for name in ("value", "minimum")]
        row["value"], row["minimum"] = _six_digits(scaled)
    return rows


def _six_digits(numbers: Iterable[float]) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]


def _megabytes(value: float) -> float:
    return float(f"{value / 1e6:.4g}")


def place_row(place: Entry) -> list[str]:
    """Return test, figure, place, its range, share slower, median, ratio, share of bus, ..."""
    low, high, share = place["rank_low"], place["rank_high"], place["share_of_bus_limit"]
    return [
        f"{place['test']} {INDICATIVE.get(place['tool'], ('', ''))[0]}".rstrip(),
        f"{place['value']:g}",
        f"{place['rank']} of {place['known_cards'] + 1}",
        f"{low} to {high}" if low != high else str(low),
        f"{place['percentile']:.0f} %",
        f"{place['median']:g}",
        f"{place['verdict']} {place['ratio']:.2f}",
        "-" if share is None else f"{100 * share:.0f} %",
        place["compared_with"],
        place["at"],
    ]


def figures_in_words(card: Entry) -> str:
    """Return how much was read: `1 figure, 1 test`."""
    return f"{counted(card['figures_read'], 'figure')}, {counted(card['tests'], 'test')}"


def places_csv(places: Sequence[Entry]) -> str:
    """Return the places as a table for other programs."""
    return pd.DataFrame(list(places)).to_csv(index=False, lineterminator="\n")


def indicative_rows(places: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return mark and reason of the places that are indicative only."""
    tools = {place["tool"] for place in places}
    return [words for tool, words in INDICATIVE.items() if tool in tools]


def nearest_row(card: Entry) -> list[str]:
    """Return card, factor, tests, tests within noise."""
    return [card["name"], f"{card['factor']:.2f}", str(card["tests"]), str(card["within_noise"])]


def name_row(test: Entry) -> list[str]:
    """Return name, test, n, ratio, noise and verdict."""
    factors = (f"{test[name]:.2f}" for name in ("ratio", "noise_band"))
    return [test["name"], test["test"], str(test["specimens"]), *factors, test["verdict_in_words"]]


def class_rows(classes: Sequence[Entry]) -> list[list[str]]:
    """Return classes, verdict, parts and reason; classes with the same ones in one row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for entry in classes:
        parts = [entry[part] or "not asked" for part in ("write", "randread", "randwrite")]
        why = re.sub(r"\brand(read|write):", r"random \1:", entry["reason"] or "")
        rows.setdefault((entry["verdict"], *parts, why), []).append(entry["class"])
    return [[" ".join(names), *cells] for cells, names in rows.items()]


def class_figure_row(figure: Entry) -> list[str]:
    """Return class, op, tool, figure, minimum, verdict, reason and caveats."""
    amounts = (f"{figure[name]:g} {figure['unit']}" for name in ("value", "minimum"))
    words = (figure["verdict"], figure["reason"], figure["caveats"] or "")
    return [figure["class"], figure["op"], figure["tool"], *amounts, *words]


def entry_row(entry: Entry) -> list[str]:
    """Return the words of an entry that is shown as it is."""
    return [str(cell) for cell in entry.values()]


_ROWS = (
    figures_in_words,
    places_csv,
    place_row,
    indicative_rows,
    nearest_row,
    name_row,
    class_rows,
    class_figure_row,
    entry_row,
)
ROWS: dict[str, Callable[..., list]] = {rows.__name__: rows for rows in _ROWS}  # of the page


def as_text(document: dict[str, Any], *, long: bool = False, page: Path | None = None) -> str:
    """Return the answer for a terminal; `long`: with its notes and tables."""
    found = [*_short(document), *(_long(document) if long else ())]
    ends = [f"Page: {page}"] * bool(page) + ["Tables here: add --long"] * (not long)
    return "\n".join([*found, *(["     ".join(ends)] if ends else [])]) + "\n"


def _short(document: dict[str, Any]) -> Iterator[str]:
    """Yield warnings, the verdict, a line a test, and what follows from them."""
    for warning in document["warnings"]:
        yield from _wrapped(f"Warning: {warning}", NARROW)
    yield from _wrapped(document["verdict"], NARROW)
    for test in document["tests"]:
        unit = "MB/s" if test["value"] else ""
        share = test["share_of_best"]
        bar = "" if share is None else f"{'#' * round(10 * share):-<10}"
        line = f"  {test['test']:<12} {test['shown']:>5} {unit:<4}  {bar:<10}  {test['words']}"
        yield from _wrapped(line, NARROW, subsequent_indent=" " * 39)
    for sentence in document["rest"]:
        yield from _wrapped(sentence, NARROW)


def _long(document: dict[str, Any]) -> Iterator[str]:
    """Yield what the answer is about, the notes and the tables."""
    yield ""
    yield from _about(document["card"])
    if notes := document["notes"]:
        yield from ("", *_items(notes))
    for title, lines in _sections(document).items():
        if found := list(lines):
            yield from ("", title, "-" * len(title), *found)


def _about(card: Entry) -> Iterator[str]:
    files, host = card["files"], "not given (--host)"
    if card["host"]:
        bus = f"{card['bus']}, at most {card['bus_limit']:g} MB/s"
        found = "" if card["host_from"] == "given" else f"; from {card['host_from']}"
        host = f"{card['host_name']} ({card['host']}, {card['reader']}{found}); {bus}"
    logs = ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more"
    yield f"label:  {card['label'] or 'not given (--label)'}"
    yield f"host:   {host}"
    yield f"logs:   {logs}: {figures_in_words(card)}"


def _sections(document: dict[str, Any]) -> dict[str, Iterable[str]]:
    nearest = ["card (who measured it)", "factor", "tests", "within noise"]
    identity = map(entry_row, document["identity"])
    doubts = ("{at}: {rule}: {evidence}".format(**doubt) for doubt in document["doubts"])
    return {
        "Places": _places(document["places"]),
        "Nearest known cards": _table(nearest, map(nearest_row, document["nearest"])),
        "The name on the card": _name(document["name"]),
        "Classes": _classes(document["classes"]),
        "What the log says of the card": _table(["what", "value", "where"], identity),
        "Doubts": _items(doubts),
        "Not compared": _items(map(_not_compared, document["not_compared"])),
        "Not read": _not_read(document["not_read"]),
    }


def _places(places: list[Entry]) -> Iterator[str]:
    head = ["test", "MB/s", "place", "by noise", "slower", "median", "ratio", "of bus"]
    yield from _table([*head, "compared with"], (place_row(place)[:-1] for place in places))
    if places:
        yield "slower: share of the known cards that are slower. ratio: to the median card; ~ means"
        yield "that the gap lies within run noise. by noise: the places that run noise leaves open."
        yield "MB/s: 10^6 B/s."
    for mark, why in indicative_rows(places):
        yield from textwrap.wrap(f"{mark} {why}", WIDTH)
    for place in places:
        if place["assumed"]:
            yield from textwrap.wrap(f"{place['test']}: assumed {place['assumed']}", WIDTH)


def _name(name: Entry) -> Iterator[str]:
    head = ["name", "test", "n", "ratio to nearest", "noise", "verdict"]
    yield from _table(head, map(name_row, name["tests"]))
    if name["tests"]:
        factor = f"{name['yardstick']:.1f}: {name['yardstick_from']}"
        yield f"specimens of one model are known to differ by a factor of {factor}"


def _classes(classes: list[Entry]) -> Iterator[str]:
    found = class_rows(classes)
    head = ["verdict", "write", "random read", "random write", "classes"]
    yield from _table(head, ([*parts, names] for names, *parts, _ in found))
    yield from _items(f"{names}: {why}" for names, *_, why in found if why)


def _not_compared(entry: Entry) -> str:
    count = f" ({counted(entry['figures'], 'figure')})" if entry["figures"] > 1 else ""
    return f"{entry['what']}{count}, {entry['at']}: {entry['why']}"


def _not_read(problems: list[Entry]) -> Iterator[str]:
    yield from _items("{at}: {kind}: {text}".format(**problem) for problem in problems[:20])
    if len(problems) > 20:
        yield f"- and {len(problems) - 20} more, which `sdanalysis parse` lists"


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _wrapped(text, initial_indent="- ", subsequent_indent="  ")


def _wrapped(text: str, width: int = WIDTH, **indents: str) -> list[str]:
    """Return the lines of a text; an address is not broken."""
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False, **indents)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    cells = list(rows)
    return text_table(head, cells, numbers_right=True) if cells else iter(())
