"""fio's JSON objects in a text (several, mended or cut), and where the figures of jobs stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from sdanalysis.parsers.fio.options import DIRECTIONS

_KEY = re.compile(r'"fio version"\s*:')
_OBJECT_ON_A_LINE = re.compile(r"^[ \t]*\{", re.MULTILINE)
_DECODER = json.JSONDecoder()
# C's words for what is no number; not legal JSON. Replaced by Python's of the same length.
_NOT_A_NUMBER = re.compile(r"(?<=[:\[\s,])-?(?:nan|inf(?:inity)?)(?=\s*[,}\]\n])", re.IGNORECASE)
# What fio and its engines write to the terminal while the JSON is being written.
_FOREIGN = re.compile(
    r"^[ \t]*(?:fio: |note: |Jobs: \d|hostname=|client <|<[^>\n]*> |Disk stats \(|\[sudo\])[^\n]*$",
    re.MULTILINE,
)


class Document(NamedTuple):
    """One JSON object: its content and the text it stands in, `text[start:end]`."""

    content: dict
    text: str = ""
    start: int = 0
    end: int = 0
    offset: int = 0  # of `text` in the whole text
    # where in the whole text, and how, the object is not what fio writes
    problem: tuple[int, str] | None = None
    complete: bool = True
    open_end: str | None = None  # what follows the last whole job in a list that is cut

    @property
    def entries(self) -> list[dict]:
        """The entries of the jobs, of fio itself or of its clients."""
        lists = [self.content.get(key) for key in ("jobs", "client_stats")]
        found = next((entries for entries in lists if isinstance(entries, list)), [])
        return [entry for entry in found if isinstance(entry, dict)]


def documents(text: str) -> Iterator[Document]:
    """Yield fio's objects in the order of the text; an unreadable one has no content."""
    at = 0
    while key := _KEY.search(text, at):
        document = _around(text, at, key.start())
        yield document
        at = max(document.offset + document.end, key.end())


def _around(text: str, least: int, key: int) -> Document:
    """Return the object that holds this key, at `key`; it may begin no earlier than `least`."""
    before = text[max(least, key - 200) : key].rstrip()
    if before.endswith("{"):
        start = max(least, key - 200) + len(before) - 1
        try:
            return _decoded(text, start)
        except (ValueError, RecursionError):
            return _mended(text, start)
    # Keys in another order (sorted by somebody's program): try what looks like a beginning.
    for brace in list(_OBJECT_ON_A_LINE.finditer(text, least, key))[:20]:
        with suppress(ValueError):
            found = _decoded(text, brace.end() - 1)
            if found.end > key:
                return found
    problem = (key, "found `fio version` outside of a readable JSON object, expected fio's object")
    return Document({}, text, key, key, problem=problem, complete=False)


def _decoded(text: str, start: int) -> Document:
    content, end = _DECODER.raw_decode(text, start)
    return Document(content, text, start, end)


def _mended(text: str, start: int) -> Document:
    """Read an object again without lines of other programs in it and with NaN as Python's word."""
    following = _KEY.search(text, start + 20)
    piece = text[start : following.start() if following else len(text)]
    piece = _FOREIGN.sub(lambda line: " " * len(line[0]), piece)
    piece = _NOT_A_NUMBER.sub(lambda word: "NaN".rjust(len(word[0])), piece)
    try:
        content, end = _DECODER.raw_decode(piece)
    except ValueError as error:
        return _finished_jobs(piece, start, getattr(error, "pos", len(piece)))
    except RecursionError:
        deep = (start, "found an object nested too deep, expected fio's JSON object")
        return Document({}, piece, 0, len(piece), start, deep, False)
    problem = None
    if foreign := _FOREIGN.search(text, start, start + end):
        problem = (foreign.start(), f"found {foreign[0].strip()[:60]!r} inside the JSON, left out")
    return Document(content, piece, 0, end, start, problem)


def _finished_jobs(piece: str, start: int, broken: int) -> Document:
    """Return what a cut object holds: the job entries that are whole, and the keys before them."""
    content: dict = {}
    entries: list = []
    open_end = None
    for key in ("fio version", "timestamp", "timestamp_ms", "global options"):
        if match := re.search(rf'"{key}"\s*:\s*', piece[:broken]):
            with suppress(ValueError):
                content[key], _ = _DECODER.raw_decode(piece, match.end())
    if found := re.search(r'"(jobs|client_stats)"\s*:\s*\[', piece[:broken]):
        content[found[1]] = entries
        at = found.end()
        with suppress(ValueError, RecursionError):
            while brace := re.compile(r"[\s,]*(?=\{)").match(piece, at):
                entry, at = _DECODER.raw_decode(piece, brace.end())
                entries.append(entry)
        if not re.compile(r"\s*\]").match(piece, at):
            open_end = piece[at : at + 1000]
    text = (
        f"found JSON that is cut or damaged here ({len(entries)} whole jobs before it), "
        "expected fio's whole object"
    )
    return Document(content, piece, 0, len(piece), start, (start + broken, text), False, open_end)


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
    return (
        ("bandwidth", "bw_bytes" if "bw_bytes" in part else "bw", None),
        ("iops", "iops", None),
        ("latency", "lat_ns" if "lat_ns" in part else "lat", "mean"),
    )


def used(entry: dict) -> list[str]:
    """Return the directions in which a job did any I/O (or claims a rate without any)."""
    parts = [(direction, entry.get(direction)) for direction in DIRECTIONS]
    return [
        direction
        for direction, part in parts
        if isinstance(part, dict)
        and (part.get("io_bytes") or part.get("bw") or part.get("bw_bytes"))
    ]


def places(document: Document) -> list[Places]:
    """Return, for each job entry, the offset and the printed text of each figure.

    fio writes its keys in one order, so a search forward finds them; every number found is compared
    with the one that the JSON library read, and if one differs the text is read token by token.
    """
    found: list[Places] = []
    at = document.start
    for entry in document.entries:
        at = document.text.find('"jobname"', at) + 9
        spots = _quick(entry, document.text, at) if at >= 9 else None
        if spots is None:
            return _exact(document)
        found.append(spots)
    return found


def _quick(entry: dict, text: str, at: int) -> Places | None:
    found: Places = {}
    colon = next((sign for sign in _COLONS if text.startswith(sign, at)), None)
    if colon is None:
        return None
    for direction in used(entry):
        here = text.find(f'"{direction}"{colon}{{', at)
        if here < 0 or not _direction(entry[direction], direction, text, here, colon, found):
            return None
    return found


def _direction(part: dict, direction: str, text: str, here: int, colon: str, found: Places) -> bool:
    for metric, key, inner in figures(part):
        value, label = part.get(key), f'"{key}"{colon}'
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
        if here < len(label) or number is None or float(number[0]) != value:
            return False
        found[direction, metric] = Spot(here, number[0])
    return True


def _exact(document: Document) -> list[Places]:
    """Read token by token: slow, and right whatever the order of the keys."""
    spots = _numbers(document.text, document.start, document.end)
    name = "jobs" if any(path[:1] == ("jobs",) for path in spots) else "client_stats"
    found: list[Places] = []
    for index, entry in enumerate(document.entries):
        here: Places = {}
        for direction in used(entry):
            for metric, key, inner in figures(entry[direction]):
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
