"""The additive model of logarithms, card + host, as a second opinion beside the paired ratios."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from sdanalysis.stats.intervals import MINIMUM, geometric_mean, t_quantile
from sdanalysis.stats.read_write import count_reasons, figure_reasons

# One model is fitted for each combination: what is not the card's or the host's.
TEST = ["measured_by", "reader", "tool", "op", "block_size", "numjobs", "iodepth"]
ONE_HOST = "the card was seen on one host only: it tells nothing of the hosts"
UNCONNECTED = "no chain of common cards leads to the base host"
_RESULTS = [
    *("base", "host", "ratio", "low", "high", "verdict"),
    *("cards", "direct", "figures", "residual_sd", "freedom"),
]


class _Fit(NamedTuple):
    """The least-squares solution of one test: effects on the logarithm, by name."""

    cells: pd.DataFrame
    hosts: pd.Series
    errors: pd.Series
    cards: pd.Series
    residual_sd: float
    freedom: int


def additive_model(
    measurements: pd.DataFrame,
    base: str,
    *,
    metric: str = "bandwidth",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Fit log(value) = card + host by least squares; return each host's factor to the base host.

    The model is fitted laboratory by laboratory and test by test, on the cards that were seen on
    at least two hosts and are linked to the base host through common cards. It uses chains (A
    on 1 and 2, B on 2 and 3) that a paired ratio of 1 and 3 cannot. It assumes that a host
    changes all cards by one factor: where a bus cuts off the fast cards, that is wrong, and the
    residuals grow. Each card counts once a host, repeats are averaged before.

    Parameters
    ----------
    measurements : DataFrame
        The tidy table; what `model_exclusions` names is left out.
    base : str
        The host whose factor is 1.
    metric : str
        `bandwidth`, `iops` or `latency`.
    confidence : float
        Of the t interval of a host's effect.

    Returns
    -------
    DataFrame
        One row a test (`TEST`) and host: `base`, `host`, `ratio` (host over base), `low`, `high`
        (missing below `MINIMUM` cards or without a degree of freedom), `verdict` (as in
        `ratio_summary`), `cards` (on this host, in the model), `direct` (of them also on the
        base host), `figures` (of the host, repeats counted), `residual_sd` (of the natural
        logarithm) and `freedom` (cells less parameters).

    Examples
    --------
    >>> import sdanalysis
    >>> model = additive_model(sdanalysis.load(), "pi-3b")
    >>> reads = model[(model["tool"] == "hdparm") & (model["measured_by"] == "geerling")]
    >>> reads[["host", "cards", "direct", "ratio", "verdict"]].round(2).reset_index(drop=True)
              host  cards  direct  ratio verdict
    0        pi-2b      8       7   0.85      <1
    1  pi-3b-sd100      7       7   1.70      >1
    2   pi-3b-sd80      1       1   1.46  points
    3        pi-4b      8       7   2.01      >1
    """
    rows = []
    for key, cells in _tests(measurements, metric):
        fit = _fit(cells, base)
        if fit is None:
            continue
        for host in fit.hosts.index:
            if host != base:
                row = _host_row(fit, host, base, confidence)
                rows.append({**dict(zip(TEST, key, strict=True)), **row})
    return pd.DataFrame(rows, columns=[*TEST, *_RESULTS])


def model_spread(
    measurements: pd.DataFrame, base: str, *, metric: str = "bandwidth"
) -> pd.DataFrame:
    """Return how far the hosts and how far the cards lie apart in the additive model.

    Returns
    -------
    DataFrame
        One row a test (`TEST`): `hosts`, `cards`, `host_spread` and `card_spread` (greatest
        over least effect, as factors), `residual` (the factor of one residual standard
        deviation) and `freedom`.

    Examples
    --------
    >>> import sdanalysis
    >>> spread = model_spread(sdanalysis.load(), "pi-3b")
    >>> rows = spread[spread["measured_by"] == "geerling"]
    >>> rows[["tool", "op", "hosts", "cards", "host_spread", "card_spread"]].round(1)
         tool         op  hosts  cards  host_spread  card_spread
    4      dd      write      5      9          1.6          4.2
    5  hdparm       read      5      9          2.4          1.4
    6  iozone   randread      5      9          1.4          2.4
    7  iozone  randwrite      5      9          1.2          4.7
    """
    rows = []
    for key, cells in _tests(measurements, metric):
        fit = _fit(cells, base)
        if fit is None:
            continue
        row = {
            "hosts": len(fit.hosts),
            "cards": len(fit.cards),
            "host_spread": math.exp(fit.hosts.max() - fit.hosts.min()),
            "card_spread": math.exp(fit.cards.max() - fit.cards.min()),
            "residual": math.exp(fit.residual_sd),
            "freedom": fit.freedom,
        }
        rows.append({**dict(zip(TEST, key, strict=True)), **row})
    columns = ["hosts", "cards", "host_spread", "card_spread", "residual", "freedom"]
    return pd.DataFrame(rows, columns=[*TEST, *columns])


def model_exclusions(
    measurements: pd.DataFrame, base: str, *, metric: str = "bandwidth"
) -> pd.DataFrame:
    """Return how many figures went into the models and how many were left out, and why.

    Returns
    -------
    DataFrame
        Columns reason, figures, example (an id); the figures add up to `len(measurements)`.

    Examples
    --------
    >>> import sdanalysis
    >>> measurements = sdanalysis.load()
    >>> excluded = model_exclusions(measurements, "pi-3b")
    >>> bool(excluded["figures"].sum() == len(measurements))
    True
    """
    reasons = figure_reasons(measurements, metric=metric)
    figures = measurements[reasons.isna()]
    for _, rows in figures.groupby(TEST, dropna=False):
        alone = rows.groupby("specimen")["host"].transform("nunique") < 2
        reasons.loc[rows.index[alone]] = ONE_HOST
        linked = _linked_hosts(rows[~alone], base)
        reasons.loc[rows.index[~alone & ~rows["host"].isin(linked)]] = UNCONNECTED
    counted = count_reasons(measurements, reasons)
    return counted.replace({"reason": {"(in a pair)": "(in the model)"}})


def _tests(measurements: pd.DataFrame, metric: str) -> list[tuple[tuple, pd.DataFrame]]:
    """Return the figures of each test, one row a card and host: value and figures."""
    figures = measurements[figure_reasons(measurements, metric=metric).isna()]
    tests = []
    for key, rows in figures.groupby(TEST, dropna=False, sort=True):
        cells = rows.groupby(["specimen", "host"]).agg(
            value=("value", geometric_mean), figures=("id", "size")
        )
        tests.append((key, cells.reset_index()))
    return tests


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
    design = np.column_stack(
        [cells["specimen"] == card for card in cards] + [cells["host"] == host for host in hosts]
    ).astype(float)
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
    direct = set(here["specimen"]) & set(fit.cells.loc[fit.cells["host"] == base, "specimen"])
    effect, half, verdict = fit.hosts[host], math.nan, "points"
    if len(here) >= MINIMUM and fit.freedom:
        half = t_quantile(confidence, fit.freedom) * fit.errors[host]
        verdict = "~" if abs(effect) <= half else ">1" if effect > 0 else "<1"
    return {
        "base": base,
        "host": host,
        "ratio": math.exp(effect),
        "low": math.exp(effect - half),
        "high": math.exp(effect + half),
        "verdict": verdict,
        "cards": len(here),
        "direct": len(direct),
        "figures": int(here["figures"].sum()),
        "residual_sd": fit.residual_sd,
        "freedom": fit.freedom,
    }
