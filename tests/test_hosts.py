"""What another computer changes, in figures and in words: by hand and on the real table."""

import pandas as pd
import pytest
from test_stats import figure, table

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError

DATA = sdanalysis.load_data()
SLOTS = DATA.hosts[(DATA.hosts["reader"] == "slot") & DATA.hosts["host"].str.startswith("pi-")]
HERE = DATA.measurements[DATA.measurements["reader"] == "slot"]


def figures(values, host, **fields):
    rows = [
        figure(number, "randread", value, specimen=f"us/{number}", host=host, reader="slot")
        | fields
        for number, value in enumerate(values)
    ]
    return [row | {"id": f"{host}{row['id']}", "repeat": 1} for row in rows]


def effects(old, new, **fields):
    rows = [*figures(old, "pi-3b"), *figures(new, "pi-4b", **fields)]
    pairs = stats.contrast_pairs(table(*rows), "host", DATA.noise, levels=["pi-3b", "pi-4b"])
    return stats.host_effects(pairs, SLOTS)


def test_a_factor_is_that_of_the_same_cards_with_the_ratio_of_the_limits_beside():
    (row,) = effects([1.0, 2.0, 4.0], [2.0, 4.1, 8.0]).itertuples()
    assert row.ratio == pytest.approx(2 * 1.025 ** (1 / 3))
    assert (row.what, row.place, row.bus, row.note) == (
        "small reads", "Raspberry Pi 4 Model B", 2.0, "2.0, 3 cards",
    )  # fmt: skip


def test_a_factor_that_is_not_certain_says_so_in_the_sentence():
    (line,) = stats.host_effects_in_words(effects([1.0, 2.0, 4.0], [0.5, 4.0, 9.0]))
    assert line.endswith(", Us's 3 cards: small reads 1.3 times as fast (not certain).")


def test_a_doubted_figure_is_in_no_factor():
    found = effects([1.0, 2.0, 4.0], [2.0, 4.0, 8.0], remarks="suspicious")
    assert found.empty
    assert stats.host_effects_in_words(found) == []


def test_a_computer_with_two_cards_is_named_where_there_is_nothing_else():
    (line,) = stats.host_effects_in_words(effects([1.0, 2.0], [2.0, 4.0]))
    assert line.endswith(", Us's 2 cards: small reads 2.0 times as fast (not certain).")


def test_two_people_are_two_lines_and_never_one():
    hosts = ["pi-3b", "pi-4b"]
    pairs = stats.contrast_pairs(HERE, "host", DATA.noise, levels=hosts)
    first, second = stats.host_effects_in_words(stats.host_effects(pairs, SLOTS))
    assert "Pi 4 Model B instead of Raspberry Pi 3 Model B, Geerling's 7 cards: large" in first
    assert second.startswith("The same, Arthur's 3 to 4 cards: large reads 1.9 times")


def test_the_cards_near_the_limit_are_counted_by_hand():
    rows = table(*figures([24.0, 22.0, 10.0, 21.25], "pi-3b"))
    rows = rows.assign(value=rows["value"] * 1e6)
    (row,) = stats.host_limits(rows, SLOTS).itertuples()
    assert (row.cards, row.near, row.least, row.note) == (4, 3, 0.4, "3 of 4 cards")
    assert stats.host_limits(rows, SLOTS, near=0.9)["near"].tolist() == [1]


def test_of_fewer_than_three_cards_it_is_not_said_whether_the_bus_was_measured():
    rows = table(*figures([24.0, 23.0], "pi-3b"))
    says = stats.bus_in_words(
        stats.host_limits(rows.assign(value=rows["value"] * 1e6), SLOTS), "it"
    )
    assert says == "Too few cards to say: Raspberry Pi 3 Model B (2 of 2 cards)."


def test_on_the_real_table_the_bus_of_the_pi_4_was_measured_and_that_of_the_pi_2_was_not():
    reads = stats.usable(HERE[HERE["tool"] == "hdparm"])
    says = stats.bus_in_words(stats.host_limits(reads, SLOTS), "large reads")
    limited, others = says.split(" Not in: ")
    assert "Raspberry Pi 4 Model B (24 of 24 cards)" in limited
    assert "Raspberry Pi 2 Model B (1 of 16 cards)" in others


def test_who_decides_is_read_from_the_spreads_of_computers_and_of_cards():
    says = stats.spread_in_words(HERE, "pi-3b")
    assert ": the computer decides large reads (computers 2." in says
    assert "the card decides" in says and "small writes (computers 1.2 times, cards 4." in says
    assert stats.spread_in_words(HERE[HERE["host"] == "pi-3b"], "pi-3b") == ""


@pytest.mark.parametrize(
    ("number", "words"),
    [(2.045, "2.0"), (0.873, "0.87"), (9.96, "10"), (11.6, "12"), (140.2, "140"), (0.04, "0.040")],
)
def test_a_factor_has_two_digits(number, words):
    assert stats.in_two_digits(number) == words


def test_pairs_are_not_changed():
    pairs = stats.contrast_pairs(HERE, "host", DATA.noise, levels=["pi-3b", "pi-4b"])
    before = pairs.copy()
    stats.host_effects(pairs, SLOTS)
    pd.testing.assert_frame_equal(pairs, before)


def test_a_share_that_is_none_is_refused():
    with pytest.raises(SdAnalysisError, match="found the share 7 as near, expected it between 0"):
        stats.host_limits(HERE, SLOTS, near=7)
