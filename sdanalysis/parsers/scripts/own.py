"""A summary's figures that the tools' own output in the same log has too: never counted twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Measurement, Problem

_SHOWN = 8  # lines that a word names
_CONDITIONS = ("block_size", "file_size", "numjobs", "iodepth", "read_mix")


def without_repeats(found: Sequence[Measurement]) -> tuple[list[Measurement], list[Problem]]:
    """Return the measurements without a summary's repeats, and a word on these.

    A summary rounds: it repeats a figure of the same tool, operation and conditions where their
    ranges have a value in common.
    """
    own = defaultdict(list)
    for item in found:
        if item.script is None:
            own[item.tool, item.metric].append(item)
    kept: list[Measurement] = []
    repeats: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in found:
        candidates = own[item.tool, item.metric] if item.script else []
        same = next((other for other in candidates if _is_same(item, other)), None)
        if item.script and same:
            repeats[item.script].append((item.line, same.line))
        else:
            kept.append(item)
    return kept, [_word(script, places) for script, places in repeats.items()]


def _is_same(item: Measurement, other: Measurement) -> bool:
    if other.op not in (item.op, "copy"):  # dd does not print whether it read or wrote
        return False
    for name in _CONDITIONS:
        stated = {getattr(item, name), getattr(other, name)} - {None}
        if len(stated) > 1:
            return False
    ends = item.value_low, item.value_high, other.value_low, other.value_high
    if None in ends:
        return False
    low, high, least, most = ends
    return low <= most and least <= high  # type: ignore[operator]  # None is none of them


def _word(script: str, places: Sequence[tuple[int, int]]) -> Problem:
    """Return one word on the figures of a script that were left out, and where they stand."""
    lines, others = (sorted(set(column)) for column in zip(*places, strict=True))
    text = f"found in the summary of {script} (line {_listed(lines)}) what the tools themselves"
    return Problem(lines[0], f"{text} printed (line {_listed(others)}): not counted twice", "note")


def _listed(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_SHOWN]))
    return shown if len(lines) <= _SHOWN else f"{shown} and {len(lines) - _SHOWN} more"
