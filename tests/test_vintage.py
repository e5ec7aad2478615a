"""Old against new: every pair once, its evidence, and the yardstick of two cards of one model."""

import itertools

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import stats
from sdanalysis.stats.specimens import specimen_band

DATA = sdanalysis.load_data()
MEASUREMENTS, MEDIA = DATA.measurements, DATA.media
PAIRS = stats.vintage_pairs(MEASUREMENTS, MEDIA, DATA.noise, DATA.specimens)
TWINS = stats.specimen_pairs(MEASUREMENTS, DATA.noise)


def pair(**conditions):
    """Return the one pair that meets the conditions."""
    chosen = PAIRS
    for name, value in conditions.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_the_family_is_told_by_part_number_or_year_and_never_by_a_name():
    cards = stats.generations(MEDIA).set_index("specimen")
    old = {"arthur/samsung-evo+-16gb", "chilina/samsung-evo+-32gb-da"}
    old |= {"geerling/samsung-evo+-32gb", "kulesz/samsung-evo+-32gb"}
    assert set(cards.index[cards["generation"] == "old"]) == old
    for name in ("geerling/samsung-evo-plus-64gb", "geerling/samsung-evo-select-32gb"):
        assert pd.isna(cards.loc[name, "generation"])
        assert not (PAIRS[["specimen", "specimen_other"]] == name).any(axis=None)
    assert "MB-ME32DA" in cards.loc["geerling/samsung-evo-select-32gb", "why"]
    assert cards.loc["kulesz/samsung-evo+-2017-64gb", "level"] == "Evo+ (2017)"
    assert "geerling/samsung-evo-16gb" not in cards.index
    assert "geerling/samsung-pro+-32gb" not in cards.index


def test_a_card_of_the_family_without_vintage_is_no_generation():
    nameless = MEDIA.assign(
        vintage=MEDIA["vintage"].mask(
            MEDIA["specimen"] == "chilina/samsung-evo+-32gb-da", "unknown"
        )
    )
    known, fewer = (stats.generations(media)["generation"] for media in (MEDIA, nameless))
    assert (fewer.notna().sum(), len(fewer)) == (known.notna().sum() - 1, len(known))


def test_evidence_can_be_compared_and_the_weaker_card_decides():
    weakest = pair(host="pi-2b", op="randwrite", measured_by="geerling")
    assert weakest["evidence"] == "linked"
    assert weakest["weakest"] == weakest["evidence_other"] == "inferred"
    printed = PAIRS[PAIRS["weakest"] >= "printed"]
    assert set(printed["evidence"]) == set(printed["evidence_other"]) == {"printed"}
    assert set(PAIRS["weakest"].cat.categories) == set(PAIRS["weakest"])


def test_the_pairs_of_one_laboratory_and_test_have_the_ratios_of_the_raw_figures():
    da_ga = pair(measured_by="chilina", op="randwrite", kind="clean")
    assert da_ga["ratio"] == pytest.approx(0.66 / 3.04)
    assert da_ga["same_capacity"]
    arthur = pair(measured_by="arthur", host="pi-4b", op="randwrite", kind="clean")
    assert arthur["ratio"] == pytest.approx(1819 / 1309)
    assert not arthur["same_capacity"]
    doubted = pair(reader="cr0015", op="randwrite")
    assert doubted["kind"] == "suspicious"
    assert doubted["ratio"] == pytest.approx(2.99 / 2.86)


def test_every_old_card_meets_every_new_one_of_its_test_and_host():
    rows = MEASUREMENTS[
        (MEASUREMENTS["op"] == "randwrite")
        & (MEASUREMENTS["tool"] == "iozone")
        & (MEASUREMENTS["metric"] == "bandwidth")
        & (MEASUREMENTS["status"] == "measured")
        & ~(
            (MEASUREMENTS["origin"] == "restated")
            & MEASUREMENTS["specimen"].str.startswith("geerling/")
        )
    ]
    generation = stats.generations(MEDIA).set_index("specimen")["generation"]
    cards = rows[rows["specimen"].isin(generation.index)].to_dict("records")
    found = {
        tuple(sorted((one["id"], other["id"])))
        for one, other in itertools.permutations(cards, 2)
        if generation[one["specimen"]] == "old"
        and generation[other["specimen"]] == "new"
        and (one["host"], one["reader"]) == (other["host"], other["reader"])
    }
    writes = PAIRS[(PAIRS["op"] == "randwrite") & (PAIRS["tool"] == "iozone")]
    assert {tuple(sorted(ids)) for ids in writes["ids"]} == found
    assert len(writes) == len(found) == 14


def test_a_mixed_job_is_one_pair():
    mixed = PAIRS[PAIRS["tool"] == "fio"]
    assert mixed["op"].tolist() == ["mixed"]
    assert mixed["ratio"].iloc[0] == pytest.approx(258 / 977)


def test_a_restated_figure_counts_only_where_its_own_measurement_is_not_at_hand():
    ids = PAIRS["ids"].explode()
    restates_dramble = ids.str.startswith("chilina-2018/iozone.txt:10:")
    assert not restates_dramble.any()
    lechner = PAIRS[PAIRS["measured_by_other"] == "lechner"]
    assert set(lechner["weakest"]) == {"guessed"}
    assert all("restated" in warnings for warnings in lechner["warnings"])


def test_laboratories_that_differ_are_always_cross_laboratory():
    differ = PAIRS["measured_by"] != PAIRS["measured_by_other"]
    assert (differ == (PAIRS["kind"] == "cross-laboratory")).all()
    assert differ.any()


def test_every_figure_is_in_a_pair_or_left_out_for_a_reason():
    reasons = stats.vintage_reasons(MEASUREMENTS, MEDIA)
    excluded = stats.count_reasons(MEASUREMENTS, reasons).set_index("reason")["figures"]
    assert excluded.sum() == len(MEASUREMENTS)
    assert excluded["taken"] == len(set(PAIRS["ids"].explode()))
    assert excluded["restated"] == 2


def test_two_cards_that_met_on_two_hosts_are_one_pair_of_cards():
    own = PAIRS[(PAIRS["measured_by"] == "arthur") & (PAIRS["kind"] == "clean")]
    cards = stats.card_pairs(own[own["op"] == "randwrite"])
    assert len(cards) == 1
    only = cards.iloc[0]
    assert set(only["places"]) == {("pi-3b", "slot"), ("pi-4b", "slot")}
    assert only["ratio"] == pytest.approx((1678 / 1059 * 1819 / 1309) ** 0.5)
    assert (only["results"], only["doubted"], only["faster"]) == (2, 0, "new")


def test_a_doubted_result_is_counted_beside_its_pair_and_out_of_its_ratio():
    own = PAIRS[(PAIRS["measured_by"] == "kulesz") & (PAIRS["op"] == "randwrite")]
    only = stats.card_pairs(own[own["kind"] != "cross-laboratory"]).iloc[0]
    assert (only["results"], only["doubted"], only["faster"]) == (1, 1, "old")
    assert only["least"] == only["greatest"] == pytest.approx(2.29 / 3.97)
    doubted = stats.card_pairs(own[own["kind"] == "suspicious"]).iloc[0]
    assert (doubted["results"], doubted["faster"]) == (0, "doubted")
    counts = stats.direction_counts(stats.card_pairs(own[own["kind"] == "suspicious"]), ["op"])
    assert counts[["card_pairs", "doubted"]].to_numpy().tolist() == [[0, 1]]


def test_results_within_the_run_noise_favour_nobody_and_those_that_differ_both_ways():
    arthur = PAIRS[(PAIRS["measured_by"] == "arthur") & (PAIRS["kind"] == "clean")]
    writes = arthur[arthur["op"] == "randwrite"]
    alike = writes.assign(within_noise=True, noise_band=2.0)
    assert stats.card_pairs(alike)["faster"].tolist() == ["alike"]
    beyond = writes.assign(within_noise=False)
    assert stats.card_pairs(beyond.assign(noise_band=1.3))["faster"].tolist() == ["new"]
    assert stats.card_pairs(beyond.assign(noise_band=float("nan")))["faster"].tolist() == ["new"]
    both = stats.card_pairs(beyond.assign(ratio=[0.5, 2.0]))
    assert both["faster"].tolist() == ["both ways"]
    assert stats.card_pairs(writes.iloc[:0]).empty


def test_counts_of_directions_count_pairs_of_cards():
    cards = stats.card_pairs(PAIRS)
    counts = stats.direction_counts(cards, ["kind", "same_capacity"])
    assert counts["card_pairs"].sum() == (cards["faster"] != "doubted").sum()
    directions = counts[["old_faster", "new_faster", "alike", "both_ways"]].sum(axis=1)
    assert (directions == counts["card_pairs"]).all()
    assert (counts["results"] + counts["doubted"]).sum() == len(PAIRS)
    printed = PAIRS[(PAIRS["weakest"] == "printed") & (PAIRS["op"] == "randwrite")]
    own = stats.card_pairs(printed[printed["kind"] == "clean"])
    same = stats.direction_counts(own, ["same_capacity"]).set_index("same_capacity")
    assert same.loc[True, ["card_pairs", "results", "old_faster"]].tolist() == [1, 1, 1]
    assert same.loc[False, ["card_pairs", "results", "new_faster"]].tolist() == [1, 2, 1]


def test_two_results_leave_less_to_the_run_noise_than_one():
    arthur = PAIRS[(PAIRS["measured_by"] == "arthur") & (PAIRS["kind"] == "clean")]
    writes = arthur[arthur["op"] == "randwrite"].assign(noise_band=1.55, within_noise=[False, True])
    mean = stats.card_pairs(writes).iloc[0]
    assert mean["noise_band"] == pytest.approx(1.55 ** (1 / 2**0.5))
    assert mean["noise_band"] < mean["ratio"] < 1.55
    assert mean["faster"] == "new"


NAMES = stats.card_names(MEDIA), stats.place_names(DATA.hosts)


def sentences(**changed):
    """What is said of Arthur's pair of cards, and of the cards' yardstick."""
    own = PAIRS[(PAIRS["measured_by"] == "arthur") & (PAIRS["kind"] == "clean")]
    cards = stats.card_pairs(own[own["op"] == "randwrite"]).assign(**changed)
    row = next(cards.itertuples())
    said = stats.pair_in_words(row, *NAMES), stats.yardstick_in_words(row)
    return (*said, stats.direction_in_words(cards))


def test_a_pair_is_told_with_sizes_names_and_a_factor_and_never_with_ids():
    pair, yardstick, direction = sentences()
    assert pair == (
        "16 GB against 32 GB, Raspberry Pi 3 Model B and Raspberry Pi 4 Model B: the newer Samsung "
        "Evo Plus 32 GB (MB-MC32GA) is 1.5 times as fast (1.4 to 1.6) as the older Samsung Evo+ "
        "16 GB (MB-MC16DA)."
    )
    assert sentences(faster="alike")[0].endswith(
        ", no more than two runs of one card may differ by."
    )
    assert "nobody measured; in another (writing large files with dd" in yardstick
    assert direction == "the newer card is faster (1 pair of cards)"
    no_more = "the two differ no more than two runs of one card may (1 pair of cards)"
    assert sentences(faster="alike")[2] == no_more


def test_a_pair_without_a_direction_is_told_so():
    assert sentences(faster="new")[0].endswith("(MB-MC16DA).")
    assert "is as fast (0.99 to 1) as" in sentences(ratio=1.01, least=0.99, greatest=1.04)[0]
    assert sentences(faster="both ways")[2].startswith("now the one is faster")
    assert sentences(faster="doubted")[2] == "nothing can be said (no pair of cards)"
    every = stats.card_pairs(PAIRS[PAIRS["op"] == "randread"])
    assert stats.direction_in_words(every).startswith("the pairs disagree (")


def test_a_yardstick_of_the_same_test_is_told_so_and_an_unknown_one_too():
    assert "in this test by as much as 3.2 times" in sentences(specimen_same_test=True)[1]
    assert sentences(specimen_band=float("nan"))[1].endswith("nobody measured.")


# --- two cards of one model -----------------------------------------------------------------------


def test_the_twins_of_one_laboratory_are_the_two_ultra_plus():
    own = TWINS[TWINS["kind"] != "cross-laboratory"]
    assert set(own["base"]) == {"perrin/6401"}
    assert set(own["other"]) == {"perrin/6402"}
    assert own.set_index("op").loc["write", "spread"] == pytest.approx(47.04 / 14.91)
    assert own.loc[own["numjobs"] == 1, "spread"].item() == pytest.approx(7419.5 / 4963.1)


def test_a_spread_is_never_below_one():
    assert (TWINS["spread"] >= 1).all()
    turned = (TWINS["ratio"] < 1).sum()
    assert 0 < turned < len(TWINS)


def test_the_same_part_number_in_two_laboratories_is_a_pair_of_its_own_kind():
    crossed = TWINS[(TWINS["kind"] == "cross-laboratory") & (TWINS["op"] == "randwrite")]
    names = crossed[["base", "other"]].agg(" ".join, axis=1)
    widest = crossed.loc[names == "arthur/samsung-evo-plus-32gb chilina/samsung-evo+-32gb-ga"]
    assert widest["spread"].item() == pytest.approx(1678 * 1024 / (0.66 * 1_024_000), rel=0.03)


def test_the_spread_of_published_specimens_is_that_of_their_geometric_means():
    spreads = stats.reference_spreads(DATA.specimens).set_index("op")["spread"]
    expected = (18.7 * 20.5 * 23.6 / (6.7 * 7.3 * 6.9)) ** (1 / 3)
    assert spreads["write"] == pytest.approx(expected)


def test_the_specimen_band_is_the_widest_difference_of_its_kind():
    tests = pd.DataFrame(
        {"tool": ["iozone", "hdparm", "fio"], "op": ["randwrite", "read", "mixed"]}, index=[5, 6, 7]
    )
    band = specimen_band(tests, DATA.specimens, TWINS)
    assert band.index.tolist() == [5, 6, 7]
    assert band.loc[5, "specimen_band"] == pytest.approx(47.04 / 14.91)
    assert band.loc[6, "specimen_band"] == pytest.approx(9130.5 / 5071.4)
    assert band.loc[5, "specimen_basis"] == (
        "writing large files with dd, two sandisk-ultra-plus-64gb"
    )
    assert "reads by a tool that is not stated" in band.loc[6, "specimen_basis"]
    assert pd.isna(band.loc[7, "specimen_band"])


def test_a_yardstick_says_its_test_and_whether_that_is_the_one_judged():
    tests = pd.DataFrame({"tool": ["iozone", "dd"], "op": ["randwrite", "write"]})
    band = specimen_band(tests, DATA.specimens, TWINS)
    assert band["specimen_same_test"].tolist() == [False, True]
    named = PAIRS.loc[PAIRS["op"] == "randwrite", "specimen_basis"]
    assert set(named) == {"writing large files with dd, two SanDisk Ultra PLUS 64 GB"}


def test_a_yardstick_of_another_laboratory_does_not_widen_the_band():
    tests = pd.DataFrame({"tool": ["dd"], "op": ["randwrite"]})
    crossed = TWINS[TWINS["kind"] == "cross-laboratory"]
    band = specimen_band(tests, DATA.specimens, crossed)
    assert band["specimen_band"].item() == pytest.approx(2.99, abs=0.01)


def test_the_tables_are_not_changed():
    table, media = MEASUREMENTS.copy(), MEDIA.copy()
    stats.vintage_pairs(MEASUREMENTS, MEDIA, DATA.noise, DATA.specimens)
    pd.testing.assert_frame_equal(MEASUREMENTS, table)
    pd.testing.assert_frame_equal(MEDIA, media)
