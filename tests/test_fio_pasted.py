"""What people paste of fio: job files, quotations, lines with words of their own."""

import json
from functools import partial

import corpus_logs
import pytest

from sdanalysis.logs.read import parse_log

read = partial(corpus_logs.read, "fio")
CORPUS = corpus_logs.CORPUS / "fio" / "valid"
FILED = (CORPUS / "job-file-above--3.33.log").read_text()
ESCAPED = (CORPUS / "escaped-in-json--3.33.log").read_text()
RESULT = "  write: IOPS=1600, BW=800MiB/s (839MB/s)(8192KiB/10msec); 0 zone resets\n"
SHORT = "write: IOPS=1600, BW=800MiB/s (839MB/s)"
BLOCK = "seq-write: (groupid=0, jobs=1): err= 0: pid=19342: Sun Nov 22 19:10:10 2026\n"
TOTALS = """
Run status group 0 (all jobs):
  WRITE: bw=800MiB/s (839MB/s), 800MiB/s-800MiB/s (839MB/s-839MB/s), io=8192KiB, run=10-10msec
"""
HEADER = "seq-write: (g=0): rw=write, bs=(R) 512KiB-512KiB, (W) 512KiB-512KiB, (T) 512KiB-512KiB, "
HEADER += "ioengine=libaio, iodepth=4\n"
OPTIONS = "--name=seq-write --rw=write --bs=512k --size=8m --ioengine=libaio --iodepth=4 --direct=1"


def speeds(content):
    """Direction, block size, file size, processes, direct and status of each bandwidth."""
    return [
        (row.op, row.block_size, row.file_size, row.numjobs, row.direct, row.status)
        for row in read(content)[0]
        if row.metric == "bandwidth"
    ]


def whole(content):
    """(rows, problems) of all parsers together."""
    log = parse_log("card.log", content.encode())
    return log.measurements, log.problems


def notes(content):
    return [problem.text for problem in read(content)[1]]


WHOLE = ("write", 524288, 8388608, 1, True, "measured")


@pytest.mark.parametrize(
    "prompt",
    [
        r"C:\Users\Pi>fio ",
        "I:\\>fio.exe ",
        r"c:\fio\fio ",
        "# (fio ",
        "sync;fio ",
        '"D:\\fio.exe" ',
        "io ",  # the first letter was not copied
        "> io --thread ",
    ],
)
def test_a_command_stands_behind_any_prompt(prompt):
    assert speeds(prompt + OPTIONS + "\n" + HEADER + BLOCK + RESULT + TOTALS) == [WHOLE]


def test_a_header_behind_other_text_without_a_line_end_is_of_the_block_below():
    rest = HEADER + BLOCK + RESULT + TOTALS
    assert speeds(f"$ fio {OPTIONS}{rest}") == [WHOLE]
    assert speeds(f"4 2===={rest}") == [("write", 524288, None, 1, None, "measured")]


def test_the_header_of_another_name_is_of_another_job():
    other = HEADER.replace("seq-write", "my-seq-write").replace("my-", "my")
    assert speeds(other + BLOCK + RESULT + TOTALS)[0][1] is None


def test_one_block_of_a_command_for_four_processes_is_a_share():
    content = f"$ fio {OPTIONS} --numjobs=4\n\n{BLOCK}{RESULT}and three more\n\nand so on\n"
    rows, _ = read(content)
    assert {(row.stat, row.numjobs, row.status) for row in rows} == {("share", 4, "partial")}
    grouped = content.replace("jobs=1)", "jobs=4)")
    assert speeds(grouped) == [("write", 524288, 8388608, 4, True, "measured")]


def test_another_job_of_another_time_below_the_totals_is_of_a_run_of_its_own():
    below = BLOCK.replace("seq-write", "seq-write-2").replace("pid=19342", "pid=19350")
    same = f"{BLOCK}{RESULT}{TOTALS}\n{below}{RESULT}{TOTALS}"
    assert len({row.run for row in read(same)[0]}) == 1
    assert len({row.run for row in read(same.replace("10:10 2026", "11:10 2026", 1))[0]}) == 2


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", [8388608, 8388608]),
        ("size=8m", "size=${SIZE}", [8388608, None]),  # fio says what it laid out for the first
        ("bs=512k", "bs=1m", [8388608, 8388608]),
        ("rw=randread", "rw=read", [8388608, None]),
        ("[rand-read]", "[other]\nname=rand-read", [8388608, 8388608]),
        ("[rand-read]", "[rand]", [8388608, None]),
        ("; what", "what", [8388608, 8388608]),
        ("\n[rand-read]", "that was one, and\n[rand-read]", [8388608, None]),
        ("rw=randread\n", "", [8388608, None]),  # who knows what the excerpt left out
    ],
)
def test_a_job_file_above_a_report_says_what_its_header_does_not(old, new, expected):
    assert [row[2] for row in speeds(FILED.replace(old, new, 1))] == expected


def test_a_job_file_whose_block_size_is_another_is_not_that_of_the_report():
    told = FILED.replace("seq-write: Laying out", "other: Laying out").replace("bs=512k", "bs=1m")
    assert [row[2] for row in speeds(told)] == [None, 8388608]


def test_a_job_file_speaks_for_a_block_without_its_header():
    start = FILED.index("seq-write: (g=0)")
    pasted = FILED[:start] + FILED[FILED.index("seq-write: (groupid") :]
    assert [row[:3] for row in speeds(pasted)] == [
        ("write", 524288, 8388608),
        ("randread", 4096, 8388608),
    ]


def test_two_files_above_a_report_say_what_they_share():
    first = FILED[: FILED.index("$ fio")]
    sizes = [row[2] for row in speeds(first.replace("size=8m", "size=4m") + FILED)]
    assert sizes == [8388608, None]  # the first job's is that of the file that fio laid out
    later = FILED.replace("size=8m", "size=4m").replace("8MiB", "4MiB")
    later = later.replace("19:10:10", "19:20:10")
    assert [row[2] for row in speeds(FILED + later)] == [*[8388608] * 2, *[4194304] * 2]


def test_a_quotation_of_a_report_is_not_counted_twice():
    whole = HEADER + BLOCK + RESULT + TOTALS
    for quoted in (BLOCK + RESULT, RESULT, f"It wrote: {SHORT}\n", f"- `{SHORT}`\n"):
        content = f"{whole}\nThe line that counts is\n\n{quoted}\nwhich is much.\n\nIs it?\n"
        assert speeds(content) == [("write", 524288, None, 1, None, "measured")]
        assert any("not counted twice" in note for note in notes(content))
    assert speeds(f"{TOTALS}\nwhich means\n\n{RESULT}\n")[0][0] == "write"
    assert [row.metric for row in read(f"{TOTALS}\nor\n\n{RESULT}\n")[0]] == ["bandwidth", "iops"]


def test_what_ansible_shows_of_a_report_several_times_counts_once():
    report = (HEADER + "fio-3.33\n" + BLOCK + RESULT + TOTALS).splitlines()
    shown = {"stdout": "\n".join(report), "rc": 0, "stdout_lines": report}
    pasted = f"ok: [localhost] => (item={shown!r}) => {json.dumps({'msg': report}, indent=4)}\n"
    found, problems = whole(pasted)
    assert [(row.line, row.raw, row.block_size) for row in found] == [
        (1, "1600", 524288),
        (1, "800", 524288),
    ]
    assert [problem.kind for problem in problems] == ["note"]


def test_equal_lines_without_blocks_are_runs_of_their_own():
    assert len(speeds(f"run 1: {SHORT}\nrun 2: {SHORT}\n")) == 2
    assert len(speeds(RESULT * 2)) == 2


def test_results_in_lines_with_words_of_their_own_are_read():
    both = f"| SanDisk | {SHORT} & read: IOPS=400, BW=200MiB/s (210MB/s) |\n"
    assert [row[0] for row in speeds(f"a.txt:{RESULT}{both}")] == ["write", "write", "read"]
    named = SHORT.replace("write", "rewrite")  # a word that is none of fio's
    assert speeds(f"| SanDisk | {named} |\n") == []
    assert speeds(f"| SanDisk | {SHORT}(8192KiB/10ms |\n") == []


def test_in_a_block_the_time_may_be_left_out_but_not_where_the_text_may_be_cut():
    block = f"# {BLOCK}#   {SHORT}\n#      lat (usec): min=1, max=9, avg=5.00, stdev=1.00\n"
    assert len(read(block + "# and so on\n# and on\n")[0]) == 6
    assert read(BLOCK + SHORT)[0] == []


def test_totals_of_another_report_do_not_end_the_next_one():
    cut = HEADER + BLOCK + RESULT
    assert [row[-1] for row in speeds(TOTALS + cut)] == ["measured", "partial"]


def test_a_total_whose_end_stands_behind_a_blank_line_is_read():
    broken = TOTALS.replace("s), io=", "s),\n\nio=")
    assert broken != TOTALS
    assert speeds(broken) == [("write", None, None, None, None, "measured")]
    assert speeds(broken.replace("\n\nio", "\n\nor\n\nio")) == []


def test_a_latency_without_a_blank_before_its_deviation_is_read():
    latency = "lat (usec): min=6, max=25943, avg=267.93,stdev=1604.25\n"
    rows, problems = read(RESULT + latency)
    assert [row.raw for row in rows if row.stat in ("mean", "stddev")] == ["267.93", "1604.25"]
    assert problems == []


def test_a_report_behind_its_progress_keeps_its_name():
    progress = "Jobs: 1 (f=1): [W(1)][100.0%][w=5KiB/s][w=1 IOPS][eta 00m:00s] "
    assert speeds(f"$ fio {OPTIONS}\n{progress}{BLOCK}{RESULT}{TOTALS}") == [WHOLE]


@pytest.mark.parametrize("end", [r"\n", r"\r\n"])
def test_a_report_in_a_string_is_read_with_the_places_of_its_line(end):
    content = ESCAPED.replace(r"\n", end)
    rows, problems = read(content)
    assert (len(rows), problems) == (12, [])
    assert all(content[row.column - 1 :].startswith(row.raw) for row in rows)
    assert read(content[: content.index("READ: bw=")])[0][0].status == "partial"


@pytest.mark.parametrize(
    ("between", "again"),
    [
        ("", WHOLE),
        ("The same in the other reader:\n\n", WHOLE),
        ("Without direct I/O:\n", ("write", 524288, 8388608, 1, None, "measured")),
        ("With 64 MB:\n", ("write", 524288, None, 1, True, "measured")),
    ],
)
def test_the_command_of_a_report_is_that_of_the_same_report_below_it(between, again):
    report = HEADER + BLOCK + RESULT + TOTALS
    below = report.replace("19:10:10", "19:12:10").replace("10msec", "12msec")
    assert speeds(f"$ fio {OPTIONS}\n{report}\n{between}{below}") == [WHOLE, again]
    other = below.replace("iodepth=4", "iodepth=8")
    assert speeds(f"$ fio {OPTIONS}\n{report}\n{between}{other}")[1][2:5] == (None, 1, None)


def test_a_range_of_sizes_with_equal_ends_is_one_size():
    options = OPTIONS.replace("--bs=512k", "--bsrange=512k-512k")
    assert speeds(f"fio {options}\n{RESULT}") == [WHOLE]
    options = OPTIONS.replace("--bs=512k", "--bsrange=256k-512k")
    assert speeds(f"fio {options}\n{RESULT}")[0][1] is None


def test_a_number_that_a_mail_broke_in_a_line_of_totals_is_joined():
    broken = TOTALS.replace("io=8192KiB, run", "io=81\n> 92KiB (8389kB), run")
    assert broken != TOTALS
    assert speeds(f"> fio {OPTIONS}\n{broken}") == [WHOLE]


def test_a_total_that_a_mail_broke_behind_its_bandwidth_is_whole_below_words_too():
    broken = (
        TOTALS.splitlines()[2].strip().replace(", 800", ",\n>> 800").replace(", run", ",\n>> run")
    )
    rows, problems = read(f">> It says, {broken}\n")
    assert [(row.op, row.raw) for row in rows] == [("write", "800")]
    assert problems == []


def test_a_header_that_is_cut_does_not_swallow_the_totals_below_it():
    total = TOTALS.splitlines()[2]
    cut = HEADER[: HEADER.index("iodepth")]
    for below in (f"{total}\n", f"{total}\nwith iodepth=64\n"):
        rows, _ = read(f"{cut}\n{below}")
        assert [(row.op, row.raw, row.line) for row in rows] == [("write", "800", 2)]


def test_totals_without_times_are_read_and_have_its_words_alone_behind_a_label():
    line = TOTALS.splitlines()[2].replace("io=8192KiB, run=10-10msec", "io=8192KiB (8389kB)")
    assert speeds(f"fio {OPTIONS}\n{line}\n") == [WHOLE]
    labelled = f"| SanDisk | random write | {line.strip()} |\n"
    (row,) = speeds(f"fio {OPTIONS}\n\n{labelled}")
    assert row == ("randwrite", None, None, None, None, "measured")
    assert not speeds(line.partition(" (8389")[0])


@pytest.mark.parametrize(
    ("label", "op"),
    [
        *[("RANDOM ", "randwrite"), ("random_write: ", "randwrite"), ("randrw: ", "randwrite")],
        *[("SEQUENTIAL ", "write"), ("| seq-write 1M | ", "write"), ("seqwrite: ", "write")],
        *[("random or sequential? ", ""), ("random read: ", ""), ("randomly ", ""), ("seq2 ", "")],
        ("random" + " and so on" * 6 + " ", ""),  # of something else
    ],
)
def test_words_before_a_result_tell_a_random_from_a_sequential_one(label, op):
    for line in (RESULT, TOTALS.splitlines()[2]):
        rows, _ = read(f"{label}{line.strip()}\n")
        assert {row.op for row in rows} == {op or "write"}
        assert {"unknown-pattern" in row.remarks for row in rows} == {not op}


@pytest.mark.parametrize(
    ("above", "op"),
    [
        *[("Random write test:\n", "randwrite"), ("## 4k rand_write\n\n```\n", "randwrite")],
        *[("***4K Random Read/Write***\n", "randwrite"), ("> Sequential writes:\n> \n", "write")],
        ("# Random read/write\n" + RESULT.replace("write", "read"), "randwrite"),
        ("* random reads/writes:\n  * ", "randwrite"),
        *[("Random read:\n", ""), ("We did random writes\n", ""), ("# Random notes\n", "")],
        *[("# Random or sequential write\n", ""), ("Random write:\n\n\n\n\n", "")],
    ],
)
def test_the_heading_right_above_a_result_tells_a_random_from_a_sequential_one(above, op):
    for line in (RESULT, TOTALS.splitlines()[2] + "\n"):
        rows, _ = read(above + line.replace("io=8192", "io=8193").replace("10msec", "11msec"))
        last = [row for row in rows if row.line == rows[-1].line]
        assert {row.op for row in last} == {op or "write"}
        assert {"unknown-pattern" in row.remarks for row in last} == {not op}
    rows, _ = read(f"{above}{RESULT}\n{RESULT.replace('1600', '1602')}")
    assert rows[-1].op == "write"  # a heading is of what stands right below it alone


@pytest.mark.parametrize("label", ["* sequential write: ", "| write | ", "", "  * "])
def test_a_total_that_somebody_quotes_beside_its_report_counts_once(label):
    report, line = HEADER + BLOCK + RESULT + TOTALS, label + TOTALS.splitlines()[2].strip()
    other = line.replace("10-10msec", "11-11msec")
    without = line.replace("io=8192KiB, run=10-10msec", "io=8192KiB (8389kB)")
    timed = report.replace("io=8192KiB", "io=8192KiB (8389kB)")
    disks = "\nDisk stats (read/write):\n  vda: ios=1/1, util=9.00%\n"
    for quote, text in ((line, report), (without, timed)):
        for content in (f"{quote}\n\n{text}", f"{text}{disks}\nSo:\n\n{quote}\n"):
            assert len(speeds(content)) == 1
            assert any("repeats the totals at line" in note for note in notes(content))
    for content in (f"{other}\n\n{report}", f"{report}{disks}\nAnd:\n\n{other}\n"):
        assert len(speeds(content)) == 2  # another time: another run
        assert notes(content) == []


def test_totals_that_stand_side_by_side_share_a_run_unless_they_are_of_a_list():
    write = TOTALS.splitlines()[2].strip()
    read_ = write.replace("WRITE", "READ")
    later = write.replace("10-10msec", "11-11msec")

    def runs(first, second):
        return [row.run for row in read(f"{first}\n{second}\n")[0]]

    assert runs(f"   {read_}", f"  {later}") == ["1-fio"] * 2  # as fio writes and verifies
    assert runs(f"* {read_}", f"* {write}") == ["1-fio"] * 2
    assert runs(f"a.log:   {read_}", f"a.log:  {write}") == ["1-fio"] * 2
    for first, second in (
        (f"* {read_}", f"* {later}"),
        (f"* reads: {read_}", f"* writes: {write}"),
        (f"a.log:   {read_}", f"b.log:  {write}"),
    ):
        assert runs(first, second) == ["1-fio", "2-fio"]


@pytest.mark.parametrize(
    ("times", "runs"),
    [
        (("11:59:59 2025", "12:00:01 2025"), 1),  # fio prints all blocks of a run at once
        (("12:00:01 2025", "13:00:01 2025"), 2),
        (("12:00:01 2025", "12:00:01 2024"), 2),
        (("12:00:01 2025", "12:30:01 2025", "12:59:01 2025"), 3),
        (("today", "tomorrow"), 1),
    ],
)
def test_blocks_that_fio_did_not_print_at_once_are_of_two_runs(times, runs):
    blocks = "".join(
        f"{name}: (groupid=0, jobs=1): err= 0: pid=7: Wed Mar 10 {time}\n"
        "  read: IOPS=2993, BW=11.7MiB/s (12.3MB/s)(702MiB/60021msec)\n"
        for name, time in zip("abc", times, strict=False)
    )
    rows = read(f"fio-3.25\n{blocks}")[0]
    assert len({row.run for row in rows}) == runs
    assert {row.tool_version for row in rows} == ({"3.25"} if runs == 1 else {"3.25", None})


def test_totals_that_are_cut_below_others_leave_a_word():
    line = TOTALS.splitlines()[2]
    cut = line.replace("WRITE", " READ").partition(" io=")[0]
    assert len(speeds(f"{line}\n\n{cut}\n")) == 1
    assert any("expected a whole line" in note for note in notes(f"{line}\n\n{cut}\n"))


@pytest.mark.parametrize(
    ("label", "op"),
    [
        *[("Rnd read,   4KB, QD=1, 1 job :  ", "randread"), ("| 4k randread | ", "randread")],
        *[("seqwrite: ", "write"), ("write.log  ", "write")],
        *[("Rnd rdwr, 4K..1MB:  ", None), ("read while others write - ", None), ("bread: ", None)],
    ],
)
def test_a_result_has_the_direction_that_its_label_says(label, op):
    rows, _ = read(f"{label}IOPS=1600, BW=800MiB/s (839MB/s)\n")
    assert {(row.op, row.block_size) for row in rows} == ({(op, 524288)} if op else set())
    column = len(label) + len("IOPS=") + 1
    assert not op or [row.column for row in rows if row.metric == "iops"] == [column]


def test_lines_that_a_page_counted_are_read_as_they_were():
    report = f"$ fio {OPTIONS}\n{HEADER}{BLOCK}{RESULT}{TOTALS}".splitlines()
    for sign in (".", ":", ")", "|"):
        counted = [f"{number:3}{sign} {line}" for number, line in enumerate(report, 1)]
        rows, _ = whole("\n".join(counted))
        assert {(row.block_size, row.direct, row.status) for row in rows} == {
            (524288, True, "measured")
        }


def test_a_backslash_may_part_a_word_of_a_command():
    parted = OPTIONS.replace("--direct=1", "--dir\\\nect=1").replace("--size", "--si\\\nze")
    assert parted.count("\n") == 2
    assert speeds(f"## fio {parted}\n{RESULT}") == [WHOLE]
    lost = OPTIONS.replace(" --", "\\\n--")
    assert speeds(f"fio {lost}\n{RESULT}") == [WHOLE]
    prompted = OPTIONS.replace(" --", " \\\n> --")
    assert speeds(f"$ fio {prompted}\n{RESULT}") == [WHOLE]


def test_a_cut_result_behind_a_label_leaves_a_word():
    line = "host 13:20  write: io=31680KB, bw=6308"
    assert any("io=31680KB" in note for note in notes(f"host 13:19 {SHORT}\n{line}"))


@pytest.mark.parametrize(
    "place", ["-dir", "--direct=", "--iodep", "-s", "--ioengine=lib", "--bs=51"]
)
def test_a_terminal_may_part_a_word_of_a_command(place):
    options = f"--filename=/mnt/a-card-with-a-long-name/file --end_fsync=1 {OPTIONS} --eta=never"
    at = options.index(place) + len(place)
    assert speeds(f"$ fio {options[:at]}\n{options[at:]}\n{RESULT}") == [WHOLE]
    spaced = options.replace("--iodepth=4", "--iodepth\n4")
    assert speeds(f"$ fio {spaced}\n{RESULT}") == [WHOLE]


def test_latencies_whose_job_block_was_not_pasted_have_a_word():
    latencies = "     lat (usec): min=778, max=97308, avg=2771.67, stdev=3322.87\n"
    rows, (note,) = whole(f"{latencies}    lat (usec) : 750=0.01%\n{TOTALS}")
    assert [row.metric for row in rows] == ["bandwidth"]
    assert (note.line, note.kind) == (1, "note")
    assert "no job block above it" in note.text


@pytest.mark.parametrize(
    ("rest", "direct"),
    [
        ("write", True),
        ("> write", True),
        ("read", None),  # the header has another name
        ("write it down", None),
        ("\nwrite", None),
    ],
)
def test_a_name_that_a_page_broke_at_the_end_of_its_command_is_that_of_the_header(rest, direct):
    options = OPTIONS.replace("--name=seq-write ", "") + " --name=seq-"
    content = f"$ fio {options}\n{rest}\n{HEADER}{BLOCK}{RESULT}{TOTALS}"
    assert [row[4] for row in speeds(content)] == [direct]


GLOBAL = "[global]\nrw=write\nbs=512kb\nsize=8m\nioengine=libaio\niodepth=4\ndirect=1\n"


@pytest.mark.parametrize(
    ("file", "conditions"),
    [
        ("{}\n[seq-write]\n", (8388608, True)),
        ("{}[seq-write]\n[rand-read]\nrw=randread\n", (8388608, True)),
        ("{}\n[rand-read]\nrw=randread\n\n[seq-write]\n", (8388608, True)),
        ("{}\n[other]\n", (None, None)),
        ("{}\nand then a job of it:\n\n[seq-write]\n", (None, None)),
        ("[seq-write]\n{}", (None, None)),
    ],
)
def test_a_job_without_options_of_its_own_has_those_of_its_file(file, conditions):
    fenced = f"```ini\n{file.format(GLOBAL)}```\nRun it:\n```bash\nfio jobfile\n```\n"
    content = f"{fenced}```bash\n{HEADER}{BLOCK}{RESULT}{TOTALS}```\n"
    assert [(row[2], row[4]) for row in speeds(content)] == [conditions]


@pytest.mark.parametrize(
    "name",
    [
        "fsync--3.33", "human-client--3.33", "human-cut-before-totals--3.33", "human-killed--3.33",
        "human-status-interval--3.33", "human-two-jobs--3.33", "human-unified-both--3.33",
        "interrupted--3.33", "randrw-normal--2.0.8", "randrw-normal--2.21", "shares-normal--3.33",
        "readers2-group--2.1.11",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("lost", "end"), [("  ", " "), (" ", " "), ("", " "), ("", "")], ids=["2", "1", "0", "no end"]
)
def test_a_report_that_a_page_made_one_line_gives_the_same_rows(name, lost, end):
    text = (CORPUS / f"{name}.log").read_text()
    joined = (f"{lost if line[:1] == ' ' else end}{line.strip()}" for line in text.splitlines())
    flat = "".join(joined)
    rows, expected = (
        [row._replace(line=0, column=0, run="") for row in read(content)[0]]
        for content in (f"{flat}\n", text)
    )
    assert rows == expected
    printed = [row for row in read(f"{flat}\n")[0] if row.raw]  # a sum is printed nowhere
    assert all(flat[row.column - 1 :].startswith(row.raw) for row in printed)


@pytest.mark.parametrize("end", ["", " "])
@pytest.mark.parametrize("last", ["--direct=1", "card.fio", "--rwmixread=70"])
def test_a_header_begins_with_its_name_where_a_page_put_it_behind_a_command(end, last):
    started = f"{HEADER}fio-3.33\nStarting 1 process\n\n"
    text = f"$ fio {OPTIONS} {last}\n{started}{BLOCK}{RESULT}{TOTALS}"
    assert speeds(f"{text.replace(chr(10), end)}\n") == speeds(text) == [WHOLE]


FILE = "[seq-write]\nrw=randwrite\nbs=512k\nsize=4m\nioengine=libaio\niodepth=8\n\n"


@pytest.mark.parametrize("result", [TOTALS, RESULT, f"{HEADER[:-1]}\n{RESULT}"])
@pytest.mark.parametrize("shown", [FILE, ""], ids=["shown", "hidden"])
def test_a_result_of_a_command_that_names_a_job_file_is_not_of_the_command_above(result, shown):
    above = f"$ fio {OPTIONS} | tail -n 12{TOTALS.replace('800', '400').replace('839', '419')}"
    content = f"{above}\n{shown}$ fio bench.ini | grep -v lat\n{result}"
    first, *others = speeds(content)
    assert first == ("write", 512 << 10, 8 << 20, 1, True, "measured")
    assert {row[4] for row in others} <= {None, False}
    if shown and result != f"{HEADER[:-1]}\n{RESULT}":
        assert others[0][:3] == ("randwrite", 512 << 10, 4 << 20)


def test_a_read_below_a_write_without_their_blocks_is_of_another_job():
    options = "ioengine=sync\nsize=8m\ngroup_reporting\nstonewall\n"
    write = f"rw=write\nbs=512k\ndirect=1\nnumjobs=1\n{options}"
    tests = f"[a]\n{write}\n[b]\n{write}\n[c]\nrw=randread\nbs=8k\nnumjobs=4\n{options}\n"
    read_line = "  read: IOPS=1600, BW=12.5MiB/s (13.1MB/s)(8192KiB/655msec)\n"
    rows = speeds(f"{tests}$ fio all.fio | grep IOPS\n{RESULT}{RESULT}{read_line}")
    assert [row[:1] + row[4:5] for row in rows][:2] == [("write", True)] * 2
    assert rows[2][4] is not True


def test_a_header_stands_behind_the_last_line_of_a_command_that_was_broken():
    command, last = OPTIONS.rsplit(" ", 1)
    content = f"$ fio {command}\n  {last} {HEADER}{BLOCK}{RESULT}{TOTALS}"
    assert speeds(content) == [WHOLE]


def test_a_command_goes_on_below_the_last_of_its_lines_that_a_backslash_joins():
    first, *more = OPTIONS.split(" ")
    content = f"$ fio {first} \\\n  {' '.join(more[:-2])} \\\n {more[-2]}\n{more[-1]}\n\n"
    assert speeds(content + HEADER + BLOCK + RESULT + TOTALS) == [WHOLE]


def test_words_that_end_in_dots_below_a_header_announce_no_clone():
    begin = "seq-write: Waiting for all threads...\n"
    assert speeds(f"$ fio {OPTIONS}\n{HEADER}{begin}{BLOCK}{RESULT}{TOTALS}") == [WHOLE]
    share = speeds(f"{HEADER}> ...  \n{BLOCK}{RESULT}{TOTALS.replace('800', '1600')}")
    assert {status for *_, status in share} == {"partial"}


def test_a_total_that_a_mail_broke_within_its_ranges_is_whole():
    broken = TOTALS.replace("(839MB/s-839", "(839MB/s-\n> > 839").replace("\n", "\n> > ")
    assert speeds(broken) == [("write", None, None, None, None, "measured")]


def test_totals_in_a_row_are_those_of_one_run():
    total = "io=2051.2MB, aggrb=78853KB/s, minb=19713KB/s, maxb=20024KB/s, mint=26222msec, "
    row = f"result   String   READ: {total}maxt=26636msec; WRITE: {total}maxt=26636msec;\n"
    rows, _ = read(row)
    assert [(row.op, row.run) for row in rows] == [("read", "1-fio"), ("write", "1-fio")]


def test_what_sysbench_says_of_a_throughput_is_no_line_of_fio():
    content = "Throughput:\n  write: IOPS=143.72 2.25 MiB/s (2.35 MB/s)\n"
    assert read(content) == ([], [])


LAST_OF_TWO = BLOCK + RESULT + TOTALS.replace("bw=800MiB/s (839MB/s)", "bw=1598MiB/s (1676MB/s)")


def test_a_block_without_header_whose_group_moved_more_is_a_share():
    rows, _ = read(LAST_OF_TWO)
    assert {(row.stat, row.numjobs, row.status) for row in rows} == {("share", None, "partial")}
    rows, _ = read(HEADER + LAST_OF_TWO)  # its header announces one
    assert {(row.stat, row.numjobs, row.status) for row in rows} == {("single", 1, "measured")}


LATENCY = "     lat (usec): min=534, max=2804, avg=617.24, stdev=231.46\n"


@pytest.mark.parametrize("words", ["And with the other card:", "另一张卡：", "### NFS"])
def test_what_stands_below_somebody_s_words_is_not_of_the_report_above_them(words):
    above = f"$ fio {OPTIONS}\n{HEADER}{BLOCK}{RESULT}"
    rows, problems = read(f"{above}{words}\n{LATENCY}\n{words}\n")
    assert {row.metric for row in rows} == {"bandwidth", "iops"}
    assert "whose it is is not known" in "".join(problem.text for problem in problems)
    other = SHORT.replace("write", "read")
    rows, _ = read(f"{above}\n{words}\n\n{other}\n\nand so on\n")
    assert [row.file_size for row in rows if row.op == "read"] == [None, None]


def test_a_result_below_the_end_of_a_report_is_of_another_test():
    end = "     issued rwts: total=0,16,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    content = HEADER + BLOCK + RESULT + end + RESULT.replace("write", "trim") + TOTALS
    assert [jobs for op, _, _, jobs, *_ in speeds(content) if op == "trim"] == [None]


def test_blocks_printed_a_minute_apart_are_of_several_runs():
    later = BLOCK.replace("19342", "19877").replace("19:10:10", "19:42:10")
    content = HEADER + BLOCK + RESULT + later + RESULT.replace("write", "read")
    assert [depth.iodepth for depth in read(content)[0]] == [4, 4, None, None]
    process = BLOCK.replace("19342", "19343").replace(":10 2026", ":11 2026")
    content = HEADER + "...\n" + BLOCK + RESULT + process + RESULT
    assert {row.run for row in read(content)[0]} == {"1-fio"}


def test_a_header_that_has_a_block_of_its_own_is_not_that_of_the_end_of_its_name():
    rest = BLOCK.replace("seq-write", "write").replace(": Sun Nov 22 19:10:10 2026", "") + RESULT
    content = f"{HEADER}{BLOCK}{RESULT}\n{rest}{TOTALS}"
    assert [row.iodepth for row in read(content)[0]] == [4, 4, None, None]


def test_a_result_without_block_below_a_signal_is_interrupted():
    signal = "^C\nfio: terminating on signal 2\n\n"
    assert speeds(f"{HEADER}{signal}{RESULT}\nand so on\n")[0][-1] == "interrupted"
    assert speeds(f"{HEADER}{signal}{TOTALS}\nand so on\n")[0][-1] == "interrupted"
    later = speeds(f"{HEADER}{signal}{RESULT}\nAll of it:\n\n{SHORT.replace('write', 'read')}\n\n")
    assert [status for *_, status in later] == ["interrupted", "measured"]


OLD_TOTAL = "READ: io=507920KB, aggrb=8435KB/s, minb=8637KB/s, maxb=8637KB/s, mint=60215msec"


@pytest.mark.parametrize(
    "total",
    [
        f"   {OLD_TOTAL}, maxt=60215msec",  # of fio 1
        f"db: {OLD_TOTAL.replace('=8', '= 8').replace(', ', ',   ')},  maxt= 60215msec",
        f"/root/a.out:    {OLD_TOTAL.replace(': io', ':  io')}, maxt=60215msec",
    ],
)
def test_the_total_of_one_job_of_fio_1_and_in_columns(total):
    rows, _ = read(f"{total}\n\nand so on\n")
    assert [(row.raw, row.stat, row.status) for row in rows] == [("8435", "single", "measured")]


def test_a_total_ends_the_result_above_it():
    read_ = SHORT.replace("write", "read")
    total = TOTALS.splitlines()[-1].replace("WRITE", "READ")
    content = f"--- RAND-READ (4k, iodepth=8) ---\n{read_}\n{total}\n"
    rows, _ = read(f"{content}--- RAND-WRITE (4k, iodepth=8) ---\n{SHORT}\n\nand so on\n")
    runs = {(row.op, row.run) for row in rows}
    assert runs == {("randread", "2-fio"), ("randwrite", "5-fio")}


@pytest.mark.parametrize("place", ["Sun ", "Nov ", "22 ", "19:10:10 "])
def test_the_rest_of_a_block_s_date_that_a_mail_broke_is_no_word_of_somebody_s_own(place):
    before, _, date = BLOCK.partition(place)
    quoted = f"$ fio {OPTIONS}\n{HEADER}{before}{place.strip()}\n{date}{RESULT}{LATENCY}{TOTALS}"
    assert speeds(quoted.replace("\n", "\n> ")) == [WHOLE]
    assert {row.metric for row in read(quoted)[0]} == {"bandwidth", "iops", "latency"}


def test_what_a_mail_broke_of_a_report_is_no_other_text_below_it():
    rest = "     |  1.00th=[  548], 20.00th=[\n572],\n   bw (  KiB/s): min= 1,\nsamples=8\n"
    rows, _ = read(f"{HEADER}{BLOCK}{RESULT}{rest}  cpu          : usr=1.09%, sys=3.27%\n")
    assert {row.status for row in rows} == {"partial"}


def test_several_headers_that_a_mail_broke_have_the_conditions_of_their_command():
    header, rest = HEADER.split("(T) ")
    names = OPTIONS.replace("seq-write", "a") + " --name=b --rw=write --bs=512k --size=8m"
    broken = f"{header}(T)\n{rest}"
    content = "".join(broken.replace("seq-write", name) for name in "ab")
    blocks = "".join((BLOCK + RESULT).replace("seq-write", name) for name in "ab")
    rows, _ = read(f"$ fio {names} --ioengine=libaio --iodepth=4\n{content}{blocks}{TOTALS}")
    assert {row.file_size for row in rows} == {8388608}


def test_a_name_with_a_blank_stands_in_a_command_and_a_status_that_a_mail_broke():
    quoted = OPTIONS.replace("--name=seq-write", "").replace("--bs", '\n--name="a b" --bs')
    report = (HEADER + BLOCK + RESULT + TOTALS).replace("seq-write", "a b")
    assert speeds(f"$ fio {quoted}\n{report}") == [WHOLE]
    status = "Jobs: 1 (f=1): [w(1)][100.0%][w=800MiB/s][w=1600\nIOPS][eta 00m:00s]\n"
    assert speeds(status + BLOCK + RESULT + TOTALS)[0][0] == "randwrite"


@pytest.mark.parametrize("mark", ["#> ", "# "])
def test_a_report_in_comments_has_its_version_and_is_partial_where_it_is_cut(mark):
    report = f"{HEADER}fio-3.33\n{BLOCK}{RESULT}"
    cut = "   clat percentiles (usec):\n     |  1.00th=[    7],  5.00th=[    7],\n"
    rows, problems = read("".join(f"{mark}{line}\n" for line in (report + cut).splitlines()))
    assert {(row.tool_version, row.iodepth, row.status) for row in rows} == {("3.33", 4, "partial")}
    assert any("the text ends early" in problem.text for problem in problems)
