"""fio: JSON, JSON+, the report for people, terse records and side logs, 1.x to 3.42.

Of the views of one run (`--output-format=normal,json,terse`) JSON counts, which has all digits and
the options; then the report for people, which states mode, block size and depth; then terse.
What reads a view is imported for a log that may hold it: its patterns take longer than the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.parsers import WORDS
from sdanalysis.parsers.fio import same_job
from sdanalysis.parsers.fio.broken import rejoined
from sdanalysis.parsers.fio.job import Announced, Job
from sdanalysis.parsers.fio.json_plain import JOB, JSON, plain_json
from sdanalysis.parsers.fio.same_job import Headers, Seen
from sdanalysis.parsers.markup import Places, placed

_PEOPLE = (
    "(groupid=",
    "IOPS=",
    "runt=",
    "(g=",
    "Run status group",
    "READ: bw=",
    "WRITE: bw=",
    "aggrb=",
    "fsync/fdatasync/",
    "sec): min=",
    "avg=",
)  # without one of these no report for people
_TERSE = ("2;", "3;", "4;", "5;")  # and without one of these no terse record
_GOES_ON = (" ^\n", " `\n")  # a command of Windows' shells, at the end of its line
_REMARK = re.compile(r"\\[ \t]{1,40}#.*$", re.MULTILINE)  # behind a line that goes on
_DASH = re.compile(r"(?<=[ \t])[‐-―−](?=-?[a-z_]{2,40}(?:=[^\s=]|\s+-|\s*$))", re.MULTILINE)
_LONGEST = 20_000  # a longer line is progress or no report: patterns would take their time over it


def parse(lines: Sequence[Line], *, name: str | None = None) -> Iterable[Measurement | Problem]:
    """Yield the figures of fio's runs in any format; only the file's name tells a side log's."""
    if not lines or lines[0].text[:1].isdecimal():
        from sdanalysis.parsers.fio import side_logs

        if side_logs.is_side_log(lines, name or ""):
            yield from side_logs.parse(lines, name or "")
            return
    lines, text = plain_json(lines)
    if any(map(text.__contains__, _GOES_ON)) or _REMARK.search(text):
        lines = [_with_backslash(line) for line in lines]
    if not text.isascii() and _DASH.search(text):
        lines = [line._replace(text=_DASH.sub("-", line.text)) for line in lines]
    if any(map(text.__contains__, WORDS["fio"])):
        yield from _runs(lines, text)


def _runs(lines: Sequence[Line], text: str) -> Iterator[Measurement | Problem]:
    documented: list[Job] = []
    shown: list[Job] = []
    announced: list[Announced] = []
    outside = lines
    records: list[Job] = []
    if JSON in text or JOB in text:
        from sdanalysis.parsers.fio import json_jobs

        documented, outside, problems = json_jobs.scan(lines, text)
        yield from problems
    outside = [line for line in outside if len(line.text) <= _LONGEST]
    if "\\n" in text and "(groupid=" in text:
        from sdanalysis.parsers.fio import escaped

        outside = list(escaped.unfolded(outside))
    places: Places = {}
    if any(map(text.__contains__, _PEOPLE)):
        from sdanalysis.parsers.fio import text as people

        outside, places = rejoined(outside, text)
        shown, announced, problems = people.scan(outside)
        yield from problems
    if ";" in text and any(map(text.__contains__, _TERSE)):
        from sdanalysis.parsers.fio import terse

        records = terse.scan(outside)
    begun = same_job.begun(announced, outside) if records else ()
    jobs = _without_repeats(documented, shown, records, begun)
    for job in jobs:
        if not job.rows and not job.problems:
            job.note(
                f"the job {job.name!r} did no I/O, or its figures are not fio's: no measurement"
            )
        yield from job.problems
        yield from (placed(row, places) for row in job.rows)
    if not jobs:
        yield from _nothing(lines, announced)


def _with_backslash(line: Line) -> Line:
    """Return a line that cmd or PowerShell continues as other shells do; a page's code has two.

    People write remarks behind the backslash, for their readers.
    """
    text = _REMARK.sub(r"\\", line.text)
    if text.endswith((" ^", " `")) and text.count(text[-1]) == 1:
        text = f"{text[:-1]}\\"
    return line._replace(text=text)


def _nothing(lines: Sequence[Line], announced: Sequence[Announced]) -> Iterator[Problem]:
    """Say what of fio there is instead of a report."""
    for number, name in announced:
        text = f"found the header of the job {name!r} and no report of it: the log is cut"
        yield Problem(line=number, text=text)
    for line in lines:
        if line.text.startswith("fio: "):
            yield Problem(line=line.number, text=f"found {line.text[:120]!r}, expected a report")


def _without_repeats(
    documented: list[Job], shown: list[Job], records: list[Job], announced: Sequence[Announced]
) -> list[Job]:
    """Return the jobs that count; one that a better view shows gives a note and no rows."""
    seen, headers = Seen(documented), Headers(announced, shown)
    counted = documented + [_unless_seen(job, seen) for job in shown]
    seen.add(shown)
    for record in records:
        job = _unless_seen(record, seen)
        if job.rows and headers.announce(record):
            text = (
                f"found a terse record of {record.name!r} whose report for people is announced "
                "above it and missing, expected its job block: the log is cut"
            )
            job = _without_rows(job, text, "error")
        counted.append(job)
    return sorted(counted, key=lambda job: job.line)


def _unless_seen(job: Job, seen: Seen) -> Job:
    known = seen.take(job)
    if known is None:
        return job
    twin = f"the {known.view} at line {known.line}"
    return _without_rows(job, f"the {job.view} repeats {twin}: not counted twice", "note")


def _without_rows(job: Job, text: str, kind: str) -> Job:
    lines = sorted({row.line for row in job.rows}) or [job.line]
    problems = [Problem(line=line, text=text, kind=kind) for line in lines]
    return Job(view=job.view, line=job.line, name=job.name, problems=job.problems + problems)
