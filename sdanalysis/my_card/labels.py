"""A name that a reader types -> the entry of the catalogue, and how far the card is from it."""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.my_card.card import SAME_TOOL, Candidate, Name, rows_as
from sdanalysis.my_card.figures import Known, card_in_words
from sdanalysis.my_card.places import gaps
from sdanalysis.stats.specimens import reference_spreads

if TYPE_CHECKING:
    from sdanalysis.dataset import Data
    from sdanalysis.my_card.setting import Setting

_SIZE = re.compile(r"\b(\d+)\s*(mb|gb|tb)\b", re.IGNORECASE)
_BYTES = {"mb": 1e6, "gb": 1e9, "tb": 1e12}
# Words on every card, which name no product.
_COMMON = re.compile(
    r"(?:micro)?sd(?:hc|xc)?|micro|tf|card|memory|class|c?10|c4|c6|uhs|i|ii|u1|u3|v\d+|flash|"
    r"the|hc|xc|mb|s|\d+mb|a1|a2"
)
_ALIKE = 0.8  # share of equal letters from which two words are one word typed otherwise


def check_name(
    label: str | None, places: pd.DataFrame, known: Known, data: Data, setting: Setting
) -> Name:
    """Compare a card with the known specimens of each medium that its label may mean."""
    yardstick, source = specimen_yardstick(data.specimens)
    candidates = match_label(label or "", data.media)
    nobody = Candidate("", "", None, 0)  # no row, with the columns of the others
    media = rows_as(Candidate, candidates) or [nobody]
    tests = [compare_name(medium, places, known, yardstick, setting) for medium in media]
    return Name(label or None, candidates, pd.concat(tests), yardstick, source)


def compare_name(
    taken: Candidate, places: pd.DataFrame, known: Known, yardstick: float, setting: Setting
) -> pd.DataFrame:
    """Return the tests of a card beside the known figures of one name, as `Name.tests` has them.

    Those of the same host and reader are taken where there are any, of the same tool only.
    """
    own = places[places["level"] == SAME_TOOL]
    pool = known.on(setting)
    pool = pool[(pool["medium"] == taken.medium) & pool["test"].isin(own["test"])]
    if not (same_host := len(pool) > 0):
        pool = known.by_host[known.by_host["medium"] == taken.medium]
    both = gaps(own, pool)
    both = both.assign(n=both.groupby("test")["specimen"].transform("nunique"))
    found = both.loc[both.groupby("test", sort=False)["gap"].idxmin()]
    beyond = found["gap"] > found["band"].clip(lower=yardstick).map(math.log)
    verdict = beyond.map({True: "unlike", False: "specimens"})
    found = found.assign(
        nearest=found["name"],
        name=taken.name,
        ratio=found["value"] / found["value_known"],
        verdict=verdict.mask(found["gap"] <= found["band"].map(math.log), "~"),
        same_host=same_host,
    )
    return found[["name", "test", "n", "ratio", "nearest", "band", "verdict", "same_host"]]


def match_label(label: str, media: pd.DataFrame) -> pd.DataFrame:
    """Return the media of the catalogue that a name may mean, as rows `Candidate`.

    A part number decides. Otherwise all words of maker and product have to be in the name (a
    letter may be wrong), the capacity and a printed A1 or A2 must not contradict, and no word of
    the name may be left over: `SanDisk Extreme Pro` is not the `SanDisk Extreme`. Several rows:
    the name does not tell them apart.
    """
    entries = media.drop_duplicates("medium")
    wanted = [
        pd.notna(part) and _letters(part) in _letters(label) for part in entries["part_number"]
    ]
    if not any(wanted):
        wanted = [_means(label, row) for row in entries.itertuples()]
    found = entries[wanted].reset_index(drop=True)
    return found[["medium", "part_number"]].assign(
        name=[card_in_words(row).rpartition(" (")[0] for row in found.itertuples()],
        specimens=found["medium"].map(media["medium"].value_counts()).astype("Int64"),
    )[list(Candidate._fields)]


def printed_size(label: str) -> tuple[str, float] | None:
    """Return the first capacity that a label names: as it is printed, and in bytes."""
    size = _SIZE.search(label)
    return (size[0], int(size[1]) * _BYTES[size[2].lower()]) if size else None


def _means(label: str, row: Any) -> bool:
    """Tell whether a label may mean a medium: same capacity, same class, all words used."""
    size = printed_size(label)
    if size and pd.notna(row.capacity) and size[1] != row.capacity:
        return False
    words = _words(_SIZE.sub(" ", label))
    classes = {"a1", "a2"} & set(words)
    own_class = {"a1", "a2"} & {str(row.application_class).lower()}
    if classes and own_class and classes != own_class:
        return False
    own = [text for text in (row.maker, row.product) if text != "unknown"]
    for wanted in _words(" ".join(own)):
        match = next((word for word in words if _alike(wanted, word)), None)
        if match is None:
            return False
        words.remove(match)
    words = [word for word in words if not _COMMON.fullmatch(word) and word != row.vintage.lower()]
    return bool(own) and not words


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _words(text: str) -> list[str]:
    spelled = text.lower().replace("+", " plus ").replace("san disk", "sandisk")
    return re.findall(r"[a-z0-9]+", spelled)


def _alike(word: str, other: str) -> bool:
    long = min(len(word), len(other)) >= 5
    return word == other or (long and SequenceMatcher(None, word, other).ratio() >= _ALIKE)


def specimen_yardstick(specimens: pd.DataFrame) -> tuple[float, str]:
    """Return by which factor specimens of one model are known to differ, at most, and from what."""
    spreads = reference_spreads(specimens)
    if spreads.empty:
        return 1.0, "no two specimens of one model are known"
    widest = spreads.iloc[spreads["spread"].argmax()]
    source = f"{widest['tool']} {widest['op']}, {widest['cards']} specimens of {widest['model']}"
    return float(widest["spread"]), source
