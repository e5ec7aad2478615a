"""The two sides of a pair, and their ratio; the question names what both share (`keys`)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import NO_DOUBTS
from sdanalysis.stats.noise import noise_band, widths
from sdanalysis.stats.reasons import SUSPICIOUS, Reason
from sdanalysis.stats.same_test import columns, group_numbers, test_in_words

CLEAN, CROSS = "clean", "cross-laboratory"
CARD = columns("laboratory", "specimen")  # what a side of a pair has of its own, if anything
RATIO = [
    *("base", "other", "value_base", "value_other", "ratio", "ratio_low", "ratio_high"),
    *("runs_base", "runs_other"),
]
MARKS = ["kind", "test", "label", "ids", "warnings"]
RESULTS = [*RATIO, *("noise_band", "noise_kind", "noise_basis", "within_noise"), *MARKS]
_SIZELESS = ("hdparm", "ddrescue")  # tools that are given no file size
_SIZE_UNSTATED = {0: "file size not stated", 1: "file size stated on one side only"}


def pair_sides(
    sides: pd.DataFrame, keys: Sequence[str], *, across_sizes: bool = False
) -> pd.DataFrame:
    """Return all pairs of sides that agree in `keys`; the base is the one of the lower `rank`.

    Sides whose stated file sizes differ are no pair, unless `across_sizes`. The columns of both
    sides that are not among the keys end in `_base` and `_other`.
    """
    own = [name for name in sides.columns if name not in keys]
    # Many to many: a card that was tested on three hosts is in three pairs. Joined by numbers, for
    # sides have thirty columns, and half of what is joined is turned down.
    numbered = pd.DataFrame({"group": group_numbers(sides, keys), "rank": sides["rank"].array})
    numbered["place"] = range(len(sides))
    both = numbered.merge(numbered, on="group", suffixes=("_base", "_other"))
    both = both[both["rank_base"] < both["rank_other"]]
    base = sides.iloc[both["place_base"]].rename(columns={name: f"{name}_base" for name in own})
    other = sides[own].iloc[both["place_other"]].add_suffix("_other")
    pairs = pd.concat([base.reset_index(drop=True), other.reset_index(drop=True)], axis=1)
    if "file_size_base" in pairs and not across_sizes:
        differ = pairs["file_size_base"] != pairs["file_size_other"]
        pairs = pairs[~differ.fillna(False).astype(bool)]
    return pairs.reset_index(drop=True)


def ratios(
    pairs: pd.DataFrame, noise: pd.DataFrame | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Return pairs of sides, as `pair_sides` has them, with the columns `RATIO` and `MARKS`.

    `ratio` is other over base. `ratio_low` and `ratio_high` are what rounding and the unit's
    ambiguity allow, no statistics. `kind` is clean, suspicious (a side is doubted) or
    cross-laboratory. In words, `test` is the test and `label` the cards; `ids` and `warnings` are
    tuples. Laboratory and specimen are there for both sides.

    With the run noise also `noise_band` (a factor above 1, for the runs behind each side),
    `noise_kind`, `noise_basis`, `within_noise`; missing if not known.
    """
    pairs = pairs.rename(columns={f"{name}_base": name for name in CARD})
    pairs = pairs.assign(
        **{f"{name}_other": pairs[name] for name in CARD if f"{name}_other" not in pairs},
        base=pairs["level_base"],
        other=pairs["level_other"],
        ratio=pairs["value_other"] / pairs["value_base"],
        ratio_low=pairs["low_other"] / pairs["high_base"],
        ratio_high=pairs["high_other"] / pairs["low_base"],
        ids=pairs["ids_base"] + pairs["ids_other"],
    )
    rows = list(pairs.itertuples())
    card, other = pairs["specimen"], pairs["specimen_other"]
    doubts = [SUSPICIOUS in (*row.remarks_base, *row.remarks_other) for row in rows]
    kind = pd.Series(CLEAN, pairs.index, dtype="str").mask(np.array(doubts, bool), SUSPICIOUS)
    crossed = pairs["measured_by"] != pairs["measured_by_other"]
    pairs = pairs.assign(
        kind=kind.mask(crossed.astype(bool), CROSS),
        test=pd.array([test_in_words(row) for row in rows], "str"),
        label=card.where(card == other, card + " → " + other).astype("str"),
        warnings=pd.Series([_warnings(row) for row in rows], index=pairs.index, dtype=object),
    )
    if noise is None:
        return pairs
    bands = noise_band(pairs, noise, confidence=confidence)
    width = widths(bands, zip(pairs["runs_base"], pairs["runs_other"], strict=True), confidence)
    inside = pairs["ratio"].between(1 / width, width).astype("boolean").mask(width.isna())
    words_of_noise = bands[["noise_kind", "noise_basis"]].astype("str")
    return pairs.assign(noise_band=width, **words_of_noise, within_noise=inside)


def without_partner(
    measurements: pd.DataFrame, codes: pd.Series, pairs: Callable[[bool], pd.DataFrame]
) -> pd.Series:
    """Return the codes, and one for each figure without that is in no pair.

    `pairs` makes the pairs, across file sizes or not. So a figure whose only partners have another
    file size differs from one without any.
    """
    for across_sizes, reason in ((True, Reason.NO_PARTNER), (False, Reason.FILE_SIZE_DIFFERS)):
        found = pairs(across_sizes)
        paired = set(pd.concat([found["ids_base"], found["ids_other"]]).explode())
        codes = codes.mask(codes.isna() & ~measurements["id"].isin(paired), reason.value)
    return codes


def same_as(figures: pd.DataFrame, row: Any, names: Iterable[str]) -> pd.DataFrame:
    """Return the figures that agree with a row in these columns; missing agrees with nothing."""
    agree = np.ones(len(figures), bool)
    for name in names:
        agree &= (figures[name] == getattr(row, name)).to_numpy(bool, na_value=False)
    return figures[agree]


def _warnings(row: Any) -> tuple[str, ...]:
    """Return what is not known to agree, what is a single run, and what was doubted before."""
    single = ["single run"] if min(row.runs_base, row.runs_other) == 1 else []
    doubts = sorted({*row.remarks_base, *row.remarks_other} - {*NO_DOUBTS})
    if row.tool in _SIZELESS or not hasattr(row, "file_size_base"):
        return (*single, *doubts)
    stated = [size for size in (row.file_size_base, row.file_size_other) if pd.notna(size)]
    sizes = [_SIZE_UNSTATED[len(stated)]] if len(stated) < 2 else []
    sizes += ["file sizes differ"] if len({*stated}) == 2 else []
    return (*sizes, *single, *doubts)
