"""dd's reports: whoever printed them, in any language, whole, cut and damaged."""

import json
from functools import partial

import corpus_logs
import pytest
from corpus_logs import (
    CORPUS,
    assert_rows_beside,
    beside,
    first_error,
    logs_of,
)
from hypothesis import given
from hypothesis import strategies as st

import sdanalysis
from sdanalysis.cli import main
from sdanalysis.logs import read as logs

VALID, INVALID = logs_of("dd", "valid"), logs_of("dd", "invalid")
measured, errors, notes = (
    partial(one, "dd") for one in (corpus_logs.measured, corpus_logs.errors, corpus_logs.notes)
)
COUNTS = "5+0 records in\n5+0 records out\n"


@pytest.mark.parametrize("log", VALID, ids=lambda log: log.stem)
def test_a_good_log_gives_exactly_the_measurements_beside_it(log):
    assert_rows_beside(log, measured(log.read_bytes()))
    assert errors(log.read_bytes()) == []


@pytest.mark.parametrize("log", INVALID, ids=lambda log: log.stem)
def test_a_bad_log_is_refused_with_the_error_beside_it(log):
    error = first_error("dd", log.read_bytes())
    assert f"{error}\n" == beside(log, ".error").read_text(encoding="utf-8")


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
        "0 bytes copied, 3.1494e-05 s, 0.0 kB/s",
        "512 bytes copied, 0.0 s, 512 kB/s",
        "512 bytes copied, 0 s, 512 kB/s",
        "512 bytes copied, nan s, 512 kB/s",
        "512 bytes copied, -1 s, 512 kB/s",
        "512 bytes copied, 1e-30 s, 5120 TB/s",
        "512 bytes copied, 0.5 s, 1.0 KB/s",
        "41943040 Bytes (42 MB, 40 MiB) kopiert, 0,0452347 s, 927 M",
        "41943040 bytes (42 MB) gescand, 2 appels, 927 MB/appel",
        "0 bytes transferred in 0.000013 secs (0 bytes/sec)",
        "1024 bytes transferred in 0.000088 secs (11639478 byt",
    ],
)
def test_what_is_no_rate_is_refused_with_its_line(line):
    assert measured(COUNTS + line) == []
    assert [item.line for item in errors(COUNTS + line)] == [3]


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
    "progress",
    [
        "10698620928 bytes (11 GB, 10 GiB) copied, 31 s, 345 MB/s",
        "10698620928 bytes (11 GB, 10 GiB) copied, 31.000123 s, 345 MB/s",
        "10698620928 bytes (11 GB, 10 GiB) copied, 31.0 s, 345 MB/s",
        "  10698620928 bytes (11 GB, 10 GiB) transferred 31.000s, 345 MB/s   ",
    ],
)
def test_progress_is_no_result(progress):
    assert measured(progress + "\n") == []
    assert measured(progress + "\n" + COUNTS) == []
    final = "10737418240 bytes (11 GB, 10 GiB) copied, 31.1144 s, 345 MB/s\n"
    (item,) = measured(progress + "\n" + COUNTS + final)
    assert item.line == 4


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
        ("xzcat i | dd of=/dev/sdb bs=1k", "write", 1024, False),
        ("dd if=/dev/zero of=/dev/null bs=1k", "copy", 1024, False),
        ("dd if=/dev/sda of=/dev/sdb bs=1k", "copy", 1024, False),
        ("dd if=a bs=1k | pv > b", "copy", 1024, False),
        ("dd if=/dev/zero of=test bs=4k", "copy", None, None),  # 5 records of 4k are more
        ("dd if=/dev/zero of=test bs=1k count=4", "copy", None, None),
        ("cat test > /dev/null", "copy", None, None),
    ],
)
def test_the_direction_comes_from_a_command_that_fits(command, op, block_size, direct):
    (item,) = measured(f"{command}\n{COUNTS}5120 bytes (5.1 kB, 5.0 KiB) copied, 0.5 s, 10.2 kB/s")
    assert (item.op, item.block_size, item.direct) == (op, block_size, direct)


def test_a_command_is_used_once_unless_it_is_a_loop():
    report = COUNTS + "5120 bytes (5.1 kB, 5.0 KiB) copied, 0.5 s, 10.2 kB/s\n"
    command = "dd if=/dev/zero of=t bs=1k count=5"
    both = f"{command}; dd if=t of=/dev/null bs=1k\n{report}{report}{report}"
    assert [item.op for item in measured(both)] == ["write", "read", "copy"]
    loop = f"for i in 1 2; do {command}; done\n{report}{report}"
    assert [item.op for item in measured(loop)] == ["write", "write"]


def test_an_interrupted_run_is_a_part():
    text = "^C5+0 records in\n5+0 records out\n5120 bytes (5.1 kB) copied, 0.5 s, 10.2 kB/s\n"
    assert [item.status for item in measured(text)] == ["interrupted"]


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


@pytest.mark.parametrize("line", ["1" * 10**6, ", " * 10**6, "1 b, 1 s, 1 MB/s" * 10**5])
def test_a_line_of_megabytes_is_answered(line):
    assert len(measured(line)) <= 1


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
