"""fio's side logs (`--write_bw_log`, `_iops_log`, `_lat_log`): `250, 21348, 0, 0[, ...]`.

Time in ms, value, direction, block size, then by version offset and priority (iolog.c 3.33:
flush_samples). Nothing in the file says which quantity it is: that is in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.parsers.fio.job import UNKNOWN_PATTERN
from sdanalysis.parsers.fio.options import DIRECTIONS

# The time is ms since the start, or with `log_unix_epoch` since 1970, which has 13 digits.
SAMPLE = re.compile(
    r"\d{1,18}, ?(?P<value>-?\d{1,18}), ?(?P<direction>[012]), ?(?P<block>\d{1,12})"
    r"(?P<rest>(?:, ?(?:\d{1,18}|0x[0-9a-f]{1,8})){0,4})",
    re.ASCII,
)
_CUT = re.compile(r"\d{0,18}(?:, ?-?[0-9a-fx]{0,18}){0,7}", re.ASCII)
_HISTOGRAM = re.compile(r"\d{1,18}, ?[012], ?\d{1,12}(?:, ?\d{1,18}){100,3000}", re.ASCII)
NAME = re.compile(r"(?:^|[._-])(bw|iops|clat|slat|lat)(?:\.\d+)*(?:\.log)?(?:\.gz)?$")


def is_side_log(lines: Sequence[Line], name: str = "") -> bool:
    """Tell whether the lines are samples; of the last, which may be cut, only the beginning.

    Of a file with the name of a side log, most lines are enough.
    """
    if not lines:  # nothing but the file's name tells it
        return True
    first, last = lines[0].text, lines[-1].text
    if not SAMPLE.fullmatch(first):
        return _HISTOGRAM.match(first) is not None
    may_end = SAMPLE.fullmatch(last) or _CUT.fullmatch(last)
    if may_end and all(SAMPLE.fullmatch(line.text) for line in lines[:-1]):
        return True
    samples = sum(SAMPLE.fullmatch(line.text) is not None for line in lines)
    return _kind(name) is not None and samples * 2 > len(lines)


def _kind(name: str) -> str | None:
    match = NAME.search(name.rpartition("/")[2])
    return match[1] if match else None


def parse(lines: Sequence[Line], name: str) -> Iterator[Measurement | Problem]:
    """Yield one row per sample, with the status `sample`: samples are no results.

    Without the name of a side log (`p_bw.1.log`) there are no rows but a note. Latencies have a
    value only where the columns show that the version is 3 or later.
    """
    kind = _kind(name)
    first = lines[0].number if lines else 1
    if problem := _no_rows(lines, kind):
        yield Problem(line=first, text=problem, kind="note")
    if problem or not lines:
        return
    columns = lines[0].text.count(",")
    units = {"bw": _Unit("bandwidth", "KiB/s", KIB), "iops": _Unit("iops", "iops", 1)}
    unit = units.get(kind or "") or _latency_unit(lines)
    text = f"found a side log of {len(lines)} samples ({kind}): samples, not the result of the run"
    if unit.factor is None:
        text += "; microseconds before fio 3, nanoseconds after: its report would tell"
    yield Problem(line=first, text=text, kind="note")
    for line in lines:
        match = SAMPLE.fullmatch(line.text)
        if match is None or line.text.count(",") != columns:
            yield _no_sample(line, columns + 1, is_last=line is lines[-1])
            continue
        yield _sample(line, match, unit, is_last=line is lines[-1])


def _no_sample(line: Line, columns: int, *, is_last: bool) -> Problem:
    """Say of a line that is no sample like the first what it is."""
    shown = line.text if len(line.text) <= 80 else f"{line.text[:77]}..."
    found = line.text.count(",") + 1
    if SAMPLE.fullmatch(line.text) and not (is_last and found < columns):
        text = f"found {found} columns, expected {columns} as in the first line: left out"
    elif is_last and _CUT.fullmatch(line.text):
        text = f"found {shown!r}, expected {columns} columns: cut, left out"
    else:
        text = f"found {shown!r}, expected a sample of {columns} whole numbers: left out"
    return Problem(line=line.number, text=text)


def _no_rows(lines: Sequence[Line], kind: str | None) -> str:
    """Return why a side log gives no rows, nothing where it gives some."""
    if not lines:  # that is no error
        text = "found an empty side log of fio: the run was shorter than its averaging window"
        return text if kind else ""
    if _HISTOGRAM.match(lines[0].text):
        return f"found a histogram log of {len(lines)} lines: latency counts, no measurement"
    if kind is None:
        return (
            f"found a side log of {len(lines)} samples; whether bandwidth, IOPS or latency is in "
            "its file name only (`_bw.1.log`, `_iops.1.log`, `_lat.1.log`): no rows"
        )
    if len(lines) == 1:
        return "found a side log of one line, expected two to know that the first is whole: no rows"
    return ""


class _Unit(NamedTuple):
    """The metric of a side log, the unit that fio does not print, and its factor, if known."""

    metric: str
    name: str | None = None
    factor: float | None = None


def _latency_unit(lines: Sequence[Line]) -> _Unit:
    """Return nanoseconds where the columns show 3.18 or later, which write a priority."""
    matches = [SAMPLE.fullmatch(line.text) for line in lines[:-1][:100]]
    tails = {match["rest"] for match in matches if match}
    has_sixth = all(tail.count(",") >= 2 for tail in tails)
    known = tails and (has_sixth or all("0x" in tail for tail in tails))
    return _Unit("latency", "ns", 1e-9) if known else _Unit("latency")


def _sample(
    line: Line, match: re.Match[str], unit: _Unit, *, is_last: bool
) -> Measurement | Problem:
    raw, block = match["value"], int(match["block"])
    if raw.startswith("-"):
        text = f"found a {unit.metric} of {raw}, expected none below 0"
        return Problem(line=line.number, text=text)
    value = unit.factor and int(raw) * unit.factor
    return Measurement(
        line=line.number,
        column=match.start("value") + 1,
        tool="fio",
        op=DIRECTIONS[int(match["direction"])],
        metric=unit.metric,
        raw=raw,
        raw_unit=unit.name,
        value=value,
        value_low=value,
        value_high=unit.factor and (int(raw) + 1) * unit.factor,
        stat="sample",
        status="sample",
        # the last number of a file may be cut
        block_size=(block or None) if match["rest"] or not is_last else None,
        run="1-fio",
        remarks=(UNKNOWN_PATTERN,),
    )
