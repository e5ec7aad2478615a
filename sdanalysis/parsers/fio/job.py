"""What every view of a fio run (JSON, report for people, terse) gives: the rows of one job."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.columns import SPREADS
from sdanalysis.codebook.measurement import Measurement, Problem, with_values
from sdanalysis.codebook.units import KIB, LIMITS, unit_of
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions

UNKNOWN_PATTERN = "unknown-pattern"  # the log does not say whether sequential or random
INFERRED_BLOCK_SIZE = "inferred-block_size"
BOTH = "unified_rw_reporting=both: the mixed figures are the sum of the others: left out"
COMPLETION_ONLY = (
    "found completion latency only (clat), expected the total (lat): no latency is given"
)
SYNC = "fsync"  # of fsync, fdatasync or sync_file_range, after random writes `randfsync`
SYNC_LATENCY = "found latencies of fsync, fdatasync or sync_file_range: not read"
SYNCS_OF_SEVERAL = "found latencies of fsync of one of several processes: left out"
DISAGREE = "figures-disagree"
EXTREMES = SPREADS  # of the latencies of a job's operations, beside their mean
_NO_SPREAD = "the spread of equal latencies"  # which is 0
SLACK = 1e-3  # fio cuts its sums to whole KiB/s and their parts to whole ms
_PLAIN = re.compile(r"\d{1,18}(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?", re.ASCII)
Announced = tuple[int, str]  # the line of a header, and the job whose report shall come
Range = tuple[float, float]  # least and greatest value that a printed figure may mean


class SharedCells(NamedTuple):
    """The cells that all figures of one direction of a job share."""

    status: str
    tool_version: str | None
    block_size: int | None
    file_size: int | None
    numjobs: int | None
    iodepth: int | None
    read_mix: float | None
    direct: bool | None
    run: str
    remarks: tuple[str, ...]
    name: str


# The order of a row in `bulk`: plain tuples, for a folder of 10,000 logs becomes one table of them.
FIELDS = (
    *("line", "column", "op", "metric", "raw", "raw_unit", "value", "value_low", "value_high"),
    *("stat", *SharedCells._fields),
)


class Figure(NamedTuple):
    """One figure of a direction as printed, its place, and its value in base units."""

    line: int
    column: int
    metric: str
    raw: str
    raw_unit: str
    value: float
    value_low: float
    value_high: float


_OF_FIO = Measurement(line=0, column=0, tool="fio", op="", metric="", raw="")
_measurement = with_values(*Figure._fields, "op", "stat", *SharedCells._fields)


def figure(
    place: tuple[int, int], metric: str, raw: str, unit: str, *, rounded: bool = False
) -> Figure:
    """Return a figure: fio cuts whole numbers unless `rounded`, and rounds those with decimals."""
    value, factor = float(raw), factor_of("fio", unit)
    half = 0.0 if "e" in raw.lower() else half_step(raw)
    below, above = (half, half) if rounded or not raw.isdigit() else (0.0, 1.0)
    amounts = (value * factor, (value - below) * factor, (value + above) * factor)
    return Figure(*place, metric, raw, unit, *amounts)


@lru_cache(maxsize=128)  # a log prints a few units again and again
def factor_of(tool: str, unit: str) -> float:
    """Return the factor of a printed unit to base units."""
    return unit_of(tool, unit).factor


def half_step(raw: str) -> float:
    """Return half of the step of the last printed digit."""
    return 0.5 / 10 ** min(len(raw.partition(".")[2]), 300)  # more no float can hold


PEOPLE = "report for people"  # the view that prints the totals of a group


@dataclass(slots=True)
class Job:
    """One job, or one process of it, in one view of its run: rows, and what tells views apart."""

    view: str
    line: int
    name: str
    group: int | None = None
    run: str = ""
    version: str | None = None
    status: str = "measured"
    known: Conditions = UNKNOWN
    process: tuple[str, str] = ("", "")  # its number and the date of the report
    client: tuple[str, str] = ("", "")  # host and port, where fio's client asked for the job
    rows: list[Measurement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    # direction -> runtime in ms, and the bandwidth's range in B/s: the same run prints the same
    runtimes: dict[str, int] = field(default_factory=dict)
    is_ended: bool = False  # below its directions stood what fio prints of all of them
    is_left: bool = False  # somebody's words stand below it
    rates: dict[str, Range] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # block sizes (B) told by other figures
    is_closed: bool = True  # the totals of its group stand below it
    is_left_out: bool = False  # it repeats another
    is_share: bool = False  # the log announces further processes of the test
    processes: int | None = None  # how many the command of its only test asks for
    group_is_whole: bool = False  # the log is known to hold all jobs of the group
    group_rates: dict[str, Range] = field(default_factory=dict)  # what the group moved, in B/s

    def cells(self, direction: str) -> SharedCells:
        """Return the cells that all figures of one direction share."""
        known = self.known
        return SharedCells(
            status=self.status,
            tool_version=self.version,
            block_size=known.block_size(direction),
            file_size=known.file_size,
            numjobs=known.numjobs,
            iodepth=known.iodepth,
            read_mix=known.read_mix,
            direct=known.direct,
            run=self.run,
            remarks=() if known.mode or direction == "mixed" else (UNKNOWN_PATTERN,),
            name=self.name,
        )

    def add(
        self, direction: str, figure: Figure, cells: SharedCells, what: str = "", stat: str = ""
    ) -> bool:
        """Add a row, or say why the figure is no measurement (`what` it is, in words)."""
        what = what or figure.metric
        if figure.value == 0 and what != _NO_SPREAD:
            text = f"found 0 for {what}, expected more than zero (fio cuts what is below 1)"
            self.note(text, figure.line)
            return False
        if not 0 <= figure.value <= LIMITS[figure.metric]:  # true of NaN too
            text = f"found {figure.raw.lower()} for {what}, expected what a device reaches"
            self.error(text, figure.line)
            return False
        self.rows.append(
            _measurement(
                _OF_FIO,
                *figure,
                self.known.op(direction),
                stat or ("mean" if figure.metric == "latency" else "single"),
                *cells,
            )
        )
        return True

    def add_latencies(
        self, direction: str, cells: SharedCells, figures: Mapping[str, Figure]
    ) -> None:
        """Add the mean, min, max and stddev (the keys) of the latency of a job's operations.

        The mean lies within the run time, 2 ms of two clocks aside: with `gtod_reduce` fio 2.1.11
        prints days for a job of 30 s.
        """
        mean = figures["mean"]
        runtime = self.runtimes.get(direction)
        if runtime is not None and mean.value_low > (runtime + 2) * 1e-3:
            text = (
                f"found a mean {direction} latency of {mean.raw.lower()} {mean.raw_unit} in a job "
                f"that ran {runtime} ms, expected less: not given"
            )
            self.note(text, mean.line)
            return
        for stat in ("mean", *EXTREMES):
            if stat in figures:
                found = figures[stat]
                what = "latency" if stat == "mean" else f"the {stat} latency"
                if stat == "stddev" and found.value == 0 and _are_even(figures):
                    found, what = found._replace(value_low=0.0), _NO_SPREAD
                self.add(direction, found, cells, what, stat)

    def error(self, text: str, line: int | None = None) -> None:
        """Add what is wrong with the job."""
        self.problems.append(Problem(line=line or self.line, text=text))

    def mark_running(self) -> None:
        """Mark every figure as of a state that a later report replaces."""
        self.rows = [row._replace(status="running") for row in self.rows]

    def mark_unfinished(self, status: str) -> None:
        """Mark figures that would be results, but for the end of the run or of its text."""
        self.rows = [
            row._replace(status=status) if row.status == "measured" else row for row in self.rows
        ]

    def leave_out(self, twin: str) -> None:
        """Give up the rows, which repeat those of another."""
        for line in sorted({row.line for row in self.rows}) or [self.line]:
            self.note(f"repeats {twin}: not counted twice", line)
        self.rows, self.is_left_out = [], True

    def note(self, text: str, line: int | None = None) -> None:
        """Add a word on the job."""
        note = Problem(line=line or self.line, text=text, kind="note")
        if note not in self.problems:  # a job has few, and directions may share one
            self.problems.append(note)

    def add_group_rate(self, direction: str, mean: str, per_cent: str) -> None:
        """Add the bandwidth of the group: fio prints the job's mean (KiB/s) and its part of it.

        The mean is that of samples (a run below half a second has none) and 100 % may be cut from
        more: then the job is alone in its group where samples and whole agree.
        """
        per_cent = per_cent.rstrip("%")
        if not (_PLAIN.fullmatch(mean) and _PLAIN.fullmatch(per_cent)):
            return
        value, part = float(mean) * KIB, float(per_cent) / 100
        half = half_step(per_cent) / 100
        if 0 < part < 1 and value > 0:
            self.group_rates[direction] = value / (part + half), value / max(part - half, half)
        elif part >= 1 and value < 1.5 * self.rates[direction][1]:
            self.group_rates[direction] = self.rates[direction]

    def is_part_of_group(self) -> bool:
        """Tell whether its group moved more than this job."""
        return any(
            low > self.rates[direction][1] * (1 + SLACK)
            for direction, (low, _) in self.group_rates.items()
        )

    def remark(self, remark: str) -> None:
        """Add a doubt to the row that was added last."""
        row = self.rows[-1]
        self.rows[-1] = row._replace(remarks=(*row.remarks, remark))

    def same_as(self, other: Job) -> bool:
        """Tell whether `other` repeats this job of one run: same name, times and rates.

        The other may lack a direction: its text may be cut.
        """
        return (
            (self.name == other.name or "" in (self.name, other.name))  # pasted without its name
            and (None in (self.group, other.group) or self.group == other.group)
            and bool(other.runtimes)
            and other.runtimes.items() <= self.runtimes.items()
            and all(
                overlap(self.rates.get(direction, rate), rate, slack=SLACK)
                for direction, rate in other.rates.items()
            )
        )


def _are_even(figures: Mapping[str, Figure]) -> bool:
    """Tell whether all operations took the same time, as that of a run of one does."""
    least, most = (figures.get(stat) for stat in ("min", "max"))
    return least is not None and most is not None and 0 < least.value == most.value


def may_be_processes(jobs: Sequence[Job]) -> bool:
    """Tell whether jobs of one run may be processes of one test: most runs have one of a group."""
    groups = [job.group for job in jobs if job.group is not None]
    return len(set(groups)) < len(groups) or any(job.is_share for job in jobs)


def overlap(first: Range, second: Range, *, slack: float = 0) -> bool:
    """Tell whether two ranges have a value in common, each widened by this part of its ends."""
    return first[0] * (1 - slack) <= second[1] and second[0] * (1 - slack) <= first[1]


def may_be_of_size(rate: Range, iops: Range, size: int, more: float = 0) -> bool:
    """Tell whether bandwidth (B/s) and IOPS may be of operations of so many bytes.

    Of so many `more` operations a second only the bytes may be counted.
    """
    low, high = iops
    return overlap(rate, (low * size, (high + more) * size), slack=0.01)


def io_bytes_agree(moved: int, runtime: int, rate: float) -> bool:
    """Tell whether bytes over ms is the rate in B/s, 1 ms, 1 KiB and 1 % of rounding aside."""
    low = (moved - KIB) * 1000 / (runtime + 1) - KIB
    high = (moved + KIB) * 1000 / max(runtime - 1, 0.5) + KIB
    return low * 0.99 <= rate <= high * 1.01
