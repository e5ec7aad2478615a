"""The processes of one run: what each printed is its share, and the run's figure is their sum.

Sums are fio's own (stat.c 3.33: sum_thread_stats, __show_run_stats), what all moved over the
longest time: a job gives the same figures with and without `group_reporting`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from operator import attrgetter

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.parsers.fio.job import (
    EXTREMES,
    PEOPLE,
    SLACK,
    SYNC,
    SYNCS_OF_SEVERAL,
    UNKNOWN_PATTERN,
    Job,
    overlap,
)
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions

SHARE = "share"  # the stat of a process's figures
SUMMED = "summed-jobs"  # the remark of a run's

# A job and its rows of one test, by metric; of a latency's extremes by their stat.
Process = tuple[Job, dict[str, Measurement]]


def mark_twins(
    reports: Iterable[Job], announced: Sequence[tuple[int, str]], jobs: Mapping[str, Conditions]
) -> None:
    """Mark the reports of tests that the headers announce for two processes of a group."""
    counts: Counter[tuple[int | None, Conditions]] = Counter(
        (group, jobs[name]._replace(numjobs=None)) for group, name in announced
    )
    for job in reports:
        test = jobs.get(job.name, UNKNOWN)._replace(numjobs=None)
        is_one = job.is_share or counts[job.group, test] > 1
        job.is_share = is_one and not job.group_is_whole


def mark_shares(jobs: Iterable[Job]) -> None:
    """Mark the rows of simultaneous processes of one test as shares and add their sum.

    The jobs are those of one state of one run. Where a process is missing there is no sum: a log
    that is cut must not give another number.
    """
    groups: dict[int, list[Job]] = {}
    for job in jobs:
        if job.group is not None:
            groups.setdefault(job.group, []).append(job)
    for group in groups.values():
        for processes in _tests(group):
            direction = direction_of(next(iter(processes[0][1].values())))
            whole = is_whole(group, direction)
            if len(processes) > 1 or (processes[0][0].is_share and not whole):
                _mark(processes, group, direction, whole=whole)


def _tests(group: Sequence[Job]) -> list[list[Process]]:
    """Return the jobs of a group by the test that they ran: only equal tests have a sum."""
    tests: dict[tuple, list[Process]] = {}
    for job in group:
        by_op: dict[str, dict[str, Measurement]] = {}
        for row in job.rows:
            by_op.setdefault(row.op, {})[row.stat if row.stat in EXTREMES else row.metric] = row
        for op, rows in by_op.items():
            row = next(iter(rows.values()))
            sizes = (row.block_size, row.file_size, row.iodepth, row.read_mix, row.direct)
            # where the log does not say what was run, a name stands for it
            name = row.name if UNKNOWN_PATTERN in row.remarks else ""
            # jobs of other modes, folders or clients, or that start apart, are other tests
            place = (job.known.mode, job.known.placement, job.client)
            tests.setdefault((op, *sizes, name, *place), []).append((job, rows))
    return list(tests.values())


def _mark(
    processes: Sequence[Process], group: Sequence[Job], direction: str, *, whole: bool
) -> None:
    first, _ = processes[0]
    if direction == SYNC:  # fio prints no count of them that would weigh their means
        for job, own in processes:
            job.rows = [row for row in job.rows if row.op.removeprefix("rand") != SYNC]
            job.note(SYNCS_OF_SEVERAL, next(iter(own.values())).line)
        return
    numjobs = _numjobs(processes, group, whole=whole)
    for job, own in processes:
        status = job.status if whole or job.status != "measured" else "partial"  # of so many
        shares = {
            id(row): row._replace(stat=SHARE, numjobs=numjobs, status=status)
            for row in own.values()
        }
        # the extremes of one process are not those of the run, which its sum has
        extremes = {id(own[stat]) for stat in EXTREMES if stat in own}
        job.rows = [shares.get(id(row), row) for row in job.rows if id(row) not in extremes]
    if whole:
        sums = [_within_total(row, processes, group) for row in _sums(processes, direction)]
        first.rows += [row._replace(numjobs=numjobs) for row in sums]
    else:
        first.note(
            f"found {len(processes)} of the processes that ran {first.name!r} ({direction}) at the "
            "same time, expected all of them: shares, and no sum"
        )


def direction_of(row: Measurement) -> str:
    """Return read, write, trim or mixed."""
    return row.op.removeprefix("rand")


def is_whole(group: Sequence[Job], direction: str) -> bool:
    """Tell whether all jobs of a group are there: by the log's form, or by its total."""
    moving = [
        job
        for job in group
        if direction in job.rates or any(direction_of(row) == direction for row in job.rows)
    ]
    if any(problem.kind == "error" for job in group for problem in job.problems):
        return False
    if any(direction not in job.runtimes for job in moving):
        return False
    if all(job.group_is_whole for job in group):
        return True
    stated = [job.group_rates[direction] for job in moving if direction in job.group_rates]
    if not stated:
        return False
    times = _parts_of_time(moving, direction)
    low = sum(time * job.rates[direction][0] for time, job in zip(times, moving, strict=True))
    high = sum(time * job.rates[direction][1] for time, job in zip(times, moving, strict=True))
    return overlap((low, high), stated[0], slack=SLACK)


def _parts_of_time(jobs: Sequence[Job], direction: str) -> list[float]:
    """Return how much of the longest time each job took."""
    longest = max(job.runtimes[direction] for job in jobs)
    return [job.runtimes[direction] / longest for job in jobs]


def _numjobs(processes: Sequence[Process], group: Sequence[Job], *, whole: bool) -> int | None:
    """Return how many processes ran the test, None where the log does not say it."""
    stated = [row.numjobs for _, rows in processes for row in rows.values()]
    if None in stated:
        return None
    if whole:
        names = {(job.name, job.client) for job, _ in processes}
        return sum((job.name, job.client) in names for job in group)
    most = max(number for number in stated if number is not None)
    return most if most > 1 else processes[0][0].processes


def _sums(processes: Sequence[Process], direction: str) -> list[Measurement]:
    """Return the figures of the run: rates over the longest time, the mean latency of all."""
    times = _parts_of_time([job for job, _ in processes], direction)
    by_metric = {
        metric: [rows[metric] for _, rows in processes]
        for metric in ("bandwidth", "iops", "latency")
        if all(metric in rows for _, rows in processes)
    }
    found = [_sum(rows, times) for metric, rows in by_metric.items() if metric != "latency"]
    if {"iops", "latency"} <= set(by_metric):
        pairs = zip(times, by_metric["iops"], strict=True)
        counts = [time * (row.value or 0) for time, row in pairs]
        weights = [count / sum(counts) for count in counts]
        found.append(_sum(by_metric["latency"], weights))
        found += _extremes([rows for _, rows in processes], weights)
    return found


def _extremes(
    processes: Sequence[dict[str, Measurement]], weights: Sequence[float]
) -> Iterator[Measurement]:
    """Yield the least and the greatest latency of a run, and its standard deviation."""
    for stat, pick in (("min", min), ("max", max)):
        if all(stat in rows for rows in processes):
            row = pick([rows[stat] for rows in processes], key=attrgetter("value"))
            yield row._replace(remarks=(*row.remarks, SUMMED))
    if all("stddev" in rows for rows in processes):
        row = _sum([rows["stddev"] for rows in processes], weights)
        means = [rows["latency"].value or 0 for rows in processes]

        def deviation(name: str) -> float:
            owns = [getattr(rows["stddev"], name) for rows in processes]
            return _deviation(list(zip(means, owns, strict=True)), weights)

        yield row._replace(
            value=deviation("value"),
            value_low=deviation("value_low"),
            value_high=deviation("value_high"),
        )


def _deviation(parts: Sequence[tuple[float, float]], weights: Sequence[float]) -> float:
    """Return the deviation of all from (mean, deviation) of each: within them and between them."""
    pairs = list(zip(weights, parts, strict=True))
    mean = sum(weight * average for weight, (average, _) in pairs)
    squares = [weight * (own**2 + (average - mean) ** 2) for weight, (average, own) in pairs]
    return sqrt(sum(squares))


def _sum(rows: Sequence[Measurement], weights: Sequence[float]) -> Measurement:
    """Return the weighted sum of rows, at the place of the first: it is printed nowhere."""

    def total(name: str) -> float:
        return sum(weight * getattr(row, name) for weight, row in zip(weights, rows, strict=True))

    remarks = dict.fromkeys(remark for row in rows for remark in row.remarks)
    return rows[0]._replace(
        raw=None,
        raw_unit=None,
        value=total("value"),
        value_low=total("value_low"),
        value_high=total("value_high"),
        status=next((row.status for row in rows if row.status != "measured"), "measured"),
        remarks=(*remarks, SUMMED),
    )


def _within_total(
    row: Measurement, processes: Sequence[Process], group: Sequence[Job]
) -> Measurement:
    """Return a sum no wider than the total that is printed, which shares' digits leave open."""
    direction = direction_of(row)
    own = {id(job) for job, _ in processes}
    first = processes[0][0]
    stated = first.group_rates.get(direction)
    is_theirs = all(id(job) in own for job in group if direction in job.rates)
    if row.metric != "bandwidth" or not stated or not is_theirs or first.view != PEOPLE:
        return row
    low, high = max(row.value_low or 0, stated[0]), min(row.value_high or 0, stated[1])
    if low > high:  # by the slack of its clock
        return row
    value = row.value if row.value and low <= row.value <= high else (low + high) / 2
    return row._replace(value=value, value_low=low, value_high=high)


def leave_out_unsettled(jobs: Iterable[Job]) -> None:
    """Leave out rows of jobs whose group goes on where the log is cut: they may be shares of it."""
    jobs = list(jobs)
    for job in jobs:
        if job.group_is_whole or job.is_share or job.group is None:
            continue
        group = [other for other in jobs if other.group == job.group]
        kept = [row for row in job.rows if row.stat == SHARE or is_whole(group, direction_of(row))]
        if len(kept) < len(job.rows):
            job.rows = kept
            job.note(f"the job {job.name!r} may be a share of a run that is cut: no measurement")
