"""Two arguments of `compare` (logs, or a filter on the table) -> all that a comparison finds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from sdanalysis import paths, stats
from sdanalysis.codebook.columns import COLUMNS
from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import size_in_bytes
from sdanalysis.errors import SdAnalysisError, UsageError, check_known
from sdanalysis.logs.bulk import Rows
from sdanalysis.logs.files import MOST_BYTES, read_bytes
from sdanalysis.stats.same_test import SIZES, columns, without_spreads

TABLE = "table:"
# What no log states and a user may know.
GIVEN = columns("laboratory", "card", "name", "place", "system")
_BOOLEANS = {"true": True, "false": False}


class Side(NamedTuple):
    """One side of a comparison: its rows, and what its files were.

    `files` maps the sha256 of what was read to its path, `copies` the path of what was read
    before to that of its first reading; `problems` come with their path.
    """

    name: str
    rows: pd.DataFrame
    files: Mapping[str, str] = {}
    copies: Mapping[str, str] = {}
    problems: Sequence[tuple[str, Problem]] = ()

    @property
    def failed(self) -> bool:
        """Whether something was not read."""
        return any(problem.kind == "error" for _, problem in self.problems)


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


def conditions(text: str) -> dict[str, list[str]]:
    """Return the conditions of a filter: `name=value,name=value`; a name twice: either value.

    A comma belongs to a value unless a `name=` follows it.
    """
    found: dict[str, list[str]] = {}
    for part in re.split(r",(?=\s*\w*=)", text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"found {part!r}, expected conditions such as host=pi-4b,tool=fio")
        check_known("column", name, COLUMNS, UsageError)
        found.setdefault(name, []).append(value)
    return found


def given(text: str | None) -> dict[str, str]:
    """Return what a user states about the logs of a side: one value a condition."""
    stated = conditions(text) if text is not None else {}
    for name, values in stated.items():
        if name not in GIVEN or len(values) > 1:
            expected = f"one value for any of {', '.join(GIVEN)}"
            raise UsageError(f"found {name}={','.join(values)}, expected {expected}")
    return {name: value for name, (value,) in stated.items()}


def of_table(argument: str, measurements: pd.DataFrame) -> Side:
    """Return the rows of the table that `table:NAME=VALUE,...` names."""
    wanted = conditions(argument.removeprefix(TABLE))
    try:
        return Side(argument, selected(measurements, wanted))
    except UsageError:
        raise
    except SdAnalysisError as error:
        raise SdAnalysisError(f"{argument}: {error}") from error


def of_logs(
    argument: str,
    stated: Mapping[str, str],
    most: int = MOST_BYTES,
    include: Sequence[str] = (),
) -> Side:
    """Return the rows of logs, with what the user states of them; there may be none."""
    rows = Rows(most)
    files: dict[str, str] = {}
    found = paths.expand([argument], include)
    first = {path: files.setdefault(_digest(path, most), path) for path in found}
    copies = {path: known for path, known in first.items() if known != path}
    problems = [(path, problem) for path in files.values() for problem in rows.add_file(path)]
    results = without_spreads(rows.frame())
    return Side(argument, results.assign(**stated), files, copies, problems)


def selected(rows: pd.DataFrame, wanted: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return the rows that meet the conditions; a remark is met by a row that has it."""
    for name, values in wanted.items():
        if name not in rows:
            raise SdAnalysisError(f"found no {name} in these logs, expected it for {name}=...")
        cells = rows[name]
        if name == "remarks":
            meets = pd.Series(
                [bool({*values} & {*words}) for words in cells.fillna("").str.split()]
            )
        else:
            meets = cells.isin([_typed(name, value, cells) for value in values])
        if not meets.any():
            known = ", ".join(map(str, sorted(cells.dropna().unique())[:20]))
            raise SdAnalysisError(
                f"found no row with {name}={' or '.join(values)} left, "
                f"expected one of {known or 'none: it is not stated'}"
            )
        rows = rows[meets.to_numpy(dtype=bool)]
    return rows


def _typed(name: str, value: str, cells: pd.Series) -> object:
    """Return the value as the column has it: `4k` and `4096` are one block size."""
    kind = str(cells.dtype)
    try:
        if name in SIZES:
            return size_in_bytes(value)
        if kind == "boolean":
            return _BOOLEANS[value.lower()]
        return int(value) if kind == "Int64" else float(value) if kind == "float64" else value
    except (SdAnalysisError, KeyError, ValueError) as error:
        expected = "true or false" if kind == "boolean" else "a number"
        raise UsageError(f"found {name}={value}, expected {expected}") from error


def _digest(path: str, most: int) -> str:
    """Return what tells contents apart; standard input and what cannot be read are themselves."""
    try:
        content = b"" if path == paths.STANDARD_INPUT else read_bytes(path, most)
    except (OSError, SdAnalysisError):
        content = b""
    return hashlib.sha256(content).hexdigest() if content else path


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

    With the run noise of other cards it is asked for a second opinion.
    """
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
    quantity = columns("quantity")
    names = [*layout.names, *ignore, *([] if pair is None else [pair])]
    for name in names:
        check_known("column", name, COLUMNS, UsageError)
        if names.count(name) > 1:
            raise UsageError(f"found the column {name!r} twice, expected it once")
        if name in ignore and name in quantity:
            raise UsageError(f"found --ignore {name}, expected none of {', '.join(quantity)}")
