"""The summaries of scripts: each figure once, with the conditions of the script's own commands."""

from functools import partial
from importlib import import_module
from pkgutil import iter_modules

import corpus_logs
import pytest
from corpus_logs import CORPUS, beside, logs_of
from hypothesis import given
from hypothesis import strategies as st

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.logs.read import parse_log
from sdanalysis.my_card.gather import gather
from sdanalysis.parsers import SCRIPTS, scripts

VALID = logs_of("scripts", "valid")
measured, errors, notes = (
    partial(one, "scripts") for one in (corpus_logs.measured, corpus_logs.errors, corpus_logs.notes)
)
KIB, MIB = 2**10, 2**20
TITLE = "fio Disk Speed Tests (Mixed R/W 50/50):\n"
SESSION = next(log for log in VALID if log.name.startswith("pibenchmarks-session"))
TABLE = next(log for log in VALID if log.name.startswith("pibenchmarks-table"))


def whole(text):
    """What all parsers together find in a text: (rows, words)."""
    log = parse_log("card.log", text if isinstance(text, bytes) else text.encode())
    return log.measurements, [problem.text for problem in log.problems]


def padded(*cells):
    """A line of PiBenchmarks' table, as its printf pads it."""
    return "".join(f"{cell:<25} " for cell in cells)[:-1] + "\n"


def test_every_row_says_whose_summary_it_is_and_carries_the_remark():
    for log in VALID:
        rows = measured(log.read_bytes())
        assert rows and all("from-script" in one.remarks and one.script for one in rows)
        assert {one.tool for one in rows} <= {
            "fio",
            "dd",
            "hdparm",
            "iozone",
            "diskspd",
            "crystaldiskmark",
        }


def test_what_sdtest_prints_is_read_from_a_page_that_made_it_one_line():
    def told(content):
        rows = measured(content)
        kept = [(one.op, one.metric, one.value, one.block_size, one.file_size) for one in rows]
        return kept, len({one.run for one in rows}), len(notes(content)), errors(content)

    for log in VALID:
        if log.name.startswith("sdtest"):
            content = log.read_text()
            flat = f"$ sh sdtest.sh {content}and so on".replace("\n", " ")
            assert told(flat) == told(content)


def test_a_figure_that_the_tool_printed_too_is_not_counted_twice():
    rows, words = whole(SESSION.read_bytes())
    tests = [(one.tool, one.op, one.metric) for one in rows]
    assert len(tests) == len(set(tests)) == 13
    assert {one.tool for one in rows if one.script} == {"fio"}
    (word,) = [text for text in words if "not counted twice" in text]
    assert "(line 5, 10, 35, 43, 44, 45, 46)" in word and "(line 3, 4, 9, 33)" in word


def test_what_was_rounded_away_does_not_hide_a_repeat():
    dd = "335544320 bytes (336 MB, 320 MiB) copied, 16.7 s, 20.1 MB/s\n"
    rows, _ = whole(f"81920+0 records in\n81920+0 records out\n{dd}DD Write Speed: 20.1 MB/s\n")
    assert [one.script for one in rows] == [None]
    other = whole(f"81920+0 records in\n81920+0 records out\n{dd}DD Write Speed: 21.1 MB/s\n")[0]
    assert [one.script for one in other] == [None, "PiBenchmarks"]


def test_other_conditions_are_another_figure():
    own = "3;fio-3.33;" + beside(TABLE, ".log").read_text()  # no record of fio: nothing is hidden
    assert len(whole(own)[0]) == len(whole(TABLE.read_bytes())[0])
    report = (
        "j: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
        "ioengine=libaio, iodepth={depth}\nfio-3.33\nStarting 1 process\n\n"
        "j: (groupid=0, jobs=1): err= 0: pid=1: Mon Jan  1 00:00:00 2024\n"
        "  read: IOPS=2943, BW=11.5MiB/s (12.1MB/s)(115MiB/10001msec)\n\n"
        "Run status group 0 (all jobs):\n"
        "   READ: bw=11.5MiB/s (12.1MB/s), 11.5MiB/s-11.5MiB/s (12.1MB/s-12.1MB/s), "
        "io=115MiB (121MB), run=10001-10001msec\n\n"
    )
    line = padded("FIO", "4k random read", "2943 IOPS (11775 KB/s)")
    scripts = [
        [one.script for one in whole(report.format(depth=depth) + line)[0] if one.metric == "iops"]
        for depth in (64, 1)
    ]
    assert scripts == [[None], [None, "PiBenchmarks"]]


def test_the_table_repeats_the_lines_above_it_and_two_tables_are_two_runs():
    lines = "FIO results - 4k RandWrite: 600 IOPS (2400 KB/s) - 4k RandRead: 900 IOPS (3600 KB/s)\n"
    table = padded("FIO", "4k random read", "900 IOPS (3600 KB/s)")
    assert len(measured(lines + table)) == 4
    assert len(measured(table + table)) == 4
    assert len(measured(lines + table + lines + table)) == 8
    assert len({one.run for one in measured(table + table)}) == 2


SITE = """| Category | Test | Result |
|:-|:-|:-|
| DD | Disk Write | 17 MB/s |
| HDParm | Disk Read | 41.50 MB/s |
| FIO | 4k Random Read | 2431 IOPS |
| FIO | 4k Random Write | 612 IOPS IOPS |
| FIO | 4k Random Read | 9727 KB/s |
| FIO | 4k Random Write | 2450 KB/s KB/s |
| IOZone | 4k Read | 8121 KB/s |
| IOZone | 4k Random Write | 2277 KB/s |
"""


def test_the_page_of_a_run_has_a_row_for_each_figure_of_fio():
    found = [(one.tool, one.op, one.metric, one.raw) for one in measured(SITE)]
    assert found == [
        ("dd", "write", "bandwidth", "17"),
        ("hdparm", "read", "bandwidth", "41.50"),
        ("fio", "randread", "iops", "2431"),
        ("fio", "randwrite", "iops", "612"),
        ("fio", "randread", "bandwidth", "9727"),
        ("fio", "randwrite", "bandwidth", "2450"),
        ("iozone", "read", "bandwidth", "8121"),
        ("iozone", "randwrite", "bandwidth", "2277"),
    ]
    fio = {(one.op, one.run) for one in measured(SITE) if one.tool == "fio"}
    assert fio == {("randread", "5-fio"), ("randwrite", "6-fio")}
    assert len(measured(SITE + SITE)) == 2 * len(found)
    assert errors(SITE) == []


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("43,760 IOPS", 43_760),
        ("1,012 KB/s", 1012 * KIB),
        ("3,7502 KB/s", None),
        ("0,818 KB/s", None),
    ],
)
def test_commas_of_thousands_in_whole_figures_are_somebodys_and_nothing_else_is(figure, value):
    rows = measured(f"| FIO | 4k Random Read | {figure} |\n\nmore\n")
    assert [(one.raw, one.value) for one in rows] == ([(figure.split()[0], value)] if value else [])
    assert bool(errors(f"| FIO | 4k Random Read | {figure} |\n\nmore\n")) == (value is None)
    assert measured("| HDParm | Disk Read | 1,012 MB/s |\n\nmore\n") == []


def test_a_page_that_writes_its_tests_with_a_capital_k_is_the_scripts_table():
    rows = "| FIO | 4K Random Read | 12,397 IOPS |\n| IOZone | 4K Read | 41,020 KB/s |\n"
    found = [(one.tool, one.op, one.block_size, one.value) for one in measured(rows + "\nmore\n")]
    assert found == [
        ("fio", "randread", 4096, 12_397),
        ("iozone", "read", 4096, 41_020 * KIB),
    ]


def test_the_page_repeats_what_its_run_said():
    line = "FIO results - 4k RandWrite: 612 IOPS (2450 KB/s) - 4k RandRead: 2431 IOPS (9727 KB/s)\n"
    assert len([one for one in measured(line + SITE) if one.tool == "fio"]) == 4


def test_a_table_in_another_order_was_not_printed_by_the_script():
    rows = "| iozone 1M random read | 39.92 MB/s |\n| iozone 4K random read | 9.29 MB/s |\n"
    assert [one.direct for one in measured(rows)] == [None, None]
    first = "| iozone 4K random read | 9.29 MB/s |\n"
    assert [(one.raw, one.direct) for one in measured(first)] == [("9.29", True)]
    glued = "| iozone 4K random read | 9.29MB/s |\n"
    assert [(one.raw, one.direct) for one in measured(glued)] == [("9.29", None)]


def test_half_a_result_that_ends_with_the_log_may_be_cut():
    text = "FIO  4k random read  2431 IOPS"
    assert measured(text) == []
    assert "may be cut" in notes(text)[0]


@pytest.mark.parametrize(
    ("unit", "rate", "doubted"),
    [("MB/s", "42.47", True), ("MB/s", "1311.20", False), ("MB/sec", "42.47", False)],
)
def test_a_unit_that_the_script_typed_is_a_doubt(unit, rate, doubted):
    (row,) = measured(padded("HDParm", "Disk Read", f"{rate} {unit}"))
    assert ("inferred-unit" in row.remarks) == doubted
    assert row.value == pytest.approx(float(rate) * MIB)


def test_dd_has_its_own_unit_where_hdparm_has():
    hdparm, dd = padded("HDParm", "Disk Read", "42.47 MB/sec"), padded("DD", "Disk Write", "9 MB/s")
    assert [one.remarks for one in measured(hdparm + dd)] == [("from-script",)] * 2
    assert measured(dd)[0].remarks == ("from-script", "inferred-unit")


def test_the_cached_read_is_printed_with_the_unit_of_the_disk_read():
    text = "HDParm: 584.45 kB/sec - HDParmCached: 760.18 kB/sec\nRunning dd tests ...\n"
    assert [(one.op, one.value) for one in measured(text)] == [("read", 584.45 * KIB)]
    assert "its own is not known" in notes(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "DD Write Speed: records MB/s\n",
        "HDParm:  MB/s - HDParmCached:  MB/s\n",
        "FIO results - 4k RandWrite:  IOPS ( KB/s) - 4k RandRead:  IOPS ( KB/s)\n",
        padded("IOZone", "4k read", " KB/s"),
        "Random read speed  IOPS (target 1500) - PASS\n",
        "Random read speed 0 IOPS (target 1500) - FAIL\n",
        TITLE + "Block Size | 4k (IOPS) | 64k (IOPS)\nRead | () | ()\n",
    ],
)
def test_a_test_that_failed_leaves_a_word_and_no_row(text):
    text += "and so on\n"
    assert (measured(text), errors(text)) == ([], [])
    assert notes(text)


def test_a_figure_that_no_device_reaches_is_an_error_and_the_one_beside_it_is_read():
    text = f"{TITLE}Block Size | 4k (IOPS)\nRead | 99999999.99 GB/s (2300)\n"
    assert [one.metric for one in measured(text)] == ["iops"]
    (error,) = errors(text)
    assert "expected what a device reaches" in error.text


def test_what_cannot_be_read_is_shown_by_its_first_120_characters():
    wide = "Read | " + "9.34 MB/s (2300) | " * 9
    (error,) = errors(f"{TITLE}Block Size | 4k (IOPS) | 64k (IOPS)\n{wide}\n")
    assert f"found {wide[:120]!r} in a summary" in error.text


def test_a_verdict_is_read_where_the_fields_are_not_there():
    fields = "rand-4k-write;0;0;2490;622\n"
    verdict = "Random write speed 622 IOPS (target 500) - PASS\n"
    (alone,) = measured(verdict)
    assert (alone.op, alone.metric, alone.value, alone.block_size) == (
        "randwrite",
        "iops",
        622,
        4096,
    )
    assert [one.line for one in measured(fields + verdict)] == [1, 1]


@pytest.mark.parametrize(
    ("fields", "block", "depth"),
    [("96376;188", 512 * KIB, 4), ("30117;7", 4 * MIB, None), ("400;0", None, None)],
)
def test_rate_and_iops_say_which_version_ran(fields, block, depth):
    rows = measured(f"seq-write;0;0;{fields}\nrand-4k-read;12328;3082;0;0\nRun 2\n")
    assert rows[0].block_size == block
    assert {one.iodepth for one in rows} == {depth}
    assert rows[-1].block_size == 4096


def test_yabs_cuts_what_it_does_not_print():
    text = f"{TITLE}Block Size | 4k            (IOPS)\nRead       | 51.30 MB/s   (12.8k)\n"
    rate, iops = measured(text)
    assert (rate.value_low, rate.value_high) == (51.30 * 1_024_000, 51.31 * 1_024_000)
    assert (iops.raw, iops.value_low, iops.value_high) == ("12.8k", 12_800, 12_900)
    assert (rate.op, rate.read_mix, rate.numjobs, rate.iodepth) == ("randread", 50, 2, 64)


@pytest.mark.parametrize("row", ["Read | 9.34 MB/s (2300)", "Read" + " | 9.34 MB/s (2300)" * 3])
def test_a_row_of_yabs_with_more_or_fewer_cells_than_its_header_is_refused(row):
    text = f"{TITLE}Block Size | 4k (IOPS) | 64k (IOPS)\n{row}\n"
    assert measured(text) == [] and len(errors(text)) == 1


@pytest.mark.parametrize(
    ("cell", "megabyte"),
    [
        ("51.30 MB/s   (12.8k)", 1_024_000),
        ("52.50 MB/s   (12.8k)", 1_000_000),
        ("1.86 MB/s      (454)", 1_000_000),
        ("51.30 MB/s    (9.0k)", None),  # of neither, so not its own
        ("0.04 MB/s        (9)", None),  # of both
    ],
)
def test_the_megabyte_of_yabs_is_told_by_the_iops_beside_it(cell, megabyte):
    text = f"{TITLE}Block Size | 4k            (IOPS)\nRead       | {cell}\n"
    rows = {one.metric: one for one in measured(text)}
    assert "iops" in rows
    if megabyte is None:
        assert "bandwidth" not in rows and "IOPS that tell its unit" in notes(text)[0]
    else:
        assert rows["bandwidth"].value == pytest.approx(float(cell.split()[0]) * megabyte)


def test_one_cell_of_a_table_tells_the_megabyte_of_all():
    head = f"{TITLE}Block Size | 4k            (IOPS) | 64k           (IOPS)\n"
    text = f"{head}Read       | 0.04 MB/s        (9) | 524.28 MB/s   (7.9k)\n"
    assert [one.value for one in measured(text) if one.metric == "bandwidth"] == [4e4, 524.28e6]


def test_a_table_in_the_form_of_yabs_without_its_title_is_not_read_but_named():
    text = "Block Size | 4k (IOPS) | 64k (IOPS)\nRead | 9.34 MB/s (2300) | 30.1 MB/s (470)\n"
    rows, words = whole(text)
    assert not rows and any("which no parser claims" in word for word in words)


def test_a_table_of_yabs_may_have_the_line_that_its_title_is_written_over():
    begun = f"Preparing system for disk tests...\n{'-' * 33}\n"
    first = "Block Size | 4k (IOPS) | 64k (IOPS)\nRead | 9.34 MB/s (2300) | 30.1 MB/s (470)\n"
    second = first.replace("64k", "1m").replace("4k", "512k")
    assert {one.line for one in measured(begun + first + "           |\n" + second)} == {4, 7}
    assert not measured(f"{begun}Built-in Disk Speed Tests (Mixed R/W 50/50):\n{first}")


@pytest.mark.parametrize("bars", [("| ", " |"), ("", "")])
def test_a_table_that_was_filled_in_by_hand_leaves_open_which_megabyte_it_has(bars):
    rows = ("iozone 4K random read | 9.3 MB/s", "iozone 1M random write | 28 MB/s")
    text = "".join(f"{bars[0]}{row}{bars[1]}\n" for row in rows)
    for one, half in zip(measured(text), (0.05, 0.5), strict=True):
        printed = float(one.raw)
        assert one.value_low == pytest.approx((printed - half) * KIB * 1000)
        assert one.value_high == pytest.approx((printed + half) * MIB)
        assert "inferred-unit" in one.remarks and not notes(text)


@pytest.mark.parametrize(
    "row",
    [
        "| iozone 1M sequential read | 40.1 MB/s |\n",  # iozone's read or its reread
        "| fio 4K random read | 9.3 MB/s |\n",
        "| iozone 4K random read | 9.3 GB/s |\n",
        "| iozone 4K random read | 9.3 MB/s",  # of a script's table, cut
    ],
)
def test_a_row_that_was_filled_in_by_hand_and_may_be_another_test_gives_a_word(row):
    assert measured(row) == [] and len(notes(row)) == 1


@pytest.mark.parametrize("printed", ["1 MB/s", "53 MB/s", "1100 MB/s", "53.12 MB/s", "53.1 MB"])
def test_a_rate_of_bench_sh_that_dd_does_not_print_so_may_be_a_part_of_one(printed):
    line = f" I/O Speed(1st run) : {printed}\n"
    assert measured(line) == [] and "as dd prints it" in notes(line)[0]


def test_runs_of_bench_sh_and_nench_are_repeats_without_their_mean():
    for name in ("bench-sh", "nench"):
        log = next(log for log in VALID if log.name.startswith(name))
        rows = measured(log.read_bytes())
        assert len({one.run for one in rows}) == len(rows) and {one.repeat for one in rows} > {1, 2}
        assert sum("mean of the runs" in word for word in notes(log.read_bytes())) == 2


def test_superbench_says_the_size_of_its_file():
    line = " I/O Speed( {} )   : 333 MB/s\n"
    text = line.format("1.0GB") * 2 + " Average I/O Speed    : 333.0 MB/s\n"
    text += "\n" + line.format("128MB")
    found = [(one.file_size, one.repeat, one.run, one.script) for one in measured(text)]
    assert found == [
        (2**30, 1, "1-dd-1", "SuperBench"),
        (2**30, 2, "1-dd-2", "SuperBench"),
        (2**27, 1, "5-dd-1", "SuperBench"),
    ]
    assert len(notes(text)) == 1
    chinese = text.replace("Average I/O Speed", "平均 I/O 速度")
    assert len(notes(chinese)) == 1 and len(measured(chinese)) == 3


def test_nench_knows_of_a_rate_no_more_than_dd_printed():
    rows = measured("dd: sequential write speed\n    1st run:    1049.04 MiB/s\n")
    assert [(one.value_low < 1.06e9, one.value_high > 1.14e9) for one in rows] == [(True, True)]


SERVER = (
    "ioping: seek rate\n    min/avg/max/mdev = 81.3 us / 190.2 us / 9.1 ms / 120.4 us\n"
    "ioping: sequential read speed\n    generated 9.1 k requests, 1.82 k iops, 455 MiB/s\n"
    "dd: sequential write speed\n    1st run:    813.49 MiB/s\n\n"
    "IPv4 speedtests\n    your IPv4:    192.0.2.xxxx\n\n"
    "    Somewhere (NL):       312.40 MiB/s\n    Else (US):            9.70 MiB/s\n\n"
    "IPv6 speedtests\n    your IPv6:    2001:db8:xxxx\n\n    Else (US):            7.70 MiB/s\n"
)


def test_the_rates_of_a_network_get_one_word_and_each_of_ioping_its_own():
    rows, words = whole(SERVER)
    assert [one.raw for one in rows] == ["813.49"]
    network, *ioping = sorted(words)
    assert "found rates of a network, 3 in all, the last of them in line 17" in network
    assert len(ioping) == 2 and all("ioping" in word for word in ioping)
    table = "Node Name  IPv4 address  Download Speed\nSomewhere  192.0.2.7  11.0MB/s\n"
    for text in ("Elsewhere  192.0.2.8  12.0MB/s\n---\nmy card: 80 MB/s\n", "my read: 80 MB/s\n"):
        _, words = whole(table + text)
        assert sum("network" in word for word in words) == 1
        assert sum("'my " in word for word in words) == 1, "what is no network's has its own word"


def test_a_read_of_nench_is_no_write():
    text = "dd: sequential read speed\n    1st run:    1049.04 MiB/s\n"
    assert measured(text) == [] and whole(text)[1]


def test_sequential_is_what_the_script_takes_from_iozone():
    log = next(log for log in VALID if log.name.startswith("disk-benchmark-session"))
    alone = {one.op: one for one in measured(log.read_bytes()) if one.block_size == MIB}
    assert {*alone} == {"randread", "randwrite", "reread", "rewrite"}
    assert sum("takes iozone's reread" in one for one in notes(log.read_bytes())) == 1
    assert len({one.line for one in alone.values()}) == 4
    rows, _ = whole(log.read_bytes())
    assert all(one.script is None for one in rows), "iozone's own rows hold every figure"


DISKMARK = (
    "{title}\n[Read]\n SEQ    1MiB (Q=  8, T={threads:2}):    92.441 MB/s"
    " [     88.2 IOPS] < 90.40 us>\n{foot}"
)
KDE, CDM = "KDiskMark (2.2.1): https", "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo"


@pytest.mark.parametrize(
    ("title", "foot", "threads", "found"),
    [
        (KDE, "Profile: Default\n   Test: 1 GiB (x5) [Interval: 5 sec]\n", 1, ("mean", "measured")),
        (KDE, "Profile: Peak Performance\n   Test: 1 GiB (x5)\n", 1, ("max", "measured")),
        (KDE, "Profile: Demo\n   Test: 1 GiB (x1)\n", 1, ("single", "measured")),
        (KDE, "Profile: Demo\n   Test: 1 GiB (x2)\n", 1, None),
        (KDE, "Profile: Default\n   Test: 1 GiB (x5)\n", 16, None),
        (KDE, "", 1, None),
        (CDM, "Profile: Default\n   Test: 1 GiB (x5)\n", 16, ("max", "measured")),
        (CDM, "", 1, ("max", "partial")),
        ("disk-mark-me v1.1.8", "Test: 1 GiB (x5)\n", 1, None),
    ],
)
def test_of_a_mark_is_read_what_is_known_of_its_runs(title, foot, threads, found):
    text = DISKMARK.format(title=title, foot=foot, threads=threads)
    rows = measured(text)
    assert {(one.stat, one.status) for one in rows} == ({found} if found else set())
    assert notes(text)


def test_the_megabyte_of_each_mark_is_its_own():
    foot = "Profile: Default\n   Test: 1 GiB (x1)\n"
    values = [
        measured(DISKMARK.format(title=title, foot=foot, threads=1))[0].value
        for title in (KDE, CDM)
    ]
    assert values == pytest.approx([92.441 * 1_024_000, 92.441e6])


def test_crystaldiskmark_5_prints_no_queue_for_one_thread():
    text = (
        "CrystalDiskMark 5.1.0 x64 (C) 2007-2015 hiyohiyo\n"
        "    Sequential Read (Q= 32,T= 1)   :    81.204 MB/s\n"
        "    Sequential Write (T= 1)        :    17.431 MB/s\n"
        "    Random Read 4KiB (Q= 1,T= 1)   :     7.312 MB/s [  1785.2 IOPS]\n"
    )
    found = [(one.op, one.iodepth, one.value) for one in measured(text)]
    assert found == [
        ("read", 32, 81.204e6),
        ("write", None, 17.431e6),
        ("randread", 1, 7.312e6),
        ("randread", 1, 1785.2),
    ]


def test_a_summary_ends_where_another_program_begins():
    figure = " Sequential Read (Q= 32,T= 1) :    81.204 MB/s\n"
    text = f"{CDM}\n{figure}  Test : 1024 MiB (x5)\n\nAmorphousDiskMark 4.0.1 (C)\n"
    rows = measured(f"{text}{figure}  Test : 4 GiB (x3)\n")
    assert [(one.file_size, one.status) for one in rows] == [(2**30, "measured")]
    rows = measured(f"{CDM}\n{figure}AmorphousDiskMark 4.0.1 (C)\n  Test : 4 GiB (x3)\n")
    assert [(one.file_size, one.status) for one in rows] == [(None, "partial")]


QUOTED = (
    "Sequential Read : {0}20.557 MB/s\n"
    "Random Read 4KB (QD=1) : 24.216 MB/s [ 5912.1 IOPS]\n"
    "Random Read 4KB (QD=32) : 398.378 MB/s [ 97260.3 IOPS]\n"
)
FIGURES = "[Read]\n  SEQ    1MiB (Q=  8, T= 1):  5024.997 MB/s [   4792.2 IOPS] <  1667.96 us>\n"
NAME = "My CrystalDiskMark numbers:\n"


def test_figures_of_crystaldiskmark_that_are_quoted_without_its_title_are_read():
    rows = measured(f"{NAME}\n{QUOTED.format(5)}the other one:\n{QUOTED.format(8)}")
    assert [one.value for one in rows if one.op == "read"] == [520.557e6, 820.557e6]
    assert {(one.tool, one.status, one.stat) for one in rows} == {
        ("crystaldiskmark", "measured", "max")
    }
    text = f"{FIGURES}[Write]\n{FIGURES[7:]}"
    rows = measured(f"## CrystalDiskMark\n\n{text}\nB:\n{text}  Test: 2 GiB (x3) [C: 9%]\n")
    other = text.replace("SEQ    1", "Sequential 1")
    assert [one.value for one in measured(NAME + other)] == [one.value for one in rows[:4]]
    assert [(one.op, one.file_size) for one in rows if one.metric == "iops"] == [
        *[("read", None), ("write", None)],
        *[("read", 2 * 2**30), ("write", 2 * 2**30)],
    ]
    assert {(one.tool, one.direct) for one in rows} == {("diskspd", True)}


@pytest.mark.parametrize(
    "text",
    [
        f"My numbers:\n{QUOTED.format(5)}",
        f"My numbers:\n{FIGURES.replace('   Q', ' Q').replace('>', ' >')}",
        f"My numbers:\n{FIGURES}[Write]\n{FIGURES[7:].replace('5024.997', '5124.997')}",
        f"{NAME}Sequential Read : 520.557 MB/s\n",
        f"{NAME}{QUOTED.format(5).replace('24.216', '24.797')}",
        f"{NAME}{FIGURES.replace('SEQ    1', 'Sequential 1 ')}",
        f"A clone of CrystalDiskMark:\n{FIGURES}",
        f"CrystalDiskMark-style results of fio:\n{FIGURES}",
        NAME + "...\n" * 50 + "CDM MB/s\n" + FIGURES.replace("1MiB (Q=  8", "1MiB (Q=8"),
        f"KDiskMark:\n{FIGURES}",
        f"AmorphousDiskMark and others:\n{FIGURES}",
        f"AmorphousDiskMark 4.0.1 (C)\n{NAME}{FIGURES}",
    ],
    ids=[
        "no name",
        "no columns",
        "no MB of all",
        "no IOPS",
        "other MB",
        "KDiskMark",
        "clone",
        "style",
        "far",
        "named other",
        "named others",
        "other",
    ],
)
def test_figures_in_the_form_of_crystaldiskmark_may_be_those_of_another_program(text):
    assert not measured(text)


IN_COLUMNS = {
    "CrystalDiskMark": (
        "Sequential 1MiB (Q=  8, T= 1):   512.364 MB/s [    488.6 IOPS] < 16351.20 us>\n"
        "Random 4KiB (Q= 32, T=16):     0.000 MB/s [      0.0 IOPS] <     0.00 us>\n"
    ),
    "KDiskMark": (
        "Sequential   1 MiB (Q=  8, T= 1):   512.364 MB/s [    500.4 IOPS] < 16351.20 us>\n"
        "Random       4 KiB (Q=  1, T= 1):     0.303 MB/s [     75.8 IOPS] < 131182.73 us>\n"
    ),
}
FOOT = "Profile: Default\n   Test: 1 GiB (x5)\n"


def test_a_block_without_a_name_is_the_programs_whose_megabyte_all_its_iops_tell():
    for program, tool, stat, value in (
        ("CrystalDiskMark", "diskspd", "max", 512.364e6),
        ("KDiskMark", "fio", "mean", 512.364 * KIB * 1000),
    ):
        drive = f"[Read]\n{IN_COLUMNS[program]}{FOOT}"
        rows = [one for one in measured(f"A:\n{drive}and B:\n{drive}") if one.op == "read"]
        assert [one.script for one in rows] == [program] * 4
        assert [one.value for one in rows if one.metric == "bandwidth"] == pytest.approx(
            [value] * 2
        )
        assert {(one.tool, one.stat, one.file_size, one.direct) for one in rows} == {
            (tool, stat, 2**30, True if tool == "diskspd" else None)
        }
        assert {one.remarks for one in rows} == {("from-script", "inferred-tool", "inferred-unit")}
        assert len({one.run for one in rows}) == 2
    assert not measured(f"[Read]\n{IN_COLUMNS['KDiskMark']}"), "a mean or the best?"
    slow = "SEQ    1MiB (Q=  1, T= 1):     0.400 MB/s [      0.4 IOPS] <  2.50 us>\n"
    assert not measured(f"[Read]\n{slow}"), "both programs may have printed it"


def test_a_file_whose_megabytes_are_not_told_gets_one_word():
    foot = "Test : 50 MB [D: 0.0% (0.2/1660.8 GB)] (x9)\n"
    words = notes(QUOTED.format(5) + foot)
    assert sum("its size is not read" in word for word in words) == 1


def test_a_verdict_that_contradicts_the_line_of_its_job_gets_a_word():
    fields = "Run 1\nseq-write;0;0;30117;7\nrand-4k-read;6511;1627;0;0\n"
    text = fields + (
        "Sequential write speed 30117 KB/sec (target 10000) - PASS\n"
        "Random read speed {} IOPS (target 1500) - FAIL\n"
    )
    assert not notes(text.format(1627))
    (word,) = notes(text.format(0))
    assert "0 IOPS" in word and "1627" in word
    assert measured(text.format(0)) == measured(fields)


def test_the_own_line_of_crystaldiskmark_3_tells_its_figures():
    foot = "Test : 50 MB [D: 0.0% (0.2/1660.8 GB)] (x9)\n"
    rows = measured(QUOTED.format(5) + foot + QUOTED.format(8) + foot)
    assert [one.value for one in rows if one.op == "read"] == [520.557e6, 820.557e6]


@pytest.mark.parametrize("log", VALID, ids=lambda log: log.stem)
def test_a_summary_in_a_quotation_is_the_same_summary(log):
    text = parse_text(log)
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    plain, other = measured(text), measured(quoted)
    assert [one.column + 2 for one in plain] == [one.column for one in other]
    assert [one.value for one in plain] == [one.value for one in other]


def parse_text(log):
    content = log.read_bytes()
    return content.decode("utf-16" if content.startswith(b"\xff\xfe") else "utf-8").replace(
        "\r", ""
    )


@given(st.data())
def test_a_damaged_summary_raises_nothing_and_every_row_stands_in_its_line(data):
    text = parse_text(data.draw(st.sampled_from(VALID)))
    place = data.draw(st.integers(0, len(text)))
    damage = data.draw(st.sampled_from(["9" * 400, "²", "٣", "|", "e99", "\n", "(", " " * 99, ""]))
    lines = (text[:place] + damage + text[place + data.draw(st.integers(0, 9)) :]).split("\n")
    for row in measured("\n".join(lines)):
        assert lines[row.line - 1][row.column - 1 :].startswith(row.raw)
        assert 0 < row.value_low <= row.value <= row.value_high


def test_the_table_of_many_logs_has_the_script_in_its_column():
    frame = sdanalysis.parse([TABLE, CORPUS / "hdparm" / "valid" / "t--9.65.log"])
    assert frame["script"].value_counts(dropna=False).tolist() == [11, 1]
    assert frame.loc[frame["script"].notna(), "tool"].nunique() == 4


def test_a_card_owner_who_pastes_a_summary_learns_where_the_card_stands(capsys):
    assert main(["mine", str(TABLE), "--host", "pi-4b"]) == 0
    told = capsys.readouterr().out
    assert "- Random write, 4 KiB, iozone: 2.87 MB/s, faster than 15 of 24 known cards" in told
    assert "file size" in told and "from-script" not in told
    assert len(gather([str(TABLE)]).rows) == 11


def test_a_script_is_shown_where_only_one_side_has_one_and_is_never_unsaid():
    rows = sdanalysis.parse([TABLE])
    own = rows.assign(script=None)
    differing = sdanalysis.stats.differing_conditions(own, rows)
    assert set(differing["condition"]) == {"script"}
    assert "script" not in sdanalysis.stats.not_stated(own, own)


def test_a_line_below_the_row_that_repeats_it_begins_another_run():
    row = padded("FIO", "4k random read", "2742 IOPS (10969 KB/s)")
    line = "4k RandWrite: 964 IOPS (3859 KB/s) - 4k RandRead: 2742 IOPS (10969 KB/s)\n"
    rows, words = whole(row + line)
    assert [(one.line, one.op, one.raw, one.run) for one in rows] == [
        *((1, "randread", raw, "1-fio") for raw in ("2742", "10969")),
        *((2, "randwrite", raw, "2-fio") for raw in ("964", "3859")),
        *((2, "randread", raw, "2-fio") for raw in ("2742", "10969")),
    ]
    assert words == []


def test_a_table_of_blocks_of_no_size_is_none():
    text = next(log for log in VALID if log.name.startswith("yabs")).read_text()
    rows, _ = whole(text.replace("| 4k ", "| 0k ", 1))
    assert 0 not in {row.block_size for row in rows}


def test_the_latency_of_dbench_is_us_only_where_its_iops_say_so():
    title, label = "= Dbench Summary =\n", "Average Latency (usec) Read/Write:"
    first = "Random Read/Write IOPS: 643/6654. BW: 71.7MiB/s / 403MiB/s\n"
    rows, words = whole(f"{title}{first}{label} 20.49/610.20\n")
    assert [(one.op, one.value) for one in rows if one.metric == "latency"] == [
        ("randwrite", 610.2e-6)
    ]
    assert any("20.49" in word for word in words)
    rows, words = whole(f"{title}{label} 20.49/610.20\n")
    assert not rows and len(words) == 2
    rows, _ = whole(f"{title}{first}{label.replace('usec', 'ms')} 20.5/0.61\n")
    assert [(one.raw, one.value) for one in rows if one.metric == "latency"] == [
        ("20.5", 20.5e-3),  # who wrote ms converted them
        ("0.61", 0.61e-3),
    ]
    rows, words = whole(f"{title}{label.replace('usec', 'min')} 20.5/0.61\n")
    assert not rows and len(words) == 1


def test_dbench_without_its_title_or_its_sequential_line_has_no_block_size_that_is_not_known():
    line = "Random Read/Write IOPS: 75.0k/59.7k. BW: 523MiB/s / 500MiB/s\n"
    rows, words = whole(f"= Dbench Summary =\n{line}")
    assert [one.block_size for one in rows] == [4 * KIB, 4 * KIB]
    assert sum("of 4 or 128 KiB" in word for word in words) == 2
    assert (rows[0].value_low, rows[0].value_high) == (74_950, 76_000)  # may have lost a carry
    rows, _ = whole(line)
    assert {(one.block_size, one.iodepth, one.numjobs) for one in rows} == {(None, None, None)}


def test_a_mix_without_a_title_is_told_by_its_figures():
    rows, _ = whole("Mixed Random Read/Write IOPS: 64.8k/21.6k\n")
    assert [(one.op, one.read_mix, one.block_size) for one in rows] == [
        ("randread", 75, None),
        ("randwrite", 75, None),
    ]
    rows, words = whole("Mixed Random Read/Write IOPS: 64.8k/64.6k\n")
    assert not rows and sum("mix of reads and writes" in word for word in words) == 2


def test_a_summary_of_dbench_repeats_the_reports_above_it():
    report = "read_iops: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, "
    report += "(T) 4096B-4096B, ioengine=libaio, iodepth=64\n"
    report += "read_iops: (groupid=0, jobs=1): err= 0: pid=9: Sun Nov 22 19:10:10 2026\n"
    report += "   read: IOPS=75.7k, BW=296MiB/s (310MB/s)(4440MiB/15001msec)\n"
    summary = "= Dbench Summary =\nRandom Read/Write IOPS: 75.7k/. BW: /\n"
    rows, words = whole(report + summary)
    assert [one.script for one in rows] == [None, None]
    assert any("not counted twice" in word for word in words)


def test_what_kubestr_does_not_say_of_another_fio_file_stays_missing():
    log = next(log for log in VALID if log.name.startswith("kubestr"))
    rows, _ = whole(log.read_bytes())
    assert {(one.block_size, one.iodepth, one.numjobs) for one in rows[4:]} == {(None, None, None)}
    rows, _ = whole("  read:\n  IOPS=284.128082 BW(KiB/s)=1151\n")
    assert [(one.op, one.block_size) for one in rows] == [("read", None)] * 2


@pytest.mark.parametrize("pattern", ["", "  blocksize=4K filesize=1G iodepth=16 rw=\n"])
@pytest.mark.parametrize("head", ["  read:", "**read**:"])
def test_a_job_of_kubestr_without_its_pattern_says_so(pattern, head):
    log = f"JobName:\n{pattern}{head}\n  IOPS=284.128082 BW(KiB/s)=1151\n"
    rows, _ = whole(log)
    assert [(one.op, "unknown-pattern" in one.remarks) for one in rows] == [("read", True)] * 2


def test_every_module_of_a_script_is_known_by_words_of_its_own():
    modules = {
        info.name
        for info in iter_modules(scripts.__path__)
        if hasattr(import_module(f"{scripts.__name__}.{info.name}"), "find")
    }
    assert modules == set(SCRIPTS)
    assert all(SCRIPTS.values())


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("硬盘I/O ({})", ("第一次测试", "第二次测试", "第三次测试", "平均测试")),
        ("I/O 速度({})   ", ("1st run", "2nd run", "3rd run", "average")),
        ("I/O Speed({})", ("1st run", "2nd run", "3rd run", "average")),
    ],
    ids=["chinese", "half chinese", "english"],
)
def test_a_translated_bench_sh_is_the_same_bench_sh(label, words):
    text = "".join(f" {label.format(word)} : 3{n}9 MB/s\n" for n, word in enumerate(words))
    rows = measured(text)
    assert [(one.repeat, one.value) for one in rows] == [(1, 309e6), (2, 319e6), (3, 329e6)]
    assert {(one.script, one.file_size, one.run[:4]) for one in rows} == {
        ("bench.sh", 2**30, "1-dd")
    }
    assert "mean" in notes(text)[0]
    # some that print it so bypass the page cache
    assert {one.direct for one in rows} == {None if "第" in words[0] else False}


def test_of_a_fork_of_bench_sh_neither_the_size_nor_the_page_cache_is_known():
    text = "I/O (1st run)\t: 1.7 GB/s\nI/O (2nd run)\t: 189 MB/s\nAverage I/O\t: 945 MB/s\n"
    rows = measured(text)
    assert [(one.value, one.repeat) for one in rows] == [(1.7e9, 1), (189e6, 2)]
    assert {(one.op, one.file_size, one.direct) for one in rows} == {("write", None, None)}
    assert "mean" in notes(text)[0]


@pytest.mark.parametrize(
    ("title", "sizes"),
    [
        (TITLE, ("4kb", "1mb")),
        (" Disk Performance Test (fio Mixed R/W 50/50): \n", ("4k", "1m")),
        ("-----磁盘fio读写测试--感谢yabs开源-----\n", ("4k", "1m")),
        ("### Yabs Fio\n", ("4k", "1m")),
        ("fio 磁盘读写测试:\n", ("4k", "1m")),
        ("fio 磁盘速度测试（混合读写 50/50）（分区 /dev/vda1）：\n", ("4k", "1m")),
    ],
    ids=["2020", "of another script", "thanks to yabs", "heading", "chinese title", "chinese"],
)
def test_the_test_of_yabs_has_other_words_in_its_first_year_and_in_other_scripts(title, sizes):
    head = f" Block Size | {sizes[0]}           (IOPS) | {sizes[1]}          (IOPS)\n"
    table = f"{head} Read       | 69.37 MB/s   (17.3k) | 141.90 MB/s    (138)\n"
    chinese = table.replace("Block Size", "块大小").replace("Read", "读取")
    rows = measured(title + table)
    assert [one.value for one in measured(title + chinese)] == [one.value for one in rows]
    assert not measured(f"My own table:\n{table}")
    assert [(one.metric, one.block_size, one.iodepth, one.read_mix) for one in rows] == [
        *[("bandwidth", 4 * KIB, 64, 50), ("iops", 4 * KIB, 64, 50)],
        *[("bandwidth", MIB, 64, 50), ("iops", MIB, 64, 50)],
    ]


LINES = (
    "Random Read/Write IOPS: 84.1k/75.9k. BW: 507MiB/s / 492MiB/s\n",
    "Average Latency (usec) Read/Write: 151.94/83.04\n",
    "Sequential Read/Write: 515MiB/s / 493MiB/s\n",
    "Mixed Random Read/Write IOPS: 64.8k/21.6k\n",
)


def test_all_lines_of_dbench_are_as_good_as_its_title():
    sizes = [(one.line, one.metric, one.block_size) for one in measured("".join(LINES))]
    assert sorted(set(sizes)) == [
        *[(1, "bandwidth", 128 * KIB), (1, "iops", 4 * KIB), (2, "latency", 4 * KIB)],
        *[(3, "bandwidth", MIB), (4, "iops", 4 * KIB)],
    ]
    settable = f"==================\n==== Summary =====\n==================\n{''.join(LINES)}"
    assert {one.block_size for one in measured(settable)} == {None}
    assert {one.block_size for one in measured("".join(LINES[:3]))} == {None}


def test_lines_of_dbench_that_fio_printed_too_are_spoken_for():
    run = (
        "read_iops: (g=0): rw={0}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, "
        "ioengine=libaio, iodepth=64\n"
        "fio-3.33\nread_iops: (groupid=0, jobs=1): err= 0: pid=7: Sat Jul 30 21:48:28 2022\n"
        "  {1}: IOPS={2}, BW=253MiB/s (265MB/s)(247MiB/1001msec)\n\n"
    )
    shown = run.format("randread", "read", "64.8k") + run.format("randwrite", "write", "21.6k")
    rows, words = whole(f"{shown}{LINES[3]}")
    assert {one.script for one in rows} == {None}, rows
    assert [text for text in words if "dbench" in text]
    assert not [text for text in words if "no parser claims" in text]


def test_each_line_of_a_summary_that_dbench_does_not_print_has_a_word():
    line = "Sequential Read/Write IOPS: 24633 / 27266. BW(KiB/s) 98508 / 109226\n"
    rows, words = whole(f"= FIO bench Summary =\n{line.replace('Seq', 'Random Seq')}{line}")
    assert not rows
    assert [text for text in words if "24633" in text and "dbench" in text]


def test_a_line_of_dbench_may_have_a_name_before_it():
    plain, named = measured(LINES[0]), measured(f"Bare metal (ext4): {LINES[0]}")
    assert [one.value for one in named] == [one.value for one in plain]
    assert not measured(f"a sentence, no name of it: {LINES[0]}".replace(":", ","))


def test_a_translated_table_of_dd_is_that_of_yabs():
    log = next(log for log in VALID if log.name.startswith("yabs-dd")).read_text()
    words = {
        "dd Sequential Disk Speed Tests:": "dd 顺序磁盘速度测试：",
        "Write": "写入",
        "Read": "读取",
    }
    chinese = log
    for word, other in words.items():
        chinese = chinese.replace(word, other)
    assert chinese != log
    found = [(one.op, one.block_size, one.value) for one in measured(chinese.encode())]
    assert found == [(one.op, one.block_size, one.value) for one in measured(log.encode())]
    of_folder = log.replace("Tests:", "Tests (in /mnt/card):")
    assert len(measured(of_folder.encode())) == len(found)


def test_the_first_block_sizes_of_yabs_may_be_lost_where_the_iops_tell_them():
    title = "-----磁盘fio读写测试--感谢yabs开源-----\n  ------   | ---   ----  | ----   ---- \n"
    row = "Read       | 15.26 MB/s    (3.8k) | 165.38 MB/s   (2.5k)\n"
    foot = "Block Size | 512k          (IOPS) | 1m            (IOPS)\n"
    rows = measured(title + row + foot)
    assert [one.block_size for one in rows] == [4 * KIB] * 2 + [64 * KIB] * 2
    exact = "Write      | 3.98 MB/s      (996) | 63.73 MB/s     (995)\n"
    assert len(measured(title + row + exact + foot)) == 8
    assert not measured(title + row.replace("2.5k", "9.5k") + foot)
    assert not measured(title.replace("fio", "") + row + foot)


OBJECT = (
    '{{"bs":"{0}","speed_r":{1},"iops_r":{2},"speed_w":{1},"iops_w":{2},"speed_rw":9,'
    '"iops_rw":9,"speed_units":"KBps"}}'
)


def test_the_json_of_yabs_is_read_where_no_table_shows_the_same():
    text = '{{"version":"v2024-06-09","fio":[{},{}]}}\n'
    log = text.format(OBJECT.format("4k", 418200, 104550), OBJECT.format("1m", 2130000, 2080))
    rows = measured(log)
    assert [(one.op, one.block_size, one.metric, one.value) for one in rows[:4]] == [
        *[("randread", 4 * KIB, "bandwidth", 418200 * KIB), ("randread", 4 * KIB, "iops", 104550)],
        *[
            ("randwrite", 4 * KIB, "bandwidth", 418200 * KIB),
            ("randwrite", 4 * KIB, "iops", 104550),
        ],
    ]
    assert len(rows) == 8
    assert len(measured(log.replace(",", ",\n"))) == 8, "as other programs print it"
    since = text.format(OBJECT.format("4k", 428236, 104550), "{}")
    assert [one.value for one in measured(since)][:1] == [428236e3]
    unknown = text.format(OBJECT.format("4k", 999999, 104550), "{}")
    assert {one.metric for one in measured(unknown)} == {"iops"} and notes(unknown)
    table = next(log for log in VALID if log.name.startswith("yabs--")).read_text()
    assert measured(table + log) == measured(table)


def test_a_cut_json_of_yabs_has_no_cut_figure():
    log = '{"fio":[' + OBJECT.format("4k", 418200, 104550)
    for end in range(len(log)):
        assert {one.raw for one in measured(log[:end])} <= {"418200", "104550"}


AROUND = {
    "padded": lambda text: "".join(f"{line:<90}\n" for line in text.splitlines()),
    "framed": lambda text: "".join(f"│{line:<90}│\n" for line in text.splitlines()),
    "numbered": lambda text: "".join(f"{n:4} {line}\n" for n, line in enumerate(text.splitlines())),
    "numbered:": lambda text: "".join(
        f"{n}: {line}\n" for n, line in enumerate(text.splitlines(), 98)
    ),
    "double": lambda text: text.replace("\n", "\n\n"),
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("log", VALID, ids=lambda log: log.stem)
def test_what_others_put_around_a_summary_is_no_part_of_it(log, around):
    text = parse_text(log)
    plain, other = measured(text), measured(around(text))
    shown = [(one.op, one.metric, one.value, one.block_size, one.repeat) for one in plain]
    assert [(one.op, one.metric, one.value, one.block_size, one.repeat) for one in other] == shown
    lines = around(text).splitlines()
    for one in other:
        assert lines[one.line - 1][one.column - 1 :].startswith(one.raw), "its column is its own"


def test_numbers_that_do_not_follow_each_other_are_of_the_text():
    lines = [" I/O Speed(1st run) : 425 MB/s", " I/O Speed(2nd run) : 430 MB/s"]
    assert len(measured("".join(f"{7} {line}\n" for line in lines * 3))) == 0
    assert len(measured("".join(f"{n} {line}\n" for n, line in enumerate(lines * 3)))) == 6


FLAT = [log for log in VALID if "-session-" not in log.name]  # those hold the output of tools


@pytest.mark.parametrize("between", [" ", "    ", "\\n", "\\r\\n"])
@pytest.mark.parametrize("log", FLAT, ids=lambda log: log.name)
def test_a_summary_of_which_a_page_or_a_string_made_one_line_gives_its_rows(log, between):
    def told(text):
        return sorted(
            (one.op, one.value, str(one.block_size), str(one.file_size), one.status, one.repeat)
            for one in measured(text)
        )

    text = parse_text(log)
    flat = between.join(text.split("\n")) + "\n"
    assert told(flat) == told(text) != []
    assert len({one.run for one in measured(flat)}) == len({one.run for one in measured(text)})


def test_figures_of_kbench_are_told_by_the_heading_above_them():
    row = "        Random:            9,380 / 5,288\n"
    head = "FIO Benchmark Summary\nFor: card\nSize: 30G\nIOPS (Read/Write)\n"
    assert [one.value for one in measured(head + row)] == [9380, 5288]
    assert [one.value for one in measured(f"{head}Latency P99 in ns (Read/Write)\n{row}")] == []
    assert not measured(head.removeprefix("FIO Benchmark Summary\n") + row)
    rows, words = measured(head + row.replace("5,288", "")), notes(head + row.replace("5,288", ""))
    assert [one.op for one in rows] == ["randread"] and "no figure for writes" in words[0]
    cut = (head + row)[:-3]
    assert not measured(cut) and "may be cut" in notes(cut)[0]


def test_a_test_of_lemonbench_is_a_write_and_a_read_of_dd():
    line = " 10MB-4K Block\t\t{} (712 IOPS, 3.60 s)\t\t8.4 MB/s (2043 IOPS, 1.25 s)\n"
    rows = measured(line.format("2.9 MB/s"))
    assert [(one.tool, one.op, one.file_size, one.direct) for one in rows] == [
        ("dd", "write", 10 * MIB, True),
        ("dd", "read", 10 * MIB, True),
    ]
    assert len(notes(line.format("2.9 MB/s") * 6)) == 1  # a word on its IOPS
    chinese = line.replace(" Block", "块").replace("3.60 s", "3.60 秒").format("2.9 MB/s")
    assert [one.value for one in measured(chinese)] == [one.value for one in rows]
    assert [one.op for one in measured(line.format("2,9 MB/s"))] == ["read"]
    assert "expected a rate of dd" in notes(line.format("2,9 MB/s"))[1]
    cut = line.format("2.9 MB/s")[:-20]
    assert not measured(cut) and "without its figures" in notes(cut)[0]


def test_what_two_scripts_say_in_the_one_line_that_a_page_made_of_them_is_read():
    names = ("lemonbench", "yabs--", "bench-sh")
    texts = [parse_text(log) for log in VALID if log.name.startswith(names)]
    flat = " ".join("\n".join(texts).split("\n")) + "\n"
    rows, _ = whole(flat)
    assert sorted(one.value for one in rows) == sorted(
        one.value for text in texts for one in measured(text)
    )
