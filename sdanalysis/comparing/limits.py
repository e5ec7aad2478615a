"""Hold the tests of a comparison against limits such as `randwrite < -10%`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, METRICS, OPS, STATS
from sdanalysis.comparing.comparison import Comparison, word
from sdanalysis.comparing.selection import conditions, select_rows
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.parsers import WORDS
from sdanalysis.stats.same_test import OP_WORDS
from sdanalysis.text_tables import plain

OUTCOMES = FAILED, UNDECIDED, PASSED = "failed", "undecided", "kept"
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

    def outcome(self, low: float, high: float) -> str:
        """Return what becomes of it by an interval: failed where all of it lies beyond the limit.

        Kept where no part of it does; a missing end lies nowhere.
        """
        if self.sign == ">":
            failed, passed = low > self.percent, high <= self.percent
        else:
            failed, passed = high < self.percent, low >= self.percent
        return FAILED if failed else PASSED if passed else UNDECIDED


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
    words = match[1]
    for op, spoken in OP_WORDS.items():
        words = re.sub(rf"\b{spoken}\b", op, words)
    words = re.sub(r"(?<=\d) (?=[kmg]?i?b\b)", "", words, flags=re.IGNORECASE)
    tests: dict[str, list[str]] = {}
    for part in words.replace(",", " ").split():
        name, value = _condition(part, text)
        tests.setdefault(name, []).append(value)
    return Limit(text.strip(), tests, match[2], change)


def _condition(part: str, text: str) -> tuple[str, str]:
    """Return the column and the value that one word of a limit means."""
    if "=" in part:
        ((name, (value,)),) = conditions(part).items()
        return name, value
    if part in _WORDS:
        return _WORDS[part], part
    if size := _SIZE.fullmatch(part):
        return "block_size", f"{size[1]}{size[2].lower()}"
    near = get_close_matches(part, _WORDS, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    known = "a tool, an op, a metric, a stat, a block size (4k) or a condition (host=pi-4b)"
    raise UsageError(f"found {part!r} in the limit {text!r}, expected {known}{meant}")


def findings(comparison: Comparison, limits: Iterable[Limit]) -> list[Finding]:
    """Return what became of each limit in each test that it is about, in every set.

    A limit is broken where the whole interval of the change lies beyond it, and kept where none of
    it does. Otherwise, and without an interval, it is undecided.

    Examples
    --------
    >>> from sdanalysis import comparing
    >>> sets = comparing.read([f"table:measured_by=geerling,host=pi-{n}b" for n in (4, 3)])
    >>> comparison = comparing.compare(sets, where={"tool": ["hdparm"]}, pair="specimen")
    >>> texts = ["read < -10%", "read < -51%", "read < -90%"]
    >>> [it.outcome for it in comparing.findings(comparison, map(comparing.limit, texts))]
    ['failed', 'undecided', 'kept']
    """
    return [
        Finding(
            limit=limit.text,
            outcome=limit.outcome(low, high),
            test=_name(comparison, row),
            set=comparison.labels[row["set"]],
            change=row["percent"],
            low=None if math.isnan(low) else low,
            high=None if math.isnan(high) else high,
            why=plain(row["why"]),
        )
        for limit in limits
        for row in _tests_of(comparison, limit).to_dict("records")
        for low, high in [(100 * row["low"] - 100, 100 * row["high"] - 100)]
    ]


def _tests_of(comparison: Comparison, limit: Limit) -> pd.DataFrame:
    """Return the tests that a limit is about; an error where there is none, or not in each set."""
    tests = comparison.tests if "metric" in limit.tests else comparison.counted_tests
    tests = tests.astype({name: it.dtype for name, it in COLUMNS.items() if name in tests})
    wanted = {"metric": _RATES} | dict(limit.tests)
    where = f"--fail-if {limit.text!r}: "
    if absent := [name for name in wanted if name not in tests]:
        differ = f"found no {absent[0]} that tells tests apart"
        keys = ", ".join(comparison.keys)
        raise SdAnalysisError(f"{where}{differ}, expected one of {keys}")
    tests = tests[tests["metric"].isin(wanted.pop("metric"))]
    try:
        tests = select_rows(tests, wanted) if len(tests) else tests
    except SdAnalysisError as error:
        raise type(error)(f"{where}{error}") from error
    if missing := {*range(1, len(comparison.sides))} - {*tests["set"]}:
        label = comparison.labels[min(missing)]
        latency = "" if "metric" in limit.tests else " (a latency is to be named: `latency > 20%`)"
        text = f"found no such test in both BASE and {label}, expected at least one{latency}"
        raise SdAnalysisError(f"{where}{text}")
    return tests


def _name(comparison: Comparison, row: Mapping[str, object]) -> str:
    """Return what a test is called, with its tool and its block size."""
    cells = {name: plain(cell) for name, cell in row.items()}
    more = [
        word(name, cells[name])
        for name in ("tool", "block_size")
        if name not in comparison.keys and cells.get(name) is not None
    ]
    return ", ".join([comparison.test_name(cells), *more])
