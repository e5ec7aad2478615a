"""Conditions that a declaration may set: merged level by level, checked, turned into columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdanalysis.codebook.units import Unit, number_of, size_in_bytes, unit_of
from sdanalysis.errors import SdAnalysisError

Conditions = Mapping[str, Any]

_SIZES = ("block_size", "file_size")
_COUNTS = ("numjobs", "iodepth")

# Columns of a measurement, with the kinds of TOML value that they take.
COLUMNS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(
        ("measured_by", "origin", "host", "reader", "system", "label", "tool", "tool_version"),
        (str,),
    ),
    **dict.fromkeys(("op", "stat", "run"), (str,)),
    **dict.fromkeys((*_SIZES, *_COUNTS), (str, int)),
    "read_mix": (int, float),
    "direct": (bool,),
    "remarks": (list, tuple),
}
# How a number is to be read.
READING: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("unit", "raw_unit", "unit_why", "metric"), (str,)),
    "bytes_per_unit": (dict,),
    "rounding": (str,),
}
ROUNDINGS = ("nearest", "down", "down_per_job")
NOT_STATED = ""  # takes back a condition that holds for the tool in general


def check_conditions(where: str, conditions: Conditions) -> None:
    """Refuse a condition that is not known or is of the wrong kind.

    Raises SdAnalysisError: The message begins with `where` and names the condition.
    """
    known = COLUMNS | READING
    if not isinstance(conditions, Mapping):
        raise SdAnalysisError(f"{where}: found {conditions!r}, expected conditions")
    for name, value in conditions.items():
        if name not in known:
            raise SdAnalysisError(
                f"{where}: found {name}, expected only {', '.join(sorted(known))}"
            )
        not_stated = name in COLUMNS and value == NOT_STATED
        if not not_stated and not _is_kind(value, known[name]):
            kinds = " or ".join(kind.__name__ for kind in known[name])
            raise SdAnalysisError(f"{where}: {name}: found {value!r}, expected {kinds}")
    rounding = conditions.get("rounding", ROUNDINGS[0])
    if rounding not in ROUNDINGS:
        raise SdAnalysisError(
            f"{where}: rounding: found {rounding!r}, expected one of {', '.join(ROUNDINGS)}"
        )
    if "bytes_per_unit" in conditions:
        _check_bytes_per_unit(where, conditions["bytes_per_unit"])


def _is_kind(value: object, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, list | tuple):
        return list in kinds and all(isinstance(word, str) for word in value)
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _check_bytes_per_unit(where: str, declared: Mapping[str, Any]) -> None:
    numbers = [declared.get(name, "") for name in ("low", "value", "high")]
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
    """Return the columns among the conditions, sizes in bytes and counts as integers.

    Raises SdAnalysisError: A size or a count cannot be read.
    """
    columns: dict[str, Any] = {}
    for name, value in conditions.items():
        if name in READING or value == NOT_STATED:
            continue
        if name in _SIZES:
            columns[name] = size_in_bytes(str(value))
        elif name in _COUNTS:
            columns[name] = _count(str(value))
        else:
            columns[name] = value
    return columns


def _count(printed: str) -> int:
    value = number_of(printed).value
    if value < 1 or value % 1:
        raise SdAnalysisError(f"found {printed!r}, expected a whole number above zero")
    return int(value)


def unit_in(conditions: Conditions) -> Unit:
    """Return the declared unit, or what the tool's own word means.

    Raises SdAnalysisError: There is no unit, or the tool prints no such word.
    """
    if "unit" not in conditions:
        raise SdAnalysisError("found a value without a unit, expected `unit` for every value")
    declared = conditions.get("bytes_per_unit")
    if declared is None:
        return unit_of(conditions.get("tool", ""), conditions["unit"])
    why = conditions.get("unit_why", "declared")
    return Unit(
        metric="bandwidth",
        factor=declared["value"],
        low=declared["low"],
        high=declared["high"],
        why=why,
    )
