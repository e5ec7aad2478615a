"""fio's JSON and JSON+ (2.0.10 to 3.42; stat.c 3.33: add_ddir_status_json).

    {"fio version" : "fio-3.33", "timestamp_ms" : ..., "global options" : {...},
     "jobs" (of a client: "client_stats") : [
        {"jobname", "groupid", "error", "job options" : {...},
         "read", "write", "trim", "mixed" : {"io_bytes", "bw_bytes", "bw", "iops", "runtime",
            "lat_ns" (up to 2.21 "lat", in us) : {"min", "max", "mean", "stddev"}, "bw_agg", ...},
         "job_runtime", ..., "sync" : {"lat_ns" : ...}}]}

Values come from the JSON library, their printed form and place from the text, key by key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, pairwise
from typing import Any

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import ALL_CLIENTS, COMPLETION_ONLY, Job, Kind, overlap
from sdanalysis.parsers.fio.json_documents import Document, Entry, documents
from sdanalysis.parsers.fio.options import UNKNOWN, conditions, milliseconds, of_several

_DIRECTIONS = ("read", "write", "trim", "mixed")
_OPENED = {name: re.compile(rf'"{name}"\s*:\s*\{{') for name in (*_DIRECTIONS, "sync")}
_RATES = {  # the figures of a direction: key, metric and unit, the best of a metric first
    "bw_bytes": ("bandwidth", "B/s"),
    "bw": ("bandwidth", "KiB/s"),  # whatever kb_base is (stat.c 3.33:1462)
    "iops": ("iops", "iops"),
}
_LATENCIES = {"lat_ns": "ns", "lat": "us"}  # objects of a direction, with the unit of their
_STATS = ("min", "max", "mean", "stddev")
# percentiles and bins of each kind of latency, with their unit
_SPREADS = {**dict.fromkeys(("slat_ns", "clat_ns", "lat_ns"), "ns"), "slat": "us", "clat": "us"}
_SPREADS |= {"lat": "us"}
_PRINTED = re.compile(r'"\w+"\s*:\s*([^,\s}]+)')
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,18})?(?:e[+-]?\d{1,2})?", re.ASCII)
_IN_KIB = re.compile(r"2\.(?:1?\d|20)(?!\d)")  # whose `io_bytes` are KiB (stat.c 2.21:922)
_JOBNAME = re.compile(r'"jobname"\s*:')
_FAILED = re.compile(r"^[ \t]*(fio: (?:pid=\d+, err=|io_u error)[^\n]*)$", re.MULTILINE)
# with these a run may end before its time and its size, or moves what its size does not say
_OTHER_ENDS = re.compile(
    r"verify|do_verify|experimental_verify|ss\b|ss_|steadystate|number_ios|io_size|io_limit|exitall"
    r"|read_iolog|replay|trigger|zone|fill_device|loops|ramp_time|latency_target|continue_on_error"
)
_OPEN = "found a cut object below it, and nothing that says that the run ended: an interim report"
_READS_TOO = re.compile("verify|read_iolog|replay")  # whatever the mode is
_PROCESS = ("jobname", "groupid", "hostname", "port")  # entries alike in these are clones
_PIECE = (
    "found a job outside of fio's JSON object, expected the whole object with its `fio version`: "
    "save the tool's own output (`fio --output-format=json --output=card.json`)"
)


def read(capture: Capture, *, more: bool) -> tuple[list[Job], list[Problem], Capture]:
    """Return the jobs of all objects, what was wrong, and the capture without their lines."""
    text, last, problems = capture.text, 0, list[Problem]()
    rest, walks, lines = list[str](), list[Walk](), dict[str, int]()
    found = list(documents(text))
    for document in found:
        walk = Walk(text, document, more=more)
        above, last = text[last : document.start], document.end
        printed = text[document.start : last] if len(found) > 1 else ""
        rest += [above, "\n" * text.count("\n", document.start, last)]
        if printed in lines:
            note = f"found the same text as the object at line {lines[printed]}: not counted twice"
            problems.append(Problem(walk.first, note, "note"))
            continue
        lines[printed] = walk.first
        problems += document.problems(walk.first, walk.place)
        walk.set_status(above, capture)
        is_cut = document.damage and not document.entries
        if walks and is_cut and document.version in (None, walks[-1].document.version):
            walks[-1].is_open = True
        walks.append(walk)
    left = "".join([*rest, text[last:]])
    place = left.find('"jobname')  # or escaped in a string
    if place >= 0 and not any(walk.document.damage for walk in walks):
        problems.append(Problem(left.count("\n", 0, place) + 1, _PIECE))
    states = [walk.jobs() for walk in walks]
    for before, after in pairwise(states):
        for job in after if _goes_on(before, after) else ():  # of one run
            job.run = before[0].run
    return [*chain(*states)], problems, Capture(left.strip() and left)


class Walk:
    """The walk down one document: line and column of what stands ever further below."""

    def __init__(self, text: str, document: Document, *, more: bool) -> None:
        self.text, self.document, self.more = text, document, more
        self.line, self.at = 1, 0
        self.first = self.place(document.start)[0]
        self.status, self.word = "measured", ""
        self.is_open = False  # a cut object stands below it

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset."""
        count = self.text.count
        self.line += count("\n", self.at, offset) - count("\n", offset, self.at)
        self.at = offset
        return self.line, offset - self.text.rfind("\n", 0, offset)

    def set_status(self, above: str, capture: Capture) -> None:
        """Take what fio said above its object, below the command: a signal, an error."""
        command = capture.command_above(self.first) if "fio: " in above else None
        if command and command.first <= self.first:
            above = "\n".join(above.split("\n")[command.first - self.first - 1 :])
        failed = _FAILED.search(above)
        if "fio: terminating on signal" in above:
            self.status = "interrupted"
        elif failed and not any(entry.get("error") for entry in self.document.entries):
            self.status = "error"
            text = "which says error 0: its figures are those of a failed run"
            self.word = f"found {failed[1][:120]!r} above its object, {text}"

    def jobs(self) -> list[Job]:
        """Return the jobs, in the order of the document."""
        entries = self.document.entries
        keys = [str([*map(entry.get, _PROCESS)]) for entry in entries]
        counts, at = Counter(keys), self.document.start
        found: list[Job] = []
        for number, entry in enumerate(entries):
            named = _JOBNAME.search(self.text, at)
            at = named.end() if named else at
            found.append(self._job(entry, at, str(number)))
        for job, key in zip(found, keys, strict=True):
            is_open = self.document.is_open and job.group == found[-1].group
            _mark_share(job, counts[key], is_open=is_open)
        return found

    def _job(self, entry: Entry, at: int, process: str) -> Job:
        name, group = str(entry.get("jobname", "")), entry.get("groupid")
        shared, own = self.document.shared, entry.get("job options")
        is_told = (isinstance(own, dict) or shared) and name != ALL_CLIENTS
        shared, own = (shared, own or {}) if is_told else ({}, {})
        content = self.document.content
        job = Job(
            "JSON", self.first, name, group if isinstance(group, int) else None,
            self.document.version, run=self.first, state=self.first, process=process,
            known=conditions(shared | own) if is_told else UNKNOWN,
            status="error" if entry.get("error") else self.status,
            client=f"{entry.get('hostname')}:{entry.get('port')}",
            time=_number(content, "timestamp_ms") or 1000 * _number(content, "timestamp"),
        )  # fmt: skip
        for key in (*_used(entry), "sync"):
            part = entry.get(key)
            if isinstance(part, dict) and (opened := _OPENED[key].search(self.text, at)):
                self._direction(job, part, "fsync" if key == "sync" else key, opened.end())
        if self.word:
            job.say(job.line, self.word, "note")
        if job.runtimes:
            _settle_conditions(job, entry, shared | own, own)
            _settle_end(job, shared | own, self)
        return job

    def _direction(self, job: Job, part: Entry, key: str, at: int) -> None:
        if key != "fsync":
            runtime = part.get("runtime")
            time = runtime if type(runtime) is int else 0
            if not job.moved_for(key, time, self.place(at)[0]):
                return
            for name in ("bw_bytes" if "bw_bytes" in part else "bw", "iops"):
                metric, unit = _RATES[name]
                self._figure(job, part, name, at, (key, metric, "single"), unit)
            job.add_group_rate(key, part.get("bw_mean"), part.get("bw_agg"))
        self._latencies(job, part, key, at)
        if self.more:
            self._spreads(job, part, key, at)

    def _spreads(self, job: Job, part: Entry, direction: str, at: int) -> None:
        """Add percentiles, by their share (unused slots of fio 2 are named 0.00), and bins."""
        for key, unit in _SPREADS.items():
            if not isinstance(spread := part.get(key), dict):
                continue
            kind, offset, found = key.removesuffix("_ns"), self.text.find(f'"{key}"', at), []
            printed = spread.get("percentile")
            for name, raw in printed.items() if isinstance(printed, dict) else ():
                offset = max(self.text.find(f'"{name}"', offset), offset)
                with suppress(ValueError):
                    share, line = float(name), self.place(offset)[0]
                    if 0 < share <= 100 and type(raw) is int and raw >= 0:
                        found.append((direction, kind, share, str(raw), unit, line))
            if any(raw != "0" for _, _, _, raw, *_ in found):  # or nothing was timed
                job.percentiles += found
            if isinstance(bins := spread.get("bins"), dict):
                job.bins.append((direction, kind, unit, bins))

    def _latencies(self, job: Job, part: Entry, direction: str, at: int) -> None:
        for name, unit in _LATENCIES.items():
            spread = part.get(name)
            if isinstance(spread, dict) and spread.get("mean"):
                begin = self.text.find(f'"{name}"', at)
                for stat in _STATS:
                    self._figure(job, spread, stat, begin, (direction, "latency", stat), unit)
                job.settle_latencies(direction)
                return
        if any(_number(part, key, "mean") for key in ("clat_ns", "clat")):
            job.say(self.place(at)[0], COMPLETION_ONLY, "note")

    def _figure(self, job: Job, part: Entry, key: str, at: int, kind: Kind, unit: str) -> None:
        """Add the figure of a key, if what is printed there is the number that was read."""
        offset = self.text.find(f'"{key}"', at) if key in part else at
        printed = _PRINTED.match(self.text, max(offset, at))
        raw = printed[1] if printed else "nothing"
        place = self.place(printed.start(1) if printed else at)
        if _NUMBER.fullmatch(raw) and float(raw) == part.get(key):
            job.take(place, kind, raw, unit)
        else:
            text = f"found {raw[:40]} for {kind[0]} {kind[1]}, expected what a device reaches"
            job.say(place[0], text)


def _used(entry: Entry) -> list[str]:
    """Return the directions in which a job did any I/O, or claims a rate without any."""
    parts = {name: entry[name] for name in _DIRECTIONS if isinstance(entry.get(name), dict)}
    signs = ("io_bytes", "bw", "bw_bytes")
    return [name for name, part in parts.items() if any(map(part.get, signs))]


def _number(entry: Entry, *path: str) -> float:
    """Return the number at a path of keys, 0 where there is none."""
    value: Any = entry
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int | float) and abs(value) < 10**18 else 0


def _goes_on(before: Sequence[Job], after: Sequence[Job]) -> bool:
    """Tell whether jobs are later states of others: all counts from the start of the run."""
    # Bytes do not shrink, extremes do not narrow, and the later one began before the earlier was
    # printed. Objects without a time (up to 2.1) need bytes that grow.
    pairs = list(zip(before, after, strict=False))
    if not pairs or not all(_may_go_on(*pair) for pair in pairs):
        return False
    longest = max(max(job.runtimes.values(), default=0) for job in after)
    is_same = after[0].time - longest < before[0].time + (999 if before[0].time % 1000 == 0 else 0)
    return is_same and any(job.moved < later.moved for job, later in pairs)


def _may_go_on(job: Job, later: Job) -> bool:
    tests = [(of.name, of.group, of.client, of.version, of.known) for of in (job, later)]
    if tests[0] != tests[1] or job.moved > later.moved:
        return False
    ends = {(figure.direction, figure.stat): figure.value for figure in later.figures}
    pairs = [(row, ends.get((row.direction, row.stat), row.value)) for row in job.figures]
    has_least = all(row.stat != "min" or row.value >= end for row, end in pairs)
    return has_least and all(row.stat != "max" or row.value <= end for row, end in pairs)


def _mark_share(job: Job, count: int, *, is_open: bool) -> None:
    """Mark an entry of one of several processes: without `group_reporting` each has its own."""
    # One entry for the processes that the options ask for is their sum, or a share: `bw_agg` tells.
    # Of the last group of a list that is cut others may be missing.
    number = job.known.numjobs or 1
    if number > 1 and (job.is_part() if count == 1 else count % number):
        job.is_whole, job.is_share, job.group_rates = False, True, {}
    elif is_open:
        job.is_whole, job.is_share = False, count > 1
        if not job.is_share and (job.is_part() or not job.group_rates):
            job.figures = []
            text = f"the job {job.name!r} may be a share of a run that is cut: no measurement"
            job.say(job.line, text, "note")


def _settle_conditions(job: Job, entry: Entry, options: Entry, own: Entry) -> None:
    """Note what bytes and times tell: sums of several sections, block sizes that no option says."""
    if job.known.numjobs and _is_sum(entry, options, own, job.known.numjobs):
        job.known = of_several(options, own)
    for direction in job.runtimes:
        part = entry[direction]
        unit = KIB if _IN_KIB.match(job.version or "") else 1
        moved = int(_number(part, "io_bytes")) * unit
        job.moved += moved
        time, rate = job.runtimes[direction], job.rates.get(direction)
        # fio cuts the time to ms, old ones bytes to KiB
        expected = moved * 1000 / (time + 1), (moved + KIB) * 1000 / time
        if rate and moved and not overlap(rate, expected, 0.01):
            job.doubts.add((direction, "bandwidth"))
            text = f"found {rate[0]:.0f} B/s beside {moved} bytes in {time} ms, expected figures"
            line = next(figure.line for figure in job.figures if figure.direction == direction)
            job.say(line, f"{text} that agree; the printed rate is kept", "note")
        size, rest = divmod(moved, int(_number(part, "total_ios")) or moved + 1)
        is_open = not job.known.mode and job.known.block_size(direction) is None
        if is_open and not rest and size >= 512 and size & (size - 1) == 0:
            job.sizes[direction] = size
            job.remarks[direction] = (*job.remarks.get(direction, ()), "inferred-block_size")


def _is_sum(entry: Entry, options: Entry, own: Entry, numjobs: int) -> bool:
    """Tell whether others ran than the processes that the options of an entry ask for."""
    # With `group_reporting` an entry is the sum of its group, under the options of one section.
    # `job_runtime` is a sum, too, and no process ran longer than the entry. One that ran less than
    # a quarter of the longest time is not seen; of a section that says its own `rw`, less than
    # three quarters, for what mmap does after its last operation counts as well.
    times = [_number(entry, name, "runtime") for name in _used(entry)]
    longest = sum(times) if any(map(_READS_TOO.search, options)) else max(times)
    slack = 0.75 if "rw" in own else 0.25
    return _number(entry, "job_runtime") > (numjobs * 1.01 + slack) * (longest + 2)


def _settle_end(job: Job, options: Entry, walk: Walk) -> None:
    """Note whether a job surely ran to its end: all of its time, or all of its bytes."""
    known, longest = job.known, max(job.runtimes.values())
    count = known.numjobs or 0
    count = count if len(walk.document.entries) == 1 else min(count, 1)
    size = count * (known.file_size or 0)
    block = count * max(filter(None, known.block_sizes), default=0)
    limit = milliseconds(str(options.get("runtime", options.get("timeout", ""))))
    ends_otherwise = any(map(_OTHER_ENDS.match, options))
    in_size = size - block < job.moved <= size and not ends_otherwise
    in_time = limit is not None and longest >= limit * 0.998
    job.is_over = in_time or (limit is None and in_size)
    if job.status != "measured" or job.is_over:
        return
    if walk.is_open:
        job.end_early("running", _OPEN)
    elif limit and size and block and longest < limit * 0.98 and not (in_size or ends_otherwise):
        job.status = "partial"
        text = f"found {job.moved} bytes in {longest} ms, expected the {size} bytes or the"
        text += f" {limit:.0f} ms of the options: an interim report, or the run was stopped"
        job.say(job.line, text, "note")
