"""What the tests of the data path share: the built table, and a copy of data/ to break."""

import contextlib
import functools
import gc
import hashlib
import os
import re
import shutil
from copy import deepcopy
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sdanalysis.report import forks

# How long an example takes says something of the machine, nothing of the project.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

DATA = Path(__file__).resolve().parent.parent / "data"
# A file that names one of these makes or reads frames; parsers, their logs and pages do not.
FRAMES = re.compile(
    r"\b(pandas|dataset|stats|plots|claims|audit|my_card|comparing|sdanalysis\.cli)\b"
)


def pytest_configure(config):
    """Hold ready what the kernels of reports are forks of: one process for all that run tests."""
    ready = contextlib.ExitStack()
    config.add_cleanup(ready.close)
    os.environ[forks.PLACE] = ready.enter_context(forks.shared(at_once=False))


def pytest_collection_modifyitems(items):
    """Mark what pyarrow may change, beside pandas: the tests that `make test-arrow` runs."""
    texts = {path: path.read_text(encoding="utf-8") for path in {item.path for item in items}}
    touching = {
        path for path, text in texts.items() if path.suffix == ".ipynb" or FRAMES.search(text)
    }
    for item in items:
        if item.path in touching:
            item.add_marker(pytest.mark.frames)


def pytest_collection_finish():
    """Spare the collector of garbage most of its rounds.

    Thousands of tests and the modules of the libraries are no garbage, and it looks through all
    of them each time: a tenth of the suite.
    """
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="session")
def measurements():
    from sdanalysis import dataset

    return dataset.build(DATA)


@pytest.fixture(scope="session")
def audited(measurements):
    """(summary, findings) of every rule on the real table."""
    from sdanalysis import audit, dataset

    data = dataset.load_data(DATA, measurements=measurements)
    return audit.run(data, dataset.build(DATA, as_published=True))


# What the tests and notebooks ask the committed table for again and again.
_ASKED_AGAIN = (
    "class_verdicts", "contrast_pairs", "printed_beside_matched", "ranking", "rankings",
    "read_write_pairs", "vintage_pairs",
)  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def _committed_table_is_read_once():
    """Tables of the committed folder are the same each time, and so is what is computed of them.

    Nobody changes them: a test that changes a table takes a copy, which is computed anew.
    """
    from sdanalysis import dataset, stats

    committed = {}
    with pytest.MonkeyPatch.context() as patched:
        for read in (dataset.load_data, dataset.load):
            patched.setattr(dataset, read.__name__, _once(read, committed))
        for name in _ASKED_AGAIN:
            patched.setattr(stats, name, _once_of(getattr(stats, name), committed))
        yield


def _once(read, committed):
    """Let a function that reads a folder read the committed one once; note its tables."""

    @functools.cache
    def cached(**options):
        found = read(**options)
        for table in vars(found).values() if is_dataclass(found) else [found]:
            committed[id(table)] = table  # held, so that no other gets its id
        return found

    @functools.wraps(read)
    def reading(*places, **options):
        is_own = not places or (len(places) == 1 and Path(places[0]) == DATA)
        plain = all(isinstance(value, bool) for value in options.values())
        return cached(**options) if is_own and plain else read(*places, **options)

    return reading


def _once_of(compute, committed):
    """Let a function of tables answer once what it is asked of the committed ones."""
    answers = {}

    @functools.wraps(compute)
    def computing(*given, **options):
        values = (*given, *options.values())
        tables = [value for value in values if hasattr(value, "columns")]
        if not all(id(table) in committed for table in tables):
            return compute(*given, **options)
        key = (*(id(v) if hasattr(v, "columns") else repr(v) for v in values), *options)
        if key not in answers:
            answers[key] = compute(*given, **options)
        return deepcopy(answers[key])

    return computing


@pytest.fixture
def data(tmp_path):
    """A copy of data/ that a test may break, without the table."""
    processed = shutil.ignore_patterns("processed")
    return shutil.copytree(DATA, tmp_path / "data", ignore=processed, copy_function=shutil.copyfile)


@pytest.fixture
def edit(data):
    """Replace a text of the copy once; a raw file is pinned anew unless the test says no."""

    def edited(place, old, new, *, pin=True):
        path = data / place
        text = path.read_bytes().decode("utf-8")
        assert old in text, f"{place} no longer holds {old!r}: the test would break nothing"
        path.write_bytes(text.replace(old, new, 1).encode("utf-8"))
        if pin and path.suffix == ".txt":
            _pin(path)
        return path

    return edited


def _pin(path):
    declaration = path.parent / "source.toml"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = rf'(path = "{re.escape(path.name)}"\nsha256 = ")[0-9a-f]*'
    text, count = re.subn(entry, rf"\g<1>{digest}", declaration.read_text(encoding="utf-8"))
    assert count == 1, f"{declaration} does not pin {path.name}"
    declaration.write_text(text, encoding="utf-8")
