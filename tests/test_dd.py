"""dd's reports: whoever printed them, in any language, whole, cut and damaged."""

import json
import re
import textwrap
from functools import partial

import corpus_logs
import pytest
from corpus_logs import (
    CORPUS,
)
from hypothesis import given
from hypothesis import strategies as st

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.logs import read as logs
from sdanalysis.parsers.dd.commands import size_of
from sdanalysis.parsers.dd.words import has_figures, is_aside, is_round

measured, errors, notes = (
    partial(one, "dd") for one in (corpus_logs.measured, corpus_logs.errors, corpus_logs.notes)
)
ASKED = "$ dd if=F of=t bs=1k\nIn another window:\n$ kill -USR1 $!\n"
COUNTS = "5+0 records in\n5+0 records out\n"
TRIMMED = "5120 bytes (5.1 kB, 5.0 KiB) copied, 0.512345 s, 10.0 kB/s\n"
REPORT = f"{COUNTS}5120 bytes (5.1 kB, 5.0 KiB) copied, 0.5 s, 10.2 kB/s\n"


def test_a_command_behind_a_pipe_that_a_backslash_continues_is_one():
    image = "xzcat card.img.xz | \\\n  sudo dd of=/dev/mmcblk0 bs=1k conv=fsync\n```\n\n"
    (row,) = measured(f"{image}{REPORT}")
    assert (row.op, row.block_size, notes(image + REPORT)) == ("write", 1024, [])


WRITES = "dd if=/dev/zero of=f bs=1k count=9 conv=fsync\n"
READS = "dd if=f of=/dev/null bs=512\n"
DROPS = "dd of=f oflag=nocache conv=notrunc,fdatasync count=0\n"


def of_bytes(full, block_size, seconds="0.5"):
    """A report of so many records."""
    counts = f"{full}+0 records in\n{full}+0 records out\n"
    size = full * block_size
    rate = f"{size / float(seconds) / 1000:.3g} kB/s" if size else "0.0 kB/s"
    return f"{counts}{size} bytes copied, {seconds} s, {rate}\n"


WITHOUT_COUNTS = "9216 bytes copied, 0.512345 s, 18 kB/s\n"
WRITTEN, READ = of_bytes(9, 1024), of_bytes(18, 512, "0.7")
ITSELF = of_bytes(9, 1024, "0.512345")  # no two runs have so many digits alike


@pytest.mark.parametrize(
    ("log", "ops"),
    [
        (f"$ {DROPS}\nNow read:\n\n$ {READS}\nOutput:\n\n{READ}", ["read"]),
        (f"$ dd if=/dev/zero of=f bs=1 count=0 seek=9k; {WRITES}{WRITTEN}", ["write"]),
        (f"$ {DROPS}{READ}", ["copy"]),
        (f"{DROPS}{READS}Output:\n{of_bytes(0, 1)}{READ}", ["read"]),
        (f"{WRITES}{READS}Output:\n{WRITTEN}and\n{READ}", ["write", "read"]),
        (f"{WRITES}{READS}Output:\n{READ}and\n{WRITTEN}", ["read", "write"]),
        (f"{WRITES}{READS}Output:\n{READ}and\n{READ}", ["read", "copy"]),
        (f"{WRITES}{READS}Output:\n{of_bytes(9, 256)}", ["copy"]),
        (f"{WRITES}{READS.replace('512', '1k')}Output:\n{WRITTEN}", ["copy"]),
        (f"{WRITES}{READS.replace('512', '1k')}Output:\n{of_bytes(10, 1024)}", ["read"]),
        (f"{WRITES}{READS.replace('512', '$B')}Output:\n{READ}", ["copy"]),
        (f"$ {WRITES}$ {READS}{WRITTEN}", ["copy"]),  # the last one's own, by its place
        (f"{WRITES}dd if=/dev/zero of=f bs=1k count=5\nOutput:\n{TRIMMED}", ["write"]),
        (f"{WRITES}{READS.replace('512', '1k count=5')}Output:\n{TRIMMED}", ["read"]),
        (f"{WRITES}{READS.replace('512', '1k count=7')}Output:\n{of_bytes(5, 1024)}", ["copy"]),
        (f"{WRITES}{WRITES.replace('9', '4')}:\n{WITHOUT_COUNTS}", ["write"]),
    ],
)
def test_of_several_commands_a_report_is_of_the_only_one_that_can_have_made_it(log, ops):
    assert [row.op for row in measured(log)] == ops
    assert len([note for note in notes(log) if "which way" in note]) == ops.count("copy")


@pytest.mark.parametrize(
    ("again", "rows"),
    [
        (f"$ {WRITES}{ITSELF}", 1),
        (f"\n{ITSELF}", 1),
        (
            f"$ {READS.replace('512', '1k')}{ITSELF}",
            2,
        ),  # somebody pasted the wrong figures: which are they?
        (f"$ {WRITES}{ITSELF.replace('512345', '512346')}", 2),
        (f"$ {WRITES}{WRITTEN}" * 2, 3),  # two runs may print so few
    ],
)
def test_a_report_that_a_quotation_repeats_is_counted_once(again, rows):
    log = f"$ {WRITES}{ITSELF}\n---\n> **somebody said:**\n> so:\n{again}"
    assert len(measured(log)) == rows
    assert len([note for note in notes(log) if "again: counted once" in note]) == (rows == 1)


def test_a_series_of_reports_that_a_quotation_repeats_is_counted_once():
    series = f"$ {WRITES}$ kill -USR1 1\n{of_bytes(4, 1024, '0.212345')}{ITSELF}"
    assert [row.status for row in measured(series)] == ["running", "measured"]
    assert [row.status for row in measured(f"{series}\nHe said:\n{series}")] == [
        "running",
        "measured",
    ]


def test_a_report_with_the_figures_of_another_is_its_own_where_its_command_has_a_new_one():
    loop = f"$ for i in 1 2; do {WRITES.strip()}; done\n"
    one, other = (of_bytes(9, 1024, f"0.6123{last}5") for last in "67")
    first = f"{loop}{ITSELF}{one}"
    assert len(measured(f"{first}\nWithout a buffer:\n{loop}{ITSELF}{other}")) == 4
    lines = loop.replace("; d", "\n> d")
    assert len(measured(f"{first}\nWithout a buffer:\n{lines}{other}{ITSELF}")) == 4
    for quoted in (ITSELF, ITSELF + one, f"{ITSELF}\nI have:\n{other}"):
        assert len(measured(f"{first}\nHe said:\n{loop}{quoted}")) == 2 + (other in quoted)


def test_progress_that_shows_the_same_second_twice_is_progress():
    shown = "".join(
        f"{size * 10**9} bytes ({size} GB, {size / 1.0737:.1f} GiB) copied, {second} s, 97 MB/s\n"
        for size, second in ((9, 93), (91, 938), (92, 938), (93, 959))
    )
    log = f"{shown}{REPORT}"
    assert len(measured(log)) == 1
    assert errors(log) == []


def test_a_label_in_the_line_of_a_report_names_its_block_size():
    labelled = "{} 4194304 bytes transferred in 0.487654 secs (8601004 bytes/sec)\n".format
    for label in ("sda bs 64k:", "sda bs=64k:", "bs 65536:", "sda, bs=64k,"):
        assert [row.block_size for row in measured(labelled(label))] == [65536]
    for label in ("sda jobs 4:", "bs 3:", "bs 64k on sda:"):
        assert [row.block_size for row in measured(labelled(label))] == [None]


def test_a_command_that_says_how_often_it_was_run_is_of_all_reports_that_adjoin():
    command = "$ dd if=/dev/zero of=f bs=1k count=5 conv=fsync"
    reports = TRIMMED * 3
    assert [row.op for row in measured(f"{command} (run 3 times)\n\n{reports}")] == ["write"] * 3
    assert [row.op for row in measured(f"{command}\n\n{reports}")] == ["write"] * 3
    once = [row.op for row in measured(f"{command}\n\n{REPORT * 2}")]
    assert once == ["write", "copy"]  # what was run next may be another command
    other = TRIMMED.replace("5120", "5121")
    assert [row.op for row in measured(f"{command}\n\n{TRIMMED}{other}")] == ["write", "copy"]


def test_a_line_that_tells_size_and_number_of_the_blocks_tells_the_block_size():
    log = f"config: size=5KiB bs=1K, count=5\nwrite: {TRIMMED}read: {TRIMMED}"
    assert [(row.op, row.block_size) for row in measured(log)] == [("write", 1024), ("read", 1024)]
    assert [row.block_size for row in measured(log.replace("count=5", "count=6"))] == [None] * 2


def test_a_command_that_a_mail_program_broke_may_name_a_file_twice():
    log = f"> # dd if=/dev/zero of=/mnt if=/dev/zero of=/mnt/t\n> bs=1k count=$[1*5]\n{REPORT}"
    (row,) = measured(log)
    assert (row.op, row.block_size, row.status) == ("write", 1024, "measured")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("536870912 bytes (537 MB) copied, 12.5 seconds, 42.9 MB/s", 42.9e6),
        ("1000 bytes (1.0 kB) copied, 1 second, 1.0 kB/s", 1000),
        ("536870912 バイト (537 MB) コピーされました、 7.35077 秒、 73.0 MB/秒", 73036002.59),
        ("1073741824字节(1.1 GB)已复制，3.50965 秒，306 MB/秒", 305939858.39),
        ("42 MB: 41 943 040 bajtů (42 MB, 40 MiB) zkopírováno, 0,05 s, 839 MB/s", 839e6),
        ("41943040 字节（42 MB，40 MiB）已复制，0.048088 s，872 MB/s", 872214273.83),
        ("1024 bytes transferred in 0.000088 secs (11639478 bytes/sec)", 11639478),
        ("10485760 bytes transferred in 0.028418 seconds (368981986 bytes/sec)", 368981986),  # 2004
        ("1048576 bytes (1.0MB) copied, 0.000992 seconds, 1008.1MB/s", 1008.1 * 2**20),
        ("41943040 bytes (42 MB, 40 MiB) copied, 0.0 s, 1.4 GB/s", 1.4e9),
        ("5120000 (5.12 MB) bytes copied, 0.04 s, 128.123456 MB/s", 128.123456e6),  # uutils, 2014
    ],
)
def test_other_wordings_are_read(line, value):
    (item,) = measured(COUNTS + line + "\n")
    assert item.value == pytest.approx(value, rel=1e-6)
    assert line[item.column - 1 :].startswith(item.raw)


@pytest.mark.parametrize(
    "line",
    [
        "41943040 bytes (42 MB, 40 MiB) copied, 0 s, Infinity B/s",
        "41943040 Bytes (42 MB, 40 MiB) kopiert, 0 s, Infinity B/s",
        "512 bytes copied, 0.0 s, 512 kB/s",
        "512 bytes copied, 0 s, 512 kB/s",
        "512 bytes copied, nan s, 512 kB/s",
        "512 bytes copied, -1 s, 512 kB/s",
        "512 bytes copied, 1e-30 s, 5120 TB/s",
        "512 bytes copied, 0.5 s, 1.0 KB/s",
        "1024/512 bytes copied, 0.5 s, 1.0 kB/s",
        "41943040 Bytes (42 MB, 40 MiB) kopiert, 0,0452347 s, 927 M",
        "41943040 bytes (42 MB) gescand, 2 appels, 927 MB/appel",
        "41943040 bytes (42 MB) gescand, 2 appels, 927 MB/s",
        "41943040 bytes (42 MB) gescand, 2 s, 927 MB/appel",
        "1024 bytes transferred in 0.000088 secs (11639478 byt",
    ],
)
def test_what_is_no_rate_is_refused_with_its_line(line):
    assert measured(COUNTS + line) == []
    assert [item.line for item in errors(COUNTS + line)] == [3]


@pytest.mark.parametrize("records", ["0+0", "1+0"])
@pytest.mark.parametrize(
    "line",
    [
        "0 bytes copied, 3.1494e-05 s, 0.0 kB/s",
        "0 bytes (0 B) copied, 8.4021 s, 0.0 kB/s",
        "0 bytes transferred in 0.000013 secs (0 bytes/sec)",
    ],
)
def test_a_run_that_copied_nothing_is_no_error_of_its_log(line, records):
    why = "dd: error reading '/dev/sdz': Input/output error\n"
    log = f"dd if=/dev/sdz of=/dev/null bs=1M\n{why}{records} records in\n0+0 records out\n{line}\n"
    assert measured(log) == [] and errors(log) == []
    assert "found 0 bytes" in notes(log)[0]
    (row,) = measured(f"{log}{REPORT}")
    assert row.op == "copy"  # the command was that of the run that failed


def test_a_comma_is_never_deleted():
    (item,) = measured(COUNTS + "620134400 Bytes (620 MB) kopiert, 71,5018 s, 8,7 MB/s")
    assert item.raw == "8,7"
    assert item.value == pytest.approx(620134400 / 71.5018)


def test_figures_that_disagree_are_read_with_a_word_on_which_one_is_used():
    text = COUNTS + "419430400 bytes (419 MB, 400 MiB) copied, 0.471419 s, 89 MB/s"
    (item,) = measured(text)
    assert item.value == pytest.approx(419430400 / 0.471419)
    (note,) = notes(text)
    assert "found the rate 89 MB/s" in note and "the bytes and seconds are used" in note


def test_a_size_that_is_not_that_of_the_bytes_is_said():
    text = COUNTS + "41943040 bytes (419 MB, 400 MiB) copied, 0.0471419 s, 890 MB/s"
    assert "expected the same size twice" in notes(text)[0]


@pytest.mark.parametrize(
    ("size", "printed", "same"),
    [  # with an i of 1024, without it of 1000 or, by BusyBox, of 1024
        (999 * 1024**3, "999 GiB", True),
        (999 * 1000**3, "999 GiB", False),
        (999 * 1000**3, "999 GB", True),
        (999 * 1024**3, "999 GB", True),
        (999 * 1010**3, "999 GB", False),
        (42_900_000, "42 MB", True),  # a last digit, cut or rounded
        (44_100_000, "42 MB", True),  # 42.06 of 1024
        (45_100_000, "42 MB", False),
    ],
)
def test_the_size_in_the_parenthesis_is_that_of_the_bytes_within_its_last_digit(
    size, printed, same
):
    line = f"{size} bytes ({printed}) copied, 100.123 s, {size / 100.123e6:.3f} MB/s\n"
    assert len(measured(COUNTS + line)) == 1
    assert (notes(COUNTS + line) == []) == same


def test_a_rate_that_a_device_may_just_reach_is_read_though_its_rounding_leaves_more():
    (item,) = measured(f"{COUNTS}10000000000000 bytes (10 TB, 9.1 TiB) copied, 1 s, 10 TB/s\n")
    assert (item.value, item.value_high) == (1e13, 1.05e13)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [("3.31993", None), ("3.319931", "more digits than a report's"), ("31.9931", None)],
)
def test_without_record_counts_seconds_of_more_digits_than_a_report_has_are_progress(
    seconds, words
):
    log = f"1048576000 bytes (1.0 GB) copied, {seconds} s, {1048.576 / float(seconds):.4} MB/s\n"
    assert [item.raw for item in measured(log)] == ([log.split()[-2]] if words is None else [])
    assert [words in error.text for error in errors(log)] == ([True] if words else [])


def test_a_command_that_reports_before_it_waits_makes_the_three_lines_below_it_doubtful():
    report = "1048576000 bytes (1.0 GB) copied, 3.31993 s, 316 MB/s\n"
    asked = "dd if=/dev/zero of=t bs=1000k status=progress conv=fdatasync\n"
    for lines in (0, 1, 2, 3):
        found = measured(asked + "words\n" * lines + report)
        assert len(found) == (lines == 3), lines


@pytest.mark.parametrize(
    "progress",
    [
        "10698620928 bytes (11 GB, 10 GiB) copied, 31 s, 345 MB/s",
        "10698620928 bytes (11 GB, 10 GiB) copied, 31.000123 s, 345 MB/s",
        "10698620928 bytes (11 GB, 10 GiB) copied, 31.0 s, 345 MB/s",
        "  10698620928 bytes (11 GB, 10 GiB) transferred 31.000s, 345 MB/s   ",
        "4 MB/s10698620928 bytes (11 GB, 10 GiB) copied, 31.1012 s, 344 MB/s",
    ],
)
def test_progress_is_no_result(progress):
    assert measured(progress + "\n") == []
    assert measured(progress + "\n" + COUNTS) == []
    final = "10737418240 bytes (11 GB, 10 GiB) copied, 31.1144 s, 345 MB/s\n"
    (item,) = measured(progress + "\n" + COUNTS + final)
    assert item.line == 4


def test_progress_above_later_progress_is_no_result_and_no_error():
    shown = [
        "51200000 bytes (51 MB, 49 MiB) copied, 1 s, 51.2 MB/s\n",
        "102400000 bytes (102 MB, 98 MiB) copied, 2 s, 51.2 MB/s\n",
        "153600000 bytes (154 MB, 146 MiB) copied, 3 s, 51.2 MB/s\n",
    ]
    values, problems = corpus_logs.read("dd", "".join(shown) + REPORT)
    assert [(value.line, value.raw) for value in values] == [(6, "10.2")]
    assert [(problem.line, problem.kind) for problem in problems] == [
        (1, "note"),
        (2, "note"),
        (3, "note"),
    ]
    assert len(errors("".join(shown))) == 1  # the last may be a report without its counts
    assert len(errors("".join(reversed(shown)) + COUNTS)) == 2


def test_progress_before_an_error_is_no_result_and_no_error():
    command = "$ dd if=card.img of=/dev/sdz status=progress\n"
    progress = "5120 bytes (5.1 kB, 5.0 KiB) copied, 4 s, 1.3 kB/s\n"
    why = "dd: writing to '/dev/sdz': No space left on device\n"
    kernel = "[  812.345678] I/O error, dev sdz, sector 10\n\n"
    log = command + progress + kernel + why + "11+0 records in\n10+0 records out\n"
    values, problems = corpus_logs.read("dd", log + TRIMMED)
    assert [(value.line, value.status, value.op) for value in values] == [(8, "partial", "write")]
    assert [(problem.line, problem.kind) for problem in problems] == [(2, "note"), (8, "note")]


UNCOUNTED = "104857600 bytes (105 MB, 100 MiB) copied, {} s, {} MB/s\n"
OF_200 = "200+0 records in\n200+0 records out\n209715200 bytes (210 MB, 200 MiB) copied, 10.1234 s"


@pytest.mark.parametrize(
    "line", ["sd 0:0: a bus reset of the kernel's", "[1]+  Running  sleep 9 &"]
)
def test_progress_that_was_asked_for_is_none_behind_a_line_of_others(line):
    command = "$ dd if=/dev/zero of=t bs=1M count=200 status=progress\n"
    log = f"{command}{UNCOUNTED.format('5.01234', '20.9')}{line}\n{OF_200}, 20.7 MB/s\n"
    assert [(row.line, row.op, row.status) for row in measured(log)] == [(6, "write", "measured")]
    assert notes(log)[0] == "found progress, which is no result"
    assert len(measured(log.replace(line, "real 0m5.021s"))) == 2  # that run has ended
    assert len(measured(log.replace(command, ""))) == 2  # nobody asked for it


def test_a_report_without_counts_is_no_progress_of_one_that_it_cannot_come_to():
    below = f"{OF_200}, 20.7 MB/s\n"
    for seconds, rate in (("0.512345", "205"), ("12.1234", "8.6")):  # none within a second
        assert [row.line for row in measured(UNCOUNTED.format(seconds, rate) + below)] == [1, 4]
    assert [row.line for row in measured(UNCOUNTED.format("5.01234", "20.9") + below)] == [4]


def test_a_report_whose_last_write_may_have_failed_is_partial_and_its_commands():
    command = "$ dd if=/dev/zero of=card/x bs=2M count=10\n"
    report = "5242880 bytes (5.2 MB, 5.0 MiB) copied, 0.5 s, 10.5 MB/s\n\nfull?\n"
    (item,) = measured(command + "3+0 records in\n2+0 records out\n" + report)
    assert (item.op, item.block_size, item.status) == ("write", 2 << 20, "partial")
    (item,) = measured(command + "4+0 records in\n2+0 records out\n" + report)
    assert item.op == "copy"


def test_reports_of_as_many_records_are_of_two_runs_however_many_bytes_each_has():
    first = "0+1 records in\n0+1 records out\n64 bytes copied, 0.000149426 s, 428 kB/s\n"
    later = "0+1 records in\n0+1 records out\n206 bytes copied, 0.0145471 s, 14.2 kB/s\n"
    assert [row.status for row in measured(first + later)] == ["measured", "measured"]


@pytest.mark.parametrize(
    ("full", "partial", "size", "block_size"),
    [
        (13, 360, 12_000_000, None),
        (0, 300, 19_660_800, None),  # 64 KiB each, or so on average
        (13, 5, 14_000_000, 1 << 20),
        (3, 1, 3_300_000, 1 << 20),
        (0, 1, 206_000, 1 << 20),
    ],
)
def test_records_that_a_pipe_left_short_are_not_of_the_block_size_that_was_asked_for(
    full, partial, size, block_size
):
    counts = f"{full}+{partial} records in\n{full}+{partial} records out\n"
    report = f"{counts}{size} bytes copied, 2 s, {size / 2000:.0f} kB/s\n"
    (row,) = measured(f"$ gunzip < f.gz | sudo dd of=/dev/sdb bs=1M\n{report}")
    assert row.block_size == block_size


@pytest.mark.parametrize(
    ("device", "direct"),
    [
        ("/dev/da0", True),  # FreeBSD's devices have no cache
        ("/dev/gpt/card", True),
        ("/dev/rdisk2", True),
        ("/dev/rdisk2Password:", True),  # what sudo asks for, on a line that was lost
        ("/dev/disk2", False),
        ("/dev/sda", False),
    ],
)
def test_a_device_without_a_cache_is_direct_and_flushed(device, direct):
    (row,) = measured(f"$ sudo dd if=card.img bs=1k of={device}\n{REPORT}")
    assert (row.op, row.direct, row.remarks) == (
        "write",
        direct,
        () if direct else ("not-flushed",),
    )


def test_the_dd_of_gnu_on_a_mac_is_gdd():
    (row,) = measured(f"$ gdd if=/dev/zero of=f bs=1k count=5 oflag=direct\n{REPORT}")
    assert (row.op, row.block_size, row.direct) == ("write", 1024, True)


def test_of_the_reports_of_one_run_only_the_last_counts():
    first = "5+0 records in\n5+0 records out\n5000 bytes (5.0 kB) copied, 1.2 s, 4.2 kB/s\n"
    last = "9+0 records in\n9+0 records out\n9000 bytes (9.0 kB) copied, 2.1 s, 4.3 kB/s\n"
    assert [item.status for item in measured(first + last)] == ["running", "measured"]
    assert len({item.run for item in measured(first + last)}) == 1
    assert [item.status for item in measured(last + first)] == ["measured"] * 2
    assert [item.status for item in measured(first + "$ dd of=x\n" + last)] == ["measured"] * 2


@pytest.mark.parametrize(
    ("command", "op", "block_size", "direct"),
    [
        ("dd if=/dev/zero of=test bs=1k count=5 conv=fsync", "write", 1024, False),
        ("$ sudo dd if=/dev/sda of=/dev/null bs=1k iflag=direct", "read", 1024, True),
        ("dd of=/dev/null if=test bs=2x512 iflag=fullblock,direct 2>&1", "read", 1024, True),
        ("dd if=test of=/dev/null ibs=1k obs=1k oflag=direct", "read", 1024, False),
        ("# dd if=image.img of=/dev/sdb \\\n  bs=1K", "write", 1024, False),
        ("# dd if=/dev/zero of=test bs=1k\n> count=5 conv=fsync", "write", 1024, False),
        ("# dd\nif=test of=/dev/null bs=1k iflag=direct", "read", 1024, True),
        ("# dd if=test of=/dev/null bs=1k\nbs=2k", "read", 1024, False),  # it has its own
        ("xzcat i | dd of=/dev/sdb bs=1k", "write", 1024, False),
        ("dd if=/dev/zero of=/dev/null bs=1k", "copy", 1024, False),
        ("dd if=/dev/sda of=/dev/sdb bs=1k", "copy", 1024, False),
        ("dd if=a bs=1k | pv > b", "copy", 1024, False),
        ("dd if=/dev/zero bs=1k count=5 > /media/F", "write", 1024, False),
        ("dd if=/dev/zero bs=1k count=5 2> log > /media/F", "write", 1024, False),
        ("dd of=/dev/null bs=1k < F", "read", 1024, False),
        ("< F dd of=/dev/null bs=1k", "read", 1024, False),
        ("dd if=F bs=1k | pv > /dev/null", "read", 1024, False),
        ("dd if=/dev/zero bs=1k count=5 | sudo pv -f > /dev/vg1/x", "write", 1024, False),
        ("dd if=/dev/zero bs=1k count=5 | md5sum > sum", "copy", 1024, False),
        ("(dd if=/dev/zero bs=1k count=5; sync) >> G", "write", 1024, False),
        ("$ { dd if=/dev/zero bs=1k count=5; } > G", "write", 1024, False),
        ("while true; do dd if=/dev/zero bs=1k count=5; done > G", "write", 1024, False),
        ("(dd if=/dev/zero bs=1k count=5 | sort) > G", "copy", 1024, False),
        ("echo $(dd if=/dev/zero bs=1k count=5) > G", "copy", 1024, False),
        ("dd if=/dev/zero bs=1k count=5 (see below) > 5", "copy", 1024, False),
        ("dd if=/dev/sda of=/dev/zero bs=1k", "read", 1024, False),
        ("dd if=/dev/zero of=/dev/shm/x bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/zero of=//dev/shm/x bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/frandom of=/dev/null bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/hwrng of=/dev/null bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/zero of=test bs=$((512*2)) count=5", "write", 1024, False),
        ("dd if=/dev/zero of=test bs=$(( 4 * 256 )) count=5", "write", 1024, False),
        ("dd if=/dev/zero of=test bs=$size count=$n", "write", 1024, False),
        ("dd if=/dev/zero of=/dev/sdb \\ bs=1k \\ oflag=direct", "write", 1024, True),
        ("dd if=/dev/zero of=test bs=4k", "copy", 1024, None),  # 5 records of 4k are more
        ("dd if=/dev/zero of=test bs=1k count=4", "copy", 1024, None),
        ("cat test > /dev/null", "copy", 1024, None),
        ("dd if=/dev/zero of=/dev/console bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/zero of=/dev/ttyS0 bs=1k count=5", "copy", 1024, False),
        ("dd if=/dev/zero of=t bs=<block size> count=5", "write", 1024, False),
        ("dd if=/dev/zero bs=<block size> count=5", "copy", 1024, False),
        ("dd if=dir/<file name> of=/dev/null bs=1k", "read", 1024, False),
        ("{{dd if=/dev/zero of=t bs=1k count=5 oflag=direct}}", "write", 1024, True),
        ("Then *dd bs=1k if=t of=/dev/null* gives:", "read", 1024, False),
        ("A wiki ends lines so\\\\\ndd if=/dev/zero of=t count=5 bs=1k\\\\", "write", 1024, False),
        ("使用dd if=/dev/zero of=t bs=1k count=5 oflag=direct测试：", "write", 1024, True),
        ("「dd if=t bs=1k iflag=direct of=/dev/null」の結果", "read", 1024, True),
        ("Команда «dd of=/dev/null if=t bs=1k iflag=direct»:", "read", 1024, True),
        ("执行：dd if=/dev/zero of=t bs=1k count=5，结果如下：", "write", 1024, False),
        ("dd if=/dev/zero of=t bs=“1k” count=5 oflag=direct", "write", 1024, True),
    ],
)
def test_the_direction_comes_from_a_command_that_fits(command, op, block_size, direct):
    (item,) = measured(f"{command}\n{REPORT}")
    assert (item.op, item.block_size, item.direct) == (op, block_size, direct)


@pytest.mark.parametrize("rest", ["", " | sync", "; sync", " && sync", " 2>&1"])
def test_a_count_that_a_mail_program_wrapped_is_the_end_of_its_run(rest):
    (item,) = measured(f"> # dd if=/dev/zero of=test bs=1k \n> count=5{rest}\n{REPORT}")
    assert (item.op, item.status, item.direct) == ("write", "measured", False)


_SMALL = "4194304 bytes (4.2 MB, 4.0 MiB) copied, 1.01234 s, 4.1 MB/s\n"
_BIG = "67108864 bytes (67 MB, 64 MiB) copied, 2.01234 s, 33.3 MB/s\n"
_LOOP = (
    "$ for bs in 4k 64k; do {}dd if=/dev/zero of=t bs=$bs count=1024 oflag=direct 2>&1{}; done\n"
)


@pytest.mark.parametrize(
    ("log", "sizes"),
    [
        (f"{_LOOP.format('echo $bs;', '|tail -1')}4k\n{_SMALL}64k\n{_BIG}", [4096, 65536]),
        (f"{_LOOP.format('echo $bs;', '|tail -1')}4k\n{_SMALL}32k\n{_BIG}", [4096, None]),
        (f"{_LOOP.format('', '|tail -1')}{_SMALL}{_BIG}", [None, None]),
        (f"bs=4k: {_SMALL}| bs = 64K | {_BIG}", [4096, 65536]),
        (f"Block size 4k: {_SMALL}Block size: 64 KiB\n{_BIG}", [4096, 65536]),
        (f"Block size 4KB: {_SMALL}Block size: 3M\n{_BIG}", [None, None]),
        (f"4k\n{_SMALL}64k\n{_BIG}", [None, None]),
    ],
)
def test_a_size_beside_a_report_is_that_of_its_blocks_where_it_says_so_or_the_command_asks(
    log, sizes
):
    found = measured(log)
    assert [one.block_size for one in found] == sizes
    assert {one.op for one in found} == {"write" if log.startswith("$") else "copy"}


def test_the_size_of_a_block_that_a_manual_leaves_open_is_not_that_of_dd_without_bs():
    command = "dd if=mnt/<some file name> bs=<block size> count=1000 oflag=dsync 2>> out/<name>"
    log = f"**{command}**\n\n**0+1 records in**\n**0+1 records out**\n"
    (item,) = measured(f"{log}**452 bytes copied, 0.000884651 s, 511 kB/s**\n")
    assert (item.op, item.block_size, item.status) == ("copy", None, "measured")


_ONCE = "$ dd if=/dev/zero of=test bs=1M count=100 oflag=direct 100+0 %s 100+0 %s"
_IN_WORDS = {
    "en": f"{_ONCE % ('records in', 'records out')} 104857600 bytes (105 MB, 100 MiB) copied, "
    "1.14358 s, 91.7 MB/s",
    "de": f"{_ONCE % ('Datensätze ein', 'Datensätze aus')} 104857600 Bytes (105 MB, 100 MiB) "
    "kopiert, 1,14358 s, 91,7 MB/s",
}


@pytest.mark.parametrize("quote", ["", "> "])
@pytest.mark.parametrize("words", _IN_WORDS.values(), ids=_IN_WORDS)
def test_a_session_that_a_page_laid_out_as_a_paragraph_is_its_command_and_no_other(words, quote):
    read = 0
    for width in range(46, 160, 3):
        lines = textwrap.wrap(words, width, break_on_hyphens=False)
        log = "".join(f"{quote}{line}\n" for line in [*lines, "", "That was it."])
        found = [(item.op, item.block_size, item.direct) for item in measured(log)]
        assert found in ([], [("write", 2**20, True)]), width
        read += len(found)
    assert read > 20


@pytest.mark.parametrize(
    ("operand", "size"),
    [
        *(("512", 512), ("1c", 1), ("1w", 2), ("1b", 512), ("2x512", 1024), ("1x2k", 2048)),
        *(("1k", 1024), ("1K", 1024), ("1kB", 1000), ("1M", 2**20), ("1MB", 10**6)),
        *(("1G", 2**30), ("1GB", 10**9), ("1T", 2**40), ("0", None), ("1x0", None)),
        *(("$((4*1024))", 4096), ("$((2*3))K", 6144), ("$((1))M", 2**20), ("$((1))G", 2**30)),
        *(("$((0*4))", None), ("4q", None), ("k", None), ("", None), (None, None)),
    ],
)
def test_a_size_is_what_dd_or_a_shell_makes_of_it(operand, size):
    assert size_of(operand) == size


WRITE, READ = "dd if=/dev/zero of=t bs=1k count=5", "dd if=t of=/dev/null bs=1k"
SILENT = f"{WRITE} status=none"
REFUSED = "dd: failed to open 't': Permission denied\n"
SWEEP = "for bs in 1k 2k; do\n  echo bs=$bs\n  dd if=/dev/zero of=t bs=$bs count=5\ndone\n"


@pytest.mark.parametrize(
    ("log", "ops"),
    [
        # alone since the result before
        (f"{WRITE}\n{REPORT}{READ}\n{REPORT}{REPORT}", "write read copy"),
        (f"{WRITE}\n\nsome words\n{TRIMMED}", "write"),
        (f"{WRITE}\n" + "words\n" * 15 + REPORT, "copy"),
        # several: only the last, behind a prompt and right above
        (f"$ {WRITE}\n$ {READ}\n{REPORT}", "read"),
        (f"pi@pi:~ $ {WRITE}\npi@pi:~ $ sudo {READ}\n{REPORT}", "read"),
        (f"pi@pi:/mnt/d1$ {WRITE}\npi@pi:/mnt/d1$ sudo {READ}\n{REPORT}", "read"),
        (f"pi@pi:/mnt/d1$ {WRITE}\ncosts 1$ {READ}\n{REPORT}", "copy"),
        (f"$ {WRITE}\n$ {READ}\n$ sync\n{REPORT}", "copy"),
        (f"{WRITE}\n{READ}\n{REPORT}", "copy"),
        (f"Write test: {WRITE}\nRead test: {READ}\n\nwrite {TRIMMED}read {TRIMMED}", "write read"),
        (f"{WRITE}\n{WRITE}{READ[-4:]}\n\nread {TRIMMED}write {TRIMMED}", "read write"),
        (f"Write: {WRITE}\nRead: {READ}\nW: {TRIMMED}R: {TRIMMED}", "write read"),
        (f"Write: {WRITE}\nRead: {READ}\nR: {TRIMMED}W: {TRIMMED}", "copy copy"),
        (f"$ {WRITE}\n{REFUSED}$ {READ}\n$ cat t\n{REPORT}", "read"),
        # several in a line: in turn, where a shell runs them so
        (f"{WRITE}; {READ}\n{REPORT}{REPORT}{REPORT}", "write read copy"),
        (f"$ {WRITE} && sync; sudo {READ} 2>&1\n{REPORT}{REPORT}", "write read"),
        (f"$ time {WRITE}; time {READ}\n{REPORT}\nreal\t0m0.1s\n\n{REPORT}", "write read"),
        (f"$ {WRITE}; {READ}\n{REPORT}some words\n{REPORT}", "write copy"),
        (f"$ {SILENT}; {READ}\n{REPORT}", "read"),
        (f"$ {WRITE}; {READ}\n{REFUSED}{REPORT}", "copy"),
        (f"$ {WRITE}; {READ}\n{TRIMMED}", "copy"),
        (f"I ran {WRITE} and then {READ}\n{REPORT}{REPORT}", "copy copy"),
        (f"$ {WRITE} & {READ} & wait\n{REPORT}{REPORT}", "copy copy"),
        # at once
        (f"$ dd if=a.img bs=1k | pv | dd of=/dev/sdb bs=1k\n{REPORT}{REPORT}", "copy copy"),
        (f"$ dd if=a.img bs=1k | pv | dd of=/dev/sdb\n{REPORT}{of_bytes(10, 512)}", "copy write"),
        (f"$ dd if=a.img bs=1k | dd of=/dev/sdb\n{of_bytes(10, 512)}{REPORT}", "write copy"),
        # loops
        (f"for i in 1 2; do {WRITE}; done\n{REPORT}{REPORT}", "write write"),
        (f"for i in 1 2; do {WRITE}; done\nRun 1\n{REPORT}Run 2\n{REPORT}", "write write"),
        (f"{WRITE} (run 2 times)\n{REPORT}{REPORT}", "write write"),
        (f"# writing (3 runs)\n{WRITE}\n{REPORT}{REPORT}", "write write"),
        (f"{WRITE}\n{REPORT}{REPORT}", "write copy"),
        (f"for i in 1 2; do {WRITE}; done\n{REPORT}$ ./other\n{REPORT}", "write copy"),
        (f"for i in 1 2; do {WRITE}; {READ}; done\n" + REPORT * 4, "write read write read"),
        # others at work between runs of all the blocks
        (f"for i in 1 2; do {WRITE}; done &\n{REPORT}a\nb\nc\nd\n{REPORT}", "write write"),
        (f"for i in 1 2; do {WRITE}; done &\n{REPORT}a\nb\nc\nd\n{TRIMMED}", "write copy"),
        (f"for i in 1 2; do {WRITE}; done\n{REPORT}a\nb\nc\npi@pi:~ $ ./x\n{REPORT}", "write copy"),
        # in the line of the report, or with a word processor's dash
        (f"| Write | {WRITE} | {TRIMMED}", "write"),
        (f"Read: {READ} -> {TRIMMED}", "read"),
        (f"time {WRITE.replace(' ', ' –')}\n{REPORT}", "write"),
        # a list below a command
        (f"{WRITE}\n* {TRIMMED}* {TRIMMED}* {TRIMMED}", "write write write"),
        (f"{WRITE}\n* {TRIMMED}later\n* {TRIMMED}* {TRIMMED}", "write copy copy"),
        (f"{SWEEP}bs=1k\n{REPORT}bs=1k\n{REPORT}", "write write"),
        (f"{READ}\n$ doas {WRITE}\n{REPORT}", "write"),
        # a word beside the report
        (f"{WRITE}\nread: {TRIMMED}", "copy"),
        (f"{WRITE}\nR: {TRIMMED}", "copy"),
        (f"{WRITE}\nreading back test file\n{REPORT}", "copy"),
        (f"{READ}\nwrite performance\n{REPORT}", "copy"),
        (f"{READ}\nDD Write Speed\n{REPORT}", "copy"),
        (f"{READ}\nread and write\n{REPORT}", "read"),
        (f"{READ}\nread: {TRIMMED}", "read"),
        (f"{WRITE}\nbs=2k\n{TRIMMED}", "copy"),
        (f"{WRITE}\nAfter some time you can read:\n{REPORT}", "write"),
        (f"{WRITE}\nread speed\nRead on:\n{REPORT}", "copy"),
        # but not in prose, which has longer lines
        (f"{READ}\nwrite {'x' * 74}\n{REPORT}", "copy"),
        (f"{READ}\nwrite {'x' * 75}\n{REPORT}", "read"),
    ],
)
def test_a_command_belongs_to_a_report_where_nothing_contradicts_it(log, ops):
    assert [item.op for item in measured(log)] == ops.split()
    if "copy" in ops and "write" not in ops and "words" not in log:
        assert any("which way it copied is not known" in note for note in notes(log))


@pytest.mark.parametrize(
    ("flags", "words", "is_direct"),
    [
        ("oflag=direct", "Without oflag=direct I get:", None),
        ("oflag=direct", "cached:", None),
        ("oflag=direct", "I left out the flag:", None),
        ("oflag=direct", "ohne direct", None),
        ("conv=fsync", "the same without fsync", None),
        ("", "With conv=fdatasync:", None),
        ("", "direct:", None),
        ("oflag=direct", "oflag=direct, without the cache:", True),
        ("conv=fsync", "with fsync", False),
        ("", "without oflag=direct:", False),
        ("", "on another disk, options as above:", False),
    ],
)
def test_words_of_other_flags_leave_open_which_of_them_a_run_had(flags, words, is_direct):
    (row,) = measured(f"> {WRITE} {flags}\n\n{words}\n{REPORT}")
    assert (row.op, row.block_size, row.direct) == ("write", 1024, is_direct)
    assert is_direct is not None or "not-flushed" not in row.remarks


@pytest.mark.parametrize(
    ("source", "op"), [("/dev/sda", "copy"), ("/dev/zero count=5", "write"), ("a.img", "write")]
)
def test_a_dd_at_the_end_of_a_pipe_copies_what_the_first_one_reads(source, op):
    log = f"$ dd if={source} bs=1k | ssh nas dd of=/dev/sdb\n{of_bytes(10, 512)}{REPORT}"
    assert [(row.op, row.block_size) for row in measured(log)] == [(op, 512), ("copy", 1024)]
    assert notes(log) == []
    log = f"$ dd if={source} bs=1k | dd of=/dev/sdb bs=2k iflag=fullblock\n^C\n{REPORT}"
    rows = measured(f"{log}2+1 records in\n2+1 records out\n{TRIMMED}")
    assert [(row.op, row.block_size) for row in rows] == [("copy", 1024), (op, 2048)]
    assert [row.status for row in rows] == ["interrupted"] * 2


@pytest.mark.parametrize("quote", ["", "> ", "  > "])
@pytest.mark.parametrize(
    "report",
    [
        "5120 bytes (5.1 kB, 5.0 KiB) copied,\n0.512345 s, 10.0 kB/s",
        "5120 bytes (5.1 kB, 5.0 KiB) copied, 0.512345\ns, 10.0 kB/s",
        "5120 bytes (5.1 kB, 5.0\nKiB) copied, 0.512345 s, 10.0 kB/s",
        "5120 Bytes (5,1 kB, 5,0 KiB) kopiert, 0,512345 s,\n10,0 kB/s",
        "5120 bytes transferred in 0.512345 secs\n(9993 bytes/sec)",
        "5120 bytes transferred in 0.512345 secs (9993\nbytes/sec)",
    ],
)
def test_a_report_that_a_mail_program_broke_is_read(report, quote):
    log = f"$ {WRITE} conv=fsync\n{COUNTS}{report}\n\nBest,\n"
    log = "".join(quote + line for line in log.splitlines(keepends=True))
    (row,) = measured(log)
    assert (row.op, row.block_size, round(row.value)) == ("write", 1024, 9993)
    assert log.splitlines()[row.line - 1][row.column - 1 :].startswith(row.raw)
    assert not measured(log.replace("5120 ", "51200 ", 1)) or "bytes (" not in report


def test_less_than_was_asked_of_a_source_without_an_end_is_no_whole_run():
    command = "$ dd if=/dev/zero of=t bs=1k count=50 conv=fsync"
    log = f"{command}\n{TRIMMED}words\n"
    (row,) = measured(log)
    assert (row.op, row.status) == ("write", "partial")
    assert "5120 of the 51200 bytes" in notes(log)[0]
    short = "$ dd if=/dev/urandom of=t bs=3k count=2"  # which may give less at once
    assert [row.status for row in measured(f"{short}\n{TRIMMED}")] == ["measured"]


def test_a_report_that_ansible_tells_twice_is_one():
    told = (*COUNTS.splitlines(), TRIMMED.strip())
    result = {"cmd": WRITE, "stderr": "\n".join(told), "stderr_lines": told}
    for indent in (None, 4):
        log = f"changed: [pi] => {json.dumps(result, indent=indent)}\n"
        assert [row.op for row in measured(log)] == ["write"]
        (note,) = notes(log)
        assert "again: counted once" in note


BENCHMARK = """Running DD WRITE test...
512+0 Datensätze ein
512+0 Datensätze aus
536870912 Bytes (537 MB, 512 MiB) kopiert, 25,1203 s, 21,4 MB/s
temp=41.2'C

Running DD READ test...

    536870912 bytes (537 MB, 512 MiB) copied, 12.3012 s, 43.6 MB/s
536870912 bytes (537 MB, 512 MiB) copied, 13.3012 s, 40.4 MB/s
"""


def test_a_report_right_below_the_heading_of_rpi_benchmark_is_that_of_its_command():
    found = [(one.op, one.block_size, one.remarks) for one in measured(BENCHMARK)]
    assert found == [
        ("write", 2**20, ("inferred-op",)),
        ("read", 2**20, ("inferred-op",)),
        ("read", None, ("inferred-op",)),  # of the same heading, which is not right above it
    ]
    other = BENCHMARK.replace("536870912", "536870913")
    assert {one.block_size for one in measured(other)} == {None}


@pytest.mark.parametrize(
    ("heading", "op"),
    [
        *(
            ("# Write", "write"),
            ("Sequential read speed:", "read"),
            ("=== WRITING TEST 2 ===", "write"),
        ),
        *(
            ("Running dd read test...", "read"),
            ("read and write", "copy"),
            ("Writing /mnt/fast:", "write"),
            ("Reading from ./disk-2/file:", "read"),
            ("Reading of a/b in:", "copy"),
            ("Write cache off", "copy"),
        ),
        *(("I read this:", "copy"), ("Write me", "copy"), ("Read\nan answer", "copy")),
        ("$ write", "copy"),
    ],
)
def test_a_heading_that_is_of_nothing_but_a_test_says_which_way_where_no_command_does(heading, op):
    log = f"{heading}\n{REPORT}\n{TRIMMED}"
    assert [row.op for row in measured(log)] == [op] * 2
    assert [row.op for row in measured(f"{heading} {TRIMMED}")] == [op]


def test_a_block_size_may_stand_in_the_line_above():
    log = f"bs=4k\n{TRIMMED}bs=$((4*1024))\n{TRIMMED}bs=4 or so\n{TRIMMED}"
    assert [item.block_size for item in measured(log)] == [4096, None, None]
    assert measured(f"bs=4k\nreal\t0m0.1s\n{TRIMMED}")[0].block_size == 4096
    assert measured(f"bs=4k\nanother test\n{TRIMMED}")[0].block_size is None
    (first, second) = measured(f"{SWEEP}bs=1k\n{REPORT}bs=1k\n{REPORT}")
    assert (first.block_size, second.block_size) == (1024, 1024)


@pytest.mark.parametrize(
    ("records", "block_size"),
    [
        (("4096+0", "4096+0"), 1024**2),
        (("4095+1", "4095+1"), None),
        (("4096+0", "512+0"), None),
        (("4095+0", "4095+0"), None),
    ],
)
def test_full_records_tell_their_size(records, block_size):
    counts = "{} records in\n{} records out\n".format(*records)
    (item,) = measured(f"{counts}4294967296 bytes (4.3 GB, 4.0 GiB) copied, 9.12345 s, 471 MB/s\n")
    assert item.block_size == block_size
    assert item.remarks == ()


@pytest.mark.parametrize(
    ("records", "size", "block_size"),
    [
        (("1725+1", "1725+1"), 883568, 512),
        (("2000+3", "2000+3"), 2000 * 512 + 40, 512),  # of a pipe
        (("1725+1", "1726+0"), 883712, None),
        (("1725+1", "1725+1"), 1725 * 4096 + 368, 4096),  # of 4095 bytes it may be, too
        (("2911+1", "2911+1"), 3053371392, 1024**2),
        (("2911+1", "2911+1"), 2911 * 1024000 + 368, None),
        (("60+1", "60+1"), 60 * 4096 + 368, None),
        (("2911+3", "2911+3"), 2911 * 4096 + 368, None),
        (("1725+1", "1725+1"), 1725 * 512, None),
        (("1725+1", "1725+1"), 1726 * 512, None),
        (("0+3", "0+3"), 883568, None),
        (("1+1", "1+1"), 883568, None),
        (("1725+1", "1725+1"), 1000, None),
    ],
)
def test_full_records_beside_a_partial_one_tell_their_size_where_one_number_fits(
    records, size, block_size
):
    counts = "{} records in\n{} records out\n".format(*records)
    (item,) = measured(f"{counts}{size} bytes copied, 0.912345 s, {size / 912345:.3g} MB/s\n")
    assert (item.block_size, item.file_size) == (block_size, size)
    assert item.remarks == (("inferred-block_size",) if block_size else ())


def test_only_a_count_of_truncated_or_odd_records_stands_between_counts_and_figures():
    assert is_aside("1 truncated record") and is_aside(" 2 odd length swab records")
    for text in ("a truncated log", "odd words", "2 records", "truncated 2"):
        assert not is_aside(text)


@pytest.mark.parametrize(
    "bar",
    [
        *(" 963MiB 0:01:39 [9,63MiB/s] [<=>      ]", "5kB 0:00:01 [  10kB/s]"),
        *("2.19GiB 1:10:18 [3.62MiB/s] [=====>] 99%", "a: 5kB 0:00:01 [9kB/s] [=> ] 40% ETA 0:01"),
    ],
)
def test_the_bar_of_pv_between_counts_and_figures_is_no_line_of_a_report(bar):
    for log in (f"{COUNTS}{bar}\n{TRIMMED}", COUNTS.replace("\n", f"\n{bar}\n") + TRIMMED):
        (row,) = measured(log)
        assert (row.block_size, row.file_size, notes(log)) == (1024, 5120, [])
    assert not is_aside(f"{bar} copied")


def test_a_unit_of_rates_alone_makes_no_report():
    assert has_figures(TRIMMED) and has_figures("5120 bytes copied, and no more")
    assert not has_figures("a card of 90 MB/s") and not has_figures("5 bytes")


@pytest.mark.parametrize(
    ("report", "value", "size", "status"),
    [
        ("4.1 GB copied, 177.541 seconds, 23.1 MB/s", 23.1e6, 4_096_000_000, "measured"),
        ("4,1 GB kopiert, 177,541 s, 23,1 MB/s", 23.1e6, 4_096_000_000, "measured"),
        ("4.1 GB (3.8 GiB) copied, 177.541 s, 23.1 MB/s", 23.1e6, 4_096_000_000, "measured"),
        ("3.8 GiB copied, 177.541 s, 23.1 MB/s", 23.1e6, 4_096_000_000, "measured"),
        ("508 MB copied, 292.602 s, 1.7 MB/s", 1.7e6, None, "running"),
    ],
)
def test_a_size_that_somebody_left_rounded_is_not_the_bytes(report, value, size, status):
    (item,) = measured(f"# dd if=/dev/zero of=t bs=1024 count=4000000\n{report}\n")
    assert (item.op, item.value, item.file_size, item.status) == ("write", value, size, status)
    assert item.value_low < value < item.value_high


def test_a_rounded_size_that_its_rate_contradicts_is_refused():
    assert measured("4.1 GB copied, 177.541 s, 411 MB/s\n") == []
    assert len(errors("4.1 GB copied, 177.541 s, 411 MB/s\n")) == 1


def test_a_report_that_somebody_told_again_is_counted_once():
    told = "1073741824 bytes (1.1 GB) copied, 3.71783 s, 289 MB/s\n"
    first = f"1024+0 records in\n1024+0 records out\n{told}"
    (item,) = measured(f"{first}/dev/sdb\n{told}")
    assert item.line == 3
    assert notes(f"{first}/dev/sdb\n{told}") == [
        "found the report of line 3 again: counted once",
    ]
    short = told.replace("3.71783", "3.72")
    assert len(measured(first.replace("3.71783", "3.72") + short)) == 2


@pytest.mark.parametrize(
    ("heading", "op"),
    [
        ("WRITE:\n=====", "write"),
        ("== Disk read speed ==", "read"),
        ("read", "read"),
        ("A write-up", "copy"),
        ("WRITE:\nof what I copied", "copy"),
    ],
)
def test_a_heading_tells_the_direction_of_the_reports_below_it(heading, op):
    told = "1073741824 bytes (1.1 GB) copied, 3.7{}783 s, 289 MB/s\n"
    log = f"{heading}\n{told.format(1)}{told.format(2)}"
    assert [item.op for item in measured(log)] == [op] * 2


def test_words_before_a_report_without_a_command_tell_its_direction():
    told = "1073741824 bytes (1.1 GB) copied, 3.71783 s, 289 MB/s\n"
    found = measured(f"Write speed: {told}* READ = {told.replace('.71', '.72')}")
    assert [(item.op, item.remarks) for item in found] == [
        ("write", ("inferred-op",)),
        ("read", ("inferred-op",)),
    ]


def test_an_interrupted_run_is_a_part():
    records, report = "5+0 records in\n5+0 records out\n", "5120 bytes (5.1 kB) copied, 1.5 s"
    progress = "4096 bytes (4.1 kB, 4.0 KiB) copied, 1.2 s, 3.4 kB/s"
    for above in ("^C", "^C\n", f"{progress}^C\n", f"{progress}\n^C\n"):
        (item,) = measured(f"{above}{records}{report}, 3.4 kB/s\n")
        assert item.status == "interrupted"
    assert [item.status for item in measured(f"# ls ^C\n{records}{report}\n# \n")] == ["measured"]


@pytest.mark.parametrize(
    ("log", "status"),
    [
        (f"dd if=/dev/zero of=t bs=1k count=9\n{REPORT}", "running"),
        (f"dd if=/dev/zero of=t bs=1k count=9\n{REPORT}$ ls\n", "partial"),
        (f"dd if=/dev/zero of=t bs=1k\n{REPORT}$ ls\n", "partial"),
        (f"dd if=/dev/zero of=t bs=1k count=$n\n{REPORT}", "measured"),
        (f"dd if=/dev/zero of=t bs=1k count=5kB iflag=count_bytes\n{REPORT}", "measured"),
        (f"dd if=F of=t bs=1k count=9\n{REPORT}", "measured"),  # the file may have ended
        (f"dd if=F of=t bs=1k & kill -USR1 $!\n{REPORT}", "running"),
        (f"dd if=F of=t bs=1k & kill -SIGUSR1 $!\n{REPORT}", "running"),
        (f"dd if=F of=t bs=1k & kill -USR1 $!\n{REPORT}[1]+  Done  dd if=F of=t\n", "measured"),
        (f"dd if=F of=t bs=1k count=5 & kill -USR1 $!\n{REPORT}", "measured"),
        (f"{ASKED}The final message should read\n```sh\n{REPORT}", "measured"),
        (f"{ASKED}When it's done it says:\n{REPORT}", "measured"),
        (f"{ASKED}It then says how far it is:\n{REPORT}", "running"),
        (f"dd if=F of=t bs=1k\n$ sudo kill -USR1 7\n\n{REPORT}", "running"),
        (f"$ pkill -USR1 -x dd\nIt says:\n{REPORT}", "running"),
        (f"$ kill -INFO `pgrep ^dd`\nIt says:\n{REPORT}", "running"),
        (f"$ ps ax | grep '[d]d' | xargs kill -s INFO\nIt says:\n{REPORT}", "running"),
        (f"$ kill -USR1 7\n$ dd if=F of=t bs=1k\n{REPORT}", "measured"),
        (f"$ sudo kill -USR1 $(pidof fio)\n{REPORT}", "measured"),
        (f"$ killall -SIGUSR1 ddrescue\n{REPORT}", "measured"),
        (f"$ kill -s USR1 $(cat /run/nginx.pid)\n{REPORT}", "measured"),
        (f"dd if=F of=t bs=1k\n$ docker kill -s USR1 web\n{REPORT}", "measured"),
        (f"trap rotate USR1\ndd if=F of=t bs=1k\n{REPORT}", "measured"),
        (f"12:01 main -INFO- begun\n{REPORT}", "measured"),
        (f"load: 1.2  cmd: dd 123 uninterruptible 0.01u\n{REPORT}", "running"),
        (f"{REFUSED}{REPORT}", "measured"),  # of another run
    ],
)
def test_a_report_of_a_run_that_has_not_ended_is_no_result(log, status):
    (item,) = measured(log)
    assert item.status == status
    assert status == "measured" or notes(log)


def test_runs_of_growing_sizes_are_no_reports_of_one_run_where_their_commands_are_known():
    later = "9+0 records in\n9+0 records out\n9216 bytes (9.2 kB) copied, 0.9 s, 10.2 kB/s\n"
    commands = "dd if=/dev/zero of=a bs=1k count=5; dd if=/dev/zero of=b bs=1k count=9\n"
    assert [item.status for item in measured(commands + REPORT + later)] == ["measured"] * 2
    assert [item.status for item in measured(REPORT + later)] == ["running", "measured"]


@pytest.mark.parametrize("end", ["", ",", ", 316 M", ", 31"])
def test_bytes_and_seconds_are_the_rate_where_it_was_cut_off_but_not_where_the_log_ends(end):
    log = f"5+0 records in\n5+0 records out\n1048576000 bytes (1.0 GB) copied, 3.31993 s{end}\n"
    (item,) = measured(f"{log}$\n")
    assert item.value == pytest.approx(1048576000 / 3.31993)
    assert (item.raw, item.raw_unit, item.column) == ("3.31993", "s", 35)
    assert item.value_low < item.value < item.value_high
    assert measured(log) == []
    assert "before the log ends" in errors(log)[0].text


@pytest.mark.parametrize("count", ["", " count=9999999"])
def test_the_last_answer_to_a_loop_of_signals_is_no_more_a_result_than_the_others(count):
    loop = f"# dd if=/dev/zero of=x bs=1024{count} &\n# while kill -USR1 $! ; do sleep 1 ; done\n"
    later = "9+0 records in\n9+0 records out\n9216 bytes (9.2 kB) copied, 0.9 s, 10.2 kB/s\n"
    log = f"{loop}{REPORT}{later}^C\n# fg\n"
    assert {item.status for item in measured(log)} == {"running"}


@pytest.mark.parametrize("cut", ["byt", "byte", "bytes (", "bytes (11 GB, 1", "bytes (11 GB) cop"])
def test_a_log_that_ends_within_a_report_says_so(cut):
    assert "before the log ends" in errors(f"{REPORT}10737418240 {cut}")[0].text


@pytest.mark.parametrize("other", ["bytes", "bytes (11 GB)", "b"])
def test_a_size_at_the_end_of_a_log_is_no_report_that_was_cut(other):
    assert not errors(f"{REPORT}Disk /dev/sda: 10737418240 {other}")


def test_a_command_in_the_line_of_the_first_counts_is_theirs():
    command = "root@:~# dd if=/dev/mtdblock3 of=/dev/null bs=1k count=10"
    (row,) = measured(f"{command} {REPORT}")
    assert (row.op, row.block_size, row.line) == ("read", 1024, 3)
    assert [(row.op, row.value) for row in measured(f"{command}\n{REPORT}")] == [
        (row.op, row.value)
    ]


def test_a_report_without_counts_whose_rate_was_cut_off_is_no_result():
    progress = "42000000 bytes (42 MB, 40 MiB) copied, 3 s, 13.1\n"
    assert measured(f"{progress}$\n") == []
    assert "seconds are whole" in errors(f"{progress}$\n")[0].text


@pytest.mark.parametrize("end", ["5120+0", "5120+0 rec", "5120+0 lus\n5120+0 \u00e9cri"])
def test_a_log_that_ends_in_record_counts_has_a_word_on_them(end):
    assert measured(REPORT + end) and "no transfer line after them" in notes(REPORT + end)[0]


@given(
    size=st.integers(1, 10**13),
    seconds=st.floats(1e-3, 9e5).map("{:.6g}".format),
    comma=st.booleans(),
    words=st.sampled_from(["{} bytes{} copied", "{} Bytes{} kopiert", "skopiowane {} bajtów{}"]),
)
def test_bytes_and_seconds_of_any_size_are_read_back(size, seconds, comma, words):
    rate = size / float(seconds)
    power = next(p for p in range(5) if rate < 999.5 * 1000**p or p == 4)
    unit = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"][power]
    tail = f", {seconds} s, {rate / 1000**power:.1f} {unit}"
    line = words.format(size, "") + (re_comma(tail) if comma else tail)
    found = measured(COUNTS + line)
    if rate <= 1e13:
        (item,) = found
        assert item.value_low <= rate <= item.value_high
    else:
        assert len(found) <= 1


def re_comma(text):
    return text.replace(".", ",")


@given(st.text(alphabet="0123456789 +,.bytescopidsMB/()\n\r", max_size=80))
def test_any_text_is_read_or_refused(text):
    for item in measured(text):
        assert 0 < item.value <= 1e13


@pytest.mark.parametrize(
    "line",
    [
        *("1" * 10**6, ", " * 10**6, "1 b, 1 s, 1 MB/s" * 10**5),
        *("dd if=a of=b; " * 10**4, "dd if=a bs=" + "9x" * 10**5, "< a dd if=b " * 10**4),
        *("dd if=a of=b" + ";x= x= " * 10**4 + " dd if=a of=b", "@:~]" * 10**4 + " dd if=a of=b"),
    ],
)
def test_a_line_of_megabytes_is_answered(line):
    assert len(measured(line)) <= 1
    assert len(measured(f"{line}\n{REPORT}")) in (1, 2)


@pytest.mark.parametrize(
    ("words", "block_size", "blocks"),
    [
        ("Raspberry Pi Dramble microSD benchmarks", 8192, 51200),
        ("Running dd tests ...", 4096, 81920),
        ("Running dd tests ...", 4096, 133120),  # since 2023
    ],
)
def test_a_known_scripts_write_is_known_by_its_exact_size_below_its_words(
    words, block_size, blocks
):
    size = block_size * blocks
    report = "{} bytes copied, 31.1629 s, {:.1f} MB/s\n"
    (own,) = measured(f"{words}\n{report.format(size, size / 31.1629e6)}")
    assert (own.op, own.block_size, own.remarks) == ("write", block_size, ("inferred-op",))
    for other in (
        f"{words}\n{report.format(size + 1, size / 31.1629e6)}",
        f"{report.format(size, size / 31.1629e6)}{words}\n",
    ):
        assert [item.op for item in measured(other)] == ["copy"]


DRAMBLE = CORPUS / "script/valid/dramble-microsd--hdparm-9.65-coreutils-9.1-iozone-3.429.log"
SAID = {"op": "write", "block_size": 8192, "direct": False, "remarks": "inferred-op"}


def test_the_write_of_a_known_script_is_the_same_for_parse_in_a_table_and_for_a_source():
    (row,) = (logs.row_of(one) for one in logs.read_log(str(DRAMBLE)).measurements if "dd" in one)
    frame = sdanalysis.parse(DRAMBLE).query("tool == 'dd'")
    (strict,) = measured(DRAMBLE.read_bytes())
    assert {name: row[name] for name in SAID} == SAID
    assert frame[list(SAID)].to_dict("records") == [SAID]
    assert strict == strict._replace(**{**SAID, "remarks": ("inferred-op",)})


def test_the_write_of_a_known_script_is_the_same_for_mine_and_compare(capsys):
    main(["mine", str(DRAMBLE), "--format", "json"])
    assert "sequential write, 8 KiB, dd" in capsys.readouterr().out
    table = "table:source=dramble-2017,tool=dd,host=pi-3b,reader=slot"
    main(["compare", str(DRAMBLE), table, "--format", "json"])
    (test,) = json.loads(capsys.readouterr().out)["tests"]
    assert (test["op"], test["tool"], test["block_size"], test["base_n"]) == (
        "write",
        "dd",
        8192,
        1,
    )


@pytest.mark.parametrize(
    ("operands", "remarks"),
    [
        ("", ("not-flushed",)),
        (" conv=sync", ("not-flushed",)),  # which pads short blocks
        (" conv=noerror,fsync", ()),
        (" oflag=dsync", ()),
    ],
)
def test_a_write_whose_command_does_not_wait_for_the_medium_is_remarked(operands, remarks):
    command = f"$ dd if=/dev/zero of=/mnt/x bs=1M count=5{operands}\n"
    report = "5242880 bytes (5.2 MB, 5.0 MiB) copied, 0.5 s, 10.5 MB/s\n"
    (item,) = measured(command + COUNTS + report)
    assert (item.op, item.remarks) == ("write", remarks)


@pytest.mark.parametrize(
    ("command", "op", "direct"),
    [
        ("dd if=image of=/dev/rdisk2 bs=1m", "write", True),
        ("dd if=/dev/zero of=/dev/rsd0c bs=1m count=1", "write", True),
        ("dd if=/dev/rdisk2 of=/dev/null bs=1m", "read", True),
        ("dd if=/dev/rdisk2 of=image bs=1m", "copy", True),
        ("dd if=image of=/dev/disk2 bs=1m", "write", False),
        ("dd if=image of=/tmp/rdisk2 bs=1m", "copy", False),
    ],
)
def test_a_raw_device_of_a_bsd_is_past_the_cache_and_needs_no_flush(command, op, direct):
    """A character device has no page cache: what is written to it is on the medium."""
    counts = "1+0 records in\n1+0 records out\n"
    (item,) = measured(
        f"$ {command}\n{counts}1048576 bytes transferred in 0.5 secs (2097152 bytes/sec)\n"
    )
    assert (item.op, item.direct) == (op, direct)
    assert ("not-flushed" in item.remarks) == (op == "write" and not direct)


LAST = "Write:\ndd if=/dev/zero of=t bs=1M count=16\nRead:\ndd if=t of=/dev/null bs=1M\n"
COUNTED = "16+0 records in\n16+0 records out\n"
SIXTEEN = "16777216 bytes (17 MB, 16 MiB) copied, 0.0329309 s, 509 MB/s\n"
OTHER_SIXTEEN = SIXTEEN.replace("309 s", "409 s")


def test_the_last_of_several_commands_that_words_part_is_that_of_the_one_report_below_it():
    assert [one.op for one in measured(LAST + COUNTED + SIXTEEN)] == ["read"]
    later = f"\nthe other card:\ndd if=t of=/dev/null bs=1M\n{COUNTED}{OTHER_SIXTEEN}"
    assert [one.op for one in measured(LAST + COUNTED + SIXTEEN + later)] == ["read", "read"]


def test_two_reports_below_two_commands_are_nobodys():
    text = LAST + (COUNTED + SIXTEEN) * 2
    assert {one.op for one in measured(text)} == {"copy"}
    one = f"$ dd if=t of=/dev/null bs=1M\n{COUNTED}{SIXTEEN}tuned:\n{COUNTED}{OTHER_SIXTEEN}"
    assert [one.op for one in measured(one)] == ["read", "copy"]
    assert ["another report" in word for word in notes(one)] == [True]
    assert notes(one.replace("tuned:\n", "words\n" * 15)) == []
    together = LAST.replace("Read:\n", "") + COUNTED + SIXTEEN
    assert [one.op for one in measured(together)] == ["copy"]


@pytest.mark.parametrize("end", [" ", "\\n", "\\r\\n", " | ", "> "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_session_in_one_line_is_read_as_one_in_several(end, newline):
    session = f"$ dd if=/dev/zero of=t bs=1M count=16\n{COUNTED}{SIXTEEN}"
    session += f"$ dd if=t of=/dev/null bs=1M\n{COUNTED}{SIXTEEN}"
    joined = session.replace("\n", end)
    apart, together = measured(session), measured(joined + newline)
    said = [(one.op, one.block_size, one.value, one.status) for one in apart]
    assert [(one.op, one.block_size, one.value, one.status) for one in together] == said
    assert [joined[one.column - 1 :][:3] for one in together] == ["509", "509"]
    assert len({one.run for one in together}) == 2


def test_a_report_that_cannot_be_read_ends_the_turn_of_its_command():
    refused = "0+0 records in\n0+0 records out\n1 byte (1 B) copied, 0.2 s, 0.0 kB/s\n"
    text = f"$ dd if=/dev/null of=t; dd if=/dev/zero of=t bs=1M count=16\n{refused}"
    assert [one.op for one in measured(text + COUNTED + SIXTEEN)] == ["write"]
    assert "not one record" in notes(text)[0]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("16777216 bytes (16 M) copied, 0.618426 s, 26 M/s", 16777216 / 0.618426),
        ("16777216 bytes (16 M) copied, 12.618426 s, 1.3 M/s", 16777216 / 12.618426),
        ("3145728 bytes (3.0 M) copied, 0.025 s, 120 M/s", 120 * 2**20),
        ("512 bytes (512 B) copied, 0.001 s, 500 K/s", 500 * 2**10),
    ],
)
def test_what_android_prints_is_of_1024(line, value):
    (row,) = measured(f"card:/ $ dd if=/dev/zero of=t bs=1M\n{line}\n")
    assert row.value == pytest.approx(value)
    assert row.value_low <= value <= row.value_high and row.raw_unit.endswith("/s")
    assert errors(f"{line}\n") == []


def test_the_report_of_another_program_with_such_a_unit_is_none():
    line = "1073741824 bytes ( 1 G ) copied ( 100% ),    5 s, 208 M/s\n"
    assert measured(line) == [] and errors(line)


def test_a_megabyte_of_1024_that_somebody_wrote_apart_is_told_by_bytes_and_seconds():
    edited = "268435456 bytes (256 M) copied, 0.325 s, 788 MB/s\n"
    assert [one.value for one in measured(edited)] == [788 * 2**20] and not notes(edited)
    other = "268435456 bytes (256 M) copied, 0.325 s, 700 MB/s\n"
    assert measured(other)[0].value == 700e6


@pytest.mark.parametrize(("below", "status"), [("", "running"), ("$ sync\n", "partial")])
def test_a_record_that_was_read_and_not_written_is_no_whole_run(below, status):
    text = f"17+0 records in\n16+0 records out\n{SIXTEEN}{below}"
    assert [one.status for one in measured(text)] == [status] and "not written" in notes(text)[0]
    # of ibs=512 obs=1k
    assert [one.status for one in measured("2+0 records in\n1+0 records out\n" + SIXTEEN)] == [
        "measured"
    ]


ZSH = "dd if=/dev/zero of=t bs=1M count=16  0.00s user 2.59s system 22% cpu 11.614 total\n"


def test_zsh_names_the_command_of_the_report_above_its_times():
    (row,) = measured(COUNTED + SIXTEEN + ZSH)
    assert (row.op, row.block_size) == ("write", 2**20)
    two = measured(COUNTED + SIXTEEN + ZSH + COUNTED + OTHER_SIXTEEN)
    assert [one.op for one in two] == ["write", "copy"]
    session = f"% time dd if=t of=/dev/null bs=1M\n{COUNTED}{SIXTEEN}"
    timed = "dd if=t of=/dev/null bs=1M  0.00s user 0.02s system 98% cpu 0.021 total\n"
    report = COUNTED + OTHER_SIXTEEN
    assert [one.op for one in measured(session + timed + report)] == ["read", "copy"]
    assert [one.op for one in measured(session + timed + report + ZSH)] == ["read", "write"]


SCRIPT = """#!/bin/sh
SOURCE=/dev/zero
bench() {
    # write
    dd if=$SOURCE of=$FILE bs=$1 count=9
    echo 3 > /proc/sys/vm/drop_caches
    dd if=$FILE of="${SINK}" bs=$1
    rm -f $FILE
}
FILE=./t
SINK=/dev/null  # nobody reads it
bench 1k
```
It says on my board:
```
"""
BOTH = of_bytes(9, 1024, "0.512345") + of_bytes(9, 1024, "0.112345")
SLOW = (
    BOTH.replace("0.5", "1.5").replace("0.1", "1.1").replace("18 ", "6.09 ").replace("82 ", "8.28 ")
)


@pytest.mark.parametrize(
    ("log", "ops"),
    [
        (f"{SCRIPT}{BOTH}on another:\n{SLOW}", "write read write read"),
        (f"{SCRIPT}{BOTH}", "copy copy"),  # nothing bears it out: no command says how much
        (f"{SCRIPT}{BOTH}on another:\n{WRITTEN}", "copy copy copy"),
        (f"{SCRIPT.replace('$1', '1k')}{BOTH}", "write read"),
        (
            f"{SCRIPT.replace('$1', '1k')}$ ./bench\n{BOTH}$ ./bench\n{SLOW}",
            "write read write read",
        ),
        (f"{SCRIPT.replace('$1', '1k')}{BOTH}{WRITTEN}", "copy copy copy"),
        (f"{SCRIPT.replace('$1', '2k')}{BOTH}", "copy copy"),
        (f"{SCRIPT.replace('$1', '1k').replace('echo', 'else echo')}{BOTH}", "copy copy"),
        (f"{SCRIPT.replace('$1', '1k').replace('echo', 'done; for x in')}{BOTH}", "copy copy"),
        (f"{SCRIPT.replace('$1', '1k').replace('echo', 'Now clean:')}{BOTH}", "copy copy"),
        (f"{WRITES}{READS.replace('512', '1k')}{BOTH}", "write read"),
        (
            f"{{ {WRITES.strip()}; {READS.replace('512', '1k').strip()}; }}\nIt says:\n{BOTH}",
            "write read",
        ),
    ],
)
def test_the_reports_of_a_script_are_those_of_its_commands_in_turn(log, ops):
    assert [row.op for row in measured(log)] == ops.split()


@pytest.mark.parametrize(
    ("settings", "block_size"),
    [
        ("BS=1k\nexport N='5'", 1024),
        ("BS=1k; N=5; echo", 1024),
        ("BS=4k\nBS=1k\nN=5", 1024),
        ("for BS in 1k 4k; do\nN=5", None),
        ("BS=$1\nN=5", None),
        ("N=5", None),
    ],
)
def test_a_variable_that_is_set_tells_what_it_holds(settings, block_size):
    (row,) = measured(f"{settings}\ndd if=/dev/zero of=t bs=$BS count=${{N}}\n{TRIMMED}")
    assert (row.op, row.block_size) == ("write", block_size)


HOSTS = """$ pdsh -w n[1-2] "dd if=/dev/zero of=t bs=1M count=50"
n2: 50+0 records in
n1: 50+0 records in
n1: 50+0 records out
n2: 50+0 records out
n1: 52428800 bytes (52 MB) copied, 1.66993 s, 31.4 MB/s
n2: 52428800 bytes (52 MB) copied, 2.54965 s, 20.6 MB/s
"""


@pytest.mark.parametrize(("before", "after"), [("n", ": "), ("[n", "] out: ")])
def test_hosts_that_speak_at_once_are_read_one_after_the_other(before, after):
    log = re.sub("^n([12]): ", rf"{before}\1{after}", HOSTS, flags=re.M)
    rows = measured(log)
    assert [(row.line, row.op, row.block_size) for row in rows] == [
        (7, "write", 2**20),
        (6, "write", 2**20),
    ]
    assert notes(log) == []


def test_a_line_in_the_digits_of_a_report_is_one_above_the_counts_of_another_run():
    old = "52428800 bytes (52 MB) copied, {} s, 37.6 MB/s\n50+0 records in\n50+0 records out\n"
    assert [row.raw for row in measured(old.format("1.39275"))] == ["37.6"]
    assert notes(old.format("1.392751"))[0] == "found progress, which is no result"
    new = old.replace("52 MB", "52 MB, 50 MiB")
    assert notes(new.format("1.39275"))[0] == "found progress, which is no result"


def test_perf_names_the_command_of_the_report_above_its_counters():
    counters = (
        "\n Performance counter stats for 'dd if=t of=/dev/null bs=1M count=16':\n\n 9 cycles\n"
    )
    (row, later) = measured(f"{COUNTED}{SIXTEEN}{counters}{COUNTED}{OTHER_SIXTEEN}")
    assert (row.op, row.block_size, later.op) == ("read", 2**20, "copy")


def test_a_quote_that_ends_what_a_shell_was_given_begins_no_value():
    one = 'su -c "dd if=/dev/zero of={} bs=1M count=16" & '
    rows = measured(
        f"{one.format('a')}{one.format('b')}\n{COUNTED}{SIXTEEN}{COUNTED}{OTHER_SIXTEEN}"
    )
    assert [(row.op, row.block_size) for row in rows] == [("write", 2**20)] * 2
    (row,) = measured(
        f"ssh n 'dd if=/dev/zero bs=1M count=16' | dd of='my t' bs=1M\n{COUNTED}{SIXTEEN}"
    )
    assert (row.op, row.block_size) == ("copy", 2**20)  # of which of them?


def test_a_run_that_told_no_rate_has_its_command_all_the_same():
    session = f"# dd if=/dev/zero of=t bs=1M count=16\n{COUNTED}real 0m1.2s\n"
    for prompt in ("# ", ""):
        (row,) = measured(f"{session}{prompt}dd if=t of=/dev/null bs=1M\n{COUNTED}{SIXTEEN}")
        assert (row.op, row.block_size) == ("read", 2**20)
    mail = session.replace("\n", "\n>\n> ")
    (row,) = measured(f"> {mail.partition('real')[0]}{SIXTEEN}")
    assert (row.op, row.block_size) == ("write", 2**20)


def test_what_hdparm_says_is_no_label_of_a_report_below_it():
    timed = " Timing buffered disk reads: 412 MB in  3.01 seconds = 136.98 MB/sec\n"
    log = f"{WRITES}Disk read:\n/dev/sda:\n{timed}1k:\n{WRITTEN}"
    assert [row.op for row in measured(log)] == ["write"]
    assert [row.op for row in measured(log.replace(timed, ""))] == ["copy"]


def test_the_times_of_gnu_time_part_no_runs_of_a_loop():
    times = "0.17user 5.65system 0:10.43elapsed 55%CPU (0avgtext+0avgdata 3776maxresident)k\n"
    times += "56inputs+2000000outputs (0major+363minor)pagefaults 0swaps\n"
    text = "$ time dd if=/dev/zero of=t bs=1M count=16; time dd if=t of=/dev/null bs=1M\n"
    text += (COUNTED + SIXTEEN + times) * 2
    assert [one.op for one in measured(text)] == ["write", "read"]


def test_a_comment_may_stand_right_behind_a_rate():
    assert measured(SIXTEEN.rstrip() + "//slow\n") and not measured(SIXTEEN.rstrip() + "/op\n")


def test_a_report_without_counts_below_a_command_with_progress_is_one_where_nothing_is_waited_for():
    command = "$ dd if=t of=/dev/null bs=1M count=4096 status=progress"
    line = "4294967296 bytes (4.3 GB, 4.0 GiB) copied, 2.28909 s, 1.9 GB/s\n"
    assert [one.status for one in measured(f"{command}\n{line}")] == ["measured"]
    for seconds in ("2", "2.289093"):
        assert errors(f"{command}\n{line.replace('2.28909', seconds)}")
    waits = "$ dd if=/dev/zero of=t bs=1M count=4096 status=progress conv=fsync"
    assert errors(f"{waits}\n{line}")


@pytest.mark.parametrize("heading", ["dd: write test", "### dd: TEST Disk WRITE Speed", "dd: 1M"])
def test_a_heading_that_begins_with_its_name_is_no_message_of_dd(heading):
    text = f"{heading}\n{COUNTED}{SIXTEEN}"
    assert [one.status for one in measured(text)] == ["measured"] and notes(text) == []
    failed = text.replace(heading, "dd: writing 'card': No space left on device")
    assert [one.status for one in measured(failed)] == ["partial"]


@pytest.mark.parametrize("blocks", ["", " (2000 blocks)"])
def test_a_report_of_nuttx_is_its_bytes_in_microseconds(blocks):
    text = "nsh> dd if=/dev/zero of=/mnt/sd0/t bs=4096 count=2000\n"
    text += f"8192000 bytes{blocks} copied, 4340000 usec, "
    (one,) = measured(f"{text}1843 KB/s\n")
    assert (one.op, one.raw, one.raw_unit, one.status) == ("write", "1843", "KB/s", "measured")
    assert one.value == pytest.approx(8_192_000 / 4.34)
    assert errors(f"{text}1887 MB/s\n") and errors(f"{text}2843 KB/s\n") and errors(f"{text}18")


OLDER = "1073741824 bytes (1.1 GB) copied, {} s, {} MB/s\n"


def test_a_size_told_once_is_of_a_dd_whose_progress_has_six_decimals():
    command = "dd if=/dev/zero of=t bs=1M count=1024 oflag=direct\n"
    for seconds, rate in (("3.2", "335"), ("5", "215")):
        (row,) = measured(f"{command}# {OLDER.format(seconds, rate)}")
        assert (row.op, row.block_size, row.direct) == ("write", 2**20, True)
    asked = command.replace("oflag", "status=progress oflag")
    assert not measured(asked + OLDER.format("3.200000", "335"))


def test_a_command_that_asks_for_no_progress_shows_none():
    report = "# 104857600 bytes (105 MB, 100 MiB) copied, {} s, 21 MB/s\n"
    for seconds in ("5", "5.0", "5.012345"):
        log = f"dd if=/dev/zero of=t bs=1M count=100\n# Output:\n{report.format(seconds)}"
        assert [row.op for row in measured(log)] == ["write"]
        assert not measured(log.replace("100\n", "100 status=progress\n", 1))
        assert not measured(report.format(seconds))


def test_a_report_of_a_bsd_above_the_counts_of_the_next_run_is_no_progress():
    report = "{0} bytes transferred in 8.400635 secs (51679810 bytes/sec)\n"
    counted = "423936+0 records in\n423936+0 records out\n"
    log = report.format(434143232) + counted + report.format(434110464)
    assert [row.file_size for row in measured(log)] == [434143232, 434110464]


def test_a_report_that_a_signal_asked_for_is_interim_though_a_block_is_under_way():
    log = (
        f"# dd if=/dev/sda of=/dev/null bs=1k &\n# kill -USR1 %1\n6+0 records in\n{REPORT[15:]}$\n"
    )
    (row,) = measured(log)
    assert (row.op, row.status) == ("read", "running")


@pytest.mark.parametrize(
    ("counted", "size", "statuses"),
    [
        ("14+1", 1098907648, ["measured"] * 2),  # 15 records of the first run's size hold less
        ("14+1", 114000, ["measured"] * 2),  # its 14 full ones more
        ("14+1", 115000, ["running", "measured"]),
    ],
)
def test_a_report_whose_records_are_of_another_size_is_of_another_run(counted, size, statuses):
    later = f"{counted} records in\n{counted} records out\n{size} bytes copied, 1.91728 s, "
    log = f"{of_bytes(8, 8192)}{later}{size / 1917.28:.3g} kB/s\n"
    assert [row.status for row in measured(log)] == statuses


def test_a_quote_that_ends_the_string_around_a_command_is_no_part_of_its_last_operand():
    text = REPORT.replace("\n", "\\n")
    log = f'{{"cmd": "dd if=/dev/sda of=/dev/null bs=1024", "delta": "1", "stderr": "{text}"}}'
    (row,) = measured(log)
    assert (row.op, row.block_size) == ("read", 1024)


def test_a_run_that_a_shell_took_back_is_the_one_that_a_signal_asked():
    command = "dd if=/dev/zero of=/dev/null bs=1k"
    asked = f"$ {command} &\n$ kill -USR1 7\n{of_bytes(21, 1024)}\nThen we stop it.\n"
    ended = of_bytes(77, 1024, "1.8").replace("77", "^C77", 1)
    rows = measured(f"{asked}\n$ fg\n{command}\n{ended}")
    assert [row.status for row in rows] == ["running", "interrupted"]
    assert len({row.run for row in rows}) == 1
    rows = measured(f"{asked}\n$ {command}\n{ended}")
    assert len({row.run for row in rows}) == 2


def test_runs_of_growing_sizes_are_their_own_where_people_ask_for_such_numbers():
    reports = of_bytes(128, 1024) + of_bytes(3584, 1024, "9.7")
    assert [row.status for row in measured(reports)] == ["measured"] * 2
    later = of_bytes(3584, 1024, "9.7")
    for log, last in (
        (f"$ kill -INFO 1\n{reports}", "running"),
        (of_bytes(131, 1024) + later, "measured"),
    ):
        assert [row.status for row in measured(log)] == ["running", last]
    assert [number for number in (0, 5, 64, 96, 99, 100, 128, 1300, 3584) if is_round(number)] == [
        *(64, 100, 128, 3584)
    ]


FASTER = TRIMMED.replace("0.512345", "0.498765").replace("10.0", "10.3")
READS_1K = "dd if=f of=/dev/null bs=1k\n"
SLOWER, READS_IT = of_bytes(9, 1024, "1.7"), of_bytes(18, 512, "0.7")
LISTED = f"{WRITES}\nOn a fast disk:\n{WRITTEN}On a slow one:\n"


@pytest.mark.parametrize(
    ("log", "ops"),
    [
        (LISTED + SLOWER, ["write", "write"]),
        (LISTED + of_bytes(8, 1024, "1.7"), ["write", "copy"]),
        (LISTED + "and reading it:\n" + SLOWER, ["write", "copy"]),
        (LISTED + "$ ./another\n" + SLOWER, ["write", "copy"]),
        (f"{WRITES}{READS}A:\n{WRITTEN}{READS_IT}B:\n{SLOWER}", ["write", "read", "write"]),
        (f"{WRITES}{READS}A:\n{of_bytes(2, 99)}B:\n{WRITTEN}", ["copy", "write"]),
    ],
)
def test_a_command_above_results_under_words_of_their_own_is_of_each_that_has_all_it_asks(log, ops):
    assert [row.op for row in measured(log)] == ops


@pytest.mark.parametrize("where", ["(your folder)/f", "[my disk]", "{the mount point}/t", "<a b>"])
def test_what_a_manual_leaves_to_its_reader_ends_no_command(where):
    (row,) = measured(f"dd if=/dev/zero of={where} bs=1k count=5 oflag=dsync\n\n{REPORT}")
    assert (row.op, row.block_size, row.status) == ("write", 1024, "measured")


@pytest.mark.parametrize("end", ["\\n", "\\\\n", "\\r\\n"])
def test_the_commands_of_a_string_are_in_turn(end):
    lines = ("mkdir b", "dd if=/dev/zero of=t bs=1k count=5 2>&1", "dd if=t of=/dev/null bs=512")
    log = f'"adb shell {end.join(lines)}{end}ls b"\n'
    rows = measured(log + REPORT + of_bytes(10, 512))
    assert [(row.op, row.block_size) for row in rows] == [("write", 1024), ("read", 512)]


@pytest.mark.parametrize("prompt", ["", "> ", "   $    ", ">> > "])
def test_a_command_goes_on_behind_a_shells_prompt_for_more(prompt):
    log = f"$ sudo dd if=/dev/zero of=/dev/$DEV oflag=sync \\\n{prompt}bs=$(cat size of) count=5\n"
    (row,) = measured(log + REPORT)
    assert (row.op, row.block_size, row.direct, notes(log + REPORT)) == ("write", 1024, False, [])


def test_a_report_with_a_block_under_way_below_a_status_of_a_mac_is_interim():
    status = "Press control+t: “load: 2.73  cmd: dd 3344 uninterruptible 0.00u 5.27s”, and then:\n"
    log = f"dd if=a.img of=/dev/disk2 bs=1k\n\n{status}```\n6+0 records in\n{REPORT[15:]}\nWait.\n"
    assert [row.status for row in measured(log)] == ["running"]


def test_what_a_shell_says_of_a_job_that_ended_is_no_command():
    jobs = f"#> {WRITES[:-1]} &\n#> {WRITES[:-1].replace('=9', '=5')} &\n#>\n"
    done = "[2]+ Done dd if=/dev/zero of=f bs=1k count=5\n#>\n"
    rows = measured(f"{jobs}#> {of_bytes(5, 1024)}\n{done}#> {of_bytes(9, 1024, '1.5')}")
    assert [(row.op, row.file_size, row.status) for row in rows] == [
        *(("write", 5120, "measured"), ("write", 9216, "measured"))
    ]


@pytest.mark.parametrize("between", [" / ", ", ", " "])
def test_the_counts_of_a_report_may_share_a_line(between):
    counted = f"6+0 records in{between}5+0 records out\n"
    log = f"{WRITES}dd: error writing 'f': No space left on device\n{counted}{REPORT[30:]}"
    assert [(row.op, row.status) for row in measured(log)] == [("write", "partial")]


ONE = "16777216 bytes (17 MB, 16 MiB) copied, 0.0329309 s, 509 MB/s"
TWO = "16777216 bytes (17 MB, 16 MiB) copied, 0.00918046 s, 1.8 GB/s"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"write {ONE} read {TWO}\n", [("509", "write"), ("1.8", "read")]),
        (f"{ONE}, {TWO}\n", [("509", "copy"), ("1.8", "copy")]),
        (
            f"# dd if=d of=/dev/null bs=1M {ONE} # dd if=d of=/dev/null bs=4k {TWO}\n",
            [("509", "read"), ("1.8", "read")],
        ),
        (f"write {ONE}{TWO}\n", []),  # progress is glued to others, and has a word
    ],
)
def test_reports_in_one_line_of_a_page_are_a_result_each(text, expected):
    assert [(row.raw, row.op) for row in measured(text)] == expected
    assert bool(expected) is not bool(errors(text))


@pytest.mark.parametrize(
    "parts", ["\nconv=fsync \\\noflag=direct\n", "\nconv=fsync\noflag=direct\n"]
)
def test_a_command_may_be_wrapped_more_than_once(parts):
    (row,) = measured(f"$ dd if=/dev/zero of=f bs=1k count=5{parts}{REPORT}")
    assert (row.op, row.direct, row.remarks) == ("write", True, ())


TRANSLATED = [
    "1024+0 записей получено\n1024+0 записей отправлено\n"
    "4194304 байт (4,2 MB, 4,0 MiB) скопирован, 0,0238503 s, 176 MB/s\n",
    "5000+0 przeczytanych rekordów\n5000+0 zapisanych rekordów\n"
    "skopiowane 163840000 bajtów (164 MB, 156 MiB), 5,5812 s, 29,4 MB/s\n",
    "记录了1024+0 的读入\n记录了1024+0 的写出\n"
    "1024000000字节(1.0 GB)已复制，10.6746 秒，95.9 MB/s\n",
]


@pytest.mark.parametrize("report", TRANSLATED)
def test_letters_that_json_escapes_are_those_of_the_report(report):
    (plain,) = measured(report)
    (row,) = measured(json.dumps({"stdout": report}))
    assert (row.value, row.file_size, row.raw) == (plain.value, plain.file_size, plain.raw)


def test_a_command_in_a_string_of_json_may_go_on_in_the_next_line():
    command = f"$ dd if=/dev/zero of=f bs=1k \\\n  count=5 oflag=direct\n{REPORT}"
    (row,) = measured(json.dumps({"stdout": command}))
    assert (row.op, row.direct, row.status) == ("write", True, "measured")


CHINESE = "记录了5+0 的读入\n记录了5+0 的写出\n5120字节(5.1 kB)已复制，0.512345 秒，10.0 kB/秒\n"
EXPLAINED = (
    '- "记录了5+0 的读入" 表示读取了5个块。\n- "记录了5+0 的写出" 表示写入了5个块。\n'
    '- "5120字节(5.1 kB)已复制" 表示总共复制了5kB的数据。\n- "0.512345 秒" 表示时间。\n'
)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (CHINESE, EXPLAINED),
        (TRIMMED, "- `5120 bytes (5.1 kB, 5.0 KiB) copied`: the total\n"),
        (TRIMMED, "“5120 bytes (5.1 kB) copied” means that all of it was written.\n"),
    ],
)
def test_a_sentence_that_quotes_what_a_report_above_copied_is_no_cut_report(report, words):
    log = f"$ dd if=/dev/zero of=f bs=1k count=5\n{report}\n{words}Done.\n"
    assert [row.op for row in measured(log)] == ["write"]
    assert errors(log) == []
    assert any("quoted: counted once" in text for text in notes(log))


@pytest.mark.parametrize(
    "words",
    [
        "5120 bytes (5.1 kB, 5.0 KiB) copied,\n",
        f"{COUNTS}5120 bytes (5.1 kB, 5.0 KiB) copied, 0.5\n",
        '"5120 bytes (5.1 kB, 5.0 KiB) copied",\n',
        "“5121 bytes (5.1 kB) copied” means that all of it was written.\n",
    ],
)
def test_a_cut_report_of_as_many_bytes_and_a_quotation_of_others_are_errors(words):
    log = f"$ dd if=/dev/zero of=f bs=1k count=5\n{COUNTS}{TRIMMED}\n{words}Done.\n"
    (error,) = errors(log)
    assert "expected `<n> bytes" in error.text


OF_8K = "$ dd if=/dev/zero of=f bs=8K count=1K conv=fsync\n"
IN_64K = of_bytes(128, 65536)  # as many bytes


def test_a_command_of_as_many_bytes_in_other_records_tells_the_direction_alone():
    (row,) = measured(OF_8K + IN_64K)
    assert (row.op, row.block_size, row.file_size, row.direct) == ("write", 65536, 2**23, None)
    assert row.remarks == ("inferred-op",)
    (note,) = notes(OF_8K + IN_64K)
    assert "found a command of bs=8192, and as many bytes in other records" in note


@pytest.mark.parametrize(
    "log",
    [
        OF_8K + of_bytes(127, 65536),
        OF_8K + IN_64K.replace("128+0", "127+1"),
        f"{OF_8K}Then it is read:\n{IN_64K}",
        f"{OF_8K}Another test:\n{IN_64K}",
        OF_8K.replace("\n", f"; dd if=f of=/dev/null bs=4k count=2k\n{IN_64K}"),
        OF_8K.replace("/dev/zero", "g") + IN_64K,
    ],
)
def test_other_bytes_or_words_or_commands_leave_the_direction_open(log):
    assert [row.op for row in measured(log)] == ["copy"]


@pytest.mark.parametrize(
    ("title", "op"),
    [("# Overwrite", "write"), ("# Read (uncached)", "read"), ("Re-write test:", "write")],
)
def test_what_is_written_over_or_read_past_the_cache_is_a_direction(title, op):
    assert measured(f"{title}\n{TRIMMED}")[0].op == op


def test_a_run_whose_last_write_failed_is_not_continued_by_the_next_one():
    failed = "dd: writing to ‘{}’: No space left on device\n{}+0 records in\n{}+0 records out\n"
    text = (
        failed.format("/dev/sda1", 5121, 5120) + "2621440 bytes (2.6 MB) copied, 0.3 s, 8.7 MB/s\n"
    )
    text += (
        failed.format("/dev/sda2", 9999, 9998) + "5118976 bytes (5.1 MB) copied, 0.6 s, 8.5 MB/s\n"
    )
    assert [row.status for row in measured(text)] == ["partial", "partial"]


def test_a_report_below_one_that_cannot_be_read_is_one():
    broken = "dd read test: /dev/md0 5120 bytes (5.1 kB, 5.0 KiB) copied, 11  0.51 s, see above\n"
    log = f"{broken}2048 bytes (2.0 kB, 2.0 KiB) copied, 0.312345 s, 6.6 kB/s\n"
    assert [row.file_size for row in measured(log)] == [2048]


def test_counts_behind_figures_are_those_of_the_next_report():
    log = "4096 bytes (4.1 kB, 4.0 KiB) copied, 7 s, 1 kB/s 5+0\nrecords in 5+0 records out 5120\n"
    assert measured(log) == []
    assert "found progress, which is no result" in notes(log)


def numbered(log):
    """A log as a magazine's listing."""
    return "".join(f"{n:3d}  {text}\n" for n, text in enumerate(log.splitlines(), 1))


def test_a_message_of_dd_in_a_numbered_listing_is_one():
    failed = f"dd: error reading 'F': Input/output error\n{COUNTS}{TRIMMED}"
    assert [row.status for row in measured(numbered(failed))] == ["partial"]


def test_a_file_that_nothing_can_be_written_to_for_good_ends_no_run():
    failed = "$ dd if=F of=/dev/null bs=1k conv=fdatasync\n{}: Invalid argument\n"
    for message in ("fdatasync failed for '/dev/null'", "fsync failed for ‘/dev/null’"):
        (row,) = measured(failed.format(f"dd: {message}") + COUNTS + TRIMMED)
        assert (row.op, row.status) == ("read", "measured")
    (row,) = measured(failed.format("dd: fsync failed for 'g'") + COUNTS + TRIMMED)
    assert row.status == "partial"


@pytest.mark.parametrize("mark", ["", "    ", "> ", ">> "])
def test_commands_behind_prompts_in_a_quotation_are_those_of_a_session(mark):
    prompt = "[ed@pi]:/media/ed/0F76$ sudo dd "
    first = f"{prompt}bs=1k if=a.img of=/dev/mmcblk0p1\n\n\n"
    second = f"{prompt}if=/dev/mmcblk0p1 of=/dev/null\nbs=1k\n"
    log = f"{first}{second}[sudo] password for ed: \n\n{COUNTS}{TRIMMED}"
    (row,) = measured(textwrap.indent(log, mark, lambda _: True))
    assert (row.op, row.block_size) == ("read", 1024)


SIGNALLED = f"$ dd if=/dev/sda of=/dev/null bs=1k &\n$ kill -USR1 $(pidof dd)\n{REPORT}\n"


@pytest.mark.parametrize(
    ("later", "status"),
    [
        (f"Another card:\n{of_bytes(4, 1024, '0.7')}", "measured"),  # fewer bytes
        (f"Another card:\n{of_bytes(9, 1024, '0.7')}", "running"),
        (f"# dd if=/dev/sdb of=/dev/null bs=1k\n{of_bytes(9, 1024, '0.7')}", "measured"),
    ],
)
def test_a_signal_that_one_run_answered_asks_no_other_run(later, status):
    assert [row.status for row in measured(SIGNALLED + later)] == ["running", status]
    watched = SIGNALLED.replace("$ kill", "$ watch -n 5 kill")
    assert [row.status for row in measured(watched + later)] == ["running"] * 2


def test_a_command_with_a_word_for_a_number_was_never_run():
    template = "dd if=/dev/zero of=/path/to/file bs=block-size count=number-of-blocks\n"
    assert [row.direct for row in measured(template + REPORT)] == [None]
    assert [row.op for row in measured(f"$ {WRITES}As in\n{template}\n{WRITTEN}")] == ["write"]


def test_a_loop_below_words_goes_on_with_all_that_it_asks_for():
    loop = "$ for i in 1 2; do dd if=/dev/zero of=t bs=1k count=9; done\n"
    for counted, op in ((9, "write"), (8, "copy")):
        log = f"{loop}{WRITTEN}### Somebody's:\n{of_bytes(counted, 1024, '0.7')}"
        assert [row.op for row in measured(log)] == ["write", op]


def test_progress_below_the_report_of_a_command_without_it_is_no_result():
    shown = "9437184 bytes (9.4 MB, 9.0 MiB) copied, 3 s, 3.1 MB/s\n"
    told = "5120 bytes (5.1 kB, 5.0 KiB) copied, 0.512345 s, 10.0 kB/s\n"
    asked = "$ dd if=/dev/zero of=t bs=1k count=5 2>&1 | tail -1\n"
    assert [row.file_size for row in measured(f"{asked}{told}Then:\n{shown}")] == [5120]
    again = f"{asked}{told}{asked.replace('1k', '1M').replace('count=5', '')}{shown}"
    assert [row.file_size for row in measured(again)] == [5120, 9437184]
    looped = f"$ for i in 1 2; do {asked[2:-1]}; done\n".replace(" count=5", "")
    assert [row.file_size for row in measured(f"{looped}{told}{shown}")] == [5120, 9437184]


@pytest.mark.parametrize("far", range(12, 16))
def test_of_commands_below_one_another_the_last_is_not_alone_from_far(far):
    words = "".join(f"word {number}\n" for number in range(far))
    log = f"$ {WRITES}$ dd if=f of=/dev/null bs=1k\n{words}{WRITTEN}"
    assert [row.op for row in measured(log)] == ["copy"]


@pytest.mark.parametrize("between", ["", "[...]\n", "…\n", "<snip>\n"])
def test_reports_of_a_run_that_goes_on_after_errors_are_its_own_where_some_are_left_out(between):
    failed = "dd: reading 'F': Input/output error\n"
    first, later = of_bytes(131, 1024, "0.512345"), of_bytes(777, 1024, "3.71234")
    log = f"$ dd if=F of=/dev/null bs=1k conv=noerror\n{failed}{first}{between}{failed}{later}"
    rows = measured(log)
    assert [(row.op, row.status) for row in rows] == [("read", "running"), ("read", "partial")]
    other = f"$ dd if=F of=/dev/null bs=1k\n{first}{between or 'Then:'}\n{later}"
    assert [row.status for row in measured(other)] == ["measured"] * 2


def test_a_report_that_a_log_ends_in_is_told():
    assert len(errors(f"1 Write:\n{TRIMMED}1 Write:\n1048576 bytes (1.0 MB) cop")) == 1
    assert errors(f"{TRIMMED}of 1048576 bytes (all of them)") == []


@pytest.mark.parametrize("words", ["", "For a file in `/mnt`:\n\n", "```\n\nThe output:\n"])
def test_a_command_that_a_page_has_twice_is_that_of_one_report(words):
    log = f"To write:\n\n    {WRITES}\nAs here:\n\n    {WRITES}{words}{WRITTEN}"
    later = f"{log}\n$ uname -r\n6.1.0\n{of_bytes(8, 1024, '0.7')}"
    assert [row.op for row in measured(later)] == ["write", "copy"]


def test_partial_records_do_not_become_fewer_in_a_run():
    partial = "0+1 records in\n0+1 records out\n10 bytes copied, 0.00319823 s, 3.1 kB/s\n"
    assert [row.status for row in measured(partial + of_bytes(7, 1024))] == ["measured"] * 2


@pytest.mark.parametrize(
    ("log", "ops"),
    [
        (f"{READS_1K}{READS_1K}{TRIMMED}{FASTER}", ["read", "read"]),
        (f"{READS_1K}{READS_1K}{TRIMMED}Another:\n{FASTER}", ["read", "copy"]),
        (f"{WRITES}\n{READS_1K}\nThen:\n\nRead:\n{WRITTEN}Write:\n{ITSELF}", ["read", "write"]),
    ],
)
def test_reports_of_several_commands_are_told_by_their_headings(log, ops):
    assert [row.op for row in measured(log)] == ops
