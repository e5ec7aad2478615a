"""What a log holds of a card -> its place among the known cards, test by test."""

from __future__ import annotations

import math

import pandas as pd

from sdanalysis import stats
from sdanalysis.my_card.known import on_host
from sdanalysis.my_card.same_test import (
    TEST,
    as_bandwidth,
    kindred,
    printed_at,
    reasons,
    with_tests,
)

ALL_HOSTS = "all hosts"
IMPORTANT = ("randwrite", "randread", "write", "read")  # what decides how a small computer feels
_COLUMNS = [
    *("test", "tool", "op", "block_size", "level", "value", "runs", "basis", "n", "slower"),
    *("faster", "rank", "rank_low", "rank_high", "percentile", "median", "ratio", "band"),
    *("verdict", "band_basis", "assumed", "at"),
]


def card_figures(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row a test: the bandwidths of the medium that a log holds, its runs averaged.

    Parameters
    ----------
    rows : DataFrame
        Columns of `logs.COLUMNS`; all rows are taken as runs of one card on one host.

    Returns
    -------
    DataFrame
        `TEST`, `test` (in words), `value` (B/s, geometric mean), `low` and `high` (least and
        greatest run), `surely` (what the greatest one is at least, by rounding), `runs`,
        `assumed`, `at` (`file:line` of the first run).
    """
    figures = with_tests(as_bandwidth(rows[reasons(rows).isna()]))
    figures = figures.assign(at=printed_at(figures))
    return (
        figures.groupby([*TEST, "test"], dropna=False, sort=False)
        .agg(
            value=("value", stats.geometric_mean),
            low=("value", "min"),
            high=("value", "max"),
            surely=("value_low", "max"),
            runs=("value", "size"),
            assumed=("assumed", "first"),
            at=("at", "first"),
        )
        .reset_index()
    )


def place(
    figures: pd.DataFrame,
    known: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    host: str | None = None,
    reader: str | None = None,
) -> pd.DataFrame:
    """Place each figure of a card among those of the known cards in the same test.

    Parameters
    ----------
    figures : DataFrame
        As `card_figures` returns it.
    known : DataFrame
        As `known_figures` returns it.
    noise : DataFrame
        As `reference.noise` returns it.
    host, reader : str
        Where the card was measured; cards of the same place are taken where there are any.

    Returns
    -------
    DataFrame
        One row a test that a source ran as well, those of the same host and random ones first:
        `test`, `level` (`same tool` or `kindred`, see
        `families`), `value` (B/s) of `runs` runs, `basis` (whose figures), `n` cards, how many
        are `slower` and `faster`, `rank` (1 is the fastest) with the range `rank_low` to
        `rank_high` that run noise leaves, `percentile` (share of the n cards that are slower, in
        %, equal ones half), `median` (B/s), `ratio` to it, `band` (what noise alone may do to
        such a ratio, from `stats.noise_band`), `verdict` (`>`, `<`, or `~` inside the band),
        `band_basis`, `assumed`, `at`.
    """
    related = kindred(figures)
    taken = pd.concat([figures.assign(level="same tool"), related.assign(level="kindred")])
    taken = with_tests(taken.drop(columns="test").assign(assumed=taken["assumed"]))
    taken = taken.assign(assumed=pd.concat([figures, related])["assumed"].to_numpy())
    taken = taken[taken["test"].isin(known["test"])].reset_index(drop=True)
    bands = stats.noise_band(taken[["tool", "op", "block_size"]], noise)
    rows = []
    for figure, band in zip(taken.itertuples(), bands.itertuples(), strict=True):
        basis, others = _others(figure.test, known, host, reader)
        if len(others):
            rows.append(_placed(figure, band, basis, others))
    rows.sort(key=lambda row: (row["basis"] == ALL_HOSTS, _rank_of(row["op"]), row["test"]))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _rank_of(op: str) -> int:
    return IMPORTANT.index(op) if op in IMPORTANT else len(IMPORTANT)


def _others(
    test: str, known: pd.DataFrame, host: str | None, reader: str | None
) -> tuple[str, pd.DataFrame]:
    """Return the known figures of a test, of the host if it has any, and whose they are."""
    same = known[known["test"] == test]
    here = on_host(same, host, reader)
    if host is None or here.empty:
        return ALL_HOSTS, on_host(same, None, None)
    return f"{host}, {reader}", here


def _placed(figure: tuple, band: tuple, basis: str, others: pd.DataFrame) -> dict[str, object]:
    values = others["value"]
    slower, faster = int((values < figure.value).sum()), int((values > figure.value).sum())
    ties, median = len(values) - slower - faster, float(values.median())
    # What a gap to one card may be by noise alone; nothing is known: every gap counts.
    factor = _factor(band, figure.runs)
    ratio = figure.value / median
    surely_faster = int((values > figure.value * factor).sum())
    surely_slower = int((values < figure.value / factor).sum())
    return {
        "test": figure.test,
        "tool": figure.tool,
        "op": figure.op,
        "block_size": figure.block_size,
        "level": figure.level,
        "value": figure.value,
        "runs": figure.runs,
        "basis": basis,
        "n": len(values),
        "slower": slower,
        "faster": faster,
        "rank": faster + 1,
        "rank_low": surely_faster + 1,
        "rank_high": len(values) - surely_slower + 1,
        "percentile": 100 * (slower + ties / 2) / len(values),
        "median": median,
        "ratio": ratio,
        "band": factor if factor > 1 else math.nan,
        "verdict": verdict(ratio, factor),
        "band_basis": band.noise_basis,
        "assumed": figure.assumed,
        "at": figure.at,
    }


def _factor(band: tuple, runs: int) -> float:
    if pd.isna(band.noise_sd):
        return 1.0
    freedom = int(band.noise_freedom)
    return stats.least_detectable_ratio(band.noise_sd, freedom, runs=(int(runs), 1))


def verdict(ratio: float, band: float) -> str:
    """Return `>` or `<` where a ratio lies outside its noise band, and `~` where it does not."""
    if ratio > band:
        return ">"
    return "<" if ratio < 1 / band else "~"


def nearest(
    placed: pd.DataFrame,
    known: pd.DataFrame,
    *,
    host: str | None = None,
    reader: str | None = None,
    count: int = 5,
) -> pd.DataFrame:
    """Return the known cards whose figures lie nearest, over the tests that both have.

    The distance is the root mean square of the logarithms of the ratios. Cards that share less
    than half as many tests as the best covered one are not listed, nor are `kindred` tests used.
    Where any test was placed among cards of the same host, only such tests are used.

    Returns
    -------
    DataFrame
        At most `count` rows: `name`, `specimen`, `medium`, `factor` (what the distance is as a
        ratio: 1.2 is 20 % apart), `tests`, `within_noise` (tests inside the noise band).
    """
    own = placed[placed["level"] == "same tool"]
    here = own["basis"] != ALL_HOSTS
    own = own.loc[here if here.any() else ~here, ["test", "value", "band"]]
    pool = on_host(known, host, reader) if here.any() else on_host(known, None, None)
    both = own.merge(pool, on="test", suffixes=("", "_known"), validate="one_to_many")
    logs = (both["value"] / both["value_known"]).map(math.log)
    inside = logs.abs() <= both["band"].fillna(1).map(math.log)
    both = both.assign(square=logs**2, within_noise=inside)
    cards = (
        both.groupby(["name", "specimen", "medium"])
        .agg(square=("square", "mean"), tests=("test", "size"), within=("within_noise", "sum"))
        .reset_index()
    )
    cards = cards[cards["tests"] * 2 >= cards["tests"].max()] if len(cards) else cards
    cards = cards.assign(
        factor=[math.exp(math.sqrt(one)) for one in cards["square"]], within_noise=cards["within"]
    )
    columns = ["name", "specimen", "medium", "factor", "tests", "within_noise"]
    return cards.sort_values(["factor", "specimen"], ignore_index=True)[columns].head(count)
