"""Every plot draws what it is given: its text beside it, one row as well as forty, and a phone."""

import re
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import EFFECTS, EVERY, FIGURES, LIMITS, PAIRS, SAMPLES, SHARES, SUMMARY, runs
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text
from write_figures import TEXTS, differences

import sdanalysis
from sdanalysis import plots, stats
from sdanalysis.errors import SdAnalysisError
from sdanalysis.plots.narrow import narrow
from sdanalysis.plots.style import spread_out
from sdanalysis.plots.svg import fit

PX = 96  # in an inch


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def words(ax):
    """The texts at the axes that are there to be read."""
    ax.figure.draw_without_rendering()
    return [
        text for text in (*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts)
        if text.get_text()
    ]  # fmt: skip


def overlaps(texts):
    """Count the pairs of texts that lie on each other by more than a pixel."""
    boxes = [Text.get_window_extent(text) for text in texts]  # without a line to a mark
    return sum(
        one.x0 + 1 < other.x1
        and other.x0 + 1 < one.x1
        and one.y0 + 1 < other.y1
        and other.y0 + 1 < one.y1
        for index, one in enumerate(boxes)
        for other in boxes[index + 1 :]
    )


# --- what is drawn -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_a_figure_shows_what_its_text_says(name):
    assert differences(name) == ""


def test_every_plot_has_a_text_and_every_text_a_plot():
    assert {name.partition(" ")[0] for name in EVERY} == set(plots.__all__)
    assert {path.stem for path in TEXTS.glob("*")} == {name.replace(" ", "-") for name in EVERY}


# --- as many as forty ----------------------------------------------------------------------------


def many(frame, count, name):
    """A frame of so many rows, each with a name and figures of its own."""
    rows = pd.concat([frame] * count, ignore_index=True).iloc[:count]
    factors = np.exp(np.random.default_rng(count).normal(0, 0.4, count))
    numbers = [column for column in rows if column in ("value", "ratio", "value_other", "shown")]
    names = [f"card {number}" for number in range(count)]
    return rows.assign(**{name: names}, **{column: rows[column] * factors for column in numbers})


FORTY = {
    "ratio_forest": lambda n: plots.ratio_forest(many(SUMMARY, n, "host"), ["host"]),
    "ratio_dots": lambda n: plots.ratio_dots(many(PAIRS, n, "specimen")),
    "pair_forest": lambda n: plots.pair_forest(many(PAIRS, n, "specimen"), ["specimen"]),
    "pair_slopes": lambda n: plots.pair_slopes(many(PAIRS, n, "specimen"), ["specimen"]),
    "host_effects": lambda n: plots.host_effects(many(EFFECTS, n, "what"), ["what"], "who", "x"),
    "bus_roofline": lambda n: plots.bus_roofline(many(FIGURES, n, "specimen"), LIMITS),
    "percentiles": lambda n: plots.percentiles(
        pd.concat([SHARES.assign(file=f"card {k}", latency=SHARES["latency"] * (1 + k / 9))
                   for k in range(n)])),
    "verdict_matrix": lambda n: plots.verdict_matrix(
        pd.DataFrame({"row": [f"card {k}" for k in range(n)], "column": "A1", "verdict": "pass"})),
}  # fmt: skip


@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("name", FORTY)
def test_of_one_row_as_of_forty_no_label_lies_on_another(name, count):
    ax = FORTY[name](count)
    texts = words(ax)
    assert overlaps(texts) == 0
    named = {int(k) for text in texts for k in re.findall(r"card (\d+)", text.get_text())}
    assert name == "bus_roofline" or named == set(range(count))


def test_of_more_cards_than_there_are_markers_none_is_left_out():
    names = [f"lab/card-{number}" for number in range(15)]
    jobs = pd.DataFrame({"specimen": names, "value": 2.0, "raw": "2", "jobs_1": 2.0, "jobs_2": 3})
    found = [text.get_text() for text in plots.ratios_by_jobs(jobs).texts]
    assert [name for name in found if name in names] == names
    marks = many(PAIRS, 6, "specimen").assign(size=list("abcdef"))
    assert len(plots.pair_forest(marks, ["specimen"], mark="size").collections) == 7


@pytest.mark.parametrize(("count", "lines", "strips"), [(6, 6, 0), (7, 0, 7), (40, 0, 40)])
def test_more_than_six_runs_are_strips_that_keep_every_sample_and_name(count, lines, strips):
    ax = plots.over_time(runs(count))
    assert (len(ax.lines), len(ax.collections)) == (lines, strips)
    assert all(strip.get_array().size == 3 for strip in ax.collections)
    if strips:
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names == [f"r{number}.log" for number in range(count)]


# --- axes ----------------------------------------------------------------------------------------


def test_an_axis_of_time_lines_is_logarithmic_from_a_factor_of_ten_and_else_begins_at_0():
    def scale(*values):
        table = SAMPLES.iloc[:2].assign(value=np.array(values) * 1e6)
        ax = plots.over_time(table)
        assert ax.get_yscale() == "log" or ax.get_ylim()[0] == 0
        return ax.get_yscale()

    assert [scale(1, 10), scale(1, 9.9), scale(0, 99), scale(0, 0)] == ["log", *["linear"] * 3]


def test_each_nine_of_a_percentile_is_as_wide():
    ax = plots.percentiles(SHARES)
    places = [ax.transData.transform((share, 1))[0] for share in (90, 99, 99.9, 99.99)]
    assert np.allclose(np.diff(places), np.diff(places)[0])
    back = ax.transData.inverted().transform([(place, 1) for place in places])[:, 0]
    assert back == pytest.approx([90, 99, 99.9, 99.99])


@pytest.mark.parametrize(
    ("factor", "unit"), [(0.99, "us"), (1.06, "ms"), (1049, "ms"), (1055, "s")]
)
def test_latencies_are_shown_in_the_unit_that_is_shortest_to_print(factor, unit):
    ax = plots.percentiles(SHARES.assign(latency=SHARES["latency"] * factor))
    assert ax.get_ylabel() == f"latency, {unit} (log scale; down is faster)"


def test_a_single_slope_is_not_blown_up():
    frame = PAIRS.iloc[:1].assign(value_other=PAIRS["value_base"] * 1.01)
    low, high = plots.pair_slopes(frame, ["specimen"]).get_ylim()
    assert high / low == pytest.approx(3)


def test_the_words_of_a_cell_stand_out_from_its_shade():
    steps = np.geomspace(1e6, 64e6, 12).reshape(4, 3)
    ax = plots.heat_table(
        pd.DataFrame(steps, index=list("abcd"), columns=list("xyz")), "reads, MB/s"
    )
    shades = ax.collections[0].get_facecolors()[:, :3] @ [0.299, 0.587, 0.114]
    inks = [1.0 if text.get_color() == "white" else 0.0 for text in ax.texts]
    assert (abs(shades - inks) > 0.35).all()
    assert len(set(inks)) == 2


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=40), st.floats(0.01, 1))
def test_labels_move_apart_in_order_and_about_their_own_centre(places, gap):
    moved = spread_out(places, gap)
    assert (np.diff(moved[np.argsort(places, kind="stable")]) >= gap - 1e-9).all()
    assert moved.mean() == pytest.approx(np.mean(places), abs=1e-6)


def test_labels_that_do_not_collide_stay_where_they_are():
    assert spread_out([3.0, 1.0, 2.0], 0.5).tolist() == [3.0, 1.0, 2.0]
    assert spread_out([0.0, 0.1, 5.0], gap=1.0) == pytest.approx([-0.45, 0.55, 5.0])


# --- frames of stats -----------------------------------------------------------------------------


def summaries():
    """Each summary of ratios that stats makes, with its rows' names and the words of its axis."""
    mine = sdanalysis.load().query("measured_by == 'geerling' and tool == 'iozone'")
    sides = [mine[mine["host"] == name] for name in ("pi-3b", "pi-4b")]
    pairs = pd.DataFrame({"specimen": list("abcd"), "ratio": [2, 2.1, 2.2, 9], "test": "t"})
    hosts = pairs.assign(base="Pi 3", other="Pi 4")
    values = {"specimen": list("aabbcc"), "host": ["old", "new"] * 3, "value": range(1, 7)}
    figures = pd.DataFrame(values | {"op": "read"})
    groups = stats.compare_groups(figures, "host", "old", "new", by=["op"])
    beside = stats.groups_beside_pairs(figures, "host", "old", "new")
    return [
        (stats.paired_summary(hosts, ["base", "other"]), ["other"], "Pi 4 / Pi 3"),
        (stats.paired_summary(pairs, ["test"]), ["test"], "ratio"),
        (groups, ["op"], "new / old"),
        (beside, ["comparison"], "new / old"),
        (stats.compare(*sides, pair="specimen"), ["op"], "new / base"),
        (stats.compare_last(sides[1], sides[1]), ["op"], "new / base"),
        (stats.most_influential(pairs, ["test"]), ["test"], "ratio"),
    ]


def test_every_summary_of_ratios_has_its_plot_with_the_words_of_its_frame():
    for frame, label, ratio in summaries():
        ax = plots.ratio_forest(frame, label)
        assert ax.get_xlabel() == f"{ratio} (log scale; 1 = equal)"
        assert len(ax.get_yticklabels()) == len(frame)
        assert len([text for text in ax.texts if "n = " in text.get_text()]) == len(frame)


def test_a_mean_over_several_contrasts_or_laboratories_is_refused():
    pairs = pd.DataFrame({"specimen": list("abc"), "ratio": [1.0, 2.0, 3.0], "op": "read"})
    several = pairs.assign(base=["pi-2b", "pi-3b", "pi-3b"], other="pi-4b")
    people = pairs.assign(measured_by=["us", "them", "us"])
    for summary in (stats.paired_summary, stats.most_influential):
        with pytest.raises(
            SdAnalysisError, match=r"found 2 of base, other in op read .*pi-4b\), exp"
        ):
            summary(several, ["op"])
        assert len(summary(several, ["op", "base", "other"])) == 2
        with pytest.raises(SdAnalysisError, match=r"found 2 of measured_by in op read .us; them."):
            summary(people, ["op"])
        assert len(summary(people, ["op", "measured_by"])) == 2


def test_the_example_of_the_page_pools_nothing():
    page = Path(__file__).resolve().parent.parent / "docs" / "table.md"
    by = re.search(r"^by = \[(.*?)\]", page.read_text(encoding="utf-8"), re.M)[1]
    assert {"base", "other", "measured_by"} <= set(re.findall(r"\w+", by))


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "made_by"),
    [
        (lambda frame: plots.ratio_forest(frame, ["test"]), "stats.paired_summary"),
        (plots.ratio_dots, "stats.read_write_pairs or contrast_pairs"),
        (plots.ratios_by_jobs, "stats.printed_beside_matched"),
        (lambda frame: plots.read_against_write(frame, 3), "stats.read_write_pairs"),
        (plots.pair_forest, "stats.contrast_pairs"),
        (plots.pair_slopes, "stats.contrast_pairs"),
        (lambda frame: plots.host_effects(frame, ["what"], "by", "a / b"), "stats.host_gains"),
        (lambda frame: plots.bus_roofline(frame, frame), "stats.usable"),
        (lambda frame: plots.gain_curves(frame, frame), "stats.gain_curves"),
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
    with pytest.raises(
        SdAnalysisError, match=f"found .*, expected .*{re.escape(made_by)}"
    ) as refused:
        draw(pd.DataFrame({"colour": ["red"]}))
    assert "\n" not in str(refused.value)
    assert not plt.get_fignums()


def test_a_heat_table_is_divided_by_what_its_label_says():
    table = pd.DataFrame({"pi-4b": [7.3e6, 2.1e6]}, index=["a", "b"])

    def printed(cells, label, **settings):
        return [text.get_text() for text in plots.heat_table(cells, label, **settings).texts]

    assert printed(table, "MB/s (10^6 B/s)") == ["7.30", "2.10"]
    assert printed(table / 1e4, "operations a second (1/s)") == ["730", "210"]
    with pytest.raises(SdAnalysisError, match=r"found at most 7.3 .* expected B/s"):
        printed(table / 1e6, "writes, MB/s")
    with pytest.raises(SdAnalysisError, match="found words in the column 'name'"):
        printed(table.assign(name="x"), "MB/s")


def test_samples_of_two_metrics_or_of_none_and_tables_without_percentiles_are_refused():
    for table in (pd.concat([SAMPLES, SAMPLES.assign(metric="iops")]), SAMPLES.iloc[:0]):
        with pytest.raises(SdAnalysisError, match="expected samples of one metric"):
            plots.over_time(table)
    for table in (SHARES.assign(percentile=100.0), SHARES.assign(latency=0.0)):
        with pytest.raises(SdAnalysisError, match="found no percentile"):
            plots.percentiles(table)


# --- on a phone ----------------------------------------------------------------------------------


def marks(figure):
    """How many marks there are."""
    offsets = [dots.get_offsets() for ax in figure.axes for dots in ax.collections]
    lines = [line.get_xdata() for ax in figure.axes for line in ax.lines]
    return sum(map(len, offsets)), sum(map(len, lines)), sum(len(ax.patches) for ax in figure.axes)


@pytest.mark.parametrize("name", EVERY)
def test_every_plot_fits_a_phone_with_all_of_its_marks_and_letters_that_can_be_read(name):
    figure = EVERY[name]().figure
    before = marks(figure)
    narrow(figure)
    assert marks(figure) == before
    assert fit(figure, dpi=PX).width * PX <= 364  # a page of 390 px has 356
    texts = [
        text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()
    ]
    assert min(text.get_fontsize() for text in texts) / 72 * PX >= 11


@pytest.mark.parametrize("name", ["ratio_dots", "speed_bars", "host_effects", "standing"])
def test_the_name_of_a_row_stands_above_its_mark_and_lies_on_no_other_text(name):
    figure = EVERY[name]().figure
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    [ax] = narrow(figure).axes
    texts = words(ax)
    assert set(rows) <= {text.get_text() for text in texts}
    assert overlaps(ax.texts) == 0
    assert not any(label.get_text() for label in ax.get_yticklabels())


def test_panels_stand_below_each_other_and_a_title_is_kept():
    figure, panels = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    for ax in panels:
        ax.plot([1, 2])
        ax.set_title("a panel")
    first, second = narrow(figure).axes
    assert first.get_position().y0 > second.get_position().y1
    assert first.get_legend().get_title().get_text() == "a panel"


def test_a_label_beside_a_line_becomes_a_number_in_a_list():
    [ax] = narrow(EVERY["ratios_by_jobs"]().figure).axes
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["b", "a"]
    assert sorted(text.get_text() for text in ax.texts if text.get_text().isdigit()) == ["1", "2"]


def test_names_right_of_the_axes_stand_apart():
    ax = plots.percentiles(pd.concat([SHARES.assign(job=f"j{k}") for k in range(9)]))
    ax.figure.draw_without_rendering()
    boxes = sorted((Text.get_window_extent(text) for text in ax.texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 4 for low, high in pairwise(boxes))
