"""One job of fio, or one process of it, in one view of its run: what all readers of fio give."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sdanalysis.codebook import units
from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers.fio.options import UNKNOWN, Conditions

VIEWS = JSON, PEOPLE, TERSE = "JSON", "report for people", "terse"  # the best first
BOTH = "unified_rw_reporting=both: the mixed figures are the sum of the others: left out"
ALL_CLIENTS = "All clients"  # the sum over the jobs of all, whose options may differ
COMPLETION_ONLY = (
    "found completion latency only (clat), expected the total (lat): no latency is given"
)
SPREADS = ("min", "max", "stddev")
SLACK = 1e-3  # fio cuts its sums to whole KiB/s and their parts to whole ms
UNKNOWN_PATTERN = "unknown-pattern"  # the log does not say whether sequential or random
SUMMED = "summed-jobs"  # the remark of the figures of a run of several processes
DISAGREE = "figures-disagree"  # two printed figures exclude one another
_THOUSANDS = {"k": 3, "M": 6, "G": 9, "T": 12, "m": 6, "K": 3}
Range = tuple[float, float]
Place = tuple[int, int]  # line and column
Kind = tuple[str, str, str]  # direction, metric and stat
# where they are asked for: direction, kind, per cent, raw, unit, line
Percentile = tuple[str, str | None, float, str, str, int | None]


class Figure(NamedTuple):
    """One printed figure of a direction, in base units with its bounds; a sum has no `raw`."""

    line: int
    column: int
    direction: str
    metric: str
    stat: str
    raw: str | None
    raw_unit: str | None
    value: float
    low: float
    high: float
    unit: units.Unit | None = None


Amounts = tuple[float, float, float, units.Unit]  # value and bounds in base units, and the unit


@lru_cache(maxsize=4096)
def amounts(
    raw: str, printed: str, tool: str = "fio", *, rounded: bool = False, width: int = 1
) -> Amounts:
    """Return the last four fields of a figure; `width` widens its bounds.

    fio cuts whole numbers, unless `rounded`, and rounds those with decimals or k (num2str.c).
    """
    unit = units.unit_of(tool, printed)
    power = _THOUSANDS.get(raw[-1], 0)
    digits = raw[:-1] if power else raw
    number = units.number_of(digits)
    number = number._replace(exponent=number.exponent + power)
    is_cut = not rounded and digits.isdigit() and not power
    value, low, high = units.interval(number, unit, truncated=is_cut)
    if width > 1:
        low = units.without_error(value - (value - low) * width)
        high = units.without_error(value + (high - value) * width)
    return value, low, high, unit


@dataclass(slots=True)
class Job:
    """Its figures, and what tells views, states and processes apart: rows are made at the end."""

    view: str
    line: int
    name: str
    group: int | None = None
    version: str | None = None
    known: Conditions = UNKNOWN
    run: int = 0
    status: str = "measured"
    processes: int = 1  # whose sum it is
    state: int = 0  # of the run (`--status-interval`): which of its reports
    numjobs: int | None = None  # processes that its command asks for
    process: str = ""  # its number: reports of one process replace one another
    client: str = ""
    is_over: bool | None = None  # its time or its size was reached; None: nothing says it
    time: float = 0  # ms, when the report was made, where it says so
    figures: list[Figure] = field(default_factory=list)
    rates: dict[str, Range] = field(default_factory=dict)  # direction -> bandwidth in B/s
    runtimes: dict[str, int] = field(default_factory=dict)  # direction -> ms
    group_rates: dict[str, Range] = field(default_factory=dict)  # what the group moved, in B/s
    remarks: dict[str, tuple[str, ...]] = field(default_factory=dict)  # direction -> of its rows
    sizes: dict[str, int] = field(default_factory=dict)  # block sizes that other figures tell
    is_share: bool = False  # other processes of its test are announced
    moved: int = 0  # bytes, where they tell states of a run apart
    is_whole: bool = True  # all of its group is there
    is_last: bool = True  # the totals of its group stand below
    is_repeat: bool = False
    is_announced: bool = False  # by its header alone: nothing follows it
    is_sum: bool = False  # of processes, printed nowhere
    doubts: set[tuple[str, str]] = field(default_factory=set)  # direction and metric that disagree
    problems: list[Problem] = field(default_factory=list)
    percentiles: list[Percentile] = field(default_factory=list)
    bins: list[tuple[str, str, str, dict[str, int]]] = field(default_factory=list)  # as in JSON

    def moved_for(self, direction: str, time: int, line: int) -> bool:
        """Take the time (ms) of a direction; False, and a word, where its figures are none."""
        if direction == "mixed" and self.rates:
            self.say(line, BOTH, "note")
        elif not 0 < time < 10**15:
            self.say(line, f"found {direction} figures over no time, expected one above zero")
        else:
            self.runtimes[direction] = time
            return True
        return False

    def take(self, at: Place, kind: Kind, raw: str, unit: str, of: Amounts | None = None) -> None:
        """Add the figure of a direction, a metric and a stat, or say why it is no measurement."""
        amount: tuple[Any, ...] = of or amounts(raw, unit)
        found = Figure(*at, *kind, raw, unit, *amount)
        direction, metric, stat = kind
        what = metric if stat == "single" else f"the {stat} {metric}"
        own = [] if found.value else [row for row in self.figures if row.direction == direction]
        ends = [row.value for row in own if row.stat in ("min", "max")]
        if ends and stat == "stddev" and ends == 2 * ends[:1]:  # all took the same time
            self.figures.append(found._replace(low=0.0))
        elif found.value == 0:
            text = f"found 0 for {what}, expected more than zero (fio cuts what is below 1)"
            self.say(found.line, text, "note")
        elif not found.value <= units.LIMITS[metric]:
            text = f"found {raw} {unit} for {what}, expected what a device reaches"
            self.say(found.line, text)
        else:
            self.figures.append(found)
            if metric == "bandwidth":
                self.rates[direction] = found.low, found.high

    def settle_latencies(self, direction: str) -> None:
        """Leave out latencies of a direction without a mean, or with one beyond the run's time.

        The mean lies within the run time, 2 ms of two clocks aside: with `gtod_reduce` fio 2.1.11
        prints days for a job of 30 s.
        """
        own = [row for row in self.figures if row.direction == direction]
        mean = next((figure for figure in own if figure.stat == "mean"), None)
        time = self.runtimes.get(direction) or max(self.runtimes.values(), default=None)
        if mean is not None and (time is None or mean.low <= (time + 2) * 1e-3):
            return
        if mean is not None:
            text = f"found a mean {direction} latency of {mean.raw} {mean.raw_unit} in a job"
            self.say(mean.line, f"{text} that ran {time} ms, expected less: not given", "note")
        latencies = [figure for figure in own if figure.metric == "latency"]
        self.figures = [figure for figure in self.figures if figure not in latencies]

    def add_group_rate(self, direction: str, mean: object, per_cent: object) -> None:
        """Take what the group moved: fio prints the mean of samples (KiB/s) and its part in it.

        A run below half a second has no samples, and 100 % may be cut from more: then the job is
        alone in its group where samples and whole agree.
        """
        printed = str(per_cent).rstrip("%")
        try:
            value, part = float(str(mean)) * units.KIB, float(printed) / 100
            low, high = self.rates[direction]
        except (ValueError, KeyError):
            return
        half = 0.5 / 10 ** min(len(printed.partition(".")[2]), 300) / 100
        if 0 < part < 1 and value > 0:
            self.group_rates[direction] = value / (part + half), value / max(part - half, half)
        elif part >= 1 and value < 1.5 * high:
            self.group_rates[direction] = low, high

    def is_part(self) -> bool:
        """Tell whether its group moved more than this job."""
        ranges = ((self.rates.get(of), low) for of, (low, _) in self.group_rates.items())
        return any(own and low > own[1] * (1 + SLACK) for own, low in ranges)

    def say(self, line: int, text: str, kind: str = "error") -> None:
        """Add a word on the job, once."""
        problem = Problem(line, text, kind)
        if problem not in self.problems:
            self.problems.append(problem)

    def end_early(self, status: str, text: str, line: int = 0) -> None:
        """Note what tells that a job had not ended, at its own line or at another."""
        if self.status == "measured":
            self.status = status
        self.say(line or self.line, text, "note")

    def rows(self) -> list[Measurement]:
        """Return the rows of the job: each figure with the cells that its direction shares."""
        found: list[Measurement] = []
        for direction, figures in groupby(self.figures, attrgetter("direction")):
            op, shared = self._shared(direction)
            for figure in figures:
                line, column, _, metric, stat = figure[:5]
                row = Measurement(line, column, op, metric, stat, *figure[5:], *shared)
                if (direction, metric) in self.doubts:
                    row = row._replace(remarks=(*row.remarks, DISAGREE))
                found.append(row)
        return found

    def _shared(self, direction: str) -> tuple[str, tuple[Any, ...]]:
        known, of = self.known, "write" if direction == "fsync" else direction
        remarks: tuple[str, ...] = () if known.mode or of == "mixed" else (UNKNOWN_PATTERN,)
        remarks += self.remarks.get(direction, ()) + (SUMMED,) * self.is_sum
        block_size = self.sizes.get(of) or known.block_size(of)
        cells = known.file_size, known.numjobs, known.iodepth, known.read_mix, known.direct
        own = self.version, None, block_size, *cells, 1, f"{self.run}-fio", self.status, remarks
        return known.op(direction), ("fio", *own, self.name)


def overlap(first: Range, second: Range, slack: float = 0) -> bool:
    """Tell whether two ranges have a value in common, each widened by this part of its ends."""
    return first[0] * (1 - slack) <= second[1] and second[0] * (1 - slack) <= first[1]
