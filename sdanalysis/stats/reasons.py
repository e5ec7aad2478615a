"""Why a figure is left out: of several rules the first that applies."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd


def first_reason(index: pd.Index, rules: Iterable[tuple[pd.Series, str]]) -> pd.Series:
    """Return, for each row, the words of the first rule that applies; missing where none does.

    A rule is a mask (what is missing in it does not apply) and its words.
    """
    reasons = pd.Series(pd.NA, index=index, dtype="str")
    for applies, reason in rules:
        reasons = reasons.mask(reasons.isna() & applies.fillna(False), reason)
    return reasons
