"""Factors from a printed unit to base units (B/s, 1/s, s, B), by the tool that printed it."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from sdanalysis.errors import SdAnalysisError

KIB, MIB, GIB = 1024, 1024**2, 1024**3


class Unit(NamedTuple):
    """Factor of one printed unit, with the range that the printing leaves open.

    `truncated` says that the tool cuts the digits it does not print instead of rounding them.
    """

    metric: str
    factor: float
    low: float
    high: float
    truncated: bool = False
    why: str = ""


def exact(metric: str, factor: float, why: str, *, truncated: bool = False) -> Unit:
    """Return a unit whose factor the tool's own source settles."""
    return Unit(metric=metric, factor=factor, low=factor, high=factor, truncated=truncated, why=why)


_HDPARM = "hdparm's MB is 2^20 B (hdparm.c 9.65:53)"
_DD = "GNU dd's MB is 10^6 B (dd.c 9.1:801)"
_BUSYBOX_DD = "BusyBox dd's MB is 2^20 B (libbb/human_readable.c 1.35:52)"
_BUSYBOX_HDPARM = "BusyBox hdparm's kB is 2^10 B, cut to an integer (miscutils/hdparm.c 1.35:1484)"
_BSD_DD = "BSD dd prints bytes (dd/misc.c)"
_DDRESCUE = "ddrescue's kB is 10^3 B, its KiB 2^10 B, both cut (main_common.cc 1.27:257)"
_IOZONE_OPS = "iozone -O: operations per second, cut to an integer"
_IOZONE = "iozone's kB is 1024 B, cut to an integer (iozone.c 3.471:8167)"

# The tools' own words; a unit that a table's author made of them is declared in source.toml.
UNITS: dict[tuple[str, str], Unit] = {
    ("hdparm", "MB/sec"): exact("bandwidth", MIB, _HDPARM),
    ("hdparm", "MB/s"): exact("bandwidth", MIB, _HDPARM),
    ("hdparm", "kB/sec"): exact("bandwidth", KIB, "hdparm's kB is 2^10 B (hdparm.c 9.65:418)"),
    ("dd", "B/s"): exact("bandwidth", 1, _DD),
    ("dd", "kB/s"): exact("bandwidth", 1e3, _DD),
    ("dd", "MB/s"): exact("bandwidth", 1e6, _DD),
    ("dd", "GB/s"): exact("bandwidth", 1e9, _DD),
    ("dd", "TB/s"): exact("bandwidth", 1e12, _DD),
    ("dd", "bytes/sec"): exact("bandwidth", 1, _BSD_DD),
    # BusyBox prints the same words as the tools that it stands in for, and means others
    ("busybox dd", "B/s"): exact("bandwidth", 1, _BUSYBOX_DD),
    ("busybox dd", "KB/s"): exact("bandwidth", KIB, _BUSYBOX_DD),
    ("busybox dd", "MB/s"): exact("bandwidth", MIB, _BUSYBOX_DD),
    ("busybox dd", "GB/s"): exact("bandwidth", GIB, _BUSYBOX_DD),
    ("hdparm", "kB/s"): exact("bandwidth", KIB, _BUSYBOX_HDPARM, truncated=True),
    ("ddrescue", "B/s"): exact("bandwidth", 1, _DDRESCUE, truncated=True),
    ("ddrescue", "kB/s"): exact("bandwidth", 1e3, _DDRESCUE, truncated=True),
    ("ddrescue", "MB/s"): exact("bandwidth", 1e6, _DDRESCUE, truncated=True),
    ("ddrescue", "GB/s"): exact("bandwidth", 1e9, _DDRESCUE, truncated=True),
    ("ddrescue", "KiB/s"): exact("bandwidth", KIB, _DDRESCUE, truncated=True),
    ("ddrescue", "MiB/s"): exact("bandwidth", MIB, _DDRESCUE, truncated=True),
    ("ddrescue", "GiB/s"): exact("bandwidth", GIB, _DDRESCUE, truncated=True),
    ("iozone", "kB/s"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "kB/sec"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "KB/sec"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "kBytes/sec"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "Kbytes/sec"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "KBytes/sec"): exact("bandwidth", KIB, _IOZONE, truncated=True),
    ("iozone", "ops/sec"): exact("iops", 1, _IOZONE_OPS, truncated=True),
    ("iozone", "operations per second"): exact("iops", 1, _IOZONE_OPS, truncated=True),
    ("iozone", "microseconds per operation"): exact(
        "latency", 1e-6, "iozone -N: us per operation, cut to an integer", truncated=True
    ),
}

# Words that mean the same whoever prints them.
_PLAIN = {
    "iops": exact("iops", 1, "operations per second, cut to a whole number", truncated=True),
    "%": exact("ratio", 0.01, "per cent"),
}


# No device, memory included, moves more: a printed figure above it is none.
FASTEST = 1e13  # B/s


def unit_of(tool: str, printed: str) -> Unit:
    """Return what a printed unit means when this tool prints it.

    Raises
    ------
    SdAnalysisError
        The tool prints no such unit.
    """
    if (tool, printed) in UNITS:
        return UNITS[tool, printed]
    if printed.lower() in _PLAIN:
        return _PLAIN[printed.lower()]
    known = ", ".join(sorted(word for owner, word in UNITS if owner == tool)) or "none"
    raise SdAnalysisError(
        f"found the unit {printed!r} for {tool}, expected one that {tool} prints ({known}) "
        "or a declared `bytes_per_unit`"
    )


# ASCII: \d alone takes the digits of every script.
_SIZE = re.compile(r"(\d{1,18})\s*([kKmMgG]?)(?:i?[bB])?", re.ASCII)
_SCALE = {"": 1, "k": KIB, "m": MIB, "g": GIB}


def size_in_bytes(printed: str) -> int:
    """Return a block or file size in bytes: `4k` is 4096, `100M` is 104857600.

    The powers are those of 1024, as in iozone's, fio's and dd's own options.
    """
    match = _SIZE.fullmatch(printed.strip())
    if match is None:
        raise SdAnalysisError(f"found the size {printed!r}, expected digits with k, M or G")
    return int(match[1]) * _SCALE[match[2].lower()]


_NUMBER = re.compile(r"(\d+)(?:([.,])(\d+))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)


class Number(NamedTuple):
    """A printed number, exactly, with the step of its last digit."""

    value: Decimal
    step: Decimal


def number_of(printed: str, *, decimal_comma: bool = False) -> Number:
    """Read a printed number; a comma is a decimal mark only where that was declared.

    Raises
    ------
    SdAnalysisError
        The text is not a finite, unsigned decimal number.
    """
    match = _NUMBER.fullmatch(printed)
    if match is None:
        raise SdAnalysisError(f"found {printed!r}, expected a number")
    whole, mark, fraction, exponent = match.groups()
    if mark == "," and not decimal_comma:
        raise SdAnalysisError(
            f"found {printed!r}, expected a decimal point "
            "(declare `decimal_comma = true` if the comma is one)"
        )
    power = int(exponent or 0)
    if abs(power) > 30 or len(whole) > 30:  # no device is within 10^30 of a byte a second
        raise SdAnalysisError(f"found {printed!r}, expected a number that a device can reach")
    return Number(
        value=Decimal(f"{whole}.{fraction or 0}e{power}"),
        step=Decimal(f"1e{power - len(fraction or '')}"),
    )


@lru_cache(maxsize=256)  # there are a few dozen units
def _exactly(factor: float) -> Decimal:
    return Decimal(repr(factor))


def interval(
    number: Number, unit: Unit, *, truncated: bool | None = None, width: int = 1
) -> tuple[float, float, float]:
    """Return (value, low, high) in base units: rounding and the unit's ambiguity together.

    `truncated` overrides the unit's own; `width` counts the truncated parts that were added up
    (IOPS cut once per process).
    """
    cut = unit.truncated if truncated is None else truncated
    below = Decimal(0) if cut else number.step / 2
    above = number.step * width if cut else number.step / 2
    factor, low, high = _exactly(unit.factor), _exactly(unit.low), _exactly(unit.high)
    return (
        float(number.value * factor),
        float((number.value - below) * low),
        float((number.value + above) * high),
    )
