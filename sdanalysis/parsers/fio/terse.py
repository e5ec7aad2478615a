"""fio's terse records (`--minimal`), versions 2 to 5: one line a job, fields between semicolons.

Order of the fields of a direction from stat.c 3.33 (show_ddir_status_terse): KiB moved, bandwidth,
IOPS, runtime; min, max, mean and deviation of slat, of clat; 20 percentiles; the same of lat; min,
max, per cent of its group, mean and deviation of the bandwidth; in version 5 more of bandwidth and
IOPS. A semicolon in a name is not escaped: fields are counted from the 20 percentiles in a row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import COMPLETION_ONLY, SLACK, TERSE, Job, overlap
from sdanalysis.parsers.fio.options import DIRECTIONS, Commands, conditions, count

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
_AFTER = 5 + 7 + 22  # of cpu, depths and latency shares
# of which version 3 has no trims (stat.c 3.33, show_thread_status_terse_all)
_NAMES = {"3": ("read", "write", "mixed")}
_MOST = 2000  # fields: semicolons in a name, too
_ALONE = "expected fio's terse record alone in its line: save the whole output of fio"
_OR_PROCESSES = "too short to tell two runs from two processes of one: it stands for itself"


def read(capture: Capture, *, more: bool) -> list[Job]:
    """Return one job a record."""
    jobs: list[Job] = []
    command = Commands(capture)
    commands = {command.line: command for command in capture.commands}
    run, is_stopped, is_answered = 0, False, False
    for number, line in enumerate(capture.lines, 1):
        text = line.lstrip(" \t>#|")  # of one line alone no prefix is known
        if text[:2] in ("2;", "3;", "4;", "5;") and (job := _record(number, line, more=more)):
            run, is_answered = run or number, True
            job.run = run
            if is_stopped and job.status in ("measured", "partial"):
                job.status = "interrupted"
            options = command.options(job.name, number)
            known = conditions(options)
            if options and all(map(known.moves, job.runtimes)):  # else the record has others
                job.known, job.numjobs = known, known.numjobs
                job.is_share = known.numjobs != 1 and "group_reporting" not in options
            jobs.append(job)
        elif text:
            run, is_stopped = 0, "terminating on signal" in text
            if ";fio-" in text and "%=" in text:
                jobs.append(Job(TERSE, number, "", status="error"))
                jobs[-1].say(number, f"found {text[:80]!r}, {_ALONE}")
        if number in commands:
            command.take(commands[number].of("fio"), is_answered=is_answered)
            is_answered = False
    _settle(jobs)
    return jobs


def _record(number: int, line: str, *, more: bool) -> Job | None:
    fields = line.split(";")
    form, has_version = fields[0][-1:], fields[0][-1:] != "2"
    if not 12 <= len(fields) < _MOST or (has_version and not fields[1].startswith("fio-")):
        return None
    starts = [line[: match.start()].count(";") for match in _PERCENTILES.finditer(line)]
    if not starts and not has_version and len(fields) < 50:
        return None
    job = Job(TERSE, number, "", version=fields[1].removeprefix("fio-") if has_version else None)
    ends = [start + 20 + _REST.get(form, 9) for start in starts]
    first = (starts[0] if starts else len(fields)) + _FIRST
    is_named, is_whole = first >= 4 + has_version, bool(ends) and len(fields) >= ends[-1] + _AFTER
    if not (is_named and is_whole):
        text = f"found a terse record with {len(fields)} fields and {len(starts)} directions"
        job.say(number, f"{text} that is cut or damaged, expected the whole line of a job")
        job.status = "partial"
    if not is_named:
        return job
    job.name, job.group = ";".join(fields[1 + has_version : first - 2]), count(fields[first - 2])
    job.status = "error" if fields[first - 1] != "0" else job.status
    names: Sequence[str] = _NAMES.get(form, DIRECTIONS)
    if len(starts) == 1:  # `unified_rw_reporting=mixed`; a cut record's first, if another follows
        is_first = ends[0] < len(fields) - 1
        names = ("mixed",) if is_whole else names[:is_first]
    for name, start in zip(names, starts, strict=False):
        _take(job, fields, start, name, more=more)
    job.is_whole = not job.is_part()
    return job


def _take(job: Job, fields: Sequence[str], start: int, name: str, *, more: bool) -> None:
    moved, bandwidth, iops, runtime = fields[start + _FIRST : start + _RUNTIME + 1]
    if moved == bandwidth == iops == "0" or start + _MEAN_RATE >= len(fields) - 1:
        return  # cut before its part of the group it may be a share
    if not job.moved_for(name, count(runtime) or 0, job.line):
        return
    _add_figures(job, fields, start, name)
    job.add_group_rate(name, fields[start + _MEAN_RATE], fields[start + _PER_CENT])
    job.settle_latencies(name)
    for field in fields[start : start + 20] if more else ():
        share, raw = field.split("%=")
        job.percentiles += [(name, None, float(share), raw, "us", job.line)] * (float(share) > 0)


def _add_figures(job: Job, fields: Sequence[str], start: int, name: str) -> None:
    """Add the figures; the mean of the total latency is 0 where fio did not measure it."""
    has_latency = fields[start + _MEAN].strip("0.") != ""
    if not has_latency and fields[start + _MEAN_COMPLETION].strip("0."):
        job.say(job.line, COMPLETION_ONLY, "note")
    for offset, (metric, stat, unit) in _FIELDS.items():
        raw = fields[start + offset]
        if metric == "latency" and not has_latency:
            continue
        if _PLAIN.fullmatch(raw):
            column = len(";".join(fields[: start + offset])) + 2
            job.take((job.line, column), (name, metric, stat), raw, unit)
        else:
            job.say(job.line, f"found {raw[:40]!r} for {name} {metric}, expected a number")


def _settle(jobs: Sequence[Job]) -> None:
    # A state ends where a run begins anew, or prints its next state: groups count upwards, and
    # processes of one group state the same total.
    first: dict[tuple[str, int | None], Job] = {}  # of each group of a state
    counts: Counter[tuple[int, str, int | None]] = Counter()
    state = run = group = 0
    for job in jobs:
        key = job.name, job.group
        is_later = job.run == run and (job.group or 0) >= group
        if not (is_later and _goes_on(job, first.get(key))):
            first, state = {}, job.line
        run, group = job.run, job.group or 0
        first.setdefault(key, job)
        job.state = state
        counts[state, *key] += 1
        job.process = str(counts[state, *key])
    for job in jobs:
        number = counts[job.state, job.name, job.group]
        if job.is_share:
            job.is_whole = number == job.numjobs
        else:
            job.is_share = not job.is_whole and number > 1


def _goes_on(job: Job, twin: Job | None) -> bool:
    """Tell whether a record may be of another process of the job that an earlier one is of."""
    # Below half a second nothing tells it, which is said.
    if twin is None:
        return True
    if job.runtimes and not job.group_rates and not job.is_share:
        text = f"found a record of the same job as at line {twin.line}, {_OR_PROCESSES}"
        job.say(job.line, text, "note")
        return False
    rates = [(name, rate, twin.group_rates.get(name)) for name, rate in job.group_rates.items()]
    is_other = [other and overlap(rate, job.rates[name], SLACK) for name, rate, other in rates]
    return not any(is_other) and all(overlap(of, other or of, SLACK) for _, of, other in rates)
