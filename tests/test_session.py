"""A session of `sdanalysis bench` is read as any log; what failed is no result."""

import json
import pickle
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from played import CORPUS, ROOT, Bench, recorded

import sdanalysis
from sdanalysis import comparing, my_card
from sdanalysis.cli import main
from sdanalysis.cli.bench import _complete as complete
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.many import read_logs
from sdanalysis.logs.read import read_log
from sdanalysis.paths import LeftOut, expand

CID = "035344534833324780c4b5a6f201339d"
ASKED = ("--label", "SanDisk Extreme 32 GB", "--host", "pi-4b", "--reader", "slot")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A session of two runs whose first hdparm failed, on a card in a slot."""
    bench = Bench(tmp_path_factory.mktemp("made"))
    assert bench.run("--runs", "2", *ASKED, PLAY_HDPARM="fail")[0] == 3
    (bench.session / "logs" / "05-run2-hdparm.log.part").write_text("$ hdparm")
    about = (bench.session / "session.toml").read_text()
    about = about.replace("/dev/null", "/dev/mmcblk0").replace(
        "flags = []", 'flags = ["indirect: x"]'
    )
    about = about.replace('medium = "direct"', 'medium = "indirect"')
    (bench.session / "session.toml").write_text(about)
    (bench.session / "facts" / "card.txt").write_text(f"cid: {CID}\nname: SH32G\n")
    return bench.session


@pytest.fixture
def session(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "s"))


def test_of_a_session_the_logs_of_steps_that_ended_well_are_read_and_the_others_named(session):
    found = expand([str(session)])
    names = {Path(path).name: getattr(path, "why", None) for path in found}
    assert names == {
        "01-run1-hdparm.failed.log": "its step did not end well",
        "02-run1-dd.log": None, "03-run1-iozone.log": None,
        "04-run2-hdparm.failed.log": "its step did not end well",
        "05-run2-dd.log": None, "05-run2-hdparm.log.part": "its step was cut short, or is at work",
        "06-run2-iozone.log": None,
    }  # fmt: skip
    assert [Path(path) for path in expand([str(session / "logs")])] == [Path(p) for p in found]
    assert [Path(path) for path in expand([str(session.parent)])] == [Path(p) for p in found]


def test_a_log_that_is_left_out_crosses_to_another_process():
    left = pickle.loads(pickle.dumps(LeftOut("a.log", "of a reason")))
    assert (left, left.why, type(left)) == ("a.log", "of a reason", LeftOut)


def test_the_repeat_is_the_run_and_command_and_function_give_the_same_rows(session, capsys):
    rows = sdanalysis.parse(session)
    assert rows.groupby("tool")["repeat"].unique().map(list).to_dict() == {
        "dd": [1, 2], "iozone": [1, 2],
    }  # fmt: skip
    assert set(rows["status"]) == {"measured"}
    assert main(["parse", str(session), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["repeat"] for line in out.splitlines()] == list(rows["repeat"])
    assert err.count("note: not read, for its step") == err.count("\n") == 3


def test_what_bench_tells_of_a_session_ends_in_a_table_of_its_tests(session, capsys):
    complete(session, print, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert "2 runs on each side decide nothing: below 4 no order of the results is rare." in lines
    assert "test                               runs  spread  for 10 %  by all cards" in lines
    assert "sequential write, 8 KiB, dd           2   0.0 %         4            15" in lines
    assert lines[-1] == f"{'as rows:':<24} sdanalysis parse {session} -o s.csv"


def test_what_several_jobs_of_a_run_repeat_counts_on_from_run_to_run(session):
    log = session / "logs" / "02-run1-dd.log"
    twice = log.read_text() + recorded("dd").replace("1.28268", "1.28412")
    for run in (1, 2):
        (session / "logs" / f"0{3 * run - 1}-run{run}-dd.log").write_text(twice)
    assert len(sdanalysis.parse(session).query("tool == 'dd'")) == 4


def flagged(session, log, *flags):
    journal = session / "journal.jsonl"
    text = json.dumps({"event": "done", "log": log, "flags": flags})
    journal.write_text(f"{journal.read_text()}{text}\nhalf a li")


def test_a_flagged_step_marks_its_rows(session):
    flagged(session, "03-run1-iozone.log", "busy: other programs took 2.0 processors")
    rows = sdanalysis.parse(session)
    marked = rows[rows["remarks"] == "flagged-step"]
    assert set(marked["file"].map(lambda name: Path(name).name)) == {"03-run1-iozone.log"}


def test_mine_takes_card_computer_and_label_from_the_session_and_withholds_the_serial(
    session, capsys
):
    flagged(session, "03-run1-iozone.log", "busy: other programs took 2.0 processors")
    card = my_card.read(session)
    assert (card.setting.host, card.setting.reader, card.name.label) == ("pi-4b", "slot", ASKED[1])
    said = " ".join(card.notes)
    assert "did not measure the card itself, but x." in " ".join(card.warnings)
    assert "1 step of 4 ran while something changed or others worked: busy (1)" in said
    assert "3 logs of steps that failed: left out" in said
    identity = card.identity().set_index("name")["value"]
    assert identity["product name"] == "SH32G"
    assert identity["serial number"].startswith("withheld")
    assert identity["medium"] == "indirect: x"
    assert main(["mine", str(session), "-o", str(session / "card.html")]) == 0
    page = capsys.readouterr().out + (session / "card.html").read_text()
    assert "80c4b5a6" not in page
    assert my_card.read(session, host="pi-3b").setting.host == "pi-3b"


def test_sessions_of_two_computers_are_refused_and_those_of_two_cards_told(session, tmp_path):
    other = Path(shutil.copytree(session, tmp_path / "other"))
    about = (other / "session.toml").read_text()
    (other / "session.toml").write_text(re.sub(r'identity = "\w+"', 'identity = "ff"', about))
    card = my_card.read([session, other])
    assert "The sessions are of different media" in " ".join(card.answer)
    (other / "session.toml").write_text(about.replace("pi-4b", "pi-3b"))
    with pytest.raises(SdAnalysisError, match="sessions with 'pi-4b' and 'pi-3b' as their host"):
        my_card.read([session, other])


def test_compare_has_label_host_and_reader_of_a_session_and_what_is_given_wins(session):
    (one,) = comparing.read([session])
    assert {name: set(one.rows[name]) for name in ("label", "host", "reader")} == {
        "label": {ASKED[1]}, "host": {"pi-4b"}, "reader": {"slot"},
    }  # fmt: skip
    (one,) = comparing.read([session], ["reader=usb"])
    assert set(one.rows["reader"]) == {"usb"}


def test_a_session_becomes_a_source_of_ones_own(session, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-source", "my-card", "--raw", "mine", "--from-log", str(session)]) == 0
    declared = tmp_path / "mine" / "my-card" / "source.toml"
    found = tomllib.loads(declared.read_text())
    assert found["given"]["label"] == ASKED[1]
    assert (found["given"]["host"], found["given"]["reader"]) == ("pi-4b", "slot")
    assert [(file["path"], file.get("given")) for file in found["file"]] == [
        ("02-run1-dd.log", None), ("03-run1-iozone.log", None),
        ("05-run2-dd.log", {"repeat": 2}), ("06-run2-iozone.log", {"repeat": 2}),
    ]  # fmt: skip
    for path in (declared, declared.parent.parent / "media.toml"):
        path.write_text(re.sub(r'"FILL IN[^"]*"', '"us"', path.read_text()))
    media = declared.parent.parent / "media.toml"
    media.write_text(re.sub(r'id = "us"', 'id = "us/my-card"', media.read_text()))
    assert main(["build", "--raw", "mine"]) == 0, capsys.readouterr().err
    built = sdanalysis.load("mine/measurements.csv")
    assert sorted(built["repeat"].unique()) == [1, 2]
    assert main(["new-source", "x", "--raw", "mine", "--from-log", str(tmp_path / "mine")]) == 1
    assert "expected a log or the folder of a session" in capsys.readouterr().err


def test_a_store_holds_what_parse_reads_of_a_session(session, tmp_path, capsys):
    pytest.importorskip("pyarrow", reason="a store is written with it")
    assert main(["archive", str(session), str(tmp_path / "store")]) == 0, capsys.readouterr().err
    kept = sdanalysis.load(tmp_path / "store")
    names = kept["file"].map(lambda name: Path(name).name)
    rows = sdanalysis.parse(session)
    assert sorted(zip(names, kept["repeat"], kept["status"], strict=True)) == sorted(
        zip(
            rows["file"].map(lambda name: Path(name).name),
            rows["repeat"],
            rows["status"],
            strict=True,
        )
    )


def test_a_session_whose_files_are_damaged_is_read_without_what_they_say(session):
    (session / "session.toml").write_text("label = [")
    (session / "facts" / "card.txt").unlink()
    rows = sdanalysis.parse(session)
    assert set(rows["repeat"]) == {1, 2}
    assert my_card.read(session).setting.host is None


# --- exit statuses ----------------------------------------


@pytest.mark.parametrize("tool", ["dd", "fio", "hdparm", "iozone", "ddrescue"])
def test_what_a_command_printed_that_failed_is_no_result(tool, tmp_path):
    screens = CORPUS / "ddrescue" / "file-to-file--1.27.log"
    text = screens.read_text() if tool == "ddrescue" else recorded(tool)
    for status, words in {"0": {"measured"}, "1": {"error"}, "-9": {"interrupted"}}.items():
        log = tmp_path / f"{tool}{status}.log"
        log.write_text(f"{text.rstrip()}\nexit status: {status}\nseconds: 1.20\n")
        whole = {row.status for row in read_log(str(log)).measurements}
        assert whole & {"measured", "error", "interrupted"} == words
        frame, problems = read_logs([str(log)])
        assert set(frame["status"]) == whole
        notes = [problem for problem in read_log(str(log)).problems if "exit" in problem.text]
        assert not notes
        assert not [problem for _, problem in problems if problem.kind != "note"]


def test_an_exit_status_speaks_of_its_own_command_alone(tmp_path):
    log = tmp_path / "by-hand.log"
    part = recorded("hdparm").strip()
    log.write_text(
        f"$ hdparm -t /dev/sda\n{part}\nexit status: 0\n"
        f"root@pi:~# hdparm -t /dev/sda\n{part}\n"
        f"pi@pi:~ $ hdparm -t /dev/sda\n{part}\nexit status: 5\n$ hdparm -t /dev/sda\n{part}\n"
    )
    found = [row.status for row in read_log(str(log)).measurements]
    assert found == ["measured", "measured", "error", "measured"]


def test_a_long_table_of_a_command_that_failed_is_no_result_either(tmp_path):
    head = "        kB  reclen    write  rewrite    read    reread\n"
    table = "".join(f"{4 * n:10d}       4{900 + n:9d}{800 + n:9d}{700 + n:9d}{600 + n:9d}\n"
                    for n in range(1, 700))  # fmt: skip
    log = tmp_path / "long.log"
    log.write_text(f"{head}{table}exit status: 74\n")
    frame, _ = read_logs([str(log)])
    assert (set(frame["status"]), len(frame)) == ({"error"}, 4 * 699)


# --- one file, and the end of a run ----------------------------------------


def test_one_file_runs_on_a_python_that_has_nothing_else(tmp_path):
    made = subprocess.run(
        ["make", "-C", ROOT, "-s", "zipapp", f"BUILD={tmp_path}", f"PYTHON={sys.executable}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    file = tmp_path / "sdanalysis-bench.pyz"
    assert str(file) in made.stdout
    alone = [sys.executable, "-I", "-S", str(file)]
    said = subprocess.run([*alone, "--help"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("usage: python3 sdanalysis-bench.pyz [-h]")
    refused = subprocess.run([*alone, "/dev/shm"], capture_output=True, text=True, check=False)
    assert (refused.returncode, "expected a file system on a medium" in refused.stderr) == (2, True)


def test_a_whole_session_ends_with_the_answer_of_mine_and_what_its_runs_decide(made, capsys):
    from sdanalysis.cli.bench import _complete, _figures

    _complete(made, print, as_json=False)
    out = capsys.readouterr().out
    assert my_card.read(made).answer[0].split()[:4] == out.split()[:4]
    assert "2 runs on each side decide nothing: below 4" in out
    assert re.search(
        r"^all of it, as a page: +sdanalysis mine \S+ -o made.html$|-o s.html$", out, re.M
    )
    events = []
    _complete(made, lambda event, **known: events.append((event, known)), as_json=True)
    ((event, known),) = events
    assert event == "answer"
    assert json.loads(json.dumps(known)) == known
    assert {row["needed"] for row in known["runs"]} == {4}
    assert _figures(made / "logs" / "02-run1-dd.log").endswith("MB/s")
