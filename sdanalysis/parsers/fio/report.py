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
from itertools import takewhile

from sdanalysis.codebook.measurement import Problem
from sdanalysis.parsers.capture import Capture, Command
from sdanalysis.parsers.fio import report_lines
from sdanalysis.parsers.fio.job import ALL_CLIENTS, COMPLETION_ONLY, PEOPLE, SLACK, Job
from sdanalysis.parsers.fio.options import UNKNOWN, Commands, Conditions, conditions, count, depth

_BLOCK = re.compile(
    report_lines.CLIENT + r"(?P<name>.*): \(groupid=(?P<group>\d{1,9}), ?jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d{1,9})\b(?:.*?: pid=(?P<process>\d{1,18}))?",
    re.ASCII,
)
_TITLE = re.compile(r"\s*+(slat|clat|lat|sync) percentiles \((nsec|usec|msec|sec)\):")
_ITEM = re.compile(r"(\d{1,3}\.\d{1,8})th=\[ *(\d{1,18})\]", re.ASCII)
_VERSION = re.compile(r"\s*+fio[- ](\d[\w.+-]{0,60})\s*$")
_GROUP = re.compile(r"\s*+Run status group (\d{1,9})\b", re.ASCII)
_LONGEST = 20_000  # a longer line is progress or no report, and takes a pattern's time
_SHAPES = "expected `IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"
_LATENCIES = "expected `lat (usec): min=, max=, avg=, stdev=`: no latency is given"
_SAVE = "expected its job block above it: save the whole output of fio"
_MORE = "which is more than the jobs above it moved: others are missing, it is not given"


class Report:
    """The walk down a text: which run, job and direction the next line is of."""

    def __init__(self, capture: Capture, *, more: bool) -> None:
        """Begin before the first line; `more` asks for percentiles, too."""
        self.capture, self.more = capture, more
        self.lines = [line if len(line) < _LONGEST else "" for line in capture.lines]
        self.jobs: list[Job] = []
        self.problems: list[Problem] = []
        self.command = Commands(capture)
        self.run = report_lines.Run()
        self.group: list[Job] = []  # whose totals follow
        self.job: Job | None = None
        self.direction = ""
        self.completion = 0  # the line of a completion latency whose total has not come
        self.is_refused = False  # a result without its block was said

    def read(self) -> tuple[list[Job], list[Problem]]:
        """Return the jobs of all reports, and what stands in none."""
        commands = {command.line: command for command in self.capture.commands}
        for number, line in enumerate(self.lines, 1):
            text = line.lstrip()
            if number in commands:
                self._command(commands[number])
            elif ": (groupid=" in text and (match := _BLOCK.match(line)):
                self._block(number, match)
            elif ": (g=" in text and (match := report_lines.HEADER.match(line)):
                self._header(number, match)
            elif text[:4] in _WORDS:
                _WORDS[text[:4]](self, number, line)
            elif ": Layi" in text:
                self.run.lay_out(line)
        self._begin(0)
        return self.jobs, self.problems

    def _begin(self, line: int) -> None:
        # Headers of the one above it without a block of theirs are jobs that say so.
        self._end_direction()
        self.job, self.is_refused = None, False
        blocks = self.jobs[self.run.begin :]
        sums = {job.group for job in blocks if job.processes > 1}
        found = {(job.group, job.name) for job in blocks if job.runtimes or job.is_last}
        for at, group, name, *_ in self.run.headers:
            if group not in sums and (group, name) not in found:
                self.jobs.append(Job(PEOPLE, at, name, group, run=at, is_announced=True))
        self.run = report_lines.Run(len(self.jobs), line)

    def _command(self, command: Command) -> None:
        """Take a command: what is below it is another run, of a job that it asks for."""
        calls = command.of("fio")
        is_answered = self.run.begin < len(self.jobs)
        self.command.take(calls, is_answered=is_answered)
        self.run.is_stopped = False  # a signal that stands above it ended another program
        if is_answered or calls:
            self._begin(command.line if calls else 0)

    def _header(self, number: int, match: re.Match[str]) -> None:
        if self.run.begin < len(self.jobs):
            self._begin(0)
        name, mode, asked_depth = match["name"], match["mode"], count(match["depth"])
        known = conditions(self.command.options(name, number))
        sizes = report_lines.block_sizes(match["sizes"], known.kb_base)
        own = Conditions(mode, sizes, iodepth=depth(match["engine"], asked_depth))
        known = known if known.fits(own) else UNKNOWN
        known = known._replace(mode=mode, block_sizes=sizes, iodepth=own.iodepth)
        has_more = number < len(self.lines) and self.lines[number].strip() == "..."
        header = report_lines.Header(number, int(match["group"]), name, known, has_more)
        self.run.headers.append(header)
        self.run.line, self.is_refused = self.run.line or number, False

    def _block(self, number: int, match: re.Match[str]) -> None:
        """Take the first line of a block: of the run above, its next state, or another run."""
        # Below totals a process that is not of the report above them is another run's.
        self._end_direction()
        self.is_refused = False
        name, group, jobs = match["name"], int(match["group"]), int(match["jobs"])
        process, report = match["process"] or "", self.jobs[self.run.begin :]
        state = [job for job in report if job.state == self.run.state]
        if any((name, group, process) == (job.name, job.group, job.process) for job in state):
            self.run.state += 1
        elif report and self.run.totals > report[-1].line and process not in ("", "0"):
            self._begin(0)
            report = []
        run = self.run
        run.line = run.line or number
        known = run.conditions(name, group, jobs, sum(job.name == name for job in report))
        known = known or conditions(self.command.options(name, number))
        size = known.file_size or run.file_size(name)
        status = "error" if int(match["error"]) else "interrupted" if run.is_stopped else "measured"
        self.job = Job(
            PEOPLE, number, name, group, run.version, known._replace(numjobs=jobs, file_size=size),
            run.line, status, jobs, run.state, process=process, is_last=False, is_whole=jobs > 1,
            is_share=jobs == 1 and run.has_several(name, group, known),
        )  # fmt: skip
        if name == ALL_CLIENTS:
            self.job.is_last, self.job.known = True, known._replace(numjobs=None)
        self.jobs.append(self.job)

    def _rates(self, number: int, line: str) -> None:
        """Take the line of a direction; a command that its figures contradict is of another job."""
        job, match = self.job, report_lines.NEW.match(line) or report_lines.OLD.match(line)
        if match is None or job is None:
            if ": IOPS=" in line or ": io=" in line or (job and ": " in line and "=" in line):
                self._refuse(number, line)
            return
        self._end_direction()
        if job.moved_for(match["direction"], int(match["time"]), number):
            self.direction = match["direction"]
            if not report_lines.add_rates(job, number, match) and not self.run.headers:
                job.known = UNKNOWN._replace(numjobs=job.processes)

    def _refuse(self, number: int, line: str) -> None:
        found = f"found {line.strip()[:120]!r}, "
        if self.job is not None:
            self._end_direction()
            self.job.say(number, found + _SHAPES)
        elif not self.is_refused:
            self.is_refused = True
            self.problems.append(Problem(number, found + _SAVE))

    def _latency(self, number: int, line: str) -> None:
        """Take the total latency, or the list of its percentiles; shares of it say nothing."""
        job = self.job
        if job is None or "percentiles" in line:
            self._percentiles(number, line)
        elif not self.direction or "min=" not in line or "slat (" in line:
            return
        elif "clat (" in line:
            self.completion = number
        elif match := report_lines.LATENCY.match(line):
            report_lines.add_latencies(job, self.direction, number, match)
            self.completion = 0
        else:
            job.say(number, f"found {line.strip()[:120]!r}, {_LATENCIES}")

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
        if not self.more or self.job is None or (match := _TITLE.match(line)) is None:
            return
        of, (kind, unit) = self.direction, match.groups()
        for at, text in enumerate(takewhile(_ITEM.search, self.lines[number:]), number + 1):
            items = _ITEM.findall(text)
            self.job.percentiles += [(of, kind, float(item), raw, unit, at) for item, raw in items]

    def _before_block(self, number: int, line: str) -> None:
        if "terminating on signal" in line:
            self.run.is_stopped = True
        elif match := _VERSION.match(line):
            self.run.version = match[1]

    def _totals(self, number: int, line: str) -> None:
        """Take `Run status group n`: the totals of a group follow, and the report is at its end."""
        if (match := _GROUP.match(line)) is None:
            return
        self._end_direction()
        self.job, self.run.totals = None, number
        of_group = [job for job in self.jobs[self.run.begin :] if job.group == int(match[1])]
        if not of_group:
            self._refuse(number, line)
        self.group = [job for job in of_group if not job.is_last]
        for job in self.group:
            job.is_last = not job.rates

    def _total(self, number: int, line: str) -> None:
        """Take what a group moved in a direction, right below the line of the group."""
        # Jobs that moved less than that are shares of it.
        if (match := report_lines.TOTAL.match(line)) is None:
            return
        if not 0 < number - self.run.totals <= 5:
            self.job = None
            self._refuse(number, line)
            return
        direction = match["direction"].lower()
        moving = [job for job in self.group if direction in job.rates]
        if not moving:
            return
        total = report_lines.bandwidth(match, moving[0].known.kb_base, is_total=True)[2]
        for job in self.group:
            job.group_rates[direction] = total[1:3]
            job.is_last = job.rates.keys() <= job.group_rates.keys()
        if sum(job.rates[direction][1] for job in moving) * (1 + SLACK) < total[1]:
            moving[-1].say(moving[-1].line, f"found {match[0].strip()[:40]!r}, {_MORE}", "note")
            for job in moving:
                job.is_share = job.is_share or not job.is_whole


# the first letters of a line -> what takes it
_WORDS: Mapping[str, Callable[[Report, int, str], None]] = {
    **dict.fromkeys(("read", "writ", "trim", "mixe"), Report._rates),
    **dict.fromkeys(("READ", "WRIT", "TRIM", "MIXE"), Report._total),
    **dict.fromkeys(("fio-", "fio ", "fio:"), Report._before_block),
    **dict.fromkeys(("lat ", "sync", "clat", "slat"), Report._latency),
    "fsyn": Report._sync, "Run ": Report._totals,
}  # fmt: skip
