"""Results of fio's report for people that were pasted without their job block or its header.

What they were asked to do is taken from a command or a header only where nothing contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.job import Job, overlap
from sdanalysis.parsers.fio.options import (
    UNKNOWN,
    Conditions,
    asked_options,
    common,
    conditions,
    depth,
)
from sdanalysis.parsers.fio.text_figures import (
    add_direction,
    add_total_rate,
    block_sizes,
    is_total_of_one,
)

VIEW = "report for people"
_DIRECTIONS = {
    **{mode: (mode.removeprefix("rand"),) for mode in ("read", "write", "trim")},
    **{f"rand{mode}": (mode,) for mode in ("read", "write", "trim")},
    **dict.fromkeys(("rw", "readwrite", "randrw"), ("read", "write", "mixed")),
    **dict.fromkeys(("trimwrite", "randtrimwrite"), ("trim", "write", "mixed")),
}
# `rw = randrw, bs = 4k, iodepth = 1, numjobs = 1`: what a page says of the report below it
_TOLD = re.compile(r"\s*(?P<options>rw ?= ?[a-z]+(?:, ?[a-z_]{2,20} ?= ?[\w.:]{1,20}){1,8})\s*$")
_DEPTH_OF_ONE = re.compile(r"\blatency\s*: target=0(?:\.00ns)?, .{0,60}, depth=1\s*$")
_DIRECTION = re.compile(r"(read|write|trim|mixed)\s*: ", re.IGNORECASE)


def is_before_2(job: Job) -> bool:
    """Tell whether a job is of fio 1, whose first versions print no total latency."""
    return (job.version or "").startswith("1.")


def asked_for(command: str) -> Conditions | None:
    """Return what a command asks for, None where it says nothing of a result's test.

    Of several processes without `--group_reporting` a result may be the share of one.
    """
    options = asked_options(command)
    if options is None:
        return None
    known = conditions(options)
    if known.numjobs != 1 and "group_reporting" not in options:
        return UNKNOWN
    return known


def told(text: str) -> Conditions | None:
    """Return what a line of options says of the report below it: of others it says nothing."""
    match = _TOLD.match(text)
    if match is None:
        return None
    given = dict(re.split(r" ?= ?", pair) for pair in re.split(r", ?", match["options"]))
    known = conditions({"ioengine": "libaio", **given})  # so that the depth is the one it gives
    return known._replace(
        numjobs=known.numjobs if "numjobs" in given else None,
        iodepth=known.iodepth if "iodepth" in given else None,
        direct=known.direct if "direct" in given else None,
        read_mix=known.read_mix if "rwmixread" in given else None,
        block_sizes=known.block_sizes if "bs" in given else UNKNOWN.block_sizes,
    )


def header_conditions(match: re.Match[str]) -> Conditions:
    """Return what a header says: mode, block sizes and queue depth."""
    return UNKNOWN._replace(
        mode=match["mode"],
        block_sizes=block_sizes(match["sizes"], UNKNOWN.kb_base),
        iodepth=depth(match["engine"], int(match["depth"])),
    )


def take_depth(job: Job, text: str) -> None:
    """Take the queue depth of a job whose header was not pasted from the end of its report.

    It is what was asked for, of which any engine reaches one; more than one not all do.
    """
    if job.known.iodepth is None and _DEPTH_OF_ONE.search(text):
        job.known = job.known._replace(iodepth=1)
        job.rows = [row._replace(iodepth=1) for row in job.rows]


def is_another(job: Job, line: Line) -> bool:
    """Tell whether a line is of another test than a job: it has the direction already.

    A bare job has none that does not fit what it is known to do, either.
    """
    direction = direction_of(line.text)
    if job.name or job.group is not None:
        return direction in job.rates
    if direction == "mixed":
        return "mixed" in job.rates or not job.rates
    return direction in job.rates or not _fits(job.known, direction)


def conditions_of(line: Line, asked: Sequence[Conditions]) -> Conditions:
    """Return what the tests that were asked for say alike of a result, of those that agree with it.

    The total of a group may be of several: of that what the only test says.
    """
    fitting = [test for test in asked if agrees(test, line)]
    if len(asked) < 2:
        return fitting[0] if fitting else UNKNOWN
    if not fitting or direction_of(line.text) == "mixed" or any(map(_is_unknown, asked)):
        return UNKNOWN
    return _alike(fitting)


def left_over(line: Line, asked: Sequence[Conditions]) -> list[Conditions]:
    """Return the tests whose results may still follow a result, as far as they are told apart."""
    fitting = [test for test in asked if agrees(test, line)]
    if len(asked) < 2 or not fitting or any(map(_is_unknown, asked)):
        return []
    others = [test for test in asked if test not in fitting]
    return others + [_alike(fitting)] * (len(fitting) - 1)


def _alike(tests: Sequence[Conditions]) -> Conditions:
    """Return what is the same of all tests, any of which may be that of a result."""
    counts = {test.numjobs for test in tests}
    return common(tests)._replace(numjobs=counts.pop() if len(counts) == 1 else None)


def _is_unknown(test: Conditions) -> bool:
    return test.mode is None


def synced(asked: Sequence[Conditions]) -> Conditions:
    """Return what the only test that was asked for says of its fsyncs, if it writes."""
    return asked[0] if len(asked) == 1 and _fits(asked[0], "write") else UNKNOWN


def agrees(known: Conditions, line: Line) -> bool:
    """Tell whether a result may be of what was asked for: direction, bandwidth and IOPS say so."""
    direction = direction_of(line.text)
    return _fits(known, direction) and _has_its_size(line, known, direction)


def total(line: Line, known: Conditions, run: str, version: str | None) -> Job:
    """Return a group of one job by its bandwidth; the total of several is of no single test."""
    job = Job(VIEW, line.number, "", run=run, version=version, known=known)
    if is_total_of_one(line.text):
        add_total_rate(job, line)
        return job
    job.note(
        f"found {line.text.strip()[:120]!r} without the jobs of its group, expected their blocks: "
        "a total of several jobs is not given"
    )
    return job


def direction_of(text: str) -> str:
    """Return read, write, trim or mixed, of a line of results or of totals."""
    match = _DIRECTION.search(text)
    return match[1].lower() if match else ""


def _fits(known: Conditions, direction: str) -> bool:
    # a mode that is none of fio's was cut or damaged: it fits no result
    return known.mode is None or direction in _DIRECTIONS.get(known.mode, ())


def _has_its_size(line: Line, known: Conditions, direction: str) -> bool:
    """Tell whether bandwidth and IOPS of a line may be of the block size that was asked for."""
    size = known.block_size(direction)
    trial = Job(VIEW, line.number, "")
    if size is None or not add_direction(trial, line):
        return True
    ranges = {row.metric: (row.value_low or 0, row.value_high or 0) for row in trial.rows}
    if len(ranges) < 2:
        return True
    low, high = ranges["iops"]
    return overlap(ranges["bandwidth"], (low * size, high * size), slack=0.01)
