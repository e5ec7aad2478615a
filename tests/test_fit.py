"""The model of a test: by hand, against a second computation, against a planted truth."""

import math
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.effects import best_quantile
from sdanalysis.stats.fit import cell, remembered
from sdanalysis.stats.reasons import Reason
from sdanalysis.stats.same_test import MAIN_TESTS, Scale

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
import model_by_hand
import planted

DATA = sdanalysis.load_data()
OPS = tuple(MAIN_TESTS)


@pytest.fixture(scope="module")
def fits():
    return {op: stats.fit_model(DATA.measurements, op) for op in OPS}


def made(op, **values):
    """Return the model of made-up figures: `a_one=2.0` is card a of us on host one, in MB/s."""
    rows = [
        {"measured_by": "us", "host": host, "reader": "slot", "specimen": card, "medium": card}
        | {"value": value * 1e6, "low": value * 1e6, "high": value * 1e6, "runs": 1}
        for (card, host), value in ((name.split("_"), value) for name, value in values.items())
    ]
    return stats.fit_figures(pd.DataFrame(rows), MAIN_TESTS[op])


def place(host, who="us"):
    return stats.Place(who, host, "slot")


# --- by hand -------------------------------------------------------------------------------------


def test_on_logarithms_a_place_is_one_factor_with_the_t_interval_of_the_pairs():
    fit = made("randwrite", a_one=1, a_two=2, b_one=10, b_two=80, c_one=5, c_two=20)
    (row,) = stats.place_ratios(fit, place("one"), place("two")).itertuples()
    half = scipy_stats.t.ppf(0.975, 2) * math.log(2) / math.sqrt(3)  # the pairs are 2, 8 and 4
    assert (row.ratio, row.low, row.high) == pytest.approx(
        (4, 4 / math.exp(half), 4 * math.exp(half))
    )
    assert fit.freedom == 2


def test_on_times_a_place_adds_a_time_and_fast_cards_gain_more():
    # 1 / value: cards 0.1 and 0.2 us a byte, places 0 and 0.1: all figures fit exactly
    fit = made("read", a_one=10, a_two=5, b_one=5, b_two=10 / 3, c_one=2, c_two=10 / 6)
    rows = stats.place_ratios(fit, place("two"), place("one")).set_index("specimen")["ratio"]
    assert rows.to_dict() == pytest.approx({"a": 2, "b": 1.5, "c": 1.2})
    rows = stats.place_ratios(fit, place("two"), place("one"), speeds=[5e6, 2e6])
    assert rows["ratio"].tolist() == pytest.approx([2, 1.25])


def test_on_squared_times_the_squares_add():
    times = {"a": (0.3, 0.5), "b": (0.6, math.sqrt(0.52)), "c": (1.2, math.sqrt(1.6))}
    figures = {f"{card}_one": 1 / one for card, (one, _) in times.items()}
    figures |= {f"{card}_two": 1 / two for card, (_, two) in times.items()}
    rows = stats.place_ratios(made("write", **figures), place("two"), place("one"))
    gains = [two / one for one, two in times.values()]
    assert rows["ratio"].tolist() == pytest.approx(gains)


def test_a_card_is_predicted_where_nobody_measured_it():
    fit = made("randwrite", a_one=1, a_two=2.2, b_one=10, b_two=20, c_one=3)
    found = stats.prediction(fit, "c", place("two"))
    factor = math.sqrt(2.2 * 2)
    assert found.value == pytest.approx(3e6 * factor)
    # one figure, one difference of places from two pairs, and the new error: 1 + 1/2 + 1
    sigma = abs(math.log(2.2 / 2)) / 2
    half = scipy_stats.t.ppf(0.975, 1) * sigma * math.sqrt(2 + 1 / 2 + 1 / 2)
    assert found.high / found.value == pytest.approx(math.exp(half))


def test_the_quantile_of_the_best_is_dunnetts():
    """Of two cards it is the one-sided t; of many that of scipy's one-sided comparisons."""
    assert best_quantile(2, 20, 0.95) == pytest.approx(
        scipy_stats.t.ppf(0.95, 20) * math.sqrt(2), rel=0.01
    )
    assert best_quantile(24, 20, 0.95) == pytest.approx(
        model_by_hand.best_quantile(24, 20), rel=0.01
    )


# --- what cannot be estimated --------------------------------------------------------------------


def test_no_number_crosses_islands():
    fit = made("randwrite", a_one=1, a_two=2, b_one=3, b_two=5, c_three=7, c_four=9)
    assert (fit.freedom, max(fit.islands)) == (1, 1)
    ratio = stats.place_ratios(fit, place("one"), place("three"))
    assert ratio["reason"].tolist() == [Reason.NOT_LINKED] and ratio["ratio"].isna().all()
    assert stats.prediction(fit, "c", place("one")).reason is Reason.NOT_LINKED
    assert stats.specimen_ratio(fit, "a", "c", place("one")).reason is Reason.NOT_LINKED
    assert set(stats.predictions(fit, hosts("one", "two", "three", "four"))["reason"]) <= {None}


def hosts(*names, limit=100e6):
    return pd.DataFrame({"host": names, "reader": "slot", "limit": limit})


def test_no_gain_of_a_speed_crosses_islands():
    fit = made("read", a_one=20, a_two=45, b_one=10, b_two=12, c_three=5, c_four=6)
    rows = stats.place_ratios(fit, place("one"), place("three"), speeds=[1e7])
    assert rows["reason"].tolist() == [Reason.NOT_LINKED] and rows["ratio"].isna().all()


def test_without_a_degree_of_freedom_there_is_no_interval():
    fit = made("randwrite", a_one=1, a_two=2, b_two=3)
    assert stats.prediction(fit, "b", place("one")).reason is Reason.NO_FREEDOM
    ranked = stats.may_be_best(made("randwrite", a_one=1, b_one=2, c_one=3), hosts("one"), "one")
    assert set(ranked["reason"]) == {Reason.NO_FREEDOM} and ranked["may_be_best"].isna().all()
    with pytest.raises(SdAnalysisError, match="found no randwrite in that place"):
        stats.may_be_best(fit, hosts("three"), "three")


def test_a_stranger_is_refused_with_what_is_known():
    fit = made("randwrite", a_one=1)
    with pytest.raises(SdAnalysisError, match="found the specimen 'z', expected one of a"):
        cell(fit, "z", place("one"))
    with pytest.raises(SdAnalysisError, match="found the place 'us/two/slot', expected one of"):
        cell(fit, "a", place("two"))
    with pytest.raises(SdAnalysisError, match="found the main test 'mixed'"):
        stats.model_figures(DATA.measurements, "mixed")


def test_a_time_that_may_be_zero_bounds_the_speed_from_below_only():
    fit = made("read", a_one=20, a_two=45, b_one=10, b_two=12, c_one=5, c_two=6.5, d_one=24)
    found = stats.prediction(fit, "d", place("two"))
    assert found.at_least and math.isinf(found.high) and found.low > 24e6
    capped = stats.prediction(fit, "d", place("two"), limit=50e6)
    assert capped.at_least and capped.high == 50e6 and capped.value <= 50e6
    ratio = stats.specimen_ratio(fit, "c", "d", place("two"))
    assert ratio.at_least and math.isinf(ratio.high) and ratio.low > 1
    rows = stats.place_ratios(fit, place("one"), place("two"), speeds=[5e6, 24e6])
    assert rows["at_least"].tolist() == [False, True]


# --- on the real table ---------------------------------------------------------------------------


def test_a_figure_that_rises_by_a_twentieth_changes_the_numbers(fits):
    fit = fits["randwrite"]
    figures = fit.figures.copy()
    row = figures.index[figures["specimen"] == "geerling/samsung-evo+-32gb"][0]
    figures.loc[row, "value"] *= 1.05
    other = stats.fit_figures(figures, fit.test)
    assert other.sigma != pytest.approx(fit.sigma, rel=1e-3)
    assert stats.score(other).rms_factor != pytest.approx(stats.score(fit).rms_factor, rel=1e-3)


# --- a planted truth; `python benchmarks/planted.py` has 1,000 sets ------------------------------


@pytest.mark.parametrize("op", ["randwrite", "write"])
def test_a_planted_truth_is_covered(fits, op):
    hits = planted.of_test(fits[op], "gaussian", 40, 1)
    shares = {name: float(np.mean(found)) for name, found in hits.items()}
    assert shares["contrasts"] == pytest.approx(0.95, abs=0.05)
    assert shares["predictions"] == pytest.approx(0.95, abs=0.05)
    assert min(shares["best"], shares["best of equals"]) > 0.9


def test_on_the_wrong_scale_the_factor_of_single_cards_is_not_covered(fits):
    hits = planted.saturating(fits["write"], 2, 10, 1)
    shares = {scale: float(np.mean(found)) for scale, found in hits.items()}
    assert shares[Scale.SQUARED_TIME] > 0.88
    assert shares[Scale.LOG] < 0.85


def test_the_ratio_of_two_products_is_covered():
    figures = stats.model_figures(DATA.measurements, "randwrite")
    assert np.mean(planted.products(figures, 60, 1)) == pytest.approx(0.95, abs=0.05)


def test_a_result_is_given_again_for_the_same_content_and_a_frame_is_the_callers():
    asked = []

    @remembered
    def doubled(frame, name="a", *, more=0):
        asked.append((name, more))
        return frame.assign(**{name: frame["a"] * 2 + more})

    frame = pd.DataFrame({"a": [1, 2]})
    first = doubled(frame)
    first["a"] = 0  # nobody else sees it
    assert doubled(frame.copy())["a"].tolist() == [2, 4]
    assert doubled(frame, "b")["b"].tolist() == [2, 4]
    assert doubled(frame, more=1)["a"].tolist() == [3, 5]
    frame.loc[0, "a"] = 5  # other content in the same frame
    assert doubled(frame)["a"].tolist() == [10, 4]
    assert asked == [("a", 0), ("b", 0), ("a", 1), ("a", 0)]
