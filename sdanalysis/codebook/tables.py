"""What fio tells beside its results: the columns of percentiles, bins and samples."""

from __future__ import annotations

from sdanalysis.codebook.columns import COLUMNS, Column

KINDS = ("slat", "clat", "lat", "bw", "iops")
_JOB = {
    "file": Column("category", "the log"),
    "line": Column("Int64", "line of the file, from 1; missing where it is not known"),
    "job": Column("category", "name of the job"),
    "run": Column("category", "one invocation of fio in its file, as in the measurements"),
    "entry": Column("Int64", "the job or process in its file, from 1: clones share a name"),
    "op": Column("category", "operation, in fio's words", words=COLUMNS["op"].words),
    "kind": Column(
        "category", "slat to the start, clat from it to the end, lat both; missing: not stated",
        words=KINDS,
    ),
}  # fmt: skip
# What tells two runs apart, and whether the run came to its end.
_CONDITIONS = ("block_size", "file_size", "numjobs", "iodepth", "read_mix", "direct")
_STATE = {name: COLUMNS[name] for name in _CONDITIONS} | {
    "tool_version": Column("category", COLUMNS["tool_version"].meaning),
    "status": Column("category", "measured, or why it is no result (running, interrupted ...)"),
}
_PRINTED = {
    "raw": Column("str", "the number as printed"),
    "raw_unit": Column("category", "the unit as printed, or of the name that fio gives the number"),
}

TABLES: dict[str, dict[str, Column]] = {
    "percentiles": {
        **_JOB,
        "percentile": Column("float64", "this share of the operations took no longer", "%"),
        "latency": Column("float64", "the time that they took at most", "s"),
        **_PRINTED,
        **_STATE,
    },
    "bins": {
        **_JOB,
        "latency": Column("float64", "the time that the operations of the bin took, about", "s"),
        "count": Column("Int64", "how many operations took that time"),
        **_STATE,
    },
    "samples": {
        "file": _JOB["file"],
        "line": _JOB["line"],
        "job": Column("Int64", "number of the job in the file's name (`_bw.2.log`), where it is"),
        "op": _JOB["op"]._replace(meaning="read, write or trim: not whether random"),
        "kind": _JOB["kind"]._replace(meaning="which log of the job: the file's name says it"),
        "metric": Column("category", COLUMNS["metric"].meaning, words=COLUMNS["metric"].words),
        "time": Column("float64", "from the beginning of the job to the end of the sample", "s"),
        "value": Column("float64", "in base units; missing where the unit is open", "of metric"),
        "raw": Column("Int64", "the number as printed"),
        "raw_unit": Column(
            "category", "what fio counts in; missing: microseconds up to fio 2, nanoseconds since"
        ),
        "block_size": Column("Int64", "bytes of the operation; missing for averages", "B"),
        "offset": Column("Int64", "where it began, where fio was asked for it", "B"),
        "priority": Column("category", "as printed, where the log has it and says so"),
    },
}
WHAT = ("measurements", *TABLES)
TIME_LINE = ("file", "job", "op", "metric")  # samples that agree in these followed one another
