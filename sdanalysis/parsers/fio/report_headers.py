"""What stands above the blocks of a run in fio's report for people: headers, and files laid out.

name: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=libaio, iodepth=64
...                                                                       more jobs of it
name: Laying out IO file (1 file / 1024MiB)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions, Sizes, common, count, depth

CLIENT = r"\s*+(?:<[^<>\s]{1,200}> *)?"  # fio's own prefix: whose report it is
HEADER = re.compile(
    CLIENT + r"(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<mode>[a-z]+)[^,]*, ?"
    r"bs=(?P<sizes>.*), ?ioengine=(?P<engine>[^,]*), ?iodepth=(?P<depth>\d{1,9})\b",
    re.ASCII,
)
# a range of one size; the development versions of 2.17 part them with commas, those before with /
_SIZE = re.compile(
    r" ?(?:\([RWT]\) )?((\d{1,15})(?:\.0+)?([KMG]i?(?=B?)|[kmg](?!B)|)B?)-\1", re.ASCII
)
_LAID = re.compile(
    r"\s*+(?P<name>\S.{0,200}?): Laying out IO file(?:\(s\))? "
    r"\(1 file(?:\(s\))? / (?P<size>\d{1,9})Mi?B\)",
    re.ASCII,
)
_ROUND = {8, 16, 32, 64, 128, 256, *(digit * 10**n for digit in range(1, 10) for n in range(1, 9))}


class Header(NamedTuple):
    """The header of a job; below it `...` where more of it run."""

    line: int
    group: int
    name: str
    known: Conditions
    has_more: bool


def header_of(line: int, match: re.Match[str], known: Conditions, *, has_more: bool) -> Header:
    """Return a header, with what is asked of its job unless it contradicts that."""
    mode, sizes = match["mode"], _block_sizes(match["sizes"], known.kb_base)
    own = Conditions(mode, sizes, iodepth=depth(match["engine"], count(match["depth"])))
    known = (known if known.fits(own) else UNKNOWN)._replace(
        mode=mode, block_sizes=sizes, iodepth=own.iodepth
    )
    if mode not in ("rw", "randrw"):
        known = known._replace(read_mix=None)
    return Header(line, int(match["group"]), match["name"], known, has_more)


@lru_cache(maxsize=64)  # the jobs of a folder's logs have a few
def _block_sizes(text: str, base: int) -> Sizes:
    """Return the sizes for reads, writes and trims, None for a range or a rounded size.

    `4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say.
    """
    sizes: list[int | None] = []
    for match in map(_SIZE.fullmatch, re.split("[/,]", text)):
        number, prefix = match.groups()[1:] if match else ("", "")
        step = KIB if prefix.endswith("i") or base == KIB else 1000
        power = " KMG".index(prefix[:1].upper() or " ")
        sizes.append(int(number) * int(step**power) if match else None)
    read, write, trim = [*sizes, None, None][:3]
    return read, write, trim


@dataclass(slots=True)
class Run:
    """What the lines above the blocks of a run say of it, and how far its reports have come."""

    begin: int = 0  # index of its first job
    line: int = 0
    version: str | None = None
    is_stopped: bool = False
    headers: list[Header] = field(default_factory=list)
    laid: set[tuple[str, int]] = field(default_factory=set)  # jobs and the sizes of their files
    started: int | None = None  # processes
    state: int = 0  # which of its reports (`--status-interval`)
    totals: int = 0  # the line of the last ones

    def conditions(
        self, name: str, group: int, jobs: int, blocks: Sequence[Job]
    ) -> Conditions | None:
        """Return the conditions of a block; one of several processes is the sum of its group."""
        own = [header.known for header in self.headers if header.name == name]
        if own and jobs > 1:
            return common([one.known for one in self.headers if one.group == group] or own)
        place = sum(job.name == name for job in blocks)
        return own[place] if place < len(own) else common(own) if own else None

    def processes(self, name: str, group: int, known: Conditions) -> tuple[int | None, bool]:
        """Return how many processes are said to run a test, and whether they are several."""
        alike = [one for one in self.headers if (one.group, one.known) == (group, known)]
        names, is_open = {one.name for one in self.headers}, any(one.has_more for one in alike)
        asked = known.numjobs
        if asked is None and alike and not is_open:
            asked = len(alike)
        elif asked is None and len(names) == 1:
            asked = self.started
        return asked, is_open or len(alike) > 1 if name in names else (asked or 1) > 1

    def lay_out(self, line: str) -> None:
        """Take the line of a file that is laid out.

        fio leaves out what is less than a MiB: a size that was asked for is a round number.
        """
        match = _LAID.match(line)
        size = int(match["size"]) if match else 0
        if match and size and (size in _ROUND or size % 512 == 0):
            self.laid.add((match["name"], size << 20))

    def file_size(self, name: str) -> int | None:
        """Return the size of the file of a job, if all files are of that size."""
        sizes = {size for _, size in self.laid}
        return max(sizes) if len(sizes) == 1 and (name, *sizes) in self.laid else None
