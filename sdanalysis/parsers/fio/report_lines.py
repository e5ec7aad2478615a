"""The figures of one line of fio's report for people: rates, latencies, totals.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c: whole numbers are cut, those
with a letter for thousands rounded. Counts have at most 18 digits, as in every column.
"""

from __future__ import annotations

import re

from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import Amounts, Figure, Job, amounts, overlap

_NUMBER, _UNIT = r"\d{1,18}(?:\.\d{1,18})?", r"[kKMGTP]?i?(?:B|bit|b)?(?:/s)?"
_DIRECTION = r"\s*+(?P<direction>read|write|trim|mixed)\s*: "
_IOPS = rf"(?P<iops>{_NUMBER}[kKMGT]?)"
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


def add_rates(job: Job, number: int, match: re.Match[str]) -> bool:
    """Add the bandwidth and the IOPS of a direction; tell whether they fit its block size."""
    direction, raw = match["direction"], match["iops"]
    name, exclude, moved = bandwidth(match, job.known.kb_base)
    if exclude:
        job.doubts.add((direction, "bandwidth"))
        said = f"found {match['rate']}{match['rate_unit']} beside {match['other']}"
        said += f"{match['other_unit']}, which exclude one another {_CARRY}"
        job.say(number, f"{said}: the greater is taken", "note")
    value, low, high, unit = amounts(raw, "iops")
    block = job.known.block_size(direction)
    most = high + job.known.under_way * 1000 / job.runtimes[direction]
    if "." in raw and block and most < moved[1] / block * 0.995:
        high = moved[2] / block
        job.doubts.add((direction, "iops"))
        said = f"found IOPS={raw}, expected about {moved[0] / block:.0f} from the bandwidth"
        job.say(number, f"{said} {_CARRY}: kept as printed, with a wide range", "note")
    kind = direction, "iops", "single", raw, "iops"
    job.add(Figure(number, match.start("iops") + 1, *kind, value, low, high, unit))
    kind = direction, "bandwidth", "single", match[name], match[f"{name}_unit"]
    job.add(Figure(number, match.start(name) + 1, *kind, *moved))
    return not block or overlap((low * block, max(high, most) * block), moved[1:3], 0.05)


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


def bandwidth(
    match: re.Match[str], kb_base: int, *, is_total: bool = False
) -> tuple[str, bool, Amounts]:
    """Return which of the two rates of a line counts, whether they exclude one another, and it.

    The greater counts, for the other lost a carry. Rates in plain bytes were cut before 2.17.
    """
    if match.re is OLD or match["other"] is None:
        is_cut = is_total or match["rate_unit"] in ("B/s", "bit/s", "b/s", "")
        tool = "fio before 2.17" if kb_base == KIB else "fio"
        return "rate", False, _amounts(match, "rate", tool, width=1 + is_cut)
    rate, other = (_amounts(match, name, width=2) for name in ("rate", "other"))
    exclude = not overlap(rate[1:3], other[1:3])
    name = "other" if exclude and other[0] > rate[0] else "rate"
    return name, exclude, _amounts(match, name, width=1 + is_total)


def _amounts(match: re.Match[str], name: str, tool: str = "fio", *, width: int) -> Amounts:
    """Return a rounded rate; the sums over clients are printed without `B/s`."""
    word = match[f"{name}_unit"].removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    return amounts(match[name], f"{word}/s", tool, rounded=True, width=width)
