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

import pandas as pd

from sdanalysis.stats.same_test import CUSTOMARY_DIRECT, columns, test_in_words

# A file of any size: what a log prints of it is seldom what a source prints.
TEST = columns("op", "test", "cache")
OWN_BLOCK = ("hdparm", "ddrescue")  # the tool chooses the block size
_AS_IOZONE = {"tool": "fio", "block_size": 4096, "iodepth": 1, "numjobs": 1, "read_mix": 0}


def with_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the conditions of a test filled in where the tool implies them.

    `block_size` is 0 where the tool chooses it, `numjobs` 1 and (but for fio) `iodepth` 1 where
    none is printed, `read_mix` 0 for unmixed, `direct` as the sources use the tool where it is not
    printed; `assumed` says which of these rest on nothing but custom, `test` names the test.
    """
    implied = rows["tool"].map(CUSTOMARY_DIRECT).astype("boolean")
    implied = implied.mask(rows["tool"] == "ddrescue", rows["op"] == "write")
    direct = rows["direct"].astype("boolean")
    assumed = (direct.isna() & rows["tool"].isin(["iozone", "fio"])).map(
        {True: "that the page cache was by-passed (not printed)", False: pd.NA}
    )
    filled = rows.assign(
        block_size=rows["block_size"].mask(rows["tool"].isin(OWN_BLOCK), 0),
        numjobs=rows["numjobs"].fillna(1),
        iodepth=rows["iodepth"].mask(rows["iodepth"].isna() & (rows["tool"] != "fio"), 1),
        read_mix=rows["read_mix"].fillna(0.0),
        direct=direct.fillna(implied),
        assumed=assumed.astype("str"),
    )
    words = [test_in_words(row) for row in filled.itertuples()]
    return filled.assign(test=pd.Series(words, index=filled.index, dtype="str"))


def as_iozone(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of fio that ask for the same as `iozone -I`, as tests of iozone."""
    same = asks_as_iozone(figures) & figures["direct"].fillna(False) & figures["assumed"].isna()
    return figures[same].assign(tool="iozone")


def asks_as_iozone(figures: pd.DataFrame) -> pd.Series:
    """Tell which figures of fio ask for the same as iozone, if they by-passed the page cache."""
    same = figures["op"].isin(["randread", "randwrite"])
    for name, value in _AS_IOZONE.items():
        same &= (figures[name] == value).fillna(False)
    return same
