"""iozone's rows, printed by the widths of each layout, come back by position or are refused."""

from corpus_logs import key
from hypothesis import given, settings
from hypothesis import strategies as st
from iozone_printer import C2, errors, layout_named, log, read, row

from sdanalysis.parsers.iozone.layouts import LAYOUTS, TESTS


@st.composite
def tables(draw):
    layout = draw(st.sampled_from(LAYOUTS))
    tests = tuple(sorted(draw(st.sets(st.integers(0, 7), min_size=1))))
    widths = [width for test in tests for width in layout.fields[test]]
    fields = st.tuples(*(st.integers(1, 10 ** min(width, 9) - 1) for width in widths))
    return layout, tests, draw(st.lists(fields, min_size=1, max_size=4))


def touching(printed, rows):
    """Whether results stand without a blank between them."""
    pairs = zip(printed, rows, strict=True)
    return any(len(line.split()) != 2 + len(numbers) for line, numbers in pairs)


@settings(max_examples=300)
@given(tables(), st.booleans(), st.sampled_from(["", "> ", "host-1 | ", "    "]))
def test_every_subset_of_every_layout_is_read_by_position(table, strip, margin):
    layout, tests, rows = table
    printed = [row(layout, tests, values) for values in rows]
    text = log(layout, tests, [line.rstrip() if strip else line for line in printed])
    values, problems = read("".join(margin + line for line in text.splitlines(keepends=True)))
    ops = [op for test in tests for op in TESTS[test]]
    if not layout.proven and touching(printed, rows):
        return  # the widths of the oldest versions varied: such a row is refused, see below
    assert not errors(problems)
    assert [(value.op, int(value.raw)) for value in values] == [
        pair for numbers in rows for pair in zip(ops, numbers, strict=True)
    ]
    for value in values:
        line = text.splitlines()[value.line - 1]
        start = value.column - 1 - len(margin)
        assert line[start : start + len(value.raw)] == value.raw
        assert value.value == float(value.raw) * 1024


@settings(max_examples=200)
@given(tables(), st.booleans())
def test_without_a_command_line_a_row_is_right_or_refused(table, version):
    layout, tests, rows = table
    printed = [row(layout, tests, values) for values in rows]
    values, problems = read(log(layout, tests, printed, command=False, version=version))
    ops = [op for test in tests for op in TESTS[test]]
    refused = set(errors(problems))
    expected = [
        (place, op, number)
        for place, numbers in enumerate(rows, 4 + version)
        for op, number in zip(ops, numbers, strict=True)
        if place not in refused
    ]
    assert [(value.line, value.op, int(value.raw)) for value in values] == expected


@settings(max_examples=200)
@given(tables(), st.booleans(), st.data())
def test_a_cut_row_is_never_another_number(table, command, data):
    layout, tests, rows = table
    line = row(layout, tests, rows[0])
    place = data.draw(st.integers(0, len(line)))
    text = log(layout, tests, [line], command=command, version=command)
    start = text.index(line)
    whole = {key(value) for value in read(text)[0]}
    part = read(text[: start + place])[0]
    ops = [op for test in tests for op in TESTS[test]]
    true = dict(zip(ops, rows[0], strict=True))
    right = all(true[value.op] == int(value.raw) for value in part)
    assert {key(value) for value in part} <= whole or right


@settings(max_examples=100)
@given(tables())
def test_lost_blanks_need_the_command_line(table):
    layout, tests, rows = table
    printed = ["\t".join(row(layout, tests, values).split()) for values in rows]
    merged = touching(printed, rows)
    text = log(layout, tests, printed)
    values, problems = read(text)
    ops = [op for test in tests for op in TESTS[test]]
    if not merged:
        assert not errors(problems)
        assert [value.op for value in values] == ops * len(rows)
    values, problems = read(log(layout, tests, printed, command=False))
    full = len(tests) == 8 and not merged
    assert len(errors(problems)) >= (0 if full else sum(len(line.split()) < 15 for line in printed))


@settings(max_examples=100)
@given(tables())
def test_numbers_of_the_oldest_versions_are_right_or_refused(table):
    _, tests, rows = table
    layout = layout_named("A88")
    rows = [[min(number, 9_999_999) for number in numbers] for numbers in rows]
    values, problems = read(log(layout, tests, [row(layout, tests, one) for one in rows]))
    refused = errors(problems)
    kept = [numbers for place, numbers in enumerate(rows, 6) if place not in refused]
    assert [int(value.raw) for value in values] == [one for numbers in kept for one in numbers]


# Before 3.304 `read` and `record rewrite` were a digit wider in some releases than in others.


def test_a_row_broken_off_inside_a_number_of_one_width_is_no_row_of_the_other():
    line = row(layout_named("A98"), (0, 1), [2001, 3002, 123456, 4003])
    end = line.index("123456") + len("12345")
    text = log(layout_named("A98"), (0, 1), [line[:end], "", "iozone: interrupted"])
    values, problems = read(text)
    assert not values
    assert "expected 4" in problems[0].text


def test_the_last_row_of_a_file_is_refused_where_one_of_the_widths_had_another_digit():
    line = row(layout_named("A98"), (4,), [123456]).rstrip()
    text = log(layout_named("A98"), (4,), [line])
    assert [value.raw for value in read(text)[0]] == ["123456"]
    values, problems = read(text[: text.index(line) + len(line) - 1])
    assert not values
    assert "ends with the file after '12345', which may be cut" in problems[0].text


def unexpanded(line):
    """Return a line as `unexpand` writes it: tabs for the blanks before every eighth column."""
    parts = [line[place : place + 8] for place in range(0, len(line), 8)]
    return "".join(
        part.rstrip(" ") + "\t" if len(part) == 8 and part.endswith("  ") else part
        for part in parts
    )


def test_a_row_with_tabs_that_keep_its_columns_is_read_by_position():
    line = row(C2, (0, 3, 6), [81, 92, 1003, 204, 305]).rstrip()
    text = log(C2, (0, 3, 6), [unexpanded(line), unexpanded(line)], command=False)
    values, problems = read(text)
    assert not errors(problems)
    assert [value.op for value in values[:5]] == [
        "write",
        "rewrite",
        "bkwd_read",
        "fwrite",
        "frewrite",
    ]
    lines = text.splitlines()
    assert all(lines[value.line - 1][value.column - 1 :].startswith(value.raw) for value in values)
    assert [value.raw for value in values] == ["81", "92", "1003", "204", "305"] * 2


def test_a_row_whose_first_blanks_were_lost_is_read_by_position():
    line = row(C2, (0, 3), [81, 92, 1003])
    values, problems = read(log(C2, (0, 3), [line.strip(), line.strip()], command=False))
    assert not errors(problems)
    assert [(value.op, value.raw) for value in values[:3]] == [
        *(("write", "81"), ("rewrite", "92"), ("bkwd_read", "1003")),
    ]
