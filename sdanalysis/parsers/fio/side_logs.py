"""fio's side logs (`--write_bw_log`, `_iops_log`, `_lat_log`): `250, 21348, 0, 0[, ...]`.

time in ms, value, direction (0 read, 1 write, 2 trim), block size in bytes, then by version offset
and priority (stat.c 3.33: __add_log_sample, iolog.c flush_samples). Nothing in the file says which
quantity it is: that is in its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB

_SAMPLE = re.compile(
    r"\d{1,12}, ?(-?\d{1,18}), ?([012]), ?(\d{1,12})((?:, ?(?:\d{1,18}|0x[0-9a-f]{1,8})){0,4})"
)
_CUT = re.compile(r"\d{0,12}(?:, ?-?[0-9a-fx]{0,18}){0,7}")
_HISTOGRAM = re.compile(r"\d{1,12}, ?[012], ?\d{1,12}(?:, ?\d{1,18}){100,}")
_NAME = re.compile(r"(?:^|[._-])(bw|iops|clat|slat|lat)(?:\.\d+)*(?:\.log)?(?:\.gz)?$")
_OPS = ("read", "write", "trim")
SAMPLE = "sample"


def kind_of(name: str) -> str | None:
    """Return bw, iops, lat, clat or slat from a file's name (`p_bw.1.log`), None for others."""
    match = _NAME.search(name.rpartition("/")[2])
    return match[1] if match else None


def nothing(name: str) -> Iterator[Problem]:
    """Yield a note on an empty file with the name of a side log: that is no error."""
    if kind_of(name):
        text = "found an empty side log of fio: the run was shorter than its averaging window"
        yield Problem(line=1, text=text, kind="note")


def is_side_log(lines: Sequence[Line]) -> bool:
    """Tell whether all lines are samples; of the last, which may be cut, only the beginning."""
    if not lines or not (_SAMPLE.fullmatch(lines[0].text) or _HISTOGRAM.match(lines[0].text)):
        return False
    if _HISTOGRAM.match(lines[0].text):
        return True
    whole = lines if _SAMPLE.fullmatch(lines[-1].text) else lines[:-1]
    return all(_SAMPLE.fullmatch(line.text) for line in whole) and bool(
        whole is lines or _CUT.fullmatch(lines[-1].text)
    )


def parse(
    lines: Sequence[Line], kind: str | None = None, version: tuple[int, ...] = ()
) -> Iterator[Measurement | Problem]:
    """Yield one row per sample, with the status `sample`: samples are no results.

    `kind` comes from the file's name (`kind_of`) and `version` from the run's report: without a
    kind there are no rows but a note, without a version latencies have no value (microseconds
    before fio 3, nanoseconds after).
    """
    first = lines[0].number
    if _HISTOGRAM.match(lines[0].text):
        text = f"found a histogram log of {len(lines)} lines: latency counts, no measurement"
        yield Problem(line=first, text=text, kind="note")
        return
    columns = lines[0].text.count(",")
    if kind is None:
        text = (
            f"found a side log of {len(lines)} samples; whether bandwidth, IOPS or latency is in "
            "its file name only (`_bw.1.log`, `_iops.1.log`, `_lat.1.log`): no rows"
        )
        yield Problem(line=first, text=text, kind="note")
        return
    if len(lines) == 1:
        text = "found a side log of one line, expected two to know that the first is whole: no rows"
        yield Problem(line=first, text=text, kind="note")
        return
    factor, unit, metric = _unit(kind, version or _version(lines))
    text = f"found a side log of {len(lines)} samples ({kind}): samples, not the result of the run"
    if factor is None:
        text += "; microseconds before fio 3, nanoseconds after: its report would tell"
    yield Problem(line=first, text=text, kind="note")
    for line in lines:
        if line.text.count(",") != columns or not _SAMPLE.fullmatch(line.text):
            text = f"found {line.text!r}, expected {columns + 1} columns: cut, left out"
            yield Problem(line=line.number, text=text, kind="note")
            continue
        yield _sample(line, factor, unit, metric, is_last=line is lines[-1])


def _unit(kind: str, version: tuple[int, ...]) -> tuple[float | None, str | None, str]:
    if kind == "bw":
        return KIB, "KiB/s", "bandwidth"
    if kind == "iops":
        return 1, "iops", "iops"
    if not version:
        return None, None, "latency"
    return (1e-9, "ns", "latency") if version >= (2, 99) else (1e-6, "us", "latency")


def _version(lines: Sequence[Line]) -> tuple[int, ...]:
    """Return a least version where the columns show it: a priority is written since 3.18."""
    tails = {
        _SAMPLE.fullmatch(line.text)[4] for line in lines[:-1][:100] if _SAMPLE.fullmatch(line.text)
    }
    sixth = all(one.count(",") >= 2 for one in tails)
    hexadecimal = all("0x" in one for one in tails)
    return (3, 18) if tails and (sixth or hexadecimal) else ()


def _sample(
    line: Line, factor: float | None, unit: str | None, metric: str, *, is_last: bool
) -> Measurement | Problem:
    match = _SAMPLE.fullmatch(line.text)
    assert match is not None  # is_side_log has seen every line
    raw, direction, block, rest = match.groups()
    if raw.startswith("-"):
        return Problem(line=line.number, text=f"found a {metric} of {raw}, expected none below 0")
    value = None if factor is None else int(raw) * factor
    return Measurement(
        line=line.number,
        column=match.start(1) + 1,
        tool="fio",
        op=_OPS[int(direction)],
        metric=metric,
        raw=raw,
        raw_unit=unit,
        value=value,
        value_low=value,
        value_high=None if factor is None else (int(raw) + 1) * factor,
        stat=SAMPLE,
        status=SAMPLE,
        # the last number of a file may be cut
        block_size=(int(block) or None) if rest or not is_last else None,
        run="1-fio",
        remarks=("unknown-pattern",),
    )
