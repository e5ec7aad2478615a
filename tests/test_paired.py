"""Tests on pairs agree with scipy and with hand-worked cases; cards are the unit."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp, ttest_ind

from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.intervals import cards_to_decide, geometric_mean, t_quantile, verdict


def pairs(ratios, cards=None):
    cards = cards or [f"card-{number}" for number in range(len(ratios))]
    return pd.DataFrame({"specimen": cards, "ratio": ratios, "host": "pi"})


@pytest.mark.parametrize("count", [3, 8, 40])
def test_the_t_test_and_its_interval_are_those_of_scipy(count):
    ratios = np.exp(np.random.default_rng(count).normal(0.3, 0.5, count)).tolist()
    row = stats.paired_summary(pairs(ratios), ["host"], confidence=0.9).iloc[0]
    expected = ttest_1samp(np.log(ratios), 0)
    interval = expected.confidence_interval(0.9)
    assert row["p_t"] == pytest.approx(expected.pvalue)
    assert [row["low"], row["high"]] == pytest.approx(np.exp([interval.low, interval.high]))


def test_the_unit_is_the_card_not_the_pair():
    summary = stats.paired_summary(pairs([2.0, 8.0, 2.0, 0.5], list("aabc")), ["host"]).iloc[0]
    assert (summary["cards"], summary["pairs"]) == (3, 4)
    assert (summary["above"], summary["below"]) == (2, 1)
    assert summary["ratio"] == pytest.approx(4 ** (1 / 3))
    assert summary["p_sign"] == 1.0


@pytest.mark.parametrize(
    ("ratios", "above", "below", "p"),
    [([2.0, 1.0, 3.0], 2, 0, 0.5), ([2.0] * 6 + [0.5], 6, 1, 16 / 128), ([1.0], 0, 0, 1)],
)
def test_the_sign_test_counts_the_cards_above_and_below_one_and_none_at_it(ratios, above, below, p):
    row = stats.paired_summary(pairs(ratios), ["host"]).iloc[0]
    assert (row["above"], row["below"]) == (above, below)
    assert row["p_sign"] == pytest.approx(p)


@pytest.mark.parametrize(
    ("ratios", "verdict", "needed"),
    [  # logs 0, ln 2, ln 4: mean and sd ln 2; of 8 cards t / sqrt(8) = 0.836 is below 1; 7: 0.925
        ([1, 2, 4], "~", 7), ([2, 2.1, 2.2], ">1", None), ([0.5, 0.51, 0.52], "<1", None),
        ([2.0, 3.0], "points", None), ([2.0], "points", None),
    ],
)  # fmt: skip
def test_below_three_cards_are_points_and_the_undecided_ask_for_more(ratios, verdict, needed):
    both = pd.concat([pairs(ratios), pairs([9.0]).assign(host="other")])
    row = stats.paired_summary(both, ["host"]).set_index("host").loc["pi"]
    assert row["verdict"] == verdict
    assert row[["low", "high", "p_t"]].isna().all() == (verdict == "points")
    assert (None if pd.isna(row["cards_to_decide"]) else row["cards_to_decide"]) == needed
    assert stats.paired_summary(pairs([]), ["host"]).columns.tolist() == ["host", *row.index]


@given(
    st.floats(-2, 2), st.floats(0.01, 5), st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)  # fmt: skip
def test_one_card_less_would_not_decide(mean, spread, confidence):
    def decides(count):
        quantile = t.ppf(0.5 + confidence / 2, count - 1)
        return quantile * spread / math.sqrt(count) < abs(mean) * (1 - 1e-9)

    found = cards_to_decide(mean, spread, confidence=confidence)
    if found is pd.NA:
        assert not decides(1000)
    else:
        assert found == 3 or not decides(found - 1)
        assert decides(found + 1)


def test_more_than_a_thousand_cards_are_no_advice():
    enough = t.ppf(0.975, 999) / math.sqrt(1000)  # of the mean, in spreads
    assert cards_to_decide(enough * 1.0001, 1.0) == 1000
    assert cards_to_decide(-enough * 1.0001, 1.0) == 1000
    assert cards_to_decide(enough * 0.9999, 1.0) is pd.NA
    assert cards_to_decide(100.0, 1.0) == 3  # below three there is no interval


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        *((1.0, 2.0, "~"), (0.5, 1.0, "~"), (1.0, 1.0, "~")),  # that just touches 1 excludes it not
        *((1.0001, 2.0, ">1"), (0.5, 0.9999, "<1"), (math.nan, math.nan, "points")),
    ],
)
def test_an_interval_that_just_touches_one_is_undecided(low, high, said):
    assert verdict(low, high) == said


def test_the_mean_of_one_card_is_its_ratio_to_the_last_digit():
    for ratio in (0.1 + 0.2, 3.3, 1e-7 / 3, 7.1):
        assert geometric_mean([ratio]) == ratio
        assert stats.paired_summary(pairs([ratio]), ["host"])["ratio"].item() == pytest.approx(
            ratio
        )
    assert geometric_mean([2, 8]) == pytest.approx(4)


@pytest.mark.parametrize("confidence", [-0.1, 0, 1, 1.5, math.nan])
def test_a_confidence_is_above_zero_and_below_one(confidence):
    with pytest.raises(SdAnalysisError, match="expected it between 0 and 1"):
        t_quantile(confidence, 5)
    assert t_quantile(0.95, 7) == pytest.approx(t.ppf(0.975, 7))


def test_equal_ratios_decide_without_dividing_by_zero():
    summary = stats.paired_summary(
        pd.concat([pairs([2.0] * 4), pairs([1.0] * 4).assign(host="other")]), ["host"]
    )
    assert summary.set_index("host")["p_t"].to_dict() == {"pi": 0.0, "other": 1.0}


def test_who_moves_a_ratio_most_and_without_whom_the_verdict_is_another():
    odd, steady = pairs([2.0, 2.1, 2.2, 9.0], list("abcd")), pairs([4.0, 4.1, 4.2])
    both = pd.concat([odd, steady.assign(host="steady"), pairs([2.0]).assign(host="alone")])
    found = stats.most_influential(both, ["host"]).set_index("host")
    assert found.loc["pi", ["cards", "moves_most", "changed_by"]].tolist() == [4, "d", "d"]
    ends = [geometric_mean(others) for others in ([2.0, 2.1, 2.2], [2.1, 2.2, 9.0])]
    assert found.loc["pi", ["least", "greatest"]].tolist() == pytest.approx(ends)
    assert found.loc["steady", "changed_by"] == "card-0, card-1, card-2"  # two are points only
    assert found.loc["alone", ["moves_most", "changed_by", "least"]].isna().all()
    few = stats.most_influential(pairs([2.0, 2.1, 2.2, 2.3]), ["host"])
    assert few["changed_by"].isna().all()


# --- many tests -----------------------------------------------------------------------------------


def test_holm_is_that_of_his_article_worked_by_hand():
    # 0.01 x 4, then max(0.02 x 3, 0.04), max(0.03 x 2, 0.06), max(0.9 x 1, 0.06)
    adjusted = stats.holm(pd.Series([0.03, 0.01, 0.9, math.nan, 0.02], index=list("abcde")))
    known = {"a": 0.06, "b": 0.04, "c": 0.9, "e": 0.06}  # what is missing is no test
    assert adjusted.dropna().round(12).to_dict() == known


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_the_p_value_and_bonferroni(values):
    raw = pd.Series(values)
    adjusted = stats.holm(raw)
    assert ((adjusted >= raw) & (adjusted <= 1)).all()
    assert (adjusted <= (raw * len(raw)).clip(upper=1) + 1e-12).all()
    assert adjusted[raw.sort_values(kind="stable").index].is_monotonic_increasing
    step_down = raw.sort_values(kind="stable").to_numpy()
    for alpha in (0.01, 0.05, 0.3):
        refused = 0
        while refused < len(raw) and step_down[refused] * (len(raw) - refused) <= alpha:
            refused += 1
        assert (adjusted <= alpha).sum() == refused


# --- in words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([2.0, 2.1, 2.2], "2.10 (1.86 to 2.36, n = 3 cards)"),
        ([0.5, 1.0, 2.1], "1.02 (0.171 to 6.04, n = 3 cards) ~"),
        ([2.0, 3.0], "2.45 (n = 2 cards)"),
        ([1234.0], "1234 (n = 1 card)"),
        ([99.94], "99.9 (n = 1 card)"),
        ([99.96], "100 (n = 1 card)"),
    ],
)
def test_a_summary_in_words_has_its_interval_its_cards_and_whether_it_is_undecided(ratios, words):
    (row,) = stats.paired_summary(pairs(ratios), ["host"]).itertuples()
    assert stats.in_words(row) == words


def test_two_groups_in_words_have_the_cards_of_both():
    assert stats.in_words(groups([1.0, 2.0, 4.0], [4.0, 16.0])) == "4.00 (n = 2 and 3 cards)"


# --- groups of different cards ------------------------------------------------------------------


def group_figures(base, other):
    hosts = ["old"] * len(base) + ["new"] * len(other)
    cards = [f"card {number}" for number in range(len(hosts))]
    return pd.DataFrame({"specimen": cards, "host": hosts, "value": [*base, *other]})


def groups(base, other):
    return stats.compare_groups(group_figures(base, other), "host", "old", "new").iloc[0]


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), sizes=st.tuples(st.integers(3, 9), st.integers(3, 9)))
def test_groups_are_compared_by_welchs_interval(seed, sizes):
    generator = np.random.default_rng(seed)
    base, other = (np.exp(generator.normal(0, 1, size)) for size in sizes)
    row = groups(base, other)
    known = ttest_ind(np.log(other), np.log(base), equal_var=False)
    low, high = known.confidence_interval(0.95)
    assert math.log(row.low) == pytest.approx(low, abs=1e-9)
    assert math.log(row.high) == pytest.approx(high, abs=1e-9)
    assert (row.verdict == "~") == (known.pvalue >= 0.05)


def test_two_cards_in_a_group_are_points():
    row = groups([1, 2, 4], [4, 16])
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
    row = groups([1] * 3, [2] * 3)
    assert (row.low, row.high, row.verdict) == (pytest.approx(2), pytest.approx(2), ">1")


def test_the_common_cards_are_compared_with_themselves():
    same = pd.DataFrame(
        {"specimen": list("abc") * 2, "host": ["old"] * 3 + ["new"] * 3, "value": [1, 2, 4] * 2}
    )
    slow = pd.DataFrame({"specimen": list("xyz"), "host": "old", "value": [0.01, 0.02, 0.03]})
    both = pd.concat([same, slow])
    every, common = stats.groups_beside_pairs(both, "host", "old", "new").itertuples()
    words = "all cards of each group", "the same cards in both"
    assert (every.comparison, common.comparison) == words
    assert every.ratio > 5
    assert (common.ratio, common.cards_base, every.cards_base) == (pytest.approx(1), 3, 6)
