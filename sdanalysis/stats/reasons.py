"""Why a figure is left out, as a code; and which figures count at all, once for all questions."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

import numpy as np
import pandas as pd

HIDDEN = 0.85  # of what a bus carries: above it the bus is measured as much as the card


class Code(StrEnum):
    """A code that logic reads, with `words`: its sentence, for a reader only."""

    words: str

    def __new__(cls, code: str, words: str) -> Self:
        """Make a member of its code and its sentence."""
        member = str.__new__(cls, code)
        member._value_, member.words = code, words
        return member


class Reason(Code):
    """Why a figure is left out."""

    PRINTED_RATIO = "printed_ratio", "a printed ratio, not a measurement"
    DERIVED = "derived", "a printed summary of other figures"
    RESTATED = "restated", "restated: counted where it was measured"
    SHARE = "share", "one process's share of a run: counted in the sum of the run"
    MIXED_JOB = "mixed_job", "mixed job: its read and write are one, in the ratio of its mix"
    OTHER_METRIC = "other_metric", "the same run in another metric"
    NO_VALUE = "no_value", "no value: a word or a blank cell"
    OTHER_TEST = "other_test", "of another test: tool, operation or block size differ"
    DOUBTED = "doubted", "doubted: the audit has a reason against it"
    OTHER_OP = "other_op", "neither a read nor a write of the medium"
    NO_PARTNER = "no_partner", "no partner: no such figure on the other side"
    FILE_SIZE_DIFFERS = "file_size_differs", "the other side has a file of another size"
    NO_LEVEL = "no_level", "the condition that is compared is not stated"
    OTHER_LEVEL = "other_level", "at a level that is not compared here"
    NOT_IN_FAMILY = "not_in_family", "not a card of the family"
    VINTAGE_UNKNOWN = "vintage_unknown", "only its name is known: no part number tells its vintage"
    NOT_A_CARD = "not_a_card", "no SD card: the classes are those of SD cards"
    TOOL_UNSTATED = "tool_unstated", "whether sequential or random is not stated"
    OP_WITHOUT_MINIMUM = "op_without_minimum", "an op that no class promises anything of"
    NOT_4K = "not_4k", "random, but not in 4 KiB blocks"
    IN_IOPS = "in_iops", "is there in IOPS"
    # why the model gives no number
    NOT_LINKED = "not_linked", "no chain of cards links the two: nobody measured one in both"
    NO_FREEDOM = "no_freedom", "no card was measured twice: the size of the error is not known"
    SLOT_LIMITS = "slot_limits", "most cards are as fast as the slot: it is the limit, not the card"
    PEOPLE_DISAGREE = (
        "people_disagree",
        "people disagree about what a computer changes: their cards are not ranked together",
    )
    FEW_CARDS = "few_cards", "fewer than three cards are not ranked"
    FEW_PAIRS = "few_pairs", "too few products were measured with several cards"


SUSPICIOUS = "suspicious"  # the remark of a figure that the audit doubts
USE = "taken"  # the code of figures that are not left out, in tables that count
WORDS = {reason.value: reason.words for reason in Reason}


def first_reason(
    index: pd.Index,
    rules: Iterable[tuple[pd.Series, str | pd.Series]],
    *,
    after: pd.Series | None = None,
) -> pd.Series:
    """Return, for each row, the code of the first rule that applies; missing where none does.

    A rule is a mask (what is missing in it does not apply) and its code, or a Series with one
    for each row. `after`: codes that were found before, and which stay.
    """
    codes = np.full(len(index), None) if after is None else after.to_numpy(object, copy=True)
    for applies, code in rules:
        mask = pd.isna(codes) & applies.to_numpy(bool, na_value=False)
        several = isinstance(code, pd.Series)
        codes[mask] = code.to_numpy(object)[mask] if several else str(code)
    return pd.Series(codes, index=index, dtype="str")


def figure_reasons(
    measurements: pd.DataFrame, *, metric: str | None = "bandwidth", mixed: bool = False
) -> pd.Series:
    """Return, for each row, why it is no figure to compare; missing where it is one.

    Of one `metric`, or of any if it is None; with `mixed` the figures of mixed jobs count.
    """
    rows = measurements
    rules = [
        (rows["metric"].str.endswith("_ratio"), Reason.PRINTED_RATIO),
        (rows["origin"] == "derived", Reason.DERIVED),
        (rows["origin"] == "restated", Reason.RESTATED),
        (rows["stat"] == "share", Reason.SHARE),
        (rows["read_mix"].notna() & (not mixed), Reason.MIXED_JOB),
        ((rows["metric"] != metric) & (metric is not None), Reason.OTHER_METRIC),
        (rows["status"] != "measured", Reason.NO_VALUE),
    ]
    return first_reason(rows.index, rules)


def usable(
    measurements: pd.DataFrame, *, metric: str | None = "bandwidth", mixed: bool = False
) -> pd.DataFrame:
    """Return the figures that may be compared: those without `figure_reasons`."""
    return measurements[figure_reasons(measurements, metric=metric, mixed=mixed).isna()]


def count_reasons(
    measurements: pd.DataFrame, codes: pd.Series, use: str = "in a pair"
) -> pd.DataFrame:
    """Return how many figures were taken and how many were left out, for which reason.

    `codes` as `read_write_reasons` and the like return them; `use` says in words what became of
    the figures without one. Returns `reason` (the code; `taken` for those without), `figures` (they
    add up to `len(measurements)`), `example` (an id), `why` (words).
    """
    counts = (
        measurements.assign(reason=codes.fillna(USE))
        .groupby("reason")
        .agg(figures=("id", "size"), example=("id", "first"))
        .sort_values("figures", ascending=False, kind="stable")
        .reset_index()
    )
    return counts.assign(why=counts["reason"].map(WORDS | {USE: use}))


def doubted(figures: pd.DataFrame) -> pd.Series:
    """Tell which figures the audit doubts: they are out of every headline, and shown beside it."""
    words = figures["remarks"].fillna("").str.split()
    return words.map(lambda remarks: SUSPICIOUS in remarks).astype(bool)
