"""Rows of a log or of the table -> the test of each, with the conditions that its tool implies.

Which columns make a test stands in `stats.same_test`. What each tool measures, and so implies:

- **hdparm -t**: sequential reads of the raw device. Only with hdparm, and `--direct` (other
  requests, no read-ahead) only with `--direct`. `-T` reads memory.
- **dd**: sequential writes through the file system, flushed at the end (`conv=fsync`). Only with
  dd of the same block size. Without a flush the page cache is measured. Never with hdparm.
- **ddrescue**: whole-device copies; the tool chooses its block size.
- **iozone -I**: one request at a time, page cache by-passed, file of any size. Tables pasted
  without their banner do not say `-I`: it is assumed, and said so.
- **fio**: many settings, compared only with fio of the same queue depth, process count and mix.
  `as_iozone` is the one exception: fio with direct=1, queue depth 1, one process and unmixed 4 KiB
  random requests asks for the same as `iozone -I`. No source ran both on one card, so how far
  the tools themselves differ is not known: such a place is indicative and never used otherwise.
- Tools that a source does not name (`unstated`) are compared with nothing.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

TEST = ["tool", "op", "block_size", "numjobs", "iodepth", "read_mix", "direct"]
ONE_BLOCK = ("hdparm", "ddrescue")  # the tool chooses the block size
BY_PASSED = {"dd": False, "hdparm": False, "iozone": True, "fio": True, "ddrescue": False}
AS_IOZONE = {"tool": "fio", "block_size": 4096, "iodepth": 1, "numjobs": 1}
AS_IOZONE_OPS = ("randread", "randwrite")
_OPS = {
    "read": "sequential read",
    "write": "sequential write",
    "reread": "sequential reread",
    "rewrite": "sequential rewrite",
    "randread": "random read",
    "randwrite": "random write",
}


def with_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the conditions of a test filled in where the tool implies them.

    `block_size` is 0 where the tool chooses it, `numjobs` 1 and (but for fio) `iodepth` 1 where
    none is printed, `read_mix` 0 for unmixed, `direct` as the sources use the tool where it is not
    printed; `assumed` says which of these rest on nothing but custom, `test` names the test.
    """
    direct = rows["direct"].astype("boolean")
    implied = rows["tool"].map(BY_PASSED).astype("boolean")
    implied = implied.mask((rows["tool"] == "ddrescue") & (rows["op"] == "write"), True)
    assumed = (direct.isna() & rows["tool"].isin(["iozone", "fio"])).map(
        {True: "that the page cache was by-passed (not printed)", False: pd.NA}
    )
    filled = rows.assign(
        block_size=rows["block_size"].mask(rows["tool"].isin(ONE_BLOCK), 0),
        numjobs=rows["numjobs"].fillna(1),
        iodepth=rows["iodepth"].mask(rows["iodepth"].isna() & (rows["tool"] != "fio"), 1),
        read_mix=rows["read_mix"].fillna(0.0),
        direct=direct.fillna(implied),
        assumed=assumed.astype("str"),
    )
    return filled.assign(test=[test_in_words(row) for row in filled.itertuples()])


def test_in_words(row: Any) -> str:
    """Return a test of `TEST` in words: `random read, 4 KiB, iozone, queue depth 4`."""
    words = [_OPS.get(row.op, row.op)]
    if pd.notna(row.block_size) and row.block_size:
        words.append(size_in_words(int(row.block_size)))
    words.append(row.tool)
    if pd.notna(row.iodepth) and row.iodepth > 1:
        words.append(f"queue depth {row.iodepth}")
    if pd.notna(row.numjobs) and row.numjobs > 1:
        words.append(f"{row.numjobs} processes")
    if row.read_mix:
        words.append(f"{row.read_mix:g} % reads")
    if pd.notna(row.direct) and row.tool in BY_PASSED and row.tool != "ddrescue":
        if row.direct and not BY_PASSED[row.tool]:
            words.append("page cache by-passed")
        if not row.direct and BY_PASSED[row.tool]:
            words.append("through the page cache")
    return ", ".join(words)


def size_in_words(size: int) -> str:
    """Return bytes as `4 KiB`, `16 MiB` or `1000 B`."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def as_iozone(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of fio that ask for the same as `iozone -I`, as tests of iozone."""
    same = asks_as_iozone(figures) & figures["direct"].fillna(False) & figures["assumed"].isna()
    return figures[same].assign(tool="iozone")


def asks_as_iozone(figures: pd.DataFrame) -> pd.Series:
    """Tell which figures of fio ask for the same as iozone, if they by-passed the page cache."""
    same = figures["op"].isin(AS_IOZONE_OPS) & (figures["read_mix"] == 0)
    for name, value in AS_IOZONE.items():
        same &= (figures[name] == value).fillna(False)
    return same
