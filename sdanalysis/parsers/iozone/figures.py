"""The results of a table's row -> measurements: zeros, what is out of reach, and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Item, Measurement, Problem, with_values
from sdanalysis.codebook.units import KIB, Unit, check_reach
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.iozone.layouts import Columns
from sdanalysis.parsers.iozone.row import Cell, Row
from sdanalysis.parsers.iozone.run import Run

_RETESTS = frozenset({"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"})
# what the cells of a table do not share: those of a row, of a cell, and its values
_OF_ROW = ("line", "file_size", "block_size")
of_cell = with_values(*_OF_ROW, *Cell._fields, "value", "value_low", "value_high")


class Table(NamedTuple):
    """One table: its run, its columns and unit, what all its measurements share, and its labels.

    `labels` has the number of the line where each label stands first. Of a `wrapped` one a mail
    program broke the lines.
    """

    run: Run
    columns: Columns
    unit: Unit
    shared: dict[str, Any]
    labels: dict[str, int]
    wrapped: bool = False


def figures_of(row: Row, number: int, table: Table, status: str) -> Iterator[Item]:
    """Yield the measurements of a row, and what is to be said about its zeros."""
    run, unit = table.run, table.unit
    same = Measurement(line=0, column=0, op="", raw="", status=status, **table.shared)
    # a record of 0 where a telemetry file sets the sizes (-V)
    of_row = number, row.size * KIB, row.record * KIB or None
    zeros: list[str] = []
    for cell in row.cells:
        is_zero = int(cell.raw) == 0
        if is_zero and unit.metric != "latency":
            zeros.append(cell.op)
            continue
        try:
            check_reach(unit.metric, int(cell.raw) * unit.factor, f"{cell.raw} under {cell.op}")
        except SdAnalysisError as error:
            yield run.refuse(number, str(error))
            continue
        run.results += 1
        # under 1 us: an upper bound and no value, in a row that ends early too
        first = same._replace(status="below_resolution") if is_zero else same
        yield of_cell(first, *of_row, *cell, *scaled(cell.raw, unit.factor))
    if zeros:
        yield _zeros(zeros, number, run)


def _zeros(ops: list[str], number: int, run: Run) -> Problem:
    """Return a note on zeros that stand for tests not run, an error on any other."""
    why = ""
    if not run.retested and _RETESTS.issuperset(ops):
        why = "the run has no retests (-+n)"
    elif run.command and "+E" in run.command.given and ops == ["randwrite"]:
        why = "the run does not write (-+E)"
    if why:
        text = f"0 under {', '.join(ops)} means not measured: {why}"
        return Problem(line=number, text=text, kind="note")
    return run.refuse(number, f"found 0 under {', '.join(ops)}, expected a number above zero")


def scaled(raw: str, factor: float) -> tuple[float, float, float]:
    """Return a whole number, cut, in base units with its ends; a division keeps 7 us at 7e-06."""
    digits = int(raw)
    if factor >= 1:
        return float(digits * factor), float(digits * factor), float((digits + 1) * factor)
    parts = round(1 / factor)
    return digits / parts, digits / parts, (digits + 1) / parts
