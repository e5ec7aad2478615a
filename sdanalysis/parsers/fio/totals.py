"""Lines of totals in fio's report for people: those of a report, and those that somebody quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.interim import Report
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.text_figures import BEFORE, total_words

_GROUP = re.compile(BEFORE + r"Run status group (?P<group>\d{1,9})\b", re.ASCII)
_PLAIN = re.compile(BEFORE + "(?:READ|WRITE|TRIM|MIXED):")
_RUN = re.compile(r", run=\d+-\d+msec$", re.ASCII)
_NEAR = 3  # lines from one total of a group to the next, if a mail broke them and blanks part them


class Totals:
    """The lines of totals so far: of reports with blocks, by their words, and those without."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Begin without totals."""
        self._lines = lines
        self._place = self._begin = 0  # index of the last line of those of a group, and the first
        self._above = (-1, 0, 0, "")  # line of a run, its last group, the begin of that, the run
        self._of_reports: dict[str, int] = {}
        self._alone: list[tuple[Job, str]] = []

    def announced(self, text: str, place: int) -> int | None:
        """Return the group whose totals a line announces; None where it announces none."""
        match = _GROUP.match(text) if "Run status group" in text else None
        if match:
            self._place = self._begin = place
        return int(match["group"]) if match else None

    def are_of(self, report: Report, group: int | None, direction: str, place: int) -> bool:
        """Tell whether a line is of the report whose blocks stand above, not of somebody's words.

        A group has one total of a direction, right below the others.
        """
        if not is_plain(self._lines[place].text):
            return False
        is_known = any(known[:2] == (group, direction) for known in report.totals)
        return group is None or (place - self._place <= _NEAR and not is_known)

    def take(self, line: Line, place: int, block: Job | None) -> None:
        """Take a line of a report with blocks, or of the result above it, which it ends."""
        self._place = place
        if block:
            block.is_ended = True
        words = total_words(line.text)
        for known in (words, _RUN.sub("", words)):
            self._of_reports.setdefault(known, line.number)

    def take_alone(self, job: Job, line: Line) -> None:
        """Take a line that stands without the blocks of its report."""
        self._alone.append((job, total_words(line.text)))

    def run_of(self, line: Line, place: int, begin: int, group: int | None) -> str:
        """Return the run of a line without its report: that of the one right above it, or its own.

        `READ:` and `WRITE:` of one report stand side by side; a list has items of several.
        """
        if group is not None:
            return self._run_of_group(begin, group, line)
        above = self._alone[-1][0] if self._alone else None
        if above is None or above.line < line.number - 1 or "READ" in line.text:
            return f"{line.number}-fio"
        is_row = above.line == line.number
        is_one = is_row or _may_be_of_one(self._lines[place - 1].text, line.text)
        return above.run if is_one else f"{line.number}-fio"

    def near(self, place: int) -> list[Line]:
        """Return the lines beside a total, those of other groups left out."""
        above = self._lines[max(place - _NEAR + 1, 0) : place][::-1]
        below = self._lines[place : place + _NEAR]
        return [*takewhile(_is_no_group, above), *takewhile(_is_no_group, below)]

    def _run_of_group(self, begin: int, group: int, line: Line) -> str:
        """Return the run of a total of a group without its report: that of the group above it.

        A run counts its groups up: one that is announced again is of another run.
        """
        begun, last, announced, run = self._above
        if begun != begin:
            run = f"{begin or line.number}-fio"
        elif group < last or (group == last and announced != self._begin):
            run = f"{line.number}-fio"
        self._above = begin, group, self._begin, run
        return run

    def leave_out_quoted(self) -> None:
        """Leave out the lines that repeat one of a report with blocks, above it or below."""
        for job, words in self._alone:
            if job.rows and words in self._of_reports:
                job.leave_out(f"the totals at line {self._of_reports[words]}")


def _is_no_group(line: Line) -> bool:
    return "Run status group" not in line.text


def is_plain(text: str) -> bool:
    """Tell whether a line of totals stands as fio prints it: without words of somebody's own."""
    return _PLAIN.match(text) is not None


def _may_be_of_one(above: str, text: str) -> bool:
    """Tell whether two totals may be of one report: in a list, or behind words, if both agree."""
    words, words_above = total_words(text), total_words(above)
    if not words_above:  # it ends in a line of its own
        return False
    label, label_above = (
        line.partition(total)[0].strip("> \t")
        for line, total in ((text, words), (above, words_above))
    )
    is_of_none = not label and not label_above
    return is_of_none or (label == label_above and _time(words) == _time(words_above))


def _time(words: str) -> str:
    return words.rpartition(", ")[2]
