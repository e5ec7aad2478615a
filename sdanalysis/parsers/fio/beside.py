"""What stands beside a result without a block and says what was asked: a command, a heading.

It counts only where direction, bandwidth and IOPS of the result do not contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile, islice, takewhile

from sdanalysis.codebook.measurement import Line
from sdanalysis.parsers.fio.commands import each, is_command, jobs_of, names_file
from sdanalysis.parsers.fio.job import PEOPLE, Job, may_be_of_size
from sdanalysis.parsers.fio.options import (
    UNEVEN,
    UNKNOWN,
    Conditions,
    asked_of_jobs,
    common,
    depth,
    is_each,
    of_any_process,
    say_mode,
    stated,
)
from sdanalysis.parsers.fio.text_figures import add_direction, block_sizes, is_total_of_one
from sdanalysis.parsers.fio.wrapped import command_at

_DIRECTIONS = {
    **{mode: (mode.removeprefix("rand"),) for mode in ("read", "write", "trim")},
    **{f"rand{mode}": (mode,) for mode in ("read", "write", "trim")},
    **dict.fromkeys(("rw", "readwrite", "randrw"), ("read", "write", "mixed")),
    **dict.fromkeys(("trimwrite", "randtrimwrite"), ("trim", "write", "mixed")),
}
# `rw = randrw, bs = 4k, iodepth = 1, numjobs = 1`: what a page says of the report below it
# or `bs=4k iodepth=32`, `== iopattern=write qd=1`, as a loop prints it
_PAIR = r"[a-z_]{2,40} ?= ?[\w.:]{1,20}(?<!:)"
_TOLD = re.compile(
    r"(?P<begin>[\s>#*=`-]*)"
    rf"(?P<options>(?=.*\b(?:rw|bs|qd) ?=){_PAIR}(?:(?:, ?| ){_PAIR}){{0,8}})[\s:*=`-]*$"
)
_OTHER_WORDS = {"qd": "iodepth", "iopattern": "rw"}
_NEAR = 7  # lines from what a page says to the report
_RIGHT_ABOVE = 3
_LOOP = re.compile(r"(?:^|[\s;])do(?:\s.*\bfio\s|\s*$)")
_DIRECTION = re.compile(r"(read|write|trim|mixed)\s*: ", re.IGNORECASE)
_COMMENT = ("#", "//")
_MOST = 30  # lines of a paragraph of commands and comments


def asked_for(command: str, above: Sequence[Line] = ()) -> Conditions | None:
    """Return what a command asks for, None where it says nothing of a result's test."""
    jobs = jobs_of(command)
    if len(jobs) != 1 or not say_mode(jobs) or names_file(command):
        return None
    texts = (line.text for line in above[: -_MOST - 1 : -1])
    others = dropwhile(lambda text: text.rstrip().endswith("\\"), texts)  # not of the command
    near = islice(takewhile(str.strip, others), _RIGHT_ABOVE)
    in_loop = any(map(_LOOP.search, (command, *near)))
    is_repeated = in_loop and not set(UNEVEN) & jobs[0].keys()
    return of_any_process(jobs[0])._replace(is_repeated=is_repeated)


def asked_by(command: str, above: Sequence[Line], before: Sequence[Conditions]) -> list[Conditions]:
    """Return what the jobs of a command ask for, below tests that no result has come of yet.

    A file that it names may ask for anything, also where a command stands above it.
    """
    if len(parts := each(command)) > 1:
        return [asked for part in parts for asked in asked_by(part, above, before)]
    jobs = jobs_of(command)
    if len(jobs) > 1:
        is_told = say_mode(jobs) and not names_file(command)
        return asked_of_jobs(jobs) if is_told else [UNKNOWN] * len(jobs)
    known = asked_for(command, above)
    if known is None:
        return [UNKNOWN] if before and names_file(command) else []
    return [known]


def groups_of(
    jobs: Mapping[str, Mapping[str, str]], asked: Sequence[Conditions]
) -> Sequence[Conditions]:
    """Return what the groups of a command ask for, of which each has one job; else nothing."""
    return asked if len(asked) == len(jobs) > 1 and is_each([*jobs.values()]) else ()


def asked_beside(
    lines: Sequence[Line], place: int, above: Sequence[Conditions]
) -> Sequence[Conditions]:
    """Return what a result is of: in a comment above its command of that, else of those above it.

    A paragraph that ends with a command has each of its comments above a command. The results of a
    loop end with their paragraph.
    """
    if above and above[0].is_repeated and _is_apart(lines, place):
        return []
    if not lines[place].text.lstrip().startswith(_COMMENT):
        return above
    texts = takewhile(bool, (line.text.strip() for line in lines[place : place + _MOST]))
    paragraph = {at: text for at, text in enumerate(texts, place) if "```" not in text}
    first = next((at for at, text in paragraph.items() if not text.startswith(_COMMENT)), place)
    if [*paragraph.values()][-1].startswith(_COMMENT) or not is_command(paragraph[first]):
        return above
    asked = asked_for(command_at(lines, first)[0])
    return [] if asked is None else [asked]


def _is_apart(lines: Sequence[Line], place: int) -> bool:
    """Tell whether a paragraph with results stands above that of a line."""
    texts = [line.text for line in lines[max(place - _MOST, 0) : place]][::-1]
    above = dropwhile(lambda text: not text.strip(), dropwhile(str.strip, texts))
    return "msec" in next(above, "")


def may_tell(text: str) -> bool:
    """Tell cheaply whether a line may have options of the report below it."""
    return "rw = " in text or "bs=" in text or "qd=" in text


def told(text: str) -> Conditions | None:
    """Return what a line of options says of the report below it: of others it says nothing."""
    match = _TOLD.match(text)
    if match is None:
        return None
    pairs = re.findall(r"([a-z_]+) ?= ?([^\s,]+)", match["options"])
    given = {_OTHER_WORDS.get(name, name): value for name, value in pairs}
    known = stated({"ioengine": "libaio", **given})  # so that the depth is the one it gives
    is_share = "numjobs" in given and known.numjobs != 1
    return known._replace(is_share=is_share, is_repeated="bs" not in given)


def told_right_above(
    told: tuple[int, Conditions] | None, known: Conditions, number: int, numjobs: int
) -> Conditions:
    """Return what a line said of a job block near below it that is not known, nor contradicts."""
    if told is None or known != UNKNOWN:
        return known
    is_near = number - told[0] < _NEAR
    return told[1] if is_near and told[1].numjobs in (numjobs, None) else UNKNOWN


def header_conditions(match: re.Match[str]) -> Conditions:
    """Return what a header says: mode, block sizes and queue depth."""
    return UNKNOWN._replace(
        mode=match["mode"],
        block_sizes=block_sizes(match["sizes"], UNKNOWN.kb_base),
        iodepth=depth(match["engine"], int(match["depth"])),
    )


def conditions_of(
    line: Line, asked: Sequence[Conditions], told: tuple[int, Conditions] | None
) -> Conditions:
    """Return what the tests that were asked for say alike of a result, of those that agree with it.

    The total of a group may be of several: of that what the only test says. Where none was asked
    for, what the line right above the result says.
    """
    if told and line.number - told[0] < _RIGHT_ABOVE and (not asked or asked[0].is_repeated):
        asked = [_told_of(asked[0], told[1]) if asked else told[1]]
    asked = _of_one(asked)
    fitting = [test for test in asked if agrees(test, line)]
    if len(asked) < 2:
        return fitting[0] if fitting else UNKNOWN
    if not fitting or direction_of(line.text) == "mixed" or any(map(_is_unknown, asked)):
        return UNKNOWN
    return _alike(fitting)


def _told_of(known: Conditions, told: Conditions) -> Conditions:
    """Return what a command in a loop says of a result, and a line above it of its variables."""
    unsaid = [name for name in known._fields if getattr(known, name) in (None, (None,) * 3)]
    return known._replace(**{name: getattr(told, name) for name in unsaid})


def conditions_of_total(
    line: Line, near: Iterable[Line], asked: Sequence[Conditions]
) -> Conditions:
    """Return what the tests say alike that the total of a group may be of.

    `READ:` and `WRITE:` side by side are of one run.
    """
    ways = {direction_of(line.text), *(direction_of(one.text) for one in near)} - {""}
    fitting = [test for test in asked if all(fits(test, way) for way in ways)]
    if not fitting or (len(asked) > 1 and any(map(_is_unknown, asked))):
        return UNKNOWN
    if len({test._replace(placement=(), syncs=False) for test in fitting}) > 1:
        return UNKNOWN
    is_share = fitting[0].is_share
    if is_share and is_total_of_one(line.text):
        return UNKNOWN
    return fitting[0]._replace(is_share=is_share or len(fitting) > 1)


def left_over(line: Line, asked: Sequence[Conditions]) -> list[Conditions]:
    """Return the tests whose results may still follow a result, as far as they are told apart."""
    if len(asked) == 1 and asked[0].is_repeated:
        return [*asked]
    asked = _of_one(asked)
    fitting = [test for test in asked if agrees(test, line)] if direction_of(line.text) else []
    if len(asked) < 2 or not fitting or any(map(_is_unknown, asked)):
        return []
    others = [test for test in asked if test not in fitting]
    return others + [_alike(fitting)] * (len(fitting) - 1)


def _of_one(asked: Sequence[Conditions]) -> list[Conditions]:
    """Return the tests as far as they speak of the results of single processes."""
    return [UNKNOWN if test.is_share else test for test in asked]


def _alike(tests: Sequence[Conditions]) -> Conditions:
    """Return what is the same of all tests, any of which may be that of a result."""
    counts = {test.numjobs for test in tests}
    return common(tests)._replace(numjobs=counts.pop() if len(counts) == 1 else None)


def _is_unknown(test: Conditions) -> bool:
    return test.mode is None


def synced(asked: Sequence[Conditions]) -> Conditions:
    """Return what the only test that was asked for, or asked to sync, says, if it writes."""
    asked = [test for test in asked if len(asked) == 1 or test.syncs]
    only = _of_one(asked)[0] if len(asked) == 1 else UNKNOWN
    return only if fits(only, "write") else UNKNOWN


def agrees(known: Conditions, line: Line) -> bool:
    """Tell whether a result may be of what was asked for: direction, bandwidth and IOPS say so."""
    direction = direction_of(line.text)
    return fits(known, direction) and _has_its_size(line, known, direction)


def direction_of(text: str) -> str:
    """Return read, write, trim or mixed, of a line of results or of totals."""
    match = _DIRECTION.search(text)
    return match[1].lower() if match else ""


def fits(known: Conditions, direction: str) -> bool:
    """Tell whether a result may be of what was asked for; a mode that is none of fio's is not."""
    return known.mode is None or direction in _DIRECTIONS.get(known.mode, ())


def _has_its_size(line: Line, known: Conditions, direction: str) -> bool:
    """Tell whether bandwidth and IOPS of a line may be of the block size that was asked for."""
    size = known.block_size(direction) if direction else None  # of fsync
    trial = Job(PEOPLE, line.number, "")
    if size is None or not add_direction(trial, line):
        return True
    ranges = {row.metric: (row.value_low or 0, row.value_high or 0) for row in trial.rows}
    if len(ranges) < 2:
        return True
    more = known.uncounted(trial.runtimes.get(direction))
    return may_be_of_size(ranges["bandwidth"], ranges["iops"], size, more)
