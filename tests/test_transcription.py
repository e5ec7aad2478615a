"""Every published figure was transcribed twice; here the two transcriptions meet."""

import csv
import random
import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from sdanalysis.errors import SdAnalysisError
from sdanalysis.sources.catalogue import read_catalogue
from sdanalysis.sources.folders import source_folders
from sdanalysis.sources.load import load_source

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
TRANSCRIPTIONS = sorted((ROOT / "tests" / "transcription").glob("*.csv"))
RAW_FILES = sorted(
    path
    for folder in ("raw", "companions")
    for path in (DATA / folder).glob("*/*")
    if path.name != "source.toml"
)
FIELDS = ("raw", "host", "reader", "tool", "op", "metric", "stat")
NUMBERS = ("block_size", "numjobs", "repeat")
CHANGES_PER_FILE = 3


def second_transcription(slug):
    """The figures by (file, line, nth), as a second reader of the texts wrote them down."""
    (path,) = (ROOT / "tests" / "transcription").rglob(f"{slug}.csv")
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    figures = {(row["file"], int(row["line"]), int(row["nth"])): row for row in rows}
    assert len(figures) == len(rows), f"{path.name} has a figure twice"
    return figures


def printed(measurements):
    """The measurements by (file, line, nth): blank cells do not count."""
    places, counts = {}, defaultdict(int)
    for item in sorted(measurements, key=lambda item: (item.file, item.line, item.column)):
        if item.raw is not None:
            counts[item.file, item.line] += 1
            places[item.file, item.line, counts[item.file, item.line]] = item
    return places


def allowed(item, field, ours, theirs):
    """Whether two words for one thing differ only in what a remark of the row declares inferred."""
    pairs = {"host": (f"{ours}?", theirs), "tool": ("unstated", theirs), "block_size": ("", theirs)}
    return field in pairs and len(set(pairs[field])) == 1 and f"inferred-{field}" in item.remarks


def differences(folder):
    """One line for each figure of a source folder in which the two transcriptions differ."""
    ours, theirs = printed(load_source(folder)), second_transcription(folder.name)
    found = []
    for place in sorted(ours.keys() | theirs.keys()):
        where = f"{folder.name}/{place[0]}:{place[1]}"
        item, row = ours.get(place), theirs.get(place)
        if row is None:
            found.append(f"{where}: found {item.raw}, the second transcription has no such figure")
        elif item is None:
            found.append(f"{where}: found no figure, {_second(row['raw'], row)}")
        else:
            found += [
                f"{where}: found {one or 'nothing'}, {_second(other, row)}"
                for one, other in _different(item, row)
            ]
    return found


def _different(item, row):
    for field in (*FIELDS, *NUMBERS):
        value = getattr(item, field)
        ours = "" if value is None else str(value)
        if ours != row[field] and not allowed(item, field, ours, row[field]):
            yield ours, row[field]


def _second(other, row):
    return (
        f"the second transcription has {other or 'nothing'} "
        f"({row['card']}, {row['tool']} {row['op']} on {row['host']})"
    )


def card_specimens(folder, catalogue):
    """The specimens that each wording of a card in the second transcription stands for."""
    found = defaultdict(set)
    theirs = second_transcription(folder.name)
    for place, item in printed(load_source(folder)).items():
        label = item.looked_up or item.label
        card = theirs[place]["card"]
        found[card].add(catalogue.specimen_of(item.measured_by, label))
    return found


def capacities(wording):
    """Every capacity in the wording of a card, in bytes; speeds such as 90MB/s are none."""
    words = re.findall(r"\b(\d+) ?(GB|MB)\b(?!/)", wording, re.IGNORECASE)
    return {int(number) * {"gb": 10**9, "mb": 10**6}[unit.lower()] for number, unit in words}


FOLDERS = source_folders(DATA / "raw")
COMPANIONS = source_folders(DATA / "companions")


def test_both_transcriptions_cover_the_same_five_sources():
    assert [path.stem for path in TRANSCRIPTIONS] == [folder.name for folder in FOLDERS]
    assert sum(len(second_transcription(folder.name)) for folder in FOLDERS) == 603


def test_the_second_transcriptions_cover_the_companions():
    figures = {folder.name: second_transcription(folder.name) for folder in COMPANIONS}
    counts = {"bretmlw-2024": 1152, "kaiser-2021": 60, "ricsanfre-2021": 195}
    assert {name: len(found) for name, found in figures.items()} == counts
    assert len({(file, line) for file, line, _ in figures["bretmlw-2024"]}) == 384 + 192


@pytest.mark.parametrize("folder", [*FOLDERS, *COMPANIONS], ids=lambda folder: folder.name)
def test_the_table_and_the_second_transcription_agree_in_every_figure(folder):
    assert differences(folder) == []


@pytest.mark.parametrize("folder", [*FOLDERS, *COMPANIONS], ids=lambda folder: folder.name)
def test_a_card_of_the_second_transcription_is_one_specimen_of_that_capacity(folder):
    catalogue = read_catalogue(DATA, DATA / "companions")
    capacity = {medium["medium"]: medium["capacity"] for medium in catalogue.media}
    wordings = card_specimens(folder, catalogue)
    several = {card: found for card, found in wordings.items() if len(found) > 1}
    assert several == {}
    wrong = {
        card: (specimen.id, capacity[specimen.medium])
        for card, (specimen,) in wordings.items()
        if capacities(card) and capacities(card) != {capacity[specimen.medium]}
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('host = "pi-b"', 'host = "pi-2b"', "found pi-2b, the second transcription has pi-b"),
        ('reader = "slot"', 'reader = "usb"', "found usb, the second transcription has slot"),
        ('op = "rewrite"', 'op = "reread"', "found reread, the second transcription has rewrite"),
        ('block_size = "8k"', 'block_size = "4k"', "found 4096, the second transcription has 8192"),
        ("repeats = true", "repeats = false", "found 1, the second transcription has 2"),
        (', remarks = ["inferred-host"]', "", "found pi-4b, the second transcription has pi-4b?"),
        (
            'op = "read", unit = "MB/s", raw_unit = "", remarks = ["inferred-tool", ',
            'op = "read", unit = "MB/s", raw_unit = "", remarks = [',
            "found hdparm, the second transcription has unstated",
        ),
        ('["inferred-block_size", ', "[", "found 4096, the second transcription has nothing"),
    ],
)
def test_a_changed_declaration_is_told(data, edit, old, new, expected):
    edit("raw/geerling-2019/source.toml", old, new)
    assert any(expected in told for told in differences(data / "raw" / "geerling-2019"))


def test_a_figure_too_many_and_one_too_few_are_told(data, edit):
    edit("raw/kulesz-2017/ddrescue-usb3.txt", " 5.45\n", " 5.45\nSamsung Evo SDHC U1 32 GB 1 2\n")
    edit("raw/kulesz-2017/iozone-usb2.txt", "Kingston ? mSD C4 8 GB 14.69 3.71 3.97 0.18\n", "")
    told = "\n".join(differences(data / "raw" / "kulesz-2017"))
    assert "ddrescue-usb3.txt:14: found 1, the second transcription has no such figure" in told
    assert "iozone-usb2.txt:9: found no figure, the second transcription has 14.69" in told


def changed_digits(path):
    """Change one digit of a figure, in some figures of a file: (line, the changed content)."""
    content = path.read_text(encoding="utf-8")
    lines = content.split("\n")
    chance = random.Random(f"{path.parent.name}/{path.name}")
    digits = [
        (item.line, item.column - 1 + offset)
        for item in printed(load_source(path.parent)).values()
        if item.file == path.name
        for offset, character in enumerate(item.raw)
        if character.isdigit()
    ]
    for number, column in chance.sample(digits, min(CHANGES_PER_FILE, len(digits))):
        line = lines[number - 1]
        digit = chance.choice([one for one in "0123456789" if one != line[column]])
        changed = line[:column] + digit + line[column + 1 :]
        yield number, "\n".join([*lines[: number - 1], changed, *lines[number:]])


@pytest.mark.parametrize("path", RAW_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_changed_digit_of_a_figure_is_told_with_its_place(path, tmp_path):
    folder = shutil.copytree(path.parent, tmp_path / path.parent.name)
    changes = list(changed_digits(path))
    assert len(changes) == CHANGES_PER_FILE
    for line, content in changes:
        (folder / path.name).write_text(content, encoding="utf-8")
        try:
            told = differences(folder)
        except SdAnalysisError as error:
            told = [str(error)]
        assert len(told) == 1
        assert f"{path.parent.name}/{path.name}:{line}: found " in told[0]
