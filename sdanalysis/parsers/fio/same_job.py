"""Jobs that several views of a run show: each is found once, by its times, in linear time."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.job import Announced, Job

_BEGUN = re.compile(r"[\s>|]*(?:fio[- ][0-9]|Starting [0-9])")


class Seen:
    """The jobs of the better views that no other view has repeated yet."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        """Hold these jobs."""
        self._by_time: dict[tuple[str, int], dict[int, Job]] = {}
        self.add(jobs)

    def add(self, jobs: Iterable[Job]) -> None:
        """Hold more jobs."""
        for job in jobs:
            for time in job.runtimes.items():
                self._by_time.setdefault(time, {})[id(job)] = job

    def take(self, job: Job) -> Job | None:
        """Return the first job that this one repeats, and let it go: it has no second twin."""
        time = next(iter(job.runtimes.items()), None)
        for known in self._by_time.get(time, {}).values() if time else ():
            if known.view != job.view and known.same_as(job):
                for own in known.runtimes.items():
                    self._by_time[own].pop(id(known), None)
                return known
        return None


class Headers:
    """The headers of a text, which announce reports, and the lines where reports begin."""

    def __init__(self, announced: Sequence[Announced], shown: Sequence[Job]) -> None:
        """Hold the headers by the names of their jobs."""
        self._lines = sorted(job.line for job in shown)
        self._by_name: dict[str, list[int]] = {}
        for line, name in announced:
            self._by_name.setdefault(name, []).append(line)

    def announce(self, record: Job) -> bool:
        """Tell whether a header above announced the job's report, and none came in between."""
        above = self._by_name.get(record.name, [])
        index = bisect_left(above, record.line) - 1
        if index < 0:
            return False
        after = bisect_left(self._lines, above[index] + 1)
        return after == len(self._lines) or self._lines[after] >= record.line


def begun(announced: Sequence[Announced], lines: Iterable[Line]) -> list[Announced]:
    """Return the headers below which fio says that it starts: only then a report may follow.

    With `--minimal` behind the options of the first job it prints the header of that, then records.
    """
    names, waiting, found = dict(announced), [], []
    for number, text in lines:
        if number in names and ": (g=" in text:
            waiting.append((number, names[number]))
        elif waiting and _BEGUN.match(text):
            found += waiting
            waiting = []
        elif waiting and text.lstrip(" >|")[1:2] == ";":
            waiting = []
    return found
