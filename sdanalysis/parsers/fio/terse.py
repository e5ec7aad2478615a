"""fio's terse records (`--minimal`), versions 2 to 5: one line per job, fields between semicolons.

A semicolon in a name is not escaped, so fields are counted from the percentiles (stat.c 3.33).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import whole_number
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.fio.interim import is_regular, mark_last
from sdanalysis.parsers.fio.job import (
    BOTH,
    COMPLETION_ONLY,
    EXTREMES,
    SLACK,
    Figure,
    Job,
    Range,
    figure,
    may_be_of_size,
    may_be_processes,
    overlap,
)
from sdanalysis.parsers.fio.options import DIRECTIONS, UNKNOWN, Conditions, moves
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares
from sdanalysis.parsers.fio.terse_asked import Asked

_RECORD = re.compile(r"[\s>|#/*]{0,40}[2-5];(?=.*;\d)")
# a record in a string of a program or of JSON: `LINE = "3;fio-3.33;job;0;0;...";`
_IN_A_STRING = re.compile(r"[^;]{0,200}[\"'`][2-5];fio-[0-9][\w.+-]{0,20};")
_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
_PERCENTILES = 20  # fields, one behind the other
_ALL_PERCENTILES = re.compile(
    rf"(?:^|(?<=;))(?:\d{{1,3}}(?:\.\d{{1,8}})?%=\d+(?:;|$)){{{_PERCENTILES}}}", re.ASCII
)
# fields before the first percentile, of them those of clat, and from it to the figures of lat and
# to two of bw
_BEFORE_PERCENTILES, _COMPLETION_MEAN, _PER_CENT, _MEAN_RATE = 12, -2, 26, 27
_LATENCY = {"mean": 22, "min": 20, "max": 21, "stddev": 23}
_RATES = {"5": 11}  # fields of bw and iops behind those of lat, 5 in the other versions
_AFTER = 5 + 7 + 22  # of cpu, depths and latency shares


def scan(lines: Sequence[Line]) -> list[Job]:
    """Return one job per terse record."""
    found: list[Job] = []
    records: list[Job] = []  # that follow one another
    interrupted = False
    asked = Asked(lines)
    for index, line in enumerate(lines):
        text = line.text
        if _is_record(text):
            first = records[0].line if records else line.number
            status = "interrupted" if interrupted else "measured"
            if job := _asked_record(line, status, f"{first}-fio", asked):
                records.append(job)
        elif text.strip():
            asked.take(index)
            interrupted = "terminating on signal" in text
            found += _settled(records)
            records = []
    return found + _settled(records)


def _is_record(text: str) -> bool:
    """Tell whether a line may hold a record."""
    if text[:1] in "2345> \t|#/*" and ";" in text and _RECORD.match(text):
        return True
    is_long = ";fio-" in text and text.count(";") > _BEFORE_PERCENTILES  # no mention of the format
    return is_long and _IN_A_STRING.match(text) is not None


def _asked_record(line: Line, status: str, run: str, asked: Asked) -> Job | None:
    """Return the job of one record, with what the command above asks for and it does not deny."""
    job = _record(line, status, run, UNKNOWN)
    known = asked.known_of(job.name, job.line) if job else UNKNOWN
    if job is None or known == UNKNOWN or not _agrees(job, known):
        return job
    return _record(line, status, run, known)


def _agrees(job: Job, known: Conditions) -> bool:
    """Tell whether the directions and the block sizes of a record may be those asked for."""
    iops = {
        row.op: (row.value_low or 0, row.value_high or 0)
        for row in job.rows
        if row.metric == "iops"
    }
    for direction, rate in job.rates.items():
        if not moves(known, direction):
            return False
        size, count = known.block_size(direction), iops.get(direction, (0, 0))
        more = known.uncounted(job.runtimes[direction])
        if size and count[1] and not may_be_of_size(rate, count, size, more):
            return False
    return True


def _record(line: Line, status: str, run: str, known: Conditions) -> Job | None:
    """Return the job of one record, None when the line is no record of fio."""
    fields = line.text.split(";")
    form, starts = fields[0][-1:], _percentiles(line.text)
    version = fields[1].removeprefix("fio-") if form != "2" else None
    if version is not None and version == fields[1]:
        return None  # some other text with semicolons
    if not starts and version is None and len(fields) < 50:
        return None
    job = Job("terse", line.number, "", run=run, version=version, status=status, known=known)
    first = (starts[0] if starts else len(fields)) - _BEFORE_PERCENTILES
    head = 1 if version is None else 2
    rest = 4 + _RATES.get(form, 5)  # of the last direction
    is_whole = bool(starts) and len(fields) - starts[-1] - _PERCENTILES >= rest + _AFTER
    if first < head + 3 or not is_whole:
        job.error(
            f"found a terse record with {len(fields)} fields and {len(starts)} directions "
            "that is cut or damaged, expected the whole line of a job"
        )
        job.status = "partial" if status == "measured" else status
    if first < head + 3:
        return job
    job.name = ";".join(fields[head : first - 2])
    job.group = _count(fields[first - 2])
    if fields[first - 1] != "0":
        job.status = "error"
    parts = _parts(fields, starts, form, rest, is_whole=is_whole)
    used = [_direction(job, fields, start, direction) for direction, start in parts]
    if not any(used) and not job.problems:
        job.note(f"the job {job.name!r} did no I/O (error {fields[first - 1]}): no measurement")
    job.group_is_whole = not job.is_part_of_group()
    return job


def _count(text: str) -> int | None:
    """Return a count, None for what no column of whole numbers holds."""
    try:
        return whole_number(text)
    except SdAnalysisError:
        return None


def _parts(
    fields: Sequence[str], starts: Sequence[int], form: str, rest: int, *, is_whole: bool
) -> list[tuple[str, int]]:
    """Return the directions of a record and where the percentiles of each begin.

    One alone is mixed (`unified_rw_reporting=mixed`), and so is one more than the version has, in
    3 read and write, in the others also trim (`=both`; stat.c 3.33: show_thread_status_terse_all).
    Of a cut record the first is read where another follows it.
    """
    names = DIRECTIONS[:2] if form == "3" else DIRECTIONS[:3]
    if len(starts) > 1:
        return list(zip((*names, "mixed"), starts, strict=False))
    if is_whole:
        return [("mixed", start) for start in starts]
    follows = [start + _PERCENTILES + rest for start in starts]
    is_read = any(at < len(fields) - 1 and "%" not in fields[at] for at in follows)
    return [("read", start) for start in starts if is_read]


def _percentiles(text: str) -> list[int]:
    """Return the fields at which 20 percentiles in a row begin."""
    return [text.count(";", 0, match.start()) for match in _ALL_PERCENTILES.finditer(text)]


def _direction(job: Job, fields: Sequence[str], start: int, direction: str) -> bool:
    """Add the figures of one direction; tell whether there are any."""
    at = start - _BEFORE_PERCENTILES
    moved, bandwidth, iops, runtime = fields[at : at + 4]
    if moved == bandwidth == iops == "0":
        return False
    if not _count(runtime):
        shown = runtime[:40]
        job.error(f"found {direction} figures over a time of {shown!r}, expected milliseconds")
        return True
    if start + _MEAN_RATE >= len(fields) - 1:
        return True  # cut before its part of the group: it may be a share
    if direction == "mixed" and job.runtimes:
        job.note(BOTH)
        return True
    job.runtimes[direction] = int(runtime)
    cells = job.cells(direction)
    for metric, index, unit in (("bandwidth", at + 1, "KiB/s"), ("iops", at + 2, "iops")):
        found = _figure(job, fields, index, (direction, metric, unit))
        if found and job.add(direction, found, cells) and metric == "bandwidth":
            job.rates[direction] = found.value_low, found.value_high
            mean, part = fields[start + _MEAN_RATE], fields[start + _PER_CENT]
            job.add_group_rate(direction, mean, part)
    _latencies(job, fields, start, direction)
    return True


def _latencies(job: Job, fields: Sequence[str], start: int, direction: str) -> None:
    """Add the figures of the total latency, whose mean is 0 where fio did not measure it."""
    figures: dict[str, Figure] = {}
    for stat, offset in _LATENCY.items():
        if found := _figure(job, fields, start + offset, (direction, "latency", "us")):
            figures[stat] = found
    if "mean" not in figures:
        return
    if figures["mean"].value:
        job.add_latencies(direction, job.cells(direction), figures)
    elif fields[start + _COMPLETION_MEAN].strip("0."):
        job.note(COMPLETION_ONLY)


def _figure(
    job: Job, fields: Sequence[str], index: int, kind: tuple[str, str, str]
) -> Figure | None:
    """Return the figure of a field, of a direction, metric and unit."""
    direction, metric, unit = kind
    raw = fields[index]
    if not _PLAIN.fullmatch(raw):
        job.error(f"found {raw[:40]!r} for {direction} {metric}, expected a number")
        return None
    column = len(";".join(fields[:index])) + 2
    return figure((job.line, column), metric, raw, unit)


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
            if job.known.is_share:
                job.is_share = True
                job.group_is_whole = twins[job.name, job.group] == job.known.numjobs
            else:
                job.is_share = not job.group_is_whole and twins[job.name, job.group] > 1
        stated = [job for job in state if job.group_rates or job.is_share]
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
    stated: dict[tuple, dict[str, Range]] = {}  # of the jobs of the last state, what all allow
    for job in records:
        falls = states and (job.group or 0) < (states[-1][-1].group or 0)
        if not states or falls or _is_other_run(job, stated.get((job.name, job.group), {})):
            states.append([])
            stated = {}
        states[-1].append(job)
        totals = stated.setdefault((job.name, job.group), {})
        for direction, (low, high) in job.group_rates.items():
            least, most = totals.get(direction, (low, high))
            totals[direction] = max(least, low), min(most, high)
    return states


def _is_other_run(job: Job, stated: Mapping[str, Range]) -> bool:
    """Tell whether a record is of another run than earlier ones: of the whole, or another total."""
    return any(
        not overlap(rate, stated[direction], slack=SLACK)
        or overlap(rate, job.rates[direction], slack=SLACK)
        for direction, rate in job.group_rates.items()
        if direction in stated
    )


def _note_twins(state: Sequence[Job]) -> None:
    unsure = (job for job in state if job.rows and not job.group_rates and not job.is_share)
    names = Counter((job.name, job.group) for job in unsure)
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
        if not gaps or not _are_of_one_run(jobs, gaps):
            continue
        for job in jobs[:-1]:
            job.mark_running()
        count = len(jobs) - 1
        jobs[-1].note(f"--status-interval: {count} earlier reports of the job are no results")
        mark_last(jobs)


def _are_of_one_run(jobs: Sequence[Job], gaps: Sequence[int]) -> bool:
    """Tell whether records of one job are states of a run; of two only where all of it grows."""
    if len(jobs) > 2:
        *whole, last = gaps
        step = round(whole[0] / 1000) * 1000
        return step > 0 and is_regular(whole) and 0 <= last <= step + 50
    return gaps[0] >= 950 and is_regular(gaps) and _widens(*jobs)


def _widens(job: Job, later: Job) -> bool:
    """Tell whether the extremes of the later record hold those of the earlier."""
    ranges = []
    for record in (job, later):
        found = {(row.op, row.stat): row.value or 0 for row in record.rows if row.stat in EXTREMES}
        ranges.append(found)
    before, after = ranges
    return bool(before) and all(
        value >= after.get((op, stat), 0) if stat == "min" else value <= after.get((op, stat), 0)
        for (op, stat), value in before.items()
        if stat != "stddev"
    )
