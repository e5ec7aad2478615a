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
class Summary:
    """One figure with its interval, which is missing where there are only points.

    `interval` is one of `INTERVALS`, and `basis` says it in words. `at` is the place, in the frame
    that was given, of the figure that decided, if one did.
    """

    computed: float = math.nan
    low: float = math.nan
    high: float = math.nan
    verdict: str
    interval: str
    basis: str
    at: int | None = None


@dataclass(frozen=True, kw_only=True)
class Result(Summary):
    """What a test found, from which measurements (`rows`, with the column `side`) and how.

    `computed`, `low`, `high` are in `unit` (`1` for a ratio).
    """

    rows: pd.DataFrame
    computation: str
    unit: str = "1"


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
