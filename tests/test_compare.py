"""Two sets of results, test by test: hand-computed cases, scipy on random data, the command."""

import functools
import io
import itertools
import json
import math
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared import ANSWERS, answer, make_sets, ran
from compared import results as exact_results
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import stats
from sdanalysis.cli import main
from sdanalysis.comparing.selection import conditions
from sdanalysis.comparing.text import cause
from sdanalysis.errors import SdAnalysisError, UsageError
from sdanalysis.stats.intervals import fewest_runs, hodges_lehmann, median_interval

ROOT = Path(__file__).resolve().parent.parent
TABLE = sdanalysis.load()
CORPUS = ROOT / "tests" / "corpus"
LOGS = [f"{folder}/*.log" for folder in sorted(CORPUS.iterdir()) if folder.is_dir()]


results = functools.partial(exact_results, slack=0.01)


def only(frame):
    """The row of a frame that has one."""
    assert len(frame) == 1
    return frame.iloc[0]


# --- exact intervals -----------------------------------------------------------------------------


@given(
    st.lists(st.floats(1, 1e9), min_size=1, max_size=40, unique=True),
    st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
def test_the_interval_of_a_median_is_scipys(values, confidence):
    low, high = median_interval(values, confidence=confidence)
    theirs = scipy_stats.quantile_test(values, p=0.5).confidence_interval(confidence)
    if math.isnan(theirs.low) or math.isnan(theirs.high):
        assert math.isnan(low)
    else:
        assert (low, high) == (theirs.low, theirs.high)


def test_four_against_four_apart_is_the_least_that_can_differ():
    """2 of the C(8, 4) = 70 orders are so far apart: 2.9 %; of C(6, 3) = 20 it is 10 %."""
    found = hodges_lehmann([1, 1.1, 1.2, 1.3], [2, 2.2, 2.4, 2.6])
    assert (found.low, found.high) == (2 / 1.3, 2.6 / 1)
    assert found.p == pytest.approx(2 / 70)
    short = hodges_lehmann([1, 1.1, 1.2], [2, 2.2, 2.4])
    assert math.isnan(short.low) and math.isnan(short.high) and short.p == pytest.approx(0.1)
    assert hodges_lehmann([1, 1.1, 1.2], [2, 2.2, 2.4], confidence=0.9).low == 2 / 1.2
    assert [fewest_runs(confidence=level) for level in (0.9, 0.95, 0.99)] == [3, 4, 5]


def test_the_estimate_is_the_median_of_all_ratios():
    """Ratios 20/4, 20/2, 30/4, 30/2: in the middle, by logarithms, the root of 7.5 times 10."""
    assert hodges_lehmann([2, 4], [20, 30]).ratio == pytest.approx(math.sqrt(75))
    assert hodges_lehmann([3, 3, 3], [7, 7, 7]).ratio == 7 / 3


SIZES = np.array([3, 4, 5, 6, 8, 12, 20, 50, 60, 150, 800])
OFTEN = SIZES**-0.8 / (SIZES**-0.8).sum()


def random_sides(generator):
    """Two samples of 3 to 800 values, most of them small: smooth, in two modes, or with ties."""
    kind = generator.choice(["smooth", "two modes", "ties", "few levels"])
    shift = generator.choice([1, 1, 1.05, 1.5])
    sides = []
    for scale in (1, shift):
        count = generator.choice(SIZES, p=OFTEN)
        values = scale * generator.lognormal(3, generator.choice([0.02, 0.3]), count)
        if kind == "two modes":
            values *= generator.choice([1, 4], count)
        digits = {"ties": 1, "few levels": -1}.get(kind, 12)
        sides.append(np.maximum(values.round(digits), 1))
    return sides


def as_frame(samples):
    """Rows of one test a sample, told apart by their block size."""
    return pd.DataFrame(
        {
            **{"op": "read", "metric": "bandwidth", "stat": "single", "status": "measured"},
            "block_size": np.repeat(np.arange(len(samples)), [len(one) for one in samples]),
            **dict.fromkeys(["value", "value_low", "value_high"], np.concatenate(samples)),
        }
    ).astype({"block_size": "Int64"})


def test_estimate_interval_p_and_verdict_never_contradict_one_another():
    generator = np.random.default_rng(9)
    pairs = [random_sides(generator) for _ in range(400)]
    bases, news = ([pair[at] for pair in pairs] for at in (0, 1))
    tests = stats.compare(as_frame(bases), as_frame(news), by=["block_size"])
    assert tests["block_size"].tolist() == list(range(400))
    known = tests[tests["low"].notna()]
    assert len(known) > 300
    assert known["ratio"].between(known["low"], known["high"]).all()
    read_off = np.select([known["low"] > 1, known["high"] < 1], [">1", "<1"], "~")
    assert (known["verdict"] == read_off).all()
    assert set(read_off) == {">1", "<1", "~"}
    assert set(tests[tests["low"].isna()]["verdict"]) == {"~"}
    assert ((tests["p"] <= 0.05 * (1 + 1e-9)) == (tests["verdict"] != "~")).all()
    for row, base, new in zip(tests.itertuples(), bases, news, strict=True):
        if np.unique(np.concatenate([base, new])).size == len(base) + len(new) <= 160:
            theirs = scipy_stats.mannwhitneyu(base, new, method="exact").pvalue
            assert row.p == pytest.approx(theirs, rel=1e-9)


def test_ties_between_the_sides_count_against_a_difference():
    base, new = [10, 10, 10, 11, 11], [11, 11, 12, 12, 12]
    apart = hodges_lehmann(base, [one + 0.5 for one in new])
    tied = hodges_lehmann(base, new)
    assert apart.p < 0.05 < tied.p
    assert tied.low == 1 < tied.ratio
    assert only(stats.compare(results(base), results(new)))["why"] == "holds_1"
    assert tied.p > scipy_stats.mannwhitneyu(base, new).pvalue


def test_ties_within_a_side_narrow_the_interval_of_a_large_sample():
    generator = np.random.default_rng(5)
    base, new = generator.choice([10, 20], 300), generator.choice([10.5, 21], 320)
    found = hodges_lehmann(base, new)
    assert found.p == pytest.approx(scipy_stats.mannwhitneyu(base, new).pvalue)


@pytest.mark.parametrize(("name", "close"), [("_COUNTED", 0.01), ("_LISTED", 1e-12)])
def test_large_samples_are_counted_otherwise_and_meet_the_exact_answer(monkeypatch, name, close):
    from sdanalysis.stats import intervals

    generator = np.random.default_rng(6)
    base, new = generator.lognormal(0, 0.2, 45), generator.lognormal(0.1, 0.2, 50)
    exact = hodges_lehmann(base, new)
    monkeypatch.setattr(intervals, name, 0)
    assert hodges_lehmann(base, new) == pytest.approx(exact, rel=close)


def test_every_rank_of_the_ratios_of_large_samples_is_the_ratio_itself():
    from sdanalysis.stats import intervals

    generator = np.random.default_rng(8)
    for _ in range(40):
        sizes = generator.integers(2, 9, 2)
        base, new = (np.sort(generator.lognormal(0, 0.5, size).round(2)) for size in sizes)
        ratios = np.sort(np.divide.outer(new, base).ravel())
        found = [intervals._ratio_at(base, new, rank) for rank in range(1, ratios.size + 1)]
        assert found == ratios.tolist()


@pytest.mark.parametrize(
    ("count", "step", "method"),
    [  # ties count from 50 results a side on, and above 150 all is normal
        *((49, 1, "exact"), (60, 0, "exact"), (60, 1, "asymptotic"), (148, 0, "exact")),
        *((160, 0, "asymptotic"), (160, 1, "asymptotic")),
    ],
)
def test_the_test_is_exact_up_to_150_results_a_side_or_50_with_ties(count, step, method):
    base = np.arange(1.0, count + 1) * 2
    new = base + count / 4 + 0.5  # no tie between the sides
    base[step:] = base[: count - step] if step else base  # one value twice
    found = hodges_lehmann(base, new).p
    theirs = scipy_stats.mannwhitneyu(base, new, method=method).pvalue
    other = "exact" if method == "asymptotic" else "asymptotic"
    assert found == pytest.approx(theirs, rel=1e-9)
    assert found != pytest.approx(
        scipy_stats.mannwhitneyu(base, new, method=other).pvalue, rel=1e-4
    )


def test_ten_thousand_results_a_side_are_compared_at_once():
    values = np.random.default_rng(7).lognormal(0, 0.2, 20_000)
    row = only(stats.compare(results(values[:10_000]), results(values[10_000:] * 1.02)))
    assert row["low"] < 1.02 < row["high"] and row["verdict"] == ">1"
    assert row["base_low"] < row["base"] < row["base_high"]


# --- compare -------------------------------------------------------------------------------------


def test_a_test_that_is_decided_by_hand():
    row = only(stats.compare(results([10, 11, 12, 13]), results([20, 22, 24, 26])))
    assert (row["base"], row["new"], row["ratio"]) == (11.5, 23, 2)
    assert (row["low"], row["high"]) == (20 / 13, 26 / 10)
    assert (row["base_n"], row["new_n"], row["unit"]) == (4, 4, "run")
    assert row["verdict"] == ">1"
    assert pd.isna(row["why"]) and pd.isna(row["needed"]) and math.isnan(row["base_low"])
    swapped = only(stats.compare(results([20, 22, 24, 26]), results([10, 11, 12, 13])))
    assert (swapped["verdict"], swapped["ratio"]) == ("<1", 0.5)


@pytest.mark.parametrize("values", [[10], [10, 10], [10, 11, 12], range(10, 30)])
def test_the_same_results_on_both_sides_are_undecided_and_no_more_would_decide(values):
    row = only(stats.compare(results(values), results(values)))
    assert (row["verdict"], row["ratio"], row["why"]) == ("~", 1, "equal")
    assert pd.isna(row["needed"])


def test_how_many_runs_would_decide_follows_from_ratio_and_spread():
    one = only(stats.compare(results([1]), results([1000])))  # however far apart
    assert (one["verdict"], one["why"], one["needed"]) == ("~", "too_few", 4)
    assert math.isnan(one["low"]) and math.isnan(one["high"])
    base, new = [9, 10, 11, 10.5], [9.5, 10.6, 11.6, 11]
    row = only(stats.compare(results(base), results(new)))
    assert row["why"] == "holds_1"
    spread = math.sqrt(np.log(base).var(ddof=1) + np.log(new).var(ddof=1))
    shift = math.log(row["ratio"])
    count = row["needed"]
    half = [scipy_stats.t.ppf(0.975, n - 1) * spread / math.sqrt(n) for n in (count - 1, count)]
    assert half[0] >= shift > half[1]


def test_several_cards_count_as_cards_and_their_runs_are_averaged_in_logarithms():
    base = pd.concat([results([1, 4], specimen="a"), results([3], specimen="b")])
    row = only(stats.compare(base, results([5], specimen="a")))
    assert (row["unit"], row["base_n"], row["new_n"], row["base"]) == ("card", 2, 1, 2.5)


def test_a_card_is_compared_with_itself_when_paired():
    cards = {"a": (10, 20), "b": (100, 190), "c": (1000, 2100), "only here": (5, None)}
    sides = [
        pd.concat([results([values[at]], specimen=card) for card, values in cards.items()
                   if values[at]])
        for at in (0, 1)
    ]  # fmt: skip
    row = only(stats.compare(*sides, pair="specimen"))
    logs = np.log([2, 1.9, 2.1])
    theirs = scipy_stats.ttest_1samp(logs, 0).confidence_interval()
    assert (row["base_n"], row["new_n"], row["unit"]) == (3, 3, "pair")
    assert row["ratio"] == pytest.approx(math.exp(logs.mean()))
    assert (row["low"], row["high"]) == pytest.approx((math.exp(theirs.low), math.exp(theirs.high)))
    assert row["verdict"] == ">1"
    assert only(stats.compare(*sides))["verdict"] == "~"  # the cards differ more than the sides


def test_what_two_tools_print_is_undecided_within_their_digits():
    hdparm, dd = results([10, 10.01, 10.02, 10.03]), results([10.1] * 4, tool="hdparm")
    row = only(stats.compare(hdparm, dd, by=[]))
    assert (row["verdict"], row["why"]) == ("~", "within_rounding")
    same_tool = only(stats.compare(hdparm, results([10.1] * 4)))
    assert same_tool["verdict"] == ">1"  # one tool rounds both: the order is kept


@pytest.mark.parametrize(
    ("column", "value"),
    [("tool", "fio"), ("block_size", 16384), ("iodepth", 8), ("direct", True), ("host", "pi-4b")],
)
def test_what_tells_tests_apart_on_one_side_is_never_averaged_over(column, value):
    plain = results([10])
    both = pd.concat([plain, results([40], **{column: value})])
    assert column in stats.test_columns(both, plain)
    assert only(stats.compare(both, plain))["base"] == 10
    left = only(stats.not_comparable(both, plain))
    assert (left["side"], left["figures"], left["reason"]) == ("base", 1, "one_sided")


def test_the_figures_of_mixed_jobs_are_compared_with_their_like():
    mixed = results([10], read_mix=75.0)
    assert only(stats.compare(mixed, results([20], read_mix=75.0)))["ratio"] == 2
    assert stats.not_comparable(mixed, results([20], read_mix=75.0)).empty
    both = pd.concat([mixed, results([40])])
    assert "read_mix" in stats.test_columns(both, mixed)
    assert only(stats.compare(both, mixed))["base"] == 10


def test_what_is_not_stated_is_one_value_of_a_key():
    unstated = [
        results([one], block_size=pd.NA, iodepth=depth) for one, depth in ((10, 1), (40, 8))
    ]
    both = pd.concat([*unstated, results([20], iodepth=1)])
    assert stats.test_columns(both, both)[-2:] == ["block_size", "iodepth"]
    tests = stats.compare(both, both)
    assert sorted(tests["base"]) == [10, 20, 40]


def test_on_both_sides_are_the_rows_of_cards_that_both_name():
    base = pd.concat([results([10], specimen=name) for name in ("a", "b", None)])
    new = pd.concat([results([20], specimen=name) for name in ("b", "c", None)])
    sides = stats.on_both_sides(base, new, on="specimen")
    assert [side["specimen"].tolist() for side in sides] == [["b"], ["b"]]


def test_what_differs_between_the_sides_only_is_a_condition_and_no_key():
    base, new = results([10]), results([20], block_size=16384)
    assert stats.test_columns(base, new) == ["op", "metric", "stat"]
    differences = stats.differing_conditions(base, new)
    assert differences.values.tolist() == [["block_size", "4 KiB", "16 KiB", 1]]
    assert cause(differences) == "effect of block_size: 4 KiB (BASE), 16 KiB (NEW)"
    assert only(stats.compare(base, new))["differs"] == "block_size"


def test_a_cause_is_named_only_where_one_condition_differs():
    base = results([10], reader="slot", host="pi-4b", tool_version="9.1")
    new = results([10], reader="usb", host="pi-4b", tool_version="9.1")
    assert cause(stats.differing_conditions(base, new)).startswith("effect of reader: ")
    two = stats.differing_conditions(base, new.assign(tool_version="9.4"))
    assert cause(two) == "BASE and NEW differ in: reader, tool_version; no single cause"
    unsaid = stats.differing_conditions(base, new.drop(columns="tool_version"))
    assert unsaid["new"].tolist() == ["usb", "not stated"]
    assert "no single cause" in cause(unsaid)
    none = stats.differing_conditions(base, base)
    assert cause(none) == "BASE and NEW: no stated condition differs"


def test_another_share_of_the_same_cards_is_a_difference():
    two = [results([10], specimen=name) for name in "ab"]
    base, new = pd.concat([two[0], two[0], two[1]]), pd.concat([two[0], two[1], two[1]])
    assert stats.differing_conditions(base, new)["condition"].tolist() == ["specimen"]
    assert stats.differing_conditions(base, pd.concat([base, base])).empty


def test_a_card_is_one_condition_whatever_names_it_has():
    base = results([10], specimen="us/a", medium="a", label="A")
    new = results([10], specimen="us/b", medium="b", label="B")
    assert stats.differing_conditions(base, new)["condition"].tolist() == ["specimen"]
    logs = [side.drop(columns=["specimen", "medium"]) for side in (base, new)]
    assert stats.differing_conditions(*logs)["condition"].tolist() == ["label"]
    assert stats.not_stated(*logs)[0] == "measured_by"
    assert stats.not_stated(*(side.drop(columns="label") for side in logs))[0] == "specimen"


def test_every_figure_of_the_table_is_compared_or_left_out_with_its_reason():
    base, new = TABLE[TABLE["host"] == "pi-3b"], TABLE[TABLE["host"] == "pi-4b"]
    tests, left = stats.compare(base, new), stats.not_comparable(base, new)
    keys = stats.test_columns(base, new)
    compared = pd.concat(
        [base.merge(tests[keys], on=keys, how="inner", validate="many_to_one"),
         new.merge(tests[keys], on=keys, how="inner", validate="many_to_one")]
    )  # fmt: skip
    compared = compared[(compared["origin"] == "primary") & (compared["status"] == "measured")]
    assert len(compared) + left["figures"].sum() == len(base) + len(new)
    assert {"base", "new"} == set(left[left["reason"] == "one_sided"]["side"])


def test_a_zero_has_no_ratio_and_is_left_out_with_its_reason():
    base, new = results([0, 10]), results([0, 20])
    row = only(stats.compare(base, new))
    assert (row["base_n"], row["new_n"], row["ratio"]) == (1, 1, 2)
    left = stats.not_comparable(base, new)
    assert left[["side", "figures", "reason"]].values.tolist() == [
        ["base", 1, "not_positive"],
        ["new", 1, "not_positive"],
    ]


def test_a_column_that_there_is_not_is_refused():
    for options in ({"by": ["colour"]}, {"pair": "colour"}):
        with pytest.raises(SdAnalysisError, match="found no column 'colour', expected it among"):
            stats.compare(TABLE, TABLE, **options)
    with pytest.raises(SdAnalysisError, match="found no column 'value', expected it among"):
        stats.compare(TABLE.drop(columns="value"), TABLE)


def test_no_figure_of_the_table_differs_from_itself_and_nothing_from_nothing():
    tests = stats.compare(TABLE, TABLE)
    assert len(tests) > 50
    assert set(tests["verdict"]) == {"~"}
    assert stats.differing_conditions(TABLE, TABLE).empty
    nothing, every = (stats.compare(side, TABLE, by=["tool"]) for side in (TABLE[:0], TABLE))
    assert nothing.empty and list(nothing) == list(every)


@pytest.fixture
def sets(tmp_path):
    make_sets(tmp_path)
    return tmp_path


# --- the command ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.partition("/corpus/")[2])
def test_logs_compared_with_themselves_are_undecided_everywhere(capsys, path):
    _, out, err = ran(capsys, path, path, "--format", "json")
    tests = json.loads(out)["tests"]
    assert tests
    assert {one["verdict"] for one in tests} == {"~"}
    assert "note: the same file is on both sides" in err


@pytest.mark.parametrize("path", sorted(ANSWERS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_command_answers_word_for_word_as_its_file_has_it(monkeypatch, sets, path):
    monkeypatch.chdir(sets)
    expected = path.read_text(encoding="utf-8")
    assert answer(expected.partition("\n")[0]) == expected


def test_csv_and_json_hold_the_same_tests_in_base_units(capsys, sets):
    sides = (sets / "slow", sets / "fast")
    _, text, _ = ran(capsys, *sides, "--format", "csv")
    _, document, _ = ran(capsys, *sides, "--format", "json")
    row = only(pd.read_csv(io.StringIO(text)))
    (test,) = json.loads(document)["tests"]
    for name in ("base", "new", "ratio", "low", "high", "base_n", "new_n"):
        assert row[name] == pytest.approx(test[name])
    values = [np.sort(sdanalysis.parse(side)["value"]) for side in sides]
    assert (test["base"], test["new"]) == pytest.approx([one[1:3].mean() for one in values])
    assert test["low"] == pytest.approx(values[1][0] / values[0][3])
    assert test["needed"] is None


def test_the_table_may_be_the_users_own(capsys, tmp_path):
    from sdanalysis import dataset

    own = tmp_path / "own.csv"
    dataset.save(TABLE[TABLE["source"] == "kulesz-2017"], own)
    code, _, err = ran(capsys, "table:host=pi-4b", "table:reader=usb", "--table", own)
    assert code == 1
    assert "found no row with host=pi-4b left, expected one of kulesz-workstation" in err


def test_the_ending_of_the_output_names_the_format(capsys, sets):
    words = "NEW is faster than BASE in 1"
    for ending, begins in {".md": words, ".json": "{", ".csv": "op,", ".txt": words}.items():
        output = sets / f"out{ending}"
        code, out, err = ran(capsys, sets / "slow", sets / "fast", "-o", output)
        assert (code, out, err) == (0, "", f"{output}: 1 test\n")
        assert output.read_text(encoding="utf-8").startswith(begins)


# --- simultaneous processes ----------------------------------------------------------------------

MOVED = ("io_bytes", "io_kbytes", "bw_bytes", "bw", "iops", "total_ios")


def fio_plots_folder(folder, *, jobs, depths=(1, 4), speed=1, grouped=False):
    """A JSON of fio for each queue depth and number of processes, each process alike."""
    name = "json-group-reporting--3.33.log" if grouped else "json-two-processes--3.33.log"
    text = (CORPUS / "fio" / name).read_text(encoding="utf-8")
    folder.mkdir()
    for number, depth in itertools.product(jobs, depths):
        document = json.loads(text)
        process = document["jobs"][0]
        process["job options"] |= {"numjobs": str(number), "iodepth": str(depth)}
        times = speed * number / 2 if grouped else speed
        process["write"] |= {key: round(process["write"][key] * times) for key in MOVED}
        document["jobs"] = [process] * (1 if grouped else number)
        path = folder / f"write-{depth}-{number}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
    return folder


def bandwidths(capsys, *sides):
    """The tests of the bandwidth, and the document that they stand in."""
    code, out, err = ran(capsys, *sides, "--format", "json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    return [row for row in document["tests"] if row["metric"] == "bandwidth"], document


def test_folders_of_processes_give_the_ratio_of_totals_and_count_runs(capsys, tmp_path):
    sides = [
        fio_plots_folder(tmp_path / name, jobs=(1, 2, 4), speed=speed)
        for name, speed in (("before", 1), ("after", 2))
    ]
    rows, document = bandwidths(capsys, *sides)
    assert document["heading"] == "BASE and NEW: no stated condition differs"
    assert sorted((row["numjobs"], row["iodepth"]) for row in rows) == [
        (jobs, depth) for jobs in (1, 2, 4) for depth in (1, 4)
    ]
    assert {(row["base_n"], row["new_n"], round(row["ratio"], 6)) for row in rows} == {(1, 1, 2.0)}
    shares = [row for row in document["not_comparable"] if row["stat"] == "share"]
    assert {row["figures"] for row in shares} == {2, 4}
    assert {row["reason"].partition(":")[0] for row in shares} == {"one process's share of a run"}


def test_the_same_processes_are_one_test_however_fio_reported_them(capsys, tmp_path):
    grouped = fio_plots_folder(tmp_path / "grouped", jobs=(2,), grouped=True)
    rows, document = bandwidths(capsys, fio_plots_folder(tmp_path / "each", jobs=(2,)), grouped)
    assert document["heading"] == "BASE and NEW: no stated condition differs"
    assert [row["ratio"] for row in rows] == pytest.approx([1, 1], rel=1e-3)


# --- doors ---------------------------------------------------------------------------------------

REFUSED = {  # the exit code, what is complained of, the arguments
    1: {
        "found no such file, folder or match": ["no-such-file fast"],
        "found an empty folder, expected logs in it": ["fast empty"],
        "empty.log:1: found an empty file, expected a benchmark log": ["empty.log fast"],
        "prose.log:1: found no benchmark in it": ["prose.log fast"],
        "binary.log:1: found binary data": ["binary.log fast"],
        "found no row with host=pi-9 left, expected one of": ["table:host=pi-9 fast"],
        "found no row with tool=bonnie left": ["fast table:host=pi-4b,tool=bonnie"],
        "found no row with system=CP/M left": ["table:system=CP/M fast"],
        "found no row with op=randread left, expected one of copy": [
            "slow fast --where op=randread"
        ],
        "found no host in these logs": ["slow fast --where host=pi-4b"],
        "expected one of none: it is not stated": ["slow fast --where iodepth=4"],
        "found no host that tells tests apart, expected one of": [
            "slow fast --fail-if 'host=pi-4b write < -10%'"
        ],
        "nowhere: found no such folder, expected runs in it": ["--history nowhere"],
        "empty: found an empty folder, expected one run in each": ["--history empty"],
    },
    2: {
        "found '', expected conditions such as": ["table: fast", "slow fast --where ''"],
        "found 'host', expected conditions such as": ["table:host fast"],
        "found conditions given for table:host=pi-4b, expected them for logs only": [
            "slow table:host=pi-4b --new-given host=pi-3b"
        ],
        "found 'host=', expected conditions such as": ["table:host= fast"],
        "found the column '', expected one of": ["table:=pi-4b fast", "slow fast --col ''"],
        "found the column 'colour', expected one of": [
            *("table:colour=red fast", "slow fast --row colour", "slow fast --pair colour"),
            "slow fast --fail-if 'colour=red < -10%'",
        ],
        "found block_size=four, expected a number": ["table:block_size=four fast"],
        "found direct=maybe, expected true or false": ["table:direct=maybe fast"],
        "found numjobs=1.5, expected a number": ["table:numjobs=1.5 fast"],
        "found the column 'op' twice": ["slow fast --group op --row op", "slow fast --row op,op"],
        "found the column 'specimen' twice": ["slow fast --pair specimen --row specimen"],
        "found the column 'tool' twice": ["slow fast --ignore tool --row tool"],
        "found --ignore op, expected none of op, metric, stat": ["slow fast --ignore op"],
        "found the confidence 1, expected it within 0 and 1": ["slow fast --confidence 1"],
        "found the confidence nan, expected it within 0 and 1": ["slow fast --confidence nan"],
        "found tool=dd, expected one value for any of": ["slow fast --base-given tool=dd"],
        "found host=a,b, expected one value for any of": ["slow fast --new-given host=a,host=b"],
        "given for no set, expected at most one for each": [
            "slow fast --new-given host=a --new-given host=b"
        ],
        "found the ending '.pdf', expected --format or one of": ["slow fast -o out.pdf"],
        "found the limit 'randwrite', expected such as 'randwrite < -10%'": [
            "slow fast --fail-if randwrite"
        ],
        "expected such as": [
            f"slow fast --fail-if '{limit}'"
            for limit in ("< -10%", "randwrite < ten%", "randwrite < -10", "randwrite = -10%", "")
        ],
        "expected above -100%": ["slow fast --fail-if 'randwrite < -100%'"],
        "found 'randwrit' in the limit 'randwrit < -10%', expected a tool": [
            "slow fast --fail-if 'randwrit < -10%'"
        ],
        "found sets beside --history": ["a b --history runs"],
        "found --pair beside --history": ["--history runs --pair host"],
        "found --base-given beside --history": ["--history runs --base-given host=a"],
        "expected --fail-if with it": ["--history runs --fail-undecided"],
        "found 1 set, expected a base and at least one more, or --history": ["runs"],
        "found 0 sets, expected a base": [""],
    },
}


@pytest.mark.parametrize(
    ("code", "problem"), [(code, problem) for code, cases in REFUSED.items() for problem in cases]
)
def test_what_cannot_be_read_or_meant_is_refused_with_what_is_expected(
    capsys, monkeypatch, sets, code, problem
):
    monkeypatch.chdir(sets)
    for arguments in REFUSED[code][problem]:
        found, out, err = ran(capsys, *shlex.split(arguments))
        assert (found, out) == (code, ""), arguments
        assert problem in err, arguments


def test_standard_input_is_read(sets):
    log = (sets / "slow" / "run0.log").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "sdanalysis", "compare", "-", str(sets / "fast")],
        cwd=ROOT, input=log, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "1, 4 runs" in done.stdout
    assert main(["compare", "-", "-"]) == 2


def test_a_comma_belongs_to_a_value_unless_a_name_follows():
    assert conditions("label=A, B | C,host=pi-4b,host=pi-3b") == {
        "label": ["A, B | C"],
        "host": ["pi-4b", "pi-3b"],
    }
    with pytest.raises(UsageError):
        conditions("host=pi-4b,reader=")


def test_what_noise_elsewhere_says_stands_in_csv_and_json_too(capsys):
    sides = [
        f"table:specimen=geerling/samsung-evo+-32gb,host={host}" for host in ("pi-3b", "pi-4b")
    ]
    _, text, _ = ran(capsys, *sides, "--where", "op=randread", "--noise", "--format", "csv")
    _, document, _ = ran(capsys, *sides, "--where", "op=randread", "--noise", "--format", "json")
    row = pd.read_csv(io.StringIO(text)).iloc[0]  # below it what was left out
    (found,) = json.loads(document)["second_opinions_from_run_noise_of_other_cards"]
    assert row["opinion"] == found["opinion"]
    assert row["noise_band"] == pytest.approx(found["noise_band"], rel=1e-5)
