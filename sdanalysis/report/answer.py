"""Puts the answer of a notebook where a reader looks first.

The cell tagged `answer` prints it, from the figures. A stored notebook holds a copy in its title
cell, for those who read it without running it; a page opens with that of its own run, and no other.
"""

import re
from typing import Any

TAG = "answer"
STORED = "*Stored with the parameters below; run the cells for the answer with others.*"
_COPY = re.compile(rf"\n\n\*\*Answer\.\*\*.*?(?=\n\n|\Z)(?:\n\n{re.escape(STORED)})?", re.DOTALL)
_QUESTION = re.compile(r"^\*\*Question\.\*\*.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
# Where the first sentence ends; one of two or three words says nothing without the next.
_SENTENCE = re.compile(r"(?<=.{30}[.?!]) +(?=[A-Z0-9])")
_TITLE = re.compile(r"^# +[^\n]+", re.MULTILINE)
_MARKDOWN = re.compile(r"[\\`*_~<>|\[\]#]")


def with_answer(title: str, answer: str, *, stored: bool = False) -> str:
    r"""Return the Markdown of a title cell with this answer below its question, and no other.

    The answer is plain text whose lines stay lines; an empty one leaves none. `stored` adds that
    it belongs to the stored parameters.

    Examples
    --------
    >>> print(with_answer("# Cards\n\n**Question.** How many?\n\nMore.", "4 cards."))
    # Cards
    <BLANKLINE>
    **Question.** How many?
    <BLANKLINE>
    **Answer.** 4 cards.
    <BLANKLINE>
    More.
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
        if cell.cell_type == "markdown" and _TITLE.search(cell.source):
            bare = _TITLE.sub("", with_answer(cell.source, ""), count=1)
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
    r"""Split an answer into its first sentence, which is shown large, and the lines after it.

    Examples
    --------
    >>> opening("Not certain. Of 24 cards in 1.5 tests 2 win. Others lose.\nOne ran twice.")
    ('Not certain. Of 24 cards in 1.5 tests 2 win.', ['Others lose.', 'One ran twice.'])
    """
    first, *lines = answer.splitlines() or [""]
    sentence, *rest = re.split(_SENTENCE, first, maxsplit=1)
    return sentence, [*rest, *lines]


def answer_cell(notebook: Any) -> Any | None:
    """Return the cell tagged `answer`, the first of them, or None."""
    tagged = (cell for cell in notebook.cells if TAG in cell.metadata.get("tags", []))
    return next(tagged, None)
