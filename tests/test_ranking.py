"""The figures of all places: which are ranked, and by which test."""

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import stats

data = sdanalysis.load_data(companions=True)


def standings(rows=data.measurements):
    return stats.standings(rows, data.media, data.hosts, data.noise)


@pytest.fixture(scope="module")
def found():
    return standings()


def test_a_card_has_one_figure_in_each_place_and_test(found):
    assert not found.duplicated(["op", "host", "reader", "specimen"]).any()


def test_a_board_has_the_same_places_as_in_the_notebook_of_boards(found):
    frames = data.measurements, data.media, data.hosts
    keys = ["op", "specimen", "rank", "value", "low", "high", "predicted"]
    for host in ("pi-4b", "pi-5"):
        expected = stats.buyer_case(*frames, host, "system").own[keys]
        here = found[(found["host"] == host) & (found["reader"] == "slot") & ~found["doubted"]]
        both = [rows.sort_values(keys[:2], ignore_index=True) for rows in (expected, here[keys])]
        pd.testing.assert_frame_equal(*both, check_dtype=False)


def test_where_people_disagree_each_persons_cards_are_ranked_alone(found):
    here = found[(found["host"] == "pi-4b") & (found["reader"] == "slot")]
    reads = here[(here["op"] == "randread") & ~here["predicted"]]
    for _, own in reads.groupby("measured_by"):
        expected = list(range(1, len(own) + 1)) if len(own) >= 3 else [pd.NA] * len(own)
        assert own["rank"].tolist() == expected


def test_a_doubted_figure_stands_beside_the_ranking_and_moves_nobody(found):
    rows = data.measurements
    best = found[(found["host"] == "pi-4b") & (found["op"] == "randwrite") & (found["rank"] == 1)]
    name = best["specimen"].iloc[0]
    doubted = (rows["specimen"] == name) & (rows["host"] == "pi-4b") & (rows["op"] == "randwrite")
    changed = standings(rows.assign(remarks=rows["remarks"].mask(doubted, "suspicious")))
    here = changed[(changed["host"] == "pi-4b") & (changed["reader"] == "slot")]
    here = here[here["op"] == "randwrite"].set_index("specimen")
    assert here.loc[name, "doubted"]
    assert pd.isna(here.loc[name, "rank"])
    assert here["rank"].max() == best["cards"].iloc[0] - 1


def test_more_runs_bring_the_next_closer(found):
    iozone = found[(found["op"] == "write") & (found["test"].str.contains("iozone"))]
    reach = (iozone["value"] / iozone["low"]).groupby(iozone["runs"]).min()
    assert reach.dropna().is_monotonic_decreasing


def test_a_test_in_sequence_in_small_blocks_ranks_no_large_files():
    rows = data.measurements
    small = standings(rows[(rows["block_size"] == 4096) | (rows["host"] != "pi-5")])
    assert set(small[small["host"] == "pi-5"]["op"]) == {"randread", "randwrite"}
