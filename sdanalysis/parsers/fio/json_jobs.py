"""The job entries of fio's JSON and JSON+ -> rows (formats of 2.0.10 to 3.42)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import (
    DISAGREE,
    INFERRED_BLOCK_SIZE,
    Figure,
    Job,
    Range,
    group_rate,
    refusal,
    shared_cells,
)
from sdanalysis.parsers.fio.json_objects import Document, entries_of
from sdanalysis.parsers.fio.json_places import Places, Spot, figures, is_used, places
from sdanalysis.parsers.fio.options import DIRECTIONS, Conditions, conditions

ALL_CLIENTS = "All clients"
_UNITS = {  # key -> unit, factor to base units
    "bw_bytes": ("B/s", 1),  # stat.c 3.33:1461
    "bw": ("KiB/s", KIB),  # always KiB/s, whatever kb_base (stat.c 3.33:1462)
    "iops": ("iops", 1),
    "lat_ns": ("ns", 1e-9),  # since 3.0
    "lat": ("us", 1e-6),  # before
}


class Cursor:
    """Turns offsets that mostly grow into lines and columns, counting each line end once."""

    def __init__(self, text: str, offset: int, line: int = 0, column: int = 1) -> None:
        self.text = text
        self.origin = (offset, line, column)
        self.at, self.line = offset, line

    def place(self, offset: int) -> tuple[int, int]:
        """Return (index of the line, column from 1) of an offset in the text."""
        first, line, column = self.origin
        if offset < self.at:
            self.at, self.line = first, line
        self.line += self.text.count("\n", self.at, offset)
        self.at = offset
        newline = self.text.rfind("\n", first, offset)
        return self.line, offset - newline if newline >= 0 else offset - first + column


class Context(NamedTuple):
    """What all entries of one document share; lines are counted by `cursor`."""

    document: Document
    version: str | None
    run: str
    interrupted: bool
    cursor: Cursor


def version_of(content: dict) -> str | None:
    """Return `3.33` of `fio-3.33`."""
    word = content.get("fio version")
    return (word.removeprefix("fio-") or None) if isinstance(word, str) else None


@lru_cache(maxsize=64)
def version_tuple(version: str | None) -> tuple[int, ...]:
    """Return a version as integers: 2.2.10 is older than 2.3, and 2.10 newer than 2.9."""
    match = re.match(r"\d{1,4}(?:\.\d{1,4})*", version or "")
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def jobs_of(context: Context) -> list[Job]:
    """Return one job per entry, the sum over all clients included."""
    document = context.document
    entries = entries_of(document.content)
    spots = places(entries, document.text, document.start, document.end)
    shared = _shared_options(document.content)
    found, asked = [], []
    for entry, where in zip(entries, spots, strict=True):
        known = _conditions(entry, shared)
        found.append(_job(entry, where, context, known))
        asked.append(known.numjobs)
    _settle_groups(found, asked, document.open_end)
    return found


def _shared_options(content: dict) -> dict | None:
    found = content.get("global options")
    if isinstance(found, list):  # the client's form
        found = found[0] if found else None
    return found if isinstance(found, dict) else None


def _conditions(entry: dict, shared: dict | None) -> Conditions:
    options = entry.get("job options")
    if not isinstance(options, dict):
        options = None
    if shared is not None:
        options = {**shared, **(options or {})}
    return conditions(options)


def _job(entry: dict, where: Places, context: Context, known: Conditions) -> Job:
    line = context.cursor.origin[1]
    group = entry.get("groupid")
    client = (str(entry.get("hostname", "")), str(entry.get("port", "")))
    job = Job(
        view="JSON",
        line=line,
        name=str(entry.get("jobname", "")),
        group=group if isinstance(group, int) else None,
        run=context.run,
        placement=(*client, *known.placement),
    )
    status = "interrupted" if context.interrupted else "measured"
    if entry.get("error"):
        status = "error"
    used = [direction for direction in DIRECTIONS if is_used(entry.get(direction))]
    if "mixed" in used and len(used) > 1:
        used.remove("mixed")  # unified_rw_reporting=both: the sum of the other two
    for direction in used:
        _direction(job, entry[direction], direction, where, context, known, status)
    if not used:
        job.note(f"the job {job.name!r} did no I/O (error {entry.get('error', 0)}): no measurement")
    return job


_NEXT = re.compile(
    r'[\s,]*\{\s*"jobname"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"groupid"\s*:\s*(\d+)\s*,'
)


def _settle_groups(jobs: Sequence[Job], asked: Sequence[int | None], open_end: str | None) -> None:
    """Note of each job whether all of its group is there, and whether it is surely a share.

    `asked` are the numbers of processes that the options ask for. One entry for all of them is
    their total (`group_reporting` is in no options). Of a cut list only the last group may go on.
    """
    following = _NEXT.match(open_end or "")
    name, group = (json.loads(following[1]), int(following[2])) if following else (None, None)
    goes_on = open_end is not None and ALL_CLIENTS not in (name, jobs[-1].name if jobs else None)
    clones = Counter((job.group, job.name, job.placement) for job in jobs)
    for job, number in zip(jobs, asked, strict=True):
        count = clones[job.group, job.name, job.placement]
        is_last = job.group == jobs[-1].group and group in (None, job.group)
        job.group_is_whole = not (goes_on and is_last)
        if number and count > 1 and count % number:
            job.group_is_whole, job.is_share = False, True
        elif not job.group_is_whole and number != 1:
            job.is_share = count > 1 or (name, group) == (job.name, job.group)


def _direction(
    job: Job,
    part: dict,
    direction: str,
    where: Places,
    context: Context,
    known: Conditions,
    status: str,
) -> None:
    cells = shared_cells(known, direction, status, context.version, job)
    if cells.block_size is None and (size := _mean_block(part, known, context.version)):
        remarks = (*cells.remarks, INFERRED_BLOCK_SIZE)
        cells = cells._replace(block_size=size, remarks=remarks)
    runtime = part.get("runtime")
    for metric, key, inner in figures(part):
        value, spot = _value(part, key, inner), where.get((direction, metric))
        if value is None and (inner or spot is None):
            continue
        line, column = context.cursor.place(spot.offset) if spot else (job.line, 1)
        if metric == "bandwidth" and runtime == 0:
            text = f"found {direction} figures over a time of 0, expected a runtime above zero"
            job.problems.append(Problem(line=line, text=text))
            return
        figure = _figure(value, key, f"{direction} {metric}", (line, column), spot)
        if isinstance(figure, Problem):
            job.problems.append(figure)
            continue
        job.add(known.op(direction), figure, cells)
        if metric == "bandwidth" and type(runtime) is int:
            job.runtimes[direction] = runtime
            job.rates[direction] = figure.value_low, figure.value_high
            _check(job, part, figure, context.version)
            _add_group_rate(job, part, direction)


def _add_group_rate(job: Job, part: dict, direction: str) -> None:
    mean, share = str(part.get("bw_mean")), str(part.get("bw_agg"))
    if rate := group_rate(mean, share, job.rates[direction], KIB):
        job.group_rates[direction] = rate


def _value(part: dict, key: str, inner: str | None) -> object:
    """Return a figure; a mean of 0 is none, for gtod_reduce and disable_lat leave it unmeasured."""
    value = part.get(key)
    if inner is None:
        return value
    return (value.get(inner) or None) if isinstance(value, dict) else None


def _figure(
    value: object, key: str, what: str, place: tuple[int, int], spot: Spot | None
) -> Figure | Problem:
    if spot is None or isinstance(value, bool) or not isinstance(value, int | float):
        return Problem(line=place[0], text=f"found {value!r} for {what}, expected a number")
    unit, factor = _UNITS[key]
    if problem := refusal(what, value * factor, str(value), place[0]):
        return problem
    low, high = interval(value, spot.text)
    amounts = (float(value * factor), low * factor, high * factor)
    return Figure(*place, what.rpartition(" ")[2], spot.text, unit, *amounts)


def interval(value: float, raw: str) -> Range:
    """Return the range of a printed figure: integers are cut (C's division), decimals rounded."""
    if isinstance(value, int):
        return value, value + 1
    half = 0.5 / 10 ** (len(raw) - raw.find(".") - 1) if "e" not in raw.lower() else 0.0
    return value - half, value + half


def _io_bytes(part: dict, version: str | None) -> int | None:
    """Return the bytes moved: `io_bytes` is KiB up to 2.20 (stat.c 2.16:903, 2.21:922)."""
    moved = part.get("io_bytes")
    if not isinstance(moved, int):
        return None
    if "io_kbytes" in part or (parts := version_tuple(version)) >= (2, 21):
        return moved
    return moved * KIB if parts else None


def _mean_block(part: dict, known: Conditions, version: str | None) -> int | None:
    """Return bytes per operation where no options are known and it is a whole power of two."""
    moved, count = _io_bytes(part, version), part.get("total_ios")
    if known.mode is not None or not moved or not isinstance(count, int) or count <= 0:
        return None
    size, rest = divmod(moved, count)
    return size if rest == 0 and size >= 512 and size & (size - 1) == 0 else None


def _check(job: Job, part: dict, rate: Figure, version: str | None) -> None:
    """Say when bytes over time is not the rate: 1 ms and 1 KiB of rounding aside, they agree."""
    moved, runtime = _io_bytes(part, version), part["runtime"]
    if moved and runtime > 0 and not io_bytes_agree(moved, runtime, rate.value):
        text = (
            f"found {rate.raw} {rate.raw_unit} beside {moved} bytes in {runtime} ms, expected "
            "figures that agree; the printed rate is kept"
        )
        job.note(text, rate.line)
        job.remark(DISAGREE)


def io_bytes_agree(moved: int, runtime: int, rate: float) -> bool:
    """Tell whether bytes over ms is the rate in B/s, 1 ms, 1 KiB and 1 % of rounding aside."""
    low = (moved - KIB) * 1000 / (runtime + 1) - KIB
    high = (moved + KIB) * 1000 / max(runtime - 1, 0.5) + KIB
    return low * 0.99 <= rate <= high * 1.01
