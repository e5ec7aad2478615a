"""Which card for a board and use, as the front page says it: the sentences follow the data."""

import re
from dataclasses import replace

import pytest

import sdanalysis
from sdanalysis import stats
from sdanalysis.cards.answers import BOARDS, USES, answers, as_picker, with_links

DATA = sdanalysis.load_data()
TAKEN = "SanDisk Extreme PRO 32 GB A1"


def facts_of(measurements, media=DATA.media, host="pi-4b"):
    case = stats.buyer_case(measurements, media, DATA.hosts, host, "system")
    rows = stats.advice_facts(case)
    return {
        "lead": stats.advice_in_short(case),
        **dict(zip(rows["fact"], rows["text"], strict=True)),
    }


@pytest.fixture(scope="module")
def usual():
    return facts_of(DATA.measurements)


def test_the_advice_leaves_a_card_whose_figures_are_halved(usual):
    assert TAKEN in usual["lead"]
    rows = DATA.measurements
    names = stats.card_names(DATA.media, rated=True)
    slower = rows["specimen"].isin(names.index[names == TAKEN]) & (rows["op"] == "randwrite")
    columns = ["value", "value_low", "value_high"]
    changed = rows.assign(**{name: rows[name].mask(slower, rows[name] / 2) for name in columns})
    assert TAKEN not in facts_of(changed)["lead"].splitlines()[0]


def test_a_name_with_a_slower_vintage_is_good_only_as_the_older_card(usual):
    assert usual["Good only as the older card"] == ("Samsung Evo+ 32 GB, part number MB-MC32DA.")
    media = DATA.media.assign(vintage="unknown", part_number=None)
    assert "Good only as the older card" not in facts_of(DATA.measurements, media)


def test_a_board_without_cards_has_the_advice_of_a_board_with_such_a_slot():
    rows = DATA.measurements[DATA.measurements["host"] != "pi-2b"]
    found = facts_of(rows, host="pi-2b")
    assert TAKEN in found["lead"]
    assert "on a Pi 3" in found["Measured"]


def test_a_table_without_cards_says_so_on_each_choice():
    page = as_picker(replace(DATA, measurements=DATA.measurements.head(0)))
    assert page.count("No card is the advice: nobody measured small writes of 3 cards") == 5
    assert "<table" not in page


def test_each_choice_has_an_answer_with_links_and_at_most_eight_bars_the_fastest_first(monkeypatch):
    boards = {name: BOARDS[name] for name in ("pi-4b", "pi-zero-2w")}  # one of them has no cards
    monkeypatch.setattr("sdanalysis.cards.answers.BOARDS", boards)
    found = list(answers(DATA))
    monkeypatch.setattr("sdanalysis.cards.answers.answers", lambda *given: found)
    page = as_picker(DATA)
    ids = re.findall(r'<article class="choice" id="(.+?)"', page)
    assert ids == [f"{board}-{use}" for board in boards for use in USES]
    assert page.count('<p class="take-this">') == len(ids)
    known = {f"cards.html#{name}" for name in DATA.media["specimen"]}
    known |= {f"cards.html#board={board}" for board in BOARDS}
    assert set(re.findall(r'href="(.+?)"', page)) <= known
    for answer in found:
        widths = [bar["width"] for bar in answer["bars"]]
        assert len(widths) <= 8
        assert widths == sorted(widths, reverse=True)
        assert widths[0] == 100


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<b> & A 32 GB", '&lt;b&gt; &amp; <a href="x">A 32 GB</a>'),
        ("A 32 GB A1", '<a href="y">A 32 GB A1</a>'),
        ("A 32 GBs", "A 32 GBs"),
    ],
)
def test_a_name_is_a_link_and_all_else_is_text(text, html):
    assert str(with_links(text, {"A 32 GB": "x", "A 32 GB A1": "y"})) == html
    assert str(with_links("<", {})) == "&lt;"
