"""Latency histograms of fio's JSON (`json+`), as long tables.

The bins are cut out, an object at a time; only the rest goes through the JSON library.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any

from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.fio.json_objects import Document

_BINS = re.compile(rb'"bins"\s*:\s*\{([^{}]*)\}')
_NUMBERED = re.compile(rb'"(\d+)"\s*:\s*(\d+)')
_AS_LIST = bytes.maketrans(b'":', b" ,")  # `"1000" : 5, ...` becomes ` 1000  , 5, ...`
_BITS, _GROUP = 6, 64  # FIO_IO_U_PLAT_BITS and _VAL of all versions (stat.h 2.16)


def bins(content: bytes) -> dict[str, Any]:
    """Return the long table of the bins of a json+ file (one object) as columns.

    Arrays `series`, `latency_ns` and `count`: `series` is an index into the list `categories` of
    (job, jobname, op, kind), which millions of rows share. Latencies are whole nanoseconds.
    """
    slices = [match.span(1) for match in _BINS.finditer(content)]
    series, latency, count = array("i"), array("q"), array("q")
    categories: list[tuple[int, str, str, str]] = []
    for job, entry in enumerate(_skeleton(content, slices).entries):
        for op, kind, number in _numbered_bins(entry):
            start, end = slices[number]
            times, counts = _numbers(content[start:end], kind.endswith("_ns"), start)
            series.extend(array("i", [len(categories)]) * len(counts))
            latency.extend(times)
            count.extend(counts)
            categories.append((job, str(entry.get("jobname", "")), op, kind))
    return {"series": series, "latency_ns": latency, "count": count, "categories": categories}


def _skeleton(content: bytes, slices: list[tuple[int, int]]) -> Document:
    """Return the document with the number of its slice in the place of each bin object."""
    pieces, at = [], 0
    for number, (start, end) in enumerate(slices):
        pieces += [content[at : start - 1], b"%d" % number]
        at = end + 1
    try:
        document = json.loads(b"".join([*pieces, content[at:]]))
    except (ValueError, RecursionError) as error:
        raise SdAnalysisError(f"found {error}, expected one whole JSON object of fio") from error
    if not isinstance(document, dict) or "fio version" not in document:
        raise SdAnalysisError("found JSON without `fio version`, expected fio's")
    return Document(document)


def _numbered_bins(entry: dict) -> Iterator[tuple[str, str, int]]:
    """Yield direction, kind of latency and number of the slice of a job's bin objects."""
    for direction, part in entry.items():
        for kind in ("slat_ns", "slat", "clat_ns", "clat", "lat_ns", "lat"):
            spread = part.get(kind) if isinstance(part, dict) else None
            if isinstance(spread, dict) and "bins" in spread:
                yield direction, kind, spread["bins"]


def _numbers(text: bytes, nanoseconds: bool, place: int) -> tuple[array[int], array[int]]:
    if b"FIO_IO_U_PLAT" in text:
        return _numbered(text)
    try:
        numbers = array("q", json.loads(b"[%b]" % text.translate(_AS_LIST)))
    except (ValueError, TypeError, OverflowError) as error:
        raise SdAnalysisError(f"found bins at byte {place} that are no numbers: {error}") from error
    if len(numbers) % 2 or b"-" in text:
        raise SdAnalysisError(f"found bins at byte {place}, expected pairs of latency and count")
    latency = numbers[::2]
    if not nanoseconds:
        latency = array("q", [number * 1000 for number in latency])
    return latency, numbers[1::2]


def _numbered(text: bytes) -> tuple[array[int], array[int]]:
    """Read bins of 2.2.12 to 2.19: keys are numbers of bins, zero bins included, in us."""
    pairs = [(key, value) for key, value in _NUMBERED.findall(text) if value != b"0"]
    latencies = [int(bin_value(int(key)) * 1000) for key, _ in pairs]
    return array("q", latencies), array("q", [int(value) for _, value in pairs])


def bin_value(number: int) -> float:
    """Return the middle of a numbered bin in us (plat_idx_to_val, stat.c 2.16).

    The first two groups of 64 are one value a bin; each later group doubles the width.
    """
    if number < 2 * _GROUP:
        return number
    bits = (number >> _BITS) - 1
    return (1 << (bits + _BITS)) + (number % _GROUP + 0.5) * (1 << bits)
