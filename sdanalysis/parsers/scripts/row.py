"""One figure of a script's summary -> a measurement, or a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sdanalysis.codebook.measurement import Item, LastLine, Line, Measurement, Problem
from sdanalysis.codebook.units import figure
from sdanalysis.errors import SdAnalysisError

FROM_SCRIPT = "from-script"
MARGIN = r"\s*+\W{0,40}?"  # quoting, a list, a table's border
# as GNU dd prints it: three digits, or one behind the point
DD_RATE = re.compile(r"(?P<rate>[0-9]{1,2}\.[0-9]|[0-9]{3}) (?P<unit>[kMGT]B/s)")
_INDENT = 40  # blanks before a line; before a part of one stand as many as there were letters
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

    `said` are the fields of the measurement that the script's command settles. Letters behind the
    number are of its unit.
    """
    printed = match[name].rstrip("kKMGiBs/")
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
    if unit[1].endswith("IOPS") and printed != match[name]:  # `7.4k` has no word of its own
        fields |= {"raw": match[name], "raw_unit": "IOPS"}
    return Measurement(line=line.number, column=column, name=name, **fields)


def note(line: Line, text: str) -> Problem:
    """Return a word on a line that gives no row, and is no error."""
    return Problem(line.number, text, "note")


def place(line: Line) -> str:
    """Return a name for where a line stands, of which a page may have made several one."""
    indent = len(line.text) - len(line.text.lstrip())
    return f"{line.number}.{indent + 1}" if indent > _INDENT else f"{line.number}"


def of_runs(line: Line) -> Problem:
    """Return a word on the mean that a script prints of its runs."""
    return note(line, "found the mean of the runs above it: not counted")


def ends_log(line: Line, lines: Sequence[Line]) -> bool:
    """Tell whether a line may go on: it is the last one, and its end is not there."""
    return line is lines[-1] and not isinstance(line, LastLine)


def cut(line: Line) -> Problem:
    """Return a word on a line that ends the log in a figure."""
    return note(line, "found a figure that ends with the file and may be cut: not read")


def unreadable(line: Line, script: str, expected: str) -> Problem:
    """Return what is wrong with a line that a script did not print so."""
    found = f"found {line.text.strip()[:120]!r} in a summary of {script}"
    return Problem(line.number, f"{found}, expected {expected}")
