"""The promises that `make fuzz` holds the parsers to: the corpus keeps them, and breaches show."""

import time

import fuzz_parsers
import pytest
from corpus_logs import logs_of
from fuzz_parsers import BrokenPromiseError, check

from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers import PARSERS

GOOD = {"line": 1, "column": 2, "tool": "dd", "op": "read", "metric": "bandwidth", "raw": "5"}


def test_each_parser_is_a_target_and_starts_from_its_logs():
    assert {*fuzz_parsers.TARGETS} == {*PARSERS, fuzz_parsers.WHOLE}
    assert all(fuzz_parsers.seeds(target) for target in fuzz_parsers.TARGETS)
    assert fuzz_parsers.seeds(fuzz_parsers.WHOLE) == sorted(logs_of("*", "*"))


@pytest.mark.parametrize("target", fuzz_parsers.TARGETS)
def test_the_logs_of_the_corpus_keep_every_promise(target, monkeypatch):
    monkeypatch.setattr(fuzz_parsers, "TIME_LIMIT", 10)  # the suite runs beside others
    for log in fuzz_parsers.seeds(target):
        check(target, log.read_bytes())


@pytest.mark.parametrize(
    "item",
    [
        Measurement(**{**GOOD, "line": 3}),
        Measurement(**{**GOOD, "line": 0}),
        Measurement(**{**GOOD, "column": 0}),
        Measurement(**{**GOOD, "column": 6}),
        Measurement(**GOOD, value=0.0),
        Measurement(**GOOD, value=-1.0),
        Measurement(**GOOD, value=float("nan")),
        Measurement(**GOOD, value=1.0, value_high=float("inf")),
        Measurement(**GOOD, value=5.0, value_low=6.0),
        Measurement(**GOOD, value=5.0, value_high=4.0),
        Problem(line=3, text="found"),
    ],
)
def test_what_no_parser_may_give_is_a_broken_promise(item, monkeypatch):
    monkeypatch.setitem(PARSERS, "dd", lambda lines: [item])
    with pytest.raises(BrokenPromiseError):
        check("dd", b"12345\n12345\n")


def test_a_slow_answer_is_a_broken_promise(monkeypatch):
    monkeypatch.setitem(PARSERS, "dd", lambda lines: [])
    times = iter([0.0, 1.1])
    monkeypatch.setattr(time, "process_time", lambda: next(times))
    with pytest.raises(BrokenPromiseError, match=r"took 1\.1 s"):
        check("dd", b"12345\n")


def test_what_keeps_the_promises_passes(monkeypatch):
    value = Measurement(**GOOD, value=5.0, value_low=4.5, value_high=5.5)
    under = Measurement(**GOOD, value=0.0, value_high=1e-6, status="below_resolution")
    still = Measurement(**GOOD, value=0.0, status="sample")
    problem = Problem(line=2, text="found")
    monkeypatch.setitem(PARSERS, "dd", lambda lines: [value, under, still, problem])
    check("dd", b"12345\n12345\n")
    check("dd", b"\xff\xfe1")  # half a character: refused before a parser sees it
