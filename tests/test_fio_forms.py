"""The short way through fio's JSON: what it accepts is sound, whatever was damaged in it."""

import random
import re

import pytest
from corpus_logs import logs_of, read

from sdanalysis.parsers.fio import bulk
from sdanalysis.parsers.fio.job import FIELDS
from sdanalysis.parsers.fio.json_forms import Forms

VALID = [
    path.read_text() for path in logs_of("fio", "valid") if '"fio version"' in path.read_text()
]
TEXTS = [text for text in VALID if bulk.rows(text.encode()) is not None]
JSON = next(text for text in TEXTS if '"fio-3.25-dirty"' in text)
OLD = next(text for text in TEXTS if '"fio-3.12' in text)
UNTIMED = next(text for text in TEXTS if '"gtod_reduce"' in text)
SPREAD = '{\n          "min" : 0,\n          "max" : 0,\n          "mean" : '
NUMBER = re.compile(r"\d+(?:\.\d+)?")
WORDS = ["{", "}", "[", "]", ",", ":", ".", "-", "0", "5", " ", "\n", "\t", "x", "\\", "\x7f", '"']
NUMBERS = ["0", "7", "00", "007", "1.", ".5", "-1", "1e5", "nan", "NaN", "true", '"4k"', "9" * 20]


def whole_way(text):
    """The rows that `parse` gives, None where it has a word on any."""
    found, problems = read("fio", text)
    ordered = sorted(found, key=lambda row: (row.line, row.column))
    return None if problems else [tuple(getattr(row, name) for name in FIELDS) for row in ordered]


def learned(text):
    """Forms that know the form of a log."""
    forms = Forms(first=1)
    assert forms.read(text.encode())
    return forms


def damaged(text, chance):
    """The text with one byte changed, cut out or put in, or another number or line in its place."""
    at, kind = chance.randrange(len(text)), chance.randrange(6)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + chance.choice(WORDS) + text[at:]
    if kind == 2:
        return text[:at] + chance.choice(WORDS) + text[at + 1 :]
    if kind == 3:
        lines = text.split("\n")
        lines.insert(chance.randrange(len(lines)), chance.choice(lines))
        return "\n".join(lines)
    number = chance.choice([*NUMBER.finditer(text)])
    return text[: number.start()] + chance.choice(NUMBERS) + text[number.end() :]


@pytest.mark.parametrize("is_known", [False, True], ids=["first sight", "form"])
def test_a_damaged_log_gives_the_rows_of_parse_or_is_left_to_it(monkeypatch, is_known):
    chance = random.Random(1)
    for text in TEXTS:
        monkeypatch.setattr(bulk, "FORMS", learned(text) if is_known else Forms())
        for other in (damaged(text, chance) for _ in range(60)):
            short = bulk.rows(other.encode())
            assert short is None or short == whole_way(other), other


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (JSON, '"usr_cpu" : 0.000000', '"usr_cpu" : 00.000000'),
        (JSON, '"usr_cpu" : 0.000000', '"usr_cpu" : .000000'),
        (JSON, '"ctx" : 258', '"ctx" : '),
        (JSON, '"job_runtime" : ', '"job_runtime" : 9'),
        (JSON, '"rw" : "randrw"', '"rw" : "randread"'),
        (JSON, '"ctx" : 258', '"ctx" : 258,\n      "ctx" : 258'),
        (JSON, '"ctx" : 258', '"ctx" : 258,\n      "fio version" : "fio-3.25"'),
        (JSON, '"iodepth" : "8"\n      }', '"iodepth" : "8"}'),
        (JSON, '"job options"', '"options"'),
        (JSON, '"rw" : "randrw"', '"rw" : "\\ud800"'),
        (JSON, '"stddev" : 371827.812304', '"stddev" : 0.000000'),
        (JSON, '"trim" : {\n        "io_bytes" : 0', '"trim" : {\n        "io_bytes" : 4096'),
        (JSON, '"filename" : "tf"', '"filename" : "100 bytes copied, 2 s, 50 B/s"'),
        (JSON, '"name" : "vda"', '"name" : "100 bytes copied, 2 s, 50 B/s"'),
        (
            OLD,
            f'"sync" : {{\n        "lat_ns" : {SPREAD}0',
            f'"sync" : {{\n        "lat_ns" : {SPREAD}5',
        ),
        (UNTIMED, f'"clat_ns" : {SPREAD}0', f'"clat_ns" : {SPREAD}5'),
    ],
)
def test_what_parse_has_a_word_on_or_reads_otherwise_is_left_to_it(monkeypatch, text, old, new):
    assert old in text
    other = text.replace(old, new, 1)
    for forms in (Forms(), learned(text)):
        monkeypatch.setattr(bulk, "FORMS", forms)
        assert bulk.rows(other.encode()) is None


def test_a_form_reads_other_figures_and_texts_as_parse_does(monkeypatch):
    chance = random.Random(1)
    for text in TEXTS:
        forms = learned(text)
        monkeypatch.setattr(bulk, "FORMS", forms)
        other = re.sub(r'(?<="jobname" : ")[^"]*', "other", text)
        for key in ("usr_cpu", "ctx", "clat_ns", "50.000000"):
            other = re.sub(rf'("{key}" : )[1-9]\d*', rf"\g<1>{chance.randrange(1, 99)}", other)
        assert other != text
        assert bulk.rows(other.encode()) == whole_way(other)
        monkeypatch.setattr("sdanalysis.parsers.fio.json_forms.confirmed", None)  # not asked for
        assert forms.read(other.encode())
        monkeypatch.undo()


def test_a_form_is_learned_of_a_kind_of_logs_that_comes_often_and_the_last_is_tried_first():
    forms, learned_so_far = Forms(first=3), []
    for _ in range(4):
        for text in TEXTS[:2]:
            forms.read(text.encode())
        learned_so_far.append(len(forms.known))
    assert learned_so_far == [0, 0, 2, 2]
    assert forms.known[0].pattern.fullmatch(TEXTS[1].encode())


def test_of_logs_of_one_kind_whose_forms_differ_ever_fewer_are_learned():
    forms, learned_so_far = Forms(first=2), []
    for number in range(9):
        forms.read(JSON.replace('"ioengine"', f'"k{number}"').encode())
        learned_so_far.append(len(forms.known))
    assert learned_so_far == [0, 1, 1, 2, 2, 2, 2, 3, 3]
