"""Results of fio's report for people that were pasted without their job block or its header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdanalysis.codebook.measurement import LastLine, Line, Measurement, Problem
from sdanalysis.codebook.units import block_size_between
from sdanalysis.parsers.fio.beside import direction_of, fits
from sdanalysis.parsers.fio.interim import Report, is_of_a_report
from sdanalysis.parsers.fio.job import INFERRED_BLOCK_SIZE, SLACK, Job, Range
from sdanalysis.parsers.fio.options import DIRECTIONS, SEVERAL, UNKNOWN
from sdanalysis.parsers.fio.text_figures import (
    BEFORE,
    add_total_rate,
    is_short_total,
    is_total_of_one,
    may_be_sum,
)

_DEPTH = re.compile(
    r"\blatency\s*: target=0(?:\.00ns)?, .{0,60}, depth=(\d{1,5})[\s\",]*$", re.ASCII
)
_DEPTHS = re.compile(r"\bIO depths\s*: (.{20,200})")
# `issued rwts: total=0,7,0,0 short=0,0,0,0 dropped=0,0,0,0`, `issued    : total=r=0/w=7/d=0, ...`
_ISSUED = re.compile(
    r"\bissued ?[rwtds/]{0,5}\s*: total=(?P<counts>[rwd=/,0-9]{3,80}?),? short=(?P<less>.{3,80})"
)
_WORDS = re.compile(r"[^\w(\[]*+(?:[0-9]+ )?[^\W\d_][^=%]*$")
_HEADLESS = re.compile(BEFORE + r"(?:(?:lat|sync|bw) \( *\w+[ /]*\w*\)|iops)\s*: min=[^,]*,")
_NEAR = 8  # lines from the depths of a report to its end


def headless(line: Line) -> list[Problem]:
    """Return a word on latencies, or samples, above which no report of a job begins."""
    if _HEADLESS.match(line.text) is None:
        return []
    text = f"found {line.text.strip()[:120]!r} and no job block above it: whose it is is not known"
    return [Problem(line=line.number, text=text, kind="note")]


def is_before_2(job: Job) -> bool:
    """Tell whether a job is of fio 1, whose first versions print no total latency."""
    return (job.version or "").startswith("1.")


def cut_place(lines: Sequence[Line]) -> int:
    """Return the place of the line that may be cut: the last, of a text without a line end."""
    return -1 if lines and isinstance(lines[-1], LastLine) else len(lines) - 1


def take_end(job: Job, text: str, lines: Sequence[Line], place: int) -> None:
    """Take what the end of a report says of a job whose header was not pasted.

    Of the sum of several tests it says the depth of the first.
    """
    job.is_ended = job.is_ended or "IO depths" in text or "issued" in text
    if job.known.placement == SEVERAL or job.is_left:
        return
    if ", depth=" in text:
        _take_depth(job, text, lines, place)
    elif job.known.iodepth is None and job.known.direct is None:
        match = _ISSUED.search(text)
        if match and not re.search("[1-9]", match["less"]):
            _take_sizes(job, [int(count) for count in re.findall(r"\d+", match["counts"])])
            if is_bare(job):
                give_block_sizes([job])


def _take_sizes(job: Job, counts: Sequence[int]) -> None:
    """Take bytes per operation, by the rate and the time, where they are a power of two alone."""
    for direction, count in zip(DIRECTIONS, counts, strict=False):
        if count and direction in job.runtimes:
            low, high = job.rates.get(direction, (0, 0))
            time = job.runtimes[direction]
            least = low * (1 - SLACK) * time / count / 1000
            most = high * (1 + SLACK) * (time + 1) / count / 1000
            if size := block_size_between(least, most):
                job.sizes[direction] = size


def give_sizes_of_rates(jobs: Iterable[Job]) -> None:
    """Give results without a block the block size that their bandwidth and IOPS tell."""
    for job in jobs:
        is_told = job.known.iodepth is not None or job.known.direct is not None
        if not is_bare(job) or (is_told and not job.known.is_repeated):
            continue
        for count in [row for row in job.rows if row.metric == "iops"]:
            direction = count.op.removeprefix("rand")
            low, high = job.rates.get(direction, (0, 0))
            least = low / count.value_high if count.value_high else 0
            most = high / count.value_low if count.value_low else 0
            if least and most and (size := block_size_between(least, most)):
                job.rows = [_of_size(row, direction, size) for row in job.rows]


def give_block_sizes(jobs: Sequence[Job]) -> None:
    """Give rows the block size that the end of their report tells, alike for all of a group."""
    moving: dict[tuple[int | None, str], list[Job]] = {}
    for job in jobs:
        for direction in job.runtimes:
            moving.setdefault((job.group, direction), []).append(job)
    for (_, direction), alike in moving.items():
        sizes = {job.sizes.get(direction) for job in alike}
        if len(sizes) == 1 and (size := sizes.pop()):
            for job in alike:
                job.rows = [_of_size(row, direction, size) for row in job.rows]


def _of_size(row: Measurement, direction: str, size: int) -> Measurement:
    if row.op.removeprefix("rand") != direction or row.block_size is not None:
        return row
    return row._replace(block_size=size, remarks=(*row.remarks, INFERRED_BLOCK_SIZE))


def _take_depth(job: Job, text: str, lines: Sequence[Line], place: int) -> None:
    """Take the queue depth of a job whose header was not pasted from the end of its report.

    It is what was asked for, of which any engine reaches one; more than one not all do.
    """
    match = _DEPTH.search(text) if job.known.iodepth is None else None
    if match and (match[1] == "1" or _is_reached(int(match[1]), lines, place)):
        job.known = job.known._replace(iodepth=int(match[1]))
        job.rows = [row._replace(iodepth=int(match[1])) for row in job.rows]


def _is_reached(depth: int, lines: Sequence[Line], place: int) -> bool:
    """Tell whether the report whose end is at a place had as many operations under way."""
    for index in range(place - 1, max(place - _NEAR, 0) - 1, -1):
        if "IO depths" in lines[index].text and (match := _DEPTHS.search(lines[index].text)):
            # the first of each: a mail may have other shares behind them
            shares = dict(reversed(re.findall(r"(\d{1,2})=(\d{1,3}\.\d)%", match[1])))
            step = min(2 ** (depth.bit_length() - 1), 64)  # 16 to 31 are counted as 16
            return float(shares.get(str(step), 0)) > 0
    return False


def is_bare(job: Job | None) -> bool:
    """Tell whether a job is of a result that was pasted without its block."""
    return job is not None and not job.name and job.group is None


def is_another(job: Job, text: str, report: Report) -> bool:
    """Tell whether a line is of another test than a job: it has the direction, or one behind it.

    Fio prints what was read, then what was written (a test that writes may read to verify). Below
    the totals of its report, what ends it, or words a job has no result. A bare job has none that
    does not fit what it is known to do, either.
    """
    direction = direction_of(text)
    if job.is_ended or job.is_left or report.is_over(job):
        return True
    if direction == "mixed" and is_bare(job):
        return "mixed" in job.rates or not job.rates
    is_begun = direction in job.rates or (direction == "read" and "write" in job.rates)
    return is_begun or (is_bare(job) and not fits(job.known, direction))


def are_words(text: str) -> bool:
    """Tell whether a line is somebody's words, which part a job from what stands below them.

    What fio prints has signs of its own, also where a mail broke its line.
    """
    if "=" in text and text[0] != "=":  # not of a heading: nearly every line of a report
        return False
    return bool(_WORDS.match(text)) and not is_of_a_report(text)


def add_total(job: Job, line: Line, lines: Sequence[Line], place: int) -> None:
    """Add what a group moved by its total: of several jobs that nothing tells, no conditions."""
    known = job.known
    is_whole = bool(known.numjobs) and not known.is_share and place != cut_place(lines)
    is_one = is_total_of_one(line.text) or (is_whole and is_short_total(line.text))
    is_known = is_one or (known.is_share and known.numjobs and may_be_sum(line.text, known.numjobs))
    job.known = known if is_known else UNKNOWN
    if is_known or may_be_sum(line.text):
        add_total_rate(job, line)
        if known == UNKNOWN and is_total_of_one(line.text):
            _take_end_above(job, lines, place)
        return
    job.note(
        f"found {line.text.strip()[:120]!r} without the jobs of its group, expected their blocks "
        "or the whole line: a part of a total of several jobs is not given"
    )


def _take_end_above(job: Job, lines: Sequence[Line], place: int) -> None:
    """Take what the end of the only job of a group, whose begin was not pasted, says above it.

    It is of that job if it moved as much: as many operations of a size as the group.
    """
    near = lines[max(place - _NEAR, 0) : place + _NEAR]
    if sum("Run status group" in line.text for line in near) != 1:
        return
    for index in range(max(place - _NEAR, 0), place):
        text = lines[index].text
        if "issued" in text or (job.sizes and ", depth=" in text):
            take_end(job, text, lines, index)


def join_run(total: Job, block: Job | None) -> None:
    """Give a total the run of the result above it, of another direction and the same time."""
    is_near = block is not None and is_bare(block) and block.is_ended and not block.is_left
    times = set(total.runtimes.values())
    if block and is_near and times and times == set(block.runtimes.values()):
        total.run = block.run
        total.rows = [row._replace(run=block.run) for row in total.rows]


def is_no_total_of(block: Job | None, total: tuple[str, Range, bool]) -> bool:
    """Tell whether a total is not of the result above it, which was pasted without its block."""
    direction, rate, _ = total
    return block is None or direction not in block.rates or rate[1] < block.rates[direction][0]
