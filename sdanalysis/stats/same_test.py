"""What may be compared with what: each condition of a figure, and whether it tells tests apart.

This is the one list. A question asks it for the columns of some groups; where it needs fewer, the
call says why.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import SPREADS
from sdanalysis.errors import SdAnalysisError, require


class Condition(NamedTuple):
    """A condition under which a figure was measured: its group, and why it counts or does not."""

    column: str
    group: str
    why: str


# `size`: two stated sizes that differ are two tests; one that is not stated is not known to differ,
# which is a warning. `cache` is no key of pairs from published tables, which state it for some
# figures of a card only (and ddrescue by-passes the cache in writing only); for logs it is one.
_TABLE = (
    ("measured_by", "laboratory", "settings and habits go with it: pairs cross it only when asked"),
    ("specimen", "card", "the unit of the statistics: two of one model may differ threefold"),
    ("medium", "card", "the product that a specimen is one of"),
    ("label", "name", "how the card is printed: one card has many names in print"),
    ("host", "place", "its bus, processor and kernel take part of the time"),
    ("reader", "place", "a bus of its own; its name means something on its host only"),
    ("system", "context", "seldom stated, and one laboratory's: shown where it differs"),
    ("tool", "test", "tools ask for other requests, and wait for other things"),
    ("tool_version", "context", "seldom stated: shown where it differs"),
    ("script", "context", "who printed the figure: what the tool did is in the other conditions"),
    ("op", "quantity", "reads, writes, in sequence or at random are different quantities"),
    ("metric", "quantity", "has a unit of its own"),
    ("stat", "quantity", "a summary of runs is no run"),
    ("direct", "cache", "without O_DIRECT the page cache takes part"),
    ("block_size", "test", "the larger the request, the less each byte costs"),
    ("file_size", "size", "a larger file leaves the card's caches and mapping tables"),
    ("numjobs", "test", "several processes keep several requests on their way"),
    ("iodepth", "test", "a deeper queue keeps more requests on their way"),
    ("read_mix", "test", "reads and writes of a mixed job share the time"),
    ("remarks", "context", "doubts and corrections are shown: they tell no tests apart"),
    ("source", "repetition", "where a run is printed: tells repeats apart"),
    ("file", "repetition", "where a run is printed: tells repeats apart"),
    ("run", "repetition", "one invocation of the tool: a repeat is another one"),
    ("repeat", "repetition", "the number of the invocation"),
)
SIZES = ("block_size", "file_size")  # whose values are bytes
CONDITIONS = tuple(map(Condition._make, _TABLE))


class Scale(StrEnum):
    """On what the parts of a specimen and of a place add up, in the model of a test."""

    LOG = "log"  # the logarithm of the figure: a place changes all cards by one factor
    TIME = "time"  # the time of a byte, 1 / value: a place adds its own to that of the card
    SQUARED_TIME = "squared time"  # the same where the two overlap in part: their squares add up

    @property
    def power(self) -> int:
        """The power of the time of a byte; 0 stands for the logarithm."""
        return {"log": 0, "time": 1, "squared time": 2}[self.value]


class MainTest(NamedTuple):
    """One of the tests that most sources ran, and the scale of its additive model."""

    op: str
    tool: str
    block_size: int | None  # B; None where the tool's requests do not depend on it
    scale: Scale


# A test has the scale on which left-out figures are predicted best (`stats.score`); where two do
# as well, the simpler. `benchmarks/answers_by_hand.py` prints it. dd's small requests are
# gathered by the page cache, and many tables do not state their size; hdparm has none.
MAIN_TESTS = {
    "randwrite": MainTest("randwrite", "iozone", 4096, Scale.LOG),  # one factor for all
    "randread": MainTest("randread", "iozone", 4096, Scale.LOG),
    "write": MainTest("write", "dd", None, Scale.SQUARED_TIME),  # a slow card gains nothing
    "read": MainTest("read", "hdparm", None, Scale.TIME),  # the card's time and the slot's
}


def columns(*groups: str, without: tuple[str, ...] = ()) -> list[str]:
    """Return the columns of these groups, or those so named, in the order of `CONDITIONS`."""
    chosen = [found for found in CONDITIONS if {found.group, found.column} & set(groups)]
    known = {name for found in chosen for name in (found.group, found.column)}
    if unknown := {*groups, *without} - known:
        text = f"found {sorted(unknown)}, expected conditions, groups, or what is in the groups"
        raise SdAnalysisError(text)
    return [found.column for found in chosen if found.column not in without]


def group_numbers(rows: pd.DataFrame, keys: Iterable[str]) -> np.ndarray:
    """Return for each row the number of its combination of keys, in order of appearance.

    Missing agrees with missing: as pandas' `ngroup`, in less time for small tables of many columns.
    """
    codes = [pd.factorize(rows[key], use_na_sentinel=False)[0] for key in keys]
    numbers: dict[tuple[int, ...], int] = {}
    combinations = zip(*codes, strict=True)
    return np.array([numbers.setdefault(key, len(numbers)) for key in combinations], dtype=np.intp)


def without_spreads(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows without least, greatest and deviation of a job's latencies: one run has many."""
    return rows[~((rows["metric"] == "latency") & rows["stat"].isin(SPREADS)).to_numpy(bool)]


READS = ("read", "reread", "randread")
WRITES = ("write", "rewrite", "randwrite")
OP_WORDS = {
    **{name: f"sequential {name}" for name in ("read", "write", "reread", "rewrite")},
    **{"randread": "random read", "randwrite": "random write"},
}
DEPTH_NOT_STATED = "queue depth not stated"  # of fio, whose jobs may have any
CUSTOMARY_DIRECT = {"dd": False, "hdparm": False, "iozone": True, "fio": True}


def test_in_words(row: Any) -> str:
    """Return a test in words, from a row with (some of) the columns that tell tests apart."""
    size, depth, processes, mix, direct = (
        None if pd.isna(value := getattr(row, name, None)) else value
        for name in ("block_size", "iodepth", "numjobs", "read_mix", "direct")
    )
    usual = CUSTOMARY_DIRECT.get(row.tool)
    unknown = depth is None and row.tool == "fio" and hasattr(row, "iodepth")
    words = {
        OP_WORDS.get(row.op, row.op): True,
        size_in_words(size or 0): size,
        row.tool: True,
        DEPTH_NOT_STATED: unknown,
        f"queue depth {depth}": depth and depth > 1,
        f"{processes} processes": processes and processes > 1,
        f"{mix or 0:g} % reads": mix,
        "page cache by-passed": direct and usual is False,
        "through the page cache": direct is not None and not direct and usual,
    }
    return ", ".join(word for word, counts in words.items() if counts)


def with_test(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the column `test`: `test_in_words` of each."""
    return rows.assign(test=[test_in_words(row) for row in rows.itertuples()])


test_in_words.__test__ = False  # type: ignore[attr-defined]  # pytest takes `test_*` for a test


def size_in_words(size: int) -> str:
    """Return a size in B, KiB, MiB or GiB, without losing a byte."""
    size, unit = int(size), 0
    while size and size % 1024 == 0 and unit < 3:
        size, unit = size // 1024, unit + 1
    return f"{size} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


def average_repeats(figures: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return one row for each combination of `keys`: its runs, averaged on logarithms.

    Rows keep their order. `value`, `low`, `high` are geometric means of the value and of what
    rounding allows. `runs` counts different runs (a figure without one is a run); `ids` and
    `remarks` are tuples.
    """
    require(figures, [*keys, "id", "value", "remarks"])
    group = group_numbers(figures, keys)
    _, begins, sizes = np.unique(group, return_index=True, return_counts=True)
    values = ["value", "value_low", "value_high"]
    firsts = figures[list(dict.fromkeys([*keys, *values]))].iloc[begins].reset_index(drop=True)
    means = firsts[values]  # of one run: exactly
    if (sizes > 1).any():
        logarithms = np.log(figures[values]).groupby(group)
        means = means.mask(pd.Series(sizes > 1), np.exp(logarithms.mean(skipna=False)))
    ids, runs = figures["id"], figures["run"].fillna(figures["id"])
    words = _gather(group, (text.split() for text in figures["remarks"].fillna("")))
    return firsts[list(keys)].assign(
        value=means["value"],
        low=means["value_low"],
        high=means["value_high"],
        runs=np.array([len({*of_one}) for of_one in _gather(group, zip(runs))], dtype=np.int64),
        ids=pd.Series(_gather(group, zip(ids)), dtype=object),
        remarks=pd.Series([tuple(sorted({*found})) for found in words], dtype=object),
    )


def _gather(group: Iterable[int], lists: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return, for each group, a tuple of what its rows list, one after the other."""
    members = defaultdict(list)
    for number, words in zip(group, lists, strict=True):
        members[number] += words
    return [tuple(members[number]) for number in sorted(members)]
