"""Copies the answer that each stored notebook prints below its title, where a reader looks first.

Only notebooks with a cell tagged `answer`. `make notebooks` runs it after the notebooks;
tests/test_notebooks.py compares.
"""

from __future__ import annotations

from pathlib import Path

import nbformat

from sdanalysis.report.answer import answer_cell, with_answer
from sdanalysis.report.outcome import PARAGRAPH, passage

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def title_of(notebook: nbformat.NotebookNode) -> str:
    """Return the title cell as it has to be: where a cell is tagged, with the printed answer."""
    title = notebook.cells[0].source
    if answer_cell(notebook) is None:
        return title
    return with_answer(title, passage(notebook, PARAGRAPH.format("Answer")), stored=True)


def write() -> None:
    """Write the answers into the notebooks that do not have them yet."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        title = title_of(notebook)
        if title != notebook.cells[0].source:
            notebook.cells[0].source = title
            nbformat.write(notebook, path)


if __name__ == "__main__":
    write()
