"""Every notebook, opened in JupyterLab, runs from top to bottom and shows its figures.

The server works on a copy of notebooks/ whose outputs are cleared: what the page shows was
computed there. It keeps to folders of its own and does not look for news or extensions.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECONDS = 180  # a slow machine is no failure
# The page is redrawn between looking and clicking, or a menu is still opening.
PASSING = (
    StaleElementReferenceException,
    ElementClickInterceptedException,
    ElementNotInteractableException,
)
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight are shown too
}
CELLS = """
const texts = (cell, query) => [...cell.querySelectorAll(query)].map((one) => one.innerText);
return [...document.querySelectorAll(".jp-Notebook .jp-CodeCell")].map((cell) => ({
  prompt: texts(cell, ".jp-InputPrompt").join(),
  problems: texts(cell, "[data-mime-type*='jupyter.error'], [data-mime-type*='jupyter.stderr']"),
  widths: [...cell.querySelectorAll(".jp-RenderedImage img")].map((one) => one.naturalWidth),
}));
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab on a copy of the checkout: {"url", "token"}."""
    home = tmp_path_factory.mktemp("lab")
    checkout = copied_checkout(home / "checkout")
    for name, settings in SETTINGS.items():
        place = home / "config" / "lab" / "user-settings" / "@jupyterlab"
        path = place / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    folders = {f"JUPYTER_{kind.upper()}_DIR": home / kind for kind in ("config", "data", "runtime")}
    own = {"IPYTHONDIR": home / "ipython", "HOME": home, "PYTHONPATH": ROOT}
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *("--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=200"),
                f"--ServerApp.root_dir={checkout}",
                "--LabApp.extension_manager=readonly",
            ],
            env=os.environ | {name: str(path) for name, path in (folders | own).items()},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    note = home / "runtime" / f"jpserver-{server.pid}.json"
    try:
        yield announced(server, note, home / "server.log")
    finally:
        server.terminate()  # it ends its kernels
        server.wait(SECONDS)


def copied_checkout(folder):
    """A folder like the checkout, where notebooks/ is a copy and the rest is linked."""
    ignored = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=ignored)
    for path in ROOT.iterdir():
        if path.name != "notebooks" and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    for path in (folder / "notebooks").glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.update(outputs=[], execution_count=None)
        nbformat.write(notebook, path)
    return folder


def announced(server, note, log):
    """What the server says of itself, as soon as it answers."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            about = json.loads(note.read_text())
            urllib.request.urlopen(f"{about['url']}api?token={about['token']}").close()
        except (OSError, ValueError):  # not there, half written, not listening yet
            time.sleep(0.1)
        else:
            return about
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-3000:]}")


def stop_kernels(lab):
    """End the kernels: the next notebook gets the whole machine."""
    headers = {"Authorization": f"token {lab['token']}"}
    address = f"{lab['url']}api/kernels"
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        kernels = json.load(answer)
    for kernel in kernels:
        one = urllib.request.Request(f"{address}/{kernel['id']}", headers=headers, method="DELETE")
        urllib.request.urlopen(one).close()


def click(browser, what, query, text):
    """Click the element with this text, as soon as there is one in sight."""

    def clicked(_):
        found = browser.find_elements(By.CSS_SELECTOR, query)
        named = [tag for tag in found if tag.text.strip() == text and tag.is_displayed()]
        if named:
            named[0].click()
        return bool(named)

    wait(browser, clicked, f"{what}: found no {text!r} to click")


def wait(browser, condition, otherwise):
    return WebDriverWait(browser, SECONDS, 0.2, PASSING).until(condition, otherwise)


def run_all(browser):
    """Choose Run > Run All Cells, as a reader does, when the kernel is ready."""
    status = ".jp-StatusBar-Widget, #jp-main-statusbar"
    idle = "return document.querySelector(arguments[0])?.innerText.includes('Idle')"
    wait(browser, lambda _: browser.execute_script(idle, status), "the kernel is not idle")
    click(browser, "menu bar", ".lm-MenuBar-itemLabel", "Run")
    click(browser, "menu Run", ".lm-Menu-itemLabel", "Run All Cells")


def has_ended(cells):
    """Whether each cell has its number and pictures, or one has failed: no other runs then."""
    numbered = all(cell["prompt"].strip("[]: ").isdigit() for cell in cells)
    loaded = all(width > 0 for cell in cells for width in cell["widths"])
    return bool(cells) and ((numbered and loaded) or any(cell["problems"] for cell in cells))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom_and_shows_its_figures(lab, browser, path):
    browser.get(f"{lab['url']}lab/tree/notebooks/{path.name}?token={lab['token']}&reset")
    try:
        run_all(browser)
        wait(
            browser,
            lambda _: has_ended(browser.execute_script(CELLS)),
            f"{path.name} did not come to its end",
        )
        cells = browser.execute_script(CELLS)
    finally:
        stop_kernels(lab)
    stored = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell["problems"] for cell in cells] == [[] for _ in stored]
    pictures = [sum("image/png" in o.get("data", {}) for o in cell.outputs) for cell in stored]
    assert [len(cell["widths"]) for cell in cells] == pictures
    assert all(width > 100 for cell in cells for width in cell["widths"])
