"""fio's report for people, 1.x to 3.42: `read: IOPS=43.6k, BW=170MiB/s (179MB/s)(6104KiB/35msec)`.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import (
    DISAGREE,
    Announced,
    Figure,
    Job,
    Range,
    SharedCells,
    factor_of,
    figure,
    half_step,
    may_be_processes,
    overlap,
)
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions, command_options, conditions
from sdanalysis.parsers.fio.processes import mark_shares

# Mail quotes and fio's own client prefix stand before the text.
_BEFORE = r"^[\s>|*-]*(?:<[^<>\s]+> *)?"
_HEADER = re.compile(
    _BEFORE
    + r"(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<mode>[a-z]+)[^,]*, bs=(?P<sizes>.*), "
    r"ioengine=[^,]*, iodepth=(?P<depth>\d{1,9})\b"
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
    _BEFORE + r"lat \((?P<unit>[num]?sec)\)\s*: min="
    r"(?:.*?, max=.*?, avg= *(?P<mean>\d+\.?\d*), stdev=)?"
)
_NUMBER, _UNIT = r"\d+(?:\.\d+)?", r"[kKMGTP]?i?(?:B|bit|b)?"
_RATE, _OTHER = (
    rf"(?P<{name}>{_NUMBER})(?P<{name}_unit>{_UNIT}(?:/s)?)" for name in ("rate", "other")
)
_NEW = re.compile(
    rf"(?P<direction>read|write|trim|mixed)\s*: IOPS=(?P<iops>{_NUMBER})(?P<thousands>[kMGT]?), "
    rf"BW={_RATE} \({_OTHER}\)\({_NUMBER}{_UNIT}/(?P<time>\d+)msec\)"
)
_OLD = re.compile(
    rf"(?P<direction>read|write|trim|mixed)\s*: io={_NUMBER} ?[KMGTP]?(?:B|bit|b)?, "
    rf"bw=(?P<rate>{_NUMBER}) ?(?P<rate_unit>[KMGTP]?(?:B|bit|b)?/s), "
    rf"iops=(?P<iops>{_NUMBER})(?P<thousands>[kKMG]?) *, runt= *(?P<time>\d+)msec"
)
_TOTAL = re.compile(
    rf"(?P<direction>READ|WRITE|TRIM|MIXED): (?:io=[^,]*, aggrb|bw)={_RATE}(?: \({_OTHER}\))?"
)
_SHAPES = "`IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"
_DOUBT = (
    "found {0[rate]}{0[rate_unit]} beside {0[other]}{0[other_unit]}, which exclude one another "
    "(fio before 3.26 loses a carry, 24.97 becomes 24.0): the greater, {chosen}, is taken"
)


@dataclass(slots=True)
class _Run:
    """What the lines above the job blocks said, until the next run begins."""

    line: int = 0
    version: str | None = None
    interrupted: bool = False
    options: dict[str, str] | None = None
    jobs: dict[str, Conditions] = field(default_factory=dict)
    announced: list[tuple[int, str]] = field(default_factory=list)  # group and name, a clone each
    blocks_of: dict[tuple, Job] = field(default_factory=dict)  # by name, group and process
    dates: dict[tuple, str] = field(default_factory=dict)  # of blocks, by name and group


def scan(lines: Sequence[Line]) -> tuple[list[Job], list[Announced], list[Problem]]:
    """Return the job blocks of a text, those that headers announce, and what was wrong."""
    found = _Scan()
    for line in lines:
        text = line.text
        if _may_be_read(text) or (found.after_header and text.endswith("...")):
            found.read(line)
    found.end_blocks()
    return found.jobs, found.announced, found.problems


def _may_be_read(text: str) -> bool:
    """Tell cheaply whether a line holds a word of those that are read: most hold none."""
    return (
        "IOPS=" in text
        or "lat (" in text
        or "(g" in text
        or "fio" in text
        or ": io=" in text
        or ": bw=" in text
        or "terminating on" in text
        or "Run status group" in text
    )


class _Scan:
    """The jobs of a text, and the run and block that are being read: each line changes some."""

    def __init__(self) -> None:
        """Begin without jobs."""
        self.jobs: list[Job] = []
        self.announced: list[Announced] = []
        self.problems: list[Problem] = []
        self.run = _Run()
        self.block: Job | None = None
        self.direction: tuple[str, SharedCells] | None = None
        self.is_sum = False
        self.blocks: list[Job] = []  # of one state of a run: their group's totals stand below them
        self.group: int | None = None  # whose totals are being read
        self.totals: list[tuple[int, str]] = []  # the group and the line of each
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
        if "Run status group" in text and (match := _TOTALS.match(text)):
            self.group = int(match["group"])
        elif self.group is not None:
            self.totals.append((self.group, text))

    def _before_the_header(self, line: Line) -> None:
        if "terminating on signal" in line.text:
            self.run.interrupted = True
        elif "fio" not in line.text:
            return
        elif match := _VERSION.match(line.text):
            self._new_run(line.number)
            self.run.version = match[1]
        elif (options := command_options(line.text)) is not None:
            self.end_blocks()
            self.run = _Run(line=line.number, options=options)

    def _new_run(self, number: int) -> None:
        """Begin a run, unless no block has come since the last beginning."""
        self.end_blocks()
        if self.run.dates:
            self.run = _Run(line=number)
        self.run.line = self.run.line or number
        self.block = self.direction = None
        self.is_sum = False

    def end_blocks(self) -> None:
        """Settle which of the blocks so far are shares: the totals of their groups have come."""
        for job in self.blocks:
            job.is_share = not job.group_is_whole and self._is_announced_twice(job)
        if self.blocks and may_be_processes(self.blocks):
            self._add_totals()
            mark_shares(self.blocks)
        self.blocks, self.group, self.totals = [], None, []

    def _add_totals(self) -> None:
        for group, text in self.totals:
            total = _group_line(text, self.blocks[-1].known.kb_base)
            for job in self.blocks:
                if total and job.group == group:
                    job.group_rates[total[0]] = total[1]

    def _is_announced_twice(self, job: Job) -> bool:
        """Tell whether the headers announce the test of a block for two processes of its group."""
        names = [name for group, name in self.run.announced if group == job.group]
        if len(names) < 2:
            return False
        tests = [self.run.jobs[name]._replace(numjobs=None) for name in names]
        return tests.count(self.run.jobs.get(job.name, UNKNOWN)._replace(numjobs=None)) > 1

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
        self.announced.append((line.number, name))

    def _begin_block(self, line: Line, match: re.Match[str]) -> None:
        name, group = match["name"], int(match["group"])
        self._before_block(line, match)
        self.run.line = self.run.line or line.number
        self.direction = None
        self.is_sum = name == "All clients" and bool(self.run.blocks_of)
        if self.is_sum:
            text = "the sum over all clients repeats their figures: left out"
            self.problems.append(Problem(line=line.number, text=text, kind="note"))
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
        self.jobs.append(self.block)
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
            replaced.mark_running()
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
            self.jobs.append(self.block)
        self.direction = _add_direction(self.block, line)

    def _latency(self, line: Line) -> None:
        match = _MEAN.match(line.text)
        if match is None or self.block is None or self.direction is None:
            return
        if match["mean"] is None:
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


def _factor(unit: str, *, old: bool = False) -> float:
    """Return bytes per second of a printed unit; the sums over clients are without `B/s`."""
    word = unit.removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    return factor_of("fio before 2.17" if old else "fio", f"{word}/s")


def _add_direction(job: Job, line: Line) -> tuple[str, SharedCells] | None:
    """Add bandwidth and IOPS of a line of any version; return its direction and shared cells."""
    match = _NEW.search(line.text) or _OLD.search(line.text)
    if match is None:
        job.error(f"found {line.text.strip()[:120]!r}, expected {_SHAPES}", line.number)
        return None
    direction = match["direction"]
    if int(match["time"]) == 0:
        text = f"found {direction} figures over 0 msec, expected a time above zero"
        job.error(text, line.number)
        return None
    cells = job.cells(direction)
    bandwidth, doubt = _bandwidth(match, line.number, job.known.kb_base)
    if doubt:
        job.note(doubt, line.number)
    _add_iops(job, direction, _iops(match, line.number), bandwidth, cells)
    if job.add(direction, bandwidth, cells) and doubt:
        job.remark(DISAGREE)
    job.runtimes[direction] = int(match["time"])
    job.rates[direction] = bandwidth.value_low, bandwidth.value_high
    return direction, cells


def _bandwidth(match: re.Match[str], line: int, kb_base: int) -> tuple[Figure, str]:
    """Return the bandwidth of a line, and a doubt where its two units exclude one another."""
    is_old = match.re is _OLD
    name, exclude = ("rate", False) if is_old else _greater(match)
    raw, unit = match[name], match[f"{name}_unit"]
    factor = _factor(unit, old=is_old and kb_base != 1000)
    amounts = _around(raw, factor, width=2 if is_old and factor <= 1 else 1)  # old B/s are cut
    doubt = _DOUBT.format(match, chosen=raw + unit) if exclude else ""
    return Figure(line, match.start(name) + 1, "bandwidth", raw, unit, *amounts), doubt


def _around(raw: str, factor: float, width: float = 1) -> tuple[float, float, float]:
    value, half = float(raw), half_step(raw) * width
    return value * factor, (value - half) * factor, (value + half) * factor


def _iops(match: re.Match[str], line: int) -> Figure:
    """Whole numbers are cut, those with k, M and G rounded."""
    raw, thousands = match["iops"], match["thousands"]
    if thousands or "." in raw:
        amounts = _around(raw, 1000 ** " KMGT".index(thousands.upper() or " "))
    else:
        amounts = float(raw), float(raw), float(raw) + 1
    return Figure(line, match.start("iops") + 1, "iops", raw + thousands, "iops", *amounts)


def _greater(match: re.Match[str]) -> tuple[str, bool]:
    """Return which of the two rates of a line counts, and whether they exclude one another.

    From 2.17 on; up to 3.25 one may have lost a carry (num2str.c), 24.97 was printed as 24.0: where
    the two exclude one another the greater is the right one.
    """
    rate, other = (
        _around(match[name], _factor(match[f"{name}_unit"]), width=2) for name in ("rate", "other")
    )
    exclude = not overlap(rate[1:], other[1:])
    return "other" if exclude and other > rate else "rate", exclude


def _group_line(text: str, kb_base: int) -> tuple[str, Range] | None:
    """Return direction and bandwidth (B/s) of a group of jobs from its line of the totals."""
    match = _TOTAL.search(text)
    if match is None:
        return None
    name, _ = _greater(match) if match["other"] else ("rate", False)
    factor = _factor(match[f"{name}_unit"], old=not match["other"] and kb_base != 1000)
    _, low, high = _around(match[name], factor, width=2)
    return match["direction"].lower(), (low, high)


def _add_iops(job: Job, direction: str, iops: Figure, moved: Figure, cells: SharedCells) -> None:
    """Add IOPS; where they are below what the bandwidth means they lost a carry: a wide range."""
    block = cells.block_size
    if not block or "." not in iops.raw or iops.value_high >= moved.value_low / block * 0.995:
        job.add(direction, iops, cells)
    elif job.add(direction, iops._replace(value_high=moved.value_high / block), cells):
        job.remark(DISAGREE)
        text = (
            f"found IOPS={iops.raw}, expected about {moved.value / block:.0f} from the bandwidth "
            "(fio before 3.26 loses a carry): kept as printed, with a wide range"
        )
        job.note(text, iops.line)
