"""The report pages in a browser: they fit a phone, their tables sort, their downloads are whole."""

import base64
import io
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from sdanalysis import report

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = ["index", "toy", *(path.stem for path in NOTEBOOKS)]
PHONE, DESK = 390, 1400
TABLE = """\
import pandas
pandas.DataFrame({
    "card": ["b", "a", "c", "d", "a10", "a9"],
    "rate": ["1,234", "~", "9.5", None, "-3", "9.5"],
    "n": [3, 1, 2, 2, 1, 3],
})"""
LEVELS = "pandas.DataFrame({('a', 'x'): [2, 1], ('a', 'y'): [1, 2]})"
ONE_ROW = "pandas.DataFrame({'n': [1]})"
FIGURE = """\
import matplotlib.pyplot as plt
from sdanalysis.plots.show import show
fig, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2.5])
show(fig, alt="Two bars.", data=pandas.DataFrame({"bar": ["a", "é, b"], "height": [1, 2.5]}))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Every notebook's page, that of a toy with three tables and a figure, and the index."""
    home = tmp_path_factory.mktemp("pages")
    cells = [new_code_cell(source) for source in (TABLE, LEVELS, ONE_ROW, FIGURE)]
    notebook = new_notebook(cells=[new_markdown_cell("# Toy\n\n## A claim"), *cells])
    nbformat.write(notebook, home / "toy.ipynb")
    outcomes = report.run(
        [home / "toy.ipynb", *NOTEBOOKS],
        output=home / "reports",
        parameters={},
        progress=lambda event: None,
        sources={"somebody-2019": "https://example.org/" + "a-long-address-" * 8},
    )
    assert [outcome.error for outcome in outcomes if outcome.error] == []
    return home / "reports"


@pytest.fixture
def opened(browser, folder):
    """Open a page in a window of some width; the browser is as it was afterwards."""

    def opened(page, width=DESK, script=True):
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width == PHONE}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        browser.get_log("browser")  # forget what other pages wrote
        browser.get((folder / f"{page}.html").as_uri())
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_writes_nothing_to_the_console(opened, page):
    assert opened(page).get_log("browser") == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_not_scroll_sideways_on_a_phone(opened, page):
    width = opened(page, PHONE).execute_script("return document.documentElement.scrollWidth")
    assert width == PHONE


def column(browser, number):
    """The texts of a column of the first table, as they stand."""
    rows = browser.find_elements(By.CSS_SELECTOR, "table.dataframe")[0]
    found = rows.find_elements(By.CSS_SELECTOR, f"tbody tr > :nth-child({number})")
    return [cell.text for cell in found]


def heading(browser, text):
    """The first heading with this text, and its button."""
    found = next(tag for tag in browser.find_elements(By.CSS_SELECTOR, "th") if text == tag.text)
    return found, found.find_element(By.TAG_NAME, "button")


def test_a_table_sorts_by_number_up_and_down_and_back_with_missing_last(opened):
    browser = opened("toy")
    cell, button = heading(browser, "rate")
    button.click()
    assert column(browser, 3) == ["-3", "9.5", "9.5", "1,234", "~", "NaN"]
    assert column(browser, 2) == ["a10", "c", "a9", "b", "a", "d"]  # equal rows keep their order
    assert cell.get_attribute("aria-sort") == "ascending"
    button.click()
    assert column(browser, 3) == ["1,234", "9.5", "9.5", "-3", "~", "NaN"]
    assert column(browser, 2) == ["b", "c", "a9", "a10", "a", "d"]
    assert cell.get_attribute("aria-sort") == "descending"
    button.click()
    assert column(browser, 1) == ["0", "1", "2", "3", "4", "5"]
    assert cell.get_attribute("aria-sort") is None


def test_a_second_column_sorts_within_the_first_and_takes_the_mark(opened):
    browser = opened("toy")
    for name in ("card", "n"):
        heading(browser, name)[1].click()
    assert column(browser, 2) == ["a", "a10", "c", "d", "a9", "b"]
    marked = browser.find_elements(By.CSS_SELECTOR, "[aria-sort]")
    assert [tag.text for tag in marked] == ["n"]


def test_a_table_sorts_by_keyboard(opened):
    browser = opened("toy")
    button = heading(browser, "card")[1]
    button.send_keys(" ")
    assert browser.switch_to.active_element == button
    assert column(browser, 2) == ["a", "a9", "a10", "b", "c", "d"]


def test_tables_of_two_heading_rows_or_one_row_have_no_buttons(opened):
    tables = opened("toy").find_elements(By.CSS_SELECTOR, "table.dataframe")
    assert [len(table.find_elements(By.TAG_NAME, "button")) for table in tables] == [3, 0, 0]


def test_without_scripts_a_table_stands_as_it_was_written(opened):
    browser = opened("toy", script=False)
    assert browser.find_elements(By.TAG_NAME, "button") == []
    assert column(browser, 2) == ["b", "a", "c", "d", "a10", "a9"]


def test_the_links_below_a_figure_save_its_frame_and_its_picture(opened, tmp_path):
    browser = opened("toy")
    place = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", place)
    for link in browser.find_elements(By.CSS_SELECTOR, "figcaption a"):
        link.click()
    saved = tmp_path / "toy-figure-1-a-claim.csv", tmp_path / "toy-figure-1-a-claim.png"
    WebDriverWait(browser, 60).until(lambda _: all(path.exists() for path in saved))
    frame = pd.DataFrame({"bar": ["a", "é, b"], "height": [1, 2.5]})
    assert pd.read_csv(saved[0]).equals(frame)
    linked = browser.find_element(By.CSS_SELECTOR, "a[download$='.png']").get_attribute("href")
    assert saved[1].read_bytes() == base64.b64decode(linked.partition(",")[2])
    assert Image.open(io.BytesIO(saved[1].read_bytes())).text["Description"] == "Two bars."


@pytest.mark.parametrize("page", [path.stem for path in NOTEBOOKS])
def test_every_figure_of_a_report_is_seen_and_offers_a_table_that_can_be_read(opened, page):
    browser = opened(page)
    figures = browser.find_elements(By.CSS_SELECTOR, "main figure")
    assert figures
    for figure in figures:
        image = figure.find_element(By.CSS_SELECTOR, ".picture > svg")
        assert image.rect["width"] > 100
        assert image.get_attribute("aria-label")
        assert image.find_elements(By.CSS_SELECTOR, ".mark > title")
        link = figure.find_element(By.CSS_SELECTOR, "a[download$='.csv']").get_attribute("href")
        content = base64.b64decode(link.partition("base64,")[2])
        assert len(pd.read_csv(io.BytesIO(content))) > 0
