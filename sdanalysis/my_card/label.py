"""What is printed on a card -> the entries of our catalogue that it may mean."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import SequenceMatcher, get_close_matches
from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.codebook.people import people_name
from sdanalysis.stats import names

_SIZE = re.compile(r"\b0*([1-9]\d*)\s*([mgt])b?\b(?!/s)", re.IGNORECASE)
_BYTES = {"m": 1e6, "g": 1e9, "t": 1e12}
_CLASS = re.compile(r"\b(?:class\s*(\d+)|(A[12]|U[13]|V\d+|C\d+))\b", re.IGNORECASE)
# Words on every card, which name no product.
_COMMON = re.compile(
    r"(?:micro)?sd(?:hc|xc)?|micro|tf|card|memory|class|c?10|c[246]|uhs\d?|i|ii|u1|u3|v\d+|flash|"
    r"the|with|and|adapter|hc|xc|mb|s|\d+mb|a1|a2"
)
_RATED = {"a1", "a2"}
_ALIKE = 0.8  # share of equal letters from which two words are one word typed otherwise
_SHORT = 4  # letters: of a word with fewer, each tells it from another one


class Reading(NamedTuple):
    """How a label reads as an entry: words `corrected` (typed and meant), words `passed_over`."""

    corrected: tuple[tuple[str, str], ...] = ()
    passed_over: tuple[str, ...] = ()

    @property
    def cost(self) -> tuple[bool, bool]:
        """What had to be done to the label; the entry that costs least is meant."""
        return bool(self.passed_over), bool(self.corrected)


def card_in_words(row: Any) -> str:
    """Return a card as `Samsung Evo+ 32 GB, DA (Geerling)`: maker to vintage, and whose it is."""
    vintage = f", {row.vintage}" if row.vintage in ("DA", "GA") else ""
    owner = people_name(str(row.specimen).partition("/")[0])
    return f"{names.card_in_words(row)}{vintage} ({owner})"


def match_label(label: str, media: pd.DataFrame) -> pd.DataFrame:
    """Return the media that a name may mean: `medium`, `name`, `maker`, `part_number`, ...

    ... `specimens`, `reading` (a `Reading`). A part number decides. Otherwise all words of maker
    and product have to be in the name (a letter may be wrong) and the capacity must not contradict.
    Words that no product of the catalogue has are passed over, and so is an A class that ours has
    not; `SanDisk Extreme Pro` is not the `SanDisk Extreme`. Several rows: the name does not tell
    them apart.
    """
    entries = media.drop_duplicates("medium")
    numbers = [
        pd.notna(part) and _letters(part) in _letters(label) for part in entries["part_number"]
    ]
    readings: list[Reading | None] = [None] * len(entries)
    if any(numbers):
        readings = [Reading() if number else None for number in numbers]
    elif _words(label):
        known = {word for text in entries["product"] for word in _words(text)} - {"unknown"}
        readings = [_reading(label, row, known) for row in entries.itertuples()]
    least = min((reading.cost for reading in readings if reading), default=None)
    wanted = [reading is not None and reading.cost == least for reading in readings]
    found = entries.assign(reading=readings)[wanted].reset_index(drop=True)
    words = [card_in_words(row).rpartition(" (")[0] for row in found.itertuples()]
    count = found["medium"].map(media["medium"].value_counts()).astype("Int64")
    found = found.assign(name=words, specimens=count)
    return found[["medium", "name", "maker", "part_number", "specimens", "reading"]]


def product_of(candidates: pd.DataFrame) -> str:
    """Return the name that all candidates share but for vintage and number; empty: they differ."""
    names = [name.partition(", ")[0] for name in candidates["name"]]
    return names[0] if len({" ".join(_words(name)) for name in names}) == 1 else ""


def other_sizes(label: str, media: pd.DataFrame) -> list[str]:
    """Return the capacities of the media that a label would mean if it named none, the least first.

    Empty where the label names no capacity.
    """
    found = match_label(_SIZE.sub(" ", label), media)["medium"] if printed_size(label) else ()
    known = media.loc[media["medium"].isin(found), "capacity"].dropna()
    return [names.capacity_in_words(size) for size in sorted(set(known))]


def names_like(label: str, media: pd.DataFrame) -> list[str]:
    """Return the names of the catalogue that look most like a label that names none of them."""
    entries = media.drop_duplicates("medium")
    known = {
        " ".join(_words(name)): name for name in map(names.card_in_words, entries.itertuples())
    }
    return [known[match] for match in get_close_matches(" ".join(_words(label)), known, 3, 0.75)]


def printed_size(label: str) -> tuple[str, float] | None:
    """Return the first capacity that a label names: as it is printed, and in bytes."""
    size = _SIZE.search(label)
    return (size[0], int(size[1]) * _BYTES[size[2].lower()]) if size else None


def printed_classes(label: str) -> list[str]:
    """Return the classes that a label names: `U3`, `V30`, `A2`, `C10`."""
    found = [f"C{speed}" if speed else name.upper() for speed, name in _CLASS.findall(label)]
    return list(dict.fromkeys(found))


def makers_named(label: str, makers: Collection[str]) -> list[str]:
    """Return those of the makers that a label names."""
    words = f" {' '.join(_words(label))} "
    return [maker for maker in makers if f" {' '.join(_words(maker))} " in words]


def _reading(label: str, row: Any, known: Collection[str]) -> Reading | None:
    """Return how a label reads as an entry, if it may mean it: same capacity, all words used."""
    size = printed_size(label)
    own = [text for text in (row.maker, row.product) if text != "unknown"]
    if not own or (size and pd.notna(row.capacity) and size[1] != row.capacity):
        return None
    words, corrected = _words(_SIZE.sub(" ", label)), []
    for wanted in _words(" ".join(own)):
        typed = [word for word in words if word not in known and _alike(wanted, word)]
        match = wanted if wanted in words else next(iter(typed), None)
        if match is None:
            return None
        words.remove(match)
        corrected += [(match, wanted)] * (match != wanted)
    rated = str(row.application_class).lower()
    others = (_RATED & {*words}) - {rated} if rated in (*_RATED, "no") else ()
    passed = [word.upper() for word in sorted(others)]
    left = [word for word in words if not _COMMON.fullmatch(word) and word != row.vintage.lower()]
    if left and (row.product == "unknown" or any(_is_like(word, known) for word in left)):
        return None
    return Reading(tuple(corrected), (*left, *passed))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _words(text: str) -> list[str]:
    spelled = text.lower().replace("+", " plus ").replace("san disk", "sandisk")
    return re.findall(r"[a-z0-9]+", spelled)


def _alike(word: str, other: str) -> bool:
    long = min(len(word), len(other)) >= _SHORT
    return word == other or (long and SequenceMatcher(None, word, other).ratio() >= _ALIKE)


def _is_like(word: str, known: Collection[str]) -> bool:
    share = 0.6 if len(word) < _SHORT else _ALIKE
    return bool(get_close_matches(word, known, 1, share))
