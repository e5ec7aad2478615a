"""Reads from an executed notebook what an index says about it: title, answer, cover."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdanalysis.report.outcome import Outcome
from sdanalysis.report.pictures import Picture

# From the word to the end of its paragraph, bold in prose or plain in what a cell prints.
PARAGRAPH = r"^(?:\*\*)?{}\.(?:\*\*)?\s+(.+?)(?=\n\s*\n|\n\*\*|\Z)"


def summarise(notebook: Any, pictures: Sequence[Picture], outcome: Outcome) -> Outcome:
    """Return the outcome with what the notebook says; one that failed has no answer, no cover."""
    covers = [picture for picture in pictures if picture.cover] or pictures
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    topics = [tag.removeprefix("question-") for tag in tags if tag.startswith("question-")]
    return replace(
        outcome,
        title=passage(notebook, r"^# +([^\n]+)") or outcome.notebook.stem,
        question=passage(notebook, PARAGRAPH.format("Question")),
        answer="" if outcome.error else passage(notebook, PARAGRAPH.format("Answer")),
        topic=topics[0] if topics else "",
        leads="lead" in tags,
        cover=None if outcome.error or not covers else covers[0],
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


def facts(outcome: Outcome, stamp: Mapping[str, Any]) -> dict[str, str]:
    """Return what each picture of a report says about itself, by keywords that PNG readers know."""
    parameters = [f"{name} = {value}" for name, value in outcome.parameters.items()]
    data = f"{stamp['data']} sha256:{stamp['hash']}" if stamp["hash"] else ""
    return {
        "Software": f"sd-card-analysis {stamp['version']}",
        "Source": outcome.notebook.name,
        "Parameters": ", ".join(parameters),
        "Data": data,
    }
