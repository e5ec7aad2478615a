"""What the lines above fio's job blocks say: commands, headers, and the blocks so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio import laid_out
from sdanalysis.parsers.fio.commands import (
    by_name,
    is_command,
    of_header,
    of_name,
    told_of,
)
from sdanalysis.parsers.fio.job import PEOPLE, Job
from sdanalysis.parsers.fio.options import (
    SEVERAL,
    UNKNOWN,
    Conditions,
    common,
    fits_header,
    stated,
)
from sdanalysis.parsers.fio.spoken import FAR, are_of_others, is_prose, said_again, words_between

_STARTED = re.compile(r"[\s>|]*Starting (\d{1,6}) (?:processes|threads)\b", re.ASCII)
_MOST = 20  # commands whose reports stand below all of them
_AT_ONCE = timedelta(minutes=1)
_DATE = ": %a %b %d %H:%M:%S %Y"
_NEXT = 2  # lines from one header to the next: `...` may stand between them


def _are_apart(dates: Sequence[str]) -> bool:
    """Tell whether dates such as ` Sat Aug 5 13:28:44 2017` are not those of one report."""
    if "" in dates:
        return False
    try:
        first, second = (datetime.strptime(date.strip(), _DATE) for date in dates)
    except ValueError:
        return False
    return abs(second - first) > _AT_ONCE


class Again(NamedTuple):
    """The last commands whose report has been read: who pastes one command ran it again below.

    The header says that name, mode, sizes, engine and depth are the same; nothing that stands
    between the two reports may speak of the rest. A loop runs its commands again with other values
    of its variables, and prints them.
    """

    name: str = ""
    header: Conditions = UNKNOWN
    asked: Conditions = UNKNOWN
    commands: Sequence[Mapping[str, Mapping[str, str]]] = ()

    def known(self, name: str, header: Conditions, above: Sequence[Line]) -> Conditions:
        """Return what the commands say of the report of a header without a command of its own."""
        if not self.commands:
            return UNKNOWN
        between = words_between(above)
        looped = [
            job
            for command in self.commands
            for job in of_name(name, command)
            if any("$" in value for value in job.values()) and fits_header(stated(job), header)
        ]
        if looped:
            tests = [of_header(job, header) for job in looped]
            return UNKNOWN if between is None else said_again(common(tests), between, ["direct"])
        if len(self.commands) != 1 or (name, header) != (self.name, self.header):
            return UNKNOWN
        return UNKNOWN if between is None else said_again(self.asked, between)

    def known_of(self, name: str, known: Conditions) -> Again:
        """Return the same with what is known of the last report of a name."""
        return self._replace(asked=known) if name == self.name else self


@dataclass(slots=True)
class Run:
    """What the lines above the job blocks said, until the next run begins."""

    line: int = 0
    version: str | None = None
    interrupted: bool = False
    commands: list[dict[str, dict[str, str]]] = field(default_factory=list)  # options by name
    untaken: list[dict[str, dict[str, str]]] = field(default_factory=list)  # above no report yet
    turn: int = 1  # of the reports of commands that stand in a row
    place: int = -1  # index of the line of the last command
    jobs: dict[str, Conditions] = field(default_factory=dict)
    headers: dict[str, list[Conditions]] = field(default_factory=dict)  # of each name, in turn
    headed: int = 0  # the line of the last one
    announced: list[tuple[int, str]] = field(default_factory=list)  # group and name, a clone each
    blocks_of: dict[tuple, list[Job]] = field(default_factory=dict)  # by name, group and process
    dates: dict[tuple, str] = field(default_factory=dict)  # of blocks, by name and group
    printed: str = ""  # the date of the last block
    laid: dict[str, int] = field(default_factory=dict)  # sizes of files (MiB), by name
    between: Sequence[str] | None = (
        None  # the reports of its commands that stand above, and its own
    )
    groups: Sequence[Conditions] = ()  # what the command asks of each, if they have one job each
    waiting: Run | None = None  # the one above, whose headers have no blocks yet

    @property
    def status(self) -> str:
        """The status of its next result."""
        return "interrupted" if self.interrupted else "measured"

    def pasted(self, line: Line, known: Conditions, number: str = "") -> Job:
        """Return a job whose line was pasted without its block; a number if of several in it."""
        return Job(
            view=PEOPLE,
            line=line.number,
            name="",
            run=f"{line.number}{number}-fio",
            version=self.version,
            status="measured" if self.dates else self.status,  # its report stands above
            known=known,
        )

    @property
    def is_of_file(self) -> bool:
        """Tell whether a command that names a job file begins the run."""
        return self.place >= 0 and not self.commands

    def is_over(self, name: str) -> bool:
        """Tell whether a header is of another run: after blocks, or again after a signal."""
        return bool(self.dates) or (self.interrupted and name in self.jobs)

    def announce(self, line: int, group: int, name: str, known: Conditions) -> None:
        """Take what the header of a job says; those of one start stand right below each other."""
        if line - self.headed > _NEXT:
            self.headers = {}
        self.headed = line
        self.jobs[name] = known
        self.headers.setdefault(name, []).append(known)
        self.announced.append((group, name))

    def _header_of(self, name: str, reports: Sequence[Job]) -> Conditions | None:
        """Return what a job's header says: of several of one name fio reports in their order."""
        headers, place = self.headers.get(name, []), sum(job.name == name for job in reports)
        if len(set(headers)) < 2:
            return self.jobs.get(name)
        is_one_each = sum(other == name for _, other in self.announced) == len(headers)
        return headers[place] if is_one_each and place < len(headers) else common(headers)

    def is_before(self, name: str, group: int, date: str) -> bool:
        """Tell whether a block is of a later run: fio prints those of one run at once."""
        is_other = self.dates.setdefault((name, group), date) != date or self.is_apart(date)
        self.printed = date
        return is_other

    def is_apart(self, date: str) -> bool:
        """Tell whether a block was not printed at once with the one above it."""
        return self.printed != date and _are_apart((self.printed, date))

    def followed_by(
        self, line: int, begin: int, place: int, command: dict[str, dict[str, str]]
    ) -> Run:
        """Return the run of a command below this one, which may be one of several in a row.

        One that names a job file has no options: those of the commands above are not its own.
        """
        own = [command] if command else []
        untaken = [*self.untaken[-_MOST:], *({name: job} for name, job in command.items())]
        waiting = self if self.jobs and not self.dates else None
        is_next = begin == self.place + 1
        is_next = is_next or (begin == self.place + 2 and self._is_branch(command))
        in_a_row = self.commands if own and is_next else []
        commands = [*in_a_row, *own]
        return Run(line, commands=commands, place=place, untaken=untaken, waiting=waiting)

    def _is_branch(self, command: Mapping[str, Mapping[str, str]]) -> bool:
        """Tell whether a loop runs a command or the last one, with `else` between them."""
        is_looped = any("$" in value for job in command.values() for value in job.values())
        return is_looped and any(command.keys() == other.keys() for other in self.commands)

    def of_block(self, name: str) -> Run:
        """Return the run of a job's block: that above the command if it was typed as that ran."""
        above = self.waiting
        names = {*self.jobs, *(other for command in self.commands for other in command)}
        if above is None or name in names or name not in above.jobs:
            return self
        above.untaken = self.untaken  # the report of the command stands below
        return above

    def go_on_from(self, before: Run, name: str, above: Sequence[Line]) -> None:
        """Take the commands that a report without its header is of, whose run had another one.

        Of commands in a row each has a report; and who pastes one command may have run it again.
        """
        is_again = any(name == other for other, _ in before.dates)
        if before.turn < len(before.commands) and not (is_again and before.names_once(name)):
            self.commands, self.turn = before.commands, before.turn + 1
        elif (between := words_between(above)) is not None:
            self.commands, self.turn = before.commands, before.turn
            self.between = [*(before.between or ()), *between]

    def _told_of(self, name: str, count: int) -> Conditions:
        """Return what the commands say of a job: of a later report, if as many processes ran."""
        known = told_of(name, [*self.commands, *self.untaken] if self.commands else [])
        if self.between is None:
            return known
        is_alike = count in (1, known.numjobs) or known.numjobs is None
        return said_again(known, self.between) if is_alike else UNKNOWN

    def names_once(self, name: str) -> bool:
        """Tell whether one of the commands is of a job of a name."""
        return sum(name in command for command in self.commands) == 1

    def asked_of(
        self, name: str, whole: int | None, count: int, reports: Sequence[Job]
    ) -> Conditions | None:
        """Return what a job's header says, or its command where the header was not pasted.

        Of the sum of a whole group, what the headers of all its jobs say. None if nothing is said.
        """
        tests = [self.jobs[other] for other in self.names_in(whole)]
        if tests and name in self.jobs:
            known = common(tests)
            return known if len(set(tests)) == 1 else known._replace(placement=SEVERAL)
        known = self._header_of(name, reports) or self._told_of(name, count)
        if name not in self.jobs:
            own = [command.get(name) for command in self.commands]
            self.untaken = [other for other in self.untaken if other.get(name, own) not in own]
        if known == UNKNOWN and not self.jobs:
            known = self._of_cut_name(name)
        return None if known == UNKNOWN else known

    def is_otherwise(self, lines: Sequence[Line], place: int) -> bool:
        """Tell whether words between the last command and a report are of other options."""
        if not self.commands or place - self.place > FAR:
            return False
        between = [line.text for line in lines[self.place + 1 : place]]
        if any(text[:1] == "[" for text in between):
            return False  # a job file
        given = [options for command in self.commands for options in command.values()]
        return are_of_others(between, given)

    def command_of(
        self, name: str, header: Conditions, lines: Sequence[Line], place: int
    ) -> Conditions:
        """Return what the commands right above a header say, or those without a report alike.

        None that contradicts the header: pages show several commands of one name, then reports.
        """
        if self.is_of_file or self.is_otherwise(lines, place):
            return UNKNOWN
        is_own = bool(self.commands) and not any(
            is_prose(lines[at].text) for at in range(self.place + 1, place)
        )
        jobs = [
            job
            for command in (self.commands if is_own else [*self.commands, *self.untaken])
            for job in of_name(name, command)
            if fits_header(stated(job), header)
        ]
        tests = dict.fromkeys(of_header(job, header) for job in jobs)
        if is_own or len(tests) == 1:
            self.untaken = [one for one in self.untaken if next(iter(one.values())) not in jobs]
        return common([*tests]) if tests else UNKNOWN

    def processes_of(
        self, name: str, known: Conditions, lines: Sequence[Line], place: int
    ) -> int | None:
        """Return how many processes ran of one job alone, as its command or fio says them."""
        names = {other for _, other in self.announced}
        names |= {other for command in self.commands for other in command}
        if names != {name} or known.numjobs or len(self.announced) < 2:
            return known.numjobs if names == {name} else None
        for _, text in reversed(lines[max(place - FAR, 0) : place]):
            if "Starting" in text and (match := _STARTED.match(text)):
                return int(match[1])
        return None

    def names_in(self, whole: int | None) -> list[str]:
        """Return the names of the jobs that the headers of a group announce, None of no group."""
        return [other for group, other in self.announced if group == whole]

    def asked_of_group(self, group: int | None) -> Sequence[Conditions]:
        """Return what the command asks of the only job of a group, if it says so."""
        return [] if group is None else self.groups[group : group + 1]

    def _of_cut_name(self, name: str) -> Conditions:
        """Return what the only command says of a job whose first letters were not selected."""
        names = [other for command in self.commands for other in command]
        lost = len(names[0]) - len(name) if len(names) == 1 else 0
        is_cut = 0 < lost < 3 and len(name) > 5 and names[0].endswith(name)
        return told_of(names[0], self.commands) if is_cut else UNKNOWN

    def laid_out(
        self, known: Conditions, name: str, whole: int | None, lines: Sequence[Line], place: int
    ) -> Conditions:
        """Return what is known of a job with the size of its file, if fio has said it.

        Of a whole group, if all its jobs have the same; of jobs that may be processes of one test,
        which a group holds, either all have a size or none. A command of another size is not the
        job's.
        """
        self.laid |= laid_out.sizes_above(lines, place)
        size = self.laid.get(name)
        if size is None or (known.file_size is not None and known.file_size >> 20 == size):
            return known
        if known.file_size is not None:
            known = known._replace(file_size=None, direct=None, read_mix=None)
        if not laid_out.is_whole(size):
            return known
        groups = {group for group, other in self.announced if other == name}
        sizes = {other: self.laid.get(other) for group, other in self.announced if group in groups}
        if None in sizes.values() or (whole is not None and set(sizes.values()) - {size}):
            return known
        return known._replace(file_size=size << 20)

    def unglue(self, name: str) -> None:
        """Give a job the header that stands behind other text in its line: a lost line end.

        `$ fio --name=copycopy: (g=0): rw=write` announces `copy`, `====copy: (g=0)` too.
        """
        if name in self.jobs or not name:
            return
        answered = {other for other, _ in self.dates}  # by a block of their whole name
        glued = [
            other
            for other in self.jobs.keys() - answered
            if other.endswith(name) and (is_command(other) or not other[-len(name) - 1].isalnum())
        ]
        if len(glued) != 1:
            return
        header, before = self.jobs.pop(glued[0]), glued[0].removesuffix(name)
        told = told_of(name, [by_name(before)])
        self.jobs[name] = told._replace(
            mode=header.mode,
            block_sizes=header.block_sizes,
            iodepth=header.iodepth,
            read_mix=told.read_mix if header.read_mix is None else header.read_mix,
        )
        self.announced = [
            (group, name if other == glued[0] else other) for group, other in self.announced
        ]
