"""fio's side logs (`--write_bw_log`, `_iops_log`, `_lat_log`): `250, 21348, 0, 0[, ...]`.

Time in ms, value, direction, block size, then by version offset (3.0) and priority (3.18, `0x0000`
or a number; iolog.c 3.33: flush_samples). Nothing in the file says which quantity it is: that is in
its name. A `clat_hist` log has hundreds of counts a line instead, which are no measurements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, Measurement, Problem
from sdanalysis.codebook.units import unit_of
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.fio.job import UNKNOWN_PATTERN
from sdanalysis.parsers.fio.options import DIRECTIONS

# the time is ms since the start, or with `log_unix_epoch` since 1970, which has 13 digits
SAMPLE = re.compile(
    r"(?a)\d{1,18}, ?(-?\d{1,18}), ?([012]), ?(\d{1,12})((?:, ?(?:\d{1,18}|0x[0-9a-f]{1,8})){0,4})"
)
_HISTOGRAM = re.compile(r"\d{1,18}, ?[012], ?\d{1,12}(?:, ?\d{1,18}){100,3000}", re.ASCII)
NAME = re.compile(r"(?:^|[._-])(bw|iops|clat|slat|lat)(?:\.\d+)*(?:\.log)?(?:\.gz)?$")
EXPECTED = "expected a sample of {} whole numbers"
_NO_NAME = (
    "whether bandwidth, IOPS or latency is in its file name only (`_bw.1.log`, `_iops.1.log`, "
    "`_lat.1.log`)"
)
_ONE_LINE = "found a side log of one line, expected two to know that the first is whole"
# number of jobs, depth, share of reads, direct, repeat, run, status and remarks of a sample
_CELLS = (None, None, None, None, None, 1, "1-fio", "sample", (UNKNOWN_PATTERN,))
METRICS = {"bw": ("bandwidth", "KiB/s"), "iops": ("iops", "iops")}
_OPEN = "; microseconds before fio 3, nanoseconds after: its report would tell"


def kind_of(name: str) -> str | None:
    """Return what a side log counts, by its file's name: bw, iops, lat, clat or slat."""
    match = NAME.search(name.rpartition("/")[2])
    return match[1] if match else None


def is_side_log(capture: Capture) -> bool:
    """Tell whether a file is a side log: empty, or most of its first lines are samples."""
    lines = capture.lines[:20]
    if not lines or _HISTOGRAM.match(lines[0]):
        return True
    samples = sum(SAMPLE.fullmatch(line) is not None for line in lines)
    return SAMPLE.fullmatch(lines[0]) is not None and samples * 2 > len(lines)


def match_sample(line: str, commas: int) -> re.Match[str] | None:
    """Return the parts of a line that is a sample with so many commas; None of any other."""
    match = SAMPLE.fullmatch(line)
    is_other = match is None or line.count(",") != commas or match[1].startswith("-")
    return None if is_other else match


def parse(capture: Capture, name: str) -> Iterator[Item]:
    """Yield one row a sample, with the status `sample`; a note alone without a side log's name."""
    lines, kind = capture.lines, kind_of(name)
    if why := _no_rows(lines, kind):
        yield Problem(1, why, "note")
    if why or not lines:
        return
    tails = [match[4] for line in lines[:-1][:100] if (match := SAMPLE.fullmatch(line))]
    is_new = all(tail.count(",") >= 2 or "0x" in tail for tail in tails)  # 3.18: with a priority
    metric, unit = METRICS.get(kind or "") or ("latency", "ns" if is_new else None)
    text = f"found a side log of {len(lines)} samples ({kind}): samples, not the result of the run"
    yield Problem(1, text if unit else text + _OPEN, "note")
    commas, meaning = lines[0].count(","), unit_of("fio", unit) if unit else None
    for number, line in enumerate(lines, 1):
        match, is_last = match_sample(line, commas), number == len(lines)
        if match is None:
            quote, cut = line if len(line) <= 80 else f"{line[:77]}...", "cut, " * is_last
            yield Problem(number, f"found {quote!r}, {EXPECTED.format(commas + 1)}: {cut}left out")
            continue
        raw, direction, block, tail = match.groups()
        value = high = None
        if meaning:
            value, high = meaning.of(int(raw)), meaning.of(int(raw) + 1)
        size = (int(block) or None) if tail or not is_last else None  # the last number may be cut
        place = number, match.start(1) + 1, DIRECTIONS[int(direction)], metric, "sample"
        figure: tuple[Any, ...] = (raw, unit, value, value, high, meaning)
        cells: tuple[Any, ...] = ("fio", None, None, size, *_CELLS)
        yield Measurement(*place, *figure, *cells)


def _no_rows(lines: Sequence[str], kind: str | None) -> str:
    if not lines:  # that is no error
        text = "found an empty side log of fio: the run was shorter than its averaging window"
        return text if kind else ""
    if _HISTOGRAM.match(lines[0]):
        return f"found a histogram log of {len(lines)} lines: latency counts, no measurement"
    if kind is None:
        return f"found a side log of {len(lines)} samples; {_NO_NAME}: no rows"
    return f"{_ONE_LINE}: no rows" if len(lines) == 1 else ""
