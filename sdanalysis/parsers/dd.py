"""GNU dd's transfer line: `419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s`.

Grammar from dd.c (coreutils 5.3 to 9.x). The value is bytes over seconds, which carry six
digits; the printed rate carries two or three and is kept as `raw`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.model import Line, Measurement
from sdanalysis.units import Number, Unit, interval, number_of, unit_of

_ANNOUNCED = re.compile(r"^\s*\d+ bytes? (?:\([^)]*\) )?copied\b")
_RESULT = re.compile(
    r"^\s*(?P<bytes>\d+) bytes? (?:\((?P<sizes>[^)]*)\) )?copied, "
    r"(?P<seconds>\d+(?:[.,]\d+)?(?:e[+-]?\d+)?) s(?:econds?)?, "
    r"(?P<rate>\d+(?:[.,]\d+)?) (?P<unit>[kMGT]?B/s)\s*$"
)


def parse(lines: Sequence[Line]) -> Iterable[Measurement]:
    """Yield one measurement per transfer line.

    The direction is not in dd's output: op is `copy` until the source's declaration, which
    knows the command, says `read` or `write`.
    """
    for line in lines:
        if "copied" not in line.text or not _ANNOUNCED.search(line.text):
            continue
        match = _RESULT.search(line.text)
        if match is None:
            raise ParseError(
                line.number,
                f"found {line.text.strip()!r}, "
                "expected `<n> bytes (...) copied, <n> s, <n> MB/s` from dd",
            )
        try:
            yield _measurement(line, match)
        except SdAnalysisError as error:
            raise ParseError(line.number, str(error)) from error


def _measurement(line: Line, match: re.Match[str]) -> Measurement:
    seconds = number_of(match["seconds"], decimal_comma=True)
    unit = unit_of("dd", match["unit"])
    rate = number_of(match["rate"], decimal_comma=True)
    size = int(match["bytes"])
    if seconds.value == 0 or size == 0:
        raise ParseError(line.number, "found 0 bytes or 0 s, expected a transfer that took time")
    low, value, high = (
        float(size / (seconds.value + side * seconds.step / 2)) for side in (1, 0, -1)
    )
    _check(line, rate, unit, (low, high))
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
        steps=(
            f"{size} B / {match['seconds']} s, more digits than the {match['rate']} "
            f"{match['unit']} printed beside them ({unit.why})",
        ),
    )


def _check(line: Line, rate: Number, unit: Unit, exact: tuple[float, float]) -> None:
    """Refuse a line whose printed rate is not that of its bytes and seconds."""
    _, low, high = interval(rate, unit)
    if exact[1] < low * 0.999 or exact[0] > high * 1.001:
        raise ParseError(
            line.number,
            f"found the rate {line.text.split(',')[-1].strip()}, expected "
            f"{exact[0] / 1e6:.4g} MB/s from the bytes and seconds beside it",
        )
