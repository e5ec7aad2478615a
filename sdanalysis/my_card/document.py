"""Show a card as plain words and numbers, as JSON has it, and these as a text and as one page."""

from __future__ import annotations

import base64
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis import __version__, pages
from sdanalysis.codebook.units import counted
from sdanalysis.my_card.card import Card, Line
from sdanalysis.my_card.places import ALL_HOSTS, Place, rows_of
from sdanalysis.paths import DATA
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.stats.names import speed_in_words
from sdanalysis.text_tables import plain, records, text_table

WIDTH, NARROW = 96, 80  # of the tables, if none is wider, and of the answer

_MOST_UNREAD = 20
WORDS = tomllib.loads(Path(__file__).with_name("sections.toml").read_text(encoding="utf-8"))
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
        "card": _setting(card),
        "identity": records(card.identity(show_serial=show_serial)),
        "places": [_place(row, card) for row in rows_of(card.places)],
        "bus_tests": [
            {
                "test": row.test,
                "value": _megabytes(row.value),
                "known_figures": row.cards,
                "near_the_limit": row.near,
                "at": row.at,
            }
            for row in card.buses.itertuples()
        ],
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


def _setting(card: Card) -> dict[str, Any]:
    """Return what was measured, where, and how much of it there is."""
    host, found = card.setting.host, card.computer.found
    return {
        "label": card.name.label,
        "host": host,
        "host_from": (found.at if found else "given") if host else None,
        "reader": card.setting.reader,
        "host_name": f"{card.setting.host_name}, {card.setting.reader_name}" if host else None,
        "bus": card.setting.bus,
        "bus_limit": _megabytes(card.setting.limit),
        "files": list(card.logs.files),
        "figures_read": len(card.logs.rows) + sum(count for _, count in card.logs.samples),
        "tests": len(card.figures),
    }


def _name_of(card: Card) -> dict[str, Any]:
    tests = card.name.tests.round({"ratio": 4, "band": 4}).drop(columns="same_host")
    tests = tests.assign(verdict_in_words=tests["verdict"].map(WORDS["name_verdicts"]))
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
    value, best = plain(line.value), plain(line.best)
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
        "tool": WORDS["levels"][row.level],
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
        "verdict_in_words": WORDS["verdicts"][row.verdict],
        "share_of_bus_limit": round(row.value / card.setting.limit, 4) if host else None,
        "assumed": plain(row.assumed),
        "at": row.at,
    }


def _class_figures(figures: pd.DataFrame) -> list[dict[str, Any]]:
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


class Section(NamedTuple):
    """A part of what stands below the answer: words, a table, a list, remarks; see WORDS."""

    id: str
    title: str
    words: str
    folded: bool
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    items: Sequence[str]
    remarks: Sequence[str]


def sections(document: Entry) -> list[Section]:
    """Return the parts below the answer, for text and page, without those that hold nothing."""
    places, name = document["places"], document["name"]
    rows, items = _tables(document), _lists(document)
    marks = {place_row(place)[0].rpartition(" ")[2] for place in places}
    rough = [f"{mark} {why}" for mark, why in WORDS["indicative"].items() if mark in marks]
    assumed = [f"{row['test']}: assumed {row['assumed']}" for row in places if row["assumed"]]
    more_remarks = {"places": [*rough, *assumed]}
    return [
        Section(
            id=id,
            title=part["title"],
            words=" ".join(part.get("words", "").split()),
            folded=part.get("folded", False),
            head=part.get("head", ()),
            rows=rows.get(id, ()),
            items=items.get(id, ()),
            remarks=[
                *(remark.format(**name) for remark in part.get("remarks", ())),
                *more_remarks.get(id, ()),
            ],
        )
        for part in WORDS["section"]
        if rows.get(id := part["id"]) or items.get(id)
    ]


def _tables(document: Entry) -> dict[str, list[list[str]]]:
    """Return the rows of each part that has a table."""
    return {
        "places": list(map(place_row, document["places"])),
        "nearest": [
            [card["name"], f"{card['factor']:.2f}", str(card["tests"]), str(card["within_noise"])]
            for card in document["nearest"]
        ],
        "name": list(map(name_row, document["name"]["tests"])),
        "classes": [[*parts, names] for names, *parts, _ in class_rows(document["classes"])],
        "minimums": list(map(class_figure_row, document["class_figures"])),
        "card": [list(entry.values()) for entry in document["identity"]],
    }


def _lists(document: Entry) -> dict[str, list[str]]:
    """Return the items of each part that has a list."""
    classes = class_rows(document["classes"])
    unread = ["{at}: {kind}: {text}".format(**problem) for problem in document["not_read"]]
    if more := len(unread[_MOST_UNREAD:]):
        unread[_MOST_UNREAD:] = [f"and {more} more, which `sdanalysis parse` lists"]
    return {
        "classes": [f"{names}: {why}" for names, *_, why in classes if why],
        "doubts": ["{at}: {rule}: {evidence}".format(**doubt) for doubt in document["doubts"]],
        "not-compared": list(map(_not_compared, document["not_compared"])),
        "not-read": unread,
    }


def _not_compared(entry: Entry) -> str:
    count = f" ({counted(entry['figures'], 'figure')})" if entry["figures"] > 1 else ""
    return f"{entry['what']}{count}, {entry['at']}: {entry['why']}"


def place_row(place: Entry) -> list[str]:
    """Return the cells of a place."""
    low, high, share = place["rank_low"], place["rank_high"], place["share_of_bus_limit"]
    return [
        f"{place['test']} {WORDS['marks'].get(place['tool'], '')}".rstrip(),
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


def name_row(test: Entry) -> list[str]:
    """Return the cells of a name in a test."""
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


def as_text(document: dict[str, Any], *, long: bool = False, page: Path | None = None) -> str:
    """Return the answer for a terminal; `long`: with its notes and tables."""
    found = [*_short(document), *(_long(document) if long else ())]
    ends = [f"Page: {page}"] * bool(page) + ["Tables here: add --long"] * (not long)
    return "\n".join([*found, *(["     ".join(ends)] if ends else [])]) + "\n"


def _short(document: dict[str, Any]) -> Iterator[str]:
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
    yield ""
    yield from _about(document["card"])
    if notes := document["notes"]:
        yield from ("", *_items(notes))
    for section in sections(document):
        if section.folded:
            continue
        yield from ("", section.title, "-" * len(section.title))
        if section.rows:
            yield from text_table(section.head, section.rows, numbers_right=True)
        yield from _items(section.items)
        for remark in section.remarks:
            yield from _wrapped(remark)


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


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _wrapped(text, initial_indent="- ", subsequent_indent="  ")


def _wrapped(text: str, width: int = WIDTH, **indents: str) -> list[str]:
    """Return the lines of a text; an address is not broken."""
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False, **indents)


def as_page(document: dict[str, Any], points: pd.DataFrame, data: Path = DATA) -> str:
    """Return one HTML page that holds all it needs: the answer, the figure and the tables.

    `data` is the folder whose sources measured the known cards.
    """
    environment = pages.environment(Path(__file__).parent)
    declared = (
        path for kind in ("raw", "companions") for path in data.glob(f"{kind}/*/source.toml")
    )
    places = pd.DataFrame(document["places"]).to_csv(index=False, lineterminator="\n")
    known = known_cards(points)
    names = {
        "document": document,
        "sections": sections(document),
        "figures": figures_in_words(document["card"]),
        "sources": [read_declaration(path.parent) for path in sorted(declared)],
        "known_cards": known,
        "places_csv": base64.b64encode(places.encode()).decode(),
        "picture": _picture(points.join(known["link"]), document) if len(points) else None,
    }
    return environment.get_template("page.html.j2").render(names) + "\n"


def known_cards(points: pd.DataFrame) -> pd.DataFrame:
    """Return the known cards among the points, fastest first in each test, with a `link` to each.

    Adds `mark`, the id of the card's row in a page, and `at`, `file:line` of its figures.
    """
    known = points[points["kind"] == "known"]
    order = known["test"].map({test: at for at, test in enumerate(dict.fromkeys(known["test"]))})
    known = known.assign(order=order).sort_values(["order", "value"], ascending=[True, False])
    marks = [f"known-{number}" for number in range(1, len(known) + 1)]
    at = [list(dict.fromkeys(one.rpartition(":")[0] for one in ids)) for ids in known["ids"]]
    return known.drop(columns="order").assign(mark=marks, at=at, link=[f"#{m}" for m in marks])


def _picture(points: pd.DataFrame, document: Entry) -> str:
    import matplotlib as mpl  # here: a text needs no figures, and they take a second to load

    from sdanalysis import plots
    from sdanalysis.plots.show import drawings

    places = [
        f"{row['test']}: {row['value']:g} MB/s, place {row['rank']} of {row['known_cards'] + 1}"
        for row in document["places"]
    ]
    alt = "The card among the known cards, one row a test. " + "; ".join(places) + "."
    with mpl.rc_context({"backend": "agg"}):
        figure = plots.standing(points).get_figure(root=True)
        assert figure is not None  # an axes of pyplot has one
        written = drawings(figure, alt=alt)
    mpl.pyplot.close(figure)
    return written
