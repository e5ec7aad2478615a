"""Contrasts hold everything but one condition equal, and account for every figure."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import sdanalysis
from sdanalysis import dataset, stats
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


@pytest.mark.parametrize(("value", "inside"), [(10.4, True), (9.6, True), (11.5, False)])
def test_a_ratio_is_within_noise_on_either_side_of_one(value, inside):
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": value})
    assert contrast(toy, "host")["within_noise"].tolist() == [inside]


def test_noise_that_nobody_measured_is_missing_not_zero():
    toy = figures(
        {"host": "a", "value": 10.0, "op": "trim"}, {"host": "b", "value": 10.0, "op": "trim"}
    )
    pair = contrast(toy, "host").iloc[0]
    assert math.isnan(pair["noise_band"])
    assert pd.isna(pair["within_noise"])


@pytest.mark.parametrize(
    "field",
    [
        *({"measured_by": "b"}, {"tool": "fio"}, {"op": "read"}, {"block_size": 512}),
        *({"numjobs": 2}, {"iodepth": 4}, {"specimen": "b"}, {"medium": "b"}, {"reader": "b"}),
        {"stat": "max"},
    ],
    ids=str,
)
def test_figures_that_differ_in_a_second_condition_are_no_pair(field):
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, **field})
    assert contrast(toy, "host").empty
    assert set(stats.contrast_reasons(toy, "host")) == {"no_partner"}


def test_figures_of_two_stated_file_sizes_are_no_pair_for_a_reason_of_its_own():
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, "file_size": 5})
    assert contrast(toy, "host").empty
    assert set(stats.contrast_reasons(toy, "host")) == {"file_size_differs"}


def test_a_file_size_that_one_side_does_not_state_is_a_warning():
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, "file_size": pd.NA})
    pair = contrast(toy.astype({"file_size": "Int64"}), "host").iloc[0]
    assert pair["warnings"] == ("file size stated on one side only", "single run")


@pytest.mark.parametrize(
    "field",
    [
        {"origin": "derived"},
        {"origin": "restated"},
        {"read_mix": 75.0},
        {"metric": "iops"},
        {"status": "word", "value": math.nan},
    ],
    ids=str,
)
def test_what_is_no_measurement_of_its_own_is_left_out_with_a_reason(field):
    toy = figures({"host": "a", "value": 10.0}, {"host": "b", "value": 15.0, **field})
    assert contrast(toy, "host").empty
    reasons = stats.contrast_reasons(toy, "host")
    assert reasons[0] == "no_partner"
    assert reasons[1] not in (None, reasons[0])


def test_a_doubted_side_makes_the_pair_suspicious():
    toy = figures({"host": "a", "value": 1.0}, {"host": "b", "value": 2.0, "remarks": "suspicious"})
    pair = contrast(toy, "host").iloc[0]
    assert pair["kind"] == "suspicious"
    assert pair["warnings"] == ("single run", "suspicious")


def test_a_note_on_where_a_figure_comes_from_is_no_warning():
    note = {"remarks": "added-after-article"}
    toy = figures({"host": "a", "value": 1.0}, {"host": "b", "value": 2.0, **note})
    pair = contrast(toy, "host").iloc[0]
    assert (pair["kind"], pair["warnings"]) == ("clean", ("single run",))


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


def test_two_specimens_of_one_laboratory_are_never_the_same_card():
    toy = figures({"host": "a", "value": 1.0}, {"host": "b", "value": 2.0, "specimen": "kulesz/x"})
    assert contrast(toy, "host", across_laboratories=True).empty


def test_a_reader_is_a_place_on_its_host():
    pairs = contrast(MEASUREMENTS, "reader")
    assert "pi-4b/slot" in set(pairs["other"])


def test_an_unknown_factor_is_refused():
    message = r"found the factor 'op', expected one of host, reader"
    with pytest.raises(SdAnalysisError, match=message):
        contrast(MEASUREMENTS, "op")


def test_a_missing_column_is_named():
    with pytest.raises(SdAnalysisError, match="found no column 'reader', expected it among id, "):
        contrast(MEASUREMENTS.drop(columns="reader"), "reader")
    with pytest.raises(SdAnalysisError, match="found no column 'tset', expected it among "):
        stats.paired_summary(contrast(MEASUREMENTS, "host"), ["tset"])


@pytest.mark.parametrize(
    ("factor", "across"), [("host", False), *((factor, True) for factor in FACTORS)]
)
def test_every_figure_is_in_a_pair_or_left_out_for_a_reason(factor, across):
    reasons = stats.contrast_reasons(MEASUREMENTS, factor, across_laboratories=across)
    excluded = stats.count_reasons(MEASUREMENTS, reasons)
    assert excluded["figures"].sum() == len(MEASUREMENTS)
    pairs = contrast(MEASUREMENTS, factor, across_laboratories=across)
    paired = excluded.loc[excluded["reason"] == "taken", "figures"].sum()
    assert paired == len(set(pairs["ids"].explode()))


def test_a_blank_a_comma_or_a_quote_in_a_files_name_changes_no_count():
    name = ' pi 3  "pi", pi-2b.txt '
    page = MEASUREMENTS["file"] == "pi-2b.txt"
    ids = MEASUREMENTS["id"].str.replace("pi-2b.txt", f"{name}.txt")
    renamed = MEASUREMENTS.assign(id=MEASUREMENTS["id"].mask(page, ids))
    assert (renamed["id"] != MEASUREMENTS["id"]).sum() == 72
    for reasons in (
        lambda rows: stats.contrast_reasons(rows, "host"),
        stats.read_write_reasons,
    ):
        pd.testing.assert_series_equal(reasons(renamed), reasons(MEASUREMENTS))


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


def test_an_empty_table_gives_no_pairs_and_the_same_columns():
    none = contrast(MEASUREMENTS.iloc[:0], "host")
    some = contrast(MEASUREMENTS, "host")
    assert none.empty
    assert list(none.columns) == list(some.columns)


def test_the_table_is_not_changed():
    before = MEASUREMENTS.copy()
    contrast(MEASUREMENTS, "reader", across_laboratories=True)
    pd.testing.assert_frame_equal(MEASUREMENTS, before)


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
    noisy = stats.gains_by_size(sized(1.5, 1.05, 0.7), repeated(0.3))
    assert set(noisy["verdict"]) == {"~"}


def test_repeats_in_sequence_do_not_judge_a_gain_at_random():
    gains = stats.gains_by_size(sized(9.0), repeated(0.01, "read"))
    assert gains[["p", "noise_sd"]].isna().all(axis=None)
    assert gains["verdict"].tolist() == ["~"]


def test_more_pairs_ask_for_more_before_one_of_them_is_called_a_gain():
    alone = stats.gains_by_size(sized(1.1), repeated(0.03))
    among = stats.gains_by_size(sized(1.1, *[1.0] * 9), repeated(0.03))
    assert alone["verdict"].tolist() == [">1"]
    assert set(among["verdict"]) == {"~"}


def test_cards_without_a_gain_are_counted_in_the_sentence():
    gains = stats.gains_by_size(sized(1.0, 1.01), repeated(0.03))
    said = stats.gains_in_words(gains, pd.Series({"lab/a": "Acme A2"}))
    assert said == ["at random none of 1 card gains"]


# --- as published ---------------------------------------------------------------------------------


def test_the_moved_figures_are_the_two_exchanged_rows():
    published = dataset.build(as_published=True)
    moved = stats.moved_figures(published, MEASUREMENTS)
    assert set(moved["raw"]) == {
        *("6.41", "2.27", "148.46", "52.97"),
        *("9.29", "4.01", "46.34", "17.50"),
    }
    assert (moved["op"] != moved["op_published"]).all()


def test_cards_of_one_name_in_two_readers_are_taken_for_one_and_others_are_not():
    names = stats.namesakes(MEASUREMENTS, DATA.media)
    assert set(names["specimen"]) == {"kulesz/Samsung Evo 32 GB"}
    assert names["label"].nunique() == 2
    ratios = contrast(names, "reader").set_index("op")["ratio"]
    expected = {"randread": 9.29 / 4.45, "read": 46.34 / 17.80}
    for op, ratio in expected.items():
        assert ratios[op] == pytest.approx(ratio)
    assert np.isfinite(ratios).all()
