"""fio's JSON objects in a text (several, mended or cut), and where the figures of jobs stand."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.options import DIRECTIONS

NO_COUNT = 10**18  # more than a machine counts
_DEEP = 20  # fio's objects are less so
_MISSES = 50  # keys outside of objects: such a text has no objects that somebody sorted

_KEY = re.compile(r'"fio version"\s*:')
_NAME = re.compile(r'"jobname"\s*:')
_FOLLOWING = re.compile(r"[\s,]*(?=\{)")
_OBJECT_ON_A_LINE = re.compile(r"^[ \t]*\{", re.MULTILINE)
_DECODER = json.JSONDecoder()
# C's words for what is no number, which is not legal JSON, and numbers that are none of a machine.
# Read as Python's NaN of the same length, and printed as they are.
_NOT_A_NUMBER = re.compile(
    r"(?<=[:\[\s,])(?:-?(?:nan|inf(?:inity)?)|-?[0-9]{300,})(?=\s*[,}\]\n])", re.IGNORECASE
)
_COMMA = re.compile(r",(?=\s*\})")  # behind it somebody has left out what stood there
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
    foreign: str = ""  # lines of other programs in it
    cut_job: dict | None = None  # of the job below the last whole one, what stands whole

    @property
    def is_kept(self) -> bool:
        """Tell whether these are jobs of an object of which somebody kept no more."""
        return "fio version" not in self.content

    @property
    def entries(self) -> list[dict]:
        """The entries of the jobs, of fio itself or of its clients."""
        lists = [self.content.get(key) for key in ("jobs", "client_stats")]
        found = next((entries for entries in lists if isinstance(entries, list)), [])
        return [entry for entry in found if isinstance(entry, dict)]


def documents(text: str) -> Iterator[Document]:
    """Yield fio's objects in the order of the text; an unreadable one has no content."""
    at = 0
    keys = [key.start() for key in _KEY.finditer(text)]
    if not keys:
        yield from _kept(text)
    misses = 0
    braces: deque[int] | None = None  # where an object may begin whose keys somebody sorted
    for number, key in enumerate(keys):
        if key < at:
            continue
        before = text[max(at, key - 200) : key].rstrip()
        if before.endswith("{"):
            start = max(at, key - 200) + len(before) - 1
            following = next((end for end in keys[number + 1 : number + 2]), len(text))
            document = _beginning(text, start, following)
        else:
            if braces is None:
                braces = deque(brace.end() - 1 for brace in _OBJECT_ON_A_LINE.finditer(text))
            document = _around(text, braces, at, key)
            misses += document.start == document.end
            if misses > _MISSES:
                braces.clear()
        yield document
        at = max(document.offset + document.end, key + 1)


def _kept(text: str) -> Iterator[Document]:
    """Yield the jobs of objects of which somebody kept these alone, each list as a document."""
    at = 0
    for name in _NAME.finditer(text) if '"io_bytes"' in text else ():
        if name.start() < at:
            continue
        start = max(at + len(text[at : name.start()].rstrip()) - 1, 0)
        entries, at = _entries(text, start) if text[start] == "{" else ([], name.end())
        if any(isinstance(entry, dict) and used(entry) for entry in entries):
            is_total = '"group_reporting"' in text[start:at]
            is_list = is_total or text[at : at + 100].lstrip().startswith("]")
            end = None if is_list else ""  # of one job alone others may have been left out
            yield Document({"jobs": entries}, text, start, at, open_end=end)
        elif not entries:
            word = "found a job of fio's JSON without its `fio version`, expected the whole object"
            yield Document({}, text, start, name.end(), problem=(name.start(), word))


def _entries(text: str, at: int) -> tuple[list, int]:
    """Return the whole jobs of a list from a place on, and where they end."""
    entries: list = []
    with suppress(ValueError, RecursionError):
        while brace := _FOLLOWING.match(text, at):
            entry, at = _DECODER.raw_decode(text, brace.end())
            entries.append(entry)
    return entries, at


def _beginning(text: str, start: int, following: int) -> Document:
    """Return the object that begins here with its key; the next key stands at `following`."""
    try:
        return _decoded(text, start)
    except (ValueError, RecursionError):
        return _mended(text, start, following)


def _around(text: str, braces: deque[int], least: int, key: int) -> Document:
    """Return the object that holds this key, of the first that begin at `braces` after `least`.

    Each is tried once, for one that cannot be read, or ends above this key, holds no later one.
    """
    above = []
    while braces and braces[0] < key:
        above.append(braces.popleft())
    for brace in [place for place in above if place >= least][:20]:
        with suppress(ValueError, RecursionError):
            found = _decoded(text, brace)
            if found.end > key and "fio version" in found.content:
                return found
    problem = (key, "found `fio version` outside of a readable JSON object, expected fio's object")
    return Document({}, text, key, key, problem=problem, complete=False)


def _decoded(text: str, start: int) -> Document:
    content, end = _DECODER.raw_decode(text, start)
    return Document(content, text, start, end)


def _mended(text: str, start: int, following: int) -> Document:
    """Read an object again: without foreign lines and commas at ends, with NaN as Python's word."""
    printed = _FOREIGN.sub(lambda line: " " * len(line[0]), text[start:following])
    piece = _COMMA.sub(" ", _NOT_A_NUMBER.sub(lambda word: "NaN".rjust(len(word[0])), printed))
    try:
        content, end = _DECODER.raw_decode(piece)
    except ValueError as error:
        found = _finished_jobs(piece, start, getattr(error, "pos", len(piece)))
        return found._replace(text=printed)
    except RecursionError:
        deep = (start, "found an object nested too deep, expected fio's JSON object")
        return Document({}, piece, 0, len(piece), start, deep, False)
    foreign = list(_FOREIGN.finditer(text, start, start + end))
    problem = None
    if foreign:
        problem = (foreign[0].start(), f"found {_shown(foreign[0])!r} inside the JSON, left out")
    lines = "\n".join(line[0] for line in foreign)
    return Document(content, printed, 0, end, start, problem, foreign=lines)


def _shown(line: re.Match[str]) -> str:
    return line[0].strip()[:60]


def _finished_jobs(piece: str, start: int, broken: int) -> Document:
    """Return what a cut object holds: the job entries that are whole, and the keys before them."""
    content: dict = {}
    entries: list = []
    open_end = cut_job = None
    for key in ("fio version", "timestamp", "timestamp_ms", "global options"):
        if match := re.search(rf'"{key}"\s*:\s*', piece[:broken]):
            with suppress(ValueError, RecursionError):
                content[key], _ = _DECODER.raw_decode(piece, match.end())
    if found := re.search(r'"(jobs|client_stats)"\s*:\s*\[', piece[:broken]):
        entries, at = _entries(piece, found.end())
        content[found[1]] = entries
        if not re.compile(r"\s*\]").match(piece, at):
            open_end, cut_job = piece[at : at + 1000], _cut_job(piece[at:broken])
    text = (
        f"found JSON that is cut or damaged here ({len(entries)} whole jobs before it), "
        "expected fio's whole object"
    )
    problem = (start + broken, text)
    end = len(piece)
    return Document(content, piece, 0, end, start, problem, False, open_end, cut_job=cut_job)


def _cut_job(text: str) -> dict | None:
    """Return what stands whole of the job that a text begins and does not end: up to a comma."""
    closing: list[str] = []
    end, closed = 0, ""
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            closing.append("}" if token[0] == "{" else "]")
        elif token[0] in "}]" and closing:
            closing.pop()
        elif token[0] == "," and 0 < len(closing) < _DEEP:
            end, closed = token.start(), "".join(reversed(closing))
    with suppress(ValueError, RecursionError):
        entry = json.loads(text[:end].lstrip(", \t\n") + closed)
        return entry if isinstance(entry, dict) else None
    return None


_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]{0,30}(?![0-9.eE+-])")
# json.dumps, fio and compact writers differ in the blanks around the colon.
_COLONS = (" : ", ": ", ":")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Spot(NamedTuple):
    """A number of the document: where it stands, and as printed."""

    offset: int
    text: str


Places = dict[tuple[str, str, str | None], Spot]  # by direction, metric and inner key
LATENCIES = ("min", "max", "mean", "stddev")  # in the order of the file


def figures(part: dict) -> tuple[tuple[str, str, str | None], ...]:
    """Return (metric, key, inner key) of the figures of one direction, in the order of the file."""
    latency = "lat_ns" if "lat_ns" in part else "lat"
    return (
        ("bandwidth", "bw_bytes" if "bw_bytes" in part else "bw", None),
        ("iops", "iops", None),
        *[("latency", latency, inner) for inner in LATENCIES],
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


def is_synced(entry: dict) -> bool:
    """Tell whether latencies of fsync were measured; their `total_ios` may be 0."""
    part = entry.get("sync")
    spread = part.get("lat_ns") if isinstance(part, dict) else None
    return isinstance(spread, dict) and bool(spread.get("mean"))


def _parts(entry: dict) -> list[str]:
    """Return the parts of an entry that hold figures."""
    return [*used(entry), "sync"] if is_synced(entry) else used(entry)


def count_of(value: object) -> int | None:
    """Return a whole number that a machine can have counted, None for anything else."""
    return value if type(value) is int and 0 <= value < NO_COUNT else None


def io_bytes(part: dict, version: object) -> int | None:
    """Return the bytes moved: `io_bytes` is KiB up to 2.20 (stat.c 2.16:903, 2.21:922)."""
    moved = count_of(part.get("io_bytes"))
    if moved is None:
        return None
    if "io_kbytes" in part or (parts := _version(str(version or ""))) >= (2, 21):
        return moved
    return moved * KIB if parts else None


@lru_cache(maxsize=64)
def _version(version: str) -> tuple[int, ...]:
    """Return a version as integers: 2.2.10 is older than 2.3, and 2.10 newer than 2.9."""
    match = re.match(r"(?:fio-)?(\d{1,4}(?:\.\d{1,4})*)", version, re.ASCII)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


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


def places_of_cut(document: Document) -> Places:
    """Return the same of the job that is cut, in the order in which fio writes."""
    at = document.text.rfind('"jobname"') + 9
    return _quick(document.cut_job or {}, document.text, at) or {}


def _quick(entry: dict, text: str, at: int) -> Places | None:
    found: Places = {}
    colon = next((sign for sign in _COLONS if text.startswith(sign, at)), None)
    if colon is None:
        return None
    for direction in _parts(entry):
        here = text.find(f'"{direction}"{colon}{{', at)
        if here < 0 or not _direction(entry[direction], direction, text, here, colon, found):
            return None
    return found


def _direction(part: dict, direction: str, text: str, here: int, colon: str, found: Places) -> bool:
    opened = None
    for metric, key, inner in figures(part):
        value, label = part.get(key), f'"{key}"{colon}'
        if inner is not None:
            if not isinstance(value, dict) or inner not in value:
                continue
            value = value[inner]
            if opened != key:
                here, opened = text.find(label, here), key
            label = f'"{inner}"{colon}'
        elif key not in part:
            continue
        here = text.find(label, here) + len(label)
        number = _NUMBER.match(text, here)
        if here < len(label) or number is None or float(number[0]) != value:
            return False
        found[direction, metric, inner] = Spot(here, number[0])
    return True


def _exact(document: Document) -> list[Places]:
    """Read token by token: slow, and right whatever the order of the keys."""
    spots = _numbers(document.text, document.start, document.end, is_list=document.is_kept)
    name = "jobs" if any(path[:1] == ("jobs",) for path in spots) else "client_stats"
    lead = () if document.is_kept else (name,)
    found: list[Places] = []
    for index, entry in enumerate(document.entries):
        here: Places = {}
        for direction in _parts(entry):
            for metric, key, inner in figures(entry[direction]):
                path = (*lead, index, direction, key, *([inner] if inner else []))
                if path in spots:
                    here[direction, metric, inner] = spots[path]
        found.append(here)
    return found


def _numbers(text: str, start: int, end: int, *, is_list: bool) -> dict[tuple, Spot]:
    """Return the plain values, by their paths, of a JSON text; of twins the last.

    Of what `is_list` the brackets around it are missing.
    """
    spots: dict[tuple, Spot] = {}
    # the first stays, whatever a damaged text closes too often
    path: list[Any] = [None, 0] if is_list else [None]
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
