"""What another computer changes, in figures and in words: by hand and on the real table."""

import math

import pytest
from test_stats import figure, table

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError

DATA = sdanalysis.load_data()
SLOTS = DATA.hosts[(DATA.hosts["reader"] == "slot") & DATA.hosts["host"].str.startswith("pi-")]
HERE = DATA.measurements[DATA.measurements["reader"] == "slot"]


def figures(values, host, *, op="randread", tool="iozone", **fields):
    rows = [
        figure(number, op, value, specimen=f"us/{number}", host=host, reader="slot", tool=tool)
        | fields
        for number, value in enumerate(values)
    ]
    return [row | {"id": f"{host}{op}{row['id']}", "repeat": 1} for row in rows]


def gains(old, new, **fields):
    rows = table(*figures(old, "pi-3b", **fields), *figures(new, "pi-4b", **fields))
    return stats.host_gains(rows, SLOTS, "pi-3b")


def test_small_blocks_have_one_factor_for_all_cards():
    found = gains([1e6, 2e6, 4e6], [2e6, 4.1e6, 8e6])
    (row,) = found.itertuples()
    assert row.ratio == pytest.approx(2 * 1.025 ** (1 / 3))
    assert (row.what, row.place, row.bus, row.cards) == ("small reads", "Pi 4", 2.0, 3)
    assert math.isnan(row.speed)


def test_a_slot_that_spares_each_card_the_same_time_helps_the_fast_ones_most():
    times = [1.0, 0.2, 0.1]
    old, new = ([1e6 / (time + slot) for time in times] for slot in (0.05, 0.01))
    found = gains(old, new, op="read", tool="hdparm")
    assert found["speed"].tolist() == pytest.approx(old)
    assert found["ratio"].tolist() == pytest.approx([1.05 / 1.01, 0.25 / 0.21, 0.15 / 0.11])
    lines = stats.host_gains_in_words(found)
    assert lines == ["Large reads are 1.0 times as fast for the slowest card and 1.4 times for "
                     "the fastest (3 cards)."]  # fmt: skip


def test_a_doubted_figure_is_in_no_factor_and_two_cards_make_no_sentence():
    assert gains([1e6, 2e6, 4e6], [2e6, 4e6, 8e6], remarks="suspicious").empty
    (line,) = stats.host_gains_in_words(gains([1e6, 2e6], [2e6, 4e6]))
    assert line == "No 3 cards of one person were measured in two of these computers."


def test_a_factor_that_is_not_certain_says_so():
    (line,) = stats.host_gains_in_words(gains([1e6, 2e6, 4e6], [0.5e6, 4e6, 9e6]))
    assert line.endswith("small reads are not certainly faster or slower (3 cards).")


def test_on_the_real_table_no_end_is_above_the_slot():
    found = stats.host_gains(HERE, SLOTS, "pi-3b")
    limits = found["other"].map(SLOTS.set_index("host")["limit"])
    large = found["speed"].notna()
    assert (found["high"] * found["speed"])[large].le(limits[large] * (1 + 1e-9)).all()


def test_the_cards_near_the_limit_are_counted_by_hand():
    rows = table(*figures([24.0, 22.0, 10.0, 21.25], "pi-3b"))
    rows = rows.assign(value=rows["value"] * 1e6)
    (row,) = stats.host_limits(rows, SLOTS).itertuples()
    assert (row.cards, row.near, row.least, row.note) == (4, 3, 0.4, "3 of 4 cards")
    assert stats.host_limits(rows, SLOTS, near=0.9)["near"].tolist() == [1]


def test_of_fewer_than_three_cards_it_is_not_said_whether_the_bus_was_measured():
    rows = table(*figures([24.0, 23.0], "pi-3b"))
    limits = stats.host_limits(rows.assign(value=rows["value"] * 1e6), SLOTS)
    assert stats.bus_in_words(limits, "it") == "Too few cards to say: Pi 3 (2 of 2 cards)."


@pytest.mark.parametrize(
    ("number", "words"),
    [(2.045, "2.0"), (0.873, "0.87"), (9.96, "10"), (11.6, "12"), (140.2, "140"), (0.04, "0.040")],
)
def test_a_factor_has_two_digits(number, words):
    assert stats.in_two_digits(number) == words


def test_a_share_that_is_none_is_refused():
    with pytest.raises(SdAnalysisError, match="found the share 7 as near, expected it between 0"):
        stats.host_limits(HERE, SLOTS, near=7)
