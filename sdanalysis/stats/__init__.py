"""Comparisons: frame in, frame out; on log ratios, over cards, with n and interval in each row."""

from sdanalysis.stats.class_figures import class_figures, class_reasons
from sdanalysis.stats.classes import VERDICTS, class_summary, class_verdicts
from sdanalysis.stats.compare import compare
from sdanalysis.stats.contrasts import contrast_pairs, contrast_reasons
from sdanalysis.stats.counts import coverage, status_counts
from sdanalysis.stats.differences import differing_conditions, not_stated
from sdanalysis.stats.groups import compare_groups, groups_beside_pairs
from sdanalysis.stats.intervals import (
    MINIMUM,
    cards_to_decide,
    geometric_interval,
    geometric_mean,
    in_words,
    ratio_summary,
)
from sdanalysis.stats.leave_out import leave_one_out, most_influential
from sdanalysis.stats.model import additive_model, model_reasons, model_spread
from sdanalysis.stats.noise import least_detectable_ratio, noise_band, second_opinion
from sdanalysis.stats.paired import holm, paired_summary
from sdanalysis.stats.printed import printed_beside_matched, recomputed
from sdanalysis.stats.published import moved_figures, namesakes
from sdanalysis.stats.ranks import RatioEstimate, fewest_runs, hodges_lehmann, median_interval
from sdanalysis.stats.read_write import mixed_ratios, read_write_pairs, read_write_reasons
from sdanalysis.stats.reasons import Reason, count_reasons, usable
from sdanalysis.stats.specimens import reference_spreads, specimen_band, specimen_pairs
from sdanalysis.stats.test_columns import not_comparable, on_both_sides, test_columns
from sdanalysis.stats.vintage import (
    EVIDENCE,
    direction_counts,
    generations,
    vintage_pairs,
    vintage_reasons,
)

__all__ = [
    "EVIDENCE",
    "MINIMUM",
    "VERDICTS",
    "RatioEstimate",
    "Reason",
    "additive_model",
    "cards_to_decide",
    "class_figures",
    "class_reasons",
    "class_summary",
    "class_verdicts",
    "compare",
    "compare_groups",
    "contrast_pairs",
    "contrast_reasons",
    "count_reasons",
    "coverage",
    "differing_conditions",
    "direction_counts",
    "fewest_runs",
    "generations",
    "geometric_interval",
    "geometric_mean",
    "groups_beside_pairs",
    "hodges_lehmann",
    "holm",
    "in_words",
    "least_detectable_ratio",
    "leave_one_out",
    "median_interval",
    "mixed_ratios",
    "model_reasons",
    "model_spread",
    "most_influential",
    "moved_figures",
    "namesakes",
    "noise_band",
    "not_comparable",
    "not_stated",
    "on_both_sides",
    "paired_summary",
    "printed_beside_matched",
    "ratio_summary",
    "read_write_pairs",
    "read_write_reasons",
    "recomputed",
    "reference_spreads",
    "second_opinion",
    "specimen_band",
    "specimen_pairs",
    "status_counts",
    "test_columns",
    "usable",
    "vintage_pairs",
    "vintage_reasons",
]
