"""sdtest.sh of the Raspberry Pi's diagnostics (agnostics): fields of fio's terse line, verdicts.

`rand-4k-write;0;0;3291;822` is a job's read KB/s and IOPS, then its write KB/s and IOPS; below it
`Random write speed 822 IOPS (target 500) - PASS` repeats what was judged. Its jobs (sd_bench.fio)
write and read 4 KiB at random; in sequence they write 512 KiB with a depth of 4 in a file of 64 MiB
up to version 0.14, 4 MiB from 0.15 on, whose depth and size are others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Line
from sdanalysis.codebook.units import KIB, MIB
from sdanalysis.parsers.scripts.row import MARGIN, cut, ends_log, note, place, row

SCRIPT = "sdtest.sh"
_JOBS = {"seq-write": "write", "seq-read": "read", "rand-4k-write": "randwrite"}
_JOBS |= {"rand-4k-read": "randread"}
_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,6})?"
_FIELDS = re.compile(
    rf"{MARGIN}(?P<job>prepare-file|seq-write|seq-read|rand-4k-write|rand-4k-read);"
    rf"(?P<read>{_NUMBER});(?P<read_iops>{_NUMBER});"
    rf"(?P<write>{_NUMBER});(?P<write_iops>{_NUMBER})(?=\s|$)"
)
_VERDICT = re.compile(
    rf"{MARGIN}(?P<what>Sequential write|Random write|Random read) speed "
    rf"(?P<figure>{_NUMBER})? ?(?P<unit>KB/sec|IOPS) \(target [0-9]{{1,9}}\) - (?:PASS|FAIL)\b"
)
_JUDGED = {"Sequential write": "seq-write", "Random write": "rand-4k-write"}
_JUDGED |= {"Random read": "rand-4k-read"}
_BEGIN = re.compile(rf"{MARGIN}Run [1-9]\s{{0,40}}$")
BEGINS = re.compile(
    r"\b(?:Run [1-9]\b|(?:prepare-file|(?:seq|rand-4k)-(?:write|read));"
    r"|(?:Sequential write|Random (?:write|read)) speed [0-9. ]{1,25}[KI])"
)
_BLOCKS = (512 * KIB, 4 * MIB)  # of the sequential jobs, in the versions that are known
_OLD = {"iodepth": 4, "file_size": 64 * MIB}  # with blocks of 512 KiB


class _Run:
    """One of the up to three runs: the jobs that were read, and what they say of the version."""

    def __init__(self, line: Line) -> None:
        self.run = f"{place(line)}-fio"
        self.jobs: dict[str, re.Match[str]] = {}
        self.judged: set[str] = set()
        self.version: dict[str, Any] = {}

    def said(self, job: str, block: int | None) -> dict[str, Any]:
        """Return the conditions of a job, as fields of a measurement."""
        said = {"tool": "fio", "op": _JOBS[job], "script": SCRIPT, "direct": True, "numjobs": 1}
        return {**said, "run": self.run, "block_size": block, **self.version}


def find(lines: Sequence[Line]) -> Iterator[Item]:
    """Yield bandwidth and IOPS of each job, or its verdict where the job's line is not there."""
    run = None
    for line in lines:
        if _BEGIN.match(line.text):
            run = None
        elif ";" in line.text and (match := _FIELDS.match(line.text)):
            if run is None or match["job"] in run.jobs or run.judged:
                run = _Run(line)
            run.jobs[match["job"]] = match
            is_cut = ends_log(line, lines) and match.end() == len(line.text)
            yield from (cut(line),) if is_cut else _job(line, match, run)
        elif "(target " in line.text and (match := _VERDICT.match(line.text)):
            if run is None or match["what"] in run.judged:
                run = _Run(line)
            run.judged.add(match["what"])
            job = run.jobs.get(_JUDGED[match["what"]])
            yield from _contradiction(line, match, job) if job else (_verdict(line, match, run),)


def _contradiction(line: Line, verdict: re.Match[str], job: re.Match[str]) -> Iterator[Item]:
    """Yield a word where a verdict does not repeat what the line of its job has."""
    way = verdict["what"].split()[1]
    measured = job[way if verdict["unit"] == "KB/sec" else f"{way}_iops"]
    if verdict["figure"] != measured:
        found = f"found a verdict on {verdict['figure'] or 'no'} {verdict['unit']}"
        yield note(line, f"{found} where the job's line has {measured}: not counted")


def _job(line: Line, match: re.Match[str], run: _Run) -> Iterator[Item]:
    job = match["job"]
    if job == "prepare-file":
        yield note(line, "found the job that makes the file of the tests, which is no test")
        return
    way = "read" if job.endswith("read") else "write"
    block = 4 * KIB if job.startswith("rand") else _block(match[way], match[f"{way}_iops"])
    if block == _BLOCKS[0]:
        run.version = _OLD
    said = run.said(job, block)
    yield row(line, match, way, ("fio", "KiB/s"), said, truncated=True)
    yield row(line, match, f"{way}_iops", ("fio", "iops"), said, truncated=True)


def _block(rate: str, iops: str) -> int | None:
    """Return the block size of a known version that a job's rate and IOPS, both cut, agree with."""
    low, high = float(rate) * KIB, (float(rate) + 1) * KIB
    count = float(iops)
    fitting = [size for size in _BLOCKS if count < high / size and low / size < count + 1]
    return fitting[0] if len(fitting) == 1 else None


def _verdict(line: Line, match: re.Match[str], run: _Run) -> Item:
    if match["figure"] is None:
        return note(line, f"found no figure in the verdict of {SCRIPT}: its test failed")
    job = _JUDGED[match["what"]]
    said = run.said(job, 4 * KIB if job.startswith("rand") else None)
    return row(line, match, "figure", (SCRIPT, match["unit"]), said, truncated=True)
