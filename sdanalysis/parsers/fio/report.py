"""fio's report for people, 1.x to 3.4x: the first four letters of a line tell what it is.

Grammar from stat.c 2.16 and 3.33 (show_thread_status_normal)::

    name: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=libaio, iodepth=64     header
    ...                                                                       more jobs of it
    name: Laying out IO file (1 file / 1024MiB)
    name: (groupid=0, jobs=1): err= 0: pid=1234: Sat Aug  5 13:28:44 2017        its block
      read: IOPS=43.6k, BW=170MiB/s (179MB/s)(6104KiB/35msec)                    from 2.17 on
      read : io=1024.0MB, bw=100MB/s, iops=25600 , runt= 10240msec                  before it
        lat (usec): min=21, max=37049k, avg=1.50, stdev= 0.50
      fsync/fdatasync/sync_file_range:
        sync (usec): min=1, max=2, avg=1.50, stdev= 0.50
    Run status group 0 (all jobs):
       READ: bw=170MiB/s (179MB/s), 170MiB/s-170MiB/s (...), io=..., run=35-35msec
       READ: io=1024.0MB, aggrb=100MB/s, minb=..., maxb=..., mint=10240msec, maxt=10240msec
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sdanalysis.codebook.measurement import Problem
from sdanalysis.parsers.capture import Capture, Command
from sdanalysis.parsers.fio.job import BOTH, COMPLETION_ONLY, SLACK, VIEWS, Job
from sdanalysis.parsers.fio.options import Asked, conditions
from sdanalysis.parsers.fio.report_headers import CLIENT, HEADER, Run
from sdanalysis.parsers.fio.report_lines import (
    LATENCY,
    NEW,
    OLD,
    TOTAL,
    add_latencies,
    add_rates,
    total_of,
)

VIEW = VIEWS[1]
_BLOCK = re.compile(
    CLIENT + r"(?P<name>.*): \(groupid=(?P<group>\d{1,9}), ?jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d{1,9})\b(?:.*?: pid=(?P<process>\d{1,18})(?P<date>.*))?",
    re.ASCII,
)
_RESULT = re.compile(r"\s*+(?:read|write|trim|mixed)\s*: ?(?:IOPS=\d|io=\d)", re.ASCII)
_DEPTH = re.compile(r"\s*+latency\s*: target=0(?:\.00ns)?, .{0,60}, depth=(\d{1,5})\s*$", re.ASCII)
_TITLE = re.compile(r"\s*+(slat|clat|lat|sync) percentiles \((nsec|usec|msec|sec)\):")
_ITEM = re.compile(r"(\d{1,3}\.\d{1,8})th=\[ *(\d{1,18})\]", re.ASCII)
_VERSION = re.compile(r"\s*+fio[- ](\d[\w.+-]{0,60})\s*$")
_STARTED = re.compile(r"\s*+Starting (\d{1,6}) (?:processes|threads)\b", re.ASCII)
_GROUP = re.compile(r"\s*+Run status group (\d{1,9})\b", re.ASCII)
# as a shell says of a command of its own, with or without a word of which
_KILLED = re.compile(r"(?:.*[\s\]])?[Kk]illed(?:\s+\(core dumped\))?(?:\s*$|\s.*\bfio\b)")
_LONGEST = 20_000  # a longer line is progress or no report
_SHAPES = "`IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"
_LATENCIES = "`lat (usec): min=, max=, avg=, stdev=`: no latency is given"
_NO_FIGURES = "found the block of a job without figures, expected `IOPS=` or `iops=` below it"
_SAVE = "expected its job block above it: save the whole output of fio"
_MORE = "which is more than the jobs above it moved: others are missing, it is not given"


class Report:
    """The walk down a text: which run, job and direction the next line is of."""

    def __init__(self, capture: Capture, *, more: bool = False) -> None:
        """Begin before the first line; `more` asks for percentiles, too."""
        self.capture, self.lines, self.more = capture, capture.lines, more
        if len(capture.text) > _LONGEST:  # patterns would take their time over such a line
            self.lines = [line if len(line) <= _LONGEST else "" for line in capture.lines]
        self.jobs: list[Job] = []
        self.problems: list[Problem] = []
        self.asked = Asked(capture)
        self.run = Run()
        self.job: Job | None = None
        self.direction = ""
        self.completion = 0  # the line of a completion latency whose total has not come
        self.number = 0  # of the line
        self.is_refused = False  # a result without its block was said

    def read(self) -> None:
        """Take all lines."""
        commands = {command.line: command for command in self.capture.commands}
        for number, line in enumerate(self.lines, 1):
            text, self.number = line.lstrip(), number
            if number in commands:
                self._command(commands[number])
            elif ": (g" in text and self._title(number, line):
                continue
            elif text[:4] in _WORDS:
                _WORDS[text[:4]](self, number, line)
            elif "illed" in text or ": Layi" in text:
                self._aside(number, line)
        self._end()

    def _end(self) -> None:
        """Say which headers and blocks have nothing below them."""
        self.number = len(self.lines) + 1
        self._begin(0)
        for job in self.jobs:
            if job.runtimes or job.problems or job.is_announced:
                continue
            if job.is_last:
                job.say(job.line, f"the job {job.name!r} did no I/O: no measurement", "note")
            else:
                job.say(job.line, _NO_FIGURES)

    def _begin(self, line: int) -> None:
        """Begin a run, of which nothing is known but the line of its command."""
        self._end_direction()
        self.job, self.is_refused = None, False
        for number, group, name in self.run.unanswered(self.jobs[self.run.begin :]):
            known = Job(VIEW, number, name, group, run=number, state=self.number)
            known.is_announced = True
            self.jobs.append(known)
        self.run = Run(len(self.jobs), line)

    def _command(self, command: Command) -> None:
        """Take a command: what is below it is another run, of a job that it asks for."""
        calls = command.of("fio")
        is_answered = self.run.begin < len(self.jobs)
        self.asked.take(calls, is_answered=is_answered)
        if is_answered or calls or not self.run.announced:
            self._begin(command.line if calls else 0)

    def _title(self, number: int, line: str) -> bool:
        """Take the header of a job or the first line of its block, of any name; False if none."""
        if ": (groupid=" in line and (match := _BLOCK.match(line)):
            self._block(number, match)
        elif ": (g=" in line and (match := HEADER.match(line)):
            self._header(number, match)
        else:
            return False
        self.is_refused = False
        return True

    def _header(self, number: int, match: re.Match[str]) -> None:
        if self.run.begin < len(self.jobs):
            self._begin(0)
        known = conditions(self.asked.options(match["name"], number))
        has_more = number < len(self.lines) and self.lines[number].strip() == "..."
        self.run.announce(number, match, known, has_more=has_more)

    def _block(self, number: int, match: re.Match[str]) -> None:
        self._end_direction()
        name, group, jobs = match["name"], int(match["group"]), int(match["jobs"])
        process = match["process"] or ""
        self._before_block((name, group), process, match["date"] or "")
        run = self.run
        run.line = run.line or number
        known = run.known(name, group, jobs, self.jobs[run.begin :])
        known = run.with_file(known or conditions(self.asked.options(name, number)), name)
        asked, is_share = run.processes(name, group, known)
        status = "error" if int(match["error"]) else "interrupted" if run.is_stopped else "measured"
        self.job = Job(
            VIEW, number, name, group, run.version, known._replace(numjobs=jobs), run.line, status,
            jobs, run.state, asked, process, is_last=False, is_whole=jobs > 1,
            is_share=jobs == 1 and is_share,
        )  # fmt: skip
        if name == "All clients":
            self.job.is_last, self.job.known = True, known._replace(numjobs=None)
            if self.run.begin < len(self.jobs):
                self.job.is_repeat = True
                said = "the sum over all clients repeats their figures: left out"
                self.job.say(number, said, "note")
        self.jobs.append(self.job)

    def _before_block(self, key: tuple[str, int], process: str, date: str) -> None:
        """Begin another state of the run, or another run, where a block is of one.

        Without a header, a process that is not of the report above, below its totals or of another
        time, is another run's.
        """
        run, report = self.run, self.jobs[self.run.begin :]
        is_later = run.dates.setdefault(key, date) != date and not run.headers
        if report and run.totals > report[-1].line:
            run.state += 1
            is_later = True
        elif any((*key, process) == (job.name, job.group, job.process) for job in report):
            run.state += 1
        is_new = process not in ("", "0") and all(process != job.process for job in report)
        if report and is_new and is_later:
            self._begin(0)
            self.run.dates[key] = date

    def _rates(self, number: int, line: str) -> None:
        """Take the line of a direction."""
        job, match = self.job, NEW.match(line) or OLD.match(line)
        if match is None or job is None:
            self._refuse(number, line)
            return
        self._end_direction()
        direction, time = match["direction"], int(match["time"])
        if direction == "mixed" and job.rates:
            job.say(number, BOTH, "note")
        elif time == 0:
            job.say(number, f"found {direction} figures over 0 msec, expected a time above zero")
        else:
            job.runtimes[direction] = time
            self.direction = direction
            add_rates(job, number, match)

    def _refuse(self, number: int, line: str) -> None:
        """Say what is wrong with a line that looks like that of a direction."""
        is_result = _RESULT.match(line)
        if self.job is not None and (is_result or (":" in line[:12] and "=" in line)):
            self._end_direction()
            self.job.say(number, f"found {line.strip()[:120]!r}, expected {_SHAPES}")
        elif is_result:
            self._refuse_block(number, line)

    def _refuse_block(self, number: int, line: str) -> None:
        """Say once that results stand without their block."""
        if not self.is_refused:
            self.is_refused = True
            self.problems.append(Problem(number, f"found {line.strip()[:120]!r}, {_SAVE}"))

    def _latency(self, number: int, line: str) -> None:
        """Take the total latency, or the list of its percentiles; shares of it say nothing."""
        if "percentiles" in line:
            self._percentiles(number, line)
        elif self.job is None or not self.direction or "min=" not in line:
            return
        elif match := LATENCY.match(line):
            add_latencies(self.job, self.direction, number, match)
            self.completion = 0
        else:
            self.job.say(number, f"found {line.strip()[:120]!r}, expected {_LATENCIES}")

    def _completion(self, number: int, line: str) -> None:
        if "min=" in line and self.direction:
            self.completion = number
        else:
            self._percentiles(number, line)

    def _end_direction(self) -> None:
        """Note of the direction above that its total latency was not printed, if it was not."""
        job = self.job
        if self.completion and job is not None and not (job.version or "").startswith("1."):
            job.say(self.completion, COMPLETION_ONLY, "note")
        self.completion, self.direction = 0, ""

    def _sync(self, number: int, line: str) -> None:
        """Take `fsync/fdatasync/sync_file_range:`, above the latencies of these."""
        self._end_direction()
        self.direction = "fsync"

    def _percentiles(self, number: int, line: str) -> None:
        """Take a list of percentiles, where they are asked for."""
        if not self.more or self.job is None or (match := _TITLE.match(line)) is None:
            return
        for index in range(number, len(self.lines)):
            if "th=[" not in self.lines[index]:
                break
            self.job.percentiles += [
                (self.direction, match[1], float(share), raw, match[2], index + 1)
                for share, raw in _ITEM.findall(self.lines[index])
            ]

    def _depth(self, number: int, line: str) -> None:
        """Take the depth that the end of a block says, where no header does."""
        if self.job is not None and self.job.known.iodepth is self.job.known.mode is None:
            match = _DEPTH.match(line)
            self.job.known = self.job.known._replace(iodepth=int(match[1]) if match else None)

    def _before_header(self, number: int, line: str) -> None:
        """Take the version, the number of processes, or the signal that stopped them."""
        if "terminating on signal" in line:
            self.run.is_stopped = True
        elif match := _VERSION.match(line):
            if self.run.begin < len(self.jobs):
                self._begin(0)
            self.run.version = match[1]
        elif match := _STARTED.match(line):
            self.run.started = int(match[1])

    def _aside(self, number: int, line: str) -> None:
        """Take the size of a file that is laid out, or that a shell says fio was killed."""
        if not self.run.lay_out(line) and _KILLED.match(line):
            for job in self.jobs[self.run.begin :]:
                if job.state == self.run.state and job.status == "measured":
                    job.status = "running" if job.is_last else "interrupted"
                    said = f"found {line.strip()[:80]!r} below the report: it is an interim one"
                    job.say(number, said, "note")

    def _totals(self, number: int, line: str) -> None:
        """Take `Run status group n`: the totals of a group follow, and the report is at its end."""
        if (match := _GROUP.match(line)) is None:
            return
        self._end_direction()
        self.job = None
        self.run.totals = number
        of_group = [job for job in self.jobs[self.run.begin :] if job.group == int(match[1])]
        if not of_group:
            self._refuse_block(number, line)
        jobs, found = [job for job in of_group if not job.is_last], set()
        for index in range(number, min(number + 5, len(self.lines))):
            total = TOTAL.match(self.lines[index])
            if total is not None:
                found.add(total["direction"].lower())
                _give_total(jobs, total)
            elif index > number or self.lines[index].strip():
                break
        for job in jobs:
            job.is_last = job.rates.keys() <= found

    def _total(self, number: int, line: str) -> None:
        """Take a total, which must stand right below the line of its group."""
        if not 0 < number - self.run.totals <= 5 and TOTAL.match(line):
            self._refuse_block(number, line)


# the first letters of a line -> what takes it
_WORDS: Mapping[str, Callable[[Report, int, str], None]] = {
    **dict.fromkeys(("read", "writ", "trim", "mixe"), Report._rates),
    **dict.fromkeys(("READ", "WRIT", "TRIM", "MIXE"), Report._total),
    **dict.fromkeys(("fio-", "fio ", "fio:", "Star"), Report._before_header),
    "lat ": Report._latency, "sync": Report._latency, "clat": Report._completion,
    "slat": Report._percentiles, "fsyn": Report._sync, "late": Report._depth,
    "Run ": Report._totals,
}  # fmt: skip


def read(capture: Capture, *, more: bool = False) -> tuple[list[Job], list[Problem]]:
    """Return the jobs of the reports of a capture, and what stands in none."""
    report = Report(capture, more=more)
    report.read()
    return report.jobs, report.problems


def _give_total(jobs: list[Job], total: re.Match[str]) -> None:
    """Give jobs what their group moved; if that is more than they did, they are shares of it."""
    direction = total["direction"].lower()
    moving = [job for job in jobs if direction in job.rates]
    if not moving:
        return
    low, high = total_of(total, moving[0].known.kb_base)
    for job in jobs:
        job.group_rates[direction] = low, high
    if sum(job.rates[direction][1] for job in moving) * (1 + SLACK) < low:
        moving[-1].say(moving[-1].line, f"found {total[0].strip()[:40]!r}, {_MORE}", "note")
        for job in moving:
            job.is_share = job.is_share or not job.is_whole
