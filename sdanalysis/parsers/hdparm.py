"""hdparm -t, -T and --direct: `Timing buffered disk reads: 134 MB in 3.02 seconds = 44.38 MB/sec`.

Grammar from hdparm.c 9.65:344-419; BusyBox's hdparm prints the same words with `kB/s`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.model import Line, Measurement
from sdanalysis.units import KIB, MIB, interval, number_of, unit_of

_ANNOUNCED = re.compile(
    r"\bTiming (?P<what>(?:O_DIRECT |buffered |buffer-)?(?:cache[d ]*|disk) ?reads)"
)
_RESULT = re.compile(
    r"\bTiming (?P<kind>(?:O_DIRECT )?cached|buffered disk|O_DIRECT disk) reads"
    r"(?: \(offset \d+ GB\))?:\s+(?P<size>\d+) MB in\s+(?P<seconds>\d+\.\d+) seconds = "
    r"\s*(?P<rate>\d+\.\d\d) (?P<unit>[MkG]B/sec)\s*$"
)
_FAILED = re.compile(r"reads(?: \(offset \d+ GB\))?:\s+(?:read\(.*|BLKFLSBUF.*|$)")


def parse(lines: Sequence[Line]) -> Iterable[Measurement]:
    """Yield one measurement per timing line; `-T` (the cache) is op `cached_read`."""
    for line in lines:
        if "Timing" not in line.text or not _ANNOUNCED.search(line.text):
            continue
        if match := _RESULT.search(line.text):
            yield _measurement(line, match)
        elif not _FAILED.search(line.text):
            raise ParseError(
                line.number,
                f"found {line.text.strip()!r}, "
                "expected `<n> MB in <n> seconds = <n> MB/sec` after hdparm's label",
            )


def _measurement(line: Line, match: re.Match[str]) -> Measurement:
    try:
        unit = unit_of("hdparm", match["unit"])
    except SdAnalysisError as error:
        raise ParseError(line.number, str(error)) from error
    value, low, high = interval(number_of(match["rate"]), unit)
    measurement = Measurement(
        line=line.number,
        column=match.start("rate") + 1,
        tool="hdparm",
        op="cached_read" if "cached" in match["kind"] else "read",
        metric="bandwidth",
        raw=match["rate"],
        raw_unit=match["unit"],
        value=value,
        value_low=low,
        value_high=high,
        direct="O_DIRECT" in match["kind"],
        name="rate",
        steps=(f"{match['rate']} {match['unit']} x {unit.factor:,.0f} B ({unit.why})",),
    )
    _check(measurement, int(match["size"]) * MIB, float(match["seconds"]))
    return measurement


def _check(measurement: Measurement, size: int, seconds: float) -> None:
    """Refuse a line whose megabytes, seconds and rate exclude one another.

    Seconds are rounded to 0.01; the megabytes are whole. `-T` subtracts the seeks' time from
    the seconds it prints, so its own figures agree too.
    """
    if not measurement.value or not seconds:
        raise ParseError(measurement.line, "found a rate or a time of zero, expected a duration")
    low, high = size / (seconds + 0.006), (size + KIB) / max(seconds - 0.006, 0.001)
    if not low * 0.999 <= measurement.value <= high * 1.001:
        raise ParseError(
            measurement.line,
            f"found {measurement.raw} {measurement.raw_unit}, expected "
            f"{low / MIB:.2f} to {high / MIB:.2f} MB/sec from the megabytes and seconds beside it",
        )
