"""Places of a card -> the points of its figure: the card, the known cards, limits, minimums."""

from __future__ import annotations

import pandas as pd

from sdanalysis.my_card.known import on_host
from sdanalysis.my_card.places import ALL_HOSTS

_BLOCK = 4096
_MINIMUMS = {"write": "write", "randwrite": "randwrite", "randread": "randread"}
_SHOWN = ("A1", "A2", "C10", "V30")  # U1 and U3 promise what C10 and V30 do


def drawn_points(
    placed: pd.DataFrame,
    known: pd.DataFrame,
    classes: pd.DataFrame,
    *,
    limit: float | None = None,
    host: str | None = None,
    reader: str | None = None,
) -> pd.DataFrame:
    """Return what the figure of a card's places draws, one row a mark.

    Parameters
    ----------
    placed, known : DataFrame
        As `place` and `known_figures` return them.
    classes : DataFrame
        As `reference.classes` returns it.
    limit : float
        Of the bus, in B/s; missing where no host was given.

    Returns
    -------
    DataFrame
        `test`, `kind` (`known`, `card`, `minimum`, `limit`), `name`, `value` (B/s), `note` (of
        the card: its rank and n, in words).
    """
    rows = []
    for one in placed.itertuples():
        here = one.basis != ALL_HOSTS
        others = on_host(known, host, reader) if here else on_host(known, None, None)
        test = one.test if one.level == "same tool" else f"{one.test} (yours: fio)"
        same = others[others["test"] == one.test]
        rows += [(test, "known", name, value, None) for name, value in zip(
            same["name"], same["value"], strict=True)]  # fmt: skip
        rows += [(test, "minimum", *minimum, None) for minimum in _minimums(one, classes)]
        if limit is not None:
            rows.append((test, "limit", "bus limit", limit, None))
        whose = "known cards" if here or host is None else "known cards, other hosts"
        note = f"place {one.rank} of {one.n + 1}\n(n = {one.n} {whose})"
        rows.append((test, "card", "your card", one.value, note))
    return pd.DataFrame(rows, columns=["test", "kind", "name", "value", "note"])


def _minimums(one: tuple, classes: pd.DataFrame) -> list[tuple[str, float]]:
    """Return the minimums of a test; those of random tests are IOPS of 4 KiB."""
    if one.op not in _MINIMUMS or (one.op != "write" and one.block_size != _BLOCK):
        return []
    if one.op == "write" and one.tool == "iozone" and one.block_size < 2**19:
        return []  # smaller requests than those that the classes are about
    factor = 1 if one.op == "write" else _BLOCK
    rows = classes[classes["class"].isin(_SHOWN) & classes[one.op].notna()]
    rows = rows[~rows["class"].isin(["A1", "A2"])] if one.op == "write" else rows
    return list(zip(rows["class"], rows[one.op] * factor, strict=True))
