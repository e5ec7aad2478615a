"""Hold the tests of a comparison against limits such as `randwrite < -10%`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from sdanalysis.codebook.columns import COLUMNS, METRICS, OPS, STATS
from sdanalysis.comparing.comparison import FAILED, KEPT, UNDECIDED, Comparison, Finding, word
from sdanalysis.comparing.sets import conditions, select_rows
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.parsers import WORDS
from sdanalysis.stats.same_test import OP_WORDS
from sdanalysis.text_tables import plain

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
        if "=" in one:
            ((name, (value,)),) = conditions(one).items()
        elif one in _WORDS:
            name, value = _WORDS[one], one
        elif size := _SIZE.fullmatch(one):
            name, value = "block_size", f"{size[1]}{size[2].lower()}"
        else:
            near = get_close_matches(one, _WORDS, 1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            known = "a tool, an op, a metric, a stat, a block size (4k) or a condition (host=pi-4b)"
            raise UsageError(f"found {one!r} in the limit {text!r}, expected {known}{meant}")
        found.setdefault(name, []).append(value)
    return found


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
    found = []
    for one in limits:
        for row in _about(comparison, one).itertuples():
            low, high = 100 * row.low - 100, 100 * row.high - 100
            found.append(
                Finding(
                    limit=one.text,
                    outcome=_outcome(one, low, high),
                    test=_called(comparison, row._asdict()),
                    set=comparison.label(row.set),
                    change=row.percent,
                    low=None if math.isnan(low) else low,
                    high=None if math.isnan(high) else high,
                    why=plain(row.why),
                )
            )
    return found


def _about(comparison: Comparison, one: Limit) -> Any:
    """Return the tests that a limit is about; an error where there is none, or not in each set."""
    types = {name: column.dtype for name, column in COLUMNS.items() if name in comparison.tests}
    tests = comparison.tests if "metric" in one.tests else comparison.counted_tests
    tests = tests.astype(types)
    wanted = {"metric": _RATES} | dict(one.tests)
    absent = [name for name in wanted if name not in tests]
    try:
        if absent:
            differ = f"found no {absent[0]} that tells tests apart"
            raise SdAnalysisError(f"{differ}, expected one of {', '.join(comparison.keys)}")
        found = tests[tests["metric"].isin(wanted.pop("metric"))]
        found = select_rows(found, wanted) if len(found) else found
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
    plain_row = {name: plain(cell) for name, cell in row.items()}
    more = [
        word(name, plain_row[name])
        for name in ("tool", "block_size")
        if name not in comparison.keys and plain_row.get(name) is not None
    ]
    return ", ".join([comparison.test_name(plain_row), *more])
