"""What the rules read, what they return, and the join that most of them need."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.stats.reasons import usable

_FIGURE = ("id", "op", "block_size", "raw", "value")  # what rules ask of two figures


class Finding(NamedTuple):
    """One doubt: the figures that raise it (ids), whose they are, and the evidence in words."""

    ids: tuple[str, ...]
    specimen: str
    evidence: str

    @property
    def places(self) -> tuple[str, ...]:
        """Where the figures stand: `source/file:line`, each once."""
        return tuple(dict.fromkeys(figure.rpartition(":")[0] for figure in self.ids))


def doubt(row: Any, evidence: str) -> Finding:
    """Return the finding on a row, or on two figures that `pair` put into one."""
    ids = (row.id_1, row.id_2) if hasattr(row, "id_1") else (row.id,)
    return Finding(ids=ids, specimen=row.specimen, evidence=evidence)


def doubts(rows: pd.DataFrame, evidence: str) -> list[Finding]:
    """Return a finding on each row; the evidence names its cells: `{row.raw}`."""
    return [doubt(row, evidence.format(row=row)) for row in rows.itertuples()]


def primary_bandwidths(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the measured bandwidths that are neither restated nor derived."""
    return usable(measurements, mixed=True)


def pair(measurements: pd.DataFrame, ops: Mapping[str, str], on: list[str]) -> pd.DataFrame:
    """Return every pair of a figure of one op (suffix `_1`) with one of its other, equal in `on`.

    With the columns `on`, and of both figures id, op, block size, what is printed and the value.
    """
    figures = measurements[list(dict.fromkeys([*on, *_FIGURE]))]
    places = figures["op"].map({op: place for place, op in enumerate(ops)})
    left = figures.assign(pair=places).dropna(subset="pair").sort_values("pair", kind="stable")
    places = figures["op"].map({op: place for place, op in enumerate(ops.values())})
    right = figures.assign(pair=places)
    pairs = left.merge(right, on=[*on, "pair"], suffixes=("_1", "_2"), validate="many_to_many")
    return pairs.drop(columns="pair")


def megabytes(value: float) -> str:
    """Return a bandwidth in words: MB/s, 10^6 B/s, three digits or all before the point."""
    return f"{value / 1e6:.3g} MB/s" if value < 1e9 else f"{value / 1e6:,.0f} MB/s"
