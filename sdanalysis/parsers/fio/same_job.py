"""The views of a run beside one another: which rows count, and which are a second look."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio import json_jobs as entries
from sdanalysis.parsers.fio import text as human
from sdanalysis.parsers.fio.job import Report
from sdanalysis.parsers.fio.json_objects import Document, documents, entries_of
from sdanalysis.parsers.fio.json_places import is_used
from sdanalysis.parsers.fio.options import DIRECTIONS


def json_reports(
    lines: Sequence[Line], text: str
) -> tuple[list[Report], list[Line], list[Problem]]:
    """Return the reports of all JSON documents, the lines outside of them, and what was wrong."""
    begins = list(accumulate((len(line.text) + 1 for line in lines), initial=0))
    found: list[Report] = []
    problems: list[Problem] = []
    outside: list[Line] = []
    earlier: tuple[Document, list[Report]] | None = None
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
            problems.append(_problem(document, begins, lines))
        elif not entries_of(document.content):
            missing = "found no `jobs` in fio's object, expected a list of them"
            problems.append(Problem(line=lines[first].number, text=missing))
        goes_on = earlier is not None and same_run(earlier[0].content, document.content)
        run = run if goes_on else f"{lines[first].number}-fio"
        context = entries.Context(
            document=document,
            version=entries.version_of(document.content),
            run=run,
            interrupted=interrupted,
            cursor=entries.Cursor(document.text, document.start, first, start - begins[first] + 1),
        )
        reports = [_numbered(report, lines) for report in entries.reports(context)]
        if goes_on:
            _replaced(earlier[1])
        earlier = (document, reports)
        found += _without_sum(reports, problems)
    outside += lines[next_line:]
    return found, outside, problems


def _problem(document: Document, begins: Sequence[int], lines: Sequence[Line]) -> Problem:
    offset, text = document.problem
    index = min(bisect_right(begins, offset) - 1, len(lines) - 1)
    kind = "note" if document.complete else "error"
    return Problem(line=lines[index].number, text=text, kind=kind)


def _numbered(report: Report, lines: Sequence[Line]) -> Report:
    """Turn indexes of lines into the numbers that the lines carry."""
    report.rows = [(lines[row[0]].number, *row[1:]) for row in report.rows]
    report.problems = [
        Problem(line=lines[one.line].number, text=one.text, kind=one.kind)
        for one in report.problems
    ]
    report.line = lines[report.line].number
    return report


def _without_sum(reports: list[Report], problems: list[Problem]) -> list[Report]:
    """Leave out the entry that fio's client adds as the sum of all others."""
    if len(reports) > 1 and reports[-1].name == entries.ALL_CLIENTS:
        text = "the sum over all clients repeats their figures: left out"
        problems.append(Problem(line=reports[-1].line, text=text, kind="note"))
        return reports[:-1]
    return reports


def _replaced(reports: Iterable[Report]) -> None:
    text = "--status-interval: a later object of the same run replaces this one"
    for report in reports:
        report.with_status("running")
        report.problems.append(Problem(line=report.line, text=text, kind="note"))


def same_run(before: dict, after: dict) -> bool:
    """Tell whether `after` is a later state of the run that wrote `before` (--status-interval).

    Each state counts from the start: bytes do not shrink, extremes do not narrow, and the later one
    began before the earlier was printed. Documents without a time (up to 2.1) need bytes that grow.
    """
    pairs = list(zip(entries_of(before), entries_of(after), strict=False))
    if not pairs or before.get("fio version") != after.get("fio version"):
        return False
    if not all(_continues(one, other) for one, other in pairs):
        return False
    for key, unit in (("timestamp_ms", 1), ("timestamp", 1000)):
        times = (before.get(key), after.get(key))
        if all(isinstance(time, int) for time in times):
            longest = max((_runtime(other) for _, other in pairs), default=0)
            return times[1] * unit - longest < times[0] * unit + unit - 1 and (
                unit == 1 or any(_grows(one, other) for one, other in pairs)
            )
    return any(_grows(one, other) for one, other in pairs)


def _runtime(entry: dict) -> int:
    times = [part.get("runtime") for part in map(entry.get, DIRECTIONS) if is_used(part)]
    return max((time for time in times if isinstance(time, int)), default=0)


def _continues(one: dict, other: dict) -> bool:
    keys = ("jobname", "groupid", "job options", "hostname")
    if any(one.get(key) != other.get(key) for key in keys):
        return False
    return all(
        _amount(one, direction) <= _amount(other, direction)
        and _extreme(one, direction, "max") <= _extreme(other, direction, "max")
        and (
            not is_used(one.get(direction))
            or _extreme(one, direction, "min") >= _extreme(other, direction, "min")
        )
        for direction in DIRECTIONS
    )


def _grows(one: dict, other: dict) -> bool:
    return any(_amount(one, name) < _amount(other, name) for name in DIRECTIONS) and _runtime(
        one
    ) != _runtime(other)


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


def once(documented: list[Report], scanned: human.Scan, records: list[Report]) -> list[Report]:
    """Return the reports that count; a job that a better view shows gives a note and no rows."""
    counted = list(documented)
    rest = list(documented)
    blocks = [_unless_seen(report, rest) for report in scanned.reports]
    counted += blocks
    rest += scanned.reports
    for record in records:
        seen = _unless_seen(record, rest)
        if seen.rows and _is_announced(record, scanned):
            text = (
                f"found a terse record of {record.name!r} whose report for people is announced "
                "above it and missing, expected its job block: the log is cut"
            )
            seen = _note(record, text, "error")
        counted.append(seen)
    return sorted(counted, key=lambda one: one.line)


def _unless_seen(report: Report, better: list[Report]) -> Report:
    for one in better:
        if one.view != report.view and one.same_as(report):
            better.remove(one)
            text = f"the {report.view} repeats the {one.view} at line {one.line}: not counted twice"
            return _note(report, text, "note")
    return report


def _note(report: Report, text: str, kind: str) -> Report:
    lines = sorted({row[0] for row in report.rows}) or [report.line]
    problems = [Problem(line=line, text=text, kind=kind) for line in lines]
    return Report(
        view=report.view, line=report.line, name=report.name, problems=report.problems + problems
    )


def _is_announced(record: Report, scanned: human.Scan) -> bool:
    """Tell whether a header above announced the job's report, and no report came in between."""
    above = [line for line, name in scanned.announced if line < record.line and name == record.name]
    return bool(above) and not any(above[-1] < one.line < record.line for one in scanned.reports)
