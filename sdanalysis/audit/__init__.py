"""Rules that look at the whole table and doubt what is in it.

A rule knows no row: it says what must hold, checks it wherever it can, and returns how often it
looked and what it found. A finding is a doubt with its evidence, not a verdict; a figure is
never changed here.
"""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from sdanalysis.audit import figures, physics, printing
from sdanalysis.audit.finding import Finding
from sdanalysis.dataset import Data

Rule = Callable[[Data], tuple[int, list[Finding]]]

RULES: dict[str, Rule] = {
    "exchanged columns": physics.exchanged_columns,
    "above the bus limit": physics.above_bus_limit,
    "at the bus limit": physics.at_bus_limit,
    "random above sequential": physics.random_above_sequential,
    "write above read": physics.write_above_read,
    "more than the host takes": physics.more_than_host_takes,
    "IOPS x block size": figures.iops_times_block,
    "forced ratio": figures.forced_ratio,
    "printed summary": figures.derived_reproduces,
    "unmatched ratio": figures.unmatched_ratio,
    "restated figure": figures.restated_differs,
    "two tools": figures.two_tools,
    "repeated runs": figures.repeat_outlier,
    "unlike its neighbours": figures.unlike_neighbours,
    "same figure on two hosts": figures.same_figure,
    "decimal marks": printing.decimal_marks,
    "type and capacity": printing.type_and_capacity,
    "one medium, two types": printing.types_disagree,
    "one name, two media": printing.one_name,
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

    Examples
    --------
    >>> import sdanalysis
    >>> from sdanalysis import audit, dataset
    >>> published = dataset.build(as_published=True)
    >>> summary, findings = audit.run(sdanalysis.load_data(), published)
    >>> summary[["rule", "checked", "found"]].head(2)
                      rule  checked  found
    0    exchanged columns       20      2
    1  above the bus limit      477      0
    >>> bool(len(findings) == summary["found"].sum())
    True
    """
    published = replace(data, measurements=as_published)
    results = {
        rule: check(published if rule in _OF_PUBLISHED else data) for rule, check in RULES.items()
    }
    summary = [
        # what a rule asks is the first line of its docstring
        {"rule": rule, "asks": (RULES[rule].__doc__ or "").splitlines()[0]}
        | {"checked": checked, "found": len(found)}
        for rule, (checked, found) in results.items()
    ]
    findings = [
        {"rule": rule, "places": finding.places, "ids": finding.ids}
        | {"specimen": finding.specimen, "evidence": finding.evidence}
        for rule, (_, found) in results.items()
        for finding in found
    ]
    columns = ["rule", "places", "ids", "specimen", "evidence"]
    return pd.DataFrame(summary), pd.DataFrame(findings, columns=columns)


__all__ = ["RULES", "Finding", "run"]


def __dir__() -> list[str]:
    """Return what users call, and nothing else."""
    return __all__
