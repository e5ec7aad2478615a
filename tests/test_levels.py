"""Where a run changes its level, on series whose truth is known: noise, steps, drifts, stalls."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError


def run(values, **cells):
    values = np.asarray(values, dtype=float)
    times = np.arange(1, len(values) + 1) / 10
    head = {"file": "c_bw.1.log", "job": 1, "op": "write", "metric": "bandwidth"} | cells
    return pd.DataFrame({**head, "time": times, "value": values})


def noise(random, count, *, alike=0.0, spread=0.1):
    """Noise around 1 whose neighbours are correlated by `alike`."""
    steps = random.normal(0, spread, count)
    values = np.zeros(count)
    for place in range(count):
        before = values[place - 1] if place else 0
        values[place] = alike * before + steps[place] * (1 - alike**2) ** 0.5
    return np.exp(values)


def patterns(make, times=60, **options):
    random = np.random.default_rng(7)
    found = (stats.levels(run(make(random)), **options) for _ in range(times))
    return Counter(tuple(levels["pattern"]) for levels in found)


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.8])
@pytest.mark.parametrize("count", [60, 300, 1000])
def test_noise_has_no_change(alike, count):
    found = patterns(
        lambda random: 20e6 * noise(random, count, alike=alike, spread=0.05), least=1.1
    )
    steps = sum(number for pattern, number in found.items() if len(pattern) > 1)
    assert steps <= 1
    assert found["level",] >= 25


@pytest.mark.parametrize("place", [20, 60, 150, 180])
@pytest.mark.parametrize("ratio", [0.1, 0.4, 2.5])
def test_a_step_is_found_where_it_is_with_its_ratio(place, ratio):
    random = np.random.default_rng(place)
    values = np.where(np.arange(200) < place, 80e6, 80e6 * ratio) * noise(random, 200)
    levels = stats.levels(run(values))
    assert len(levels) == 2
    assert levels["begin"].iloc[1] == pytest.approx((place + 1) / 10, abs=0.11)
    assert levels["ratio"].iloc[1] == pytest.approx(ratio, rel=0.08)
    assert levels["samples"].sum() == 200
    assert levels["p"].iloc[1] < 0.05


def test_the_p_of_a_step_without_noise_is_pettitts():
    levels = stats.levels(run([1e6] * 30 + [2e6] * 30))
    assert levels["p"].iloc[1] == pytest.approx(2 * np.exp(-6 * 900**2 / (60**3 + 60**2)))


def test_a_step_of_a_long_log_is_found_in_groups_of_samples():
    random = np.random.default_rng(0)
    values = np.where(np.arange(100_000) < 30_000, 80e6, 20e6) * noise(random, 100_000)
    levels = stats.levels(run(values))
    assert levels["begin"].iloc[1] == pytest.approx(3000, rel=0.01)


def test_two_steps_are_three_levels_also_where_both_ends_have_one_median():
    random = np.random.default_rng(1)
    values = np.repeat([80e6, 20e6, 5e6], 100) * noise(random, 300)
    assert stats.levels(run(values))["level"].round(-6).tolist() == [80e6, 20e6, 5e6]
    dip = np.repeat([80e6, 8e6, 80e6], [100, 50, 100]) * noise(np.random.default_rng(3), 250)
    assert stats.levels(run(dip))["samples"].tolist() == [100, 50, 100]
    step = run(np.repeat([30e6, 20e6], 100))  # one below the least factor is none
    assert [len(stats.levels(step, least=least)) for least in (2.0, 1.4)] == [1, 2]


def test_a_slow_drift_is_no_step():
    drift = np.linspace(80e6, 20e6, 200)
    found = patterns(lambda random: drift * noise(random, 200))
    assert found["drift",] >= 55
    words = stats.levels_in_words(stats.levels(run(drift)))
    assert words[0].startswith("Writing drifts, around 50 MB/s, and has no place where it")


def test_what_may_be_a_step_or_a_drift_is_undecided():
    slope = 20e6 * (1 + 3 * np.exp(-np.arange(200) / 30))
    found = patterns(lambda random: slope * noise(random, 200))
    assert found["unclear",] >= 55
    assert stats.levels_in_words(stats.levels(run(slope)))[0].startswith("Undecided: writing")


def test_few_samples_decide_nothing():
    levels = stats.levels(run([80e6] * 9 + [20e6] * 10))
    assert levels["pattern"].tolist() == ["few"]
    assert stats.levels_in_words(levels) == [
        "19 samples of writing are too few to look for a change."
    ]


def test_constant_samples_and_stalls_are_levels():
    assert stats.levels(run([5e6] * 50))["pattern"].tolist() == ["level"]
    assert stats.levels(run([0.0] * 50))["level"].tolist() == [0.0]
    stalled = stats.levels(run([5e6] * 50 + [0.0] * 50))
    assert stalled["level"].tolist() == [5e6, 0.0]
    assert "falls from 5.0 to 0.0 MB/s" in stats.levels_in_words(stalled)[0]
    assert stats.levels(run([np.nan] * 30)).empty and stats.levels(run([])).empty


def test_runs_are_looked_at_one_by_one_and_the_order_of_rows_does_not_matter():
    step = np.repeat([80e6, 20e6], 50)
    both = pd.concat([run(step), run(step[::-1], op="read"), run([5e6] * 50, job=2)])
    levels = stats.levels(both.sample(frac=1, random_state=0))
    counts = levels.groupby(["op", "job"]).size()
    assert counts.to_dict() == {("read", 1): 2, ("write", 1): 2, ("write", 2): 1}
    read = levels[levels["op"] == "read"]
    said = "At 5.1 s reading rises from 20 to 80 MB/s, 4.0 times that (100 samples)."
    assert stats.levels_in_words(read) == [said]


@pytest.mark.parametrize("options", [{"confidence": 1.0}, {"confidence": 0}, {"least": 0.5}])
def test_a_confidence_or_factor_that_means_nothing_is_refused(options):
    with pytest.raises(SdAnalysisError, match="expected one between 0 and 1, and at least 1"):
        stats.levels(run([1.0] * 30), **options)
