"""What every view of a fio run (JSON, report for people, terse) gives: the rows of one job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers.fio.options import Conditions

# No device reaches these: a petabyte or 10^12 operations a second, a mean latency of 11 days.
LIMITS = {"bandwidth": 1e15, "iops": 1e12, "latency": 1e6}

UNKNOWN_PATTERN = "unknown-pattern"  # the log does not say whether sequential or random
INFERRED_BLOCK_SIZE = "inferred-block_size"
DISAGREE = "figures-disagree"

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


@dataclass(slots=True)
class Job:
    """One job, or one process of it, in one view of its run: rows, and what tells views apart."""

    view: str
    line: int
    name: str
    group: int | None = None
    run: str = ""
    rows: list[Measurement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    # direction -> runtime in ms, and the bandwidth's range in B/s: the same run prints the same
    runtimes: dict[str, int] = field(default_factory=dict)
    rates: dict[str, Range] = field(default_factory=dict)
    # jobs of one group that differ in this are no processes of one test: host, folder, start
    placement: tuple[str, ...] = ()
    is_share: bool = False  # the log announces further processes of the test
    group_is_whole: bool = False  # the log is known to hold all jobs of the group
    group_rates: dict[str, Range] = field(default_factory=dict)  # what the group moved, in B/s

    def add(self, op: str, figure: Figure, cells: SharedCells) -> None:
        """Add a row."""
        stat = "mean" if figure.metric == "latency" else "single"
        row = Measurement(tool="fio", op=op, stat=stat, **figure._asdict(), **cells._asdict())
        self.rows.append(row)

    def mark_status(self, status: str) -> None:
        """Mark every figure, as `running` for a state that a later report replaces."""
        self.rows = [row._replace(status=status) for row in self.rows]

    def note(self, text: str, line: int | None = None) -> None:
        """Add a word on the job."""
        self.problems.append(Problem(line=line or self.line, text=text, kind="note"))

    def remark(self, remark: str) -> None:
        """Add a doubt to the row that was added last."""
        row = self.rows[-1]
        self.rows[-1] = row._replace(remarks=(*row.remarks, remark))

    def same_as(self, other: Job) -> bool:
        """Tell whether `other` repeats this job of one run: same name, times and rates.

        The other may lack a direction: its text may be cut.
        """
        if self.name != other.name or not other.runtimes:
            return False
        if not other.runtimes.items() <= self.runtimes.items():
            return False
        if None not in (self.group, other.group) and self.group != other.group:
            return False
        return all(
            overlap(rate, other.rates[direction])
            for direction, rate in self.rates.items()
            if direction in other.rates
        )


def overlap(first: Range, second: Range, *, slack: float = 0) -> bool:
    """Tell whether two ranges have a value in common, each widened by this part of its ends."""
    return first[0] * (1 - slack) <= second[1] and second[0] * (1 - slack) <= first[1]


def shared_cells(
    conditions: Conditions, direction: str, status: str, version: str | None, job: Job
) -> SharedCells:
    """Return the cells that all figures of one direction share."""
    known = conditions.mode is not None or direction == "mixed"
    return SharedCells(
        status=status,
        tool_version=version,
        block_size=conditions.block_size(direction),
        file_size=conditions.file_size,
        numjobs=conditions.numjobs,
        iodepth=conditions.iodepth,
        read_mix=conditions.read_mix,
        direct=conditions.direct,
        run=job.run,
        remarks=() if known else (UNKNOWN_PATTERN,),
        name=job.name,
    )


def refusal(what: str, value: float, raw: str, line: int) -> Problem | None:
    """Return why a figure (`read iops`) is no measurement, None when it is one.

    0 is what fio leaves of a rate below 1, which it cuts; NaN compares false with everything.
    """
    if 0 < value < LIMITS[what.rpartition(" ")[2]]:
        return None
    if value == 0:
        text = f"found 0 for {what}, expected more than zero (fio cuts what is below 1)"
        return Problem(line=line, text=text, kind="note")
    return Problem(line=line, text=f"found {raw} for {what}, expected what a device reaches")


def group_rate(mean: str, per_cent: str, own: Range, unit: float) -> Range | None:
    """Return the bandwidth of a job's group, for fio prints the job's mean as per cent of it.

    The mean is that of samples and 100 % may be cut from more: then the job is alone in its group
    where samples and whole agree. Without samples (a run below half a second) nothing is known.
    """
    try:
        value, share = float(mean) * unit, float(per_cent.rstrip("%")) / 100
    except ValueError:
        return None
    if not (value > 0 and share > 0):
        return None
    if share >= 1:
        return own if value < 1.5 * own[1] else None
    half = 0.5 / 10 ** (len(per_cent.rstrip("%").partition(".")[2]) + 2)
    return value / (share + half), value / max(share - half, half)
