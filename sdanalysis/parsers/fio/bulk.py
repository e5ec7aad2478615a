"""The short way from a file's bytes to rows, for folders of thousands of small JSON logs.

fio 3.2 and later print a key a line, indented by its depth, so the few figures of a job can be read
where they stand. What is laid out otherwise, or has more to say than rows, is left to `parse`.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from sdanalysis.codebook.units import KIB, LIMITS
from sdanalysis.parsers.fio.job import SLACK, Job, SharedCells, io_bytes_agree
from sdanalysis.parsers.fio.options import conditions

_VERSION = re.compile(r'\{\n  "fio version" : "fio-([^"\\\n]+)",\n')
_ENTRY = '\n    {\n      "jobname" : "'
_JOB = re.compile(
    r'(?P<name>[^"\\\n]*)",\n      "groupid" : (?P<group>\d+),\n      "error" : (?P<error>\d+),\n'
)
_COUNTS = re.compile(
    r'        "io_bytes" : (?P<moved>\d{1,18}),\n        "io_kbytes" : \d+,\n'
    r'        "bw_bytes" : (?P<rate>\d{1,18}),\n        "bw" : \d+,\n'
    r'        "iops" : (?P<iops>\d{1,12}\.\d{6}),\n        "runtime" : (?P<time>\d{1,12}),\n'
)
_MEAN = re.compile(
    r'          "min" : \d+,\n          "max" : \d+,\n          "mean" : (\d{1,15}\.\d{6}),\n'
)
_PART = re.compile(r'        "bw_agg" : (\d+\.\d+),\n        "bw_mean" : (\d+\.\d+),\n')
_LATENCY = '\n        "lat_ns" : {\n'
_READ, _WRITE, _TRIM = (f'\n      "{name}" : {{\n' for name in ("read", "write", "trim"))
_NO_TRIM = f'{_TRIM}        "io_bytes" : 0,\n'
_NOT_INDENTED = re.compile(r"\n[^ ]")
_HALF = 0.5e-6  # six decimals, rounded
_Direction = tuple[str, SharedCells]  # the operation, and what all its figures share


def rows(content: bytes) -> list[tuple] | None:
    """Return the rows (`job.FIELDS`) of a file that is one JSON object as fio 3 lays it out.

    None for every other file: `parse` reads it. The rows are those that `parse` gives, but only the
    lines of the figures, the beginnings of all lines and the end are looked at: damage elsewhere
    (a letter in a percentile) goes unseen here, and only `parse` has a word on it.
    """
    if not content.startswith(b'{\n  "fio version"') or not content.isascii():
        return None
    text = content.decode("ascii")
    version, bottom = _VERSION.match(text), _NOT_INDENTED.search(text)
    # one whole object: only its own braces stand at the beginning of a line
    if version is None or bottom is None or text[bottom.start() :] != "\n}\n":
        return None
    found: list[tuple] = []
    jobs = _jobs(text)
    first = jobs[0].start() if jobs else 0
    if text.find('\n  "jobs" : [\n', 0, first) < 0 or not _are_runs(jobs):
        return None
    everywhere = _options_text(text, '\n  "global options" : {', "\n  }", 0, first)
    line, at, end = 1, 0, len(text)
    for number, job in enumerate(jobs, 1):
        start, stop = job.end(), jobs[number].start() if number < len(jobs) else end
        own = _options_text(text, '\n      "job options" : {', "\n      }", start, stop)
        shared = _shared(everywhere, own, job["name"], job["error"], version[1])
        line += text.count("\n", at, start)
        at = start
        if shared is None or not _add_job(text, (at, stop, line), shared, found):
            return None
    return found or None


def _are_runs(jobs: list[re.Match[str]]) -> bool:
    """Tell whether each job is a group: of one group they may be processes of one test."""
    return len(jobs) < 2 or len({job["group"] for job in jobs}) == len(jobs)


def _jobs(text: str) -> list[re.Match[str]]:
    """Return the beginnings of all jobs, none where one is written in another way."""
    found: list[re.Match[str]] = []
    at = text.find(_ENTRY)
    while at >= 0:
        job = _JOB.match(text, at + len(_ENTRY))
        if job is None:
            return []
        found.append(job)
        at = text.find(_ENTRY, job.end())
    return found


def _options_text(text: str, label: str, close: str, start: int, end: int) -> str | None:
    begin = text.find(label, start, end)
    if begin < 0:
        return None
    begin += len(label)
    return text[begin : text.find(close, begin, end)]


@lru_cache(maxsize=1024)  # a folder of logs repeats a few jobs
def _shared(
    everywhere: str | None, own: str | None, name: str, error: str, version: str
) -> tuple[_Direction, ...] | None:
    """Return what options say of reading and of writing, None where nobody can read them."""
    if everywhere is None and own is None:
        return None
    try:
        given = json.loads("{" + (everywhere or "") + "}") | json.loads("{" + (own or "") + "}")
    except ValueError:
        return None
    status = "measured" if error == "0" else "error"
    job = Job("JSON", 1, name, run="1-fio", version=version, status=status, known=conditions(given))
    return tuple([(job.known.op(name), job.cells(name)) for name in ("read", "write")])


def _add_job(
    text: str, place: tuple[int, int, int], shared: tuple[_Direction, ...], found: list[tuple]
) -> bool:
    """Add the rows of one job; False when there is anything that only `parse` can tell."""
    at, end, line = place
    before = len(found)
    read = text.find(_READ, at, end)
    write = text.find(_WRITE, read, end)
    trim = text.find(_TRIM, write, end)
    if read < 0 or write < 0 or trim < 0 or not text.startswith(_NO_TRIM, trim):
        return False
    for start, stop, (op, cells) in (
        (read + len(_READ), write, shared[0]),
        (write + len(_WRITE), trim, shared[1]),
    ):
        counts = _COUNTS.match(text, start)
        if counts is None:
            return False
        line += text.count("\n", at, start)
        at = start
        if counts["moved"] == "0":
            continue
        label = text.rfind(_LATENCY, at, stop)  # it stands near the end of its direction
        mean = _MEAN.match(text, label + len(_LATENCY)) if label >= 0 else None
        part = _PART.search(text, at, stop) if (cells.numjobs or 1) > 1 else None
        if mean is None or (part and _is_share(part, float(counts["rate"]))):
            return False
        first, at = line, mean.end()
        line += text.count("\n", start, at)
        if not _add(counts, mean[1], (first, line - 1), (op, cells), found):
            return False
    return len(found) > before


def _is_share(part: re.Match[str], rate: float) -> bool:
    """Tell whether the group moved more than this entry: fio prints its part in per cent."""
    per_cent, mean = float(part[1]), float(part[2]) * KIB
    return 0 < per_cent < 100 and mean * 100 / per_cent > rate * (1 + SLACK)


def _add(
    counts: re.Match[str], mean: str, lines: tuple[int, int], shared: _Direction, found: list[tuple]
) -> bool:
    """Add the rows of one direction, whose counts and mean latency stand at these lines."""
    (line, mean_line), (op, cells) = lines, shared
    moved, printed_rate, printed_iops, runtime = counts.groups()
    rate, time, iops, latency = int(printed_rate), int(runtime), float(printed_iops), float(mean)
    if not 0 < rate <= LIMITS["bandwidth"] or not 0 < iops <= LIMITS["iops"] or time == 0:
        return False
    if latency * 1e-9 > LIMITS["latency"] or not io_bytes_agree(int(moved), time, rate):
        return False
    # plain tuples in the order of FIELDS: named ones would cost a tenth of the time
    exact = float(rate)
    range_of = (exact, exact, exact + 1)
    found.append((line + 2, 22, op, "bandwidth", printed_rate, "B/s", *range_of, "single", *cells))
    range_of = (iops, iops - _HALF, iops + _HALF)
    found.append((line + 4, 18, op, "iops", printed_iops, "iops", *range_of, "single", *cells))
    if latency > 0:
        range_of = (latency * 1e-9, (latency - _HALF) * 1e-9, (latency + _HALF) * 1e-9)
        found.append((mean_line, 20, op, "latency", mean, "ns", *range_of, "mean", *cells))
    return True
