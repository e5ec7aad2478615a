"""Rows and figures -> why one is compared with nothing: a code for each, and its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pandas as pd

from sdanalysis.codebook.columns import LOG_STATUSES
from sdanalysis.my_card.figures import OWN_BLOCK, as_iozone, asks_as_iozone
from sdanalysis.parsers.dd import NOT_FLUSHED
from sdanalysis.stats import reasons
from sdanalysis.stats.classes import CARDS

_COLUMNS = ["what", "figures", "reason", "why", "at"]


class Reason(reasons.Code):
    """Why a row of a log or a figure of a card is compared with nothing."""

    NOT_FINISHED = "not_finished", "no finished run"
    SHARE = "share", "one process's share of a run: only the sum of all its processes is compared"
    LATENCY = "latency", "a latency, which no source publishes"
    OTHER_METRIC = "other_metric", "neither a bandwidth nor IOPS"
    SUMMARY = "summary", "a summary of several figures that the log holds as well"
    NO_VALUE = "no_value", "no rate above zero"
    MEMORY = "memory", "memory of the computer, not the card (hdparm -T)"
    DD_COPY = (
        "dd_copy",
        "dd does not print what it read or wrote: keep the command in the log "
        "(`dd if=... of=... conv=fsync`)",
    )
    COPY = "copy", "read or write? The log does not say: keep the command in it"
    NOT_FLUSHED = (
        "not_flushed",
        "dd without conv=fsync ends while the page cache still holds the data",
    )
    NO_BLOCK_SIZE = "no_block_size", "the block size is not in the log: keep the command in it"
    NO_DEPTH = "no_depth", "the queue depth is not in the log: fio --output-format=json prints it"
    BUS_LIMITED = (
        "bus_limited",
        "above what the bus can carry: a cache answered, or this was no card in this slot",
    )
    OTHER_TEST = "other_test", "no source ran exactly this"


_UNKNOWN_CACHE = (
    "; with direct=1 it could be placed beside iozone's figures, but the log does not say whether "
    "the page cache was by-passed: fio --output-format=json prints it"
)


def row_reasons(rows: pd.DataFrame) -> pd.Series:
    """Return, for each row of a log, the code why it is no figure of the medium, or missing.

    Whether a source ran the same test is another question: `without_counterpart`.
    """
    copied = rows["op"] == "copy"
    unflushed = rows["remarks"].str.contains(NOT_FLUSHED, regex=False)
    rules = [
        (rows["status"] != "measured", Reason.NOT_FINISHED),
        (rows["stat"] == "share", Reason.SHARE),
        (rows["metric"] == "latency", Reason.LATENCY),
        (~rows["metric"].isin(["bandwidth", "iops"]), Reason.OTHER_METRIC),
        (rows["stat"] != "single", Reason.SUMMARY),
        (rows["value"].isna() | (rows["value"] <= 0), Reason.NO_VALUE),
        (rows["op"] == "cached_read", Reason.MEMORY),
        (copied & (rows["tool"] == "dd"), Reason.DD_COPY),
        (copied, Reason.COPY),
        (unflushed, Reason.NOT_FLUSHED),
        (rows["block_size"].isna() & ~rows["tool"].isin(OWN_BLOCK), Reason.NO_BLOCK_SIZE),
        (rows["iodepth"].isna() & (rows["tool"] == "fio"), Reason.NO_DEPTH),
    ]
    return reasons.first_reason(rows.index, rules)


def table_reasons(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row of the table, the code why no card is compared with it, or missing."""
    rows, cards = measurements, media.loc[media["form"].isin(CARDS), "specimen"]
    rules = [
        (~rows["specimen"].isin(cards), reasons.Reason.NOT_A_CARD),
        (rows["tool"] == "unstated", reasons.Reason.TOOL_UNSTATED),
        (rows["block_size"].isna() & ~rows["tool"].isin(OWN_BLOCK), Reason.NO_BLOCK_SIZE),
    ]
    codes = reasons.figure_reasons(rows, mixed=True)
    return reasons.first_reason(rows.index, rules, after=codes)


def not_compared(
    rows: pd.DataFrame, figures: pd.DataFrame, samples: Sequence[tuple[str, int]] = ()
) -> pd.DataFrame:
    """Return what logs hold and what has no place.

    `what` (test, or tool and operation), `figures` (their number), `reason` (its code), `why` (its
    words), `at` (of the first). `rows` are those of the logs with their `reason` and `at`,
    `figures` as `without_counterpart` returns them; of side logs `samples` are what is not among
    the rows: tool with operation, and the number.
    """
    grouped = (
        rows[rows["reason"].notna()]
        .assign(what=rows["tool"] + " " + rows["op"])
        .groupby(["what", "reason", "status"], sort=False)
        .agg(figures=("at", "size"), at=("at", "first"))
        .reset_index()
    )
    counts = pd.DataFrame(samples, columns=["what", "count"]).groupby("what")["count"].sum()
    others = grouped["what"].map(counts).where(grouped["status"] == "sample").fillna(0)
    unfinished = grouped["reason"] == Reason.NOT_FINISHED
    statuses = (": " + grouped["status"].map(LOG_STATUSES)).where(unfinished, "")
    words = grouped["reason"].map({reason.value: reason.words for reason in Reason})
    total = grouped["figures"] + others.astype("int64")
    grouped = grouped.assign(figures=total, why=words + statuses)
    return pd.concat([figures, grouped[_COLUMNS]], ignore_index=True)


def without_counterpart(
    figures: pd.DataFrame, placed: Iterable[str], known: pd.DataFrame
) -> pd.DataFrame:
    """Return the figures above the bus limit and of tests that no source ran, as `not_compared`.

    `placed` are the tests that have a place, `known` the figures of known cards.
    """
    above, iozone = figures["above_bus"], figures.index.isin(as_iozone(figures).index)
    rest = figures[~above & ~iozone & ~figures["test"].isin(set(placed))]
    cache = (asks_as_iozone(rest) & rest["assumed"].notna()).map({True: _UNKNOWN_CACHE, False: ""})
    whys = map(partial(_why_other, known), rest["tool"], rest["op"], cache)
    others = rest.assign(reason=Reason.OTHER_TEST.value, why=list(whys))
    limited = Reason.BUS_LIMITED
    rows = pd.concat([figures[above].assign(reason=limited.value, why=limited.words), others])
    return rows.assign(what=rows["test"], figures=rows["runs"])[_COLUMNS]


def _why_other(known: pd.DataFrame, tool: str, op: str, cache: str) -> str:
    tests = sorted(set(known.loc[(known["tool"] == tool) & (known["op"] == op), "test"]))
    if not tests:
        return f"no source measured memory cards so ({tool}, {op})"
    ran = f"with this tool and operation they ran: {'; '.join(tests)}"
    return f"{Reason.OTHER_TEST.words}; {ran}{cache}"
