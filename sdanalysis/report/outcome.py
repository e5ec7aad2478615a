"""What is to be run, what a run tells while it lasts, and what became of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sdanalysis.report.pictures import Picture


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A notebook that is to be run with some parameters, and the page that it becomes.

    `values` are the parameters that are set from outside, `parameters` all of them as Python
    source.
    """

    notebook: Path
    page: Path
    values: Mapping[str, object]
    parameters: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Event:
    """A notebook has started (`cell` 0) or is about to run code cell `cell` of `cells`.

    The page says which: one notebook may run with several sets of parameters. Cells count from 1,
    as the `In [n]` of the stored notebook; the cell that papermill puts in is not counted.
    """

    page: Path
    cell: int
    cells: int


@dataclass(frozen=True, kw_only=True)
class Outcome(Planned):
    """What became of a notebook.

    `error` is empty when it ran through, else the line of the exception that stopped it, and
    `cell` the code cell that raised it (None when it was none). The page is missing only if the
    process was lost. `topic`, `leads` and `cover` say where and how the front page shows the
    report; the tags of the notebook's cells decide.
    """

    title: str
    question: str = ""
    answer: str = ""
    topic: str = ""
    leads: bool = False
    cover: Picture | None = None
    seconds: float = 0.0
    cell: int | None = None
    error: str = ""


Progress = Callable[[Event | Outcome], None]
