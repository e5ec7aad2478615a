"""The answer stands below the title: a copy in a stored notebook, its own in a report."""

from pathlib import Path

import answers
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from report_pages import executing_here, notebook_at

from sdanalysis import report
from sdanalysis.report.answer import STORED, drop_copy, opening, take_opening, with_answer

ROOT = Path(__file__).parents[1]
TITLE = "# Cards\n\n**Question.** How many\ncards?\n\nMore."


def notebook(*, tags=("answer",), title=TITLE, printed="Answer. It is 4.\nOr 5.\n\nRest.\n"):
    cell = new_code_cell("print()", metadata={"tags": [*tags]})
    cell.outputs = [new_output("stream", name="stdout", text=printed)]
    return new_notebook(cells=[new_markdown_cell(title), cell])


@pytest.mark.parametrize(
    ("title", "answer", "expected"),
    [
        (TITLE, "It is 4.\nOr 5.", TITLE[:-7] + "\n\n**Answer.** It is 4.  \nOr 5.\n\nMore."),
        ("# Cards\n\nMore.", "4", "# Cards\n\nMore.\n\n**Answer.** 4"),
        ("# A", "2 * 3 ~ 6 <b> a_b_c", "# A\n\n**Answer.** 2 \\* 3 \\~ 6 \\<b\\> a\\_b\\_c"),
    ],
)
def test_an_answer_stands_below_the_question_line_by_line_and_is_no_markup(title, answer, expected):
    assert with_answer(title, answer) == expected


@pytest.mark.parametrize("stored", [True, False])
def test_a_new_answer_replaces_the_old_one_which_may_say_that_it_was_stored(stored):
    old = with_answer(TITLE, "It is 4.\nOr 5.", stored=stored)
    assert (STORED in old) == stored
    assert with_answer(old, "6") == with_answer(TITLE, "6")
    assert with_answer(old, "") == TITLE


def test_title_question_and_answer_leave_their_cells_and_what_else_stands_there_stays():
    found = notebook(title=with_answer(TITLE, "Stored."))
    take_opening(found, "It is 4.\nOr 5.")
    assert found.cells[0].source == "More."
    assert [output.text for output in found.cells[1].outputs] == ["Rest.\n"]
    found = notebook(printed="Answer. It is 4.\n")
    take_opening(found, "It is 4.")
    assert found.cells[1].outputs == []


def test_a_stored_copy_goes_where_the_notebook_prints_its_own():
    found = notebook(title=with_answer(TITLE, "Stored."))
    code = found.cells[1].source
    drop_copy(found)
    assert [cell.source for cell in found.cells[:2]] == [TITLE, code]


def test_what_a_cell_without_the_tag_prints_stays():
    found = notebook(tags=(), title=with_answer(TITLE, "Typed."))
    before = nbformat.writes(found)
    drop_copy(found)
    assert nbformat.writes(found) == before
    take_opening(found, "It is 4.")
    assert found.cells[1].outputs[0].text.startswith("Answer. It is 4.")


@pytest.mark.parametrize(
    ("first", "others"),
    [
        ("", ""),
        ("One line of it.", ""),
        ("A card that writes 2.5 MB/s is slow.", "Another is not.\nMore."),
        ("Not certain. When writing, the older one is faster.", "So."),
        ("The fastest one reads at 2 MB/s.", "4 others do not."),
    ],
)
def test_the_first_sentence_of_an_answer_is_apart_if_it_says_something(first, others):
    assert opening(f"{first} {others}".strip()) == (first, others.splitlines())


def test_a_report_has_the_answer_of_its_own_run_once_before_any_code_and_of_one_that_failed_none(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(report, "executing", executing_here)
    title = with_answer(TITLE, "It is 4.", stored=True)
    code = "assert number < 9\nprint(f'Answer. It is {number}.')"
    path = notebook_at(tmp_path / "01_toy.ipynb", title, code, parameters="number: int = 4")
    for number, answer in (("5", "It is 5."), ("9", "")):
        given = {"output": tmp_path, "parameters": {"number": number}}
        (outcome,) = report.run([path], **given, progress=lambda _: None)
        page = outcome.shown.read_text().rpartition("\n<!--")[0]
        assert (outcome.answer, bool(outcome.error)) == (answer, not answer)
        assert "It is 4." not in page
        assert page.count("It is 5.") == bool(answer)
        if answer:
            assert page.index(answer) < page.index("Code of cell 1")


def test_the_stored_notebooks_hold_the_answers_that_they_print():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        stored = nbformat.read(path, as_version=4)
        assert stored.cells[0].source == answers.title_of(stored)
