"""The bytes of a log -> numbered lines without what is not text, and the commands at a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.files import unpacked
from sdanalysis.parsers.capture import Capture, decode


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbf10 \xc2\xb5s", "10 µs"),
        (b"10 \xc2\xb5s", "10 µs"),
        (b"10 \xb5s", "10 µs"),
        ("10 µs".encode("utf-16"), "10 µs"),
        (b"\xfe\xff" + "10 µs".encode("utf-16-be"), "10 µs"),
        ("10 MB/s\n12".encode("utf-16")[:-1], "10 MB/s\n1"),  # cut within a character
        (b"10 MB/s\n12 \xc2", "10 MB/s\n12 \ufffd"),
        (b"", ""),
    ],
)
def test_text_is_decoded_by_its_mark_or_as_utf_8_or_as_latin_1(content, text):
    assert decode(content) == text


@given(st.binary(max_size=60))
def test_any_bytes_are_decoded(content):
    capture = Capture(decode(content))
    assert len(capture.without_prefix().lines) == len(capture.lines)


def test_what_is_binary_is_known_by_its_control_codes():
    for text in (b"text\n" * 100 + bytes(200), "text\n".encode("utf-16")):  # NULs are of a crash
        assert unpacked(text) == text
    with pytest.raises(SdAnalysisError, match="found binary data"):
        unpacked(bytes(range(32)) * 100)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("one\r\r\n\r\ntwo", ["one", "", "two"]),
        ("1 %\r50 %\r100 %\nnext", ["100 %", "next"]),
        ("\r100 %\r\n", ["100 %"]),
        ("\x1b[1;31m44.38\x1b[0m MB/sec\x1b[K", ["44.38 MB/sec"]),
        ("\x1b[?2004l\r44.38 MB/sec\x1b(B\x1b[m", ["44.38 MB/sec"]),
        ("\x1b]0;pi@pi: ~\x07pi $ \x1b]2;t\x1b\\\x1b[7mdd\x1bM", ["pi $ dd"]),
        ("one\n\n\n", ["one", "", ""]),
        ("one\x0btwo\x0cthree\u2028four", ["one\x0btwo\x0cthree\u2028four"]),
        ("", []),
    ],
)
def test_lines_are_numbered_as_editors_do_and_rid_of_what_is_not_text(text, lines):
    capture = Capture(text)
    assert capture.lines == lines
    assert capture.is_whole == text.endswith("\n")


@pytest.mark.parametrize("prefix", ["> ", "    ", "> > ", "# ", "    # "])
def test_a_prefix_of_each_line_of_a_block_becomes_blanks(prefix):
    text = "words\n\n" + "".join(f"{prefix}{line}\n" for line in ("a 1", "b 2", "c 3")) + "\nend\n"
    lines = Capture(text).without_prefix().lines
    blanks = " " * len(prefix)
    assert lines == ["words", "", *(blanks + line for line in ("a 1", "b 2", "c 3")), "", "end"]


def test_the_lines_of_a_fence_are_blank_and_what_stands_between_stays():
    assert Capture("```text\n> a\n```\n~~~\nb\n~~~\n").without_prefix().lines == [
        *("", "> a", "", "", "b", "")
    ]


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("$ dd if=a of=b bs=4k", [("dd", "if=a of=b bs=4k")]),
        ("pi@card:~ $ sudo hdparm -t /dev/sda", [("hdparm", "-t /dev/sda")]),
        ("root@card:/mnt# time /usr/bin/fio job.fio", [("fio", "job.fio")]),
        ("+ iozone -a -s 4M", [("iozone", "-a -s 4M")]),
        ("dd if=a of=b", [("dd", "if=a of=b")]),
        ("$ dd if=a of=b; sync && dd if=b of=c", [("dd", "if=a of=b"), ("dd", "if=b of=c")]),
        ("$ xzcat a | sudo dd of=b", [("dd", "of=b")]),
        ("$ sh -c 'sync; dd if=a of=b'", [("dd", "if=a of=b")]),
        ("$ docker run x fio --name=j", [("fio", "--name=j")]),
        ("$ gdd if='a b' of=c", [("dd", "if=a b of=c")]),
        ("$ apt install fio", []),
        ("$ ls", []),
    ],
)
def test_a_command_at_a_prompt_is_the_calls_of_its_tools(line, calls):
    (command,) = Capture(f"{line}\nwhat it prints\n").commands
    assert [(call.tool, " ".join(call.words)) for call in command.calls] == calls
    assert (command.line, command.first) == (1, 2)


@pytest.mark.parametrize("text", ["I ran dd if=a of=b then", "the fio of Debian", "it costs 5 $"])
def test_prose_is_no_command(text):
    assert not [call for command in Capture(f"{text}\n").commands for call in command.calls]


def test_a_command_holds_up_to_the_next_one_and_may_go_on_in_another_line():
    capture = Capture("words\n$ fio --rw=read \\\n>  --bs=4k\nA\nB\n$ ls\nC\n")
    fio, ls = capture.commands
    assert (fio.line, fio.first, ls.line) == (2, 4, 6)
    assert fio.of("fio")[0].words == ("--rw=read", "--bs=4k") and not fio.of("dd")
    assert [capture.command_above(line) for line in (1, 5, 7)] == [None, fio, ls]


def test_an_operand_has_its_last_value_and_a_flag_may_stand_among_others():
    (command,) = Capture("$ iozone -aI -r 4k; dd bs=4k bs=8k of=$X").commands
    iozone, dd = command.calls
    assert iozone.has("-I") and iozone.has("-a") and not iozone.has("-e")
    assert [dd.value(name) for name in ("bs", "of", "if")] == ["8k", None, None]
