"""Every mark of a figure says what it is; a figure stands within a page of any ground."""

import itertools
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import EVERY
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb

from sdanalysis import my_card, palette
from sdanalysis.my_card.document import known_cards
from sdanalysis.plots.marks import describe, fix_colours, number, parse_gid, titles
from sdanalysis.plots.show import WITH_SVG, show
from sdanalysis.plots.svg import MANY, PREFIX, as_svg, themed_colour
from sdanalysis.report.pictures import _numbered

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def said_titles(svg):
    return [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]


@pytest.mark.parametrize("name", EVERY)
def test_every_mark_of_a_plot_says_what_it_is(name):
    figure = EVERY[name]().figure
    words = {artist: parse_gid(artist.get_gid()).get("titles", []) for artist in figure.findobj()}
    for dots in figure.axes[0].collections:
        points = np.ma.filled(np.ma.asarray(dots.get_offsets(), float), np.nan)
        is_marks = isinstance(dots, PathCollection)
        assert len(words[dots]) == np.isfinite(points).all(axis=1).sum() or not is_marks
    found = said_titles(as_svg(figure, alt="A figure."))
    assert sorted(found) == sorted(itertools.chain.from_iterable(words.values()))
    assert all(title.strip() for title in found)
    assert not re.search(r"\bnan\b|<NA>|\bNone\b", "\n".join(found))


def test_a_title_names_card_value_computer_person_and_line_and_leaves_out_what_is_missing():
    rows = pd.DataFrame(
        {
            "card": ["A 8 GB", None],
            "specimen": ["us/a", "us/b"],
            "place": ["Pi 4", "Pi 4"],
            "people": ["Us", None],
            "ids": [("s/a.txt:2:1", "s/a.txt:2:4", "s/a.txt:3:1"), ()],
        }
    )
    assert titles(rows, ["1 MB/s", "2 MB/s"]) == [
        "A 8 GB\n1 MB/s\nPi 4\nUs\ns/a.txt:2\ns/a.txt:3",
        "b\n2 MB/s\nPi 4",
    ]


@pytest.mark.parametrize(
    ("cells", "title"),
    [
        ({"measured_by": "geerling"}, "A\n1\nGeerling"),
        ({"measured_by": "reader-adata"}, "A\n1\na reader"),
        ({"place": 1, "host": "pi-4b"}, "A\n1\npi-4b"),  # a place in a ranking is no computer
        ({"ids": [tuple(f"s/a.txt:{n}:1" for n in range(1, 4))]},
         "A\n1\ns/a.txt:1\ns/a.txt:2\ns/a.txt:3"),
        ({"ids": [tuple(f"s/a.txt:{n}:1" for n in range(1, 6))]},
         "A\n1\ns/a.txt:1\ns/a.txt:2\ns/a.txt:3\nand 2 more"),
        ({"file": "x.log", "line": 7}, "A\n1\nx.log:7"),
        ({"card": "B", "name": "A", "test": "reads", "host": "A"}, "A\n1\nreads"),
    ],
)  # fmt: skip
def test_a_title_says_who_where_and_which_lines_each_once(cells, title):
    rows = pd.DataFrame({"card": ["A"]}).assign(**cells)
    assert titles(rows, ["1"]) == [title]


@pytest.mark.parametrize(
    ("value", "text"), [(0.004, "0.004"), (9.996, "10"), (999.4, "999"), (1e6, "1,000,000")]
)
def test_a_number_has_three_digits_and_no_power_of_ten(value, text):
    assert number(value) == text


def test_a_point_that_is_missing_takes_no_title_from_the_next():
    _, ax = plt.subplots()
    dots = ax.scatter([1, np.nan, 3], [1, 2, 3], facecolors="none", edgecolors="k")
    describe(dots, ["one", "lost", "three"], ["#a", "#b", "#c"])
    svg = as_svg(ax.figure, alt="Two.")
    assert said_titles(svg) == ["one", "three"]
    assert re.findall('<a href="([^"]+)"', svg) == ["#a", "#c"]


def test_titles_that_are_not_as_many_as_the_marks_are_left_out():
    _, ax = plt.subplots()
    [line] = ax.plot([0, 1, 2], [0, 1, 2], marker="o", linestyle="")
    describe(line, ["one", "two"])
    assert said_titles(as_svg(ax.figure, alt="Three.")) == []


def test_a_title_may_hold_any_letter():
    _, ax = plt.subplots()
    words = 'a "b" <c> & {d} \N{MICRO SIGN}\nsecond'
    describe(ax.scatter([1], [1]), [words])
    assert said_titles(as_svg(ax.figure, alt='"x" <y>')) == [words]


def figure_of_links():
    _, ax = plt.subplots()
    describe(ax.scatter([1, 2], [1, 2]), ["one\ncard", "two"], ["#one", "#two"])
    return ax.figure


def test_a_linked_mark_is_named_and_no_stop_of_the_tab_key():
    svg = as_svg(figure_of_links(), alt="Two.")
    root = ElementTree.fromstring(svg)
    links = [dict(link.attrib) for link in root.iter(f"{SVG}a")]
    assert links[0] == {"href": "#one", "aria-label": "one, card", "tabindex": "-1"}
    assert root.get("role") == "group"  # of an image nothing within is announced


def test_the_text_is_the_same_every_time_and_names_neither_day_nor_software():
    first, second = (as_svg(figure_of_links(), alt="Cards.") for _ in range(2))
    assert first == second
    assert "matplotlib" not in first.lower()
    assert not re.search(r"20\d\d-\d\d-\d\d", first)


def test_the_ids_of_figures_within_one_page_differ_and_every_reference_has_its_own():
    svg = as_svg(figure_of_links(), alt="Two.")
    page = "".join(_numbered(svg, number) for number in (1, 2))
    ids = re.findall(r'\bid="([^"]+)"', page)
    references = re.findall(r'(?:url\(|href=")#([^")]+)', page)
    assert len(ids) == len(set(ids)) > 0
    assert PREFIX not in page
    assert set(references) - {"one", "two"} == set(ids)


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(css, ink, paper, strength):
    """What a browser makes of a colour of `themed_colour`: its parts as red, green and blue."""
    css = ink if css.startswith("var(--ink,#1") else css
    names = {"var(--ink,#000)": ink, "var(--paper,#fff)": paper, "#fff": "#ffffff"}
    if css in names or css.startswith("#"):
        return np.array(to_rgb(names.get(css, css)))
    one, share, other = re.fullmatch(r"color-mix\(in srgb,(\S+) (\S+%\)?),(.+)\)", css).groups()
    part = strength if share.startswith("var") else float(share[:-1]) / 100
    colours = (np.array(to_rgb(names.get(name, name))) for name in (one, other))
    return sum(weight * colour for weight, colour in zip((part, 1 - part), colours, strict=True))


GROUNDS = (  # ink, paper, and the strength of series, as in picture.css
    (palette.LIGHT["ink"], palette.LIGHT["paper"], 1.0),
    (palette.DARK["ink"], palette.DARK["paper"], 0.72),
)


@pytest.mark.parametrize("colour", palette.SERIES)
def test_every_colour_of_a_series_stands_out_on_a_page_and_its_words_can_be_read(colour):
    for ground in GROUNDS:
        assert contrast(mixed(themed_colour(colour), *ground), ground[1]) >= 3
        words = mixed(themed_colour(colour, is_text=True), *ground)
        assert contrast(words, ground[1]) >= 4.5


# Machado, Oliveira and Fernandes 2009, severity 1
SIGHTS = {
    "normal": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def lab(colour, sight):
    """A colour as somebody sees it, in CIE L*a*b*."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    seen = np.clip(np.array(SIGHTS[sight]) @ linear, 0, 1)
    x, y, z = np.cbrt(np.array(XYZ) @ seen / [0.9505, 1, 1.0888])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_yes_no_and_the_rest_stay_apart_in_every_sight_and_can_be_read(colours, sight):
    for one, other in itertools.combinations(("good", "avoid", "rest"), 2):
        assert np.linalg.norm(lab(colours[one], sight) - lab(colours[other], sight)) >= 20
    assert all(contrast(colours[name], colours["paper"]) >= 4.5 for name in ("good", "avoid"))
    assert contrast(colours["rest"], colours["paper"]) >= 3


def test_a_colour_with_a_meaning_is_the_pages_own():
    assert themed_colour(palette.LIGHT["good"]) == f"var(--good,{palette.LIGHT['good']})"
    assert f"--good: {palette.DARK['good']};" in palette.css().splitlines()[1]


def test_a_light_tint_stays_a_tint_of_the_page():
    tint = themed_colour("#b2d5e8")
    assert contrast(mixed(tint, "#e6edf3", "#0d1117", 1), "#e6edf3") > 7
    assert np.allclose(mixed(tint, "#000000", "#ffffff", 1), to_rgb("#b2d5e8"), atol=0.01)


def test_colours_that_stand_for_values_are_kept_and_empty_cells_are_those_of_the_page():
    _, ax = plt.subplots()
    cells = np.ma.masked_invalid([[1.0, np.nan]])
    shades = plt.colormaps["cividis"].with_extremes(bad="white")
    fix_colours(ax.pcolormesh(cells, cmap=shades, vmin=0, vmax=1, edgecolors="white"))
    fix_colours(ax.text(0.5, 0.5, "1", color="black"))
    svg = as_svg(ax.figure, alt="Cells.")
    assert "fill:#fee838" in svg or "fill:#fdea45" in svg
    assert "fill:var(--paper,#fff)" in svg
    assert "fill:#000" in svg


def test_cells_without_end_are_drawn_as_pixels():
    _, ax = plt.subplots()
    mesh = ax.pcolormesh(np.arange(MANY + 1.0)[np.newaxis])
    describe(mesh, ["a run"])
    svg = as_svg(ax.figure, alt="A strip.")
    assert said_titles(svg) == ["a run"]
    assert "<image" in svg
    assert len(svg) < 20_000


def test_what_is_said_of_marks_is_in_no_other_format(tmp_path):
    plain, described = figure_of_links(), figure_of_links()
    for artist in plain.findobj(PathCollection):
        artist.set_gid(None)
    for figure, name in ((plain, "plain.png"), (described, "described.png")):
        figure.savefig(tmp_path / name, metadata={"Software": None})
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "described.png").read_bytes()
    assert parse_gid("an id of somebody else") == {}


@pytest.mark.parametrize("wanted", [True, False])
def test_a_figure_leaves_a_notebook_as_svg_only_where_a_report_wants_it(monkeypatch, wanted):
    published = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: published.append(data))
    monkeypatch.setenv(WITH_SVG, "1" if wanted else "")
    show(figure_of_links(), alt="Two cards.", data=pd.DataFrame({"x": [1, 2]}))
    assert ("image/svg+xml" in published[0]) is wanted
    if wanted:
        ids = re.findall(r'\bid="([^"]+)"', published[0]["image/svg+xml"])
        assert len(ids) == len(set(ids)) > 0
        assert published[0]["image/svg+xml"].count("<title>") == 4  # of the wide and the narrow


def test_each_known_card_of_my_figure_leads_to_a_row_with_its_computer_and_its_line():
    card = my_card.read("data/examples/card-image.log")
    known = known_cards(card.points)
    assert len(known) == (card.points["kind"] == "known").sum() > 0
    assert known["mark"].is_unique
    assert known["place"].notna().all()
    assert known["at"].str.len().gt(0).all()
    printed = list(itertools.chain.from_iterable(known["at"]))
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+:\d+", place) for place in printed)
    for _, rows in known.groupby("test"):
        assert rows["value"].is_monotonic_decreasing
