"""Each verdict on a class has its argument: depth, bus, mix, host's share, noise, area."""

import math

import pandas as pd
import pytest
from test_stats import figure, table

import sdanalysis
from sdanalysis import stats
from sdanalysis.stats.classes import Found

DATA = sdanalysis.load_data()
MEASUREMENTS, CLASSES, NOISE, HOSTS = DATA.measurements, DATA.classes, DATA.noise, DATA.hosts
MEDIA = pd.DataFrame(
    {
        "specimen": ["us/a-card", "us/quick", "us/stick"],
        "form": ["microSD", "microSD", "USB stick"],
        "speed_class": ["C10 U3", None, None],
        "application_class": ["A1", "no", "no"],
    }
)


def verdict(op, value, /, *others, one="A1", hosts=HOSTS, **conditions):
    """Return the row of us/a-card for one class; values of the random ops are in 1/s."""
    scale = 1 if op == "write" else 4096
    rows = [figure(1, op, value * scale, repeat=1, **conditions)]
    for number, quick in enumerate(others, start=2):
        other = {"specimen": "us/quick", "medium": "quick", "repeat": 1}
        rows.append(figure(number, op, quick * scale, **other, **conditions))
    found = stats.class_verdicts(table(*rows), CLASSES, MEDIA, hosts, NOISE)
    (row,) = found[(found["class"] == one) & (found["specimen"] == "us/a-card")].itertuples()
    return row


# randread of iozone: 0.02624 a run, t of 3 degrees 3.182, and 1 % of rounding in `figure`
BAND = math.exp(3.182446 * 0.026238)
MIXED = {"tool": "fio", "read_mix": 75.0, "iodepth": 64}
DD = {"tool": "dd", "block_size": 8192}


@pytest.mark.parametrize(
    ("found", "op", "values", "conditions"),
    [
        (Found.REACHED, "randread", (2000,), {}),  # also at queue depth one
        (Found.REACHED, "randread", (1500 * BAND * 1.011 / 0.99,), {}),
        (Found.NEAR, "randread", (1500 * BAND * 1.009,), {}),
        (Found.NEAR, "randread", (1500 / BAND / 1.009,), {}),
        (Found.HOST_RANDOM, "randread", (1500 / BAND / 1.011,), {}),
        # 1/1000 - 1/2000 s is 0.5 ms, less than the 0.67 ms of 1500 a second
        (Found.HOST_RANDOM, "randread", (1000, 2000), {}),
        (Found.HOST_RANDOM, "randread", (1000,), {}),  # nobody else bounds the host
        (Found.MISSED, "randread", (500, 2000), {}),  # 1/500 - 1/2000 s is 1.5 ms
        (Found.NO_QUEUE, "randwrite", (100, 1900), {"one": "A2"}),
        (Found.REACHED, "randread", (5000,), {"one": "A2"}),
        (Found.MISSED, "write", (2e6, 40e6), {"one": "A2", "tool": "dd", "block_size": None}),
        (Found.REACHED, "randread", (1800,), MIXED),
        (Found.MIXED, "randread", (300, 3000), MIXED),
        (Found.SLOW_BUS, "write", (10e6, 24e6), {"one": "U3", "host": "pi-3b", **DD}),
        (Found.MISSED, "write", (5e6, 48e6), {"one": "U3", "host": "pi-4b", **DD}),
        (Found.CACHE, "write", (60e6,), DD),
        (Found.CACHE, "randread", (20000,), {}),
        (Found.REACHED, "write", (12e6,), {}),
        (Found.SMALL, "write", (1e6, 40e6), {}),
        (Found.MISSED, "write", (1e6, 40e6), {"block_size": 16 * 2**20}),
    ],
)
def test_a_figure_stands_to_its_minimum_as_host_bus_noise_and_mix_allow(
    found, op, values, conditions
):
    row = verdict(op, *values, **conditions)
    words = {Found.REACHED: "pass", Found.MISSED: "fail"}
    assert (row.reason, row.verdict) == (found.words, words.get(found, "cannot tell"))
    assert row.margin == pytest.approx(values[0] / row.minimum)


def test_more_runs_narrow_the_band():
    four = [figure(number, "randread", 1600 * 4096) for number in range(1, 5)]
    found = stats.class_verdicts(table(*four), CLASSES, MEDIA, HOSTS, NOISE)
    (row,) = found[found["class"] == "A1"].itertuples()
    assert (row.runs, row.verdict) == (4, "pass")
    assert verdict("randread", 1600).verdict == "cannot tell"
    assert row.low == pytest.approx(1600 * 0.99 / math.exp(3.182446 * 0.026238 / 2), rel=1e-5)


def test_the_quickest_card_of_another_host_bounds_nothing():
    quick = figure(2, "randread", 9e6, repeat=1, specimen="us/quick", host="pi-3b")
    rows = table(figure(1, "randread", 500 * 4096, repeat=1), quick)
    found = stats.class_verdicts(rows, CLASSES, MEDIA, HOSTS, NOISE)
    slow = found[(found["specimen"] == "us/a-card") & (found["class"] == "A1")]
    assert slow["reason"].tolist() == [Found.HOST_RANDOM.words]


@pytest.mark.parametrize(
    ("has_queue", "found"),
    [(False, Found.NO_QUEUE), (pd.NA, Found.QUEUE_UNKNOWN), (True, Found.QUEUE_FILL)],
)
def test_a2_cannot_be_failed_at_random_as_no_table_tells_how_full_a_command_queue_was(
    has_queue, found
):
    hosts = HOSTS.assign(command_queue=pd.array([has_queue] * len(HOSTS), dtype="boolean"))
    row = verdict("randwrite", 100, 1900, one="A2", tool="fio", iodepth=64, hosts=hosts)
    assert (row.verdict, row.reason) == ("cannot tell", found.words)


def test_caveats_name_what_is_easier_than_the_rule():
    assert verdict("randread", 2000).caveats == (
        "single run; the size of the area is not stated, the rule's is 256 MB"
    )
    small = verdict("randread", 2000, file_size=100 * 2**20)
    assert small.caveats == "single run; area of 100 MB, the rule's is 256 MB"
    assert verdict("randread", 2000, file_size=256 * 2**20).caveats == "single run"
    unknown = verdict("write", 20e6, tool="dd", block_size=None)
    assert unknown.caveats == "single run; whether dd waited for the card is not stated"


@pytest.mark.parametrize(
    ("one", "rated"),
    [("A1", "yes"), ("A2", "no"), ("C10", "yes"), ("U1", "yes"), ("V30", "unknown")],
)
def test_a_card_carries_its_class_and_the_lower_ones(one, rated):
    op = "write" if one[0] in "CUV" else "randread"
    assert verdict(op, 2000, one=one).rated == rated


def test_what_is_no_test_of_a_class_is_left_out_for_a_reason():
    rows = table(
        figure(1, "randread", 8e6),
        figure(2, "randread", 8e6, block_size=16384),
        figure(3, "randread", 8e6, specimen="us/stick"),
        figure(4, "read", 8e6),
        figure(5, "write", 8e6, tool="unstated"),
        figure(6, "randwrite", 1000.0, metric="iops", run="one"),
        figure(7, "randwrite", 4e6, run="one"),
        figure(8, "randwrite", 4e6, origin="restated"),
    )
    reasons = stats.class_reasons(rows, MEDIA)
    excluded = stats.count_reasons(rows, reasons).set_index("reason")["figures"]
    assert excluded["taken"] == 2
    assert excluded.sum() == len(rows) and len(excluded) == 7
    assert stats.class_figures(rows, MEDIA, NOISE)["value"].tolist() == [8e6 / 4096, 1000]


def test_a_class_needs_all_its_parts_and_one_fail_is_enough():
    rows = figure(1, "randread", 2000 * 4096), figure(2, "randwrite", 900 * 4096)
    sequential = figure(3, "write", 20e6, tool="dd", block_size=8192, repeat=1)
    slow = figure(4, "randwrite", 50 * 4096, repeat=1, specimen="us/quick", medium="quick")

    def whole(*rows):
        found = stats.class_verdicts(table(*rows), CLASSES, MEDIA, HOSTS, NOISE)
        summary = stats.class_summary(found, CLASSES)
        return summary[summary["class"] == "A1"].set_index("specimen")

    shown = whole(*rows).loc["us/a-card", ["write", "verdict", "reason"]].tolist()
    assert shown == ["no figure", "cannot tell", "write: no figure"]
    assert whole(*rows, sequential).loc["us/a-card", "verdict"] == "pass"
    assert whole(*rows, slow).loc["us/quick", "verdict"] == "fail"


def test_tests_that_disagree_tell_nothing():
    same = dict.fromkeys(["measured_by", "specimen", "medium", "host", "reader"], "x")
    rows = [
        {**same, "class": "C10", "rated": "yes", "op": "write", "verdict": word, "reason": word}
        for word in ("pass", "fail")
    ]
    (row,) = stats.class_summary(pd.DataFrame(rows), CLASSES).itertuples()
    assert (row.write, row.verdict) == ("cannot tell", "cannot tell")
    assert pd.isna(row.randread)


def words_of(name, host="pi-4b", hosts=HOSTS):
    errors = stats.figure_errors(MEASUREMENTS)
    found = stats.class_verdicts(MEASUREMENTS, CLASSES, DATA.media, HOSTS, NOISE, errors=errors)
    summary = stats.class_summary(found[found["host"] == host], CLASSES)
    return stats.classes_in_words([name], summary, hosts, "Pi")


def test_a_class_in_words_counts_the_cards_that_reach_and_that_miss_its_minimums():
    assert words_of("A1") == (
        "On a Pi, of the cards with A1 or A2, 7 reach all that A1 promises, 1 does not. "
        "Of the others, 6 do, 3 do not, 7 cannot be told."
    )


def test_only_of_a_computer_without_a_queue_a_sentence_says_that_it_lacks_it():
    none = "On a Pi, none of 24 cards reaches all that A2 promises"
    assert words_of("A2") == f"{none}: this board lacks the command queue that A2 needs."
    for queue in (True, pd.NA):
        assert words_of("A2", hosts=HOSTS.assign(command_queue=queue)) == f"{none}."


def test_the_band_of_a_figure_is_the_models_error_where_the_test_has_a_model():
    figures = MEASUREMENTS[~stats.doubted(MEASUREMENTS)]
    errors = stats.figure_errors(figures).set_index("op")
    known = figures, DATA.media, NOISE
    found = stats.class_figures(*known, errors=errors.reset_index())
    by_repeats = stats.class_figures(*known)
    of_model = found["tool"].eq("iozone") & found["op"].eq("randwrite") & found["runs"].eq(1)
    rows = figures.set_index("id").loc[found.loc[of_model, "ids"].str[0]]
    error = errors.loc["randwrite"]
    band = math.exp(stats.intervals.t_quantile(0.95, error.noise_freedom) * error.noise_sd)
    high = rows["value_high"].to_numpy() * band / 4096
    assert found.loc[of_model, "high"].to_numpy() == pytest.approx(high)
    other = found["tool"] == "fio"
    assert other.any()
    assert (found.loc[other, "high"] == by_repeats.loc[other, "high"]).all()


def test_the_cells_of_a_class_begin_with_the_cards_that_carry_it_and_name_no_id():
    found = stats.class_verdicts(MEASUREMENTS, CLASSES, DATA.media, HOSTS, NOISE)
    here = found[found["host"] == "pi-4b"]
    names = stats.card_names(DATA.media, rated=True), stats.place_names(HOSTS)
    cells = stats.class_cells("A1", stats.class_summary(here, CLASSES), here, *names)
    writes = cells[cells["column"] == "small writes"]
    assert writes.loc[writes["rated"] == "yes", "margin"].is_monotonic_decreasing
    assert not cells["row"].str.contains("/|pi-4b").any()


def test_fewer_than_three_cards_with_and_without_a_class_are_no_comparison():
    figures = pd.DataFrame(
        {"specimen": list("abcde"), "op": "randwrite", "measured_by": "us", "value": 1.0}
    ).assign(rated=["no"] * 3 + ["yes"] * 2)
    compared = stats.compare_groups(figures, "rated", "no", "yes", by=["op", "measured_by"])
    assert "cannot be told" in stats.rated_in_words(compared, "A1")


def test_a_class_is_that_of_the_very_part_number_and_no_sister_lends_it():
    evidence = DATA.media.set_index("specimen")["application_class_evidence"]
    assert not evidence.str.contains("inferred").any()
