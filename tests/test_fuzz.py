"""The promises that `make fuzz` holds the readers to: the corpus keeps them, and breaches show."""

import fuzz_parsers
import pytest
from fuzz_parsers import BrokenPromiseError, check, check_measurement, main, mutated

from sdanalysis.codebook.measurement import Measurement

GOOD = {"line": 1, "column": 2, "op": "read", "metric": "bandwidth", "stat": "single", "raw": "5"}


@pytest.mark.parametrize("target", fuzz_parsers.TARGETS)
def test_the_logs_of_the_corpus_keep_every_promise(target, monkeypatch):
    monkeypatch.setattr(fuzz_parsers, "TIME_LIMIT", 10)  # the suite runs beside others
    logs = fuzz_parsers.seeds(target)
    assert logs
    for log in logs[::5] if target == fuzz_parsers.WHOLE else logs:
        check(target, log.read_bytes())


@pytest.mark.parametrize(
    "wrong",
    [
        *({"column": 0}, {"column": 6}, {"value": 0.0}, {"value": -1.0}, {"value": float("nan")}),
        {"value": 1.0, "value_high": float("inf")},
        *({"value": 5.0, "value_low": 6.0}, {"value": 5.0, "value_high": 4.0}),
    ],
)
def test_what_no_reader_may_give_is_a_broken_promise(wrong):
    with pytest.raises(BrokenPromiseError):
        check_measurement(Measurement(**{**GOOD, **wrong}), "12345")


def test_what_keeps_the_promises_passes():
    still = {"value": 0.0, "status": "sample"}
    for right in ({"value": 5.0, "value_low": 4.5, "value_high": 5.5}, still):
        check_measurement(Measurement(**GOOD, **right), "12345")


def test_changed_logs_are_read_without_the_fuzzer_and_the_same_for_a_seed(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["fuzz_parsers.py", "--bytes", "20000", "--seed", "3"])
    assert main() == 0
    assert "changed logs" in capsys.readouterr().out
    one, other = (fuzz_parsers.random.Random(3) for _ in range(2))
    assert mutated(one, [b"1 MB/s\n"]) == mutated(other, [b"1 MB/s\n"])
