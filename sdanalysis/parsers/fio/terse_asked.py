"""What commands and job files above terse records ask for: a record says only its job's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import by_name, is_command, names_file
from sdanalysis.parsers.fio.job_files import JobFiles
from sdanalysis.parsers.fio.options import Conditions, asked_of_jobs, common
from sdanalysis.parsers.fio.wrapped import command_at
from sdanalysis.parsers.variables import filled


class Asked:
    """The commands above the records that are read next."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Begin without commands."""
        self._lines = lines
        self._commands: list[Mapping[str, Mapping[str, str]]] = []
        self._is_answered = False
        self._end = -1  # of the last command
        self._files: JobFiles | None = None

    def take(self, index: int) -> None:
        """Take a line that is no record: what is asked for below records is another run's."""
        if self._is_answered:
            self._commands, self._is_answered = [], False
        text = self._lines[index].text
        if "io" not in text or index <= self._end or not is_command(text):
            return
        command, self._end = command_at(self._lines, index)
        command = filled(command, self._lines, self._end)
        is_terse = "terse" in command or "minimal" in command
        if is_terse and not names_file(command):
            self._commands.append(by_name(command))

    def known_of(self, name: str, line: int) -> Conditions:
        """Return what is asked for alike of a job; of a group's only record, of all its jobs."""
        self._is_answered = True
        tests: list[Conditions] = []
        for command in self._commands:
            if name in command:
                tests.append(_asked(command, name))
        return common(tests) if tests else self._in_files(name, line)

    def _in_files(self, name: str, line: int) -> Conditions:
        """Return what a file above says of a job; of several processes a record may be of one."""
        self._files = self._files or JobFiles(self._lines)
        known = self._files.told_of(name, line)
        return known if known.numjobs == 1 else known._replace(numjobs=None)


def _asked(command: Mapping[str, Mapping[str, str]], name: str) -> Conditions:
    asked = asked_of_jobs([*command.values()])
    return asked[[*command].index(name)] if len(asked) > 1 else asked[0]
