"""The front page: which report answers which question, with which picture, says the notebook."""

import re
from dataclasses import replace
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
TOPICS = {"card", "owner", "log", "analyst"}


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


@pytest.fixture
def index(tmp_path):
    """The index over some outcomes, in a folder where these files lie."""

    def render(*outcomes, title="", there=(), picker=""):
        for name in there:
            (tmp_path / "reports" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "reports" / name).write_text("a page")
        return render_index(outcomes, tmp_path / "reports", STAMP, title, picker)

    return render


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


def test_title_answer_topic_and_order_come_from_the_notebook():
    found = summary(notebook(tags=["question-card", "order-3"]))
    assert (found.title, found.question) == ("What is it?", "What?")
    assert found.answer == "It is 5.\nOn 2 lines."
    assert (found.topic, found.order, found.cover) == ("card", 3, None)


def test_the_cover_is_the_tagged_picture_else_the_first():
    pictures = [picture(1), picture(2, cover=True), picture(3, cover=True)]
    assert summary(notebook(), pictures).cover.number == 2
    assert summary(notebook(), pictures[:1]).cover.number == 1


def test_a_notebook_that_failed_has_neither_answer_nor_cover():
    found = summary(notebook(), [picture()], error="KeyError")
    assert (found.answer, found.cover) == ("", None)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_names_its_question_and_a_cover(path):
    """Tags: question-card, -owner, -log or -analyst once; cover on one figure."""
    cells = nbformat.read(path, as_version=4).cells
    tagged = [(tag, cell) for cell in cells for tag in cell.metadata.get("tags", [])]
    topics = [tag.removeprefix("question-") for tag, _ in tagged if tag.startswith("question-")]
    assert len(topics) == 1
    assert topics[0] in TOPICS
    [cover] = [cell for tag, cell in tagged if tag == "cover"]
    assert any("image/png" in output.get("data", {}) for output in cover.outputs)


def test_the_questions_of_a_group_have_a_place_each():
    found = [summary(nbformat.read(path, as_version=4)) for path in NOTEBOOKS]
    places = [(one.topic, one.order) for one in found]
    assert len(places) == len(set(places)) and [topic for topic, _ in places].count("card") == 1


# --- the page ------------------------------------------------------------------------------------


def test_reports_stand_below_their_group_in_their_order(index):
    page = index(
        outcome("01", topic="analyst"),
        outcome("02", topic="owner", order=2),
        outcome("03", topic="owner", order=1),
        outcome("04"),
        outcome("05", topic="nonsense"),
    )
    assert order(page) == [
        "Other questions",
        "For analysts",
        "More reports",
        "Five words",
        "Sources",
    ]
    assert re.findall(r">(Title \d+)<", page) == [f"Title 0{n}" for n in (3, 2, 1, 4, 5)]


def test_a_question_has_the_first_line_of_its_answer(index):
    page = index(outcome("01", topic="owner", answer="2 & 3 <b>.\nids"))
    assert "<dd>2 &amp; 3 &lt;b&gt;.</dd>" in page
    assert "ids" not in page


def test_the_page_opens_with_which_card_and_leads_to_its_report(index):
    page = index(outcome("00", topic="card"), picker='<form class="picker"></form>')
    assert page.index("<h1>Which microSD card") < page.index('<form class="picker">')
    assert page.index('<form class="picker">') < page.index('<a href="00.html">Title 00</a>')


def test_a_choice_leads_to_the_page_that_answers_it_and_to_none_that_is_not_there(index):
    choices = "<!-- page pi-5 system --><!-- page pi-2b system -->"
    asked = {"host": "'pi-5'", "use": "'system'"}
    given = {"topic": "card", "values": {"host": "pi-5"}, "parameters": asked}
    page = index(outcome("00-pi-5", **given), picker=choices, there=["00-pi-5.html"])
    assert re.findall(r'<p class="whole"><a href="(.*?)">', page) == ["00-pi-5.html"]


def test_a_picture_that_opens_a_report_has_ids_of_its_own_on_the_index_of_sets(index):
    drawn = '<svg><a id="figure-1-a"/><use href="#figure-1-a"/></svg>'
    page = index(outcome("01", cover=replace(picture(cover=True), svg=drawn)), title="Sets")
    assert '<svg><a id="01-figure-1-a"/><use href="#01-figure-1-a"/></svg>' in page


def test_another_board_of_which_card_has_a_line_of_its_own(index):
    given = {"topic": "card", "values": {"host": "pi-3b"}, "answer": "Take A."}
    page = index(outcome("00"), outcome("00-host-pi-3b", **given))
    assert "More for your board" in order(page)
    assert "<dd>Take A." in page


def test_what_the_projects_example_gave_is_no_answer(index):
    given = {"answer": "2.66 MB/s.", "cover": picture(), "topic": "log", "question": "Where?"}
    page = index(outcome("08", parameters={"paths": "'data/examples/a.log'"}, **given))
    assert "2.66" not in page
    assert "<img" not in page
    assert "run it with your log" in page
    own = index(outcome("08", parameters={"paths": "'card.log'"}, **given))
    assert "<dd>2.66 MB/s.</dd>" in own


def test_all_cards_are_linked_where_their_page_is(index):
    assert "cards.html" not in index(outcome("01"))
    page = index(outcome("01"), there=["cards.html"])
    assert '<li><a href="cards.html">All cards</a>' in page
    assert "Left by earlier runs" not in page


def test_a_failed_report_says_where_and_leads_to_its_page_and_to_the_last_good_one(index):
    failed = outcome("01", error="KeyError: '<a>'", cell=3)
    page = index(failed)
    assert "Failed in cell 3:</strong> <code>KeyError: &#39;&lt;a&gt;&#39;</code>" in page
    assert 'href="01.failed.html"' in page
    assert 'href="01.html"' not in page
    assert 'href="01.html"' in index(failed, there=["01.html"])


def test_the_front_page_says_what_it_was_made_from(index):
    page = index(outcome("01", parameters={"tool": "'iozone'"}, values={"tool": "iozone"}))
    assert "Made today with sd-card-analysis 1.0 from measurements.csv, sha256" in page
    assert " and companions.csv, sha256" in page
    assert "somebody-beyond, beyond them: " in page
    assert "<strong>tool = <code>&#39;iozone&#39;</code></strong>" in page
    assert "somebody-4" in page


def test_an_index_of_sets_names_each_set_and_leads_back(index):
    page = index(
        outcome("a", title="One notebook"),
        outcome("b", title="One notebook", topic="card"),
        title="All hosts",
        there=["old.html", "../index.html"],
    )
    assert order(page) == ["a", "b", "Left by earlier runs", "Sources"]
    assert "<h1>All hosts</h1>" in page
    assert "2 sets of parameters of <em>One notebook</em>" in page
    assert 'href="../index.html"' in page
