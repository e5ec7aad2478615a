"""iozone's table in automatic mode -> rows, and rows -> measurements."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sdanalysis.codebook.measurement import Line, Measurement, Problem
from sdanalysis.codebook.units import KIB, Unit, unit_of
from sdanalysis.parsers.iozone.bulk import Rows, scaled, whole_rows
from sdanalysis.parsers.iozone.header import Columns, columns_of
from sdanalysis.parsers.iozone.row import Row, read_row
from sdanalysis.parsers.iozone.run import DEFAULT_UNIT, Run

_CANDIDATE = re.compile(
    r"[-+]?(?:[0-9]|nan\b|inf\b)[^ \t]*\s+[-+]?(?:[0-9]|nan|inf)[^ \t]*(?:\s|$)"
)
_START = re.compile(r"[-+]?[0-9][^ \t]*\s+\S")
_MARGIN = " \t>|#*"
_LONGEST = 4096  # characters of a row with whatever a logger puts before it
_LIMITS = {"bandwidth": 2**40, "iops": 1e9, "latency": 1e4}


def read_table(
    lines: Sequence[Line], index: int, run: Run
) -> Generator[Measurement | Problem | Rows, None, int]:
    """Yield what stands below the header at `index`; return the index of the line after it."""
    columns = columns_of(lines[index].text, run)
    if isinstance(columns, str):
        run.refused = True
        yield Problem(line=lines[index].number, text=columns)
        return index + 1
    unit = unit_of("iozone", run.unit or DEFAULT_UNIT)
    shared = _shared(run, unit)
    before = run.results
    place = index + 1
    while place < len(lines):
        rows = whole_rows(lines, place, columns, shared, unit)
        if rows:
            run.results += len(rows.lines)
            place += len(rows.lines)
            yield rows
        elif _is_row(
            lines[place].text, columns, gap=not _behind_margin(lines[place - 1].text, columns)
        ):
            yield from _slow(lines, place, columns, run, shared, unit)
            place += 1
        else:
            break
    if run.unit is None and run.results > before:
        text = "no line says the unit of this table: read as iozone's default, kB/s"
        yield Problem(line=lines[index].number, text=text, kind="note")
    return place


def _is_row(text: str, columns: Columns, *, gap: bool) -> bool:
    """Whether a line below the header is blank or a row: behind a blank one, two numbers."""
    bare = _behind_margin(text[: 400 + max(columns.margin, 0)], columns)
    return not bare or _CANDIDATE.match(bare) is not None or (not gap and bool(_START.match(bare)))


def _behind_margin(text: str, columns: Columns) -> str:
    """Return a line without its blanks and marks of quotation, or what a logger put before it."""
    if columns.margin > 0 and text[: columns.margin].strip(_MARGIN):
        return text[columns.margin :].strip()
    return text.strip(_MARGIN)


def _shared(run: Run, unit: Unit) -> dict[str, Any]:
    """Return the fields that all measurements of a table share."""
    return {
        **run.conditions(),
        "metric": unit.metric,
        "stat": "mean" if unit.metric == "latency" else "single",
        "raw_unit": run.unit or DEFAULT_UNIT,
        "numjobs": 1 if run.command else None,
        "remarks": () if run.unit else ("inferred-unit",),
        "steps": (f"x {unit.factor:,.12g}: {unit.why}",),
    }


def _slow(
    lines: Sequence[Line],
    place: int,
    columns: Columns,
    run: Run,
    shared: dict[str, Any],
    unit: Unit,
) -> Iterator[Measurement | Problem]:
    """Yield the measurements of one row that the pattern of whole rows does not fit."""
    line = lines[place]
    if not _behind_margin(line.text, columns):
        return
    row: Row | str = (
        f"found a line of {len(line.text)} characters, expected a row of iozone's table"
    )
    if len(line.text) <= _LONGEST:
        row = read_row(line.text, columns, last=place + 1 == len(lines))
    if isinstance(row, str):
        run.refused = True
        yield Problem(line=line.number, text=row)
        return
    status = "measured"
    if len(row.cells) < row.expected:
        run.refused = True
        status, why = _why_partial(lines, place)
        yield Problem(
            line=line.number,
            text=f"found {len(row.cells)} results in a row that {why}, expected {row.expected}",
        )
        if place + 1 == len(lines):
            return
    yield from _cells(row, line, run, {**shared, "status": status}, unit)


def _why_partial(lines: Sequence[Line], place: int) -> tuple[str, str]:
    """Return the status of a row that ends early, and why, from the lines that follow it."""
    for line in lines[place + 1 : place + 4]:
        if "interrupted" in line.text:
            return "interrupted", "was interrupted"
        if re.search(r"\b(?:Error|Can not|error)\b", line.text):
            return "error", f"ends with {line.text.strip()[:80]!r}"
    return "partial", "ends early"


def _cells(
    row: Row, line: Line, run: Run, shared: dict[str, Any], unit: Unit
) -> Iterator[Measurement | Problem]:
    zeros: list[str] = []
    for cell in row.cells:
        number = int(cell.raw)
        if number == 0 and unit.metric != "latency":
            zeros.append(cell.op)
            continue
        if number * unit.factor > _LIMITS[unit.metric]:
            run.refused = True
            text = f"found {cell.raw} under {cell.op}, expected a number that a device can reach"
            yield Problem(line=line.number, text=text)
            continue
        run.results += 1
        fields = dict(shared)
        if number == 0:  # under 1 us: an upper bound and no value, in a row that ends early too
            fields["status"] = "below_resolution"
        yield _measurement(cell.op, cell.raw, cell.column, line.number, row, unit, fields)
    if zeros:
        yield _zeros(zeros, line, run)


def _zeros(ops: list[str], line: Line, run: Run) -> Problem:
    """Return a note on zeros that stand for tests not run, an error on any other."""
    skipped = {"rewrite", "reread", "frewrite", "freread", "repwrite", "repread"}
    if not run.retested and skipped.issuperset(ops):
        text = f"0 under {', '.join(ops)} means not measured: the run has no retests (-+n)"
        return Problem(line=line.number, text=text, kind="note")
    if run.command and "+E" in run.command.given and ops == ["randwrite"]:
        text = "0 under randwrite means not measured: the run does not write (-+E)"
        return Problem(line=line.number, text=text, kind="note")
    run.refused = True
    text = f"found 0 under {', '.join(ops)}, expected a number above zero"
    return Problem(line=line.number, text=text)


def _measurement(
    op: str, raw: str, column: int, number: int, row: Row, unit: Unit, fields: dict[str, Any]
) -> Measurement:
    scale = unit.factor
    digits = int(raw)
    return Measurement(
        line=number,
        column=column,
        op=op,
        raw=raw,
        value=scaled(digits, scale),
        value_low=scaled(digits, scale),
        value_high=scaled(digits + 1, scale),
        block_size=row.record * KIB or None,  # 0 where a telemetry file sets the sizes (-V)
        file_size=row.size * KIB,
        **fields,
    )
