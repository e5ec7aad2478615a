"""GNU dd's transfer line: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

Grammar from dd.c (coreutils 5.3 to 9.x). The value is bytes over seconds, which carry six
digits; the printed rate carries two or three and is kept as `raw`. Where the seconds have fewer
digits than the rate, as uutils prints them, the value is the rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.model import Line, Measurement
from sdanalysis.units import interval, number_of, unit_of

_ANNOUNCED = re.compile(r"^\s*\d+ bytes? (?:\([^)]*\) )?copied\b")
_RESULT = re.compile(
    r"^\s*(?P<bytes>\d+) bytes? (?:\((?P<sizes>[^)]*)\) )?copied, "
    r"(?P<seconds>\d+(?:[.,]\d+)?(?:e[+-]?\d+)?) s(?:econds?)?, "
    r"(?P<rate>\d+(?:[.,]\d+)?) (?P<unit>[kMGT]?B/s)\s*$"
)
_RECORDS = re.compile(r"\s*(?:\d+\+\d+|\d+ truncated) ")


def parse(lines: Sequence[Line]) -> Iterable[Measurement]:
    """Yield one measurement per transfer line that reports a copy, none for its progress.

    The direction is not in dd's output: op is `copy` until the source's declaration, which
    knows the command, says `read` or `write`.
    """
    for index, line in enumerate(lines):
        if "copied" not in line.text or not _ANNOUNCED.search(line.text) or line.redrawn:
            continue
        match = _RESULT.search(line.text)
        if match is None:
            raise ParseError(
                line.number,
                f"found {line.text.strip()!r}, "
                "expected `<n> bytes (...) copied, <n> s, <n> MB/s` from dd",
            )
        if match["seconds"].isdecimal() and _is_progress(lines, index):
            continue
        try:
            yield _measurement(line, match)
        except SdAnalysisError as error:
            raise ParseError(line.number, str(error)) from error


def _is_progress(lines: Sequence[Line], index: int) -> bool:
    """Tell whether a line with whole seconds is the last progress that a screen showed.

    `status=progress` shows whole seconds (coreutils 8.28), and the record counts come after it;
    above a report they come before it. With no counts around it, nobody can tell.
    """
    above, below = (
        any(_RECORDS.match(line.text) for line in beside)
        for beside in (lines[max(index - 1, 0) : index], lines[index + 1 : index + 2])
    )
    if not above and not below:
        raise ParseError(
            lines[index].number,
            f"found {lines[index].text.strip()!r}, whose whole seconds are those of progress, "
            "expected dd's record counts above its report",
        )
    return not above


def _measurement(line: Line, match: re.Match[str]) -> Measurement:
    seconds = number_of(match["seconds"], decimal_comma=True)
    size = int(match["bytes"])
    if seconds.value == 0 or size == 0:
        raise SdAnalysisError("found 0 bytes or 0 s, expected a transfer that took time")
    unit = unit_of("dd", match["unit"])
    printed = interval(number_of(match["rate"], decimal_comma=True), unit)
    low, value, high = (
        float(size / (seconds.value + side * seconds.step / 2)) for side in (1, 0, -1)
    )
    rate = f"{match['rate']} {match['unit']}"
    _check(rate, printed, (value, low, high))
    step = f"{size} B / {match['seconds']} s, more digits than the {rate} beside them ({unit.why})"
    if printed[2] - printed[1] < high - low:
        value, low, high = printed
        step = f"{rate} x {unit.factor:,.0f} B ({unit.why}), more digits than {match['seconds']} s"
    return Measurement(
        line=line.number,
        column=match.start("rate") + 1,
        tool="dd",
        op="copy",
        metric="bandwidth",
        raw=match["rate"],
        raw_unit=match["unit"],
        value=value,
        value_low=low,
        value_high=high,
        file_size=size,
        name="rate",
        steps=(step,),
    )


def _check(
    rate: str, printed: tuple[float, float, float], copied: tuple[float, float, float]
) -> None:
    """Refuse a rate that is not that of the bytes and seconds: (value, low, high) of each."""
    if copied[2] < printed[1] * 0.999 or copied[1] > printed[2] * 1.001:
        raise SdAnalysisError(
            f"found the rate {rate}, expected {copied[0] / 1e6:.4g} MB/s from the bytes and "
            "seconds beside it"
        )
