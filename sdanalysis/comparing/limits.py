"""Limits such as `randwrite < -10%`: whether the tests keep them, break them, or are undecided."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sdanalysis.codebook.columns import COLUMNS, METRICS, OPS, STATS
from sdanalysis.comparing.filters import conditions, selected
from sdanalysis.comparing.tables import Table, percent, test_name, word
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.parsers import WORDS
from sdanalysis.stats.same_test import OP_WORDS
from sdanalysis.text_tables import records

if TYPE_CHECKING:
    from sdanalysis.comparing.comparison import Comparison

OUTCOMES = FAILED, UNDECIDED, KEPT = "failed", "undecided", "kept"
_NAMED = 3  # tests that a sentence names
_LIMIT = re.compile(r"(.*?)\s*([<>])\s*([+-]?\d+(?:\.\d+)?)\s*%", re.ASCII | re.DOTALL)
_SIZE = re.compile(r"(\d+)\s*([kmg]?)(?:i?b)?", re.ASCII | re.IGNORECASE)
_RATES = ("bandwidth", "iops")  # what a limit is about that names no metric: more of it is faster
_WORDS = {
    **dict.fromkeys(WORDS, "tool"),
    **dict.fromkeys(OPS, "op"),
    **dict.fromkeys(METRICS, "metric"),
    **dict.fromkeys(STATS, "stat"),
}


class Limit(NamedTuple):
    """A limit of the change in some tests, in per cent, and the conditions that name the tests."""

    text: str
    tests: Mapping[str, Sequence[str]]
    sign: str
    percent: float


class Finding(NamedTuple):
    """What became of a limit in one test of one set; the change and its interval in per cent."""

    limit: str
    outcome: str
    test: str
    set: str
    change: float
    low: float | None
    high: float | None
    why: str | None


def limit(text: str) -> Limit:
    """Return the limit that a text states: words of a test, `<` or `>`, and per cent.

    A word is a tool, an op, a metric, a stat or a block size; any other condition is `name=value`.

    Examples
    --------
    >>> found = limit("fio random write 4 KiB < -10%")
    >>> dict(found.tests), found.sign, found.percent
    ({'tool': ['fio'], 'op': ['randwrite'], 'block_size': ['4k']}, '<', -10.0)
    """
    match = _LIMIT.fullmatch(text.strip().replace("\N{MINUS SIGN}", "-"))
    if match is None or not match[1]:
        raise UsageError(f"found the limit {text!r}, expected such as 'randwrite < -10%'")
    if (change := float(match[3])) <= -100:
        raise UsageError(f"found the limit {text!r}, expected above -100%: nothing falls below")
    return Limit(text.strip(), _conditions(match[1], text), match[2], change)


def _conditions(words: str, text: str) -> dict[str, list[str]]:
    for op, spoken in OP_WORDS.items():
        words = re.sub(rf"\b{spoken}\b", op, words)
    words = re.sub(r"(?<=\d) (?=[kmg]?i?b\b)", "", words, flags=re.IGNORECASE)
    found: dict[str, list[str]] = {}
    for one in words.replace(",", " ").split():
        name, value = _condition(one, text)
        found.setdefault(name, []).append(value)
    return found


def _condition(one: str, text: str) -> tuple[str, str]:
    """Return the column and the value that a word of a limit means."""
    if "=" in one:
        ((name, (value,)),) = conditions(one).items()
        return name, value
    if one in _WORDS:
        return _WORDS[one], one
    if size := _SIZE.fullmatch(one):
        return "block_size", f"{size[1]}{size[2].lower()}"
    known = "a tool, an op, a metric, a stat, a block size (4k) or a condition (host=pi-4b)"
    raise UsageError(f"found {one!r} in the limit {text!r}, expected {known}")


def findings(comparison: Comparison, limits: Iterable[Limit]) -> list[Finding]:
    """Return what became of each limit in each test that it is about, in every set.

    A limit is broken only where the whole interval of the change lies beyond it, and kept only
    where no part of it does; between, and without an interval, it is undecided.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read([f"table:measured_by=geerling,host=pi-{n}b" for n in (4, 3)])
    >>> found = comparing.compare(sets, where={"tool": ["hdparm"]}, pair="specimen")
    >>> texts = ["read < -10%", "read < -51%", "read < -90%"]
    >>> [one.outcome for one in comparing.findings(found, map(comparing.limit, texts))]
    ['failed', 'undecided', 'kept']
    """
    return [found for one in limits for found in _found(comparison, one)]


def _found(comparison: Comparison, one: Limit) -> Iterator[Finding]:
    for row in records(_about(comparison, one)):
        low, high = (
            100 * (math.nan if row[end] is None else row[end]) - 100 for end in ("low", "high")
        )
        yield Finding(
            limit=one.text,
            outcome=_outcome(one, low, high),
            test=_called(comparison, row),
            set=comparison.label(row["set"]),
            change=row["percent"],
            low=None if math.isnan(low) else low,
            high=None if math.isnan(high) else high,
            why=row["why"],
        )


def _about(comparison: Comparison, one: Limit) -> Any:
    """Return the tests that a limit is about; an error where there is none, or not in each set."""
    types = {name: column.dtype for name, column in COLUMNS.items() if name in comparison.tests}
    tests = comparison.tests.astype(types)
    wanted = {"metric": _RATES} | dict(one.tests)
    absent = [name for name in wanted if name not in tests]
    try:
        if absent:
            differ = f"found no {absent[0]} that tells tests apart"
            raise SdAnalysisError(f"{differ}, expected one of {', '.join(comparison.keys)}")
        found = tests[tests["metric"].isin(wanted.pop("metric"))]
        found = selected(found, wanted) if len(found) else found
    except SdAnalysisError as error:
        raise type(error)(f"--fail-if {one.text!r}: {error}") from error
    missing = {*range(1, len(comparison.sides))} - {*found["set"]}
    if missing:
        label = comparison.label(min(missing))
        latency = "" if "metric" in one.tests else " (a latency is to be named: `latency > 20%`)"
        text = f"found no such test in both BASE and {label}, expected at least one{latency}"
        raise SdAnalysisError(f"--fail-if {one.text!r}: {text}")
    return found


def _outcome(one: Limit, low: float, high: float) -> str:
    """Return whether the whole interval lies beyond the limit, or none of it; nan lies nowhere."""
    below, above = high < one.percent, low > one.percent
    broken, kept = (below, low >= one.percent) if one.sign == "<" else (above, high <= one.percent)
    return FAILED if broken else KEPT if kept else UNDECIDED


def _called(comparison: Comparison, row: Mapping[str, Any]) -> str:
    """Return the name of a test, with the tool and block size where they do not name it."""
    named = test_name(comparison, row)
    more = [
        word(name, row[name])
        for name in ("tool", "block_size")
        if name not in comparison.keys and row.get(name) is not None
    ]
    return ", ".join([named, *more])


def finding_in_words(found: Finding) -> str:
    """Return what became of a limit in one test, in a line."""
    return f"{found.outcome}: {found.limit}: {found.test}, {found.set}: {change_in_words(found)}"


def change_in_words(found: Finding) -> str:
    """Return the change of a test with its interval."""
    interval = "no interval: too few results"
    if found.low is not None and found.high is not None:
        interval = f"[{percent(found.low)}, {percent(found.high)}]"
    return f"{percent(found.change)} {interval}"


def gate_in_words(found: Sequence[Finding]) -> str:
    """Return what became of all limits: the worst outcome, where, and how many others there are.

    Examples
    --------
    >>> one = Finding("read < -10%", "failed", "read, dd", "NEW", -23.1, -27.3, -18.8, None)
    >>> gate_in_words([one, one._replace(outcome="kept")])
    'Failed: read < -10%: read, dd, NEW: -23.1 % [-27.3 %, -18.8 %]; 1 kept.'
    """
    grouped = {name: [one for one in found if one.outcome == name] for name in OUTCOMES}
    worst, *others = [name for name in OUTCOMES if grouped[name]]
    named = [
        f"{one.limit}: {one.test}, {one.set}: {change_in_words(one)}"
        for one in grouped[worst][:_NAMED]
    ]
    if more := len(grouped[worst]) - len(named):
        named.append(f"{more} more")
    rest = [f"{len(grouped[name])} {name}" for name in others]
    return f"{worst.capitalize()}: {'; '.join([*named, *rest])}."


def limits_table(found: Sequence[Finding]) -> Table:
    """Return what became of each limit in each test, the worst first."""
    ordered = sorted(found, key=lambda one: OUTCOMES.index(one.outcome))
    cells = [[one.outcome, one.limit, one.test, one.set, change_in_words(one)] for one in ordered]
    return Table("limits", ["outcome", "limit", "test", "set", "change"], cells)
