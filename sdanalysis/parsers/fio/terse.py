"""fio's terse records (`--minimal`), versions 2 to 5: one line per job, fields between semicolons.

A semicolon in the job's name is not escaped, so the fields are counted from the 20 percentiles of a
direction, which nothing else looks like (stat.c 3.33: show_thread_status_terse_*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Report, refusal, tail
from sdanalysis.parsers.fio.options import UNKNOWN
from sdanalysis.parsers.fio.text_figures import half_step

RECORD = re.compile(r"^(?:> ?)*(?P<format>[2-5]);(?=.*;\d)")
_PERCENTILE = re.compile(r"\d{1,3}(?:\.\d{1,8})?%=\d+")
_RUN = 20
_BEFORE_RUN = 12  # io, bw, iops, runtime, 4 of slat, 4 of clat
_MEAN = 22  # from the first percentile to the mean of lat
LONGEST = 20_000  # a record has 4,000 characters; patterns would take their time over more
_DIRECTIONS = ("read", "write", "trim")


def scan(lines: Sequence[Line]) -> list[Report]:
    """Return one report per terse record."""
    found: list[Report] = []
    interrupted, first = False, 0
    for line in lines:
        text = line.text
        if len(text) > LONGEST:
            continue
        if text[:1] in "2345>" and ";" in text and RECORD.match(text):
            first = first or line.number
            report = record(line, "interrupted" if interrupted else "measured", f"{first}-fio")
            if report is not None:
                found.append(report)
        elif text.strip():
            interrupted, first = "terminating on signal" in text, 0
    _replaced(found)
    return found


def record(line: Line, status: str, run: str) -> Report | None:
    """Return the report of one record, None when the line is no record of fio."""
    fields = line.text.split(";")
    version = fields[1].removeprefix("fio-") if fields[0].strip("> ") != "2" else None
    if version is not None and version == fields[1]:
        return None  # some other text with semicolons
    starts = _runs(fields)
    if not starts and version is None and len(fields) < 50:
        return None
    report = Report(view="terse", line=line.number, name="", run=run)
    first = (starts[0] if starts else len(fields)) - _BEFORE_RUN
    head = 1 if version is None else 2
    if first < head + 3 or not _whole(fields, starts):
        report.problems.append(
            Problem(
                line=line.number,
                text=f"found a terse record with {len(fields)} fields and {len(starts)} directions "
                "that is cut or damaged, expected the whole line of a job",
            )
        )
    if first < head + 3:
        return report
    report.name = ";".join(fields[head : first - 2])
    report.group = int(fields[first - 2]) if fields[first - 2].isdigit() else None
    if fields[first - 1] != "0":
        status = "error"
    used = 0
    for direction, start in zip(_DIRECTIONS, starts, strict=False):
        used += _direction(report, fields, start, direction, status, version)
    if not used and not report.problems:
        text = f"the job {report.name!r} did no I/O (error {fields[first - 1]}): no measurement"
        report.problems.append(Problem(line=line.number, text=text, kind="note"))
    return report


def _runs(fields: Sequence[str]) -> list[int]:
    """Return where 20 percentiles in a row begin."""
    shares = ["%=" in one and _PERCENTILE.fullmatch(one) is not None for one in fields]
    starts, index, count = [], 0, len(fields)
    while index + _RUN <= count:
        if all(shares[index : index + _RUN]):
            starts.append(index)
            index += _RUN
        else:
            index += 1
    return starts


def _whole(fields: Sequence[str], starts: Sequence[int]) -> bool:
    """Tell whether the record goes on to its end: lat and bw, cpu, depths and latency shares."""
    return bool(starts) and len(fields) - starts[-1] - _RUN >= 9 + 5 + 7 + 22


def _direction(
    report: Report,
    fields: Sequence[str],
    start: int,
    direction: str,
    status: str,
    version: str | None,
) -> bool:
    at = start - _BEFORE_RUN
    moved, _, _, runtime = fields[at : at + 4]
    if moved == "0" and fields[at + 1] == "0" and fields[at + 2] == "0":
        return False
    if not (runtime.isascii() and runtime.isdigit() and int(runtime)):
        text = f"found {direction} figures over a time of {runtime!r}, expected milliseconds"
        report.problems.append(Problem(line=report.line, text=text))
        return True
    cells = tail(UNKNOWN, direction, status, version, report.run, report.name)
    figures = [("bandwidth", at + 1, KIB, "KiB/s"), ("iops", at + 2, 1, "iops")]
    if start + _MEAN < len(fields) - 1:  # what no semicolon follows may be cut
        figures.append(("latency", start + _MEAN, 1e-6, "us"))
    for metric, index, factor, unit in figures:
        _figure(report, fields, index, (metric, direction, factor, unit), cells)
    report.runtimes[direction] = int(runtime)
    return True


_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,9})?")


def _figure(
    report: Report,
    fields: Sequence[str],
    index: int,
    what: tuple[str, str, float, str],
    cells: tuple,
) -> None:
    metric, direction, factor, unit = what
    raw = fields[index]
    if not _PLAIN.fullmatch(raw):
        text = f"found {raw!r} for {direction} {metric}, expected a number"
        report.problems.append(Problem(line=report.line, text=text))
        return
    value = float(raw)
    if metric == "latency" and value == 0:
        return  # gtod_reduce: not measured
    if problem := refusal(metric, value * factor, raw, report.line):
        report.problems.append(problem)
        return
    half = half_step(raw)
    low, high = (value - half, value + half) if "." in raw else (value, value + 1)
    column = sum(len(one) + 1 for one in fields[:index]) + 1
    stat = "mean" if metric == "latency" else "single"
    amounts = (value * factor, low * factor, high * factor)
    place = (report.line, column, direction, metric, raw, unit)
    report.rows.append((*place, *amounts, stat, *cells))
    if metric == "bandwidth":
        report.rates[direction] = (low * factor, high * factor)


def _replaced(found: list[Report]) -> None:
    """Mark the records of `--status-interval` that a later one of the same job replaces.

    The records do not say so: it shows in at least three of one job whose times grow by whole
    seconds, the same number each time, but for the last.
    """
    series: dict[tuple, list[Report]] = {}
    for report in found:
        series.setdefault((report.name, report.group, *report.runtimes), []).append(report)
    for reports in series.values():
        times = [max(one.runtimes.values(), default=0) for one in reports]
        gaps = [after - before for before, after in pairwise(times)]
        if len(reports) < 3 or not _regular(gaps):
            continue
        for report in reports[:-1]:
            report.with_status("running")
        text = f"--status-interval: {len(reports) - 1} earlier reports of the job are no results"
        reports[-1].problems.append(Problem(line=reports[-1].line, text=text, kind="note"))


def _regular(gaps: Iterable[int]) -> bool:
    *whole, last = gaps
    step = round(whole[0] / 1000) * 1000
    return step > 0 and all(abs(gap - step) <= 50 for gap in whole) and 0 <= last <= step + 50
