"""fio's terse records (`--minimal`), versions 2 to 5: one line per job, fields between semicolons.

A semicolon in a name is not escaped, so fields are counted from the percentiles (stat.c 3.33).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.job import SLACK, Job, figure, may_be_processes, overlap
from sdanalysis.parsers.fio.options import DIRECTIONS
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares

_RECORD = re.compile(r"(?:> ?)*[2-5];(?=.*;\d)")
_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,9})?")
_PERCENTILE, _PERCENTILES = re.compile(r"\d{1,3}(?:\.\d{1,8})?%=\d+"), 20
# fields before the first percentile, and from it to the mean of lat and to two figures of bw
_BEFORE_PERCENTILES, _LATENCY, _PER_CENT, _MEAN_RATE = 12, 22, 26, 27


def scan(lines: Sequence[Line]) -> list[Job]:
    """Return one job per terse record."""
    found: list[Job] = []
    records: list[Job] = []  # that follow one another
    interrupted = False
    for line in lines:
        text = line.text
        if text[:1] in "2345>" and ";" in text and _RECORD.match(text):
            first = records[0].line if records else line.number
            if job := _record(line, "interrupted" if interrupted else "measured", f"{first}-fio"):
                records.append(job)
        elif text.strip():
            interrupted = "terminating on signal" in text
            found += _settled(records)
            records = []
    return found + _settled(records)


def _record(line: Line, status: str, run: str) -> Job | None:
    """Return the job of one record, None when the line is no record of fio."""
    fields = line.text.split(";")
    version = fields[1].removeprefix("fio-") if fields[0].strip("> ") != "2" else None
    if version is not None and version == fields[1]:
        return None  # some other text with semicolons
    starts = _percentiles(fields)
    if not starts and version is None and len(fields) < 50:
        return None
    job = Job("terse", line.number, name="", run=run, version=version, status=status)
    first = (starts[0] if starts else len(fields)) - _BEFORE_PERCENTILES
    head = 1 if version is None else 2
    # to its end go the rest of lat and bw, cpu, depths and latency shares
    is_whole = bool(starts) and len(fields) - starts[-1] - _PERCENTILES >= 9 + 5 + 7 + 22
    if first < head + 3 or not is_whole:
        job.error(
            f"found a terse record with {len(fields)} fields and {len(starts)} directions "
            "that is cut or damaged, expected the whole line of a job"
        )
    if first < head + 3:
        return job
    job.name = ";".join(fields[head : first - 2])
    job.group = int(fields[first - 2]) if fields[first - 2].isdigit() else None
    if fields[first - 1] != "0":
        job.status = "error"
    parts = zip(DIRECTIONS[:3], starts, strict=False)
    used = [_direction(job, fields, start, direction) for direction, start in parts]
    if not any(used) and not job.problems:
        job.note(f"the job {job.name!r} did no I/O (error {fields[first - 1]}): no measurement")
    job.group_is_whole = not job.is_part_of_group()
    return job


def _percentiles(fields: Sequence[str]) -> list[int]:
    """Return where 20 percentiles in a row begin."""
    starts, count = [], 0
    for index, text in enumerate(fields):
        count = count % _PERCENTILES + 1 if "%=" in text and _PERCENTILE.fullmatch(text) else 0
        if count == _PERCENTILES:
            starts.append(index + 1 - _PERCENTILES)
    return starts


def _direction(job: Job, fields: Sequence[str], start: int, direction: str) -> bool:
    """Add the figures of one direction; tell whether there are any."""
    at = start - _BEFORE_PERCENTILES
    moved, bandwidth, iops, runtime = fields[at : at + 4]
    if moved == bandwidth == iops == "0":
        return False
    if not (runtime.isascii() and runtime.isdigit() and int(runtime)):
        job.error(f"found {direction} figures over a time of {runtime!r}, expected milliseconds")
        return True
    if start + _MEAN_RATE >= len(fields) - 1:
        return True  # cut before its part of the group: it may be a share
    job.runtimes[direction] = int(runtime)
    cells = job.cells(direction)
    for metric, index, unit in (
        ("bandwidth", at + 1, "KiB/s"),
        ("iops", at + 2, "iops"),
        ("latency", start + _LATENCY, "us"),
    ):
        raw = fields[index]
        if not _PLAIN.fullmatch(raw):
            job.error(f"found {raw!r} for {direction} {metric}, expected a number")
        elif metric != "latency" or float(raw) > 0:  # 0: gtod_reduce, not measured
            column = len(";".join(fields[:index])) + 2
            found = figure((job.line, column), metric, raw, unit)
            if job.add(direction, found, cells) and metric == "bandwidth":
                job.rates[direction] = found.value_low, found.value_high
                mean, part = fields[start + _MEAN_RATE], fields[start + _PER_CENT]
                job.add_group_rate(direction, mean, part)
    return True


def _settled(records: Sequence[Job]) -> list[Job]:
    """Give records that follow one another their runs, shares and states."""
    states = _states(records)
    _mark_replaced(states)
    for before, state in pairwise(states):
        goes_on = any(row.status == "running" for job in before for row in job.rows)
        run = before[0].run if goes_on else f"{state[0].line}-fio"
        for job in state:
            job.run, job.rows = run, [row._replace(run=run) for row in job.rows]
    for state in states:
        twins = Counter((job.name, job.group) for job in state)
        for job in state:
            job.is_share = not job.group_is_whole and twins[job.name, job.group] > 1
        stated = [job for job in state if job.group_rates]
        if may_be_processes(stated):
            mark_shares(stated)
        leave_out_unsettled(stated)
        _note_twins(state)
    return list(records)


def _states(records: Sequence[Job]) -> list[list[Job]]:
    """Divide records where a run begins anew, or prints its next state: groups count upwards.

    Processes of one group state the same total; a second run, or state, has another.
    """
    states: list[list[Job]] = []
    for job in records:
        state = states[-1] if states else []
        same = [other for other in state if (other.name, other.group) == (job.name, job.group)]
        falls = state and (job.group or 0) < (state[-1].group or 0)
        if not states or falls or any(_is_other_run(job, other) for other in same):
            states.append([])
        states[-1].append(job)
    return states


def _is_other_run(job: Job, other: Job) -> bool:
    """Tell whether two records of one name are of two runs: each of the whole, or of two totals."""
    return any(
        not overlap(rate, other.group_rates[direction], slack=SLACK)
        or overlap(rate, job.rates[direction], slack=SLACK)
        for direction, rate in job.group_rates.items()
        if direction in other.group_rates
    )


def _note_twins(state: Sequence[Job]) -> None:
    names = Counter((job.name, job.group) for job in state if job.rows and not job.group_rates)
    for job in state:
        if names.pop((job.name, job.group), 0) > 1:
            job.note(
                f"records of {job.name!r} that are too short to say whether they are runs or "
                "processes of one run: each stands for itself"
            )


def _mark_replaced(states: Sequence[Sequence[Job]]) -> None:
    """Mark the records of `--status-interval` that a later one of the same job replaces.

    The records do not say so: it shows in at least three of one job whose times grow by whole
    seconds, the same number each time, but for the last.
    """
    series: dict[tuple, list[Job]] = {}
    for state in states:
        processes: Counter[tuple] = Counter()
        for job in state:
            process = (job.name, job.group, *job.runtimes)
            processes[process] += 1
            number = 0 if job.group_is_whole else processes[process]
            series.setdefault((*process, number), []).append(job)
    for jobs in series.values():
        times = [max(job.runtimes.values(), default=0) for job in jobs]
        gaps = [after - before for before, after in pairwise(times)]
        if len(jobs) < 3 or not _regular(gaps):
            continue
        for job in jobs[:-1]:
            job.mark_running()
        count = len(jobs) - 1
        jobs[-1].note(f"--status-interval: {count} earlier reports of the job are no results")


def _regular(gaps: Iterable[int]) -> bool:
    *whole, last = gaps
    step = round(whole[0] / 1000) * 1000
    return step > 0 and all(abs(gap - step) <= 50 for gap in whole) and 0 <= last <= step + 50
