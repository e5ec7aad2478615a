"""Where a card stands: small tables whose answers can be seen, and the committed one."""

import math
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import plots
from sdanalysis.codebook.columns import LOG_COLUMNS, NOT_FLUSHED
from sdanalysis.my_card.answer import grade
from sdanalysis.my_card.card import committed, doubts, frame_of, reached_classes
from sdanalysis.my_card.computer import setting_of
from sdanalysis.my_card.figures import (
    Known,
    Reason,
    as_bandwidth,
    card_figures,
    over_hosts,
    table_reasons,
    without_figure,
    without_place,
)
from sdanalysis.my_card.label import match_label
from sdanalysis.my_card.label_check import compare_name
from sdanalysis.my_card.logs import read_logs
from sdanalysis.my_card.places import (
    ALL_HOSTS,
    nearest_cards,
    points,
    rank_figures,
    specimen_yardstick,
)
from sdanalysis.stats.reasons import WORDS

RANDOM = {"tool": "iozone", "op": "randwrite", "block_size": 4096, "direct": True}
TEST = "random write, 4 KiB, iozone"
HOSTS = sdanalysis.load_hosts()
HERE, NOWHERE = setting_of(HOSTS, "pi-4b", None), setting_of(HOSTS, None, None)


def log_row(value=3e6, **given):
    row = dict.fromkeys(LOG_COLUMNS) | {"file": "a/card.log", "line": 1, "column": 1}
    row |= {"metric": "bandwidth", "stat": "single", "status": "measured", "repeat": 1}
    return row | RANDOM | {"value": value, "value_low": value, "value_high": value} | given


def log_rows(*rows):
    return frame_of(list(rows))


def figures_of(*rows):
    found = log_rows(*rows)
    return card_figures(as_bandwidth(found[found["reason"].isna()]), limit=25e6)


def known_rows(*values, host="pi-4b", **given):
    """Known figures, one card each, named by its value."""
    rows = [
        {
            **RANDOM,
            "specimen": f"lab/{value}",
            "medium": f"medium {value}",
            "name": f"card {value}",
            "host": host,
            "reader": "slot",
            "numjobs": 1,
            "iodepth": 1,
            "read_mix": 0.0,
            "file_size": pd.NA,
            "test": TEST,
            "measured_by": "lab",
            "value": value * 1e6,
            "low": value * 1e6,
            "high": value * 1e6,
            "runs": 1,
            "ids": (),
        }
        | given
        for value in values
    ]
    return with_means(pd.DataFrame(rows).astype({"file_size": "Int64"}))


def with_means(figures):
    return Known(figures, over_hosts(figures))


def together(*known):
    return with_means(pd.concat([part.by_host for part in known], ignore_index=True))


@pytest.fixture(scope="module")
def data():
    return committed()[0]


@pytest.fixture(scope="module")
def known():
    return committed()[1]


@pytest.fixture(scope="module")
def noise(data):
    return data.noise


def placed(value, known, noise, setting=HERE):
    return rank_figures(figures_of(log_row(value)), known, noise, setting)


# --- places --------------------------------------------------------------------------------------


def test_the_place_counts_the_faster_cards(noise):
    row = placed(3e6, known_rows(1, 2, 7, 8, 16), noise, HERE).iloc[0]
    assert (row["rank"], row["n"], row["slower"]) == (4, 5, 2)
    assert (row["percentile"], row["median"], row["ratio"]) == (40, 7e6, 3 / 7)
    assert (row["verdict"], row["basis"], row["level"]) == ("<", "pi-4b, slot", "same tool")


def test_an_equal_card_counts_half(noise):
    row = placed(4e6, known_rows(2, 4), noise, HERE).iloc[0]
    assert (row["rank"], row["percentile"]) == (1, 75)


def test_without_a_known_noise_an_equal_card_alone_may_stand_before_or_behind(noise):
    row = placed(4e6, known_rows(1, 4, 9), noise.iloc[:0]).iloc[0]
    assert math.isnan(row["band"])
    assert (row["rank"], row["rank_low"], row["rank_high"]) == (2, 2, 3)


def test_a_gap_inside_the_noise_band_is_undecided_and_widens_the_place(noise):
    row = placed(3e6, known_rows(1, 2.9, 3.1, 9), noise, HERE).iloc[0]
    # The spread of three cards and of all writes, t with 3 degrees of freedom, two single runs.
    assert row["band"] == pytest.approx(math.exp(3.182446 * 0.051429 * math.sqrt(2)), rel=1e-4)
    assert (row["verdict"], row["rank"], row["rank_low"], row["rank_high"]) == ("~", 3, 2, 4)


def test_more_runs_narrow_the_band(noise):
    rows = [log_row(3e6, line=line) for line in range(1, 9)]
    many = rank_figures(figures_of(*rows), known_rows(1, 9), noise, HERE).iloc[0]
    assert many["runs"] == 8
    assert many["band"] < placed(3e6, known_rows(1, 9), noise, HERE).iloc[0]["band"]


def test_other_hosts_are_taken_only_where_the_own_one_has_no_card(noise):
    both = together(known_rows(1, 2), known_rows(9, 10, 11, host="pi-2b"))
    assert placed(3e6, both, noise, HERE).iloc[0][["basis", "n"]].tolist() == ["pi-4b, slot", 2]
    row = placed(3e6, both, noise, setting_of(HOSTS, "pi-b", None)).iloc[0]
    assert row[["basis", "n"]].tolist() == [ALL_HOSTS, 5]


def test_a_card_on_two_hosts_counts_once_where_hosts_are_not_told_apart(noise):
    both = together(known_rows(1), known_rows(1, host="pi-2b"))
    assert placed(3e6, both, noise, NOWHERE).iloc[0]["n"] == 1


@pytest.mark.parametrize(
    "given",
    [
        {"block_size": 8192},
        {"direct": False},
        {"numjobs": 4},
        {"op": "write"},
        {"tool": "fio", "iodepth": 64},
        {"tool": "fio", "iodepth": 1, "direct": None},
    ],
)
def test_another_test_is_not_compared(noise, given):
    figures, known = figures_of(log_row(**given)), known_rows(1, 2)
    assert rank_figures(figures, known, noise, HERE).empty
    others = without_place(figures, known.over_hosts)
    assert others["reason"].tolist() == [Reason.OTHER_TEST]
    assert others["why"].str.contains("no source ran exactly this|no source measured").all()


MIB = 2**20


@pytest.mark.parametrize(
    ("sizes", "placed_values"),
    [
        ((100, 100), [2e6]),  # two runs of one test: their geometric mean
        ((8, 100), [4e6]),
        ((100, None), [1e6]),
        ((8, 16), []),  # as `iozone -a` prints them: none is the sources'
    ],
)
def test_of_several_file_sizes_only_that_of_the_sources_has_a_place(noise, sizes, placed_values):
    rows = [
        log_row(value, line=line, file_size=size and size * MIB)
        for line, (value, size) in enumerate(zip((1e6, 4e6), sizes, strict=True), 1)
    ]
    figures, known = figures_of(*rows), known_rows(1, 2, file_size=100 * MIB)
    found = rank_figures(figures, known, noise, HERE)
    assert found["value"].tolist() == pytest.approx(placed_values)
    others = without_place(figures, known.over_hosts)
    assert others["figures"].sum() + found["runs"].sum() == 2
    assert set(others["reason"]) <= {Reason.OTHER_SIZE}


def test_a_file_of_another_size_is_said_at_its_place(noise):
    known = together(known_rows(1, 2, file_size=100 * MIB), known_rows(3))
    for size, words in ((100, "100 MiB here, not stated for 1"), (8, "8 MiB here, 100 MiB for 2")):
        figures = figures_of(log_row(file_size=size * MIB))
        (assumed,) = rank_figures(figures, known, noise, HERE)["assumed"]
        assert f"that the file size makes no difference ({words} of" in assumed
    same = known_rows(1, 2, file_size=100 * MIB)
    assert (
        rank_figures(figures_of(log_row(file_size=100 * MIB)), same, noise, HERE)["assumed"]
        .isna()
        .all()
    )


def test_fio_beside_iozone_is_another_tool_and_has_no_nearest_card(noise):
    figures = figures_of(log_row(tool="fio", iodepth=1))
    found = rank_figures(figures, known_rows(1, 2), noise, HERE)
    assert found[["test", "level"]].to_numpy().tolist() == [[TEST, "other tool"]]
    assert nearest_cards(found, known_rows(1, 2), HERE).empty
    unlike = figures_of(log_row(tool="fio"), log_row(tool="fio", iodepth=1, numjobs=2, line=2))
    assert rank_figures(unlike, known_rows(1, 2), noise, HERE).empty


def test_a_missing_banner_is_assumed_and_said(noise):
    found = rank_figures(figures_of(log_row(direct=None)), known_rows(1), noise, HERE)
    assert "page cache was by-passed (not printed)" in found["assumed"].iloc[0]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"status": "interrupted"}, "no finished run"),
        ({"metric": "latency"}, "a latency"),
        ({"stat": "mean"}, "a summary"),
        ({"tool": "hdparm", "op": "cached_read"}, "memory of the computer"),
        ({"tool": "dd", "op": "copy"}, "dd does not print"),
        ({"tool": "ddrescue", "op": "copy"}, "read or write?"),
        ({"tool": "dd", "op": "write", "remarks": NOT_FLUSHED}, "dd without conv=fsync"),
        ({"block_size": None}, "the block size is not in the log"),
        ({"tool": "fio"}, "the queue depth is not in the log"),
        ({"value": None}, "no rate above zero"),
    ],
)
def test_what_is_no_figure_of_the_medium_has_a_reason(given, why):
    (reason,) = without_figure(log_rows(log_row(**given)))["why"]
    assert reason.startswith(why)
    assert figures_of(log_row(**given)).empty


def test_iops_beside_their_bandwidth_count_once_and_others_are_converted():
    run = {"run": "r", "tool": "fio", "iodepth": 1}
    both = figures_of(log_row(4096e3, **run), log_row(1000, metric="iops", **run))
    assert both[["value", "runs"]].to_numpy().tolist() == [[4096e3, 1]]
    json = figures_of(log_row(4096e3, **run), log_row(1000, metric="iops", line=3, **run))
    assert json[["value", "runs"]].to_numpy().tolist() == [[4096e3, 1]]
    single = figures_of(log_row(1000, metric="iops", **run))
    assert single[["value", "low"]].to_numpy().tolist() == [[4096e3, 4096e3]]


SHARES = Path(__file__).parent / "corpus" / "fio"


@pytest.mark.parametrize("log", ["shares-normal--3.33.log", "shares-group-reporting--3.33.log"])
def test_processes_of_one_run_are_one_run_with_and_without_group_reporting(noise, log):
    rows = frame_of(read_logs([str(SHARES / log)]).rows)
    figures = card_figures(as_bandwidth(rows[rows["reason"].isna()]), limit=25e6)
    test = "random write, 4 KiB, fio, 4 processes"
    assert set(figures["test"]) == {test, test.replace("write", "read")}
    known = known_rows(3, 4, 5, 6, tool="fio", numjobs=4, test=test)
    (found,) = rank_figures(figures, known, noise, HERE).to_dict("records")
    assert (found["rank"], found["runs"], found["value"]) == (3, 1, pytest.approx(4.9e6, rel=0.01))
    shares = without_figure(rows).query("reason == 'share'")
    assert list(shares["figures"]) == ([12, 12] if "normal" in log else [])


# --- nearest -------------------------------------------------------------------------------------


def test_the_nearest_card_is_that_of_the_smallest_ratio(noise):
    known = known_rows(1, 2.7, 9)
    found = nearest_cards(placed(3e6, known, noise, HERE), known, HERE)
    assert list(found["name"]) == ["card 2.7", "card 1", "card 9"]
    assert list(found["factor"]) == [pytest.approx(factor) for factor in (3 / 2.7, 3, 3)]
    assert list(found["within_noise"]) == [1, 0, 0]


# --- the committed table -------------------------------------------------------------------------


def test_the_known_cards_are_primary_memory_cards_once_each(known, data):
    known = known.by_host
    forms = data.media.set_index("specimen")["form"]
    assert set(known["specimen"].map(forms)) <= {"microSD", "SD"}
    assert not known.duplicated(["specimen", "host", "reader", "test"]).any()
    repeated = known[known["specimen"] == "reader-kingston/samsung-evo-select-64gb"]
    assert set(repeated["runs"]) == {3}
    assert (known["measured_by"] != "perrin").all()  # its tool is not named


def test_every_row_of_the_table_is_used_or_has_a_reason(known, data):
    reasons = table_reasons(data.measurements, data.media)
    assert known.by_host["runs"].sum() == reasons.isna().sum()
    assert set(reasons.dropna()) <= set(WORDS) | {Reason.NO_BLOCK_SIZE}


def test_each_published_card_is_nearest_to_itself(known, noise):
    here = known.on(HERE).query("measured_by == 'geerling'")
    for _, own in list(here.groupby("specimen"))[:6]:
        figures = own.assign(assumed=None, at="x:1", mixed=False)
        found = rank_figures(figures, known, noise, HERE)
        near = nearest_cards(found, known, HERE)
        assert near.loc[0, ["name", "factor"]].tolist() == [own["name"].iloc[0], pytest.approx(1)]


# --- limits and doubts ---------------------------------------------------------------------------


def test_a_figure_above_the_bus_is_found_at_row_and_test(data):
    setting = setting_of(HOSTS, "pi-3b", "slot")
    assert (setting.limit, setting.bus[:13]) == (25e6, "SD High Speed")
    rows = log_row(24e6), log_row(26e6, line=2), log_row(3e6, op="randread")
    assert list(figures_of(*rows)["above_bus"]) == [True, False]
    found = doubts(as_bandwidth(log_rows(*rows)), data, setting)
    assert found.loc[found["rule"] == "above the bus limit", "at"].tolist() == ["card.log:2"]


def test_without_a_host_the_fastest_slot_bounds():
    assert NOWHERE.limit == HOSTS.loc[HOSTS["reader"] != "usb", "limit"].max()


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "media_found"),
    [
        ("SanDisk Extreme 32 GB", ["sandisk-extreme-32gb-sdsqxaf"]),
        ("sandisk exterme 32gb microSDHC card", ["sandisk-extreme-32gb-sdsqxaf"]),
        ("MB-MC32GA", ["samsung-evo-plus-32gb-mc32ga"]),
        ("Samsung Evo+ DA 32 GB", ["samsung-evo+-32gb-mc32da"]),
        ("Adata A2 64 GB", ["adata-a2-64gb"]),
        ("SanDisk", []),
        ("", []),
        ("SanDisk Extreme Pro Plus Ultra 32 GB", []),
    ],
)
def test_a_label_names_an_entry_or_none(data, label, media_found):
    assert list(match_label(label, data.media)["medium"]) == media_found


def test_an_ambiguous_label_lists_the_candidates(data):
    for label in ("Samsung Evo+ 32 GB", "SanDisk Extreme", "Samsung evo plus"):
        assert len(match_label(label, data.media)) > 1


def test_the_yardstick_is_that_of_two_specimens_of_one_model():
    factor, source = specimen_yardstick(sdanalysis.load_data().specimens)
    # geometric means of three runs: rpi1 18.7, 20.5, 23.6; rpi2 6.7, 7.3, 6.9 (MB/s)
    assert factor == pytest.approx((18.7 * 20.5 * 23.6 / (6.7 * 7.3 * 6.9)) ** (1 / 3))
    assert source.startswith("dd write, 2 specimens of SanDisk Ultra")


def test_where_no_two_specimens_are_known_no_difference_is_allowed_for():
    factor, source = specimen_yardstick(sdanalysis.load_data().specimens.iloc[:0])
    assert (factor, source) == (1, "no two specimens of one model are known")


@pytest.mark.parametrize(
    ("low", "rank", "high", "words"),
    [
        (1, 3, 4, "good"),
        (3, 4, 5, "middling to good"),
        (5, 7, 8, "middling"),
        (2, 6, 11, "middling, as far as one run says,"),
        (9, 12, 12, "poor"),
    ],
)
def test_a_card_is_graded_by_the_thirds_that_it_may_lie_in(low, rank, high, words):
    assert grade(SimpleNamespace(rank_low=low, rank=rank, rank_high=high, n=11)) == words


@pytest.mark.parametrize(
    ("value", "verdict"), [(2e6, "~"), (2.4e6, "~"), (4.4e6, "specimens"), (7e6, "unlike")]
)
def test_a_name_is_doubted_only_beyond_what_specimens_differ(noise, value, verdict):
    known = known_rows(2, 1.9, medium="that name")
    places = placed(value, known, noise, NOWHERE)
    (test,) = compare_name(["that name"], places, known, 3.0, NOWHERE).to_dict("records")
    assert (test["verdict"], test["n"]) == (verdict, 2)
    assert test["ratio"] == pytest.approx(value / 2e6)


# --- classes -------------------------------------------------------------------------------------


def classes_of(*rows, setting=HERE, claimed=()):
    found = log_rows(*rows)
    bandwidths = as_bandwidth(found[found["reason"].isna()])
    summary, figures = reached_classes(bandwidths, committed()[0], setting, claimed=claimed)
    return summary.set_index("class"), figures


def test_a_class_is_reached_part_by_part():
    summary, figures = classes_of(log_row(4e6), log_row(9e6, op="randread", line=2), claimed=["A1"])
    assert summary.loc["A1", ["randread", "randwrite", "write"]].tolist() == [
        *("pass", "pass", "no figure"),
    ]
    assert (summary.loc["A1", "rated"], summary.loc["A1", "verdict"]) == ("yes", "cannot tell")
    assert set(figures["tool"]) == {"iozone"}


def test_the_page_cache_reaches_no_class_nor_does_fio_at_an_unknown_depth():
    assert classes_of(log_row(9e6, direct=False))[0].empty
    assert classes_of(log_row(9e6, tool="fio"))[0].empty
    assert classes_of(log_row(9e6, tool="fio", iodepth=1))[0].loc["A1", "randwrite"] == "pass"


def test_without_a_host_a_class_can_be_reached_but_not_missed():
    summary, _ = classes_of(log_row(1e5), setting=NOWHERE)
    assert set(summary["verdict"]) == {"cannot tell"}
    summary, _ = classes_of(log_row(9e6), setting=NOWHERE)
    assert summary.loc["A1", "randwrite"] == "pass"


# --- the figure ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 12])
def test_the_figure_draws_every_card_limit_and_minimum(data, count):
    known = known_rows(*range(1, 41))
    found = points(placed(3e6, known, data.noise), known, data, HERE)
    marks = pd.concat([found.assign(test=f"{TEST} {number}") for number in range(count)])
    ax = plots.standing(marks)
    drawn = {text.get_text() for text in ax.texts}
    assert {"A1", "A2", "place 38 of 41\n(n = 40 known cards)"} <= drawn
    assert ax.collections[0].get_offsets().shape[0] == 40 * count
    assert "MB/s (10^6 B/s" in ax.get_xlabel()
    assert marks.groupby("kind").size().to_dict() == {
        **{"card": count, "known": 40 * count},
        **{"limit": count, "minimum": 2 * count},
    }
    plt.close(ax.figure)
