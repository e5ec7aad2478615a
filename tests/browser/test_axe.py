"""axe-core, the rules by which pages are checked for people who see, hear or move otherwise."""

import pytest
from selenium_axe_python import Axe
from toy import DESK, PHONE

from sdanalysis.cli import main

LOG = "data/examples/card-image.log"
# Whatever a page hides is looked at, too; code, which is slow to check, on one page for all.
UNFOLD = """
document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
if (arguments[0]) document.querySelector("#show-code").checked = true;
"""


@pytest.fixture(scope="module")
def pages(folder):
    """The names of all pages, with one of a card of one's own among them."""
    assert main(["mine", LOG, "-o", str(folder / "mine.html")]) == 0
    return sorted(page.stem for page in folder.glob("*.html"))


@pytest.fixture
def theme(browser):
    """Set what the reader's system prefers, light or dark; the browser is as it was afterwards."""

    def theme(name):
        wanted = {"name": "prefers-color-scheme", "value": name}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [wanted]})

    yield theme
    theme("")


@pytest.mark.parametrize(
    ("width", "scheme"), [(DESK, "light"), (DESK, "dark"), (PHONE, "light")], ids=str
)
def test_no_page_stands_seriously_in_anybodys_way(opened, pages, theme, width, scheme):
    theme(scheme)
    opened("index").set_script_timeout(
        240
    )  # cards.html has 30,000 elements: 60 s on a busy machine
    found = {}
    for page in pages:
        browser = opened(page, width)
        browser.execute_script(UNFOLD, page == "toy")
        axe = Axe(browser)
        axe.inject()
        for broken in axe.run(options={"resultTypes": ["violations"]})["violations"]:
            if broken["impact"] in ("serious", "critical"):
                first = broken["nodes"][0]
                where = f"{len(broken['nodes'])} times, first in {first['html'][:300]}"
                found[page, broken["id"]] = f"{where}: {first['failureSummary']}"
    assert found == {}
