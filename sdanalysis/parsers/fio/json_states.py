"""Which of fio's JSON documents are results: interim states, texts that repeat, lines around them.

With `--status-interval` each document counts from the start of the run, and only the last is its
result: if the run ended, which the document itself does not say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from sdanalysis.parsers.fio.json_objects import (
    NO_COUNT,
    Document,
    count_of,
    io_bytes,
    used,
)
from sdanalysis.parsers.fio.json_options import options_of
from sdanalysis.parsers.fio.options import DIRECTIONS, conditions

_REPLACED = "--status-interval: a later object of the same run replaces this one"
_CUT = "found a cut object below it, and nothing that says that the run ended here"
_KILLED = "found {!r} below it, expected a run that ended: an interim report"
_GOES_ON = "--status-interval: found nothing that says that the run ended here: an interim report"
_EARLY = (
    "found {moved} bytes in {time} ms, expected the {size} bytes or the {limit} ms of the options: "
    "an interim report, or the run was stopped"
)
_ABOVE = "found {!r} above its object, which says error 0: its figures are those of a failed run"
_SIGNAL = "terminating on signal"
_FAILED = re.compile(r"^[ \t]*(fio: (?:pid=\d+, err=|io_u error)[^\n]*)$", re.MULTILINE | re.ASCII)
_COMMAND = re.compile(r"(?:^|[\s/`])fio[ \t]+(?:-|\S+\.(?:fio|job|ini|cfg)\b)[^\n]*$", re.MULTILINE)
# What a shell writes of a program that a signal ended, with the command or without.
_DIED = re.compile(
    r"(?:\S.*\s\d+\s+|\[\d+\][+-]?\s+)?(?:Killed|Terminated|Aborted|Segmentation fault|Bus error)"
    r"(?:\s+\(core dumped\))?(?:\s.*\bfio\b.*)?",
    re.ASCII,
)
# With these a run may end before its time and its size, or moves what its size does not say.
_ENDS_OTHERWISE = re.compile(
    r"verify|do_verify|experimental_verify|ss\b|ss_|steadystate|number_ios|io_size|io_limit|exitall"
    r"|read_iolog|replay|trigger|zone|fill_device|loops|ramp_time|latency_target|continue_on_error"
)
_TIME = re.compile(r"(\d{1,9})(us|ms|s|m|h|d)?", re.ASCII)
_MILLISECONDS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6, "d": 8.64e7}


class State(NamedTuple):
    """What is known of one document: its run, the status of its rows, and why it is no result."""

    run: int  # the number of the document that begins the run
    status: str = "measured"
    word: str | None = None
    repeats: int | None = None  # the number of the document whose text it repeats


class Limits(NamedTuple):
    """When a job ends by its options: after this time in ms, or with this many bytes."""

    time: float | None = None
    size: int | None = None
    block: int = 0


def states(documents: Sequence[Document], outside: Sequence[str]) -> list[State]:
    """Return the state of each document; `outside` is the text above each, and below the last."""
    found: list[State] = []
    texts = [document.text[document.start : document.end] for document in documents]
    if not all("\n" in text for text in texts):  # of a string, whose line ends are blanks
        texts = ["".join(text.split()) for text in texts]
    firsts: dict[str, int] = {}
    before: int | None = None  # the last document that is no repeated text
    for number, (document, text) in enumerate(zip(documents, texts, strict=True)):
        twin = firsts.setdefault(text, number) if document.complete else number
        if twin != number:
            found.append(State(found[twin].run, repeats=twin))
            continue
        follows = before is not None and same_run(documents[before], document)
        found.append(State(found[before].run if before is not None and follows else number))
        before = number
    kept = [number for number, state in enumerate(found) if state.repeats is None]
    for number, later in zip_longest(kept, kept[1:]):
        found[number] = _settled(number, later, found, documents, outside)
    return found


def _settled(
    number: int,
    later: int | None,
    found: Sequence[State],
    documents: Sequence[Document],
    outside: Sequence[str],
) -> State:
    """Return the state of a document; `later` is the number of the next one."""
    document, state = documents[number], found[number]
    if later is not None and found[later].run == state.run:
        return state._replace(status="running", word=_REPLACED)
    if _SIGNAL in outside[number]:
        return state._replace(status="interrupted")
    if failed := _failed(document, outside[number]):
        return state._replace(status="error", word=_ABOVE.format(failed[:120]))
    if has_ended(document):
        return state
    following = None if later is None else documents[later]
    word = _interim(document, following, outside[number + 1], is_later=state.run != number)
    if word:
        return state._replace(status="running", word=word)
    word = _early(document)
    return state._replace(status="partial", word=word) if word else state


def _interim(
    document: Document, following: Document | None, below: str, *, is_later: bool
) -> str | None:
    """Say why a document that may be the last of its run is taken for an interim report."""
    if following is not None and _may_follow(document, following):
        return _CUT
    if died := _death(below):
        return _KILLED.format(died[:120])
    return _GOES_ON if is_later else None


def _early(document: Document) -> str | None:
    """Say what a job lacks of what its options ask for."""
    for one in _progress(document):
        if not one.error and ended_early(one.limits, one.moved, one.time):
            size, limit = one.limits.size, round(one.limits.time or 0)
            return _EARLY.format(moved=one.moved, time=one.time, size=size, limit=limit)
    return None


def _failed(document: Document, above: str) -> str | None:
    """Return fio's line on an error above or in a document without one; of this command only."""
    if any(entry.get("error") for entry in document.entries):
        return None
    commands = [*_COMMAND.finditer(above)]
    line = _FAILED.search(above, commands[-1].end() if commands else 0)
    line = line or (_FAILED.search(document.foreign) if document.foreign else None)
    return line[1] if line else None


def _death(below: str) -> str | None:
    """Return a shell's word on a program that died, from the first lines below a document."""
    lines = [line.strip()[:300] for line in below[:2000].splitlines() if line.strip()]
    return next((line for line in lines[:3] if _DIED.fullmatch(line)), None)


def _may_follow(document: Document, later: Document) -> bool:
    """Tell whether a cut document, of which there is no job, may be of the same run."""
    if later.complete or later.start == later.end or later.entries:
        return False
    versions = [part.content.get("fio version") for part in (document, later)]
    name = re.match(r'[\s,]*\{\s*"jobname"\s*:\s*"([^"\\]*)"', later.open_end or "")
    names = [str(entry.get("jobname")) for entry in document.entries[:1]]
    return (None in versions or versions[0] == versions[1]) and (not name or [name[1]] == names)


def has_ended(document: Document) -> bool:
    """Tell whether each job surely ran to its end: an error, all of its time, all of its bytes."""
    progress = _progress(document)
    return bool(progress) and all(
        one.error or _is_over(one.time, one.limits.time) or _is_whole(one) for one in progress
    )


class _Progress(NamedTuple):
    """What one entry moved in which time in ms, and the limits that its options set."""

    limits: Limits
    moved: int
    time: int
    error: bool


def _progress(document: Document) -> list[_Progress]:
    version, entries = document.content.get("fio version"), document.entries
    found = []
    for entry in entries:
        directions = ["mixed"] if "mixed" in used(entry) else used(entry)
        moved = [io_bytes(entry[name], version) for name in directions]
        times = [count_of(entry[name].get("runtime")) for name in directions]
        limits = Limits()
        if directions and None not in (*moved, *times):
            limits = limits_of(options_of(document, entry), is_alone=len(entries) == 1)
        total, longest = sum(filter(None, moved)), max(filter(None, times), default=0)
        found.append(_Progress(limits, total, longest, bool(entry.get("error"))))
    return found


def limits_of(options: Mapping[str, object] | None, *, is_alone: bool) -> Limits:
    """Return the limits that a job's options set; a lone entry stands for all its processes."""
    if options is None:
        return Limits()
    known = conditions(options)
    printed = _TIME.fullmatch(str(options.get("runtime", options.get("timeout", ""))))
    time = float(printed[1]) * _MILLISECONDS[printed[2] or "s"] if printed else None
    if any(map(_ENDS_OTHERWISE.match, options)) or (known.mode or "").startswith("trimw"):
        return Limits(time)
    block = max([size or 0 for size in known.block_sizes])
    processes = (known.numjobs if is_alone else 1) if known.numjobs else None
    size = known.file_size * processes if known.file_size and processes else None
    return Limits(time or None, size if block else None, block * (processes or 1))


def _is_over(time: int, limit: float | None) -> bool:
    """Tell whether a time is all of it, a few ms aside: fio's clocks of job and I/O differ."""
    return limit is not None and time >= limit * 0.998 - 2


def _is_whole(one: _Progress) -> bool:
    """Tell whether all bytes were moved; with a limit of time, the file may be read once more."""
    size, block = one.limits.size, one.limits.block
    return one.limits.time is None and size is not None and size - block < one.moved <= size


def ended_early(limits: Limits, moved: int, time: int) -> bool:
    """Tell whether a job moved neither its bytes nor ran its time: clearly, for both are known."""
    if limits.time is None or limits.size is None:
        return False
    return time < limits.time * 0.98 and not limits.size - limits.block < moved <= limits.size


def same_run(before: Document, after: Document) -> bool:
    """Tell whether `after` is a later state of the run that wrote `before` (--status-interval).

    Each state counts from the start: bytes do not shrink, extremes do not narrow, and the later one
    began before the earlier was printed. Documents without a time (up to 2.1) need bytes that grow.
    """
    pairs = list(zip(before.entries, after.entries, strict=False))
    versions = [document.content.get("fio version") for document in (before, after)]
    if (
        not pairs
        or versions[0] != versions[1]
        or before.is_kept
        or not all(_continues(*pair) for pair in pairs)
    ):
        return False
    grows = any(_grows(*pair) for pair in pairs)
    for key, unit in (("timestamp_ms", 1), ("timestamp", 1000)):
        earlier, time = count_of(before.content.get(key)), count_of(after.content.get(key))
        if earlier is not None and time is not None:
            began = time * unit - max(_runtime(later) for _, later in pairs)
            return began < earlier * unit + unit - 1 and (unit == 1 or grows)
    return grows


def _runtime(entry: dict) -> float:
    return max((_number(entry, direction, "runtime") for direction in used(entry)), default=0)


def _continues(entry: dict, later: dict) -> bool:
    keys = ("jobname", "groupid", "job options", "hostname")
    if any(entry.get(key) != later.get(key) for key in keys):
        return False
    return all(
        _number(entry, direction, "io_bytes") <= _number(later, direction, "io_bytes")
        and _extreme(entry, direction, "max") <= _extreme(later, direction, "max")
        for direction in DIRECTIONS
    ) and all(
        _extreme(entry, direction, "min") >= _extreme(later, direction, "min")
        for direction in used(entry)
    )


def _grows(entry: dict, later: dict) -> bool:
    paths = [(direction, "io_bytes") for direction in DIRECTIONS]
    moved = any(_number(entry, *path) < _number(later, *path) for path in paths)
    return moved and _runtime(entry) != _runtime(later)


def _extreme(entry: dict, direction: str, which: str) -> float:
    return _number(entry, direction, "clat_ns", which) or _number(entry, direction, "clat", which)


def _number(entry: dict, *path: str) -> float:
    """Return the number at a path of keys, 0 where there is none."""
    value: Any = entry
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) and abs(value) < NO_COUNT else 0
