"""Job files of fio above a report: `[global]`, `bs=4k`, `[random]`, `rw=randwrite`.

They say what a header does not: the file's size, `direct=1`; and all where it was not pasted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import files_of, jobs_of
from sdanalysis.parsers.fio.options import (
    UNKNOWN,
    Conditions,
    are_whole,
    asked_of_jobs,
    canonical,
    common,
    conditions,
    fits_header,
    say_mode,
    without_defaults,
)
from sdanalysis.parsers.fio.spoken import are_of_others, said_again, words_between

_SECTION = re.compile(r"[\s>|`]*\[(?P<name>[^\[\]=]{1,100})\][\s`]*$")
_OPTION = re.compile(r"[\s>|`]*(?P<name>[a-z_]{2,40})(?:\s*=\s*(?P<value>\S.{0,400}?))?[\s`]*$")
_PASSED_OVER = re.compile(r"[\s>|]*$")
_COMMENT = re.compile(r"[;#].*|\s//\s.*")  # fio passes over the first two, wherever they stand
_GLOBAL = "global"
_FAR = 40  # lines of words above a report


class Definition(NamedTuple):
    """One job of a file: where its section ends, and its options with those of `[global]`."""

    line: int
    options: Mapping[str, str]
    begin: int  # of the file


class JobFiles:
    """The jobs that the files of a text define, by name."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Read the sections of a text; one without options, of its own or shared, is none."""
        self._jobs: dict[str, list[Definition]] = {}
        # a job's last report, its files, its processes
        self._used: dict[str, tuple[int, list[Definition], int | None]] = {}
        self._headers: Counter[str] = Counter()
        self._lines = lines
        self._files: set[str] = set()  # that the last command names
        self._is_other = False  # than the one above it names
        self._given: dict[str, str] = {}  # by commands that name a file; which, is not known
        self._since_line = 0  # the line of the command above the last one that names a job file
        if not any("[" in text and _SECTION.match(_uncommented(text)) for _, text in lines):
            return
        shared: dict[str, str] = {}
        name, own, begin = "", {}, 0
        for number, line in lines:
            text = _uncommented(line)
            section = _SECTION.match(text) if "[" in text else None
            option = _OPTION.match(text) if name and not section else None
            if option:
                own[option["name"]] = option["value"] or ""
            elif section or not _PASSED_OVER.match(text):
                self._add(name, number, shared, own, begin)
                goes_on = section and name
                begin = begin if goes_on else number
                if name == _GLOBAL:
                    shared = {**shared, **own}
                shared = shared if goes_on else {}
                name, own = section["name"].strip() if section else "", {}
        self._add(name, lines[-1].number, shared, own, begin)
        headers = (text.split(": (g=") for _, text in lines if ": (g=" in text)
        self._headers.update(before.strip("> |\t") for before, *_ in headers)

    def _add(
        self, name: str, line: int, shared: Mapping[str, str], own: Mapping[str, str], begin: int
    ) -> None:
        if (own or shared) and name and name != _GLOBAL:
            options = canonical({**shared, **own})
            # a name for all jobs is that of each in old versions alone
            for printed in sorted({own.get("name", name), options.get("name", name)}):
                self._jobs.setdefault(printed, []).append(Definition(line, options, begin))

    def are_run_by(self, command: str, above: int) -> bool:
        """Tell whether a command names a job file; one shown below the line above is its own."""
        files = files_of(command)
        if files:
            self._since_line = above
            self._given |= dict.fromkeys(jobs_of(command)[0], "?")
            self._is_other, self._files = self._files not in (set(), files), files
        return bool(files)

    def _say_mode(self, jobs: Iterable[Definition]) -> bool:
        """Tell whether all jobs say what they do, or a command may have said it."""
        return say_mode({**self._given, **one.options} for one in jobs)

    def _options_of(self, job: Definition) -> Mapping[str, str]:
        """Return the options of a job with those of commands that name files: its own count."""
        options = {**self._given, **job.options}
        return options if are_whole(options) else without_defaults(options)

    def told_of(
        self, name: str, line: int, count: int | None = None, header: Conditions = UNKNOWN
    ) -> Conditions:
        """Return what the files above a line say of a job: those since its last report.

        Below that they speak for the next ones too. Of several, those that its header does not
        contradict, with its number of jobs.
        """
        since = self._since(name, line)
        if not since or not self._say_mode(since) or self._is_of_another(name, line, count):
            return UNKNOWN
        shares = [1 if "group_reporting" not in one.options else None for one in since]
        tests = [*zip(map(conditions, map(self._options_of, since)), shares, strict=True)]
        tests = [pair for pair in tests if fits_header(pair[0], header)] or tests
        fitting = [test for test, share in tests if count in (test.numjobs, share)]
        return self._unless_said(common(fitting or [test for test, _ in tests]), name, line)

    def _unless_said(self, known: Conditions, name: str, line: int) -> Conditions:
        """Return what files say of a later report of a job: what no word above it changes."""
        used, since, _ = self._used.get(name, (0, [], None))
        if not used or self._since(name, line) != since:
            return known
        words = self._words(used, line)
        is_other = are_of_others(words, [one.options for one in since])
        return UNKNOWN if is_other else said_again(known, words)

    def _words(self, since: int, line: int) -> list[str]:
        """Return what stands between a report, or the line of a file's end, and a line below it."""
        place = bisect_left(self._lines, line, key=lambda one: one.number)
        above = [one for one in self._lines[max(place - _FAR, 0) : place] if one.number > since]
        return words_between(above, of_file=True) or []

    def _since(self, name: str, line: int) -> list[Definition]:
        """Return the definitions of a job above a line, those of its last report if no other."""
        used, known, _ = self._used.get(name, (0, [], None))
        above = [one for one in self._jobs.get(name, ()) if used < one.line <= line]
        known = [] if self._is_other and len(known) == 1 else known  # of the file above
        return [one for one in above if one.line > self._since_line] or above or known

    def told_beside(self, header: Conditions, name: str, line: int) -> Conditions:
        """Return what the files say of a job whose header does not contradict them.

        People show what they asked for below the result, too: of the only one of its name.
        """
        known, jobs = self.told_of(name, line, header=header), self._jobs.get(name, [])
        if self._headers[name] == len(jobs) == 1 and jobs[0].line > line and self._say_mode(jobs):
            known = conditions(self._options_of(jobs[0]))
        return known if fits_header(known, header) else UNKNOWN

    def asked_above(self, line: int) -> list[Conditions]:
        """Return what the files above a line ask for, of which results without blocks may be.

        A file that stands between two commands is of the second one.
        """
        jobs = {one.line: one for jobs in self._jobs.values() for one in jobs if one.line <= line}
        all_above = sorted(jobs.values())
        above = [one for one in all_above if one.line > self._since_line] or all_above
        given = [one.options for one in above]
        if above and are_of_others(self._words(above[-1].line - 1, line), given):
            return []
        files = groupby(above, lambda one: one.begin) if self._say_mode(above) else ()
        return [
            asked for _, file in files for asked in asked_of_jobs([*map(self._options_of, file)])
        ]

    def use(self, name: str, line: int, count: int, others: Iterable[str]) -> None:
        """Take that a report of a job stands at a line, and of others that one group has."""
        for other in {name, *others} & self._jobs.keys():
            self._used[other] = line, self._since(other, line), count if other == name else None
        self._is_other = False

    def unless_other(self, known: Conditions, name: str, line: int, count: int) -> Conditions:
        """Return what the header of a report says, without its file's where that is of another."""
        if not self._is_of_another(name, line, count):
            return known
        return known._replace(file_size=None, direct=None, read_mix=None)

    def _is_of_another(self, name: str, line: int, count: int | None) -> bool:
        """Tell whether a later report of a job, of other processes, is not of its files."""
        _, known, first = self._used.get(name, (0, [], None))
        if not known or count is None or self._since(name, line) != known:
            return False
        alone = (None if "group_reporting" in one.options else 1 for one in known)
        return count not in {first, *alone, *(conditions(one.options).numjobs for one in known)}


def _uncommented(text: str) -> str:
    return _COMMENT.sub("", text) if ";" in text or "#" in text or "//" in text else text
