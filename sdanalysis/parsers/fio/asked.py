"""The tests that commands and headers ask for, until their results have come.

Of a result without its block nothing but its place tells which of them it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio.beside import agrees, left_over
from sdanalysis.parsers.fio.options import Conditions
from sdanalysis.parsers.fio.spoken import is_again

_CONTRADICTED = (
    "found figures of another direction or block size than is asked for above, expected those of "
    "a command there: nothing that it says is given"
)


@dataclass(slots=True)
class Asked:
    """What is asked for above a line."""

    tests: list[Conditions] = field(default_factory=list)
    count: int = 0  # how many they were above the first result
    is_answered: bool = False  # by a result of the only one, or by totals: more may follow
    since: int | None = None  # index of the line of a test, or of its result; None below totals

    def add(self, tests: Iterable[Conditions], place: int) -> None:
        """Take what is asked for; totals above, without blocks, were of those asked for before."""
        self.forget_answered()
        self.tests += tests
        self.count, self.since = len(self.tests), place

    def forget_answered(self) -> None:
        """Forget what has its results: what comes below asks for another test."""
        if self.is_answered:
            self.tests, self.is_answered = [], False

    def answer(self) -> None:
        """Take that totals have come: of another direction more may follow."""
        self.is_answered, self.since = True, None

    def above(self, lines: Sequence[Line], place: int, label: str) -> list[Conditions]:
        """Return the tests that a result may be of.

        Below another result of the only one, or behind words, no word may be of another setting.
        """
        if not self.tests or not (label or self.is_answered):
            return self.tests
        if self.since is None:
            return [] if label else self.tests
        between = [*(line.text for line in lines[self.since + 1 : place]), label]
        return self.tests if is_again(self.tests[0], between) else []

    def take(
        self, line: Line, place: int, asked: Sequence[Conditions], known: Conditions
    ) -> list[Problem]:
        """Take a result, and what is known of it; return a word where it is of none."""
        is_other = not self.is_answered and _is_of_none(line, asked)
        if asked is self.tests and self.count == 1 and known.numjobs and not known.is_repeated:
            self.is_answered = True
        else:
            self.tests = left_over(line, self.tests)
        self.since = place
        note = Problem(line=line.number, text=_CONTRADICTED, kind="note")
        return [note] if is_other else []


def _is_of_none(line: Line, asked: Sequence[Conditions]) -> bool:
    """Tell whether a result contradicts all tests that a single process may give it of."""
    known = [test for test in asked if test.mode and not (test.is_share or test.is_repeated)]
    return bool(known) and not any(agrees(test, line) for test in known)
