"""What a source folder may not be: every mistake in it is refused, with its place."""

import json
import random
import re
import shutil
import tomllib

import pytest

from sdanalysis import dataset
from sdanalysis.errors import SdAnalysisError
from sdanalysis.sources.declaration import read_declaration
from sdanalysis.sources.folders import source_folders
from sdanalysis.sources.load import load_source

KULESZ, CHILINA = "raw/kulesz-2017", "raw/chilina-2018"
DRAMBLE, GEERLING, PERRIN = "raw/dramble-2017", "raw/geerling-2019", "raw/perrin-2016"


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


# --- raw files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("3.97 0.18\n", "3.97 0.18\nsee also the other table\n", 10),
        ("9.58 2.97 2.62 0.64", "9.58 2.97 2.62", 2),
        ("Adata ? mSD C4 32 GB 9.58", "Adata ? mSD C4 9.58", 2),
        ("Manufacturer", "Make", 1),
    ],
    ids=["a remark", "a figure too few", "no capacity", "another heading"],
)
def test_a_line_that_no_pattern_claims_is_refused(data, edit, old, new, line):
    edit(f"{KULESZ}/iozone-usb2.txt", old, new)
    message = refusal(data, f"{KULESZ}/iozone-usb2.txt:{line}")
    assert re.match("found '.+', which no row claims, expected a row of a table or a line", message)


def test_a_line_that_two_tables_claim_is_refused(data, edit):
    edit(f"{KULESZ}/source.toml", '["iozone-usb2"]', '["iozone-usb2", "iozone-usb3"]')
    message = refusal(data, f"{KULESZ}/iozone-usb2.txt:3")
    assert message == "found a line that two patterns claim"


def test_a_line_that_a_parser_and_a_table_claim_is_refused(data, edit):
    row = "^random read=(?P<randread>"
    greedy = r"^(?P<copied>.+ MB/s)\nRunning iozone test\.\.\.\nrandom read=(?P<randread>"
    edit(f"{GEERLING}/source.toml", row, greedy)
    message = refusal(data, f"{GEERLING}/comment-adata-64gb.txt:4")
    assert message == "found a line that two patterns claim"


@pytest.mark.parametrize(
    "printed", ["n/a", "-6.72", "0", "0.00", "NaN", "inf", "1e99", "6.72%", "٦"]
)
def test_a_value_of_the_wrong_kind_is_refused(data, edit, printed):
    edit(f"{CHILINA}/iozone.txt", "6.72", printed)
    message = refusal(data, f"{CHILINA}/iozone.txt:3")
    assert message.startswith(f"table iozone: found {printed!r}, expected a number")


def test_a_word_that_is_not_declared_is_refused(data, edit):
    edit(f"{KULESZ}/iozone-usb3.txt", "DNF", "aborted")
    message = refusal(data, f"{KULESZ}/iozone-usb3.txt:8")
    assert message == "table iozone-usb3: found 'aborted', expected a number"


def test_a_comma_is_refused_in_a_source_that_has_decimal_points(data, edit):
    edit(f"{CHILINA}/iozone.txt", "6.72", "6,72")
    message = refusal(data, f"{CHILINA}/iozone.txt:3")
    assert message.startswith("table iozone: found '6,72', expected a decimal point (declare")


def test_a_result_that_its_tools_own_parser_cannot_read_is_refused(data, edit):
    edit(f"{GEERLING}/comment-adata-64gb.txt", "44.38 MB/sec", "44.38 MB/min")
    message = refusal(data, f"{GEERLING}/comment-adata-64gb.txt:2")
    assert message.startswith("found 'Timing buffered disk reads: 134 MB in 3.02 seconds")


def test_a_number_in_a_row_that_no_group_names_is_refused(data, edit):
    edit(f"{PERRIN}/source.toml", r"\(MB/s\) (?P<c6403>\S+)", r"\(MB/s\) \S+")
    edit(f"{PERRIN}/source.toml", 'c6403 = { label = "6403", unit = "MB/s"', "# c6403")
    message = refusal(data, f"{PERRIN}/dd-image-write.txt:4")
    assert message.startswith("found the number '21.05' that no group of table dd names")


def test_an_unknown_label_is_refused_and_the_message_says_what_to_add(data, edit):
    edit(f"{KULESZ}/iozone-usb2.txt", "Adata ? mSD", "Adata XPG mSD")
    message = refusal(data, f"{KULESZ}/iozone-usb2.txt:2")
    assert message == (
        "found the label 'Adata XPG mSD C4 32 GB' of 'kulesz', which data/media.toml lacks; "
        "expected it among the `labels` of a [[medium.specimen]] with an id of the form "
        "'kulesz/<name>': add it to its medium, or add the medium"
    )


def test_a_label_of_another_laboratory_is_unknown(data, edit):
    edit(f"{KULESZ}/source.toml", 'measured_by = "kulesz"', 'measured_by = "perrin"')
    assert "of 'perrin', which data/media.toml lacks" in refusal(
        data, f"{KULESZ}/iozone-usb3.txt:2"
    )


@pytest.mark.parametrize(
    ("old", "new", "pair"),
    [
        ('host = "kulesz-workstation"', 'host = "pi-5"', "host 'pi-5' with the reader 'cr0034a'"),
        ('"mSDXC" = { reader = "cr0034a" }', '"mSDXC" = { reader = "x" }', "with the reader 'x'"),
        ('"mSDXC" = { reader = "cr0034a" }', '"mSDXC" = {}', "with the reader None"),
    ],
)
def test_an_unknown_host_or_reader_is_refused_and_the_message_says_what_to_add(
    data, edit, old, new, pair
):
    edit(f"{KULESZ}/source.toml", old, new)
    message = refusal(data, f"{KULESZ}/iozone-usb3.txt:2")
    assert pair in message
    assert "which data/hosts.toml lacks; expected one of kulesz-workstation with apacer" in message
    assert message.endswith("add a [[host]] or a [[host.reader]] with its limit")


# --- corrections and remarks ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "old", "new", "where", "problem"),
    [
        (DRAMBLE, '"16GB1"', '"16GB2"', "pi-3b-overclocked-slot.txt:9", "expected '16GB2' as"),
        (DRAMBLE, '"16GB1"', '""', "pi-3b-overclocked-slot.txt:9", "expected '' as"),
        (DRAMBLE, "line = 9", "line = 8", "pi-3b-overclocked-slot.txt:8", "expected '16GB1' as"),
        (DRAMBLE, "line = 9", "line = 900", "pi-3b-overclocked-slot.txt:900", "found '', expected"),
        (DRAMBLE, "line = 9", "line = 0", "pi-3b-overclocked-slot.txt:0", "found '', expected"),
        (KULESZ, '"6.41 2.27 148', '"6.4 2.27 148', "iozone-usb3.txt:9", "as the correction says"),
        (KULESZ, '"6.41 2.27 148.46 5', '"2.27 148.46 5', "iozone-usb3.txt:9", "a reordering of"),
        (KULESZ, '["rand_read", ', '["rand_write", ', "iozone-usb3.txt:9", "a reordering of these"),
        (KULESZ, '["rand_read", ', "[", "iozone-usb3.txt:9", "a reordering of these names"),
        (KULESZ, '["rand_read", ', '["ropm", ', "iozone-usb3.txt:9", "a reordering of these names"),
    ],
)
def test_a_correction_that_does_not_fit_what_is_printed_is_refused(
    data, edit, place, old, new, where, problem
):
    edit(f"{place}/source.toml", old, new)
    assert problem in refusal(data, f"{place}/{where}")


def test_a_correction_below_the_last_figure_is_refused(data, edit):
    correction = (
        '[[file.correction]]\nline = 8\nfield = "host"\nprinted = "kBps"\nmeans = "pi-b"\n'
        'why = "x"\n'
    )
    other = '[[file]]\npath = "comment-micro-center.txt"'
    edit(f"{GEERLING}/source.toml", other, correction + other)
    message = refusal(data, f"{GEERLING}/comment-adata-64gb.txt:8")
    assert message == "found no figure that the correction could change"


def test_columns_of_different_tools_cannot_be_exchanged(data, edit):
    edit(
        f"{GEERLING}/source.toml",
        '[[file.remark]]\nlines = [4]\nremark = "suspicious"\nwhy = "more than the host takes',
        '[[file.correction]]\nline = 2\nfield = "columns"\nprinted = "22,35 11,00 5353 1059"\n'
        'means = ["linear_read", "randread", "linear_write", "randwrite"]\nwhy = "x"\n'
        '[[file.remark]]\nlines = [4]\nremark = "suspicious"\nwhy = "more than the host takes',
    )
    message = refusal(data, f"{GEERLING}/comment-arthur-pi-3b.txt:2")
    assert message.startswith("found linear_write and randread in different units")


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("lines = [4]", "lines = [1]", 1, "could mark"),
        (
            "lines = [4]",
            "lines = [4, 99]",
            99,
            "found no figure that the remark 'suspicious' could",
        ),
        ("lines = [4]", "lines = []", 0, "could mark"),
        ('["linear_read", "linear_write"]', '["linear"]', 4, "found no figure of linear that the"),
        ('"linear_write"]\n\n', '"lin"]\n\n', 4, "found no figure of lin that the remark"),
    ],
)
def test_a_remark_that_marks_no_figure_is_refused(data, edit, old, new, line, problem):
    edit(f"{GEERLING}/source.toml", old, new)
    assert problem in refusal(data, f"{GEERLING}/comment-arthur-pi-3b.txt:{line}")


def test_a_remark_that_the_codebook_lacks_is_refused_with_those_that_it_has(data, edit):
    edit(f"{GEERLING}/source.toml", 'remark = "suspicious"', 'remark = "odd"')
    with pytest.raises(SdAnalysisError, match=r"^geerling-2019/comment-.+:14:6: found \['odd'\]"):
        dataset.build(data)


# --- the folder --------------------------------------------------------------------------------


def test_a_changed_file_is_refused_by_its_sha256(data, edit):
    edit(f"{CHILINA}/fio.txt", "1231", "1232", pin=False)
    message = refusal(data, f"{CHILINA}/fio.txt")
    assert re.fullmatch(
        r"found the sha256 \w{64}, expected \w{64} as pinned in source.toml "
        r"\(put the first there if the file was meant to change\)",
        message,
    )


def test_a_file_that_is_not_declared_is_refused(data):
    (data / KULESZ / "more.txt").write_text("42\n", encoding="utf-8")
    message = refusal(data, f"{KULESZ}/more.txt")
    assert message == "found a file that source.toml does not declare"


def test_a_missing_file_is_refused(data):
    (data / KULESZ / "iozone-usb2.txt").unlink()
    message = refusal(data, f"{KULESZ}/iozone-usb2.txt")
    assert message == "found No such file or directory, expected a file to read"


def test_a_file_that_is_declared_twice_is_refused(data):
    path = data / CHILINA / "source.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text[text.rindex("[[file]]") :], encoding="utf-8")
    with pytest.raises(SdAnalysisError, match=r"^chilina-2018/fio\.txt:4:1: found a second row"):
        dataset.build(data)


def test_a_folder_without_sources_is_refused(tmp_path):
    with pytest.raises(SdAnalysisError, match="found no source, expected folders with a source"):
        source_folders(tmp_path)


# --- the declaration ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('title = "', "title = ", "found no valid TOML"),
        ('author = "Daniel Kulesz"\n', "", "source: expected author"),
        ('title = "', 'titel = "x"\ntitle = "', "source: found titel, expected only author, date"),
        ('date = "2017"', "date = 2017", "source: date: found 2017, expected str"),
        ('host = "kul', 'hots = "kul', "given: found hots, expected only"),
        ('file_size = "100M"', "file_size = true", "tool.iozone: file_size: found True, expected"),
        ('tbd = "not_measured"', 'tbd = "odd"', "words.tbd: found 'odd', expected one of did_not"),
        ("decimal_comma = true", "comma = true", "table.iozone-usb3: found comma, expected only"),
        ("decimal_comma = true", "decimal_comma = 1", "decimal_comma: found 1, expected bool"),
        ("row = '''^(?P<label>.*?(", "row = '''^(?P<label>.*?((", "found no regular expression"),
        (
            "(?P<seq_read>",
            "(?P<sequential>",
            "table.iozone-usb3: found 'seq_read', expected a named",
        ),
        ("(?P<type>", "(?P<kind>", "table.iozone-usb3: found 'type', expected a named group"),
        ('{ tool = "iozone", op', '{ toll = "iozone", op', "values.seq_read: found toll, expected"),
        ("low = 1_000_000", "low = 2_000_000", "bytes_per_unit: found {'value': 1024000, 'low': 2"),
        ("low = 1_000_000, ", "", "values.seq_read: bytes_per_unit: found {'value': 1024000, 'hi"),
        (
            'unit = "MB/s", ',
            'unit = "MB/s", rounding = "up", ',
            "rounding: found 'up', expected one",
        ),
        ('reader = "cr0034a" }', 'raeder = "cr0034a" }', "maps.type.mSDXC: found raeder, expected"),
        ('tables = ["iozone-usb3"]', "", "file iozone-usb3.txt: expected `tables` or `parsers`"),
        ('["iozone-usb3"]', '["iozone"]', "file iozone-usb3.txt: found the tables ['iozone'], exp"),
        ('place = "captured', 'palce = "captured', "file iozone-usb3.txt: expected place"),
        ('given = { reader = "cr0015" }', 'given = { raeder = "x" }', "given: found raeder, expec"),
        (
            'field = "label"',
            'field = "value"',
            "correction: found the field 'value', expected label",
        ),
        ('field = "label"', 'field = "columns"', "expected `means` to be a list of value names"),
        ("line = 15", 'line = "15"', "correction: line: found '15', expected int"),
        ('why = "write above read', 'wyh = "write above read', "remark: expected why"),
        ("lines = [5]", "lines = 5", "remark: lines: found 5, expected list"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused(data, edit, old, new, problem):
    edit(f"{KULESZ}/source.toml", old, new)
    assert problem in refusal(data, f"{KULESZ}/source.toml")


def test_a_table_that_no_file_uses_is_refused(data, edit):
    edit(f"{GEERLING}/source.toml", '"script-dd", ', "")
    edit(f"{GEERLING}/source.toml", '"script-dd", ', "")
    message = refusal(data, f"{GEERLING}/source.toml")
    assert message == "found the tables ['script-dd'] that no file uses"


def test_a_parser_that_does_not_exist_is_refused(data, edit):
    edit(f"{GEERLING}/source.toml", 'parsers = ["hdparm", "dd"]', 'parsers = ["hdparm", "bonnie"]')
    message = refusal(data, f"{GEERLING}/comment-adata-64gb.txt")
    known = "dd, ddrescue, fio, hdparm, iozone, scripts"
    assert message == f"found the parser 'bonnie', expected one of {known}"


def test_a_row_pattern_that_matches_nothing_is_refused(data, edit):
    edit(f"{KULESZ}/source.toml", "row = '''^(?P<label>.* ", "row = '''^no (?P<label>.* ")
    message = refusal(data, f"{KULESZ}/iozone-usb2.txt")
    assert message == "table iozone-usb2: found no row that its pattern matches"


def test_a_skip_pattern_that_matches_nothing_is_refused(data, edit):
    place = f"{CHILINA}/source.toml"
    edit(place, "skip = ['''fio --randrepeat=1 .*''']", "skip = ['''fio .*''', '''dd .*''']")
    message = refusal(data, f"{CHILINA}/fio.txt")
    assert message.startswith("found the skip pattern 'dd .*' that matches no line")


def test_a_declaration_that_is_no_utf_8_is_refused(data):
    path = data / KULESZ / "source.toml"
    path.write_bytes(path.read_bytes().replace(b"Daniel", b"Dani\xebl"))
    assert refusal(data, f"{KULESZ}/source.toml").startswith("found no valid TOML")


def test_a_missing_declaration_is_refused(data):
    with pytest.raises(SdAnalysisError, match=r"source\.toml: found No such file"):
        read_declaration(data)


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
    copy = json.loads(json.dumps(content))
    inner = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def toml(value):
    """A TOML value, inline; JSON writes texts and numbers as TOML does."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def document(content):
    return "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in content.items())


@pytest.mark.parametrize("slug", ["kulesz-2017", "geerling-2019", "chilina-2018"])
def test_another_kind_of_value_anywhere_in_a_declaration_is_refused_or_harmless(data, slug):
    folder = data / "raw" / slug
    path = folder / "source.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    assert tomllib.loads(document(content)) == content
    chance = random.Random(slug)
    every = [(place, value) for place in places(content) for value in KINDS]
    for place, value in chance.sample(every, CHANGES):
        path.write_text(document(changed(content, place, value)), encoding="utf-8")
        try:
            load_source(folder)
        except SdAnalysisError as error:
            assert str(folder) in str(error), (place, value)
        except Exception as error:
            raise AssertionError(f"{value!r} as {place}") from error
