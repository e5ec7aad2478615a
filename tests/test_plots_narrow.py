"""A figure is laid out anew for a phone: nothing is lost, nothing overlaps, letters stay large."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text
from test_marks import close_figures, example, marks, tables_read_once  # noqa: F401 - fixtures of pytest
from test_plots import overlaps

from sdanalysis import plots
from sdanalysis.plots.narrow import narrow
from sdanalysis.plots.svg import fit

PX = 96  # in an inch


def words(figure):
    figure.canvas.draw()
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.get_window_extent().width > 0
    ]


@pytest.mark.parametrize("name", plots.__all__)
def test_every_plot_fits_a_phone_with_all_of_its_marks_and_letters_that_can_be_read(name):
    figure = example(name)
    before = marks(figure)
    narrow(figure)
    assert marks(figure) == before
    assert fit(figure, dpi=PX).width * PX <= 364  # a page of 390 px has 356
    assert min(text.get_fontsize() for text in words(figure)) / 72 * PX >= 11


@pytest.mark.parametrize("name", ["ratio_dots", "speed_bars", "host_effects", "standing"])
def test_the_name_of_a_row_stands_above_its_mark_and_lies_on_no_other_text(name):
    figure = example(name)
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    [ax] = narrow(figure).axes
    figure.canvas.draw()
    texts = [text for text in ax.texts if text.get_text()]
    assert sum(text.get_text().split()[0] == row.split()[0] for text in texts for row in rows)
    assert overlaps([Text.get_window_extent(text) for text in texts]) == 0
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
    [ax] = narrow(example("ratios_by_jobs")).axes
    listed = [text.get_text() for text in ax.get_legend().get_texts()]
    numbers = [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    assert len(listed) == len(numbers) == 3
