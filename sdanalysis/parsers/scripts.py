"""The summaries of scripts that card owners run: lines and tables of their own, not of the tools.

Each script is a declared table: its lines, the tests that their figures are of, and the conditions
that the commands of all its known versions have in common. Where versions differ they are missing.

`disk-benchmark.sh` (pi-cluster; in every sbc-reviews issue) prints six rows, whose MB/s is iozone's
kB/s over 1024 with two decimals: `iozone -e -I -a -r 4k -r 1024k -i 0 -i 1 -i 2`; its awk takes
fields 4 and 6 for `sequential`, which are rewrite and reread. Other tables are not read.

PiBenchmarks (Storage.sh, from 2019 on) runs `hdparm -Tt --direct`, `dd bs=4k conv=fsync`, fio with
bs=4k, iodepth=64 and direct=1, and `iozone -a -e -I -i 0 -i 1 -i 2 -r 4k`: each figure is printed
in a line, then in the table. hdparm's and dd's unit is typed, `MB/s`, up to 2023.

`sdtest.sh` of the Raspberry Pi's diagnostics (agnostics): `rand-4k-write;0;0;3291;822` is a job's
read KB/s and IOPS, then its write KB/s and IOPS of fio's terse line; verdicts below repeat them.
Its sequential jobs have blocks of 512 KiB in 64 MiB at a depth of 4 up to 0.14, then of
4 MiB in 256 MiB at a depth of 32 (raspberrypi-ui/agnostics, pull request 18).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from re import Match
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import KIB, MIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture


class _Test(NamedTuple):
    """What a figure is of: the conditions that the script's command settles."""

    script: str
    tool: str
    op: str = ""
    block_size: int | None = None
    file_size: int | None = None
    numjobs: int | None = None
    iodepth: int | None = None
    direct: bool | None = None


_DISK, _PI, _SD = "disk-benchmark.sh", "PiBenchmarks", "sdtest.sh"
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
Place = tuple[int, int]  # a line, and that of the first figure of its run

_SEQUENTIAL = "1M sequential", "re", MIB
_SIX = tuple(  # the rows in their order, and the test of each
    (f"iozone {row}", _Test(_DISK, "iozone", op, size, numjobs=1, direct=True))
    for name, of, size in (("4K random", "rand", 4 * KIB), ("1M random", "rand", MIB), _SEQUENTIAL)
    for row, op in ((f"{name} {way}", f"{of}{way}") for way in ("read", "write"))
)
_DISK_ROW = re.compile(
    r"\s*+\| *+(?P<test>iozone \w\w (?:random|sequential) (?:read|write)) *+\| *+"
    r"(?P<figure>[0-9]{1,15}\.[0-9]{2}) (?P<unit>MB/s) *+\|\s*+$"
)

_PI_TESTS = {  # but for the operation, which stands in the line's name
    "hdparm": _Test(_PI, "hdparm"),
    "dd": _Test(_PI, "dd", block_size=4 * KIB, direct=False),
    "fio": _Test(_PI, "fio", block_size=4 * KIB, numjobs=1, iodepth=64, direct=True),
    "iozone": _Test(_PI, "iozone", block_size=4 * KIB, numjobs=1, direct=True),
}
_PI_PRINTS = [  # `<tool op>` is a figure
    re.compile(re.sub(r"<(\w+) (\w+)>", r"(?P<\1_\2>.{0,60}?)", rf"\s*+{line}\s*+$"))
    for line in (
        "HDParm: <hdparm read> - HDParmCached: <hdparm cached_read>",
        "DD Write Speed: <dd write>",
        "(?:FIO results - )?4k RandWrite: <fio randwrite> - 4k RandRead: <fio randread>",
        "RandRead: <iozone randread> - RandWrite: <iozone randwrite>"
        " - Read: <iozone read> - Write: <iozone write>",
        r"HDParm\s++Disk Read\s++<hdparm read>",
        r"HDParm\s++Cached Disk Read\s++<hdparm cached_read>",
        r"DD\s++Disk Write\s++<dd write>",
        r"FIO\s++4k random read\s++<fio randread>",
        r"FIO\s++4k random write\s++<fio randwrite>",
        r"IOZone\s++4k read\s++<iozone read>",
        r"IOZone\s++4k write\s++<iozone write>",
        r"IOZone\s++4k random read\s++<iozone randread>",
        r"IOZone\s++4k random write\s++<iozone randwrite>",
    )
]
_PI_FIGURES = {
    "hdparm": re.compile(rf"(?P<rate>{_NUMBER}) (?P<unit>MB/s(?:ec)?|kB/sec)"),
    "dd": re.compile(rf"(?P<rate>{_NUMBER}) (?P<unit>[kMGT]?B/s)"),
    "fio": re.compile(rf"(?P<iops>{_NUMBER}) IOPS \((?P<rate>{_NUMBER}) (?P<unit>KB/s)\)"),
    "iozone": re.compile(rf"(?P<rate>{_NUMBER})(?: (?P<unit>KB/s))?"),
}
_NOT_ITS_OWN = "found the unit of the disk read printed with the cached read: its own is not known"

_SD_JOBS = {"prepare-file": "", "seq-write": "write", "seq-read": "read"}
_SD_JOBS |= {"rand-4k-write": "randwrite", "rand-4k-read": "randread"}
# with the operation of the job that is judged
_SD_VERDICTS = {"Sequential write": "write", "Random write": "randwrite", "Random read": "randread"}
_SD_LINE = re.compile(
    rf"\s*+(?:(?P<job>{'|'.join(_SD_JOBS)});(?P<read>{_NUMBER});(?P<read_iops>{_NUMBER});"
    rf"(?P<write>{_NUMBER});(?P<write_iops>{_NUMBER})(?=\s|$)"
    rf"|(?P<verdict>{'|'.join(_SD_VERDICTS)}) speed [0-9.]{{0,20}} ?\S+ \(target )"
)
# Blocks of the sequential jobs in the versions that are known: size of the file, queue depth.
_SD_VERSIONS = {512 * KIB: (64 * MIB, 4), 4 * MIB: (256 * MIB, 32)}
_CONDITIONS = ("block_size", "file_size", "numjobs", "iodepth")


def parse(capture: Capture) -> Iterator[Item]:
    """Yield the figures of the summaries; those that a tool's own output has too are among them."""
    for reader, signs in (
        (_disk_benchmark, ("| iozone ",)),
        (_pibenchmarks, ("HDParm", "DD ", "FIO ", "IOZone ", "RandWrite: ")),
        (_sdtest, ("prepare-file;", "-write;", "-read;", " (target ")),
    ):
        for item in reader(capture, capture.numbers(signs)):
            if item.line < len(capture.lines) or capture.is_whole:
                yield item
            else:
                yield _note(item.line, "found a figure that ends with the file: it may be cut")


def _row(place: Place, match: Match[str], name: str, test: _Test, unit: tuple[str, str]) -> Item:
    """Return the figure in a group of a match, or why it is none; `unit` is who prints which."""
    number, run = place
    try:
        found = figure(unit[0], match[name], unit[1], truncated=test.script == _SD or None)
    except SdAnalysisError as error:
        return Problem(number, str(error))
    if not found.value:
        text = f"found {match[name]} {unit[1]}, expected more than zero: the test did not run"
        return _note(number, text)
    where = (number, match.start(name) + 1, test.op, found.unit.metric, "single")
    sizes = (test.block_size, test.file_size, test.numjobs, test.iodepth, None, test.direct, 1)
    run_of_tool, remarks = f"{run}-{test.tool}", ("from-script",)
    same = (test.tool, None, test.script, *sizes, run_of_tool, "measured", remarks, name)
    cells: tuple[Any, ...] = (*where, *found, *same)
    return Measurement(*cells)


def _note(number: int, text: str) -> Problem:
    return Problem(number, text, "note")


def _disk_benchmark(capture: Capture, numbers: Iterable[int]) -> Iterator[Item]:
    """Yield the rows of the tables, in the script's order: below one that is not, none."""
    tests, first, last = iter(_SIX), 0, -1
    for number in numbers:
        match = _DISK_ROW.match(capture.lines[number - 1])
        if match is None:
            continue
        if number != last + 1:
            tests, first = iter(_SIX), number
        last = number
        name, test = next(tests, ("", _SIX[0][1]))
        if match["test"] != name:
            tests = iter(())
            continue
        row = _row((number, first), match, "figure", test, (_DISK, "MB/s"))
        if isinstance(row, Measurement) and row.value_high:
            row = row._replace(value_high=row.value_high + KIB)  # of iozone's cut kB/s
        yield row
        if test.op == "reread":
            found = f"{_DISK} takes iozone's reread and rewrite for `sequential`: so named here"
            yield _note(number, found)


def _pibenchmarks(capture: Capture, numbers: Iterable[int]) -> Iterator[Item]:
    """Yield the figures of the lines, and those of the table that repeat none."""
    # A run is what a line prints, or rows of one tool below one another; fio ran for each.
    figures: dict[str, str] = {}
    first, last, is_typed = 0, ("", 0), True
    for number in numbers:
        text = capture.lines[number - 1]
        match = next(filter(None, (pattern.match(text) for pattern in _PI_PRINTS)), None)
        if match is None:
            continue
        capture.taken.add(number)
        tool, in_table = str(match.lastgroup).partition("_")[0], ":" not in match[0]
        if not in_table or tool == "fio" or last != (tool, number - 1):
            first = number
        last = tool, number
        if tool == "hdparm":
            is_typed = not text.rstrip().endswith("/sec")
        for name, printed in match.groupdict().items():
            bare = printed.removesuffix(" KB/s")  # which iozone's line leaves out
            if in_table and bare == figures.pop(name, None):
                continue
            if not in_table:
                figures[name] = bare
            yield from _pi_figures((number, first), match, name, is_typed=is_typed)


def _pi_figures(place: Place, match: Match[str], name: str, *, is_typed: bool) -> Iterator[Item]:
    number, (tool, _, op) = place[0], name.partition("_")
    found = _PI_FIGURES[tool].fullmatch(match.string, *match.span(name))
    if not any(map(str.isdigit, match[name])):
        yield _note(number, f"found no figure of {tool} in the summary of {_PI}: it failed")
    elif found is None:
        what = f"found {match.string.strip()[:120]!r} in a summary of {_PI}, expected the figure of"
        yield Problem(number, f"{what} {tool} with its unit, as the script prints it")
    elif name == "hdparm_cached_read" and found["unit"] == "kB/sec":
        yield _note(number, _NOT_ITS_OWN)
    else:
        unit, test = found["unit"] or "KB/s", _PI_TESTS[tool]._replace(op=op)
        owner = tool if tool in ("hdparm", "dd") else _PI
        if tool == "fio":
            yield _row(place, found, "iops", test, (owner, "IOPS"))
        row = _row(place, found, "rate", test, (owner, unit))
        if isinstance(row, Measurement):
            may_be_other = tool == "dd" or float(found["rate"]) < KIB
            remarks = ("inferred-unit",) * (unit == "MB/s" and is_typed and may_be_other)
            row = row._replace(raw_unit=found["unit"], remarks=row.remarks + remarks)
        yield row


def _sdtest(capture: Capture, numbers: Iterable[int]) -> Iterator[Item]:
    """Yield bandwidth and IOPS of each job; a verdict repeats what it judges."""
    first, jobs = 0, dict[str, Match[str]]()  # by operation
    for number in numbers:
        match = _SD_LINE.match(capture.lines[number - 1])
        if match is None or (match["verdict"] and _SD_VERDICTS[match["verdict"]] not in jobs):
            continue
        capture.taken.add(number)
        if match["verdict"]:
            continue
        op = _SD_JOBS[match["job"]]
        if not first or op in jobs:
            first, jobs = number, {}
        jobs[op] = match
        if not op:
            yield _note(number, "found the job that makes the file of the tests, which is no test")
            continue
        # the sequential jobs of its run say which version ran
        blocks = {way: _sd_block(jobs[way], way) for way in jobs if way in ("read", "write")}
        versions = {_SD_VERSIONS[block] for block in blocks.values() if block}
        size, depth = versions.pop() if len(versions) == 1 else (None, None)
        test = _Test(_SD, "fio", op, blocks.get(op, 4 * KIB), size, 1, depth, True)
        way = op.removeprefix("rand")
        yield _row((number, first), match, way, test, ("fio", "KiB/s"))
        yield _row((number, first), match, f"{way}_iops", test, ("fio", "iops"))


def _sd_block(job: Match[str], way: str) -> int | None:
    """Return the block size of a known version that a job's rate and IOPS, both cut, agree with."""
    rate, count = float(job[way]), float(job[f"{way}_iops"])
    low, high = rate * KIB, (rate + 1) * KIB
    fitting = [size for size in _SD_VERSIONS if count < high / size and low / size < count + 1]
    return fitting[0] if len(fitting) == 1 else None


def without_repeats(found: Sequence[Measurement]) -> tuple[list[Measurement], list[Problem]]:
    """Return the measurements without a summary's repeats, and a word on these.

    A summary rounds: it repeats a figure of the same tool, operation and conditions where their
    ranges have a value in common.
    """
    own: dict[tuple[str, str], list[Measurement]] = defaultdict(list)
    for item in found:
        if item.script is None:
            own[item.tool, item.metric].append(item)
    singles, repeats = list[Measurement](), defaultdict[str, list[int]](list)
    for item in found:
        if item.script and any(_is_same(item, other) for other in own[item.tool, item.metric]):
            repeats[item.script].append(item.line)
        else:
            singles.append(item)
    text = "found in the summary of {}, to line {}, what the tools themselves printed: not counted"
    of = [(lines[0], text.format(script, lines[-1])) for script, lines in repeats.items()]
    return singles, [_note(line, f"{found} twice") for line, found in of]


def _is_same(item: Measurement, other: Measurement) -> bool:
    if other.op not in (item.op, "copy"):  # dd does not print whether it read or wrote
        return False
    pairs = ((getattr(item, name), getattr(other, name)) for name in _CONDITIONS)
    (low, high), (least, most) = ((of.value_low or 0, of.value_high or 0) for of in (item, other))
    is_alike = all(None in pair or pair[0] == pair[1] for pair in pairs)
    return is_alike and low <= most and least <= high
