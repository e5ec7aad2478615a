"""hdparm's timings: repeated, broken up by errors, of old releases and of BusyBox."""

import textwrap
from functools import partial

import corpus_logs
import pytest
from hypothesis import given
from hypothesis import strategies as st

measured, errors, notes = (
    partial(one, "hdparm") for one in (corpus_logs.measured, corpus_logs.errors, corpus_logs.notes)
)


KB, MB = 2**10, 2**20


@pytest.mark.parametrize(
    ("line", "op", "value", "direct"),
    [
        (" Timing cached reads:     2 MB in  7.77 seconds = 263.71 kB/sec", "cached_read", KB, 0),
        ("Timing cached reads 2 MB in 7.77 seconds = 263.71 kB/sec", "cached_read", KB, 0),
        ("Timing buffered disk reads: 992 MB in 3.00 seconds=330.43 MB/sec", "read", MB, 0),
        (
            " Timing buffer-cache reads:   128 MB in  0.57 seconds =224.56 MB/sec",
            "cached_read",
            MB,
            0,
        ),
        (
            "Timing buffer-cache reads:  2562 MB in 2.00 seconds = 1311744 kB/s",
            "cached_read",
            KB,
            0,
        ),
        (" Timing buffered disk reads:   64 MB in  2.10 seconds = 30.48 MB/sec", "read", MB, 0),
        ("Timing buffered disk reads:  512 MB in 0.53 seconds = 971517 kB/s", "read", KB, 0),
        (
            " Timing O_DIRECT cached reads:   724 MB in  2.00 seconds = 361.84 MB/sec",
            "cached_read",
            MB,
            1,
        ),
        (
            " Timing O_DIRECT disk reads (offset 50 GB): 54 MB in 3.01 seconds =  17.95 MB/sec",
            "read",
            MB,
            1,
        ),
        (
            "> Timing buffered disk reads: 134 MB in  3.02 seconds =  44.38 MB/sec</pre>",
            "read",
            MB,
            0,
        ),
    ],
)
def test_cache_and_disk_old_and_new_words_and_both_units_are_read(line, op, value, direct):
    (item,) = measured(line)
    assert (item.op, item.direct) == (op, bool(direct))
    assert item.value == float(item.raw) * value
    assert line[item.column - 1 :].startswith(f"{item.raw} {item.raw_unit}")
    assert notes(line) == []


@pytest.mark.parametrize(
    "line",
    [
        " Timing buffered disk reads:  54 MB in  3,01 seconds =  17,95 MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = 46.53 MB/s",  # not hdparm's MB
        " Timing buffered disk reads: 134 MB in  3.02 seconds = 44.3",
        " Timing buffered disk reads: 134 MB in  0.00 seconds = 44.38 MB/sec",
        " Timing buffered disk reads:   0 MB in  3.02 seconds =  0.00 MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = inf MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = nan MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = -44.38 MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = 44.38 GB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 seconds = 99999999999.00 MB/sec",
        " Timing buffered disk reads: 134 MB in  3.02 secon",
    ],
)
def test_what_is_no_rate_is_refused_with_its_line(line):
    text = f"\n/dev/sda:\n{line}"
    assert measured(text) == []
    assert [item.line for item in errors(text)] == [3]


def test_figures_that_disagree_are_read_with_a_word():
    text = " Timing buffered disk reads: 512 MB in  3.00 seconds = 107.75 MB/sec"
    assert [item.raw for item in measured(text)] == ["107.75"]
    assert "expected 170.33 to 171.01 MB/sec" in notes(text)[0]


def test_a_slow_rate_may_differ_by_its_rounding_without_a_word():
    assert notes(" Timing buffered disk reads:   9 MB in  8.67 seconds =   1.04 MB/sec") == []
    assert len(notes(" Timing buffered disk reads:   9 MB in  8.67 seconds =   1.05 MB/sec")) == 1


@pytest.mark.parametrize(
    ("rate", "doubted"),
    [  # 100 MB in 1.00 s: rounded to 0.01 s, with 0.1 % more for the rate that hdparm computed
        *(("99.30 MB/sec", False), ("99.28 MB/sec", True)),
        *(("100.70 MB/sec", False), ("100.72 MB/sec", True)),
        # BusyBox cuts its seconds: they may be 0.01 s longer, and no shorter
        *(("101184 kB/s", False), ("101183 kB/s", True)),
        *(("103119 kB/s", False), ("103124 kB/s", True)),
    ],
)
def test_a_rate_may_leave_its_seconds_by_their_rounding_alone(rate, doubted):
    line = f" Timing buffered disk reads: 100 MB in  1.00 seconds = {rate}"
    assert [item.raw for item in measured(line)] == [rate.split()[0]]
    assert len(notes(line)) == doubted


def test_the_megabytes_of_a_slow_card_may_leave_out_less_than_a_kilobyte():
    line = " Timing buffered disk reads:   1 MB in  1.00 seconds = {} kB/sec"
    assert notes(line.format("1032.20")) == []
    assert len(notes(line.format("1032.30"))) == 1


def test_a_command_line_begins_a_run():
    cached = " Timing cached reads:   1880 MB in  2.00 seconds = 940.14 MB/sec\n"
    disk = " Timing buffered disk reads:   10 MB in  3.00 seconds =   3.33 MB/sec\n"
    for command in ("$ sudo hdparm -t /dev/sda\n", "hdparm --direct -t /dev/sda\n"):
        assert [item.run for item in measured(cached + command + disk)] == ["1-hdparm", "3-hdparm"]
    for words in ("", "hdparm says:\n", "myhdparm -t\n", "$ hdparmx -t\n"):
        assert [item.run for item in measured(cached + words + disk)] == ["1-hdparm"] * 2


def test_a_rate_with_other_decimals_is_refused_where_its_figures_do_not_bear_it_out():
    (error,) = errors(" Timing buffered disk reads: 134 MB in  3.02 seconds = 46.5 MB/sec")
    assert "expected `<n> MB in <n.nn> seconds = <n.nn> MB/sec`" in error.text


@pytest.mark.parametrize("digits", [18, 309, 5000])
@pytest.mark.parametrize(
    "form", ["N MB in 3.02", "134 MB in N.02", "134 MB in 3.N", "(offset N GB)"]
)
def test_numbers_of_any_length_raise_nothing(form, digits):
    label = " Timing O_DIRECT disk reads: "
    for line in (
        f"{label}{form} seconds = 44.38 MB/sec",
        f"{label}134 MB in  3.02 seconds = {form.replace('N', 'N.38')} MB/sec",
        f" Timing O_DIRECT disk reads {form}: 134 MB in  3.02 seconds = 44.38 MB/sec",
    ):
        measured(line.replace("N", "9" * digits))


@pytest.mark.parametrize(
    "end", ["/dev/sdb:", "/dev/sdb:\n", "/dev/sdb:\n Tim", " Timing buffered di"]
)
def test_a_log_that_ends_before_its_last_timing_says_so(end):
    text = "/dev/sda:\n Timing cached reads:   1880 MB in  2.00 seconds = 940.14 MB/sec\n"
    assert notes(text) == notes(f"{text}/dev/sdb:\n geometry = 1/2/3\n") == []
    assert len(measured(text + end)) == 1
    assert "the log may be cut" in notes(text + end)[0]


@pytest.mark.parametrize(
    "message",
    [
        "read() hit EOF - device too small",
        "read() failed: Input/output error",
        "read(2097152) returned 1048576 bytes",
        "BLKFLSBUF failed: Inappropriate ioctl for device",
        "",
    ],
)
def test_a_label_with_an_error_in_the_place_of_figures_is_no_result(message):
    text = f"/dev/sda:\n Timing buffered disk reads: {message}\n"
    assert measured(text) == [] and errors(text) == []
    assert len(notes(text)) == 1


def test_figures_that_an_error_parted_from_their_label_are_read_where_they_stand():
    label, figures = " Timing buffered disk reads: ", "134 MB in  3.02 seconds =  44.38 MB/sec\n"
    error = "HDIO_DRIVE_CMD(null) (wait for flush complete) failed: Inappropriate ioctl\n"
    assert [(m.line, m.column) for m in measured(label + error + figures)] == [(2, 28)]
    assert [m.line for m in measured(label + error.strip() + " " + figures)] == [1]
    other = f"{label}\n{label}{figures}"  # the second label's figures are not the first's
    assert [m.line for m in measured(other)] == [2]
    assert measured(f"{label}\n\n{figures}") == []


@pytest.mark.parametrize("quote", ["", "> ", "> > "])
@pytest.mark.parametrize("width", range(26, 75, 4))
def test_a_timing_that_a_mail_program_broke_anywhere_is_read(width, quote):
    timings = (
        " Timing cached reads:   1228 MB in  2.00 seconds = 613.79 MB/sec",
        " Timing buffered disk reads:  124 MB in  3.01 seconds =  41.26 MB/sec",
    )
    wrapped = [line for text in timings for line in textwrap.wrap(text, width)]
    log = "".join(f"{quote}{line}\n" for line in wrapped)
    found = [(one.op, one.raw) for one in measured(log)]
    expected = [("cached_read", "613.79"), ("read", "41.26")]
    assert found == [one for one in expected if one in found]  # no other, and in their order
    assert width < 38 or found == expected  # in two lines
    for one in measured(log):
        assert log.splitlines()[one.line - 1][one.column - 1 :].startswith(one.raw)


def test_a_unit_that_a_mail_program_wrapped_belongs_to_the_figures_above_it():
    wrapped = "> Timing buffered disk reads:  64 MB in  3.05 seconds = 20.98\n> {}\n"
    (item,) = measured(wrapped.format("MB/sec"))
    assert (item.value, item.line, item.column) == (20.98 * MB, 1, 57)
    assert errors(wrapped.format("MB/sec")) == []
    assert len(errors(wrapped.format("MB of text"))) == 1


@pytest.mark.parametrize(("between", "found"), [(0, 1), (1, 1), (2, 1), (3, 0)])
def test_figures_are_looked_for_in_the_three_lines_below_their_label(between, found):
    text = " Timing buffered disk reads:\n" + "an error message\n" * between
    assert len(measured(f"{text}134 MB in  3.02 seconds =  44.38 MB/sec\n")) == found


def test_the_version_is_that_of_the_words_above():
    timing = " Timing buffered disk reads: 134 MB in  3.02 seconds =  44.38 MB/sec\n"
    text = f"{timing}hdparm v9.65\n{timing}hdparm v10\n{timing}"
    assert [item.tool_version for item in measured(text)] == [None, "9.65", "9.65"]


@pytest.mark.parametrize(
    ("printed", "unit"),
    [
        ("30.48MB/sec", "MB/sec"),
        ("30 MB/sec", "MB/sec"),
        ("30.48 MB/s", "MB/s"),
        ("30.48MB", None),
        ("30.5 MB/sec", "MB/sec"),
    ],
)
def test_somebody_wrote_the_rate_otherwise(printed, unit):
    line = f" Timing buffered disk reads:   64 MB in  2.10 seconds = {printed}\n$ \n"
    rates = [(float(item.raw) * 2**20, item.raw_unit, item.value) for item in measured(line)]
    assert all(value == rate for rate, _, value in rates)
    assert [word for _, word, _ in rates] == ([unit] if unit else [])
    assert bool(errors(line)) is (unit is None)


def test_a_unit_that_was_wrapped_to_the_next_label_belongs_to_the_figures_above_it():
    log = ">> Timing buffer-cache reads: 168 MB in  2.01 seconds =  83.58\n"
    log += (
        ">> MB/sec Timing buffered disk reads: 44 MB in  3.12 seconds =\n>> 14.10 MB/sec on 2.6:\n"
    )
    assert [(item.line, item.raw, item.op) for item in measured(log)] == [
        (1, "83.58", "cached_read"),
        (3, "14.10", "read"),
    ]
    assert errors(log) == []


def test_two_devices_that_a_page_put_into_one_line_have_a_run_each():
    one = "Timing cached reads: 20 MB in 2.00 seconds = 10.00 MB/sec"
    disk = "Timing buffered disk reads: 60 MB in 3.00 seconds = 20.00 MB/sec"
    found = measured(f"/dev/sda: {one} {disk} /dev/sdb: {one} {disk} /dev/sdc: {one}\n")
    assert [item.run for item in found] == [
        *("1-hdparm", "1-hdparm", "1-hdparm-2", "1-hdparm-2", "1-hdparm-3"),
    ]


def test_the_figures_of_one_device_share_a_run_and_the_next_device_has_its_own():
    pair = (
        " Timing cached reads:   1880 MB in  2.00 seconds = 940.14 MB/sec\n"
        " Timing buffered disk reads:   10 MB in  3.00 seconds =   3.33 MB/sec\n"
    )
    text = f"/dev/sda: (Seagate)\n{pair}\n/dev/hda:\n{pair}{pair}"
    assert [item.run for item in measured(text)] == [
        *["1-hdparm"] * 2,
        *["5-hdparm"] * 2,
        *["8-hdparm"] * 2,
    ]


@given(
    megabytes=st.integers(1, 10**5),
    seconds=st.decimals("0.5", "20", places=2),
    label=st.sampled_from(["cached reads", "buffered disk reads", "O_DIRECT disk reads"]),
)
def test_a_timing_of_any_size_is_read_back_without_a_word(megabytes, seconds, label):
    rate = megabytes / float(seconds)
    printed = f"{rate:6.2f} MB/sec" if rate > 1 else f"{rate * 1024:6.2f} kB/sec"
    text = f" Timing {label}: {megabytes:3d} MB in {seconds:5} seconds = {printed}"
    (item,) = measured(text)
    assert item.value_low <= rate * MB * 1.0000001 and rate * MB * 0.9999999 <= item.value_high
    assert notes(text) == []


@given(st.text(alphabet="0123456789 Timingbuferdsk:=.,MB/ec\n", max_size=80))
def test_any_text_is_read_or_refused(text):
    for item in measured(f" Timing buffered disk reads: {text}"):
        assert 0 < item.value <= 1e13


def test_timings_that_a_quotation_repeats_are_counted_once():
    told = "/dev/hda:\n Timing cached reads: 248 MB in 2.03 seconds = 122.13 MB/sec\n"
    told += " Timing buffered disk reads: 50 MB in 3.03 seconds = 16.50 MB/sec\n"
    assert [item.line for item in measured(f"{told}NeoMayhem wrote:\n{told}")] == [2, 3]
    assert notes(f"{told}NeoMayhem wrote:\n{told}") == [
        "found the timing of line 2 again: counted once",
        "found the timing of line 3 again: counted once",
    ]
    alone = "/dev/hda:\n Timing buffered disk reads: 134 MB in 3.02 seconds = 44.38 MB/sec\n"
    assert len(measured(alone * 2)) == 2
    old = told.replace("248 MB in 2.03", "128 MB in 1.05").replace("122.13", "121.90")
    assert len(measured(old * 2)) == 4


@pytest.mark.parametrize(
    "end", ["", "> \n", "> Timing buf", "> Timing buffered disk reads: 134 MB in"]
)
def test_half_a_pair_that_the_end_of_a_page_left_of_a_quotation_is_counted_once(end):
    first = "/dev/sdz:\n Timing cached reads:   1286 MB in  2.00 seconds = 642.99 MB/sec\n"
    told = f"{first} Timing buffered disk reads: 134 MB in  3.02 seconds =  44.38 MB/sec\n"
    quoted = f"{told}Bob wrote:\n" + "".join(f"> {line}\n" for line in first.splitlines())
    assert [row.line for row in measured(quoted + end)] == [2, 3]
    assert notes(quoted + end)[0] == "found the timing of line 2 again: counted once"
    assert len(measured(f"{quoted}{end}\nWhat is that?\nOnly this.\n")) == 3
    assert len(measured(quoted.replace("> ", "").replace("1286", "1288", 1) + end)) == 3


def test_timings_of_few_digits_are_repeated_where_words_say_that_they_are_quoted():
    told = "/dev/hda:\n Timing buffered disk reads: 134 MB in 3.02 seconds = 44.38 MB/sec\n"
    for words in ("> **somebody said:**\n> so:\n```\n$ sudo hdparm -t /dev/hda", "[QUOTE=x]"):
        assert len(measured(f"{told}Slow.\n{words}\n{told}")) == 1
    for words in ("I said: again", "It said\n" + "more\n" * 9):
        assert len(measured(f"{told}{words}\n{told}")) == 2
    again = told.replace("3.02", "3.01").replace("44.38", "44.52")
    assert len(measured(f"{told}He wrote:\n{again}")) == 2
