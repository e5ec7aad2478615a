"""What a comparison found -> text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.comparing import tables
from sdanalysis.comparing.limits import Finding, gate_in_words, limits_table
from sdanalysis.comparing.tables import Table
from sdanalysis.text_tables import records, text_table

if TYPE_CHECKING:
    from sdanalysis.comparing.comparison import Comparison

_BASE_UNITS = {"bandwidth": "B/s", "iops": "1/s", "latency": "s"}  # of CSV and JSON
_MIDDLE = "[interval between two order statistics, where there are enough results]"
_NAMED = 3  # tests that a sentence names; more are a number
_SIDES = {">1": 1, "<1": -1}


def rendered(comparison: Comparison, kind: str = "text", findings: Sequence[Finding] = ()) -> str:
    """Return the comparison as `text`, `csv`, `json` or `markdown`, with a line end.

    `findings` are what `limits.findings` tells of a user's limits; CSV has no place for them.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read(["table:reader=cr0015", "table:reader=cr0034a"])
    >>> found = comparing.compare(sets, pair="specimen", where={"tool": ["iozone"]})
    >>> print(comparing.rendered(found, "markdown").splitlines()[0])
    NEW against BASE: undecided in 4 of 4 tests.
    """
    if kind == "csv":
        return _csv(comparison)
    if kind == "json":
        return _json(comparison, findings)
    lines = _markdown(comparison, findings) if kind == "markdown" else _text(comparison, findings)
    return "\n".join(lines) + "\n"


def _csv(comparison: Comparison) -> str:
    """Return a row a test, values in base units; those not comparable follow, with their reason."""
    tests = comparison.tests
    if comparison.opinions is not None:
        tests = tests.join(comparison.opinions[["noise_band", "noise_basis", "opinion"]])
    names = [*comparison.keys, *tests.columns, "side", "figures", "reason"]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(names)), lineterminator="\n")
    writer.writeheader()
    writer.writerows([*_rows(comparison, tests), *_rows(comparison, comparison.left_out)])
    return text.getvalue()


def _rows(comparison: Comparison, frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [tables.in_words(comparison, row) for row in records(frame)]


def _json(comparison: Comparison, findings: Sequence[Finding]) -> str:
    content = {
        "heading": heading(comparison),
        "says": says(comparison),
        "sides": described(comparison),
        "confidence": comparison.confidence,
        "paired": comparison.paired,
        "not_stated": list(comparison.not_stated),
        "units": _BASE_UNITS,
        "conditions": _rows(comparison, comparison.conditions),
        "tests": _rows(comparison, comparison.tests),
        "geometric_means": _rows(comparison, comparison.means),
        "not_comparable": _rows(comparison, comparison.left_out),
    }
    if findings:
        content["limits"] = [found._asdict() for found in findings]
    if comparison.opinions is not None:
        opinions = _rows(comparison, comparison.opinions)
        content["second_opinions_from_run_noise_of_other_cards"] = opinions
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _text(comparison: Comparison, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the lines: heading, sides, conditions, a table a group and metric, what is left out."""
    yield heading(comparison)
    if findings:
        yield gate_in_words(findings)
    yield ""
    yield from described(comparison)
    if comparison.not_stated:
        yield _silent(comparison)
    shown = [*tables.differing(comparison), *tables.tests(comparison)]
    shown += [limits_table(findings)] if findings else []
    for table in [*shown, *tables.left_out(comparison)]:
        yield ""
        if table.title:
            yield table.title
        yield from (f"  {line}" for line in text_table(table.headers, table.cells))
    if len(comparison.tests):
        yield from ["", *_legend(comparison)]


def _markdown(comparison: Comparison, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the lines of a comment: the verdict first, and below a fold what it rests on."""
    if findings:
        yield from [f"**{gate_in_words(findings)}**", ""]
    yield from (f"- {line}" if comparison.several else line for line in says(comparison))
    yield from ["", heading(comparison)]
    for table in [*tables.tests(comparison), *([limits_table(findings)] if findings else [])]:
        yield from ["", f"### {table.title}", "", *_rows_between_bars(table)]
    sides = [f"- {side}" for side in described(comparison)]
    silent = [f"- {_silent(comparison)}"] if comparison.not_stated else []
    conditions = [_rows_between_bars(table) for table in tables.differing(comparison)]
    yield from _folded("What was compared", [*sides, *silent], *conditions)
    for table in tables.left_out(comparison):
        figures = counted(int(comparison.left_out["figures"].sum()), "figure")
        yield from _folded(f"Not comparable: {figures}", _rows_between_bars(table))
    if len(comparison.tests):
        yield from _folded("How to read it", [f"- {line}" for line in _legend(comparison)])


def _folded(summary: str, *parts: Sequence[str]) -> Iterator[str]:
    """Yield parts below a fold; GitHub reads Markdown in it after a blank line."""
    yield from ["", "<details>", f"<summary>{summary}</summary>"]
    for part in parts:
        yield from ["", *part]
    yield from ["", "</details>"]


def _rows_between_bars(table: Table) -> list[str]:
    rows = (table.headers, ["---"] * len(table.headers), *table.cells)
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def says(comparison: Comparison) -> list[str]:
    """Say in a sentence a set in how many tests it is faster than the base, slower, or neither."""
    if comparison.tests.empty:
        return [heading(comparison)]
    return [
        _said(
            comparison,
            comparison.label(number),
            comparison.tests[comparison.tests["set"] == number],
        )
        for number in range(1, len(comparison.sides))
    ]


def _said(comparison: Comparison, label: str, tests: pd.DataFrame) -> str:
    """Return the sentence of one set; of a latency less is faster."""
    signs = tests["verdict"].map(_SIDES).fillna(0) * tests["metric"].map({"latency": -1}).fillna(1)
    base = counted(int(tests["base_n"].max()), "earlier run") if comparison.is_history else "BASE"
    label = "The last run" if comparison.is_history else label
    parts, whole = [], f" of {counted(len(tests), 'test')}"
    for sign, word in ((1, "faster"), (-1, "slower"), (0, "undecided")):
        rows = records(tests[signs == sign])
        if rows:
            named = f" ({_named(comparison, rows)})" if sign else ""
            parts.append(f"{word} in {len(rows)}{whole}{named}")
            whole = ""
    return f"{label} against {base}: {', '.join(parts) or 'no test in common'}."


def _named(comparison: Comparison, rows: list[dict[str, Any]]) -> str:
    names = [
        f"{tables.test_name(comparison, row)} {tables.percent(row['percent'])}"
        for row in rows[:_NAMED]
    ]
    more = len(rows) - len(names)
    return "; ".join([*names, *([f"{more} more"] if more else [])])


def heading(comparison: Comparison) -> str:
    """Return a heading; it names a cause only where exactly one condition differs."""
    labels = [comparison.label(number) for number in range(len(comparison.sides))]
    every = f"{', '.join(labels[:-1])} and {labels[-1]}"
    if comparison.tests.empty:
        return f"{every} have no test in common"
    return cause(comparison.conditions, labels)


def cause(conditions: pd.DataFrame, labels: Sequence[str] = ("BASE", "NEW")) -> str:
    """Return what differs, as `stats.differing_conditions` found it, and what that allows."""
    differing = records(conditions)
    every = f"{', '.join(labels[:-1])} and {labels[-1]}"
    if not differing:
        return f"{every}: no stated condition differs"
    names = dict.fromkeys(row["condition"] for row in differing)
    if len(names) == 1:
        base = {row["base"]: f"{row['base']} (BASE)" for row in differing}
        new = [f"{row['new']} ({labels[row.get('set', 1)]})" for row in differing]
        return f"effect of {''.join(names)}: {', '.join([*base.values(), *new])}"
    return f"{every} differ in: {', '.join(names)}; no single cause"


def described(comparison: Comparison) -> list[str]:
    """Return what each side is, how many figures it has, and of how many cards."""
    labels = [comparison.label(number) for number in range(len(comparison.sides))]
    width = max(map(len, labels))
    return [
        f"{label:<{width}}: {name}, {counted(len(rows), 'figure')}{_cards(rows)}"
        for label, (name, rows) in zip(labels, comparison.sides, strict=True)
    ]


def _silent(comparison: Comparison) -> str:
    sides = "any side" if comparison.several else "either side"
    return f"not stated on {sides}, and may differ: {', '.join(comparison.not_stated)}"


def _cards(rows: pd.DataFrame) -> str:
    cards = rows["specimen"].nunique() if "specimen" in rows else 0
    return f" of {counted(cards, 'card')}" if cards else ""


def _legend(comparison: Comparison) -> Iterator[str]:
    factor = "median of the ratios of all pairs of results [interval of the Mann-Whitney test]"
    if comparison.paired:
        each = f"the ratios of each {comparison.paired}"
        factor = f"geometric mean of {each} [t interval on logarithms]"
    if comparison.is_history:
        factor = "last run over the geometric mean of the earlier ones [t interval of one more run]"
    more = "then how many results" if comparison.several else "p: of that test"
    yield (
        f"BASE, NEW: median {_MIDDLE}. NEW/BASE: {factor}; {more}. "
        f"Confidence {comparison.confidence:.10g}. ~: undecided."
    )
    if len(comparison.means):
        yield (
            "geometric mean: of the tests that all sets have; without interval, for tests are "
            "chosen and not drawn."
        )
    number = len(comparison.tests)
    chance = number * (1 - comparison.confidence)
    text = f"were nothing different, about {chance:.2g} of them would still be called so."
    yield f"{counted(number, 'test')}: {text}"
