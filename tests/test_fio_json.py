"""fio's JSON: which of several objects is a result, what stands around one, and large numbers."""

import json
import math
import pprint
import re
import time
from functools import partial

import corpus_logs
import pytest

from sdanalysis.logs.bulk import read_logs
from sdanalysis.parsers import split_lines
from sdanalysis.parsers.fio import bulk, job
from sdanalysis.parsers.fio.json_objects import count_of, io_bytes
from sdanalysis.parsers.fio.json_states import Limits, ended_early
from sdanalysis.parsers.fio.side_logs import is_side_log

CORPUS = corpus_logs.CORPUS / "fio"
read = partial(corpus_logs.read, "fio")
JSON = (CORPUS / "valid" / "json-randrw--3.25.log").read_text()
STATES = (CORPUS / "valid" / "json-status-interval--3.33.log").read_text()
KILLED = (CORPUS / "valid" / "json-killed--3.33.log").read_text()
TWO_RUNS = (CORPUS / "valid" / "json-two-runs--3.33.log").read_text()
ERROR = "fio: pid=0, err=5/file:io_u.c:1845, func=io_u error, error=Input/output error\n"


def statuses(text):
    return sorted({row.status for row in read(text)[0]})


def said(text):
    return " ".join(problem.text for problem in read(text)[1])


def test_latencies_of_fsync_are_rows_that_the_short_way_leaves_to_parse():
    synced = (CORPUS / "valid" / "json-fdatasync--3.33.log").read_bytes()
    stats = [row.stat for row in read(synced.decode())[0] if row.op == "fsync"]
    assert stats == ["mean", "min", "max", "stddev"]
    assert not any("sync" in row.op for row in read(JSON)[0])
    assert bulk.rows(synced) is None
    assert bulk.rows(synced.replace(b"7038966.325490", b"0.000000")) is not None
    assert not any("sync" in row.op for row in read(synced.replace(b"7038966.325490", b"0.0"))[0])


def test_only_the_last_object_of_a_run_that_ended_is_its_result():
    rows, _ = read(STATES)
    assert [row.status for row in rows].count("measured") == 6
    last = STATES[: STATES.rindex('{\n  "fio version"')].count("\n")
    assert min(row.line for row in rows if row.status == "measured") > last


@pytest.mark.parametrize("count", [1, 2, 3])
def test_where_the_last_object_is_missing_no_state_is_a_result(count):
    parts = re.split(r"(?=^\{$)", STATES, flags=re.MULTILINE)
    assert "measured" not in statuses("".join(parts[: count + 1]))
    cut = parts[count + 1][:150]
    assert "measured" not in statuses("".join(parts[: count + 1]) + cut)


def test_a_state_without_options_that_tell_the_end_is_no_result():
    bare = re.sub(r'"(runtime|size)" : "[^"]*"', r'"desc" : "\1"', STATES)
    assert statuses(bare) == ["running"]
    assert "nothing that says that the run ended" in said(bare)


@pytest.mark.parametrize(
    "word", ["Killed", "bash: line 1: 7 Killed   fio --name=r", "[1]+  Killed"]
)
def test_an_object_above_the_word_of_a_killed_run_is_no_result(word):
    first = KILLED[: KILLED.index("}\n{\n") + 2].replace('"runtime" : "20"', '"desc" : "20"')
    assert statuses(first) == ["measured"]
    assert statuses(f"{first}{word}\n") == ["running"]
    assert statuses(f"{first}bash: line 1: 7 Killed   dd if=/dev/zero\n") == ["measured"]


def test_a_lone_state_that_reached_neither_time_nor_size_is_partial_in_both_ways(tmp_path):
    first = KILLED[: KILLED.index("}\n{\n") + 2]
    assert statuses(first) == ["partial"]
    assert "expected the 8388608 bytes or the 20000 ms" in said(first)
    assert bulk.rows(first.encode()) is None
    ended = first.replace('"runtime" : "20"', '"runtime" : "892ms"')
    path = tmp_path / "ended.json"
    path.write_text(ended)
    assert set(read_logs([str(path)])[0]["status"]) == set(statuses(ended)) == {"measured"}


def test_the_same_text_twice_counts_once_and_says_so():
    for text in (JSON, STATES):
        rows, _ = read(text)
        twice, _ = read(text + text)
        assert [*map(str, twice)] == [*map(str, rows)]
        assert "the same text as the object at line 1" in said(text + text)


def test_a_second_run_that_is_cut_leaves_a_finished_first_one():
    ended = TWO_RUNS[: TWO_RUNS.index("}\n{\n") + 2]
    assert "measured" in statuses(ended + TWO_RUNS[len(ended) :][:200])


def test_an_error_above_an_object_makes_its_figures_those_of_a_failed_run():
    assert statuses(ERROR + JSON) == ["error"]
    assert "Input/output error' above" in said(ERROR + JSON)
    assert statuses(f"{ERROR}$ fio --name=job1 --output-format=json\n{JSON}") == ["measured"]
    assert statuses(JSON + ERROR) == ["measured"]


def test_an_error_above_an_object_that_names_its_own_is_that_jobs():
    two = (CORPUS / "valid" / "json-two-docs--3.33.log").read_text()
    first = two.replace('"error" : 0', '"error" : 5', 1)
    assert statuses(ERROR + first) == ["error", "measured"]


def test_the_spread_of_latencies_is_given_with_its_mean():
    rows = {row.stat: row for row in read(JSON)[0] if row.line < 80}
    assert [rows[stat].raw for stat in ("min", "max", "mean", "stddev")] == [
        "62979",
        "6584973",
        "152892.735256",
        "371827.812304",
    ]
    assert rows["max"].value == pytest.approx(6.584973e-3)


def test_the_spread_of_a_run_is_that_of_all_its_processes():
    text = (CORPUS / "valid" / "json-two-processes--3.33.log").read_text()
    parts = [entry["write"]["lat_ns"] for entry in json.loads(text)["jobs"]]
    rows = {row.stat: row for row in read(text)[0] if row.metric == "latency"}
    assert rows["min"].value == pytest.approx(min(part["min"] for part in parts) * 1e-9)
    assert rows["max"].value == pytest.approx(max(part["max"] for part in parts) * 1e-9)
    mean = sum(part["mean"] for part in parts) / 2
    square = sum(part["stddev"] ** 2 + (part["mean"] - mean) ** 2 for part in parts) / 2
    assert rows["stddev"].value == pytest.approx(math.sqrt(square) * 1e-9, rel=1e-3)


def test_a_least_latency_of_0_is_no_figure_in_both_ways():
    text = JSON.replace('"min" : 62979', '"min" : 0')
    assert bulk.rows(text.encode()) is None
    assert len(read(text)[0]) == 11


@pytest.mark.parametrize("digits", [309, 400, 4300, 5000])
@pytest.mark.parametrize("key", ["bw_bytes", "iops", "runtime", "io_bytes", "total_ios", "min"])
def test_a_number_of_many_digits_is_an_error_or_unused_and_no_exception(key, digits):
    for number in ("9" * digits, "9" * digits + ".000000", f"1e{digits}"):
        text = re.sub(rf'("{key}" : )[\d.]+', rf"\g<1>{number}", JSON)
        rows, problems = read(text)
        assert all(math.isfinite(row.value) for row in rows)
        assert all(len(problem.text) < 200 for problem in problems)
        assert bulk.rows(text.encode()) is None or key in ("total_ios", "min")
        for name in ("timestamp", "timestamp_ms"):
            read(re.sub(rf'("{name}" : )\d+', rf"\g<1>{number}", STATES))


def test_a_word_for_no_number_is_said_as_it_stands():
    for word in ("inf", "-nan", "nan"):
        text = re.sub(r'"bw_bytes" : \d+', f'"bw_bytes" : {word}', JSON)
        assert f"found {word} for read bandwidth" in said(text)


def test_a_line_that_is_no_sample_is_an_error_at_its_line_and_the_others_are_kept():
    text = "500, 21, 0, 0\nnothing\n1000, 22, 0, 0\n1500, 23, 0, 0, 7\n2000, 24, 0, 0\n2500, 2"
    rows, problems = read(text, "card_bw.1.log")
    assert [row.raw for row in rows] == ["21", "22", "24"]
    errors = {problem.line: problem.text for problem in problems if problem.kind == "error"}
    assert "expected a sample of 4 whole numbers" in errors[2]
    assert "found 5 columns, expected 4" in errors[4]
    assert "cut" in errors[6]
    assert len(errors) == 3


def test_only_the_last_line_of_samples_is_cut():
    text = "500, 21, 0, 0\n1000, 2\n1500, 23, 0, 0\n2000, 24, 0, 0\n"
    (middle,) = read(text, "card_bw.1.log")[1][1:]
    assert (middle.line, "expected a sample of 4" in middle.text) == (2, True)
    last = read(f"{text.replace('1000, 2', '1000, 2, 0, 0')}the end", "card_bw.1.log")[1][-1]
    assert (last.line, "expected a sample of 4" in last.text) == (5, True)


def test_samples_are_known_by_their_form_though_the_last_is_cut_and_nothing_names_them():
    lines = split_lines("500, 21, 0, 4096\n750, 2")
    assert is_side_log(lines) and is_side_log(lines[:1])
    assert not is_side_log(split_lines("500, 21, 0, 4096\n750 words"))


def test_an_empty_file_is_a_side_log_by_its_name_alone():
    assert "empty side log" in read("", "card_bw.1.log")[1][0].text
    assert read("", "card.log") == ([], [])


def test_times_since_1970_are_those_of_samples():
    rows, _ = read("1795318651915, 33313, 0, 0, 0\n1795318652081, 27951, 0, 0, 0\n", "c_bw.1.log")
    assert [row.raw for row in rows] == ["33313", "27951"]


def test_twice_the_jobs_on_one_line_take_twice_the_time():
    document = json.loads(JSON)
    entry = document["jobs"][0]

    def seconds(text):
        began = time.process_time()
        read(text)
        return time.process_time() - began

    def jobs(count):
        entries = [entry | {"groupid": number} for number in range(count)]
        return json.dumps(document | {"jobs": entries})

    def keys(count):
        return '{"a": [\n' + '{"x" : 1}, "fio version" : 3\n' * count

    for text in (jobs, keys):
        short, long = text(100), text(800)
        assert min(seconds(long) for _ in range(2)) < 24 * min(seconds(short) for _ in range(3))


@pytest.mark.parametrize(
    ("moved", "count", "size"),
    [
        *((409600, 100, 4096), (51200, 100, 512), (2**30, 1, 2**30)),
        *((25600, 100, None), (153600, 100, None), (100, 100, None)),  # 256, 3 x 512 and 1 byte
        *((409601, 100, None), (0, 100, None), (409600, 0, None)),
    ],
)
def test_bytes_an_operation_are_a_block_size_where_they_are_a_whole_power_of_two(
    moved, count, size
):
    part = {"io_bytes": moved, "io_kbytes": moved // 1024, "total_ios": count, "runtime": 100}
    part |= {"bw_bytes": moved * 10, "bw": moved * 10 // 1024, "iops": count * 10.0}
    entry = {"jobname": "a", "groupid": 0, "error": 0, "read": part}
    text = json.dumps({"fio version": "fio-3.33", "jobs": [entry]}, indent=2)
    rows, _ = read(text)
    assert {row.block_size for row in rows} == {size} if rows else not (moved and count)
    assert all(("inferred-block_size" in row.remarks) == (size is not None) for row in rows)


@pytest.mark.parametrize(
    ("part", "version", "moved"),
    [
        *(({"io_bytes": 7}, "fio-2.20", 7 * 1024), ({"io_bytes": 7}, "fio-2.1.11", 7 * 1024)),
        *(({"io_bytes": 7}, "fio-2.21", 7), ({"io_bytes": 7}, "fio-3.33", 7)),
        *(({"io_bytes": 7, "io_kbytes": 0}, None, 7), ({"io_bytes": 7}, None, None)),
        *(({}, "fio-3.33", None), ({"io_bytes": -1}, "fio-3.33", None)),
        *(({"io_bytes": True}, "fio-3.33", None), ({"io_bytes": 7.0}, "fio-3.33", None)),
    ],
)
def test_bytes_moved_are_kilobytes_up_to_2_20(part, version, moved):
    assert io_bytes(part, version) == moved


def test_a_count_has_at_most_eighteen_digits():
    assert [count_of(value) for value in (0, 10**18 - 1, 10**18, -1)] == [0, 10**18 - 1, None, None]


@pytest.mark.parametrize(
    ("moved", "runtime", "lowest", "highest"),
    [  # bytes, ms and the rates in B/s: 1 ms, 1 KiB and 1 % of rounding
        (10**8, 10_000, 9.899e6, 10.102e6),
        (4096, 1, 1.520e6, 10.343e6),
        (4096, 0, 3.0404e6, 10.343e6),
    ],
)
def test_bytes_over_time_are_the_rate_within_their_rounding(moved, runtime, lowest, highest):
    for rate, agrees in (
        (lowest, True),
        (highest, True),
        (lowest / 1.001, False),
        (highest * 1.001, False),
    ):
        assert job.io_bytes_agree(moved, runtime, rate) == agrees, rate


@pytest.mark.parametrize(
    ("moved", "time", "early"),
    [  # of 1 MiB in blocks of 4 KiB and 1000 ms: all but less than a block, or 98 % of the time
        *((2**20, 500, False), (2**20 - 4095, 500, False), (2**20 - 4096, 500, True)),
        *((2**20 + 1, 500, True), (0, 980, False), (0, 979, True)),
    ],
)
def test_a_job_ended_early_that_clearly_moved_neither_its_bytes_nor_ran_its_time(
    moved, time, early
):
    assert ended_early(Limits(1000.0, 2**20, 4096), moved, time) == early
    assert not ended_early(Limits(None, 2**20, 4096), moved, time)
    assert not ended_early(Limits(1000.0, None), moved, time)


def conditions_of(text):
    names = ("op", "block_size", "file_size", "numjobs", "iodepth", "read_mix", "direct")
    return sorted({tuple(getattr(row, name) for name in names) for row in read(text)[0]})


SECTIONS = (CORPUS / "valid" / "json-group-of-sections--3.33.log").read_text()
OF_ONE = [
    ("randread", 8192, 2**20, 1, 4, 50.0, True),
    ("randwrite", 8192, 2**20, 1, 4, 50.0, True),
]
OF_ALL = [("read", None, 2**20, None, 4, None, True), ("write", 8192, 2**20, None, 4, None, True)]


def ran(time):
    """The log of three sections (997 and 493 ms) with another sum of their times."""
    return re.sub(r'("job_runtime" : )\d+', rf"\g<1>{time}", SECTIONS)


def test_of_the_sum_of_a_group_only_what_the_options_of_all_say_is_known():
    assert conditions_of(SECTIONS) == OF_ALL
    assert {row.remarks[0] for row in read(SECTIONS)[0]} == {"unknown-pattern"}


@pytest.mark.parametrize(("time", "known"), [(0, OF_ONE), (1000, OF_ONE), (1300, OF_ALL)])
def test_others_ran_where_the_sum_of_the_times_is_clearly_above_that_of_the_processes(time, known):
    assert conditions_of(ran(time)) == known
    assert conditions_of(ran(2 * time).replace("randrw", 'randrw", "numjobs" : "2')) == [
        (*one[:3], one[3] and 2, *one[4:]) for one in known
    ]


def test_a_time_of_0_in_all_directions_is_told_and_gives_no_row():
    rows, problems = read(re.sub(r'("runtime" : )\d+', r"\g<1>0", SECTIONS))
    assert rows == []
    assert any("over a time of 0" in one.text for one in problems)


TRIMMED = """{"fio version": "fio-3.35", "jobs": [
 {"jobname": "seqwrite", "read": {"bw": 0, "iops": 0, "lat_ns": {"mean": 0}},
  "write": {"bw": 4096, "iops": 4.5, "lat_ns": {"mean": 2239849}}}]}"""


def test_rates_that_somebody_kept_without_time_and_bytes_are_read():
    rows, problems = read(TRIMMED)
    assert problems == []
    assert [(row.metric, row.value, row.op, row.status) for row in rows] == [
        ("bandwidth", 4096 * 1024, "write", "measured"),
        ("iops", 4.5, "write", "measured"),
        ("latency", pytest.approx(2239849e-9), "write", "measured"),
    ]


@pytest.mark.parametrize(
    "kept", ['"runtime": 0', '"runtime": null', '"io_bytes": 8192', '"total_ios": 0']
)
def test_rates_beside_bytes_or_a_time_that_is_none_are_refused(kept):
    rows, problems = read(TRIMMED.replace('"bw": 4096', f'"bw": 4096, {kept}'))
    assert rows == []
    assert any("expected a runtime above zero" in one.text for one in problems)


def test_a_version_without_the_sum_of_the_times_keeps_the_options_that_it_prints():
    assert conditions_of(SECTIONS.replace('"job_runtime"', '"runtime_of_job"')) == OF_ONE


@pytest.mark.parametrize("option", ["verify", "read_iolog"])
def test_one_process_reads_what_it_wrote_after_it_did(option):
    printed = f'write", "{option}" : "1'
    found = conditions_of(ran(1490).replace("randrw", printed))
    assert found == [(op, 8192, 2**20, 1, 4, None, True) for op in ("read", "write")]
    assert conditions_of(ran(2490).replace("randrw", printed)) == OF_ALL


def test_others_ran_where_data_moved_in_a_direction_that_the_options_do_not_ask_for():
    assert conditions_of(ran(1000).replace("randrw", "write")) == OF_ALL
    everywhere = ran(2000).replace('"size" : "1m"', '"size" : "1m", "rw" : "read"')
    assert conditions_of(everywhere.replace('"rw" : "randrw",', "")) == OF_ALL
    assert conditions_of(everywhere) == OF_ALL


def test_what_the_options_of_all_say_by_another_name_is_known():
    given = '"readwrite" : "randrw", "rwmixwrite" : "30", "bs" : "8k", "buffered" : "0"'
    text = SECTIONS.replace('"bs" : "4k",', f"{given},").replace('"direct" : "1",', "")
    found = conditions_of(text.replace('"rw" : "randrw",', ""))
    assert found == [(op, 8192, 2**20, None, 4, 70.0, True) for op in ("randread", "randwrite")]


@pytest.mark.parametrize(("ms", "runs"), [(True, 1), (False, 2)])
def test_a_state_in_which_nothing_moved_is_one_of_the_same_run_where_the_times_are_exact(ms, runs):
    first = json.loads(KILLED[: KILLED.index("}\n{\n") + 2])
    later = json.loads(json.dumps(first))
    for document, seconds in ((first, 0), (later, 1)):
        document["timestamp"] += seconds
        document["timestamp_ms"] += 1000 * seconds
        document["jobs"][0]["read"]["runtime"] += 1000 * seconds
        if not ms:
            del document["timestamp_ms"]
    rows, _ = read("\n".join(json.dumps(document, indent=2) for document in (first, later)) + "\n")
    assert len({row.run for row in rows}) == runs


def test_a_latency_that_lacks_its_least_has_its_other_figures_in_their_lines():
    without = re.sub(r'("lat_ns" : \{\s*)"min" : \d+,\s*', r"\1", JSON)
    rows = [row for row in read(without)[0] if row.metric == "latency"]
    assert sorted({row.stat for row in rows}) == ["max", "mean", "stddev"]
    lines = without.split("\n")
    for row in rows:
        assert f'"{row.stat}"' in lines[row.line - 1] and row.raw in lines[row.line - 1]


@pytest.mark.parametrize("name", ["a\x01b", "a\\qb"])
def test_a_cut_list_whose_next_job_has_a_damaged_name_is_no_traceback(name):
    jobs = JSON.index('"jobs" : [')
    end = JSON.index("\n    }", jobs) + len("\n    }")
    _, problems = read(f'{JSON[:end]},\n    {{ "jobname" : "{name}", "groupid" : 0,\n')
    assert problems


@pytest.mark.parametrize("text", [JSON, JSON.replace(" : ", ":"), json.dumps(json.loads(JSON))])
def test_an_object_in_a_string_is_read_once(text):
    rows, plain = read(f'{{"rc": 0, "stdout": {json.dumps(text)}}}\n')[0], read(text)[0]
    assert [(row.raw, row.op) for row in rows] == [(row.raw, row.op) for row in plain] != []
    again, problems = read(f'{{"stdout": {json.dumps(text)}}}\n{text}')
    assert len(again) == len(plain)
    assert "the same text as the object at line 1" in problems[0].text


@pytest.mark.parametrize("written", [repr, lambda found: pprint.pformat(found, indent=4)])
def test_an_object_that_python_printed_is_read(written):
    rows, problems = read(f"results:\n{written(json.loads(JSON))}\n")
    assert [(row.op, row.value) for row in rows] == [(row.op, row.value) for row in read(JSON)[0]]
    assert not problems


def test_source_that_writes_an_object_or_looks_for_one_is_none():
    source = r"""fprintf(out, "  \"fio version\" : \"%s\",\n", name);
    start := strings.Index(output, "{\n  \"fio version\"")
    """
    assert read(source) == ([], [])


@pytest.mark.parametrize("written", ['{{"jobs": {0}}}', "$ jq .jobs t.json\n{0}"])
def test_jobs_without_the_rest_of_their_object_are_read(written):
    rows, problems = read(written.format(json.dumps(json.loads(JSON)["jobs"], indent=2)))
    assert [(row.op, row.raw) for row in rows] == [(row.op, row.raw) for row in read(JSON)[0]]
    # what the options of all jobs say is not there
    assert {(row.tool_version, row.numjobs, row.iodepth) for row in rows} == {(None, None, 8)}
    assert not problems


def test_one_job_without_the_others_is_a_result_where_it_stands_for_its_group():
    job_ = json.loads(JSON)["jobs"][0]
    rows, problems = read(f'{{"data": {json.dumps(job_)}, "of": "fio"}}')
    assert not rows
    assert ["may be a share" in problem.text for problem in problems] == [True]
    job_["job options"]["group_reporting"] = "1"
    assert len(read(json.dumps(job_))[0]) == len(read(JSON)[0])


def test_jobs_of_one_name_are_no_states_of_one_run_where_nothing_says_so():
    job_ = json.loads(JSON)["jobs"][0]
    job_["job options"]["group_reporting"] = "1"
    text = json.dumps(job_)
    again = text.replace('"io_bytes": ', '"io_bytes": 1').replace('"runtime": ', '"runtime": 1')
    rows, _ = read(f'{{"a": {text}, "b": {again}}}')
    assert {row.status for row in rows} == {"measured"}


def test_jobs_that_are_cut_have_a_word_and_those_of_other_programs_none():
    kept = json.dumps(json.loads(JSON)["jobs"])
    _, problems = read(f"$ fio t.fio | jq .jobs\n{kept[: len(kept) // 2]}")
    assert [
        (problem.line, "without its `fio version`" in problem.text) for problem in problems
    ] == [(2, True)]
    assert read('of fio [{"jobname": "deploy", "groupid": 7}]') == ([], [])


@pytest.mark.parametrize(
    "mark", ["> ", ">", ">> ", "> > ", "  > ", "# ", "//\t", " * ", "loader | ", " 7  "]
)
def test_an_object_in_a_quote_or_behind_another_mark_is_read(mark, tmp_path):
    quoted = "".join(f"{mark}{line}\n" for line in JSON.splitlines())
    rows, plain = read("On Monday she wrote:\n" + quoted)[0], read(JSON)[0]
    assert [(row.raw, row.column - len(mark), row.line - 1) for row in rows] == [
        (row.raw, row.column, row.line) for row in plain
    ]
    assert len(rows) > 0
    (tmp_path / "mail.log").write_text(quoted)
    assert len(read_logs([str(tmp_path / "mail.log")])[0]) == len(plain)


def test_a_report_that_fio_cut_a_little_below_its_json_counts_once():
    moved, time = 8 << 20, 133  # 60.1504 MiB/s, printed from whole KiB/s as 60.1
    direction = {"io_bytes": moved, "bw_bytes": 63_072_240, "bw": 61593, "iops": 60.150376}
    job_ = {"jobname": "t", "groupid": 0, "error": 0, "write": {**direction, "runtime": time}}
    document = json.dumps({"fio version": "fio-3.33", "jobs": [job_]}, indent=1)
    report = "t: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026\n"
    report += "  write: IOPS=60, BW=60.1MiB/s (63.1MB/s)(8192KiB/133msec); 0 zone resets\n"
    rows = [row for row in read(f"{document}\n{report}")[0] if row.metric == "bandwidth"]
    assert [row.raw for row in rows] == ["63072240"]


def test_the_sum_over_all_clients_alone_has_no_conditions_of_a_job():
    document = json.loads(JSON)
    job_ = document.pop("jobs")[0]
    del job_["job options"]
    document |= {"global options": {"bs": "4k", "rw": "randread"}}
    rows, _ = read(json.dumps(document | {"client_stats": [job_ | {"jobname": "All clients"}]}))
    assert {(row.op, row.numjobs, row.iodepth, row.direct) for row in rows} == {
        ("read", None, None, None),
        ("write", None, None, None),
    }


def test_a_comma_behind_which_somebody_left_out_the_rest_of_an_object_is_no_damage():
    shown = re.sub(r'"percentile" : \{[^{}]*\}', '"N" : 7,', JSON)  # hides no figure of a row
    assert shown != JSON
    rows, problems = read(shown)
    kept, _ = read(JSON)
    assert [row.value for row in rows] == [row.value for row in kept]
    assert not problems


COMMAND = "$ fio --name=job1 --rw=randrw --bs=4k --size=8m --iodepth=8 --output-format=json\n"


@pytest.mark.parametrize(
    ("above", "is_read"),
    [
        (COMMAND, True),
        ("", False),
        (COMMAND.replace("--rw", "--numjobs=2 --rw"), False),  # others may stand below
        (COMMAND.replace("--output", "--name=job2 --rw=read --output"), False),
        (COMMAND.replace("job1", "other"), False),
        (COMMAND.replace("--output", "all.fio --output"), False),
    ],
    ids=["one job", "no command", "processes", "two jobs", "another", "file"],
)
def test_of_the_only_job_of_a_command_a_cut_object_gives_what_stands_whole(above, is_read):
    rows, problems = read(above + JSON[: JSON.index('"lat_ns"', JSON.index('"write" : {'))])
    kept = {
        (row.op, row.stat, row.value)
        for row in read(above + JSON)[0]
        if is_read and (row.op == "randread" or row.stat == "single")
    }
    assert {(row.op, row.stat, row.value) for row in rows} == kept
    assert {row.status for row in rows} == ({"partial"} if is_read else set())
    assert any("cut or damaged" in one.text for one in problems)


def test_of_a_cut_object_no_number_is_read_that_may_go_on():
    whole = {row.value for row in read(COMMAND + JSON)[0]}
    start, end = JSON.index('"iops"'), JSON.index('"write" : {')
    for cut in range(start, end, 7):
        assert {row.value for row in read(COMMAND + JSON[:cut])[0]} <= whole
