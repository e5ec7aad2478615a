"""Reads against writes: the same card under the same conditions, one side each."""

from __future__ import annotations

from functools import partial

import pandas as pd

from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason, usable
from sdanalysis.stats.same_test import READS, columns
from sdanalysis.stats.sides import (
    MARKS,
    RATIO,
    average_repeats,
    pair_sides,
    ratios,
    without_partner,
)

# What a read and its write share; `access` stands for the op, which is the question.
_SAME = columns("laboratory", "card", "place", "quantity", "test", "source", without=("op",))
_KEYS = [*_SAME, "access"]
_ACCESS = {
    **{"read": "sequential", "reread": "sequential, again", "randread": "random"},
    **{"write": "sequential", "rewrite": "sequential, again", "randwrite": "random"},
}
_COLUMNS = {
    **{"value_other": "read", "value_base": "write"},
    **{"runs_other": "read_runs", "runs_base": "write_runs"},
}


def read_write_pairs(
    measurements: pd.DataFrame, *, metric: str = "bandwidth", across_sizes: bool = False
) -> pd.DataFrame:
    """Pair each read with the write of the same card under the same conditions.

    Parameters
    ----------
    metric : str
        `bandwidth` (B/s) or `iops` (1/s).
    across_sizes : bool
        Whether to pair a read with a write of a file of another size, too: the ratio then holds
        the effect of the size as well. To set beside a printed ratio that did so.

    Returns
    -------
    DataFrame
        One row a pair: the conditions that both share, `access` (sequential, random, ... or not
        stated), `read` and `write` (geometric means over `read_runs` and `write_runs` runs),
        `ratio` (read over write), `ratio_low`, `ratio_high` (what rounding and the unit's
        ambiguity allow, no statistics), `kind` (clean or suspicious), `test` and `label` (words),
        `ids` (of the figures) and `warnings`.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> pairs = stats.read_write_pairs(load())
    >>> pairs.loc[[23, 24], ["specimen", "host", "test", "ratio"]].round(2)
                          specimen   host                   test  ratio
    23  geerling/samsung-evo+-32gb  pi-2b  random, 4 KiB, iozone   2.67
    24  geerling/samsung-evo+-32gb  pi-3b  random, 4 KiB, iozone   2.82
    """
    pairs = ratios(_pairs(measurements, metric, across_sizes)).rename(columns=_COLUMNS)
    results = [_COLUMNS.get(name, name) for name in RATIO if name not in ("base", "other")]
    return pairs.sort_values(_KEYS, ignore_index=True)[[*_KEYS, *results, *MARKS]]


def read_write_reasons(measurements: pd.DataFrame, *, metric: str = "bandwidth") -> pd.Series:
    """Return, for each row, the code of why it is in no read/write pair; missing where it is.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> stats.read_write_reasons(load()).value_counts().head(2)
    no_partner    151
    derived        60
    Name: count, dtype: int64
    """
    rules = [(~measurements["op"].isin(_ACCESS), Reason.OTHER_OP)]
    codes = figure_reasons(measurements, metric=metric)
    codes = first_reason(measurements.index, rules, after=codes)
    return without_partner(measurements, codes, partial(_pairs, measurements, metric))


def mixed_ratios(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the read/write ratios of mixed jobs, which their mix forces, beside that mix.

    Returns
    -------
    DataFrame
        One row a job: its conditions, `read` and `write` (1/s), `ratio`, `forced` (`read_mix`
        over the rest), `read_id` and `write_id`.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> stats.mixed_ratios(load())[["specimen", "ratio", "forced"]].head(2).round(2)
                           specimen  ratio  forced
    0    chilina/adata-premier-32gb   3.01     3.0
    1  chilina/sandisk-extreme-32gb   2.99     3.0
    """
    figures = usable(measurements, metric="iops", mixed=True)
    jobs = _sides(figures[figures["read_mix"].notna()])
    keys = [*_SAME, "run"]
    sides = average_repeats(jobs, [*keys, "level", "rank"])  # of one figure each
    pairs = ratios(pair_sides(sides, keys).assign(op="mixed")).rename(columns=_COLUMNS)
    return pairs.assign(
        forced=pairs["read_mix"] / (100 - pairs["read_mix"]),
        read_id=pairs["ids_other"].str[0],
        write_id=pairs["ids_base"].str[0],
    )[[*_SAME, "test", "read", "write", "ratio", "forced", "read_id", "write_id"]]


def _pairs(measurements: pd.DataFrame, metric: str, across_sizes: bool) -> pd.DataFrame:
    sides = average_repeats(
        _sides(usable(measurements, metric=metric)), [*_KEYS, "level", "rank", "file_size"]
    )
    pairs = pair_sides(sides, _KEYS, across_sizes=across_sizes)
    return pairs.assign(op=pairs["access"])


def _sides(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the reads and writes among the figures; the base is the write."""
    figures = figures[figures["op"].isin(_ACCESS)]
    reads = figures["op"].isin(READS)
    return figures.assign(
        access=figures["op"].map(_ACCESS).mask(figures["tool"] == "unstated", "not stated"),
        level=reads.map({True: "read", False: "write"}),
        rank=reads.astype(int),
    )
