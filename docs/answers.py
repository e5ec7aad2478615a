"""Copies the answers that the stored notebooks print to where a reader looks first.

Below the title of each notebook whose answer is printed by a cell tagged `answer`, and, the first
line of each, into the README, with the cover of `HERO`. `make notebooks` runs it after the
notebooks; tests/test_notebooks.py and tests/test_readme.py compare.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill

import nbformat

from sdanalysis.report.answer import PARAGRAPH, answer_cell, passage, with_answer

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
README = ROOT / "README.md"
HERO = "00_which_card"
# What a buyer asks first; docs/notebooks.md lists the other questions.
HEADLINES = ("00_which_card", "05_pi_model", "03_card_vintage")
_BLOCK = "<!-- {name}: written by docs/answers.py, do not edit -->\n{text}<!-- end of {name} -->"


def title_of(notebook: nbformat.NotebookNode) -> str:
    """Return the title cell as it has to be: where a cell is tagged, with the printed answer."""
    title = notebook.cells[0].source
    if answer_cell(notebook) is None:
        return title
    return with_answer(title, passage(notebook, PARAGRAPH.format("Answer")), stored=True)


def readme(text: str) -> str:
    """Return the README with the hero's picture and the answers as the notebooks have them now."""
    for name, block in (("picture", picture()), ("answers", answers())):
        found = re.escape(_BLOCK).replace(r"\{name\}", name).replace(r"\{text\}", ".*?")
        text, count = re.subn(
            found, lambda _, name=name, block=block: _BLOCK.format(name=name, text=block), text,
            flags=re.DOTALL,
        )  # fmt: skip
        if count != 1:
            raise SystemExit(f"README.md: found {count} blocks named {name}, expected one")
    return text


def picture() -> str:
    """Return the cover of the hero's notebook, with its words as caption."""
    cells = _read(HERO).cells
    covers = ["cover" in cell.metadata.get("tags", []) for cell in cells if _alt(cell)]
    number = covers.index(True) + 1
    alt = [_alt(cell) for cell in cells if _alt(cell)][number - 1]
    caption = fill(f"*{alt} Notebook `{HERO}`.*", 100)
    return f"![{alt}](docs/figures/{HERO}-{number}.png)\n\n{caption}\n"


def answers() -> str:
    """Return the first line of each answer, with its notebook, as a list."""
    lines = []
    for name in HEADLINES:
        notebook = _read(name)
        title = passage(notebook, r"^# +([^\n]+)")
        answer = passage(notebook, PARAGRAPH.format("Answer")).splitlines()[0]
        link = f"- **[{title}](notebooks/{name}.ipynb)** {answer}"
        lines.append(fill(link, 100, subsequent_indent="  ", break_on_hyphens=False))
    return "".join(f"{line}\n" for line in lines)


def _read(name: str) -> nbformat.NotebookNode:
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def _alt(cell: nbformat.NotebookNode) -> str:
    """Return the words of the picture that a cell shows; empty where it shows none."""
    shown = (output.get("metadata", {}).get("image/png", {}) for output in cell.get("outputs", []))
    return next((picture["alt"] for picture in shown if picture), "")


def write() -> None:
    """Write the answers into the notebooks and the README that do not have them yet."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        title = title_of(notebook)
        if title != notebook.cells[0].source:
            notebook.cells[0].source = title
            nbformat.write(notebook, path)
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
