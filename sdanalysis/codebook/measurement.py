"""What flows below the data frame: a numbered line, a measurement, a problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from typing import NamedTuple


class Line(NamedTuple):
    """One line of a file: its number (from 1) and its text without line end or control codes."""

    number: int
    text: str


class LastLine(Line):
    """The last line of a file whose line end is there: nothing of the line was cut off."""

    __slots__ = ()


class Measurement(NamedTuple):
    """One printed number (or the word that stands in its place) with its conditions.

    Values are in base units: B/s, 1/s or s; sizes in bytes. Built with keywords only, or by
    `with_values`; `None` is missing. A tuple, because a frozen dataclass costs four times as much.
    """

    line: int
    column: int
    tool: str
    op: str
    metric: str
    raw: str | None
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    raw_unit: str | None = None
    stat: str = "single"
    status: str = "measured"
    tool_version: str | None = None
    script: str | None = None
    block_size: int | None = None
    file_size: int | None = None
    numjobs: int | None = None
    iodepth: int | None = None
    read_mix: float | None = None
    direct: bool | None = None
    repeat: int = 1
    run: str | None = None
    remarks: tuple[str, ...] = ()
    # filled in by `sources`
    id: str | None = None
    source: str | None = None
    file: str | None = None
    measured_by: str | None = None
    origin: str = "primary"
    host: str | None = None
    reader: str | None = None
    system: str | None = None
    label: str | None = None
    # not columns: the name of the value in its table, the label to look up in the catalogue
    # where a correction gives one, and what was done to the number, in words
    name: str = ""
    looked_up: str | None = None
    steps: tuple[str, ...] = ()


@cache
def with_values(*names: str) -> Callable[..., Measurement]:
    """Return what makes a measurement of another one and of values for the fields with these names.

    Half the time of a call with so many keywords: for a tool's usual rows.

    Examples
    --------
    >>> first = Measurement(line=1, column=5, tool="dd", op="read", metric="bandwidth", raw="12")
    >>> with_values("line", "raw")(first, 2, "13")[:6]
    (2, 5, 'dd', 'read', 'bandwidth', '13')
    """
    places = {name: place for place, name in enumerate((*Measurement._fields, *names))}
    values_of = itemgetter(*(places[name] for name in Measurement._fields))
    new = partial(tuple.__new__, Measurement)
    return lambda other, *values: new(values_of(other + values))


class Problem(NamedTuple):
    """What a parser could not read, or wants to say: `found ..., expected ...` at a line.

    `error` is an announced result that cannot be read; `doubt` one that was read although its
    printed figures exclude one another; `note` is worth a word and neither.
    """

    line: int
    text: str
    kind: str = "error"


Item = Measurement | Problem  # what a parser yields
