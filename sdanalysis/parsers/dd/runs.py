"""Which transfer lines of dd are results: not progress, and of a run's reports only the last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.dd.lines import TAIL, Command, Transfer, commands_in, is_announced, read

# `5120+0 records out` in any language; the words may stand on either side.
_COUNTS = re.compile(r"(?<![0-9.+=])(?P<full>[0-9]{1,18})\+(?P<partial>[0-9]{1,18})(?![0-9.+])")
_ASIDE = re.compile(r"\s*[0-9]+ (?:truncated|odd length)\b")
_MESSAGE = re.compile(r"^\W*(?:busybox |\S{0,40}/)?dd: (?![Ww]arn)(?P<why>.*\S)")
_FOREIGN = re.compile(r"^\W*[0-9][0-9 .,']*\s?[^\W\d_]+\s?[(（][^)]*B|,\s?Infinity B/s")
_WORDS = ("copied", "transferred in", "dd: ")  # what dd says in English
_CUT = "expected `<n> bytes (...) copied, <n> s, <n> MB/s` from dd"
_ALONE = "whose whole seconds are those of progress, expected dd's record counts above its report"
_LOOKED_BACK = 15  # lines between a command and its report: longer ago it may be another's


class Run(NamedTuple):
    """A transfer line with what stands around it: its run's first line, command and end."""

    transfer: Transfer
    first: int
    place: int
    counts: tuple[int, int] | None = None
    status: str = "measured"
    why: str = ""
    command: Command | None = None


def find(lines: Sequence[Line]) -> Iterator[Run | Problem]:
    """Yield the reports with status and command, and what cannot be read, by their lines."""
    if not _may_hold([line.text for line in lines]):
        return
    shown = [line for line in lines if line.text.strip() and not _ASIDE.match(line.text)]
    reports: list[Run] = []
    for index, line in enumerate(shown):
        if "B" not in line.text and "byte" not in line.text:
            continue  # in whatever language, a report has its bytes or B/s
        found = _report(shown, index, line)
        if isinstance(found, Run):
            reports.append(found)
        elif found:
            yield found
    yield from _with_commands(shown, _without_interim(shown, reports))
    yield from _words(shown, {report.place for report in reports})


def _may_hold(texts: Sequence[str]) -> bool:
    """Tell cheaply whether a log may hold dd's reports or messages: most logs hold neither."""
    whole = "\n".join(texts)
    return (
        any(word in whole for word in _WORDS)
        or ("B/" in whole and any(TAIL.search(text) for text in texts if "B/" in text))
        or ("+" in whole and any(_COUNTS.search(text) for text in texts if "+" in text))
    )


def _counts(text: str) -> re.Match[str] | None:
    return _COUNTS.search(text) if "+" in text else None


def _report(shown: Sequence[Line], index: int, line: Line) -> Run | Problem | None:
    try:
        transfer = read(line)
    except SdAnalysisError as error:
        return Problem(line.number, str(error))
    above = _counts_above(shown, index)
    if transfer is None:
        cut = is_announced(line.text) or (len(above) == 2 and _FOREIGN.search(line.text))
        return Problem(line.number, f"found {line.text.strip()[:200]!r}, {_CUT}") if cut else None
    if not above and not _counts(line.text):
        below = shown[index + 1 : index + 2]
        if any(_counts(item.text) for item in below):
            return Problem(line.number, "found progress, which is no result", "note")
        if _is_like_progress(transfer):
            return Problem(line.number, f"found {line.text.strip()[:200]!r}, {_ALONE}")
    first = index - len(above)
    status, why = _end(shown[max(first - 1, 0) : index], transfer.line.text)
    counts = _counts(above[0].text) if above else None
    records = (int(counts["full"]), int(counts["partial"])) if counts else None
    return Run(transfer, shown[first].number, index, records, status, why)


def _counts_above(shown: Sequence[Line], index: int) -> list[Line]:
    """Return the record counts right above a line: out, then in."""
    found: list[Line] = []
    for line in reversed(shown[max(index - 2, 0) : index]):
        if not _counts(line.text):
            break
        found.append(line)
    return found


def _is_like_progress(transfer: Transfer) -> bool:
    """Tell whether the seconds are such as progress shows, from one second on.

    Whole ones (coreutils 8.28), six decimals (8.24, which are more digits than a report's `%g`
    gives) or one decimal (uutils).
    """
    whole, _, fraction = transfer.seconds.replace(",", ".").partition(".")
    if transfer.time.value < 1 or "e" in transfer.seconds:
        return False
    if transfer.raw_unit == "bytes/sec" or "bytes transferred in" in transfer.line.text:
        return False  # BSD's progress has other words
    busybox = "seconds" in transfer.line.text and len(fraction) == 6
    return not busybox and (len(fraction) < 2 or len(whole + fraction) > 6)


def _end(before: Sequence[Line], text: str) -> tuple[str, str]:
    """Return how a run ended, by the lines from the one above its counts on, and why."""
    for line in before:
        if "^C" in line.text and _counts(line.text):
            return "interrupted", "found ^C: dd was interrupted, and the rate is that of a part"
        if message := _message(line.text):
            return "partial", f"found {message['why']!r}: the rate is that of what was copied"
    return ("interrupted", "found ^C: dd was interrupted") if "^C" in text else ("measured", "")


def _without_interim(shown: Sequence[Line], reports: Sequence[Run]) -> list[Run]:
    """Return the reports; those that SIGUSR1 or a read error called for have status `running`."""
    marked = list(reports)
    for place, (report, later) in enumerate(pairwise(reports)):
        between = shown[report.place + 1 : later.place - 2]
        if _is_same_run(report, later) and all(_is_quiet(line.text) for line in between):
            found = f"found a report that the one in line {later.transfer.line.number} continues"
            why = f"{found}, expected one a run: the last one counts"
            marked[place] = marked[place]._replace(status="running", why=why)
            marked[place + 1] = later._replace(first=marked[place].first)
    return marked


def _is_quiet(text: str) -> bool:
    return bool(_message(text) or _counts(text)) or "copied," in text


def _message(text: str) -> re.Match[str] | None:
    return _MESSAGE.match(text) if "dd: " in text else None


def _is_same_run(report: Run, later: Run) -> bool:
    """Tell whether a report continues another: more bytes, records and time, in equal records."""
    if report.counts is None or later.counts is None:
        return False
    (full, partial), (full_later, partial_later) = report.counts, later.counts
    seconds, seconds_later = report.transfer.time.value, later.transfer.time.value
    size, size_later = report.transfer.size, later.transfer.size
    grew = size_later > size and seconds_later > seconds and full_later >= full
    alike = partial or partial_later or Decimal(size) * full_later == Decimal(size_later) * full
    return bool(grew and alike)


def _with_commands(shown: Sequence[Line], reports: Sequence[Run]) -> Iterator[Run]:
    """Yield the reports with the commands that were pasted above them, each used once."""
    pending: list[Command] = []
    seen, since = 0, 0
    for report in reports:
        for index in range(seen, report.place):
            if commands := commands_in(_whole_command(shown, index)):
                pending, since = commands, index
        seen = report.place + 1
        command = pending[0] if pending and report.place - since <= _LOOKED_BACK else None
        if command and report.status != "running":
            since = report.place
            if not command.repeats:
                pending = pending[1:]
        if command and not command.fits(report.transfer.size, report.counts):
            command = None
        yield report._replace(command=command)


def _whole_command(shown: Sequence[Line], index: int) -> str:
    r"""Return a line with those that a backslash at its end joins to it."""
    text = shown[index].text
    if "\\" not in text:
        return text
    for line in shown[index + 1 : index + 5]:
        if not text.rstrip().endswith("\\"):
            break
        text = f"{text.rstrip()[:-1]} {line.text}"
    return text


def _words(shown: Sequence[Line], reported: set[int]) -> Iterator[Problem]:
    """Yield a word on record counts without a transfer line, and on runs that failed."""
    for index, line in enumerate(shown):
        if "+" not in line.text and "dd: " not in line.text:
            continue
        below = [item.text for item in shown[index + 1 : index + 3]]
        if "records out" in line.text and _counts(line.text):
            if index + 1 not in reported and not is_announced("".join(below[:1])):
                text = "found record counts and no transfer line after them: no rate to read"
                yield Problem(line.number, text, "note")
        elif (message := _message(line.text)) and not any(map(_counts, below)):
            text = f"found {message['why']!r}, expected a report: dd printed none"
            yield Problem(line.number, text, "note")
