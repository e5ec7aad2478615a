"""The table and the catalogue -> one document of plain words and numbers: places and cards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis import __version__, stats
from sdanalysis.cards.figures import figures_of_cards
from sdanalysis.sources.companions import companions_below
from sdanalysis.sources.load import source_folders
from sdanalysis.stats.names import capacity_in_words
from sdanalysis.text_tables import plain

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

_PLACE = ["host", "reader"]
_RATED = ("A1", "A2")
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

    `tests` names the four ops; each of the `places` has the `rows` of its cards, the fastest
    in small writes first; each of the `cards` has its figures and what they were printed in.
    Bandwidths are in MB/s (10^6 B/s).
    """
    ranked = stats.rankings(data.measurements, data.media, data.noise)
    about = {card["specimen"]: card for card in _cards(data, _beyond(folder))}
    figures = figures_of_cards(data, folder)
    return {
        "tests": {op: stats.briefly(op) for op in stats.TOOLS},
        "places": list(_places(data, ranked, about)),
        "cards": [about[name] | figures[name] for name in about],
        "made_with": f"sd-card-analysis {__version__}",
    }


def _beyond(folder: Path) -> set[str]:
    """Return the names of the companions."""
    companions = companions_below(folder)
    return {path.name for path in source_folders(companions)} if companions else set()


def _cards(data: Data, beyond: set[str]) -> Iterator[dict[str, Any]]:
    """Yield each card that has a figure, by name: what is known of it without any figure."""
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
    data: Data, ranked: pd.DataFrame, about: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield each place that a card was measured in, the one with the most ranked cards first."""
    names = stats.place_names(data.hosts, usb=True)
    hosts = data.hosts.set_index(_PLACE)
    met = data.measurements[[*_PLACE, "specimen"]].drop_duplicates()
    sizes = ranked.groupby(_PLACE)["specimen"].nunique()
    shared = ranked.groupby([*_PLACE, "op", "place"], dropna=False)["value"].transform("size")
    ranked = ranked.assign(shared=shared)
    keys = list(dict.fromkeys(met[_PLACE].itertuples(index=False, name=None)))
    for key in sorted(keys, key=lambda key: -sizes.get(key, 0)):
        here = ranked[(ranked["host"] == key[0]) & (ranked["reader"] == key[1])]
        there = met.loc[(met["host"] == key[0]) & (met["reader"] == key[1]), "specimen"]
        host, hidden = hosts.loc[key], _hidden(here, data.hosts)
        here = here.assign(place=here["place"].mask(here["op"].isin(hidden["op"])))
        tests = here.drop_duplicates("op").set_index("op")["test"]
        rows = [about[name] | {"cells": _cells(here, name)} for name in there]
        yield {
            "id": "/".join(key),
            "name": names[key],
            "computer": host["host_name"],
            "bus": host["bus"],
            "limit": f"{host['limit'] / 1e6:g}",
            "tests": {op: tests[op] for op in stats.TOOLS if op in tests},
            "hidden": [_hidden_in_words(row) for row in hidden.itertuples()],
            "rows": sorted(rows, key=_fastest_first),
        }


def _hidden(here: pd.DataFrame, hosts: pd.DataFrame) -> pd.DataFrame:
    """Return the tests of a place that measured its bus: cards have no places in them."""
    sure = here[here["place"].notna()]
    if sure.empty:
        return pd.DataFrame({"op": []})
    shares = stats.bus_shares(sure, hosts)
    return shares[shares["hidden"].astype(bool)]


def _hidden_in_words(row: Any) -> str:
    return (
        f"{stats.briefly(row.op).capitalize()} measure the bus here, not the card: "
        f"{row.at_limit} of {row.cards} come near its limit."
    )


def _fastest_first(row: dict[str, Any]) -> tuple[float, ...]:
    """Return what sorts rows: doubted figures after sure ones, missing ones last."""
    cell = row["cells"].get("randwrite") or row["cells"].get("write")
    return (cell["doubted"], -cell["value"]) if cell else (2, 0)


def _cells(here: pd.DataFrame, specimen: str) -> dict[str, dict[str, Any]]:
    """Return the figure of a card in each of the tests of a place; a doubted one if it is all."""
    cells: dict[str, dict[str, Any]] = {}
    for row in here[here["specimen"] == specimen].itertuples():
        placed = pd.notna(row.place)
        cell = {
            "value": row.value / 1e6,
            "runs": row.runs,
            "doubted": bool(row.doubted),
            "again": [plain(row.again_low / 1e6), plain(row.again_high / 1e6)],
            "cards": plain(row.n) if placed else None,
            "place": plain(row.place),
            "shared": row.shared if placed else 0,
            "ranks": [plain(row.rank_low), plain(row.rank_high)] if placed else None,
        }
        cells.setdefault(row.op, cell)  # the sure one stands first
    return cells
