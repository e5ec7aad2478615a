"""Measurements of dd -> the same, with what the session around them says of the run.

dd prints neither direction nor block size, nor whether it waited for the medium. The command above
it says so, and so does a known script that ran it: its words and the number of bytes give it away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sdanalysis.codebook.measurement import Line, Measurement
from sdanalysis.parsers.dd.command import commands_in

NOT_FLUSHED = "not-flushed"
INFERRED = "inferred-op"
_FLUSHED = re.compile(r"\b(?:conv|oflag)=\S*(?:sync|direct)")


@dataclass(frozen=True, kw_only=True)
class Script:
    """A script that measures cards: how its log begins, and what its dd does."""

    name: str
    words: str
    size: int
    block_size: int


# Each writes with `conv=fsync`. The bytes are those of its `bs=` and `count=`.
SCRIPTS = (
    Script(
        name="microsd-benchmarks.sh of the Raspberry Pi Dramble (bs=8k count=50k)",
        words="Raspberry Pi Dramble microSD benchmarks",
        size=8 * 1024 * 50 * 1024,
        block_size=8 * 1024,
    ),
    Script(
        name="Storage.sh of PiBenchmarks (bs=4k count=80k)",
        words="Running dd tests ...",
        size=4 * 1024 * 80 * 1024,
        block_size=4 * 1024,
    ),
)


def completed(lines: Sequence[Line], measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the measurements, those of dd with what its command or its script says.

    A write that a known script made gets its op and block size and the remark `inferred-op`; one
    whose command does not wait for the medium (`conv=fsync`, `oflag=direct`) the remark
    `not-flushed`.
    """
    found = list(measurements)
    if not any(one.tool == "dd" for one in found):
        return found
    return [_completed(lines, one) if one.tool == "dd" else one for one in found]


def _completed(lines: Sequence[Line], one: Measurement) -> Measurement:
    if one.op == "copy":
        script = _script(lines, one)
        if script is None:
            return one
        remarks = (*one.remarks, INFERRED)
        return one._replace(op="write", block_size=script.block_size, direct=False, remarks=remarks)
    if one.op == "write" and not _flushed(lines, one):
        return one._replace(remarks=(*one.remarks, NOT_FLUSHED))
    return one


def _script(lines: Sequence[Line], one: Measurement) -> Script | None:
    for script in SCRIPTS:
        if one.file_size == script.size and any(
            script.words in line.text for line in lines[: one.line]
        ):
            return script
    return None


def _flushed(lines: Sequence[Line], one: Measurement) -> bool:
    for line in reversed(lines[: one.line]):
        if commands_in(line.text):
            return bool(_FLUSHED.search(line.text))
    return True
