"""Reads against writes, and what the sources printed: by hand, and of the real table."""

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import load_hosts, load_media, stats
from sdanalysis.codebook import schema

MEASUREMENTS = sdanalysis.load()
WORD = {"status": "word", "value": None, "value_low": None, "value_high": None}


def figure(number, op, value, /, **conditions):
    """Return a row of the table: one card on one Pi, iozone at 4 KiB, unless said otherwise."""
    row = dict.fromkeys(schema.COLUMNS) | {
        **{"id": f"made/up.txt:{number}:1", "source": "made", "file": "up.txt", "line": number},
        **{"column": 1, "measured_by": "us", "origin": "primary", "host": "pi-4b"},
        **{"reader": "slot", "label": "a card", "medium": "a-card", "specimen": "us/a-card"},
        **{"tool": "iozone", "op": op, "metric": "bandwidth", "stat": "single"},
        **{"block_size": 4096, "repeat": number, "run": f"made/up.txt:{number}"},
        **{"raw": str(value), "value": float(value), "status": "measured"},
        **{"value_low": value * 0.99, "value_high": value * 1.01},
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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"read_mix": 75.0}, "mixed_job"), ({"origin": "restated"}, "restated"),
        ({"origin": "derived"}, "derived"), ({"metric": "iops"}, "other_metric"),
        ({"op": "cached_read"}, "other_op"), ({"stat": "share"}, "share"), (WORD, "no_value"),
    ],
)  # fmt: skip
def test_what_is_no_measurement_of_the_medium_is_left_out_with_its_reason(change, reason):
    rows = table(figure(1, "randread", 100, **change), figure(2, "randwrite", 50))
    assert stats.read_write_pairs(rows).empty
    assert stats.read_write_reasons(rows).iloc[0] == reason


def test_perrins_nine_pairs_of_two_file_sizes_are_left_out_and_stand_beside_his_printed_ratios():
    reasons = stats.read_write_reasons(MEASUREMENTS)
    left_out = MEASUREMENTS[reasons == "file_size_differs"]
    assert set(left_out["source"]) == {"perrin-2016"} and len(left_out) == 2 * 9
    across = stats.read_write_pairs(MEASUREMENTS, across_sizes=True)
    more = across[across["warnings"].str[0] == "file sizes differ"]
    assert len(more) == len(across) - len(stats.read_write_pairs(MEASUREMENTS)) == 9


def test_several_figures_of_one_run_are_one_run():
    rows = table(
        figure(1, "randread", 100, run="one"),
        figure(2, "randread", 400, run="one"),
        figure(3, "randwrite", 50, run="one"),
    )
    (pair,) = stats.read_write_pairs(rows).itertuples()
    assert (pair.read_runs, pair.write_runs) == (1, 1)
    assert len(pair.ids) == 3


def test_all_printed_ratios_of_perrin_reproduce_and_others_stand_at_equal_counts():
    printed = stats.printed_beside_matched(MEASUREMENTS)
    assert len(printed) == 12
    assert printed["reproduces"].all()
    averages = printed.query("metric == 'bandwidth' and stat == 'mean'").set_index("specimen")
    # 7419.5 / 2264.8, 9137.0 / 1672.2 and 9130.5 / 1376.4 KB/s, read off the article
    assert averages.loc["perrin/6401", ["jobs_1", "jobs_2", "jobs_4"]].tolist() == pytest.approx(
        [7419.5 / 2264.8, 9137.0 / 1672.2, 9130.5 / 1376.4]
    )


def test_coverage_counts_the_cards_that_were_measured_there_and_nothing_else():
    rows = table(
        figure(1, "randread", 100),
        figure(2, "randwrite", 50, host="pi-2b"),
        figure(3, "randwrite", 50, origin="restated", specimen="us/other"),
        figure(4, "randwrite", 50, raw="Sad", specimen="us/third", **WORD),
    )
    counts = stats.coverage(rows, load_hosts())
    assert counts["iozone"].to_dict() == {"Pi 2": 1, "Pi 4": 1}


def test_cells_without_a_number_add_up_to_the_primary_figures_without_one():
    cells = stats.missing_cells(MEASUREMENTS, load_media())
    primary = MEASUREMENTS[MEASUREMENTS["origin"] == "primary"]
    assert cells["cells"].sum() == primary["value"].isna().sum()
    later = cells[cells["way"].str.startswith("marked as still to come")]
    assert later["cells"].sum() == primary["raw"].isin(["TODO", "tbd"]).sum()
