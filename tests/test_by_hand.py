"""Every number of the model against a second computation that imports nothing of the package.

`benchmarks/answers_by_hand.py` reads the tables itself and takes other ways wherever there is one.
Three digits have to agree: headlines, contrasts, intervals, predictions, sets of the best.
"""

import itertools
import math
import sys
from functools import cache
from pathlib import Path

import pytest

import sdanalysis
from sdanalysis import stats
from sdanalysis.stats.same_test import MAIN_TESTS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
import answers_by_hand
import model_by_hand

DATA = {beyond: sdanalysis.load_data(companions=beyond) for beyond in (False, True)}
OPS, ENDS = tuple(MAIN_TESTS), ["ratio", "low", "high"]
LIMITS = answers_by_hand.read_limits()
MOST = {"randwrite": 1.11, "randread": 1.08, "write": 1.13, "read": 1.09}  # rms factor, left out


@pytest.fixture(scope="module", params=list(itertools.product(OPS, DATA)), ids=str)
def both(request):
    """The data, the model of a test, and what the second computation says of it."""
    op, beyond = request.param
    data = DATA[beyond]
    by_hand = answers_by_hand.computed(op, LIMITS, companions=beyond)
    return data, stats.fit_model(data.measurements, op), by_hand


def close(number):
    return pytest.approx(number, rel=5e-4, abs=1e-12, nan_ok=True)


def test_the_lines_of_check_agree(both):
    """The sizes of errors, and of the spread of a name: of the five sources also the scores."""
    data, fit, other = both
    known = {"freedom": fit.freedom, "sigma": fit.sigma, "islands": max(fit.islands) + 1}
    assert known == {name: close(other[name]) for name in known}
    assert stats.people_by_place(fit) == close(other["people_p"])
    for name in {"score", "score_with_doubted"} & set(other):
        doubts = {"with_doubted": name != "score"}
        found = stats.score(stats.fit_model(data.measurements, fit.test.op, **doubts))._asdict()
        known = {key: close(number) for key, number in other[name].items()}
        assert {key: found[key] for key in known} == known
        assert doubts["with_doubted"] or found["rms_factor"] <= MOST[fit.test.op]
    spread = stats.product_spread(fit.figures)._asdict()
    assert {name: spread[name] for name in other["spread"]} == {
        name: close(number) for name, number in other["spread"].items()
    }
    if other["spread"]["freedom"] > 2:  # the factor of two cards of one name
        t = model_by_hand.stats.t.isf(0.025, other["spread"]["freedom"])
        assert spread["factor"] == close(math.exp(t * math.sqrt(2) * other["spread"]["sd"]))


def test_no_scale_predicts_much_better_than_the_declared_one(both):
    _, fit, other = both
    scores = other.get("scales", {fit.test.scale.power: 0})  # of the five sources
    assert max(scores.values()) - scores[fit.test.scale.power] < 0.05


def test_contrasts_of_places_agree(both):
    _, fit, other = both
    assert len(other["contrasts"]) > 100

    @cache
    def ratios(base, place):
        rows = stats.place_ratios(fit, stats.Place(*base), stats.Place(*place))
        return dict(zip(rows["specimen"], rows[ENDS].to_numpy().tolist(), strict=True))

    for (specimen, base, place), numbers in other["contrasts"].items():
        found = ratios(base, place)
        assert found[specimen if len(found) > 1 else next(iter(found))] == close(numbers)


def test_predictions_agree(both):
    data, fit, other = both
    found = stats.predictions(fit, data.hosts)
    places = found[["measured_by", "host", "reader"]].itertuples(index=False, name=None)
    numbers = found[["value", "low", "high"]].to_numpy().tolist()
    known = dict(zip(zip(found["specimen"], places, strict=True), numbers, strict=True))
    assert known == {key: close(ends) for key, ends in other["predictions"].items()}


def test_the_cards_that_may_be_best_agree(both):
    data, fit, other = both
    for (host, who), expected in other["best"].items():
        rows = stats.may_be_best(fit, data.hosts, host, measured_by=who)
        best = sorted(rows.loc[rows["may_be_best"].fillna(False).astype(bool), "specimen"])
        assert (best or rows["reason"].iloc[0]) == expected


def test_gains_on_another_computer_agree_at_each_cards_speed(both):
    data, fit, other = both
    slots = data.hosts[(data.hosts["reader"] == "slot") & data.hosts["host"].str.startswith("pi-")]
    rows = data.measurements[data.measurements["op"] == fit.test.op]
    gains = stats.host_gains(rows, slots, "pi-3b")
    speeds = [None if math.isnan(speed) else round(speed) for speed in gains["speed"]]
    keys = zip(gains["measured_by"], gains["other"], speeds, strict=True)
    known = dict(zip(keys, gains[ENDS].to_numpy(float).tolist(), strict=True))
    expected = {key: ends for key, ends in other["host_gains"].items() if "pi-" in key[1]}
    assert len(expected) > 2
    assert known == {key: close(ends) for key, ends in expected.items()}
    cards = stats.gains_by_card(rows, "pi-3b", list(slots["host"]))
    values = fit.figures.set_index(["specimen", "measured_by", "host", "reader"])["value"]
    for row in cards.itertuples():
        base, place = ((row.measured_by, host, "slot") for host in ("pi-3b", row.other))
        old, new = values[row.specimen, *base], values[row.specimen, *place]
        assert (row.speed, row.ratio) == (old, new / old)
        numbers = other["contrasts"].get((row.specimen, base, place))
        if numbers is None:  # it is there the other way round
            value, low, high = other["contrasts"][row.specimen, place, base]
            numbers = [1 / value, 1 / high, 1 / low]
        assert [row.model, row.low, row.high] == close(numbers)


@pytest.mark.parametrize("op", OPS)
def test_a_board_with_tests_of_its_own_agrees(op):
    data, other = DATA[True], answers_by_hand.own_board(op, LIMITS["pi-5", "slot"])
    use = "system" if op == "randwrite" else "storage"
    case = stats.buyer_case(data.measurements, data.media, data.hosts, "pi-5", use)
    rows = case.figures[case.figures["op"] == op]
    assert (sorted(rows.loc[rows["best"], "specimen"]) or rows["reason"].iloc[0]) == other["best"]
    assert (rows["value"] / rows["low"]).tolist() == close([other["reach"]] * len(rows))
    if op == case.op:
        gains = case.gains.set_index("specimen")[ENDS].T.to_dict("list")
        assert gains == {name: close(ends) for name, ends in other["gains"].items()}


def test_what_the_queue_adds_by_card_and_block_size_agrees():
    rows = DATA[True].measurements.query("host == 'pi-5'")
    pairs = stats.contrast_pairs(
        rows[rows["iodepth"].isna()], "reader", DATA[True].noise,
        levels=["pi-5/slot-no-queue", "pi-5/slot"],
    )  # fmt: skip
    gains = stats.gains_by_size(pairs, stats.repeat_spreads(stats.usable(rows)))
    keys = gains[["specimen", "op", "block_size"]].itertuples(index=False, name=None)
    found = dict(zip(keys, zip(gains["ratio"], gains["p"], strict=True), strict=True))
    other = answers_by_hand.queue_by_size()
    assert len(other) == 8 * 4 * 6
    assert found == {key: close(numbers) for key, numbers in other.items()}
    gain = {key for key, (ratio, p) in other.items() if ratio > 1 and p < 0.05}
    assert gain == {key for key, row in zip(found, gains["verdict"], strict=True) if row == ">1"}


def test_what_the_queue_adds_at_4_kib_agrees():
    rows = DATA[True].measurements.query("host == 'pi-5'")
    repeats = stats.repeat_spreads(stats.usable(rows))
    judges = repeats.assign(medium="SD card", block_size=4096)
    pairs = stats.contrast_pairs(
        rows[rows["iodepth"].isna()].query("block_size == 4096"), "reader", judges,
        metric="iops", levels=["pi-5/slot-no-queue", "pi-5/slot"],
    )  # fmt: skip
    keys = pairs[["specimen", "op"]].itertuples(index=False, name=None)
    found = dict(zip(keys, zip(pairs["ratio"], pairs["noise_band"], strict=True), strict=True))
    other = answers_by_hand.queue_headline()
    assert found == {key: close(numbers) for key, numbers in other.items()}
    assert len({card for (card, _), (ratio, width) in other.items() if ratio > width}) == 5


@pytest.mark.parametrize("op", OPS)
def test_older_and_newer_cards_and_part_numbers_agree(op):
    values, products = model_by_hand.read_figures(op)
    model = model_by_hand.Model(values, model_by_hand.TESTS[op][2])
    fit = stats.fit_model(DATA[False].measurements, op)
    pairs = stats.vintage_pairs(fit, DATA[False].media)
    for row in pairs.itertuples():
        place = (row.measured_by, row.host, row.reader)
        cards = (row.specimen, place), (row.specimen_other, place)
        assert row.measured == close(values[cards[1]] / values[cards[0]])
        assert [row.ratio, row.low, row.high] == close(model_by_hand.ratio(model, *cards))
    found = stats.vintage_products(fit.figures, DATA[False].media)
    assert len(pairs) and len(found)
    for row in found.itertuples():
        other = answers_by_hand.product_ratio(values, products, row.medium, row.medium_other)
        assert [row.ratio, row.low, row.high] == close(other)
