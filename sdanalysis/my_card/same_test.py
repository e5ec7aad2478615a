"""Rows of a log or of the table -> the test that each belongs to, or why it belongs to none.

Two figures may be compared when their **test** is the same: tool, op, block size, process count,
queue depth, read mix, and whether the page cache was by-passed. What each tool measures:

- **hdparm -t**: sequential reads of the raw device. Only with hdparm, and `--direct` (other
  requests, no read-ahead) only with `--direct`. `-T` reads memory.
- **dd**: sequential writes through the file system, flushed at the end (`conv=fsync`). Only with
  dd of the same block size. Without a flush the page cache is measured. Never with hdparm.
- **ddrescue**: whole-device copies; the tool chooses its block size.
- **iozone -I**: one request at a time, page cache by-passed, file of any size. Tables pasted
  without their banner do not say `-I`: it is assumed, and said so.
- **fio**: many settings, compared only with fio of the same queue depth, process count and mix.
  `kindred` is the one exception: fio with direct=1, queue depth 1, one process and unmixed 4 KiB
  random requests asks for the same as `iozone -I`. No source ran both on one card, so how far
  the tools themselves differ is not known: such a place is indicative and never used otherwise.
- Tools that a source does not name (`unstated`) are compared with nothing.
"""

from __future__ import annotations

import pandas as pd

from sdanalysis.logs import read as logs
from sdanalysis.parsers.dd.scripts import NOT_FLUSHED

TEST = ["tool", "op", "block_size", "numjobs", "iodepth", "read_mix", "direct"]
ONE_BLOCK = ("hdparm", "ddrescue")  # the tool chooses the block size
BY_PASSED = {"dd": False, "hdparm": False, "iozone": True, "fio": True, "ddrescue": False}
_OPS = {
    "read": "sequential read",
    "write": "sequential write",
    "reread": "sequential reread",
    "rewrite": "sequential rewrite",
    "randread": "random read",
    "randwrite": "random write",
}
KINDRED_OPS = ("randread", "randwrite")
KINDRED_BLOCK = 4096


def with_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the conditions of a test filled in where the tool implies them.

    Parameters
    ----------
    rows : DataFrame
        The tidy table, or what a log holds: the columns of `TEST` among others.

    Returns
    -------
    DataFrame
        The same rows; `block_size` 0 where the tool chooses it, `numjobs` 1 and (but for fio)
        `iodepth` 1 where none is printed, `read_mix` 0 for unmixed, `direct` as its tool is used
        by the sources where it is not printed; `assumed` says which of these were filled in from
        nothing but custom, `test` names the test in words.
    """
    direct = rows["direct"].astype("boolean")
    implied = rows["tool"].map(BY_PASSED).astype("boolean")
    implied = implied.mask((rows["tool"] == "ddrescue") & (rows["op"] == "write"), True)
    assumed = (direct.isna() & rows["tool"].isin(["iozone", "fio"])).map(
        {True: "that the page cache was by-passed (not printed)", False: pd.NA}
    )
    depth = rows["iodepth"].mask(rows["iodepth"].isna() & (rows["tool"] != "fio"), 1)
    filled = rows.assign(
        block_size=rows["block_size"].mask(rows["tool"].isin(ONE_BLOCK), 0),
        numjobs=rows["numjobs"].fillna(1),
        iodepth=depth,
        read_mix=rows["read_mix"].fillna(0.0),
        direct=direct.fillna(implied),
        assumed=assumed.astype("str"),
    )
    return filled.assign(test=[name_of(row) for row in filled.itertuples()])


def name_of(row: tuple) -> str:
    """Return a test in words: `random read, 4 KiB, iozone`."""
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


def printed_at(rows: pd.DataFrame) -> list[str]:
    """Return where each row of a log stands, as `file:line` without the file's folder."""
    return [
        f"{'-' if pd.isna(file) else str(file).rpartition('/')[2]}:{line}"
        for file, line in zip(rows["file"], rows["line"], strict=True)
    ]


def reasons(rows: pd.DataFrame) -> pd.Series:
    """Return, for each row of a log, why it is no figure of the medium; missing where it is one.

    Whether a source ran the same test is another question: `places.why_alone`.
    """
    copied = rows["op"].isin(["copy"])
    unflushed = rows["remarks"].fillna("").str.contains(NOT_FLUSHED, regex=False)
    statuses = rows["status"].map(logs.STATUSES).fillna(rows["status"])
    rules = [
        (rows["status"] != "measured", "no finished run: " + statuses),
        (rows["metric"] == "latency", "a latency, which no source publishes"),
        (~rows["metric"].isin(["bandwidth", "iops"]), "neither a bandwidth nor IOPS"),
        (rows["stat"] != "single", "a summary of several figures that the log holds as well"),
        (rows["value"].isna() | (rows["value"] <= 0), "no rate above zero"),
        (rows["op"] == "cached_read", "memory of the computer, not the card (hdparm -T)"),
        (copied & (rows["tool"] == "dd"), "dd does not print what it read or wrote: keep the "
         "command in the log (`dd if=... of=... conv=fsync`)"),
        (copied, "read or write? The log does not say: keep the command in it"),
        (unflushed, "dd without conv=fsync ends while the page cache still holds the data"),
        (rows["block_size"].isna() & ~rows["tool"].isin(ONE_BLOCK), "the block size is not in "
         "the log: keep the command in it"),
        (rows["iodepth"].isna() & (rows["tool"] == "fio"), "the queue depth is not in the log: "
         "fio --output-format=json prints it"),
    ]  # fmt: skip
    found = pd.Series(pd.NA, index=rows.index, dtype="str")
    for applies, text in rules:
        found = found.mask(found.isna() & applies.fillna(False).astype(bool), text)
    return found


def as_bandwidth(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as bandwidths: IOPS beside one go, lonely ones become IOPS x block size."""
    run = ["file", "line", "run", "op", "numjobs", "repeat"]
    beside = rows.loc[rows["metric"] == "bandwidth", run].drop_duplicates()
    marked = rows.merge(beside, on=run, how="left", indicator=True, validate="many_to_one")
    marked.index = rows.index
    lonely = (marked["metric"] == "iops") & (marked["_merge"] == "left_only")
    kept = rows[(rows["metric"] == "bandwidth") | lonely]
    size = kept["block_size"].astype("Float64").astype(float)
    factor = size.where(kept["metric"] == "iops", 1.0)
    scaled = {name: kept[name] * factor for name in ("value", "value_low", "value_high")}
    return kept.assign(metric="bandwidth", **scaled).dropna(subset=["value"])


def kindred(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of fio that ask for the same as `iozone -I`, as tests of iozone."""
    same = (
        (figures["tool"] == "fio")
        & figures["op"].isin(KINDRED_OPS)
        & (figures["block_size"] == KINDRED_BLOCK)
        & (figures["iodepth"] == 1)
        & (figures["numjobs"] == 1)
        & (figures["read_mix"] == 0)
        & figures["direct"].fillna(False)
        & figures["assumed"].isna()
    )
    return figures[same].assign(tool="iozone")
