"""Which figures make a pair: the same card under the same conditions, one side each."""

from __future__ import annotations

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.reasons import first_reason

# What a read and its write must share. The system is not among them: it is one laboratory's.
MATCH = [
    "measured_by",
    "specimen",
    "medium",
    "host",
    "reader",
    "tool",
    "block_size",
    "numjobs",
    "iodepth",
]
ACCESS = {
    "read": "sequential",
    "write": "sequential",
    "reread": "sequential, again",
    "rewrite": "sequential, again",
    "randread": "random",
    "randwrite": "random",
}
_RESULTS = [
    *("read", "write", "read_runs", "write_runs"),
    *("ratio", "ratio_low", "ratio_high", "warnings"),
]
READS = ("read", "reread", "randread")


def exclusion_reasons(measurements: pd.DataFrame, *, metric: str = "bandwidth") -> pd.Series:
    """Return, for each row, why it is in no read/write pair; missing where it is.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table.
    metric : str
        `bandwidth` or `iops`; the other metric of the same run is the same measurement.

    Returns
    -------
    Series of str
        Aligned with `measurements`. The reasons are exclusive, the first that applies counts.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> reasons = stats.exclusion_reasons(sdanalysis.load())
    >>> int(reasons.isna().sum())
    312
    >>> reasons.value_counts().head(2)
    no partner of the same tool, block size and process count    151
    a printed summary of other figures                            60
    Name: count, dtype: int64
    """
    rows = measurements
    reasons = figure_reasons(rows, metric=metric)
    neither = ~rows["op"].isin(list(ACCESS))
    reasons = reasons.mask(reasons.isna() & neither, "neither a read nor a write of the medium")
    sides = _sides(rows[reasons.isna()])
    complete = sides.groupby([*MATCH, "access"], dropna=False)["side"].transform("nunique") == 2
    lonely = sides.index[~complete]
    reasons.loc[lonely] = "no partner of the same tool, block size and process count"
    return reasons


def figure_reasons(measurements: pd.DataFrame, *, metric: str) -> pd.Series:
    """Return, for each row, why it enters no comparison whatever; missing where it may."""
    rows = measurements
    rules = [
        (rows["metric"].str.endswith("_ratio"), "a printed ratio, not a measurement"),
        (rows["origin"] == "derived", "a printed summary of other figures"),
        (rows["origin"] == "restated", "restated: counted where it was measured"),
        (rows["read_mix"].notna(), "mixed job: the ratio is forced by its mix"),
        (rows["metric"] != metric, f"the same run in another metric than {metric}"),
        (rows["status"] != "measured", "no value: a word or a blank cell"),
    ]
    return first_reason(rows.index, rules)


def exclusions(measurements: pd.DataFrame, *, metric: str = "bandwidth") -> pd.DataFrame:
    """Return how many figures went into pairs and how many were left out, for which reason.

    Returns
    -------
    DataFrame
        Columns reason, figures, example (an id); the figures add up to `len(measurements)`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> stats.exclusions(sdanalysis.load())[["figures", "reason"]].head(3)
       figures                                             reason
    0      312                                        (in a pair)
    1      151  no partner of the same tool, block size and pr...
    2       60                 a printed summary of other figures
    """
    return count_reasons(measurements, exclusion_reasons(measurements, metric=metric))


def count_reasons(measurements: pd.DataFrame, reasons: pd.Series) -> pd.DataFrame:
    """Return how many figures each reason leaves out, and how many are in a pair."""
    return (
        measurements.assign(reason=reasons.fillna("(in a pair)"))
        .groupby("reason")
        .agg(figures=("id", "size"), example=("id", "first"))
        .sort_values("figures", ascending=False, kind="stable")
        .reset_index()
    )


def read_write_pairs(measurements: pd.DataFrame, *, metric: str = "bandwidth") -> pd.DataFrame:
    """Pair each read with the write of the same card under the same conditions.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table; what `exclusion_reasons` names is left out.
    metric : str
        `bandwidth` (B/s) or `iops` (1/s).

    Returns
    -------
    DataFrame
        One row a pair: the columns of `MATCH`, `source`, `access` (sequential, random, ... or
        not stated), `read` and `write` (geometric means over `read_runs` and `write_runs`
        repeats), `ratio` (read over write), `ratio_low`, `ratio_high` (what rounding and the
        unit's ambiguity allow, no statistics), `warnings`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> pairs = stats.read_write_pairs(sdanalysis.load())
    >>> one = pairs["specimen"] == "geerling/samsung-evo+-32gb"
    >>> pairs.loc[one, ["host", "tool", "block_size", "ratio"]].round(2)
               host    tool  block_size  ratio
    23        pi-2b  iozone        4096   2.67
    24        pi-3b  iozone        4096   2.82
    25  pi-3b-sd100  iozone        4096   3.25
    26        pi-4b  iozone        4096   2.81
    """
    keys = [*MATCH, "source", "access"]
    sides = _sides(measurements[exclusion_reasons(measurements, metric=metric).isna()])
    values = _averaged(sides, [*keys, "side"])
    reads = values[values["side"] == "read"].drop(columns="side")
    writes = values[values["side"] == "write"].drop(columns="side")
    pairs = reads.merge(writes, on=keys, suffixes=("_read", "_write"), validate="one_to_one")
    pairs = pairs.assign(
        read=pairs["value_read"],
        write=pairs["value_write"],
        read_runs=pairs["runs_read"],
        write_runs=pairs["runs_write"],
        ratio=pairs["value_read"] / pairs["value_write"],
        ratio_low=pairs["low_read"] / pairs["high_write"],
        ratio_high=pairs["high_read"] / pairs["low_write"],
        warnings=[_warnings(row) for row in pairs.itertuples()],
    )
    return pairs[[*keys, *_RESULTS]].sort_values([*MATCH, "access"], ignore_index=True)


def _averaged(sides: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return one row a side: geometric means over its repeated runs, and what was said of them."""
    return (
        sides.groupby(keys, dropna=False)
        .agg(
            value=("value", geometric_mean),
            low=("value_low", geometric_mean),
            high=("value_high", geometric_mean),
            runs=("id", "size"),
            size=("file_size", "first"),
            remarks=("remarks", _remarks),
        )
        .reset_index()
    )


def mixed_ratios(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the read/write ratios of mixed jobs, which their mix forces, beside that mix.

    Returns
    -------
    DataFrame
        One row a job: the columns of `MATCH`, `read` and `write` (1/s), `ratio`, `forced`
        (`read_mix` over the rest), `read_id` and `write_id`.

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> jobs = stats.mixed_ratios(sdanalysis.load())
    >>> jobs[["specimen", "ratio", "forced"]].head(3).round(2)
                           specimen  ratio  forced
    0    chilina/adata-premier-32gb   3.01     3.0
    1  chilina/sandisk-extreme-32gb   2.99     3.0
    2    chilina/sandisk-ultra-32gb   2.94     3.0
    """
    jobs = measurements[
        measurements["read_mix"].notna()
        & (measurements["metric"] == "iops")
        & (measurements["status"] == "measured")
    ]
    sides = _sides(jobs)
    keys = [*MATCH, "run", "read_mix"]
    reads = sides.loc[sides["side"] == "read", [*keys, "value", "id"]]
    writes = sides.loc[sides["side"] == "write", [*keys, "value", "id"]]
    pairs = reads.rename(columns={"value": "read", "id": "read_id"}).merge(
        writes.rename(columns={"value": "write", "id": "write_id"}),
        on=keys,
        validate="one_to_one",
    )
    return pairs.assign(
        ratio=pairs["read"] / pairs["write"],
        forced=pairs["read_mix"] / (100 - pairs["read_mix"]),
    ).drop(columns=["run", "read_mix"])


def _sides(rows: pd.DataFrame) -> pd.DataFrame:
    access = rows["op"].map(ACCESS).mask(rows["tool"] == "unstated", "not stated")
    side = rows["op"].isin(READS).map({True: "read", False: "write"})
    return rows.assign(access=access, side=side)


def _remarks(remarks: pd.Series) -> str:
    return " ".join(sorted(set(" ".join(remarks.dropna()).split())))


def _warnings(row: tuple) -> str | None:
    """Say what differs between the sides of a pair, and what was doubted before."""
    warnings = []
    if pd.notna(row.size_read) and pd.notna(row.size_write) and row.size_read != row.size_write:
        warnings.append(f"file sizes differ: {row.size_read} B read, {row.size_write} B written")
    if min(row.runs_read, row.runs_write) == 1:
        warnings.append("single run")
    remarks = sorted({*row.remarks_read.split(), *row.remarks_write.split()})
    return "; ".join([*warnings, *remarks]) or None
