"""A user's side log of fio (`_bw.1.log`) -> the table of its samples, for millions of rows.

As `parse` reads them: the file's name says what was counted, and the unit of a latency is open
(microseconds up to fio 2, nanoseconds since) unless the columns show the version.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from sdanalysis.codebook.measurement import Problem
from sdanalysis.codebook.units import KIB
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import fio_tables, read
from sdanalysis.logs.files import MOST_BYTES, read_bytes, too_much, unpacked
from sdanalysis.logs.frames import Found, empty, typed, unread
from sdanalysis.parsers import tools_in
from sdanalysis.parsers.fio import side_logs
from sdanalysis.parsers.fio.options import DIRECTIONS
from sdanalysis.parsers.markup import undone
from sdanalysis.paths import STANDARD_INPUT, printable

_HEAD = re.compile(rb"[0-9]{1,12}, ?-?[0-9]{1,18}, ?[0-9]{1,12}")
_NUMBER = re.compile(r"\.(\d{1,6})(?:\.log)?(?:\.gz)?$", re.ASCII)
_METRICS = {"bw": ("bandwidth", "KiB/s", KIB), "iops": ("iops", "iops", 1)}
_OPEN = "the unit of a latency is microseconds before fio 3 and nanoseconds after: values left open"
_OPS = pd.Index(DIRECTIONS[:3])  # of the numbers 0, 1 and 2
_FIFTH = "the fifth column is an offset before fio 3.18 and a priority since: left out"


def read_samples(path: str, most: int = MOST_BYTES) -> Found:
    """Return the samples of a side log: one row a sample, with the number as printed."""
    match = side_logs.NAME.search(path.rpartition("/")[2])
    kind = match[1] if match else None
    try:
        head, last = _ends(path, most)
        why = _no_samples(path, head, kind, most)
    except (OSError, SdAnalysisError) as error:
        return unread("samples", path, error)
    if why:
        return empty("samples"), [why]
    try:
        printed = fio_tables.samples(path)
    except SdAnalysisError as error:
        return empty("samples"), [_refused(path, error, most)]
    notes = []
    if not head.endswith(b"\n") or last:
        text = f"found {last.decode(errors='replace')[:80]!r}, expected a whole line: cut, left out"
        notes.append(Problem(line=len(printed) + 1, text=text, kind="note"))
    if not len(printed):
        return empty("samples"), notes
    frame, said = _tidy(path, printed, kind or "")
    return frame, [*notes, *said]


def _ends(path: str, most: int) -> tuple[bytes, bytes]:
    """Return the first line, or its beginning, and what follows the last line end."""
    if path == STANDARD_INPUT:
        return unpacked(read_bytes(path, most), most), b""
    with Path(path).open("rb") as file:
        head = file.read(1000)
        if (size := file.seek(0, 2)) > most:
            raise too_much(most)
        file.seek(max(size - 1000, 0))
        tail = file.read()
    if head.startswith(b"\x1f\x8b"):
        content = unpacked(read_bytes(path, most), most)
        head, tail = content[:1000], content[-1000:]
    line, end, _ = head.partition(b"\n")
    return line + end, tail[tail.rfind(b"\n") + 1 :]


def _no_samples(path: str, head: bytes, kind: str | None, most: int) -> Problem | None:
    """Return why a file gives no rows, in the words of `parse` where that has any."""
    if not head and kind:
        text = "found an empty side log of fio: the run was shorter than its averaging window"
        return Problem(line=1, text=text, kind="note")
    if kind and _HEAD.match(head) and head.count(b",") < 100:
        return None
    content = head if path == STANDARD_INPUT else read_bytes(path, most)
    log = read.parse_log(path, content)
    words = [problem for problem in log.problems if "side log" in problem.text]
    words += [problem for problem in log.problems if "histogram log" in problem.text]
    if words:
        return words[0]
    try:
        is_log = bool(log.measurements) or bool(tools_in(undone(read.lines_of(content)).text))
    except SdAnalysisError:
        is_log = False
    text = "found no side log of fio (`_bw.1.log`, `_iops.1.log`, `_lat.1.log`): no samples"
    if is_log and not kind:
        return Problem(line=1, text=text, kind="note")
    return Problem(line=1, text=text) if kind else read.no_benchmark(path, text)


def _refused(path: str, error: SdAnalysisError, most: int) -> Problem:
    """Return what is wrong with a side log, at the first line that is no sample."""
    lines = read.lines_of(read_bytes(path, most))
    columns = lines[0].text.count(",") if lines else 0
    for line in lines:
        if not side_logs.SAMPLE.fullmatch(line.text) or line.text.count(",") != columns:
            text = f"found {line.text[:80]!r}, expected a sample of {columns + 1} whole numbers"
            return Problem(line=line.number, text=f"{text}: no rows")
    text = str(error).removeprefix(f"{path}: ")
    return Problem(line=1, text=f"{text}: no rows")


def _tidy(path: str, printed: pd.DataFrame, kind: str) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the printed numbers as the table of samples, and a word on what they leave open."""
    rows, columns = len(printed), printed.shape[1]
    metric, unit, factor = _METRICS.get(kind) or _latency(printed)
    raw = printed["value"]
    value = raw * float(factor) if factor else pd.Series(np.full(rows, np.nan))
    block_size, numbered = printed["block_size"], _NUMBER.search(path)
    words = {"file": printable(path), "kind": kind, "metric": metric, "raw_unit": unit}
    offset, priority = _tail(printed)
    frame = pd.DataFrame(
        {
            **{name: _repeated(word, rows) for name, word in words.items()},
            "line": pd.array(np.arange(1, rows + 1), dtype="Int64"),
            "job": pd.array([int(numbered[1]) if numbered else pd.NA], dtype="Int64").repeat(rows),
            "op": pd.Categorical.from_codes(printed["direction"].to_numpy("int8"), _OPS),
            "time": printed["time_ms"] / 1000,
            "value": value,
            "raw": raw.astype("Int64"),
            "block_size": block_size.astype("Int64").where(block_size > 0),
            "offset": offset,
            "priority": priority,
        }
    )
    notes = [] if factor else [Problem(line=1, text=f"found {rows} samples; {_OPEN}", kind="note")]
    if columns == 5 and "offset" in printed and printed["offset"].max() == 1:
        notes.append(Problem(line=1, text=f"found {rows} samples; {_FIFTH}", kind="note"))
    return typed("samples", frame), notes


def _repeated(word: str | None, rows: int) -> "pd.Categorical[str]":
    codes = np.full(rows, -1 if word is None else 0, dtype="int8")
    return pd.Categorical.from_codes(codes, pd.Index([word or ""]))


def _latency(printed: pd.DataFrame) -> tuple[str, str | None, float | None]:
    """Return nanoseconds where a priority shows fio 3.18 or later."""
    return ("latency", "ns", 1e-9) if "priority" in printed else ("latency", None, None)


def _tail(printed: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return offset and priority: a lone fifth column is an offset where it is above 1."""
    rows = len(printed)
    offset = pd.Series(pd.array([pd.NA], dtype="Int64").repeat(rows))
    priority = pd.Series(_repeated(None, rows))
    if "priority" in printed:
        priority = printed["priority"].str.strip().astype("category")
    if "offset" in printed and ("priority" in printed or printed["offset"].max() > 1):
        offset = printed["offset"].astype("Int64")
    return offset, priority
