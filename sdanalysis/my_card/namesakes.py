"""The name on a card -> the known specimens of that name, and whether the card is like them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.figures import Known
from sdanalysis.my_card.label import match_label, product_of
from sdanalysis.my_card.places import SAME_TOOL, gaps
from sdanalysis.stats.products import reference_spreads

if TYPE_CHECKING:
    from sdanalysis.dataset import Data


_TESTS = ["name", "test", "n", "ratio", "nearest", "band", "verdict", "same_host"]


class Name(NamedTuple):
    """The name on the card: `candidates` for what it may mean, and `tests` beside those.

    Of the tests: `n` specimens of the `name`, `ratio` of the card to the `nearest` of them, `band`
    (what run noise alone may do to it), `verdict`: `~` inside run noise, `specimens` inside the
    `yardstick` (the factor by which specimens of one model are known to differ, `source`: where
    that was seen), `unlike` beyond it; `same_host`: whether they were measured on the card's host.
    `product` is what all candidates are, whatever their vintage or number; empty: they differ.
    """

    label: str | None
    candidates: pd.DataFrame
    tests: pd.DataFrame
    yardstick: float
    source: str
    product: str = ""


def check_name(
    label: str | None, places: pd.DataFrame, known: Known, data: Data, setting: Setting
) -> Name:
    """Compare a card with the known specimens of each medium that its label may mean."""
    yardstick, source = specimen_yardstick(data.specimens)
    candidates = match_label(label or "", data.media)
    media = list(candidates["medium"])
    product = product_of(candidates)
    names = {product: media} if product else {}
    names = names or {name: [one] for one, name in zip(media, candidates["name"], strict=True)}
    tests = [
        compare_name(entries, places, known, yardstick, setting).assign(name=name)
        for name, entries in names.items()
        if len(places)
    ]
    compared = pd.concat(tests) if tests else pd.DataFrame(columns=_TESTS)
    return Name(label or None, candidates, compared, yardstick, source, product_of(candidates))


def compare_name(
    media: Sequence[str], places: pd.DataFrame, known: Known, yardstick: float, setting: Setting
) -> pd.DataFrame:
    """Return the tests of a card beside the known figures of some media, as `Name.tests` has them.

    Those of the same host and reader are taken where there are any, of the same tool only.
    """
    own = places[places["level"] == SAME_TOOL]
    pool = known.on(setting)
    pool = pool[pool["medium"].isin(media) & pool["test"].isin(own["test"])]
    if not (same_host := len(pool) > 0):
        pool = known.by_host[known.by_host["medium"].isin(media)]
    both = gaps(own, pool)
    both = both.assign(n=both.groupby("test")["specimen"].transform("nunique"))
    found = both.loc[both.groupby("test", sort=False)["gap"].idxmin()]
    beyond = found["gap"] > found["band"].clip(lower=yardstick).map(math.log)
    verdict = beyond.map({True: "unlike", False: "specimens"})
    found = found.assign(
        nearest=found["name"],
        ratio=found["value"] / found["value_known"],
        verdict=verdict.mask(found["gap"] <= found["band"].map(math.log), "~"),
        same_host=same_host,
    )
    return found[_TESTS]


def specimen_yardstick(specimens: pd.DataFrame) -> tuple[float, str]:
    """Return by which factor specimens of one model are known to differ, at most, and from what."""
    spreads = reference_spreads(specimens)
    if spreads.empty:
        return 1.0, "no two specimens of one model are known"
    widest = spreads.iloc[spreads["spread"].argmax()]
    source = f"{widest['tool']} {widest['op']}, {widest['cards']} specimens of {widest['model']}"
    return float(widest["spread"]), source
