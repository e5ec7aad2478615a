"""A selection (column = value or values) -> the rows of the table that it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sdanalysis.claims.claim import Claim, Selection
from sdanalysis.codebook import schema
from sdanalysis.sources.catalogue import APPLICATION_CLASSES, FORMS
from sdanalysis.stats.sides import doubted

# What a figure is chosen by; not what it turned out to be.
_RESULTS = ("id", "column", "raw", "raw_unit", "value", "value_low", "value_high", "run")
_MEDIA = ("maker", "product", "part_number", "vintage", "capacity", "form", "speed_class")
MEDIA = (*_MEDIA, "application_class")
COLUMNS = (*(name for name in schema.COLUMNS if name not in _RESULTS), *MEDIA)
WORDS = {name: column.words for name, column in schema.COLUMNS.items() if column.words} | {
    "form": FORMS,
    "application_class": APPLICATION_CLASSES,
}
LISTS = ("remarks", "speed_class")  # columns that hold several words
# A row that is somebody else's, a summary, or a word in place of a figure is asked for by name.
DEFAULTS = {"origin": "primary", "status": "measured", "metric": "bandwidth"}
# So is what the table got after its article, by the remark: the article's sentences precede it.
LATER = "added-after-article"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the tests read: a class because every kind takes it whole, and with it the joins.

    `measurements` is the tidy table with the columns `MEDIA` of the catalogue, `limit` (of the
    bus, B/s) and `noise_sd`, `noise_freedom`, `noise_basis` (of one run, see `stats.noise_band`);
    `classes` is `stats.class_verdicts` of it, `confidence` that of every interval; `cards` and
    `places` are what a reader calls a specimen, and a host and reader.
    """

    measurements: pd.DataFrame
    classes: pd.DataFrame
    cards: Mapping[str, str]
    places: Mapping[tuple[str, str], str]
    confidence: float

    def place(self, host: str, reader: str) -> str:
        """Return where something was measured, in words: `on the Raspberry Pi 4 Model B`."""
        name = self.places[host, reader]
        return f"in the {name}" if "reader" in name else f"on the {name}"

    def without_doubted(self) -> Facts:
        """Return the facts without the figures that the audit doubts: those of every headline."""
        return replace(self, measurements=self.measurements[~doubted(self.measurements)])


def check_selection(claim: Claim, key: str, selection: Selection) -> None:
    """Refuse a column that the table lacks, and a word that the column cannot hold.

    What an untestable claim `needs` may be a word that no table holds: that is its point.
    """
    for column, wanted in selection.items():
        if column not in COLUMNS:
            raise claim.error(key, f"found the column {column!r}, expected {', '.join(COLUMNS)}")
        allowed = WORDS.get(column)
        unknown = [one for one in _listed(wanted) if allowed and one not in allowed]
        if unknown and key != "needs":
            raise claim.error(
                key, f"found {unknown[0]!r} in {column}, expected one of {', '.join(allowed or ())}"
            )


def select(facts: Facts, claim: Claim, key: str, selection: Selection) -> pd.DataFrame:
    """Return the rows that a selection means: none that was added later, unless it asks for them.

    Raises
    ------
    DeclarationError
        A value occurs nowhere in its column, or no row has them all.
    """
    rows = facts.measurements
    mask = _in_article(rows, selection)
    for column, wanted in {**DEFAULTS, **selection}.items():
        found = [_has(rows, column, one) for one in _listed(wanted)]
        for one, here in zip(_listed(wanted), found, strict=True):
            if not here.any():
                raise claim.error(key, f"found {one!r}, which no row has in {column}")
        mask &= np.logical_or.reduce(found)
    if not mask.any():
        raise claim.error(key, f"found no row with {words_of(selection)}, expected at least one")
    return rows[mask]


def matching(rows: pd.DataFrame, selection: Selection) -> np.ndarray:
    """Tell which rows a selection means; a value that no row has is no error here."""
    mask = _in_article(rows, selection)
    for column, wanted in {**DEFAULTS, **selection}.items():
        mask &= np.logical_or.reduce([_has(rows, column, one) for one in _listed(wanted)])
    return mask


def _in_article(rows: pd.DataFrame, selection: Selection) -> np.ndarray:
    """Tell which rows an article can speak of; all of them where the selection asks for others."""
    asked = LATER in _listed(selection.get("remarks", []))
    return np.ones(len(rows), bool) if asked else ~_has(rows, "remarks", LATER)


def words_of(selection: Selection) -> str:
    """Return a selection in words."""
    return ", ".join(
        f"{column} {' or '.join(map(_text, _listed(wanted)))}"
        for column, wanted in selection.items()
    )


def _has(rows: pd.DataFrame, column: str, value: object) -> np.ndarray:
    """Tell which rows hold a value in a column, or among its words."""
    cells = rows[column]
    if column in LISTS:
        return np.array([value in text.split(" ") for text in cells.fillna("")], bool)
    return (cells == value).to_numpy(bool, na_value=False)


def _text(value: object) -> str:
    return f"{value:g}" if type(value) in (int, float) else str(value)


def _listed(wanted: object) -> list:
    return wanted if isinstance(wanted, list) else [wanted]
