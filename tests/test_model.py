"""Groups of different cards, by hand and against references."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats import groups

MEASUREMENTS = sdanalysis.load()


def group_figures(base, other):
    return pd.DataFrame(
        {
            "specimen": [f"card {number}" for number in range(len(base) + len(other))],
            "host": ["old"] * len(base) + ["new"] * len(other),
            "value": [*base, *other],
        }
    )


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), sizes=st.tuples(st.integers(3, 9), st.integers(3, 9)))
def test_groups_are_compared_by_welchs_interval(seed, sizes):
    generator = np.random.default_rng(seed)
    base, other = (np.exp(generator.normal(0, 1, size)) for size in sizes)
    (row,) = stats.compare_groups(group_figures(base, other), "host", "old", "new").itertuples()
    known = scipy_stats.ttest_ind(np.log(other), np.log(base), equal_var=False)
    low, high = known.confidence_interval(0.95)
    assert math.log(row.low) == pytest.approx(low, abs=1e-9)
    assert math.log(row.high) == pytest.approx(high, abs=1e-9)
    assert (row.verdict == "~") == (known.pvalue >= 0.05)


def test_two_cards_in_a_group_are_points():
    (row,) = stats.compare_groups(
        group_figures([1, 2, 4], [4, 16]), "host", "old", "new"
    ).itertuples()
    assert (row.cards_base, row.cards_other, row.verdict) == (3, 2, "points")
    assert row.ratio == pytest.approx(4)
    assert math.isnan(row.low)


def test_a_group_that_is_empty_in_a_part_has_no_ratio_there():
    parts = [group_figures([1, 2, 4], []), group_figures([1, 2, 4], [2, 4, 8])]
    figures = pd.concat([part.assign(op=op) for part, op in zip(parts, "ab", strict=True)])
    first, second = stats.compare_groups(figures, "host", "old", "new", by=["op"]).itertuples()
    assert (first.cards_other, second.cards_other) == (0, 3)
    assert math.isnan(first.ratio)


def test_a_category_without_figures_is_an_empty_group():
    figures = group_figures([1, 2, 4], [])
    figures = figures.assign(host=pd.Categorical(figures["host"], ["old", "new"]))
    (row,) = stats.compare_groups(figures, "host", "old", "new").itertuples()
    assert (row.cards_base, row.cards_other, row.verdict) == (3, 0, "points")


def test_a_column_or_a_group_that_is_nowhere_is_refused_with_what_there_is():
    figures = group_figures([1, 2, 4], [2, 4, 8])
    with pytest.raises(SdAnalysisError, match="found no column 'hsot', expected it among specimen"):
        stats.compare_groups(figures, "hsot", "old", "new")
    for compare in (stats.compare_groups, stats.groups_beside_pairs):
        with pytest.raises(SdAnalysisError, match="found the host 'oldest', expected one of"):
            compare(figures, "host", "old", "oldest")


def test_equal_figures_in_a_group_give_an_interval_without_width():
    (row,) = stats.compare_groups(
        group_figures([1] * 3, [2] * 3), "host", "old", "new"
    ).itertuples()
    assert (row.low, row.high, row.verdict) == (pytest.approx(2), pytest.approx(2), ">1")


def test_the_common_cards_are_compared_with_themselves():
    same = pd.DataFrame(
        {"specimen": list("abc") * 2, "host": ["old"] * 3 + ["new"] * 3, "value": [1, 2, 4] * 2}
    )
    slow = pd.DataFrame({"specimen": list("xyz"), "host": "old", "value": [0.01, 0.02, 0.03]})
    every, common = stats.groups_beside_pairs(
        pd.concat([same, slow]), "host", "old", "new"
    ).itertuples()
    assert (every.comparison, common.comparison) == (groups.ALL_CARDS, groups.SAME_CARDS)
    assert every.ratio > 5
    assert (common.ratio, common.cards_base, every.cards_base) == (pytest.approx(1), 3, 6)
    assert common.mean_base == common.mean_other == pytest.approx(2)


def test_the_trap_of_the_pi_2_and_the_pi_3():
    page = MEASUREMENTS[
        (MEASUREMENTS["source"] == "dramble-2017") & (MEASUREMENTS["reader"] == "slot")
    ]
    ratios = stats.read_write_pairs(page)
    ratios = ratios[ratios["access"] == "random"]
    every, common = stats.groups_beside_pairs(
        ratios, "host", "pi-2b", "pi-3b", value="write"
    ).itertuples()
    assert (every.cards_base, every.cards_other, common.cards_base) == (15, 8, 7)
    assert every.verdict == ">1" and every.ratio > 2
    assert common.verdict == "~" and common.ratio < 1.2
