"""Every log of the corpus, cut: a part of its rows is left, or a word, and never another number.

EVERY_CUT=1, as `make fuzz` sets it, cuts each log below 6 KB at every byte (a minute or two);
without it, places of the longer ones are drawn with a fixed seed, of those where a cut is most
likely to make another number: after a digit, and where a line ends.
"""

import os
import random

import pytest
from corpus_logs import assert_cuts_are_parts, log_name, logs_of

from sdanalysis.codebook.columns import LOG_STATUSES
from sdanalysis.logs import read as logs

EVERY = "EVERY_CUT" in os.environ
SHORT = 6 * 1024 if EVERY else 768  # bytes: up to here a log is cut at each of them
PLACES = 50  # in a longer log


def places(content):
    """Where a log is cut: everywhere in a short one, and always in the last bytes of a longer."""
    size = len(content)
    if size <= SHORT:
        return range(size)
    telling = [end for end in range(1, size) if content[end - 1] in b"0123456789\n"]
    drawn = random.Random(size).sample(telling, PLACES)
    return sorted({*drawn, *range(size - 20, size)})


@pytest.mark.parametrize(
    "log", logs_of("*", "*"), ids=lambda log: f"{log.parent.parent.name}/{log.stem}"
)
def test_a_cut_log_gives_a_part_of_the_whole_or_a_word(log):
    def rows(content):
        read = logs.parse_log(log_name(log), content)
        assert read.measurements or read.problems
        assert {one.status for one in read.measurements} <= {*LOG_STATUSES, "not_measured"}
        return read.measurements

    content = log.read_bytes()
    assert_cuts_are_parts(rows, content, places(content))
