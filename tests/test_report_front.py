"""The front page: which report answers which question, with which picture, says the notebook."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from sdanalysis.report.outcome import Executed, Outcome, Planned, summarise
from sdanalysis.report.page import render_index
from sdanalysis.report.pictures import Picture

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
STAMP = {
    "version": "1.0",
    "made": "today",
    "tables": {"measurements.csv": "abc", "companions.csv": "def"},
    "companions": {"somebody-beyond": "https://example.org/"},
    "sources": {f"somebody-{n}": "https://example.org/" for n in range(5)},
}
TOPICS = {"sources", "card", "difference"}


PLANNED = Planned(notebook=Path("01.ipynb"), page=Path("01.html"), values={}, parameters={})


def outcome(name, **fields):
    about = {"notebook": Path(f"{name}.ipynb"), "page": Path(f"{name}.html")}
    return Outcome(**(vars(PLANNED) | about | {"title": f"Title {name}"} | fields))


def summary(notebook, pictures=(), **fields):
    return summarise(PLANNED, Executed(notebook, **fields), list(pictures))


def picture(number=1, section="A claim", *, cover=False):
    return Picture(
        number=number, section=section, alt="Alt.", png="AA==", csv="", name="", cover=cover
    )


def index(*outcomes, title="", missing=(), earlier=()):
    return render_index(
        outcomes=outcomes, stamp=STAMP, title=title, missing=missing, earlier=earlier, above=True
    )


def order(page):
    """Headings and titles as they follow each other."""
    found = re.findall(r"<h[23][^>]*>(.*?)</h[23]>", page, re.DOTALL)
    return [re.sub(r"<.*?>", "", heading) for heading in found]


def notebook(*, tags=(), answer="Answer. It is 5.\nOn 2 lines.\n\nMore."):
    printing = new_code_cell("print()")
    printing.outputs = [new_output("stream", name="stdout", text=answer)]
    title = new_markdown_cell("# What *is* it?\n\n**Question.** What?", metadata={"tags": [*tags]})
    return new_notebook(cells=[title, printing])


# --- what a notebook says of itself --------------------------------------------------------------


def test_title_answer_topic_and_lead_come_from_the_notebook():
    found = summary(notebook(tags=["question-card", "lead"]))
    assert (found.title, found.question) == ("What is it?", "What?")
    assert found.answer == "It is 5.\nOn 2 lines."
    assert (found.topic, found.leads, found.cover) == ("card", True, None)


def test_the_cover_is_the_tagged_picture_else_the_first():
    pictures = [picture(1), picture(2, cover=True), picture(3, cover=True)]
    assert summary(notebook(), pictures).cover.number == 2
    assert summary(notebook(), pictures[:1]).cover.number == 1


def test_a_notebook_that_failed_has_neither_answer_nor_cover():
    found = summary(notebook(), [picture()], error="KeyError")
    assert (found.answer, found.cover) == ("", None)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_names_its_question_and_a_cover(path):
    """Tags: question-sources, question-card or question-difference once; cover on one figure."""
    cells = nbformat.read(path, as_version=4).cells
    tagged = [(tag, cell) for cell in cells for tag in cell.metadata.get("tags", [])]
    topics = [tag.removeprefix("question-") for tag, _ in tagged if tag.startswith("question-")]
    assert len(topics) == 1
    assert topics[0] in TOPICS
    [cover] = [cell for tag, cell in tagged if tag == "cover"]
    assert any("image/png" in output.get("data", {}) for output in cover.outputs)


def test_no_question_has_two_leading_notebooks():
    found = [summary(nbformat.read(path, as_version=4)) for path in NOTEBOOKS]
    leading = [notebook.topic for notebook in found if notebook.leads]
    assert len(leading) == len(set(leading))


# --- the page ------------------------------------------------------------------------------------


def test_reports_stand_below_their_question_the_leading_one_first():
    page = index(
        outcome("01", topic="sources"),
        outcome("02", topic="difference"),
        outcome("03", topic="sources", leads=True),
        outcome("04"),
        outcome("05", topic="nonsense"),
    )
    assert order(page) == [
        *("What do the five sources really say?", "Title 03", "Title 01"),
        *("Is this difference real or noise?", "Title 02"),
        *("More reports", "Title 04", "Title 05"),
        "Sources",
    ]


def test_one_report_without_a_question_needs_no_other_heading():
    assert order(index(outcome("01"))) == ["More reports", "Title 01", "Sources"]


def test_an_answer_stands_with_its_figures_set_off_and_a_picture_that_leads_to_its_section():
    page = index(outcome("01", answer="Of 1,234 on pi-2b: 2.5, 7, & 12% <b>.", cover=picture(4)))
    assert "Of <b>1,234</b> on pi-2b: <b>2.5</b>, <b>7</b>, &amp; <b>12%</b> &lt;b&gt;." in page
    assert page.count('href="01.html#figure-4"') == 2
    assert '<img alt="Alt." src="data:image/png;base64,AA==">' in page


@pytest.mark.parametrize("text", ["perrin-2016", "4K", "x2", "usb3", "pi-3b-sd100", "2016-03-09"])
def test_a_figure_within_a_name_is_not_set_off(text):
    assert f"<p>{text} is it</p>" in index(outcome("01", answer=f"{text} is it"))


def test_a_failed_report_says_where_and_a_lost_one_has_no_link():
    page = index(outcome("01", error="KeyError: '<a>'", cell=3), missing=["01.html"])
    assert "Failed in cell 3:</strong> <code>KeyError: &#39;&lt;a&gt;&#39;</code>" in page
    assert 'href="01.html"' not in page


def test_the_front_page_says_what_it_was_made_from():
    page = index(outcome("01", parameters={"tool": "'iozone'"}, values={"tool": "iozone"}))
    assert "Made today with sd-card-analysis 1.0 from measurements.csv, sha256" in page
    assert " and companions.csv, sha256" in page
    assert "somebody-beyond, beyond them: " in page
    assert "<strong>tool = <code>&#39;iozone&#39;</code></strong>" in page
    assert "somebody-4" in page
    assert "01.ipynb" in page


def test_an_index_of_sets_names_each_set_and_leads_back():
    page = index(
        outcome("a", title="One notebook"),
        outcome("b", title="One notebook", topic="card"),
        title="All hosts",
        earlier=["old.html"],
    )
    assert order(page) == ["a", "b", "Left by earlier runs", "Sources"]
    assert "<h1>All hosts</h1>" in page
    assert "2 sets of parameters of <em>One notebook</em>" in page
    assert 'href="../index.html"' in page
