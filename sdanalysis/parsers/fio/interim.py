"""Which reports of fio are no results: interim ones, those of killed runs, those that are cut."""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from time import strptime

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import SLACK, Job, Range

_DATE = ": %a %b %d %H:%M:%S %Y"
_SLACK = 2.5  # s: dates are whole seconds, and reports take a while
_SAMPLES = re.compile(
    r"\bbw \( *(?P<prefix>[KMG])i?B */s\) *: min=[^,]*, max=[^,]*, "
    r"per= *(?P<part>\d{1,3}(?:\.\d{1,9})?)%, avg= *(?P<mean>\d{1,15}(?:\.\d{1,9})?),",
    re.ASCII,
)
_MORE = 1.05  # fio 1 prints some rates in units of 1000, some in those of 1024
_NEAR = 50  # ms: fio looks at its clock ten times a second
# what fio prints below a job's first line; the totals of its group are the end of a report. Of a
# line that a mail broke the rest has no letters or begins with a figure.
_OF_A_REPORT = re.compile(
    # behind the mark of a comment it is indented, or it is somebody's own
    r"^[\s>|*-]*(?:(?:#>|(?:#|//)(?=\s\s))\s+)?(?:<[^<>\s]+> *)?"
    r"(?:(?!\.\.)(?:[^\w`~]|\d)*$|\||[scd]?lat\b|read|write|trim|"
    r"mixed|sync|f(?:data)?sync|bw |iops |cpu |IO depths|submit|complete|issued|latency|errors|"
    r"Description|\d+\.\d+th|Run status|READ|WRITE|TRIM|MIXED|Disk stats|\S+: ios=|steadystate|"
    r"(?:zone )?resets\s*$|(?:max|per|avg|stdev|samples|sys|ctx|majf|minf|short|dropped|window|"
    r"percentile|depth)=|(?:[A-Z][a-z]{2} +){1,2}\d{1,2} [\d:]{8} \d{4}\s*$|.*: \(groupid=)"
)
_ENDS = ("```", "~~~", "[/code]", "[/quote]", "[/spoiler]")  # of what a page shows as it is
# as a shell says of a command of its own, with or without a word of which
_KILLED = re.compile(r"^(?:.*[\s\]])?[Kk]illed(?:\s+\(core dumped\))?(?:\s*$|\s.*\bfio\b)")


@dataclass(slots=True)
class Report:
    """The job blocks of one state of a run, and the totals of their groups, which end it."""

    jobs: list[Job] = field(default_factory=list)
    has_totals: bool = False
    totals: list[tuple[int, str, Range]] = field(default_factory=list)  # group, direction, rate
    closed: set[tuple[int | None, str]] = field(default_factory=set)  # whose total is whole
    parts: dict[tuple[int | None, str], float] = field(default_factory=dict)  # least of a group
    pattern: tuple[str | None, int] = (None, 0)  # of how many processes, as its statuses show it

    def is_over(self, block: Job) -> bool:
        """Tell whether a block is of this report and above its totals: no result follows in it."""
        return self.has_totals and bool(self.jobs) and self.jobs[-1] is block

    def add_total(self, group: int, total: tuple[str, Range, bool]) -> None:
        """Take a total of a group: direction, rate, and whether its line is whole."""
        direction, rate, whole = total
        self.totals.append((group, direction, rate))
        if whole:
            self.closed.add((group, direction))

    def add_samples(self, job: Job, text: str) -> None:
        """Take what the group of a job moved at least: its samples are so much of that."""
        if job.rates and job.group is not None and (match := _SAMPLES.search(text)):
            mean = float(match["mean"]) * KIB ** " KMG".index(match["prefix"])
            if (part := float(match["part"]) / 100 + 5e-5) < 1:  # all of it may be cut from more
                self.parts[job.group, [*job.rates][-1]] = mean / part

    def add_totals(self) -> None:
        """Give each job what its group moved."""
        by_group: dict[int, dict[str, Range]] = {}
        for group, direction, rate in self.totals:
            by_group.setdefault(group, {})[direction] = rate
        for job in self.jobs:
            job.group_rates |= by_group.get(job.group, {}) if job.group is not None else {}

    def settle(self, announced: Container[str]) -> None:
        """Keep which jobs have totals below them; say of one that is more than they moved.

        It is not theirs alone: those that no header announces are shares of a run.
        """
        for job in self.jobs:
            job.is_closed = self.is_closed(job)
        for group, direction, (least, _) in self.totals:
            self.parts.pop((group, direction), None)
            moving = [job for job in self.jobs if job.group == group and direction in job.rates]
            if moving and sum(job.rates[direction][1] for job in moving) * (1 + SLACK) < least:
                moving[-1].note(
                    f"found {direction.upper()} of its group, which is more than the jobs above it "
                    "moved: others are missing, or it is of another run: it is not given"
                )
                _mark_parts(moving, announced)
        for (of_group, direction), least in self.parts.items():
            moving = [job for job in self.jobs if job.group == of_group and direction in job.rates]
            if sum(job.rates[direction][1] for job in moving) * _MORE < least:
                _mark_parts(moving, announced)

    def is_closed(self, job: Job) -> bool:
        """Tell whether the totals of a job's group stand below it."""
        if not job.rates:
            return self.has_totals
        return all((job.group, direction) in self.closed for direction in job.rates)


def _mark_parts(jobs: Iterable[Job], announced: Container[str]) -> None:
    """Mark jobs as shares of a run of which others are missing, but for those of a header."""
    for job in jobs:
        is_one = not job.group_is_whole and job.name not in announced
        job.is_share = job.is_share or is_one


def mark_replaced(processes: Iterable[list[Job]]) -> None:
    """Mark the reports of a process that a later one replaces (`--status-interval`).

    One with the figures of a report above it is a quotation: people repeat what they speak of.
    """
    for jobs in processes:
        others = jobs[:1]
        for job in jobs[1:]:
            known = next((other for other in others if _repeats(job, other)), None)
            if known is None:
                others.append(job)
            else:
                job.leave_out(f"the report at line {known.line}")
        for job in others[:-1]:
            job.mark_running()
            job.note("--status-interval: a later report of the same process replaces this one")
        mark_last(others)


def of_one_process(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Yield the reports of a process that stand below each other as if of several runs.

    Without their header nothing but the time tells: a process with the number of another has run
    no longer than the time between their reports. One of the same second with the same figures is
    shown again.
    """
    processes: dict[tuple, list[Job]] = {}
    for job in jobs:
        if job.runtimes and job.process[1] and not job.is_left_out:
            processes.setdefault((job.name, job.group, job.process[0]), []).append(job)
    for states in processes.values():
        found = states[:1]
        for before, after in pairwise(states):
            is_again = before.process == after.process and _repeats(after, before)
            if is_again or (before.run != after.run and _goes_on_from(before, after)):
                found.append(after)
                continue
            yield found
            found = [after]
        yield found


def _goes_on_from(before: Job, after: Job) -> bool:
    """Tell whether a process ran on from one report to the next: as long as dates say."""
    try:
        first, last = (timegm(strptime(job.process[1], _DATE)) for job in (before, after))
    except ValueError:
        return False
    ran, runs = (max(job.runtimes.values()) / 1000 for job in (before, after))
    # another process with its number began after it: what it ran would be missing
    return runs - ran >= 1 and abs(last - first - (runs - ran)) < min(_SLACK, ran / 2)


def _repeats(job: Job, other: Job) -> bool:
    """Tell whether a report has times and rates of another alone."""
    return bool(job.rates) and all(
        direction in job.runtimes
        and other.runtimes.get(direction) == job.runtimes[direction]
        and other.rates[direction] == rate
        for direction, rate in job.rates.items()
    )


def mark_last(jobs: Sequence[Job]) -> None:
    """Mark the last report of a process where it may be an interim one.

    The reports do not say so, and those of a killed run end with one. All but the last of a run
    come at the same number of seconds; the last comes when the run is over, with the totals.
    """
    times = [max(job.runtimes.values(), default=0) for job in jobs]
    gaps = [after - before for before, after in pairwise(times)]
    if not gaps or (jobs[-1].is_closed and not is_regular(gaps)):
        return
    comes = "has no totals" if not jobs[-1].is_closed else "comes when an interim one is due"
    jobs[-1].mark_unfinished("running")
    jobs[-1].note(
        f"--status-interval: the last report {comes}, expected the end of the run: it may be none"
    )


def is_regular(gaps: Sequence[int]) -> bool:
    """Tell whether the last time between two reports (in ms) is that between all of them."""
    step = round(gaps[0] / 1000) * 1000 or gaps[0]
    return step > 0 and all(abs(gap - step) <= min(_NEAR, step // 4) for gap in gaps)


def is_of_a_report(text: str) -> bool:
    """Tell whether a line is one of those that fio prints below a job's first line."""
    return _OF_A_REPORT.match(text) is not None


def is_killed(lines: Sequence[Line], index: int) -> bool:
    """Tell whether a line says that a run was killed, and only a report of fio stands above it."""
    if not _KILLED.match(lines[index].text):
        return False
    for above in range(index - 1, -1, -1):
        text = lines[above].text
        if not is_of_a_report(text):
            return False
        if "(groupid=" in text:
            return True
    return False


def mark_killed(report: Report, line: Line) -> None:
    """Mark the figures of a report below which a shell says that the run was killed."""
    for job in report.jobs:
        job.mark_unfinished("running" if report.is_closed(job) else "interrupted")
        job.note(f"found {line.text.strip()[:80]!r} below the report: it is an interim one")


def mark_cut(report: Report, lines: Sequence[Line]) -> None:
    """Mark the figures of a text's last report where it ends before the totals of their groups.

    Where another text follows, somebody has pasted a part of the report: it is a result.
    """
    cut = [job for job in report.jobs if not (report.is_closed(job) or job.is_left_out)]
    if not cut:
        return
    is_part = _goes_on(lines, report.jobs[-1].line) or _is_whole_sum(report.jobs[-1], lines)
    for job in cut:
        if not is_part:
            job.mark_unfinished("partial")
            job.note("found no `Run status group` below the job, expected one: the text ends early")


def _is_whole_sum(job: Job, lines: Sequence[Line]) -> bool:
    """Tell whether a job is the sum over fio's clients up to its last line: no totals follow it."""
    below = (line.text for line in reversed(lines) if line.number > job.line)
    return job.name == "All clients" and any("issued rwt" in text for text in below)


def _goes_on(lines: Sequence[Line], number: int) -> bool:
    """Tell whether other text follows a report whose last job stands at a line.

    The last line of a text may be a part of one, unless it is the end of a page's block.
    """
    below = []
    for line in reversed(lines):
        if line.number <= number:
            break
        if line.text.strip():
            below.append(line.text)
    if below and below[0].strip(" >").lower().startswith(_ENDS):
        return True
    return any(not is_of_a_report(text) for text in below[1:])
