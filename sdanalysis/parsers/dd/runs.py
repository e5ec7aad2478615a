"""Which transfer lines of dd are results: not progress, and of a run's reports only the last."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import counted
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.dd.assignment import PROMPT, Turn, assign
from sdanalysis.parsers.dd.beside import LOOKED_BACK, Assignment, Place, Scripted
from sdanalysis.parsers.dd.commands import command_line
from sdanalysis.parsers.dd.ending import (
    MESSAGES,
    SIGNALLED_ABOVE,
    STOPPED,
    Run,
    end_above,
    is_same_run,
    judged,
)
from sdanalysis.parsers.dd.lines import (
    Figures,
    NothingCopiedError,
    Transfer,
    grows,
    is_announced,
    like_progress,
    read,
)
from sdanalysis.parsers.dd.parts import FOREIGN, by_host, counts_above, parted, unquoted, unwrapped
from sdanalysis.parsers.dd.repeats import again, marked, quoted_part, with_own
from sdanalysis.parsers.dd.scripts import filled_in, in_turn, scripts
from sdanalysis.parsers.dd.words import (
    counts,
    counts_nothing,
    full_record_size,
    has_figures,
    heading,
    is_aside,
    is_quiet,
    is_refusal,
    is_round,
    is_signal,
    message,
)

_CUT = "expected `<n> bytes (...) copied, <n> s, <n> MB/s` from dd"
_CUT_SHORT = re.compile(  # not behind `bytes` or a bracket's end, where any line may end
    r"(?<![\w.])[0-9]{4,20} byte?(?:(?<=e)s \([^()]{0,60}(?:\) c(?:o(?:p(?:ie?)?)?)?)?)?$"
)
_GLUED = re.compile(r"[kMGT]?B/s\s*$")
_FOREGROUND = re.compile(r"[$#%>] {0,2}fg(?: %?[0-9]{1,3})?\s*$")
_LEFT_OUT = re.compile(r"\W*(?:\.{3}|…|\bsnip\b)\W*")
_BEGUN = re.compile(r"\W*[0-9]+\+[0-9]+(?:\s|$)")
_COMMANDED_ABOVE = 5  # lines
_KERNEL = re.compile(r"\W*\[\s{0,6}[0-9]{1,9}\.[0-9]{6}\] ")  # a message of its own, with its time


class _Refused(NamedTuple):
    """A report that cannot be read: it ends its run all the same, and the turn of its command."""

    start: int
    place: int
    counts: tuple[int, int]

    @property
    def where(self) -> Place:
        """Where it stands: how much it copied is not known."""
        return Place(self.start, self.place, 0, self.counts, "")


def find(lines: Sequence[Line]) -> Iterator[Run | Problem]:
    """Yield the reports with status and command, and what cannot be read, by their lines."""
    told = parted(unquoted(lines))
    shown = [line for line in told if line.text.strip() and not is_aside(line.text)]
    shown = filled_in(by_host(shown))
    reports: list[Run | _Refused] = []
    spoken: set[int] = set()
    for index, line in enumerate(shown):
        reports += _without_rate(shown, index, reports[-1].place if reports else -1, spoken)
        if "B" not in line.text and "byt" not in line.text:
            continue  # in whatever language, a report has its bytes or B/s
        for found in _found(shown, index, reports, whole=line.number < lines[-1].number):
            spoken.add(index)
            if isinstance(found, Problem):
                yield found
            else:
                reports.append(found)
    signals = {index for index, line in enumerate(shown) if is_signal(line.text)}
    above: Run | None = None
    for run in _with_commands(shown, reports):
        yield again(run) if run.again else judged(shown, run, signals, above)
        above = run
    yield from _words_of_none(shown, spoken)


def _without_rate(
    shown: Sequence[Line], index: int, before: int, spoken: set[int]
) -> Iterator[_Refused]:
    """Yield the run above a line with another command or other counts that told no rate.

    `before` is the index of the last line of the report above it.
    """
    text = shown[index].text
    if not ("dd" in text and command_line(text)) and not counts(text):
        return
    for last in range(index - 1, max(before, index - LOOKED_BACK), -1):
        records = counts(shown[last].text)
        is_last = last and counts(shown[last - 1].text) and _are_last_counts(shown, last)
        if records and is_last and spoken.isdisjoint((last, last + 1)):
            yield _Refused(last - 1, last, records)
            return


def _found(
    shown: Sequence[Line], index: int, before: Sequence[Run | _Refused], *, whole: bool
) -> Iterator[Run | _Refused | Problem]:
    """Yield the report that ends in a line, or why there is none; `before` are those above it."""
    found = _report(shown, index, whole=whole)
    if found is None:
        return
    if isinstance(found, Run):
        yield found
        return
    runs = (report for report in before if isinstance(report, Run))
    if quoted := quoted_part(shown[index], runs):
        yield quoted
        return
    yield found
    if records := counts_above(shown, index):
        yield _Refused(index - len(records), index, records[-1])


def _report(shown: Sequence[Line], index: int, *, whole: bool) -> Run | Problem | None:
    line = shown[index]
    try:
        transfer = read(line, whole=whole)
    except SdAnalysisError as error:
        kind = "note" if isinstance(error, NothingCopiedError) else "error"
        return Problem(line.number, str(error), kind)
    above = counts_above(shown, index)
    last = index
    if transfer is None and (transfer := unwrapped(shown, index)):
        last = index + 1
    if transfer is None:
        cut = is_announced(line.text) or (len(above) == 2 and FOREIGN.search(line.text))
        cut = cut or (not (whole or above) and _CUT_SHORT.search(line.text))
        expected = _CUT if whole else f"{_CUT}, before the log ends"
        found = f"found {line.text.strip()[:200]!r}, {expected}"
        return Problem(line.number, found) if cut else None
    if counts_nothing(above):
        size = counted(transfer.size, "byte")
        text = f"found {size} and not one record that was read or written: no rate to read"
        return Problem(line.number, text, "note")
    has_counts = above or counts(transfer.before)
    if (_GLUED.search(transfer.before) or not has_counts) and (
        interim := _interim(shown, index, transfer)
    ):
        return interim
    start = index - len(above)
    status, why = end_above(shown[max(start - 1, 0) : index], line.text)
    return Run(
        transfer=transfer,
        first=shown[start].number,
        start=start,
        place=last,
        counts=above[-1] if above else None,
        begun=int(len(above) == 2 and sum(above[0]) == sum(above[1]) + 1),
        status=status,
        why=why,
        record_size=None if transfer.most else full_record_size(above, transfer.size),
    )


def _interim(shown: Sequence[Line], index: int, transfer: Transfer) -> Problem | None:
    """Return a word on a line that is progress; without record counts above, it may be.

    Before it waits for the medium dd writes one in a report's digits right behind the progress.
    """
    number, text = transfer.line
    if transfer.raw_unit == "bytes/sec":
        return None  # BSD's progress has other words
    may_be = like_progress(transfer)
    is_open = "iB" in text or transfer.time.value < 1  # its digits are those of both
    commanded = shown[max(index - _COMMANDED_ABOVE, 0) : index]
    is_asked = bool(may_be) or any("status=progress" in line.text for line in commanded)
    counted_at = _counts_below(shown, index, is_asked) if is_open or may_be else 0
    is_above = counted_at and (may_be or _can_come_to(transfer, shown[counted_at:]))
    if is_above or grows(transfer, shown[index + 1 : index + 2]):
        return Problem(number, "found progress, which is no result", "note")
    like = "" if _shows_none(shown, index) else may_be
    if _GLUED.search(transfer.before):
        like = "which stands behind progress"
    elif any(_is_flushing(line.text) for line in shown[max(index - 3, 0) : index]):
        like = "which a command with status=progress wrote before it waited for the medium"
    expected = "expected dd's record counts above its report"
    return Problem(number, f"found {text.strip()[:200]!r}, {like}, {expected}") if like else None


def _shows_none(shown: Sequence[Line], index: int) -> bool:
    """Tell whether the last command above a line, its own, did not ask for progress.

    Of several lines of figures below a command only a loop's are its own.
    """
    told = False
    for line in reversed(shown[max(index - _COMMANDED_ABOVE, 0) : index]):
        if "progress" in line.text:
            return False
        if asked := command_line(line.text):
            return asked.repeats or not told
        told = told or has_figures(line.text)
    return False


def _is_flushing(text: str) -> bool:
    """Tell whether a line asks for progress and for the medium to have all: dd reports before."""
    return "status=progress" in text and any(word in text for word in ("fsync", "fdatasync"))


def _counts_below(shown: Sequence[Line], index: int, is_asked: bool) -> int:
    """Return where a report's counts follow, at most behind what ended it and the kernel; else 0.

    Where progress was asked for others may have written a line between, if no run has ended there.
    """
    for place in range(index + 1, min(index + 1 + MESSAGES, len(shown))):
        text = shown[place].text
        if counts(text):
            return place
        if message(text) or _KERNEL.match(text) or STOPPED.search(text):
            continue
        if not is_asked or is_quiet(text) or command_line(text) or PROMPT.search(text):
            return 0
        if is_announced(text) or heading(text) or not any(map(str.isalnum, text)):
            return 0
    return 0


def _can_come_to(transfer: Transfer, below: Sequence[Line]) -> bool:
    """Tell whether progress can have come to the report below it: more bytes in more time.

    Before a second has passed dd writes none but that of all bytes, as it waits for the medium.
    """
    line = next((line for line in below[:3] if not counts(line.text)), None)
    try:
        later = read(line, whole=False) if line else None
    except SdAnalysisError:
        later = None
    if later is None:
        return True
    is_later = later.time.value + transfer.time.step >= transfer.time.value
    is_more = later.size > transfer.size and transfer.time.value >= 1
    return is_later and (is_more or later.size == transfer.size)


def _with_commands(shown: Sequence[Line], reports: Sequence[Run | _Refused]) -> list[Run]:
    """Return the reports with what their commands say; a run's reports but the last are running."""
    runs: list[Run] = []
    turn, since, is_refused = Turn(), 0, False
    scripted = _scripted(shown, [report.where for report in reports])
    told: dict[Figures, Run] = {}
    begun = Counter[int]()  # runs, by the number of their first line
    for report in reports:
        was_refused, is_refused = is_refused, isinstance(report, _Refused)
        if isinstance(report, _Refused):
            turn = assign(shown, report.where, since, turn, scripted)[1]
            since = report.place + 1
            continue
        held = report.record_size
        if runs and not was_refused and _continues(shown, runs[-1], report):
            held = held or runs[-1].record_size
            why = f"found a report that the one in line {report.transfer.line.number} continues"
            why = f"{why}, expected one a run: the last one counts"
            first, part, said = runs[-1].first, runs[-1].part, _still(runs[-1].said, report)
            runs[-1] = runs[-1]._replace(status="running", why=why)
        else:
            begun[first := report.first] += 1
            part = f"-{begun[first]}" if begun[first] > 1 else ""
            said, turn = assign(shown, report.where, since, turn, scripted)
        run = report._replace(first=first, part=part, said=said, record_size=held)
        runs.append(marked(shown, run, runs[-1] if runs else run, told))
        since = report.place + 1
    return with_own(shown, runs)


def _scripted(shown: Sequence[Line], places: Sequence[Place]) -> Scripted:
    pasted = scripts(shown) if places else []
    return Scripted(pasted, in_turn(shown, places, pasted))


def _still(said: Assignment, report: Run) -> Assignment:
    """Return what was said of a run's earlier report where it fits the later one, too."""
    command = said.command
    fits = command is None or command.fits(report.transfer.size, report.counts, report.begun)
    return said if fits else Assignment(why="found a command that cannot have copied so many bytes")


def _continues(shown: Sequence[Line], report: Run, later: Run) -> bool:
    """Tell whether a report is of the same run as the one before: SIGUSR1 or an error asked."""
    command, copied = report.said.command, sum(report.counts or ())
    above = shown[report.start - 1].text if report.start else ""
    is_failed = report.begun and message(above)  # to write what was read, which ends a run
    if is_failed or (command and copied and copied == command.blocks):
        return False
    between = shown[report.place + 1 : later.start]
    near = shown[max(report.start - SIGNALLED_ABOVE, 0) : later.start]
    if is_round(copied) and not any(is_signal(line.text) for line in near):
        return False  # at a signal's time it is hardly a number that somebody would ask for
    is_back = any(_FOREGROUND.search(line.text) for line in between)  # prose may stand before
    others = (line.text for line in between if not is_quiet(line.text) and not message(line.text))
    has_failed = report.status == "partial"  # and is told to go on: somebody left reports out
    return is_same_run(report, later) and (
        is_back or all(has_failed and _LEFT_OUT.fullmatch(text) for text in others)
    )


def _words_of_none(shown: Sequence[Line], spoken: set[int]) -> Iterator[Problem]:
    """Yield a word on record counts without a transfer line, and on runs that failed."""
    for index, line in enumerate(shown):
        if "+" not in line.text and "dd: " not in line.text:
            continue
        below = [item.text for item in shown[index + 1 : index + 3]]
        if counts(line.text):
            if spoken.isdisjoint((index, index + 1)) and _are_last_counts(shown, index):
                text = "found record counts and no transfer line after them: no rate to read"
                yield Problem(line.number, text, "note")
        elif (why := message(line.text)) and (
            is_refusal(line.text) or not any(counts(text) for text in below)
        ):
            yield Problem(line.number, f"found {why!r}, expected a report: dd printed none", "note")


def _are_last_counts(shown: Sequence[Line], index: int) -> bool:
    """Tell whether dd counted records in a line, and not in the next.

    In English, in two lines, or where the log is cut in them.
    """
    if index + 1 == len(shown):
        return bool(_BEGUN.match(shown[index].text))
    if counts(shown[index + 1].text):
        return False
    twice = index > 0 and counts(shown[index - 1].text) is not None
    return twice or any(words in shown[index].text for words in ("records in", "records out"))
