"""Rules that look at the whole table and doubt what is in it.

A rule knows no row: it says what must hold, checks it wherever it can, and returns how often it
looked and what it found. A finding is a doubt with its evidence, not a verdict; a figure is
never changed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from sdanalysis.audit import rules
from sdanalysis.audit.finding import Finding

if TYPE_CHECKING:
    from sdanalysis.dataset import Data

Rule = Callable[["Data"], tuple[int, list[Finding]]]

RULES: dict[str, Rule] = {
    "exchanged columns": rules.exchanged_columns,
    "above the bus limit": rules.above_bus_limit,
    "at the bus limit": rules.at_bus_limit,
    "random above sequential": rules.random_above_sequential,
    "write above read": rules.write_above_read,
    "more than the host takes": rules.more_than_host_takes,
    "IOPS x block size": rules.iops_times_block,
    "forced ratio": rules.forced_ratio,
    "printed summary": rules.derived_reproduces,
    "unmatched ratio": rules.unmatched_ratio,
    "restated figure": rules.restated_differs,
    "two tools": rules.two_tools,
    "repeated runs": rules.repeat_outlier,
    "unlike its neighbours": rules.unlike_neighbours,
    "same figure on two hosts": rules.same_figure,
    "decimal marks": rules.decimal_marks,
    "type and capacity": rules.type_and_capacity,
    "one medium, two types": rules.types_disagree,
    "one name, two media": rules.one_name,
}
_OF_PUBLISHED = ("exchanged columns",)  # asks of the table before the declared corrections


def run(data: Data, as_published: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Apply every rule to the table, and to the one that `build(as_published=True)` returns.

    Returns
    -------
    summary : DataFrame
        One row a rule: `rule`, `asks` (what it asks), `checked` (cases looked at), `found`.
    findings : DataFrame
        One row a finding: `rule`, `places` (each `source/file:line`), `ids`, `specimen`,
        `evidence`.
    """
    published = replace(data, measurements=as_published)
    summary, findings = [], []
    for name, rule in RULES.items():
        checked, found = rule(published if name in _OF_PUBLISHED else data)
        asks = (rule.__doc__ or "").splitlines()[0]  # of its docstring
        summary.append((name, asks, checked, len(found)))
        findings += [(name, finding.places, *finding) for finding in found]
    columns = ["rule", "places", "ids", "specimen", "evidence"]
    return (
        pd.DataFrame(summary, columns=["rule", "asks", "checked", "found"]),
        pd.DataFrame(findings, columns=columns),
    )


__all__ = ["RULES", "Finding", "run"]


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
