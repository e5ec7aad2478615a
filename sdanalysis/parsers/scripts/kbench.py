"""kbench, Longhorn's benchmark: `Random:  28,832 / 5,730` below `IOPS (Read/Write)`.

It gives fio's means of samples (`iops_mean`, `bw_mean`) and of latencies, without their decimals.
Blocks are of 4 KiB, those of the bandwidth of 128 KiB; queues depend on the version. A comparison
has the figures of two volumes beside each other, and how far they are apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.codebook.units import KIB, size_in_bytes
from sdanalysis.parsers.scripts.row import MARGIN, cut, ends_log, note, place, row

SCRIPT = "kbench"
_TITLE = re.compile(rf"{MARGIN}FIO Benchmark (?:Compar[a-z]{{4,6}} )?Summary\b")
_SIZE = re.compile(rf"{MARGIN}(?:SIZE|Size): (?P<size>[0-9]{{1,6}}[kKmMgG]?)\W{{0,8}}$")
_HEADING = re.compile(rf"{MARGIN}(?P<what>[A-Z0-9][\w /%]{{1,40}}) \(Read/Write\)\W{{0,8}}$")
BEGINS = re.compile(
    r"FIO Benchmark|(?:For|SIZE|Size|QUICK MODE|Quick Mode): |(?:Random|Sequential|CPU Idleness):"
    r"|(?:IOPS|Bandwidth in KiB/sec|Latency in ns) \("
)
_NUMBER = r"[0-9][0-9,]{0,19}"
_ROW = re.compile(
    rf"{MARGIN}(?P<order>Random|Sequential):\s{{1,40}}(?P<read>{_NUMBER})? / (?P<write>{_NUMBER})?"
    rf"(?:\s{{1,40}}vs\s{{1,40}}(?P<other_read>{_NUMBER})? / (?P<other_write>{_NUMBER})?"
    r"\s{1,40}:[^:]{1,60})?\s*+\W{0,40}$"
)
_UNITS = {"IOPS": "IOPS", "Bandwidth in KiB/sec": "KiB/s", "Latency in ns": "ns"}
_FAR = 48  # lines from the title to the last figures, with blank ones between all


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield the figures of the summaries, those of a comparison as two runs."""
    title, what, size = -2 * _FAR, "", None
    for line in lines:
        text = line.text
        if "FIO Benchmark" in text and _TITLE.match(text):
            title, what, size = line.number, "", None
        elif line.number - title > _FAR:
            continue
        elif match := _SIZE.match(text):
            size = size_in_bytes(match["size"])
        elif match := _HEADING.match(text):
            what = match["what"] if match["what"] in _UNITS else ""
        elif what and (match := _ROW.match(text)):
            if ends_log(line, lines):
                yield cut(line)
                continue
            yield from _figures(line, match, what, size)


def _figures(line: Line, match: re.Match[str], what: str, size: int | None) -> Iterator[Item]:
    random = "rand" if match["order"] == "Random" else ""
    block = 128 * KIB if what.startswith("Bandwidth") else 4 * KIB
    volumes = ("", "other_") if "vs" in match[0] else ("",)
    for volume in volumes:
        for way in ("read", "write"):
            name = f"{volume}{way}"
            if match[name] is None:
                yield note(line, f"found no figure for {way}s in a summary of {SCRIPT}")
                continue
            said: dict[str, Any] = {"tool": "fio", "script": SCRIPT, "stat": "mean"}
            said |= {"op": f"{random}{way}", "block_size": block, "file_size": size}
            said["run"] = f"{place(line)}-fio-{name}"
            yield row(line, match, name, ("fio", _UNITS[what]), said, truncated=True)
