"""The figures of one line of fio's report for people: rates, latencies, totals, block sizes.

Counts have at most 18 digits, as in every column: what has more is not read as a number.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sdanalysis.codebook.measurement import Line
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import (
    BOTH,
    DISAGREE,
    Figure,
    Job,
    Range,
    SharedCells,
    factor_of,
    figure,
    half_step,
    overlap,
)

# Mail quotes, marks of a list, a diff or a comment and fio's own client prefix stand before it. The
# first of them may be thousands of blanks, of which none is given back (`*+`).
BEFORE = r"^[\s>|*+-]*+(?:(?:#>?|//)\s+)?(?:<[^<>\s]+> *)?"
HEADER = re.compile(
    BEFORE + r"(?P<name>.*): \(g=(?P<group>\d{1,9})\): rw=(?P<mode>[a-z]+)[^,]*, ?"
    r"bs=(?P<sizes>.*), ?ioengine=(?P<engine>[^,]*), ?iodepth=(?P<depth>\d{1,9})\b",
    re.ASCII,
)
BLOCK = re.compile(
    BEFORE + r"(?P<name>.*): \(groupid=(?P<group>\d{1,9}), ?jobs=(?P<jobs>\d{1,9})\): "
    r"err=\s*(?P<error>\d{1,9})\b(?P<rest>.*)$",
    re.ASCII,
)
_NUMBER, _UNIT = r"\d{1,18}(?:\.\d{1,18})?", r"[kKMGTP]?i?(?:B|bit|b)?"
_TIME = r"(?P<time>\d{1,15})msec"
_RATE, _OTHER = (
    rf"(?P<{name}>{_NUMBER})(?P<{name}_unit>{_UNIT}(?:/s)?)" for name in ("rate", "other")
)
_HALF = (
    rf"(?P<direction>read|write|trim|mixed)\s*: IOPS=(?P<iops>{_NUMBER})(?P<thousands>[kMGT]?), ?"
    rf"BW={_RATE}"
)
_RATES = rf"{_HALF} \({_OTHER}\)"
_NEW = re.compile(rf"{_RATES}\({_NUMBER}{_UNIT}/{_TIME}\)", re.ASCII)
# people leave out what was moved in which time
_SHORT = re.compile(rf"{_RATES}(?!\s*\()", re.ASCII)
# and its bandwidth in the other unit, which `awk` does
_SHORTEST = re.compile(rf"{_HALF}(?<=[0-9kMGT]iB/s)(?=[\s`*|,;<]*$|\s*[|,;<])", re.ASCII)
_OLD = re.compile(
    rf"(?P<direction>read|write|trim|mixed)\s*: io={_NUMBER} ?[KMGTP]?(?:B|bit|b)?, ?"
    rf"bw=(?P<rate>{_NUMBER}) ?(?P<rate_unit>[KMGTP]?(?:B|bit|b)?/s), ?"
    rf"\*{{0,2}}iops=(?P<iops>{_NUMBER})(?P<thousands>[kKMG]?)\*{{0,2}} *, ?"
    rf"runt= *{_TIME}",
    re.ASCII,
)
# an author wrote all of it in lower case
_LOWERED = re.compile(
    rf"(?:read|write)\s*: io=(?P<moved>{_NUMBER})(?P<moved_unit>[kmg])b, ?"
    rf"bw=(?P<rate>{_NUMBER})(?P<rate_unit>[kmg])b/s, ?iops=[^,]*, ?runt= *{_TIME}",
    re.ASCII,
)
_TOTAL = re.compile(
    # people lay several out in columns
    rf"(?P<direction>READ|WRITE|TRIM|MIXED): +(?:io=[^,]*, +aggrb|bw)= *{_RATE}(?: \({_OTHER}\))?",
    re.ASCII,
)
_TOTAL_ENDS = re.compile(r"(?:r(?<=\br)un=\d+-|m(?<=\bm)axt= *)(\d{1,15})msec", re.ASCII)
# people leave out the times
_TOTAL_MOVED = re.compile(r"\bio=[0-9.]{1,8}[kKMGT]?i?B \([0-9.]{1,8}[kKMGT]?B\)", re.ASCII)
_NO_COMMA = r"[^,\s]+"
_FASTEST = re.compile(
    rf"bw={_RATE} \({_NO_COMMA}\), {_NO_COMMA}-(?P<most>{_NUMBER})(?P<most_unit>{_UNIT}/s) \(|"
    rf"aggrb= *(?P<sum>{_NUMBER})(?P<sum_unit>{_UNIT}/s), +minb= *{_NO_COMMA}, +"
    rf"maxb= *(?P<old>{_NUMBER})(?P<old_unit>{_UNIT}/s),",
    re.ASCII,
)
_TOTAL_OF_ONE = re.compile(
    rf"bw=(?P<new>{_NO_COMMA}) \({_NO_COMMA}\), (?P=new)-(?P=new) \(|"
    rf"aggrb= *(?P<old>{_NUMBER})(?P<unit>{_UNIT}/s), +minb= *(?P<most>{_NUMBER})(?P=unit), +"
    r"maxb= *(?P=most)(?P=unit),",
    re.ASCII,
)
# and all but the sum, which `cut -d, -f1` does
_TOTAL_SHORT = re.compile(
    rf"\b[A-Z]+: bw={_NO_COMMA} \({_NO_COMMA}\)"
    rf"(?:, {_NO_COMMA}-{_NO_COMMA}(?: \({_NO_COMMA}\))?)?[\s`*|]*$"
)
_LATENCY = re.compile(
    BEFORE + r"(?:lat|sync) \((?P<unit>[num]?sec)\)\s*: min="
    rf"(?:(?P<min>.*?), ?max=(?P<max>.*?), ?avg= *(?P<mean>{_NUMBER}), ?"
    # all versions print two decimals: one is a cut line
    rf"stdev=(?: *(?P<stddev>\d{{1,18}}\.\d\d)(?!\d))?)?",
    re.ASCII,
)
_COMPLETION = re.compile(BEFORE + r"clat \([num]?sec\)\s*: min=")
_EXTREME = re.compile(rf" *(?P<number>{_NUMBER})(?P<thousands>[kKMGT]?) *", re.ASCII)
_LATENCIES = (
    "`lat (usec): min=, max=, avg=, stdev=`: no latency is given (a whole clat is but a part of it)"
)
_SHAPES = "`IOPS=, BW= ()(/msec)` (2.17 and later) or `io=, bw=, iops=, runt=`"
_DOUBT = (
    "found {0[rate]}{0[rate_unit]} beside {0[other]}{0[other_unit]}, which exclude one another "
    "(fio before 3.26 loses a carry, 24.97 becomes 24.0): the greater, {chosen}, is taken"
)
_SIZE = r"(\d{1,15})(?:\.0+)?([KMG]i?(?=B?)|[kmg](?!B)|)B?"  # in lower case by an author alone
_RANGE = re.compile(rf"{_SIZE}-{_SIZE}", re.ASCII)


@lru_cache(maxsize=64)  # the jobs of a folder's logs have a few
def block_sizes(text: str, base: int) -> tuple[int | None, int | None, int | None]:
    """Return the sizes for read, write and trim, None for a range or a rounded size."""
    sizes: dict[str, int | None] = {}
    new = re.findall(r"\(([RWT])\) ([^,]*)", text)
    # the development versions of 2.17 part them with commas
    for letter, part in new or zip("RWT", re.split("[/,]", text), strict=False):
        if match := _RANGE.fullmatch(part.strip()):
            least, most = _bytes(match[1], match[2], base), _bytes(match[3], match[4], base)
            sizes[letter] = least if least == most else None
    return (sizes.get("R"), sizes.get("W"), sizes.get("T"))


def _bytes(number: str, prefix: str, base: int) -> int:
    """`4K` is in units of kb_base; from 2.17 on `KiB` and `kB` mean what they say."""
    step = KIB if prefix.endswith("i") or base == KIB else 1000
    return int(number) * step ** (" KMG".index(prefix[0].upper()) if prefix else 0)


@lru_cache(maxsize=64)
def _factor(unit: str, *, old: bool = False) -> float:
    """Return bytes per second of a printed unit; the sums over clients are without `B/s`."""
    word = unit.removesuffix("/s")
    word = word if word.endswith(("B", "b", "bit")) else f"{word}B"
    return factor_of("fio before 2.17" if old else "fio", f"{word}/s")


def add_direction(
    job: Job, line: Line, *, start: int | None = None, is_last: bool = False
) -> tuple[str, SharedCells] | None:
    """Add bandwidth and IOPS of a line of any version; return its direction and shared cells.

    In a line of somebody's own they begin at `start`. The time may be left out, but not in the
    last line of a block, which may be cut.
    """
    is_bare = not job.name and job.group is None
    shapes = [_NEW, _OLD, *([_SHORT] if is_bare or not is_last else [])]
    shapes += [] if is_last else [_SHORTEST]
    places = (
        shape.search(line.text) if start is None else shape.match(line.text, start)
        for shape in shapes
    )
    match = next(filter(None, places), None)
    if match is None and start is None:
        match = _OLD.search(_raised(line.text))
    if match is None:
        job.error(f"found {line.text.strip()[:120]!r}, expected {_SHAPES}", line.number)
        return None
    direction = match["direction"]
    if direction == "mixed" and job.rates:
        job.note(BOTH, line.number)
        return None
    time = int(match["time"]) if match.re in (_NEW, _OLD) else None
    if time == 0:
        text = f"found {direction} figures over 0 msec, expected a time above zero"
        job.error(text, line.number)
        return None
    cells = job.cells(direction)
    bandwidth, doubt = _bandwidth(match, line.number, job.known.kb_base)
    if doubt:
        job.note(doubt, line.number)
    if time is not None:
        job.runtimes[direction] = time
    _add_iops(job, direction, _iops(match, line.number), bandwidth, cells)
    if job.add(direction, bandwidth, cells) and doubt:
        job.remark(DISAGREE)
    job.rates[direction] = bandwidth.value_low, bandwidth.value_high
    return direction, cells


def _raised(text: str) -> str:
    """Return a line in lower case with fio's units where its figures tell what these are.

    What was moved in `mb` over the time is the rate in `kb/s` of 1024 alone.
    """
    match = _LOWERED.search(text)
    if match is None or match["moved_unit"] == match["rate_unit"] or match["time"] == "0":
        return text
    moved, rate = (
        float(match[name]) * KIB ** " kmg".index(match[f"{name}_unit"])
        for name in ("moved", "rate")
    )
    if abs(moved / float(match["time"]) * 1000 / rate - 1) > 0.005:  # 1000 would be 0.024 off
        return text
    return re.sub(r"(?<=[0-9])[kmg]b\b", lambda unit: unit[0].upper(), text, count=2)


def _bandwidth(match: re.Match[str], line: int, kb_base: int) -> tuple[Figure, str]:
    """Return the bandwidth of a line, and a doubt where its two units exclude one another."""
    is_alone = match.re in (_OLD, _SHORTEST) or not match["other"]
    is_old = is_alone and match.re is not _SHORTEST
    name, exclude = ("rate", False) if is_alone else _greater(match)
    raw, unit = match[name], match[f"{name}_unit"]
    factor = _factor(unit, old=is_old and kb_base != 1000)
    amounts = _around(raw, factor, width=2 if is_old and factor <= 1 else 1)  # old B/s are cut
    if match.re is _SHORTEST and raw.endswith(".0"):  # it may have lost a carry (fio before 3.26)
        amounts = *amounts[:2], amounts[0] + factor
    doubt = _DOUBT.format(match, chosen=raw + unit) if exclude else ""
    return Figure(line, match.start(name) + 1, "bandwidth", raw, unit, *amounts), doubt


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


def _greater(match: re.Match[str]) -> tuple[str, bool]:
    """Return which of the two rates of a line counts, and whether they exclude one another.

    From 2.17 on; up to 3.25 one may have lost a carry (num2str.c), 24.97 was printed as 24.0: where
    the two exclude one another the greater is the right one.
    """
    rate, other = (
        _around(match[name], _factor(match[f"{name}_unit"]), width=2) for name in ("rate", "other")
    )
    exclude = not overlap(rate[1:], other[1:])
    return "other" if exclude and other > rate else "rate", exclude


def group_total(text: str, kb_base: int) -> tuple[str, Range, bool] | None:
    """Return direction and bandwidth (B/s) of a group of jobs, and whether its line is whole."""
    match = _TOTAL.search(text)
    if match is None:
        return None
    name, _ = _greater(match) if match["other"] else ("rate", False)
    factor = _factor(match[f"{name}_unit"], old=not match["other"] and kb_base != 1000)
    _, low, high = _around(match[name], factor, width=2)
    return match["direction"].lower(), (low, high), bool(_TOTAL_ENDS.search(text))


def may_be_read(text: str) -> bool:
    """Tell cheaply whether a line holds a word of those that are read: most hold none."""
    return (
        "IOPS=" in text
        or "lat (" in text
        or "avg=" in text
        or "sync (" in text
        or "fsync/" in text
        or ", depth=" in text
        or ": total=" in text
        or "rw = " in text
        or "bs=" in text
        or "qd=" in text
        or "(g" in text
        or "..." in text
        or "fio" in text
        or "io -" in text
        or ": io=" in text
        or ": bw=" in text
        or "aggrb=" in text
        or "terminating on" in text
        or "Run status group" in text
    )


def total_words(text: str) -> str:
    """Return what fio prints in a line of totals, without what stands around it."""
    match = _TOTAL.search(text)
    if match is None:
        return ""
    end = _TOTAL_ENDS.search(text, match.end()) or _TOTAL_MOVED.search(text, match.end()) or match
    return text[match.start() : end.end()]


def is_total_of_one(text: str) -> bool:
    """Tell whether the slowest and the fastest job of a group moved as much as all of it.

    Of fio 1 they may have moved 1.024 times as much.
    """
    match = _TOTAL_OF_ONE.search(text)
    return bool(match and (match["new"] or float(match["old"]) <= float(match["most"])))


def is_short_total(text: str) -> bool:
    """Tell whether a line of totals has the sum of a group, and no figures of somebody's own."""
    return bool(_TOTAL_SHORT.search(text))


def may_be_sum(text: str, numjobs: int | None = None) -> bool:
    """Tell whether a total may be that of so many processes: the fastest gave its share or more.

    Without a number of them: of any number.
    """
    match = _FASTEST.search(text)
    if match is None:
        return False
    names = ("sum", "old") if match["sum"] else ("rate", "most")
    whole, most = (
        float(match[name]) * _factor(match[f"{name}_unit"], old=name in ("sum", "old"))
        for name in names
    )
    return most < whole and (numjobs is None or whole <= most * numjobs * 1.02)


def add_total_rate(job: Job, line: Line) -> None:
    """Add the bandwidth of a line of totals to a job without blocks."""
    match, end = _TOTAL.search(line.text), _TOTAL_ENDS.search(line.text)
    is_short = bool(job.known.numjobs) and is_short_total(line.text)
    is_whole = end or is_short or _TOTAL_MOVED.search(line.text)
    if match is None or not is_whole:
        job.note(f"found {line.text.strip()[:120]!r}, expected a whole line of a group's totals")
        return
    direction = match["direction"].lower()
    bandwidth, doubt = _bandwidth(match, line.number, job.known.kb_base)
    if end:
        job.runtimes[direction] = int(end[1])
    job.rates[direction] = bandwidth.value_low, bandwidth.value_high
    if job.add(direction, bandwidth, job.cells(direction)) and doubt:
        job.note(doubt, line.number)
        job.remark(DISAGREE)


def add_latencies(job: Job, direction: str, line: Line, cells: SharedCells) -> bool:
    """Add the figures of a line `lat (usec): min=, max=, avg=, stdev=`; False for another line."""
    match = _LATENCY.match(line.text)
    if match is None:
        return False
    if match["mean"] is None:
        text = f"found {line.text.strip()[:120]!r}, expected {_LATENCIES}"
        job.error(text, line.number)
        return True
    found: dict[str, Figure] = {}
    for stat in ("mean", "stddev"):
        if match[stat]:
            place = (line.number, match.start(stat) + 1)
            found[stat] = figure(place, "latency", match[stat], match["unit"], rounded=True)
    for stat in ("min", "max"):
        if extreme := _extreme(match, stat, line.number):
            found[stat] = extreme
    job.add_latencies(direction, cells, found)
    return True


def is_completion(text: str) -> bool:
    """Tell whether a line has the completion latency, which is a part of the total."""
    return "clat (" in text and bool(_COMPLETION.match(text))


def _extreme(match: re.Match[str], stat: str, line: int) -> Figure | None:
    """Return the least or greatest latency: whole units are cut, thousands rounded.

    Those whose decimals are zeros may have lost a carry (fio before 3.26).
    """
    number = _EXTREME.fullmatch(match[stat])
    if number is None:
        return None
    raw, thousands = number["number"], number["thousands"]
    step = 1000 ** " KMGT".index(thousands.upper() or " ")
    factor = factor_of("fio", match["unit"]) * step
    value, low, high = _around(raw, factor)
    fraction = raw.partition(".")[2]
    if not thousands and not fraction:
        low, high = value, value + factor
    elif not fraction.strip("0"):
        high = value + factor
    column = match.start(stat) + number.start("number") + 1
    return Figure(line, column, "latency", raw + thousands, match["unit"], value, low, high)


def _add_iops(job: Job, direction: str, iops: Figure, moved: Figure, cells: SharedCells) -> None:
    """Add IOPS; where they are below what the bandwidth means they lost a carry: a wide range."""
    block = cells.block_size
    most = iops.value_high + job.known.uncounted(job.runtimes.get(direction))
    if not block or "." not in iops.raw or most >= moved.value_low / block * 0.995:
        job.add(direction, iops, cells)
    elif job.add(direction, iops._replace(value_high=moved.value_high / block), cells):
        job.remark(DISAGREE)
        text = (
            f"found IOPS={iops.raw}, expected about {moved.value / block:.0f} from the bandwidth "
            "(fio before 3.26 loses a carry): kept as printed, with a wide range"
        )
        job.note(text, iops.line)
