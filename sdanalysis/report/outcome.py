"""What is to be run, what a run tells while it lasts, and what became of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sdanalysis.report.pictures import Picture

TITLE = r"^# +([^\n]+)"
# From the word to the end of its paragraph, bold in prose or plain in what a cell prints.
PARAGRAPH = r"^(?:\*\*)?{}\.(?:\*\*)?\s+(.+?)(?=\n\s*\n|\n\*\*|\Z)"

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

    `error` is empty when it ran through, else the line of the exception that stopped it, and
    `cell` the code cell that raised it (None when it was none). `topic` and `order` say
    where the front page shows the report, `cover` which figure opens it; the tags of its cells
    decide.
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
    read: Sequence[str | None] = ()  # the files that it read: see `reads`


def summarise(planned: Planned, executed: Executed, pictures: Sequence[Picture]) -> Outcome:
    """Return what became of a notebook; one that failed has no answer and no cover."""
    notebook, error = executed.notebook, executed.error
    covers = [picture for picture in pictures if picture.cover] or pictures
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    topics = [tag.removeprefix("question-") for tag in tags if tag.startswith("question-")]
    orders = [tag.removeprefix("order-") for tag in tags if tag.startswith("order-")]
    return Outcome(
        **vars(planned),
        title=passage(notebook, TITLE) or planned.notebook.stem,
        question=passage(notebook, PARAGRAPH.format("Question")),
        answer="" if error else passage(notebook, PARAGRAPH.format("Answer")),
        topic=topics[0] if topics else "",
        order=int(orders[0]) if orders else 99,
        cover=None if error or not covers else covers[0],
        seconds=executed.seconds,
        cell=executed.cell,
        error=error,
    )


def title_of(path: Path) -> str:
    """Return the title of a notebook that has not been run."""
    import nbformat

    return passage(nbformat.read(path, as_version=4), TITLE) or path.stem


def passage(notebook: Any, pattern: str) -> str:
    """Return the first match in what the notebook prints, else in its prose, as plain text.

    Lines stay lines where they were printed; in prose they are only wrapped.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = [o.get("text") or o.get("data", {}).get("text/markdown", "") for o in outputs]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for text in (*printed, *prose):
        if match := re.search(pattern, text, re.MULTILINE | re.DOTALL):
            lines = match[1].splitlines() if text in printed else [match[1]]
            return re.sub(r"[*`]", "", "\n".join(" ".join(line.split()) for line in lines))
    return ""


def facts(planned: Planned, stamp: Mapping[str, Any]) -> dict[str, str]:
    """Return what each picture of a report says about itself, by keywords that PNG readers know."""
    return {
        "Software": f"sd-card-analysis {stamp['version']}",
        "Source": planned.notebook.name,
        "Parameters": ", ".join(f"{name} = {value}" for name, value in planned.parameters.items()),
        "Data": ", ".join(f"{name} sha256:{digest}" for name, digest in stamp["tables"].items()),
    }
