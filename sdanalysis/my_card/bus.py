"""Places of a card -> those in which the bus of the computer was measured, and not the card."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from sdanalysis.my_card.computer import Setting
from sdanalysis.my_card.figures import Known
from sdanalysis.my_card.places import ALL_HOSTS, Place, rows_of
from sdanalysis.stats.hosts import host_limits
from sdanalysis.stats.intervals import MINIMUM
from sdanalysis.stats.reasons import HIDDEN


class Bus(NamedTuple):
    """A test that measures the bus: of `cards` known figures `near` come near what it can carry.

    `value` (B/s) is the card's own figure, `same_host` whether the known cards sat in its host,
    `free` whether the card's own figure lies below what its bus can carry: only those of the
    others are the buses' then.
    """

    test: str
    tool: str
    op: str
    value: float
    runs: int
    cards: int
    near: int
    same_host: bool
    free: bool
    at: str


def bus_measured(
    places: pd.DataFrame, known: Known, hosts: pd.DataFrame, setting: Setting
) -> pd.DataFrame:
    """Return the tests among places in which the bus decides, one row `Bus` each.

    It does where most of the known cards come near what it can carry, each on its own host. On
    the card's own host the card has to come near it as well: one that is slower than the bus and
    the other cards was measured itself.
    """
    rows = [_bus(row, known, hosts, setting) for row in rows_of(places)]
    return pd.DataFrame(filter(None, rows), columns=list(Bus._fields))


def without_bus(places: pd.DataFrame, buses: pd.DataFrame) -> pd.DataFrame:
    """Return the places that are places of the card."""
    return places[~places["shown_test"].isin(buses["test"])].reset_index(drop=True)


def _bus(row: Place, known: Known, hosts: pd.DataFrame, setting: Setting) -> Bus | None:
    own_host = row.basis != ALL_HOSTS
    figures = known.on(setting) if own_host else known.by_host
    shares = _shares(figures[figures["test"] == row.test], hosts)
    cards, near = int(shares["cards"].sum()), int(shares["near"].sum())
    free = setting.host is not None and row.value < HIDDEN * setting.limit
    if cards < MINIMUM or near * 2 <= cards or (own_host and free):
        return None
    own = (row.shown_test, row.tool, row.op, row.value, row.runs)
    return Bus(*own, cards, near, own_host, free, row.at)


def _shares(figures: pd.DataFrame, hosts: pd.DataFrame) -> Any:
    """Return `host_limits` of each reader, for the bus is that of the reader."""
    found = [
        host_limits(rows, hosts[hosts["reader"] == reader])
        for reader, rows in figures.groupby("reader")
    ]
    return pd.concat(found, ignore_index=True)
