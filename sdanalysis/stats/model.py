"""The additive model of logarithms, card + host, as a second opinion beside the paired ratios."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.errors import check_known
from sdanalysis.stats.intervals import MINIMUM, t_quantile, verdict
from sdanalysis.stats.reasons import usable
from sdanalysis.stats.same_test import columns
from sdanalysis.stats.sides import average_repeats

# One model is fitted for each combination: what is not the card's or the host's.
_TEST = columns("laboratory", "reader", "quantity", "test")

_EFFECTS = [
    *("base", "host", "ratio", "low", "high", "verdict", "cards", "common", "figures"),
    *("residual_sd", "freedom"),
]
_SPREAD = ["hosts", "cards", "host_spread", "card_spread", "residual", "freedom"]


class _Fit(NamedTuple):
    """The least-squares solution of one test: effects on the logarithm, by name."""

    cells: pd.DataFrame
    hosts: pd.Series
    errors: pd.Series
    cards: pd.Series
    residual_sd: float
    freedom: int


def additive_model(
    measurements: pd.DataFrame, base: str, *, confidence: float = 0.95
) -> pd.DataFrame:
    """Fit log(value) = card + host by least squares; return each host's factor to the base host.

    The model is fitted laboratory by laboratory and test by test, on the cards that were seen on
    at least two hosts and are linked to the base host through common cards. It uses chains (A
    on 1 and 2, B on 2 and 3) that a paired ratio of 1 and 3 cannot. It assumes that a host
    changes all cards by one factor: where a bus cuts off the fast cards, that is wrong, and the
    residuals grow. Each card counts once a host, repeats are averaged before.

    Returns
    -------
    DataFrame
        One row a laboratory, test and host: `base`, `host`, `ratio` (host over base), `low`, `high`
        (missing below `MINIMUM` cards or without a degree of freedom), `verdict` (as in
        `ratio_summary`), `cards` (on this host, in the model), `common` (of them also on the
        base host), `figures` (of the host, repeats counted), `residual_sd` (of the natural
        logarithm) and `freedom` (cells less parameters).

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> hdparm = stats.additive_model(load().query("tool == 'hdparm'"), "pi-3b")
    >>> hdparm[["host", "cards", "common", "ratio", "verdict"]].round(2).tail(2)
             host  cards  common  ratio verdict
    3  pi-3b-sd80      1       1   1.46  points
    4       pi-4b      8       7   2.01      >1
    """
    rows = []
    for test, fit in _fits(measurements, base):
        rows += [test | _host_row(fit, host, base, confidence) for host in fit.errors.index]
    return pd.DataFrame(rows, columns=[*_TEST, *_EFFECTS])


def model_spread(measurements: pd.DataFrame, base: str) -> pd.DataFrame:
    """Return how far the hosts and how far the cards lie apart in the additive model.

    Returns
    -------
    DataFrame
        One row a laboratory and test: `hosts`, `cards`, `host_spread` and `card_spread` (greatest
        over least effect), `residual` (the factor of one standard deviation) and `freedom`.

    Examples
    --------
    >>> from sdanalysis import load, stats
    >>> spread = stats.model_spread(load(), "pi-3b")
    >>> spread.loc[4:5, ["tool", "op", "hosts", "cards", "host_spread", "card_spread"]].round(1)
         tool     op  hosts  cards  host_spread  card_spread
    4      dd  write      5      9          1.6          4.2
    5  hdparm   read      5      9          2.4          1.4
    """
    rows = []
    for test, fit in _fits(measurements, base):
        apart = math.exp(np.ptp(fit.hosts)), math.exp(np.ptp(fit.cards)), math.exp(fit.residual_sd)
        found = len(fit.hosts), len(fit.cards), *apart, fit.freedom
        rows.append(test | dict(zip(_SPREAD, found, strict=True)))
    return pd.DataFrame(rows, columns=[*_TEST, *_SPREAD])


def _fits(measurements: pd.DataFrame, base: str) -> Iterator[tuple[dict[str, object], _Fit]]:
    """Return each test that a model can be fitted to, with its model."""
    check_known("host", base, sorted(set(measurements["host"])))
    cells = average_repeats(usable(measurements), [*_TEST, "specimen", "host"])
    for key, rows in cells.groupby(_TEST, dropna=False, sort=True):
        if (fit := _fit(rows, base)) is not None:
            yield dict(zip(_TEST, key, strict=True)), fit


def _linked_hosts(cells: pd.DataFrame, base: str) -> set[str]:
    """Return the hosts that a chain of common cards links to the base host."""
    hosts, found = {base} & set(cells["host"]), set()
    while hosts != found:
        found = hosts
        cards = cells.loc[cells["host"].isin(found), "specimen"]
        hosts = set(cells.loc[cells["specimen"].isin(cards), "host"])
    return found


def _fit(cells: pd.DataFrame, base: str) -> _Fit | None:
    """Fit one test; None where no card links the base host to another."""
    cells = cells[cells.groupby("specimen")["host"].transform("nunique") > 1]
    cells = cells[cells["host"].isin(_linked_hosts(cells, base))]
    if cells.empty:
        return None
    cards = sorted(set(cells["specimen"]))
    hosts = sorted(set(cells["host"]) - {base})
    members = [cells["specimen"] == card for card in cards]
    design = np.column_stack([*members, *(cells["host"] == host for host in hosts)]).astype(float)
    logs = np.log(cells["value"].to_numpy())
    inverse = np.linalg.inv(design.T @ design)  # of full rank: linked, and the base left out
    effects = inverse @ design.T @ logs
    residuals = logs - design @ effects
    freedom = len(logs) - design.shape[1]
    variance = float(residuals @ residuals) / freedom if freedom else math.nan
    errors = np.sqrt(np.diag(inverse) * variance)[len(cards) :]
    return _Fit(
        cells=cells,
        hosts=pd.Series([0.0, *effects[len(cards) :]], index=[base, *hosts]),
        errors=pd.Series(errors, index=hosts),
        cards=pd.Series(effects[: len(cards)], index=cards),
        residual_sd=math.sqrt(variance),
        freedom=freedom,
    )


def _host_row(fit: _Fit, host: str, base: str, confidence: float) -> dict[str, object]:
    here = fit.cells[fit.cells["host"] == host]
    common = set(here["specimen"]) & set(fit.cells.loc[fit.cells["host"] == base, "specimen"])
    effect, half = fit.hosts[host], math.nan
    if len(here) >= MINIMUM and fit.freedom:
        half = t_quantile(confidence, fit.freedom) * fit.errors[host]
    low, high = math.exp(effect - half), math.exp(effect + half)
    figures = int(here["ids"].map(len).sum())
    effects = base, host, math.exp(effect), low, high, verdict(low, high)
    counts = len(here), len(common), figures, fit.residual_sd, fit.freedom
    return dict(zip(_EFFECTS, (*effects, *counts), strict=True))
