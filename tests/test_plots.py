"""Plots draw every row they are given, label their units, and hold one card as well as forty."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import plots, stats

MEASUREMENTS = sdanalysis.load()
SIZES = (1, 40)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pairs(count):
    generator = np.random.default_rng(count)
    return pd.DataFrame(
        {
            "measured_by": "us",
            "host": [f"pi-{number % 4}" for number in range(count)],
            "reader": "slot",
            "specimen": [f"us/card-{number}" for number in range(count)],
            "ratio": np.exp(generator.normal(1.5, 0.7, count)),
        }
    )


def texts(ax):
    """Return what stands at the axes: tick labels, annotations and labels."""
    ax.figure.draw_without_rendering()
    ticks = [tick.get_text() for tick in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    return [*ticks, *(text.get_text() for text in ax.texts), ax.get_xlabel(), ax.get_ylabel()]


def overlaps(boxes):
    """Count the pairs of boxes that lie on each other by more than a pixel."""
    return sum(
        one.x0 + 1 < other.x1
        and other.x0 + 1 < one.x1
        and one.y0 + 1 < other.y1
        and other.y0 + 1 < one.y1
        for index, one in enumerate(boxes)
        for other in boxes[index + 1 :]
    )


def label_boxes(ax):
    ax.figure.canvas.draw()
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts]
    return [label.get_window_extent() for label in labels if label.get_text()]


def marks(ax):
    return [place for dots in ax.collections[1:] for place in dots.get_offsets()]


@pytest.mark.parametrize("count", SIZES)
def test_every_specimen_has_a_row_and_a_marker(count):
    ax = plots.ratio_dots(pairs(count))
    assert len(marks(ax)) == count
    assert {f"us/card-{number}" for number in range(count)} <= set(texts(ax))


@pytest.mark.parametrize("count", SIZES)
def test_the_labels_of_a_dot_plot_do_not_overlap(count):
    assert overlaps(label_boxes(plots.ratio_dots(pairs(count)))) == 0


@pytest.mark.parametrize("count", SIZES)
def test_a_forest_plot_prints_n_and_verdict_on_each_row(count):
    data = pairs(40).assign(group=[f"group {number % count}" for number in range(40)])
    summary = stats.ratio_summary(data, ["group"])
    ax = plots.ratio_forest(summary, ["group"])
    notes = [text for text in texts(ax) if re.search(r"times.*\(n = \d+\)", text)]
    assert len(notes) == len(summary)
    few = [text for text in notes if "too few" in text]
    assert len(few) == (summary["verdict"] == "points").sum()
    assert overlaps(label_boxes(ax)) == 0


def test_ratio_axes_are_logarithmic_with_a_line_at_one():
    for ax in (
        plots.ratio_dots(pairs(8)),
        plots.ratio_forest(stats.ratio_summary(pairs(8), ["measured_by"]), ["measured_by"]),
    ):
        assert ax.get_xscale() == "log"
        assert any(list(line.get_xdata()) == [1, 1] for line in ax.lines)
        assert "log scale" in ax.get_xlabel()


def test_hosts_differ_in_marker_as_well_as_in_colour():
    ax = plots.ratio_dots(pairs(8), mark=["host"])
    dots = ax.collections[1:]  # the first are the lines that join the marks of a card
    shapes = [tuple(group.get_paths()[0].vertices.ravel()) for group in dots]
    colours = [tuple(group.get_edgecolors()[0]) for group in dots]
    assert len(set(shapes)) == len(set(colours)) == 4


def test_the_coverage_matrix_prints_each_count_once():
    counts = stats.coverage(MEASUREMENTS, sdanalysis.load_hosts())
    ax = plots.coverage(counts)
    printed = sorted(int(text.get_text()) for text in ax.texts)
    assert printed == sorted(counts.to_numpy()[counts.to_numpy() > 0].tolist())
    assert set(counts.index) <= set(texts(ax))


def test_missing_cells_are_drawn_by_their_way_of_missing():
    cells = stats.missing_cells(MEASUREMENTS, sdanalysis.load_media())
    ax = plots.missing(cells)
    drawn = sum(bar.get_width() for bar in ax.patches)
    assert drawn == (MEASUREMENTS.query("origin == 'primary'")["status"] != "measured").sum()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [name.partition(" (")[0] for name in names] == [
        "left blank", "marked as still to come", "a word instead of a number", "did not finish"
    ]  # fmt: skip
    assert "a word instead of a number (Excruciating, Painful, Sad)" in names


def test_the_unit_and_its_base_stand_at_the_axes_of_a_scatter():
    points = stats.read_write_pairs(MEASUREMENTS).query("access == 'random'")
    ax = plots.read_against_write(points, ratio=3)
    assert "MB/s (10^6 B/s" in ax.get_xlabel()
    assert "MB/s (10^6 B/s" in ax.get_ylabel()
    assert "3 : 1" in texts(ax)


def test_a_card_keeps_its_colour_between_line_and_printed_ratio():
    printed = stats.printed_beside_matched(MEASUREMENTS).query(
        "metric == 'bandwidth' and stat == 'mean'"
    )
    ax = plots.ratios_by_jobs(printed)
    for row, lines in zip(
        printed.itertuples(), zip(*[iter(ax.lines)] * 2, strict=True), strict=True
    ):
        assert lines[0].get_color() == lines[1].get_color()
        assert list(lines[1].get_ydata()) == [row.value, row.value]


def test_the_lowest_card_stands_first_and_a_line_joins_its_places():
    frame = pairs(3).assign(specimen=["a", "b", "a"], ratio=[8.0, 3.0, 2.0], place=list("xyz"))
    ax = plots.ratio_dots(frame, mark=["place"])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "a"]
    lines = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    assert lines == [[3.0, 3.0], [2.0, 8.0]]


def test_a_doubted_ratio_is_hollow_and_the_legend_says_what_that_means():
    ax = plots.ratio_dots(pairs(2).assign(kind=["clean", "suspicious"]))
    faces = ax.collections[1].get_facecolors().tolist()
    assert sum(face == [1, 1, 1, 1] for face in faces) == 1 < len(faces)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[-1] == "hollow: doubted, not counted"


def test_arrows_say_which_side_is_faster_and_a_title_stands_above():
    ax = plots.ratio_dots(pairs(3), sides=("writes", "reads"), title="Reads are faster")
    assert ax.get_xlabel().startswith("\u2190 writes faster  |  reads faster \u2192\n")
    assert ax.figure.get_suptitle() == "Reads are faster"


def test_plots_draw_on_the_axes_that_they_are_given():
    ax = plt.subplots()[1]
    assert plots.ratio_dots(pairs(3), ax=ax) is ax


def test_of_more_cards_than_there_are_markers_none_is_left_out():
    cards = [f"lab/card-{number}" for number in range(15)]
    printed = pd.DataFrame(
        {"specimen": cards, "value": 2.0, "raw": "2", "jobs_1": 2.0, "jobs_2": 3}
    )
    ax = plots.ratios_by_jobs(printed)
    assert [name for name in texts(ax) if name in cards] == cards


def test_a_forest_with_a_group_of_one_card_beside_larger_ones_can_be_shown():
    cards = pairs(7).assign(group=["many"] * 6 + ["one"])
    ax = plots.ratio_forest(stats.ratio_summary(cards, ["group"]), ["group"])
    assert any("n = 1" in text for text in texts(ax))
