"""kubestr's summary of fio's JSON: a name, its options, and a line of figures for each direction.

`JobName: read_iops`, `blocksize=4K filesize=2G iodepth=64 rw=randread`, `read:`, `IOPS=284.128082
BW(KiB/s)=1151`. Options that a job has from `[global]` are left empty there. Below them `iops:` and
`bw(KiB/s):` are of samples. kubestr keeps fio's IOPS in 24 bits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line, Measurement
from sdanalysis.codebook.units import size_in_bytes
from sdanalysis.parsers.scripts.row import MARGIN, cut, ends_log, place, row

SCRIPT = "kubestr"
_FIGURES = re.compile(
    rf"{MARGIN}IOPS=(?P<iops>[0-9]{{1,12}}\.[0-9]{{6}}) "
    r"BW\(KiB/s\)=(?P<rate>[0-9]{1,12})(?![0-9.])"
)
_JOB = re.compile(rf"{MARGIN}JobName:(?!\S)")  # without a name, where its file has none
_OPTIONS = re.compile(
    rf"{MARGIN}blocksize=(?P<block_size>\S*) filesize=(?P<file_size>\S*) "
    r"iodepth=(?P<iodepth>\S*) rw=(?P<mode>[a-z]*)"
)
_DIRECTION = re.compile(rf"{MARGIN}(?P<direction>read|write)\W{{0,2}}:\W{{0,8}}$")
_VERSION = re.compile(rf"{MARGIN}FIO version - fio-(?P<version>[0-9][\w.+-]{{0,40}})\s*$")
_GLOBAL = re.compile(rf"{MARGIN}Global options - (?P<options>.{{1,400}})$")
BEGINS = re.compile(
    r"Running FIO|Elapsed time|FIO version|Global options|JobName:|blocksize=|(?:read|write):\s"
    r"|IOPS=|iops: |bw\(KiB/s\): |Disk stats"
)
_TEST, _DEFAULT = "Running FIO test (", "(default-fio)"  # whose jobs have one process each
_QUEUES = ("libaio", "io_uring", "posixaio")  # others may wait for each operation
_SIZE = re.compile(r"[0-9]{1,12}[kKmMgG]?")
_FLOAT = 2.0**-24


class _Report:
    """What the lines above a figure said."""

    def __init__(self) -> None:
        self.version: str | None = None
        self.direct: bool | None = None
        self.has_queue = self.is_default = False
        self.begin_job(Line(0, ""))

    def begin_job(self, line: Line) -> None:
        """Forget what was said of the job above."""
        self.place = place(line)
        self.own: dict[str, str] = {}
        self.direction = ""

    def take(self, line: Line) -> None:
        """Take a line without figures."""
        text = line.text
        if _TEST in text:
            self.is_default = _DEFAULT in text
        elif match := _VERSION.match(text):
            self.version, self.direct, self.has_queue = match["version"], None, False
        elif match := _GLOBAL.match(text):
            given = dict(pair.split("=", 1) for pair in match["options"].split() if "=" in pair)
            self.direct = {"0": False, "1": True}.get(given.get("direct", ""))
            self.has_queue = given.get("ioengine", "") in _QUEUES
        elif _JOB.match(text):
            self.begin_job(line)
        elif match := _OPTIONS.match(text):
            self.own = match.groupdict()
        elif match := _DIRECTION.match(text):
            self.direction = match["direction"]

    def said(self) -> dict[str, Any]:
        """Return the conditions of the job as fields of a measurement."""
        base: dict[str, Any] = {"tool": "fio", "script": SCRIPT, "tool_version": self.version}
        base["run"] = f"{self.place}-fio"
        own, depth = self.own, self.own.get("iodepth", "")
        random = "rand" if own.get("mode", "").startswith("rand") else ""
        has_depth = self.has_queue and depth.isascii() and depth.isdigit() and len(depth) < 6
        if not own.get("mode"):
            base["remarks"] = ("unknown-pattern",)
        return {
            **base,
            "op": f"{random}{self.direction}",
            **{name: _size(own.get(name, "")) for name in ("block_size", "file_size")},
            "iodepth": int(depth) if has_depth else None,
            "direct": self.direct,
            "numjobs": 1 if self.is_default else None,
        }


def _size(text: str) -> int | None:
    """Return an option's size; none where it is left out, or is no fixed one."""
    return size_in_bytes(text) if _SIZE.fullmatch(text) else None


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield bandwidth and IOPS of each direction of each job."""
    report = _Report()
    for line in lines:
        text = line.text
        if "BW(KiB/s)=" in text and report.direction and (match := _FIGURES.match(text)):
            said = report.said()
            if ends_log(line, lines):
                yield cut(line)
                continue
            yield _rounded(row(line, match, "iops", ("fio", "iops"), said, truncated=False))
            yield row(line, match, "rate", ("fio", "KiB/s"), said, truncated=True)
            report.direction = ""
        elif ":" in text or "=" in text or " - " in text or _TEST in text:
            report.take(line)


def _rounded(found: Item) -> Item:
    """Widen a figure by the bits that it was kept in."""
    if not isinstance(found, Measurement) or not found.value:
        return found
    low, high = found.value * (1 - _FLOAT), found.value * (1 + _FLOAT)
    return found._replace(
        value_low=min(low, found.value_low or low), value_high=max(high, found.value_high or high)
    )
