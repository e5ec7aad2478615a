"""A store of logs: what is in it, whoever read them and whatever was killed on the way."""

import os
import random
import re
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

pytest.importorskip("pyarrow", reason="a store is parquet: `make test` runs this beside")

from sdanalysis.archive import Way, parts

ROOT = Path(__file__).resolve().parent.parent
CHUNK, LOGS = 50, 600
FEW = Way(chunk=CHUNK)
DD = "95+1 records in\n95+1 records out\n100000000 bytes copied, {} s, {:.1f} MB/s\n"
CUT = (ROOT / "tests/corpus/dd/no-time--uutils-0.0.17.log").read_text()  # an error


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return make_logs(tmp_path_factory.mktemp("many") / "logs", LOGS)


@pytest.fixture(scope="module")
def serial(logs):
    update(logs.with_name("serial"), logs, way=FEW)
    return logs.with_name("serial")


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "logs"


def parts_of(store):
    """The bytes of every part by its name."""
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*/*.parquet")}


def rows_in_files(store, folder="measurements"):
    """What a program finds that reads all files, and what the manifest shows of that."""
    rows = pd.concat(map(pd.read_parquet, (store / folder).glob("*.parquet")))
    known = pd.read_parquet(store / "manifest.parquet")[["part", "sha256", "file"]]
    return rows, rows.merge(known.drop_duplicates())


def whole_parts(store):
    """The inodes of the files that end a part."""
    return {path: path.stat().st_ino for path in store.glob("problems/*.parquet")}


def dd_log(folder, name, seconds=2.0, text=""):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or DD.format(seconds, 100 / seconds))
    return path


def dd_logs(folder, count):
    return [dd_log(folder, f"{number:03}.log", 1 + number / 64) for number in range(count)]


def update(store, *names, **settings):
    return archive.update(store, list(map(str, names)), **settings)


def run(folder, store, *options):
    return main(["archive", str(folder), str(store), "--jobs", "1", *options])


# --- the same rows, whoever reads


def test_a_store_holds_the_rows_of_parse_and_is_read_by_columns_and_filters(logs, serial):
    with pytest.warns(UserWarning, match="not wholly read"):
        expected = sdanalysis.parse(logs)
    found = sdanalysis.load(serial)
    order = ["file", "line", "column"]
    expected = expected.sort_values(order, kind="stable", ignore_index=True)
    pd.testing.assert_frame_equal(found.drop(columns="sha256"), expected)
    assert found["sha256"].str.fullmatch("[0-9a-f]{64}").all()
    wanted = {"columns": ["tool", "op", "value"], "filters": [("tool", "=", "fio")]}
    expected = expected.query("tool == 'fio'")[wanted["columns"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(sdanalysis.load(serial, **wanted), expected)
    with pytest.raises(SdAnalysisError, match="found the column 'speed', expected one of file"):
        sdanalysis.load(serial, columns=["speed"])
    with pytest.raises(SdAnalysisError, match="expected a store"):
        sdanalysis.load(columns=["tool"])


def kills_once(worker, killed):
    """What ends a worker when half of the logs are read."""

    def progress(step, done, whole):
        if step == "read" and done >= whole // 2 and not killed:
            killed.append(worker())
            os.kill(killed[0], signal.SIGKILL)

    return progress


def test_processes_one_of_which_is_killed_make_the_same_store_byte_for_byte(logs, serial, store):
    told = []
    with Processes(2) as pool:
        progress = kills_once(lambda: next(iter(pool._pool._processes)), [])
        update(store, logs, way=Way(pool, 4, CHUNK, progress=progress, tell=told.append))
    assert any("found that its worker died" in text for text in told)
    assert parts_of(store) == parts_of(serial)


def test_dask_workers_one_of_which_is_killed_make_the_same_store(logs, serial, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is in make test-arrow")
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        workers, killed = list(client.run(os.getpid).values()), []
        way = Way(client.get_executor(), 4, CHUNK, progress=kills_once(workers.pop, killed))
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


def test_a_command_killed_half_way_goes_on_where_it_was(logs, serial, store):
    process = start(logs, store, "--jobs", "2")
    while len(whole_parts(store)) < LOGS // CHUNK // 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(1)  # its processes end with it
    assert not list(store.rglob(".*"))
    before = whole_parts(store)
    printed, _ = command(logs, store, "--jobs", "2")
    new = len(whole_parts(serial)) - len(before)
    assert new > 0
    assert f"in {new} new part" in printed
    assert before.items() <= whole_parts(store).items()  # none of them was made again
    assert parts_of(store) == parts_of(serial)


def test_a_command_that_is_asked_to_end_ends_its_processes_and_says_nothing(logs, store):
    process = start(logs, store, "--jobs", "2")
    while not whole_parts(store):
        time.sleep(0.01)
    process.terminate()
    assert process.communicate() == (None, "")
    assert process.returncode == 128 + signal.SIGTERM
    assert not list(store.rglob(".*"))


# --- only what is new is read


def test_a_second_run_opens_nothing_and_check_opens_all(logs, serial, monkeypatch):
    before = parts_of(serial)
    with monkeypatch.context() as patched:
        patched.setattr(parts, "read_bytes", None)
        assert update(serial, logs, way=FEW).hashed == 0
    again = update(serial, logs, way=FEW, check=True)
    assert (again.hashed, again.read, again.parts) == (LOGS, 0, 0)
    assert parts_of(serial) == before


def test_check_finds_what_size_and_time_do_not_show(store, folder):
    log = dd_log(folder, "a.log", 2.0)
    update(store, log)
    status = log.stat()
    dd_log(folder, "a.log", 4.0)
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert update(store, log).read == 0
    assert update(store, log, check=True).read == 1
    assert archive.load(store)["value"].tolist() == [25_000_000.0]


def test_the_same_log_twice_is_one_log_with_two_names(store, folder):
    dd_log(folder, "b/second.log")
    update(store, folder)
    dd_log(folder, "a/first.log")
    assert update(store, folder).read == 0
    assert [Path(name).name for name in archive.load(store)["file"]] == ["first.log"]
    for name in ("*/first.log", "*/second.log"):
        assert len(archive.load(store, logs=[name])) == 1
    assert archive.load(store, logs=["*/third.log"]).empty


def test_samples_of_two_names_are_two_logs_for_the_name_says_what_they_are(store, folder):
    for name in ("card_bw.1.log", "card_iops.1.log"):
        dd_log(folder, name, text="500, 20000, 0, 4096\n1000, 21000, 0, 4096\n")
    update(store, folder)
    assert set(archive.load(store)["metric"]) == {"bandwidth", "iops"}


def test_a_log_that_vanished_is_reported_and_stays_until_it_is_pruned(store, folder, capsys):
    dd_log(folder, "stays.log", 3.0)
    gone = dd_log(folder, "gone.log")
    run(folder, store)
    gone.unlink()
    for options, text, rows in (
        ([], f"{gone}: note: vanished\n1 log vanished: kept; --prune", 2),
        (["--prune"], "1 log vanished: dropped", 1),
        ([], f"{store}: 1 logs seen, 0 new or changed", 1),
    ):
        capsys.readouterr()
        assert run(folder, store, *options) == 0
        assert text in capsys.readouterr().err
        assert len(archive.load(store)) == rows


def test_a_log_outside_of_what_is_named_did_not_vanish(store, folder):
    for name, seconds in {"a": 3.0, "b": 4.0}.items():
        dd_log(folder / name, "x.log", seconds)
        assert update(store, folder / name).gone == 0
    assert len(archive.load(store)) == 2


def test_many_small_parts_become_few(store, folder, monkeypatch):
    monkeypatch.setattr(archive.updating, "_MANY_SMALL", 4)
    for number in range(8):
        dd_log(folder, f"{number}.log", 1 + number / 8)
        update(store, folder)
        assert len(whole_parts(store)) == 1 + number % 3
    assert len(archive.load(store)) == 8


def test_parts_stay_as_they_are_until_an_eighth_of_their_logs_is_gone(store, folder):
    logs = dd_logs(folder, 320)
    dd_log(folder, "007.log", text=CUT)
    update(store, folder)
    before = whole_parts(store)
    for log in logs[:39]:
        dd_log(folder, log.name, 50 + int(log.stem) / 64)
    assert update(store, folder).joined == 0
    assert before.items() < whole_parts(store).items()
    rows, shown = rows_in_files(store)
    assert (len(rows), len(shown), len(archive.load(store))) == (319 + 39, 320, 320)
    assert archive.problems(store).empty
    assert [len(rows) for rows in rows_in_files(store, "problems")] == [1, 0]
    dd_log(folder, "039.log", 60.0)
    assert update(store, folder).joined == 280
    assert [len(rows) for rows in rows_in_files(store)] == [320, 320]
    dd_log(folder, "040.log", 61.0)
    assert update(store, folder, compact=True).joined == 279
    assert [len(rows) for rows in rows_in_files(store)] == [320, 320]
    assert update(store, folder, compact=True).joined == 0


@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_to_logs_a_store_holds_what_one_made_anew_does(
    tmp_path, store, folder, monkeypatch, seed
):
    """Logs come, change, get the bytes or the name of others, come back and go; runs are cut."""
    monkeypatch.setattr(archive.updating, "_MANY_SMALL", 4)
    monkeypatch.setattr(archive.updating, "_GONE", 0.7)
    chance = random.Random(seed)
    stops = [(parts, name) for name in ("make", "join", "sweep")] + [(archive.manifest, "write")]
    for step in range(5):
        for _ in range(10):
            happens(chance, folder, tmp_path / "aside")
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(*chance.choice(stops), stop)
            update(store, folder, prune=True)
        update(store, folder, prune=True, compact=step == 3)
        update(tmp_path / f"anew-{step}", folder)
        expected = archive.load(tmp_path / f"anew-{step}")
        pd.testing.assert_frame_equal(archive.load(store), expected)
        order = ["file", "line", "column"]
        found = rows_in_files(store)[1].sort_values(order, ignore_index=True)
        columns = ["sha256", *order, "raw"]
        assert found[columns].values.tolist() == expected[columns].values.tolist()
        assert update(store, folder).read == 0


def stop(*given, **named):
    raise KeyboardInterrupt


def happens(chance, folder, aside):
    """One thing of those that happen to logs; there are few contents, so that they meet."""
    folder.mkdir(exist_ok=True)
    log, other = (folder / f"{chance.randrange(12):02}.log" for _ in range(2))
    there = log.exists() and other.exists() and len(list(folder.iterdir())) > 2
    what = chance.choice(["write", "copy", "rename", "swap", "remove"]) if there else "write"
    if what == "write":
        log.write_text(DD.format(2, 50 + chance.randrange(20)))
    elif what == "copy":
        other.write_bytes(log.read_bytes())
    elif what == "rename":
        log.replace(other)
    elif what == "remove":
        log.unlink()
    elif log != other:  # as logs that rotate
        log.replace(aside)
        other.replace(log)
        aside.replace(other)


def test_a_log_that_changes_while_it_is_read_is_read_in_the_next_run(store, folder, monkeypatch):
    log, read = dd_log(folder, "a.log", 2.0), parts.read_bytes

    def change_it(path, most):
        found = read(path, most)
        dd_log(folder, "a.log", 40.0)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(parts, "read_bytes", change_it)
        update(store, log)
    assert update(store, log).read == 1
    assert archive.load(store)["value"].tolist() == [2_500_000.0]


def test_a_run_that_is_killed_between_two_parts_has_saved_the_first(store, folder, monkeypatch):
    monkeypatch.setattr(archive.updating, "_SAVED_EVERY", 0)
    dd_logs(folder, 30)

    def end(step, done, whole):
        if done == 20:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        update(store, folder, way=Way(chunk=10, progress=end))
    assert len(archive.load(store)) == 10
    again = update(store, folder, way=Way(chunk=10))
    assert (again.hashed, again.parts_there, again.parts) == (20, 1, 1)


# --- what is no log, what is wrong


def test_what_is_no_log_is_a_problem_with_its_place_and_of_a_file_that_is_named_an_error(
    store, folder, tmp_path, capsys
):
    good, cut = dd_log(folder, "good.log"), dd_log(folder, "cut.log", text=CUT)
    pictures = [folder / "picture.jpg", tmp_path / "a.png", tmp_path / "b.png"]
    for path, controls in zip(pictures, (9, 32, 0), strict=True):
        path.write_bytes(b"\x89PNG" + bytes(range(controls)) * 80 + bytes(range(128, 256)) * 20)
    (folder / "gone.log").symlink_to("nothing")
    assert main(["archive", *map(str, [*pictures[1:], folder, store]), "--jobs", "1"]) == 1
    printed = capsys.readouterr().err
    for text in (
        f"{cut}:", f"{pictures[1]}:1: found binary data", f"{pictures[2]}:1: found no benchmark",
        f"{folder / 'gone.log'}: note: not read, for it is a link",
    ):  # fmt: skip
        assert text in printed
    found = archive.problems(store).set_index("file")
    kinds = {pictures[0]: "note", pictures[1]: "error", pictures[2]: "error", cut: "error"}
    assert found["kind"].to_dict() == {str(path): kind for path, kind in kinds.items()}
    assert found.loc[str(cut), "line"] > 0
    assert archive.load(store)["file"].tolist() == [str(good)]
    assert run(folder, store) == 0  # nothing new


def test_include_chooses_and_the_store_may_lie_among_the_logs(tmp_path, store):
    dd_log(tmp_path, "a.log")
    dd_log(tmp_path, "b.txt", 3.0)
    found = update(store, tmp_path, include=["*.log"])
    assert (found.files, len(archive.load(store))) == (1, 1)
    assert update(store, tmp_path).files == 2


def test_a_name_that_is_not_utf_8_is_kept(store, folder):
    dd_log(folder, os.fsdecode(b"card\xff.log"))
    update(store, folder)
    assert update(store, folder).hashed == 0
    assert archive.load(store)["file"].str.endswith(r"card\udcff.log").all()


def test_two_commands_do_not_write_one_store_at_once(store, folder):
    log = dd_log(folder, "a.log")
    update(store, log)
    with (
        archive.manifest.hold(store),
        pytest.raises(SdAnalysisError, match="another command writes it"),
    ):
        update(store, log)
    assert update(store, log).files == 1


def test_what_is_no_store_is_refused(tmp_path, store, folder, capsys):
    with pytest.raises(SdAnalysisError, match=r"found no manifest\.parquet in it, expected a"):
        archive.load(tmp_path)
    log = dd_log(folder, "a.log")
    update(store, log)
    for content in (b"", b"no parquet"):
        (store / "manifest.parquet").write_bytes(content)
        with pytest.raises(SdAnalysisError, match="found no manifest that can be read"):
            archive.load(store)
    assert run(folder, folder) == 1
    assert "logs: found a.log and no manifest.parquet in it" in capsys.readouterr().err
    assert run(log, log) == 1
    assert "a.log: found File exists, expected a folder" in capsys.readouterr().err


FULL = """
import resource, signal, sys
from sdanalysis.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_is_an_error_with_the_path_and_leaves_the_store(store, folder):
    dd_log(folder, "a.log")
    update(store, folder)
    dd_log(folder, "b.log", 3.0)
    command = [sys.executable, "-c", FULL, "archive", str(folder), str(store), "--jobs", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 1
    assert re.search(rf"{re.escape(str(store))}/\S+: found File too large", ended.stderr)
    assert "Traceback" not in ended.stderr
    assert len(archive.load(store)) == 1


def test_a_scheduler_that_does_not_answer_is_said_before_anything_is_read(store, folder, capsys):
    pytest.importorskip("distributed", reason="Dask is in make test-arrow")
    assert main(["archive", str(folder), str(store), "--scheduler", "nowhere"]) == 1
    assert "nowhere: found no Dask scheduler" in capsys.readouterr().err


def test_without_pyarrow_it_is_asked_for_before_anything_is_read(store, capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "sdanalysis.cli.archive", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(ROOT / "tests/corpus", store) == 1
    assert "pip install 'sd-card-analysis[parquet]'" in capsys.readouterr().err
    assert not store.exists()


def test_compare_takes_logs_of_a_store_by_any_of_their_names(store, folder, capsys):
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


def test_progress_has_rate_and_time_left_on_a_terminal_and_is_quiet_in_a_pipe(
    folder, tmp_path, capsys, monkeypatch
):
    dd_logs(folder, 30)
    for store, is_terminal in (("a", False), ("b", True)):
        monkeypatch.setattr(sys.stderr, "isatty", lambda shown=is_terminal: shown, raising=False)
        run(folder, tmp_path / store, "--chunk", "1")
        shown = re.search(r"reading: \d+ of 30 logs, [\d,]+/s, \d+ s left", capsys.readouterr().err)
        assert bool(shown) == is_terminal
