"""What a comparison found -> lines of text or Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdanalysis.comparing.comparison import Comparison

_UNITS = {
    "bandwidth": (1e-6, "MB/s (10^6 B/s)"),
    "iops": (1.0, "operations a second (1/s)"),
    "latency": (1e3, "ms"),
}
_SIZES = ("block_size", "file_size")
_SPEAKING = ("op", "metric", "stat", "tool", "measured_by", "host", "reader")  # need no name
Row = Mapping[str, Any]


def document(one: Comparison, *, markdown: bool) -> Iterator[str]:
    """Yield the lines: heading, sides, conditions, a table a group and metric, what is left out."""
    yield f"# {one.heading}" if markdown else one.heading
    yield ""
    yield from (f"{'- ' if markdown else ''}{side}" for side in one.sides)
    if one.not_stated:
        silent = ", ".join(one.not_stated)
        yield f"{'- ' if markdown else ''}not stated on either side, and may differ: {silent}"
    if len(one.conditions):
        headers = ["differs", "BASE", "NEW", "in tests"]
        cells = [[*map(_short, map(str, row))] for row in one.conditions.itertuples(index=False)]
        yield from ["", *_table(headers, cells, markdown)]
    for title, headers, cells in _sections(one):
        yield from ["", f"## {title}" if markdown else title, *([""] if markdown else [])]
        yield from _table(headers, cells, markdown)
    if one.opinions is not None:
        yield from _opinions(one, markdown)
    if len(one.left_out):
        yield from ["", "## not comparable" if markdown else "not comparable"]
        yield from [""] if markdown else []
        yield from _table(["test", "side", "figures", "reason"], _left_out(one), markdown)
    if len(one.tests):
        yield from ["", *_legend(one)]


def _opinions(one: Comparison, markdown: bool) -> Iterator[str]:
    title = "second opinion, no verdict: the run noise of another card, on a Raspberry Pi 4"
    yield from ["", f"## {title}" if markdown else title, *([""] if markdown else [])]
    cells = [
        [
            ", ".join(_test(one, row)),
            _number(row["ratio"]),
            f"{row['opinion']} a factor of {_number(row['noise_band'])}",
            row["noise_basis"],
        ]
        for row in map(filled, one.opinions.to_dict("records"))
    ]
    yield from _table(["test", "NEW/BASE", "noise", "from"], cells, markdown)


def _legend(one: Comparison) -> Iterator[str]:
    level = f"{one.confidence:.10g}"
    middle = "[interval between two order statistics, where there are enough results]"
    if one.paired:
        factor = f"geometric mean of the ratios of each {one.paired} [t interval on logarithms]"
    else:
        factor = "ratio of the medians [interval of the exact Mann-Whitney test]"
    yield f"BASE, NEW: median {middle}. NEW/BASE: {factor}. Confidence {level}. ~: undecided."
    chance = len(one.tests) * (1 - one.confidence)
    yield (
        f"{counted(len(one.tests), 'test')}: were nothing different, about {chance:.2g} of them "
        "would still be called so."
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _short(text: str) -> str:
    return shorten(text, 60, placeholder=" ...")


def _sections(one: Comparison) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield title, headers and cells of one table for each group and metric."""
    records = [filled(row) for row in one.tests.to_dict("records")]
    names = list(dict.fromkeys([*one.groups, "metric"]))
    for key, members in _grouped(records, names):
        words = [
            f"{name} {_word(name, cell)}"
            for name, cell in zip(names, key, strict=True)
            if name != "metric"
        ]
        metric = key[names.index("metric")]
        title = ", ".join([*words, f"{metric}, {_UNITS[metric][1]}"])
        yield title, *_section(one, members)


def _section(one: Comparison, members: list[Row]) -> tuple[list[str], list[list[str]]]:
    hidden = {"metric"} | ({"stat"} if {row["stat"] for row in members} == {"single"} else set())
    labels = [name for name in one.rows if name not in hidden]
    blocks = [key for key, _ in _grouped(members, one.columns)] if one.columns else [()]
    headers = list(labels)
    for key in blocks:
        before = [_word(name, cell) for name, cell in zip(one.columns, key, strict=True)]
        headers += [" ".join([*before, name]) for name in ("BASE", "NEW", "NEW/BASE", "n", "")]
    cells = []
    for key, found in _grouped(members, labels):
        line = [_word(name, cell) for name, cell in zip(labels, key, strict=True)]
        at = {tuple(row[name] for name in one.columns): row for row in found}
        for block in blocks:
            line += _cells(at[block]) if block in at else [""] * 5
        cells.append(line)
    return [header.strip() for header in headers], cells


def _cells(row: Row) -> list[str]:
    factor, _ = _UNITS[row["metric"]]
    base, new = (
        _with_interval(row[side], row[f"{side}_low"], row[f"{side}_high"], factor)
        for side in ("base", "new")
    )
    ratio = _with_interval(row["ratio"], row["low"], row["high"], 1)
    count = counted(row["new_n"], row["unit"])
    if row["unit"] != "pair":
        count = f"{row['base_n']}, {count}"
    return [base, new, ratio, count, verdict(row)]


def verdict(row: Row) -> str:
    """Return `>1`, `<1`, or `~` with its reason and how many more results would decide."""
    if row["verdict"] != "~":
        return row["verdict"]
    if row["needed"] is None:
        many = "; not even 1000 would decide" if row["why"] == "the interval holds 1" else ""
        return f"~ {row['why']}{many}"
    base, new = (max(0, row["needed"] - row[f"{side}_n"]) for side in ("base", "new"))
    least = "at least" if max(row["base_n"], row["new_n"]) == 1 else "about"
    if row["unit"] != "pair" and base != new:
        where = [f"{more} more in {side}" for more, side in ((base, "BASE"), (new, "NEW")) if more]
        return f"~ {row['why']}; {least} {' and '.join(where)} would decide"
    each = "" if row["unit"] == "pair" else " a side"
    more = counted(base, f"more {row['unit']}")
    return f"~ {row['why']}; {least} {more}{each} would decide"


def _test(one: Comparison, row: Row) -> list[str]:
    """Return the words that name a test."""
    return [
        _word(name, row[name]) if name in _SPEAKING else f"{name} {_word(name, row[name])}"
        for name in one.keys
        if row[name] is not None and (name, row[name]) != ("stat", "single")
    ]


def _left_out(one: Comparison) -> list[list[str]]:
    cells = []
    for row in map(filled, one.left_out.to_dict("records")):
        words = _test(one, row)
        cells.append([", ".join(words), row["side"].upper(), str(row["figures"]), row["reason"]])
    return cells


def _table(headers: list[str], cells: list[list[str]], markdown: bool) -> Iterator[str]:
    if markdown:
        for line in (headers, ["---"] * len(headers), *cells):
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
        return
    widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
    for line in (headers, *cells):
        yield "  " + "  ".join(map(str.ljust, line, widths)).rstrip()


def filled(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the row, with None for what is missing."""
    import pandas as pd

    return {str(name): None if pd.isna(cell) else cell for name, cell in row.items()}


def _grouped(rows: Iterable[Row], names: Sequence[str]) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """Return the rows by the values of some names, each value where it first stands."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(found.items())


def _word(name: str, cell: Any) -> str:
    from sdanalysis.stats.differences import size_words

    if cell is None:
        return "-"
    if name in _SIZES:
        return size_words(cell)
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _with_interval(value: float, low: float | None, high: float | None, factor: float) -> str:
    text = _number(value * factor)
    return text if low is None else f"{text} [{_number(low * factor)}, {_number(high * factor)}]"


def _number(value: float) -> str:
    """Return a number with four digits, and all before the point."""
    digits = max(0, 3 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{min(digits, 6)}f}"
