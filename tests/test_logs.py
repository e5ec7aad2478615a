"""Logs of users: found, unpacked, read; what was not read is said; `sdanalysis parse`."""

import csv
import gzip
import io
import json
import resource
import subprocess
import sys

import pytest
from corpus_logs import CORPUS, assert_rows_beside, logs_of
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis.cli import main
from sdanalysis.codebook.columns import LOG_COLUMNS, LOG_STATUSES
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs import read as logs
from sdanalysis.paths import expand

HDPARM = CORPUS / "hdparm" / "valid" / "t--9.65.log"
LOGS = logs_of("*", "*")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_pasted_session_is_split_by_tool():
    (path,) = logs_of("script", "valid")
    log = logs.read_log(str(path))
    assert_rows_beside(path, [one for one in log.measurements if one.tool in ("hdparm", "dd")])
    found = {(one.tool, one.op) for one in log.measurements}
    assert {("hdparm", "read"), ("dd", "write"), ("iozone", "randwrite")} <= found
    assert not [problem for problem in log.problems if problem.kind == "error"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.parent.name}/{log.stem}")
def test_every_log_of_the_corpus_gives_rows_or_a_word(log):
    read = logs.read_log(str(log))
    assert read.measurements or read.problems
    assert all(one.file == str(log) for one in read.measurements)
    assert {one.status for one in read.measurements} <= LOG_STATUSES.keys() | {"not_measured"}


def test_gzip_is_unpacked_and_a_damaged_one_is_named():
    content = gzip.compress(HDPARM.read_bytes())
    whole = logs.parse_log("x.gz", content)
    assert [one.raw for one in whole.measurements] == [
        one.raw for one in logs.read_log(str(HDPARM)).measurements
    ]
    for end in (5, len(content) // 2, len(content) - 1):
        cut = logs.parse_log("x.gz", content[:end])
        assert not cut.measurements
        assert "damaged gzip" in cut.problems[0].text


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty file"),
        (b" \n\n", "empty file"),
        (bytes(range(32)) * 100, "binary data"),
        (b"\xff\xfe1", "utf-16"),
        (b"Dear Sir,\nhow are you?\n", "found no benchmark in it, expected the output of dd,"),
        (b"x" * 2_000_000, "no benchmark"),
    ],
)
def test_what_is_no_log_is_said(content, word):
    log = logs.parse_log("x.log", content)
    assert not log.measurements
    assert word in log.problems[0].text
    assert log.problems[0].kind == "error"


def test_an_empty_side_log_of_fio_is_no_error():
    (problem,) = logs.parse_log("card_bw.1.log", b"").problems
    assert problem.kind == "note"


def test_a_line_that_looks_like_a_result_and_that_nobody_claims_is_listed():
    log = logs.parse_log("x.log", b"my card does 23.5 MB/s, great\n" + HDPARM.read_bytes())
    (note,) = [problem for problem in log.problems if "no parser claims" in problem.text]
    assert (note.line, note.kind) == (1, "note")


@pytest.mark.parametrize(
    "line", ["### 3.2 IOPS: 2300", "## 3200 IOPS", "### 23.5 IOPS", "## 3.2 MB/s", "# 12 IOPS"]
)
def test_a_heading_with_a_result_is_listed(line):
    log = logs.parse_log("x.log", f"{line}\n".encode() + HDPARM.read_bytes())
    assert ["no parser claims" in problem.text for problem in log.problems] == [True]


@pytest.mark.parametrize("line", ["24.5 MB/s¹   Evo", "大約是20MB/s上下", "(3200IOPS。)"])
def test_a_unit_ends_where_a_footnote_or_another_script_begins(line):
    log = logs.parse_log("x.log", f"{line}\n".encode() + HDPARM.read_bytes())
    assert ["no parser claims" in problem.text for problem in log.problems] == [True]


def test_the_rest_of_a_wrapped_total_is_no_result_of_its_own_but_a_lone_total_is():
    rest = "(87.4MB/s-87.4MB/s), io=4096MiB (4295MB), run=49154-49154msec\n"
    log = logs.parse_log("x.log", rest.encode() + HDPARM.read_bytes())
    assert log.problems == ()
    log = logs.parse_log("x.log", f"READ: bw=83MiB/s {rest}".encode() + HDPARM.read_bytes())
    assert len(log.problems) == 1


def test_the_total_of_a_group_is_named_where_the_jobs_above_it_were_not_pasted():
    total = "  WRITE: bw=512MiB/s (537MB/s), io=150GiB (161GB), run=300001-300001msec\n"
    log = logs.parse_log("x", f"Run status group 0 (all jobs):\n{total}".encode())
    assert log.measurements == ()
    assert [one.line for one in log.problems if "expected their blocks" in one.text] == [2]
    job = (
        "seq: (groupid=0, jobs=8): err= 0: pid=171908: Thu Sep  5 03:52:31 2024\n"
        "  write: IOPS=76.8k, BW=600MiB/s (629MB/s)(176GiB/300001msec); 0 zone resets\n"
    )
    log = logs.parse_log("x", f"{job}Run status group 0 (all jobs):\n{total}".encode())
    assert [one.raw for one in log.measurements] == ["76.8k", "600"]
    assert not [one for one in log.problems if "no parser claims" in one.text]


@pytest.mark.parametrize(
    "line",
    [
        "IF: eth0 state: up speed: 1000 Mbps duplex: full",
        "ata1: SATA link up 6.0 Gb/s, 6.0Gbps (SStatus 133 SControl 300)",
        "^Cbs: 1 (f=1): [w(1)][5.0%][w=3260KiB/s][w=815 IOPS][eta 00m:19s]",
        "^C[1.2% done] [0KB/3260KB/0KB /s] [0/815/0 iops] [eta 01m:19s]",
        "| Card | Read MB/s |",
        "the block size is 4 KiB, which MB/s hides",
        "### 3.2 IOPS",
        "## 4 iops测试",
    ],
)
def test_speeds_of_cables_and_progress_are_no_results_that_nobody_claims(line):
    log = logs.parse_log("x.log", HDPARM.read_bytes() + f"{line}\n\n".encode())
    assert log.problems == ()


@pytest.mark.parametrize(
    "table",
    [
        "| Card | Read MB/s | Write MB/s |\n|---|---:|---:|\n| Evo | 87.1 | 22 |\n",
        "name,read (MB/s),IOPS\nEvo,87.1,1200\n",
        "Test        MB/s    IOPS\nSEQ1M       87.10     83.1\n",
    ],
)
def test_a_table_with_its_units_in_the_head_alone_leaves_a_word(table):
    log = logs.parse_log("x.log", HDPARM.read_bytes() + table.encode())
    (note,) = log.problems
    assert (note.line, note.kind) == (4, "note")
    assert "no parser claims" in note.text


def test_a_page_of_tables_leaves_some_words_and_the_count_of_the_rest():
    log = logs.parse_log("x.log", b"| Evo | 23.5 MB/s |\n" * 202)
    notes = [problem for problem in log.problems if problem.kind == "note"]
    assert len(notes) == 13
    assert notes[-1].text == "found 190 more lines like it, the first at line 13"


@pytest.mark.parametrize(
    ("header", "tool"),
    [
        ("              kB  reclen    write  rewrite    read    reread", "iozone"),
        ('\tChildren see throughput for  2 initial writers \t=   77159.00 kB/sec"', "iozone"),
        ("job1: (g=0): rw=randrw, bs=4096B-4096B, ioengine=libaio, iodepth=8", "fio"),
        ("job1: (groupid=0, jobs=1): err= 0: pid=2: Fri Nov 20 21:22:25 2026", "fio"),
        ("Jobs: 1 (f=1): [R(1)][100.0%][r=10.1MiB/s][r=2587 IOPS][eta 00m:00s]", "fio"),
        ("Jobs: 1 (f=1): [R] [16.4% done] [124.1M/0K /s] [31.3K/0  iops] [eta 00m:51s]", "fio"),
        ("5120+0 records in\n5120+0 records out", "dd"),
        ("5120+0 Datens\u00e4tze ein\n5120+0 Datens\u00e4tze aus", "dd"),
        ("Timing buffered disk reads: no such device", "hdparm"),
        ("FIO Benchmark Summary", "kbench"),
        *[("= Dbench Summary =", "dbench"), ("= FIO bench Summary =", "dbench")],
    ],
)
def test_what_announces_results_leaves_a_word_where_no_row_follows(header, tool):
    hdparm = HDPARM.read_text()
    for log in (f"{header}\n", f"{header}\n\n{hdparm}", f"{hdparm}\n{header}\n"):
        found = logs.parse_log("x.log", log.encode())
        line = log[: log.index(header)].count("\n") + 1
        lines = range(line, line + header.count("\n") + 1)
        assert any(problem.line in lines for problem in found.problems), tool
        assert all(problem.line in lines for problem in found.problems), tool


def test_a_header_without_rows_is_named_though_a_later_one_has_its_rows(monkeypatch):
    iozone = CORPUS / "iozone" / "valid" / "seed-100M-4k--3.489.log"
    good = iozone.read_text()
    lost = "              kB  reclen    write  rewrite    read    reread\nSanDisk: none\n\n"
    found = logs.parse_log("x.log", (lost + good).encode())
    assert 1 in {problem.line for problem in found.problems}
    assert len(found.measurements) == 6


def test_statuses_of_fio_above_its_report_leave_no_word():
    status = "Jobs: 1 (f=1): [r(1)][{}0.0%][r=10.1MiB/s][r=2587 IOPS][eta 00m:00s]\n"
    error = "fio: posix_fallocate fails: No space left on device\n"
    report = (CORPUS / "fio" / "valid" / "human-status-interval--3.33.log").read_text()
    log = status.format(1) + error * 2 + status.format(2) + report
    assert not [one for one in logs.parse_log("x.log", log.encode()).problems if one.line < 6]


@given(st.binary(max_size=400))
def test_any_bytes_give_rows_or_a_word(content):
    log = logs.parse_log("x", content)
    assert log.measurements or log.problems


def test_folders_globs_and_files_are_found_once_each(tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("a/1.log", "a/2.txt", "3.log"):
        (tmp_path / name).write_text("x")
    found = expand([str(tmp_path), str(tmp_path / "*.log"), str(tmp_path / "3.log"), "-"])
    assert found == [str(tmp_path / name) for name in ("3.log", "a/1.log", "a/2.txt")] + ["-"]


@pytest.mark.parametrize("name", ["nothing.log", "*.nothing", "empty"])
def test_a_path_that_names_nothing_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SdAnalysisError, match="found"):
        expand([str(tmp_path / name)])


def test_parse_prints_the_columns_of_the_table_and_exits_with_0(capsys):
    assert main(["parse", str(HDPARM)]) == 0
    output = capsys.readouterr()
    (row,) = rows(output.out)
    assert tuple(row) == LOG_COLUMNS
    assert (row["tool"], row["op"], row["raw_unit"]) == ("hdparm", "read", "MB/sec")
    assert output.err == ""


def test_parse_says_what_it_could_not_read_and_exits_with_1(tmp_path, capsys):
    bad = tmp_path / "bad.log"
    bad.write_text("Timing buffered disk reads: 54 MB in 3.01 seco\n")
    assert main(["parse", str(HDPARM), str(bad)]) == 1
    output = capsys.readouterr()
    assert len(rows(output.out)) == 1
    assert output.err.startswith(f"{bad}:1: found 'Timing buffered disk reads")


def test_strict_prints_nothing_unless_all_was_read(tmp_path, capsys):
    bad, table = tmp_path / "bad.log", tmp_path / "table.csv"
    bad.write_text("Timing buffered disk reads: 54 MB in 3.01 seco\n")
    table.write_text("earlier")
    assert main(["parse", "--strict", str(HDPARM), str(bad), "-o", str(table)]) == 1
    assert capsys.readouterr().out == ""
    assert table.read_text() == "earlier"


def test_json_lines_hold_the_same_rows_as_csv(tmp_path, capsys):
    main(["parse", str(HDPARM)])
    (expected,) = rows(capsys.readouterr().out)
    table = tmp_path / "table.json"
    assert main(["parse", str(HDPARM), "-o", str(table)]) == 0
    row = json.loads(table.read_text())
    assert {name: "" if value is None else str(value) for name, value in row.items()} == expected


@pytest.fixture
def full_disk():
    """Files that may grow to 100 bytes: a device that is full says the same at the same place."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_earlier_table_and_nothing_else(tmp_path, capsys, full_disk):
    table = tmp_path / "table.csv"
    table.write_text("earlier")
    assert main(["parse", str(HDPARM), "-o", str(table)]) == 1
    assert "found File too large, expected to write it" in capsys.readouterr().err
    assert table.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [table]


def test_an_ending_that_is_not_known_is_wrong_usage(tmp_path, capsys):
    assert main(["parse", str(HDPARM), "-o", str(tmp_path / "x.xlsx")]) == 2
    assert "expected --format or one of .csv, .json, .parquet" in capsys.readouterr().err


def test_standard_input_is_read_and_no_table_library_is_loaded():
    code = (
        "import sys; from sdanalysis.cli import main; code = main(['parse', '-']); "
        "heavy = {'pandas', 'numpy', 'matplotlib'} & set(sys.modules); sys.exit(code or len(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=HDPARM.read_bytes(), capture_output=True, check=True
    )
    (row,) = rows(done.stdout.decode())
    assert row["file"] == "-"


@pytest.mark.parametrize("arguments", [["--version"], ["parse", str(HDPARM)]])
def test_parsers_of_other_tools_are_not_loaded(arguments):
    code = (
        f"import sys; from sdanalysis.cli import main\ntry: main({arguments})\n"
        "except SystemExit: pass\nsys.exit(len({'sdanalysis.parsers.fio', "
        "'sdanalysis.parsers.iozone', 'sdanalysis.parsers.ddrescue'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
