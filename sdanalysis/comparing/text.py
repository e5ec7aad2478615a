"""What a comparison found -> text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.stats.reasons import WORDS, Reason
from sdanalysis.stats.same_test import SIZES, columns, size_in_words
from sdanalysis.text_tables import records, text_table

if TYPE_CHECKING:
    from sdanalysis.comparing.comparison import Comparison

Row = Mapping[str, Any]
_BASE_UNITS = {"bandwidth": "B/s", "iops": "1/s", "latency": "s"}  # of CSV and JSON
_UNITS = {
    "bandwidth": (1e-6, "MB/s (10^6 B/s)"),
    "iops": (1.0, "operations a second (1/s)"),
    "latency": (1e3, "ms"),
}
_NAMELESS = columns("quantity", "tool", "laboratory", "place")  # whose values speak themselves
_NUMBERS = ("BASE", "NEW", "NEW/BASE", "change", "p", "n", "")
_WHY = {
    "equal": "the medians are equal",
    "too_few": "too few results",
    "holds_1": "the interval holds 1",
    "within_rounding": "within what rounding and the units leave open",
}
_REASONS = {"one_sided": "only in {}", "not_positive": "zero or less: no ratio can be made of it"}
_MIDDLE = "[interval between two order statistics, where there are enough results]"
_OPINIONS = "second opinion, no verdict: the run noise of other cards, pooled"


def rendered(comparison: Comparison, kind: str) -> str:
    """Return the comparison as `text`, `csv`, `json` or `markdown`, with a line end."""
    if kind == "csv":
        return _csv(comparison)
    if kind == "json":
        return _json(comparison)
    return "\n".join(document(comparison, markdown=kind == "markdown")) + "\n"


def _csv(comparison: Comparison) -> str:
    """Return a row a test, values in base units; those not comparable follow, with their reason."""
    tests = comparison.tests
    if comparison.opinions is not None:
        tests = tests.join(comparison.opinions[["noise_band", "noise_basis", "opinion"]])
    names = [*comparison.keys, *tests.columns, "side", "figures", "reason"]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(names)), lineterminator="\n")
    writer.writeheader()
    writer.writerows([*_rows(tests), *_rows(comparison.left_out)])
    return text.getvalue()


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return list(map(in_words, records(frame)))


def _json(comparison: Comparison) -> str:
    content = {
        "heading": heading(comparison),
        "sides": described(comparison),
        "confidence": comparison.confidence,
        "paired": comparison.paired,
        "not_stated": list(comparison.not_stated),
        "units": _BASE_UNITS,
        "conditions": _rows(comparison.conditions),
        "tests": _rows(comparison.tests),
        "not_comparable": _rows(comparison.left_out),
    }
    if comparison.opinions is not None:
        content["second_opinions_from_run_noise_of_other_cards"] = _rows(comparison.opinions)
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def document(comparison: Comparison, *, markdown: bool) -> Iterator[str]:
    """Yield the lines: heading, sides, conditions, a table a group and metric, what is left out."""
    item = "- " if markdown else ""
    yield f"{'# ' if markdown else ''}{heading(comparison)}"
    yield ""
    yield from (f"{item}{side}" for side in described(comparison))
    if comparison.not_stated:
        silent = ", ".join(comparison.not_stated)
        yield f"{item}not stated on either side, and may differ: {silent}"
    for title, headers, cells in _tables(comparison):
        yield ""
        if title:
            yield from [f"## {title}", ""] if markdown else [title]
        yield from _table(headers, cells, markdown)
    if len(comparison.tests):
        yield from ["", *_legend(comparison)]


def heading(comparison: Comparison) -> str:
    """Return a heading; it names a cause only where exactly one condition differs."""
    if comparison.tests.empty:
        return "BASE and NEW have no test in common"
    return cause(comparison.conditions)


def cause(conditions: pd.DataFrame) -> str:
    """Return what differs, as `stats.differing_conditions` found it, and what that allows."""
    differing = records(conditions)
    if not differing:
        return "BASE and NEW: no stated condition differs"
    if len(differing) == 1:
        return "effect of {condition}: {base} (BASE), {new} (NEW)".format(**differing[0])
    names = ", ".join(row["condition"] for row in differing)
    return f"BASE and NEW differ in: {names}; no single cause"


def described(comparison: Comparison) -> list[str]:
    """Return what each side is, how many figures it has, and of how many cards."""
    return [
        f"{side}: {name}, {counted(len(rows), 'figure')}{_cards(rows)}"
        for side, (name, rows) in zip(("BASE", "NEW "), comparison.sides, strict=True)
    ]


def in_words(row: Row) -> dict[str, Any]:
    """Return a row of tests, or of what is left out, with words for its codes."""
    words = dict(row)
    if row.get("why"):
        words["why"] = _WHY[row["why"]]
    if "reason" in row:
        words["reason"] = _reason(row["reason"], row["side"], words.pop("status"))
    return words


def _reason(code: str, side: str, status: str | None) -> str:
    if code in _REASONS:
        return _REASONS[code].format(side.upper())
    if code == Reason.NO_VALUE:
        return "no value" if status == "measured" else f"no result: {status}".replace("_", " ")
    return WORDS[code]


def verdict(row: Row) -> str:
    """Return `>1`, `<1`, or `~` with its reason and how many more results would decide."""
    if row["verdict"] != "~":
        return row["verdict"]
    why = f"~ {_WHY[row['why']]}"
    if row["needed"] is None:
        return f"{why}; not even 1000 would decide" if row["why"] == "holds_1" else why
    base, new = (max(0, row["needed"] - row[f"{side}_n"]) for side in ("base", "new"))
    least = "at least" if max(row["base_n"], row["new_n"]) == 1 else "about"
    more = counted(base, f"more {row['unit']}")
    if row["unit"] != "pair":
        each = [
            f"{count} more in {side}" for count, side in ((base, "BASE"), (new, "NEW")) if count
        ]
        more = f"{more} a side" if base == new else " and ".join(each)
    return f"{why}; {least} {more} would decide"


def _cards(rows: pd.DataFrame) -> str:
    cards = rows["specimen"].nunique() if "specimen" in rows else 0
    return f" of {counted(cards, 'card')}" if cards else ""


def _tables(comparison: Comparison) -> Iterator[tuple[str, Sequence[str], list[list[str]]]]:
    """Yield title, headers and cells of every table."""
    if len(comparison.conditions):
        short = partial(shorten, width=60, placeholder=" ...")
        cells = [
            [short(str(cell)) for cell in row.values()] for row in records(comparison.conditions)
        ]
        yield "", ["differs", "BASE", "NEW", "in tests"], cells
    yield from _tests(comparison)
    if comparison.opinions is not None:
        cells = [[_test(comparison, row), *_opinion(row)] for row in records(comparison.opinions)]
        yield _OPINIONS, ["test", "NEW/BASE", "noise", "from"], cells
    if len(comparison.left_out):
        cells = [[_test(comparison, row), *_left_out(row)] for row in records(comparison.left_out)]
        yield "not comparable", ["test", "side", "figures", "reason"], cells


def _tests(comparison: Comparison) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield one table for each group and metric."""
    groups = [name for name in comparison.layout.groups if name != "metric"]
    for key, members in _grouped(records(comparison.tests), [*groups, "metric"]):
        words = [f"{name} {_word(name, cell)}" for name, cell in zip(groups, key, strict=False)]
        metric = key[-1]
        yield ", ".join([*words, f"{metric}, {_UNITS[metric][1]}"]), *_section(comparison, members)


def _section(comparison: Comparison, members: list[Row]) -> tuple[list[str], list[list[str]]]:
    only_single = {row["stat"] for row in members} == {"single"}
    hidden = ("metric", "stat") if only_single else ("metric",)
    labels = [name for name in comparison.layout.rows if name not in hidden]
    columns = comparison.layout.columns
    blocks = [key for key, _ in _grouped(members, columns)]
    headers = labels + [
        " ".join([*map(_word, columns, key), name]).strip() for key in blocks for name in _NUMBERS
    ]
    cells = []
    for key, found in _grouped(members, labels):
        at = {tuple(row[name] for name in columns): _cells(row) for row in found}
        line = [cell for block in blocks for cell in at.get(block, [""] * len(_NUMBERS))]
        cells.append([*map(_word, labels, key), *line])
    return headers, cells


def _cells(row: Row) -> list[str]:
    factor, _ = _UNITS[row["metric"]]
    base, new = (
        _with_interval(row[side], row[f"{side}_low"], row[f"{side}_high"], factor)
        for side in ("base", "new")
    )
    ratio = _with_interval(row["ratio"], row["low"], row["high"], 1)
    percent = f"{row['percent']:+,.1f} %"
    percent = "0.0 %" if percent[1:] == "0.0 %" else percent
    p = "" if row["p"] is None else "<0.001" if row["p"] < 0.0005 else f"{row['p']:.3f}"
    count = counted(row["new_n"], row["unit"])
    if row["unit"] != "pair":
        count = f"{row['base_n']}, {count}"
    return [base, new, ratio, percent, p, count, verdict(row)]


def _opinion(row: Row) -> list[str]:
    noise = f"{row['opinion']} a factor of {_number(row['noise_band'])}"
    return [_number(row["ratio"]), noise, row["noise_basis"]]


def _left_out(row: Row) -> list[str]:
    return [row["side"].upper(), str(row["figures"]), in_words(row)["reason"]]


def _test(comparison: Comparison, row: Row) -> str:
    return ", ".join(
        _word(name, row[name]) if name in _NAMELESS else f"{name} {_word(name, row[name])}"
        for name in comparison.keys
        if row[name] is not None and (name, row[name]) != ("stat", "single")
    )


def _legend(comparison: Comparison) -> Iterator[str]:
    factor = "median of the ratios of all pairs of results [interval of the Mann-Whitney test]"
    if comparison.paired:
        each = f"the ratios of each {comparison.paired}"
        factor = f"geometric mean of {each} [t interval on logarithms]"
    yield (
        f"BASE, NEW: median {_MIDDLE}. NEW/BASE: {factor}; p: of that test. "
        f"Confidence {comparison.confidence:.10g}. ~: undecided."
    )
    number = len(comparison.tests)
    chance = number * (1 - comparison.confidence)
    text = f"were nothing different, about {chance:.2g} of them would still be called so."
    yield f"{counted(number, 'test')}: {text}"


def _table(headers: Sequence[str], rows: list[list[str]], markdown: bool) -> Iterator[str]:
    if not markdown:
        yield from (f"  {line}" for line in text_table(headers, rows))
        return
    for row in (headers, ["---"] * len(headers), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _grouped(rows: Iterable[Row], names: Sequence[str]) -> list[tuple[tuple[Any, ...], list[Row]]]:
    """Return the rows by the values of some names, each value where it first stands."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(found.items())


def _word(name: str, cell: Any) -> str:
    if cell is None:
        return "-"
    if name in SIZES:
        return size_in_words(cell)
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _with_interval(value: float, low: float | None, high: float | None, factor: float) -> str:
    text = _number(value * factor)
    if low is None or high is None:
        return text
    return f"{text} [{_number(low * factor)}, {_number(high * factor)}]"


def _number(value: float) -> str:
    """Return a number with four digits, and all before the point."""
    digits = max(0, 3 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{min(digits, 6)}f}"
