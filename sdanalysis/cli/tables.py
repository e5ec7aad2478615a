"""`sdanalysis parse --what ...`: fio's percentiles, bins and samples -> rows, a log at a time."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import BinaryIO, TextIO

import pandas as pd

from sdanalysis.cli.csv_columns import as_csv
from sdanalysis.cli.reading import is_empty, named, read_all, report_problem
from sdanalysis.cli.rows import as_text, at_the_end, load_arrow
from sdanalysis.cli.spreadsheet import defused_table
from sdanalysis.codebook.tables import TABLES
from sdanalysis.logs.tables import READERS, together
from sdanalysis.paths import writing

_AT_ONCE = 50_000  # rows that become text together


class _Reading:
    """The tables of the logs that a command names, one after the other."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Begin without rows."""
        self.options, self.failed, self.rows = options, False, 0

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the table of each log, and print what was not read."""
        read = READERS[self.options.what]
        paths, most = named(self.options), self.options.max_bytes
        for path, (frame, problems) in read_all(paths, lambda path: (path, read(path, most))):
            for problem in problems:
                report_problem(path, problem)
                self.failed |= problem.kind == "error"
            self.rows += len(frame)
            yield frame
        self.failed = self.failed or is_empty(paths, self.options.what, self.rows)


def run(options: argparse.Namespace, kind: str) -> int:
    """Write the table that `--what` names, in one of `rows.FORMATS`."""
    reading = _Reading(options)
    frames: Iterator[pd.DataFrame] = reading.frames()
    if options.strict or kind == "parquet":
        whole = together(options.what, list(frames))
        if options.strict and reading.failed:
            return 1
        frames = iter([whole])
    if options.output:
        with writing(options.output) as file:
            _write(frames, file, options, kind)
        print(f"{options.output}: {reading.rows} rows", file=sys.stderr)
    elif kind == "parquet":
        with at_the_end(kind) as file:
            _write(frames, file, options, kind)
    else:
        _write_text(frames, sys.stdout, options, kind)
    return 1 if reading.failed else 0


def _write(
    frames: Iterator[pd.DataFrame], file: BinaryIO, options: argparse.Namespace, kind: str
) -> None:
    if kind == "parquet":
        _write_parquet(next(frames), file)
    else:
        with as_text(file) as text:
            _write_text(frames, text, options, kind)


def _write_text(
    frames: Iterator[pd.DataFrame], file: TextIO, options: argparse.Namespace, kind: str
) -> None:
    """Write CSV, or JSON with an object a line, a part of a log at a time."""
    if kind == "csv":
        file.write(f"{','.join(TABLES[options.what])}\n")
    for frame in frames:
        for start in range(0, len(frame), _AT_ONCE):
            part = frame.iloc[start : start + _AT_ONCE]
            if kind == "csv":
                text = as_csv(part)
                file.write(defused_table(text) if options.spreadsheet else text)
            else:
                file.writelines(_json_lines(part))


def _json_lines(part: pd.DataFrame) -> Iterator[str]:
    cells = part.astype(object).where(part.notna(), None)
    for row in cells.to_dict("records"):
        yield f"{json.dumps(row, ensure_ascii=False)}\n"


def _write_parquet(frame: pd.DataFrame, file: BinaryIO) -> None:
    arrow, parquet = load_arrow()
    parquet.write_table(arrow.Table.from_pandas(frame, preserve_index=False), file)
