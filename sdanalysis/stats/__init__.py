"""Comparisons: frame in, frame out; on log ratios, over cards, with n and interval in each row.

**Start here**: `read_write_pairs` and `contrast_pairs` make pairs of figures that may be compared,
`paired_summary` and `ratio_summary` say what they show, `in_words` says it in a sentence, and
`count_reasons` lists what was left out. For two sets of logs or tables it is `compare`.

- How much faster do cards read than they write? `read_write_pairs`, `read_write_reasons`,
  `mixed_ratios`, `printed_beside_matched`, `recomputed`
- What does one change of host or reader do? `contrast_pairs`, `contrast_reasons`,
  `additive_model`, `model_spread`, `model_reasons`
- Does a newer card of the same name differ? `vintage_pairs`, `vintage_reasons`, `generations`,
  `direction_counts`
- Does a card keep what its class promises? `class_verdicts`, `class_summary`, `class_figures`,
  `class_reasons`
- What do many ratios show together? `ratio_summary`, `paired_summary`, `compare_groups`,
  `groups_beside_pairs`, `holm`, `in_words`
- Does the answer hang on one card, and how many more would settle it? `leave_one_out`,
  `most_influential`, `cards_to_decide`, `fewest_runs`, `least_detectable_ratio`
- Is a difference more than noise? `noise_band`, `second_opinion`, `specimen_pairs`,
  `specimen_band`, `reference_spreads`
- Do two sets of results differ? `compare`, `test_columns`, `on_both_sides`, `not_comparable`,
  `differing_conditions`, `not_stated`
- What is in the table, and what may be compared? `coverage`, `status_counts`, `usable`,
  `count_reasons`, `with_test`, `namesakes`, `moved_figures`
- What is computed from the figures of a sample? `geometric_mean`, `geometric_interval`,
  `median_interval`, `hodges_lehmann`
"""

from sdanalysis.stats.classes import (
    VERDICTS,
    class_figures,
    class_reasons,
    class_summary,
    class_verdicts,
)
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
    holm,
    in_words,
    paired_summary,
    ratio_summary,
)
from sdanalysis.stats.leave_out import leave_one_out, most_influential
from sdanalysis.stats.model import additive_model, model_reasons, model_spread
from sdanalysis.stats.noise import least_detectable_ratio, noise_band, second_opinion
from sdanalysis.stats.published import (
    moved_figures,
    namesakes,
    printed_beside_matched,
    recomputed,
)
from sdanalysis.stats.ranks import RatioEstimate, fewest_runs, hodges_lehmann, median_interval
from sdanalysis.stats.read_write import mixed_ratios, read_write_pairs, read_write_reasons
from sdanalysis.stats.reasons import Reason, count_reasons, usable
from sdanalysis.stats.same_test import with_test
from sdanalysis.stats.specimens import reference_spreads, specimen_band, specimen_pairs
from sdanalysis.stats.test_columns import not_comparable, on_both_sides, test_columns
from sdanalysis.stats.vintage import (
    EVIDENCE,
    direction_counts,
    generations,
    vintage_pairs,
    vintage_reasons,
)

__all__ = ["EVIDENCE", "MINIMUM", "VERDICTS", "RatioEstimate", "Reason", "additive_model"]
__all__ += ["cards_to_decide", "class_figures", "class_reasons", "class_summary"]
__all__ += ["class_verdicts", "compare", "compare_groups", "contrast_pairs", "contrast_reasons"]
__all__ += ["count_reasons", "coverage", "differing_conditions", "direction_counts"]
__all__ += ["fewest_runs", "generations", "geometric_interval", "geometric_mean"]
__all__ += ["groups_beside_pairs", "hodges_lehmann", "holm", "in_words", "least_detectable_ratio"]
__all__ += ["leave_one_out", "median_interval", "mixed_ratios", "model_reasons", "model_spread"]
__all__ += ["most_influential", "moved_figures", "namesakes", "noise_band", "not_comparable"]
__all__ += ["not_stated", "on_both_sides", "paired_summary", "printed_beside_matched"]
__all__ += ["ratio_summary", "read_write_pairs", "read_write_reasons", "recomputed"]
__all__ += ["reference_spreads", "second_opinion", "specimen_band", "specimen_pairs"]
__all__ += ["status_counts", "test_columns", "usable", "vintage_pairs", "vintage_reasons"]
__all__ += ["with_test"]
