"""The order of the cards of a place, and the places that noise makes shared."""

import csv
import math
import statistics
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import t

import sdanalysis
from sdanalysis import stats
from sdanalysis.stats.ranking import rank_among

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
WRITES = ("write", "rewrite", "randwrite")
CSV = "processed/measurements.csv"

data = sdanalysis.load_data()


def ranked_on(host, measurements=None):
    rows = data.measurements if measurements is None else measurements
    ranked = stats.rankings(rows, data.media, data.noise)
    here = (ranked["host"] == host) & (ranked["reader"] == "slot")
    return ranked[here & ranked["tool"].isin(stats.TOOLS.values())].reset_index(drop=True)


# --- computed again, by plain loops over the files -----------------------------------------------


def read_csv(name):
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def primary_rows():
    for row in read_csv(CSV):
        kind = row["origin"], row["status"], row["metric"], row["read_mix"]
        if kind == ("primary", "measured", "bandwidth", ""):
            yield row


def variances(ops):
    """The variance of the logarithms of each card's repeats, by tool and op: every one known."""
    found, runs = defaultdict(list), defaultdict(list)
    for row in read_csv("reference/noise.csv"):
        if row["medium"] == "SD card" and row["op"] in ops:
            key = row["specimen"], row["tool"], row["op"]
            found[key].append(float(row["sd_log"]) ** 2)
    for row in read_csv("reference/specimens.csv"):
        runs[row["specimen"], row["tool"], row["op"]].append(math.log(float(row["value"])))
    for row in primary_rows():
        if row["host"] == "pi-b":  # the only host of the sources where runs were repeated
            runs[row["specimen"], row["tool"], row["op"]].append(math.log(float(row["value"])))
    for key, logs in runs.items():
        if key[2] in ops and len(logs) > 1:
            found[key].append(statistics.variance(logs))
    return found


def band_of(tool, op, ops):
    cards, own = defaultdict(list), []
    for (card, its_tool, its_op), squares in variances(ops).items():
        cards[card] += squares
        if (its_tool, its_op) == (tool, op):
            own.append(statistics.mean(squares))
    kind = statistics.mean(statistics.mean(squares) for squares in cards.values())
    spread = math.sqrt((sum(own) + kind) / (len(own) + 1)) * math.sqrt(2)
    return math.exp(t.ppf(0.975, len(own)) * spread)


@pytest.mark.parametrize(
    ("tool", "op", "ops"),
    [
        ("iozone", "randwrite", WRITES),
        ("iozone", "randread", ("read", "reread", "randread")),
        ("dd", "write", WRITES),
        ("hdparm", "read", ("read", "reread", "randread")),
    ],
)
def test_plain_loops_over_the_files_find_the_same_order_and_the_same_places(tool, op, ops):
    band, cards = band_of(tool, op, ops), []
    for row in primary_rows():
        here = (row["host"], row["reader"], row["tool"], row["op"])
        if here == ("pi-4b", "slot", tool, op) and "suspicious" not in row["remarks"]:
            cards.append((float(row["value"]), row["specimen"]))
    cards.sort(key=lambda card: (-card[0], card[1]))
    expected, best, place = [], math.inf, 0
    for number, (value, name) in enumerate(cards, start=1):
        if best > value * band or number == 1:
            best, place = value, number
        low = 1 + sum(other > value * band for other, _ in cards)
        high = len(cards) - sum(other * band < value for other, _ in cards)
        expected.append((name, place, low, high))
    ranked = ranked_on("pi-4b")
    ranked = ranked[ranked["op"] == op]
    found = ranked[["specimen", "place", "rank_low", "rank_high"]].itertuples(index=False)
    assert len(expected) == 24
    assert [tuple(row) for row in found] == expected
    assert ranked["band"].tolist() == pytest.approx([band] * 24)


# --- small tables whose answers can be seen ------------------------------------------------------

WRITE = data.measurements[
    (data.measurements["host"] == "pi-4b")
    & (data.measurements["op"] == "randwrite")
    & (data.measurements["measured_by"] == "geerling")
    & (data.measurements["origin"] == "primary")
]


def small(*values, **given):
    """One small write a card, of the values in MB/s."""
    rows = WRITE.head(len(values)).reset_index(drop=True)
    return rows.assign(value=[value * 1e6 for value in values], remarks=pd.NA, **given)


def test_a_card_shares_the_place_of_the_best_of_its_group_within_noise():
    found = ranked_on("pi-4b", small(10, 6, 5.2, 5, 1))  # the band of two single runs is 1.95
    assert found["place"].tolist() == [1, 1, 1, 4, 5]
    assert found["rank"].tolist() == [1, 2, 3, 4, 5]
    assert found["rank_low"].tolist() == [1, 1, 1, 2, 5]
    assert found["rank_high"].tolist() == [3, 4, 4, 4, 5]


def test_more_runs_make_the_band_of_a_pair_narrower():
    cards = small(10, 6)
    again = [
        cards.iloc[[0, 1]].assign(run=cards["run"] + str(n), id=cards["id"] + str(n)) for n in "ab"
    ]
    once, thrice = (
        ranked_on("pi-4b", rows)["band"] for rows in (cards, pd.concat([cards, *again]))
    )
    assert (thrice < once).all()
    found = ranked_on("pi-4b", pd.concat([small(10, 6, 1), *again]))
    assert found["runs"].tolist() == [3, 3, 1]
    assert found["place"].tolist() == [1, 2, 3]


def test_below_three_cards_nothing_has_a_place():
    assert ranked_on("pi-4b", small(10, 1))["place"].isna().all()


def test_a_doubted_figure_stands_beside_the_ranking_and_moves_nobody():
    rows = small(10, 6, 5, 20)
    rows.loc[3, "remarks"] = "suspicious"
    found = ranked_on("pi-4b", rows)
    assert found["doubted"].tolist() == [False, False, False, True]
    assert found["place"].tolist() == [1, 1, 3, pd.NA]
    assert found["n"].tolist()[:3] == [3, 3, 3]


def test_ranks_among_others_count_only_who_is_further_off_than_noise():
    others = pd.Series([8.0, 4.0, 2.0])
    assert rank_among(4.0, others, 1.5) == {"rank": 2, "rank_low": 2, "rank_high": 3}
    wider = pd.Series([3.0, 1.5, 1.5])  # one band for each of the others
    assert rank_among(4.0, others, wider) == {"rank": 2, "rank_low": 1, "rank_high": 3}


def test_no_laboratory_is_averaged_with_another():
    writes = ranked_on("pi-3b").query("op == 'randwrite'")
    names = stats.with_names(writes, data.media)["card"]
    assert {"Samsung Evo+ 32 GB (Geerling)", "Samsung Evo+ 32 GB (Chilina)"} <= set(names)
    assert names.is_unique


def test_the_bus_hides_what_comes_near_it():
    shares = stats.bus_shares(ranked_on("pi-4b"), data.hosts).set_index("op")
    assert shares["hidden"].to_dict() == {
        "randwrite": False, "randread": False, "write": False, "read": True
    }  # fmt: skip
    assert shares.loc["read", ["at_limit", "cards"]].tolist() == [24, 24]


# --- all places ----------------------------------------------------------------------------------


def test_a_test_in_sequence_in_small_blocks_ranks_no_large_files():
    companion = sdanalysis.load_data(companions=True)
    rows, rest = companion.measurements, (companion.media, companion.noise)
    small = stats.rankings(rows[rows["block_size"] == 4096], *rest)
    assert set(small[small["host"] == "pi-5"]["op"]) == {"randread", "randwrite"}
    found = stats.rankings(rows, *rest)
    sizes = found[found["host"] == "pi-5"][["op", "block_size"]].drop_duplicates()
    assert dict(sizes.to_numpy()) == {
        "read": 2**24, "write": 2**24, "randread": 4096, "randwrite": 4096,
    }  # fmt: skip
