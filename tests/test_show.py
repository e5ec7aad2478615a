"""A figure leaves a notebook as a picture, with the numbers that were drawn as its text."""

import difflib
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from sdanalysis.errors import SdAnalysisError
from sdanalysis.plots import show as figures
from sdanalysis.plots.svg import fit

plt.switch_backend("agg")  # the tests open no windows

FRAME = pd.DataFrame({"x": [1, 2], "y": [1 / 3, 4.0]})


@pytest.fixture(autouse=True)
def _no_figure_is_left_open():
    yield
    plt.close("all")


@pytest.fixture
def published(monkeypatch):
    calls = []
    monkeypatch.setattr(
        "IPython.display.display", lambda data, raw, metadata: calls.append((data, metadata))
    )
    return calls


def axes_of(draw):
    fig, axes = plt.subplots()
    draw(axes)
    return fig


def changed_lines(draw, *values):
    """What differs in the text of two figures that differ in one number."""
    old, new = (figures.drawn_numbers(axes_of(lambda a, v=v: draw(a, v))) for v in values)
    diff = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    return [line[2:].strip() for line in diff if line.startswith("+ ")]


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda axes, v: axes.bar(["a", "b"], [20, v]), id="bar"),
        pytest.param(lambda axes, v: axes.barh(["a", "b"], [20, v]), id="horizontal bar"),
        pytest.param(lambda axes, v: axes.plot([1, 2, 3], [20, v, 3]), id="line"),
        pytest.param(lambda axes, v: axes.plot(range(100), [*range(99), v]), id="long line"),
        pytest.param(lambda axes, v: axes.scatter([1, 2, 3], [20, v, 3]), id="points"),
        pytest.param(
            lambda axes, v: axes.scatter([1, 2, 3], [1, 2, 3], c=[20, v, 3]), id="colours of points"
        ),
        pytest.param(lambda axes, v: axes.errorbar([1, 2], [1, 2], yerr=[3, v]), id="error bar"),
        pytest.param(lambda axes, v: axes.fill_between([1, 2], [1, 2], [3, v]), id="area"),
        pytest.param(lambda axes, v: axes.pcolormesh([[1, 20], [3, v]]), id="mesh"),
        pytest.param(lambda axes, v: axes.imshow([[1, 20], [3, v]]), id="image"),
        pytest.param(lambda axes, v: axes.axvspan(1, v), id="span"),
        pytest.param(lambda axes, v: axes.text(0.1, 0.1, f"n={v}"), id="text"),
        pytest.param(lambda axes, v: axes.annotate("here", (0.1, v)), id="annotation"),
        pytest.param(lambda axes, v: axes.set_xlabel(f"MB/s, n={v}"), id="axis label"),
        pytest.param(lambda axes, v: axes.set_title(f"n={v}"), id="title"),
        pytest.param(lambda axes, v: axes.figure.suptitle(f"n={v}"), id="title of the figure"),
        pytest.param(lambda axes, v: axes.set_ylim(0, v), id="axis limit"),
        pytest.param(lambda axes, v: axes.set_xticks([0, 1], ["a", f"b{v}"]), id="tick label"),
        pytest.param(
            lambda axes, v: axes.inset_axes([0.5, 0.5, 0.3, 0.3]).plot([1, v]), id="inset"
        ),
    ],
)
def test_a_change_of_one_drawn_number_changes_the_text(draw):
    assert changed_lines(draw, 10.0, 10.5)
    assert not changed_lines(draw, 10.0, 10.0)


def test_the_text_names_what_is_drawn():
    fig, axes = plt.subplots()
    axes.bar(["one", "two"], [1, -2.34567], label="iozone")
    axes.scatter([0, 1], [3, np.nan], label="fio")
    axes.set(title="A claim", xlabel="card", ylabel="MB/s\n(10^6 B/s)", ylim=(-4, 4))
    axes.set_yticks([-4, 0, 4])
    axes.legend()
    assert figures.drawn_numbers(fig).splitlines() == [
        "axes 1",
        "  title: A claim",
        "  x label: card",
        "  x linear: -0.49 to 1.49",
        "  x ticks: one | two",
        "  y label: MB/s (10^6 B/s)",
        "  y linear: -4 to 4",
        "  y ticks: -4 | 0 | 4",
        "  legend: fio | iozone",
        "  bars (at, from, to) iozone, 2",
        "    0 0 1",
        "    1 0 -2.346",
        "  points fio, 2",
        "    0 3",
        "    nan nan",
    ]


def test_more_than_60_points_become_quantiles_and_sum():
    text = figures.drawn_numbers(axes_of(lambda axes: axes.scatter(range(61), [1] * 61)))
    assert "points, 61\n    quantiles 0 15 30 45 60, sum 1830\n    quantiles 1 1" in text


def test_colour_bars_and_hidden_artists_are_skipped():
    fig, (left, right) = plt.subplots(1, 2)
    fig.colorbar(left.pcolormesh([[1, 2], [3, 4]]), ax=left)
    fig.colorbar(right.scatter([1, 2], [1, 2], c=[1, 2]), cax=right.inset_axes([0.9, 0, 0.1, 1]))
    left.plot([7, 7])[0].set_visible(False)
    text = figures.drawn_numbers(fig)
    assert text.count("axes ") == 2
    assert "line" not in text.replace("linear", "")


def test_a_colour_that_stands_for_no_number_is_not_listed():
    fig = axes_of(lambda axes: axes.scatter([1, 2], [1, 2], c=["red", "blue"]))
    assert "colour" not in figures.drawn_numbers(fig)


def test_show_publishes_picture_alt_text_and_numbers_and_closes_the_figure(published):
    fig = axes_of(lambda axes: axes.plot([1, 2]))
    numbers = figures.drawn_numbers(fig)
    figures.show(fig, alt="Two points,\n  rising.", data=FRAME)
    [(data, metadata)] = published
    assert data["text/plain"] == numbers
    assert data["text/csv"] == "x,y\n1,0.333333\n2,4\n"
    assert metadata == {"image/png": {"alt": "Two points, rising."}}
    assert not plt.get_fignums()


def test_the_numbers_are_read_from_the_drawing_that_made_the_picture(published, monkeypatch):
    fig = axes_of(lambda axes: axes.plot([1, 2]))
    drawn, save = [], fig.savefig
    monkeypatch.setattr(
        fig, "savefig", lambda *args, **more: (drawn.append(1), save(*args, **more))
    )
    monkeypatch.setattr(fig, "draw_without_rendering", lambda: drawn.append(2))
    figures.show(fig, alt="Two points.", data=FRAME)
    assert drawn == [1]
    assert "x ticks: 0.0 | 0.2" in published[0][0]["text/plain"]


def test_the_picture_is_the_same_every_time_and_names_no_software(published):
    for _ in range(2):
        figures.show(axes_of(lambda axes: axes.plot([1, 2])), alt="Two points.", data=FRAME)
    first, second = (data["image/png"] for data, _ in published)
    assert first == second
    assert b"Software" not in first
    assert b"matplotlib" not in first


def test_a_figure_without_alt_text_is_refused(published):
    with pytest.raises(SdAnalysisError, match="empty alt text"):
        figures.show(axes_of(lambda axes: axes.plot([1, 2])), alt=" ", data=FRAME)
    assert not published


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_figure_that_was_fitted_once_is_the_picture_that_a_tight_box_gives(layout):
    drawn = []
    for is_fitted in (False, True):
        fig, axes = plt.subplots(2, 1, figsize=(4, 3), layout=layout, squeeze=True)
        axes[0].plot([1, 20], [3, 4000], label="a line")
        axes[0].annotate("far out", (20, 3), xytext=(1.2, -0.4), textcoords="axes fraction")
        axes[1].set(title="A title\nof two lines", ylabel="MB/s", yscale="log")
        axes[1].legend([], [], title="beside", loc="upper left", bbox_to_anchor=(1.1, 1))
        fig.colorbar(axes[0].scatter([1, 2], [1, 2], c=[1, 2]), ax=axes[0])
        box = fit(fig, dpi=figures.DPI) if is_fitted else "tight"
        written = io.BytesIO()
        fig.savefig(written, format="png", dpi=figures.DPI, bbox_inches=box)
        drawn.append(Image.open(written).convert("RGB"))
    tight, fitted = drawn
    assert fitted.size == tight.size
    assert fitted.tobytes() == tight.tobytes()


def test_the_svg_has_the_size_of_the_picture(published, monkeypatch):
    monkeypatch.setenv(figures.WITH_SVG, "1")
    figures.show(axes_of(lambda axes: axes.plot([1, 2])), alt="Two points.", data=FRAME)
    [(data, _)] = published
    width, height = Image.open(io.BytesIO(data["image/png"])).size
    found = re.findall(r'(?:width|height)="([\d.]+)pt"', data["image/svg+xml"])
    sides = [float(side) / 72 * figures.DPI for side in found]
    assert sides == pytest.approx([width, height], abs=1)
