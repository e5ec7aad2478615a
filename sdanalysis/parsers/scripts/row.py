"""One figure of a script's summary -> a measurement, or a word."""

from __future__ import annotations

import re
from typing import Any

from sdanalysis.codebook.measurement import Item, Line, Measurement, Problem
from sdanalysis.codebook.units import figure
from sdanalysis.errors import SdAnalysisError

FROM_SCRIPT = "from-script"
MARGIN = r"^\W{0,40}?"  # quoting, a list, a table's border
SPACE = r"[\s|]{1,40}"  # between the cells of a table, which may have lost its blanks
# Somebody's commas in a number that its tool prints whole; the caller's pattern lets them in.
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3}){1,5}")


def row(
    line: Line,
    match: re.Match[str],
    name: str,
    unit: tuple[str, str],
    said: dict[str, Any],
    *,
    truncated: bool | None = None,
) -> Item:
    """Return what the group `name` of a match says; `unit` is who prints which word.

    `said` are the fields of the measurement that the script's command settles.
    """
    printed = match[name]
    has_commas = "," in printed and _THOUSANDS.fullmatch(printed)
    plain = printed.replace(",", "") if has_commas else printed
    try:
        found = figure(unit[0], plain, unit[1], truncated=truncated)
    except SdAnalysisError as error:
        return Problem(line.number, str(error))
    if not found.value:
        shown = f"{printed} {unit[1]}"
        return note(line, f"found {shown}, expected more than zero: the test did not run")
    remarks = (FROM_SCRIPT, *said.get("remarks", ()))
    column = match.start(name) + 1
    fields = {**said, "remarks": remarks, **found._asdict(), "raw": printed}
    return Measurement(line=line.number, column=column, name=name, **fields)


def note(line: Line, text: str) -> Problem:
    """Return a word on a line that gives no row, and is no error."""
    return Problem(line.number, text, "note")


def unreadable(line: Line, script: str, expected: str) -> Problem:
    """Return what is wrong with a line that a script did not print so."""
    found = f"found {line.text.strip()[:120]!r} in a summary of {script}"
    return Problem(line.number, f"{found}, expected {expected}")


def whole_of(raw: str) -> bool:
    """Tell whether a number was cut: fio and iozone cut those without decimals."""
    return "." not in raw
