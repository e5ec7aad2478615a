"""Figures in a browser: a mark says what it is, leads to its card, and a dark page is dark."""

import io

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from sdanalysis import my_card, report
from sdanalysis.my_card.document import as_page, document

LOG = "data/examples/card-image.log"
FIGURE = """\
import matplotlib.pyplot as plt
import pandas
from sdanalysis.plots.marks import describe
from sdanalysis.plots.show import show
for name in ("first", "second"):
    fig, axes = plt.subplots(figsize=(7, 3))
    dots = axes.scatter([1, 2, 3], [1, 2, 3], s=60, facecolors="none", edgecolors="#0173b2")
    describe(dots, [f"{name} {number} GB\\n{number} MB/s\\na.txt:{number}" for number in (1, 2, 3)])
    show(fig, alt=f"{name}, three cards.", data=pandas.DataFrame({"x": [1, 2, 3]}))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of a toy report with two figures, and that of a card."""
    home = tmp_path_factory.mktemp("pictures")
    cells = [new_markdown_cell("# Toy\n\n## A claim"), new_code_cell(FIGURE)]
    nbformat.write(new_notebook(cells=cells), home / "toy.ipynb")
    run = {"output": home / "reports", "parameters": {}, "progress": lambda event: None}
    [outcome] = report.run([home / "toy.ipynb"], **run)
    assert not outcome.error
    card = my_card.read(LOG)
    (home / "card.html").write_text(as_page(document(card), card.points), encoding="utf-8")
    return {"toy": outcome.page, "card": home / "card.html"}


@pytest.fixture
def opened(browser, pages):
    """Open a page in a window of some width and scheme; the browser is as it was afterwards."""

    def opened(page, width=1300, scheme="light", media=""):
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": features}
        )
        browser.get(pages[page].as_uri())
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


WHOLE = ".picture:not(.cover *)"


def marks(browser):
    every = browser.find_elements(By.CSS_SELECTOR, f"{WHOLE} svg .mark")
    return [mark for mark in every if mark.is_displayed()]  # of the wide or the narrow drawing


def at(browser, mark):
    """What lies on top at the middle of a mark: its title."""
    return browser.execute_script(
        "arguments[0].scrollIntoView({block: 'center', inline: 'center'});"
        "const box = arguments[0].getBoundingClientRect();"
        "const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
        "return top.querySelector('title')?.textContent;",
        mark,
    )


def brightness(element):
    picture = Image.open(io.BytesIO(element.screenshot_as_png)).convert("L")
    return np.asarray(picture)


def test_the_middle_of_a_hollow_mark_has_its_title(opened):
    browser = opened("toy")
    assert [at(browser, mark) for mark in marks(browser)[:2]] == [
        "first 1 GB\n1 MB/s\na.txt:1",
        "first 2 GB\n2 MB/s\na.txt:2",
    ]


def test_the_arrow_keys_go_from_mark_to_mark_and_say_them_below_the_figure(opened):
    browser = opened("toy")
    second = browser.find_elements(By.CSS_SELECTOR, WHOLE)[1]
    said = browser.find_elements(By.CSS_SELECTOR, "output.mark-says")[1]
    second.send_keys(Keys.ARROW_RIGHT)
    assert said.text == "second 1 GB · 1 MB/s · a.txt:1"
    second.send_keys(Keys.ARROW_LEFT)
    assert said.text == "second 3 GB · 3 MB/s · a.txt:3"
    assert len(browser.find_elements(By.CSS_SELECTOR, ".mark.chosen")) == 1


def test_a_tap_on_a_phone_says_the_mark_and_the_page_does_not_scroll_sideways(opened):
    browser = opened("toy", width=390)
    mark = marks(browser)[0]
    assert at(browser, mark).startswith("first 1 GB")
    mark.click()
    assert browser.find_element(By.CSS_SELECTOR, "output.mark-says").text.startswith("first 1 GB")
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("page", ["toy", "card"])
def test_a_dark_page_has_a_dark_figure_and_print_is_light(opened, page):
    for scheme, media, dark in (("light", "", False), ("dark", "", True), ("dark", "print", False)):
        picture = opened(page, scheme=scheme, media=media).find_element(By.CSS_SELECTOR, WHOLE)
        shades = brightness(picture)
        assert bool(np.median(shades) < 40) is dark
        assert shades.max() - shades.min() > 150  # and its ink is seen on it


def test_no_id_stands_twice_and_nothing_is_written_to_the_console(opened):
    browser = opened("toy")
    ids = [tag.get_attribute("id") for tag in browser.find_elements(By.CSS_SELECTOR, "[id]")]
    assert len(ids) == len(set(ids))
    browser.get_log("browser")
    browser.refresh()
    assert browser.get_log("browser") == []


def test_a_mark_of_my_card_opens_the_list_at_the_row_of_its_card(opened):
    browser = opened("card")
    mark = next(mark for mark in marks(browser) if at(browser, mark) == title(mark))
    link = mark.find_element(By.XPATH, "..")
    anchor = link.get_dom_attribute("href")
    row = browser.find_element(By.CSS_SELECTOR, anchor)
    assert not row.is_displayed()
    link.click()
    assert row.is_displayed()
    assert row.find_element(By.CSS_SELECTOR, "th").text == title(mark).splitlines()[0]
    assert title(mark).splitlines()[-1] in row.text
    assert browser.find_elements(By.CSS_SELECTOR, "tr:target") == [row]


def title(mark):
    return mark.find_element(By.CSS_SELECTOR, "title").get_attribute("textContent")
