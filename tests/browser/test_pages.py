"""The report pages in a browser: they fit a phone, their tables sort, their downloads are whole."""

import base64
import io
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from toy import DESK, NOTEBOOKS, PHONE

PAGES = ["index", "toy", *(path.stem for path in NOTEBOOKS)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_writes_nothing_to_the_console(opened, page):
    assert opened(page).get_log("browser") == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_not_scroll_sideways_on_a_phone(opened, page):
    width = opened(page, PHONE).execute_script("return document.documentElement.scrollWidth")
    assert width == PHONE


@pytest.mark.parametrize("page", [path.stem for path in NOTEBOOKS])
def test_no_table_is_cut_on_a_desk(opened, page):
    cut = """
        document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
        const wider = (box) => box.scrollWidth > box.clientWidth;
        return [...document.querySelectorAll(".scroll")].filter(wider).map((box) => box.ariaLabel);
    """
    assert opened(page).execute_script(cut) == []


@pytest.mark.parametrize("page", [path.stem for path in NOTEBOOKS])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_a_report_opens_with_its_title_and_the_whole_first_sentence_of_its_answer(
    opened, page, width
):
    browser = opened(page, width)
    title, answer = (browser.find_element(By.CSS_SELECTOR, tag) for tag in ("h1", ".first .answer"))
    assert title.rect["y"] < 100
    assert answer.rect["y"] + answer.rect["height"] < 844
    small, large = (
        float(answer.find_element(By.XPATH, f"..{path}").value_of_css_property("font-size")[:-2])
        for path in ("", "/p[contains(@class, 'answer')]")
    )
    assert large > small


@pytest.mark.parametrize("base", ["file:///home/me/reports/", "https://example.org/cards/"])
def test_no_link_is_dead_from_a_disk_and_from_a_folder_of_a_site(folder, base):
    soups = {
        page.name: BeautifulSoup(page.read_text(), "html.parser") for page in folder.glob("*.html")
    }
    ids = {name: {tag["id"] for tag in soup.select("[id]")} for name, soup in soups.items()}
    dead = []
    for name, soup in soups.items():
        for address in {tag["href"] for tag in soup.select("a[href]")}:
            target, fragment = urldefrag(urljoin(base + name, address))
            if not target.startswith(base):
                dead += [(name, address)] * (
                    urlsplit(target).scheme not in ("https", "http", "data")
                )
            elif (page := unquote(target.removeprefix(base))) not in soups:
                dead.append((name, address))
            elif "=" not in fragment and unquote(fragment) not in {"", *ids[page]}:
                dead.append((name, address))  # with an equals sign it is a choice, kept by a script
    assert dead == []
    assert {"cards.html", "00_which_card-host-pi-5.html"} <= {*soups}


def seen(browser, selector):
    return [tag for tag in browser.find_elements(By.CSS_SELECTOR, selector) if tag.is_displayed()]


@pytest.mark.parametrize("script", [True, False])
def test_one_switch_shows_all_code_by_keyboard_and_without_scripts(opened, script):
    browser = opened("toy", script=script)
    assert seen(browser, ".code") == []
    switch = browser.find_element(By.ID, "show-code")
    switch.send_keys(" ")
    assert len(seen(browser, ".code")) == len(browser.find_elements(By.CSS_SELECTOR, ".code")) - 2
    switch.send_keys(" ")
    assert seen(browser, ".code") == []


def test_contents_stay_in_view_beside_the_text_and_mark_what_is_read(opened):
    browser = opened("02_read_write_ratio")
    links = seen(browser, ".contents a")
    links[3].send_keys(Keys.ENTER)
    WebDriverWait(browser, 10).until(lambda _: links[3].get_attribute("aria-current"))
    assert [link for link in links if link.get_attribute("aria-current")] == [links[3]]
    top = "return arguments[0].getBoundingClientRect().top"
    assert 0 <= browser.execute_script(top, links[0]) < 200
    body = browser.find_element(By.CSS_SELECTOR, ".body").rect
    assert links[0].rect["x"] > body["x"] + body["width"]


def test_contents_are_a_fold_on_a_phone(opened):
    browser = opened("toy", PHONE)
    assert seen(browser, ".contents a") == []
    browser.find_element(By.CSS_SELECTOR, ".contents summary").click()
    assert seen(browser, ".contents a")[0].text == "A claim"


def test_a_link_into_a_folded_appendix_opens_it(opened, folder):
    browser = opened("toy")
    assert seen(browser, ".appendix table") == []
    browser.get((folder / "toy.html").as_uri() + "#table-5")
    WebDriverWait(browser, 10).until(lambda _: seen(browser, ".appendix table"))
    assert "Nothing to show" in browser.find_element(By.CSS_SELECTOR, ".nothing").text


def test_a_heading_has_a_link_that_is_seen_when_it_has_the_focus(opened):
    browser = opened("toy")
    link = browser.find_element(By.CSS_SELECTOR, "h2 > .anchor")
    assert link.accessible_name == "Link to: A claim"
    browser.execute_script("arguments[0].focus({ focusVisible: true })", link)
    assert link.value_of_css_property("opacity") == "1"


def test_a_printed_page_holds_its_appendix_and_no_switch(opened):
    browser = opened("toy")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        table = browser.find_element(By.CSS_SELECTOR, ".appendix table")
        assert browser.execute_script("return arguments[0].checkVisibility()", table)
        assert seen(browser, ".side, nav, .below") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_below_a_table_its_text_is_saved_as_csv(opened):
    link = opened("toy").find_element(By.CSS_SELECTOR, "#table-1 a[download]")
    assert link.get_attribute("download") == "toy-table-1.csv"
    content = base64.b64decode(link.get_attribute("href").partition("base64,")[2])
    assert content.decode().splitlines()[:2] == ["card,rate,n", 'b,"1,234",3']


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
    assert column(browser, 2) == ["-3", "9.5", "9.5", "1,234", "~", "–"]
    assert column(browser, 1) == ["a10", "c", "a9", "b", "a", "d"]  # equal rows keep their order
    assert cell.get_attribute("aria-sort") == "ascending"
    button.click()
    assert column(browser, 2) == ["1,234", "9.5", "9.5", "-3", "~", "–"]
    assert column(browser, 1) == ["b", "c", "a9", "a10", "a", "d"]
    assert cell.get_attribute("aria-sort") == "descending"
    button.click()
    assert column(browser, 1) == ["b", "a", "c", "d", "a10", "a9"]
    assert cell.get_attribute("aria-sort") is None


def test_a_second_column_sorts_within_the_first_and_takes_the_mark(opened):
    browser = opened("toy")
    for name in ("card", "n"):
        heading(browser, name)[1].click()
    assert column(browser, 1) == ["a", "a10", "c", "d", "a9", "b"]
    marked = browser.find_elements(By.CSS_SELECTOR, "[aria-sort]")
    assert [tag.text for tag in marked] == ["n"]


def test_a_table_sorts_by_keyboard(opened):
    browser = opened("toy")
    button = heading(browser, "card")[1]
    button.send_keys(" ")
    assert browser.switch_to.active_element == button
    assert column(browser, 1) == ["a", "a9", "a10", "b", "c", "d"]


def test_tables_of_two_heading_rows_or_one_row_have_no_buttons(opened):
    tables = opened("toy").find_elements(By.CSS_SELECTOR, "table.dataframe")
    assert [len(table.find_elements(By.TAG_NAME, "button")) for table in tables] == [3, 0, 0, 0]


def test_without_scripts_a_table_stands_as_it_was_written(opened):
    browser = opened("toy", script=False)
    assert browser.find_elements(By.TAG_NAME, "button") == []
    assert column(browser, 1) == ["b", "a", "c", "d", "a10", "a9"]


def test_the_links_below_a_figure_save_its_frame_and_its_picture(opened, tmp_path):
    browser = opened("toy")
    place = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", place)
    for link in browser.find_elements(By.CSS_SELECTOR, "main .body figcaption a"):
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
    figures = browser.find_elements(By.CSS_SELECTOR, ".body figure")
    assert figures
    for figure in figures:
        image = figure.find_element(By.CSS_SELECTOR, ".picture > svg")
        assert image.rect["width"] > 100
        assert image.get_attribute("aria-label")
        own = page != "11_your_own_question"  # whose figures are seaborn's alone: no mark is named
        assert not own or image.find_elements(By.CSS_SELECTOR, ".mark > title")
        link = figure.find_element(By.CSS_SELECTOR, "a[download$='.csv']").get_attribute("href")
        content = base64.b64decode(link.partition("base64,")[2])
        assert len(pd.read_csv(io.BytesIO(content))) > 0
