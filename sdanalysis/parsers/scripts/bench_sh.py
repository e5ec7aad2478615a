"""bench.sh and its copies: ` I/O Speed(1st run) : 53.1 MB/s`, of three runs, and their mean.

A run is `dd if=/dev/zero of=benchtest_$$ conv=fdatasync` of 1 GiB, with `bs=64k count=16k` and
later with `bs=512k count=2048`: so no block size here. What is printed stood behind the last comma
of dd's report, hence where the locale has a decimal comma (`LC_ALL` outdoes the script's `LANG=C`)
it is a part of the rate. dd prints three digits, or one behind the point: others are such parts.
SuperBench writes the size of the file where bench.sh counts: `I/O Speed( 1.0GB )   : 333 MB/s`.
Chinese copies print `I/O 速度(1st run)`, or `硬盘I/O (第一次测试) : 392 MB/s`, some of them of a dd
with `bs=1M count=1024 oflag=direct`: so nothing is known there of the page cache. A fork prints
`I/O (1st run)`: its command is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.codebook.units import GIB, size_in_bytes
from sdanalysis.parsers.scripts.row import DD_RATE, MARGIN, note, of_runs, place, row

SCRIPT, SUPERBENCH = "bench.sh", "SuperBench"
_CHINESE = {"第一次测试": 1, "第二次测试": 2, "第三次测试": 3}
_ENGLISH = {"1st run": 1, "2nd run": 2, "3rd run": 3}
_RUNS = {**_ENGLISH, **_CHINESE}
_LABEL = r"(?:硬盘)?I/O ?(?:[Ss]peed|速度)? ?"
_BETWEEN = r"[\s:|]{1,40}"
_ROW = re.compile(
    rf"{MARGIN}{_LABEL}\((?:(?P<run>{'|'.join(_RUNS)})"
    r"|\s{0,3}(?P<size>1\.0G|[1-9][0-9]{0,3}M)B\s{0,3})\)"
    rf"{_BETWEEN}(?P<result>[^|]{{0,60}}?)[\s|]{{0,40}}$"
)
_MEAN = re.compile(
    rf"{MARGIN}(?:{_LABEL}\((?:average|平均(?:测试)?)\)|(?:Average|平均) I/O\s?(?:[Ss]peed|速度)?)"
    rf"{_BETWEEN}[0-9.]{{1,12}}"
)
BEGINS = re.compile(rf"{_LABEL}\(|(?:Average|平均) I/O\s")
_DD = {"tool": "dd", "op": "write"}


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the rate of each run; those of lines that stand together are repeats."""
    first, number, last = "", 0, -1
    for line in lines:
        if "I/O" not in line.text:
            last += last == line.number - 1 and not line.text.strip()
            continue
        if match := _ROW.match(line.text):
            named = _RUNS[match["run"]] if match["run"] else number + 1
            goes_on = line.number - last in (0, 1) and named > number
            number = named if match["run"] or goes_on else 1
            first, last = first if goes_on else place(line), line.number
            yield _run(line, match, f"{first}-dd-{number}", number)
        elif line.number - last in (0, 1) and _MEAN.match(line.text):
            last = -1
            yield of_runs(line)


def _run(line: Line, match: re.Match[str], run: str, number: int) -> Item:
    script = SCRIPT if match["run"] else SUPERBENCH
    rate = DD_RATE.fullmatch(line.text, *match.span("result"))
    if rate is None:
        found = match["result"] or "nothing"
        expected = "expected a rate as dd prints it: with a decimal below 100, with none above"
        return note(line, f"found {found} in a summary of {script}, {expected}")
    size = size_in_bytes(match["size"].replace("1.0G", "1G")) if match["size"] else GIB
    is_fork = match["run"] in _ENGLISH and "peed" not in match[0] and "速度" not in match[0]
    said: dict[str, Any] = {**_DD, "script": script, "file_size": None if is_fork else size}
    said["direct"] = None if is_fork or match["run"] in _CHINESE else False
    return row(line, rate, "rate", ("dd", rate["unit"]), {**said, "run": run, "repeat": number})
