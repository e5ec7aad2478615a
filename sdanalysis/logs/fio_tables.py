"""fio's latency histograms (json+) and side logs -> long tables, for millions of rows."""

import gzip
import io
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd

from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.fio import histograms

_GZIP = b"\x1f\x8b"
_LONGEST = 1000  # bytes that a side log's first line may have
_SAMPLES = ["time_ms", "value", "direction", "block_size", "offset", "priority"]


def bins(path: Path | str) -> pd.DataFrame:
    """Return the latency histograms of a json+ file of fio: one row a bin.

    Columns `series` (job, jobname, op and kind in one category), `latency_ns` and `count`.
    """
    found = histograms.bins(Path(path).read_bytes())
    names = pd.Index([" ".join(map(str, series)) for series in found["categories"]])
    series = np.frombuffer(found["series"], np.int32) if len(names) else np.array([], np.int32)
    return pd.DataFrame(
        {
            "series": pd.Categorical.from_codes(series, names),
            "latency_ns": np.asarray(found["latency_ns"]),
            "count": np.asarray(found["count"]),
        },
        copy=False,
    )


def samples(path: Path | str) -> pd.DataFrame:
    """Return a side log of fio (`_bw.1.log`): one row a sample, the numbers as printed.

    A last line without its end may be cut and is left out. Columns are those of `_SAMPLES`, as
    many as the first line has (a fifth of the form `0x0000` is a priority); bandwidth is in KiB/s,
    direction 0 read, 1 write, 2 trim.
    """
    lines, first = _whole_lines(Path(path))
    columns = first.count(b",") + 1
    names = _SAMPLES[:columns]
    if columns == 5 and b"0x" in first:
        names[-1] = "priority"
    types = {name: "category" if name == "priority" else "int64" for name in names}
    try:
        frame = pd.read_csv(
            lines, header=None, names=names, dtype=types, na_filter=False, compression=None
        )
    except ValueError as error:  # pandas' own parser errors are ones
        raise SdAnalysisError(f"{path}: found {error}, expected fio's samples") from error
    if len(names) < 4 or not isinstance(frame.index, pd.RangeIndex):
        raise SdAnalysisError(f"{path}: found {columns} columns, expected 4 to 6 of fio's samples")
    direction = frame["direction"]
    if len(frame) and (min(direction.min(), frame["value"].min()) < 0 or direction.max() > 2):
        raise SdAnalysisError(f"{path}: found a direction or a number that no sample has")
    if "priority" not in frame:
        return frame
    priority = frame["priority"].array
    words = pd.array(priority.categories, dtype="str")
    if not all(map(str.strip, words)):
        raise SdAnalysisError(f"{path}: found a line without its column {columns}, a priority")
    return frame.assign(priority=words.take(priority.codes))


def _whole_lines(path: Path) -> tuple[Path | BinaryIO, bytes]:
    """Return what pandas shall read, without a last line that may be cut, and its first line.

    A whole file stays a path: pandas reads an open one half as fast.
    """
    with path.open("rb") as file:
        first = file.readline(_LONGEST)
        if file.seekable() and not first.startswith(_GZIP) and _ends_with_a_line(file):
            return path, first
        content = path.read_bytes() if file.seekable() else first + file.read()
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    whole = content[: content.rfind(b"\n") + 1]
    return io.BytesIO(whole), whole[:_LONGEST].partition(b"\n")[0]


def _ends_with_a_line(file: io.BufferedReader) -> bool:
    file.seek(max(file.seek(0, io.SEEK_END) - 1, 0))
    return file.read() == b"\n"
