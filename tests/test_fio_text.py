"""fio's report for people and terse records: what is no result, and what a bare result was."""

import re
from functools import partial

import corpus_logs
import pytest
from corpus_logs import logs_of

from sdanalysis.parsers.fio.commands import is_command
from sdanalysis.parsers.fio.interim import is_regular

read = partial(corpus_logs.read, "fio")
VALID = corpus_logs.CORPUS / "fio" / "valid"
HUMAN = (VALID / "seed-randrw75--3.33.log").read_text()
SHARES = (VALID / "shares-normal--3.33.log").read_text()
INTERVAL = (VALID / "human-status-interval--3.33.log").read_text()
CLIENTS = (VALID / "human-client--3.33.log").read_text()
TERSE = (VALID / "terse-v3-unified-both--3.33.log").read_text()
HEADER = "t: (g=0): rw=randread, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, (T) 128KiB-128KiB, "
HEADER += "ioengine=posixaio, iodepth=32\n"
RESULT = "  read: IOPS=24.9k, BW=390MiB/s (409MB/s)(22.8GiB/60001msec)\n"
COMMAND = "$ fio --rw=randread --bs=16384 --iodepth=128 --direct=1 --ioengine=libaio\n"
JOB = "t: (groupid=0, jobs=1): err= 0: pid=7: Sun Nov 22 12:00:00 2026\n"
NOTE = "found no `Run status group` below the job, expected one: the text ends early"


def texts(content):
    return [problem.text for problem in read(content)[1]]


TOLD = "rw = randrw, bs = 4k, iodepth = 8, numjobs = 1\n\n"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (TOLD.replace("4k", "16k"), ("randread", 16384, 8)),
        (TOLD.replace("randrw", "randread").replace("4k", "16384"), ("randread", 16384, 8)),
        (TOLD.replace("randrw", "randwrite"), ("read", None, None)),  # it was a read
        (TOLD, ("read", None, None)),  # 390 MiB/s at 24.9k are not of 4 KiB
        (TOLD.replace("4k", "16k").replace("numjobs = 1", "numjobs = 2"), ("read", None, None)),
        (TOLD.replace("4k", "16k") + "\n" * 9, ("read", None, None)),
    ],
)
def test_a_line_of_options_speaks_for_the_report_right_below_it(above, expected):
    rows, _ = read(above + JOB + RESULT)
    assert {(row.op, row.block_size, row.iodepth) for row in rows} == {expected}
    assert {row.direct for row in rows} == {None}


@pytest.mark.parametrize("mark", ["*", "**"])
def test_a_figure_in_bold_is_read(mark):
    line = "  read : io=1024.0MB, bw=34952KB/s, {0}iops=8738{0}, runt= 30000msec\n"
    rows, problems = read(JOB + line.format(mark))
    plain, said = read(JOB + line.format(""))
    assert [(row.metric, row.raw) for row in rows] == [("iops", "8738"), ("bandwidth", "34952")]
    assert [(row.metric, row.value) for row in rows] == [(row.metric, row.value) for row in plain]
    assert problems == said


def test_latencies_of_fsync_are_rows_of_their_own():
    text = (VALID / "fsync--3.33.log").read_text()
    rows, said = read(text)
    assert [(row.op, row.stat, row.raw) for row in rows if row.line == 17] == [
        *[("fsync", "mean", "221.74"), ("fsync", "min", "161")],
        *[("fsync", "max", "1443"), ("fsync", "stddev", "162.89")],
    ]
    assert {row.block_size for row in rows} == {4096}
    assert said == []
    random = text.replace("rw=write", "rw=randwrite")
    assert {row.op for row in read(random)[0]} == {"randwrite", "randfsync"}
    cut = text[: text.index("    sync (usec)") + 12]
    assert any("latencies of fsync" in one.text for one in read(cut)[1])
    assert not any("sync" in row.op for row in read(HUMAN)[0])


def test_latencies_of_fsync_without_their_block_are_of_the_command_above():
    text = (VALID / "fsync--3.33.log").read_text()
    bare = text[text.index("  fsync/") : text.index("  cpu")]
    rows, _ = read(f"$ fio --rw=randwrite --bs=4k --size=1m --fsync=1\n\n{bare}\n")
    assert {(row.op, row.block_size, row.file_size) for row in rows} == {("randfsync", 4096, 2**20)}
    assert {row.remarks for row in read(bare)[0]} == {("unknown-pattern",)}
    reading, _ = read(f"$ fio --rw=randread --bs=4k --size=1m\n\n{bare}\n")
    assert {(row.op, row.block_size) for row in reading} == {("fsync", None)}
    several = text[: text.index("\n") + 1] + "...\n"
    assert {row.op for row in read(f"{several}{bare}\n")[0]} == {"fsync"}
    # of several commands it is the one that asks for them
    other, synced = "$ fio --rw=$rw --bs=8k\n", "$ fio --rw=write --bs=2300 --fdatasync=1\n"
    for before in (f"{other}\n{synced}", f"{synced}\n{other.replace('$rw', 'write')}"):
        assert {row.block_size for row in read(f"{before}\n{bare}\n")[0]} == {2300}
    assert {row.block_size for row in read(f"{synced}\n{synced}\n{bare}\n")[0]} == {None}


@pytest.mark.parametrize(
    ("container", "direct"),
    [
        ("sudo docker run me:fio.alpine", True),
        ("docker run --rm --name fio_a -v /a:/b me/fio-tools:3.1", True),
        ("docker run --name=fio_test --volume=/a:/b ubuntu fio", True),
        ("podman run -it host.io/me/fio", True),
        ("docker run --name=fio_test ubuntu ./bench", None),
        ("./me:fio.alpine", None),
    ],
)
def test_the_image_of_a_container_may_be_fio(container, direct):
    asked = "--name=t --rw=randread --bs=128k --ioengine=posixaio --iodepth=32 --direct=1"
    rows, _ = read(f"$ {container} {asked}\n{HEADER}{JOB}{RESULT}")
    assert {row.direct for row in rows} == {direct}


def test_latencies_of_fsync_of_several_processes_are_left_out_with_a_word():
    synced = (
        "  fsync/fdatasync/sync_file_range:\n    sync (usec): min=1, max=9, avg=5.00, stdev=1.00\n"
    )
    block = JOB + RESULT + synced
    group = "\nRun status group 0 (all jobs):\n   READ: bw=780MiB/s (818MB/s), 390MiB/s-390MiB/s\n"
    twice = block + block.replace("pid=7", "pid=8")
    rows, said = read(twice + group)
    assert not any("sync" in row.op for row in rows)
    assert sum("of one of several processes" in one.text for one in said) == 2
    alone = group.replace("780MiB/s (818MB/s)", "390MiB/s (409MB/s)")
    assert any(row.op == "fsync" for row in read(block + alone)[0])


def statuses(content):
    return {row.status for row in read(content)[0]}


def test_a_mean_latency_beyond_the_run_time_is_left_out_with_a_word():
    """gtod_reduce of fio 2.1.11 prints 8.8 days for a job of 30 s."""
    line = "  read : io=1024.0MB, bw=34952KB/s, iops=8738, runt= 30000msec\n"
    latency = "     lat (msec): min=0, max=756537530, avg={}, stdev= 0.00\n"
    for mean, count in (("756537530.00", 0), ("30003.00", 0), ("30001.00", 2)):
        rows, problems = read(JOB + line + latency.format(mean))
        assert [row.metric for row in rows].count("latency") == count
        assert any("in a job that ran 30000 ms" in one.text for one in problems) == (count == 0)


def conditions(content):
    """What is said of results; of the block size not what their own figures tell."""
    rows, _ = read(content)
    told = [
        row._replace(block_size=None, remarks=row.remarks[:-1])
        if "inferred-block_size" in row.remarks
        else row
        for row in rows
    ]
    return {(row.op, row.block_size, row.iodepth, row.remarks) for row in told}


UNKNOWN = {("read", None, None, ("unknown-pattern",))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (COMMAND + RESULT, {("randread", 16384, 128, ())}),
        (
            COMMAND.replace(" --iodepth", " \\\n> --iodepth") + RESULT,
            {("randread", 16384, 128, ())},
        ),
        (COMMAND.replace("--", "-") + RESULT, {("randread", 16384, 128, ())}),
        (HEADER + RESULT.replace("24.9k", "3120"), {("randread", 131072, 32, ())}),
        (HEADER + RESULT, UNKNOWN),  # 24.9k of 128 KiB are no 390 MiB
        (HEADER + "...\n" + RESULT.replace("24.9k", "3120"), UNKNOWN),  # several processes
        (COMMAND + HEADER + RESULT, UNKNOWN),
        # of two commands above it a result has what both say, or the one that it may be of
        (COMMAND + COMMAND + RESULT, {("randread", 16384, 128, ())}),
        (COMMAND + COMMAND.replace("=128", "=1") + RESULT * 2, {("randread", 16384, None, ())}),
        (COMMAND + COMMAND.replace("dread", "dwrite") + RESULT, {("randread", 16384, 128, ())}),
        (
            COMMAND + COMMAND.replace("dread", "dwrite") + RESULT * 2,
            {("randread", 16384, 128, ()), ("read", None, None, ("unknown-pattern",))},
        ),
        (COMMAND + COMMAND.replace("--direct=1", "--numjobs=4") + RESULT, UNKNOWN),
        (COMMAND.replace("randread", "randwrite") + RESULT, UNKNOWN),
        (COMMAND.replace("--direct=1", "--numjobs=4") + RESULT, UNKNOWN),
        (COMMAND.replace("--direct=1", "ssd.fio") + RESULT, UNKNOWN),
        (RESULT, UNKNOWN),
        # of a range of sizes the size of no operation is known, but the rest is
        (COMMAND.replace("--bs=16384", "--bsrange=4k-16k") + RESULT, {("randread", None, 128, ())}),
        # a direction that the command did not ask for is of another test
        (
            COMMAND + RESULT + RESULT.replace("read:", "write:"),
            {("randread", 16384, 128, ()), ("write", None, None, ("unknown-pattern",))},
        ),
        (
            COMMAND.replace("randread", "randrw") + RESULT + RESULT.replace("read:", "write:"),
            {("randread", 16384, 128, ()), ("randwrite", 16384, 128, ())},
        ),
    ],
)
def test_a_bare_result_is_of_the_test_above_it_where_nothing_contradicts(text, expected):
    assert conditions(text) == expected


def test_an_engine_that_waits_for_each_operation_has_a_queue_of_one():
    header = HEADER.replace("posixaio", "psync")
    assert header != HEADER
    fitting = RESULT.replace("24.9k", "3120")
    assert conditions(header + fitting) == {("randread", 131072, 1, ())}
    for engine, depth in (("=psync", 1), ("=libaio", 128), ("", None)):  # none: which is not said
        command = COMMAND.replace(" --ioengine=libaio", f" --ioengine{engine}" if engine else "")
        assert conditions(command + RESULT) == {("randread", 16384, depth, ())}
    assert conditions(command.replace("=128", "=1") + RESULT) == {("randread", 16384, 1, ())}


def test_the_block_sizes_of_2_17_under_development_stand_between_commas():
    sizes = "bs=131072B-131072B,131072B-131072B,131072B-131072B, "
    header = re.sub(r"bs=.*\(T\) \S+ ", sizes, HEADER)
    assert header != HEADER
    assert conditions(header + RESULT.replace("24.9k", "3120")) == {("randread", 131072, 32, ())}


MAILED = (
    "> t: (g=0): rw=randread, bs=(R) 16.0KiB-16.0KiB, (W)\n> 16.0KiB-16.0KiB, (T) "
    "16.0KiB-16.0KiB, ioengine=io_uring, iodepth=8\n"
)
MAILED_COMMAND = (
    "> $ fio --name=t --rw=randread\n> --bs=16k --direct=1\n> --iodepth=8 --ioengine=libaio\n"
)
TOTALS = "\nRun status group 0 (all jobs):\n   READ: bw=390MiB/s (409MB/s), run=60001-60001msec\n"


@pytest.mark.parametrize(
    ("above", "direct"),
    [
        (MAILED, None),
        (MAILED_COMMAND, True),
        (MAILED_COMMAND + MAILED, True),
        (MAILED_COMMAND.replace("--bs", "it was --bs"), None),
    ],
)
def test_what_a_mail_program_wrapped_above_a_report_is_read(above, direct):
    rows, problems = read(above + "".join(f"> {line}\n" for line in (JOB + RESULT).splitlines()))
    known = "was" not in above
    assert {row.block_size for row in rows} == {16384 if known else None}
    assert {row.iodepth for row in rows} == {8 if known else None}
    assert {row.direct for row in rows} == {direct}
    assert {row.op for row in rows} == {"randread" if known else "read"}
    assert [one.text for one in problems] == [NOTE]


LONG_COMMAND = "".join(
    f"> {part}\n"
    for part in (
        "$ fio --name=t --rw=randread", "--ioengine=io_uring --thread", "--filename=/mnt/f",
        "--size=1G --time_based", "--runtime=15s", "--bs=16k --iodepth=8", "--direct=1",
    )
)  # fmt: skip
WRAPPED_TOTAL = (
    "> Run status group 0 (all jobs):\n>    READ: bw=3311KiB/s (3391kB/s), 3311KiB/s-3311KiB/s\n"
    "> (3391kB/s-3391kB/s), io=48.5MiB (50.9MB), run=15001-15001msec\n"
)


def test_a_command_of_many_wrapped_lines_is_read_to_its_end():
    """An option that was not joined would be read as its default: no direct access."""
    rows, _ = read(LONG_COMMAND + JOB + RESULT)
    assert {(row.direct, row.iodepth, row.block_size) for row in rows} == {(True, 8, 16384)}


@pytest.mark.parametrize("rest", [" | tee t.log", " 2>&1", " --filename='a b'"])
def test_the_last_line_of_a_wrapped_command_may_hold_more_than_options(rest):
    rows, _ = read(LONG_COMMAND.rstrip() + rest + "\n" + JOB + RESULT)
    assert {(row.direct, row.block_size) for row in rows} == {(True, 16384)}


def test_a_wrapped_total_of_one_job_is_of_the_command_above_it_alone():
    deeper = LONG_COMMAND.replace("depth=8", "depth=4").replace("randread", "read")
    rows, problems = read(LONG_COMMAND + MAILED + WRAPPED_TOTAL + deeper + WRAPPED_TOTAL)
    assert [(row.op, row.iodepth, row.direct, row.value) for row in rows] == [
        ("randread", 8, True, 3311 * 1024),
        ("read", 4, True, 3311 * 1024),
    ]
    assert problems == []


@pytest.mark.parametrize(
    ("parted", "whole"),
    [
        ("--bs=16k -\n> -iodepth=8 --direct=1\n", "--bs=16k\n> --iodepth=8 --direct=1\n"),
        ("--bs=16k --eta-\n> newline=1 --direct=1\n", "--bs=16k\n> --direct=1\n"),
        ("--bs=16k\n> --eta-newline=1 --direct=1\n", "--bs=16k\n> --direct=1\n"),
    ],
)
def test_a_command_goes_on_behind_a_hyphen_that_mail_broke_it_at(parted, whole):
    above, report = "> $ fio --name=t --rw=randread ", "> " + JOB + "> " + RESULT
    rows, _ = read(above + parted + report)
    plain, _ = read(above + whole + report)
    assert [row.direct for row in rows] == [row.direct for row in plain] == [True, True]
    assert [row.iodepth for row in rows] == [row.iodepth for row in plain]


def test_a_header_that_a_terminal_broke_in_a_word_is_read():
    header = MAILED.replace("ioengine", "io\n> engine")
    rows, _ = read(header + f"> {JOB}> {RESULT}")
    assert {(row.op, row.block_size, row.iodepth) for row in rows} == {("randread", 16384, 8)}


def test_each_total_without_blocks_is_of_the_command_above_it():
    text, rate = "", "390MiB/s (409MB/s)"
    totals = TOTALS.replace(rate, f"{rate}, 390MiB/s-{rate.replace(' (', ' (409MB/s-')}, io=2GiB")
    assert totals != TOTALS
    for size in ("8k", "16k"):
        header = HEADER.replace("128KiB", size.replace("k", ".0KiB"))
        text += f"fio -name=t -bs={size} -rw=randread -direct=1\n{header}result:{totals}"
    rows, problems = read(text)
    assert [(row.op, row.block_size, row.direct) for row in rows] == [
        ("randread", 8192, True),
        ("randread", 16384, True),
    ]
    assert problems == []


def test_a_wrapped_total_without_its_times_stays_what_it_was():
    cut = WRAPPED_TOTAL[: WRAPPED_TOTAL.index(", run=")] + "\n"
    plain = LONG_COMMAND.replace("$ fio", "$ other")
    assert plain != LONG_COMMAND
    rows, problems = read(plain + cut + "> and so on\n")
    assert rows == []
    assert "a part of a total of several jobs is not given" in problems[0].text
    assert len(read(LONG_COMMAND + cut + "> and so on\n")[0]) == 1


TWO = "$ fio --ioengine=posixaio --direct=1{} --name=t --rw=randread --bs=128k --iodepth=32 "
TWO += "--name=u --rw=randread --bs=128k --iodepth=32{}\n"
TWO_HEADERS = HEADER + HEADER.replace("t: ", "u: ", 1)
BOTH_JOBS = JOB.replace("jobs=1", "jobs=2") + RESULT.replace("24.9k", "3120")


def test_the_jobs_of_a_command_share_the_options_before_the_first_name():
    block = JOB.replace("t: ", "u: ", 1) + RESULT.replace("24.9k", "3120")
    for first, last, direct in (("", "", True), ("", " --direct=0", False)):
        rows, _ = read(TWO.format(first, last) + TWO_HEADERS + block)
        assert {row.direct for row in rows} == {direct}
    rows, _ = read(TWO.format("", "").replace("=u", "=t") + HEADER + block.replace("u: ", "t: "))
    assert {row.direct for row in rows} == {None}  # two jobs of one name


def test_the_sum_of_a_group_has_only_what_its_jobs_share():
    command = TWO.format(" --group_reporting", "")
    (same,) = {
        (r.direct, r.block_size, r.iodepth) for r in read(command + TWO_HEADERS + BOTH_JOBS)[0]
    }
    assert same == (True, 131072, 32)
    other = command.replace("u --rw=randread", "u --direct=0 --rw=read")
    headers = HEADER + HEADER.replace("t: ", "u: ", 1).replace("128KiB", "64KiB").replace(
        "=32", "=1"
    ).replace("randread", "read")
    rows, _ = read(other + headers + BOTH_JOBS)
    assert {(row.op, row.direct, row.block_size, row.iodepth) for row in rows} == {
        ("read", None, None, None)
    }
    assert {row.remarks for row in rows} == {("unknown-pattern",)}


def test_of_a_sum_of_reads_and_writes_each_has_the_block_size_of_its_own_job():
    headers = HEADER + HEADER.replace("t: ", "u: ", 1).replace("read", "write").replace("128", "64")
    write = RESULT.replace("read", "write").replace("24.9k", "6240")
    rows, _ = read(headers + BOTH_JOBS + write)
    assert {(row.op, row.block_size) for row in rows} == {
        ("randread", 131072),
        ("randwrite", 65536),
    }


def test_options_before_the_first_name_of_a_command_hold_for_all_its_jobs():
    command = "fio --direct=1 --size=1g --bs=16k --name=t --rw=randread --name=u --direct=0\n"
    header = HEADER.replace("128KiB", "16.0KiB")
    headers = header + header.replace("t: ", "u: ", 1)
    jobs = JOB + RESULT + JOB.replace("t: ", "u: ", 1) + RESULT
    for text in (command + headers + jobs, command + jobs):
        rows, _ = read(text)
        assert [(row.direct, row.file_size) for row in rows] == [(True, 2**30)] * 2 + [
            (False, 2**30)
        ] * 2
    rows, _ = read("fio --name=global --direct=1 --name=t --bs=128k\n" + HEADER + JOB + RESULT)
    assert {row.direct for row in rows} == {True}
    rows, _ = read("fio --name=t --direct=1 --name=t --bs=128k\n" + HEADER + JOB + RESULT)
    assert {row.direct for row in rows} == {None}


def test_a_header_without_its_end_takes_no_line_of_another():
    rows, _ = read(MAILED[: MAILED.index("16.0KiB, io")] + "\n> fio-3.33\n" + JOB + RESULT)
    assert {row.iodepth for row in rows} == {None}


def test_sums_over_all_clients_are_no_reports_of_one_process():
    clients = "All clients: (groupid=0, jobs=4): err= 0: pid=0: Wed Aug 12 15:4{}:00 2020\n"
    text = f"# grep r.txt\n{clients.format(0)}{RESULT}\n# grep w.txt\n{clients.format(2)}{RESULT}"
    assert statuses(text + "# vi\n# ls\n") == {"measured"}


def test_both_sides_of_a_difference_are_results():
    rows, _ = read(f"-{RESULT}+{RESULT.replace('24.9k', '24.8k')}")
    assert [row.raw for row in rows if row.metric == "iops"] == ["24.9k", "24.8k"]


@pytest.mark.parametrize(
    ("command", "result", "expected"),
    [
        (" --name=t --", RESULT, {("randread", 16384, 128, ())}),
        (" --name=other --", RESULT, UNKNOWN),
        (" --name=t --", RESULT.replace("24.9k", "3120"), UNKNOWN),  # of another block size
        (" --name=t --", RESULT.replace("read:", "write:"), {("write", *next(iter(UNKNOWN))[1:])}),
    ],
)
def test_a_block_without_its_header_is_of_the_command_that_names_it(command, result, expected):
    block = "t: (groupid=0, jobs=1): err= 0: pid=5: Sat May  2 12:00:00 2020\n"
    totals = "\nRun status group 0 (all jobs):\n"
    asked = COMMAND.replace(" --", command, 1)
    assert conditions(asked + block + result + totals) == expected
    later = block.replace("12:00:00", "13:00:00")
    both = [block + RESULT + totals, later + RESULT + totals]
    for between, again in (("", "=t" in command), ("with another option:\n", False)):
        rows, _ = read(asked + between.join(both))
        sizes = [row.block_size for row in rows if row.metric == "iops"]
        assert sizes[1] == (16384 if again else None)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        *(("$ sudo fio --name=a", True), ("./fio -name=a", True), ("fio \\", True)),
        *(("the fio tool", False), ("-rw-r--r-- 1 pi", False), ("profio --name=a", False)),
    ],
)
def test_a_command_of_fio_has_its_name_and_an_option(text, begins):
    assert is_command(text) == begins


@pytest.mark.parametrize(
    ("gaps", "regular"),
    [  # ms: whole seconds, 50 ms around them; of less than half a second a quarter around the first
        *(([1001, 999], True), ([1050, 1950 - 1000], True), ([1001, 1051], False)),
        *(([2000, 2040], True), ([2000, 1000], False), ([1051], False), ([1000, 949], False)),
        *(([100, 125], True), ([100, 126], False), ([100, 75], True), ([400, 451], False)),
        *(([0], False), ([0, 0], False)),
    ],
)
def test_reports_come_on_a_beat_of_whole_seconds(gaps, regular):
    assert is_regular(gaps) == regular


def test_a_command_is_of_the_results_up_to_the_next_command():
    rows, _ = read(COMMAND + RESULT + RESULT + COMMAND.replace("16384", "4k") + RESULT)
    assert [row.op for row in rows if row.metric == "iops"] == ["randread", "randread", "read"]
    assert len({row.run for row in rows}) == 3


def test_the_mixed_record_of_a_terse_log_is_never_a_trim():
    for name in ("terse-v3-unified-both", "terse-v5-unified-both", "terse-v4-unified-mixed"):
        content = (VALID / f"{name}--3.33.log").read_text()
        places = [*range(0, len(content), 3), len(content)]
        found = {row.op for end in places for row in read(content[:end])[0]}
        assert found == ({"read", "write"} if "both" in name else {"mixed"})


def test_the_views_of_a_run_with_a_mixed_sum_count_once():
    people = (VALID / "human-unified-both--3.33.log").read_text()
    assert {row.op for row in read(people)[0]} == {"randread", "randwrite"}
    assert texts(people) == [
        "unified_rw_reporting=both: the mixed figures are the sum of the others: left out"
    ]


def test_an_extreme_has_the_range_that_its_letters_leave_open():
    line = "     lat (usec): min=5, max=93.0k, avg= 7.50, stdev= 1.25\n"
    rows = {row.stat: row for row in read(JOB + RESULT + line)[0] if row.metric == "latency"}
    assert (rows["min"].value_low, rows["min"].value_high) == pytest.approx((5e-6, 6e-6))
    assert (rows["max"].value_low, rows["max"].value_high) == pytest.approx((0.09295, 0.094))
    assert rows["max"].raw == "93.0k"
    assert rows["stddev"].value == pytest.approx(1.25e-6)
    assert "stddev" not in {row.stat for row in read(JOB + RESULT + line[:-3])[0]}


@pytest.mark.parametrize(("least", "is_told"), [(7, True), (6, False)])
def test_equal_latencies_have_a_standard_deviation_of_zero(least, is_told):
    line = f"     lat (usec): min={least}, max=7, avg= 7.00, stdev= 0.00\n"
    rows, problems = read(JOB + RESULT + line)
    spread = [(row.value, row.value_low) for row in rows if row.stat == "stddev"]
    assert spread == [(0, 0)] * is_told
    assert any("0 for the stddev" in problem.text for problem in problems) != is_told


def test_a_report_that_ends_before_its_totals_is_no_result():
    before = HUMAN[: HUMAN.index("Run status group")]
    assert statuses(HUMAN) == {"measured"}
    assert statuses(before) == {"partial"}
    assert texts(before) == [NOTE]
    total = HUMAN[: HUMAN.index("  WRITE: ") + 30]
    assert statuses(total) == {"partial"}


def test_a_part_of_a_report_with_other_text_below_it_is_pasted_and_a_result():
    before = HUMAN[: HUMAN.index("Run status group")]
    assert statuses(before + "That is slow.\nWhat can I do?\n") == {"measured"}
    assert statuses(before + HUMAN) == {"measured"}


def test_words_between_the_jobs_of_a_report_are_no_words_below_it():
    other = JOB.replace("t:", "u:", 1).replace("groupid=0", "groupid=1")
    assert statuses(f"{JOB}{RESULT}some words\n{other}{RESULT}") == {"partial"}
    assert statuses(f"{JOB}{RESULT}{other}{RESULT}some words\nand more\n") == {"measured"}


def test_a_terse_record_that_is_cut_behind_a_direction_keeps_it():
    record = (VALID / "terse-loop--3.33.log").read_text().splitlines()[0]
    end = record.index("%;", record.index("99.916458")) + len("%;1196.000000;5.656854;1196;")
    whole = {(row.op, row.metric, row.stat, row.raw) for row in read(record + "\n")[0]}
    cut = {(row.op, row.metric, row.stat, row.raw) for row in read(record[:end])[0]}
    assert cut and cut < whole


def test_the_share_of_a_total_that_is_rounded_to_nothing_tells_no_total():
    record = (VALID / "terse-loop--3.33.log").read_text().splitlines()[0]
    assert "99.916458%;1196.000000" in record
    text = record.replace("99.916458%;1196.000000", "0.000000%;500.000000") + "\n"
    assert [row.stat for row in read(text)[0]] == [row.stat for row in read(record + "\n")[0]]
    assert statuses(text) == {"measured"}


@pytest.mark.parametrize("word", ["Killed", "[1]+  Killed     fio --name=r", "zsh: killed   fio r"])
def test_a_report_above_the_word_killed_is_an_interim_one(word):
    assert statuses(HUMAN + word + "\n$ \n") == {"running"}
    assert statuses(HUMAN[: HUMAN.index("Run status group")] + word + "\n") == {"interrupted"}
    assert statuses(HUMAN + "$ make all\n" + word.partition("fio")[0] + "\n") == {"measured"}


@pytest.mark.parametrize("time", ["(1076KiB/894msec)", "(2276KiB/1893msec)", "(3600KiB/3001msec)"])
def test_a_report_whose_time_was_broken_off_is_no_quotation_and_no_exception(time):
    broken = INTERVAL.replace(time, f"=0.0%, >=64=0.0%\n   {time}")
    assert len(read(broken)[0]) == len(read(INTERVAL)[0])


def test_the_last_report_is_a_result_only_where_it_comes_off_the_beat():
    reports = INTERVAL.split("r: (groupid=0")
    for count, last in ((3, "running"), (4, "running"), (5, "measured")):
        rows, _ = read("r: (groupid=0".join(reports[:count]))
        assert rows[-1].status == last
        assert {row.status for row in rows if row.line < rows[-1].line - 5} == {"running"}


@pytest.mark.parametrize(
    ("started", "is_read"), [("", True), ("fio-3.33\nStarting 1 process\n", False)]
)
def test_a_header_of_which_fio_did_not_start_announces_no_report(started, is_read):
    record = (VALID / "terse-loop--3.33.log").read_text().splitlines()[0]
    name = record.split(";")[2]
    command = f"$ fio --name={name} --rw=randrw --bs=4k --size=8m --name=b --rw=read --minimal\n"
    header = f"{name}: (g=0): rw=randrw, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\n"
    rows, problems = read(f"{command}{header}{started}{record}\n")
    assert bool(rows) == is_read
    assert any("the log is cut" in problem.text for problem in problems) != is_read
    assert {row.op for row in rows} == ({"randread", "randwrite"} if is_read else set())


def test_a_terse_record_that_comes_on_the_beat_is_an_interim_one():
    records = (VALID / "terse-status-interval--3.33.log").read_text().splitlines(keepends=True)
    for count in (2, 3, 4):
        assert statuses("".join(records[:count])) == {"running"}
    assert read("".join(records))[0][-1].status == "measured"


def test_what_replaces_the_records_of_one_job_leaves_the_other_jobs_alone():
    records = (VALID / "terse-status-interval--3.33.log").read_text().splitlines(keepends=True)
    other = records[-1].replace(";r;", ";other;", 1)
    for text in (other + "".join(records), "".join(records) + other):
        found = [row.status for row in read(text)[0] if row.metric == "bandwidth"]
        assert sorted(found) == ["measured"] * 2 + ["running"] * 4
        assert texts(text) == ["--status-interval: 4 earlier reports of the job are no results"]


@pytest.mark.parametrize(
    ("name", "second", "status"),
    [
        ("v", "rw=randrw", "partial"),  # a process of the same test in the same group
        ("v", "rw=randread", "measured"),
        ("v (g=1)", "rw=randrw", "measured"),
    ],
)
def test_a_job_whose_twin_was_announced_and_is_not_there_is_a_share(name, second, status):
    jobs = [match.start() for match in re.finditer(r"^w: \(groupid", SHARES, re.M)]
    header, rest = (SHARES[: jobs[1]] + SHARES[SHARES.index("Run status") :]).split("\n...\n")
    twin = header.replace("rw=randrw", second).replace("w:", f"{name[0]}:", 1)
    twin = twin.replace("g=0", "g=1" if "g=1" in name else "g=0")
    text = f"{header}\n{twin}\n{rest}"
    assert statuses(text) == {status}
    assert ("shares, and no sum" in " ".join(texts(text))) == (status == "partial")
    # of how many processes a share is, the log does not say
    assert {row.numjobs for row in read(text)[0]} == {None if status == "partial" else 1}


def test_two_tests_of_a_group_whose_total_is_not_theirs_are_results_of_their_own():
    jobs = [match.start() for match in re.finditer(r"^w: \(groupid", SHARES, re.M)]
    totals = SHARES[SHARES.index("Run status") :]
    header, first = SHARES[: jobs[1]].split("\n...\n")
    other = header.replace("w:", "v:", 1).replace("rw=randrw", "rw=rw")
    second = SHARES[jobs[1] : jobs[2]].replace("w:", "v:", 1)
    rows, problems = read(f"{header}\n{other}\n{first}{second}{totals}")
    assert {row.op for row in rows} == {"randread", "randwrite", "read", "write"}
    assert {row.stat for row in rows if row.metric == "bandwidth"} == {"single"}
    assert statuses(SHARES) == {"measured"}
    assert ["more than the jobs above" in problem.text for problem in problems] == [True, True]


def test_a_latency_without_its_total_is_given_up_with_a_word_but_for_fio_1():
    completion = "    clat (usec): min=4, max=93, avg= 6.50, stdev= 1.25\n"
    total = "     lat (usec): min=5, max=94, avg= 7.50, stdev= 1.25\n"
    rows, problems = read(JOB + RESULT + completion)
    assert "latency" not in {row.metric for row in rows}
    (word,) = (one for one in problems if "found completion latency only (clat)" in one.text)
    assert word.line == 3
    rows, problems = read(JOB + RESULT + completion + total)
    assert {row.raw for row in rows if row.metric == "latency"} == {"5", "94", "7.50", "1.25"}
    assert not any("clat" in one.text for one in problems)
    assert not any("clat" in one for one in texts("fio 1.24\n" + JOB + RESULT + completion))


def test_totals_alone_are_a_result_where_one_job_moved_all():
    rows, problems = read((VALID / "human-totals-only--3.33.log").read_text())
    assert [(row.op, row.metric, row.raw) for row in rows] == [("write", "bandwidth", "136")]
    assert [problem.line for problem in problems] == [4]
    assert "total" not in " ".join(texts(HUMAN))


def test_a_header_below_the_last_result_leaves_a_word():
    assert "found the header of the job 't'" in texts(HUMAN + HEADER)[0]


LONG = "9" * 5000


@pytest.mark.parametrize("log", logs_of("fio", "valid"), ids=lambda log: log.stem)
@pytest.mark.parametrize("number", ["9" * 309, LONG, "²", "٣", f"1.{LONG}", "1e999"])
def test_no_number_of_a_log_ends_the_reading(log, number):
    content = log.read_text(encoding="utf-8-sig")
    if '"fio version"' in content:
        return
    for match in [*re.finditer(r"\d+(?:\.\d+)?", content)][:120:3]:
        changed = content[: match.start()] + number + content[match.end() :]
        for row in read(changed)[0]:
            assert row.value is None or row.value < 1e15


def test_a_mode_that_is_none_of_fio_fits_no_result():
    content = HEADER.replace("randread", "randrea") + RESULT
    assert conditions(content) == {("read", None, None, ("unknown-pattern",))}


def stated(date, msec, pid=50416, name="stall"):
    """A report without its header, as people quote one of several."""
    head = f"{name}: (groupid=0, jobs=1): err= 0: pid={pid}: Fri Mar 15 {date} 2024\n"
    return f"{head}  read: IOPS=62.3k, BW=486MiB/s (510MB/s)(11.4GiB/{msec}msec)\n...\nand then:\n"


@pytest.mark.parametrize(
    ("later", "status"),
    [
        (stated("21:21:23", 448867), "running"),
        (stated("21:21:24", 448867), "running"),  # of whole seconds
        (stated("21:21:23", 448867, pid=50417), "measured"),
        (stated("21:21:23", 448867, name="other"), "measured"),
        (stated("21:21:23", 424000), "measured"),  # of a container, where each has that number
        (stated("21:21:23", 400000), "measured"),
        (stated("21:1", 448867), "measured"),
    ],
)
def test_a_report_of_the_same_process_makes_one_far_above_an_interim_one(later, status):
    rows, _ = read(stated("21:14:18", 24000) + later)
    assert [row.status for row in rows] == [status] * 4


def test_of_several_reports_of_a_process_the_last_is_the_result_if_its_totals_are_shown():
    text = "".join(
        [stated("21:14:18", 24000), stated("21:16:18", 144010), stated("21:17:04", 190000)]
    )
    rows, problems = read(text)
    assert [row.status for row in rows] == ["running"] * 6
    assert any("last report has no totals" in one.text for one in problems)
    totals = "\nRun status group 0 (all jobs):\n   READ: bw=486MiB/s (510MB/s), 486MiB/s-486MiB/s "
    rows, _ = read(f"{text}{totals}(510MB/s-510MB/s), io=11.4GiB (12.2GB), run=190000-190000msec\n")
    assert [row.status for row in rows] == ["running"] * 4 + ["measured"] * 2


LOWERED = """seq: (g=0): rw=read, bs=4k-4k/4k-4k, ioengine=libaio, iodepth=32
2.0.8
starting 1 process
seq: (groupid=0, jobs=1): err= 0: pid=10074
read : io={}, bw={}, iops=65201 , runt= 60001msec
lat (usec): min=34 , max=712399 , avg=489.51, stdev=2045.24
and so on
"""


@pytest.mark.parametrize(
    ("moved", "rate", "value"),
    [
        ("15282mb", "260808kb/s", 260808 << 10),
        ("14.924gb", "254.70mb/s", 254.70 * 2**20),
        ("15282mb", "254696kb/s", None),  # of 1000
        ("15648768kb", "260808kb/s", None),  # nothing tells
        ("15282mb", "26080kb/s", None),
    ],
)
def test_a_report_in_lower_case_is_read_where_its_figures_tell_the_units(moved, rate, value):
    rows, problems = read(LOWERED.format(moved, rate))
    found = [(row.value, row.block_size) for row in rows if row.metric == "bandwidth"]
    assert found == ([(value, 4096)] if value else [])
    assert value or "expected" in problems[0].text


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("```\n", "measured"),
        ("> ```", "measured"),
        ("[/CODE]\n", "measured"),
        ("``\n", "partial"),
        ("", "partial"),
    ],
)
def test_a_report_whose_rest_was_left_out_in_a_block_of_a_page_is_a_result(end, status):
    block = stated("21:14:18", 24000).partition("...")[0]
    rows, _ = read(f"```\n{block}    lat (usec): min=4, max=41, avg=22.44, stdev=9.08\n{end}")
    assert {row.status for row in rows} == {status}


def test_the_sum_over_clients_has_no_totals_below_it():
    text = CLIENTS[CLIENTS.index("All clients") :]
    assert {row.status for row in read(text)[0]} == {"measured"}
    assert {row.status for row in read(text[: text.index("issued rwt")])[0]} == {"partial"}


ENDED = (
    "> Without the change:\n>  read: IOPS=900, BW=7200KiB/s (7373kB/s)(422MiB/60015msec)\n{}"
    ">   issued rwts: total=54014,{},0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    ">   latency   : target=0, window=0, percentile=100.00%, depth={}\n"
)


def test_the_end_of_a_bare_report_tells_block_size_and_depth_of_it_alone():
    write = ">  write: IOPS=449, BW=7186KiB/s (7358kB/s)(421MiB/60015msec); 0 zone resets\n"
    rows, problems = read(ENDED.format("", 0, 1) + ENDED.format(write, 26955, 1) + "so it is\n")
    found = {(row.op, row.block_size, row.iodepth, row.run) for row in rows}
    assert found == {
        ("read", 8192, 1, "2-fio"),
        ("read", 8192, 1, "6-fio"),
        ("write", 16384, 1, "6-fio"),
    }
    assert {row.remarks for row in rows} == {("unknown-pattern", "inferred-block_size")}
    assert problems == []


TAIL = (
    "     issued rwts: total={},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    "     latency   : target=0, window=0, percentile=100.00%, depth=1\n\n"
    "Run status group 0 (all jobs):\n"
    "   READ: bw=1831MiB/s (1920MB/s), {}MiB/s-1831MiB/s (1920MB/s-1920MB/s), "
    "io=4096MiB (4295MB), run=2237-2237msec\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TAIL.format(4096, 1831), (1 << 20, 1)),
        (TAIL.format(4000, 1831), (None, None)),
        (TAIL.format(4096, 1831) + "\nRun status group 1 (all jobs):\n", (None, None)),
        (COMMAND + TAIL.format(4096, 1831), (16384, 128)),
        (TAIL.format(4096, 1831).replace("depth=1", 'depth=1",'), (1 << 20, 1)),
    ],
)
def test_the_end_of_the_only_job_above_its_total_tells_block_size_and_depth(text, expected):
    (row,), _ = read(text)
    assert (row.raw, row.block_size, row.iodepth) == ("1831", *expected)


def test_the_end_of_one_of_several_jobs_says_nothing_of_their_total():
    assert read(TAIL.format(4096, 900))[0] == []


def test_a_total_that_is_more_than_the_jobs_above_it_is_not_theirs_alone():
    group = "Run status group 0 (all jobs):\n"
    range_ = "390MiB/s-391MiB/s (409MB/s-410MB/s), io=45.6GiB (48.9GB), run=60001-60001msec\n"
    alone = group + f"   READ: bw=781MiB/s (819MB/s), {range_}"
    word, _ = texts(JOB + RESULT + alone)
    assert "found READ of its group, which is more than the jobs above it moved" in word
    both = JOB + RESULT + JOB.replace("pid=7", "pid=8") + RESULT.replace("390M", "391M")
    assert not any("is more than the jobs" in word for word in texts(both + alone))


def test_a_line_of_a_report_that_a_mail_broke_is_no_other_text_below_it():
    averages = (
        "   bw (  MiB/s): min= 29, max= 818, per=100.00%, avg=390.98,\nstdev=17.25, samples=49\n"
    )
    rows, problems = read(JOB + RESULT + averages + "   iops        : min=  234, max= 548\n")
    assert {row.status for row in rows} == {"partial"}
    assert [problem.text for problem in problems] == [NOTE]


def test_the_jobs_of_the_sum_over_clients_are_their_reports_not_processes():
    text = CLIENTS[CLIENTS.index("All clients") :]
    assert {row.numjobs for row in read(text)[0]} == {None}
