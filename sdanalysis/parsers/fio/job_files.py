"""Job files of fio above a report: `[global]`, `bs=4k`, `[random]`, `rw=randwrite`.

They say what a header does not: the file's size, `direct=1`; and all where it was not pasted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import names_file
from sdanalysis.parsers.fio.options import (
    UNKNOWN,
    Conditions,
    common,
    conditions,
    fits_header,
    of_any_process,
    say_mode,
)

_SECTION = re.compile(r"[\s>|`]*\[(?P<name>[^\[\]=]{1,100})\][\s`]*$")
_OPTION = re.compile(r"[\s>|`]*(?P<name>[a-z_]{2,40})(?:\s*=\s*(?P<value>\S.{0,400}?))?[\s`]*$")
_PASSED_OVER = re.compile(r"[\s>|]*$")
_COMMENT = re.compile(r"[;#].*|\s//\s.*")  # fio passes over the first two, wherever they stand
_GLOBAL = "global"
_GROUPS = {"stonewall", "wait_for_previous", "new_group"}  # options with which a group begins


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
            options = {**shared, **own}
            # a name for all jobs is that of each in old versions alone
            for printed in sorted({own.get("name", name), options.get("name", name)}):
                self._jobs.setdefault(printed, []).append(Definition(line, options, begin))

    def are_run_by(self, command: str, above: int) -> bool:
        """Tell whether a command names a job file; one shown below the line above is its own."""
        is_file = names_file(command)
        self._since_line = above if is_file else self._since_line
        return is_file

    def told_of(self, name: str, line: int, count: int | None = None) -> Conditions:
        """Return what the files above a line say of a job: those since its last report.

        Below that they speak for the next ones too. Of several, those with its number of jobs.
        """
        since = self._since(name, line)
        if not since or not _say_mode(since) or self._is_of_another(name, line, count):
            return UNKNOWN
        asked = [conditions(one.options) for one in since]
        counts = [1 if "group_reporting" not in one.options else None for one in since]
        fitting = [
            test
            for test, share in zip(asked, counts, strict=True)
            if count in (test.numjobs, share)
        ]
        return common(fitting or asked)

    def _since(self, name: str, line: int) -> list[Definition]:
        """Return the definitions of a job above a line, those of its last report if no other."""
        used, known, _ = self._used.get(name, (0, [], None))
        above = [one for one in self._jobs.get(name, ()) if used < one.line <= line]
        return [one for one in above if one.line > self._since_line] or above or known

    def told_beside(self, header: Conditions, name: str, line: int) -> Conditions:
        """Return what the files say of a job whose header does not contradict them.

        People show what they asked for below the result, too: of the only one of its name.
        """
        known, jobs = self.told_of(name, line), self._jobs.get(name, [])
        if self._headers[name] == len(jobs) == 1 and jobs[0].line > line and _say_mode(jobs):
            known = conditions(jobs[0].options)
        return known if fits_header(known, header) else UNKNOWN

    def asked_above(self, line: int) -> list[Conditions]:
        """Return what the files above a line ask for, of which results without blocks may be.

        A file that stands between two commands is of the second one.
        """
        jobs = {one.line: one for jobs in self._jobs.values() for one in jobs if one.line <= line}
        all_above = sorted(jobs.values())
        above = [one for one in all_above if one.line > self._since_line] or all_above
        files = groupby(above, lambda one: one.begin) if _say_mode(above) else ()
        return [
            asked for _, file in files for asked in asked_of_jobs([one.options for one in file])
        ]

    def use(self, name: str, line: int, count: int, others: Iterable[str]) -> None:
        """Take that a report of a job stands at a line, and of others that one group has."""
        for other in {name, *others} & self._jobs.keys():
            self._used[other] = line, self._since(other, line), count if other == name else None

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


def asked_of_jobs(jobs: Sequence[Mapping[str, str]]) -> list[Conditions]:
    """Return what jobs of a command or a file ask for: each, or all whose sum fio prints."""
    asked = [of_any_process(job) for job in jobs]
    is_sum = any("group_reporting" in job for job in jobs) and not is_each(jobs)
    return [common(asked)._replace(numjobs=None, is_share=False)] if is_sum else asked


def is_each(jobs: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether each job is a group of its own."""
    return all(_GROUPS & job.keys() for job in jobs[1:])


def _uncommented(text: str) -> str:
    return _COMMENT.sub("", text) if ";" in text or "#" in text or "//" in text else text


def _say_mode(jobs: Iterable[Definition]) -> bool:
    return say_mode(one.options for one in jobs)
