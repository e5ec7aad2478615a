"""A test that no source ran -> the test of theirs that is nearest to it, and what it does else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from sdanalysis.stats.same_test import columns, size_in_words

_DIRECT = {"hdparm": ("with --direct", "without --direct")}
_CACHE = ("past the page cache", "through the page cache")
_MUCH = 99.0  # doublings: between a number and none that is stated


def closest_test(row: Any, known: pd.DataFrame) -> str | None:
    """Return the known test of the same operation that differs least, and in what, in words.

    Another tool differs most, then going past the page cache, then a mix, then how often a size,
    depth or count has to be doubled. None where no source ran the operation.
    """
    tests = known[known["op"] == row.op].drop_duplicates("test").itertuples()
    near = min(tests, key=lambda test: _distance(row, test), default=None)
    if near is None:
        return None
    return f"{near.test} ({', '.join(_differences(row, near))})"


def _distance(row: Any, test: Any) -> tuple[object, ...]:
    counts = columns("test", without=("tool", "read_mix"))
    doublings = sum(_doublings(row, test, name) for name in counts)
    return (
        row.tool != test.tool,
        _differs(row.direct, test.direct),
        _differs(row.read_mix, test.read_mix),
        doublings,
        test.test,
    )


def _doublings(row: Any, test: Any, name: str) -> float:
    own, other = getattr(row, name), getattr(test, name)
    if pd.isna(own) or pd.isna(other) or not (own and other):
        return _MUCH * _differs(own, other)
    return abs(math.log2(own / other))


def _differs(own: object, other: object) -> bool:
    if pd.isna(own) or pd.isna(other):
        return not (pd.isna(own) and pd.isna(other))
    return bool(own != other)


def _differences(row: Any, test: Any) -> Iterator[str]:
    """Yield what the known test does that this one does not."""
    if row.tool != test.tool:
        yield f"with {test.tool} instead of {row.tool}"
    if _differs(row.direct, test.direct) and pd.notna(test.direct):
        yield _DIRECT.get(test.tool, _CACHE)[not test.direct]
    if _differs(row.block_size, test.block_size) and test.block_size:
        yield f"in blocks of {size_in_words(test.block_size)}"
    if _differs(row.read_mix, test.read_mix):
        yield f"{test.read_mix:g} % reads" if test.read_mix else "reads and writes not mixed"
    if _differs(row.iodepth, test.iodepth):
        depth = test.iodepth
        yield "queue depth not stated" if pd.isna(depth) else f"queue depth {depth}"
    if _differs(row.numjobs, test.numjobs):
        yield "one process" if test.numjobs == 1 else f"{test.numjobs} processes"
