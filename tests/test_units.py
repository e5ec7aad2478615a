"""A printed number and its unit -> a value in base units, and what the printing leaves open."""

import re
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdanalysis.codebook.units import (
    UNITS,
    check_reach,
    counted,
    figure,
    in_two_digits,
    interval,
    number_of,
    size_in_bytes,
    unit_of,
    whole_number,
)
from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.table import unit_in

AMBIGUOUS = unit_in(
    {"unit": "MB/s", "bytes_per_unit": {"value": 1_024_000, "low": 1_000_000, "high": 1_048_576}}
)
KNOWN = [*UNITS.values(), unit_of("fio", "iops"), unit_of("unstated", "%"), AMBIGUOUS]
DECIMALS = st.decimals(min_value="0.000001", max_value=10**9, places=6)


def read(printed, unit, **options):
    return interval(number_of(printed), unit, **options)


KIB, MIB = 2**10, 2**20


FACTORS = [  # tool, whether it cuts what it does not print, base units of one printed unit
    ("hdparm", False, {"MB/sec": MIB, "MB/s": MIB, "kB/sec": KIB}),
    ("hdparm", True, {"kB/s": KIB}),  # BusyBox
    ("dd", False, {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "bytes/sec": 1}),
    ("busybox dd", False, {"B/s": 1, "KB/s": KIB, "MB/s": MIB, "GB/s": KIB * MIB}),
    ("ddrescue", True, {"MB/s": 1e6, "GB/s": 1e9, "KiB/s": KIB, "MiB/s": MIB, "GiB/s": KIB * MIB}),
    ("iozone", True, {"KB/sec": KIB, "kB/s": KIB, "ops/sec": 1}),
    ("iozone", True, {"microseconds per operation": 1e-6}),
    ("fio", False, {"MiB/s": MIB, "MB/s": 1e6, "nsec": 1e-9, "usec": 1e-6, "ns": 1e-9, "us": 1e-6}),
    ("fio", False, {"msec": 1e-3, "sec": 1}),
    ("fio before 2.17", False, {"MB/s": MIB}),
    ("PiBenchmarks", True, {"KB/s": KIB}),
    ("sdtest.sh", True, {"KB/sec": KIB}),
    ("disk-benchmark.sh", False, {"MB/s": MIB}),
    ("unstated", False, {"%": 0.01}),
    ("unstated", True, {"iops": 1, "IOPS": 1}),
    ("fio", True, {"iops": 1}),
]


@pytest.mark.parametrize(("tool", "cut", "factors"), FACTORS)
def test_what_a_figure_leaves_open_is_a_whole_last_digit_where_its_tool_cuts(tool, cut, factors):
    low, high = (2.5, 2.6) if cut else (2.45, 2.55)
    for unit, factor in factors.items():
        expected = (2.5 * factor, low * factor, high * factor)
        assert read("2.5", unit_of(tool, unit)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("tool", "thousand"), [("fio", 1000), ("fio before 2.17", 1024)])
def test_each_prefix_of_fio_is_a_thousand_of_the_last_and_eight_bits_are_a_byte(tool, thousand):
    for power, prefix in enumerate(["", "k", "M", "G", "T", "P"]):
        for binary, base in (("", thousand), ("i", 1024)):
            for letter in {prefix, "K" if prefix == "k" else prefix}:
                words = [f"{letter}{binary}{word}" for word in ("B/s", "bit/s", "b/s")]
                factors = [unit_of(tool, word).factor for word in words]
                assert factors == [base**power, base**power / 8, base**power / 8]


@pytest.mark.parametrize(
    ("tool", "reached", "beyond"),
    [
        ("dd", "10.0 TB/s", "10.1 TB/s"),
        ("fio", "1000000000000 iops", "1000000000001 iops"),
        ("fio", "1000000.0 sec", "1000000.1 sec"),
    ],
)
def test_a_figure_is_read_up_to_what_a_device_may_reach(tool, reached, beyond):
    assert figure(tool, *reached.split()).raw == reached.split()[0]
    with pytest.raises(SdAnalysisError, match=f"found {beyond}, expected what a device reaches"):
        figure(tool, *beyond.split())


def test_a_value_that_is_no_number_reaches_nothing_and_a_metric_without_limit_anything():
    check_reach("ratio", 1e300, "1e300 %")
    with pytest.raises(SdAnalysisError):
        check_reach("iops", float("nan"), "nan")


def test_a_figure_keeps_the_unit_that_says_by_which_factor_it_was_read_and_why():
    unit = figure("hdparm", "44.38", "MB/sec").unit
    assert (unit.factor, unit.why.startswith("hdparm's kB is 2^10 B")) == (MIB, True)


def test_whether_a_figure_was_cut_may_be_stated_with_it():
    rounded = figure("iozone", "1350", "kB/sec", truncated=False)
    assert (rounded.value_low, rounded.value_high) == (1349.5 * KIB, 1350.5 * KIB)


@pytest.mark.parametrize("jobs", [1, 2, 4, 6])
def test_iops_that_were_cut_in_each_process_may_be_too_low_by_one_for_each(jobs):
    assert read("1421", unit_of("unstated", "IOPS"), width=jobs) == (1421, 1421, 1421 + jobs)


@pytest.mark.parametrize(
    ("tool", "unit"),
    [("hdparm", "GB/sec"), ("dd", "MiB/s"), ("dd", "MB/sec"), ("iozone", "MB/s"), ("", "KB/s")],
)
def test_a_unit_that_the_tool_does_not_print_is_refused(tool, unit):
    with pytest.raises(SdAnalysisError, match=f"found the unit '{unit}' for {tool}, expected"):
        unit_of(tool, unit)


@given(number=DECIMALS, places=st.integers(0, 6), unit=st.sampled_from(KNOWN))
def test_the_true_value_lies_within_the_interval_of_what_is_printed_of_it(number, places, unit):
    rounding = ROUND_FLOOR if unit.truncated else ROUND_HALF_EVEN
    printed = str(number.quantize(Decimal(10) ** -places, rounding=rounding))
    value, low, high = read(printed, unit)
    assert low <= value <= high
    assert low <= float(number * Decimal(repr(unit.low))) * (1 + 1e-12)
    assert float(number * Decimal(repr(unit.high))) <= high * (1 + 1e-12)


def exactly(printed):
    digits, exponent = number_of(printed)
    return Fraction(digits) * Fraction(10) ** exponent


@given(number=DECIMALS)
@example(Decimal("0.1"))
@example(Decimal("148.46"))
def test_a_number_is_read_exactly_and_knows_its_last_digit(number):
    assert exactly(format(number, "f")) == Fraction(number)
    assert number_of(format(number, "f")).exponent == number.as_tuple().exponent


@pytest.mark.parametrize(
    ("printed", "digits", "exponent"),
    [("7.0151e-05", 70151, -9), ("1.04858e+06", 104858, 1), ("5E2", 5, 2)],
)
def test_an_exponent_scales_the_last_digit_too(printed, digits, exponent):
    assert number_of(printed) == (digits, exponent)


@pytest.mark.parametrize(
    ("read_up_to", "refused"),
    [("9" * 30, "9" * 31), ("1e30", "1e31"), ("1e-30", "1e-31"), ("5E2", "5E2000")],
)
def test_a_number_far_beyond_any_device_is_refused(read_up_to, refused):
    assert exactly(read_up_to) == Fraction(read_up_to)
    with pytest.raises(SdAnalysisError, match=f"found '{refused}', expected a number"):
        number_of(refused)


PLAIN = r"[0-9]{1,30}(\.[0-9]+)?([eE][+-]?[0-9]+)?"


@given(
    st.text(alphabet="0123456789.,eE+- _xnaifNAIF%\n٣³½", max_size=12)
    | st.text(max_size=8)
    | st.floats().map(repr)
)
@example("")
@example("nan")
@example("inf")
@example("-1")
@example("+1")
@example("1e99")
@example("1.234,5")
@example("1,234,567")
@example("1_000")
@example(" 1")
@example("1\n")
@example("٣")
@example("0x10")
@example(".5")
@example("5.")
def test_only_plain_finite_unsigned_numbers_are_read(text):
    try:
        number = exactly(text)
    except SdAnalysisError as error:
        assert repr(text) in str(error)
    else:
        assert re.fullmatch(PLAIN, text)
        assert number == Fraction(text)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("4k", 2**12), ("4K", 2**12), ("4 KiB", 2**12), ("16M", 2**24), ("1g", 2**30), ("512", 512)],
)
def test_a_size_is_in_powers_of_1024(printed, expected):
    assert size_in_bytes(printed) == expected


def test_a_size_has_at_most_eighteen_digits():
    assert size_in_bytes("9" * 18) == 10**18 - 1
    with pytest.raises(SdAnalysisError, match="found the size"):
        size_in_bytes("9" * 19)


@pytest.mark.parametrize("printed", ["", "k", "4.5k", "-4k", "4T", "4 apples", "٤k"])
def test_a_size_that_is_no_size_is_refused(printed):
    with pytest.raises(SdAnalysisError, match="found the size"):
        size_in_bytes(printed)


@pytest.mark.parametrize("printed", ["", "²", "１２", "-1", "1.0", "9" * 19, "9" * 5000])
def test_a_count_is_digits_of_ascii_and_fits_a_column(printed):
    with pytest.raises(SdAnalysisError, match="whole number"):
        whole_number(printed)


def test_a_count_has_eighteen_digits_at_most_and_one_too_long_to_show_is_shown_by_its_begin():
    assert whole_number("9" * 18) == 10**18 - 1
    for printed, shown in [("x1", "x1"), ("9" * 40, "9" * 40), ("9" * 41, "9" * 37 + "...")]:
        with pytest.raises(SdAnalysisError, match=f"^found '{re.escape(shown)}', expected"):
            whole_number(printed)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0.0123, "0.012"),
        (0.996, "1.0"),
        (1.04, "1.0"),
        (9.94, "9.9"),
        (9.95, "10"),
        (99.6, "100"),
        (1234.4, "1234"),
    ],
)
def test_a_factor_has_two_digits_or_all_before_the_point(number, words):
    assert in_two_digits(number) == words


def test_one_alone_has_no_plural():
    assert [counted(number, "run") for number in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]


@pytest.mark.parametrize("word", UNITS, ids=" ".join)
def test_a_whole_number_in_base_units_is_as_short_as_it_is_exact(word):
    unit = UNITS[word]
    for number in (3, 7, 66, 123, 1928, 61985, 241514):
        exact = Fraction(Decimal(repr(unit.factor))) * number
        assert repr(float(unit.of(number))) == repr(float(exact))
        assert unit.of(number) == interval(number_of(str(number)), unit)[0]
