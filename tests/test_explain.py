"""`explain`: from an id to the printed line, with the caret under the number."""

import re
from pathlib import Path

import pytest

from sdanalysis.errors import SdAnalysisError
from sdanalysis.parsers.capture import Capture, decode
from sdanalysis.sources.explain import explain

DATA = Path(__file__).resolve().parent.parent / "data"
EXPLANATIONS = Path(__file__).parent / "explanations"
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


@pytest.mark.parametrize("path", sorted(EXPLANATIONS.glob("*.txt")), ids=lambda path: path.stem)
def test_an_explanation_is_word_for_word_the_one_of_its_file(path):
    """Another answer of `sdanalysis explain ID` is read line by line before it takes its place."""
    expected = path.read_text(encoding="utf-8")
    assert explain(FIGURE.search(expected)["id"], DATA) + "\n" == expected


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
