"""Percentiles and histograms of the latencies of a direction, where they are asked for.

JSON has the percentiles of each kind of latency by their share in per cent (unused slots of fio 2
are named 0.00), JSON+ the histogram, too: times and counts of the bins that are not empty (3.0:
`clat_ns`, 2.20: `clat` in us). 2.2.12 to 2.19 number the bins (stat.c 2.16: plat_idx_to_val).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from sdanalysis.parsers.fio.job import Job

KINDS = {
    "slat_ns": "ns", "clat_ns": "ns", "lat_ns": "ns", "slat": "us", "clat": "us", "lat": "us"
}  # fmt: skip
OF_FSYNC = "percentiles of fsync, of which only mean, min, max and stddev are read: left out"
_BITS, _GROUP = 6, 64  # FIO_IO_U_PLAT_BITS and _VAL of all versions (stat.h 2.16)


def take_spreads(
    job: Job,
    part: dict[str, Any],
    direction: str,
    text: str,
    at: int,
    place: Callable[[int], tuple[int, int]],
) -> None:
    """Add the percentiles and bins of a direction of JSON, which begins at an offset of a text."""
    for key, unit in KINDS.items():
        if not isinstance(spread := part.get(key), dict):
            continue
        kind, at_pair, found = key.removesuffix("_ns"), text.find(f'"{key}"', at), []
        printed = spread.get("percentile")
        for name, raw in printed.items() if isinstance(printed, dict) else ():
            at_pair = max(text.find(f'"{name}"', at_pair), at_pair)
            with suppress(ValueError):
                share = float(name)
                if 0 < share <= 100 and type(raw) is int and raw >= 0:
                    found.append((direction, kind, share, str(raw), unit, place(at_pair)[0]))
        if any(raw != "0" for _, _, _, raw, *_ in found):  # or nothing was timed
            job.percentiles += found
        if isinstance(bins := spread.get("bins"), dict):
            job.bins.append((direction, kind, unit, bins))


def histogram(bins: dict[str, int]) -> tuple[Iterable[float], Iterable[int], int]:
    """Return times and counts of bins as they stand in JSON, and how many there are."""
    if "FIO_IO_U_PLAT_VAL" not in bins:
        return map(int, bins), bins.values(), len(bins)
    pairs = [(int(key), count) for key, count in bins.items() if key.isdigit() and count]
    return (bin_value(number) for number, _ in pairs), (count for _, count in pairs), len(pairs)


def bin_value(number: int) -> float:
    """Return the middle of a numbered bin in us (plat_idx_to_val, stat.c 2.16).

    The first two groups of 64 are one value a bin; each later group doubles the width.
    """
    if number < 2 * _GROUP:
        return number
    bits = (number >> _BITS) - 1
    return (1 << (bits + _BITS)) + (number % _GROUP + 0.5) * (1 << bits)
