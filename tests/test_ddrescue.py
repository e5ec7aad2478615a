"""ddrescue's status screens: of all layouts, drawn over themselves, ended or going on."""

from functools import partial

import corpus_logs
import pytest
from hypothesis import given
from hypothesis import strategies as st

measured, errors, notes = (
    partial(one, "ddrescue")
    for one in (corpus_logs.measured, corpus_logs.errors, corpus_logs.notes)
)


def test_a_screen_in_comments_is_that_of_a_whole_run():
    text = "".join(
        f"# {line.strip()}\n" for line in f"GNU ddrescue 1.27\n{NEW}Finished\n".splitlines()
    )
    (item,) = measured(text.format(average="19627 kB/s"))
    assert (item.raw, item.status) == ("19627", "measured")
    assert notes(text.format(average="19627 kB/s")) == []


OLD = """GNU ddrescue 1.16
Press Ctrl-C to interrupt
rescued:    {rescued},  errsize:       0 B,  current rate:    {current}/s
   ipos:     2000 MB,   errors:       0,    average rate:    {average}/s
   opos:     2000 MB,     time since last successful read:       0 s
"""
RUN_TIME = """rescued:     2000 MB,  errsize:       0 B,  current rate:    34770 kB/s
   ipos:     2000 MB,   errors:       0,    average rate:    24770 kB/s
   opos:     2000 MB, run time:   1.33 m,  successful read:       0 s ago
"""
NEW = """     ipos:   60402 MB, non-trimmed:    1986 kB,  current rate:  22282 kB/s
     opos:   60402 MB, non-scraped:        0 B,  average rate:  {average}
non-tried:  259853 MB,  bad-sector:        0 B,    error rate:       0 B/s
  rescued:   60217 MB,   bad areas:        0,        run time:     51m  8s
pct rescued:   18.81%, read errors:       57,  remaining time:      3h 14m
                              time since last successful read:          0s
"""


def screen(average="19627 kB/s"):
    return NEW.format(average=average)


def old(average="24770 kB"):
    return OLD.format(rescued="2000 MB", current="34770 kB", average=average)


@pytest.mark.parametrize("text", [old(), old().split("\n", 2)[2], RUN_TIME])
def test_the_old_three_line_screen_is_read(text):
    (item,) = measured(text + "Finished\n")
    assert (item.raw, item.raw_unit, item.value) == ("24770", "kB/s", 24770e3)
    assert (item.value_low, item.value_high) == (24770e3, 24771e3)
    assert item.status == "measured"
    assert item.tool_version == ("1.16" if "GNU" in text else None)


@pytest.mark.parametrize(
    ("average", "value"),
    [("99 B/s", 99), ("115 MB/s", 115e6), ("19531 KiB/s", 19531 * 2**10), ("1 GB/s", 1e9)],
)
def test_prefixes_are_of_1000_or_with_an_i_of_1024(average, value):
    (item,) = measured(screen(average) + "Finished\n")
    assert item.value == value


def test_of_many_screens_the_last_counts_and_is_a_result_only_once_the_run_ends():
    screens = "".join(map(screen, ["0 B/s", "5000 kB/s", "7000 kB/s"]))
    for end, status in (("Finished\n", "measured"), ("", "running")):
        assert [(item.raw, item.status) for item in measured(screens + end)] == [("7000", status)]
    assert errors(screens) == []
    assert "found 3 screens of a run that goes on" in notes(screens)[0]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("Finished", "measured"),
        ("Finished $ sync", "measured"),
        ("ddrescue: Read error: Input/output error", "error"),
        ("and it has not Finished yet", "running"),
        ("Interrupted by user", "interrupted"),
    ],
)
@pytest.mark.parametrize("text", [old(), RUN_TIME, "GNU ddrescue 1.26\n" + screen("24770 kB/s")])
def test_a_screen_that_a_page_put_into_one_line_is_read(text, end, status):
    line = " ".join(f"{text}Copying non-tried blocks... {end}".split())
    (item,) = measured(f"The end:\n{line}\n")
    assert (item.raw, item.status, item.line) == ("24770", status, 2)
    assert line[item.column - 1 :].startswith("24770 kB/s")
    assert item.run == "2-ddrescue"


def test_a_pasted_screen_of_a_run_that_goes_on_is_no_result():
    (item,) = measured("GNU ddrescue 1.26\n" + screen() + "Copying non-tried blocks... Pass 1")
    assert (item.status, item.value) == ("running", 19627e3)


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("Finished\n", "measured"),
        ("  Interrupted by user\n", "interrupted"),
        ("ddrescue: /dev/sdb: Write error: No space left on device\n", "partial"),
        ("ddrescue: Write error: No space left on device\n", "partial"),
        ("**ddrescue: write error: Input/output error**\n", "error"),
    ],
)
def test_the_end_of_a_run_says_what_its_rate_is(end, status):
    assert [item.status for item in measured(screen() + "\n" + end)] == [status]


def test_a_write_test_ends_where_the_device_is_full():
    end = "ddrescue: /dev/sdb: Write error: No space left on device\n"
    (item,) = measured(f"$ ddrescue -f /dev/zero /dev/sdb\n{screen()}\n{end}")
    assert (item.op, item.status) == ("write", "measured")


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("No space left on device", "partial"),
        ("Input/output error", "error"),
        ("Read-only file system", "error"),
    ],
)
@pytest.mark.parametrize("command", ["", "$ ddrescue -f /dev/zero /dev/sdb\n"])
@pytest.mark.parametrize("below", ["", "\n", "pi@raspberrypi:~ $ ls\n"])
def test_an_error_that_is_drawn_over_the_last_screen_is_the_end_of_the_run(
    message, status, command, below
):
    drawn = f"   opos:     2000 MBr: {message}erage rate:   18362 kB/s"
    (item,) = measured(f"{command}{old()}{drawn}\n{below}")
    assert (item.raw, item.status) == ("24770", status)
    assert any(message in note for note in notes(f"{command}{old()}{drawn}\n{below}"))
    (item,) = measured(f"{command}{old()}{drawn}\n{RUN_TIME}Finished\n")
    assert item.status == "measured"


def test_what_stands_below_the_end_of_a_run_says_nothing_of_it():
    failed = "ddrescue: /dev/sdc: Can't open input file: No such file or directory\n"
    (item,) = measured(f"{screen()}Finished\n{failed}Sector size: 512 Bytes\n")
    assert (item.status, item.block_size) == ("measured", None)
    (item,) = measured(f"{screen()}pi@raspberrypi:~ $ ./other\nFinished\n")
    assert item.status == "partial"


@pytest.mark.parametrize(
    ("time", "word"),
    [
        ("0s", "run time of 0 s"),
        ("9s", "run time of 9 s"),
        ("10s", None),
        ("1m  0s", None),
        ("1h  0m", None),
        ("1d  0h", None),
        ("0m  9s", "run time of 9 s"),
    ],
)
def test_a_rate_of_less_than_ten_whole_seconds_has_a_word(time, word):
    found = notes(f"{screen().replace('51m  8s', time)}Finished\n")
    assert [word in note for note in found] == ([True] if word else [])


@pytest.mark.parametrize(
    ("command", "op"),
    [
        ("$ sudo ddrescue --force /dev/zero /dev/sdb", "write"),
        ("# ddrescue -f -b 4096 /dev/sdb /dev/null", "read"),
        ("`ddrescue -f -b 4096 /dev/sdb /dev/null`", "read"),
        ("$ ddrescue /dev/sdb image map", "copy"),
        ("$ ddrescue -f /dev/zero /dev/null", "copy"),
        ("GNU ddrescue 1.27\nAbout to copy 32 GBytes from '/dev/zero' to '/dev/sdb'", "write"),
        ("About to copy 60011 MBytes from /dev/sdc to /dev/null", "read"),
        ("About to copy 32 GBytes from /dev/zero [1] to /dev/sdb [Card of 32 GB].", "write"),
        ("About to copy 60011 MBytes from /dev/sdc to /dev/sdb", "copy"),
        ("$ sudo ddrescue -D --force 2018-06-27-lite.img /dev/mmcblk0", "write"),
        ("$ ddrescue -c 1.5M /dev/sdb image.img", "copy"),
        ("$ ddrescue -m domain.img.map /dev/sdb saved.img", "copy"),
        ("ls", "copy"),
    ],
)
def test_the_direction_comes_from_the_command(command, op):
    assert [m.op for m in measured(f"{command}\n{screen()}Finished\n")] == [op]


OLD_WORDS = "    Copy block size: 128 hard blocks\nHard block size: 512 bytes\n"
OLD_WORDS += "Direct: yes    Sparse: no    Split: yes    Truncate: no\n"


@pytest.mark.parametrize(
    ("above", "direct"),
    [
        (OLD_WORDS, True),
        ("Direct in: no    Direct out: no\n", False),
        ("Direct in: no    Direct out: yes\n", True),
        ("Direct in: no\n", None),  # of a copy that has another side
        ("$ ddrescue /dev/sdb /dev/null\nDirect in: no    Direct out: yes\n", False),
        ("$ sudo ddrescue -d -r3 /dev/sdb image map\n", True),
        ("$ ddrescue -nfdr3 /dev/sdb /dev/null map\n", True),
        ("$ ddrescue -fD /dev/zero /dev/sdb\n", True),
        ("$ ddrescue -d /dev/zero /dev/sdb\n", False),  # of the side that is no medium
        ("$ ddrescue --direct --max-retries=3 /dev/sdb image\n", True),
        ("$ ddrescue --idirect /dev/sdb image\nddrescue: no\n$ ddrescue /dev/sdb image\n", False),
        ("$ ddrescue --domain-mapfile=d /dev/sdb image\n", False),
        ("I shall try ddrescue with -d next.\n", None),
        ("[root@live ~]# time ddrescue -f /dev/sdb /dev/sdc map  \n", False),
        ("$ ddrescue -f /dev/sdb /dev/sdc map\n" + "\n" * 9, None),  # it may be another run's
        ("+ ddrescue -n /dev/sdb image map\n\n\nPress Ctrl-C to\n\n\n\n\nCurrent status\n", False),
        ("$ ddrescue /dev/sdb \\\n  image -d\n", True),
        ("$ ddrescue --idirect --retry-passes=9 \\\n  --size=1s \\\n  /dev/sdb image map\n", True),
        ("$ sudo \\\n  ddrescue -f /dev/sdb /dev/sdc\n", False),
        ("$ ddrescue /dev/sdb image ...\n", None),
        ("$ ddrescue /dev/sdb image map | tee log\n", None),
        ("Try ddrescue /dev/sdb image map first\n", None),
    ],
)
def test_direct_access_comes_from_the_verbose_words_or_the_command(above, direct):
    (item,) = measured(f"{above}\n{old().replace('1.16', '1.20')}Finished\n")
    assert item.direct is direct


@pytest.mark.parametrize(
    ("above", "direct"),
    [
        ("$ ddrescue -fD /dev/zero /dev/sdb\n", False),  # -D: synchronous writes
        ("$ ddrescue -dD /dev/sdb image\n", True),
        ("$ ddrescue -D /dev/sdb \\\n  image\n", False),
    ],
)
def test_the_output_by_passes_the_cache_since_1_20(above, direct):
    (item,) = measured(f"{above}\n{old()}Finished\n")
    assert item.direct is direct


def test_a_banner_may_have_lost_the_end_of_its_line():
    (item,) = measured(old().replace("1.16\n", "1.19") + "Finished\n")
    assert item.tool_version == "1.19"


@pytest.mark.parametrize(("block", "status"), [("```", "running"), (".. code:: sh", "running")])
def test_a_prompt_in_another_block_of_a_page_says_nothing_of_a_run(block, status):
    (item,) = measured(f"{screen()}\n{block}\n\n  $ ls\n")
    assert item.status == status


def test_the_words_of_a_version_without_direct_output_tell_both_sides():
    words = OLD_WORDS.replace("Direct: yes", "Direct: no")
    (item,) = measured(words + old().split("\n", 1)[1] + "Finished\n")
    assert item.direct is False


@pytest.mark.parametrize("size", ["512 bytes", "512  bytes"])  # 1.14 puts two blanks there
def test_the_words_of_old_versions_tell_the_size_of_a_copied_block(size):
    words = OLD_WORDS.replace("512 bytes", size)
    (item,) = measured(words + old().split("\n", 1)[1] + "Finished\n")
    assert item.block_size == 65536


def test_two_runs_have_a_result_each():
    text = f"$ ddrescue /dev/sdb /dev/null\n{old()}Finished\n$ ddrescue a b\n{old()}Finished\n"
    assert [(item.op, item.run) for item in measured(text)] == [
        ("read", "2-ddrescue"),
        ("copy", "9-ddrescue"),
    ]


@pytest.mark.parametrize("average", ["0 B/s", "999999999999 GB/s", "12 XB/s", "19627 k", "-5 kB/s"])
def test_what_is_no_rate_is_refused(average):
    text = screen(average) + "Finished\n"
    assert measured(text) == [] and len(errors(text)) == 1


@pytest.mark.parametrize(
    "first",
    [
        "# Mapfile. Created by GNU ddrescue version 1.22",
        "# Rescue Logfile. Created by GNU ddrescue version 1.16",
    ],
)
def test_a_mapfile_holds_no_rate(first):
    text = f"{first}\n# Command line: ddrescue /dev/zero b c\n# Finished\n0x00000000  0x100  +\n"
    assert measured(text) == []
    assert [item.text for item in errors(text)] == [
        "found a mapfile, expected a run's screen: a ddrescue mapfile holds no rate"
    ]


@pytest.mark.parametrize(
    ("first", "name"),
    [
        ("# Mapfile. Created by GNU ddrescue version 1.22\n", "a mapfile"),
        ("# Rates Logfile. Created by GNU ddrescue version 1.27\n", "a rates log"),
        ("# Events Logfile. Created by GNU ddrescue version 1.27\n", "an events log"),
        ("# Reads Logfile. Created by GNU ddrescue version 1.27\n", "a reads log"),
        ("", "a file of ddrescue's"),
    ],
)
def test_a_file_of_ddrescues_is_named_and_takes_no_result_away(first, name):
    file = f"{first}# Command line: ddrescue /dev/zero b c\n# Finished\n 0  0x0  12  12  0  0\n"
    assert measured(file) == []
    assert [item.text.split(",")[0] for item in errors(file)] == [f"found {name}"]
    for text in (f"{screen()}Finished\n{file}", f"{file}{screen()}Finished\n"):
        (item,) = measured(text)
        assert (item.raw, item.status, item.op) == ("19627", "measured", "copy")
        assert errors(text) == []
        assert f"found {name}" in notes(text)[0]


@pytest.mark.parametrize(
    "prompt",
    [
        *("pi@raspberrypi:~ $ ls", "[root@live ~]# sync", "root@sysresccd /root % ls"),
        *("root:~# df -h", "bash-5.1$ ", "sh-4.4#", "$ cat d.map", "# ls -l", "user@host:~$"),
        "# Mapfile. Created by GNU ddrescue version 1.22",
    ],
)
def test_above_a_prompt_a_run_has_ended_and_nobody_knows_how(prompt):
    screens = "".join(map(screen, ["0 B/s", "5000 kB/s", "7000 kB/s"]))
    for text in (screens, screen("7000 kB/s")):
        (item,) = measured(f"{text}Copying non-tried blocks... Pass 1 (forwards)\n{prompt}\n")
        assert (item.raw, item.status) == ("7000", "partial")
    assert "found no `Finished` above what follows" in " ".join(notes(f"{screens}\n{prompt}\n"))
    ended = f"{screens}Finished\n{prompt}\n"
    assert [item.status for item in measured(ended)] == ["measured"]


def test_a_prompt_in_another_block_of_a_page_is_of_any_shell():
    text = f"```\n$ ddrescue /dev/sdb image map\n{screen('7000 kB/s')}"
    below = "```\nThen start the other one:\n```\n$ ddrescue /dev/sdc other map\n"
    (item,) = measured(f"{text}{below}")
    assert (item.raw, item.status) == ("7000", "running")
    assert "found no `Finished` above what follows" not in " ".join(notes(f"{text}{below}"))
    items = measured(f"{text}{below}{screen('9000 kB/s')}Finished\n```\n")
    assert [(one.raw, one.status) for one in items] == [("7000", "running"), ("9000", "measured")]
    assert len({one.run for one in items}) == 2


@pytest.mark.parametrize("first", ["Press Ctrl-C to interrupt", "About to copy 9 GBytes from a"])
@pytest.mark.parametrize(("between", "status"), [("", "partial"), ("```\nLater\n", "running")])
def test_the_first_line_of_a_run_without_a_banner_ends_the_run_above_it(first, between, status):
    start = f"{first}\nInitial status (read from logfile)\nCurrent status\n"
    text = f"{start}{screen('7000 kB/s')}{between}{start}{screen('9000 kB/s')}Finished\n"
    items = measured(text)
    assert [(one.raw, one.status) for one in items] == [("7000", status), ("9000", "measured")]
    assert len({one.run for one in items}) == 2


def test_a_comment_below_a_screen_in_comments_is_no_prompt():
    lines = f"{screen('7000 kB/s')}later that day\n{screen('9000 kB/s')}".splitlines()
    items = measured("".join(f"# {line.strip()}\n" for line in lines))
    assert [(one.raw, one.status) for one in items] == [("7000", "running"), ("9000", "running")]


WHOLE_RUN = (
    f"$ sudo ddrescue -d /dev/sdb image map\nGNU ddrescue 1.27\n{screen()}\nFinished\n$ ls\n"
)


@pytest.mark.parametrize(
    "mark",
    [
        *("> ", ">> ", "# ", "// ", " * ", "- ", ": ", "| ", "+", "node01: ", "bench bench-4f "),
        *("{:4}  ", "{:3} | ", "{}. ", "03-05 10:11:{}.123  77  78 I bench   : ", "INFO:root:"),
    ],
)
def test_what_stands_before_each_line_of_a_screen_is_not_its_own(mark):
    lines = WHOLE_RUN.splitlines()
    text = "".join(f"{mark.format(count)}{line}\n" for count, line in enumerate(lines, 1))
    (item,) = measured(text)
    (bare,) = measured(WHOLE_RUN)
    assert item._replace(column=0) == bare._replace(column=0)
    assert (item.direct, item.status, item.tool_version) == (True, "measured", "1.27")
    assert text.splitlines()[item.line - 1][item.column - 1 :].startswith("19627 kB/s")


@pytest.mark.parametrize("break_at", ["average", "average rate:", "average rate:  19627"])
@pytest.mark.parametrize("mark", ["", "> "])
def test_an_average_that_a_mail_program_broke_is_read_where_its_number_stands(break_at, mark):
    text = WHOLE_RUN.replace(break_at, f"{break_at}\n").replace("\n", f"\n{mark}")
    (item,) = measured(text)
    assert (item.raw, item.raw_unit, item.status) == ("19627", "kB/s", "measured")
    assert text.splitlines()[item.line - 1][item.column - 1 :].startswith("19627")


@pytest.mark.parametrize("break_at", ["run", "run time:"])
def test_a_run_of_no_time_is_no_result_where_a_mail_program_broke_the_word(break_at):
    text = f"GNU ddrescue 1.27\n{screen()}\n  rescued: 1 MB, bad areas: 0, run time:      0s\n"
    (item,) = measured(text.replace(break_at, f"{break_at}\n") + "Finished\n")
    assert (item.raw, item.status) == ("19627", "partial")


def test_a_run_in_a_string_of_json_is_whole():
    text = WHOLE_RUN.replace("\n", "\\n")
    (item,) = measured(f'{{"stdout": "{text}"}}\n')
    assert (item.raw, item.status, item.tool_version, item.direct) == (
        *("19627", "measured", "1.27", True),
    )


@pytest.mark.parametrize(
    "line",
    ["Trimming failed blocks... (forwards)", "Pass: 2 # 3", "at 18.81% of it", "see https://x.y/z"],
)
def test_other_words_below_a_screen_end_no_run(line):
    for screens in ("".join(map(screen, ["5000 kB/s", "7000 kB/s"])), screen()):
        assert [item.status for item in measured(f"{screens}{line}\n")] == ["running"]


@pytest.mark.parametrize(
    "line",
    [
        "Copying non-tried blocks... bash: line 1:  1630 Killed                 ddrescue s d d.map",
        "Killed",
        "Terminated\n",
        "[1]+  Terminated              sudo ddrescue -f /dev/sdb /dev/null",
        "bash: line 1: 7 Segmentation fault      ddrescue a b",
    ],
)
def test_a_run_that_a_signal_ended_is_interrupted(line):
    text = screen("5000 kB/s") + screen("7000 kB/s") + line
    assert [(item.raw, item.status) for item in measured(text)] == [("7000", "interrupted")]
    assert "the rate of a part" in notes(text)[0]


@pytest.mark.parametrize("digits", [18, 309, 5000])
@pytest.mark.parametrize(
    "text",
    [
        screen("N kB/s") + "Finished\n",
        screen().replace("51m  8s", "Nm  Ns") + "Finished\n",
        f"Sector size: N Bytes\nCopy block size: N sectors\n{screen()}Finished\n",
        f"GNU ddrescue N\n{screen()}Finished\n",
        "Copying non-tried blocks... bash: line N:  N Killed  ddrescue s d",
    ],
)
def test_numbers_of_any_length_raise_nothing(text, digits):
    for item in measured(text.replace("N", "9" * digits)):
        assert item.raw == "19627"


@given(st.text(alphabet="0123456789 kMGiB/s:averagt\n", max_size=60))
def test_any_text_is_read_or_refused(text):
    for item in measured(f"GNU ddrescue 1.27\naverage rate: {text}"):
        assert 0 < item.value <= 1e13


@pytest.mark.parametrize("part", ["ddrescue About to copy from '", "average rate: 1 ", "ddrescue "])
def test_a_line_of_megabytes_is_answered(part):
    assert measured(part * 10**5) == []


def test_rates_in_a_sentence_are_no_screen():
    text = "It runs at an average rate: 543 kB/s, says ddrescue, at a current rate: 12 kB/s.\n"
    assert not measured(text)
