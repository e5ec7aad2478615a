"""The page of all cards: who is in it, what chance cannot part, and where each number stands."""

import base64
import io
import re

import pandas as pd
import pytest

from sdanalysis import cards, cli, load_data, stats
from sdanalysis.cards.document import document
from sdanalysis.cards.page import as_csv, as_page
from sdanalysis.paths import DATA
from sdanalysis.sources.explain import explain

EVO = "geerling/samsung-evo+-32gb"


@pytest.fixture(scope="module")
def data():
    return load_data(companions=True)


@pytest.fixture(scope="module")
def all_cards(data):
    return document(data, DATA)


@pytest.fixture(scope="module")
def page(all_cards):
    return as_page(all_cards)


def card(all_cards, specimen):
    return next(card for card in all_cards["cards"] if card["specimen"] == specimen)


def place(all_cards, name):
    return next(place for place in all_cards["places"] if place["id"] == name)


def test_every_card_with_a_figure_is_there_wherever_it_was_measured(data, all_cards):
    rows = data.measurements
    met = set(rows[["specimen", "host", "reader"]].itertuples(index=False, name=None))
    shown = [
        (row["specimen"], *place["id"].split("/"))
        for place in all_cards["places"]
        for row in place["rows"]
    ]
    assert sorted(shown) == sorted(met)
    assert {card["specimen"] for card in all_cards["cards"]} == set(rows["specimen"])


def test_a_place_is_that_of_the_ranking_of_its_computer(data, all_cards):
    ranked = stats.rankings(data.measurements, data.media, data.noise)
    ranked = ranked[(ranked["host"] == "pi-4b") & (ranked["reader"] == "slot")]
    shown = {row["specimen"]: row["cells"] for row in place(all_cards, "pi-4b/slot")["rows"]}
    for row in ranked.itertuples():
        cell = shown[row.specimen][row.op]
        expected = row.place, [row.rank_low, row.rank_high]
        if row.op == "read":  # which measures the bus there
            expected = None, None
        assert (cell["place"], cell["ranks"]) == expected
        assert cell["value"] == row.value / 1e6
    assert set(ranked["op"]) == {"read", "write", "randread", "randwrite"}


def test_cards_that_chance_cannot_part_share_a_place(all_cards, page):
    cells = [row["cells"]["randwrite"] for row in place(all_cards, "pi-4b/slot")["rows"]]
    first = [cell for cell in cells if cell["place"] == 1]
    assert [cell["place"] for cell in cells[: len(first) + 1]] == [1] * len(first) + [
        1 + len(first)
    ]
    assert {cell["shared"] for cell in first} == {len(first)}
    assert f"place 1= of {len(cells)}" in page


def test_below_three_cards_and_with_a_doubt_there_is_no_place(all_cards):
    cells = [
        cell
        for place in all_cards["places"]
        for row in place["rows"]
        for cell in row["cells"].values()
    ]
    assert all(cell["place"] is None for cell in cells if cell["doubted"])
    assert any(cell["doubted"] for cell in cells)
    assert all(cell["cards"] >= 3 for cell in cells if cell["place"])
    [only] = place(all_cards, "pi-3b-sd80/slot")["rows"]
    assert {cell["place"] for cell in only["cells"].values()} == {None}


def test_a_sure_figure_stands_before_the_doubted_one_of_the_same_card(all_cards):
    name = "reader-kingston/samsung-evo-select-64gb"
    row = next(row for row in place(all_cards, "pi-b/slot")["rows"] if row["specimen"] == name)
    assert (row["cells"]["randwrite"]["doubted"], row["cells"]["randwrite"]["runs"]) == (False, 2)


def test_where_the_bus_was_measured_the_place_says_so(all_cards):
    assert place(all_cards, "pi-4b/slot")["hidden"] == [
        "Large reads measure the bus here, not the card: 25 of 25 come near its limit."
    ]


def test_each_figure_shows_the_line_that_explain_shows(all_cards):
    known = card(all_cards, "kulesz/sandisk-ultra-64gb")
    lines = {
        f"{file['file']}:{number}": text
        for file in known["files"]
        for number, text in file["lines"]
    }
    for figure in known["figures"]:
        told = explain(figure["id"], DATA)
        assert lines[figure["at"]] in told
        assert figure["printed"].split()[0] in lines[figure["at"]]


def test_doubts_exclusions_and_who_measured_are_named(all_cards):
    doubted = card(all_cards, "kulesz/sandisk-ultra-64gb")["figures"]
    assert any(said.startswith("doubted: ") for row in doubted for said in row["doubts"])
    mixed = card(all_cards, "chilina/adata-premier-32gb")["figures"]
    assert any("mixed job" in (row["left_out"] or "") for row in mixed)
    [source] = card(all_cards, "kulesz/sandisk-ultra-64gb")["sources"]
    assert source["url"].startswith("https://")
    assert source["date"]


def test_cards_beyond_the_five_sources_are_marked_and_absent_unless_asked_for(all_cards):
    beyond = [card["specimen"] for card in all_cards["cards"] if card["companion"]]
    assert len(beyond) == 8 + 1 + 3
    bare = document(load_data(), DATA)
    assert not any(card["companion"] for card in bare["cards"])
    assert len(bare["cards"]) + len(beyond) == len(all_cards["cards"])
    assert "beyond" not in re.sub(r"(?s)<style>.*?</style>", "", as_page(bare))


def test_the_csv_has_a_row_a_card_and_place_and_is_the_one_of_the_page(all_cards, page):
    text = as_csv(all_cards)
    rows = pd.read_csv(io.StringIO(text))
    assert len(rows) == sum(len(place["rows"]) for place in all_cards["places"])
    evo = rows[(rows["specimen"] == EVO) & (rows["host_reader"] == "pi-4b/slot")].iloc[0]
    assert (evo["capacity"], evo["randwrite_place"], evo["randwrite_cards"]) == (32e9, 1, 26)
    assert evo["randwrite_again_low"] < evo["randwrite_value"] < evo["randwrite_again_high"]
    saved = re.search(r'download="cards.csv" href="data:text/csv;charset=utf-8;base64,(.*?)"', page)
    assert base64.b64decode(saved[1]).decode() == text


def test_each_card_has_a_permalink_and_no_id_stands_twice(all_cards, page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for known in all_cards["cards"]:
        assert known["specimen"] in ids
        assert f'href="#{known["specimen"]}"' in page


def test_the_command_writes_the_page_for_a_folder_of_data(tmp_path, capsys):
    assert cli.main(["cards", "-o", str(tmp_path / "all.html"), "--data", str(DATA)]) == 0
    assert (tmp_path / "all.html").read_text(encoding="utf-8") == cards.render()
    assert cli.main(["cards", "-o", str(tmp_path / "all.csv")]) == 2
    assert "expected .html" in capsys.readouterr().err
