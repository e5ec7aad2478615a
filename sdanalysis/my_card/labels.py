"""A name that a reader types -> the entry of the catalogue, and how far the card is from it."""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher
from itertools import combinations

import pandas as pd

from sdanalysis import stats
from sdanalysis.my_card.known import card_in_words

_SIZE = re.compile(r"\b(\d+)\s*(mb|gb|tb)\b")
_BYTES = {"mb": 1e6, "gb": 1e9, "tb": 1e12}
# Words on every card, which name no product.
_COMMON = re.compile(
    r"(?:micro)?sd(?:hc|xc)?|micro|tf|card|memory|class|c?10|c4|c6|uhs|i|ii|u1|u3|v\d+|flash|"
    r"the|hc|xc|mb|s|\d+mb|a1|a2"
)
_ALIKE = 0.8  # share of equal letters from which two words are one word typed otherwise


def match_label(label: str, media: pd.DataFrame) -> pd.DataFrame:
    """Return the media of the catalogue that a name may mean; one row is the answer.

    A part number decides. Otherwise all words of maker and product have to be in the name (a
    letter may be wrong), the capacity and a printed A1 or A2 must not contradict, and no word of
    the name may be left over: `SanDisk Extreme Pro` is not the `SanDisk Extreme`.

    Returns
    -------
    DataFrame
        `medium`, `name`, `part_number`, `specimens`; no row: not in the catalogue; several: the
        name does not tell them apart (or the capacity is missing).
    """
    entries = media.drop_duplicates("medium")
    joined = re.sub(r"[^a-z0-9]", "", label.lower())
    wanted = [
        pd.notna(part) and re.sub(r"[^a-z0-9]", "", part.lower()) in joined
        for part in entries["part_number"]
    ]
    if not any(wanted):
        wanted = [_means(label, row) for row in entries.itertuples()]
    found = entries[wanted]
    count = media["medium"].value_counts()
    return pd.DataFrame(
        {
            "medium": found["medium"],
            "name": [card_in_words(row).rpartition(" (")[0] for row in found.itertuples()],
            "part_number": found["part_number"],
            "specimens": found["medium"].map(count).astype("Int64"),
        }
    ).reset_index(drop=True)


def _means(label: str, row: tuple) -> bool:
    size = _SIZE.search(label.lower())
    if size and pd.notna(row.capacity) and int(size[1]) * _BYTES[size[2]] != row.capacity:
        return False
    left = _words(_SIZE.sub(" ", label.lower()))
    classes = {"a1", "a2"} & set(left)
    if (
        classes
        and row.application_class in ("A1", "A2")
        and {row.application_class.lower()} != (classes)
    ):
        return False
    own = [text for text in (row.maker, row.product) if text != "unknown"]
    for word in _words(" ".join(own)):
        twin = next((other for other in left if _alike(word, other)), None)
        if twin is None:
            return False
        left.remove(twin)
    rest = [word for word in left if not _COMMON.fullmatch(word) and word != row.vintage.lower()]
    return bool(own) and not rest


def _words(text: str) -> list[str]:
    spelled = text.lower().replace("+", " plus ").replace("san disk", "sandisk")
    return re.findall(r"[a-z0-9]+", spelled)


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    long = min(len(one), len(other)) >= 5
    return long and SequenceMatcher(None, one, other).ratio() >= _ALIKE


def specimen_yardstick(specimens: pd.DataFrame) -> tuple[float, str]:
    """Return by which factor specimens of one model are known to differ, at most, and from what.

    Parameters
    ----------
    specimens : DataFrame
        As `reference.specimens` returns it; repeated runs of a specimen are averaged.
    """
    named = specimens[specimens["model"].notna()]
    means = named.groupby(["model", "tool", "op", "specimen"])["value"].agg(stats.geometric_mean)
    best = (1.0, "no two specimens of one model are known")
    for (model, tool, op), group in means.groupby(["model", "tool", "op"]):
        for one, other in combinations(group, 2):
            factor = max(one / other, other / one)
            if factor > best[0]:
                best = factor, f"{tool} {op}, {len(group)} specimens of {model}"
    return best


def same_name(
    placed: pd.DataFrame,
    known: pd.DataFrame,
    medium: str,
    *,
    yardstick: float,
) -> pd.DataFrame:
    """Compare a card with every known specimen of the same name, test by test.

    Parameters
    ----------
    placed : DataFrame
        As `places.place` returns it; `kindred` tests are not used.
    known : DataFrame
        As `known_figures` returns it, of the hosts that are to be compared.
    medium : str
        The catalogue's id of the name.
    yardstick : float
        As `specimen_yardstick` returns it.

    Returns
    -------
    DataFrame
        One row a test: `test`, `n` (specimens of that name), `ratio` (the card over the nearest
        of them), `nearest` (its name), `band`, `yardstick`, `verdict`: `~` inside run noise,
        `specimens` beyond noise but inside what specimens of one model are known to differ,
        `unlike` beyond that.
    """
    own = placed[placed["level"] == "same tool"]
    rows = []
    for figure in own.itertuples():
        same = known[(known["medium"] == medium) & (known["test"] == figure.test)]
        if same.empty:
            continue
        ratios = figure.value / same["value"]
        closest = ratios.map(lambda one: abs(math.log(one))).idxmin()
        factor = math.exp(abs(math.log(ratios[closest])))
        noise = 1.0 if math.isnan(figure.band) else figure.band
        grade = "specimens" if factor <= max(noise, yardstick) else "unlike"
        rows.append(
            {
                "test": figure.test,
                "n": same["specimen"].nunique(),
                "ratio": ratios[closest],
                "nearest": same.loc[closest, "name"],
                "band": noise,
                "yardstick": yardstick,
                "verdict": "~" if factor <= noise else grade,
            }
        )
    columns = ["test", "n", "ratio", "nearest", "band", "yardstick", "verdict"]
    return pd.DataFrame(rows, columns=columns)
