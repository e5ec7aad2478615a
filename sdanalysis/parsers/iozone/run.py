"""What iozone's banner and command line say about a run: version, unit, tests, sizes, O_DIRECT."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.iozone.commands import DENIED, Options, indent, read_command, typed

DEFAULT_UNIT = "kB/s"
_DEFAULTS = {"r": 4 * 1024, "s": 512 * 1024}  # bytes: of throughput mode
_UNITS = {"per second": "operations per second", "per operation": "microseconds per operation"}


class Test(NamedTuple):
    """What tells a block of throughput mode from the others of its run."""

    op: str
    processes: int
    record: int | None
    file_size: int | None


@dataclass(kw_only=True)
class Run:
    """One invocation of iozone, filled in line by line: hence not frozen."""

    line: int
    part: int = 0  # of several runs that begin in the same line
    host: str = ""  # what stands before a block that begins a run: `10.0.0.11:`, a file's name
    version: str | None = None
    command: Options | None = None
    unit: str | None = None
    direct: bool | None = None
    retested: bool = True
    read_mix: float | None = None
    file_size: int | None = None
    record: int | None = None
    sizes: tuple[Sequence[int], Sequence[int]] = ((), ())  # -s and -r of the command
    titled: bool = False
    prompted: bool = False
    in_prose: bool = False
    above: str | None = None  # a command at the prompt over the banner
    inside: bool = False  # a sentence that goes on behind the command
    results: int = 0
    blocks: set[Test] = field(default_factory=set)  # of throughput mode, read
    shapes: set[frozenset[str]] = field(default_factory=set)  # which lines such blocks had
    refused: bool = False
    complete: bool = False

    def conditions(self) -> dict[str, Any]:
        """Return what all figures of the run have in common, as fields of a measurement."""
        direct = False if self.direct is None and self.command else self.direct
        return {
            "tool": "iozone",
            "tool_version": self.version,
            "iodepth": self.command.depth() if self.command else None,
            "direct": direct,
            "run": f"{self.line}-iozone" + (f"-{self.part + 1}" if self.part else ""),
        }

    def of_one_process(self) -> dict[str, Any]:
        """Return what all figures of a run outside throughput mode have in common."""
        return {
            **self.conditions(),
            "stat": "mean" if self.unit == _UNITS["per operation"] else "single",
            "numjobs": 1 if self.command else None,
            "remarks": () if self.unit else ("inferred-unit",),
        }

    def has_sizes(self, size: int, record: int) -> bool:
        """Tell whether a row's sizes in kB are among those that the command gives, if it does."""
        files, records = self.sizes
        return (not files or size * 1024 in files) and (not records or record * 1024 in records)

    def again(self, line: int) -> Run:
        """Return a run of the same command, that stands over several tables."""
        again = Run(line=line, prompted=True, in_prose=self.in_prose, sizes=self.sizes)
        again.direct, again.unit, again.retested = self.direct, self.unit, self.retested
        again.command = self.command
        return again

    def adopt(self) -> None:
        """Take the command at the prompt for the run's own, where the banner does not repeat it."""
        if self.above and self.command is None and not self.results:
            _commanded(self, self.above)
            self.prompted = True
        self.above = None

    def forget(self) -> None:
        """Forget a command at a prompt, where its results show that they are of another one."""
        self.command = self.direct = self.unit = self.record = self.file_size = None
        self.retested, self.sizes = True, ((), ())

    def refuse(self, line: int, text: str) -> Problem:
        """Return an error about a line; the run is known then not to be whole."""
        self.refused = True
        return Problem(line=line, text=text)


_TITLE = "Iozone: Performance Test of File I/O"
_COMMAND = re.compile(r"Command line used:[ \t]*(\S.*)")
# At the end of a sentence: `tested with iozone -e -I -a -s 100M -r 4k -i 0 -i 1:`, or in one
# that announces a table: `via iozone -e -I -a -s 100M -r 4k -i 0 -i 1 on an A2 card:`
_PROSE = re.compile(
    r"(?<=[\s\"'(])(iozone3?(?: -[A-Za-z+][\w+.]{0,9}"
    r"(?: (?:[0-9]{1,9}[kKmMgG]?|[./~][\w./~-]{0,200}))?){1,30})"
    r"(?:[\"'`:.,;)]{0,3}\s*$|[\"'`)]? (?:on|to|at|auf|sur) (?:(?! -)[^:\n]){1,160}:\s*$)",
    re.ASCII,
)
# Inside a sentence, which the sizes have to tie to a table: `using iozone -e -I -a -s 100M -r 4k
# -i 0 ; sleep 300 ; iozone -e -I -a -s 2000M -r 16384k -i 0 (with a pause for a reason)`
_INSIDE = re.compile(
    r"(?<=[\s\"'`(])iozone3?(?: -[A-Za-z+][\w+.]{0,9}"
    r"(?: (?:[0-9]{1,9}[kKmMgG]?|[./~][\w./~-]{0,200}))?){2,30}(?=[\s\"'`.,;)])",
    re.ASCII,
)
# Over a table of a page, with no word on how else it was made: `### Kingston 8GB`, `**eMMC**`
_HEADING = re.compile(r"\s{0,3}(?:#{2,6}\s|[*_]{2}\w|=+\s)[^|;=]{1,80}=*\s*$")
_OTHERWISE = re.compile(r"iozone|\bcache|\bbuffer|\bdirect|\bwith\b|\bmit\b", re.IGNORECASE)
_FACTS = re.compile(
    r"Version \$Revision: (?P<version>[0-9]\.[0-9]{1,4}) ?\$"
    r"|(?<!\")Output is in (?P<unit>[kK][bB]ytes/sec)"
    r"|Output is in (?:operations|microseconds) (?P<mode>per second|per operation)"
    r"|(?P<direct>O_DIRECT(?:IO)? feature enabled|VxFS advanced feature|F_NOCACHE=1)"
    r"|File size set to (?P<file>[0-9]{1,16}) [kK]B"
    r"|(?<!imum )Record Size (?P<record>[0-9]{1,9}) [kK]B"
    r"|(?P<once>No retest option selected)"
    r"|Percent read in mix test is (?P<mix>[0-9]{1,3})"
    r"|(?P<began>Run began: |Auto Mode|Include (?:fsync|close) in write timing)"
)
_PARTS = re.compile(r"[;&|]+")  # of a shell's line
_BELOW = 4  # lines from a prompt's command to the banner: the blocks of a page
_COMPLETE = "iozone test complete."
_BROKEN = re.compile(
    r"\W*+(?:Error: (?:maximum |minimum |Maximum |Minimum )?record|iozone: interrupted|"
    r"Error (?:writing|reading|re-?writing|pwriting|preading|fwriting) block|"
    r"Can not open temp|You must (?:specify|disable)|Can not mix throughput)"
)
_SIGNAL = re.compile(r"\^C\s*$|^[\s>|]*(?:\[[0-9]+\]\S?\s+)?(?:Killed|Terminated)\b")
_LONGEST = 65_536  # characters of a line that is looked at
_DOUBT = re.compile(
    r"Timer resolution is poor|The test completed too quickly"
    r"|Performance measurements are invalid in this mode"  # of -V, which verifies what it reads
)
_ENDS = ("reclen", "Children see", "report", "Excel", "Command line used", "exiting iozone")


def read_fact(text: str, number: int, run: Run | None) -> tuple[Run | None, Problem | None]:
    """Return the run that a line belongs to or begins, and what is to be said about the line."""
    if _TITLE in text:
        near = run is not None and not run.titled and number - run.line <= _BELOW
        return Run(line=number, titled=True, above=run.above if run and near else None), None
    if "Command line used:" in text and (match := _COMMAND.search(text)):
        return _commanded(_current(run, number), match[1]), None
    if match := _FACTS.search(text, indent(text)):
        run = _current(run, number)
        _apply(run, match)
        return run, None
    is_new = run is None or run.results or run.complete or run.in_prose
    if (is_new or _may_be_retyped(run, text)) and (prompted := _prompted(text, number)):
        return prompted, None
    if run is None:
        return None, None
    run.complete = run.complete or _COMPLETE in text
    return run, _word(text, number, run)


def _prompted(text: str, number: int) -> Run | None:
    """Return a run begun by a command at a shell's prompt, where a banner may be left out."""
    if match := typed(text):
        commands = [part for part in _PARTS.split(match[1]) if typed(part)]
        if len(commands) > 1:
            return _agreed([_commanded(Run(line=number), command) for command in commands])
        return _commanded(Run(line=number, prompted=True, above=match[1]), match[1])
    if "iozone" in text and (match := _PROSE.search(text, indent(text))):
        return _told(number, match[1], text[: match.start()])
    return _told_inside(number, text) if "iozone -" in text or "iozone3 -" in text else None


def _may_be_retyped(run: Run | None, text: str) -> bool:
    """Tell whether a line may hold the command that took the place of one without results."""
    return run is not None and run.prompted and not run.version and typed(text) is not None


def _told(number: int, command: str, before: str = "") -> Run | None:
    """Return a run begun by a command in a sentence: what it gives beyond doubt, or no run.

    One that gives both sizes is the whole command: those of the rows, or the number of processes,
    tell whether results are of it.
    """
    run = _commanded(Run(line=number, prompted=True, in_prose=True), command)
    if all(run.sizes) and not DENIED.search(before):
        return run
    run.command = run.record = run.file_size = None
    return run if run.direct or run.unit else None


def _told_inside(number: int, text: str) -> Run | None:
    """Return a run begun by commands that a sentence goes on behind, where all of them agree.

    Their sizes have to be in it: a table of other sizes is not theirs.
    """
    told = [_told(number, match[0]) for match in _INSIDE.finditer(text)]
    runs = [run for run in told if run and all(run.sizes)]
    if not runs or len(runs) < len(told) or DENIED.search(text):
        return None
    agreed = _agreed(runs)
    if not (agreed.direct or agreed.unit or agreed.command):
        return None
    agreed.inside = agreed.in_prose = True
    return agreed


def _agreed(runs: Sequence[Run]) -> Run:
    """Return a run with what its commands in one line agree about: each has results of its own."""
    agreed = runs[0]
    agreed.prompted = True
    if len(runs) > 1:
        agreed.command = agreed.record = agreed.file_size = None
        files, records = ([size for run in runs for size in run.sizes[side]] for side in (0, 1))
        agreed.sizes = (files, records)
        if len({(run.direct, run.unit, run.retested) for run in runs}) > 1:
            agreed.forget()
    return agreed


def _current(run: Run | None, number: int) -> Run:
    """Return the run that a line of a banner belongs to: a new one when the last has results.

    A banner says all that a sentence above it might say, of its own run.
    """
    is_new = run is None or run.results or run.complete or run.in_prose
    return Run(line=number) if run is None or is_new else run


def _commanded(run: Run, command: str) -> Run:
    """Return the run with what older banners and cut pastes say in no words but the options."""
    run.command = read_command(command)
    run.sizes = (run.command.sizes("s"), run.command.sizes("r"))
    given = run.command.given
    if "I" in given:
        run.direct = True
    if "+n" in given:
        run.retested = False
    if "O" in given:
        run.unit = _UNITS["per second"]
    if "N" in given:
        run.unit = _UNITS["per operation"]
    if not given.keys().isdisjoint("tlu"):  # a table has its sizes in each row
        run.record = run.record or run.command.size("r") or _default(given, "r")
        run.file_size = run.file_size or run.command.size("s") or _default(given, "s")
    return run


def _default(given: Mapping[str, Sequence[str]], letter: str) -> int | None:
    """Return the size that throughput mode takes where the command gives none."""
    return None if letter in given else _DEFAULTS[letter]


def _apply(run: Run, match: re.Match[str]) -> None:
    what, text = match.lastgroup, match[match.lastgroup or 0]
    if what == "version":
        run.version = text
    elif what in ("unit", "mode"):
        run.unit = _UNITS.get(text, text)
    elif what == "direct":
        run.direct = True
    elif what == "once":
        run.retested = False
    elif what == "mix":
        run.read_mix = float(text)
    elif what == "file":
        run.file_size = int(text) * 1024
    elif what == "record":
        run.record = int(text) * 1024


def is_heading(text: str) -> bool:
    """Whether a line is the heading of a table that the command above may be of."""
    found = _HEADING.match(text[:200])
    return found is not None and not (DENIED.search(text) or _OTHERWISE.search(text))


def ends_table(text: str) -> bool:
    """Whether a line stands below a table: what ends a run, or begins another or its reports."""
    ended = _COMPLETE in text or _TITLE in text or any(word in text for word in _ENDS)
    return ended or is_complaint(text) or typed(text) is not None


def is_complaint(text: str) -> bool:
    """Whether iozone says in a line why it gave up."""
    return _BROKEN.match(text) is not None


def was_ended(text: str) -> bool:
    """Whether a line says that a signal ended the run: iozone, a terminal or a shell says so."""
    return "interrupted" in text or _SIGNAL.search(text) is not None


def word_on(line: Line, run: Run) -> Problem | None:
    """Return what to say about a line between two rows of a table."""
    return _word(line.text, line.number, run) if len(line.text) <= _LONGEST else None


def _word(text: str, number: int, run: Run) -> Problem | None:
    """Return what to say about a line in which iozone complains."""
    if is_complaint(text) and not run.complete:
        return run.refuse(number, f"found {text.strip()[:120]!r}, expected the results of iozone")
    if "\x00" in text:
        text = "found NUL characters: this part of the file was lost while it was written"
        return Problem(line=number, text=text, kind="note")
    if _DOUBT.search(text):
        return Problem(line=number, text=f"iozone says: {text.strip()[:120]}", kind="note")
    return None
