"""Reads from an executed notebook what an index says about it: title, answer, cover."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sdanalysis.report.outcome import Outcome, Planned
from sdanalysis.report.pictures import Picture

# From the word to the end of its paragraph, bold in prose or plain in what a cell prints.
PARAGRAPH = r"^(?:\*\*)?{}\.(?:\*\*)?\s+(.+?)(?=\n\s*\n|\n\*\*|\Z)"


class Executed(NamedTuple):
    """A notebook as far as it ran; the line of its error, and the code cell that raised it."""

    notebook: Any
    error: str = ""
    cell: int | None = None
    seconds: float = 0.0


def summarise(planned: Planned, executed: Executed, pictures: Sequence[Picture]) -> Outcome:
    """Return what became of a notebook; one that failed has no answer and no cover."""
    notebook, error = executed.notebook, executed.error
    covers = [picture for picture in pictures if picture.cover] or pictures
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    topics = [tag.removeprefix("question-") for tag in tags if tag.startswith("question-")]
    return Outcome(
        **vars(planned),
        title=passage(notebook, r"^# +([^\n]+)") or planned.notebook.stem,
        question=passage(notebook, PARAGRAPH.format("Question")),
        answer="" if error else passage(notebook, PARAGRAPH.format("Answer")),
        topic=topics[0] if topics else "",
        leads="lead" in tags,
        cover=None if error or not covers else covers[0],
        seconds=executed.seconds,
        cell=executed.cell,
        error=error,
    )


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
    parameters = [f"{name} = {value}" for name, value in planned.parameters.items()]
    data = f"{stamp['data']} sha256:{stamp['hash']}" if stamp["hash"] else ""
    return {
        "Software": f"sd-card-analysis {stamp['version']}",
        "Source": planned.notebook.name,
        "Parameters": ", ".join(parameters),
        "Data": data,
    }
