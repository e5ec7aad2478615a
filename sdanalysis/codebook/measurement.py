"""What flows below the data frame: a measurement, a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sdanalysis.codebook.units import Unit


class Measurement(NamedTuple):
    """One printed number (or the word that stands in its place) with its conditions.

    Values are in base units: B/s, 1/s or s; sizes in bytes; `None` is missing. A tuple, because a
    frozen dataclass costs four times as much. A reader fills in the first fields by their order:
    what one figure says, then what all figures of a test share.
    """

    # what one figure says
    line: int
    column: int
    op: str
    metric: str
    stat: str = "single"
    raw: str | None = None
    raw_unit: str | None = None
    value: float | None = None
    value_low: float | None = None
    value_high: float | None = None
    unit: Unit | None = None  # what `raw_unit` means; not a column
    # what the figures of a test share
    tool: str = ""
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
    status: str = "measured"
    remarks: tuple[str, ...] = ()
    name: str = ""  # of the job, or of the value in its table; not a column
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
    # not columns: the label to look up in the catalogue where a correction gives one, and what was
    # done to the number, in words
    looked_up: str | None = None
    steps: tuple[str, ...] = ()


class Problem(NamedTuple):
    """What a reader could not read, or wants to say: `found ..., expected ...` at a line.

    `error` is an announced result that cannot be read. `doubt` is one that was read although its
    printed figures contradict one another. `note` is any other remark.
    """

    line: int
    text: str
    kind: str = "error"


Item = Measurement | Problem  # what a reader yields
