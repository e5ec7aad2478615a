"""A computed figure with its interval, against the range that a word allows -> the verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from sdanalysis.claims.claim import Claim

VERDICTS = ("supported", "contradicted", "undecided", "untestable")
# What an interval covers: another run, another card; nothing where laboratories differ, where a
# group has too few cards, or where nothing was measured.
INTERVALS = ("run noise", "cards", "two laboratories", "points", "none")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a test found.

    `rows` are the measurements that were used, with the column `side`; `computed`, `low`, `high`
    are in `unit` (`1` for a ratio); `interval` is what they cover, `basis` says it in words.
    """

    rows: pd.DataFrame
    computation: str
    computed: float
    low: float
    high: float
    unit: str
    verdict: str
    interval: str
    basis: str


def verdict_of(low: float, high: float, claim: Claim) -> str:
    """Return what an interval says of the claim's range.

    The whole interval inside: supported. All of it outside: contradicted. Otherwise, and where
    there is no interval: undecided.
    """
    if math.isnan(low) or math.isnan(high):
        return "undecided"
    if claim.low <= low and high <= claim.high:
        return "supported"
    if high < claim.low or low > claim.high:
        return "contradicted"
    return "undecided"


def range_words(claim: Claim, unit: str) -> str:
    """Return the claim's range in words."""
    low, high = figure(claim.low, unit), figure(claim.high, unit)
    if math.isinf(claim.high):
        return f"at least {low}"
    if claim.low <= 0 <= claim.high and unit != "rho":
        return f"at most {high}"
    return f"from {low} to {high}" if low != high else f"exactly {low}"


def figure(value: float, unit: str) -> str:
    """Return a figure in words: bandwidths in MB/s (10^6 B/s), all else as it is."""
    return f"{value / 1e6:.3g} MB/s" if unit == "B/s" else f"{value:.3g}"
