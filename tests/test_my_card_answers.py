"""What the owner of a card is told first: label against registers, the bus, the computer."""

import base64
import io
import json
import re

import pandas as pd
import pytest

import sdanalysis
from sdanalysis import my_card
from sdanalysis.cli import main
from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.identity import read_identity
from sdanalysis.my_card.answer import answer
from sdanalysis.my_card.computer import computer_of, spelled
from sdanalysis.my_card.document import as_text, document
from sdanalysis.my_card.label import match_label, names_like
from sdanalysis.my_card.logs import read_logs
from sdanalysis.parsers.capture import Capture

HDPARM = "/dev/mmcblk0:\n Timing buffered disk reads: 132 MB in  3.01 seconds =  43.85 MB/sec\n"
# As PiBenchmarks' Storage.sh and inxi print them; the figures were chosen for these tests.
IDENTITY = """\
Board information: Manufacturer: x - Model: Raspberry Pi 4 Model B Rev 1.2 - OS: x
  ID-1: /dev/mmcblk0 vendor: SanDisk model: SD32G size: 29.72 GiB
Card CSD status register: MID: 3 OID: SD PNM: SD32G PRV: 8.5 MDATE: 1/2021
MicroSD information: Clock Speed: 50.0 - Manufacturer: SanDisk - Class: A1 Class 10 U1
"""
DIRECT = """\
/dev/mmcblk0p2:
 Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec
"""
IOZONE = """\
\tCommand line used: iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -i 2
\tOutput is in kBytes/sec
                                                              random    random
              kB  reclen    write  rewrite    read    reread    read     write
          102400       4     2251     2288     8810     8814     7353     3432

iozone test complete.
"""
SAYS = "the card says SanDisk, SD32G, 31.9 GB (29.7 GiB), A1 C10 U1:"


@pytest.fixture
def log(tmp_path):
    def write(text):
        path = tmp_path / "card.log"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


# --- the label against the registers -------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "differs"),
    [
        ("Samsung Pro 16 GB", "maker and capacity differ"),
        ("Samsung Pro 32 GB", "maker differs"),
        ("SanDisk Ultra 64 GB", "capacity differs"),
        ("SanDisk Extreme 32 GB U3 V30 A2", "classes differ"),
        ("Samsung Foo 128GB V60", "maker, capacity and classes differ"),
    ],
)
def test_what_the_card_says_against_its_label_comes_first(log, label, differs):
    card = my_card.read(log(IDENTITY + IOZONE), label=label)
    assert card.answer[0].startswith(f"The label says {label}, {SAYS} {differs} (card.log:")
    assert card.verdict.startswith("Your card is middling to good for a Pi 4, by its small writes")
    assert not any("label fits" in said for said in card.answer)
    proof = any("f3write, then f3read" in said for said in card.answer)
    assert proof is ("maker" in differs or "capacity" in differs)


def test_a_label_that_the_registers_bear_out_says_so_class_by_class(log):
    card = my_card.read(log(IDENTITY + IOZONE), label="SanDisk Ultra 32 GB A1 U1")
    assert card.check.conflicts == ()
    assert "its classes (A1 U1)" in card.check.agreed


def test_a_brand_that_sells_cards_of_others_is_not_contradicted_by_an_id(log):
    card = my_card.read(log(IDENTITY + IOZONE), label="Kingston Canvas Select 32 GB")
    assert card.check.conflicts == ()
    assert any("Kingston may sell cards of others" in said for said in card.notes)


def test_of_two_cards_in_a_log_the_one_that_fits_its_label_is_no_conflict(log):
    other = "[    1.9] mmcblk1: mmc1:0001 EB1QT 59.6 GiB\n"
    card = my_card.read(log(IDENTITY + other + IOZONE), label="SanDisk Extreme 64 GB")
    assert card.check.conflicts == ()
    assert card.check.signs == ()


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("mmcblk0: mmc0:0001 SD32G 119 GiB", "use for 32 GB, and the capacity is 128 GB"),
        ("/sys/block/mmcblk0/device/cid:03534441423132438501234567015101", "CID checksum does not"),
        ("MID: 3 OID: XX PNM: AB12C PRV: 8.5 MDATE: 1/2021", "its OEM id is 'XX' (card.log:1)"),
        (
            "mmcblk0: mmc0:0001 AB12C 29.7 GiB\nDisk /dev/mmcblk0: 8 GiB, 8053063680 bytes",
            "two capacities of the card, 8.05 GB (7.5 GiB) and 31.9 GB",
        ),
        ("mmcblk0     179:0    0   0.05G  0 disk", "a test wrote or read 0.105 GB"),
    ],
)  # fmt: skip
def test_registers_that_do_not_fit_together_are_told_with_what_would_prove_it(log, text, sign):
    card = my_card.read(log(f"{text}\n{IOZONE}"))
    assert any(sign in one for one in card.check.signs)
    assert any("The registers do not fit together" in said for said in card.answer)
    assert any("f3write, then f3read" in said for said in card.answer)
    assert "fake" not in json.dumps(document(card)).lower()


@pytest.mark.parametrize(
    "line",
    [
        "[    1.234] mmcblk0: mmc0:aaaa SD32G 29.7 GiB",
        "Disk /dev/mmcblk0: 29.72 GiB, 31914983424 bytes, 62333952 sectors",
        "mmcblk0     179:0    0  29.7G  0 disk",
        "mmcblk0     179:0    0  29,7G  0 disk ",
        "  ID-1: /dev/mmcblk0 vendor: SanDisk model: SD32G size: 29.72 GiB",
    ],
)
def test_the_size_of_a_card_is_read_as_the_system_prints_it(line):
    found, problems = read_identity(Capture(line).lines)
    (size,) = [fact.number for fact in found if fact.name == "capacity"]
    assert (size, problems) == (pytest.approx(31.9e9, rel=0.001), [])


# --- labels as people type them ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "name", "corrected", "passed_over"),
    [
        ("SanDisk Ulta 32GB", "SanDisk Ultra 32 GB", [("ulta", "ultra")], []),
        ("SanDisk Extreme 32 GB U3 V30 A2", "SanDisk Extreme 32 GB", [], ["A2"]),
        ("SanDisk Extreme red/gold 32G", "SanDisk Extreme 32 GB", [], ["red", "gold"]),
        ("SanDisk Extreme 32GB 90MB/s", "SanDisk Extreme 32 GB", [], []),
    ],
)
def test_a_label_is_read_past_slips_and_what_was_done_to_it_is_told(
    label, name, corrected, passed_over
):
    found = match_label(label, sdanalysis.load_media())
    assert set(found["name"]) == {name}
    assert {(*reading,) for reading in found["reading"]} == {(tuple(corrected), tuple(passed_over))}


def test_a_word_of_another_product_is_not_passed_over_and_the_likely_ones_are_named(log):
    media = sdanalysis.load_media()
    assert match_label("SanDisk Extreme Prp 32 GB", media).empty
    assert names_like("SanDisk Extreme Prp 32 GB", media)[0] == "SanDisk Extreme PRO 32 GB"
    card = my_card.read(log(IOZONE), label="SanDisk Extreme Prp 32 GB")
    assert any("Did you mean SanDisk Extreme PRO 32 GB" in said for said in card.answer)


def test_a_label_of_several_entries_of_one_product_is_answered_for_the_product(log):
    card = my_card.read(log(IOZONE), label="SanDisk Ulta 32GB")
    (said,) = [said for said in card.notes if "SanDisk Ulta 32GB" in said]
    assert said.endswith("; “ulta” read as “ultra”.")
    assert card.name.product == "SanDisk Ultra 32 GB"  # two numbers of one product
    assert "The label fits the SanDisk Ultra 32 GB" in " ".join(card.answer)


# --- the bus -------------------------------------------------------------------------------------


def test_a_test_that_measures_the_bus_says_so_first_and_gives_no_place(log):
    card = my_card.read(log(HDPARM), host="pi-4b")
    assert card.verdict.startswith("This log shows the slot, not your card")
    assert card.tests[3].sentence == "Large reads: 46.0 MB/s, no verdict: the slot ends at 50 MB/s."
    assert (len(card.places), len(card.nearest), len(card.points)) == (0, 0, 0)
    assert card.not_compared["reason"].tolist() == ["bus_measured"]
    text = as_text(document(card), long=True)
    assert "place 10" not in text
    assert "1 figure, 1 test\n" in text


def test_a_card_slower_than_the_bus_and_the_others_has_its_place(log):
    card = my_card.read(log(HDPARM.replace("43.85", "20.00")), host="pi-4b")
    assert card.buses.empty
    assert card.verdict == "Your card is poor for a Pi 4, by its large reads."
    assert card.tests[3].words.startswith("faster than none of 24")


def test_without_cards_on_the_host_the_buses_of_others_rank_nothing(log):
    for host in (None, "pi-5"):
        card = my_card.read(log(HDPARM), host=host)
        assert card.tests[3].words == "no verdict: boards decide this, not cards"
        assert card.places.empty


def test_a_bus_beside_a_place_is_a_note_below_the_verdict(log):
    card = my_card.read(log(HDPARM + IOZONE), host="pi-4b")
    assert card.verdict.endswith("by its small writes.")
    assert card.tests[3].words == "no verdict: the slot ends at 50 MB/s"
    assert "hdparm" not in " ".join(card.places["test"])


# --- the computer --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("Raspberry Pi 4", "pi-4b"),
        ("pi4", "pi-4b"),
        ("rpi4b", "pi-4b"),
        ("Raspberry Pi 4 Model B Rev 1.2", "pi-4b"),
        ("Raspberry Pi 3 B+", "pi-3b-plus"),
        ("zero 2 W", "pi-zero-2w"),
        ("pi-5", "pi-5"),
        ("pi 3b sd100", "pi-3b-sd100"),
    ],
)
def test_a_computer_has_many_names(typed, host):
    assert computer_of(typed, [], sdanalysis.load_hosts()).host == host


def test_no_two_computers_have_a_name_in_common():
    hosts = sdanalysis.load_hosts().drop_duplicates("host")
    names = [
        {spelled(name) for name in (row.host, row.host_name, *row.aliases)}
        for row in hosts.itertuples()
    ]
    assert len(set().union(*names)) == sum(map(len, names))


@pytest.mark.parametrize(
    ("typed", "offer"),
    [
        ("pi-6", "“pi-6”: known are pi-b, pi-2b"),
        ("raspery pi 4", "did you mean Pi 4 (--host pi-4b)?"),
        ("Raspberry Pi 400", "“Raspberry Pi 400”: known are"),
    ],
)
def test_an_unknown_computer_goes_on_without_one_and_it_is_said(log, capsys, typed, offer):
    assert main(["mine", log(IOZONE), "--host", typed, "--reader", "usb"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert offer in text
    assert "Cards of all computers are compared" in text
    assert "among cards of all boards" in text


def test_the_computer_is_taken_from_the_log_and_it_is_said(log):
    card = my_card.read(log(IDENTITY + IOZONE))
    assert card.setting.host == "pi-4b"
    assert document(card)["card"]["host_from"] == "card.log:1"
    assert "The computer was taken from the log: Raspberry Pi 4 Model B Rev 1.2" in card.notes[0]


def test_a_log_of_another_computer_than_the_one_named_is_told_first(log):
    card = my_card.read(log(IDENTITY + IOZONE), host="Pi 3")
    assert card.answer[0].startswith("The log names a Raspberry Pi 4 Model B")
    assert "(--host pi-4b)" in card.answer[0]
    assert card.setting.host == "pi-3b"
    overclocked = IDENTITY.replace("Pi 4 Model B", "Pi 3 Model B") + IOZONE
    card = my_card.read(log(overclocked), host="pi-3b-sd100")
    assert card.computer.other is None


def test_of_logs_of_two_computers_none_is_taken(tmp_path):
    for number in (3, 4):
        text = IDENTITY.replace("Pi 4", f"Pi {number}") + IOZONE
        (tmp_path / f"{number}.log").write_text(text)
    card = my_card.read(tmp_path)
    assert card.setting.host is None
    assert any("The logs name several computers" in said for said in card.answer)


# --- tests that nobody ran, cards that nobody has ------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what", "closest"),
    [
        (DIRECT, "sequential read, hdparm, page cache by-passed",
         "sequential read, hdparm (without --direct)"),
        ("$ dd if=/dev/zero of=x bs=4k count=80k conv=fsync\n81920+0 records in\n"
         "81920+0 records out\n335544320 bytes (336 MB, 320 MiB) copied, 17.3846 s, 19.3 MB/s\n",
         "sequential write, 4 KiB, dd", "sequential write, 8 KiB, dd (in blocks of 8 KiB)"),
    ],
)  # fmt: skip
def test_a_test_that_no_source_ran_names_the_nearest_one(log, text, what, closest):
    card = my_card.read(log(text), host="pi-4b")
    (row,) = card.not_compared.to_dict("records")
    assert row["what"] == what
    assert row["why"] == f"no source ran exactly this; the nearest test is {closest}"


def fio_log(op, size, depth, rate):
    options = f'"rw": "{op}", "bs": "{size}", "iodepth": "{depth}", "direct": "1", "size": "1g"'
    side = "read" if "read" in op else "write"
    figures = f'"io_bytes": 655360000, "bw_bytes": {rate}, "bw": {rate // 1024}, "iops": 100.0'
    return (
        f'{{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", "groupid": 0, "error": 0, '
        f'"job options": {{{options}, "ioengine": "libaio", "filename": "/mnt/x"}}, '
        f'"{side}": {{{figures}, "runtime": 10000, "total_ios": 160000}}}}]}}\n'
    )


@pytest.mark.parametrize(
    ("run", "host", "verdict"),
    [
        (("randwrite", "4k", 8, 3_000_000), "pi-4b",
         "Your small writes, 3.00 MB/s, are within what known cards gave on a Pi 4 in another test "
         "(0.225 to 4.95): a rough guide, for no known card was run like yours."),
        (("randwrite", "4k", 8, 90_000), "pi-b", "Your small writes, 0.0900 MB/s, are below what "
         "known cards gave on all boards"),
        (("write", "1m", 8, 45_000_000), "pi-4b", "Your large writes, 45.0 MB/s, are above what "),
        (("randread", "4k", 8, 20_000_000), "pi-5", "Your card is middling for a Pi 5"),
    ],
)  # fmt: skip
def test_a_plain_fio_at_any_depth_gets_one_plain_sentence(log, run, host, verdict):
    card = my_card.read(log(fio_log(*run)), host=host)
    assert card.verdict.startswith(verdict)


def test_beyond_what_two_cards_of_a_model_differ_nobody_is_near(log):
    slow = IOZONE.replace("3432", "  12").replace("7353", " 300")
    card = my_card.read(log(slow), host="pi-4b")
    assert (len(card.nearest), len(card.closest)) == (0, 1)
    assert any(said.startswith("No known card is like it; the nearest") for said in card.answer)
    assert "no known card is near" in str(card.table("nearest"))


def test_below_three_known_cards_there_is_no_verdict(log):
    data = sdanalysis.load_data()
    few = data.measurements[data.measurements["specimen"].isin(
        ["geerling/samsung-evo+-32gb", "geerling/sandisk-extreme-16gb"]
    )]  # fmt: skip
    logs = read_logs([log(IOZONE)])
    card = answer(logs, host="pi-4b", data=sdanalysis.load_data(measurements=few))
    assert card.verdict.startswith("Your card has no place for a Pi 4, for fewer than 3 known")
    assert set(card.places["verdict"]) == {"-"}
    assert "fewer than 3 known cards" in json.dumps(document(card))


# --- sources of one's own ------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path):
    """A table as `build --raw` writes it, with a card and a computer that the project lacks."""
    table = sdanalysis.load()
    rows = table[table["specimen"] == "geerling/samsung-evo+-32gb"]
    rows = rows.assign(
        id="own-" + rows["id"],
        source="own",
        measured_by="us",
        specimen="us/card",
        medium="own-card",
    )
    folder = tmp_path / "own"
    folder.mkdir()
    sdanalysis.dataset.save(rows, folder / "measurements.csv")
    (folder / "media.toml").write_text(
        '[[medium]]\nid = "own-card"\nmaker = "Acme"\nproduct = "Rocket"\ncapacity = "8 GB"\n'
        'form = "microSD"\nvintage = "unknown"\nvintage_evidence = "x"\nspeed_class = []\n'
        'application_class = "no"\napplication_class_evidence = "x"\n'
        '[[medium.specimen]]\nid = "us/card"\nlabels = ["x"]\nevidence = "named"\n'
    )
    return folder / "measurements.csv"


def test_cards_of_ones_own_are_known_cards(log, own, capsys):
    assert main(["mine", log(IOZONE), "--host", "pi-4b", "--table", str(own), "--format", "json",
                 "--label", "Acme Rocket 8 GB", "--companions"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert found["places"][0]["known_cards"] == 24 + 1 + 2  # the five, one's own, the companions
    assert found["name"]["candidates"][0]["name"] == "Acme Rocket 8 GB"
    (said,) = [said for said in found["notes"] if said.startswith("Cards beyond those of the five")]
    assert "own" in said
    assert "bretmlw" in said
    data = sdanalysis.load_data(tables=[own])
    assert len(my_card.read(log(IOZONE), host="pi-4b", data=data).places) == len(found["places"])
    assert "us/card" in set(sdanalysis.load_media(raw=own.parent)["specimen"])
    assert len(sdanalysis.load_hosts(raw=own.parent)) == len(sdanalysis.load_hosts())


def test_a_table_whose_cards_nobody_describes_is_refused(own, log, capsys):
    (own.parent / "media.toml").unlink()
    assert main(["mine", log(IOZONE), "--table", str(own)]) == 1
    assert "found the specimen 'us/card', expected it in" in capsys.readouterr().err
    with pytest.raises(SdAnalysisError, match="beside the other tables"):
        sdanalysis.load_data(tables=[sdanalysis.dataset.MEASUREMENTS])


# --- the order on the screen ---------------------------------------------------------------------


def test_the_verdict_stands_first_in_eleven_lines_and_warnings_of_the_log_below_it(
    log, tmp_path, capfd
):
    path = log(IDENTITY + IOZONE + "copied at 12 MB/s somewhere\n")
    page = tmp_path / "card.html"
    assert main(["mine", path, "-o", str(page)]) == 1
    out, err = capfd.readouterr()
    assert out.startswith("Your card is middling to good for a Pi 4, by its small writes.")
    lines = out.splitlines()
    assert len(lines) <= 11
    assert max(map(len, lines[:-1])) <= 80
    tests = [line[2:14].strip() for line in lines[1:5]]
    assert tests == ["small writes", "small reads", "large writes", "large reads"]
    assert "found '12 MB/s', which looks like a result" in err
    html = page.read_text(encoding="utf-8")
    order = ['<p class="verdict">', 'class="about"', "<nav", 'id="places"', 'id="reading"']
    assert sorted(order, key=html.index) == order


def test_the_page_offers_its_places_as_a_table(log, tmp_path, capsys):

    page = tmp_path / "card.html"
    main(["mine", log(IDENTITY + IOZONE), "-o", str(page)])
    (content,) = re.findall(r"data:text/csv;charset=utf-8;base64,([^\"]+)", page.read_text())
    places = pd.read_csv(io.BytesIO(base64.b64decode(content)))
    assert places["rank"].tolist()[:2] == [8, 17]
    assert {"test", "value", "known_cards", "verdict"} <= set(places)
