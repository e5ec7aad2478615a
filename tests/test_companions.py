"""Figures beyond the five sources: the Pi 5's queue on and off, on request only, built alike."""

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from test_new_source import FILES as NEW_SOURCE

import sdanalysis
from sdanalysis import dataset, my_card, stats
from sdanalysis.cli import main
from sdanalysis.errors import DeclarationError, SdAnalysisError
from sdanalysis.my_card.document import as_text, document
from sdanalysis.my_card.places import OTHER_DEPTH

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
PAGE = (ROOT / "docs" / "companions.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\$ sdanalysis (.+)\n((?:(?!\$ |```).*\n)*)", PAGE, re.M)
ON, OFF = "pi-5/slot", "pi-5/slot-no-queue"


@pytest.fixture(scope="module")
def companions():
    return dataset.build_companions(DATA)


# --- the table -----------------------------------------------------------------------------------


def test_the_committed_table_of_the_companions_is_what_a_build_writes(companions, tmp_path):
    dataset.save(companions, tmp_path / "built.csv")
    assert (tmp_path / "built.csv").read_bytes() == dataset.COMPANIONS.read_bytes()


def test_64_measurements_are_printed_in_two_metrics_and_counted_once(companions):
    assert len(companions) == 128
    assert companions["run"].nunique() == 64
    assert companions.groupby("run")["metric"].agg(set).map(len).eq(2).all()
    cells = companions.groupby(["specimen", "reader", "op"])["run"].nunique()
    assert (len(cells), cells.unique().tolist()) == (8 * 2 * 4, [1])


def test_each_bandwidth_is_that_of_its_iops_within_what_both_cut_off(companions):
    wide = companions.pivot(index="run", columns="metric", values=["value_low", "value_high"])
    low, high = wide["value_low"], wide["value_high"]
    assert (low["bandwidth"] < high["iops"] * 4096).all()
    assert (low["iops"] * 4096 < high["bandwidth"]).all()


@pytest.mark.parametrize("condition", ["iodepth", "numjobs", "file_size", "direct", "system"])
def test_what_the_source_does_not_state_is_missing(companions, condition):
    assert companions[condition].isna().all()


def test_the_host_that_no_heading_names_is_marked_as_inferred(companions):
    assert companions["remarks"].eq("inferred-host").all()


# --- on request only -----------------------------------------------------------------------------


def test_nothing_of_a_companion_is_loaded_unasked():
    both, alone = sdanalysis.load_data(companions=True), sdanalysis.load_data()
    five = both.measurements[both.measurements["source"] != "bretmlw-2024"]
    assert_frame_equal(five.reset_index(drop=True), alone.measurements)
    assert set(both.measurements["source"]) - set(alone.measurements["source"]) == {"bretmlw-2024"}
    assert "pi-5" not in set(alone.measurements["host"])
    new = set(both.media["specimen"]) - set(alone.media["specimen"])
    assert all(name.startswith("bretmlw/") for name in new)
    assert len(new) == 8
    assert_frame_equal(sdanalysis.load(companions=True), both.measurements)
    assert_frame_equal(sdanalysis.load_media(companions=True), both.media)
    assert_frame_equal(sdanalysis.load_hosts(companions=True), both.hosts)


def test_only_the_notebook_of_the_command_queue_asks_for_companions():
    asking = {
        path.stem
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code" and "companions" in cell.source
    }
    assert asking == {"09_command_queue"}


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
    assert [path.name for path in (data / "processed").iterdir()] == ["measurements.csv"]
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


def test_a_figure_of_a_companion_is_explained_by_its_id_alone(capsys):
    assert main(["explain", "bretmlw-2024/pi-5-4k.txt:4:1"]) == 0
    printed = capsys.readouterr().out
    assert "| Amazon Basics 64GB | CQ ON | Randread | 15.08 MB/s (3770)" in printed
    assert "host pi-5, reader slot: UHS-I SDR104" in printed


# --- adding one ----------------------------------------------------------------------------------


def test_what_the_page_does_prints_what_the_page_shows(data, monkeypatch, capsys):
    monkeypatch.chdir(data.parent)
    folder = Path("data/companions")
    assert [command.split()[0] for command, _ in STEPS] == ["new-source", "build", "explain"]
    for number, (command, shown) in enumerate(STEPS):
        if number == 0:
            (folder / "vm-disk").mkdir()
            (folder / "vm-disk" / "dd.txt").write_text(NEW_SOURCE["mine/vm-disk/dd.txt"], "utf-8")
        assert main(shlex.split(command)) == 0
        printed = capsys.readouterr()
        assert (printed.out, printed.err) == (shown, "")
        if number == 0:
            for name in ("vm-disk/source.toml", "hosts.toml"):
                (folder / name).write_text(NEW_SOURCE[f"mine/{name}"], "utf-8")
            with (folder / "media.toml").open("a", encoding="utf-8") as media:
                media.write(NEW_SOURCE["mine/media.toml"])
    both = sdanalysis.load_data(Path("data"), companions=True)
    assert both.measurements["source"].value_counts()["vm-disk"] == 24
    assert "virtual-machine" in set(both.hosts["host"])
    assert len(sdanalysis.load_data(Path("data")).measurements) == 635


def test_a_name_that_a_companion_has_is_not_begun_again(tmp_path, capsys):
    assert main(["new-source", "bretmlw-2024", "--raw", str(tmp_path / "mine")]) == 1
    assert "companions/bretmlw-2024: found a source.toml in it" in capsys.readouterr().err


# --- the queue -----------------------------------------------------------------------------------


def test_the_queue_is_a_contrast_of_two_readers_with_the_card_against_itself():
    data = sdanalysis.load_data(companions=True)
    settings = {"metric": "iops", "levels": [OFF, ON]}
    pairs = stats.contrast_pairs(data.measurements, "reader", data.noise, **settings)
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
    random = a2[a2["op"] != "write"]
    assert set(random["verdict"]) == {"pass", "cannot tell"}
    small = a2[(a2["op"] == "write") & (a2["verdict"] != "pass")]
    assert not small["verdict"].eq("fail").any()  # requests smaller than the rule's


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
    card = my_card.read(fio_log(tmp_path), host="pi-5")
    (place,) = card.places.to_dict("records")
    assert (place["basis"], place["n"], place["rank"]) == ("pi-5, slot", 8, 4)
    assert (place["level"], place["shown_test"]) == (
        OTHER_DEPTH,
        "random read, 4 KiB, fio, queue depth 32",
    )
    answer = "\n".join(card.answer)
    assert "The queue depth of those is not stated: a rough guide only." in answer
    assert "figures beyond the five sources" in answer
    assert "bretmlw (bret.dk)" in answer
    assert "command queue switched off: --reader slot-no-queue" in answer
    text = as_text(document(card))
    assert "random read, 4 KiB, fio, queue depth 32 **" in text
    assert "** the queue depth of the known figures is not stated" in text
    assert card.nearest.empty  # indicative only: never used otherwise


def test_with_the_queue_off_the_same_card_stands_elsewhere(tmp_path):
    card = my_card.read(fio_log(tmp_path), host="pi-5", reader="slot-no-queue")
    assert card.places[["basis", "rank"]].to_numpy().tolist() == [["pi-5, slot-no-queue", 1]]
    assert not any("--reader" in sentence for sentence in card.answer)


def test_for_a_host_of_the_sources_no_companion_is_taken_on(tmp_path):
    log = fio_log(tmp_path, depth=1)
    for host in ("pi-4b", None):
        card = my_card.read(log, host=host)
        assert card.companions == ()
        assert not any("beyond the five sources" in sentence for sentence in card.answer)
        assert set(card.places["level"]) == {"other tool"}


def test_a_host_without_any_figure_is_known_and_stands_among_cards_of_other_hosts(tmp_path):
    card = my_card.read(fio_log(tmp_path, depth=1, iops=2000.0), host="pi-zero-2w")
    assert card.setting.bus.startswith("SD High Speed")
    assert card.places["basis"].unique().tolist() == ["all hosts"]
    assert card.companions == ()


def test_a_mixed_job_whose_mix_is_not_printed_has_no_place_beside_unmixed_ones():
    log = ROOT / "tests/corpus/fio/randrw-normal--3.25.log"
    card = my_card.read(log, host="pi-5")
    assert card.places.empty
    whys = card.not_compared.loc[card.not_compared["what"].str.startswith("random"), "why"]
    assert whys.str.contains("whether one job read and wrote|above what the bus").all()


def test_a_computer_that_a_log_names_is_found_among_those_without_figures(tmp_path):
    log = tmp_path / "card.log"
    log.write_text("Model: Raspberry Pi 5 Model B Rev 1.0\n" + fio_log(tmp_path).read_text())
    card = my_card.read(log)
    assert (card.setting.host, card.computer.found.at) == ("pi-5", "card.log:1")
    assert any("Raspberry Pi 5 Model B Rev 1.0 (card.log:1)" in said for said in card.answer)


def test_fio_without_a_stated_depth_is_no_test_of_depth_one():
    rows = pd.DataFrame(
        {"tool": "fio", "op": "randread", "block_size": 4096, "iodepth": pd.array([1, pd.NA])}
    )
    words = stats.with_test(rows)["test"].tolist()
    assert words == ["random read, 4 KiB, fio", "random read, 4 KiB, fio, queue depth not stated"]


def test_each_card_of_the_catalogue_of_companions_is_measured(companions):
    listed = tomllib.loads((DATA / "companions" / "media.toml").read_text(encoding="utf-8"))
    ids = {one["id"] for medium in listed["medium"] for one in medium["specimen"]}
    assert ids == set(companions["specimen"])
