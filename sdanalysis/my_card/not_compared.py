"""Rows and figures -> why one is compared with nothing: a code for each, and its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd

from sdanalysis.logs.read import STATUSES
from sdanalysis.my_card.same_test import ONE_BLOCK, as_iozone, asks_as_iozone
from sdanalysis.parsers.dd.scripts import NOT_FLUSHED
from sdanalysis.stats.reasons import first_reason

CARDS = ("microSD", "SD")
COLUMNS = ["what", "figures", "reason", "why", "at"]
NOT_FINISHED, BUS_LIMITED, OTHER_TEST = "not_finished", "bus_limited", "other_test"
WORDS = {
    # a row of a log
    NOT_FINISHED: "no finished run",
    "share": "the share of one process: the sum over the processes of its run is the figure",
    "latency": "a latency, which no source publishes",
    "other_metric": "neither a bandwidth nor IOPS",
    "summary": "a summary of several figures that the log holds as well",
    "no_value": "no rate above zero",
    "cached": "memory of the computer, not the card (hdparm -T)",
    "dd_direction": "dd does not print what it read or wrote: keep the command in the log "
    "(`dd if=... of=... conv=fsync`)",
    "direction": "read or write? The log does not say: keep the command in it",
    "not_flushed": "dd without conv=fsync ends while the page cache still holds the data",
    "block_size": "the block size is not in the log: keep the command in it",
    "iodepth": "the queue depth is not in the log: fio --output-format=json prints it",
    # a figure of a log
    BUS_LIMITED: "above what the bus can carry: a cache answered, or this was no card in this slot",
    # a row of the table
    "not_primary": "restated or derived: counted where it was measured",
    "word": "a word or a blank cell",
    "iops": "IOPS of a run whose bandwidth is counted",
    "not_a_card": "not a memory card",
    "tool_unstated": "the source does not name the tool",
    "table_block_size": "the source does not print the block size",
}
_UNKNOWN_CACHE = (
    "; with direct=1 it could be placed beside iozone's figures, but the log does not say whether "
    "the page cache was by-passed: fio --output-format=json prints it"
)


def row_reasons(rows: pd.DataFrame) -> pd.Series:
    """Return, for each row of a log, the code why it is no figure of the medium, or missing.

    Whether a source ran the same test is another question: `without_counterpart`.
    """
    copied = rows["op"] == "copy"
    unflushed = rows["remarks"].fillna("").str.contains(NOT_FLUSHED, regex=False)
    rules = [
        (rows["status"] != "measured", NOT_FINISHED),
        (rows["stat"] == "share", "share"),
        (rows["metric"] == "latency", "latency"),
        (~rows["metric"].isin(["bandwidth", "iops"]), "other_metric"),
        (rows["stat"] != "single", "summary"),
        (rows["value"].isna() | (rows["value"] <= 0), "no_value"),
        (rows["op"] == "cached_read", "cached"),
        (copied & (rows["tool"] == "dd"), "dd_direction"),
        (copied, "direction"),
        (unflushed, "not_flushed"),
        (rows["block_size"].isna() & ~rows["tool"].isin(ONE_BLOCK), "block_size"),
        (rows["iodepth"].isna() & (rows["tool"] == "fio"), "iodepth"),
    ]
    return first_reason(rows.index, rules)


def table_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row of the table, the code why no card is compared with it, or missing."""
    rows = measurements
    forms = media.set_index("specimen")["form"]
    sized = rows["block_size"].notna() | rows["tool"].isin(ONE_BLOCK)
    rules = [
        (rows["origin"] != "primary", "not_primary"),
        (rows["status"] != "measured", "word"),
        (rows["metric"] != "bandwidth", "iops"),
        (~rows["specimen"].map(forms).isin(CARDS), "not_a_card"),
        (rows["tool"] == "unstated", "tool_unstated"),
        (~sized, "table_block_size"),
    ]
    return first_reason(rows.index, rules)


def not_compared(
    rows: pd.DataFrame, figures: Sequence[pd.DataFrame], samples: Iterable[tuple[str, int]] = ()
) -> pd.DataFrame:
    """Return what logs hold and what has no place.

    Parameters
    ----------
    rows : DataFrame
        Columns of `logs.read.COLUMNS`, `reason` (as `row_reasons` returns it) and `at`.
    figures
        Those of the log that have no place, as `above_bus` and `without_counterpart` return them.
    samples
        Tool with operation, and the number of samples of side logs that are not among the rows.

    Returns
    -------
    DataFrame
        `what` (test, or tool and operation), `figures` (their number), `reason` (its code), `why`
        (its words), `at` (of the first).
    """
    grouped = (
        rows[rows["reason"].notna()]
        .assign(what=rows["tool"] + " " + rows["op"])
        .groupby(["what", "reason", "status"], sort=False)
        .agg(figures=("at", "size"), at=("at", "first"))
        .reset_index()
    )
    sampled = (grouped["reason"] == NOT_FINISHED) & (grouped["status"] == "sample")
    counts = Counter[str]()
    for what, count in samples:
        counts[what] += count
    others = grouped["what"].map(counts).where(sampled, 0)
    statuses = ": " + grouped["status"].map(STATUSES).fillna(grouped["status"])
    why = grouped["reason"].map(WORDS) + statuses.where(grouped["reason"] == NOT_FINISHED, "")
    grouped = grouped.assign(figures=grouped["figures"] + others.astype("int64"), why=why)
    return pd.concat([*figures, grouped[COLUMNS]], ignore_index=True)


def above_bus(figures: pd.DataFrame, limit: float) -> pd.Series:
    """Tell which tests have a run above a bus limit, even at the least that rounding allows.

    The test is lost with it: what the other runs met is not known either.
    """
    return figures["at_least"].fillna(figures["high"]).clip(upper=figures["high"]) > limit


def bus_limited(figures: pd.DataFrame) -> pd.DataFrame:
    """Return figures above the bus limit as rows of `not_compared`."""
    named = figures.assign(what=figures["test"], figures=figures["runs"])
    return named.assign(reason=BUS_LIMITED, why=WORDS[BUS_LIMITED])[COLUMNS]


def without_counterpart(
    figures: pd.DataFrame, placed: Iterable[str], known: pd.DataFrame
) -> pd.DataFrame:
    """Return the figures of tests that no source ran, as rows of `not_compared`.

    `placed` are the tests that have a place.
    """
    beside = figures["test"].isin(set(placed)) | figures.index.isin(as_iozone(figures).index)
    rest = figures[~beside]
    cache = (asks_as_iozone(rest) & rest["assumed"].notna()).map({True: _UNKNOWN_CACHE, False: ""})
    whys = map(partial(_why_other, known), rest["tool"], rest["op"], cache)
    named = rest.assign(what=rest["test"], figures=rest["runs"])
    return named.assign(reason=OTHER_TEST, why=list(whys))[COLUMNS]


def _why_other(known: pd.DataFrame, tool: str, op: str, cache: str) -> str:
    tests = sorted(set(known.loc[(known["tool"] == tool) & (known["op"] == op), "test"]))
    if not tests:
        return f"no source measured memory cards so ({tool}, {op})"
    ran = "; ".join(tests)
    return f"no source ran exactly this; with this tool and operation they ran: {ran}{cache}"
