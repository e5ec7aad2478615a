"""Contrasts hold everything but one condition equal, and account for every figure."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.contrasts import FACTORS
from sdanalysis.stats.noise import least_detectable_ratio
from sdanalysis.stats.same_test import columns

DATA = sdanalysis.load_data()
MEASUREMENTS, NOISE = DATA.measurements, DATA.noise


def contrast(rows, factor, **options):
    return stats.contrast_pairs(rows, factor, NOISE, **options)


def figures(*rows):
    """Toy figures: each row gives what differs from one random read of one card."""
    first = MEASUREMENTS[
        (MEASUREMENTS["specimen"] == "kulesz/samsung-evo+-32gb")
        & (MEASUREMENTS["op"] == "randread")
    ].iloc[[0]]
    made = [
        first.assign(**{"id": f"a/b:{number}:1", "run": f"a/b:{number}"} | row)
        for number, row in enumerate(rows)
    ]
    frame = pd.concat(made, ignore_index=True)
    spread = frame["value"].astype(float)
    return frame.assign(value_low=spread * 0.99, value_high=spread * 1.01)


def test_the_same_card_on_two_hosts_is_a_pair_with_its_ratio():
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0})
    pair = contrast(toy, "host").iloc[0]
    assert (pair["base"], pair["other"], pair["ratio"]) == ("a", "b", 1.5)
    assert pair["ratio_low"] == pytest.approx(1.5 * 0.99 / 1.01)
    assert pair["ratio_high"] == pytest.approx(1.5 * 1.01 / 0.99)
    assert pair["kind"] == "clean"
    assert pair["ids"] == ("a/b:0:1", "a/b:1:1")
    assert pair["warnings"] == ("single run",)


def test_levels_give_the_order_and_leave_out_the_others():
    toy = figures(*({"host": host, "value": 10.0} for host in "abc"))
    assert len(contrast(toy, "host")) == 3
    pairs = contrast(toy, "host", levels=["c", "a"])
    assert pairs[["base", "other"]].to_numpy().tolist() == [["c", "a"]]
    reasons = stats.contrast_reasons(toy, "host", levels=["c", "a"])
    assert reasons.isna().tolist() == [True, False, True]
    assert reasons[1] == "other_level"


def test_repeats_are_averaged_in_logarithms_and_narrow_the_noise_band():
    repeats = [{"host": "a", "value": value, "repeat": n} for n, value in enumerate((1.0, 4.0), 1)]
    pair = contrast(figures(*repeats, {"host": "b", "value": 6.0}), "host").iloc[0]
    assert pair["value_base"] == pytest.approx(2.0)
    assert (pair["runs_base"], pair["runs_other"]) == (2, 1)
    noise = stats.noise_band(figures({"host": "a", "value": 1.0}), NOISE).iloc[0]
    expected = least_detectable_ratio(noise["noise_sd"], noise["noise_freedom"], runs=(2, 1))
    assert pair["noise_band"] == pytest.approx(expected)
    assert pair["noise_band"] < noise["noise_band"]


@pytest.mark.parametrize(
    ("value", "op", "inside"),
    [
        *((10.4, "randread", True), (9.6, "randread", True), (11.5, "randread", False)),
        *((8.7, "randread", False), (10.0, "trim", pd.NA)),  # nobody repeated a trim
    ],
)
def test_a_ratio_is_within_noise_on_either_side_of_one(value, op, inside):
    toy = figures({"host": "a", "value": 10.0, "op": op}, {"host": "b", "value": value, "op": op})
    assert contrast(toy, "host")["within_noise"].tolist() == [inside]


@pytest.mark.parametrize(
    "field",
    [
        *({"measured_by": "b"}, {"tool": "fio"}, {"op": "read"}, {"block_size": 512}),
        *({"numjobs": 2}, {"iodepth": 4}, {"specimen": "b"}, {"medium": "b"}, {"reader": "b"}),
        *({"stat": "max"}, {"file_size": 5}),
    ],
    ids=str,
)
def test_figures_that_differ_in_a_second_condition_are_no_pair(field):
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, **field})
    none = contrast(toy, "host")
    assert none.empty and list(none.columns) == list(contrast(MEASUREMENTS, "host").columns)
    reason = "file_size_differs" if "file_size" in field else "no_partner"
    assert set(stats.contrast_reasons(toy, "host")) == {reason}


@pytest.mark.parametrize(
    ("field", "kind", "warnings"),
    [
        ({"remarks": "suspicious"}, "suspicious", ("single run", "suspicious")),
        ({"remarks": "added-after-article"}, "clean", ("single run",)),
        ({"file_size": pd.NA}, "clean", ("file size stated on one side only", "single run")),
    ],
)
def test_a_pair_says_what_is_doubted_or_not_stated(field, kind, warnings):
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, **field})
    pair = contrast(toy.astype({"file_size": "Int64"}), "host").iloc[0]
    assert (pair["kind"], pair["warnings"]) == (kind, warnings)


def test_laboratories_are_crossed_only_when_asked_and_say_so():
    other = {"measured_by": "b", "specimen": "b/card"}
    toy = figures(
        {"host": "a", "value": 10.0},
        {"host": "b", "value": 15.0},
        {"host": "b", "value": 20.0, **other},
    )
    assert contrast(toy, "host")["kind"].tolist() == ["clean"]
    pairs = contrast(toy, "host", across_laboratories=True)
    assert sorted(pairs["kind"]) == ["clean", "cross-laboratory"]
    crossed = pairs[pairs["kind"] == "cross-laboratory"].iloc[0]
    assert (crossed["specimen_other"], crossed["ratio"]) == ("b/card", 2.0)
    own = figures({"host": "a", "value": 1.0}, {"host": "b", "value": 2.0, "specimen": "kulesz/x"})
    assert contrast(own, "host", across_laboratories=True).empty  # two specimens of one laboratory


def test_an_unknown_factor_and_a_missing_column_are_refused():
    with pytest.raises(SdAnalysisError, match="found the factor 'op', expected one of host, read"):
        contrast(MEASUREMENTS, "op")
    with pytest.raises(SdAnalysisError, match="found no column 'reader', expected it among id, "):
        contrast(MEASUREMENTS.drop(columns="reader"), "reader")
    with pytest.raises(SdAnalysisError, match="found no column 'tset', expected it among "):
        stats.paired_summary(contrast(MEASUREMENTS, "host"), ["tset"])


@pytest.mark.parametrize("factor", FACTORS)
def test_every_figure_is_in_a_pair_or_left_out_for_a_reason(factor):
    reasons = stats.contrast_reasons(MEASUREMENTS, factor, across_laboratories=True)
    pairs = contrast(MEASUREMENTS, factor, across_laboratories=True)
    assert reasons.isna().sum() == len(set(pairs["ids"].explode()))


@pytest.mark.parametrize("factor", ["host", "reader"])
def test_pairs_are_those_that_two_plain_loops_find(factor):
    rows = MEASUREMENTS[
        (MEASUREMENTS["origin"] == "primary")
        & MEASUREMENTS["read_mix"].isna()
        & (MEASUREMENTS["metric"] == "bandwidth")
        & (MEASUREMENTS["status"] == "measured")
    ]
    parts = ["host", "reader"] if factor == "reader" else ["host"]
    same = columns("laboratory", "card", "place", "quantity", "test")
    keys = [*(name for name in same if name not in parts), "file_size", "repeat"]
    sides = [
        (tuple(str(row[key]) for key in keys), "/".join(row[part] for part in parts))
        for row in rows.to_dict("records")
        if row["repeat"] == 1
    ]
    found = sum(
        one[0] == other[0] and one[1] != other[1] for one, other in itertools.combinations(sides, 2)
    )
    assert len(contrast(MEASUREMENTS, factor)) == found > 0


# --- gains by block size -------------------------------------------------------------------------


def sized(*ratios, op="randwrite"):
    """Pairs of single runs of one card, a ratio a block size."""
    rows = [
        {"specimen": "lab/a", "op": op, "block_size": 4096 * 2**at, "ratio": ratio, "ids": ()}
        for at, ratio in enumerate(ratios)
    ]
    return pd.DataFrame(rows).assign(runs_base=1, runs_other=1)


def repeated(sd_log, op="randread"):
    return pd.DataFrame([{"op": op, "runs": 3, "sd_log": sd_log}] * 16)


def test_a_gain_is_what_the_repeats_of_the_same_access_do_not_explain():
    gains = stats.gains_by_size(sized(1.5, 1.05, 0.7), repeated(0.03))
    assert gains["verdict"].tolist() == [">1", "~", "<1"]
    p = 2 * scipy.stats.t.sf(math.log(1.05) / (0.03 * math.sqrt(2)), 32)
    assert gains["p"].iloc[1] == pytest.approx(p)  # the greatest of three: adjusted by 1
    several = sized(1.1, *[1.0] * 9)  # more pairs ask for more
    noisy, among, alone, in_sequence = (
        stats.gains_by_size(pairs, repeated(*spread))["verdict"].tolist()
        for pairs, spread in (
            (sized(1.5, 1.05, 0.7), (0.3,)), (several, (0.03,)), (several[:1], (0.03,)),
            (sized(9.0), (0.01, "read")),
        )
    )  # fmt: skip
    assert (noisy, among, alone, in_sequence) == (["~"] * 3, ["~"] * 10, [">1"], ["~"])
    said = stats.gains_in_words(
        stats.gains_by_size(several[1:], repeated(0.03)), pd.Series({"lab/a": "Acme A2"})
    )
    assert said == ["at random none of 1 card gains"]


def test_cards_of_one_name_in_two_readers_are_taken_for_one_and_others_are_not():
    names = stats.namesakes(MEASUREMENTS, DATA.media)
    assert set(names["specimen"]) == {"kulesz/Samsung Evo 32 GB"}
    assert names["label"].nunique() == 2
    ratios = contrast(names, "reader").set_index("op")["ratio"]
    expected = {"randread": 9.29 / 4.45, "read": 46.34 / 17.80}
    for op, ratio in expected.items():
        assert ratios[op] == pytest.approx(ratio)
    assert np.isfinite(ratios).all()


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([], "Nobody measured one card in the Pi 3 and in the Pi 4 without a doubt."),
        ([2], "A was 2.0 times as fast in the Pi 4 as in the Pi 3. One card is no rule."),
        ([2, 3], "A and B were 2.0 to 3.0 times as fast in the Pi 4 as in the Pi 3. Two cards are"),
        ([2, 3, 4], "The same 3 cards are 2.0 to 4.0 times as fast in the Pi 4 as in the Pi 3."),
    ],
)
def test_fewer_than_three_cards_are_named_and_are_no_rule(ratios, words):
    names = pd.Series(list("ABC"), index=list("abc"))
    pairs = pd.DataFrame({"specimen": list("abc")[: len(ratios)], "ratio": ratios})
    assert stats.contrast_in_short(pairs, names, "Pi 3", "Pi 4").startswith(words)
