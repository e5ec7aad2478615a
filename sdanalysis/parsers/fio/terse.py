"""fio's terse records (`--minimal`), versions 2 to 5: one line a job, fields between semicolons.

Order of the fields of a direction from stat.c 3.33 (show_ddir_status_terse): KiB moved, bandwidth,
IOPS, runtime; min, max, mean and deviation of slat, of clat; 20 percentiles; the same of lat; min,
max, per cent of its group, mean and deviation of the bandwidth; in version 5 more of bandwidth and
IOPS. A semicolon in a name is not escaped: fields are counted from the 20 percentiles in a row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import (
    BOTH,
    COMPLETION_ONLY,
    SLACK,
    VIEWS,
    Figure,
    Job,
    Range,
    amounts,
    overlap,
)
from sdanalysis.parsers.fio.options import UNKNOWN, Asked, conditions, count

VIEW = VIEWS[2]
_PERCENTILES = re.compile(r"(?:(?<=;)|^)(?:\d{1,3}(?:\.\d{1,8})?%=\d{1,18}(?:;|$)){20}", re.ASCII)
_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
# fields from the first percentile on: metric, stat, unit
_FIELDS = {
    -11: ("bandwidth", "single", "KiB/s"),
    -10: ("iops", "single", "iops"),
    20: ("latency", "min", "us"),
    21: ("latency", "max", "us"),
    22: ("latency", "mean", "us"),
    23: ("latency", "stddev", "us"),
}
_FIRST, _RUNTIME, _MEAN_COMPLETION, _MEAN, _PER_CENT, _MEAN_RATE = -12, -9, -2, 22, 26, 27
_REST = {"5": 15}  # fields of lat, bandwidth and IOPS behind the percentiles, 9 in other versions
_MOST = 2000  # fields: semicolons in a name, too
_ALONE = "expected fio's terse record alone in its line: save the whole output of fio"
_TOO_SHORT = "found a record of the same job as"
_OR_PROCESSES = "too short to tell two runs from two processes of one: it stands for itself"
_AFTER = 5 + 7 + 22  # of cpu, depths and latency shares
_ALL_NAMES = ("read", "write", "trim", "mixed")
_NAMES = {"3": ("read", "write", "mixed")}


def read(capture: Capture, *, more: bool = False) -> list[Job]:
    """Return one job a record."""
    jobs: list[Job] = []
    asked = Asked(capture)
    commands = {command.line: command for command in capture.commands}
    run, is_stopped, is_answered = 0, False, False
    for number, line in enumerate(capture.lines, 1):
        text = line.lstrip(" \t>#|")  # of one line alone no prefix is known
        if text[:2] in ("2;", "3;", "4;", "5;") and (job := _record(number, line, more=more)):
            run, is_answered = run or number, True
            job.run = run
            if is_stopped and job.status in ("measured", "partial"):
                job.status = "interrupted"
            _take_options(job, asked.options(job.name, number))
            jobs.append(job)
        elif text:
            run, is_stopped = 0, "terminating on signal" in text
            if ";fio-" in text and "%=" in text:
                jobs.append(Job(VIEW, number, "", status="error"))
                jobs[-1].say(number, f"found {text[:80]!r}, {_ALONE}")
        if number in commands:
            asked.take(commands[number].of("fio"), is_answered=is_answered)
            is_answered = False
    _settle(jobs)
    return jobs


def _take_options(job: Job, options: Mapping[str, str] | None) -> None:
    """Take what a command or a job file asks for, unless the record has other directions."""
    known = conditions(options) if options else UNKNOWN
    if options and all(known.moves(direction) for direction in job.runtimes):
        job.known, job.asked = known, known.numjobs
        job.is_share = known.numjobs != 1 and "group_reporting" not in options


def _record(number: int, line: str, *, more: bool) -> Job | None:
    """Return the job of one record, None where the line is no record of fio."""
    fields = line.split(";")
    form, has_version = fields[0][-1:], fields[0][-1:] != "2"
    if not 12 <= len(fields) < _MOST or (has_version and not fields[1].startswith("fio-")):
        return None
    starts = [line.count(";", 0, match.start()) for match in _PERCENTILES.finditer(line)]
    if not starts and not has_version and len(fields) < 50:
        return None
    head, rest = 1 + has_version, _REST.get(form, 9)
    first = (starts[0] if starts else len(fields)) + _FIRST
    is_whole = bool(starts) and len(fields) - starts[-1] - 20 >= rest + _AFTER
    job = Job(VIEW, number, "", version=fields[1].removeprefix("fio-") if has_version else None)
    if first < head + 3 or not is_whole:
        said = f"found a terse record with {len(fields)} fields and {len(starts)} directions"
        job.say(number, f"{said} that is cut or damaged, expected the whole line of a job")
        job.status = "partial"
    if first < head + 3:
        return job
    job.name, job.group = ";".join(fields[head : first - 2]), count(fields[first - 2])
    job.status = "error" if fields[first - 1] != "0" else job.status
    for direction, start in _directions(fields, starts, form, is_whole=is_whole):
        _Direction(job, fields, start, direction).take(more=more)
    if not (job.runtimes or job.problems):
        said = f"the job {job.name!r} did no I/O (error {fields[first - 1]}): no measurement"
        job.say(number, said, "note")
    job.is_whole = not job.is_part()
    return job


def _directions(
    fields: Sequence[str], starts: Sequence[int], form: str, *, is_whole: bool
) -> list[tuple[str, int]]:
    """Return the directions of a record and where the percentiles of each begin.

    One alone is mixed (`unified_rw_reporting=mixed`), and so is one more than the version has (3:
    read and write; the others also trim: stat.c 3.33, show_thread_status_terse_all). Of a cut
    record the first is read where another follows it.
    """
    if len(starts) > 1:
        return list(zip(_NAMES.get(form, _ALL_NAMES), starts, strict=False))
    if is_whole:
        return [("mixed", start) for start in starts]
    follows = [start + 20 + _REST.get(form, 9) for start in starts]
    is_read = any(at < len(fields) - 1 and "%" not in fields[at] for at in follows)
    return [("read", start) for start in starts if is_read]


class _Direction:
    """One direction of a record, whose percentiles begin at a field."""

    def __init__(self, job: Job, fields: Sequence[str], start: int, name: str) -> None:
        self.job, self.fields, self.start, self.name = job, fields, start, name

    def take(self, *, more: bool) -> None:
        """Give the job its figures, if it moved anything."""
        job, name, at = self.job, self.name, self.start
        moved, bandwidth, iops, runtime = self.fields[at + _FIRST : at + _FIRST + 4]
        if moved == bandwidth == iops == "0":
            return
        if not count(runtime):
            said = f"found {name} figures over a time of {runtime[:40]!r}, expected milliseconds"
            job.say(job.line, said)
            return
        if at + _MEAN_RATE >= len(self.fields) - 1:
            return  # cut before its part of the group: it may be a share
        if name == "mixed" and job.runtimes:
            job.say(job.line, BOTH, "note")
            return
        job.runtimes[name] = int(runtime)
        self._figures()
        job.add_group_rate(name, self.fields[at + _MEAN_RATE], self.fields[at + _PER_CENT])
        job.settle_latencies(name)
        if more:
            self._percentiles()

    def _figures(self) -> None:
        """Add the figures; the mean of the total latency is 0 where fio did not measure it."""
        job, fields, start = self.job, self.fields, self.start
        has_latency = fields[start + _MEAN].strip("0.") != ""
        if not has_latency and fields[start + _MEAN_COMPLETION].strip("0."):
            job.say(job.line, COMPLETION_ONLY, "note")
        for offset, (metric, stat, unit) in _FIELDS.items():
            raw = fields[start + offset]
            if metric == "latency" and not has_latency:
                continue
            if not _PLAIN.fullmatch(raw):
                said = f"found {raw[:40]!r} for {self.name} {metric}, expected a number"
                job.say(job.line, said)
                continue
            column = len(";".join(fields[: start + offset])) + 2
            own = self.name, metric, stat, raw, unit
            job.add(Figure(job.line, column, *own, *amounts(raw, unit)))

    def _percentiles(self) -> None:
        for field in self.fields[self.start : self.start + 20]:
            share, _, raw = field.partition("%=")
            if float(share):
                self.job.percentiles.append(
                    (self.name, None, float(share), raw, "us", self.job.line)
                )


def _settle(jobs: Sequence[Job]) -> None:
    """Tell the states and the processes of runs apart."""
    for state in _states(jobs):
        twins: Counter[tuple[str, int | None]] = Counter()
        for job in state:
            twins[job.name, job.group] += 1
            number = twins[job.name, job.group]
            job.state, job.process = state[0].line, "" if job.is_whole else str(number)
        for job in state:
            number = twins[job.name, job.group]
            if job.is_share:
                job.is_whole = number == job.asked
            else:
                job.is_share = not job.is_whole and number > 1


def _states(jobs: Sequence[Job]) -> list[list[Job]]:
    """Divide records where a run begins anew, or prints its next state: groups count upwards.

    Processes of one group state the same total; a second run, or state, has another.
    """
    states: list[list[Job]] = []
    totals: dict[tuple[str, int | None, str], Range] = {}
    for job in jobs:
        rates = {(job.name, job.group, name): rate for name, rate in job.group_rates.items()}
        before = states[-1][-1] if states else None
        if (
            before is None
            or job.run != before.run
            or (job.group or 0) < (before.group or 0)
            or any(_is_other(job, key, rate, totals) for key, rate in rates.items())
            or _is_too_short(job, states[-1])
        ):
            states.append([])
            totals = {}
        for key, (low, high) in rates.items():
            least, most = totals.get(key, (low, high))
            totals[key] = max(least, low), min(most, high)
        states[-1].append(job)
    return states


def _is_other(
    job: Job,
    key: tuple[str, int | None, str],
    rate: Range,
    totals: Mapping[tuple[str, int | None, str], Range],
) -> bool:
    """Tell whether a record is of another run than earlier ones: of the whole, or another total."""
    return key in totals and (
        not overlap(rate, totals[key], SLACK) or overlap(rate, job.rates[key[2]], SLACK)
    )


def _is_too_short(job: Job, state: Sequence[Job]) -> bool:
    """Tell, and say, that nothing tells another process of a run from another run (below 0.5 s)."""
    twin = next((one for one in state if (one.name, one.group) == (job.name, job.group)), None)
    if twin is None or not job.runtimes or job.group_rates or job.is_share:
        return False
    job.say(job.line, f"{_TOO_SHORT} at line {twin.line}, {_OR_PROCESSES}", "note")
    return True
