"""fio's JSON objects in a text: several, wrapped in other text, mended or cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_KEY = re.compile(r'"fio version"\s*:')
_OBJECT_ON_A_LINE = re.compile(r"^[ \t]*\{", re.MULTILINE)
_LISTS = ("jobs", "client_stats")
_DECODER = json.JSONDecoder()
# C's words for what is no number; not legal JSON. Replaced by Python's of the same length.
_NOT_A_NUMBER = re.compile(r"(?<=[:\[\s,])-?(?:nan|inf(?:inity)?)(?=\s*[,}\]\n])", re.IGNORECASE)
# What fio and its engines write to the terminal while the JSON is being written.
_FOREIGN = re.compile(
    r"^[ \t]*(?:fio: |note: |Jobs: \d|hostname=|client <|<[^>\n]*> |Disk stats \(|\[sudo\])[^\n]*$",
    re.MULTILINE,
)


class Document(NamedTuple):
    """One JSON object: its content and the text it stands in, `text[start:end]`.

    `offset` is what to add to a place in `text` to get the place in the whole text. `problem` says
    at which place of the whole text, and how, the object is not what fio writes. `open_end` is what
    follows the last whole job in a list of jobs that is cut.
    """

    content: dict
    text: str
    start: int
    end: int
    offset: int = 0
    problem: tuple[int, str] | None = None
    complete: bool = True
    open_end: str | None = None


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
        return _decode(text, start)
    # Keys in another order (sorted by somebody's program): try what looks like a beginning.
    for brace in list(_OBJECT_ON_A_LINE.finditer(text, least, key))[:20]:
        try:
            content, end = _DECODER.raw_decode(text, brace.end() - 1)
        except ValueError:
            continue
        if end > key:
            return Document(content=content, text=text, start=brace.end() - 1, end=end)
    problem = (key, "found `fio version` outside of a readable JSON object, expected fio's object")
    return Document({}, text, key, key, problem=problem, complete=False)


def _decode(text: str, start: int) -> Document:
    try:
        content, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _mended(text, start)
    return Document(content=content, text=text, start=start, end=end)


def _mended(text: str, start: int) -> Document:
    """Read an object again without lines of other programs in it and with NaN as Python's word."""
    following = _KEY.search(text, start + 20)
    piece = text[start : following.start() if following else len(text)]
    piece = _FOREIGN.sub(lambda line: " " * len(line[0]), piece)
    piece = _NOT_A_NUMBER.sub(lambda word: "NaN".rjust(len(word[0])), piece)
    try:
        content, end = _DECODER.raw_decode(piece)
    except ValueError as error:
        place = getattr(error, "pos", len(piece))
        return _finished_jobs(piece, start, place)
    except RecursionError:
        deep = (start, "found an object nested too deep, expected fio's JSON object")
        return Document({}, piece, 0, len(piece), start, deep, False)
    foreign = _FOREIGN.search(text, start, start + end)
    problem = None
    if foreign:
        problem = (foreign.start(), f"found {foreign[0].strip()[:60]!r} inside the JSON, left out")
    return Document(content, piece, 0, end, start, problem)


def _finished_jobs(piece: str, start: int, broken: int) -> Document:
    """Return what a cut object holds: the job entries that are whole, and the keys before them."""
    content: dict = {}
    entries: list = []
    open_end = None
    for key in ("fio version", "timestamp", "timestamp_ms", "global options"):
        if match := re.search(rf'"{key}"\s*:\s*', piece[:broken]):
            try:
                content[key], _ = _DECODER.raw_decode(piece, match.end())
            except ValueError:
                continue
    found = re.search(r'"(jobs|client_stats)"\s*:\s*\[', piece[:broken])
    if found:
        content[found[1]] = entries
        at = found.end()
        while brace := re.compile(r"[\s,]*(?=\{)").match(piece, at):
            try:
                entry, at = _DECODER.raw_decode(piece, brace.end())
            except (ValueError, RecursionError):
                break
            entries.append(entry)
        if not re.compile(r"\s*\]").match(piece, at):
            open_end = piece[at : at + 1000]
    text = (
        f"found JSON that is cut or damaged here ({len(entries)} whole jobs before it), "
        "expected fio's whole object"
    )
    problem = (start + broken, text)
    return Document(content, piece, 0, len(piece), start, problem, False, open_end)


def entries_of(content: dict) -> list[dict]:
    """Return the job entries of a document, of fio itself or of its clients."""
    for key in _LISTS:
        if isinstance(found := content.get(key), list):
            return [entry for entry in found if isinstance(entry, dict)]
    return []
