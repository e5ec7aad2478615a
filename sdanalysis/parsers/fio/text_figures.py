"""The figures of one direction in fio's report for people, and whether they agree."""

from __future__ import annotations

import re
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import DISAGREE, Figure, Job, Range, SharedCells, overlap, refusal

_NUMBER = r"\d+(?:\.\d+)?"
_NEW = re.compile(
    r"(?P<direction>read|write|trim|mixed)\s*: IOPS=(?P<iops>"
    + _NUMBER
    + r")(?P<thousands>[kMGT]?)"
    r", BW=(?P<rate>" + _NUMBER + r")(?P<unit>[kKMGTP]?i?(?:B|bit|b)?(?:/s)?) "
    r"\((?P<other>" + _NUMBER + r")(?P<other_unit>[kKMGTP]?i?(?:B|bit|b)?(?:/s)?)\)"
    r"\((?P<moved>" + _NUMBER + r")(?P<moved_unit>[kKMGTP]?i?(?:B|bit|b)?)/(?P<time>\d+)msec\)"
)
_OLD = re.compile(
    r"(?P<direction>read|write|trim|mixed)\s*: io=(?P<moved>" + _NUMBER + r")"
    r"(?P<moved_unit>[KMGTP]?(?:B|bit|b)?), bw=(?P<rate>" + _NUMBER + r")"
    r"(?P<unit>[KMGTP]?(?:B|bit|b)?/s), iops=(?P<iops>" + _NUMBER + r")(?P<thousands>[kKMG]?) *"
    r", runt= *(?P<time>\d+)msec"
)
_TOTAL = re.compile(
    r"(?P<direction>READ|WRITE|TRIM|MIXED): (?:io=[^,]*, aggrb|bw)=(?P<rate>" + _NUMBER + r")"
    r"(?P<unit>[kKMGTP]?i?(?:B|bit|b)?(?:/s)?)"
    r"(?: \((?P<other>" + _NUMBER + r")(?P<other_unit>[kKMGTP]?i?(?:B|bit|b)?(?:/s)?)\))?"
)
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_SHAPES = "`IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"


class Rate(NamedTuple):
    """One direction: figures as printed with their columns, rates in B/s, the time in ms."""

    direction: str
    time: int
    bandwidth: tuple[float, float, float]  # value, low, high
    raw: str
    raw_unit: str
    column: int
    iops: tuple[float, float, float]
    raw_iops: str
    iops_column: int
    doubt: str = ""


def half_step(raw: str) -> float:
    """Return half of the step of the last printed digit."""
    return 0.5 / 10 ** len(raw.partition(".")[2])


def factor_of(unit: str, base: int = KIB) -> float:
    """Return bytes of a printed unit: `KiB` 1024, `kB` 1000; `base` is that of plain letters."""
    word = unit.removesuffix("/s")
    bits = 8 if word.endswith(("bit", "b")) else 1
    step = KIB if "i" in word.removesuffix("bit") else base
    return step ** _POWERS[word[:1] if word[:1] in _POWERS else ""] / bits


def direction_line(line: Line, kb_base: int, version: str | None) -> Rate | Problem:
    """Read a direction line of any version, or say why it cannot be read."""
    if match := _NEW.search(line.text):
        rate = _new(match)
    elif match := _OLD.search(line.text):
        rate = _old(match, kb_base)
    else:
        text = f"found {line.text.strip()[:120]!r}, expected {_SHAPES}"
        return Problem(line=line.number, text=text)
    if rate.time == 0:
        text = f"found {rate.direction} figures over 0 msec, expected a time above zero"
        return Problem(line=line.number, text=text)
    return rate


def _around(raw: str, factor: float, width: float = 1) -> tuple[float, float, float]:
    value, half = float(raw), half_step(raw) * width
    return value * factor, (value - half) * factor, (value + half) * factor


def _iops(match: re.Match[str]) -> tuple[float, float, float]:
    """Whole numbers are cut, those with k, M and G rounded."""
    value = float(match["iops"])
    if not match["thousands"] and "." not in match["iops"]:
        return value, value, value + 1
    return _around(match["iops"], 1000 ** _POWERS[match["thousands"]])


def _old(match: re.Match[str], kb_base: int) -> Rate:
    """Before 2.17 `KB` is kb_base bytes, 1024 unless the job says otherwise (stat.c 2.16:405)."""
    factor = factor_of(match["unit"], kb_base)
    return Rate(
        direction=match["direction"],
        time=int(match["time"]),
        bandwidth=_around(match["rate"], factor, width=2 if factor <= 1 else 1),  # B/s are cut
        raw=match["rate"],
        raw_unit=match["unit"],
        column=match.start("rate") + 1,
        iops=_iops(match),
        raw_iops=match["iops"] + match["thousands"],
        iops_column=match.start("iops") + 1,
    )


class _Printed(NamedTuple):
    """A rate as one of two units prints it: the name of its group in the pattern, and its range."""

    name: str
    unit: str
    amounts: tuple[float, float, float]


def _greater(match: re.Match[str]) -> tuple[_Printed, bool]:
    """Return the rate of a line that prints it in two units, and whether they exclude one another.

    Up to 3.25 one may have lost a carry (num2str.c), 24.97 was printed as 24.0: where the two
    exclude one another the greater is the right one.
    """
    # The sums over clients are printed without `B/s`, and there K, M without i are powers of 1000.
    rate, other = (
        _Printed(name, match[unit], _around(match[name], factor_of(match[unit], 1000), width=2))
        for name, unit in (("rate", "unit"), ("other", "other_unit"))
    )
    if overlap(rate.amounts[1:], other.amounts[1:]):
        return rate, False
    return max(other, rate, key=lambda printed: printed.amounts[0]), True


def _new(match: re.Match[str]) -> Rate:
    """From 2.17 on both units are printed."""
    chosen, exclude = _greater(match)
    doubt = (
        f"found {match['rate']}{match['unit']} beside {match['other']}{match['other_unit']}, "
        "which exclude one another (fio before 3.26 loses a carry, 24.97 becomes 24.0): "
        f"the greater, {match[chosen.name]}{chosen.unit}, is taken"
    )
    return Rate(
        direction=match["direction"],
        time=int(match["time"]),
        bandwidth=_around(match[chosen.name], factor_of(chosen.unit, 1000)),
        raw=match[chosen.name],
        raw_unit=chosen.unit,
        column=match.start(chosen.name) + 1,
        iops=_iops(match),
        raw_iops=match["iops"] + match["thousands"],
        iops_column=match.start("iops") + 1,
        doubt=doubt if exclude else "",
    )


def group_line(text: str, kb_base: int) -> tuple[str, Range] | None:
    """Return direction and bandwidth of a group of jobs from its line of the totals."""
    match = _TOTAL.search(text)
    if match is None:
        return None
    if match["other"]:
        _, low, high = _greater(match)[0].amounts
    else:
        _, low, high = _around(match["rate"], factor_of(match["unit"], kb_base), width=2)
    return match["direction"].lower(), (low, high)


def add_rate(job: Job, rate: Rate, op: str, cells: SharedCells, line: Line) -> None:
    """Add bandwidth and IOPS of one direction to its job."""
    if rate.doubt:
        job.note(rate.doubt, line.number)
    iops = _carried(rate, cells.block_size)
    lost_carry = iops != rate.iops
    for figure, doubtful in (
        (Figure(line.number, rate.iops_column, "iops", rate.raw_iops, "iops", *iops), lost_carry),
        (
            Figure(line.number, rate.column, "bandwidth", rate.raw, rate.raw_unit, *rate.bandwidth),
            bool(rate.doubt),
        ),
    ):
        if problem := refusal(figure.metric, figure.value, figure.raw, line.number):
            job.problems.append(problem)
            continue
        job.add(op, figure, cells)
        if doubtful:
            job.remark(DISAGREE)
        if doubtful and figure.metric == "iops" and cells.block_size:
            job.note(
                f"found IOPS={figure.raw}, expected about "
                f"{rate.bandwidth[0] / cells.block_size:.0f} from the bandwidth (fio before 3.26 "
                "loses a carry): kept as printed, with a wide range",
                line.number,
            )
    job.runtimes[rate.direction] = rate.time
    job.rates[rate.direction] = rate.bandwidth[1:]


def _carried(rate: Rate, block: int | None) -> tuple[float, float, float]:
    """Widen the range of IOPS that lost a carry: they are below what the bandwidth means."""
    value, low, high = rate.iops
    if not block or "." not in rate.raw_iops:
        return rate.iops
    least = rate.bandwidth[1] / block
    return (value, low, rate.bandwidth[2] / block) if high < least * 0.995 else rate.iops
