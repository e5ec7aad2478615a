"""Frames -> Axes: draws what `stats` computed, computes nothing.

Each function takes a frame, draws on `ax` (a new figure where it is None) and returns the Axes.
Colours are seaborn's colour-blind safe ones, and every colour comes with a marker of its own.
A figure leaves a notebook through `show(figure, alt=..., data=...)` of `sdanalysis.plots.show`: as
a picture with its words, and with the numbers that were drawn.
"""

from sdanalysis.plots.bars import speed_bars
from sdanalysis.plots.claims import found_against_stated, outcomes
from sdanalysis.plots.classes import rated_dots, verdict_matrix
from sdanalysis.plots.counts import coverage, missing
from sdanalysis.plots.effects import gain_curves, host_effects
from sdanalysis.plots.hosts import bus_roofline, heat_table
from sdanalysis.plots.over_time import over_time
from sdanalysis.plots.pairs import pair_forest, pair_slopes
from sdanalysis.plots.percentiles import percentiles
from sdanalysis.plots.ratios import ratio_dots, ratio_forest, ratios_by_jobs, read_against_write
from sdanalysis.plots.standing import standing

__all__ = [
    "bus_roofline", "coverage", "found_against_stated", "gain_curves", "heat_table",
    "host_effects", "missing",
    "outcomes", "over_time", "pair_forest", "pair_slopes", "percentiles", "rated_dots",
    "ratio_dots", "ratio_forest", "ratios_by_jobs", "read_against_write", "speed_bars",
    "standing", "verdict_matrix",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
