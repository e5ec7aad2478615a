"""The lines of fio's report for people: headers, files laid out, rates, latencies, totals.

Grammar from stat.c 2.16 and 3.33 (show_ddir_status), lib/num2str.c: whole numbers are cut, those
with a letter for thousands rounded. Counts have at most 18 digits, as in every column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from re import Match
from typing import NamedTuple

from sdanalysis.codebook.units import KIB, without_error
from sdanalysis.parsers.fio.job import Amounts, Job, amounts, overlap
from sdanalysis.parsers.fio.options import Conditions, Sizes, common

CLIENT = r"\s*+(?:<[^<>\s]{1,200}> *)?"  # fio's own prefix: whose report it is
HEADER = re.compile(
    rf"(?a){CLIENT}(?P<name>.*): \(g=(?P<group>\d{{1,9}})\): rw=(?P<mode>[a-z]+)[^,]*, ?"
    r"bs=(?P<sizes>.*), ?ioengine=(?P<engine>[^,]*), ?iodepth=(?P<depth>\d{1,9})\b"
)
# a range of one size; the development versions of 2.17 part them with commas, those before with /
_SIZE = re.compile(r"(?a) ?(?:\([RWT]\) )?((\d{1,15})(?:\.0+)?([KMG]i?|[kmg](?!B)|)B?)-\1")
_LAID = re.compile(
    r"(?a)\s*+(?P<name>\S.{0,200}?): Laying out IO file(?:\(s\))? "
    r"\(1 file(?:\(s\))? / (?P<size>\d{1,9})Mi?B\)"
)
_NUMBER, _UNIT = r"\d{1,18}(?:\.\d{1,18})?", r"[kKMGTP]?i?(?:B|bit|b)?(?:/s)?"
_DIRECTION = r"(?a)\s*+(?P<direction>read|write|trim|mixed)\s*: "
_IOPS = rf"(?P<iops>{_NUMBER}[kKMGT]?)"
_RATE, _OTHER = (rf"(?P<{name}>{_NUMBER}) ?(?P<{name}_unit>{_UNIT})" for name in ("rate", "other"))
_TIME = r" *(?P<time>\d{1,15})msec"
NEW = re.compile(rf"{_DIRECTION}IOPS={_IOPS}, ?BW={_RATE} \({_OTHER}\)\({_NUMBER}{_UNIT}/{_TIME}\)")
OLD = re.compile(rf"{_DIRECTION}io={_NUMBER} ?{_UNIT}, ?bw={_RATE}, ?iops={_IOPS} *, ?runt={_TIME}")
LATENCY = re.compile(
    rf"(?a)\s*+(?:lat|sync) \((?P<unit>[num]?sec)\)\s*: min= *(?P<min>{_NUMBER}[kKMGT]?) *, ?"
    rf"max= *(?P<max>{_NUMBER}[kKMGT]?) *, ?avg= *(?P<mean>{_NUMBER}), ?"
    r"stdev= *(?P<stddev>\d{1,18}\.\d\d)(?!\d)"  # two decimals: one is a cut line
)
TOTAL = re.compile(
    rf"(?a)\s*+(?P<direction>READ|WRITE|TRIM|MIXED): +(?:io=[^,]*, +aggrb|bw)= *{_RATE}"
    rf"(?: \({_OTHER}\))?,.*?(?:\brun=\d+-|\bmaxt= *)\d{{1,15}}msec"
)
_ROUND = {8, 16, 32, 64, 128, 256, *(digit * 10**n for digit in range(1, 10) for n in range(1, 9))}
_CARRY = "(fio before 3.26 loses a carry, 24.97 becomes 24.0)"


class Header(NamedTuple):
    """The header of a job; below it `...` where more of it run."""

    line: int
    group: int
    name: str
    known: Conditions
    has_more: bool


@lru_cache(maxsize=64)  # the jobs of a folder's logs have a few
def block_sizes(text: str, base: int) -> Sizes:
    """Return the sizes for reads, writes and trims, None for a range or a rounded size."""
    # `4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say.
    sizes: list[int | None] = []
    for match in map(_SIZE.fullmatch, re.split("[/,]", text)):
        number, prefix = match.groups()[1:] if match else ("", "")
        step = KIB if prefix.endswith("i") or base == KIB else 1000
        power = " KMG".index(prefix[:1].upper() or " ")
        sizes.append(int(number) * int(step**power) if match else None)
    read, write, trim = [*sizes, None, None][:3]
    return read, write, trim


@dataclass(slots=True)
class Run:
    """What the lines above the blocks of a run say of it, and how far its reports have come."""

    begin: int = 0  # index of its first job
    line: int = 0
    version: str | None = None
    is_stopped: bool = False
    headers: list[Header] = field(default_factory=list)
    laid: set[tuple[str, int]] = field(default_factory=set)  # jobs and the sizes of their files
    state: int = 0  # which of its reports (`--status-interval`)
    totals: int = 0  # the line of the last ones

    def conditions(self, name: str, group: int, jobs: int, place: int) -> Conditions | None:
        """Return the conditions of a block; one of several processes is the sum of its group."""
        own = [header.known for header in self.headers if header.name == name]
        if own and jobs > 1:
            return common([header.known for header in self.headers if header.group == group] or own)
        return own[place] if place < len(own) else common(own) if own else None

    def has_several(self, name: str, group: int, known: Conditions) -> bool:
        """Tell whether headers, or without any a command, announce several processes of a test."""
        if all(header.name != name for header in self.headers):
            return (known.numjobs or 1) > 1
        headers = [own for own in self.headers if (own.group, own.known) == (group, known)]
        return len(headers) > 1 or any(header.has_more for header in headers)

    def lay_out(self, line: str) -> None:
        """Take the size of a file that is laid out, if it is round: fio cuts it to MiB."""
        match = _LAID.match(line)
        size = int(match["size"]) if match else 0
        if match and size and (size in _ROUND or size % 512 == 0):
            self.laid.add((match["name"], size << 20))

    def file_size(self, name: str) -> int | None:
        """Return the size of the file of a job, if all files are of that size."""
        sizes = {size for _, size in self.laid}
        return max(sizes) if len(sizes) == 1 and (name, *sizes) in self.laid else None


def add_rates(job: Job, number: int, match: Match[str]) -> bool:
    """Add the bandwidth and the IOPS of a direction; tell whether they fit its block size."""
    direction, raw = match["direction"], match["iops"]
    name, exclude, moved = bandwidth(match, job.known.kb_base)
    if exclude:
        job.doubts.add((direction, "bandwidth"))
        text = f"found {match['rate']}{match['rate_unit']} beside {match['other']}"
        text += f"{match['other_unit']}, which exclude one another {_CARRY}"
        job.say(number, f"{text}: the greater is taken", "note")
    value, low, high, unit = amounts(raw, "iops")
    block = job.known.block_size(direction)
    most = high + job.known.under_way * 1000 / job.runtimes[direction]
    if "." in raw and block and most < moved[1] / block * 0.995:
        high = moved[2] / block
        job.doubts.add((direction, "iops"))
        text = f"found IOPS={raw}, expected about {moved[0] / block:.0f} from the bandwidth"
        job.say(number, f"{text} {_CARRY}: kept as printed, with a wide range", "note")
    place, of = (number, match.start("iops") + 1), (value, low, high, unit)
    job.take(place, (direction, "iops", "single"), raw, "iops", of)
    place, printed = (number, match.start(name) + 1), (match[name], match[f"{name}_unit"])
    job.take(place, (direction, "bandwidth", "single"), *printed, moved)
    return not block or overlap((low * block, max(high, most) * block), moved[1:3], 0.05)


def add_latencies(job: Job, direction: str, number: int, match: Match[str]) -> None:
    """Add the latencies of a direction; the extremes `9.0k` and `37049k` may have lost a carry."""
    printed = match["unit"]
    for stat in ("min", "max", "mean", "stddev"):
        raw, place = match[stat], (number, match.start(stat) + 1)
        value, low, high, unit = amounts(raw, printed, rounded=stat == "mean")
        fraction = raw.rstrip("kKMGT").partition(".")[2]
        if stat in ("min", "max") and not raw.isdigit() and not fraction.strip("0"):
            high = without_error(value + (high - low) * 10 ** len(fraction))
        of = value, low, high, unit
        job.take(place, (direction, "latency", stat), raw, printed, of)
    job.settle_latencies(direction)


def bandwidth(match: Match[str], base: int, *, is_total: bool = False) -> tuple[str, bool, Amounts]:
    """Return which of the two rates of a line counts, whether they exclude one another, and it.

    The greater counts, for the other lost a carry. Rates in plain bytes were cut before 2.17.
    """
    if match.re is OLD or match["other"] is None:
        is_cut = is_total or match["rate_unit"] in ("B/s", "bit/s", "b/s", "")
        tool = "fio before 2.17" if base == KIB else "fio"
        return "rate", False, _amounts(match, "rate", tool, width=1 + is_cut)
    rate, other = (_amounts(match, name, width=2) for name in ("rate", "other"))
    exclude = not overlap(rate[1:3], other[1:3])
    name = "other" if exclude and other[0] > rate[0] else "rate"
    return name, exclude, _amounts(match, name, width=1 + is_total)


def _amounts(match: Match[str], name: str, tool: str = "fio", *, width: int) -> Amounts:
    """Return a rounded rate; the sums over clients are printed without `B/s`."""
    word = match[f"{name}_unit"].removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    return amounts(match[name], f"{word}/s", tool, rounded=True, width=width)
