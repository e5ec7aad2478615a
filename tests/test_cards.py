"""The page of all cards: who is in it, which may be the best, and where each number stands."""

import base64
import copy
import io
import re
from urllib.parse import unquote

import pandas as pd
import pytest

from sdanalysis import cards, cli, load_data, stats
from sdanalysis.cards.document import as_csv, as_page, document
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
        if not row["cells"] or any(not cell["predicted"] for cell in row["cells"].values())
    ]
    assert sorted(shown) == sorted(met)
    assert {card["specimen"] for card in all_cards["cards"]} == set(rows["specimen"])


def test_the_cards_that_may_be_the_best_are_those_of_the_model(data, all_cards):
    shown = {row["specimen"]: row["cells"] for row in place(all_cards, "pi-4b/slot")["rows"]}
    for op in ("randwrite", "write"):
        fit = stats.fit_model(data.measurements, op)
        for number, row in enumerate(stats.may_be_best(fit, data.hosts, "pi-4b").itertuples(), 1):
            cell = shown[row.specimen][op]
            assert (cell["rank"], cell["may_be_best"]) == (number, row.may_be_best)
            assert cell["value"] == row.value / 1e6


def test_a_reason_to_rank_nothing_stands_in_words_once(all_cards):
    for name, words in {
        "pi-4b/slot": ["Small reads: people disagree", "Large reads: most cards are as fast"],
        "pi-b/slot": ["Small writes, small reads, large writes, large reads: fewer than three"],
        "kulesz-workstation/usb": ["Large writes, large reads: another test than"],
    }.items():
        notes = place(all_cards, name)["notes"]
        assert all(note.startswith(start) for note, start in zip(notes, words, strict=True))


def cells_of(all_cards):
    for where in all_cards["places"]:
        for row in where["rows"]:
            for op, cell in row["cells"].items():
                yield where, row, op, cell


def test_what_is_doubted_predicted_or_another_test_has_no_rank(all_cards):
    cells = list(cells_of(all_cards))
    bare = [cell for *_, cell in cells if cell["doubted"] or cell["predicted"]]
    assert bare
    assert all(cell["rank"] is None and cell["may_be_best"] is None for cell in bare)
    assert all(cell["cards"] >= 3 for *_, cell in cells if cell["rank"])
    usb = [cell for where, _, op, cell in cells if where["id"] == "kulesz-workstation/usb"
           and op in ("write", "read")]  # fmt: skip
    assert usb
    assert {cell["rank"] for cell in usb} == {None}


def test_no_interval_ends_above_what_the_slot_carries(all_cards):
    for where, _, _, cell in cells_of(all_cards):
        low, high = cell["interval"]
        assert low is None or low <= cell["value"] <= high <= float(where["limit"])


def test_boards_stand_first_in_the_order_of_their_owners_and_readers_last(all_cards):
    boards = [place["board"] for place in all_cards["places"]]
    assert boards[:5] == ["pi-4b", "pi-5", "pi-3b", "pi-2b", "pi-zero-2w"]
    readers = ["/" in board and "slot" not in board for board in boards]
    assert readers == sorted(readers)
    groups = {
        op: {cell["group"] for where, _, name, cell in cells_of(all_cards) if name == op
             and where["id"] == "pi-4b/slot" and not cell["predicted"]}
        for op in ("randwrite", "read")
    }  # fmt: skip
    assert groups == {"randwrite": {"fast", "middle", "slow"}, "read": {"slot"}}


def test_a_prediction_stands_where_the_model_links_and_nothing_was_measured(data, all_cards, page):
    fit = stats.fit_model(data.measurements, "randwrite")
    card, there = "geerling/samsung-evo-select-32gb", ("geerling", "pi-4b", "slot")
    expected = stats.prediction(fit, card, stats.Place(*there), limit=50e6)
    wanted = ("pi-4b/slot", card, "randwrite")
    [found] = [
        cell
        for where, row, op, cell in cells_of(all_cards)
        if (where["id"], row["specimen"], op) == wanted
    ]
    measured = set(fit.figures[["specimen", "host"]].itertuples(index=False, name=None))
    assert found["predicted"] == ((card, "pi-4b") not in measured)
    assert found["interval"] == [expected.low / 1e6, expected.high / 1e6]
    assert "Nobody measured this. The model expects " in page


def test_a_prediction_without_an_upper_end_says_at_least(all_cards):
    changed = copy.deepcopy(all_cards)
    cell = next(cell for *_, cell in cells_of(changed) if cell["predicted"])
    cell |= {"at_least": True, "interval": [12.5, 25.0]}
    assert "The model expects at least 12.5 MB/s" in as_page(changed)


def test_a_sure_figure_stands_before_the_doubted_one_of_the_same_card(all_cards):
    name = "reader-kingston/samsung-evo-select-64gb"
    row = next(row for row in place(all_cards, "pi-b/slot")["rows"] if row["specimen"] == name)
    assert (row["cells"]["randwrite"]["doubted"], row["cells"]["randwrite"]["runs"]) == (False, 2)


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
    assert (evo["capacity"], evo["randwrite_rank"], evo["randwrite_cards"]) == (32e9, 4, 26)
    assert evo["randwrite_low"] < evo["randwrite_value"] < evo["randwrite_high"]
    saved = re.search(r'download="cards.csv" href="data:text/csv;charset=utf-8;base64,(.*?)"', page)
    assert base64.b64decode(saved[1]).decode() == text


def test_each_card_has_a_permalink_and_no_id_stands_twice(all_cards, page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for known in all_cards["cards"]:
        assert known["specimen"] in ids
        assert f'href="#{known["specimen"]}"' in page
        address = cards.link(known["specimen"])
        assert unquote(address) == f"cards.html#{known['specimen']}"


def test_the_command_writes_the_page_for_a_folder_of_data(tmp_path, capsys):
    assert cli.main(["cards", "-o", str(tmp_path / "all.html"), "--data", str(DATA)]) == 0
    assert (tmp_path / "all.html").read_text(encoding="utf-8") == cards.render()
    assert cli.main(["cards", "-o", str(tmp_path / "all.csv")]) == 2
    assert "expected .html" in capsys.readouterr().err
