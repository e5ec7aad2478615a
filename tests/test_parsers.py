"""Logs of the real tools, and what their parsers make of them, whole, cut and damaged."""

from itertools import product

import pytest
from corpus_logs import CORPUS, beside, logs_of
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis import parsers
from sdanalysis.codebook.measurement import Measurement
from sdanalysis.errors import ParseError, SdAnalysisError
from sdanalysis.parsers import PARSERS, decode, parse, split_lines

VALID, INVALID = logs_of("*", "valid"), logs_of("*", "invalid")
LOGS = [*VALID, *INVALID]


def measured(content):
    """What all parsers together find in the bytes of a log."""
    return parse(split_lines(decode(content)), PARSERS)


@pytest.fixture(scope="module")
def found():
    """Map each log to its lines and to what each parser says of them."""
    lines = {log: split_lines(decode(log.read_bytes())) for log in LOGS}
    return {
        log: (lines[log], {tool: list(parser(lines[log])) for tool, parser in PARSERS.items()})
        for log in LOGS
    }


def test_every_log_has_its_partner_and_every_partner_its_log():
    assert VALID and INVALID
    partners = {beside(log, ".csv") for log in VALID} | {beside(log, ".error") for log in INVALID}
    # Beside a log that is refused, a table may say which part of it was kept.
    kept = {beside(log, ".csv") for log in INVALID}
    made = set(CORPUS.glob("*/made/*.log"))  # for `test_cuts` alone
    files = {path for path in CORPUS.rglob("*") if path.is_file()} - made
    assert {*LOGS, *partners} <= files <= {*LOGS, *partners, *kept}
    assert all(log.stem.count("--") == 1 for log in LOGS), "<what>--<version>.log"
    assert {log.parent.parent.name for log in VALID} >= PARSERS.keys()


def test_no_parser_takes_a_line_of_another_tool(found):
    for log, (_, items) in found.items():
        claims = {}
        for tool, said in items.items():
            for line in {item.line for item in said if isinstance(item, Measurement)}:
                claims.setdefault(line, set()).add(tool)
        assert all(len(tools) == 1 for tools in claims.values()), log
        own = log.parent.parent.name
        mixed = own == "script" or "script" in log.stem or "session" in log.stem
        assert mixed or set().union(*claims.values()) <= {own}, log


def test_encoding_and_line_ends_change_no_line():
    """A parser sees lines and never bytes: what leaves them alike leaves its answer alike."""
    codes = ("utf-8-sig", "utf-16", "utf-16-be")
    for log, code, end in product(VALID, codes, ("\n", "\r\n")):
        text = decode(log.read_bytes())
        mark = b"\xfe\xff" if code == "utf-16-be" else b""
        other = mark + text.replace("\r\n", "\n").replace("\n", end).encode(code)
        assert split_lines(decode(other)) == split_lines(text), (log, code, end)


def test_an_unknown_parser_is_refused_with_those_that_exist():
    with pytest.raises(
        SdAnalysisError, match="found the parser 'fdisk', expected one of dd, ddrescue, "
    ):
        parse([], ["fdisk"])


def test_a_line_that_two_parsers_claim_is_refused(monkeypatch):
    def twin(lines):
        return [item._replace(tool="twin") for item in PARSERS["dd"](lines)]

    log = CORPUS / "dd" / "valid" / "shell-time--coreutils-9.1.log"
    monkeypatch.setitem(parsers.PARSERS, "twin", twin)
    with pytest.raises(ParseError, match="line 3: found a line that dd and twin both claim"):
        measured(log.read_bytes())


def test_a_parser_that_is_not_asked_would_have_found_nothing(found):
    for log, (lines, items) in found.items():
        asked = parsers.tools_in("\n".join(line.text for line in lines))
        assert [tool for tool in PARSERS if items[tool] and tool not in asked] == [], log


def test_a_side_log_of_fio_is_known_by_its_first_digit():
    assert "fio" in parsers.tools_in("500, 21, 0, 4096\n")


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


@pytest.mark.parametrize(
    ("escaped", "letters"),
    [
        (r"rekord\u00f3w", "rekordów"),
        (r"root@host:~\u003e fio \u0026\u0026", "root@host:~> fio &&"),
        (r"\u001b[32mREAD\u001b[0m: \u00a01", "READ:  1"),
        (r"C:\users\u12", r"C:\users\u12"),
        (
            r"\\u00f3 \u0022 \u005c \u000a \ud83d\ude00",
            r"\\u00f3 \u0022 \u005c \u000a \ud83d\ude00",
        ),
    ],
)
def test_letters_that_json_escapes_are_letters_and_its_own_signs_stay(escaped, letters):
    assert [line.text for line in split_lines(escaped)] == [letters]
