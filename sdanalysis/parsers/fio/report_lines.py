"""The figures of one line of fio's report for people: rates, latencies, totals.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c: whole numbers are cut, those
with a letter for thousands rounded. Counts have at most 18 digits, as in every column.
"""

from __future__ import annotations

import re

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Amounts, Figure, Job, Range, amounts, overlap

_NUMBER, _UNIT = r"\d{1,18}(?:\.\d{1,18})?", r"[kKMGTP]?i?(?:B|bit|b)?(?:/s)?"
_DIRECTION = r"\s*+(?P<direction>read|write|trim|mixed)\s*: "
_IOPS = rf"(?P<iops>{_NUMBER})(?P<thousands>[kKMGT]?)"
_RATE, _OTHER = (rf"(?P<{name}>{_NUMBER}) ?(?P<{name}_unit>{_UNIT})" for name in ("rate", "other"))
_TIME = r"(?P<time>\d{1,15})msec"
NEW = re.compile(
    rf"{_DIRECTION}IOPS={_IOPS}, ?BW={_RATE} \({_OTHER}\)\({_NUMBER}{_UNIT}/{_TIME}\)", re.ASCII
)
OLD = re.compile(
    rf"{_DIRECTION}io={_NUMBER} ?{_UNIT}, ?bw={_RATE}, ?iops={_IOPS} *, ?runt= *{_TIME}", re.ASCII
)
LATENCY = re.compile(
    rf"\s*+(?:lat|sync) \((?P<unit>[num]?sec)\)\s*: min= *(?P<min>{_NUMBER}[kKMGT]?) *, ?"
    rf"max= *(?P<max>{_NUMBER}[kKMGT]?) *, ?avg= *(?P<mean>{_NUMBER}), ?"
    r"stdev= *(?P<stddev>\d{1,18}\.\d\d)(?!\d)",  # two decimals: one is a cut line
    re.ASCII,
)
TOTAL = re.compile(
    rf"\s*+(?P<direction>READ|WRITE|TRIM|MIXED): +(?:io=[^,]*, +aggrb|bw)= *{_RATE}"
    rf"(?: \({_OTHER}\))?,.*?(?:\brun=\d+-|\bmaxt= *)\d{{1,15}}msec",
    re.ASCII,
)
_CARRY = "(fio before 3.26 loses a carry, 24.97 becomes 24.0)"


def add_rates(job: Job, number: int, match: re.Match[str]) -> None:
    """Add the bandwidth and the IOPS of the line of a direction."""
    moved = _bandwidth(job, number, match)
    direction, raw = moved.direction, match["iops"] + match["thousands"]
    value, low, high, unit = amounts(raw, "iops")
    block = job.known.block_size(direction)
    if "." in raw and block:
        most = high + job.known.under_way * 1000 / job.runtimes[direction]
        if most < moved.low / block * 0.995:
            high = moved.high / block
            job.doubts.add((direction, "iops"))
            said = f"found IOPS={raw}, expected about {moved.value / block:.0f} from the bandwidth"
            job.say(number, f"{said} {_CARRY}: kept as printed, with a wide range", "note")
    column = match.start("iops") + 1
    job.add(
        Figure(number, column, direction, "iops", "single", raw, "iops", value, low, high, unit)
    )
    job.add(moved)


def _bandwidth(job: Job, number: int, match: re.Match[str]) -> Figure:
    """Return the bandwidth of a line; up to 3.25 one of its two rates may have lost a carry."""
    direction, name, is_old = match["direction"], "rate", match.re is OLD
    if not is_old:
        exclude, name = _greater(match)
        if exclude:
            job.doubts.add((direction, "bandwidth"))
            said = f"found {match['rate']}{match['rate_unit']} beside {match['other']}"
            said += f"{match['other_unit']}, which exclude one another {_CARRY}"
            job.say(number, f"{said}: the greater is taken", "note")
    raw, printed = match[name], match[f"{name}_unit"]
    width = 2 if is_old and printed in ("B/s", "bit/s", "b/s", "") else 1  # these are cut
    of_1024 = is_old and job.known.kb_base == KIB
    found = _amounts(raw, printed, of_1024=of_1024, width=width)
    column = match.start(name) + 1
    return Figure(number, column, direction, "bandwidth", "single", raw, printed, *found)


def add_latencies(job: Job, direction: str, number: int, match: re.Match[str]) -> None:
    """Add the latencies of a direction; the extremes `9.0k` and `37049k` may have lost a carry."""
    printed = match["unit"]
    for stat in ("min", "max", "mean", "stddev"):
        raw, column = match[stat], match.start(stat) + 1
        value, low, high, unit = amounts(raw, printed, rounded=stat == "mean")
        fraction = raw.rstrip("kKMGT").partition(".")[2]
        if stat in ("min", "max") and not raw.isdigit() and not fraction.strip("0"):
            high = value + (high - low) * 10 ** len(fraction)
        own = direction, "latency", stat, raw, printed
        job.add(Figure(number, column, *own, value, low, high, unit))
    job.settle_latencies(direction)


def total_of(match: re.Match[str], kb_base: int) -> Range:
    """Return the range (B/s) of the total of a group."""
    _, name = _greater(match) if match["other"] else (False, "rate")
    of_1024 = not match["other"] and kb_base == KIB
    return _amounts(match[name], match[f"{name}_unit"], of_1024=of_1024, width=2)[1:3]


def _greater(match: re.Match[str]) -> tuple[bool, str]:
    """Tell whether the two rates of a line exclude one another, and return which one counts."""
    rate = _amounts(match["rate"], match["rate_unit"], width=2)
    other = _amounts(match["other"], match["other_unit"], width=2)
    exclude = not overlap(rate[1:3], other[1:3])
    return exclude, "other" if exclude and other[0] > rate[0] else "rate"


def _amounts(raw: str, printed: str, *, of_1024: bool = False, width: int = 1) -> Amounts:
    """Return a rounded rate; the sums over clients are printed without `B/s`."""
    word = printed.removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    tool = "fio before 2.17" if of_1024 else "fio"
    return amounts(raw, f"{word}/s", tool, rounded=True, width=width)
