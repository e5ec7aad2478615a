"""How much a summary hangs on one card or one laboratory: the summary without each of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sdanalysis.stats.intervals import ratio_summary, require

_NOBODY = "(none)"


def leave_one_out(
    pairs: pd.DataFrame,
    unit: str = "specimen",
    *,
    by: Sequence[str],
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Recompute `ratio_summary` without each card, or without each laboratory.

    Returns
    -------
    DataFrame
        The columns of `by`, `left_out` (`(none)` in the row of the whole), then `cards`,
        `ratio`, `low`, `high`, `verdict` (`nothing left` where nothing is) and `changes`
        (whether the verdict differs from that of the whole).

    Examples
    --------
    >>> import pandas as pd
    >>> pairs = pd.DataFrame({"test": "t", "specimen": list("abcd"), "ratio": [2, 2.1, 2.2, 9.0]})
    >>> from sdanalysis import stats
    >>> left = stats.leave_one_out(pairs, by=["test"])
    >>> left[["left_out", "cards", "ratio", "verdict", "changes"]].round(2)
      left_out  cards  ratio verdict  changes
    0   (none)      4   3.02       ~    False
    1        a      3   3.46       ~    False
    2        b      3   3.41       ~    False
    3        c      3   3.36       ~    False
    4        d      3   2.10      >1     True
    """
    require(pairs, ["specimen", "ratio", unit, *by])
    parts = []
    for _, group in pairs.groupby(list(by), dropna=False, sort=True):
        whole = ratio_summary(group, by, confidence=confidence).assign(left_out=_NOBODY)
        parts.append(whole.assign(changes=False))
        for left_out in sorted(set(group[unit])):
            rest = ratio_summary(group[group[unit] != left_out], by, confidence=confidence)
            if rest.empty:
                rest = whole[list(by)].assign(cards=0, verdict="nothing left")
            changed = rest["verdict"] != whole["verdict"].iloc[0]
            parts.append(rest.assign(left_out=left_out, changes=changed))
    columns = [*by, "left_out", "cards", "ratio", "low", "high", "verdict", "changes"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts, ignore_index=True)[columns]


def most_influential(left: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Sum up `leave_one_out`: one row a group, with the range of the ratio and who moves it most.

    Returns
    -------
    DataFrame
        The columns of `by`, `cards`, `ratio`, `verdict` (of the whole), `least`, `greatest` (of
        the ratios without one), `moves_most` (whose absence moves the ratio most) and `changed_by`
        (the units without which the verdict is another; missing where there is none).

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import stats
    >>> data, hosts = sdanalysis.load_data(), ["pi-3b", "pi-4b"]
    >>> pairs = stats.contrast_pairs(data.measurements, "host", data.noise, levels=hosts)
    >>> pairs = pairs[pairs["measured_by"] == "geerling"]
    >>> found = stats.most_influential(stats.leave_one_out(pairs, by=["op"]), ["op"])
    >>> found[["op", "ratio", "least", "greatest", "changed_by"]].round(2)
              op  ratio  least  greatest                   changed_by
    0   randread   1.09   1.08      1.11                          NaN
    1  randwrite   1.08   1.06      1.10  geerling/sandisk-ultra-16gb
    2       read   2.05   2.03      2.05                          NaN
    3      write   1.50   1.43      1.59                          NaN
    """
    rows = []
    for key, group in left.groupby(list(by), dropna=False, sort=True):
        whole = group[group["left_out"] == _NOBODY].iloc[0]
        rest = group[(group["left_out"] != _NOBODY) & group["ratio"].notna()]
        moved = (rest["ratio"] / whole["ratio"]).where(lambda r: r >= 1, lambda r: 1 / r)
        changed = group.loc[group["changes"].astype(bool), "left_out"]
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                **whole[["cards", "ratio", "verdict"]].to_dict(),
                "least": rest["ratio"].min(),
                "greatest": rest["ratio"].max(),
                "moves_most": rest.loc[moved.idxmax(), "left_out"] if len(rest) else pd.NA,
                "changed_by": ", ".join(changed) or pd.NA,
            }
        )
    columns = ["cards", "ratio", "verdict", "least", "greatest", "moves_most", "changed_by"]
    return pd.DataFrame(rows, columns=[*by, *columns])
