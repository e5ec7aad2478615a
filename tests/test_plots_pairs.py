"""Plots of pairs draw every row, keep labels apart, and hold one pair as well as forty."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text
from test_plots import label_boxes, overlaps, texts

from sdanalysis import plots
from sdanalysis.codebook.units import in_two_digits
from sdanalysis.plots.style import apart

SIZES = (1, 40)
KINDS = ("clean", "suspicious", "cross-laboratory", "perhaps another card")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def text_boxes(ax):
    """Boxes of the labels without their leader lines, which `label_boxes` counts in."""
    ax.figure.canvas.draw()
    return [Text.get_window_extent(label) for label in (*ax.get_yticklabels(), *ax.texts)]


def pairs(count):
    generator = np.random.default_rng(count)
    ratio = np.exp(generator.normal(-0.3, 0.6, count))
    base = np.exp(generator.normal(1.2, 0.8, count)) * 1e6
    return pd.DataFrame(
        {
            "specimen": [f"us/card-{number}" for number in range(count)],
            "group": [f"group {number // 4}" for number in range(count)],
            "metric": "bandwidth",
            "ratio": ratio,
            "ratio_low": ratio * 0.97,
            "ratio_high": ratio * 1.03,
            "value_base": base,
            "value_other": base * ratio,
            "runs_base": 1,
            "runs_other": 3,
            "kind": [KINDS[number % len(KINDS)] for number in range(count)],
            "noise_band": 1.3,
            "weakest": "printed",
        }
    )


@pytest.mark.parametrize("count", SIZES)
def test_a_forest_of_pairs_has_a_mark_a_ratio_and_its_runs_on_each_row(count):
    frame = pairs(count)
    ax = plots.pair_forest(frame, ["specimen"], note="weakest")
    marks = [point for group in ax.collections[1:] for point in group.get_offsets()]
    assert sorted(x for x, _ in marks) == pytest.approx(sorted(frame["ratio"]))
    said = {f"{in_two_digits(ratio)}  (1:3 runs)  printed" for ratio in frame["ratio"]}
    assert said <= set(texts(ax))
    assert set(frame["specimen"]) <= set(texts(ax))
    assert overlaps(label_boxes(ax)) == 0


def test_the_band_reaches_from_the_inverse_to_the_factor():
    ax = plots.pair_forest(pairs(2), ["specimen"])
    ends = {(round(bar.get_x(), 4), round(bar.get_x() + bar.get_width(), 4)) for bar in ax.patches}
    assert ends == {(round(1 / 1.3, 4), 1.3)}


def test_a_forest_with_unknown_noise_is_drawn():
    frame = pairs(3).assign(noise_band=[np.nan, 1.3, 1.1])
    ax = plots.pair_forest(frame, ["specimen"])
    assert [bar.get_width() > 0 for bar in ax.patches] == [False, True, True]
    unknown = plots.pair_forest(frame.assign(noise_band=np.nan), ["specimen"])
    assert len(unknown.patches) == 0


def test_kinds_differ_in_marker_as_well_as_in_colour_and_the_legend_counts_them():
    ax = plots.pair_forest(pairs(8), ["specimen"])
    marks = ax.collections[1:]
    shapes = {tuple(group.get_paths()[0].vertices.ravel()) for group in marks}
    edges = {tuple(group.get_edgecolors()[0]) for group in marks}
    assert len(shapes) == len(edges) == len(KINDS)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {f"{kind} (2 results)" for kind in KINDS} <= set(legend)


@pytest.mark.parametrize("count", SIZES)
def test_slopes_go_from_base_to_other_and_their_labels_do_not_overlap(count):
    frame = pairs(count)
    ax = plots.pair_slopes(frame, ["specimen"], sides=("old", "new"))
    drawn = sorted(tuple(line.get_ydata()) for line in ax.lines)
    expected = sorted(zip(frame["value_base"] / 1e6, frame["value_other"] / 1e6, strict=True))
    assert np.array(drawn) == pytest.approx(np.array(expected))
    said = {f"us/card-{n}  ×{in_two_digits(ratio)}" for n, ratio in enumerate(frame["ratio"])}
    assert said <= set(texts(ax))
    assert overlaps(text_boxes(ax)) == 0
    assert "MB/s (10^6 B/s, log scale)" in ax.get_ylabel()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["old", "new"]


def test_slopes_of_operations_per_second_say_so():
    ax = plots.pair_slopes(pairs(2).assign(metric="iops"), ["specimen"])
    assert ax.get_ylabel() == "operations per second (1/s, log scale)"


def test_a_single_slope_is_not_blown_up():
    frame = pairs(1).assign(value_other=pairs(1)["value_base"] * 1.01)
    low, high = plots.pair_slopes(frame, ["specimen"]).get_ylim()
    assert high / low >= 2.9


def test_ratio_axes_are_logarithmic_with_a_line_at_one():
    frame = pairs(8)
    ax = plots.pair_forest(frame, ["specimen"], ratio="new / old")
    assert ax.get_xscale() == "log"
    assert any(list(line.get_xdata()) == [1, 1] for line in ax.lines)
    assert ax.get_xlabel().splitlines()[0] == "new / old (log scale; 1 = equal)"


def test_the_arrows_of_long_sides_have_a_line_of_their_own():
    sides = ("a reader with a long name", "another reader with a long name")
    label = plots.pair_forest(pairs(2), ["specimen"], ratio="ratio", sides=sides).get_xlabel()
    arrows, words, *_ = label.splitlines()
    assert (arrows[0], arrows[-1], words) == ("\u2190", "\u2192", "ratio (log scale; 1 = equal)")


def test_plots_draw_on_the_axes_that_they_are_given():
    frame = pairs(3)
    for draw in (plots.pair_forest, plots.pair_slopes):
        ax = Figure(layout="constrained").subplots()
        assert draw(frame, ["specimen"], ax=ax) is ax


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40), st.floats(0.01, 1))
def test_labels_move_apart_in_order_and_about_their_own_centre(places, gap):
    moved = apart(places, gap)
    in_order = moved[np.argsort(places, kind="stable")]
    assert (np.diff(in_order) >= gap - 1e-9).all()
    assert moved.mean() == pytest.approx(np.mean(places), abs=1e-6)


def test_labels_that_do_not_collide_stay_where_they_are():
    assert apart([3.0, 1.0, 2.0], 0.5).tolist() == [3.0, 1.0, 2.0]


def test_marks_may_tell_other_words_apart_than_the_kind():
    frame = pairs(6).assign(size=["equal capacity", "other capacity"] * 3)
    ax = plots.pair_forest(frame, ["specimen"], mark="size")
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"equal capacity (3 results)", "other capacity (3 results)"} <= set(legend)
    assert len(plots.pair_slopes(frame, ["specimen"], mark="size").lines) == 6
    many = pairs(6).assign(size=list("abcdef"))
    assert len(plots.pair_forest(many, ["specimen"], mark="size").collections) == 7


def test_a_forest_says_which_side_is_faster_and_what_is_seen():
    ax = plots.pair_forest(pairs(2), ["specimen"], sides=("old", "new"), title="The old is faster")
    assert ax.get_xlabel().startswith("← old faster  |  new faster →\n")
    assert ax.figure.get_suptitle() == "The old is faster"
    assert plots.pair_slopes(pairs(2), ["specimen"]).figure.get_suptitle() == ""


def test_runs_are_told_where_a_side_has_several():
    ax = plots.pair_forest(pairs(1).assign(runs_other=1), ["specimen"])
    assert not any("runs)" in text for text in texts(ax))
