"""Where the figures stand in a JSON object that fio 3.2 or later wrote: a key a line, indented.

What is laid out otherwise, or has more to say than rows, has no layout here: `parse` reads it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

WHOLE = r"[1-9][0-9]{0,14}"  # so many digits of bytes or ns are more than a device reaches
DECIMAL = r"(?:0|[1-9][0-9]{0,14})\.[0-9]{6}"
TIME = r'"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [0-9]{4}"'  # of C's ctime

_BEGIN = re.compile(r'\{\n  "fio version" : ("fio-[^"\\\n]+"),\n')
_KEY = '"fio version"'
_ENTRY = '\n    {\n      "jobname" : '
_JOB = re.compile(
    rf'(?P<name>"[^"\\\n]*"),\n      "groupid" : (?P<group>0|{WHOLE}),\n'
    rf'      "error" : (?P<error>0|{WHOLE}),\n'
)
_USED = re.compile(
    rf'        "io_bytes" : ({WHOLE}),\n        "io_kbytes" : [0-9]+,\n'
    rf'        "bw_bytes" : ({WHOLE}),\n        "bw" : [0-9]+,\n'
    rf'        "iops" : ({DECIMAL}),\n        "runtime" : ({WHOLE}),\n'
)
_UNUSED = "".join(f'        "{key}" : 0,\n' for key in ("io_bytes", "io_kbytes", "bw_bytes", "bw"))
_LATENCY, _COMPLETION = (f'\n        "{name}" : {{\n' for name in ("lat_ns", "clat_ns"))
_TIMES = re.compile(
    rf'          "min" : ({WHOLE}),\n          "max" : ({WHOLE}),\n'
    rf'          "mean" : ({DECIMAL}),\n          "stddev" : ({DECIMAL})(?=,?\n)'
)
_ZEROS = (
    '          "min" : 0,\n          "max" : 0,\n          "mean" : 0.000000,\n'
    '          "stddev" : 0.000000'
)
_SHARE = re.compile(rf'        "bw_agg" : ({DECIMAL}),\n        "bw_mean" : ({DECIMAL}),\n')
_READ, _WRITE, _TRIM, _SYNC = (
    f'\n      "{name}" : {{\n' for name in ("read", "write", "trim", "sync")
)
_UNSYNCED = re.compile(
    r'(?:        "total_ios" : [0-9]+,\n)?        "lat_ns" : \{\n'
    r'(?:          "m(?:in|ax)" : [0-9]+,\n){2}          "mean" : 0\.0+,\n'
)

_SUM = re.compile(rf'\n      "job_runtime" : (0|{WHOLE}),\n')  # of all processes

Span = tuple[int, int]  # where it begins and ends in the text


class Part(NamedTuple):
    """A direction in which a job did I/O: 0 is reading, 1 is writing.

    `first` and `mean` are the lines of `io_bytes` and of the mean latency.
    """

    direction: int
    first: int
    mean: int


class Layout(NamedTuple):
    """The parts of each job, and where the words and figures of all stand.

    The words, in the order of the file, are: version and global options; of each job name, error
    and options; of each part `io_bytes`, `bw_bytes`, `iops` and `runtime`, the four latencies,
    `bw_agg` and `bw_mean`, and `job_runtime`. What is not there is an empty span. `fixed` are texts
    that hold figures which would change the layout were they others.
    """

    jobs: tuple[tuple[Part, ...], ...]
    words: tuple[Span, ...]
    fixed: tuple[Span, ...]


FILE_WORDS, JOB_WORDS, PART_WORDS = 2, 3, 10


def layout_of(text: str) -> Layout | None:
    """Return where the figures of a sound JSON object stand, None where only `parse` can tell."""
    version, entries = _BEGIN.match(text), _entries(text)
    if version is None or not entries or not _are_runs(entries) or text.count(_KEY) > 1:
        return None
    found = _Found(text)
    everywhere = _options(text, '\n  "global options" : ', "\n  }", 0, entries[0].start())
    found.add_words(version.span(1), everywhere)
    stops = [entry.start() for entry in entries[1:]]
    for entry, stop in zip(entries, [*stops, len(text)], strict=True):
        if not found.add_job(entry, stop):
            return None
    return Layout(tuple(found.jobs), tuple(found.words), tuple(found.fixed))


def _entries(text: str) -> list[re.Match[str]]:
    """Return the beginnings of all jobs, none where one is written in another way."""
    found: list[re.Match[str]] = []
    at = text.find(_ENTRY)
    while at >= 0:
        entry = _JOB.match(text, at + len(_ENTRY))
        if entry is None:
            return []
        found.append(entry)
        at = text.find(_ENTRY, entry.end())
    return found


def _are_runs(entries: list[re.Match[str]]) -> bool:
    """Tell whether each job is a group: of one group they may be processes of one test."""
    return len({entry["group"] for entry in entries}) == len(entries)


def _options(text: str, label: str, close: str, start: int, end: int) -> Span:
    """Return where options stand with their braces, an empty span where there are none."""
    begin = text.find(label, start, end)
    stop = text.find(close, begin, end)
    return (begin + len(label), stop + len(close)) if 0 <= begin < stop else (start, start)


class _Found:
    """What was found so far of a layout, and the line of a place in the text."""

    def __init__(self, text: str) -> None:
        self.jobs: list[tuple[Part, ...]] = []
        self.words: list[Span] = []
        self.fixed: list[Span] = []
        self._text, self._line, self._at = text, 1, 0

    def add_words(self, *spans: Span) -> None:
        """Add where words stand; an empty span, which stands anywhere, behind the one before."""
        for start, stop in spans:
            behind = self.words[-1][1] if self.words else 0
            self.words.append((start, stop) if start < stop else (behind, behind))

    def add_job(self, entry: re.Match[str], end: int) -> bool:
        """Add what stands in a job's entry; False where only `parse` can tell."""
        text, start = self._text, entry.end()
        read, write, trim, sync = (
            text.find(label, start, end) for label in (_READ, _WRITE, _TRIM, _SYNC)
        )
        if not start <= read < write < trim or not text.startswith(_UNUSED, trim + len(_TRIM)):
            return False
        self.fixed += entry.span("group"), _span(trim + len(_TRIM), _UNUSED)
        own = _options(text, '\n      "job options" : ', "\n      }", start, read)
        self.add_words(entry.span("name"), entry.span("error"), own)
        begins, stops = (read + len(_READ), write + len(_WRITE)), (write, trim)
        parts = [self._part(*place) for place in zip((0, 1), begins, stops, strict=True)]
        if None in parts or not any(parts) or not (sync < 0 or self._is_unsynced(sync)):
            return False
        job_runtime = _SUM.search(text, trim, end)
        self.add_words(job_runtime.span(1) if job_runtime else (0, 0))
        self.jobs.append(tuple(part for part in parts if part))
        return True

    def _part(self, direction: int, start: int, stop: int) -> Part | tuple[()] | None:
        """Return a direction, nothing of one without I/O, None where only `parse` can tell."""
        text = self._text
        if text.startswith(_UNUSED, start):
            self.fixed.append(_span(start, _UNUSED))
            return ()
        counts, latency = _USED.match(text, start), text.find(_LATENCY, start, stop)
        if counts is None:
            return None
        self.add_words(*map(counts.span, (1, 2, 3, 4)))
        if not self._has_latencies(latency + len(_LATENCY), start, stop):
            return None
        share = _SHARE.search(text, latency, stop)
        self.add_words(*map(share.span, (1, 2)) if share else ((0, 0), (0, 0)))
        first = self._line_of(start)
        return Part(direction, first, self._line_of(latency + 1) + 3)

    def _has_latencies(self, place: int, start: int, stop: int) -> bool:
        """Add where the latencies of a direction stand; False where `parse` has a word on them.

        It has where only completion was timed.
        """
        text = self._text
        if place > start and (times := _TIMES.match(text, place, stop)):
            self.add_words(*map(times.span, (1, 2, 3, 4)))
            return True
        completion = text.find(_COMPLETION, start, stop) + len(_COMPLETION)
        if min(place, completion) <= start or not all(
            text.startswith(_ZEROS, zeros) for zeros in (place, completion)
        ):
            return False
        self.fixed += _span(completion, _ZEROS), _span(place, _ZEROS)
        self.add_words(*[(0, 0)] * 4)
        return True

    def _is_unsynced(self, sync: int) -> bool:
        """Tell whether no latency of fsync was timed: those are rows that `parse` gives."""
        zero = _UNSYNCED.match(self._text, sync + len(_SYNC))
        if zero:
            self.fixed.append(zero.span())
        return zero is not None

    def _line_of(self, place: int) -> int:
        """Return the line of a place below the one that was asked for before."""
        self._line += self._text.count("\n", self._at, place)
        self._at = place
        return self._line


def _span(start: int, text: str) -> Span:
    return start, start + len(text)
