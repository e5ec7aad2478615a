"""Place a card among the known cards: its rank in each test, its neighbours, its namesakes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.figures import (
    NOT_COMPARED,
    OWN_BLOCK,
    Known,
    Reason,
    as_depth_not_stated,
    as_iozone,
    of_other_size,
    without_place,
)
from sdanalysis.stats.fit import figure_errors
from sdanalysis.stats.hosts import host_limits
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.names import place_names
from sdanalysis.stats.noise import least_detectable_ratio, noise_band
from sdanalysis.stats.products import reference_spreads
from sdanalysis.stats.reasons import HIDDEN
from sdanalysis.stats.same_test import MAIN_TESTS, size_in_words

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

ALL_HOSTS = "all hosts"  # whose figures they are, where the card's own host has none
TOO_FEW = "-"  # the verdict among fewer than `MINIMUM` known cards: there is none
SAME_TOOL, OTHER_TOOL = "same tool", "other tool"  # fio's figures may stand beside iozone's
OTHER_DEPTH = "depth not stated"  # fio's beside those of fio jobs whose queue depth nobody printed
# What decides how a small computer feels comes first.
_IMPORTANT = {"randwrite": 0, "randread": 1, "write": 2, "read": 3}
_BLOCK = 4096
_YOURS = {OTHER_TOOL: " (yours: fio)", OTHER_DEPTH: " (yours: {})"}
_CLASSES_OF = {"write": ("C10", "V30"), "randwrite": ("A1", "A2"), "randread": ("A1", "A2")}
_NEAREST = ["name", "factor", "tests", "within_noise"]


class Place(NamedTuple):
    """A test of a card among the `n` known cards in the same test.

    `level` is `same tool`, or `other tool` or `depth not stated` (see `figures`), `shown_test` the
    test that really ran, `basis` whose figures these are. `rank` 1 is the fastest; run noise leaves
    the places `rank_low` to `rank_high`. `percentile` is the share of slower cards (%, equal ones
    half), `ratio` the ratio to the `median` card, `best` (B/s) the fastest figure. `band` is what
    noise alone may do to such a ratio. `verdict` is `>` or `<` outside of it, else `~`; `-` among
    fewer than three cards.
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


_BUS = ["test", "op", "value", "runs", "cards", "near", "same_host", "free", "at"]
_POINT = ["test", "kind", "name", "value", "note", "ids", "place"]


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where a card stands among the known ones.

    `places` has a row `Place` a test.

    `buses` has a row a test that measures the bus: `value` (B/s) is the card's own figure; `near`
    of `cards` known figures come near the limit of the bus. `same_host`: the known cards sat in the
    card's host. `free`: its own figure is below the limit of its bus, so only the others measure a
    bus.

    `nearest` are the known cards that behave alike, `closest` the one at their head, however far it
    is (see `nearest_cards`). `usual` is what known cards gave in the main tests that the card went
    through in another way, `not_compared` what has no place.

    `points` has a row a mark of the figure: `kind` is `known`, `card`, `minimum` or `limit`,
    `value` in B/s; of a known card `ids` are those of its figures in the table, `place` their
    computers.
    """

    places: pd.DataFrame
    buses: pd.DataFrame
    nearest: pd.DataFrame
    closest: pd.DataFrame
    points: pd.DataFrame
    usual: pd.DataFrame
    not_compared: pd.DataFrame


def place(figures: pd.DataFrame, known: Known, data: Data, setting: Setting) -> Places:
    """Place a card, from its figures, among the known cards."""
    below = figures[~figures["above_bus"]]
    errors = figure_errors(data.measurements)
    ranked = rank_figures(below, known, data.noise, setting, errors)
    buses = _buses(ranked, known, data.hosts, setting)
    places = ranked[~ranked["shown_test"].isin(buses["test"])].reset_index(drop=True)
    near = nearest_cards(places, known, setting)
    placed = ranked.loc[ranked["n"] >= MINIMUM, "op"]
    yardstick, _ = specimen_yardstick(data.specimens)
    rest = figures.drop(index=_of_unstated_depth(below, known, setting).index)
    codes = [Reason.KNOWN_BUS if free else Reason.BUS_MEASURED for free in buses["free"]]
    of_buses = buses.rename(columns={"test": "what", "runs": "figures"}).assign(
        reason=[code.value for code in codes], why=[code.words for code in codes]
    )
    return Places(
        places=places,
        buses=buses,
        nearest=near[near["factor"] <= yardstick],
        closest=near.head(1),
        points=points(places, known, data, setting),
        usual=_usual(below[~below["op"].isin(placed)], known, setting),
        not_compared=pd.concat(
            [of_buses[NOT_COMPARED], without_place(rest, known.over_hosts)], ignore_index=True
        ).astype({"figures": "int64", "reason": "str", "why": "str"}),
    )


def rank_figures(
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
    unstated = _of_unstated_depth(figures, known, setting)
    others = figures.drop(index=unstated.index)
    levels = {SAME_TOOL: others, OTHER_TOOL: as_iozone(others)}
    parts = [
        rows[~of_other_size(rows, known.over_hosts)].assign(level=level)
        for level, rows in levels.items()
    ]
    compared = pd.concat([*parts, unstated.assign(level=OTHER_DEPTH)])
    compared = compared[compared["test"].isin(known.over_hosts["test"])].reset_index(drop=True)
    if compared.empty:
        return pd.DataFrame(columns=list(Place._fields))
    compared = compared.join(noise_band(compared, noise, errors=errors))
    on_host = known.on(setting)
    ranks = [
        _rank(row, *_others(str(row.test), on_host, known.over_hosts))
        for row in compared.itertuples()
    ]
    placed = compared.drop(columns="assumed").join(pd.DataFrame(ranks))
    placed = placed.reindex(columns=list(Place._fields))
    importance = placed["op"].map(_IMPORTANT).fillna(4)
    order = placed.assign(elsewhere=placed["basis"] == ALL_HOSTS, op=importance)
    order = order.sort_values(["elsewhere", "op", "test"], kind="stable")
    return placed.loc[order.index].reset_index(drop=True)


def _of_unstated_depth(figures: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
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
    value, values, median = row.value, others["value"], float(others["value"].median())
    # By which factor the figure and a single run may differ by noise; unknown: by none.
    noise = least_detectable_ratio(row.noise_sd, row.noise_freedom, runs=(row.runs, 1))
    band = 1.0 if math.isnan(noise) else noise
    count, slower, faster = len(values), int((values < value).sum()), int((values > value).sum())
    equal = count - slower - faster
    ratio = value / median
    verdict = ">" if ratio > band else "<" if ratio < 1 / band else "~"
    return {
        "basis": basis,
        "n": count,
        "slower": slower,
        "rank": faster + 1,
        "rank_low": int((values > value * band).sum()) + 1,
        "rank_high": count - int((values < value / band).sum()) + 1,
        "percentile": 100 * (slower + equal / 2) / count,
        "median": median,
        "best": float(values.max()),
        "ratio": ratio,
        "band": band if band > 1 else math.nan,
        "verdict": verdict if count >= MINIMUM else TOO_FEW,
        "assumed": "; ".join(_assumed(row, others["file_size"])) or pd.NA,
    }


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


def _others(test: str, on_host: pd.DataFrame, anywhere: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Return whose the known figures of a test are, of the host if it has any, and the figures."""
    own = on_host[on_host["test"] == test]
    if len(own):
        return f"{own['host'].iat[0]}, {own['reader'].iat[0]}", own
    return ALL_HOSTS, anywhere[anywhere["test"] == test]


def _buses(
    places: pd.DataFrame, known: Known, hosts: pd.DataFrame, setting: Setting
) -> pd.DataFrame:
    """Return the tests of places that measure the bus.

    They do where most of the known cards come near what it can carry, each on its own host. On the
    card's own host the card has to come near it as well. A card that is slower than the bus and the
    other cards was measured itself.
    """
    rows = []
    for row in rows_of(places):
        same_host = row.basis != ALL_HOSTS
        figures = known.on(setting) if same_host else known.by_host
        shares = pd.concat(
            host_limits(of_reader, hosts[hosts["reader"] == reader])  # the bus is the reader's
            for reader, of_reader in figures[figures["test"] == row.test].groupby("reader")
        )
        cards, near = int(shares["cards"].sum()), int(shares["near"].sum())
        free = setting.host is not None and row.value < HIDDEN * setting.limit
        if cards >= MINIMUM and near * 2 > cards and not (same_host and free):
            own = (row.shown_test, row.op, row.value, row.runs)
            rows.append((*own, cards, near, same_host, free, row.at))
    return pd.DataFrame(rows, columns=_BUS)


def nearest_cards(places: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
    """Return the known cards whose figures lie nearest, over the tests that both have.

    At most five rows: `name`, `factor` (root mean square of the logarithms of the ratios, as a
    ratio: 1.2 is 20 % apart), `tests`, `within_noise` (tests inside the noise band). Cards that
    share less than half as many tests as the best covered one are not listed. Places among figures
    of another tool are not used; where any is among cards of the same host, only such are.
    """
    own = places[places["level"] == SAME_TOOL]
    if own.empty:
        return pd.DataFrame(columns=_NEAREST)
    on_host = own["basis"] != ALL_HOSTS
    pool = known.on(setting) if on_host.any() else known.over_hosts
    both = gaps(own[on_host if on_host.any() else ~on_host], pool)
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


def specimen_yardstick(specimens: pd.DataFrame) -> tuple[float, str]:
    """Return by which factor specimens of one model are known to differ, at most, and from what."""
    spreads = reference_spreads(specimens)
    if spreads.empty:
        return 1.0, "no two specimens of one model are known"
    widest = spreads.iloc[spreads["spread"].argmax()]
    source = f"{widest['tool']} {widest['op']}, {widest['cards']} specimens of {widest['model']}"
    return float(widest["spread"]), source


def points(places: pd.DataFrame, known: Known, data: Data, setting: Setting) -> pd.DataFrame:
    """Return what the figure of a card's places draws, as `Places.points`."""
    on_host = known.on(setting)
    printed = known.by_host["ids"]
    single = known.by_host.explode("ids").drop_duplicates("ids").set_index("ids")
    names = place_names(data.hosts).reindex(pd.MultiIndex.from_frame(single[["host", "reader"]]))
    computers = names.set_axis(single.index)
    marks: list[tuple[object, ...]] = []
    for row in rows_of(places):
        test = row.test + _YOURS.get(row.level, "").format(row.shown_test)
        for card in _others(row.test, on_host, known.over_hosts)[1].itertuples():
            # The ids of a figure over all hosts are rows of those of each host.
            rows = ([name] if isinstance(name, str) else printed[name] for name in card.ids)
            ids = tuple(chain.from_iterable(rows))
            where = "; ".join(dict.fromkeys(computers.reindex(list(ids)).dropna())) or None
            marks.append((test, "known", card.name, card.value, None, ids, where))
        elsewhere = ", other hosts" if setting.host and row.basis == ALL_HOSTS else ""
        note = f"place {row.rank} of {row.n + 1}\n(n = {row.n} known cards{elsewhere})"
        lines = [("minimum", *minimum, None) for minimum in _minimums(row, data.classes)]
        if setting.host:
            lines.append(("limit", "bus limit", setting.limit, None))
        lines.append(("card", "your card", row.value, note))
        marks += [(test, *line, (), None) for line in lines]
    return pd.DataFrame(marks, columns=_POINT).astype({"place": "str"})


def _minimums(row: Place, classes: pd.DataFrame) -> list[tuple[str, float]]:
    """Return the minimums of a test; those of random tests are IOPS of 4 KiB.

    U1 and U3 promise what C10 and V30 do, of larger requests than iozone's small ones.
    """
    random = row.op != "write"
    other = row.block_size != _BLOCK if random else row.tool == "iozone" and row.block_size < 2**19
    if row.op not in _CLASSES_OF or other:
        return []
    rows = classes[classes["class"].isin(_CLASSES_OF[row.op]) & classes[row.op].notna()]
    return list(zip(rows["class"], rows[row.op] * (_BLOCK if random else 1), strict=True))


def _usual(figures: pd.DataFrame, known: Known, setting: Setting) -> pd.DataFrame:
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
