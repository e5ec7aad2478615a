"""`parse_many`: the rows of `parse` a chunk at a time, whatever reads them, whoever dies."""

import re
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
import pytest
from deadly import names_unless_killed
from many_logs import make_logs
from pairs import CORPUS

import sdanalysis
from sdanalysis.archive import chunks
from sdanalysis.archive.chunks import Log, map_work
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.many import Rows


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return make_logs(tmp_path_factory.mktemp("many"), 250)


@pytest.fixture(scope="module")
def expected(logs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # broken logs of the corpus
        return sdanalysis.parse(logs)


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


def together(frames):
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("chunk", [1000, 7])
def test_the_frames_together_are_what_parse_returns(logs, expected, chunk):
    pd.testing.assert_frame_equal(together(sdanalysis.parse_many(logs, chunk=chunk)), expected)


def test_processes_give_the_same_frames_and_problems_in_the_same_order(logs, pool):
    alone = sdanalysis.parse_many(logs, chunk=40)
    spread = sdanalysis.parse_many(logs, chunk=40, executor=pool, under_way=3)
    for one, other in zip(alone, spread, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert len(alone.problems) > 100
    pd.testing.assert_frame_equal(alone.problems, spread.problems)


class Backwards(Executor):
    """Does nothing until it is asked for a result, and counts what waits."""

    def __init__(self):
        self.waiting = self.most = 0

    def submit(self, function, *arguments):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        return Later(self, function, arguments)


class Later(Future):
    def __init__(self, executor, function, arguments):
        super().__init__()
        self.executor, self.call = executor, (function, arguments)

    def result(self, timeout=None):
        self.executor.waiting -= 1
        function, arguments = self.call
        return function(*arguments)


def test_no_more_chunks_are_under_way_than_is_said(logs, expected):
    executor = Backwards()
    found = together(sdanalysis.parse_many(logs, chunk=10, executor=executor, under_way=4))
    assert executor.most == 4
    pd.testing.assert_frame_equal(found, expected)


def test_a_log_that_fails_is_a_row_of_problems_and_ends_nothing(tmp_path, monkeypatch):
    good = Path("data/examples/card-image.log").read_bytes()
    for name in ("a.log", "b.log", "c.log"):
        (tmp_path / name).write_bytes(good)
    paths = [str(tmp_path / name) for name in ("a.log", "b.log", "c.log")]
    add = Rows.add_file

    def fails(rows, path):
        if path == paths[1]:
            raise ZeroDivisionError("a defect")
        return add(rows, path)

    monkeypatch.setattr(Rows, "add_file", fails)
    frames = sdanalysis.parse_many(paths)
    assert set(together(frames)["file"]) == {paths[0], paths[2]}
    (row,) = frames.problems.query("kind == 'error'").to_dict("records")
    assert (row["file"], row["line"]) == (paths[1], 1)
    assert "ZeroDivisionError" in row["text"]


def test_a_path_that_names_nothing_is_an_error_at_once(tmp_path):
    with pytest.raises(SdAnalysisError, match="found no such file"):
        sdanalysis.parse_many(tmp_path / "none.log")


def test_chunks_without_logs_are_refused(logs):
    with pytest.raises(SdAnalysisError, match="found chunks of 0 logs"):
        list(sdanalysis.parse_many(logs, chunk=0))


def test_few_large_logs_are_a_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 10)
    for name in "abcd":
        (tmp_path / name).write_bytes(b"x" * 4)
    found = chunks.chunks([Log(str(tmp_path / name)) for name in "abcd"])
    assert [len(chunk) for chunk in found] == [2, 2]


def killed(tmp_path, executor, *, always):
    settings = {"flags": str(tmp_path), "killer": "log-4", "always": always}
    chunked = [[Log(f"log-{n}") for n in range(start, start + 3)] for start in range(0, 15, 3)]
    told = []
    work = partial(names_unless_killed, **settings)
    found = list(map_work(work, chunked, executor, under_way=2, tell=told.append))
    return found, told


def test_a_chunk_whose_worker_died_is_named_and_read_again_and_nothing_is_lost(tmp_path):
    with chunks.Processes(1) as executor:
        found, told = killed(tmp_path, executor, always=False)
    assert found == [[f"log-{n}" for n in range(start, start + 3)] for start in range(0, 15, 3)]
    assert told[0].startswith("log-3 to log-5 (3 logs): found that its worker died (BrokenProcess")
    assert len(told) <= 2  # the chunk that was under way beside it


def test_a_log_that_kills_each_process_is_found_and_left_out(tmp_path):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        found, told = killed(tmp_path, executor, always=True)
    assert found[1] == ["log-3", "log-5"]
    assert sum(map(len, found)) == 14
    assert "takes nothing more (BrokenProcessPool)" in told[-1] or "worker died" in told[-1]


def test_loky_gives_the_same_frames_and_what_a_dead_worker_had(logs, expected, tmp_path):
    loky = pytest.importorskip("loky", reason="loky is in make test-arrow")
    executor = loky.get_reusable_executor(max_workers=2)
    frames = sdanalysis.parse_many(logs, chunk=40, executor=executor, under_way=4)
    pd.testing.assert_frame_equal(together(frames), expected)
    found, told = killed(tmp_path, executor, always=False)
    assert found == [[f"log-{n}" for n in range(start, start + 3)] for start in range(0, 15, 3)]
    died = "log-3 to log-5 (3 logs): found that its worker died (Terminated"
    assert any(text.startswith(died) for text in told)  # what is submitted meanwhile is told first
    executor = loky.get_reusable_executor(max_workers=2)  # a new one, for that one is broken
    assert sum(map(len, killed(tmp_path, executor, always=True)[0])) == 14
    loky.get_reusable_executor().shutdown()


def test_a_rate_that_its_bytes_deny_is_said_among_many_files_of_the_same_form(tmp_path):
    text = (CORPUS / "fio" / "json-unified-mixed--3.33.log").read_text()
    tripled = re.sub(r'("bw_bytes" : )(\d+)', lambda rate: rate[1] + str(3 * int(rate[2])), text)
    paths = [tmp_path / f"{number}.json" for number in range(8)]
    for path in paths:
        path.write_text(tripled if path is paths[-1] else text)
    rows = sdanalysis.parse(paths)
    doubted = rows[rows["remarks"].fillna("").str.contains("figures-disagree")]
    assert set(doubted["file"]) == {str(paths[-1])}
