"""Tables of results -> which tests can be compared, in which conditions two of them differ."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, NO_DOUBTS
from sdanalysis.errors import require
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason
from sdanalysis.stats.same_test import SIZES, columns, size_in_words, without_spreads

# Reasons of two tables only: the other side has no such result; no ratio can be made of it.
ONE_SIDED, _NOT_POSITIVE = "one_sided", "not_positive"
# Beside the conditions, what is read of a result: three of them tell how it was rounded.
_READ = ("value", "value_low", "value_high", "raw_unit", "run")
Results = dict[str, list[Any]]  # the columns of one test's results, and their `row`


class Prepared:
    """A table of results, and what is asked of it again and again: computed once.

    Whatever is compared takes one in place of its frame, which must not change as long as it is
    used.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self._by_test: dict[tuple[str, ...], dict[tuple[Any, ...], Results]] = {}

    @cached_property
    def whole(self) -> pd.DataFrame:
        """All rows, numbered from 0, with all columns of the table; those not there are missing."""
        require(self.frame, [*columns("quantity"), "value", "status"])
        rows = self.frame.reset_index(drop=True)  # a user's frame may repeat its index
        absent = {name: column.dtype for name, column in COLUMNS.items() if name not in rows}
        empty = {name: pd.Series(None, rows.index, dtype) for name, dtype in absent.items()}
        return rows.assign(**empty)

    @cached_property
    def reasoned(self) -> tuple[pd.DataFrame, pd.Series]:
        """The rows but for spreads, and the reason for which each is no result to compare."""
        rows = without_spreads(self.whole)
        rules = [(rows["value"].isna(), Reason.NO_VALUE), (rows["value"] <= 0, _NOT_POSITIVE)]
        codes = figure_reasons(rows, metric=None, mixed=True)
        return rows, first_reason(rows.index, rules, after=codes)

    @cached_property
    def usable(self) -> pd.DataFrame:
        """The results that can be compared."""
        rows, reasons = self.reasoned
        rows = rows[reasons.isna()]
        ends = {name: rows[name].fillna(rows["value"]) for name in ("value_low", "value_high")}
        return rows.assign(**ends)

    def by_test(self, keys: Sequence[str]) -> dict[tuple[Any, ...], Results]:
        """Return the results of each test as plain lists, with None for what is missing.

        Lists, because a table may have thousands of tests of few results each.
        """
        if (found := self._by_test.get(tuple(keys))) is not None:
            return found
        names = dict.fromkeys([*keys, *columns("card", "name"), *conditions(), *_READ])
        cells = {"row": self.usable.index.tolist()}
        for name in names:
            column = self.usable[name]
            pairs = zip(column.tolist(), column.isna().to_numpy(), strict=True)
            cells[name] = [None if missing else cell for cell, missing in pairs]
        cells["remarks"] = [
            " ".join(word for word in (text or "").split() if word not in NO_DOUBTS) or None
            for text in cells["remarks"]
        ]
        places = defaultdict(list)
        for place, key in enumerate(zip(*(cells[name] for name in keys), strict=True)):
            places[key].append(place)
        found = self._by_test[tuple(keys)] = {
            key: {name: [column[place] for place in rows_of] for name, column in cells.items()}
            for key, rows_of in places.items()
        }
        return found


Table = pd.DataFrame | Prepared


def prepared(table: Table) -> Prepared:
    """Return what is computed of a table once, as long as the table is used."""
    return table if isinstance(table, Prepared) else Prepared(table)


def test_columns(*sides: Table) -> list[str]:
    """Return the columns that name a test: two figures that share them may be compared.

    Op, metric and stat always do. Laboratory, host, reader, tool, O_DIRECT, sizes, processes, queue
    depth and mix do where one side has several of them in what would else be one test. What is the
    same within each side but differs between them is no key. It is what the comparison is about;
    `differing_conditions` lists it.
    """
    keys = columns("quantity")
    usable = [prepared(side).usable for side in sides]
    for column in columns("laboratory", "place", "test", "cache", "size"):
        if all(side[column].nunique(dropna=False) < 2 for side in usable):
            continue  # as nearly everywhere: to ask each test takes a hundred times as long
        counts = [side.groupby(keys, dropna=False)[column].nunique(dropna=False) for side in usable]
        if (pd.concat(counts) > 1).any():
            keys.append(column)
    return keys


test_columns.__test__ = False  # type: ignore[attr-defined]  # pytest takes `test_*` for a test


def not_comparable(base: Table, new: Table, *, by: Sequence[str] | None = None) -> pd.DataFrame:
    """Return what cannot be compared, with the reason: on one side only, or not a result.

    Columns of `by`, `side` (base, new), `figures`, `reason` (a code of `Reason`, `one_sided` or
    `not_positive`) and `status` (of figures without value).
    """
    base, new = prepared(base), prepared(new)
    keys = checked(by, base, new)
    names = [*keys, "side", "figures", "reason", "status"]
    sides = base.by_test(keys), new.by_test(keys)
    one_sided = [
        (*key, name, len(results["row"]), ONE_SIDED, None)
        for own, other, name in ((*sides, "base"), (*sides[::-1], "new"))
        for key, results in own.items()
        if key not in other
    ]
    parts = [pd.DataFrame(one_sided, columns=names)] if one_sided else []
    for side, name in ((base, "base"), (new, "new")):
        rows, reasons = side.reasoned
        rows = rows.assign(reason=reasons, side=name)[reasons.notna()]
        rows = rows.assign(status=rows["status"].where(rows["reason"] == Reason.NO_VALUE))
        by = [*keys, "side", "reason", "status"]
        left = rows.groupby(by, dropna=False, sort=False, observed=True)
        parts.append(left.size().rename("figures").reset_index())
    every = pd.concat(parts, ignore_index=True)[names]
    return every.astype(dict.fromkeys(["side", "reason", "status"], "str"))


def on_both_sides(
    base: Table, new: Table, *, on: str, by: Sequence[str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return of both sides the rows whose `on` stands on both sides of their test.

    On a column such as `specimen`: then only cards that both sides tested are left.
    """
    base, new = prepared(base), prepared(new)
    keys = [*checked(by, base, new), on]
    groups = base.by_test(keys), new.by_test(keys)
    common = [key for key in groups[0] if key in groups[1] and key[-1] is not None]
    first, second = ([row for key in common for row in side[key]["row"]] for side in groups)
    return base.frame.iloc[sorted(first)], new.frame.iloc[sorted(second)]


def differing_conditions(
    base: Table, new: Table, *, by: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return every stated condition that differs between the two sides of their common tests.

    A condition differs where its values, or their shares of the results, are not the same on both
    sides of a test. What only one side states differs, too. The card and all of the codebook's
    conditions are looked at, and the remarks of doubt. Columns: `condition`, `base` and `new`
    (their values, as text), `tests` (in how many it differs).
    """
    base, new = prepared(base), prepared(new)
    keys = checked(by, base, new)
    bases, news = base.by_test(keys), new.by_test(keys)
    common = [key for key in bases if key in news]
    rows = []
    for column in [*_card(base, new), *conditions()]:
        differing = [key for key in common if not _alike(bases[key][column], news[key][column])]
        words = []
        for side in (bases, news):
            values = {value for key in differing for value in side[key][column]}
            stated = map(size_in_words if column in SIZES else str, sorted(values - {None}))
            none = ["none" if column == "remarks" else "not stated"] * (None in values)
            words.append(", ".join([*stated, *none]))
        if differing:
            rows.append((column, *words, len(differing)))
    return pd.DataFrame(rows, columns=["condition", "base", "new", "tests"])


def not_stated(*sides: Table) -> list[str]:
    """Return the conditions (columns) that no side states, and which may differ all the same.

    `specimen` stands for the card.
    """
    whole = [prepared(side).whole for side in sides]
    silent = [  # no doubt, and no script, is nothing unsaid
        name for name in conditions()
        if name not in ("remarks", "script") and all(side[name].isna().all() for side in whole)
    ]  # fmt: skip
    return silent if _card(*sides) else ["specimen", *silent]


def conditions_that_differ(base: Results, new: Results, columns: Sequence[str]) -> str | None:
    """Return the names of the conditions in which the two sides of one test differ."""
    return ", ".join(name for name in columns if not _alike(base[name], new[name])) or None


def conditions() -> list[str]:
    """Return the conditions that may differ between the sides of a test, but for the card."""
    return columns("laboratory", "place", "context", "test", "cache", "size")


def _card(*sides: Table) -> list[str]:
    """Return the name of the card that a side states: of its three names the most exact."""
    whole = [prepared(side).whole for side in sides]
    names = columns("card", "name")
    stated = [name for name in names if any(side[name].notna().any() for side in whole)]
    return stated[:1]


def _alike(base: Sequence[object], new: Sequence[object]) -> bool:
    """Tell whether two samples of a condition have the same values in the same shares."""
    first, second = Counter(base), Counter(new)
    return first.keys() == second.keys() and all(
        first[value] * len(new) == second[value] * len(base) for value in first
    )


def checked(by: Sequence[str] | None, *sides: Table) -> list[str]:
    """Return the columns that name a test: those of `by` with op, metric and stat, or all found."""
    if by is None:
        return test_columns(*sides)
    for side in sides:
        require(prepared(side).whole.head(0), by)
    return list(dict.fromkeys([*by, *columns("quantity")]))
