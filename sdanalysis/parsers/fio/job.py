"""What every view of a fio run (JSON, human, terse) gives: the rows of one job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers.fio.options import Conditions

# The order of a row: plain tuples, for a folder of 10,000 logs becomes one table of them.
FIELDS = (
    "line", "column", "op", "metric", "raw", "raw_unit", "value", "value_low", "value_high",
    "stat", "status", "tool_version", "block_size", "file_size", "numjobs", "iodepth", "read_mix",
    "direct", "run", "remarks", "name",
)  # fmt: skip
STATUS, REMARKS = FIELDS.index("status"), FIELDS.index("remarks")

# No device reaches these: a petabyte or 10^12 operations a second, a mean latency of 11 days.
LIMITS = {"bandwidth": 1e15, "iops": 1e12, "latency": 1e6}

UNKNOWN_PATTERN = "unknown-pattern"  # the log does not say whether sequential or random
INFERRED_BLOCK_SIZE = "inferred-block_size"
DISAGREE = "figures-disagree"


@dataclass(slots=True)
class Report:
    """One job in one view of its run. A class because the views are compared before any counts."""

    view: str
    line: int
    name: str
    group: int | None = None
    run: str = ""
    rows: list[tuple] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    # direction -> runtime in ms, and the bandwidth's interval in B/s: the same run prints the same
    runtimes: dict[str, int] = field(default_factory=dict)
    rates: dict[str, tuple[float, float]] = field(default_factory=dict)

    def with_status(self, status: str) -> Report:
        """Mark every figure, as `running` for a state that a later report replaces."""
        self.rows = [(*row[:STATUS], status, *row[STATUS + 1 :]) for row in self.rows]
        return self

    def remark(self, index: int, remark: str) -> None:
        """Add a doubt to one row."""
        row = self.rows[index]
        self.rows[index] = (*row[:REMARKS], (*row[REMARKS], remark), *row[REMARKS + 1 :])

    def same_as(self, other: Report) -> bool:
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
            low <= other.rates[direction][1] and other.rates[direction][0] <= high
            for direction, (low, high) in self.rates.items()
            if direction in other.rates
        )


def tail(
    conditions: Conditions,
    direction: str,
    status: str,
    version: str | None,
    run: str,
    name: str,
) -> tuple:
    """Return the cells after `stat`, which all figures of one direction share."""
    known = conditions.mode is not None or direction == "mixed"
    return (
        status,
        version,
        conditions.block_size(direction),
        conditions.file_size,
        conditions.numjobs,
        conditions.iodepth,
        conditions.read_mix,
        conditions.direct,
        run,
        () if known else (UNKNOWN_PATTERN,),
        name,
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


def measurements(report: Report) -> Iterator[Measurement | Problem]:
    """Yield a report's rows as measurements, and its problems."""
    yield from report.problems
    for row in report.rows:
        yield Measurement(tool="fio", **dict(zip(FIELDS, row, strict=True)))
