"""iozone's parser: real logs of many versions, and rows printed by the widths of each layout."""

import json
import re

import pytest
from corpus_logs import assert_rows_beside, beside, logs_of
from hypothesis import given, settings
from hypothesis import strategies as st
from iozone_printer import C2, errors, header, layout_named, log, read, row

from sdanalysis.codebook.measurement import Measurement
from sdanalysis.logs.read import parse_log
from sdanalysis.parsers import decode, iozone, split_lines
from sdanalysis.parsers.iozone.commands import read_command
from sdanalysis.parsers.iozone.layouts import printing_tests

LOGS = [*logs_of("iozone", "valid"), *logs_of("iozone", "invalid")]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_log_gives_exactly_its_table(path):
    values, problems = read(decode(path.read_bytes()))
    if beside(path, ".csv").exists() or path.parent.name == "valid":
        assert_rows_beside(path, values)
    else:
        assert values == []
    if path.parent.name == "valid":
        assert not errors(problems)
    else:
        found = [f"{one.line}: {one.text}" for one in problems if one.kind == "error"]
        assert found == beside(path, ".error").read_text().splitlines()


@pytest.mark.parametrize("name", ["B", "C1", "C2"])
def test_extended_tests_follow_the_thirteen(name):
    layout = layout_named(name)
    tests = (0, 9, 10)
    text = log(layout, tests, [row(layout, tests, [11, 12, 13, 14, 15, 16])], flags="-E")
    words = "  pwrite repwrite   pread   repread"
    values, problems = read(text.replace("freread\n", "freread" + words + "\n"))
    assert not errors(problems)
    assert [(value.op, value.raw) for value in values] == [
        *[("write", "11"), ("rewrite", "12"), ("pwrite", "13"), ("repwrite", "14")],
        *[("pread", "15"), ("repread", "16")],
    ]


def test_values_that_touch_are_cut_by_width():
    layout = layout_named("B")
    line = row(layout, (0,), [3251778, 10039528])
    assert "325177810039528" in line
    values, problems = read(log(layout, (0,), [line]))
    assert [value.raw for value in values] == ["3251778", "10039528"]
    assert not errors(problems)


def test_a_value_wider_than_its_field_is_refused():
    layout = layout_named("B")
    line = row(layout, (0, 1), [3251778, 100395281, 5, 6])
    values, problems = read(log(layout, (0, 1), [line]))
    assert (values, errors(problems)) == ([], [6])


@pytest.mark.parametrize(
    "wrong", ["nan", "inf", "-5", "43629.5", "43,629", "0", "4_000", "12x", "٣"]
)
def test_what_is_no_number_above_zero_is_refused_with_its_line(wrong):
    line = row(C2, (0,), [11111, 22222]).replace("22222", wrong.rjust(5))
    values, problems = read(log(C2, (0,), [line, row(C2, (0,), [3, 4])]))
    assert errors(problems) == [6]
    assert [value.raw for value in values if value.line == 7] == ["3", "4"]
    assert {value.raw for value in values if value.line == 6} <= {"11111"}


def test_zeros_of_tests_done_again_are_not_measured_where_only_the_table_was_kept():
    layout = layout_named("D")
    text = log(layout, (0, 1), [row(layout, (0, 1), [11111, 0, 33333, 0])])
    values, problems = read("".join(text.splitlines(keepends=True)[3:]))
    assert [(value.op, value.raw) for value in values] == [("write", "11111"), ("read", "33333")]
    assert [problem.kind for problem in problems if "0 under" in problem.text] == ["note"]


def test_an_absurd_rate_is_refused():
    layout = layout_named("D")
    values, problems = read(log(layout, (0,), [row(layout, (0,), [9_999_999_999, 4])]))
    assert [value.raw for value in values] == ["4"]
    assert errors(problems) == [6]


def test_a_row_that_contradicts_the_command_line_is_refused():
    line = row(C2, (0, 2), [1111, 2222, 3333, 4444])
    text = log(C2, (0, 2), [line]).replace("-i 2", "-i 1")
    assert read(text)[0] == []
    assert errors(read(text)[1]) == [6]


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ("Error writing block 123, fd= 3\nwrite: No space left on device", "error"),
        ("\niozone: interrupted\n\nexiting iozone", "interrupted"),
        ("pi@raspberrypi:~ $ ls", "partial"),
    ],
)
def test_a_row_that_ends_early_keeps_its_whole_results_apart(after, status):
    line = row(C2, (0, 1, 2), [111, 222, 333, 444, 555, 666])[:60]
    values, problems = read(log(C2, (0, 1, 2), [line + "\n" + after]))
    assert [(value.op, value.raw, value.status) for value in values] == [
        *[("write", "111", status), ("rewrite", "222", status)],
        *[("read", "333", status), ("reread", "444", status)],
    ]
    assert 6 in errors(problems)


@pytest.mark.parametrize(("ends", "kept"), [(60, 4), (None, 6)])
def test_microseconds_of_zero_are_under_one_in_a_row_that_ends_early_too(ends, kept):
    line = row(C2, (0, 1, 2), [0, 222, 333, 0, 555, 666])[:ends]
    text = log(C2, (0, 1, 2), [line + "\npi@raspberrypi:~ $ ls"])
    values, _ = read(text.replace("kBytes/sec", "microseconds per operation"))
    assert len(values) == kept
    zeros = [value for value in values if value.raw == "0"]
    assert [(value.op, value.status) for value in zeros] == [
        ("write", "below_resolution"),
        ("reread", "below_resolution"),
    ]
    assert {(value.value, value.value_low, value.value_high) for value in zeros} == {(0, 0, 1e-6)}


def test_a_header_that_is_not_iozones_is_refused():
    text = "kB reclen write rewrite random\n 102400 4 1 2 3\n"
    assert read(text)[0] == []
    assert errors(read(text)[1]) == [1]


def test_a_table_alone_is_read_and_its_unit_marked_as_inferred():
    line = row(C2, range(8), range(101, 114))
    values, problems = read(f"{header(C2)}\n{line}\n\nthanks\n")
    assert [value.remarks for value in values] == [("inferred-unit",)] * 13
    assert (values[0].numjobs, values[0].direct, values[0].tool_version) == (None, None, None)
    assert [problem.kind for problem in problems] == ["note"]


REPORT = "\n".join(
    [
        "Excel output is below:",
        "",
        '"Writer report"',
        '        "4"  "8"',
        '"64"   228493  260160 ',  # a blank behind every number
        '"128"   250897  0 ',
        "",
        '"Random read report"',
        '        "4"  "8"',
        '"64"   752329  874936 ',
    ]
)
THROUGHPUT_REPORT = "\n".join(
    [
        '"Throughput report Y-axis is type of test X-axis is number of processes"',
        '"Record size = 4 kBytes "',
        '"Output is in kBytes/sec"',
        "",
        '"  Initial write "   77159.00   80000.50 ',
        "",
        '"    Random read "    1234.00    2345.10 ',
    ]
)
COMMAND = "\tCommand line used: iozone -R -l 2 -u 3 -r 4k\n"


def test_a_throughput_report_alone_is_read():
    values, problems = read(COMMAND + THROUGHPUT_REPORT)
    assert [(v.line, v.op, v.raw, v.numjobs, v.block_size) for v in values] == [
        (6, "write", "77159.00", 2, 4096),
        (6, "write", "80000.50", 3, 4096),
        (8, "randread", "1234.00", 2, 4096),
        (8, "randread", "2345.10", 3, 4096),
    ]
    assert not errors(problems)


@pytest.mark.parametrize(
    ("flags", "numjobs"),
    [("-t 2 -t 8", [2, 8]), ("-u 2", [1, 2]), ("-t 2", []), ("", [])],
)
def test_totals_of_several_numbers_of_processes_are_told_apart_or_refused(flags, numjobs):
    values, problems = read(f"\tCommand line used: iozone -R {flags}\n" + THROUGHPUT_REPORT)
    assert [value.numjobs for value in values if value.op == "write"] == numjobs
    assert errors(problems) == ([] if numjobs else [6, 8])


def test_a_line_that_cannot_be_read_is_shown_by_its_first_80_characters():
    wrong = '"  Initial write " ' + "  77159.00" * 10
    text = THROUGHPUT_REPORT.replace("Initial write", "Another write").replace("   8000", "  8000")
    lines = [
        line.replace('"  Another write "', wrong.replace("Initial", "Another"))
        for line in text.split("\n")
    ]
    values, problems = read(COMMAND + "\n".join(lines))
    assert [value.op for value in values] == ["randread"] * 2
    shown = wrong.replace("Initial", "Another")[:80]
    assert f"found {shown!r}, expected a test's name and its numbers" in problems[0].text


def test_a_report_of_one_number_of_processes_is_read_without_its_command():
    values, _ = read(THROUGHPUT_REPORT.replace("   80000.50", "").replace("    2345.10", ""))
    assert [(value.raw, value.numjobs) for value in values] == [
        ("77159.00", None),
        ("1234.00", None),
    ]


@pytest.mark.parametrize("log", [log for log in LOGS if log.stem.startswith("throughput")])
def test_processes_of_one_run_are_one_total_and_its_summaries_never_repeats(log):
    values, _ = read(decode(log.read_bytes()))
    assert {value.run for value in values} == {values[0].run}
    assert {value.repeat for value in values} == {1}
    kinds = [(value.op, value.metric, value.stat) for value in values]
    assert len(kinds) == len(set(kinds))
    assert all(value.numjobs and value.numjobs > 1 for value in values)


def test_a_report_alone_is_read_and_its_zeros_are_not_measured():
    values, problems = read(REPORT)
    assert [(v.line, v.op, v.raw, v.file_size, v.block_size) for v in values] == [
        (5, "write", "228493", 65536, 4096),
        (5, "write", "260160", 65536, 8192),
        (6, "write", "250897", 131072, 4096),
        (10, "randread", "752329", 65536, 4096),
        (10, "randread", "874936", 65536, 8192),
    ]
    assert not errors(problems)


BLOCK = "\n".join(
    [
        "\tCommand line used: iozone -t 2 -s 4M -r 64k",
        "\tChildren see throughput for  2 readers \t\t=  900.00 kB/sec",
        "\tParent sees throughput for  2 readers \t\t=  800.00 kB/sec",
        "\tMin throughput per process \t\t\t=  400.00 kB/sec ",
        "\tMax throughput per process \t\t\t=  500.00 kB/sec",
        "\tAvg throughput per process \t\t\t=  450.00 kB/sec",
        "\tMin xfer \t\t\t\t\t=    3136.00 kB",
        "",
    ]
)


@pytest.mark.parametrize(
    ("text", "printed", "wrong", "line"),
    [
        (BLOCK, "800.00 kB/sec", "800.00", 3),
        (BLOCK, "2 readers \t\t=  800", "2 writers \t\t=  800", 3),
        (BLOCK, "500.00", "0.00", 5),
        (BLOCK, "500.00", "5e15", 5),
        (REPORT, "260160", "2601.6", 5),
        (REPORT, "260160", "260160  7", 5),
        (REPORT, "260160", "9999999999", 5),
        (COMMAND + THROUGHPUT_REPORT, "Random read", "Rancid read", 8),
        (COMMAND + THROUGHPUT_REPORT, "1234.00", "1234.0", 8),
    ],
)
def test_a_line_outside_the_table_that_cannot_be_meant_is_refused(text, printed, wrong, line):
    assert not errors(read(text)[1])
    assert errors(read(text.replace(printed, wrong, 1))[1]) == [line]


def test_a_report_below_its_table_is_not_counted_twice():
    text = log(C2, (0,), [row(C2, (0,), [5, 6])]) + REPORT
    values, problems = read(text)
    assert [value.raw for value in values] == ["5", "6"]
    assert any("repeats" in problem.text for problem in problems)


def test_each_run_of_a_file_has_its_own_name():
    text = log(C2, (0,), [row(C2, (0,), [5, 6])])
    values, _ = read(text * 3)
    assert [value.run for value in values] == [
        name for name in ("1-iozone", "9-iozone", "17-iozone") for _ in range(2)
    ]


def test_a_run_without_results_says_so():
    text = log(C2, (0,), []).replace("reclen", "")
    assert errors(read(text)[1]) == [1]


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("iozone -a", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("./iozone -eI -a -s 100M -i0 -i 2 -f /mnt/x -i", (0, 2)),
        ("iozone -Raz -i 2 -i 0 -F a b", (0, 2)),
        ("iozone -A -s 4M", (0, 1)),
        ("iozone -+n -+b 1,2 -+p 30 -i 1 -i 8 -i 9", (1,)),
        ("iozone -E -i 0 -i 9 | tee -i 1", (0, 9)),
    ],
)
def test_the_printing_tests_a_command_line(command, tests):
    assert printing_tests(read_command(command), 13) == tests


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("iozone -+n -i 0", {"+n": [""], "i": ["0"]}),
        ("iozone -+m clients -i 0", {"+m": ["clients"], "i": ["0"]}),
        ("iozone -+mclients -t 4", {"+m": ["clients"], "t": ["4"]}),
        ("iozone -eI -r4k 16 -s 1g; rm -i x", {"e": [""], "I": [""], "r": ["4k"], "s": ["1g"]}),
        ("iozone -t", {"t": [""]}),
    ],
)
def test_a_command_line_is_taken_apart_as_getopt_does(command, given):
    assert read_command(command).given == given


HALF_BLOCK = """\tChildren see throughput for  2 {0} \t=  907733.81 kB/sec
\tParent sees throughput for  2 {0} \t=  900000.00 kB/sec
"""


def test_a_block_of_a_test_that_iozone_has_not_is_refused():
    values, problems = read(HALF_BLOCK.format("initial writers"))
    assert {value.op for value in values} == {"write"}
    values, problems = read(HALF_BLOCK.format("foobars"))
    assert values == [] and errors(problems) == [1]
    assert "expected a test's name and its kB/sec" in problems[0].text


@pytest.mark.parametrize(
    ("between", "status"), [(0, "interrupted"), (2, "interrupted"), (3, "measured")]
)
def test_a_block_was_interrupted_where_one_of_the_three_lines_below_it_says_so(between, status):
    text = HALF_BLOCK.format("initial writers") + "\n" * between + "iozone: interrupted\n"
    assert {value.status for value in read(text)[0]} == {status}


@pytest.mark.parametrize(
    ("given", "record", "size"),
    [
        ("-r1k -s1g", 1024, 1 << 30),
        ("-r 256 -s 2048m", 256 * 1024, 1 << 31),
        ("-r 4k -r 8k", None, 512 * 1024),
        ("-s 1g", 4096, 1 << 30),
    ],
)
@pytest.mark.parametrize("before", ["$ ", "   ", ">> /usr/bin/"])
def test_a_pasted_command_gives_the_sizes_that_no_banner_says(before, given, record, size):
    text = f"{before}iozone -e -t1 -i0 {given}\n" + "".join(
        f"\t{who} throughput for  1 initial writers \t=  907733.81 kB/sec\n"
        for who in ("Children see", "Parent sees")
    )
    values, _ = read(text)
    assert {(one.block_size, one.file_size) for one in values} == {(record, size)}


ANY_TEXT = st.text(
    st.sampled_from('kB reclen write0123456789\n\t-Iozone:"report=') | st.characters()
)


@settings(max_examples=200)
@given(ANY_TEXT)
def test_any_text_is_read_without_an_exception(text):
    read(text)
    read("kB  reclen    write  rewrite\n" + text)
    read("\tChildren see throughput for  2 initial writers \t=" + text)
    read('"Writer report"\n        "4"\n' + text)


def test_rows_in_their_lean_form_are_the_same_measurements():
    lines = split_lines(log(C2, range(8), [row(C2, range(8), range(101, 114))] * 5))
    (rows,) = (item for item in iozone.scan(lines) if isinstance(item, iozone.PlainRows))
    assert len(rows.lines) == 5
    assert list(iozone.expand(rows)) == [
        item for item in iozone.parse(lines) if isinstance(item, Measurement)
    ]
    assert all(
        line.text[end - len(raw) : end] == raw
        for line in rows.lines
        for end, raw in zip(rows.ends, line.text.split()[2:], strict=True)
    )


class Counted(list):
    """Lines that count how often one of them is looked at: a class because a list cannot."""

    looks = 0

    def __getitem__(self, index):
        self.looks += 1
        return super().__getitem__(index)

    def __iter__(self):
        for item in super().__iter__():
            self.looks += 1
            yield item


@pytest.mark.parametrize("spoilt", [" ", "0", "x"])
def test_a_row_that_is_refused_costs_the_same_however_long_the_table_is(spoilt):
    line = row(C2, range(8), range(101, 114))
    for count in (100, 1000):
        text = log(C2, range(8), [f"{line[:30]}{spoilt}{line[31:]}"] * count)
        lines = Counted(split_lines(text))
        assert len(list(iozone.parse(lines))) >= count
        assert lines.looks < 10 * len(lines)


NUMBERS = [51, 62, 73, 84, 95, 106]
PLAIN = row(C2, (0, 1, 2), NUMBERS)
BARE = " ".join(PLAIN.split())


def table_of(*lines):
    """(raw results by line, problems) of a table of tests 0 to 2 whose first row is line 6."""
    values, problems = read(log(C2, (0, 1, 2), lines))
    found = {}
    for value in values:
        found.setdefault(value.line, []).append(int(value.raw))
    return found, problems


@pytest.mark.parametrize(
    "line",
    [
        f"SanDisk {BARE}",
        f"SanDisk{PLAIN[7:]}",
        f"Kingston 32 GB: {PLAIN}",
        f"64GB-card\t{BARE}",
        f"| Größe XL | {BARE}",
        f"6.1.12 {BARE}",  # a version can be neither size nor result
    ],
)
def test_a_row_with_a_label_is_a_run_of_its_own_and_the_rows_beside_it_are_read(line):
    found, problems = table_of(line, PLAIN, line)
    assert found == dict.fromkeys((6, 7, 8), NUMBERS)
    assert not errors(problems)
    assert "found rows behind 1 label" in problems[0].text
    values, _ = read(log(C2, (0, 1, 2), [PLAIN, line, PLAIN, line]))
    runs = [{value.run for value in values if value.line == number} for number in range(6, 10)]
    assert runs == [{"1-iozone"}, {"7-iozone"}, {"1-iozone"}, {"7-iozone"}]


@pytest.mark.parametrize(
    "line",
    [
        f"Card 2 {BARE}",  # the 2 may be a file size
        f"6.1 {BARE}",
        f"SanDisk {BARE} 117",
        f"SanDisk {BARE.rpartition(' ')[0]}",
        "SanDisk 4 102400 1 2 3 4 5 6",  # no record is larger than its file
        f"SanDisk {row(C2, (0, 1), NUMBERS[:4])}",
        f"SanDisk {row(C2, (0, 2, 3, 4), NUMBERS)}",  # as many results, of other tests
        f"SanDisk {BARE.replace('73', '9' * 5000)}",
    ],
)
def test_a_label_that_may_hold_a_result_is_refused_and_the_rows_below_it_are_read(line):
    found, problems = table_of(line, PLAIN)
    assert found == {7: NUMBERS}
    assert errors(problems) == [6]


@pytest.mark.parametrize(
    ("size", "record", "read_it"),
    [
        ("102400", "16384", True),  # kB: the largest that iozone writes
        ("102400", "16385", False),
        ("102400", "0", False),
        ("4", "4", True),
        ("4", "8", False),
    ],
)
def test_a_labelled_row_has_sizes_that_iozone_takes(size, record, read_it):
    found, problems = table_of(f"SanDisk {size} {record} {BARE.split(None, 2)[2]}", PLAIN)
    assert found == {**({6: NUMBERS} if read_it else {}), 7: NUMBERS}
    assert errors(problems) == ([] if read_it else [6])


def test_figures_of_another_tool_below_a_table_are_no_labelled_row():
    memory = "Mem:        948304      126664      643980       24856      177660      759592"
    found, problems = table_of(PLAIN, "", memory, "Swap: 102396 0 102396")
    assert found == {6: NUMBERS}
    assert problems == []


@pytest.mark.parametrize(
    "words", [["as it came"], ["", "after a format", "with 4k records", ""], ["a", "b", "c", "d"]]
)
def test_rows_behind_a_few_words_are_read(words):
    found, problems = table_of(*words, PLAIN, *words, f"SanDisk {BARE}", PLAIN)
    at = 6 + len(words)
    assert found == dict.fromkeys((at, at + 1 + len(words), at + 2 + len(words)), NUMBERS)
    assert not errors(problems)


def test_iozones_own_advice_between_two_rows_is_said_and_no_end():
    advice = [
        *("", "The test completed too quickly to give a good result"),
        *("You will get a more precise measure of this machine's",),
        *("performance by re-running iozone using the command:", ""),
        "\tiozone 51200 \t(i.e., file size = 51200 kilobytes64)",
    ]
    found, problems = table_of(PLAIN, *advice, PLAIN)
    assert list(found) == [6, 13]
    assert ["completed too quickly" in problem.text for problem in problems] == [True]


@pytest.mark.parametrize(
    "words",
    [
        ["a", "b", "c", "d", "e"],
        ["iozone test complete."],
        ["iozone: interrupted"],
        ["pi@raspberrypi:~ $ iozone -a"],
    ],
)
def test_numbers_far_below_a_table_or_below_its_end_are_not_of_it(words):
    found, _ = table_of(PLAIN, *words, PLAIN)
    assert found == {6: NUMBERS}


def test_a_row_behind_words_that_stands_below_the_sizes_is_read_or_refused():
    found, problems = table_of(PLAIN, "then", PLAIN.replace("73", "7x"), PLAIN)
    assert (list(found), errors(problems)) == ([6, 9], [8])
    found, problems = table_of(PLAIN, "", "2 of 3:", "12 7 3", "102400 4 1 2", PLAIN)
    assert (list(found), errors(problems)) == ([6, 11], [])


def test_a_header_without_a_row_is_said():
    for text in (header(C2), f"{header(C2)}\n", f"{header(C2)}\n\nsee below\n"):
        values, problems = read(text)
        assert (values, errors(problems)) == ([], [1])
        assert "no row below it" in problems[0].text


def test_a_last_row_is_whole_where_its_line_end_is_there():
    text = f"{header(C2)[:125]}\n{row(C2, range(6), range(101, 110)).rstrip()}"
    assert errors(read(text)[1]) == [2]
    assert [int(value.raw) for value in read(f"{text}\n")[0]] == list(range(101, 110))
    text = log(C2, (0, 1, 2), [BARE]).partition("\n\niozone test complete.")[0]
    assert errors(read(text)[1]) == [6]
    assert [int(value.raw) for value in read(f"{text}\n")[0]] == NUMBERS


def test_the_last_line_of_a_report_is_whole_where_its_line_end_is_there():
    text = '"Writer report"\n        "4"\n"64"   228493'
    assert errors(read(text)[1]) == [3]
    assert [value.raw for value in read(f"{text}\n")[0]] == ["228493"]


@pytest.mark.parametrize("parts", [(42,), (60,), (42, 60), (33, 42, 51, 60, 69)])
def test_a_row_that_messages_broke_up_is_put_together(parts):
    message = "\nAllocate buffer2 0x560965468700 Size 8192 \n" * 3
    pieces = [PLAIN[start:end] for start, end in zip((0, *parts), (*parts, None), strict=True)]
    text = log(C2, (0, 1, 2), [message.join(pieces)], flags="-H 4")
    values, problems = read(text)
    assert not errors(problems)
    assert [int(value.raw) for value in values] == NUMBERS
    assert {value.iodepth for value in values} == {4}
    lines = text.split("\n")
    for value in values:
        assert lines[value.line - 1][value.column - 1 :].startswith(value.raw)
    broken = text.replace(PLAIN[parts[-1] :], PLAIN[parts[-1] : -20])
    assert {value.status for value in read(broken[: broken.index("iozone test")])[0]} <= {
        *("measured", "partial"),
    }


def test_the_least_process_is_no_figure_where_it_is_faster_than_the_mean():
    values, problems = read(BLOCK.replace("400.00", "500.00"))
    (least,) = (value for value in values if value.stat == "min")
    assert (least.raw, least.value, least.status) == ("500.00", None, "not_measured")
    assert any("a process did nothing" in problem.text for problem in problems)
    assert {value.status for value in read(BLOCK)[0]} == {"measured"}


SENTENCE = "A card in a Pi, tested with iozone -e{} -a -s 100M -r 4k -i 0 -i 1 -i 2:\n\n"


@pytest.mark.parametrize(
    ("above", "direct"),
    [
        (SENTENCE.format(" -I"), True),
        (SENTENCE.format(" -I").replace(":", ""), True),
        (SENTENCE.format(""), None),
        (SENTENCE.format(" -I").replace(":", " and so on:"), True),
        (SENTENCE.format(" -I").replace(":", " on an A2 card:"), True),
        (SENTENCE.format(" -I").replace(":", " on an A2 card"), True),
        (SENTENCE.format(" -I").replace(":", " and then iozone -e -I -s 2G -r 1M (slow)"), True),
        (SENTENCE.format(" -I").replace(":", " and then iozone -e -s 2G -r 1M (slow)"), None),
        (SENTENCE.format(" -I").replace(":", " but not on this card."), None),
        (SENTENCE.format(" -I").replace(":", " on it.") + "A word between them\n\n", None),
        (SENTENCE.format(" -I").replace(":", " on it.").replace("100M", "2G"), None),
        (SENTENCE.format(" -I").replace(":", " on it.").replace(" -s 100M", ""), None),
        (SENTENCE.format(" -I").replace(":", " on it.") + "Auto Mode\n", None),
        (SENTENCE.format("").replace(":", " on an A2 card without -I:"), None),
        (SENTENCE.format(" -I") + "\n" * 60, None),
        (SENTENCE.format(" -I") + "$ iozone -e -a -s 100M\n", False),
        ("4. command : ./iozone -I -a -s 100M\n", True),
        ("Command: iozone -I -a -s 100M\n", True),
        ("the command iozone -I -a writes there\n", None),
        ("使用iozone -I -a -s 100M测试：\n", True),
        ("1、iozone -I -a -s 100M，结果如下：\n", True),
        ("Команда «iozone -a –I -s 100M»:\n", True),
    ],
)
def test_a_command_in_a_sentence_near_a_table_tells_of_direct_access(above, direct):
    values, _ = read(above + header(C2) + "\n" + row(C2, range(8), range(100, 113)) + "\n\n$\n")
    assert len(values) == 13
    assert {value.direct for value in values} == {direct}


@pytest.mark.parametrize(("between", "direct"), [("\n", True), ("\nThe other card:\n", None)])
def test_a_sentence_speaks_for_the_tables_that_stand_together_below_it(between, direct):
    table = header(C2) + "\n" + row(C2, range(8), range(100, 113)) + "\n"
    other = header(C2) + "\n" + row(C2, range(8), range(200, 213)) + "\n"
    values, _ = read(SENTENCE.format(" -I") + table + between + other + "\n$\n")
    assert [values[place].direct for place in (0, 13)] == [True, direct]
    assert len({value.run for value in values}) == 2


@pytest.mark.parametrize(
    ("command", "between", "direct"),
    [
        ("iozone -I -a -s 100M -r 4k", "```\n\n### Other card, 8 GB ###\n\n```\n", True),
        ("iozone -I -a -s 100M -r 4k", "\n**Other card**\n", True),
        ("iozone -e -a -s 100M -r 4k", "\n== Other card ==\n", False),
        ("Tested with iozone -I -a -s 100M -r 4k:", "\n## Other card\n", True),
        ("iozone -I -a", "\n## Other card\n", None),  # any table could be of it
        ("iozone -I -a -s 100M -r 4k", "\n## Other card, not direct\n", None),
        ("iozone -I -a -s 100M -r 4k", "\n## Other card, from cache\n", None),
        ("iozone -I -a -s 100M -r 4k", "\n## Other card\nThis one is older.\n", None),
        ("iozone -I -a -s 100M -r 4k", "\n# mount -o sync /dev/sdb1 /mnt\n", None),
        ("iozone -I -a -s 100M -r 4k", "\n", None),  # the same device again may be of another one
    ],
)
def test_a_command_speaks_for_the_tables_below_it_with_a_heading_alone_between(
    command, between, direct
):
    table = header(C2) + "\n" + row(C2, range(8), range(100, 113)) + "\n"
    other = header(C2) + "\n" + row(C2, range(8), range(200, 213)) + "\n"
    values, _ = read(f"{command}\n\n{table}{between}{other}\n$\n")
    assert values[0].direct == ("-I" in command)
    assert [value.direct for value in values[13:]] == [direct] * 13
    assert len({value.run for value in values}) == 2


ALONE = header(C2) + "\n" + row(C2, (0, 1), [101, 102, 103, 104], 1048576, 64) + "\n\n$\n"
TWO_LINES = HALF_BLOCK.format("initial writers") + "$\n"
OF_A_TABLE = "iozone -a -I -s 1g -r 64k -i 0 -i 1"
OF_A_BLOCK = "iozone -I -t 2 -s 1g -r 64k -i 0"


@pytest.mark.parametrize(
    "above",
    [
        *("$ time {}", "# cd /mnt && {}", "cd /mnt/disk; {}", "# taskset -c 4 ./{}", "+ {}"),
        *("$ sudo -u joe nice -n -20 {}", "> LANG=C sudo -E {}", "$ ionice -c1 {} | tee log"),
        *("$ docker run --rm -v /mnt:/mnt alpine {}", "# kubectl exec -it pod -- {}"),
        *("\u279c  ~ {}", "\u276f {}", "\u279c  disk git:(main) {}", "{}:", "**{}**", "### `{}`"),
        *(
            "Cmd: {}",
            "Befehl: `{}`",
            "\u547d\u4ee4\uff1a{}",
            "1. {}",
            "- `{}`",
            "Running {}",
            "=== {} ===",
        ),
        *('"{}"', "Here with `{}`:", "`{}` gives me", "$ iozone -a -s 2g -r 4k\n^C\n$ {}"),
    ],
)
def test_a_command_speaks_for_its_results_whatever_runs_or_announces_it(above):
    for command, results, numjobs in ((OF_A_TABLE, ALONE, 1), (OF_A_BLOCK, TWO_LINES, 2)):
        values, problems = read(above.format(command) + "\n\n" + results)
        assert values and not errors(problems)
        assert {(one.direct, one.numjobs, one.block_size, one.file_size) for one in values} == {
            (True, numjobs, 65536, 1 << 30)
        }


@pytest.mark.parametrize(
    "above",
    ["Example: {}", "Usage: `{}`", "Not: {}", "Unlike before: {}"],
)
def test_a_command_that_is_only_told_speaks_for_no_results(above):
    values, _ = read(above.format(OF_A_TABLE.replace(" -I", "")) + "\n\n" + ALONE)
    assert {(one.direct, one.numjobs) for one in values} == {(None, None)}


@pytest.mark.parametrize(
    ("typed", "direct"),
    [
        ("iozone -a -s 1g -r 64k \\\n    -i 0 -i 1 -I", True),
        ("iozone -a -s 1g \\\n> -r 64k \\\n> -i 0 -i 1 -I", True),
        ("iozone -a -s 1g -r\n64k -i 0 -i 1 -I", True),
        ("iozone -a -s 1g -r 64k\n-i 0 -i 1 -I", True),
        ("iozone -a -s 1g -r 64k -i 0 -i 1\n-rw-r--r-- 1 joe joe 0 -I", False),
        ("iozone -I -a -s 1g -r 64k -i 0 -i 1; iozone -I -a -s 1g -r 4k -i 0 -i 1", True),
        ("iozone -I -a -s 1g -r 64k -i 0 -i 1; iozone -a -s 1g -r 64k -i 0 -i 1", None),
    ],
)
def test_a_command_goes_on_below_and_two_in_a_line_speak_for_what_they_agree_about(typed, direct):
    values, _ = read(f"$ {typed}\n\n{ALONE}")
    assert {value.direct for value in values} == {direct} and len(values) == 4


@pytest.mark.parametrize("below", ["^C\n$\n", "\nKilled\n", "\n[1]+  Terminated   iozone -a\n"])
def test_a_signal_ended_a_row(below):
    start = ALONE.split("\n")[0] + "\n" + row(C2, (0,), [101, 102], 1048576, 64).rstrip()
    values, problems = read(f"$ {OF_A_TABLE}\n{start}{below}")
    assert [(value.raw, value.status) for value in values] == [
        ("101", "interrupted"),
        ("102", "interrupted"),
    ]
    assert errors(problems) == [3]


def test_rows_that_lost_their_first_blanks_are_read_whatever_the_width_of_their_sizes():
    rows = [row(C2, (0,), [101, 102], *sizes) for sizes in ((64, 4), (128, 16), (1024, 1024))]
    text = "".join(f"{line.lstrip()}\n" for line in log(C2, (0,), rows).splitlines())
    values, problems = read(text)
    assert [value.file_size for value in values] == [65536] * 2 + [131072] * 2 + [1 << 20] * 2
    assert not errors(problems)


@pytest.mark.parametrize("indent", [None, 1])
def test_what_a_string_of_json_or_a_list_of_them_holds_is_read_at_its_place(indent):
    for whole in (log(C2, (0, 2), [row(C2, (0, 2), [11111, 22222, 33333, 44444])]), BLOCK):
        text = json.dumps({"stdout": whole.splitlines() if indent else whole}, indent=indent)
        values, problems = read(text)
        assert [(value.op, value.raw) for value in values] == [
            (value.op, value.raw) for value in read(whole)[0]
        ]
        assert not errors(problems)
        for value in values:
            line = text.splitlines()[value.line - 1]
            assert line[value.column - 1 :].startswith(value.raw)


def test_a_string_that_may_be_cut_in_a_number_does_not_give_it():
    text = log(C2, (0,), [row(C2, (0,), [11111, 22222])]).replace("22222", "222\0")
    cut = json.dumps({"stdout": text.split("\0")[0], "rc": 0}, indent=1)
    values, problems = read(cut)
    assert not {value.raw for value in values} - {"11111"} and errors(problems)


def test_what_a_kernel_says_meanwhile_ends_no_row():
    whole = row(C2, range(8), range(10001, 10014))
    cut = whole.index("10006") + 5
    said = whole[:cut] + "[ 79.822186 0:143 fs::ops:269] [Invalid]\n[ 79.895145] mmc0: new card\n"
    text = log(C2, range(8), [said + whole[cut:]])
    values, problems = read(text)
    assert [value.raw for value in values] == [str(number) for number in range(10001, 10014)]
    assert {value.status for value in values} == {"measured"} and not errors(problems)
    for value in values:
        line = text.splitlines()[value.line - 1]
        assert line[value.column - 1 :].startswith(value.raw)


def test_what_a_kernel_says_meanwhile_ends_no_block():
    said = BLOCK.replace("\tMin", "[ 1000.450912] mmc0: new SDHC card\n\tMin")
    assert [one.raw for one in read(said)[0]] == [one.raw for one in read(BLOCK)[0]]
    assert {one.status for one in read(said)[0]} == {"measured"}


def test_a_table_that_somebody_quotes_again_counts_once():
    rows = [row(C2, range(8), range(place, place + 13)) for place in (100, 200, 300)]
    first = log(C2, range(8), rows[:2])
    quoted = "".join(f"> {line}\n" for line in first.splitlines())
    values, problems = read(f"{first}\nJo wrote:\n{quoted}")
    assert len(values) == 26
    line = next(one for one in problems if "repeats the one at line" in one.text)
    assert (line.kind, line.line > len(first.splitlines())) == ("note", True)
    cut = "\n".join(quoted.splitlines()[:-3]) + "\n> and so on\n"  # the first row alone
    assert len(read(f"{first}\nJo wrote:\n{cut}")[0]) == 26
    for other in (rows[:1] + rows[2:], rows[2:], rows):
        values, _ = read(f"{first}\n{log(C2, range(8), other)}")
        assert len(values) == 26 + 13 * len(other)
    few = log(C2, (0,), [row(C2, (0,), [100, 200])])  # two runs may have two equal figures
    assert len(read(f"{few}\n{few}")[0]) == 4


def test_the_unit_right_above_a_table_is_its_own_below_another_table():
    table = header(C2) + "\n" + row(C2, range(8), range(100, 113)) + "\n"
    other = header(C2) + "\n" + row(C2, range(8), range(200, 213)) + "\n"
    values, problems = read(f"{table}\nAFTER:\n\tOutput is in Kbytes/sec\n{other}\n$\n")
    assert [(value.raw_unit, value.remarks) for value in (values[0], values[13])] == [
        ("kB/s", ("inferred-unit",)),
        ("Kbytes/sec", ()),
    ]
    assert [one.line for one in problems if "no line says the unit" in one.text] == [1]


TITLED = "\tIozone: Performance Test of File I/O\n\n\tFile size set to 102400 kB\n"


@pytest.mark.parametrize(
    ("between", "direct"),
    [
        ("", True),
        ("```\n```\n", True),
        ("\n" * 9, None),
        ("\tIozone: Performance Test of File I/O\n", None),
    ],
)
def test_a_command_at_the_prompt_over_a_banner_stands_for_the_one_it_does_not_repeat(
    between, direct
):
    table = header(C2) + "\n" + row(C2, range(8), range(100, 113)) + "\n"
    prompt = f"$ iozone -I -s 100M -r 4k\n{between}"
    values, _ = read(f"{prompt}{TITLED}{table}\niozone test complete.\n")
    assert {(value.direct, value.numjobs) for value in values} == {(direct, direct and 1)}
    told = f"{prompt}{TITLED}\tCommand line used: iozone -s 100M -r 4k\n{table}\n"
    values, _ = read(f"{told}iozone test complete.\n")
    assert {(value.direct, value.numjobs) for value in values} == {(False, 1)}


@pytest.mark.parametrize(
    ("left_out", "below", "status"),
    [
        ("throughput per|Min xfer", "$ ls\n", "measured"),
        ("Parent|throughput per|Min xfer", "$ ls\n", "measured"),
        ("Min xfer", "$ ls\n", "measured"),
        ("Max throughput", "$ ls\n", "partial"),
        ("Min xfer", "$ ls", "partial"),  # it may be the beginning of a line
        ("Min xfer", "\n", "partial"),
        ("Min xfer", "iozone: interrupted\n", "interrupted"),
    ],
)
def test_some_lines_of_a_block_are_a_quotation_where_other_text_follows(left_out, below, status):
    kept = [line for line in BLOCK.splitlines() if not re.search(left_out, line)]
    values, problems = read("\n".join(kept) + "\n\n" + below)
    assert {value.status for value in values} == {status}
    assert any("taken as quoted" in one.text for one in problems) == (status == "measured")


@pytest.mark.parametrize("mark", ["", "# ", "    #", "> "])
def test_a_report_without_a_figure_is_said(mark):
    title = f'{mark}"Throughput report Y-axis is type of test X-axis is number of processes"\n'
    values, problems = read(f"{title}{mark}\nnothing below\n")
    assert values == []
    assert "no figure below it" in problems[0].text
    values, problems = read(
        f'{title}{mark}"Record size = 4 Kbytes "\n{mark}"  Initial write " 9.50\n'
    )
    assert [(value.raw, value.block_size) for value in values] == [("9.50", 4096)]


@pytest.mark.parametrize(
    ("lines", "runs"),
    [
        (["", ""], ["1-iozone", "2-iozone"]),
        (["a.log:", "a.log:", "b.log:"], ["1-iozone", "2-iozone", "3-iozone"]),
    ],
)
def test_the_same_test_again_is_another_run(lines, runs):
    line = "{} \tChildren see throughput for  4 readers \t\t=   {}.27 kB/sec\n"
    text = "".join(line.format(host, place + 100) for place, host in enumerate(lines))
    values, problems = read(text)
    assert [value.run for value in values] == runs
    assert [value.status for value in values[1:]] == ["measured"] * (len(runs) - 1)
    assert all(problem.kind == "note" for problem in problems)


ONE_TEST = """        Children see throughput for  5 {}         =    7629.02 ops/sec
        Parent sees throughput for  5 {}          =    7628.81 ops/sec
        Min throughput per process                      =    1525.02 ops/sec
        Max throughput per process                      =    1529.02 ops/sec
        Avg throughput per process                      =    1525.80 ops/sec
        Min xfer                                        =  262144.00 ops

"""
TOTALS = """"Throughput report Y-axis is type of test X-axis is number of processes"
"Record size = 4 kBytes "
"Output is in ops/sec"

"  Initial write "    2632.07

"           Read "    7629.02

"        Re-read "    2603.66

"""


@pytest.mark.parametrize(
    ("flags", "record", "size", "direct"),
    [
        ("-I -s 31M -r 4k -t 32", None, None, None),
        ("-I -s 31M -r 4k -l 6 -u 9", None, None, None),
        ("-I -s 31M -r 4k -t 5", 4096, 31 * 2**20, True),
        ("-I -s 31M -r 4k -l 1 -u 9", 4096, 31 * 2**20, True),
        ("-I -s 1M -r 4k -t 5", 4096, None, True),
        ("-I -s 31M -r 4k -t $N", 4096, 31 * 2**20, True),
    ],
)
def test_a_command_that_a_block_contradicts_says_nothing_of_it(flags, record, size, direct):
    block = ONE_TEST.format("readers", "readers").replace("262144.00 ops", "  2048.00 kB")
    values, _ = read(f"$ iozone {flags} -i 1\n\n{block.replace('ops/sec', 'kB/sec')}")
    assert {(one.block_size, one.file_size, one.direct) for one in values} == {
        (record, size, direct),
    }


@pytest.mark.parametrize(
    ("above", "direct"),
    [
        ("$ iozone -I -a -s 31M -r 4k -i 0 -i 1\n", None),
        ("$ iozone -I -a -r 16k\n", None),
        ("tested with iozone -e -I -a -s 31M:\n", None),
        ("$ iozone -I -a -s 100M -r 4k -r 16k\n", True),
        ("$ iozone -I -a -n 64k -g 1G\n", True),
    ],
)
def test_a_command_whose_sizes_a_table_has_not_says_nothing_of_it(above, direct):
    values, problems = read(f"{above}{header(C2)}\n{row(C2, range(8), range(100, 113))}\n\n$\n")
    assert {(value.direct, value.file_size) for value in values} == {(direct, 102400 * 1024)}
    assert ("does not give" in " ".join(problem.text for problem in problems)) is (direct is None)
    assert len(values) == 13


@pytest.mark.parametrize("above", ["", "re-readers", "readers re-readers", "initial writers"])
@pytest.mark.parametrize("flat", [False, True])
def test_a_throughput_report_gives_the_tests_whose_blocks_somebody_left_out(above, flat):
    names = {"initial writers": "write", "readers": "read", "re-readers": "reread"}
    blocks = [name for name in names if name in above.split() or name == above]
    text = "".join(ONE_TEST.format(name, name) for name in blocks) + TOTALS
    values, problems = read(" ".join(text.split()) + "\n" if flat else text)
    assert not [problem for problem in problems if problem.kind == "error"]
    totals = [value.op for value in values if value.raw_unit == "ops/sec" and value.block_size]
    assert totals == [op for name, op in names.items() if name not in blocks]
    numjobs = {value.numjobs for value in values if value.block_size}
    assert numjobs == ({5} if blocks and totals else {None} if totals else set())


def test_some_lines_of_the_only_block_may_be_cut():
    values, problems = read("\tChildren see throughput for  4 readers \t\t=   99.27 kB/sec\n")
    assert [value.status for value in values] == ["partial"]
    assert "ends early" in problems[0].text


def test_a_run_that_verifies_says_that_its_figures_are_invalid():
    text = log(C2, (0,), [row(C2, (0,), [5, 6])], flags="-V 7")
    said = "\tPerformance measurements are invalid in this mode.\n\tCommand line"
    _, problems = read(text.replace("\tCommand line", said))
    assert [problem.kind for problem in problems] == ["note"]
    assert "invalid in this mode" in problems[0].text


@pytest.mark.parametrize("digits", [18, 19, 309, 5000])
@pytest.mark.parametrize(
    "text",
    [
        f"\tCommand line used: iozone -i N -s Nm -r Nk -t N -H N\n{header(C2)}\n{PLAIN}\n",
        f"\tFile size set to N kB\n\tRecord Size N kB\n{header(C2)}\n{PLAIN}\n",
        f"\tPercent read in mix test is N\n{header(C2)}\nN N N N N N N N\n",
        f"{header(C2)}\nSanDisk N N N N N N N N\n102400 4 N 2 3 4 5 6\n",
        BLOCK.replace("2 readers", "N readers").replace("900.00", "N.00"),
        BLOCK.replace("2 readers", "0 readers"),
        BLOCK.replace("400.00", "N.00").replace("450.00", "1.N").replace("3136", "N"),
        "\tEach process writes a N kByte file in N kByte records\n" + BLOCK,
        '"Writer report"\n        "N" "4"\n"N"   N  N \n',
        COMMAND.replace("3", "N") + THROUGHPUT_REPORT.replace("77159.00", "N.00"),
    ],
)
def test_numbers_of_any_length_raise_nothing(text, digits):
    values, _ = read(text.replace("N", "9" * digits))
    assert all(value.value is None or value.value <= 1e13 for value in values)


PAGE = "$ iozone -a -s 4m -r 4k -r 16k -i 0 -i 1<br> kB reclen write rewrite read reread<br>"


@pytest.mark.parametrize(
    ("page", "values", "word"),
    [
        (
            PAGE + " 4096 4 354 476 357 185 (noatime)<br> 4096 16 364 486 457 285<br>real 1.2s\n",
            ["354", "476", "357", "185"],
            "found '4096 16 364 486 457 285' behind the rows of a table",
        ),
        (
            PAGE.replace(" -i 0 -i 1", "") + " 4096 4 354 476 4096 16 364 486 real\n",
            [],
            "8 numbers",
        ),
        (  # of a command whose options a page lost
            PAGE.replace("-i 0 -i 1", "|") + " 4096 4 354 476 357 185 4096 16 364 486 457 285 1 2"
            " 4096 4 real 1\n",
            [],
            "found 16 numbers behind the names of a table's columns",
        ),
        (
            PAGE.replace("-i 0 -i 1", "\\<br>> -I -i 0") + " 4096 4 354 476 4096 16 364 486 $\n",
            ["354", "476", "364", "486"],
            "",
        ),
    ],
)
def test_rows_of_a_page_s_one_line_are_not_taken_for_longer_ones(page, values, word):
    found = parse_log("page.html", page.encode())
    assert [row.raw for row in found.measurements] == values
    assert word in " ".join(problem.text for problem in found.problems)
    assert all(row.direct is ("-I" in page) for row in found.measurements)


def test_a_remark_behind_a_line_of_a_block_is_no_part_of_it():
    text = (
        "\tChildren see throughput for  2 readers \t= 300.50 kB/sec{}\n\tMin xfer \t= 4.00 kB{}\n"
    )
    (row,), _ = read("$ iozone -t 2\n" + text.format(" <-- slow!", "   $"))
    assert (row.raw, row.op) == ("300.50", "read")
