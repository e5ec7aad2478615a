"""iozone's table in automatic mode -> rows, and rows -> measurements."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, Unit, check_reach, unit_of
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.iozone.bulk import PlainRows, plain_rows, scaled
from sdanalysis.parsers.iozone.header import Columns, columns_of
from sdanalysis.parsers.iozone.row import Cell, Row, read_row
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, Run

_CANDIDATE = re.compile(
    r"[-+]?(?:[0-9]|nan\b|inf\b)[^ \t]*\s+[-+]?(?:[0-9]|nan|inf)[^ \t]*(?:\s|$)"
)
_START = re.compile(r"[-+]?[0-9][^ \t]*\s+\S")
_MARGIN = " \t>|#*"
_LONGEST = 4096  # characters of a row with whatever a logger puts before it
_RETESTS = frozenset({"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"})


class Table(NamedTuple):
    """One table: its run, its columns and unit, and what all its measurements share."""

    run: Run
    columns: Columns
    unit: Unit
    shared: dict[str, Any]


def read_table(
    lines: Sequence[Line], index: int, run: Run
) -> Generator[Measurement | Problem | PlainRows, None, int]:
    """Yield what stands below the header at `index`; return the index of the line after it."""
    columns = columns_of(lines[index].text, run)
    if isinstance(columns, str):
        yield run.refuse(lines[index].number, columns)
        return index + 1
    table = _table(run, columns)
    before, place = run.results, index + 1
    while place < len(lines):
        rows = plain_rows(lines, place, columns, table.shared, table.unit.factor)
        if rows:
            run.results += len(rows.lines)
            place += len(rows.lines)
            yield rows
        elif _is_row(lines, place, columns):
            yield from _any_row(lines, place, table)
            place += 1
        else:
            break
    if run.unit is None and run.results > before:
        text = "no line says the unit of this table: read as iozone's default, kB/s"
        yield Problem(line=lines[index].number, text=text, kind="note")
    return place


def _table(run: Run, columns: Columns) -> Table:
    printed = run.unit or DEFAULT_UNIT
    unit = unit_of("iozone", printed)
    steps = (f"x {unit.factor:,.12g}: {unit.why}",)
    shared = {"metric": unit.metric, "raw_unit": printed, "steps": steps, **run.of_one_process()}
    return Table(run, columns, unit, shared)


def _is_row(lines: Sequence[Line], place: int, columns: Columns) -> bool:
    """Whether a line below the header is blank or a row: behind a blank one, two numbers."""
    bare = _behind_margin(lines[place].text[: 400 + max(columns.margin, 0)], columns)
    if not bare or _CANDIDATE.match(bare):
        return True
    return bool(_START.match(bare) and _behind_margin(lines[place - 1].text, columns))


def _behind_margin(text: str, columns: Columns) -> str:
    """Return a line without its blanks and marks of quotation, or what a logger put before it."""
    if columns.margin > 0 and text[: columns.margin].strip(_MARGIN):
        return text[columns.margin :].strip()
    return text.strip(_MARGIN)


def _any_row(lines: Sequence[Line], place: int, table: Table) -> Iterator[Measurement | Problem]:
    """Yield the measurements of one row that the pattern of plain rows does not fit."""
    line, last = lines[place], place + 1 == len(lines)
    if not _behind_margin(line.text, table.columns):
        return
    if len(line.text) > _LONGEST:
        text = f"found a line of {len(line.text)} characters, expected a row of iozone's table"
        yield table.run.refuse(line.number, text)
        return
    row = read_row(line.text, table.columns, last=last)
    if isinstance(row, str):
        yield table.run.refuse(line.number, row)
        return
    status = "measured"
    if len(row.cells) < row.expected:
        status, why = _why_partial(lines, place)
        text = f"found {len(row.cells)} results in a row that {why}, expected {row.expected}"
        yield table.run.refuse(line.number, text)
        if last:
            return
    yield from _cells(row, line.number, table, status)


def _why_partial(lines: Sequence[Line], place: int) -> tuple[str, str]:
    """Return the status of a row that ends early, and why, from the lines that follow it."""
    for line in lines[place + 1 : place + 4]:
        if "interrupted" in line.text:
            return "interrupted", "was interrupted"
        if re.search(r"\b(?:Error|Can not|error)\b", line.text):
            return "error", f"ends with {line.text.strip()[:80]!r}"
    return "partial", "ends early"


def _cells(row: Row, number: int, table: Table, status: str) -> Iterator[Measurement | Problem]:
    run, unit = table.run, table.unit
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
        cell_status = "below_resolution" if is_zero else status
        yield _measurement(cell, number, row, table, cell_status)
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


def _measurement(cell: Cell, number: int, row: Row, table: Table, status: str) -> Measurement:
    value = scaled(int(cell.raw), table.unit.factor)
    return Measurement(
        line=number,
        column=cell.column,
        op=cell.op,
        raw=cell.raw,
        value=value,
        value_low=value,
        value_high=scaled(int(cell.raw) + 1, table.unit.factor),
        block_size=row.record * KIB or None,  # 0 where a telemetry file sets the sizes (-V)
        file_size=row.size * KIB,
        status=status,
        **table.shared,
    )
