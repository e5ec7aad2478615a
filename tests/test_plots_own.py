"""Plots and summaries of a user's own frames: nothing is pooled, every summary has its plot."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import sdanalysis
from sdanalysis import plots, stats
from sdanalysis.errors import SdAnalysisError

plt.switch_backend("agg")  # the tests open no windows


# --- what is not pooled --------------------------------------------------------------------------


@pytest.mark.parametrize("summary", [stats.ratio_summary, stats.paired_summary])
def test_a_mean_over_several_contrasts_or_laboratories_is_refused(summary):
    pairs = pd.DataFrame({"specimen": list("abc"), "ratio": [1.0, 2.0, 3.0], "op": "read"})
    several = pairs.assign(base=["pi-2b", "pi-3b", "pi-3b"], other="pi-4b")
    with pytest.raises(SdAnalysisError, match="found 2 of base, other in op read") as refused:
        summary(several, ["op"])
    assert "(pi-2b and pi-4b; pi-3b and pi-4b), expected one: name 'base' and 'other' in by" in str(
        refused.value
    )
    assert len(summary(several, ["op", "base", "other"])) == 2
    people = pairs.assign(measured_by=["us", "them", "us"])
    with pytest.raises(SdAnalysisError, match=r"found 2 of measured_by in op read .us; them."):
        summary(people, ["op"])
    assert len(summary(people, ["op", "measured_by"])) == 2


def test_the_example_of_the_page_pools_nothing():
    text = (Path(__file__).resolve().parent.parent / "docs" / "table.md").read_text(
        encoding="utf-8"
    )
    by = re.search(r"^by = \[(.*?)\]", text, re.M)[1]
    assert "stats.paired_summary(pairs, by)" in text
    assert {"base", "other", "measured_by"} <= set(re.findall(r"\w+", by))


# --- the plots of summaries ----------------------------------------------------------------------


def summaries():
    """Each summary of ratios that stats makes, with its rows' names and the words of its axis."""
    mine = sdanalysis.load().query("measured_by == 'geerling' and tool == 'iozone'")
    sides = [mine[mine["host"] == name] for name in ("pi-3b", "pi-4b")]
    pairs = pd.DataFrame({"specimen": list("abcd"), "ratio": [2, 2.1, 2.2, 9], "test": "t"})
    hosts = pairs.assign(base="Pi 3", other="Pi 4")
    values = {"specimen": list("aabbcc"), "host": ["old", "new"] * 3, "value": range(1, 7)}
    figures = pd.DataFrame(values | {"op": "read"})
    runs = mine[mine["host"] == "pi-4b"]
    left = stats.leave_one_out(pairs, by=["test"])
    return {
        "ratio_summary": (stats.ratio_summary(hosts, ["test"]), ["test"], "Pi 4 / Pi 3"),
        "paired_summary": (stats.paired_summary(hosts, ["test"]), ["test"], "Pi 4 / Pi 3"),
        "by sides": (stats.paired_summary(hosts, ["base", "other"]), ["other"], "Pi 4 / Pi 3"),
        "own pairs": (stats.paired_summary(pairs, ["test"]), ["test"], "ratio"),
        "compare_groups": (
            stats.compare_groups(figures, "host", "old", "new", by=["op"]), ["op"], "new / old"
        ),
        "groups_beside_pairs": (
            stats.groups_beside_pairs(figures, "host", "old", "new"), ["comparison"], "new / old"
        ),
        "compare": (stats.compare(*sides, pair="specimen"), ["op"], "new / base"),
        "compare_last": (stats.compare_last(runs, runs), ["op"], "new / base"),
        "leave_one_out": (left, ["left_out"], "ratio"),
        "most_influential": (stats.most_influential(left, ["test"]), ["test"], "ratio"),
    }  # fmt: skip


SUMMARIES = summaries()


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_summary_of_ratios_has_its_plot_with_the_words_of_its_frame(name):
    frame, label, words = SUMMARIES[name]
    ax = plots.ratio_forest(frame, label)
    assert ax.get_xlabel() == f"{words} (log scale; 1 = equal)"
    assert len(ax.get_yticklabels()) == len(frame)
    assert len([text for text in ax.texts if "n = " in text.get_text()]) == len(frame)
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_dots_of_pairs_of_hosts_say_which_hosts():
    data = sdanalysis.load_data()
    levels = ["pi-3b", "pi-4b"]
    pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=levels)
    ax = plots.ratio_dots(pairs)
    assert ax.get_xlabel() == "pi-4b / pi-3b (log scale; 1 = equal)"
    assert plots.ratio_dots(pairs, ratio="Pi 4 / Pi 3").get_xlabel().startswith("Pi 4 / Pi 3")
    reads = stats.read_write_pairs(data.measurements).query("access == 'random'")
    assert plots.ratio_dots(reads).get_xlabel().startswith("read / write")
    plt.close("all")


@pytest.mark.parametrize(
    ("draw", "made_by"),
    [
        (lambda frame: plots.ratio_forest(frame, ["test"]), "stats.ratio_summary"),
        (plots.ratio_dots, "stats.read_write_pairs or contrast_pairs"),
        (plots.ratios_by_jobs, "stats.printed_beside_matched"),
        (lambda frame: plots.read_against_write(frame, 3), "stats.read_write_pairs"),
        (plots.pair_forest, "stats.contrast_pairs"),
        (plots.pair_slopes, "stats.contrast_pairs"),
        (lambda frame: plots.host_effects(frame, ["what"], "by", "a / b"), "stats.host_gains"),
        (lambda frame: plots.bus_roofline(frame, frame), "stats.usable"),
        (plots.verdict_matrix, "stats.class_cells"),
        (lambda frame: plots.rated_dots(frame, frame, "reads"), "stats.class_verdicts"),
        (plots.missing, "stats.missing_cells"),
        (plots.outcomes, "claims.ledger"),
        (plots.found_against_stated, "claims.ledger"),
        (lambda frame: plots.speed_bars(frame, "reads"), "stats.shown_figures"),
        (plots.standing, "my_card.read(...).points"),
        (plots.over_time, "parse(paths, what='samples')"),
        (plots.percentiles, "parse(paths, what='percentiles')"),
        (plots.coverage, "stats.coverage"),
    ],
)
def test_a_frame_of_another_kind_is_refused_with_what_makes_the_right_one(draw, made_by):
    open_before = plt.get_fignums()
    with pytest.raises(SdAnalysisError) as refused:
        draw(pd.DataFrame({"colour": ["red"]}))
    text = str(refused.value)
    assert re.match("found .*, expected ", text) and made_by in text
    assert plt.get_fignums() == open_before


def test_a_heat_table_is_divided_by_what_its_label_says():
    table = pd.DataFrame({"pi-4b": [7.3e6, 2.1e6]}, index=["a", "b"])

    def printed(cells, label, **settings):
        ax = plots.heat_table(cells, label, **settings)
        plt.close(ax.figure)
        return [text.get_text() for text in ax.texts]

    assert printed(table, "MB/s (10^6 B/s)") == ["7.30", "2.10"]
    assert printed(table / 1e6, "MB/s (10^6 B/s)", factor=1) == ["7.30", "2.10"]
    assert printed(table / 1e4, "operations a second (1/s)") == ["730", "210"]
    with pytest.raises(SdAnalysisError, match=r"found at most 7.3 .* a table that is in MB/s"):
        printed(table / 1e6, "writes, MB/s")
    with pytest.raises(SdAnalysisError, match="found words in the column 'name'"):
        printed(table.assign(name="x"), "MB/s")
