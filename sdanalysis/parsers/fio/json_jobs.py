"""The job entries of fio's JSON and JSON+ -> rows (formats of 2.0.10 to 3.42)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio.commands import each, is_command, jobs_of, names_file
from sdanalysis.parsers.fio.job import (
    COMPLETION_ONLY,
    DISAGREE,
    INFERRED_BLOCK_SIZE,
    SYNC,
    Figure,
    Job,
    figure,
    io_bytes_agree,
    may_be_processes,
)
from sdanalysis.parsers.fio.json_objects import (
    Document,
    Places,
    count_of,
    documents,
    figures,
    io_bytes,
    is_synced,
    places,
    places_of_cut,
    used,
)
from sdanalysis.parsers.fio.json_options import ALL_CLIENTS, options_of
from sdanalysis.parsers.fio.json_states import State, states
from sdanalysis.parsers.fio.options import Conditions, conditions
from sdanalysis.parsers.fio.processes import leave_out_unsettled, mark_shares
from sdanalysis.parsers.fio.wrapped import command_at

_LONGEST = 40  # characters that a figure may have: fio prints at most 28
# bw is in KiB/s whatever kb_base (stat.c 3.33:1462); lat_ns since 3.0, lat before
_UNITS = {"bw_bytes": "B/s", "bw": "KiB/s", "iops": "iops", "lat_ns": "ns", "lat": "us"}


class Context(NamedTuple):
    """What all entries of one document share, and the lines of the whole text and their offsets."""

    document: Document
    run: str
    status: str
    lines: Sequence[Line]
    begins: Sequence[int]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of an offset in the document's text."""
        offset += self.document.offset
        index = bisect_right(self.begins, offset) - 1
        return self.lines[index].number, offset - self.begins[index] + 1


def scan(lines: Sequence[Line], text: str) -> tuple[list[Job], list[Line], list[Problem]]:
    """Return the jobs of all JSON documents, the lines outside of them, and what was wrong."""
    begins = list(accumulate([len(line.text) + 1 for line in lines], initial=0))
    found: list[Job] = []
    problems: list[Problem] = []
    outside: list[Line] = []
    texts: list[str] = []
    end = next_line = 0
    firsts: list[int] = []  # the first line of each document
    objects = list(documents(text))
    for index, document in enumerate(objects):
        start = document.start + document.offset
        texts.append(text[end:start])
        first = bisect_right(begins, start) - 1
        firsts.append(lines[first].number)
        above = lines[next_line:first]
        if document.open_end is not None and _is_alone(document, above):
            objects[index] = document._replace(open_end=None)
        outside += above
        end = document.end + document.offset
        next_line = bisect_right(begins, max(end - 1, start))
    for document, state in zip(objects, states(objects, [*texts, text[end:]]), strict=True):
        context = Context(document, f"{firsts[state.run]}-fio", state.status, lines, begins)
        if state.repeats is None:
            jobs = _jobs_of(context, state)
            problems += _problems(context, jobs)
            found += _settled(jobs, document)
        else:
            twin = f"the same text as the object at line {firsts[state.repeats]}"
            place = context.place(document.start)[0]
            problems.append(Problem(place, f"found {twin}: not counted twice", "note"))
    return found, [*outside, *lines[next_line:]], problems


def _is_alone(document: Document, above: Sequence[Line]) -> bool:
    """Tell whether the command above a list that is cut asks for no other job than its first."""
    places = [index for index, line in enumerate(above) if is_command(line.text)]
    command = command_at(above, places[-1])[0] if places else ""
    if names_file(command) or len(each(command)) > 1:
        return False
    first = next(iter(document.entries), document.cut_job) or {}
    jobs = [(job.get("name"), conditions(job).numjobs) for job in jobs_of(command)]
    return jobs == [(first.get("jobname"), 1)]


def _settled(jobs: list[Job], document: Document) -> list[Job]:
    """Return the jobs of a document with the sums of those that ran at the same time."""
    if may_be_processes(jobs):
        mark_shares(jobs)
    if document.open_end is not None:
        leave_out_unsettled(jobs)
    return jobs


def _problems(context: Context, jobs: list[Job]) -> Iterator[Problem]:
    """Say what is wrong with a document, and leave out of its jobs the sum over all clients."""
    document = context.document
    first, _ = context.place(document.start)
    if document.problem:
        offset, text = document.problem
        line, _ = context.place(offset - document.offset)
        yield Problem(line=line, text=text, kind="note" if document.complete else "error")
    elif not document.entries:
        text = "found no `jobs` in fio's object, expected a list of them"
        yield Problem(line=first, text=text)
    if len(jobs) > 1 and jobs[-1].name == ALL_CLIENTS:
        jobs.pop()
        text = "the sum over all clients repeats their figures: left out"
        yield Problem(line=first, text=text, kind="note")


def _jobs_of(context: Context, state: State) -> list[Job]:
    """Return one job per entry, the sum over all clients included."""
    document = context.document
    found = []
    for entry, where in zip(document.entries, places(document), strict=True):
        known = conditions(options_of(document, entry))
        found.append(_job(entry, where, context, known))
    if document.cut_job:
        found += _cut_job(document.cut_job, context)
    _settle_groups(found, document.open_end)
    for job in found if state.word else ():
        job.note(state.word or "")
    return found


def _cut_job(entry: dict, context: Context) -> Iterator[Job]:
    """Yield the job that the end of a text cuts, with the directions that have their time."""
    document = context.document
    cut = [name for name in used(entry) if not count_of(entry[name].get("runtime"))]
    entry = {key: part for key, part in entry.items() if key not in cut}
    if where := used(entry) and places_of_cut(document._replace(cut_job=entry)):
        known = conditions(options_of(document, entry))
        status = "partial" if context.status == "measured" else context.status
        yield _job(entry, where, context._replace(status=status), known)


def _job(entry: dict, where: Places, context: Context, known: Conditions) -> Job:
    group, version = entry.get("groupid"), context.document.content.get("fio version")
    status = "error" if entry.get("error") else context.status
    job = Job(
        view="JSON",
        line=context.place(context.document.start)[0],
        name=str(entry.get("jobname", "")),
        group=group if isinstance(group, int) else None,
        run=context.run,
        version=(version.removeprefix("fio-") or None) if isinstance(version, str) else None,
        status=context.status if context.status == "running" else status,
        known=known,
        client=(str(entry.get("hostname", "")), str(entry.get("port", ""))),
    )
    directions = used(entry)
    if "mixed" in directions and len(directions) > 1:
        directions.remove("mixed")  # unified_rw_reporting=both: the sum of the other two
    for direction in directions:
        _direction(job, entry[direction], direction, where, context)
    if is_synced(entry):
        found = dict(_figures(job, entry["sync"], "sync", where, context))
        if "mean" in found:
            job.add_latencies(SYNC, job.cells("write"), found)
    if not directions:
        job.note(f"the job {job.name!r} did no I/O (error {entry.get('error', 0)}): no measurement")
    return job


_NEXT = re.compile(
    r'[\s,]*\{\s*"jobname"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"groupid"\s*:\s*([0-9]{1,18})\s*,'
)


def _text_of(printed: str) -> str | None:
    """Return a text as JSON writes it, None where it is damaged."""
    try:
        return str(json.loads(printed))
    except ValueError:
        return None


def _settle_groups(jobs: Sequence[Job], open_end: str | None) -> None:
    """Note of each job whether all of its group is there, and whether it is surely a share.

    One entry for the N processes that the options ask for is their total (`group_reporting` is in
    no options). Of a list that is cut only the last group may go on.
    """
    following = _NEXT.match(open_end or "")
    name, group = (_text_of(following[1]), int(following[2])) if following else (None, None)
    goes_on = open_end is not None and ALL_CLIENTS not in (name, jobs[-1].name if jobs else None)
    processes = Counter((job.group, job.name, job.client) for job in jobs)
    for job in jobs:
        count, number = processes[job.group, job.name, job.client], job.known.numjobs
        is_last = job.group == jobs[-1].group and group in (None, job.group)
        job.group_is_whole = not (goes_on and is_last)
        is_one = count == 1 and (number or 1) > 1 and job.is_part_of_group()
        if is_one or (number and count > 1 and count % number):
            job.group_is_whole, job.is_share, job.group_rates = False, True, {}
        elif not job.group_is_whole and number != 1:
            job.is_share = count > 1 or (name, group) == (job.name, job.group)


def _direction(job: Job, part: dict, direction: str, where: Places, context: Context) -> None:
    cells = job.cells(direction)
    if cells.block_size is None and (size := _mean_block(part, job)):
        cells = cells._replace(block_size=size, remarks=(*cells.remarks, INFERRED_BLOCK_SIZE))
    runtime = count_of(part.get("runtime"))
    found = list(_figures(job, part, direction, where, context))
    if not runtime and not _is_trimmed(part):
        if found:
            time = "no time" if runtime is None else "a time of 0"
            text = f"found {direction} figures over {time}, expected a runtime above zero"
            job.error(text, found[0][1].line)
        return
    latencies = {stat: printed for stat, printed in found if stat != "single"}
    for _, printed in (pair for pair in found if pair[0] == "single"):
        is_new = job.add(direction, printed, cells, f"{direction} {printed.metric}")
        if is_new and runtime and printed.metric == "bandwidth":
            job.runtimes[direction] = runtime
            job.rates[direction] = printed.value_low, printed.value_high
            _check(job, part, printed)
            job.add_group_rate(direction, str(part.get("bw_mean")), str(part.get("bw_agg")))
    if "mean" in latencies:
        job.add_latencies(direction, cells, latencies)
    elif found and _has_completion(part):
        job.note(COMPLETION_ONLY, found[0][1].line)


def _is_trimmed(part: dict) -> bool:
    """Tell whether somebody left of a direction only its rates: neither time nor bytes."""
    return part.keys().isdisjoint(("runtime", "io_bytes", "io_kbytes", "total_ios"))


def _figures(
    job: Job, part: dict, direction: str, where: Places, context: Context
) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of a direction, each with its stat, in the order of the file."""
    for metric, key, inner in figures(part):
        value, spot = _value(part, key, inner), where.get((direction, metric, inner))
        if value is None and (inner or spot is None):
            continue
        place = context.place(spot.offset) if spot else (job.line, 1)
        if spot is None or isinstance(value, bool) or not isinstance(value, int | float):
            shown = repr(value) if value is None else json.dumps(value)[:60]
            text = f"found {shown} for {direction} {metric}, expected a number"
            job.error(text, place[0])
        elif len(spot.text) > _LONGEST:
            text = f"found {spot.text[:37]}... for {direction} {metric}"
            job.error(f"{text}, expected what a device reaches", place[0])
        else:
            printed = figure(place, metric, spot.text, _UNITS[key])
            if type(value) is int and not inner:  # whole numbers stay whole in the table of a log
                low, high = int(printed.value_low), int(printed.value_high)
                printed = printed._replace(value_low=low, value_high=high)
            yield inner or "single", printed


def _has_completion(part: dict) -> bool:
    """Tell whether completion latencies (clat) were measured."""
    spreads = [part.get(key) for key in ("clat_ns", "clat")]
    return any(isinstance(spread, dict) and spread.get("mean") for spread in spreads)


def _value(part: dict, key: str, inner: str | None) -> object:
    """Return a figure; latencies with a mean of 0 are none: gtod_reduce and disable_lat."""
    value = part.get(key)
    if inner is None:
        return value
    return value.get(inner) if isinstance(value, dict) and value.get("mean") else None


def _mean_block(part: dict, job: Job) -> int | None:
    """Return bytes per operation where no options are known and it is a whole power of two."""
    moved, number = io_bytes(part, job.version), count_of(part.get("total_ios"))
    if job.known.mode is not None or not moved or not number:
        return None
    size, rest = divmod(moved, number)
    return size if rest == 0 and size >= 512 and size & (size - 1) == 0 else None


def _check(job: Job, part: dict, rate: Figure) -> None:
    """Say when bytes over time is not the rate: 1 ms and 1 KiB of rounding aside, they agree."""
    moved, runtime = io_bytes(part, job.version), count_of(part["runtime"])
    if moved and runtime and not io_bytes_agree(moved, runtime, rate.value):
        text = (
            f"found {rate.raw} {rate.raw_unit} beside {moved} bytes in {runtime} ms, expected "
            "figures that agree; the printed rate is kept"
        )
        job.note(text, rate.line)
        job.remark(DISAGREE)
