"""The job entries of fio's JSON and JSON+ -> rows (formats of 2.0.10 to 3.42)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import DISAGREE, INFERRED_BLOCK_SIZE, Report, refusal, tail
from sdanalysis.parsers.fio.json_objects import Document, entries_of
from sdanalysis.parsers.fio.json_places import Places, figures, is_used, places
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


def reports(context: Context) -> list[Report]:
    """Return one report per job entry; the sum over all clients is not one."""
    document = context.document
    entries = entries_of(document.content)
    spots = places(entries, document.text, document.start, document.end)
    shared = _shared_options(document.content)
    found = []
    for entry, where in zip(entries, spots, strict=True):
        report = _report(entry, where, context, _conditions(entry, entries, shared))
        found.append(report)
    return found


def _shared_options(content: dict) -> dict | None:
    found = content.get("global options")
    if isinstance(found, list):  # the client's form
        found = found[0] if found else None
    return found if isinstance(found, dict) else None


def _conditions(entry: dict, entries: list[dict], shared: dict | None) -> Conditions:
    options = entry.get("job options")
    if not isinstance(options, dict):
        options = None
    if shared is not None:
        options = {**shared, **(options or {})}
    known = conditions(options)
    if len(entries) > 1 and (known.numjobs or 0) > 1:
        # Without group_reporting every process has its own entry under the one name.
        twins = sum(one.get("jobname") == entry.get("jobname") for one in entries)
        if twins > 1:
            return known._replace(numjobs=None)
    return known


def _report(entry: dict, where: Places, context: Context, known: Conditions) -> Report:
    line = context.cursor.origin[1]
    group = entry.get("groupid")
    report = Report(
        view="JSON",
        line=line,
        name=str(entry.get("jobname", "")),
        group=group if isinstance(group, int) else None,
        run=context.run,
    )
    status = "interrupted" if context.interrupted else "measured"
    if entry.get("error"):
        status = "error"
    used = [one for one in DIRECTIONS if is_used(entry.get(one))]
    if "mixed" in used and len(used) > 1:
        used.remove("mixed")  # unified_rw_reporting=both: the sum of the other two
    for direction in used:
        _direction(report, entry[direction], direction, where, context, known, status)
    if not used:
        text = f"the job {report.name!r} did no I/O (error {entry.get('error', 0)}): no measurement"
        report.problems.append(Problem(line=line, text=text, kind="note"))
    return report


def _direction(
    report: Report,
    part: dict,
    direction: str,
    where: Places,
    context: Context,
    known: Conditions,
    status: str,
) -> None:
    cells = tail(known, direction, status, context.version, context.run, report.name)
    if cells[2] is None and (size := _mean_block(part, known, context.version)):
        cells = (*cells[:2], size, *cells[3:9], (*cells[9], INFERRED_BLOCK_SIZE), *cells[10:])
    runtime = part.get("runtime")
    for metric, key, inner in figures(part):
        value, spot = _value(part, key, inner), where.get((direction, metric))
        if value is None and (inner or spot is None):
            continue
        line, column = context.cursor.place(spot[0]) if spot else (report.line, 1)
        if metric == "bandwidth" and runtime == 0:
            text = f"found {direction} figures over a time of 0, expected a runtime above zero"
            report.problems.append(Problem(line=line, text=text))
            return
        problem = _not_a_figure(value, key, f"{direction} {metric}", line)
        if problem or spot is None:
            report.problems.append(problem)
            continue
        head = (line, column, known.op(direction), metric, spot[1])
        _add(report, (*head, *_UNITS[key]), value, cells)
        if metric == "bandwidth" and type(runtime) is int:
            report.runtimes[direction] = runtime
            report.rates[direction] = report.rows[-1][7:9]
            _check(report, part, report.rows[-1][6], context.version)


def _value(part: dict, key: str, inner: str | None) -> object:
    """Return a figure; a mean of 0 is none, for gtod_reduce and disable_lat leave it unmeasured."""
    value = part.get(key)
    if inner is None:
        return value
    return (value.get(inner) or None) if isinstance(value, dict) else None


def _not_a_figure(value: object, key: str, what: str, line: int) -> Problem | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Problem(line=line, text=f"found {value!r} for {what}, expected a number")
    return refusal(what, value * _UNITS[key][1], str(value), line)


def _add(report: Report, head: tuple, value: float, cells: tuple) -> None:
    *place, unit, factor = head
    low, high = interval(value, place[-1])
    stat = "mean" if place[3] == "latency" else "single"
    amounts = (float(value * factor), low * factor, high * factor)
    report.rows.append((*place, unit, *amounts, stat, *cells))


def interval(value: float, raw: str) -> tuple[float, float]:
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


def _check(report: Report, part: dict, rate: float, version: str | None) -> None:
    """Say when bytes over time is not the rate: 1 ms and 1 KiB of rounding aside, they agree."""
    moved, runtime = _io_bytes(part, version), part["runtime"]
    if not moved or runtime <= 0:
        return
    if not io_bytes_agree(moved, runtime, rate):
        row = report.rows[-1]
        text = (
            f"found {row[4]} {row[5]} beside {moved} bytes in {runtime} ms, expected figures that "
            "agree; the printed rate is kept"
        )
        report.problems.append(Problem(line=row[0], text=text, kind="note"))
        report.remark(-1, DISAGREE)


def io_bytes_agree(moved: int, runtime: int, rate: float) -> bool:
    """Tell whether bytes over ms is the rate in B/s, 1 ms, 1 KiB and 1 % of rounding aside."""
    low = (moved - KIB) * 1000 / (runtime + 1) - KIB
    high = (moved + KIB) * 1000 / max(runtime - 1, 0.5) + KIB
    return low * 0.99 <= rate <= high * 1.01
