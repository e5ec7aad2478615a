"""The short way from a file's bytes to figures, for folders of thousands of small JSON logs.

fio 3.2 and later print a key a line, indented by its depth, so the few figures of a job can be read
where they stand. What is laid out otherwise, or has more to say than rows, is left to `parse`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.units import KIB, LIMITS
from sdanalysis.parsers.fio.job import SLACK, Job, SharedCells, io_bytes_agree
from sdanalysis.parsers.fio.json_states import Limits, ended_early, limits_of
from sdanalysis.parsers.fio.options import conditions

_BEGIN, _END = b'{\n  "fio version" : "fio-', b"\n}\n"
_VERSION = re.compile(r'\{\n  "fio version" : "fio-([^"\\\n]+)",\n')
_ENTRY = '\n    {\n      "jobname" : "'
_JOB = re.compile(
    r'(?P<name>[^"\\\n]*)",\n      "groupid" : (?P<group>\d{1,9}),\n'
    r'      "error" : (?P<error>\d+),\n',
    re.ASCII,
)
_COUNTS = re.compile(
    r'        "io_bytes" : (\d{1,18}),\n        "io_kbytes" : \d+,\n'
    r'        "bw_bytes" : (\d{1,18}),\n        "bw" : \d+,\n'
    r'        "iops" : (\d{1,12}\.\d{6}),\n        "runtime" : (\d{1,12}),\n',
    re.ASCII,
)
# At most 15 digits of ns are within what a device reaches (LIMITS).
_TIMES = re.compile(
    r'          "min" : ([1-9]\d{0,14}),\n          "max" : ([1-9]\d{0,14}),\n'
    r'          "mean" : (\d{1,15}\.\d{6}),\n          "stddev" : (\d{1,15}\.\d{6})\b',
    re.ASCII,
)
_PART = re.compile(r'        "bw_agg" : (\d+\.\d+),\n        "bw_mean" : (\d+\.\d+),\n')
_LATENCY = '\n        "lat_ns" : {\n'
_ZEROS = (
    '          "min" : 0,\n          "max" : 0,\n          "mean" : 0.000000,\n'
    '          "stddev" : 0.000000'
)
_UNTIMED = ("", "", "", "")
_NO_COMPLETION = '\n        "clat_ns" : {\n          "min" : 0,\n          "max" : 0,\n'
_READ, _WRITE, _TRIM = (f'\n      "{name}" : {{\n' for name in ("read", "write", "trim"))
_NO_TRIM = f'{_TRIM}        "io_bytes" : 0,\n'
_SYNCED = re.compile(
    r'\n      "sync" : \{\n        "total_ios" : \d+,\n'
    r'        "lat_ns" : \{\n(?:          "m(?:in|ax)" : \d+,\n){2}          "mean" : (?!0\.0+,)'
)
_NOT_INDENTED = re.compile(r"\n[^ ]")
_FASTEST, _MOST = LIMITS["bandwidth"], LIMITS["iops"]
HALF = 0.5e-6  # six decimals, rounded
# (stat, metric, unit, column) of the figures of a direction, in the order of the file
FIGURES = (
    ("single", "bandwidth", "B/s", 22),
    ("single", "iops", "iops", 18),
    ("min", "latency", "ns", 19),
    ("max", "latency", "ns", 19),
    ("mean", "latency", "ns", 20),
    ("stddev", "latency", "ns", 22),
)


class Shared(NamedTuple):
    """What all figures of one direction share: the operation and the cells, and its limits."""

    op: str
    cells: SharedCells
    limits: Limits


# What is shared; the lines of `io_bytes` and of the mean latency; six figures as printed, in the
# order of FIGURES. Where no latency was timed, its figures are empty.
Direction = tuple[Shared, int, int, str, str, str, str, str, str]


def rows(content: bytes) -> list[tuple] | None:
    """Return the rows (`job.FIELDS`) of a file that `directions` reads, None for another one."""
    found = directions(content)
    return None if found is None else list(expanded(found))


def expanded(found: Iterable[Direction]) -> Iterator[tuple]:
    """Yield the rows (`job.FIELDS`) of directions."""
    for shared, first, mean, *cells in found:
        lines = (first + 2, first + 4, mean - 2, mean - 1, mean, mean + 1)
        for line, (stat, metric, unit, column), raw in zip(lines, FIGURES, cells, strict=True):
            if not raw:
                continue
            value, factor = float(raw), 1e-9 if unit == "ns" else 1.0
            below, above = (HALF, HALF) if "." in raw else (0.0, 1.0)
            range_of = (value * factor, (value - below) * factor, (value + above) * factor)
            begin = (line, column, shared.op, metric, raw, unit)
            yield (*begin, *range_of, stat, *shared.cells)


def directions(content: bytes) -> list[Direction] | None:
    """Return what was measured in a file that is one JSON object as fio 3 lays it out.

    None for every other file: `parse` reads it. The rows are those that `parse` gives, but only the
    lines of the figures, the beginnings of all lines and the end are looked at: damage elsewhere
    (a letter in a percentile) goes unseen here, and only `parse` has a word on it.
    """
    if not (content.startswith(_BEGIN) and content.endswith(_END) and content.isascii()):
        return None
    if b"\r" in content:  # of a line that was drawn over, `parse` reads what was drawn last
        return None
    text = content.decode("latin-1")  # which takes half of ASCII's time
    version, bottom = _VERSION.match(text), _NOT_INDENTED.search(text)
    # one whole object: only its own braces stand at the beginning of a line
    if version is None or bottom is None or bottom.start() != len(text) - len(_END):
        return None
    jobs = _jobs(text)
    first = jobs[0].start() if jobs else 0
    if text.find('\n  "jobs" : [\n', 0, first) < 0 or not _are_runs(jobs):
        return None
    found: list[Direction] = []
    everywhere = _options_text(text, '\n  "global options" : {', "\n  }", 0, first)
    line, at = 1, 0
    stops = [job.start() for job in jobs[1:]]
    for job, stop in zip(jobs, [*stops, len(text)], strict=True):
        name, _, error = job.groups()
        start = job.end()
        read = text.find(_READ, start, stop)
        own = _options_text(text, '\n      "job options" : {', "\n      }", start, read)
        shared = _shared(everywhere, own, name, error, version[1], not stops)
        line += text.count("\n", at, read)
        at = read
        if shared is None or not _add_job(text, (read, stop, line), shared, found):
            return None
    return found or None


def _are_runs(jobs: list[re.Match[str]]) -> bool:
    """Tell whether each job is a group: of one group they may be processes of one test."""
    return len(jobs) < 2 or len({job["group"] for job in jobs}) == len(jobs)


def _jobs(text: str) -> list[re.Match[str]]:
    """Return the beginnings of all jobs, none where one is written in another way.

    None where one was synced either: of those latencies `parse` has a word.
    """
    if _SYNCED.search(text):
        return []
    found: list[re.Match[str]] = []
    at, last = text.find(_ENTRY), text.rfind(_ENTRY)  # most logs have one job
    while at >= 0:
        job = _JOB.match(text, at + len(_ENTRY))
        if job is None:
            return []
        found.append(job)
        at = text.find(_ENTRY, job.end()) if at < last else -1
    return found


def _options_text(text: str, label: str, close: str, start: int, end: int) -> str | None:
    begin = text.find(label, start, end)
    if begin < 0:
        return None
    begin += len(label)
    return text[begin : text.find(close, begin, end)]


@lru_cache(maxsize=1024)  # a folder of logs repeats a few jobs
def _shared(
    everywhere: str | None, own: str | None, name: str, error: str, version: str, is_alone: bool
) -> tuple[Shared, Shared] | None:
    """Return what options say of reading and of writing, None where nobody can read them."""
    if everywhere is None and own is None:
        return None
    try:
        given = json.loads("{" + (everywhere or "") + "}") | json.loads("{" + (own or "") + "}")
    except (ValueError, RecursionError):
        return None
    status = "measured" if error == "0" else "error"
    job = Job("JSON", 1, name, run="1-fio", version=version, status=status, known=conditions(given))
    limits = limits_of(given, is_alone=is_alone) if error == "0" else Limits()
    read, write = ((job.known.op(part), job.cells(part)) for part in ("read", "write"))
    return Shared(*read, limits), Shared(*write, limits)


def _add_job(
    text: str, place: tuple[int, int, int], shared: tuple[Shared, Shared], found: list[Direction]
) -> bool:
    """Add the directions of one job; False when there is anything that only `parse` can tell."""
    read, end, line = place
    before = len(found)
    trim = text.rfind(_TRIM, read, end)  # from the end: less text, and of two keys the last counts
    write = text.rfind(_WRITE, read, trim)
    if read < 0 or write < 0 or not text.startswith(_NO_TRIM, trim):
        return False
    moved: list[tuple[str, str]] = []
    for start, stop, part in (
        (read + len(_READ), write, shared[0]),
        (write + len(_WRITE), trim, shared[1]),
    ):
        match = _COUNTS.match(text, start)
        if match is None:
            return False
        size, rate, iops, time = counts = match.groups()
        if size == "0":
            continue
        line += text.count("\n", read, start)
        read = text.rfind(_LATENCY, start, stop)  # it stands near the end of its direction
        times = _latencies(text, start, read)
        if times is None or _is_share(text, (start, stop), part, rate):
            return False
        least, most, mean, deviation = times
        if not _are_possible(counts, mean):
            return False
        first, line = line, line + text.count("\n", start, read)
        found.append((part, first, line + 4, rate, iops, least, most, mean, deviation))
        moved.append((size, time))
    return len(found) > before and not (shared[0].limits.time and _are_early(moved, shared[0]))


def _latencies(text: str, start: int, label: int) -> tuple[str, ...] | None:
    """Return the latencies of a direction; None where some are not what they should be.

    None as well where only completion was timed, of which `parse` says a word.
    """
    place = label + len(_LATENCY)
    if label >= 0 and (times := _TIMES.match(text, place)):
        return None if times[4] == "0.000000" else times.groups()
    if text.startswith(_ZEROS, place) and text.find(_NO_COMPLETION, start, label) >= 0:
        return _UNTIMED
    return None


def _are_early(moved: list[tuple[str, str]], shared: Shared) -> bool:
    """Tell whether a job that moved so many bytes in so many ms was stopped."""
    longest = max(int(time) for _, time in moved)
    return ended_early(shared.limits, sum(int(size) for size, _ in moved), longest)


def _is_share(text: str, place: tuple[int, int], shared: Shared, rate: str) -> bool:
    """Tell whether the group moved more than this entry: fio prints its part in per cent."""
    if (shared.cells.numjobs or 1) == 1 or (part := _PART.search(text, *place)) is None:
        return False
    per_cent, mean = float(part[1]), float(part[2]) * KIB
    return 0 < per_cent < 100 and mean * 100 / per_cent > int(rate) * (1 + SLACK)


def _are_possible(counts: tuple[str, ...], mean: str) -> bool:
    """Tell whether a device reaches the figures of one direction, and they agree."""
    bytes_moved, printed_rate, printed_iops, runtime = counts
    moved, rate, time, iops = int(bytes_moved), int(printed_rate), int(runtime), float(printed_iops)
    if not 0 < rate <= _FASTEST or not 0 < iops <= _MOST or time == 0:
        return False
    # most agree to half a per cent, which costs less to see
    if abs(rate * time - moved * 1000) > moved * 5 and not io_bytes_agree(moved, time, rate):
        return False
    # a mean of 0, or above the run's time, is a word that `parse` says
    return not mean or 0 < float(mean) <= (time + 2) * 1e6
