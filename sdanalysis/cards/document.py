"""Gather what is known of each place and card as one document, and show it as page and CSV."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis import __version__, pages, stats
from sdanalysis.cards.figures import figures_of_cards, number
from sdanalysis.sources.folders import companions_below, source_folders
from sdanalysis.stats.names import capacity_in_words
from sdanalysis.stats.reasons import WORDS, Reason
from sdanalysis.text_tables import plain

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_PLACE = ["host", "reader"]
_COLUMNS = ("specimen", "name", "maker", "product", "capacity", "form")  # of the CSV
_CELL = ("value", "runs", "doubted", "predicted", "rank", "cards", "may_be_best")
_RATED = ("A1", "A2")
_FIRST = ("pi-4b", "pi-5", "pi-3b", "pi-2b", "pi-zero-2w")  # the boards people ask about
_OTHER_TEST = "another test than the one that is ranked"
# How it is known which product a card is, in the words of the catalogue.
IDENTIFIED = {
    "printed": "its part number, or its year, is printed with the figures",
    "linked": "its part number stands in the link to a shop only",
    "guessed": "its source puts a question mark behind the part number",
    "inferred": "concluded from other words of the source",
    "named": "maker, product and capacity are all that is printed",
}


def document(data: Data, folder: Path) -> dict[str, Any]:
    """Return what the page shows, as plain words, numbers, lists and tables; missing is None.

    `folder` is that of the raw files and their declarations.

    `tests` names the four ops. Each of the `places` (boards, then readers) has `rows` of cards and
    `notes` on what is not ranked; the fastest card in small writes comes first. Each of the `cards`
    has its figures and what they were printed in. Bandwidths are in MB/s (10^6 B/s).
    """
    rows = stats.standings(data.measurements, data.media, data.hosts, data.noise)
    companions = companions_below(folder)
    beyond = {path.name for path in source_folders(companions)} if companions else set()
    about = {card["specimen"]: card for card in _cards(data, beyond)}
    figures = figures_of_cards(data, folder)
    for name, card in about.items():
        dates = " ".join(source["date"] for source in figures[name]["sources"])
        years = sorted(re.findall(r"\b20\d\d\b", dates))
        card["years"] = "–".join(dict.fromkeys([years[0], years[-1]])) if years else ""
    return {
        "tests": {op: stats.briefly(op) for op in stats.MAIN_TESTS},
        "places": list(_places(data, rows, about)),
        "cards": [about[name] | figures[name] for name in about],
        "made_with": f"sd-card-analysis {__version__}",
    }


def _cards(data: Data, beyond: set[str]) -> Iterator[dict[str, Any]]:
    names = stats.specimen_names(data.media)
    rows = data.measurements
    sources = rows.groupby("specimen")["source"].agg(lambda found: {*found})
    labels = rows.groupby("specimen")["label"].agg(lambda found: list(dict.fromkeys(found)))
    media = data.media[data.media["specimen"].isin(sources.index)]
    order = media["specimen"].map(names).str.casefold().sort_values(kind="stable").index
    for row in media.loc[order].itertuples():
        marks = [row.application_class] if row.application_class in _RATED else []
        speeds = row.speed_class.split() if pd.notna(row.speed_class) else []
        yield {
            "specimen": row.specimen,
            "name": names[row.specimen],
            "people": stats.people_name(row.specimen.partition("/")[0]),
            "maker": row.maker,
            "product": row.product,
            "part_number": plain(row.part_number),
            "capacity": plain(row.capacity),
            "size": capacity_in_words(row.capacity) if pd.notna(row.capacity) else None,
            "form": row.form,
            "classes": [*speeds, *marks],
            "application_class": f"{row.application_class}: {row.application_class_evidence}",
            "vintage": None if row.vintage == "unknown" else row.vintage,
            "vintage_evidence": row.vintage_evidence,
            "identified": IDENTIFIED[row.evidence],
            "note": plain(row.note),
            "labels": labels[row.specimen],
            "companion": sources[row.specimen] <= beyond,
        }


def _places(
    data: Data, standings: pd.DataFrame, about: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield each place that a card was measured in: boards first, readers last."""
    names = stats.place_names(data.hosts, usb=True)
    hosts = data.hosts.set_index(_PLACE)
    specimens = data.measurements[[*_PLACE, "specimen"]].drop_duplicates()
    cards = {key: list(group) for key, group in specimens.groupby(_PLACE)["specimen"]}
    sizes = standings[~standings["predicted"]].groupby(_PLACE)["specimen"].nunique()
    for key in sorted(cards, key=lambda key: (_order(*key), -sizes.get(key, 0))):
        placed = standings[(standings["host"] == key[0]) & (standings["reader"] == key[1])]
        cells: dict[str, dict[str, Any]] = {name: {} for name in cards[key]}
        for row in placed.itertuples():
            cells.setdefault(row.specimen, {})[row.op] = _cell(row)
        host, tests = hosts.loc[key], placed.drop_duplicates("op").set_index("op")["test"]
        rows = [about[card] | {"cells": own} for card, own in cells.items()]
        name = names[key]
        yield {
            "id": "/".join(key),
            "board": "/".join(key).removesuffix("/slot"),
            "name": name if key[1] != "slot-no-queue" else f"Pi 5, {name.partition(', ')[2]}",
            "computer": host["host_name"],
            "bus": host["bus"],
            "limit": f"{host['limit'] / 1e6:g}",
            "measured": len(cards[key]),
            "tests": {op: tests[op] for op in stats.MAIN_TESTS if op in tests},
            "notes": list(_notes(placed)),
            "rows": sorted(rows, key=_fastest_first),
        }


def _order(host: str, reader: str) -> int:
    if not reader.startswith("slot"):
        return len(_FIRST) + 1
    return _FIRST.index(host) if host in _FIRST and reader == "slot" else len(_FIRST)


def _notes(standings: pd.DataFrame) -> Iterator[str]:
    """Yield why the cards of a place are not ranked in a test, or are each person's by themselves.

    Each reason once, with all the tests that it holds for.
    """
    rows = standings[~standings["predicted"] & ~standings["doubted"]]
    found: dict[str, list[str]] = {}
    for op in (op for op in stats.MAIN_TESTS if op in set(rows["op"])):
        test = rows[rows["op"] == op]
        if (test["cards"] < len(test)).any():
            words = f"{WORDS[Reason.PEOPLE_DISAGREE]}; here each person's are ranked alone"
        elif test["rank"].notna().any():
            continue
        else:
            words = WORDS.get(test["reason"].iloc[0], _OTHER_TEST)
        found.setdefault(words, []).append(stats.briefly(op))
    for words, ops in found.items():
        yield f"{', '.join(ops).capitalize()}: {words}."


def _fastest_first(row: dict[str, Any]) -> tuple[float, ...]:
    """Return what sorts rows: measured ones, doubted ones, predicted ones, those without."""
    cell = row["cells"].get("randwrite") or row["cells"].get("write")
    return (cell["predicted"], cell["doubted"], -cell["value"]) if cell else (2, 0)


def _cell(row: Any) -> dict[str, Any]:
    group = "slot" if row.reason == Reason.SLOT_LIMITS.value else plain(row.group)
    return {
        "value": row.value / 1e6,
        "runs": plain(row.runs),
        "doubted": row.doubted,
        "predicted": row.predicted,
        "at_least": row.at_least,
        "interval": [plain(row.low / 1e6), plain(row.high / 1e6)],
        "cards": plain(row.cards) if pd.notna(row.rank) else None,
        "rank": plain(row.rank),
        "group": None if row.predicted else group,
        "may_be_best": plain(row.may_be_best),
    }


def as_page(document: dict[str, Any]) -> str:
    """Return the page, with its CSV in it, which asks no host for more."""
    folder = Path(__file__).parent
    environment = pages.environment(folder)
    environment.filters["number"] = number
    script = (folder / "cards.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    table = base64.b64encode(as_csv(document).encode()).decode("ascii")
    template = environment.get_template("page.html.j2")
    return template.render(document=document, script=script, digest=digest, csv=table) + "\n"


def as_csv(document: dict[str, Any]) -> str:
    """Return the table as CSV: a row a card and place, the columns of each test beside each other.

    Capacities are in B, figures in MB/s (10^6 B/s).
    """
    rows = [
        _csv_row(place, card, document["tests"])
        for place in document["places"]
        for card in place["rows"]
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _csv_row(
    place: dict[str, Any], card: dict[str, Any], tests: Mapping[str, str]
) -> dict[str, Any]:
    row = {name: card[name] for name in _COLUMNS}
    row |= {"classes": " ".join(card["classes"]), "vintage": card["vintage"]}
    row |= {"measured_by": card["people"], "companion": card["companion"]}
    row |= {"host_reader": place["id"], "place_name": place["name"]}
    for op in tests:
        cell = card["cells"].get(op, {})
        low, high = cell.get("interval", (None, None))
        row |= {f"{op}_test": place["tests"].get(op)}
        row |= {f"{op}_{name}": cell.get(name) for name in _CELL}
        row |= {f"{op}_low": low, f"{op}_high": high}
    return row
