"""YABS (yabs.sh): `Read  | 445.04 MB/s (111.2k) | 475.05 MB/s   (7.4k)` below its block sizes.

Each pair is one fio run of two processes with a queue of 64, half reads and half writes at random:
`--rw=randrw --rwmixread=50 --iodepth=64 --numjobs=2 --direct=1 --group_reporting`. The file has
2 GiB, on ARM 512 MiB in later versions: so no file size. Where fio is not to be had it runs dd
thrice, with `bs=64k count=16k oflag=direct`, and reads that file with `bs=8k`. Many scripts took
this test over with its commands, under a title of their own, and some translated its words; one
loses the first line of block sizes, which are 4 KiB and 64 KiB where all IOPS below say so.

With `-j` it prints the same whole: `"fio":[{"bs":"4k","speed_r":195808,"iops_r":48952,"speed_w":`,
in the KiB or kB that the table has by the thousand.

Its MB was 1000 of fio's KiB until July 2026, and is 10^6 B since: which of them a table has is told
by the IOPS beside its rates, for a process of fio moves its block size with each operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import GIB, KIB, size_in_bytes, unit_of
from sdanalysis.parsers.scripts.row import MARGIN, note, place, row, unreadable

SCRIPT = "YABS"
_FIO_TITLES = ("50/50", "yabs", "读写测试")  # beside `fio`, small or large
# of a terminal that does not clear it: the title of the table, which is written over it, is lost
_BEGUN = "Preparing system for disk tests..."
_DD_TITLES = ("dd Sequential Disk Speed Tests", "dd 顺序磁盘速度测试")
_OPS = {"Read": "read", "Write": "write", "读取": "read", "写入": "write"}
_FAR = 20  # lines from a title to the last header below it
_HEADER = re.compile(rf"{MARGIN}(?:Block Size|块大小)\s{{0,20}}\|(?P<cells>.{{1,200}})$")
_SIZE = re.compile(r"\s{0,20}([1-9][0-9]{0,4}[kKmM])b?\s{1,20}\(IOPS\)\s{0,20}")
_RULE = re.compile(rf"{MARGIN}-{{6}}\s{{0,20}}\|[\s|-]{{8,60}}$")
_FIRST = [4 * KIB, 64 * KIB]
_ROW = re.compile(rf"{MARGIN}(?P<name>{'|'.join(_OPS)})\s{{0,20}}\|(?P<cells>.{{1,300}})$")
BEGINS = re.compile(
    r"(?:Block Size|Read|Write|Total|块大小|读取|写入|总计|合计|-{6})\s{1,20}\|"
    r"|fio Disk Speed Tests|iperf3 Network"
)
_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,2})?"
_CELL = re.compile(
    rf"\s{{0,20}}(?P<rate>{_NUMBER}) (?P<unit>[KMG]B/s)\s{{1,20}}"
    r"\((?P<iops>[0-9]{1,12}(?:\.[0-9])?k?)\)\s{0,20}"
)
_DD_CELL = re.compile(rf"\s{{0,20}}(?P<rate>{_NUMBER})\s{{1,5}}(?P<unit>[kMGT]?B/s)\s{{0,20}}")
_FIO = {"tool": "fio", "iodepth": 64, "numjobs": 2, "read_mix": 50.0, "direct": True}
_DD = {
    "write": {"op": "write", "block_size": 64 * KIB, "direct": True},
    "read": {"op": "read", "block_size": 8 * KIB, "direct": False},
}
_FIELD = re.compile(
    r"\"(?P<field>bs|(?:speed|iops)_[rw])\"\s{0,4}:\s{0,4}\"?(?P<value>[0-9]{1,12}[kKmM]?)\"?\s{0,4},"
)
_FIELDS = {"bs", "speed_r", "iops_r", "speed_w", "iops_w"}  # of an object, the first one first
_Object = dict[str, tuple[Line, re.Match[str]]]
_Cell = tuple[str, re.Match[str] | None]
_EXPECTED = "`<n> MB/s (<n>)` for each block size"
_MAKERS = (SCRIPT, "YABS from July 2026")  # whose MB it may be
_SLACK = 1e-3


class _Row(NamedTuple):
    """A row of a table, with the block sizes of its columns and the line that names them."""

    line: Line
    match: re.Match[str]
    sizes: Sequence[int]
    header: str
    is_told: bool  # its block sizes stand above it

    def is_certain(self) -> bool:
        """Tell whether its block sizes are told: by a line above it, or by its IOPS."""
        if self.is_told:
            return True
        cells = zip(self.sizes, self.cells(_CELL), strict=False)
        return all(
            cell and any(_agrees(cell, size, maker) for maker in _MAKERS)
            for size, (_, cell) in cells
        )

    def cells(self, pattern: re.Pattern[str]) -> list[_Cell]:
        """Return the cells, each with its match in the line."""
        found, start = [], self.match.start("cells")
        for cell in self.line.text[start:].rstrip("| \t").split("|"):
            found.append((cell, pattern.fullmatch(self.line.text, start, start + len(cell))))
            start += len(cell) + 1
        return found


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the figures of the tables that have their title above them."""
    is_shown = False
    for is_dd, found in _tables(lines):
        rows = [one for one in found if is_dd or one.is_certain()]
        maker = "" if is_dd else _maker(_pairs(rows))
        is_shown = is_shown or bool(rows)
        for one in rows:
            yield from _dd(one) if is_dd else _fio(one, maker)
    if not is_shown:  # or the JSON repeats the tables
        objects = list(_objects(lines))
        maker = _maker(pair for fields in objects for pair in _pairs_of(fields))
        for fields in objects:
            yield from _of_json(fields, maker)


def _tables(lines: Sequence[Line]) -> Iterator[tuple[bool, list[_Row]]]:
    """Yield the rows below each title, and whether dd made them."""
    sizes: list[int] = []
    rows: list[_Row] = []
    title, is_dd, header = -2 * _FAR, False, ""
    for line in lines:
        text = line.text
        if titled := _title(text):
            yield is_dd, rows
            title, is_dd, sizes, rows = line.number, titled == "dd", [], []
            title -= _FAR - 2 if _BEGUN in text else 0  # of the table right below it
        elif "|" not in text:
            continue
        elif match := _HEADER.match(text):
            is_titled = not is_dd and line.number - title <= _FAR
            sizes, header = _sizes(match["cells"]) if is_titled else [], place(line)
            title = max(title, line.number - _FAR // 2) if sizes else title
        elif line.number - title <= 2 and not (is_dd or sizes) and _RULE.match(text):
            sizes, header = _FIRST, place(line)
        elif line.number - title > 2 * _FAR:
            continue
        elif (sizes or is_dd) and (match := _ROW.match(text)):
            rows.append(_Row(line, match, sizes, header, sizes is not _FIRST))
    yield is_dd, rows


def _title(text: str) -> str:
    """Return which tool's table a line announces; empty where it announces none."""
    if "dd " in text and any(map(text.__contains__, _DD_TITLES)):
        return "dd"
    lower = text.lower()
    is_titled = "fio" in lower and any(map(lower.__contains__, _FIO_TITLES))
    return "fio" if is_titled or text.strip() == _BEGUN else ""


def _pairs(rows: Sequence[_Row]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the cells of rows, each with its block size."""
    for one in rows:
        for size, (_, cell) in zip(one.sizes, one.cells(_CELL), strict=False):
            if cell:
                yield size, cell.groupdict()


def _maker(pairs: Iterable[tuple[int, Mapping[str, str]]]) -> str:
    """Return whose MB the rates of a table are, by the IOPS beside them; empty: not told."""
    told: set[str] = set()
    for size, cell in pairs:
        fitting = [maker for maker in _MAKERS if _agrees(cell, size, maker)]
        told.update(fitting if len(fitting) == 1 else ())
    return told.pop() if len(told) == 1 else ""


def _agrees(cell: Mapping[str, str] | re.Match[str], size: int, maker: str) -> bool:
    """Tell whether rate and IOPS of a cell, both cut, may be of one run with this block size."""
    factor = unit_of(maker, cell["unit"]).factor / size
    rate, step = float(cell["rate"]), 10.0 ** -len(cell["rate"].partition(".")[2])
    number = cell["iops"].rstrip("k")
    thousand = 1 if number == cell["iops"] else 1000
    count, cut = (thousand * x for x in (float(number), 10.0 ** -len(number.partition(".")[2])))
    low, high = (rate - step) * factor * (1 - _SLACK), (rate + step) * factor * (1 + _SLACK)
    return low <= count + cut and count <= high


def _sizes(text: str) -> list[int]:
    """Return the block sizes of a header; none where it does not have them."""
    found = [_SIZE.fullmatch(cell) for cell in text.rstrip("| \t").split("|")]
    return [size_in_bytes(match[1]) for match in found if match] if all(found) else []


def _fio(one: _Row, maker: str) -> Iterator[Item]:
    cells, line = one.cells(_CELL), one.line
    if len(cells) != len(one.sizes):
        yield unreadable(line, SCRIPT, _EXPECTED)
        return
    op = f"rand{_OPS[one.match['name']]}"
    for size, (text, cell) in zip(one.sizes, cells, strict=True):
        said: dict[str, Any] = {**_FIO, "op": op, "script": SCRIPT, "block_size": size}
        said["run"] = f"{one.header}-fio-{size}"
        if cell:
            yield _rate(line, cell, maker, said)
            word = "kIOPS" if cell["iops"].endswith("k") else "IOPS"
            yield row(line, cell, "iops", (SCRIPT, word), said)
        elif any(sign.isdigit() for sign in text):
            yield unreadable(line, SCRIPT, _EXPECTED)
        else:
            yield note(line, f"found no figure in a table of {SCRIPT}: its test failed")


def _rate(line: Line, cell: re.Match[str], maker: str, said: dict[str, Any]) -> Item:
    rate = row(line, cell, "rate", (maker or SCRIPT, cell["unit"]), said)
    if maker or not isinstance(rate, Measurement):
        return rate
    shown = f"{cell['rate']} {cell['unit']}"
    expected = "expected IOPS that tell its unit: 1000 KiB before July 2026, 10^6 B since"
    return note(line, f"found {shown}, {expected}: the rate is not given")


def _dd(one: _Row) -> Iterator[Item]:
    """Yield the three runs of a row; its fourth figure is their mean."""
    line, match = one.line, one.match
    cells = [cell for _, cell in one.cells(_DD_CELL) if cell]
    if len(cells) != 4:
        yield unreadable(line, SCRIPT, "`<n> MB/s` of three runs and their mean")
        return
    for number, cell in enumerate(cells[:3], 1):
        said: dict[str, Any] = {"tool": "dd", "script": SCRIPT, "file_size": GIB, "repeat": number}
        said |= {**_DD[_OPS[match["name"]]], "run": f"{place(line)}-dd-{number}"}
        yield row(line, cell, "rate", ("dd", cell["unit"]), said)
    yield note(line, "found the mean of the three runs beside them: not counted")


def _objects(lines: Sequence[Line]) -> Iterator[_Object]:
    """Yield the whole objects of the JSON, one for each block size."""
    found: _Object = {}
    for line in lines:
        if '"bs"' not in line.text and '"speed_' not in line.text and '"iops_' not in line.text:
            continue
        for match in _FIELD.finditer(line.text):
            found = {} if match["field"] == "bs" else found
            found[match["field"]] = line, match
            if found.keys() == _FIELDS:
                yield found
                found = {}


def _pairs_of(one: _Object) -> Iterator[tuple[int, Mapping[str, str]]]:
    for way in "rw":
        rate, iops = one[f"speed_{way}"][1]["value"], one[f"iops_{way}"][1]["value"]
        cell = {"rate": rate, "unit": "KB/s", "iops": iops}
        yield size_in_bytes(one["bs"][1]["value"]), cell


def _of_json(one: _Object, maker: str) -> Iterator[Item]:
    size, line = size_in_bytes(one["bs"][1]["value"]), one["bs"][0]
    run = f"{line.number}-fio-{size}"
    for way, op in (("r", "randread"), ("w", "randwrite")):
        said: dict[str, Any] = {**_FIO, "op": op, "script": SCRIPT, "block_size": size, "run": run}
        if maker:
            yield row(*one[f"speed_{way}"], "value", (maker, "KB/s"), said)
        else:
            yield note(one[f"speed_{way}"][0], "found no IOPS that tell the unit of a rate of YABS")
        yield row(*one[f"iops_{way}"], "value", (SCRIPT, "IOPS"), said)
