"""A run of dd, and how it ended: at its end, in an error, by a signal, or not yet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.dd.beside import Assignment, Place
from sdanalysis.parsers.dd.commands import LOOP, command_line
from sdanalysis.parsers.dd.lines import Transfer
from sdanalysis.parsers.dd.words import counts, is_quiet, is_refusal, message, names_dd

STOPPED = re.compile(r"(?:^|B/s)\s*\^C\s*$")  # alone or behind progress, above the counts
_STATUS = re.compile(r"\bload: .{1,80}\bcmd: dd\b")  # what ^T of a BSD or a Mac prints
_DONE = re.compile(r"^\W*(?:[0-9]+\W*)?Done\b")
# What a manual says of the report below it: `When it is done you will see:`
_LAST_ONE = re.compile(
    r"\b(?:final|finished|completed?|(?:when|once|after) .{1,30}\b(?:done|ends|finishes|over))\b",
    re.I,
)
_NEAR = 3  # lines from the command of a pipe to its first report
_TOLD_ABOVE = 3  # lines
_SIGNAL = "found USR1 or INFO above it"
SIGNALLED_ABOVE = 30  # lines
MESSAGES = 6  # lines between progress and the counts


class Run(NamedTuple):
    """A transfer line with what stands around it: its run's first line, command and end.

    `start` and `place` are the indices of its first and last line, `counts` the records out,
    `begun` those that were read and not counted as written (dd has one block under way).
    `record_size`: what each of its full records held. `again`: the line of the report that it is a
    copy of, or 0.
    """

    transfer: Transfer
    first: int
    start: int
    place: int
    counts: tuple[int, int] | None = None
    begun: int = 0
    status: str = "measured"
    why: str = ""
    record_size: int | None = None
    said: Assignment = Assignment()
    part: str = ""
    again: int = 0

    @property
    def name(self) -> str:
        """A name that no other run of the log has: several may stand in a string of a program."""
        return f"{self.first}-dd{self.part}"

    @property
    def where(self) -> Place:
        """Where its report stands, and what it copied."""
        size, before = self.transfer.size, self.transfer.before
        return Place(self.start, self.place, size, self.counts, before, self.begun)


def end_above(before: Sequence[Line], text: str) -> tuple[str, str]:
    """Return how a run ended, by the lines from the one above its counts on, and why."""
    for line in before:
        if "^C" in line.text and (counts(line.text) or STOPPED.search(line.text)):
            return "interrupted", "found ^C: dd was interrupted, and the rate is that of a part"
        if _is_status(line.text):
            return "running", "found ^T: dd was asked for a report, and went on"
        if (why := message(line.text)) and not is_refusal(line.text):
            return "partial", f"found {why!r}: the rate is that of what was copied"
    return ("interrupted", "found ^C: dd was interrupted") if "^C" in text else ("measured", "")


def _is_status(text: str) -> bool:
    return "load:" in text and _STATUS.search(text) is not None


def judged(shown: Sequence[Line], run: Run, signals: set[int], above: Run | None) -> Run:
    """Return a run whose last report may be an interim one with what it is, and why.

    `above` is the report before, which may have answered a signal.
    """
    if run.status != "measured" or not (why := _unended(shown, run, signals, above)):
        return run
    gone_on = run.place + 1 < len(shown) and not why.startswith(_SIGNAL)
    return run._replace(status="partial" if gone_on else "running", why=why)


def _unended(shown: Sequence[Line], run: Run, signals: set[int], above: Run | None) -> str:
    """Say why a run had not come to its end at its last report; empty where it may have."""
    command, records = run.said.command, run.counts and sum(run.counts)
    if command and command.blocks and records == command.blocks:
        return ""
    above_it = range(run.place - SIGNALLED_ABOVE, run.place)
    asked = any(_is_asked(shown, index, run, above) for index in signals.intersection(above_it))
    if asked and not _has_ended(shown, run):
        return f"{_SIGNAL} and no sign that its run had ended"
    if command and command.endless and command.blocks is None:
        return "found a source without an end and no count=: an error or a signal ends such a run"
    if missing := _missing(run):
        return missing
    if run.begun and run.counts and run.counts[0] > 1 and not asked:
        near = shown[max(run.start - MESSAGES, 0) : run.start]
        found = f"{_SIGNAL}, " if any(_is_status(line.text) for line in near) else "found "
        return (
            f"{found}a record that was read and not written: the last write failed, or none ended"
        )
    return ""


def _has_ended(shown: Sequence[Line], run: Run) -> bool:
    """Tell whether a shell says below a report, or somebody above it, that its run was done."""
    if any(_DONE.search(line.text) for line in shown[run.place + 1 : run.place + 4]):
        return True
    told = reversed(shown[max(run.start - _TOLD_ABOVE, 0) : run.start])
    words = next((line.text for line in told if line.text.count(" ") > 1), "")
    return _LAST_ONE.search(words) is not None


def is_same_run(report: Run, later: Run) -> bool:
    """Tell whether a report continues another: more bytes, records and time, in equal records."""
    if report.counts is None or later.counts is None:
        return False
    (full, partial), (full_later, partial_later) = report.counts, later.counts
    seconds, seconds_later = report.transfer.time.value, later.transfer.time.value
    size, size_later = report.transfer.size, later.transfer.size
    more = full_later >= full and partial_later >= partial and later.counts != report.counts
    grew = size_later > size and seconds_later > seconds and more
    # of one size: full ones hold no more than all bytes, and full and partial ones no less
    alike = size * full_later <= size_later * (full + partial)
    return grew and alike and size_later * full <= size * (full_later + partial_later)


def _is_asked(shown: Sequence[Line], signal: int, run: Run, above: Run | None) -> bool:
    """Tell whether a signal is one to the dd of a run: it is named, or has begun and is under way.

    Else nothing stands between signal and report, or no command of dd below one above the signal.
    Where another run answered it, it is none, unless a loop sends it.
    """
    text, between = shown[signal].text, shown[signal + 1 : run.start]
    is_loop = LOOP.search(text) is not None
    other = above if above and above.counts and run.counts and above.place > signal else None
    if other and not is_loop and not is_same_run(other, run):
        return False
    if all(is_quiet(line.text) for line in between):
        return True
    begun = [index for index, line in enumerate(between) if command_line(line.text)]
    if names_dd(text):
        answered = begun and any(counts(line.text) for line in between[: begun[-1]])
        return is_loop or not answered
    before = shown[max(signal - SIGNALLED_ABOVE, 0) : signal]
    return not begun and any(command_line(line.text) for line in before)


def _missing(run: Run) -> str:
    """Say how much less was copied than was asked of a source without an end; empty: not less."""
    command = run.said.command
    if command is None or not (command.endless and command.block_size and command.blocks):
        return ""
    if run.counts and sum(run.counts):
        blocks = f"{sum(run.counts)} of the {command.blocks} blocks"
        return f"found {blocks} that its command asks for"
    size, asked = run.transfer.size, command.block_size * command.blocks
    if most := run.transfer.most:
        is_less, size = most < asked, most
    else:
        is_less = size < asked and size % command.block_size == 0  # short reads: no whole blocks
    return f"found {size} of the {asked} bytes that its command asks for" if is_less else ""


def stopped(lines: Sequence[Line], run: Run, above: Run | None) -> Run:
    """Return a run as interrupted where its report is right below that of its pipe's other dd."""
    if above is None or "^C" not in above.why or run.first != above.transfer.line.number + 1:
        return run
    near = [line.text for line in lines if above.first - _NEAR <= line.number <= above.first]
    asked = [found for found in map(command_line, near) if found and len(found.commands) > 1]
    is_whole = not asked or asked[-1].in_turn or run.status not in ("measured", "partial")
    return run if is_whole else run._replace(status="interrupted", why=above.why)
