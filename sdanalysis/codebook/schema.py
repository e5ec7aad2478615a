"""The codebook: columns, types, units, allowed words and keys of the tidy table."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from sdanalysis.errors import SchemaError


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its pandas type, its unit, what it means, and the words it may hold."""

    dtype: str
    meaning: str
    unit: str = ""
    words: tuple[str, ...] = ()
    required: bool = False


OPS = (
    *("read", "write", "reread", "rewrite", "randread", "randwrite", "trim", "randtrim", "mixed"),
    *("bkwd_read", "record_rewrite", "stride_read", "fwrite", "frewrite", "fread", "freread"),
    *("pwrite", "repwrite", "pread", "repread", "pwritev", "repwritev", "preadv", "repreadv"),
    *("cached_read", "copy", "read/write"),
)
METRICS = {
    "bandwidth": "B/s",
    "iops": "1/s",
    "latency": "s",
    "bandwidth_ratio": "1",
    "iops_ratio": "1",
}
STATS = ("single", "mean", "weighted_mean", "max", "min", "parent", "sample")
ORIGINS = ("primary", "restated", "derived")
STATUSES = ("measured", "did_not_finish", "not_measured", "word")
REMARKS = {
    "corrected": "a declared correction changed what the figure or its host is",
    "suspicious": "the audit's rules doubt it; the declaration says why; kept as printed",
    "inferred-host": "the host is not stated: concluded from the bus speed and the article",
    "inferred-tool": "the tool is not stated: concluded from the kind and digits of the figures",
    "inferred-op": "sequential or random is not stated: concluded from the script that was run",
    "inferred-unit": "no unit is printed: read as the tool's own",
    "inferred-block_size": "the block size is not stated: concluded from other figures",
}

COLUMNS: dict[str, Column] = {
    "id": Column(
        dtype="str",
        required=True,
        meaning="source/file:line:n, the n-th figure of the line; `explain` takes it",
    ),
    "source": Column(dtype="str", required=True, meaning="folder below data/raw"),
    "file": Column(dtype="str", required=True, meaning="raw file in that folder"),
    "line": Column(dtype="Int64", required=True, meaning="line of the file, from 1"),
    "column": Column(
        dtype="Int64", required=True, meaning="character where the figure begins, from 1"
    ),
    "measured_by": Column(
        dtype="str", required=True, meaning="who measured: the laboratory, which is a confounder"
    ),
    "origin": Column(
        dtype="str",
        required=True,
        words=ORIGINS,
        meaning="primary, restated from somebody else, or derived from other figures",
    ),
    "host": Column(dtype="str", required=True, meaning="computer, as in data/hosts.toml"),
    "reader": Column(dtype="str", required=True, meaning="what the medium sits in"),
    "system": Column(dtype="str", meaning="operating system, where stated"),
    "label": Column(dtype="str", required=True, meaning="the medium's name as printed"),
    "medium": Column(dtype="str", required=True, meaning="product, as in data/media.toml"),
    "specimen": Column(
        dtype="str", required=True, meaning="one physical medium: the unit of the statistics"
    ),
    "tool": Column(dtype="str", required=True, meaning="the program that measured, or unstated"),
    "tool_version": Column(dtype="str", meaning="its version, where stated"),
    "op": Column(dtype="str", required=True, words=OPS, meaning="operation, in fio's words"),
    "metric": Column(
        dtype="str",
        required=True,
        words=tuple(METRICS),
        meaning="what is counted; each metric has one unit",
    ),
    "stat": Column(
        dtype="str", required=True, words=STATS, meaning="single run, or which summary of several"
    ),
    "block_size": Column(dtype="Int64", unit="B", meaning="bytes of one operation"),
    "file_size": Column(dtype="Int64", unit="B", meaning="bytes of the file or area"),
    "numjobs": Column(dtype="Int64", meaning="simultaneous processes, where stated"),
    "iodepth": Column(dtype="Int64", meaning="queue depth, where stated"),
    "read_mix": Column(dtype="float64", unit="%", meaning="share of reads in a mixed job"),
    "direct": Column(dtype="boolean", meaning="page cache by-passed (O_DIRECT), where known"),
    "repeat": Column(dtype="Int64", required=True, meaning="number of the repeated run, from 1"),
    "run": Column(dtype="str", meaning="one invocation of the tool: its figures share this id"),
    "raw": Column(dtype="str", meaning="the figure or word as printed; missing for a blank cell"),
    "raw_unit": Column(dtype="str", meaning="the unit as printed; missing where none is printed"),
    "value": Column(
        dtype="float64",
        unit="of metric",
        meaning="the figure in base units; missing for a word or a blank",
    ),
    "value_low": Column(
        dtype="float64",
        unit="of metric",
        meaning="least value that rounding and the unit's ambiguity allow",
    ),
    "value_high": Column(dtype="float64", unit="of metric", meaning="greatest such value"),
    "status": Column(
        dtype="str", required=True, words=STATUSES, meaning="measured, or why there is no value"
    ),
    "remarks": Column(
        dtype="str", words=tuple(REMARKS), meaning="doubts and corrections, separated by blanks"
    ),
}

KEY = ("id",)
# Two rows that agree in all of these would be one measurement counted twice.
CONDITIONS = (
    "source",
    "file",
    "measured_by",
    "origin",
    "specimen",
    "host",
    "reader",
    "tool",
    "op",
    "metric",
    "stat",
    "block_size",
    "file_size",
    "numjobs",
    "iodepth",
    "repeat",
)


def codebook() -> str:
    """Return the codebook as text: a line a column, its words, the units and the remarks."""
    lines = ["CODEBOOK: one row is one printed figure, or the word in its place"]
    for name, column in COLUMNS.items():
        unit = f" [{column.unit}]" if column.unit else ""
        lines.append(f"  {name:<13} {column.dtype:<8} {column.meaning}{unit}")
        if column.words and name != "remarks":
            lines.append(f"{'':<25}one of: {', '.join(column.words)}")
    units = ", ".join(f"{metric} {unit}" for metric, unit in METRICS.items())
    lines.append(f"  units of metric: {units}")
    lines += [f"  remark {remark:<20} {meaning}" for remark, meaning in REMARKS.items()]
    return "\n".join(lines)


def conform(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the codebook's columns and types, checked and sorted by place.

    Raises
    ------
    SchemaError
        A column is missing or unknown, a required cell is empty, a word is not allowed, a value
        lies outside its interval, or a key occurs twice. The message names the first row.
    """
    if set(frame.columns) != set(COLUMNS):
        raise SchemaError(
            f"found the columns {sorted(set(frame.columns) ^ set(COLUMNS))} too many "
            "or too few, expected those of the codebook"
        )
    try:
        frame = frame[list(COLUMNS)].astype({name: one.dtype for name, one in COLUMNS.items()})
    except (ValueError, TypeError) as error:
        raise SchemaError(f"found a cell of the wrong kind: {error}") from error
    for name, column in COLUMNS.items():
        _check_column(frame, name, column)
    _check_values(frame)
    for key in (KEY, CONDITIONS):
        _refuse(frame, frame.duplicated(list(key)), f"a second row with the same {', '.join(key)}")
    return frame.sort_values(["source", "file", "line", "column", "id"], ignore_index=True)


def _check_column(frame: pd.DataFrame, name: str, column: Column) -> None:
    cells = frame[name]
    if column.required:
        _refuse(frame, cells.isna(), f"an empty cell in {name}")
    if column.dtype == "str":
        _refuse(frame, cells == "", f"an empty text in {name}, expected a missing cell")
    if column.words:
        words = cells.dropna().str.split(" ").explode() if name == "remarks" else cells.dropna()
        unknown = words[~words.isin(column.words)]
        bad = pd.Series(frame.index.isin(unknown.index), index=frame.index)
        _refuse(
            frame,
            bad,
            f"{sorted(set(unknown))} in {name}, expected some of {', '.join(column.words)}",
        )


def _check_values(frame: pd.DataFrame) -> None:
    value, low, high = frame["value"], frame["value_low"], frame["value_high"]
    measured = frame["status"] == "measured"
    _refuse(
        frame, measured != value.notna(), "a value without the status measured, or none with it"
    )
    _refuse(
        frame,
        value.notna() & ~((low <= value) & (value <= high)),
        "a value outside its own interval",
    )
    _refuse(frame, value <= 0, "a value that is not above zero")


def _refuse(frame: pd.DataFrame, bad: pd.Series, problem: str) -> None:
    if bad.any():
        first = frame.loc[bad.idxmax(), "id"]
        raise SchemaError(f"{first}: found {problem} ({int(bad.sum())} rows in all)")
