"""Figures of a card -> their places among the known cards, or why they have none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.my_card.closest import closest_test
from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.figures import (
    NOT_COMPARED,
    OWN_BLOCK,
    Known,
    Reason,
    as_depth_not_stated,
    as_iozone,
    asks_as_iozone,
)
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.noise import least_detectable_ratio, noise_band
from sdanalysis.stats.same_test import DEPTH_NOT_STATED, MAIN_TESTS, size_in_words

ALL_HOSTS = "all hosts"  # whose figures they are, where the card's own host has none
TOO_FEW = "-"  # the verdict among fewer than `MINIMUM` known cards: there is none
SAME_TOOL, OTHER_TOOL = "same tool", "other tool"  # fio's figures may stand beside iozone's
OTHER_DEPTH = "depth not stated"  # fio's beside those of fio jobs whose queue depth nobody printed
# What decides how a small computer feels comes first.
_IMPORTANT = {"randwrite": 0, "randread": 1, "write": 2, "read": 3}
_BLOCK = 4096
_YOURS = {OTHER_TOOL: " (yours: fio)", OTHER_DEPTH: " (yours: {})"}
_SHOWN = {"write": ("C10", "V30"), "randwrite": ("A1", "A2"), "randread": ("A1", "A2")}
_NEAREST = ["name", "factor", "tests", "within_noise"]
_UNKNOWN_MIX = (
    "; beside jobs whose queue depth is not stated it could be placed, but the log does not say "
    "whether one job read and wrote: fio --output-format=json prints it"
)
_UNKNOWN_CACHE = (
    "; with direct=1 it could be placed beside iozone's figures, but the log does not say whether "
    "the page cache was by-passed: fio --output-format=json prints it"
)


class Place(NamedTuple):
    """A test of a card among the `n` known cards in the same test.

    `level` is `same tool`, or `other tool` or `depth not stated` (see `figures`), `shown_test` the
    test that really ran, `basis` whose figures these are.
    `rank` 1 is the fastest; run noise leaves the places `rank_low` to `rank_high`. `percentile` is
    the share of the cards that are slower (%, equal ones half), `ratio` that to the `median` card,
    `best` (B/s) the figure of the fastest one,
    `band` what noise alone may do to such a ratio, `verdict` `>` or `<` outside of it, else `~`,
    and `-` among fewer than three cards.
    """

    test: str
    tool: str
    op: str
    block_size: int
    level: str
    value: float
    runs: int
    basis: str
    n: int
    slower: int
    rank: int
    rank_low: int
    rank_high: int
    percentile: float
    median: float
    best: float
    ratio: float
    band: float
    verdict: str
    noise_basis: str
    assumed: str | None
    at: str
    shown_test: str


class Point(NamedTuple):
    """A mark of the figure: `kind` is `known`, `card`, `minimum` or `limit`, `value` in B/s."""

    test: str
    kind: str
    name: str
    value: float
    note: str | None = None
    ids: tuple[str | int, ...] = ()  # of a known card, as `Known` has them


def place(
    figures: pd.DataFrame,
    known: Known,
    noise: pd.DataFrame,
    setting: Setting,
    errors: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Place each figure of a card among those of the known cards in the same test.

    Cards of the same host and reader are taken where there are any. One row `Place` a test that a
    source ran as well, those of the same host and random ones first. `errors` are the model's: they
    stand before the repeats (`stats.figure_errors`).
    """
    figures = figures.assign(shown_test=figures["test"])
    beside = beside_depth(figures, known, setting)
    others = figures.drop(index=beside.index)
    levels = {SAME_TOOL: others, OTHER_TOOL: as_iozone(others)}
    parts = [
        rows[~of_other_size(rows, known.over_hosts)].assign(level=level)
        for level, rows in levels.items()
    ]
    taken = pd.concat([*parts, beside.assign(level=OTHER_DEPTH)])
    taken = taken[taken["test"].isin(known.over_hosts["test"])].reset_index(drop=True)
    if taken.empty:
        return pd.DataFrame(columns=list(Place._fields))
    taken = taken.join(noise_band(taken, noise, errors=errors))
    here = known.on(setting)
    ranks = [
        _rank(row, *_others(str(row.test), here, known.over_hosts)) for row in taken.itertuples()
    ]
    placed = taken.drop(columns="assumed").join(pd.DataFrame(ranks))
    placed = placed.reindex(columns=list(Place._fields))
    importance = placed["op"].map(_IMPORTANT).fillna(4)
    order = placed.assign(elsewhere=placed["basis"] == ALL_HOSTS, op=importance)
    order = order.sort_values(["elsewhere", "op", "test"], kind="stable")
    return placed.loc[order.index].reset_index(drop=True)


def beside_depth(figures: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
    """Return the figures that stand beside jobs on their host whose depth is not stated, so named.

    Those whose own test a source ran are not among them.
    """
    rows = figures[~figures["test"].isin(known.over_hosts["test"])]
    rows = as_depth_not_stated(rows)
    return rows[rows["test"].isin(known.on(setting)["test"])]


def rows_of(places: pd.DataFrame) -> list[Place]:
    """Return the rows of `Card.places` by the names that their type has."""
    return list(map(Place._make, zip(*(places[name] for name in Place._fields), strict=True)))


def _rank(row: Any, basis: str, others: pd.DataFrame) -> dict[str, object]:
    """Return what the `Place` of a figure has of the others in its test."""
    value, values, median = row.value, others["value"], float(others["value"].median())
    # By which factor the figure and a single run may differ by noise; unknown: by none.
    noise = least_detectable_ratio(row.noise_sd, row.noise_freedom, runs=(row.runs, 1))
    band = 1.0 if math.isnan(noise) else noise
    count, slower, ranks = len(values), (values < value).sum(), rank_among(value, values, band)
    equal = count - slower - (ranks["rank"] - 1)
    ratio = value / median
    return {
        "basis": basis,
        "n": count,
        "slower": slower,
        **ranks,
        "percentile": 100 * (slower + equal / 2) / count,
        "median": median,
        "best": float(values.max()),
        "ratio": ratio,
        "band": band if band > 1 else math.nan,
        "verdict": _verdict(ratio, band) if count >= MINIMUM else TOO_FEW,
        "assumed": "; ".join(_assumed(row, others["file_size"])) or pd.NA,
    }


def _verdict(ratio: float, band: float) -> str:
    return ">" if ratio > band else "<" if ratio < 1 / band else "~"


def _assumed(row: Any, sizes: pd.Series) -> Iterator[str]:
    """Yield on what custom a place rests, and that files were of another or of no stated size."""
    if pd.notna(row.assumed):
        yield row.assumed
    counts = sizes.value_counts()
    others = [
        f"{size_in_words(size)} for {number} of the known cards"
        for size, number in counts.items()
        if pd.isna(row.file_size) or size != row.file_size
    ]
    if silent := int(sizes.isna().sum()):
        others.append(f"not stated for {silent} of them")
    if others and row.tool not in OWN_BLOCK:
        own = size_in_words(row.file_size) if pd.notna(row.file_size) else "not printed"
        yield f"that the file size makes no difference ({', '.join([f'{own} here', *others])})"


def _others(test: str, here: pd.DataFrame, anywhere: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return whose the known figures of a test are, of the host if it has any, and the figures."""
    own = here[here["test"] == test]
    if len(own):
        return f"{own['host'].iat[0]}, {own['reader'].iat[0]}", own
    return ALL_HOSTS, anywhere[anywhere["test"] == test]


def of_other_size(figures: pd.DataFrame, known: pd.DataFrame) -> pd.Series:
    """Tell which figures of the sources' tests have none of their file sizes, beside other sizes.

    Two stated sizes are two tests. Of a log with one size of a test that is said at its place: to
    leave out the cards with another would leave just those of which no size is known. Where a log
    has several sizes, all but the sources' own would be the same place many times over.
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
    cache = (asks_as_iozone(rest) & rest["assumed"].notna()).map({True: _UNKNOWN_CACHE, False: ""})
    mix = rest["mixed"].map({True: _UNKNOWN_MIX, False: ""})
    whys = map(partial(_why_other, known), rest.itertuples(), cache, mix)
    entries = [
        figures[above].assign(reason=Reason.BUS_LIMITED.value, why=Reason.BUS_LIMITED.words),
        below[other_size].assign(reason=Reason.OTHER_SIZE.value, why=Reason.OTHER_SIZE.words),
        rest.assign(reason=Reason.OTHER_TEST.value, why=list(whys)),
    ]
    found = pd.concat(entries).rename(columns={"test": "what"})
    found = found.groupby(["what", "reason", "why"], sort=False).agg({"runs": "sum", "at": "first"})
    return found.reset_index().rename(columns={"runs": "figures"})[NOT_COMPARED]


def _why_other(known: pd.DataFrame, row: Any, cache: str, mix: str) -> str:
    closest = closest_test(row, known)
    if closest is None:
        return f"no source measured memory cards so ({row.tool}, {row.op})"
    fio = known[(known["tool"] == row.tool) & (known["op"] == row.op)]["test"]
    beside = mix if fio.str.contains(DEPTH_NOT_STATED, regex=False).any() else ""
    return f"{Reason.OTHER_TEST.words}; the nearest test is {closest}{cache}{beside}"


def nearest(places: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
    """Return the known cards whose figures lie nearest, over the tests that both have.

    At most five rows: `name`, `factor` (root mean square of the logarithms of the ratios, as a
    ratio: 1.2 is 20 % apart), `tests`, `within_noise` (tests inside the noise band). Cards that
    share less than half as many tests as the best covered one are not listed. Places among figures
    of another tool are not used; where any is among cards of the same host, only such are.
    """
    own = places[places["level"] == SAME_TOOL]
    if own.empty:
        return pd.DataFrame(columns=_NEAREST)
    here = own["basis"] != ALL_HOSTS
    pool = known.on(setting) if here.any() else known.over_hosts
    both = gaps(own[here if here.any() else ~here], pool)
    both = both.assign(square=both["gap"] ** 2, within=both["gap"] <= both["band"].map(math.log))
    cards = (
        both.groupby(["name", "specimen", "medium"])
        .agg(square=("square", "mean"), tests=("test", "size"), within_noise=("within", "sum"))
        .reset_index()
    )
    cards = cards[cards["tests"] * 2 >= cards["tests"].max()]
    cards = cards.assign(factor=np.exp(np.sqrt(cards["square"].astype("float64"))))
    cards = cards.sort_values(["factor", "specimen"], ignore_index=True).head(5)
    return cards[_NEAREST]


def gaps(places: pd.DataFrame, pool: pd.DataFrame) -> pd.DataFrame:
    """Return known figures beside the places in their tests: `gap` (of logarithms), `band`."""
    own = places[["test", "value", "band"]]
    # Many to many: sources may state two file sizes of a test, and a log have both.
    both = own.merge(pool, on="test", suffixes=("", "_known"), validate="many_to_many")
    gap = (both["value"] / both["value_known"]).map(math.log).abs()
    return both.assign(gap=gap, band=both["band"].fillna(1.0))


def points(
    places: pd.DataFrame, known: Known, classes: pd.DataFrame, setting: Setting
) -> pd.DataFrame:
    """Return what the figure of a card's places draws, one row `Point` a mark."""
    here = known.on(setting)
    marks = [
        mark
        for row in rows_of(places)
        for mark in _marks(row, _others(row.test, here, known.over_hosts)[1], classes, setting)
    ]
    return pd.DataFrame(marks, columns=list(Point._fields))


def _marks(
    row: Place, others: pd.DataFrame, classes: pd.DataFrame, setting: Setting
) -> Iterator[Point]:
    test = row.test + _YOURS.get(row.level, "").format(row.shown_test)
    for name, value, ids in zip(others["name"], others["value"], others["ids"], strict=True):
        yield Point(test, "known", name, value, ids=ids)
    for name, value in _minimums(row, classes):
        yield Point(test, "minimum", name, value)
    if setting.host:
        yield Point(test, "limit", "bus limit", setting.limit)
    elsewhere = setting.host and row.basis == ALL_HOSTS
    whose = "known cards, other hosts" if elsewhere else "known cards"
    note = f"place {row.rank} of {row.n + 1}\n(n = {row.n} {whose})"
    yield Point(test, "card", "your card", row.value, note)


def _minimums(row: Place, classes: pd.DataFrame) -> list[tuple[str, float]]:
    """Return the minimums of a test; those of random tests are IOPS of 4 KiB.

    U1 and U3 promise what C10 and V30 do, of larger requests than iozone's small ones.
    """
    random = row.op != "write"
    other = row.block_size != _BLOCK if random else row.tool == "iozone" and row.block_size < 2**19
    if row.op not in _SHOWN or other:
        return []
    rows = classes[classes["class"].isin(_SHOWN[row.op]) & classes[row.op].notna()]
    return list(zip(rows["class"], rows[row.op] * (_BLOCK if random else 1), strict=True))


def usual(figures: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
    """Return what known cards gave in the main tests whose op the figures have.

    One row an op: `op`, `tool`, `n` cards, `low`, `high` (B/s), `where` they were measured: on the
    setting's host where there are any.
    """
    rows = []
    for op, test in MAIN_TESTS.items():
        pools = {"there": known.on(setting), "on all boards": known.over_hosts}
        for where, pool in pools.items():
            same = pool[(pool["op"] == op) & (pool["tool"] == test.tool)]
            same = same[(same["block_size"] == test.block_size) | (test.block_size is None)]
            if len(same) >= MINIMUM and op in set(figures["op"]):
                values, cards = same["value"], same["specimen"].nunique()
                rows.append((op, test.tool, cards, values.min(), values.max(), where))
                break
    return pd.DataFrame(rows, columns=["op", "tool", "n", "low", "high", "where"])


def rank_among(value: float, others: pd.Series, band: float) -> dict[str, int]:
    """Return the rank of a figure among others, 1 the fastest, and those that noise leaves open.

    `band` is the factor by which two of the figures may differ by noise alone.

    Examples
    --------
    >>> rank_among(3.0, pd.Series([5.0, 3.5, 2.9, 1.0]), band=1.5)
    {'rank': 3, 'rank_low': 2, 'rank_high': 4}
    """
    return {
        "rank": int((others > value).sum()) + 1,
        "rank_low": int((others > value * band).sum()) + 1,
        "rank_high": len(others) - int((others < value / band).sum()) + 1,
    }
