"""The codebook: the columns of a row, their types and units, and the words that they may hold."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column: its pandas type, what it means, its unit, and the words it may hold."""

    dtype: str
    meaning: str
    unit: str = ""
    words: tuple[str, ...] = ()

    def in_words(self) -> str:
        """Return type, meaning and unit."""
        return f"{self.dtype:<8} {self.meaning}{f' [{self.unit}]' if self.unit else ''}"


OPS = (
    *("read", "write", "reread", "rewrite", "randread", "randwrite", "trim", "randtrim", "mixed"),
    *("bkwd_read", "record_rewrite", "stride_read", "fwrite", "frewrite", "fread", "freread"),
    *("pwrite", "repwrite", "pread", "repread", "pwritev", "repwritev", "preadv", "repreadv"),
    *("cached_read", "copy", "read/write"),
    # what a job of fio asked for after its writes (fsync, fdatasync, sync_file_range), whose block
    # size is that of the writes: `randfsync` after random ones
    *("fsync", "randfsync"),
)
METRICS = {"bandwidth": "B/s", "iops": "1/s", "latency": "s"}
METRICS |= {"bandwidth_ratio": "1", "iops_ratio": "1"}
STATS = {
    "single": "what one run reached; of simultaneous processes all together",
    "mean": "the mean of what was timed, or of simultaneous processes",
    "weighted_mean": "a mean whose parts were weighted",
    "max": "the greatest of several: the fastest process, or one job's longest operation",
    "min": "the least of several: the slowest process, or one job's shortest operation",
    "stddev": "the standard deviation of what was timed",
    "parent": "the processes' total by the clock of the process that started them",
    "sample": "one moment of a run",
    "share": "what one of several simultaneous processes reached: part of a sum",
}
# How the operations of one job spread about their mean latency: no results of runs to compare.
SPREADS = ("min", "max", "stddev")
ORIGINS = ("primary", "restated", "derived")
STATUSES = {
    "measured": "a result",
    "did_not_finish": "a published word: the run did not end",
    "not_measured": "no figure in a blank cell, or of a process that did nothing",
    "word": "another published word in the place of a figure",
    "partial": "of a run that ended early: out of space, or a block of the report is missing",
    "interrupted": "of a run that a signal ended",
    "error": "of a job that ended with an error",
    "running": "an interim report of a run that went on",
    "sample": "one sample of a side log",
    "below_resolution": "iozone's 0 microseconds: under one",
}
# Only whole runs stand in the table of the sources; a user's log also tells of broken ones.
TABLE_STATUSES = ("measured", "did_not_finish", "not_measured", "word")
_PUBLISHED = ("did_not_finish", "word")
LOG_STATUSES = {word: meaning for word, meaning in STATUSES.items() if word not in _PUBLISHED}
NOT_FLUSHED = "not-flushed"
REMARKS = {
    "corrected": "a declared correction changed what the figure or its host is",
    "suspicious": "a rule of the audit finds it, which the declaration names; kept as printed",
    "inferred-host": "the host is not stated: concluded from the bus speed and the article",
    "inferred-tool": "the tool is not stated: concluded from the kind and digits of the figures",
    "inferred-op": "not stated by a command: concluded from a heading or the script that was run",
    "inferred-unit": "no unit is printed: read as the tool's own",
    "inferred-block_size": "the block size is not stated: concluded from other figures",
    "unknown-pattern": "the log does not say whether sequential or random",
    "figures-disagree": "figures printed for one run exclude one another",
    NOT_FLUSHED: "dd did not wait for the medium: part of the bytes may be in memory still",
    "summed-jobs": "the sum over simultaneous processes, made here from their shares",
    "added-after-article": "the table got it after its article: the article says nothing of it",
    "flagged-step": "conditions changed, or others worked, while it ran: its session says what",
    "from-script": "a script's summary printed it: the conditions are those of its known commands",
}
# Notes on where a figure comes from: it is as good as any other. What a script rounded away is in
# value_low and value_high, and a condition that its versions do not share is missing.
NO_DOUBTS = ("summed-jobs", "added-after-article", "from-script")

# Types of columns as parquet has them, in pyarrow's words.
ARROW_TYPES = {
    "str": "string", "category": "string", "Int64": "int64", "float64": "double", "boolean": "bool",
}  # fmt: skip

COLUMNS: dict[str, Column] = {
    "id": Column("str", "source/file:line:n, the n-th figure of the line; `explain` takes it"),
    "source": Column("str", "folder below data/raw"),
    "file": Column("str", "raw file in that folder"),
    "line": Column("Int64", "line of the file, from 1"),
    "column": Column("Int64", "character where the figure begins, from 1"),
    "measured_by": Column("str", "who measured: the laboratory, which is a confounder"),
    "origin": Column(
        "str", "primary, restated from somebody else, or derived from other figures", words=ORIGINS
    ),
    "host": Column("str", "computer, as in data/hosts.toml"),
    "reader": Column("str", "what the medium sits in"),
    "system": Column("str", "operating system, where stated"),
    "label": Column("str", "the medium's name as printed"),
    "medium": Column("str", "product, as in data/media.toml"),
    "specimen": Column("str", "one physical medium: the unit of the statistics"),
    "tool": Column("str", "the program that measured, or unstated"),
    "tool_version": Column("str", "its version, where stated"),
    "script": Column(
        "str", "script whose summary printed the figure; missing where the tool itself printed it"
    ),
    "op": Column("str", "operation, in fio's words", words=OPS),
    "metric": Column("str", "what is counted; each metric has one unit", words=tuple(METRICS)),
    "stat": Column("str", "single run, or which summary of several", words=tuple(STATS)),
    "block_size": Column("Int64", "bytes of one operation", "B"),
    "file_size": Column("Int64", "bytes of the file or area", "B"),
    "numjobs": Column("Int64", "simultaneous processes, where stated"),
    "iodepth": Column("Int64", "queue depth, where stated"),
    "read_mix": Column("float64", "share of reads in a mixed job", "%"),
    "direct": Column("boolean", "page cache by-passed (O_DIRECT), where known"),
    "repeat": Column("Int64", "number of the repeated run, from 1"),
    "run": Column("str", "one invocation of the tool: its figures share this id"),
    "raw": Column("str", "the figure or word as printed; missing for a blank cell"),
    "raw_unit": Column("str", "the unit as printed; missing where none is printed"),
    "value": Column(
        "float64", "the figure in base units; missing for a word or a blank", "of metric"
    ),
    "value_low": Column(
        "float64", "least value that rounding and the unit's ambiguity allow", "of metric"
    ),
    "value_high": Column("float64", "greatest such value", "of metric"),
    "status": Column("str", "measured, or why there is no value", words=TABLE_STATUSES),
    "remarks": Column("str", "doubts and notes, separated by blanks", words=tuple(REMARKS)),
}

NO_SIZE = 2**63  # B: more than a machine has, and than a column of whole numbers holds

# The columns that a log fills, in the order of `parse`: who measured what, where, it cannot say.
LOG_COLUMNS = (
    *("file", "line", "column", "tool", "tool_version", "script", "op", "metric", "stat"),
    *("value", "value_low", "value_high", "raw", "raw_unit", "block_size", "file_size"),
    *("numjobs", "iodepth", "read_mix", "direct", "repeat", "run", "status", "remarks"),
)
# The columns without an empty cell.
REQUIRED = (
    *("id", "source", "file", "line", "column", "measured_by", "origin", "host", "reader"),
    *("label", "medium", "specimen", "tool", "op", "metric", "stat", "repeat", "status"),
)
KEY = ("id",)
# Two rows that agree in all of these would be one measurement counted twice: a run is named by
# what was done to which medium, where, by whom, for which time, and by the file that says so.
# `stats.same_test` tells tests apart; this tells whether a declaration read one figure as two.
IDENTITY = (
    *("source", "file", "measured_by", "origin", "specimen", "host", "reader"),
    *("tool", "op", "metric", "stat", "block_size", "file_size", "numjobs", "iodepth", "repeat"),
)


def codebook() -> str:
    """Return the codebook as text: a line a column, its words, the units, stats and remarks."""
    lines = ["CODEBOOK: one row is one printed figure, or the word in its place"]
    for name, column in COLUMNS.items():
        lines.append(f"  {name:<13} {column.in_words()}")
        if column.words and name != "remarks":
            lines.append(f"{'':<25}one of: {', '.join(column.words)}")
    units = ", ".join(f"{metric} {unit}" for metric, unit in METRICS.items())
    lines.append(f"  units of metric: {units}")
    lines += [f"  stat {stat:<22} {meaning}" for stat, meaning in STATS.items()]
    lines += [f"  remark {remark:<20} {meaning}" for remark, meaning in REMARKS.items()]
    return "\n".join(lines)
