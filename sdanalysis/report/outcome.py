"""What a run tells while a notebook runs, and when it ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.report.pictures import Picture


@dataclass(frozen=True, kw_only=True)
class Event:
    """A notebook has started (`cell` 0) or is about to run code cell `cell` of `cells`.

    A class because it travels between processes. The page says which: one notebook may run with
    several sets of parameters. Cells count from 1, as the `In [n]` of the stored notebook; the
    cell that papermill puts in is not counted.
    """

    page: Path
    cell: int
    cells: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a notebook; a class because it travels between processes.

    `error` is empty when the notebook ran through, else the line of the exception that stopped
    it, and `cell` the code cell that raised it (None when it was none). `page` may be missing
    only if the whole process was lost. `values` are the parameters that were set from outside,
    `parameters` all of them as Python source. `topic`, `leads` and `cover` say where and how the
    front page shows the report; the tags of the notebook's cells decide.
    """

    notebook: Path
    page: Path
    values: Mapping[str, object]
    parameters: Mapping[str, str]
    title: str = ""
    question: str = ""
    answer: str = ""
    topic: str = ""
    leads: bool = False
    cover: Picture | None = None
    seconds: float = 0.0
    cell: int | None = None
    error: str = ""


Progress = Callable[[Event | Outcome], None]
