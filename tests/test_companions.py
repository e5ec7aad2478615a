"""Figures beyond the five sources: built as they are, on request only, marked as such."""

import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from test_new_source import FILES as NEW_SOURCE
from test_new_source import says

import sdanalysis
from sdanalysis import audit, dataset, my_card, stats
from sdanalysis.cli import main
from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.my_card.document import as_text, document
from sdanalysis.my_card.label import match_label, other_sizes
from sdanalysis.my_card.places import OTHER_DEPTH, SAME_TOOL

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
PAGE = (ROOT / "docs" / "companions.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\$ sdanalysis (.+)\n((?:(?!\$ |```).*\n)*)", PAGE, re.M)
ON, OFF = "pi-5/slot", "pi-5/slot-no-queue"
QUEUE = ["slot-no-queue", "slot"]
BRET, SDTEST = "bretmlw-2024", "pi-5-sdtest.txt"
COMPANIONS = {BRET, "kaiser-2021", "ricsanfre-2021"}
EIGHT = [
    *("amazon-basics-64gb", "amazon-basics-128gb", "raspberry-pi-32gb", "raspberry-pi-64gb"),
    *("raspberry-pi-128gb", "samsung-pro-plus-128gb", "sandisk-extreme-64gb"),
    "sandisk-extreme-pro-128gb",
]


@pytest.fixture(scope="module")
def companions():
    return dataset.build_companions(DATA)


# --- the table -----------------------------------------------------------------------------------


def test_the_committed_table_of_the_companions_is_what_a_build_writes(companions, tmp_path):
    dataset.save(companions, tmp_path / "built.csv")
    assert (tmp_path / "built.csv").read_bytes() == dataset.COMPANIONS.read_bytes()


@pytest.fixture(scope="module")
def cells(companions):
    """The published tables of the Pi 5, a cell in two metrics."""
    return companions[companions["source"].eq(BRET) & companions["file"].ne(SDTEST)]


@pytest.fixture(scope="module")
def sdtest(companions):
    """Three runs of sdtest.sh on the same cards."""
    return companions[companions["file"] == SDTEST]


def test_each_cell_and_run_is_counted_once_in_two_metrics(cells, sdtest, companions):
    assert (len(cells), cells["run"].nunique()) == (384 * 2, 384)
    assert cells.groupby("run")["metric"].agg(set).map(len).eq(2).all()
    counts = cells.groupby(["specimen", "reader", "op", "block_size"])["run"].nunique()
    assert (len(counts), counts.unique().tolist()) == (8 * 2 * 4 * 6, [1])
    assert (len(sdtest), sdtest["run"].nunique()) == (8 * 2 * 3 * 4 * 2, 8 * 2 * 3)
    repeats = sdtest.groupby(["specimen", "reader", "op", "metric"])["repeat"].agg(sorted)
    assert repeats.map(tuple).unique().tolist() == [(1, 2, 3)]
    rows = companions[companions["source"] == "ricsanfre-2021"]
    tests = rows.groupby(["specimen", "reader", "tool", "op", "metric"])["repeat"].nunique()
    assert (len(rows), len(tests), set(tests)) == (3 * 5 * 13, 3 * 13, {5})
    (word,) = companions[companions["value"].isna()].itertuples()  # a figure without time
    assert (word.id, word.raw, word.status, word.op) == (
        "ricsanfre-2021/pi-4b-usb-stick.txt:2:11", "0", "not_measured", "reread",
    )  # fmt: skip
    rows = companions[companions["source"] == "kaiser-2021"]
    hosts = rows.groupby(["op", "block_size"])["host"].agg(sorted).map(tuple)
    assert (len(hosts), hosts.unique().tolist()) == (6 * 5, [("pi-4b", "pi-zero-2w")])


def test_each_bandwidth_is_that_of_its_iops_within_what_both_cut_off(companions):
    fio = companions[companions["tool"] == "fio"]
    keys = ["source", "run", "op", "block_size"]
    wide = fio.pivot(index=keys, columns="metric", values=["value_low", "value_high"]).astype(float)
    low, high = wide["value_low"], wide["value_high"]
    size = wide.index.get_level_values("block_size").astype(float)
    assert len(wide) == 384 + 192 + 3 * 5 * 2
    assert (low["bandwidth"] < high["iops"] * size).all()
    assert (low["iops"] * size < high["bandwidth"]).all()


def test_repeats_whose_summary_is_a_yardstick_already_count_once(companions):
    noise, alone = sdanalysis.load_data(companions=True).noise, sdanalysis.load_data().noise
    ours, theirs = (
        rows[rows["specimen"].str.startswith("ricsanfre/")].reset_index(drop=True)
        for rows in (noise, alone)
    )
    assert_frame_equal(ours, theirs)
    assert set(noise["specimen"]) - set(alone["specimen"]) == {f"bretmlw/{card}" for card in EIGHT}
    rows = companions[companions["source"].eq("ricsanfre-2021") & companions["value"].notna()]
    keys = ["specimen", "tool", "op", "metric", "block_size"]
    both = stats.repeat_spreads(rows).merge(alone, on=keys)
    both = both[both["tool"] != "dd"]  # there worked out from dd's seconds, which have more digits
    assert len(both) == 3 * 10
    for name in ("minimum", "median", "maximum"):
        assert both[f"{name}_x"].to_numpy() == pytest.approx(both[f"{name}_y"], rel=1e-6)


# --- no slip: two cards read 4 KiB by a faster way -----------------------------------------------

FASTER = ["bretmlw/sandisk-extreme-64gb", "bretmlw/sandisk-extreme-pro-128gb"]


def test_no_rule_doubts_that_two_cards_read_4_kib_faster_than_8_kib(companions):
    data = sdanalysis.load_data(companions=True)
    published = dataset.build_companions(DATA, as_published=True)
    _, findings = audit.run(replace(data, measurements=companions), published)
    doubted = {name for ids in findings["ids"] for name in ids}
    rows = companions[companions["specimen"].isin(FASTER) & (companions["op"] == "randread")]
    small = rows[rows["block_size"].isin([4096, 8192])]
    assert len(small) == 2 * 2 * (2 + 3) * 2  # cards, settings, two cells and three runs, metrics
    assert doubted.isdisjoint(small["id"])
    assert not companions["remarks"].fillna("").str.contains("suspicious").any()


# --- on request only -----------------------------------------------------------------------------


def test_nothing_of_a_companion_is_loaded_unasked():
    both, alone = sdanalysis.load_data(companions=True), sdanalysis.load_data()
    five = both.measurements[~both.measurements["source"].isin(COMPANIONS)]
    assert_frame_equal(five.reset_index(drop=True), alone.measurements)
    assert set(both.measurements["source"]) - set(alone.measurements["source"]) == COMPANIONS
    assert set(both.measurements["host"]) - set(alone.measurements["host"]) == {
        "pi-5", "pi-zero-2w",
    }  # fmt: skip
    new = set(both.media["specimen"]) - set(alone.media["specimen"])
    owners = pd.Series([name.partition("/")[0] for name in new]).value_counts()
    assert owners.to_dict() == {"bretmlw": 8, "ricsanfre": 3, "kaiser": 1}
    assert_frame_equal(sdanalysis.load(companions=True), both.measurements)
    assert_frame_equal(sdanalysis.load_media(companions=True), both.media)
    assert_frame_equal(sdanalysis.load_hosts(companions=True), both.hosts)


def test_three_notebooks_ask_for_companions_and_no_other_counts_them():
    asking = {
        path.stem
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code" and "companions" in cell.source
    }
    assert asking == {"00_which_card", "09_command_queue", "11_your_own_question"}


def test_a_table_without_its_companions_says_how_to_make_them(tmp_path):
    shutil.copy(dataset.MEASUREMENTS, tmp_path)
    path = tmp_path / "measurements.csv"
    assert len(sdanalysis.load(path)) == 635
    with pytest.raises(SdAnalysisError, match=r"companions\.csv: found No such .+sdanalysis build"):
        sdanalysis.load(path, companions=True)


# --- built as the sources are --------------------------------------------------------------------


def test_data_without_companions_are_built_without_them(data, capsys):
    shutil.rmtree(data / "companions")
    assert main(["build", "--data", str(data)]) == 0
    made = sorted(path.name for path in (data / "processed").iterdir())
    assert made == ["datapackage.json", "measurements.csv"]
    assert dataset.build_companions(data) is None
    assert "companions.csv" not in capsys.readouterr().out


def test_a_companion_that_cannot_be_read_leaves_both_tables_as_they_were(data, edit, capsys):
    edit("companions/bretmlw-2024/pi-5-4k.txt", "24.34 MB/s", "fast")
    assert main(["build", "--data", str(data)]) == 1
    assert "pi-5-4k.txt:2: found" in capsys.readouterr().err
    assert not (data / "processed").exists()


def test_a_companion_may_not_have_the_name_of_a_source(data):
    shutil.copytree(data / "raw" / "perrin-2016", data / "companions" / "perrin-2016")
    with pytest.raises(DeclarationError, match="a companion with the name of a source"):
        dataset.build_companions(data)


# --- adding one ----------------------------------------------------------------------------------


def test_what_the_page_does_prints_what_the_page_shows(data, monkeypatch, capsys):
    monkeypatch.chdir(data.parent)
    folder = Path("data/companions")
    assert [command.split()[0] for command, _ in STEPS] == ["new-source", "build", "explain"]
    (folder / "vm-disk").mkdir()
    (folder / "vm-disk" / "dd.txt").write_text(NEW_SOURCE["mine/vm-disk/dd.txt"], "utf-8")
    begin, *others = STEPS
    says(capsys, *begin)
    (folder / "vm-disk" / "source.toml").write_text(NEW_SOURCE["mine/vm-disk/source.toml"], "utf-8")
    for name in ("media.toml", "hosts.toml"):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(NEW_SOURCE[f"mine/{name}"])
    for step in others:
        says(capsys, *step)
    both = sdanalysis.load_data(Path("data"), companions=True)
    assert both.measurements["source"].value_counts()["vm-disk"] == 24
    assert "virtual-machine" in set(both.hosts["host"])
    assert len(sdanalysis.load_data(Path("data")).measurements) == 635


# --- the queue -----------------------------------------------------------------------------------


def test_the_queue_is_a_contrast_of_two_readers_with_the_card_against_itself():
    data = sdanalysis.load_data(companions=True)
    settings = {"metric": "iops", "levels": [OFF, ON]}
    small = data.measurements[data.measurements["block_size"] == 4096]
    pairs = stats.contrast_pairs(small, "reader", data.noise, **settings)
    pairs = pairs[pairs["iodepth"].isna()]
    assert pairs.groupby("op")["specimen"].nunique().to_dict() == dict.fromkeys(
        ["randread", "randwrite", "read", "write"], 8
    )
    assert pairs["test"].str.endswith("fio, queue depth not stated").all()
    ratios = pairs.set_index(["specimen", "op"])["ratio"]
    assert ratios["bretmlw/sandisk-extreme-64gb", "randread"] == pytest.approx(9048 / 3389)
    summary = stats.paired_summary(pairs, ["op"]).set_index("op").round(2)
    assert summary.loc["randread", ["ratio", "low", "high", "verdict"]].tolist() == [
        1.30, 0.90, 1.87, "~",
    ]  # fmt: skip
    assert summary.loc["write", ["ratio", "low", "high", "verdict"]].tolist() == [
        2.92, 1.33, 6.38, ">1",
    ]  # fmt: skip


def test_a2_is_asked_of_a_host_with_a_queue_and_a_miss_decides_nothing():
    data = sdanalysis.load_data(companions=True)
    rest = data.classes, data.media, data.hosts, data.noise
    verdicts = stats.class_verdicts(data.measurements, *rest)
    a2 = verdicts[(verdicts["class"] == "A2") & (verdicts["host"] == "pi-5")]
    assert a2["rated"].eq("yes").all()
    assert set(a2["verdict"]) == {"pass", "cannot tell"}
    writes = a2[a2["op"] == "write"]
    asked = data.measurements.query("metric == 'bandwidth'").set_index("id")["value"]
    for row in writes.itertuples():
        assert asked[list(row.ids)].between(0.5 * row.value, 2 * row.value).all()  # no IOPS among
    large = writes[writes["block_size"] >= 512 * 2**10]
    assert (large["value"] > 20e6).all()


# --- labels --------------------------------------------------------------------------------------


def test_a_card_of_a_companion_is_known_by_its_name_on_any_computer(tmp_path):
    media = sdanalysis.load_media(companions=True)
    for label, medium in {
        "Raspberry Pi 64 GB": "raspberry-pi-64gb",
        "SanDisk Extreme Pro A2 64GB": "sandisk-extreme-pro-64gb-2021",
        "Amazon Basics 128GB": "amazon-basics-128gb-a2",
        "Samsung Flash Drive FIT 32GB": "samsung-flash-drive-fit-32gb",
    }.items():
        assert match_label(label, media)["medium"].tolist() == [medium]
    card = my_card.read(fio_log(tmp_path, depth=1), host="pi-4b", label="Raspberry Pi 64 GB")
    assert card.name.candidates["medium"].tolist() == ["raspberry-pi-64gb"]
    assert card.companions == ()  # only the name: its figures are of another computer


def test_a_known_name_in_another_size_says_which_sizes_were_measured(tmp_path):
    media = sdanalysis.load_media(companions=True)
    assert other_sizes("Raspberry Pi 256 GB", media) == ["32 GB", "64 GB", "128 GB"]
    assert other_sizes("Acme Rocket 256 GB", media) == other_sizes("Raspberry Pi", media) == []
    log = fio_log(tmp_path, depth=1)
    for host in ("pi-4b", "pi-5"):
        card = my_card.read(log, host=host, label="Raspberry Pi 256 GB")
        (said,) = [one for one in card.answer if "The label" in one]
        assert said.endswith("Measured of that name were: 32 GB, 64 GB, 128 GB.")


# --- promises of a maker -------------------------------------------------------------------------


def test_what_a_maker_promises_is_of_cards_and_computers_of_the_catalogue():
    promises = sdanalysis.load_promises()
    data = sdanalysis.load_data(companions=True)
    assert set(promises["medium"]) <= set(data.media["medium"])
    assert set(promises["host"]) <= set(data.hosts["host"])
    assert not promises.duplicated(["medium", "host"]).any()
    assert promises["source"].str.startswith("https://").all()


def test_raspberry_pi_s_cards_reach_its_promises_with_the_queue(sdtest):
    rows = sdtest[(sdtest["metric"] == "iops") & (sdtest["reader"] == "slot")]
    promises = sdanalysis.load_promises().melt(["medium", "host", "source"], var_name="op")
    both = rows.merge(promises, on=["medium", "host", "op"], suffixes=("", "_promised"))
    assert len(both) == 3 * 2 * 3  # cards, ops, runs
    assert (both["value"] >= both["value_promised"]).all()


# --- a card of one's own -------------------------------------------------------------------------

FIO = """{{"fio version": "fio-3.33", "jobs": [
{{"jobname": "mine", "groupid": 0, "error": 0, "job options": {{"rw": "randread", "bs": "4k",
"ioengine": "libaio", "iodepth": "{depth}", "direct": "1", "size": "1g", "filename": "/mnt/x"}},
"read": {{"io_bytes": 655360000, "bw_bytes": {rate}, "bw": {kib}, "iops": {iops},
"runtime": 10000, "total_ios": 160000}}}}]}}
"""


def fio_log(folder, *, depth=32, iops=6000.0):
    path = folder / "card.json"
    rate = int(iops * 4096)
    path.write_text(FIO.format(depth=depth, rate=rate, kib=rate // 1024, iops=iops))
    return path


def test_a_card_in_a_pi_5_is_placed_among_the_companions_cards_and_it_is_said(tmp_path):
    log = fio_log(tmp_path, depth=16)
    card = my_card.read(log, host="pi-5")
    (place,) = card.places.to_dict("records")
    assert (place["basis"], place["n"], place["rank"]) == ("pi-5, slot", 8, 4)
    test = "random read, 4 KiB, fio, queue depth 16"
    assert (place["level"], place["shown_test"]) == (OTHER_DEPTH, test)
    assert card.tests[1].words.endswith("*")
    answer = "\n".join(card.notes)
    assert "Figures beyond the five sources" in answer
    assert "bretmlw (bret.dk)" in answer
    assert "command queue switched off: --reader slot-no-queue" in answer
    text = as_text(document(card), long=True)
    assert f"{test} **" in text
    assert "** the queue depth of the known figures is not stated" in text
    assert card.nearest.empty  # indicative only: never used otherwise
    off = my_card.read(log, host="pi-5", reader="slot-no-queue")
    assert off.places[["basis", "rank"]].to_numpy().tolist() == [["pi-5, slot-no-queue", 1]]
    assert not any("--reader" in sentence for sentence in off.notes)


def test_a_queue_as_deep_as_the_script_of_the_companion_has_is_the_same_test(tmp_path):
    (place,) = my_card.read(fio_log(tmp_path), host="pi-5").places.to_dict("records")
    assert (place["basis"], place["level"], place["n"]) == ("pi-5, slot", SAME_TOOL, 8)
    assert "256 MiB for 8 of the known cards" in place["assumed"]


@pytest.mark.parametrize(
    ("host", "iops", "basis", "companions"),
    [
        ("pi-4b", 6000.0, "pi-4b, slot", False),
        (None, 6000.0, "all hosts", False),
        ("pi-zero-2w", 1200.0, "pi-zero-2w, slot", True),
        ("pi-3b-plus", 2000.0, "all hosts", False),  # a host without any figure
    ],
)
def test_companions_are_asked_only_for_a_host_that_the_sources_lack(
    tmp_path, host, iops, basis, companions
):
    card = my_card.read(fio_log(tmp_path, depth=1, iops=iops), host=host)
    assert basis in set(card.places["basis"])
    assert bool(card.companions) == companions
    assert ("Thomas Kaiser" in "\n".join(card.notes)) == companions
    if companions:
        assert card.places[["n", "verdict"]].to_numpy().tolist() == [[1, "-"]]
    else:
        assert not any("beyond the five sources" in sentence for sentence in card.notes)
        assert set(card.places["level"]) == {"other tool"}


def test_a_test_that_the_five_sources_lack_has_its_place_among_cards_of_companions(tmp_path):
    card = my_card.read(fio_log(tmp_path), host="pi-4b")
    (place,) = card.places.to_dict("records")
    assert (place["basis"], place["level"], place["n"]) == ("all hosts", SAME_TOOL, 8)
    assert "bretmlw" in " ".join(card.companions)


def test_a_mixed_job_whose_mix_is_not_printed_has_no_place_beside_unmixed_ones():
    card = my_card.read(ROOT / "tests/corpus/fio/randrw-normal--3.25.log", host="pi-5")
    assert card.places.empty
    whys = card.not_compared.loc[card.not_compared["what"].str.startswith("random"), "why"]
    assert whys.str.contains("whether one job read and wrote|above what the bus").all()


def test_a_computer_that_a_log_names_is_found_among_those_without_figures(tmp_path):
    log = tmp_path / "card.log"
    log.write_text("Model: Raspberry Pi 5 Model B Rev 1.0\n" + fio_log(tmp_path).read_text())
    card = my_card.read(log)
    assert (card.setting.host, card.computer.found.at) == ("pi-5", "card.log:1")
    assert any("Raspberry Pi 5 Model B Rev 1.0 (card.log:1)" in note for note in card.notes)


def test_each_card_of_the_catalogue_of_companions_is_measured(companions):
    listed = tomllib.loads((DATA / "companions" / "media.toml").read_text(encoding="utf-8"))
    ids = {one["id"] for medium in listed["medium"] for one in medium["specimen"]}
    assert ids == set(companions["specimen"])
