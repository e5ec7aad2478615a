"""The document of all cards -> one HTML page with its CSV, which asks no host for more."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sdanalysis import pages
from sdanalysis.cards.figures import number

_CARD = ("specimen", "name", "maker", "product", "capacity", "form")
_CELL = ("value", "runs", "doubted", "predicted", "rank", "cards", "may_be_best")


def as_page(document: dict[str, Any]) -> str:
    """Return the page."""
    here = Path(__file__).parent
    environment = pages.environment(here)
    environment.filters["number"] = number
    script = (here / "cards.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    table = base64.b64encode(as_csv(document).encode()).decode("ascii")
    template = environment.get_template("page.html.j2")
    return template.render(document=document, script=script, digest=digest, csv=table) + "\n"


def as_csv(document: dict[str, Any]) -> str:
    """Return the table as CSV: a row a card and place, the columns of each test beside each other.

    Capacities are in B, figures in MB/s (10^6 B/s).
    """
    text = io.StringIO()
    rows = list(_rows(document))
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rows(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place in document["places"]:
        for card in place["rows"]:
            row = {name: card[name] for name in _CARD}
            row |= {"classes": " ".join(card["classes"]), "vintage": card["vintage"]}
            row |= {"measured_by": card["people"], "companion": card["companion"]}
            row |= {"host_reader": place["id"], "place_name": place["name"]}
            for op in document["tests"]:
                cell = card["cells"].get(op, {})
                low, high = cell.get("interval", (None, None))
                row |= {f"{op}_test": place["tests"].get(op)}
                row |= {f"{op}_{name}": cell.get(name) for name in _CELL}
                row |= {f"{op}_low": low, f"{op}_high": high}
            yield row
