"""The catalogue: every label names one specimen, every host has its limit, mistakes are refused."""

import pytest

from sdanalysis import dataset
from sdanalysis.errors import DeclarationError
from sdanalysis.sources.catalogue import read_catalogue
from sdanalysis.sources.folders import source_folders
from sdanalysis.sources.load import load_source


def refusal(data, name):
    """The message with which the catalogue is refused, without its place, which is checked."""
    with pytest.raises(DeclarationError) as error:
        read_catalogue(data)
    message = str(error.value)
    assert message.startswith(f"{data / name}: ")
    return message.removeprefix(f"{data / name}: ")


# --- what the catalogue holds --------------------------------------------------------------------


def test_a_label_belongs_to_its_laboratory(data):
    catalogue = read_catalogue(data)
    specimens = {
        catalogue.specimen_of(laboratory, label).id
        for laboratory, label in [
            ("kulesz", "Samsung Evo+ mSDHC U1 32 GB"),
            ("geerling", "Samsung Evo+ 32GB"),
        ]
    }
    assert specimens == {"kulesz/samsung-evo+-32gb", "geerling/samsung-evo+-32gb"}
    with pytest.raises(DeclarationError, match=r"which data/media\.toml lacks"):
        catalogue.specimen_of("geerling", "Samsung Evo+ mSDHC U1 32 GB")


def test_every_label_of_the_catalogue_is_printed_somewhere(data):
    printed = {
        (item.measured_by, item.looked_up or item.label)
        for folder in source_folders(data / "raw")
        for item in load_source(folder)
    }
    assert read_catalogue(data).specimens.keys() == printed


def test_every_host_and_reader_is_measured_with_or_is_a_raspberry_pi_one_may_ask_for(
    data, measurements
):
    tables = measurements, dataset.build_companions(data)
    used = {pair for table in tables for pair in zip(table["host"], table["reader"], strict=True)}
    idle = read_catalogue(data).readers.keys() - used
    assert idle == {("pi-3b-plus", "slot")}


def test_capacities_are_in_powers_of_ten_and_limits_in_bytes_a_second(data):
    media = dataset.load_media(data).set_index("specimen")
    hosts = dataset.load_hosts(data).set_index(["host", "reader"])
    assert media.loc["kulesz/samsung-evo+-2017-64gb", "capacity"] == 64e9
    assert media.loc["kulesz/toshiba-cf-256mb", "capacity"] == 256e6
    assert hosts.loc[("pi-3b", "slot"), "limit"] == 25e6
    assert hosts.loc[("kulesz-workstation", "cr0015"), "limit"] == 60e6


def test_no_host_but_the_pi_5_has_the_command_queue_and_each_says_why(data, measurements):
    hosts = dataset.load_hosts(data)
    assert str(hosts["command_queue"].dtype) == "boolean"
    on = hosts[hosts["command_queue"]]
    assert on[["host", "reader"]].to_numpy().tolist() == [["pi-5", "slot"]]
    assert "pi-5" not in set(measurements["host"])
    assert hosts["command_queue_evidence"].notna().all()


def test_the_two_slots_of_the_pi_5_are_one_bus_with_the_queue_on_and_off(data):
    slots = dataset.load_hosts(data).query("host == 'pi-5'").set_index("reader")
    assert slots["command_queue"].to_dict() == {"slot": True, "slot-no-queue": False}
    assert slots[["bus", "limit", "limit_evidence"]].drop_duplicates().shape[0] == 1


def test_a_command_queue_that_is_not_stated_or_unknown_is_missing_and_one_that_is_there_true(
    data, edit
):
    stated = 'command_queue = false\ncommand_queue_evidence = "'
    edit("hosts.toml", stated, 'command_queue = "unknown"\ncommand_queue_evidence = "')
    edit("hosts.toml", stated, 'command_queue = true\ncommand_queue_evidence = "')
    edit("hosts.toml", "command_queue = false\n", "")
    queue = dataset.load_hosts(data)["command_queue"]
    assert queue.head(3).isna().tolist() == [True, False, True]
    assert queue[1]


# --- what it may not hold ------------------------------------------------------------------------


# What a file may not hold: an edit of it, and the words with which it is refused.
REFUSED = {
    "media.toml": [
        ('id = "adata-c4-32gb"', 'id = "adata-a2-64gb"', "found the id 'adata-a2-64gb' twice"),
        ('id = "kulesz/adata-c4-32gb"', 'id = "reader-adata/adata-a2-64gb"',
         "found the id 'reader-adata/adata-a2-64gb' twice"),
        ('"Kingston ? mSD C4 8 GB"', '"Adata ? mSD C4 32 GB"',
         "medium kingston-c4-8gb: found the label 'Adata ? mSD C4 32 GB' of 'kulesz' a second "
         "time, expected one specimen (it names kulesz/adata-c4-32gb)"),
        ('maker = "Adata"\n', "", "medium adata-a2-64gb: expected maker"),
        ('maker = "Adata"', 'maker = "Adata"\nprice = 3', "medium adata-a2-64gb: found price, exp"),
        ('maker = "Adata"', "maker = 3", "medium adata-a2-64gb: maker: found 3, expected str"),
        ('form = "microSD"', 'form = "mSD"',
         "adata-a2-64gb: form: found 'mSD', expected one of mi"),
        ('class = "A2"', 'class = "A3"',
         "application_class: found 'A3', expected one of A1, A2, no"),
        ('"64 GB"', '"64GB"', "capacity: found '64GB', expected `<n> GB` or `<n> MB`"),
        ('"64 GB"', '"64 GiB"', "capacity: found '64 GiB', expected `<n> GB` or `<n> MB`"),
        ('"64 GB"', '"0 GB"', "capacity: found '0 GB', expected `<n> GB` or `<n> MB`"),
        ('"64 GB"', '"٦٤ GB"', "capacity: found '٦٤ GB', expected `<n> GB` or `<n> MB`"),
        ("speed_class = []", "speed_class = [10]", "speed_class: found [10], expected list[str]"),
        ('id = "reader-adata/', 'id = "reader-adata-', "expected an id '<laboratory>/<name>'"),
        ('evidence = "named"', 'evidence = "sure"', "with the evidence 'sure', expected an id"),
        ('labels = ["Adata 64GB', 'label = ["Adata 64GB', "medium adata-a2-64gb: expected labels"),
        ("[[medium]]", "[other]\n[[medium]]", "found other, expected only medium"),
        ("[[medium]]", "[[medium", "found no valid TOML"),
    ],
    "hosts.toml": [
        ('id = "pi-2b"', 'id = "pi-b"', "found the reader 'slot' twice"),
        ('id = "cr0015"', 'id = "cr0034a"', "found the reader 'cr0034a' twice"),
        ("limit = 25.0", "limit = 25", "host pi-b: limit: found 25, expected float"),
        ("limit = 25.0", 'limit = "25"', "host pi-b: limit: found '25', expected float"),
        ("limit = 25.0\n", "", "host pi-b: expected limit"),
        ('name = "SD slot"', 'nmae = "SD slot"', "host pi-b: expected name"),
        ("command_queue = false", 'command_queue = "off"',
         "pi-b: command_queue: found 'off', expec"),
        ("command_queue = false", "command_queue = 0",
         "command_queue: found 0, expected bool or str"),
        ("command_queue_evidence", "#",
         "pi-b: command_queue: found false without evidence, expect"),
        ("[[host]]", "[host]", "found no valid TOML"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [(file, *case) for file, cases in REFUSED.items() for case in cases],
)
def test_a_medium_or_a_host_that_means_nothing_or_two_things_is_refused(
    data, edit, file, old, new, problem
):
    edit(file, old, new)
    assert problem in refusal(data, file)


@pytest.mark.parametrize("content", ["medium = 3", "medium = [3]", "[medium]", ""])
def test_a_catalogue_that_is_no_list_of_media_is_refused(data, content):
    (data / "media.toml").write_text(content, encoding="utf-8")
    assert "expected" in refusal(data, "media.toml")


@pytest.mark.parametrize("name", ["media.toml", "hosts.toml"])
def test_a_catalogue_that_is_not_there_is_refused(data, name):
    (data / name).unlink()
    assert refusal(data, name) == "found No such file or directory, expected a TOML file"
