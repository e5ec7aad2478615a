"""Results of fio's report for people in lines that somebody began with words of his own.

`| Hetzner VPS | read: IOPS=104k, ... |` of a table, `rand.log:  read: IOPS=...` of `grep -H`. What
the words say of the test is left to the reader, but for `random` and `sequential`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sdanalysis.codebook.measurement import Line, Problem
from sdanalysis.parsers.fio.beside import direction_of
from sdanalysis.parsers.fio.job import Job, Range, overlap
from sdanalysis.parsers.fio.options import Conditions
from sdanalysis.parsers.fio.text_figures import add_direction

_RESULT = re.compile(r"(?<![\w-])(?:read|write|trim|mixed)\s*: (?:IOPS=|io=)[0-9]")
# without fio's word for the direction, which must be the one that stands before it
_UNNAMED = re.compile(
    r"(?<![\w-])(?:IOPS=[0-9.]{1,9}[kMG]?, BW=[0-9.]{1,9}[KMG]?i?B/s \([0-9.]"
    r"|io=[0-9.]{1,9} ?[KMGT]?B, ?bw=[0-9.]{1,9} ?[KMG]?B/s, ?iops=)"
)
_WAY = re.compile(r"(?:\b|_|rand|rnd|seq)(read|write|trim)s?(?=\b|_)", re.IGNORECASE)

_KIND = re.compile(
    r"(?:\b|_)(rand|rnd|seq)(?:om|uential)?(?:[ _-]?(?:read|write|rw)s?)?(?=\b|_)", re.I
)
_HEAD = re.compile(r"(read|write|trim)\s*: +(?:IOPS=|io=|bw=)", re.I)
_HEADING = re.compile(
    r"[\s>]*(?:[#*=_-]+\s?\w.*|\w.*:[\s*_]*"
    r"|(?:[0-9]+ ?[kmg]i?b? )?(?:rand|rnd|seq)\S*(?: \S+){0,3})\s*",
    re.I,
)
_MARKS = " \t>|`*-"
_NEAR = 4  # lines from a heading to a result
_FAR = 60  # letters before a result: farther away it may be of other figures

NewJob = Callable[[Line, str, str], Job]  # of a result behind words, and which of its line it is
_Figures = tuple[str, Range, int | None]  # direction, bandwidth and time of a result


def results(line: Line, new: NewJob, words: list[Problem], *, is_last: bool = False) -> list[Job]:
    """Return the results of a line: those of several directions in a row are of one run.

    A line without figures of fio's, or with cut ones, gets a word.
    """
    jobs: list[Job] = []
    line = line._replace(text=_named(line.text))
    for match in _RESULT.finditer(line.text):
        if not jobs or direction_of(match[0]) in jobs[-1].rates:
            number = f".{len(jobs) + 1}" if jobs else ""
            jobs.append(new(line, line.text[: match.start()], number))
        if add_direction(jobs[-1], line, start=match.start(), is_last=is_last) is None:
            word = jobs[-1].problems.pop()  # of the line, not of a job
            words.append(word._replace(kind="note"))
    return [job for job in jobs if job.rows]


def with_words(known: Conditions, lines: Sequence[Line], place: int) -> Conditions:
    """Return what is known of the first result of a line, and what words say: random or not.

    They stand before it or, with the direction, in the heading right above it.
    """
    if known.mode is not None:
        return known
    match = _HEAD.search(lines[place].text)
    words = lines[place].text[: match.start()][-_FAR:] if match else ""
    if match and not words.strip(_MARKS):
        words = _heading(lines, place)
    kinds = {"rw" if kind[0] in "sS" else "randrw" for kind in _KIND.findall(words)}
    ways = {way.lower() for way in _WAY.findall(words)}
    if len(kinds) != 1 or (ways and match and match[1].lower() not in ways):
        return known
    return known._replace(mode=kinds.pop())


def _heading(lines: Sequence[Line], place: int) -> str:
    """Return the heading right above a result, or above one that stands right above it."""
    above = [line.text for line in reversed(lines[max(place - _NEAR, 0) : place])]
    while above and _HEAD.search(above[0]):
        above.pop(0)
    texts = (
        text for text in above if text.strip(_MARKS) and not text.lstrip(" >").startswith("```")
    )
    heading = next(texts, "")
    is_heading = len(heading) <= _FAR and _HEADING.fullmatch(heading)
    return heading if is_heading and _WAY.search(heading) else ""


def is_result(text: str, block: Job | None) -> bool:
    """Tell whether a line has results, and no block is open that they may be of."""
    if block and not (block.rates or block.problems):
        return False
    return bool(_RESULT.search(_named(text)))


def _named(text: str) -> str:
    """Return a line with fio's word for the direction where somebody wrote his own before it."""
    found = [] if _RESULT.search(text) else list(_UNNAMED.finditer(text))
    if len(found) != 1:
        return text
    start = found[0].start()
    ways = {way.lower() for way in _WAY.findall(text[:start])}
    word = f" {ways.pop()}: " if len(ways) == 1 else ""
    if not word or start < len(word):
        return text
    return f"{text[: start - len(word)]}{word}{text[start:]}"


def leave_out_quoted(jobs: Sequence[Job]) -> None:
    """Leave out results without a block that repeat one with a block above them.

    People quote what they speak of, with its time above it, too. Without blocks equal figures may
    be of several runs; but a line of totals, which has no IOPS, is of the run of the next line
    that has the same time: of that only the other figures count.
    """
    known: dict[_Figures, Job] = {}
    blocks = [job for job in reversed(jobs) if job.name]
    below: dict[_Figures, Job] = {
        (way, job.rates[way], time): job for job in blocks for way, time in job.runtimes.items()
    }
    totals: dict[tuple[str, int], Job] = {}
    for job in jobs:
        if job.name:
            for direction, rate in job.rates.items():
                known[direction, rate, job.runtimes.get(direction)] = job
                known[direction, rate, None] = job
        if job.name or job.is_left_out:
            continue
        keys = [(*pair, job.runtimes.get(pair[0])) for pair in job.rates.items()]
        is_total = all(row.metric == "bandwidth" for row in job.rows)
        if keys and all(key in known or (key in below and not is_total) for key in keys):
            job.leave_out(f"the report at line {(known.get(keys[0]) or below[keys[0]]).line}")
        elif is_total:
            totals |= dict.fromkeys(job.runtimes.items(), job)
        else:
            _leave_out_total(job, totals)


def _leave_out_total(job: Job, totals: dict[tuple[str, int], Job]) -> None:
    """Leave out the bandwidth of a result that a line of totals has given."""
    for direction, time in job.runtimes.items():
        total = totals.pop((direction, time), None)
        if total and overlap(total.rates[direction], job.rates[direction]):
            job.rows = [
                row for row in job.rows if row.metric != "bandwidth" or direction not in row.op
            ]
            job.note(f"repeats the bandwidth of the totals at line {total.line}: not counted twice")
