"""The additive model, groups of cards, leaving one out: by hand and against references."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from test_stats import figure, table

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats import groups

MEASUREMENTS = sdanalysis.load()


def cells(**values):
    """Return a table of figures: `a_pi_3b=2.0` is card a on pi-3b."""
    rows = []
    for number, (name, value) in enumerate(values.items(), start=1):
        card, host = name.split("_", 1)
        host = host.replace("_", "-")
        row = figure(number, "randread", value, specimen=f"us/{card}", medium=card, host=host)
        rows.append(row | {"repeat": 1})
    return table(*rows)


def test_the_model_by_hand():
    # a and b on both hosts, ratios 2 and 8: the mean log ratio is log 4. Half of the difference of
    # the log ratios, log 2, is each cell's residual: 4 * (log 2 / 2)^2 over 4 - 3 = 1 degree.
    rows = cells(a_pi_3b=1, a_pi_4b=2, b_pi_3b=10, b_pi_4b=80, c_pi_3b=5, c_pi_4b=20)
    (row,) = stats.additive_model(rows, "pi-3b").itertuples()
    assert row.ratio == pytest.approx(4)
    assert (row.cards, row.common, row.figures, row.freedom) == (3, 3, 3, 2)
    # log ratios log 2, log 8, log 4: deviations -log 2, log 2, 0, each shared by two residuals
    assert row.residual_sd == pytest.approx(math.sqrt(2 * 2 * (math.log(2) / 2) ** 2 / 2))
    half = scipy_stats.t.ppf(0.975, 2) * row.residual_sd * math.sqrt(2 / 3)
    assert (row.low, row.high) == (
        pytest.approx(4 / math.exp(half)),
        pytest.approx(4 * math.exp(half)),
    )


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_on_complete_pairs_the_model_is_the_paired_t_interval(seed):
    generator = np.random.default_rng(seed)
    before, ratio = np.exp(generator.normal(0, 1, (2, 6)))
    pairs = {f"c{card}_pi_3b": value for card, value in enumerate(before)}
    pairs |= {f"c{card}_pi_4b": value for card, value in enumerate(before * ratio)}
    (row,) = stats.additive_model(cells(**pairs), "pi-3b").itertuples()
    logs = np.log(ratio)
    half = scipy_stats.t.ppf(0.975, 5) * logs.std(ddof=1) / math.sqrt(6)
    assert math.log(row.ratio) == pytest.approx(logs.mean(), abs=1e-9)
    assert math.log(row.low) == pytest.approx(logs.mean() - half, abs=1e-9)
    assert math.log(row.high) == pytest.approx(logs.mean() + half, abs=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_on_an_unbalanced_table_the_model_is_least_squares_with_dummies(seed):
    generator = np.random.default_rng(seed)
    hosts = ["pi-2b", "pi-3b", "pi-4b"]
    there = generator.random((9, 3)) < 0.7
    there[:3] = True  # linked, whatever else is missing
    values = np.exp(generator.normal(0, 1, (9, 3)))
    figures = {
        f"c{card}_{host.replace('-', '_')}": values[card, place]
        for card in range(9)
        for place, host in enumerate(hosts)
        if there[card, place]
    }
    model = stats.additive_model(cells(**figures), "pi-3b", confidence=0.9).set_index("host")
    kept = there & (there.sum(axis=1, keepdims=True) > 1)
    card, place = np.nonzero(kept)
    used = sorted(set(card))
    design = np.array(
        [[one == c for c in used] + [p == 0, p == 2] for one, p in zip(card, place, strict=True)],
        dtype=float,
    )
    logs = np.log(values[kept])
    effects, rest, rank, _ = np.linalg.lstsq(design, logs, rcond=None)
    freedom = len(logs) - rank
    error = np.sqrt(rest[0] / freedom * np.diag(np.linalg.pinv(design.T @ design)))
    for host, at in (("pi-2b", -2), ("pi-4b", -1)):
        half = scipy_stats.t.ppf(0.95, freedom) * error[at]
        row = model.loc[host]
        assert math.log(row["ratio"]) == pytest.approx(effects[at], abs=1e-9)
        assert math.log(row["high"]) == pytest.approx(effects[at] + half, abs=1e-9)
        assert row["freedom"] == freedom
        assert row["residual_sd"] == pytest.approx(math.sqrt(rest[0] / freedom))


def test_a_chain_of_cards_links_hosts_that_share_no_card():
    rows = cells(a_pi_3b=1, a_pi_4b=2, b_pi_4b=10, b_pi_2b=5)
    model = stats.additive_model(rows, "pi-3b").set_index("host")
    assert model.loc["pi-2b", "ratio"] == pytest.approx(1)
    assert model.loc["pi-2b", ["cards", "common"]].tolist() == [1, 0]
    assert (model["verdict"] == "points").all() and model["low"].isna().all()


def test_what_is_not_linked_or_seen_on_one_host_only_is_left_out():
    rows = cells(
        a_pi_3b=1, a_pi_4b=2, b_pi_4b=9, c_pi_b=3, c_pi_2b=4, d_pi_b=3, d_pi_2b=5, e_pi_2b=7
    )
    assert stats.additive_model(rows, "pi-3b")["host"].tolist() == ["pi-4b"]


def test_an_unknown_base_host_is_refused_with_the_known_ones():
    rows = cells(a_pi_3b=1, a_pi_4b=2)
    for function in (stats.additive_model, stats.model_spread):
        with pytest.raises(
            SdAnalysisError, match="found the host 'pi', expected one of pi-3b, pi-4b"
        ):
            function(rows, "pi")


def test_an_unknown_group_is_refused_with_the_known_ones():
    figures = group_figures([1, 2, 4], [4, 16])
    with pytest.raises(SdAnalysisError, match="found the host 'newer', expected one of"):
        stats.groups_beside_pairs(figures, "host", "old", "newer")


def test_repeats_of_a_card_on_a_host_count_once():
    rows = cells(a_pi_3b=1, a_pi_4b=2, b_pi_3b=1, b_pi_4b=2, c_pi_3b=1, c_pi_4b=2)
    again = rows.iloc[[1]].assign(id="made/up.txt:99:1", run="again", line=99, repeat=2, value=8.0)
    (row,) = stats.additive_model(pd.concat([rows, again]), "pi-3b").itertuples()
    assert (row.cards, row.figures) == (3, 4)
    assert row.ratio == pytest.approx(4 ** (1 / 3) * 4 ** (1 / 3))  # 4, 2 and 2


def test_the_spread_is_that_of_hosts_and_of_cards():
    rows = cells(a_pi_3b=1, a_pi_4b=3, b_pi_3b=10, b_pi_4b=30)
    (row,) = stats.model_spread(rows, "pi-3b").itertuples()
    assert (row.hosts, row.cards) == (2, 2)
    assert (row.host_spread, row.card_spread) == (pytest.approx(3), pytest.approx(10))
    assert row.residual == pytest.approx(1)


def test_on_the_real_table_reads_differ_by_host_and_random_writes_by_card():
    spread = stats.model_spread(MEASUREMENTS, "pi-3b")
    spread = spread[spread["measured_by"] == "geerling"].set_index(["tool", "op"])
    assert spread.loc[("hdparm", "read"), "host_spread"] > 2
    assert spread.loc[("hdparm", "read"), "card_spread"] < 1.5
    assert spread.loc[("iozone", "randwrite"), "host_spread"] < 1.3
    assert spread.loc[("iozone", "randwrite"), "card_spread"] > 4


# --- groups of different cards -------------------------------------------------------------------


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


# --- leaving one out -----------------------------------------------------------------------------


def laboratory_pairs():
    return pd.DataFrame(
        {
            "test": "read",
            "specimen": [f"us/{n}" for n in range(4)] + [f"you/{n}" for n in range(3)],
            "ratio": [2.0, 2.1, 1.9, 2.2, 0.9, 1.0, 1.1],
        }
    )


def test_leaving_a_card_out_is_the_summary_of_the_others():
    pairs = laboratory_pairs()
    left = stats.leave_one_out(pairs, by=["test"]).set_index("left_out")
    assert len(left) == 1 + 7
    for card in pairs["specimen"]:
        (rest,) = stats.ratio_summary(pairs[pairs["specimen"] != card], ["test"]).itertuples()
        assert left.loc[card, ["cards", "ratio", "low"]].tolist() == [
            rest.cards,
            rest.ratio,
            rest.low,
        ]


def test_without_its_only_card_nothing_is_left():
    left = stats.leave_one_out(laboratory_pairs().head(1), by=["test"])
    assert left["verdict"].tolist() == ["points", "nothing left"]
    (row,) = stats.most_influential(left, ["test"]).itertuples()
    assert pd.isna(row.moves_most) and math.isnan(row.least)


def test_no_pairs_leave_an_empty_table():
    left = stats.leave_one_out(laboratory_pairs()[:0], by=["test"])
    assert left.empty and "left_out" in left


def test_influence_names_the_card_that_moves_the_mean_most():
    pairs = laboratory_pairs().assign(ratio=[2.0, 2.1, 1.9, 2.2, 2.0, 2.0, 20.0])
    (row,) = stats.most_influential(stats.leave_one_out(pairs, by=["test"]), ["test"]).itertuples()
    assert row.moves_most == "you/2"
    assert row.least < row.ratio < row.greatest


def test_the_table_is_not_changed():
    before = MEASUREMENTS.copy()
    stats.additive_model(MEASUREMENTS, "pi-3b")
    pd.testing.assert_frame_equal(MEASUREMENTS, before)


def test_a_model_names_its_tests_as_the_pairs_do(measurements):
    slot = measurements[measurements["reader"] == "slot"]
    model = stats.with_test(stats.additive_model(slot, "pi-3b"))
    pairs = stats.contrast_pairs(slot, "host", sdanalysis.load_data().noise)
    assert set(model["test"]) <= set(pairs["test"])
