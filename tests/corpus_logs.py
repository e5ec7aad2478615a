"""What the tests of the parsers share: logs of the corpus, what is read of them, and their cuts."""

import csv
from functools import cache
from pathlib import Path

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS
from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.errors import ParseError
from sdanalysis.parsers import PARSERS, decode, markup, parse, split_lines

CORPUS = Path(__file__).resolve().parent / "corpus"


def logs_of(tool, kind):
    """The logs of a tool, sorted: the valid or the invalid ones."""
    return sorted(CORPUS.glob(f"{tool}/{kind}/*.log"))


def beside(log, suffix):
    """The file beside a log; its version has dots, so `with_suffix` would do for its last one."""
    return log.parent / f"{log.name.removesuffix('.log')}{suffix}"


def log_name(log):
    """Only the name of a side log says what it holds: the version is not part of fio's name."""
    return log.stem.partition("--")[0] + ".log"


def read(tool, content, name=""):
    """(measurements, problems) that a tool's parser finds in bytes or text."""
    text = content if isinstance(content, str) else decode(content)
    named = {"name": name} if tool == "fio" else {}
    plain = markup.undone(split_lines(text))
    items = list(PARSERS[tool](plain.lines, **named))
    problems = [item for item in items if isinstance(item, Problem)]
    found = [item for item in items if isinstance(item, Measurement)]
    return [markup.placed(one, plain.places) for one in found], problems


@cache
def _types():
    """The columns of a log's table, whose types pandas need not look up for each log."""
    import pandas as pd

    return {name: pd.api.types.pandas_dtype(COLUMNS[name].dtype) for name in LOG_COLUMNS}


def frame_of(rows):
    """The table of rows as mappings, built in the plain way."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(LOG_COLUMNS)).astype(_types())


def assert_frames_are_alike(found, expected):
    """Ask pandas for the difference where there is one: it takes long to say that there is none."""
    import pandas as pd

    if not found.equals(expected):
        pd.testing.assert_frame_equal(found, expected)


def measured(tool, content):
    return read(tool, content)[0]


def errors(tool, content):
    return [problem for problem in read(tool, content)[1] if problem.kind == "error"]


def notes(tool, content):
    """The texts of what is worth a word and no error: notes and doubts."""
    return [problem.text for problem in read(tool, content)[1] if problem.kind != "error"]


def key(measurement):
    """What makes a number another number, or puts it in another place."""
    names = ("line", "column", "tool", "op", "metric", "stat", "value", "raw")
    return tuple(getattr(measurement, name) for name in names)


def expected_rows(log):
    """(columns, rows as texts) of the table beside a log."""
    with beside(log, ".csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = list(reader)
    return reader.fieldnames, rows


def cells(measurements, columns):
    """Measurements as the table beside a log writes them: texts, in the parser's order.

    Only fio's are put in the order of their place: its parser gives one report after another.
    """
    ordered = list(measurements)
    if {one.tool for one in ordered} == {"fio"}:
        ordered.sort(key=lambda one: (one.line, one.column))
    found = [[getattr(one, column) for column in columns] for one in ordered]
    texts = [["" if one is None else str(one) for one in row] for row in found]
    return [dict(zip(columns, row, strict=True)) for row in texts]


def assert_rows_beside(log, measurements):
    """All the rows of the table beside a log are found, and no other."""
    columns, rows = expected_rows(log)
    assert cells(measurements, columns) == rows


def first_error(tool, content):
    """The error that ends a strict reading, as it stands beside a bad log; None: all was read."""
    try:
        parse(split_lines(decode(content)), [tool])
    except ParseError as error:
        return str(error)
    return None
