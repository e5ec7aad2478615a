"""Every log, cut: each result of the cut is one of the whole, and what is lost leaves a word.

A result is a row with all its columns: value and conditions. EVERY_CUT=1, as `make fuzz` sets it,
cuts each log below 6 KB at every byte (some minutes); without it, places of the longer ones are
drawn with a fixed seed, of those where a cut is most likely to make another number: after a digit,
and where a line ends. `*/made` holds logs for this alone, genuine ones, without a partner.
"""

import os
import random
import re

import pytest
from corpus_logs import log_name, logs_of

from sdanalysis.codebook.columns import LOG_STATUSES
from sdanalysis.logs import read as logs
from sdanalysis.parsers import HEADERS, decode, split_lines

EVERY = "EVERY_CUT" in os.environ
SHORT = 6 * 1024 if EVERY else 512  # bytes: up to here a log is cut at each of them
PLACES = 400 if EVERY else 40  # in a longer log
# Where a cut of these ends behind a whole report it is, to the letter, the log of a shorter run:
# nothing tells that the report was interim. Its status may be another then, and nothing is missed.
SHORTER_RUNS = {
    **dict.fromkeys(
        ("dd/sigusr1-twice", "dd/sigusr1-with-warning"), "a report after SIGUSR1 is like the last"
    ),
    **dict.fromkeys(
        (
            *("fio/status-interval", "fio/sigkill", "fio/human-killed"),
            *("fio/human-status-interval", "fio/terse-status-interval"),
        ),
        "fio prints the whole report again, with its totals",
    ),
    "fio/json-status-interval": "fio 2.1 states neither the interval nor the time of an object",
    **dict.fromkeys(
        ("iozone/nine-results-end-the-file", "scripts/disk-benchmark-session-made"),
        "no banner says how many tests a row has",
    ),
    "iozone/commands-in-a-page": "no banner says which tests follow a block",
    "iozone/quoted-from-the-margin": "neither a banner nor an end: nothing says how many rows",
}


def places(content):
    """Where a log is cut: everywhere in a short one, and always in the last bytes of a longer."""
    size = len(content)
    if size <= SHORT:
        return range(size)
    telling = [end for end in range(1, size) if content[end - 1] in b"0123456789\n"]
    drawn = random.Random(size).sample(telling, min(PLACES, len(telling)))
    return sorted({*drawn, *range(size - 20, size)})


def every_row(log, content):
    """The rows of all columns, whatever their status."""
    found = logs.parse_log(log_name(log), content).measurements
    return [tuple(logs.row_of(one).items()) for one in found]


def without_status(row):
    """A row but for what a report that follows changes."""
    return tuple(item for item in row if item[0] != "status")


def read(log, content):
    """(results as rows of all columns, problems) of a log or of its beginning."""
    found = logs.parse_log(log_name(log), content)
    assert found.measurements or found.problems
    assert {one.status for one in found.measurements} <= {*LOG_STATUSES, "not_measured"}
    measured = [one for one in found.measurements if one.status == "measured"]
    rows = {tuple(logs.row_of(one).items()): one for one in measured}
    return rows, {(problem.line, problem.text) for problem in found.problems}


def announced(row, lines):
    """The line that announces a result: the first header of its run, else its own line."""
    begin = int(row.run.partition("-")[0]) if row.run and row.tool != "hdparm" else row.line
    patterns = [re.compile(pattern) for pattern in HEADERS.get(row.tool, {}).values()]
    above = (line for line in lines if begin <= line.number < row.line)
    headers = (line.number for line in above if any(one.search(line.text) for one in patterns))
    return next(headers, row.line)


@pytest.mark.parametrize(
    "log", logs_of("*", "*"), ids=lambda log: f"{log.parent.parent.name}/{log.stem}"
)
def test_a_cut_log_gives_results_of_the_whole_and_a_word_on_each_that_it_lost(log):
    content = log.read_bytes()
    rows, problems = read(log, content)
    lines = split_lines(decode(content))
    begins = {row: announced(one, lines) for row, one in rows.items()}
    shorter = f"{log.parent.parent.name}/{log.stem.partition('--')[0]}" in SHORTER_RUNS
    known = {without_status(row) for row in every_row(log, content)} if shorter else ()
    for end in places(content):
        cut, words = read(log, content[:end])
        other = [row for row in cut if row not in rows and without_status(row) not in known]
        assert not other, f"cut after {end} bytes: another result"
        ended = content[:end].count(b"\n")
        lost = [dict(row) for row, begin in begins.items() if row not in cut and begin <= ended]
        assert not lost or shorter or words - problems, f"cut after {end}: lost without a word"
