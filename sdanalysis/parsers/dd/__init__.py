"""dd's reports: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

    <full>+<partial> records in      the block size, if all are full
    <full>+<partial> records out
    [<n> truncated records]
    <report>                         the unit: lines.py has its words by tool and language

Above the counts stand ^C, `dd: error writing ...` and what status=progress drew, which is no
result. At USR1 or INFO dd prints all of it, and goes on: such a report is `running`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sdanalysis.codebook.columns import NOT_FLUSHED
from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import block_size_between
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.dd import lines as dd
from sdanalysis.parsers.dd.commands import SIGNAL, Asked, asked_by, turns

_SIGNS = re.compile(r"B/|/s|copied|transferred|iB[)）]")
_DONE = re.compile(r"\W*(?:[0-9]+\W*)?Done\b")
_NEAR = 6  # lines from progress to the counts
_EXPECTED = "expected `<n> bytes (...) copied, <n> s, <n> MB/s`: save dd's own output"
_PROGRESS = "found progress, which is no result"
_CONTINUED = "found a report that the one in line {} continues, expected one a run: the last counts"
# What scripts run below these words without its command: block size and blocks of a write that
# waits for the medium (microsd-benchmarks.sh; Storage.sh of PiBenchmarks until 2023, and since)
_SCRIPTS, _SCRIPT = {8192 * 51200: 8192, 4096 * 81920: 4096, 4096 * 133120: 4096}, "Running dd test"


class _Token(NamedTuple):
    """What a line is: `counts`, a `report`, `nothing`, `refused`, a `message`, `^C`, or `other`.

    `text`: what is wrong with it, or with its run.
    """

    number: int
    kind: str
    text: str = ""
    counts: tuple[int, int] = (0, 0)
    report: dd.Report | None = None


class _Run(NamedTuple):
    """A report, none if its run failed, with the records read and written.

    `first` is the line of its counts; `status` and `why` tell that it is no whole run's.
    """

    first: int
    line: int
    report: dd.Report | None = None
    records: tuple[tuple[int, int], ...] = ()
    status: str = "measured"
    why: str = ""

    @property
    def begun(self) -> int:
        """Count the records that were read and not written, of which a part may be: at most one."""
        return int(len(self.records) == 2 and sum(self.records[0]) == sum(self.records[1]) + 1)

    @property
    def record_size(self) -> int | None:
        """The size of the full records, as many read as written, if one whole number fits.

        A partial one has at least one byte, and one less than a full one at most. Where it is the
        last one alone, and the full ones differ by 1.5 % at most, a power of two is meant.
        """
        full, partial = self.records[-1] if self.records else (0, 0)
        if not (self.report and full and self.records == (self.records[0],) * 2):
            return None
        least = -(-(self.report.size + partial) // (full + partial))
        most = (self.report.size - partial) // full
        size = block_size_between(least, most) if partial == 1 else None
        return least if least == most else size

    def fits(self, asked: Asked) -> bool:
        """Tell whether a command can have copied what the report says."""
        counts = self.records[-1] if self.records else (0, 0)
        return self.report is not None and asked.fits(self.report.size, counts, self.begun)


def parse(capture: Capture) -> Iterable[Item]:
    """Yield one measurement per report, none for progress; an interim report is `running`."""
    tokens = list(_tokens(capture.lines))
    runs: list[list[_Run]] = []
    since = 0  # the token behind the last report
    for index, token in enumerate(tokens):
        found = _found(capture, tokens, index)
        if isinstance(found, Problem):
            yield found
            found = None if "progress" in found.text else _Run(token.number, token.number)
        if found is None:
            continue
        between = {one.kind for one in tokens[since : index - len(found.records)]}
        if runs and between <= {"message", "^C"} and _continues(capture, runs[-1][-1], found):
            runs[-1].append(found)
        else:
            runs.append([found])
        since = index + 1
    by_first = {reports[0].first: reports for reports in runs}
    for turn in turns(capture, list(by_first)):
        for place, asked in zip(turn.places, turn.asked(), strict=True):
            last = by_first[place][-1]
            fits = asked if asked and last.fits(asked) else None
            if last.report:
                yield from _rows(capture, by_first[place], fits, turn.is_signalled)


def _tokens(lines: Sequence[str]) -> Iterator[_Token]:
    """Yield what the lines are that mean something to a run; of several others the first."""
    kind = ""
    for number, text in enumerate(lines, 1):
        token = _token(number, text, is_counted=kind == "counts")
        if token and not token.kind == kind == "other":
            kind = token.kind
            yield token
    yield _Token(len(lines) + _NEAR + 1, "other")


def _token(number: int, text: str, *, is_counted: bool) -> _Token | None:
    if "+" in text and (found := dd.COUNTS.match(text)):
        counts = int(found[1]), int(found[2])
        return _Token(number, "counts", "^C" if "^C" in text else "", counts)
    if not text or text.isspace() or (is_counted and dd.ASIDE.match(text)):
        return None
    if "dd: " in text and (found := dd.MESSAGE.match(text)):
        token = _Token(number, "refusal" if found["is_refusal"] else "message", found["why"])
        return None if found["is_warning"] else token
    if (is_counted or _SIGNS.search(text)) and (figures := _figures(number, text, is_counted)):
        return figures
    if SIGNAL.search(text) and "f=" not in text:
        return None
    return _Token(number, "^C" if text.rstrip().endswith("^C") else "other")


def _figures(number: int, text: str, is_counted: bool) -> _Token | None:
    """Return what a line is that may be a report."""
    try:
        if report := dd.report_in(text):
            return _Token(number, "report", "^C" if "^C" in text else "", report=report)
    except dd.NothingCopiedError as error:
        return _Token(number, "nothing", str(error))
    except SdAnalysisError as error:
        return _Token(number, "refused", str(error))
    if dd.BSD_PROGRESS.match(text):
        return _Token(number, "nothing", _PROGRESS)
    if dd.BEGUN.search(text) or (is_counted and dd.COUNTED.match(text)):
        return _Token(number, "refused", f"found {text.strip()[:200]!r}, {_EXPECTED}")
    return None


def _found(capture: Capture, tokens: Sequence[_Token], index: int) -> _Run | Problem | None:
    """Return the run whose last line a token is, or why there is none."""
    token = tokens[index]
    if token.report is None:
        why = _nothing(token, [one.kind for one in tokens[index + 1 : index + 3]])
        kind = "error" if token.kind == "refused" else "note"
        return Problem(token.number, why, kind) if why else None
    start = index
    while index - start < 2 and start and tokens[start - 1].kind == "counts":
        start -= 1
    records = tuple(one.counts for one in tokens[start:index])
    if len(records) == 2 and not any(map(sum, records)):
        why = "found a report and not one record that was read or written: no rate to read"
        return Problem(token.number, why, "note")
    if not records and (why := _interim(capture, tokens, index)):
        return Problem(token.number, why, "error" if "expected" in why else "note")
    run = _Run(tokens[start].number, token.number, token.report, records)
    above = tokens[start - 1] if start else token
    if "^C" in (above.kind, above.text, tokens[start].text, token.text):
        why = "found ^C: dd was interrupted, and the rate is that of a part"
        return run._replace(status="interrupted", why=why)
    if above.kind == "message":
        why = f"found {above.text!r}: the rate is that of what was copied"
        return run._replace(status="partial", why=why)
    return run


def _nothing(token: _Token, below: Sequence[str]) -> str:
    """Say why a line of a run is the last one, and leaves no report; empty where it is not."""
    if token.kind in ("nothing", "refused"):
        return token.text
    if token.kind == "counts" and below[0] in ("other", "message", "refusal", "^C"):
        return "found record counts and no transfer line after them: no rate to read"
    if token.kind == "refusal" or (token.kind == "message" and "counts" not in below):
        return f"found {token.text.rstrip()!r}, expected a report: dd printed none"
    return ""


def _interim(capture: Capture, tokens: Sequence[_Token], index: int) -> str:
    """Say why a line without record counts is progress; empty where it is a report.

    Before it waits for the medium dd writes one in a report's digits.
    """
    (number, *_, report), below = tokens[index], tokens[index + 1 : index + 4]
    assert report
    counted = [one for one in below if one.kind == "counts" and one.number - number <= _NEAR]
    again = below[2].report if len(counted) == 2 and len(below) == 3 else None
    is_asked = any("status=progress" in text for text in capture.lines[max(number - 4, 0) : number])
    if not report.progress and not is_asked and not (again and again.size == report.size):
        return ""
    if counted:
        return _PROGRESS
    text, why = capture.lines[number - 1].strip()[:200], report.progress
    why = why or "which dd wrote before it waited for the medium"
    return f"found {text!r}, {why}, expected dd's record counts above its report"


def _continues(capture: Capture, above: _Run, run: _Run) -> bool:
    """Tell whether a report is of the same run as the one above, which a signal asked for.

    That is more bytes, records and time, in records of one size; and above not a number of records
    that somebody would ask for (64 or more, as 200, 512 or 3 x 256), or has.
    """
    if not (above.report and run.report and above.records and run.records):
        return False
    (full, partial), (full_later, partial_later) = above.records[-1], run.records[-1]
    size, later, copied = above.report.size, run.report.size, full + partial
    grew = later > size and run.report.seconds > above.report.seconds
    grew = grew and full_later >= full and partial_later >= partial
    # of one size: full ones hold no more than all bytes, and full and partial ones no less
    alike = size * full_later <= later * copied
    alike = alike and later * full <= size * (full_later + partial_later)
    twos = copied & -copied
    is_round = len(str(copied).rstrip("0")) == 1 and copied >= 100
    if not (grew and alike) or is_round or (twos >= 64 and copied // twos in (1, 3, 5, 7)):
        return False
    command = capture.command_above(above.first)
    return not command or all(asked_by(call).blocks != copied for call in command.of("dd"))


def _unended(run: _Run, asked: Asked | None, is_signalled: bool) -> str:
    """Say why a run had not come to its end at its last report; empty where it may have."""
    records = sum(run.records[-1]) if run.records else 0
    if asked and asked.blocks and records == asked.blocks:
        return ""
    if is_signalled:
        return "found USR1 or INFO above it and no sign that its run had ended"
    if asked and asked.is_endless and asked.blocks is None:
        return "found a source without an end and no count=: an error or a signal ends such a run"
    if asked and asked.is_endless and asked.block_size and 0 < records < (asked.blocks or 0):
        return f"found {records} of the {asked.blocks} blocks that its command asks for"
    if run.begun and run.records[-1][0] > 1:
        return "found a record that was read and not written: the last write failed, or none ended"
    return ""


def _rows(
    capture: Capture, reports: Sequence[_Run], asked: Asked | None, is_signalled: bool
) -> Iterator[Item]:
    """Yield the measurement of each report of a run: all but the last are interim ones."""
    last, held = reports[-1], None
    below = capture.lines[last.line : last.line + 50]
    is_signalled = is_signalled and not any(map(_DONE.match, below[:3]))
    for run, later in zip(reports, (*reports[1:], None), strict=True):
        held, status, why = run.record_size or held, run.status, run.why
        if later:
            status, why = "running", _CONTINUED.format(later.line)
        elif not why and (why := _unended(last, asked, is_signalled)):
            status = "partial" if any(map(str.strip, below)) else "running"
        yield _row(capture, run._replace(first=reports[0].first, status=status), asked, held)
        if run.report and run.report.doubt:
            yield Problem(run.line, run.report.doubt, "doubt")
        if why:
            yield Problem(run.line, why, "note")


def _row(capture: Capture, run: _Run, asked: Asked | None, held: int | None) -> Measurement:
    report, (full, partial) = run.report, run.records[-1] if run.records else (0, 0)
    assert report
    block_size, remarks = held, ("inferred-block_size",) if held and partial else ()
    op, direct = (asked.op, asked.is_direct) if asked else ("copy", None)
    if asked and asked.block_size:
        block_size, remarks = asked.block_size, ()
    if partial > max(full, 1):  # as those from a pipe
        block_size, remarks = None, ()
    if asked and op == "write" and not asked.is_flushed:
        remarks = (NOT_FLUSHED, *remarks)
    near = capture.lines[max(run.first - 4, 0) : run.first] if op == "copy" else ()
    if full and report.size in _SCRIPTS and any(_SCRIPT in text for text in near):
        op, direct, block_size, remarks = "write", False, _SCRIPTS[report.size], ("inferred-op",)
    return Measurement(
        *(run.line, report.column, op, "bandwidth", "single", *report.figure[:5]),
        unit=None if report.steps else report.figure.unit,
        tool="dd",
        block_size=block_size,
        file_size=report.size,
        direct=direct,
        run=f"{run.first}-dd",
        status=run.status,
        remarks=remarks,
        name="rate",
        steps=report.steps,
    )
