"""A store of logs: what is in it, whoever read them and whatever was killed on the way."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest
from many_logs import make_logs

import sdanalysis
from sdanalysis import archive
from sdanalysis.archive.chunks import Processes
from sdanalysis.cli import main
from sdanalysis.errors import SdAnalysisError

pytest.importorskip("pyarrow", reason="a store is parquet: make test-arrow has pyarrow")

from sdanalysis.archive import Way, parts

ROOT = Path(__file__).resolve().parent.parent
CHUNK = 100
FEW = Way(chunk=CHUNK)
DD = "95+1 records in\n95+1 records out\n100000000 bytes copied, {} s, {:.1f} MB/s\n"


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The 2,000 logs of the acceptance."""
    return make_logs(tmp_path_factory.mktemp("many") / "logs", 2000)


@pytest.fixture(scope="module")
def serial(logs):
    store = logs.with_name("serial")
    archive.update(store, [str(logs)], FEW)
    return store


def parts_of(store):
    """The bytes of every part by its name."""
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*/*.parquet")}


def rows_of(store):
    return archive.load(store)


def rows_in_files(store):
    """What a program finds that reads all files, and leaves out what has no path any more."""
    rows = pd.concat(map(pd.read_parquet, (store / "measurements").rglob("*.parquet")))
    kept = rows.merge(gone_from(store), how="left", on=["file", "sha256"], indicator=True)
    return kept[kept.pop("_merge") == "left_only"]


def gone_from(store):
    """The names and contents whose rows lie in a part and are shown no more."""
    known = pd.read_parquet(store / "manifest.parquet")
    return known.loc[known["path"].isna(), ["file", "sha256"]]


def dd_log(folder, name, seconds=2.0):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DD.format(seconds, 100 / seconds))
    return path


def update(store, *names, **settings):
    return archive.update(store, list(map(str, names)), **settings)


# --- the same rows, whoever reads


def test_a_store_holds_the_rows_of_parse(logs, serial):
    with pytest.warns(UserWarning, match="not wholly read"):
        expected = sdanalysis.parse(logs)
    found = sdanalysis.load(serial)
    order = ["file", "line", "column"]
    expected = expected.sort_values(order, kind="stable", ignore_index=True)
    pd.testing.assert_frame_equal(found.drop(columns="sha256"), expected)
    assert found["sha256"].str.fullmatch("[0-9a-f]{64}").all()


def test_processes_one_of_which_is_killed_make_the_same_store_byte_for_byte(logs, serial, tmp_path):
    pool, told = Processes(2), []

    def kill_once(step, done, whole):
        if step == "read" and done >= whole // 2 and not told:
            told.append("killed")
            os.kill(next(iter(pool._pool._processes)), signal.SIGKILL)

    way = Way(pool, 4, CHUNK, progress=kill_once, tell=told.append)
    update(tmp_path, logs, way=way)
    pool.shutdown()
    assert any("found that its worker died" in text for text in told)
    assert parts_of(tmp_path) == parts_of(serial)


def test_dask_workers_one_of_which_is_killed_make_the_same_store(logs, serial, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is in make test-arrow")
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        workers, killed = list(client.run(os.getpid).values()), []

        def kill_once(step, done, whole):
            if step == "read" and done >= whole // 2 and not killed:
                killed.append(workers[0])
                os.kill(workers[0], signal.SIGKILL)

        way = Way(client.get_executor(), 4, CHUNK, progress=kill_once)
        update(tmp_path / "store", logs, way=way)
        assert killed
        assert parts_of(tmp_path / "store") == parts_of(serial)
        command(logs, tmp_path / "command", "--scheduler", cluster.scheduler_address)
    assert parts_of(tmp_path / "command") == parts_of(serial)


def start(*arguments):
    given = ["archive", *map(str, arguments), "--chunk", str(CHUNK)]
    return subprocess.Popen(
        [sys.executable, "-m", "sdanalysis", *given], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )


def command(*arguments):
    process = start(*arguments)
    return process.communicate()[1], process.returncode


def test_a_command_killed_half_way_goes_on_where_it_was(logs, serial, tmp_path):
    whole = len(whole_parts(serial))
    process = start(logs, tmp_path, "--jobs", "2")
    while len(whole_parts(tmp_path)) < whole // 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(1)  # its processes end with it
    before = whole_parts(tmp_path)
    assert len(before) < whole
    printed, _ = command(logs, tmp_path, "--jobs", "2")
    assert int(re.search(r"in (\d+) new part", printed)[1]) == whole - len(before)
    assert before.items() <= whole_parts(tmp_path).items()  # none of them was made again
    assert parts_of(tmp_path) == parts_of(serial)


def whole_parts(store):
    """The inodes of the files that end a part."""
    return {path: path.stat().st_ino for path in store.glob("problems/*.parquet")}


# --- only what is new is read


def test_a_second_run_opens_nothing_and_check_opens_all(logs, serial, monkeypatch):
    before = parts_of(serial)
    with monkeypatch.context() as patched:
        patched.setattr(parts, "read_bytes", None)
        assert update(serial, logs, way=FEW).hashed == 0
    again = update(serial, logs, way=FEW, check=True)
    assert (again.hashed, again.read, again.parts) == (2000, 0, 0)
    assert parts_of(serial) == before


def test_check_finds_what_size_and_time_do_not_show(tmp_path):
    store, log = tmp_path / "store", dd_log(tmp_path / "logs", "a.log", 2.0)
    update(store, log)
    status = log.stat()
    dd_log(tmp_path / "logs", "a.log", 4.0)
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert update(store, log).read == 0
    assert update(store, log, check=True).read == 1
    assert rows_of(store)["value"].tolist() == [25_000_000.0]


def test_a_changed_log_has_its_new_rows_only_and_the_others_stay(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    for number in range(40):
        dd_log(folder, f"{number}.log", 1 + number / 8)
    update(store, folder)
    dd_log(folder, "7.log", 50.0)
    found = update(store, folder)
    assert (found.hashed, found.read) == (1, 1)
    update(tmp_path / "anew", folder)
    pd.testing.assert_frame_equal(rows_of(store), rows_of(tmp_path / "anew"))
    assert len(rows_in_files(store)) == 40  # for other readers, too
    assert gone_from(store)["file"].tolist() == [str(folder / "7.log")]  # one of forty


def test_the_same_log_twice_is_one_log_with_two_names(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    dd_log(folder, "b/second.log")
    update(store, folder)
    dd_log(folder, "a/first.log")
    assert update(store, folder).read == 0
    assert [Path(name).name for name in rows_of(store)["file"]] == ["first.log"]
    for name in ("*/first.log", "*/second.log"):
        assert len(archive.load(store, logs=[name])) == 1
    assert archive.load(store, logs=["*/third.log"]).empty


def test_samples_of_two_names_are_two_logs_for_the_name_says_what_they_are(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    folder.mkdir()
    for name in ("card_bw.1.log", "card_iops.1.log"):
        (folder / name).write_text("500, 20000, 0, 4096\n1000, 21000, 0, 4096\n")
    update(store, folder)
    assert set(rows_of(store)["metric"]) == {"bandwidth", "iops"}


def test_a_log_that_vanished_is_said_and_kept_until_it_is_pruned(tmp_path, capsys):
    store, folder = tmp_path / "store", tmp_path / "logs"
    dd_log(folder, "stays.log", 3.0)
    gone = dd_log(folder, "gone.log")
    run = ["archive", str(folder), str(store), "--jobs", "1"]
    main(run)
    gone.unlink()
    capsys.readouterr()
    assert main(run) == 0
    assert f"{gone}: note: vanished\n1 log vanished: kept; --prune" in capsys.readouterr().err
    assert len(rows_of(store)) == 2
    main([*run, "--prune"])
    assert "1 log vanished: dropped" in capsys.readouterr().err
    assert len(rows_of(store)) == 1
    assert main(run) == 0
    assert "note: vanished" not in capsys.readouterr().err


def test_a_log_outside_of_what_is_named_did_not_vanish(tmp_path):
    store = tmp_path / "store"
    for name in ("a", "b"):
        dd_log(tmp_path / name, "x.log", 3.0 if name == "a" else 4.0)
    update(store, tmp_path / "a")
    assert update(store, tmp_path / "b").gone == 0
    assert len(rows_of(store)) == 2


def test_many_small_parts_become_few(tmp_path, monkeypatch):
    monkeypatch.setattr(archive.updating, "_MANY_SMALL", 2)
    store, folder = tmp_path / "store", tmp_path / "logs"
    for number in range(24):
        dd_log(folder, f"{number}.log", 1 + number / 8)
        update(store, folder)
    assert len(rows_of(store)) == 24
    assert len(whole_parts(store)) == 1


def test_parts_stay_as_they_are_until_an_eighth_of_their_logs_is_gone(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    for number in range(320):
        dd_log(folder, f"{number:03}.log", 1 + number / 64)
    update(store, folder)
    before = whole_parts(store)
    changed = dd_log(folder, "007.log", 50.0)
    assert update(store, folder).joined == 0
    assert before.items() < whole_parts(store).items()
    assert gone_from(store)["file"].tolist() == [str(changed)]
    assert len(rows_of(store)) == len(rows_in_files(store)) == 320
    problems = pd.concat(map(pd.read_parquet, (store / "problems").rglob("*.parquet")))
    assert len(archive.problems(store)) == len(problems)  # dd's logs have none
    assert update(store, folder, compact=True).joined > 0
    assert gone_from(store).empty
    stored = pd.concat(map(pd.read_parquet, (store / "measurements").rglob("*.parquet")))
    assert len(stored) == len(rows_of(store)) == 320
    assert update(store, folder, compact=True).joined == 0


def test_problems_of_a_changed_log_are_gone_with_its_rows(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    cut = Path(ROOT / "tests/corpus/dd/no-time--uutils-0.0.17.log").read_text()
    for number in range(160):
        log = dd_log(folder, f"{number:03}.log")
        log.write_text(f"{number}\n{cut}")
    update(store, folder)
    assert set(archive.problems(store)["file"]) == {str(path) for path in folder.iterdir()}
    dd_log(folder, "007.log", 2.0)
    update(store, folder)
    assert str(folder / "007.log") not in set(archive.problems(store)["file"])


@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_to_logs_a_store_holds_what_one_made_anew_does(
    tmp_path, monkeypatch, seed
):
    """Logs come, change, get the bytes or the name of others, come back and go; runs are cut."""
    monkeypatch.setattr(archive.updating, "_MANY_SMALL", 4)
    chance = random.Random(seed)
    store, folder, aside = tmp_path / "store", tmp_path / "logs", tmp_path / "aside"
    monkeypatch.setattr(archive.updating, "_GONE", 0.7)
    for step in range(5):
        for _ in range(10):
            happens(chance, folder, aside)
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(*chance.choice(STOPS), stop)
            update(store, folder, prune=True)
        update(store, folder, prune=True, compact=step == 3)
        update(tmp_path / f"anew-{step}", folder)
        expected = rows_of(tmp_path / f"anew-{step}")
        pd.testing.assert_frame_equal(rows_of(store), expected)
        order = ["file", "line", "column"]
        found = rows_in_files(store).sort_values(order, ignore_index=True)
        columns = ["sha256", *order, "raw"]
        assert found[columns].values.tolist() == expected[columns].values.tolist()
        assert update(store, folder).read == 0


STOPS = [(parts, name) for name in ("make", "join", "sweep")]
STOPS += [(archive.manifest, "write")]


def stop(*given, **named):
    raise KeyboardInterrupt


def happens(chance, folder, aside):
    """One thing of those that happen to logs; there are few contents, so that they meet."""
    one, other = (folder / f"{chance.randrange(12):02}.log" for _ in range(2))
    content = DD.format(2, 50 + chance.randrange(20)).encode()
    there = one.exists() and other.exists() and len(list(folder.iterdir())) > 2
    what = chance.choice(["write", "copy", "rename", "swap", "remove"]) if there else "write"
    folder.mkdir(exist_ok=True)
    if what == "write":
        one.write_bytes(content)
    elif what == "copy":
        other.write_bytes(one.read_bytes())
    elif what == "rename":
        one.replace(other)
    elif what == "remove":
        one.unlink()
    elif one != other:  # as logs that rotate
        one.replace(aside)
        other.replace(one)
        aside.replace(other)


def test_a_log_that_changes_while_it_is_read_is_read_in_the_next_run(tmp_path, monkeypatch):
    store, log = tmp_path / "store", dd_log(tmp_path / "logs", "a.log", 2.0)
    read = parts.read_bytes

    def change_it(path, most):
        found = read(path, most)
        dd_log(tmp_path / "logs", "a.log", 40.0)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(parts, "read_bytes", change_it)
        update(store, log)
    assert update(store, log).read == 1
    assert rows_of(store)["value"].tolist() == [2_500_000.0]


def test_a_run_that_is_killed_between_two_parts_has_saved_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(archive.updating, "_SAVED_EVERY", 0)
    store, folder = tmp_path / "store", tmp_path / "logs"
    for number in range(30):
        dd_log(folder, f"{number:02}.log", 1 + number / 8)

    def end(step, done, whole):
        if done == 20:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        update(store, folder, way=Way(chunk=10, progress=end))
    assert len(rows_of(store)) == 10
    again = update(store, folder, way=Way(chunk=10))
    assert (again.hashed, again.parts_there, again.parts) == (20, 1, 1)


# --- what is no log, what is wrong


def test_problems_are_a_table_with_the_place_of_each(tmp_path, capsys):
    store, folder = tmp_path / "store", tmp_path / "logs"
    good = dd_log(folder, "good.log")
    cut = folder / "cut.log"
    cut.write_bytes(Path(ROOT / "tests/corpus/dd/no-time--uutils-0.0.17.log").read_bytes())
    (folder / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 80)
    assert main(["archive", str(folder), str(store), "--jobs", "1"]) == 1
    assert f"{cut}:" in capsys.readouterr().err
    found = archive.problems(store).set_index("file")
    assert found.loc[str(cut), "kind"] == "error"
    assert found.loc[str(cut), "line"] > 0
    assert found.loc[str(folder / "picture.jpg"), "kind"] == "note"
    assert str(good) not in found.index
    assert main(["archive", str(folder), str(store), "--jobs", "1"]) == 0  # nothing new


def test_a_binary_file_that_is_named_is_an_error_and_a_link_to_nothing_a_note(tmp_path, capsys):
    store, folder = tmp_path / "store", tmp_path / "logs"
    dd_log(folder, "good.log")
    (folder / "gone.log").symlink_to("nothing")
    pictures = [tmp_path / "a.png", tmp_path / "b.png"]  # control codes; no more than no benchmark
    pictures[0].write_bytes(b"\x89PNG" + bytes(range(32)) * 80)
    pictures[1].write_bytes(b"\x89PNG" + bytes(range(128, 256)) * 80)
    assert main(["archive", *map(str, pictures), str(folder), str(store), "--jobs", "1"]) == 1
    said = capsys.readouterr().err
    assert f"{pictures[0]}:1: found binary data" in said
    assert f"{pictures[1]}:1: found no benchmark" in said
    assert f"{folder / 'gone.log'}: note: not read, for it is a link" in said
    assert set(archive.problems(store)["kind"]) == {"error"}
    assert len(rows_of(store)) == 1


def test_include_chooses_and_the_store_may_lie_among_the_logs(tmp_path):
    dd_log(tmp_path, "a.log")
    dd_log(tmp_path, "b.txt", 3.0)
    found = update(tmp_path / "store", tmp_path, include=["*.log"])
    assert (found.seen, len(rows_of(tmp_path / "store"))) == (1, 1)
    assert update(tmp_path / "store", tmp_path).seen == 2


def test_a_name_that_is_not_utf_8_is_kept(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    name = os.fsencode(str(folder)) + b"/card\xff.log"
    Path(os.fsdecode(name)).write_text(DD.format(2.0, 50.0))
    update(tmp_path / "store", folder)
    assert update(tmp_path / "store", folder).hashed == 0
    assert rows_of(tmp_path / "store")["file"].str.endswith(r"card\udcff.log").all()


def test_two_commands_do_not_write_one_store_at_once(tmp_path):
    store, log = tmp_path / "store", dd_log(tmp_path, "a.log")
    update(store, log)
    with (
        archive.manifest.alone(store),
        pytest.raises(SdAnalysisError, match="another command writes it"),
    ):
        update(store, log)
    assert update(store, log).seen == 1


def test_a_manifest_of_another_kind_and_a_folder_that_is_no_store_are_refused(tmp_path):
    with pytest.raises(SdAnalysisError, match=r"found no manifest\.parquet in it, expected a"):
        archive.load(tmp_path)
    update(tmp_path / "store", dd_log(tmp_path, "a.log"))
    for content in (b"", b"no parquet"):
        (tmp_path / "store/manifest.parquet").write_bytes(content)
        with pytest.raises(SdAnalysisError, match="found no manifest that can be read"):
            archive.load(tmp_path / "store")


FULL = """
import resource, signal, sys
from sdanalysis.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_is_an_error_with_the_path_and_leaves_the_store(tmp_path):
    store, folder = tmp_path / "store", tmp_path / "logs"
    dd_log(folder, "a.log")
    update(store, folder)
    dd_log(folder, "b.log", 3.0)
    command = [sys.executable, "-c", FULL, "archive", str(folder), str(store), "--jobs", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 1
    assert re.search(rf"{re.escape(str(store))}/\S+: found File too large", ended.stderr)
    assert "Traceback" not in ended.stderr
    assert len(rows_of(store)) == 1


def test_a_folder_of_logs_does_not_become_a_store(tmp_path, capsys):
    log = dd_log(tmp_path / "logs", "a.log")
    dd_log(tmp_path / "more", "b.log")
    assert main(["archive", str(tmp_path / "logs"), str(tmp_path / "more")]) == 1
    assert "more: found b.log and no manifest.parquet in it" in capsys.readouterr().err
    assert main(["archive", str(log), str(log)]) == 1
    assert "a.log: found File exists, expected a folder" in capsys.readouterr().err


def test_a_scheduler_that_does_not_answer_is_said_before_anything_is_read(tmp_path, capsys):
    pytest.importorskip("distributed", reason="Dask is in make test-arrow")
    log = dd_log(tmp_path, "a.log")
    run = ["archive", str(log), str(tmp_path / "store"), "--scheduler", "nowhere"]
    assert main(run) == 1
    assert "nowhere: found no Dask scheduler" in capsys.readouterr().err


# --- readers


def test_a_store_is_read_by_columns_and_filters(serial):
    wanted = {"columns": ["tool", "op", "value"], "filters": [("tool", "=", "fio")]}
    found = sdanalysis.load(serial, **wanted)
    everything = rows_of(serial)
    assert list(found) == wanted["columns"]
    expected = everything[everything["tool"] == "fio"][wanted["columns"]]
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True))
    with pytest.raises(SdAnalysisError, match="found the column 'speed', expected one of file"):
        sdanalysis.load(serial, columns=["speed"])
    with pytest.raises(SdAnalysisError, match="expected a store"):
        sdanalysis.load(columns=["tool"])


def test_compare_takes_logs_of_a_store_by_any_of_their_names(tmp_path, capsys):
    store, folder = tmp_path / "store", tmp_path / "logs"
    for number in range(8):
        dd_log(folder, f"run-1/{number}.log", 2 + number / 64)
        dd_log(folder, f"run-2/{number}.log", 4 + number / 64)
    update(store, folder)
    sets = [f"store:tool=dd,file=*/run-{number}/*" for number in (1, 2)]
    assert main(["compare", *sets, "--store", str(store), "--format", "csv"]) == 0
    from_store = capsys.readouterr().out
    assert main(["compare", *(str(folder / f"run-{n}") for n in (1, 2)), "--format", "csv"]) == 0
    from_logs = capsys.readouterr().out
    assert from_store.count("\n") == from_logs.count("\n") == 2
    assert from_store.split(",")[-8:] == from_logs.split(",")[-8:]
    assert main(["compare", "store:file=*/run-3/*", sets[0], "--store", str(store)]) == 1
    assert "found no log named */run-3/*" in capsys.readouterr().err
    assert main(["compare", *sets]) == 2
    assert "expected --store DIR" in capsys.readouterr().err


def test_without_pyarrow_it_is_asked_for_before_anything_is_read(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["archive", str(ROOT / "tests/corpus"), str(tmp_path / "store")]) == 1
    assert "pip install 'sd-card-analysis[parquet]'" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()


def test_progress_has_rate_and_time_left_on_a_terminal_and_is_quiet_in_a_pipe(
    logs, tmp_path, capsys, monkeypatch
):
    run = ["archive", str(logs / "run-0"), str(tmp_path / "store"), "--jobs", "1", "--chunk", "20"]
    main(run)
    assert "reading: " not in capsys.readouterr().err
    shutil.rmtree(tmp_path / "store")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    main(run)
    assert re.search(r"reading: \d+ of \d+ logs, [\d,]+/s, \d+ s left", capsys.readouterr().err)
