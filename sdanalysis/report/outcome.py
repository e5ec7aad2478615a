"""What is to be run, what a run tells while it lasts, and what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.report.answer import PARAGRAPH, TITLE, passage
from sdanalysis.report.pictures import Picture

_EXAMPLES = "data/examples"


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A notebook that is to be run with some parameters, and the page that it becomes."""

    notebook: Path
    page: Path
    values: Mapping[str, object]  # of the parameters that are set from outside
    parameters: Mapping[str, str]  # all of them, as Python source


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
    """What became of a notebook; one that failed has a page of its own, `failed_page`.

    `error` is empty when it ran through, else the line of the exception that stopped it. `cell` is
    the code cell that raised it, or None. `topic` and `order` say where the front page shows the
    report, `cover` which figure opens it; the tags of its cells decide.
    """

    title: str
    question: str = ""
    answer: str = ""
    topic: str = ""
    order: int = 99  # among the reports of its topic
    cover: Picture | None = None
    seconds: float = 0.0
    cell: int | None = None
    error: str = ""
    made: str = ""  # when it was run
    kept: bool = False  # from an earlier run, for nothing has changed since

    @property
    def failed_page(self) -> Path:
        """Where a run that failed is shown; the page of the last good run stays as it is."""
        return self.page.with_suffix(".failed.html")

    @property
    def shown(self) -> Path:
        """The page of this run."""
        return self.failed_page if self.error else self.page

    @property
    def of_example(self) -> bool:
        """Whether a parameter names one of the project's examples: the answer is of no card."""
        return any(_EXAMPLES in source for source in self.parameters.values())


Progress = Callable[[Event | Outcome], None]


class Executed(NamedTuple):
    """A notebook as far as it ran; the line of its error, and the code cell that raised it."""

    notebook: Any
    error: str = ""
    cell: int | None = None
    seconds: float = 0.0
    since: float = 0.0  # when the run began, seconds since 1970
    read: Sequence[str | None] = ()  # the files that it read: see `note.record`


def summarise(planned: Planned, executed: Executed, pictures: Sequence[Picture]) -> Outcome:
    """Return what became of a notebook; one that failed has no answer and no cover."""
    notebook, error = executed.notebook, executed.error
    covers = [picture for picture in pictures if picture.cover] or pictures
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    placed = {kind: place for kind, _, place in reversed([tag.partition("-") for tag in tags])}
    return Outcome(
        **vars(planned),
        title=passage(notebook, TITLE) or planned.notebook.stem,
        question=passage(notebook, PARAGRAPH.format("Question")),
        answer="" if error else passage(notebook, PARAGRAPH.format("Answer")),
        topic=placed.get("question", ""),
        order=int(placed.get("order", 99)),
        cover=None if error or not covers else covers[0],
        seconds=executed.seconds,
        cell=executed.cell,
        error=error,
    )
