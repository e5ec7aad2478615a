"""Comparisons: frame in, frame out; on log ratios, over cards, with n and interval in each row.

**Start here**: `read_write_pairs` and `contrast_pairs` make pairs of figures that may be compared,
`paired_summary` says what they show, `in_words` says it in a sentence, and
`count_reasons` lists what was left out. For two sets of logs or tables it is `compare`.

- How much faster do cards read than they write? `read_write_pairs`, `card_ratios`,
  `read_write_in_words`, `read_write_band`, `common_card_ratios`, `read_write_reasons`,
  `mixed_ratios`, `printed_beside_matched`
- What does one change of host or reader do? `contrast_pairs`, `contrast_in_short`,
  `contrast_in_words`, `contrast_reasons`, `gains_by_size`, `gains_in_words`, `host_gains`,
  `host_gains_in_words`, `gain_curves`, `gains_by_card`
- What adds up to a figure, and how sure is that? `model_figures`, `fit_model`, `fit_figures`,
  `figure_errors`
- What does a place change, which cards lead, what would a card do elsewhere? `place_ratios`,
  `specimen_ratio`, `may_be_best`, `prediction`, `predictions`
- What has a buyer of the name to expect? `product_spread`,
  `product_ratio`, `name_spread_in_words`, `reference_spreads`
- Is the model right? `left_out`, `score`, `score_text`, `tukey`, `people_by_place`,
  `speed_correlations`
- Is it the bus that was measured? `host_limits`, `bus_in_words`
- Does a newer card of the same name differ? `vintage_pairs`, `vintage_products`,
  `vintage_reasons`, `generations`, `vintage_in_words`
- Does a card keep what its class promises? `class_verdicts`, `class_summary`, `class_figures`,
  `class_reasons`, `class_cells`, `classes_in_words`, `rated_in_words`
- What do many ratios show together? `paired_summary`, `compare_groups`,
  `groups_beside_pairs`, `holm`, `in_words`
- Does the answer hang on one card? `most_influential`
- Which card for a board? `buyer_case`, `advice`, `advice_facts`, `advice_in_short`,
  `shown_figures`, `board_table`, `standings`
- How many runs does it take? `runs_to_tell`, `runs_needed`, `runs_in_words`
- Is a difference more than noise? `noise_band`, `repeat_spreads`, `repeats_outside`,
  `second_opinion`
- Where does a run change its level? `levels`, `levels_in_words`
- Do sets of results differ? `compare`, `compare_last`, `mean_over_tests`, `test_columns`,
  `on_both_sides`, `not_comparable`, `differing_conditions`, `not_stated`
- What is in the table, and what may be compared? `coverage`, `cards_in_several_places`,
  `missing_cells`, `usable`, `doubted`, `count_reasons`, `with_test`, `namesakes`,
  `moved_figures`
- What do card owners call it? `card_names`, `specimen_names`, `with_names`, `people_name`,
  `place_names`, `plainly`, `briefly`, `in_two_digits`, `counted`
- What is computed from the figures of a sample? `geometric_mean`, `geometric_interval`
"""

from sdanalysis.codebook.people import people_name
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.advice import (
    advice,
    advice_facts,
    advice_in_short,
    board_table,
    shown_figures,
)
from sdanalysis.stats.boards import USES, buyer_case, standings
from sdanalysis.stats.classes import (
    VERDICTS,
    class_cells,
    class_figures,
    class_reasons,
    class_summary,
    class_verdicts,
    classes_in_words,
    rated_in_words,
)
from sdanalysis.stats.compare import compare, compare_last, mean_over_tests
from sdanalysis.stats.contrasts import (
    contrast_in_short,
    contrast_in_words,
    contrast_pairs,
    contrast_reasons,
    gains_by_size,
    gains_in_words,
)
from sdanalysis.stats.effects import (
    left_out,
    may_be_best,
    people_by_place,
    place_ratios,
    prediction,
    predictions,
    score,
    score_text,
    specimen_ratio,
    speed_correlations,
    tukey,
)
from sdanalysis.stats.fit import Place, figure_errors, fit_figures, fit_model, model_figures
from sdanalysis.stats.hosts import (
    bus_in_words,
    gain_curves,
    gains_by_card,
    host_gains,
    host_gains_in_words,
    host_limits,
)
from sdanalysis.stats.intervals import (
    MINIMUM,
    compare_groups,
    geometric_interval,
    geometric_mean,
    groups_beside_pairs,
    holm,
    in_words,
    most_influential,
    paired_summary,
)
from sdanalysis.stats.levels import levels, levels_in_words
from sdanalysis.stats.names import (
    briefly,
    card_names,
    place_names,
    plainly,
    specimen_names,
    with_names,
)
from sdanalysis.stats.noise import (
    noise_band,
    repeat_spreads,
    repeats_outside,
    runs_in_words,
    runs_needed,
    runs_to_tell,
    second_opinion,
)
from sdanalysis.stats.products import (
    name_spread_in_words,
    product_ratio,
    product_spread,
    reference_spreads,
)
from sdanalysis.stats.published import (
    cards_in_several_places,
    coverage,
    missing_cells,
    moved_figures,
    namesakes,
    printed_beside_matched,
)
from sdanalysis.stats.read_write import (
    card_ratios,
    common_card_ratios,
    mixed_ratios,
    read_write_band,
    read_write_in_words,
    read_write_pairs,
    read_write_reasons,
)
from sdanalysis.stats.reasons import count_reasons, doubted, usable
from sdanalysis.stats.same_test import MAIN_TESTS, with_test
from sdanalysis.stats.test_columns import (
    differing_conditions,
    not_comparable,
    not_stated,
    on_both_sides,
    test_columns,
)
from sdanalysis.stats.vintage import (
    generations,
    vintage_in_words,
    vintage_pairs,
    vintage_products,
    vintage_reasons,
)

__all__ = [
    "MAIN_TESTS", "MINIMUM", "USES", "VERDICTS", "Place", "advice", "advice_facts",
    "advice_in_short", "board_table", "briefly", "bus_in_words", "buyer_case",
    "card_names", "card_ratios", "cards_in_several_places", "class_cells", "class_figures",
    "class_reasons", "class_summary", "class_verdicts", "classes_in_words", "common_card_ratios",
    "compare", "compare_groups", "compare_last", "contrast_in_short", "contrast_in_words",
    "contrast_pairs", "contrast_reasons", "count_reasons", "counted", "coverage",
    "differing_conditions", "doubted", "figure_errors", "fit_figures", "fit_model", "gain_curves",
    "gains_by_card", "gains_by_size", "gains_in_words", "generations", "geometric_interval",
    "geometric_mean", "groups_beside_pairs", "holm", "host_gains", "host_gains_in_words",
    "host_limits", "in_two_digits", "in_words",
    "left_out", "levels", "levels_in_words", "may_be_best", "mean_over_tests", "missing_cells",
    "mixed_ratios", "model_figures", "most_influential", "moved_figures", "name_spread_in_words",
    "namesakes", "noise_band", "not_comparable", "not_stated", "on_both_sides",
    "paired_summary", "people_by_place", "people_name", "place_names", "place_ratios", "plainly",
    "prediction", "predictions", "printed_beside_matched", "product_ratio",
    "product_spread", "rated_in_words", "read_write_band", "read_write_in_words",
    "read_write_pairs", "read_write_reasons", "reference_spreads", "repeat_spreads",
    "repeats_outside", "runs_in_words", "runs_needed", "runs_to_tell", "score", "score_text",
    "second_opinion", "shown_figures", "specimen_names", "specimen_ratio", "speed_correlations",
    "standings", "test_columns", "tukey", "usable", "vintage_in_words", "vintage_pairs",
    "vintage_products", "vintage_reasons", "with_names", "with_test",
]  # fmt: skip


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
