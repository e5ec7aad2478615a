"""The rates in fio's report for people: a direction of a job, and the total of a group."""

from __future__ import annotations

import re
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import unit_of
from sdanalysis.parsers.fio.job import DISAGREE, Figure, Job, Range, SharedCells, half_step, overlap

_NUMBER, _UNIT = r"\d+(?:\.\d+)?", r"[kKMGTP]?i?(?:B|bit|b)?"
_RATE, _OTHER = (
    rf"(?P<{name}>{_NUMBER})(?P<{unit}>{_UNIT}(?:/s)?)"
    for name, unit in (("rate", "unit"), ("other", "other_unit"))
)
_NEW = re.compile(
    rf"(?P<direction>read|write|trim|mixed)\s*: IOPS=(?P<iops>{_NUMBER})(?P<thousands>[kMGT]?), "
    rf"BW={_RATE} \({_OTHER}\)\({_NUMBER}{_UNIT}/(?P<time>\d+)msec\)"
)
_OLD = re.compile(
    rf"(?P<direction>read|write|trim|mixed)\s*: io={_NUMBER}[KMGTP]?(?:B|bit|b)?, "
    rf"bw=(?P<rate>{_NUMBER})(?P<unit>[KMGTP]?(?:B|bit|b)?/s), "
    rf"iops=(?P<iops>{_NUMBER})(?P<thousands>[kKMG]?) *, runt= *(?P<time>\d+)msec"
)
_TOTAL = re.compile(
    rf"(?P<direction>READ|WRITE|TRIM|MIXED): (?:io=[^,]*, aggrb|bw)={_RATE}(?: \({_OTHER}\))?"
)
_SHAPES = "`IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"


def _factor(unit: str, *, old: bool = False) -> float:
    """Return bytes per second of a printed unit; the sums over clients are without `B/s`."""
    word = unit.removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    return unit_of("fio before 2.17" if old else "fio", f"{word}/s").factor


def add_direction(job: Job, line: Line) -> tuple[str, SharedCells] | None:
    """Add bandwidth and IOPS of a direction line of any version, or say why it cannot be read.

    Returns the direction and the cells of its figures.
    """
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
    name, unit, doubt = "rate", match["unit"], ""
    factor = _factor(unit, old=kb_base != 1000)
    width = 2 if factor <= 1 else 1  # B/s are cut
    if match.re is _NEW:
        (name, unit, _), exclude = _greater(match)
        factor, width = _factor(unit), 1
        doubt = _DOUBT.format(match, chosen=match[name] + unit) if exclude else ""
    amounts = _around(match[name], factor, width)
    place = (line, match.start(name) + 1)
    return Figure(*place, "bandwidth", match[name], unit, *amounts), doubt


_DOUBT = (
    "found {0[rate]}{0[unit]} beside {0[other]}{0[other_unit]}, which exclude one another (fio "
    "before 3.26 loses a carry, 24.97 becomes 24.0): the greater, {chosen}, is taken"
)


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


class _Printed(NamedTuple):
    """A rate as one of two units prints it: the name of its group in the pattern, and its range."""

    name: str
    unit: str
    amounts: tuple[float, float, float]


def _greater(match: re.Match[str]) -> tuple[_Printed, bool]:
    """Return the rate of a line that prints it in two units, and whether they exclude one another.

    From 2.17 on; up to 3.25 one may have lost a carry (num2str.c), 24.97 was printed as 24.0: where
    the two exclude one another the greater is the right one.
    """
    rate, other = (
        _Printed(name, match[unit], _around(match[name], _factor(match[unit]), width=2))
        for name, unit in (("rate", "unit"), ("other", "other_unit"))
    )
    if overlap(rate.amounts[1:], other.amounts[1:]):
        return rate, False
    return max(other, rate, key=lambda printed: printed.amounts[0]), True


def group_line(text: str, kb_base: int) -> tuple[str, Range] | None:
    """Return direction and bandwidth (B/s) of a group of jobs from its line of the totals."""
    match = _TOTAL.search(text)
    if match is None:
        return None
    if match["other"]:
        _, low, high = _greater(match)[0].amounts
    else:
        _, low, high = _around(match["rate"], _factor(match["unit"], old=kb_base != 1000), width=2)
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
