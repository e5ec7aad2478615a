"""What rules return, and what most of them read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from sdanalysis.stats.reasons import usable

if TYPE_CHECKING:
    from sdanalysis.dataset import Data


class Finding(NamedTuple):
    """One doubt: the figures that raise it (ids), whose they are, and the evidence in words."""

    ids: tuple[str, ...]
    specimen: str
    evidence: str

    @property
    def places(self) -> tuple[str, ...]:
        """Where the figures stand: `source/file:line`, each once."""
        return tuple(dict.fromkeys(figure.rpartition(":")[0] for figure in self.ids))


def doubts(rows: pd.DataFrame, evidence: str) -> list[Finding]:
    """Return a finding on each row, or on its two figures; the evidence names cells: `{row.raw}`.

    A row has `ids`, or the id of its one figure, or those of two: `id_1` and `id_2`.
    """
    two = list(zip(rows["id_1"], rows["id_2"], strict=True)) if "id_1" in rows else None
    ids = rows["ids"] if "ids" in rows else two or [(figure,) for figure in rows.get("id", [])]
    cells = zip(ids, rows.itertuples(), strict=True)
    return [Finding(tuple(some), row.specimen, evidence.format(row=row)) for some, row in cells]


def primary_bandwidths(data: Data) -> pd.DataFrame:
    """Return the measured bandwidths that are neither restated nor derived."""
    return usable(data.measurements, mixed=True)


def pair(figures: pd.DataFrame, ops: Mapping[str, str], on: list[str]) -> pd.DataFrame:
    """Return every pair of a figure of one op (suffix `_1`) with one of its other, equal in `on`.

    With the columns `on`, and of both figures id, op, block size, what is printed and the value.
    """
    figures = figures[list(dict.fromkeys([*on, "id", "op", "block_size", "raw", "value"]))]
    left, right = (
        figures.assign(pair=figures["op"].map({op: place for place, op in enumerate(names)}))
        for names in (ops, ops.values())
    )
    left = left.dropna(subset="pair").sort_values("pair", kind="stable")
    return left.merge(right, on=[*on, "pair"], suffixes=("_1", "_2"), validate="many_to_many")


def megabytes(value: float) -> str:
    """Return a bandwidth in words: MB/s, 10^6 B/s, three digits or all before the point."""
    return f"{value / 1e6:.3g} MB/s" if value < 1e9 else f"{value / 1e6:,.0f} MB/s"
