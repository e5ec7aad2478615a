"""Facts from outside the sources: run noise, cards of one model, what classes promise."""

import math

import pandas as pd
import pytest
from scipy import stats as scipy_stats

from sdanalysis import dataset, stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.noise import least_detectable_ratio


def test_the_noise_of_a_card_is_in_base_units_and_names_its_publication():
    noise = dataset.load_noise()
    row = noise[(noise["medium"] == "SD card") & (noise["op"] == "randwrite")]
    assert dict(zip(row["tool"], row["median"], strict=True)) == {
        "fio": 970,
        "iozone": 3501 * 1024,
    }
    assert noise["source"].str.startswith("https://").all()
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


def test_specimens_of_one_model_have_three_runs_each():
    specimens = dataset.load_specimens()
    named = specimens[specimens["model"].notna()]
    assert named.groupby(["specimen", "op"]).size().eq(3).all()
    means = named[named["op"] == "write"].groupby("specimen")["value"].agg(stats.geometric_mean)
    assert means.max() / means.min() == pytest.approx(3.0, abs=0.05)


def test_a_class_promises_what_the_specification_says():
    classes = dataset.load_classes().set_index("class")
    assert classes.loc["A1", ["write", "randread", "randwrite"]].tolist() == [10e6, 1500, 500]
    assert classes.loc["A2", ["write", "randread", "randwrite"]].tolist() == [10e6, 4000, 2000]
    assert pd.isna(classes.loc["V30", "randread"])


def test_a_missing_reference_table_is_named(tmp_path):
    with pytest.raises(SdAnalysisError, match=r"noise\.csv: found No such file"):
        dataset.load_noise(tmp_path)


def test_the_band_is_what_two_single_runs_differ_by():
    ratio = least_detectable_ratio(0.0666, 4)
    assert ratio == pytest.approx(math.exp(scipy_stats.t.ppf(0.975, 4) * 0.0666 * math.sqrt(2)))
    assert least_detectable_ratio(0.0666, 4, runs=(4, 4)) == pytest.approx(ratio**0.5)


def test_a_test_that_was_repeated_has_its_own_band_and_others_a_bound():
    tests = pd.DataFrame(
        [("iozone", "randread", 4096), ("iozone", "read", 16 << 20), ("dd", "copy", pd.NA)],
        columns=["tool", "op", "block_size"],
        index=[7, 8, 9],
    )
    bands = stats.noise_band(tests, dataset.load_noise())
    assert list(bands.index) == [7, 8, 9]
    assert bands.loc[7, "noise_basis"] == "5 runs of iozone randread 4K"
    assert bands.loc[7, "noise_sd"] == 0.01306
    assert bands.loc[8, "noise_basis"].startswith("bound: 5 runs of iozone randread 4K")
    assert bands.loc[9].isna().all()
