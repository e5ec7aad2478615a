"""`explain`: from an id to the printed line, with the caret under the number."""

import re
from pathlib import Path

import pytest

from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.sources.explain import explain

DATA = Path(__file__).resolve().parent.parent / "data"
FIGURE = re.compile(
    r"^(?P<id>\S+:(?P<line>\d+):\d+)\n(?P<margin> *\d+ \| )(?P<text>.*)\n(?P<caret> *\^+)\n"
    r"  1\. printed: (?P<printed>.+?)(?:, (?:no )?unit.*)?$",
    re.MULTILINE,
)


def test_every_column_of_the_table_points_at_its_figure(measurements):
    texts = {}
    for row in measurements.itertuples():
        path = DATA / "raw" / row.source / row.file
        lines = texts.setdefault(path, Capture(decode(path.read_bytes())).lines)
        text = lines[row.line - 1]
        if isinstance(row.raw, str):
            figure = rf"(?<![\d.,]){re.escape(row.raw)}(?![\d.,])"
            assert re.compile(figure).match(text, row.column - 1), row.id
        else:
            assert row.column <= len(text) + 1, row.id


def test_the_caret_stands_under_the_figure_in_every_file(measurements):
    last_lines = measurements.groupby(["source", "file"])["line"].max()
    for (source, file), line in last_lines.items():
        place = f"{source}/{file}:{line}"
        rows = measurements[measurements["id"].str.startswith(f"{place}:")]
        figures = list(FIGURE.finditer(explain(place, DATA)))
        assert [figure["id"] for figure in figures] == list(rows["id"])
        for figure, raw in zip(figures, rows["raw"].fillna(""), strict=True):
            column = len(figure["caret"].rstrip("^")) - len(figure["margin"])
            assert figure["text"][column:].startswith(raw)
            assert figure["caret"].count("^") == max(len(raw), 1)
            assert figure["printed"] == (raw or "nothing (a blank cell)")


def test_a_corrected_figure_tells_each_step_from_the_print_to_the_value():
    text = explain("kulesz-2017/iozone-usb3.txt:9:3", DATA)
    steps = re.findall(r"^  (\d)\. (.+)$", text, re.MULTILINE)
    assert [number for number, _ in steps] == ["1", "2", "3", "4", "5"]
    beginnings = [
        "printed: 148.46, unit MB/s",
        "148.46 MB/s x 1,024,000 (1,000,000 to 1,048,576 B possible): iozone's kB is 1024 B",
        "corrected columns: the 4K pair stands first",
        "label 'Sandisk Ultra USB 3.0 32 GB' of kulesz is the specimen kulesz/sandisk-ultra-usb3",
        "host kulesz-workstation, reader usb: USB 3.0, 5 Gbit/s, at most 500 MB/s",
    ]
    for (_, step), beginning in zip(steps, beginnings, strict=True):
        assert step.startswith(beginning)
    assert steps[2][1].endswith("(was rand_read, is seq_read)")
    assert "  = 152.023 MB/s (10^6 B/s), from 148.455 to 155.677 (read, iozone" in text


@pytest.mark.parametrize(
    ("identifier", "told"),
    [
        ("perrin-2016/reading.txt:5:1", "  = 1119 IOPS, from 1119 to 1120 (read, unstated, block"),
        ("dramble-2017/pi-2b.txt:71:1", "not_measured: no value (write, dd"),
        ("kulesz-2017/iozone-usb3.txt:8:3", "did_not_finish: no value (randread, iozone"),
        ("perrin-2016/writing.txt:5:1", "printed: nothing (a blank cell)"),
        ("geerling-2019/comment-adata-64gb.txt:4:1", "419430400 B / 31.1629 s, more digits than"),
        (
            "geerling-2019/comment-arthur-pi-3b.txt:4:1",
            "remark suspicious: more than the host takes: read 11.45",
        ),
        ("dramble-2017/pi-3b-overclocked-slot.txt:10:1", "corrected host: footnote 1: this card"),
        ("chilina-2018/fio.txt:4:2", "command: fio --randrepeat=1"),
        ("geerling-2019/pi-4b.txt:2:1", "its MB 2^20 B (:53)"),
        ("perrin-2016/read-write-ratio.txt:5:3", "  = 4.89 (iops_ratio), from 4.885 to 4.895"),
    ],
)
def test_what_is_special_about_a_figure_is_told(identifier, told):
    assert told in explain(identifier, DATA)


@pytest.mark.parametrize(
    ("identifier", "problem"),
    [
        ("", "found the id '', expected source/file:line:n as in the column `id`"),
        ("kulesz-2017", "found the id 'kulesz-2017', expected source/file:line:n"),
        ("kulesz-2017/iozone-usb3.txt", "expected source/file:line:n"),
        ("kulesz-2017/iozone-usb3.txt:nine", "expected source/file:line:n"),
        ("kulesz-2017/iozone-usb3.txt:9:3:1", "expected source/file:line:n"),
        ("kulesz-2017/iozone-usb3.txt:-9", "expected source/file:line:n"),
        ("kulesz/iozone-usb3.txt:9:3", "found the source 'kulesz', expected one of chilina-2018, "),
        ("kulesz-2017/iozone.txt:9:3", "found the file 'iozone.txt', expected one of iozone-usb3."),
        ("kulesz-2017/iozone-usb3.txt:1", "found no figure 'kulesz-2017/iozone-usb3.txt:1', expec"),
        ("kulesz-2017/iozone-usb3.txt:9:5", "expected one of the lines 2, 3, 4, 5"),
        ("kulesz-2017/iozone-usb3.txt:99:1", "expected one of the lines 2, 3, 4, 5"),
        ("../raw/kulesz-2017/iozone-usb3.txt:9:3", "found the source '..', expected one of chil"),
    ],
)
def test_an_id_that_is_none_is_refused_with_what_is_expected(identifier, problem):
    with pytest.raises(SdAnalysisError) as error:
        explain(identifier, DATA)
    assert problem in str(error.value)


def test_a_figure_on_a_host_without_a_limit_is_an_error_that_says_what_to_add(data, edit):
    edit("hosts.toml", 'id = "cr0015"', 'id = "cr15"')
    with pytest.raises(SdAnalysisError, match=r"reader 'cr0015', which data/hosts.toml lacks"):
        explain("kulesz-2017/iozone-usb2.txt:2:1", data)
