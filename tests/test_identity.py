"""What a log says of the card itself: registers decoded by hand beside what the code makes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdanalysis.errors import SdAnalysisError
from sdanalysis.logs.identity import (
    MANUFACTURERS,
    crc7,
    manufacturer,
    read_cid,
    read_csd,
    read_identity,
    read_ssr,
)
from sdanalysis.parsers.capture import Capture
from sdanalysis.toml import read_toml

# MID 03, OID "SD", PNM "AB12C", PRV 8.5, PSN 01234567, MDT year 0x15 = 2021, month 1; the last
# byte is the CRC7 of the fifteen before it, computed with pencil and a table, times two plus one.
CID_HEAD = "035344414231324385012345670151"
CID = CID_HEAD + f"{crc7(bytes.fromhex(CID_HEAD)) << 1 | 1:02x}"
# version 2 (bits 127:126 = 01), C_SIZE 0xEDC7 = 60871 in bits 69:48: 60872 x 512 KiB
CSD = "400e00325b590000edc77f800a404000"
SSR = "00" * 8 + "04" + "00" * 5 + "10" + "1e" + "00" * 5 + "01" + "00" * 42
PLACE = "/sys/block/mmcblk0/device"


def facts(text):
    found, problems = read_identity(Capture(text).lines)
    return {one.name: one.value for one in found}, problems


# The three examples of the specification, section 4.5: CMD0, CMD17 and the response to it.
@pytest.mark.parametrize(
    ("content", "check"),
    [("4000000000", 0b1001010), ("5100000000", 0b0101010), ("1100000900", 0b0110011)],
)
def test_the_checksum_is_that_of_the_specification(content, check):
    assert crc7(bytes.fromhex(content)) == check


def said(found):
    return {fact.name: fact.value for fact in found}


def test_a_cid_is_read_field_by_field():
    cid = said(read_cid(CID))
    assert (cid["manufacturer id"], cid["OEM id"], cid["product name"]) == ("0x03", "SD", "AB12C")
    assert (cid["revision"], cid["serial number"]) == ("8.5", "0x01234567")
    assert (cid["made"], cid["CID checksum"]) == ("2021-01", "fits")


def test_what_is_no_printable_ascii_in_a_name_is_its_code():
    names = {fact.name: fact.value for fact in read_cid(f"03{b' ~'.hex()}7f1f204142{CID[16:]}")}
    assert (names["OEM id"], names["product name"]) == ("~", r"\x7f\x1f AB")


@given(st.binary(min_size=13, max_size=13), st.integers(0, 255), st.integers(1, 12))
def test_a_cid_round_trips(head, year, month):
    content = head + (year << 4 | month).to_bytes(2, "big")
    cid = said(read_cid((content + bytes([crc7(content) << 1 | 1])).hex()))
    assert (cid["made"], cid["CID checksum"]) == (f"{2000 + year}-{month:02d}", "fits")
    assert int(cid["manufacturer id"], 16) == head[0]
    assert int(cid["serial number"], 16) == int.from_bytes(head[9:13], "big")


@given(st.integers(0, 119))
def test_any_flipped_bit_of_a_cid_is_found(place):
    flipped = int(CID, 16) ^ 1 << 8 + place
    try:
        assert [*read_cid(f"{flipped:032x}")][-1].misfit
    except SdAnalysisError as error:
        assert "the month" in str(error)


def test_a_checksum_that_the_host_did_not_hand_on_is_no_fault():
    assert not any(fact.misfit for fact in read_cid(CID_HEAD + "00"))


@pytest.mark.parametrize(
    ("printed", "capacity"),
    [
        (CSD, 60872 * 524288),
        # version 1: C_SIZE 3751 = 0xEA7 in bits 73:62, C_SIZE_MULT 7, READ_BL_LEN 10
        (f"{3751 << 62 | 7 << 47 | 10 << 80:032x}", 3752 * 512 * 1024),
        # the same, with the bits above each field set
        (f"{3751 << 62 | 7 << 47 | 10 << 80 | 1 << 84 | 1 << 74 | 1 << 50:032x}", 3752 * 2**19),
        (f"{2 << 126 | 0xFFFFFFF << 48:032x}", 2**28 * 524288),
        (f"{2 << 126 | 1 << 76 | 5 << 48:032x}", 6 * 524288),
    ],
)
def test_the_capacity_follows_from_the_csd(printed, capacity):
    assert next(read_csd(printed)).number == capacity


@given(st.integers(0, 2**22 - 1))
def test_the_capacity_of_version_2_round_trips(size):
    assert next(read_csd(f"{1 << 126 | size << 48:032x}")).number == (size + 1) * 524288


@given(
    st.sampled_from([0, 1, 2, 3, 4]),
    st.sampled_from([0, 1, 3]),
    st.sampled_from([0, 6, 10, 30, 60, 90]),
    st.sampled_from([0, 1, 2]),
)
def test_the_classes_round_trip(speed, grade, video, application):
    number = 1 << 511 | speed << 440 | grade << 396 | video << 384 | application << 336
    names = (speed and f"C{(0, 2, 4, 6, 10)[speed]}", grade and f"U{grade}")
    names += (video and f"V{video}", application and f"A{application}")
    assert next(read_ssr(f"{number:0128x}")).value == (" ".join(filter(None, names)) or "none")


@pytest.mark.parametrize(
    ("read", "printed", "what"),
    [
        (read_cid, CID[:-1], "a cid of 31 hexadecimal digits, expected 32"),
        (read_cid, "no" + CID[2:], "2 kinds of them no digits"),
        (read_cid, "0" * 32, "nothing but 0"),
        (read_cid, CID[:29] + "0" + CID[30:], "the month 0"),
        (read_cid, CID[:29] + "d" + CID[30:], "the month 13"),
        (read_csd, "f" + CSD[1:], "a csd of version 4"),
        (read_ssr, SSR[:16] + "05" + SSR[18:], "found 5 as speed class"),
        (read_ssr, SSR[:28] + "20" + SSR[30:], "found 2 as UHS speed grade"),
    ],
)
def test_a_malformed_register_is_refused_without_quoting_it(read, printed, what):
    with pytest.raises(SdAnalysisError) as error:
        list(read(printed))
    assert what in str(error.value)
    assert "01234567" not in str(error.value)


LAYOUTS = {
    "grep": f"{PLACE}/cid:{CID}\n{PLACE}/csd:{CSD}\n{PLACE}/ssr:{SSR}",
    "head": f"==> {PLACE}/cid <==\n{CID}\n\n==> {PLACE}/csd <==\n{CSD}\n\n"
    f"==> {PLACE}/ssr <==\n{SSR}",
    "cat": f"pi@pi:~ $ cat {PLACE}/cid\n{CID}\npi@pi:~ $ cat {PLACE}/csd\n{CSD}\n"
    f"$ sudo cat {PLACE}/ssr\n{SSR}",
    "udevadm": f'    ATTRS{{cid}}=="{CID}"\n    ATTRS{{csd}}=="{CSD}"\n    ATTRS{{ssr}}=="{SSR}"',
    "words": f"CID: {CID}\ncsd = {CSD}\nSSR {SSR}",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_facts(layout):
    found, problems = facts(LAYOUTS[layout])
    assert not problems
    assert found["manufacturer"] == "SanDisk"
    assert found["product name"] == "AB12C"
    assert found["made"] == "2021-01"
    assert found["capacity"] == "31.91 GB (31914459136 bytes)"
    assert found["classes"] == "C10 U1 V30 A1"
    assert (found["CID checksum"], found["CSD checksum"]) == ("fits", "not handed on by the host")


def test_a_script_that_names_the_card_in_its_own_words_is_read():
    text = (
        "Card CSD status register: MID: 1b OID: SM PNM: EB1QT PRV: 3.0 MDATE: 6/2017\n"
        "MicroSD information: Clock Speed: 50.0 - Manufacturer: Samsung - Class: A1 Class 10 U1"
    )
    found, problems = facts(text)
    assert (found["manufacturer"], found["product name"]) == ("Samsung", "EB1QT")
    assert (found["made"], found["classes"], problems) == ("2017-06", "A1 C10 U1", [])


@pytest.mark.parametrize("between", ["", "  looking at parent device '/devices/usb1':"])
def test_names_and_dates_of_other_devices_are_nobodys(between):
    hub = '    ATTRS{serial}=="0x1"\n    ATTRS{name}=="hub"\n    ATTRS{date}=="x"'
    card = f'    ATTRS{{cid}}=="{CID}"\n    ATTRS{{oemid}}=="0x5344"'
    found, problems = facts(f"{hub}\n{between}\n{card}\n{between}\n{hub}\n\ndate: today")
    assert (found["product name"], found["OEM id as printed"], problems) == ("AB12C", "0x5344", [])


def test_a_value_may_stand_below_a_blank_line():
    found, problems = facts(f"$ cat {PLACE}/cid\n\n{CID}\nname\n")
    assert (found["product name"], problems) == ("AB12C", [])


def test_a_soldered_chip_is_not_decoded():
    found, problems = facts(f"{PLACE}/type:MMC\n{PLACE}/cid:{CID}\n{PLACE}/csd:{CSD}")
    assert found["registers"].startswith("not decoded: an eMMC")
    assert "manufacturer" not in found
    assert not problems


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (f"a\n{PLACE}/cid:{CID[:-3]}", 2, "a cid of 29 hexadecimal digits"),
        (f"{PLACE}/cid:{CID[:-2]}01", 1, "a cid whose CID checksum does not fit"),
        (f"{PLACE}/date:13/2020", 1, "the date '13/2020'"),
        (f"{PLACE}/manfid:SanDisk", 1, "the manfid 'SanDisk'"),
        (
            f"{PLACE}/cid:{CID}\n{PLACE}/manfid:0x00001b",
            2,
            "another manufacturer id than in line 1",
        ),
    ],
)
def test_a_malformed_identity_is_a_problem_of_its_line(text, line, what):
    _, problems = facts(text)
    assert [problem.line for problem in problems][:1] == [line]
    assert what in problems[0].text


def test_the_serial_number_is_private():
    found, _ = read_identity(Capture(f"{PLACE}/cid:{CID}\n{PLACE}/serial:0x01234567").lines)
    assert {one.private for one in found if one.name == "serial number"} == {True}
    assert not any(one.private for one in found if one.name != "serial number")


def test_an_unknown_manufacturer_stays_unknown():
    assert manufacturer(0xFE) == "unknown (id 0xfe is not in our table)"
    assert manufacturer(0x1B) == "Samsung"


def test_every_manufacturer_has_two_witnesses():
    entries = read_toml(MANUFACTURERS)["manufacturer"]
    assert len({one["id"] for one in entries}) == len(entries) >= 5
    assert all(len(one["evidence"]) >= 2 for one in entries)


def test_two_serial_numbers_are_a_doubt_that_tells_neither():
    text = f"{PLACE}/serial:0x01234567\n{PLACE}/serial:0x01234568\n{PLACE}/name:AB12C\n"
    _, (doubt,) = facts(f"{text}{PLACE}/name:AB12C")
    assert (doubt.line, doubt.kind) == (2, "doubt")
    assert doubt.text == "found another serial number than in line 1, expected one"
    _, (doubt,) = facts(f"{PLACE}/name:AB12C\n{PLACE}/name:SD32G")
    assert "(AB12C and SD32G)" in doubt.text


@given(st.text(alphabet='cidsrmn:=/ 0x5f\n{}"ATR', max_size=300))
def test_no_text_makes_it_fail(text):
    found, problems = read_identity(Capture(text).lines)
    lines = len(text.split("\n"))
    assert all(1 <= one.line <= lines for one in (*found, *problems))
