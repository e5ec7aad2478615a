"""Compare sets of results: their tests, their conditions, and what is left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.comparing.selection import Side, select_rows
from sdanalysis.errors import SdAnalysisError, UsageError, check_known
from sdanalysis.stats.compare import compare as compare_tables
from sdanalysis.stats.compare import compare_last, mean_over_tests
from sdanalysis.stats.noise import second_opinion
from sdanalysis.stats.same_test import SIZES, columns, size_in_words
from sdanalysis.stats.test_columns import (
    ONE_SIDED,
    differing_conditions,
    not_comparable,
    not_stated,
    on_both_sides,
    prepared,
    test_columns,
)

_NAMELESS = columns("quantity", "tool", "laboratory", "place")  # whose values speak themselves
_SAME = 1.02  # up to which two ratios of one run differ by the digits of its two figures


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
    """All that every format shows of one comparison; reasons are codes still.

    `conditions`, `tests` and `left_out` have the number of the set in the column `set`; `means`
    are geometric means over tests.
    """

    sides: Sequence[tuple[str, pd.DataFrame]]
    conditions: pd.DataFrame
    not_stated: Sequence[str]
    tests: pd.DataFrame
    means: pd.DataFrame
    left_out: pd.DataFrame
    layout: Layout
    confidence: float
    paired: str | None = None
    opinions: pd.DataFrame | None = None
    is_history: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that name what was left out: a test, and what was paired in it."""
        return [*self.layout.names, *([self.paired] if self.paired else [])]

    @property
    def several(self) -> bool:
        """Whether more than one set is compared with the base."""
        return len(self.sides) > 2

    @property
    def labels(self) -> list[str]:
        """What the sets are called: BASE, and NEW with a number where there are several."""
        new = range(1, len(self.sides))
        return ["BASE", *(f"NEW{number}" if self.several else "NEW" for number in new)]

    def test_name(self, row: Mapping[str, Any]) -> str:
        """Return what a test is called, from the columns that name it."""
        return ", ".join(
            word(name, row[name]) if name in _NAMELESS else f"{name} {word(name, row[name])}"
            for name in self.keys
            if row.get(name) is not None and (name, row[name]) != ("stat", "single")
        )

    @property
    def counted_tests(self) -> pd.DataFrame:
        """The tests without IOPS that say what the bandwidth of the same runs says."""
        tests = self.tests
        keys = [name for name in ("set", *self.keys) if name in tests and name != "metric"]
        rates = tests.reset_index()[tests["metric"].isin(["bandwidth", "iops"]).to_numpy()]
        both = rates.merge(rates, on=keys, suffixes=("", "_twin"))
        both = both[(both["metric"] == "iops") & (both["metric_twin"] == "bandwidth")]
        gap = np.log(both["ratio"] / both["ratio_twin"]).abs()
        same = (gap < math.log(_SAME)) & (both["verdict"] == both["verdict_twin"])
        return tests.drop(index=both.loc[same, "index"])


def compare(
    sides: Sequence[Side],
    layout: Layout | None = None,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    ignore: Sequence[str] = (),
    pair: str | None = None,
    confidence: float = 0.95,
    noise: pd.DataFrame | None = None,
    is_history: bool = False,
) -> Comparison:
    """Compare sets with the first of them, test by test; `rendered` makes a text of it.

    `sides` are as `read` returns them, or `history` (with `is_history`: the first is earlier runs).
    `layout` says which columns stand in tables and columns, the others stand in rows; `where` keeps
    rows whose column has one of some words: `{"op": ["randread"]}`. The others are those of the
    command. They name columns that distinguish no tests, the column that is compared with itself,
    and the run noise of other cards.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read([f"table:measured_by=geerling,host=pi-{n}b" for n in (3, 2, 4)])
    >>> found = comparing.compare(sets, where={"tool": ["hdparm"]}, pair="specimen")
    >>> found.tests[["set", "base_n", "ratio", "verdict"]].round(2)
       set  base_n  ratio verdict
    0    1       7   0.87      <1
    1    2       7   2.05      >1
    """
    layout = layout or Layout()
    rows = [select_rows(side.rows, where or {}) for side in sides]
    for side, frame in zip(sides, rows, strict=True):
        if pair and (pair not in frame or frame[pair].isna().all()):
            raise SdAnalysisError(f"{side.name}: found no {pair}, expected it for --pair")
    tables = [prepared(frame) for frame in rows]
    elsewhere = (*ignore, pair, *layout.names)
    rest = [name for name in test_columns(*tables) if name not in elsewhere]
    by = [*layout.names, *rest]
    halves = [(tables[0], other) for other in tables[1:]]
    if pair:
        both = (on_both_sides(*half, on=pair, by=by) for half in halves)
        halves = [(prepared(base), prepared(new)) for base, new in both]
    if is_history:
        tests = compare_last(*tables, by=by, confidence=confidence)
    else:
        tests = compare_tables(*tables, by=by, pair=pair, confidence=confidence)
    views = [tables[0] if len(sides) > 2 else halves[0][0], *(new for _, new in halves)]
    keys = [*by, *([pair] if pair else [])]
    left = _numbered(not_comparable(tables[0], other, by=keys) for other in tables[1:])
    # Why a figure of the base is no result is told once.
    again = (left["set"] > 1) & (left["side"] == "base") & (left["reason"] != ONE_SIDED)
    return Comparison(
        sides=[(side.name, table.frame) for side, table in zip(sides, views, strict=True)],
        conditions=_numbered(differing_conditions(*half, by=by) for half in halves),
        not_stated=not_stated(*views),
        tests=tests,
        means=mean_over_tests(tests, [*layout.groups, *layout.columns]),
        left_out=left[~again].reset_index(drop=True),
        layout=layout._replace(rows=[*layout.rows, *rest]),
        confidence=confidence,
        paired=pair,
        opinions=None if noise is None else second_opinion(tests, noise, confidence=confidence),
        is_history=is_history,
    )


def word(name: str, cell: Any) -> str:
    """Return the value of a condition as a table shows it."""
    if cell is None:
        return "-"
    if name in SIZES:
        return size_in_words(cell)
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _numbered(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([frame.assign(set=number) for number, frame in enumerate(frames, 1)])


def check_columns(layout: Layout, pair: str | None, ignore: Sequence[str]) -> None:
    """Refuse names that are no columns, that stand twice, or that no comparison can ignore."""
    quantity = columns("quantity")
    names = [*layout.names, *ignore, *([] if pair is None else [pair])]
    for name in names:
        check_known("column", name, COLUMNS, UsageError)
        if names.count(name) > 1:
            raise UsageError(f"found the column {name!r} twice, expected it once")
        if name in ignore and name in quantity:
            raise UsageError(f"found --ignore {name}, expected none of {', '.join(quantity)}")
