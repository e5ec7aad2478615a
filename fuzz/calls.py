"""A plugin of pytest that notes which test calls which function of the package.

`pytest -p calls` with CALLS=FOLDER in the environment; each process writes a file of its own there.
"""

import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = str(ROOT / "sdanalysis")
_calls: dict[str, list[tuple[float, str]]] = defaultdict(list)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note the functions that are called from the fixtures of a test to its end."""
    called = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            called.add(frame.f_code)

    begin = time.perf_counter()
    sys.setprofile(note)
    threading.setprofile(note)
    yield
    sys.setprofile(None)
    threading.setprofile(None)
    took = time.perf_counter() - begin
    for code in called:
        file = Path(code.co_filename).relative_to(ROOT)
        _calls[f"{file}:{code.co_qualname}"].append((took, item.nodeid))


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    folder = Path(os.environ["CALLS"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.getpid()}.json").write_text(json.dumps(_calls))
