"""Where in the text of a JSON document the figures of its jobs stand."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from sdanalysis.parsers.fio.options import DIRECTIONS

_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*|-?NaN|-?Infinity")
# json.dumps, fio and compact writers differ in the blanks around the colon.
_COLONS = (" : ", ": ", ":")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Spot(NamedTuple):
    """A number of the document: where it stands, and as printed."""

    offset: int
    text: str


Places = dict[tuple[str, str], Spot]  # by direction and metric


def figures(part: dict) -> tuple[tuple[str, str, str | None], ...]:
    """Return (metric, key, inner key) of the figures of one direction, in the order of the file."""
    return _FIGURES["bw_bytes" in part, "lat_ns" in part]


_FIGURES = {
    (exact, nanoseconds): (
        ("bandwidth", "bw_bytes" if exact else "bw", None),
        ("iops", "iops", None),
        ("latency", "lat_ns" if nanoseconds else "lat", "mean"),
    )
    for exact in (True, False)
    for nanoseconds in (True, False)
}


def is_used(part: object) -> bool:
    """Tell whether a direction did any I/O (or claims a rate without any)."""
    return isinstance(part, dict) and bool(
        part.get("io_bytes") or part.get("bw") or part.get("bw_bytes")
    )


def places(entries: list[dict], text: str, start: int, end: int) -> list[Places]:
    """Return, for each entry, the offset and the printed text of each figure.

    fio writes its keys in one order, so a search forward finds them; every number found is compared
    with the one that the JSON library read, and if one differs the text is read token by token.
    """
    found: list[Places] = []
    at = start
    for entry in entries:
        quick = _quick(entry, text, at)
        if quick is None:
            return _exact(entries, text, start, end)
        spots, at = quick
        found.append(spots)
    return found


def _quick(entry: dict, text: str, at: int) -> tuple[Places, int] | None:
    at = text.find('"jobname"', at)
    if at < 0:
        return None
    after = at + 9
    colon = next((sign for sign in _COLONS if text.startswith(sign, after)), None)
    if colon is None:
        return None
    found: Places = {}
    for direction in DIRECTIONS:
        part = entry.get(direction)
        if not part or not is_used(part):
            continue
        here = text.find(f'"{direction}"{colon}{{', after)
        if here < 0 or not _direction(part, direction, text, here, colon, found):
            return None
    return found, after


def _direction(part: dict, direction: str, text: str, here: int, colon: str, found: Places) -> bool:
    for metric, key, inner in figures(part):
        value = part.get(key)
        label = f'"{key}"{colon}'
        if inner is not None:
            if not isinstance(value, dict) or inner not in value:
                continue
            value = value[inner]
            here = text.find(label, here)
            label = f'"{inner}"{colon}'
        elif key not in part:
            continue
        here = text.find(label, here) + len(label)
        number = _NUMBER.match(text, here)
        if here < len(label) or number is None or _float(number[0]) != value:
            return False
        found[direction, metric] = Spot(here, number[0])
    return True


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _exact(entries: list[dict], text: str, start: int, end: int) -> list[Places]:
    """Read token by token: slow, and right whatever the order of the keys."""
    spots = _numbers(text, start, end)
    lists = {path[0] for path in spots if path and path[0] in ("jobs", "client_stats")}
    name = "jobs" if "jobs" in lists else "client_stats"
    found: list[Places] = []
    for index, entry in enumerate(entries):
        here: Places = {}
        for direction in DIRECTIONS:
            part = entry.get(direction)
            for metric, key, inner in figures(part) if part and is_used(part) else ():
                path = (name, index, direction, key, *([inner] if inner else []))
                if path in spots:
                    here[direction, metric] = spots[path]
        found.append(here)
    return found


def _numbers(text: str, start: int, end: int) -> dict[tuple, Spot]:
    """Return the plain values, by their paths, of a JSON text; of twins the last."""
    spots: dict[tuple, Spot] = {}
    path: list[Any] = [None]  # the first stays, whatever a damaged text closes too often
    key: Any = None
    before = ""
    for token in _TOKEN.finditer(text, start, end):
        word = token[0]
        if word in "{[":
            path.append(0 if word == "[" else None)
        elif word in "}]":
            path[1:] = path[1:-1]
        elif word == "," and isinstance(path[-1], int):
            path[-1] += 1
        elif word == ":":
            path[-1] = key
        elif word[0] == '"' and before != ":":
            key = word[1:-1]
        elif word != ",":
            spots[tuple(path[1:])] = Spot(token.start(), word)
        before = word
    return spots
