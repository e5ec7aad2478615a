"""Where does a run change its level, as at the end of a cache? Samples over time -> levels.

Pettitt's test (1979) looks for a change in the ranks of the samples. Where it finds one, the run is
cut where two medians fit the samples best, and both sides are tested again. Neighbouring samples
are alike, so its statistic is divided by what their autocorrelation adds to its variance. A change
is a step where much of it happens within a twentieth of the run. It is a drift where a line lies
clearly closer to the samples; otherwise it is undecided.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.codebook.tables import TIME_LINE
from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.errors import SdAnalysisError, require

FEWEST = 20  # samples: with fewer nothing is tested
_SHORTEST = 8  # samples of a level: a shorter one is an outlier to this method
_MOST = 400  # groups of samples that a long log is cut into: its medians are tested
_CLEARLY = 0.8  # of the distance from two levels: a line that is closer is clearly closer
_SUDDEN = 0.4  # of a change: where this much of it happens at once it is a step
_AT_ONCE = 20  # a part of the run by this number is "at once"
_MOST_ALIKE = 0.99  # the greatest autocorrelation that is reckoned with

_VERBS = {"read": "reading", "write": "writing", "trim": "trimming"}
_UNITS = {"bandwidth": ("MB/s", 1e-6), "iops": ("operations a second", 1.0), "latency": ("ms", 1e3)}


class _Segment(NamedTuple):
    """A stretch of samples, the p of the change at its begin, and how it goes on."""

    begin: int
    end: int
    p: float
    pattern: str


def levels(
    samples: pd.DataFrame,
    by: Sequence[str] = TIME_LINE,
    *,
    least: float = 2.0,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the levels of each run over time: one row where there is no change.

    `samples` as of `parse(paths, what="samples")`: `time` (s), `value` (base units), and `by`,
    which name a run; rows without a value are left out. A change by a smaller factor than `least`
    is none, however sure.

    Returns the columns of `by`; `begin` and `end` (s, of the first and last sample), `samples`,
    `level` (their median), `ratio` (to the level before), `p` (of the change at `begin`), `pattern`
    (level; drift: it rises or falls slowly, with no change to name; unclear: neither a step nor a
    line, or samples so alike that it may be chance; few: too few samples to test), and `least`.
    """
    require(samples, [*by, "time", "value"])
    if not (0 < confidence < 1 and least >= 1):
        found = f"confidence {confidence:g} and least {least:g}"
        raise SdAnalysisError(f"found {found}, expected one between 0 and 1, and at least 1")
    known = samples.dropna(subset=["value"])
    rows = []
    for names, run in known.groupby(list(by), observed=True, sort=False, dropna=False):
        ordered = run.sort_values("time", kind="stable")
        times, values = ordered["time"].to_numpy(float), ordered["value"].to_numpy(float)
        size = max(1, -(-len(values) // _MOST))  # samples of a group
        places = np.arange(len(values)) // size
        tested = values if size == 1 else pd.Series(values).groupby(places).median().to_numpy()
        segments = _segments(tested, 0, 1 - confidence, least)
        before = np.nan
        for begin, end, p, pattern in _merged(tested, segments, least):
            own = slice(begin * size, end * size)
            level, count = float(np.median(values[own])), len(values[own])
            ratio = level / before if before else np.nan
            cells = (times[own][0], times[own][-1], count, level, ratio, p, pattern, least)
            rows.append((*names, *cells))
            before = level
    columns = ["begin", "end", "samples", "level", "ratio", "p", "pattern", "least"]
    return pd.DataFrame(rows, columns=[*by, *columns])


def _segments(
    values: np.ndarray, start: int, alpha: float, least: float, p: float = np.nan
) -> list[_Segment]:
    """Return the stretches between the steps, by halving at the clearest step each time."""
    end = start + len(values)
    split = _best_split(values, alpha)
    if split is None:
        few = len(values) < FEWEST and np.isnan(p)
        return [_Segment(start, end, p, "few" if few else "level")]
    at, p_of_change, pattern = split
    if pattern == "step":
        first = _segments(values[:at], start, alpha, least, p)
        return first + _segments(values[at:], start + at, alpha, least, p_of_change)
    ends = max(_SHORTEST, len(values) // 10)
    moves = _factor(np.median(values[:ends]), np.median(values[-ends:])) >= least
    return [_Segment(start, end, p, pattern if moves else "level")]


def _merged(values: np.ndarray, segments: list[_Segment], least: float) -> list[_Segment]:
    """Join neighbours whose levels differ by less than the least factor, the nearest first."""
    while len(segments) > 1:
        heights = [float(np.median(values[part.begin : part.end])) for part in segments]
        factors = [_factor(*pair) for pair in pairwise(heights)]
        place = int(np.argmin(factors))
        if factors[place] >= least:
            break
        before, after = segments[place : place + 2]
        odd = {before.pattern, after.pattern} - {"level", "few"}
        joined = before._replace(end=after.end, pattern="unclear" if odd else "level")
        segments = [*segments[:place], joined, *segments[place + 2 :]]
    return segments


def _factor(level: float, other: float) -> float:
    """Return how many times the greater of two levels is the smaller."""
    low, high = sorted((float(level), float(other)))
    return high / low if low > 0 else 1.0 if high == low else np.inf


def _best_split(values: np.ndarray, alpha: float) -> tuple[int, float, str] | None:
    """Return place, p and pattern of the change that Pettitt's test finds, if it finds one."""
    count = len(values)
    if count < FEWEST:
        return None
    ranks = pd.Series(values).rank().to_numpy()
    steps = np.arange(1, count)
    statistic = np.abs(2 * np.cumsum(ranks)[:-1] - steps * (count + 1))
    inside = (steps >= _SHORTEST) & (steps <= count - _SHORTEST)
    squared = statistic[inside].max() ** 2
    if _pettitt_p(squared, count) >= alpha:
        return None
    # a stall (0) counts as a hundredth of the middle sample
    logs = np.log(np.maximum(values, (float(np.median(values)) or 1.0) / 100))
    at = min(steps[inside].tolist(), key=lambda place: _off_step(logs, place))
    rest = np.concatenate([part - np.median(part) for part in (ranks[:at], ranks[at:])])
    alike = float(rest[1:] @ rest[:-1]) / (float(rest @ rest) or 1.0)
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    inflation = (1 + alike) / (1 - alike)  # of the variance of a sum of neighbours that are alike
    p, pattern = _pettitt_p(squared / inflation, count), _pattern(logs, at)
    # from alpha on, only its neighbours speak against a step
    return at, p, "unclear" if p >= alpha and pattern == "step" else pattern


def _pettitt_p(squared: float, count: int) -> float:
    return min(1.0, 2 * float(np.exp(-6 * squared / (count**3 + count**2))))


def _pattern(logs: np.ndarray, at: int) -> str:
    """Say whether a change happens at once, or along a straight line."""
    near = max(_SHORTEST, len(logs) // _AT_ONCE)
    whole = np.median(logs[at:]) - np.median(logs[:at])
    sudden = np.median(logs[at : at + near]) - np.median(logs[max(at - near, 0) : at])
    if sudden * np.sign(whole) >= _SUDDEN * abs(whole):
        return "step"
    places = np.arange(len(logs), dtype=float)
    first, second = np.triu_indices(len(logs), 1)
    slope = np.median((logs[second] - logs[first]) / (second - first))  # of Theil and Sen's line
    off_line = _off_step(logs - slope * places, 0)
    return "drift" if off_line < _CLEARLY * _off_step(logs, at) else "unclear"


def _off_step(logs: np.ndarray, at: int) -> float:
    """Return how far the values lie from the medians of those before and after a place."""
    parts = (part for part in (logs[:at], logs[at:]) if len(part))
    return sum(float(np.abs(part - np.median(part)).sum()) for part in parts)


def levels_in_words(found: pd.DataFrame) -> list[str]:
    """Return a sentence on each change of level of one run, or one that says that there is none."""
    samples = counted(int(found["samples"].sum()), "sample")
    metric, op = found["metric"].iloc[0], found["op"].iloc[0]
    unit, factor = _UNITS.get(metric, (metric, 1.0))
    doing = _VERBS.get(op, op) + (" time" if metric == "latency" else "")
    rows = list(found.itertuples())
    numbers = [
        f"{float(f'{level:.3g}'):,.0f}" if level >= 100 else in_two_digits(level)
        for level in found["level"] * factor
    ]
    if len(rows) > 1:
        words = []
        for (before, now), row in zip(pairwise(numbers), rows[1:], strict=True):
            falls = row.ratio < 1
            by = f"{in_two_digits(row.ratio)} times that"
            by = f"to {in_two_digits(100 * row.ratio)} % of that" if falls else by
            moves = f"{doing} {'falls' if falls else 'rises'} from {before} to {now} {unit}"
            words.append(f"At {row.begin:.3g} s {moves}, {by} ({samples}).")
        steady = all(row.pattern == "level" for row in rows)
        return [*words, *([] if steady else ["Apart from that, it is not steady either."])]
    (row,), level, least = rows, f"{numbers[0]} {unit}", in_two_digits(found["least"].iloc[0])
    if row.pattern == "few":
        return [f"{samples.capitalize()} of {doing} are too few to look for a change."]
    words = {
        "level": f"No change by a factor of {least} or more: {doing} stays about {level}",
        "drift": f"{doing.capitalize()} drifts, around {level}, and has no place where it changes",
        "unclear": f"Undecided: {doing} changes around {level}, in a step or slowly",
    }
    return [f"{words[row.pattern]} ({samples})."]
