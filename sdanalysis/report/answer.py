"""What a notebook says of itself: its title, its question, and the answer that it prints.

The cell tagged `answer` prints it, from the figures. A stored notebook has a copy in its title
cell, for those who read it without running it. A page opens with the answer of its own run.
"""

import re
from typing import Any

TAG = "answer"
STORED = "*Stored with the parameters below; run the cells for the answer with others.*"
TITLE = r"^# +([^\n]+)"
# From the word to the end of its paragraph, bold in prose or plain in what a cell prints.
PARAGRAPH = r"^(?:\*\*)?{}\.(?:\*\*)?\s+(.+?)(?=\n\s*\n|\n\*\*|\Z)"
_COPY = re.compile(rf"\n\n\*\*Answer\.\*\*.*?(?=\n\n|\Z)(?:\n\n{re.escape(STORED)})?", re.DOTALL)
_QUESTION = re.compile(r"^\*\*Question\.\*\*.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
# Where the first sentence ends; one of two or three words says nothing without the next.
_SENTENCE = re.compile(r"(?<=.{30}[.?!]) +(?=[A-Z0-9])")
_MARKDOWN = re.compile(r"[\\`*_~<>|\[\]#]")


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


def with_answer(title: str, answer: str, *, stored: bool = False) -> str:
    r"""Return the Markdown of a title cell with this answer below its question, and no other.

    The answer is plain text whose lines stay lines; an empty one leaves none. `stored` adds that
    it belongs to the stored parameters.

    Examples
    --------
    >>> with_answer("# Cards\n\n**Question.** How many?\n\nMore.", "4 cards.")
    '# Cards\n\n**Question.** How many?\n\n**Answer.** 4 cards.\n\nMore.'
    """
    bare = _COPY.sub("", title)
    if not answer:
        return bare
    lines = _MARKDOWN.sub(r"\\\g<0>", answer).splitlines()
    copy = "**Answer.** " + "  \n".join(lines) + (f"\n\n{STORED}" if stored else "")
    question = _QUESTION.search(bare)
    end = question.end() if question else len(bare)
    return f"{bare[:end]}\n\n{copy}{bare[end:]}"


def drop_copy(notebook: Any) -> None:
    """Take the stored copy out of a notebook that prints its own answer: it may be another's."""
    if answer_cell(notebook) is not None:
        notebook.cells[0].source = with_answer(notebook.cells[0].source, "")


def take_opening(notebook: Any, answer: str) -> None:
    """Take title, question and answer out of a notebook whose page opens with them."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.search(TITLE, cell.source, re.MULTILINE):
            bare = re.sub(TITLE, "", with_answer(cell.source, ""), count=1, flags=re.MULTILINE)
            cell.source = _QUESTION.sub("", bare, count=1).strip()
            break
    cell = answer_cell(notebook)
    if cell is None or not answer:
        return
    for output in cell.outputs:
        if "text" in output:
            output.text = re.sub(r"^Answer\. .+?(?:\n\s*\n|\Z)", "", output.text, flags=re.DOTALL)
    cell.outputs = [output for output in cell.outputs if output.get("text", "...")]


def opening(answer: str) -> tuple[str, list[str]]:
    """Split an answer into its first sentence, which is shown large, and the lines after it."""
    first, *lines = answer.splitlines() or [""]
    sentence, *rest = re.split(_SENTENCE, first, maxsplit=1)
    return sentence, [*rest, *lines]


def answer_cell(notebook: Any) -> Any | None:
    """Return the cell tagged `answer`, the first of them, or None."""
    tagged = (cell for cell in notebook.cells if TAG in cell.metadata.get("tags", []))
    return next(tagged, None)
