"""A published table, read by one declared pattern: every figure, or an error with its line."""

import re

import pytest

from sdanalysis.errors import DeclarationError, ParseError
from sdanalysis.parsers.capture import Capture
from sdanalysis.parsers.table import Table, read

BANDWIDTH = {"tool": "iozone", "op": "read", "unit": "kB/s"}
AMBIGUOUS = {"value": 1_024_000, "low": 1_000_000, "high": 1_048_576}


def table(row, values=None, **options):
    """A table whose groups are results of iozone, unless they are called otherwise."""
    pattern = re.compile(row, re.MULTILINE)
    named = [name for name in pattern.groupindex if name in ("read", "write", "rate")]
    defaults = {"name": "t", "skip": (), "maps": {}, "tools": {}, "words": {}}
    values = values or dict.fromkeys(named, BANDWIDTH)
    return Table(row=pattern, values=values, **{**defaults, **options})


def figures(text, declared, **given):
    measurements, _ = read(Capture(text).lines, declared, {"label": "card", **given})
    return measurements


# --- layouts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("card 20 10\ncard 22 11\n", r"^card (?P<read>\d+) (?P<write>\d+)$"),
        ("card | 20 | 10 |\n---|---|---|\ncard | 22 | 11 |", r"\| (?P<read>\d+) \| (?P<write>\d+)"),
        ("card\n20\n10\n\ncard\n22\n11", r"^card\n(?P<read>\d+)\n(?P<write>\d+)$"),
        ("read: 20\nwrite: 10\nread: 22\nwrite: 11", r"^read: (?P<read>.+)\nwrite: (?P<write>.+)$"),
    ],
    ids=["a row a line", "pipes", "a figure a line", "key: value"],
)
def test_one_pattern_reads_each_layout_of_a_table(text, row):
    found = figures(text, table(row))
    assert [(item.name, item.raw) for item in found] == [
        ("read", "20"),
        ("write", "10"),
        ("read", "22"),
        ("write", "11"),
    ]
    lines = text.split("\n")
    assert all(lines[item.line - 1][item.column - 1 :].startswith(item.raw) for item in found)


def test_a_table_claims_the_lines_of_its_rows_and_no_others():
    _, claimed = read(
        Capture("title\ncard\n20\n\ncard\n22\nend").lines,
        table(r"^card\n(?P<read>\d+)$"),
        {"label": "c"},
    )
    assert claimed == {2, 3, 5, 6}


def test_transposed_columns_give_each_figure_the_label_of_its_column():
    values = {"left": {**BANDWIDTH, "label": "6401"}, "right": {**BANDWIDTH, "label": "6402"}}
    found = figures("speed 47 15", table(r"^speed (?P<left>\d+) (?P<right>\d+)$", values))
    assert [(item.label, item.raw) for item in found] == [("6401", "47"), ("6402", "15")]


def test_a_label_may_be_put_together_from_groups():
    declared = table(r"^\[(?P<link>\w+)\] (?P<size>\d+GB) (?P<read>\d+)$", label="{link} {size}")
    assert [item.label for item in figures("[Evo] 32GB 20", declared)] == ["Evo 32GB"]


def test_what_a_map_says_of_a_group_holds_for_all_figures_of_its_row():
    maps = {"who": {"1": {"origin": "restated", "remarks": ["suspicious"]}, "2": {}}}
    declared = table(r"^(?P<read>\d+) (?P<who>\d)$", maps=maps)
    first, second = figures("20 1\n22 2", declared, remarks=["inferred-host"])
    assert (first.origin, first.remarks) == ("restated", ("inferred-host", "suspicious"))
    assert (second.origin, second.remarks) == ("primary", ("inferred-host",))


def test_a_condition_may_be_printed_in_the_row():
    (item,) = figures("4 writers 20", table(r"^(?P<numjobs>\d) writers (?P<read>\d+)$"))
    assert item.numjobs == 4


def test_the_nearest_condition_wins_and_an_empty_one_takes_a_general_one_back():
    tools = {"iozone": {"block_size": "4k", "file_size": "100M", "direct": True}}
    values = {"read": {**BANDWIDTH, "block_size": "16M"}}
    declared = table(r"^(?P<read>\d+)$", values, tools=tools)
    (item,) = figures("20", declared, block_size="8k", file_size="")
    assert (item.block_size, item.file_size, item.direct) == (2**24, None, True)


def test_repeated_rows_are_numbered_only_where_they_are_repeats():
    row = r"^(?P<read>\d+)$"
    assert [item.repeat for item in figures("20\n22", table(row, repeats=True))] == [1, 2]
    assert [item.repeat for item in figures("20\n22", table(row))] == [1, 1]


def test_figures_of_one_row_and_tool_are_one_run_but_a_derived_figure_is_none():
    declared = table(r"^(?P<read>\d+) (?P<write>\d+)$")
    first, second, third, _ = figures("20 10\n22 11", declared)
    assert first.run == second.run != third.run
    assert {item.run for item in figures("20 10", declared, origin="derived")} == {None}


# --- cells -----------------------------------------------------------------------------------


def test_a_declared_word_stands_where_a_number_would_and_is_kept():
    declared = table(r"^(?P<read>\S+)$", words={"DNF": "did_not_finish", "Sad": "word"})
    found = figures("DNF\nSad\n20", declared)
    assert [(item.raw, item.status, item.value) for item in found] == [
        ("DNF", "did_not_finish", None),
        ("Sad", "word", None),
        ("20", "measured", 20 * 1024),
    ]


def test_a_blank_cell_was_not_measured():
    item, other = figures("write 10", table(r"^write(?P<read>) (?P<write>\d+)$"))
    assert (item.raw, item.status, item.value) == (None, "not_measured", None)
    assert other.value == 10 * 1024


def test_a_value_whose_group_took_no_part_is_no_cell():
    declared = table(r"^(?:r (?P<read>\d+)|w (?P<write>\d+))$")
    assert [item.name for item in figures("r 20\nw 10", declared)] == ["read", "write"]


def test_an_ambiguous_unit_widens_the_interval():
    spec = {**BANDWIDTH, "unit": "MB/s", "bytes_per_unit": AMBIGUOUS}
    (item,) = figures("3.00", table(r"^(?P<read>\S+)$", {"read": spec}))
    assert (item.value, item.value_low, item.value_high) == (3_072_000, 2.995e6, 3.005 * 2**20)


@pytest.mark.parametrize(
    ("rounding", "high"), [("nearest", 100.5), ("down", 101), ("down_per_job", 104)]
)
def test_rounding_may_be_declared(rounding, high):
    spec = {"tool": "unstated", "op": "read", "unit": "IOPS", "numjobs": 4, "rounding": rounding}
    (item,) = figures("100", table(r"^(?P<read>\d+)$", {"read": spec}))
    assert item.value_high == high


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("Random 4k\n20\n", r"^Random 4k\n(?P<read>\d+)$"),
        ("QD32, 1.5 GB, 4,096 B: 20", r"^QD32, 1\.5 GB, 4,096 B: (?P<read>\d+)$"),
        ("(8 GB) [1] 20", r"^\(8 GB\) \[1\] (?P<read>\d{1,3})$"),
    ],
)
def test_a_number_that_the_pattern_spells_out_is_no_figure(text, row):
    assert [item.raw for item in figures(text, table(row))] == ["20"]


# --- marks of thousands and of decimals ----------------------------------------------------------

IOPS = {"tool": "fio", "op": "randread", "unit": "IOPS"}
MEGABYTES = {"tool": "fio", "op": "read", "unit": "MB/s"}
BOTH = {"iops": IOPS, "rate": MEGABYTES}
COMMA = {"decimal_comma": True}


@pytest.mark.parametrize(
    ("text", "declared", "values"),
    [
        ("2,310|44.1\n980|1,044.5", {"thousands": ","}, [2310, 44.1, 980, 1044.5]),
        ("2.310|44,1\n980|1.044,5", {"thousands": ".", **COMMA}, [2310, 44.1, 980, 1044.5]),
        ("2'310|44.1\n1'234'567|9", {"thousands": "'"}, [2310, 44.1, 1234567, 9]),
        ("2 310|44.1", {"thousands": " "}, [2310, 44.1]),
        ("2310|44,1\n120|9.5", COMMA, [2310, 44.1, 120, 9.5]),
    ],
)
def test_marks_of_thousands_are_read_where_they_are_declared(text, declared, values):
    found = figures(text, table(r"^(?P<iops>[^|\n]+)\|(?P<rate>\S+)$", BOTH, **declared))
    units = [1, 1e6] * (len(values) // 2)
    expected = [value * unit for value, unit in zip(values, units, strict=True)]
    assert [item.value for item in found] == pytest.approx(expected)
    assert [item.raw for item in found] == re.split(r"[|\n]", text)


@pytest.mark.parametrize(
    ("text", "declared", "advice"),
    [
        ("2,310 44.1", {}, r"declare `(thousands|decimal_comma)"),
        ("2,310 44.1", COMMA, r"declare `(thousands|decimal_comma)"),
        ("2,310 44.1", {"thousands": "."}, "groups of three digits parted by '.'"),
        ("2,31 44.1", {"thousands": ","}, "found '2,31', expected groups of three digits"),
        ("2310 1,2345", {"thousands": ","}, "found '1,2345', expected groups of three digits"),
        ("2,310 44,1", {}, r"declare `(thousands|decimal_comma)"),
        ("2,310 44", {}, r"declare `(thousands|decimal_comma)"),
        ("2,310 44", COMMA, r"declare `(thousands|decimal_comma)"),
        ("2.310 44.1", {}, "found '2.310' IOPS, expected a whole number"),
        ("2.310 44,1", COMMA, r"declare `(thousands|decimal_comma)"),
        ("1,234,567 44", COMMA, r"declare `(thousands|decimal_comma)"),
        ("2310 1,044.5", {}, r"declare `(thousands|decimal_comma)"),
        ("2,31 44.1", COMMA, "found '2,31' IOPS, expected a whole number"),
    ],
)
def test_marks_of_thousands_are_never_guessed(text, declared, advice):
    with pytest.raises(ParseError, match=advice):
        figures(text, table(r"^(?P<iops>\S+) (?P<rate>\S+)$", BOTH, **declared))


def test_a_mean_of_whole_numbers_says_how_it_was_rounded():
    values = {"iops": {**IOPS, "rounding": "nearest"}}
    (item,) = figures("2310.4", table(r"^(?P<iops>\S+)$", values))
    assert (item.value, item.value_low, item.value_high) == (2310.4, 2310.35, 2310.45)


NO_NUMBERS = [
    *("n/a", "-20", "+20", "0", "0.00", "NaN", "nan", "inf", "1e99", "1.2.3", "1_000", "20%"),
    *("20?", "(20)", "20MB/s", "½", "٢٠", "0x14", "20e", ".5", "~20"),
]


@pytest.mark.parametrize("printed", NO_NUMBERS)
def test_a_cell_that_is_no_number_above_zero_is_refused_with_its_line(printed):
    with pytest.raises(ParseError, match=r"^line 2: table t: found .+, expected") as error:
        figures(f"20\n{printed}\n", table(r"^(?P<read>\S+)$", words={"DNF": "did_not_finish"}))
    assert repr(printed) in str(error.value)


# --- what a pattern must not do ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "row", "number"),
    [
        ("card 20 10", r"^card (?P<read>\d+) \d+$", "10"),
        ("card 20.5", r"^card (?P<read>\d+)\.5$", "20.5"),
        ("card 20,5", r"^card \d+,(?P<read>\d+)$", "20,5"),
        ("card 20 and 10 more", r"^card (?P<read>\d+)", "10"),
        ("10 more: card 20", r"card (?P<read>\d+)$", "10"),
        ("card 120", r"(?P<write>1)(?P<read>20)$", "120"),
        ("card\n20\n8 GB", r"^card\n(?P<read>\d+)\n\S+ GB$", "8"),
        ("4k: 20 4", r"^4k: (?P<read>\d+) .*", "4"),
        ("4k: 20 40", r"^4k: (?P<read>\d+) [40]+", "40"),
        ("20 44", r"^(?P<read>\d+) 4+", "44"),
        ("20 44", r"^(?P<read>\d+) 4{2}", "44"),
        ("20 4", r"^(?P<read>\d+) \x34", "4"),
        ("4k: 20 2", r"^4k: (?P<read>(2)0) \2", "4"),
    ],
)
def test_a_number_that_no_group_holds_as_a_whole_is_refused(text, row, number):
    with pytest.raises(ParseError, match=f"found the number '{number}' that no group of table t"):
        figures(text, table(row))


def test_a_digit_in_a_condition_or_in_a_name_is_no_lost_number():
    row = r"^(?P<label>.+) (?P<blocks>4k) (?P<read>\d+) MB/s$"
    (item,) = figures("No. 5 (90MB/s) 32GB 4k 20 MB/s", table(row))
    assert (item.label, item.raw) == ("No. 5 (90MB/s) 32GB", "20")


@pytest.mark.parametrize(
    ("text", "row", "problem"),
    [
        ("card 20", r"^cart (?P<read>\d+)$", "found no row that its pattern matches"),
        ("card 20", r"(?P<read>\d*)", "matches line 1 emptily or twice"),
        ("20 22", r"(?P<read>\d+)", "found the number '22'"),
        ("a b", r"(?P<read>[ab])", "expected a number"),
        ("DNF DNF", r"(?P<read>DNF)", "matches line 1 emptily or twice"),
    ],
)
def test_a_pattern_that_matches_nothing_emptily_or_a_part_is_refused(text, row, problem):
    with pytest.raises((DeclarationError, ParseError), match=problem):
        figures(text, table(row, words={"DNF": "did_not_finish"}))


def test_a_text_that_a_map_lacks_is_refused_with_those_that_it_has():
    declared = table(r"^(?P<read>\d+) (?P<type>\w+)$", maps={"type": {"CF": {}, "SD": {}}})
    with pytest.raises(ParseError, match="line 2: found 'XD' as type, expected one of 'CF', 'SD'"):
        figures("20 CF\n22 XD", declared)


def test_a_row_without_a_label_is_refused():
    with pytest.raises(ParseError, match=r"line 1: .+found a row without a label"):
        read(Capture("20").lines, table(r"^(?P<read>\d+)$"), {})


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"tool": "iozone", "op": "read"}, "found a value without a unit"),
        ({"tool": "iozone", "op": "read", "unit": "MB/s"}, "found the unit 'MB/s' for iozone"),
        ({"op": "read", "unit": "IOPS"}, "value read: expected tool"),
        ({"tool": "iozone", "unit": "kB/s"}, "value read: expected op"),
        ({**BANDWIDTH, "block_size": "4 apples"}, "found the size '4 apples'"),
        ({**BANDWIDTH, "numjobs": "two"}, "found 'two', expected a whole number"),
        ({**BANDWIDTH, "iodepth": "1.5"}, "found '1.5', expected a whole number"),
        ({**BANDWIDTH, "numjobs": 0}, "found '0', expected a whole number above zero"),
    ],
)
def test_a_value_whose_conditions_do_not_make_a_measurement_is_refused(spec, problem):
    with pytest.raises(ParseError, match=f"line 1: table t: {problem}"):
        figures("20", table(r"^(?P<read>\d+)$", {"read": spec}))
