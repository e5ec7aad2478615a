"""dd's reports: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

Of bytes over seconds and the printed rate the value is what leaves less open: GNU's seconds carry
six digits and its rate two or three, uutils' seconds one decimal, BSD's rate all digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.parsers.dd.runs import Report, find


def parse(lines: Sequence[Line]) -> Iterable[Measurement | Problem]:
    """Yield one measurement per report, none for progress; an interim report is `running`.

    The direction is not in dd's output: op is `copy` unless the command stands above the report.
    """
    for item in find(lines):
        if isinstance(item, Problem):
            yield item
            continue
        yield _measurement(item)
        if item.transfer.doubt:
            yield Problem(line=item.transfer.line.number, text=item.transfer.doubt, kind="doubt")
        if item.status != "measured":
            yield Problem(line=item.transfer.line.number, text=item.why, kind="note")


def _measurement(report: Report) -> Measurement:
    transfer, command = report.transfer, report.command
    value, low, high = transfer.value
    return Measurement(
        line=transfer.line.number,
        column=transfer.column,
        tool="dd",
        op=command.op if command else "copy",
        metric="bandwidth",
        raw=transfer.rate,
        raw_unit=transfer.raw_unit,
        value=value,
        value_low=low,
        value_high=high,
        status=report.status,
        block_size=command.block_size if command else None,
        file_size=transfer.size,
        direct=command.direct if command else None,
        run=f"{report.first}-dd",
        name="rate",
        steps=(transfer.step,),
    )
