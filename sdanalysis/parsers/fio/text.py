"""fio's report for people, 1.x to 3.42: `read: IOPS=43.6k, BW=170MiB/s (179MB/s)(6104KiB/35msec)`.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio import bare, beside, commands, flat, interim, labelled, status_lines
from sdanalysis.parsers.fio.asked import Asked
from sdanalysis.parsers.fio.interim import Report
from sdanalysis.parsers.fio.job import (
    COMPLETION_ONLY,
    PEOPLE,
    SYNC,
    SYNC_LATENCY,
    Announced,
    Job,
    SharedCells,
    may_be_processes,
)
from sdanalysis.parsers.fio.job_files import JobFiles
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions
from sdanalysis.parsers.fio.processes import mark_shares, mark_twins
from sdanalysis.parsers.fio.run import Again, Run
from sdanalysis.parsers.fio.text_figures import (
    BEFORE,
    BLOCK,
    HEADER,
    add_direction,
    add_latencies,
    block_sizes,
    group_total,
    is_completion,
    may_be_read,
)
from sdanalysis.parsers.fio.totals import Totals, is_plain
from sdanalysis.parsers.fio.wrapped import command_at, unwrapped
from sdanalysis.parsers.variables import filled

_PROCESS = re.compile(r": pid=(\d+)(?P<date>.*)", re.ASCII)
_VERSION = re.compile(BEFORE + r"fio[- ](\d[\w.+-]*)\s*$", re.ASCII)
# sysbench prints no comma behind it
_DIRECTION = re.compile(BEFORE + r"(?:read|write|trim|mixed)\s*: (?:IOPS=(?![0-9.]+ )|io=)")
_CLONES = re.compile(BEFORE + r"\.\.\.\s*$")  # below a header: more of them
_SYNC = re.compile(BEFORE + r"fsync/fdatasync/sync_file_range:")
_ALL = "All clients"  # its `jobs` are their reports
_SUM = "the sum over all clients repeats their figures: left out"
_NO_REPORT = "found the header of the job {!r} and no report below it, expected its job block"


def scan(lines: Sequence[Line]) -> tuple[list[Job], list[Announced], list[Problem]]:
    """Return the job blocks of a text, those that headers announce, and what was wrong."""
    lines = flat.unfolded(lines)
    found = _Scan(lines)
    for index, line in enumerate(lines):
        if index <= found.place:
            continue  # of the command above
        text, found.place = line.text.lstrip(), index  # of a part, thousands of blanks
        if found.block and bare.are_words(line.text):
            found.leave(found.block)
        if "illed" in text and interim.is_killed(lines, index):
            interim.mark_killed(found.report, line)
        elif may_be_read(text):
            found.read(unwrapped(lines, index))
    found.end_run()
    found.totals.leave_out_quoted()
    interim.mark_replaced(interim.of_one_process(found.jobs))
    labelled.leave_out_quoted(found.jobs)
    bare.give_sizes_of_rates(found.jobs)
    interim.mark_cut(found.last, lines)
    for number, name in found.unanswered[:1] if found.jobs else ():
        found.problems.append(Problem(line=number, text=_NO_REPORT.format(name), kind="note"))
    return found.jobs, found.announced, found.problems


class _Scan:
    """The jobs of a text, and the run and block that are being read: each line changes some."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Begin without jobs."""
        self.files, self.lines = JobFiles(lines), lines
        self.again, self.totals, self.run = Again(), Totals(lines), Run()
        self.cut_place = bare.cut_place(lines)
        self.jobs: list[Job] = []
        self.announced: list[Announced] = []
        self.problems: list[Problem] = []
        self.report = self.last = Report()
        self.block: Job | None = None
        self.direction: tuple[str, SharedCells] | None = None
        self.completion: int | None = None  # the line of a latency that is not the total
        self.synced: int | None = None  # the line above latencies of fsync
        self.after_header = False
        self.group: int | None = None  # whose totals are being read
        self.asked = Asked()
        self.unanswered: list[Announced] = []  # headers below which no result stands yet
        self.told: tuple[int, Conditions] | None = None  # in a line above the report
        self.place = -1  # index of the line that is read, or of the last one of a command

    def read(self, line: Line) -> None:
        """Take one line."""
        text = line.text.lstrip(" ")
        if self.after_header and _CLONES.match(text):
            self.run.announced.append(self.run.announced[-1])
            self.asked.add([UNKNOWN], self.place)
        self.after_header = False
        if "(groupid=" in text and (match := BLOCK.match(text)):
            self._begin_block(line, match)
        elif "(g=" in text and (match := HEADER.match(text)):
            self._header(line, match)
        elif ("IOPS=" in text or ": io=" in text) and _DIRECTION.match(text):
            self._direction(line)
        elif ("IOPS=" in text or ": io=" in text) and labelled.is_result(line.text, self.block):
            self._end_direction()
            words = self.problems if self.jobs else []
            is_last = self.place == self.cut_place
            self.jobs += labelled.results(line, self._labelled, words, is_last=is_last)
        elif "lat (" in text or "sync (" in text:
            self._latency(line, text)
        else:
            self._aside(line, text)
            self._total(line)
            self._before_the_header(line)

    def _aside(self, line: Line, text: str) -> None:
        """Take what stands beside the results: other latencies, and what a page says of them."""
        if "fsync/" in text and _SYNC.match(text):
            self.synced = line.number
        elif beside.may_tell(text) and (known := beside.told(line.text)):
            self.told = line.number, known
            self.block = self.block if self.asked.tests or not bare.is_bare(self.block) else None
        elif "avg=" in text and (self.block is None or self.block.is_left):
            self.problems += bare.headless(line)
        elif "per=" in text and self.block:
            self.report.add_samples(self.block, text)
        elif self.block and "=" in text and self.place != self.cut_place:
            bare.take_end(self.block, line.text, self.lines, self.place)

    def _total(self, line: Line) -> None:
        """Take a line of the totals of a group, which stand below its blocks."""
        text = line.text
        if (group := self.totals.announced(text, self.place)) is not None:
            self.group, self.report.has_totals = group, True
            return
        base = self.report.jobs[-1].known.kb_base if self.report.jobs else UNKNOWN.kb_base
        if not ("bw=" in text or "io=" in text) or not (total := group_total(text, base)):
            return
        is_alone = not self.report.jobs and bare.is_no_total_of(self.block, total)  # without jobs
        is_own = self.totals.are_of(self.report, self.group, total[0], self.place)
        if self.group is not None and (is_alone or is_own):
            self.report.add_total(self.group, total)
        if is_alone or not is_own:
            self._bare_total(line, self.group if is_alone else None)
        else:
            self.totals.take(line, self.place, self.block)

    def _bare_total(self, line: Line, group: int | None) -> None:
        """Take the total of a group whose job blocks were not pasted."""
        is_of_fio = group is not None or is_plain(line.text)  # no words of somebody's own
        asked = self.run.asked_of_group(group) or (self._asked(line) if is_of_fio else [])
        known = beside.conditions_of_total(line, self.totals.near(self.place), asked)
        known = labelled.with_words(known, self.lines, self.place)
        job = self.run.pasted(line, known)
        job.run = self.totals.run_of(line, self.place, self.run.line, group)
        bare.add_total(job, line, self.lines, self.place)
        bare.join_run(job, self.block)
        self.jobs.append(job)
        self.totals.take_alone(job, line)
        self.asked.answer()
        self.unanswered = [] if len(self.asked.tests) == 1 and job.rows else self.unanswered

    def _before_the_header(self, line: Line) -> None:
        text = line.text
        if "terminating on signal" in text:
            self.run.interrupted = True
        elif match := _VERSION.match(text):
            self._new_run(line.number)
            self.run.version = match[1]
        elif ("fio" in text or "io -" in text) and commands.is_command(text):
            self._command(line)

    def _command(self, line: Line) -> None:
        """Take a command, all of its lines."""
        begin, (text, self.place) = self.place, command_at(self.lines, self.place)
        if "(g=" in text and (match := HEADER.match(text)):  # behind its last line
            self._header(line, match)
            return
        command = filled(text, self.lines, self.place)
        if asked := beside.asked_by(command, self.lines[:begin], self.asked.tests):
            self._end_direction()
            self.block = None
            self.asked.add(asked, self.place)
        if (options := commands.by_name(command)) or self.files.are_run_by(command, self.run.line):
            self.end_run()
            if not options:
                self.block, self.asked = None, Asked()
            self.run = self.run.followed_by(line.number, begin, self.place, options)
            self.run.groups = beside.groups_of(options, asked)

    def _new_run(self, number: int, name: str = "") -> None:
        """Begin a run, of a job's header or a command, unless the last one has no block yet."""
        self.asked.forget_answered()
        self._end_direction()
        self.end_report()
        if self.run.is_over(name):
            self.end_run()
            self.run = Run(line=number, untaken=self.run.untaken)
        self.run.line = self.run.line or number
        self.block = None

    def end_run(self) -> None:
        """Settle what only the end of a run tells: which of its reports is the last."""
        self._end_direction()
        self.end_report()
        interim.mark_replaced(self.run.blocks_of.values())

    def end_report(self) -> None:
        """Settle which of the blocks so far are shares: the totals of their groups have come."""
        report, self.group = self.report, None
        if not report.jobs:
            self.report = Report()  # totals without jobs are no end of the next report
            return
        mark_twins(report.jobs, self.run.announced, self.run.jobs)
        report.settle(self.run.jobs)
        if may_be_processes(report.jobs):
            report.add_totals()
            mark_shares(report.jobs)
        bare.give_block_sizes(report.jobs)
        self.last, self.report = report, Report()

    def _asked(self, line: Line, label: str = "") -> Sequence[Conditions]:
        """Return what results without a block may be of: commands and headers, else job files."""
        own, run = self.asked.above(self.lines, self.place, label), self.run
        is_told = self.asked.tests or self.report.jobs or run.commands or run.jobs or label
        asked = [] if run.is_otherwise(self.lines, self.place) else own
        above = asked if is_told else self.files.asked_above(line.number)
        return beside.asked_beside(self.lines, self.place, above)

    def _header(self, line: Line, match: re.Match[str]) -> None:
        name, header = match["name"], beside.header_conditions(match)
        self._new_run(line.number, name)
        known = self.run.command_of(name, header, self.lines, self.place)
        if known == UNKNOWN:
            known = self.files.told_beside(header, name, line.number)
            if known == UNKNOWN:
                known = self.again.known(name, header, self.lines[: self.place])
                self.again = self.again.known_of(name, known)
        elif self.asked.tests and len(self.run.commands) == 1:
            own = 0 if len(self.run.commands[0]) > 1 else -1
            self.asked.tests.pop(own)  # the header says the same
        if self.run.commands:
            self.again = Again(name, header, known, self.run.commands)
        known = known._replace(
            mode=header.mode,
            block_sizes=block_sizes(match["sizes"], known.kb_base),
            iodepth=header.iodepth,
            read_mix=known.read_mix if header.mode in ("rw", "randrw") else None,
        )
        self.asked.add([known], self.place)
        self.run.announce(line.number, int(match["group"]), name, known)
        self.after_header = True
        self.announced.append((line.number, name))
        self.unanswered.append((line.number, name))

    def _begin_block(self, line: Line, match: re.Match[str]) -> None:
        name, group = status_lines.behind(match["name"]), int(match["group"])
        self.run = self.run.of_block(name)
        self._before_block(line.number, name, match)
        self.run.unglue(name)
        self.run.line = self.run.line or line.number
        self._end_direction()
        self.asked, self.unanswered = Asked(), []
        run, count, known = self.run, int(match["jobs"]), self._known_of(line, name, match)
        self.block = Job(
            view=PEOPLE,
            line=line.number,
            name=name,
            group=group,
            run=f"{run.line}-fio",
            version=run.version,
            status="error" if int(match["error"]) else run.status,
            known=known._replace(numjobs=None if name == _ALL else count),
            is_share=name not in run.jobs and (known.numjobs or 1) > count,
            processes=run.processes_of(name, known, self.lines, self.place),
            group_is_whole=count > 1,  # group_reporting: one block for all
        )
        if name == _ALL and run.blocks_of:
            self.problems.append(Problem(line=line.number, text=_SUM, kind="note"))
            return
        self.jobs.append(self.block)
        self.report.jobs.append(self.block)
        if (process := _PROCESS.search(match["rest"])) and process[1] != "0":  # of no sum
            self.block.process = process[1], process["date"]
            self.run.blocks_of.setdefault((name, group, process[1]), []).append(self.block)

    def _known_of(self, line: Line, name: str, match: re.Match[str]) -> Conditions:
        """Return what a job was asked to do; without its header, what a line right above says."""
        count, at = int(match["jobs"]), line.number
        whole = int(match["group"]) if count > 1 else None
        known = self.run.asked_of(name, whole, count, self.report.jobs)
        known = known or self.files.told_of(name, at, count)
        known = known if self.run.commands else self.files.unless_other(known, name, at, count)
        self.files.use(name, at, count, self.run.names_in(whole))
        known, self.told = beside.told_right_above(self.told, known, at, count), None
        known = status_lines.with_pattern(known, self.report, self.lines, self.place, count)
        return self.run.laid_out(known, name, whole, self.lines, self.place)

    def _before_block(self, number: int, name: str, match: re.Match[str]) -> None:
        """End what the blocks above belong to, where this one is of another state or run."""
        process = _PROCESS.search(match["rest"])
        key = (name, int(match["group"]), process and process[1])
        earlier = self.run.blocks_of.get(key)
        date = process["date"] if process else ""
        # another process, below the totals or later
        is_later = not earlier and (self.report.has_totals or self.run.is_apart(date))
        if earlier or self.report.has_totals:
            self.end_report()
        is_again = not date and key[:2] in self.run.dates  # old versions print no date
        is_new = is_again or not (self.run.jobs or date in self.run.dates.values())
        is_other = self.run.is_before(*key[:2], date) or (is_new and is_later)
        if is_other and (is_later or key[0] not in self.run.jobs):
            told = Run() if key[0] in self.run.jobs else self.run
            self._new_run(number)
            self.run.is_before(*key[:2], date)  # the first of its own
            self.run.go_on_from(told, key[0], self.lines[: self.place])

    def _direction(self, line: Line) -> None:
        self._end_direction()
        if self.block is None or bare.is_another(self.block, line.text, self.report):
            if self.unanswered and len(self.asked.tests) > 1:
                self.asked.tests = []  # a header beside a command, or several
            known = self._known_beside(line)
            self.block = self._bare(line, labelled.with_words(known, self.lines, self.place))
        elif self.block.name not in self.run.jobs and not beside.agrees(self.block.known, line):
            self.block.known = UNKNOWN._replace(numjobs=self.block.known.numjobs)
        self.direction = add_direction(self.block, line, is_last=self.place == self.cut_place)

    def _bare(self, line: Line, known: Conditions) -> Job:
        """Return a new job, whose line was pasted without its block."""
        if not self.report.jobs:
            self.end_report()
        job = self.run.pasted(line, known)
        self.jobs.append(job)
        self.told, self.unanswered = None, []
        return job

    def _labelled(self, line: Line, label: str, number: str) -> Job:
        """Return a new job, whose result stands behind somebody's words."""
        known = self._known_beside(line, label) if len(self.asked.tests) == 1 else UNKNOWN
        return self.run.pasted(line, labelled.with_words(known, [line], 0), number)

    def _known_beside(self, line: Line, label: str = "") -> Conditions:
        """Return what was asked for of a result without its block, and what else may follow."""
        asked, line = self._asked(line, label), line._replace(text=line.text[len(label) :])
        known = beside.conditions_of(line, asked, self.told)
        self.problems += self.asked.take(line, self.place, asked, known)
        return known

    def _latency(self, line: Line, text: str) -> None:
        if self.synced is not None and "sync (" in text:
            self._sync(line)
            return
        if self.block is None or self.direction is None:
            is_in_report = self.block and self.block.name and not self.block.is_left
            self.problems += [] if is_in_report else bare.headless(line)
            return
        direction, cells = self.direction
        if add_latencies(self.block, direction, line, cells):
            self.direction = self.completion = None
        elif is_completion(text):
            self.completion = line.number

    def _sync(self, line: Line) -> None:
        """Take the latencies of fsync, which belong to the writes above them."""
        if self.block is None or self.block.is_left:
            asked = [] if self.asked.is_answered else self.asked.tests
            self.block = self._bare(line, beside.synced(asked))
            self.asked.tests = beside.left_over(line, asked)
        direction = "mixed" if "mixed" in self.block.rates else "write"
        if add_latencies(self.block, SYNC, line, self.block.cells(direction)):
            self.synced = None

    def leave(self, block: Job) -> None:
        """End a block above somebody's words."""
        self._end_direction()
        self.run.interrupted = False  # its report stands above
        # of results below a command people say `reading:` and `writing:`
        block.is_left = block.known.mode is None or not bare.is_bare(block)

    def _end_direction(self) -> None:
        """Note of the direction above that its total latency was not printed, if it was not."""
        if self.block is not None and self.completion and not bare.is_before_2(self.block):
            self.block.note(COMPLETION_ONLY, self.completion)
        if self.synced is not None:
            self.problems.append(Problem(line=self.synced, text=SYNC_LATENCY, kind="note"))
            self.synced = None
        self.direction = self.completion = None
