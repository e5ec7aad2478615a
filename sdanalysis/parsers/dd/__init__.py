"""dd's reports: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

Of bytes over seconds and the printed rate the value is what leaves less open: GNU's seconds carry
six digits and its rate two or three, uutils' seconds one decimal, BSD's rate all digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.parsers.dd.runs import Run, find

NOT_FLUSHED = "not-flushed"


class _Script(NamedTuple):
    """How a known script's log begins, and the block size and the blocks of the write it times.

    Each writes with `conv=fsync`, hence waits for the medium.
    """

    words: str
    block_size: int
    blocks: int


_SCRIPTS = (
    # microsd-benchmarks.sh: bs=8k count=50k
    _Script("Raspberry Pi Dramble microSD benchmarks", 8 * 1024, 50 * 1024),
    # Storage.sh of PiBenchmarks: bs=4k count=80k, later 130k
    _Script("Running dd tests ...", 4 * 1024, 80 * 1024),
    _Script("Running dd tests ...", 4 * 1024, 130 * 1024),
)


def parse(lines: Sequence[Line]) -> Iterable[Item]:
    """Yield one measurement per report, none for progress; an interim report is `running`.

    dd prints neither direction nor block size, nor whether it waited for the medium: the command
    above the report says so, or a known script that ran it; else op is `copy`.
    """
    for item in find(lines):
        if isinstance(item, Problem):
            yield item
            continue
        number, doubt = item.transfer.line.number, item.transfer.doubt
        yield _measurement(item, _said(lines, item))
        if doubt:
            yield Problem(number, doubt, "doubt")
        if item.status != "measured":
            yield Problem(number, item.why, "note")


def _said(lines: Sequence[Line], run: Run) -> dict[str, Any]:
    """Return what the command or the script of a run says of it, as fields of a measurement."""
    command, transfer = run.command, run.transfer
    if command is None or command.op == "copy":
        for script in _SCRIPTS:
            if transfer.size == script.block_size * script.blocks and any(
                script.words in line.text for line in lines if line.number <= transfer.line.number
            ):
                said = {"op": "write", "block_size": script.block_size, "direct": False}
                return {**said, "remarks": ("inferred-op",)}
    if command is None:
        return {"op": "copy"}
    remarks = (NOT_FLUSHED,) if command.op == "write" and not command.flushed else ()
    said = {"op": command.op, "block_size": command.block_size, "direct": command.direct}
    return {**said, "remarks": remarks}


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
        file_size=transfer.size,
        run=f"{run.first}-dd",
        name="rate",
        steps=(transfer.step,),
        **said,
    )
