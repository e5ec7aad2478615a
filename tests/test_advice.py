"""Which card to buy for a board: the products, their order, and the sentences that follow."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import plots, stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.stats.hosts import queue_gains
from sdanalysis.stats.names import name_key

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "00_which_card.ipynb"
PRO = "sandisk-extreme-pro"
BOARDS = ["pi-5", "pi-4b", "pi-3b", "pi-2b", "pi-zero-2w", "pi-3b-plus", "pi-b"]

data = sdanalysis.load_data(companions=True)
COMPANIONS = set(data.measurements["source"]) - set(sdanalysis.load()["source"])


def case_of(host="pi-4b", use="system", rows=None, media=None):
    rows = data.measurements if rows is None else rows
    media = data.media if media is None else media
    return stats.buyer_case(rows, media, data.hosts, host, use, companions=COMPANIONS)


def texts(case, section):
    lines = stats.advice(case)
    return lines.loc[lines["section"] == section, "text"].tolist()


def changed(op, factor, **where):
    """Return the table with the figures of some cards or boards multiplied."""
    rows = data.measurements.copy()
    chosen = (rows["op"] == op) & (rows["metric"] == "bandwidth")
    for column, words in where.items():
        chosen &= rows[column].str.contains(words, regex=False, na=False)
    assert chosen.any()
    columns = ["value", "value_low", "value_high"]
    rows.loc[chosen, columns] = rows.loc[chosen, columns] * factor
    return rows


# --- what is read aloud --------------------------------------------------------------------------


@pytest.mark.parametrize("host", BOARDS)
@pytest.mark.parametrize("use", stats.USES)
def test_every_board_and_use_is_answered_shortly_with_a_card_to_buy(host, use):
    case = case_of(host, use)
    answer = stats.advice_in_short(case)
    assert len(answer.splitlines()) <= 3
    assert max(len(line.split()) for line in answer.splitlines()) <= 25
    words = [answer, *stats.advice(case)["text"]]
    ids = {*data.media["specimen"], *data.media["medium"], *data.hosts["host"]}
    assert not [text for text in words for name in ids if name in text]
    assert not [text for text in words if "nan" in text or "<NA>" in text or "None" in text]
    assert case.pick["buyable"]
    assert "part number" in answer or " of about 20" in answer


def test_the_advice_is_the_product_that_several_people_measured_among_the_best():
    case = case_of()
    first, second, third = stats.advice_in_short(case).splitlines()
    assert first.endswith("take a SanDisk Extreme PRO 32 GB A1, part number SDSQXCG-032G-GN6MA.")
    assert second == "Two people measured one each: first and third of 26 cards in small writes."
    assert third.startswith("Yours may be another card: in small writes two of one name may differ")


def test_spellings_of_one_name_are_one_product():
    assert name_key("SanDisk Extreme PRO 32 GB A1") == name_key("SanDisk Extreme Pro 32GB A1")
    assert name_key("Samsung Evo+ 32 GB") == name_key("Samsung EVO Plus 32 GB")
    assert name_key("Samsung Pro 16 GB") != name_key("Samsung Pro+ 16 GB")


def test_a_card_without_a_size_is_not_the_advice_though_it_leads():
    case = case_of(rows=changed("randwrite", 3, specimen="micro-center"))
    assert case.ranked["card"].iloc[0] == "Micro Center"
    assert case.choices["card"].tolist() == ["Micro Center"]
    assert stats.advice_in_short(case).splitlines() == [
        "For the system of a Pi 4, no card is the advice.",
        "None of the fastest in small writes can be bought by its name.",
    ]
    assert "Why" not in set(stats.advice(case)["section"])


def test_a_second_vintage_far_slower_than_the_best_card_is_told_from_it():
    own = data.measurements["specimen"].eq("geerling/sandisk-extreme-a2-64gb")
    again = data.measurements[own & data.measurements["op"].eq("randwrite")]
    assert len(again)
    slow = {name: again[name] / 5 for name in ("value", "value_low", "value_high")}
    other = "arthur/sandisk-extreme-a2-64gb"
    again = again.assign(specimen=other, measured_by="arthur", id=again["id"] + "x", **slow)
    media = data.media[data.media["specimen"] == "geerling/sandisk-extreme-a2-64gb"]
    media = pd.concat([data.media, media.assign(specimen=other)])
    named = texts(case_of(), "Just as good, as far as one run can tell")
    assert any(text.startswith("SanDisk Extreme 64 GB A2") for text in named)
    case = case_of(rows=pd.concat([data.measurements, again]), media=media)
    (text,) = texts(case, "Good, but not every one of the name")
    assert text.startswith("SanDisk Extreme 64 GB A2 of about 2019.")


def test_a_name_of_which_another_persons_card_is_clearly_slower_says_so():
    case = case_of()
    (older,) = texts(case, "Good only as the older card")
    assert older.startswith("Samsung Evo+ 32 GB, part number MB-MC32DA.")
    assert "On a Pi 4: older 3.94, newer 1.86 MB/s." in older
    half = changed("randwrite", 0.2, specimen=f"geerling/{PRO}-a1")
    half = half[~((half["measured_by"] == "reader-pi-2b") & half["specimen"].str.contains(PRO))]
    case = case_of(rows=half)
    assert "Extreme PRO 32 GB" not in stats.advice_in_short(case)
    (text,) = texts(case, "Good, but not every one of the name")
    assert text.startswith("SanDisk Extreme PRO 32 GB A1, part number SDSQXCG-032G-GN6MA.")


def test_a_contested_card_that_is_the_only_choice_warns_in_the_answer():
    case = case_of(rows=changed("randwrite", 3, specimen="geerling/samsung-evo+-32gb"))
    first, _, third = stats.advice_in_short(case).splitlines()
    assert first.endswith("take a Samsung Evo+ 32 GB, part number MB-MC32DA.")
    assert third.startswith("Look at the pack: others of this name are slower")


def test_a_board_with_too_few_cards_says_so_and_takes_the_advice_of_its_nearest():
    case = case_of("pi-zero-2w")
    assert (case.host, case.board) == ("pi-zero-2w", "pi-3b")
    measured = texts(case, "What was measured on this board")
    assert measured[0].startswith("One card went through small writes on this board: SanDisk")
    assert "on a Pi 3" in stats.advice_in_short(case)
    bare = texts(case_of("pi-3b-plus"), "What was measured on this board")
    assert bare[0] == "No cards went through small writes on this board."


def test_three_cards_are_enough_for_a_boards_own_advice_and_two_are_not():
    rows = data.measurements
    writes = rows[(rows["host"] == "pi-4b") & (rows["op"] == "randwrite")]
    cards = writes.loc[writes["measured_by"] == "geerling", "specimen"].unique()
    for count, expected in ((2, "pi-3b"), (3, "pi-4b")):
        others = (rows["host"] == "pi-4b") & ~rows["specimen"].isin(cards[:count])
        hosts = data.hosts.assign(limit=25e6)
        case = stats.buyer_case(rows[~others], data.media, hosts, "pi-4b", "system")
        assert case.board == expected


def test_the_pi_5_is_ranked_within_its_own_test_by_its_own_runs():
    case = case_of("pi-5")
    assert set(case.ranked["test"]) == {"random write, 4 KiB, fio, queue depth 32"}
    assert (case.ranked["runs"] == 3).all()
    assert case.ranked["beyond"].all()
    assert not case.figures["predicted"].any()
    assert "On a Pi 4" not in " ".join(stats.advice(case)["text"])
    assert any("compare with no other board's" in text for text in texts(case, "How sure"))
    assert not any("no other board's" in text for text in texts(case_of(), "How sure"))


def test_a_fast_size_of_a_name_does_not_speak_for_a_slow_one():
    says = "Mind the size: a Raspberry Pi 32 GB A2 gave only 8.69 MB/s."
    assert says in texts(case_of("pi-5"), "Why")


def test_a2_is_not_worth_paying_for_where_the_slot_has_no_queue():
    none = "A2. A Pi 4 cannot use the command queue that A2 needs."
    assert texts(case_of(), "Do not pay for")[0].startswith(none)
    (queue, _) = texts(case_of("pi-5"), "Do not pay for")
    assert "the command queue clearly helped three of eight cards" in queue


def test_fast_reading_is_named_only_where_the_slot_is_the_limit():
    reads = [text for text in texts(case_of(), "Do not pay for") if text.startswith("Fast")]
    assert reads == [
        "Fast reading on the pack. All 25 cards read large files at 42.8 to 46.5 MB/s; "
        "the slot ends at 50."
    ]
    below = changed("read", 0.8, tool="hdparm", host="pi-4b")
    assert not [t for t in texts(case_of(rows=below), "Do not pay for") if t.startswith("Fast")]


def test_where_the_slot_limits_the_deciding_test_nothing_is_advised():
    rows = changed("write", 10, tool="dd", host="pi-4b")
    answer = stats.advice_in_short(case_of(use="camera", rows=rows))
    assert answer.splitlines()[1].startswith("In large writes nothing is ranked: most cards are")


# --- figures and groups --------------------------------------------------------------------------


def test_small_reads_are_grouped_person_by_person_where_people_disagree():
    reads = case_of().figures.query("op == 'randread' and not predicted")
    assert reads.groupby("measured_by")["cards"].max()[["geerling", "arthur"]].tolist() == [15, 4]
    assert reads.loc[reads["measured_by"].str.startswith("reader"), "group"].isna().all()


def test_slow_is_less_than_half_of_the_best_beyond_chance():
    rows = case_of().ranked
    reach = rows["value"] * rows["margin"] / rows["value"].max()
    assert ((rows["group"] == "slow") == (reach < 0.5)).all()
    assert ((rows["group"] == "fast") == (reach >= 1)).all()


def test_a_missing_figure_is_predicted_and_marked():
    table = stats.board_table(case_of("pi-2b")).set_index("card")
    assert table.loc["Samsung Pro 16 GB", "small writes"].startswith("≈ ")
    assert not table["small writes"].iloc[0].startswith("≈")
    assert table.loc["Silicon Power 3D NAND 32 GB", "large writes"] == "-"  # no chain of cards
    table = stats.board_table(case_of())
    assert table.loc[table["card"].str.contains("SD32G"), "measured by"].item().endswith("*")
    assert len(table) == case_of().figures.query("not predicted")["specimen"].nunique()


def test_a_planted_gain_of_the_queue_is_found_and_none_is_not():
    rows = data.measurements
    off = rows[(rows["reader"] == "slot-no-queue") & (rows["op"] == "randwrite")]
    same = off.assign(reader="slot", id=off["id"] + "x", run=off["run"] + "x")
    twice = same.assign(value=same["value"].where(~same["specimen"].str.contains("amazon"), 2e7))
    assert (queue_gains(pd.concat([off, same]), "pi-5", "randwrite")["low"] < 1).all()
    gains = queue_gains(pd.concat([off, twice]), "pi-5", "randwrite")
    assert gains.loc[gains["low"] > 1, "specimen"].str.contains("amazon").all()
    assert (gains["low"] > 1).sum() == 2


# --- the picture and the notebook ----------------------------------------------------------------


@pytest.mark.parametrize("host", BOARDS)
def test_the_figure_shows_what_to_take_in_at_most_fourteen_rows(host):
    case = case_of(host)
    shown = stats.shown_figures(case)
    assert len(shown) <= 14
    assert shown["value"].is_monotonic_decreasing
    assert (shown["mark"] == "take").sum() == len(case.lead(case.pick["name_key"]))
    axes = plots.speed_bars(shown, "small writes", title="Small writes")
    assert len(axes.patches) == len(shown)
    notes = [text.get_text() for text in axes.texts]
    assert sum(note.endswith("avoid") for note in notes) == (shown["mark"] == "avoid").sum()


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [("host", "pi-9", "pi-4b"), ("host", "macbook-air", "pi-2b"), ("use", "games", "camera")],
)
def test_the_notebook_refuses_a_value_that_it_does_not_have_with_those_it_has(name, value, known):
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    names = {}
    exec(code[0], names)
    with pytest.raises(SdAnalysisError, match=f"found the {name} '{value}', expected .*{known}"):
        exec(code[1], names | {name: value})


def test_prices_are_of_cards_of_the_catalogue_and_say_where_they_were_printed():
    prices = sdanalysis.load_prices()
    assert set(prices["medium"]) <= set(data.media["medium"])
    assert prices["source"].str.startswith("https://").all()
