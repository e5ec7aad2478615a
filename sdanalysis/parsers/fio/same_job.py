"""The views of a run beside one another: which rows count, and which are a second look."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.json_jobs import ALL_CLIENTS, Context, jobs_of
from sdanalysis.parsers.fio.json_objects import documents, entries_of, used
from sdanalysis.parsers.fio.options import DIRECTIONS
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares
from sdanalysis.parsers.fio.text import Scan


def json_jobs(lines: Sequence[Line], text: str) -> tuple[list[Job], list[Line], list[Problem]]:
    """Return the jobs of all JSON documents, the lines outside of them, and what was wrong."""
    begins = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
    found: list[Job] = []
    problems: list[Problem] = []
    outside: list[Line] = []
    earlier: dict = {}
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
        if same_run(earlier, document.content):
            for job in jobs:
                job.mark_status("running")
                job.note("--status-interval: a later object of the same run replaces this one")
        else:
            run = f"{lines[first].number}-fio"
        context = Context(document, run, status, lines, begins)
        earlier, jobs = document.content, jobs_of(context)
        problems += _problems(context, jobs)
        mark_shares(jobs)
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
    elif not entries_of(document.content):
        text = "found no `jobs` in fio's object, expected a list of them"
        yield Problem(line=first, text=text)
    if len(jobs) > 1 and jobs[-1].name == ALL_CLIENTS:
        jobs.pop()
        text = "the sum over all clients repeats their figures: left out"
        yield Problem(line=first, text=text, kind="note")


def same_run(before: dict, after: dict) -> bool:
    """Tell whether `after` is a later state of the run that wrote `before` (--status-interval).

    Each state counts from the start: bytes do not shrink, extremes do not narrow, and the later one
    began before the earlier was printed. Documents without a time (up to 2.1) need bytes that grow.
    """
    pairs = list(zip(entries_of(before), entries_of(after), strict=False))
    if not pairs or before.get("fio version") != after.get("fio version"):
        return False
    if not all(_continues(entry, later) for entry, later in pairs):
        return False
    grows = any(_grows(entry, later) for entry, later in pairs)
    for key, unit in (("timestamp_ms", 1), ("timestamp", 1000)):
        earlier, time = before.get(key), after.get(key)
        if isinstance(earlier, int) and isinstance(time, int):
            longest = max((_runtime(later) for _, later in pairs), default=0)
            began = time * unit - longest
            return began < earlier * unit + unit - 1 and (unit == 1 or grows)
    return grows


def _runtime(entry: dict) -> int:
    times = [entry[direction].get("runtime") for direction in used(entry)]
    return max((time for time in times if isinstance(time, int)), default=0)


def _continues(entry: dict, later: dict) -> bool:
    keys = ("jobname", "groupid", "job options", "hostname")
    if any(entry.get(key) != later.get(key) for key in keys):
        return False
    return all(
        _amount(entry, direction) <= _amount(later, direction)
        and _extreme(entry, direction, "max") <= _extreme(later, direction, "max")
        for direction in DIRECTIONS
    ) and all(
        _extreme(entry, direction, "min") >= _extreme(later, direction, "min")
        for direction in used(entry)
    )


def _grows(entry: dict, later: dict) -> bool:
    moved = any(_amount(entry, name) < _amount(later, name) for name in DIRECTIONS)
    return moved and _runtime(entry) != _runtime(later)


def _amount(entry: dict, direction: str) -> float:
    part = entry.get(direction)
    value = part.get("io_bytes", 0) if isinstance(part, dict) else 0
    return value if isinstance(value, int | float) else 0


def _extreme(entry: dict, direction: str, which: str) -> float:
    part = entry.get(direction)
    for key in ("clat_ns", "clat"):
        spread = part.get(key) if isinstance(part, dict) else None
        if isinstance(spread, dict) and isinstance(spread.get(which), int | float):
            return spread[which]
    return 0


def without_repeats(documented: list[Job], scanned: Scan, records: list[Job]) -> list[Job]:
    """Return the jobs that count; one that a better view shows gives a note and no rows."""
    counted = list(documented)
    better = list(documented)
    counted += [_unless_seen(job, better) for job in scanned.jobs]
    better += scanned.jobs
    for record in records:
        seen = _unless_seen(record, better)
        if seen.rows and _is_announced(record, scanned):
            text = (
                f"found a terse record of {record.name!r} whose report for people is announced "
                "above it and missing, expected its job block: the log is cut"
            )
            seen = _without_rows(record, text, "error")
        counted.append(seen)
    return sorted(counted, key=lambda job: job.line)


def _unless_seen(job: Job, better: list[Job]) -> Job:
    for known in better:
        if known.view != job.view and known.same_as(job):
            better.remove(known)
            text = (
                f"the {job.view} repeats the {known.view} at line {known.line}: not counted twice"
            )
            return _without_rows(job, text, "note")
    return job


def _without_rows(job: Job, text: str, kind: str) -> Job:
    lines = sorted({row.line for row in job.rows}) or [job.line]
    problems = [Problem(line=line, text=text, kind=kind) for line in lines]
    return Job(view=job.view, line=job.line, name=job.name, problems=job.problems + problems)


def _is_announced(record: Job, scanned: Scan) -> bool:
    """Tell whether a header above announced the job's report, and no report came in between."""
    above = [line for line, name in scanned.announced if line < record.line and name == record.name]
    return bool(above) and not any(above[-1] < job.line < record.line for job in scanned.jobs)
