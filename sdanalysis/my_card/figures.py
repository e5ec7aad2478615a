"""Rows of logs or of the table -> figures: one a card, host and test, its runs averaged."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdanalysis import stats
from sdanalysis.my_card.same_test import TEST, with_tests
from sdanalysis.my_card.setting import Setting

KEYS = ["specimen", "host", "reader", *TEST]


def card_figures(bandwidths: pd.DataFrame) -> pd.DataFrame:
    """Return one row a test: what the logs of one card on one host hold of it, runs averaged.

    Parameters
    ----------
    bandwidths : DataFrame
        As `as_bandwidth` returns it, of rows without a reason.

    Returns
    -------
    DataFrame
        `TEST`, `test` (in words), `value` (B/s, geometric mean over `runs`), `low` and `high`
        (least and greatest run), `at_least` (what the greatest one is at least, by rounding),
        `assumed`, `at` (`file:line` of the first run).
    """
    return (
        with_tests(bandwidths)
        .groupby([*TEST, "test"], dropna=False, sort=False)
        .agg(
            value=("value", stats.geometric_mean),
            low=("value", "min"),
            high=("value", "max"),
            at_least=("value_low", "max"),
            runs=("value", "size"),
            assumed=("assumed", "first"),
            at=("at", "first"),
        )
        .reset_index()
    )


def as_bandwidth(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as bandwidths: IOPS beside one are left out, others times the block size."""
    run = ["file", "line", "run", "op", "numjobs", "repeat"]
    beside = rows.loc[rows["metric"] == "bandwidth", run].drop_duplicates()
    marked = rows.merge(beside, on=run, how="left", indicator=True, validate="many_to_one")
    marked.index = rows.index
    single = (marked["metric"] == "iops") & (marked["_merge"] == "left_only")
    kept = rows[(rows["metric"] == "bandwidth") | single]
    size = kept["block_size"].astype("Float64").astype(float)
    factor = size.where(kept["metric"] == "iops", 1.0)
    scaled = {name: kept[name] * factor for name in ("value", "value_low", "value_high")}
    return kept.assign(metric="bandwidth", **scaled).dropna(subset=["value"])


def known_figures(usable: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return one row a known card, host and test, repeated runs of one card averaged.

    Parameters
    ----------
    usable : DataFrame
        Rows of the tidy table without a reason.
    media : DataFrame
        As `dataset.load_media` returns it.

    Returns
    -------
    DataFrame
        `KEYS`, `test` (in words), `value` (B/s, geometric mean over `runs`), `runs`,
        `measured_by`, `medium`, `name` (the card in words).
    """
    rows = with_tests(usable)
    figures = (
        rows.groupby([*KEYS, "test", "measured_by", "medium"], dropna=False)
        .agg(value=("value", stats.geometric_mean), runs=("value", "size"))
        .reset_index()
    )
    names = media.assign(name=[card_in_words(row) for row in media.itertuples()])
    return figures.merge(names[["specimen", "name"]], on="specimen", validate="many_to_one")


def card_in_words(row: Any) -> str:
    """Return a card as `Samsung Evo+ 32 GB, DA (geerling)`: maker to vintage, and whose it is."""
    words = [str(row.maker)] if row.maker != "unknown" else ["no-name card"]
    if row.product != "unknown":
        words.append(str(row.product))
    if pd.notna(row.capacity):
        size = f"{row.capacity / 1e9:g} GB" if row.capacity >= 1e9 else f"{row.capacity / 1e6:g} MB"
        words.append(size)
    vintage = f", {row.vintage}" if row.vintage in ("DA", "GA") else ""
    owner = str(row.specimen).partition("/")[0]
    return f"{' '.join(words)}{vintage} ({owner})"


def on_host(known: pd.DataFrame, setting: Setting) -> pd.DataFrame:
    """Return the known figures of one host and reader; without a host none."""
    return known[(known["host"] == setting.host) & (known["reader"] == setting.reader)]


def over_hosts(known: pd.DataFrame) -> pd.DataFrame:
    """Return the known figures with those of one specimen on several hosts averaged."""
    keys = [name for name in KEYS if name not in ("host", "reader")]
    return (
        known.groupby([*keys, "test", "measured_by", "medium", "name"], dropna=False)
        .agg(value=("value", stats.geometric_mean), runs=("runs", "max"))
        .reset_index()
    )
