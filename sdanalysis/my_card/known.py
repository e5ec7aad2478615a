"""The tidy table -> what is known of each card: one row a specimen, host and test."""

from __future__ import annotations

import pandas as pd

from sdanalysis import stats
from sdanalysis.my_card.same_test import TEST, with_tests

CARDS = ("microSD", "SD")
KEYS = ["specimen", "host", "reader", *TEST]


def known_figures(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.DataFrame:
    """Return the primary figures of memory cards, repeated runs of one card averaged.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table; what `left_out` names is not used.
    media : DataFrame
        `dataset.load_media()`.

    Returns
    -------
    DataFrame
        `KEYS`, `test` (in words), `value` (B/s, geometric mean over `runs`), `runs`,
        `measured_by`, `medium`, `name` (the card in words).
    """
    rows = with_tests(measurements[left_out(measurements, media).isna()])
    figures = (
        rows.groupby([*KEYS, "test", "measured_by", "medium"], dropna=False)
        .agg(value=("value", stats.geometric_mean), runs=("value", "size"))
        .reset_index()
    )
    names = media.assign(name=[card_in_words(row) for row in media.itertuples()])
    return figures.merge(names[["specimen", "name"]], on="specimen", validate="many_to_one")


def left_out(measurements: pd.DataFrame, media: pd.DataFrame) -> pd.Series:
    """Return, for each row of the table, why no card is compared with it; missing where one is."""
    forms = media.set_index("specimen")["form"]
    rows = measurements
    sized = rows["block_size"].notna() | rows["tool"].isin(["hdparm", "ddrescue"])
    rules = [
        (rows["origin"] != "primary", "restated or derived: counted where it was measured"),
        (rows["status"] != "measured", "a word or a blank cell"),
        (rows["metric"] != "bandwidth", "IOPS of a run whose bandwidth is counted"),
        (~rows["specimen"].map(forms).isin(CARDS), "not a memory card"),
        (rows["tool"] == "unstated", "the source does not name the tool"),
        (~sized, "the source does not print the block size"),
    ]
    found = pd.Series(pd.NA, index=rows.index, dtype="str")
    for applies, text in rules:
        found = found.mask(found.isna() & applies, text)
    return found


def card_in_words(row: tuple) -> str:
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


def on_host(known: pd.DataFrame, host: str | None, reader: str | None) -> pd.DataFrame:
    """Return the figures of one host and reader; without a host, one a specimen over all."""
    if host is not None:
        return known[(known["host"] == host) & (known["reader"] == reader)]
    keys = [name for name in KEYS if name not in ("host", "reader")]
    return (
        known.groupby([*keys, "test", "measured_by", "medium", "name"], dropna=False)
        .agg(value=("value", stats.geometric_mean), runs=("runs", "max"))
        .reset_index()
    )
