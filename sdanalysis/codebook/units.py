"""Factors from a printed unit to base units (B/s, 1/s, s, B), by the tool that printed it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from sdanalysis.errors import SdAnalysisError

KIB, MIB, GIB = 1024, 1024**2, 1024**3
# greatest over least size of a block meant for a power of two: another, or one of 1000s, is far off
_EXACT = 1.015


class Unit(NamedTuple):
    """Factor of one printed unit, with the range that the printing leaves open.

    `truncated` says that the tool cuts the digits it does not print instead of rounding them,
    `whole` that it prints none behind a point.
    """

    metric: str
    factor: float
    low: float
    high: float
    truncated: bool = False
    why: str = ""
    whole: bool = False

    def of(self, numbers: Any) -> Any:
        """Return whole numbers in base units, by a division of which 7 us stay 7e-06."""
        return numbers * self.factor if self.factor >= 1 else numbers / round(1 / self.factor)


Units = dict[tuple[str, str], Unit]  # (tool, printed) -> meaning


def _words(
    tool: str, why: str, factors: Mapping[str, float], metric: str = "bandwidth",
    *, cut: bool = False, whole: bool = False,
) -> Units:  # fmt: skip
    """Return the units of words whose factors the tool's own source settles."""
    return {
        (tool, word): Unit(metric, factor, factor, factor, cut or whole, why, whole)
        for word, factor in factors.items()
    }


def _fio(owner: str, why: str, base: int) -> Units:
    """Return fio's words for rates: with an i of 1024, the others of `base`."""
    factors: dict[str, float] = {}
    for letter, power in {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}.items():
        for word, bits in {"B/s": 1, "bit/s": 8, "b/s": 8}.items():
            factors[f"{letter}i{word}"] = KIB**power / bits
            factors[f"{letter}{word}"] = base**power / bits
    return _words(owner, why, factors)


_DECIMAL = {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
_BINARY = {"KiB/s": KIB, "MiB/s": MIB, "GiB/s": GIB}
_HDPARM = "hdparm's kB is 2^10 B (hdparm.c 9.65:418), its MB 2^20 B (:53)"
_BUSYBOX_DD = "BusyBox dd's MB is 2^20 B (libbb/human_readable.c 1.35:52)"
_TOYBOX_DD = "toybox dd's M is 2^20 B (lib/lib.c, human_readable)"
_BUSYBOX_HDPARM = "BusyBox hdparm's kB is 2^10 B, cut to an integer (miscutils/hdparm.c 1.35:1484)"
_DDRESCUE = "ddrescue's kB is 10^3 B, its KiB 2^10 B, both cut (main_common.cc 1.27:257)"
_IOZONE = "iozone's kB is 1024 B, cut to an integer (iozone.c 3.471:8167)"
_IOZONE_RATES = ("kB/s", "kB/sec", "KB/sec", "kBytes/sec", "Kbytes/sec", "KBytes/sec")
_IOZONE_OPS = "iozone -O: operations per second, cut to an integer"
_IOZONE_TIME = "iozone -N: us per operation, cut to an integer"
_PIBENCHMARKS = "fio's terse KB and iozone's kB are 2^10 B, cut to an integer (Storage.sh)"
_SDTEST = "fio's terse KB is 2^10 B, cut to an integer (agnostics, sdtest.sh)"
_DISK_BENCHMARK = "disk-benchmark.sh divides iozone's kB by 1024"
_FIO_TIMES = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1, "ns": 1e-9, "us": 1e-6}

# The tools' own words; a unit that a table's author made of them is declared in source.toml.
# BusyBox and fio before 2.17 print words of others and mean something else by them.
UNITS: Units = {
    **_words("hdparm", _HDPARM, {"MB/sec": MIB, "MB/s": MIB, "kB/sec": KIB}),
    **_words("hdparm", _BUSYBOX_HDPARM, {"kB/s": KIB}, whole=True),
    **_words("dd", "GNU dd's MB is 10^6 B (dd.c 9.1:801)", {**_DECIMAL, "TB/s": 1e12}),
    **_words("dd", "BSD dd prints bytes (dd/misc.c)", {"bytes/sec": 1}),
    **_words("busybox dd", _BUSYBOX_DD, {"B/s": 1, "KB/s": KIB, "MB/s": MIB, "GB/s": GIB}),
    **_words("toybox dd", _TOYBOX_DD, {"K/s": KIB, "M/s": MIB, "G/s": GIB}),
    **_words("ddrescue", _DDRESCUE, {**_DECIMAL, **_BINARY}, cut=True),
    **_words("iozone", _IOZONE, dict.fromkeys(_IOZONE_RATES, KIB), whole=True),
    **_words("iozone", _IOZONE_OPS, {"ops/sec": 1, "operations per second": 1}, "iops", whole=True),
    **_words("iozone", _IOZONE_TIME, {"microseconds per operation": 1e-6}, "latency", whole=True),
    **_fio("fio", "fio's kB is 10^3 B, its KiB 2^10 B (num2str.c)", 1000),
    **_fio("fio before 2.17", "fio's KB was 2^10 B but for kb_base=1000 (stat.c 2.16:405)", KIB),
    **_words("fio", "fio's words for a time (stat.c)", _FIO_TIMES, "latency"),
    # summaries of scripts, by what the script makes of its tools' figures
    **_words("PiBenchmarks", _PIBENCHMARKS, {"KB/s": KIB}, whole=True),
    **_words("sdtest.sh", _SDTEST, {"KB/sec": KIB}, whole=True),
    **_words("disk-benchmark.sh", _DISK_BENCHMARK, {"MB/s": MIB}),
}

# Words that mean the same whoever prints them.
_PLAIN = {
    "iops": Unit("iops", 1, 1, 1, True, "operations per second, cut to a whole number", True),
    "%": Unit("ratio", 0.01, 0.01, 0.01, why="per cent"),
}

# No device, memory included, reaches these (10 TB/s, 10^12 operations a second, or 11 days for
# one of them): a printed figure above is a slip, or two figures that touch.
LIMITS = {"bandwidth": 1e13, "iops": 1e12, "latency": 1e6}


def unit_of(tool: str, printed: str) -> Unit:
    """Return what a printed unit means when this tool prints it; an error where it prints none."""
    if (tool, printed) in UNITS:
        return UNITS[tool, printed]
    if printed.lower() in _PLAIN:
        return _PLAIN[printed.lower()]
    known = ", ".join(sorted(word for owner, word in UNITS if owner == tool)) or "none"
    expected = f"one that {tool} prints ({known}) or a declared `bytes_per_unit`"
    raise SdAnalysisError(f"found the unit {printed!r} for {tool}, expected {expected}")


# ASCII: \d alone takes the digits of every script.
_SIZE = re.compile(r"(\d{1,18})\s*([kKmMgG]?)(?:i?[bB])?", re.ASCII)
_SCALE = {"": 1, "k": KIB, "m": MIB, "g": GIB}


def size_in_bytes(printed: str) -> int:
    """Return a size in bytes by the powers of 1024, as in the tools' options: `4k` is 4096."""
    match = _SIZE.fullmatch(printed.strip())
    if match is None:
        raise SdAnalysisError(f"found the size {printed!r}, expected digits with k, M or G")
    return int(match[1]) * _SCALE[match[2].lower()]


def block_size_between(least: float, most: float) -> int | None:
    """Return the power of two, 512 B or more, that a block between two bounds is meant to be.

    None where there is none, or where the bounds are more than 1.5 % apart.
    """
    size = 1 << max(int(most).bit_length() - 1, 0)
    return size if max(least, 512) <= size and most <= least * _EXACT else None


def whole_number(printed: str) -> int:
    """Read a printed count: ASCII digits, at most 18 of them, which every column holds.

    `isdigit` takes `²`, which `int` refuses, and `int` gives up above 4,300 digits.
    """
    if not (printed.isascii() and printed.isdigit() and len(printed) <= 18):
        text = f"found {_quote(printed)}, expected a whole number of at most 18 digits"
        raise SdAnalysisError(text)
    return int(printed)


_NUMBER = re.compile(r"(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?", re.ASCII)


def _quote(printed: str) -> str:
    return repr(printed if len(printed) <= 40 else f"{printed[:37]}...")


class Number(NamedTuple):
    """A printed number, exactly: `digits` times ten to the power of `exponent`."""

    digits: int
    exponent: int


@lru_cache(maxsize=4096)
def number_of(printed: str) -> Number:
    """Read a printed, unsigned number; within 10^30 of a unit, as all that a device does is."""
    match = _NUMBER.fullmatch(printed)
    if match is None or abs(int(match[3] or 0)) > 30:
        expected = "a number that a device can reach" if match else "a number"
        raise SdAnalysisError(f"found {_quote(printed)}, expected {expected}")
    whole, fraction, exponent = match.groups("")
    return Number(int(whole + fraction), int(exponent or 0) - len(fraction))


@lru_cache(maxsize=1024)  # there are a few dozen units
def _exactly(factor: float, exponent: int) -> tuple[int, int]:
    """Return a factor times a power of ten as a fraction."""
    return (Decimal(repr(factor)) * Decimal(10) ** exponent).as_integer_ratio()


def interval(
    number: Number, unit: Unit, *, truncated: bool | None = None, width: int = 1
) -> tuple[float, float, float]:
    """Return (value, low, high) in base units: rounding and the unit's ambiguity together.

    `truncated` overrides the unit's own; `width` counts the truncated parts that were added up
    (IOPS cut once per process). Each is the nearest float of the exact number.
    """
    digits, exponent = number
    top, bottom = _exactly(unit.factor, exponent)
    if unit.low == unit.high:
        low_top, low_bottom = high_top, high_bottom = top, bottom
    else:
        low_top, low_bottom = _exactly(unit.low, exponent)
        high_top, high_bottom = _exactly(unit.high, exponent)
    value = digits * top / bottom
    if unit.truncated if truncated is None else truncated:
        return value, digits * low_top / low_bottom, (digits + width) * high_top / high_bottom
    low = (2 * digits - 1) * low_top / (2 * low_bottom)
    return value, low, (2 * digits + 1) * high_top / (2 * high_bottom)


def without_error(total: float) -> float:
    """Return what floats add up to without the error in its last digits: 15 of them are whole."""
    return float(f"{total:.15g}")


class Figure(NamedTuple):
    """A printed figure in base units: the fields `raw` to `unit` of a `Measurement`."""

    raw: str
    raw_unit: str
    value: float
    value_low: float
    value_high: float
    unit: Unit


def figure(tool: str, raw: str, printed: str, *, truncated: bool | None = None) -> Figure:
    """Read a figure, which a device must be able to reach, and the unit that a tool prints."""
    unit = unit_of(tool, printed)
    value, low, high = interval(number_of(raw), unit, truncated=truncated)
    check_reach(unit.metric, value, f"{raw} {printed}")
    return Figure(raw, printed, value, low, high, unit)


def check_reach(metric: str, value: float, printed: str) -> None:
    """Refuse a value in base units that no device reaches (a NaN is above every limit)."""
    if not value <= LIMITS.get(metric, inf):
        raise SdAnalysisError(f"found {printed}, expected what a device reaches")


def in_two_digits(number: float) -> str:
    """Return a number with two significant digits, or all before the point: `2.0`, `12`, `140`.

    Single runs know no more, and a ratio of them still less.
    """
    return f"{number:.0f}" if number >= 9.95 else f"{number:#.2g}"


def counted(number: int, word: str) -> str:
    """Return a count with its word: `1 card`, `7 cards`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
