"""What the tests of the data path share: the built table, and a copy of data/ to break."""

import functools
import gc
import hashlib
import os
import pickle
import re
import shutil
import tomllib
from collections import Counter
from copy import deepcopy
from dataclasses import is_dataclass
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, nothing of the project.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

# As the commands have it, also in what tests start: several threads wait most of the time for each
# other, and where others work, too, the decomposition of a matrix takes a hundred times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

DATA = Path(__file__).resolve().parent.parent / "data"
# A file that names one of these makes or reads frames; parsers, their logs and pages do not.
FRAMES = re.compile(
    r"\b(pandas|dataset|stats|plots|claims|audit|my_card|comparing|sdanalysis\.cli)\b"
)


SECONDS = "sdanalysis/seconds"  # in pytest's cache: how long the tests of each file took
TAKEN = Counter()
PASSED = []


def pytest_collection_modifyitems(config, items):
    """Mark what pyarrow may change, beside pandas: the tests that `make test-arrow` runs."""
    texts = {path: path.read_text(encoding="utf-8") for path in {item.path for item in items}}
    touching = {
        path for path, text in texts.items() if path.suffix == ".ipynb" or FRAMES.search(text)
    }
    for item in items:
        if item.path in touching:
            item.add_marker(pytest.mark.frames)
    if hasattr(config, "workerinput"):
        _longest_first(items, config.cache.get(SECONDS, {}))


def _longest_first(items, taken):
    """Begin with the files that took longest, so that no process ends long behind the others.

    A notebook whose time is not known comes first: it takes seconds to start.
    """
    known = {item.path: taken.get(_file(item.nodeid)) for item in items}
    guessed = {path: inf if path.suffix == ".ipynb" else 0 for path in known}
    items.sort(key=lambda item: -(known[item.path] or guessed[item.path]))


def pytest_runtest_logreport(report):
    """Add up what the tests of each file took."""
    TAKEN[_file(report.nodeid)] += report.duration


def pytest_report_teststatus(report, config):
    """Print a dot for fifty tests that passed: what failed is then easy to see."""
    if report.passed and report.when == "call" and config.get_verbosity() <= 0:
        PASSED.append(report.nodeid)
        return "passed", "" if len(PASSED) % 50 else ".", "PASSED"
    return None


def pytest_sessionfinish(session):
    """Keep what the files took, where their tests were shared out among processes."""
    if session.config.getoption("dist", "no") != "no" and not session.config.option.keyword:
        kept = session.config.cache.get(SECONDS, {})
        session.config.cache.set(SECONDS, kept | {file: round(TAKEN[file], 2) for file in TAKEN})


def _file(nodeid):
    return nodeid.partition("::")[0]


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
    "class_verdicts", "contrast_pairs", "printed_beside_matched", "standings",
    "read_write_pairs",
)  # fmt: skip


def pytest_collection(session):
    """Read the committed folder once, before the modules of the tests do, and compute of it once.

    Its tables are the same each time, and so is what is computed of them. Nobody changes them: a
    test that changes a table takes a copy, which is computed anew.
    """
    if session.config.getoption("dist", "no") != "no":
        return  # the process that shares the tests out runs none
    from sdanalysis import dataset, stats

    committed = {}
    for read in (dataset.load_data, dataset.load):
        setattr(dataset, read.__name__, _once(read, committed))
    for name in _ASKED_AGAIN:
        setattr(stats, name, _once_of(getattr(stats, name), committed))
    tomllib.loads = _once_of_text(tomllib.loads)


def _once_of_text(parse):
    """Let a function of a text parse each text once: the catalogue is read by hundreds of tests."""
    parsed = functools.lru_cache(lambda text: pickle.dumps(parse(text)))
    return functools.wraps(parse)(lambda text: pickle.loads(parsed(text)))


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
        is_named = len(places) == 1 and places[0] is not None
        is_own = Path(places[0]) == DATA if is_named else "SDANALYSIS_DATA" not in os.environ
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
