"""Comparisons: frame in, frame out; on log ratios, over cards, with n and interval in each row.

**Start here**: `read_write_pairs` and `contrast_pairs` make pairs of figures that may be compared,
`paired_summary` and `ratio_summary` say what they show, `in_words` says it in a sentence, and
`count_reasons` lists what was left out. For two sets of logs or tables it is `compare`.

- How much faster do cards read than they write? `read_write_pairs`, `read_write_reasons`,
  `mixed_ratios`, `printed_beside_matched`
- What does one change of host or reader do? `contrast_pairs`, `contrast_reasons`,
  `additive_model`, `model_spread`, `model_reasons`
- Does a newer card of the same name differ? `vintage_pairs`, `vintage_reasons`, `generations`,
  `card_pairs`, `direction_counts`, `pair_in_words`, `direction_in_words`, `yardstick_in_words`
- Does a card keep what its class promises? `class_verdicts`, `class_summary`, `class_figures`,
  `class_reasons`
- What do many ratios show together? `ratio_summary`, `paired_summary`, `compare_groups`,
  `groups_beside_pairs`, `holm`, `in_words`
- Does the answer hang on one card? `leave_one_out`, `most_influential`
- Which card for a computer? `ranking`, `which_card`, `with_names`, `bus_shares`, `size_pairs`
- Is a difference more than noise? `noise_band`, `repeat_spreads`, `repeats_outside`,
  `second_opinion`, `specimen_pairs`, `reference_spreads`, `specimens_outside`
- Do two sets of results differ? `compare`, `test_columns`, `on_both_sides`, `not_comparable`,
  `differing_conditions`, `not_stated`
- What is in the table, and what may be compared? `coverage`, `status_counts`, `usable`,
  `count_reasons`, `of_test`, `with_test`, `namesakes`, `moved_figures`
- What do card owners call it? `card_names`, `specimen_names`, `place_names`, `plainly`,
  `counted`
- What is computed from the figures of a sample? `geometric_mean`, `geometric_interval`
"""

from sdanalysis.stats.choice import which_card, with_names
from sdanalysis.stats.classes import (
    VERDICTS,
    class_figures,
    class_reasons,
    class_summary,
    class_verdicts,
)
from sdanalysis.stats.compare import compare
from sdanalysis.stats.contrasts import contrast_pairs, contrast_reasons
from sdanalysis.stats.groups import compare_groups, groups_beside_pairs
from sdanalysis.stats.intervals import (
    MINIMUM,
    geometric_interval,
    geometric_mean,
    holm,
    in_words,
    leave_one_out,
    most_influential,
    paired_summary,
    ratio_summary,
)
from sdanalysis.stats.model import additive_model, model_reasons, model_spread
from sdanalysis.stats.names import (
    card_names,
    counted,
    place_names,
    plainly,
    specimen_names,
)
from sdanalysis.stats.noise import noise_band, second_opinion
from sdanalysis.stats.published import (
    coverage,
    moved_figures,
    namesakes,
    printed_beside_matched,
    status_counts,
)
from sdanalysis.stats.ranking import TOOLS, USES, bus_shares, ranking, size_pairs
from sdanalysis.stats.read_write import mixed_ratios, read_write_pairs, read_write_reasons
from sdanalysis.stats.reasons import count_reasons, usable
from sdanalysis.stats.repeats import repeat_spreads, repeats_outside
from sdanalysis.stats.same_test import of_test, with_test
from sdanalysis.stats.specimens import reference_spreads, specimen_pairs, specimens_outside
from sdanalysis.stats.test_columns import (
    differing_conditions,
    not_comparable,
    not_stated,
    on_both_sides,
    test_columns,
)
from sdanalysis.stats.vintage import (
    card_pairs,
    direction_counts,
    direction_in_words,
    generations,
    pair_in_words,
    vintage_pairs,
    vintage_reasons,
    yardstick_in_words,
)

__all__ = ["MINIMUM", "VERDICTS", "additive_model", "card_names", "card_pairs"]
__all__ += ["class_figures", "class_reasons", "direction_in_words", "of_test", "pair_in_words"]
__all__ += ["counted", "place_names", "plainly", "specimen_names", "yardstick_in_words"]
__all__ += ["class_summary", "class_verdicts", "compare", "compare_groups", "contrast_pairs"]
__all__ += ["contrast_reasons", "count_reasons", "coverage", "differing_conditions"]
__all__ += ["direction_counts", "generations", "geometric_interval", "geometric_mean"]
__all__ += ["groups_beside_pairs", "holm", "in_words", "leave_one_out", "mixed_ratios"]
__all__ += ["model_reasons", "model_spread", "most_influential", "moved_figures", "namesakes"]
__all__ += ["noise_band", "not_comparable", "not_stated", "on_both_sides", "paired_summary"]
__all__ += ["printed_beside_matched", "ratio_summary", "read_write_pairs", "read_write_reasons"]
__all__ += [
    "reference_spreads",
    "repeat_spreads",
    "repeats_outside",
    "second_opinion",
    "specimen_pairs",
    "specimens_outside",
    "status_counts",
]
__all__ += ["TOOLS", "USES", "bus_shares", "ranking", "size_pairs", "which_card", "with_names"]
__all__ += ["test_columns", "usable", "vintage_pairs", "vintage_reasons", "with_test"]
