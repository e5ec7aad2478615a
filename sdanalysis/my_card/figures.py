"""Rows of logs or of the table -> figures: one a card, host and test, its runs averaged."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.my_card.same_test import TEST, with_tests
from sdanalysis.my_card.setting import Setting
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats

CARD = ["specimen", "measured_by", "medium"]


class Known(NamedTuple):
    """The figures of the known cards: those of each host, and one a card over all hosts.

    Columns: `specimen`, `measured_by`, `medium`, `name` (the card in words), `TEST`, `test` (in
    words), `value` (B/s, geometric mean over `runs`), and of `by_host` `host` and `reader`.
    """

    by_host: pd.DataFrame
    over_hosts: pd.DataFrame

    def on(self, setting: Setting) -> pd.DataFrame:
        """Return the figures of one host and reader; without a host none."""
        rows = self.by_host
        return rows[(rows["host"] == setting.host) & (rows["reader"] == setting.reader)]


def card_figures(bandwidths: pd.DataFrame, limit: float) -> pd.DataFrame:
    """Return one row a test: what the logs of one card on one host hold of it, runs averaged.

    `TEST`, `test` (in words), `value` (B/s, geometric mean over `runs`), `assumed`, `at`
    (`file:line` of the first run), `above_bus`: a run lies above the `limit` of the bus, even at
    the least that rounding allows. The test is lost with it: what the other runs met is not known.
    """
    rows = with_tests(bandwidths)
    least = rows["value_low"].fillna(rows["value"]).clip(upper=rows["value"])
    rows = rows.assign(above_bus=least > limit, id=rows.index, run=None)  # each row is a run
    keys = [*TEST, "test"]
    marks = rows.groupby(keys, dropna=False, sort=False).agg(
        {"assumed": "first", "at": "first", "above_bus": "any"}
    )
    return average_repeats(rows, keys).join(marks.reset_index(drop=True))


def as_bandwidth(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as bandwidths: IOPS times block size where the run prints nothing else.

    IOPS beside a bandwidth of the same run and test are the same figure, whatever their lines.
    """
    keys = columns("repetition", "op", "test", "cache", without=("source",))
    beside = rows.loc[rows["metric"] == "bandwidth", keys].drop_duplicates().assign(beside=True)
    marked = rows.merge(beside, on=keys, how="left", validate="many_to_one")
    iops = marked["metric"] == "iops"
    kept = marked[~iops | marked["beside"].isna()].drop(columns="beside")
    factor = kept["block_size"].astype("Float64").astype(float).where(iops, 1.0)
    scaled = {name: kept[name] * factor for name in ("value", "value_low", "value_high")}
    return kept.assign(metric="bandwidth", **scaled).dropna(subset=["value"])


def known_figures(usable: pd.DataFrame, media: pd.DataFrame) -> Known:
    """Return the figures of the known cards, from rows of the table without a reason."""
    keys = [*CARD, "host", "reader", *TEST, "test"]
    figures = average_repeats(with_tests(usable), keys).sort_values(["specimen", "host", "reader"])
    names = media.assign(name=[card_in_words(row) for row in media.itertuples()])
    figures = figures.merge(names[["specimen", "name"]], on="specimen", validate="many_to_one")
    return Known(figures, over_hosts(figures))


def over_hosts(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of known cards with those of one card on several hosts averaged."""
    hosts = figures.assign(
        id=figures.index,
        run=None,
        remarks=None,
        value_low=figures["low"],
        value_high=figures["high"],
    )
    return average_repeats(hosts, [*CARD, "name", *TEST, "test"])


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
