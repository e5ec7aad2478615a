"""The jobs of a log -> its results: repeats, interim reports, cut ends, shares and their sums.

Sums are fio's own (stat.c 3.33: sum_thread_stats, __show_run_stats), what all moved over the
longest time: a job gives the same figures with and without `group_reporting`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

from sdanalysis.codebook.measurement import Problem
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import ALL_CLIENTS, SLACK, SPREADS, VIEWS, Figure, Job, overlap
from sdanalysis.parsers.fio.options import Conditions

# what a shell writes of a program that a signal ended, with the command or without
_DIED = re.compile(
    r"(?:\S.*\s\d+\s+|\[\d+\][+-]?\s+|zsh: )?(?i:killed|terminated|aborted|segmentation fault)"
    r"(?:\s+\(core dumped\))?(?:\s.*\bfio\b.*)?"
)
_WORDS_OF_DEATH = "illed", "erminated", "borted", "fault"
_NEAR = 50  # ms: fio looks at its clock ten times a second
_REPLACED = "--status-interval: a later report of the same process replaces this one"
_LAST = "--status-interval: the last report comes when an interim one is due, or has no totals"
_NO_TOTALS = "found no `Run status group` below the job, expected one: the text ends early"
_NO_REPORT = "found the header of a job, expected its job block below it: the log is cut"
_CUT_REPORT = (
    "found a terse record whose report for people is announced above it and missing, "
    "expected its job block: the log is cut"
)
_NO_FIGURES = "found the block of a job without figures, expected `IOPS=` or `iops=` below it"
_REPEATED = "the sum over all clients repeats their figures: left out"
_ALONE = "the job may be one of several of a run that is cut: no measurement"
_FSYNC = "found latencies of fsync of one of several processes: left out"
JSON, PEOPLE, TERSE = VIEWS
Group = Sequence[Job]
Figures = dict[str, Figure]  # of a job and a direction, by metric; of a latency's spread by stat


def settle(jobs: list[Job], capture: Capture) -> None:
    """Settle the jobs of a log, of all views, and add the sums of those that are processes."""
    _say_what_lacks(jobs)
    if len({job.view for job in jobs}) > 1:
        _mark_repeats(jobs)
    _refuse_announced(jobs)
    _mark_killed(jobs, capture)
    valid = [job for job in jobs if not (job.is_repeat or job.is_announced)]
    if len(valid) > 1:
        _mark_replaced(valid)
    records = [job for job in valid if job.view == TERSE]
    for before, after in pairwise([*records[:1], *records]):
        goes_on = before.state == after.state or before.status == "running"
        after.run = before.run if goes_on else after.line
    groups: dict[tuple[str, int, int, int], list[Job]] = {}
    for job in valid:
        if not job.is_last and job.view == PEOPLE:
            job.end_early("partial", _NO_TOTALS)
        if job.group is not None:
            groups.setdefault((job.view, job.run, job.state, job.group), []).append(job)
    for group in groups.values():
        jobs += _shares(group)


def _say_what_lacks(jobs: Group) -> None:
    for job in jobs:
        if not (job.runtimes or job.problems or job.is_announced):
            failed = ", and says an error" * (job.status == "error")
            text = f"the job {job.name!r} did no I/O{failed}: no measurement"
            text, kind = (text, "note") if job.is_last else (_NO_FIGURES, "error")
            job.say(job.line, text, kind)
        if job.name == ALL_CLIENTS and [other.run for other in jobs].count(job.run) > 1:
            job.is_repeat, job.problems = True, [Problem(job.line, _REPEATED, "note")]


def _mark_repeats(jobs: Group) -> None:
    """Mark the jobs that a better view of the same run has, too: their times are the same."""
    known: dict[tuple[str, str, int], list[Job]] = {}
    for view in VIEWS:
        own = [job for job in jobs if job.view == view and job.runtimes]
        repeats: set[int] = set()  # each of a view repeats another
        for job in own:
            twins = known.get((job.name, *next(iter(job.runtimes.items()))), [])
            others = (other for other in twins if id(other) not in repeats)
            if twin := next((other for other in others if _is_same(other, job)), None):
                repeats.add(id(twin))
                job.is_repeat = True
                text = f"the {view} repeats the {twin.view} at line {twin.line}: not counted twice"
                job.say(job.line, text, "note")
        for job in own:
            for time in job.runtimes.items() if not job.is_repeat else ():
                known.setdefault((job.name, *time), []).append(job)


def _is_same(job: Job, other: Job) -> bool:
    """Tell whether another view, which may lack a direction, has what a job has."""
    rates = [(job.rates[of], other.rates[of]) for of in job.rates.keys() & other.rates]
    is_alike = all(overlap(*pair, SLACK) for pair in rates)
    return is_alike and other.runtimes.items() <= job.runtimes.items()


def _refuse_announced(jobs: Group) -> None:
    """Say that a report is missing, and refuse its terse records: it has more, and is cut."""
    announced = [job for job in jobs if job.is_announced]
    lines = {header.name: header.line for header in reversed(announced)}
    for job in jobs:
        if job.view == TERSE and job.line > lines.get(job.name, job.line):
            job.figures = []
            job.say(job.line, _CUT_REPORT)
    for header in announced[:1]:
        is_read = any(job.figures for job in jobs)
        header.say(header.line, _NO_REPORT, "note" if is_read else "error")


def _mark_replaced(jobs: Group) -> None:
    """Mark the reports of a process that a later one replaces (`--status-interval`)."""
    # The last comes when the run is over, with the totals; in JSON its options tell. It may be an
    # interim one of a killed run, too.
    series: dict[tuple[object, ...], list[Job]] = {}
    begins: dict[tuple[object, ...], int] = {}  # of terse records: where times grow no more
    for job in jobs:
        if not job.runtimes or not (job.process or job.view != PEOPLE):
            continue
        key = job.view, job.run, job.name, job.group, job.process, *job.runtimes
        before = series.get((*key, begins.get(key)))
        if before and job.view == TERSE and _time(job) < _time(before[-1]):
            begins[key] = job.line
        series.setdefault((*key, begins.get(key)), []).append(job)
    for states in series.values():
        step, last = _step(states[:-1]), states[-1]
        if last.view == TERSE and not (step and _time(last) - _time(states[-2]) <= step + _NEAR):
            continue
        for job in states[:-1]:
            job.status = "running"
            job.say(job.line, _REPLACED, "note")
        may_go_on = not last.is_over if last.view == JSON else not last.is_last or _step(states)
        if len(states) > 1 and may_go_on:
            last.end_early("running", _LAST)


def _mark_killed(jobs: Group, capture: Capture) -> None:
    """Mark the reports above a shell's word that fio was killed: none of them was the last."""
    may_be = jobs and any(map(capture.text.__contains__, _WORDS_OF_DEATH))
    for number, line in enumerate(capture.lines if may_be else (), 1):
        if not _DIED.fullmatch(line[-300:].strip()):
            continue
        command = capture.command_above(number)
        begin = command.line if command else 0
        above = [job for job in jobs if begin <= job.line < number and not job.is_over]
        for job in above:
            if (job.run, job.state) == (above[-1].run, above[-1].state):
                job.status = "running" if job.status in ("measured", "partial") else job.status
                text = f"found {line.strip()[:80]!r} below the report: it is an interim one"
                job.say(number, text, "note")


def _time(job: Job) -> int:
    return max(job.runtimes.values())


def _step(states: Group) -> int:
    """Return the time between reports (ms), 0 where they do not come at equal times."""
    gaps = [_time(after) - _time(before) for before, after in pairwise(states)]
    step = (round(gaps[0], -3) or gaps[0]) if gaps else 0
    return step if all(abs(gap - step) <= _NEAR for gap in gaps) else 0


def _shares(group: Group) -> list[Job]:
    """Mark the figures of simultaneous processes of one test as shares, and return their sums."""
    tests: dict[tuple[str, Conditions, str, str], list[Job]] = {}
    for job in group:
        for direction in dict.fromkeys([figure.direction for figure in job.figures]):
            known = job.known._replace(numjobs=None)
            # where the log does not say what was run, a name stands for it
            key = direction, known, job.client, "" if known.mode else job.name
            tests.setdefault(key, []).append(job)
    sums: list[Job] = []
    for (direction, *_), jobs in tests.items():
        first, is_alone = jobs[0], len(jobs) == 1 and not jobs[0].is_share
        if is_alone and (first.is_whole or first.view != TERSE):
            continue
        is_whole = _is_whole(group, direction)
        if is_alone and not is_whole:
            first.figures = []
            first.say(first.line, _ALONE, "note")
        elif len(jobs) > 1 or not is_whole:
            found = [_sum(jobs, direction, group)] if is_whole and direction != "fsync" else []
            _mark_shares(jobs, direction, is_whole=is_whole)
            for total in found:
                total.known = first.known
            sums += found
    return sums


def _mark_shares(jobs: Group, direction: str, *, is_whole: bool) -> None:
    """Mark the figures of a direction as shares; the spread of one is not that of the run."""
    # Of fsync fio prints no count of operations, which would weigh their means.
    numbers = [job.known.numjobs for job in jobs]
    most = len(jobs) if is_whole else max([number or 0 for number in numbers])
    for job in jobs:
        job.known = job.known._replace(numjobs=most if most > 1 and None not in numbers else None)
        own = [figure for figure in job.figures if figure.direction == direction]
        shares = {id(figure): figure._replace(stat="share") for figure in own}
        left_out = own if direction == "fsync" else [row for row in own if row.stat in SPREADS]
        job.figures = [shares.get(id(row), row) for row in job.figures if row not in left_out]
        if direction == "fsync":
            job.say(job.line, _FSYNC, "note")
        if not is_whole and job.status == "measured":
            job.status = "partial"
    if not is_whole:
        text = f"found {len(jobs)} of the processes that ran {jobs[0].name!r} ({direction}) at the"
        text += " same time, expected all of them: shares, and no sum"
        jobs[0].say(jobs[0].line, text, "note")


def _is_whole(group: Group, direction: str) -> bool:
    """Tell whether all jobs of a group are there: by the log's form, or by its total."""
    if any(problem.kind == "error" for job in group for problem in job.problems):
        return False
    moving = [job for job in group if direction in job.rates]
    stated = [job.group_rates[direction] for job in moving if direction in job.group_rates]
    if all(job.is_whole for job in group) or not stated:
        return all(job.is_whole for job in group)
    pairs = list(zip(_parts_of_time(moving, direction), moving, strict=True))
    low, high = (sum(part * job.rates[direction][end] for part, job in pairs) for end in (0, 1))
    return overlap((low, high), stated[0], SLACK)


def _parts_of_time(jobs: Group, direction: str) -> list[float]:
    longest = max(job.runtimes[direction] for job in jobs)
    return [job.runtimes[direction] / longest for job in jobs]


def _sum(jobs: Group, direction: str, group: Group) -> Job:
    """Return the run of processes: rates over the longest time, the latency of all operations."""
    # The bandwidth is no wider than the total that is printed, which shares' digits leave open.
    first = jobs[0]
    status = next((job.status for job in jobs if job.status != "measured"), "measured")
    remarks = [remark for job in jobs for remark in job.remarks.get(direction, ())]
    found = Job(
        first.view, first.line, first.name, first.group, first.version, first.known, first.run,
        status, sizes=first.sizes, is_sum=True, remarks={direction: tuple(dict.fromkeys(remarks))},
    )  # fmt: skip
    times = _parts_of_time(jobs, direction)
    own = [[row for row in job.figures if row.direction == direction] for job in jobs]
    parts = [{of.stat if of.stat in SPREADS else of.metric: of for of in some} for some in own]
    for metric in ("bandwidth", "iops"):
        if all(metric in part for part in parts):
            found.figures.append(_total([part[metric] for part in parts], times))
    stated = first.group_rates.get(direction) if first.view == PEOPLE else None
    if stated and sum(direction in job.rates for job in group) == len(jobs):
        moved = found.figures[0]
        low, high = max(moved.low, stated[0]), min(moved.high, stated[1])
        if low <= high:  # not beyond it by the slack of its clock
            value = moved.value if low <= moved.value <= high else (low + high) / 2
            found.figures[0] = moved._replace(value=value, low=low, high=high)
    if all("latency" in part and "iops" in part for part in parts):
        counts = [time * part["iops"].value for time, part in zip(times, parts, strict=True)]
        found.figures += _latencies(parts, [number / sum(counts) for number in counts])
    return found


def _latencies(parts: Sequence[Figures], weights: Sequence[float]) -> Iterable[Figure]:
    mean = _total([part["latency"] for part in parts], weights)
    yield mean._replace(stat="mean")
    for stat, pick in (("min", min), ("max", max)):
        if all(stat in part for part in parts):
            yield pick([part[stat] for part in parts], key=lambda figure: figure.value)
    if all("stddev" in part for part in parts):
        squares = []
        for part in parts:
            own, between = part["stddev"], (part["latency"].value - mean.value) ** 2
            value, low, high = (end**2 + between for end in (own.value, own.low, own.high))
            squares.append(own._replace(value=value, low=low, high=high))
        of = _total(squares, weights)
        yield of._replace(value=sqrt(of.value), low=sqrt(of.low), high=sqrt(of.high))


def _total(figures: Sequence[Figure], weights: Sequence[float]) -> Figure:
    pairs = list(zip(weights, figures, strict=True))
    ends = ("value", "low", "high")
    sums: Any = {end: sum(weight * getattr(of, end) for weight, of in pairs) for end in ends}
    return figures[0]._replace(raw=None, raw_unit=None, **sums)
