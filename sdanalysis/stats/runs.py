"""How many runs it takes: from how far runs differ to how many decide a difference."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

import numpy as np
import pandas as pd

from sdanalysis.stats.names import plainly
from sdanalysis.stats.noise import noise_band
from sdanalysis.stats.ranks import fewest_runs
from sdanalysis.stats.same_test import columns, with_test

DIFFERENCE, POWER = 0.1, 0.8


def runs_to_tell(
    sd_log: float,
    difference: float = DIFFERENCE,
    *,
    power: float = POWER,
    confidence: float = 0.95,
) -> int:
    """Return how many runs on each side tell two results apart that differ by a share.

    So many that the two-sided Mann-Whitney test (that of `compare`) finds the difference with this
    power, where runs spread by `sd_log` (standard deviation of the natural logarithms). It is the
    normal approximation with the efficiency of ranks (pi / 3 as many runs as Student's t takes) and
    a correction for few runs; below the fewest runs with which ranks can differ it never is.
    """
    normal = NormalDist()
    sure = normal.inv_cdf((1 + confidence) / 2)
    share = (sure + normal.inv_cdf(power)) * sd_log / math.log1p(difference)
    return max(
        math.ceil(2 * share**2 * math.pi / 3 + sure**2 / 2), fewest_runs(confidence=confidence)
    )


def runs_needed(
    rows: pd.DataFrame, noise: pd.DataFrame, *, difference: float = DIFFERENCE
) -> pd.DataFrame:
    """Return, for each test of one card, how many runs tell a difference of so much.

    Parameters
    ----------
    rows : DataFrame
        Logs of one card, as of `sdanalysis.parse`; `repeat` tells the runs apart.
    noise : DataFrame
        Repeats of other cards, as of `sdanalysis.load_data`.
    difference : float
        As a share: 0.1 are 10 %.

    Returns
    -------
    DataFrame
        One row a test with bandwidths of two runs or more: the columns that make a test, `test`
        in words, `runs`, `sd_log` of these, `needed` by them, and `needed_elsewhere` by the repeats
        of all cards known (missing where there are none).
    """
    whole = rows[(rows["metric"] == "bandwidth") & (rows["status"] == "measured")]
    keys = columns("quantity", "test", "cache", "size")
    logs = whole.assign(log=np.log(whole["value"])).groupby(keys, dropna=False, sort=False)
    spreads = logs.agg(runs=("repeat", "nunique"), sd_log=("log", "std")).reset_index()
    tests = with_test(spreads[spreads["runs"] > 1].reset_index(drop=True))
    elsewhere = noise_band(tests, noise)["noise_sd"]
    return tests.assign(
        needed=_needed(tests["sd_log"], difference), needed_elsewhere=_needed(elsewhere, difference)
    )


def _needed(spreads: pd.Series, difference: float) -> pd.Series:
    found = [None if pd.isna(sd) else runs_to_tell(sd, difference) for sd in spreads]
    return pd.Series(found, index=spreads.index, dtype="Int64")


def runs_in_words(
    needed: pd.DataFrame, runs: int, *, difference: float = DIFFERENCE
) -> tuple[str, ...]:
    """Say what so many runs of a card can decide: sentences, from `runs_needed`."""
    share, least = f"{100 * difference:g} %", fewest_runs()
    if runs < least:
        few = "one run decides" if runs == 1 else f"{runs} runs on each side decide"
        return (f"{few.capitalize()} nothing: below {least} no order of the results is rare.",)
    names = needed["op"].map(plainly)
    most = needed["needed"].groupby(names, sort=False).max()
    enough, short = most[most <= runs], most[most > runs]
    said = []
    if len(enough):
        said.append(
            f"{runs} runs here and {runs} of another card or setting tell a difference of {share} "
            f"in {_listed(enough.index)}."
        )
    said += [
        f"In {_listed(same.index)} it takes {count} runs on each side, as far as these runs differ."
        for count, same in short.sort_values().groupby(short)
    ]
    return tuple(said)


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
