"""Frames -> Axes: draws what `stats` computed, computes nothing.

Each function takes a frame, draws on `ax` (a new figure where it is None) and returns the Axes.
Colours are seaborn's colour-blind safe ones, and every colour comes with a marker of its own.
"""

from sdanalysis.plots.counts import coverage, missing
from sdanalysis.plots.pairs import pair_forest, pair_slopes, paired_dots
from sdanalysis.plots.ratios import ratio_dots, ratio_forest, ratios_by_jobs, read_against_write

__all__ = [
    "coverage",
    "missing",
    "pair_forest",
    "pair_slopes",
    "paired_dots",
    "ratio_dots",
    "ratio_forest",
    "ratios_by_jobs",
    "read_against_write",
]
