"""LemonBench and its copies: ` 10MB-4K Block  13.2 MB/s (3218 IOPS, 0.80s)  12.8 MB/s (3127 IO`.

Each test writes a file with `dd bs=4k count=2560 oflag=direct`, then reads it with `iflag=direct`:
10MB are 10 MiB, 1GB are 1000 MiB. Its IOPS are the count over dd's time, and wrong from 10,000 on
(`0.06 IOPS`, thousand over them).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.codebook.units import KIB, MIB
from sdanalysis.parsers.scripts.row import DD_RATE, MARGIN, note, place, row

SCRIPT = "LemonBench"
BEGINS = re.compile(r"(?<!\w)(?:10MB|100MB|1GB|1000MB)-(?:4K|1M)(?: Block|块)")
_SIZES = {"10MB": 10 * MIB, "100MB": 100 * MIB, "1GB": 1000 * MIB, "1000MB": 1000 * MIB}
_BLOCKS = {"4K": 4 * KIB, "1M": MIB}
_CELL = (
    r"[\s|]{{1,40}}(?P<{0}>[^|()]{{1,20}}) \([0-9.]{{1,12}} ?K? IOPS, [0-9.]{{1,12}} ?[s秒]\)\)?"
)
_ROW = re.compile(
    rf"{MARGIN}(?P<size>{'|'.join(_SIZES)})-(?P<block>{'|'.join(_BLOCKS)})(?: Block|块)"
    rf"{_CELL.format('write')}{_CELL.format('read')}"
)
_WORD = "found IOPS that the script makes of dd's time: not read"


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the two rates of each test."""
    last = -2
    for line in lines:
        if match := _ROW.match(line.text):
            if line.number - last > 1:
                yield note(line, _WORD)
            last = line.number
            yield from _rates(line, match)
        elif BEGINS.match(line.text.strip(" |")):
            expected = "expected `<n> MB/s (<n> IOPS, <n>s)` of a write and a read"
            yield note(line, f"found a test of {SCRIPT} without its figures, {expected}")


def _rates(line: Line, match: re.Match[str]) -> Iterator[Item]:
    for way in ("write", "read"):
        rate = DD_RATE.fullmatch(line.text, *match.span(way))
        if rate is None:
            yield note(line, f"found {match[way]} in a summary of {SCRIPT}, expected a rate of dd")
            continue
        said: dict[str, Any] = {"tool": "dd", "op": way, "script": SCRIPT, "direct": True}
        said |= {"block_size": _BLOCKS[match["block"]], "file_size": _SIZES[match["size"]]}
        yield row(
            line, rate, "rate", ("dd", rate["unit"]), {**said, "run": f"{place(line)}-dd-{way}"}
        )
