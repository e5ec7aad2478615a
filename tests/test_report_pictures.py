"""Each picture of a report has a number, a name, its numbers as CSV, and says how it was made."""

import base64
import io

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

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
