"""Long tables of iozone read as arrays: the same rows as line by line, or read line by line."""

import random

import pytest
from corpus_logs import assert_frames_are_alike, frame_of
from hypothesis import given, settings
from hypothesis import strategies as st
from iozone_printer import C2, layout_named, log, row

from sdanalysis.logs import arrays, bulk, lean
from sdanalysis.logs.read import lines_of, parse_log, row_of
from sdanalysis.parsers.iozone.layouts import LAYOUTS

TESTS = tuple(range(8))
PATH = "card.log"
DAMAGE = [
    *(b"0", b" ", b"9", b"x", b"-", b"\t", b"\r", b"\n", b"\n\n", b"\x00", b"\xe9", b".", b""),
    *(b"12345678901", b"\xc2\xa0", b"reclen", b"\x1b[0m", b"\niozone: interrupted\n"),
]


@pytest.fixture(autouse=True, scope="module")
def short_tables_are_long():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "_LEAST", 20)
        patch.setattr(bulk, "_KEPT", 4)
        patch.setattr(bulk, "_CHUNK", 16)
        patch.setattr(bulk, "_PRODUCT", 1000)
        patch.setattr(lean, "_LONG_TABLE", 20)
        patch.setattr(arrays, "_LONG", 200)
        patch.setattr(arrays, "_ARROW_TIMES", 30)
        yield


@st.composite
def tables(draw):
    """The text of a table and the number of its rows."""
    layout = draw(st.sampled_from(LAYOUTS))
    tests = tuple(sorted(draw(st.sets(st.integers(0, 7), min_size=1))))
    widths = [width for test in tests for width in layout.fields[test]]
    digits = draw(st.integers(2, 10))
    drawn = random.Random(draw(st.integers(0, 2**32)))
    rows = [
        row(
            layout,
            tests,
            [drawn.randrange(1, 10 ** min(width - 1, digits)) for width in widths],
            size=64 << drawn.randrange(20),
            record=4 << drawn.randrange(12),
        )
        for _ in range(draw(st.integers(30, 40)))
    ]
    if draw(st.booleans()):
        rows = [line.rstrip() for line in rows]
    text = log(layout, tests, rows, flags=draw(st.sampled_from(["", "-O", "-N", "-+n", "-E"])))
    mode = draw(st.sampled_from(["kBytes/sec", "microseconds per operation", "ops/sec"]))
    margin = draw(st.sampled_from(["", "", "> ", "    ", "12 "]))
    return "\n".join(margin + line for line in text.replace("kBytes/sec", mode).splitlines())


def read(content):
    """The frame and the problems of a log, read as arrays where that is possible."""
    found, blocks = bulk.parse_lean(PATH, content)
    rows = bulk.Rows()
    rows._add_log(PATH, found, blocks)
    return rows.frame(), found.log.problems, blocks


def expected(content):
    """The frame and the problems of a log, read line by line."""
    rows = [
        {name: None if type(cell) is int and cell >= 2**63 else cell for name, cell in row.items()}
        for row in map(row_of, parse_log(PATH, content).measurements)
    ]
    problems = lean.parse_lines(PATH, lines_of(content)).log.problems
    return frame_of(rows), problems


def assert_the_same(content):
    found, problems, blocks = read(content)
    frame, said = expected(content)
    assert_frames_are_alike(found, frame)
    assert problems == said
    return blocks


@settings(max_examples=25)
@given(tables(), st.integers(1, 3))
def test_a_table_is_the_same_as_its_lines(text, times):
    assert_the_same(("\n".join([text] * times) + "\n").encode())


@settings(max_examples=40)
@given(tables(), st.data())
def test_a_damaged_table_is_the_same_as_its_lines(text, data):
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        damage = data.draw(st.sampled_from(DAMAGE))
        content[place : place + data.draw(st.integers(0, 2))] = damage
    assert_the_same(bytes(content[: data.draw(st.integers(0, len(content)))]))
    assert_the_same(bytes(content))


@pytest.mark.parametrize("name", ["B", "C1", "C2", "D"])
@pytest.mark.parametrize("tests", [TESTS, (0,), (1, 2), (7,)])
def test_a_regular_table_is_read_as_an_array(name, tests):
    layout = layout_named(name)
    width = sum(len(layout.fields[test]) for test in tests)
    rows = [row(layout, tests, range(9 + n, 9 + n + width), size=n + 64) for n in range(300)]
    (block,) = assert_the_same(log(layout, tests, rows).encode())
    assert (block.first, block.results.shape) == (6 + 4, (300 - 8, width))


def test_rows_that_are_not_regular_part_a_table():
    rows = [row(C2, TESTS, range(9 + n, 22 + n)) for n in range(100)]
    rows[50] = row(C2, TESTS, [0] * 13)
    rows[70] = rows[70].replace("   ", "  \t", 1)
    assert [len(one.sizes) for one in assert_the_same(log(C2, TESTS, rows).encode())] == [42, 21]


@pytest.mark.parametrize("number", [10**9 - 1, 10**9, 10**15, 10**18, 10**30])
@pytest.mark.parametrize("blanks", [0, 60, 400])
def test_numbers_too_large_for_a_device_are_read_as_lines(number, blanks):
    rows = [f"{' ' * blanks}{row(C2, TESTS, range(9, 22))}" for _ in range(60)]
    rows[30] = f"{number}".rjust(len(rows[30]))
    text = log(C2, TESTS, rows).replace("      kB", f"{' ' * blanks}      kB")
    assert_the_same(text.encode())


def test_numbers_that_are_no_table_stay_lines():
    numbers = "\n".join(f"{n:9d}{n * 7:9d}{n * 9:9d}" for n in range(1000, 1100))
    text = log(C2, TESTS, [row(C2, TESTS, range(9, 22))] * 3)
    assert not assert_the_same(f"{text}\n{numbers}\n".encode())
    assert not assert_the_same(f"{numbers}\n{text}".encode())


def test_other_tools_in_the_same_log_keep_their_lines():
    hdparm = "/dev/sda:\n Timing buffered disk reads: 308 MB in  3.00 seconds = 102.66 MB/sec\n"
    text, other = (log(C2, TESTS, [row(C2, TESTS, range(n, n + 13))] * 60) for n in (9, 30))
    blocks = assert_the_same((hdparm + text + hdparm + other + hdparm).encode())
    assert [block.first for block in blocks] == [8 + 4, 8 + 60 + 9 + 4]
