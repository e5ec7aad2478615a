"""The figures of fio's small JSON logs -> columns of a table, without a tuple for each figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.logs.arrays import filled, typed
from sdanalysis.parsers.fio.bulk import FIGURES, HALF, Direction, Shared
from sdanalysis.parsers.fio.job import SharedCells

_BELOW = np.array([0.0, HALF, 0.0, 0.0, HALF, HALF])  # whole numbers are cut, others rounded
_ABOVE = np.array([1.0, HALF, 1.0, 1.0, HALF, HALF])
_FACTORS = np.array([1.0, 1.0, 1e-9, 1e-9, 1e-9, 1e-9])
_FROM_COUNTS = np.array([2, 4])  # lines from that of `io_bytes`
_FROM_MEAN = np.array([-2, -1, 0, 1])  # and from that of the mean latency


def columns(paths: Sequence[str], directions: Sequence[Direction]) -> dict[str, Any]:
    """Return the columns of the rows that `bulk.expanded` gives; a path for each direction."""
    shared, counts, means, *cells = zip(*directions, strict=True)
    printed = np.array(cells, dtype=object).T
    given = (printed != "").ravel()  # of what was not timed there is no row
    texts = cells if given.all() else [[text or "0" for text in column] for column in cells]
    numbers = np.array([list(map(float, column)) for column in texts]).T
    rows = np.flatnonzero(given)
    everywhere = len(rows) == len(given)

    def flat(table: np.ndarray) -> np.ndarray:
        return table.ravel() if everywhere else table.ravel()[rows]

    lines = [np.array(counts)[:, None] + _FROM_COUNTS, np.array(means)[:, None] + _FROM_MEAN]
    found = {
        "line": pd.array(flat(np.concatenate(lines, axis=1)), dtype="Int64"),
        "raw": pd.array(flat(printed), dtype="str"),
        "value": flat(numbers * _FACTORS),
        "value_low": flat((numbers - _BELOW) * _FACTORS),
        "value_high": flat((numbers + _ABOVE) * _FACTORS),
    }
    names = ("stat", "metric", "raw_unit", "column")
    figures = typed(dict(zip(names, map(list, zip(*FIGURES, strict=True)), strict=True)))
    places = rows % len(FIGURES)
    found |= {name: array.take(places) for name, array in figures.items()}
    rows //= len(FIGURES)
    kinds = _kinds([*{id(kind): kind for kind in shared}.values()], found)
    for parts, table in ((shared, kinds), (paths, {"file": [*dict.fromkeys(paths)]})):
        codes = _codes(parts)[rows]
        for name, array in typed(table).items():
            is_one = len(set(table[name])) == 1  # which takes less time
            found[name] = filled(array[:1], len(rows)) if is_one else array.take(codes)
    return found


def _codes(parts: Sequence[object]) -> np.ndarray:
    """Return the number of each part, of those that are the same object, in their first order."""
    ids = [*map(id, parts)]
    numbers = {part: number for number, part in enumerate(dict.fromkeys(ids))}
    return np.array([*map(numbers.__getitem__, ids)])


def _kinds(kinds: Sequence[Shared], known: dict[str, Any]) -> dict[str, list]:
    """Return the other columns of a table, a cell for each of what directions share."""
    cells: dict[str, list] = {name: [None] * len(kinds) for name in LOG_COLUMNS}
    cells |= {"op": [kind.op for kind in kinds]}
    for place, name in enumerate(SharedCells._fields[:-1]):
        cells[name] = [kind.cells[place] for kind in kinds]
    cells["remarks"] = [" ".join(remarks) or None for remarks in cells["remarks"]]
    cells |= {"tool": ["fio"] * len(kinds), "repeat": [1] * len(kinds)}
    return {name: cells[name] for name in LOG_COLUMNS if name not in known and name != "file"}
