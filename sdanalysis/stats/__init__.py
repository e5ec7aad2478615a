"""Comparisons: frame in, frame out; paired, on log ratios, with n and interval in each row.

The unit is the specimen: repeated runs and several process counts of one card are averaged (in
logarithms) before cards are counted. Pairs never cross a laboratory, a host, a tool, a block size
or a process count.
"""

from sdanalysis.stats.class_figures import class_exclusions, class_figures
from sdanalysis.stats.classes import VERDICTS, class_summary, class_verdicts
from sdanalysis.stats.compare import compare
from sdanalysis.stats.contrasts import contrast_exclusions, contrast_pairs, contrast_reasons
from sdanalysis.stats.counts import coverage, status_counts
from sdanalysis.stats.differences import differing_conditions, heading, not_stated
from sdanalysis.stats.groups import compare_groups, groups_beside_pairs
from sdanalysis.stats.intervals import (
    MINIMUM,
    cards_to_decide,
    geometric_interval,
    geometric_mean,
    ratio_summary,
)
from sdanalysis.stats.leave_out import influence, leave_one_out
from sdanalysis.stats.model import additive_model, model_exclusions, model_spread
from sdanalysis.stats.noise import least_detectable_ratio, noise_band, second_opinion
from sdanalysis.stats.paired import cluster_bootstrap, holm, paired_summary, sign_test
from sdanalysis.stats.printed import printed_beside_matched, recomputed
from sdanalysis.stats.published import moved_figures, namesakes
from sdanalysis.stats.ranks import fewest_runs, median_interval, ratio_interval
from sdanalysis.stats.read_write import (
    ACCESS,
    MATCH,
    exclusion_reasons,
    exclusions,
    mixed_ratios,
    read_write_pairs,
)
from sdanalysis.stats.specimens import reference_spreads, specimen_band, specimen_pairs
from sdanalysis.stats.test_columns import not_comparable, shared, telling_apart
from sdanalysis.stats.vintage import (
    EVIDENCE,
    direction_counts,
    generations,
    vintage_exclusions,
    vintage_pairs,
)

__all__ = [
    "ACCESS",
    "EVIDENCE",
    "MATCH",
    "MINIMUM",
    "VERDICTS",
    "additive_model",
    "cards_to_decide",
    "class_exclusions",
    "class_figures",
    "class_summary",
    "class_verdicts",
    "cluster_bootstrap",
    "compare",
    "compare_groups",
    "contrast_exclusions",
    "contrast_pairs",
    "contrast_reasons",
    "coverage",
    "differing_conditions",
    "direction_counts",
    "exclusion_reasons",
    "exclusions",
    "fewest_runs",
    "generations",
    "geometric_interval",
    "geometric_mean",
    "groups_beside_pairs",
    "heading",
    "holm",
    "influence",
    "least_detectable_ratio",
    "leave_one_out",
    "median_interval",
    "mixed_ratios",
    "model_exclusions",
    "model_spread",
    "moved_figures",
    "namesakes",
    "noise_band",
    "not_comparable",
    "not_stated",
    "paired_summary",
    "printed_beside_matched",
    "ratio_interval",
    "ratio_summary",
    "read_write_pairs",
    "recomputed",
    "reference_spreads",
    "second_opinion",
    "shared",
    "sign_test",
    "specimen_band",
    "specimen_pairs",
    "status_counts",
    "telling_apart",
    "vintage_exclusions",
    "vintage_pairs",
]
