"""The objects of fio's JSON in a text: whole, cut or damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Problem

loads: Callable[[str], Any] = json.loads
with suppress(ImportError):  # five times as fast, where it is installed; it takes no NaN
    from orjson import loads

Entry = dict[str, Any]

_JOBS = re.compile(r'"(?:jobs|client_stats)"\s*:\s*\[')
_NEXT_JOB = re.compile(r"[\s,]*(?=\{)")
_NAN = re.compile(r":\s*-?(?:nan|inf)\b")  # which no JSON has
_DECODER = json.JSONDecoder()
_MOST_DAMAGED = 100  # objects of a text: each costs a look at all of it


class Document(NamedTuple):
    """One object of fio: its content, where it stands, and where it is damaged (0: whole)."""

    content: dict[str, Any]
    start: int
    end: int
    damage: int = 0
    is_open: bool = False  # damaged before the end of its list of jobs

    @property
    def entries(self) -> list[Entry]:
        """Its jobs, those of a client as well."""
        found = self.content.get("jobs", self.content.get("client_stats"))
        found = found if isinstance(found, list) else []
        return [entry for entry in found if isinstance(entry, dict)]

    @property
    def shared(self) -> Entry:
        """The options of all its jobs; the client prints them as a list."""
        found = self.content.get("global options")
        found = found[0] if isinstance(found, list) and found else found
        return found if isinstance(found, dict) else {}

    @property
    def version(self) -> str | None:
        """The version of fio: `3.33`."""
        return str(self.content.get("fio version", "")).removeprefix("fio-") or None

    def problems(self, first: int, place: Callable[[int], tuple[int, int]]) -> Iterator[Problem]:
        """Say what is wrong with it; it begins at a line, and `place` gives those of offsets."""
        if self.damage:
            line, column = place(self.damage)
            text = f"found JSON that is cut or damaged at column {column}"
            whole = f"({len(self.entries)} whole jobs above), expected fio's whole object"
            yield Problem(line, f"{text} {whole}")
        elif not self.entries:
            yield Problem(first, "found no `jobs` in fio's object, expected a list of them")


def documents(text: str) -> Iterator[Document]:
    """Yield the objects of a text, whole or not."""
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            content = loads(text)
            if "fio version" in content:
                yield Document(content, 0, len(text))
                return
    at = damaged = 0
    while damaged < _MOST_DAMAGED and (key := text.find('"fio version"', at)) >= 0:
        start = text.rfind("{", at, key)
        at = key + 1
        if start >= 0:
            found = _document(text, start, text.find('"fio version"', at))
            at = max(found.end, at)
            damaged += found.damage > 0
            yield found


def _document(text: str, start: int, following: int) -> Document:
    """Return the object that begins at a place; the next one's key stands at `following`."""
    piece = text[start:] if following < 0 else text[start:following]
    if "nan" in piece or "inf" in piece:
        piece = _NAN.sub(lambda word: ":" + "NaN".rjust(len(word[0]) - 1), piece)
    try:
        content, end = _DECODER.raw_decode(piece)
    except (ValueError, RecursionError) as error:
        content, end = _whole_jobs(piece)
        length = len(piece.rstrip("\n"))  # not on a line that is not there
        damage = start + max(min(getattr(error, "pos", 0), length), end, 1)
        is_open = piece[end:].lstrip()[:1] != "]"
        return Document(content, start, start + max(end, 1), damage, is_open)
    return Document(content, start, start + end)


def _whole_jobs(piece: str) -> tuple[dict[str, Any], int]:
    """Return what is whole of an object that is cut or damaged, and where that ends."""
    content, end = dict[str, Any](), 0
    with suppress(ValueError, RecursionError):
        if begin := _JOBS.search(piece):
            content = json.loads(piece[: begin.start()].rstrip(" \r\n\t,") + "}")
            content["jobs"], end = [], begin.end()
        while content and (opened := _NEXT_JOB.match(piece, end)):
            job, end = _DECODER.raw_decode(piece, opened.end())
            content["jobs"].append(job)
    return content, end
