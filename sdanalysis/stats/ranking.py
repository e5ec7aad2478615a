"""The figures of the cards in each place: which may be the best there, and what others would give.

The four tests are ranked by their model, as the boards of one question are (`boards`). Where a
place has another test its figures stand as they are: no model tells how far they are off.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sdanalysis.stats.boards import SLOT, measured_figures, predicted_figures
from sdanalysis.stats.fit import figure_errors, fit_model, own_fit
from sdanalysis.stats.noise import noise_band, widths
from sdanalysis.stats.reasons import usable
from sdanalysis.stats.same_test import MAIN_TESTS, columns, test_in_words, with_test
from sdanalysis.stats.sides import average_repeats, doubted

_BLOCK = 4096  # B, of the random tests
# The page cache gathers dd's small requests before they go out, and not every table states them.
_GATHERED = ("dd",)
_TESTS = columns("laboratory", "card", "place", "op", "test")
_FLAGS = ["predicted", "doubted", "at_least"]
_WHOLE = {"runs": "Int64", "cards": "Int64", "rank": "Int64", "may_be_best": "boolean"}


def standings(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the figure of each card in each place and test: measured, doubted or predicted.

    A place is host and reader. An op has one test there: the main one, or where nobody ran it the
    one that most cards went through (none in sequence in 4 KiB), of several the one in the largest
    blocks. Those of a slot without a main test are ranked by their repeated runs, as in
    `board_figures`; of another reader, and doubted ones, they have no rank.

    Parameters
    ----------
    measurements, media, hosts, noise : DataFrame
        As of `sdanalysis.load_data`.

    Returns
    -------
    DataFrame
        The columns of `board_figures` from `op` to `rank`, `at_least` (a prediction has no upper
        end but the slot's), `doubted`. `low` and `high` (B/s): where a further run of the card
        would end, or the interval of a prediction; neither is above the `limit`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> rows = stats.standings(data.measurements, data.media, data.hosts, data.noise)
    >>> bool((rows["high"] <= rows["limit"]).all()), int(rows["predicted"].sum())
    (True, 290)
    """
    measured, predicted = [], []
    for op in MAIN_TESTS:
        fit = fit_model(measurements, op)
        predicted.append(predicted_figures(fit, hosts, confidence))
        main = sorted({(place.host, place.reader) for place in fit.places})
        measured += [measured_figures(fit, hosts, *place, confidence) for place in main]
        for place in sorted(set(_slots(hosts)) - set(main)):
            if own := own_fit(measurements, place[0], op, place[1]):
                measured.append(measured_figures(own, hosts, *place, confidence))
    others = _others(measurements, media, hosts, noise, confidence)
    rows = pd.concat([*measured, others, *predicted], ignore_index=True)
    rows = rows.drop_duplicates(["op", *columns("place", "specimen")], ignore_index=True)
    main = {op: test_in_words(test) for op, test in MAIN_TESTS.items()}
    flags = {name: rows[name].eq(True).fillna(False) for name in _FLAGS}
    rows = rows.assign(test=rows["test"].fillna(rows["op"].map(main)), **flags)
    return rows.astype(_WHOLE)[[*measured[0].columns, "doubted"]]


def _slots(hosts: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Return the slots of the boards, with their command queue and without."""
    rows = hosts.loc[hosts["reader"].str.startswith(SLOT), columns("place")]
    return rows.itertuples(index=False, name=None)


def _others(
    measurements: pd.DataFrame,
    media: pd.DataFrame,
    hosts: pd.DataFrame,
    noise: pd.DataFrame,
    confidence: float,
) -> pd.DataFrame:
    """Return the figures of all places, the sure ones first, without any rank."""
    sides = average_repeats(_of_each_place(usable(measurements)), [*_TESTS, "doubted"])
    sides = sides.sort_values("doubted", kind="stable", ignore_index=True)
    sides = with_test(sides).merge(media[["specimen", "form"]], "left", validate="many_to_one")
    bands = noise_band(sides, noise, errors=figure_errors(measurements), confidence=confidence)
    reach = widths(bands, ((runs, 1) for runs in sides["runs"]), confidence)
    limits = hosts[[*columns("place"), "limit"]]
    rows = sides.merge(limits, on=columns("place"), validate="many_to_one")
    high = (rows["value"] * reach).clip(upper=rows["limit"])
    return rows.assign(low=rows["value"] / reach, high=high)


def _of_each_place(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of the one test that tells an op in its place.

    Random tests in 4 KiB; those in sequence in larger blocks, for 4 KiB are no large file.
    """
    sizes = figures["block_size"].mask(figures["tool"].isin(_GATHERED))
    figures = figures.assign(doubted=doubted(figures), block_size=sizes)
    random = figures["op"].isin(["randwrite", "randread"])
    small = (sizes == _BLOCK).fillna(False).astype(bool)
    figures = figures[figures["op"].isin(list(MAIN_TESTS)) & (random == small)]
    where, test = [*columns("place"), "op"], columns("test")
    cards = figures.groupby([*where, *test], dropna=False)["specimen"].nunique()
    tests = cards.rename("cards").reset_index()
    main = {op: test.tool for op, test in MAIN_TESTS.items()}
    tests = tests.assign(usual=tests["tool"] == tests["op"].map(main))
    keys = ["usual", "cards", "block_size"]
    tests = tests.sort_values(keys, ascending=False, kind="stable", na_position="first")
    chosen = tests.drop_duplicates(where)[[*where, *test]]
    return figures.merge(chosen, on=[*where, *test], validate="many_to_one")
