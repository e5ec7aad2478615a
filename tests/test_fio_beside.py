"""What stands beside fio's results in a page: job files, broken commands, results before them."""

import pytest
from test_fio_pasted import BLOCK, FILED, HEADER, OPTIONS, RESULT, TOTALS, WHOLE, read, speeds

READ = RESULT.replace("write", "read").replace("; 0 zone resets", "")
READ_TOTALS = TOTALS.replace("WRITE", " READ")
FILE = "[global]\nioengine=libaio\ndirect=1\nsize=8m\n"
WRITER = "[seq-write]\nrw=write\nbs=512k\niodepth=4\n"
READER = "[seq-read]\nrw=read\nbs=512k\niodepth=4\n"
ONE = ("write", None, None, 1, None, "measured")
READS = ("read", *WHOLE[1:])


@pytest.mark.parametrize(
    "comment", ["; of all jobs", "# of all jobs", " // of all jobs", "\t; what = [a] job"]
)
def test_comments_behind_the_options_of_a_job_file_are_passed_over(comment):
    lines = FILED.splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("$ fio"))
    start = end + 1
    told = [f"{line}   {comment}" if line else "" for line in lines[1:end]]
    content = "\n".join([lines[0], *told, *lines[start - 1 :], ""])
    assert speeds(content) == speeds(FILED)


def test_the_lines_of_a_job_file_may_each_be_marked_as_code():
    told = "\n\n".join(f"``{line}``" for line in (FILE + WRITER).splitlines())
    assert speeds(f"{told}\n\nResults:\n\n{HEADER}{BLOCK}{RESULT}{TOTALS}") == [WHOLE]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (WRITER, WHOLE),
        (READER + WRITER, WHOLE),  # the only writer
        (WRITER.replace("bs=512k", "bs=4k"), WHOLE[:1]),  # not what the IOPS tell
        (WRITER + WRITER.replace("seq-write", "again"), WHOLE),
        (WRITER + WRITER.replace("seq-write", "again").replace("bs=512k", "bs=1m"), WHOLE),
        (WRITER.replace("rw=write\n", ""), WHOLE[:1]),  # of an excerpt
        (READER, WHOLE[:1]),
        (WRITER + "numjobs=2\n", WHOLE[:1]),  # one of two, or both
    ],
)
def test_a_job_file_speaks_for_a_result_without_its_block(file, expected):
    row = speeds(f"{FILE}{file}\n**Before:**\n\n{RESULT}\n")[0]
    assert row[: len(expected)] == expected
    assert len(expected) > 1 or row == ("write", 524288, *[None] * 3, "measured")


def test_a_job_file_speaks_for_totals_without_their_blocks():
    content = f"{FILE}{WRITER}\n**Before:**\n{TOTALS}\n**After:**\n{TOTALS}\n"
    assert speeds(content) == [WHOLE, WHOLE]
    assert speeds(f"{FILE}{READER}{WRITER}\n{READ_TOTALS}{TOTALS}") == [READS, WHOLE]
    unsure = f"{WRITER}{WRITER.replace('seq-write', 'again').replace('bs=512k', 'bs=1m')}"
    assert speeds(f"{FILE}{unsure}\n{TOTALS}")[0][1] is None


def test_a_job_file_says_nothing_of_the_results_of_commands_below_it():
    command = "$ fio --name=other --rw=write --size=1g --bs=512k\n"
    assert speeds(f"{FILE}{WRITER}\n{command}\n{RESULT}")[0][2:5] == (1 << 30, 1, False)
    job = "$ fio --name=other card.fio\n"
    assert speeds(f"{FILE}{WRITER}\n{job}\n{RESULT}")[0][2:5] == (None,) * 3


@pytest.mark.parametrize("given", ["--filename=a.fio", "--filename a.fio", "--output=a.ini"])
def test_a_file_that_an_option_names_is_no_job_file(given):
    assert speeds(f"$ fio {OPTIONS} {given}\n{RESULT}")[0][:5] == WHOLE[:5]
    file = "--minimal a.fio" if "=" in given else "--group_reporting a.fio"
    assert speeds(f"$ fio {OPTIONS} {file}\n{RESULT}")[0][4] is None


def test_a_name_for_all_jobs_of_a_file_hides_none_of_a_section():
    file = FILE.replace("[global]\n", "[global]\nname=all-of-them\n")
    report = f"{HEADER}{BLOCK}{RESULT}{TOTALS}"
    assert speeds(f"{file}{WRITER}\n{report}") == speeds(f"{FILE}{WRITER}\n{report}")
    old = report.replace("seq-write", "all-of-them")
    assert speeds(f"{file}{WRITER}\n{old}") == speeds(f"{FILE}{WRITER}\n{report}")


@pytest.mark.parametrize(
    ("command", "direct"),
    [
        ("--name=seq-write --rw=write \n--bs=512k \\\n --size=8m --direct=1", True),
        ("--name=seq-write --rw=write \\\n --bs=512k\n--size=8m \\\n --direct=1", True),
        ("--name=seq-write --rw=write \\\n --bs=512k\n--size=8m\n--direct=1", True),
        ("--rw=write \n-bs=512k \\\n-size=8m -name=seq-write\n-direct", True),
        ('--rw=write\n-bs=512k \\\n --description="a b" \\\n-size=8m -name=seq-write', False),
        ("--name=seq-write --rw=write \\\n --bs=512k --size=8m\nwith --size=8m", False),
    ],
)
def test_a_command_in_several_lines_that_a_mail_broke_is_read_to_its_end(command, direct):
    content = f"$ fio {command}\n\nit says:\n\n{HEADER}{BLOCK}{RESULT}{TOTALS}"
    assert speeds(content) == [(*WHOLE[:4], direct, "measured")]


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        *(("Without direct=1 I get:", False), ("> buffered:", False), ("with size=9m", False)),
        *(("the same, --numjobs=4", False), ("ohne direct", False), ("With --fsync=1:", True)),
        *(("direct=1 past the cache, size=8m", True), ("without the cache", True)),
        *(("with direct=1, not buffered", True), ("--size=9m", True), ("My result:", True)),
    ],
)
def test_words_of_other_options_leave_open_what_a_report_below_a_command_was_asked(words, is_told):
    command = "$ fio --name=seq-write --rw=write --bs=512k --size=8m --direct=1\n"
    row = speeds(f"{command}\n{words}\n\n{HEADER}{BLOCK}{RESULT}{TOTALS}")[0]
    assert row[2] == (8 << 20 if is_told else None)
    assert row[4] == (True if is_told else None)
    bare = speeds(f"{command}\n{words}\n\n{RESULT}")[0]
    assert bare[4] == (True if is_told else None)


@pytest.mark.parametrize("mark", ["^", "`"])
def test_a_command_goes_on_as_the_shells_of_windows_write_it(mark):
    options = OPTIONS.replace(" --", f" {mark}\n    --")
    for quote in ("", "> "):
        content = f"fio.exe {options}\n\nsays:\n{HEADER}{BLOCK}{RESULT}{TOTALS}"
        assert speeds(content.replace("\n", f"\n{quote}")) == [WHOLE]
    code = f"`fio {OPTIONS} `\nwith\n{HEADER}{BLOCK}{RESULT}{TOTALS}"
    assert speeds(code) == [WHOLE]


def test_totals_below_the_second_result_without_a_block_are_not_counted_twice():
    other = RESULT.replace("1600", "1602").replace("800MiB", "801MiB")
    below = TOTALS.replace("800MiB", "801MiB")
    content = f"Old kernel:\n{RESULT}{TOTALS}\n\nNew kernel:\n{other}{below}\n\nthat is all\n"
    assert [row[0] for row in speeds(content)] == ["write", "write"]


def test_a_command_holds_for_a_report_below_one_that_was_cut_behind_its_latencies():
    options = "--name=seq-write --rw=write --bs=512k --size=8m --ioengine=libaio --iodepth=4"
    latency = "    lat (usec): min=2, max=10316, avg= 5.75, stdev=81.80\n"
    once = f"{HEADER}{BLOCK}{RESULT}{latency}"
    content = (
        f"fio {options} --direct=1\n\nvirtiofs:\n{once}\n9p:\n{once.replace('80', '90')}\nend\n"
    )
    assert [row[:5] for row in speeds(content)] == [WHOLE[:5]] * 2


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("bs=512k", (524288, None, None)),
        ("=== bs=512k ===", (524288, None, None)),
        ("# bs=512k iodepth=4 direct=1:", (524288, 4, True)),
        ("bs=512k, iodepth = 4", (524288, 4, None)),
        ("bs=4k iodepth=4", (524288, None, None)),  # not what the IOPS tell
        ("bs=512k iodepth=4 numjobs=4", (524288, None, None)),  # one of four, or all
        ("recordsize=512k", (524288, None, None)),
        ("bs=512k iodepth=4\n\n\n", (524288, None, None)),
    ],
)
def test_the_options_right_above_a_result_without_its_block_are_its_own(above, expected):
    row = read(f"{above}\n{RESULT}")[0][0]
    assert (row.block_size, row.iodepth, row.direct) == expected


def test_the_options_above_another_result_begin_another_run():
    other = READ.replace("1600", "3200")
    content = f"bs=512k\n{RESULT}bs=256k\n{other}"
    assert [row[:2] for row in speeds(content)] == [("write", 524288), ("read", 262144)]
    assert len({row.run for row in read(content)[0]}) == 2
    assert [row[:2] for row in speeds(f"bs=512k\n{RESULT}{READ}")] == [
        ("write", 524288),
        ("read", 524288),
    ]


@pytest.mark.parametrize(
    ("file", "size"),
    [
        ("", 8388608),
        ("iodepth=8", None),  # the header says otherwise
        ("[seq-write]\nrw=write\nsize=4m", None),  # another of its name
        (f"and again:\n{HEADER}{BLOCK}{RESULT}{TOTALS}", None),  # it may be of that
    ],
)
def test_a_job_file_below_the_only_report_of_its_job_speaks_for_it(file, size):
    content = f"{HEADER}{BLOCK}{RESULT}{TOTALS}\nThat was:\n\n{FILE}{WRITER}{file}\n"
    assert speeds(content)[0][2] == size


@pytest.mark.parametrize(
    ("between", "again"),
    [
        ("", WHOLE),
        ("<details><summary>BTRFS</summary>\n\nJobs: 1 (f=1): [W(1)][w=80MiB/s]\n", WHOLE),
        ("# mount options: noatime\n# => results in\n", WHOLE),
        ("- sequential, at 900 MB/s\n", WHOLE),
        ("now with direct=0\n", (*WHOLE[:4], None, "measured")),
        ("now of 1 GiB\n", (*WHOLE[:2], None, *WHOLE[3:])),
        ("now with other parameters\n", ONE),
        ("now random\n", ONE),
        ("$ fio --client=host job.fio\n", ONE),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_command_holds_for_the_next_reports_without_headers(between, again, several):
    report = f"{BLOCK}{RESULT}{TOTALS}\n"
    second = report.replace("19342", "19399").replace("19:10", "19:20")
    third = report.replace("19342", "19404").replace("19:10", "19:30")
    commands = f"`fio {OPTIONS}`\n" + "`fio --name=other --rw=read --size=1g`\n" * several
    content = f"{commands}\n{report}{between}{second}On the third card:\n\n{third}end\n"
    assert speeds(content) == [WHOLE, again, again]
    other = content.replace(second, second.replace("jobs=1", "jobs=8"))
    assert speeds(other)[1] == ("write", None, None, 8, None, "measured")


@pytest.mark.parametrize("written", ["**fio {}**:", "`fio {}`.", "(fio {});", "`fio {}`:"])
def test_what_a_page_writes_behind_a_command_is_no_part_of_its_last_option(written):
    content = f"Output of {written.format(OPTIONS)}\n\n{BLOCK}{RESULT}{TOTALS}"
    assert speeds(content) == [WHOLE]


def test_latencies_alone_get_a_word():
    content = "$ fio --name=a\nBefore:\n lat (nsec): min=9269, max=71635, avg=9840.65\n"
    rows, problems = read(content)
    assert rows == []
    assert "no job block above it" in problems[0].text


SHORT = "  WRITE: bw=800MiB/s (839MB/s)"


@pytest.mark.parametrize("figures", [RESULT, TOTALS.splitlines()[-1], SHORT.lstrip()])
def test_results_in_comments_above_their_commands_are_of_these(figures):
    options = OPTIONS.replace("seq-", "rand-").replace("--rw=", "--rw=rand")
    commands = (f"fio {options}", f"fio {OPTIONS}".replace(" --", " \\\n  --"))
    content = "".join(f"# quick\n# {figures.strip()}\n{command}\n\n" for command in commands)
    assert [row[:5] for row in speeds(content)] == [("randwrite", *WHOLE[1:5]), WHOLE[:5]]
    below = "".join(f"{command}\n# {figures.strip()}\n" for command in commands)
    assert [row[:5] for row in speeds(below)] == [("randwrite", *WHOLE[1:5]), WHOLE[:5]]


@pytest.mark.parametrize(
    ("command", "line", "is_read"),
    [
        (OPTIONS, SHORT, True),
        (OPTIONS, f"{SHORT}, 800MiB/s-800MiB/s", True),
        (f"{OPTIONS} --numjobs=4 --group_reporting", SHORT, True),
        (f"{OPTIONS} --numjobs=4", SHORT, False),
        (OPTIONS, f"{SHORT}, iops=1600", False),  # words of somebody's own
        (f"{OPTIONS} a.fio", SHORT, False),
        (OPTIONS.replace("--rw=write", "--rw=read"), SHORT, False),
    ],
)
def test_the_sum_alone_of_a_line_of_totals_is_that_of_its_command(command, line, is_read):
    rows, problems = read(f"$ fio {command} | grep -i 'bw=' | cut -d, -f1\n{line}\n")
    assert [row.value for row in rows] == [800 * 1024**2] * is_read
    assert is_read or "a part of a total of several jobs is not given" in problems[0].text


LOOP = "for s in 512k 256k; do{}fio {} | grep IOPS{}done"
IN_LOOP = OPTIONS.replace("512k", "$s")
HALF = RESULT.replace("1600", "3200")


@pytest.mark.parametrize(
    "command",
    [
        LOOP.format(" ", IN_LOOP, "; "),
        LOOP.format("\n  ", IN_LOOP, "\n"),
        LOOP.format("\n  echo\n  ", IN_LOOP.replace(" --", " \\\n  --"), "\n"),
        LOOP.format(" ", IN_LOOP, ";\n"),
    ],
)
def test_all_results_below_a_loop_are_of_its_command(command):
    expected = [WHOLE, (WHOLE[0], 262144, *WHOLE[2:])]
    assert speeds(f"$ {command}\n{RESULT}{HALF}") == expected
    assert speeds(f"$ {command}\nbs=512k\n{RESULT}bs=256k\n{HALF}") == expected
    after = speeds(f"$ {command}\n{RESULT}{HALF}\nof another card:\n{RESULT}")
    assert after == [*expected, ("write", 524288, *[None] * 3, "measured")]


def test_a_loop_with_blocks_of_several_sizes_says_no_block_size():
    uneven = IN_LOOP.replace("--bs=$s", "--bssplit=4k/50:$s/50")
    rows = speeds(f"$ {LOOP.format(' ', uneven, '; ')}\n{RESULT}{HALF}")
    assert rows == [(WHOLE[0], None, *WHOLE[2:])] * 2


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("iopattern=randwrite qd=4", ("randwrite", 524288, 4)),
        ("==== iosched=none preserves_write_order_of_all=0 qd=4", ("write", 524288, 4)),
        ("iopattern=write qd=many", ("write", 524288, None)),
    ],
)
def test_other_words_for_options_right_above_a_result_are_read(above, expected):
    row = read(f"{above}\n{RESULT}")[0][0]
    assert (row.op, row.block_size, row.iodepth) == expected


OLD_BLOCK = BLOCK.partition(": Sun")[0] + "\n"


def test_a_report_without_a_date_below_the_totals_of_another_process_has_no_header():
    again = OLD_BLOCK.replace("19342", "19399")
    content = f"{HEADER}{OLD_BLOCK}{RESULT}{TOTALS}\nother card:\n{{}}{HALF}{TOTALS}"
    rows = [row for row in read(content.format(again))[0] if row.metric == "bandwidth"]
    assert [row.iodepth for row in rows] == [4, None]
    assert "unknown-pattern" in rows[1].remarks


def test_a_file_laid_out_of_less_than_a_mebibyte_has_no_size():
    laid = "seq-write: Laying out IO file(s) (1 file(s) / {}MB)\n"
    for size, expected in ((0, None), (512, 512 << 20)):
        assert speeds(f"{laid.format(size)}{BLOCK}{RESULT}{TOTALS}")[0][2] == expected


def test_of_several_job_files_of_a_name_those_with_the_number_of_jobs_speak_for_a_report():
    told = (("write", "8m", 16), ("randwrite", "8m", 1), ("read", "4m", 2))
    files = "".join(
        f"[global]\ngroup_reporting\n[seq-write]\nrw={mode}\nsize={size}\nnumjobs={count}\n"
        f"bs=512k\n</pre>\n"
        for mode, size, count in told
    )
    for count, op in ((16, "write"), (1, "randwrite"), (3, "write")):
        block = BLOCK.replace("jobs=1", f"jobs={count}")
        other = block.replace("19342", "19399").replace("19:10", "19:20")
        content = f"{files}\n{block}{RESULT}{TOTALS}\n\nagain:\n{other}{RESULT}{TOTALS}"
        rows = [row for row in read(content)[0] if row.metric == "bandwidth"]
        assert [row.op for row in rows] == [op] * 2
        assert [row.file_size for row in rows] == [8 << 20 if count != 3 else None] * 2


def test_a_command_that_was_typed_while_fio_ran_is_that_of_the_next_report():
    other = OPTIONS.replace("seq-write", "again").replace("512k", "256k")
    again = f"{HEADER}{BLOCK}{HALF}{TOTALS}".replace("seq-write", "again").replace("512K", "256K")
    first = f"$ fio {OPTIONS}\n{HEADER}fio-3.33\nStarting 1 process\n"
    for typed in (f"fio {other}\n", f"fio {other.replace(' --', ' {0}  --')}\n"):
        content = f"{first}{typed.format(chr(92) + chr(10))}{BLOCK}{RESULT}{TOTALS}\n$\n{again}"
        assert speeds(content) == [WHOLE, (WHOLE[0], 262144, *WHOLE[2:])]
        assert read(content)[1] == []


RAMP = "[a]\nrw=read\nbs=1m\nsize=1g\niodepth=8\nruntime=10\n"
AHEAD = "  read: IOPS={}, BW=105MiB/s (110MB/s)(1050MiB/10001msec)\n"


@pytest.mark.parametrize(
    ("file", "iops", "size"),
    [
        (f"{RAMP}ramp_time=2s\n", 104, 1 << 20),
        (f"{RAMP}ramp_time=2s\nnumjobs=8\ngroup_reporting\n", 99, 1 << 20),
        (f"{RAMP}ramp_time=2s\nnumjobs=8\ngroup_reporting\n", 90, None),  # 64 are 6.4 a second
        (f"{RAMP}ramp_time=2s\n", 99, None),
        (f"{RAMP}numjobs=8\ngroup_reporting\n", 99, None),
        (f"{RAMP}ramp_time=2s\n", 107, None),  # nothing counts without its bytes
    ],
)
def test_what_was_under_way_when_ramp_time_ended_is_in_the_bandwidth_alone(file, iops, size):
    assert speeds(f"{file}\nResult:\n\n{AHEAD.format(iops)}")[0][1] == size


def test_iops_below_the_bandwidth_by_what_ramp_time_left_out_lost_no_carry():
    command = "$ fio --name=a --rw=randread --bs=4k --size=1g --iodepth=64 --numjobs=8 {}\n"
    result = "  read: IOPS=2.51k, BW=10.0MiB/s (10.5MB/s)(100MiB/10001msec)\n"
    ramped = read(f"{command.format('--group_reporting --ramp_time=2')}{result}")
    assert [row.remarks for row in ramped[0]] == [(), ()]


@pytest.mark.parametrize(("later", "is_told"), [("jobs=4", False), ("jobs=1", True)])
@pytest.mark.parametrize("with_header", [True, False])
def test_a_later_report_of_other_processes_is_not_of_the_job_file_of_an_earlier_one(
    later, is_told, with_header
):
    file = FILE + "group_reporting\n" + WRITER.replace("seq-write", "a") + WRITER
    headers = HEADER.replace("seq-write", "a") + HEADER
    group = BLOCK.replace("seq-write", "a").replace("jobs=1", "jobs=2")
    block = BLOCK.replace("jobs=1", later).replace("19:10:10", "20:10:10")
    below = f"{HEADER if with_header else ''}{block}{RESULT}{TOTALS}"
    content = f"{file}\n{headers}{group}{RESULT}{TOTALS}\nSome words.\n\n{below}"
    first, second = speeds(content)
    assert (first[2], first[4]) == (8 << 20, True)
    assert (second[2], second[4]) == ((8 << 20, True) if is_told else (None, None))


@pytest.mark.parametrize("above", ["", f"fio {OPTIONS}\n\n"])
def test_totals_of_a_group_that_is_announced_again_are_of_another_run(above):
    once = f"Run status group 0 (all jobs):\n{READ_TOTALS.splitlines()[-1]}\n"
    once += TOTALS.splitlines()[-1] + "\n"
    rows = read(f"{above}before:\n{once}\nafter:\n{once.replace('800', '801')}")[0]
    assert len({row.run for row in rows[:2]}) == len({row.run for row in rows[2:]}) == 1
    assert len({row.run for row in rows}) == 2


@pytest.mark.parametrize(
    ("between", "runs"),
    [("", 1), ("\n\n", 1), ("\n  -- 16 PARALLEL JOBS --\n", 2), ("     | 99.99th=[1]\n  [2]\n", 1)],
)
def test_somebodys_words_part_a_write_from_the_read_above_it(between, runs):
    rows = read(f"Reads:\n{READ}{between}{RESULT}\nthat is all\n")[0]
    assert len({row.run for row in rows}) == runs


STONEWALLED = "--name=a --rw=write --bs=64k --stonewall --name=b --rw=read --bs=4k --stonewall"


@pytest.mark.parametrize(
    ("command", "sizes"),
    [
        (f"fio --size=8m {STONEWALLED}", [65536, 4096]),
        (f"fio --size=8m {STONEWALLED.replace('64k', '4k')}", [4096, 4096]),
        (f"fio --size=8m {STONEWALLED.replace('rw=read', 'rw=write')}", [65536, None]),
        (f"fio other.fio {STONEWALLED}", [None, None]),
        (f"fio --group_reporting {STONEWALLED}", [65536, 4096]),
        (f"fio --group_reporting {STONEWALLED.replace(' --stonewall', '')}", [65536, None]),
        (f"fio {STONEWALLED.replace('=b', '=a')}", [65536, 4096]),  # of one name
        (f"fio {STONEWALLED.replace(' --stonewall', '')}", [65536, 4096]),  # of their direction
        (f"fio --name=c --rw=write --bs=1m\n\nfio {STONEWALLED}", [65536, 4096]),
    ],
)
def test_each_group_of_totals_is_of_the_job_of_a_command_that_waits_for_the_one_above(
    command, sizes
):
    second = READ_TOTALS.strip().replace("group 0", "group 1")
    rows = read(f"$ {command}\n\n{TOTALS.strip()}\n{second}\n")[0]
    assert [row.block_size for row in rows] == sizes


@pytest.mark.parametrize("command", ["fio all.fio --loops=2", f"fio {STONEWALLED}"])
def test_totals_below_a_command_of_several_jobs_are_not_of_a_command_above_it(command):
    total = TOTALS.strip().splitlines()[-1]
    row = read(f"$ fio --name=c --rw=write --bs=1m\n\n$ {command}\n{total}\n")[0][0]
    assert row.block_size is None


def test_the_rest_of_a_line_of_old_totals_that_a_mail_broke_is_no_other_result():
    total = (
        "> Run status group 0 (all jobs):\n>   WRITE: io=60GB, aggrb=1680.4MB/s, minb=430167KB/s,"
    )
    rows, problems, *_ = read(
        f"{total}\n> maxb=440590KB/s, mint=35699msec, maxt=36564msec\n> end\n"
    )
    assert (len(rows), list(problems)) == (1, [])


def test_the_sum_of_the_jobs_of_a_file_has_no_number_of_jobs():
    jobs = "[global]\nrw=write\nbs=512k\ngroup_reporting\n[a]\nsize=1g\n[b]\nsize=1g\n"
    for result in (RESULT, TOTALS):
        row = read(f"{jobs}\nsays:\n\n{result}\nend\n")[0][0]
        assert (row.block_size, row.numjobs) == (524288, None)
