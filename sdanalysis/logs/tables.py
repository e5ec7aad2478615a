"""A user's logs -> the tables of what fio tells beside its results: percentiles, bins, samples.

A reader takes a path (or `-`) and returns a frame with the columns of `codebook.tables`, and what
was not read; it never raises for what is in a file.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.codebook.tables import TABLES
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import read
from sdanalysis.logs.files import MOST_BYTES, read_bytes, unpacked
from sdanalysis.logs.frames import Found, empty, together, typed, unread
from sdanalysis.logs.side_logs import read_samples
from sdanalysis.parsers import WORDS, decode, split_lines, tools_in
from sdanalysis.parsers.fio import histograms, parse, side_logs
from sdanalysis.parsers.fio.percentiles import Entry, Figures, Percentile, entries, percentiles
from sdanalysis.paths import printable

_BINS = re.compile(r'("bins"\s*:\s*\{)([^{}]*)(?=\})')
_CONDITIONS = (
    *("block_size", "file_size", "numjobs", "iodepth", "read_mix", "direct"),
    *("tool_version", "status"),
)


def read_percentiles(path: str, most: int = MOST_BYTES) -> Found:
    """Return the percentiles of a log's reports by fio, whatever their format."""
    try:
        lines = read.lines_of(read_bytes(path, most), most)
    except (OSError, SdAnalysisError) as error:
        return unread("percentiles", path, error)
    items = [] if side_logs.is_side_log(lines) else list(percentiles(lines, Figures(parse(lines))))
    problems = [item for item in items if isinstance(item, Problem)]
    rows = [_row(path, item) for item in items if isinstance(item, Percentile)]
    if not rows:
        text = "\n".join(line.text for line in lines)
        problems = _nothing("percentiles", path, text, problems)
        return empty("percentiles"), problems
    return typed("percentiles", pd.DataFrame(rows)), problems


def _row(path: str, item: Percentile) -> dict[str, object]:
    figure = item.figure
    return {
        "file": printable(path),
        "line": item.line,
        "job": figure.name or None,
        "run": figure.run,
        "entry": item.entry,
        "op": figure.op,
        "kind": item.kind,
        "percentile": item.percentile,
        "latency": item.latency,
        "raw": item.raw,
        "raw_unit": item.raw_unit,
        **{name: getattr(figure, name) for name in _CONDITIONS},
    }


def _nothing(what: str, path: str, text: str, problems: Sequence[Problem]) -> list[Problem]:
    """Say why a log gave no row: a note where it is a benchmark's, an error where it is none."""
    if any(problem.kind == "error" for problem in problems):
        return list(problems)
    is_log = bool(tools_in(text)) or any(word in text for word in WORDS["fio"])
    hint = " (only --output-format=json+ prints them)" if what == "bins" else ""
    found = f"found no {what} of fio in it{hint}" if text.strip() else "found an empty file"
    found = f"{found}: no rows"
    missing = Problem(line=1, text=found, kind="note") if is_log else read.no_benchmark(path, found)
    return [*problems, missing]


# --- bins ----------------------------------------------------------------------------------------


class _Skeleton:
    """A text without what stands between the braces of its bins, and how to find back."""

    def __init__(self, text: str) -> None:
        """Cut the bins out."""
        pieces, at, self.slices = [], 0, []
        for match in _BINS.finditer(text):
            pieces.append(text[at : match.end(1)])
            self.slices.append(match.span(2))
            at = match.end(2)
        self.text = "".join([*pieces, text[at:]])
        sizes = [end - start for start, end in self.slices]
        self._cut = list(accumulate(sizes, initial=0))
        ends = [end for _, end in self.slices]
        self._places = [end - cut for end, cut in zip(ends, self._cut[1:], strict=True)]

    def original(self, offset: int) -> int:
        """Return the offset in the whole text of an offset in this one."""
        return offset + self._cut[bisect_right(self._places, offset)]


def read_bins(path: str, most: int = MOST_BYTES) -> Found:
    """Return the latency histograms of a log's JSON+: one row a bin that is not empty."""
    try:
        text = _clean(unpacked(read_bytes(path, most), most))
    except (OSError, SdAnalysisError) as error:
        return unread("bins", path, error)
    skeleton = _Skeleton(text)
    lines = split_lines(skeleton.text)
    figures = Figures([] if side_logs.is_side_log(lines) else parse(lines))
    problems = list(figures.problems)
    frames: list[pd.DataFrame] = []
    by_document: dict[tuple[int, int], list[Entry]] = {}
    for document, entry in entries(skeleton.text, lines, figures) if skeleton.slices else ():
        span = document.offset + document.start, document.offset + document.end
        by_document.setdefault(span, []).append(entry)
    for (start, end), found in by_document.items():
        begin, stop = skeleton.original(start), skeleton.original(end)
        line = text.count("\n", 0, begin) + 1
        try:
            table = histograms.bins(text[begin:stop].encode())
        except SdAnalysisError as error:
            problems.append(Problem(line=line, text=str(error)))
            continue
        frame, notes = _bins_of(path, table, [_placed(entry, skeleton, text) for entry in found])
        frames.append(frame)
        problems += notes
    if not any(map(len, frames)):
        return empty("bins"), _nothing("bins", path, skeleton.text, problems)
    return together("bins", frames), problems


def _clean(content: bytes) -> str:
    """Return the text of a log; a line at a time only where it holds control codes."""
    text = decode(content)
    if "\x1b" in text or "\r" in text or "\u00a0" in text or "\u3000" in text:
        return "\n".join(line.text for line in split_lines(text))
    return text


def _placed(entry: Entry, skeleton: _Skeleton, text: str) -> Entry:
    """Return the entry with the line of its figure in the whole text."""
    if entry.figure is None:
        return entry
    line = text.count("\n", 0, skeleton.original(entry.offset)) + 1
    return entry._replace(figure=entry.figure._replace(line=line))


def _bins_of(path: str, table: dict[str, Any], found: Sequence[Entry]) -> Found:
    """Return the bins of one document, each with the figure of its job and direction."""
    figure_of = {(entry.place, entry.direction): entry for entry in found}
    heads: list[dict[str, object] | None] = []
    for job, name, direction, kind in table["categories"]:
        entry = figure_of.get((job, direction))
        heads.append(_head(path, name, kind, entry) if entry and entry.figure else None)
    series = np.frombuffer(table["series"], np.int32) if len(table["series"]) else np.array([], int)
    known = np.array([head is not None for head in heads], dtype=bool)
    problems = []
    if len(series) and not known[series].all():
        text = "found bins of a report whose figures are not counted (a repeat, or no result)"
        problems.append(Problem(line=1, text=f"{text}: left out", kind="note"))
    kept = known[series] if len(series) else np.array([], bool)
    rows = np.cumsum(known) - 1
    names = [name for name in TABLES["bins"] if name not in ("latency", "count")]
    listed = pd.DataFrame([head for head in heads if head is not None], columns=names)
    taken = typed("bins", listed.assign(latency=0.0, count=0)).take(rows[series[kept]])
    latency = np.asarray(table["latency_ns"])[kept] * 1e-9
    count = pd.array(np.asarray(table["count"])[kept], dtype="Int64")
    return taken.reset_index(drop=True).assign(latency=latency, count=count), problems


def _head(path: str, name: str, kind: str, entry: Entry) -> dict[str, object]:
    """Return the cells that all bins of one histogram share."""
    figure: Measurement = entry.figure  # type: ignore[assignment] # the caller asks for one
    return {
        "file": printable(path),
        "line": figure.line,
        "job": name or None,
        "run": figure.run,
        "entry": entry.number,
        "op": figure.op,
        "kind": kind.removesuffix("_ns"),
        **{condition: getattr(figure, condition) for condition in _CONDITIONS},
    }


READERS: dict[str, Callable[[str, int], Found]] = {
    "percentiles": read_percentiles,
    "bins": read_bins,
    "samples": read_samples,
}


def read_tables(
    what: str, paths: Iterable[str], most: int = MOST_BYTES
) -> tuple[pd.DataFrame, list[tuple[str, Problem]]]:
    """Return one table of many logs, and what could not be read, with its path."""
    frames, problems = [], []
    for path in paths:
        frame, found = READERS[what](path, most)
        frames.append(frame)
        problems += [(path, problem) for problem in found]
    return together(what, frames), problems
