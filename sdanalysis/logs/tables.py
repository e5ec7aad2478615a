"""The readers of what fio tells beside its results, by the name of the table."""

from collections.abc import Callable, Iterable

import pandas as pd

from sdanalysis.codebook.measurement import Problem
from sdanalysis.logs.frames import Found, together
from sdanalysis.logs.latencies import read_bins, read_percentiles
from sdanalysis.logs.side_logs import read_samples

__all__ = ["READERS", "read_tables", "together"]

READERS: dict[str, Callable[[str], Found]] = {
    "percentiles": read_percentiles,
    "bins": read_bins,
    "samples": read_samples,
}


def read_tables(what: str, paths: Iterable[str]) -> tuple[pd.DataFrame, list[tuple[str, Problem]]]:
    """Return one table of many logs, and what could not be read, with its path."""
    frames, problems = [], []
    for path in paths:
        frame, found = READERS[what](path)
        frames.append(frame)
        problems += [(path, problem) for problem in found]
    return together(what, frames), problems
