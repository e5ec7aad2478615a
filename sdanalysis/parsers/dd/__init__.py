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
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.dd.commands import Request, request_of, requests
from sdanalysis.parsers.dd.lines import PROGRESS, Line, Report, lines_of, signals_of

# The runs of a log by the kinds of its lines (lines.py): a report, alone or below its counts; a
# command that was refused; counts without a report; an error without counts; and progress
_RUN = re.compile(r"c{0,2}r|f|c+?(?=ccr)|c+(?!r)|m(?!m*o?c)|p")
_NO_REPORT = "found record counts and no transfer line after them: no rate to read"
_NO_COUNTS = "found {!r}, as progress is, expected dd's record counts above its report"
_NO_RECORD = "found a report and not one record that was read or written: no rate to read"
_CONTINUED = "found a report that the one in line {} continues, expected one a run: the last counts"
# What scripts run below these words without its command: block size and blocks of a write that
# waits for the medium (microsd-benchmarks.sh; Storage.sh of PiBenchmarks until 2023, and since)
_SCRIPTS, _SCRIPT = {8192 * 51200: 8192, 4096 * 81920: 4096, 4096 * 133120: 4096}, "Running dd test"


class _Run(NamedTuple):
    """A report, none if its run failed, its records, and why it is no whole run's or is missing."""

    first: int
    line: int
    report: Report | None
    records: tuple[tuple[int, int], ...]
    status: str
    why: str

    @property
    def written(self) -> tuple[int, int]:
        """Full and partial records."""
        return self.records[-1] if self.records else (0, 0)

    @property
    def begun(self) -> int:
        """Count the records that were read and not written, of which a part may be: at most one."""
        return int(len(self.records) == 2 and sum(self.records[0]) == sum(self.written) + 1)

    @property
    def record_size(self) -> int | None:
        """The size of the full records, as many read as written, if one whole number fits.

        A partial one has at least one byte, and one less than a full one at most. Where it is the
        last one alone, and the full ones differ by 1.5 % at most, a power of two is meant.
        """
        full, partial = self.written
        if not (self.report and full and self.records == (self.written,) * 2):
            return None
        least = -(-(self.report.size + partial) // (full + partial))
        most = (self.report.size - partial) // full
        size = block_size_between(least, most) if partial == 1 else None
        return least if least == most else size


def parse(capture: Capture) -> Iterable[Item]:
    """Yield one measurement per report, none for progress; an interim report is `running`."""
    signals = signals_of(capture)
    lines = lines_of(capture, signals)
    for index, line in enumerate(lines):
        if line.report and lines[index - 1].kind != "c":
            lines[index] = _without_counts(capture, line, lines[index + 1 : index + 4])
    kinds = "".join(line.kind for line in lines)
    runs: list[list[_Run]] = []
    end = 0
    for match in _RUN.finditer(kinds):
        if match[0] == "p":
            yield lines[match.start()].problem
            continue
        run = _run(lines, *match.span())
        is_near = not kinds[end : match.start()].strip("m^")
        if runs and is_near and _continues(capture, runs[-1][-1], run):
            runs[-1].append(run)
        else:
            runs.append([run])
        end = match.end()
    of_runs = requests(capture, [reports[0].first for reports in runs], signals)
    for reports, (begin, request) in zip(runs, of_runs, strict=True):
        is_signalled = any(begin <= signal <= reports[0].first for signal in signals)
        yield from _rows(capture, reports, request, is_signalled)


def _without_counts(capture: Capture, line: Line, below: Sequence[Line]) -> Line:
    """Return a report without record counts; as progress if it is that."""
    # Before it waits for the medium dd writes one in a report's digits.
    command = capture.command_above(line.number)
    calls = command.of("dd") if command else ()
    is_shown = any(call.value("status") == "progress" for call in calls)
    report, again = line.report, below[-1].report
    is_same = not calls and again and report and again.size == report.size
    if not ((report and report.is_progress) or is_shown or is_same):
        return line
    is_above = any(other.kind == "c" for other in below)
    found = capture.lines[line.number - 1].strip()[:200]
    text = PROGRESS if is_above else _NO_COUNTS.format(found)
    return line._replace(kind="p", text=text, report=None, is_error=not is_above)


def _run(lines: Sequence[Line], start: int, end: int) -> _Run:
    above, first, last = lines[start - 1], lines[start], lines[end - 1]
    records = tuple(line.counts for line in lines[start:end] if line.kind == "c")
    report, status, why = last.report, "measured", ""
    if last.kind == "r" and report is None:
        status, why = last.problem.kind, last.text
    elif last.kind != "r":
        missing = f"found {last.text!r}, expected a report: dd printed none"
        status, why = "note", _NO_REPORT if last.kind == "c" else missing
    elif len(records) == 2 and not any(map(sum, records)):
        report, status, why = None, "note", _NO_RECORD
    elif any(line.is_interrupted for line in (above, *lines[start:end])):
        status, why = "interrupted", "found ^C: dd was interrupted, and the rate is that of a part"
    elif above.kind == "m":
        status, why = "partial", f"found {above.text!r}: the rate is that of what was copied"
    return _Run(first.number, last.number, report, records, status, why)


def _continues(capture: Capture, above: _Run, run: _Run) -> bool:
    """Tell whether a report is of the same run as the one above, which a signal asked for."""
    # That is more bytes, records and time; and above not a number of records that somebody would
    # ask for (64 or more, as 200, 512 or 3 x 256), or has.
    if not (above.report and run.report and above.records and run.records):
        return False
    (full, partial), (more, rest) = above.written, run.written
    copied = full + partial
    has_grown = run.report.size > above.report.size and run.report.seconds > above.report.seconds
    has_grown = has_grown and rest >= partial and more + rest > copied
    twos = copied & -copied
    is_round = copied >= 100 and len(str(copied).rstrip("0")) == 1
    if is_round or (twos >= 64 and copied // twos <= 7) or not has_grown:
        return False
    command = capture.command_above(above.first)
    return not command or all(request_of(call).blocks != copied for call in command.of("dd"))


def _unended(run: _Run, request: Request | None, is_signalled: bool) -> str:
    """Say why a run had not come to its end at its last report; empty where it may have."""
    records, blocks = sum(run.written), request.blocks if request else None
    if blocks and records == blocks:
        return ""
    if is_signalled:
        return "found USR1 or INFO above it and no sign that its run had ended"
    if request and request.is_endless and blocks is None:
        return "found a source without an end and no count=: an error or a signal ends such a run"
    is_short = run.records and records < (blocks or 0)
    if request and request.is_endless and request.block_size and is_short:
        return f"found {records} of the {blocks} blocks that its command asks for"
    if run.begun and run.written[0] > 1:
        return "found a record that was read and not written: the last write failed, or none ended"
    return ""


def _rows(
    capture: Capture, reports: Sequence[_Run], request: Request | None, is_signalled: bool
) -> Iterator[Item]:
    """Yield the measurement of each report of a run: all but the last are interim ones."""
    last = reports[-1]
    if last.report is None:
        yield Problem(last.line, last.why, last.status)
        return
    if request and not request.fits(last.report.size, last.written, last.begun):
        request = None
    below = capture.lines[last.line : last.line + 50]
    size = None
    for run, later in zip(reports, (*reports[1:], None), strict=True):
        size, status, why = run.record_size or size, run.status, run.why
        if later:
            status, why = "running", _CONTINUED.format(later.line)
        elif not why and (why := _unended(last, request, is_signalled)):
            status = "partial" if any(map(str.strip, below)) else "running"
        yield _row(capture, run._replace(first=reports[0].first, status=status), request, size)
        if run.report and run.report.doubt:
            yield Problem(run.line, run.report.doubt, "doubt")
        if why:
            yield Problem(run.line, why, "note")


def _row(capture: Capture, run: _Run, request: Request | None, size: int | None) -> Measurement:
    report, (full, partial) = run.report, run.written
    assert report
    block_size, remarks = size, ("inferred-block_size",) if size and partial else ()
    op, direct = (request.op, request.is_direct) if request else ("copy", None)
    if request and request.block_size:
        block_size, remarks = request.block_size, ()
    if partial > max(full, 1):  # as those from a pipe
        block_size, remarks = None, ()
    if request and op == "write" and not request.is_flushed:
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
