"""What the tests in a browser look at: the notebooks, and a toy that holds whatever a page may."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
PHONE, DESK = 390, 1300
TABLE = """\
import pandas
pandas.DataFrame({
    "card": ["b", "a", "c", "d", "a10", "a9"],
    "rate": ["1,234", "~", "9.5", None, "-3", "9.5"],
    "n": [3, 1, 2, 2, 1, 3],
})"""
LEVELS = "pandas.DataFrame({('a', 'x'): [2, 1], ('a', 'y'): [1, 2]})"
EMPTY = "pandas.DataFrame({'n': []})"
WIDE = "pandas.DataFrame([['word' * 9] * 9], columns=['a column' * 3] * 9)"
ONE_ROW = "pandas.DataFrame({'n': [1]})"
FIGURE = """\
import matplotlib.pyplot as plt
from sdanalysis.plots.show import show
fig, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2.5])
show(fig, alt="Two bars.", data=pandas.DataFrame({"bar": ["a", "é, b"], "height": [1, 2.5]}))"""


def toy():
    """A notebook with an answer, tables, a figure that its page opens with, and an appendix."""
    title = new_markdown_cell("# Toy\n\n**Question.** Which?\n\nA word about it.")
    tagged = {"metadata": {"tags": ["answer"]}}
    answer = new_code_cell(
        "print('Answer. The second of two is twice as long. And so on.')", **tagged
    )
    claim, other = new_markdown_cell("## A claim"), new_markdown_cell("## Another claim\n\nText.")
    shown = [new_code_cell(source) for source in (TABLE, LEVELS, ONE_ROW, FIGURE)]
    appendix = new_markdown_cell("## Appendix: more\n\n### What was left out")
    folded = [new_code_cell(source) for source in (EMPTY, WIDE)]
    return new_notebook(cells=[title, answer, claim, *shown, other, appendix, *folded])
