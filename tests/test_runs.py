"""How many runs decide a difference: the rule holds what it promises."""

import numpy as np
import pandas as pd
import pytest

from sdanalysis import stats
from sdanalysis.stats.intervals import _exact_tails, fewest_runs


def power(spread, runs, times=2000):
    """Return how often the exact test finds 10 % between so many runs a side."""
    numbers = np.random.default_rng(7)
    base = numbers.normal(0, spread, (times, runs, 1))
    new = numbers.normal(np.log(1.1), spread, (times, 1, runs))
    above = (new > base).sum(axis=(1, 2))
    tails = _exact_tails(runs, runs)
    return float((tails[np.minimum(above, runs * runs - above)] <= 0.05).mean())


@pytest.mark.parametrize("spread", [0.03, 0.045, 0.066, 0.1, 0.15])
def test_so_many_runs_find_the_difference_as_often_as_asked_and_fewer_do_not(spread):
    runs = stats.runs_to_tell(spread)
    assert power(spread, runs) > 0.78
    if runs > fewest_runs() + 1:
        assert power(spread, int(runs * 0.7)) < 0.78


def test_no_spread_makes_fewer_runs_enough_than_ranks_can_tell_apart():
    assert stats.runs_to_tell(0.0) == fewest_runs() == 4
    assert (
        stats.runs_to_tell(0.066, 0.2) < stats.runs_to_tell(0.066) < stats.runs_to_tell(0.066, 0.05)
    )


def rows(**values):
    return pd.DataFrame(
        [
            {"op": op, "metric": "bandwidth", "stat": "single", "tool": "iozone", "direct": True,
             "block_size": 4096, "file_size": 2**20, "numjobs": 1, "iodepth": None,
             "read_mix": None, "status": "measured", "repeat": repeat, "value": value}
            for op, found in values.items() for repeat, value in enumerate(found, 1)
        ]
    )  # fmt: skip


def test_each_test_of_a_card_has_the_runs_that_its_own_spread_asks_for():
    noise = pd.DataFrame([], columns=["medium", "specimen", "tool", "op", "block_size", "sd_log"])
    found = stats.runs_needed(rows(randwrite=(10.0, 11, 12), randread=(100.0,)), noise)
    assert found[["op", "runs"]].values.tolist() == [["randwrite", 3]]  # one run has no spread
    assert found["needed"].item() == stats.runs_to_tell(np.std(np.log([10, 11, 12]), ddof=1))
    assert found["needed_elsewhere"].isna().all()


def test_few_runs_decide_nothing_and_the_words_say_so():
    found = pd.DataFrame({"op": ["randwrite"], "needed": [4]})
    assert stats.runs_in_words(found, 3) == (
        "3 runs on each side decide nothing: below 4 no order of the results is rare.",
    )
    assert stats.runs_in_words(found, 1)[0].startswith("One run decides nothing")
