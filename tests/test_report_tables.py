"""The tables of a page are those of pandas, made readable: fitted, without gaps, with their CSV."""

import base64
import csv
import io
import re

import pandas as pd
import pytest

from sdanalysis.report.body import NOT_DESCRIBED, headings, tidy


def rows(page):
    """The texts of the cells, row by row."""
    found = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    return [[text(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in found]


def text(markup):
    return re.sub(r"<.*?>", "", markup).strip()


def saved(page):
    """The rows of the CSV below the one table of a page."""
    [content] = re.findall(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', page)
    return list(csv.reader(io.StringIO(base64.b64decode(content).decode())))


def shown(frame):
    return tidy(frame.to_html(), "01_page")


def test_an_index_that_only_counts_goes_and_one_that_names_stays():
    numbers = pd.DataFrame({"n": [5, 6]}, index=[7, 9])
    assert rows(shown(numbers)) == [["n"], ["5"], ["6"]]
    named = pd.DataFrame({"n": [5, 6]}, index=["a", "b"])
    assert rows(shown(named)) == [["", "n"], ["a", "5"], ["b", "6"]]
    meant = pd.DataFrame({"n": [5, 6]}, index=pd.Index([1, 2], name="processes"))
    assert rows(shown(meant)) == [["processes", "n"], ["1", "5"], ["2", "6"]]


def test_the_names_of_an_index_stand_in_the_row_of_the_headings():
    keys = pd.MultiIndex.from_tuples([("a", "x"), ("b", "y")], names=["tool", "op"])
    page = shown(pd.DataFrame({"n": [5, 6]}, index=keys))
    assert rows(page)[0] == ["tool", "op", "n"]
    table = pd.DataFrame({"test": ["x", "y"], "kind": ["a", "a"], "n": [1, 2]})
    wide = table.pivot(index="test", columns="kind", values="n")
    assert rows(shown(wide)) == [["test", "a"], ["x", "1"], ["y", "2"]]


def test_what_is_missing_is_a_dash_on_the_page_and_nothing_in_the_csv():
    frame = pd.DataFrame({"a": [1.5, None], "b": pd.array([None, 4], dtype="Int64")})
    page = shown(frame.assign(c=pd.Series(["x", None], dtype=object)))
    assert rows(page)[1:] == [["1.5", "–", "x"], ["–", "4", "–"]]
    assert saved(page) == [["a", "b", "c"], ["1.5", "", "x"], ["", "4", ""]]


def test_true_and_false_are_words_and_whole_numbers_are_whole():
    frame = pd.DataFrame({"sure": [True, False], "rate": [1317.0, 5.0], "ratio": [2.0, 99.0]})
    assert rows(shown(frame))[1:] == [["yes", "1317", "2.0"], ["no", "5", "99.0"]]
    assert saved(shown(frame))[1:] == [["True", "1317.0", "2.0"], ["False", "5.0", "99.0"]]


def test_columns_of_words_and_of_sentences_are_named_from_the_right():
    page = shown(pd.DataFrame({"text": ["a sentence " * 4], "word": ["x" * 32], "n": ["1.5 %"]}))
    assert 'class="dataframe text-3 word-2"' in page or 'class="dataframe word-2 text-3"' in page


def test_a_table_without_a_row_is_a_sentence():
    page = shown(pd.DataFrame({"card": [], "n": []}))
    assert "<table" not in page
    assert "Nothing to show: this table has no row (card, n)." in page


def test_a_cell_that_spans_several_stands_in_each_of_them_in_the_csv():
    frame = pd.DataFrame({("a", "x"): [1, 2], ("a", "y"): [3, 4]}, index=["p", "q"])
    assert saved(shown(frame)) == [["", "a", "a"], ["", "x", "y"], ["p", "1", "3"], ["q", "2", "4"]]
    keys = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")], names=["tool", "op"])
    page = shown(pd.DataFrame({"n": [5, 6]}, index=keys))
    assert saved(page) == [["tool", "op", "n"], ["a", "x", "5"], ["a", "y", "6"]]


def test_a_table_has_a_number_that_links_to_it_and_a_name_for_its_file():
    page = tidy("<table><tr><td>1</td></tr></table>" + pd.DataFrame({"n": [1]}).to_html(), "02_it")
    assert 'id="table-2"' in page
    assert '<a href="#table-2">Table 2</a>' in page
    assert 'download="02_it-table-2.csv"' in page


def test_a_long_word_may_break_where_its_parts_are_joined_and_a_short_one_may_not():
    page = shown(pd.DataFrame({"within_specimens": ["kulesz/samsung-evo+-32gb", "4 KiB/s"]}))
    assert "within_<wbr/>specimens" in page
    assert "kulesz/<wbr/>samsung" in page
    assert "4 KiB/s" in page


@pytest.mark.parametrize(
    ("columns", "classes"), [(8, []), (9, ["many"]), (14, ["many", "very-many"])]
)
def test_a_table_of_many_columns_is_set_in_smaller_type(columns, classes):
    page = shown(pd.DataFrame([range(columns)]))
    [found] = re.findall(r'<table[^>]*class="([^"]+)"', page)
    assert found.split() == ["dataframe", *classes]


def test_an_appendix_is_a_fold_and_its_link_stands_beside_what_opens_it():
    page = tidy(
        '<h2 id="A">A &amp; b</h2><p>1</p><h2 id="B">Appendix: B</h2><p>2</p><h2 id="C">C</h2>'
    )
    fold = page[page.index("<details") : page.index("</details>")]
    assert '<summary><h2 id="B">Appendix: B</h2></summary><p>2</p>' in fold
    assert "anchor" not in fold
    assert headings(page) == [("A", "A &amp; b"), ("B", "Appendix: B"), ("C", "C")]


def test_a_heading_that_a_cell_printed_ends_no_appendix():
    page = tidy('<h2 id="A">Appendix: A</h2><div><h2 id="B">Appendix: B</h2></div><p>1</p>')
    assert page.count("<details>") == 1
    assert page.index("Appendix: B") < page.index("<p>1</p></details>")


def test_an_appendix_with_an_error_is_open():
    page = tidy('<h2 id="B">Appendix: B</h2><div class="output_error">E</div>')
    assert '<details open="">' in page


def test_a_picture_without_a_description_says_so_and_one_with_it_keeps_it():
    page = tidy('<img src="data:,"><img alt="" src="data:,"><img alt="A bar." src="data:,">')
    assert re.findall('alt="([^"]*)"', page) == [NOT_DESCRIBED, "", "A bar."]
