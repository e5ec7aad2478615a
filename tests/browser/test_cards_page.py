"""The page of all cards in a browser: search, filter, sort, permalinks, keyboard, no scripts."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from sdanalysis import cards

PHONE, DESK = 390, 1300
EVO = "geerling/samsung-evo+-32gb"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("cards") / "cards.html"
    path.write_text(cards.render(companions=True), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser, page):
    """Open the page in a window of some width; the browser is as it was afterwards."""

    def opened(width=DESK, *, link="", script=True, dark=False):
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width == PHONE}
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [theme]})
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        browser.get("about:blank")  # a new fragment alone loads nothing
        browser.get_log("browser")
        browser.get(page.as_uri() + link)
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def names(browser, group="in-pi-4b/slot"):
    """The cards of a computer that are seen, from top to bottom."""
    rows = browser.find_elements(By.CSS_SELECTOR, f'tbody[id="{group}"] th[scope="row"] a')
    return [row.text for row in rows if row.is_displayed()]


def figures(browser, column, group="in-pi-4b/slot"):
    cells = browser.find_elements(By.CSS_SELECTOR, f'tbody[id="{group}"] td:nth-child({column}) b')
    return [float(cell.text) for cell in cells]


def heading(browser, text):
    headings = browser.find_elements(By.CSS_SELECTOR, "#all thead th")
    return next(cell for cell in headings if cell.text.startswith(text))


def search(browser, text):
    browser.find_element(By.ID, "search").send_keys(text)
    return browser.find_element(By.ID, "count").text


def seen_boards(browser):
    groups = browser.find_elements(By.CSS_SELECTOR, "#all tbody:not(.folded)")
    return [group.get_attribute("data-board") for group in groups if group.is_displayed()]


def test_the_page_opens_with_one_board_and_a_press_opens_another(opened):
    browser = opened()
    assert browser.find_element(By.ID, "count").text == "35 of 85 cards: Pi 4"
    assert seen_boards(browser) == ["pi-4b"]
    browser.find_element(By.CSS_SELECTOR, '[data-board="pi-5"] strong button').click()
    assert seen_boards(browser) == ["pi-5"]
    assert browser.current_url.endswith("#board=pi-5")


def test_a_search_knows_cards_people_and_boards_and_no_figures(opened):
    browser = opened()
    assert search(browser, "samsung 32GB geerling pi 4") == "4 of 85 cards: Pi 4"
    found = {"Samsung Evo+ 32 GB", "Samsung Pro Endurance 32 GB", "Samsung Pro+ 32 GB"}
    found |= {"Samsung Evo Select 32 GB"}  # measured on a Pi 3, predicted here
    assert set(names(browser)) == found
    browser.find_element(By.ID, "search").clear()
    assert search(browser, "pi 5") == "8 of 85 cards: Pi 5"
    assert seen_boards(browser) == ["pi-5"]
    assert search(browser, " 4.95").startswith("0 of 85 cards")
    assert browser.get_log("browser") == []


def test_nothing_found_names_the_nearest_cards_and_a_way_on(opened):
    browser = opened(link="#q=sandsk%20ultr%20pi%205")
    empty = browser.find_element(By.ID, "empty")
    assert empty.text.startswith(
        "No such card was measured on a Pi 5.\nNearest names: SanDisk Ultra"
    )
    assert "sdanalysis mine" in empty.text
    empty.find_element(By.TAG_NAME, "a").click()
    assert not empty.is_displayed()
    assert all(name.startswith("SanDisk Ultra") for name in names(browser))


def test_an_address_is_a_view_with_two_cards_side_by_side(opened):
    other = "arthur/sandisk-extreme-pro-32gb"
    browser = opened(link=f"#board=pi-4b&q=32&sort=small-reads&compare={EVO},{other}")
    assert heading(browser, "small reads").get_attribute("aria-sort") == "descending"
    pair = browser.find_element(By.ID, "pair")
    heads = [cell.text for cell in pair.find_elements(By.CSS_SELECTOR, "thead th")]
    assert heads == ["MB/s", "Samsung Evo+ 32 GB", "SanDisk Extreme PRO 32 GB A1"]
    assert "Another run may end at" in pair.text
    assert len(browser.find_elements(By.CSS_SELECTOR, '[id="in-pi-4b/slot"] input:checked')) == 2
    pair.find_element(By.TAG_NAME, "button").click()
    assert browser.current_url.endswith("#q=32&board=pi-4b&sort=small-reads")
    assert not pair.is_displayed()


def test_a_test_sorts_the_fastest_first_in_each_computer_then_the_slowest_then_as_it_was(opened):
    browser = opened(link="#board=all")
    before = names(browser)
    cell = heading(browser, "large writes")
    button = cell.find_element(By.TAG_NAME, "button")
    for state, reverse in (("descending", True), ("ascending", False)):
        button.click()
        assert cell.get_attribute("aria-sort") == state
        for group in ("in-pi-4b/slot", "in-pi-2b/slot"):
            found = figures(browser, 4, group)
            assert found == sorted(found, reverse=reverse)
    button.click()
    assert cell.get_attribute("aria-sort") is None
    assert names(browser) == before


def test_the_page_is_used_by_keyboard_alone(opened):
    browser = opened()
    browser.find_element(By.ID, "search").send_keys("evo+ 32 pi 4", Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("id") == "board"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text.startswith("Card")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert heading(browser, "Card").get_attribute("aria-sort") == "ascending"
    for _ in range(len(browser.find_elements(By.CSS_SELECTOR, "#all thead button")) + 2):
        browser.switch_to.active_element.send_keys(Keys.TAB)  # the board, the tick, the link
    browser.switch_to.active_element.send_keys(Keys.ENTER)  # the link of the first card
    assert browser.current_url.endswith("#geerling/samsung-evo+-32gb")
    assert browser.find_element(By.ID, EVO).is_displayed()


@pytest.mark.parametrize("script", [True, False])
def test_a_permalink_opens_its_card_with_scripts_and_without(opened, script):
    browser = opened(link=f"#{EVO}", script=script)
    details = browser.find_element(By.ID, EVO)
    WebDriverWait(browser, 10).until(lambda _: details.is_displayed())
    assert 0 <= details.location_once_scrolled_into_view["y"] < 844
    for part in ("Pi 4", "geerling-2019/", "MB-MC32DA", "sdanalysis explain"):
        assert part in details.text
    other = browser.find_element(By.ID, "kulesz/sandisk-ultra-64gb")
    assert other.is_displayed() == (not script)


def test_without_scripts_the_whole_table_stands_and_no_dead_controls(opened):
    browser = opened(script=False)
    assert len(names(browser)) == 35
    assert not browser.find_element(By.ID, "controls").is_displayed()
    assert browser.find_elements(By.CSS_SELECTOR, "#all thead button") == []


@pytest.mark.parametrize("link", ["", f"#{EVO}", "#kulesz/sandisk-ultra-64gb"])
def test_the_page_fits_a_phone(opened, link):
    browser = opened(PHONE, link=link)
    assert browser.execute_script("return document.documentElement.scrollWidth") == PHONE
    first = browser.find_element(By.CSS_SELECTOR, "#all tbody td").text
    assert first.startswith("4.95")
    assert heading(browser, "small writes").is_displayed()


def test_a_dark_page_is_dark_and_its_controls_too(opened):
    browser = opened(dark=True)
    for selector in ("body", "#search", "#all thead th"):
        color = browser.find_element(By.CSS_SELECTOR, selector).value_of_css_property(
            "background-color"
        )
        assert color == "rgba(13, 17, 23, 1)"
