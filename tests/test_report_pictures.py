"""Each picture of a report has a number, a name, its numbers as CSV, and says how it was made."""

import base64
import hashlib
import io
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from sdanalysis import __version__, report
from sdanalysis.plots.show import DRAWN_FROM
from sdanalysis.report.pictures import number_pictures, slug, with_texts


def png(colour=(1, 2, 3)):
    stream = io.BytesIO()
    Image.new("RGB", (3, 2), colour).save(stream, "png")
    return stream.getvalue()


def picture_cell(*, csv="", alt="Alt.", tags=(), before=()):
    data = {"image/png": base64.b64encode(png()).decode()} | ({"text/csv": csv} if csv else {})
    shown = new_output("display_data", data, metadata={"image/png": {"alt": alt}})
    cell = new_code_cell("show(fig)", metadata={"tags": list(tags)})
    cell.outputs = [*before, shown]
    return cell


def test_the_pixels_stay_byte_by_byte_and_the_texts_are_read_back():
    texts = {"Title": "Latin-1: é", "Description": "10 \N{MICRO SIGN}s → \N{GREEK SMALL LETTER MU}"}
    marked = with_texts(png(), texts)
    image = Image.open(io.BytesIO(marked))
    assert image.text == texts
    assert list(image.get_flattened_data()) == [(1, 2, 3)] * 6
    pixels = png().index(b"IDAT")
    assert marked.endswith(png()[pixels:])
    assert b"tEXtTitle" in marked
    assert b"iTXtDescription" in marked


def test_an_empty_text_is_left_out_and_other_formats_pass_unchanged():
    assert with_texts(png(), {"Data": ""}) == png()
    assert with_texts(b"<svg/>", {"Data": "a"}) == b"<svg/>"


def test_a_picture_stands_under_the_last_heading_in_prose_or_shown_by_a_cell():
    printed = new_output("display_data", {"text/markdown": "## Of `3` cards, 2 *win*\n\nText."})
    notebook = new_notebook(
        cells=[
            picture_cell(),
            new_markdown_cell("# Title\n\n## One claim ##\n\nMore prose."),
            picture_cell(csv="a,b\n1,2\n", alt='A "b".'),
            picture_cell(before=[printed], tags=["cover"]),
        ]
    )
    one, two, three = number_pictures(notebook, {})
    assert [one.number, two.number, three.number] == [1, 2, 3]
    assert [one.section, two.section, three.section] == ["", "One claim", "Of 3 cards, 2 win"]
    assert [one.name, two.name] == ["figure-1", "figure-2-one-claim"]
    assert three.name == "figure-3-of-3-cards-2-win"
    assert base64.b64decode(two.csv) == b"a,b\n1,2\n"
    assert (two.alt, one.csv) == ('A "b".', "")
    assert [one.cover, two.cover, three.cover] == [False, False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At equal counts: the order!", "at-equal-counts-the-order"),
        ("fio's ratio of 3", "fio-s-ratio-of-3"),
        ("über", "ber"),
        ("…", ""),
        ("word " * 20, "-".join(["word"] * 12)),
    ],
)
def test_a_slug_is_safe_and_ends_with_a_word(text, expected):
    assert slug(text) == expected


SHOW = """\
import matplotlib.pyplot as plt
import pandas
from sdanalysis.plots.show import show
fig, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2])
show(fig, alt="Two bars.", data=pandas.DataFrame({"bar": ["a", "b"], "height": [1, 2.5]}))"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A notebook's bytes before and after a run with a parameter, its page and its outcome."""
    folder = tmp_path_factory.mktemp("run")
    cells = [
        new_markdown_cell("# A <title>"),
        new_code_cell("tool = 'iozone'\nn = 3", metadata={"tags": ["parameters"]}),
        new_markdown_cell("## The bars are 2"),
        new_code_cell(SHOW),
    ]
    path = folder / "01_bars.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    before = path.read_bytes()
    (folder / "measurements.csv").write_text("a\n")
    [outcome] = report.run(
        [path],
        output=folder / "reports",
        parameters={"n": "4"},
        progress=lambda event: None,
        origin=report.Origin([folder / "measurements.csv"]),
    )
    return before, path.read_bytes(), outcome


def downloads(page):
    found = re.findall(r'<a download="([^"]+)" href="data:([^"]+);base64,([^"]+)"', page)
    return {name: (kind, base64.b64decode(content)) for name, kind, content in found}


def test_a_page_offers_the_frame_and_the_picture_of_each_figure(made):
    saved = downloads(made[2].page.read_text())
    stem = "01_bars-n-4-figure-1-the-bars-are-2"
    assert saved[f"{stem}.csv"] == ("text/csv;charset=utf-8", b"bar,height\na,1\nb,2.5\n")
    assert saved[f"{stem}.png"][0] == "image/png"
    assert list(saved) == [f"{stem}.csv", f"{stem}.png"]


def test_a_saved_picture_says_how_it_was_made_and_the_stored_notebook_does_not_change(made):
    before, after, outcome = made
    saved = downloads(outcome.page.read_text())
    texts = Image.open(io.BytesIO(saved["01_bars-n-4-figure-1-the-bars-are-2.png"][1])).text
    assert re.fullmatch("[0-9a-f]{64}", texts.pop(DRAWN_FROM))
    assert texts == {
        "Software": f"sd-card-analysis {__version__}",
        "Source": "01_bars.ipynb",
        "Parameters": "tool = 'iozone', n = 4",
        "Data": f"measurements.csv sha256:{hashlib.sha256(b'a' + bytes([10])).hexdigest()}",
        "Title": "The bars are 2",
        "Description": "Two bars.",
        "Figure": "1",
    }
    assert after == before


def test_the_page_shows_the_figure_as_svg_with_ids_of_its_own(made):
    page = made[2].page.read_text()
    assert len(re.findall(r'<svg [^>]*aria-label="Two bars\."', page)) == 2  # wide, narrow
    assert "<img" not in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert 'id="figure-1"' in page
