"""Plots of hosts and classes draw every row, print n, and hold one card as well as forty."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection
from test_plots import label_boxes, overlaps, texts

import sdanalysis
from sdanalysis import dataset, plots

MEASUREMENTS = sdanalysis.load()
SIZES = (1, 40)
HOSTS = pd.DataFrame(
    {
        "host": ["pi-3b", "pi-3b-sd100", "pi-4b"],
        "limit": [25e6, 50e6, 50e6],
        "place": ["Raspberry Pi 3", "Raspberry Pi 3, slot overclocked", "Raspberry Pi 4"],
        "note": ["1 of 3 cards", "0 of 3 cards", "3 of 3 cards"],
    }
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def figures(count):
    """Return `count` cards on each host, of two laboratories."""
    generator = np.random.default_rng(count)
    rows = [
        {
            "specimen": f"us/card-{number}",
            "measured_by": ("us", "you")[number % 2],
            "host": host,
            "value": limit * generator.uniform(0.4, 0.95),
        }
        for number in range(count)
        for host, limit in HOSTS[["host", "limit"]].itertuples(index=False)
    ]
    return pd.DataFrame(rows)


def effects(count, kinds=("paired", "model")):
    generator = np.random.default_rng(count)
    ratio = np.exp(generator.normal(0, 0.3, count * len(kinds)))
    cards = generator.integers(1, 9, len(ratio))
    few = cards < 3
    return pd.DataFrame(
        {
            "host": [f"host-{number}" for number in range(count)] * len(kinds),
            "estimate": np.repeat(kinds, count),
            "ratio": ratio,
            "low": np.where(few, np.nan, ratio * 0.8),
            "high": np.where(few, np.nan, ratio * 1.25),
            "cards": cards,
            "note": [
                f"{value:.2f}, {number} cards" for value, number in zip(ratio, cards, strict=True)
            ],
        }
    )


def points_drawn(ax):
    drawn = [artist for artist in ax.collections if isinstance(artist, PathCollection)]
    return sum(len(artist.get_offsets()) for artist in drawn)


@pytest.mark.parametrize("count", SIZES)
def test_the_roofline_draws_every_figure_below_the_limit_of_its_host(count):
    ax = plots.bus_roofline(figures(count), HOSTS, what="large reads with hdparm")
    assert points_drawn(ax) == 3 * count
    words = texts(ax)
    limits = [word for word in words if word.startswith("limit ")]
    assert limits == ["limit 25", "limit 50", "limit 50"]
    assert {"Pi 4\n3 of 3 cards", "Pi 3, slot\noverclocked\n0 of 3 cards"} <= set(words)
    assert ax.get_ylabel() == "large reads with hdparm, MB/s (10^6 B/s)"
    assert overlaps(label_boxes(ax)) == 0


def test_a_figure_says_above_it_what_is_seen():
    ax = plots.bus_roofline(figures(3), HOSTS, title="All cards are near the limit")
    assert ax.figure.get_suptitle() == "All cards are near the limit"


def test_the_limit_is_drawn_at_its_value_over_its_host():
    ax = plots.bus_roofline(figures(1), HOSTS)
    roofs = [
        artist.get_segments() for artist in ax.collections if isinstance(artist, LineCollection)
    ]
    assert [float(segments[0][0][1]) for segments in roofs] == [25, 50, 50]


@pytest.mark.parametrize("count", SIZES)
def test_the_dots_of_a_host_do_not_leave_its_column(count):
    ax = plots.bus_roofline(figures(count), HOSTS)
    xs = np.concatenate(
        [
            artist.get_offsets()[:, 0]
            for artist in ax.collections
            if isinstance(artist, PathCollection)
        ]
    )
    assert (np.abs(xs - np.round(xs)) < 0.45).all()


@pytest.mark.parametrize("count", SIZES)
def test_a_heat_table_prints_each_figure_once_and_leaves_gaps_blank(count):
    table = figures(count).pivot(index="specimen", columns="host", values="value")
    table.iloc[0, 0] = np.nan
    ax = plots.heat_table(table, "reads, MB/s (10^6 B/s)")
    printed = sorted(float(text.get_text()) for text in ax.texts)
    known = sorted((table.stack().dropna() / 1e6).tolist())
    assert printed == pytest.approx(known, rel=0.005)
    assert f"pi-3b\n{count - 1} card{'' if count == 2 else 's'}" in texts(ax)
    assert set(table.index) <= set(texts(ax))
    assert overlaps(label_boxes(ax)) == 0


def test_the_text_of_a_heat_table_stands_out_from_its_cell():
    table = figures(40).pivot(index="specimen", columns="host", values="value")
    ax = plots.heat_table(table, "reads")
    ax.figure.canvas.draw()
    shades = ax.collections[0].get_facecolors()[:, :3] @ [0.299, 0.587, 0.114]
    for text in ax.texts:
        column, row = (int(place) for place in text.get_position())
        ink = 1.0 if text.get_color() == "white" else 0.0
        assert abs(shades[row * table.shape[1] + column] - ink) > 0.35


def test_a_heat_table_without_figures_or_with_one_can_be_drawn():
    empty = pd.DataFrame({"pi-3b": [np.nan]}, index=["a"])
    assert len(plots.heat_table(empty, "reads").texts) == 0
    equal = pd.DataFrame({"pi-3b": [2e6, 2e6]}, index=["a", "b"])
    assert [text.get_text() for text in plots.heat_table(equal, "MB/s").texts] == ["2.00", "2.00"]


@pytest.mark.parametrize("count", SIZES)
def test_effects_have_a_mark_and_a_note_each_and_no_interval_below_three_cards(count):
    data = effects(count)
    ax = plots.host_effects(data, ["host"], "estimate", "host / pi-3b")
    assert points_drawn(ax) == len(data)
    assert sorted(set(texts(ax)) & set(data["note"])) == sorted(set(data["note"]))
    lines = [artist for artist in ax.collections if isinstance(artist, LineCollection)]
    assert sum(len(line.get_segments()) for line in lines) == data["low"].notna().sum()
    assert overlaps(label_boxes(ax)) == 0
    assert ax.get_xscale() == "log"
    assert any(list(line.get_xdata()) == [1, 1] for line in ax.lines)


def test_the_axis_of_effects_says_which_side_is_faster():
    sides = "Pi 3", "other computer"
    ax = plots.host_effects(effects(2), ["host"], "estimate", "other / Pi 3", sides=sides)
    assert ax.get_xlabel().startswith("\u2190 Pi 3 faster  |  other computer faster \u2192\n")


def test_a_doubted_pair_is_a_cross_in_its_row_and_in_no_mean():
    doubted = pd.DataFrame({"host": ["host-1"], "ratio": [3.0]})
    ax = plots.host_effects(effects(3), ["host"], "estimate", "ratio", doubted=doubted)
    (crosses,) = (one for one in ax.collections if "doubted" in one.get_label())
    assert crosses.get_offsets().tolist() == [[3.0, 1.0]]


def test_the_ratio_of_the_bus_limits_is_a_bar_in_each_row_that_has_one():
    data = effects(3).assign(bus=[2.0, np.nan, 1.6] * 2)
    ax = plots.host_effects(data, ["host"], "estimate", "host / pi-3b")
    bars = next(
        artist for artist in ax.collections if artist.get_label() == "ratio of the bus limits"
    )
    assert [float(segment[0][0]) for segment in bars.get_segments()] == [2.0, 1.6]


def verdicts(count):
    words = ["pass", "fail", "cannot tell", "no figure"]
    return pd.DataFrame(
        [
            {"row": f"card {number}", "column": part, "verdict": words[(number + place) % 4]}
            for number in range(count)
            for place, part in enumerate(["A1\nread", "A1\nwrite", "A2\nread"])
        ]
    )


@pytest.mark.parametrize("count", SIZES)
def test_the_matrix_has_a_sign_for_each_verdict_and_none_where_there_is_no_figure(count):
    data = verdicts(count)
    ax = plots.verdict_matrix(data)
    signs = [text.get_text() for text in ax.texts]
    counts = data["verdict"].value_counts()
    for sign, word in (("●", "pass"), ("✕", "fail"), ("?", "cannot tell")):
        assert signs.count(sign) == counts.get(word, 0)
        assert f"{sign} {word} ({counts.get(word, 0)})" in ax.get_xlabel()
    assert set(data["row"]) | set(data["column"]) <= set(texts(ax))
    assert overlaps(label_boxes(ax)) == 0


def test_a_cell_of_the_matrix_says_by_how_much_where_that_is_known():
    ax = plots.verdict_matrix(verdicts(1).assign(note=["2.4", "0.28", ""]), title="One card")
    assert [text.get_text() for text in ax.texts] == ["● 2.4", "✕ 0.28", "?"]
    assert ax.figure.get_suptitle() == "One card"


def rated(count):
    generator = np.random.default_rng(count)
    return pd.DataFrame(
        {
            "place": [f"place {number % max(count // 4, 1)}" for number in range(count)],
            "rated": [("yes", "no", "unknown")[number % 3] for number in range(count)],
            "value": np.exp(generator.normal(6, 1, count)),
        }
    )


@pytest.mark.parametrize("count", SIZES)
def test_rated_and_unrated_cards_are_drawn_with_the_minimums(count):
    minimums = pd.DataFrame({"class": ["A1", "A2"], "minimum": [500, 2000]})
    ax = plots.rated_dots(rated(count), minimums, "writes, 1/s")
    assert points_drawn(ax) == count
    assert {"A1: 500", "A2: 2000"} <= set(texts(ax))
    assert overlaps(label_boxes(ax)) == 0
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["rated", "not rated", "not stated"]


def test_the_numbers_of_cards_of_a_place_are_written_out():
    minimums = pd.DataFrame({"class": ["A1"], "minimum": [500]})
    ax = plots.rated_dots(rated(6), minimums, "writes, 1/s")
    assert "2 rated\n2 not rated\n2 not stated" in texts(ax)


def points(count):
    generator = np.random.default_rng(count)
    write = np.exp(generator.normal(0, 0.8, count)) * 1e6
    hosts = [f"pi-{number % 3}" for number in range(count)]
    return pd.DataFrame({"host": hosts, "write": write, "read": write * 4})


@pytest.mark.parametrize("count", SIZES)
def test_class_corners_and_every_point_are_inside_the_scatter(count):
    corners = dataset.load_classes().dropna(subset="randread")
    corners = corners.assign(
        randread=corners["randread"] * 4096, randwrite=corners["randwrite"] * 4096
    )
    ax = plots.read_against_write(points(count), [1, 3, 10], classes=corners, hue="host")
    assert points_drawn(ax) == count
    assert {"A1", "A2", "3 : 1"} <= set(texts(ax))
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for x, y in [*(points(count)[["write", "read"]].to_numpy() / 1e6), (500 * 4.096e-3, 6.144)]:
        assert left <= x <= right
        assert bottom <= y <= top
    assert ax.get_xscale() == ax.get_yscale() == "log"


@pytest.mark.parametrize("count", SIZES)
def test_names_of_marks_stand_apart_right_of_the_axes_and_a_missing_one_names_none(count):
    named = points(count).assign(card=[f"card {number}" for number in range(count)])
    named.loc[0, "card"] = None
    ax = plots.read_against_write(named, 3, hue="host", name="card")
    found = [text for text in ax.texts if text.get_text().startswith("card")]
    assert [text.get_text() for text in found] == named["card"].dropna().tolist()
    places = np.array([text.get_position() for text in found]).reshape(-1, 2)  # of the axes
    assert (places[:, 0] > 1).all()
    tall = ax.get_window_extent().height / ax.figure.dpi * 72
    assert (np.diff(np.sort(places[:, 1])) * tall > 8).all()  # points, the size of the letters


def test_plots_draw_on_the_axes_that_they_are_given():
    minimums = pd.DataFrame({"class": ["A1"], "minimum": [500]})
    table = figures(3).pivot(index="specimen", columns="host", values="value")
    calls = [
        (plots.bus_roofline, (figures(3), HOSTS)),
        (plots.heat_table, (table, "reads")),
        (plots.host_effects, (effects(3), ["host"], "estimate", "ratio")),
        (plots.verdict_matrix, (verdicts(3),)),
        (plots.rated_dots, (rated(6), minimums, "writes")),
    ]
    for function, arguments in calls:
        ax = plt.subplots()[1]
        assert function(*arguments, ax=ax) is ax
