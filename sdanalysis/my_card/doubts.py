"""What a log holds of a card -> what cannot be the card's: the audit's rules, on one log."""

from __future__ import annotations

import pandas as pd

from sdanalysis.audit import Tables
from sdanalysis.audit.neighbours import repeat_outlier
from sdanalysis.audit.physics import above_bus_limit, random_above_sequential, write_above_read
from sdanalysis.my_card.same_test import as_bandwidth, printed_at, reasons

_RULES = {
    "above the bus limit": above_bus_limit,
    "random above sequential": random_above_sequential,
    "write above read": write_above_read,
    "repeated runs": repeat_outlier,
}
_MOST = 2000  # rows: rules that compare every row with every other one stop being useful


def bus_limit(hosts: pd.DataFrame, host: str | None, reader: str | None) -> tuple[float, str]:
    """Return the most that the bus can carry (B/s), and whose limit it is.

    Without a host: that of the fastest slot or card reader in the table, a bound.
    """
    if host is None:
        slots = hosts[hosts["reader"] != "usb"]
        fastest = slots.loc[slots["limit"].idxmax()]
        return float(fastest["limit"]), f"{fastest['bus']}, the fastest in our table of hosts"
    row = hosts[(hosts["host"] == host) & (hosts["reader"] == reader)].iloc[0]
    return float(row["limit"]), str(row["bus"])


def doubts(
    rows: pd.DataFrame, hosts: pd.DataFrame, host: str | None, reader: str | None
) -> pd.DataFrame:
    """Return what the audit's rules doubt in a log: `rule`, `at` (`file:line`), `evidence`."""
    figures = as_bandwidth(rows[reasons(rows).isna()]).head(_MOST)
    places = printed_at(figures)
    table = figures.assign(
        id=[f"{place}:{number}" for number, place in enumerate(places)],
        source="log",
        specimen="your card",
        measured_by="you",
        origin="primary",
        host=host or "not given",
        reader=reader or "not given",
        run=[f"{file} {run}" for file, run in zip(figures["file"], figures["run"], strict=True)],
    )
    tables = Tables(measurements=table, as_published=table, media=table, hosts=hosts)
    found = [
        {"rule": rule, "at": ", ".join(dict.fromkeys(_place(one) for one in finding.ids)),
         "evidence": finding.evidence}
        for rule, check in _RULES.items()
        for finding in check(tables)[1]
    ]  # fmt: skip
    return pd.DataFrame(found, columns=["rule", "at", "evidence"])


def _place(identifier: str) -> str:
    return identifier.rpartition(":")[0]


def above(figures: pd.DataFrame, limit: float) -> pd.Series:
    """Tell which tests have a run above a bus limit, even at the least that rounding allows.

    The test is lost with it: what the other runs met is not known either.
    """
    return figures["surely"].fillna(figures["high"]).clip(upper=figures["high"]) > limit
