"""The two sides of a pair: repeats averaged, sides joined, ratios put beside the run noise."""

from __future__ import annotations

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.noise import least_detectable_ratio, noise_band

CLEAN, SUSPICIOUS, CROSS = "clean", "suspicious", "cross-laboratory"
RESULTS = [
    *("base", "other", "value_base", "value_other", "ratio", "ratio_low", "ratio_high"),
    *("runs_base", "runs_other", "noise_band", "noise_basis", "within_noise"),
    *("kind", "ids", "warnings"),
]
_SIZELESS = ("hdparm", "ddrescue")  # tools that are given no file size


def averaged_sides(figures: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return one row a side: geometric means over its repeats, their ids and remarks."""
    return (
        figures.groupby(keys, dropna=False)
        .agg(
            value=("value", geometric_mean),
            low=("value_low", geometric_mean),
            high=("value_high", geometric_mean),
            runs=("id", "size"),
            ids=("id", " ".join),
            remarks=("remarks", _remarks),
        )
        .reset_index()
    )


def paired_sides(sides: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return all pairs of sides that agree in `keys`; the base is the one of the lower `rank`.

    Sides whose stated file sizes differ are no pair. The columns of both sides that are not
    among the keys end in `_base` and `_other`.
    """
    # Many to many: a card that was tested on three hosts is in three pairs.
    pairs = sides.merge(sides, on=keys, suffixes=("_base", "_other"), validate="many_to_many")
    pairs = pairs[pairs["rank_base"] < pairs["rank_other"]]
    if "file_size_base" in pairs:
        agree = pairs["file_size_base"] == pairs["file_size_other"]
        pairs = pairs[agree.fillna(True).astype(bool)]
    return pairs.reset_index(drop=True)


def compared(pairs: pd.DataFrame, noise: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return pairs of sides with the columns `RESULTS`: ratio, noise band, kind, warnings.

    Parameters
    ----------
    pairs : DataFrame
        As `paired_sides` returns it; `measured_by` and `measured_by_other` name laboratories.
    noise : DataFrame
        As `reference.noise` returns it.
    confidence : float
        Of the noise band, which holds for the runs behind each side.
    """
    bands = _bands(pairs, noise, confidence)
    runs = zip(pairs["runs_base"], pairs["runs_other"], strict=True)
    tests = zip(bands["noise_sd"], bands["noise_freedom"], runs, strict=True)
    widths = [_width(*test, confidence) for test in tests]
    ratio = pairs["value_other"] / pairs["value_base"]
    width = pd.Series(widths, index=pairs.index, dtype="float64")
    inside = ((ratio <= width) & (ratio >= 1 / width)).astype("boolean").mask(width.isna())
    return pairs.assign(
        base=pairs["level_base"],
        other=pairs["level_other"],
        ratio=ratio,
        ratio_low=pairs["low_other"] / pairs["high_base"],
        ratio_high=pairs["high_other"] / pairs["low_base"],
        noise_band=width,
        noise_basis=bands["noise_basis"].astype("str"),
        within_noise=inside,
        kind=pd.Series(map(_kind, pairs.itertuples()), index=pairs.index, dtype="str"),
        ids=(pairs["ids_base"] + " " + pairs["ids_other"]).astype("str"),
        warnings=pd.Series(map(_warnings, pairs.itertuples()), index=pairs.index, dtype="str"),
    )


def _bands(pairs: pd.DataFrame, noise: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return the noise band of each pair, looked up once for each test."""
    tests = pairs[["tool", "op", "block_size"]]
    known = tests.drop_duplicates()
    known = known.join(noise_band(known, noise, confidence=confidence))
    bands = tests.merge(known, on=list(tests), how="left", validate="many_to_one")
    return bands.set_index(pairs.index)


def _width(sd_log: float, freedom: object, runs: tuple[int, int], confidence: float) -> float:
    if pd.isna(sd_log):
        return float("nan")
    return least_detectable_ratio(sd_log, int(freedom), runs=runs, confidence=confidence)


def _remarks(remarks: pd.Series) -> str:
    return " ".join(sorted(set(" ".join(remarks.dropna()).split())))


def _kind(row: tuple) -> str:
    if row.measured_by != row.measured_by_other:
        return CROSS
    return SUSPICIOUS if SUSPICIOUS in f"{row.remarks_base} {row.remarks_other}".split() else CLEAN


def _warnings(row: tuple) -> str | None:
    """Say what is not known to agree, what is a single run, and what was doubted before."""
    warnings = [_size_warning(row), _run_warning(row)]
    remarks = sorted({*row.remarks_base.split(), *row.remarks_other.split()})
    return "; ".join([*filter(None, warnings), *remarks]) or None


def _size_warning(row: tuple) -> str | None:
    if row.tool in _SIZELESS or not hasattr(row, "file_size_base"):
        return None
    stated = [size for size in (row.file_size_base, row.file_size_other) if pd.notna(size)]
    wordings = ("file size not stated", "file size stated on one side only", None)
    return wordings[len(stated)]


def _run_warning(row: tuple) -> str | None:
    return "single run" if min(row.runs_base, row.runs_other) == 1 else None
