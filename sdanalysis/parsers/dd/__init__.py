"""dd's reports: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

Of bytes over seconds and the printed rate the value is what leaves less open: GNU's seconds carry
six digits and its rate two or three, uutils' seconds one decimal, BSD's rate all digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sdanalysis.codebook.columns import NOT_FLUSHED
from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.codebook.units import counted
from sdanalysis.parsers.dd.words import TAIL, may_be_in

if TYPE_CHECKING:  # the rest is imported for a log of dd: its patterns take longer than the log
    from sdanalysis.parsers.dd.ending import Run


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield one measurement per report, none for progress; an interim report is `running`.

    dd prints neither direction nor block size, nor whether it waited for the medium: the command
    above the report says so, a known script that ran it or a heading; else op is `copy`.
    """
    if not may_be_in([line.text for line in lines]):
        return
    from sdanalysis.parsers.dd.ending import stopped
    from sdanalysis.parsers.dd.runs import find

    above: Run | None = None
    for item in find(lines):
        if isinstance(item, Problem):
            yield item
            continue
        above = run = stopped(lines, item, above)
        number, doubt = run.transfer.line.number, run.transfer.doubt
        yield _measurement(run, _said(lines, run))
        if doubt:
            yield Problem(number, doubt, "doubt")
        if others := _others_beside(run.transfer.line.text):
            yield Problem(number, f"found {others} in a row of a table: only one is read", "note")
        if run.status != "measured":
            yield Problem(number, run.why, "note")
        if why := run.said.why:
            unknown = "what else it was asked for" if run.said.op else "which way it copied"
            yield Problem(number, f"{why}: {unknown} is not known", "note")


def _others_beside(text: str) -> str:
    """Return how many reports stand in the cells of a line; empty where it is one."""
    cells = [cell for cell in text.split("|") if TAIL.search(cell)] if "|" in text else []
    return counted(len(cells), "report") if len(cells) > 1 else ""


def _said(lines: Sequence[Line], run: Run) -> dict[str, Any]:
    """Return what the command or the script of a run says of it, as fields of a measurement."""
    from sdanalysis.parsers.dd.scripts import known_script

    command = run.said.command
    is_open = command is None or command.op == "copy"
    if script := known_script(lines, run) if is_open else None:
        said = {"op": script.op, "block_size": script.block_size, "direct": False}
        return {**said, "remarks": ("inferred-op",)}
    # as many records out as in: dd's own count of blocks may leave no doubt of their size
    block_size = run.record_size if run.said.block_size is None else run.said.block_size
    if _has_short_records(run):
        block_size = None
    inferred = ("inferred-block_size",) if block_size and _is_inferred(run) else ()
    if command is None:
        remarks = ("inferred-op", *inferred) if run.said.op else inferred
        return {"op": run.said.op or "copy", "block_size": block_size, "remarks": remarks}
    said = {"op": command.op, "direct": command.direct, "block_size": block_size}
    doubts = (NOT_FLUSHED,) if command.op == "write" and not command.flushed else ()
    return {**said, "remarks": (*doubts, *inferred)}


def _has_short_records(run: Run) -> bool:
    """Tell whether most records held fewer bytes than asked for, as those from a pipe do."""
    full, partial = run.counts or (0, 0)
    return partial > max(full, 1)


def _is_inferred(run: Run) -> bool:
    """Tell whether the size of a block is known from the counts alone, of which one is partial."""
    return run.said.block_size is None and bool(run.counts and run.counts[1])


def _size(run: Run) -> int | None:
    """Return how much was copied; where that is rounded, what the command asks for if it fits."""
    least, most, command = run.transfer.size, run.transfer.most, run.said.command
    if not most:
        return least
    asked = command.asked if command else 0
    return asked if least <= asked <= most else None


def _measurement(run: Run, said: dict[str, Any]) -> Measurement:
    transfer = run.transfer
    value, low, high = transfer.value
    return Measurement(
        line=transfer.line.number,
        column=transfer.column,
        tool="dd",
        metric="bandwidth",
        raw=transfer.rate,
        raw_unit=transfer.raw_unit,
        value=value,
        value_low=low,
        value_high=high,
        status=run.status,
        file_size=_size(run),
        run=run.name,
        name="rate",
        steps=(transfer.step,),
        **said,
    )
