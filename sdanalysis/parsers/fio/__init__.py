"""fio: JSON, JSON+, the report for people, terse records and side logs, 1.x to 3.42.

One run may be printed in several views (`--output-format=normal,json,terse`): JSON has all digits
and the options, so its rows count; then the report for people, which states mode, block size and
depth; then terse records. A view of a job that a better one shows too gives a note and no rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.parsers.fio import same_job, side_logs, terse
from sdanalysis.parsers.fio import text as people
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.words import WORDS

# Without one of these there is no report for people.
_PEOPLE = ("(groupid=", "IOPS=", "runt=", "(g=")
_TERSE = ("2;", "3;", "4;", "5;")  # and without one of these there is no terse record
_LONGEST = 20_000  # a longer line is progress or no report: patterns would take their time over it


def parse(lines: Sequence[Line], *, name: str | None = None) -> Iterable[Measurement | Problem]:
    """Yield the figures of fio's runs in any of its formats.

    `name` is the file's: only it says what a side log holds.
    """
    if not lines:
        yield from side_logs.nothing(name or "")
        return
    if side_logs.is_side_log(lines):
        yield from side_logs.parse(lines, side_logs.kind_of(name or ""))
        return
    text = "\n".join(line.text for line in lines)
    if any(word in text for word in WORDS["fio"]):
        yield from _runs(lines, text)


def _runs(lines: Sequence[Line], text: str) -> Iterator[Measurement | Problem]:
    documented: list[Job] = []
    outside = lines
    if '"fio version"' in text:
        documented, outside, problems = same_job.json_jobs(lines, text)
        yield from problems
    outside = [line for line in outside if len(line.text) <= _LONGEST]
    scanned = people.scan(outside if any(word in text for word in _PEOPLE) else ())
    records = terse.scan(outside if any(word in text for word in _TERSE) else ())
    yield from scanned.problems
    jobs = same_job.without_repeats(documented, scanned, records)
    for job in jobs:
        if not job.rows and not job.problems:
            job.note(f"the job {job.name!r} did no I/O: no measurement")
        yield from job.problems
        yield from job.rows
    if not jobs and not scanned.problems:
        yield from _nothing(lines, scanned)


def _nothing(lines: Sequence[Line], scanned: people.Scan) -> Iterator[Problem]:
    """Say what of fio there is instead of a report."""
    for number, name in scanned.announced:
        text = f"found the header of the job {name!r} and no report of it: the log is cut"
        yield Problem(line=number, text=text)
    for line in lines:
        if line.text.startswith("fio: "):
            yield Problem(line=line.number, text=f"found {line.text[:120]!r}, expected a report")
