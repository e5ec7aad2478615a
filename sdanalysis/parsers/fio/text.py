"""fio's report for people, 1.x to 3.42: `read: IOPS=43.6k, BW=170MiB/s (179MB/s)(6104KiB/35msec)`.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Job, SharedCells, figure
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions, command_options, conditions
from sdanalysis.parsers.fio.processes import mark_shares
from sdanalysis.parsers.fio.text_rates import add_direction, group_line

# Mail quotes and fio's own client prefix stand before the text.
_BEFORE = r"^[\s>|*-]*(?:<[^<>\s]+> *)?"
_HEADER = re.compile(
    _BEFORE
    + r"(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<mode>[a-z]+)[^,]*, bs=(?P<sizes>.*), "
    r"ioengine=(?P<engine>[^,]*), iodepth=(?P<depth>\d{1,9})\b"
)
_BLOCK = re.compile(
    _BEFORE + r"(?P<name>.*): \(groupid=(?P<group>\d{1,9}), jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d+)(?P<rest>.*)$"
)
_PROCESS = re.compile(r": pid=(\d+)(?P<date>.*)")
_TOTALS = re.compile(_BEFORE + r"Run status group (?P<group>\d{1,9})\b")
_VERSION = re.compile(r"^[\s>]*fio[- ](\d[\w.+-]*)\s*$")
_DIRECTION = re.compile(_BEFORE + r"(?:read|write|trim|mixed)\s*: (?:IOPS=|io=)")
_MEAN = re.compile(
    _BEFORE + r"lat \((?P<unit>[num]?sec)\)\s*: min=.*?, max=.*?, avg= *(?P<mean>\d+\.?\d*), stdev="
)
_ANNOUNCED_MEAN = re.compile(_BEFORE + r"lat \([num]?sec\)\s*: min=")
# A line without any of these is not read (a pattern costs ten times as much).
_WORDS = (
    *("IOPS=", "lat (", "(g", "fio", ": io=", ": bw="),
    *("terminating on signal", "Run status group"),
)


@dataclass(slots=True)
class Headers:
    """What the lines above the job blocks said, until the next run begins."""

    line: int = 0
    version: str | None = None
    interrupted: bool = False
    options: dict[str, str] | None = None
    jobs: dict[str, Conditions] = field(default_factory=dict)
    announced: list[tuple[int, str]] = field(default_factory=list)  # group and name, a clone each
    blocks_of: dict[tuple, Job] = field(default_factory=dict)  # by name, group and process
    dates: dict[tuple, str] = field(default_factory=dict)  # of blocks, by name and group


@dataclass(slots=True)
class Scan:
    """The jobs of a text, and those whose report a header announced: (line, name)."""

    jobs: list[Job] = field(default_factory=list)
    announced: list[tuple[int, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def scan(lines: Sequence[Line]) -> Scan:
    """Return the job blocks of a text; each is a job with its line, name, times and rates."""
    found = Scan()
    state = _State(found)
    for line in lines:
        if any(map(line.text.__contains__, _WORDS)) or line.text.endswith("..."):
            state.read(line)
    state.end_blocks()
    return found


class _State:
    """The run and the block that are being read; each kind of line changes some of it."""

    def __init__(self, found: Scan) -> None:
        self.found = found
        self.run = Headers()
        self.block: Job | None = None
        self.direction: tuple[str, SharedCells] | None = None
        self.is_sum = False
        self.blocks: list[Job] = []  # of one state of a run: their group's totals stand below them
        self.group: int | None = None  # whose totals are being read
        self.after_header = False

    def read(self, line: Line) -> None:
        """Take one line."""
        text = line.text
        if self.after_header and text.endswith("..."):
            self.run.announced.append(self.run.announced[-1])
        self.after_header = False
        if "(groupid=" in text and (match := _BLOCK.match(text)):
            self._begin_block(line, match)
        elif "(g=" in text and (match := _HEADER.match(text)):
            self._header(line, match)
        elif ("IOPS=" in text or ": io=" in text) and _DIRECTION.match(text):
            self._direction(line)
        elif "lat (" in text:
            self._latency(line)
        else:
            self._total(text)
            self._before_the_header(line)

    def _total(self, text: str) -> None:
        """Take a line of the totals of a group, which stand below its blocks."""
        if match := _TOTALS.match(text):
            self.group = int(match["group"])
        elif self.group is not None and self.blocks:
            total = group_line(text, self.blocks[-1].known.kb_base)
            for job in self.blocks:
                if total and job.group == self.group:
                    job.group_rates[total[0]] = total[1]

    def _before_the_header(self, line: Line) -> None:
        if "terminating on signal" in line.text:
            self.run.interrupted = True
        elif match := _VERSION.match(line.text):
            self._new_run(line.number)
            self.run.version = match[1]
        elif (options := command_options(line.text)) is not None:
            self.end_blocks()
            self.run = Headers(line=line.number, options=options)

    def _new_run(self, number: int) -> None:
        """Begin a run, unless no block has come since the last beginning."""
        self.end_blocks()
        if self.run.dates:
            self.run = Headers(line=number)
        self.run.line = self.run.line or number
        self.block = self.direction = None
        self.is_sum = False

    def end_blocks(self) -> None:
        """Settle which of the blocks so far are shares: the totals of their groups have come."""
        for job in self.blocks:
            others = [name for group, name in self.run.announced if group == job.group]
            tests = [self.run.jobs[name]._replace(numjobs=None) for name in others]
            own = self.run.jobs.get(job.name, UNKNOWN)._replace(numjobs=None)
            job.is_share = not job.group_is_whole and tests.count(own) > 1
        mark_shares(self.blocks)
        self.blocks, self.group = [], None

    def _header(self, line: Line, match: re.Match[str]) -> None:
        self._new_run(line.number)
        mode, name = match["mode"], match["name"]
        options = self.run.options or {}
        known = conditions(options) if options.get("name") == name else UNKNOWN
        self.run.jobs[name] = known._replace(
            mode=mode,
            block_sizes=_block_sizes(match["sizes"], known.kb_base),
            iodepth=int(match["depth"]),
            read_mix=known.read_mix if mode in ("rw", "randrw") else None,
        )
        self.run.announced.append((int(match["group"]), name))
        self.after_header = True
        self.found.announced.append((line.number, name))

    def _begin_block(self, line: Line, match: re.Match[str]) -> None:
        name, group = match["name"], int(match["group"])
        self._before_block(line, match)
        self.run.line = self.run.line or line.number
        self.direction = None
        self.is_sum = name == "All clients" and bool(self.run.blocks_of)
        if self.is_sum:
            text = "the sum over all clients repeats their figures: left out"
            self.found.problems.append(Problem(line=line.number, text=text, kind="note"))
            return
        run, count = self.run, int(match["jobs"])
        status = "interrupted" if run.interrupted else "measured"
        self.block = Job(
            view="report for people",
            line=line.number,
            name=name,
            group=group,
            run=f"{run.line}-fio",
            version=run.version,
            status="error" if int(match["error"]) else status,
            known=run.jobs.get(name, UNKNOWN)._replace(numjobs=count),
            group_is_whole=count > 1,  # group_reporting: one block for all
        )
        self.found.jobs.append(self.block)
        self.blocks.append(self.block)
        if process := _PROCESS.search(match["rest"]):
            self.run.blocks_of[name, group, process[1]] = self.block

    def _before_block(self, line: Line, match: re.Match[str]) -> None:
        """End what the blocks above belong to, where this one is of another state or run."""
        process = _PROCESS.search(match["rest"])
        key = (match["name"], int(match["group"]), process and process[1])
        replaced = self.run.blocks_of.get(key)
        if replaced or self.group is not None:
            self.end_blocks()
        if replaced:
            replaced.mark_status("running")
            replaced.note("--status-interval: a later report of the same process replaces this one")
        date = process["date"] if process else ""
        if self.run.dates.setdefault(key[:2], date) != date and key[0] not in self.run.jobs:
            self._new_run(line.number)
            self.run.dates[key[:2]] = date

    def _direction(self, line: Line) -> None:
        if self.is_sum:
            return
        if self.block is None:  # the line was pasted without its job block
            run, version = f"{line.number}-fio", self.run.version
            self.block = Job("report for people", line.number, "", run=run, version=version)
            self.found.jobs.append(self.block)
        self.direction = add_direction(self.block, line)

    def _latency(self, line: Line) -> None:
        if self.block is None or self.direction is None or not _ANNOUNCED_MEAN.match(line.text):
            return
        match = _MEAN.match(line.text)
        if match is None:
            text = f"found {line.text.strip()!r}, expected `lat (usec): min=, max=, avg=, stdev=`"
            self.block.error(text, line.number)
            return
        place = (line.number, match.start("mean") + 1)
        direction, cells = self.direction
        found = figure(place, "latency", match["mean"], match["unit"], rounded=True)
        if self.block.add(direction, found, cells):
            self.direction = None


_RANGE = re.compile(r"(\d+)(?:\.0+)?([KMG]i?|)B?-(\d+)(?:\.0+)?([KMG]i?|)B?")


def _block_sizes(text: str, base: int) -> tuple[int | None, int | None, int | None]:
    """Return the sizes for read, write and trim, None for a range or a rounded size."""
    sizes: dict[str, int | None] = {}
    new = re.findall(r"\(([RWT])\) ([^,]*)", text)
    for letter, part in new or zip("RWT", text.split("/"), strict=False):
        if match := _RANGE.fullmatch(part.strip()):
            least, most = _bytes(match[1], match[2], base), _bytes(match[3], match[4], base)
            sizes[letter] = least if least == most else None
    return (sizes.get("R"), sizes.get("W"), sizes.get("T"))


def _bytes(number: str, prefix: str, base: int) -> int:
    """`4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say."""
    step = KIB if prefix.endswith("i") or base == KIB else 1000
    return int(number) * step ** (" KMG".index(prefix[0]) if prefix else 0)
