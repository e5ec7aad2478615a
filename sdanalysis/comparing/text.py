"""Render a comparison as text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from sdanalysis.codebook.units import counted
from sdanalysis.comparing import tables
from sdanalysis.comparing.comparison import Comparison
from sdanalysis.comparing.limits import OUTCOMES, Finding
from sdanalysis.comparing.tables import NAMED, Table, percent
from sdanalysis.text_tables import records, text_table

_SIGNS = {">1": 1, "<1": -1}


def rendered(comparison: Comparison, kind: str = "text", findings: Sequence[Finding] = ()) -> str:
    """Return the comparison as `text`, `csv`, `json` or `markdown`, with a line end.

    `findings` are what `limits.findings` tells of a user's limits; CSV has no place for them.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read(["table:reader=cr0015", "table:reader=cr0034a"])
    >>> found = comparing.compare(sets, pair="specimen", where={"tool": ["iozone"]})
    >>> print(comparing.rendered(found, "markdown").splitlines()[0])
    NEW is undecided against BASE in 4 of 4 tests.
    """
    if kind == "csv":
        return _csv(comparison)
    if kind == "json":
        return _json(comparison, findings)
    lines = _markdown(comparison, findings) if kind == "markdown" else _text(comparison, findings)
    return "\n".join(lines) + "\n"


def _csv(comparison: Comparison) -> str:
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
    frames = {
        "conditions": comparison.conditions,
        "tests": comparison.tests,
        "geometric_means": comparison.means,
        "not_comparable": comparison.left_out,
    }
    content = {
        "heading": heading(comparison),
        "says": says(comparison),
        "sides": described(comparison),
        "confidence": comparison.confidence,
        "paired": comparison.paired,
        "not_stated": list(comparison.not_stated),
        "units": {"bandwidth": "B/s", "iops": "1/s", "latency": "s"},
        **{name: _rows(comparison, frame) for name, frame in frames.items()},
    }
    if findings:
        content["limits"] = [finding._asdict() for finding in findings]
    if comparison.opinions is not None:
        opinions = _rows(comparison, comparison.opinions)
        content["second_opinions_from_run_noise_of_other_cards"] = opinions
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _text(comparison: Comparison, findings: Sequence[Finding]) -> Iterator[str]:
    if len(comparison.tests):
        yield from says(comparison)
    if findings:
        yield gate_in_words(findings)
    yield from (heading(comparison), "", *described(comparison))
    if comparison.not_stated:
        yield _silent(comparison)
    results = [*tables.differing(comparison), *tables.tests(comparison), *_limits(findings)]
    for table in [*results, *tables.left_out(comparison)]:
        yield ""
        if table.title:
            yield table.title
        yield from (f"  {line}" for line in text_table(table.headers, table.cells))
    if len(comparison.tests):
        yield from ["", *_legend(comparison)]


def _markdown(comparison: Comparison, findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield from [f"**{gate_in_words(findings)}**", ""]
    yield from (f"- {line}" if comparison.several else line for line in says(comparison))
    yield from ["", heading(comparison)]
    for table in [*tables.tests(comparison), *_limits(findings)]:
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


def _limits(findings: Sequence[Finding]) -> list[Table]:
    """Return what became of each limit, the worst first, where a sentence does not name all."""
    if len(findings) <= NAMED and len({it.outcome for it in findings}) < 2:
        return []
    ordered = sorted(findings, key=lambda it: OUTCOMES.index(it.outcome))
    cells = [[it.outcome, it.limit, it.test, it.set] for it in ordered]
    return [Table("limits", ["outcome", "limit", "test", "set"], cells)]


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
    """Say in a sentence a set in how many tests it is faster than the base, slower, or neither.

    IOPS and bandwidth of one run are one test where they say the same; less latency is faster.
    """
    if comparison.tests.empty:
        return [heading(comparison)]
    return [
        _verdict_of_set(comparison, comparison.labels[number], tests)
        for number, tests in comparison.counted_tests.groupby("set")
    ]


def _verdict_of_set(comparison: Comparison, label: str, tests: pd.DataFrame) -> str:
    base = "BASE"
    if comparison.is_history:
        label, base = "The last run", counted(int(tests["base_n"].max()), "earlier run")
    phrases = {1: f"faster than {base}", -1: f"slower than {base}", 0: f"undecided against {base}"}
    signs = tests["verdict"].map(_SIGNS).fillna(0) * tests["metric"].map({"latency": -1}).fillna(1)
    parts, whole = [], f" of {counted(len(tests), 'test')}"
    for sign, phrase in phrases.items():
        if rows := records(tests[signs == sign]):
            names = "; ".join(_first(map(comparison.test_name, rows)))
            parts.append(f"{phrase} in {len(rows)}{whole}{f' ({names})' if sign else ''}")
            whole = ""
    return f"{label} is {', '.join(parts)}."


def _first(names: Iterable[str]) -> list[str]:
    """Return the names that a sentence has place for, and how many more there are."""
    every = list(names)
    more = len(every) - NAMED
    return [*every[:NAMED], *([f"{more} more"] if more > 0 else [])]


def heading(comparison: Comparison) -> str:
    """Return a heading; it names a cause only where exactly one condition differs."""
    if comparison.tests.empty:
        return f"{_every(comparison.labels)} have no test in common"
    return cause(comparison.conditions, comparison.labels)


def cause(conditions: pd.DataFrame, labels: Sequence[str] = ("BASE", "NEW")) -> str:
    """Return what differs, as `stats.differing_conditions` found it, and what that allows."""
    differing, every = records(conditions), _every(labels)
    names = dict.fromkeys(row["condition"] for row in differing)
    if not names:
        return f"{every}: no stated condition differs"
    if len(names) > 1:
        return f"{every} differ in: {', '.join(names)}; no single cause"
    base = dict.fromkeys(f"{row['base']} (BASE)" for row in differing)
    new = [f"{row['new']} ({labels[row.get('set', 1)]})" for row in differing]
    return f"effect of {''.join(names)}: {', '.join([*base, *new])}"


def _every(labels: Sequence[str]) -> str:
    return f"{', '.join(labels[:-1])} and {labels[-1]}"


def described(comparison: Comparison) -> list[str]:
    """Return what each side is, how many figures it has, and of how many cards."""
    lines = []
    for label, (name, rows) in zip(comparison.labels, comparison.sides, strict=True):
        cards = rows["specimen"].nunique() if "specimen" in rows else 0
        of_cards = f" of {counted(cards, 'card')}" if cards else ""
        lines.append(f"{label}: {name}, {counted(len(rows), 'figure')}{of_cards}")
    return lines


def _silent(comparison: Comparison) -> str:
    sides = "any side" if comparison.several else "either side"
    return f"not stated on {sides}, and may differ: {', '.join(comparison.not_stated)}"


def _legend(comparison: Comparison) -> Iterator[str]:
    factor = "median of the ratios of all pairs of results [interval of the Mann-Whitney test]"
    if comparison.paired:
        each = f"the ratios of each {comparison.paired}"
        factor = f"geometric mean of {each} [t interval on logarithms]"
    if comparison.is_history:
        factor = "last run over the geometric mean of the earlier ones [t interval of one more run]"
    more = "then how many results" if comparison.several else "p: of that test"
    yield (
        "BASE, NEW: median [interval between two order statistics, where there are enough "
        f"results]. NEW/BASE: {factor}; {more}. "
        f"Confidence {comparison.confidence:.10g}. ~: undecided."
    )
    if len(comparison.means):
        yield (
            "geometric mean: of the tests that all sets have; without interval, for tests are "
            "chosen and not drawn."
        )
    tests = comparison.counted_tests
    chance = len(tests) * (1 - comparison.confidence)
    yield f"Of {counted(len(tests), 'test')} chance alone would call about {chance:.2g} different."
    if len(tests) < len(comparison.tests):
        yield "IOPS that say the same as the bandwidth of their runs are in --format csv and json."


def gate_in_words(findings: Sequence[Finding]) -> str:
    """Return what became of all limits: the worst outcome, where, and how many others there are."""
    grouped = {name: [it for it in findings if it.outcome == name] for name in OUTCOMES}
    worst, *others = [name for name in OUTCOMES if grouped[name]]
    named = _first(f"{it.limit}: {it.test}, {it.set}" for it in grouped[worst])
    rest = [f"{len(grouped[name])} {name}" for name in others]
    return f"{worst.capitalize()}: {'; '.join([*named, *rest])}."


def finding_in_words(finding: Finding) -> str:
    """Return what became of a limit in one test, in a line, with the change and its interval."""
    interval = "no interval: too few results"
    if finding.low is not None and finding.high is not None:
        interval = f"[{percent(finding.low)}, {percent(finding.high)}]"
    change = f"{percent(finding.change)} {interval}"
    return f"{finding.outcome}: {finding.limit}: {finding.test}, {finding.set}: {change}"
