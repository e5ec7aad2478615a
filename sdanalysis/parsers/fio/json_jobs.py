"""The job entries of fio's JSON and JSON+ -> rows (formats of 2.0.10 to 3.42)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import (
    DISAGREE,
    INFERRED_BLOCK_SIZE,
    Figure,
    Job,
    figure,
    io_bytes_agree,
    may_be_processes,
)
from sdanalysis.parsers.fio.json_objects import Document, Places, documents, figures, places, used
from sdanalysis.parsers.fio.options import DIRECTIONS, Conditions, conditions
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares

_ALL_CLIENTS = "All clients"
# bw is in KiB/s whatever kb_base (stat.c 3.33:1462); lat_ns since 3.0, lat before
_UNITS = {"bw_bytes": "B/s", "bw": "KiB/s", "iops": "iops", "lat_ns": "ns", "lat": "us"}


class Context(NamedTuple):
    """What all entries of one document share, and the lines of the whole text and their offsets."""

    document: Document
    run: str
    status: str
    lines: Sequence[Line]
    begins: Sequence[int]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of an offset in the document's text."""
        offset += self.document.offset
        index = bisect_right(self.begins, offset) - 1
        return self.lines[index].number, offset - self.begins[index] + 1


def scan(lines: Sequence[Line], text: str) -> tuple[list[Job], list[Line], list[Problem]]:
    """Return the jobs of all JSON documents, the lines outside of them, and what was wrong."""
    begins = list(accumulate([len(line.text) + 1 for line in lines], initial=0))
    found: list[Job] = []
    problems: list[Problem] = []
    outside: list[Line] = []
    earlier = Document({})
    jobs: list[Job] = []
    end = next_line = 0
    run = ""
    for document in documents(text):
        start = document.start + document.offset
        first = bisect_right(begins, start) - 1
        outside += lines[next_line:first]
        status = "interrupted" if "terminating on signal" in text[end:start] else "measured"
        end = document.end + document.offset
        next_line = bisect_right(begins, max(end - 1, start))
        if _same_run(earlier, document):
            for job in jobs:
                job.mark_running()
                job.note("--status-interval: a later object of the same run replaces this one")
        else:
            run = f"{lines[first].number}-fio"
        context = Context(document, run, status, lines, begins)
        earlier, jobs = document, _jobs_of(context)
        problems += _problems(context, jobs)
        if may_be_processes(jobs):
            mark_shares(jobs)
        if document.open_end is not None:
            leave_out_unsettled(jobs)
        found += jobs
    return found, [*outside, *lines[next_line:]], problems


def _problems(context: Context, jobs: list[Job]) -> Iterator[Problem]:
    """Say what is wrong with a document, and leave out of its jobs the sum over all clients."""
    document = context.document
    first, _ = context.place(document.start)
    if document.problem:
        offset, text = document.problem
        line, _ = context.place(offset - document.offset)
        yield Problem(line=line, text=text, kind="note" if document.complete else "error")
    elif not document.entries:
        text = "found no `jobs` in fio's object, expected a list of them"
        yield Problem(line=first, text=text)
    if len(jobs) > 1 and jobs[-1].name == _ALL_CLIENTS:
        jobs.pop()
        text = "the sum over all clients repeats their figures: left out"
        yield Problem(line=first, text=text, kind="note")


def _same_run(before: Document, after: Document) -> bool:
    """Tell whether `after` is a later state of the run that wrote `before` (--status-interval).

    Each state counts from the start: bytes do not shrink, extremes do not narrow, and the later one
    began before the earlier was printed. Documents without a time (up to 2.1) need bytes that grow.
    """
    pairs = list(zip(before.entries, after.entries, strict=False))
    versions = [document.content.get("fio version") for document in (before, after)]
    if not pairs or versions[0] != versions[1] or not all(_continues(*pair) for pair in pairs):
        return False
    grows = any(_grows(*pair) for pair in pairs)
    for key, unit in (("timestamp_ms", 1), ("timestamp", 1000)):
        earlier, time = before.content.get(key), after.content.get(key)
        if isinstance(earlier, int) and isinstance(time, int):
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
    return value if isinstance(value, int | float) else 0


@lru_cache(maxsize=64)
def _version(version: str | None) -> tuple[int, ...]:
    """Return a version as integers: 2.2.10 is older than 2.3, and 2.10 newer than 2.9."""
    match = re.match(r"\d{1,4}(?:\.\d{1,4})*", version or "")
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _jobs_of(context: Context) -> list[Job]:
    """Return one job per entry, the sum over all clients included."""
    document = context.document
    shared = document.content.get("global options")
    if isinstance(shared, list):  # the client's form
        shared = shared[0] if shared else None
    found = []
    for entry, where in zip(document.entries, places(document), strict=True):
        given = [part for part in (shared, entry.get("job options")) if isinstance(part, dict)]
        options = {key: value for part in given for key, value in part.items()}
        found.append(_job(entry, where, context, conditions(options if given else None)))
    _settle_groups(found, document.open_end)
    return found


def _job(entry: dict, where: Places, context: Context, known: Conditions) -> Job:
    group, version = entry.get("groupid"), context.document.content.get("fio version")
    job = Job(
        view="JSON",
        line=context.place(context.document.start)[0],
        name=str(entry.get("jobname", "")),
        group=group if isinstance(group, int) else None,
        run=context.run,
        version=(version.removeprefix("fio-") or None) if isinstance(version, str) else None,
        status="error" if entry.get("error") else context.status,
        known=known,
        client=(str(entry.get("hostname", "")), str(entry.get("port", ""))),
    )
    directions = used(entry)
    if "mixed" in directions and len(directions) > 1:
        directions.remove("mixed")  # unified_rw_reporting=both: the sum of the other two
    for direction in directions:
        _direction(job, entry[direction], direction, where, context)
    if not directions:
        job.note(f"the job {job.name!r} did no I/O (error {entry.get('error', 0)}): no measurement")
    return job


_NEXT = re.compile(
    r'[\s,]*\{\s*"jobname"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"groupid"\s*:\s*(\d+)\s*,'
)


def _settle_groups(jobs: Sequence[Job], open_end: str | None) -> None:
    """Note of each job whether all of its group is there, and whether it is surely a share.

    One entry for the N processes that the options ask for is their total (`group_reporting` is in
    no options). Of a list that is cut only the last group may go on.
    """
    following = _NEXT.match(open_end or "")
    name, group = (json.loads(following[1]), int(following[2])) if following else (None, None)
    goes_on = open_end is not None and _ALL_CLIENTS not in (name, jobs[-1].name if jobs else None)
    processes = Counter((job.group, job.name, job.client) for job in jobs)
    for job in jobs:
        count, number = processes[job.group, job.name, job.client], job.known.numjobs
        is_last = job.group == jobs[-1].group and group in (None, job.group)
        job.group_is_whole = not (goes_on and is_last)
        is_one = count == 1 and (number or 1) > 1 and job.is_part_of_group()
        if is_one or (number and count > 1 and count % number):
            job.group_is_whole, job.is_share, job.group_rates = False, True, {}
        elif not job.group_is_whole and number != 1:
            job.is_share = count > 1 or (name, group) == (job.name, job.group)


def _direction(job: Job, part: dict, direction: str, where: Places, context: Context) -> None:
    cells = job.cells(direction)
    if cells.block_size is None and (size := _mean_block(part, job)):
        cells = cells._replace(block_size=size, remarks=(*cells.remarks, INFERRED_BLOCK_SIZE))
    runtime = part.get("runtime")
    for metric, key, inner in figures(part):
        value, spot = _value(part, key, inner), where.get((direction, metric))
        if value is None and (inner or spot is None):
            continue
        place = context.place(spot.offset) if spot else (job.line, 1)
        what = f"{direction} {metric}"
        if metric == "bandwidth" and runtime == 0:
            text = f"found {direction} figures over a time of 0, expected a runtime above zero"
            job.error(text, place[0])
            return
        if spot is None or isinstance(value, bool) or not isinstance(value, int | float):
            job.error(f"found {value!r} for {what}, expected a number", place[0])
            continue
        rate = figure(place, metric, spot.text, _UNITS[key])
        if isinstance(value, int) and not inner:  # whole numbers stay whole in the table of a log
            low, high = int(rate.value_low), int(rate.value_high)
            rate = rate._replace(value_low=low, value_high=high)
        if job.add(direction, rate, cells, what) and metric == "bandwidth" and type(runtime) is int:
            job.runtimes[direction] = runtime
            job.rates[direction] = rate.value_low, rate.value_high
            _check(job, part, rate)
            job.add_group_rate(direction, str(part.get("bw_mean")), str(part.get("bw_agg")))


def _value(part: dict, key: str, inner: str | None) -> object:
    """Return a figure; a mean of 0 is none, for gtod_reduce and disable_lat leave it unmeasured."""
    value = part.get(key)
    if inner is None:
        return value
    return (value.get(inner) or None) if isinstance(value, dict) else None


def _io_bytes(part: dict, version: str | None) -> int | None:
    """Return the bytes moved: `io_bytes` is KiB up to 2.20 (stat.c 2.16:903, 2.21:922)."""
    moved = part.get("io_bytes")
    if not isinstance(moved, int):
        return None
    if "io_kbytes" in part or (parts := _version(version)) >= (2, 21):
        return moved
    return moved * KIB if parts else None


def _mean_block(part: dict, job: Job) -> int | None:
    """Return bytes per operation where no options are known and it is a whole power of two."""
    moved, count = _io_bytes(part, job.version), part.get("total_ios")
    if job.known.mode is not None or not moved or not isinstance(count, int) or count <= 0:
        return None
    size, rest = divmod(moved, count)
    return size if rest == 0 and size >= 512 and size & (size - 1) == 0 else None


def _check(job: Job, part: dict, rate: Figure) -> None:
    """Say when bytes over time is not the rate: 1 ms and 1 KiB of rounding aside, they agree."""
    moved, runtime = _io_bytes(part, job.version), part["runtime"]
    if moved and runtime > 0 and not io_bytes_agree(moved, runtime, rate.value):
        text = (
            f"found {rate.raw} {rate.raw_unit} beside {moved} bytes in {runtime} ms, expected "
            "figures that agree; the printed rate is kept"
        )
        job.note(text, rate.line)
        job.remark(DISAGREE)
