"""Logs of the real tools, and what their parsers make of them, whole, cut and damaged."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis import parsers
from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.model import Line
from sdanalysis.parsers import PARSERS, decode, parse, split_lines

CORPUS = Path(__file__).resolve().parent / "corpus"
VALID = sorted(CORPUS.glob("*/valid/*.log"))
INVALID = sorted(CORPUS.glob("*/invalid/*.log"))
UNREAD = sorted(CORPUS.glob("*/unread/*.log"))  # real logs in a format that no parser knows yet
LOGS = [*VALID, *INVALID, *UNREAD]


def measured(content):
    """What all parsers together find in the bytes of a log."""
    return parse(split_lines(decode(content)), PARSERS)


def beside(log, suffix):
    """The file beside a log; its version has dots, so `with_suffix` would do for its last one."""
    return log.parent / f"{log.name.removesuffix('.log')}{suffix}"


def name(log):
    return f"{log.parent.parent.name}/{log.parent.name}/{log.stem}"


def test_every_log_has_its_partner_and_every_partner_its_log():
    assert VALID and INVALID and UNREAD
    partners = {beside(log, ".csv") for log in VALID} | {beside(log, ".error") for log in INVALID}
    assert {path for path in CORPUS.rglob("*") if path.is_file()} == {*LOGS, *partners}
    assert all(log.stem.count("--") == 1 for log in LOGS), "<what>--<version>.log"
    assert {log.parent.parent.name for log in VALID} >= PARSERS.keys()


@pytest.mark.parametrize("log", VALID, ids=name)
def test_a_good_log_gives_exactly_the_measurements_beside_it(log):
    with beside(log, ".csv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        expected = list(rows)
        columns = rows.fieldnames
    found = [
        {column: "" if (cell := getattr(item, column)) is None else str(cell) for column in columns}
        for item in measured(log.read_bytes())
    ]
    assert found == expected


@pytest.mark.parametrize("log", INVALID, ids=name)
def test_a_bad_log_is_refused_with_the_error_beside_it(log):
    with pytest.raises(ParseError) as error:
        measured(log.read_bytes())
    assert f"{error.value}\n" == beside(log, ".error").read_text(encoding="utf-8")


@pytest.mark.parametrize("log", UNREAD, ids=name)
def test_a_format_that_no_parser_knows_gives_no_number(log):
    try:
        found = measured(log.read_bytes())
    except ParseError:
        found = []
    assert found == []


@pytest.mark.parametrize("log", LOGS, ids=name)
def test_a_log_that_was_cut_anywhere_gives_a_part_of_the_whole_or_an_error(log):
    content = log.read_bytes()
    whole = set(measured(content)) if log in VALID else set()
    for end in range(len(content)):
        try:
            part = measured(content[:end])
        except ParseError:
            continue
        assert set(part) <= whole, f"cut after {end} bytes"


@pytest.mark.parametrize("log", VALID, ids=name)
def test_a_column_is_the_place_of_the_figure_in_its_line(log):
    lines = split_lines(decode(log.read_bytes()))
    for item in measured(log.read_bytes()):
        assert lines[item.line - 1].text[item.column - 1 :].startswith(f"{item.raw} ")


@pytest.mark.parametrize("log", VALID, ids=name)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_encoding_and_line_ends_change_no_measurement(log, encoding, line_end):
    text = decode(log.read_bytes()).replace("\r\n", "\n").replace("\n", line_end)
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    assert measured(mark + text.encode(encoding)) == measured(log.read_bytes())


@given(
    rate=st.decimals(min_value=1, max_value=999, places=1),
    seconds=st.floats(min_value=0.01, max_value=9999)
    .map("{:.6g}".format)
    .filter(lambda text: len(text.replace(".", "").lstrip("0")) >= 5),
    wrong=st.sampled_from([1, 0.85, 1.15]),
)
def test_the_rate_of_a_dd_report_must_follow_from_its_bytes_and_seconds(rate, seconds, wrong):
    size = round(float(rate) * 10**6 * float(seconds))
    text = f"{size} bytes copied, {seconds} s, {float(rate) * wrong:.1f} MB/s"
    try:
        (item,) = parse([Line(number=1, text=text)], ["dd"])
    except ParseError:
        assert wrong != 1
    else:
        assert wrong == 1
        assert item.value_low <= size / float(seconds) <= item.value_high


def test_dd_reports_the_bytes_and_seconds_which_have_more_digits_than_the_rate():
    text = "419430400 bytes (419 MB, 400 MiB) copied, 31.1629 s, 13.5 MB/s"
    (item,) = parse([Line(number=4, text=text)], ["dd"])
    assert item.raw == "13.5"
    assert item.value == pytest.approx(419430400 / 31.1629)
    assert item.value_low < 419430400 / 31.16294 < 419430400 / 31.16286 < item.value_high


def test_dd_with_few_digits_in_its_seconds_is_known_by_its_rate():
    text = "41943040 bytes (42 MB, 40 MiB) copied, 0.1 s, 559 MB/s"
    (item,) = parse([Line(number=3, text=text)], ["dd"])
    assert (item.value, item.value_low, item.value_high) == (559e6, 558.5e6, 559.5e6)


@pytest.mark.parametrize(
    "text",
    [
        "1 byte copied, 0.5 s, 0.0 kB/s",
        "512 bytes copied, 4.9453e-05 s, 10.4 MB/s",
        "512 bytes (512 B) copied, 0.000581745 seconds, 880 kB/s",
        "1048576000000 bytes (1.0 TB, 977 GiB) copied, 1.04858e+06 s, 1000 kB/s",
        "620134400 bytes (620 MB) copied, 71,5018 s, 8,7 MB/s",
    ],
)
def test_dd_of_other_releases_is_read(text):
    number, seconds = text.split()[0], text.split(" copied, ")[1].split()[0].replace(",", ".")
    (item,) = parse([Line(number=1, text=text)], ["dd"])
    assert item.value == pytest.approx(int(number) / float(seconds))


@pytest.mark.parametrize(
    ("text", "op", "value"),
    [
        (" Timing cached reads:   7330 MB in  2.00 seconds = 3668.19 MB/sec", "cached_read", 2**20),
        (" Timing cached reads:     2 MB in  7.77 seconds = 263.71 kB/sec", "cached_read", 2**10),
        (
            " Timing buffered disk reads (offset 50 GB): 134 MB in  3.02 seconds =  44.38 MB/sec",
            "read",
            2**20,
        ),
        (
            "$ cat it Timing O_DIRECT disk reads: 54 MB in 3.01 seconds = 17.95 MB/sec",
            "read",
            2**20,
        ),
    ],
)
def test_hdparm_tells_the_cache_from_the_disk_and_megabytes_from_kilobytes(text, op, value):
    (item,) = parse([Line(number=1, text=text)], ["hdparm"])
    assert item.op == op
    assert item.value == float(item.raw) * value
    assert item.direct == ("O_DIRECT" in text)


def test_an_unknown_parser_is_refused_with_those_that_exist():
    with pytest.raises(SdAnalysisError, match="found the parser 'fdisk', expected one of dd, hdp"):
        parse([], ["fdisk"])


def test_a_line_that_two_parsers_claim_is_refused(monkeypatch):
    def twin(lines):
        return [replace(item, tool="twin") for item in PARSERS["dd"](lines)]

    log = CORPUS / "dd" / "valid" / "shell-time--coreutils-9.1.log"
    monkeypatch.setitem(parsers.PARSERS, "twin", twin)
    with pytest.raises(ParseError, match="line 3: found a line that dd and twin both claim"):
        measured(log.read_bytes())


# --- text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbf10 \xc2\xb5s", "10 µs"),
        (b"10 \xc2\xb5s", "10 µs"),
        (b"10 \xb5s", "10 µs"),
        ("10 µs".encode("utf-16"), "10 µs"),
        (b"\xfe\xff" + "10 µs".encode("utf-16-be"), "10 µs"),
        (b"", ""),
    ],
)
def test_text_is_decoded_by_its_mark_or_as_utf_8_or_as_latin_1(content, text):
    assert decode(content) == text


def test_half_a_character_of_utf_16_is_an_error_that_says_so():
    with pytest.raises(SdAnalysisError, match="found bytes that are not utf-16"):
        decode("10".encode("utf-16")[:-1])


@given(st.binary(max_size=60))
def test_any_bytes_are_decoded_or_refused(content):
    try:
        lines = split_lines(decode(content))
    except SdAnalysisError:
        assert content[:2] in (b"\xff\xfe", b"\xfe\xff") or content.startswith(b"\xef\xbb\xbf")
    else:
        assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("one\r\r\n\r\ntwo", ["one", "", "two"]),
        ("1 %\r50 %\r100 %\nnext", ["100 %", "next"]),
        ("\r100 %\r\n", ["100 %"]),
        ("\x1b[1;31m44.38\x1b[0m MB/sec\x1b[K", ["44.38 MB/sec"]),
        ("\x1b[?2004l\r44.38 MB/sec\x1b(B\x1b[m", ["44.38 MB/sec"]),
        ("\x1b]0;pi@pi: ~\x07pi $ \x1b]2;t\x1b\\\x1b[7mdd\x1bM", ["pi $ dd"]),
        ("41\u00a0943\u202f040 bytes", ["41 943 040 bytes"]),
        ("one\n\n\n", ["one", "", ""]),
        ("one\x0btwo\x0cthree\u2028four", ["one\x0btwo\x0cthree\u2028four"]),
        ("", []),
    ],
)
def test_lines_are_numbered_as_editors_do_and_rid_of_what_is_not_text(text, expected):
    lines = split_lines(text)
    assert [line.text for line in lines] == expected
    assert [line.number for line in lines] == list(range(1, len(expected) + 1))


def test_a_line_knows_whether_it_was_drawn_over_another():
    lines = split_lines("plain\r\n1 %\r2 %\n\r1 %\n\x1b[?2004l\rprompt\n")
    assert [line.redrawn for line in lines] == [False, True, True, False]
