"""Show a card as plain words and numbers, as JSON has it, and these as a text and as one page."""

from __future__ import annotations

import base64
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

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
_WORDS = tomllib.loads(Path(__file__).with_name("sections.toml").read_text(encoding="utf-8"))
Entry = Mapping[str, Any]


def document(card: Card, *, show_serial: bool = False) -> dict[str, Any]:
    """Return the answer as plain words, numbers, lists and tables; missing is None.

    Bandwidths are in MB/s (10^6 B/s). Files appear by their names only, without their folders.
    """
    host, board = card.setting.host, card.computer.found
    buses = card.buses.assign(value=list(map(_megabytes, card.buses["value"])))
    buses = buses.rename(columns={"cards": "known_figures", "near": "near_the_limit"})
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
            "host": host,
            "host_from": (board.at if board else "given") if host else None,
            "reader": card.setting.reader,
            "host_name": f"{card.setting.host_name}, {card.setting.reader_name}" if host else None,
            "bus": card.setting.bus,
            "bus_limit": _megabytes(card.setting.limit),
            "files": list(card.logs.files),
            "figures_read": len(card.logs.rows) + sum(count for _, count in card.logs.samples),
            "tests": len(card.figures),
        },
        "identity": records(card.identity(show_serial=show_serial)),
        "places": [_place(row, card) for row in rows_of(card.places)],
        "bus_tests": records(buses[["test", "value", "known_figures", "near_the_limit", "at"]]),
        "nearest": records(card.nearest.assign(factor=_six_digits(card.nearest["factor"]))),
        "name": _name(card),
        "classes": records(card.classes.summary),
        "class_figures": _class_figures(card.classes.figures),
        "doubts": records(card.doubts),
        "not_compared": records(card.not_compared.drop(columns="reason")),
        "not_read": records(card.not_read),
        # A note quotes its line, and a page that is shared should not quote what nobody chose.
        "lines_with_a_note": len(card.logs.problems) - len(card.not_read),
        "made_with": f"sd-card-analysis {__version__}",
    }


def _name(card: Card) -> dict[str, Any]:
    tests = card.name.tests.round({"ratio": 4, "band": 4}).drop(columns="same_host")
    tests = tests.assign(verdict_in_words=tests["verdict"].map(_WORDS["name_verdicts"]))
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
        "tool": _WORDS["levels"][row.level],
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
        "verdict_in_words": _WORDS["verdicts"][row.verdict],
        "share_of_bus_limit": round(row.value / card.setting.limit, 4) if host else None,
        "assumed": plain(row.assumed),
        "at": row.at,
    }


def _class_figures(figures: pd.DataFrame) -> list[dict[str, Any]]:
    names = ["class", "op", "tool", "value", "minimum", "unit", "verdict", "reason", "caveats"]
    rows = records(figures.assign(unit="")[names])
    for row in rows:
        row["unit"], scale = ("MB/s", 1e6) if row["op"] == "write" else ("IOPS", 1.0)
        scaled = [np.round(row[name] / scale, 3) for name in ("value", "minimum")]
        row["value"], row["minimum"] = _six_digits(scaled)
    return rows


def _six_digits(numbers: Iterable[float]) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]


def _megabytes(value: float) -> float:
    return float(f"{value / 1e6:.4g}")


# --- what text and page share --------------------------------------------------------------------


def sections(document: Entry) -> list[dict[str, Any]]:
    """Return the parts below the answer, for text and page, without those that hold nothing.

    Each is its entry of `sections.toml`, with the `rows` of its table, the `lines` of its list and
    its `remarks`.
    """
    places, unread = list(map(_place_words, document["places"])), document["not_read"]
    entries: Entry = {
        **document,
        "places": places,
        "name": document["name"]["tests"],
        "classes": _joined(document["classes"]),
        "not_read": unread[:_MOST_UNREAD],
    }
    made = []
    for part in _WORDS["section"]:
        if rows := entries[part["of"]]:
            cells = part.get("columns", {})
            listed = [row for row in rows if part.get("item") and row.get("why") != ""]
            section = {
                "folded": False,
                "columns": {},
                **part,
                "words": " ".join(part.get("words", "").split()),
                "rows": [[_filled(cell, row) for cell in cells.values()] for row in rows],
                "lines": [_filled(part["item"], row) for row in listed],
                "remarks": [text.format(**document["name"]) for text in part.get("remarks", ())],
            }
            made.append(section)
            if part["of"] == "places":
                section["remarks"] += _place_remarks(places)
            if part["of"] == "not_read" and len(unread) > len(rows):
                rest = f"and {len(unread) - len(rows)} more, which `sdanalysis parse` lists"
                section["lines"].append(rest)
    return made


def _filled(cell: str, row: Entry) -> str:
    figures = row.get("figures", 1)
    count = f" ({figures} figures)" if figures > 1 else ""
    words = {name: "" if value is None else value for name, value in row.items()}
    return cell.format(**words, count=count)


def _place_remarks(places: list[dict[str, Any]]) -> list[str]:
    marks = {row["mark"].strip() for row in places}
    rough = [f"{mark} {why}" for mark, why in _WORDS["indicative"].items() if mark in marks]
    return rough + [f"{row['test']}: assumed {row['assumed']}" for row in places if row["assumed"]]


def _place_words(place: Entry) -> dict[str, Any]:
    """Return a place with the words of those cells that are not printed as they are."""
    low, high, share = place["rank_low"], place["rank_high"], place["share_of_bus_limit"]
    mark = _WORDS["marks"].get(place["tool"])
    return {
        **place,
        "mark": f" {mark}" if mark else "",
        "cards": place["known_cards"] + 1,
        "by_noise": f"{low} to {high}" if low != high else str(low),
        "of_bus": "-" if share is None else f"{100 * share:.0f} %",
    }


def _joined(classes: Iterable[Entry]) -> list[dict[str, str]]:
    """Return a row for all classes of one verdict, for the same parts and reason."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for entry in classes:
        cells = {part: entry[part] or "not asked" for part in ("write", "randread", "randwrite")}
        cells["verdict"] = entry["verdict"]
        cells["why"] = re.sub(r"\brand(read|write):", r"random \1:", entry["reason"] or "")
        names = rows.setdefault(tuple(cells.values()), {**cells, "names": ""})
        names["names"] = f"{names['names']} {entry['class']}".strip()
    return list(rows.values())


def figures_in_words(card: Entry) -> str:
    """Return how much was read: `1 figure, 1 test`."""
    return f"{counted(card['figures_read'], 'figure')}, {counted(card['tests'], 'test')}"


# --- the text ------------------------------------------------------------------------------------


def as_text(document: Entry, *, long: bool = False, page: Path | None = None) -> str:
    """Return the answer for a terminal; `long`: with its notes and tables."""
    ends = [f"Page: {page}"] * bool(page) + ["Tables here: add --long"] * (not long)
    lines = [*_short(document), *(_long(document) if long else ())]
    return "\n".join([*lines, *(["     ".join(ends)] if ends else [])]) + "\n"


def _short(document: Entry) -> Iterator[str]:
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


def _long(document: Entry) -> Iterator[str]:
    card, host = document["card"], "not given (--host)"
    files = card["files"]
    if card["host"]:
        at = "" if card["host_from"] == "given" else f"; from {card['host_from']}"
        host = f"{card['host_name']} ({card['host']}, {card['reader']}{at}); "
        host += f"{card['bus']}, at most {card['bus_limit']:g} MB/s"
    logs = ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more"
    yield from ("", f"label:  {card['label'] or 'not given (--label)'}", f"host:   {host}")
    yield f"logs:   {logs}: {figures_in_words(card)}"
    if notes := document["notes"]:
        yield from ("", *_items(notes))
    for section in sections(document):
        if section["folded"]:
            continue
        yield from ("", section["title"], "-" * len(section["title"]))
        if section["columns"]:
            yield from text_table(list(section["columns"]), section["rows"], numbers_right=True)
        yield from _items(section["lines"])
        for remark in section["remarks"]:
            yield from _wrapped(remark)


def _items(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from _wrapped(text, initial_indent="- ", subsequent_indent="  ")


def _wrapped(text: str, width: int = WIDTH, **indents: str) -> list[str]:
    """Return the lines of a text; an address is not broken."""
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False, **indents)


# --- the page ------------------------------------------------------------------------------------


def as_page(document: Entry, points: pd.DataFrame, data: Path = DATA) -> str:
    """Return one HTML page that holds all it needs: the answer, the figure and the tables.

    `data` is the folder whose sources measured the known cards.
    """
    declared = sorted([*data.glob("raw/*/source.toml"), *data.glob("companions/*/source.toml")])
    places = pd.DataFrame(document["places"]).to_csv(index=False, lineterminator="\n")
    known = known_cards(points)
    names = {
        "document": document,
        "sections": sections(document),
        "figures": figures_in_words(document["card"]),
        "sources": [read_declaration(path.parent) for path in declared],
        "known_cards": known,
        "places_csv": base64.b64encode(places.encode()).decode(),
        "picture": _picture(points.join(known["link"]), document) if len(points) else None,
    }
    template = pages.environment(Path(__file__).parent).get_template("page.html.j2")
    return template.render(names) + "\n"


def known_cards(points: pd.DataFrame) -> pd.DataFrame:
    """Return the known cards among the points, fastest first in each test, with a `link` to each.

    Adds `mark`, the id of the card's row in a page, and `at`, `file:line` of its figures.
    """
    known = points[points["kind"] == "known"]
    order = known.groupby("test", sort=False).ngroup()
    known = known.assign(order=order).sort_values(["order", "value"], ascending=[True, False])
    marks = [f"known-{number}" for number in range(1, len(known) + 1)]
    at = [list(dict.fromkeys(name.rpartition(":")[0] for name in ids)) for ids in known["ids"]]
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
