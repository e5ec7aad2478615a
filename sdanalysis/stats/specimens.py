"""Two cards of one model: how far they differ in the same test, the yardstick of other pairs."""

from __future__ import annotations

import pandas as pd

from sdanalysis.stats.intervals import geometric_mean
from sdanalysis.stats.names import plainly
from sdanalysis.stats.reasons import usable
from sdanalysis.stats.same_test import READS, WRITES, columns
from sdanalysis.stats.sides import CARD, CROSS, RESULTS, average_repeats, pair_sides, ratios

_SAME = columns("medium", "place", "quantity", "test")


def bare_figures(measurements: pd.DataFrame, *, mixed: bool = False) -> pd.DataFrame:
    """Return the bandwidths that stand for a measurement each, none of them twice.

    A restated figure stands for one where the table has no primary figure of its specimen. With
    `mixed` a mixed job is one figure too: that of its reads, in operations per second, as op
    `mixed`; without it there is none.
    """
    rows = measurements
    primary = set(rows.loc[rows["origin"] == "primary", "specimen"])
    quoted = (rows["origin"] == "restated") & ~rows["specimen"].isin(primary)
    noted = (rows["remarks"].fillna("") + " restated").str.strip()
    rows = rows.assign(
        origin=rows["origin"].mask(quoted, "primary"),
        remarks=rows["remarks"].mask(quoted, noted),
    )
    if not mixed:
        return usable(rows)
    jobs = usable(rows, metric="iops", mixed=True)
    jobs = jobs[jobs["read_mix"].notna() & jobs["op"].isin(READS)].assign(op="mixed")
    return pd.concat([usable(rows), jobs]).sort_index()


def specimen_pairs(
    measurements: pd.DataFrame, noise: pd.DataFrame, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Pair two specimens of one medium that went through the same test on the same host.

    Returns
    -------
    DataFrame
        One row a pair: the medium, place and test, then as of `contrast_pairs` (`base` and
        `other` are specimens, in alphabetical order), and `spread` (the greater over the lesser).
        Two specimens in two laboratories are of the kind `cross-laboratory`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> twins = stats.specimen_pairs(data.measurements, data.noise)
    >>> twins.loc[twins["kind"] == "clean", ["base", "other", "op", "spread"]].round(2).head(2)
              base        other     op  spread
    0  perrin/6401  perrin/6402  write    3.15
    1  perrin/6401  perrin/6402   read    1.49
    """
    figures = bare_figures(measurements)
    level = figures["specimen"]
    figures = figures.assign(level=level, rank=level.rank(method="dense"))
    sides = average_repeats(figures, [*_SAME, *CARD, "level", "rank", "file_size"])
    pairs = ratios(pair_sides(sides, _SAME), noise, confidence)
    pairs = pairs.assign(spread=pairs["ratio"].where(pairs["ratio"] >= 1, 1 / pairs["ratio"]))
    own = [*CARD, *(f"{name}_other" for name in CARD)]
    order = ["kind", "specimen", "specimen_other", *_SAME[1:]]
    return pairs.sort_values(order, ignore_index=True)[[*_SAME, *own, *RESULTS, "spread"]]


def reference_spreads(specimens: pd.DataFrame) -> pd.DataFrame:
    """Return how far published specimens of one model differ in the same test.

    As `spread`: the greatest over the least, of geometric means over the repeats.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> spreads = stats.reference_spreads(load_data().specimens)
    >>> spreads[["tool", "op", "cards", "spread"]].round(2)
      tool     op  cards  spread
    0   dd   read      2    1.00
    1   dd  write      2    2.99
    """
    keys = ["model", *columns("tool", "op")]
    values: dict[tuple[str, ...], dict[str, list[float]]] = {}
    named = specimens.dropna(subset="model")
    for *key, specimen, value in named[[*keys, "specimen", "value"]].itertuples(index=False):
        values.setdefault(tuple(key), {}).setdefault(specimen, []).append(value)
    means = {key: [*map(geometric_mean, values[key].values())] for key in sorted(values)}
    spreads = [(*key, len(of), max(of) / min(of)) for key, of in means.items() if len(of) > 1]
    found = pd.DataFrame(spreads, columns=[*keys, "cards", "spread"])
    return found.astype({**dict.fromkeys(keys, "str"), "cards": "int64", "spread": "float64"})


def specimens_outside(
    specimens: pd.DataFrame, twins: pd.DataFrame, *, without_own: bool = False
) -> pd.DataFrame:
    """Count the pairs of cards of one model that differ more than `specimen_band` says.

    That is the widest ratio seen and no interval; `without_own` makes it without the model that
    is judged. Pairs within one laboratory, and those of `specimens`.

    Returns
    -------
    DataFrame
        One row a test: `tool`, `op`, `pairs`, `outside`.

    Examples
    --------
    >>> from sdanalysis import load_data, stats
    >>> data = load_data()
    >>> twins = stats.specimen_pairs(data.measurements, data.noise)
    >>> stats.specimens_outside(data.specimens, twins, without_own=True)
           tool     op  pairs  outside
    0        dd   read      1        0
    1        dd  write      2        1
    2  unstated   read      4        4
    """
    own = twins[twins["kind"] != CROSS].rename(columns={"medium": "model"})
    published = reference_spreads(specimens)
    seen = pd.concat([published, own[["model", "tool", "op", "spread"]]], ignore_index=True)
    outside = []
    for row in seen.itertuples():
        left_out = row.model if without_own else None
        known = specimens[specimens["model"] != left_out], twins[twins["medium"] != left_out]
        band = specimen_band(seen.loc[[row.Index]], *known)["specimen_band"].item()
        outside.append(not row.spread <= band)
    counts = seen.assign(outside=outside).groupby(["tool", "op"])["outside"]
    return counts.agg(pairs="size", outside="sum").reset_index()


def specimen_band(
    tests: pd.DataFrame, specimens: pd.DataFrame, twins: pd.DataFrame
) -> pd.DataFrame:
    """Return the widest ratio seen between two cards of one model, for reads and for writes.

    It is a yardstick, not an interval: two models are known, and a third may differ more. Indexed
    as `tests`: `specimen_band` (a factor above 1), `specimen_basis` (words: test and model; name
    it beside the figure) and `specimen_same_test` (whether that test is the one judged, by tool
    and op); missing where the op neither reads nor writes.
    """
    own = twins[twins["kind"] != CROSS].rename(columns={"medium": "model"})
    seen = pd.concat([reference_spreads(specimens), own[["model", "tool", "op", "spread"]]])
    widest = {}
    for ops in (READS, WRITES):
        kind = seen[seen["op"].isin(ops)].sort_values("spread", ascending=False)
        for row in kind.head(1).itertuples():
            test = f"{plainly(row.op)} with {row.tool}"
            if row.tool == "unstated":  # nor does it say whether in sequence or at random
                test = f"{row.op}s by a tool that is not stated"
            basis = f"{test}, two {row.model}"
            widest |= dict.fromkeys(ops, (row.spread, basis, row.tool, row.op))
    none = (float("nan"), pd.NA, None, None)
    found = [widest.get(op, none) for op in tests["op"]]
    bands = pd.DataFrame(
        found, columns=["specimen_band", "specimen_basis", "tool", "op"], index=tests.index
    )
    same = (bands["tool"] == tests["tool"]) & (bands["op"] == tests["op"])
    same = same.astype("boolean").mask(bands["specimen_band"].isna())
    return bands[["specimen_band", "specimen_basis"]].assign(specimen_same_test=same)
