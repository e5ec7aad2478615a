"""Frames -> Axes: draws what `stats` computed, computes nothing.

Each function takes a frame, draws on `ax` (a new figure where it is None) and returns the Axes.
The colours are those of the pages (`sdanalysis.palette`), and every one comes with a marker or a
word of its own. A figure leaves a notebook through `show(figure, alt=..., data=...)` of
`sdanalysis.plots.show`: as a picture with its words, and with what its marks say.
"""

from sdanalysis.plots.bars import missing, outcomes, speed_bars
from sdanalysis.plots.cells import coverage, heat_table, verdict_matrix
from sdanalysis.plots.dots import bus_roofline, rated_dots, read_against_write, standing
from sdanalysis.plots.forests import found_against_stated, host_effects, ratio_dots, ratio_forest
from sdanalysis.plots.lines import gain_curves, over_time, percentiles, ratios_by_jobs
from sdanalysis.plots.pairs import pair_forest, pair_slopes

__all__ = [
    "bus_roofline", "coverage", "found_against_stated", "gain_curves", "heat_table",
    "host_effects", "missing", "outcomes", "over_time", "pair_forest", "pair_slopes",
    "percentiles", "rated_dots", "ratio_dots", "ratio_forest", "ratios_by_jobs",
    "read_against_write", "speed_bars", "standing", "verdict_matrix",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
