"""Older against newer: these cards by the model, and what a part number promises."""

import numpy as np
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import stats
from sdanalysis.errors import SdAnalysisError

DATA = sdanalysis.load_data()
MEDIA = DATA.media
FIT = stats.fit_model(DATA.measurements, "randwrite")
PAIRS = stats.vintage_pairs(FIT, MEDIA)
NAMES = stats.card_names(MEDIA), stats.place_names(DATA.hosts)


def pair(**conditions):
    """Return the one pair that meets the conditions."""
    chosen = PAIRS
    for name, value in conditions.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_the_family_is_known_by_part_number_or_year_and_never_by_a_name():
    cards = stats.generations(MEDIA).set_index("specimen")
    for name in ("geerling/samsung-evo-plus-64gb", "geerling/samsung-evo-select-32gb"):
        assert pd.isna(cards.loc[name, "generation"])
        assert not (PAIRS[["specimen", "specimen_other"]] == name).any(axis=None)
    assert "MB-ME32DA" in cards.loc["geerling/samsung-evo-select-32gb", "why"]
    assert "geerling/samsung-evo-16gb" not in cards.index


def test_a_card_of_the_family_without_vintage_has_no_generation():
    chilina = MEDIA["specimen"] == "chilina/samsung-evo+-32gb-da"
    nameless = MEDIA.assign(vintage=MEDIA["vintage"].mask(chilina, "unknown"))
    known, fewer = (stats.generations(media)["generation"] for media in (MEDIA, nameless))
    assert (fewer.notna().sum(), len(fewer)) == (known.notna().sum() - 1, len(known))
    assert len(stats.vintage_pairs(FIT, nameless)) == len(PAIRS) - 1


def test_cards_are_compared_by_all_their_figures_and_by_those_of_the_place():
    chilina = pair(measured_by="chilina")
    assert chilina["measured"] == pytest.approx(0.66 / 3.04)
    assert chilina["ratio"] == pytest.approx(chilina["measured"])
    assert (chilina["verdict"], chilina["same_capacity"]) == ("<1", True)
    arthur = PAIRS[PAIRS["measured_by"] == "arthur"]
    assert arthur["ratio"].nunique() == 1 or np.ptp(arthur["ratio"]) < 1e-9
    assert arthur["ratio"].iloc[0] == pytest.approx(np.sqrt(arthur["measured"].prod()))


@pytest.mark.parametrize(
    ("verdict", "ratio", "words"),
    [
        (">1", 1.5, "the newer {} is 1.5 times as fast as the older {} in small writes."),
        ("<1", 0.5, "the older {1} is 2.0 times as fast as the newer {0} in small writes."),
        ("~", 1.5, "the older {1} is not certainly faster or slower than the newer {0} in "),
        ("points", 0.5, "the newer {0} by these figures, with an error that is not known in "),
    ],
)
def test_the_faster_of_two_vintages_is_named_first_where_the_interval_decides(
    verdict, ratio, words
):
    pairs = PAIRS[PAIRS["measured_by"] == "chilina"].assign(verdict=verdict, ratio=ratio)
    (line,) = stats.vintage_in_words(pairs, PAIRS.iloc[:0], "randwrite", *NAMES)
    new, old = (f"{NAMES[0][pairs[name].iloc[0]]}" for name in ("specimen_other", "specimen"))
    assert words.format(new, old) in line.replace(" (MB-MC32DA)", "").replace(" (MB-MC32GA)", "")


def test_on_a_scale_of_times_each_place_has_a_ratio_of_its_own():
    pairs = stats.vintage_pairs(stats.fit_model(DATA.measurements, "write"), MEDIA)
    assert pairs["measured_by"].tolist() == ["arthur", "arthur"]
    assert pairs["ratio"].is_monotonic_increasing
    assert pairs["ratio"].nunique() == 2
    products = stats.vintage_products(FIT.figures, MEDIA)
    lines = stats.vintage_in_words(pairs, products.iloc[:0], "write", *NAMES)
    assert [" ".join(line.split()[:4]) for line in lines] == ["16 GB against 32"] * 2


def test_a_part_number_promises_nothing_where_too_few_products_had_several_cards():
    found = stats.vintage_products(stats.model_figures(DATA.measurements, "write"), MEDIA)
    assert set(found["reason"]) == {"few_pairs"}
    assert set(found["verdict"]) == {"points"}
    line = stats.vintage_in_words(PAIRS.iloc[:0], found, "write", *NAMES)[0]
    assert line.endswith("is not known: too few products were measured with several cards.")


def test_a_planted_ratio_of_two_products_is_found_and_a_product_nobody_measured_is_refused():
    figures = FIT.figures
    parts = "samsung-evo+-32gb-mc32da", "samsung-evo-plus-32gb-mc32ga"
    before = stats.product_ratio(figures, *parts)
    twice = figures["value"].where(figures["medium"] != parts[1], 2 * figures["value"])
    after = stats.product_ratio(figures.assign(value=twice), *parts)
    assert np.divide(after[:3], before[:3]) == pytest.approx(2)
    back = stats.product_ratio(figures, *reversed(parts))
    assert (1 / back.value, 1 / back.high) == pytest.approx((before.value, before.low))
    with pytest.raises(SdAnalysisError, match="found the medium 'none'"):
        stats.product_ratio(figures, "none", parts[1])
