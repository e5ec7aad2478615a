"""The logs of the corpus that are read line by line: what stands beside each is what is read.

fio's and iozone's logs are compared in their own files, with the notes and the fields they have.
"""

import pytest
from corpus_logs import assert_rows_beside, beside, errors, first_error, logs_of, measured

TOOLS = ("dd", "ddrescue", "hdparm", "scripts")


def pairs(kind):
    """(tool, log) of every log of a kind, which is never none."""
    found = [(tool, log) for tool in TOOLS for log in logs_of(tool, kind)]
    assert {tool for tool, _ in found} == {*TOOLS}
    return [pytest.param(tool, log, id=f"{tool}-{log.stem}") for tool, log in found]


@pytest.mark.parametrize(("tool", "log"), pairs("valid"))
def test_a_good_log_gives_exactly_the_measurements_beside_it(tool, log):
    assert_rows_beside(log, measured(tool, log.read_bytes()))
    assert errors(tool, log.read_bytes()) == []


@pytest.mark.parametrize(("tool", "log"), pairs("invalid"))
def test_a_bad_log_is_refused_with_the_error_beside_it(tool, log):
    error = first_error(tool, log.read_bytes())
    assert f"{error}\n" == beside(log, ".error").read_text(encoding="utf-8")
