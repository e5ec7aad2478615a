"""Sentences that are made of figures: their direction, their digits, and how sure they are."""

import itertools

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import stats

DATA = sdanalysis.load_data()
MEASUREMENTS = DATA.measurements
CARDS = stats.card_names(DATA.media)
READERS = ["kulesz-workstation/cr0015", "kulesz-workstation/cr0034a"]


def cards(*ratios):
    """Cards of the catalogue with these ratios, as `card_ratios` returns them."""
    specimens = CARDS.index[: len(ratios)]
    pairs = pd.DataFrame({"specimen": specimens, "ratio": ratios})
    return stats.card_ratios(pairs)


def random_cards():
    pairs = stats.read_write_pairs(MEASUREMENTS)
    pairs = pairs.merge(DATA.media[["specimen", "form"]], on="specimen", validate="many_to_one")
    return pairs.query("tool == 'iozone' and access == 'random' and form == 'microSD'")


def contrast(*rows, levels=("a", "b")):
    columns = ["specimen", "op", "ratio", "within_noise"]
    pairs = pd.DataFrame(rows, columns=columns)
    return pairs.assign(measured_by=pairs["specimen"].str.partition("/")[0])


def test_the_direction_of_a_sentence_is_that_of_its_figures():
    reads = stats.read_write_in_words(cards(4.0, 4.1, 4.2), CARDS)
    writes = stats.read_write_in_words(cards(1 / 4.0, 1 / 4.1, 1 / 4.2), CARDS)
    assert reads[0] == (
        "Cards read small blocks about 4 times as fast as they write them (3 cards: 4.0 to 4.2)."
    )
    assert writes[0] == reads[0].replace("read small", "write small").replace("y write", "y read")
    assert (reads[1][:28], writes[1][:28]) == (
        "Reading is faster on 3 of 3,", "Reading is faster on 0 of 3,"
    )  # fmt: skip


def test_cards_that_disagree_are_not_certain():
    assert "not certain" in stats.read_write_in_words(cards(0.5, 2.0, 3.0), CARDS)[0]
    assert "not certain" not in stats.read_write_in_words(cards(1.5, 2.0, 3.0), CARDS)[0]


def test_of_eight_cards_and_more_the_middle_half_and_the_worst_are_told():
    (first, _) = stats.read_write_in_words(cards(*range(2, 11)), CARDS)
    assert "about 6 times as fast" in first
    assert f"(half of 9 cards: 4.0 to 8.0; worst 10, {CARDS.iloc[8]})" in first


@pytest.mark.parametrize("ratios", [(), (2.0,), (2.0, 0.5)])
def test_of_fewer_than_three_cards_each_is_told_and_nothing_is_decided(ratios):
    first, *each = stats.read_write_in_words(cards(*ratios), CARDS, form="SD")
    assert first.startswith("Too few for a rule, ")
    assert len(each) == len(ratios)
    assert all("2.0 times as fast" in line for line in each)


def test_only_what_two_runs_may_not_differ_by_is_counted_as_sure():
    (_, second) = stats.read_write_in_words(cards(1.2, 2.0, 3.0), CARDS, band=1.5)
    assert second == "Reading is faster on 3 of 3, on 2 by more than two runs may differ."


def test_the_first_headline_is_that_of_the_clean_cards():
    pairs = random_cards()
    clean = stats.card_ratios(pairs[pairs["kind"] == "clean"])
    ends = clean["ratio"].quantile([0.25, 0.5, 0.75])
    assert ends.tolist() == pytest.approx([2.749, 3.934, 6.329], rel=1e-3)
    assert len(clean) == 50
    assert len(stats.card_ratios(pairs)) == 51  # one card has doubted figures alone


def test_a_mean_of_other_cards_is_told_from_that_of_the_same_cards():
    common = stats.common_card_ratios(random_cards())
    row = common[(common["base"] == ("pi-2b", "slot")) & (common["other"] == ("pi-4b", "slot"))]
    found = row[["cards", "ratio_base", "ratio_other", "rest", "ratio_rest"]].iloc[0]
    assert found.tolist() == pytest.approx([8, 4.64, 4.90, 7, 13.6], rel=2e-3)


def test_places_are_compared_within_a_person_and_by_three_cards_at_least():
    common = stats.common_card_ratios(random_cards())
    assert common["measured_by"].is_monotonic_increasing
    assert (common["cards"] >= stats.MINIMUM).all()


def test_one_run_of_one_card_is_certain_only_beyond_run_noise():
    pairs = contrast(("us/a", "read", 2.0, False), ("us/a", "randwrite", 1.2, True))
    assert stats.contrast_in_words(pairs) == [
        "reading large files 2.0 times as fast",
        "writing small blocks 1.2 times as fast (not certain)",
    ]


def test_three_cards_have_an_interval_and_are_certain_where_it_spares_one():
    sure = contrast(
        *((f"us/{name}", "read", 2.0 + place / 10, False) for place, name in enumerate("abc"))
    )
    assert stats.contrast_in_words(sure) == [
        "reading large files 2.1 times as fast (3 cards: 1.9 to 2.4)"
    ]
    unsure = sure.assign(ratio=[0.5, 2.0, 4.0])
    assert stats.contrast_in_words(unsure)[0].endswith("; not certain)")


def test_people_are_not_pooled_into_one_factor():
    rows = [(f"{owner}/{name}", "read", 2.0, False) for owner in ("us", "them") for name in "abc"]
    said = stats.contrast_in_words(contrast(*rows))
    assert [line.partition("(")[2].partition(";")[0] for line in said] == ["Them", "Us"]


def test_the_two_readers_share_two_cards_without_doubt():
    pairs = stats.contrast_pairs(MEASUREMENTS, "reader", DATA.noise, levels=READERS)
    clean = pairs[pairs["kind"] == "clean"]
    assert clean["specimen"].unique().tolist() == [
        "kulesz/samsung-evo+-32gb",
        "kulesz/sandisk-ultra-64gb",  # whose small blocks alone are not doubted
    ]
    assert [line.split(" times")[0].split()[-1] for line in stats.contrast_in_words(clean)] == [
        "2.3", "2.4", "1.5", "1.4"
    ]  # fmt: skip


def test_no_two_specimens_share_a_name():
    assert stats.specimen_names(DATA.media, owners=True).is_unique


def test_a_name_holds_no_id():
    for specimen, name in stats.specimen_names(DATA.media, owners=True).items():
        assert "/" not in name
        assert specimen not in name


def test_two_digits_are_left_of_a_ratio_and_never_an_exponent():
    for number in itertools.chain(range(1, 5000, 7), (0.0123, 0.999, 1.04999, 9.96, 99.6)):
        said = stats.in_two_digits(number)
        assert float(said) == pytest.approx(number, rel=0.051)
        assert "e" not in said


def test_one_source_ran_fio_and_iozone_on_the_same_cards_and_fio_mixed_and_queued():
    """What notebook 08 and the page of a card say of comparing the two tools."""
    rows = MEASUREMENTS[MEASUREMENTS["tool"].isin(["fio", "iozone"])]
    both = rows.groupby("specimen")["tool"].nunique() == 2
    own = rows[rows["specimen"].isin(both.index[both]) & (rows["origin"] == "primary")]
    assert own["measured_by"].unique().tolist() == ["chilina"]
    fio = own[own["tool"] == "fio"]
    assert fio["specimen"].nunique() == 7
    assert (fio["read_mix"].notna() & fio["iodepth"].gt(1)).all()
