"""fio's report for people, 1.x to 3.42: `read: IOPS=43.6k, BW=170MiB/s (179MB/s)(6104KiB/35msec)`.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio import text_figures as figure
from sdanalysis.parsers.fio.job import Report, refusal, tail
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions, command_options, conditions

# Mail quotes and fio's own client prefix stand before the text.
_BEFORE = r"^[\s>|*-]*(?:<[^<>\s]+> *)?"
_HEADER = re.compile(
    _BEFORE + r"(?P<name>.*): \(g=\d+\): rw=(?P<mode>[a-z]+)[^,]*, bs=(?P<sizes>.*), "
    r"ioengine=(?P<engine>[^,]*), iodepth=(?P<depth>\d{1,9})\b"
)
_BLOCK = re.compile(
    _BEFORE + r"(?P<name>.*): \(groupid=(?P<group>\d{1,9}), jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d+)(?P<rest>.*)$"
)
_PROCESS = re.compile(r": pid=(\d+)")
_VERSION = re.compile(r"^[\s>]*fio[- ](\d[\w.+-]*)\s*$")
_DIRECTION = re.compile(_BEFORE + r"(?:read|write|trim|mixed)\s*: (?:IOPS=|io=)")
_MEAN = re.compile(
    _BEFORE + r"lat \((?P<unit>[num]?sec)\)\s*: min=.*?, max=.*?, avg= *(?P<mean>\d+\.?\d*), stdev="
)
_ANNOUNCED_MEAN = re.compile(_BEFORE + r"lat \([num]?sec\)\s*: min=")
LONGEST = 20_000
_SECONDS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}


@dataclass(slots=True)
class Headers:
    """What the lines above the job blocks said, until the next run begins."""

    line: int = 0
    version: str | None = None
    interrupted: bool = False
    options: dict[str, str] | None = None
    jobs: dict[str, Conditions] = field(default_factory=dict)
    blocks: int = 0
    blocks_of: dict[tuple, Report] = field(default_factory=dict)


@dataclass(slots=True)
class Scan:
    """The reports of a text, and the jobs whose report a header announced: (line, name)."""

    reports: list[Report] = field(default_factory=list)
    announced: list[tuple[int, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def scan(lines: Sequence[Line]) -> Scan:
    """Return the job blocks of a text; each is a report with its line, name, times and rates."""
    found = Scan()
    state = _State(found)
    for line in lines:
        # a longer line is progress text or no report, and patterns would take their time over it
        if len(line.text) < LONGEST and _is_interesting(line.text):
            state.read(line)
    return found


def _is_interesting(text: str) -> bool:
    """Tell cheaply whether a line is of a kind that is read (a pattern costs ten times as much)."""
    return (
        "IOPS=" in text
        or "lat (" in text
        or "(g" in text
        or "fio" in text
        or ": io=" in text
        or "terminating on signal" in text
    )


class _State:
    """The block being read: a class because six kinds of line each change some of it."""

    def __init__(self, found: Scan) -> None:
        self.found = found
        self.run = Headers()
        self.block: Report | None = None
        self.known = UNKNOWN
        self.status = "measured"
        self.direction: tuple[str, tuple] | None = None
        self.is_sum = False

    def read(self, line: Line) -> None:
        """Take one line."""
        text = line.text
        if "(groupid=" in text and (match := _BLOCK.match(text)):
            self._begin_block(line, match)
        elif "(g=" in text and (match := _HEADER.match(text)):
            self._header(line, match)
        elif ("IOPS=" in text or ": io=" in text) and _DIRECTION.match(text):
            self._direction(line)
        elif "lat (" in text:
            self._latency(line)
        elif "terminating on signal" in text:
            self.run.interrupted = True
        else:
            self._before_the_header(line)

    def _before_the_header(self, line: Line) -> None:
        if match := _VERSION.match(line.text):
            self._new_run(line.number)
            self.run.version = match[1]
        elif (options := command_options(line.text)) is not None:
            self.run = Headers(line=line.number, options=options)

    def _new_run(self, number: int) -> None:
        """Begin a run, unless no block has come since the last beginning."""
        if self.run.blocks:
            self.run = Headers(line=number)
        self.run.line = self.run.line or number
        self.block = self.direction = None
        self.is_sum = False

    def _header(self, line: Line, match: re.Match[str]) -> None:
        self._new_run(line.number)
        mode = match["mode"]
        options = self.run.options or {}
        known = conditions(options) if options.get("name") == match["name"] else UNKNOWN
        self.run.jobs[match["name"]] = known._replace(
            mode=mode,
            block_sizes=_block_sizes(match["sizes"], known.kb_base),
            iodepth=int(match["depth"]),
            read_mix=known.read_mix if mode in ("rw", "randrw") else None,
        )
        self.found.announced.append((line.number, match["name"]))

    def _begin_block(self, line: Line, match: re.Match[str]) -> None:
        run = self.run
        name, group = match["name"], int(match["group"])
        run.blocks += 1
        run.line = run.line or line.number
        self.direction = None
        self.is_sum = name == "All clients" and bool(run.blocks_of)
        if self.is_sum:
            text = "the sum over all clients repeats their figures: left out"
            self.found.problems.append(Problem(line=line.number, text=text, kind="note"))
            return
        self.known = run.jobs.get(name, UNKNOWN)._replace(numjobs=int(match["jobs"]))
        self.status = "interrupted" if run.interrupted else "measured"
        if int(match["error"]):
            self.status = "error"
        self.block = Report(
            view="report for people", line=line.number, name=name, group=group,
            run=f"{run.line}-fio",
        )  # fmt: skip
        self.found.reports.append(self.block)
        if process := _PROCESS.search(match["rest"]):
            key = (name, group, process[1])
            if key in run.blocks_of:
                run.blocks_of[key].with_status("running")
                text = "--status-interval: a later report of the same process replaces this one"
                run.blocks_of[key].problems.append(
                    Problem(line=run.blocks_of[key].line, text=text, kind="note")
                )
            run.blocks_of[key] = self.block

    def _direction(self, line: Line) -> None:
        if self.is_sum:
            return
        if self.block is None:
            self._stray(line)
        rate = figure.direction_line(line, self.known.kb_base, self.run.version)
        if isinstance(rate, Problem):
            self.direction = None
            self.block.problems.append(rate)
            return
        cells = tail(
            self.known, rate.direction, self.status, self.run.version, self.block.run,
            self.block.name,
        )  # fmt: skip
        op = self.known.op(rate.direction)
        self.direction = (op, cells)
        figure.add_rate(self.block, rate, op, cells, line)

    def _stray(self, line: Line) -> None:
        """Take a direction line that was pasted without its job block."""
        self.known = UNKNOWN
        self.status = "measured"
        self.block = Report(view="report for people", line=line.number, name="")
        self.block.run = f"{line.number}-fio"
        self.found.reports.append(self.block)

    def _latency(self, line: Line) -> None:
        if self.block is None or self.direction is None or not _ANNOUNCED_MEAN.match(line.text):
            return
        match = _MEAN.match(line.text)
        if match is None:
            text = f"found {line.text.strip()!r}, expected `lat (usec): min=, max=, avg=, stdev=`"
            self.block.problems.append(Problem(line=line.number, text=text))
            return
        factor, raw = _SECONDS[match["unit"]], match["mean"]
        value, half = float(raw), figure.half_step(raw)
        if problem := refusal("latency", value * factor, raw, line.number):
            self.block.problems.append(problem)
            return
        op, cells = self.direction
        amounts = (value * factor, (value - half) * factor, (value + half) * factor)
        place = (line.number, match.start("mean") + 1, op, "latency", raw, match["unit"])
        self.block.rows.append((*place, *amounts, "mean", *cells))
        self.direction = None


_OLD_SIZES = re.compile(r"(\d+)([KMG]?)-(\d+)([KMG]?)")
_NEW_SIZES = re.compile(r"\(([RWT])\) (\d+)(?:\.0+)?([KMG]i?)?B-(\d+)(?:\.0+)?([KMG]i?)?B")


def _block_sizes(text: str, base: int) -> tuple[int | None, int | None, int | None]:
    """Return the sizes for read, write and trim, None for a range or a rounded size."""
    sizes: dict[str, int | None] = {}
    if "(R)" in text:
        for letter, low, low_unit, high, high_unit in _NEW_SIZES.findall(text):
            one, other = _bytes(low, low_unit, base), _bytes(high, high_unit, base)
            sizes[letter] = one if one == other else None
    else:
        for letter, part in zip("RWT", text.split("/"), strict=False):
            if match := _OLD_SIZES.fullmatch(part.strip()):
                one, other = _bytes(match[1], match[2], base), _bytes(match[3], match[4], base)
                sizes[letter] = one if one == other else None
    return (sizes.get("R"), sizes.get("W"), sizes.get("T"))


def _bytes(number: str, prefix: str, base: int) -> int:
    """`4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say."""
    step = KIB if prefix.endswith("i") or base == KIB else 1000
    return int(number) * step ** (" KMG".index(prefix[0]) if prefix else 0)
