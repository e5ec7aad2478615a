"""What a repeated run alone may change, and how many runs it takes to tell a difference from that.

A test's variance (of the natural logarithm of one run) is the mean of its cards' variances. That of
its kind, all reads or all writes, counts as one more card: two cards differ in noise as much as two
tests do. So one steady card is not taken at its word. The degrees of freedom count cards and not
runs, for the same reason. Both choices were checked on repeats that had no part in the yardstick
(`repeats_outside`).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import NormalDist, fmean
from typing import Any

import numpy as np
import pandas as pd

from sdanalysis.errors import require
from sdanalysis.stats.intervals import fewest_runs, t_quantile
from sdanalysis.stats.names import listed, plainly
from sdanalysis.stats.same_test import READS, WRITES, columns, group_numbers, with_test

# Kinds of a band: of the very test's repeats, of its kind's alone, of the model's error.
OWN, BOUND, MODEL = "own", "bound", "model"
_MEDIA = {"USB stick": "USB medium", "SSD": "SSD"}  # forms with a yardstick of their own
_PLURALS = {"SD card": "SD cards", "USB medium": "USB media", "SSD": "SSDs"}
CARD = "SD card"  # that of all other forms, and of figures whose form is not given
_NAMES = columns("tool", "op", "block_size")
_TEST = columns("tool", "op", "metric", "block_size")
_SERIES = columns("laboratory", "card", "place", "quantity", "test", "size")
DIFFERENCE, POWER = 0.1, 0.8


def least_detectable_ratio(
    sd_log: float, freedom: Any, *, runs: tuple[float, float], confidence: float = 0.95
) -> float:
    """Return the least ratio above 1 that two results show if run noise is all there is.

    Its inverse is the other end of the band; nan where the noise is not known. `sd_log` is that of
    the natural logarithm of one run, with its degrees of freedom; `runs` are behind the two results
    (infinite: a figure without noise).
    """
    if pd.isna(sd_log):
        return math.nan
    spread = sd_log * math.sqrt(1 / runs[0] + 1 / runs[1])
    return math.exp(t_quantile(confidence, freedom) * spread)


def noise_band(
    tests: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    errors: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return, for each test, the band that the ratio of two single runs may fill by noise alone.

    `tests` have `tool`, `op`, `block_size` (B) and, where it is known, the `form` of the medium:
    USB sticks and SSDs have yardsticks of their own. `noise` is that of `sdanalysis.load_data`: a
    row a specimen and test that was repeated. `errors`, as of `figure_errors`, stand before the
    repeats of cards. A test that nobody repeated has the spread of its kind, with one degree of
    freedom. An op that neither reads nor writes the medium has none.

    Returns, indexed as `tests`, `noise_sd` (of the natural logarithm of one run), `noise_freedom`,
    `noise_band` (a factor above 1: ratios between its inverse and it are no finding), `noise_kind`
    (`own`, `bound` or `model`) and `noise_basis` (words); missing where nothing is known.
    """
    keys = [*_NAMES, *(["form"] if "form" in tests else [])]
    group = group_numbers(tests, keys)  # a table has few tests and many figures
    _, begins = np.unique(group, return_index=True)
    spreads = list(noise[["medium", "specimen", *_NAMES, "sd_log"]].itertuples(index=False))
    models = [] if errors is None else list(errors.itertuples())
    known = tests[keys].iloc[begins].itertuples()
    rows = [_band(spreads, models, test) for test in known]
    names = ["noise_sd", "noise_freedom", "noise_kind", "noise_basis"]
    found = pd.DataFrame(rows, columns=names).iloc[group].set_axis(tests.index)
    band = widths(found, [(1, 1)] * len(found), confidence)
    found.insert(2, "noise_band", band)
    return found


def _band(spreads: Sequence[Any], models: Sequence[Any], test: Any) -> tuple[object, ...]:
    """Return the spread of one run of a test, its freedom, kind and basis."""
    medium = medium_kind(getattr(test, "form", None))
    for model in models if medium == CARD else ():
        if _same_test(model, test):
            basis = f"the model's error, {model.noise_freedom} degrees of freedom"
            return model.noise_sd, model.noise_freedom, MODEL, basis
    family = next((ops for ops in (READS, WRITES) if test.op in ops), ())
    cards = [spread for spread in spreads if spread.medium == medium and spread.op in family]
    if not cards:
        return math.nan, pd.NA, pd.NA, pd.NA
    own = _variances(spread for spread in cards if _same_test(spread, test))
    every = _variances(cards)
    sd = math.sqrt((sum(own) + fmean(every)) / (len(own) + 1))
    count = len(own or every)
    of_count = f"{count} {medium if count == 1 else _PLURALS[medium]}"
    all_of = f"all {'reads' if family is READS else 'writes'}"
    if own:
        return sd, len(own), OWN, f"repeats of {of_count}, and {all_of}"
    return sd, 1, BOUND, f"bound: this test was not repeated; {all_of} of {of_count}"


def medium_kind(form: str | None) -> str:
    """Return which yardstick the form of a medium has; one that is not given is an SD card's."""
    return CARD if pd.isna(form) else _MEDIA.get(form, CARD)


def _same_test(spread: Any, test: Any) -> bool:
    """Tell whether a spread is of a test; a block size that one lacks parts them not."""
    sizes = spread.block_size, test.block_size
    same = (spread.tool, spread.op) == (test.tool, test.op)
    return same and (any(map(pd.isna, sizes)) or sizes[0] == sizes[1])


def _variances(spreads: Iterable[Any]) -> list[float]:
    """Return the variance of each specimen, the mean over its tests."""
    found = defaultdict(list)
    for spread in spreads:
        found[spread.specimen].append(spread.sd_log**2)
    return [fmean(variances) for variances in found.values()]


def widths(
    bands: pd.DataFrame, runs: Iterable[tuple[float, float]], confidence: float
) -> pd.Series:
    """Return the width of each band of `noise_band` for the runs behind the two results."""
    found = [
        least_detectable_ratio(sd, freedom, runs=counts, confidence=confidence)
        for sd, freedom, counts in zip(bands["noise_sd"], bands["noise_freedom"], runs, strict=True)
    ]
    return pd.Series(found, index=bands.index, dtype="float64")


def second_opinion(
    compared: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Say what run noise measured elsewhere tells of tests that had one run on a side.

    No verdict: the spread is that of other cards, and only of repeated runs. Returns the tests of
    `compared` without interval, with one run on a side, whose noise is known, with the columns of
    `noise_band` (for that many runs) and `opinion`: `within` or `beyond` that noise.
    """
    single = (compared["unit"] == "run") & (compared[["base_n", "new_n"]].min(axis=1) == 1)
    equal = np.isclose(compared["ratio"], 1, rtol=1e-12, atol=0)
    tests = compared[single & compared["low"].isna() & ~equal]
    found = tests.join(noise_band(tests, noise, confidence=confidence)).dropna(subset="noise_band")
    runs = zip(found["base_n"], found["new_n"], strict=True)
    found = found.assign(noise_band=widths(found, runs, confidence))
    beyond = np.maximum(found["ratio"], 1 / found["ratio"]) > found["noise_band"]
    return found.assign(opinion=beyond.map({True: "beyond", False: "within"}))


def repeat_spreads(figures: pd.DataFrame) -> pd.DataFrame:
    """Return how far the runs of one specimen differ in one test, wherever there are several.

    `figures` has one row a run: `specimen`, `tool`, `op`, `metric`, `block_size`, `run`, `value`,
    and any other columns that make a test. Returns one row a specimen and test: `specimen`, `tool`,
    `op`, `metric`, `block_size`, `runs`, `minimum`, `median`, `maximum`, `sd_log` (of the natural
    logarithms).
    """
    runs = _repeated(figures)
    values = runs.assign(log=np.log(runs["value"])).groupby(["series", *_TEST], dropna=False)
    names = ("minimum", "min"), ("median", "median"), ("maximum", "max"), ("runs", "size")
    spreads = values.agg(
        specimen=("specimen", "first"),
        sd_log=("log", "std"),
        **{name: ("value", function) for name, function in names},
    ).reset_index()
    return spreads[["specimen", *_TEST, "runs", "minimum", "median", "maximum", "sd_log"]]


def repeats_outside(
    figures: pd.DataFrame,
    noise: pd.DataFrame,
    *,
    without_own: bool = True,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Count the pairs of real repeats whose ratio the yardstick would call more than run noise.

    About 1 - `confidence` of the pairs should be. A card that helped to make the yardstick says
    less of it than one that did not: `without_own` leaves the repeats of the judged card out.
    Returns one row a test: `tool`, `op`, `block_size`, `noise_band` (the widest of those that
    judged), `pairs`, `outside`.
    """
    runs = _repeated(figures)
    rows = []
    for card, own in runs.groupby("specimen"):
        others = noise[noise["specimen"] != card] if without_own else noise
        series = own.drop_duplicates("series")
        bands = noise_band(series, others, confidence=confidence)["noise_band"]
        for test, band in zip(series.itertuples(), bands, strict=True):
            values = own.loc[own["series"] == test.series, "value"]
            logs = [abs(math.log(value / other)) for value, other in combinations(values, 2)]
            outside = sum(log > math.log(band) for log in logs)
            rows.append([*(getattr(test, name) for name in _NAMES), band, len(logs), outside])
    table = pd.DataFrame(rows, columns=[*_NAMES, "noise_band", "pairs", "outside"])
    known = table.dropna(subset="noise_band").groupby(_NAMES, dropna=False)
    return known.agg({"noise_band": "max", "pairs": "sum", "outside": "sum"}).reset_index()


def _repeated(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of tests that one specimen went through more than once, by `series`."""
    require(figures, ["specimen", *_TEST, "run", "value"])
    same = [name for name in _SERIES if name in figures]
    series = figures.groupby(same, dropna=False, sort=False)
    return figures.assign(series=series.ngroup())[series["run"].transform("nunique") > 1]


def runs_to_tell(sd_log: float, difference: float = DIFFERENCE) -> int:
    """Return how many runs on each side tell two results apart that differ by a share.

    With so many the two-sided Mann-Whitney test of `compare` finds the difference four times in
    five, at 95 %. Runs spread by `sd_log` (standard deviation of the natural logarithms). The
    normal approximation has the efficiency of ranks (pi / 3 as many runs as Student's t) and a
    correction for few runs. The result is never below the fewest runs with which ranks can differ.
    """
    normal = NormalDist()
    sure = normal.inv_cdf(0.975)
    share = (sure + normal.inv_cdf(POWER)) * sd_log / math.log1p(difference)
    return max(math.ceil(2 * share**2 * math.pi / 3 + sure**2 / 2), fewest_runs())


def runs_needed(rows: pd.DataFrame, noise: pd.DataFrame) -> pd.DataFrame:
    """Return, for each test of one card, how many runs tell a difference of 10 %.

    `rows` are logs of one card, as of `sdanalysis.parse`; `noise` the repeats of other cards, as of
    `sdanalysis.load_data`. Returns one row a test with bandwidths of two runs or more: the columns
    that make a test, `test` in words, `runs`, `sd_log` of these, `needed` by them. The repeats of
    all known cards give `needed_elsewhere` (missing where there are none).
    """
    whole = rows[(rows["metric"] == "bandwidth") & (rows["status"] == "measured")]
    keys = columns("quantity", "test", "cache", "size")
    logs = whole.assign(log=np.log(whole["value"])).groupby(keys, dropna=False, sort=False)
    spreads = logs.agg(runs=("repeat", "nunique"), sd_log=("log", "std")).reset_index()
    tests = with_test(spreads[spreads["runs"] > 1].reset_index(drop=True))
    known = {"needed": tests["sd_log"], "needed_elsewhere": noise_band(tests, noise)["noise_sd"]}
    for name, spread in known.items():
        needed = [None if pd.isna(sd) else runs_to_tell(sd) for sd in spread]
        tests[name] = pd.array(needed, "Int64")
    return tests


def runs_in_words(needed: pd.DataFrame, runs: int) -> tuple[str, ...]:
    """Say what so many runs of a card can decide: sentences, from `runs_needed`.

    Examples
    --------
    >>> import pandas as pd
    >>> found = pd.DataFrame({"op": ["randwrite", "randread"], "needed": [10, 4]})
    >>> for sentence in runs_in_words(found, 5):
    ...     print(sentence)
    5 runs here and 5 of another card or setting tell a difference of 10 % in reading small blocks.
    In writing small blocks it takes 10 runs on each side, as far as these runs differ.
    """
    least = fewest_runs()
    if runs < least:
        few = "One run decides" if runs == 1 else f"{runs} runs on each side decide"
        return (f"{few} nothing: below {least} no order of the results is rare.",)
    most = needed["needed"].groupby(needed["op"].map(plainly), sort=False).max()
    enough, short = most[most <= runs], most[most > runs].sort_values()
    tell = f"{runs} runs here and {runs} of another card or setting tell a difference of"
    sentences = []
    if len(enough):
        sentences = [f"{tell} {100 * DIFFERENCE:g} % in {listed(enough.index)}."]
    return (*sentences, *(
        f"In {listed(same.index)} it takes {count} runs on each side, as far as these runs differ."
        for count, same in short.groupby(short)
    ))  # fmt: skip
