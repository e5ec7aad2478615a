"""The views of a run beside one another: which rows count, and which are a second look."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.json_jobs import ALL_CLIENTS, Context, Cursor, jobs_of, version_of
from sdanalysis.parsers.fio.json_objects import Document, documents, entries_of
from sdanalysis.parsers.fio.json_places import is_used
from sdanalysis.parsers.fio.options import DIRECTIONS
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares
from sdanalysis.parsers.fio.text import Scan


def json_jobs(lines: Sequence[Line], text: str) -> tuple[list[Job], list[Line], list[Problem]]:
    """Return the jobs of all JSON documents, the lines outside of them, and what was wrong."""
    begins = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
    found: list[Job] = []
    problems: list[Problem] = []
    outside: list[Line] = []
    earlier: dict | None = None
    earlier_jobs: list[Job] = []
    end = next_line = 0
    run = ""
    for document in documents(text):
        start = document.start + document.offset
        first = bisect_right(begins, start) - 1
        outside += lines[next_line:first]
        interrupted = "terminating on signal" in text[end:start]
        end = document.end + document.offset
        next_line = bisect_right(begins, max(end - 1, start))
        if document.problem:
            problems.append(_problem(document, document.problem, begins, lines))
        elif not entries_of(document.content):
            missing = "found no `jobs` in fio's object, expected a list of them"
            problems.append(Problem(line=lines[first].number, text=missing))
        if earlier is not None and same_run(earlier, document.content):
            _replaced(earlier_jobs)
        else:
            run = f"{lines[first].number}-fio"
        cursor = Cursor(document.text, document.start, first, start - begins[first] + 1)
        context = Context(document, version_of(document.content), run, interrupted, cursor)
        earlier, earlier_jobs = document.content, _document_jobs(context, lines, problems)
        found += earlier_jobs
    outside += lines[next_line:]
    return found, outside, problems


def _document_jobs(context: Context, lines: Sequence[Line], problems: list[Problem]) -> list[Job]:
    jobs = [_numbered(job, lines) for job in jobs_of(context)]
    if len(jobs) > 1 and jobs[-1].name == ALL_CLIENTS:
        text = "the sum over all clients repeats their figures: left out"
        problems.append(Problem(line=jobs.pop().line, text=text, kind="note"))
    mark_shares(jobs)
    leave_out_unsettled(jobs)
    return jobs


def _problem(
    document: Document, problem: tuple[int, str], begins: Sequence[int], lines: Sequence[Line]
) -> Problem:
    offset, text = problem
    index = min(bisect_right(begins, offset) - 1, len(lines) - 1)
    kind = "note" if document.complete else "error"
    return Problem(line=lines[index].number, text=text, kind=kind)


def _numbered(job: Job, lines: Sequence[Line]) -> Job:
    """Turn indexes of lines into the numbers that the lines carry."""
    job.rows = [row._replace(line=lines[row.line].number) for row in job.rows]
    job.problems = [problem._replace(line=lines[problem.line].number) for problem in job.problems]
    job.line = lines[job.line].number
    return job


def _replaced(jobs: Iterable[Job]) -> None:
    for job in jobs:
        job.mark_status("running")
        job.note("--status-interval: a later object of the same run replaces this one")


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
    parts = [entry.get(direction) for direction in DIRECTIONS]
    times = [part.get("runtime") for part in parts if part and is_used(part)]
    return max((time for time in times if isinstance(time, int)), default=0)


def _continues(entry: dict, later: dict) -> bool:
    keys = ("jobname", "groupid", "job options", "hostname")
    if any(entry.get(key) != later.get(key) for key in keys):
        return False
    return all(
        _amount(entry, direction) <= _amount(later, direction)
        and _extreme(entry, direction, "max") <= _extreme(later, direction, "max")
        and (
            not is_used(entry.get(direction))
            or _extreme(entry, direction, "min") >= _extreme(later, direction, "min")
        )
        for direction in DIRECTIONS
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
