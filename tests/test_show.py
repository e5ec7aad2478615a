"""A figure leaves a notebook as a picture, with what its marks say as its text."""

import io
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from PIL import Image

from sdanalysis.errors import SdAnalysisError
from sdanalysis.plots import show as figures
from sdanalysis.plots.marks import describe
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


def rows_of_cards():
    _, ax = plt.subplots()
    describe(ax.scatter([2, 1], [1, 0]), ["B 8 GB\n2 MB/s", "A 8 GB\n1 MB/s"])
    ax.set(ylim=(2, -1), xlabel="small writes,\nMB/s")
    ax.figure.suptitle("A is slow")
    return ax.figure


def test_the_text_of_a_figure_is_what_its_marks_say_from_the_top():
    assert figures.spoken(rows_of_cards(), FRAME).splitlines() == [
        "A is slow",
        "x: small writes, MB/s",
        "- A 8 GB, 1 MB/s",
        "- B 8 GB, 2 MB/s",
    ]


def test_the_frame_speaks_for_marks_that_say_nothing():
    fig = axes_of(lambda axes: axes.plot([1, 2], label="a line") and axes.legend())
    assert figures.spoken(fig, FRAME.assign(z=[None, "word"])).splitlines() == [
        "marks: a line",
        "- x 1, y 0.3333",
        "- x 2, y 4, z word",
    ]


@pytest.mark.parametrize(("marks", "last"), [(200, "- 199"), (201, "and 1 more")])
def test_of_many_marks_the_text_lists_200_and_counts_the_rest(marks, last):
    _, ax = plt.subplots()
    describe(ax.scatter(range(marks), range(marks)), map(str, range(marks)))
    assert figures.spoken(ax.figure, FRAME).splitlines()[-1] == last


def test_an_empty_cell_is_not_listed():
    _, ax = plt.subplots()
    describe(ax.pcolormesh([[1, 2]]), ["A\n1 MB/s", "A\nno figure"])
    assert figures.spoken(ax.figure, FRAME) == "- A, 1 MB/s"


def test_show_publishes_picture_alt_text_and_numbers_and_closes_the_figure(published):
    fig = axes_of(lambda axes: axes.plot([1, 2]))
    numbers = figures.spoken(fig, FRAME)
    figures.show(fig, alt="Two points,\n  rising.", data=FRAME)
    [(data, metadata)] = published
    assert data["text/plain"] == numbers
    assert data["text/csv"] == "x,y\n1,0.333333\n2,4\n"
    assert metadata == {"image/png": {"alt": "Two points, rising."}}
    assert not plt.get_fignums()


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
    found = re.findall(r'(?:width|height)="([\d.]+)pt"', data["image/svg+xml"])[:2]
    sides = [float(side) / 72 * figures.DPI for side in found]
    assert sides == pytest.approx([width, height], abs=1)
