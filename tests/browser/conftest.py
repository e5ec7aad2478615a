"""A Chromium without a window, and a picture of what it showed when a test failed.

Needs Debian's packages chromium and chromium-driver: `make browser`. Nothing is fetched: every
name but that of this machine is unknown to the browser.
"""

import re
import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

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
