"""What a source folder may not be: every mistake in it is refused, with its place."""

import random
import re
import shutil
import tomllib
from copy import deepcopy

import pytest

from sdanalysis import dataset
from sdanalysis.errors import SdAnalysisError
from sdanalysis.sources import declaration
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.folders import source_folders
from sdanalysis.sources.load import load_source

KULESZ, CHILINA, DRAMBLE = "kulesz-2017", "chilina-2018", "dramble-2017"
GEERLING, PERRIN = "geerling-2019", "perrin-2016"
USB2, USB3 = "iozone-usb2.txt", "iozone-usb3.txt"
SLOT, ADATA = "pi-3b-overclocked-slot.txt", "comment-adata-64gb.txt"
ARTHUR = "comment-arthur-pi-3b.txt"


def refusal(data, place):
    """The message with which a build refuses `data`, without its place, which is checked.

    The other sources are taken away first: they would only take time.
    """
    for folder in (data / "raw").iterdir():
        if folder.name not in place:
            shutil.rmtree(folder)
    with pytest.raises(SdAnalysisError) as error:
        dataset.build(data)
    message = str(error.value)
    assert message.startswith(f"{data / place}: ")
    return message.removeprefix(f"{data / place}: ")


def test_the_copy_builds_as_long_as_nothing_is_broken(data, measurements):
    assert dataset.build(data).equals(measurements)


NO_ROW = "which no row claims, expected a row of a table or a line"
TWO = "found a line that two patterns claim"
# What is refused: the source, an edit of one of its files, where that is said, and the words. Of a
# list of edits each is made.
GREEDY = r"^(?P<copied>.+ MB/s)\nRunning iozone test\.\.\.\nrandom read=(?P<randread>"
HOST = "which data/hosts.toml lacks; expected one of kulesz-workstation with apacer"
BELOW = (
    '[[file.correction]]\nline = 8\nfield = "host"\nprinted = "kBps"\nmeans = "pi-b"\nwhy = "x"\n'
)
MICRO = '[[file]]\npath = "comment-micro-center.txt"'
TAKES = '[[file.remark]]\nlines = [4]\nremark = "suspicious"\nwhy = "more than the host takes'
EXCHANGE = (
    '[[file.correction]]\nline = 2\nfield = "columns"\nprinted = "22,35 11,00 5353 1059"\n'
    'means = ["linear_read", "randread", "linear_write", "randwrite"]\nwhy = "x"\n'
)
REFUSED = {
    "a line that no pattern claims": [
        (KULESZ, (USB2, "3.97 0.18\n", "3.97 0.18\nsee also\n"), f"{USB2}:10", NO_ROW),
        (KULESZ, (USB2, "9.58 2.97 2.62 0.64", "9.58 2.97 2.62"), f"{USB2}:2", NO_ROW),
        (KULESZ, (USB2, "Adata ? mSD C4 32 GB 9.58", "Adata ? mSD C4 9.58"), f"{USB2}:2", NO_ROW),
        (KULESZ, (USB2, "Manufacturer", "Make"), f"{USB2}:1", NO_ROW),
    ],
    "a line that two of the readers claim": [
        (KULESZ, ('["iozone-usb2"]', '["iozone-usb2", "iozone-usb3"]'), f"{USB2}:3", TWO),
        (GEERLING, ("^random read=(?P<randread>", GREEDY), f"{ADATA}:4", TWO),
    ],
    "a figure that its reader cannot read": [
        (KULESZ, (USB3, "DNF", "aborted"), f"{USB3}:8",
         "table iozone-usb3: found 'aborted', expected a number"),
        (CHILINA, ("iozone.txt", "6.72", "6,72"), "iozone.txt:3",
         "table iozone: found '6,72', expected a decimal point (declare"),
        (GEERLING, (ADATA, "44.38 MB/sec", "44.38 MB/min"), f"{ADATA}:2",
         "found 'Timing buffered disk reads: 134 MB in 3.02 seconds"),
        (PERRIN, [(r"\(MB/s\) (?P<c6403>\S+)", r"\(MB/s\) \S+"),
                  ('c6403 = { label = "6403", unit = "MB/s"', "# c6403")], "dd-image-write.txt:4",
         "found the number '21.05' that no group of table dd names"),
    ],
    "a label that the catalogue lacks": [
        (KULESZ, (USB2, "Adata ? mSD", "Adata XPG mSD"), f"{USB2}:2",
         "found the label 'Adata XPG mSD C4 32 GB' of 'kulesz', which data/media.toml lacks; "
         "expected it among the `labels` of a [[medium.specimen]] with an id of the form "
         "'kulesz/<name>': add it to its medium, or add the medium"),
        (KULESZ, ('measured_by = "kulesz"', 'measured_by = "perrin"'), f"{USB3}:2",
         "of 'perrin', which data/media.toml lacks"),
    ],
    "a host or a reader that the catalogue lacks": [
        (KULESZ, ('host = "kulesz-workstation"', 'host = "pi-5"'), f"{USB3}:2",
         f"found the host 'pi-5' with the reader 'cr0034a', {HOST}"),
        (KULESZ, ('"mSDXC" = { reader = "cr0034a" }', '"mSDXC" = { reader = "x" }'), f"{USB3}:2",
         f"with the reader 'x', {HOST}"),
        (KULESZ, ('"mSDXC" = { reader = "cr0034a" }', '"mSDXC" = {}'), f"{USB3}:2",
         "with the reader None, which"),
        (KULESZ, ('host = "kulesz-workstation"', 'host = "pi-5"'), f"{USB3}:2",
         "add a [[host]] or a [[host.reader]] with its limit"),
    ],
    "a correction that does not fit what is printed": [
        (DRAMBLE, ('"16GB1"', '"16GB2"'), f"{SLOT}:9", "expected '16GB2' as the correction says"),
        (DRAMBLE, ('"16GB1"', '""'), f"{SLOT}:9", "expected '' as the correction says"),
        (DRAMBLE, ("line = 9", "line = 8"), f"{SLOT}:8", "expected '16GB1' as the correction says"),
        (DRAMBLE, ("line = 9", "line = 900"), f"{SLOT}:900", "found '', expected"),
        (DRAMBLE, ("line = 9", "line = 0"), f"{SLOT}:0", "found '', expected"),
        (KULESZ, ('"6.41 2.27 148', '"6.4 2.27 148'), f"{USB3}:9", "as the correction says"),
        (KULESZ, ('"6.41 2.27 148.46 5', '"2.27 148.46 5'), f"{USB3}:9", "a reordering of these"),
        (KULESZ, ('["rand_read", ', '["rand_write", '), f"{USB3}:9", "a reordering of these names"),
        (KULESZ, ('["rand_read", ', "["), f"{USB3}:9", "a reordering of these names"),
        (KULESZ, ('["rand_read", ', '["ropm", '), f"{USB3}:9", "a reordering of these names"),
        (GEERLING, (MICRO, BELOW + MICRO), f"{ADATA}:8",
         "found no figure that the correction could change"),
        (GEERLING, (TAKES, EXCHANGE + TAKES), f"{ARTHUR}:2",
         "found linear_write and randread in different units"),
    ],
    "a remark that marks no figure": [
        (GEERLING, ("lines = [4]", "lines = [1]"), f"{ARTHUR}:1", "could mark"),
        (GEERLING, ("lines = [4]", "lines = [4, 99]"), f"{ARTHUR}:99",
         "found no figure that the remark 'suspicious' could mark"),
        (GEERLING, ("lines = [4]", "lines = []"), f"{ARTHUR}:0", "could mark"),
        (GEERLING, ('["linear_read", "linear_write"]', '["linear"]'), f"{ARTHUR}:4",
         "found no figure of linear that the"),
        (GEERLING, ('"linear_write"]\n\n', '"lin"]\n\n'), f"{ARTHUR}:4",
         "found no figure of lin that the remark"),
    ],
    "a declaration that means nothing": [
        (KULESZ, (old, new), "source.toml", problem)
        for old, new, problem in (
            ('title = "', "title = ", "found no valid TOML"),
            ('author = "Daniel Kulesz"\n', "", "source: expected author"),
            ('title = "', 'titel = "x"\ntitle = "', "source: found titel, expected only author, d"),
            ('date = "2017"', "date = 2017", "source: date: found 2017, expected str"),
            ('host = "kul', 'hots = "kul', "given: found hots, expected only"),
            ('file_size = "100M"', "file_size = true", "tool.iozone: file_size: found True, expec"),
            ('tbd = "not_measured"', 'tbd = "odd"', "words.tbd: found 'odd', expected one of did_"),
            ("decimal_comma = true", "comma = true", "table.iozone-usb3: found comma, expected o"),
            ("decimal_comma = true", "decimal_comma = 1", "decimal_comma: found 1, expected bool"),
            ("row = '''^(?P<label>.*?(", "row = '''^(?P<label>.*?((", "found no regular expre"),
            ("(?P<seq_read>", "(?P<sequential>", "iozone-usb3: found 'seq_read', expected a named"),
            ("(?P<type>", "(?P<kind>", "table.iozone-usb3: found 'type', expected a named group"),
            ('{ tool = "iozone", op', '{ toll = "iozone", op', "values.seq_read: found toll, exp"),
            ("low = 1_000_000", "low = 2_000_000", "bytes_per_unit: found {'value': 1024000, 'low"),
            ("low = 1_000_000, ", "", "values.seq_read: bytes_per_unit: found {'value': 1024000, "),
            ('unit = "MB/s", ', 'unit = "MB/s", rounding = "up", ', "rounding: found 'up', expec"),
            ('reader = "cr0034a" }', 'raeder = "cr0034a" }', "maps.type.mSDXC: found raeder, exp"),
            ('tables = ["iozone-usb3"]', "", "file iozone-usb3.txt: expected `tables` or `parser"),
            ('["iozone-usb3"]', '["iozone"]', "file iozone-usb3.txt: found the tables ['iozone']"),
            ('place = "captured', 'palce = "captured', "file iozone-usb3.txt: expected place"),
            ('given = { reader = "cr0015" }', 'given = { raeder = "x" }', "given: found raeder,"),
            ('field = "label"', 'field = "value"', "correction: found the field 'value', exp"),
            ('field = "label"', 'field = "columns"', "expected `means` to be a list of value n"),
            ("line = 15", 'line = "15"', "correction: line: found '15', expected int"),
            ('why = "write above read', 'wyh = "write above read', "remark: expected why"),
            ("lines = [5]", "lines = 5", "remark: lines: found 5, expected list"),
        )
    ],
    "a label that cannot be made": [
        (DRAMBLE, ("{bus}", "{slot}"), "source.toml", "found ['slot'] in the template"),
        (DRAMBLE, ("{bus}", "{bus"), "source.toml", "found the template '{linked}{plain}{bus"),
    ],
    "what is declared and not needed, or needed and not there": [
        (GEERLING, [('"script-dd", ', "")] * 2, "source.toml",
         "found the tables ['script-dd'] that no file uses"),
        (GEERLING, ('parsers = ["hdparm", "dd"]', 'parsers = ["hdparm", "bonnie"]'), ADATA,
         "found the parser 'bonnie', expected one of dd, ddrescue, fio, hdparm, iozone, scripts"),
        (KULESZ, ("row = '''^(?P<label>.* ", "row = '''^no (?P<label>.* "), USB2,
         "table iozone-usb2: found no row that its pattern matches"),
        (CHILINA, ("skip = ['''fio --randrepeat=1 .*''']", "skip = ['''fio .*''', '''dd .*''']"),
         "fio.txt", "found the skip pattern 'dd .*' that matches no line"),
    ],
}  # fmt: skip
CASES = [
    pytest.param(*case, id=f"{what} {number}")
    for what, cases in REFUSED.items()
    for number, case in enumerate(cases, 1)
]


@pytest.mark.parametrize(("source", "edits", "place", "problem"), CASES)
def test_a_mistake_in_a_source_is_refused_with_its_place(data, edit, source, edits, place, problem):
    for change in edits if isinstance(edits, list) else [edits]:
        file, old, new = ("source.toml", *change)[-3:]
        edit(f"raw/{source}/{file}", old, new)
    assert problem in refusal(data, f"raw/{source}/{place}")


@pytest.mark.parametrize(
    "printed", ["n/a", "-6.72", "0", "0.00", "NaN", "inf", "1e99", "6.72%", "٦"]
)
def test_a_value_of_the_wrong_kind_is_refused(data, edit, printed):
    edit(f"raw/{CHILINA}/iozone.txt", "6.72", printed)
    message = refusal(data, f"raw/{CHILINA}/iozone.txt:3")
    assert message.startswith(f"table iozone: found {printed!r}, expected a number")


def test_a_word_that_the_codebook_lacks_and_a_figure_told_twice_are_refused_by_their_ids(
    data, edit
):
    edit(f"raw/{GEERLING}/source.toml", 'remark = "suspicious"', 'remark = "odd"')
    with pytest.raises(SdAnalysisError, match=r"^geerling-2019/comment-.+:14:6: found \['odd'\]"):
        dataset.build(data)
    edit(f"raw/{GEERLING}/source.toml", 'remark = "odd"', 'remark = "suspicious"')
    path = data / "raw" / CHILINA / "source.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text[text.rindex("[[file]]") :], encoding="utf-8")
    with pytest.raises(SdAnalysisError, match=r"^chilina-2018/fio\.txt:4:1: found a second row"):
        dataset.build(data)


# --- the folder --------------------------------------------------------------------------------


def test_a_changed_file_is_refused_by_its_sha256(data, edit):
    edit(f"raw/{CHILINA}/fio.txt", "1231", "1232", pin=False)
    message = refusal(data, f"raw/{CHILINA}/fio.txt")
    assert re.fullmatch(
        r"found the sha256 \w{64}, expected \w{64} as pinned in source.toml "
        r"\(put the first there if the file was meant to change\)",
        message,
    )


def test_a_file_too_many_or_too_few_and_a_declaration_of_other_bytes_are_refused(data):
    folder = data / "raw" / KULESZ
    (folder / "more.txt").write_text("42\n", encoding="utf-8")
    message = refusal(data, f"raw/{KULESZ}/more.txt")
    assert message == "found a file that source.toml does not declare"
    (folder / "more.txt").unlink()
    (folder / USB2).unlink()
    message = refusal(data, f"raw/{KULESZ}/{USB2}")
    assert message == "found No such file or directory, expected a file to read"
    path = folder / "source.toml"
    path.write_bytes(path.read_bytes().replace(b"Daniel", b"Dani\xebl"))
    assert refusal(data, f"raw/{KULESZ}/source.toml").startswith("found no valid TOML")


def test_a_folder_without_sources_or_without_a_declaration_is_refused(tmp_path):
    with pytest.raises(SdAnalysisError, match="found no source, expected folders with a source"):
        source_folders(tmp_path)
    with pytest.raises(SdAnalysisError, match=r"source\.toml: found No such file"):
        read_declaration(tmp_path)


# --- whatever else stands in a declaration -------------------------------------------------------

KINDS = (3, -1.5, "", "x", [], {}, True, [3], ["x"], {"x": 3}, {"x": "y"})
CHANGES = 150


def places(content, place=()):
    """The place of everything in a TOML document: keys and indices, from the top."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield (*place, key)
        if isinstance(value, dict | list):
            yield from places(value, (*place, key))


def changed(content, place, value):
    """A copy of a TOML document with another value in one place."""
    inner = copy = deepcopy(content)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


@pytest.mark.parametrize("slug", [KULESZ, GEERLING, CHILINA])
def test_another_kind_of_value_anywhere_in_a_declaration_is_refused_or_harmless(monkeypatch, slug):
    folder = dataset.DATA / "raw" / slug
    content = tomllib.loads((folder / "source.toml").read_text(encoding="utf-8"))
    every = [(place, value) for place in places(content) for value in KINDS]
    for place, value in random.Random(slug).sample(every, CHANGES):
        declared = changed(content, place, value)
        monkeypatch.setattr(declaration, "read_toml", lambda _, declared=declared: declared)
        try:
            load_source(folder)
        except SdAnalysisError as error:
            assert str(folder) in str(error), (place, value)
        except Exception as error:
            raise AssertionError(f"{value!r} as {place}") from error
