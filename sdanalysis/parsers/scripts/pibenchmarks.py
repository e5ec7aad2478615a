"""PiBenchmarks (Storage.sh): `FIO  4k random read  2943 IOPS (11775 KB/s)`, and the same in lines.

Its versions from 2019 on run `hdparm -Tt --direct` (without `--direct` where that fails), `dd bs=4k
conv=fsync` with a count of 80k or 130k, fio with bs=4k, iodepth=64, direct=1 and a size of 80, 100
or 200M, and `iozone -a -e -I -i 0 -i 1 -i 2 -r 4k` with a size of 80 or 100M: so no file size here.
hdparm's and dd's unit is typed, `MB/s`, up to 2023, and the tool's own later.

The page of a run on its site writes the tests in capitals, and fio's two figures in a row each:
`| FIO | 4k Random Read | 2943 IOPS |`, later `| FIO | 4k Random Read | 11775 KB/s |`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.scripts.row import MARGIN, cut, ends_log, note, place, row, unreadable

SCRIPT = "PiBenchmarks"
_FIO = {"block_size": 4 * KIB, "iodepth": 64, "numjobs": 1, "direct": True}
_IOZONE = {"block_size": 4 * KIB, "numjobs": 1, "direct": True}
_SAID: dict[str, dict[str, Any]] = {
    "hdparm": {},
    "dd": {"block_size": 4 * KIB, "direct": False},
    "fio": _FIO,
    "iozone": _IOZONE,
}
_TESTS = {
    ("HDParm", "disk read"): ("hdparm", "read"),
    ("HDParm", "cached disk read"): ("hdparm", "cached_read"),
    ("DD", "disk write"): ("dd", "write"),
    ("FIO", "4k random read"): ("fio", "randread"),
    ("FIO", "4k random write"): ("fio", "randwrite"),
    ("IOZone", "4k read"): ("iozone", "read"),
    ("IOZone", "4k write"): ("iozone", "write"),
    ("IOZone", "4k random read"): ("iozone", "randread"),
    ("IOZone", "4k random write"): ("iozone", "randwrite"),
}
_ROW = re.compile(
    rf"{MARGIN}(?P<category>HDParm|DD|FIO|IOZone)[\s|]{{1,40}}"
    r"(?P<test>(?:Cached )?Disk Read|Disk Write|4[kK] (?:[rR]andom )?(?:[rR]ead|[wW]rite))(?!\w)"
    r"[\s|]{0,40}(?P<result>[^|]{0,80}?)[\s|]{0,40}$"
)
_CELL = r"(.{0,60}?)"
# What it says while it runs, with the tests whose figures the groups are.
_LINES = (
    (
        re.compile(rf"{MARGIN}HDParm: {_CELL} - HDParmCached: {_CELL}\s{{0,40}}$"),
        (("hdparm", "read"), ("hdparm", "cached_read")),
    ),
    (re.compile(rf"{MARGIN}DD Write Speed: {_CELL}\s{{0,40}}$"), (("dd", "write"),)),
    (
        re.compile(
            rf"{MARGIN}(?:FIO results - )?4k RandWrite: {_CELL} - 4k RandRead: {_CELL}\s{{0,40}}$"
        ),
        (("fio", "randwrite"), ("fio", "randread")),
    ),
    (
        re.compile(
            rf"{MARGIN}RandRead: {_CELL} - RandWrite: {_CELL}"
            rf" - Read: {_CELL} - Write: {_CELL}\s{{0,40}}$"
        ),
        tuple(("iozone", op) for op in ("randread", "randwrite", "read", "write")),
    ),
)
BEGINS = re.compile(
    r"(?:HDParm|DD|FIO|IOZone)[\s|]{1,40}(?=Disk |Cached |4[kK] )|HDParm: |DD Write Speed: "
    r"|(?:FIO results - )?4k RandWrite: |(?<!4k )RandRead: |Running |\bScore\b"
)
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
# fio's and iozone's figures are whole: a comma in them is somebody's, of thousands.
_WHOLE = rf"(?:[1-9][0-9]{{0,2}}(?:,[0-9]{{3}}){{1,4}}|{_NUMBER})"
_RATE = re.compile(rf"(?P<rate>{_NUMBER}) (?P<unit>[kKMGT]?B/s(?:ec)?)")
_WHOLE_RATE = re.compile(rf"(?P<rate>{_WHOLE}) (?P<unit>KB/s)")
_BARE = re.compile(rf"(?P<rate>{_NUMBER})")
_FIO_RESULT = re.compile(rf"(?P<iops>{_WHOLE}) IOPS \((?P<rate>{_WHOLE}) (?P<unit>KB/s)\)")
_FIO_HALF = re.compile(
    rf"(?:(?P<iops>{_WHOLE})|(?P<rate>{_WHOLE})) (?P<unit>(?(iops)IOPS|KB/s))(?: (?P=unit))?"
)
_EXPECTED = {
    "hdparm": "`<n> MB/s` or `<n> MB/sec`",
    "dd": "`<n> MB/s`",
    "fio": "`<n> IOPS (<n> KB/s)`",
    "iozone": "`<n> KB/s`",
}
_SIGNS = ("HDParm", "Disk Write", "DD Write Speed", "FIO", "IOZone", "RandWrite: ")


class _Figure(NamedTuple):
    """What is printed for a test: where, and whether in the table at the end."""

    line: Line
    tool: str
    op: str
    start: int
    stop: int
    in_table: bool

    @property
    def text(self) -> str:
        """What is printed."""
        return self.line.text[self.start : self.stop]

    @property
    def half(self) -> str:
        """Which of fio's two figures this is, where they stand in a row each."""
        match = _FIO_HALF.fullmatch(self.text) if self.tool == "fio" and self.in_table else None
        return match["unit"] if match else ""


class _Run:
    """What was read of one run: a figure is printed in a line, then in the table."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, str, str], _Figure] = {}
        self.has_own_units = False

    def is_over(self, figures: Sequence[_Figure]) -> bool:
        """Tell whether one of a line's figures was printed in its way before: a new run begins."""
        seen = ((self.seen.get((one.tool, one.op, one.half)), one) for one in figures)
        return any(before and before.in_table >= one.in_table for before, one in seen)

    def repeats(self, figure: _Figure) -> bool:
        """Tell whether the table repeats a line."""
        tool, op, half = figure.tool, figure.op, figure.half
        before = self.seen.get((tool, op, half))
        if half and (whole := self.seen.get((tool, op, ""))):
            once = " ".join(figure.text.split()[:2])
            return once in re.split(r" ?[()]", whole.text)
        self.seen[tool, op, half] = figure
        return before is not None and before.text == figure.text

    def begins(self, tool: str, op: str = "") -> str:
        """Return the place where the figures of a tool begin, or those of an operation."""
        same = [one for one in self.seen.values() if one.tool == tool and op in ("", one.op)]
        return place(min(same, key=lambda one: (one.line.number, one.start)).line)


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the figures of the lines and tables, each once."""
    run = _Run()
    for line in lines:
        if not any(sign in line.text for sign in _SIGNS):
            continue
        figures = list(_figures(line))
        if not figures and _ROW.match(line.text):
            yield note(line, f"found a test that {SCRIPT} does not run: not read")
        if figures and ends_log(line, lines) and _may_be_cut(figures):
            yield cut(line)
            continue
        if run.is_over(figures):
            run = _Run()
        repeated = [run.repeats(figure) for figure in figures]
        for figure, is_repeat in zip(figures, repeated, strict=True):
            if not is_repeat:
                yield from _read(figure, run)


def _figures(line: Line) -> Iterator[_Figure]:
    if match := _ROW.match(line.text):
        test = _TESTS.get((match["category"], match["test"].lower()))
        if test:
            yield _Figure(line, *test, *match.span("result"), in_table=True)
        return
    for pattern, tests in _LINES:
        if match := pattern.match(line.text):
            for group, test in enumerate(tests, 1):
                yield _Figure(line, *test, *match.span(group), in_table=False)


def _may_be_cut(figures: Sequence[_Figure]) -> bool:
    """Tell whether the log's last line may be cut, by its end.

    `MB/s` without the blanks of the table after it may be the beginning of hdparm's `MB/sec`.
    """
    last = figures[-1]
    if last.half and "|" in last.line.text[last.stop :]:
        return False
    ends_there = last.stop == len(last.line.text)
    ends = {"fio": ")", "hdparm": "sec" if ends_there else ("sec", "/s")}
    return not last.text.endswith(ends.get(last.tool, "/s"))


def _read(figure: _Figure, run: _Run) -> Iterable[Item]:
    """Return the rows of one figure, or why there are none."""
    line, tool = figure.line, figure.tool
    if not any(sign.isdigit() for sign in figure.text):
        text = f"found no figure of {tool} in the summary of {SCRIPT}: its test failed"
        return [note(line, text)]
    fio = _FIO_HALF if figure.half else _FIO_RESULT
    patterns = {"fio": fio, "iozone": _WHOLE_RATE if figure.in_table else _BARE}
    match = patterns.get(tool, _RATE).fullmatch(line.text, figure.start, figure.stop)
    if match is None:
        return [unreadable(line, SCRIPT, _EXPECTED[tool])]
    said = {"tool": tool, "op": figure.op, "script": SCRIPT, **_SAID[tool]}
    return _rows(figure, match, said, run)


def _rows(figure: _Figure, match: re.Match[str], said: dict[str, Any], run: _Run) -> Iterable[Item]:
    line, tool = figure.line, figure.tool
    first = run.begins(tool, figure.op if tool == "fio" else "")
    said["run"] = f"{first}-{tool}"
    if tool == "fio":
        units = {"iops": "IOPS", "rate": "KB/s"}
        return [
            row(line, match, name, (SCRIPT, unit), said, truncated="." not in match[name])
            for name, unit in units.items()
            if match[name]
        ]
    if tool == "iozone":
        is_cut = "." not in match["rate"]
        rate = row(line, match, "rate", (SCRIPT, "KB/s"), said, truncated=is_cut)
        if not figure.in_table and not isinstance(rate, Problem):
            rate = rate._replace(raw_unit=None)
        return [rate]
    unit = match["unit"]
    if tool == "hdparm":
        run.has_own_units |= unit.endswith("sec")
        if unit == "kB/sec" and figure.op == "cached_read":
            text = (
                "found the unit of the disk read printed with the cached read: its own is not known"
            )
            return [note(line, text)]
    if unit == "MB/s" and not run.has_own_units and _may_be_other(tool, match["rate"]):
        said["remarks"] = ("inferred-unit",)
    return [row(line, match, "rate", (tool, unit), said)]


def _may_be_other(tool: str, rate: str) -> bool:
    """Tell whether the tool may have printed another unit than the `MB/s` that the script typed.

    hdparm prints kB/sec below 1 MB/sec, dd kB/s, MB/s and GB/s.
    """
    return tool == "dd" or float(rate) < KIB
