"""Two sides -> all that a comparison of them finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.errors import SdAnalysisError, UsageError, check_known

if TYPE_CHECKING:
    import pandas as pd

    from sdanalysis.comparing.sides import Side


class Layout(NamedTuple):
    """The columns that share out the tests over tables, over rows and over columns."""

    groups: Sequence[str] = ()
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [*self.groups, *self.rows, *self.columns]


class Comparison(NamedTuple):
    """All that every format shows of one comparison; reasons are codes still."""

    sides: Sequence[tuple[str, pd.DataFrame]]
    conditions: pd.DataFrame
    not_stated: Sequence[str]
    tests: pd.DataFrame
    left_out: pd.DataFrame
    layout: Layout
    confidence: float
    paired: str | None = None
    opinions: pd.DataFrame | None = None

    @property
    def keys(self) -> list[str]:
        """The columns that name what was left out: a test, and what was paired in it."""
        return [*self.layout.names, *([self.paired] if self.paired else [])]


def compare_sides(
    base: Side,
    new: Side,
    layout: Layout,
    *,
    ignore: Sequence[str] = (),
    pair: str | None = None,
    confidence: float = 0.95,
    noise: pd.DataFrame | None = None,
) -> Comparison:
    """Compare two sides, test by test; what the layout does not name stands in rows.

    With the run noise of another card it is asked for a second opinion.
    """
    from sdanalysis import stats

    rows = [base.rows, new.rows]
    for side in (base, new):
        if pair and (pair not in side.rows or side.rows[pair].isna().all()):
            raise SdAnalysisError(f"{side.name}: found no {pair}, expected it for --pair")
    elsewhere = (*ignore, pair, *layout.names)
    rest = [name for name in stats.test_columns(*rows) if name not in elsewhere]
    by = [*layout.names, *rest]
    kept = stats.on_both_sides(*rows, on=pair, by=by) if pair else rows
    tests = stats.compare(*kept, by=by, pair=pair, confidence=confidence)
    opinions = None
    if noise is not None:
        opinions = stats.second_opinion(tests, noise, confidence=confidence)
    return Comparison(
        sides=[(base.name, kept[0]), (new.name, kept[1])],
        conditions=stats.differing_conditions(*kept, by=by),
        not_stated=stats.not_stated(*kept),
        tests=tests,
        left_out=stats.not_comparable(*rows, by=[*by, *([pair] if pair else [])]),
        layout=layout._replace(rows=[*layout.rows, *rest]),
        confidence=confidence,
        paired=pair,
        opinions=opinions,
    )


def check_columns(layout: Layout, pair: str | None, ignore: Sequence[str]) -> None:
    """Refuse names that are no columns, that stand twice, or that no comparison can ignore."""
    from sdanalysis.stats.same_test import columns

    quantity = columns("quantity")
    names = [*layout.names, *ignore, *([] if pair is None else [pair])]
    for name in names:
        check_known("column", name, COLUMNS, UsageError)
        if names.count(name) > 1:
            raise UsageError(f"found the column {name!r} twice, expected it once")
        if name in ignore and name in quantity:
            raise UsageError(f"found --ignore {name}, expected none of {', '.join(quantity)}")
