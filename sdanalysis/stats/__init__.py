"""Comparisons: frame in, frame out; paired, on log ratios, with n and interval in each row.

The unit is the specimen: repeated runs and several process counts of one card are averaged (in
logarithms) before cards are counted. Pairs never cross a laboratory, a host, a tool, a block size
or a process count.
"""

from sdanalysis.stats.counts import coverage, status_counts
from sdanalysis.stats.intervals import (
    MINIMUM,
    cards_to_decide,
    geometric_interval,
    geometric_mean,
    ratio_summary,
)
from sdanalysis.stats.noise import least_detectable_ratio, noise_band
from sdanalysis.stats.pairs import (
    ACCESS,
    MATCH,
    exclusion_reasons,
    exclusions,
    mixed_ratios,
    read_write_pairs,
)
from sdanalysis.stats.printed import printed_beside_matched, recomputed

__all__ = [
    "ACCESS",
    "MATCH",
    "MINIMUM",
    "cards_to_decide",
    "coverage",
    "exclusion_reasons",
    "exclusions",
    "geometric_interval",
    "geometric_mean",
    "least_detectable_ratio",
    "mixed_ratios",
    "noise_band",
    "printed_beside_matched",
    "ratio_summary",
    "read_write_pairs",
    "recomputed",
    "status_counts",
]
