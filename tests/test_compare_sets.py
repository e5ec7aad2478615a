"""Several sets, a history of runs, limits and the comment of a pull request."""

import io
import itertools
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from compared import make_sets, ran, results
from scipy import stats as scipy_stats

import sdanalysis
from sdanalysis import comparing, stats
from sdanalysis.cli import main
from sdanalysis.comparing.text import gate_in_words
from sdanalysis.errors import SdAnalysisError, UsageError

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
FIO = ROOT / "tests" / "corpus" / "fio" / "json-two-processes--3.33.log"
MOVED = ("io_bytes", "io_kbytes", "bw_bytes", "bw", "iops", "total_ios")


def runs_of(values, **given):
    """Earlier runs of one result each."""
    return results(values, **given).assign(run=[f"run {number}" for number in range(len(values))])


@pytest.fixture
def sets(tmp_path):
    make_sets(tmp_path)
    return tmp_path


# --- several sets --------------------------------------------------------------------------------


def test_each_further_set_is_compared_with_the_first():
    base, others = results([10, 11, 12, 13]), [results([20, 22, 24, 26]), results([10, 11, 12, 14])]
    found = stats.compare(base, *others)
    assert found["set"].tolist() == [1, 2]
    names = ["base", "new", "ratio", "low", "high", "p", "verdict"]
    for number, other in enumerate(others):
        alone = stats.compare(base, other).iloc[0]
        assert found.loc[number, names].tolist() == alone[names].tolist()


def test_what_tells_tests_apart_in_one_set_does_so_in_all():
    plain, deep = results([10], iodepth=1), results([40], iodepth=32)
    found = stats.compare(plain, results([20], iodepth=1), pd.concat([plain, deep]))
    assert "iodepth" in found
    assert found["ratio"].tolist() == [2, 1]


def test_several_cards_in_one_set_make_the_card_the_unit_of_all():
    card = results([10, 10], specimen="a")
    found = stats.compare(card, card, pd.concat([card, results([20], specimen="b")]))
    assert found["unit"].tolist() == ["card", "card"]
    assert found["base_n"].tolist() == [1, 1]


def test_the_mean_over_tests_is_of_those_that_all_sets_have():
    base, one = (
        pd.concat([results([value], op=op) for op in ("read", "write", "randread")])
        for value in (1, 2)
    )
    two = pd.concat([results([8], op=op) for op in ("read", "write")])
    two.loc[two["op"] == "write", ["value", "value_low", "value_high"]] = 2.0
    means = stats.mean_over_tests(stats.compare(base, one, two))
    assert means[["set", "tests", "ratio"]].values.tolist() == [[1, 2, 2], [2, 2, pytest.approx(4)]]
    assert "low" not in means  # tests are chosen: no interval is claimed


def test_a_mean_over_tests_mixes_no_metrics_and_is_none_of_a_single_test():
    rows = [results([1], op="read"), results([1], op="write"), results([1], metric="latency")]
    tests = stats.compare(pd.concat(rows), pd.concat(rows))
    assert stats.mean_over_tests(tests)["metric"].tolist() == ["bandwidth"]


def test_the_sets_of_csv_and_json_are_named(capsys, sets):
    names = [sets / f"{name}.log" for name in ("plain", "slower", "twice")]
    _, text, _ = ran(capsys, *names, "--format", "csv")
    rows = pd.read_csv(io.StringIO(text))
    assert rows["set"].tolist() == ["NEW1", "NEW2"]
    _, document, _ = ran(capsys, *names, "--format", "json")
    assert [row["set"] for row in json.loads(document)["tests"]] == ["NEW1", "NEW2"]


def test_pairs_of_several_sets_are_made_with_each():
    data = sdanalysis.load().query("measured_by == 'geerling' and tool == 'hdparm'")
    hosts = [data[data["host"] == name] for name in ("pi-3b", "pi-4b", "pi-2b")]
    found = stats.compare(*hosts, pair="specimen")
    alone = [stats.compare(hosts[0], it, pair="specimen")["base_n"].item() for it in hosts[1:]]
    assert found["base_n"].tolist() == alone


def test_folders_are_listed_once(capsys, monkeypatch, sets):
    from sdanalysis import paths

    asked = []
    monkeypatch.setattr(paths, "_expand_name", lambda name, _: asked.append(name) or [name])
    ran(capsys, sets / "plain.log", sets / "slower.log")
    assert asked == [str(sets / "plain.log"), str(sets / "slower.log")]


def test_the_same_from_python(sets):
    found = comparing.compare(comparing.read([sets / "plain.log", sets / "slower.log"]))
    assert found.tests["verdict"].tolist() == ["<1"]
    assert comparing.rendered(found).startswith("NEW is slower than BASE in 1 of 1 test")
    with pytest.raises(UsageError, match="given for no set"):
        comparing.read([sets / "plain.log"], ["reader=slot", "reader=usb"])


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tests", "sign", "percent"),
    [
        ("randwrite < -10%", {"op": ["randwrite"]}, "<", -10),
        ("  fio   randwrite 4k<-2.5 %", {"tool": ["fio"], "op": ["randwrite"],
                                        "block_size": ["4k"]}, "<", -2.5),
        ("random write, 4 KiB < \N{MINUS SIGN}10%", {"op": ["randwrite"], "block_size": ["4k"]},
         "<", -10),
        ("randread latency mean > 20%", {"op": ["randread"], "metric": ["latency"],
                                         "stat": ["mean"]}, ">", 20),
        ("read write iodepth=32 < +5%", {"op": ["read", "write"], "iodepth": ["32"]}, "<", 5),
    ],
)  # fmt: skip
def test_a_limit_names_tests_in_the_words_of_storage(text, tests, sign, percent):
    found = comparing.limit(text)
    assert (dict(found.tests), found.sign, found.percent) == (tests, sign, percent)


def outcomes(base, new, *texts):
    side = comparing.read(["table:host=pi-4b"])[0]
    sides = [side._replace(name=name, rows=rows) for name, rows in (("a", base), ("b", new))]
    found = comparing.findings(comparing.compare(sides), map(comparing.limit, texts))
    return [one.outcome for one in found]


def test_a_limit_is_broken_only_where_the_whole_interval_lies_beyond_it():
    base, new = results([100, 101, 102, 103]), results([80, 81, 82, 83])  # -22.3 to -17 %
    assert outcomes(base, new, "read < -10%", "read < -17%") == ["failed", "undecided"]
    assert outcomes(base, new, "read < -20%", "read < -22%") == ["undecided", "undecided"]
    assert outcomes(base, new, "read < -23%", "read > 5%") == ["kept", "kept"]
    assert outcomes(new, base, "read > 10%", "read > 20.5%") == ["failed", "undecided"]
    assert outcomes(new, base, "read > 30%", "read < 0%") == ["kept", "kept"]

    assert outcomes(results([100] * 4), results([90] * 4), "read < -10%") == ["kept"]
    assert outcomes(results([100] * 4), results([200] * 4), "read > 100%") == ["kept"]


def test_without_an_interval_a_limit_is_undecided_however_far_the_results_are_apart():
    for new in (1, 900):
        assert outcomes(results([100]), results([new]), "read < -10%") == ["undecided"]


def test_a_limit_without_a_metric_is_about_rates_and_a_latency_is_named():
    base = pd.concat([results([10.0] * 4, metric=one) for one in ("iops", "latency")])
    new = base.assign(value=20.0, value_low=20.0, value_high=20.0)
    assert outcomes(base, new, "read > 50%") == ["failed"]
    assert outcomes(base, new, "read latency > 50%") == ["failed"]
    latencies = base[base["metric"] == "latency"]
    with pytest.raises(SdAnalysisError, match="a latency is to be named"):
        outcomes(latencies, latencies, "read > 50%")


def test_numbers_and_truth_values_name_tests_too():
    base = pd.concat([results([10.0] * 4, direct=it, iodepth=2) for it in (True, False)])
    base = pd.concat([base, results([10.0] * 4, direct=True, iodepth=32)])
    assert len(outcomes(base, base, "read direct=true < -5%")) == 2
    assert len(outcomes(base, base, "read iodepth=32 < -5%")) == 1


def test_what_was_not_read_goes_after_a_failure_and_before_an_undecided_limit(capsys, sets):
    (sets / "new").mkdir()
    (sets / "slower.log").rename(sets / "new" / "slower.log")
    cut = "10+0 records in\n10+0 records out\n100 bytes (100 B) copied, x s, y"
    (sets / "new" / "broken.log").write_text(cut, encoding="utf-8")
    for limit, code in (("write < -5%", 3), ("write < -9%", 1), ("write < -20%", 1)):
        options = ("--fail-if", limit, "--fail-undecided")
        assert ran(capsys, sets / "plain.log", sets / "new", *options)[0] == code


def test_a_limit_is_said_beside_a_file_and_beside_csv(capsys, sets):
    logs = sets / "plain.log", sets / "slower.log", "--fail-if", "write < -5%"
    for options in (("--format", "csv"), ("-o", sets / "out.md")):
        code, _, err = ran(capsys, *logs, *options)
        assert code == 3
        assert "sdanalysis compare: failed: write < -5%: write, bandwidth, dd, 1 MiB, NEW" in err
    _, document, _ = ran(capsys, *logs, "--format", "json")
    (limit,) = json.loads(document)["limits"]
    assert limit["outcome"] == "failed" and limit["high"] < -5


# --- a comment -----------------------------------------------------------------------------------


def test_a_latency_that_falls_is_faster():
    side = comparing.read(["table:host=pi-4b"])[0]
    sides = [side._replace(rows=results([it] * 4, metric="latency")) for it in (0.02, 0.01)]
    text = comparing.rendered(comparing.compare(sides), "markdown")
    assert text.startswith("NEW is faster than BASE in 1 of 1 test (read, latency)")


def test_of_many_failures_three_are_named_and_the_rest_counted():
    one = comparing.limits.Finding("a", "failed", "read", "NEW", -20.0, -22.0, -18.0, None)
    assert gate_in_words([one] * 4).endswith("; 1 more.")


def test_bandwidth_and_iops_of_one_run_are_one_test_unless_they_disagree(capsys):
    runs = [results([20e6] * 4), results([5000] * 4, metric="iops")]
    slow = [results([10e6] * 4), results([2500] * 4, metric="iops")]
    side = comparing.read(["table:host=pi-4b"])[0]
    sides = [side._replace(rows=pd.concat(rows)) for rows in (runs, slow)]
    found = comparing.compare(sides)
    text = comparing.rendered(found)
    assert text.startswith("NEW is slower than BASE in 1 of 1 test (read, bandwidth).\n")
    assert "operations a second" not in text
    assert len(found.tests) == 2 and comparing.rendered(found, "csv").count("iops") == 1
    limits = [comparing.limit(words) for words in ("read < -10%", "read iops < -10%")]
    assert [one.test for one in comparing.findings(found, limits)] == [
        "read, bandwidth, dd, 4 KiB",
        "read, iops, dd, 4 KiB",
    ]
    blocks = [slow[0], results([7500] * 4, metric="iops")]  # smaller requests
    sides[1] = side._replace(rows=pd.concat(blocks))
    text = comparing.rendered(comparing.compare(sides))
    assert text.startswith(
        "NEW is faster than BASE in 1 of 2 tests (read, iops), slower than BASE in"
    )


# --- a history -----------------------------------------------------------------------------------


def test_the_last_run_is_held_against_the_noise_between_earlier_runs():
    values = [100, 104, 98, 101]
    row = stats.compare_last(runs_of(values), runs_of([80])).iloc[0]
    logs = np.log(values)
    error = logs.std(ddof=1) * math.sqrt(1 + 1 / 4)
    half = scipy_stats.t.ppf(0.975, 3) * error
    center = math.log(80) - logs.mean()
    assert (row["low"], row["high"]) == pytest.approx((math.exp(center - half),
                                                       math.exp(center + half)))  # fmt: skip
    assert row["p"] == pytest.approx(2 * scipy_stats.t.sf(abs(center) / error, 3))
    assert (row["verdict"], row["base_n"], row["unit"]) == ("<1", 4, "earlier run")


def test_below_three_earlier_runs_there_is_no_verdict():
    row = stats.compare_last(runs_of([100, 100.1]), runs_of([10])).iloc[0]
    assert (row["verdict"], row["why"], row["needed"]) == ("~", "too_few", 3)
    assert math.isnan(row["low"])


def test_repeats_of_one_run_are_one_run():
    runs = pd.concat([runs_of([100, 104, 98]), runs_of([100, 104, 98])])
    last = runs_of([90])
    once = stats.compare_last(runs_of([100, 104, 98]), last).iloc[0]
    twice = stats.compare_last(runs, last).iloc[0]
    assert once[["base_n", "low", "high"]].tolist() == pytest.approx(
        twice[["base_n", "low", "high"]].tolist()
    )


def test_runs_that_print_alike_decide_nothing_within_their_digits():
    earlier = runs_of([95.0] * 5).assign(value_low=94.95, value_high=95.05)
    last = runs_of([94.9]).assign(value_low=94.85, value_high=94.95)
    row = stats.compare_last(earlier, last).iloc[0]
    assert (row["verdict"], row["why"]) == ("~", "within_rounding")
    slower = stats.compare_last(earlier, last.assign(value_high=90.0, value=90.0)).iloc[0]
    assert (slower["verdict"], slower["p"]) == ("<1", 0)
    assert stats.compare_last(earlier, runs_of([95.0])).iloc[0]["p"] == 1


def test_one_more_run_of_the_same_kind_is_called_different_in_one_of_twenty():
    values = np.random.default_rng(12).lognormal(4, 0.05, (6, 1000))
    tests = {"op": "read", "metric": "bandwidth", "stat": "single", "status": "measured"}
    rows = [pd.DataFrame({"block_size": range(1000), "value": run}).assign(**tests, run=str(number))
            for number, run in enumerate(values)]  # fmt: skip
    found = stats.compare_last(pd.concat(rows[:5]), rows[5], by=["block_size"])
    assert len(found) == 1000 and set(found["base_n"]) == {5}
    assert 0.03 < (found["verdict"] != "~").mean() < 0.07  # 5 %, three standard errors


def test_a_history_from_python(sets):
    earlier, last = comparing.history(sets / "runs")
    assert (len(earlier.rows), len(last.rows)) == (10, 2)
    found = comparing.compare([earlier, last], is_history=True)
    assert found.tests["verdict"].tolist() == ["<1"]


# --- docs/ci.md ----------------------------------------------------------------------------------


def fio_json(path, op, factor):
    """Write what fio prints of one job of this op, so many times as fast as the corpus."""
    document = json.loads(FIO.read_text(encoding="utf-8"))
    job = document["jobs"][0]
    job["job options"] |= {"rw": op, "numjobs": "1"}
    direction = job["write"] | {key: round(job["write"][key] * factor) for key in MOVED}
    empty = job["read"]
    job |= {"read": direction, "write": empty} if "read" in op else {"write": direction}
    document["jobs"] = [job]
    path.write_text(json.dumps(document), encoding="utf-8")


def workflows():
    return [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GUIDE, re.S)]


def commands():
    """The commands of ours in the steps of the guide."""
    workflow, steps = workflows()
    steps = [*workflow["jobs"]["storage"]["steps"], *steps]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("sdanalysis ")]


def test_the_workflow_of_the_guide_has_steps_that_github_knows():
    workflow = workflows()[0]
    steps = workflow["jobs"]["storage"]["steps"]
    assert {True, "jobs", "name", "permissions"} == set(workflow)  # `on` is true in YAML 1.1
    assert all(("uses" in step) != ("run" in step) for step in steps)
    measured = next(step["run"] for step in steps if step.get("name") == "Measure")
    assert "runs/run-$GITHUB_RUN_NUMBER" in measured


@pytest.mark.parametrize(("speed", "code"), [(1.0, 0), (0.7, 3)])
def test_the_commands_of_the_guide_are_run_on_logs(capsys, monkeypatch, tmp_path, speed, code):
    monkeypatch.chdir(tmp_path)
    for number, factor in enumerate((1, 1.02, 0.99, 1.01, 1.0, speed), 7):
        folder = tmp_path / "runs" / f"run-{number}"
        folder.mkdir(parents=True)
        for op, repeat in itertools.product(("randread", "randwrite"), (1, 2, 3)):
            times = factor if op == "randwrite" else factor**0
            fio_json(folder / f"{op}-{repeat}.json", op, times * (1 + repeat / 500 + number / 9000))
    for name, factor in (("before", 1), ("after", speed)):
        (tmp_path / name).mkdir()
        for number in range(5):
            fio_json(tmp_path / name / f"{number}.json", "randwrite", factor * (1 + number / 500))
    assert len(commands()) == 2
    for command in commands():
        assert main(command) == code
        err = capsys.readouterr().err
        assert ("failed: randwrite" in err) == (code == 3)
        assert (tmp_path / "comment.md").read_text(encoding="utf-8").startswith("**")


def test_the_exit_codes_of_the_guide_are_those_of_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    text = capsys.readouterr().out
    assert re.findall(r"^\| (\d) \|", GUIDE, re.M) == ["0", "1", "2", "3", "4"]
    assert "3 goes before 1, and 1 before 4." in text and "3 goes before 1, and 1" in GUIDE
