"""Known scripts that measure cards with dd: their words and the bytes copied tell what dd did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line

NOT_FLUSHED = "not-flushed"
INFERRED = "inferred-op"


class Script(NamedTuple):
    """How a script's log begins, and the block size and the blocks of the write that it times.

    Each writes with `conv=fsync`, hence waits for the medium.
    """

    words: str
    block_size: int
    blocks: int


SCRIPTS = (
    # microsd-benchmarks.sh: bs=8k count=50k
    Script("Raspberry Pi Dramble microSD benchmarks", 8 * 1024, 50 * 1024),
    # Storage.sh of PiBenchmarks: bs=4k count=80k
    Script("Running dd tests ...", 4 * 1024, 80 * 1024),
)


def script_of(lines: Sequence[Line], number: int, size: int) -> Script | None:
    """Return the script whose write of so many bytes is told in the line of that number."""
    for script in SCRIPTS:
        if size == script.block_size * script.blocks and any(
            script.words in line.text for line in lines if line.number <= number
        ):
            return script
    return None
