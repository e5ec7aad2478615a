"""Pairs, exclusions and intervals: hand-computed cases, scipy on random data, the real table."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import load_hosts, load_media, stats
from sdanalysis.codebook import schema

MEASUREMENTS = sdanalysis.load()


def figure(number, op, value, /, **conditions):
    """Return a row of the table: one card on one Pi, iozone at 4 KiB, unless said otherwise."""
    row = dict.fromkeys(schema.COLUMNS)
    row |= {
        "id": f"made/up.txt:{number}:1",
        "source": "made",
        "file": "up.txt",
        "line": number,
        "column": 1,
        "measured_by": "us",
        "origin": "primary",
        "host": "pi-4b",
        "reader": "slot",
        "label": "a card",
        "medium": "a-card",
        "specimen": "us/a-card",
        "tool": "iozone",
        "op": op,
        "metric": "bandwidth",
        "stat": "single",
        "block_size": 4096,
        "repeat": number,
        "run": f"made/up.txt:{number}",
        "raw": str(value),
        "value": float(value),
        "value_low": value * 0.99,
        "value_high": value * 1.01,
        "status": "measured",
    }
    return row | conditions


def table(*rows):
    return schema.conform(pd.DataFrame(rows))


def test_a_pair_needs_the_same_card_tool_block_size_and_process_count():
    rows = table(
        figure(1, "randread", 800),
        figure(2, "randwrite", 200),
        figure(3, "randread", 900, specimen="us/b", medium="b"),
        figure(4, "randwrite", 100, specimen="us/b", medium="b", block_size=16384),
        figure(5, "read", 2000, tool="hdparm", block_size=None),
        figure(6, "write", 1000, tool="dd", block_size=None),
        figure(7, "randread", 700, specimen="us/c", medium="c", numjobs=1),
        figure(8, "randwrite", 100, specimen="us/c", medium="c", numjobs=2),
    )
    pairs = stats.read_write_pairs(rows)
    assert pairs["specimen"].tolist() == ["us/a-card"]
    assert pairs["ratio"].tolist() == [4.0]
    reasons = stats.read_write_reasons(rows)
    assert reasons.isna().tolist() == [True, True] + [False] * 6
    assert set(reasons.dropna()) == {"no_partner"}


def test_repeats_are_averaged_as_logarithms_before_they_are_paired():
    rows = table(figure(1, "randread", 100), figure(2, "randread", 400), figure(3, "randwrite", 50))
    pair = stats.read_write_pairs(rows).iloc[0]
    assert pair["read"] == pytest.approx(200)  # the geometric mean, not 250
    assert (pair["read_runs"], pair["write_runs"]) == (2, 1)
    assert pair["ratio"] == pytest.approx(4)


def test_the_interval_of_a_pair_is_what_rounding_allows():
    pair = stats.read_write_pairs(table(figure(1, "randread", 100), figure(2, "randwrite", 50)))
    assert pair["ratio_low"].item() == pytest.approx(99 / 50.5)
    assert pair["ratio_high"].item() == pytest.approx(101 / 49.5)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"read_mix": 75.0}, "mixed_job"),
        ({"origin": "restated"}, "restated"),
        ({"origin": "derived"}, "derived"),
        ({"metric": "iops"}, "other_metric"),
        (
            {"status": "did_not_finish", "value": None, "value_low": None, "value_high": None},
            "no_value",
        ),
        ({"op": "cached_read"}, "other_op"),
        ({"stat": "share"}, "share"),
    ],
)
def test_what_is_no_measurement_of_the_medium_is_left_out_with_its_reason(change, reason):
    rows = table(figure(1, "randread", 100, **change), figure(2, "randwrite", 50))
    assert stats.read_write_pairs(rows).empty
    assert stats.read_write_reasons(rows).iloc[0] == reason


def test_every_figure_of_the_real_table_is_in_a_pair_or_has_a_reason():
    reasons = stats.read_write_reasons(MEASUREMENTS)
    counted = stats.count_reasons(MEASUREMENTS, reasons)
    assert counted["figures"].sum() == len(MEASUREMENTS)
    assert counted["why"].notna().all()
    pairs = stats.read_write_pairs(MEASUREMENTS)
    assert sum(map(len, pairs["ids"])) == reasons.isna().sum()


def test_no_pair_of_the_real_table_is_formed_across_hdparm_and_dd_or_from_fios_mixed_job():
    pairs = stats.read_write_pairs(MEASUREMENTS)
    assert set(pairs["tool"]) == {"iozone", "ddrescue"}


def test_two_stated_file_sizes_that_differ_are_no_pair_and_an_unstated_one_is_a_warning():
    rows = table(
        figure(1, "randread", 100, file_size=1000), figure(2, "randwrite", 50, file_size=2000)
    )
    assert stats.read_write_pairs(rows).empty
    assert stats.read_write_reasons(rows).tolist() == ["file_size_differs"] * 2
    (warnings,) = stats.read_write_pairs(rows, across_sizes=True)["warnings"]
    assert warnings == ("file sizes differ", "single run")
    unstated = table(figure(1, "randread", 100, file_size=1000), figure(2, "randwrite", 50))
    (warnings,) = stats.read_write_pairs(unstated)["warnings"]
    assert warnings == ("file size stated on one side only", "single run")


def test_perrins_nine_pairs_of_two_file_sizes_are_left_out_and_stand_beside_his_printed_ratios():
    reasons = stats.read_write_reasons(MEASUREMENTS)
    left_out = MEASUREMENTS[reasons == "file_size_differs"]
    assert set(left_out["source"]) == {"perrin-2016"} and len(left_out) == 2 * 9
    across = stats.read_write_pairs(MEASUREMENTS, across_sizes=True)
    assert len(across) == len(stats.read_write_pairs(MEASUREMENTS)) + 9


def test_several_figures_of_one_run_are_one_run():
    rows = table(
        figure(1, "randread", 100, run="one"),
        figure(2, "randread", 400, run="one"),
        figure(3, "randwrite", 50, run="one"),
    )
    (pair,) = stats.read_write_pairs(rows).itertuples()
    assert (pair.read_runs, pair.write_runs) == (1, 1)
    assert len(pair.ids) == 3


def test_the_frames_that_go_in_are_not_changed():
    rows = table(figure(1, "randread", 100), figure(2, "randwrite", 50))
    before = rows.copy()
    stats.paired_summary(stats.read_write_pairs(rows), ["host"])
    stats.read_write_reasons(rows)
    pd.testing.assert_frame_equal(rows, before)


def test_the_interval_of_three_ratios_is_that_of_a_hand_computed_case():
    # logs 0, ln 2, ln 4: mean ln 2, sd ln 2; t(0.975, 2) = 4.302653; half = 1.7218
    result = stats.geometric_interval([1, 2, 4])
    assert result["ratio"] == pytest.approx(2)
    assert result["high"] == pytest.approx(2 * math.exp(4.302653 * math.log(2) / math.sqrt(3)))
    assert result["low"] == pytest.approx(4 / result["high"])
    assert result["verdict"] == "~"
    # 8 cards: t(0.975, 7) / sqrt(8) = 0.836 is below 1 spread; 7: 0.925; 6: 1.049
    assert result["cards_to_decide"] == 7


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [([2, 2.1, 2.2], ">1"), ([0.5, 0.51, 0.52], "<1"), ([0.5, 1, 2.1], "~"), ([3, 4], "points")],
)
def test_the_verdict_is_undecided_where_the_interval_covers_one(ratios, verdict):
    assert stats.geometric_interval(ratios)["verdict"] == verdict


def test_below_three_cards_there_is_a_mean_and_no_interval():
    result = stats.geometric_interval([2, 8])
    assert result["ratio"] == pytest.approx(4)
    assert math.isnan(result["low"])
    assert math.isnan(result["high"])


@settings(max_examples=40)
@given(
    st.lists(st.floats(0.05, 50), min_size=3, max_size=30),
    st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)
def test_the_interval_agrees_with_scipy(ratios, confidence):
    logs = np.log(ratios)
    if np.ptp(logs) < 1e-9:
        return
    result = stats.geometric_interval(ratios, confidence=confidence)
    low, high = scipy_stats.t.interval(
        confidence, len(logs) - 1, loc=logs.mean(), scale=scipy_stats.sem(logs)
    )
    assert math.log(result["low"]) == pytest.approx(low, abs=1e-9)
    assert math.log(result["high"]) == pytest.approx(high, abs=1e-9)


def test_a_card_counts_once_however_many_pairs_it_has():
    pairs = pd.DataFrame(
        {"specimen": ["a", "a", "a", "b", "c"], "ratio": [2, 2, 2, 4, 8], "host": "pi"}
    )
    row = stats.paired_summary(pairs, ["host"]).iloc[0]
    assert (row["cards"], row["pairs"]) == (3, 5)
    assert row["ratio"] == pytest.approx(4)
    assert (row["least"], row["greatest"]) == (pytest.approx(2), pytest.approx(8))


def test_all_printed_ratios_of_perrin_reproduce_and_change_their_order_at_equal_counts():
    printed = stats.printed_beside_matched(MEASUREMENTS)
    assert len(printed) == 12
    assert printed["reproduces"].all()
    averages = printed.query("metric == 'bandwidth' and stat == 'mean'").set_index("specimen")
    # 7419.5 / 2264.8, 9137.0 / 1672.2 and 9130.5 / 1376.4 KB/s, read off the article
    assert averages.loc["perrin/6401", ["jobs_1", "jobs_2", "jobs_4"]].tolist() == pytest.approx(
        [7419.5 / 2264.8, 9137.0 / 1672.2, 9130.5 / 1376.4]
    )
    orders = {
        name: averages[name].astype(float).sort_values().index.tolist()
        for name in ("value", "jobs_1", "jobs_2", "jobs_4")
    }
    assert orders["value"] == orders["jobs_1"] != orders["jobs_2"] != orders["jobs_4"]


def test_the_ratio_of_every_mixed_job_is_the_mix():
    mixed = stats.mixed_ratios(MEASUREMENTS)
    assert len(mixed) == 7
    assert (mixed["forced"] == 3).all()
    assert np.allclose(mixed["ratio"], 3, rtol=0.03)


def test_coverage_counts_the_cards_that_were_measured_there_and_nothing_else():
    word = {"status": "word", "value": None, "value_low": None, "value_high": None}
    rows = table(
        figure(1, "randread", 100),
        figure(2, "randwrite", 50, host="pi-2b"),
        figure(3, "randwrite", 50, origin="restated", specimen="us/other"),
        figure(4, "randwrite", 50, raw="Sad", specimen="us/third", **word),
    )
    counts = stats.coverage(rows, load_hosts())
    assert counts["iozone"].to_dict() == {"Raspberry Pi 2 Model B": 1, "Raspberry Pi 4 Model B": 1}


def test_cells_without_a_number_add_up_to_the_primary_figures_without_one():
    cells = stats.missing_cells(MEASUREMENTS, load_media())
    primary = MEASUREMENTS[MEASUREMENTS["origin"] == "primary"]
    assert cells["cells"].sum() == primary["value"].isna().sum()
    later = cells[cells["way"].str.startswith("marked as still to come")]
    assert later["cells"].sum() == primary["raw"].isin(["TODO", "tbd"]).sum()
