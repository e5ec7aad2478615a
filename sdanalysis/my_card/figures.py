"""Average rows of logs and of the table to figures, one a card, host and test.

Which columns make a test stands in `stats.same_test`. What each tool measures, and so implies:

- **hdparm -t**: sequential reads of the raw device. Only with hdparm, and `--direct` (other
  requests, no read-ahead) only with `--direct`. `-T` reads memory.
- **dd**: sequential writes through the file system, flushed at the end (`conv=fsync`). Only with
  dd of the same block size. Without a flush the page cache is measured.
- **ddrescue**: whole-device copies; the tool chooses its block size.
- **iozone -I**: one request at a time, page cache by-passed. Tables pasted
  without their banner do not say `-I`: it is assumed, and said so.
- **fio**: many settings, compared only with fio of the same queue depth, process count and mix.
  `as_iozone` is the one exception: fio with direct=1, queue depth 1, one process and unmixed 4 KiB
  random requests asks for the same as `iozone -I`. The one source that ran both on
  the same cards gave fio a queue and a mix, so how far the tools themselves differ is not known:
  such a place is a rough guide (indicative) and never used otherwise.
- Where nobody printed the queue depth of fio's jobs, a figure of any depth stands beside them
  (`as_depth_not_stated`), on the same host only: as indicative, and never used otherwise.
- Tools that a source does not name (`unstated`) are compared with nothing.

What is compared with nothing has a `Reason`, which names the nearest test that a source ran.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.codebook.columns import LOG_STATUSES, NOT_FLUSHED
from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.label import card_in_words
from sdanalysis.stats import reasons
from sdanalysis.stats.classes import CARDS
from sdanalysis.stats.same_test import (
    CUSTOMARY_DIRECT,
    DEPTH_NOT_STATED,
    READS,
    average_repeats,
    columns,
    size_in_words,
    with_test,
)

_TEST = [*columns("op", "test", "cache", "size"), "test"]
_CARD = columns("laboratory", "card")
# Of what is compared with nothing: test, or tool and operation; how many; code; words; the first.
NOT_COMPARED = ["what", "figures", "reason", "why", "at"]
OWN_BLOCK = ("hdparm", "ddrescue")  # the tool chooses the block size, and reads no file
_AS_IOZONE = {"tool": "fio", "block_size": 4096, "iodepth": 1, "numjobs": 1, "read_mix": 0}
_MUCH = 99.0  # doublings: between a number and none that is stated
_UNKNOWN_MIX = (
    "; beside jobs whose queue depth is not stated it could be placed, but the log does not say "
    "whether one job read and wrote: fio --output-format=json prints it"
)
_UNKNOWN_CACHE = (
    "; with direct=1 it could be placed beside iozone's figures, but the log does not say whether "
    "the page cache was by-passed: fio --output-format=json prints it"
)


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
    BUS_MEASURED = "bus_measured", "measures the bus of the computer, not the card"
    KNOWN_BUS = "known_bus", "the known figures are those of their computers' buses, not of cards"
    OTHER_TEST = "other_test", "no source ran exactly this"
    OTHER_SIZE = (
        "other_size",
        "of several file sizes in a log only the one that the sources state is compared",
    )


class Known(NamedTuple):
    """The figures of the known cards: those of each host, and one a card over all hosts.

    Columns: `specimen`, `measured_by`, `medium`, `name` (the card in words), the conditions of
    the test, `test` (in words), `value` (B/s, geometric mean over `runs`), and of `by_host` `host`
    and `reader`.
    """

    by_host: pd.DataFrame
    over_hosts: pd.DataFrame

    def on(self, setting: Setting) -> pd.DataFrame:
        """Return the figures of one host and reader; without a host none."""
        rows = self.by_host
        return rows[(rows["host"] == setting.host) & (rows["reader"] == setting.reader)]


def row_reasons(rows: pd.DataFrame) -> pd.Series:
    """Return, for each row of a log, the code why it is no figure of the medium, or missing.

    Whether a source ran the same test is another question: `without_place`.
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


def card_figures(bandwidths: pd.DataFrame, limit: float) -> pd.DataFrame:
    """Return one row a test: what the logs of one card on one host hold of it, runs averaged.

    The test, `value` (B/s, geometric mean over `runs`), `assumed`, `at` (`file:line` of the first
    run). `above_bus`: a run is above the `limit` of the bus, whatever the rounding. The whole test
    is then lost: what the other runs met is not known. `mixed`: fio read and wrote, and whether in
    one job is not printed.
    """
    rows = with_tests(bandwidths)
    least = rows["value_low"].fillna(rows["value"]).clip(upper=rows["value"])
    ways = rows["op"].isin(READS).groupby([rows["file"], rows["run"]]).transform("nunique")
    printed = bandwidths[["read_mix", "direct"]].notna().any(axis=1)  # fio's options are in the log
    mixed = (rows["tool"] == "fio") & (ways == 2) & ~printed
    rows = rows.assign(above_bus=least > limit, mixed=mixed, id=rows.index, run=None)  # each a run
    figures = average_repeats(rows, _TEST)
    runs = [rows.loc[list(ids)] for ids in figures["ids"]]
    assumed = [next(iter(own["assumed"].dropna()), None) for own in runs]
    return figures.assign(
        assumed=pd.array(assumed, "str"),
        at=[own["at"].iloc[0] for own in runs],
        above_bus=pd.array([own["above_bus"].any() for own in runs], "bool"),
        mixed=pd.array([own["mixed"].any() for own in runs], "bool"),
    )


def as_bandwidth(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as bandwidths: IOPS times block size where the run prints nothing else.

    IOPS beside a bandwidth of the same run and test are the same figure, whatever their lines.
    """
    keys = columns("repetition", "op", "test", "cache", without=("source",))
    iops = rows["metric"] == "iops"
    if iops.any():
        doubled = (~iops).groupby([rows[name] for name in keys], dropna=False).transform("any")
        rows = rows[~(iops & doubled)]
    factor = rows["block_size"].astype("Float64").astype(float).where(iops, 1.0)
    scaled = {name: rows[name] * factor for name in ("value", "value_low", "value_high")}
    return rows.assign(metric="bandwidth", **scaled).dropna(subset=["value"])


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


def known_figures(measurements: pd.DataFrame, media: pd.DataFrame) -> Known:
    """Return the figures of the known cards, from the rows of the table without a reason."""
    usable = measurements[table_reasons(measurements, media).isna()]
    keys = [*_CARD, "host", "reader", *_TEST]
    figures = average_repeats(with_tests(usable), keys).sort_values(columns("specimen", "place"))
    names = media.assign(name=[card_in_words(row) for row in media.itertuples()])
    figures = figures.merge(names[["specimen", "name"]], on="specimen", validate="many_to_one")
    return Known(figures, over_hosts(figures))


def over_hosts(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of known cards with those of one card on several hosts averaged."""
    bounds = {"value_low": figures["low"], "value_high": figures["high"]}
    hosts = figures.assign(id=figures.index, run=None, remarks=None, **bounds)
    return average_repeats(hosts, [*_CARD, "name", *_TEST])


def with_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the conditions of a test filled in where the tool implies them.

    `block_size` is 0 where the tool chooses it, `read_mix` 0 for unmixed. Where none is printed,
    `numjobs` is 1, `iodepth` 1 (not for fio), and `direct` as the sources use the tool. `assumed`
    lists those that rest on custom alone; `test` names the test.
    """
    implied = rows["tool"].map(CUSTOMARY_DIRECT).astype("boolean")
    implied = implied.mask(rows["tool"] == "ddrescue", rows["op"] == "write")
    direct = rows["direct"].astype("boolean")
    assumed = (direct.isna() & rows["tool"].isin(["iozone", "fio"])).map(
        {True: "that the page cache was by-passed (not printed)", False: pd.NA}
    )
    filled = rows.assign(
        block_size=rows["block_size"].mask(rows["tool"].isin(OWN_BLOCK), 0),
        file_size=rows["file_size"].mask(rows["tool"].isin(OWN_BLOCK)),
        numjobs=rows["numjobs"].fillna(1),
        iodepth=rows["iodepth"].mask(rows["iodepth"].isna() & (rows["tool"] != "fio"), 1),
        read_mix=rows["read_mix"].fillna(0.0),
        direct=direct.fillna(implied),
        assumed=assumed.astype("str"),
    )
    return with_test(filled).astype({"test": "str"})


def as_iozone(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of fio that ask for the same as `iozone -I`, as tests of iozone."""
    same = asks_as_iozone(figures) & figures["direct"].fillna(False) & figures["assumed"].isna()
    return _named_anew(figures[same], tool="iozone")


def as_depth_not_stated(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the unmixed figures of fio as tests of a queue depth that is not stated."""
    unmixed = (figures["tool"] == "fio") & (figures["read_mix"] == 0) & ~figures["mixed"]
    depth = pd.array([pd.NA] * int(unmixed.sum()), dtype="Int64")
    return _named_anew(figures[unmixed], iodepth=depth, assumed=None)


def _named_anew(figures: pd.DataFrame, **conditions: Any) -> pd.DataFrame:
    if figures.empty:
        return figures
    return with_test(figures.assign(**conditions)).astype({"test": "str", "assumed": "str"})


def asks_as_iozone(figures: pd.DataFrame) -> pd.Series:
    """Tell which figures of fio ask for the same as iozone, if they by-passed the page cache."""
    same = figures["op"].isin(["randread", "randwrite"])
    for name, value in _AS_IOZONE.items():
        same &= (figures[name] == value).fillna(False)
    return same


def without_figure(rows: pd.DataFrame, samples: Sequence[tuple[str, int]] = ()) -> pd.DataFrame:
    """Return what logs hold beside figures, with the columns `NOT_COMPARED`.

    `rows` are those of the logs with their `reason` and `at`; of side logs `samples` are what is
    not among the rows: tool with operation, and the number.
    """
    more = Counter[str]()
    for what, count in samples:
        more[what] += count
    named = rows.assign(what=rows["tool"] + " " + rows["op"])
    groups = named.groupby(["what", "reason", "status"], sort=False)["at"]
    found = groups.agg(figures="size", at="first").reset_index()
    sampled = found["what"].map(more).astype("int64").where(found["status"] == "sample", 0)
    words = found["reason"].map(lambda code: Reason(code).words)
    unfinished = words + ": " + found["status"].map(LOG_STATUSES)
    found["why"] = words.mask(found["reason"] == Reason.NOT_FINISHED, unfinished)
    return found.assign(figures=(found["figures"] + sampled).astype("int64"))[NOT_COMPARED]


def of_other_size(figures: pd.DataFrame, known: pd.DataFrame) -> pd.Series:
    """Tell which figures of the sources' tests have none of their file sizes, beside other sizes.

    Two stated sizes are two tests. A log with one size of a test is compared, with a note: without
    the cards of other sizes only those of unknown size would be left. Where a log has several
    sizes, all but the sources' own would be the same place many times over.
    """
    sizes = figures.groupby("test")["file_size"]
    several = sizes.transform("nunique", dropna=False) > 1
    if not several.any():
        return several
    stated = pd.MultiIndex.from_frame(known[["test", "file_size"]].dropna())
    own = pd.MultiIndex.from_frame(figures[["test", "file_size"]])
    return several & figures["test"].isin(known["test"]) & ~own.isin(stated)


def without_place(figures: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return what has no place, with the columns `NOT_COMPARED`; `known` over all hosts.

    Figures above the bus limit, of tests that no source ran, and of another file size.
    """
    above = figures["above_bus"]
    below = figures[~above]
    iozone = as_iozone(below)
    other_size = of_other_size(below, known)
    other_size |= of_other_size(iozone, known).reindex(below.index, fill_value=False)
    rest = below[~below["test"].isin(known["test"]) & ~below.index.isin(iozone.index)]
    cache = asks_as_iozone(rest) & rest["assumed"].notna()
    whys = [_why_other(row, known, bool(cache[row.Index])) for row in rest.itertuples()]
    entries = [
        figures[above].assign(reason=Reason.BUS_LIMITED.value, why=Reason.BUS_LIMITED.words),
        below[other_size].assign(reason=Reason.OTHER_SIZE.value, why=Reason.OTHER_SIZE.words),
        rest.assign(reason=Reason.OTHER_TEST.value, why=whys),
    ]
    found = pd.concat(entries).rename(columns={"test": "what"})
    found = found.groupby(["what", "reason", "why"], sort=False).agg({"runs": "sum", "at": "first"})
    return found.reset_index().rename(columns={"runs": "figures"})[NOT_COMPARED]


def _why_other(row: Any, known: pd.DataFrame, unknown_cache: bool) -> str:
    """Say which known test of the same operation differs least from a figure's, and in what."""
    tests = known[known["op"] == row.op].drop_duplicates("test")
    near = min(tests.itertuples(), key=lambda test: _distance(row, test), default=None)
    if near is None:
        return f"no source measured memory cards so ({row.tool}, {row.op})"
    nearest = f"{near.test} ({', '.join(_differences(row, near))})"
    depths = tests.loc[tests["tool"] == row.tool, "test"].str.contains(DEPTH_NOT_STATED).any()
    mix = _UNKNOWN_MIX if row.mixed and depths else ""
    cache = _UNKNOWN_CACHE if unknown_cache else ""
    return f"{Reason.OTHER_TEST.words}; the nearest test is {nearest}{cache}{mix}"


def _distance(row: Any, test: Any) -> tuple[object, ...]:
    """Return what differs most first: tool, page cache, mix, doublings of sizes and counts."""
    doublings = 0.0
    for name in columns("test", without=("tool", "read_mix")):
        own, other = getattr(row, name), getattr(test, name)
        if pd.isna(own) or pd.isna(other) or not (own and other):
            doublings += _MUCH * _differ(own, other)
        else:
            doublings += abs(math.log2(own / other))
    return (
        row.tool != test.tool,
        _differ(row.direct, test.direct),
        _differ(row.read_mix, test.read_mix),
        doublings,
        test.test,
    )


def _differ(own: Any, other: Any) -> bool:
    if pd.isna(own) or pd.isna(other):
        return bool(pd.isna(own) != pd.isna(other))
    return bool(own != other)


def _differences(row: Any, test: Any) -> Iterator[str]:
    if row.tool != test.tool:
        yield f"with {test.tool} instead of {row.tool}"
    if _differ(row.direct, test.direct) and pd.notna(test.direct):
        if test.tool == "hdparm":
            yield "with --direct" if test.direct else "without --direct"
        else:
            yield "past the page cache" if test.direct else "through the page cache"
    if _differ(row.block_size, test.block_size) and test.block_size:
        yield f"in blocks of {size_in_words(test.block_size)}"
    if _differ(row.read_mix, test.read_mix):
        yield f"{test.read_mix:g} % reads" if test.read_mix else "reads and writes not mixed"
    if _differ(row.iodepth, test.iodepth):
        depth = test.iodepth
        yield "queue depth not stated" if pd.isna(depth) else f"queue depth {depth}"
    if _differ(row.numjobs, test.numjobs):
        yield "one process" if test.numjobs == 1 else f"{test.numjobs} processes"
