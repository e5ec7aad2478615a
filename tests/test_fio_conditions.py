"""What a pasted fio report says of its test beside its header: layouts, depths, commands."""

from functools import partial

import corpus_logs
import pytest

from sdanalysis.logs.read import parse_log

read = partial(corpus_logs.read, "fio")
HEADER = "t: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
HEADER += "ioengine=libaio, iodepth=16\nfio-3.33\nStarting 1 process\n"
JOB = "t: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026\n"
RESULT = "  read: IOPS=12.8k, BW=50.0MiB/s (52.4MB/s)(8192KiB/160msec)\n"
TOTAL = "   READ: bw=50.0MiB/s (52.4MB/s), 50.0MiB/s-50.0MiB/s (52.4MB/s-52.4MB/s), "
TOTAL += "io=8192KiB (8389kB), run=160-160msec\n"
SUM = "   READ: bw=150MiB/s (157MB/s), 50.0MiB/s-50.6MiB/s (52.4MB/s-53.1MB/s), "
SUM += "io=24.0MiB (25.2MB), run=158-160msec\n"
OLD_SUM = "   READ: io=24MB, aggrb=150MB/s, minb=50MB/s, maxb=51MB/s, mint=158msec, maxt=160msec\n"
WRITTEN = TOTAL.replace("READ", "WRITE").replace("50.0", "25.0").replace("52.4", "26.2")
GROUP = "\nRun status group 0 (all jobs):\n"
COMMAND = "$ fio --name=t --rw=randread --bs=4k --size=8m --direct=1\n"
DEPTHS = "  IO depths    : 1=0.2%, 2=0.4%, 4=0.8%, 8=1.6%, 16=97.1%, 32=0.0%, >=64=0.0%\n"
END = "     latency   : target=0, window=0, percentile=100.00%, depth={}\n"


def asked(content):
    """Operation, block size, file size, processes, depth and direct of each bandwidth."""
    return [
        (row.op, row.block_size, row.file_size, row.numjobs, row.iodepth, row.direct)
        for row in read(content)[0]
        if row.metric == "bandwidth"
    ]


def laid(size, name="t", words="Laying out IO file (1 file / {}MiB)"):
    return f"{name}: {words.format(size)}\n"


@pytest.mark.parametrize(
    ("layout", "size"),
    [
        (laid(1024), 1 << 30),
        (laid(1024, words="Laying out IO file(s) (1 file(s) / {}MB)"), 1 << 30),  # before 2.17
        (laid(100), 100 << 20),
        (laid(8) * 4, 8 << 20),  # one for each process
        (laid(8) + laid(16), None),  # with an offset that grows
        (laid(953), None),  # what is less than a MiB is left out: 1 GB is one of these
        (laid(9536), None),
        (laid(1), None),  # of 1500 KiB too
        (laid(1024, words="Laying out IO files (4 files / total {}MiB)"), None),
        (laid(1024, "u"), None),
        (f"{laid(1024)}Jobs: 1 (f=1): [r(1)][100.0%]\n", 1 << 30),
        (f"{laid(1024)}Jobs: 1 (f=2): [r(1)][100.0%]\n", None),  # the other lay there before
    ],
)
def test_the_file_that_fio_lays_out_has_the_size_of_the_test(layout, size):
    report = JOB + RESULT + GROUP + TOTAL
    assert asked(HEADER + layout + report) == [("randread", 4096, size, 1, 16, None)]
    assert asked(layout + report)[0][2] == size


def test_a_command_says_more_than_a_layout_that_does_not_contradict_it():
    report = HEADER + laid(8) + JOB + RESULT + GROUP + TOTAL
    assert asked(COMMAND + report) == [("randread", 4096, 8 << 20, 1, 16, True)]
    decimal = COMMAND.replace("8m", "8500k")
    assert asked(decimal + report) == [("randread", 4096, 8500 << 10, 1, 16, True)]
    for size, known in ((1024, 1 << 30), (953, None)):  # the command of another report
        other = HEADER + laid(size) + JOB + RESULT + GROUP + TOTAL
        assert asked(COMMAND + other) == [("randread", 4096, known, 1, 16, None)]


def test_of_jobs_of_a_run_either_all_have_their_layout_or_none():
    twice = HEADER.splitlines()[0] + "\n" + HEADER.replace("t: ", "u: ", 1)
    blocks = JOB + RESULT + JOB.replace("t: ", "u: ", 1) + RESULT + GROUP + SUM
    sizes = [size for _, _, size, *_ in asked(twice + laid(8) + laid(16, "u") + blocks)]
    assert sizes == [8 << 20, 16 << 20]
    assert {size for _, _, size, *_ in asked(twice + laid(8) + blocks)} == {None}


def test_a_job_of_a_group_of_its_own_has_its_layout_whatever_the_other_groups_have():
    other = HEADER.replace("t: (g=0): rw=randread", "u: (g=1): rw=write", 1)
    blocks = JOB + RESULT + JOB.replace("t: (groupid=0", "u: (groupid=1", 1)
    blocks += RESULT.replace("read:", "write:")
    totals = GROUP + TOTAL + GROUP.replace("group 0", "group 1") + TOTAL.replace("READ", "WRITE")
    report = HEADER.splitlines()[0] + "\n" + other + laid(8) + blocks + totals
    assert [(op, size) for op, _, size, *_ in asked(report)] == [
        ("randread", 8 << 20),
        ("write", None),
    ]


@pytest.mark.parametrize(
    ("depths", "depth", "known"),
    [
        (DEPTHS, 16, 16),
        (DEPTHS, 20, 20),  # 16 to 31 are counted as 16
        (DEPTHS, 1, 1),
        (DEPTHS, 32, None),
        (DEPTHS.replace(" >=64=0.0%", "\n  >=64=97.1%"), 64, 64),  # as a mail breaks it
        (DEPTHS.replace(" >=64=0.0%", "\n>=64=97.1%"), 64, 64),
        (DEPTHS.replace(" >=64=0.0%", "\n>> =64=0.0% submit    : 0=0.0%, 16=0.0%"), 16, 16),
        ("  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%\n", 16, None),
        ("", 16, None),
    ],
)
def test_the_depth_at_the_end_of_a_report_holds_where_it_was_reached(depths, depth, known):
    report = JOB + RESULT + depths + END.format(depth) + GROUP + TOTAL
    assert [row[4] for row in asked(report)] == [known]
    assert [row[4] for row in asked(HEADER + report)] == [16]


def test_the_first_letter_of_a_command_may_not_have_been_copied():
    options = (
        "--size=8m --ioengine=libaio --direct=1\n> --rw=randread --name=t --bs=4k --iodepth=16\n"
    )
    expected = [("randread", 4096, 8 << 20, 1, 16, True)]
    report = JOB + RESULT + GROUP + TOTAL
    assert asked(f"> fio {options}{report}") == asked(f"> io {options}{report}") == expected
    assert asked(f"> so {options}{report}") != expected


def test_a_depth_that_may_be_cut_is_none():
    cut = (RESULT + DEPTHS + END.format(16))[:-2]
    assert cut.endswith("depth=1")
    assert [row[4] for row in asked(cut)] == [None]


def test_a_report_whose_name_was_written_anew_has_its_command():
    report = (HEADER + JOB).replace("t: (g", "T: (g") + RESULT + GROUP + TOTAL
    assert asked(COMMAND + report) == [("randread", 4096, 8 << 20, 1, 16, True)]


def test_a_report_whose_first_letter_was_not_selected_has_its_command():
    command = COMMAND.replace("name=t", "name=iops-test")
    report = JOB.replace("t: ", "ops-test: ", 1) + RESULT + GROUP + TOTAL
    assert asked(command + report) == [("randread", 4096, 8 << 20, 1, 1, True)]
    other = report.replace("ops-test", "test")
    assert asked(command + other) == [("read", None, None, 1, None, None)]


@pytest.mark.parametrize("total", [SUM, GROUP + SUM, OLD_SUM])
def test_the_total_of_the_processes_of_a_command_is_read(total):
    three = COMMAND.replace("\n", " --numjobs=3\n")
    assert asked(three + total) == [("randread", 4096, 8 << 20, 3, 1, True)]
    for numjobs in ("--numjobs=2", "", "--numjobs=3 --group_reporting"):  # they contradict it
        (row,) = asked(COMMAND.replace("\n", f" {numjobs}\n") + total)
        assert row == ("read", None, None, None, None, None)
    assert asked(total) == [row]
    (row,) = asked(three + TOTAL)  # of one process
    assert row == ("read", None, None, None, None, None)


def test_a_total_is_of_the_one_of_several_commands_that_it_fits():
    write = COMMAND.replace("randread", "write").replace("4k", "1m")
    mix = COMMAND.replace("randread", "randrw").replace("4k", "8k")
    assert asked(COMMAND + write + GROUP + TOTAL) == [("randread", 4096, 8 << 20, 1, 1, True)]
    pair = GROUP + TOTAL + WRITTEN
    assert [row[:2] for row in asked(COMMAND + write + mix + pair)] == [
        ("randread", 8192),
        ("randwrite", 8192),
    ]
    (row,) = asked(COMMAND + mix + GROUP + TOTAL)
    assert row == ("read", None, None, None, None, None)
    again = COMMAND.replace("--name=t", "--name=t --directory=/mnt/card")
    assert asked(COMMAND + again + GROUP + TOTAL)[0][:3] == ("randread", 4096, 8 << 20)


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ("--bsrange=4k:4k,4k:4k --size=8m", (4096, 8 << 20)),
        ("--bsrange=4k:8k --size=8m", (None, 8 << 20)),
        ("--bs=4k --filesize=8m", (4096, 8 << 20)),
        ("--bs=4k --filesize=8m --nrfiles=2", (4096, None)),
        ("--bs=4k --filesize=8m --filename=/dev/sda:/dev/sdb", (4096, None)),
        ("--bs=4k --filesize=8m --size=4m", (4096, 4 << 20)),
    ],
)
def test_sizes_stand_in_several_options(options, sizes):
    (row,) = asked(f"$ fio --name=t --rw=randread {options}\n{JOB}{RESULT}{GROUP}{TOTAL}")
    assert row[1:3] == sizes


TRIMMED = "read: IOPS=12.8k, BW=50.0MiB/s"


def test_a_result_is_read_as_far_as_its_bandwidth():
    rows, problems = read(f"{COMMAND}{TRIMMED}\n{TRIMMED}\n")
    assert [(row.metric, row.raw, row.value, row.block_size) for row in rows] == [
        ("iops", "12.8k", 12800, 4096),
        ("bandwidth", "50.0", 50 << 20, 4096),
    ] * 2
    assert problems == []
    assert rows[1].value_high == 51 << 20  # fio before 3.26 may have lost what is behind the point
    log = parse_log("card.log", f"| my card | {TRIMMED} | good |\n".encode())
    assert [row.raw for row in log.measurements] == ["12.8k", "50.0"]


@pytest.mark.parametrize("line", [TRIMMED, TRIMMED[:-2] + "\n", TRIMMED + " (52.\n"])
def test_a_result_that_may_be_cut_is_not_read(line):
    rows, problems = read(line)
    assert rows == []
    assert [problem.kind for problem in problems] == ["error"]


def report_of(mode, process):
    header = HEADER.replace("randread", mode)
    job = JOB.replace("pid=7: Sun Nov 22 12:00", f"pid={process}: Sun Nov 22 12:{process}")
    return header + job + RESULT + GROUP + TOTAL


def test_reports_below_several_commands_of_one_name_have_those_that_fit_them():
    command = "$ fio --name=t --rw={} --bs=4k --iodepth=16 --ioengine=libaio --size={}m\n\nand\n"
    above = (
        command.format("randread", 8) + command.format("randrw", 16) + command.format("read", 32)
    )
    below = "".join(report_of(mode, 10 + place) for place, mode in enumerate(["randread", "read"]))
    assert [row[:3] for row in asked(above + below)] == [
        ("randread", 4096, 8 << 20),
        ("read", 4096, 32 << 20),
    ]
    again = above + report_of("randread", 10) + "Without direct I/O:\n" + report_of("randread", 11)
    assert [row[2:] for row in asked(again)] == [(8 << 20, 1, 16, False), (8 << 20, 1, 16, None)]


@pytest.mark.parametrize("options", ["--rw=write", "--rw=randread --bs=8k", "--iodepth=8"])
def test_a_command_that_contradicts_a_header_is_not_its(options):
    command = f"$ fio --name=t --ioengine=libaio --size=8m --direct=1 {options}\n"
    assert asked(command + report_of("randread", 10)) == [("randread", 4096, None, 1, 16, None)]


def test_a_result_quoted_above_its_report_counts_once():
    report = COMMAND + JOB + RESULT + GROUP + TOTAL
    rows, problems = read(RESULT + "\n" + report)
    assert {row.line for row in rows} == {5}
    assert [problem.line for problem in problems] == [1]
    other = RESULT.replace("160msec", "161msec")
    assert {row.line for row in read(other + "\n" + report)[0]} == {1, 5}
    trimmed = read(TRIMMED + "\n" + report)[0]
    assert {row.line for row in trimmed} == {1, 4}


def test_a_json_object_whose_brace_a_terminal_drew_over_the_progress_is_read():
    path = corpus_logs.CORPUS / "fio" / "valid" / "json-randrw--3.12.log"
    text = path.read_text()
    assert text.startswith("{\n")
    drawn = "$ fio card.fio\n{obs: 1 (f=1): [m(1)][100.0%][r=1MiB/s][eta 00m:00s]\n" + text[2:]
    rows, problems = read(drawn)
    assert [row.value for row in rows] == [row.value for row in read(text)[0]] != []
    assert problems == []


TERSE_COMMAND = "$ sudo fio --name=t --rw=randrw --rwmixread=75 --bs=8k --size=4m --minimal"
OF_RECORD = [("randread", 8192, 4 << 20, 1, 1, False), ("randwrite", 8192, 4 << 20, 1, 1, False)]
PLAIN_RECORD = [("read", None, None, None, None, None), ("write", None, None, None, None, None)]


def record(read=(2048, 256), write=(1024, 128), name="t"):
    """A terse record (3) of 1 s, too short for samples of its group."""
    sides = []
    for rate, iops in (read, write):
        percentiles = ";".join(["1.000000%=0"] * 20)
        sides.append(f"{rate};{rate};{iops};1000;" + "0;" * 8 + percentiles + ";0" * 9)
    return f"3;fio-3.33;{name};0;0;{';'.join(sides)}" + ";0" * 34 + "\n"


@pytest.mark.parametrize(
    ("above", "conditions"),
    [
        (f"{TERSE_COMMAND}\n", OF_RECORD),
        (f"{TERSE_COMMAND} \\\n --filename=/mnt/fio --thread\n\n", OF_RECORD),
        (TERSE_COMMAND.replace(" --bs", "\n--bs") + "\n", OF_RECORD),
        (
            f"{TERSE_COMMAND}\nfio: this platform does not support process shared mutexes\n",
            OF_RECORD,
        ),
        ("```\n[t]\nrw=randrw\nbs=8k\nsize=4m\n```\n```\n$ fio --minimal t.fio\n", OF_RECORD),
        ("", PLAIN_RECORD),
        (TERSE_COMMAND.replace("=t", "=u") + "\n", PLAIN_RECORD),
        (TERSE_COMMAND.replace("8k", "64k") + "\n", PLAIN_RECORD),  # not what the record says
        (TERSE_COMMAND.replace("randrw", "randread") + "\n", PLAIN_RECORD),
        (TERSE_COMMAND.replace(" --minimal", "") + "\n", PLAIN_RECORD),  # for people
        (
            f"{TERSE_COMMAND} $OPTIONS\n",
            [(*record[:3], None, None, None) for record in OF_RECORD],
        ),
        (f"{TERSE_COMMAND} common.fio\n", PLAIN_RECORD),
        (f"{TERSE_COMMAND}\n{record()}With the cache:\n", PLAIN_RECORD),
    ],
)
def test_a_terse_record_has_the_conditions_of_the_command_above_it(above, conditions):
    found = asked(above + record())[-2:]
    assert [(cell[0], *cell[1:]) for cell in found] == conditions


def test_commands_above_a_terse_record_count_as_far_as_they_agree():
    other = TERSE_COMMAND.replace("4m", "9m")
    found = asked(f"{TERSE_COMMAND}\n{other}\n{record()}")
    assert found == [
        (op, size, None, None, depth, direct) for op, size, _, _, depth, direct in OF_RECORD
    ]


def test_terse_records_of_processes_are_summed_where_the_command_tells_how_many():
    command = f"{TERSE_COMMAND} --numjobs=2"
    rows, problems = read(f"{command}\n{record() * 2}")
    sums = [row for row in rows if "summed-jobs" in row.remarks and row.op == "randread"]
    assert [(row.metric, row.value, row.numjobs) for row in sums] == [
        ("bandwidth", 4096 << 10, 2),
        ("iops", 512, 2),
    ]
    assert problems == []
    rows, problems = read(f"{command}\n{record()}")
    assert {row.stat for row in rows} == {"share"}
    assert "expected all of them" in problems[0].text
    rows, _ = read(f"{command} --group_reporting\n{record()}")
    assert {(row.stat, row.numjobs) for row in rows} == {("single", 2)}


@pytest.mark.parametrize(
    ("command", "direct"),
    [
        ("fio $OPTIONS --name=t --rw=randread --size=8m", None),
        ('fio --name=t --rw=randread --size=8m "${options[@]}"', None),
        ("fio --name=t --rw=randread --size=8m --thread $1", None),
        ("fio --name=t --rw=randread --size=8m ...", None),
        ("fio $OPTIONS --name=t --rw=randread --size=8m --direct=1", True),
        ("fio --name=t --rw=randread --size=8m --filename $DEVICE", False),
        ("fio --name=t --rw=randread --size=8m --filename=$DEVICE", False),
        ("fio --name=t --rw=randread --size=8m --filename=a > $LOG", False),
        ("fio --name=t --rw=randread --size=8m --filename=a | tee $LOG", False),
    ],
)
def test_a_command_with_options_that_stand_elsewhere_has_no_defaults(command, direct):
    report = f"$ {command}\n{HEADER}{JOB}{RESULT}{GROUP}{TOTAL}"
    assert asked(report) == [("randread", 4096, 8 << 20, 1, 16, direct)]
    bare = f"$ {command}\n{RESULT}and so on\n"
    assert asked(bare)[0][5] in (direct, None)  # of how many processes it is nobody knows


@pytest.mark.parametrize(
    "page",
    [
        "使用{}，结果：",
        "「{}」の結果",
        "Команда «{}»:",
        "执行命令：{}",
        "1、{}；",
        "**{}**",
        "（2）{}）",
        "用{}测试：",
        "`{}`の結果：",
    ],
)
def test_a_command_in_a_sentence_of_any_language_says_what_was_asked(page):
    command = page.format(COMMAND.strip("$ \n"))
    assert asked(f"{command}\n{HEADER}{JOB}{RESULT}") == [("randread", 4096, 8 << 20, 1, 16, True)]


@pytest.mark.parametrize("hyphens", ["–", "—", "-", "- ", "-- "])
def test_options_whose_hyphens_a_page_changed_are_those_of_fio(hyphens):
    command = COMMAND.replace("--", hyphens).replace("=8m", "=“8m”")
    assert asked(f"{command}{GROUP}{TOTAL}")[0] == ("randread", 4096, 8 << 20, 1, 1, True)
    assert asked(f"{command}{HEADER}{JOB}{RESULT}") == [("randread", 4096, 8 << 20, 1, 16, True)]


def status(letters, eta="[100.0%][r=48.1MiB/s][r=12.3k IOPS][eta 00m:00s]"):
    """A line that fio writes while it runs, with the letters of its processes."""
    return f"Jobs: 1 (f=1): [{letters}]{eta}\n"


@pytest.mark.parametrize(
    ("shown", "op"),
    [
        (status("r(1)"), "randread"),
        (status("R(1)"), "read"),
        (status("r") + "\n", "randread"),  # 1.x
        (status("m(1)"), "randread"),
        (status("M(1)"), "read"),
        ("Jobs: 1 (f=1), CR=10/0 KB/s: [r] [50.0% done] [eta 00m:01s]\n", "randread"),
        ("Jobs: 1 (f=1)" + status("r(1)"), "randread"),  # the first one has no letters yet
        (status("r(1)") + status("f(1)"), "randread"),
        (status("r(1)").strip(), "randread"),  # nothing was drawn over it
        (status("f(1)"), None),
        (status("_(1),r(1)"), None),  # the other one may have read in order
        (status("r(1),R(1)"), None),
        (status("w(1)"), None),  # this is a read
        (status("r(1)") + "Some words.\n", None),
        ("", None),
    ],
)
def test_the_letter_in_the_status_above_a_report_without_its_header_is_the_pattern(shown, op):
    report = shown + JOB + RESULT + GROUP + TOTAL
    row = next(row for row in read(report)[0] if row.metric == "bandwidth")
    assert (row.op, row.remarks) == ((op, ()) if op else ("read", ("unknown-pattern",)))


def test_a_status_of_fewer_processes_than_a_report_has_does_not_speak_of_it():
    processes = JOB.replace("jobs=1", "jobs=2")
    for letters, op in (("r(1)", "read"), ("r(2)", "randread"), ("rr", "randread")):
        rows = read(status(letters) + processes + RESULT + GROUP + TOTAL)[0]
        assert {row.op for row in rows} == {op}


def test_a_status_speaks_of_each_block_of_the_report_below_it_and_of_no_other():
    below = JOB.replace("t:", "u:").replace("pid=7", "pid=8") + RESULT
    rows = read(status("r(2)") + JOB + RESULT + below + GROUP + SUM)[0]
    assert {row.op for row in rows if row.metric == "bandwidth"} == {"randread"}
    later = JOB.replace("t:", "v:").replace("pid=7", "pid=9").replace("12:", "14:")
    rows = read(status("r(1)") + JOB + RESULT + GROUP + TOTAL + later + RESULT + GROUP + TOTAL)[0]
    assert [row.op for row in rows if row.metric == "iops"] == ["randread", "read"]


ISSUED = "     issued rwts: total={},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
OLD_ISSUED = "     issued    : total=r={}/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0\n"
MOVED = "  read: IOPS=12.8k, BW=50.0MiB/s (52.4MB/s)(500MiB/10001msec)\n"


@pytest.mark.parametrize(
    ("issued", "size"),
    [
        *((ISSUED.format(128000), 4096), (ISSUED.format(500), 1 << 20)),
        *((OLD_ISSUED.format(128000), 4096), (OLD_ISSUED.format(1024000), 512)),
        ("     issued r/w: total=128000/0, short=0/0\n", 4096),  # 1.x
        ("     issued rwt: total=128000,0,0, short=0,0,0, dropped=0,0,0\n", 4096),  # 2.17
        (ISSUED.format(131072), None),  # 4000 bytes
        (ISSUED.format(85333), None),  # 6 KiB, or of two sizes
        (ISSUED.format(2048000), None),  # 256 bytes
        (ISSUED.format(128000).replace("short=0", "short=3"), None),
        (ISSUED.format(128000).replace("dropped=0", "dropped=3"), None),
        (ISSUED.format(0), None),
    ],
)
def test_operations_issued_tell_the_block_size_of_a_report_without_header_and_command(issued, size):
    rows, _ = read(JOB + MOVED + issued + END.format(1) + GROUP)
    assert {row.block_size for row in rows} == {size}
    assert {"inferred-block_size" in row.remarks for row in rows} == {size is not None}
    assert {row.iodepth for row in rows} == {1}


def test_operations_issued_tell_nothing_beside_a_header_or_command_with_several_sizes():
    report = JOB + MOVED + ISSUED.format(128000) + END.format(1)
    header = HEADER.replace("(R) 4096B-4096B", "(R) 512B-64.0KiB")
    command = COMMAND.replace("--bs=4k", "--bsrange=2k-6k")
    for above in (header, command):
        assert {row.block_size for row in read(above + report)[0]} == {None}
    short = report.replace("500MiB/10001msec", "5MiB/100msec")  # by the time alone 1 % off
    assert {row.block_size for row in read(short)[0]} == {None}


@pytest.mark.parametrize(
    ("figures", "size"),
    [
        ("IOPS=68.0k, BW=266MiB/s (279MB/s)(15.6GiB/60001msec)", 4096),
        ("IOPS=3316, BW=3316MiB/s (3477MB/s)(200GiB/61757msec)", 1 << 20),
        ("IOPS=28, BW=912KiB/s (934kB/s)(535MiB/600259msec)", None),  # 28.0 to 28.99
        ("IOPS=45.3k, BW=266MiB/s (279MB/s)(15.6GiB/60001msec)", None),  # 6 KiB
        ("IOPS=69.0k, BW=266MiB/s (279MB/s)(15.6GiB/60001msec)", None),  # 1.5 % off
    ],
)
def test_bandwidth_and_iops_of_a_result_without_a_block_tell_its_block_size(figures, size):
    rows, _ = read(f"  write: {figures}\n")
    assert {row.block_size for row in rows} == {size}
    assert {"inferred-block_size" in row.remarks for row in rows} == {size is not None}
    several = COMMAND.replace("randread --bs=4k", "randwrite --bsrange=2k-6k")
    rows, _ = read(f"{several}  write: {figures}\n")
    assert {row.block_size for row in rows} == {None}


def test_processes_have_one_block_size_or_none():
    def process(number, issued):
        job = JOB.replace("pid=7", f"pid={number}")
        return job + MOVED + ISSUED.format(issued) + END.format(1)

    total = "   READ: bw=100MiB/s (105MB/s), 50.0MiB/s-50.0MiB/s (52.4MB/s-52.4MB/s), "
    total += "io=1000MiB (1049MB), run=10001-10001msec\n"
    for second, size in ((128000, 4096), (127000, None), (64000, None)):
        rows, _ = read(process(7, 128000) + process(8, second) + GROUP + total)
        assert {row.block_size for row in rows} == {size}
        assert [
            row.value for row in rows if row.stat == "single" and row.metric == "bandwidth"
        ] == [pytest.approx(100 << 20, rel=0.01)]


@pytest.mark.parametrize("quoted", ["alias t='{}'", 'CMD="{}"', "  command: '{}'", '- "{}"'])
def test_a_command_in_quotes_is_one(quoted):
    command = COMMAND.removeprefix("$ ").strip()
    report = HEADER + JOB + RESULT + GROUP + TOTAL
    assert asked(f"{quoted.format(command)}\n$ t\n{report}") == [
        ("randread", 4096, 8 << 20, 1, 16, True)
    ]


def test_a_total_below_a_result_that_is_not_its_own_is_read_or_has_a_word():
    other = TOTAL.replace("50.0M", "25.0M").replace("52.4M", "26.2M")
    for total, found in ((TOTAL, []), (WRITTEN, ["write"]), (other, ["read"])):
        rows, _ = read(RESULT + "Of the other one:\n" + total)
        assert [row.op for row in rows if row.metric == "bandwidth"] == ["read", *found]
    rows, notes = read(
        RESULT + "Of another one:\n" + SUM.replace("150M", "15M").replace("157M", "15.7M")
    )
    assert len(rows) == 2
    assert "a part of a total of several jobs is not given" in notes[0].text


def test_a_result_below_the_totals_of_a_report_is_not_its_other_direction():
    report = HEADER + JOB + RESULT + GROUP + TOTAL
    written = RESULT.replace("read", "write").replace("50.0", "25.0").replace("52.4", "26.2")
    (_, read_run), (test, write_run) = [
        ((row.op, row.block_size, row.numjobs), row.run)
        for row in read(COMMAND + report + "\nWriting:\n" + written)[0]
        if row.metric == "bandwidth"
    ]
    assert test == ("write", 2048, None)  # by its own figures
    assert write_run != read_run


@pytest.mark.parametrize("rest", ["2026", "12:00:00 2026"])
def test_a_date_that_a_mail_carries_into_the_line_of_the_result_parts_them(rest):
    job, _, _ = JOB.partition(rest)
    filled = f"> {job.rstrip()}\n> {rest} {RESULT.strip()}; 0 zone\n> resets\n"
    whole = read(f"> {JOB}> {RESULT.strip()}; 0 zone\n> resets\n")[0]
    assert [(row.line, row.column - len(rest) - 1, row.value) for row in read(filled)[0]] == [
        (row.line, row.column, row.value) for row in whole
    ]
    assert len(read(filled)[0]) == 2


def test_the_end_of_the_sum_of_several_tests_says_the_depth_of_the_first():
    other = HEADER.replace("t:", "u:").replace("iodepth=16", "iodepth=32")
    job = JOB.replace("jobs=1", "jobs=2")
    for below, depth in ((other, None), (HEADER.replace("t:", "u:"), 16)):
        headers = HEADER.partition("\n")[0] + "\n" + below
        rows, _ = read(headers + job + RESULT + DEPTHS + END.format(16) + GROUP + TOTAL)
        assert {row.iodepth for row in rows} == {depth}


def looped(mode, process, name="t"):
    return report_of(mode, process).replace("t: (g", f"{name}: (g")


@pytest.mark.parametrize(
    "loop",
    [
        "$ for m in randread read; do {}; done\n",
        "$ for m in randread read\ndo\n  echo $m\n  {}\ndone\n",
        "#!/bin/sh\nrun() {{\n  {}\n}}\nrun randread\nrun read\n",
    ],
)
@pytest.mark.parametrize("printed", ["", "mode=read\n", "== read 1M ==\n"])
def test_all_reports_of_a_loop_have_what_its_command_says(loop, printed):
    command = "fio --name=t --rw=$m --bs=4k --iodepth=16 --ioengine=libaio --size=8m --direct=1"
    below = report_of("randread", 10) + printed + report_of("read", 11)
    assert asked(loop.format(command) + below) == [
        ("randread", 4096, 8 << 20, 1, 16, True),
        ("read", 4096, 8 << 20, 1, 16, True),
    ]


def test_a_mode_that_is_a_variable_mixes_as_the_command_says():
    command = "$ fio --name=t --rw=$m --rwmixread=70 --bs=4k --iodepth=16 --size=8m\n"
    report = report_of("randrw", 10) + report_of("randread", 11)
    rows = [row for row in read(command + report)[0] if row.metric == "bandwidth"]
    assert [(row.op, row.read_mix) for row in rows] == [("randread", 70), ("randread", None)]


@pytest.mark.parametrize(
    ("name", "known"),
    [("$m-${bs}", 8 << 20), ("a-$m", None), ('"$m-4k"', 8 << 20), ("${m}-8k", None)],
)
def test_the_name_of_a_job_may_be_made_of_variables(name, known):
    command = f"$ fio --name={name} --rw=$m --bs=$bs --iodepth=16 --size=8m --direct=1\n"
    below = looped("randread", 10, "randread-4k") + looped("read", 11, "read-4k")
    assert [row[2] for row in asked(command + below)] == [known, known]


def test_what_is_said_of_another_way_below_a_loop_leaves_that_open():
    command = "$ fio --name=t --rw=$m --bs=4k --iodepth=16 --size=8m --direct=1\n"
    below = report_of("randread", 10) + "Now without direct I/O:\n" + report_of("read", 11)
    assert [row[2:] for row in asked(command + below)] == [
        (8 << 20, 1, 16, True),
        (8 << 20, 1, 16, None),
    ]
    assert asked(command + below.replace("Now", "Other options:"))[1][2:] == (None, 1, 16, None)
    other = report_of("randread", 10) + report_of("read", 11).replace("4096B", "8192B")
    assert [row[2] for row in asked(command.replace("$m", "randread") + other)] == [8 << 20, None]


@pytest.mark.parametrize(
    ("above", "size"),
    [
        ("$ SIZE=8m\n", 8 << 20),
        ("[root@host ~]# export SIZE=8m MORE=2\n", 8 << 20),
        ('SIZE="8m"  # of the file\n\n', 8 << 20),
        ("BS=4k; SIZE='8m'; ", 8 << 20),
        ("SIZE=8m\nSIZE=16m\n", 16 << 20),
        ("SIZE=8m\nSIZE=$1\n", None),
        ("SIZE=8m\nfor SIZE in 8m 16m; do\n", None),
        ("SIZE=8m\nread SIZE\n", None),
        ("OTHER_SIZE=8m\n", None),
        ("fio --SIZE=8m\n", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("variable", ["$SIZE", "${SIZE}", '"$SIZE"', '"${SIZE}"'])
def test_a_variable_of_a_command_is_what_lines_above_it_set(above, size, variable):
    command = COMMAND.replace("--size=8m", f"--size={variable}").removeprefix("$ ")
    assert asked(above + command + HEADER + JOB + RESULT) == [("randread", 4096, size, 1, 16, True)]


def test_a_variable_may_hold_several_options():
    above = 'OPTIONS="--direct=1 --size=8m"\n$ fio $OPTIONS --name=t --rw=randread --bs=4k\n'
    assert asked(above + HEADER + JOB + RESULT) == [("randread", 4096, 8 << 20, 1, 16, True)]


def test_the_value_of_an_option_may_stand_in_the_next_line():
    command = COMMAND.replace("--size=8m", "--size \\\n    8m \\\n ")
    assert asked(command + HEADER + JOB + RESULT) == [("randread", 4096, 8 << 20, 1, 16, True)]


@pytest.mark.parametrize("before", ["    ", "  ", "\t", "> ", "> > ", "| ", "# ", "    // "])
def test_a_terse_record_in_a_block_of_code_or_a_quote_is_read(before):
    rows, plain = read(before + record())[0], read(record())[0]
    assert [(row.raw, row.op, row.stat) for row in rows] == [
        (row.raw, row.op, row.stat) for row in plain
    ]
    assert len(rows) > 0
    assert {row.column - one.column for row, one in zip(rows, plain, strict=True)} == {len(before)}


def test_a_read_below_what_a_block_wrote_is_of_another_test():
    block = JOB + RESULT.replace("read:", "write:") + RESULT  # grep -E "read|write"
    found = asked(HEADER.replace("randread", "randwrite") + block)
    assert [(op, depth) for op, _, _, _, depth, _ in found] == [("randwrite", 16), ("read", None)]


@pytest.mark.parametrize(
    "rest",
    ["\n-size=8m -direct=1 2>&1\n| tee log\n", "\n\\\n  -size=8m \\\n  -direct=1\n"],
)
def test_a_wrapped_command_may_end_with_a_pipe_or_go_on_behind_a_lone_backslash(rest):
    command = f"$ fio -name=t -rw=randread -bs=4k -iodepth=16{rest}"
    assert asked(command + HEADER + JOB + RESULT) == [("randread", 4096, 8 << 20, 1, 16, True)]


@pytest.mark.parametrize("option", ["--filename=/mnt/a.fio", "--filename a.job", "--output t.cfg"])
def test_the_file_that_is_written_is_no_job_file(option):
    command = TERSE_COMMAND.replace(" --minimal", f" {option} --minimal")
    assert asked(f"{command}\n{record()}")[-2:] == OF_RECORD


def test_a_total_alone_that_lost_a_carry_says_so():
    (row,), notes = read(TOTAL.replace("(52.4MB/s), 5", "(53.4MB/s), 5"))
    assert (row.value, row.remarks) == (53.4e6, ("unknown-pattern", "figures-disagree"))
    assert "loses a carry" in notes[0].text


@pytest.mark.parametrize("clones", ["", "...\n"])
def test_of_several_headers_of_one_name_each_report_has_its_own_in_turn(clones):
    first = HEADER[: HEADER.index("\n") + 1].replace("randread", "write")
    jobs = JOB + RESULT.replace("read", "write") + JOB.replace("pid=7", "pid=8") + RESULT
    rows = read(first + clones + HEADER + jobs)[0]
    ops = {row.op for row in rows if row.metric == "bandwidth"}
    assert ops == ({"write", "read"} if clones else {"write", "randread"})
    again = read(f"{first}fio-3.33\nStarting 1 process\n{HEADER}{JOB}{RESULT}")[0]
    assert {row.op for row in again} == {"randread"}


def test_a_run_that_a_signal_ended_before_its_report_is_not_the_one_below_it():
    ended = f"{HEADER}\nfio: terminating on signal 2\n\n{GROUP}"
    for above, status in ((ended, "measured"), ("fio: terminating on signal 2\n", "interrupted")):
        rows, _ = read(f"{above}{HEADER}{JOB}{RESULT}{GROUP}{TOTAL}")
        assert {row.status for row in rows} == {status}


WITH = "--bs=4k --size=8m --ioengine=libaio --iodepth=16"
READS = f"fio --name=t --rw=randread {WITH}"
REPORT = JOB + RESULT + GROUP + TOTAL
LATER = REPORT.replace("12:00", "12:30")
WRITES = HEADER.replace("read", "write") + REPORT.replace("read", "write").replace(" READ", "WRITE")
DIRECT, CACHED = (("randread", 4096, 8 << 20, 1, 16, is_direct) for is_direct in (True, False))


@pytest.mark.parametrize("between", ["; ", " && ", "; sync; sudo "])
def test_each_of_several_commands_in_a_line_has_its_own_options(between):
    line = f"$ {READS} --direct=1{between}fio --rw=randwrite --bs=4k --size=4m --name=u\n"
    bare = f"{line}{RESULT}{RESULT.replace('read', 'write')}"
    assert asked(bare) == [DIRECT, ("randwrite", 4096, 4 << 20, 1, 1, False)]
    second = WRITES.replace("t: (g", "u: (g").replace("libaio, iodepth=16", "psync, iodepth=1")
    whole = f"{line}{HEADER}{REPORT}{second}"
    assert asked(whole) == asked(bare)


def test_a_remark_behind_a_line_of_a_command_does_not_end_it():
    command = f"{READS} \\  # reads\n  --direct=1 \\ # of no cache\n  --runtime=9\n"
    assert asked(f"{command}{HEADER}{REPORT}") == [DIRECT]


@pytest.mark.parametrize("words", ["Results\nThe first:\n", "```\n\nand this is what I got:\n\n"])
def test_of_commands_above_all_results_holds_what_they_ask_alike(words):
    page = f"{READS} --direct=1\n{READS}\n{words}{HEADER}{REPORT}Second:\n{HEADER}{LATER}"
    assert asked(page) == [(*DIRECT[:5], None)] * 2
    assert asked(f"{READS} --direct=1\n{words}$ {READS}\n{HEADER}{REPORT}") == [CACHED]


def test_what_was_asked_for_instead_is_what_ran():
    known = asked(f"{READS} --direct=0\nHere with direct=1 instead:\n{HEADER}{REPORT}")
    assert known == [("randread", 4096, None, 1, 16, None)]
    assert (
        asked(f"{READS} --direct=1\nNow direct=0 instead of direct=1:\n{HEADER}{REPORT}") == known
    )


FILE = "[t]\nrw=randread\nbs=4k\nioengine=libaio\n"


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("The other disk:\n", DIRECT),
        ("The other disk:\n$ fio t.fio\n", DIRECT),
        ("With direct=0 in the file:\n$ fio t.fio\n", ("randread", 4096, None, 1, 16, None)),
        ("Without direct=1:\n", ("randread", 4096, None, 1, 16, None)),
        ("With a file of 16 GB:\n", ("randread", 4096, None, 1, 16, True)),
    ],
)
def test_words_above_a_later_report_of_a_job_file_leave_open_what_they_speak_of(words, known):
    first = f"{FILE}iodepth=16\nsize=8m\ndirect=1\n\n{HEADER}{REPORT}"
    assert asked(f"{first}{words}{HEADER}{LATER}") == [DIRECT, known]


def test_what_a_command_says_beside_its_job_file_is_no_default():
    file = f"{FILE}size=8m\n$ fio --direct=1 --iodepth=16 t.fio\n{HEADER}{REPORT}"
    assert asked(file) == [(*DIRECT[:5], None)]
    assert asked(file.replace("size=8m\n", "size=8m\ndirect=1\n")) == [DIRECT]


def test_a_job_file_that_says_neither_size_nor_place_is_an_excerpt():
    command = "$ fio --runtime=9 t.fio\n"
    excerpt = f"{FILE}iodepth=16\n\n{{}}{HEADER}{REPORT}"
    assert asked(excerpt.format(command)) == [("randread", 4096, None, 1, 16, None)]
    named = excerpt.format(command.replace("--runtime=9", "--filename=/dev/sdx"))
    assert asked(named) == [("randread", 4096, None, 1, 16, False)]


@pytest.mark.parametrize("engine", ["psync", "libpmem", "dev-dax", "libzbc"])
def test_an_engine_that_returns_when_all_is_done_has_a_depth_of_one(engine):
    assert asked(HEADER.replace("libaio", engine) + REPORT)[0][4] == 1


def test_a_loop_that_runs_one_of_two_commands_says_what_both_do():
    looped = "fio --name=t --rw=$m --bs=4k --size=8m --direct=1 --ioengine=libaio --iodepth=16"
    script = (
        f"  if [ $m = randrw ]; then\n    {looped} --rwmixread=70\n  else\n    {looped}\n  fi\n"
    )
    first = HEADER.replace("randread", "randwrite") + WRITES.split("process\n")[1]
    rows = read(f"for m in randwrite randrw; do\n{script}done\n\n{first}{MIXED}")[0]
    mixed = [row for row in rows if row.op == "randread"]
    assert {(row.file_size, row.direct, row.read_mix) for row in mixed} == {(8 << 20, True, None)}


MIXED = HEADER.replace("randread", "randrw") + LATER


@pytest.mark.parametrize(
    ("words", "depth"),
    [
        ("Before:\n", 16),
        ("Again, without the patch:\n", 16),
        ("With iodepth=1:\n", 0),
        ("QD1:\n", 0),
    ],
)
def test_words_above_a_bare_result_may_speak_of_other_options_than_its_job_file(words, depth):
    file = f"{FILE}iodepth=16\nsize=8m\n\n"
    assert asked(f"{file}{words}{RESULT}")[0][4] == (depth or None)
    assert asked(f"{file}{RESULT}\n{words}{RESULT.replace('160', '161')}")[1][4] == (depth or None)


def test_a_total_that_a_mail_broke_within_the_bytes_is_whole():
    broken = TOTAL.replace(" (8389kB)", "\n> (8389kB)")
    assert asked(f"> {broken}")[0][:2] == ("read", None)


@pytest.mark.parametrize(
    "behind", [" # add --direct=1", " && hdparm -t --direct /dev/sdx", "; sync | tee --direct=1 x"]
)
def test_what_stands_behind_a_command_is_none_of_its_options(behind):
    assert asked(f"$ {READS}{behind}\n{HEADER}{REPORT}") == [CACHED]
    assert asked(f"$ {READS}{behind}\n{RESULT}") == [CACHED]


def test_options_that_a_sentence_lists_have_commas_behind():
    listed = f"fio with --name=t, --rw=randread, {WITH.replace(' --', ', --')}, --direct=1:\n"
    assert asked(listed + RESULT) == [DIRECT]


def test_reports_without_headers_below_commands_of_one_name_have_what_they_ask_alike():
    page = f"{READS} --direct=1\nand of the cache:\n{READS}\n\nFirst:\n{REPORT}Second:\n{LATER}"
    assert asked(page) == [(*DIRECT[:5], None)] * 2
    assert asked(f"{READS} --direct=1\n{REPORT}{READS}\n{LATER}") == [DIRECT, CACHED]


@pytest.mark.parametrize(
    "options", ["--readwrite=randread --blocksize=4k", "--rw=randread --bs=4k"]
)
def test_an_option_means_the_same_by_each_of_its_names(options):
    command = f"fio --name=t {options} --size=8m --ioengine=libaio --iodepth=16"
    assert asked(f"{command}\nAs said, with bs=4k and rw=randread:\n{HEADER}{REPORT}") == [CACHED]
    file = command.replace("fio --name=t ", "[t]\n").replace(" --", "\n").replace("--", "")
    assert asked(f"{file}\n\n{RESULT}") == [CACHED]
    assert asked(f"{command} --bs=8k --blocksize=4k\n{RESULT}") == [CACHED]
    assert asked(f"{command} --blocksize $BS\n{HEADER}{REPORT}") == [CACHED]


def test_a_job_file_may_leave_its_mode_to_the_command_that_names_it():
    shared = "[global]\ndirect=1\nfilename=/dev/sdx\n\n[t]\n\n"
    command = "$ fio ./t.fio --rw=randread --bs=4k --iodepth=16 --ioengine=libaio\n"
    of_file = ("randread", 4096, None, 1, 16, True)
    assert asked(f"{shared}{command}{HEADER}{REPORT}") == [of_file]
    assert asked(f"{shared}{HEADER}{REPORT}") == [(*of_file[:5], None)]


@pytest.mark.parametrize(("second", "is_direct"), [("/root/t.fio", True), ("./u.fio", None)])
def test_a_job_file_that_is_not_shown_is_not_the_one_above(second, is_direct):
    first = f"{FILE}direct=1\nsize=8m\niodepth=16\n$ fio t.fio\n{HEADER}{REPORT}"
    later = f"$ fio {second}\n{HEADER}{LATER}"
    assert [row[5] for row in asked(first + later)] == [True, is_direct]
    again = f"{HEADER}{LATER.replace('12:30', '12:50')}"
    assert [row[5] for row in asked(first + later + again)] == [True, is_direct, is_direct]


def test_of_sections_of_one_name_a_report_has_the_one_that_its_header_fits():
    sections = f"{FILE}iodepth=16\nsize=8m\ndirect=1\n[t]\nrw=randwrite\nbs=4k\nsize=4m\n\n"
    second = WRITES.replace("libaio, iodepth=16", "psync, iodepth=1").replace("12:00", "12:30")
    written = ("randwrite", 4096, 4 << 20, 1, 1, False)
    assert asked(f"{sections}{HEADER}{REPORT}{second}") == [DIRECT, written]


def test_words_between_a_job_file_and_its_report_may_be_of_other_options():
    file = f"{FILE}iodepth=16\nsize=8m\ndirect=1\n\n"
    assert asked(f"{file}Result:\n{HEADER}{REPORT}") == [DIRECT]
    assert asked(f"{file}Result with direct=0:\n{HEADER}{REPORT}")[0][5] is None
