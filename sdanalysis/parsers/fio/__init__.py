"""fio: JSON, JSON+, the report for people, terse records and side logs, 1.x to 3.42.

Of the views of one run (`--output-format=normal,json,terse`) JSON counts, which has all digits and
the options; then the report for people, which states mode, block size and depth; then terse.
What reads a view is imported for a log that may hold it: its patterns take longer than the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from sdanalysis.codebook.measurement import Item, Problem
from sdanalysis.parsers import PLACE
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.runs import settle

_REPORT = ("(g=", "(groupid=", "IOPS=", "runt=", "Run status group", "aggrb=", ": bw=")
_TERSE = "%="


def parse(capture: Capture, name: str = "") -> Iterator[Item]:
    """Yield the figures of fio's runs in any view; only the file's name tells a side log's."""
    if not capture.lines or capture.text[:1].isdigit():
        from sdanalysis.parsers.fio import side_logs

        if side_logs.is_side_log(capture):
            yield from side_logs.parse(capture, name)
            return
    jobs, problems = read(capture)
    yield from problems
    for job in jobs:
        yield from job.problems
    yield from sorted([row for job in jobs if not job.is_repeat for row in job.rows()], key=PLACE)


def read(capture: Capture, *, more: bool = False) -> tuple[list[Job], list[Problem]]:
    """Return the jobs of all views, settled; `more` asks for percentiles and bins, too."""
    jobs: list[Job] = []
    problems: list[Problem] = []
    rest = capture
    if '"fio version"' in capture.text or '"jobname' in capture.text:
        from sdanalysis.parsers.fio import json_report

        jobs, problems, rest = json_report.read(capture, more=more)
    if any(map(rest.text.__contains__, _REPORT)):
        from sdanalysis.parsers.fio import report

        found, refused = report.Report(rest, more=more).read()
        jobs, problems = jobs + found, problems + refused
    if _TERSE in rest.text:
        from sdanalysis.parsers.fio import terse

        jobs = jobs + terse.read(rest, more=more)
    capture.taken.update({figure.line for job in jobs for figure in job.figures})
    settle(jobs, capture)
    if not (jobs or problems) and "fio: " in capture.text:
        for number, line in enumerate(map(str.strip, capture.lines), 1):
            if line.startswith("fio: "):  # as `fio: unrecognized option ...`
                return [], [Problem(number, f"found {line[:120]!r}, expected a report")]
    return jobs, problems
