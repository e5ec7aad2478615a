"""A user's logs -> the tables of what fio tells beside its results: percentiles, bins, samples.

A reader takes a path (or `-`) and returns a frame with the columns of `codebook.tables`, and what
was not read.
"""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.codebook.tables import TABLES
from sdanalysis.codebook.units import LIMITS, unit_of
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import GZIP, MOST_BYTES, read_bytes, too_much, unpacked
from sdanalysis.logs.read import no_benchmark, parse_log, unread
from sdanalysis.parsers import fio
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.parsers.fio import side_logs
from sdanalysis.parsers.fio.job import SUMMED, Job
from sdanalysis.parsers.fio.options import DIRECTIONS
from sdanalysis.paths import STANDARD_INPUT, LeftOut, printable

PROBLEM_COLUMNS = {"file": "str", "line": "Int64", "kind": "str", "text": "str"}
Found = tuple[pd.DataFrame, list[Problem]]
_AT_ONCE = 50_000  # rows of a table that become objects together
_CONDITIONS = ("block_size", "file_size", "numjobs", "iodepth", "read_mix", "direct",
               "tool_version", "status")  # fmt: skip
_OF_FSYNC = "percentiles of fsync, of which only mean, min, max and stddev are read: left out"
_BITS, _GROUP = 6, 64  # of numbered bins (FIO_IO_U_PLAT_BITS and _VAL, stat.h 2.16)
_NOT_COUNTED = "of a report whose figures are not counted (a repeat, or no result): left out"


def empty(what: str) -> pd.DataFrame:
    """Return the table without rows, its columns typed."""
    return typed(what, pd.DataFrame({name: [] for name in TABLES[what]}, dtype=object))


def typed(what: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a table in their order and types."""
    types = {name: column.dtype for name, column in TABLES[what].items()}
    wrong = {name: dtype for name, dtype in types.items() if frame[name].dtype != dtype}
    return frame[list(types)].astype(wrong)


def together(what: str, frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of one table as one; their categories are united, not spelled out."""
    parts = [frame for frame in frames if len(frame)]
    if len(parts) < 2:
        return parts[0] if parts else empty(what)
    columns: dict[str, Any] = {}
    for name, column in TABLES[what].items():
        cells = [part[name] for part in parts]
        if column.dtype == "category":
            words = [cell.cat.set_categories(cell.cat.categories.astype("str")) for cell in cells]
            columns[name] = union_categoricals(words)  # without any cell they have another type
        else:
            columns[name] = pd.concat(cells, ignore_index=True)
    return typed(what, pd.DataFrame(columns))


def problem_rows(problems: Iterable[tuple[str, Problem]]) -> pd.DataFrame:
    """Return problems that come with their path as a frame of `PROBLEM_COLUMNS`."""
    cells = [(printable(path), found.line, found.kind, found.text) for path, found in problems]
    return pd.DataFrame(cells, columns=[*PROBLEM_COLUMNS]).astype(PROBLEM_COLUMNS)


def _missing(path: str, content: bytes, text: str) -> Problem:
    """Say that a log gave no rows: a note where it is one that `parse` reads without an error."""
    if any(problem.kind == "error" for problem in parse_log(path, content).problems):
        return no_benchmark(path, text)
    return Problem(1, text, "note")


class _Report:
    """The jobs of a log that fio's readers found, and the cells that the tables share."""

    def __init__(self, path: str, most: int) -> None:
        """Read a log; of JSON alone, which may have millions of lines, none is cut out."""
        self.path = path
        self.content = unpacked(read_bytes(path, most), most)
        text = decode(self.content)
        self.capture = Capture(text).without_prefix()
        is_side_log = not text or (text[:1].isdigit() and side_logs.is_side_log(self.capture))
        jobs, problems = ([], []) if is_side_log else fio.read(self.capture, more=True)
        self.problems = problems + [problem for job in jobs for problem in job.problems]
        self.jobs: list[Job] = jobs

    def entries(self) -> Iterator[tuple[int, Job, str, Measurement | None]]:
        """Yield each direction of each job with its number, and a figure of it that counts."""
        numbers: dict[str, int] = {}
        for job in self.jobs:
            is_text = job.view == "report for people"  # which prints each direction as a block
            rows = [] if job.is_repeat else [row for row in job.rows() if SUMMED not in row.remarks]
            numbers[job.view] = numbers.get(job.view, 0) + (not is_text)
            for direction in dict.fromkeys([*job.runtimes, *[row[0] for row in job.percentiles]]):
                numbers[job.view] += is_text
                of = (row for row in rows if direction and row.op.endswith(direction))
                yield numbers[job.view], job, direction, next(of, None)

    def nothing(self, what: str) -> list[Problem]:
        """Say why a log gave no row: a note on a benchmark's, an error on another."""
        if any(problem.kind == "error" for problem in self.problems):
            return self.problems
        hint = " (only --output-format=json+ prints them)" if what == "bins" else ""
        found = f"found no {what} of fio in it{hint}" if self.content else "found an empty file"
        return [*self.problems, _missing(self.path, self.content, f"{found}: no rows")]

    def head(self, line: int | None, entry: int, kind: str | None, figure: Any) -> dict:
        """Return the cells that percentiles and bins share."""
        return {
            "file": printable(self.path), "line": line, "job": figure.name or None,
            "run": figure.run, "entry": entry, "op": figure.op, "kind": kind,
            **{name: getattr(figure, name) for name in _CONDITIONS},
        }  # fmt: skip


def read_percentiles(path: str, most: int = MOST_BYTES) -> Found:
    """Return the percentiles of a log's reports by fio, whatever their format."""
    report, rows = _Report(path, most), list[dict[str, object]]()
    problems = report.problems
    for entry, job, direction, figure in report.entries():
        own = [row for row in job.percentiles if row[0] == direction]
        if own and (direction == "fsync" or figure is None):
            what = _OF_FSYNC if direction == "fsync" else f"percentiles {_NOT_COUNTED}"
            problems.append(Problem(own[0][-1] or job.line, f"found {what}", "note"))
            continue
        for _, kind, share, raw, unit, line in own:
            latency = unit_of("fio", unit).of(int(raw))
            if latency > LIMITS["latency"]:
                text = f"found {raw} {unit} for a percentile, expected what a device reaches"
                problems.append(Problem(line or job.line, text))
                continue
            printed = {"percentile": share, "latency": latency, "raw": raw, "raw_unit": unit}
            rows.append(report.head(line, entry, kind, figure) | printed)
    if not rows:
        return empty("percentiles"), report.nothing("percentiles")
    return typed("percentiles", pd.DataFrame(rows)), problems


def read_bins(path: str, most: int = MOST_BYTES) -> Found:
    """Return the latency histograms of a log's JSON+: one row a bin that is not empty."""
    report, heads = _Report(path, most), list[dict[str, object]]()
    times, counts = list[np.ndarray](), list[np.ndarray]()
    for entry, job, direction, figure in report.entries():
        for _, kind, unit, printed in [row for row in job.bins if row[0] == direction]:
            if figure is None:
                report.problems.append(Problem(job.line, f"found bins {_NOT_COUNTED}", "note"))
                continue
            try:
                keys, values, size = _histogram(printed)
                of = np.fromiter(keys, float if unit == "us" else np.int64, size)
                of = (of * 1000).astype(np.int64) if unit == "us" else of  # whole ns
                count = np.fromiter(values, np.int64, size)
            except (ValueError, TypeError, OverflowError) as error:
                text = f"found bins that are no numbers ({error}), expected times and counts"
                report.problems.append(Problem(figure.line, text))
                continue
            heads.append(report.head(figure.line, entry, kind, figure))
            times.append(of / 10**9)
            counts.append(count)
    if not any(map(len, counts)):
        return empty("bins"), report.nothing("bins")
    series = np.repeat(np.arange(len(heads)), [len(row) for row in counts])
    names = [name for name in TABLES["bins"] if name not in ("latency", "count")]
    listed = pd.DataFrame(heads, columns=names).assign(latency=0.0, count=0)
    frame = typed("bins", listed).take(series).reset_index(drop=True)
    whole = pd.array(np.concatenate(counts), dtype="Int64")
    return frame.assign(latency=np.concatenate(times), count=whole), report.problems


def _histogram(bins: dict[str, int]) -> tuple[Iterable[float], Iterable[int], int]:
    """Return times and counts of bins, and how many there are: 2.2.12 to 2.19 number them."""
    if "FIO_IO_U_PLAT_VAL" not in bins:
        return map(int, bins), bins.values(), len(bins)
    pairs = [(int(key), count) for key, count in bins.items() if key.isdigit() and count]
    return (_middle(number) for number, _ in pairs), (count for _, count in pairs), len(pairs)


def _middle(number: int) -> float:
    """Return the middle of a bin in us: from the third group on widths double (stat.c 2.16)."""
    bits = (number >> _BITS) - 1
    return (1 << bits) * (_GROUP + number % _GROUP + 0.5) if bits > 0 else number


# --- samples -------------------------------------------------------------------------------------

_LONGEST = 1000  # bytes that a side log's first line may have
_SAMPLES = ["time_ms", "value", "direction", "block_size", "offset", "priority"]
_HEAD = re.compile(rb"[0-9]{1,12}, ?-?[0-9]{1,18}, ?[0-9]{1,12}")
_NUMBER = re.compile(r"\.(\d{1,6})(?:\.log)?(?:\.gz)?$", re.ASCII)
_OPEN = "the unit of a latency is microseconds before fio 3 and nanoseconds after: values left open"
_FIFTH = "the fifth column is an offset before fio 3.18 and a priority since: left out"
_NO_SAMPLES = "found no side log of fio (`_bw.1.log`, `_iops.1.log`, `_lat.1.log`): no samples"


def read_samples(path: str, most: int = MOST_BYTES) -> Found:
    """Return the samples of a side log: one row a sample, with the number as printed."""
    kind, (source, first, last) = side_logs.kind_of(path), _whole_lines(path, most)
    if not kind or not _HEAD.match(first or last) or (first or last).count(b",") >= 100:
        return empty("samples"), [_no_samples(path, kind, most)]
    try:
        printed = _printed(source, first) if first else pd.DataFrame()
    except pd.errors.ParserError as error:
        return empty("samples"), [_refused(path, error, most)]
    notes = []
    if last:
        text = f"found {last.decode(errors='replace')[:80]!r}, expected a whole line: cut, left out"
        notes.append(Problem(len(printed) + 1, text, "note"))
    if not len(printed):
        return empty("samples"), notes
    frame, problems = _tidy(path, printed, kind)
    return frame, [*notes, *problems]


def _whole_lines(path: str, most: int) -> tuple[str | io.BytesIO, bytes, bytes]:
    """Return what pandas shall read, its first line, and a last line that may be cut."""
    if path != STANDARD_INPUT and not isinstance(path, LeftOut) and Path(path).is_file():
        with Path(path).open("rb") as file:
            first = file.readline(_LONGEST)
            size = file.seek(0, io.SEEK_END)
            if size > most:
                raise too_much(most)
            file.seek(max(size - 1, 0))
            if file.read() == b"\n" and not first.startswith(GZIP):
                return path, first, b""
    content = unpacked(read_bytes(path, most), most)
    end = content.rfind(b"\n") + 1
    whole = content[:end]
    return io.BytesIO(whole), whole[:_LONGEST].partition(b"\n")[0], content[end:]


def _printed(source: str | io.BytesIO, first: bytes) -> pd.DataFrame:
    """Return the numbers of a side log; pandas' ParserError says what no sample has."""
    names = _SAMPLES[: first.count(b",") + 1]
    if first.count(b",") == 4 and b"0x" in first:
        names[-1] = "priority"
    types = {name: "category" if name == "priority" else "int64" for name in names}
    try:
        frame = pd.read_csv(
            source, header=None, names=names, dtype=types, na_filter=False, compression=None,
            skipinitialspace=True,
        )  # fmt: skip
    except ValueError as error:
        raise pd.errors.ParserError(f"found {error}, expected fio's samples") from error
    is_odd = len(names) < 4 or not isinstance(frame.index, pd.RangeIndex)
    if is_odd or (frame["value"] < 0).any() or not frame["direction"].isin([0, 1, 2]).all():
        raise pd.errors.ParserError("found numbers that no sample has")
    if "priority" not in frame:
        return frame
    words = frame["priority"].cat.categories.astype("str")
    if not all(words.str.strip()):
        raise pd.errors.ParserError("found a line without its priority")
    return frame.assign(priority=frame["priority"].cat.rename_categories(list(words)))


def _no_samples(path: str, kind: str | None, most: int) -> Problem:
    """Return why a file gives no rows, in the words of `parse` where that has any."""
    content = read_bytes(path, most) if path != STANDARD_INPUT else b""
    for problem in parse_log(path, content).problems:
        if "side log" in problem.text or "histogram log" in problem.text:
            return problem
    return Problem(1, _NO_SAMPLES) if kind else _missing(path, content, _NO_SAMPLES)


def _refused(path: str, error: pd.errors.ParserError, most: int) -> Problem:
    """Return what is wrong with a side log, at the first line that is no sample."""
    lines = decode(unpacked(read_bytes(path, most), most)).splitlines()
    commas = lines[0].count(",")
    expected = side_logs.EXPECTED.format(max(commas + 1, 4))
    for number, line in enumerate(lines, 1):
        if side_logs.match_sample(line, commas) is None:
            return Problem(number, f"found {line[:80]!r}, {expected}: no rows")
    return Problem(1, f"{error}: no rows")


def _tidy(path: str, printed: pd.DataFrame, kind: str) -> Found:
    """Return the printed numbers as the table of samples, and a word on what they leave open."""
    rows, numbered = len(printed), _NUMBER.search(path)
    is_new = "priority" in printed  # fio 3.18 or later
    metric, unit = side_logs.METRICS.get(kind, ("latency", "ns" if is_new else None))
    value = unit_of("fio", unit).of(printed["value"] * 1.0) if unit else np.nan
    words = {"file": printable(path), "kind": kind, "metric": metric, "raw_unit": unit}
    size, ops, notes = printed["block_size"], printed["direction"].to_numpy("int8"), []
    offset = printed["offset"] if "offset" in printed else pd.Series([0])
    if unit is None:
        notes.append(Problem(1, f"found {rows} samples; {_OPEN}", "note"))
    has_offset = "offset" in printed and (is_new or offset.max() > 1)
    if not has_offset and offset.max() == 1:
        notes.append(Problem(1, f"found {rows} samples; {_FIFTH}", "note"))
    columns = {
        **{name: _repeated(word, rows) for name, word in words.items()},
        "line": pd.array(np.arange(1, rows + 1), dtype="Int64"),
        "job": pd.array([int(numbered[1]) if numbered else pd.NA], dtype="Int64").repeat(rows),
        "op": pd.Categorical.from_codes(ops, pd.Index(DIRECTIONS[:3])),
        "time": printed["time_ms"] / 1000,
        "value": value,
        "raw": printed["value"].astype("Int64"),
        "block_size": size.astype("Int64").where(size > 0),
        "offset": offset.astype("Int64") if has_offset else pd.array([pd.NA], "Int64").repeat(rows),
        "priority": printed["priority"] if is_new else _repeated(None, rows),
    }
    return typed("samples", pd.DataFrame(columns, copy=False)), notes


def _repeated(word: str | None, rows: int) -> "pd.Categorical[str]":
    codes = np.full(rows, -1 if word is None else 0, dtype="int8")
    return pd.Categorical.from_codes(codes, pd.Index([word or ""]))


READERS = {"percentiles": read_percentiles, "bins": read_bins, "samples": read_samples}


class LogTable(NamedTuple):
    """A table of one log, and what could not be read of it."""

    path: str
    frame: pd.DataFrame
    problems: Sequence[Problem]


def read_table(what: str, path: str, most: int = MOST_BYTES) -> LogTable:
    """Return a table of a log; never raises for what is in it."""
    try:
        return LogTable(path, *READERS[what](path, most))
    except (OSError, SdAnalysisError) as error:
        return LogTable(path, empty(what), unread(path, error).problems)


def cells(log: LogTable) -> Iterator[list[tuple]]:
    """Yield the rows of a table, with None for what is missing; so many of them together."""
    for start in range(0, len(log.frame), _AT_ONCE):
        part = log.frame.iloc[start : start + _AT_ONCE]
        lists = (part[name].astype(object).where(part[name].notna(), None) for name in part)
        yield list(zip(*lists, strict=True))


def read_tables(
    what: str, paths: Iterable[str], most: int = MOST_BYTES
) -> tuple[pd.DataFrame, list[tuple[str, Problem]]]:
    """Return one table of many logs, and what could not be read, with its path."""
    logs = [read_table(what, path, most) for path in paths]
    problems = [(log.path, problem) for log in logs for problem in log.problems]
    return together(what, [log.frame for log in logs]), problems
