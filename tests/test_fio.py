"""fio's logs: corpus pairs of each version, the property of cut logs, and what a file may hide."""

import json
import re
from functools import partial
from operator import attrgetter
from pathlib import Path

import corpus_logs
import pytest
from corpus_logs import assert_rows_beside, beside, log_name, logs_of
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis.codebook import columns, units
from sdanalysis.codebook.measurement import Measurement, Problem
from sdanalysis.parsers.fio import bulk, histograms, job, options, same_job

CORPUS = corpus_logs.CORPUS / "fio"
VALID, INVALID = logs_of("fio", "valid"), logs_of("fio", "invalid")
read = partial(corpus_logs.read, "fio")
JSON = (CORPUS / "valid" / "json-randrw--3.25.log").read_text()
HUMAN = (CORPUS / "valid" / "seed-randrw75--3.33.log").read_text()


def read_file(path: Path) -> tuple[list[Measurement], list[Problem]]:
    return read(path.read_bytes(), log_name(path))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_each_valid_log_gives_the_rows_beside_it(path):
    rows, problems = read_file(path)
    assert_rows_beside(path, rows)
    assert [problem for problem in problems if problem.kind == "error"] == []


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_each_invalid_log_says_its_line_and_what_was_found(path):
    line, _, text = beside(path, ".error").read_text().strip().partition(": ")
    errors = [problem for problem in read_file(path)[1] if problem.kind == "error"]
    assert any(error.line == int(line) and error.text.startswith(text) for error in errors), errors


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_the_short_way_gives_the_same_rows(path):
    short = bulk.rows(path.read_bytes())
    found = sorted(read_file(path)[0], key=attrgetter("line", "column"))
    assert short in (None, [tuple(getattr(row, name) for name in job.FIELDS) for row in found])


def test_the_short_way_reads_what_fio_3_writes_and_leaves_the_rest():
    assert len(bulk.rows(JSON.encode())) == 12
    for other in (JSON.replace('"iops"', '"iop"'), JSON[:-3], JSON * 2, "x" + JSON, HUMAN):
        assert bulk.rows(other.encode()) is None


def test_the_short_way_never_takes_the_mean_of_another_direction():
    damaged = JSON.replace('"lat_ns" : {', '"lat_xx" : {', 1)
    assert bulk.rows(damaged.encode()) is None
    assert len(read(damaged)[0]) == 8


def test_the_short_way_leaves_a_file_whose_second_job_has_a_quote_in_its_name():
    job_entry = JSON[JSON.index("    {\n") : JSON.index("\n    }\n  ]") + len("\n    }")]
    later = job_entry.replace('"groupid" : 0', '"groupid" : 1')
    for name, count in (("b", 24), ('b\\"', None)):
        second = re.sub(r'(?<="jobname" : )".*"', lambda _, name=name: f'"{name}"', later)
        both = JSON.replace(job_entry, f"{job_entry},\n{second}")
        short = bulk.rows(both.encode())
        assert (short and len(short), len(read(both)[0])) == (count, 24)


def test_keys_in_another_order_and_compact_text_give_the_same_figures():
    parsed = json.loads(JSON)
    for text in (json.dumps(parsed, sort_keys=True, indent=1), json.dumps(parsed)):
        found = [(row.op, row.metric, row.raw) for row in read(text)[0]]
        assert found == [(row.op, row.metric, row.raw) for row in read(JSON)[0]]


@pytest.mark.parametrize("word", ["nan", "-nan", "inf", "-inf"])
def test_a_word_for_no_number_in_an_unused_key_costs_nothing(word):
    rows, problems = read(JSON.replace('"bw_dev" : 0.000000', f'"bw_dev" : {word}'))
    assert (len(rows), problems) == (12, [])


def test_a_line_of_another_program_inside_the_json_is_left_out_with_a_note():
    text = JSON.replace('      "read" : {', 'fio: io_u error on file tf\n      "read" : {', 1)
    rows, problems = read(text)
    assert len(rows) == 12
    assert {(problem.line, problem.kind) for problem in problems} == {(24, "note"), (1, "note")}
    assert {row.status for row in rows} == {"error"}


def test_a_cut_document_keeps_its_whole_jobs_and_what_stands_whole_of_the_next():
    text = (CORPUS / "valid" / "json-two-processes--3.33.log").read_text()
    rows, problems = read(text[: len(text) * 3 // 4])
    assert [row.stat for row in rows] == ["share"] * 6
    assert {row.status for row in rows} == {"partial"}
    assert sorted(problem.kind for problem in problems) == ["error", "note"]


def test_views_of_one_run_count_once():
    name = "normal-json-terse-together--3.33.log"
    rows, problems = read((CORPUS / "valid" / name).read_text())
    assert len(rows) == 12
    assert {problem.kind for problem in problems} == {"note"}


THREE_VIEWS = (CORPUS / "valid" / "shares-three-views--3.33.log").read_text()
DOCUMENT = THREE_VIEWS[THREE_VIEWS.index("{\n") : THREE_VIEWS.index("\n}\n") + 3]
TERSE = "".join(line for line in THREE_VIEWS.splitlines(keepends=True) if line.startswith("3;"))
PEOPLE = THREE_VIEWS.replace(DOCUMENT, "").replace(TERSE, "")


def sums(rows):
    found = [row for row in rows if "summed-jobs" in row.remarks]
    return {(row.metric, row.op[-5:]): row for row in found if row.stat not in columns.SPREADS}


@pytest.mark.parametrize("text", [THREE_VIEWS, DOCUMENT, TERSE, PEOPLE])
def test_processes_of_one_run_are_shares_and_their_sum_is_what_fio_prints_of_the_group(text):
    rows, _ = read(text)
    assert [row.stat for row in rows].count("share") == 12
    assert len([row for row in rows if row.stat not in columns.SPREADS]) == 18
    assert len({row.run for row in rows}) == 1
    found = sums(rows)
    for direction in ("dread", "write") if text != TERSE else ("read", "write"):
        bandwidth = found["bandwidth", direction]
        assert bandwidth.value_low <= 2398.5 * 1024  # READ: bw=2398KiB/s, and so WRITE
        assert bandwidth.value_high >= 2397.5 * 1024
        assert (bandwidth.raw, bandwidth.stat) == (None, "single")
        assert found["iops", direction].value == pytest.approx(599.4, rel=0.004)
        shares = [row.value for row in rows if row.stat == "share" and row.op[-5:] == direction]
        assert min(shares) < found["latency", direction].value < max(shares)


def test_the_latency_of_a_run_is_that_of_all_its_operations():
    parts = [job["read"] for job in json.loads(DOCUMENT)["jobs"]]
    total = sum(part["total_ios"] * part["lat_ns"]["mean"] for part in parts)
    mean = total / sum(part["total_ios"] for part in parts) * 1e-9
    assert sums(read(DOCUMENT)[0])["latency", "dread"].value == pytest.approx(mean)


def test_processes_that_end_apart_sum_to_what_all_moved_over_the_longest_time():
    rows, _ = read((CORPUS / "valid" / "human-two-jobs--3.33.log").read_text())
    assert sums(rows)["bandwidth", "dread"].value == pytest.approx(26.3 * 1024**2, rel=0.004)


def documents(*changes, count=4):
    """The document with `count` processes of four; each change is made to one of them."""
    document = json.loads(DOCUMENT)
    document["jobs"][0]["job options"]["numjobs"] = "4"
    document["jobs"] = [json.loads(json.dumps(document["jobs"][0])) for _ in range(count)]
    for entry, change in zip(document["jobs"], changes, strict=False):
        change(entry)
    return json.dumps(document, indent=2)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_where_a_process_is_missing_there_is_no_sum_but_a_word(count):
    rows, problems = read(documents(count=count))
    assert {row.stat for row in rows} == {"share"}
    assert "expected all of them" in problems[0].text


@pytest.mark.parametrize(
    ("header", "reports", "is_missing"),
    [  # of a terse record in line 9
        *((3, [], True), (3, [2], True), (3, [12], True), (3, [9], True)),
        *((3, [5], False), (3, [4], False), (3, [2, 8, 12], False)),
        *((10, [], False), (9, [], False), (None, [], False)),
    ],
)
def test_a_report_is_missing_where_a_header_announces_it_and_none_stands_before_the_record(
    header, reports, is_missing
):
    announced = [(1, "other"), *([] if header is None else [(header, "w")])]
    shown = [job.Job("report for people", line, "x") for line in reports]
    headers = same_job.Headers(announced, shown)
    assert headers.announce(job.Job("terse record", 9, "w")) == is_missing


def test_only_processes_of_one_test_have_a_sum():
    def apart(entry):
        entry["job options"] |= {"name": "other", "numjobs": "1", "filename": "/mnt/other/f"}
        entry["jobname"] = "other"

    rows, _ = read(documents(apart, count=5))
    assert {row.numjobs for row in rows if row.stat == "single" and not row.remarks} == {1}
    assert sums(rows)["bandwidth", "dread"].numjobs == 4


def test_jobs_of_other_groups_do_not_run_at_the_same_time():
    def alone(entry):
        entry["groupid"] = 1
        entry["job options"]["numjobs"] = "1"

    rows, _ = read(documents(alone, count=5))
    assert [row.line for row in rows if row.stat == "single"].count(rows[0].line) == 1
    assert sums(rows)["iops", "write"].value == pytest.approx(4 * 299.7003)


def test_a_second_run_of_the_same_processes_is_a_repeat():
    later = json.loads(DOCUMENT)
    later |= {name: later[name] + 60_000 for name in ("timestamp", "timestamp_ms")}
    rows, _ = read(DOCUMENT + json.dumps(later, indent=2))
    assert len({row.run for row in rows}) == 2
    assert [row.stat for row in rows].count("single") == 8


def test_records_too_short_for_samples_stand_for_themselves_and_a_word_says_so():
    rows, problems = read(re.sub(r";[\d.]+%;[\d.]+;", ";0%;0;", TERSE))
    assert {row.stat for row in rows} == {"single", "mean", *columns.SPREADS}
    assert any("too short" in problem.text for problem in problems)


def test_the_same_command_run_twice_is_two_runs():
    rows, _ = read((CORPUS / "valid" / "json-two-runs--3.33.log").read_text())
    assert len({row.run for row in rows}) == 2
    assert {row.status for row in rows} == {"measured"}


def test_figures_that_exclude_one_another_give_the_greater_and_a_note():
    line = "  read: IOPS=24.0k, BW=24.0MiB/s (26.2MB/s)(250MiB/10012msec)\n"
    rows, problems = read(line)
    bandwidth = next(row for row in rows if row.metric == "bandwidth")
    assert (bandwidth.value, bandwidth.raw_unit) == (26.2e6, "MB/s")
    assert "figures-disagree" in bandwidth.remarks
    assert [problem.kind for problem in problems] == ["note"]


def test_the_pasted_command_gives_mix_and_size():
    command = "$ fio --name=test --rw=randrw --rwmixread=75 --size=100M --direct=1 --bs=4k\n"
    rows, _ = read(command + HUMAN)
    assert {(row.read_mix, row.file_size, row.direct) for row in rows} == {(75, 104857600, True)}
    other = command.replace("--name=test", "--name=other")
    assert {row.read_mix for row in read(other + HUMAN)[0]} == {None}


def test_a_side_log_without_its_name_says_that_the_name_is_missing():
    text = (CORPUS / "valid" / "side-log-iops--3.33.log").read_text()
    rows, problems = read(text)
    assert rows == []
    assert "file name" in problems[0].text


def test_latency_samples_have_a_value_only_where_the_version_is_known():
    for priority, value in (("", None), (", 0, 0x0000", pytest.approx(407e-9))):
        text = f"0, 407, 0, 4096{priority}\n1, 392, 1, 4096{priority}\n"
        rows, _ = read(text, "card_lat.1.log")
        assert rows[0].value == value


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4k", 4096),
        ("4kb", 4096),
        ("1m", 1 << 20),
        ("512", 512),
        ("4kib", 4000),
        ("4Ki", 4096),
        ("100%", None),
    ],
)
def test_sizes_are_those_that_fio_prints_for_them(text, size):
    assert options.size(text) == size


@pytest.mark.parametrize(
    ("given", "sizes"),
    [  # of reads, writes and trims: the last holds for those behind it
        *(({}, (4096, 4096, 4096)), ({"bs": "8k"}, (8192, 8192, 8192))),
        *(({"bs": "4k,8k"}, (4096, 8192, 8192)), ({"bs": "4k,8k,16k"}, (4096, 8192, 16384))),
        *(({"bs": ",8k"}, (4096, 8192, 8192)), ({"bs": "1,2,3,4"}, (None, None, None))),
        *(({"blocksize": "8k"}, (8192, 8192, 8192)), ({"bsrange": "4k-8k"}, (None, None, None))),
    ],
)
def test_block_sizes_are_those_of_each_direction(given, sizes):
    assert options.conditions({"rw": "randrw", **given}).block_sizes == sizes


def test_bins_are_those_of_the_document():
    content = (CORPUS / "valid" / "json-plus--3.33.log").read_bytes()
    parsed = json.loads(content)
    table = histograms.bins(content)
    expected = []
    for name in ("read", "write"):
        expected += [
            (int(key), count) for key, count in parsed["jobs"][0][name]["clat_ns"]["bins"].items()
        ]
    assert list(zip(table["latency_ns"], table["count"], strict=True)) == expected
    assert table["categories"] == [(0, "j", "read", "clat_ns"), (0, "j", "write", "clat_ns")]


def test_numbered_bins_of_2_2_to_2_19_become_latencies():
    assert [histograms.bin_value(number) for number in (0, 127, 128, 191, 192)] == [
        0,
        127,
        129,
        255,
        258,
    ]


@given(
    rate=st.integers(1, 10**9),
    unit=st.sampled_from(["B", "KB", "MB", "GB"]),
    iops=st.integers(1, 10**6),
    time=st.integers(1, 10**6),
)
def test_old_lines_are_in_powers_of_1024(rate, unit, iops, time):
    line = f"  write: io=8192.0KB, bw={rate}{unit}/s, iops={iops}, runt={time:6d}msec\n"
    factor = 1024 ** ["B", "KB", "MB", "GB"].index(unit)
    rows, _ = read(line)
    values = {row.metric: row.value for row in rows}
    assert values["iops"] == iops
    if rate * factor < units.LIMITS["bandwidth"]:
        assert values["bandwidth"] == rate * factor


@given(st.text(alphabet='0123456789.,;:=%()[]{}"/ \nabefgijklmnoprstuvwxIOPSBKM-', max_size=300))
def test_no_text_raises(text):
    for start in (
        "",
        '{"fio version" : "fio-3.1", "jobs" : [',
        "3;fio-3.1;",
        "a: (groupid=0, jobs=1)",
    ):
        read(start + text)


def test_a_blank_before_the_bytes_of_fio_1_changes_no_figure():
    """fio 1.59 prints what is below 10^6 B/s as `bw=521296 B/s`: the figures of a slow card."""
    text = (CORPUS / "valid" / "seed-randrw75--2.2.10.log").read_text()
    spaced = re.sub(r"((?:io|bw)=\d+)KB", r"\1 B", text)
    assert spaced.count(" B/s, iops=") == 2
    without, problems = read(spaced.replace(" B", "B"))
    rows, same = read(spaced)
    assert [problem.text for problem in problems] == [problem.text for problem in same]
    assert {row.raw_unit for row in rows if row.metric == "bandwidth"} == {"B/s"}
    assert len(rows) == len(without) >= 4
    for found, expected in zip(rows, without, strict=True):
        assert found._replace(column=0) == expected._replace(column=0)
