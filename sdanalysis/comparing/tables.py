"""Lay out the tables of a comparison: titles, headers and cells, as text and Markdown show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from sdanalysis.codebook.units import counted
from sdanalysis.comparing.comparison import OUTCOMES, Comparison, Finding, word
from sdanalysis.stats.compare import EARLIER_RUN
from sdanalysis.stats.reasons import WORDS, Reason
from sdanalysis.text_tables import records

Row = Mapping[str, Any]
NAMED = 3  # tests that a sentence names; more are a number
_UNITS = {"bandwidth": "B/s", "iops": "1/s", "latency": "s"}  # of CSV and JSON
_UNITS = {
    "bandwidth": (1e-6, "MB/s (10^6 B/s)"),
    "iops": (1.0, "operations a second (1/s)"),
    "latency": (1e3, "ms"),
}
_NUMBERS = ("BASE", "NEW", "NEW/BASE", "change", "p", "n", "verdict")
_WHY = {
    "equal": "the medians are equal",
    "too_few": "too few results",
    "holds_1": "the interval holds 1",
    "within_rounding": "within what rounding and the units leave open",
}
_REASONS = {"one_sided": "only in {}", "not_positive": "zero or less: no ratio can be made of it"}
_OPINIONS = "second opinion, no verdict: the run noise of other cards, pooled"
_TWO_SAMPLES = ("run", "card")  # units of which either side may get more


class Table(NamedTuple):
    """A table with its title, which may be empty."""

    title: str
    headers: Sequence[str]
    cells: Sequence[Sequence[str]]


def differing(comparison: Comparison) -> Iterator[Table]:
    """Yield the conditions that differ between the base and a set, if any does."""
    if len(comparison.conditions):
        names = ["condition", "base", "new", "tests"]
        cells = [
            [shorten(str(cell), 60, placeholder=" ...") for cell in row]
            for row in comparison.conditions[names].itertuples(index=False)
        ]
        headers = ["differs", "BASE", "NEW", "in tests"]
        yield Table("", *_with_set(comparison, headers, cells, comparison.conditions["set"]))


def _with_set(
    comparison: Comparison, headers: list[str], cells: list[list[str]], sets: Iterable[int]
) -> tuple[list[str], list[list[str]]]:
    """Return headers and cells with the set before them, where there are several."""
    if not comparison.several:
        return headers, cells
    labels = map(comparison.label, sets)
    return ["set", *headers], [[name, *row] for name, row in zip(labels, cells, strict=True)]


def tests(comparison: Comparison) -> Iterator[Table]:
    """Yield one table for each group and metric, then the second opinion, if it was asked for."""
    groups = [name for name in comparison.layout.groups if name != "metric"]
    means = dict(_grouped(records(comparison.means), [*groups, "metric"]))
    every = dict(_grouped(records(comparison.tests), [*groups, "metric"]))
    for key, members in _grouped(records(comparison.counted_tests), [*groups, "metric"]):
        words = [f"{name} {word(name, cell)}" for name, cell in zip(groups, key, strict=False)]
        metric = key[-1]
        title = ", ".join([*words, f"{metric}, {_UNITS[metric][1]}"])
        whole = len(members) == len(every[key])  # else the means are of more than is shown
        yield Table(title, *_section(comparison, members, means.get(key, []) if whole else []))
    if comparison.opinions is not None:
        once = comparison.opinions.index.isin(comparison.counted_tests.index)
        opinions = records(comparison.opinions[once])
        cells = [
            [comparison.test_name(row), number(row["ratio"]), _noise(row), row["noise_basis"]]
            for row in opinions
        ]
        headers = ["test", "NEW/BASE", "noise", "from"]
        sets = [row["set"] for row in opinions]
        yield Table(_OPINIONS, *_with_set(comparison, headers, cells, sets))


def left_out(comparison: Comparison) -> Iterator[Table]:
    """Yield what is not comparable, if anything is."""
    if len(comparison.left_out):
        rows = [in_words(comparison, row) for row in records(comparison.left_out)]
        cells = [
            [comparison.test_name(row), row["side"].upper(), str(row["figures"]), row["reason"]]
            for row in rows
        ]
        yield Table("not comparable", ["test", "side", "figures", "reason"], cells)


def _section(
    comparison: Comparison, members: list[Row], means: list[Row]
) -> tuple[list[str], list[list[str]]]:
    only_single = {row["stat"] for row in members} == {"single"}
    hidden = ("metric", "stat") if only_single else ("metric",)
    labels = [name for name in comparison.layout.rows if name not in hidden]
    columns = comparison.layout.columns
    blocks = [key for key, _ in _grouped(members, columns)]
    numbers = _headers(comparison)
    headers = labels + [
        " ".join([*map(word, columns, key), name]).strip() for key in blocks for name in numbers
    ]
    cells = []
    for key, found in _grouped(members, labels):
        at = {place: _cells(comparison, rows) for place, rows in _grouped(found, columns)}
        line = [cell for block in blocks for cell in at.get(block, [""] * len(numbers))]
        cells.append([*map(word, labels, key), *line])
    if labels:
        for (stat, count), found in _grouped(means, ["stat", "tests"]):
            name = f"geometric mean of {count} tests{'' if only_single else f', {stat}'}"
            at = {place: _mean_cells(comparison, rows) for place, rows in _grouped(found, columns)}
            line = [cell for block in blocks for cell in at.get(block, [""] * len(numbers))]
            cells.append([name, *[""] * (len(labels) - 1), *line])
    return headers, cells


def _headers(comparison: Comparison) -> Sequence[str]:
    if not comparison.several:
        return _NUMBERS
    labels = map(comparison.label, range(1, len(comparison.sides)))
    # of pairs each set has its own results of the base
    return [*(() if comparison.paired else ("BASE",)), *(f"{name}/BASE" for name in labels)]


def _cells(comparison: Comparison, rows: list[Row]) -> list[str]:
    if not comparison.several:
        return _in_full(rows[0])
    found = {row["set"]: row for row in rows}
    each = [_in_short(found.get(number)) for number in range(1, len(comparison.sides))]
    return [*([] if comparison.paired else [_median(rows[0], "base")]), *each]


def _in_full(row: Row) -> list[str]:
    ratio = _with_interval(row["ratio"], row["low"], row["high"], 1)
    p = "" if row["p"] is None else "<0.001" if row["p"] < 0.0005 else f"{row['p']:.3f}"
    numbers = [_median(row, "base"), _median(row, "new"), ratio, percent(row["percent"]), p]
    return [*numbers, _count(row), verdict(row)]


def _in_short(row: Row | None) -> str:
    if row is None:
        return "not measured"
    ratio = _with_interval(row["ratio"], row["low"], row["high"], 1)
    why = f"~ {_why(row)}" if row["why"] else verdict(row)
    return f"{ratio} {why} ({_count(row)})"


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


def _noise(row: Row) -> str:
    return f"{row['opinion']} a factor of {number(row['noise_band'])}"


def in_words(comparison: Comparison, row: Row) -> dict[str, Any]:
    """Return a row of tests, or of what is left out, with words for its codes."""
    words = dict(row) | {"set": comparison.label(row["set"])}
    if row.get("why"):
        words["why"] = _why(row)
    if "reason" in row:
        side = words["set"] if row["side"] == "new" else "BASE"
        status = words.pop("status")
        words |= {"side": side, "reason": _reason(row["reason"], side, status)}
        if comparison.several and row["reason"] == "one_sided":
            other = "BASE" if row["side"] == "new" else words["set"]
            words["reason"] = f"not in {other}"
    return words


def _why(row: Row) -> str:
    if row["unit"] == EARLIER_RUN and row["why"] == "holds_1":
        return "within the noise of the earlier runs"
    return _WHY[row["why"]]


def _reason(code: str, side: str, status: str | None) -> str:
    if code in _REASONS:
        return _REASONS[code].format(side)
    if code == Reason.NO_VALUE:
        return "no value" if status == "measured" else f"no result: {status}".replace("_", " ")
    return WORDS[code]


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


def limits(found: Sequence[Finding]) -> list[Table]:
    """Return what became of each limit, the worst first, where a sentence does not name all."""
    if len(found) <= NAMED and len({one.outcome for one in found}) < 2:
        return []
    ordered = sorted(found, key=lambda one: OUTCOMES.index(one.outcome))
    cells = [[one.outcome, one.limit, one.test, one.set] for one in ordered]
    return [Table("limits", ["outcome", "limit", "test", "set"], cells)]
