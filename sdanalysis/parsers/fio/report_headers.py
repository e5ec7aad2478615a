"""What stands above the blocks of a run in fio's report for people: headers, and files laid out.

name: (g=0): rw=randread, bs=(R) 4096B-4096B, ..., ioengine=libaio, iodepth=64
...                                                                       more jobs of it
name: Laying out IO file (1 file / 1024MiB)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Job
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions, Sizes, common, count, depth

_ONE_SIZE = r"(\d{1,15})(?:\.0+)?([KMG]i?(?=B?)|[kmg](?!B)|)B?"
_SIZES = re.compile(f"{_ONE_SIZE}-{_ONE_SIZE}", re.ASCII)
CLIENT = r"\s*+(?:<[^<>\s]{1,200}> *)?"  # fio's own prefix: whose report it is
HEADER = re.compile(
    CLIENT + r"(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<mode>[a-z]+)[^,]*, ?"
    r"bs=(?P<sizes>.*), ?ioengine=(?P<engine>[^,]*), ?iodepth=(?P<depth>\d{1,9})\b",
    re.ASCII,
)
_LAID = re.compile(
    r"\s*+(?P<name>\S.{0,200}?): Laying out IO file(?:\(s\))? "
    r"\(1 file(?:\(s\))? / (?P<size>\d{1,9})Mi?B\)",
    re.ASCII,
)


@dataclass(slots=True)
class Run:
    """What the lines above the blocks of a run say of it, and how far its reports have come."""

    begin: int = 0  # index of its first job
    line: int = 0
    version: str | None = None
    is_stopped: bool = False
    headers: dict[str, list[Conditions]] = field(default_factory=dict)
    announced: list[tuple[int, int, str]] = field(default_factory=list)  # line, group, name
    counts: Counter[tuple[int, Conditions]] = field(default_factory=Counter)  # by group, test
    open_counts: set[tuple[int, Conditions]] = field(default_factory=set)  # `...`: and more
    laid: set[tuple[str, int]] = field(default_factory=set)  # jobs and the sizes of their files
    started: int | None = None  # processes
    state: int = 0  # which of its reports (`--status-interval`)
    totals: int = 0  # the line of the last ones
    dates: dict[tuple[str, int], str] = field(default_factory=dict)

    def announce(
        self, number: int, match: re.Match[str], known: Conditions, *, has_more: bool
    ) -> None:
        """Take a header, and what is asked of its job unless it contradicts that."""
        name, group, mode = match["name"], int(match["group"]), match["mode"]
        sizes = _block_sizes(match["sizes"], known.kb_base)
        header = Conditions(mode, sizes, iodepth=depth(match["engine"], count(match["depth"])))
        known = known if known.fits(header) else UNKNOWN
        known = known._replace(
            mode=mode,
            block_sizes=sizes,
            iodepth=header.iodepth,
            read_mix=known.read_mix if mode in ("rw", "randrw") else None,
        )
        self.line = self.line or number
        self.headers.setdefault(name, []).append(known)
        self.announced.append((number, group, name))
        self.counts[group, known] += 1
        if has_more:
            self.open_counts.add((group, known))

    def known(self, name: str, group: int, jobs: int, blocks: Sequence[Job]) -> Conditions | None:
        """Return the conditions of a block; one of several processes is the sum of its group."""
        tests = self.headers.get(name)
        if tests is None:
            return None
        if jobs > 1:
            names = {other for _, of, other in self.announced if of == group}
            return common([test for other in names for test in self.headers[other]] or tests)
        place = sum(job.name == name for job in blocks)
        return tests[place] if place < len(tests) else common(tests)

    def processes(self, name: str, group: int, known: Conditions) -> tuple[int | None, bool]:
        """Return how many processes are said to run a test, and whether they are several."""
        is_open, number = (group, known) in self.open_counts, self.counts[group, known]
        asked = known.numjobs
        if asked is None and number and not is_open:
            asked = number
        elif asked is None and len({other for _, _, other in self.announced}) == 1:
            asked = self.started
        return asked, (is_open or number > 1) if name in self.headers else (asked or 1) > 1

    def lay_out(self, line: str) -> bool:
        """Take the line of a file that is laid out; False for another line.

        fio leaves out what is less than a MiB: a size that was asked for is a round number.
        """
        match = _LAID.match(line)
        if match is not None:
            size = int(match["size"])
            is_power = size & (size - 1) == 0 and size >= 8
            is_round = len(str(size).rstrip("0")) == 1 and size >= 10
            if is_power or is_round or (size > 0 and size % 512 == 0):
                self.laid.add((match["name"], size << 20))
        return match is not None

    def with_file(self, known: Conditions, name: str) -> Conditions:
        """Return conditions with the size of the file of a job, if all files are of that size."""
        sizes = {size for _, size in self.laid}
        is_told = known.file_size is None and len(sizes) == 1 and {(name, *sizes)} <= self.laid
        return known._replace(file_size=sizes.pop()) if is_told else known

    def unanswered(self, blocks: Sequence[Job]) -> Iterator[tuple[int, int, str]]:
        """Yield line, group and name of the headers below which no block of theirs stands."""
        found = {(job.group, job.name) for job in blocks if job.runtimes or job.is_last}
        sums = {job.group for job in blocks if job.processes > 1}
        for number, group, name in self.announced:
            if group not in sums and (group, name) not in found:
                yield number, group, name


@lru_cache(maxsize=64)  # the jobs of a folder's logs have a few
def _block_sizes(text: str, base: int) -> Sizes:
    """Return the sizes for reads, writes and trims, None for a range or a rounded size."""
    sizes: dict[str, int | None] = {}
    new = re.findall(r"\(([RWT])\) ([^,]*)", text)
    # the development versions of 2.17 part them with commas
    for letter, part in new or zip("RWT", re.split("[/,]", text), strict=False):
        if match := _SIZES.fullmatch(part.strip()):
            least, most = _bytes(match[1], match[2], base), _bytes(match[3], match[4], base)
            sizes[letter] = least if least == most else None
    return sizes.get("R"), sizes.get("W"), sizes.get("T")


def _bytes(number: str, prefix: str, base: int) -> int:
    """`4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say."""
    step = KIB if prefix.endswith("i") or base == KIB else 1000
    return int(number) * int(step ** (" KMG".index(prefix[0].upper()) if prefix else 0))
