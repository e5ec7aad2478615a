"""A session on a medium of known speed ends in the figures of that speed (`make rig`).

`ground.py` says on which ground; the heading of the run names it. Of three runs the one nearest to
the limit counts: a busy machine is slower, and a limit gives credit for idle moments. What no run
of a session meets is measured again, twice at most: whether this machine was busy is no finding.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ground import IOPS, READ_BPS, WRITE_BPS, chosen, loop, medium
from played import Bench

import sdanalysis
from sdanalysis import my_card
from sdanalysis.bench.journal import Journal

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests" / "players" / "runner.py"
GROUNDS = chosen()
TOLERANCE = 0.05
# of a session that is ended in its second step: dd alone, of the tools, takes one step a run
RUNS = "1" if shutil.which("hdparm") or shutil.which("iozone") else "2"


def bench(folder, session, *words, **environment):
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "SMALL": "1", **environment}
    command = [sys.executable, RUNNER, folder, "-o", session, "--any-medium", *words]
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=300, check=False
    )


def nearest(runs, rates):
    """Return of each figure the run that is nearest to its limit."""
    return {key: min(runs[key], key=lambda value: abs(value - rates[key])) for key in rates}


def runs_of(session):
    rows = sdanalysis.parse(session)
    rows = rows[(rows["metric"] == "bandwidth") & (rows["status"] == "measured")]
    return rows.groupby(["tool", "op"])["value"].agg(list).to_dict()


def measured(name, folder, rates, kind, *words):
    """Run sessions until each figure has a run that is as fast as the medium; return the last."""
    runs = {key: [] for key in rates}
    for number in range(3):
        (place := folder / str(number)).mkdir()
        with medium(name, place, kind) as (mounted, environment):
            ended = bench(mounted, place / "s", "--runs", "3", *words, **environment)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        for key, values in runs_of(place / "s").items():
            runs.setdefault(key, []).extend(values)
        found = nearest(runs, rates)
        tell(name, found, rates)
        if found == pytest.approx(rates, rel=TOLERANCE):
            break
    assert found == pytest.approx(rates, rel=TOLERANCE)
    return place / "s"


def expected(tool):
    rates = {way: 4096 * count for way, count in IOPS.items()}
    ops = ("write", "rewrite", "randwrite", "read", "reread", "randread")
    if tool == "fio":  # its rewrite is a write, its reread a read
        ops = ("write", "randwrite", "read", "randread")
    return {(tool, op): rates["write" if "write" in op else "read"] for op in ops}


@pytest.mark.parametrize("tool", ["iozone", "fio"])
@pytest.mark.parametrize("name", GROUNDS)
def test_small_blocks_are_as_fast_as_the_medium(name, tool, tmp_path):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    words = ["--with-fio-for-iozone"] if tool == "fio" else []
    session = measured(name, tmp_path, expected(tool), "small", *words)
    check_mine(name, session, tool)


def check_mine(name, session, tool):
    """Check what a user sees in the end: the means of all runs, which load slows down."""
    card = my_card.read(session)
    found = card.figures.set_index(["tool", "op"])["value"]
    tell(f"mine, {name}", found, expected(tool))
    for key, rate in expected(tool).items():
        assert 0.5 < found[key] / rate < 1 + 2 * TOLERANCE
    if name == "loop":
        assert "did not measure the card itself, but /dev/loop" in " ".join(card.warnings)


@pytest.mark.parametrize("name", GROUNDS)
def test_large_blocks_are_as_fast_as_the_medium(name, tmp_path):
    rates = {("dd", "write"): WRITE_BPS}
    if name == "loop" and shutil.which("hdparm"):
        rates["hdparm", "read"] = READ_BPS
    measured(name, tmp_path, rates, "large")


def tell(name, found, rates):
    for key, rate in rates.items():
        share = found[key] / rate - 1
        limit, value = rate / 1e6, found[key] / 1e6
        print(f"{name}: {' '.join(key)}: limit {limit:.2f} MB/s, found {value:.2f} ({share:+.1%})")


@pytest.mark.skipif("loop" not in GROUNDS, reason="needs root, a loop device and blkio")
def test_a_frozen_file_system_ends_the_session_and_the_next_one_goes_on(tmp_path):
    with medium("loop", tmp_path, "large") as (folder, _):
        process = start_and_wait(folder, tmp_path / "s")
        subprocess.run(["fsfreeze", "--freeze", folder], check=True)
        try:
            out, err = process.communicate(timeout=120)
        finally:
            subprocess.run(["fsfreeze", "--unfreeze", folder], check=True)
            process.kill()
        assert process.returncode == 4, out + err
        again = bench(folder, tmp_path / "s", "--runs", RUNS)
        assert again.returncode == 0, again.stderr
        assert [path.name for path in folder.iterdir()] == ["lost+found"]
    assert (tmp_path / "s" / "complete.json").exists()


def start_and_wait(folder, session):
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "SMALL": "1", "LIMIT": "15"}
    process = subprocess.Popen(
        [sys.executable, RUNNER, folder, "-o", session, "--any-medium", "--runs", RUNS],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    journal = Journal(session / "journal.jsonl")
    while not any(event["event"] == "start" and event["step"] == 2 for event in journal.events()):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.05)
    return process


@pytest.mark.skipif("loop" not in GROUNDS, reason="needs root, a loop device and blkio")
def test_a_medium_that_is_pulled_out_ends_the_session_with_what_was_measured(tmp_path):
    with medium("loop", tmp_path, "large") as (folder, _):
        process = start_and_wait(folder, tmp_path / "s")
        subprocess.run([sys.executable, Path(__file__).parent / "gone.py", folder], check=True)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 4, out + err
    assert not (tmp_path / "s" / "complete.json").exists()


@pytest.mark.skipif("loop" not in GROUNDS, reason="needs root, a loop device and blkio")
def test_a_medium_that_is_too_small_is_refused_and_one_that_fills_up_fails_the_step_alone(tmp_path):
    with loop("64M") as (folder, _):
        refused = bench(folder, tmp_path / "s", "--runs", "1")
        assert (refused.returncode, "MiB free, expected" in refused.stderr) == (2, True)
        assert not (tmp_path / "s").exists()
        ended = bench(folder, tmp_path / "s", "--runs", "1", UNCHECKED="1")
        assert ended.returncode == 3, ended.stdout + ended.stderr
        assert [path.name for path in folder.iterdir()] == ["lost+found"]
    (failed,) = (tmp_path / "s" / "logs").glob("*-dd.failed.log")
    assert "No space left on device" in failed.read_text()
    if shutil.which("iozone"):
        assert ("iozone", "write") in runs_of(tmp_path / "s")


def test_a_session_with_players_ends_in_what_they_printed(tmp_path):
    made = Bench(tmp_path)
    assert made.run("--runs", "3")[0] == 0
    rows = sdanalysis.parse(made.session)
    assert rows.groupby("tool")["repeat"].max().to_dict() == {"dd": 3, "hdparm": 3, "iozone": 3}
    assert rows.query("tool == 'hdparm'")["value"].nunique() == 1
