"""Lay out the tables of a comparison: titles, headers and cells, as text and Markdown show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from sdanalysis.codebook.units import counted
from sdanalysis.comparing.comparison import Comparison, word
from sdanalysis.stats.compare import EARLIER_RUN
from sdanalysis.stats.reasons import WORDS, Reason
from sdanalysis.stats.test_columns import ONE_SIDED
from sdanalysis.text_tables import records

Row = Mapping[str, Any]
NAMED = 3  # tests that a sentence names; more are a number
_UNITS = {
    "bandwidth": (1e-6, "MB/s (10^6 B/s)"),
    "iops": (1.0, "operations a second (1/s)"),
    "latency": (1e3, "ms"),
}
_WHY = {
    "equal": "the medians are equal",
    "too_few": "too few results",
    "holds_1": "the interval holds 1",
    "within_rounding": "within what rounding and the units leave open",
}
_OPINIONS = "second opinion, no verdict: the run noise of other cards, pooled"
_TWO_SAMPLES = ("run", "card")  # units of which either side may get more


class Table(NamedTuple):
    """A table with its title, which may be empty."""

    title: str
    headers: Sequence[str]
    cells: Sequence[Sequence[str]]


def differing(comparison: Comparison) -> list[Table]:
    """Return the conditions that differ between the base and a set, if any does."""
    names = ["condition", "base", "new", "tests"]
    cells = [
        [shorten(str(cell), 60, placeholder=" ...") for cell in row]
        for row in comparison.conditions[names].itertuples(index=False)
    ]
    headers = ["differs", "BASE", "NEW", "in tests"]
    table = _with_set(comparison, "", headers, cells, comparison.conditions["set"])
    return [table] if cells else []


def _with_set(
    comparison: Comparison,
    title: str,
    headers: list[str],
    cells: list[list[str]],
    sets: Iterable[int],
) -> Table:
    """Return a table with the set before its cells, where there are several."""
    if comparison.several:
        headers = ["set", *headers]
        cells = [[comparison.labels[at], *row] for at, row in zip(sets, cells, strict=True)]
    return Table(title, headers, cells)


def tests(comparison: Comparison) -> Iterator[Table]:
    """Yield one table for each group and metric, then the second opinion, if it was asked for."""
    groups = [name for name in comparison.layout.groups if name != "metric"]
    keys = [*groups, "metric"]
    means = dict(_grouped(records(comparison.means), keys))
    every = dict(_grouped(records(comparison.tests), keys))
    for key, members in _grouped(records(comparison.counted_tests), keys):
        words = [f"{name} {word(name, cell)}" for name, cell in zip(groups, key, strict=False)]
        title = ", ".join([*words, f"{key[-1]}, {_UNITS[key[-1]][1]}"])
        whole = len(members) == len(every[key])  # else the means are of more than is shown
        yield _section(comparison, title, members, means.get(key, []) if whole else [])
    if comparison.opinions is not None:
        is_counted = comparison.opinions.index.isin(comparison.counted_tests.index)
        opinions = records(comparison.opinions[is_counted])
        cells = [
            [comparison.test_name(row), number(row["ratio"]), noise, row["noise_basis"]]
            for row in opinions
            for noise in [f"{row['opinion']} a factor of {number(row['noise_band'])}"]
        ]
        headers = ["test", "NEW/BASE", "noise", "from"]
        yield _with_set(comparison, _OPINIONS, headers, cells, [row["set"] for row in opinions])


def left_out(comparison: Comparison) -> list[Table]:
    """Return what is not comparable, if anything is."""
    rows = [in_words(comparison, row) for row in records(comparison.left_out)]
    cells = [
        [comparison.test_name(row), row["side"].upper(), str(row["figures"]), row["reason"]]
        for row in rows
    ]
    headers = ["test", "side", "figures", "reason"]
    return [Table("not comparable", headers, cells)] if cells else []


def _section(comparison: Comparison, title: str, members: list[Row], means: list[Row]) -> Table:
    """Return the table of one group: a row a test, then its means."""
    only_single = {row["stat"] for row in members} == {"single"}
    hidden = ("metric", "stat") if only_single else ("metric",)
    labels = [name for name in comparison.layout.rows if name not in hidden]
    columns, numbers = comparison.layout.columns, _headers(comparison)
    lines = [
        (list(map(word, labels, key)), rows, _cells) for key, rows in _grouped(members, labels)
    ]
    for (stat, count), rows in _grouped(means, ["stat", "tests"]) if labels else ():
        name = f"geometric mean of {count} tests{'' if only_single else f', {stat}'}"
        lines.append(([name, *[""] * (len(labels) - 1)], rows, _mean_cells))
    blocks, empty = [key for key, _ in _grouped(members, columns)], [""] * len(numbers)
    cells = []
    for names, rows, cells_of in lines:
        at = {block: cells_of(comparison, part) for block, part in _grouped(rows, columns)}
        cells.append([*names, *(cell for block in blocks for cell in at.get(block, empty))])
    headers = [
        " ".join([*map(word, columns, key), name]).strip() for key in blocks for name in numbers
    ]
    return Table(title, [*labels, *headers], cells)


def _headers(comparison: Comparison) -> list[str]:
    if not comparison.several:
        return ["BASE", "NEW", "NEW/BASE", "change", "p", "n", "verdict"]
    # of pairs each set has its own results of the base
    base = [] if comparison.paired else ["BASE"]
    return [*base, *(f"{label}/BASE" for label in comparison.labels[1:])]


def _cells(comparison: Comparison, rows: list[Row]) -> list[str]:
    row = rows[0]
    if comparison.several:
        of_set = {row["set"]: row for row in rows}
        each = [_in_short(of_set.get(at)) for at in range(1, len(comparison.sides))]
        return [*([] if comparison.paired else [_median(row, "base")]), *each]
    p = "" if row["p"] is None else "<0.001" if row["p"] < 0.0005 else f"{row['p']:.3f}"
    numbers = [_median(row, "base"), _median(row, "new"), _ratio(row), percent(row["percent"]), p]
    return [*numbers, _count(row), verdict(row)]


def _in_short(row: Row | None) -> str:
    if row is None:
        return "not measured"
    why = f"~ {_why(row)}" if row["why"] else verdict(row)
    return f"{_ratio(row)} {why} ({_count(row)})"


def _ratio(row: Row) -> str:
    return _with_interval(row["ratio"], row["low"], row["high"], 1)


def _median(row: Row, side: str) -> str:
    factor, _ = _UNITS[row["metric"]]
    return _with_interval(row[side], row[f"{side}_low"], row[f"{side}_high"], factor)


def _count(row: Row) -> str:
    if row["unit"] in _TWO_SAMPLES:
        return f"{row['base_n']}, {counted(row['new_n'], row['unit'])}"
    return counted(row["base_n"], row["unit"])


def _mean_cells(comparison: Comparison, rows: list[Row]) -> list[str]:
    if not comparison.several:
        return ["", "", number(rows[0]["ratio"]), percent(rows[0]["percent"]), "", "", ""]
    return [*([] if comparison.paired else [""]), *(number(row["ratio"]) for row in rows)]


def percent(change: float) -> str:
    """Return a change in per cent, with its sign unless it is nothing."""
    text = f"{change:+,.1f} %"
    return "0.0 %" if text[1:] == "0.0 %" else text


def in_words(comparison: Comparison, row: Row) -> dict[str, Any]:
    """Return a row of tests, or of what is left out, with words for its codes."""
    label = comparison.labels[row["set"]]
    words = dict(row) | {"set": label}
    if row.get("why"):
        words["why"] = _why(row)
    if "reason" in row:
        code, status = row["reason"], words.pop("status")
        side, other = (label, "BASE") if row["side"] == "new" else ("BASE", label)
        none = "no value" if status == "measured" else f"no result: {status}".replace("_", " ")
        reasons = WORDS | {
            ONE_SIDED: f"not in {other}" if comparison.several else f"only in {side}",
            "not_positive": "zero or less: no ratio can be made of it",
            Reason.NO_VALUE: none,
        }
        words |= {"side": side, "reason": reasons[code]}
    return words


def _why(row: Row) -> str:
    if row["unit"] == EARLIER_RUN and row["why"] == "holds_1":
        return "within the noise of the earlier runs"
    return _WHY[row["why"]]


def verdict(row: Row) -> str:
    """Return faster, slower, or `~` with its reason and how many more results would decide."""
    if row["verdict"] != "~":
        return "faster" if (row["verdict"] == ">1") != (row["metric"] == "latency") else "slower"
    why = f"~ {_why(row)}"
    if row["unit"] == EARLIER_RUN and row["why"] != "too_few":
        return why  # more of them narrow no run's noise
    if row["needed"] is None:
        return f"{why}; not even 1000 would decide" if row["why"] == "holds_1" else why
    base, new = (max(0, row["needed"] - row[f"{side}_n"]) for side in ("base", "new"))
    least = "at least" if max(row["base_n"], row["new_n"]) == 1 else "about"
    more = counted(base, f"more {row['unit']}")
    if row["unit"] in _TWO_SAMPLES:
        each = [
            f"{count} more in {side}" for count, side in ((base, "BASE"), (new, "NEW")) if count
        ]
        more = f"{more} a side" if base == new else " and ".join(each)
    return f"{why}; {least} {more} would decide"


def _grouped(rows: Iterable[Row], names: Sequence[str]) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """Return the rows by the values of some names, each value where it first stands."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(found.items())


def _with_interval(value: float, low: float | None, high: float | None, factor: float) -> str:
    text = number(value * factor)
    if low is None or high is None:
        return text
    return f"{text} [{number(low * factor)}, {number(high * factor)}]"


def number(value: float) -> str:
    """Return a number with four digits, and all before the point."""
    digits = max(0, 3 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{min(digits, 6)}f}"
