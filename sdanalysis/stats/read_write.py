"""Reads against writes: the same card under the same conditions, one side each."""

import math
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd

from sdanalysis.codebook.units import counted, in_two_digits
from sdanalysis.stats.intervals import MINIMUM, geometric_mean
from sdanalysis.stats.noise import noise_band
from sdanalysis.stats.reasons import Reason, figure_reasons, first_reason, usable
from sdanalysis.stats.same_test import READS, average_repeats, columns
from sdanalysis.stats.sides import MARKS, RATIO, pair_sides, ratios, without_partner

# What a read and its write share; `access` stands for the op, which is the question.
_SAME = columns("laboratory", "card", "place", "quantity", "test", "source", without=("op",))
_KEYS = [*_SAME, "access"]
_ACCESS = {
    **{"read": "sequential", "reread": "sequential, again", "randread": "random"},
    **{"write": "sequential", "rewrite": "sequential, again", "randwrite": "random"},
}
_MANY = 8  # cards from which on the middle half of them says more than the two at the ends
_WHAT = {  # by access, as in `names.plainly`
    **{"random": "small blocks", "sequential": "large files"},
    **{"sequential, again": "large files again"},
}
_NOUNS = {"all": "cards and other media", "microSD": "cards", "SD": "SD cards", "CF": "CF cards"}
_COLUMNS = {
    **{"value_other": "read", "value_base": "write"},
    **{"runs_other": "read_runs", "runs_base": "write_runs"},
}


def read_write_pairs(
    measurements: pd.DataFrame, *, metric: str = "bandwidth", across_sizes: bool = False
) -> pd.DataFrame:
    """Pair each read with the write of the same card under the same conditions.

    `metric` is `bandwidth` (B/s) or `iops` (1/s). `across_sizes` pairs a read with a write of a
    file of another size, too: the ratio then holds the effect of the size as well. To set beside a
    printed ratio that did so.

    Returns one row a pair: the conditions that both share, `access` (sequential, random, ... or not
    stated), `read` and `write`, `ratio` (read over write). `read` and `write` are geometric means
    over `read_runs` and `write_runs` runs. `sides.ratios` adds the others.
    """
    pairs = ratios(_pairs(measurements, metric, across_sizes)).rename(columns=_COLUMNS)
    results = [_COLUMNS.get(name, name) for name in RATIO if name not in ("base", "other")]
    return pairs.sort_values(_KEYS, ignore_index=True)[[*_KEYS, *results, *MARKS]]


def read_write_reasons(measurements: pd.DataFrame, *, metric: str = "bandwidth") -> pd.Series:
    """Return, for each row, the code of why it is in no read/write pair; missing where it is."""
    rules = [(~measurements["op"].isin(_ACCESS), Reason.OTHER_OP)]
    codes = figure_reasons(measurements, metric=metric)
    codes = first_reason(measurements.index, rules, after=codes)
    return without_partner(measurements, codes, partial(_pairs, measurements, metric))


def card_ratios(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a card, the lowest ratio first: its mean over all places that it was in.

    Columns `specimen`, `ratio` (geometric mean) and `results` (the pairs that it is over).
    """
    found = pairs.groupby("specimen")["ratio"].agg(ratio=geometric_mean, results="size")
    return found.reset_index().sort_values("ratio", kind="stable", ignore_index=True)


def read_write_band(pairs: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95) -> float:
    """Return the factor up to which the ratio of one read to one write may be run noise.

    Of the first pair's test: `pairs` are those of one tool, access and block size.
    """
    test = pairs.iloc[0]
    ops = [op for op, access in _ACCESS.items() if access == test["access"]]
    tests = pd.DataFrame({"tool": test["tool"], "op": ops, "block_size": test["block_size"]})
    bands = noise_band(tests, noise, confidence=confidence)["noise_band"]
    return math.exp(math.sqrt((np.log(bands) ** 2).sum() / 2))  # each is of two runs of one side


def read_write_in_words(
    cards: pd.DataFrame,
    names: pd.Series,
    *,
    access: str = "random",
    form: str = "microSD",
    band: float = 1.0,
) -> list[str]:
    """Say how much faster cards read than they write, and on how many of them reading is faster.

    `cards` as of `card_ratios`, of one access and form; `names` are what the specimens are called;
    `band` as of `read_write_band`.
    """
    what, nouns, count = _WHAT.get(access, access), _NOUNS.get(form, f"{form}s"), len(cards)
    if count < MINIMUM:
        each = []
        for row in cards.itertuples():
            fast, slow = _faster(row.ratio)
            factor = in_two_digits(max(row.ratio, 1 / row.ratio))
            name = names[row.specimen]
            each.append(f"{name} {fast}s {what} {factor} times as fast as it {slow}s them.")
        found = f"{counted(count, 'card')} tested both ways"
        return [f"Too few for a rule, {found}{'' if each else f' ({nouns}, {what})'}.", *each]
    fast, slow = _faster(cards["ratio"].median())
    factors = cards["ratio"] if fast == "read" else 1 / cards["ratio"]
    ends, half, worst = (factors.min(), factors.max()), "", ""
    if count >= _MANY:
        ends, half = factors.quantile([0.25, 0.75]), "half of "
        worst = f"; {'worst' if fast == 'read' else 'most'} {in_two_digits(factors.max())}, "
        worst += str(names[cards["specimen"][factors.idxmax()]])
    middle = factors.median()  # below 3 with the digit that it needs
    times = f"about {in_two_digits(round(middle)).removesuffix('.0')}"
    times = in_two_digits(middle) if middle < 3 else times
    spread = f"{half}{count} {nouns}: {' to '.join(map(in_two_digits, ends))}{worst}"
    sure = "; not certain" if min(ends) <= 1 else ""
    above, beyond = (int((cards["ratio"] > bound).sum()) for bound in (1, band))
    return [
        f"{nouns[0].upper()}{nouns[1:]} {fast} {what} {times} times as fast as they {slow} them "
        f"({spread}{sure}).",
        f"Reading is faster on {above} of {count}, on {beyond} by more than two runs may differ.",
    ]


def _faster(ratio: float) -> tuple[str, str]:
    return ("read", "write") if ratio >= 1 else ("write", "read")


def common_card_ratios(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean ratio of the cards that one person had in two places, beside all others.

    A mean over other cards is another mean: what two places seem to differ by may be their cards.

    Returns one row a person and two places (host, reader) that share `MINIMUM` cards or more:
    `cards` (in both), `ratio_base`, `ratio_other` (geometric means over those), `rest` and
    `ratio_rest` (how many cards were in the base alone, and their mean).
    """
    rows = []
    for owner, own in pairs.groupby("measured_by"):
        each = own.groupby(columns("place", "specimen"))["ratio"].agg(geometric_mean)
        cards = each.unstack("specimen")
        for base, other in combinations(cards.index, 2):
            both = cards.loc[base].notna() & cards.loc[other].notna()
            rest = cards.loc[base][~both].dropna()
            if both.sum() >= MINIMUM:
                means = [geometric_mean(cards.loc[place][both]) for place in (base, other)]
                of_rest = geometric_mean(rest) if len(rest) else math.nan
                rows.append((owner, base, other, both.sum(), *means, len(rest), of_rest))
    found = ["measured_by", "base", "other", "cards", "ratio_base", "ratio_other"]
    return pd.DataFrame(rows, columns=[*found, "rest", "ratio_rest"])


def mixed_ratios(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return the read/write ratios of mixed jobs, which their mix forces, beside that mix.

    Returns one row a job: its conditions, `read` and `write` (1/s), `ratio`, `forced` (`read_mix`
    over the rest), `read_id` and `write_id`.
    """
    figures = usable(measurements, metric="iops", mixed=True)
    jobs = _sides(figures[figures["read_mix"].notna()])
    keys = [*_SAME, "run"]
    sides = average_repeats(jobs, [*keys, "level", "rank"])  # of one figure each
    pairs = ratios(pair_sides(sides, keys).assign(op="mixed")).rename(columns=_COLUMNS)
    pairs = pairs.assign(
        forced=pairs["read_mix"] / (100 - pairs["read_mix"]),
        read_id=pairs["ids_other"].str[0],
        write_id=pairs["ids_base"].str[0],
    )
    return pairs[[*_SAME, "test", "read", "write", "ratio", "forced", "read_id", "write_id"]]


def _pairs(measurements: pd.DataFrame, metric: str, across_sizes: bool) -> pd.DataFrame:
    sides = average_repeats(
        _sides(usable(measurements, metric=metric)), [*_KEYS, "level", "rank", "file_size"]
    )
    pairs = pair_sides(sides, _KEYS, across_sizes=across_sizes)
    return pairs.assign(op=pairs["access"])


def _sides(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the reads and writes among the figures; the base is the write."""
    figures = figures[figures["op"].isin(_ACCESS)]
    reads = figures["op"].isin(READS)
    return figures.assign(
        access=figures["op"].map(_ACCESS).mask(figures["tool"] == "unstated", "not stated"),
        level=reads.map({True: "read", False: "write"}),
        rank=reads.astype(int),
    )
