"""A Chromium without a window, the pages to look at, and a picture of what failed.

Needs Debian's packages chromium and chromium-driver: `make browser`. Nothing is fetched: every
name but that of this machine is unknown to the browser.
"""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from toy import DESK, NOTEBOOKS, PHONE, toy

from sdanalysis import cards, report
from sdanalysis.cli.report import WHICH_CARD

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "build" / "browser"
ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",  # the sandbox refuses root, and containers that allow no name spaces
    "--disable-dev-shm-usage",  # containers have little of it
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--window-size=1400,1000",
]


@pytest.fixture(scope="session")
def browser():
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in found.items() if not path]
    assert not missing, f"{missing} not on PATH (Debian: apt install chromium chromium-driver)"
    options = webdriver.ChromeOptions()
    options.binary_location = found["chromium"]
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in ARGUMENTS:
        options.add_argument(argument)
    started = webdriver.Chrome(options, Service(found["chromedriver"]))
    yield started
    started.quit()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Every notebook's page, another board's, a toy's with all a page may hold, cards and index."""
    home = tmp_path_factory.mktemp("pages")
    nbformat.write(toy(), home / "toy.ipynb")
    boards = report.read_sets(WHICH_CARD)
    boards = replace(boards, sets={"pi-5": boards.sets["pi-5-system"]})
    outcomes = report.run(
        [home / "toy.ipynb", *NOTEBOOKS],
        output=home / "reports",
        parameters={},
        progress=lambda event: None,
        cards=lambda: cards.render(companions=True),
        picker=lambda: cards.picker(companions=True),
        also=boards,
        origin=report.Origin(
            sources={"somebody-2019": "https://example.org/" + "a-long-address-" * 8}
        ),
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Save what the browser shows when a test fails, and name the file in the failure."""
    try:
        return (yield)
    except Exception as error:
        if "browser" in item.funcargs:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            picture = SCREENSHOTS / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.name).strip('-')}.png"
            item.funcargs["browser"].save_screenshot(picture)
            error.add_note(f"What the browser showed: {picture.relative_to(ROOT)}")
        raise
