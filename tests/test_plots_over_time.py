"""Time lines and percentiles, of one run and of forty: what is drawn is what was read."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import sdanalysis
from sdanalysis import plots, stats
from sdanalysis.errors import SdAnalysisError

EXAMPLES = "data/examples/over-time"


@pytest.fixture(autouse=True)
def _figures_are_closed(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    yield
    plt.close("all")


def samples(name="cache-ends_bw.1.log"):
    return sdanalysis.parse(f"{EXAMPLES}/{name}", what="samples")


def many(frame, count, **factor):
    parts = [
        frame.astype({"file": "str"}).assign(file=f"c{number:02}.log") for number in range(count)
    ]
    return pd.concat(parts, ignore_index=True)


def test_a_line_has_the_samples_in_megabytes_a_second_and_their_time():
    table = samples()
    ax = plots.over_time(table)
    assert np.allclose(ax.lines[0].get_ydata(), table["value"] / 1e6)
    assert np.allclose(ax.lines[0].get_xdata(), table["time"])
    assert ax.get_ylabel() == "MB/s (10^6 B/s); up is faster" or "log scale" in ax.get_ylabel()
    assert ax.get_xlabel() == "time since the start of the job, s"
    assert [text.get_text() for text in ax.texts] == ["cache-ends_bw.1.log"]


def test_levels_are_drawn_with_their_changes():
    table = samples()
    ax = plots.over_time(table, levels=stats.levels(table))
    changes = [line.get_xdata()[0] for line in ax.lines[1:]]
    assert changes == [0.93]


def test_an_axis_is_logarithmic_only_where_the_samples_differ_much():
    assert plots.over_time(samples()).get_yscale() == "log"
    near = samples().assign(value=5e6)
    ax = plots.over_time(near)
    assert (ax.get_yscale(), ax.get_ylim()[0]) == ("linear", 0)
    stalled = samples().assign(value=0.0)
    assert plots.over_time(stalled).get_yscale() == "linear"


def test_more_than_six_runs_are_strips_that_keep_every_sample_and_name():
    ax = plots.over_time(many(samples(), 40))
    assert len(ax.collections) == 40
    assert ax.collections[7].get_array().size == len(samples())
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"c{number:02}.log" for number in range(40)]
    assert ax.figure.get_size_inches()[1] > 8


def test_a_run_is_named_by_no_more_than_tells_it_from_the_others():
    table = samples().astype({"op": "str"})
    both = pd.concat([table, table.assign(op="write")])
    ax = plots.over_time(both)
    assert [line.get_label() for line in ax.lines] == ["read", "write"]


def test_latencies_whose_unit_is_open_are_drawn_as_printed():
    table = samples().assign(metric="latency", value=np.nan)
    ax = plots.over_time(table)
    assert "as printed (us before fio 3, ns since" in ax.get_ylabel()
    assert np.allclose(ax.lines[0].get_ydata(), table["raw"].astype(float))


def test_samples_of_two_metrics_or_of_none_are_refused():
    two = pd.concat([samples().astype({"metric": "str"}), samples().assign(metric="iops")])
    for table in (two, samples().iloc[:0]):
        with pytest.raises(SdAnalysisError, match="expected samples of one metric"):
            plots.over_time(table)


@pytest.mark.parametrize("count", [1, 2, 40])
def test_percentiles_are_a_line_a_run_with_its_name_beside(count):
    table = sdanalysis.parse(f"{EXAMPLES}/cache-ends.json", what="percentiles")
    runs = many(table, count)
    shares = 1 + runs["file"].astype("category").cat.codes / 10
    ax = plots.percentiles(runs.assign(latency=runs["latency"] * shares))
    assert len(ax.lines) == len(ax.texts) == count
    assert np.allclose(ax.lines[0].get_ydata(), table["latency"] * 1e6)
    assert np.allclose(ax.lines[0].get_xdata(), table["percentile"])
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without their lines
    ordered = sorted(boxes, key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 4 for low, high in pairwise(ordered))


def test_each_nine_of_a_percentile_is_as_wide():
    table = sdanalysis.parse(f"{EXAMPLES}/*.json", what="percentiles")
    ax = plots.percentiles(table)
    places = [ax.transData.transform((share, 100))[0] for share in (90, 99, 99.9, 99.99)]
    assert np.allclose(np.diff(places), np.diff(places)[0])


@pytest.mark.parametrize(("factor", "unit"), [(1, "us"), (1e3, "ms"), (1e6, "s")])
def test_latencies_are_shown_in_the_unit_that_is_shortest_to_print(factor, unit):
    table = sdanalysis.parse(f"{EXAMPLES}/cache-empty.json", what="percentiles")
    ax = plots.percentiles(table.assign(latency=table["latency"] * factor))
    assert ax.get_ylabel() == f"latency, {unit} (log scale; down is faster)"


def test_a_table_without_percentiles_is_refused():
    table = sdanalysis.parse(f"{EXAMPLES}/cache-empty.json", what="percentiles")
    with pytest.raises(SdAnalysisError, match="found no percentile"):
        plots.percentiles(table.assign(percentile=100.0))


def test_plots_draw_on_the_axes_that_they_are_given():
    _, ax = plt.subplots()
    assert plots.over_time(samples(), ax) is ax
    _, ax = plt.subplots()
    assert (
        plots.percentiles(sdanalysis.parse(f"{EXAMPLES}/cache-ends.json", "percentiles"), ax) is ax
    )
