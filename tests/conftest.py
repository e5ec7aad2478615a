"""What the tests of the data path share: the built table, and a copy of data/ to break."""

import functools
import hashlib
import re
import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parent.parent / "data"
# A file that names one of these makes or reads frames; parsers, their logs and pages do not.
FRAMES = re.compile(
    r"\b(pandas|dataset|stats|plots|claims|audit|my_card|comparing|sdanalysis\.cli)\b"
)


def pytest_collection_modifyitems(items):
    """Mark what pyarrow may change, beside pandas: the tests that `make test-arrow` runs."""
    texts = {path: path.read_text(encoding="utf-8") for path in {item.path for item in items}}
    touching = {
        path for path, text in texts.items() if path.suffix == ".ipynb" or FRAMES.search(text)
    }
    for item in items:
        if item.path in touching:
            item.add_marker(pytest.mark.frames)


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


@pytest.fixture(scope="session", autouse=True)
def _committed_table_is_read_once():
    """Without arguments `load_data` and `load` return the same each time: nobody changes it."""
    from sdanalysis import dataset

    with pytest.MonkeyPatch.context() as patched:
        for read in (dataset.load_data, dataset.load):
            patched.setattr(dataset, read.__name__, _once(read))
        yield


def _once(read):
    cached = functools.cache(read)

    @functools.wraps(read)
    def reading(*places, **options):
        return read(*places, **options) if places or options else cached()

    return reading


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
