"""The corpus as pairs: a log, and beside it what is read of it.

A pair is NAME.log (or another ending, where fio's name says what a file is) and NAME.csv. Small
texts share a file, TOPIC.cases: below `-- NAME --` stands a log, below `-- NAME.csv --` its
partner. A partner holds the words that are said (`# 3: error: found ...`), then the rows with all
columns of a log but `file`; a column that is empty in each row is left out. Without a partner there
is neither row nor word. A section with `(cut)` in its name lacks the end of its last line.
"""

import csv
import difflib
import io
import re
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sdanalysis.codebook.columns import LOG_COLUMNS
from sdanalysis.logs.read import read_log

CORPUS = Path(__file__).resolve().parent / "corpus"
COLUMNS = [name for name in LOG_COLUMNS if name != "file"]
ENDINGS = (".log", ".json")
SECTION = re.compile(r"^-- (\S.*) --\n", re.MULTILINE)


class Pair(NamedTuple):
    """A log of the corpus: the file or section that holds it, its bytes, its partner."""

    where: str  # `dd/german`, `dd/units:KiB`
    name: str  # of the file, for fio's side logs
    log: bytes
    partner: str


class Found(NamedTuple):
    """What the package reads of a log."""

    measurements: tuple
    problems: tuple


def found_in(log, name="x.log"):
    """Return what is found in a log's bytes: the one place where tests of readers call them."""
    path = Path(_folder().name) / name
    path.write_bytes(log)
    try:
        return found_at(path)
    finally:
        path.unlink()


def found_at(path):
    """Return what is found in a file."""
    log = read_log(str(path))
    return Found(tuple(log.measurements), tuple(log.problems))


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="pairs-")


def cells_of(measurement):
    """Return a row as texts; a float has 14 digits, whatever way it was computed."""
    return [_text(getattr(measurement, name)) for name in COLUMNS]


def _text(value):
    if isinstance(value, tuple):
        return " ".join(value)
    return "" if value is None else f"{value:.14g}" if isinstance(value, float) else str(value)


def partner_of(found):
    """Return the partner of what was found: words, then the columns that some row fills."""
    words = "".join(f"# {one.line}: {one.kind}: {one.text}\n" for one in found.problems)
    rows = [cells_of(one) for one in found.measurements]
    used = [number for number in range(len(COLUMNS)) if any(row[number] for row in rows)]
    table = io.StringIO()
    for row in (COLUMNS, *rows) if rows else ():
        csv.writer(table, lineterminator="\n").writerow([row[number] for number in used])
    return words + table.getvalue()


def pairs_of(path):
    """Return the pairs of a file: one of a log, those of its sections of a `.cases`."""
    place = path.relative_to(CORPUS) if path.is_relative_to(CORPUS) else Path(path.name)
    where = str(place.with_suffix(""))
    if path.suffix in ENDINGS:
        beside = path.with_suffix(".csv")
        partner = beside.read_text(encoding="utf-8") if beside.exists() else ""
        return [Pair(where, path.name, path.read_bytes(), partner)]
    _, *parts = SECTION.split(path.read_bytes().decode("utf-8"))
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    assert len(texts) * 2 == len(parts), f"{path}: two sections of one name"
    names = [name for name in texts if not name.endswith(".csv")]
    partners = {name: texts.get(f"{name}.csv", "") for name in names}
    return [
        Pair(f"{where}:{name}", _file_name(name), _log(name, texts[name]), partners[name])
        for name in names
    ]


def _log(section, text):
    return (text.removesuffix("\n") if "(cut)" in section else text).encode()


def _file_name(section):
    """A section names a file where its ending says what it is (`x_bw.1.log`)."""
    return section if section.endswith(ENDINGS) else f"{section}.log"


@cache
def files():
    """Return the logs and cases of the corpus, in the order of their paths."""
    return sorted(path for path in CORPUS.rglob("*") if path.suffix in (*ENDINGS, ".cases"))


@cache
def all_pairs():
    """Return every pair of the corpus."""
    return [pair for path in files() for pair in pairs_of(path)]


def differences(expected, found, where):
    """Return what differs between two partners, a line a row; empty where nothing does."""
    lines = (text.splitlines() for text in (expected, found))
    return "\n".join(difflib.unified_diff(*lines, f"{where}, expected", "found", n=0, lineterm=""))
