"""What a reader calls a card, a place and a test: the words on them, never an id."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from sdanalysis.codebook.people import people_name

_TESTS = {  # what a card does in a test, as its owner would say it; and for lists and axes
    "read": ("reading large files", "large reads"),
    "write": ("writing large files", "large writes"),
    "reread": ("reading large files again", "repeated large reads"),
    "rewrite": ("writing large files again", "repeated large writes"),
    "randread": ("reading small blocks", "small reads"),
    "randwrite": ("writing small blocks", "small writes"),
    "mixed": ("reading and writing small blocks by turns", "small reads and writes"),
}


def plainly(op: str) -> str:
    """Return what a card does in a test, as its owner would say it: `writing small blocks`."""
    return _TESTS.get(op, (op, op))[0]


def briefly(op: str) -> str:
    """Return what a test is, in two words: `small writes`."""
    return _TESTS.get(op, (op, op))[1]


def listed(words: Iterable[str]) -> str:
    """Return words as a sentence has them: `a`, `a and b`, `a, b and c`."""
    *others, last = [*words] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def name_key(name: str) -> str:
    """Return one word for all spellings of a name: capitals and blanks tell no products apart."""
    return re.sub(r"[^a-z0-9]", "", str(name).casefold().replace("+", " plus"))


def speed_in_words(value: float) -> str:
    """Return a speed (B/s) in MB/s, in three digits: `4.95`, `46.0`."""
    return f"{value / 1e6:#.3g}".rstrip(".")


def capacity_in_words(capacity: float) -> str:
    """Return a capacity in B as it is printed on cards, where a GB has 10^9 B."""
    divisor, unit = (1e9, "GB") if capacity >= 1e9 else (1e6, "MB")
    return f"{capacity / divisor:g} {unit}"


def card_in_words(row: Any) -> str:
    """Return maker, product and capacity of a row of the catalogue: `Samsung Evo+ 32 GB`."""
    words = [str(row.maker)] if row.maker != "unknown" else ["no-name card"]
    if row.product != "unknown":
        words.append(str(row.product))
    if pd.notna(row.capacity):
        words.append(capacity_in_words(row.capacity))
    return " ".join(words)


def card_names(media: pd.DataFrame, *, rated: bool = False) -> pd.Series:
    """Return the name of each specimen's product: maker, product, capacity.

    `rated` adds the application class that is printed on it, as a buyer sees it: `A1`, `A2`.
    """
    names = {row.specimen: card_in_words(row) for row in media.itertuples()}
    for row in media[media["application_class"].isin(["A1", "A2"])].itertuples() if rated else ():
        if row.application_class not in names[row.specimen].split():
            names[row.specimen] += f" {row.application_class}"
    return pd.Series(names, name="card").rename_axis("specimen")


def with_names(ranked: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Add what a reader calls card and laboratory: `card` (with its A class), `people`.

    Where several cards of a host have one name, it says whose card it is.
    """
    cards = ranked["specimen"].map(card_names(media, rated=True))
    people = ranked["measured_by"].map(people_name)
    twice = ranked["specimen"].groupby(cards).transform("nunique") > 1
    return ranked.assign(card=cards.mask(twice, cards + " (" + people + ")"), people=people)


def specimen_names(media: pd.DataFrame, *, owners: bool = False) -> pd.Series:
    """Return the name of each specimen, with what tells it from others that one person had of it.

    That is the form, the class printed on it, or else the number that its owner gave it. With
    `owners`, whose it is stands behind what several people have one of.
    """
    names = card_names(media, rated=True)
    people = media["specimen"].str.partition("/")
    rows = media.assign(name=names.array, owner=people[0].array, number=people[2].array)
    alike = rows[rows.duplicated(["owner", "name"], keep=False)]
    for _, group in alike.groupby(["owner", "name"]):
        telling = ("form", "speed_class", "number")
        column = next((name for name in telling if group[name].is_unique), "number")
        words = group["name"] + " (" + group[column].astype(str) + ")"
        names.update(words.set_axis(group["specimen"]))
    several = names.duplicated(keep=False) & owners
    return names.mask(several, names + [f" ({people_name(owner)})" for owner in people[0]])


def place_names(hosts: pd.DataFrame, *, usb: bool = False) -> pd.Series:
    """Return the name of each host and reader: of the computer, or of the reader that it has.

    `usb` adds the version of USB that a card reader is for.
    """
    port = hosts["host_name"] + ", " + hosts["reader_name"]
    bus = hosts["usb"].map(" (USB {})".format, na_action="ignore").fillna("") if usb else ""
    words = hosts["host_name"].where(hosts["reader"] == "slot", hosts["reader_name"] + bus)
    words = words.where(hosts["reader"] != "usb", port)
    return pd.Series(
        words.to_list(), index=pd.MultiIndex.from_frame(hosts[["host", "reader"]]), name="place"
    )
