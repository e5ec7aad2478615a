"""The short way from a file's bytes to figures, for folders of thousands of small JSON logs.

fio 3.2 and later print a key a line, indented by its depth, so the few figures of a job can be read
where they stand (`json_layout`, `json_forms`). What is laid out otherwise, is damaged anywhere, or
has more to say than rows, is left to `parse`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.units import KIB, LIMITS
from sdanalysis.parsers.fio.job import SLACK, Job, SharedCells, io_bytes_agree
from sdanalysis.parsers.fio.json_forms import FORMS
from sdanalysis.parsers.fio.json_layout import FILE_WORDS, JOB_WORDS, PART_WORDS, Layout
from sdanalysis.parsers.fio.json_options import has_others
from sdanalysis.parsers.fio.json_states import Limits, ended_early, limits_of
from sdanalysis.parsers.fio.options import conditions, moves

_BEGIN, _END = b'{\n  "fio version" : "fio-', b"\n}\n"
_NONE = "0.000000"
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
    """What all figures of one direction share, its limits, and whether the mode moves data so."""

    op: str
    cells: SharedCells
    limits: Limits
    is_asked: bool


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

    None for every other file, and for a damaged one: `parse` reads it, and has a word on it. The
    rows are those that `parse` gives.
    """
    if not (content.startswith(_BEGIN) and content.endswith(_END)):
        return None
    read = FORMS.read(content)
    return _directions(*read) if read else None


def _directions(layout: Layout, words: Sequence[str]) -> list[Direction] | None:
    """Return what the words of a layout say, None where `parse` has a word on them."""
    found: list[Direction] = []
    version, everywhere, is_alone = words[0], words[1], len(layout.jobs) == 1
    at = FILE_WORDS
    for parts in layout.jobs:
        name, error, own = words[at : at + JOB_WORDS]
        at += JOB_WORDS
        shared = _shared(everywhere, own, name, error, version, is_alone)
        if shared is None:
            return None
        moved: list[tuple[str, str]] = []
        for direction, first, mean in parts:
            figures = words[at : at + PART_WORDS]
            at += PART_WORDS
            size, rate, iops, time, least, most, average, deviation, share, whole = figures
            part = shared[direction]
            is_sound = part.is_asked and _are_possible(figures)
            if not is_sound or _is_share(part, rate, share, whole):
                return None
            found.append((part, first, mean, rate, iops, least, most, average, deviation))
            moved.append((size, time))
        job_runtime, at = words[at], at + 1
        if job_runtime and has_others(
            int(job_runtime), _longest(moved), shared[0].cells.numjobs or 1
        ):
            return None
        if shared[0].limits.time and _are_early(moved, shared[0]):
            return None
    return found


@lru_cache(maxsize=1024)  # a folder of logs repeats a few jobs
def _shared(
    everywhere: str, own: str, name: str, error: str, version: str, is_alone: bool
) -> tuple[Shared, Shared] | None:
    """Return what options say of reading and of writing, None where they do not say the mode."""
    given = json.loads(everywhere or "{}") | json.loads(own or "{}")
    known = conditions(given)
    if known.mode is None or not (everywhere or own):
        return None
    status = "measured" if error == "0" else "error"
    printed = version.strip('"').removeprefix("fio-")
    job = Job("JSON", 1, name.strip('"'), run="1-fio", version=printed, status=status, known=known)
    limits = limits_of(given, is_alone=is_alone) if error == "0" else Limits()
    read, write = (
        Shared(known.op(part), job.cells(part), limits, moves(known, part))
        for part in ("read", "write")
    )
    return read, write


def _are_early(moved: list[tuple[str, str]], shared: Shared) -> bool:
    """Tell whether a job that moved so many bytes in so many ms was stopped."""
    return ended_early(shared.limits, sum(int(size) for size, _ in moved), _longest(moved))


def _longest(moved: list[tuple[str, str]]) -> int:
    return max(int(time) for _, time in moved)


def _is_share(shared: Shared, rate: str, per_cent: str, mean: str) -> bool:
    """Tell whether the group moved more than this entry: fio prints its part in per cent."""
    if (shared.cells.numjobs or 1) == 1 or not per_cent:
        return False
    part = float(per_cent)
    return 0 < part < 100 and float(mean) * KIB * 100 / part > int(rate) * (1 + SLACK)


def _are_possible(figures: Sequence[str]) -> bool:
    """Tell whether a device reaches the figures of one direction, and they agree."""
    moved, rate, time, iops = int(figures[0]), int(figures[1]), int(figures[3]), float(figures[2])
    if rate > _FASTEST or not 0 < iops <= _MOST:
        return False
    # most agree to half a per cent, which costs less to see
    if abs(rate * time - moved * 1000) > moved * 5 and not io_bytes_agree(moved, time, rate):
        return False
    mean, deviation = figures[6:8]
    # a mean of 0, or above the run's time, is a word that `parse` says
    return not mean or (0 < float(mean) <= (time + 2) * 1e6 and deviation != _NONE)
