"""The summaries of scripts that card owners run: lines and tables of their own, not of the tools.

Each script is a declared table: its lines, the tests that their figures are of, and the conditions
that the commands of all its known versions have in common. Where versions differ they are missing.

`disk-benchmark.sh` (pi-cluster; in every sbc-reviews issue) prints six rows, whose MB/s is iozone's
kB/s over 1024 with two decimals: `iozone -e -I -a -r 4k -r 1024k -i 0 -i 1 -i 2`; its awk takes
fields 4 and 6 for `sequential`, which are rewrite and reread. The older layout has five rows that
people filled in from its fio and iozone: their MB is 1000 or 1024 kB, which the range holds.

PiBenchmarks (Storage.sh, from 2019 on) runs `hdparm -Tt --direct`, `dd bs=4k conv=fsync`, fio with
bs=4k, iodepth=64 and direct=1, and `iozone -a -e -I -i 0 -i 1 -i 2 -r 4k`: each figure is printed
in a line, then in the table. hdparm's and dd's unit is typed, `MB/s`, up to 2023.

`sdtest.sh` of the Raspberry Pi's diagnostics (agnostics): `rand-4k-write;0;0;3291;822` is a job's
read KB/s and IOPS, then its write KB/s and IOPS of fio's terse line; verdicts below repeat them.
Its sequential jobs have blocks of 512 KiB in 64 MiB at a depth of 4 up to 0.14, then of 4 MiB.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import KIB, MIB, figure
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture


class _Test(NamedTuple):
    """What a figure is of: the conditions that the script's command settles."""

    script: str
    tool: str
    op: str
    block_size: int | None = None
    file_size: int | None = None
    numjobs: int | None = None
    iodepth: int | None = None
    direct: bool | None = None
    remarks: tuple[str, ...] = ()


_DISK, _PI, _SD = "disk-benchmark.sh", "PiBenchmarks", "sdtest.sh"
_BY_HAND = ("inferred-unit",)
_SIX = {
    f"iozone {size} {test}": _Test(_DISK, "iozone", op, block, None, 1, None, True)
    for size, block, test, op in (
        ("4K", 4 * KIB, "random read", "randread"),
        ("4K", 4 * KIB, "random write", "randwrite"),
        ("1M", MIB, "random read", "randread"),
        ("1M", MIB, "random write", "randwrite"),
        ("1M", MIB, "sequential read", "reread"),
        ("1M", MIB, "sequential write", "rewrite"),
    )
}
_FIVE = {"fio 1M sequential read": _Test(_DISK, "fio", "read", MIB, remarks=_BY_HAND)} | {
    name: _Test(_DISK, "iozone", test.op, test.block_size, remarks=_BY_HAND)
    for name, test in _SIX.items()
    if "random" in name
}
_FIO = (4 * KIB, None, 1, 64, True)
_IOZONE = (4 * KIB, None, 1, None, True)
_PI_TESTS = {
    "hdparm disk read": _Test(_PI, "hdparm", "read"),
    "hdparm cached disk read": _Test(_PI, "hdparm", "cached_read"),
    "dd disk write": _Test(_PI, "dd", "write", 4 * KIB, direct=False),
    "fio 4k random read": _Test(_PI, "fio", "randread", *_FIO),
    "fio 4k random write": _Test(_PI, "fio", "randwrite", *_FIO),
    "iozone 4k read": _Test(_PI, "iozone", "read", *_IOZONE),
    "iozone 4k write": _Test(_PI, "iozone", "write", *_IOZONE),
    "iozone 4k random read": _Test(_PI, "iozone", "randread", *_IOZONE),
    "iozone 4k random write": _Test(_PI, "iozone", "randwrite", *_IOZONE),
}
_CELL = r"\s{0,20}\|\s{0,20}[0-9]{1,12}(?:\.[0-9]{1,6})?\s{0,3}[A-Za-z]{1,6}/s(?:ec)?"
_DISK_ROW = re.compile(
    r"\s*+(?:\| *)?(?P<test>(?:iozone|fio) (?:4K|1M) (?:random|sequential) (?:read|write))"
    rf"(?P<cells>(?:{_CELL}){{1,8}})(?P<end>\s{{0,40}}\|)?\s*$"
)
_DISK_CELL = re.compile(
    r"\|\s{0,20}(?P<cell>(?P<figure>[0-9.]{1,19})\s{0,3}(?P<unit>[A-Za-z/]{3,10}))"
)
_PI_ROW = re.compile(
    r"\s*+(?:\| *)?(?P<test>(?:HDParm|DD|FIO|IOZone)[\s|]{1,40}(?:(?:Cached )?Disk Read|Disk Write|"
    r"4k (?:random )?(?:read|write)))(?!\w)[\s|]{0,40}(?P<result>[^|]{0,80}?)[\s|]{0,99}$",
    re.IGNORECASE,
)
_PI_LINES = [  # what it says while it runs, with the tests whose figures the groups are
    (re.compile(rf"\s*+{line.replace('<>', '(.{0,60}?)')}\s*$"), tests)
    for line, *tests in (
        ("HDParm: <> - HDParmCached: <>", "hdparm disk read", "hdparm cached disk read"),
        ("DD Write Speed: <>", "dd disk write"),
        (
            "(?:FIO results - )?4k RandWrite: <> - 4k RandRead: <>",
            *("fio 4k random write", "fio 4k random read"),
        ),
        (
            "RandRead: <> - RandWrite: <> - Read: <> - Write: <>",
            *("iozone 4k random read", "iozone 4k random write", "iozone 4k read"),
            "iozone 4k write",
        ),
    )
]
_PI_SIGNS = ("HDParm", "Disk Write", "DD Write Speed", "FIO", "IOZone", "RandWrite: ")
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
_PI_FIGURES = {
    "hdparm": re.compile(rf"(?P<rate>{_NUMBER}) (?P<unit>MB/s(?:ec)?|kB/sec)"),
    "dd": re.compile(rf"(?P<rate>{_NUMBER}) (?P<unit>[kMGT]?B/s)"),
    "fio": re.compile(
        rf"(?:(?P<iops>{_NUMBER}) IOPS)?(?(iops)(?: \((?=.*\)))?)"
        rf"(?:(?P<rate>{_NUMBER}) (?P<unit>KB/s)\)?)?"
    ),
    "iozone": re.compile(rf"(?P<rate>{_NUMBER})(?: (?P<unit>KB/s))?"),
}
_SD_JOBS = {
    **{"seq-write": "write", "seq-read": "read"},
    **{"rand-4k-write": "randwrite", "rand-4k-read": "randread"},
}
_SD_LINE = re.compile(
    r"\s*+(?:(?P<begin>Run [1-9])\s{0,40}$"
    r"|(?P<job>prepare-file|seq-write|seq-read|rand-4k-write|rand-4k-read);"
    rf"(?P<read>{_NUMBER});(?P<read_iops>{_NUMBER});(?P<write>{_NUMBER});"
    rf"(?P<write_iops>{_NUMBER})(?=\s|$)"
    rf"|(?P<what>Sequential write|Random write|Random read) speed (?P<figure>{_NUMBER})? ?"
    r"(?P<unit>KB/sec|IOPS) \(target [0-9]{1,9}\) - (?:PASS|FAIL)\b)"
)
_SD_JUDGED = {
    **{"Sequential write": "seq-write", "Random write": "rand-4k-write"},
    **{"Random read": "rand-4k-read"},
}
_SD_BLOCKS = (512 * KIB, 4 * MIB)  # of the sequential jobs, in the versions that are known
_CONDITIONS = ("block_size", "file_size", "numjobs", "iodepth", "read_mix")


def parse(capture: Capture) -> Iterable[Item]:
    """Yield the figures of the summaries; those that a tool's own output has too are among them."""
    text, lines = capture.text, capture.lines
    readers = (
        (_disk_benchmark, ("4K random", "1M random", "1M sequential")),
        (_pibenchmarks, _PI_SIGNS),
        (_sdtest, ("-write;", "-read;", " (target ")),
    )
    for reader, signs in readers:
        for item in reader(capture) if any(map(text.__contains__, signs)) else ():
            if item.line < len(lines) or capture.is_whole:
                yield item
            else:
                yield _note(item.line, "found a figure that ends with the file: it may be cut")


def _row(
    number: int, match: re.Match[str], name: str, test: _Test, unit: tuple[str, str], run: str
) -> Item:
    """Return the figure in a group of a match, or why it is none; `unit` is who prints which."""
    raw = match[name]
    is_cut = test.script != _DISK and test.tool in ("fio", "iozone") and "." not in raw
    try:
        found = figure(unit[0], raw, unit[1], truncated=is_cut)
    except SdAnalysisError as error:
        return Problem(number, str(error))
    if not found.value:
        text = f"found {raw} {unit[1]}, expected more than zero: the test did not run"
        return Problem(number, text, "note")
    sizes = (test.block_size, test.file_size, test.numjobs, test.iodepth, None, test.direct, 1)
    where = (number, match.start(name) + 1, test.op, found.unit.metric, "single")
    same = (test.tool, None, test.script, *sizes, run, "measured", ("from-script", *test.remarks))
    fields: tuple[Any, ...] = (*where, *found, *same, name)
    return Measurement(*fields)


def _note(number: int, text: str) -> Problem:
    return Problem(number, text, "note")


def _disk_benchmark(capture: Capture) -> Iterator[Item]:
    """Yield the rows of the tables: six in the script's order; any others were filled in by hand.

    Somebody may have put the results of several runs beside one another: each column is a run.
    """
    expected, first, last = list(_SIX), 0, -2
    for number, text in enumerate(capture.lines, 1):
        match = _DISK_ROW.match(text) if "random" in text or "sequential" in text else None
        if match is None:
            continue
        if number - last > 1 + (not capture.lines[number - 2].strip()):
            expected, first = list(_SIX), number
        last = number
        cells = list(_DISK_CELL.finditer(text, *match.span("cells")))
        own = all(re.fullmatch(r"[0-9]+\.[0-9]{2} MB/s", cell["cell"]) for cell in cells)
        expected = expected if own and match["end"] and expected[:1] == [match["test"]] else []
        test = _SIX[expected.pop(0)] if expected else _FIVE.get(match["test"])
        if test is None or any(cell["unit"] != "MB/s" for cell in cells):
            found = (
                f"found a result that {_DISK} does not print so, expected its six tests with two"
            )
            yield _note(number, f"{found} decimals and MB/s, or its older five")
            continue
        for count, cell in enumerate(cells, 1):
            run = f"{first}-{test.tool}" + (f"-{count}" if count > 1 else "")
            owner = f"{test.tool}, by hand" if test.remarks else _DISK
            row = _row(number, cell, "figure", test, (owner, "MB/s"), run)
            if isinstance(row, Measurement) and row.value_high and not test.remarks:
                row = row._replace(value_high=row.value_high + KIB)  # of iozone's cut kB/s
            yield row
        if test.op == "reread":
            found = f"{_DISK} takes iozone's reread and rewrite for `sequential`: so named here"
            yield _note(number, found)


class _PiRun:
    """What was read of one run: each figure is printed in a line, then in the table."""

    def __init__(self) -> None:
        self.seen: dict[tuple[bool, str, str], str] = {}  # in a table, test, name -> digits
        self.begins: dict[str, int] = {}  # test of fio, or tool -> line of its first figure
        self.is_typed = True  # the unit of hdparm and dd, by the script


def _pibenchmarks(capture: Capture) -> Iterator[Item]:
    """Yield the figures of the lines and tables, each once."""
    run = _PiRun()
    for number, text in enumerate(capture.lines, 1):
        if not any(sign in text for sign in _PI_SIGNS):
            continue
        row = _PI_ROW.match(text)
        lines = () if row else [(pattern.match(text), tests) for pattern, tests in _PI_LINES]
        found = [
            (name, match.span(group))
            for match, tests in lines
            if match
            for group, name in enumerate(tests, 1)
        ]
        if row:
            found = [(" ".join(re.findall(r"\w+", row["test"].lower())), row.span("result"))]
        capture.taken.update([number] if found else ())
        # a line that stands below the table is of another run
        places = (True,) if row else (False, True)
        halves = {(name, _half(text, span)) for name, span in found}
        if any((place, *half) in run.seen for place in places for half in halves):
            run = _PiRun()
        for name, span in found:
            yield from _pi_figures(number, text, span, name, run, in_table=row is not None)


def _half(text: str, span: tuple[int, int]) -> str:
    """Return which of fio's figures stands alone in a row of its site's page."""
    return "rate" if text[: span[1]].endswith("KB/s") and " IOPS" not in text else ""


def _pi_figures(
    number: int, text: str, span: tuple[int, int], name: str, run: _PiRun, *, in_table: bool
) -> Iterator[Item]:
    """Yield what is printed for a test, which the table repeats."""
    if name not in _PI_TESTS:
        yield _note(number, f"found a test that {_PI} does not run: not read")
        return
    test, printed = _PI_TESTS[name], text[slice(*span)]
    begin = run.begins.setdefault(name if test.tool == "fio" else test.tool, number)
    match = _PI_FIGURES[test.tool].fullmatch(text, *span)
    before = run.seen.get((False, name, ""), "") if in_table else ""
    run.seen[in_table, name, _half(text, span)] = printed
    if not any(map(str.isdigit, printed)):
        yield _note(number, f"found no figure of {test.tool} in the summary of {_PI}: it failed")
    elif match is None:
        what = f"found {text.strip()[:120]!r} in a summary of {_PI}, expected the figure of"
        yield Problem(number, f"{what} {test.tool} with its unit, as the script prints it")
    elif printed.removesuffix(" KB/s") not in (before, before.removesuffix(" KB/s")):
        unit = match["unit"] or "KB/s"
        run.is_typed = run.is_typed and unit != "MB/sec"
        may_be_other = test.tool == "dd" or float(match["rate"] or 0) < KIB
        if unit == "MB/s" and run.is_typed and may_be_other:
            test = test._replace(remarks=_BY_HAND)
        owner = test.tool if test.tool in ("hdparm", "dd") else _PI
        for key in ("iops", "rate"):
            if match.groupdict().get(key):
                word = "IOPS" if key == "iops" else unit
                item = _row(number, match, key, test, (owner, word), f"{begin}-{test.tool}")
                yield _bare(item) if test.tool == "iozone" and not in_table else item


def _bare(item: Item) -> Item:
    """Return a figure that is printed without a unit."""
    return item._replace(raw_unit=None) if isinstance(item, Measurement) else item


class _SdRun:
    """One of the up to three runs: the jobs that were read, and what they say of the version."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.jobs: dict[str, re.Match[str]] = {}
        self.judged: set[str] = set()
        self.sizes: tuple[int | None, int | None] = (None, None)  # depth and file of a version

    def rows(
        self, number: int, match: re.Match[str], job: str, units: dict[str, tuple[str, str]]
    ) -> Iterator[Item]:
        """Yield the figures of a line in groups of a match."""
        op = _SD_JOBS[job]
        way = op.removeprefix("rand")
        block = 4 * KIB if op != way else None
        if match["job"] and block is None:
            block = _sd_block(match[way], match[f"{way}_iops"])
            if block == _SD_BLOCKS[0]:
                self.sizes = 4, 64 * MIB
        iodepth, file_size = self.sizes
        test = _Test(_SD, "fio", op, block, file_size, 1, iodepth, True)
        for group, unit in units.items():
            name = group.replace("way", way)
            yield _row(number, match, name, test, unit, f"{self.begin}-fio")


def _sdtest(capture: Capture) -> Iterator[Item]:
    """Yield bandwidth and IOPS of each job, or its verdict where the job's line is not there."""
    run: _SdRun | None = None
    for number, text in enumerate(capture.lines, 1):
        match = _SD_LINE.match(text)
        if match is None or match["begin"]:
            run = None if match else run
            continue
        capture.taken.add(number)
        job = match["job"] or _SD_JUDGED[match["what"]]
        if run is None or (job in run.judged if match["what"] else job in run.jobs or run.judged):
            run = _SdRun(number)
        if job == "prepare-file":
            yield _note(number, "found the job that makes the file of the tests, which is no test")
        elif match["job"]:
            run.jobs[job] = match
            units = {"way": ("fio", "KiB/s"), "way_iops": ("fio", "iops")}
            yield from run.rows(number, match, job, units)
        else:
            run.judged.add(job)
            yield from _sd_verdict(number, match, job, run)


def _sd_verdict(number: int, match: re.Match[str], job: str, run: _SdRun) -> Iterator[Item]:
    """Yield the figure of a verdict that repeats none, and a word where it contradicts its job."""
    way = _SD_JOBS[job].removeprefix("rand")
    group = way if match["unit"] == "KB/sec" else f"{way}_iops"
    if match["figure"] is None and job not in run.jobs:
        yield _note(number, f"found no figure in the verdict of {_SD}: its test failed")
    elif job not in run.jobs:
        yield from run.rows(number, match, job, {"figure": (_SD, match["unit"])})
    elif match["figure"] != run.jobs[job][group]:
        text = f"found a verdict on {match['figure'] or 'no'} {match['unit']} where the job's line"
        yield _note(number, f"{text} has {run.jobs[job][group]}: not counted")


def _sd_block(rate: str, iops: str) -> int | None:
    """Return the block size of a known version that a job's rate and IOPS, both cut, agree with."""
    low, high = float(rate) * KIB, (float(rate) + 1) * KIB
    count = float(iops)
    fitting = [size for size in _SD_BLOCKS if count < high / size and low / size < count + 1]
    return fitting[0] if len(fitting) == 1 else None


def without_repeats(found: Sequence[Measurement]) -> tuple[list[Measurement], list[Problem]]:
    """Return the measurements without a summary's repeats, and a word on these.

    A summary rounds: it repeats a figure of the same tool, operation and conditions where their
    ranges have a value in common.
    """
    own = defaultdict(list)
    for item in found:
        if item.script is None:
            own[item.tool, item.metric].append(item)
    kept: list[Measurement] = []
    repeats: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in found:
        candidates = own[item.tool, item.metric] if item.script else []
        same = next((other for other in candidates if _is_same(item, other)), None)
        if item.script and same:
            repeats[item.script].append((item.line, same.line))
        else:
            kept.append(item)
    return kept, [_word(script, places) for script, places in repeats.items()]


def _is_same(item: Measurement, other: Measurement) -> bool:
    if other.op not in (item.op, "copy"):  # dd does not print whether it read or wrote
        return False
    pairs = ((getattr(item, name), getattr(other, name)) for name in _CONDITIONS)
    if any(None not in pair and pair[0] != pair[1] for pair in pairs):
        return False
    low, high, least, most = item.value_low, item.value_high, other.value_low, other.value_high
    if low is None or high is None or least is None or most is None:
        return False
    return low <= most and least <= high


def _word(script: str, places: Sequence[tuple[int, int]]) -> Problem:
    """Return one word on the figures of a script that were left out, and where they stand."""
    lines, others = (sorted(set(column)) for column in zip(*places, strict=True))
    shown, own = (", ".join(map(str, numbers[:8])) for numbers in (lines, others))
    text = f"found in the summary of {script} (line {shown}{', ...' * (len(lines) > 8)}) what the"
    return _note(lines[0], f"{text} tools themselves printed (line {own}): not counted twice")
