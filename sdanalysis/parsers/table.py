"""A published table, declared by one regular expression with named groups, -> measurements.

The conditions that a declaration sets are merged level by level, checked, turned into columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from sdanalysis.codebook import units
from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import DeclarationError, ParseError, SdAnalysisError
from sdanalysis.toml import Kinds, check_keys, check_word

_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_PIECES = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|0[0-7]{0,2}|.)"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]"  # a set of characters
    r"|\(\?P[<=]\w+[>)]|\(\?#[^)]*\)|\{\d*,?\d*\}"  # a group's name, a comment, a count
    r"|(?P<digits>\d+(?:(?:\\\.|,)\d+)*)(?![*+?{\d])|\d",
    re.DOTALL | re.ASCII,
)
_BY_NUMBER = re.compile(r"\\[1-9]|\(\?\(\d")  # groups that more groups would renumber
Conditions = Mapping[str, Any]

_SIZES = ("block_size", "file_size")
_COUNTS = ("numjobs", "iodepth")
_BOUNDS = ("low", "value", "high")

# Columns of a measurement, with the kinds of TOML value that they take.
COLUMNS: Kinds = {
    **dict.fromkeys(("measured_by", "origin", "host", "reader", "system", "label"), str),
    **dict.fromkeys(("tool", "tool_version", "op", "stat", "run"), str),
    **dict.fromkeys((*_SIZES, *_COUNTS), (str, int)),
    "read_mix": (int, float),
    "direct": bool,
    "repeat": int,  # of a file with the log of one run of several
    "remarks": list[str],
}
# How a number is to be read.
READING: Kinds = {
    **dict.fromkeys(("unit", "raw_unit", "unit_why", "metric", "rounding"), str),
    "bytes_per_unit": dict,
}
ROUNDINGS = ("nearest", "down", "down_per_job")
THOUSANDS = (",", ".", "'", "’", " ", "_")
NOT_STATED = ""  # takes back a condition that holds for the tool in general


def check_conditions(where: str, conditions: Conditions) -> None:
    """Refuse, in a message that begins with `where`, a condition unknown or of the wrong kind."""
    if not isinstance(conditions, Mapping):
        raise SdAnalysisError(f"{where}: found {conditions!r}, expected conditions")
    open_ones = {name for name in conditions if name in COLUMNS and conditions[name] == NOT_STATED}
    stated = {name: conditions[name] for name in conditions if name not in open_ones}
    check_keys(where, stated, {}, {**COLUMNS, **READING})
    check_word(f"{where}: rounding", conditions.get("rounding", ROUNDINGS[0]), ROUNDINGS)
    declared = conditions.get("bytes_per_unit", dict.fromkeys(_BOUNDS, 1))
    numbers = [declared.get(name, "") for name in _BOUNDS]
    are_numbers = len(declared) == 3 and all(type(number) in (int, float) for number in numbers)
    if not are_numbers or not 0 < numbers[0] <= numbers[1] <= numbers[2]:
        raise SdAnalysisError(
            f"{where}: bytes_per_unit: found {declared!r}, expected numbers above zero "
            "`{ value, low, high }` with low <= value <= high"
        )


def merge(*levels: Conditions) -> dict[str, Any]:
    """Return the conditions of several levels: the later wins, remarks add up."""
    merged: dict[str, Any] = {}
    for level in levels:
        remarks = (*merged.get("remarks", ()), *level.get("remarks", ()))
        merged.update(level)
        merged["remarks"] = tuple(dict.fromkeys(remarks))
    return merged


def columns_of(conditions: Conditions) -> dict[str, Any]:
    """Return the columns among the conditions, sizes in bytes and counts as integers."""
    stated = {name: value for name, value in conditions.items() if value != NOT_STATED}
    made = {name: make(str(stated[name])) for name, make in _MADE.items() if name in stated}
    return {name: made.get(name, value) for name, value in stated.items() if name not in READING}


def _count(printed: str) -> int:
    count = units.whole_number(printed)
    if not count:
        raise SdAnalysisError(f"found {printed!r}, expected a whole number above zero")
    return count


_MADE = {**dict.fromkeys(_SIZES, units.size_in_bytes), **dict.fromkeys(_COUNTS, _count)}


def unit_in(conditions: Conditions) -> units.Unit:
    """Return the declared unit, or what the tool's own word means."""
    if "unit" not in conditions:
        raise SdAnalysisError("found a value without a unit, expected `unit` for every value")
    if "bytes_per_unit" not in conditions:
        return units.unit_of(conditions.get("tool", ""), conditions["unit"])
    low, factor, high = (conditions["bytes_per_unit"][name] for name in _BOUNDS)
    return units.Unit("bandwidth", factor, low, high, why=conditions.get("unit_why", "declared"))


@dataclass(frozen=True, kw_only=True)
class Table:
    """The declaration of one table layout, of which a file may have several.

    `values` names the groups of `row` that are results, with their conditions; `maps` gives,
    for a group, the conditions that each printed text stands for; `tools` the conditions that
    hold for every figure of a tool.
    """

    name: str
    row: re.Pattern[str]
    skip: tuple[re.Pattern[str], ...]
    values: Mapping[str, Conditions]
    maps: Mapping[str, Mapping[str, Conditions]]
    tools: Mapping[str, Conditions]
    words: Mapping[str, str]
    label: str = "{label}"
    run: str | None = None
    decimal_comma: bool = False
    thousands: str = ""
    repeats: bool = False


class _Row(NamedTuple):
    """One match of a table, its number, and where the lines of the text begin."""

    match: re.Match[str]
    number: int
    starts: Sequence[int]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line number and the column, both from 1, of an offset in the text."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def read(
    lines: Sequence[str], table: Table, given: Conditions
) -> tuple[list[Measurement], set[int]]:
    """Return the table's measurements and the numbers of the lines that they claim.

    Raises ParseError: A result is no number and no declared word, or no group names a number of
    a claimed line; DeclarationError: The pattern matches nothing.
    """
    text = "\n".join(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    measurements: list[Measurement] = []
    claimed: set[int] = set()
    for number, match in enumerate(_with_spelled(table.row).finditer(text), 1):
        row = _Row(match, number, starts)
        span = range(row.place(match.start())[0], row.place(max(match.end() - 1, 0))[0] + 1)
        if not match.group().strip() or claimed.intersection(span):
            problem = f"the row pattern matches line {span[0]} emptily or twice"
            raise DeclarationError(f"table {table.name}: {problem}, expected one row a match")
        claimed.update(span)
        _check_numbers(row, span, table)
        measurements += _measurements(row, table, given)
    if not measurements:
        raise DeclarationError(f"table {table.name}: found no row that its pattern matches")
    return measurements, claimed


@lru_cache(maxsize=64)
def _with_spelled(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern with a named group around each number that its author spelled out."""
    if _BY_NUMBER.search(pattern.pattern):
        return pattern

    def named(piece: re.Match[str]) -> str:
        digits = piece["digits"]
        return f"(?P<_spelled{piece.start()}>{digits})" if digits else piece[0]

    text = _PIECES.sub(named, pattern.pattern)
    try:
        return re.compile(text, pattern.flags)
    except re.error:  # by what this module does not know of patterns
        return pattern


def _check_numbers(row: _Row, span: range, table: Table) -> None:
    """Refuse a number on the row's lines that nobody would read whole, in one named group."""
    groups = [row.match.span(name) for name in row.match.re.groupindex]
    first, last = row.starts[span[0] - 1], row.starts[span[-1]] - 1
    for number in _NUMBERS.finditer(row.match.string, first, last):
        if not any(start <= number.start() and number.end() <= end for start, end in groups):
            text = f"found the number {number.group()!r} that no group of table {table.name} names"
            text = f"{text}, expected each to be a value or a condition, or spelled out in `row`"
            raise ParseError(row.place(number.start())[0], text)


def _measurements(row: _Row, table: Table, given: Conditions) -> Iterator[Measurement]:
    groups = {name: text or "" for name, text in row.match.groupdict().items()}
    start, _ = row.place(row.match.start())
    mapped: dict[str, Any] = {}
    for group, meanings in table.maps.items():
        text = groups[group].strip()
        if text not in meanings:
            known = ", ".join(map(repr, meanings))
            raise ParseError(start, f"found {text!r} as {group}, expected one of {known}")
        mapped = merge(mapped, meanings[text])
    printed = {name: text for name, text in groups.items() if name in COLUMNS and text}
    for name, spec in table.values.items():
        if row.match.start(name) == -1:
            continue
        tool = merge(given, spec).get("tool", "")
        conditions = merge(table.tools.get(tool, {}), given, mapped, spec, printed)
        label = _filled(table.label, {**groups, "label": conditions.get("label", "")})
        if not label:
            text = f"table {table.name}: found a row without a label, expected a group or a given "
            raise ParseError(start, f"{text}`label` that names its medium")
        conditions["label"] = label
        run = _filled(table.run or "{row}-{tool}", {**groups, **conditions, "row": start})
        derived = conditions.get("origin") == "derived"  # a summary is no invocation of a tool
        conditions["run"] = None if derived else run
        yield _measurement(row, name, table, conditions)


def _filled(template: str, texts: Mapping[str, Any]) -> str:
    """Return the template with its names replaced; a condition that is not stated is empty."""
    return template.format_map(defaultdict(str, texts))


def _measurement(row: _Row, name: str, table: Table, conditions: dict[str, Any]) -> Measurement:
    line, column = row.place(row.match.start(name))
    raw = row.match[name].strip()
    try:
        unit = unit_in(conditions)
        columns = columns_of(conditions)
        reading = _reading(raw, unit, table, conditions)
        missing = {"tool", "op"} - columns.keys()
        if missing:
            raise SdAnalysisError(f"value {name}: expected {' and '.join(sorted(missing))}")
    except SdAnalysisError as error:
        raise ParseError(line, f"table {table.name}: {error}") from error
    return Measurement(
        line=line,
        column=column,
        metric=conditions.get("metric", unit.metric),
        raw=raw or None,
        raw_unit=conditions.get("raw_unit", conditions["unit"]) or None,
        name=name,
        **{"repeat": row.number if table.repeats else 1, **reading, **columns},
    )


def _reading(raw: str, unit: units.Unit, table: Table, conditions: Conditions) -> dict[str, Any]:
    """Return value, interval, status and the step that led there, for one printed cell."""
    if not raw:
        return {"status": "not_measured", "steps": ("a blank cell: not measured",)}
    if raw in table.words:
        return {"status": table.words[raw], "steps": (f"{raw!r} is a word, not a number",)}
    digits = raw.removesuffix("%") if conditions["unit"] == "%" else raw
    comma = table.decimal_comma
    number = units.number_of(plain_number(digits, decimal_comma=comma, thousands=table.thousands))
    if unit.whole and number.exponent < 0 and "rounding" not in conditions:
        raise SdAnalysisError(
            f"found {raw!r} {conditions['unit']}, expected a whole number, as the tool prints: "
            "declare `thousands` if its mark parts thousands, or for a mean "
            '`rounding = "nearest"`'
        )
    rounding = conditions.get("rounding", "down" if unit.truncated else "nearest")
    jobs = int(conditions.get("numjobs") or 1) if rounding == "down_per_job" else 1
    value, low, high = units.interval(number, unit, truncated=rounding != "nearest", width=jobs)
    if not value:
        raise SdAnalysisError(f"found {raw!r}, expected a number above zero")
    step = f"{raw} {conditions['unit']} x {unit.factor:,.12g}"
    if unit.low != unit.high:
        step += f" ({unit.low:,.0f} to {unit.high:,.0f} B possible)"
    steps = (f"{step}: {unit.why}; last digit {rounding.replace('_', ' ')}",)
    return {"value": value, "value_low": low, "value_high": high, "steps": steps}


def plain_number(printed: str, *, decimal_comma: bool = False, thousands: str = "") -> str:
    """Return a number with a point and without marks of thousands, which are never guessed."""
    mark, decimal = ("comma", ",") if decimal_comma else ("point", ".")
    if thousands:
        groups = rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+"
        if not re.fullmatch(rf"(?:{groups}|\d+)(?:\{decimal}\d+)?", printed, re.ASCII):
            text = f"groups of three digits parted by {thousands!r}, and {decimal!r} before"
            raise SdAnalysisError(f"found {printed!r}, expected {text} decimals, as is declared")
        return printed.replace(thousands, "").replace(decimal, ".")
    marks = re.findall(r"[.,]", printed)
    may_be_thousands = decimal_comma and re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", printed)
    if len(marks) > 1 or may_be_thousands or (marks == [","] and not decimal_comma):
        comma = "without decimal_comma" if marks[0] == "," else "with `decimal_comma = true`"
        advice = f'declare `thousands = "{marks[0]}"`, {comma}'
        advice += "" if decimal_comma else ", or `decimal_comma = true`"
        raise SdAnalysisError(f"found {printed!r}, expected a decimal {mark} ({advice})")
    return printed.replace(",", ".")
