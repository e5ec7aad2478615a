"""Facts from outside the sources: run noise, cards of one model, what classes promise."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import dataset, stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.intervals import _exact_tails, fewest_runs
from sdanalysis.stats.noise import least_detectable_ratio, medium_kind


def test_the_noise_of_a_card_is_in_base_units_and_names_its_publication():
    noise = dataset.load_noise()
    row = noise[(noise["specimen"] == "ricsanfre/sd-card") & (noise["op"] == "randwrite")]
    assert dict(zip(row["tool"], row["median"], strict=True)) == {
        "fio": 970,
        "iozone": 3501 * 1024,
    }
    published = noise["source"].str.startswith("https://")
    assert set(noise.loc[~published, "source"]) == {"geerling-2019"}
    assert (noise["minimum"] <= noise["median"]).all()
    assert (noise["median"] <= noise["maximum"]).all()


def test_the_spread_of_logarithms_fits_the_printed_extremes():
    """Five values in [a, b] have a standard deviation between these two bounds."""
    noise = dataset.load_noise()
    span = (noise["maximum"].astype(float) / noise["minimum"]).map(math.log)
    least = span / (2 * (noise["runs"] - 1) / 1).astype(float).map(math.sqrt)
    most = span * ((noise["runs"] ** 2 // 4) / noise["runs"] / (noise["runs"] - 1)).map(math.sqrt)
    assert (noise["sd_log"] >= least * 0.95).all()
    assert (noise["sd_log"] <= most * 1.05).all()


def test_a_class_promises_what_the_specification_says():
    classes = dataset.load_classes().set_index("class")
    assert classes.loc["A1", ["write", "randread", "randwrite"]].tolist() == [10e6, 1500, 500]
    assert classes.loc["A2", ["write", "randread", "randwrite"]].tolist() == [10e6, 4000, 2000]
    assert pd.isna(classes.loc["V30", "randread"])


def test_a_missing_reference_table_is_named(tmp_path):
    with pytest.raises(SdAnalysisError, match=r"found no reference/noise\.csv"):
        dataset.load_noise(tmp_path)


def test_the_band_is_what_two_results_of_so_many_runs_differ_by():
    for runs, root in {(1, 1): 2, (4, 4): 0.5, (math.inf, 1): 1}.items():  # infinite: no noise
        ratio = math.exp(scipy_stats.t.ppf(0.975, 4) * 0.0666 * math.sqrt(root))
        assert least_detectable_ratio(0.0666, 4, runs=runs) == pytest.approx(ratio)
    assert math.isnan(least_detectable_ratio(math.nan, 4, runs=(1, 1)))


def test_a_medium_whose_form_is_not_known_is_held_against_cards():
    forms = [None, pd.NA, "microSD", "SD", "eMMC", "USB stick", "SSD"]
    assert [medium_kind(form) for form in forms] == ["SD card"] * 5 + ["USB medium", "SSD"]


def test_a_block_size_that_is_not_stated_parts_no_tests_and_another_one_does():
    noise = pd.DataFrame(
        [("a", "fio", "randread", 4096, 0.1), ("b", "fio", "randread", pd.NA, 0.2),
         ("c", "fio", "randread", 8192, 0.3), ("d", "dd", "randread", 4096, 0.4),
         ("e", "fio", "write", 4096, 0.5)],
        columns=["specimen", "tool", "op", "block_size", "sd_log"],
    ).assign(medium="SD card")  # fmt: skip
    tests = pd.DataFrame({"tool": "fio", "op": "randread", "block_size": [4096, pd.NA, 16384]})
    bands = stats.noise_band(tests, noise)
    reads = statistics.mean([0.01, 0.04, 0.09, 0.16])
    owns = [(0.01, 0.04), (0.01, 0.04, 0.09), (0.04,)]
    variances = [statistics.mean([*own, reads]) for own in owns]
    assert bands["noise_sd"].tolist() == pytest.approx([math.sqrt(one) for one in variances])
    assert bands["noise_freedom"].tolist() == [2, 3, 1]
    assert bands["noise_kind"].tolist() == ["own"] * 3
    bound = stats.noise_band(tests.assign(tool="other"), noise).iloc[0]
    assert (bound["noise_kind"], bound["noise_freedom"]) == ("bound", 1)
    assert bound["noise_sd"] == pytest.approx(math.sqrt(reads))


@pytest.mark.parametrize(
    ("ratio", "opinion"), [(1.9, "within"), (2.1, "beyond"), (0.55, "within"), (0.45, "beyond")]
)
def test_a_second_opinion_looks_at_both_sides_of_one(ratio, opinion):
    sd = math.log(2) / scipy_stats.t.ppf(0.975, 1) / math.sqrt(2)  # a band of 2
    noise = pd.DataFrame(
        {"medium": ["SD card"], "specimen": "a", "tool": "fio", "op": "read", "sd_log": sd}
    ).assign(block_size=4096)
    test = {"tool": "fio", "op": "read", "block_size": 4096, "unit": "run", "low": math.nan}
    tests = pd.DataFrame([{**test, "base_n": 1, "new_n": 1, "ratio": ratio}])
    found = stats.second_opinion(tests, noise)
    assert found["opinion"].tolist() == [opinion]
    assert found["noise_band"].item() == pytest.approx(2)
    for change in ({"base_n": 2, "new_n": 2}, {"unit": "card"}, {"low": 0.5}, {"ratio": 1.0}):
        assert stats.second_opinion(tests.assign(**change), noise).empty
    more = stats.second_opinion(tests.assign(new_n=4), noise)["noise_band"].item()
    assert more == pytest.approx(2 ** math.sqrt(5 / 8))


def test_two_runs_are_a_repeat_and_two_figures_of_one_run_are_none():
    figures = pd.DataFrame(
        [("a", "1", 2.0), ("a", "2", 8.0), ("b", "1", 2.0), ("b", "1", 8.0), ("c", "1", 5.0)],
        columns=["specimen", "run", "value"],
    ).assign(tool="dd", op="read", metric="bandwidth", block_size=4096)
    (row,) = stats.repeat_spreads(figures).itertuples()
    assert (row.specimen, row.runs, row.minimum, row.median, row.maximum) == ("a", 2, 2, 5, 8)
    assert row.sd_log == pytest.approx(math.log(4) / math.sqrt(2))


def test_a_test_that_was_repeated_has_its_own_band_and_others_a_bound():
    tests = pd.DataFrame(
        [("iozone", "randread", 4096), ("iozone", "read", 16 << 20), ("dd", "copy", pd.NA)],
        columns=["tool", "op", "block_size"],
        index=[7, 8, 9],
    )
    bands = stats.noise_band(tests, dataset.load_noise())
    assert list(bands.index) == [7, 8, 9]
    own, bound = "repeats of 3 SD cards, and all reads", "bound: this test was not repeated; all"
    assert bands["noise_basis"].fillna("").str.slice(0, 38).tolist() == [own[:38], bound, ""]
    assert bands["noise_freedom"].tolist()[:2] == [3, 1]
    assert bands.loc[9].isna().all()


# Typed from two comments with three runs of randread, read, reread, hdparm; Kingston's hdparm gave
# 22.24 three times. The five runs: hdparm, fio, randread, read, reread.
KINGSTON = (4022, 4361, 4007), (4517, 4816, 4451), (4523, 4828, 4468)
EVO_SELECT = (4560, 4520, 4486), (4634, 4628, 4589), (4649, 4597, 4592), (21.89, 21.93, 22.36)
FIVE_RUNS = 0.00024, 0.0076, 0.01306, 0.00373, 0.00345
DD_READS = ((45.6, 45.7, 45.7), (45.8, 45.5, 45.7), (45.2, 45.3, 45.5), (45.7, 45.8, 45.9))


def variance(runs):
    return statistics.variance(map(math.log, runs))


def test_the_band_of_random_reads_is_that_of_a_computation_by_hand():
    kingston, evo_select = [*map(variance, KINGSTON), 0], [*map(variance, EVO_SELECT)]
    five_runs = [sd**2 for sd in FIVE_RUNS]
    reads = [*map(statistics.mean, (kingston, evo_select, five_runs)), *map(variance, DD_READS)]
    own = kingston[0], evo_select[0], five_runs[2]
    pooled = statistics.mean([*own, statistics.mean(reads)])
    band = math.exp(scipy_stats.t.ppf(0.975, 3) * math.sqrt(2 * pooled))
    test = pd.DataFrame({"tool": ["iozone"], "op": "randread", "block_size": 4096})
    assert stats.noise_band(test, dataset.load_noise())["noise_band"].item() == pytest.approx(band)


@pytest.mark.parametrize(
    ("form", "basis"), [("microSD", "3 SD cards"), ("USB stick", "1 USB medium"), ("SSD", "1 SSD")]
)
def test_a_stick_is_held_against_the_repeats_of_a_stick(form, basis):
    test = pd.DataFrame({"tool": ["iozone"], "op": "randwrite", "block_size": 4096, "form": form})
    found = stats.noise_band(test, dataset.load_noise())["noise_basis"].item()
    assert found == f"repeats of {basis}, and all writes"


def clean_runs(data):
    runs = stats.usable(data.measurements)
    return runs[~stats.doubted(runs)]


def test_a_doubted_run_makes_no_yardstick():
    data = sdanalysis.load_data()
    tests = pd.DataFrame({"tool": ["iozone"], "op": "randwrite", "block_size": 4096})
    every = data.measurements.assign(remarks=None)
    bands = [
        stats.noise_band(tests, noise)["noise_band"].item()
        for noise in (data.noise, dataset.load_noise(measurements=every, media=data.media))
    ]
    assert bands == pytest.approx([1.26, 1.95], abs=0.005)


@pytest.mark.parametrize(("without_own", "outside"), [(False, 0), (True, 6)])
def test_the_yardstick_holds_the_repeats_of_the_sources_own_cards(without_own, outside):
    data = sdanalysis.load_data()
    found = stats.repeats_outside(clean_runs(data), data.noise, without_own=without_own)
    assert (found["outside"].sum(), found["pairs"].sum()) == (outside, 46)
    dd = found[(found["tool"] == "dd") & (found["block_size"] == 8192)]
    assert dd["pairs"].tolist() == [6]  # three runs of two cards


def test_a_card_that_helped_to_make_the_yardstick_is_left_out_of_it():
    runs = pd.DataFrame(
        [("a", "1", 1.0), ("a", "2", 1.2), ("b", "1", 2.0), ("b", "2", 2.0)],
        columns=["specimen", "run", "value"],
    ).assign(tool="dd", op="read", metric="bandwidth", block_size=4096)
    noise = stats.repeat_spreads(runs).assign(medium="SD card")
    # alone, b has no spread: a is outside; with a's own there is room for it
    assert stats.repeats_outside(runs, noise)["outside"].sum() == 1
    assert stats.repeats_outside(runs, noise, without_own=False)["outside"].sum() == 0


# --- how many runs -------------------------------------------------------------------------------


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
    runs = [stats.runs_to_tell(0.066, difference) for difference in (0.2, 0.1, 0.05)]
    assert runs == sorted(runs)


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
    none_enough = found.assign(needed=30)
    assert stats.runs_in_words(none_enough, 5) == (
        "In writing small blocks it takes 30 runs on each side, as far as these runs differ.",
    )
